// The fused attention of CUTLASS's example 41 for sm_80: f16, no dropout, no bias; compiled with -DQUERIES=64
// -DKEYS=64 -DHEAD=64.

#include <kernel_forward.h>

using Kernel = AttentionKernel<cutlass::half_t, cutlass::arch::Sm80, true, QUERIES, KEYS, HEAD, false, false>;

template __global__ void attention_kernel_batched_impl<Kernel>(Kernel::Params);

// How it is launched, for who reads the PTX.
extern "C" __device__ const int launch_threads = Kernel::kNumThreads;
extern "C" __device__ const int launch_shared_bytes = sizeof(Kernel::SharedStorage);
