// Linear layouts: constructors, algebra, and changes of dimensions. Parameters have Triton's names,
// in snake_case.

#include <fmt/format.h>

#include <array>
#include <utility>

#include "core/text.h"
#include "heddle/linear/linear_layout.h"
#include "heddle/notation/triton.h"
#include "notation/operations/binding.h"
#include "notation/value/constants.h"
#include "notation/value/data.h"

namespace heddle::notation {
namespace {

using linear::Bases;
using linear::LinearLayout;
using linear::NamedSizes;
using linear::Names;
using linear::Sizes;

// Making.

/// `crd=(4,4)` is crd0 and crd1 of size 4, `crd=8` is crd0 of size 8: seed articles and papers
/// write them without names.
NamedSizes numbered(std::string_view name, const Sizes& sizes) {
  NamedSizes dims;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    dims.emplace_back(fmt::format("{}{}", name, i), sizes[i]);
  }
  return dims;
}

/// The layout whose `vals` are the images of all bits of `crd`, first dimension first.
Result<LinearLayout> layout_of_values(const Sizes& crd, const Sizes& idx, const Value& vals) {
  const std::optional<Datum> datum = datum_if_data(vals);
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
      return refuse("linear.size", fmt::format("{} of size {} has {} in vals; a size 2^n has n",
                                               name, size, counted(in.vectors.size(), "basis")));
    }
  }
  if (next != vectors->size()) {
    return refuse("linear.size", fmt::format("vals has {} and crd {} bits",
                                             counted(vectors->size(), "basis"), next));
  }
  return LinearLayout::make(bases, numbered("idx", idx));
}

/// Outputs without sizes get the sizes that the bases need, and the layout is surjective.
Result<LinearLayout> layout_of_bases(const Bases& bases, const NamesOrNamedSizes& out_dims,
                                     bool require_surjective) {
  const auto* sizes = std::get_if<NamedSizes>(&out_dims);
  if (sizes == nullptr) return LinearLayout::make(bases, std::get<Names>(out_dims));
  return LinearLayout::make(
      bases, *sizes,
      require_surjective ? linear::Surjectivity::kRequired : linear::Surjectivity::kNotRequired);
}

/// register, lane, warp and block of a tensor in registers, over dim0, dim1, …
Result<LinearLayout> layout_of_registers(const std::array<std::optional<Value>, 4>& vectors) {
  constexpr std::array<const char*, 4> kNames = {"register", "lane", "warp", "block"};
  Datum::Fields fields = {{"kind", "linear"}};
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    const std::optional<Datum> datum =
        vectors[i] ? datum_if_data(*vectors[i]) : std::optional(Datum(Datum::List{}));
    if (!datum) {
      return refuse("call.type",
                    fmt::format("{} is {}; a list of bases is needed: [[0, 1], [0, 2]]", kNames[i],
                                kind_name(*vectors[i])));
    }
    fields.emplace_back(kNames[i], *datum);
  }
  HEDDLE_TRY(const linear::Encoding encoding, encoding_of(fields));
  return encoding.get_if<linear::LinearEncoding>()->layout;
}

Result<LinearLayout> layout_from(const std::optional<Bases>& bases,
                                 const std::optional<NamesOrNamedSizes>& out_dims,
                                 bool require_surjective, const std::optional<Sizes>& crd,
                                 const std::optional<Sizes>& idx, const std::optional<Value>& vals,
                                 const std::optional<Value>& registers,
                                 const std::optional<Value>& lanes,
                                 const std::optional<Value>& warps,
                                 const std::optional<Value>& blocks) {
  const bool is_of_registers = registers || lanes || warps || blocks;
  if (is_of_registers && !bases && !out_dims && !crd && !idx && !vals) {
    return layout_of_registers({registers, lanes, warps, blocks});
  }
  if (bases && out_dims && !crd && !idx && !vals && !is_of_registers) {
    return layout_of_bases(*bases, *out_dims, require_surjective);
  }
  if (crd && vals && !bases && !out_dims && !is_of_registers)
    return layout_of_values(*crd, idx.value_or(*crd), *vals);
  return refuse(
      Diagnostic("call.arity", "LinearLayout takes bases and out_dims, or crd, idx and vals")
          .with_hint(R"(LinearLayout({"lane": [[1],[2]]}, ["dim0"]) or )"
                     "LinearLayout(crd=(4,4), idx=(4,4), vals=[(1,1),(2,2),(0,1),(0,2)])"));
}

