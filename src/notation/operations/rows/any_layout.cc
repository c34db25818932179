// Layouts of any systems: decisions, conversion and recovery.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "axe/layout/iters.h"
#include "heddle/map/composition_guard.h"
#include "heddle/map/convert.h"
#include "heddle/map/decide.h"
#include "heddle/map/integer_set.h"
#include "heddle/map/mlir_text.h"
#include "heddle/map/recover.h"
#include "heddle/notation/any_layout.h"
#include "heddle/notation/layout_report.h"
#include "heddle/notation/mlir.h"
#include "heddle/notation/npy.h"
#include "notation/operations/binding.h"
#include "notation/operations/conversion_target.h"
#include "notation/operations/drawn_reports.h"
#include "notation/value/set_traits.h"

namespace heddle::notation {
namespace {

// ---- Decisions ----

constexpr const char* kDecisions = "decisions";

Result<void> check_box(std::span<const Int> shape) {
  for (const Int& extent : shape) {
    HEDDLE_CHECK(
        axe::check_extent(extent, [&] { return fmt::format("the shape {}", tuple_text(shape)); }));
  }
  return {};
}

/// The options with the reading `as` and the shape, if these are given.
map::DecideOptions read_as(map::DecideOptions options, std::optional<map::Reading> as,
                           const std::optional<IntList>& shape) {
  if (as) options.reading = as;
  if (shape) options.shape = shape;
  return options;
}

/// A claim about two layouts, read as `as`, on `shape` if an Axe layout is inverted.
auto claim(Verdict (*holds)(const map::AnyLayout&, const map::AnyLayout&,
                            const map::DecideOptions&)) {
  return [holds](const map::AnyLayout& a, const map::AnyLayout& b, std::optional<map::Reading> as,
                 const std::optional<IntList>& shape,
                 const map::DecideOptions& asked) -> Result<Verdict> {
    const map::DecideOptions options = read_as(asked, as, shape);
    if (options.shape) HEDDLE_CHECK(check_box(*options.shape));
    return holds(a, b, options);
  };
}

void add_map_comparing(const Rows& add) {
  add({.call = "equal(a, b, as, shape)",
       .summary =
           "Whether layouts of any systems are the same map; a verdict with its method and, for "
           "no, the smallest coordinate that differs. Also: a == b. Read as 'literal', 'memory' or "
           "'ownership', by default as suits both; `shape` is that of an Axe layout.",
       .example = {"equal((4,8):(8,1), GroupBy([4,8]))", "yes  (digit form)"}},
      claim(map::equal));
  add({.call = "disjoint_images(a, b, as, shape)",
       .summary = "Whether no image of one layout is one of the other.",
       .example = {"disjoint_images(4:2, (2,2):(1,8))",
                   "no  (digit form)  counterexample: coordinate 0: 0 and 0 at 0 = (0,0)"}},
      claim(map::disjoint_images));
  add({.call = "disjoint_apart_from_zero(a, b, as, shape)",
       .summary = "Whether the images of both have 0 alone in common, as those of a layout and its "
                  "complement.",
       .example = {"disjoint_apart_from_zero((4,2):(1,16), (4,2):(4,3))",
                   "no  (digit form)  counterexample: coordinate 3 = (3,0): 3 and 3 at 4 = (0,1)"}},
      claim(map::disjoint_apart_from_zero));
  add({.call = "covers(a, b, as, shape)",
       .summary = "Whether every image of b is one of a.",
       .example = {"covers(S[8:1], (2,2):(1,4))", "yes  (digit form)"}},
      claim(map::covers));
}

void add_map_properties(const Rows& add) {
  add({.call = "injective(layout)",
       .summary = "Whether no two points have an image in common.",
       .example = {"injective((4,8):(8,1))", "yes  (digit form)"}},
      map::injective);
  add({.call = "bijective(layout)",
       .summary = "Whether it is injective and its images are the whole box of its outputs where "
                  "their sizes are declared (those of a linear layout), else [0, size), on several "
                  "axes the box up to the greatest ones.",
       .example = {"bijective((4,8):(8,1))", "yes  (digit form)"}},
      map::bijective);
  add({.call = "contiguous(layout)",
       .summary =
           "Whether its images are all integers from the least to the greatest, each met once.",
       .example = {"contiguous((4,2):(2,1))", "yes  (digit form)"}},
      map::contiguous);
  add({.call = "is_involution(layout)",
       .summary = "Whether f(f(x)) = x for every flat x.",
       .example = {"is_involution(Sw<2,0,3> o 0 o 64:1)", "yes  (GF(2) form)"}},
      map::is_involution);
  add({.call = "surjective_onto(layout, sizes)",
       .summary =
           "Whether its images are all of [0, n), or of the box of these sizes on several axes.",
       .example = {"surjective_onto((4,8):(8,1), 32)", "yes  (digit form)"}},
      map::surjective_onto);
  add({.call = "within(layout, low, high)",
       .summary = "Whether low <= x < high for every coordinate x of every image.",
       .example = {"within((4,8):(8,1), 0, 32)", "yes  (digit form)"}},
      map::within);
}

/// As text, and as data: `{"guard":["2*c0+c1 < 2"],"leaves":"{ … }"}`.
Report report_of(const map::CompositionGuard& guard) {
  Datum::List conditions;
  for (const Condition& condition : guard.conditions) conditions.emplace_back(to_string(condition));
  Datum::Fields fields;
  fields.emplace_back("guard", std::move(conditions));
  fields.emplace_back("leaves", guard.leaving ? Datum(guard.leaving->text()) : Datum(nullptr));
  return {map::to_string(guard), Datum(std::move(fields))};
}

void add_guard(const Rows& add) {
  add({.call = "composition_guard(a, b)",
       .summary =
           "The condition on the coordinates of b that a kernel must test before it reads through "
           "a o b, and the coordinates at which it fails, which composition extends a for.",
       .example = {"composition_guard((N):(1), 128:1)", "guard c0 < N"}},
      [](const map::AnyLayout& a, const map::AnyLayout& b,
         const map::Limits& limits) -> Result<Report> {
        HEDDLE_TRY(const map::CompositionGuard guard, map::composition_guard(a, b, limits));
        return report_of(guard);
      });
}

// ---- Conversion ----

/// Converts the layout to another system and applies `finish`, or to MLIR and applies
/// `finish_text`.
template <class Finish, class FinishText>
auto converted(Finish finish, FinishText finish_text) {
  return [=](const CallContext& context, const BoxedLayout& boxed, const ConversionTarget& to,
             std::optional<map::Reading> as, const std::optional<IntList>& shape)
             -> Result<std::invoke_result_t<Finish, const map::Converted&>> {
    const map::ConvertOptions options = convert_options(boxed, as, shape, context);
    if (!to.system) {
      HEDDLE_TRY(const map::MlirText result, map::mlir_text(boxed.layout, options));
      return finish_text(result);
    }
    HEDDLE_TRY(const map::Converted result, map::convert(boxed.layout, *to.system, options));
    return finish(result);
  };
}

/// The text, and below it the box and the axes of the results.
Report report_of(const map::MlirText& written) {
  std::string text = written.text;
  // A memref shows its shape.
  if (!text.starts_with("memref")) text += fmt::format("\n  shape {}", tuple_text(written.shape));
  if (!written.remark.empty()) text += ", " + written.remark;
  return {std::move(text), Datum::Fields{{"system", "mlir"},
                                         {"layout", written.text},
                                         {"shape", list_of_data(written.shape)},
                                         {"remark", written.remark}}};
}

Result<Report> everywhere(const CallContext& context, const BoxedLayout& boxed,
                          std::optional<map::Reading> as, const std::optional<IntList>& shape) {
  return notation::report_of(
      map::show(boxed.layout, convert_options(boxed, as, shape, context), context.decide));
}

}  // namespace

Result<map::Comparison> compared(const map::AnyLayout& a, const map::AnyLayout& b,
                                 std::optional<map::Reading> as,
                                 const std::optional<IntList>& shape,
                                 const map::DecideOptions& asked) {
  return map::compare(a, b, read_as(asked, as, shape));
}

namespace {

// ---- Recovery from the map of a layout or a table ----

/// A table of a single row or column becomes a list.
map::AnyLayout without_units(map::AnyLayout layout) {
  auto* table = std::get_if<form::Table>(&layout);
  if (table == nullptr) return layout;
  const auto is_unit = [](std::int64_t extent) { return extent == 1; };
  if (std::ranges::count_if(table->extents, std::not_fn(is_unit)) == 1) {
    std::erase_if(table->extents, is_unit);
  }
  return layout;
}

/// The strided layout if there is one, otherwise the swizzled one; only strided with further
/// options.
Result<cute::AnyLayout> recovered(const map::AnyLayout& layout,
                                  const map::RecoverOptions& options) {
  Result<cute::AnyLayout> strided = map::recover_strided(layout, options);
  const bool asks_more = options.shape || options.compatible_with || options.strides;
  if (strided || asks_more || strided.error().code() != "recover.no_layout") return strided;
  const Result<cute::AnyLayout> swizzled = map::recover_mixed(layout, options);
  return swizzled ? *swizzled : std::move(strided);
}

/// `2 x 4 points on axis m`, `a CuTe layout`.
std::string description_of(const map::AnyLayout& layout) {
  const auto* table = std::get_if<form::Table>(&layout);
  if (table == nullptr) return std::string(map::description(map::system_of(layout)));
  const std::string points =
      table->extents.empty() ? "1" : fmt::format("{}", fmt::join(table->extents, " x "));
  std::vector<std::string> names;
  for (const Axis& axis : table->axes) names.push_back(axis.name());
  return fmt::format("{} {} on {} {}", points, points == "1" ? "point" : "points",
                     names.size() == 1 ? "axis" : "axes", fmt::join(names, ", "));
}

/// The table with its innermost numbers on these axes.
Result<map::AnyLayout> on_named_axes(const map::AnyLayout& layout, const linear::Names& axes) {
  const auto* table = std::get_if<form::Table>(&layout);
  if (table == nullptr) {
    return refuse("call.type", fmt::format("axes are those of a table, and this is {}",
                                           map::description(map::system_of(layout))));
  }
  HEDDLE_TRY(form::Table named, on_axes(*table, axes));
  return map::AnyLayout(std::move(named));
}

/// The layout or table to recover, with its axes and without extents of 1.
Result<map::AnyLayout> subject_of(const TableOrLayout& asked,
                                  const std::optional<linear::Names>& on) {
  if (!on) return without_units(asked.layout);
  HEDDLE_TRY(map::AnyLayout layout, on_named_axes(asked.layout, *on));
  return without_units(std::move(layout));
}

void add_conversion_rows(const Rows& add) {
  add({.call = "mlir(text)",
       .summary = "A map or a type of MLIR: an affine_map as a relation, an affine_set as a set, a "
                  "memref or vector type as its layout.",
       .example = {"mlir('memref<4x8xf32, strided<[1, 4]>>')", "(4,8):(1,4)"}},
      [](const std::string& text, const map::Limits& limits) -> Result<Value> {
        HEDDLE_TRY(const map::AnyLayout layout, parse_mlir(text, limits));
        const auto* relation = std::get_if<map::IntegerRelation>(&layout);
        // A set is read as a relation to nothing.
        if (relation == nullptr || !relation->axes().empty()) return notation::to_value(layout);
        HEDDLE_TRY(map::IntegerSet set, map::domain(*relation, limits));
        return Value(std::move(set));
      });
  add({.call = "convert(layout, to, as, shape)",
       .summary =
           "The layout with the same map in the notation of 'cute', 'cute_tv', 'linear', 'axe', "
           "'lego', 'relation', 'table' or 'mlir'; read as 'literal', 'memory' or 'ownership' "
           "where "
           "several are possible; `shape` says on which box an Axe layout is.",
       .example = {"convert(GroupBy([4,8]).OrderBy(Col(4,8)), 'cute')", "(4,8):(1,4)"}},
      converted([](const map::Converted& result) { return notation::to_value(result.layout); },
                [](const map::MlirText& result) { return Value(result.text); }));
  add({.call = "convert_report(layout, to, as, shape)",
       .summary = "What convert gives, with what its notation does not say: the shape of an Axe "
                  "layout, which way the map goes, and which axes and indices correspond.",
       .example = {"convert_report((4,8):(8,1), 'axe')",
                   "S[(4,8):(8@m,1@m)]\n  shape (4,8), (c0,c1) -> m"}},
      converted([](const map::Converted& result) { return notation::report_of(result); },
                [](const map::MlirText& result) { return report_of(result); }));
  add({.call = "show(layout, as, shape)",
       .summary = "The layout in every notation that can write it, each converted back and proved "
                  "to be the same map, and why the others cannot.",
       .example =
           {"show(4:2)",
            "cute      4:2\n"
            "cute_tv   not expressible because a thread-value layout has two modes, 4:2 has 1\n"
            "linear    - dim0=1 -> (2)\n"
            "            dim0=2 -> (4)\n"
            "          where out dims are: [offset (size 8)]\n"
            "            dim0 -> offset; proved equal (digit form)\n"
            "axe       S[(4):(2@m)]\n"
            "            shape (4), c0 -> m; proved equal (digit form)\n"
            "lego      GroupBy([4]).OrderBy(GenP([4],i -> 2*i))\n"
            "            proved equal (evaluated all 4 coordinates)\n"
            "relation  { [c0] -> [2c0] : 0 <= c0 <= 3 }\n"
            "            proved equal (digit form)\n"
            "table     [0,2,4,6]\n"
            "            proved equal (evaluated all 4 coordinates)"}},
      everywhere);
  add({.call = "compare(a, b, as, shape)",
       .summary = "Where two layouts of any systems differ: the verdict of equal, how many points "
                  "differ, and what each has there; as data all of them. Read as equal reads them.",
       .example = {"compare((2,2):(1,2), GroupBy([2,2]))",
                   "no  (digit form)  counterexample: coordinate 1 = (1,0): 1 and 2\n"
                   "2 of 4 points differ\n"
                   "  (1,0)               1         2\n"
                   "  (0,1)               2         1"}},
      compared);
}

template <class Found>
auto of_tabulated(Result<Found> (*recover)(const map::AnyLayout&, const map::RecoverOptions&)) {
  return [recover](const TableOrLayout& asked, const map::RecoverOptions& options) {
    return recover(asked.layout, options);
  };
}

void add_recovery_rows(const Rows& add) {
  add({.call = "recover(layout, shape, compatible, strides, on)",
       .summary = "The layout that a table or a layout of any system is, as CuTe writes it: "
                  "strided, with a swizzle where it takes one; of exactly this shape, of a shape "
                  "that refines `compatible`, of exactly these strides where they are given; `on` "
                  "names the axes that the innermost numbers of a table are on.",
       .example = {"recover([0,2,1,3])", "(2,2):(2,1)"}},
      [](const TableOrLayout& asked, const std::optional<IntTuple>& shape,
         const std::optional<IntTuple>& compatible, const std::optional<cute::StrideTuple>& strides,
         const std::optional<linear::Names>& on,
         map::RecoverOptions options) -> Result<cute::AnyLayout> {
        HEDDLE_TRY(const map::AnyLayout layout, subject_of(asked, on));
        options.shape = shape;
        options.compatible_with = compatible;
        options.strides = strides;
        return recovered(layout, options);
      });
  add({.call = "recover_report(layout, on)",
       .summary = "What layout it is in the notation of every system, and why others cannot write "
                  "it; `on` names the axes that the innermost numbers of a table are on.",
       .example = {"recover_report([0,3])",
                   "of        2 points on axis m\n"
                   "cute      2:3\n"
                   "linear    - c0=1 -> (3)\n"
                   "          where out dims are: [m (size 4)]\n"
                   "axe       S[(2):(3@m)]\n"
                   "lego      GroupBy([2]).OrderBy(GenP([2],i -> 3*i))\n"
                   "relation  { [c0] -> [3c0] : 0 <= c0 <= 1 }"}},
      [](const TableOrLayout& asked, const std::optional<linear::Names>& on,
         const map::RecoverOptions& options) -> Result<Report> {
        HEDDLE_TRY(const map::AnyLayout layout, subject_of(asked, on));
        return notation::report_of(description_of(layout), map::notations(layout, options));
      });
  add({.call = "recover_strided(layout)",
       .summary = "The strided layout that a table or a layout of any system is, with its offset.",
       .example = {"recover_strided([[7,6],[3,2]])", "Sw<0,4,3> o 7 o (2,2):(-4,-1)"}},
      of_tabulated(map::recover_strided));
  add({.call = "recover_mixed(layout)",
       .summary = "The strided layout, followed by the swizzle of the fewest bits, that it is.",
       .example = {"recover_mixed([0,1,3,2])", "Sw<1,0,1> o 0 o 4:1"}},
      of_tabulated(map::recover_mixed));
  add({.call = "recover_bit_linear(layout)",
       .summary =
           "The linear layout over bits that it is, from the coordinates c0, c1, … to its axes.",
       .example = {"recover_bit_linear([0,1,3,2])",
                   " - c0=1 -> (1)\n   c0=2 -> (3)\nwhere out dims are: [m (size 4)]"}},
      of_tabulated(map::recover_bit_linear));
  add({.call = "recover_axe(layout)",
       .summary = "The Axe layout that it is: on several axes, with copies, an offset, a swizzle.",
       .example = {"recover_axe([[0,1],[4,5]])", "S[(2,2):(4@m,1@m)]"}},
      [](const TableOrLayout& asked, const map::RecoverOptions& options) -> Result<axe::Layout> {
        HEDDLE_TRY(map::RecoveredAxe found, map::recover_axe(asked.layout, options));
        return std::move(found.layout);
      });
}

}  // namespace

void add_any_layout_operations(std::vector<Operation>& table) {
  add_map_comparing({table, kDecisions});
  add_map_properties({table, kDecisions});
  add_guard({table, kDecisions});
  add_conversion_rows({table, "conversions"});
  add_recovery_rows({table, "recovery"});
}

}  // namespace heddle::notation
