#pragma once

// What has to be done with one tensor of a checkpoint.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "files/reshard/sources.h"
#include "heddle/axe/sharding_spec.h"
#include "heddle/core/result.h"
#include "heddle/distribute/run.h"
#include "heddle/files/reshard.h"
#include "heddle/files/tensor_file.h"

namespace heddle::files {

/// The shapes of the parts of a tensor, in the files of the devices of its mesh.
using PartShapes = std::map<std::int64_t, std::vector<std::int64_t>>;

/// A plan, which tensors of one shape, width and sharding have in common.
struct Movement {
  /// A text that is another one for another plan.
  std::string key;
  /// nullptr for tensors without elements.
  std::shared_ptr<const distribute::Plan> plan;
  distribute::Traffic moved;
  distribute::Traffic at_least;
  PartShapes parts;
  /// Whether the parts are larger than what they have of the tensor.
  bool is_padded = false;
};

struct Job {
  /// Its name, its type, and the shape of the whole.
  Tensor tensor;
  std::shared_ptr<const Movement> movement;
  /// Empty if the plan reduces nothing.
  distribute::Arithmetic arithmetic;
};

/// The jobs of all tensors, in the order in which they lie in the new files: the widest elements
/// first, so that each tensor is aligned, and then by name. Refuses `reshard.missing`,
/// `reshard.surplus`, `reshard.type`, `reshard.shape`, `reshard.spec`, `reshard.arithmetic`, and
/// what redistribute() refuses.
[[nodiscard]] Result<std::vector<Job>> jobs_of(const Sources& sources,
                                               const ReshardRequest& request);

/// The part of a tensor that a device has in its new file, without its place.
[[nodiscard]] Result<std::vector<Tensor>> written_tensors(const std::vector<Job>& jobs,
                                                          std::int64_t device);

}  // namespace heddle::files
