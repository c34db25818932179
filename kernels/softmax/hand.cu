// softmax written by hand, to count instructions against.

__device__ constexpr int kThreads = 256;
__device__ constexpr int kWarps = kThreads / 32;

__device__ float block_sum(float x, int warp, int lane, float* of_warp) {
  for (int distance = 16; distance > 0; distance /= 2) {
    x += __shfl_xor_sync(0xffffffff, x, distance);
  }
  if (lane == 0) of_warp[warp] = x;
  __syncthreads();
  float sum = of_warp[0];
#pragma unroll
  for (int w = 1; w < kWarps; ++w) sum += of_warp[w];
  return sum;
}

__device__ float block_max(float x, int warp, int lane, float* of_warp) {
  for (int distance = 16; distance > 0; distance /= 2) {
    x = fmaxf(x, __shfl_xor_sync(0xffffffff, x, distance));
  }
  if (lane == 0) of_warp[warp] = x;
  __syncthreads();
  float max = of_warp[0];
#pragma unroll
  for (int w = 1; w < kWarps; ++w) max = fmaxf(max, of_warp[w]);
  return max;
}

// Where element j of a row is.
struct Rows {
  static __device__ int at(int i, int j, int, int N) { return i * N + j; }
};

struct Columns {
  static __device__ int at(int i, int j, int M, int) { return j * M + i; }
};

template <class Layout>
__device__ void softmax(const float* __restrict__ x, float* __restrict__ y, int M, int N) {
  __shared__ float max_of_warp[kWarps];
  __shared__ float sum_of_warp[kWarps];
  const int row = blockIdx.x;
  const int t = threadIdx.x;
  const int warp = t / 32;
  const int lane = t % 32;

  float max = -INFINITY;
  float sum = 0;
#pragma unroll 1
  for (int j = t; j < N; j += kThreads) {
    const float element = x[Layout::at(row, j, M, N)];
    const float larger = fmaxf(max, element);
    sum = sum * expf(max - larger) + expf(element - larger);
    max = larger;
  }
  const float row_max = block_max(max, warp, lane, max_of_warp);
  const float row_sum = block_sum(sum * expf(max - row_max), warp, lane, sum_of_warp);

#pragma unroll 1
  for (int j = t; j < N; j += kThreads) {
    y[Layout::at(row, j, M, N)] = expf(x[Layout::at(row, j, M, N)] - row_max) / row_sum;
  }
}

extern "C" __global__ void __launch_bounds__(kThreads)
    softmax_rows(const float* __restrict__ x, float* __restrict__ y, int M, int N) {
  softmax<Rows>(x, y, M, N);
}

extern "C" __global__ void __launch_bounds__(kThreads)
    softmax_columns(const float* __restrict__ x, float* __restrict__ y, int M, int N) {
  softmax<Columns>(x, y, M, N);
}
