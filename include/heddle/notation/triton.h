#pragma once

// Triton's attributes and types, as they are written in its IR.
//
//   #blocked = #ttg.blocked<{sizePerThread = [1, 4], …}>        an alias, and an attribute
//   tensor<128x64xf16, #blocked>                                 a tensor in registers
//   !ttg.memdesc<3x128x64xf16, #shared, #smem, mutable>          a buffer, here three times
//
//   parse_encoding("#ttg.slice<{dim = 1, parent = #blocked}>", aliases)
//   to_linear_layout(*parse_tensor_type("tensor<128x64xf16, #blocked>", aliases))
//
// Current and older names are read: #triton_gpu.…, #ttg.shared, CTAsPerCGA; the markers
// #tlx.user_layout<…> and #tlx.no_verify_layout<…> stand for the encoding in them. Encodings are
// also read from data, {"kind":"blocked","sizePerThread":[1,4],…}, with the field names of the
// attribute or those of Gluon.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "heddle/core/result.h"
#include "heddle/linear/encoding.h"
#include "heddle/notation/datum.h"

#pragma GCC visibility push(default)
namespace heddle::notation {

/// The encoding of an alias such as `#blocked` (with the `#`); nullptr if it is not known.
using Aliases = std::function<const linear::Encoding*(std::string_view)>;

/// Refuses `syntax.attribute` for a text that is no attribute, `name.unknown` for an unknown alias,
/// `encoding.unknown` for an attribute of another kind, and what encoding_of() refuses. Every
/// refusal has a place in the text.
[[nodiscard]] Result<linear::Encoding> parse_encoding(std::string_view text,
                                                      const Aliases& aliases = {});

/// `{"kind":"blocked","sizePerThread":[1,4],…,"CGALayout":[[0,1]]}`
[[nodiscard]] Datum to_datum(const linear::Encoding& encoding);
/// The inverse of to_datum(). Refuses `encoding.unknown` for an unsupported kind, and
/// `encoding.field` for a field that is missing, unknown, or of the wrong type.
[[nodiscard]] Result<linear::Encoding> encoding_of(const Datum& datum);

/// `tensor<128x64xf16, #blocked>`, `!ttg.memdesc<128x64xf16, #shared, #smem>` or, a descriptor for
/// TMA, `!tt.tensordesc<128x64xf16, #shared>`.
struct TensorType {
  /// In elements; for a buffer of several stages the number of stages comes first.
  linear::Sizes shape;
  /// `f16`, `!tt.ptr<f16>`.
  std::string element_type;
  std::optional<linear::Encoding> encoding;
  /// For a part of a buffer, the shape of the whole, if the type states it.
  linear::Sizes alloc_shape;
  bool is_memdesc = false;

  friend bool operator==(const TensorType&, const TensorType&) = default;
};

/// The layout of a tensor whose sizes are no powers of two, with sizes raised to the next ones.
struct PaddedLayout {
  linear::Sizes shape;
  linear::LinearLayout layout;
};

/// Refuses `syntax.type` for a text that is no such type, and what parse_encoding() refuses.
[[nodiscard]] Result<TensorType> parse_tensor_type(std::string_view text,
                                                   const Aliases& aliases = {});
/// The shape and the element type that the text of such a type states, without its encoding;
/// nullopt for any other text.
[[nodiscard]] std::optional<TensorType> stated_type(std::string_view text);
/// The bits of an element; a pointer has 64. nullopt for other types.
[[nodiscard]] std::optional<int> element_bit_width(std::string_view element_type);

/// The layout of a tensor of that type; for a buffer the layout of one stage, and for a part of a
/// buffer its linear::view_layout(). Refuses `encoding.missing` if the type has no encoding,
/// `encoding.padded` for padded_shared, whose offsets are not linear, and what to_linear_layout()
/// of an encoding refuses.
[[nodiscard]] Result<linear::LinearLayout> to_linear_layout(const TensorType& type);
/// The layout of the tensor with its sizes raised to powers of two, without padding of its offsets;
/// nullopt unless that is all that it lacks.
[[nodiscard]] std::optional<PaddedLayout> padded_layout(const TensorType& type);

}  // namespace heddle::notation
#pragma GCC visibility pop
