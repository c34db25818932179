#pragma once

// The axes that a program declares, as an argument of the operations that ask what axes count.

#include <vector>

#include "heddle/notation/evaluator.h"
#include "heddle/notation/operations.h"

namespace heddle::notation {

/// An operation that asks what axes count is told those that are declared, unless it is given some.
void add_declared_axes(const Operation& operation, const Environment& environment,
                       std::vector<Argument>& arguments);

}  // namespace heddle::notation
