#include "support/law.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstdlib>

namespace heddle::test {

/// How RapidCheck prints operands; it finds this by their namespace.
void showValue(const Operands& operands, std::ostream& stream) { stream << to_string(operands); }

namespace {

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr || *text == '\0' ? otherwise : std::strtoull(text, nullptr, 10);
}

rc::Shrinkable<Operands> shrinkable(const Operands& operands) {
  return rc::shrinkable::shrinkRecur(
      operands, [](const Operands& failing) { return rc::seq::fromContainer(simpler(failing)); });
}

rc::Gen<Operands> generator(const std::function<Operands(Random&)>& generate) {
  return [generate](const rc::Random& state, int) {
    rc::Random source = state;
    Random random(source.next());
    return shrinkable(generate(random));
  };
}

int tried(const Trials& trials) { return std::max(1, property_count() / trials.one_in); }

/// Whether shares can be judged: there are enough cases, and the law was tried on all of them.
bool is_meaningful() { return property_count() >= 1000 && !testing::Test::HasFailure(); }

void expect_enough(int said, const Trials& trials) {
  if (!is_meaningful()) return;
  EXPECT_GE(said, trials.percent / 100 * tried(trials))
      << "the law says something about only " << said << " of " << tried(trials) << " cases";
}

}  // namespace

int property_count() { return static_cast<int>(from_environment("HEDDLE_PROPERTY_COUNT", 5000)); }

std::uint64_t property_seed() { return from_environment("HEDDLE_SEED", 20240607); }

void Tally::expect_at_least(double percent) const {
  if (!is_meaningful()) return;
  EXPECT_GE(count_, percent / 100 * property_count()) << "the law was hardly ever put to the test";
}

void for_all(const std::function<Operands(Random&)>& generate,
             const std::function<Finding(const Operands&)>& law) {
  for_all(Trials(), generate, law);
}

void for_all(const Trials& trials, const std::function<Operands(Random&)>& generate,
             const std::function<Finding(const Operands&)>& law) {
  rc::detail::TestParams params;
  params.seed = property_seed();
  params.maxSuccess = tried(trials);
  int said = 0;
  const rc::Gen<Operands> operands = generator(generate);
  const auto result = rc::detail::checkTestable(
      [&] {
        const Operands drawn = *operands;
        const Finding finding = law(drawn);
        if (finding) RC_FAIL(*finding);
        if (!finding.says_nothing()) ++said;
      },
      rc::detail::TestMetadata(), params);
  if (result.is<rc::detail::SuccessResult>()) return expect_enough(said, trials);
  std::ostringstream report;
  rc::detail::printResultMessage(result, report);
  ADD_FAILURE() << "HEDDLE_SEED=" << property_seed() << "\n" << report.str();
}

void for_all_seeds(const std::function<Finding(Random&)>& law) { for_all_seeds(Trials(), law); }

void for_all_seeds(const Trials& trials, const std::function<Finding(Random&)>& law) {
  int said = 0;
  for (int i = 0; i < tried(trials); ++i) {
    const std::uint64_t seed = property_seed() + static_cast<std::uint64_t>(i);
    Random random(seed);
    const Finding finding = law(random);
    if (finding) {
      ADD_FAILURE() << "HEDDLE_SEED=" << seed << " HEDDLE_PROPERTY_COUNT=1\n" << *finding;
      return;
    }
    if (!finding.says_nothing()) ++said;
  }
  expect_enough(said, trials);
}

Finding differs(const std::vector<std::int64_t>& got, const std::vector<std::int64_t>& wanted) {
  if (got.size() != wanted.size()) return found("size ", got.size(), ", wanted ", wanted.size());
  for (std::size_t c = 0; c < got.size(); ++c) {
    if (got[c] != wanted[c]) return found("coordinate ", c, ": ", got[c], ", wanted ", wanted[c]);
  }
  return kHolds;
}

}  // namespace heddle::test
