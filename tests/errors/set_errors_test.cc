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
  EXPECT_EQ(text_of(count(set_of("{ [i, j, k] : 0 <= i <= j <= k < 100000 }"))), "");
}

TEST(ErrorText, count_symbolic) {
  EXPECT_EQ(text_of(count(set_of("[N] -> { [i, j] : 0 <= j <= i < N }"))), "");
}

TEST(ErrorText, loops_order) {
  LoopOptions options;
  options.order = DimensionOrder{1, 1};
  EXPECT_EQ(text_of(loops(row_major(), options)), "");
  options.order = IntegerRelation::parse("{ [i, j] -> [j] : j < 7 }").value();
  EXPECT_EQ(text_of(loops(row_major(), options)), "");
  options.order = IntegerRelation::parse("{ [i, j] -> [k] : i <= k <= i + 1 }").value();
  EXPECT_EQ(text_of(loops(row_major(), options)), "");
  options.order = LoopOrder::kImage;
  EXPECT_EQ(text_of(loops(set_of("{ [i] : 0 <= i < 8 }"), options)), "");
  options.order = LoopOrder::kDomain;
  options.tile = {4};
  EXPECT_EQ(text_of(loops(row_major(), options)), "");
}

TEST(ErrorText, loops_too_large) {
  std::string parts;
  for (int i = 0; i < 1000; ++i) {
    parts += (i == 0 ? "{ " : "; ") + std::string("[x, y] : ") +
             "x = " + std::to_string(i * i % 7919) + " and y = " + std::to_string(i * i * i % 7907);
  }
  EXPECT_EQ(text_of(loops(set_of(parts + " }"))), "");
}

TEST(ErrorText, loops_not_parallel) {
  const LoopNest nest =
      loops(AnyLayout(test::strided(IntTuple(8), cute::to_strides(IntTuple(0))))).value();
  EXPECT_EQ(text_of(emit::to_text(nest, {emit::Dialect::kC, "scan", true})), "");
}

}  // namespace
}  // namespace heddle::map
