// One test an error code of bit matrices and linear layouts: the whole text that the terminal
// shows. A test has the name of its code with `_` for `.`.

#include <gtest/gtest.h>

#include "heddle/form/bit_matrix.h"
#include "heddle/linear/column_action.h"
#include "heddle/linear/linear_layout.h"

namespace heddle::linear {
namespace {

template <class T>
std::string refusal(const Result<T>& result) {
  return result ? "not refused" : result.error().to_string();
}

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
  EXPECT_EQ(refusal(form::kernel(form::BitMatrix::zeros(2, 65))), "");
}

TEST(ErrorText, bit_matrix_no_solution) {
  EXPECT_EQ(refusal(form::solve(form::BitMatrix(2, {0b01}), form::BitMatrix(2, {0b01, 0b10}))), "");
}

TEST(ErrorText, bit_matrix_singular) {
  EXPECT_EQ(refusal(form::inverse(form::BitMatrix(2, {0b11, 0b11}))), "");
}

TEST(ErrorText, linear_duplicate_dim) {
  EXPECT_EQ(refusal(LinearLayout::make({{"lane", {{1}}}, {"lane", {{2}}}}, Names{"dim0"})), "");
  EXPECT_EQ(refusal(rename_in_dim(example(), "lane", "register")), "");
  EXPECT_EQ(refusal(example().apply({{"lane", 1}, {"lane", 2}})), "");
}

TEST(ErrorText, linear_size) {
  EXPECT_EQ(refusal(identity_1d(48, "lane", "dim0")), "");
  EXPECT_EQ(refusal(zeros_1d(0, "lane", "dim0")), "");
  EXPECT_EQ(refusal(resize_in_dim(example(), "lane", std::int64_t{1} << 62 | 1)), "");
}

TEST(ErrorText, linear_basis) {
  EXPECT_EQ(refusal(LinearLayout::make({{"lane", {{1, 0}, {2}}}}, Names{"dim0", "dim1"})), "");
  EXPECT_EQ(refusal(LinearLayout::make({{"lane", {{-1}}}}, Names{"dim0"})), "");
  EXPECT_EQ(refusal(LinearLayout::make({{"lane", {{1}, {4}}}}, NamedSizes{{"dim0", 4}})), "");
}

TEST(ErrorText, linear_too_many_bits) {
  const std::int64_t large = std::int64_t{1} << 40;
  EXPECT_EQ(refusal(one(large, "a", "x") * one(large, "b", "x")), "");
  EXPECT_EQ(refusal(one(large, "a", "x") * one(large, "b", "y")), "");
  EXPECT_EQ(refusal(strided_1d(large, large, "a", "x")), "");
}

TEST(ErrorText, linear_not_surjective) {
  EXPECT_EQ(
      refusal(LinearLayout::make({{"lane", {{1, 0}, {5, 1}, {2, 2}}}}, Names{"dim0", "dim1"})), "");
}

TEST(ErrorText, linear_order) {
  const std::vector<std::int64_t> shape = {4, 2};
  EXPECT_EQ(refusal(identity_standard_nd("offset", shape, std::vector<int>{1, 1})), "");
  EXPECT_EQ(refusal(identity_standard_nd("offset", shape, std::vector<int>{1})), "");
}

TEST(ErrorText, linear_unknown_dim) {
  EXPECT_EQ(refusal(example().in_dim_size("warp")), "");
  EXPECT_EQ(refusal(sublayout(example(), {"lane"}, {"dim2"})), "");
}

TEST(ErrorText, linear_missing_dim) { EXPECT_EQ(refusal(example().apply({{"lane", 1}})), ""); }

TEST(ErrorText, linear_coordinate) {
  EXPECT_EQ(refusal(example().apply({{"register", 0}, {"lane", 4}})), "");
  EXPECT_EQ(refusal(example().basis("lane", 2)), "");
}

TEST(ErrorText, linear_dim_order) {
  EXPECT_EQ(refusal(supremum({"register", "lane"}, {"lane", "register"})), "");
}

TEST(ErrorText, linear_dims_differ) {
  EXPECT_EQ(refusal(compose(example(), one(4, "dim0", "offset"))), "");
  EXPECT_EQ(refusal(transpose_ins(example(), {"lane"})), "");
  EXPECT_EQ(refusal(concat_ins(one(4, "lane", "dim0"), one(8, "warp", "dim0"))), "");
}

TEST(ErrorText, linear_dim_too_large) {
  EXPECT_EQ(refusal(compose(one(8, "lane", "offset"), one(4, "offset", "bank"))), "");
  EXPECT_EQ(refusal(squeeze_in(example(), "lane")), "");
}

TEST(ErrorText, linear_no_solution) {
  EXPECT_EQ(
      refusal(invert_and_compose(
          example(),
          LinearLayout::make({{"offset", {{1, 0}, {2, 0}}}}, example().out_dim_sizes()).value())),
      "");
}

TEST(ErrorText, linear_not_invertible) {
  EXPECT_EQ(refusal(invert(zeros_1d(4, "lane", "dim0", 4).value())), "");
}

TEST(ErrorText, linear_not_divisible) {
  EXPECT_EQ(refusal(divide_left(example(), one(4, "lane", "dim1"))), "");
  EXPECT_EQ(refusal(divide_left(example(), one(2, "lane", "dim1"))), "");
  EXPECT_EQ(refusal(divide_right(example(), one(2, "warp", "dim1"))), "");
  EXPECT_EQ(refusal(reps(example(), one(2, "lane", "dim1"))), "");
  EXPECT_EQ(refusal(reg_perm_for_divide(example(), one(2, "register", "dim0"), true)), "");
}

TEST(ErrorText, linear_not_trivial) {
  EXPECT_EQ(refusal(quotient(example(), {"lane"})), "");
  const LinearLayout conversion = LinearLayout::make({{"lane", {{1, 1}}}, {"warp", {{0, 1}}}},
                                                     NamedSizes{{"lane", 2}, {"warp", 2}})
                                      .value();
  EXPECT_EQ(refusal(quotient(conversion, {"warp"})), "");
}

TEST(ErrorText, linear_total_size) {
  EXPECT_EQ(refusal(reshape_ins(example(), {{"thread", 16}})), "");
}

TEST(ErrorText, linear_shape) {
  EXPECT_EQ(refusal(ensure_layout_not_larger_than(
                LinearLayout::make({{"lane", {{1}, {6}, {4}}}}, NamedSizes{{"dim0", 8}}).value(),
                {{"dim0", 4}})),
            "");
}

TEST(ErrorText, linear_no_dims) {
  EXPECT_EQ(refusal(ensure_layout_not_smaller_than(
                LinearLayout::make({}, NamedSizes{{"dim0", 1}}).value(), {{"dim0", 4}})),
            "");
}

TEST(ErrorText, linear_column_action) {
  EXPECT_EQ(refusal(ColumnAction::make({0, 3}, "register", 3)), "");
  EXPECT_EQ(refusal(ColumnAction::make({1, 1}, "register", 3)), "");
  EXPECT_EQ(refusal(action({1, 0}, 2).apply(example())), "");
  EXPECT_EQ(refusal(action({1, 0}, 2).apply(std::vector<int>{0, 1})), "");
  EXPECT_EQ(refusal(inverse(action({1}, 2))), "");
  EXPECT_EQ(refusal(left_compose(action({1}, 2), action({1, 0}, 2))), "");
}

TEST(ErrorText, linear_element_bits) {
  EXPECT_EQ(refusal(largest_vectorisation(one(4, "register", "offset"), 24)), "");
}

TEST(ErrorText, linear_values) {
  EXPECT_EQ(refusal(broadcast_as(std::vector<int>{1, 2, 3}, example())), "");
}

TEST(ErrorText, linear_too_large) {
  EXPECT_EQ(refusal(broadcast_as(std::vector<int>{1},
                                 zeros_1d(std::int64_t{1} << 40, "register", "dim0").value())),
            "");
}

}  // namespace
}  // namespace heddle::linear
