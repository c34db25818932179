/* What kernel_peer.py measures kernels beside that no library has, and what the machine can do at
   most: compiled with -O3 -march=native -fopenmp. */

#include <stddef.h>

/* C = A and its six neighbours, in a grid of z x y x x whose border is outside: 0. zeros is a row of
   x. */
void stencil(const float* restrict a, float* restrict c, const float* restrict zeros, ptrdiff_t z,
             ptrdiff_t y, ptrdiff_t x) {
#pragma omp parallel for
  for (ptrdiff_t i = 0; i < z; ++i) {
    for (ptrdiff_t j = 0; j < y; ++j) {
      const float* const here = a + (i * y + j) * x;
      const float* const above = i > 0 ? here - y * x : zeros;
      const float* const below = i + 1 < z ? here + y * x : zeros;
      const float* const before = j > 0 ? here - x : zeros;
      const float* const behind = j + 1 < y ? here + x : zeros;
      float* const to = c + (i * y + j) * x;
      for (ptrdiff_t k = 0; k < x; ++k) {
        const float left = k > 0 ? here[k - 1] : 0.0f;
        const float right = k + 1 < x ? here[k + 1] : 0.0f;
        to[k] = 0.5f * here[k] +
                0.0625f * (above[k] + below[k] + before[k] + behind[k] + left + right);
      }
    }
  }
}

/* `rounds` times sums of products of f32 in registers, as many as there are; the operations of a round. */
int multiply_and_add(float* data, ptrdiff_t rounds) {
#ifdef __AVX512F__
  enum { kBytes = 64, kSums = 16 };
#else
  enum { kBytes = 32, kSums = 12 };
#endif
  typedef float floats __attribute__((vector_size(kBytes), aligned(4)));
#pragma omp parallel
  {
    floats sums[kSums];
    for (int i = 0; i < kSums; ++i) sums[i] = *(const floats*)data + (float)i;
    const floats factor = *(const floats*)data;
    for (ptrdiff_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 16
      for (int i = 0; i < kSums; ++i) sums[i] = sums[i] * factor + factor;
    }
    for (int i = 1; i < kSums; ++i) sums[0] += sums[i];
#pragma omp critical
    *(floats*)(data + 16) += sums[0];
  }
  return 2 * kSums * kBytes / (int)sizeof(float);
}

/* c = a + s b: 12 bytes of memory for each element. */
void triad(const float* restrict a, const float* restrict b, float* restrict c, ptrdiff_t count) {
#pragma omp parallel for
  for (ptrdiff_t i = 0; i < count; ++i) c[i] = a[i] + 0.5f * b[i];
}
