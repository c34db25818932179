#include "notation/language/foreign/cpp_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <string>
#include <system_error>

#include "core/text.h"
#include "core/words.h"
#include "heddle/cute/atoms.h"
#include "heddle/notation/parser.h"
#include "notation/language/foreign/cpp_integers.h"
#include "notation/language/foreign/foreign_texts.h"
#include "notation/language/foreign/pointers.h"

namespace heddle::notation {
namespace {

using Kind = CppType::Kind;

/// A destructor has a name too.
bool is_name_character(char c) { return is_word_character(c) || c == '~'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

template <std::size_t N>
bool is_one_of(std::string_view word, const std::array<std::string_view, N>& words) {
  return std::ranges::find(words, word) != words.end();
}

constexpr std::array<std::string_view, 8> kQualifiers = {
    "const", "volatile", "typename", "struct", "class", "enum", "template", "constexpr"};
constexpr std::array<std::string_view, 11> kBuiltIns = {"unsigned", "signed", "long",   "short",
                                                        "int",      "char",   "bool",   "float",
                                                        "double",   "void",   "__int64"};

/// Counts the parts of a type, up to a limit.
class TermCount {
 public:
  Result<void> add(std::size_t terms, Span span) {
    terms_ += terms;
    if (terms_ <= kMaxTerms) return {};
    return refuse(
        Diagnostic("syntax.too_long", fmt::format("a type of more than {} parts", kMaxTerms))
            .with_span(span));
  }

 private:
  std::size_t terms_ = 0;
};

/// Reads a tree of names and numbers. Recursion is at most kMaxTypeNesting deep.
class TypeReader {
 public:
  TypeReader(std::string_view text, std::size_t position) : text_(text), position_(position) {}

  /// A type by itself.
  Result<CppType> whole() {
    HEDDLE_TRY(CppType type, named_or_number());
    skip_suffixes(type);
    return type;
  }
  Result<CppBindings> bindings();
  /// The pack in the bracket at the position.
  Result<CppType> pack(char close);

  [[nodiscard]] std::size_t position() const { return position_; }

 private:
  Result<CppType> argument();
  Result<CppType> named_or_number();
  Result<CppType> number();
  Result<CppType> name();
  Result<std::vector<CppType>> list(char close);
  CppType opaque(std::size_t begin);

  [[nodiscard]] bool is_at_end() const { return position_ >= text_.size(); }
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return position_ + ahead < text_.size() ? text_[position_ + ahead] : '\0';
  }
  void skip_blanks() {
    while (is_blank(peek())) ++position_;
  }
  bool skip_word(std::string_view word) {
    if (!text_.substr(std::min(position_, text_.size())).starts_with(word)) return false;
    position_ += word.size();
    return true;
  }
  std::string_view word() {
    const std::size_t begin = position_;
    while (is_name_character(peek())) ++position_;
    return text_.substr(begin, position_ - begin);
  }
  void skip_suffixes(CppType& type);
  bool skip_cast();
  bool at_arguments(std::string_view name);

  std::string_view text_;
  std::size_t position_;
  std::size_t depth_ = 0;
  TermCount terms_;
};

/// Whether the character ends an argument of a template, or a binding.
bool ends_argument(char c) {
  return c == ',' || c == '>' || c == ';' || c == ']' || c == '}' || c == ')' || c == '\0';
}

/// Skips everything up to the end of the argument; an unmatched closing sign ends it.
CppType TypeReader::opaque(std::size_t begin) {
  std::vector<char> open;
  for (; !is_at_end(); ++position_) {
    const char c = peek();
    if (open.empty() && ends_argument(c)) break;
    if (c == '-' && peek(1) == '>') {
      ++position_;
    } else if (c == '(' || c == '<' || c == '[' || c == '{') {
      open.push_back(c);
    } else if (!open.empty() && (c == ')' || c == '>' || c == ']' || c == '}')) {
      open.pop_back();
    }
  }
  CppType type;
  type.span = {begin, position_};
  return type;
}

Result<CppType> TypeReader::argument() {
  HEDDLE_CHECK(terms_.add(1, {position_, position_}));
  skip_blanks();
  const std::size_t begin = position_;
  if (peek() == '{' || peek() == '<') return pack(peek() == '{' ? '}' : '>');
  HEDDLE_TRY(CppType type, named_or_number());
  skip_suffixes(type);
  skip_blanks();
  if (is_at_end() || ends_argument(peek())) return type;
  return opaque(begin);
}

Result<CppType> TypeReader::named_or_number() {
  skip_blanks();
  const bool is_cast = peek() == '(' && skip_cast();
  if (is_cast || is_digit(peek()) || (peek() == '-' && is_digit(peek(1)))) return number();
  if (is_name_character(peek()) || peek() == ':') return name();
  return opaque(position_);
}

/// Consumes `(int)` before a number.
bool TypeReader::skip_cast() {
  const std::size_t close = text_.find_first_of("()", position_ + 1);
  if (close == std::string_view::npos || text_[close] != ')') return false;
  std::size_t next = close + 1;
  while (next < text_.size() && is_blank(text_[next])) ++next;
  if (next < text_.size() && text_[next] == '-') ++next;
  if (next >= text_.size() || !is_digit(text_[next])) return false;
  position_ = close + 1;
  skip_blanks();
  return true;
}

/// `8`, `-8`, `8ul`, `8LL`.
Result<CppType> TypeReader::number() {
  CppType type;
  type.kind = Kind::kInteger;
  const std::size_t begin = position_;
  const bool is_negative = skip_word("-");
  const bool is_hex = peek() == '0' && (peek(1) == 'x' || peek(1) == 'X');
  if (is_hex) position_ += 2;
  std::uint64_t magnitude = 0;
  const char* first = text_.data() + position_;
  const auto [end, error] =
      std::from_chars(first, text_.data() + text_.size(), magnitude, is_hex ? 16 : 10);
  position_ += static_cast<std::size_t>(end - first);
  while (peek() != '\0' && std::string_view("uUlL").find(peek()) != std::string_view::npos)
    ++position_;
  type.span = {begin, position_};
  constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (error != std::errc() || magnitude > kMax) {
    return refuse(
        Diagnostic("syntax.number", fmt::format("{} does not fit into 64 bits",
                                                quote(text_.substr(begin, position_ - begin))))
            .with_span(type.span));
  }
  type.value =
      is_negative ? -static_cast<std::int64_t>(magnitude) : static_cast<std::int64_t>(magnitude);
  return type;
}

/// Moves to the `<` of template arguments. CUTLASS writes `Shape <_8,_64>`, with a blank before it;
/// after `operator` it is the name of an operator.
bool TypeReader::at_arguments(std::string_view name) {
  const std::size_t before = position_;
  if (name != "operator") skip_blanks();
  if (peek() == '<') return true;
  position_ = before;
  return false;
}

/// `const cute::tuple<…>`, `unsigned long`, `::std::size_t`, `typename T::value_type`.
Result<CppType> TypeReader::name() {
  CppType type;
  type.kind = Kind::kName;
  std::size_t begin = position_;
  skip_word("::");
  while (true) {
    skip_blanks();
    const std::size_t word_begin = position_;
    const std::string_view part = word();
    if (part.empty()) return opaque(begin);
    if (is_one_of(part, kQualifiers)) {
      begin = position_;
      continue;
    }
    if (is_one_of(part, kBuiltIns)) {
      std::size_t end = position_;
      for (skip_blanks(); is_one_of(word(), kBuiltIns); skip_blanks()) end = position_;
      position_ = end;
      type.name = text_.substr(word_begin, end - word_begin);
      break;
    }
    type.name = part;
    type.is_template = false;
    type.arguments.clear();
    if (at_arguments(part)) {
      ++position_;
      type.is_template = true;
      HEDDLE_TRY(type.arguments, list('>'));
    }
    if (!skip_word("::")) break;
  }
  if (type.name == "true" || type.name == "false") {
    type.kind = Kind::kInteger;
    type.value = type.name == "true" ? 1 : 0;
  }
  type.span = {begin, position_};
  while (type.span.begin < type.span.end && is_blank(text_[type.span.begin])) ++type.span.begin;
  return type;
}

Result<CppType> TypeReader::pack(char close) {
  CppType type;
  type.kind = Kind::kPack;
  const std::size_t begin = position_++;
  HEDDLE_TRY(type.arguments, list(close));
  type.span = {begin, position_};
  return type;
}

/// Arguments up to the closing sign; the opening one is already consumed.
Result<std::vector<CppType>> TypeReader::list(char close) {
  const Span opening{position_ - 1, position_};
  if (++depth_ > kMaxTypeNesting) {
    return refuse(Diagnostic("syntax.too_deep",
                             fmt::format("a type nests more than {} deep", kMaxTypeNesting))
                      .with_span(opening));
  }
  std::vector<CppType> arguments;
  skip_blanks();
  while (peek() != close) {
    HEDDLE_TRY(CppType next, argument());
    arguments.push_back(std::move(next));
    skip_blanks();
    if (peek() == ',') {
      ++position_;
    } else if (peek() != close) {
      const std::string_view opened = text_.substr(opening.begin, 1);
      return refuse(Diagnostic("syntax.unbalanced", quote(opened) + " of a C++ type is not closed")
                        .with_span(opening)
                        .with_hint(fmt::format("write '{}' where it ends", close)));
    }
  }
  ++position_;
  --depth_;
  return arguments;
}

/// Consumes `const`, `*`, `&`, `...` after a type, or the `{}` that makes a value of it: `*` after
/// a value multiplies it.
void TypeReader::skip_suffixes(CppType& type) {
  while (true) {
    const std::size_t before = position_;
    skip_blanks();
    if (skip_word("*")) {
      ++type.pointers;
    } else if (skip_word("{}")) {
      return;
    } else if (!skip_word("&") && !skip_word("...")) {
      if (const std::string_view next = word(); next == "const" || next == "volatile") continue;
      position_ = before;
      return;
    }
  }
}

/// The name of a template parameter: the last word of `typename T`, `int ...Is`, `<auto-1>`.
std::string_view parameter_name(std::string_view key) {
  while (!key.empty() && is_blank(key.back())) key.remove_suffix(1);
  const std::size_t end = key.find_last_of(" .>\n");
  if (key.ends_with('>') || end == std::string_view::npos) return key;
  return key.substr(end + 1);
}

Result<CppBindings> TypeReader::bindings() {
  CppBindings bindings;
  skip_word("[with");
  while (true) {
    skip_blanks();
    if (is_at_end() || peek() == ']') break;
    const std::size_t begin = position_;
    const std::size_t end = text_.find_first_of("=]", begin);
    if (end == std::string_view::npos || text_[end] == ']') break;
    const std::string_view key = text_.substr(begin, end - begin);
    position_ = end + 1;
    HEDDLE_TRY(CppType type, argument());
    // g++ also explains aliases such as `cute::int_sequence<I ...> = …`; they bind nothing.
    const bool is_alias = key.find("::") != std::string_view::npos;
    if (!is_alias) bindings.emplace_back(parameter_name(key), std::move(type));
    skip_blanks();
    if (peek() != ',' && peek() != ';') break;
    ++position_;
  }
  if (peek() == ']') ++position_;
  return bindings;
}

/// Replaces bound names, and limits the size of the result.
class Substitution {
 public:
  explicit Substitution(const CppBindings& bindings) : bindings_(bindings) {}

