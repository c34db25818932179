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
// HEDDLE_SEED changes the seed, HEDDLE_PROPERTY_COUNT the number of cases a law (5000).

#include <cstdint>
#include <functional>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "heddle/core/result.h"
#include "support/random.h"
#include "support/text.h"

namespace heddle::test {

/// What is wrong with a case; nothing where the law holds or says nothing about it.
using Finding = std::optional<std::string>;
inline constexpr std::nullopt_t kHolds = std::nullopt;

/// Counts how often a law met the case it is about, so that no law holds merely for want of such
/// cases.
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
/// found.
void for_all(const std::function<Operands(Random&)>& generate,
             const std::function<Finding(const Operands&)>& law);

/// Tries the law on property_count() cases, each with its own generator; a failing case reports the
/// seed that repeats it alone: HEDDLE_SEED=… HEDDLE_PROPERTY_COUNT=1.
void for_all_seeds(const std::function<Finding(Random&)>& law);

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
