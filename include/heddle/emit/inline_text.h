#pragma once

// Index expressions as text within a line of a user's program.
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

/// The text of one expression.
struct InlineText {
  std::string text;
  /// The printed kernel, for the functions that it calls.
  Kernel kernel;
};

/// The value as one expression, by the cheapest operations that are found. Refuses
/// `template.long_expression` for one of more than 2048 parts, `overflow` for an undefined value,
/// and as print(): `print.name`, `print.operation`. Cost: that of simplify().
///
/// If variables have 32 bits, `wide` is a type of 64, `long long`, for C and the like: operands are
/// cast to it where a result is not known to fit into 32 bits.
[[nodiscard]] Result<InlineText> inline_text(const Int& value, Dialect dialect,
                                             const Spelling& spelling = {},
                                             std::string_view wide = {});
/// The guard as one condition; the language's word for true if everything is known. Same refusals.
/// Cost: that of simplify() for each alternative.
[[nodiscard]] Result<InlineText> inline_text(const Guard& guard, Dialect dialect,
                                             const Spelling& spelling = {},
                                             std::string_view wide = {});

/// Conditions joined by `and`, or by `or`, each an operand of it; the language's words for true and
/// false decide or are left out. Cost: linear in the texts.
[[nodiscard]] InlineText joined(std::vector<InlineText> conditions, bool is_and, Dialect dialect);
/// The negated condition. Cost: linear in the text.
[[nodiscard]] InlineText negated(InlineText condition, Dialect dialect);
/// One of two texts, chosen by a condition. Cost: linear in the texts.
[[nodiscard]] InlineText chosen(InlineText condition, InlineText then, InlineText otherwise,
                                Dialect dialect);

/// The language's word for a truth value.
[[nodiscard]] std::string truth_text(bool truth, Dialect dialect);

/// The text as an operand of the line before and after it: in parentheses, unless it is a single
/// operand already, or the line binds less. Cost: linear in the line.
[[nodiscard]] std::string as_operand(std::string text, std::string_view before,
                                     std::string_view behind, Dialect dialect);

}  // namespace heddle::emit
#pragma GCC visibility pop
