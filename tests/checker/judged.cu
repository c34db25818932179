// Kernels that are right, and beside them those that are not, a number each: two warps that double
// the 64 numbers of X. `n` is 64.

extern "C" __global__ void judged(int which, const float* X, float* Y, int n) {
  __shared__ float S[64];
  __shared__ float T[2][32];
  const int t = threadIdx.x;
  const float x = X[t];
  float y = 2 * x;
  switch (which) {
    case 0:  // one of two branches, a barrier, one of two branches
      if (t & 1) S[t] = x;
      __syncthreads();
      if (t & 1) y = 2 * S[t];
      break;
    case 1:  // half of a warp
      if (t % 32 < 16) y += __shfl_xor_sync(0xffff, 0.0f * x, 8);
      break;
    case 2:  // a sum of half of a warp, whose first lane has it
      if (t % 32 < 16) {
        float sum = 0 * x;
        for (int d = 8; d > 0; d /= 2) sum += __shfl_down_sync(0xffff, sum, d);
        if (t % 32 == 0) y += sum;
      }
      break;
    case 3:  // by both branches
      if (t & 1) y += __shfl_sync(~0u, 0.0f, 3);
      else y -= __shfl_sync(~0u, 0.0f, 3);
      break;
    case 4:  // halves of an element by two threads
      ((short*)&Y[t ^ 1])[0] = ((const short*)&y)[0];
      __syncthreads();
      ((short*)&Y[t])[1] = 0;
      break;
    case 5:  // rows follow one another
      T[0][t] = x;
      __syncthreads();
      y = T[0][t] + T[0][t];
      break;
    case 6:  // half of a warp by itself
      S[t] = x;
      if (t % 32 < 16) {
        __syncwarp(0xffff);
        y = 2 * S[t] + 0 * S[t ^ 8];
      }
      break;
    case 7:  // and it reads what the other half has
      S[t] = x;
      if (t % 32 < 16) {
        __syncwarp(0xffff);
        y += 0 * S[t + 16];
      }
      break;
    case 8: {  // a vector from between vectors
      const float4 four = *(const float4*)&X[t < 60 ? t : 0];
      y = four.x == x ? y : 2 * x;
      break;
    }
    case 9: {  // past the end of registers
      float r[4] = {x, x, x, x};
      for (int i = 0; i <= n / 16; ++i) y += 0 * r[i];
      break;
    }
    case 10: {  // no zeros to begin with
      float sum[2];
      for (int i = 0; i < n / 32; ++i) sum[i] += x;
      y = sum[0] + sum[1];
      break;
    }
    case 11:  // what is only read
      ((float*)X)[t] = x + 1;
      break;
    case 12:  // from lanes that are not there
      if (t % 32 < 16) y += 0 * __shfl_down_sync(0xffff, x, 8);
      if (t % 32 < 16 && t % 32 >= 8) y = __shfl_down_sync(0xff00, y, 8);
      break;
    case 13:  // on one line
      if (t < 32) __syncthreads(); else __syncthreads();
      break;
    case 14:  // others are in the way
      if (t < 16) y = __shfl_sync(~0u, y, t);
      else __syncwarp();
      break;
  }
  Y[t] = y;
}

// The sum of all, by the block that is the last one to be done.
extern "C" __global__ void last_block(int fences, const float* X, float* Y, unsigned* count,
                                      float* parts) {
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = X[blockIdx.x];
    if (fences) __threadfence();
    is_last = atomicInc(count, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last && threadIdx.x == 32) {
    float sum = 0;
    for (int i = 0; i < gridDim.x; ++i) sum += parts[i];
    Y[0] = sum;
  }
}
