#pragma once

// The result of an analysis: a verdict and numbers as text for people, and the same as data for
// programs.
//
//   2-way bank conflicts: 8 wavefronts, ideally 4       {"vector_bits":128,"wavefronts":8,…}
//     instructions  1

#include <cstdint>
#include <optional>
#include <string>

#include "heddle/core/diagnostic.h"
#include "heddle/notation/datum.h"

#pragma GCC visibility push(default)
namespace heddle::notation {

struct Report {
  /// How the reported question ended; it sets the exit code of commands and statements. kRefused
  /// means that what was looked for does not exist.
  enum class Outcome : std::uint8_t { kDone, kRefuted, kUnknown, kRefused };

  std::string text;
  Datum data;
  Outcome outcome = Outcome::kDone;
  /// Why there is a report and not the value that was asked for, which operations need.
  std::optional<Diagnostic> refusal = std::nullopt;

  friend bool operator==(const Report&, const Report&) = default;
};

}  // namespace heddle::notation
#pragma GCC visibility pop
