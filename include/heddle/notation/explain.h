#pragma once

// Explains an expression: each operation it applies, innermost first, step by step with numbers.
//
//   const Explained explained = explain(*parse_expression("coalesce((6,2):(8,2) o (4,3):(3,1))"));
//   explained.operations          the composition, then the coalesce
//   to_text(explained)            as `heddle explain` prints it

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/core/explanation.h"
#include "heddle/notation/evaluator.h"

#pragma GCC visibility push(default)
namespace heddle::notation {

/// The maximum number of operations of an expression that are explained, the outermost ones.
inline constexpr std::size_t kMaxExplained = 32;

struct Explained {
  /// Innermost first; a refused one comes last. An expression that applies no operation, such as a
  /// layout literal, is explained itself. The result of the last one is the value of the
  /// expression.
  std::vector<Explanation> operations;
  /// How many earlier operations are not explained.
  std::size_t left_out = 0;
  Result<Value> value;
};

[[nodiscard]] Explained explain(const Expression& expression, const Environment& environment = {});

/// Explains one call of an operation. An operation without steps of its own says what it computes.
[[nodiscard]] Explanation explain(const Operation& operation, std::span<const Argument> arguments);

struct TextStyle {
  /// Gives everything that belongs to one part of an operand the same colour.
  bool color = false;
  /// The line width in characters, at least 40; only a longer word exceeds it.
  std::size_t width = 100;
};

/// The explanation as lines of text: each step below its parent, texts and results in columns.
[[nodiscard]] std::string to_text(const Explanation& explanation, const TextStyle& style = {});
[[nodiscard]] std::string to_text(const Explained& explained, const TextStyle& style = {});

/// {"operation":…,"title":…,"operands":[…],"text":…,"steps":[…],"result":…}, a refused one with
/// "error" too. Steps within an operation have no "error".
[[nodiscard]] std::string to_json(const Explanation& explanation);
/// {"ok":true,"result":…,"left_out":0,"explanation":[…]}, or "ok":false with an "error".
[[nodiscard]] Datum to_datum(const Explained& explained);
[[nodiscard]] std::string to_json(const Explained& explained);

}  // namespace heddle::notation
#pragma GCC visibility pop
