#include "notation/operations/isl_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "heddle/map/isl_engine.h"

namespace heddle::notation {
namespace {

/// What the operands of a call are for isl: layouts, and the size up to which is filled.
struct Operands {
  std::vector<cute::Layout> layouts;
  std::optional<std::int64_t> target;
};

std::optional<cute::Layout> layout_in(const Value& value) {
  if (const auto* layout = value.get_if<cute::Layout>()) return *layout;
  const auto* tiler = value.get_if<cute::Tiler>();
  if (tiler == nullptr || !tiler->is_leaf() || tiler->leaf().layout() == nullptr) {
    return std::nullopt;
  }
  return *tiler->leaf().layout();
}

/// Nothing where an operand is neither.
std::optional<Operands> operands_in(std::span<const std::optional<Value>> values) {
  Operands operands;
  for (const std::optional<Value>& value : values) {
    if (!value) continue;
    if (auto layout = layout_in(*value)) {
      operands.layouts.push_back(*std::move(layout));
    } else if (value->is_integer() && value->get<IntTuple>().leaf().is_constant()) {
      operands.target = value->get<IntTuple>().leaf().value();
    } else {
      return std::nullopt;
    }
  }
  return operands;
}

Result<Value> called(const Operation& operation, std::span<const std::optional<Value>> values,
                     const map::Limits& limits) {
  const std::optional<Operands> operands = operands_in(values);
  if (!operands) {
    return refuse(
        Diagnostic("isl_engine.operation",
                   fmt::format("isl is asked for {} of plain layouts alone", operation.name))
            .with_hint("without --engine isl the algebra itself answers"));
  }
  HEDDLE_TRY(cute::Layout layout,
             map::isl_engine::call(operation.name, operands->layouts, operands->target, limits));
  return Value(std::move(layout));
}

}  // namespace

std::optional<Result<Value>> call_by_isl(const Operation& operation,
                                         std::span<const std::optional<Value>> values,
                                         const map::Limits& limits) {
  const auto names = map::isl_engine::operations();
  if (std::ranges::find(names, operation.name) == names.end()) return std::nullopt;
  return called(operation, values, limits);
}

}  // namespace heddle::notation
