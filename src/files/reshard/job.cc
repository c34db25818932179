#include "files/reshard/job.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <utility>

#include "core/format.h"
#include "core/printable.h"
#include "core/text.h"
#include "files/formats.h"
#include "files/reshard/arithmetic.h"
#include "heddle/core/exact.h"
#include "heddle/distribute/distribution.h"

namespace heddle::files {
namespace {

using Shape = std::vector<std::int64_t>;

std::string shape_text(const Shape& shape) { return fmt::format("({})", fmt::join(shape, ",")); }

Diagnostic of_tensor(Diagnostic why, std::string_view name) {
  return std::move(why).with_note(fmt::format("of the tensor {}", printable(name)));
}

/// An extent that all axes of the mesh together divide, and all pieces of strided shards. So many
/// pieces have a dimension at most; refuses `reshard.spec` for more than can be listed.
Result<std::int64_t> divisible_extent(const axe::Sharding& sharding) {
  HEDDLE_TRY(const axe::Mesh mesh, axe::mesh_of(sharding));
  const auto devices = static_cast<std::int64_t>(mesh.devices().size());
  const auto* placements = std::get_if<axe::Placements>(&sharding.spec);
  if (placements == nullptr) return devices;
  constexpr auto kMostPieces = static_cast<std::int64_t>(distribute::Distribution::kMaxBlocks);
  std::int64_t extent = devices;
  for (const axe::Placement& placement : *placements) {
    if (!placement.split_factor.is_constant() || placement.split_factor.value() == 1) continue;
    const std::int64_t factor = placement.split_factor.value();
    if (factor < 1 || factor > kMostPieces / extent) {
      return refuse(diagnose("reshard.spec", "{} cuts a dimension into more than {} pieces",
                             axe::to_string(sharding), kMostPieces)
                        .with_hint("a split factor is how many parts later axes of the mesh cut"));
    }
    extent *= factor;
  }
  return extent;
}

bool has_elements(const Shape& shape) { return std::ranges::find(shape, 0) == shape.end(); }

/// The extents of each device's part in its memory. A tensor without elements in a dimension is cut
/// along the others as if it had some.
Result<PartShapes> part_shapes(axe::Sharding sharding) {
  HEDDLE_TRY(const std::int64_t stand_in, divisible_extent(sharding));
  std::vector<std::size_t> empty;
  for (std::size_t dim = 0; dim < sharding.shape->size(); ++dim) {
    Int& extent = (*sharding.shape)[dim];
    if (extent != Int(0)) continue;
    extent = stand_in;
    empty.push_back(dim);
  }
  HEDDLE_TRY(const std::vector<axe::Shard> shards, axe::shards_of(sharding));
  PartShapes shapes;
  for (const axe::Shard& shard : shards) {
    Shape& shape = shapes.emplace(shard.device, shard.extents).first->second;
    for (const std::size_t dim : empty) shape[dim] = 0;
  }
  return shapes;
}

/// The shape of the whole of which devices have parts of these shapes: the devices that have
/// different parts of a dimension have all of it together. Which ones do, a tensor tells that comes
/// apart evenly.
Result<Shape> whole_shape(axe::Sharding sharding, const PartShapes& parts, std::size_t rank) {
  HEDDLE_TRY(const std::int64_t extent, divisible_extent(sharding));
  sharding.shape.emplace(rank, extent);
  HEDDLE_TRY(const std::vector<axe::Shard> shards, axe::shards_of(sharding));
  using Intervals = std::set<std::pair<std::int64_t, std::int64_t>>;
  Shape whole(rank);
  for (std::size_t dim = 0; dim < rank; ++dim) {
    std::map<std::int64_t, Intervals> by_device;
    for (const axe::Shard& shard : shards) by_device[shard.device].insert(shard.box[dim]);
    std::set<Intervals> seen;
    for (const auto& [device, intervals] : by_device) {
      const auto part = parts.find(device);
      if (part == parts.end() || !seen.insert(intervals).second) continue;
      const exact::Value sum = exact::add(whole[dim], part->second[dim]);
      if (!sum)
        return refuse("reshard.shape", "the whole has more than 2^63 elements in a dimension");
      whole[dim] = *sum;
    }
  }
  return whole;
}

/// Makes the jobs of tensors from what the files say.
class JobMaker {
 public:
  JobMaker(const Sources& sources, const ReshardRequest& request)
      : sources_(sources), request_(request), devices_(request.from.devices()) {}

