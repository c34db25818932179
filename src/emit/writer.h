#pragma once

// Writes expressions in one language.

#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "expr/code/code_writer.h"
#include "heddle/emit/print.h"

namespace heddle::emit {

using expr::Language;
using expr::Precedence;
using expr::Written;

class Writer : public expr::CodeWriter {
 public:
  Writer(const Language& language, const PrintOptions& options)
      : CodeWriter(language),
        helper_prefix_(options.helper_prefix),
        may_repeat_(options.may_repeat) {}

  /// From here on these names are spelled in this way.
  void spell(const Spelling& spelling) { spelling_ = &spelling; }

  /// The definition of a name.
  [[nodiscard]] virtual std::string statement(const std::string& name,
                                              const CodeExpression& value) {
    return name_text(name) + " = " + text(value);
  }
  /// The helpers that all texts written so far need.
  [[nodiscard]] std::string helpers() const;

 protected:
  [[nodiscard]] std::string name_text(const std::string& name) const override;
  /// The definition of a helper, by its name without the prefix; or its import.
  [[nodiscard]] virtual std::string helper_text(const std::string& /*name*/) const { return {}; }
  void need(const std::string& helper) { needed_.insert(helper); }
  [[nodiscard]] const std::string& helper_prefix() const { return helper_prefix_; }
  /// A call of a helper function, whose definition is then needed.
  Written call_helper(const std::string& name, const CodeExpression& expression);

 private:
  const Spelling* spelling_ = nullptr;
  std::string helper_prefix_;
  bool may_repeat_;
  std::set<std::string> needed_;
};

/// The notation that C and Python share. They differ in the sign of a quotient and in names.
constexpr Language program_language(std::string_view quotient, std::string_view minimum,
                                    std::string_view maximum) {
  using enum Precedence;
  return {.notations = {{
              {},
              {},
              {},
              {},
              {" + ", kSum, kSum, kSum},
              {" - ", kSum, kSum, kQuotient},
              {" * ", kProduct, kSign, kProduct},
              {quotient, kQuotient},
              {" % ", kQuotient},
              {minimum},
              {maximum},
              {"gcd"},
              {"isqrt"},
              {" & ", kComparison},
              {" | ", kComparison},
              {" ^ ", kComparison},
              {" << ", kComparison},
              {" >> ", kComparison},
              {" == ", kComparison, kSum, kSum},
              {" != ", kComparison, kSum, kSum},
              {" < ", kComparison, kSum, kSum},
              {" <= ", kComparison, kSum, kSum},
              {},
              {},
          }}};
}

class ProgramWriter : public Writer {
 public:
  using Writer::Writer;

 protected:
  /// Whether the language's operator agrees with Euclidean division.
  [[nodiscard]] virtual bool divides_alike(const CodeExpression& division) const = 0;
  /// A choice between texts.
  [[nodiscard]] virtual Written choice(const Written& condition, const Written& then,
                                       const Written& otherwise) const = 0;
  std::optional<Written> exception(const CodeExpression& expression) override;

 private:
  Written divides(const CodeExpression& expression);
};

[[nodiscard]] std::unique_ptr<Writer> make_c_writer(const PrintOptions& options, bool is_narrow);
[[nodiscard]] std::unique_ptr<Writer> make_python_writer(const PrintOptions& options,
                                                         bool is_narrow);
[[nodiscard]] std::unique_ptr<Writer> make_latex_writer(const PrintOptions& options);

/// The name, or its spelling.
[[nodiscard]] const std::string& spelled(const std::string& name, const Spelling& spelling);

/// A kernel, with the spellings of its names.
struct SpelledKernel {
  const Kernel* kernel;
  Spelling spelling;
};
/// Kernels of one program: helpers and the type are common to all. The options' own spelling is
/// ignored.
[[nodiscard]] Result<std::vector<PrintedKernel>> print_together(
    std::span<const SpelledKernel> kernels, const PrintOptions& options);

/// Whether one of the words occurs in the text outside of parentheses.
[[nodiscard]] bool has_outside(std::string_view text, std::span<const std::string_view> words);

/// Whether the text is a name, a number, a call, or in parentheses.
[[nodiscard]] bool is_atom(std::string_view text);

/// `i_{0}` for i0, `\mathit{pid\_m}` for longer names.
[[nodiscard]] std::string latex_name(const std::string& name);

// Whether an operator of a language agrees with Euclidean division.

[[nodiscard]] inline bool is_natural(const CodeExpression& value) {
  return known_at_most(0, value.value());
}
[[nodiscard]] inline bool is_positive(const CodeExpression& value) {
  return known_less(0, value.value());
}
/// Whether truncation towards zero agrees with Euclidean division here.
[[nodiscard]] inline bool is_cut_off_alike(const CodeExpression& division) {
  return is_natural(division.operand(0)) && is_positive(division.operand(1));
}

}  // namespace heddle::emit
