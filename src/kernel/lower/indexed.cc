// Operators whose addresses are read from memory, and atomic additions.

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "heddle/expr/proof.h"
#include "heddle/kernel/view.h"
#include "kernel/lower/atom.h"
#include "kernel/lower/lowerer.h"

namespace heddle::kernel {

/// Reads the index at a point, which becomes the coordinate along the axis. The conditions say that
/// it is inside and, for a scatter, that there is one.
Result<std::vector<Condition>> Lowerer::read_index(const Picked& picked, const Team& team,
                                                   std::vector<Int>& point) {
  HEDDLE_TRY(Computation found, compute({picked.indices}, {point[picked.axis]}, team));
  std::vector<Condition> inside;
  // A gather reads an index that is not there as 0, as whatever is outside.
  if (!picked.is_gather) inside = std::get<Computation::Load>(found.node).inside;
  const std::string name = fresh("index");
  add(Define{name, std::move(found)});
  const Int index = Int::variable(name);
  point[picked.axis] = index;
  inside.push_back({0, Predicate::kAtMost, index});
  inside.push_back({index, Predicate::kLess, picked.extent});
  return inside;
}

/// A gather by the widest vectors that are proved to do it, an index for each; false where none is.
Result<bool> Lowerer::try_vectors(const View& destination, const View& source, const Picked& picked,
                                  const Team& team, const Call& node) {
  if (options_.has_one_worker || node.schedule == "element") return false;
  HEDDLE_TRY(const std::vector<Int> shape, shape_of({destination}));
  HEDDLE_TRY(const DType type, type_of({destination}));
  for (std::int64_t width = options_.vector_bits / bits(type); width > 1; width /= 2) {
    const std::string name = fmt::format("vector of {} bits", width * bits(type));
    if (picked.axis + 1 == shape.size()) {
      reject(name, "the elements of a vector have an index each");
      continue;
    }
    auto found = tiled(vector_copy(type, width), {destination, source}, team, picked);
    if (!found) {
      reject(name, found.error().message());
      continue;
    }
    choose(name).notes.push_back({"spread", to_string(found->spread)});
    HEDDLE_CHECK(apply(destination, source, team, *found, Number(0.0)));
    return true;
  }
  return false;
}

/// Goes over the picked elements: `indexed` is at the coordinate that an element of the index says.
Result<void> Lowerer::pick(const Call& node, const Team& team, bool is_gather) {
  HEDDLE_CHECK(check_forced(node));
  const View destination = std::get<View>(node.operands[0].node);
  const View source = std::get<View>(node.operands[1].node);
  const View index = std::get<View>(node.operands[2].node);
  const auto axis = static_cast<std::size_t>(std::get<Axes>(node.options.at("axis")).front());
  HEDDLE_TRY(const Elementwise read, apart_from(destination.tensor, {source}, team));
  HEDDLE_TRY(const Elementwise index_read, apart_from(destination.tensor, {index}, team));
  const View from = std::get<View>(read.node);
  HEDDLE_TRY(const View whole, in_memory(is_gather ? from : destination, team));
  HEDDLE_TRY(const View indices, in_memory(std::get<View>(index_read.node), team));
  View picked = is_gather ? destination : from;
  HEDDLE_TRY(const std::vector<Int> shape, shape_of({picked}));
  HEDDLE_TRY(const std::vector<Int> whole_shape, shape_of({whole}));
  if (!is_gather && whole != destination) {
    return refuse(Diagnostic("kernel.not_lowered",
                             fmt::format("{} scatters into registers of several threads",
                                         to_string(*statement_)))
                      .with_hint("scatter into shared memory, and copy from it"));
  }
  HEDDLE_TRY(const std::optional<Spread> of_picked, spread_in({picked}, shape));
  if (find(picked.tensor)->spread && !of_picked) {
    HEDDLE_TRY(picked, in_memory(picked, team));
  }
  const Picked by{axis, indices, whole_shape[axis], is_gather};
  if (is_gather) {
    HEDDLE_TRY(const bool is_done, try_vectors(picked, whole, by, team, node));
    if (is_done) return {};
  }
  if (node.schedule == "vector") return refuse_forced(node, false);
  choose("element");
  const Spread spread = of_picked ? *of_picked : row_spread(shape, team.threads, 1);
  const bool is_register = find(is_gather ? picked.tensor : whole.tensor)->spread.has_value();
  const Visit pick_one = [&](const std::vector<Int>& coordinate,
                             const std::vector<Int>&) -> Result<void> {
    std::vector<Int> point = coordinate;
    HEDDLE_TRY(const std::vector<Condition> is_inside, read_index(by, team, point));
    const std::vector<Int>& to_point = is_gather ? coordinate : point;
    HEDDLE_TRY(Found to, locate_written(is_gather ? picked : whole, to_point, team));
    HEDDLE_TRY(Computation value,
               compute({is_gather ? whole : picked}, is_gather ? point : coordinate, team));
    std::vector<Condition> conditions = std::move(to.inside);
    if (is_gather) {
      auto& load = std::get<Computation::Load>(value.node);
      load.inside.insert(load.inside.end(), is_inside.begin(), is_inside.end());
    } else {
      conditions.insert(conditions.end(), is_inside.begin(), is_inside.end());
    }
    return guarded(std::move(conditions), [&]() -> Result<void> {
      add(StoreElement{std::move(to.location), std::move(value)});
      return {};
    });
  };
  return in_order(team, is_gather ? &picked : nullptr,
                  [&] { return for_each(spread, team, !is_register, pick_one); });
}

Result<void> Lowerer::gather(const Call& node, const Team& team) { return pick(node, team, true); }

Result<void> Lowerer::scatter(const Call& node, const Team& team) {
  return pick(node, team, false);
}

Result<void> Lowerer::atomic_add(const Call& node, const Team& team) {
  HEDDLE_CHECK(check_forced(node));
  const View destination = std::get<View>(node.operands[0].node);
  const Placed& placed = *find(destination.tensor);
  const DType type = placed.tensor.type;
  if (placed.spread) return pointwise_add(destination, node.operands[1], team);
  if (is_recast(destination)) {
    return refuse(Diagnostic("kernel.not_lowered",
                             fmt::format("{}: no instruction adds to the bits of {} atomically",
                                         to_string(*statement_), name_of(type)))
                      .with_hint("declare the tensor with the type that is added"));
  }
  const bool is_supported = type == DType::kF32 || type == DType::kI32 || type == DType::kU32;
  if (!is_supported) {
    return refuse("kernel.not_lowered",
                  fmt::format("{}: {} is not added atomically yet; f32, i32 and u32 are",
                              to_string(*statement_), name_of(type)));
  }
  choose("atomic");
  HEDDLE_TRY(const std::vector<Int> shape, shape_of({destination}));
  HEDDLE_TRY(Elementwise added, apart_from(destination.tensor, node.operands[1], team));
  HEDDLE_TRY(const std::optional<Spread> of_value, spread_in(added, shape));
  const Spread spread = of_value ? *of_value : row_spread(shape, team.threads, 1);
  const auto same = [](const std::vector<Int>& coordinate) { return coordinate; };
  HEDDLE_TRY(const Elementwise value, within_reach(std::move(added), spread, team, same));
  const Visit add_one = [&](const std::vector<Int>& coordinate,
                            const std::vector<Int>&) -> Result<void> {
    HEDDLE_TRY(Found to, locate(destination, coordinate, team));
    HEDDLE_TRY(Computation computed, compute(value, coordinate, team));
    return guarded(std::move(to.inside), [&]() -> Result<void> {
      add(AtomicAdd{std::move(to.location), std::move(computed)});
      return {};
    });
  };
  return in_order(team, nullptr, [&] { return for_each(spread, team, true, add_one); });
}

Result<void> Lowerer::pointwise_add(const View& destination, const Elementwise& value,
                                    const Team& team) {
  choose("element");
  return pointwise(destination, {Elementwise::Apply{Function::kAdd}, {{destination}, value}}, team,
                   Number(0.0));
}

}  // namespace heddle::kernel
