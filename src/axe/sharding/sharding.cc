#include "heddle/axe/sharding.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "axe/layout/iters.h"
#include "axe/sharding/sharding_parts.h"
#include "core/python_text.h"
#include "core/text.h"
#include "heddle/axe/group.h"

namespace heddle::axe {
namespace {

std::string placement_text(const Placement& placement) {
  switch (placement.kind) {
    case Placement::Kind::kReplicate:
      return "Replicate()";
    case Placement::Kind::kPartial:
      return placement.reduce_op.starts_with('_') ? placement.reduce_op
                                                  : fmt::format("Partial({})", placement.reduce_op);
    case Placement::Kind::kShard:
      break;
  }
  if (placement.split_factor == Int(1)) return fmt::format("Shard(dim={})", placement.dim);
  return fmt::format("_StridedShard(dim={}, sf={})", placement.dim, placement.split_factor);
}

std::string entry_text(std::span<const std::string> names) {
  if (names.empty()) return "None";
  if (names.size() == 1) return python_repr(names[0]);
  return fmt::format("({})", python_reprs(names));
}

Result<Sharded> sharded(const Mesh& mesh, std::span<const Cut> cuts, std::vector<Int> shape,
                        std::vector<PartialAxis> partial, const LocalStrides& strides) {
  HEDDLE_TRY(const std::vector<Parts> dims, cut_up(mesh, shape, cuts));
  HEDDLE_TRY(Layout layout, layout_of(mesh, dims, strides));
  return Sharded{std::move(layout), mesh, std::move(shape), std::move(partial)};
}

/// Refuses axes named twice, or too many dimensions.
Result<void> check_axes(const Mesh& mesh, std::span<const std::size_t> axes,
                        const std::string& spec) {
  std::vector<bool> seen(mesh.rank(), false);
  for (const std::size_t axis : axes) {
    if (seen[axis]) {
      return refuse("axe.sharding_spec", "{} uses axis {} of the mesh twice", spec,
                    mesh.names()[axis]);
    }
    seen[axis] = true;
  }
  return {};
}

Refusal wrong_rank(const std::string& spec, std::size_t dims, std::span<const Int> shape) {
  return refuse("axe.sharding_spec", "{} is for {}; {} has {}", spec,
                counted(static_cast<std::int64_t>(dims), "dimension"), tuple_text(shape),
                shape.size());
}

// ---- How dimensions are cut up (sharding_parts.h) ----

/// Cuts one dimension.
class Knife {
 public:
  Knife(const Mesh& mesh, std::span<const Int> shape, const Cut& cut)
      : mesh_(mesh), shape_(shape), cut_(cut), shards_(mesh.extents()[cut.axis]) {}

  Result<void> apply(Parts& parts) const {
    const Int wanted = cut_.split_factor * shards_;
    HEDDLE_CHECK(check_defined(wanted, [&] { return "the number of pieces of " + call(); }));
    HEDDLE_TRY(const std::size_t begin, boundary(parts, cut_.split_factor));
    HEDDLE_TRY(const std::size_t end, boundary(parts, wanted));
    for (std::size_t i = begin; i < end; ++i) {
      if (!parts[i].axis) parts[i].axis = cut_.axis;
    }
    return {};
  }

 private:
  /// The index before which the whole parts have a product of this many pieces; a part is split if
  /// needed.
  Result<std::size_t> boundary(Parts& parts, const Int& pieces) const {
    Int rest = pieces;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (rest == Int(1)) return i;
      if (parts[i].axis) continue;
      const Int extent = parts[i].extent;
      if (known_divides(extent, rest)) {
        rest = floor_div(rest, extent);
        continue;
      }
      if (known_false({rest, Predicate::kDivides, extent})) return uneven(parts);
      HEDDLE_TRY(const bool divides,
                 decide_needed({rest, Predicate::kDivides, extent}, [&] { return call(); }));
      if (!divides) return uneven(parts);
      parts[i].extent = rest;
      parts.insert(parts.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                   {floor_div(extent, rest), std::nullopt});
      return i + 1;
    }
    if (rest == Int(1)) return parts.size();
    return uneven(parts);
  }

  [[nodiscard]] std::string call() const {
    return fmt::format("a shard of dimension {} of {} over axis {}", cut_.dim, tuple_text(shape_),
                       mesh_.names()[cut_.axis]);
  }

