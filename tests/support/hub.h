#pragma once

// Layouts of any system, for the tests of the hub.

#include <gtest/gtest.h>

#include <string_view>
#include <variant>

#include "heddle/cute/atoms.h"
#include "heddle/map/any_layout.h"
#include "heddle/notation/evaluator.h"

namespace heddle::test {

/// The layout that a text denotes; fails the test where it denotes none.
[[nodiscard]] inline map::AnyLayout hub(std::string_view text) {
  const auto value = notation::evaluate(text);
  if (!value) {
    ADD_FAILURE() << value.error();
    return cute::Layout();
  }
  if (const auto* plain = value->get_if<cute::Layout>()) return *plain;
  if (const auto* composed = value->get_if<cute::ComposedLayout>()) return *composed;
  if (const auto* tv = value->get_if<cute::TvLayout>()) return *tv;
  if (const auto* linear = value->get_if<linear::LinearLayout>()) return *linear;
  if (const auto* axe = value->get_if<axe::Layout>()) return *axe;
  if (const auto* lego = value->get_if<lego::Layout>()) return *lego;
  ADD_FAILURE() << text << " is no layout";
  return cute::Layout();
}

}  // namespace heddle::test
