#include "heddle/cute/stride.h"

#include <gtest/gtest.h>

#include <array>
#include <sstream>

#include "heddle/cute/tiler.h"
#include "support/text.h"

namespace heddle::cute {
namespace {

std::string text(const Stride& stride) {
  std::ostringstream stream;
  stream << stride;
  return stream.str();
}

Basis basis(std::initializer_list<std::size_t> path) {
  return Basis::make(std::vector<std::size_t>(path)).value();
}

TEST(Basis, PathsAndTheirText) {
  EXPECT_TRUE(Basis().empty());
  EXPECT_EQ(basis({0, 1}).length(), 2U);
  EXPECT_EQ(basis({0, 1})[0], 0U);
  EXPECT_EQ(basis({0, 1})[1], 1U);
  EXPECT_EQ(basis({0, 1}).tail(), basis({1}));
  EXPECT_EQ(text(Stride(8, basis({0, 1}))), "8@1@0");
  EXPECT_EQ(text(Stride(12)), "12");
}

TEST(Basis, Prefixes) {
  EXPECT_TRUE(basis({0}).is_prefix_of(basis({0, 1})));
  EXPECT_TRUE(basis({0, 1}).is_prefix_of(basis({0, 1})));
  EXPECT_FALSE(basis({0, 1}).is_prefix_of(basis({0})));
  EXPECT_TRUE(Basis().is_prefix_of(basis({3})));
}

TEST(Basis, Axes) {
  EXPECT_EQ(Basis().axis(), Axis::memory());
  EXPECT_EQ(basis({1}).axis().name(), "1");
  EXPECT_EQ(basis({1, 0}).axis().name(), "1.0");
}

TEST(Basis, Limits) {
  const std::array<std::size_t, 5> too_long = {0, 0, 0, 0, 0};
  EXPECT_EQ(Basis::make(too_long).error().code(), "stride.basis");
  const std::array<std::size_t, 1> too_high = {Basis::kMaxMode + 1};
  EXPECT_EQ(Basis::make(too_high).error().code(), "stride.basis");
  const std::array<std::size_t, 1> highest = {Basis::kMaxMode};
  EXPECT_TRUE(Basis::make(highest).has_value());
}

TEST(Stride, ScalesAndCompares) {
  EXPECT_EQ(3 * Stride(2, basis({1})), Stride(6, basis({1})));
  EXPECT_TRUE(known_equal(Stride(0, basis({1})), Stride(0)));
  EXPECT_FALSE(known_equal(Stride(2, basis({1})), Stride(2)));
}

TEST(Tiler, Text) {
  EXPECT_EQ(to_string(test::tiler("<8:4,(2,4):(1,8),16,_>")), "<8:4,(2,4):(1,8),16,_>");
  EXPECT_EQ(to_string(to_tiler(test::tuple("(8,4)"))), "<8,4>");
}

TEST(Coordinate, Underscores) {
  EXPECT_TRUE(has_underscore(test::coordinate("(1,(_,2))")));
  EXPECT_FALSE(has_underscore(test::coordinate("(1,(3,2))")));
  EXPECT_TRUE(all_underscore(test::coordinate("(_,(_,_))")));
  EXPECT_FALSE(all_underscore(test::coordinate("(_,(_,2))")));
  EXPECT_EQ(to_int_tuple(test::coordinate("(1,(3,2))")).value(), test::tuple("(1,(3,2))"));
  EXPECT_EQ(to_int_tuple(test::coordinate("(1,_)")).error().code(), "coordinate.underscore");
}

}  // namespace
}  // namespace heddle::cute
