#include "notation/language/literals/cpp_types.h"

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
#include "heddle/notation/parser.h"
#include "notation/language/literals/pointers.h"

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

/// Reads a tree of names and numbers. Recursion is at most kMaxTypeNesting deep.
class TypeReader {
 public:
  TypeReader(std::string_view text, std::size_t position) : text_(text), position_(position) {}

  /// A type by itself.
  Result<CppType> whole() {
    HEDDLE_TRY(CppType type, named_or_number());
    skip_suffixes(type);
    skip_word("{}");
    return type;
  }
  Result<CppBindings> bindings();
  /// What the bracket at the position opens.
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
  Result<void> count();

  std::string_view text_;
  std::size_t position_;
  std::size_t depth_ = 0;
  std::size_t terms_ = 0;
};

/// Counts one more part.
Result<void> TypeReader::count() {
  if (++terms_ <= kMaxTerms) return {};
  return refuse(
      Diagnostic("syntax.too_long", fmt::format("a type of more than {} parts", kMaxTerms))
          .with_span({position_, position_}));
}

/// Whether the character ends an argument of a template, or a binding.
bool ends_argument(char c) {
  return c == ',' || c == '>' || c == ';' || c == ']' || c == '}' || c == ')' || c == '\0';
}

/// Reads over everything up to the end of the argument; a closing sign that was not opened ends it.
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
  HEDDLE_CHECK(count());
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

/// Uses `(int)` in front of a number.
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
    // A blank may stand in front of the `<`, but not of an operator.
    if (peek() == '<') {
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

/// Arguments up to the closing sign; what opens them is used already.
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
      return refuse(Diagnostic("syntax.unbalanced", fmt::format("'{}' of a C++ type is not closed",
                                                                text_[opening.begin]))
                        .with_span(opening));
    }
  }
  ++position_;
  --depth_;
  return arguments;
}

/// Uses `const`, `*`, `&`, `...` behind a type.
void TypeReader::skip_suffixes(CppType& type) {
  while (true) {
    const std::size_t before = position_;
    skip_blanks();
    if (skip_word("*")) {
      ++type.pointers;
    } else if (!skip_word("&") && !skip_word("...")) {
      const std::size_t begin = position_;
      if (const std::string_view next = word(); next == "const" || next == "volatile") continue;
      position_ = begin;
      position_ = before;
      return;
    }
  }
}

/// The last word of `typename T`, `int ...Is`, `<auto-1>`: what the parameter is called.
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

/// Replaces bound names and counts what comes of it.
class Substitution {
 public:
  explicit Substitution(const CppBindings& bindings) : bindings_(bindings) {}

