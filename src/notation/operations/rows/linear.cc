// Linear layouts: their making and their algebra. Parameters have the names of Triton's, in
// snake_case.

#include <fmt/format.h>

#include <utility>

#include "heddle/linear/linear_layout.h"
#include "notation/operations/binding.h"
#include "notation/value/as_datum.h"
#include "notation/value/constants.h"

namespace heddle::notation {
namespace {

using linear::Bases;
using linear::LinearLayout;
using linear::NamedSizes;
using linear::Names;
using linear::Sizes;

constexpr const char* kMakingLinear = "making linear layouts";
constexpr const char* kAlgebra = "linear algebra";

// Making.

/// `crd=(4,4)` is crd0 and crd1 of size 4, `crd=8` crd0 of size 8: what seed articles and papers
/// write without names.
NamedSizes numbered(std::string_view name, const Sizes& sizes) {
  NamedSizes dims;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    dims.emplace_back(fmt::format("{}{}", name, i), sizes[i]);
  }
  return dims;
}

/// The images of all bits of `crd`, first dimension first, shared out among its dimensions.
Result<LinearLayout> layout_of_values(const Sizes& crd, const Sizes& idx, const Value& vals) {
  const std::optional<Datum> datum = as_datum(vals);
  const auto vectors = datum ? vectors_of(*datum) : std::nullopt;
  if (!vectors) {
    return refuse("call.type", "vals of a linear layout are a list of coordinates: [(1,1),(0,2)]");
  }
  Bases bases;
  std::size_t next = 0;
  for (const auto& [name, size] : numbered("crd", crd)) {
    linear::InBases& in = bases.emplace_back(linear::InBases{name, {}});
    std::int64_t reach = 1;
    for (; reach < size && next < vectors->size(); reach *= 2)
      in.vectors.push_back((*vectors)[next++]);
    if (reach != size) {
      return refuse("linear.size",
                    fmt::format("{} of size {} has {} bases in vals; a size 2^n has n", name, size,
                                in.vectors.size()));
    }
  }
  if (next != vectors->size()) {
    return refuse("linear.size",
                  fmt::format("vals has {} bases and crd {} bits", vectors->size(), next));
  }
  return LinearLayout::make(bases, numbered("idx", idx));
}

/// Outputs by name alone have the sizes that the bases need, and are all reached.
Result<LinearLayout> layout_of_bases(const Bases& bases, const Dims& out_dims,
                                     std::optional<bool> require_surjective) {
  const auto sizes = named_sizes_of(out_dims.names);
  if (!sizes) return LinearLayout::make(bases, *names_of(out_dims.names));
  const bool is_required = require_surjective.value_or(true);
  return LinearLayout::make(
      bases, *sizes,
      is_required ? linear::Surjectivity::kRequired : linear::Surjectivity::kNotRequired);
}

Result<LinearLayout> layout_from(const std::optional<Bases>& bases,
                                 const std::optional<Dims>& out_dims,
                                 std::optional<bool> require_surjective,
                                 const std::optional<Sizes>& crd, const std::optional<Sizes>& idx,
                                 const std::optional<Value>& vals) {
  if (bases && out_dims && !crd && !idx && !vals) {
    return layout_of_bases(*bases, *out_dims, require_surjective);
  }
  if (crd && vals && !bases && !out_dims) return layout_of_values(*crd, idx.value_or(*crd), *vals);
  return refuse(Diagnostic("call.arity",
                           "LinearLayout takes bases and out_dims, or crd, idx and "
                           "vals")
                    .with_hint(R"(LinearLayout({"lane": [[1],[2]]}, ["dim0"]) or )"
                               "LinearLayout(crd=(4,4), idx=(4,4), "
                               "vals=[(1,1),(2,2),(0,1),(0,2)])"));
}

void add_making_linear(std::vector<Operation>& table) {
  table.push_back(operation(
      "LinearLayout", kMakingLinear,
      {"bases", "out_dims", "require_surjective=true", "crd", "idx", "vals"},
      "From the images of the single bits: by name, or as crd, idx and vals, whose dimensions are "
      "called crd0, crd1, … and idx0, idx1, ….",
      "LinearLayout(crd=4, idx=4, vals=[1,3])",
      " - crd0=1 -> (1)\n   crd0=2 -> (3)\nwhere out dims are: [idx0 (size 4)]",
      [](const std::optional<Bases>& bases, const std::optional<Dims>& out_dims,
         const std::optional<bool>& require_surjective, const std::optional<Sizes>& crd,
         const std::optional<Sizes>& idx, const std::optional<Value>& vals) {
        return layout_from(bases, out_dims, require_surjective, crd, idx, vals);
      }));
  table.push_back(operation(
      "from_bases", kMakingLinear, {"bases", "out_dims", "require_surjective=true"},
      "The same, as triton.tools writes it. Outputs without sizes get those that the bases need.",
      R"(LinearLayout.from_bases([("lane", [[1],[3]])], ["dim0"]))",
      " - lane=1 -> (1)\n   lane=2 -> (3)\nwhere out dims are: [dim0 (size 4)]",
      [](const Bases& bases, const Dims& out_dims, const std::optional<bool>& require_surjective) {
        return layout_of_bases(bases, out_dims, require_surjective);
      }));
  table.push_back(
      operation("identity_1d", kMakingLinear, {"size", "in_dim", "out_dim"},
                "L(x) = x for x below the size.", R"(identity_1d(4, "lane", "dim0"))",
                " - lane=1 -> (1)\n   lane=2 -> (2)\nwhere out dims are: [dim0 (size 4)]",
                [](const Int& size, const std::string& in_dim,
                   const std::string& out_dim) -> Result<LinearLayout> {
                  HEDDLE_TRY(const std::int64_t number, constant(size));
                  return linear::identity_1d(number, in_dim, out_dim);
                }));
  table.push_back(
      operation("strided_1d", kMakingLinear, {"size", "stride", "in_dim", "out_dim"},
                "L(x) = stride * x for x below the size.", R"(strided_1d(4, 2, "lane", "dim0"))",
                " - lane=1 -> (2)\n   lane=2 -> (4)\nwhere out dims are: [dim0 (size 8)]",
                [](const Int& size, const Int& stride, const std::string& in_dim,
                   const std::string& out_dim) -> Result<LinearLayout> {
                  HEDDLE_TRY(const std::int64_t number, constant(size));
                  HEDDLE_TRY(const std::int64_t step, constant(stride));
                  return linear::strided_1d(number, step, in_dim, out_dim);
                }));
  table.push_back(
      operation("zeros_1d", kMakingLinear, {"size", "in_dim", "out_dim", "out_dim_size=1"},
                "L(x) = 0 for x below the size.", R"(zeros_1d(4, "lane", "dim0"))",
                " - lane=1 -> (0)\n   lane=2 -> (0)\nwhere out dims are: [dim0 (size 1)]",
                [](const Int& size, const std::string& in_dim, const std::string& out_dim,
                   const std::optional<Int>& out_dim_size) -> Result<LinearLayout> {
                  HEDDLE_TRY(const std::int64_t number, constant(size));
                  HEDDLE_TRY(const std::int64_t outs, constant(out_dim_size.value_or(Int(1))));
                  return linear::zeros_1d(number, in_dim, out_dim, outs);
                }));
  table.push_back(
      operation("identity_standard_nd", kMakingLinear, {"in_dim", "shape", "order"},
                "L(x) = x over dim0, dim1, … of these sizes, the dimension order[0] fastest.",
                R"(identity_standard_nd("register", [2, 2], [1, 0]))",
                " - register=1 -> (1, 0)\n   register=2 -> (0, 1)\n"
                "where out dims are: [dim1 (size 2), dim0 (size 2)]",
                [](const std::string& in_dim, const Sizes& shape, const Sizes& order) {
                  return linear::identity_standard_nd(in_dim, shape, order_of(order));
                }));
  table.push_back(operation("empty", kMakingLinear, {},
                            "The layout of no dimensions: 1 in products.", "empty()",
                            "(empty layout)", [] { return linear::empty(); }));
  table.push_back(operation("zeros_like", kMakingLinear, {"layout"},
                            "The same dimensions, every image 0.",
                            R"(zeros_like(identity_1d(2, "lane", "dim0")))",
                            " - lane=1 -> (0)\nwhere out dims are: [dim0 (size 2)]",
                            [](const LinearLayout& layout) { return linear::zeros_like(layout); }));
}

// The algebra.

using BinaryLinear = Result<LinearLayout> (*)(const LinearLayout&, const LinearLayout&);

struct BinaryLinearRow {
  const char* name;
  std::vector<std::string> parameters;
  const char* summary;
  const char* example;
  const char* result;
  BinaryLinear function;
};

void add_binary(std::vector<Operation>& table, const char* family, const BinaryLinearRow& row) {
  table.push_back(
      operation(row.name, family, row.parameters, row.summary, row.example, row.result,
                [function = row.function](const LinearLayout& a, const LinearLayout& b) {
                  return function(a, b);
                }));
}

void add_algebra(std::vector<Operation>& table) {
  add_binary(table, kAlgebra,
             {"multiply",
              {"inner", "outer"},
              "The direct sum: inner on the low bits, outer above. Also: inner * outer.",
              R"(multiply(identity_1d(2, "lane", "dim0"), zeros_1d(2, "lane", "dim0")))",
              " - lane=1 -> (1)\n   lane=2 -> (0)\nwhere out dims are: [dim0 (size 2)]",
              linear::multiply});
  add_binary(table, kAlgebra,
             {"compose",
              {"layout", "outer"},
              "outer after layout, as of relations. Also: outer o layout.",
              R"(compose(identity_1d(2, "lane", "x"), strided_1d(2, 2, "x", "dim0")))",
              " - lane=1 -> (2)\nwhere out dims are: [dim0 (size 4)]",
              linear::compose});
  add_binary(
      table, kAlgebra,
      {"invert_and_compose",
       {"layout", "outer"},
       "C with outer(C(x)) = layout(x): where in shared memory each register goes.",
       R"(invert_and_compose(strided_1d(2, 2, "lane", "dim0"), identity_1d(4, "offset", "dim0")))",
       " - lane=1 -> (2)\nwhere out dims are: [offset (size 4)]",
       linear::invert_and_compose});
  table.push_back(operation("invert", kAlgebra, {"layout"},
                            "The inverse of a bijection. Also: inverse(layout).",
                            R"(invert(identity_1d(2, "lane", "dim0")))",
                            " - dim0=1 -> (1)\nwhere out dims are: [lane (size 2)]",
                            [](const LinearLayout& layout) { return linear::invert(layout); }));
  table.push_back(
      operation("pseudoinvert", kAlgebra, {"layout"},
                "B with layout(B(x)) = x, of a layout that reaches everything.",
                R"(pseudoinvert(LinearLayout({"lane": [[0],[1]]}, ["dim0"])))",
                " - dim0=1 -> (2)\nwhere out dims are: [lane (size 4)]",
                [](const LinearLayout& layout) { return linear::pseudoinvert(layout); }));
  add_binary(table, kAlgebra,
             {"divide_left",
              {"layout", "divisor"},
              "C with layout = divisor * C, where there is one.",
              R"(divide_left(identity_1d(8, "lane", "dim0"), identity_1d(4, "lane", "dim0")))",
              " - lane=1 -> (1)\nwhere out dims are: [dim0 (size 2)]",
              linear::divide_left});
  add_binary(table, kAlgebra,
             {"divide_right",
              {"layout", "divisor"},
              "C with layout = C * divisor, where there is one.",
              R"(divide_right(identity_1d(8, "lane", "dim0"), identity_1d(4, "lane", "dim0")))",
              " - lane=1 -> (1)\nwhere out dims are: [dim0 (size 2)]",
              linear::divide_right});
  add_binary(table, kAlgebra,
             {"reps",
              {"layout", "tile"},
              "What a tile leaves of the layout: its bases, the lowest ones, set to 0.",
              R"(reps(identity_1d(4, "lane", "dim0"), identity_1d(2, "lane", "dim0")))",
              " - lane=1 -> (0)\n   lane=2 -> (2)\nwhere out dims are: [dim0 (size 4)]",
              linear::reps});
  table.push_back(operation(
      "quotient", kAlgebra, {"layout", "dim_names"},
      "What the layout does besides being the identity on these dimensions.",
      R"(quotient(identity_1d(2, "block", "block") * identity_1d(2, "lane", "dim0"), "block"))",
      " - lane=1 -> (1)\nwhere out dims are: [dim0 (size 2)]",
      [](const LinearLayout& layout, const Names& dims) {
        return linear::quotient(layout, dims);
      }));
  table.push_back(
      operation("sublayout", kAlgebra, {"layout", "in_dim_names", "out_dim_names"},
                "Only these inputs, the others 0, and only these outputs.",
                on_example(R"(sublayout({}, "lane", "dim0"))"),
                " - lane=1 -> (1)\n   lane=2 -> (2)\nwhere out dims are: [dim0 (size 4)]",
                [](const LinearLayout& layout, const Names& ins, const Names& outs) {
                  return linear::sublayout(layout, ins, outs);
                }));
  add_binary(table, kAlgebra,
             {"concat_ins",
              {"layout", "other"},
              "The inputs of both over the same outputs.",
              R"(concat_ins(zeros_1d(2, "register", "dim0", 2), identity_1d(2, "lane", "dim0")))",
              " - register=1 -> (0)\n - lane=1 -> (1)\nwhere out dims are: [dim0 (size 2)]",
              linear::concat_ins});
  add_binary(table, kAlgebra,
             {"concat_outs",
              {"layout", "other"},
              "The outputs of both from the same inputs.",
              R"(concat_outs(identity_1d(2, "lane", "dim0"), zeros_1d(2, "lane", "dim1")))",
              " - lane=1 -> (1, 0)\nwhere out dims are: [dim0 (size 2), dim1 (size 1)]",
              linear::concat_outs});
}

}  // namespace

void add_linear_operations(std::vector<Operation>& table) {
  add_making_linear(table);
  add_algebra(table);
}

}  // namespace heddle::notation
