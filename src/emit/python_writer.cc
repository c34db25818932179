// Python, and Triton, which is Python to the eye and divides as C does.

#include <fmt/format.h>

#include <algorithm>

#include "emit/writer.h"

namespace heddle::emit {
namespace {

class PythonWriter : public CodeWriter {
 public:
  explicit PythonWriter(const PrintOptions& options) : CodeWriter(options) {}

  std::string statement(const std::string& name, const CodeExpression& value) override {
    return fmt::format("{} = {}", name, text(value));
  }

 protected:
  [[nodiscard]] Written constant(std::int64_t value) const override {
    return {std::to_string(value), value < 0 ? Precedence::kSign : Precedence::kAtom};
  }

  /// Python rounds down: the same for positive divisors.
  Written quotient(const CodeExpression& expression) override {
    return is_positive(expression.operand(1)) ? division(expression, " // ")
                                              : call_helper("quotient", expression);
  }
  Written remainder(const CodeExpression& expression) override {
    return is_positive(expression.operand(1)) ? division(expression, " % ")
                                              : call_helper("remainder", expression);
  }
  Written shift_left(const CodeExpression& expression) override { return bits(expression, " << "); }

  [[nodiscard]] Written choice(const Written& condition, const Written& then,
                               const Written& otherwise) const override {
    return {fmt::format("{} if {} else {}", within(then, Precedence::kComparison),
                        within(condition, Precedence::kComparison), otherwise.text),
            Precedence::kChoice};
  }

  Written function(const CodeExpression& expression) override {
    switch (expression.operation()) {
      case CodeOperation::kMinimum:
        return call("min", expression);
      case CodeOperation::kMaximum:
        return call("max", expression);
      case CodeOperation::kGcd:
        need("gcd");
        return call("gcd", expression);
      default:
        need("isqrt");
        return call("isqrt", expression);
    }
  }

  [[nodiscard]] std::string helper_text(const std::string& name) const override {
    if (name == "gcd" || name == "isqrt") return fmt::format("from math import {}\n", name);
    const std::string_view body =
        name == "quotient" ? "a // b if b > 0 else -(a // -b)" : "a % abs(b)";
    return fmt::format("def {}{}(a, b):\n    return {}\n", helper_prefix(), name, body);
  }
};

class TritonWriter : public PythonWriter {
 public:
  /// `is_wide` where the functions take numbers of 64 bits.
  TritonWriter(const PrintOptions& options, bool is_wide)
      : PythonWriter(options), is_wide_(is_wide) {}

 private:
  /// A number of the program, which has 64 bits there; a constant has as few as it needs.
  static bool has_number(const CodeExpression& value) {
    switch (value.operation()) {
      case CodeOperation::kConstant:
        return false;
      case CodeOperation::kVariable:
      case CodeOperation::kDefinition:
      case CodeOperation::kSelect:
        return true;
      default:
        return std::ranges::any_of(value.operands(), has_number);
    }
  }

  Written select(const CodeExpression& expression) override {
    Written made = CodeWriter::select(expression);
    if (!is_wide_ || has_number(expression.operand(1)) || has_number(expression.operand(2))) {
      return made;
    }
    return {fmt::format("tl.cast({}, tl.int64)", made.text)};
  }

  Written quotient(const CodeExpression& expression) override {
    return is_cut_off_alike(expression) ? division(expression, " // ")
                                        : call_helper("quotient", expression);
  }
  Written remainder(const CodeExpression& expression) override {
    return is_cut_off_alike(expression) ? division(expression, " % ")
                                        : call_helper("remainder", expression);
  }

  /// Both sides are computed, element by element.
  [[nodiscard]] Written choice(const Written& condition, const Written& then,
                               const Written& otherwise) const override {
    return {fmt::format("tl.where({}, {}, {})", condition.text, then.text, otherwise.text)};
  }

  Written function(const CodeExpression& expression) override {
    const bool is_minimum = expression.operation() == CodeOperation::kMinimum;
    return call(std::string("tl.") + (is_minimum ? "minimum" : "maximum"), expression);
  }

  [[nodiscard]] std::string helper_text(const std::string& name) const override {
    const std::string_view body =
        name == "quotient" ? "    q = a // b\n"
                             "    step = tl.where(b > 0, 1, -1)\n"
                             "    return tl.where(a % b < 0, q - step, q)\n"
                           : "    r = a % b\n"
                             "    return tl.where(r < 0, r + tl.where(b > 0, b, -b), r)\n";
    return fmt::format("@triton.jit\ndef {}{}(a, b):\n{}\n\n", helper_prefix(), name, body);
  }

  bool is_wide_ = false;
};

}  // namespace

std::unique_ptr<Writer> make_python_writer(const PrintOptions& options, bool is_narrow) {
  if (options.dialect == Dialect::kTriton) {
    return std::make_unique<TritonWriter>(options, options.narrow && !is_narrow);
  }
  return std::make_unique<PythonWriter>(options);
}

}  // namespace heddle::emit
