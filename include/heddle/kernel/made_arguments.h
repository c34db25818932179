#pragma once

// Arguments that are made for a kernel, to run it on something.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/kernel/array.h"
#include "heddle/kernel/program.h"

#pragma GCC visibility push(default)
namespace heddle::kernel {

/// The array of a parameter, all of it 0. Refuses `kernel.arguments` (a size that is not known),
/// `kernel.assumption` (sizes that break one), `kernel.argument` (more than 2^28 elements).
[[nodiscard]] Result<Array> zeros(const Tensor& parameter, const Sizes& sizes);

/// Numbers from `from` on, below `to`.
struct NumberRange {
  double from = 0;
  double to = 1;
};
/// What is said of arguments that are made, by the names of parameters.
struct DataRules {
  /// All elements of a parameter are this number.
  std::map<std::string, double> values = {};
  std::map<std::string, NumberRange> ranges = {};
};

/// An argument for each parameter: small numbers, the same ones each time; for the index of a
/// sparse operand its codes; for integers that something is indexed by, such as are inside of it,
/// each once for scatter. Refuses what zeros() refuses, `kernel.arguments` for a rule of what is
/// not a parameter, and `kernel.argument` for numbers that the parameter cannot have.
[[nodiscard]] Result<std::vector<Array>> made_arguments(const Kernel& kernel, const Sizes& sizes,
                                                        const DataRules& rules = {});

}  // namespace heddle::kernel
#pragma GCC visibility pop
