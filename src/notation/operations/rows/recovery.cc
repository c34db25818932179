// Layouts found from what a layout or a table does, whatever it is written in.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "heddle/map/recover.h"
#include "heddle/notation/any_layout.h"
#include "heddle/notation/layout_report.h"
#include "heddle/notation/npy.h"
#include "notation/operations/binding.h"

namespace heddle::notation {
namespace {

constexpr const char* kRecovery = "recovery";

map::RecoverOptions recovery_options(const CallContext& context) {
  map::RecoverOptions options;
  options.limits = context.decide.limits;
  return options;
}

/// One row or column, written with brackets around it, is a list.
map::AnyLayout without_units(map::AnyLayout layout) {
  auto* table = std::get_if<form::Table>(&layout);
  if (table == nullptr) return layout;
  const auto is_unit = [](std::int64_t extent) { return extent == 1; };
  if (std::ranges::count_if(table->extents, std::not_fn(is_unit)) == 1) {
    std::erase_if(table->extents, is_unit);
  }
  return layout;
}

/// Strided where that is possible, else swizzled; strided where more is asked for.
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

/// The table whose innermost numbers are on these axes.
Result<map::AnyLayout> on_named_axes(const map::AnyLayout& layout, const linear::Names& axes) {
  const auto* table = std::get_if<form::Table>(&layout);
  if (table == nullptr) {
    return refuse("call.type", fmt::format("axes are those of a table, and this is {}",
                                           map::description(map::system_of(layout))));
  }
  HEDDLE_TRY(form::Table named, on_axes(*table, axes));
  return map::AnyLayout(std::move(named));
}

/// What is asked about, with its axes and without indices of one value.
Result<map::AnyLayout> subject_of(const Tabulated& asked, const std::optional<linear::Names>& on) {
  if (!on) return without_units(asked.layout);
  HEDDLE_TRY(map::AnyLayout layout, on_named_axes(asked.layout, *on));
  return without_units(std::move(layout));
}

Result<Report> everything_about(const CallContext& context, const map::AnyLayout& layout) {
  return notation::report_of(description_of(layout),
                             map::notations(layout, recovery_options(context)));
}

}  // namespace

void add_recovery_operations(std::vector<Operation>& table) {
  table.push_back(operation(
      "recover", kRecovery, {"layout", "shape", "compatible", "strides", "on"},
      "The layout that a table or a layout of any system is, as CuTe writes it: strided, with a "
      "swizzle where it takes one; of exactly this shape, of a shape that refines `compatible`, of "
      "exactly these strides where they are given; `on` names the axes that the innermost numbers "
      "of "
      "a table are on.",
      "recover([0,2,1,3])", "(2,2):(2,1)",
      [](const CallContext& context, const Tabulated& asked, const std::optional<IntTuple>& shape,
         const std::optional<IntTuple>& compatible, const std::optional<cute::StrideTuple>& strides,
         const std::optional<linear::Names>& on) -> Result<cute::AnyLayout> {
        HEDDLE_TRY(const map::AnyLayout layout, subject_of(asked, on));
        map::RecoverOptions options = recovery_options(context);
        options.shape = shape;
        options.compatible_with = compatible;
        options.strides = strides;
        return recovered(layout, options);
      }));
  table.push_back(operation(
      "recover_report", kRecovery, {"layout", "on"},
      "What layout it is in the notation of every system, and why others cannot write it; `on` "
      "names the axes that the innermost numbers of a table are on.",
      "recover_report([0,3])",
      "of        2 points on axis m\n"
      "cute      2:3\n"
      "linear     - c0=1 -> (3)\n"
      "          where out dims are: [m (size 4)]\n"
      "axe       S[(2):(3@m)]\n"
      "lego      GroupBy([2]).OrderBy(GenP([2],i -> 3*i))\n"
      "relation  { [c0] -> [3c0] : 0 <= c0 <= 1 }",
      [](const CallContext& context, const Tabulated& asked,
         const std::optional<linear::Names>& on) -> Result<Report> {
        HEDDLE_TRY(const map::AnyLayout layout, subject_of(asked, on));
        return everything_about(context, layout);
      }));
  table.push_back(
      operation("recover_strided", kRecovery, {"layout"},
                "The strided layout that a table or a layout of any system is, with its offset.",
                "recover_strided([[7,6],[3,2]])", "Sw<0,4,3> o 7 o (2,2):(-4,-1)",
                [](const CallContext& context, const Tabulated& asked) {
                  return map::recover_strided(asked.layout, recovery_options(context));
                }));
  table.push_back(
      operation("recover_mixed", kRecovery, {"layout"},
                "The strided layout, followed by the swizzle of the fewest bits, that it is.",
                "recover_mixed([0,1,3,2])", "Sw<1,0,1> o 0 o 4:1",
                [](const CallContext& context, const Tabulated& asked) {
                  return map::recover_mixed(asked.layout, recovery_options(context));
                }));
  table.push_back(operation(
      "recover_bit_linear", kRecovery, {"layout"},
      "The linear layout over bits that it is, from the coordinates c0, c1, … to its axes.",
      "recover_bit_linear([0,1,3,2])",
      " - c0=1 -> (1)\n   c0=2 -> (3)\nwhere out dims are: [m (size 4)]",
      [](const CallContext& context, const Tabulated& asked) {
        return map::recover_bit_linear(asked.layout, recovery_options(context));
      }));
  table.push_back(
      operation("recover_axe", kRecovery, {"layout"},
                "The Axe layout that it is: on several axes, with copies, an offset, a swizzle.",
                "recover_axe([[0,1],[4,5]])", "S[(2,2):(4@m,1@m)]",
                [](const CallContext& context, const Tabulated& asked) -> Result<axe::Layout> {
                  HEDDLE_TRY(map::RecoveredAxe found,
                             map::recover_axe(asked.layout, recovery_options(context)));
                  return std::move(found.layout);
                }));
}

}  // namespace heddle::notation
