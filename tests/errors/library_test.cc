// The texts of refusals that only callers of the library meet: no expression and no command reaches
// them. Those of expressions are in messages.txt.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "heddle/analyze/find_swizzle.h"
#include "heddle/axe/sharding.h"
#include "heddle/cute/fragment.h"
#include "heddle/emit/inline_text.h"
#include "heddle/expr/assumptions.h"
#include "heddle/files/tensor_file.h"
#include "heddle/form/bit_matrix.h"
#include "heddle/form/table.h"
#include "heddle/linear/column_action.h"
#include "heddle/linear/encoding_counts.h"
#include "heddle/linear/linear_layout.h"
#include "heddle/map/isl_engine.h"
#include "heddle/map/relations.h"
#include "heddle/move/relayout.h"
#include "heddle/notation/analyses.h"
#include "heddle/notation/evaluator.h"
#include "heddle/notation/npy.h"
#include "map/isl/door.h"
#include "support/any_layout.h"
#include "support/refusal.h"
#include "support/text.h"

namespace heddle {
namespace {

using linear::LinearLayout;
using test::refusal;

TEST(LibraryErrors, OfLinearLayouts) {
  const LinearLayout layout = LinearLayout::make({{"register", {{0, 1}}}, {"lane", {{1, 0}}}},
                                                 linear::NamedSizes{{"dim0", 2}, {"dim1", 2}})
                                  .value();
  const linear::Names names{"dim0"};
  EXPECT_EQ(refusal(form::kernel(form::BitMatrix::zeros(2, 65))),
            "error bit_matrix.too_wide: the kernel of a matrix of 65 columns: at most 64");
  EXPECT_EQ(refusal(LinearLayout::make({{"lane", {{1}}}, {"lane", {{2}}}}, names)),
            "error linear.duplicate_dim: two input dimensions are called lane: [lane (size 2), "
            "lane (size 2)]");
  EXPECT_EQ(refusal(layout.apply({{"lane", 1}, {"lane", 2}})),
            "error linear.duplicate_dim: the point gives lane twice");
  EXPECT_EQ(refusal(LinearLayout::make({{"lane", {{-1}}}}, names)),
            "error linear.basis: L(lane=1) = (-1) is negative on dim0");
  EXPECT_EQ(refusal(layout.basis("lane", 2)),
            "error linear.coordinate: lane has 1 basis; there is none at 2");
  EXPECT_EQ(refusal(layout.in_dim_size("warp")),
            "error linear.unknown_dim: unknown input dimension warp: there are [register (size 2), "
            "lane (size 2)]");
}

TEST(LibraryErrors, OfNamesThatAreNotPlainText) {
  const std::string refused =
      "error name.characters: the name 'x\xEF\xBF\xBDprint(1)' is not plain text\n"
      "  hint: names have no control characters, line ends or bidirectional control characters";
  EXPECT_EQ(refusal(LinearLayout::make({{"x\rprint(1)", {{1}}}}, linear::Names{"y"})), refused);
  EXPECT_EQ(refusal(LinearLayout::make({{"x", {{1}}}}, linear::Names{"x\xe2\x80\xa8print(1)"})),
            refused);
  EXPECT_EQ(refusal(linear::identity_1d(4, "x\nprint(1)", "y")), refused);
  EXPECT_EQ(refusal(linear::zeros_1d(4, "x", "x\xe2\x80\xaeprint(1)", 4)), refused);
}

TEST(LibraryErrors, OfColumnActions) {
  const auto action = [](std::vector<int> bases) {
    return linear::ColumnAction::make(std::move(bases), "register", 2).value();
  };
  EXPECT_EQ(refusal(action({1, 0}).apply(linear::identity_1d(2, "register", "x").value())),
            "error linear.column_action: ColumnAction([1, 0], register, 2) is for 2^2 values of "
            "register; the layout has 2^1");
  EXPECT_EQ(
      refusal(action({1, 0}).apply(std::vector<int>{0, 1})),
      "error linear.column_action: ColumnAction([1, 0], register, 2) is for 2^2 values, not 2");
  EXPECT_EQ(refusal(inverse(action({1}))),
            "error linear.column_action: ColumnAction([1], register, 2) drops bases, so it has no "
            "inverse");
  EXPECT_EQ(refusal(left_compose(action({1}), action({1, 0}))),
            "error linear.column_action: ColumnAction([1], register, 2) leaves 1 basis of "
            "register; ColumnAction([1, 0], register, 2) is for 2 bases of register");
}

TEST(LibraryErrors, OfEncodings) {
  EXPECT_EQ(refusal(to_linear_layout(linear::SliceEncoding{}, linear::Sizes{64})),
            "error encoding.parent: slice: there is no parent");
  const LinearLayout offsets =
      *LinearLayout::make({{"offset", {{1}, {1}}}, {"block", {}}}, linear::NamedSizes{{"x", 2}});
  EXPECT_EQ(
      refusal(to_linear_layout(linear::SharedLinearEncoding{offsets}, linear::Sizes{2})),
      "error encoding.linear: shared_linear: the outputs are (x); they must be dim0, dim1, …");
  EXPECT_EQ(refusal(to_linear_layout(linear::LinearEncoding{offsets}, linear::Sizes{2})),
            "error encoding.linear: linear: the inputs are (offset, block), not (register, lane, "
            "warp, block)");
}

TEST(LibraryErrors, OfAnalyses) {
  const LinearLayout threads = linear::identity_1d(32, "thread", "dim0").value();
  const auto lanes = [](std::int64_t registers) {
    return (linear::identity_1d(registers, "register", "dim0") *
            linear::identity_1d(32, "lane", "dim0"))
        .value();
  };
  EXPECT_EQ(refusal(analyze::register_offsets(lanes(1), threads)),
            "error analyze.dims: a shared layout has the inputs offset and block; this one has "
            "[thread (size 32)]");
  EXPECT_EQ(refusal(analyze::bank_phases({}, 4)),
            "error analyze.lanes: 0 lanes; a warp has 1 to 32");
  const LinearLayout huge = lanes(std::int64_t{1} << 50);
  EXPECT_EQ(refusal(analyze::optimal_swizzle(huge, huge, 32)),
            "error analyze.too_large: a layout with inputs of 55 bits in all; analyses count up to "
            "2^48");
  EXPECT_EQ(refusal(analyze::make_access(index_map(test::layout("(32,4):(1@0,1@1)")), 32)),
            "error analyze.rank: the access maps to coordinates of 2 axes, and no memory layout "
            "turns them into addresses\n"
            "  hint: give the memory's layout after the access: (128,64):(64,1)");
}

TEST(LibraryErrors, OfMeshes) {
  using axe::Mesh;
  const auto made = [](std::vector<axe::Iter> shard, std::vector<axe::Iter> replica = {}) {
    return *axe::Layout::make(std::move(shard), std::move(replica));
  };
  EXPECT_EQ(refusal(Mesh::make({2, 2}, {}, {0, 1, 2})),
            "error axe.mesh: a mesh of extents (2,2) has 4 entries, and 3 ids are given");
  EXPECT_EQ(refusal(Mesh::make({2, 2}, {"x", ""})), "error axe.mesh: axis 1 of a mesh has no name");
  EXPECT_EQ(refusal(Mesh::make({2, 0})),
            "error axe.mesh: a mesh has the extents (2,0), and 0 is below 1");
  EXPECT_EQ(refusal(Mesh::make({1 << 20, 1 << 20})),
            "error axe.mesh: a mesh of extents (1048576,1048576); up to 65536 devices are taken");
  EXPECT_EQ(refusal(Mesh::make(std::vector<std::int64_t>(65, 1))),
            "error axe.mesh: a mesh of 65 axes; up to 64 are taken");
  EXPECT_EQ(refusal(Mesh::make({2}, {}, made({{2, 1, Axis::memory()}}))),
            "error axe.mesh: S[(2):(1@m)] takes entry 1 to 1@m; the entries of a mesh are numbers "
            "on gpuid");
  const Axis device = axe::device_axis();
  EXPECT_EQ(refusal(Mesh::make({2}, {}, made({{2, 1, device}}, {{2, 2, device}}))),
            "error axe.mesh: S[(2):(1@gpuid)] + R[(2):(2@gpuid)] has replicas; an entry of a mesh "
            "is one device");
}

TEST(LibraryErrors, OfTables) {
  EXPECT_EQ(refusal(form::make_table({2, 2}, {Axis::memory()}, {0, 1, 2})),
            "error table.shape: 2 x 2 points with 1 number each need 4 values, not 3");
  EXPECT_EQ(refusal(form::make_table({4096, 8192}, {Axis::memory()}, {})),
            "error table.too_large: 4096 x 8192 points with 1 number each are too many for a "
            "table, which holds at most 16777216");
  EXPECT_EQ(refusal(notation::read_npy("PK")),
            "error npy.header: this is not an array of NumPy's format: it does not begin with "
            "\\x93NUMPY");
}

TEST(LibraryErrors, OfTheIslEngine) {
  EXPECT_EQ(refusal(map::isl_engine::call("coalesce", {})),
            "error isl_engine.operation: the isl engine has no operation coalesce; it has "
            "complement, complement_fill, composition, inverse, left_inverse, right_inverse");
  EXPECT_EQ(refusal(map::isl_engine::call("composition", {})),
            "error isl_engine.operation: composition by the isl engine takes two layouts");
}

TEST(LibraryErrors, OfRelationsThatAreTooLarge) {
  const auto not_read = [](const std::string& text) {
    return refusal(map::IntegerRelation::parse(text));
  };
  std::string names = "x0";
  for (int i = 1; i < 129; ++i) names += fmt::format(", x{}", i);
  EXPECT_EQ(
      not_read(fmt::format("{{ [{}] -> [x0] }}", names)),
      "error relation.too_large: a relation of 129 dimensions; at most 128 of inputs, outputs "
      "or parameters are read");
  std::string parts = "[0] -> [7]";
  for (int i = 1; i < 5000; ++i) parts += fmt::format("; [{}] -> [{}]", i, i * i % 997);
  EXPECT_EQ(
      not_read("{ " + parts + " }"),
      "error relation.too_large: a union of 5000 parts; isl is given up to 1024\n"
      "  hint: one part for each run of even steps of a box from 0, as heddle prints a table, "
      "is read without isl");
  EXPECT_EQ(not_read("{ [c] : c > 0 }"),
            "error relation.syntax: there is no '->': this is a set, not a relation\n"
            "  hint: a relation is written as { [i, j] -> [8i + j] : 0 <= i < 4 }");
}

TEST(LibraryErrors, OfRelationsThatTakeTooLong) {
  map::Limits limits;
  limits.steps = 1000;
  std::string text = "{ [a, b, c, d] -> [a] : a >= 0";
  for (int i = 2; i < 60; ++i) {
    text += fmt::format(" and ({}a + {}b) mod {} <= ({}c - d) mod {}", i, i + 1, 17 + i, i, 23 + i);
  }
  EXPECT_EQ(refusal(map::IntegerRelation::parse(text + " }", limits)),
            "error relation.gave_up: reading a relation: gave up after 1000 steps of isl\n"
            "  hint: more steps may be enough: --steps 10000");
  limits = {};
  limits.time = std::chrono::milliseconds(0);
  EXPECT_EQ(refusal(map::IntegerRelation::parse(text + " }", limits)),
            "error relation.gave_up: reading a relation: gave up\n"
            "  the time limit is 0 ms");
  map::IslSession session;
  EXPECT_EQ(refusal(session.ask("a set as a relation",
                                [&] { return isl::map(session.context(), "{ [c] : c }"); })),
            "error relation.gave_up: a set as a relation: isl refused it\n"
            "  isl: syntax error");
}

TEST(LibraryErrors, OfBuffers) {
  const move::Plan plan =
      move::make_plan(test::layout_of_text("8:1"), test::layout_of_text("8:2"), 16).value();
  std::vector<std::byte> bytes(64);
  const std::span all(bytes);
  EXPECT_EQ(refusal(plan.run(all.first(16), all.last(29))),
            "error move.buffer: the destination has 29 bytes, and the layout reaches 30");
  EXPECT_EQ(refusal(plan.run(all, all)),
            "error move.buffer: source and destination overlap\n"
            "  hint: a move in place takes one buffer");
  const move::Plan in_place =
      move::make_plan(test::layout_of_text("4:1"), test::layout_of_text("4:1"), 16).value();
  std::stop_source stop;
  stop.request_stop();
  const move::RunOptions options{.stop = stop.get_token()};
  EXPECT_EQ(refusal(in_place.run_in_place(all.first(16), options)),
            "error move.stopped: the move was stopped; the buffer is as it was");
}

TEST(LibraryErrors, OfFiles) {
  const std::string text = R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})";
  const std::string bytes =
      std::string(1, static_cast<char>(text.size())) + std::string(7, '\0') + text + "0123";
  EXPECT_EQ(refusal(files::tensors_of(bytes)),
            "error safetensors.header: this is not a safetensors file: the tensor w has 4 bytes, "
            "which is not what its shape takes");
}

