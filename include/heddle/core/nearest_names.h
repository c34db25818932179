#pragma once

// The names that a mistyped one may have meant.
//
//   nearest_names("compositon", names)      composition
//   did_you_mean("ranks", names)            did you mean rank?

#include <span>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace heddle {

/// Up to three of `names` that a mistyped `name` may have meant, nearest first. Cost: the product
/// of the lengths of the name, of which none past 64 characters is mistyped, and of all names.
[[nodiscard]] std::vector<std::string> nearest_names(std::string_view name,
                                                     std::span<const std::string> names);
/// These names as a hint, `did you mean rank or tank?`; empty if there are none.
[[nodiscard]] std::string did_you_mean(std::string_view name, std::span<const std::string> names);

}  // namespace heddle
#pragma GCC visibility pop
