// Enough of CUDA to compile a kernel as C++ and run it on the CPU, thread by thread: for tests
// where there is no GPU. The compiler reads this file before the kernel; cuda_on_cpu.cc runs the
// threads.
//
// Blocks run one after the other, so what they share is static. Threads take turns at barriers.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <utility>

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __shared__ static
#define __align__(bytes) __attribute__((aligned(bytes)))

struct CudaIndex {
  unsigned x, y, z;
};

struct alignas(16) float4 {
  float x, y, z, w;
};

// The thread that runs, and how it waits: for its block, or for its warp, whose 32 values it may
// see.
extern "C" {
extern CudaIndex cuda_thread, cuda_block, cuda_threads, cuda_blocks;
void cuda_wait_for_block();
void cuda_wait_for_warp();
extern unsigned long long* cuda_warp_values;
// Calls a function once for every thread of every block; both have three extents.
void cuda_run(void (*call)(void*), void* data, const unsigned* blocks, const unsigned* threads);
}

#define threadIdx cuda_thread
#define blockIdx cuda_block
#define blockDim cuda_threads
#define gridDim cuda_blocks

using std::max;
using std::min;

inline float rsqrtf(float x) { return 1 / std::sqrt(x); }
inline double rsqrt(double x) { return 1 / std::sqrt(x); }

inline void __syncthreads() { cuda_wait_for_block(); }
inline void __syncwarp(unsigned = 0) { cuda_wait_for_warp(); }

template <class Number>
Number __shfl_xor_sync(unsigned /*mask*/, Number value, int distance) {
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  static_assert(sizeof value <= sizeof *cuda_warp_values);
  std::memcpy(&cuda_warp_values[thread], &value, sizeof value);
  cuda_wait_for_warp();
  Number other;
  std::memcpy(&other, &cuda_warp_values[thread ^ static_cast<unsigned>(distance)], sizeof other);
  cuda_wait_for_warp();
  return other;
}

// Threads run one at a time.
template <class Number>
Number atomicAdd(Number* to, Number value) {
  const Number before = *to;
  *to += value;
  return before;
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

template <class... Parameters, std::size_t... kIndices>
void cuda_call(void (*kernel)(Parameters...), void** arguments, std::index_sequence<kIndices...>) {
  kernel(*static_cast<Parameters*>(arguments[kIndices])...);
}

// The kernel has run when this returns.
template <class... Parameters>
cudaError_t cudaLaunchKernel(void (*kernel)(Parameters...), dim3 blocks, dim3 threads,
                             void** arguments, std::size_t, CUstream_st*) {
  auto call = [&] { cuda_call(kernel, arguments, std::index_sequence_for<Parameters...>{}); };
  using Call = decltype(call);
  const unsigned grid[] = {blocks.x, blocks.y, blocks.z};
  const unsigned block[] = {threads.x, threads.y, threads.z};
  cuda_run([](void* data) { (*static_cast<Call*>(data))(); }, &call, grid, block);
  return cudaSuccess;
}
