#include "move/transpose.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace heddle::move {
namespace {

/// An element as it is copied when no vector holds a tile of them.
struct Wide {
  std::uint64_t words[2];
};

namespace plain {

template <class Element>
void transpose(const std::byte* src, std::int64_t from, std::byte* dst, std::int64_t to,
               std::int64_t rows, std::int64_t columns) {
  constexpr std::int64_t kWidth = sizeof(Element);
  for (std::int64_t c = 0; c < columns; ++c) {
    for (std::int64_t r = 0; r < rows; ++r) {
      std::memcpy(dst + c * to + r * kWidth, src + r * from + c * kWidth, kWidth);
    }
  }
}

}  // namespace plain

#define HEDDLE_LANES 1
#define HEDDLE_NARROWER plain
namespace lanes1 {
#if defined(__x86_64__)
using Native = __m128i;
inline void stream(Native vector, std::byte* dst) {
  _mm_stream_si128(reinterpret_cast<__m128i*>(dst), vector);
}
#else
using Native = Wide;
inline void stream(const Native& vector, std::byte* dst) {
  std::memcpy(dst, &vector, sizeof(vector));
}
#endif
/// SSE2 has no instruction for it.
template <class Vector>
Vector shuffled_bytes(const Vector& vector, const std::uint8_t* mask) {
  Vector result;
#if defined(__aarch64__)
  const uint8x16_t bytes = vqtbl1q_u8(std::bit_cast<uint8x16_t>(vector), vld1q_u8(mask));
  std::memcpy(&result, &bytes, sizeof(result));
#else
  std::uint8_t before[16];
  std::uint8_t after[16];
  std::memcpy(before, &vector, sizeof(before));
  for (int i = 0; i < 16; ++i) after[i] = before[mask[i]];
  std::memcpy(&result, after, sizeof(result));
#endif
  return result;
}
#include "move/transpose_tile.h"
// Behind the one above, whose types it uses.
#include "move/shuffle_tile.h"
}  // namespace lanes1
#undef HEDDLE_LANES
#undef HEDDLE_NARROWER

#if defined(__x86_64__)
#define HEDDLE_LANES 2
#define HEDDLE_NARROWER lanes1
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif
namespace lanes2 {
using Native = __m256i;
inline void stream(Native vector, std::byte* dst) {
  _mm256_stream_si256(reinterpret_cast<__m256i*>(dst), vector);
}
template <class Vector>
[[gnu::always_inline]] inline Vector shuffled_bytes(const Vector& vector,
                                                    const std::uint8_t* mask) {
  const __m128i lane = _mm_loadu_si128(reinterpret_cast<const __m128i*>(mask));
  return reinterpret_cast<Vector>(
      _mm256_shuffle_epi8(reinterpret_cast<__m256i>(vector), _mm256_broadcastsi128_si256(lane)));
}
#include "move/transpose_tile.h"
// Behind the one above, whose types it uses.
#include "move/shuffle_tile.h"
}  // namespace lanes2
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#undef HEDDLE_LANES
#undef HEDDLE_NARROWER

#define HEDDLE_LANES 4
#define HEDDLE_NARROWER lanes2
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512vl"))), \
                             apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512vl")
#endif
namespace lanes4 {
using Native = __m512i;
/// A line by one store, which no interrupt divides.
inline void stream(Native vector, std::byte* dst) {
  _mm512_stream_si512(reinterpret_cast<__m512i*>(dst), vector);
}
template <class Vector>
[[gnu::always_inline]] inline Vector shuffled_bytes(const Vector& vector,
                                                    const std::uint8_t* mask) {
  const __m128i lane = _mm_loadu_si128(reinterpret_cast<const __m128i*>(mask));
  return reinterpret_cast<Vector>(_mm512_shuffle_epi8(reinterpret_cast<__m512i>(vector),
                                                      _mm512_maskz_broadcast_i32x4(0xFFFF, lane)));
}
#include "move/transpose_tile.h"
// Behind the one above, whose types it uses.
#include "move/shuffle_tile.h"
}  // namespace lanes4
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#undef HEDDLE_LANES
#undef HEDDLE_NARROWER
#endif

struct Kernels {
  TransposeKernel of_1;
  TransposeKernel of_2;
  TransposeKernel of_4;
  TransposeKernel of_8;
  CopyKernel copy;
  StreamKernel stream;
  ShuffleKernels shuffle;
};

constexpr Kernels kOf16Bytes = {lanes1::transpose<std::uint8_t>,
                                lanes1::transpose<std::uint16_t>,
                                lanes1::transpose<std::uint32_t>,
                                lanes1::transpose<std::uint64_t>,
                                lanes1::copy_row,
                                lanes1::stream_rows,
                                lanes1::kShuffles};

/// The kernels of vectors of so many bytes; nullptr where this machine has none.
const Kernels* kernels(std::int64_t bytes) {
#if defined(__x86_64__)
  static constexpr Kernels kOf32Bytes = {lanes2::transpose<std::uint8_t>,
                                         lanes2::transpose<std::uint16_t>,
                                         lanes2::transpose<std::uint32_t>,
                                         lanes2::transpose<std::uint64_t>,
                                         lanes2::copy_row,
                                         lanes2::stream_rows,
                                         lanes2::kShuffles};
  static constexpr Kernels kOf64Bytes = {lanes4::transpose<std::uint8_t>,
                                         lanes4::transpose<std::uint16_t>,
                                         lanes4::transpose<std::uint32_t>,
                                         lanes4::transpose<std::uint64_t>,
                                         lanes4::copy_row,
                                         lanes4::stream_rows,
                                         lanes4::kShuffles};
  if (bytes == 64 && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")) {
    return &kOf64Bytes;
  }
  if (bytes == 32 && __builtin_cpu_supports("avx2")) return &kOf32Bytes;
#endif
  return bytes == 16 ? &kOf16Bytes : nullptr;
}

}  // namespace

bool can_transpose(std::int64_t bytes) {
  return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16;
}

std::int64_t vector_bytes() {
  for (const std::int64_t bytes : {64, 32}) {
    if (kernels(bytes) != nullptr) return bytes;
  }
  return 16;
}

TransposeKernel transpose_kernel(std::int64_t bytes) {
  return transpose_kernel(bytes, vector_bytes());
}

TransposeKernel transpose_kernel(std::int64_t bytes, std::int64_t vector_bytes) {
  const Kernels* table = kernels(vector_bytes);
  if (table == nullptr) return nullptr;
  switch (bytes) {
    case 1:
      return table->of_1;
    case 2:
      return table->of_2;
    case 4:
      return table->of_4;
    case 8:
      return table->of_8;
    default:
      return plain::transpose<Wide>;
  }
}

CopyKernel copy_kernel() { return kernels(vector_bytes())->copy; }

StreamKernel stream_kernel() { return kernels(vector_bytes())->stream; }

const ShuffleKernels& shuffle_kernels() { return kernels(vector_bytes())->shuffle; }

const ShuffleKernels* shuffle_kernels(std::int64_t vector_bytes) {
  const Kernels* table = kernels(vector_bytes);
  return table == nullptr ? nullptr : &table->shuffle;
}

void finish_streams() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

}  // namespace heddle::move