void add_making_linear(const Rows& add) {
  add({.call =
           "LinearLayout(bases, out_dims, require_surjective=true, crd, idx, vals, register, lane, "
           "warp, block)",
       .summary = "From the images of the single bits: by name, or as crd, idx and vals, whose "
                  "dimensions are called crd0, crd1, … and idx0, idx1, …, or as the bases of "
                  "registers, lanes, warps and CTAs.",
       .example = {"LinearLayout(crd=4, idx=4, vals=[1,3])",
                   " - crd0=1 -> (1)\n   crd0=2 -> (3)\nwhere out dims are: [idx0 (size 4)]"}},
      layout_from);
  add({.call = "from_bases(bases, out_dims, require_surjective=true)",
       .summary = "The same, as triton.tools writes it. Outputs without sizes get those that the "
                  "bases need.",
       .example = {R"(LinearLayout.from_bases([("lane", [[1],[3]])], ["dim0"]))",
                   " - lane=1 -> (1)\n   lane=2 -> (3)\nwhere out dims are: [dim0 (size 4)]"}},
      layout_of_bases);
  add({.call = "identity_1d(size, in_dim, out_dim)",
       .summary = "L(x) = x for x below the size.",
       .example = {R"(identity_1d(4, "lane", "dim0"))",
                   " - lane=1 -> (1)\n   lane=2 -> (2)\nwhere out dims are: [dim0 (size 4)]"}},
      linear::identity_1d);
  add({.call = "strided_1d(size, stride, in_dim, out_dim)",
       .summary = "L(x) = stride * x for x below the size.",
       .example = {R"(strided_1d(4, 2, "lane", "dim0"))",
                   " - lane=1 -> (2)\n   lane=2 -> (4)\nwhere out dims are: [dim0 (size 8)]"}},
      linear::strided_1d);
  add({.call = "zeros_1d(size, in_dim, out_dim, out_dim_size=1)",
       .summary = "L(x) = 0 for x below the size.",
       .example = {R"(zeros_1d(4, "lane", "dim0"))",
                   " - lane=1 -> (0)\n   lane=2 -> (0)\nwhere out dims are: [dim0 (size 1)]"}},
      linear::zeros_1d);
  add({.call = "identity_standard_nd(in_dim, shape, order)",
       .summary = "L(x) = x over dim0, dim1, … of these sizes, the dimension order[0] fastest.",
       .example = {R"(identity_standard_nd("register", [2, 2], [1, 0]))",
                   " - register=1 -> (1, 0)\n   register=2 -> (0, 1)\n"
                   "where out dims are: [dim1 (size 2), dim0 (size 2)]"}},
      linear::identity_standard_nd);
  add({.call = "empty()",
       .summary = "The layout of no dimensions: 1 in products.",
       .example = {"empty()", "(empty layout)"}},
      [] { return linear::empty(); });
  add({.call = "zeros_like(layout)",
       .summary = "The same dimensions, every image 0.",
       .example = {R"(zeros_like(identity_1d(2, "lane", "dim0")))",
                   " - lane=1 -> (0)\nwhere out dims are: [dim0 (size 2)]"}},
      linear::zeros_like);
}

// The algebra.

