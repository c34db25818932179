// Laws of the operations on many coordinates at once: they are the plain evaluation, repeated.

#include "heddle/cute/tabulate.h"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "support/contract.h"
#include "support/law.h"

namespace heddle::test {
namespace {

using cute::ComposedLayout;
using cute::Layout;

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

/// The plain indices of these coordinates.
std::vector<std::int64_t> plain_indices(const Plain& layout,
                                        const std::vector<std::int64_t>& coordinates) {
  std::vector<std::int64_t> indices;
  for (const std::int64_t coordinate : coordinates) {
    indices.push_back(evaluate(layout, coordinate));
  }
  return indices;
}

std::vector<std::int64_t> first(std::int64_t count) {
  std::vector<std::int64_t> coordinates(static_cast<std::size_t>(count));
  std::iota(coordinates.begin(), coordinates.end(), std::int64_t{0});
  return coordinates;
}

TEST(Tabulate, IsTheIndexOfEachCoordinateAlsoPastTheEnd) {
  const auto operands = [](Random& random) {
    const Plain layout = any_layout(random, 6000);
    return Operands{{layout}, {random.between(0, 2 * size(layout))}};
  };
  for_all(operands, [](const Operands& o) -> Finding {
    std::vector<std::int64_t> indices(static_cast<std::size_t>(o.numbers[0]), -1);
    const Result<void> done = cute::tabulate(to_layout(o.layouts[0]), indices);
    if (!done) return found(done.error());
    return differs(indices, plain_indices(o.layouts[0], first(o.numbers[0])));
  });
}

TEST(EvaluateMany, IsTheIndexOfEachCoordinate) {
  const auto operands = [](Random& random) {
    const Plain layout = any_layout(random, 4000);
    std::vector<std::int64_t> coordinates;
    for (std::int64_t n = random.between(0, 700); n > 0; --n) {
      coordinates.push_back(random.between(0, 3 * size(layout)));
    }
    return Operands{{layout}, coordinates};
  };
  for_all(operands, [](const Operands& o) -> Finding {
    std::vector<std::int64_t> indices(o.numbers.size(), -1);
    const Result<void> done = cute::evaluate(to_layout(o.layouts[0]), o.numbers, indices);
    if (!done) return found(done.error());
    return differs(indices, plain_indices(o.layouts[0], o.numbers));
  });
}

// The reciprocals must be right for every divisor and up to the end of the 64 bits.
TEST(EvaluateMany, DividesExactlyWithHugeExtentsAndCoordinates) {
  const auto operands = [](Random& random) {
    const std::int64_t a = random.between(2, std::int64_t{1} << random.between(2, 40));
    const std::int64_t b = random.between(2, std::int64_t{1} << random.between(2, 18));
    std::vector<std::int64_t> numbers{a, b};
    const std::int64_t multiple = kMost / a * a;
    for (const std::int64_t near : {a, a * b, multiple, kMost - 2}) {
      for (std::int64_t offset = -2; offset <= 2; ++offset)
        numbers.push_back(offset > 0 && near > kMost - offset ? kMost : near + offset);
    }
    for (int n = 0; n < 40; ++n) numbers.push_back(random.between(0, kMost));
    for (std::int64_t& number : numbers) number = std::max<std::int64_t>(number, 0);
    return Operands{{}, numbers};
  };
  for_all(operands, [](const Operands& o) -> Finding {
    if (o.numbers.size() < 2 || o.numbers[0] < 2 || o.numbers[1] < 2) return kSaysNothing;
    const Plain layout =
        plain_tuple({plain_leaf(o.numbers[0], 3), plain_leaf(o.numbers[1], 0), plain_leaf(5, 1)});
    std::vector<std::int64_t> coordinates(o.numbers.begin() + 2, o.numbers.end());
    const std::vector<std::int64_t> wanted = plain_indices(layout, coordinates);
    const Result<void> done = cute::evaluate(to_layout(layout), coordinates, coordinates);
    if (!done) return found(done.error());
    return differs(coordinates, wanted);
  });
}

TEST(EvaluateMany, AcceptsNegativeCoordinatesOfOneModeAlone) {
  std::vector<std::int64_t> indices{-3, 2};
  ASSERT_TRUE(cute::evaluate(to_layout(plain_leaf(4, 5)), indices, indices));
  EXPECT_EQ(indices, (std::vector<std::int64_t>{-15, 10}));
}

TEST(EvaluateMany, RefusesExactlyTheIndicesPast64Bits) {
  const Layout layout = to_layout(plain_tuple({plain_leaf(2, 1), plain_leaf(4, kMost / 8)}));
  std::vector<std::int64_t> indices{17};
  ASSERT_TRUE(cute::evaluate(layout, std::vector<std::int64_t>{17}, indices));
  EXPECT_EQ(indices.front(), 1 + 8 * (kMost / 8));
  const auto refused = cute::evaluate(layout, std::vector<std::int64_t>{1, 18}, std::span(indices));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), "tuple.incongruent");
  const auto past = cute::evaluate(layout, std::vector<std::int64_t>{18}, indices);
  ASSERT_FALSE(past);
  EXPECT_EQ(past.error().to_string(),
            "error overflow: the index of (2,4):(1,1152921504606846975) at 18 has no 64-bit value: "
            "it overflows, divides by zero or exceeds the limit on terms");
  std::vector<std::int64_t> many(19);
  const auto table = cute::tabulate(layout, many);
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error(), past.error());
  EXPECT_TRUE(cute::tabulate(layout, std::span(many).first(18)));
  EXPECT_EQ(many[17], indices.front());
}

TEST(EvaluateMany, RefusesWhatHasNoNumbers) {
  std::vector<std::int64_t> indices{-1};
  const Layout identity = *cute::make_identity_layout({4, 8});
  EXPECT_EQ(cute::tabulate(identity, indices).error().to_string(),
            "error layout.not_integral: tabulate: (4,8):(1@0,1@1) has strides in several axes, so "
            "its indices are not numbers");
  const Layout two_modes = to_layout(plain_tuple({plain_leaf(2, 1), plain_leaf(2, 2)}));
  EXPECT_EQ(cute::evaluate(two_modes, indices, indices).error().to_string(),
            "error coordinate.negative: the flat coordinate -1 of several modes of (2,2):(1,2) is "
            "negative");
}

TEST(Tabulate, SwizzlesAComposedLayout) {
  const auto operands = [](Random& random) {
    return Operands{{positive_layout(random)}, {random.between(0, 99)}};
  };
  for_all(operands, [](const Operands& o) -> Finding {
    const cute::Swizzle swizzle = *cute::Swizzle::make(2, 1, 3);
    const ComposedLayout layout =
        *ComposedLayout::make(swizzle, o.numbers[0], to_layout(o.layouts[0]));
    std::vector<std::int64_t> tabulated(static_cast<std::size_t>(size(o.layouts[0])));
    std::vector<std::int64_t> evaluated = first(size(o.layouts[0]));
    if (!cute::tabulate(layout, tabulated)) return found("refused");
    if (!cute::evaluate(layout, evaluated, evaluated)) return found("refused");
    std::vector<std::int64_t> wanted;
    for (std::int64_t c = 0; c < size(o.layouts[0]); ++c) wanted.push_back(layout(c).value());
    if (const Finding finding = differs(evaluated, wanted)) return finding;
    return differs(tabulated, wanted);
  });
}

}  // namespace
}  // namespace heddle::test
