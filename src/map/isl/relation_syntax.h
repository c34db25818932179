#pragma once

// Finds errors in the text of a relation or a set and their places, because isl's messages do not
// help.

#include <cstddef>
#include <string_view>

#include "heddle/core/result.h"

namespace heddle::map {

/// Checks before isl reads the text: characters, brackets, depth, length, undeclared names. Refuses
/// `relation.syntax` and `relation.too_large`.
[[nodiscard]] Result<void> check_relation_text(std::string_view text);
/// The same for the text of a set.
[[nodiscard]] Result<void> check_set_text(std::string_view text);

/// Checks the number of parts, because isl compares each part of a union with each other one.
/// Refuses `relation.too_large`.
[[nodiscard]] Result<void> check_relation_parts(std::string_view text);

/// The refusal for text of which isl read only `position` bytes; it points to the last word before.
[[nodiscard]] Diagnostic relation_syntax_error(std::string_view text, std::size_t position);
[[nodiscard]] Diagnostic set_syntax_error(std::string_view text, std::size_t position);

}  // namespace heddle::map
