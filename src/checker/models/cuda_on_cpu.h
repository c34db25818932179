// CUDA C++ for a host's compiler, which reads this file before the kernel: what a kernel says and
// calls, as functions that call the host (host.h), which runs the threads. The instructions of
// kernel/source/intrinsics.h are functions of the same names and types; those of matrices are
// written by the checker, for the kernel calls few of them.
//
// Blocks run one after the other, so what they share is static, with a red zone in front of each
// array, in a section that the host finds by its name. Where the compiler instruments accesses
// (-fsanitize=thread), they are told to the host as well.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "host.h"

extern "C" __attribute__((weak)) HeddleHost* heddle_host = nullptr;

#define HEDDLE_JOINED_(a, b) a##b
#define HEDDLE_JOINED(a, b) HEDDLE_JOINED_(a, b)
#define HEDDLE_SHARED static __attribute__((section("heddle_shared"), used))

#define __global__
#define __device__
#define __host__
#define __constant__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __shared__                                                                     \
  HEDDLE_SHARED unsigned char HEDDLE_JOINED(heddle_red_zone_, __COUNTER__)[1024] = {}; \
  HEDDLE_SHARED __attribute__((aligned(1024)))

// Tells the host who calls, so it is not merged with others, and not instrumented.
#ifdef __clang__
#define HEDDLE_MODEL __attribute__((noinline, nomerge, disable_sanitizer_instrumentation, unused))
#else
#define HEDDLE_MODEL __attribute__((noinline, noclone, no_sanitize("thread"), unused))
#endif
#define HEDDLE_SITE __builtin_return_address(0)

#define threadIdx heddle_host->thread
#define blockIdx heddle_host->block
#define blockDim heddle_host->threads
#define gridDim heddle_host->blocks
#define warpSize 32

