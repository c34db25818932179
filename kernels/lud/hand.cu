// The decomposition written by hand, to count instructions against: R x R elements for each of T x
// T threads, whose rows and columns are a step apart or side by side.

template <int kElements, bool kAdjacent>
struct Block {
  static constexpr int kThreads = 16;
  static constexpr int kSize = kElements * kThreads;
  using Tile = float[kSize * kSize];

  static __device__ int own(int element, int thread) {
    return kAdjacent ? thread * kElements + element : element * kThreads + thread;
  }

  static __device__ int at(int y, int x) { return y * kSize + x; }

  static __device__ void load(Tile& tile, const float* a, int N, int block_y, int block_x) {
    for (int r = 0; r < kElements; ++r) {
      for (int c = 0; c < kElements; ++c) {
        const int y = own(r, threadIdx.y);
        const int x = own(c, threadIdx.x);
        const int i = block_y * kSize + y;
        const int j = block_x * kSize + x;
        tile[at(y, x)] = i < N && j < N ? a[i * N + j] : 0;
      }
    }
  }

  static __device__ void store(const Tile& tile, float* a, int N, int block_y, int block_x) {
    for (int r = 0; r < kElements; ++r) {
      for (int c = 0; c < kElements; ++c) {
        const int y = own(r, threadIdx.y);
        const int x = own(c, threadIdx.x);
        const int i = block_y * kSize + y;
        const int j = block_x * kSize + x;
        if (i < N && j < N) a[i * N + j] = tile[at(y, x)];
      }
    }
  }

  static __device__ void diagonal(float* a, int N, int step) {
    __shared__ Tile tile;
    load(tile, a, N, step, step);
    __syncthreads();
    for (int p = 0; p < kSize; ++p) {
      for (int r = 0; r < kElements; ++r) {
        const int y = own(r, threadIdx.y);
        if (threadIdx.x == 0 && y > p) tile[at(y, p)] /= tile[at(p, p)];
      }
      __syncthreads();
      for (int r = 0; r < kElements; ++r) {
        for (int c = 0; c < kElements; ++c) {
          const int y = own(r, threadIdx.y);
          const int x = own(c, threadIdx.x);
          if (y > p && x > p) tile[at(y, x)] -= tile[at(y, p)] * tile[at(p, x)];
        }
      }
      __syncthreads();
    }
    store(tile, a, N, step, step);
  }

  static __device__ void rows(float* a, int N, int step) {
    __shared__ Tile diagonal;
    __shared__ Tile tile;
    const int block = step + 1 + int(blockIdx.x);
    load(diagonal, a, N, step, step);
    load(tile, a, N, step, block);
    __syncthreads();
    for (int p = 0; p < kSize; ++p) {
      for (int r = 0; r < kElements; ++r) {
        for (int c = 0; c < kElements; ++c) {
          const int y = own(r, threadIdx.y);
          const int x = own(c, threadIdx.x);
          if (y > p) tile[at(y, x)] -= diagonal[at(y, p)] * tile[at(p, x)];
        }
      }
      __syncthreads();
    }
    store(tile, a, N, step, block);
  }

  static __device__ void columns(float* a, int N, int step) {
    __shared__ Tile diagonal;
    __shared__ Tile tile;
    const int block = step + 1 + int(blockIdx.x);
    load(diagonal, a, N, step, step);
    load(tile, a, N, block, step);
    __syncthreads();
    for (int p = 0; p < kSize; ++p) {
      for (int r = 0; r < kElements; ++r) {
        const int y = own(r, threadIdx.y);
        if (threadIdx.x == 0) tile[at(y, p)] /= diagonal[at(p, p)];
      }
      __syncthreads();
      for (int r = 0; r < kElements; ++r) {
        for (int c = 0; c < kElements; ++c) {
          const int y = own(r, threadIdx.y);
          const int x = own(c, threadIdx.x);
          if (x > p) tile[at(y, x)] -= tile[at(y, p)] * diagonal[at(p, x)];
        }
      }
      __syncthreads();
    }
    store(tile, a, N, block, step);
  }

  static __device__ void inner(float* a, int N, int step) {
    __shared__ Tile left;
    __shared__ Tile above;
    const int block_y = step + 1 + int(blockIdx.y);
    const int block_x = step + 1 + int(blockIdx.x);
    load(left, a, N, block_y, step);
    load(above, a, N, step, block_x);
    __syncthreads();
    float sum[kElements][kElements] = {};
    for (int p = 0; p < kSize; ++p) {
#pragma unroll
      for (int r = 0; r < kElements; ++r) {
#pragma unroll
        for (int c = 0; c < kElements; ++c) {
          sum[r][c] += left[at(own(r, threadIdx.y), p)] * above[at(p, own(c, threadIdx.x))];
        }
      }
    }
#pragma unroll
    for (int r = 0; r < kElements; ++r) {
#pragma unroll
      for (int c = 0; c < kElements; ++c) {
        const int i = block_y * kSize + own(r, threadIdx.y);
        const int j = block_x * kSize + own(c, threadIdx.x);
        if (i < N && j < N) a[i * N + j] -= sum[r][c];
      }
    }
  }
};

#define KERNEL(name, variant, block)                                             \
  extern "C" __global__ void lud_##name##_##variant(float* a, int N, int step) { \
    block::name(a, N, step);                                                     \
  }
#define KERNELS(variant, block)    \
  KERNEL(diagonal, variant, block) \
  KERNEL(rows, variant, block)     \
  KERNEL(columns, variant, block)  \
  KERNEL(inner, variant, block)

using Coarse1 = Block<1, false>;
using Coarse2 = Block<2, false>;
using Coarse4 = Block<4, false>;
using Adjacent2 = Block<2, true>;
KERNELS(coarse_1, Coarse1)
KERNELS(coarse_2, Coarse2)
KERNELS(coarse_4, Coarse4)
KERNELS(adjacent_2, Adjacent2)
