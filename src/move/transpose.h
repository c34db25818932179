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

/// The bytes of a line of the caches.
inline constexpr std::int64_t kLine = 64;

/// How far behind the begin of a line a place is.
[[nodiscard]] inline std::int64_t past_line(const std::byte* place) {
  return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(place) % std::uintptr_t{kLine});
}

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

/// Copies a row of so many bytes and fetches another one, by the widest vectors.
using CopyKernel = void (*)(const std::byte* src, std::byte* dst, std::int64_t bytes,
                            const std::byte* next);
[[nodiscard]] CopyKernel copy_kernel();

/// Rows of so many bytes. What is before `lead` belongs to other rows, and so does, if a row goes
/// on, what is in the line of its end: such a row is cut where lines begin.
struct Rows {
  std::int64_t count = 1;
  std::int64_t bytes = 0;
  std::int64_t lead = 0;
  bool go_on = false;
};

/// Copies rows, so many bytes apart on each side, past the caches where the machine can, which
/// saves reading what is overwritten.
using StreamKernel = void (*)(const std::byte* src, std::int64_t from, std::byte* dst,
                              std::int64_t to, const Rows& rows);
[[nodiscard]] StreamKernel stream_kernel();

/// What shuffles are made of; rows are whole lines.
struct ShuffleKernels {
  /// Exchanges the upper halves of pieces of twice so many bits of a row with the lower halves of
  /// those of another row, and then shuffles the bytes of both unless the masks are nullptr.
  using Exchange = void (*)(std::byte* row, std::byte* other, std::int64_t bytes,
                            const std::uint8_t* mask, const std::uint8_t* other_mask);
  /// By the logarithm of the bits: 1 to 64.
  Exchange exchange[7];
  /// Byte i of each lane becomes byte mask[i].
  void (*shuffle)(std::byte* row, std::int64_t bytes, const std::uint8_t* mask);
  /// Copies pieces of 16 bytes from so many places of the rows to one after the other, whole lines
  /// past the caches if it `streams`: then to a multiple of 16 bytes.
  void (*collect)(const std::byte* rows, const std::int32_t* places, std::int64_t count,
                  std::byte* dst, bool streams);
};
[[nodiscard]] const ShuffleKernels& shuffle_kernels();
/// Those of vectors of 16, 32 or 64 bytes; nullptr where this machine has no such vectors.
[[nodiscard]] const ShuffleKernels* shuffle_kernels(std::int64_t vector_bytes);

/// Makes what was streamed visible to other threads.
void finish_streams();

}  // namespace heddle::move