struct alignas(8) float2 {
  float x, y;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
struct alignas(8) uint2 {
  unsigned x, y;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};
struct alignas(8) int2 {
  int x, y;
};
struct alignas(16) int4 {
  int x, y, z, w;
};

using std::max;
using std::min;

inline float rsqrtf(float x) { return 1 / std::sqrt(x); }
inline double rsqrt(double x) { return 1 / std::sqrt(x); }

HEDDLE_MODEL static void __syncthreads() { heddle_host->barrier(heddle_host, HEDDLE_SITE); }

HEDDLE_MODEL static void __syncwarp(unsigned mask = 0xffffffffu) {
  const HeddleCollective what = {kHeddleSyncWarp, mask, 0, 0, {}, {}, {}, {}, "__syncwarp", 0};
  heddle_host->collective(heddle_host, &what, HEDDLE_SITE);
}

HEDDLE_MODEL static void heddle_shuffle(unsigned mask, void* to, const void* from, int bytes,
                                        int lane, const char* name, const void* site) {
  const HeddleCollective what = {kHeddleShuffle, mask, lane, bytes, to, from, {}, {}, name, 0};
  heddle_host->collective(heddle_host, &what, site);
}
inline int heddle_lane() {
  return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32;
}
#define HEDDLE_SHUFFLE(name, other)                                                     \
  template <class Number>                                                               \
  HEDDLE_MODEL Number name(unsigned mask, Number value, int distance, int width = 32) { \
    Number result;                                                                      \
    const int lane = heddle_lane();                                                     \
    const int first = lane & ~(width - 1);                                              \
    int from = other;                                                                   \
    if (from < first || from >= first + width) from = lane;                             \
    heddle_shuffle(mask, &result, &value, sizeof value, from, #name, HEDDLE_SITE);      \
    return result;                                                                      \
  }
HEDDLE_SHUFFLE(__shfl_xor_sync, lane ^ distance)
HEDDLE_SHUFFLE(__shfl_down_sync, lane + distance)
HEDDLE_SHUFFLE(__shfl_up_sync, lane - distance)
HEDDLE_SHUFFLE(__shfl_sync, first + (distance & (width - 1)))

// Threads run one at a time.
template <class Number>
HEDDLE_MODEL Number atomicAdd(Number* to, Number value) {
  heddle_host->access(heddle_host, to, sizeof *to, kHeddleAtomic, HEDDLE_SITE);
  const Number before = *to;
  *to += value;
  return before;
}

HEDDLE_MODEL static void cp_async_4(void* to, const void* from, int bytes) {
  heddle_host->copy(heddle_host, to, from, bytes, 4, HEDDLE_SITE);
}
HEDDLE_MODEL static void cp_async_8(void* to, const void* from, int bytes) {
  heddle_host->copy(heddle_host, to, from, bytes, 8, HEDDLE_SITE);
}
HEDDLE_MODEL static void cp_async_16(void* to, const void* from, int bytes) {
  heddle_host->copy(heddle_host, to, from, bytes, 16, HEDDLE_SITE);
}
HEDDLE_MODEL static void cp_async_commit() { heddle_host->commit(heddle_host, HEDDLE_SITE); }
template <int kPending>
HEDDLE_MODEL void cp_async_wait() {
  heddle_host->wait(heddle_host, kPending, HEDDLE_SITE);
}

#define HEDDLE_LDMATRIX(name, matrices, is_transposed)                                             \
  HEDDLE_MODEL static void name(void* to, const void* row) {                                       \
    const HeddleCollective what = {kHeddleMatrices, ~0u, matrices, is_transposed, to, row, {}, {}, \
                                   #name,           0};                                            \
    heddle_host->collective(heddle_host, &what, HEDDLE_SITE);                                      \
  }
HEDDLE_LDMATRIX(ldmatrix_x1, 1, 0)
HEDDLE_LDMATRIX(ldmatrix_x2, 2, 0)
HEDDLE_LDMATRIX(ldmatrix_x4, 4, 0)
HEDDLE_LDMATRIX(ldmatrix_trans_x1, 1, 1)
HEDDLE_LDMATRIX(ldmatrix_trans_x2, 2, 1)
HEDDLE_LDMATRIX(ldmatrix_trans_x4, 4, 1)

#define HEDDLE_MMA(name)                                                                \
  HEDDLE_MODEL static void name(void* d, const void* a, const void* b, const void* c) { \
    const HeddleCollective what = {kHeddleMultiply, ~0u, 0, 0, d, a, b, c, #name, 0};   \
    heddle_host->collective(heddle_host, &what, HEDDLE_SITE);                           \
  }
#define HEDDLE_SPARSE_MMA(name)                                                                   \
  template <int kSelector>                                                                        \
  HEDDLE_MODEL void name(void* d, const void* a, const void* b, const void* c, unsigned index) {  \
    const HeddleCollective what = {kHeddleMultiply, ~0u, kSelector, 0, d, a, b, c, #name, index}; \
    heddle_host->collective(heddle_host, &what, HEDDLE_SITE);                                     \
  }

// Enough of the runtime for a launcher.
struct dim3 {
  unsigned x, y, z;
  constexpr explicit dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};
using cudaError_t = int;
constexpr cudaError_t cudaSuccess = 0;
struct CUstream_st;
inline const char* cudaGetErrorString(cudaError_t) { return "an error of CUDA"; }

// Not instrumented, for the arguments are the host's.
template <class... Parameters, std::size_t... kIndices>
HEDDLE_MODEL void cuda_call(void (*kernel)(Parameters...), void** arguments,
                            std::index_sequence<kIndices...>) {
  kernel(*static_cast<std::remove_const_t<Parameters>*>(arguments[kIndices])...);
}
template <class... Parameters>
HEDDLE_MODEL void cuda_call(void (*kernel)(Parameters...), void** arguments) {
  cuda_call(kernel, arguments, std::index_sequence_for<Parameters...>{});
}
// The bytes of each parameter, and how many there are.
template <class... Parameters>
int cuda_sizes(void (*)(Parameters...), unsigned long* to) {
  if (to != nullptr) ((*to++ = sizeof(Parameters)), ...);
  return sizeof...(Parameters);
}

// Shared memory is an array of the kernel.
constexpr int cudaFuncAttributeMaxDynamicSharedMemorySize = 8;
template <class Kernel>
cudaError_t cudaFuncSetAttribute(Kernel* /*kernel*/, int /*attribute*/, int /*value*/) {
  return cudaSuccess;
}

// The kernel has run when this returns.
template <class... Parameters>
cudaError_t cudaLaunchKernel(void (*kernel)(Parameters...), dim3 blocks, dim3 threads,
                             void** arguments, std::size_t, CUstream_st*) {
  auto call = [&] { cuda_call(kernel, arguments); };
  using Call = decltype(call);
  const unsigned grid[] = {blocks.x, blocks.y, blocks.z};
  const unsigned block[] = {threads.x, threads.y, threads.z};
  heddle_host->run(
      heddle_host, [](void* data) { (*static_cast<Call*>(data))(); }, &call, grid, block);
  return cudaSuccess;
}

// The hooks of instrumented code. They have names of their own here: compilers know the others.
#ifdef HEDDLE_INSTRUMENTED
HEDDLE_MODEL static void heddle_touch(const void* at, unsigned long bytes, HeddleAccess kind,
                                      const void* site) {
  if (heddle_host != nullptr) heddle_host->access(heddle_host, at, bytes, kind, site);
}
extern "C" {
#define HEDDLE_HOOK(name, kind, size)                    \
  void heddle_##name(void* at) __asm__("__tsan_" #name); \
  HEDDLE_MODEL void heddle_##name(void* at) { heddle_touch(at, size, kind, HEDDLE_SITE); }
#define HEDDLE_HOOKS(size)                             \
  HEDDLE_HOOK(read##size, kHeddleRead, size)           \
  HEDDLE_HOOK(write##size, kHeddleWrite, size)         \
  HEDDLE_HOOK(unaligned_read##size, kHeddleRead, size) \
  HEDDLE_HOOK(unaligned_write##size, kHeddleWrite, size)
HEDDLE_HOOKS(1)
HEDDLE_HOOKS(2)
HEDDLE_HOOKS(4)
HEDDLE_HOOKS(8)
HEDDLE_HOOKS(16)
#define HEDDLE_RANGE_HOOK(name, kind)                                         \
  void heddle_##name(void* at, unsigned long bytes) __asm__("__tsan_" #name); \
  HEDDLE_MODEL void heddle_##name(void* at, unsigned long bytes) {            \
    heddle_touch(at, bytes, kind, HEDDLE_SITE);                               \
  }
HEDDLE_RANGE_HOOK(read_range, kHeddleRead)
HEDDLE_RANGE_HOOK(write_range, kHeddleWrite)
void heddle_enter(void*) __asm__("__tsan_func_entry");
HEDDLE_MODEL void heddle_enter(void*) {}
void heddle_leave() __asm__("__tsan_func_exit");
HEDDLE_MODEL void heddle_leave() {}
void heddle_begin() __asm__("__tsan_init");
HEDDLE_MODEL void heddle_begin() {}
void* heddle_memcpy(void* to, const void* from, unsigned long bytes) __asm__("__tsan_memcpy");
HEDDLE_MODEL void* heddle_memcpy(void* to, const void* from, unsigned long bytes) {
  heddle_touch(from, bytes, kHeddleRead, HEDDLE_SITE);
  heddle_touch(to, bytes, kHeddleWrite, HEDDLE_SITE);
  return memmove(to, from, bytes);
}
void* heddle_memmove(void* to, const void* from, unsigned long bytes) __asm__("__tsan_memmove");
HEDDLE_MODEL void* heddle_memmove(void* to, const void* from, unsigned long bytes) {
  return heddle_memcpy(to, from, bytes);
}
void* heddle_memset(void* to, int byte, unsigned long bytes) __asm__("__tsan_memset");
HEDDLE_MODEL void* heddle_memset(void* to, int byte, unsigned long bytes) {
  heddle_touch(to, bytes, kHeddleWrite, HEDDLE_SITE);
  return memset(to, byte, bytes);
}
}
#endif
