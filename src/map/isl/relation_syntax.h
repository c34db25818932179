#pragma once

// What is wrong with the text of a relation, and where: isl says neither in a way that helps.

#include <cstddef>
#include <string_view>

#include "heddle/core/result.h"

namespace heddle::map {

/// What can be told before isl reads it: characters, brackets, depth, length, names that nothing
/// declares. Refuses `relation.syntax` and `relation.too_large`.
[[nodiscard]] Result<void> check_relation_text(std::string_view text);

/// isl holds each part of a union against each other one. Refuses `relation.too_large`.
[[nodiscard]] Result<void> check_relation_parts(std::string_view text);

/// Why isl stopped after reading `position` bytes: at the last word before.
[[nodiscard]] Diagnostic relation_syntax_error(std::string_view text, std::size_t position);

}  // namespace heddle::map
