#include "heddle/emit/inline_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/words.h"
#include "emit/widening.h"
#include "emit/writer.h"
#include "heddle/emit/print.h"
#include "heddle/expr/simplify.h"

namespace heddle::emit {
namespace {

/// Longer expressions do not fit on one line.
constexpr std::size_t kMostNodes = 2048;

/// Writes expressions with the definitions of their kernel expanded.
class Inlining {
 public:
  explicit Inlining(const Kernel& kernel) {
    for (const auto& [name, value] : kernel.definitions) {
      const std::size_t nodes = nodes_in(value);
      nodes_.emplace(name, nodes);
      // Definitions that are too long are skipped: an expression that uses them is refused anyway.
      if (nodes <= kMostNodes) definitions_.emplace(name, written_out(value));
    }
  }

  [[nodiscard]] Result<CodeExpression> of(const CodeExpression& expression) const {
    if (nodes_in(expression) <= kMostNodes) return written_out(expression);
    return refuse(
        Diagnostic(
            "template.long_expression",
            fmt::format("written in one line the expression has more than {} parts", kMostNodes))
            .with_hint("write a function, {{ emit(L, \"c\", \"name\") }}, and call it"));
  }

 private:
  /// The nodes of the tree, shared ones counted at each use; counting stops just past the limit.
  [[nodiscard]] std::size_t nodes_in(const CodeExpression& expression) const {
    std::unordered_map<const void*, std::size_t> nodes;
    for_each_node(expression, [&](const CodeExpression& node) {
      const bool is_definition = node.operation() == CodeOperation::kDefinition;
      std::size_t count = is_definition ? nodes_.at(node.name()) : 1;
      for (const CodeExpression& operand : node.operands()) count += nodes.at(operand.identity());
      nodes.emplace(node.identity(), std::min(count, kMostNodes + 1));
    });
    return nodes.at(expression.identity());
  }

  [[nodiscard]] CodeExpression written_out(const CodeExpression& expression) const {
    return transformed(expression, [this](const CodeExpression& node) {
      return node.operation() == CodeOperation::kDefinition ? definitions_.at(node.name()) : node;
    });
  }

