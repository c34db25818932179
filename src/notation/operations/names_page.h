#pragma once

// Long lists of names are printed page by page; below a page stands the call for the next one.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/expr/int.h"

namespace heddle::notation {

/// `limit` of the names, all if there is none, from number `from` on. `next` is the call without
/// its number, such as `atom_names("SM90", `. Refuses `table.limit`.
[[nodiscard]] Result<std::string> names_page(const std::vector<std::string>& names, const Int& from,
                                             const std::optional<Int>& limit,
                                             std::string_view next);

}  // namespace heddle::notation
