#pragma once

// Transposes of small elements in registers, by the widest vectors that the machine has.
//
//   a b c d      a e i m
//   e f g h  ->  b f j n      16 bytes a row: 16 x 16 elements of 1 byte, 8 x 8 of 2 bytes,
//   i j k l      c g k o      4 x 4 of 4 bytes, 2 x 2 of 8 bytes
//   m n o p      d h l p
//
// A vector of 32 or 64 bytes holds two or four such blocks side by side, so the same code runs on
// SSE2, NEON, AVX2 and AVX-512.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace heddle::move {

/// dst[c * to + r * W] = src[r * from + c * W] for r < rows and c < columns, W the element's bytes.
using TransposeKernel = void (*)(const std::byte* src, std::int64_t from, std::byte* dst,
                                 std::int64_t to, std::int64_t rows, std::int64_t columns);

/// Whether there is a kernel for elements of so many bytes: 1, 2, 4, 8, 16.
[[nodiscard]] bool can_transpose(std::int64_t bytes);
/// The fastest kernel of this machine.
[[nodiscard]] TransposeKernel transpose_kernel(std::int64_t bytes);
/// The kernel of vectors of 16, 32 or 64 bytes; nullptr where this machine has no such vectors.
[[nodiscard]] TransposeKernel transpose_kernel(std::int64_t bytes, std::int64_t vector_bytes);
/// The bytes of a vector of the fastest kernels.
[[nodiscard]] std::int64_t vector_bytes();

/// Copies past the caches where the machine can, which saves reading what is overwritten.
void stream(std::byte* dst, const std::byte* src, std::int64_t bytes);
/// Makes what was streamed visible to other threads.
void finish_streams();

}  // namespace heddle::move
