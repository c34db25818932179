// The transposes written by hand, to count instructions against. Arithmetic as one writes it:
// global indices are int, and the tile is a two-dimensional array where it can be.

__device__ constexpr int kTile = 32;
__device__ constexpr int kRows = 8;

extern "C" __global__ void transpose_naive(const float* __restrict__ a, float* __restrict__ b,
                                           int M, int N) {
  const int j = blockIdx.x * kTile + threadIdx.x;
  const int i = blockIdx.y * kTile + threadIdx.y;
#pragma unroll
  for (int k = 0; k < kTile; k += kRows) {
    if (i + k < M && j < N) b[j * M + i + k] = a[(i + k) * N + j];
  }
}

struct RowMajor {
  static constexpr int kSize = kTile * kTile;
  static __device__ int at(int r, int c) { return r * kTile + c; }
};

struct Padded {
  static constexpr int kSize = kTile * (kTile + 1);
  static __device__ int at(int r, int c) { return r * (kTile + 1) + c; }
};

struct Swizzled {
  static constexpr int kSize = kTile * kTile;
  static __device__ int at(int r, int c) { return r * kTile + (c ^ r); }
};

// Before antidiagonal d there are 1 + 2 + … + d elements, as long as the diagonals grow; below the
// longest one they are counted from the end.
struct Antidiagonal {
  static constexpr int kSize = kTile * kTile;
  static __device__ int at(int r, int c) {
    const int d = r + c;
    if (d < kTile) return d * (d + 1) / 2 + r;
    const int e = 2 * kTile - 1 - d;
    return kTile * kTile - e * (e + 1) / 2 + r - (d - kTile + 1);
  }
};

template <class Layout>
__device__ void transpose(const float* __restrict__ a, float* __restrict__ b, int M, int N) {
  __shared__ float tile[Layout::kSize];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const int j = blockIdx.x * kTile + x;
  const int i = blockIdx.y * kTile + y;
#pragma unroll
  for (int k = 0; k < kTile; k += kRows) {
    if (i + k < M && j < N) tile[Layout::at(y + k, x)] = a[(i + k) * N + j];
  }
  __syncthreads();
  const int bi = blockIdx.y * kTile + x;
  const int bj = blockIdx.x * kTile + y;
#pragma unroll
  for (int k = 0; k < kTile; k += kRows) {
    if (bj + k < N && bi < M) b[(bj + k) * M + bi] = tile[Layout::at(x, y + k)];
  }
}

extern "C" __global__ void transpose_row_major(const float* __restrict__ a, float* __restrict__ b,
                                               int M, int N) {
  transpose<RowMajor>(a, b, M, N);
}

extern "C" __global__ void transpose_padded(const float* __restrict__ a, float* __restrict__ b,
                                            int M, int N) {
  transpose<Padded>(a, b, M, N);
}

extern "C" __global__ void transpose_swizzled(const float* __restrict__ a, float* __restrict__ b,
                                              int M, int N) {
  transpose<Swizzled>(a, b, M, N);
}

extern "C" __global__ void transpose_antidiagonal(const float* __restrict__ a,
                                                  float* __restrict__ b, int M, int N) {
  transpose<Antidiagonal>(a, b, M, N);
}
