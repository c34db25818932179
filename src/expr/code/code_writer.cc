#include "expr/code/code_writer.h"

namespace heddle::expr {
namespace {

using enum Precedence;

constexpr Language kHeddle = {
    .notations = {{
        {},
        {},
        {},
        {},
        {"+", kSum, kSum, kQuotient},
        {"-", kSum, kSum, kQuotient},
        {"*", kQuotient, kQuotient},
        {"//", kQuotient, kQuotient},
        {"%", kQuotient, kQuotient},
        {"min"},
        {"max"},
        {"gcd"},
        {"isqrt"},
        {"bit_and"},
        {"bit_or"},
        {"bit_xor"},
        {"shift_left"},
        {"shift_right"},
        {"==", kSum, kSum, kSum},
        {"!=", kSum, kSum, kSum},
        {"<", kSum, kSum, kSum},
        {"<=", kSum, kSum, kSum},
        {},
        {"select"},
    }},
    // A sign binds no tighter than a sum: -(x//2) is not -x//2.
    .sign = kSum,
    .comma = ",",
};

}  // namespace

Written CodeWriter::write(const CodeExpression& expression) {
  if (std::optional<Written> own = exception(expression)) return *std::move(own);
  switch (expression.operation()) {
    case CodeOperation::kConstant:
      return {std::to_string(expression.constant()),
              expression.constant() < 0 ? language_.sign : Precedence::kAtom};
    case CodeOperation::kVariable:
    case CodeOperation::kDefinition:
      return {name_text(expression.name())};
    case CodeOperation::kNegate:
      return {"-" + operand(expression, 0, Precedence::kAtom), language_.sign};
    default:
      return write(expression,
                   language_.notations[static_cast<std::size_t>(expression.operation())]);
  }
}

Written CodeWriter::write(const CodeExpression& expression, const Notation& notation) {
  const bool is_call = notation.binding == Precedence::kAtom;
  std::string text = is_call ? std::string(notation.sign) + "(" : "";
  for (std::size_t i = 0; i < expression.operands().size(); ++i) {
    if (i > 0) text += is_call ? language_.comma : notation.sign;
    const Precedence least = i == 0 ? notation.left : notation.right;
    text += operand(expression, i, is_call ? Precedence::kChoice : least);
  }
  return {is_call ? text + ")" : std::move(text), notation.binding};
}

std::string CodeWriter::within(const Written& text, Precedence least) const {
  if (text.binding >= least) return text.text;
  return std::string(language_.open).append(text.text).append(language_.close);
}

const Language& expression_language() { return kHeddle; }

/// 0 divides only 0, and leaves no remainder.
std::optional<Written> CodeWriter::exception(const CodeExpression& expression) {
  if (expression.operation() != CodeOperation::kDivides) return std::nullopt;
  const std::string remainder =
      operand(expression, 1, kQuotient) + "%" + operand(expression, 0, kAtom);
  if (known_different(expression.operand(0).value(), 0)) return Written{remainder + "==0", kSum};
  return Written{"select(" + operand(expression, 0, kQuotient) + "==0," +
                     text(expression.operand(1)) + "," + remainder + ")==0",
                 kSum};
}

std::string_view heddle_sign(CodeOperation operation) {
  return kHeddle.notations[static_cast<std::size_t>(operation)].sign;
}

}  // namespace heddle::expr