  [[nodiscard]] Refusal uneven(const Parts& parts) const {
    const Int size = whole_size(parts);
    const Int wanted = cut_.split_factor * shards_;
    Diagnostic diagnostic = diagnose(
        "axe.uneven_shard", "dimension {} of {} does not divide evenly over axis {} of {}",
        cut_.dim, tuple_text(shape_), mesh_.names()[cut_.axis], counted(shards_.value(), "device"));
    diagnostic = std::move(diagnostic).with_note(numbers(parts, size, wanted));
    if (!size.is_constant() || !wanted.is_constant() || known_divides(wanted, size)) {
      return refuse(std::move(diagnostic));
    }
    const bool plain = cut_.split_factor == Int(1);
    if (plain) diagnostic = std::move(diagnostic).with_note(chunks(size.value()));
    if (parts.size() > 1 || !plain) return refuse(std::move(diagnostic));
    return refuse(
        std::move(diagnostic)
            .with_hint(fmt::format("pad the dimension to {}", ceil_div(size, wanted) * wanted)));
  }

  [[nodiscard]] std::string numbers(const Parts& parts, const Int& size, const Int& wanted) const {
    const std::string have = parts.size() > 1
                                 ? fmt::format("axes before it leave {} of {} to a device", size,
                                               counted(shape_[cut_.dim], "element"))
                                 : fmt::format("it has {}", elements(size));
    const std::string pieces =
        cut_.split_factor == Int(1)
            ? counted(to_string(shards_), "shard")
            : fmt::format("{} of {}", counted(to_string(cut_.split_factor), "piece"),
                          counted(to_string(shards_), "shard"));
    if (known_divides(wanted, size)) {
      return fmt::format("{}, in pieces that {} would cut across", have, pieces);
    }
    if (!size.is_constant() || !wanted.is_constant()) {
      return fmt::format("{}, and {} are needed", have, pieces);
    }
    return fmt::format("{}, and {} are needed: {} = {}*{} + {}", have, pieces, size, wanted,
                       floor_div(size, wanted), mod(size, wanted));
  }

  [[nodiscard]] static std::string elements(const Int& size) {
    return size.is_constant() ? counted(size.value(), "element") : to_string(size) + " elements";
  }

  /// The sizes that torch.chunk gives.
  [[nodiscard]] std::string chunks(std::int64_t size) const {
    const std::int64_t shards = shards_.value();
    const std::int64_t full = (size + shards - 1) / shards;
    const std::int64_t left = size % full;
    const std::int64_t empty = shards - size / full - (left > 0 ? 1 : 0);
    std::string text = fmt::format("PyTorch would give {} to {}", counted(full, "element"),
                                   counted(size / full, "device"));
    if (left > 0) text += fmt::format(", {} to the next", left);
    if (empty > 0) text += fmt::format(", nothing to {}", empty);
    return text + "; JAX refuses it";
  }

  const Mesh& mesh_;
  std::span<const Int> shape_;
  const Cut& cut_;
  Int shards_;
};

/// For each axis of the mesh, the iters of each part that runs over it.
Result<std::vector<std::vector<std::vector<Iter>>>> steps_of_axes(const Mesh& mesh,
                                                                  const Grouping& devices,
                                                                  std::span<const Parts> dims) {
  std::vector<std::vector<std::vector<Iter>>> steps(mesh.rank());
  for (std::size_t axis = 0; axis < mesh.rank(); ++axis) {
    std::vector<Int> extents;
    for (const Parts& parts : dims) {
      for (const Part& part : parts) {
        if (part.axis == axis) extents.push_back(part.extent);
      }
    }
    if (extents.empty()) continue;
    const std::span<const Iter> block = devices.block(axis);
    HEDDLE_TRY(const Layout alone, Layout::make({block.begin(), block.end()}));
    const Result<Grouping> pieces = group(alone, extents);
    if (!pieces) {
      return refuse(diagnose("axe.mesh_layout",
                             "axis {} of the mesh is cut into {}, and its devices do not run in "
                             "strides over these",
                             mesh.names()[axis], tuple_text(extents))
                        .with_note(fmt::format("the axis is {}", alone)));
    }
    for (std::size_t j = 0; j < extents.size(); ++j) {
      steps[axis].emplace_back(pieces->block(j).begin(), pieces->block(j).end());
    }
  }
  return steps;
}

/// The stride of each dimension on a device.
Result<std::vector<Int>> strides_of(std::span<const Parts> dims, const LocalStrides& strides) {
  if (!strides) {
    std::vector<Int> sizes;
    for (const Parts& parts : dims) sizes.push_back(whole_size(parts));
    return compact_strides(sizes);
  }
  if (strides->size() == dims.size()) return *strides;
  return refuse("axe.sharding_spec", "a tensor of {} has strides {}: one per dimension is needed",
                counted(static_cast<std::int64_t>(dims.size()), "dimension"), tuple_text(*strides));
}

}  // namespace

