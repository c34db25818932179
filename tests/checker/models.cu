// What CUDA C++ has, a number each: two warps write what they find to X.

__device__ int lane() { return threadIdx.x % 32; }

extern "C" __global__ void models(int which, int* X, unsigned* A, int n) {
  __shared__ int S[64];
  const int t = threadIdx.x;
  const unsigned all = 0xffffffffu;
  switch (which) {
    case 0:  // barriers with votes
      X[t] = __syncthreads_count(t < 5);
      X[t] = 4 * X[t] + 2 * __syncthreads_or(t == 63) + __syncthreads_and(t >= 0);
      break;
    case 1:
      X[t] = 2 * __syncthreads_or(t < 0) + __syncthreads_and(t < 63);
      break;
    case 2:  // votes of warps
      X[t] = __ballot_sync(all, lane() == 3 || t == 40);
      break;
    case 3:
      X[t] = 2 * __any_sync(all, t == 40) + __all_sync(all, t < 32);
      break;
    case 4:
      X[t] = __match_any_sync(all, t % 2);
      break;
    case 5: {
      int same = 0;
      const unsigned lanes = __match_all_sync(all, (long long)(t / 32 == 0 ? 7 : t), &same);
      X[t] = same ? lanes == all : -1;
      break;
    }
    case 6:
      X[t] = 10000 * __reduce_add_sync(all, lane()) + 100 * __reduce_max_sync(all, lane()) +
             __reduce_min_sync(all, t);
      break;
    case 7:
      X[t] = __reduce_or_sync(all, 1u << lane()) == all ? __reduce_xor_sync(all, t) +
                 __reduce_and_sync(all, t) : -1;
      break;
    case 8:  // shuffles
      X[t] = __shfl_sync(all, t, 5) + 100 * __shfl_up_sync(all, lane(), 1) +
             10000 * __shfl_down_sync(all, lane(), 2, 16);
      break;
    case 9:  // atomics
      atomicAdd(&A[0], 1);
      atomicSub(&A[1], 1);
      atomicMax(&A[2], t);
      atomicMin(&A[3], t);
      atomicAnd(&A[4], ~(1u << lane()));
      atomicOr(&A[5], 1u << lane());
      atomicXor(&A[6], t);
      atomicInc(&A[7], 9);
      atomicDec(&A[8], 9);
      atomicCAS(&A[9], t, t + 1);
      X[t] = atomicExch(&A[10], t);
      break;
    case 10: {  // loads, stores, vectors
      const int4 four = __ldg((const int4*)X + t % 4);
      const float3 three = make_float3(four.x, four.y, four.z);
      const double2 two = make_double2(three.x, three.z);
      __syncthreads();
      __stcs(&X[t], four.w + int(two.y) + int(sizeof(float3) + alignof(uchar4) + alignof(short3)));
      break;
    }
    case 11:  // what a kernel says
      if (t < 2) printf("thread %d of %s\n", t, "models");
      break;
    case 12:  // one warp makes what the other one takes, and gives back
      if (t < 32) {
        S[t] = t;
        __barrier_sync_count(1, 64);
      } else {
        __barrier_sync_count(1, 64);
        X[t] = S[t - 32];
      }
      break;
    case 13:  // two pairs, each warp with a barrier of its own
      S[t] = t;
      __barrier_sync_count(1 + t / 32, 32);
      X[t] = S[t ^ 31];
      break;
    case 14:  // of another warp, and only this one has waited
      S[t] = t;
      __barrier_sync_count(1 + t / 32, 32);
      X[t] = S[t ^ 32];
      break;
    case 15:  // all of the block
      S[t] = t;
      __barrier_sync(3);
      X[t] = S[63 - t];
      break;
    case 16:
      __barrier_sync_count(1, 40);
      break;
    case 17:
      __barrier_sync_count(16, 64);
      break;
    case 18:  // nobody else comes
      if (t < 32) __barrier_sync_count(1, 64);
      break;
    case 19:  // an update is no read
      atomicAdd(&A[0], 1);
      X[t] = A[0];
      break;
    case 20:  // half of each warp
      if (t % 2 == 0) __barrier_sync_count(1, 32);
      break;
  }
}

// A ring of four warps, where each hears of all before it.
extern "C" __global__ void ring(int* X, int last) {
  __shared__ int S[128];
  const int t = threadIdx.x;
  const int warp = t / 32;
  S[t] = t;
  if (warp > 0) __barrier_sync_count(warp, 64);
  if (warp < last) __barrier_sync_count(warp + 1, 64);
  if (warp == 3) X[t] = S[t - 96] + S[t - 64];
}
