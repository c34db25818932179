#include "notation/language/foreign/mlir_builtin.h"

#include <optional>
#include <utility>
#include <vector>

#include "core/words.h"
#include "notation/language/foreign/sharding_text.h"
#include "notation/language/scanner.h"

namespace heddle::notation {

namespace {

/// `f32>`, `f32, strided<[]>>`: the type of a single element. The memref of CuTe has a layout in
/// quotes instead.
bool is_scalar(std::string_view inside) {
  const std::string_view element = first_word(inside);
  if (element.empty() || !begins_name(element.front())) return false;
  const std::string_view after = inside.substr(element.size());
  if (after.starts_with('>')) return true;
  return after.starts_with(", strided<") || after.starts_with(", affine_map<") ||
         after.starts_with(", #") ||
         (after.starts_with(", ") && after.size() > 2 && is_digit(after[2]));
}

}  // namespace

std::size_t builtin_length(std::string_view text) {
  for (const std::string_view start : {"affine_map<", "affine_set<", "memref<", "vector<"}) {
    if (!text.starts_with(start)) continue;
    const std::string_view inside = text.substr(start.size());
    const bool is_type = !start.starts_with("affine");
    const bool has_sizes =
        !inside.empty() && (is_digit(inside.front()) || inside.starts_with("?x") ||
                            (inside.front() == '[' && start == "vector<"));
    if (is_type && !has_sizes && !is_scalar(inside)) return 0;
    const std::size_t name = start.size() - 1;
    const std::size_t length = closed_length(text.substr(name));
    return length > 0 ? name + length : 0;
  }
  return 0;
}

namespace {

using Parts = std::vector<Expression>;

/// Reads `memref<?x4xf32, strided<[?, 1], offset: ?>>` as the layout that it is, so that the
/// language gives the unknown numbers their names: D0, D1, ….
class OpenMemref {
 public:
  OpenMemref(std::string_view text, Span span)
      : scanner_(text_at(text, span), kCode), span_(span) {}

  Result<Expression> read() {
    Result<Expression> layout = layout_of_type();
    if (layout) return layout;
    Diagnostic why = std::move(layout).error();
    const Span here = why.span().value_or(Span{0, 0});
    return refuse(std::move(why).with_span({span_.begin + here.begin, span_.begin + here.end}));
  }

 private:
  static constexpr std::string_view kCode = "syntax.mlir_type";

  Result<Expression> layout_of_type() {
    HEDDLE_CHECK(scanner_.expect("memref<"));
    Parts extents;
    while (!scanner_.rest().empty() && (is_digit(scanner_.rest().front()) || is_open())) {
      HEDDLE_TRY(extents.emplace_back(), number());
      HEDDLE_CHECK(scanner_.expect("x"));
    }
    HEDDLE_CHECK(scanner_.expect_word("an element type"));
    if (!scanner_.accept(",")) return finished(row_major(std::move(extents)));
    if (!scanner_.accept("strided<")) {
      HEDDLE_CHECK(scanner_.expect_integer("a memory space, or strided<…>"));
      return finished(row_major(std::move(extents)));
    }
    HEDDLE_TRY(Expression layout, strided(std::move(extents)));
    if (scanner_.accept(",")) HEDDLE_CHECK(scanner_.expect_integer("a memory space"));
    return finished(std::move(layout));
  }

  Result<Expression> finished(Expression layout) {
    HEDDLE_CHECK(scanner_.expect(">"));
    return layout;
  }

  [[nodiscard]] bool is_open() { return scanner_.rest().starts_with('?'); }

  Result<Expression> number() {
    const std::size_t begin = span_.begin + scanner_.position();
    if (scanner_.accept("?")) return make_expression(DynamicLiteral{}, {begin, begin + 1});
    HEDDLE_TRY(const std::int64_t value, scanner_.expect_integer("a number or ?"));
    return make_expression(IntegerLiteral{value}, {begin, span_.begin + scanner_.position()});
  }

  [[nodiscard]] Expression tuple(Parts parts) const {
    if (parts.size() == 1) return std::move(parts.front());
    return make_expression(Parentheses{true, true}, span_, std::move(parts));
  }

  [[nodiscard]] Expression row_major(Parts extents) const {
    // The compact layout of one mode is its shape alone.
    const bool is_vector = extents.size() == 1;
    Parts shape;
    shape.push_back(tuple(std::move(extents)));
    if (is_vector) return make_expression(LayoutLiteral{}, span_, std::move(shape));
    return call_of("make_layout_right", std::move(shape), span_);
  }

  /// `[?, 1], offset: ?>`
  Result<Expression> strided(Parts extents) {
    HEDDLE_CHECK(scanner_.expect("["));
    Parts strides;
    while (!scanner_.accept("]")) {
      if (!strides.empty()) HEDDLE_CHECK(scanner_.expect(","));
      HEDDLE_TRY(strides.emplace_back(), number());
    }
    if (strides.size() != extents.size()) return scanner_.refuse_here("a stride for each size");
    std::optional<Expression> offset;
    if (scanner_.accept(",")) {
      HEDDLE_CHECK(scanner_.expect("offset"));
      HEDDLE_CHECK(scanner_.expect(":"));
      HEDDLE_TRY(offset, number());
    }
    HEDDLE_CHECK(scanner_.expect(">"));
    if (extents.empty()) {
      extents.push_back(make_expression(IntegerLiteral{1}, span_));
      strides.push_back(make_expression(IntegerLiteral{0}, span_));
    }
    Parts parts;
    parts.push_back(tuple(std::move(extents)));
    parts.push_back(tuple(std::move(strides)));
    Expression layout = make_expression(LayoutLiteral{}, span_, std::move(parts));
    return offset ? moved(*std::move(offset), std::move(layout)) : std::move(layout);
  }

  /// `Sw<0,4,3> o offset o layout`
  [[nodiscard]] Expression moved(Expression offset, Expression layout) const {
    Parts numbers;
    for (const std::int64_t number : {0, 4, 3}) {
      numbers.push_back(make_expression(IntegerLiteral{number}, span_));
    }
    Parts chain;
    chain.push_back(make_expression(SwizzleLiteral{}, span_, std::move(numbers)));
    chain.push_back(std::move(offset));
    chain.push_back(std::move(layout));
    return make_expression(CompositionChain{}, span_, std::move(chain));
  }

  Scanner scanner_;
  Span span_;
};

/// Whether numbers of a memref are known at run time only. One with an affine_map needs its sizes.
bool is_open_memref(std::string_view type) {
  return type.starts_with("memref<") && type.find('?') != std::string_view::npos &&
         type.find("affine_map") == std::string_view::npos;
}

}  // namespace

Result<Expression> read_builtin(std::string_view text, std::size_t& position, const ParsePiece&) {
  const Span span{position, position + builtin_length(text.substr(position))};
  position = span.end;
  if (is_open_memref(text_at(text, span))) return OpenMemref(text, span).read();
  return call_with_text("mlir", text, span);
}

}  // namespace heddle::notation