void add_algebra(const Rows& add) {
  add({.call = "multiply(inner, outer)",
       .summary = "The direct sum: inner on the low bits, outer above. Also: inner * outer.",
       .example = {R"(multiply(identity_1d(2, "lane", "dim0"), zeros_1d(2, "lane", "dim0")))",
                   " - lane=1 -> (1)\n   lane=2 -> (0)\nwhere out dims are: [dim0 (size 2)]"}},
      linear::multiply);
  add({.call = "compose(layout, outer)",
       .summary = "outer after layout, as of relations. Also: outer o layout.",
       .example = {R"(compose(identity_1d(2, "lane", "x"), strided_1d(2, 2, "x", "dim0")))",
                   " - lane=1 -> (2)\nwhere out dims are: [dim0 (size 4)]"}},
      linear::compose);
  add({.call = "invert_and_compose(layout, outer)",
       .summary = "C with outer(C(x)) = layout(x): where in shared memory each register goes.",
       .example =
           {R"(invert_and_compose(strided_1d(2, 2, "lane", "dim0"), identity_1d(4, "offset", "dim0")))",
            " - lane=1 -> (2)\nwhere out dims are: [offset (size 4)]"}},
      linear::invert_and_compose);
  add({.call = "invert(layout)",
       .summary = "The inverse of a bijection. Also: inverse(layout).",
       .example = {R"(invert(identity_1d(2, "lane", "dim0")))",
                   " - dim0=1 -> (1)\nwhere out dims are: [lane (size 2)]"}},
      linear::invert);
  add({.call = "pseudoinvert(layout)",
       .summary = "B with layout(B(x)) = x, of a layout that reaches everything.",
       .example = {R"(pseudoinvert(LinearLayout({"lane": [[0],[1]]}, ["dim0"])))",
                   " - dim0=1 -> (2)\nwhere out dims are: [lane (size 4)]"}},
      linear::pseudoinvert);
  add({.call = "divide_left(layout, divisor)",
       .summary = "C with layout = divisor * C, where there is one.",
       .example = {R"(divide_left(identity_1d(8, "lane", "dim0"), identity_1d(4, "lane", "dim0")))",
                   " - lane=1 -> (1)\nwhere out dims are: [dim0 (size 2)]"}},
      linear::divide_left);
  add({.call = "divide_right(layout, divisor)",
       .summary = "C with layout = C * divisor, where there is one.",
       .example =
           {R"(divide_right(identity_1d(8, "lane", "dim0"), identity_1d(4, "lane", "dim0")))",
            " - lane=1 -> (1)\nwhere out dims are: [dim0 (size 2)]"}},
      linear::divide_right);
  add({.call = "reps(layout, tile)",
       .summary = "What a tile leaves of the layout: its bases, the lowest ones, set to 0.",
       .example = {R"(reps(identity_1d(4, "lane", "dim0"), identity_1d(2, "lane", "dim0")))",
                   " - lane=1 -> (0)\n   lane=2 -> (2)\nwhere out dims are: [dim0 (size 4)]"}},
      linear::reps);
  add({.call = "quotient(layout, dim_names)",
       .summary = "What the layout does besides being the identity on these dimensions.",
       .example =
           {R"(quotient(identity_1d(2, "block", "block") * identity_1d(2, "lane", "dim0"), "block"))",
            " - lane=1 -> (1)\nwhere out dims are: [dim0 (size 2)]"}},
      linear::quotient);
  add({.call = "sublayout(layout, in_dim_names, out_dim_names)",
       .summary = "Only these inputs, the others 0, and only these outputs.",
       .example = {on_example(R"(sublayout({}, "lane", "dim0"))"),
                   " - lane=1 -> (1)\n   lane=2 -> (2)\nwhere out dims are: [dim0 (size 4)]"}},
      linear::sublayout);
  add({.call = "concat_ins(layout, other)",
       .summary = "The inputs of both over the same outputs.",
       .example =
           {R"(concat_ins(zeros_1d(2, "register", "dim0", 2), identity_1d(2, "lane", "dim0")))",
            " - register=1 -> (0)\n - lane=1 -> (1)\nwhere out dims are: [dim0 (size 2)]"}},
      linear::concat_ins);
  add({.call = "concat_outs(layout, other)",
       .summary = "The outputs of both from the same inputs.",
       .example = {R"(concat_outs(identity_1d(2, "lane", "dim0"), zeros_1d(2, "lane", "dim1")))",
                   " - lane=1 -> (1, 0)\nwhere out dims are: [dim0 (size 2), dim1 (size 1)]"}},
      linear::concat_outs);
}

// ---- The same linear layouts over other dimensions ----

constexpr const char* kDimensions = "named dimensions";

void add_ordering(const Rows& add) {
  add({.call = "transpose_ins(layout, new_in_dims)",
       .summary = "The inputs in another order.",
       .example = {on_example(R"(in_dim_names(transpose_ins({}, ["lane", "register"])))"),
                   R"(["lane","register"])"}},
      linear::transpose_ins);
  add({.call = "transpose_outs(layout, new_out_dims)",
       .summary = "The outputs in another order.",
       .example = {on_example(R"(out_dim_sizes(transpose_outs({}, ["dim1", "dim0"])))"),
                   R"([["dim1",2],["dim0",4]])"}},
      linear::transpose_outs);
  add({.call = "reshape_ins(layout, new_in_dims)",
       .summary = "Other inputs of the same total size, by the flat order.",
       .example = {R"(reshape_ins(identity_1d(4, "lane", "dim0"), {"a": 2, "b": 2}))",
                   " - a=1 -> (1)\n - b=1 -> (2)\nwhere out dims are: [dim0 (size 4)]"}},
      linear::reshape_ins);
  add({.call = "reshape_outs(layout, new_out_dims)",
       .summary = "Other outputs of the same total size, by the flat order.",
       .example = {R"(reshape_outs(identity_1d(4, "lane", "dim0"), [["dim0", 2], ["dim1", 2]]))",
                   " - lane=1 -> (1, 0)\n   lane=2 -> (0, 1)\n"
                   "where out dims are: [dim0 (size 2), dim1 (size 2)]"}},
      linear::reshape_outs);
  add({.call = "flatten_ins(layout)",
       .summary = "One input, under the name of the first.",
       .example = {on_example("in_dim_sizes(flatten_ins({}))"), R"([["register",8]])"}},
      linear::flatten_ins);
  add({.call = "flatten_outs(layout)",
       .summary = "One output, under the name of the first.",
       .example = {on_example("flatten_outs({})"),
                   " - register=1 -> (4)\n - lane=1 -> (1)\n   lane=2 -> (2)\n"
                   "where out dims are: [dim0 (size 8)]"}},
      linear::flatten_outs);
}

