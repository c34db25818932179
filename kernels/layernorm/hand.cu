// Layer normalisation written by hand, to count instructions against.

__device__ constexpr int kThreads = 256;
__device__ constexpr int kWarps = 8;
__device__ constexpr int kColumns = 32;

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

// Where element j of row i is.
struct Rows {
  static __device__ int at(int i, int j, int, int N) { return i * N + j; }
};

struct Columns {
  static __device__ int at(int i, int j, int M, int) { return j * M + i; }
};

template <class Layout>
__device__ void layernorm(const float* __restrict__ x, const float* __restrict__ w,
                          const float* __restrict__ b, float* __restrict__ y,
                          float* __restrict__ means, float* __restrict__ rstds, int M, int N,
                          float eps) {
  __shared__ float sum_of_warp[kWarps];
  __shared__ float squares_of_warp[kWarps];
  const int row = blockIdx.x;
  const int t = threadIdx.x;
  const int warp = t / 32;
  const int lane = t % 32;

  float sum = 0;
#pragma unroll 1
  for (int j = t; j < N; j += kThreads) sum += x[Layout::at(row, j, M, N)];
  const float mean = block_sum(sum, warp, lane, sum_of_warp) / N;

  float squares = 0;
#pragma unroll 1
  for (int j = t; j < N; j += kThreads) {
    const float distance = x[Layout::at(row, j, M, N)] - mean;
    squares += distance * distance;
  }
  const float rstd = rsqrtf(block_sum(squares, warp, lane, squares_of_warp) / N + eps);

  if (t == 0) {
    means[row] = mean;
    rstds[row] = rstd;
  }
#pragma unroll 1
  for (int j = t; j < N; j += kThreads) {
    const int place = Layout::at(row, j, M, N);
    y[place] = (x[place] - mean) * rstd * w[j] + b[j];
  }
}

template <class Layout>
__device__ void layernorm_dx(const float* __restrict__ dy, const float* __restrict__ x,
                             const float* __restrict__ w, const float* __restrict__ means,
                             const float* __restrict__ rstds, float* __restrict__ dx, int M,
                             int N) {
  __shared__ float x_of_warp[kWarps];
  __shared__ float ones_of_warp[kWarps];
  const int row = blockIdx.x;
  const int t = threadIdx.x;
  const int warp = t / 32;
  const int lane = t % 32;
  const float mean = means[row];
  const float rstd = rstds[row];

  float along_x = 0;
  float along_ones = 0;
#pragma unroll 1
  for (int j = t; j < N; j += kThreads) {
    const int place = Layout::at(row, j, M, N);
    const float change = dy[place] * w[j];
    along_x += change * (x[place] - mean) * rstd;
    along_ones += change;
  }
  const float c_x = block_sum(along_x, warp, lane, x_of_warp) / N;
  const float c_ones = block_sum(along_ones, warp, lane, ones_of_warp) / N;

#pragma unroll 1
  for (int j = t; j < N; j += kThreads) {
    const int place = Layout::at(row, j, M, N);
    const float change = dy[place] * w[j];
    const float normal = (x[place] - mean) * rstd;
    dx[place] = (change - normal * c_x - c_ones) * rstd;
  }
}

template <class Layout>
__device__ void layernorm_dwdb(const float* __restrict__ dy, const float* __restrict__ x,
                               const float* __restrict__ means, const float* __restrict__ rstds,
                               float* __restrict__ dw, float* __restrict__ db, int M, int N) {
  __shared__ float dw_of_row[kWarps][kColumns];
  __shared__ float db_of_row[kWarps][kColumns];
  const int t = threadIdx.x;
  const int i = t / kColumns;
  const int j = t % kColumns;
  const int column = blockIdx.x * kColumns + j;

  float dw_sum = 0;
  float db_sum = 0;
#pragma unroll 1
  for (int row = i; row < M && column < N; row += kWarps) {
    const int place = Layout::at(row, column, M, N);
    const float change = dy[place];
    dw_sum += change * (x[place] - means[row]) * rstds[row];
    db_sum += change;
  }
  dw_of_row[i][j] = dw_sum;
  db_of_row[i][j] = db_sum;
  __syncthreads();
  if (i == 0 && column < N) {
#pragma unroll
    for (int r = 1; r < kWarps; ++r) {
      dw_sum += dw_of_row[r][j];
      db_sum += db_of_row[r][j];
    }
    dw[column] = dw_sum;
    db[column] = db_sum;
  }
}

#define HEDDLE_HAND(NAME, LAYOUT)                                                                  \
  extern "C" __global__ void __launch_bounds__(kThreads) layernorm_##NAME(                         \
      const float* __restrict__ x, const float* __restrict__ w, const float* __restrict__ b,       \
      float* __restrict__ y, float* __restrict__ means, float* __restrict__ rstds, int M, int N,   \
      float eps) {                                                                                 \
    layernorm<LAYOUT>(x, w, b, y, means, rstds, M, N, eps);                                        \
  }                                                                                                \
  extern "C" __global__ void __launch_bounds__(kThreads)                                           \
      layernorm_dx_##NAME(const float* __restrict__ dy, const float* __restrict__ x,               \
                          const float* __restrict__ w, const float* __restrict__ means,            \
                          const float* __restrict__ rstds, float* __restrict__ dx, int M, int N) { \
    layernorm_dx<LAYOUT>(dy, x, w, means, rstds, dx, M, N);                                        \
  }                                                                                                \
  extern "C" __global__ void __launch_bounds__(kThreads)                                           \
      layernorm_dwdb_##NAME(const float* __restrict__ dy, const float* __restrict__ x,             \
                            const float* __restrict__ means, const float* __restrict__ rstds,      \
                            float* __restrict__ dw, float* __restrict__ db, int M, int N) {        \
    layernorm_dwdb<LAYOUT>(dy, x, means, rstds, dw, db, M, N);                                     \
  }

HEDDLE_HAND(rows, Rows)
HEDDLE_HAND(columns, Columns)