  Result<Job> make(const std::string& name) {
    HEDDLE_TRY(axe::Sharding from, request_.from.find(name));
    HEDDLE_TRY(axe::Sharding to, request_.to.find(name));
    HEDDLE_TRY(const axe::Mesh mesh, axe::mesh_of(from));
    const std::set<std::int64_t> wanted(mesh.devices().begin(), mesh.devices().end());
    HEDDLE_TRY(const PartShapes found, found_parts(name, wanted));
    HEDDLE_TRY(Tensor tensor, common_type(name, wanted));
    if (!from.shape) {
      HEDDLE_TRY(const Shape shape, stated_or_whole_shape(from, found, name));
      from.shape.emplace(shape.begin(), shape.end());
    }
    tensor.shape.clear();
    for (const Int& extent : *from.shape) {
      if (!extent.is_constant() || extent.value() < 0) {
        return refuse("reshard.shape", "an extent of the whole is {}, and has to be a number",
                      heddle::to_string(extent));
      }
      tensor.shape.push_back(extent.value());
    }
    if (!to.shape) to.shape = from.shape;
    HEDDLE_CHECK(check_parts(name, from, found, wanted));
    HEDDLE_TRY(const auto movement, movement_of(from, to, tensor));
    Job job{std::move(tensor), movement, {}};
    if (!movement->plan) return job;
    if (!movement->plan->reduce_op().empty()) {
      HEDDLE_TRY(job.arithmetic,
                 arithmetic_of(job.tensor.safetensors_type, movement->plan->reduce_op()));
    }
    return job;
  }

  /// Refuses a bandwidth of an axis that no mesh has.
  [[nodiscard]] Result<void> check_axes() const {
    for (const auto& [axis, bytes] : request_.topology.bandwidth) {
      if (request_.topology.mesh || axes_.contains(axis)) continue;
      return refuse(
          diagnose("distribute.topology", "no tensor has a mesh with the axis {}", printable(axis))
              .with_hint("the axes of both meshes are known, or those of a mesh that is "
                         "given with the bandwidths"));
    }
    return {};
  }

 private:
  /// The shape that the first file says of the whole, or else that of all parts.
  Result<Shape> stated_or_whole_shape(const axe::Sharding& from, const PartShapes& found,
                                      const std::string& name) {
    const auto& [device, part] = *found.begin();
    if (const auto& stated = sources_.find(device, name)->whole) return *stated;
    return whole_shape(from, found, part.size());
  }

  /// The shapes in the files of the devices that should have a part.
  Result<PartShapes> found_parts(const std::string& name, const std::set<std::int64_t>& wanted) {
    PartShapes parts;
    std::size_t rank = 0;
    for (const std::int64_t device : devices_) {
      const SourceTensor* found = sources_.find(device, name);
      if (found == nullptr) continue;
      if (!wanted.contains(device)) {
        return refuse("reshard.surplus", "{} has the tensor {}, which is not on its device, {}",
                      printable(sources_.path(*found)), printable(name), device);
      }
      const Shape& shape = found->tensor.shape;
      if (!parts.empty() && shape.size() != rank) {
        return refuse("reshard.shape",
                      "the tensor {} has the shape {} in {}, and {} in the file before",
                      printable(name), shape_text(shape), printable(sources_.path(*found)),
                      counted(rank, "dimension"));
      }
      rank = shape.size();
      parts.emplace(device, shape);
    }
    if (!parts.empty()) return parts;
    return refuse(diagnose("reshard.missing",
                           "the devices that should have the tensor {} do not have it",
                           printable(name)));
  }

