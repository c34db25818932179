#pragma once

// Triton's layout encodings: the attributes #ttg.blocked, #ttg.slice, … that tensors and buffers
// carry, and what each means as a linear layout once the shape of the tensor is known.
//
//   BlockedEncoding blocked{.size_per_thread = {1, 4}, .threads_per_warp = {4, 8},
//                           .warps_per_cta = {4, 1}, .order = {1, 0}};
//   to_linear_layout(blocked, {16, 32})
//    - register=1 -> (0, 1)
//      register=2 -> (0, 2)
//    - lane=1 -> (0, 4) …
//
// Distributed encodings (blocked, slice, linear, nvidia_mma, amd_mfma, amd_wmma, dpas, dot_op) give
// layouts (register, lane, warp, block) -> (dim0, dim1, …), the element that each place in the
// hardware holds: replicated if the tensor is smaller than the tile, wrapped into more registers if
// it is larger. Shared encodings (swizzled_shared, amd_rotating_shared, nvmma_shared,
// shared_linear, padded_shared) give (offset, block) -> (dim0, …), offsets in elements;
// partitioned_shared adds the input `partition`. Tensor memory gives (row, col, block) -> (dim0,
// dim1).
//
// A buffer may be viewed in part: view_layout(shared, {64, 64}, {64, 32}) is where the left half of
// a buffer of 64 x 64 elements is stored within the whole.
//
// Sizes are in elements, lists are indexed by tensor dimension, `order` lists dimensions fastest
// first. Everything is a power of two. Sources: Triton's TritonGPUAttrDefs.td,
// TritonNvidiaGPUAttrDefs.td, Dialect.cpp and LinearLayoutConversions.cpp, and those of its back
// end for Intel GPUs; the PTX ISA's tables of mma and wgmma fragments; Gluon's AMD layouts.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "heddle/core/hash.h"
#include "heddle/core/result.h"
#include "heddle/linear/linear_layout.h"

#pragma GCC visibility push(default)
namespace heddle::linear {

using Sizes = std::vector<std::int64_t>;
using Order = std::vector<int>;

/// How the CTAs of a cluster divide a tensor among them: the images of the bits of `block`, as
/// Triton prints them. In `CGALayout = [[0, 1], [0, 0]]` a CTA of odd rank holds the next part
/// along dim1, and the next two CTAs repeat these parts. No bases mean one CTA, for a tensor of any
/// rank.
struct CtaLayout {
  std::vector<std::vector<std::int64_t>> block_bases;

  /// From Triton's older form: the number of CTAs along each dimension, of which `split_num` hold
  /// different parts (the others repeat them), numbered along `order`. Refuses `encoding.rank`,
  /// `encoding.sizes`, `encoding.order`, and `encoding.cta_layout` if there are more parts than
  /// CTAs.
  [[nodiscard]] static Result<CtaLayout> make(const Sizes& ctas_per_cga, const Sizes& split_num,
                                              const Order& order);

  friend bool operator==(const CtaLayout&, const CtaLayout&) = default;
};

/// The division in Triton's older form: `split_num` parts along each dimension, and the number of
/// CTAs, where those that repeat a part count for the dimension that was split before them; the
/// dimensions in the order in which the bits of `block` run through them.
struct CtaSplit {
  Sizes ctas_per_cga;
  Sizes split_num;
  Order order = {};

  friend bool operator==(const CtaSplit&, const CtaSplit&) = default;
};
/// The older form of a CTA layout. Refuses `encoding.rank`, `encoding.cta_layout`.
[[nodiscard]] Result<CtaSplit> cta_split(const CtaLayout& ctas, std::size_t rank);

/// #ttg.blocked: each thread holds a box of elements; threads and warps are arranged in grids.
struct BlockedEncoding {
  Sizes size_per_thread = {};
  Sizes threads_per_warp = {};
  Sizes warps_per_cta = {};
  Order order = {};
  CtaLayout ctas = {};

  friend bool operator==(const BlockedEncoding&, const BlockedEncoding&) = default;
};

/// #ttg.linear: the layout itself, (register, lane, warp, block) -> dims, each bit along one
/// dimension at most. For a larger tensor registers are added, for a smaller one bits repeat.
/// #ttg.generic_linear: bits of `warp` may move along several dimensions at once.
struct LinearEncoding {
  LinearLayout layout = {};
  bool generic = false;

