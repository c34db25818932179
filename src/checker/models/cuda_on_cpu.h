// CUDA C++ for a host's compiler, which reads this file before the kernel: what a kernel says and
// calls, as functions that call the host (host.h), which runs the threads. The instructions of
// kernel/source/intrinsics.h are functions of the same names and types; those of matrices are
// written by the checker, for the kernel calls few of them.
//
// Blocks run one after the other, so what they share is static, with a red zone in front of each
// array, in a section that the host finds by its name. Where the compiler instruments accesses
// (-fsanitize=thread), they are told to the host as well.

#pragma once

// The host knows loops by jumps backwards (loop_path.h), so that loops stay in the order of the
// text.
#if defined(HEDDLE_INSTRUMENTED) && !defined(__clang__)
#pragma GCC optimize("no-tree-ch")
#endif

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>
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
#define HEDDLE_MODEL \
  __attribute__((noinline, noclone, no_sanitize("thread"), no_sanitize_coverage, unused))
#endif
#define HEDDLE_SITE __builtin_return_address(0)

// The last parameter of what threads do together: where the text calls it (host.h). The builtin
// needs a type of this name.
namespace std {
struct source_location {
  struct __impl {
    const char* _M_file_name;
    const char* _M_function_name;
    unsigned _M_line, _M_column;
  };
};
}  // namespace std
#define HEDDLE_PLACE const void* place = __builtin_source_location()

#define threadIdx heddle_host->thread
#define blockIdx heddle_host->block
#define blockDim heddle_host->threads
#define gridDim heddle_host->blocks
#define warpSize 32

// Vectors of two and four elements are aligned as a whole, up to 16 bytes.
constexpr unsigned long heddle_alignment(unsigned long bytes) { return bytes < 16 ? bytes : 16; }
#define HEDDLE_VECTORS(name, type)                                                 \
  struct name##1 { type x; };                                                      \
  struct alignas(heddle_alignment(2 * sizeof(type))) name##2 { type x, y; };       \
  struct name##3 { type x, y, z; };                                                \
  struct alignas(heddle_alignment(4 * sizeof(type))) name##4 { type x, y, z, w; }; \
  constexpr name##1 make_##name##1(type x) { return {x}; }                         \
  constexpr name##2 make_##name##2(type x, type y) { return {x, y}; }              \
  constexpr name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; }   \
  constexpr name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
HEDDLE_VECTORS(char, signed char)
HEDDLE_VECTORS(uchar, unsigned char)
HEDDLE_VECTORS(short, short)
HEDDLE_VECTORS(ushort, unsigned short)
HEDDLE_VECTORS(int, int)
HEDDLE_VECTORS(uint, unsigned)
HEDDLE_VECTORS(long, long)
HEDDLE_VECTORS(ulong, unsigned long)
HEDDLE_VECTORS(longlong, long long)
HEDDLE_VECTORS(ulonglong, unsigned long long)
HEDDLE_VECTORS(float, float)
HEDDLE_VECTORS(double, double)

using std::max;
using std::min;

inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(x); }

inline float rsqrtf(float x) { return 1 / std::sqrt(x); }
inline double rsqrt(double x) { return 1 / std::sqrt(x); }

inline int heddle_barrier(int number, int threads, HeddleVote vote, int value, const char* name,
                          const void* site) {
  int result = value;
  const HeddleBarrier barrier = {number, threads, vote, value, name, &result};
  heddle_host->barrier(heddle_host, &barrier, site);
  return result;
}
HEDDLE_MODEL static void __syncthreads(HEDDLE_PLACE) {
  heddle_barrier(0, 0, kHeddleNoVote, 0, "__syncthreads", place);
}
HEDDLE_MODEL static int __syncthreads_or(int value, HEDDLE_PLACE) {
  return heddle_barrier(0, 0, kHeddleAny, value != 0, "__syncthreads_or", place);
}
HEDDLE_MODEL static int __syncthreads_and(int value, HEDDLE_PLACE) {
  return heddle_barrier(0, 0, kHeddleAll, value != 0, "__syncthreads_and", place);
}
HEDDLE_MODEL static int __syncthreads_count(int value, HEDDLE_PLACE) {
  return heddle_barrier(0, 0, kHeddleCount, value != 0, "__syncthreads_count", place);
}
// bar.sync: one of 16 barriers of a block, for all of its threads or so many, in whole warps.
HEDDLE_MODEL static void __barrier_sync(unsigned number, HEDDLE_PLACE) {
  heddle_barrier(number, 0, kHeddleNoVote, 0, "__barrier_sync", place);
}
HEDDLE_MODEL static void __barrier_sync_count(unsigned number, unsigned threads, HEDDLE_PLACE) {
  heddle_barrier(number, threads, kHeddleNoVote, 0, "__barrier_sync_count", place);
}

