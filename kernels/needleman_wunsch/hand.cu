// The kernels written by hand, to count instructions against.

__device__ constexpr int kBlock = 32;

template <int kPitch>
struct Rows {
  static constexpr int kSize = kBlock * kPitch + kBlock + 1;
  static __device__ int at(int r, int c) { return r * kPitch + c; }
};

// Before antidiagonal d there are 1 + 2 + … + d elements, as long as the diagonals grow; below the
// longest one they are counted from the end.
struct Antidiagonals {
  static constexpr int kSide = kBlock + 1;
  static constexpr int kSize = kSide * kSide;
  static __device__ int at(int r, int c) {
    const int d = r + c;
    if (d < kSide) return d * (d + 1) / 2 + r;
    const int e = 2 * kSide - 1 - d;
    return kSize - e * (e + 1) / 2 + r - (d - kSide + 1);
  }
};

template <class Layout>
__device__ void align(const int* __restrict__ similarity, int* __restrict__ score, int M, int N,
                      int penalty, int first_m, int first_n) {
  __shared__ int buffer[Layout::kSize];
  __shared__ int tile[kBlock][kBlock];
  const int t = threadIdx.x;
  const int top = (first_m + blockIdx.x) * kBlock;
  const int left = (first_n - blockIdx.x) * kBlock;
  const int row = top + t + 1;
  const int column = left + t + 1;

#pragma unroll 8
  for (int r = 0; r < kBlock; ++r) {
    const int i = top + r + 1;
    if (i < M && column < N) tile[r][t] = similarity[i * N + column];
  }
  if (column < N) buffer[Layout::at(0, t + 1)] = score[top * N + column];
  if (row < M) buffer[Layout::at(t + 1, 0)] = score[row * N + left];
  if (t == 0) buffer[Layout::at(0, 0)] = score[top * N + left];
  __syncwarp();

  for (int d = 0; d < 2 * kBlock - 1; ++d) {
    const int c = d - t;
    if (0 <= c && c < kBlock) {
      const int both = buffer[Layout::at(t, c)] + tile[t][c];
      const int one = max(buffer[Layout::at(t + 1, c)], buffer[Layout::at(t, c + 1)]);
      buffer[Layout::at(t + 1, c + 1)] = max(both, one - penalty);
    }
    __syncwarp();
  }

#pragma unroll 8
  for (int r = 0; r < kBlock; ++r) {
    const int i = top + r + 1;
    if (i < M && column < N) score[i * N + column] = buffer[Layout::at(r + 1, t + 1)];
  }
}

#define KERNEL(variant, layout)                                                                  \
  extern "C" __global__ void needleman_wunsch_##variant(const int* __restrict__ similarity,      \
                                                        int* __restrict__ score, int M, int N,   \
                                                        int penalty, int first_m, int first_n) { \
    align<layout>(similarity, score, M, N, penalty, first_m, first_n);                           \
  }

KERNEL(row_major, Rows<kBlock + 1>)
KERNEL(padded, Rows<kBlock + 2>)
KERNEL(antidiagonal, Antidiagonals)
