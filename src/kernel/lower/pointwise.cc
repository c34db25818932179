// Copies and elementwise assignments: each thread goes over the elements that it holds, or over its
// share of those in memory.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/overloaded.h"
#include "heddle/expr/index_variable.h"
#include "heddle/expr/proof.h"
#include "heddle/form/index_map.h"
#include "heddle/kernel/view.h"
#include "kernel/lower/lowerer.h"

namespace heddle::kernel {

namespace {

/// The point of a view at a coordinate of its tensor, step by step; `inside` gets what must hold
/// for there to be one.
struct Inverse {
  const View& view;
  std::vector<Int> shape;
  std::vector<Int> point;
  std::vector<Condition> inside;

  Result<void> follow(const Sliced& step) {
    std::vector<Int> next;
    std::vector<Int> extents;
    std::size_t dimension = 0;
    for (const Subscript& subscript : step.subscripts) {
      if (subscript.kind == Subscript::Kind::kNew) {
        next.emplace_back(0);
        extents.emplace_back(1);
        continue;
      }
      const Int index = point[dimension];
      const Int extent = shape[dimension++];
      if (subscript.kind == Subscript::Kind::kIndex) {
        inside.push_back({index, Predicate::kEqual, subscript.begin});
        continue;
      }
      const bool is_range = subscript.kind == Subscript::Kind::kRange;
      if (is_range) {
        inside.push_back({subscript.begin, Predicate::kAtMost, index});
        inside.push_back({index, Predicate::kLess, subscript.begin + subscript.extent});
      }
      next.push_back(is_range ? index - subscript.begin : index);
      extents.push_back(is_range ? subscript.extent : extent);
    }
    const auto rest = static_cast<std::ptrdiff_t>(dimension);
    next.insert(next.end(), point.begin() + rest, point.end());
    extents.insert(extents.end(), shape.begin() + rest, shape.end());
    point = std::move(next);
    shape = std::move(extents);
    return {};
  }

  Result<void> follow(const Permuted& step) {
    std::vector<Int> next;
    std::vector<Int> extents;
    for (const std::size_t dimension : step.order) {
      next.push_back(point[dimension]);
      extents.push_back(shape[dimension]);
    }
    point = std::move(next);
    shape = std::move(extents);
    return {};
  }

  Result<void> follow(const Reshaped& step) {
    point = form::unflatten(step.shape, form::flatten(shape, point));
    shape = step.shape;
    return {};
  }

