#pragma once

// What an encoding takes of the hardware, and the picture of a buffer in shared memory.
//
//   total_elems_per_thread(blocked, {128, 128})     128 registers
//   padded_offset(padded, 6)                        where the element with linear offset 6 lies
//   shared_memory_image(layout)                     row-major ids of the elements, by offset

#include <cstdint>
#include <span>
#include <vector>

#include "heddle/linear/encoding.h"

#pragma GCC visibility push(default)
namespace heddle::linear {

/// Elements that one thread holds, with what it holds twice. Refuses `encoding.parameter` for an
/// encoding that is not in registers, and what to_linear_layout() refuses.
[[nodiscard]] Result<std::int64_t> total_elems_per_thread(const Encoding& encoding,
                                                          std::span<const std::int64_t> shape);
/// Registers that do not merely repeat others: without those that lead nowhere.
[[nodiscard]] Result<std::int64_t> unique_elems_per_thread(const Encoding& encoding,
                                                           std::span<const std::int64_t> shape);
/// Threads of all warps and CTAs.
[[nodiscard]] Result<std::int64_t> total_threads(const Encoding& encoding,
                                                 std::span<const std::int64_t> shape);

/// offset + sum over the paddings of (offset / interval) * padding: where the element with that
/// linear offset is stored. Refuses `encoding.parameter` (a negative offset, no padding or two of
/// one interval), `encoding.sizes`, `overflow`.
[[nodiscard]] Result<std::int64_t> padded_offset(const PaddedSharedEncoding& encoding,
                                                 std::int64_t offset);
/// Elements that a buffer of so many elements takes: there is no padding after the last one.
[[nodiscard]] Result<std::int64_t> padded_size(const PaddedSharedEncoding& encoding,
                                               std::int64_t elements);

/// For each offset the element that is stored there, as its number in the row-major tensor; where
/// a bit of the offset leads nowhere, the element is there again. Of the first CTA. Refuses
/// `encoding.linear` unless the inputs are offset and block, `linear.too_many_bits` for more than
/// 2^24 offsets. Cost: one step an offset.
[[nodiscard]] Result<std::vector<std::int64_t>> shared_memory_image(const LinearLayout& layout);

}  // namespace heddle::linear
#pragma GCC visibility pop
