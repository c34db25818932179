#pragma once

// What an analysis found: for people a verdict and the numbers below it, for programs the same as
// data.
//
//   2-way bank conflicts: 8 wavefronts, ideally 4       {"vector_bits":128,"wavefronts":8,…}
//     instructions  1

#include <string>

#include "heddle/notation/datum.h"

namespace heddle::notation {

struct Report {
  std::string text;
  Datum data;

  friend bool operator==(const Report&, const Report&) = default;
};

}  // namespace heddle::notation
