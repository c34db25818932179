#pragma once

#include <vector>

#include "heddle/form/machine.h"

namespace heddle::form {

/// CPUs, by what they have for vectors.
void add_cpus(std::vector<Machine>& all);

}  // namespace heddle::form