  /// The tensor as the first device has it.
  Result<Tensor> common_type(const std::string& name, const std::set<std::int64_t>& wanted) {
    const SourceTensor* first = nullptr;
    for (const std::int64_t device : wanted) {
      const SourceTensor* found = sources_.find(device, name);
      if (found == nullptr) continue;
      if (first == nullptr) first = found;
      if (found->tensor.safetensors_type == first->tensor.safetensors_type) continue;
      return refuse("reshard.type", "the tensor {} is of the type {} in {}, and {} in {}",
                    printable(name), first->tensor.safetensors_type,
                    printable(sources_.path(*first)), found->tensor.safetensors_type,
                    printable(sources_.path(*found)));
    }
    return first->tensor;
  }

  /// Whether each device has the part that the sharding says. An empty part may be left out.
  Result<void> check_parts(const std::string& name, const axe::Sharding& from,
                           const PartShapes& found, const std::set<std::int64_t>& wanted) {
    HEDDLE_TRY(const PartShapes expected, part_shapes(from));
    std::optional<std::int64_t> without;
    std::optional<std::int64_t> wrong;
    for (const std::int64_t device : wanted) {
      const Shape& shape = expected.at(device);
      const auto has = found.find(device);
      if (has == found.end()) {
        without = without.value_or(device);
        if (has_elements(shape)) wrong = wrong.value_or(device);
      } else if (has->second != shape) {
        wrong = wrong.value_or(device);
      }
    }
    if (!wrong) return {};
    // What is missing also makes the shape wrong that all parts together have.
    if (without) {
      return refuse("reshard.missing", "{} has no tensor {}, and {} puts it on device {}",
                    printable(sources_.path_of(*without)), printable(name), axe::to_string(from),
                    *without);
    }
    const SourceTensor& source = *sources_.find(*wrong, name);
    return refuse(
        diagnose("reshard.shape", "the tensor {} has the shape {} in {}; {} was expected",
                 printable(name), shape_text(source.tensor.shape), printable(sources_.path(source)),
                 shape_text(expected.at(*wrong)))
            .with_note(fmt::format("{} gives device {} this part", axe::to_string(from), *wrong))
            .with_hint(
                "the shape of the whole comes from all files together, unless the spec gives it"));
  }

  Result<std::shared_ptr<const Movement>> movement_of(const axe::Sharding& from,
                                                      const axe::Sharding& to,
                                                      const Tensor& tensor) {
    std::string key = fmt::format("{} {}", tensor.element_bits, shape_text(tensor.shape));
    for (const axe::Sharding* side : {&from, &to}) {
      key += "\n" + axe::to_string(*side);
      if (side->mesh) key += "\n" + axe::to_string(*side->mesh);
    }
    std::shared_ptr<const Movement>& known = movements_[key];
    if (known) return known;
    Movement movement;
    movement.key = key;
    HEDDLE_TRY(movement.parts, part_shapes(to));
    HEDDLE_TRY(const Shape of_parts, whole_shape(to, movement.parts, tensor.shape.size()));
    movement.is_padded = of_parts != tensor.shape;
    HEDDLE_TRY(const distribute::Topology topology, topology_of(from, to));
    if (has_elements(tensor.shape)) {
      HEDDLE_CHECK(plan(movement, from, to, tensor.element_bits, topology));
    } else if (to.shape != from.shape) {
      return refuse("reshard.shape", "{} states another shape than {}, which the tensor has",
                    axe::to_string(to), shape_text(tensor.shape));
    }
    known = std::make_shared<const Movement>(std::move(movement));
    return known;
  }

