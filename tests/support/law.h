#pragma once

// Laws: statements about all operands, tried on many random ones. A failing case is shrunk by
// RapidCheck to small operands, and the report gives them together with the seed that finds them
// again.
//
//   TEST(Coalesce, KeepsTheFunction) {
//     for_all([](Random& random) { return Operands{{any_layout(random)}, {}}; },
//             [](const Operands& o) -> Finding {
//               return differs(table_of(coalesce(to_layout(o.layouts[0]))), table(o.layouts[0]));
//             });
//   }
//
// A law answers kSaysNothing for a case that it is not about, such as one that is refused. A law
// that is about too few of its cases fails: it might hold merely for want of them.
//
// HEDDLE_SEED changes the seed, HEDDLE_PROPERTY_COUNT the number of cases a law (5000).

#include <cstdint>
#include <functional>
#include <optional>
#include <ostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "heddle/core/result.h"
#include "support/random.h"
#include "support/text.h"

namespace heddle::test {

/// Of a case that does not break a law: the law holds there, or it is about other cases.
enum class Unbroken { kHolds, kSaysNothing };
inline constexpr Unbroken kHolds = Unbroken::kHolds;
inline constexpr Unbroken kSaysNothing = Unbroken::kSaysNothing;

/// What a law finds in a case: what is wrong, that it holds, or nothing that it is about.
class [[nodiscard]] Finding {
 public:
  Finding() = default;
  Finding(Unbroken outcome) : outcome_(outcome) {}          // NOLINT: it is a finding
  Finding(std::string wrong) : wrong_(std::move(wrong)) {}  // NOLINT: it is a finding

  /// Whether the case breaks the law.
  explicit operator bool() const { return wrong_.has_value(); }
  const std::string& operator*() const { return *wrong_; }
  bool says_nothing() const { return !wrong_ && outcome_ == kSaysNothing; }

  friend bool operator==(const Finding&, const Finding&) = default;
  friend std::ostream& operator<<(std::ostream& stream, const Finding& finding) {
    return stream << finding.wrong_.value_or(finding.says_nothing() ? "says nothing" : "holds");
  }

 private:
  Unbroken outcome_ = kHolds;
  std::optional<std::string> wrong_;
};

/// On which cases a law is tried.
struct Trials {
  /// One in so many of property_count() cases, for laws that take long.
  int one_in = 1;
  /// The test fails where the law says something about fewer of the cases tried.
  double percent = 10;
};

/// Counts how often a law met one of several kinds of cases that it is about.
class Tally {
 public:
  void count() { ++count_; }
  /// Fails the test where fewer than `percent` of the usual number of cases were counted.
  void expect_at_least(double percent) const;

 private:
  int count_ = 0;
};

[[nodiscard]] int property_count();
[[nodiscard]] std::uint64_t property_seed();

/// Tries the law on property_count() operands; fails the test with the smallest counterexample
/// found, or where the law says something about too few of them.
void for_all(const std::function<Operands(Random&)>& generate,
             const std::function<Finding(const Operands&)>& law);
void for_all(const Trials& trials, const std::function<Operands(Random&)>& generate,
             const std::function<Finding(const Operands&)>& law);

/// Tries the law on property_count() cases, each with its own generator; a failing case reports the
/// seed that repeats it alone: HEDDLE_SEED=… HEDDLE_PROPERTY_COUNT=1.
void for_all_seeds(const std::function<Finding(Random&)>& law);
void for_all_seeds(const Trials& trials, const std::function<Finding(Random&)>& law);

/// A finding made of its arguments, streamed.
template <class... Parts>
[[nodiscard]] Finding found(const Parts&... parts) {
  std::ostringstream stream;
  (stream << ... << parts);
  return stream.str();
}

/// The first place where two tables differ.
[[nodiscard]] Finding differs(const std::vector<std::int64_t>& got,
                              const std::vector<std::int64_t>& wanted);

}  // namespace heddle::test
