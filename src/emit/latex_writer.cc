// LaTeX.

#include <fmt/format.h>

#include "emit/writer.h"

namespace heddle::emit {
namespace {

using enum Precedence;

constexpr Language kLanguageOfLatex = {.notations = {{
                                           {},
                                           {},
                                           {},
                                           {},
                                           {" + ", kSum, kSum, kSum},
                                           {" - ", kSum, kSum, kQuotient},
                                           {},
                                           {" \\mathbin{\\mathrm{div}} ", kQuotient},
                                           {" \\bmod ", kQuotient},
                                           {"\\min"},
                                           {"\\max"},
                                           {"\\gcd"},
                                           {},
                                           {" \\mathbin{\\&} ", kComparison},
                                           {" \\mathbin{|} ", kComparison},
                                           {" \\oplus ", kComparison},
                                           {" \\ll ", kComparison},
                                           {" \\gg ", kComparison},
                                           {" = ", kComparison, kSum, kSum},
                                           {" \\ne ", kComparison, kSum, kSum},
                                           {" < ", kComparison, kSum, kSum},
                                           {" \\le ", kComparison, kSum, kSum},
                                           {" \\mid ", kComparison, kSum, kSum},
                                           {},
                                       }},
                                       .open = "\\left(",
                                       .close = "\\right)"};

class LatexWriter : public Writer {
 public:
  explicit LatexWriter(const PrintOptions& options) : Writer(kLanguageOfLatex, options) {}

 private:
  /// A member in LaTeX: \\mathit{threadIdx.x}.
  [[nodiscard]] std::string name_text(const std::string& name) const override {
    const std::string spelled = Writer::name_text(name);
    // A spelled LaTeX expression is in parentheses.
    return spelled.starts_with('(') ? spelled : latex_name(spelled);
  }

  std::optional<Written> exception(const CodeExpression& expression) override {
    switch (expression.operation()) {
      case CodeOperation::kMultiply:
        return product(expression);
      case CodeOperation::kQuotient:
        // Rounding down is Euclidean for positive divisors.
        if (!is_positive(expression.operand(1))) return std::nullopt;
        return Written{fmt::format("\\left\\lfloor \\frac{{{}}}{{{}}} \\right\\rfloor",
                                   text(expression.operand(0)), text(expression.operand(1)))};
      case CodeOperation::kSquareRoot:
        return Written{"\\left\\lfloor \\sqrt{" + text(expression.operand(0)) +
                       "} \\right\\rfloor"};
      case CodeOperation::kSelect:
        return Written{fmt::format(
            "\\begin{{cases}} {} & \\text{{if }} {} \\\\ {} & \\text{{otherwise}} \\end{{cases}}",
            text(expression.operand(1)), text(expression.operand(0)), text(expression.operand(2)))};
      default:
        return std::nullopt;
    }
  }

  /// A number before its factors needs no multiplication sign.
  Written product(const CodeExpression& expression) {
    std::string text;
    bool ends_with_number = false;
    for (const CodeExpression& operand : expression.operands()) {
      const bool is_product = operand.operation() == CodeOperation::kMultiply;
      const bool is_number =
          operand.operation() == CodeOperation::kConstant && operand.constant() >= 0;
      if (!text.empty()) text += ends_with_number && !is_number && !is_product ? " " : " \\cdot ";
      text += within(write(operand), kProduct);
      ends_with_number = is_number;
    }
    return {std::move(text), kProduct};
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
