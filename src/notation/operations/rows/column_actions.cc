// Column actions, which choose and order the bases of one input. They are data:
// {"action":[2,0,1],"in_dim":"register","in_size_log2":3}.

#include "heddle/linear/column_action.h"
#include "notation/operations/binding.h"
#include "notation/value/constants.h"

namespace heddle::notation {
namespace {

using linear::ColumnAction;
using linear::LinearLayout;
using linear::Sizes;

constexpr const char* kActions = "column actions";

Datum action_datum(const ColumnAction& action) {
  return Datum::Fields{{"action", list_of(action.action())},
                       {"in_dim", action.in_dim()},
                       {"in_size_log2", action.in_size_log2()}};
}

Result<Value> to_value(const Result<ColumnAction>& action) {
  if (!action) return refuse(action.error());
  return Value(action_datum(*action));
}

Datum vectorisation_datum(const linear::Vectorisation& widest) {
  return Datum::Fields{{"elements", widest.elements},
                       {"permutation", action_datum(widest.permutation)}};
}

void add_actions(std::vector<Operation>& table) {
  table.push_back(operation(
      "column_action", kActions, {"layout", "action", "in_dim", "in_size_log2"},
      "The bases of an input chosen and put in this order.",
      R"(column_action(identity_1d(4, "register", "dim0"), [1, 0], "register", 2))",
      " - register=1 -> (2)\n   register=2 -> (1)\nwhere out dims are: [dim0 (size 4)]",
      [](const LinearLayout& layout, const Sizes& order, const std::string& in_dim,
         const Int& in_size_log2) -> Result<LinearLayout> {
        HEDDLE_TRY(const int bits, small_constant(in_size_log2));
        HEDDLE_TRY(const ColumnAction action, ColumnAction::make(order_of(order), in_dim, bits));
        return action.apply(layout);
      }));
  table.push_back(operation(
      "action_remove_broadcasted_regs", kActions, {"layout"},
      "The action that drops the zero bases of register.",
      R"(action_remove_broadcasted_regs(LinearLayout({"register": [[0],[1]]}, ["dim0"])))",
      R"({"action":[1],"in_dim":"register","in_size_log2":2})", [](const LinearLayout& layout) {
        return to_value(linear::action_remove_broadcasted_regs(layout));
      }));
  table.push_back(operation(
      "reg_perm_for_divide", kActions, {"layout", "divisor", "left=true"},
      "The order of registers after which the layout can be divided, from the left or the right.",
      R"(reg_perm_for_divide(LinearLayout({"register": [[2],[1]]}, ["dim0"]), identity_1d(2, "register", "dim0")))",
      R"({"action":[1,0],"in_dim":"register","in_size_log2":2})",
      [](const LinearLayout& layout, const LinearLayout& divisor, const std::optional<bool>& left) {
        return to_value(linear::reg_perm_for_divide(layout, divisor, left.value_or(true)));
      }));
  table.push_back(operation(
      "largest_vectorisation", kActions, {"cvt", "bitwidth", "max_vec_elems"},
      "The most elements of one access, at most 128 bits, and the order of registers for it.",
      R"(largest_vectorisation(identity_1d(16, "register", "offset"), 16))",
      R"({"elements":8,"permutation":{"action":[0,1,2,3],"in_dim":"register","in_size_log2":4}})",
      [](const LinearLayout& cvt, const Int& bitwidth,
         const std::optional<Int>& most) -> Result<Datum> {
        HEDDLE_TRY(const int bits, small_constant(bitwidth));
        std::optional<std::int64_t> limit;
        if (most) {
          HEDDLE_TRY(limit, constant(*most));
        }
        HEDDLE_TRY(const auto widest, linear::largest_vectorisation(cvt, bits, limit));
        return vectorisation_datum(widest);
      }));
  table.push_back(
      operation("broadcast_as", kActions, {"values", "layout"},
                "The values of the registers that differ, spread over all registers.",
                R"(broadcast_as([5, 7], LinearLayout({"register": [[0],[1]]}, ["dim0"])))",
                "[5,5,7,7]", [](const Sizes& values, const LinearLayout& layout) -> Result<Datum> {
                  HEDDLE_TRY(const Sizes all, linear::broadcast_as(values, layout));
                  return list_of(all);
                }));
}

}  // namespace

void add_column_action_operations(std::vector<Operation>& table) { add_actions(table); }

}  // namespace heddle::notation
