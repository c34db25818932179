#include "heddle/linear/linear_layout.h"
#include "support/random_linear.h"

#include <gtest/gtest.h>

#include <sstream>

namespace heddle::linear {
namespace {

using test::layout_of;

LinearLayout example_of_the_header() {
  return layout_of({{"lane", {{1, 0}, {2, 0}}}, {"warp", {{1, 1}}}}, {{"dim0", 4}, {"dim1", 2}});
}

TEST(LinearLayout, ExampleOfTheHeader) {
  const LinearLayout layout = example_of_the_header();
  EXPECT_EQ(layout.apply({{"lane", 3}, {"warp", 0}}), (NamedSizes{{"dim0", 3}, {"dim1", 0}}));
  EXPECT_EQ(layout.apply({{"lane", 1}, {"warp", 1}}), (NamedSizes{{"dim0", 0}, {"dim1", 1}}));
  EXPECT_EQ(to_string(layout),
            " - lane=1 -> (1, 0)\n"
            "   lane=2 -> (2, 0)\n"
            " - warp=1 -> (1, 1)\n"
            "where out dims are: [dim0 (size 4), dim1 (size 2)]");
}

TEST(LinearLayout, PrintsAsTriton) {
  std::ostringstream stream;
  stream << layout_of({{"lane", {{1}}}, {"block", {}}}, {{"dim0", 2}});
  EXPECT_EQ(stream.str(),
            " - lane=1 -> (1)\n"
            " - block is a size 1 dimension\n"
            "where out dims are: [dim0 (size 2)]");
  EXPECT_EQ(to_string(empty()), "(empty layout)");
}

TEST(LinearLayout, InfersTheSizesOfOutputs) {
  const auto layout = LinearLayout::make({{"in", {{1, 0}, {0, 2}, {2, 1}}}}, Names{"x", "y"});
  EXPECT_EQ(layout.error().code(), "linear.not_surjective");
  const auto whole =
      LinearLayout::make({{"in", {{1, 0}, {0, 2}, {2, 1}, {0, 1}}}}, Names{"x", "y"});
  ASSERT_TRUE(whole) << whole.error();
  EXPECT_EQ(whole->out_dim_sizes(), (NamedSizes{{"x", 4}, {"y", 4}}));
}

TEST(LinearLayout, DimensionsOfOnePoint) {
  const auto layout = LinearLayout::make({{"block", {}}}, Names{"dim0"});
  ASSERT_TRUE(layout) << layout.error();
  EXPECT_EQ(layout->in_dim_size("block"), 1);
  EXPECT_EQ(layout->out_dim_size("dim0"), 1);
  EXPECT_TRUE(layout->is_invertible());
  EXPECT_EQ(layout->apply({{"block", 0}}), (NamedSizes{{"dim0", 0}}));
}

TEST(LinearLayout, Accessors) {
  const LinearLayout layout = example_of_the_header();
  EXPECT_EQ(layout.in_dim_names(), (Names{"lane", "warp"}));
  EXPECT_EQ(layout.out_dim_sizes(), (NamedSizes{{"dim0", 4}, {"dim1", 2}}));
  EXPECT_EQ(layout.in_dim_size_log2("lane"), 2);
  EXPECT_EQ(layout.out_dim_size("dim1"), 2);
  EXPECT_EQ(layout.basis("warp", 0), (std::vector<std::int64_t>{1, 1}));
  EXPECT_EQ(form::to_string(layout.matrix()), "1 0 1\n0 1 0\n0 0 1");
  EXPECT_TRUE(layout.has_in_dim("lane"));
  EXPECT_FALSE(layout.has_in_dim("dim0"));
}

TEST(LinearLayout, SixtyFourBitsASide) {
  Bases bases = {{"low", {}}, {"high", {}}};
  for (int bit = 0; bit < 32; ++bit) {
    bases[0].vectors.push_back({0, std::int64_t{1} << bit});
    bases[1].vectors.push_back({std::int64_t{1} << bit, 0});
  }
  const std::int64_t size = std::int64_t{1} << 32;
  const LinearLayout layout = layout_of(bases, {{"x", size}, {"y", size}});
  EXPECT_TRUE(layout.is_invertible());
  const LinearLayout inverse = invert(layout).value();
  EXPECT_EQ(invert(inverse), layout);
  EXPECT_EQ(inverse.apply({{"x", 5}, {"y", size - 1}}),
            (NamedSizes{{"low", size - 1}, {"high", 5}}));
  EXPECT_EQ(flatten_ins(layout).error().code(), "linear.too_many_bits");
  EXPECT_EQ((layout * identity_1d(2, "more", "z").value()).error().code(), "linear.too_many_bits");
}

TEST(LinearLayout, SimpleLayouts) {
  EXPECT_EQ(identity_1d(4, "i", "o"), layout_of({{"i", {{1}, {2}}}}, {{"o", 4}}));
  EXPECT_EQ(strided_1d(4, 2, "i", "o"), layout_of({{"i", {{2}, {4}}}}, {{"o", 8}}));
  EXPECT_EQ(zeros_1d(4, "i", "o", 2), layout_of({{"i", {{0}, {0}}}}, {{"o", 2}}));
  EXPECT_EQ(
      zeros_like(example_of_the_header()),
      layout_of({{"lane", {{0, 0}, {0, 0}}}, {"warp", {{0, 0}}}}, {{"dim0", 4}, {"dim1", 2}}));
  const std::vector<std::int64_t> shape = {4, 2};
  const std::vector<int> order = {1, 0};
  EXPECT_EQ(identity_standard_nd("offset", shape, order),
            layout_of({{"offset", {{1, 0}, {0, 1}, {0, 2}}}}, {{"dim1", 2}, {"dim0", 4}}));
}

// Identity then zeros is x % 4, zeros then identity is x / 2: Triton's examples.
TEST(LinearLayout, ProductsOfOneDimension) {
  const auto modulo = identity_1d(4, "i", "o") * zeros_1d(2, "i", "o");
  const auto quotient = zeros_1d(2, "i", "o") * identity_1d(4, "i", "o");
  for (std::int64_t x = 0; x < 8; ++x) {
    EXPECT_EQ(modulo->apply({{"i", x}}), (NamedSizes{{"o", x % 4}}));
    EXPECT_EQ(quotient->apply({{"i", x}}), (NamedSizes{{"o", x / 2}}));
  }
  const auto two = identity_1d(4, "i", "o1") * identity_1d(8, "i", "o2");
  for (std::int64_t x = 0; x < 32; ++x) {
    EXPECT_EQ(two->apply({{"i", x}}), (NamedSizes{{"o1", x % 4}, {"o2", x / 4}}));
  }
}

TEST(LinearLayout, ProductsTakeTheOrderOfBoth) {
  const auto ab = identity_1d(2, "a", "x") * identity_1d(2, "b", "y");
  const auto bc = identity_1d(2, "b", "y") * identity_1d(2, "c", "z");
  EXPECT_EQ((ab * bc)->in_dim_names(), (Names{"a", "b", "c"}));
  const auto ba = identity_1d(2, "b", "x") * identity_1d(2, "a", "y");
  EXPECT_EQ((ab * ba).error().code(), "linear.dim_order");
  EXPECT_EQ(ab * empty(), ab);
  EXPECT_EQ(empty() * ab, ab);
}

TEST(LinearLayout, TheQuotientHasTheDimensionsOfTheDividend) {
  const LinearLayout a = (identity_1d(4, "r", "x") * identity_1d(8, "l", "y")).value();
  const auto c = divide_left(a, identity_1d(8, "l", "y").value());
  ASSERT_TRUE(c) << c.error();
  EXPECT_EQ(c->in_dim_sizes(), (NamedSizes{{"r", 4}, {"l", 1}}));
  EXPECT_EQ(c->out_dim_sizes(), (NamedSizes{{"x", 4}, {"y", 1}}));
}

// Triton's example of a layout that the tile does not divide and that repeats it all the same.
TEST(LinearLayout, RepetitionsOfATile) {
  const LinearLayout layout =
      layout_of({{"register", {{0, 1}, {8, 0}, {0, 8}, {0, 16}, {0, 32}, {0, 64}, {16, 0}}},
                 {"lane", {{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}}},
                 {"warp", {{32, 0}, {64, 0}}},
                 {"block", {}}},
                {{"row", 128}, {"col", 128}});
  const LinearLayout tile = layout_of({{"register", {{0, 1}, {8, 0}}},
                                       {"lane", {{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}}},
                                       {"warp", {{32, 0}, {64, 0}}}},
                                      {{"row", 128}, {"col", 8}});
  EXPECT_FALSE(divide_left(layout, tile));
  EXPECT_EQ(reps(layout, tile),
            layout_of({{"register", {{0, 0}, {0, 0}, {0, 8}, {0, 16}, {0, 32}, {0, 64}, {16, 0}}},
                       {"lane", {{0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}}},
                       {"warp", {{0, 0}, {0, 0}}},
                       {"block", {}}},
                      {{"row", 128}, {"col", 128}}));
}

// An identity on the output block whose input leads elsewhere too: Triton's example.
TEST(LinearLayout, IdentityOnAnOutputMayLeadElsewhere) {
  const LinearLayout layout = layout_of({{"block", {{1, 1}}}}, {{"offset", 2}, {"block", 2}});
  EXPECT_EQ(is_identity_on_out_dim(layout, "block"), true);
  EXPECT_FALSE(is_trivial_over(layout, {"block"}));
  // An input that is missing has one point.
  const LinearLayout one_block = layout_of({{"lane", {{1, 0}}}}, {{"offset", 2}, {"block", 1}});
  EXPECT_EQ(is_identity_on_out_dim(one_block, "block"), true);
  EXPECT_EQ(is_identity_on_out_dim(one_block, "offset"), false);
}

// The names decide, not the order in which dimensions flatten.
TEST(LinearLayout, SquareSublayoutsGoByName) {
  const LinearLayout layout =
      layout_of({{"x", {{0, 1}}}, {"y", {{1, 0}, {2, 0}}}}, {{"y", 4}, {"x", 2}});
  EXPECT_EQ(square_sublayout_is_identity(layout, {"x", "y"}), true);
  EXPECT_TRUE(is_trivial_over(layout, {"x", "y"}));
  EXPECT_EQ(quotient(layout, {"x", "y"}), empty());
}

// In an invert_and_compose that keeps warp in place, the rest must not need what is kept: here it
// does, and the plain solution is right.
TEST(LinearLayout, AnIdentityThatTakesAwayWhatTheRestNeedsIsGivenUp) {
  const LinearLayout layout = layout_of({{"lane", {{1}}}, {"warp", {{1}}}}, {{"dim0", 2}});
  const LinearLayout outer = layout_of({{"lane", {{0}}}, {"warp", {{1}}}}, {{"dim0", 2}});
  const auto c = invert_and_compose(layout, outer);
  ASSERT_TRUE(c) << c.error();
  EXPECT_EQ(compose(*c, outer), layout);
}

TEST(LinearLayout, ShapesAreMetExactly) {
  const LinearLayout layout =
      layout_of({{"register", {{8}, {4}, {1}}}, {"lane", {{2}, {16}}}}, {{"o", 32}});
  EXPECT_EQ(ensure_layout_not_larger_than(layout, {{"o", 8}}),
            layout_of({{"register", {{0}, {4}, {1}}}, {"lane", {{2}, {0}}}}, {{"o", 8}}));
  EXPECT_EQ(ensure_layout_not_larger_than(layout, {{"o", 8}}, false),
            layout_of({{"register", {{4}, {1}}}, {"lane", {{2}, {0}}}}, {{"o", 8}}));
  EXPECT_EQ(ensure_layout_not_smaller_than(layout, {{"o", 64}}),
            layout_of({{"register", {{8}, {4}, {1}, {32}}}, {"lane", {{2}, {16}}}}, {{"o", 64}}));
  EXPECT_EQ(ensure_layout_not_larger_than(layout, {}), layout);
}

// Where a register also leads elsewhere it is not dropped with the shape.
TEST(LinearLayout, ARegisterThatStillLeadsSomewhereIsKept) {
  const LinearLayout layout =
      layout_of({{"register", {{1, 0}, {2, 1}}}}, {{"dim0", 4}, {"dim1", 2}});
  EXPECT_EQ(ensure_layout_not_larger_than(layout, {{"dim0", 2}}, false),
            layout_of({{"register", {{1, 0}, {0, 1}}}}, {{"dim0", 2}, {"dim1", 2}}));
}

TEST(LinearLayout, NoDimensionsAtAll) {
  EXPECT_EQ(empty().apply(NamedSizes{}), NamedSizes{});
  EXPECT_EQ(compose(empty(), empty()), empty());
  EXPECT_EQ(invert(empty()), empty());
  EXPECT_EQ(invert_and_compose(empty(), empty()), empty());
  EXPECT_EQ(flatten_ins(empty()), empty());
  EXPECT_EQ(num_consecutive_in_out(empty()), 1);
  EXPECT_TRUE(is_trivial_over(empty(), {}));
  EXPECT_FALSE(is_trivial_over(empty(), {"dim1"}));
  EXPECT_TRUE(free_variable_masks(empty()).empty());
}

}  // namespace
}  // namespace heddle::linear