  friend bool operator==(const LinearEncoding&, const LinearEncoding&) = default;
};

/// #ttg.nvidia_mma: the accumulator of mma.sync (version 2) and wgmma (version 3).
struct NvidiaMmaEncoding {
  int version_major = 2;
  int version_minor = 0;
  Sizes warps_per_cta = {};
  /// Version 2: (m, n), (16, 8) or, for 64-bit elements, (8, 8), preceded by a 1 for a batch
  /// dimension. Version 3: the part of the instruction that one warp has, (m, n, k): (16, 64, 16).
  Sizes instr_shape = {};
  CtaLayout ctas = {};

  friend bool operator==(const NvidiaMmaEncoding&, const NvidiaMmaEncoding&) = default;
};

/// #ttg.amd_mfma: the accumulator of v_mfma, the matrix instruction of AMD's CDNA machines, whose
/// waves have 64 lanes. The tiles of the whole tensor are in the registers row by row.
struct AmdMfmaEncoding {
  /// 1 for gfx908, 2 for gfx90a, 3 for gfx942, 4 for gfx950, which have the same layouts; 0 in
  /// older texts that name none.
  int version = 3;
  Sizes warps_per_cta = {};
  /// (m, n, k), with (m, n) one of (32, 32), (16, 16), (64, 4), (4, 64); older texts have no k.
  Sizes instr_shape = {};
  /// A lane holds neighbours along n in place of m: A and B have changed places.
  bool is_transposed = false;
  /// The tiles that a warp has side by side; empty for one.
  Sizes tiles_per_warp = {};
  /// 64 for f64, otherwise 32.
  std::int64_t element_bit_width = 32;
  CtaLayout ctas = {};

  friend bool operator==(const AmdMfmaEncoding&, const AmdMfmaEncoding&) = default;
};

/// #ttg.amd_wmma: the accumulator of v_wmma, the matrix instruction of AMD's RDNA machines and of
/// gfx1250, for waves of 32 lanes.
struct AmdWmmaEncoding {
  /// 1 for RDNA3, 2 for RDNA4, 3 for gfx1250.
  int version = 1;
  /// A lane holds neighbours along n in place of m; an instruction of 32 x 16 computes 16 x 32.
  bool is_transposed = false;
  /// (register, warp) -> (dim0, dim1, …), counted in tiles: those that each warp has.
  LinearLayout cta_layout = {};
  /// (m, n, k).
  Sizes instr_shape = {16, 16, 16};
  CtaLayout ctas = {};

  /// The tiles of `warps_per_cta` warps with `tiles_per_warp` (empty for one) neighbours each, the
  /// last dimension first: the older form of cta_layout. Refuses `encoding.rank`, `encoding.sizes`.
  [[nodiscard]] static Result<LinearLayout> make_cta_layout(const Sizes& warps_per_cta,
                                                            const Sizes& tiles_per_warp);

  friend bool operator==(const AmdWmmaEncoding&, const AmdWmmaEncoding&) = default;
};

/// #ttg.swizzled_shared: rows along order[0], whose groups of `vec` elements are XORed by
/// (row / per_phase) % max_phase, where order[1] counts the rows.
/// #ttg.amd_rotating_shared: XORed also by (row / per_phase / max_phase) % max_phase.
struct SwizzledSharedEncoding {
  std::int64_t vec = 1;
  std::int64_t per_phase = 1;
  std::int64_t max_phase = 1;
  Order order = {};
  CtaLayout ctas = {};
  bool rotating = false;

  friend bool operator==(const SwizzledSharedEncoding&, const SwizzledSharedEncoding&) = default;
};

/// #ttg.nvmma_shared: the layout that wgmma, tcgen05 and TMA read: 8 rows of 32, 64 or 128 bytes,
/// 16-byte units XORed by the row; 0 means not swizzled. Rows run along the last dimension, or
/// along the first if `transposed`. A tensor larger than one TMA box (256 along each dimension, and
/// one row of the swizzle) is a sequence of such boxes.
struct NvmmaSharedEncoding {
  std::int64_t swizzling_byte_width = 0;
  bool transposed = false;
  std::int64_t element_bit_width = 16;
  /// After each 8 bytes of packed 4-bit elements, 8 bytes are left unused.
  bool fp4_padded = false;
  /// The rank of the tensor; Triton prints it only if it is not 2.
  int rank = 2;
  CtaLayout ctas = {};

