// Enough of CUDA's runtime for programs of small kernels, on the CPU: every call is done when it
// returns, and the threads of a kernel run one after the other.

#pragma once

#include <cstddef>
#include <cstring>

#define __global__ static

struct dim3 {
  unsigned x, y, z;
  explicit dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};

inline thread_local dim3 blockIdx, blockDim, threadIdx;

using cudaError_t = int;
using cudaStream_t = struct CUstream_st*;
constexpr cudaError_t cudaSuccess = 0;
enum cudaMemcpyKind { cudaMemcpyDeviceToDevice = 3 };

inline cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind,
                                   cudaStream_t) {
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}

template <class A, class B>
cudaError_t cudaLaunchKernel(void (*kernel)(A, B), dim3 blocks, dim3 threads, void** arguments,
                             std::size_t, cudaStream_t) {
  blockDim = threads;
  for (blockIdx.x = 0; blockIdx.x < blocks.x; ++blockIdx.x) {
    for (threadIdx.x = 0; threadIdx.x < threads.x; ++threadIdx.x) {
      kernel(*static_cast<A*>(arguments[0]), *static_cast<B*>(arguments[1]));
    }
  }
  return cudaSuccess;
}
