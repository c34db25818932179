// Integer set relations: reading, making from layouts, questions and combinations.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heddle/map/any_layout.h"
#include "heddle/map/integer_relation.h"
#include "heddle/map/relations.h"
#include "notation/operations/binding.h"
#include "notation/operations/tuples.h"

namespace heddle::notation {
namespace {

constexpr const char* kRelations = "relations";

/// One number as an integer, several as a tuple.
IntTuple numbers_as_tuple(std::span<const Int> numbers) {
  return numbers.size() == 1 ? IntTuple(numbers.front()) : IntTuple::flat(numbers);
}

/// The single image, or the list of all.
Value value_of_images(const std::vector<std::vector<Int>>& images) {
  if (images.size() == 1) return Value(numbers_as_tuple(images.front()));
  TupleList list;
  for (const std::vector<Int>& image : images) list.push_back(numbers_as_tuple(image));
  return Value(std::move(list));
}

Result<Value> images_at(const map::AnyLayout& layout, const IntList& coordinate,
                        const map::Limits& limits) {
  if (const auto* relation = std::get_if<map::IntegerRelation>(&layout)) {
    HEDDLE_TRY(const auto images, map::images(*relation, coordinate, limits));
    return value_of_images(images);
  }
  HEDDLE_TRY(const map::View view, map::view(layout, limits));
  if (coordinate.size() == 1 && view.extents.size() > 1) {
    HEDDLE_TRY(const map::View flat, map::reshaped(view, std::vector<Int>{view.size()}));
    HEDDLE_TRY(const auto images, map::images(flat, coordinate));
    return value_of_images(images);
  }
  HEDDLE_TRY(const auto images, map::images(view, coordinate));
  return value_of_images(images);
}

Result<TupleList> table_of_images(const map::AnyLayout& layout, const std::optional<Int>& limit,
                                  const map::Limits& limits) {
  HEDDLE_TRY(const map::View view, map::view(layout, limits));
  if (!view.is_function()) {
    return refuse(
        Diagnostic("relation.multi_valued", "a table: the layout has several images of one point")
            .with_hint("apply(L, point) lists those of a point"));
  }
  HEDDLE_TRY(const std::size_t length, table_length(view.size(), limit));
  const form::IndexMap map = view.index_map();
  TupleList list;
  for (std::size_t i = 0; i < length; ++i) {
    const std::vector<Int> image = map.at(Int(i));
    list.push_back(numbers_as_tuple(image));
  }
  return list;
}

/// The overload of relations.
using Combine = Result<map::IntegerRelation>(const map::IntegerRelation& a,
                                             const map::IntegerRelation& b,
                                             const map::Limits& limits);
constexpr Combine* of_relations(Combine* combine) { return combine; }

void add_relations(const Rows& add) {
  add({.call = "relation(layout)",
       .summary =
           "The layout as an integer set relation, or the one that a text in isl's syntax says.",
       .example = {"relation('{ [c] -> [(-3c) mod 16] : 0 <= c <= 15 }')(3)", "7"}},
      [](const map::IntegerRelation& relation) { return relation; });
  add({.call = "compose(relation, outer)",
       .summary = "outer after relation, as of linear layouts.",
       .example = {"compose(relation(4:3), relation('{ [i] -> [2i] : i >= 2 }'))(2)", "12"}},
      map::compose);
  add({.call = "intersect(a, b)",
       .summary = "The pairs of both.",
       .example = {"intersect(relation(4:1), relation('{ [i] -> [j] : j >= 2 }'))(3)", "3"}},
      of_relations(map::intersect));
  add({.call = "unite(a, b)",
       .summary = "The pairs of either.",
       .example = {"unite(relation(4:1), relation(4:2))(1)", "[1,2]"}},
      of_relations(map::unite));
  add({.call = "subtract(a, b)",
       .summary = "The pairs of the first alone.",
       .example = {"subtract(relation(4:1), relation(4:2))(1)", "1"}},
      of_relations(map::subtract));
  add({.call = "reverse(relation)",
       .summary = "The same pairs the other way round.",
       .example = {"reverse(relation(4:3))(6)", "2"}},
      map::reverse);
}

void add_seed_mappings(const Rows& add) {
  add({.call = "coordinate_mapping(shape)",
       .summary = "From the flat coordinate to the natural one of the shape's leaves.",
       .example = {"coordinate_mapping((4,(2,2)))(13)", "(1,1,1)"}},
      map::coordinate_mapping);
  add({.call = "index_mapping(layout, shape)",
       .summary =
           "From the natural coordinate to the index; with a shape, from the coordinates of that.",
       .example = {"index_mapping((4,(2,2)):(2,(1,8)), (4,4))(1, 3)", "11"}},
      [](const cute::Layout& layout, const std::optional<IntTuple>& shape,
         const map::Limits& limits) {
        return shape ? map::index_mapping(layout, *shape, limits)
                     : map::index_mapping(layout, limits);
      });
  add({.call = "layout_mapping(layout)",
       .summary = "From the flat coordinate to the index.",
       .example = {"layout_mapping((4,(2,2)):(2,(1,8)))(13)", "11"}},
      [](const cute::Layout& layout, const map::Limits& limits) {
        return map::layout_mapping(layout, limits);
      });
  add({.call = "coordinate_spaces(shape)",
       .summary = "The shapes whose coordinates a shape takes, itself first.",
       .example = {"coordinate_spaces((4,(2,2)))", "[(4,(2,2)),(4,4),16]"}},
      map::coordinate_spaces);
}

// ---- A layout as a relation, and its component mappings ----

/// A relation with the name of its role in the layout.
struct NamedRelation {
  std::string name;
  map::IntegerRelation relation;
};

Result<std::vector<NamedRelation>> mappings_of(const cute::Layout& layout,
                                               const map::Limits& limits) {
  std::vector<NamedRelation> mappings;
  HEDDLE_TRY(auto coordinate, map::coordinate_mapping(layout.shape(), limits));
  HEDDLE_TRY(auto index, map::index_mapping(layout, limits));
  HEDDLE_TRY(auto whole, map::layout_mapping(layout, limits));
  mappings.push_back({"coordinate mapping", std::move(coordinate)});
  mappings.push_back({"index mapping", std::move(index)});
  HEDDLE_TRY(const auto spaces, map::coordinate_spaces(layout.shape()));
  for (const IntTuple& space : spaces) {
    if (space.is_leaf() || space == layout.shape()) continue;
    HEDDLE_TRY(auto in_space, map::index_mapping(layout, space, limits));
    mappings.push_back(
        {fmt::format("index mapping in {}", to_string(Value(space))), std::move(in_space)});
  }
  mappings.push_back({"layout mapping", std::move(whole)});
  return mappings;
}

Result<std::vector<NamedRelation>> mappings_of(const cute::Swizzle& swizzle,
                                               const map::Limits& limits) {
  HEDDLE_TRY(auto parts, map::swizzle_mappings(swizzle, limits));
  return std::vector<NamedRelation>{{"coordinate mapping", std::move(parts.coordinate)},
                                    {"binary swizzle mapping", std::move(parts.binary)},
                                    {"layout mapping", std::move(parts.layout)}};
}

Result<std::vector<NamedRelation>> mappings_of(const linear::LinearLayout& layout,
                                               const map::Limits& limits) {
  HEDDLE_TRY(auto parts, map::linear_mappings(layout, limits));
  return std::vector<NamedRelation>{
      {"integral coordinate mapping", std::move(parts.integral_coordinate)},
      {"binary coordinate mapping", std::move(parts.binary_coordinate)},
      {"binary vector space mapping", std::move(parts.binary_vector_space)},
      {"linear index mapping", std::move(parts.linear_index)},
      {"natural index mapping", std::move(parts.natural_index)}};
}

/// The swizzle of a composed layout that is only a swizzle on the addresses it permutes; otherwise
/// nullptr.
const cute::Swizzle* swizzle_alone(const cute::ComposedLayout& layout) {
  const cute::Layout& inner = layout.layout();
  const bool is_alone = layout.outer() == nullptr && known_equal(layout.offset().leaf(), 0) &&
                        inner.shape().is_leaf() &&
                        known_equal(inner.size(), layout.swizzle().size()) &&
                        inner == cute::make_layout_left(inner.shape());
  return is_alone ? &layout.swizzle() : nullptr;
}

/// The mappings into which seed 000 decomposes a layout of this kind; empty for other kinds.
Result<std::vector<NamedRelation>> mappings_of(const map::AnyLayout& layout,
                                               const map::Limits& limits) {
  if (const auto* plain = std::get_if<cute::Layout>(&layout)) return mappings_of(*plain, limits);
  if (const auto* composed = std::get_if<cute::ComposedLayout>(&layout)) {
    const cute::Swizzle* swizzle = swizzle_alone(*composed);
    if (swizzle != nullptr) return mappings_of(*swizzle, limits);
  }
  if (const auto* linear = std::get_if<linear::LinearLayout>(&layout)) {
    return mappings_of(*linear, limits);
  }
  return std::vector<NamedRelation>();
}

/// The expression of a single-valued relation; nullopt for others.
Result<std::optional<std::string>> expression_of(const map::IntegerRelation& relation,
                                                 const map::Limits& limits) {
  const Result<bool> is_function = map::is_single_valued(relation, limits);
  if (!is_function || !*is_function) return std::nullopt;
  HEDDLE_TRY(const auto pieces, map::pieces(relation, limits));
  return pieces.empty() ? std::nullopt : std::optional(map::to_string(pieces));
}

Report report_of_relations(std::span<const NamedRelation> relations,
                           const std::optional<std::string>& expression) {
  Datum::Fields data;
  for (const auto& [name, relation] : relations) data.emplace_back(name, relation.text());
  if (expression) data.emplace_back("expression", *expression);
  if (data.size() == 1) return {relations.front().relation.text(), std::move(data)};
  std::vector<std::string> lines;
  for (const auto& [name, text] : data) {
    lines.push_back(name);
    lines.push_back("  " + *text.text());
  }
  return {fmt::format("{}", fmt::join(lines, "\n")), std::move(data)};
}

Result<Report> as_relations(const map::AnyLayout& layout, bool has_mappings,
                            const std::optional<IntList>& shape, const map::Limits& limits) {
  std::vector<NamedRelation> relations;
  if (has_mappings) {
    HEDDLE_TRY(relations, mappings_of(layout, limits));
  }
  HEDDLE_TRY(map::IntegerRelation relation,
             shape ? map::relation(layout, *shape, limits) : map::relation(layout, limits));
  HEDDLE_TRY(const std::optional<std::string> expression, expression_of(relation, limits));
  relations.push_back({"relation", std::move(relation)});
  return report_of_relations(relations, expression);
}

void add_relation_report(const Rows& add) {
  add({.call = "relation_report(layout, mappings=false, shape)",
       .summary =
           "The layout as an integer set relation, with its quasi-affine expression where every "
           "point has one image and, with `mappings`, the mappings that it is made of. The `shape` "
           "is that of the tensor of an Axe layout.",
       .example = {"relation_report((2,2):(2,1))",
                   "relation\n"
                   "  { [c0, c1] -> [2c0 + c1] : 0 <= c0 <= 1 and 0 <= c1 <= 1 }\n"
                   "expression\n"
                   "  2*c0+c1"}},
      as_relations);
}

void add_questions_about_relations(const Rows& add) {
  add({.call = "is_single_valued(relation)",
       .summary = "Whether every point has at most one image.",
       .example = {"is_single_valued(relation(4:3))", "true"}},
      map::is_single_valued);
  add({.call = "pieces(relation)",
       .summary = "Its piecewise quasi-affine expression.",
       .example = {"pieces(relation((2,2):(2,1)))", "2*c0+c1"}},
      [](const map::IntegerRelation& relation, const map::Limits& limits) -> Result<std::string> {
        HEDDLE_TRY(const auto pieces, map::pieces(relation, limits));
        return map::to_string(pieces);
      });
  add({.call = "apply(layout, coordinate)",
       .summary = "The image of a point, or the list of all where it has several. Also: R(3).",
       .example = {"apply(relation('{ [i] -> [j] : 0 <= j <= 1 }'), 3)", "[0,1]"}},
      images_at);
  add({.call = "table(layout, limit)",
       .summary =
           "The images of all points of its box in flat order, or of the first `limit` ones.",
       .example = {"table(relation('{ [c] -> [(-3c) mod 16] : 0 <= c <= 15 }'), 4)",
                   "[0,13,10,7]"}},
      table_of_images);
  add({.call = "size(layout)",
       .summary = "The number of points.",
       .example = {"size(relation('{ [c] -> [2c] : 0 <= c < 12 }'))", "12"}},
      [](const map::AnyLayout& layout, const map::Limits& limits) -> Result<Int> {
        HEDDLE_TRY(const map::View view, map::view(layout, limits));
        return check_defined(view.size(), "the size of the layout");
      });
}

}  // namespace

void add_relation_operations(std::vector<Operation>& table) {
  add_relations({table, kRelations});
  add_relation_report({table, kRelations});
  add_seed_mappings({table, kRelations});
  add_questions_about_relations({table, kRelations});
}

}  // namespace heddle::notation