  Result<CppType> run(const CppType& type) {
    const CppType* bound = find(type);
    if (bound != nullptr) {
      HEDDLE_CHECK(count(size_of(*bound), type.span));
      CppType result = *bound;
      result.pointers += type.pointers;
      return result;
    }
    HEDDLE_CHECK(count(1, type.span));
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

  Result<void> count(std::size_t terms, Span span) {
    terms_ += terms;
    if (terms_ <= kMaxTerms) return {};
    return refuse(
        Diagnostic("syntax.too_long", fmt::format("a type of more than {} parts", kMaxTerms))
            .with_span(span));
  }

  const CppBindings& bindings_;
  std::size_t terms_ = 0;
};

// What CuTe's names mean.

enum class Meaning : std::uint8_t {
  kNothing,
  kInteger,      // C<8>, Int<8>: the last argument is the number
  kTuple,        // tuple<…>, Shape<…>
  kSequence,     // integer_sequence<int, 0, 1>: all arguments that are numbers
  kLayout,       // Layout<Shape, Stride>
  kComposed,     // ComposedLayout<A, Offset, B>
  kSwizzle,      // Swizzle<B, M, S>
  kBasis,        // E<0, 1>
  kScaledBasis,  // ScaledBasis<C<8>, 0, 1>
  kUnderscore,
  kMixedBits,   // a number partly known
  kTensor,      // Tensor<Engine, Layout>
  kUnset,       // smem_ptr_flag_bits<16>
  kView,        // ViewEngine<Pointer>: the pointer
  kArray,       // ArrayEngine<T, N>
  kPointer,     // gmem_ptr<T*>, …
  kSubbyte,     // subbyte_iterator<T>
  kSwizzled,    // swizzle_ptr<Swizzle, Pointer>
  kCoordinate,  // ArithmeticTupleIterator<ArithmeticTuple<…>>
  kCounter,     // counting_iterator<T>
  kWidth,       // sizeof_bits<T>: the number
};

struct Name {
  std::string_view text;
  Meaning meaning;
  /// Unqualified and in front of `<` it begins a type: no operation or variable is called so.
  bool is_distinctive = true;
};

constexpr std::array kNames = {
    Name{"C", Meaning::kInteger},
    Name{"Int", Meaning::kInteger},
    Name{"constant", Meaning::kInteger},
    Name{"integral_constant", Meaning::kInteger},
    Name{"bool_constant", Meaning::kInteger},
    Name{"smem_ptr_flag_bits", Meaning::kUnset},
    Name{"smem_ptr_flag", Meaning::kUnset, false},
    Name{"tuple", Meaning::kTuple},
    Name{"Shape", Meaning::kTuple},
    Name{"Stride", Meaning::kTuple},
    Name{"Step", Meaning::kTuple},
    Name{"Coord", Meaning::kTuple},
    Name{"Tile", Meaning::kTuple},
    Name{"ArithmeticTuple", Meaning::kTuple},
    Name{"integer_sequence", Meaning::kSequence},
    Name{"index_sequence", Meaning::kSequence},
    Name{"int_sequence", Meaning::kSequence},
    Name{"seq", Meaning::kSequence},
    Name{"Layout", Meaning::kLayout},
    Name{"ComposedLayout", Meaning::kComposed},
    Name{"Swizzle", Meaning::kSwizzle, false},
    Name{"E", Meaning::kBasis, false},
    Name{"ScaledBasis", Meaning::kScaledBasis},
    Name{"Underscore", Meaning::kUnderscore, false},
    Name{"X", Meaning::kUnderscore, false},
    Name{"MixedBits", Meaning::kMixedBits},
    Name{"Tensor", Meaning::kTensor},
    Name{"ViewEngine", Meaning::kView},
    Name{"ConstViewEngine", Meaning::kView},
    Name{"ArrayEngine", Meaning::kArray},
    Name{"gmem_ptr", Meaning::kPointer},
    Name{"smem_ptr", Meaning::kPointer},
    Name{"rmem_ptr", Meaning::kPointer},
    Name{"tmem_ptr", Meaning::kPointer},
    Name{"subbyte_iterator", Meaning::kSubbyte},
    Name{"swizzle_ptr", Meaning::kSwizzled},
    Name{"ArithmeticTupleIterator", Meaning::kCoordinate},
    Name{"counting_iterator", Meaning::kCounter},
    Name{"sizeof_bits", Meaning::kWidth},
};

Meaning meaning_of(std::string_view name) {
  const auto found = std::ranges::find(kNames, name, &Name::text);
  return found == kNames.end() ? Meaning::kNothing : found->meaning;
}

cute::MemorySpace space_of(std::string_view name) {
  if (name.starts_with("gmem")) return cute::MemorySpace::kGlobal;
  if (name.starts_with("smem")) return cute::MemorySpace::kShared;
  if (name.starts_with("rmem")) return cute::MemorySpace::kRegister;
  if (name.starts_with("tmem")) return cute::MemorySpace::kTensor;
  return cute::MemorySpace::kGeneric;
}

/// Types of numbers whose value only the running program knows.
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

/// What can be a shape or a stride.
bool is_tuple_literal(const Expression& expression) {
  return std::holds_alternative<IntegerLiteral>(expression.node) ||
         std::holds_alternative<DynamicLiteral>(expression.node) ||
         std::holds_alternative<BasisLiteral>(expression.node) ||
         std::holds_alternative<Parentheses>(expression.node);
}

class Translation {
 public:
  explicit Translation(std::string_view text) : text_(text) {}

  Result<Expression> run(const CppType& type) const;

 private:
  using Parts = std::vector<Expression>;

  Result<Expression> named(const CppType& type) const;
  Result<Expression> integer(const CppType& type) const;
  Result<Expression> tuple(const CppType& type, bool only_numbers) const;
  Result<Expression> layout(const CppType& type) const;
  Result<Expression> chain(const CppType& type, std::size_t least) const;
  Result<Expression> swizzle(const CppType& type) const;
  Result<Expression> basis(const CppType& type, bool is_scaled) const;
  Result<Expression> unset_pointer(const CppType& type) const;
  Result<Expression> pointer(const CppType& type) const;
  Result<Expression> raw_pointer(const CppType& type) const;
  Result<Expression> swizzled_pointer(const CppType& type) const;
  Result<Expression> only_argument(const CppType& type) const;
  Result<Parts> all(const std::vector<CppType>& types) const;
  Result<std::int64_t> width(const CppType& type) const;

