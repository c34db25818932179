#pragma once

// What a test compares where something may be refused: the whole text of the refusal, or its code.
//
//   EXPECT_EQ(refusal(cute::coalesce(layout("4:1"))), "not refused");

#include <string>
#include <string_view>

#include "heddle/core/result.h"
#include "heddle/notation/evaluator.h"

namespace heddle::test {

/// The text that the terminal shows.
template <class T>
[[nodiscard]] std::string refusal(const Result<T>& result) {
  return result ? "not refused" : result.error().to_string();
}

/// Of an expression.
[[nodiscard]] inline std::string refusal(std::string_view expression) {
  return refusal(notation::evaluate(expression));
}

/// The code of the refusal, empty where nothing is refused.
template <class T>
[[nodiscard]] std::string code(const Result<T>& result) {
  return result ? "" : result.error().code();
}

/// The value as text, or the code of the refusal.
template <class T>
[[nodiscard]] std::string text_or_code(const Result<T>& result) {
  return result ? to_string(*result) : result.error().code();
}

/// What an expression is, as text; the whole refusal with its place where it is refused.
[[nodiscard]] inline std::string value(std::string_view expression,
                                       const notation::Environment& environment = {}) {
  const auto value = notation::evaluate(expression, environment);
  return value ? to_string(*value) : value.error().to_string(expression);
}

/// Why an expression is refused.
[[nodiscard]] inline Diagnostic refused(std::string_view expression,
                                        const notation::Environment& environment = {}) {
  const auto value = notation::evaluate(expression, environment);
  return value ? Diagnostic("", "nothing was refused") : value.error();
}

}  // namespace heddle::test
