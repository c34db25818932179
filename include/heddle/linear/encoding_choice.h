#pragma once

// The encodings that Triton chooses if the program names none, and the reverse question of a
// compiler: which nvmma_shared is this layout?
//
//   default_blocked_encoding({16, 32}, 4)     #ttg.blocked<{sizePerThread = [1, 1],
//                                               threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], …
//   swizzled_shared_encoding(dot_operand_of(mma, 0, 2), {128, 64}, {1, 0}, 16)
//                                             #ttg.swizzled_shared<{vec = 8, perPhase = 1,
//                                               maxPhase = 8, order = [1, 0]}>
//
// Sources: the builders in Triton's TritonGPUAttrDefs.td, Coalesce.cpp, NvmmaSmemAttrs.cpp and
// LinearLayoutConversions.cpp.

#include <cstdint>
#include <span>

#include "heddle/linear/encoding.h"

#pragma GCC visibility push(default)
namespace heddle::linear {

/// The threads among which a tensor is distributed.
struct Threads {
  std::int64_t warps = 4;
  std::int64_t threads_per_warp = 32;
  std::int64_t ctas = 1;
};

/// Threads with a box of `size_per_thread` each are distributed along `order` until each dimension
/// of the tensor is full; the remaining ones go to the last dimension. CTAs are distributed from
/// the last dimension of `order` to the first. Refuses what to_linear_layout() refuses, and
/// `encoding.sizes`.
[[nodiscard]] Result<BlockedEncoding> blocked_encoding(std::span<const std::int64_t> shape,
                                                       const Sizes& size_per_thread,
                                                       const Order& order, const Threads& threads);
/// One element per thread, rows contiguous: for a tensor whose encoding no access determines yet.
[[nodiscard]] Result<BlockedEncoding> default_blocked_encoding(std::span<const std::int64_t> shape,
                                                               const Threads& threads = {});
/// For a tensor in global memory that is contiguous and aligned along order[0]: accesses of up to
/// 128 bits, but no wider than leaves work for all threads.
[[nodiscard]] Result<BlockedEncoding> coalesced_encoding(std::span<const std::int64_t> shape,
                                                         const Order& order,
                                                         std::int64_t element_bits,
                                                         const Threads& threads = {});

/// The shared memory from which ldmatrix loads the operand of an mma (mma.sync or wgmma) without
/// bank conflicts; for another parent, without a swizzle. `transposed`: the operand will be read
/// transposed. Refuses `encoding.rank`, `encoding.order`, `encoding.shape`, `encoding.sizes`,
/// `encoding.parent`.
[[nodiscard]] Result<SwizzledSharedEncoding> swizzled_shared_encoding(
    const DotOperandEncoding& operand, std::span<const std::int64_t> shape, const Order& order,
    std::int64_t element_bits, const CtaLayout& ctas = {}, bool transposed = false);

/// The nvmma_shared of a tensor with the widest swizzle that its rows (along order[0]) fill.
/// Refuses `encoding.rank`, `encoding.order`, `encoding.shape`, `encoding.sizes`.
[[nodiscard]] Result<NvmmaSharedEncoding> nvmma_shared_encoding(std::span<const std::int64_t> shape,
                                                                const Order& order,
                                                                std::int64_t element_bits,
                                                                bool fp4_padded = false,
                                                                const CtaLayout& ctas = {});

/// The nvmma_shared whose core matrices make up the layout (offset, block) -> (dim0, dim1), as a
/// matrix descriptor needs it: the swizzle, which dimension is contiguous, and whether 4-bit
/// elements are padded. Without a swizzle a core matrix is 8 rows of 16 bytes. Refuses
/// `encoding.not_nvmma` with the first bit of the offset that differs, `encoding.linear`,
/// `encoding.sizes`.
[[nodiscard]] Result<NvmmaSharedEncoding> recognize_nvmma_shared(const LinearLayout& layout,
                                                                 std::int64_t element_bits);

/// The registers that hold the scale factors of mma.sync with block scaling (sm_120): `shape` is (m
/// or n, k / group). The lanes of a quad hold the same factors. Refuses `encoding.rank`,
/// `encoding.shape`, `encoding.sizes`, `encoding.parameter` for an operand other than 0 and 1.
[[nodiscard]] Result<LinearLayout> sm120_dot_scaled_scale_layout(
    std::span<const std::int64_t> shape, int op_idx, const Sizes& warps_per_cta,
    const CtaLayout& ctas = {});

/// The registers that hold the scale factors of v_mfma_scale (gfx950) for an operand of amd_mfma:
/// `shape` is (m or n, k / 32). Refuses `encoding.rank`, `encoding.shape`, `encoding.sizes`,
/// `encoding.parent` for another parent, `encoding.parameter` for other instructions than 16 x 16
/// and 32 x 32, and for an operand other than 0 and 1.
[[nodiscard]] Result<LinearLayout> mfma_scale_layout(const DotOperandEncoding& operand,
                                                     std::span<const std::int64_t> shape);
/// The registers that hold the scale factors of v_wmma_scale (gfx1250) for an operand of amd_wmma:
/// `shape` is (m or n, k / scale_factor), the factor 16 or 32. An instruction of 16 rows reads the
/// factors from half of the lanes; the others have those of the next tile of the warp. Refuses as
/// mfma_scale_layout().
[[nodiscard]] Result<LinearLayout> wmma_scale_layout(const DotOperandEncoding& operand,
                                                     std::span<const std::int64_t> shape,
                                                     std::int64_t scale_factor = 32);

}  // namespace heddle::linear
#pragma GCC visibility pop
