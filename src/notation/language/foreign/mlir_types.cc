#include "notation/language/foreign/mlir_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "core/text.h"
#include "notation/language/foreign/pointers.h"

namespace heddle::notation {
namespace {

constexpr std::string_view kPrintedTensor = "tensor(";
constexpr std::array<std::string_view, 5> kBareBeginnings = {"ptr<", "raw_ptr(", "memref<",
                                                             "tensor<", kPrintedTensor};
// Types with one argument, a text in the notation of layouts.
constexpr std::array<std::string_view, 9> kTextTypes = {"layout",    "composed_layout", "tile",
                                                        "shape",     "stride",          "coord",
                                                        "int_tuple", "swizzle",         "tiler"};

/// A name and the pieces between its brackets.
struct TypeText {
  std::string_view name;
  std::vector<Span> arguments;
  Span span;
};

/// Cuts `name<a, "b", c<d>>` into its pieces; a `>` within a string or a bracket closes nothing.
Result<TypeText> cut(std::string_view text, std::size_t position) {
  TypeText type;
  const std::size_t open = std::min(text.find_first_of("<(", position), text.size());
  type.name = text.substr(position, open - position);
  std::size_t depth = 0;
  bool is_string = false;
  std::size_t begin = open + 1;
  for (std::size_t i = open; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') is_string = !is_string;
    if (is_string) continue;
    if (c == '<' || c == '(' || c == '[') ++depth;
    const bool is_separator = depth == 1 && (c == ',' || c == ':');
    const bool is_close = c == '>' || c == ')' || c == ']';
    if (is_separator || (is_close && depth == 1)) {
      type.arguments.push_back(trimmed(text, {begin, i}));
      begin = i + 1;
    }
    if (!is_close) continue;
    --depth;
    if (depth > 0) continue;
    type.span = {position, i + 1};
    return type;
  }
  const std::string_view closing = text.substr(open).starts_with('(') ? ")" : ">";
  return refuse(
      not_closed(text.substr(position, 24), closing, {position, std::min(open + 1, text.size())}));
}

/// The contents of a quoted piece; nullopt for a piece without quotes.
std::optional<Span> unquoted(std::string_view text, Span span) {
  const std::string_view piece = text_at(text, span);
  if (piece.size() < 2 || piece.front() != '"' || piece.back() != '"') return std::nullopt;
  return Span{span.begin + 1, span.end - 1};
}

Refusal unknown(std::string_view text, const TypeText& type, std::string_view reason) {
  return refuse(
      Diagnostic("syntax.mlir_type", fmt::format("{} {}", quote(text_at(text, type.span)), reason))
          .with_span(type.span)
          .with_hint("types that are read: !cute.layout, composed_layout, tile, shape, "
                     "stride, coord, int_tuple, swizzle, ptr, memref"));
}

/// `ptr<f16, smem, align<128>, S<3,4,3>>`, `raw_ptr(0x400: f16, smem, align<16>)`, and the engine
/// of `memref<f16, smem, "…">`.
Result<Expression> pointer(std::string_view text, const TypeText& type, const ParsePiece& parse) {
  PointerLiteral node;
  std::vector<Expression> swizzle;
  std::optional<std::int64_t> bits;
  for (const Span span : type.arguments) {
    const std::string_view argument = text_at(text, span);
    if (argument.starts_with("0x")) {
      node.address = argument;
    } else if (argument.starts_with("S<")) {
      HEDDLE_TRY(Expression part, parse(span));
      swizzle.push_back(std::move(part));
    } else if (const auto space = memory_space_named(argument)) {
      node.space = *space;
    } else if (!argument.starts_with("align<") && !argument.starts_with('"')) {
      bits = element_bits(argument);
      if (!bits) return unknown(text, type, "has an element type of unknown width");
    }
  }
  if (!bits || swizzle.size() > 1) return unknown(text, type, "names no element type");
  node.bits = *bits;
  return make_expression(node, type.span, std::move(swizzle));
}

/// The pointer, and the layout in the last argument.
Result<Expression> memref(std::string_view text, const TypeText& type, const ParsePiece& parse) {
  const auto layout = type.arguments.empty() ? std::nullopt : unquoted(text, type.arguments.back());
  if (!layout) return unknown(text, type, "has no layout in quotes");
  std::vector<Expression> parts;
  HEDDLE_TRY(Expression engine, pointer(text, type, parse));
  parts.push_back(std::move(engine));
  HEDDLE_TRY(Expression inner, parse(*layout));
  parts.push_back(std::move(inner));
  return make_expression(CompositionChain{}, type.span, std::move(parts));
}

/// `coord_tensor<"(0,32)", "(8,64):(1@0,1@1)">`: a counter of coordinates before its layout.
Result<Expression> coordinate_tensor(std::string_view text, const TypeText& type,
                                     const ParsePiece& parse) {
  const bool are_two = type.arguments.size() == 2;
  const auto origin = are_two ? unquoted(text, type.arguments[0]) : std::nullopt;
  const auto layout = are_two ? unquoted(text, type.arguments[1]) : std::nullopt;
  if (!origin || !layout) return unknown(text, type, "has no origin and layout in quotes");
  HEDDLE_TRY(Expression start, parse(*origin));
  const bool is_tuple = std::holds_alternative<Parentheses>(start.node);
  std::vector<Expression> numbers = is_tuple ? std::move(start.parts) : std::vector{start};
  std::vector<Expression> chain;
  chain.push_back(
      call_of(is_tuple ? "ArithTuple" : "counting_iter", std::move(numbers), start.span));
  HEDDLE_TRY(Expression inner, parse(*layout));
  chain.push_back(std::move(inner));
  return make_expression(CompositionChain{}, type.span, std::move(chain));
}

/// `tensor(raw_ptr(0x400: f32, rmem, align<32>) o (4,3):(1,4), data=[…])` as CuTe DSL prints the
/// tensor, or its first line. What follows the layout, the values of the elements, is not kept.
Result<Expression> printed_tensor(std::string_view text, std::size_t& position,
                                  const ParsePiece& parse) {
  const std::size_t begin = position + kPrintedTensor.size();
  std::size_t depth = 1;
  std::size_t end = std::string_view::npos;
  for (position = begin; position < text.size() && depth > 0; ++position) {
    const char c = text[position];
    if (c == '(' || c == '[' || c == '<') ++depth;
    if (c == ')' || c == ']' || c == '>') --depth;
    const bool ends = depth == 0 || (depth == 1 && (c == ',' || c == '\n'));
    if (ends && end == std::string_view::npos) end = position;
  }
  return parse(trimmed(text, {begin, std::min(end, text.size())}));
}

}  // namespace

bool begins_mlir_type(std::string_view text) {
  if (text.starts_with("!cute.") || text.starts_with("#cute.")) return true;
  return std::ranges::any_of(kBareBeginnings,
                             [&](std::string_view start) { return text.starts_with(start); });
}

Result<Expression> read_mlir_type(std::string_view text, std::size_t& position,
                                  const ParsePiece& parse) {
  if (text.substr(position).starts_with(kPrintedTensor)) {
    return printed_tensor(text, position, parse);
  }
  HEDDLE_TRY(const TypeText type, cut(text, position));
  position = type.span.end;
  constexpr std::string_view kDialect = "!cute.";
  std::string_view name = type.name;
  if (name.size() > kDialect.size() && name.substr(1, 5) == kDialect.substr(1))
    name.remove_prefix(kDialect.size());
  if (name == "ptr" || name == "raw_ptr") return pointer(text, type, parse);
  if (name == "memref") return memref(text, type, parse);
  if (name == "coord_tensor") return coordinate_tensor(text, type, parse);
  if (name == "tensor") {
    // Its commas and colons belong to the layout, so it is parsed as one piece.
    return parse({type.arguments.front().begin, type.span.end - 1});
  }
  const bool is_text = std::ranges::find(kTextTypes, name) != kTextTypes.end();
  const auto content =
      type.arguments.size() == 1 ? unquoted(text, type.arguments.front()) : std::nullopt;
  if (!is_text || !content) return unknown(text, type, "is not a type of CuTe with a layout in it");
  HEDDLE_TRY(Expression inner, parse(*content));
  return inner;
}

}  // namespace heddle::notation
