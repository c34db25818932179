// Kernels of the .heddle files beside this one as one writes them by hand, to count instructions
// against: the same blocks, threads and steps, indices of int.

__device__ constexpr int kThreads = 256;

extern "C" __global__ void vector_add(const float* __restrict__ a, const float* __restrict__ b,
                                      float* __restrict__ c, int N) {
  const int first = blockIdx.x * 1024 + threadIdx.x;
#pragma unroll
  for (int k = 0; k < 1024; k += kThreads) {
    if (first + k < N) c[first + k] = a[first + k] + b[first + k];
  }
}

extern "C" __global__ void vector_add_by_fours(const float* __restrict__ a,
                                               const float* __restrict__ b, float* __restrict__ c,
                                               int N) {
  const int i = blockIdx.x * 1024 + 4 * threadIdx.x;
  if (i >= N) return;
  const float4 x = *reinterpret_cast<const float4*>(a + i);
  const float4 y = *reinterpret_cast<const float4*>(b + i);
  *reinterpret_cast<float4*>(c + i) = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
}

__device__ constexpr int kTile = 32;
__device__ constexpr int kRows = kThreads / kTile;

extern "C" __global__ void transpose(const float* __restrict__ a, float* __restrict__ b, int M,
                                     int N) {
  const int x = threadIdx.x % kTile;
  const int y = threadIdx.x / kTile;
  const int i = blockIdx.x * kTile + x;
  const int j = blockIdx.y * kTile + y;
#pragma unroll
  for (int k = 0; k < kTile; k += kRows) {
    if (i < M && j + k < N) b[(j + k) * M + i] = a[i * N + j + k];
  }
}

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
__device__ void transpose_through(const float* __restrict__ a, float* __restrict__ b, int M,
                                  int N) {
  __shared__ float tile[Layout::kSize];
  const int x = threadIdx.x % kTile;
  const int y = threadIdx.x / kTile;
  const int row = blockIdx.x * kTile;
  const int column = blockIdx.y * kTile;
#pragma unroll
  for (int k = 0; k < kTile; k += kRows) {
    const bool is_inside = row + y + k < M && column + x < N;
    tile[Layout::at(y + k, x)] = is_inside ? a[(row + y + k) * N + column + x] : 0.0f;
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < kTile; k += kRows) {
    if (column + y + k < N && row + x < M) {
      b[(column + y + k) * M + row + x] = tile[Layout::at(x, y + k)];
    }
  }
}

extern "C" __global__ void transpose_padded(const float* a, float* b, int M, int N) {
  transpose_through<Padded>(a, b, M, N);
}

// What the compiler chooses for a tile without a layout.
extern "C" __global__ void transpose_tile(const float* a, float* b, int M, int N) {
  transpose_through<Swizzled>(a, b, M, N);
}

extern "C" __global__ void transpose_swizzled(const float* a, float* b, int M, int N) {
  transpose_through<Swizzled>(a, b, M, N);
}

extern "C" __global__ void transpose_antidiagonal(const float* a, float* b, int M, int N) {
  transpose_through<Antidiagonal>(a, b, M, N);
}

__device__ constexpr int kBrick = 8;

// Points outside of the grid are 0.
extern "C" __global__ void stencil_array(const float* __restrict__ a, float* __restrict__ c, int Z,
                                         int Y, int X) {
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const int x = blockIdx.x * kBrick + threadIdx.x % kBrick;
    const int y = blockIdx.y * kBrick + threadIdx.x / kBrick % kBrick;
    const int z = blockIdx.z * kBrick + 2 * k + threadIdx.x / (kBrick * kBrick);
    if (x >= X || y >= Y || z >= Z) continue;
    const int at = (z * Y + y) * X + x;
    float sum = z > 0 ? a[at - Y * X] : 0.0f;
    sum += z + 1 < Z ? a[at + Y * X] : 0.0f;
    sum += y > 0 ? a[at - X] : 0.0f;
    sum += y + 1 < Y ? a[at + X] : 0.0f;
    sum += x > 0 ? a[at - 1] : 0.0f;
    sum += x + 1 < X ? a[at + 1] : 0.0f;
    c[at] = 0.5f * a[at] + 0.0625f * sum;
  }
}
