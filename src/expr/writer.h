#pragma once

// One language that expressions are printed in.

#include <memory>
#include <string>
#include <string_view>

#include "heddle/expr/print.h"

namespace heddle::expr {

/// `C`, `Python`, `LaTeX`, for messages.
[[nodiscard]] std::string_view title_of(Language language);

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
  Writer() = default;
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  virtual ~Writer() = default;

  [[nodiscard]] virtual std::string text(const Expression& expression) = 0;
  /// The definition of a name.
  [[nodiscard]] virtual std::string statement(const std::string& name, const Expression& value) = 0;
  /// What all texts written so far need.
  [[nodiscard]] virtual std::string helpers() const { return {}; }
};

[[nodiscard]] std::unique_ptr<Writer> make_latex_writer();
[[nodiscard]] std::unique_ptr<Writer> make_writer(const PrintOptions& options, bool is_narrow);

// Whether an operator of a language does what Euclidean division does.

[[nodiscard]] inline bool is_natural(const Expression& value) {
  return known_at_most(0, value.value());
}
[[nodiscard]] inline bool is_positive(const Expression& value) {
  return known_less(0, value.value());
}

}  // namespace heddle::expr