  template <class Step>
  Result<void> follow(const Step& /*step*/) const {
    return refuse("kernel.not_lowered",
                  fmt::format("{}: no schedule writes registers in another layout or as other bits",
                              to_string(view)));
  }
};

const View* view_in(const Elementwise& value, std::string_view tensor) {
  if (const auto* view = std::get_if<View>(&value.node)) {
    return view->tensor == tensor ? view : nullptr;
  }
  for (const Elementwise& operand : value.operands) {
    if (const View* found = view_in(operand, tensor)) return found;
  }
  return nullptr;
}

/// Whether a condition holds for all elements of a vector or for none: its index grows by at most
/// one from element to element, begins at a multiple of the width, and so does the bound.
bool holds_alike(const Condition& first, const Condition& any, std::int64_t width, const Int& j) {
  if (first == any) return true;
  if (first.predicate != any.predicate || first.predicate == Predicate::kNotEqual) return false;
  if (first.predicate == Predicate::kLess) {
    return known_equal(any.right, first.right) && known_equal(any.left - first.left, j) &&
           known_divides(width, first.left) && known_divides(width, first.right);
  }
  return first.predicate == Predicate::kAtMost && known_equal(any.left, first.left) &&
         known_equal(any.right - first.right, j) && known_divides(width, first.left) &&
         known_divides(width, first.right);
}

}  // namespace

Result<std::vector<Int>> Lowerer::point_of(const View& view, const Tensor& tensor,
                                           const std::vector<Int>& coordinate,
                                           std::vector<Condition>& inside) const {
  Inverse inverse{view, tensor.shape, coordinate, {}};
  for (const View::Step& step : view.steps) {
    HEDDLE_CHECK(std::visit([&](const auto& each) { return inverse.follow(each); }, step));
  }
  std::ranges::copy_if(inverse.inside, std::back_inserter(inside),
                       [](const Condition& condition) { return !known(condition); });
  return inverse.point;
}

/// Whether an element may be written before another one is computed from it.
Result<bool> Lowerer::overtakes(const View& destination, const Elementwise& value,
                                const Team& team) const {
  if (const auto* view = std::get_if<View>(&value.node)) {
    if (view->tensor != destination.tensor || *view == destination) return false;
    const Tensor& tensor = find(destination.tensor)->tensor;
    HEDDLE_TRY(const ViewShape to, kernel::shape_of(destination, tensor));
    HEDDLE_TRY(const ViewShape from, kernel::shape_of(*view, tensor));
    std::vector<Int> point;
    for (const Int& extent : to.extents) {
      point.push_back(index_variable(fmt::format("c{}", point.size()), extent));
    }
    HEDDLE_TRY(const Found written, locate(destination, point, team));
    HEDDLE_TRY(const Found read, locate(*view, broadcast_point(from.extents, point), team));
    return !known_equal(written.location.address, read.location.address);
  }
  for (const Elementwise& operand : value.operands) {
    HEDDLE_TRY(const bool does, overtakes(destination, operand, team));
    if (does) return true;
  }
  return false;
}

/// The value in registers of its own, computed before anything is written.
Result<View> Lowerer::computed_first(const View& destination, const Elementwise& value,
                                     const Team& team, const Number& outside) {
  const Tensor& tensor = find(destination.tensor)->tensor;
  HEDDLE_TRY(const ViewShape shape, kernel::shape_of(destination, tensor));
  for (const Int& extent : shape.extents) {
    if (extent.is_constant()) continue;
    return refuse(
        Diagnostic(
            "kernel.not_lowered",
            fmt::format("{} is written while {} of it is read, and its shape {} is "
                        "not constant",
                        to_string(destination), to_string(*view_in(value, destination.tensor)),
                        shape_text(shape.extents)))
            .with_hint("go through it in tiles, or write another tensor"));
  }
  Tensor held{fmt::format("{}_new", destination.tensor), shape.type, shape.extents,
              Space::kRegister};
  Spread spread = row_spread(shape.extents, team.threads, 1);
  HEDDLE_TRY(const std::optional<Spread> of_value, spread_in(value, shape.extents));
  if (of_value) spread = *of_value;
  const View view{place(std::move(held), std::move(spread)).tensor.name, {}};
  HEDDLE_CHECK(pointwise(view, value, team, outside));
  return view;
}

Result<void> Lowerer::pointwise(const View& destination, const Elementwise& value, const Team& team,
                                const Number& outside) {
  const Placed& placed = *find(destination.tensor);
  const bool is_register = placed.spread.has_value();
  HEDDLE_TRY(const bool is_early, overtakes(destination, value, team));
  if (is_early) {
    HEDDLE_TRY(const View first, computed_first(destination, value, team, outside));
    return pointwise(destination, {first}, team, outside);
  }
  return is_register ? into_registers(destination, value, team, outside)
                     : into_memory(destination, value, team, outside);
}

Result<void> Lowerer::into_registers(const View& destination, Elementwise value, const Team& team,
                                     const Number& outside) {
  const Placed placed = *find(destination.tensor);
  std::vector<Condition> unused;
  const auto to_point = [&](const std::vector<Int>& coordinate) {
    auto point = point_of(destination, placed.tensor, coordinate, unused);
    return point ? *std::move(point) : coordinate;
  };
  HEDDLE_TRY(value, within_reach(std::move(value), *placed.spread, team, to_point));
  std::vector<Access> accesses;
  const bool is_whole = destination.steps.empty();
  collect(value, is_whole ? &*placed.spread : nullptr, team, accesses);
  HEDDLE_CHECK(touch(accesses, team));
  return for_each(
      *placed.spread, team, false,
      [&](const std::vector<Int>& coordinate, const std::vector<Int>& counters) -> Result<void> {
        std::vector<Condition> inside;
        HEDDLE_TRY(const std::vector<Int> point,
                   point_of(destination, placed.tensor, coordinate, inside));
        HEDDLE_TRY(Computation computed, compute(value, point, team, outside));
        const Location to{placed.buffer, register_at(*placed.spread, counters)};
        return guarded(std::move(inside), [&]() -> Result<void> {
          add(StoreElement{to, std::move(computed)});
          return {};
        });
      });
}

Result<void> Lowerer::into_memory(const View& destination, Elementwise value, const Team& team,
                                  const Number& outside) {
  HEDDLE_TRY(const ViewShape shape,
             kernel::shape_of(destination, find(destination.tensor)->tensor));
  HEDDLE_TRY(const std::optional<Spread> of_value, spread_in(value, shape.extents));
  const Spread spread = of_value ? *of_value : row_spread(shape.extents, team.threads, 1);
  const auto same = [](const std::vector<Int>& coordinate) { return coordinate; };
  HEDDLE_TRY(value, within_reach(std::move(value), spread, team, same));
  std::vector<Access> accesses;
  collect(value, &spread, team, accesses);
  accesses.push_back(access(destination, true, &spread, team));
  HEDDLE_CHECK(touch(accesses, team));
  return for_each(spread, team, true,
                  [&](const std::vector<Int>& coordinate,
                      const std::vector<Int>& /*counters*/) -> Result<void> {
                    HEDDLE_TRY(Found to, locate(destination, coordinate, team));
                    HEDDLE_TRY(Computation computed, compute(value, coordinate, team, outside));
                    return guarded(std::move(to.inside), [&]() -> Result<void> {
                      add(StoreElement{std::move(to.location), std::move(computed)});
                      return {};
                    });
                  });
}

// --- copies --------------------------------------------------------------------------------------

/// Whether `width` elements of the view are contiguous and aligned for every thread and iteration.
Result<void> Lowerer::check_vector(const View& view, const Vectors& vectors,
                                   const Team& team) const {
  std::vector<Int> counters;
  for (const SpreadDigit& digit : register_digits(vectors.spread)) {
    const Int extent = counters.empty() ? floor_div(digit.extent, vectors.width) : digit.extent;
    counters.push_back(index_variable(fmt::format("c{}", counters.size()), extent));
  }
  counters.front() *= vectors.width;
  const std::vector<Int> begin = coordinate_at(vectors.spread, team.rank, counters);
  const Int j = index_variable("j", vectors.width);
  std::vector<Int> any = begin;
  any.back() += j;
  HEDDLE_TRY(const Found first, locate(view, begin, team));
  HEDDLE_TRY(const Found each, locate(view, any, team));
  const auto refuse_view = [&](std::string_view reason) {
    return refuse("kernel.schedule", fmt::format("{}: {}", to_string(view), reason));
  };
  if (!known_equal(each.location.address - first.location.address, j)) {
    return refuse_view(fmt::format("{} elements are not known to be contiguous", vectors.width));
  }
  if (!known_divides(vectors.width, first.location.address)) {
    return refuse_view(fmt::format("the address {} is not known to be a multiple of {}",
                                   to_string(first.location.address), vectors.width));
  }
  std::vector<Condition> inside_first = first.inside;
  std::vector<Condition> inside_any = each.inside;
  std::ranges::move(inside(vectors.spread, begin), std::back_inserter(inside_first));
  std::ranges::move(inside(vectors.spread, any), std::back_inserter(inside_any));
  if (!std::ranges::equal(inside_first, inside_any, [&](const Condition& a, const Condition& b) {
        return holds_alike(a, b, vectors.width, j);
      })) {
    return refuse_view(fmt::format("of {} elements side by side, some may be inside and others not",
                                   vectors.width));
  }
  return {};
}

Result<Lowerer::Vectors> Lowerer::vectors(const View& destination, const View& source,
                                          const Team& team, std::int64_t width) const {
  HEDDLE_TRY(const ViewShape shape,
             kernel::shape_of(destination, find(destination.tensor)->tensor));
  HEDDLE_TRY(const ViewShape from, kernel::shape_of(source, find(source.tensor)->tensor));
  if (shape.extents.empty() || !std::ranges::equal(shape.extents, from.extents, known_equal)) {
    return refuse("kernel.schedule", "the shapes are not the same");
  }
  if (from.type != shape.type) return refuse("kernel.schedule", "the types are not the same");
  Vectors found{row_spread(shape.extents, team.threads, width), width};
  HEDDLE_TRY(const std::optional<Spread> to_spread, spread_in({destination}, shape.extents));
  HEDDLE_TRY(const std::optional<Spread> from_spread, spread_in({source}, shape.extents));
  if (find(destination.tensor)->spread && !to_spread) {
    return refuse("kernel.schedule", "a part of a tensor in registers is written");
  }
  if (to_spread || from_spread) found.spread = to_spread ? *to_spread : *from_spread;
  const auto digits = register_digits(found.spread);
  const bool is_side_by_side =
      !digits.empty() && digits.front().dimension + 1 == shape.extents.size() &&
      known_equal(digits.front().step, 1) && known_divides(width, digits.front().extent);
  if (width > 1 && !is_side_by_side) {
    return refuse("kernel.schedule",
                  fmt::format("a thread does not hold {} elements side by side", width));
  }
  if (to_spread && from_spread && *to_spread != *from_spread) {
    return refuse("kernel.schedule", "the two are spread differently over the threads");
  }
  if (from_spread == std::nullopt && find(source.tensor)->spread) {
    return refuse("kernel.schedule", "a part of a tensor in registers is read");
  }
  if (width == 1) return found;
  HEDDLE_CHECK(check_vector(destination, found, team));
  HEDDLE_CHECK(check_vector(source, found, team));
  return found;
}

Result<void> Lowerer::copy_vectors(const View& destination, const View& source, const Team& team,
                                   const Vectors& vectors, const Number& outside) {
  std::vector<Access> accesses;
  collect({source}, &vectors.spread, team, accesses);
  const bool is_register = find(destination.tensor)->spread.has_value();
  if (!is_register) accesses.push_back(access(destination, true, &vectors.spread, team));
  HEDDLE_CHECK(touch(accesses, team));
  const DType type = find(destination.tensor)->tensor.type;
  std::vector<SpreadDigit> digits = register_digits(vectors.spread);
  if (vectors.width > 1) {
    digits.front().extent = floor_div(digits.front().extent, vectors.width);
  }
  std::vector<Condition> outer = team.members;
  if (!is_register) {
    std::ranges::move(is_first_copy(vectors.spread, team.rank), std::back_inserter(outer));
  }
  std::vector<Int> counters;
  const auto visit = [&]() -> Result<void> {
    std::vector<Int> begin = counters;
    if (vectors.width > 1) begin.front() *= vectors.width;
    const std::vector<Int> coordinate = coordinate_at(vectors.spread, team.rank, begin);
    HEDDLE_TRY(Found to, locate(destination, coordinate, team));
    HEDDLE_TRY(Found from, locate(source, coordinate, team));
    std::vector<Condition> conditions = inside(vectors.spread, coordinate);
    std::ranges::move(to.inside, std::back_inserter(conditions));
    return guarded(std::move(conditions), [&]() -> Result<void> {
      CopyVector moved{to.location, from.location, vectors.width};
      if (from.inside.empty()) {
        add(std::move(moved));
        return {};
      }
      Guarded guard{std::move(from.inside), {{std::move(moved)}}, {}};
      for (std::int64_t j = 0; j != vectors.width; ++j) {
        const Computation pad{
            Computation::Literal{converted(computed_in(type), outside)}, computed_in(type), {}};
        guard.otherwise.push_back(
            {StoreElement{{to.location.buffer, to.location.address + j}, pad}});
      }
      add(std::move(guard));
      return {};
    });
  };
  return guarded(std::move(outer), [&] { return loops(digits, counters, visit); });
}

Result<void> Lowerer::copy(const Call& node, const Team& team) {
  HEDDLE_CHECK(check_forced(node, {"vector", "element"}));
  const View& destination = std::get<View>(node.operands[0].node);
  const View& source = std::get<View>(node.operands[1].node);
  const auto pad = node.options.find("pad");
  const Number outside(pad == node.options.end() ? 0.0 : std::get<double>(pad->second));
  const DType type = find(destination.tensor)->tensor.type;
  HEDDLE_TRY(const bool is_early, overtakes(destination, {source}, team));
  std::string narrow = is_early ? "the source is overwritten while it is read" : "";
  const auto name_of_width = [&](std::int64_t width) {
    return width == 1 ? std::string("element")
                      : fmt::format("vector of {} bits", width * bits(type));
  };
  for (std::int64_t width = options_.vector_bits / bits(type); width >= 1 && !is_early;
       width /= 2) {
    if (width == 1 && node.schedule == "vector") break;
    if (width > 1 && node.schedule == "element") {
      reject(name_of_width(width), "`using element` is forced");
      continue;
    }
    auto found = vectors(destination, source, team, width);
    if (!found) {
      if (width > 1) narrow = found.error().message();
      if (width > 1) reject(name_of_width(width), narrow);
      continue;
    }
    choose(name_of_width(width)).notes.push_back(to_string(found->spread));
    return copy_vectors(destination, source, team, *found, outside);
  }
  if (node.schedule == "vector") {
    return refuse("kernel.schedule",
                  fmt::format("{} cannot be done by vectors: {}", to_string(*statement_), narrow));
  }
  choose("element");
  return pointwise(destination, {source}, team, outside);
}

}  // namespace heddle::kernel