std::string to_string(const Placements& placements) {
  std::vector<std::string> texts;
  for (const Placement& placement : placements) texts.push_back(placement_text(placement));
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

std::string to_string(const PartitionSpec& spec) {
  std::vector<std::string> texts;
  for (const auto& names : spec.dims) texts.push_back(entry_text(names));
  for (const std::size_t dim : spec.unconstrained) texts[dim] = "UNCONSTRAINED";
  const bool is_single = texts.size() == 1;
  for (const auto& [key, names] :
       {std::pair{"unreduced", &spec.unreduced}, std::pair{"reduced", &spec.reduced}}) {
    if (!names->empty()) texts.push_back(fmt::format("{}={{{}}}", key, python_reprs(*names)));
  }
  return fmt::format("PartitionSpec({}{})", fmt::join(texts, ", "),
                     is_single && texts.size() == 1 ? "," : "");
}

std::string to_string(const AlpaSpec& spec) {
  std::string text;
  for (const auto& axes : spec.dims) {
    text += axes.empty() ? "R" : fmt::format("S{}", fmt::join(axes, ""));
  }
  return text;
}

std::string to_string(const Sharded& sharded) {
  std::string text = to_string(sharded.layout);
  for (std::size_t i = 0; i < sharded.partial.size(); ++i) {
    text += fmt::format("{}partial {} over {}", i == 0 ? "  " : ", ", sharded.partial[i].reduce_op,
                        sharded.partial[i].axis);
  }
  return text;
}

Result<Sharded> dtensor(const Mesh& mesh, const Placements& placements, std::vector<Int> shape,
                        const LocalStrides& strides) {
  HEDDLE_TRY(Division division, division_of(mesh, placements, shape));
  return sharded(mesh, division.cuts, std::move(shape), std::move(division.partial), strides);
}

Result<Sharded> partition_spec(const Mesh& mesh, const PartitionSpec& spec, std::vector<Int> shape,
                               const LocalStrides& strides) {
  HEDDLE_TRY(Division division, division_of(mesh, spec, shape));
  return sharded(mesh, division.cuts, std::move(shape), std::move(division.partial), strides);
}

Result<Sharded> alpa(const Mesh& mesh, const AlpaSpec& spec, std::vector<Int> shape,
                     const LocalStrides& strides) {
  if (spec.dims.size() != shape.size()) return wrong_rank(to_string(spec), spec.dims.size(), shape);
  std::vector<Cut> cuts;
  std::vector<std::size_t> axes;
  for (std::size_t dim = 0; dim < spec.dims.size(); ++dim) {
    for (const std::size_t axis : spec.dims[dim]) {
      if (axis >= mesh.rank()) {
        return refuse("axe.sharding_spec", "{} uses axis {} of the mesh, which has {}",
                      to_string(spec), axis, mesh.rank());
      }
      cuts.push_back({axis, dim, 1});
      axes.push_back(axis);
    }
  }
  HEDDLE_CHECK(check_axes(mesh, axes, to_string(spec)));
  return sharded(mesh, cuts, std::move(shape), {}, strides);
}

Int whole_size(const Parts& parts) {
  Int size = 1;
  for (const Part& part : parts) {
    if (!part.axis) size *= part.extent;
  }
  return size;
}

Result<std::vector<Parts>> cut_up(const Mesh& mesh, std::span<const Int> shape,
                                  std::span<const Cut> cuts) {
  HEDDLE_CHECK(check_extents(shape));
  std::vector<Parts> dims;
  for (const Int& extent : shape) dims.push_back({{extent, std::nullopt}});
  for (const Cut& cut : cuts) HEDDLE_CHECK(Knife(mesh, shape, cut).apply(dims[cut.dim]));
  return dims;
}

Result<Layout> layout_of(const Mesh& mesh, std::span<const Parts> dims,
                         const LocalStrides& strides) {
  HEDDLE_TRY(const Grouping devices, layout(mesh));
  HEDDLE_TRY(auto steps, steps_of_axes(mesh, devices, dims));
  HEDDLE_TRY(const std::vector<Int> local, strides_of(dims, strides));
  std::vector<std::size_t> used(mesh.rank(), 0);
  std::vector<Iter> shard;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    Int step = local[i] * whole_size(dims[i]);
    for (const Part& part : dims[i]) {
      if (part.axis) {
        const std::vector<Iter>& iters = steps[*part.axis][used[*part.axis]++];
        shard.insert(shard.end(), iters.begin(), iters.end());
        continue;
      }
      step = floor_div(step, part.extent);
      shard.push_back({part.extent, step, Axis::memory()});
    }
  }
  std::vector<Iter> replica;
  for (std::size_t axis = 0; axis < mesh.rank(); ++axis) {
    if (used[axis] > 0 || mesh.extents()[axis] == 1) continue;
    const std::span<const Iter> block = devices.block(axis);
    replica.insert(replica.end(), block.begin(), block.end());
  }
  return Layout::make(std::move(shard), std::move(replica), devices.layout.offset());
}

