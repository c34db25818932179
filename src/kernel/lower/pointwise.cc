// Elementwise assignments: each thread goes over the elements that it holds, or over its share of
// those in memory.

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
  DType type;
  std::vector<Int> shape;
  std::vector<Int> point;
  std::vector<Condition> inside;
  /// Of a recast to a narrower type: which part of the element is meant.
  Int part = 0;

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

  Result<void> follow(const Recast& step) {
    const std::int64_t parts = bits(type) / bits(step.type);
    if (parts == 0) {
      return refuse(
          Diagnostic("kernel.not_lowered",
                     fmt::format("{}: no schedule writes registers of {} as wider elements",
                                 to_string(view), name_of(type)))
              .with_hint(fmt::format("write registers of {}, and read their bits as {}",
                                     name_of(step.type), name_of(type))));
    }
    point.back() = point.back() * parts + part;
    shape.back() *= parts;
    return {};
  }

  Result<void> follow(const Relaid& /*step*/) const {
    return refuse(
        "kernel.not_lowered",
        fmt::format("{}: no schedule writes registers in another layout", to_string(view)));
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

/// The elements that an element of the tensor is divided into where a view of it is written.
std::int64_t recast_parts(const View& view, const Tensor& tensor) {
  const auto* recast = view.steps.empty() ? nullptr : std::get_if<Recast>(&view.steps.front());
  return recast == nullptr ? 1 : std::max<std::int64_t>(1, bits(tensor.type) / bits(recast->type));
}

Computation half_of_byte(DType type, Computation value) {
  Computation rounded{Computation::Convert{type}, DType::kI32, {std::move(value)}};
  if (type == DType::kU4) return rounded;
  return {Computation::Convert{DType::kU4}, DType::kI32, {std::move(rounded)}};
}

/// low + 16*high
Computation byte_of_halves(Computation low, Computation high) {
  const auto of_two = [](Function function, Computation a, Computation b) {
    return Computation{
        Computation::Apply{function, DType::kI32}, DType::kI32, {std::move(a), std::move(b)}};
  };
  Computation above{Computation::Literal{Number(std::int64_t{16})}, DType::kI32, {}};
  return of_two(Function::kAdd, std::move(low),
                of_two(Function::kMultiply, std::move(high), std::move(above)));
}

}  // namespace

Result<std::vector<Int>> Lowerer::point_of(const View& view, const Tensor& tensor,
                                           const std::vector<Int>& coordinate, const Int& part,
                                           std::vector<Condition>& inside) const {
  Inverse inverse{view, tensor.type, tensor.shape, coordinate, {}, part};
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
      point.push_back(index_variable(fmt::format("c#{}", point.size()), extent));
    }
    HEDDLE_TRY(const Found written, locate(destination, point, team));
    HEDDLE_TRY(const Found read, locate(*view, broadcast_point(from.extents, point), team));
    if (written.location.seen || read.location.seen) return true;
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
            .with_hint("write another tensor, or a tile of both at a time, X[128*bx : +128]"));
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
  // A part of what one thread has is written where it is; of what is spread, all is gone through.
  const auto is_sliced = [](const View::Step& step) {
    return !std::holds_alternative<Relaid>(step) && !std::holds_alternative<Recast>(step);
  };
  const bool is_part = placed.is_private && !destination.steps.empty() &&
                       std::ranges::all_of(destination.steps, is_sliced);
  HEDDLE_TRY(const bool is_early, overtakes(destination, value, team));
  if (is_early) {
    HEDDLE_TRY(const View first, computed_first(destination, value, team, outside));
    return pointwise(destination, {first}, team, outside);
  }
  return placed.spread && !is_part ? into_registers(destination, value, team, outside)
                                   : into_memory(destination, value, team, outside);
}

