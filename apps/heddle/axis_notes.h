#pragma once

// Axes that may be meant otherwise. An axis of an Axe layout may have any name, so a mistyped one
// is an axis of its own, and no refusal says so.
//
//   4@landid         @landid is a new axis; did you mean @laneid?

#include <span>
#include <string>
#include <vector>

#include "heddle/axe/axes.h"

namespace heddle::app {

/// Notes on the axes in these expressions: on a new one whose name is one edit away from a known
/// one, or begins it; and on a known one together with its other name, @lane and @laneid, which are
/// two axes. Texts that are not expressions have none.
[[nodiscard]] std::vector<std::string> notes_on_axes(std::span<const std::string> expressions,
                                                     const axe::AxisTable& known);

}  // namespace heddle::app
