// A mistake for each number, and beside it what is right.

extern "C" __global__ void mistakes(int which, float* X, int n) {
  __shared__ float S[64];
  __shared__ __align__(16) float T[64];
  const int t = threadIdx.x;
  unsigned r[4] = {};
  switch (which) {
    case 0:
      X[n + t] = 1;
      break;
    case 1:
      S[t + 1] = t;
      break;
    case 2:
      X[t] = S[t];
      break;
    case 3:
      S[t] = t;
      X[t] = S[63 - t];
      break;
    case 4:
      S[t] = t;
      __syncthreads();
      X[t] = S[63 - t];
      break;
    case 5:
      S[t] = t;
      __syncwarp();
      X[t] = S[t ^ 31];
      break;
    case 6:
      cp_async_4(&T[t], &X[t], 4);
      cp_async_commit();
      r[0] = T[t];
      cp_async_wait<0>();
      break;
    case 7:
      cp_async_4(&T[t], &X[t], 4);
      cp_async_commit();
      cp_async_wait<0>();
      X[t] = T[t];
      break;
    case 8:
      cp_async_4(&T[t], &X[t], 4);
      cp_async_commit();
      cp_async_wait<1>();
      break;
    case 9:
      cp_async_4(&T[t], &X[t], 4);
      cp_async_commit();
      X[t] = 0;
      cp_async_wait<0>();
      break;
    case 10:
      if (t < 4) cp_async_16(&T[t], &X[4 * t], 16);
      break;
    case 11:
      if (t < 16) {
        __syncwarp();
      } else {
        __syncthreads();
      }
      break;
    case 12:
      if (t < 32) __syncthreads();
      break;
    case 13:
      T[t] = t;
      __syncthreads();
      if (t < 16) {
        ldmatrix_x1(r, &T[4 * (t % 8)]);
      } else {
        ldmatrix_x1(r, &T[4 * (t % 8)]);
        r[0] += 1;
      }
      break;
    case 14:
      X[t] = __shfl_xor_sync(0xff, t, 1);
      break;
    case 15:
      X[0] = 1;
      break;
    case 16:
      atomicAdd(&X[0], 1.0f);
      break;
    case 17:
      T[t] = t;
      __syncthreads();
      ldmatrix_x1(r, &T[t % 8]);
      break;
    case 18:
      T[t] = t;
      if (t < 32) __syncthreads();
      else __syncthreads();
      break;
    case 19:
      while (n > 0) n |= 1;
      X[t] = n;
      break;
    case 20:
      X[t] = t / (n - 60);
      break;
  }
  if (r[0] == 1) X[0] = 1;
}
