#pragma once

// Layouts of any system, for tests.

#include <gtest/gtest.h>

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/cute/atoms.h"
#include "heddle/linear/encoding.h"
#include "heddle/map/any_layout.h"
#include "heddle/notation/any_layout.h"

namespace heddle::test {

/// The layout that a text denotes; fails the test where it denotes none.
[[nodiscard]] inline map::AnyLayout layout_of_text(std::string_view text) {
  const auto layout = notation::parse_any_layout(text);
  if (layout) return *layout;
  ADD_FAILURE() << text << ": " << layout.error();
  return cute::Layout();
}

/// The relation that a text in isl's syntax is.
[[nodiscard]] inline map::IntegerRelation relation_of(std::string_view text) {
  return map::IntegerRelation::parse(text).value();
}

[[nodiscard]] inline cute::Layout strided(const IntTuple& shape, const cute::StrideTuple& stride) {
  return cute::make_layout(shape, stride).value();
}

/// A table of points in row-major order.
[[nodiscard]] inline form::Table table(std::vector<std::int64_t> extents,
                                       std::vector<std::int64_t> values,
                                       std::vector<Axis> axes = {Axis::memory()}) {
  return form::make_table(std::move(extents), std::move(axes), std::move(values)).value();
}

[[nodiscard]] inline linear::LinearLayout triton(const linear::Encoding& encoding,
                                                 const linear::Sizes& shape) {
  return linear::to_linear_layout(encoding, shape).value();
}

[[nodiscard]] inline cute::TiledMma mma_of(std::string_view atom) {
  return cute::make_tiled_mma(cute::find_mma_atom(atom).value()).value();
}

}  // namespace heddle::test