  Result<CppType> run(const CppType& type) {
    const CppType* bound = find(type);
    if (bound != nullptr) {
      HEDDLE_CHECK(terms_.add(size_of(*bound), type.span));
      CppType result = *bound;
      result.pointers += type.pointers;
      return result;
    }
    HEDDLE_CHECK(terms_.add(1, type.span));
    CppType result = type;
    result.arguments.clear();
    for (const CppType& argument : type.arguments) {
      HEDDLE_TRY(CppType next, run(argument));
      if (next.kind == Kind::kPack && find(argument) != nullptr) {
        result.arguments.insert(result.arguments.end(), next.arguments.begin(),
                                next.arguments.end());
      } else {
        result.arguments.push_back(std::move(next));
      }
    }
    return result;
  }

 private:
  [[nodiscard]] const CppType* find(const CppType& type) const {
    if (type.kind != Kind::kName || type.is_template) return nullptr;
    const auto found = std::ranges::find(bindings_, type.name, &CppBindings::value_type::first);
    return found == bindings_.end() ? nullptr : &found->second;
  }

  static std::size_t size_of(const CppType& type) {
    std::size_t size = 1;
    for (const CppType& argument : type.arguments) size += size_of(argument);
    return size;
  }

  const CppBindings& bindings_;
  TermCount terms_;
};

/// Whether the type is that of a number whose value is known only at run time.
bool is_dynamic(std::string_view name) {
  constexpr std::array<std::string_view, 12> kTypes = {
      "int8_t",  "uint8_t",  "int16_t", "uint16_t",  "int32_t",  "uint32_t",
      "int64_t", "uint64_t", "size_t",  "ptrdiff_t", "intptr_t", "uintptr_t"};
  if (is_one_of(name, kTypes)) return true;
  const std::string_view first = name.substr(0, name.find_first_of(" \t\n\r"));
  return is_one_of(first, kBuiltIns) && name != "void" && name.find("float") == name.npos &&
         name.find("double") == name.npos && name != "bool";
}

/// The number of `_8`.
std::optional<std::int64_t> underscore_number(std::string_view name) {
  if (!name.starts_with('_')) return std::nullopt;
  return integer_in(name.substr(1));
}

constexpr std::string_view kBulkBits =
    "does not say how many bits it moves at once: make_tma_copy finds that in the tile, and it is "
    "the second argument of Copy_Traits<SM90_TMA_LOAD, C<65536>, …>";

/// Whether CuTe has a matrix or copy instruction of this name; its template arguments do not change
/// the layouts.
bool is_instruction(std::string_view name) {
  return cute::find_mma_atom(name).has_value() || cute::find_copy_atom(name).has_value();
}

/// How many elements along K a matrix instruction of SM100 takes, 256 bits of A; nullopt for other
/// names. Its M and N are arguments of the template.
std::optional<std::int64_t> tensor_core_depth(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::int64_t>, 7> kDepths = {
      {{"SM100_MMA_F16BF16_", 16},
       {"SM100_MMA_TF32_", 8},
       {"SM100_MMA_F8F6F4_", 32},
       {"SM100_MMA_S8_", 32},
       {"SM100_MMA_MXF8F6F4_", 32},
       {"SM100_MMA_MXF4_", 64},
       {"SM100_MMA_MXF4NVF4_", 64}}};
  for (const auto& [beginning, depth] : kDepths) {
    if (name.starts_with(beginning)) return depth;
  }
  return std::nullopt;
}

/// A layout that matrix instructions read from shared memory: a swizzle of bytes over `rows` runs
/// of `run_bits` bits.
struct SharedAtom {
  /// The mode along which elements are neighbours; kGiven if an argument of the template says it.
  enum class Major : std::uint8_t { kMn, kK, kGiven };

