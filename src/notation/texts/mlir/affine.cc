#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "core/text.h"
#include "core/words.h"
#include "heddle/core/exact.h"
#include "heddle/notation/lexer.h"
#include "heddle/notation/mlir.h"
#include "notation/language/scanner.h"

namespace heddle::notation {
namespace {

using cute::Layout;
using map::AnyLayout;
using map::IntegerRelation;

constexpr std::string_view kMlirCode = "syntax.mlir_type";

/// An expression in isl's syntax, and its value if it is a constant. `varies` says that an index
/// of the map occurs in it, so that nothing may be divided by it.
struct AffineTerm {
  std::string text;
  std::optional<std::int64_t> constant;
};

AffineTerm constant_term(std::int64_t value) { return {fmt::format("({})", value), value}; }

/// `(d0, d1)[s0] -> (d0 + s0)`: names, and the parts of a relation of isl.
struct AffineText {
  std::vector<std::string> dims;
  std::vector<std::string> symbols;
  std::vector<std::string> results;
  std::vector<std::string> conditions;
};

class AffineReader {
 public:
  explicit AffineReader(Scanner& scanner) : scanner_(scanner) {}

  /// `<(d0)[s0] -> (d0 + s0)>`
  Result<AffineText> map() {
    HEDDLE_CHECK(scanner_.expect("<"));
    HEDDLE_CHECK(names());
    HEDDLE_CHECK(scanner_.expect("->"));
    HEDDLE_CHECK(scanner_.expect("("));
    while (!scanner_.accept(")")) {
      if (!text_.results.empty()) HEDDLE_CHECK(scanner_.expect(","));
      HEDDLE_TRY(const AffineTerm term, sum(0));
      text_.results.push_back(term.text);
    }
    HEDDLE_CHECK(scanner_.expect(">"));
    return std::move(text_);
  }

  /// `<(d0)[s0] : (d0 - s0 >= 0, d0 == 4)>`
  Result<AffineText> set() {
    HEDDLE_CHECK(scanner_.expect("<"));
    HEDDLE_CHECK(names());
    HEDDLE_CHECK(scanner_.expect(":"));
    HEDDLE_CHECK(scanner_.expect("("));
    while (!scanner_.accept(")")) {
      if (!text_.conditions.empty()) HEDDLE_CHECK(scanner_.expect(","));
      HEDDLE_CHECK(condition());
    }
    HEDDLE_CHECK(scanner_.expect(">"));
    return std::move(text_);
  }

 private:
  Result<void> names() {
    HEDDLE_CHECK(list("(", ")", text_.dims));
    if (scanner_.rest().starts_with('[')) return list("[", "]", text_.symbols);
    return {};
  }

  Result<void> list(std::string_view open, std::string_view close, std::vector<std::string>& into) {
    HEDDLE_CHECK(scanner_.expect(open));
    while (!scanner_.accept(close)) {
      if (!into.empty()) HEDDLE_CHECK(scanner_.expect(","));
      const std::string_view name = first_word(scanner_.rest());
      if (name.empty() || !begins_name(name.front()) || is_known(std::string(name))) {
        return scanner_.refuse_here("a new name");
      }
      into.emplace_back(name);
      HEDDLE_CHECK(scanner_.expect(name));
    }
    return {};
  }

  [[nodiscard]] bool is_dim(const std::string& name) const {
    return std::ranges::find(text_.dims, name) != text_.dims.end();
  }
  [[nodiscard]] bool is_known(const std::string& name) const {
    return is_dim(name) || std::ranges::find(text_.symbols, name) != text_.symbols.end();
  }

  Result<void> condition() {
    HEDDLE_TRY(const AffineTerm left, sum(0));
    std::string_view sign;
    for (const std::string_view one : {">=", "<=", "=="}) {
      if (sign.empty() && scanner_.accept(one)) sign = one;
    }
    if (sign.empty()) return scanner_.refuse_here("'>=', '<=' or '=='");
    HEDDLE_TRY(const AffineTerm right, sum(0));
    text_.conditions.push_back(
        fmt::format("{} {} {}", left.text, sign == "==" ? "=" : sign, right.text));
    return {};
  }

