// The steps of a question are the same whenever it is asked; the time, where there is one, is one
// for all engines that are asked on the way.

#include "heddle/map/limits.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "heddle/map/decide.h"
#include "heddle/map/integer_relation.h"
#include "heddle/notation/cute.h"

namespace heddle::map {
namespace {

TEST(Limits, RunFromTheBeginningOfAQuestion) {
  Limits limits;
  EXPECT_FALSE(limits.begun().end);
  limits.time = std::chrono::milliseconds(0);
  EXPECT_FALSE(limits.are_over());
  const Limits begun = limits.begun();
  EXPECT_TRUE(begun.are_over());
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
TEST(Limits, GiveTheSameAnswerOnABusyMachine) {
  const cute::Layout layout = notation::parse_cute("(129,77,65,33):(1,130,9999,650000)").value();
  const auto answers = [&] {
    std::vector<std::string> texts;
    for (const Method method : {Method::kExhaustive, Method::kIsl, Method::kZ3}) {
      DecideOptions options;
      options.method = method;
      options.limits.steps = 20'000;
      texts.push_back(bijective(layout, options).to_string());
    }
    return texts;
  };
  const std::vector<std::string> alone = answers();
  std::vector<std::jthread> busy(6);
  for (std::jthread& loop : busy) {
    loop = std::jthread([](const std::stop_token& done) {
      while (!done.stop_requested()) {
      }
    });
  }
  EXPECT_EQ(answers(), alone);
  EXPECT_EQ(answers(), alone);
}

TEST(Limits, FewStepsRefuseWhatMoreStepsAnswer) {
  const std::string text = "{ [a, b] -> [a] : (3a + 5b) mod 7 <= (a - b) mod 11 and 0 <= b < 9 }";
  const auto read = [&](std::uint32_t steps) {
    Limits limits;
    limits.steps = steps;
    return IntegerRelation::parse(text, limits);
  };
  const IntegerRelation answer = read(100'000).value();
  std::uint32_t refusals = 0;
  // Wherever the steps end, the refusal says so, never that the text is wrong.
  for (std::uint32_t steps = 1; steps < 100'000; steps += 1 + steps / 16) {
    const auto relation = read(steps);
    if (relation) {
      EXPECT_EQ(relation->text(), answer.text());
      continue;
    }
    EXPECT_EQ(relation.error().to_string(),
              fmt::format("error relation.gave_up: reading a relation: gave up after {} steps of "
                          "isl\n  hint: more steps may be enough: --steps {}",
                          steps, 10 * steps));
    ++refusals;
  }
  EXPECT_GT(refusals, 10U);
  EXPECT_FALSE(read(0));
}

}  // namespace
}  // namespace heddle::map
