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

/// An expression explains at most so many operations: the outermost ones.
inline constexpr std::size_t kMaxExplained = 32;

struct Explained {
  /// Innermost first; a refused one comes last. An expression that applies no operation, as the
  /// text of a layout, is explained itself. The last one has the value of the expression as its
  /// result.
  std::vector<Explanation> operations;
  /// How many operations before these are not explained.
  std::size_t left_out = 0;
  Result<Value> value;
};

[[nodiscard]] Explained explain(const Expression& expression, const Environment& environment = {});

/// One operation, as a call of it. Operations without steps of their own say what they compute.
[[nodiscard]] Explanation explain(const Operation& operation, std::span<const Argument> arguments);

struct TextStyle {
  /// What belongs to one part of an operand has one colour everywhere.
  bool color = false;
  /// The number of characters in a line, kept as far as words allow; at least 40.
  std::size_t width = 100;
};

/// Lines of text, each step below what it is a part of, texts and results in columns.
[[nodiscard]] std::string to_text(const Explanation& explanation, const TextStyle& style = {});
[[nodiscard]] std::string to_text(const Explained& explained, const TextStyle& style = {});

/// {"operation":…,"title":…,"operands":[…],"text":…,"steps":[…],"result":…}, a refused one with
/// "error" too. A step within an operation has none of its own.
[[nodiscard]] std::string to_json(const Explanation& explanation);
/// {"ok":true,"result":…,"left_out":0,"explanation":[…]}, or "ok":false with an "error".
[[nodiscard]] std::string to_json(const Explained& explained);

}  // namespace heddle::notation
#pragma GCC visibility pop
