#include "notation/language/foreign/foreign_texts.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/printable.h"
#include "core/text.h"
#include "core/words.h"
#include "notation/language/foreign/cpp_types.h"
#include "notation/language/foreign/mlir_builtin.h"
#include "notation/language/foreign/mlir_types.h"
#include "notation/language/foreign/pointers.h"
#include "notation/language/foreign/printed_atoms.h"
#include "notation/language/foreign/printed_layout.h"
#include "notation/language/foreign/sharding_text.h"
#include "notation/language/foreign/triton_text.h"

namespace heddle::notation {
namespace {

// ---- Triton: layouts as it prints them, attributes and types, whole ----

/// The length of a layout, attribute or type of Triton; nullopt if one begins but is not closed.
std::optional<std::size_t> triton_or_layout_length(std::string_view rest) {
  return begins_printed_layout(rest) ? printed_layout_length(rest) : triton_length(rest);
}

std::size_t begins_triton(std::string_view rest) {
  const auto length = triton_or_layout_length(rest);
  return length ? *length : rest.find('<') + 1;
}

Result<Expression> read_triton_text(std::string_view text, std::size_t& position,
                                    const ParsePiece&) {
  const std::string_view rest = text.substr(position);
  const auto length = triton_or_layout_length(rest);
  const Span span{position, position + begins_triton(rest)};
  if (!length) return refuse(not_closed(text_at(text, span), ">", span));
  position = span.end;
  return make_expression(TritonLiteral{text_at(text, span)}, span);
}

// ---- CuTe: pointers ----

std::size_t begins_pointer(std::string_view rest) {
  const auto pointer = first_word(rest).empty() ? std::nullopt : match_pointer(rest);
  return pointer ? pointer->length : 0;
}

Result<Expression> read_pointer(std::string_view text, std::size_t& position, const ParsePiece&) {
  const PrintedPointer pointer = *match_pointer(text.substr(position));
  const Span span{position, position + pointer.length};
  if (pointer.is_swizzled) {
    return refuse(Diagnostic("syntax.unexpected", "there is " + quote(text_at(text, span)) +
                                                      " where a swizzle before '_' is expected")
                      .with_span(span));
  }
  position = span.end;
  return make_expression(pointer.literal, span);
}

// ---- CuTe DSL: types of MLIR ----

std::size_t begins_mlir(std::string_view rest) {
  return begins_mlir_type(rest) ? std::min(rest.find_first_of("<( \n"), rest.size()) : 0;
}

// ---- CuTe: types of C++ ----

/// The length of the words before a type that do not matter.
std::size_t qualifiers_length(std::string_view rest) {
  constexpr std::array<std::string_view, 4> kSilentWords = {"const", "typename", "struct", "class"};
  std::size_t length = 0;
  while (true) {
    const std::string_view word = first_word(rest.substr(length));
    if (std::ranges::find(kSilentWords, word) == kSilentWords.end()) return length;
    length = std::min(rest.find_first_not_of(" \t", length + word.size()), rest.size());
  }
}

std::size_t begins_cpp(std::string_view rest) {
  if (first_word(rest).empty()) return 0;
  const std::string_view type = rest.substr(qualifiers_length(rest));
  return begins_cpp_type(type) ? rest.size() - type.size() + first_word(type).size() : 0;
}

/// Reads a type, and the bindings of its template parameters if they follow it.
Result<Expression> read_cpp(std::string_view text, std::size_t& position, const ParsePiece&) {
  position += qualifiers_length(text.substr(position));
  HEDDLE_TRY(CppType type, read_cpp_type(text, position));
  const std::size_t next = std::min(text.find_first_not_of(' ', position), text.size());
  CppBindings bindings;
  if (text.substr(next).starts_with("[with")) {
    position = next;
    HEDDLE_TRY(bindings, read_cpp_bindings(text, position));
    HEDDLE_TRY(type, substitute(type, bindings));
  }
  return expression_of(type, text, bindings);
}

// ---- CuTe: fractions ----

/// The numbers of `_1/_16`, as CuTe prints R<1,16>, and its length.
struct PrintedFraction {
  FractionLiteral literal;
  std::size_t length = 0;
};

std::optional<PrintedFraction> match_fraction(std::string_view text) {
  std::string_view rest = text;
  const auto number = [&]() -> std::optional<std::int64_t> {
    if (!rest.starts_with('_')) return std::nullopt;
    rest.remove_prefix(1);
    const bool is_negative = rest.starts_with('-');
    if (is_negative) rest.remove_prefix(1);
    const std::optional<std::int64_t> magnitude = take_integer(rest);
    if (!magnitude || *magnitude < 0) return std::nullopt;
    return is_negative ? -*magnitude : *magnitude;
  };
  PrintedFraction fraction;
  const auto numerator = number();
  if (!numerator || !rest.starts_with('/') || rest.starts_with("//")) return std::nullopt;
  rest.remove_prefix(1);
  const auto denominator = number();
  if (!denominator) return std::nullopt;
  fraction.literal = {*numerator, *denominator};
  fraction.length = text.size() - rest.size();
  return fraction;
}

std::size_t begins_fraction(std::string_view rest) {
  const auto fraction = match_fraction(rest);
  return fraction ? fraction->length : 0;
}

Result<Expression> read_fraction(std::string_view text, std::size_t& position, const ParsePiece&) {
  const PrintedFraction fraction = *match_fraction(text.substr(position));
  const Span span{position, position + fraction.length};
  position = span.end;
  return make_expression(fraction.literal, span);
}

// ---- C++: the type of an expression ----

constexpr std::string_view kDecltype = "decltype";

std::size_t begins_decltype(std::string_view rest) {
  if (!rest.starts_with(kDecltype) || !rest.substr(kDecltype.size()).starts_with('(')) return 0;
  const std::string_view brackets = rest.substr(kDecltype.size());
  return kDecltype.size() + bracketed_length(brackets).value_or(1);
}

/// `decltype(composition(…))` is what is between the brackets: types are read as their values. The
/// braces that make a value of it may follow.
Result<Expression> read_decltype(std::string_view text, std::size_t& position,
                                 const ParsePiece& parse) {
  const Span span{position, position + begins_decltype(text.substr(position))};
  if (text[span.end - 1] != ')') return refuse(not_closed(text_at(text, span), ")", span));
  position = span.end;
  if (text.substr(position).starts_with("{}")) position += 2;
  return parse({span.begin + kDecltype.size() + 1, span.end - 1});
}

// ---- pycute: swizzles ----

/// The three numbers of `SW_3_4_3`, and its length.
struct PycuteSwizzle {
  std::array<std::int64_t, 3> numbers = {};
  std::size_t length = 0;
};

std::optional<PycuteSwizzle> match_pycute_swizzle(std::string_view text) {
  std::string_view rest = text;
  if (!rest.starts_with("SW")) return std::nullopt;
  rest.remove_prefix(2);
  PycuteSwizzle swizzle;
  for (std::int64_t& number : swizzle.numbers) {
    if (!rest.starts_with('_')) return std::nullopt;
    rest.remove_prefix(1);
    const bool is_negative = rest.starts_with('-');
    if (is_negative) rest.remove_prefix(1);
    const std::optional<std::int64_t> magnitude = take_integer(rest);
    if (!magnitude) return std::nullopt;
    number = is_negative ? -*magnitude : *magnitude;
  }
  if (!first_word(rest).empty()) return std::nullopt;
  swizzle.length = text.size() - rest.size();
  return swizzle;
}

std::size_t begins_pycute_swizzle(std::string_view rest) {
  const auto swizzle = match_pycute_swizzle(rest);
  return swizzle ? swizzle->length : 0;
}

Result<Expression> read_pycute_swizzle(std::string_view text, std::size_t& position,
                                       const ParsePiece&) {
  const PycuteSwizzle swizzle = *match_pycute_swizzle(text.substr(position));
  const Span span{position, position + swizzle.length};
  position = span.end;
  std::vector<Expression> numbers;
  for (const std::int64_t number : swizzle.numbers) {
    numbers.push_back(make_expression(IntegerLiteral{number}, span));
  }
  return make_expression(SwizzleLiteral{}, span, std::move(numbers));
}

// ---- isl: relations and sets ----

std::string_view without_blanks(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
}

/// The braces of `[N] -> { … }`; the text itself if no parameters precede them.
std::string_view without_parameters(std::string_view rest) {
  const std::size_t close = rest.starts_with('[') ? rest.find(']') : std::string_view::npos;
  if (close == std::string_view::npos) return rest;
  const std::string_view arrow = without_blanks(rest.substr(close + 1));
  return arrow.starts_with("->") ? without_blanks(arrow.substr(2)) : rest;
}

/// `{ [i] -> [2i] }`, `{ A[i] : i < 4 }`, up to the closing brace, or only the opening brace if
/// there is none. Objects instead begin with a name or a quote.
std::size_t begins_relation(std::string_view rest) {
  const std::string_view braces = without_parameters(rest);
  if (!braces.starts_with('{')) return 0;
  const std::string_view tuple = without_blanks(braces.substr(1));
  const bool has_tuple = tuple.substr(first_word(tuple).size()).starts_with('[');
  if (!has_tuple && braces.size() == rest.size()) return 0;
  const std::size_t open = rest.size() - braces.size();
  const std::size_t close = rest.find('}', open);
  return close == std::string_view::npos ? open + 1 : close + 1;
}

Result<Expression> read_relation(std::string_view text, std::size_t& position, const ParsePiece&) {
  const Span span{position, position + begins_relation(text.substr(position))};
  const std::string_view relation = text_at(text, span);
  if (!relation.ends_with('}')) return refuse(not_closed(relation, "}", span));
  std::vector<std::size_t> places(relation.size() + 1);
  std::iota(places.begin(), places.end(), span.begin);
  position = span.end;
  std::vector<Expression> quoted;
  quoted.push_back(
      make_expression(StringLiteral{std::string(relation), TextPlaces(std::move(places))}, span));
  const bool is_set = without_parameters(relation).find("->") == std::string_view::npos;
  return call_of(is_set ? "integer_set" : "relation", std::move(quoted), span);
}

constexpr std::array kForeignTexts = {
    ForeignText{builtin_length, read_builtin},
    ForeignText{sharding_length, read_sharding_text},
    ForeignText{mesh_length, read_mesh_text},
    ForeignText{xla_length, read_xla_text},
    ForeignText{begins_triton, read_triton_text},
    ForeignText{begins_pointer, read_pointer},
    ForeignText{begins_fraction, read_fraction},
    ForeignText{begins_mlir, read_mlir_type},
    ForeignText{begins_printed_atom, read_printed_atom},
    ForeignText{begins_decltype, read_decltype},
    ForeignText{begins_cpp, read_cpp},
    ForeignText{begins_pycute_swizzle, read_pycute_swizzle},
    ForeignText{begins_relation, read_relation},
};

}  // namespace

Expression call_of(std::string_view operation, std::vector<Expression> arguments, Span span) {
  Application application{std::vector<std::string_view>(arguments.size())};
  arguments.insert(arguments.begin(), make_expression(Reference{operation}, span));
  return make_expression(std::move(application), span, std::move(arguments));
}

FoundForeignText find_foreign_text(std::string_view rest) {
  for (const ForeignText& notation : kForeignTexts) {
    if (const std::size_t length = notation.begins(rest); length > 0) return {&notation, length};
  }
  return {};
}

}  // namespace heddle::notation