  friend bool operator==(const NvmmaSharedEncoding&, const NvmmaSharedEncoding&) = default;
};

/// #ttg.shared_linear: the layout itself, (offset, block) -> dims; the alignment in bytes.
struct SharedLinearEncoding {
  LinearLayout layout = {};
  std::int64_t alignment = 16;

  friend bool operator==(const SharedLinearEncoding&, const SharedLinearEncoding&) = default;
};

/// #ttg.padded_shared: a linear layout whose offsets are then spread: after every `interval`
/// elements come `padding` unused ones, for each of the paddings. See padded_offset().
struct PaddedSharedEncoding {
  struct Padding {
    std::int64_t interval = 0;
    std::int64_t padding = 0;

    friend bool operator==(const Padding&, const Padding&) = default;
  };
  std::vector<Padding> paddings = {};
  /// (offset, block) -> dims, before the padding.
  LinearLayout layout = {};

  /// The form `{order = [1, 0], shape = [16, 32]}`: offsets run through the tensor (the part of one
  /// CTA) in that order. Refuses what to_linear_layout() refuses.
  [[nodiscard]] static Result<PaddedSharedEncoding> make(std::vector<Padding> paddings,
                                                         const Order& order, const Sizes& shape,
                                                         const CtaLayout& ctas = {});

  friend bool operator==(const PaddedSharedEncoding&, const PaddedSharedEncoding&) = default;
};

/// How a pair of CTAs with 64 rows each uses the 128 rows of tensor memory: #ttng's `ctaMode`,
/// which Meta's branch of Triton prints.
enum class TensorMemoryCtaMode {
  kDefault,
  /// The left operand (`twocta_lhs`): the upper 64 rows repeat the lower ones.
  kLeftOperand,
  /// The accumulator (`twocta_rhs`): the upper 64 rows have the second half of the columns.
  kAccumulator,
};

/// #ttng.tensor_memory_encoding: blocks of block_m x block_n in the 128 rows of tensor memory,
/// along dim0 first. Bits of `row` or `col` with image 0 are places that repeat an element or hold
/// none.
struct TensorMemoryEncoding {
  /// 64 or 128.
  std::int64_t block_m = 128;
  std::int64_t block_n = 128;
  /// The number of columns from one element to the next: 1, 2 or 4.
  std::int64_t col_stride = 1;
  /// cta_group::2: the first bit of `block` runs along dim0. No bases mean that the tensor is the
  /// part of one CTA.
  bool two_ctas = false;
  /// Every other column is left free for a mixed-precision operand.
  bool fp4_padded = false;
  CtaLayout ctas = {};
  TensorMemoryCtaMode cta_mode = TensorMemoryCtaMode::kDefault;

  friend bool operator==(const TensorMemoryEncoding&, const TensorMemoryEncoding&) = default;
};

/// #ttng.tensor_memory_scales_encoding: the scale factors of tcgen05.mma, blocks of 64 x 4 that are
/// repeated for each of the four warps.
struct TensorMemoryScalesEncoding {
  CtaLayout ctas = {};
  /// Blocks of 128 rows follow each other along K (dim1) first; otherwise all rows come first.
  bool k_then_mn = false;

  friend bool operator==(const TensorMemoryScalesEncoding&,
                         const TensorMemoryScalesEncoding&) = default;
};

/// #ttig.dpas: the accumulator of Intel's matrix instruction, D = A * B + C with A of repeat_count
/// x k, B of k x execution_size and k = systolic_depth * ops_per_channel. The operand A is
/// refused in subgroups with fewer lanes than the back end gives a row of it, 16.
struct DpasEncoding {
  std::int64_t repeat_count = 8;
  std::int64_t systolic_depth = 8;
  std::int64_t execution_size = 16;
  /// The elements of A and B in 32 bits, 1, 2 or 4.
  std::int64_t ops_per_channel = 2;
  /// The 4-bit elements in one element along k, if the operands are packed; the layout is the same.
  std::optional<std::int64_t> fp4_k_pack = {};
  std::int64_t threads_per_warp = 16;
  Sizes warps_per_cta = {};
  /// How many instructions each warp has side by side, for (batch, m, n).
  Sizes rep_cluster = {};