  Refusal unknown(const CppType& type, std::string_view reason) const;
  [[nodiscard]] std::string quoted(const CppType& type) const {
    if (type.span.end > text_.size()) return quote(type.name);
    return quote(text_at(text_, type.span));
  }

  std::string_view text_;
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
      return tuple(type, false);
    case Kind::kOpaque:
      return unknown(type, "is no layout, tuple or integer of CuTe");
    case Kind::kName:
      break;
  }
  return type.pointers > 0 ? raw_pointer(type) : named(type);
}

Result<Expression> Translation::named(const CppType& type) const {
  if (const auto number = underscore_number(type.name)) {
    return make_expression(IntegerLiteral{*number}, type.span);
  }
  switch (meaning_of(type.name)) {
    case Meaning::kInteger:
      return integer(type);
    case Meaning::kTuple:
      if (type.is_template) return tuple(type, false);
      break;
    case Meaning::kSequence:
      return tuple(type, true);
    case Meaning::kLayout:
      if (type.is_template) return layout(type);
      break;
    case Meaning::kComposed:
    case Meaning::kTensor:
      return chain(type, meaning_of(type.name) == Meaning::kTensor ? 2 : 3);
    case Meaning::kSwizzle:
      return swizzle(type);
    case Meaning::kBasis:
    case Meaning::kScaledBasis:
      return basis(type, meaning_of(type.name) == Meaning::kScaledBasis);
    case Meaning::kUnderscore:
      return make_expression(UnderscoreLiteral{}, type.span);
    case Meaning::kMixedBits:
      return make_expression(DynamicLiteral{}, type.span);
    case Meaning::kUnset:
      return unset_pointer(type);
    case Meaning::kView:
      return only_argument(type);
    case Meaning::kWidth: {
      if (type.arguments.size() != 1) return unknown(type, "has not the one argument it needs");
      HEDDLE_TRY(const std::int64_t bits, width(type.arguments.front()));
      return make_expression(IntegerLiteral{bits}, type.span);
    }
    case Meaning::kArray:
    case Meaning::kSubbyte:
    case Meaning::kPointer:
      return pointer(type);
    case Meaning::kSwizzled:
      return swizzled_pointer(type);
    case Meaning::kCoordinate:
    case Meaning::kCounter: {
      const bool is_counter = meaning_of(type.name) == Meaning::kCounter;
      HEDDLE_TRY(Parts parts, all(type.arguments));
      if (parts.size() != 1) return unknown(type, "has not the one argument it needs");
      Parts call;
      call.push_back(
          make_expression(Reference{is_counter ? "counting_iter" : "ArithTuple"}, type.span));
      // ArithTuple(0,32) takes its numbers one by one.
      const bool is_tuple = std::holds_alternative<Parentheses>(parts[0].node);
      Parts numbers = is_tuple ? std::move(parts[0].parts) : std::move(parts);
      Application application{std::vector<std::string_view>(numbers.size())};
      for (Expression& number : numbers) call.push_back(std::move(number));
      return make_expression(std::move(application), type.span, std::move(call));
    }
    case Meaning::kNothing:
      if (is_dynamic(type.name)) return make_expression(DynamicLiteral{}, type.span);
      if (type.is_template) return unknown(type, "is no layout, tuple or integer of CuTe");
      break;
  }
  Diagnostic diagnostic("syntax.cpp_type",
                        fmt::format("{} is a type that nothing is known of", quoted(type)));
  return refuse(
      std::move(diagnostic)
          .with_hint("where it is a template parameter, paste what it stands for too: TYPE [with "
                     "T = …]")
          .with_span(type.span));
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
  if (type.arguments.empty() || type.arguments.back().kind != Kind::kInteger) {
    return unknown(type, "has no number");
  }
  return make_expression(IntegerLiteral{type.arguments.back().value}, type.span);
}

