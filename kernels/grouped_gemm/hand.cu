// Grouped matrix products written by hand, to count instructions against.

__device__ constexpr int kTileM = 64;
__device__ constexpr int kTileN = 64;
__device__ constexpr int kTileK = 16;
__device__ constexpr int kThreads = 256;

struct ByProblem {
  static __device__ int at(int g, int field, int) { return g * 6 + field; }
};

struct ByField {
  static __device__ int at(int g, int field, int G) { return field * G + g; }
};

template <class Table>
__device__ void grouped_gemm(const float* __restrict__ as, const float* __restrict__ bs,
                             float* __restrict__ cs, const int* __restrict__ problems, int G) {
  __shared__ float a_tile[kTileM][kTileK];
  __shared__ float b_tile[kTileK][kTileN];
  const int t = threadIdx.x;
  const int tm = t / 16;
  const int tn = t % 16;
  int pid = blockIdx.x;
  for (int g = 0; g < G; ++g) {
    const int M = problems[Table::at(g, 0, G)];
    const int N = problems[Table::at(g, 1, G)];
    const int K = problems[Table::at(g, 2, G)];
    const float* a = as + problems[Table::at(g, 3, G)];
    const float* b = bs + problems[Table::at(g, 4, G)];
    float* c = cs + problems[Table::at(g, 5, G)];
    const int nt_m = (M + kTileM - 1) / kTileM;
    const int nt_n = (N + kTileN - 1) / kTileN;
    const int tiles = nt_m * nt_n;
    for (; pid < tiles; pid += gridDim.x) {
      const int m0 = pid / nt_n * kTileM;
      const int n0 = pid % nt_n * kTileN;

      float sum[4][4] = {};
      for (int k0 = 0; k0 < K; k0 += kTileK) {
#pragma unroll
        for (int v = 0; v < 4; ++v) {
          const int i = t / kTileK + v * (kThreads / kTileK);
          const int k = t % kTileK;
          a_tile[i][k] = m0 + i < M && k0 + k < K ? a[(m0 + i) * K + k0 + k] : 0.0f;
        }
#pragma unroll
        for (int v = 0; v < 4; ++v) {
          const int k = t / kTileN + v * (kThreads / kTileN);
          const int j = t % kTileN;
          b_tile[k][j] = k0 + k < K && n0 + j < N ? b[(k0 + k) * N + n0 + j] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < kTileK; ++k) {
          float x[4];
          float y[4];
#pragma unroll
          for (int i = 0; i < 4; ++i) x[i] = a_tile[tm + 16 * i][k];
#pragma unroll
          for (int j = 0; j < 4; ++j) y[j] = b_tile[k][tn + 16 * j];
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
    pid -= tiles;
  }
}

extern "C" __global__ void __launch_bounds__(kThreads)
    grouped_gemm_by_problem(const float* __restrict__ as, const float* __restrict__ bs,
                            float* __restrict__ cs, const int* __restrict__ problems, int G) {
  grouped_gemm<ByProblem>(as, bs, cs, problems, G);
}

extern "C" __global__ void __launch_bounds__(kThreads)
    grouped_gemm_by_field(const float* __restrict__ as, const float* __restrict__ bs,
                          float* __restrict__ cs, const int* __restrict__ problems, int G) {
  grouped_gemm<ByField>(as, bs, cs, problems, G);
}
