// Python, and Triton, which has the syntax of Python and divides as C does.

#include <fmt/format.h>

#include <algorithm>

#include "emit/writer.h"

namespace heddle::emit {
namespace {

using enum Precedence;

constexpr Language kPython = program_language(" // ", "min", "max");
// A name with a dot in one literal would be taken for an error code.
constexpr Language kTriton = program_language(" // ",
                                              "tl."
                                              "minimum",
                                              "tl."
                                              "maximum");

class PythonWriter : public ProgramWriter {
 public:
  explicit PythonWriter(const PrintOptions& options) : ProgramWriter(kPython, options) {}

 private:
  /// Python rounds down, which agrees with Euclidean division for positive divisors.
  [[nodiscard]] bool divides_alike(const CodeExpression& division) const override {
    return is_positive(division.operand(1));
  }

  std::optional<Written> exception(const CodeExpression& expression) override {
    if (expression.operation() == CodeOperation::kGcd) need("gcd");
    if (expression.operation() == CodeOperation::kSquareRoot) need("isqrt");
    return ProgramWriter::exception(expression);
  }

  [[nodiscard]] Written choice(const Written& condition, const Written& then,
                               const Written& otherwise) const override {
    return {fmt::format("{} if {} else {}", within(then, kComparison),
                        within(condition, kComparison), otherwise.text),
            kChoice};
  }

  [[nodiscard]] std::string helper_text(const std::string& name) const override {
    if (name == "gcd" || name == "isqrt") return fmt::format("from math import {}\n", name);
    const std::string_view body =
        name == "quotient" ? "a // b if b > 0 else -(a // -b)" : "a % abs(b)";
    return fmt::format("def {}{}(a, b):\n    return {}\n", helper_prefix(), name, body);
  }
};

class TritonWriter : public ProgramWriter {
 public:
  /// `is_wide` if the functions take 64-bit numbers.
  TritonWriter(const PrintOptions& options, bool is_wide)
      : ProgramWriter(kTriton, options), is_wide_(is_wide) {}

 private:
  /// Whether it has a number of the program, which has 64 bits there; a constant has as few as it
  /// needs.
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

  std::optional<Written> exception(const CodeExpression& expression) override {
    std::optional<Written> made = ProgramWriter::exception(expression);
    const bool is_cast = is_wide_ && expression.operation() == CodeOperation::kSelect &&
                         !has_number(expression.operand(1)) && !has_number(expression.operand(2));
    if (!is_cast) return made;
    return Written{fmt::format("tl.cast({}, tl.int64)", made->text)};
  }

  [[nodiscard]] bool divides_alike(const CodeExpression& division) const override {
    return is_cut_off_alike(division);
  }

  /// Both sides are computed, element by element.
  [[nodiscard]] Written choice(const Written& condition, const Written& then,
                               const Written& otherwise) const override {
    return {fmt::format("tl.where({}, {}, {})", condition.text, then.text, otherwise.text)};
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
