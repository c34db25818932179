#pragma once

// Copies by NVIDIA's tensor memory accelerator: one instruction copies a box of up to five
// dimensions from global memory, which a tensor map describes, to shared memory.
//
//   global  (M,K):(K,1), the region [128*i,128*i+128) x [64*k,64*k+64)     K % 64 == 0, …
//   shared  SW(3,3,3) o S[(128,64):(64,1)], elements of 16 bits
//
//   tensor map   extents (K, M), stride 2*K bytes, box (64, 128), swizzle 128B
//   instruction  coordinates (64*k, 128*i) -> the first byte of the shared buffer
//
// Both sides are sliced by their regions and cut into the digits that they have in common. The box
// is the longest run of digits that fills shared memory without gaps; the other digits are loops
// over instructions. Seed 002, section 3.4, steps 1 to 3: the box is its atom, swizzled as the
// hardware does it, and the loops are its tiler. A global side with any strides is the direct sum
// of its appendix F.
//
// Source: cuTensorMapEncodeTiled() of the CUDA driver API, and cp.async.bulk.tensor of the PTX ISA.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/axe/slice.h"
#include "heddle/core/explanation.h"
#include "heddle/core/result.h"
#include "heddle/expr/condition.h"
#include "heddle/machine/shared_swizzle.h"
#include "heddle/map/any_layout.h"

#pragma GCC visibility push(default)
namespace heddle::machine {

/// A rectangular part of a tensor.
struct TensorPart {
  map::AnyLayout layout;
  /// The shape of the tensor; by default that of the layout, the iters of an Axe layout.
  std::optional<std::vector<Int>> shape = {};
  /// By default the whole tensor.
  std::optional<std::vector<axe::Interval>> region = {};
};

/// The type of elements: its name in CU_TENSOR_MAP_DATA_TYPE_…, and its width.
struct TmaElement {
  std::string_view name;
  int bits = 0;

  friend bool operator==(const TmaElement&, const TmaElement&) = default;
};
/// `f16`, `bf16`, `float8_e4m3fn`, `int32`, … (form/element_type.h); refuses `tma.element` for
/// another name.
[[nodiscard]] Result<TmaElement> tma_element(std::string_view type);
/// Unsigned integers of 8, 16, 32 or 64 bits; refuses `tma.element`.
[[nodiscard]] Result<TmaElement> tma_element(std::int64_t bits);

struct TmaDimension {
  Int extent;
  /// In bytes. That of dimension 0 is the width of an element, which a tensor map leaves out.
  Int stride;
  std::int64_t box = 1;

  friend bool operator==(const TmaDimension&, const TmaDimension&) = default;
};

/// The arguments of cuTensorMapEncodeTiled(). Element strides are 1, there is no interleaving, no
/// promotion in L2, and places out of bounds are filled with zeros.
struct TensorMap {
  TmaElement element;
  /// Bytes from the first element of the global tensor.
  Int base;
  /// The contiguous one first.
  std::vector<TmaDimension> dims;
  SharedSwizzle swizzle;

  friend bool operator==(const TensorMap&, const TensorMap&) = default;
};

/// A loop over instructions: what each turn adds.
struct TmaLoop {
  Int count;
  std::vector<Int> coordinates;
  /// Bytes.
  Int shared;

  friend bool operator==(const TmaLoop&, const TmaLoop&) = default;
};

/// A condition that the hardware sets.
struct TmaRule {
  std::string subject;
  Condition condition;
  /// Otherwise it is left to the caller: the values of symbolic sizes do not decide it.
  bool is_proved = false;
};

struct TmaCopy {
  TensorMap map;
  /// Of the first instruction: coordinates in the tensor map, and bytes from the beginning of the
  /// shared buffer, which is aligned to `shared_alignment`.
  std::vector<Int> coordinates;
  Int shared;
  std::int64_t shared_alignment = 128;
  /// The outermost first.
  std::vector<TmaLoop> loops;
  std::vector<TmaRule> rules;
  /// How it was found.
  Explanation explanation;

  /// The product of the loops.
  [[nodiscard]] Int instructions() const;
  /// The elements that one instruction moves.
  [[nodiscard]] std::int64_t box_size() const;
};

/// The tensor map and the instructions that copy one part to the other, element by element in the
/// row-major order of their regions, with the fewest instructions among those whose tensor map has
/// a dimension for each stride of the region.
///
/// The regions have the same shape up to extents of 1, or one cuts dimensions of the other. A
/// layout that is not an Axe layout is converted (map::convert), read as from coordinates to
/// addresses. Of a dimension with one stride the tensor map holds all, so that the beginning of the
/// region is a coordinate; other beginnings are part of the base or of coordinate 0.
///
/// Refuses `machine.memory` for axes other than m and for replicas, `tma.shapes` for regions that
/// do not match, `tma.digits` if the two have no digits in common, `tma.negative` for a negative
/// stride, `tma.overlap` if two elements have the same place in shared memory, `tma.swizzle` for a
/// swizzle that the hardware does not have, `tma.contiguous` unless 16 contiguous bytes are
/// contiguous on both sides, `tma.stride`, `tma.shared_alignment`, `tma.extent` for the
/// rules of these names, `assume.needed` with the assumption on symbolic sizes that a rule needs;
/// and what slice() and convert() refuse.
///
/// Cost: quadratic in the digits, and one pass over at most 2^18 sizes of boxes for each.
[[nodiscard]] Result<TmaCopy> tma_descriptor(const TensorPart& global, const TensorPart& shared,
                                             const TmaElement& element);

/// The tensor map, the instructions and what is left to the caller, on several lines.
[[nodiscard]] std::string to_string(const TmaCopy& copy);

}  // namespace heddle::machine
#pragma GCC visibility pop
