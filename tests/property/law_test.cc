// Laws themselves: what they report of cases that break them, and of want of cases.

#include "support/law.h"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

namespace heddle::test {
namespace {

Operands a_number(Random& random) { return {{}, {random.between(0, 99)}}; }

TEST(Law, FailsWhereItSaysSomethingAboutTooFewCases) {
  if (property_count() < 1000) GTEST_SKIP() << "shares are not judged of so few cases";
  const auto about = [](std::int64_t less_than) {
    return [=](const Operands& o) -> Finding {
      return !o.numbers.empty() && o.numbers[0] < less_than ? kHolds : kSaysNothing;
    };
  };
  for_all(a_number, about(15));
  for_all({.percent = 3}, a_number, about(5));
  static const auto few = about(5);
  EXPECT_NONFATAL_FAILURE(for_all(a_number, few), "the law says something about only");
  EXPECT_NONFATAL_FAILURE(for_all_seeds([](Random&) -> Finding { return kSaysNothing; }),
                          "the law says something about only 0 of");
}

/// A case that the law says nothing about is smaller than none that breaks it.
TEST(Law, ReportsTheSmallestCaseThatBreaksIt) {
  static const auto breaks_from_seven = [](const Operands& o) -> Finding {
    if (o.numbers.empty() || o.numbers[0] < 7) return kSaysNothing;
    return found("it is ", o.numbers[0]);
  };
  EXPECT_NONFATAL_FAILURE(for_all(a_number, breaks_from_seven), "it is 7");
}

}  // namespace
}  // namespace heddle::test
