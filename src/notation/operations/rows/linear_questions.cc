// Questions about linear layouts, and the column actions that order the bases of an input.

#include <fmt/format.h>

#include <utility>

#include "heddle/linear/column_action.h"
#include "heddle/linear/linear_layout.h"
#include "notation/operations/binding.h"
#include "notation/value/constants.h"

namespace heddle::notation {
namespace {

using linear::ColumnAction;
using linear::LinearLayout;
using linear::Names;
using linear::Sizes;

// ---- What is asked of linear layouts ----

constexpr const char* kLinearQuestions = "linear questions";

Datum bases_datum(const LinearLayout& layout) { return *to_datum(layout).field("ins"); }

/// The rows of the matrix, output bit 0 first.
Datum matrix_datum(const LinearLayout& layout) {
  Datum::List rows;
  for (std::size_t row = 0; row < layout.matrix().rows(); ++row) {
    Datum::List entries;
    for (const std::uint64_t column : layout.matrix().columns()) {
      entries.emplace_back(static_cast<std::int64_t>(column >> row & 1U));
    }
    rows.emplace_back(std::move(entries));
  }
  return rows;
}

void add_names(const Rows& add) {
  add({.call = "in_dim_names(layout)",
       .summary = "The names of the inputs.",
       .example = {on_example("in_dim_names({})"), R"(["register","lane"])"}},
      &LinearLayout::in_dim_names);
  add({.call = "out_dim_names(layout)",
       .summary = "The names of the outputs.",
       .example = {on_example("out_dim_names({})"), R"(["dim0","dim1"])"}},
      &LinearLayout::out_dim_names);
  add({.call = "in_dim_sizes(layout)",
       .summary = "The inputs with their sizes.",
       .example = {on_example("in_dim_sizes({})"), R"([["register",2],["lane",4]])"}},
      &LinearLayout::in_dim_sizes);
  add({.call = "out_dim_sizes(layout)",
       .summary = "The outputs with their sizes.",
       .example = {on_example("out_dim_sizes({})"), R"([["dim0",4],["dim1",2]])"}},
      &LinearLayout::out_dim_sizes);
  add({.call = "in_dim_size(layout, in_dim)",
       .summary = "The size of an input.",
       .example = {on_example(R"(in_dim_size({}, "lane"))"), "4"}},
      &LinearLayout::in_dim_size);
  add({.call = "out_dim_size(layout, out_dim)",
       .summary = "The size of an output.",
       .example = {on_example(R"(out_dim_size({}, "dim1"))"), "2"}},
      &LinearLayout::out_dim_size);
  add({.call = "in_dim_size_log2(layout, in_dim)",
       .summary = "How many bits an input has.",
       .example = {on_example(R"(in_dim_size_log2({}, "lane"))"), "2"}},
      &LinearLayout::in_dim_size_log2);
  add({.call = "out_dim_size_log2(layout, out_dim)",
       .summary = "How many bits an output has.",
       .example = {on_example(R"(out_dim_size_log2({}, "dim1"))"), "1"}},
      &LinearLayout::out_dim_size_log2);
  add({.call = "total_in_dim_size_log2(layout)",
       .summary = "How many bits all inputs have.",
       .example = {on_example("total_in_dim_size_log2({})"), "3"}},
      &LinearLayout::total_in_dim_size_log2);
  add({.call = "total_out_dim_size_log2(layout)",
       .summary = "How many bits all outputs have.",
       .example = {on_example("total_out_dim_size_log2({})"), "3"}},
      &LinearLayout::total_out_dim_size_log2);
  add({.call = "bases(layout)",
       .summary = "The images of the single bits, by input.",
       .example = {on_example("bases({})"), R"([["register",[[0,1]]],["lane",[[1,0],[2,0]]]])"}},
      bases_datum);
  add({.call = "matrix(layout)",
       .summary = "The matrix over GF(2): a row for each output bit, a column for each input bit, "
                  "first dimension first, low bit first.",
       .example = {on_example("matrix({})"), "[[0,1,0],[0,0,1],[1,0,0]]"}},
      matrix_datum);
}

void add_properties(const Rows& add) {
  add({.call = "is_surjective(layout)",
       .summary = "Whether every output is reached.",
       .example = {on_example("is_surjective({})"), "true"}},
      &LinearLayout::is_surjective);
  add({.call = "is_injective(layout)",
       .summary = "Whether no two inputs share an output.",
       .example = {on_example("is_injective({})"), "true"}},
      &LinearLayout::is_injective);
  add({.call = "is_invertible(layout)",
       .summary = "Both.",
       .example = {on_example("is_invertible({})"), "true"}},
      &LinearLayout::is_invertible);
  add({.call = "equals(layout, other)",
       .summary = "The same dimensions in the same order and the same map: Triton's ==.",
       .example = {R"(equals(identity_1d(2, "lane", "x"), identity_1d(2, "lane", "y")))", "false"}},
      [](const LinearLayout& a, const LinearLayout& b) { return a == b; });
  add({.call = "equal_ignoring_out_dim_sizes(layout, other)",
       .summary = "The same whatever the sizes of the outputs.",
       .example =
           {R"(equal_ignoring_out_dim_sizes(zeros_1d(2, "lane", "x"), zeros_1d(2, "lane", "x", 4)))",
            "true"}},
      linear::equal_ignoring_out_dim_sizes);
  add({.call = "free_variable_masks(layout)",
       .summary = "For each input the bits that lead nowhere new.",
       .example = {R"(free_variable_masks(zeros_1d(4, "lane", "dim0")))", R"([["lane",3]])"}},
      linear::free_variable_masks);
  add({.call = "num_consecutive_in_out(layout)",
       .summary = "How many consecutive coordinates of the first input map to consecutive ones of "
                  "the first output.",
       .example = {R"(num_consecutive_in_out(identity_1d(4, "register", "dim0")))", "4"}},
      [](const LinearLayout& layout) { return Int(linear::num_consecutive_in_out(layout)); });
  add({.call = "sublayout_is_zero(layout, in_dim_names, out_dim_names)",
       .summary = "Whether these inputs never move these outputs.",
       .example = {on_example(R"(sublayout_is_zero({}, "lane", "dim1"))"), "true"}},
      linear::sublayout_is_zero);
  add({.call = "is_trivial_over(layout, dim_names)",
       .summary =
           "Whether it is the identity on these dimensions, with nothing else leading there.",
       .example = {R"(is_trivial_over(identity_1d(2, "block", "block"), "block"))", "true"}},
      linear::is_trivial_over);
  add({.call = "square_sublayout_is_identity(layout, dim_names)",
       .summary = "Whether the sublayout from these dimensions to these is the identity.",
       .example = {R"(square_sublayout_is_identity(identity_1d(2, "block", "block"), "block"))",
                   "true"}},
      linear::square_sublayout_is_identity);
  add({.call = "is_identity_on_out_dim(layout, out_dim)",
       .summary = "Whether this output is the input of its name, with nothing else leading there.",
       .example = {R"(is_identity_on_out_dim(identity_1d(2, "block", "block"), "block"))", "true"}},
      linear::is_identity_on_out_dim);
}

// ---- Column actions, data as {"action":[2,0,1],"in_dim":"register","in_size_log2":3} ----

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

void add_actions(const Rows& add) {
  add({.call = "column_action(layout, action, in_dim, in_size_log2)",
       .summary = "The bases of an input chosen and put in this order.",
       .example =
           {R"(column_action(identity_1d(4, "register", "dim0"), [1, 0], "register", 2))",
            " - register=1 -> (2)\n   register=2 -> (1)\nwhere out dims are: [dim0 (size 4)]"}},
      [](const LinearLayout& layout, const linear::Order& order, const std::string& in_dim,
         int in_size_log2) -> Result<LinearLayout> {
        HEDDLE_TRY(const ColumnAction action, ColumnAction::make(order, in_dim, in_size_log2));
        return action.apply(layout);
      });
  add({.call = "action_remove_broadcasted_regs(layout)",
       .summary = "The action that drops the zero bases of register.",
       .example =
           {R"(action_remove_broadcasted_regs(LinearLayout({"register": [[0],[1]]}, ["dim0"])))",
            R"({"action":[1],"in_dim":"register","in_size_log2":2})"}},
      [](const LinearLayout& layout) {
        return to_value(linear::action_remove_broadcasted_regs(layout));
      });
  add({.call = "reg_perm_for_divide(layout, divisor, left=true)",
       .summary = "The order of registers after which the layout can be divided, from the left or "
                  "the right.",
       .example =
           {R"(reg_perm_for_divide(LinearLayout({"register": [[2],[1]]}, ["dim0"]), identity_1d(2, "register", "dim0")))",
            R"({"action":[1,0],"in_dim":"register","in_size_log2":2})"}},
      [](const LinearLayout& layout, const LinearLayout& divisor, bool left) {
        return to_value(linear::reg_perm_for_divide(layout, divisor, left));
      });
  add({.call = "largest_vectorisation(cvt, bitwidth, max_vec_elems)",
       .summary =
           "The most elements of one access, at most 128 bits, and the order of registers for it.",
       .example =
           {R"(largest_vectorisation(identity_1d(16, "register", "offset"), 16))",
            R"({"elements":8,"permutation":{"action":[0,1,2,3],"in_dim":"register","in_size_log2":4}})"}},
      [](const LinearLayout& cvt, int bitwidth,
         const std::optional<std::int64_t>& most) -> Result<Datum> {
        HEDDLE_TRY(const auto widest, linear::largest_vectorisation(cvt, bitwidth, most));
        return vectorisation_datum(widest);
      });
  add({.call = "broadcast_as(values, layout)",
       .summary = "The values of the registers that differ, spread over all registers.",
       .example = {R"(broadcast_as([5, 7], LinearLayout({"register": [[0],[1]]}, ["dim0"])))",
                   "[5,5,7,7]"}},
      [](const Sizes& values, const LinearLayout& layout) {
        return linear::broadcast_as(values, layout);
      });
}

}  // namespace

void add_linear_question_operations(std::vector<Operation>& table) {
  add_names({table, kLinearQuestions});
  add_properties({table, kLinearQuestions});
  add_actions({table, "column actions"});
}

}  // namespace heddle::notation
