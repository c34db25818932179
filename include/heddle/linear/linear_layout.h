#pragma once

// A linear layout maps points of named dimensions, all of them powers of two in size, to points of
// other named dimensions, so that L(x xor y) = L(x) xor L(y). It is given by the images of the
// single bits, its bases.
//
//   - lane=1 -> (1, 0)          L(lane=1) = (1,0)     each basis is the image of one input bit
//     lane=2 -> (2, 0)          L(lane=3) = (3,0)     = (1,0) xor (2,0)
//   - warp=1 -> (1, 1)          L(lane=1, warp=1) = (0,1)
//   where out dims are: [dim0 (size 4), dim1 (size 2)]
//
// A register layout of Triton maps (register, lane, warp, block) to the element (dim0, dim1, …)
// that is held there; a shared layout maps (offset, block) to the element stored there. The first
// dimension is the least significant one wherever dimensions are flattened: the order of dimensions
// matters for reshape, flatten and ==, and for nothing else.
//
// As a matrix over GF(2) a layout has one column for each input bit and one row for each output
// bit, first dimension first, low bit first; all operations are linear algebra on it. At most 64
// bits in and 64 bits out. Sources: Triton's LinearLayout.h, whose names these are; seed 000,
// sections 2.3 and 5.
//
// Everything is immutable and checked: an invalid layout is refused with a Diagnostic that names
// the dimension.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/core/hash.h"
#include "heddle/core/result.h"
#include "heddle/core/stream.h"
#include "heddle/form/bit_matrix.h"
#include "heddle/form/index_map.h"

#pragma GCC visibility push(default)
namespace heddle::linear {

using streams::operator<<;

/// A dimension of 2^bits points, bits at most 62.
struct Dimension {
  std::string name;
  int bits = 0;

  [[nodiscard]] std::int64_t size() const { return std::int64_t{1} << bits; }
  friend bool operator==(const Dimension&, const Dimension&) = default;
};

/// A name with a size or a coordinate: `{"dim0", 16}`.
using NamedSize = std::pair<std::string, std::int64_t>;
using NamedSizes = std::vector<NamedSize>;
using Names = std::vector<std::string>;

/// The images of the bits of one input dimension, low bit first; each has one coordinate for each
/// output dimension.
struct InBases {
  std::string name;
  std::vector<std::vector<std::int64_t>> vectors;

  friend bool operator==(const InBases&, const InBases&) = default;
};
using Bases = std::vector<InBases>;

enum class Surjectivity : std::uint8_t { kRequired, kNotRequired };

class LinearLayout {
 public:
  /// The layout without dimensions, the unit of products. Triton's empty().
  LinearLayout() = default;

  /// A layout whose output sizes are the least powers of two above all coordinates. Refuses
  /// `linear.not_surjective` if some output is not reached (then give the sizes), and what the
  /// other make() refuses.
  [[nodiscard]] static Result<LinearLayout> make(const Bases& bases, const Names& out_dims);

  /// A layout with these output sizes. Refuses `linear.duplicate_dim`; `linear.size` for a size
  /// that is no power of two; `linear.basis` for a basis of the wrong length, a negative coordinate
  /// or one that is not below the size; `linear.too_many_bits`; `linear.not_surjective` if that is
  /// required.
  [[nodiscard]] static Result<LinearLayout> make(
      const Bases& bases, const NamedSizes& out_dims,
      Surjectivity surjectivity = Surjectivity::kNotRequired);

  /// The dimensions in the order in which they are flattened: the first is the least significant.
  [[nodiscard]] std::span<const Dimension> in_dims() const { return ins_; }
  [[nodiscard]] std::span<const Dimension> out_dims() const { return outs_; }
  /// One column for each input bit, one row for each output bit.
  [[nodiscard]] const form::BitMatrix& matrix() const { return matrix_; }
  [[nodiscard]] int total_in_dim_size_log2() const {
    return static_cast<int>(matrix_.columns().size());
  }
  [[nodiscard]] int total_out_dim_size_log2() const { return static_cast<int>(matrix_.rows()); }

  [[nodiscard]] bool has_in_dim(std::string_view name) const { return find_in(name) != nullptr; }
  [[nodiscard]] bool has_out_dim(std::string_view name) const { return find_out(name) != nullptr; }
  /// The dimension with this name; nullptr if there is none.
  [[nodiscard]] const Dimension* find_in(std::string_view name) const;
  [[nodiscard]] const Dimension* find_out(std::string_view name) const;
  /// Refuse `linear.unknown_dim`, listing the names that exist.
  [[nodiscard]] Result<int> in_dim_size_log2(std::string_view name) const;
  [[nodiscard]] Result<int> out_dim_size_log2(std::string_view name) const;
  [[nodiscard]] Result<std::int64_t> in_dim_size(std::string_view name) const;
  [[nodiscard]] Result<std::int64_t> out_dim_size(std::string_view name) const;
  [[nodiscard]] Names in_dim_names() const;
  [[nodiscard]] Names out_dim_names() const;
  [[nodiscard]] NamedSizes in_dim_sizes() const;
  [[nodiscard]] NamedSizes out_dim_sizes() const;

