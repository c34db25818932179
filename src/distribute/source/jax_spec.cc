#include "distribute/source/jax_spec.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>
#include <set>
#include <span>

#include "core/format.h"
#include "core/text.h"
#include "distribute/distribution_access.h"
#include "heddle/axe/canonical.h"

namespace heddle::distribute {
namespace {

Refusal no_shards(std::string reason) {
  return refuse(Diagnostic("distribute.shards", std::move(reason))
                    .with_hint("JAX's arrays are cut evenly along whole axes of one mesh; for "
                               "NCCL every plan is written"));
}

Result<void> check_block(const Distribution& side, std::int64_t device,
                         std::span<const std::int64_t> extents) {
  const auto blocks = side.blocks(device);
  if (blocks.size() != 1) {
    return no_shards(
        fmt::format("device {} of the mesh holds {} boxes, and in JAX one", device, blocks.size()));
  }
  const Block& block = blocks.front();
  if (extents_of(block.box) != std::vector(extents.begin(), extents.end())) {
    return no_shards(fmt::format("device {} holds {}, which is not of the size ({}) of another",
                                 device, to_string(block.box), fmt::join(extents, ",")));
  }
  if (axe::equal(block.place, row_major(block.box)).is_yes()) return {};
  return no_shards(fmt::format("device {} holds {} at {}, and in JAX row-major", device,
                               to_string(block.box), to_string(block.place)));
}

/// The shards of one side on a mesh, all of one size.
class Shards {
 public:
  static Result<Shards> make(const Distribution& side, const axe::Mesh& mesh) {
    if (side.is_flat()) return no_shards("a device's part of the tensor is not a box");
    Shards shards(side, mesh);
    const auto first = side.blocks(mesh.devices().front());
    if (!first.empty()) shards.extents_ = extents_of(first.front().box);
    for (const std::int64_t device : mesh.devices()) {
      HEDDLE_CHECK(check_block(side, device, shards.extents_));
    }
    if (side.devices().size() == mesh.devices().size()) return shards;
    return no_shards("devices outside of the mesh hold a part");
  }

  Result<JaxSpec> spec() const {
    JaxSpec spec{{}, extents_};
    std::set<std::size_t> used;
    for (std::size_t dim = 0; dim < extents_.size(); ++dim) {
      HEDDLE_TRY(spec.dims.emplace_back(), axes_of(dim));
      for (const std::size_t axis : spec.dims.back()) {
        if (used.insert(axis).second) continue;
        return no_shards(fmt::format("the axis {} cuts two dimensions", mesh_.names()[axis]));
      }
    }
    return spec;
  }

 private:
  Shards(const Distribution& side, const axe::Mesh& mesh) : side_(side), mesh_(mesh) {}

  /// Which of the parts of a dimension the device at a position of the mesh holds.
  Result<std::int64_t> part_at(std::size_t dim, std::size_t position) const {
    const Box& box = side_.blocks(mesh_.devices()[position]).front().box;
    if (box[dim].begin % extents_[dim] == 0) return box[dim].begin / extents_[dim];
    return no_shards(
        fmt::format("device {} holds {}, which is not a whole number of shards from the beginning",
                    mesh_.devices()[position], to_string(box)));
  }

  /// How far a step along an axis goes in the mesh's row-major order.
  std::size_t step(std::size_t axis) const {
    std::size_t step = 1;
    for (std::size_t i = axis + 1; i < mesh_.rank(); ++i) {
      step *= static_cast<std::size_t>(mesh_.extents()[i]);
    }
    return step;
  }

  Result<AxisNumbers> axes_of(std::size_t dim) const {
    std::vector<std::pair<std::int64_t, std::size_t>> weights;
    for (std::size_t axis = 0; axis < mesh_.rank(); ++axis) {
      if (mesh_.extents()[axis] == 1) continue;
      HEDDLE_TRY(const std::int64_t weight, part_at(dim, step(axis)));
      if (weight != 0) weights.emplace_back(weight, axis);
    }
    std::ranges::sort(weights);
    std::int64_t parts = 1;
    bool is_mixed = true;
    for (const auto& [weight, axis] : weights) {
      is_mixed = is_mixed && weight == parts;
      parts *= mesh_.extents()[axis];
    }
    if (!is_mixed || parts * extents_[dim] != side_.shape()[dim]) return no_axes(dim);
    for (std::size_t position = 0; position < mesh_.devices().size(); ++position) {
      HEDDLE_TRY(const std::int64_t part, part_at(dim, position));
      if (part != expected(weights, position)) return no_axes(dim);
    }
    AxisNumbers axes;
    for (const auto& [weight, axis] : weights | std::views::reverse) axes.push_back(axis);
    return axes;
  }

  std::int64_t expected(std::span<const std::pair<std::int64_t, std::size_t>> weights,
                        std::size_t position) const {
    std::int64_t part = 0;
    for (const auto& [weight, axis] : weights) {
      const auto at = static_cast<std::int64_t>(position / step(axis));
      part += weight * (at % mesh_.extents()[axis]);
    }
    return part;
  }

  Refusal no_axes(std::size_t dim) const {
    return no_shards(
        fmt::format("dimension {} of {} is cut into parts of {}, and not evenly along axes of {}",
                    dim, counted(side_.shape()[dim], "element"), extents_[dim], to_string(mesh_)));
  }

