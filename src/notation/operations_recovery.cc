// Layouts found from what a layout or a table does, whatever it is written in.

#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "heddle/map/recover.h"
#include "heddle/notation/hub.h"
#include "notation/binding.h"

namespace heddle::notation {
namespace {

constexpr const char* kRecovery = "recovery";

map::RecoverOptions recovery_options(const CallContext& context) {
  map::RecoverOptions options;
  options.limits = context.decide.limits;
  return options;
}

/// Strided where that is possible, else swizzled; of the shape where one is given.
Result<cute::AnyLayout> recovered(const CallContext& context, const map::AnyLayout& layout,
                                  const std::optional<IntTuple>& shape) {
  map::RecoverOptions options = recovery_options(context);
  options.shape = shape;
  Result<cute::AnyLayout> strided = map::recover_strided(layout, options);
  if (strided || shape || strided.error().code() != "recover.no_layout") return strided;
  const Result<cute::AnyLayout> swizzled = map::recover_mixed(layout, options);
  return swizzled ? *swizzled : std::move(strided);
}

}  // namespace

void add_recovery_operations(std::vector<Operation>& table) {
  table.push_back(operation(
      "recover", kRecovery, {"layout", "shape"},
      "The layout that a table or a layout of any system is, as CuTe writes it: strided, with a "
      "swizzle where it takes one; of exactly this shape where one is given.",
      "recover([0,2,1,3])", "(2,2):(2,1)",
      [](const CallContext& context, const Tabulated& asked, const std::optional<IntTuple>& shape) {
        return recovered(context, asked.layout, shape);
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
