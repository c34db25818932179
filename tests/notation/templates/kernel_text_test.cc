// Kernels as text of the expression language, read back.

#include <gtest/gtest.h>

#include <string>

#include "heddle/emit/print.h"
#include "heddle/notation/evaluator.h"
#include "support/kernels.h"
#include "support/law.h"

namespace heddle::notation {
namespace {

/// An integer, or 1 and 0 for truth.
std::optional<std::int64_t> number_of(const Value& value) {
  if (value.is_integer() && value.get<IntTuple>().leaf().is_constant()) {
    return value.get<IntTuple>().leaf().value();
  }
  if (const bool* truth = value.get_if<bool>()) return *truth ? 1 : 0;
  if (const Verdict* verdict = value.get_if<Verdict>()) return verdict->is_yes() ? 1 : 0;
  return std::nullopt;
}

test::Finding reads_back(const Kernel& kernel, const test::World& world, const test::Point& point) {
  const auto wanted = test::values_at(kernel, world, point);
  if (!wanted) return test::kSaysNothing;
  const emit::PrintedKernel printed = *emit::print(kernel, {.dialect = emit::Dialect::kHeddle});
  Environment environment;
  for (const auto& [name, value] : world.bindings(point)) environment.bind(name, Value(value));
  for (const std::string& line : printed.definitions) {
    const std::size_t sign = line.find(" = ");
    const auto value = evaluate(line.substr(sign + 3), environment);
    if (!value) return test::found(line, "\n", value.error());
    environment.bind(line.substr(0, sign), *value);
  }
  std::vector<std::string> texts = printed.results;
  texts.insert(texts.end(), printed.guards.begin(), printed.guards.end());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto value = evaluate(texts[i], environment);
    if (!value) return test::found(texts[i], "\n", value.error());
    if (number_of(*value) != (*wanted)[i]) {
      return test::found(texts[i], " is ", to_string(*value), ", not ", (*wanted)[i], " at ",
                         test::to_string(point));
    }
  }
  return test::kHolds;
}

TEST(KernelText, ReadsBackAsTheSame) {
  test::for_all_seeds([](test::Random& random) -> test::Finding {
    const test::Operands operands = test::drawn_numbers(random, 160);
    test::Choices choices(operands.numbers);
    const test::World world = test::World::draw(choices);
    if (!world.refused.empty() || world.points.empty()) return test::kSaysNothing;
    const Kernel kernel = test::draw_kernel(choices, world);
    const auto which = choices.next(std::ssize(world.points));
    return reads_back(kernel, world, world.points[static_cast<std::size_t>(which)]);
  });
}

}  // namespace
}  // namespace heddle::notation
