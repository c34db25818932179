// C and Python, and which writer writes what.

#include <fmt/format.h>

#include <array>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "expr/writer.h"

namespace heddle::expr {
namespace {

/// What C and Python share: infix operators and calls.
class CodeWriter : public Writer {
 public:
  std::string text(const Expression& expression) override { return write(expression).text; }
  std::string helpers() const override {
    std::string text;
    for (const std::string& helper : needed_) text += helper_text(helper);
    return text;
  }

 protected:
  [[nodiscard]] virtual Written constant(std::int64_t value) const = 0;
  [[nodiscard]] virtual Written quotient(const Expression& expression) = 0;
  [[nodiscard]] virtual Written remainder(const Expression& expression) = 0;
  [[nodiscard]] virtual Written shift_left(const Expression& expression) = 0;
  [[nodiscard]] virtual Written choice(const Expression& expression) = 0;
  [[nodiscard]] virtual std::string function(Operation operation) const = 0;
  [[nodiscard]] virtual std::string helper_text(const std::string& name) const = 0;

  Written write(const Expression& expression) {
    switch (expression.operation()) {
      case Operation::kConstant:
        return constant(expression.constant());
      case Operation::kVariable:
      case Operation::kDefinition:
        return {expression.name()};
      case Operation::kNegate:
        return {"-" + within(write(expression.operand(0)), Precedence::kAtom), Precedence::kSign};
      case Operation::kAdd:
        return infix(expression, " + ", Precedence::kSum, Precedence::kSum);
      case Operation::kSubtract:
        return infix(expression, " - ", Precedence::kSum, Precedence::kProduct);
      case Operation::kMultiply:
        return product(expression);
      case Operation::kQuotient:
        return quotient(expression);
      case Operation::kRemainder:
        return remainder(expression);
      case Operation::kMinimum:
      case Operation::kMaximum:
      case Operation::kGcd:
      case Operation::kSquareRoot:
        return call(function(expression.operation()), expression);
      case Operation::kAnd:
        return bits(expression, " & ");
      case Operation::kOr:
        return bits(expression, " | ");
      case Operation::kXor:
        return bits(expression, " ^ ");
      case Operation::kShiftLeft:
        return shift_left(expression);
      case Operation::kShiftRight:
        return bits(expression, " >> ");
      case Operation::kEqual:
        return comparison(expression, " == ");
      case Operation::kNotEqual:
        return comparison(expression, " != ");
      case Operation::kLess:
        return comparison(expression, " < ");
      case Operation::kAtMost:
        return comparison(expression, " <= ");
      case Operation::kDivides:
        return divides(expression);
      case Operation::kSelect:
        return choice(expression);
    }
    return {};
  }

  Written infix(const Expression& expression, std::string_view sign, Precedence binding,
                Precedence right) {
    std::string text = within(write(expression.operand(0)), binding);
    for (const Expression& operand : expression.operands().subspan(1)) {
      text += sign;
      text += within(write(operand), right);
    }
    return {std::move(text), binding};
  }

  /// A product within a product needs no parentheses; a quotient does: a*(b/c) is not a*b/c.
  Written product(const Expression& expression) {
    std::string text;
    for (const Expression& operand : expression.operands()) {
      const bool is_product = operand.operation() == Operation::kMultiply;
      const Precedence other = text.empty() ? Precedence::kSign : Precedence::kAtom;
      if (!text.empty()) text += " * ";
      text += within(write(operand), is_product ? Precedence::kProduct : other);
    }
    return {std::move(text), Precedence::kProduct};
  }

  /// The precedence of these differs between languages and is known by few.
  Written bits(const Expression& expression, std::string_view sign) {
    return infix(expression, sign, Precedence::kComparison, Precedence::kAtom, Precedence::kAtom);
  }
  Written comparison(const Expression& expression, std::string_view sign) {
    return infix(expression, sign, Precedence::kComparison, Precedence::kSum, Precedence::kSum);
  }
  Written infix(const Expression& expression, std::string_view sign, Precedence binding,
                Precedence left, Precedence right) {
    return {within(write(expression.operand(0)), left) + std::string(sign) +
                within(write(expression.operand(1)), right),
            binding};
  }

  /// `a / b` and `a % b`.
  Written division(const Expression& expression, std::string_view sign) {
    return infix(expression, sign, Precedence::kProduct, Precedence::kAtom, Precedence::kAtom);
  }

