#include "notation/operations/any_layout.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/axe/sharding_equality.h"
#include "heddle/map/relations.h"
#include "heddle/notation/any_layout.h"
#include "heddle/notation/lexer.h"
#include "heddle/notation/operations.h"
#include "notation/operations/readers.h"
#include "notation/operations/set_reader.h"
#include "notation/value/shard_pieces.h"

namespace heddle::notation {
namespace {

/// Collects the numbers of nested lists of one length on each level, and these lengths.
class NestedNumbers {
 public:
  /// False if a list is empty, ragged, or holds something else.
  bool add(const Datum& datum, std::size_t level = 0) {
    const bool* truth = datum.truth();
    if (const auto* number = datum.number(); number != nullptr || truth != nullptr) {
      if (level != extents_.size()) return false;
      numbers_.push_back(number != nullptr ? *number : (*truth ? 1 : 0));
      return true;
    }
    const Datum::List* list = datum.list();
    if (list == nullptr || list->empty()) return false;
    const auto length = static_cast<std::int64_t>(list->size());
    if (level == extents_.size()) {
      if (!numbers_.empty()) return false;
      extents_.push_back(length);
    }
    if (extents_[level] != length) return false;
    return std::ranges::all_of(*list, [&](const Datum& item) { return add(item, level + 1); });
  }

  Result<form::Table> finish() && {
    return form::make_table(std::move(extents_), {Axis::memory()}, std::move(numbers_));
  }

