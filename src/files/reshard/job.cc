#include "files/reshard/job.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <utility>

#include "core/format.h"
#include "core/printable.h"
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

/// The extents of each device's part in its memory.
Result<PartShapes> part_shapes(const axe::Sharding& sharding) {
  HEDDLE_TRY(const std::vector<axe::Shard> shards, axe::shards_of(sharding));
  PartShapes shapes;
  for (const axe::Shard& shard : shards) shapes.emplace(shard.device, shard.extents);
  return shapes;
}

/// An extent that all axes of the mesh together divide, and all pieces of strided shards.
std::int64_t divisible_extent(const axe::Sharding& sharding, const axe::Mesh& mesh) {
  auto extent = static_cast<std::int64_t>(mesh.devices().size());
  const auto* placements = std::get_if<axe::Placements>(&sharding.spec);
  if (placements == nullptr) return extent;
  for (const axe::Placement& placement : *placements) {
    if (placement.split_factor.is_constant()) extent *= placement.split_factor.value();
  }
  return extent;
}

/// The shape of the whole of which devices have parts of these shapes: the devices that have
/// different parts of a dimension have all of it together. Which ones do, a tensor tells that comes
/// apart evenly.
Result<Shape> whole_shape(axe::Sharding sharding, const PartShapes& parts, std::size_t rank) {
  HEDDLE_TRY(const axe::Mesh mesh, axe::mesh_of(sharding));
  sharding.shape.emplace(rank, divisible_extent(sharding, mesh));
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
      if (!extent.is_constant() || extent.value() < 1) {
        return refuse("reshard.shape", "an extent of the whole is {}, and has to be at least 1",
                      heddle::to_string(extent));
      }
      tensor.shape.push_back(extent.value());
    }
    if (!to.shape) to.shape = from.shape;
    HEDDLE_CHECK(check_parts(name, from, found, wanted));
    HEDDLE_TRY(const auto movement, movement_of(from, to, tensor));
    HEDDLE_CHECK(check_replicas(name, movement->plan->from()));
    Job job{std::move(tensor), movement, {}};
    if (!movement->plan->reduce_op().empty()) {
      HEDDLE_TRY(job.arithmetic,
                 arithmetic_of(job.tensor.safetensors_type, movement->plan->reduce_op()));
    }
    return job;
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
                      "the tensor {} has the shape {} in {}, and {} dimensions in the file before",
                      printable(name), shape_text(shape), printable(sources_.path(*found)), rank);
      }
      rank = shape.size();
      parts.emplace(device, shape);
    }
    if (!parts.empty()) return parts;
    return refuse(diagnose("reshard.missing", "the devices that should have the tensor {} have not",
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
        if (std::ranges::find(shape, 0) == shape.end()) wrong = wrong.value_or(device);
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
            .with_hint("all files together say the shape of the whole, unless the spec does"));
  }

  /// Whether devices that have the same part have the same bytes, as far as checksums tell.
  Result<void> check_replicas(const std::string& name, const distribute::Distribution& from) {
    if (!from.partial().empty()) return {};
    std::map<distribute::Box, const SourceTensor*> first;
    for (const std::int64_t device : devices_) {
      const auto blocks = from.blocks(device);
      const SourceTensor* source = sources_.find(device, name);
      if (blocks.size() != 1 || source == nullptr || source->checksum.empty()) continue;
      const auto [at, is_new] = first.emplace(blocks.front().box, source);
      if (is_new || at->second->checksum == source->checksum) continue;
      return refuse(diagnose("reshard.replica", "the tensor {} is not the same in {} and in {}",
                             printable(name), printable(sources_.path(*at->second)),
                             printable(sources_.path(*source)))
                        .with_note(fmt::format("both have {}, with the checksums {} and {}",
                                               distribute::to_string(blocks.front().box),
                                               at->second->checksum, source->checksum))
                        .with_hint("if they are terms of a sum, the spec should say Partial"));
    }
    return {};
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
    HEDDLE_TRY(const distribute::Distribution source, distribute::Distribution::make(from));
    HEDDLE_TRY(const distribute::Distribution target, distribute::Distribution::make(to));
    HEDDLE_TRY(distribute::Plan plan,
               distribute::redistribute(source, target, tensor.element_bits, {request_.topology}));
    HEDDLE_TRY(PartShapes parts, part_shapes(to));
    Movement movement{.key = key,
                      .plan = std::make_shared<const distribute::Plan>(std::move(plan)),
                      .moved = {},
                      .at_least = {},
                      .parts = std::move(parts),
                      .is_padded = false};
    HEDDLE_TRY(const Shape of_parts, whole_shape(to, movement.parts, tensor.shape.size()));
    movement.is_padded = of_parts != tensor.shape;
    movement.moved = distribute::traffic(*movement.plan);
    HEDDLE_TRY(movement.at_least,
               distribute::lower_bound(source, target, tensor.element_bits, request_.topology));
    known = std::make_shared<const Movement>(std::move(movement));
    return known;
  }

  const Sources& sources_;
  const ReshardRequest& request_;
  std::vector<std::int64_t> devices_;
  std::map<std::string, std::shared_ptr<const Movement>> movements_;
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
