// What C and Python share, and the expression language.

#include <fmt/format.h>

#include "emit/writer.h"

namespace heddle::emit {
namespace {

class HeddleWriter : public Writer {
 public:
  explicit HeddleWriter(const PrintOptions& options) : Writer(options.spelling) {}

  /// The expressions write themselves: what is spelled are the words of their text.
  std::string text(const CodeExpression& expression) override {
    return spelled_words(heddle::to_string(expression), spelling());
  }
  std::string statement(const std::string& name, const CodeExpression& value) override {
    return name + " = " + text(value);
  }
};

}  // namespace

std::string CodeWriter::helpers() const {
  std::string text;
  for (const std::string& helper : needed_) text += helper_text(helper);
  return text;
}

std::string CodeWriter::written_name(const CodeExpression& variable) const {
  const std::string* other = spelled(variable.name());
  return other == nullptr ? variable.name() : *other;
}

Written CodeWriter::write(const CodeExpression& expression) {
  switch (expression.operation()) {
    case CodeOperation::kConstant:
      return constant(expression.constant());
    case CodeOperation::kVariable:
    case CodeOperation::kDefinition:
      return {written_name(expression)};
    case CodeOperation::kNegate:
      return {"-" + within(write(expression.operand(0)), Precedence::kAtom), Precedence::kSign};
    case CodeOperation::kAdd:
      return chain(expression, " + ", Precedence::kSum);
    case CodeOperation::kSubtract:
      return chain(expression, " - ", Precedence::kProduct);
    case CodeOperation::kMultiply:
      return product(expression);
    case CodeOperation::kQuotient:
      return quotient(expression);
    case CodeOperation::kRemainder:
      return remainder(expression);
    case CodeOperation::kMinimum:
    case CodeOperation::kMaximum:
    case CodeOperation::kGcd:
    case CodeOperation::kSquareRoot:
      return function(expression);
    case CodeOperation::kAnd:
      return bits(expression, " & ");
    case CodeOperation::kOr:
      return bits(expression, " | ");
    case CodeOperation::kXor:
      return bits(expression, " ^ ");
    case CodeOperation::kShiftLeft:
      return shift_left(expression);
    case CodeOperation::kShiftRight:
      return bits(expression, " >> ");
    case CodeOperation::kEqual:
      return comparison(expression, " == ");
    case CodeOperation::kNotEqual:
      return comparison(expression, " != ");
    case CodeOperation::kLess:
      return comparison(expression, " < ");
    case CodeOperation::kAtMost:
      return comparison(expression, " <= ");
    case CodeOperation::kDivides:
      return divides(expression);
    case CodeOperation::kSelect:
      return select(expression);
  }
  return {};
}

Written CodeWriter::select(const CodeExpression& expression) {
  return choice(write(expression.operand(0)), write(expression.operand(1)),
                write(expression.operand(2)));
}

Written CodeWriter::chain(const CodeExpression& expression, std::string_view sign,
                          Precedence right) {
  std::string text = within(write(expression.operand(0)), Precedence::kSum);
  for (const CodeExpression& operand : expression.operands().subspan(1)) {
    text += sign;
    text += within(write(operand), right);
  }
  return {std::move(text), Precedence::kSum};
}

/// A product within a product needs no parentheses; a quotient does: a*(b/c) is not a*b/c.
Written CodeWriter::product(const CodeExpression& expression) {
  std::string text;
  for (const CodeExpression& operand : expression.operands()) {
    const bool is_product = operand.operation() == CodeOperation::kMultiply;
    const Precedence other = text.empty() ? Precedence::kSign : Precedence::kAtom;
    if (!text.empty()) text += " * ";
    text += within(write(operand), is_product ? Precedence::kProduct : other);
  }
  return {std::move(text), Precedence::kProduct};
}

Written CodeWriter::infix(const CodeExpression& expression, std::string_view sign,
                          Precedence binding, Precedence left, Precedence right) {
  return {within(write(expression.operand(0)), left) + std::string(sign) +
              within(write(expression.operand(1)), right),
          binding};
}

/// The precedence of these differs between languages and is known by few.
Written CodeWriter::bits(const CodeExpression& expression, std::string_view sign) {
  return infix(expression, sign, Precedence::kComparison, Precedence::kAtom, Precedence::kAtom);
}

Written CodeWriter::comparison(const CodeExpression& expression, std::string_view sign) {
  return infix(expression, sign, Precedence::kComparison, Precedence::kSum, Precedence::kSum);
}

Written CodeWriter::division(const CodeExpression& expression, std::string_view sign) {
  return infix(expression, sign, Precedence::kProduct, Precedence::kAtom, Precedence::kAtom);
}

/// 0 divides only 0; a remainder of 0 is 0 by any convention.
Written CodeWriter::divides(const CodeExpression& expression) {
  const CodeExpression& divisor = expression.operand(0);
  const std::string by = within(write(divisor), Precedence::kAtom);
  const std::string number = within(write(expression.operand(1)), Precedence::kAtom);
  const Written even{fmt::format("{} % {} == 0", number, by), Precedence::kComparison};
  if (known_different(divisor.value(), 0)) return even;
  return choice({by + " == 0", Precedence::kComparison},
                {number + " == 0", Precedence::kComparison}, even);
}

Written CodeWriter::call(const std::string& name, const CodeExpression& expression) {
  std::string text = name + "(";
  for (const CodeExpression& operand : expression.operands()) {
    if (text.back() != '(') text += ", ";
    text += write(operand).text;
  }
  return {text + ")"};
}

Written CodeWriter::call_helper(const std::string& name, const CodeExpression& expression) {
  need(name);
  return call(helper_prefix_ + name, expression);
}

std::unique_ptr<Writer> make_heddle_writer(const PrintOptions& options) {
  return std::make_unique<HeddleWriter>(options);
}

}  // namespace heddle::emit
