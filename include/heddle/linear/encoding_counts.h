#pragma once

// The hardware resources that an encoding uses, and the contents of a buffer in shared memory.
//
//   total_elems_per_thread(blocked, {128, 128})     128 registers
//   padded_offset(padded, 6)                        where the element with linear offset 6 is
//   shared_memory_image(layout)                     row-major ids of the elements, by offset

#include <cstdint>
#include <span>
#include <vector>

#include "heddle/linear/encoding.h"

#pragma GCC visibility push(default)
namespace heddle::linear {

/// The number of elements that one thread holds, repeated ones included. Refuses
/// `encoding.parameter` for an encoding that is not in registers, and what to_linear_layout()
/// refuses.
[[nodiscard]] Result<std::int64_t> total_elems_per_thread(const Encoding& encoding,
                                                          std::span<const std::int64_t> shape);
/// The number of registers that do not merely repeat others: those with basis 0 do not count.
[[nodiscard]] Result<std::int64_t> unique_elems_per_thread(const Encoding& encoding,
                                                           std::span<const std::int64_t> shape);
/// The number of threads of all warps and CTAs.
[[nodiscard]] Result<std::int64_t> total_threads(const Encoding& encoding,
                                                 std::span<const std::int64_t> shape);

/// offset + sum over the paddings of (offset / interval) * padding: where the element with that
/// linear offset is stored. Refuses `encoding.parameter` (a negative offset, no padding or two with
/// the same interval), `encoding.sizes`, `overflow`.
[[nodiscard]] Result<std::int64_t> padded_offset(const PaddedSharedEncoding& encoding,
                                                 std::int64_t offset);
/// The size of a buffer of this many elements with its padding; there is none after the last
/// one.
[[nodiscard]] Result<std::int64_t> padded_size(const PaddedSharedEncoding& encoding,
                                               std::int64_t elements);

/// For each offset of the first CTA, the element that is stored there, as its number in the
/// row-major tensor; offsets that differ in a bit with image 0 hold the same element. Refuses
/// `encoding.linear` unless the inputs are offset and block, `linear.too_many_bits` for more than
/// 2^24 offsets. Cost: one step per offset.
[[nodiscard]] Result<std::vector<std::int64_t>> shared_memory_image(const LinearLayout& layout);

}  // namespace heddle::linear
#pragma GCC visibility pop