  std::string_view name;
  std::array<std::int64_t, 3> swizzle;
  std::int64_t run_bits;
  std::int64_t rows;
  Major major;
};

/// CuTe's GMMA and UMMA atoms (mma_traits_sm90_gmma.hpp, mma_traits_sm100.hpp); nullptr for other
/// names.
const SharedAtom* shared_atom_named(std::string_view name) {
  using enum SharedAtom::Major;
  static constexpr std::array kAtoms = {
      SharedAtom{"Layout_MN_INTER_Atom", {0, 4, 3}, 128, 8, kMn},
      SharedAtom{"Layout_MN_SW32_Atom", {1, 4, 3}, 256, 8, kMn},
      SharedAtom{"Layout_MN_SW64_Atom", {2, 4, 3}, 512, 8, kMn},
      SharedAtom{"Layout_MN_SW128_Atom", {3, 4, 3}, 1024, 8, kMn},
      SharedAtom{"Layout_MN_SW128_32B_Atom", {2, 5, 2}, 1024, 4, kMn},
      SharedAtom{"Layout_K_INTER_Atom", {0, 4, 3}, 128, 8, kK},
      SharedAtom{"Layout_K_SW32_Atom", {1, 4, 3}, 256, 8, kK},
      SharedAtom{"Layout_K_SW64_Atom", {2, 4, 3}, 512, 8, kK},
      SharedAtom{"Layout_K_SW128_Atom", {3, 4, 3}, 1024, 8, kK},
      SharedAtom{"Layout_INTER_Atom", {0, 4, 3}, 128, 8, kGiven},
      SharedAtom{"Layout_SW32_Atom", {1, 4, 3}, 256, 8, kGiven},
      SharedAtom{"Layout_SW64_Atom", {2, 4, 3}, 512, 8, kGiven},
      SharedAtom{"Layout_SW128_Atom", {3, 4, 3}, 1024, 8, kGiven},
  };
  const auto* found = std::ranges::find(kAtoms, name, &SharedAtom::name);
  return found == kAtoms.end() ? nullptr : found;
}

/// The `<` of a template's arguments. If a blank precedes it, they must be closed and have nothing
/// in them that a type has not: `Tile < 8` and `Tile < M and N > 3` compare, `Shape < _8, _64>` is
/// a type.
bool begins_arguments(std::string_view text) {
  if (text.starts_with('<')) return true;
  const std::size_t open = std::min(text.find_first_not_of(" \t"), text.size());
  if (open == 0 || !text.substr(open).starts_with('<')) return false;
  std::size_t depth = 0;
  bool is_word = false;
  for (std::size_t i = open; i < text.size(); ++i) {
    const char c = text[i];
    const bool is_sign = std::string_view("<>,:{}*").find(c) != std::string_view::npos;
    if (!is_word_character(c) && !is_blank(c) && !is_sign) return false;
    if (c == '<') ++depth;
    if (c == '>' && --depth == 0) return true;
    const bool begins_word = is_word_character(c) && !is_word_character(text[i - 1]);
    if (begins_word && (is_word || (depth == 1 && is_digit(c)))) return false;
    if (!is_blank(c)) is_word = is_word_character(c);
  }
  return false;
}

/// Whether the expression is one that the language computes, such as 4*kM.
bool is_sum_of_names(const Expression& expression) {
  return std::holds_alternative<Reference>(expression.node) ||
         std::holds_alternative<Arithmetic>(expression.node) ||
         std::holds_alternative<Negation>(expression.node);
}

/// Whether the expression can be a shape or a stride.
bool is_tuple_literal(const Expression& expression) {
  return std::holds_alternative<IntegerLiteral>(expression.node) ||
         std::holds_alternative<DynamicLiteral>(expression.node) ||
         std::holds_alternative<BasisLiteral>(expression.node) ||
         std::holds_alternative<FractionLiteral>(expression.node) ||
         std::holds_alternative<Parentheses>(expression.node) || is_sum_of_names(expression);
}

class Translation {
 public:
  Translation(std::string_view text, const CppBindings& bindings)
      : text_(text), bindings_(bindings) {}