  friend bool operator==(const DpasEncoding&, const DpasEncoding&) = default;
};

/// What a warp has of A, B and C at once, as Triton prints it; empty sizes unless the clusters have
/// 2 or 3 dimensions, and 0 for a size past 64 bits.
[[nodiscard]] std::array<Sizes, 3> matrix_shapes(const DpasEncoding& encoding);

/// #ttig.subgroup_2d_block: what Intel's block loads leave in registers, `num_blocks` messages of
/// instr_shape[0] rows and instr_shape[1] columns side by side. Warps that differ along order[0]
/// hold the same elements.
struct Subgroup2dBlockEncoding {
  Sizes warps_per_cta = {};
  Sizes instr_shape = {};
  std::int64_t num_blocks = 1;
  Order order = {1, 0};
  std::int64_t k_width = 1;
  std::int64_t threads_per_warp = 16;
  CtaLayout ctas = {};

  friend bool operator==(const Subgroup2dBlockEncoding&, const Subgroup2dBlockEncoding&) = default;
};

/// #ttig.warp: the boxes of one thread and of one warp of an early version of Intel's back end,
/// which defines no layout for it.
struct WarpEncoding {
  Sizes size_per_thread = {};
  Sizes threads_per_warp = {};
  Order order = {};

  friend bool operator==(const WarpEncoding&, const WarpEncoding&) = default;
};

/// An attribute that stands for an encoding until the compiler infers one: #gluon.auto_encoding,
/// #gluon.coalesced_encoding, #tlx.dummy_register_layout<…>.
struct PlaceholderEncoding {
  /// The attribute without its `#`: `gluon.auto_encoding`.
  std::string attribute = "gluon.auto_encoding";

  friend bool operator==(const PlaceholderEncoding&, const PlaceholderEncoding&) = default;
};

class Encoding;

/// #ttg.partitioned_shared: the memory of gfx1250 in parts that are accessed at the same time. A
/// tensor is cut along `partition_dim` into num_partitions * num_groups pieces, which are dealt out
/// to the partitions in turn; in each partition its pieces follow one another. The layout is
/// (offset, block, partition) -> (dim0, …).
struct PartitionedSharedEncoding {
  std::int64_t num_partitions = 1;
  std::int64_t num_groups = 1;
  int partition_dim = 0;
  /// The encoding of one piece, in shared memory.
  std::shared_ptr<const Encoding> partition_layout = {};

  friend bool operator==(const PartitionedSharedEncoding& a, const PartitionedSharedEncoding& b);
};

/// #ttg.slice: the parent without dimension `dim`; places that differ only there are replicas.
struct SliceEncoding {
  int dim = 0;
  std::shared_ptr<const Encoding> parent = {};

  friend bool operator==(const SliceEncoding& a, const SliceEncoding& b);
};

/// #ttg.dot_op: an operand of the parent's dot; op_idx 0 is A and 1 is B.
struct DotOperandEncoding {
  int op_idx = 0;
  std::shared_ptr<const Encoding> parent = {};
  /// The number of elements, adjacent along k, in one register; 0 for a blocked parent.
  std::int64_t k_width = 0;

  friend bool operator==(const DotOperandEncoding& a, const DotOperandEncoding& b);
};

/// An encoding of any kind.
class Encoding {
 public:
  using Data = std::variant<BlockedEncoding, SliceEncoding, LinearEncoding, NvidiaMmaEncoding,
                            DotOperandEncoding, SwizzledSharedEncoding, NvmmaSharedEncoding,
                            SharedLinearEncoding, PaddedSharedEncoding, TensorMemoryEncoding,
                            TensorMemoryScalesEncoding, DpasEncoding, Subgroup2dBlockEncoding,
                            WarpEncoding, PlaceholderEncoding, AmdMfmaEncoding, AmdWmmaEncoding,
                            PartitionedSharedEncoding>;

  template <class T>
    requires std::is_constructible_v<Data, T>
  Encoding(T data) : data_(std::move(data)) {}  // NOLINT: every kind is an encoding

