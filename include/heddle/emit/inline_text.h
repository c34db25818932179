#pragma once

// Index expressions as text within a line of somebody's program.
//
//   inline_text(layout(Int::variable("i", 0, 31)), Dialect::kCuda)->text
//   "(i >> 2) + ((i & 3) << 3)", for (4,8):(8,1)

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/emit/dialect.h"
#include "heddle/emit/guard.h"
#include "heddle/emit/print.h"
#include "heddle/expr/code_expression.h"
#include "heddle/expr/int.h"

#pragma GCC visibility push(default)
namespace heddle::emit {

/// One expression, and what it is of.
struct InlineText {
  std::string text;
  /// What was printed, for the functions that it calls.
  Kernel kernel;
};

/// The value as one expression, by the cheapest operations that are found. Refuses
/// `template.long_expression` for one of more than 2048 parts, `overflow` for an undefined value,
/// and what print() refuses: `print.name`, `print.operation`. Cost: that of simplify().
[[nodiscard]] Result<InlineText> inline_text(const Int& value, Dialect dialect,
                                             const Spelling& spelling = {});
/// The guard as one condition; the language's word for true where all is known. Refuses the same.
/// Cost: that of simplify() for each alternative.
[[nodiscard]] Result<InlineText> inline_text(const Guard& guard, Dialect dialect,
                                             const Spelling& spelling = {});

/// Conditions joined by `and`, or by `or`, each an operand of it; those that are the language's
/// words for true and false decide or are left out. Cost: linear in the texts.
[[nodiscard]] InlineText joined(std::vector<InlineText> conditions, bool is_and, Dialect dialect);
/// Where the condition does not hold. Cost: linear in the text.
[[nodiscard]] InlineText negated(InlineText condition, Dialect dialect);
/// One of two, by a condition. Cost: linear in the texts.
[[nodiscard]] InlineText chosen(InlineText condition, InlineText then, InlineText otherwise,
                                Dialect dialect);

/// The language's word for a truth value.
[[nodiscard]] std::string truth_text(bool truth, Dialect dialect);

/// The text as an operand of whatever stands before and behind it: in parentheses, unless it is one
/// already, or nothing around it binds. Cost: linear in the line around it.
[[nodiscard]] std::string as_operand(std::string text, std::string_view before,
                                     std::string_view behind, Dialect dialect);

}  // namespace heddle::emit
#pragma GCC visibility pop
