#pragma once

// The plans of what devices do together: whole tensors as distributions of the room distribute.

#include <cstddef>
#include <string>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/distribute/plan.h"
#include "heddle/kernel/program.h"
#include "kernel/parts/part.h"

namespace heddle::kernel {

/// Which dimensions of a tensor an exchange sees, and how they are reduced.
struct ExchangedDimensions {
  /// Those of the tensor in the order of the view.
  std::vector<std::size_t> order;
  /// The reduced ones, ascending; and `sum`, `product`, `max` or `min`, empty for a copy.
  std::vector<std::size_t> reduced;
  std::string reduce_op;

  [[nodiscard]] bool is_reduced(std::size_t dimension) const;
};
/// Of the source of a copy or a reduction that passes check().
[[nodiscard]] ExchangedDimensions dimensions_of(const Call& call, std::size_t rank);

/// Whether each device has one index of every reduced dimension.
[[nodiscard]] bool is_cut_to_terms(const Part& part, const ExchangedDimensions& dimensions);

/// The part without the reduced dimensions, in the order of the view, row-major: where a device
/// puts what it has reduced of its own.
[[nodiscard]] Tensor reduced_part(const Part& part, const ExchangedDimensions& dimensions,
                                  std::string name);
/// The kernel by which a device reduces its part of the dimensions.
[[nodiscard]] Kernel reducing_kernel(const Part& part, const Tensor& into, const Call& call,
                                     const ExchangedDimensions& dimensions, std::string name);

/// The tensor without the reduced dimensions, of which each device has a term; with `is_dense`, as
/// reduced_part() has it in memory. Refuses what Distribution::make() refuses.
[[nodiscard]] Result<distribute::Distribution> distribution_of(
    const Part& part, const ExchangedDimensions& dimensions, bool is_dense = false);

}  // namespace heddle::kernel
