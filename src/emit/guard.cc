#include "heddle/emit/guard.h"

#include <string>
#include <utility>

#include "emit/function_source.h"
#include "heddle/expr/proof.h"

namespace heddle::emit {
namespace {

/// The conditions of an ExpandBy at the coordinates themselves: nothing has to be replaced.
Result<std::vector<Condition>> kept_by(const lego::Layout& layout, std::span<const Int> inside) {
  const bool is_flat = inside.size() != layout.dims().size();
  const std::vector<Int> digits =
      is_flat ? lego::unflatten(layout.dims(), inside.front()) : std::vector<Int>();
  HEDDLE_TRY(lego::Placed placed, layout.place(is_flat ? digits : inside));
  return std::move(placed.kept);
}

Result<std::vector<std::vector<Condition>>> alternatives_of(const FunctionSource& source,
                                                            std::span<const Int> inside) {
  Bindings bindings;
  for (std::size_t i = 0; i < source.inside.variables.size(); ++i) {
    bindings.emplace(source.inside.variables[i], inside[i]);
  }
  std::vector<std::vector<Condition>> alternatives;
  for (const map::Piece& piece : source.inside.pieces) {
    std::vector<Condition>& conditions = alternatives.emplace_back();
    for (const Condition& condition : piece.conditions) {
      HEDDLE_TRY(Condition here, instantiate(condition, bindings));
      conditions.push_back(std::move(here));
    }
  }
  return alternatives;
}

}  // namespace

Result<Guard> guard_of(const map::AnyLayout& layout, std::span<const Int> point,
                       std::span<const Int> inside, const map::Limits& limits) {
  MapFunctionOptions options;
  options.coordinates = hidden_names(point.size());
  options.limits = limits;
  HEDDLE_TRY(const FunctionSource source, source_of(layout, options));
  Guard guard;
  for (std::size_t i = 0; i < source.box.size(); ++i) {
    const auto& [low, end] = source.box[i];
    if (low) guard.box.push_back({*low, Predicate::kAtMost, point[i]});
    if (end) guard.box.push_back({point[i], Predicate::kLess, *end});
  }
  const auto* lego = std::get_if<lego::Layout>(&layout);
  if (lego != nullptr && lego->expansion()) {
    HEDDLE_TRY(guard.alternatives.emplace_back(), kept_by(*lego, inside));
    return guard;
  }
  HEDDLE_TRY(guard.alternatives, alternatives_of(source, inside));
  return guard;
}

}  // namespace heddle::emit
