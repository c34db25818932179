#include "support/law.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

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

}  // namespace

int property_count() { return static_cast<int>(from_environment("HEDDLE_PROPERTY_COUNT", 5000)); }

std::uint64_t property_seed() { return from_environment("HEDDLE_SEED", 20240607); }

void Tally::expect_at_least(double percent) const {
  if (property_count() < 1000) return;      // too few cases for a share to mean anything
  if (testing::Test::HasFailure()) return;  // the law was broken before it met all its cases
  EXPECT_GE(count_, percent / 100 * property_count()) << "the law was hardly ever put to the test";
}

void for_all(const std::function<Operands(Random&)>& generate,
             const std::function<Finding(const Operands&)>& law) {
  rc::detail::TestParams params;
  params.seed = property_seed();
  params.maxSuccess = property_count();
  const rc::Gen<Operands> operands = generator(generate);
  const auto result = rc::detail::checkTestable(
      [&] {
        const Operands drawn = *operands;
        if (const Finding finding = law(drawn)) RC_FAIL(*finding);
      },
      rc::detail::TestMetadata(), params);
  if (result.is<rc::detail::SuccessResult>()) return;
  std::ostringstream report;
  rc::detail::printResultMessage(result, report);
  ADD_FAILURE() << "HEDDLE_SEED=" << property_seed() << "\n" << report.str();
}

Finding differs(const std::vector<std::int64_t>& got, const std::vector<std::int64_t>& wanted) {
  if (got.size() != wanted.size()) return found("size ", got.size(), ", wanted ", wanted.size());
  for (std::size_t c = 0; c < got.size(); ++c) {
    if (got[c] != wanted[c]) return found("coordinate ", c, ": ", got[c], ", wanted ", wanted[c]);
  }
  return kHolds;
}

void for_all_seeds(const std::function<Finding(Random&)>& law) {
  for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(property_count()); ++i) {
    Random random(property_seed() + i);
    const Finding finding = law(random);
    if (!finding) continue;
    ADD_FAILURE() << "HEDDLE_SEED=" << property_seed() + i << " HEDDLE_PROPERTY_COUNT=1\n"
                  << *finding;
    return;
  }
}

}  // namespace heddle::test
