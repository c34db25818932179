// One test an error code of bit matrices and linear layouts: the whole text that the terminal
// shows. A test has the name of its code with `_` for `.`.

#include <gtest/gtest.h>

#include "heddle/form/bit_matrix.h"
#include "heddle/linear/column_action.h"
#include "heddle/linear/linear_layout.h"
#include "support/refusal.h"

namespace heddle::linear {
namespace {

using test::refusal;

/// (register, lane) -> (dim0, dim1): one register, four lanes.
LinearLayout example() {
  return LinearLayout::make({{"register", {{0, 1}}}, {"lane", {{1, 0}, {2, 0}}}},
                            NamedSizes{{"dim0", 4}, {"dim1", 2}})
      .value();
}

LinearLayout one(std::int64_t size, const char* in, const char* out) {
  return identity_1d(size, in, out).value();
}

ColumnAction action(std::vector<int> bases, int bits) {
  return ColumnAction::make(std::move(bases), "register", bits).value();
}

TEST(ErrorText, bit_matrix_too_wide) {
  EXPECT_EQ(refusal(form::kernel(form::BitMatrix::zeros(2, 65))),
            "error bit_matrix.too_wide: the kernel of a matrix of 65 columns: at most 64");
}

TEST(ErrorText, bit_matrix_no_solution) {
  EXPECT_EQ(refusal(form::solve(form::BitMatrix(2, {0b01}), form::BitMatrix(2, {0b01, 0b10}))),
            "error bit_matrix.no_solution: column 1 of the right side, 0b10, is outside the image "
            "of the left one, which has rank 1");
}

TEST(ErrorText, bit_matrix_singular) {
  EXPECT_EQ(refusal(form::inverse(form::BitMatrix(2, {0b11, 0b11}))),
            "error bit_matrix.singular: a 2 x 2 matrix of rank 1 has no inverse");
}

TEST(ErrorText, linear_duplicate_dim) {
  EXPECT_EQ(refusal(LinearLayout::make({{"lane", {{1}}}, {"lane", {{2}}}}, Names{"dim0"})),
            "error linear.duplicate_dim: two input dimensions are called lane: [lane (size 2), "
            "lane (size 2)]");
  EXPECT_EQ(refusal(rename_in_dim(example(), "lane", "register")),
            "error linear.duplicate_dim: two input dimensions are called register: [register (size "
            "2), register (size 4)]");
  EXPECT_EQ(refusal(example().apply({{"lane", 1}, {"lane", 2}})),
            "error linear.duplicate_dim: the point gives lane twice");
}

TEST(ErrorText, name_characters) {
  const std::string refused =
      "error name.characters: the name 'x\xEF\xBF\xBDprint(1)' is not plain text\n"
      "  hint: names have no control characters, line ends or marks of direction";
  EXPECT_EQ(refusal(LinearLayout::make({{"x\rprint(1)", {{1}}}}, Names{"dim0"})), refused);
  EXPECT_EQ(refusal(LinearLayout::make({{"x", {{1}}}}, Names{"x\xe2\x80\xa8print(1)"})), refused);
  EXPECT_EQ(refusal(rename_in_dim(example(), "lane", "x\xc2\x85print(1)")), refused);
  EXPECT_EQ(refusal(identity_1d(4, "x\nprint(1)", "y")), refused);
  EXPECT_EQ(refusal(zeros_1d(4, "x", "x\xe2\x80\xaeprint(1)", 4)), refused);
}

TEST(ErrorText, linear_size) {
  EXPECT_EQ(refusal(identity_1d(48, "lane", "dim0")),
            "error linear.size: dimension lane has size 48, which is no power of two\n"
            "  hint: the next power of two is 64; mask what lies beyond 48");
  EXPECT_EQ(refusal(zeros_1d(0, "lane", "dim0")),
            "error linear.size: dimension lane has size 0, which is no power of two");
  EXPECT_EQ(
      refusal(resize_in_dim(example(), "lane", std::int64_t{1} << 62 | 1)),
      "error linear.size: dimension lane has size 4611686018427387905, which is no power of two\n"
      "  hint: no larger size fits 64 bits");
}

TEST(ErrorText, linear_basis) {
  EXPECT_EQ(refusal(LinearLayout::make({{"lane", {{1, 0}, {2}}}}, Names{"dim0", "dim1"})),
            "error linear.basis: L(lane=2) = (2) has 1 coordinates; there are 2 output dimensions: "
            "(dim0, dim1)");
  EXPECT_EQ(refusal(LinearLayout::make({{"lane", {{-1}}}}, Names{"dim0"})),
            "error linear.basis: L(lane=1) = (-1) is negative on dim0");
  EXPECT_EQ(refusal(LinearLayout::make({{"lane", {{1}, {4}}}}, NamedSizes{{"dim0", 4}})),
            "error linear.basis: L(lane=2) = (4) is outside dim0, which has size 4");
}

TEST(ErrorText, linear_too_many_bits) {
  const std::int64_t large = std::int64_t{1} << 40;
  EXPECT_EQ(
      refusal(one(large, "a", "x") * one(large, "b", "x")),
      "error linear.too_many_bits: dimension x of the product would have 40 + 40 bits, at most 62");
  EXPECT_EQ(refusal(one(large, "a", "x") * one(large, "b", "y")),
            "error linear.too_many_bits: the input dimensions have 80 bits together, at most 64: "
            "[a (size 1099511627776), b (size 1099511627776)]");
  EXPECT_EQ(
      refusal(strided_1d(large, large, "a", "x")),
      "error linear.too_many_bits: x would have size 1099511627776 * 1099511627776, above 2^62");
}

TEST(ErrorText, linear_not_surjective) {
  EXPECT_EQ(
      refusal(LinearLayout::make({{"lane", {{1, 0}, {5, 1}, {2, 2}}}}, Names{"dim0", "dim1"})),
      "error linear.not_surjective: the layout reaches 3 of the 5 bits of [dim0 (size 8), dim1 "
      "(size 4)]\n"
      "  no input leads to (2, 0)\n"
      "  hint: give the sizes of the output dimensions");
}

TEST(ErrorText, linear_order) {
  const std::vector<std::int64_t> shape = {4, 2};
  EXPECT_EQ(refusal(identity_standard_nd("offset", shape, std::vector<int>{1, 1})),
            "error linear.order: order (1, 1) is no permutation of 0..1");
  EXPECT_EQ(refusal(identity_standard_nd("offset", shape, std::vector<int>{1})),
            "error linear.order: order (1) has 1 entries, the shape 2");
}

TEST(ErrorText, linear_unknown_dim) {
  EXPECT_EQ(refusal(example().in_dim_size("warp")),
            "error linear.unknown_dim: no input dimension is called warp: there are [register "
            "(size 2), lane (size 4)]");
  EXPECT_EQ(refusal(sublayout(example(), {"lane"}, {"dim2"})),
            "error linear.unknown_dim: no output dimension is called dim2: there are [dim0 (size "
            "4), dim1 (size 2)]");
}

TEST(ErrorText, linear_missing_dim) {
  EXPECT_EQ(refusal(example().apply({{"lane", 1}})),
            "error linear.missing_dim: the point does not give register, one of [register (size "
            "2), lane (size 4)]");
}

TEST(ErrorText, linear_coordinate) {
  EXPECT_EQ(refusal(example().apply({{"register", 0}, {"lane", 4}})),
            "error linear.coordinate: lane=4 is outside [0, 4)");
  EXPECT_EQ(refusal(example().basis("lane", 2)),
            "error linear.coordinate: lane has 2 bases; there is none at 2");
}

TEST(ErrorText, linear_dim_order) {
  EXPECT_EQ(refusal(supremum({"register", "lane"}, {"lane", "register"})),
            "error linear.dim_order: the orders (register, lane) and (lane, register) contradict "
            "each other");
}

TEST(ErrorText, linear_dims_differ) {
  EXPECT_EQ(refusal(compose(example(), one(4, "dim0", "offset"))),
            "error linear.dims_differ: the outputs of the first layout must be the inputs of the "
            "second: (dim0, dim1) and (dim0)");
  EXPECT_EQ(refusal(transpose_ins(example(), {"lane"})),
            "error linear.dims_differ: the order must name each input dimension once: (lane) and "
            "(register, lane)");
  EXPECT_EQ(refusal(concat_ins(one(4, "lane", "dim0"), one(8, "warp", "dim0"))),
            "error linear.dims_differ: both layouts must have one codomain: dim0 has size 4 in the "
            "first and 8 in the second");
}

TEST(ErrorText, linear_dim_too_large) {
  EXPECT_EQ(refusal(compose(one(8, "lane", "offset"), one(4, "offset", "bank"))),
            "error linear.dim_too_large: the outputs of the first layout must be the inputs of the "
            "second: offset has size 8 on the left and 4 on the right");
  EXPECT_EQ(
      refusal(squeeze_in(example(), "lane")),
      "error linear.dim_too_large: only a dimension of size 1 can be squeezed; lane has size 4");
}

TEST(ErrorText, linear_no_solution) {
  EXPECT_EQ(
      refusal(invert_and_compose(
          example(),
          LinearLayout::make({{"offset", {{1, 0}, {2, 0}}}}, example().out_dim_sizes()).value())),
      "error linear.no_solution: the right layout does not reach L(register=1) = (0, 1) of the "
      "left one\n"
      "  its rank is 2, and its outputs [dim0 (size 4), dim1 (size 2)] have 3 bits");
}

TEST(ErrorText, linear_not_invertible) {
  EXPECT_EQ(refusal(invert(zeros_1d(4, "lane", "dim0", 4).value())),
            "error linear.not_invertible: the layout is no bijection: its 2 bases have rank 0, and "
            "[dim0 (size 4)] have 2 bits");
}

TEST(ErrorText, linear_not_divisible) {
  EXPECT_EQ(refusal(divide_left(example(), one(4, "lane", "dim1"))),
            "error linear.not_divisible: there is no c with a = b * c: output dimension dim1 has "
            "size 2 in a and 4 in b");
  EXPECT_EQ(refusal(divide_left(example(), one(2, "lane", "dim1"))),
            "error linear.not_divisible: there is no c with a = b * c: a(register=1) is (0, 1), "
            "not (0, 0)");
  EXPECT_EQ(refusal(divide_right(example(), one(2, "warp", "dim1"))),
            "error linear.not_divisible: there is no c with a = c * b: input dimension warp of b "
            "is none of a, which has (register, lane)");
  EXPECT_EQ(refusal(reps(example(), one(2, "lane", "dim1"))),
            "error linear.not_divisible: the layout does not repeat the tile: L(register=1) is (0, "
            "1), not (0, 0)");
  EXPECT_EQ(
      refusal(reg_perm_for_divide(example(), one(2, "register", "dim0"), true)),
      "error linear.not_divisible: no register basis of a is (1, 0), as register=1 of b needs");
}

TEST(ErrorText, linear_not_trivial) {
  EXPECT_EQ(refusal(quotient(example(), {"lane"})),
            "error linear.not_trivial: the layout is not the identity on (lane): lane is no output "
            "dimension");
  const LinearLayout conversion = LinearLayout::make({{"lane", {{1, 1}}}, {"warp", {{0, 1}}}},
                                                     NamedSizes{{"lane", 2}, {"warp", 2}})
                                      .value();
  EXPECT_EQ(refusal(quotient(conversion, {"warp"})),
            "error linear.not_trivial: the layout is not the identity on (warp): L(lane=1) = (1) "
            "on (warp)");
}

TEST(ErrorText, linear_total_size) {
  EXPECT_EQ(refusal(reshape_ins(example(), {{"thread", 16}})),
            "error linear.total_size: the input dimensions [register (size 2), lane (size 4)] have "
            "3 bits together; [thread (size 16)] have 4");
}

TEST(ErrorText, linear_shape) {
  EXPECT_EQ(refusal(ensure_layout_not_larger_than(
                LinearLayout::make({{"lane", {{1}, {6}, {4}}}}, NamedSizes{{"dim0", 8}}).value(),
                {{"dim0", 4}})),
            "error linear.shape: L(lane=2) leads to 6 on dim0, 2 of it within the size 4 and the "
            "rest beyond\n"
            "  hint: resize_out_dim takes the coordinate modulo 4");
}

TEST(ErrorText, linear_no_dims) {
  EXPECT_EQ(refusal(ensure_layout_not_smaller_than(
                LinearLayout::make({}, NamedSizes{{"dim0", 1}}).value(), {{"dim0", 4}})),
            "error linear.no_dims: dim0 has size 1, less than 4, and there is no input dimension "
            "that could grow");
}

TEST(ErrorText, linear_column_action) {
  EXPECT_EQ(refusal(ColumnAction::make({0, 3}, "register", 3)),
            "error linear.column_action: ColumnAction([0, 3], register, 3): register has 3 bases; "
            "there is none at 3");
  EXPECT_EQ(refusal(ColumnAction::make({1, 1}, "register", 3)),
            "error linear.column_action: ColumnAction([1, 1], register, 3) takes basis 1 twice");
  EXPECT_EQ(refusal(action({1, 0}, 2).apply(example())),
            "error linear.column_action: ColumnAction([1, 0], register, 2) is for 2^2 values of "
            "register; the layout has 2^1");
  EXPECT_EQ(
      refusal(action({1, 0}, 2).apply(std::vector<int>{0, 1})),
      "error linear.column_action: ColumnAction([1, 0], register, 2) is for 2^2 values, not 2");
  EXPECT_EQ(refusal(inverse(action({1}, 2))),
            "error linear.column_action: ColumnAction([1], register, 2) drops bases, so it has no "
            "inverse");
  EXPECT_EQ(refusal(left_compose(action({1}, 2), action({1, 0}, 2))),
            "error linear.column_action: ColumnAction([1], register, 2) leaves 1 bases of "
            "register; ColumnAction([1, 0], register, 2) is for 2 bases of register");
}

TEST(ErrorText, linear_element_bits) {
  EXPECT_EQ(
      refusal(largest_vectorisation(one(4, "register", "offset"), 24)),
      "error linear.element_bits: elements of 24 bits: they must be a power of two up to 128");
}

TEST(ErrorText, linear_values) {
  EXPECT_EQ(refusal(broadcast_as(std::vector<int>{1, 2, 3}, example())),
            "error linear.values: the bases of register have rank 1, so there are 2 values, not 3");
}

TEST(ErrorText, linear_too_large) {
  EXPECT_EQ(refusal(broadcast_as(std::vector<int>{1},
                                 zeros_1d(std::int64_t{1} << 40, "register", "dim0").value())),
            "error linear.too_large: register has size 2^40, more than 2^20 values");
}

}  // namespace
}  // namespace heddle::linear
