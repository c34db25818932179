// What is asked of linear layouts.

#include <fmt/format.h>

#include <utility>

#include "heddle/linear/linear_layout.h"
#include "notation/operations/binding.h"
#include "notation/value/constants.h"

namespace heddle::notation {
namespace {

using linear::LinearLayout;
using linear::Names;

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

void add_names(std::vector<Operation>& table) {
  table.push_back(operation("in_dim_names", kLinearQuestions, {"layout"},
                            "The names of the inputs.", on_example("in_dim_names({})"),
                            R"(["register","lane"])",
                            [](const LinearLayout& layout) { return layout.in_dim_names(); }));
  table.push_back(operation("out_dim_names", kLinearQuestions, {"layout"},
                            "The names of the outputs.", on_example("out_dim_names({})"),
                            R"(["dim0","dim1"])",
                            [](const LinearLayout& layout) { return layout.out_dim_names(); }));
  table.push_back(operation("in_dim_sizes", kLinearQuestions, {"layout"},
                            "The inputs with their sizes.", on_example("in_dim_sizes({})"),
                            R"([["register",2],["lane",4]])",
                            [](const LinearLayout& layout) { return layout.in_dim_sizes(); }));
  table.push_back(operation("out_dim_sizes", kLinearQuestions, {"layout"},
                            "The outputs with their sizes.", on_example("out_dim_sizes({})"),
                            R"([["dim0",4],["dim1",2]])",
                            [](const LinearLayout& layout) { return layout.out_dim_sizes(); }));
  const auto add_size = [&](const char* name, const char* parameter, const char* summary,
                            const char* example, const char* result,
                            Result<std::int64_t> (LinearLayout::*size)(std::string_view) const) {
    table.push_back(operation(
        name, kLinearQuestions, {"layout", parameter}, summary, on_example(example), result,
        [size](const LinearLayout& layout, const std::string& dim) -> Result<Int> {
          HEDDLE_TRY(const std::int64_t number, (layout.*size)(dim));
          return Int(number);
        }));
  };
  add_size("in_dim_size", "in_dim", "The size of an input.", R"(in_dim_size({}, "lane"))", "4",
           &LinearLayout::in_dim_size);
  add_size("out_dim_size", "out_dim", "The size of an output.", R"(out_dim_size({}, "dim1"))", "2",
           &LinearLayout::out_dim_size);
  const auto add_log2 = [&](const char* name, const char* parameter, const char* summary,
                            const char* example, const char* result,
                            Result<int> (LinearLayout::*bits)(std::string_view) const) {
    table.push_back(operation(
        name, kLinearQuestions, {"layout", parameter}, summary, on_example(example), result,
        [bits](const LinearLayout& layout, const std::string& dim) -> Result<Int> {
          HEDDLE_TRY(const int number, (layout.*bits)(dim));
          return Int(number);
        }));
  };
  add_log2("in_dim_size_log2", "in_dim", "How many bits an input has.",
           R"(in_dim_size_log2({}, "lane"))", "2", &LinearLayout::in_dim_size_log2);
  add_log2("out_dim_size_log2", "out_dim", "How many bits an output has.",
           R"(out_dim_size_log2({}, "dim1"))", "1", &LinearLayout::out_dim_size_log2);
  table.push_back(
      operation("total_in_dim_size_log2", kLinearQuestions, {"layout"},
                "How many bits all inputs have.", on_example("total_in_dim_size_log2({})"), "3",
                [](const LinearLayout& layout) { return Int(layout.total_in_dim_size_log2()); }));
  table.push_back(
      operation("total_out_dim_size_log2", kLinearQuestions, {"layout"},
                "How many bits all outputs have.", on_example("total_out_dim_size_log2({})"), "3",
                [](const LinearLayout& layout) { return Int(layout.total_out_dim_size_log2()); }));
  table.push_back(operation("bases", kLinearQuestions, {"layout"},
                            "The images of the single bits, by input.", on_example("bases({})"),
                            R"([["register",[[0,1]]],["lane",[[1,0],[2,0]]]])",
                            [](const LinearLayout& layout) { return bases_datum(layout); }));
  table.push_back(operation("matrix", kLinearQuestions, {"layout"},
                            "The matrix over GF(2): a row for each output bit, a column for each "
                            "input bit, first dimension first, low bit first.",
                            on_example("matrix({})"), "[[0,1,0],[0,0,1],[1,0,0]]",
                            [](const LinearLayout& layout) { return matrix_datum(layout); }));
}

void add_properties(std::vector<Operation>& table) {
  const auto add_property = [&](const char* name, const char* summary, const char* result,
                                bool (LinearLayout::*holds)() const) {
    table.push_back(operation(name, kLinearQuestions, {"layout"}, summary,
                              on_example(fmt::format("{}({{}})", name)), result,
                              [holds](const LinearLayout& layout) { return (layout.*holds)(); }));
  };
  add_property("is_surjective", "Whether every output is reached.", "true",
               &LinearLayout::is_surjective);
  add_property("is_injective", "Whether no two inputs share an output.", "true",
               &LinearLayout::is_injective);
  add_property("is_invertible", "Both.", "true", &LinearLayout::is_invertible);
  table.push_back(operation("equals", kLinearQuestions, {"layout", "other"},
                            "The same dimensions in the same order and the same map: Triton's ==.",
                            R"(equals(identity_1d(2, "lane", "x"), identity_1d(2, "lane", "y")))",
                            "false",
                            [](const LinearLayout& a, const LinearLayout& b) { return a == b; }));
  table.push_back(operation(
      "equal_ignoring_out_dim_sizes", kLinearQuestions, {"layout", "other"},
      "The same whatever the sizes of the outputs.",
      R"(equal_ignoring_out_dim_sizes(zeros_1d(2, "lane", "x"), zeros_1d(2, "lane", "x", 4)))",
      "true", [](const LinearLayout& a, const LinearLayout& b) {
        return linear::equal_ignoring_out_dim_sizes(a, b);
      }));
  table.push_back(
      operation("free_variable_masks", kLinearQuestions, {"layout"},
                "For each input the bits that lead nowhere new.",
                R"(free_variable_masks(zeros_1d(4, "lane", "dim0")))", R"([["lane",3]])",
                [](const LinearLayout& layout) { return linear::free_variable_masks(layout); }));
  table.push_back(operation(
      "num_consecutive_in_out", kLinearQuestions, {"layout"},
      "How many consecutive coordinates of the first input map to consecutive ones of the first "
      "output.",
      R"(num_consecutive_in_out(identity_1d(4, "register", "dim0")))", "4",
      [](const LinearLayout& layout) { return Int(linear::num_consecutive_in_out(layout)); }));
  table.push_back(operation("sublayout_is_zero", kLinearQuestions,
                            {"layout", "in_dim_names", "out_dim_names"},
                            "Whether these inputs never move these outputs.",
                            on_example(R"(sublayout_is_zero({}, "lane", "dim1"))"), "true",
                            [](const LinearLayout& layout, const Names& ins, const Names& outs) {
                              return linear::sublayout_is_zero(layout, ins, outs);
                            }));
  table.push_back(
      operation("is_trivial_over", kLinearQuestions, {"layout", "dim_names"},
                "Whether it is the identity on these dimensions, with nothing else leading there.",
                R"(is_trivial_over(identity_1d(2, "block", "block"), "block"))", "true",
                [](const LinearLayout& layout, const Names& dims) {
                  return linear::is_trivial_over(layout, dims);
                }));
  table.push_back(
      operation("square_sublayout_is_identity", kLinearQuestions, {"layout", "dim_names"},
                "Whether the sublayout from these dimensions to these is the identity.",
                R"(square_sublayout_is_identity(identity_1d(2, "block", "block"), "block"))",
                "true", [](const LinearLayout& layout, const Names& dims) {
                  return linear::square_sublayout_is_identity(layout, dims);
                }));
  table.push_back(
      operation("is_identity_on_out_dim", kLinearQuestions, {"layout", "out_dim"},
                "Whether this output is the input of its name, with nothing else leading there.",
                R"(is_identity_on_out_dim(identity_1d(2, "block", "block"), "block"))", "true",
                [](const LinearLayout& layout, const std::string& dim) {
                  return linear::is_identity_on_out_dim(layout, dim);
                }));
}

}  // namespace

void add_linear_question_operations(std::vector<Operation>& table) {
  add_names(table);
  add_properties(table);
}

}  // namespace heddle::notation
