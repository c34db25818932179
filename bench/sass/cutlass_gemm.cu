// CUTLASS's GEMM of one tile for sm_80, D = A B in f32 for A in rows and B in columns of f16; by warps
// of 64x64. Compiled with -DM=128 -DN=128 -DK=32 -DSTAGES=3.

#include <cutlass/gemm/device/gemm.h>

using Half = cutlass::half_t;
using Kernel = cutlass::gemm::device::Gemm<
    Half, cutlass::layout::RowMajor, Half, cutlass::layout::ColumnMajor, float,
    cutlass::layout::RowMajor, float, cutlass::arch::OpClassTensorOp, cutlass::arch::Sm80,
    cutlass::gemm::GemmShape<TILE_M, TILE_N, TILE_K>, cutlass::gemm::GemmShape<64, 64, TILE_K>,
    cutlass::gemm::GemmShape<16, 8, 16>,
    cutlass::epilogue::thread::LinearCombination<float, 4, float, float>,
    cutlass::gemm::threadblock::GemmIdentityThreadblockSwizzle<>, STAGES>::GemmKernel;

template __global__ void cutlass::Kernel<Kernel>(Kernel::Params);

// How it is launched, for who reads the PTX.
extern "C" __device__ const int launch_threads = Kernel::kThreadCount;
extern "C" __device__ const int launch_shared_bytes = sizeof(Kernel::SharedStorage);
