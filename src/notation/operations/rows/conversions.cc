// Layouts of any systems, written in another one's notation.

#include <optional>
#include <string>
#include <vector>

#include "heddle/map/convert.h"
#include "heddle/notation/any_layout.h"
#include "heddle/notation/layout_report.h"
#include "notation/operations/binding.h"

namespace heddle::notation {
namespace {

constexpr const char* kConversions = "conversions";

std::optional<std::vector<Int>> extents_of(const std::optional<AxeShape>& shape) {
  return shape ? std::optional(shape->extents) : std::nullopt;
}

Result<map::Converted> in_system(const CallContext& context, const BoxedLayout& boxed,
                                 const std::string& to, const std::optional<std::string>& as,
                                 const std::optional<AxeShape>& shape) {
  HEDDLE_TRY(const map::System system, system_named(to));
  HEDDLE_TRY(const map::ConvertOptions options,
             convert_options(boxed, as, extents_of(shape), context));
  return map::convert(boxed.layout, system, options);
}

Result<Report> everywhere(const CallContext& context, const BoxedLayout& boxed,
                          const std::optional<std::string>& as,
                          const std::optional<AxeShape>& shape) {
  HEDDLE_TRY(const map::ConvertOptions options,
             convert_options(boxed, as, extents_of(shape), context));
  return notation::report_of(map::show(boxed.layout, options, context.decide));
}

Result<Report> compared(const CallContext& context, const map::AnyLayout& a,
                        const map::AnyLayout& b, const std::optional<std::string>& as,
                        const std::optional<AxeShape>& shape) {
  map::DecideOptions options = context.decide;
  if (as) {
    HEDDLE_TRY(options.reading, reading_named(*as));
  }
  if (shape) options.shape = extents_of(shape);
  HEDDLE_TRY(const map::Comparison comparison, map::compare(a, b, options));
  return notation::report_of(comparison);
}

}  // namespace

void add_conversion_operations(std::vector<Operation>& table) {
  table.push_back(operation(
      "convert", kConversions, {"layout", "to", "as", "shape"},
      "The layout with the same map in the notation of 'cute', 'cute_tv', 'linear', 'axe', 'lego', "
      "'relation' or 'table'; read as 'literal', 'memory' or 'ownership' where several are "
      "possible; `shape` says on which box an Axe layout is.",
      "convert(GroupBy([4,8]).OrderBy(Col(4,8)), 'cute')", "(4,8):(1,4)",
      [](const CallContext& context, const BoxedLayout& boxed, const std::string& to,
         const std::optional<std::string>& as,
         const std::optional<AxeShape>& shape) -> Result<Value> {
        HEDDLE_TRY(const map::Converted result, in_system(context, boxed, to, as, shape));
        return notation::to_value(result.layout);
      }));
  table.push_back(operation(
      "convert_report", kConversions, {"layout", "to", "as", "shape"},
      "What convert gives, with what its notation does not say: the shape of an Axe layout, which "
      "way the map goes, and which axes and indices correspond.",
      "convert_report((4,8):(8,1), 'axe')", "S[(4,8):(8@m,1@m)]\n  shape (4,8), (c0,c1) -> m",
      [](const CallContext& context, const BoxedLayout& boxed, const std::string& to,
         const std::optional<std::string>& as,
         const std::optional<AxeShape>& shape) -> Result<Report> {
        HEDDLE_TRY(const map::Converted result, in_system(context, boxed, to, as, shape));
        return notation::report_of(result);
      }));
  table.push_back(operation(
      "show", kConversions, {"layout", "as", "shape"},
      "The layout in every notation that can write it, each converted back and proved to be the "
      "same map, and why the others cannot.",
      "show(4:2)",
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
      "            proved equal (evaluated all 4 coordinates)",
      [](const CallContext& context, const BoxedLayout& boxed, const std::optional<std::string>& as,
         const std::optional<AxeShape>& shape) { return everywhere(context, boxed, as, shape); }));
  table.push_back(operation(
      "compare", kConversions, {"a", "b", "as", "shape"},
      "Where two layouts of any systems differ: the verdict of equal, how many points differ, and "
      "what each has there; as data all of them. Read as equal reads them.",
      "compare((2,2):(1,2), GroupBy([2,2]))",
      "no  (digit form)  counterexample: coordinate 1 = (1,0): 1 and 2\n"
      "2 of 4 points differ\n"
      "  (1,0)               1         2\n"
      "  (0,1)               2         1",
      [](const CallContext& context, const map::AnyLayout& a, const map::AnyLayout& b,
         const std::optional<std::string>& as,
         const std::optional<AxeShape>& shape) { return compared(context, a, b, as, shape); }));
}

}  // namespace heddle::notation