  [[nodiscard]] Bases bases() const;
  /// L(name = 2^position, everything else 0).
  [[nodiscard]] Result<std::vector<std::int64_t>> basis(std::string_view name, int position) const;

  /// L at a point, which has each input dimension once, in any order. Refuses `linear.unknown_dim`,
  /// `linear.duplicate_dim`, `linear.missing_dim`, `linear.coordinate` outside a dimension.
  [[nodiscard]] Result<NamedSizes> apply(const NamedSizes& point) const;

  /// Whether every output is reached; no two inputs have the same output; both.
  [[nodiscard]] bool is_surjective() const;
  [[nodiscard]] bool is_injective() const;
  [[nodiscard]] bool is_invertible() const;

  /// Whether both have the same dimensions in the same order, and the same map.
  friend bool operator==(const LinearLayout&, const LinearLayout&) = default;

 private:
  friend LinearLayout assembled(std::vector<Dimension> ins, std::vector<Dimension> outs,
                                form::BitMatrix matrix);

  std::vector<Dimension> ins_;
  std::vector<Dimension> outs_;
  form::BitMatrix matrix_;
};

// ---- Simple layouts ----

/// L(x) = x for x in [0, size). Refuses `linear.size`.
[[nodiscard]] Result<LinearLayout> identity_1d(std::int64_t size, std::string_view in_dim,
                                               std::string_view out_dim);
/// L(x) = stride * x for x in [0, size): output size `size * stride`. Both powers of two.
[[nodiscard]] Result<LinearLayout> strided_1d(std::int64_t size, std::int64_t stride,
                                              std::string_view in_dim, std::string_view out_dim);
/// L(x) = 0 for x in [0, size).
[[nodiscard]] Result<LinearLayout> zeros_1d(std::int64_t size, std::string_view in_dim,
                                            std::string_view out_dim,
                                            std::int64_t out_dim_size = 1);
/// The layout of no dimensions.
[[nodiscard]] inline LinearLayout empty() { return {}; }
/// L(in) = in, laid out over dim0, dim1, … of these sizes, the dimension order[0] fastest.
[[nodiscard]] Result<LinearLayout> identity_standard_nd(std::string_view in_dim,
                                                        std::span<const std::int64_t> shape,
                                                        std::span<const int> order);
/// The layout with the same dimensions whose bases are all 0.
[[nodiscard]] LinearLayout zeros_like(const LinearLayout& layout);
/// {"dim0", …} and {{"dim0", shape[0]}, …}.
[[nodiscard]] Names standard_out_dim_names(std::size_t rank);
[[nodiscard]] NamedSizes standard_out_dim_pairs(std::span<const std::int64_t> shape);

// ---- The algebra ----

/// The direct sum: `inner` acts on the low bits of the dimensions that both have, `outer` on
/// those above. A dimension that only one has counts as size 1 in the other; the order of
/// dimensions is the supremum() of the two orders. Refuses `linear.dim_order`,
/// `linear.too_many_bits`.
///
///   identity_1d(4,"i","o") * zeros_1d(2,"i","o")     L(x) = x % 4 for x in [0,8)
[[nodiscard]] Result<LinearLayout> multiply(const LinearLayout& inner, const LinearLayout& outer);
[[nodiscard]] Result<LinearLayout> operator*(const LinearLayout& inner, const LinearLayout& outer);
[[nodiscard]] Result<LinearLayout> operator*(Result<LinearLayout> inner,
                                             const Result<LinearLayout>& outer);

/// outer after layout: (outer o layout)(x) = outer(layout(x)). Refuses `linear.dims_differ` unless
/// the outputs of `layout` are the inputs of `outer`, in any order, and `linear.dim_too_large` if
/// an output is larger than its input.
///
/// The operands are in the order of Triton's `layout.compose(outer)`, the outer one last;
/// cute::composition(a, b) has CuTe's order, the outer one first.
[[nodiscard]] Result<LinearLayout> compose(const LinearLayout& layout, const LinearLayout& outer);

/// C with outer(C(x)) = layout(x): with `layout` of registers and `outer` of shared memory, the
/// offset at which each register is stored. If outer is not injective, the free variables are 0 and
/// the pivots the earliest independent bits; a dimension with the same bases on both sides maps to
/// itself if that leaves a solution, so that nothing is moved along it (Triton 3.9: if no other
/// dimension touches its output bits). Refuses `linear.dims_differ`, `linear.dim_too_large`, and
/// `linear.no_solution` with the input whose image outer does not reach.
[[nodiscard]] Result<LinearLayout> invert_and_compose(const LinearLayout& layout,
                                                      const LinearLayout& outer);

/// The inverse. Refuses `linear.not_invertible` with the sizes and the rank.
[[nodiscard]] Result<LinearLayout> invert(const LinearLayout& layout);
/// B with layout(B(x)) = x, chosen as in invert_and_compose(). Refuses `linear.no_solution` with an
/// output that the layout does not reach.
[[nodiscard]] Result<LinearLayout> pseudoinvert(const LinearLayout& layout);

/// c with a = b * c, or a = c * b; c has the dimensions of a, which must include those of b.
/// Refuses `linear.not_divisible` with the basis that shows it; callers should expect that c may
/// not exist.
[[nodiscard]] Result<LinearLayout> divide_left(const LinearLayout& a, const LinearLayout& b);
[[nodiscard]] Result<LinearLayout> divide_right(const LinearLayout& a, const LinearLayout& b);
/// The repetitions of `tile` in `layout`: the same layout with the bases of the tile, its lowest
/// ones, set to 0, so that layout(x) = reps(x) xor tile(x). This is more general than division: the
/// bits of the tile need not be the lowest outputs. Refuses `linear.unknown_dim`, and
/// `linear.not_divisible` with the basis that differs from the tile's or touches its bits. Triton's
/// getReps.
[[nodiscard]] Result<LinearLayout> reps(const LinearLayout& layout, const LinearLayout& tile);
/// The sublayout of `layout` without `dims`, on which it is the identity. Refuses
/// `linear.not_trivial` unless is_trivial_over(dims), with the basis that is in the way.
[[nodiscard]] Result<LinearLayout> quotient(const LinearLayout& layout, const Names& dims);
/// Whether the layout is the identity on `dims`, inputs and outputs of the same size, and no basis
/// connects them with other dimensions.
[[nodiscard]] bool is_trivial_over(const LinearLayout& layout, const Names& dims);

/// The layout restricted to these inputs (the others are 0) and these outputs, in the layout's
/// order. Refuses `linear.unknown_dim`.
[[nodiscard]] Result<LinearLayout> sublayout(const LinearLayout& layout, const Names& ins,
                                             const Names& outs);
[[nodiscard]] Result<bool> sublayout_is_zero(const LinearLayout& layout, const Names& ins,
                                             const Names& outs);
/// Whether the sublayout from `dims` to `dims` is the identity, name by name.
[[nodiscard]] Result<bool> square_sublayout_is_identity(const LinearLayout& layout,
                                                        const Names& dims);
/// Whether the output `dim` is the input `dim` and no other input maps to it; the input `dim` may
/// map elsewhere too. A missing input counts as size 1. Refuses `linear.unknown_dim` for the
/// output.
[[nodiscard]] Result<bool> is_identity_on_out_dim(const LinearLayout& layout, std::string_view dim);

// ---- Dimensions ----

/// The same map with its dimensions in another order. Refuses `linear.dims_differ` unless all
/// dimensions are named, each once.
[[nodiscard]] Result<LinearLayout> transpose_ins(const LinearLayout& layout, const Names& order);
[[nodiscard]] Result<LinearLayout> transpose_outs(const LinearLayout& layout, const Names& order);
/// Replaces the dimensions by others of the same total size, keeping the flat order. Refuses
/// `linear.size`, `linear.duplicate_dim`, `linear.total_size`.
[[nodiscard]] Result<LinearLayout> reshape_ins(const LinearLayout& layout, const NamedSizes& dims);
[[nodiscard]] Result<LinearLayout> reshape_outs(const LinearLayout& layout, const NamedSizes& dims);
/// Joins all dimensions into one, which has the name of the first. Refuses `linear.too_many_bits`
/// above 62.
[[nodiscard]] Result<LinearLayout> flatten_ins(const LinearLayout& layout);
[[nodiscard]] Result<LinearLayout> flatten_outs(const LinearLayout& layout);
/// Removes a dimension of size 1. Refuses `linear.unknown_dim`, `linear.dim_too_large`.
[[nodiscard]] Result<LinearLayout> squeeze_in(const LinearLayout& layout, std::string_view dim);
[[nodiscard]] Result<LinearLayout> squeeze_out(const LinearLayout& layout, std::string_view dim);
/// Removes all dimensions of size 1.
[[nodiscard]] LinearLayout squeeze_ins(const LinearLayout& layout);
[[nodiscard]] LinearLayout squeeze_outs(const LinearLayout& layout);
/// Changes the size of a dimension: bases are dropped from the top, or zero bases added; outputs
/// lose their high bits, or gain zero bits. A coordinate is taken modulo the new size (Triton sets
/// one that is not below it to 0, which is the same for single bits). Refuse `linear.size`,
/// `linear.unknown_dim`, `linear.too_many_bits`.
[[nodiscard]] Result<LinearLayout> resize_in_dim(const LinearLayout& layout, std::string_view dim,
                                                 std::int64_t size);
[[nodiscard]] Result<LinearLayout> resize_out_dim(const LinearLayout& layout, std::string_view dim,
                                                  std::int64_t size);
/// Refuse `linear.unknown_dim`, `linear.duplicate_dim`.
[[nodiscard]] Result<LinearLayout> rename_in_dim(const LinearLayout& layout, std::string_view dim,
                                                 std::string_view name);
[[nodiscard]] Result<LinearLayout> rename_out_dim(const LinearLayout& layout, std::string_view dim,
                                                  std::string_view name);
/// The inputs (outputs) of both layouts, a's first, over the same outputs (inputs), in any order.
/// Refuses `linear.dims_differ`, `linear.duplicate_dim`, `linear.too_many_bits`.
[[nodiscard]] Result<LinearLayout> concat_ins(const LinearLayout& a, const LinearLayout& b);
[[nodiscard]] Result<LinearLayout> concat_outs(const LinearLayout& a, const LinearLayout& b);
/// Removes the zero bases of that input, which only repeat elements. Refuses `linear.unknown_dim`.
[[nodiscard]] Result<LinearLayout> remove_zero_bases_along_dim(const LinearLayout& layout,
                                                               std::string_view dim);
/// The least common extension of two orders; where they leave a choice, x's names come first.
/// Refuses `linear.dim_order` if they contradict each other.
[[nodiscard]] Result<Names> supremum(const Names& x, const Names& y);

/// Sets bases that lead beyond `shape` to 0, so that elements inside are repeated instead.
/// Dimensions that `shape` does not name stay. If `broadcast_registers` is false, bases of
/// `register` that thereby become 0 are dropped. Refuses `linear.size`, `linear.unknown_dim`,
/// `linear.duplicate_dim`, and `linear.shape` if a coordinate is partly within.
[[nodiscard]] Result<LinearLayout> ensure_layout_not_larger_than(const LinearLayout& layout,
                                                                 const NamedSizes& shape,
                                                                 bool broadcast_registers = true);
/// Makes the first input dimension larger until the outputs are no smaller than `shape`, output by
/// output in their order. Refuses `linear.size`, `linear.unknown_dim`, `linear.duplicate_dim`,
/// `linear.too_many_bits`, and `linear.no_dims` where there is no input.
[[nodiscard]] Result<LinearLayout> ensure_layout_not_smaller_than(const LinearLayout& layout,
                                                                  const NamedSizes& shape);

// ---- Questions ----

/// For each input dimension a mask of its redundant bits: those whose basis is an XOR of bases
/// before it.
[[nodiscard]] NamedSizes free_variable_masks(const LinearLayout& layout);
/// The greatest V such that V consecutive, aligned coordinates of the first input map to V
/// consecutive ones of the first output; 1 if there are no dimensions.
[[nodiscard]] std::int64_t num_consecutive_in_out(const LinearLayout& layout);
/// Whether both have the same dimensions, in any order, and the same map.
[[nodiscard]] bool equivalent(const LinearLayout& a, const LinearLayout& b);
/// As ==, ignoring the sizes of outputs.
[[nodiscard]] bool equal_ignoring_out_dim_sizes(const LinearLayout& a, const LinearLayout& b);

/// The layout as an index map: a box of the input dimensions, first fastest, on axes named after
/// the output dimensions. Symbolic coordinates give shifts and masks of them, added if their bits
/// are disjoint and XORed otherwise; a constant outside the box gives undefined ones.
[[nodiscard]] form::IndexMap index_map(const LinearLayout& layout);

/// The layout as Triton prints it:
///
///    - register=1 -> (0, 1)
///      register=2 -> (0, 2)
///    - lane is a size 1 dimension
///   where out dims are: [dim0 (size 16), dim1 (size 8)]
[[nodiscard]] std::string to_string(const LinearLayout& layout);

}  // namespace heddle::linear
#pragma GCC visibility pop

template <>
struct std::hash<heddle::linear::LinearLayout> : heddle::HashOfText<heddle::linear::LinearLayout> {
};
