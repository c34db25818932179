#pragma once

// What an analysis found: for people a verdict and the numbers below it, for programs the same as
// data.
//
//   2-way bank conflicts: 8 wavefronts, ideally 4       {"vector_bits":128,"wavefronts":8,…}
//     instructions  1

#include <cstdint>
#include <string>

#include "heddle/notation/datum.h"

#pragma GCC visibility push(default)
namespace heddle::notation {

struct Report {
  /// How the question ended that the report answers: commands and statements end with its exit
  /// code. kRefused says that there is nothing of what was looked for.
  enum class Outcome : std::uint8_t { kDone, kRefuted, kUnknown, kRefused };

  std::string text;
  Datum data;
  Outcome outcome = Outcome::kDone;

  friend bool operator==(const Report&, const Report&) = default;
};

}  // namespace heddle::notation
#pragma GCC visibility pop
