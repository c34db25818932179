#include "heddle/core/inline_vector.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <compare>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace heddle {
namespace {

using Strings = InlineVector<std::string, 3>;

/// Long enough that a std::string allocates: a lost or doubled element shows.
std::string word(int n) { return "element number " + std::to_string(n) + " of the vector"; }

std::vector<std::string> plain(const Strings& strings) { return {strings.begin(), strings.end()}; }

bool is_inside(const Strings& strings) {
  const auto* begin = reinterpret_cast<const std::byte*>(&strings);
  const auto* data = reinterpret_cast<const std::byte*>(strings.data());
  return data >= begin && data < begin + sizeof(strings);
}

TEST(InlineVector, HoldsItsFirstElementsInside) {
  Strings strings{word(0), word(1), word(2)};
  EXPECT_TRUE(is_inside(strings));
  strings.push_back(word(3));
  EXPECT_FALSE(is_inside(strings));
  EXPECT_EQ(plain(strings), (std::vector{word(0), word(1), word(2), word(3)}));
}

TEST(InlineVector, AMovedFromVectorIsEmptyAndUsable) {
  for (int size = 0; size < 7; ++size) {
    Strings from;
    for (int i = 0; i < size; ++i) from.push_back(word(i));
    const std::vector<std::string> wanted = plain(from);
    Strings to = std::move(from);
    EXPECT_EQ(plain(to), wanted);
    EXPECT_TRUE(from.empty());  // NOLINT(bugprone-use-after-move): that is the promise
    EXPECT_TRUE(is_inside(from));
    from.push_back(word(9));
    EXPECT_EQ(plain(from), std::vector{word(9)});
    to = std::move(from);
    EXPECT_EQ(plain(to), std::vector{word(9)});
  }
}

TEST(InlineVector, AssignsToItself) {
  Strings strings{word(0), word(1)};
  const Strings& same = strings;
  strings = same;
  EXPECT_EQ(plain(strings), (std::vector{word(0), word(1)}));
}

TEST(InlineVector, GrowsByItsOwnElements) {
  Strings strings{word(0), word(1), word(2)};
  strings.push_back(strings.front());
  strings.resize(9, strings[1]);
  EXPECT_EQ(strings[3], word(0));
  EXPECT_EQ(strings[8], word(1));
}

TEST(InlineVector, HoldsWhatCanOnlyBeMoved) {
  InlineVector<std::unique_ptr<int>, 2> pointers;
  for (int i = 0; i < 5; ++i) pointers.push_back(std::make_unique<int>(i));
  auto moved = std::move(pointers);
  ASSERT_EQ(moved.size(), 5U);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(*moved[static_cast<std::size_t>(i)], i);
}

TEST(InlineVector, ComparesLikeSequences) {
  const InlineVector<int, 2> a{1, 2};
  const InlineVector<int, 2> b{1, 2, 3};
  EXPECT_EQ(a, (InlineVector<int, 2>{1, 2}));
  EXPECT_NE(a, b);
  EXPECT_LT(a, b);
}

/// Throws when a copy is one too many.
struct Fragile {
  explicit Fragile(int& copies_left) : copies_left_(&copies_left), held_(std::make_unique<int>()) {}
  Fragile(const Fragile& other) : copies_left_(other.copies_left_), held_(std::make_unique<int>()) {
    if ((*copies_left_)-- == 0) throw std::runtime_error("no more copies");
  }
  Fragile(Fragile&&) noexcept = default;
  Fragile& operator=(const Fragile&) = delete;
  Fragile& operator=(Fragile&&) noexcept = default;
  ~Fragile() = default;

  int* copies_left_;
  std::unique_ptr<int> held_;
};

// The address sanitizer would see an element or a block that is lost.
TEST(InlineVector, LosesNothingWhenACopyThrows) {
  int copies_left = 100;
  InlineVector<Fragile, 2> fragile;
  for (int i = 0; i < 5; ++i) fragile.emplace_back(copies_left);
  copies_left = 3;
  EXPECT_THROW((InlineVector<Fragile, 2>(fragile)), std::runtime_error);
  copies_left = 0;
  EXPECT_THROW(fragile.push_back(fragile.front()), std::runtime_error);
  EXPECT_EQ(fragile.size(), 5U);
}

// Any sequence of operations leaves what it leaves in a std::vector.
RC_GTEST_PROP(InlineVector, IsAStandardVectorInWhatItHolds, ()) {
  Strings tested;
  std::vector<std::string> standard;
  const int steps = *rc::gen::inRange(0, 40);
  for (int step = 0; step < steps; ++step) {
    const auto at =
        static_cast<std::ptrdiff_t>(*rc::gen::inRange(std::size_t{0}, standard.size() + 1));
    const auto to = *rc::gen::inRange(at, static_cast<std::ptrdiff_t>(standard.size()) + 1);
    const std::vector<std::string> more(*rc::gen::inRange(std::size_t{0}, std::size_t{4}),
                                        word(step));
    switch (*rc::gen::inRange(0, 9)) {
      case 0:
        tested.push_back(word(step));
        standard.push_back(word(step));
        break;
      case 1:
        tested.insert(tested.begin() + at, more.begin(), more.end());
        standard.insert(standard.begin() + at, more.begin(), more.end());
        break;
      case 2:
        tested.insert(tested.begin() + at, 2, word(step));
        standard.insert(standard.begin() + at, 2, word(step));
        break;
      case 3:
        tested.erase(tested.begin() + at, tested.begin() + to);
        standard.erase(standard.begin() + at, standard.begin() + to);
        break;
      case 4:
        tested.resize(static_cast<std::size_t>(to));
        standard.resize(static_cast<std::size_t>(to));
        break;
      case 5:
        tested.assign(more.begin(), more.end());
        standard.assign(more.begin(), more.end());
        break;
      case 6: {
        Strings copy = tested;
        tested = std::move(copy);
        break;
      }
      case 7: {
        const Strings before = tested;
        tested = Strings();
        tested = before;
        break;
      }
      default:
        tested.reserve(static_cast<std::size_t>(to) + 2);
        break;
    }
    RC_ASSERT(plain(tested) == standard);
    RC_ASSERT(tested.capacity() >= tested.size());
  }
}

// The same for numbers, which take the short ways.
RC_GTEST_PROP(InlineVector, CopiesAndMovesNumbersAlike, (const std::vector<int>& numbers)) {
  InlineVector<int, 4> vector(numbers.begin(), numbers.end());
  InlineVector<int, 4> copy = vector;
  RC_ASSERT(copy == vector);
  const InlineVector<int, 4> moved = std::move(copy);
  RC_ASSERT(moved == vector);
  RC_ASSERT(std::equal(moved.begin(), moved.end(), numbers.begin(), numbers.end()));
}

}  // namespace
}  // namespace heddle