  const Distribution& side_;
  const axe::Mesh& mesh_;
  std::vector<std::int64_t> extents_;
};

Result<JaxSides> sides_on(const Plan& plan, const axe::Mesh& mesh) {
  if (mesh.rank() == 0) return no_shards("a mesh without axes");
  HEDDLE_TRY(const Shards from, Shards::make(plan.from(), mesh));
  HEDDLE_TRY(const Shards to, Shards::make(plan.to(), mesh));
  JaxSides sides{mesh, {}, {}, {}};
  HEDDLE_TRY(sides.from, from.spec());
  HEDDLE_TRY(sides.to, to.spec());
  for (const axe::PartialAxis& axis : plan.from().partial()) {
    const auto& kept = plan.to().partial();
    if (std::ranges::find(kept, axis) != kept.end()) continue;
    sides.reduced.push_back(*mesh.axis(axis.axis));
  }
  return sides;
}

/// The axes that `longer` has behind those of `shorter`; nullopt if it does not begin with them.
std::optional<AxisNumbers> rest(const AxisNumbers& longer, const AxisNumbers& shorter) {
  if (longer.size() <= shorter.size()) return std::nullopt;
  if (!std::ranges::equal(shorter, longer | std::views::take(shorter.size()))) return std::nullopt;
  return AxisNumbers(longer.begin() + std::ssize(shorter), longer.end());
}

/// Finds the calls one after the other.
class Calls {
 public:
  Calls(const JaxSides& sides, const std::string& reduce_op)
      : sides_(sides), reduce_op_(reduce_op), now_(sides.from.dims) {}

  std::optional<std::vector<JaxCall>> find() && {
    for (std::size_t dim = 0; dim < now_.size(); ++dim) slice(dim);
    const bool is_done = sides_.reduced.empty() ? all_to_all() || gather() : reduce();
    if (!is_done) return std::nullopt;
    return std::move(calls_);
  }

 private:
  using Kind = JaxCall::Kind;

  const std::vector<AxisNumbers>& wanted() const { return sides_.to.dims; }

  /// Whether the axis cuts no dimension, and nothing is reduced over it.
  bool is_free(std::size_t axis) const {
    const auto has = [&](const AxisNumbers& axes) {
      return std::ranges::find(axes, axis) != axes.end();
    };
    return std::ranges::none_of(now_, has) && !has(sides_.reduced);
  }

  /// What a device has whole is cut first, so that less has to be moved.
  void slice(std::size_t dim) {
    const auto axes = rest(wanted()[dim], now_[dim]);
    if (!axes || !std::ranges::all_of(*axes, [&](std::size_t axis) { return is_free(axis); })) {
      return;
    }
    calls_.push_back({Kind::kSlice, *axes, dim});
    now_[dim] = wanted()[dim];
  }

  AxisNumbers changed() const {
    AxisNumbers dims;
    for (std::size_t dim = 0; dim < now_.size(); ++dim) {
      if (now_[dim] != wanted()[dim]) dims.push_back(dim);
    }
    return dims;
  }

  bool all_to_all() {
    const AxisNumbers dims = changed();
    if (dims.size() != 2) return false;
    for (const auto& [joined, cut] : {std::pair(dims[0], dims[1]), std::pair(dims[1], dims[0])}) {
      const auto axes = rest(now_[joined], wanted()[joined]);
      if (!axes || rest(wanted()[cut], now_[cut]) != axes) continue;
      calls_.push_back({Kind::kAllToAll, *axes, joined, cut});
      return true;
    }
    return false;
  }

  bool gather() {
    for (const std::size_t dim : changed()) {
      const auto axes = rest(now_[dim], wanted()[dim]);
      if (!axes) return false;
      calls_.push_back({Kind::kAllGather, *axes, dim});
    }
    return true;
  }

  bool reduce() {
    if (reduce_op_ == "product") return false;
    const AxisNumbers dims = changed();
    if (dims.empty()) {
      calls_.push_back({Kind::kReduce, sides_.reduced});
      return true;
    }
    const bool adds = reduce_op_ == "sum" || reduce_op_ == "avg";
    const auto axes = rest(wanted()[dims[0]], now_[dims[0]]);
    if (dims.size() != 1 || !adds || !axes) return false;
    if (!std::ranges::is_permutation(*axes, sides_.reduced)) return false;
    calls_.push_back({Kind::kReduceScatter, *axes, dims[0]});
    return true;
  }

  const JaxSides& sides_;
  const std::string& reduce_op_;
  std::vector<AxisNumbers> now_;
  std::vector<JaxCall> calls_;
};

}  // namespace

Result<JaxSides> jax_sides(const Plan& plan) {
  Result<JaxSides> sides = sides_on(plan, plan.from().mesh());
  const bool has_other = plan.from().mesh() != plan.to().mesh() && plan.from().partial().empty();
  if (sides || !has_other) return sides;
  Result<JaxSides> on_other = sides_on(plan, plan.to().mesh());
  return on_other ? on_other : sides;
}

std::optional<std::vector<JaxCall>> jax_calls(const JaxSides& sides, const std::string& reduce_op) {
  return Calls(sides, reduce_op).find();
}

}  // namespace heddle::distribute