HEDDLE_MODEL static void __threadfence() { heddle_host->fence(heddle_host); }
HEDDLE_MODEL static void __threadfence_block() {}
HEDDLE_MODEL static void __threadfence_system() { heddle_host->fence(heddle_host); }

HEDDLE_MODEL static void __syncwarp(unsigned mask = 0xffffffffu, HEDDLE_PLACE) {
  const HeddleCollective what = {kHeddleSyncWarp, mask, 0, 0, {}, {}, {}, {}, "__syncwarp", 0};
  heddle_host->collective(heddle_host, &what, place);
}

HEDDLE_MODEL static void heddle_shuffle(unsigned mask, void* to, const void* from, int bytes,
                                        int lane, const char* name, const void* site) {
  const HeddleCollective what = {kHeddleShuffle, mask, lane, bytes, to, from, {}, {}, name, 0};
  heddle_host->collective(heddle_host, &what, site);
}
inline int heddle_lane() {
  return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32;
}
#define HEDDLE_SHUFFLE(name, other)                                                   \
  template <class Number>                                                             \
  HEDDLE_MODEL Number name(unsigned mask, Number value, int distance, int width = 32, \
                           HEDDLE_PLACE) {                                            \
    Number result;                                                                    \
    const int lane = heddle_lane();                                                   \
    const int first = lane & ~(width - 1);                                            \
    int from = other;                                                                 \
    if (from < first || from >= first + width) from = lane;                           \
    heddle_shuffle(mask, &result, &value, sizeof value, from, #name, place);          \
    return result;                                                                    \
  }
HEDDLE_SHUFFLE(__shfl_xor_sync, lane ^ distance)
HEDDLE_SHUFFLE(__shfl_down_sync, lane + distance)
HEDDLE_SHUFFLE(__shfl_up_sync, lane - distance)
HEDDLE_SHUFFLE(__shfl_sync, first + (distance & (width - 1)))

// What every lane has, of up to 8 bytes.
template <class Number>
struct HeddleOfLanes {
  HeddleGathered head;
  Number values[32];

  HeddleOfLanes(unsigned mask, Number value, const char* name, const void* site) {
    static_assert(sizeof value <= 8, "lanes compare 32 or 64 bits");
    const HeddleCollective what = {kHeddleGather, mask, 0,  sizeof value, this,
                                   &value,        {},   {}, name,         0};
    heddle_host->collective(heddle_host, &what, site);
  }
  bool has(int lane) const { return head.lanes >> lane & 1; }
  // The lanes for which it holds.
  template <class Holds>
  unsigned where(const Holds& holds) const {
    unsigned lanes = 0;
    for (int lane = 0; lane < 32; ++lane) {
      if (has(lane) && holds(values[lane])) lanes |= 1u << lane;
    }
    return lanes;
  }
};

#define HEDDLE_VOTE(type, name, found)                                       \
  HEDDLE_MODEL static type name(unsigned mask, int value, HEDDLE_PLACE) {    \
    const HeddleOfLanes<int> lanes(mask, value, #name, place);               \
    const unsigned ballot = lanes.where([](int each) { return each != 0; }); \
    return found;                                                            \
  }
HEDDLE_VOTE(unsigned, __ballot_sync, ballot)
HEDDLE_VOTE(int, __any_sync, ballot != 0)
HEDDLE_VOTE(int, __all_sync, ballot == lanes.head.lanes)

template <class Number>
HEDDLE_MODEL unsigned __match_any_sync(unsigned mask, Number value, HEDDLE_PLACE) {
  const HeddleOfLanes<Number> lanes(mask, value, "__match_any_sync", place);
  return lanes.where([&](Number each) { return each == value; });
}
template <class Number>
HEDDLE_MODEL unsigned __match_all_sync(unsigned mask, Number value, int* all, HEDDLE_PLACE) {
  const HeddleOfLanes<Number> lanes(mask, value, "__match_all_sync", place);
  const unsigned same = lanes.where([&](Number each) { return each == value; });
  *all = same == lanes.head.lanes;
  return *all ? same : 0;
}

#define HEDDLE_REDUCE(name, combined)                                   \
  template <class Number>                                               \
  HEDDLE_MODEL Number name(unsigned mask, Number value, HEDDLE_PLACE) { \
    static_assert(sizeof(Number) == 4, "sums of lanes are of 32 bits"); \
    const HeddleOfLanes<Number> lanes(mask, value, #name, place);       \
    bool is_first = true;                                               \
    Number a = value;                                                   \
    for (int lane = 0; lane < 32; ++lane) {                             \
      if (!lanes.has(lane)) continue;                                   \
      const Number b = lanes.values[lane];                              \
      a = is_first ? b : static_cast<Number>(combined);                 \
      is_first = false;                                                 \
    }                                                                   \
    return a;                                                           \
  }
HEDDLE_REDUCE(__reduce_add_sync, static_cast<unsigned>(a) + static_cast<unsigned>(b))
HEDDLE_REDUCE(__reduce_min_sync, min(a, b))
HEDDLE_REDUCE(__reduce_max_sync, max(a, b))
HEDDLE_REDUCE(__reduce_and_sync, a& b)
HEDDLE_REDUCE(__reduce_or_sync, a | b)
HEDDLE_REDUCE(__reduce_xor_sync, a ^ b)

// Threads run one at a time. Numbers are of the type that is pointed to.
template <class Number>
using HeddleOf = typename std::common_type<Number>::type;
#define HEDDLE_ATOMIC(name, updated)                                              \
  template <class Number>                                                         \
  HEDDLE_MODEL Number name(Number* to, HeddleOf<Number> value) {                  \
    heddle_host->access(heddle_host, to, sizeof *to, kHeddleAtomic, HEDDLE_SITE); \
    const Number before = *to;                                                    \
    *to = updated;                                                                \
    return before;                                                                \
  }
HEDDLE_ATOMIC(atomicAdd, before + value)
HEDDLE_ATOMIC(atomicSub, before - value)
HEDDLE_ATOMIC(atomicMax, before < value ? value : before)
HEDDLE_ATOMIC(atomicMin, value < before ? value : before)
HEDDLE_ATOMIC(atomicAnd, before& value)
HEDDLE_ATOMIC(atomicOr, before | value)
HEDDLE_ATOMIC(atomicXor, before ^ value)
HEDDLE_ATOMIC(atomicExch, value)
HEDDLE_ATOMIC(atomicInc, before >= value ? 0 : before + 1)
HEDDLE_ATOMIC(atomicDec, before == 0 || before > value ? value : before - 1)
template <class Number>
HEDDLE_MODEL Number atomicCAS(Number* to, HeddleOf<Number> compared, HeddleOf<Number> value) {
  heddle_host->access(heddle_host, to, sizeof *to, kHeddleAtomic, HEDDLE_SITE);
  const Number before = *to;
  if (before == compared) *to = value;
  return before;
}

// Loads and stores past some caches.
#define HEDDLE_LOAD(name)                                                           \
  template <class Number>                                                           \
  HEDDLE_MODEL Number name(const Number* from) {                                    \
    heddle_host->access(heddle_host, from, sizeof *from, kHeddleRead, HEDDLE_SITE); \
    return *from;                                                                   \
  }
HEDDLE_LOAD(__ldg)
HEDDLE_LOAD(__ldca)
HEDDLE_LOAD(__ldcg)
HEDDLE_LOAD(__ldcs)
HEDDLE_LOAD(__ldlu)
HEDDLE_LOAD(__ldcv)
#define HEDDLE_STORE(name)                                                       \
  template <class Number>                                                        \
  HEDDLE_MODEL void name(Number* to, HeddleOf<Number> value) {                   \
    heddle_host->access(heddle_host, to, sizeof *to, kHeddleWrite, HEDDLE_SITE); \
    *to = value;                                                                 \
  }
HEDDLE_STORE(__stwb)
HEDDLE_STORE(__stcg)
HEDDLE_STORE(__stcs)
HEDDLE_STORE(__stwt)

// What a kernel says, and what ends it.
HEDDLE_MODEL static int heddle_printf(const char* format, ...) {
  char text[4096];
  va_list arguments;
  va_start(arguments, format);
  const int bytes = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (bytes > 0) heddle_host->print(heddle_host, text, min(bytes, int(sizeof text) - 1));
  return bytes;
}
#define printf heddle_printf
HEDDLE_MODEL static void __trap() { heddle_host->end(heddle_host, "calls __trap()", HEDDLE_SITE); }
HEDDLE_MODEL static void heddle_fail(const char* what) {
  heddle_host->end(heddle_host, what, HEDDLE_SITE);
}
#undef assert
#define assert(...) \
  ((__VA_ARGS__) ? (void)0 : heddle_fail("asserts `" #__VA_ARGS__ "`, which does not hold,"))

HEDDLE_MODEL static void cp_async_4(void* to, const void* from, int bytes, HEDDLE_PLACE) {
  heddle_host->copy(heddle_host, to, from, bytes, 4, place);
}
HEDDLE_MODEL static void cp_async_8(void* to, const void* from, int bytes, HEDDLE_PLACE) {
  heddle_host->copy(heddle_host, to, from, bytes, 8, place);
}
HEDDLE_MODEL static void cp_async_16(void* to, const void* from, int bytes, HEDDLE_PLACE) {
  heddle_host->copy(heddle_host, to, from, bytes, 16, place);
}
HEDDLE_MODEL static void cp_async_commit(HEDDLE_PLACE) { heddle_host->commit(heddle_host, place); }
template <int kPending>
HEDDLE_MODEL void cp_async_wait(HEDDLE_PLACE) {
  heddle_host->wait(heddle_host, kPending, place);
}

#define HEDDLE_LDMATRIX(name, matrices, is_transposed)                                             \
  HEDDLE_MODEL static void name(void* to, const void* row, HEDDLE_PLACE) {                         \
    const HeddleCollective what = {kHeddleMatrices, ~0u, matrices, is_transposed, to, row, {}, {}, \
                                   #name,           0};                                            \
    heddle_host->collective(heddle_host, &what, place);                                            \
  }
HEDDLE_LDMATRIX(ldmatrix_x1, 1, 0)
HEDDLE_LDMATRIX(ldmatrix_x2, 2, 0)
HEDDLE_LDMATRIX(ldmatrix_x4, 4, 0)
HEDDLE_LDMATRIX(ldmatrix_trans_x1, 1, 1)
HEDDLE_LDMATRIX(ldmatrix_trans_x2, 2, 1)
HEDDLE_LDMATRIX(ldmatrix_trans_x4, 4, 1)

#define HEDDLE_MMA(name)                                                              \
  HEDDLE_MODEL static void name(void* d, const void* a, const void* b, const void* c, \
                                HEDDLE_PLACE) {                                       \
    const HeddleCollective what = {kHeddleMultiply, ~0u, 0, 0, d, a, b, c, #name, 0}; \
    heddle_host->collective(heddle_host, &what, place);                               \
  }
#define HEDDLE_SPARSE_MMA(name)                                                                   \
  template <int kSelector>                                                                        \
  HEDDLE_MODEL void name(void* d, const void* a, const void* b, const void* c, unsigned index,    \
                         HEDDLE_PLACE) {                                                          \
    const HeddleCollective what = {kHeddleMultiply, ~0u, kSelector, 0, d, a, b, c, #name, index}; \
    heddle_host->collective(heddle_host, &what, place);                                           \
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
void heddle_enter(void* site) __asm__("__tsan_func_entry");
HEDDLE_MODEL void heddle_enter(void* site) {
  if (heddle_host != nullptr) heddle_host->enter(heddle_host, site);
}
void heddle_leave() __asm__("__tsan_func_exit");
HEDDLE_MODEL void heddle_leave() {
  if (heddle_host != nullptr) heddle_host->leave(heddle_host);
}
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

// What -fsanitize=alignment,bounds calls where a check fails. Accesses are checked before they are
// optimised, so that a vector counts as a whole even if its parts are loaded one by one.
struct HeddleType {
  unsigned short kind, info;
  char name[1];
};
struct HeddleIndexCheck {
  const char* file;
  unsigned line, column;
  const HeddleType* array;
  const HeddleType* index;
};
struct HeddleTypeCheck {
  const char* file;
  unsigned line, column;
  const HeddleType* type;
  unsigned char log_alignment, kind;
};
void heddle_index(const HeddleIndexCheck* check,
                  unsigned long index) __asm__("__ubsan_handle_out_of_bounds");
HEDDLE_MODEL void heddle_index(const HeddleIndexCheck* check, unsigned long index) {
  // As an index of 32 bits or less is extended, or not.
  const long number = check->index->info >> 1 < 6 ? long(int(index)) : long(index);
  if (heddle_host != nullptr)
    heddle_host->index(heddle_host, number, check->array->name, HEDDLE_SITE);
}
void heddle_unaligned(const HeddleTypeCheck* check,
                      const void* at) __asm__("__ubsan_handle_type_mismatch_v1");
HEDDLE_MODEL void heddle_unaligned(const HeddleTypeCheck* check, const void* at) {
  const HeddleAccess kind = check->kind == 1 ? kHeddleWrite : kHeddleRead;
  if (heddle_host != nullptr)
    heddle_host->unaligned(heddle_host, at, 1ul << check->log_alignment, kind, HEDDLE_SITE);
}
}
#endif
