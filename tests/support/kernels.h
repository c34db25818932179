#pragma once

// Random kernels: expressions of every operation over the variables of a world, with definitions.

#include <string>
#include <vector>

#include "heddle/expr/code_expression.h"
#include "support/formula.h"

namespace heddle::test {

/// A kernel with up to three definitions, two results and a guard.
[[nodiscard]] Kernel draw_kernel(Choices& choices, const World& world);

/// The kernel's values at a point, results first; nothing where one of them or a definition has
/// none.
[[nodiscard]] std::optional<std::vector<std::int64_t>> values_at(const Kernel& kernel,
                                                                 const World& world,
                                                                 const Point& point);

}  // namespace heddle::test