TEST(LibraryErrors, OfFragments) {
  const form::Fragment half = {
      {"register", "lane"}, {"row", "col"}, {{"register", form::kUnused, 2}, {"lane", "row", 8}}};
  EXPECT_EQ(refusal(cute::thread_value_layout(half, {"row"})),
            "error fragment.unused: some of the 2 register places hold nothing; a layout maps "
            "every thread and value");
}

TEST(LibraryErrors, OfValuesThatAssumptionsExclude) {
  const std::vector<Condition> conditions{{8, Predicate::kDivides, Int::variable("M")},
                                          {Int::variable("M"), Predicate::kAtMost, 64}};
  const Int m = Assumptions::make(conditions).value().variable("M");
  const std::string refused = "error instantiate.inadmissible: M=";
  EXPECT_EQ(refusal(instantiate(m + 1, {{"M", 12}})),
            refused + "12 contradicts what is assumed: M%8 is 0");
  EXPECT_EQ(refusal(instantiate(m + 1, {{"M", 72}})),
            refused + "72 contradicts what is assumed: 8 <= M <= 64");
}

TEST(LibraryErrors, LongFormulasAreCutInTheMiddle) {
  std::string sum = "x";
  std::string assumption = "x>=0";
  for (int i = 1; i < 400; ++i) {
    sum += " + y" + std::to_string(i);
    assumption += ", y" + std::to_string(i) + ">=0";
  }
  notation::Environment environment;
  ASSERT_TRUE(environment.assume(std::string_view(assumption)));
  const std::string text = refusal(notation::evaluate("5 // (" + sum + ")", environment));
  EXPECT_EQ(text.substr(0, 21), "error assume.needed: ");
  EXPECT_LT(text.size(), 1500U);
  EXPECT_NE(text.find(" … "), std::string::npos);
}

TEST(LibraryErrors, ALongExpressionBecomesAFunction) {
  Int value = Int::variable("x", 0, 1000);
  for (int i = 0; i < 5; ++i) {
    value =
        mod(5 * value + floor_div(value, 3) + floor_div(value, 7) + floor_div(value, 11), 10007);
  }
  EXPECT_NE(refusal(emit::inline_text(value, emit::Dialect::kC))
                .find("hint: write a function, {{ emit(L, \"c\", \"name\") }}, and call it"),
            std::string::npos);
}

}  // namespace
}  // namespace heddle
