#include "heddle/machine/copy_width.h"

#include <gtest/gtest.h>

#include <map>

#include "support/law.h"
#include "support/plain.h"
#include "support/random.h"

namespace heddle::test {
namespace {

using machine::copy_width;
using machine::CopyWidth;

/// The same elements in both, with the strides of each.
Operands two_of_one_shape(Random& random) {
  const Plain a = injective_layout(random, 128);
  Plain b = injective_layout(random, 128);
  if (random.chance(60)) b = a;
  return {{a, b}, {std::int64_t{1} << random.between(2, 6)}};
}

TEST(CopyWidth, MovesVectorsThatAreWholeAlignedAndAlikeInBoth) {
  for_all(two_of_one_shape, [](const Operands& o) -> Finding {
    if (size(o.layouts[0]) != size(o.layouts[1])) return kSaysNothing;
    const auto width = copy_width(to_layout(o.layouts[0]), to_layout(o.layouts[1]), o.numbers[0]);
    if (!width) return kSaysNothing;
    const std::int64_t elements = width->elements();
    std::map<std::int64_t, std::int64_t> vector_in_b;
    for (std::int64_t c = 0; c < size(o.layouts[0]); ++c) {
      const std::int64_t in_a = evaluate(o.layouts[0], c);
      const std::int64_t in_b = evaluate(o.layouts[1], c);
      if (in_a % elements != in_b % elements) return found(to_string(*width), " at ", c);
      const auto [known, is_new] = vector_in_b.emplace(in_a / elements, in_b / elements);
      if (known->second != in_b / elements) return found(to_string(*width), " torn at ", c);
    }
    return kHolds;
  });
}

TEST(CopyWidth, IsThatOfCuTe) {
  const auto width = [](const cute::Layout& a, const cute::Layout& b, std::int64_t bits) {
    return copy_width(a, b, bits).value().vector_bits;
  };
  const auto layout = [](const IntTuple& shape, const cute::StrideTuple& stride) {
    return cute::make_layout(shape, stride).value();
  };
  EXPECT_EQ(width(layout(32, 1), layout(32, 1), 16), 128);
  EXPECT_EQ(width(layout({4, 8}, {1, 4}), layout({4, 8}, {1, 16}), 16), 64);
  EXPECT_EQ(width(layout({4, 8}, {1, 4}), layout({4, 8}, {1, 6}), 16), 32);
  EXPECT_EQ(width(layout({4, 8}, {8, 1}), layout({4, 8}, {1, 4}), 32), 32);
  // Six elements of 16 bits: the greatest common divisor of 96 and 128 bits.
  EXPECT_EQ(width(layout(6, 1), layout(6, 1), 16), 32);
  // Four bits alone are no byte.
  EXPECT_EQ(width(layout(3, 1), layout(3, 1), 4), 4);
  EXPECT_EQ(width(layout(8, 1), layout(8, 1), 4), 32);
}

TEST(CopyWidth, SaysWhatIsInTheWay) {
  const cute::Layout a = cute::make_layout({4, 8}, {1, 4}).value();
  const cute::Layout b = cute::make_layout({4, 8}, {1, 16}).value();
  EXPECT_EQ(copy_width(a, b, 16).value().limits,
            (std::vector<std::string>{"(0,1) is at 4 in a and at 16 in b",
                                      "b is aligned to 64 bits only"}));
  EXPECT_EQ(copy_width(a, a, 16).value().limits,
            std::vector<std::string>{"128 bits are the most at a time"});
  EXPECT_EQ(copy_width(a, a, 16, 32).value().limits,
            std::vector<std::string>{"32 bits are the most at a time"});
}

}  // namespace
}  // namespace heddle::test