  std::map<std::string, std::size_t> nodes_;
  std::map<std::string, CodeExpression> definitions_;
};

PrintOptions in_program(Dialect dialect, const Spelling& spelling) {
  PrintOptions options;
  options.dialect = dialect;
  options.in_program = true;
  options.spelling = spelling;
  return options;
}

Result<Kernel> kernel_of(std::span<const Int> values, std::span<const Condition> guards,
                         Dialect dialect) {
  HEDDLE_TRY(const Simplified simplified,
             simplify(values, guards, {.target = usual_target(dialect)}));
  const Inlining inlining(simplified.kernel);
  Kernel kernel;
  for (auto list : {&Kernel::results, &Kernel::guards}) {
    for (const CodeExpression& expression : simplified.kernel.*list) {
      HEDDLE_TRY(CodeExpression plain, inlining.of(expression));
      (kernel.*list).push_back(std::move(plain));
    }
  }
  return kernel;
}

/// Conditions joined by `and`, or by `or`; the word for true, or for false, if there are none.
std::string connected(const std::vector<std::string>& conditions, bool is_and, Dialect dialect) {
  if (conditions.empty()) return truth_text(is_and, dialect);
  if (conditions.size() == 1) return conditions.front();
  // Blocks of Triton are compared element by element.
  if (dialect == Dialect::kTriton) {
    return fmt::format("({})", fmt::join(conditions, is_and ? ") & (" : ") | ("));
  }
  std::string sign = is_and ? " && " : " || ";
  if (is_python_like(dialect)) sign = is_and ? " and " : " or ";
  if (dialect == Dialect::kLatex) sign = is_and ? " \\wedge " : " \\vee ";
  return fmt::format("{}", fmt::join(conditions, sign));
}

/// The kernel as text, with casts to the type `wide` if it is not empty.
Result<PrintedKernel> printed_with(const Kernel& kernel, const PrintOptions& options,
                                   std::string_view wide) {
  if (wide.empty()) return print(kernel, options);
  Widening widening(wide, options);
  HEDDLE_TRY(const Kernel widened, widening.of(kernel));
  return print(widened, widening.options());
}

/// Each condition, printed; a known one as the language's word for it.
Result<std::vector<InlineText>> printed_conditions(std::span<const Condition> given,
                                                   const PrintOptions& options,
                                                   std::string_view wide) {
  HEDDLE_TRY(const Kernel kernel, kernel_of({}, given, options.dialect));
  HEDDLE_TRY(const PrintedKernel printed, printed_with(kernel, options, wide));
  std::vector<InlineText> made;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const CodeExpression& guard = kernel.guards[i];
    const bool is_known = guard.operation() == CodeOperation::kConstant;
    InlineText& one = made.emplace_back();
    one.text = is_known ? truth_text(guard.constant() != 0, options.dialect) : printed.guards[i];
    one.kernel.guards.push_back(guard);
  }
  return made;
}

/// The condition that one of the alternatives holds; the box is known to hold there.
Result<InlineText> any_of(std::span<const std::vector<Condition>> alternatives,
                          const PrintOptions& options, std::string_view wide) {
  if (alternatives.empty()) return InlineText{truth_text(true, options.dialect), {}};
  std::vector<InlineText> texts;
  for (const std::vector<Condition>& alternative : alternatives) {
    HEDDLE_TRY(auto conditions, printed_conditions(alternative, options, wide));
    texts.push_back(joined(std::move(conditions), true, options.dialect));
  }
  return joined(std::move(texts), false, options.dialect);
}

/// The binding of the text beside a placeholder.
enum class Beside {
  kEnd,       // nothing binds it: `= …;`, `(…)`, `return …`
  kSum,       // + or -, or a word that binds less
  kOperator,  // anything else
};

/// Words of Python that bind less than a sum.
bool binds_less(std::string_view word) {
  constexpr std::string_view kWords[] = {"in",   "is",   "and",   "or",     "not", "if",
                                         "elif", "else", "while", "assert", "for"};
  return std::ranges::find(kWords, word) != std::end(kWords);
}

/// Whether the sign is binary: an operand is before it.
bool is_binary_plus(std::string_view text) {
  text.remove_suffix(1);
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  if (last == std::string_view::npos) return false;
  return is_word_character(text[last]) || text[last] == ')' || text[last] == ']';
}

Beside beside_before(std::string_view text, Dialect dialect) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t last = text.find_last_not_of(kBlanks);
  if (last == std::string_view::npos) return Beside::kEnd;
  text = text.substr(0, last + 1);
  const std::size_t line = text.rfind('\n') + 1;  // 0 on the first one
  // After a comment sign the context is unknown, so anything may bind.
  if (text.find(comment_sign(dialect), line) != std::string_view::npos) return Beside::kOperator;
  const char c = text.back();
  if (std::string_view("([,{};").find(c) != std::string_view::npos) return Beside::kEnd;
  const bool compares = text.size() > 1 && std::string_view("=!<>").find(text[text.size() - 2]) !=
                                               std::string_view::npos;
  if (c == '=' && !compares) return Beside::kEnd;
  if (c == '+') return is_binary_plus(text) ? Beside::kSum : Beside::kOperator;
  if (last_word(text) == "return") return Beside::kEnd;
  return binds_less(last_word(text)) ? Beside::kSum : Beside::kOperator;
}