  Result<void> plan(Movement& movement, const axe::Sharding& from, const axe::Sharding& to,
                    std::int64_t element_bits, const distribute::Topology& topology) {
    HEDDLE_TRY(const distribute::Distribution source, distribute::Distribution::make(from));
    HEDDLE_TRY(const distribute::Distribution target, distribute::Distribution::make(to));
    HEDDLE_TRY(distribute::Plan plan,
               distribute::redistribute(source, target, element_bits, {topology}));
    movement.plan = std::make_shared<const distribute::Plan>(std::move(plan));
    movement.moved = distribute::traffic(*movement.plan);
    HEDDLE_TRY(movement.at_least, distribute::lower_bound(source, target, element_bits, topology));
    return {};
  }

  /// The links that are known between the devices of a tensor: along the axes of the mesh that the
  /// request names, or else of that mesh of the two which has the devices of both, and more axes.
  Result<distribute::Topology> topology_of(const axe::Sharding& from, const axe::Sharding& to) {
    distribute::Topology topology = request_.topology;
    if (topology.mesh || topology.bandwidth.empty()) return topology;
    HEDDLE_TRY(const axe::Mesh old_mesh, axe::mesh_of(from));
    HEDDLE_TRY(const axe::Mesh new_mesh, axe::mesh_of(to));
    const auto worth = [&](const axe::Mesh& mesh, const axe::Mesh& other) {
      const auto known = std::ranges::count_if(topology.bandwidth, [&](const auto& entry) {
        return mesh.axis(entry.first).has_value();
      });
      const bool has_all = std::ranges::all_of(other.devices(), [&](std::int64_t device) {
        return mesh.coordinate(device).has_value();
      });
      return std::pair(known > 0 && has_all, known);
    };
    const bool is_old = worth(old_mesh, new_mesh) > worth(new_mesh, old_mesh);
    topology.mesh = is_old ? old_mesh : new_mesh;
    std::erase_if(topology.bandwidth,
                  [&](const auto& entry) { return !topology.mesh->axis(entry.first); });
    for (const auto& [axis, bytes] : topology.bandwidth) axes_.insert(axis);
    return topology;
  }

  const Sources& sources_;
  const ReshardRequest& request_;
  std::vector<std::int64_t> devices_;
  std::map<std::string, std::shared_ptr<const Movement>> movements_;
  /// Along which links with a known bandwidth join devices.
  std::set<std::string> axes_;
};

}  // namespace

Result<std::vector<Job>> jobs_of(const Sources& sources, const ReshardRequest& request) {
  JobMaker maker(sources, request);
  std::vector<Job> jobs;
  for (const std::string& name : sources.names()) {
    auto job = maker.make(name);
    if (!job) return refuse(of_tensor(std::move(job).error(), name));
    jobs.push_back(*std::move(job));
  }
  HEDDLE_CHECK(maker.check_axes());
  if (jobs.empty()) return refuse(Diagnostic("reshard.missing", "the files have no tensors"));
  std::ranges::stable_sort(jobs, std::greater(),
                           [](const Job& job) { return job.tensor.element_bits; });
  return jobs;
}

Result<std::vector<Tensor>> written_tensors(const std::vector<Job>& jobs, std::int64_t device) {
  std::vector<Tensor> tensors;
  for (const Job& job : jobs) {
    const auto part = job.movement->parts.find(device);
    if (part == job.movement->parts.end()) continue;
    Tensor& tensor = tensors.emplace_back(job.tensor);
    tensor.shape = part->second;
    const auto bytes = bytes_of(tensor);
    if (!bytes) {
      return refuse("reshard.shape", "the part {} of the tensor {} has more than 2^62 bits",
                    shape_text(part->second), printable(tensor.name));
    }
    tensor.bytes = static_cast<std::size_t>(*bytes);
    tensor.begin = 0;
  }
  return tensors;
}

}  // namespace heddle::files
