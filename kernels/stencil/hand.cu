// The stencils written by hand, to count instructions against: an array by its pitches, bricks by
// what each coordinate adds to the index.

__device__ constexpr int kBrick = 8;
__device__ constexpr int kGhost = 8;

__device__ constexpr float weight(int steps) { return 1.0f / (1 << steps); }

struct Array {
  int pitch;
  int area;
  __device__ Array(int Y, int X) : pitch(X), area(Y * X) {}
  __device__ int z(int z) const { return z * area; }
  __device__ int y(int y) const { return y * pitch; }
  __device__ int x(int x) const { return x; }
};

struct Bricks {
  int pitch;
  int area;
  __device__ Bricks(int Y, int X) : pitch(kBrick * kBrick * X), area(kBrick * Y * X) {}
  __device__ int z(int z) const { return (z >> 3) * area + ((z & 7) << 6); }
  __device__ int y(int y) const { return (y >> 3) * pitch + ((y & 7) << 3); }
  __device__ int x(int x) const { return ((x >> 3) << 9) + (x & 7); }
};

template <int kRadius, class Layout>
__device__ void star(const float* __restrict__ in, float* __restrict__ out, Layout at, int z, int y,
                     int x) {
  const int plane = at.z(z);
  const int row = at.y(y);
  const int column = at.x(x);
  const float* along_z = in + (row + column);
  const float* along_y = in + (plane + column);
  const float* along_x = in + (plane + row);
  float sum = along_x[column];
#pragma unroll
  for (int r = 1; r <= kRadius; ++r) {
    sum += weight(r) * (along_z[at.z(z - r)] + along_z[at.z(z + r)] + along_y[at.y(y - r)] +
                        along_y[at.y(y + r)] + along_x[at.x(x - r)] + along_x[at.x(x + r)]);
  }
  out[plane + row + column] = sum;
}

template <int kRadius, class Layout>
__device__ void cube(const float* __restrict__ in, float* __restrict__ out, Layout at, int z, int y,
                     int x) {
  float sum = 0;
#pragma unroll
  for (int k = -kRadius; k <= kRadius; ++k) {
    const float* plane = in + at.z(z + k);
#pragma unroll
    for (int j = -kRadius; j <= kRadius; ++j) {
      const float* row = plane + at.y(y + j);
#pragma unroll
      for (int i = -kRadius; i <= kRadius; ++i) {
        sum += weight(abs(k) + abs(j) + abs(i)) * row[at.x(x + i)];
      }
    }
  }
  out[at.z(z) + at.y(y) + at.x(x)] = sum;
}

#define KERNEL(name, variant, shape, radius, layout, threads_z, threads_y, threads_x)           \
  extern "C" __global__ void name##_##variant(const float* __restrict__ in,                     \
                                              float* __restrict__ out, int /*Z*/, int Y, int X, \
                                              int n_z, int n_y, int n_x) {                      \
    const int z = kGhost + blockIdx.z * threads_z + threadIdx.z;                                \
    const int y = kGhost + blockIdx.y * threads_y + threadIdx.y;                                \
    const int x = kGhost + blockIdx.x * threads_x + threadIdx.x;                                \
    if (z < n_z + kGhost && y < n_y + kGhost && x < n_x + kGhost) {                             \
      shape<radius>(in, out, layout(Y, X), z, y, x);                                            \
    }                                                                                           \
  }

#define KERNELS(variant, layout, threads_z, threads_y, threads_x)           \
  KERNEL(star7, variant, star, 1, layout, threads_z, threads_y, threads_x)  \
  KERNEL(star13, variant, star, 2, layout, threads_z, threads_y, threads_x) \
  KERNEL(star19, variant, star, 3, layout, threads_z, threads_y, threads_x) \
  KERNEL(star25, variant, star, 4, layout, threads_z, threads_y, threads_x) \
  KERNEL(cube27, variant, cube, 1, layout, threads_z, threads_y, threads_x) \
  KERNEL(cube125, variant, cube, 2, layout, threads_z, threads_y, threads_x)

KERNELS(array, Array, 4, 4, 32)
KERNELS(array_cubes, Array, 8, 8, 8)
KERNELS(bricks, Bricks, 8, 8, 8)
