#include "heddle/axe/sharding.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ostream>
#include <utility>

#include "axe/layout/iters.h"
#include "axe/sharding/sharding_parts.h"
#include "core/text.h"

namespace heddle::axe {
namespace {

std::string placement_text(const Placement& placement) {
  switch (placement.kind) {
    case Placement::Kind::kReplicate:
      return "Replicate()";
    case Placement::Kind::kPartial:
      return fmt::format("Partial({})", placement.reduce_op);
    case Placement::Kind::kShard:
      break;
  }
  if (placement.split_factor == Int(1)) return fmt::format("Shard(dim={})", placement.dim);
  return fmt::format("_StridedShard(dim={}, sf={})", placement.dim,
                     to_string(placement.split_factor));
}

std::string entry_text(std::span<const std::string> names) {
  if (names.empty()) return "None";
  if (names.size() == 1) return fmt::format("'{}'", names[0]);
  return fmt::format("('{}')", fmt::join(names, "', '"));
}

Result<Sharded> sharded(const Mesh& mesh, std::span<const Cut> cuts, std::vector<Int> shape,
                        std::vector<PartialAxis> partial, const LocalStrides& strides) {
  HEDDLE_TRY(const std::vector<Parts> dims, cut_up(mesh, shape, cuts));
  HEDDLE_TRY(Layout layout, layout_of(mesh, dims, strides));
  return Sharded{std::move(layout), mesh, std::move(shape), std::move(partial)};
}

/// Axes named twice, or too many dimensions.
Result<void> check_axes(const Mesh& mesh, std::span<const std::size_t> axes,
                        const std::string& spec) {
  std::vector<bool> seen(mesh.rank(), false);
  for (const std::size_t axis : axes) {
    if (seen[axis]) {
      return refuse("axe.sharding_spec",
                    fmt::format("{} uses axis {} of the mesh twice", spec, mesh.names()[axis]));
    }
    seen[axis] = true;
  }
  return {};
}

Refusal wrong_rank(const std::string& spec, std::size_t dims, std::span<const Int> shape) {
  return refuse("axe.sharding_spec",
                fmt::format("{} is for {}; {} has {}", spec,
                            counted(static_cast<std::int64_t>(dims), "dimension"),
                            tuple_text(shape), shape.size()));
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
  if (!spec.unreduced.empty()) {
    texts.push_back(fmt::format("unreduced={{'{}'}}", fmt::join(spec.unreduced, "', '")));
  }
  return fmt::format("PartitionSpec({}{})", fmt::join(texts, ", "),
                     texts.size() == 1 && spec.unreduced.empty() ? "," : "");
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

std::ostream& operator<<(std::ostream& stream, const Sharded& sharded) {
  return stream << to_string(sharded);
}

Result<Sharded> dtensor(const Mesh& mesh, const Placements& placements, std::vector<Int> shape,
                        const LocalStrides& strides) {
  HEDDLE_TRY(const std::vector<Cut> cuts, cuts_of(mesh, placements, shape));
  std::vector<PartialAxis> partial;
  for (std::size_t axis = 0; axis < placements.size(); ++axis) {
    if (placements[axis].kind != Placement::Kind::kPartial) continue;
    partial.push_back({mesh.names()[axis], placements[axis].reduce_op});
  }
  return sharded(mesh, cuts, std::move(shape), std::move(partial), strides);
}

Result<Sharded> partition_spec(const Mesh& mesh, const PartitionSpec& spec, std::vector<Int> shape,
                               const LocalStrides& strides) {
  if (spec.dims.size() > shape.size()) return wrong_rank(to_string(spec), spec.dims.size(), shape);
  std::vector<Cut> cuts;
  std::vector<std::size_t> axes;
  for (std::size_t dim = 0; dim < spec.dims.size(); ++dim) {
    for (const std::string& name : spec.dims[dim]) {
      HEDDLE_TRY(const std::size_t axis, axis_named(mesh, name));
      cuts.push_back({axis, dim, 1});
      axes.push_back(axis);
    }
  }
  std::vector<PartialAxis> partial;
  for (const std::string& name : spec.unreduced) {
    HEDDLE_TRY(const std::size_t axis, axis_named(mesh, name));
    axes.push_back(axis);
    partial.push_back({name, "sum"});
  }
  HEDDLE_CHECK(check_axes(mesh, axes, to_string(spec)));
  return sharded(mesh, cuts, std::move(shape), std::move(partial), strides);
}

Result<Sharded> alpa(const Mesh& mesh, const AlpaSpec& spec, std::vector<Int> shape,
                     const LocalStrides& strides) {
  if (spec.dims.size() != shape.size()) return wrong_rank(to_string(spec), spec.dims.size(), shape);
  std::vector<Cut> cuts;
  std::vector<std::size_t> axes;
  for (std::size_t dim = 0; dim < spec.dims.size(); ++dim) {
    for (const std::size_t axis : spec.dims[dim]) {
      if (axis >= mesh.rank()) {
        return refuse("axe.sharding_spec", fmt::format("{} uses axis {} of the mesh, which has {}",
                                                       to_string(spec), axis, mesh.rank()));
      }
      cuts.push_back({axis, dim, 1});
      axes.push_back(axis);
    }
  }
  HEDDLE_CHECK(check_axes(mesh, axes, to_string(spec)));
  return sharded(mesh, cuts, std::move(shape), {}, strides);
}

}  // namespace heddle::axe
