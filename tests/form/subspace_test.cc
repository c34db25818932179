#include "heddle/form/subspace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <set>

#include "support/law.h"

namespace heddle::form {
namespace {

using test::Finding;
using test::for_all;
using test::found;
using test::kHolds;
using test::Operands;
using test::Random;

using Words = std::vector<std::uint64_t>;

Words words(const std::vector<std::int64_t>& numbers) { return {numbers.begin(), numbers.end()}; }

/// Every XOR of some of the vectors, one by one.
std::set<std::uint64_t> plain_span(const Words& vectors) {
  std::set<std::uint64_t> span = {0};
  for (const std::uint64_t vector : vectors) {
    Words more;
    for (const std::uint64_t member : span) more.push_back(member ^ vector);
    span.insert(more.begin(), more.end());
  }
  return span;
}

/// Words of six bits; half of them go to each of two spaces.
Operands some_words(Random& random) {
  Operands operands;
  for (std::int64_t n = random.between(0, 10); n > 0; --n) {
    operands.numbers.push_back(random.between(0, 63));
  }
  return operands;
}

Words first_half(const Operands& operands) {
  Words all = words(operands.numbers);
  all.resize(all.size() / 2);
  return all;
}

Words second_half(const Operands& operands) {
  const Words all = words(operands.numbers);
  return {all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2), all.end()};
}

TEST(Subspace, ExampleOfTheHeader) {
  Subspace space;
  EXPECT_TRUE(space.insert(0b011));
  EXPECT_TRUE(space.insert(0b110));
  EXPECT_FALSE(space.insert(0b101));
  EXPECT_EQ(space.reduce(0b111), 0b001U);
  EXPECT_EQ(space.dimension(), 2U);
}

TEST(Subspace, ExpressesByLabels) {
  Subspace space;
  space.insert(0b011);
  space.insert(0b110);
  EXPECT_EQ(space.express(0b101), 0b11U);
  EXPECT_EQ(space.express(0b001), std::nullopt);
  Subspace labelled;
  labelled.insert(0b011, 1000);
  labelled.insert(0b110, 7);
  EXPECT_EQ(labelled.express(0b101), 1000U ^ 7U);
  EXPECT_EQ(labelled.express(0b011), 1000U);
}

TEST(Subspace, SixtyFourBits) {
  Subspace space;
  for (int bit = 63; bit >= 0; --bit) EXPECT_TRUE(space.insert(~std::uint64_t{0} >> (63 - bit)));
  EXPECT_EQ(space.dimension(), 64U);
  EXPECT_EQ(space.leading_bits(), ~std::uint64_t{0});
  EXPECT_FALSE(space.insert(0x123456789abcdef0));
  // The vectors were runs of ones from bit 0; bit 40 alone is the difference of two of them.
  EXPECT_EQ(space.express(std::uint64_t{1} << 40),
            std::uint64_t{1} << (63 - 40) | std::uint64_t{1} << (63 - 39));
}

TEST(SubspaceLaws, HoldsTheXorsOfItsVectors) {
  for_all(some_words, [](const Operands& operands) -> Finding {
    const Words vectors = words(operands.numbers);
    const Subspace space(vectors);
    const auto span = plain_span(vectors);
    if (std::uint64_t{1} << space.dimension() != span.size()) return found("dimension");
    for (std::uint64_t word = 0; word < 64; ++word) {
      if (space.contains(word) != span.contains(word)) return found("contains ", word);
      // What is left is in the same coset, and the least there is.
      std::uint64_t least = word;
      for (const std::uint64_t member : span) least = std::min(least, word ^ member);
      if (space.reduce(word) != least) return found("reduce ", word);
    }
    return kHolds;
  });
}

TEST(SubspaceLaws, ExpressNamesVectorsThatXorToIt) {
  for_all(some_words, [](const Operands& operands) -> Finding {
    Subspace space;
    Words inserted;
    for (const std::uint64_t vector : words(operands.numbers)) {
      if (space.insert(vector)) inserted.push_back(vector);
    }
    for (std::uint64_t word = 0; word < 64; ++word) {
      const auto choice = space.express(word);
      if (choice.has_value() != space.contains(word)) return found("express ", word);
      if (!choice) continue;
      std::uint64_t sum = 0;
      for (std::size_t i = 0; i < inserted.size(); ++i) {
        if ((*choice >> i & 1U) != 0) sum ^= inserted[i];
      }
      if (sum != word || *choice >> inserted.size() != 0) return found("express ", word);
    }
    return kHolds;
  });
}

TEST(SubspaceLaws, TheBasisIsReducedAndRises) {
  for_all(some_words, [](const Operands& operands) -> Finding {
    const Subspace space(words(operands.numbers));
    const Words basis = space.basis();
    if (Subspace(basis) != space || basis.size() != space.dimension()) return found("basis");
    if (!std::ranges::is_sorted(basis)) return found("order");
    std::uint64_t leads = 0;
    for (const std::uint64_t vector : basis) leads |= std::bit_floor(vector);
    if (leads != space.leading_bits()) return found("leading bits");
    for (const std::uint64_t vector : basis) {
      if ((vector & leads) != std::bit_floor(vector)) return found("not reduced: ", vector);
    }
    return kHolds;
  });
}

TEST(SubspaceLaws, IntersectionAndSum) {
  for_all(some_words, [](const Operands& operands) -> Finding {
    const Words first = first_half(operands);
    const Words second = second_half(operands);
    const Subspace both = intersection(Subspace(first), Subspace(second));
    const Subspace either = sum(Subspace(first), Subspace(second));
    const auto span_first = plain_span(first);
    const auto span_second = plain_span(second);
    for (std::uint64_t word = 0; word < 64; ++word) {
      if (both.contains(word) != (span_first.contains(word) && span_second.contains(word))) {
        return found("intersection: ", word);
      }
    }
    if (either != Subspace(words(operands.numbers))) return found("sum");
    return kHolds;
  });
}

TEST(SubspaceLaws, TheComplementCompletesTheSpace) {
  for_all(some_words, [](const Operands& operands) -> Finding {
    const Subspace space(words(operands.numbers));
    const Words missing = complement(space, 6);
    if (missing.size() + space.dimension() != 6) return found("count");
    if (sum(space, Subspace(missing)).dimension() != 6) return found("span");
    for (const std::uint64_t vector : missing) {
      if (!std::has_single_bit(vector)) return found("no single bit: ", vector);
    }
    return kHolds;
  });
}

}  // namespace
}  // namespace heddle::form
