// The time of a question is one, whatever engines are asked on the way.

#include "heddle/map/limits.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "heddle/map/decide.h"
#include "heddle/notation/cute.h"

namespace heddle::map {
namespace {

using std::chrono::milliseconds;

TEST(Limits, RunFromTheBeginningOfAQuestion) {
  Limits limits;
  limits.time = milliseconds(50);
  EXPECT_EQ(limits.time_left(), limits.time);
  EXPECT_FALSE(limits.are_over());
  const Limits begun = limits.begun();
  std::this_thread::sleep_for(milliseconds(60));
  EXPECT_TRUE(begun.are_over());
  EXPECT_EQ(begun.time_left(), milliseconds(0));
  // What is begun within a question has no time of its own.
  EXPECT_EQ(begun.begun().end, begun.end);
  EXPECT_FALSE(limits.are_over());
}

TEST(Limits, AreOverWhenAStopIsRequested) {
  std::stop_source stop;
  Limits limits;
  limits.stop = stop.get_token();
  EXPECT_FALSE(limits.begun().are_over());
  stop.request_stop();
  EXPECT_TRUE(limits.begun().are_over());
}

// Each of the methods, and the two questions that one about a bijection is.
TEST(Limits, HoldForAQuestionByAnyMethod) {
  const cute::Layout layout = notation::parse_cute("(129,77,65,33):(1,130,9999,650000)").value();
  for (const Method method : {Method::kExhaustive, Method::kIsl, Method::kZ3}) {
    DecideOptions options;
    options.method = method;
    options.limits.time = milliseconds(200);
    const auto start = std::chrono::steady_clock::now();
    (void)bijective(layout, options);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20)) << name(method);
  }
}

}  // namespace
}  // namespace heddle::map
