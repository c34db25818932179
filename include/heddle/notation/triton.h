#pragma once

// Triton's attributes and types, as they stand in its IR.
//
//   #blocked = #ttg.blocked<{sizePerThread = [1, 4], …}>        an alias, and an attribute
//   tensor<128x64xf16, #blocked>                                 a tensor in registers
//   !ttg.memdesc<3x128x64xf16, #shared, #smem, mutable>          a buffer, here three times
//
//   parse_encoding("#ttg.slice<{dim = 1, parent = #blocked}>", aliases)
//   to_linear_layout(*parse_tensor_type("tensor<128x64xf16, #blocked>", aliases))
//
// Names of today and of before are read: #triton_gpu.…, #ttg.shared, CTAsPerCGA. Encodings are read
// from data too, {"kind":"blocked","sizePerThread":[1,4],…}, with fields under the names of the
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

/// What an alias such as `#blocked` (the sign included) stands for; null where it is not known.
using Aliases = std::function<const linear::Encoding*(std::string_view)>;

/// Refuses `syntax.attribute` for what is no attribute, `name.unknown` for an alias that is not
/// known, `encoding.unknown` for one of another kind, and what encoding_of() refuses. Every refusal
/// has a place in the text.
[[nodiscard]] Result<linear::Encoding> parse_encoding(std::string_view text,
                                                      const Aliases& aliases = {});

/// `{"kind":"blocked","sizePerThread":[1,4],…,"CGALayout":[[0,1]]}`
[[nodiscard]] Datum to_datum(const linear::Encoding& encoding);
/// The same read back. Refuses `encoding.unknown` for a kind that is not read here, and
/// `encoding.field` for a field that is missing, not known, or no such thing.
[[nodiscard]] Result<linear::Encoding> encoding_of(const Datum& datum);

/// `tensor<128x64xf16, #blocked>` or `!ttg.memdesc<128x64xf16, #shared, #smem>`.
struct TensorType {
  /// In elements; of a buffer of several stages the stages come first.
  linear::Sizes shape;
  /// `f16`, `!tt.ptr<f16>`.
  std::string element_type;
  std::optional<linear::Encoding> encoding;
  /// Of a buffer: what was allocated, where the type says so.
  linear::Sizes alloc_shape;
  bool is_memdesc = false;

  friend bool operator==(const TensorType&, const TensorType&) = default;
};

/// Refuses `syntax.type` for what is no such type, and what parse_encoding() refuses.
[[nodiscard]] Result<TensorType> parse_tensor_type(std::string_view text,
                                                   const Aliases& aliases = {});
/// The shape and the element type that the text of such a type states, without its encoding;
/// nothing for any other text.
[[nodiscard]] std::optional<TensorType> stated_type(std::string_view text);
/// How many bits an element has; a pointer 64. Nothing for other types.
[[nodiscard]] std::optional<int> element_bit_width(std::string_view element_type);

/// The layout of a tensor of that type; of a buffer that of one stage, within what was allocated.
/// Refuses `encoding.missing` where the type has no encoding, `encoding.padded` for padded_shared,
/// whose places are not linear, and what to_linear_layout() of an encoding refuses.
[[nodiscard]] Result<linear::LinearLayout> to_linear_layout(const TensorType& type);

}  // namespace heddle::notation
#pragma GCC visibility pop
