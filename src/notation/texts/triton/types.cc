// Types of Triton as text: tensor<…>, !ttg.memdesc<…>.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <span>
#include <utility>
#include <vector>

#include "core/text.h"
#include "heddle/notation/lexer.h"
#include "heddle/notation/triton.h"
#include "notation/language/foreign/pointers.h"
#include "notation/language/foreign/triton_text.h"

namespace heddle::notation {
namespace {

using linear::Encoding;
using linear::LinearLayout;
using linear::Sizes;

/// Reads the sizes in `128x64xf16`, each with its x, up to the first part that is no size.
std::string_view read_sizes(std::string_view text, Sizes& sizes) {
  while (!text.empty()) {
    std::string_view rest = text;
    const std::optional<std::int64_t> size = take_integer(rest);
    if (!size || *size < 0 || (!rest.empty() && rest.front() != 'x')) break;
    sizes.push_back(*size);
    text = rest.substr(rest.empty() ? 0 : 1);
  }
  return text;
}

Refusal refuse_type(std::string_view text, std::string_view reason) {
  return refuse(Diagnostic("syntax.type", fmt::format("{} {}", quote(text), reason))
                    .with_span({0, text.size()})
                    .with_hint("tensor<128x64xf16, #blocked> or "
                               "!ttg.memdesc<128x64xf16, #shared, #smem>"));
}

/// Refuses the text after the sizes unless it can be the name of a type.
Result<void> check_element_type(std::string_view text, std::string_view element_type,
                                std::size_t dim) {
  if (element_type.empty()) return refuse_type(text, "names no element type");
  if (element_type.starts_with('?')) {
    return refuse_type(text, fmt::format("has the size ? in dim{}; a layout needs sizes that are "
                                         "numbers",
                                         dim));
  }
  const char first = element_type.front();
  const bool is_name = (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z');
  if (is_name || first == '!') return {};
  return refuse_type(text, fmt::format("has {} where an element type is expected, after {} size{}",
                                       quote(element_type), dim, dim == 1 ? "" : "s"));
}

/// The refusal of a piece of the type, at its place in the whole.
Refusal refuse_piece(Diagnostic diagnostic, std::string_view text, std::string_view piece) {
  const auto begin = static_cast<std::size_t>(piece.data() - text.data());
  const Span inner = diagnostic.span().value_or(Span{0, piece.size()});
  return refuse(std::move(diagnostic).with_span({begin + inner.begin, begin + inner.end}));
}

/// Whether the name is that of a descriptor for TMA, `!tt.tensordesc` or `!ttng.tensordesc_im2col`.
bool is_descriptor(std::string_view name) {
  return name.ends_with(".tensordesc") || name.ends_with(".tensordesc_im2col");
}

/// The tensor in an older descriptor, `!tt.tensordesc<tensor<…>>`; empty for any other type.
std::string_view described_tensor(std::string_view name, std::string_view body) {
  return is_descriptor(name) && trimmed(body).starts_with("tensor<") ? trimmed(body)
                                                                     : std::string_view();
}

/// Whether the piece is the memory space of a buffer by its full name. An alias of that place, such
/// as #smem or #tmem, is the encoding.
bool is_memory_space(std::string_view piece) {
  return piece.ends_with(".shared_memory") || piece.ends_with(".tensor_memory");
}

/// Reads what follows the encoding: of a buffer its memory space, that it is mutable, and the shape
/// of the whole of which it is a part.
Result<void> read_rest(std::string_view text, std::span<const std::string_view> pieces,
                       TensorType& type) {
  for (const std::string_view piece : pieces) {
    const bool is_attribute = piece.starts_with('#') || piece == "mutable";
    if (is_attribute || (type.is_memdesc && read_sizes(piece, type.alloc_shape).empty())) continue;
    return refuse_type(text, fmt::format("has {} at its end", quote(piece)));
  }
  return {};
}

/// Versions of Triton that print no kWidth take as many neighbours along k as fit into 32 bits.
Encoding with_default_k_width(Encoding encoding, std::string_view element_type) {
  const auto* operand = encoding.get_if<linear::DotOperandEncoding>();
  if (operand == nullptr || operand->k_width != 0 ||
      operand->parent->get_if<linear::NvidiaMmaEncoding>() == nullptr) {
    return encoding;
  }
  const auto bits = element_bit_width(element_type);
  if (!bits) return encoding;
  return linear::dot_operand_of(*operand->parent, operand->op_idx, std::max(1, 32 / *bits));
}

/// The part of a shape that the encoding describes: the stages of a buffer come before it.
std::span<const std::int64_t> without_stages(const TensorType& type, const Sizes& shape) {
  const std::size_t rank = type.encoding->rank();
  const bool has_stages = type.is_memdesc && rank > 0 && shape.size() > rank;
  return std::span(shape).subspan(has_stages ? shape.size() - rank : 0);
}

}  // namespace

std::optional<int> element_bit_width(std::string_view type) {
  if (type.starts_with("!tt.ptr") || type.starts_with("!llvm.ptr")) return 64;
  if (type == "index") return 64;
  // The format of a small float follows its width: f8E4M3FN.
  if (type.starts_with('f')) type = type.substr(0, type.find('E'));
  const auto bits = element_bits(type);
  return bits && *bits <= 128 ? std::optional(static_cast<int>(*bits)) : std::nullopt;
}

Result<TensorType> parse_tensor_type(std::string_view text, const Aliases& aliases) {
  const std::size_t open = text.find('<');
  if (open == std::string_view::npos || bracketed_length(text.substr(open)) != text.size() - open) {
    return refuse_type(text, "is not the type of a tensor or a buffer");
  }
  const std::string_view name = trimmed(text.substr(0, open));
  const std::string_view body = text.substr(open + 1, text.size() - open - 2);
  if (const std::string_view tensor = described_tensor(name, body); !tensor.empty()) {
    Result<TensorType> inner = parse_tensor_type(tensor, aliases);
    if (!inner) return refuse_piece(std::move(inner).error(), text, tensor);
    inner->is_memdesc = true;
    return inner;
  }
  TensorType type;
  type.is_memdesc = name.ends_with(".memdesc") || is_descriptor(name);
  if (!type.is_memdesc && name != "tensor") {
    return refuse_type(text, "is not the type of a tensor or a buffer");
  }
  const std::vector<std::string_view> pieces = split_at_commas(body);
  type.element_type = read_sizes(pieces.front(), type.shape);
  HEDDLE_CHECK(check_element_type(text, type.element_type, type.shape.size()));
  if (pieces.size() == 1 || is_memory_space(pieces[1])) return type;
  Result<Encoding> encoding = parse_encoding(pieces[1], aliases);
  if (!encoding) return refuse_piece(std::move(encoding).error(), text, pieces[1]);
  type.encoding = with_default_k_width(*std::move(encoding), type.element_type);
  HEDDLE_CHECK(read_rest(text, std::span(pieces).subspan(2), type));
  return type;
}

std::optional<TensorType> stated_type(std::string_view text) {
  text = trimmed(text);
  const std::size_t open = text.find('<');
  const bool is_type = !text.starts_with('#') && triton_length(text) == text.size();
  if (!is_type || open == std::string_view::npos) return std::nullopt;
  const std::string_view name = text.substr(0, open);
  const std::string_view body = text.substr(open + 1, text.size() - open - 2);
  if (const std::string_view tensor = described_tensor(name, body); !tensor.empty()) {
    return stated_type(tensor);
  }
  TensorType type;
  type.is_memdesc = name != "tensor";
  type.element_type = read_sizes(split_at_commas(body).front(), type.shape);
  return type;
}

Result<LinearLayout> to_linear_layout(const TensorType& type) {
  if (!type.encoding) return refuse("encoding.missing", "the type has no encoding");
  if (linear::padding_of(*type.encoding) != nullptr) {
    return refuse(Diagnostic("encoding.padded",
                             "padded_shared spreads offsets in a way that is "
                             "not linear")
                      .with_hint("to_linear(ENCODING, SHAPE) is the layout before the padding"));
  }
  const auto shape = without_stages(type, type.shape);
  if (type.alloc_shape.empty()) return linear::to_linear_layout(*type.encoding, shape);
  return linear::view_layout(*type.encoding, without_stages(type, type.alloc_shape), shape);
}

std::optional<PaddedLayout> padded_layout(const TensorType& type) {
  constexpr std::int64_t kMostPadded = std::int64_t{1} << 32;
  if (!type.encoding || !type.alloc_shape.empty()) return std::nullopt;
  TensorType padded = type;
  padded.encoding = linear::without_padding(*type.encoding);
  const Result<LinearLayout> own = to_linear_layout(padded);
  if (own || own.error().code() != "encoding.shape") return std::nullopt;
  for (std::int64_t& size : padded.shape) {
    if (size <= 0 || size > kMostPadded) return std::nullopt;
    size = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(size)));
  }
  if (padded.shape == type.shape) return std::nullopt;
  Result<LinearLayout> layout = to_linear_layout(padded);
  if (!layout) return std::nullopt;
  return PaddedLayout{std::move(padded.shape), *std::move(layout)};
}

}  // namespace heddle::notation