 private:
  std::vector<std::int64_t> extents_;
  std::vector<std::int64_t> numbers_;
};

ConvertedArgument table_of_lists(const Value& value) {
  const std::optional<Datum> datum = datum_if_data(value);
  NestedNumbers numbers;
  if (!datum || datum->list() == nullptr || !numbers.add(*datum)) return std::nullopt;
  HEDDLE_TRY(form::Table table, std::move(numbers).finish());
  return Value(std::move(table));
}

bool looks_like_isl(std::string_view text) {
  const auto next = [&](std::size_t from) { return text.find_first_not_of(" \t\r\n", from); };
  const std::size_t begin = next(0);
  if (begin == std::string_view::npos) return false;
  if (text[begin] == '[') return text.find("->") != std::string_view::npos;
  if (text[begin] != '{') return false;
  const std::size_t inside = next(begin + 1);
  return inside != std::string_view::npos && text[inside] != '"';
}

bool has_arrow_in_braces(std::string_view text) {
  const std::size_t open = text.find('{');
  return text.find("->", std::min(open, text.size())) != std::string_view::npos;
}

ConvertedArgument relation_in(const std::string& text, const CallContext& context) {
  if (!looks_like_relation(text)) return std::nullopt;
  HEDDLE_TRY(map::IntegerRelation relation,
             map::IntegerRelation::parse(text, context.decide.limits));
  HEDDLE_TRY(relation, map::assuming(relation, context.sizes, context.decide.limits));
  return Value(std::move(relation));
}

/// A swizzle as the layout of the addresses that it permutes.
ConvertedArgument permuted_addresses(const cute::Swizzle& swizzle) {
  HEDDLE_TRY(const cute::Layout addresses, cute::make_layout(IntTuple(Int(swizzle.size()))));
  HEDDLE_TRY(const cute::AnyLayout layout, cute::composition(swizzle, addresses));
  return Value(layout);
}

}  // namespace

bool looks_like_relation(std::string_view text) {
  return looks_like_isl(text) && has_arrow_in_braces(text);
}
bool looks_like_set(std::string_view text) {
  return looks_like_isl(text) && !has_arrow_in_braces(text);
}

std::optional<BoxedLayout> boxed_layout(const Value& value) {
  if (const auto* sharded = value.get_if<axe::Sharded>()) {
    return BoxedLayout{sharded->layout, sharded->shape};
  }
  return std::visit(
      [](const auto& data) -> std::optional<BoxedLayout> {
        if constexpr (std::is_constructible_v<map::AnyLayout, decltype(data)>) {
          return BoxedLayout{map::AnyLayout(data), std::nullopt};
        }
        return std::nullopt;
      },
      value.data());
}

map::ConvertOptions convert_options(const BoxedLayout& boxed, std::optional<map::Reading> as,
                                    const std::optional<std::vector<Int>>& shape,
                                    const CallContext& context) {
  map::ConvertOptions options;
  options.reading = as;
  options.shape = shape ? shape : boxed.shape;
  options.limits = context.decide.limits;
  return options;
}

std::optional<map::System> system_of(const Value& value) {
  using map::System;
  if (value.is_layout() || value.is<cute::Tensor>() || value.is<cute::TvLayout>()) {
    return System::kCute;
  }
  if (value.is<linear::LinearLayout>()) return System::kLinear;
  if (value.is<axe::Layout>() || value.is<axe::Sharded>()) return System::kAxe;
  if (value.is<lego::Layout>()) return System::kLego;
  if (value.is<form::Table>()) return System::kTable;
  const auto* sharding = value.get_if<axe::Sharding>();
  if (sharding != nullptr && axe::is_uneven(*sharding)) return System::kRelation;
  const auto* text = value.get_if<std::string>();
  const bool is_relation =
      text != nullptr ? looks_like_relation(*text) : value.is<map::IntegerRelation>();
  return is_relation ? std::optional(System::kRelation) : std::nullopt;
}

bool is_list(const Value& value) {
  return value.is<TupleList>() || value.is<Datum>() || value.is<cute::Tiler>();
}

bool are_compared_as_any_layouts(const Value& a, const Value& b) {
  const auto left = system_of(a);
  const auto right = system_of(b);
  if (!left && !right) return false;
  if (!left || !right) {
    const auto known = left ? left : right;
    const bool is_of_none = known == map::System::kRelation || known == map::System::kTable;
    return is_of_none || is_list(left ? b : a);
  }
  // No system has its own comparison of relations and tables, or of tiles together with the
  // layouts.
  const bool have_tiles = a.is<cute::TvLayout>() && b.is<cute::TvLayout>();
  return have_tiles || *left != *right || *left == map::System::kRelation ||
         *left == map::System::kTable;
}

ConvertedArgument as_any_layout(const Value& value, const CallContext& context) {
  if (value.is<cute::TvLayout>() || value.is<axe::Sharded>()) return value;
  if (const auto* swizzle = value.get_if<cute::Swizzle>()) return permuted_addresses(*swizzle);
  if (const auto* text = value.get_if<std::string>()) {
    HEDDLE_TRY(std::optional<Value> relation, relation_in(*text, context));
    return relation ? std::move(relation) : convert<linear::LinearLayout>(value);
  }
  if (const auto* tile = value.get_if<LegoPermutation>()) {
    HEDDLE_TRY(lego::Layout layout, layout_of_tile(*tile));
    return Value(std::move(layout));
  }
  if (is_list(value)) return table_of_lists(value);
  if (value.is<axe::Sharding>()) {
    HEDDLE_TRY(Value pieces, with_pieces(value, context.decide.limits));
    return pieces.is<axe::Sharding>() ? ConvertedArgument(std::nullopt)
                                      : ConvertedArgument(std::move(pieces));
  }
  if (system_of(value) && !value.is<cute::Tensor>()) return value;
  return convert<cute::AnyLayout>(value);
}

ConvertedArgument Reader<TableOrLayout>::make(const Value& value, const CallContext& context) {
  if (!value.is<IntTuple>()) return as_any_layout(value, context);
  return table_of_lists(value);
}

ConvertedArgument Reader<map::IntegerRelation>::make(const Value& value,
                                                     const CallContext& context) {
  HEDDLE_TRY(const std::optional<Value> layout, as_any_layout(value, context));
  if (!layout || layout->is<map::IntegerRelation>()) return layout;
  HEDDLE_TRY(const map::AnyLayout any, to_any_layout(*layout, context));
  HEDDLE_TRY(map::IntegerRelation relation, map::relation(any, context.decide.limits));
  return Value(std::move(relation));
}

ConvertedArgument Reader<map::IntegerSet>::make(const Value& value, const CallContext& context) {
  const auto* text = value.get_if<std::string>();
  if (text == nullptr) return PlainReader::make(value);
  if (!looks_like_set(*text)) return std::nullopt;
  HEDDLE_TRY(map::IntegerSet set, map::IntegerSet::parse(*text, context.decide.limits));
  HEDDLE_TRY(set, map::assuming(set, context.sizes, context.decide.limits));
  return Value(std::move(set));
}

std::string Reader<map::IntegerSet>::hint(const Value& value) {
  return value.has_map() ? "domain(L) is the set of its points, range(L) that of its images" : "";
}

Result<Value> layout_of_encoding(const Value& encoding, std::span<const Int> shape) {
  linear::Sizes sizes;
  for (const Int& extent : shape) {
    if (!extent.is_constant()) {
      return refuse("encoding.shape",
                    fmt::format("the shape of an encoding is given in numbers, not as {}",
                                to_string(extent)));
    }
    sizes.push_back(extent.value());
  }
  HEDDLE_TRY(linear::LinearLayout layout,
             linear::to_linear_layout(encoding.get<linear::Encoding>(), sizes));
  return Value(std::move(layout));
}

std::string layout_hint(const Value& value) {
  if (value.is<map::IntegerSet>()) {
    return "a set has points, but no images; a relation is written with '->'";
  }
  if (value.is<cute::MmaAtom>() || value.is<cute::TiledMma>()) {
    return "its operands have layouts: layoutA_TV(make_tiled_mma(ATOM)), layoutB_TV, layoutC_TV";
  }
  if (value.is<linear::Encoding>()) {
    return "an encoding is the layout of a tensor of some shape: tensor<128x64xf16, ENCODING>, "
           "encoding_to_linear_layout(ENCODING, [128,64]), or --shape 128,64 of the commands";
  }
  if (const auto* sharding = value.get_if<axe::Sharding>()) {
    const Result<axe::Sharded> placed = axe::place(*sharding);
    return placed || placed.error().hint().empty() ? "" : placed.error().hint();
  }
  return "";
}

Result<map::System> system_named(std::string_view name) {
  std::string lowered(name);
  std::ranges::transform(lowered, lowered.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (const auto system = map::find_system(lowered)) return *system;
  std::vector<std::string_view> names;
  for (const map::System system : map::systems()) names.push_back(map::name(system));
  return refuse(Diagnostic("convert.system", fmt::format("unknown system {}", quote(name)))
                    .with_hint(fmt::format("the systems are {}", fmt::join(names, ", "))));
}

Result<map::Reading> reading_named(std::string_view name) {
  if (const auto reading = map::find_reading(name)) return *reading;
  return refuse(
      Diagnostic("convert.reading", fmt::format("a layout is not read as {}", quote(name)))
          .with_hint("it is read as literal, memory or ownership"));
}

Result<map::AnyLayout> to_any_layout(const Value& value, const CallContext& context) {
  HEDDLE_TRY(const std::optional<Value> layout, convert<map::AnyLayout>(value, context));
  std::optional<BoxedLayout> boxed = layout ? boxed_layout(*layout) : std::nullopt;
  if (!boxed) {
    return refuse(
        Diagnostic("call.type", fmt::format("a layout is needed, not {}", kind_name(value)))
            .with_hint(layout_hint(value)));
  }
  return std::move(boxed->layout);
}

Value to_value(const map::AnyLayout& layout) {
  return std::visit([](const auto& data) { return Value(data); }, layout);
}

Result<form::IndexMap> index_map_of(const Value& value) {
  if (const auto* layout = value.get_if<lego::Layout>()) return lego::index_map(*layout);
  if (const auto* layout = value.get_if<linear::LinearLayout>()) return linear::index_map(*layout);
  if (const auto* layout = value.get_if<axe::Layout>()) {
    return axe::index_map(*layout, axe::extents_of(layout->shard()));
  }
  if (const auto* relation = value.get_if<map::IntegerRelation>()) return map::index_map(*relation);
  if (const auto* table = value.get_if<form::Table>()) return form::index_map(*table);
  if (const auto* tv = value.get_if<cute::TvLayout>()) return cute::index_map(tv->layout);
  HEDDLE_TRY(const auto layout, convert<cute::AnyLayout>(value));
  if (!layout) {
    return refuse("call.type", fmt::format("a layout is needed, not {}", kind_name(value)));
  }
  if (const auto* plain = layout->get_if<cute::Layout>()) return cute::index_map(*plain);
  return cute::index_map(layout->get<cute::ComposedLayout>());
}

}  // namespace heddle::notation
