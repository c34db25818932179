/// Functions that emitted CUDA C++ calls. A host has those of its compiler in place of what stands between
/// directives: src/checker/models/cuda_on_cpu.h says what __device__ is there.
#define BYTES 16
#define TYPE uint4

/// The GPU's own conversions of f16, by which the portable ones are replaced there.
//@ heddle_own_f16
#ifdef __CUDA_ARCH__
//@ f32_of_f16(): heddle_own_f16 heddle_end_of_own_f16
static __device__ __forceinline__ float f32_of_f16(unsigned short x) {
  float result;
  asm("cvt.f32.f16 %0, %1;" : "=f"(result) : "h"(x));
  return result;
}
//@ f16_of_f32(): heddle_own_f16 heddle_end_of_own_f16
static __device__ __forceinline__ unsigned short f16_of_f32(float x) {
  unsigned short result;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(result) : "f"(x));
  return result;
}
//@ heddle_own_f16
#else

//@ heddle_end_of_own_f16
#endif

/// What compilers must not compute again.
//@ held()
static __device__ __forceinline__ int held(int value) {
#ifdef __CUDACC__
  asm("" : "+r"(value));
#endif
  return value;
}

//@ clusters
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
#error "clusters of blocks need sm_90 or later"
#endif

/// Copies a vector at once; where the host compiles it for the CPU, byte by byte.
//@ copy_BYTES_bytes()
static __device__ __forceinline__ void copy_BYTES_bytes(void* to, const void* from) {
#ifdef __CUDACC__
  *(TYPE*)to = *(const TYPE*)from;
#else
  __builtin_memcpy(to, from, BYTES);
#endif
}
