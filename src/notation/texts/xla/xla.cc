#include "heddle/notation/xla.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "heddle/notation/lexer.h"
#include "notation/language/python_literal.h"
#include "notation/language/scanner.h"

namespace heddle::notation {
namespace {

constexpr std::string_view kXlaCode = "syntax.xla";

map::XlaLayout row_major(std::size_t rank) {
  map::XlaLayout layout;
  for (std::size_t i = rank; i-- > 0;) layout.minor_to_major.push_back(static_cast<int>(i));
  return layout;
}

class XlaReader {
 public:
  explicit XlaReader(std::string_view text) : scanner_(text, kXlaCode) {}

  Result<XlaText> read() {
    XlaText result;
    if (scanner_.rest().starts_with('{')) {
      HEDDLE_TRY(result, layout());
    } else {
      HEDDLE_TRY(result, array());
    }
    if (!scanner_.at_end()) return scanner_.refuse_here("the end");
    return result;
  }

 private:
  /// `f32[8,<=128]{1,0}`, `f32[8@x,4]`
  Result<XlaText> array() {
    XlaArray array;
    HEDDLE_TRY(array.element, scanner_.expect_word("an element type"));
    HEDDLE_CHECK(scanner_.expect("["));
    axe::PartitionSpec spec;
    bool is_sharded = false;
    while (!scanner_.accept("]")) {
      if (!array.shape.empty()) HEDDLE_CHECK(scanner_.expect(","));
      scanner_.accept("<=");
      HEDDLE_TRY(const std::int64_t extent, scanner_.expect_integer("an extent"));
      array.shape.emplace_back(extent);
      auto& names = spec.dims.emplace_back();
      if (!scanner_.accept("@")) continue;
      is_sharded = true;
      HEDDLE_CHECK(axes(names));
    }
    const std::string_view rest = scanner_.rest();
    if (rest.starts_with("{U:") || rest.starts_with("{R:")) {
      is_sharded = true;
      HEDDLE_CHECK(reductions(spec));
    }
    if (is_sharded) return axe::Sharding{std::move(spec), std::nullopt, std::move(array.shape)};
    array.layout = row_major(array.shape.size());
    if (scanner_.rest().starts_with('{')) {
      HEDDLE_TRY(array.layout, layout());
    }
    return array;
  }

  /// `{U:x, R:(y,z)}`: axes over which values are unreduced and reduced.
  Result<void> reductions(axe::PartitionSpec& spec) {
    HEDDLE_CHECK(scanner_.expect("{"));
    do {
      const bool is_unreduced = scanner_.accept("U:");
      if (!is_unreduced) HEDDLE_CHECK(scanner_.expect("R:"));
      HEDDLE_CHECK(axes(is_unreduced ? spec.unreduced : spec.reduced));
    } while (scanner_.accept(","));
    return scanner_.expect("}");
  }

  /// `x`, `(x,y)`
  Result<void> axes(std::vector<std::string>& names) {
    if (!scanner_.accept("(")) {
      HEDDLE_TRY(names.emplace_back(), scanner_.expect_word("the name of an axis"));
      return {};
    }
    while (!scanner_.accept(")")) {
      if (!names.empty()) HEDDLE_CHECK(scanner_.expect(","));
      HEDDLE_TRY(names.emplace_back(), scanner_.expect_word("the name of an axis"));
    }
    return {};
  }

  /// `{1,0:T(8,128)(2,1)S(1)E(4)}`
  Result<map::XlaLayout> layout() {
    HEDDLE_CHECK(scanner_.expect("{"));
    map::XlaLayout layout;
    HEDDLE_TRY(layout.minor_to_major, integers());
    if (scanner_.accept(":")) HEDDLE_CHECK(details(layout));
    HEDDLE_CHECK(scanner_.expect("}"));
    return layout;
  }

  Result<void> details(map::XlaLayout& layout) {
    while (!scanner_.rest().starts_with('}')) {
      if (scanner_.accept("T(")) {
        do {
          HEDDLE_TRY(layout.tiles.emplace_back(), tile());
        } while (scanner_.accept("("));
        continue;
      }
      HEDDLE_CHECK(note(layout));
    }
    return {};
  }

