#pragma once

// Laws of the isl engine: tried on some dozen cases, as isl takes milliseconds for most and seconds
// for some.
//
//   Cases cases;
//   cases.try_all(small_layouts, [&](const Operands& o) {
//     return cases.is(engine::is_injective(…, brief()), is_injective(…), "injective?");
//   });
//   cases.expect_at_least(20);      percent of what isl answered that the law is about
//
// A law of whose cases isl answered next to none fails.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string_view>

#include "heddle/core/result.h"
#include "heddle/cute/equality.h"
#include "heddle/cute/layout.h"
#include "heddle/map/limits.h"
#include "support/law.h"

namespace heddle::test {

/// What isl may take for one question; past it a case says nothing.
inline map::Limits brief() {
  map::Limits limits;
  limits.steps = 200'000;
  return limits;
}

class Cases {
 public:
  Cases() = default;
  Cases(const Cases&) = delete;
  Cases& operator=(const Cases&) = delete;
  ~Cases() {
    EXPECT_GE(4 * answered_, tried_) << "isl gave up on most cases";
    EXPECT_GE(10 * said_, tried_) << "the law says something about only " << said_ << " of "
                                  << tried_ << " cases";
  }

  void try_seeds(const std::function<Finding(Random&)>& law) {
    for (tried_ = 0; tried_ < std::max(kLeast, property_count() / 100); ++tried_) {
      const std::uint64_t seed = property_seed() + static_cast<std::uint64_t>(tried_);
      Random random(seed);
      const Finding finding = law(random);
      if (finding) {
        ADD_FAILURE() << *finding << "\nHEDDLE_SEED=" << seed;
        return;
      }
      if (!finding.says_nothing()) ++said_;
    }
  }

  void try_all(const std::function<Operands(Random&)>& generate,
               const std::function<Finding(const Operands&)>& law) {
    try_seeds([&](Random& random) -> Finding {
      const Operands operands = generate(random);
      const Finding finding = law(operands);
      return finding ? found(to_string(operands), ": ", *finding) : finding;
    });
  }

  /// Whether isl answered a question, a refusal of its own included; counts that.
  template <class T>
  bool answered(const Result<T>& result) {
    if (!result && result.error().code() == "relation.gave_up") return false;
    ++answered_;
    return true;
  }
  bool answered(const Verdict& verdict) {
    if (verdict.is_unknown()) return false;
    ++answered_;
    return true;
  }

  /// The answer is `wanted`, as far as there is one.
  Finding is(const Result<bool>& answer, bool wanted, std::string_view otherwise) {
    if (!answered(answer)) return kSaysNothing;
    if (!answer) return found(answer.error());
    return *answer == wanted ? kHolds : found(otherwise);
  }

  /// The engine's layout is the same map as `wanted`.
  Finding same(const Result<cute::Layout>& got, const cute::Layout& wanted) {
    if (!answered(got)) return kSaysNothing;
    if (!got) return found("the engine refuses: ", got.error());
    if (cute::equal(*got, wanted).is_yes()) return kHolds;
    return found("the engine: ", *got, ", the algebra: ", wanted);
  }

  /// Counts a case that the law is about and isl answered.
  void count() { ++met_; }
  /// Of the answered cases, the law was about so many.
  void expect_at_least(double percent) const { EXPECT_GE(met_, percent / 100 * answered_); }

 private:
  static constexpr int kLeast = 20;

  int tried_ = 0;
  int answered_ = 0;
  int said_ = 0;
  int met_ = 0;
};

}  // namespace heddle::test