Result<void> Lowerer::into_registers(const View& destination, Elementwise value, const Team& team,
                                     const Number& outside) {
  const Placed placed = *find(destination.tensor);
  const std::int64_t parts = recast_parts(destination, placed.tensor);
  std::vector<Condition> unused;
  const auto to_point = [&](const std::vector<Int>& coordinate) {
    const Int part = index_variable("part", parts);
    auto point = point_of(destination, placed.tensor, coordinate, part, unused);
    return point ? *std::move(point) : coordinate;
  };
  HEDDLE_TRY(value, within_reach(std::move(value), *placed.spread, team, to_point));
  HEDDLE_TRY(const DType type, type_of({destination}));
  const auto store_part = [&](const std::vector<Int>& coordinate, const std::vector<Int>& counters,
                              std::int64_t part) -> Result<void> {
    std::vector<Condition> inside;
    HEDDLE_TRY(const std::vector<Int> point,
               point_of(destination, placed.tensor, coordinate, part, inside));
    HEDDLE_TRY(Computation computed, compute(value, point, team, outside));
    Location to{placed.buffer, register_at(*placed.spread, counters)};
    if (type != placed.tensor.type) to.seen = SeenBits{type, part};
    return guarded(std::move(inside), [&]() -> Result<void> {
      add(StoreElement{std::move(to), std::move(computed)});
      return {};
    });
  };
  const Visit store = [&](const std::vector<Int>& coordinate,
                          const std::vector<Int>& counters) -> Result<void> {
    for (std::int64_t part = 0; part != parts; ++part) {
      HEDDLE_CHECK(store_part(coordinate, counters, part));
    }
    return {};
  };
  return in_order(team, nullptr, [&] { return for_each(*placed.spread, team, false, store); });
}

/// Into elements of 4 bits that lie in pairs in bytes of memory: a byte at once.
Result<void> Lowerer::in_pairs(const View& destination, const Elementwise& value,
                               const Spread& spread, const Team& team, const Number& outside) {
  const std::optional<Spread> tiler =
      spread.shape.empty() ? std::nullopt : divided(spread, row_spread({2}, 1, 2));
  if (!tiler) return refuse_halves(destination, "no thread has both of them");
  HEDDLE_TRY(const DType type, type_of({destination}));
  std::vector<Condition> outer = team.members;
  std::ranges::move(is_first_copy(spread, team.rank), std::back_inserter(outer));
  std::vector<Int> counters;
  const auto store = [&]() -> Result<void> {
    const std::vector<Int> low = coordinate_at(*tiler, team.rank, counters);
    std::vector<Int> high = low;
    high.back() += 1;
    std::vector<Condition> conditions = inside(spread, low);
    if (!std::ranges::equal(conditions, inside(spread, high), holds_alike)) {
      return refuse_halves(destination, "one of them may be inside, and the other not");
    }
    HEDDLE_TRY(Found to, locate_byte(destination, low));
    std::ranges::move(to.inside, std::back_inserter(conditions));
    HEDDLE_TRY(Computation first, compute(value, low, team, outside));
    HEDDLE_TRY(Computation second, compute(value, high, team, outside));
    return guarded(std::move(conditions), [&]() -> Result<void> {
      add(StoreElement{std::move(to.location),
                       byte_of_halves(half_of_byte(type, std::move(first)),
                                      half_of_byte(type, std::move(second)))});
      return {};
    });
  };
  return guarded(std::move(outer), [&] { return loops(register_digits(*tiler), counters, store); });
}

Result<void> Lowerer::into_memory(const View& destination, Elementwise value, const Team& team,
                                  const Number& outside) {
  HEDDLE_TRY(const ViewShape shape,
             kernel::shape_of(destination, find(destination.tensor)->tensor));
  HEDDLE_TRY(const std::optional<Spread> of_value, spread_in(value, shape.extents));
  const Tensor& tensor = find(destination.tensor)->tensor;
  const bool has_pairs =
      bits(shape.type) < 8 && (held_bits(tensor.type, tensor.space) < 8 || bits(tensor.type) >= 8);
  const bool is_kept = of_value && (!has_pairs || divided(*of_value, row_spread({2}, 1, 2)));
  const Spread spread =
      is_kept ? *of_value : row_spread(shape.extents, team.threads, has_pairs ? 2 : 1);
  const auto same = [](const std::vector<Int>& coordinate) { return coordinate; };
  HEDDLE_TRY(value, within_reach(std::move(value), spread, team, same));
  const Visit store = [&](const std::vector<Int>& coordinate,
                          const std::vector<Int>& /*counters*/) -> Result<void> {
    HEDDLE_TRY(Found to, locate_written(destination, coordinate, team));
    HEDDLE_TRY(Computation computed, compute(value, coordinate, team, outside));
    return guarded(std::move(to.inside), [&]() -> Result<void> {
      add(StoreElement{std::move(to.location), std::move(computed)});
      return {};
    });
  };
  return in_order(team, &destination, [&] {
    return has_pairs ? in_pairs(destination, value, spread, team, outside)
                     : for_each(spread, team, true, store);
  });
}

}  // namespace heddle::kernel
