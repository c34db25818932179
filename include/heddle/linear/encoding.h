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
// Distributed encodings (blocked, slice, linear, nvidia_mma, dot_op) give layouts (register, lane,
// warp, block) -> (dim0, dim1, …): where hardware holds which element, replicated where the tensor
// is smaller than the tile and wrapped into more registers where it is larger. Shared ones
// (swizzled_shared, nvmma_shared, shared_linear, padded_shared) give (offset, block) -> (dim0, …),
// offsets in elements; tensor memory gives (row, col, block) -> (dim0, dim1).
//
// Sizes are in elements, lists are indexed by tensor dimension, `order` lists dimensions fastest
// first. Sources: Triton's TritonGPUAttrDefs.td and LinearLayoutConversions.cpp; the PTX ISA's
// tables of mma and wgmma fragments.

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/linear/linear_layout.h"

namespace heddle::linear {

using Sizes = std::vector<std::int64_t>;
using Order = std::vector<int>;

/// How the CTAs of a cluster divide a tensor among them: the images of the bits of `block`, as
/// Triton prints them, `CGALayout = [[0, 1], [0, 0]]`. No bases: one CTA.
struct CtaLayout {
  std::vector<std::vector<std::int64_t>> block_bases;

  /// From the older form: CTAs along each dimension, of which `split_num` hold different parts (the
  /// others repeat them), numbered along `order`. Refuses `encoding.sizes`, `encoding.order`.
  [[nodiscard]] static Result<CtaLayout> make(const Sizes& ctas_per_cga, const Sizes& split_num,
                                              const Order& order);

  friend bool operator==(const CtaLayout&, const CtaLayout&) = default;
};

/// #ttg.blocked: each thread holds a box of elements, threads and warps are laid out as grids.
struct BlockedEncoding {
  Sizes size_per_thread;
  Sizes threads_per_warp;
  Sizes warps_per_cta;
  Order order;
  CtaLayout ctas;

  friend bool operator==(const BlockedEncoding&, const BlockedEncoding&) = default;
};

/// #ttg.linear: the layout itself, for one fixed shape or any that it divides.
struct LinearEncoding {
  LinearLayout layout;

  friend bool operator==(const LinearEncoding&, const LinearEncoding&) = default;
};

/// #ttg.nvidia_mma: the accumulator of mma.sync (version 2) and wgmma (version 3).
struct NvidiaMmaEncoding {
  int version_major = 2;
  int version_minor = 0;
  Sizes warps_per_cta;
  /// (m, n) for version 2: (16, 8); (m, n, k) for version 3: (16, 64, 16).
  Sizes instr_shape;
  CtaLayout ctas;

  friend bool operator==(const NvidiaMmaEncoding&, const NvidiaMmaEncoding&) = default;
};

/// #ttg.swizzled_shared: groups of `vec` elements, XORed by (row / per_phase) % max_phase.
struct SwizzledSharedEncoding {
  std::int64_t vec = 1;
  std::int64_t per_phase = 1;
  std::int64_t max_phase = 1;
  Order order;
  CtaLayout ctas;

  friend bool operator==(const SwizzledSharedEncoding&, const SwizzledSharedEncoding&) = default;
};

/// #ttg.nvmma_shared: what wgmma, tcgen05 and TMA read: 8 rows of 32, 64 or 128 bytes, 16-byte
/// units XORed by the row; 0: not swizzled.
struct NvmmaSharedEncoding {
  std::int64_t swizzling_byte_width = 0;
  bool transposed = false;
  std::int64_t element_bit_width = 16;
  bool fp4_padded = false;
  CtaLayout ctas;

  friend bool operator==(const NvmmaSharedEncoding&, const NvmmaSharedEncoding&) = default;
};

/// #ttg.shared_linear: the layout itself, (offset, block) -> dims; the alignment in bytes.
struct SharedLinearEncoding {
  LinearLayout layout;
  std::int64_t alignment = 16;

