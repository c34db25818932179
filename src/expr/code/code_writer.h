#pragma once

// Expressions as text: one walk, and a table of what a language writes for each operation.
//
//   {" + ", kSum, kSum, kSum}        a + b - c: what binds as tightly as a sum needs no parentheses
//   {" / ", kQuotient}               (a * b) / c: operands in parentheses
//   {"min"}                          min(a, b)
//
// A language's writer overrides exception() for operations that the table cannot describe.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "heddle/expr/code_expression.h"

namespace heddle::expr {

/// How tightly the outermost operator of a text binds; greater is tighter. All languages agree on
/// this order. They do not agree on bit operations, which are in parentheses whenever they are
/// operands. A product within a product needs no parentheses; a quotient does, because a*(b/c) is
/// not a*b/c, and so does a sign that is not the first: a * (-3).
enum class Precedence : std::uint8_t {
  kChoice,
  kComparison,
  kSum,
  kQuotient,
  kSign,
  kProduct,
  kAtom
};

struct Written {
  std::string text;
  Precedence binding = Precedence::kAtom;
};

/// An operator between operands that bind at least so tightly; if the whole is an atom, a call of a
/// function of that name.
struct Notation {
  std::string_view sign;
  Precedence binding = Precedence::kAtom;
  Precedence left = Precedence::kAtom;
  Precedence right = Precedence::kAtom;
};

struct Language {
  /// Indexed by operation. Leaves, negations and operations that exception() writes have none.
  std::array<Notation, static_cast<std::size_t>(CodeOperation::kSelect) + 1> notations;
  /// How tightly the sign of a negative number or of a negation binds.
  Precedence sign = Precedence::kSign;
  std::string_view comma = ", ";
  std::string_view open = "(";
  std::string_view close = ")";
};

class CodeWriter {
 public:
  explicit CodeWriter(const Language& language) : language_(language) {}
  CodeWriter(const CodeWriter&) = delete;
  CodeWriter& operator=(const CodeWriter&) = delete;
  virtual ~CodeWriter() = default;

  [[nodiscard]] std::string text(const CodeExpression& expression) {
    return write(expression).text;
  }

 protected:
  /// Writes an operation that the table cannot describe; nullopt if the notation suffices. The
  /// default writes how the expression language asks whether one number divides another.
  virtual std::optional<Written> exception(const CodeExpression& expression);
  /// The name of a variable or of a definition.
  [[nodiscard]] virtual std::string name_text(const std::string& name) const { return name; }

  Written write(const CodeExpression& expression);
  /// The operands in their notation: with an operator between them, or as arguments of a call.
  Written write(const CodeExpression& expression, const Notation& notation);
  [[nodiscard]] std::string within(const Written& text, Precedence least) const;
  /// An operand, in parentheses unless it binds at least so tightly.
  [[nodiscard]] std::string operand(const CodeExpression& expression, std::size_t index,
                                    Precedence least) {
    return within(write(expression.operand(index)), least);
  }

 private:
  const Language& language_;
};

/// The expression language, with as few parentheses as it needs.
[[nodiscard]] const Language& expression_language();
/// The operator or function name of the expression language for an operation: `+`, `min`.
[[nodiscard]] std::string_view heddle_sign(CodeOperation operation);

}  // namespace heddle::expr