  Result<AffineTerm> sum(int depth) {
    HEDDLE_TRY(AffineTerm result, product(depth));
    while (true) {
      const bool is_difference =
          scanner_.rest().starts_with('-') && !scanner_.rest().starts_with("->");
      if (!is_difference && !scanner_.rest().starts_with('+')) return result;
      HEDDLE_CHECK(scanner_.expect(is_difference ? "-" : "+"));
      HEDDLE_TRY(const AffineTerm next, product(depth));
      HEDDLE_CHECK(count());
      if (result.constant && next.constant) {
        const auto value = is_difference ? exact::subtract(*result.constant, *next.constant)
                                         : exact::add(*result.constant, *next.constant);
        if (!value) return too_large();
        result = constant_term(*value);
        continue;
      }
      result = {fmt::format("({} {} {})", result.text, is_difference ? "-" : "+", next.text), {}};
    }
  }

  Result<AffineTerm> product(int depth) {
    HEDDLE_TRY(AffineTerm result, factor(depth));
    while (true) {
      if (scanner_.accept("*")) {
        HEDDLE_TRY(const AffineTerm next, factor(depth));
        HEDDLE_TRY(result, times(result, next));
      } else if (scanner_.accept("floordiv")) {
        HEDDLE_TRY(const std::int64_t by, divisor(depth));
        result = {fmt::format("floor({}/{})", result.text, by), {}};
      } else if (scanner_.accept("ceildiv")) {
        HEDDLE_TRY(const std::int64_t by, divisor(depth));
        result = {fmt::format("(-floor((-{})/{}))", result.text, by), {}};
      } else if (first_word(scanner_.rest()) == "mod") {
        HEDDLE_CHECK(scanner_.expect("mod"));
        HEDDLE_TRY(const std::int64_t by, divisor(depth));
        result = {fmt::format("({} mod {})", result.text, by), {}};
      } else {
        return result;
      }
      HEDDLE_CHECK(count());
    }
  }

  Result<AffineTerm> times(const AffineTerm& a, const AffineTerm& b) {
    if (a.constant && b.constant) {
      const auto value = exact::multiply(*a.constant, *b.constant);
      if (!value) return too_large();
      return constant_term(*value);
    }
    if (a.constant) return AffineTerm{fmt::format("({}*{})", *a.constant, b.text), {}};
    if (b.constant) return AffineTerm{fmt::format("({}*{})", *b.constant, a.text), {}};
    return semi_affine("multiplies two things that vary");
  }

  Result<std::int64_t> divisor(int depth) {
    HEDDLE_TRY(const AffineTerm by, factor(depth));
    if (!by.constant) return semi_affine("divides by something that varies");
    if (*by.constant >= 1) return *by.constant;
    return refuse(
        Diagnostic(
            "relation.not_affine",
            fmt::format("an affine expression divides by {}; divisors are positive", *by.constant))
            .with_span({begin_, scanner_.position()}));
  }

  Result<AffineTerm> factor(int depth) {
    constexpr int kMaxDepth = 64;
    if (depth > kMaxDepth) return scanner_.refuse_here("less nesting");
    const std::string_view rest = scanner_.rest();
    begin_ = scanner_.position();
    if (scanner_.accept("(")) {
      HEDDLE_TRY(AffineTerm inner, sum(depth + 1));
      HEDDLE_CHECK(scanner_.expect(")"));
      return inner;
    }
    if (rest.starts_with('-') && rest.size() > 1 && !is_digit(rest[1])) {
      HEDDLE_CHECK(scanner_.expect("-"));
      HEDDLE_TRY(const AffineTerm inner, factor(depth + 1));
      return times(constant_term(-1), inner);
    }
    if (!rest.empty() && (is_digit(rest.front()) || rest.front() == '-')) {
      HEDDLE_TRY(const std::int64_t value, scanner_.expect_integer("an integer"));
      return constant_term(value);
    }
    std::string name(first_word(rest));
    if (name == "symbol" && scanner_.accept("symbol(")) {
      name = first_word(scanner_.rest());
      if (!is_known(name)) return scanner_.refuse_here("a symbol of the map");
      HEDDLE_CHECK(scanner_.expect(name));
      HEDDLE_CHECK(scanner_.expect(")"));
      return AffineTerm{name, {}};
    }
    if (!is_known(name)) return scanner_.refuse_here("a number, or an index or symbol of the map");
    HEDDLE_CHECK(scanner_.expect(name));
    return AffineTerm{name, {}};
  }

