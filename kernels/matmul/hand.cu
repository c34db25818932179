// Matrix products written by hand, to count instructions against: A and B are read in their own
// order, and the tile of B is kept so that neither writing nor reading it meets bank conflicts.

__device__ constexpr int kTileM = 64;
__device__ constexpr int kTileN = 64;
__device__ constexpr int kTileK = 16;
__device__ constexpr int kThreads = 256;

struct ByRows {
  static __device__ int a_shared(int i, int k) { return i * kTileK + k; }
  static __device__ int b_shared(int k, int j) { return k * kTileN + j; }
  // Where thread t begins in a tile that is read in the order of memory, and how far it goes on.
  static __device__ int row(int t, int, int columns) { return t / columns; }
  static __device__ int column(int t, int, int columns) { return t % columns; }
  static __device__ int rows(int, int columns) { return kThreads / columns; }
  static __device__ int columns(int, int) { return 0; }
  static __device__ int at(int i, int j, int, int columns) { return i * columns + j; }
};

struct ByColumns {
  static __device__ int a_shared(int i, int k) { return k * kTileM + i; }
  static __device__ int b_shared(int k, int j) { return k * (kTileN + 2) + j; }
  static __device__ int row(int t, int rows, int) { return t % rows; }
  static __device__ int column(int t, int rows, int) { return t / rows; }
  static __device__ int rows(int, int) { return 0; }
  static __device__ int columns(int rows, int) { return kThreads / rows; }
  static __device__ int at(int i, int j, int rows, int) { return j * rows + i; }
};

template <class OrderA, class OrderB>
__device__ void matmul(const float* __restrict__ a, const float* __restrict__ b,
                       float* __restrict__ c, int M, int N, int K, int GM) {
  __shared__ float a_tile[kTileM * kTileK];
  __shared__ float b_tile[kTileK * (kTileN + 2)];
  const int t = threadIdx.x;
  const int tm = t / 16;
  const int tn = t % 16;
  const int pid = blockIdx.x;
  const int nt_m = (M + kTileM - 1) / kTileM;
  const int nt_n = (N + kTileN - 1) / kTileN;
  const int in_group = GM * nt_n;
  const int first_m = pid / in_group * GM;
  const int group_size = min(nt_m - first_m, GM);
  const int m0 = (first_m + pid % in_group % group_size) * kTileM;
  const int n0 = pid % in_group / group_size * kTileN;

  float sum[4][4] = {};
  for (int k0 = 0; k0 < K; k0 += kTileK) {
#pragma unroll
    for (int v = 0; v < 4; ++v) {
      const int i = OrderA::row(t, kTileM, kTileK) + v * OrderA::rows(kTileM, kTileK);
      const int k = OrderA::column(t, kTileM, kTileK) + v * OrderA::columns(kTileM, kTileK);
      a_tile[OrderA::a_shared(i, k)] =
          m0 + i < M && k0 + k < K ? a[OrderA::at(m0 + i, k0 + k, M, K)] : 0.0f;
    }
#pragma unroll
    for (int v = 0; v < 4; ++v) {
      const int k = OrderB::row(t, kTileK, kTileN) + v * OrderB::rows(kTileK, kTileN);
      const int j = OrderB::column(t, kTileK, kTileN) + v * OrderB::columns(kTileK, kTileN);
      b_tile[OrderB::b_shared(k, j)] =
          k0 + k < K && n0 + j < N ? b[OrderB::at(k0 + k, n0 + j, K, N)] : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kTileK; ++k) {
      float x[4];
      float y[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) x[i] = a_tile[OrderA::a_shared(tm + 16 * i, k)];
#pragma unroll
      for (int j = 0; j < 4; ++j) y[j] = b_tile[OrderB::b_shared(k, tn + 16 * j)];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
#pragma unroll
        for (int j = 0; j < 4; ++j) sum[i][j] += x[i] * y[j];
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const int row = m0 + tm + 16 * i;
      const int column = n0 + tn + 16 * j;
      if (row < M && column < N) c[row * N + column] = sum[i][j];
    }
  }
}

#define HEDDLE_HAND(NAME, ORDER_A, ORDER_B)                                   \
  extern "C" __global__ void __launch_bounds__(kThreads)                      \
      matmul_##NAME(const float* __restrict__ a, const float* __restrict__ b, \
                    float* __restrict__ c, int M, int N, int K, int GM) {     \
    matmul<ORDER_A, ORDER_B>(a, b, c, M, N, K, GM);                           \
  }

HEDDLE_HAND(ab, ByRows, ByRows)
HEDDLE_HAND(atb, ByColumns, ByRows)
HEDDLE_HAND(abt, ByRows, ByColumns)
HEDDLE_HAND(atbt, ByColumns, ByColumns)
