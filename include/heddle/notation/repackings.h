#pragma once

// Repackings that people really do, by name: two layouts in the language, over named sizes.
//
//   nchw_to_nChw16c    (N,C,H,W):(C*H*W,H*W,W,1)  to  (N,(16,C//16),H,W):(C*H*W,(1,16*H*W),16*W,16)
//                      which is an array of the shape (N,C//16,H,W,16)
//
// Where 16 does not divide C, the last block is filled up with zeros, as oneDNN does: C is 32 in
// the new layout of 20 channels.
//
// `heddle help recipes` lists them; `heddle relayout --recipe NAME --size C=64 …` moves a tensor.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/expr/int.h"
#include "heddle/map/any_layout.h"

#pragma GCC visibility push(default)
namespace heddle::notation {

struct Repacking {
  std::string_view name;
  std::string_view summary;
  std::string_view from;
  std::string_view to;
  /// The shape of the new array, in elements.
  std::string_view shape;
  /// The bits of an element; 0 if elements of any width are moved.
  std::int64_t element_bits = 0;
  /// Who defines the new layout.
  std::string_view source;
  /// Whether a partial last block is filled up with zeros; packed weights have whole blocks.
  bool pads = true;
};

[[nodiscard]] std::span<const Repacking> repackings();
/// Refuses `repacking.unknown`.
[[nodiscard]] Result<Repacking> find_repacking(std::string_view name);

struct RepackingLayouts {
  map::AnyLayout from;
  map::AnyLayout to;
};

/// The names of its sizes, in the order of the modes of `from`.
[[nodiscard]] std::vector<std::string> size_names(const Repacking& repacking);

/// Both layouts for these sizes. Refuses `repacking.sizes` if a size is missing or is none of
/// theirs, or blocks do not divide it, as for a C that 16 does not divide; what evaluate() refuses.
[[nodiscard]] Result<RepackingLayouts> layouts_of(const Repacking& repacking,
                                                  const Bindings& sizes);

/// The sizes that a tensor of this shape has, whose elements have `tensor_bits` bits; given ones
/// are kept where the shape does not tell. Elements may be packed along the last extent. Refuses
/// `repacking.sizes` where a given size is another than the tensor's, or its last extent holds no
/// whole number of elements.
[[nodiscard]] Result<Bindings> sizes_of(const Repacking& repacking,
                                        std::span<const std::int64_t> shape,
                                        std::int64_t tensor_bits, std::int64_t element_bits,
                                        const Bindings& given);

/// What is repacked.
struct Packed {
  /// Not there for bytes of any shape.
  std::optional<std::vector<std::int64_t>> shape = {};
  std::int64_t element_bits = 8;
  std::int64_t bytes = 0;
  /// Whether they lie row after row, which is how repackings read them.
  bool in_rows = true;
  /// Whether elements of other types may be packed in these, as nibbles in bytes.
  bool are_integers = false;
  bool are_signed = false;
  /// The elements themselves; empty where they are not to be looked at.
  std::span<const std::byte> data = {};
};

/// A repacking of elements of so many bits.
struct Repacked {
  /// Moved one after the other, to one destination that is zero before: whole blocks, and parts of
  /// partial ones.
  std::vector<RepackingLayouts> parts;
  std::int64_t element_bits = 0;
  /// How many elements are moved.
  std::int64_t elements = 0;
  /// The shape of the new array, of the type of the old one; empty if its last extent holds no
  /// whole number of these.
  std::vector<std::int64_t> shape;
};

/// How all of a tensor or array is repacked, by given sizes and what its shape tells. With
/// `element_bits`, elements have that width, whatever the repacking or the tensor says. Refuses
/// `repacking.sizes` for elements of another width than the repacking's or in another order than
/// row after row, for sizes of fewer elements than there are, and as sizes_of() and layouts_of()
/// do; `repacking.unpacked` for data that has one element in each integer, which the shape does not
/// tell from packed ones; `move.bits` for a width below 1.
[[nodiscard]] Result<Repacked> repacked(const Repacking& repacking, const Packed& packed,
                                        const Bindings& given,
                                        std::optional<std::int64_t> element_bits = {});

/// A list of all: name, summary, both layouts and the source.
[[nodiscard]] std::string repackings_text();

}  // namespace heddle::notation
#pragma GCC visibility pop