  /// The text of a term is copied into the next one, so their number is bounded.
  Result<void> count() {
    constexpr int kMaxTerms = 2048;
    if (++terms_ > kMaxTerms) return scanner_.refuse_here("a shorter expression");
    return {};
  }

  Refusal too_large() {
    return refuse(Diagnostic("overflow", "a number of an affine expression needs more than 64 bits")
                      .with_span({begin_, scanner_.position()}));
  }

  Refusal semi_affine(const char* reason) {
    return refuse(Diagnostic("relation.not_affine",
                             fmt::format("the expression is semi-affine: it {}", reason))
                      .with_span({begin_, scanner_.position()}));
  }

  Scanner& scanner_;
  AffineText text_;
  std::size_t begin_ = 0;
  int terms_ = 0;
};

/// The relation of a map or a set, under further conditions on its indices.
Result<AnyLayout> relation_of(const AffineText& text, const map::Limits& limits) {
  const std::string symbols =
      text.symbols.empty() ? "" : fmt::format("[{}] -> ", fmt::join(text.symbols, ", "));
  const std::string conditions =
      text.conditions.empty() ? "" : fmt::format(" : {}", fmt::join(text.conditions, " and "));
  HEDDLE_TRY(IntegerRelation relation,
             IntegerRelation::parse(
                 fmt::format("{}{{ [{}] -> [{}]{} }}", symbols, fmt::join(text.dims, ", "),
                             fmt::join(text.results, ", "), conditions),
                 limits));
  return AnyLayout(std::move(relation));
}

class TypeReader {
 public:
  TypeReader(std::string_view text, const map::Limits& limits)
      : scanner_(text, kMlirCode), limits_(limits) {}

  Result<AnyLayout> read() {
    HEDDLE_TRY(AnyLayout layout, value());
    if (!scanner_.at_end()) return scanner_.refuse_here("the end");
    return layout;
  }

 private:
  Result<AnyLayout> value() {
    if (scanner_.accept("affine_map")) {
      HEDDLE_TRY(const AffineText text, AffineReader(scanner_).map());
      return relation_of(text, limits_);
    }
    if (scanner_.accept("affine_set")) {
      HEDDLE_TRY(const AffineText text, AffineReader(scanner_).set());
      return relation_of(text, limits_);
    }
    if (scanner_.accept("vector<")) {
      HEDDLE_CHECK(shape());
      HEDDLE_CHECK(scanner_.expect(">"));
      return row_major();
    }
    HEDDLE_CHECK(scanner_.expect("memref<"));
    return memref();
  }

  /// `4x8xf32`
  Result<void> shape() {
    while (!scanner_.rest().empty()) {
      const std::string_view rest = scanner_.rest();
      if (!is_digit(rest.front())) break;
      HEDDLE_TRY(const std::int64_t extent, scanner_.expect_integer("an extent"));
      if (extent < 1) return scanner_.refuse_here("extents from 1 on");
      shape_.push_back(extent);
      HEDDLE_CHECK(scanner_.expect("x"));
    }
    if (scanner_.rest().starts_with('?') || scanner_.rest().starts_with('[')) {
      return scanner_.refuse_here("a size that is known");
    }
    HEDDLE_CHECK(scanner_.expect_word("an element type"));
    if (!scanner_.rest().starts_with('<')) return {};
    return brackets();
  }

  /// The arguments of an element type or of a memory space, which do not matter.
  Result<void> brackets() {
    const std::string_view rest = scanner_.rest();
    std::size_t depth = 0;
    for (std::size_t i = 0; i < rest.size(); ++i) {
      if (rest[i] == '<') ++depth;
      if (rest[i] == '>' && --depth == 0) return scanner_.expect(rest.substr(0, i + 1));
    }
    return scanner_.refuse_here("a closed '<'");
  }