  friend bool operator==(const SharedLinearEncoding&, const SharedLinearEncoding&) = default;
};

/// #ttg.padded_shared: a linear layout whose offsets are then spread: after every `interval`
/// elements come `padding` unused ones. All powers of two.
struct PaddedSharedEncoding {
  struct Padding {
    std::int64_t interval = 0;
    std::int64_t padding = 0;

    friend bool operator==(const Padding&, const Padding&) = default;
  };
  std::vector<Padding> paddings;
  /// (offset, block) -> dims, before the padding.
  LinearLayout layout;

  friend bool operator==(const PaddedSharedEncoding&, const PaddedSharedEncoding&) = default;
};

/// #ttng.tensor_memory_encoding: blocks of block_m x block_n in the 128 rows of tensor memory.
struct TensorMemoryEncoding {
  std::int64_t block_m = 128;
  std::int64_t block_n = 128;
  std::int64_t col_stride = 1;
  bool two_ctas = false;
  CtaLayout ctas;

  friend bool operator==(const TensorMemoryEncoding&, const TensorMemoryEncoding&) = default;
};

class Encoding;

/// #ttg.slice: the parent with dimension `dim` taken away; what differs only there is a replica.
struct SliceEncoding {
  int dim = 0;
  std::shared_ptr<const Encoding> parent;

  friend bool operator==(const SliceEncoding& a, const SliceEncoding& b);
};

/// #ttg.dot_op: an operand of the parent's dot; op_idx 0 is A and 1 is B.
struct DotOperandEncoding {
  int op_idx = 0;
  std::shared_ptr<const Encoding> parent;
  /// Elements that lie together along k in one register; 0 for a blocked parent.
  std::int64_t k_width = 0;

  friend bool operator==(const DotOperandEncoding& a, const DotOperandEncoding& b);
};

/// Any of them.
class Encoding {
 public:
  using Data = std::variant<BlockedEncoding, SliceEncoding, LinearEncoding, NvidiaMmaEncoding,
                            DotOperandEncoding, SwizzledSharedEncoding, NvmmaSharedEncoding,
                            SharedLinearEncoding, PaddedSharedEncoding, TensorMemoryEncoding>;

  template <class T>
    requires std::is_constructible_v<Data, T>
  Encoding(T data) : data_(std::move(data)) {}  // NOLINT: every kind is an encoding

  [[nodiscard]] const Data& data() const { return data_; }
  template <class T>
  [[nodiscard]] const T* get_if() const {
    return std::get_if<T>(&data_);
  }
  /// Triton's name of the kind: "blocked", "nvidia_mma", ….
  [[nodiscard]] std::string kind() const;
  /// Held in registers; in shared memory; in tensor memory.
  [[nodiscard]] bool is_distributed() const;
  [[nodiscard]] bool is_shared() const;
  [[nodiscard]] bool is_tensor_memory() const {
    return std::holds_alternative<TensorMemoryEncoding>(data_);
  }

  friend bool operator==(const Encoding&, const Encoding&) = default;

 private:
  Data data_;
};

/// The linear layout of a tensor of that shape, exactly Triton's; for padded_shared the linear
/// part, before the padding. Refuses `encoding.rank`, `encoding.sizes` (not powers of two),
/// `encoding.order`, `encoding.shape` where the shape does not fit the encoding, and
/// `encoding.unsupported` for MMA versions without a layout here. Cost: a few direct sums.
[[nodiscard]] Result<LinearLayout> to_linear_layout(const Encoding& encoding,
                                                    std::span<const std::int64_t> shape);

/// As Triton prints it: `#ttg.blocked<{sizePerThread = [1, 4], …, order = [1, 0]}>`.
[[nodiscard]] std::string to_string(const Encoding& encoding);
std::ostream& operator<<(std::ostream& stream, const Encoding& encoding);

}  // namespace heddle::linear
