#pragma once

// One language that expressions are printed in.

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "heddle/emit/print.h"

namespace heddle::emit {

/// How tightly the outermost operator of a text binds; greater is tighter. All languages agree on
/// this order. Bit operations, of which they do not, stand in parentheses whenever they are
/// operands.
enum class Precedence : int { kChoice, kComparison, kSum, kProduct, kSign, kAtom };

struct Written {
  std::string text;
  Precedence binding = Precedence::kAtom;
};

[[nodiscard]] inline std::string within(const Written& text, Precedence least) {
  return text.binding < least ? "(" + text.text + ")" : text.text;
}

class Writer {
 public:
  explicit Writer(Spelling spelling) : spelling_(std::move(spelling)) {}
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  virtual ~Writer() = default;

  [[nodiscard]] virtual std::string text(const CodeExpression& expression) = 0;
  /// The definition of a name.
  [[nodiscard]] virtual std::string statement(const std::string& name,
                                              const CodeExpression& value) = 0;
  /// What all texts written so far need.
  [[nodiscard]] virtual std::string helpers() const { return {}; }

 protected:
  [[nodiscard]] const Spelling& spelling() const { return spelling_; }
  /// What is written for a variable; nothing where that is its name.
  [[nodiscard]] const std::string* spelled(const std::string& name) const {
    const auto found = spelling_.find(name);
    return found == spelling_.end() ? nullptr : &found->second;
  }

 private:
  Spelling spelling_;
};

/// What C and Python share: infix operators and calls.
class CodeWriter : public Writer {
 public:
  explicit CodeWriter(const PrintOptions& options)
      : Writer(options.spelling), helper_prefix_(options.helper_prefix) {}

  std::string text(const CodeExpression& expression) override { return write(expression).text; }
  std::string helpers() const override;

 protected:
  [[nodiscard]] virtual Written constant(std::int64_t value) const = 0;
  [[nodiscard]] virtual Written quotient(const CodeExpression& expression) = 0;
  [[nodiscard]] virtual Written remainder(const CodeExpression& expression) = 0;
  [[nodiscard]] virtual Written shift_left(const CodeExpression& expression) = 0;
  [[nodiscard]] virtual Written function(const CodeExpression& expression) = 0;
  /// A choice between texts.
  [[nodiscard]] virtual Written choice(const Written& condition, const Written& then,
                                       const Written& otherwise) const = 0;
  [[nodiscard]] virtual Written select(const CodeExpression& expression);
  /// The definition of a helper, by its name without the prefix; or what imports it.
  [[nodiscard]] virtual std::string helper_text(const std::string& name) const = 0;

  Written write(const CodeExpression& expression);
  /// The two sides joined by a sign, each in parentheses where it binds less.
  Written infix(const CodeExpression& expression, std::string_view sign, Precedence binding,
                Precedence left, Precedence right);
  Written bits(const CodeExpression& expression, std::string_view sign);
  /// `a / b`, `a % b`.
  Written division(const CodeExpression& expression, std::string_view sign);
  /// A call of a helper function, whose text is then needed.
  Written call_helper(const std::string& name, const CodeExpression& expression);
  /// A call of a function of the language, by its full name; `helper` is what imports it.
  Written call(const std::string& name, const CodeExpression& expression);
  void need(const std::string& helper) { needed_.insert(helper); }
  [[nodiscard]] const std::string& helper_prefix() const { return helper_prefix_; }

 private:
  [[nodiscard]] std::string written_name(const CodeExpression& variable) const;
  Written chain(const CodeExpression& expression, std::string_view sign, Precedence right);
  Written product(const CodeExpression& expression);
  Written comparison(const CodeExpression& expression, std::string_view sign);
  Written divides(const CodeExpression& expression);

  std::string helper_prefix_;
  std::set<std::string> needed_;
};

[[nodiscard]] std::unique_ptr<Writer> make_c_writer(const PrintOptions& options, bool is_narrow);
[[nodiscard]] std::unique_ptr<Writer> make_python_writer(const PrintOptions& options,
                                                         bool is_narrow);
[[nodiscard]] std::unique_ptr<Writer> make_latex_writer(const PrintOptions& options);
[[nodiscard]] std::unique_ptr<Writer> make_heddle_writer(const PrintOptions& options);
[[nodiscard]] std::unique_ptr<Writer> make_writer(const PrintOptions& options, bool is_narrow);

/// `i_{0}` for i0, `\mathit{pid\_m}` for longer names.
[[nodiscard]] std::string latex_name(const std::string& name);

// Whether an operator of a language does what Euclidean division does.

[[nodiscard]] inline bool is_natural(const CodeExpression& value) {
  return known_at_most(0, value.value());
}
[[nodiscard]] inline bool is_positive(const CodeExpression& value) {
  return known_less(0, value.value());
}
/// Cutting off towards zero is what Euclidean division does here.
[[nodiscard]] inline bool is_cut_off_alike(const CodeExpression& division) {
  return is_natural(division.operand(0)) && is_positive(division.operand(1));
}

}  // namespace heddle::emit
