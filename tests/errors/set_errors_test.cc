// One test an error code of sets and loops: the whole text that the terminal shows. A test has the
// name of its code with `_` for `.`.

#include <gtest/gtest.h>

#include <string>

#include "heddle/emit/loops.h"
#include "heddle/map/integer_set.h"
#include "heddle/map/loop_nest.h"
#include "support/any_layout.h"

namespace heddle::map {
namespace {

template <class T>
std::string text_of(const Result<T>& result) {
  return result ? "not refused" : result.error().to_string();
}

IntegerSet set_of(const std::string& text) { return IntegerSet::parse(text).value(); }

AnyLayout row_major() { return test::strided(IntTuple{4, 8}, cute::to_strides(IntTuple{8, 1})); }

TEST(ErrorText, count_too_large) {
  EXPECT_EQ(
      text_of(count(set_of("{ [i, j, k] : 0 <= i <= j <= k < 100000 }"))),
      "error count.too_large: counting takes more than 4194304 steps: dimensions that share a "
      "constraint are enumerated, all but one\n"
      "  { [i, j, k] : i >= 0 and j >= i and j <= k <= 99999 }");
}

TEST(ErrorText, count_symbolic) {
  EXPECT_EQ(text_of(count(set_of("[N] -> { [i, j] : 0 <= j <= i < N }"))),
            "error count.symbolic: the number of points depends on N, and the set is no box\n"
            "  [N] -> { [i, j] : i < N and 0 <= j <= i }\n"
            "  hint: give the parameters values: --assume 'N==16'");
}

TEST(SetHints, DeclareAParameter) {
  EXPECT_EQ(text_of(IntegerSet::parse("{ [i, j] : 0 <= j <= i < N }")),
            "error relation.syntax: nothing is called 'N': it is no dimension, no parameter and "
            "not declared by exists\n"
            "  hint: a parameter is declared in front: [N] -> { … }");
}

TEST(SetHints, OrdersOfUnknownStrides) {
  const Int columns = Int::variable("N", 1, 4096);
  LoopOptions options;
  options.order = LoopOrder::kImage;
  EXPECT_EQ(text_of(loops(AnyLayout(test::strided(IntTuple{Int(4), columns},
                                                  cute::to_strides(IntTuple{columns, Int(1)}))),
                          options)),
            "error relation.not_affine: the layout is no quasi-affine relation\n"
            "  N*c0+c1 multiplies two things that vary\n"
            "  hint: the order of images needs strides that are numbers; the other orders do not");
}

TEST(ErrorText, loops_order) {
  LoopOptions options;
  options.order = DimensionOrder{1, 1};
  EXPECT_EQ(text_of(loops(row_major(), options)),
            "error loops.order: (1,1) is no permutation of the 2 dimensions of a point");
  options.order = IntegerRelation::parse("{ [i, j] -> [j] : j < 7 }").value();
  EXPECT_EQ(text_of(loops(row_major(), options)),
            "error loops.order: the schedule gives the point (0,7) no rank");
  options.order = IntegerRelation::parse("{ [i, j] -> [k] : i <= k <= i + 1 }").value();
  EXPECT_EQ(text_of(loops(row_major(), options)),
            "error loops.order: the schedule gives the point (0,0) two ranks, 0 and 1");
  options.order = LoopOrder::kImage;
  EXPECT_EQ(text_of(loops(set_of("{ [i] : 0 <= i < 8 }"), options)),
            "error loops.order: a set has no images that could give an order");
  options.order = LoopOrder::kDomain;
  options.tile = {4};
  EXPECT_EQ(text_of(loops(row_major(), options)),
            "error loops.order: a tile of 1 size for points of 2 dimensions");
}

TEST(ErrorText, loops_not_parallel) {
  const LoopNest nest =
      loops(AnyLayout(test::strided(IntTuple(8), cute::to_strides(IntTuple(0))))).value();
  EXPECT_EQ(
      text_of(emit::to_text(nest, {emit::Dialect::kC, "scan", true})),
      "error loops.not_parallel: no loop over 8:0 is known to be parallel: its iterations may have "
      "places in common\n"
      "  hint: the loops over its points alone may run in any order: loops(domain(L), "
      "openmp=true)");
}

}  // namespace
}  // namespace heddle::map