void add_resizing(const Rows& add) {
  add({.call = "squeeze_in(layout, dim)",
       .summary = "Without an input of size 1.",
       .example = {R"(squeeze_in(identity_1d(1, "lane", "dim0"), "lane"))",
                   "where out dims are: [dim0 (size 1)]"}},
      linear::squeeze_in);
  add({.call = "squeeze_out(layout, dim)",
       .summary = "Without an output of size 1.",
       .example = {R"(squeeze_out(zeros_1d(2, "lane", "dim0"), "dim0"))",
                   " - lane=1 -> ()\nwhere out dims are: []"}},
      linear::squeeze_out);
  add({.call = "squeeze_ins(layout)",
       .summary = "Without inputs of size 1.",
       .example = {R"(squeeze_ins(identity_1d(1, "block", "dim0")))",
                   "where out dims are: [dim0 (size 1)]"}},
      linear::squeeze_ins);
  add({.call = "squeeze_outs(layout)",
       .summary = "Without outputs of size 1.",
       .example = {R"(squeeze_outs(zeros_1d(2, "lane", "dim0")))",
                   " - lane=1 -> ()\nwhere out dims are: []"}},
      linear::squeeze_outs);
  add({.call = "resize_in_dim(layout, in_dim, new_size)",
       .summary = "An input at another size: bases dropped from the top, or zero bases added.",
       .example = {R"(resize_in_dim(identity_1d(4, "lane", "dim0"), "lane", 2))",
                   " - lane=1 -> (1)\nwhere out dims are: [dim0 (size 4)]"}},
      linear::resize_in_dim);
  add({.call = "resize_out_dim(layout, out_dim, new_size)",
       .summary = "An output at another size: its coordinates modulo the size, or room above them.",
       .example = {R"(resize_out_dim(identity_1d(4, "lane", "dim0"), "dim0", 2))",
                   " - lane=1 -> (1)\n   lane=2 -> (0)\nwhere out dims are: [dim0 (size 2)]"}},
      linear::resize_out_dim);
  add({.call = "rename_in_dim(layout, old_dim, new_dim)",
       .summary = "An input renamed.",
       .example = {R"(rename_in_dim(identity_1d(2, "lane", "dim0"), "lane", "thread"))",
                   " - thread=1 -> (1)\nwhere out dims are: [dim0 (size 2)]"}},
      linear::rename_in_dim);
  add({.call = "rename_out_dim(layout, old_dim, new_dim)",
       .summary = "An output renamed.",
       .example = {R"(rename_out_dim(identity_1d(2, "lane", "dim0"), "dim0", "row"))",
                   " - lane=1 -> (1)\nwhere out dims are: [row (size 2)]"}},
      linear::rename_out_dim);
}

void add_fitting(const Rows& add) {
  add({.call = "remove_zero_bases_along_dim(layout, strip_dim)",
       .summary = "Without the zero bases of an input: each of its values once.",
       .example =
           {R"(remove_zero_bases_along_dim(LinearLayout({"register": [[0],[1]]}, ["dim0"]), "register"))",
            " - register=1 -> (1)\nwhere out dims are: [dim0 (size 2)]"}},
      linear::remove_zero_bases_along_dim);
  add({.call = "supremum(x, y)",
       .summary = "The least common extension of two orders of names.",
       .example = {R"(supremum(["a", "b"], ["a", "c"]))", R"(["a","b","c"])"}},
      linear::supremum);
  add({.call = "ensure_layout_not_larger_than(layout, shape, broadcast_registers=true)",
       .summary = "What leads beyond the shape repeats what is inside, largest bases first.",
       .example = {R"(ensure_layout_not_larger_than(identity_1d(4, "lane", "dim0"), {"dim0": 2}))",
                   " - lane=1 -> (1)\n   lane=2 -> (0)\nwhere out dims are: [dim0 (size 2)]"}},
      linear::ensure_layout_not_larger_than);
  add({.call = "ensure_layout_not_smaller_than(layout, shape)",
       .summary =
           "The first input made larger until the outputs are at least as large as the shape.",
       .example = {R"(ensure_layout_not_smaller_than(identity_1d(2, "lane", "dim0"), {"dim0": 4}))",
                   " - lane=1 -> (1)\n   lane=2 -> (2)\nwhere out dims are: [dim0 (size 4)]"}},
      linear::ensure_layout_not_smaller_than);
}

}  // namespace

void add_linear_operations(std::vector<Operation>& table) {
  add_making_linear({table, "making linear layouts"});
  add_algebra({table, "linear algebra"});
  add_ordering({table, kDimensions});
  add_resizing({table, kDimensions});
  add_fitting({table, kDimensions});
}

}  // namespace heddle::notation
