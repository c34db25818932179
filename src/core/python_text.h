#pragma once

// Texts as Python's repr() writes them: 'x', "it's", 'a\'"b', 'two\nlines'.

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace heddle {

/// The text as a literal of Python, in single quotes unless only those are in it. Control
/// characters of ASCII are escaped; other characters stand as they are.
[[nodiscard]] std::string python_repr(std::string_view text);
/// `'a', 'b'`
[[nodiscard]] std::string python_reprs(std::span<const std::string> texts);

/// Removes the literal at the start of the text, with its quotes, and returns what it says; nullopt
/// if there is none, it has no end, or an escape in it is not one that repr() writes.
[[nodiscard]] std::optional<std::string> take_python_string(std::string_view& text);

}  // namespace heddle