  Result<Expression> run(const CppType& type) const;
  /// Whether the name, unqualified and before `<`, always begins a type of CuTe: no operation or
  /// variable has this name.
  static bool is_distinctive(std::string_view name);

 private:
  using Parts = std::vector<Expression>;

  /// A function that makes the expression of a type.
  using Constructor = Result<Expression> (Translation::*)(const CppType& type) const;

  struct Name {
    std::string_view text;
    Constructor make;
    bool is_distinctive = true;
    /// Without `<…>` the name is a template parameter.
    bool needs_arguments = false;
  };

  static const Name* find(std::string_view name);

  Result<Expression> named(const CppType& type) const;
  Result<Expression> integer(const CppType& type) const;
  Result<Expression> integer_of(const CppType& argument) const;
  Result<Expression> tuple(const CppType& type) const;
  Result<Expression> sequence(const CppType& type) const;
  Result<Expression> tuple_of(Parts parts, const CppType& type) const;
  Result<Expression> layout(const CppType& type) const;
  Result<Expression> composed(const CppType& type) const { return chain(type, 3); }
  Result<Expression> tensor(const CppType& type) const { return chain(type, 2); }
  Result<Expression> chain(const CppType& type, std::size_t least) const;
  Result<Expression> swizzle(const CppType& type) const;
  Result<Expression> basis(const CppType& type) const;
  Result<Expression> scaled_basis(const CppType& type) const;
  Result<Expression> fraction(const CppType& type) const;
  Result<Expression> underscore(const CppType& type) const {
    return make_expression(UnderscoreLiteral{}, type.span);
  }
  Result<Expression> dynamic(const CppType& type) const {
    return make_expression(DynamicLiteral{}, type.span);
  }
  Result<Expression> unset_pointer(const CppType& type) const;
  Result<Expression> pointer(const CppType& type) const;
  Result<Expression> raw_pointer(const CppType& type) const;
  Result<Expression> swizzled_pointer(const CppType& type) const;
  Result<Expression> only_argument(const CppType& type) const;
  Result<Expression> coordinate(const CppType& type) const { return call("ArithTuple", type); }
  Result<Expression> counter(const CppType& type) const { return call("counting_iter", type); }
  Result<Expression> call(std::string_view operation, const CppType& type) const;
  Result<Expression> descriptor(const CppType& type) const;
  Result<Expression> shared_atom(const CppType& type) const;
  Result<Expression> tensor_core_mma(const CppType& type) const;
  Result<Expression> copy_atom(const CppType& type) const;
  Result<Expression> copy_traits(const CppType& type) const;
  Result<Expression> copy_of_run(const CppType& type) const;
  Result<Expression> default_copy(const CppType& type) const {
    return make_expression(Reference{"DefaultCopy"}, type.span);
  }
  Result<Expression> tiled_mma(const CppType& type) const {
    return call_with("make_tiled_mma", type);
  }
  Result<Expression> tiled_copy(const CppType& type) const {
    return call_with("make_tiled_copy_impl", type);
  }
  Result<Expression> call_with(std::string_view operation, const CppType& type) const;
  Result<Expression> element_width(const CppType& type) const;
  Result<Parts> all(const std::vector<CppType>& types) const;
  Result<std::int64_t> width(const CppType& type) const;

  Refusal unknown(const CppType& type, std::string_view reason) const;
  [[nodiscard]] std::string quoted(const CppType& type) const {
    if (type.span.end > text_.size()) return quote(type.name);
    return quote(text_at(text_, type.span));
  }

