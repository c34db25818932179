// C = A B^T: a tile of 64 by 64 for every block of 128 threads, along K in steps of 32 that lie in
// two stages of shared memory. Rows of 64 bytes are 4 pieces of 16, which are exchanged so that 8 rows
// one below the other lie in different banks. K is a multiple of 8.

__device__ int piece(int stage, int row, int column) {
  return ((stage * 64 + row) * 4 + (column ^ (row >> 1 & 3))) * 8;
}

// Rows past the end are zeros.
__device__ void load(unsigned short* tile, const unsigned short* from, int stage, int first, int rows,
                     int k, int K) {
  for (int i = threadIdx.x; i < 256; i += 128) {
    const int row = i / 4;
    const int column = i % 4;
    const bool is_inside = first + row < rows && k + 8 * column < K;
    const long long place = is_inside ? (long long)(first + row) * K + k + 8 * column : 0;
    cp_async_16(&tile[piece(stage, row, column)], &from[place], is_inside ? 16 : 0);
  }
}

extern "C" __global__ void __launch_bounds__(128)
gemm(const unsigned short* A, const unsigned short* B, float* C, int M, int N, int K) {
  __shared__ __align__(16) unsigned short As[2 * 64 * 32];
  __shared__ __align__(16) unsigned short Bs[2 * 64 * 32];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  float acc[2][4][4];
  for (int i = 0; i < 32; ++i) acc[i / 16][i / 4 % 4][i % 4] = 0;
  const int steps = (K + 31) / 32;
  load(As, A, 0, 64 * blockIdx.x, M, 0, K);
  load(Bs, B, 0, 64 * blockIdx.y, N, 0, K);
  cp_async_commit();
  for (int step = 0; step < steps; ++step) {
    const int stage = step % 2;
    if (step + 1 < steps) {
      load(As, A, 1 - stage, 64 * blockIdx.x, M, 32 * (step + 1), K);
      load(Bs, B, 1 - stage, 64 * blockIdx.y, N, 32 * (step + 1), K);
    }
    cp_async_commit();
    cp_async_wait<1>();
    __syncthreads();
    for (int k = 0; k < 2; ++k) {
      unsigned a[2][4];
      unsigned b[2][4];
      for (int i = 0; i < 2; ++i) {
        const int row = 32 * (warp / 2) + 16 * i + lane % 16;
        ldmatrix_x4(a[i], &As[piece(stage, row, 2 * k + lane / 16)]);
      }
      for (int j = 0; j < 2; ++j) {
        const int row = 32 * (warp % 2) + 16 * j + lane / 16 * 8 + lane % 8;
        ldmatrix_x4(b[j], &Bs[piece(stage, row, 2 * k + lane / 8 % 2)]);
      }
      for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 4; ++j) {
          mma_m16n8k16_f32_f16_f16_f32(acc[i][j], a[i], &b[j / 2][j % 2 * 2], acc[i][j]);
        }
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < 32; ++i) {
    const int row = 64 * blockIdx.x + 32 * (warp / 2) + i / 16 * 16 + i / 2 % 2 * 8 + lane / 4;
    const int column = 64 * blockIdx.y + 32 * (warp % 2) + i / 4 % 4 * 8 + lane % 4 * 2 + i % 2;
    if (row < M && column < N) C[(long long)row * N + column] = acc[i / 16][i / 4 % 4][i % 4];
  }
}