  /// 0 divides only 0; a remainder of 0 is 0 by any convention.
  Written divides(const Expression& expression) {
    const Expression& divisor = expression.operand(0);
    const std::string by = within(write(divisor), Precedence::kAtom);
    const std::string number = within(write(expression.operand(1)), Precedence::kAtom);
    const std::string even = fmt::format("{} % {} == 0", number, by);
    if (known_different(divisor.value(), 0)) return {even, Precedence::kComparison};
    return guarded(by + " == 0", number + " == 0", even);
  }
  [[nodiscard]] virtual Written guarded(const std::string& condition, const std::string& then,
                                        const std::string& otherwise) const = 0;

  Written call(const std::string& name, const Expression& expression) {
    needed_.insert(name);
    std::string text = name + "(";
    for (const Expression& operand : expression.operands()) {
      if (text.back() != '(') text += ", ";
      text += write(operand).text;
    }
    return {text + ")"};
  }

 private:
  std::set<std::string> needed_;
};

// C.

class CWriter : public CodeWriter {
 public:
  CWriter(std::string qualifiers, bool is_narrow)
      : qualifiers_(std::move(qualifiers)), type_(is_narrow ? "int32_t" : "int64_t") {}

  std::string statement(const std::string& name, const Expression& value) override {
    return fmt::format("const {} {} = {};", type_, name, text(value));
  }

 private:
  [[nodiscard]] Written constant(std::int64_t value) const override {
    if (value == std::numeric_limits<std::int64_t>::min()) return {"INT64_MIN"};
    const bool is_long = value < -INT32_MAX || value > INT32_MAX;
    return {fmt::format("{}{}", value, is_long ? "LL" : ""),
            value < 0 ? Precedence::kSign : Precedence::kAtom};
  }

  Written quotient(const Expression& expression) override {
    return is_truncated(expression) ? division(expression, " / ")
                                    : call("heddle_quotient", expression);
  }
  Written remainder(const Expression& expression) override {
    return is_truncated(expression) ? division(expression, " % ")
                                    : call("heddle_remainder", expression);
  }
  /// Cutting off towards zero is what Euclidean division does here.
  static bool is_truncated(const Expression& expression) {
    return is_natural(expression.operand(0)) && is_positive(expression.operand(1));
  }

  /// Of a negative number it has no meaning in C, and a plain 1 would be too narrow.
  Written shift_left(const Expression& expression) override {
    const Expression& number = expression.operand(0);
    const Expression& places = expression.operand(1);
    const bool is_number = number.operation() == Operation::kConstant;
    if (!is_number && is_natural(number)) return bits(expression, " << ");
    constexpr std::int64_t kMaxPlaces = 62;
    if (is_number || places.operation() != Operation::kConstant || places.constant() < 0 ||
        places.constant() > kMaxPlaces) {
      return call("heddle_shift_left", expression);
    }
    const Written power = constant(std::int64_t{1} << places.constant());
    return {within(write(number), Precedence::kAtom) + " * " + power.text, Precedence::kProduct};
  }

  Written choice(const Expression& expression) override {
    return {
        fmt::format("{} ? {} : {}", within(write(expression.operand(0)), Precedence::kComparison),
                    within(write(expression.operand(1)), Precedence::kComparison),
                    write(expression.operand(2)).text),
        Precedence::kChoice};
  }
  [[nodiscard]] Written guarded(const std::string& condition, const std::string& then,
                                const std::string& otherwise) const override {
    return {fmt::format("{} ? {} : {}", condition, then, otherwise), Precedence::kChoice};
  }

  [[nodiscard]] std::string function(Operation operation) const override {
    switch (operation) {
      case Operation::kMinimum:
        return "heddle_min";
      case Operation::kMaximum:
        return "heddle_max";
      case Operation::kGcd:
        return "heddle_gcd";
      default:
        return "heddle_isqrt";
    }
  }