  [[nodiscard]] const Data& data() const { return data_; }
  template <class T>
  [[nodiscard]] const T* get_if() const {
    return std::get_if<T>(&data_);
  }
  /// Triton's name of the kind: "blocked", "nvidia_mma", "tensor_memory_encoding", ….
  [[nodiscard]] std::string kind() const;
  /// The rank of the tensors that have it; 0 if it is not known, for a slice or an operand without
  /// a parent, and for a placeholder.
  [[nodiscard]] std::size_t rank() const;
  /// Whether the data are in registers; in shared memory; in tensor memory.
  [[nodiscard]] bool is_distributed() const;
  [[nodiscard]] bool is_shared() const;
  [[nodiscard]] bool is_tensor_memory() const;

  friend bool operator==(const Encoding&, const Encoding&) = default;

 private:
  Data data_;
};

/// `#ttg.slice<{dim = 1, parent = …}>` and `#ttg.dot_op<{opIdx = 0, parent = …, kWidth = 2}>`.
[[nodiscard]] SliceEncoding slice_of(Encoding parent, int dim);
[[nodiscard]] DotOperandEncoding dot_operand_of(Encoding parent, int op_idx,
                                                std::int64_t k_width = 0);

/// The padding of a padded_shared encoding, or of the pieces of a partitioned one; nullptr where
/// offsets are not spread.
[[nodiscard]] const PaddedSharedEncoding* padding_of(const Encoding& encoding);
/// The same encoding before the padding.
[[nodiscard]] Encoding without_padding(const Encoding& encoding);

/// The linear layout of a tensor of this shape, exactly as Triton computes it; for padded_shared
/// the linear part, before the padding. Refuses `encoding.rank` and `encoding.order`;
/// `encoding.sizes` and `encoding.shape` for sizes that are no powers of two, and the latter if the
/// encoding does not fit the shape; `encoding.parameter` for a value that the encoding does not
/// allow; `encoding.parent`, `encoding.cta_layout`, `encoding.linear` for invalid parts;
/// `encoding.unsupported` if Triton has no layout either; `encoding.not_inferred` for a
/// placeholder; and `linear.too_many_bits`. Cost: one step for each bit.
[[nodiscard]] Result<LinearLayout> to_linear_layout(const Encoding& encoding,
                                                    std::span<const std::int64_t> shape);

/// The smallest tensor that the encoding covers once, where a text gives it no shape: of registers
/// the elements of a thread times the threads of a warp times the warps, or the tile of the
/// instruction times the warps, with the depth of one instruction for an operand; of shared memory
/// the period of the swizzle; of tensor memory a block; each times the parts of the CTAs.
///
///   blocked, 1x4 per thread, 4x8 threads, 4x1 warps     (16, 32)
///   nvidia_mma, version 2, 2x2 warps, 16x8              (32, 16)
///   swizzled_shared, vec 8, perPhase 1, maxPhase 8      (8, 64)
///
/// Refuses `overflow`, and what to_linear_layout() refuses for every shape.
[[nodiscard]] Result<Sizes> smallest_shape(const Encoding& encoding);

/// The scale factors of a factor of DPAS, a tensor (…, m, k) for A (op_idx 0) and (…, n, k) for B
/// (1): the lanes of a subgroup hold those of the rows of A, or of the columns of B, and repeat
/// them if there are more lanes. Refuses what to_linear_layout() refuses, and fewer lanes.
[[nodiscard]] Result<LinearLayout> dpas_scale_layout(const DpasEncoding& encoding, int op_idx,
                                                     std::span<const std::int64_t> shape);

/// The layout of a part of a buffer in shared or tensor memory: the places are those of the whole,
/// the coordinates those within the part. A place outside of the part has the coordinates that it
/// has in its own part of that size, so the layout holds for each part that begins at a multiple of
/// the size; places after the last element of the first part are left out. Each CTA divides its
/// own elements. Refuses what to_linear_layout() refuses for the buffer; `encoding.shape` if the
/// part is larger, or smaller than one element in each CTA; and `encoding.unsupported` if the CTAs
/// interleave their elements.
[[nodiscard]] Result<LinearLayout> view_layout(const Encoding& encoding,
                                               std::span<const std::int64_t> buffer,
                                               std::span<const std::int64_t> part);

/// The attribute as Triton prints it, without default values: `#ttg.blocked<{sizePerThread = [1,
/// 4], …, order = [1, 0]}>`.
[[nodiscard]] std::string to_string(const Encoding& encoding);

}  // namespace heddle::linear
#pragma GCC visibility pop

template <>
struct std::hash<heddle::linear::Encoding> : heddle::HashOfText<heddle::linear::Encoding> {};
