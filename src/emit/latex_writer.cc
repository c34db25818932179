// LaTeX.

#include <fmt/format.h>

#include "emit/writer.h"

namespace heddle::emit {
namespace {

class LatexWriter : public Writer {
 public:
  explicit LatexWriter(const PrintOptions& options) : Writer(options.spelling) {}

  std::string text(const CodeExpression& expression) override { return write(expression).text; }
  std::string statement(const std::string& name, const CodeExpression& value) override {
    return latex_name(name) + " = " + text(value);
  }

 private:
  static std::string within(const Written& text, Precedence least) {
    return text.binding < least ? "\\left(" + text.text + "\\right)" : text.text;
  }

  /// A member as LaTeX has it: \\mathit{threadIdx.x}.
  [[nodiscard]] std::string written_name(const std::string& name) const {
    const std::string* other = spelled(name);
    // An expression of LaTeX in parentheses.
    if (other != nullptr && other->starts_with('(')) return *other;
    return latex_name(other == nullptr ? name : *other);
  }

  Written write(const CodeExpression& expression) {
    switch (expression.operation()) {
      case CodeOperation::kConstant:
        return {std::to_string(expression.constant()),
                expression.constant() < 0 ? Precedence::kSign : Precedence::kAtom};
      case CodeOperation::kVariable:
      case CodeOperation::kDefinition:
        return {written_name(expression.name())};
      case CodeOperation::kNegate:
        return {"-" + within(write(expression.operand(0)), Precedence::kAtom), Precedence::kSign};
      case CodeOperation::kAdd:
        return infix(expression, " + ", Precedence::kSum, Precedence::kSum);
      case CodeOperation::kSubtract:
        return infix(expression, " - ", Precedence::kSum, Precedence::kProduct);
      case CodeOperation::kMultiply:
        return product(expression);
      case CodeOperation::kQuotient:
        return quotient(expression);
      case CodeOperation::kRemainder:
        return infix(expression, " \\bmod ", Precedence::kProduct, Precedence::kAtom);
      case CodeOperation::kMinimum:
        return call("\\min", expression);
      case CodeOperation::kMaximum:
        return call("\\max", expression);
      case CodeOperation::kGcd:
        return call("\\gcd", expression);
      case CodeOperation::kSquareRoot:
        return {"\\left\\lfloor \\sqrt{" + text(expression.operand(0)) + "} \\right\\rfloor"};
      case CodeOperation::kAnd:
        return tight(expression, " \\mathbin{\\&} ");
      case CodeOperation::kOr:
        return tight(expression, " \\mathbin{|} ");
      case CodeOperation::kXor:
        return tight(expression, " \\oplus ");
      case CodeOperation::kShiftLeft:
        return tight(expression, " \\ll ");
      case CodeOperation::kShiftRight:
        return tight(expression, " \\gg ");
      case CodeOperation::kEqual:
        return infix(expression, " = ", Precedence::kComparison, Precedence::kSum);
      case CodeOperation::kNotEqual:
        return infix(expression, " \\ne ", Precedence::kComparison, Precedence::kSum);
      case CodeOperation::kLess:
        return infix(expression, " < ", Precedence::kComparison, Precedence::kSum);
      case CodeOperation::kAtMost:
        return infix(expression, " \\le ", Precedence::kComparison, Precedence::kSum);
      case CodeOperation::kDivides:
        return infix(expression, " \\mid ", Precedence::kComparison, Precedence::kSum);
      case CodeOperation::kSelect:
        return choice(expression);
    }
    return {};
  }

  /// The operands of all but sums and products stand alone or in parentheses.
  Written infix(const CodeExpression& expression, std::string_view sign, Precedence binding,
                Precedence right) {
    const Precedence left = binding == Precedence::kSum ? Precedence::kSum : right;
    std::string text = within(write(expression.operand(0)), left);
    for (const CodeExpression& operand : expression.operands().subspan(1)) {
      text += sign;
      text += within(write(operand), right);
    }
    return {std::move(text), binding};
  }
  Written tight(const CodeExpression& expression, std::string_view sign) {
    return {infix(expression, sign, Precedence::kProduct, Precedence::kAtom).text,
            Precedence::kComparison};
  }

  /// A number before its factors needs no sign between.
  Written product(const CodeExpression& expression) {
    std::string text;
    bool ends_with_number = false;
    for (const CodeExpression& operand : expression.operands()) {
      const bool is_product = operand.operation() == CodeOperation::kMultiply;
      const bool is_number =
          operand.operation() == CodeOperation::kConstant && operand.constant() >= 0;
      const std::string factor =
          within(write(operand), is_product ? Precedence::kProduct : Precedence::kAtom);
      if (!text.empty()) text += ends_with_number && !is_number && !is_product ? " " : " \\cdot ";
      text += factor;
      ends_with_number = is_number;
    }
    return {std::move(text), Precedence::kProduct};
  }

  /// Rounding down is Euclidean for positive divisors.
  Written quotient(const CodeExpression& expression) {
    if (!is_positive(expression.operand(1))) {
      return infix(expression, " \\mathbin{\\mathrm{div}} ", Precedence::kProduct,
                   Precedence::kAtom);
    }
    return {fmt::format("\\left\\lfloor \\frac{{{}}}{{{}}} \\right\\rfloor",
                        text(expression.operand(0)), text(expression.operand(1)))};
  }

  Written choice(const CodeExpression& expression) {
    return {fmt::format(
        "\\begin{{cases}} {} & \\text{{if }} {} \\\\ {} & \\text{{otherwise}} "
        "\\end{{cases}}",
        text(expression.operand(1)), text(expression.operand(0)), text(expression.operand(2)))};
  }

  Written call(std::string_view name, const CodeExpression& expression) {
    std::string text;
    for (const CodeExpression& operand : expression.operands()) {
      if (!text.empty()) text += ", ";
      text += write(operand).text;
    }
    return {fmt::format("{}({})", name, text)};
  }
};

}  // namespace

std::string latex_name(const std::string& name) {
  if (name.size() == 1) return name;
  const bool is_indexed =
      name.find_first_not_of("0123456789", 1) == std::string::npos && name[0] != '_';
  if (is_indexed) return fmt::format("{}_{{{}}}", name[0], name.substr(1));
  std::string text;
  for (const char c : name) {
    if (c == '_') text += '\\';
    text += c;
  }
  return "\\mathit{" + text + "}";
}

std::unique_ptr<Writer> make_latex_writer(const PrintOptions& options) {
  return std::make_unique<LatexWriter>(options);
}

}  // namespace heddle::emit