Result<Expression> Translation::tuple(const CppType& type, bool only_numbers) const {
  Parts parts;
  for (const CppType& argument : type.arguments) {
    if (only_numbers && argument.kind != Kind::kInteger) continue;
    HEDDLE_TRY(Expression part, run(argument));
    parts.push_back(std::move(part));
  }
  if (parts.empty()) {
    return refuse(
        Diagnostic("syntax.empty_tuple", "a tuple has at least one mode").with_span(type.span));
  }
  Parentheses node;
  node.has_trailing_comma = true;  // a tuple, also of one
  return make_expression(node, type.span, std::move(parts));
}

Result<Expression> Translation::layout(const CppType& type) const {
  if (type.arguments.empty() || type.arguments.size() > 2) {
    return unknown(type, "has not the shape and stride of a layout");
  }
  HEDDLE_TRY(Parts parts, all(type.arguments));
  if (!std::ranges::all_of(parts, is_tuple_literal)) {
    return unknown(type, "has not the shape and stride of a layout");
  }
  return make_expression(LayoutLiteral{}, type.span, std::move(parts));
}

/// ComposedLayout<A, Offset, B> and Tensor<Engine, Layout>.
Result<Expression> Translation::chain(const CppType& type, std::size_t least) const {
  if (type.arguments.size() != least) {
    return unknown(type, fmt::format("has not its {} arguments", least));
  }
  HEDDLE_TRY(Parts parts, all(type.arguments));
  return make_expression(CompositionChain{}, type.span, std::move(parts));
}

Result<Expression> Translation::swizzle(const CppType& type) const {
  constexpr std::size_t kNumbers = 3;
  // Swizzle<B, M> has the shift B.
  std::vector<CppType> numbers = type.arguments;
  if (numbers.size() == 2) numbers.push_back(numbers.front());
  if (numbers.size() != kNumbers) return unknown(type, "has not the three numbers of a swizzle");
  HEDDLE_TRY(Parts parts, all(numbers));
  return make_expression(SwizzleLiteral{}, type.span, std::move(parts));
}

Result<Expression> Translation::basis(const CppType& type, bool is_scaled) const {
  BasisLiteral node;
  Parts parts;
  for (const CppType& argument : type.arguments) {
    if (is_scaled && parts.empty()) {
      HEDDLE_TRY(Expression scale, run(argument));
      parts.push_back(std::move(scale));
      continue;
    }
    if (argument.kind != Kind::kInteger || argument.value < 0)
      return unknown(type, "has no mode numbers");
    node.path.push_back(static_cast<std::size_t>(argument.value));
  }
  if (is_scaled && node.path.empty() && !parts.empty()) return std::move(parts.front());
  return make_expression(std::move(node), type.span, std::move(parts));
}

/// smem_ptr_flag_bits<16>: a pointer that is not set yet; smem_ptr_flag counts bits.
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
  const bool is_iterator = meaning_of(target.name) != Meaning::kNothing;
  PointerLiteral node;
  Parts swizzle;
  if (is_iterator) {
    HEDDLE_TRY(Expression inner, run(target));
    const auto* literal = std::get_if<PointerLiteral>(&inner.node);
    if (literal == nullptr) return unknown(target, "is no pointer");
    node = *literal;
    swizzle = std::move(inner.parts);
  } else {
    HEDDLE_TRY(node.bits, width(target));
    node.is_subbyte = meaning_of(type.name) == Meaning::kSubbyte;
  }
  const auto space = space_of(type.name);
  if (space != cute::MemorySpace::kGeneric) node.space = space;
  return make_expression(node, type.span, std::move(swizzle));
}

Result<Expression> Translation::swizzled_pointer(const CppType& type) const {
  if (type.arguments.size() != 2) return unknown(type, "has not a swizzle and a pointer");
  HEDDLE_TRY(Parts parts, all(type.arguments));
  const auto* literal = std::get_if<PointerLiteral>(&parts[1].node);
  if (literal == nullptr || !std::holds_alternative<SwizzleLiteral>(parts[0].node)) {
    return unknown(type, "has not a swizzle and a pointer");
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

Result<Expression> expression_of(const CppType& type, std::string_view text) {
  return Translation(text).run(type);
}

bool begins_cpp_type(std::string_view text) {
  std::size_t length = 0;
  while (length < text.size() && is_name_character(text[length])) ++length;
  const std::string_view name = text.substr(0, length);
  const std::string_view rest = text.substr(length);
  if (rest.starts_with("::")) return true;
  const auto found = std::ranges::find(kNames, name, &Name::text);
  return found != kNames.end() && found->is_distinctive && rest.starts_with('<');
}

}  // namespace heddle::notation
