#pragma once

// Integers in the template arguments of C++: 8, kBlockM, kBlockM*2, (kM+kN)/8.

#include <optional>
#include <string_view>

#include "notation/language/foreign/cpp_types.h"

namespace heddle::notation {

/// The expression of the integer in this part of the text, with every bound name replaced: numbers,
/// names, + - * / and parentheses. `/` must leave no remainder when it is evaluated. nullopt for
/// other texts, and for names that are not bound to numbers.
[[nodiscard]] std::optional<Expression> integer_in_cpp(std::string_view text, Span place,
                                                       const CppBindings& bindings);

}  // namespace heddle::notation
