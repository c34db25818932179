#pragma once

// A plan as a program that people read and run: C++ for NCCL, and Python for JAX.
//
//   from [Partial()] to [Replicate()] over 4 devices
//
//     to_source(plan, SourceTarget::kNccl, {.element = "float32"})
//       ncclAllReduce(memories.at(kParts0[rank].sent), memories.at(kParts0[rank].received),
//                     32 * kCountOfElement, kType, ncclSum, comm, stream)
//     to_source(plan, SourceTarget::kJax)
//       lax.psum(shard, 'x')
//
// A step becomes the call of the collective that it is where its parts are even; all other steps
// become messages between two devices, and copies that gather and scatter their elements by index
// expressions of the layouts.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "heddle/core/result.h"
#include "heddle/distribute/plan.h"

#pragma GCC visibility push(default)
namespace heddle::distribute {

enum class SourceTarget : std::uint8_t {
  /// A C++ file for CUDA's compiler: a function that every rank calls.
  kNccl,
  /// A Python module: a function for jax.shard_map.
  kJax,
};

/// `nccl`, `jax`.
[[nodiscard]] std::string_view name_of(SourceTarget target);
[[nodiscard]] std::optional<SourceTarget> find_source_target(std::string_view name);

struct SourceOptions {
  /// What the function is called.
  std::string name = "redistribute";
  /// For NCCL the type of the elements as NumPy names it: float16, bfloat16, float32, float64, int8
  /// to int64, uint8 to uint64, bool. Empty: unsigned integers of as many bits. JAX's arrays know
  /// their type.
  std::string element = {};
};

/// The program.
///
/// For NCCL: `ncclResult_t NAME(const T* source, T* destination, T* scratch, ncclComm_t comm,
/// cudaStream_t stream, int rank)`. Rank r is the r-th of plan.devices(). Scratch memory has
/// NAME_scratch(rank) elements. Where a collective is of some ranks only, a parameter `const
/// ncclComm_t* groups` comes after `comm`, which NAME_groups(comm, rank, groups) fills once.
/// Refuses `distribute.element` for a type that NCCL does not have, or not reduce, or of other
/// bits.
///
/// For JAX: `NAME(shard)`, to be called in a shard_map, which NAME_on(devices) is. Refuses
/// `distribute.shards` with what JAX's shards cannot be: uneven, several boxes, on a part of the
/// mesh, or over other axes than those of one mesh.
///
/// Both refuse `print.name`, `distribute.partial` for terms that are reduced by other than sum,
/// avg, product, max and min, what run() refuses, and `distribute.too_large` past 2^16 copies and
/// messages. Cost: linear in these.
[[nodiscard]] Result<std::string> to_source(const Plan& plan, SourceTarget target,
                                            const SourceOptions& options = {});

}  // namespace heddle::distribute
#pragma GCC visibility pop
