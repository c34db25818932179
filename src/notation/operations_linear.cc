// Linear layouts: their making, their algebra, what is asked of them. Parameters have the names of
// Triton's, in snake_case.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "heddle/linear/column_action.h"
#include "heddle/linear/linear_layout.h"
#include "notation/binding.h"
#include "notation/data.h"

namespace heddle::notation {
namespace {

using linear::Bases;
using linear::ColumnAction;
using linear::LinearLayout;
using linear::NamedSizes;
using linear::Names;
using linear::Sizes;

constexpr const char* kMaking = "making linear layouts";
constexpr const char* kAlgebra = "linear algebra";
constexpr const char* kDimensions = "named dimensions";
constexpr const char* kQuestions = "linear questions";
constexpr const char* kActions = "column actions";

/// The examples act on one small layout.
std::string on_example(std::string_view call) {
  constexpr std::string_view kExample =
      R"({"ins":[["register",[[0,1]]],["lane",[[1,0],[2,0]]]],"outs":[["dim0",4],["dim1",2]]})";
  return fmt::format(fmt::runtime(call), kExample);
}

Result<std::int64_t> constant(const Int& number) {
  if (number.is_constant()) return number.value();
  return refuse("call.type", fmt::format("{} is symbolic; linear layouts have constant sizes",
                                         to_string(number)));
}

linear::Order order_of(const Sizes& sizes) {
  linear::Order order;
  for (const std::int64_t dim : sizes) {
    order.push_back(static_cast<int>(std::clamp<std::int64_t>(dim, -1, 1000)));
  }
  return order;
}

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

std::optional<std::vector<Sizes>> vectors_of(const Value& value) {
  const std::optional<Datum> datum = as_datum(value);
  const auto bases = datum ? bases_of(Datum::Fields{{"vals", *datum}}) : std::nullopt;
  return bases ? std::optional(bases->front().vectors) : std::nullopt;
}

/// The images of all bits of `crd`, first dimension first, shared out among its dimensions.
Result<LinearLayout> layout_of_values(const Sizes& crd, const Sizes& idx, const Value& vals) {
  const auto vectors = vectors_of(vals);
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
                                     const std::optional<Value>& require_surjective) {
  const bool* must_reach = require_surjective ? require_surjective->get_if<bool>() : nullptr;
  if (require_surjective && must_reach == nullptr) {
    return refuse("call.type", "require_surjective is true or false");
  }
  const auto sizes = named_sizes_of(out_dims.names);
  if (!sizes) return LinearLayout::make(bases, *names_of(out_dims.names));
  const bool is_required = must_reach == nullptr || *must_reach;
  return LinearLayout::make(
      bases, *sizes,
      is_required ? linear::Surjectivity::kRequired : linear::Surjectivity::kNotRequired);
}

Result<LinearLayout> layout_from(const std::optional<Bases>& bases,
                                 const std::optional<Dims>& out_dims,
                                 const std::optional<Value>& require_surjective,
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

void add_making(std::vector<Operation>& table) {
  table.push_back(operation(
      "LinearLayout", kMaking,
      {"bases", "out_dims", "require_surjective=true", "crd", "idx", "vals"},
      "From the images of the single bits: by name, or as crd, idx and vals, whose dimensions are "
      "called crd0, crd1, … and idx0, idx1, ….",
      "LinearLayout(crd=4, idx=4, vals=[1,3])",
      " - crd0=1 -> (1)\n   crd0=2 -> (3)\nwhere out dims are: [idx0 (size 4)]",
      [](const std::optional<Bases>& bases, const std::optional<Dims>& out_dims,
         const std::optional<Value>& require_surjective, const std::optional<Sizes>& crd,
         const std::optional<Sizes>& idx, const std::optional<Value>& vals) {
        return layout_from(bases, out_dims, require_surjective, crd, idx, vals);
      }));
  table.push_back(operation(
      "from_bases", kMaking, {"bases", "out_dims", "require_surjective=true"},
      "The same, as triton.tools writes it. Outputs without sizes get those that the bases need.",
      R"(LinearLayout.from_bases([("lane", [[1],[3]])], ["dim0"]))",
      " - lane=1 -> (1)\n   lane=2 -> (3)\nwhere out dims are: [dim0 (size 4)]",
      [](const Bases& bases, const Dims& out_dims, const std::optional<Value>& require_surjective) {
        return layout_of_bases(bases, out_dims, require_surjective);
      }));
  table.push_back(
      operation("identity_1d", kMaking, {"size", "in_dim", "out_dim"},
                "L(x) = x for x below the size.", R"(identity_1d(4, "lane", "dim0"))",
                " - lane=1 -> (1)\n   lane=2 -> (2)\nwhere out dims are: [dim0 (size 4)]",
                [](const Int& size, const std::string& in_dim,
                   const std::string& out_dim) -> Result<LinearLayout> {
                  HEDDLE_TRY(const std::int64_t number, constant(size));
                  return linear::identity_1d(number, in_dim, out_dim);
                }));
  table.push_back(
      operation("strided_1d", kMaking, {"size", "stride", "in_dim", "out_dim"},
                "L(x) = stride * x for x below the size.", R"(strided_1d(4, 2, "lane", "dim0"))",
                " - lane=1 -> (2)\n   lane=2 -> (4)\nwhere out dims are: [dim0 (size 8)]",
                [](const Int& size, const Int& stride, const std::string& in_dim,
                   const std::string& out_dim) -> Result<LinearLayout> {
                  HEDDLE_TRY(const std::int64_t number, constant(size));
                  HEDDLE_TRY(const std::int64_t step, constant(stride));
                  return linear::strided_1d(number, step, in_dim, out_dim);
                }));
  table.push_back(
      operation("zeros_1d", kMaking, {"size", "in_dim", "out_dim", "out_dim_size=1"},
                "L(x) = 0 for x below the size.", R"(zeros_1d(4, "lane", "dim0"))",
                " - lane=1 -> (0)\n   lane=2 -> (0)\nwhere out dims are: [dim0 (size 1)]",
                [](const Int& size, const std::string& in_dim, const std::string& out_dim,
                   const std::optional<Int>& out_dim_size) -> Result<LinearLayout> {
                  HEDDLE_TRY(const std::int64_t number, constant(size));
                  HEDDLE_TRY(const std::int64_t outs, constant(out_dim_size.value_or(Int(1))));
                  return linear::zeros_1d(number, in_dim, out_dim, outs);
                }));
  table.push_back(
      operation("identity_standard_nd", kMaking, {"in_dim", "shape", "order"},
                "L(x) = x over dim0, dim1, … of these sizes, the dimension order[0] fastest.",
                R"(identity_standard_nd("register", [2, 2], [1, 0]))",
                " - register=1 -> (1, 0)\n   register=2 -> (0, 1)\n"
                "where out dims are: [dim1 (size 2), dim0 (size 2)]",
                [](const std::string& in_dim, const Sizes& shape, const Sizes& order) {
                  return linear::identity_standard_nd(in_dim, shape, order_of(order));
                }));
  table.push_back(operation("empty", kMaking, {}, "The layout of no dimensions: 1 in products.",
                            "empty()", "(empty layout)", [] { return linear::empty(); }));
  table.push_back(operation("zeros_like", kMaking, {"layout"},
                            "The same dimensions, every image 0.",
                            R"(zeros_like(identity_1d(2, "lane", "dim0")))",
                            " - lane=1 -> (0)\nwhere out dims are: [dim0 (size 2)]",
                            [](const LinearLayout& layout) { return linear::zeros_like(layout); }));
}

// The algebra.

using Binary = Result<LinearLayout> (*)(const LinearLayout&, const LinearLayout&);
using Unary = Result<LinearLayout> (*)(const LinearLayout&);

struct BinaryRow {
  const char* name;
  std::vector<std::string> parameters;
  const char* summary;
  const char* example;
  const char* result;
  Binary function;
};

void add_binary(std::vector<Operation>& table, const char* family, const BinaryRow& row) {
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
              "outer after layout. Also: outer o layout.",
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

// Dimensions.

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
         const std::optional<Value>& broadcast) -> Result<LinearLayout> {
        const bool* repeats = broadcast ? broadcast->get_if<bool>() : nullptr;
        if (broadcast && repeats == nullptr) {
          return refuse("call.type", "broadcast_registers is true or false");
        }
        return linear::ensure_layout_not_larger_than(layout, shape, repeats == nullptr || *repeats);
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

// Questions.

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
  table.push_back(operation("in_dim_names", kQuestions, {"layout"}, "The names of the inputs.",
                            on_example("in_dim_names({})"), R"(["register","lane"])",
                            [](const LinearLayout& layout) { return layout.in_dim_names(); }));
  table.push_back(operation("out_dim_names", kQuestions, {"layout"}, "The names of the outputs.",
                            on_example("out_dim_names({})"), R"(["dim0","dim1"])",
                            [](const LinearLayout& layout) { return layout.out_dim_names(); }));
  table.push_back(operation("in_dim_sizes", kQuestions, {"layout"}, "The inputs with their sizes.",
                            on_example("in_dim_sizes({})"), R"([["register",2],["lane",4]])",
                            [](const LinearLayout& layout) { return layout.in_dim_sizes(); }));
  table.push_back(operation("out_dim_sizes", kQuestions, {"layout"},
                            "The outputs with their sizes.", on_example("out_dim_sizes({})"),
                            R"([["dim0",4],["dim1",2]])",
                            [](const LinearLayout& layout) { return layout.out_dim_sizes(); }));
  const auto add_size = [&](const char* name, const char* parameter, const char* summary,
                            const char* example, const char* result,
                            Result<std::int64_t> (LinearLayout::*size)(std::string_view) const) {
    table.push_back(
        operation(name, kQuestions, {"layout", parameter}, summary, on_example(example), result,
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
    table.push_back(
        operation(name, kQuestions, {"layout", parameter}, summary, on_example(example), result,
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
      operation("total_in_dim_size_log2", kQuestions, {"layout"}, "How many bits all inputs have.",
                on_example("total_in_dim_size_log2({})"), "3",
                [](const LinearLayout& layout) { return Int(layout.total_in_dim_size_log2()); }));
  table.push_back(
      operation("total_out_dim_size_log2", kQuestions, {"layout"},
                "How many bits all outputs have.", on_example("total_out_dim_size_log2({})"), "3",
                [](const LinearLayout& layout) { return Int(layout.total_out_dim_size_log2()); }));
  table.push_back(operation("bases", kQuestions, {"layout"},
                            "The images of the single bits, by input.", on_example("bases({})"),
                            R"([["register",[[0,1]]],["lane",[[1,0],[2,0]]]])",
                            [](const LinearLayout& layout) { return bases_datum(layout); }));
  table.push_back(operation("matrix", kQuestions, {"layout"},
                            "The matrix over GF(2): a row for each output bit, a column for each "
                            "input bit, first dimension first, low bit first.",
                            on_example("matrix({})"), "[[0,1,0],[0,0,1],[1,0,0]]",
                            [](const LinearLayout& layout) { return matrix_datum(layout); }));
}

void add_properties(std::vector<Operation>& table) {
  const auto add_property = [&](const char* name, const char* summary, const char* result,
                                bool (LinearLayout::*holds)() const) {
    table.push_back(operation(name, kQuestions, {"layout"}, summary,
                              on_example(fmt::format("{}({{}})", name)), result,
                              [holds](const LinearLayout& layout) { return (layout.*holds)(); }));
  };
  add_property("is_surjective", "Whether every output is reached.", "true",
               &LinearLayout::is_surjective);
  add_property("is_injective", "Whether no two inputs share an output.", "true",
               &LinearLayout::is_injective);
  add_property("is_invertible", "Both.", "true", &LinearLayout::is_invertible);
  table.push_back(operation("equals", kQuestions, {"layout", "other"},
                            "The same dimensions in the same order and the same map: Triton's ==.",
                            R"(equals(identity_1d(2, "lane", "x"), identity_1d(2, "lane", "y")))",
                            "false",
                            [](const LinearLayout& a, const LinearLayout& b) { return a == b; }));
  table.push_back(operation(
      "equal_ignoring_out_dim_sizes", kQuestions, {"layout", "other"},
      "The same whatever the sizes of the outputs.",
      R"(equal_ignoring_out_dim_sizes(zeros_1d(2, "lane", "x"), zeros_1d(2, "lane", "x", 4)))",
      "true", [](const LinearLayout& a, const LinearLayout& b) {
        return linear::equal_ignoring_out_dim_sizes(a, b);
      }));
  table.push_back(
      operation("free_variable_masks", kQuestions, {"layout"},
                "For each input the bits that lead nowhere new.",
                R"(free_variable_masks(zeros_1d(4, "lane", "dim0")))", R"([["lane",3]])",
                [](const LinearLayout& layout) { return linear::free_variable_masks(layout); }));
  table.push_back(operation(
      "num_consecutive_in_out", kQuestions, {"layout"},
      "How many consecutive coordinates of the first input map to consecutive ones of the first "
      "output.",
      R"(num_consecutive_in_out(identity_1d(4, "register", "dim0")))", "4",
      [](const LinearLayout& layout) { return Int(linear::num_consecutive_in_out(layout)); }));
  table.push_back(operation("sublayout_is_zero", kQuestions,
                            {"layout", "in_dim_names", "out_dim_names"},
                            "Whether these inputs never move these outputs.",
                            on_example(R"(sublayout_is_zero({}, "lane", "dim1"))"), "true",
                            [](const LinearLayout& layout, const Names& ins, const Names& outs) {
                              return linear::sublayout_is_zero(layout, ins, outs);
                            }));
  table.push_back(
      operation("is_trivial_over", kQuestions, {"layout", "dim_names"},
                "Whether it is the identity on these dimensions, with nothing else leading there.",
                R"(is_trivial_over(identity_1d(2, "block", "block"), "block"))", "true",
                [](const LinearLayout& layout, const Names& dims) {
                  return linear::is_trivial_over(layout, dims);
                }));
  table.push_back(
      operation("square_sublayout_is_identity", kQuestions, {"layout", "dim_names"},
                "Whether the sublayout from these dimensions to these is the identity.",
                R"(square_sublayout_is_identity(identity_1d(2, "block", "block"), "block"))",
                "true", [](const LinearLayout& layout, const Names& dims) {
                  return linear::square_sublayout_is_identity(layout, dims);
                }));
  table.push_back(
      operation("is_identity_on_out_dim", kQuestions, {"layout", "out_dim"},
                "Whether this output is the input of its name, with nothing else leading there.",
                R"(is_identity_on_out_dim(identity_1d(2, "block", "block"), "block"))", "true",
                [](const LinearLayout& layout, const std::string& dim) {
                  return linear::is_identity_on_out_dim(layout, dim);
                }));
}

// Actions on the bases of one input: {"action":[2,0,1],"in_dim":"register","in_size_log2":3}.

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

/// Numbers as they are given to counts of bits; beyond a byte every one is refused alike.
Result<int> small(const Int& number) {
  HEDDLE_TRY(const std::int64_t value, constant(number));
  constexpr std::int64_t kMost = 1000;
  return static_cast<int>(std::clamp(value, -kMost, kMost));
}

void add_actions(std::vector<Operation>& table) {
  table.push_back(operation(
      "column_action", kActions, {"layout", "action", "in_dim", "in_size_log2"},
      "The bases of an input chosen and put in this order.",
      R"(column_action(identity_1d(4, "register", "dim0"), [1, 0], "register", 2))",
      " - register=1 -> (2)\n   register=2 -> (1)\nwhere out dims are: [dim0 (size 4)]",
      [](const LinearLayout& layout, const Sizes& order, const std::string& in_dim,
         const Int& in_size_log2) -> Result<LinearLayout> {
        HEDDLE_TRY(const int bits, small(in_size_log2));
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
      [](const LinearLayout& layout, const LinearLayout& divisor,
         const std::optional<Value>& left) -> Result<Value> {
        const bool* is_left = left ? left->get_if<bool>() : nullptr;
        if (left && is_left == nullptr) return refuse("call.type", "left is true or false");
        return to_value(
            linear::reg_perm_for_divide(layout, divisor, is_left == nullptr || *is_left));
      }));
  table.push_back(operation(
      "largest_vectorisation", kActions, {"cvt", "bitwidth", "max_vec_elems"},
      "The most elements of one access, at most 128 bits, and the order of registers for it.",
      R"(largest_vectorisation(identity_1d(16, "register", "offset"), 16))",
      R"({"elements":8,"permutation":{"action":[0,1,2,3],"in_dim":"register","in_size_log2":4}})",
      [](const LinearLayout& cvt, const Int& bitwidth,
         const std::optional<Int>& most) -> Result<Datum> {
        HEDDLE_TRY(const int bits, small(bitwidth));
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

void add_linear_operations(std::vector<Operation>& table) {
  add_making(table);
  add_algebra(table);
  add_ordering(table);
  add_resizing(table);
  add_fitting(table);
  add_names(table);
  add_properties(table);
  add_actions(table);
}

}  // namespace heddle::notation