  [[nodiscard]] std::string helper_text(const std::string& name) const override {
    static const std::map<std::string, std::string, std::less<>> kBodies = {
        {"heddle_quotient",
         "(T a, T b) {\n"
         "  const T q = a / b;\n"
         "  return a % b < 0 ? (b > 0 ? q - 1 : q + 1) : q;\n}\n"},
        {"heddle_remainder",
         "(T a, T b) {\n"
         "  const T r = a % b;\n"
         "  return r < 0 ? (b > 0 ? r + b : r - b) : r;\n}\n"},
        {"heddle_min", "(T a, T b) { return a < b ? a : b; }\n"},
        {"heddle_max", "(T a, T b) { return a > b ? a : b; }\n"},
        {"heddle_shift_left",
         "(T a, T places) {\n"
         "  return (T)((uint64_t)a << places);\n}\n"},
        {"heddle_gcd",
         "(T a, T b) {\n"
         "  while (b != 0) {\n"
         "    const T r = a % b;\n"
         "    a = b;\n"
         "    b = r;\n"
         "  }\n"
         "  return a < 0 ? -a : a;\n}\n"},
        // Newton's method from above: it falls until it has the root.
        {"heddle_isqrt",
         "(T x) {\n"
         "  T root = x;\n"
         "  T next = x / 2 + x % 2;\n"
         "  while (next < root) {\n"
         "    root = next;\n"
         "    next = (root + x / root) / 2;\n"
         "  }\n"
         "  return root;\n}\n"},
    };
    std::string body = kBodies.find(name)->second;
    std::string typed;
    for (std::size_t i = 0; i < body.size(); ++i) {
      const bool is_type =
          body[i] == 'T' && (i + 1 == body.size() || body[i + 1] == ' ' || body[i + 1] == ')');
      typed += is_type ? type_ : std::string(1, body[i]);
    }
    return fmt::format("{} {} {}{}", qualifiers_, type_, name, typed);
  }

  std::string qualifiers_;
  std::string type_;
};

// Python.

class PythonWriter : public CodeWriter {
 public:
  std::string statement(const std::string& name, const Expression& value) override {
    return fmt::format("{} = {}", name, text(value));
  }

 private:
  [[nodiscard]] Written constant(std::int64_t value) const override {
    return {std::to_string(value), value < 0 ? Precedence::kSign : Precedence::kAtom};
  }

  /// Python rounds down: the same for positive divisors.
  Written quotient(const Expression& expression) override {
    return is_positive(expression.operand(1)) ? division(expression, " // ")
                                              : call("heddle_quotient", expression);
  }
  Written remainder(const Expression& expression) override {
    return is_positive(expression.operand(1)) ? division(expression, " % ")
                                              : call("heddle_remainder", expression);
  }
  Written shift_left(const Expression& expression) override { return bits(expression, " << "); }

  Written choice(const Expression& expression) override {
    return guarded(within(write(expression.operand(0)), Precedence::kComparison),
                   within(write(expression.operand(1)), Precedence::kComparison),
                   write(expression.operand(2)).text);
  }
  [[nodiscard]] Written guarded(const std::string& condition, const std::string& then,
                                const std::string& otherwise) const override {
    return {fmt::format("{} if {} else {}", then, condition, otherwise), Precedence::kChoice};
  }

  [[nodiscard]] std::string function(Operation operation) const override {
    switch (operation) {
      case Operation::kMinimum:
        return "min";
      case Operation::kMaximum:
        return "max";
      case Operation::kGcd:
        return "gcd";
      default:
        return "isqrt";
    }
  }

  [[nodiscard]] std::string helper_text(const std::string& name) const override {
    if (name == "gcd" || name == "isqrt") return fmt::format("from math import {}\n", name);
    if (name == "heddle_quotient") {
      return "def heddle_quotient(a, b):\n    return a // b if b > 0 else -(a // -b)\n";
    }
    if (name == "heddle_remainder") return "def heddle_remainder(a, b):\n    return a % abs(b)\n";
    return {};
  }
};

// The expression language.

class HeddleWriter : public Writer {
 public:
  std::string text(const Expression& expression) override { return to_string(expression); }
  std::string statement(const std::string& name, const Expression& value) override {
    return name + " = " + text(value);
  }
};

}  // namespace

std::string_view title_of(Language language) {
  static constexpr std::array<std::string_view, 4> kTitles = {"the expression language", "C",
                                                              "Python", "LaTeX"};
  return kTitles[static_cast<std::size_t>(language)];
}

std::unique_ptr<Writer> make_writer(const PrintOptions& options, bool is_narrow) {
  switch (options.language) {
    case Language::kC:
      return std::make_unique<CWriter>(options.qualifiers, is_narrow);
    case Language::kPython:
      return std::make_unique<PythonWriter>();
    case Language::kLatex:
      return make_latex_writer();
    case Language::kHeddle:
      break;
  }
  return std::make_unique<HeddleWriter>();
}

}  // namespace heddle::expr
