// The same linear layouts over other dimensions.

#include "heddle/linear/linear_layout.h"
#include "notation/operations/binding.h"
#include "notation/value/constants.h"

namespace heddle::notation {
namespace {

using linear::LinearLayout;
using linear::NamedSizes;
using linear::Names;

constexpr const char* kDimensions = "named dimensions";

void add_ordering(std::vector<Operation>& table) {
  table.push_back(operation(
      "transpose_ins", kDimensions, {"layout", "new_in_dims"}, "The inputs in another order.",
      on_example(R"(in_dim_names(transpose_ins({}, ["lane", "register"])))"),
      R"(["lane","register"])", [](const LinearLayout& layout, const Names& order) {
        return linear::transpose_ins(layout, order);
      }));
  table.push_back(operation(
      "transpose_outs", kDimensions, {"layout", "new_out_dims"}, "The outputs in another order.",
      on_example(R"(out_dim_sizes(transpose_outs({}, ["dim1", "dim0"])))"),
      R"([["dim1",2],["dim0",4]])", [](const LinearLayout& layout, const Names& order) {
        return linear::transpose_outs(layout, order);
      }));
  table.push_back(operation("reshape_ins", kDimensions, {"layout", "new_in_dims"},
                            "Other inputs of the same total size, by the flat order.",
                            R"(reshape_ins(identity_1d(4, "lane", "dim0"), {"a": 2, "b": 2}))",
                            " - a=1 -> (1)\n - b=1 -> (2)\nwhere out dims are: [dim0 (size 4)]",
                            [](const LinearLayout& layout, const NamedSizes& dims) {
                              return linear::reshape_ins(layout, dims);
                            }));
  table.push_back(
      operation("reshape_outs", kDimensions, {"layout", "new_out_dims"},
                "Other outputs of the same total size, by the flat order.",
                R"(reshape_outs(identity_1d(4, "lane", "dim0"), [["dim0", 2], ["dim1", 2]]))",
                " - lane=1 -> (1, 0)\n   lane=2 -> (0, 1)\n"
                "where out dims are: [dim0 (size 2), dim1 (size 2)]",
                [](const LinearLayout& layout, const NamedSizes& dims) {
                  return linear::reshape_outs(layout, dims);
                }));
  table.push_back(
      operation("flatten_ins", kDimensions, {"layout"}, "One input, under the name of the first.",
                on_example("in_dim_sizes(flatten_ins({}))"), R"([["register",8]])",
                [](const LinearLayout& layout) { return linear::flatten_ins(layout); }));
  table.push_back(
      operation("flatten_outs", kDimensions, {"layout"}, "One output, under the name of the first.",
                on_example("flatten_outs({})"),
                " - register=1 -> (4)\n - lane=1 -> (1)\n   lane=2 -> (2)\n"
                "where out dims are: [dim0 (size 8)]",
                [](const LinearLayout& layout) { return linear::flatten_outs(layout); }));
}

void add_resizing(std::vector<Operation>& table) {
  table.push_back(operation("squeeze_in", kDimensions, {"layout", "dim"},
                            "Without an input of size 1.",
                            R"(squeeze_in(identity_1d(1, "lane", "dim0"), "lane"))",
                            "where out dims are: [dim0 (size 1)]",
                            [](const LinearLayout& layout, const std::string& dim) {
                              return linear::squeeze_in(layout, dim);
                            }));
  table.push_back(operation("squeeze_out", kDimensions, {"layout", "dim"},
                            "Without an output of size 1.",
                            R"(squeeze_out(zeros_1d(2, "lane", "dim0"), "dim0"))",
                            " - lane=1 -> ()\nwhere out dims are: []",
                            [](const LinearLayout& layout, const std::string& dim) {
                              return linear::squeeze_out(layout, dim);
                            }));
  table.push_back(operation(
      "squeeze_ins", kDimensions, {"layout"}, "Without inputs of size 1.",
      R"(squeeze_ins(identity_1d(1, "block", "dim0")))", "where out dims are: [dim0 (size 1)]",
      [](const LinearLayout& layout) { return linear::squeeze_ins(layout); }));
  table.push_back(operation(
      "squeeze_outs", kDimensions, {"layout"}, "Without outputs of size 1.",
      R"(squeeze_outs(zeros_1d(2, "lane", "dim0")))", " - lane=1 -> ()\nwhere out dims are: []",
      [](const LinearLayout& layout) { return linear::squeeze_outs(layout); }));
  table.push_back(
      operation("resize_in_dim", kDimensions, {"layout", "in_dim", "new_size"},
                "An input at another size: bases dropped from the top, or zero bases added.",
                R"(resize_in_dim(identity_1d(4, "lane", "dim0"), "lane", 2))",
                " - lane=1 -> (1)\nwhere out dims are: [dim0 (size 4)]",
                [](const LinearLayout& layout, const std::string& dim,
                   const Int& size) -> Result<LinearLayout> {
                  HEDDLE_TRY(const std::int64_t number, constant(size));
                  return linear::resize_in_dim(layout, dim, number);
                }));
  table.push_back(
      operation("resize_out_dim", kDimensions, {"layout", "out_dim", "new_size"},
                "An output at another size: its coordinates modulo the size, or room above them.",
                R"(resize_out_dim(identity_1d(4, "lane", "dim0"), "dim0", 2))",
                " - lane=1 -> (1)\n   lane=2 -> (0)\nwhere out dims are: [dim0 (size 2)]",
                [](const LinearLayout& layout, const std::string& dim,
                   const Int& size) -> Result<LinearLayout> {
                  HEDDLE_TRY(const std::int64_t number, constant(size));
                  return linear::resize_out_dim(layout, dim, number);
                }));
  table.push_back(
      operation("rename_in_dim", kDimensions, {"layout", "old_dim", "new_dim"}, "An input renamed.",
                R"(rename_in_dim(identity_1d(2, "lane", "dim0"), "lane", "thread"))",
                " - thread=1 -> (1)\nwhere out dims are: [dim0 (size 2)]",
                [](const LinearLayout& layout, const std::string& dim, const std::string& name) {
                  return linear::rename_in_dim(layout, dim, name);
                }));
  table.push_back(operation(
      "rename_out_dim", kDimensions, {"layout", "old_dim", "new_dim"}, "An output renamed.",
      R"(rename_out_dim(identity_1d(2, "lane", "dim0"), "dim0", "row"))",
      " - lane=1 -> (1)\nwhere out dims are: [row (size 2)]",
      [](const LinearLayout& layout, const std::string& dim, const std::string& name) {
        return linear::rename_out_dim(layout, dim, name);
      }));
}

void add_fitting(std::vector<Operation>& table) {
  table.push_back(operation(
      "remove_zero_bases_along_dim", kDimensions, {"layout", "strip_dim"},
      "Without the zero bases of an input: each of its values once.",
      R"(remove_zero_bases_along_dim(LinearLayout({"register": [[0],[1]]}, ["dim0"]), "register"))",
      " - register=1 -> (1)\nwhere out dims are: [dim0 (size 2)]",
      [](const LinearLayout& layout, const std::string& dim) {
        return linear::remove_zero_bases_along_dim(layout, dim);
      }));
  table.push_back(operation("supremum", kDimensions, {"x", "y"},
                            "The least common extension of two orders of names.",
                            R"(supremum(["a", "b"], ["a", "c"]))", R"(["a","b","c"])",
                            [](const Names& x, const Names& y) { return linear::supremum(x, y); }));
  table.push_back(operation(
      "ensure_layout_not_larger_than", kDimensions, {"layout", "shape", "broadcast_registers=true"},
      "What leads beyond the shape repeats what is inside, largest bases first.",
      R"(ensure_layout_not_larger_than(identity_1d(4, "lane", "dim0"), {"dim0": 2}))",
      " - lane=1 -> (1)\n   lane=2 -> (0)\nwhere out dims are: [dim0 (size 2)]",
      [](const LinearLayout& layout, const NamedSizes& shape,
         const std::optional<bool>& broadcast_registers) {
        return linear::ensure_layout_not_larger_than(layout, shape,
                                                     broadcast_registers.value_or(true));
      }));
  table.push_back(
      operation("ensure_layout_not_smaller_than", kDimensions, {"layout", "shape"},
                "The first input made larger until the outputs are no smaller than the shape.",
                R"(ensure_layout_not_smaller_than(identity_1d(2, "lane", "dim0"), {"dim0": 4}))",
                " - lane=1 -> (1)\n   lane=2 -> (2)\nwhere out dims are: [dim0 (size 4)]",
                [](const LinearLayout& layout, const NamedSizes& shape) {
                  return linear::ensure_layout_not_smaller_than(layout, shape);
                }));
}

}  // namespace

void add_linear_dims_operations(std::vector<Operation>& table) {
  add_ordering(table);
  add_resizing(table);
  add_fitting(table);
}

}  // namespace heddle::notation
