// Types of Triton as text: tensor<…>, !ttg.memdesc<…>.

#include <fmt/format.h>

#include <algorithm>
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
  return refuse_type(text, fmt::format("has {} where an element type is expected, behind {} size{}",
                                       quote(element_type), dim, dim == 1 ? "" : "s"));
}

/// The refusal of a piece of the type, at its place in the whole.
Refusal refuse_piece(Diagnostic diagnostic, std::string_view text, std::string_view piece) {
  const auto begin = static_cast<std::size_t>(piece.data() - text.data());
  const Span inner = diagnostic.span().value_or(Span{0, piece.size()});
  return refuse(std::move(diagnostic).with_span({begin + inner.begin, begin + inner.end}));
}

/// Whether the piece is an attribute of a buffer other than its layout: its memory space, or that
/// it is mutable.
bool is_memory_space(std::string_view piece) {
  return piece == "#smem" || piece == "#tmem" || piece == "mutable" ||
         piece.ends_with(".shared_memory") || piece.ends_with(".tensor_memory");
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
    return refuse_type(text, "is no type of a tensor or a buffer");
  }
  const std::string_view name = trimmed(text.substr(0, open));
  const std::string_view body = text.substr(open + 1, text.size() - open - 2);
  if (name.ends_with(".tensordesc")) {
    Result<TensorType> inner = parse_tensor_type(trimmed(body), aliases);
    if (!inner) return refuse_piece(std::move(inner).error(), text, trimmed(body));
    inner->is_memdesc = true;
    return inner;
  }
  TensorType type;
  type.is_memdesc = name.ends_with(".memdesc");
  if (!type.is_memdesc && name != "tensor") {
    return refuse_type(text, "is no type of a tensor or a buffer");
  }
  const std::vector<std::string_view> pieces = split_at_commas(body);
  type.element_type = read_sizes(pieces.front(), type.shape);
  HEDDLE_CHECK(check_element_type(text, type.element_type, type.shape.size()));
  for (std::size_t i = 1; i < pieces.size(); ++i) {
    const std::string_view piece = pieces[i];
    if (type.is_memdesc && i > 1 && read_sizes(piece, type.alloc_shape).empty()) continue;
    if (is_memory_space(piece) || (i > 1 && piece.starts_with('#'))) continue;
    if (i > 1) return refuse_type(text, fmt::format("has {} at its end", quote(piece)));
    Result<Encoding> encoding = parse_encoding(piece, aliases);
    if (!encoding) return refuse_piece(std::move(encoding).error(), text, piece);
    type.encoding = *std::move(encoding);
  }
  return type;
}

std::optional<TensorType> stated_type(std::string_view text) {
  text = trimmed(text);
  const std::size_t open = text.find('<');
  const bool is_type = !text.starts_with('#') && triton_length(text) == text.size();
  if (!is_type || open == std::string_view::npos) return std::nullopt;
  const std::string_view name = text.substr(0, open);
  const std::string_view body = text.substr(open + 1, text.size() - open - 2);
  if (name.ends_with(".tensordesc")) return stated_type(body);
  TensorType type;
  type.is_memdesc = name != "tensor";
  type.element_type = read_sizes(split_at_commas(body).front(), type.shape);
  return type;
}

Result<LinearLayout> to_linear_layout(const TensorType& type) {
  if (!type.encoding) return refuse("encoding.missing", "the type has no encoding");
  if (type.encoding->get_if<linear::PaddedSharedEncoding>() != nullptr) {
    return refuse(Diagnostic("encoding.padded",
                             "padded_shared spreads offsets in a way that is "
                             "not linear")
                      .with_hint("to_linear(ENCODING, SHAPE) is the layout before the padding"));
  }
  const Sizes& all = type.alloc_shape.empty() ? type.shape : type.alloc_shape;
  const std::size_t rank = type.encoding->rank();
  // The stages of a buffer come before the dimensions of its encoding.
  const std::size_t stages = type.is_memdesc && all.size() > rank ? all.size() - rank : 0;
  return linear::to_linear_layout(*type.encoding, std::span(all).subspan(stages));
}

}  // namespace heddle::notation