  std::string_view text_;
  const CppBindings& bindings_;
};

Refusal Translation::unknown(const CppType& type, std::string_view reason) const {
  return refuse(Diagnostic("syntax.cpp_type", fmt::format("{} {}", quoted(type), reason))
                    .with_span(type.span));
}

Result<Expression> Translation::run(const CppType& type) const {
  switch (type.kind) {
    case Kind::kInteger:
      return make_expression(IntegerLiteral{type.value}, type.span);
    case Kind::kPack:
      return tuple(type);
    case Kind::kOpaque:
      return unknown(type, "is not a layout, tuple or integer of CuTe");
    case Kind::kName:
      break;
  }
  return type.pointers > 0 ? raw_pointer(type) : named(type);
}

const Translation::Name* Translation::find(std::string_view name) {
  using T = Translation;
  static constexpr std::array kNames = {
      Name{"C", &T::integer},
      Name{"Int", &T::integer},
      Name{"constant", &T::integer},
      Name{"integral_constant", &T::integer},
      Name{"bool_constant", &T::integer},
      Name{"smem_ptr_flag_bits", &T::unset_pointer},
      Name{"smem_ptr_flag", &T::unset_pointer, false},
      Name{"tuple", &T::tuple, true, true},
      Name{"Shape", &T::tuple, true, true},
      Name{"Stride", &T::tuple, true, true},
      Name{"Step", &T::tuple, true, true},
      Name{"Coord", &T::tuple, true, true},
      Name{"Tile", &T::tuple, true, true},
      Name{"ArithmeticTuple", &T::tuple, true, true},
      Name{"integer_sequence", &T::sequence},
      Name{"index_sequence", &T::sequence},
      Name{"int_sequence", &T::sequence},
      Name{"seq", &T::sequence},
      Name{"Layout", &T::layout, true, true},
      Name{"ComposedLayout", &T::composed},
      Name{"Swizzle", &T::swizzle, false},
      Name{"E", &T::basis, false},
      Name{"ScaledBasis", &T::scaled_basis},
      Name{"R", &T::fraction, false, true},
      Name{"Underscore", &T::underscore, false},
      Name{"X", &T::underscore, false},
      Name{"MixedBits", &T::dynamic},
      Name{"Tensor", &T::tensor},
      Name{"ViewEngine", &T::only_argument},
      Name{"ConstViewEngine", &T::only_argument},
      Name{"ArrayEngine", &T::pointer},
      Name{"gmem_ptr", &T::pointer},
      Name{"smem_ptr", &T::pointer},
      Name{"rmem_ptr", &T::pointer},
      Name{"tmem_ptr", &T::pointer},
      Name{"subbyte_iterator", &T::pointer},
      Name{"swizzle_ptr", &T::swizzled_pointer},
      Name{"ArithmeticTupleIterator", &T::coordinate},
      Name{"counting_iterator", &T::counter},
      Name{"sizeof_bits", &T::element_width},
      Name{"DescriptorIterator", &T::descriptor, false},
      Name{"MMA_Atom", &T::only_argument, true, true},
      Name{"MMA_Traits", &T::only_argument, true, true},
      Name{"Copy_Atom", &T::copy_atom, true, true},
      Name{"Copy_Traits", &T::copy_traits, true, true},
      Name{"TiledMMA", &T::tiled_mma, true, true},
      Name{"TiledCopy", &T::tiled_copy, true, true},
      Name{"UniversalCopy", &T::copy_of_run, true, true},
      Name{"SM80_CP_ASYNC_CACHEALWAYS", &T::copy_of_run, true, true},
      Name{"SM80_CP_ASYNC_CACHEALWAYS_ZFILL", &T::copy_of_run, true, true},
      Name{"SM80_CP_ASYNC_CACHEGLOBAL", &T::copy_of_run, true, true},
      Name{"SM80_CP_ASYNC_CACHEGLOBAL_ZFILL", &T::copy_of_run, true, true},
      Name{"DefaultCopy", &T::default_copy, false},
      Name{"AutoVectorizingCopy", &T::default_copy, false},
      Name{"AutoVectorizingCopyWithAssumedAlignment", &T::default_copy, true, true},
  };
  const auto* found = std::ranges::find(kNames, name, &Name::text);
  return found == kNames.end() ? nullptr : &*found;
}

bool Translation::is_distinctive(std::string_view name) {
  const Name* known = find(name);
  if (known != nullptr) return known->is_distinctive;
  return shared_atom_named(name) != nullptr || tensor_core_depth(name) || is_instruction(name);
}

Result<Expression> Translation::named(const CppType& type) const {
  if (const auto number = underscore_number(type.name)) {
    return make_expression(IntegerLiteral{*number}, type.span);
  }
  const Name* known = find(type.name);
  if (known != nullptr && (type.is_template || !known->needs_arguments)) {
    return (this->*known->make)(type);
  }
  if (known == nullptr && is_dynamic(type.name)) return dynamic(type);
  if (shared_atom_named(type.name) != nullptr) return shared_atom(type);
  if (tensor_core_depth(type.name)) return tensor_core_mma(type);
  if (is_instruction(type.name)) return make_expression(Reference{type.name}, type.span);
  if (cute::is_bulk_copy(type.name)) return unknown(type, kBulkBits);
  if (known == nullptr && type.is_template) {
    return unknown(type, "is not a layout, tuple or integer of CuTe");
  }
  Diagnostic diagnostic("syntax.cpp_type", fmt::format("{} is an unknown type", quoted(type)));
  return refuse(
      std::move(diagnostic)
          .with_hint("where it is a template parameter, paste its value too: TYPE [with T = …]")
          .with_span(type.span));
}

/// counting_iterator<T> and ArithmeticTupleIterator<ArithmeticTuple<…>>: a call of the operation.
Result<Expression> Translation::call(std::string_view operation, const CppType& type) const {
  HEDDLE_TRY(Parts parts, all(type.arguments));
  if (parts.size() != 1) return unknown(type, "needs exactly one argument");
  // ArithTuple(0,32) takes its numbers one by one.
  const bool is_tuple = std::holds_alternative<Parentheses>(parts[0].node);
  return call_of(operation, is_tuple ? std::move(parts[0].parts) : std::move(parts), type.span);
}

/// TiledMMA<Atom, Layout, Tile>: a call of what makes it.
Result<Expression> Translation::call_with(std::string_view operation, const CppType& type) const {
  HEDDLE_TRY(Parts parts, all(type.arguments));
  return call_of(operation, std::move(parts), type.span);
}

/// GMMA::DescriptorIterator, UMMA::DescriptorIterator.
Result<Expression> Translation::descriptor(const CppType& type) const {
  const bool is_hopper = quoted(type).find("GMMA") != std::string::npos;
  Parts owner;
  owner.push_back(make_expression(StringLiteral{is_hopper ? "GMMA" : "UMMA", {}}, type.span));
  return call_of("DescriptorIterator", std::move(owner), type.span);
}

/// SM100_MMA_F16BF16_SS<half_t, half_t, float, M, N, …>: one thread of the processor, or of each of
/// two processors, issues the instruction for all elements of its part.
Result<Expression> Translation::tensor_core_mma(const CppType& type) const {
  std::vector<std::int64_t> sizes;
  for (const CppType& argument : type.arguments) {
    if (argument.kind == Kind::kInteger) sizes.push_back(argument.value);
  }
  const std::int64_t processors = type.name.find("2x1SM") == std::string_view::npos ? 1 : 2;
  if (sizes.size() < 2 || sizes[0] < 1 || sizes[1] < 1 || sizes[0] % processors != 0 ||
      sizes[1] % processors != 0) {
    return unknown(type, "does not give its M and N");
  }
  const auto number = [&](std::int64_t value) {
    return make_expression(IntegerLiteral{value}, type.span);
  };
  const auto tuple_of_two = [&](Expression first, Expression second) {
    Parts parts = {std::move(first), std::move(second)};
    return make_expression(Parentheses{false, true}, type.span, std::move(parts));
  };
  const auto layout_of = [&](Expression shape, Expression stride) {
    Parts parts = {std::move(shape), std::move(stride)};
    return make_expression(LayoutLiteral{}, type.span, std::move(parts));
  };
  const auto operand = [&](std::int64_t rows, std::int64_t columns) {
    const std::int64_t part = rows / processors;
    return layout_of(
        tuple_of_two(number(processors), tuple_of_two(number(part), number(columns))),
        tuple_of_two(number(processors == 1 ? 0 : part), tuple_of_two(number(1), number(rows))));
  };
  const std::int64_t depth = *tensor_core_depth(type.name);
  Parts shape = {number(sizes[0]), number(sizes[1]), number(depth)};
  Parts parts = {make_expression(Parentheses{false, true}, type.span, std::move(shape)),
                 layout_of(number(processors), number(processors - 1)), operand(sizes[0], depth),
                 operand(sizes[1], depth), operand(sizes[0], sizes[1])};
  return call_of("mma_atom_of", std::move(parts), type.span);
}

/// Copy_Traits<SM90_TMA_LOAD, C<65536>, …>: one thread, or one of each of two processors, has the
/// TMA unit move so many bits. Of other instructions the name says all.
Result<Expression> Translation::copy_traits(const CppType& type) const {
  if (type.arguments.empty() || !cute::is_bulk_copy(type.arguments.front().name)) {
    return only_argument(type);
  }
  if (type.arguments.size() < 2) return unknown(type, kBulkBits);
  HEDDLE_TRY(const Expression bits, run(type.arguments[1]));
  const auto* number = std::get_if<IntegerLiteral>(&bits.node);
  if (number == nullptr || number->value < 1) return unknown(type, kBulkBits);
  const bool is_pair = type.arguments.front().name.find("2SM") != std::string_view::npos;
  const auto pair_of = [&](std::int64_t first, std::int64_t second) {
    Parts numbers;
    numbers.push_back(make_expression(IntegerLiteral{first}, type.span));
    numbers.push_back(make_expression(IntegerLiteral{second}, type.span));
    return make_expression(Parentheses{false, true}, type.span, std::move(numbers));
  };
  const auto layout_of = [&](Expression shape, Expression stride) {
    Parts both = {std::move(shape), std::move(stride)};
    return make_expression(LayoutLiteral{}, type.span, std::move(both));
  };
  const std::int64_t threads = is_pair ? 2 : 1;
  Parts parts = {layout_of(make_expression(IntegerLiteral{threads}, type.span),
                           make_expression(IntegerLiteral{threads - 1}, type.span))};
  for (int side = 0; side < 3; ++side) {
    parts.push_back(
        layout_of(pair_of(threads, number->value), pair_of(is_pair ? number->value : 0, 1)));
  }
  parts.push_back(make_expression(IntegerLiteral{1}, type.span));
  return call_of("copy_atom_of", std::move(parts), type.span);
}

/// Copy_Atom<Instruction, T>: the instruction on values of this type.
Result<Expression> Translation::copy_atom(const CppType& type) const {
  if (type.arguments.size() != 2) return unknown(type, "needs an instruction and a type");
  Parts parts;
  HEDDLE_TRY(parts.emplace_back(), run(type.arguments[0]));
  HEDDLE_TRY(const std::int64_t bits, width(type.arguments[1]));
  parts.push_back(make_expression(IntegerLiteral{bits}, type.arguments[1].span));
  return call_of("copy_atom", std::move(parts), type.span);
}

/// UniversalCopy<T>, SM80_CP_ASYNC_CACHEALWAYS<T>: each thread moves a T, counted in bits.
Result<Expression> Translation::copy_of_run(const CppType& type) const {
  if (type.arguments.empty()) return unknown(type, "does not say what it copies");
  HEDDLE_TRY(const std::int64_t bits, width(type.arguments.front()));
  Parts parts;
  parts.push_back(make_expression(IntegerLiteral{bits}, type.span));
  parts.push_back(make_expression(IntegerLiteral{1}, type.span));
  return call_of("universal_copy", std::move(parts), type.span);
}

/// Layout_K_SW128_Atom<T>, Layout_SW128_Atom<T, GMMA::Major::K>: as CuTe prints it,
/// Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1).
Result<Expression> Translation::shared_atom(const CppType& type) const {
  const SharedAtom& atom = *shared_atom_named(type.name);
  if (type.arguments.empty()) return unknown(type, "does not say of which type its elements are");
  HEDDLE_TRY(const std::int64_t bits, width(type.arguments.front()));
  const bool is_given = atom.major == SharedAtom::Major::kGiven;
  if (is_given && type.arguments.size() != 2) return unknown(type, "does not say its major mode");
  const bool is_k_major =
      is_given ? type.arguments[1].name == "K" : atom.major == SharedAtom::Major::kK;
  if (bits > atom.run_bits || atom.run_bits % bits != 0) {
    return unknown(type, fmt::format("has rows of {} bits, which {}-bit elements do not fill",
                                     atom.run_bits, bits));
  }
  const std::int64_t run = atom.run_bits / bits;
  const auto pair = [&](std::int64_t first, std::int64_t second) {
    Parts numbers;
    numbers.push_back(make_expression(IntegerLiteral{first}, type.span));
    numbers.push_back(make_expression(IntegerLiteral{second}, type.span));
    return make_expression(Parentheses{false, true}, type.span, std::move(numbers));
  };
  Parts layout;
  layout.push_back(is_k_major ? pair(atom.rows, run) : pair(run, atom.rows));
  layout.push_back(is_k_major ? pair(run, 1) : pair(1, run));
  Parts swizzle;
  for (const std::int64_t number : atom.swizzle) {
    swizzle.push_back(make_expression(IntegerLiteral{number}, type.span));
  }
  PointerLiteral pointer;
  pointer.space = cute::MemorySpace::kShared;
  pointer.bits = bits;
  Parts chain;
  chain.push_back(make_expression(SwizzleLiteral{}, type.span, std::move(swizzle)));
  chain.push_back(make_expression(pointer, type.span));
  chain.push_back(make_expression(LayoutLiteral{}, type.span, std::move(layout)));
  return make_expression(CompositionChain{}, type.span, std::move(chain));
}

/// sizeof_bits<T>: the number.
Result<Expression> Translation::element_width(const CppType& type) const {
  if (type.arguments.size() != 1) return unknown(type, "needs exactly one argument");
  HEDDLE_TRY(const std::int64_t bits, width(type.arguments.front()));
  return make_expression(IntegerLiteral{bits}, type.span);
}

Result<Translation::Parts> Translation::all(const std::vector<CppType>& types) const {
  Parts parts;
  parts.reserve(types.size());
  for (const CppType& type : types) {
    HEDDLE_TRY(Expression part, run(type));
    parts.push_back(std::move(part));
  }
  return parts;
}

/// The number is the last argument: C<8>, constant<int, 8>.
Result<Expression> Translation::integer(const CppType& type) const {
  if (type.arguments.empty()) return unknown(type, "has no number");
  HEDDLE_TRY(Expression number, integer_of(type.arguments.back()));
  number.span = type.span;
  return number;
}

/// A number, a name, or what is computed from them: 8, kBlockM, 2*kBlockM.
Result<Expression> Translation::integer_of(const CppType& argument) const {
  if (argument.kind == Kind::kInteger && argument.pointers == 0) return run(argument);
  const bool is_type = argument.is_template || argument.pointers > 0 || is_dynamic(argument.name) ||
                       find(argument.name) != nullptr;
  const bool is_pack = text_.substr(std::min(argument.span.end, text_.size())).starts_with("...");
  if (!is_type && !is_pack) {
    if (auto made = integer_in_cpp(text_, argument.span, bindings_)) return *std::move(made);
  }
  return refuse(Diagnostic("syntax.cpp_type", quoted(argument) + " is not an integer")
                    .with_hint("write a number, a name, or a sum or product of them: Int<2*kM>")
                    .with_span(argument.span));
}

Result<Expression> Translation::tuple(const CppType& type) const {
  HEDDLE_TRY(Parts parts, all(type.arguments));
  return tuple_of(std::move(parts), type);
}

/// integer_sequence<int, 0, 1>: the numbers after their type, if it is given.
Result<Expression> Translation::sequence(const CppType& type) const {
  Parts parts;
  for (const CppType& part : type.arguments) {
    const bool is_first = &part == &type.arguments.front();
    if (is_first && type.name == "integer_sequence" && part.kind == Kind::kName) continue;
    HEDDLE_TRY(parts.emplace_back(), integer_of(part));
  }
  return tuple_of(std::move(parts), type);
}

Result<Expression> Translation::tuple_of(Parts parts, const CppType& type) const {
  Parentheses node;
  node.has_trailing_comma = true;  // a tuple, also of one
  return make_expression(node, type.span, std::move(parts));
}

Result<Expression> Translation::layout(const CppType& type) const {
  if (type.arguments.empty() || type.arguments.size() > 2) {
    return unknown(type, "needs a shape and a stride");
  }
  HEDDLE_TRY(Parts parts, all(type.arguments));
  if (!std::ranges::all_of(parts, is_tuple_literal)) {
    return unknown(type, "needs a shape and a stride");
  }
  return make_expression(LayoutLiteral{}, type.span, std::move(parts));
}

/// ComposedLayout<A, Offset, B> and Tensor<Engine, Layout>.
Result<Expression> Translation::chain(const CppType& type, std::size_t least) const {
  if (type.arguments.size() != least) {
    return unknown(type, fmt::format("needs {}", counted(least, "argument")));
  }
  HEDDLE_TRY(Parts parts, all(type.arguments));
  return make_expression(CompositionChain{}, type.span, std::move(parts));
}

Result<Expression> Translation::swizzle(const CppType& type) const {
  constexpr std::size_t kNumbers = 3;
  // Swizzle<B, M> has the shift B.
  std::vector<CppType> numbers = type.arguments;
  if (numbers.size() == 2) numbers.push_back(numbers.front());
  if (numbers.size() != kNumbers) return unknown(type, "needs the three numbers of a swizzle");
  HEDDLE_TRY(Parts parts, all(numbers));
  return make_expression(SwizzleLiteral{}, type.span, std::move(parts));
}

/// E<0, 1>
Result<Expression> Translation::basis(const CppType& type) const {
  BasisLiteral node;
  for (const CppType& argument : type.arguments) {
    if (argument.kind != Kind::kInteger || argument.value < 0)
      return unknown(type, "has no mode numbers");
    node.path.push_back(static_cast<std::size_t>(argument.value));
  }
  return make_expression(std::move(node), type.span);
}

/// ScaledBasis<C<8>, 0, 1>; without mode numbers it is its scale.
Result<Expression> Translation::scaled_basis(const CppType& type) const {
  if (type.arguments.empty()) return basis(type);
  HEDDLE_TRY(Expression scale, run(type.arguments.front()));
  CppType modes = type;
  modes.arguments.erase(modes.arguments.begin());
  if (modes.arguments.empty()) return scale;
  HEDDLE_TRY(const Expression path, basis(modes));
  return make_expression(path.node, type.span, {std::move(scale)});
}

/// R<1, 16>
Result<Expression> Translation::fraction(const CppType& type) const {
  const auto is_number = [](const CppType& part) { return part.kind == Kind::kInteger; };
  if (type.arguments.size() != 2 || !std::ranges::all_of(type.arguments, is_number)) {
    return unknown(type, "needs two numbers");
  }
  return make_expression(FractionLiteral{type.arguments[0].value, type.arguments[1].value},
                         type.span);
}

/// smem_ptr_flag_bits<16>: a pointer that is not set yet; smem_ptr_flag points to single bits.
Result<Expression> Translation::unset_pointer(const CppType& type) const {
  PointerLiteral node;
  node.space = cute::MemorySpace::kShared;
  node.bits = 1;
  if (!type.arguments.empty()) {
    if (type.arguments.front().kind != Kind::kInteger || type.arguments.front().value < 1)
      return unknown(type, "has no width");
    node.bits = type.arguments.front().value;
  }
  return make_expression(node, type.span);
}

Result<std::int64_t> Translation::width(const CppType& type) const {
  // integer_subbyte<4, true> and complex<T> are templates.
  if (type.name == "integer_subbyte" && !type.arguments.empty() &&
      type.arguments.front().kind == Kind::kInteger && type.arguments.front().value > 0)
    return type.arguments.front().value;
  if (type.name == "complex" && type.arguments.size() == 1) {
    const auto part = element_bits(type.arguments.front().name);
    if (part) return 2 * *part;
  }
  if (const auto bits = element_bits(type.name)) return *bits;
  return unknown(type, "is an element type of unknown width");
}

/// `half_t *`: a generic pointer.
Result<Expression> Translation::raw_pointer(const CppType& type) const {
  HEDDLE_TRY(const std::int64_t bits, width(type));
  PointerLiteral node;
  node.bits = bits;
  return make_expression(node, type.span);
}

/// gmem_ptr<T*>, smem_ptr<subbyte_iterator<T>>, tmem_ptr<T>, ArrayEngine<T, N>,
/// subbyte_iterator<T>.
Result<Expression> Translation::pointer(const CppType& type) const {
  if (type.arguments.empty()) return unknown(type, "does not say what it points to");
  const CppType& target = type.arguments.front();
  const bool is_iterator = find(target.name) != nullptr;
  PointerLiteral node;
  Parts swizzle;
  if (is_iterator) {
    HEDDLE_TRY(Expression inner, run(target));
    const auto* literal = std::get_if<PointerLiteral>(&inner.node);
    if (literal == nullptr) return unknown(target, "is not a pointer");
    node = *literal;
    swizzle = std::move(inner.parts);
  } else {
    HEDDLE_TRY(node.bits, width(target));
    node.is_subbyte = type.name == "subbyte_iterator";
  }
  const auto space = memory_space_named(type.name.substr(0, type.name.find('_')));
  if (space) node.space = *space;
  return make_expression(node, type.span, std::move(swizzle));
}

Result<Expression> Translation::swizzled_pointer(const CppType& type) const {
  if (type.arguments.size() != 2) return unknown(type, "needs a swizzle and a pointer");
  HEDDLE_TRY(Parts parts, all(type.arguments));
  const auto* literal = std::get_if<PointerLiteral>(&parts[1].node);
  if (literal == nullptr || !std::holds_alternative<SwizzleLiteral>(parts[0].node)) {
    return unknown(type, "needs a swizzle and a pointer");
  }
  const PointerLiteral node = *literal;
  parts.pop_back();
  return make_expression(node, type.span, std::move(parts));
}

Result<Expression> Translation::only_argument(const CppType& type) const {
  if (type.arguments.empty()) return unknown(type, "has no argument");
  return run(type.arguments.front());
}

}  // namespace

Result<CppType> read_cpp_type(std::string_view text, std::size_t& position) {
  TypeReader reader(text, position);
  HEDDLE_TRY(CppType type, reader.whole());
  position = reader.position();
  return type;
}

Result<CppType> read_cpp_pack(std::string_view text, std::size_t& position) {
  TypeReader reader(text, position);
  HEDDLE_TRY(CppType type, reader.pack('>'));
  position = reader.position();
  return type;
}

Result<CppBindings> read_cpp_bindings(std::string_view text, std::size_t& position) {
  TypeReader reader(text, position);
  HEDDLE_TRY(CppBindings bindings, reader.bindings());
  position = reader.position();
  return bindings;
}

Result<CppType> substitute(const CppType& type, const CppBindings& bindings) {
  return Substitution(bindings).run(type);
}

Result<Expression> expression_of(const CppType& type, std::string_view text,
                                 const CppBindings& bindings) {
  return Translation(text, bindings).run(type);
}

bool begins_cpp_type(std::string_view text) {
  std::size_t length = 0;
  while (length < text.size() && is_name_character(text[length])) ++length;
  const std::string_view name = text.substr(0, length);
  const std::string_view rest = text.substr(length);
  if (rest.starts_with("::")) return true;
  return begins_arguments(rest) && Translation::is_distinctive(name);
}

}  // namespace heddle::notation