Beside beside_behind(std::string_view text, Dialect dialect) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return Beside::kEnd;
  const bool is_next_line = text.substr(0, first).find('\n') != std::string_view::npos;
  text = text.substr(first);
  if (text.starts_with(comment_sign(dialect))) {
    // The statement may continue on the next line; in Python it does not.
    const std::size_t end = std::min(text.find('\n'), text.size());
    return is_python_like(dialect) ? Beside::kEnd : beside_behind(text.substr(end), dialect);
  }
  if (is_next_line && text.front() == '#') {  // the line after the directive continues it
    return beside_behind(text.substr(std::min(text.find('\n'), text.size())), dialect);
  }
  if (std::string_view(")],;}").find(text.front()) != std::string_view::npos) {
    return Beside::kEnd;
  }
  if (text.front() == '+' || text.front() == '-') return Beside::kSum;
  if (is_word_character(text.front())) {
    const bool goes_on = !is_next_line || binds_less(first_word(text));
    return goes_on ? Beside::kSum : Beside::kEnd;
  }
  return is_next_line && (text.front() == '@' || text.front() == '"') ? Beside::kEnd
                                                                      : Beside::kOperator;
}

/// Whether only + - * / % occur outside of parentheses.
bool is_sum(std::string_view text) {
  constexpr std::string_view kSigns[] = {"<", ">", "=", "!", "?", ":", "&", "|", "^"};
  constexpr std::string_view kWords[] = {" if ", " and ", " or ", "not "};
  return !has_outside(text, kSigns) && std::ranges::none_of(kWords, [&](std::string_view word) {
    return text.find(word) != std::string_view::npos;
  });
}

constexpr std::array<std::string_view, 6> kLoose = {" ? ",  " if ",  " || ",
                                                    " or ", "\\vee", "\\begin"};
constexpr std::array<std::string_view, 3> kTight = {" && ", " and ", "\\wedge"};

/// In parentheses if an operator around it would split it.
std::string within_operator(const std::string& text, bool binds_and) {
  const bool is_loose = has_outside(text, kLoose) || (binds_and && has_outside(text, kTight));
  return is_loose ? "(" + text + ")" : text;
}

void take_kernel(InlineText& made, const InlineText& part) {
  made.kernel.results.insert(made.kernel.results.end(), part.kernel.results.begin(),
                             part.kernel.results.end());
  made.kernel.guards.insert(made.kernel.guards.end(), part.kernel.guards.begin(),
                            part.kernel.guards.end());
}

}  // namespace

bool is_atom(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size() && (is_word_character(text[i]) || text[i] == '.')) ++i;
  if (i == text.size()) return true;
  int depth = 0;
  for (; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '[') ++depth;
    if ((text[i] == ')' || text[i] == ']') && --depth == 0) {
      const bool goes_on = i + 1 < text.size() && (text[i + 1] == '[' || text[i + 1] == '.');
      if (!goes_on) return i + 1 == text.size();
    }
    if (depth == 0 && text[i] != ')' && text[i] != ']' && text[i] != '.') return false;
  }
  return false;
}

bool has_outside(std::string_view text, std::span<const std::string_view> words) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '[' || text[i] == '{') ++depth;
    if (text[i] == ')' || text[i] == ']' || text[i] == '}') --depth;
    const auto begins = [&](std::string_view word) { return text.substr(i).starts_with(word); };
    if (depth == 0 && std::ranges::any_of(words, begins)) return true;
  }
  return false;
}

InlineText joined(std::vector<InlineText> conditions, bool is_and, Dialect dialect) {
  InlineText made;
  std::vector<std::string> texts;
  for (const InlineText& condition : conditions) {
    if (condition.text == truth_text(is_and, dialect)) continue;
    if (condition.text == truth_text(!is_and, dialect)) return condition;
    texts.push_back(condition.text);
    take_kernel(made, condition);
  }
  // Triton has parentheses around them in any case.
  const bool has_none = texts.size() == 1 || dialect == Dialect::kTriton;
  for (std::string& text : texts) {
    if (!has_none) text = within_operator(text, !is_and);
  }
  made.text = connected(texts, is_and, dialect);
  return made;
}

