// Seed 000, "Modeling Layout Abstractions Using Integer Set Relations": its integer sets, and the
// tiling of a loop that is the coordinate mapping (section 3.2).

#include <gtest/gtest.h>

#include <string>

#include "heddle/emit/loops.h"
#include "heddle/expr/proof.h"
#include "heddle/map/integer_set.h"
#include "heddle/map/loop_nest.h"
#include "heddle/map/relations.h"
#include "support/any_layout.h"

namespace heddle::map {
namespace {

IntegerSet set_of(const std::string& text) { return IntegerSet::parse(text).value(); }
IntegerRelation relation_of(const IntTuple& shape, const IntTuple& stride) {
  return relation(AnyLayout(test::strided(shape, cute::to_strides(stride)))).value();
}

TEST(Seed000Sets, Equation6ExampleHasNTimesMPoints) {
  const IntegerSet region = set_of("[N, M] -> { [i, j] : 0 <= i < N and 0 <= j < M }");
  const Int points = count(region).value();
  for (const std::int64_t n : {0, 1, 5}) {
    for (const std::int64_t m : {-2, 3}) {
      EXPECT_EQ(instantiate(points, {{"N", Int(n)}, {"M", Int(m)}}).value(),
                Int(m > 0 ? n * m : 0));
    }
  }
}

TEST(Seed000Sets, Equations9And10AreDomainAndRangeOfTheCoordinateMapping) {
  const IntegerRelation mapping = coordinate_mapping(IntTuple{4, 2, 2}).value();
  EXPECT_TRUE(equal(domain(mapping).value(), set_of("{ [c] : 0 <= c < 16 }")).is_yes());
  const IntegerSet natural =
      set_of("{ [c0, c1, c2] : 0 <= c0 < 4 and 0 <= c1 < 2 and 0 <= c2 < 2 }");
  EXPECT_TRUE(equal(range(mapping).value(), natural).is_yes());
  const IntegerRelation index =
      index_mapping(test::strided(IntTuple{4, 2, 2}, cute::to_strides(IntTuple{2, 1, 8}))).value();
  EXPECT_TRUE(equal(domain(index).value(), natural).is_yes());
}

TEST(Seed000Sets, Section2_1_2TheComplementFillsTheGaps) {
  const IntegerSet within = set_of("{ [m] : 0 <= m < 32 }");
  const IntegerSet missing =
      gaps(range(relation_of(IntTuple{4, 2}, IntTuple{1, 16})).value()).value();
  EXPECT_EQ(missing.text(), "{ [m] : 4 <= m <= 15 }");
  const IntegerSet whole = range(relation_of(IntTuple{4, 2, 4}, IntTuple{1, 16, 4})).value();
  EXPECT_TRUE(equal(whole, within).is_yes());
}

TEST(Seed000Sets, Section6BeyondExistingLayouts) {
  const IntegerRelation fan =
      IntegerRelation::parse("{ [c0] -> [(-3c0) mod 16] : 0 <= c0 <= 15 }").value();
  EXPECT_TRUE(equal(range(fan).value(), domain(fan).value()).is_yes());
  EXPECT_EQ(count(set_of("{ [i, j] : 0 <= j <= i < 16 }")).value(), Int(136));
  EXPECT_EQ(gaps(set_of("{ [i] : 0 <= i < 8 and i != 3 }")).value().text(), "{ [i = 3] }");
}

TEST(Seed000Sets, Section3_2ACoordinateMappingIsATilingOfTheLoop) {
  LoopOptions options;
  options.order = coordinate_mapping(IntTuple{4, 2, 2}).value();
  const LoopNest nest = loops(set_of("{ [c] : 0 <= c < 16 }"), options).value();
  EXPECT_EQ(emit::to_text(nest, {emit::Dialect::kPython, "scan"}).value(),
            "# scan: visits each point c of { [c] : 0 <= c <= 15 },\n"
            "# once, in the order of { [c] -> [(c) mod 4, (floor((c)/4)) mod 2, floor((c)/8)] : "
            "0 <= c <= 15 }.\n"
            "\n\n"
            "def scan():\n"
            "    for rank0 in range(4):\n"
            "        for rank1 in range(2):\n"
            "            for rank2 in range(2):\n"
            "                yield rank0 + (rank1 << 2) + (rank2 << 3)\n");
}

}  // namespace
}  // namespace heddle::map