  /// What does not change where elements are: the memory space, the bits of an element, the types
  /// of indices and pointers, how far the end is padded, the bytes in front for dynamic sizes.
  Result<void> note(map::XlaLayout& layout) {
    for (const std::string_view name : {"S(", "E(", "L(", "M(", "#(", "*("}) {
      if (!scanner_.accept(name)) continue;
      HEDDLE_TRY(const std::string_view value, scanner_.expect_word("a number"));
      HEDDLE_CHECK(scanner_.expect(")"));
      layout.notes += fmt::format("{}{})", name, value);
      return {};
    }
    return scanner_.refuse_here("tiles T(8,128), a memory space S(1) or element bits E(4)");
  }

  /// `8,128)`, `*,128)`
  Result<std::vector<std::int64_t>> tile() {
    std::vector<std::int64_t> extents;
    while (!scanner_.accept(")")) {
      if (!extents.empty()) HEDDLE_CHECK(scanner_.expect(","));
      if (scanner_.accept("*")) {
        extents.push_back(map::XlaLayout::kCombined);
      } else {
        if (scanner_.sees("-")) return scanner_.refuse_here("an extent or '*'");
        HEDDLE_TRY(extents.emplace_back(), scanner_.expect_integer("an extent or '*'"));
      }
    }
    return extents;
  }

  Result<std::vector<std::int64_t>> integers() {
    std::vector<std::int64_t> result;
    const std::string_view rest = scanner_.rest();
    if (rest.starts_with('}') || rest.starts_with(':') || rest.starts_with(')')) return result;
    do {
      HEDDLE_TRY(result.emplace_back(), scanner_.expect_integer("an integer"));
    } while (scanner_.accept(","));
    return result;
  }

  Scanner scanner_;
};

/// The integers of `(1, 0)`.
Result<std::vector<std::int64_t>> integers_of(std::string_view text, const PythonLiteral& literal) {
  std::vector<std::int64_t> result;
  for (const PythonLiteral& item : literal.items) {
    if (!item.is(PythonLiteral::Kind::kInteger)) return refuse_literal(text, item, "an integer");
    result.push_back(item.number);
  }
  return result;
}

/// `Layout(major_to_minor=(0, 1), tiling=((8, 128),), sub_byte_element_size_in_bits=4)`, and
/// DeviceLocalLayout as it was called.
Result<map::XlaLayout> jax_layout(std::string_view text) {
  HEDDLE_TRY(const PythonLiteral literal, parse_python_literal(text));
  const PythonLiteral* order = literal.argument("major_to_minor", 0);
  if (order == nullptr || !order->is_sequence()) {
    return refuse_literal(text, literal, "a layout with major_to_minor");
  }
  map::XlaLayout layout;
  HEDDLE_TRY(layout.minor_to_major, integers_of(text, *order));
  std::ranges::reverse(layout.minor_to_major);
  // Older versions print their private names.
  const auto field = [&](const std::string& name, std::size_t position) {
    const PythonLiteral* old = literal.keyed("_" + name);
    return old != nullptr ? old : literal.argument(name, position);
  };
  const PythonLiteral* tiling = field("tiling", 1);
  if (tiling != nullptr && !tiling->is_name("None")) {
    for (const PythonLiteral& tile : tiling->items) {
      if (!tile.is_sequence()) return refuse_literal(text, tile, "a tile");
      HEDDLE_TRY(layout.tiles.emplace_back(), integers_of(text, tile));
    }
  }
  const PythonLiteral* bits = field("sub_byte_element_size_in_bits", 2);
  if (bits != nullptr && bits->number != 0) layout.notes = fmt::format("E({})", bits->number);
  return layout;
}

}  // namespace

Result<XlaText> parse_xla(std::string_view text) {
  HEDDLE_CHECK(check_encoding(text));
  if (text.find("Layout(") != std::string_view::npos) {
    HEDDLE_TRY(map::XlaLayout layout, jax_layout(text));
    return XlaText(std::move(layout));
  }
  return XlaReader(text).read();
}

}  // namespace heddle::notation