Result<std::vector<Cut>> cuts_of(const Mesh& mesh, const Placements& placements,
                                 std::span<const Int> shape) {
  if (placements.size() != mesh.rank()) {
    return refuse("axe.sharding_spec", "{} has {}; the mesh has {}", to_string(placements),
                  counted(static_cast<std::int64_t>(placements.size()), "placement"),
                  mesh.rank() == 1 ? "1 axis" : fmt::format("{}", counted(mesh.rank(), "axis")));
  }
  const auto rank = static_cast<std::int64_t>(shape.size());
  std::vector<Cut> cuts;
  for (std::size_t axis = 0; axis < placements.size(); ++axis) {
    const Placement& placement = placements[axis];
    if (placement.kind != Placement::Kind::kShard) continue;
    if (placement.dim < -rank || placement.dim >= rank) {
      return refuse("axe.sharding_spec", "{} shards dimension {}; {} has {}", to_string(placements),
                    placement.dim, tuple_text(shape), counted(rank, "dimension"));
    }
    if (!known_at_most(1, placement.split_factor)) {
      return refuse("axe.sharding_spec",
                    "{} has the split factor {}, which is not known to be at least 1",
                    to_string(placements), placement.split_factor);
    }
    const std::int64_t dim = placement.dim < 0 ? placement.dim + rank : placement.dim;
    cuts.push_back({axis, static_cast<std::size_t>(dim), placement.split_factor});
  }
  return cuts;
}

Result<Division> division_of(const Mesh& mesh, const Placements& placements,
                             std::span<const Int> shape) {
  Division division{mesh, {}, {}};
  HEDDLE_TRY(division.cuts, cuts_of(mesh, placements, shape));
  for (std::size_t axis = 0; axis < placements.size(); ++axis) {
    if (placements[axis].kind != Placement::Kind::kPartial) continue;
    division.partial.push_back({mesh.names()[axis], placements[axis].reduce_op});
  }
  return division;
}

Result<Division> division_of(const Mesh& mesh, const PartitionSpec& spec,
                             std::span<const Int> shape) {
  if (spec.dims.size() > shape.size()) return wrong_rank(to_string(spec), spec.dims.size(), shape);
  if (!spec.unconstrained.empty()) {
    return refuse(diagnose("axe.sharding_spec",
                           "UNCONSTRAINED leaves the placement to the compiler; there is no "
                           "layout of it")
                      .with_hint("give the names of axes, or None"));
  }
  Division division{mesh, {}, {}};
  std::vector<std::size_t> axes;
  for (std::size_t dim = 0; dim < spec.dims.size(); ++dim) {
    for (const std::string& name : spec.dims[dim]) {
      HEDDLE_TRY(const std::size_t axis, axis_named(mesh, name));
      division.cuts.push_back({axis, dim, 1});
      axes.push_back(axis);
    }
  }
  for (const std::string& name : spec.unreduced) {
    HEDDLE_TRY(const std::size_t axis, axis_named(mesh, name));
    axes.push_back(axis);
    division.partial.push_back({name, "sum"});
  }
  for (const std::string& name : spec.reduced) {
    HEDDLE_TRY(const std::size_t axis, axis_named(mesh, name));
    axes.push_back(axis);
  }
  HEDDLE_CHECK(check_axes(mesh, axes, to_string(spec)));
  return division;
}

Result<std::size_t> axis_named(const Mesh& mesh, const std::string& name) {
  if (const auto axis = mesh.axis(name)) return *axis;
  return refuse(diagnose("axe.sharding_spec", "the mesh has no axis {}", name)
                    .with_note(fmt::format("its axes are ({})", fmt::join(mesh.names(), ", "))));
}

}  // namespace heddle::axe
