#pragma once

#include <set>
#include <string>
#include <vector>

#include "heddle/lego/layout.h"

namespace heddle::lego {

/// All variables that may occur in the permutation's index, and in the layout's.
[[nodiscard]] std::set<std::string> variables_in(const Permutation& permutation);
[[nodiscard]] std::set<std::string> variables_in(const Layout& layout);

/// Names for the parameters of a formula, none of which is taken: x for one, else i, j, k, l.
[[nodiscard]] std::vector<std::string> parameter_names(std::size_t count,
                                                       const std::set<std::string>& taken);

}  // namespace heddle::lego