InlineText negated(InlineText condition, Dialect dialect) {
  for (const bool truth : {true, false}) {
    if (condition.text == truth_text(truth, dialect)) return {truth_text(!truth, dialect), {}};
  }
  // `not` does not work on Triton's blocks, and `~` does not negate its numbers.
  const char* form = dialect == Dialect::kTriton  ? "({}) == 0"
                     : is_python_like(dialect)    ? "not ({})"
                     : dialect == Dialect::kLatex ? "\\neg \\left({}\\right)"
                                                  : "!({})";
  condition.text = fmt::format(fmt::runtime(form), condition.text);
  return condition;
}

InlineText chosen(InlineText condition, InlineText then, InlineText otherwise, Dialect dialect) {
  if (condition.text == truth_text(true, dialect)) return then;
  if (condition.text == truth_text(false, dialect)) return otherwise;
  take_kernel(condition, then);
  take_kernel(condition, otherwise);
  const std::string& a = then.text;
  const std::string& b = otherwise.text;
  if (dialect == Dialect::kTriton) {
    condition.text = fmt::format("tl.where({}, {}, {})", condition.text, a, b);
  } else if (dialect == Dialect::kLatex) {
    condition.text = fmt::format(
        "\\begin{{cases}} {} & \\text{{if }} {} \\\\ {} & \\text{{otherwise}} \\end{{cases}}", a,
        condition.text, b);
  } else if (is_python_like(dialect)) {
    condition.text = fmt::format("{} if {} else {}", within_operator(a, false),
                                 within_operator(condition.text, false), b);
  } else {
    condition.text = fmt::format("{} ? {} : {}", within_operator(condition.text, false),
                                 within_operator(a, false), within_operator(b, false));
  }
  return condition;
}

std::string truth_text(bool truth, Dialect dialect) {
  if (is_python_like(dialect)) return truth ? "True" : "False";
  if (is_cpp_like(dialect) || dialect == Dialect::kMlir) return truth ? "true" : "false";
  if (dialect == Dialect::kLatex) return truth ? "\\top" : "\\bot";
  return truth ? "1" : "0";
}

Result<InlineText> inline_text(const Int& value, Dialect dialect, const Spelling& spelling,
                               std::string_view wide) {
  HEDDLE_TRY(Kernel kernel, kernel_of({&value, 1}, {}, dialect));
  HEDDLE_TRY(PrintedKernel printed, printed_with(kernel, in_program(dialect, spelling), wide));
  return InlineText{std::move(printed.results.front()), std::move(kernel)};
}

Result<InlineText> inline_text(const Guard& guard, Dialect dialect, const Spelling& spelling,
                               std::string_view wide) {
  const PrintOptions options = in_program(dialect, spelling);
  // Not in one kernel: in the alternatives more is known of the coordinates than in the box.
  HEDDLE_TRY(std::vector<InlineText> conditions, printed_conditions(guard.box, options, wide));
  HEDDLE_TRY(conditions.emplace_back(), any_of(guard.alternatives, options, wide));
  return joined(std::move(conditions), true, dialect);
}

std::string as_operand(std::string text, std::string_view before, std::string_view behind,
                       Dialect dialect) {
  const char beside = before.empty() ? '\0' : before.back();
  if (dialect == Dialect::kLatex && (beside == '^' || beside == '_')) return "{" + text + "}";
  // 28.real would be read as a number.
  if (behind.starts_with('.') && std::ranges::all_of(text, is_digit)) return "(" + text + ")";
  const Beside left = beside_before(before, dialect);
  const Beside right = beside_behind(behind, dialect);
  const bool is_whole = left == Beside::kEnd && right == Beside::kEnd;
  const bool is_summand = left != Beside::kOperator && right != Beside::kOperator && is_sum(text);
  if (is_whole || is_summand || is_atom(text)) return text;
  return "(" + text + ")";
}

}  // namespace heddle::emit