  Result<AnyLayout> memref() {
    HEDDLE_CHECK(shape());
    std::optional<AnyLayout> layout;
    while (scanner_.accept(",")) {
      const bool is_strided = scanner_.accept("strided<");
      const bool is_map = !is_strided && scanner_.accept("affine_map");
      if (!is_strided && !is_map) {
        HEDDLE_CHECK(memory_space());
        continue;
      }
      if (layout) return scanner_.refuse_here("a memory space");
      HEDDLE_TRY(layout, is_strided ? strided() : mapped());
    }
    HEDDLE_CHECK(scanner_.expect(">"));
    return layout ? Result<AnyLayout>(*std::move(layout)) : row_major();
  }

  /// `3`, `3 : i32`, `#gpu.address_space<workgroup>`
  Result<void> memory_space() {
    if (scanner_.accept("#")) {
      HEDDLE_CHECK(scanner_.expect_word("a memory space"));
      return scanner_.rest().starts_with('<') ? brackets() : Result<void>();
    }
    HEDDLE_CHECK(scanner_.expect_integer("a memory space, strided<…> or affine_map<…>"));
    if (scanner_.accept(":")) HEDDLE_CHECK(scanner_.expect_word("a type"));
    return {};
  }

  /// `[8, 1], offset: 3>`
  Result<AnyLayout> strided() {
    HEDDLE_CHECK(scanner_.expect("["));
    std::vector<Int> strides;
    while (!scanner_.accept("]")) {
      if (!strides.empty()) HEDDLE_CHECK(scanner_.expect(","));
      HEDDLE_TRY(const std::int64_t stride, scanner_.expect_integer("a stride that is known"));
      strides.emplace_back(stride);
    }
    std::int64_t offset = 0;
    if (scanner_.accept(",")) {
      HEDDLE_CHECK(scanner_.expect("offset"));
      HEDDLE_CHECK(scanner_.expect(":"));
      HEDDLE_TRY(offset, scanner_.expect_integer("an offset that is known"));
    }
    if (strides.size() != shape_.size()) {
      return scanner_.refuse_here(fmt::format("{}", counted(shape_.size(), "stride")));
    }
    HEDDLE_CHECK(scanner_.expect(">"));
    return of_strides(strides, offset);
  }

  Result<AnyLayout> mapped() {
    HEDDLE_TRY(AffineText text, AffineReader(scanner_).map());
    if (text.dims.size() != shape_.size()) {
      return scanner_.refuse_here(fmt::format("a map of {}", counted(shape_.size(), "index")));
    }
    if (!text.symbols.empty()) return scanner_.refuse_here("a map without symbols");
    for (std::size_t i = 0; i < shape_.size(); ++i) {
      text.conditions.push_back(fmt::format("0 <= {} < {}", text.dims[i], shape_[i]));
    }
    return relation_of(text, limits_);
  }

  Result<AnyLayout> row_major() const {
    std::vector<Int> strides(shape_.size(), Int(1));
    for (std::size_t i = shape_.size(); i-- > 1;) strides[i - 1] = strides[i] * Int(shape_[i]);
    return of_strides(strides, 0);
  }

  Result<AnyLayout> of_strides(const std::vector<Int>& strides, std::int64_t offset) const {
    const std::vector<Int> extents(shape_.begin(), shape_.end());
    const bool is_vector = extents.size() == 1;
    const IntTuple shape = extents.empty() ? IntTuple(Int(1))
                           : is_vector     ? IntTuple(extents.front())
                                           : IntTuple::flat(extents);
    const IntTuple stride = extents.empty() ? IntTuple(Int(0))
                            : is_vector     ? IntTuple(strides.front())
                                            : IntTuple::flat(strides);
    HEDDLE_TRY(const Layout layout, cute::make_layout(shape, cute::to_strides(stride)));
    if (offset == 0) return AnyLayout(layout);
    HEDDLE_TRY(cute::ComposedLayout shifted,
               cute::ComposedLayout::make(cute::Swizzle(), Int(offset), layout));
    return AnyLayout(std::move(shifted));
  }

  Scanner scanner_;
  const map::Limits& limits_;
  std::vector<std::int64_t> shape_;
};

}  // namespace

Result<AnyLayout> parse_mlir(std::string_view text, const map::Limits& limits) {
  HEDDLE_CHECK(check_encoding(text));
  return TypeReader(text, limits).read();
}

}  // namespace heddle::notation
