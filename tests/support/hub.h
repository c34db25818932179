#pragma once

// Layouts of any system, for the tests of the hub.

#include <gtest/gtest.h>

#include <string_view>

#include "heddle/cute/atoms.h"
#include "heddle/map/any_layout.h"
#include "heddle/notation/evaluator.h"
#include "heddle/notation/hub.h"

namespace heddle::test {

/// The layout that a text denotes; fails the test where it denotes none.
[[nodiscard]] inline map::AnyLayout hub(std::string_view text) {
  const auto value = notation::evaluate(text);
  const auto layout =
      value ? notation::hub_layout(*value) : Result<map::AnyLayout>(refuse(value.error()));
  if (layout) return *layout;
  ADD_FAILURE() << text << ": " << layout.error();
  return cute::Layout();
}

}  // namespace heddle::test
