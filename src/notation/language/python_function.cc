#include "notation/language/python_function.h"
#include "notation/language/free_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/text.h"
#include "core/words.h"

namespace heddle::notation {
namespace {

/// The maximum number of lines of a function, and of statements in all paths through it.
constexpr std::size_t kMaxLines = 256;
constexpr std::size_t kMaxSteps = 1024;
/// The maximum number of residues tried to prove that a division leaves no remainder.
constexpr std::int64_t kMaxResidues = 4096;

Refusal unexpected(std::string message, Span span) {
  return refuse(Diagnostic("syntax.unexpected", std::move(message)).with_span(span));
}

// ---- Lines ----

/// A line without its indentation, its comment and the blanks at its end.
struct PythonLine {
  std::size_t indent = 0;
  Span span;
};

/// The line that begins at this byte.
PythonLine python_line_at(std::string_view text, std::size_t begin) {
  const std::size_t newline = std::min(text.find('\n', begin), text.size());
  const std::size_t end = std::min(text.find('#', begin), newline);
  const Span span = trimmed(text, {begin, end});
  return {span.begin - begin, span};
}

// ---- The meaning of Python's expressions ----

bool is_truth(const Expression& expression) {
  if (is_group(expression)) return is_truth(expression.parts.front());
  return std::holds_alternative<ComparisonNode>(expression.node) ||
         std::holds_alternative<Connective>(expression.node);
}

using Residues = std::vector<std::pair<std::string_view, std::int64_t>>;

/// The value of a sum of products modulo the divisor; nullopt for other expressions.
std::optional<std::int64_t> residue(const Expression& expression, std::int64_t divisor,
                                    const Residues& residues) {
  if (const auto* literal = std::get_if<IntegerLiteral>(&expression.node)) {
    return literal->value % divisor;
  }
  if (const auto* name = std::get_if<Reference>(&expression.node)) {
    return std::ranges::find(residues, name->name, &Residues::value_type::first)->second;
  }
  if (is_group(expression)) return residue(expression.parts.front(), divisor, residues);
  if (std::holds_alternative<Negation>(expression.node)) {
    const auto value = residue(expression.parts.front(), divisor, residues);
    return value ? std::optional(-*value) : std::nullopt;
  }
  const auto* chain = std::get_if<Arithmetic>(&expression.node);
  if (chain == nullptr) return std::nullopt;
  auto value = residue(expression.parts.front(), divisor, residues);
  for (std::size_t i = 0; value && i < chain->operators.size(); ++i) {
    const auto next = residue(expression.parts[i + 1], divisor, residues);
    if (!next) return std::nullopt;
    const TokenKind sign = chain->operators[i];
    if (sign == TokenKind::kPlus) {
      *value += *next;
    } else if (sign == TokenKind::kMinus) {
      *value -= *next;
    } else if (sign == TokenKind::kStar) {
      *value *= *next;
    } else {
      return std::nullopt;
    }
    *value %= divisor;
  }
  return value;
}

/// Whether it divides the sum of products for all values of its names.
bool always_divides(const Expression& divisor, const Expression& dividend) {
  const auto* literal = std::get_if<IntegerLiteral>(&divisor.node);
  if (literal == nullptr || literal->value < 1 || literal->value > kMaxResidues) return false;
  const std::set<std::string_view> names = names_in(dividend);
  std::int64_t count = 1;
  for (std::size_t i = 0; i < names.size(); ++i) {
    count *= literal->value;
    if (count > kMaxResidues) return false;
  }
  for (std::int64_t index = 0; index < count; ++index) {
    Residues residues;
    std::int64_t rest = index;
    for (const std::string_view name : names) {
      residues.emplace_back(name, rest % literal->value);
      rest /= literal->value;
    }
    if (residue(dividend, literal->value, residues) != 0) return false;
  }
  return true;
}

Result<Expression> as_number(Expression expression);

/// Converts a condition: parts of a comparison are numbers, parts of `and` and `or` are conditions.
Result<Expression> as_condition(Expression condition) {
  const bool is_passed_on =
      is_group(condition) || std::holds_alternative<Connective>(condition.node);
  for (Expression& part : condition.parts) {
    HEDDLE_TRY(part, is_passed_on ? as_condition(std::move(part)) : as_number(std::move(part)));
  }
  return make_expression(std::move(condition.node), condition.span, std::move(condition.parts));
}

/// Replaces `/` by floor division if it leaves no remainder.
Result<void> divide_exactly(Expression& expression) {
  auto* const chain = std::get_if<Arithmetic>(&expression.node);
  if (chain == nullptr) return {};
  for (std::size_t i = 0; i < chain->operators.size(); ++i) {
    if (chain->operators[i] != TokenKind::kSlash) continue;
    const auto count = static_cast<std::ptrdiff_t>(i);
    Expression dividend = expression.parts.front();
    if (count > 0) {
      dividend = make_expression(
          Arithmetic{{chain->operators.begin(), chain->operators.begin() + count}}, expression.span,
          {expression.parts.begin(), expression.parts.begin() + count + 1});
    }
    if (!always_divides(expression.parts[i + 1], dividend)) {
      return refuse(
          Diagnostic("syntax.slash", "'/' may leave a remainder here: integers are divided by '//'")
              .with_span(expression.span)
              .with_hint("write // for the quotient rounded down"));
    }
    chain->operators[i] = TokenKind::kFloorDivide;
  }
  return {};
}

/// A comparison as 1 or 0; floor(sqrt(x)) as isqrt(x).
Result<Expression> as_number(Expression expression) {
  const Span span = expression.span;
  if (is_truth(expression)) {
    HEDDLE_TRY(Expression condition, as_condition(std::move(expression)));
    return make_expression(Choice{}, span,
                           {std::move(condition), make_expression(IntegerLiteral{1}, span),
                            make_expression(IntegerLiteral{0}, span)});
  }
  const std::string_view name = called_name(expression);
  if ((name == "floor" || name == "int") && expression.parts.size() == 2 &&
      called_name(expression.parts[1]) == "sqrt" && expression.parts[1].parts.size() == 2) {
    Expression root = std::move(expression.parts[1]);
    expression = std::move(root);
    expression.parts.front() = make_expression(Reference{"isqrt"}, span);
  }
  const bool is_choice = std::holds_alternative<Choice>(expression.node);
  for (std::size_t i = 0; i < expression.parts.size(); ++i) {
    Expression& part = expression.parts[i];
    HEDDLE_TRY(part,
               is_choice && i == 0 ? as_condition(std::move(part)) : as_number(std::move(part)));
  }
  HEDDLE_CHECK(divide_exactly(expression));
  return make_expression(std::move(expression.node), span, std::move(expression.parts));
}

// ---- Statements ----

enum class PythonStatementKind { kBind, kReturn, kChoose };

struct PythonStatement {
  PythonStatementKind kind = PythonStatementKind::kReturn;
  Span span;
  /// The name of a binding.
  std::string_view name = {};
  /// The bound or returned value, or the condition of an `if`.
  Expression value = {};
  std::vector<PythonStatement> then = {};
  std::vector<PythonStatement> otherwise = {};
};

/// The statements that follow, innermost block first.
struct Following {
  std::span<const PythonStatement> statements;
  const Following* next = nullptr;
};

class PythonReader {
 public:
  PythonReader(std::string_view text, const PieceParser& parse) : text_(text), parse_(parse) {}

  Result<PythonFunction> read(std::size_t begin) {
    HEDDLE_TRY(PythonFunction function, header(begin));
    HEDDLE_CHECK(collect_lines(begin, function.end));
    if (lines_.empty()) return unexpected("the function has no lines", {begin, function.end});
    function.end = lines_.back().span.end;
    const std::size_t indent = lines_.front().indent;
    HEDDLE_TRY(const std::vector<PythonStatement> statements, block(indent));
    if (next_ < lines_.size()) {
      return unexpected("a line is indented in a way that begins no block", lines_[next_].span);
    }
    HEDDLE_TRY(Expression body, lowered({statements, nullptr}, {begin, function.end}));
    function.function = make_expression(std::move(function.function.node), {begin, function.end},
                                        {std::move(body)});
    return function;
  }

 private:
  [[nodiscard]] std::string_view text(Span span) const { return text_at(text_, span); }
  [[nodiscard]] bool is_name(std::string_view word) const {
    return !word.empty() && !is_digit(word.front()) && std::ranges::all_of(word, is_word_character);
  }

  /// `def f(n, i, j):`, up to the colon; the rest of the line is its body.
  Result<PythonFunction> header(std::size_t begin) {
    const std::size_t newline = std::min(text_.find('\n', begin), text_.size());
    const std::size_t open = std::min(text_.find('(', begin), newline);
    const std::size_t close = std::min(text_.find(')', open), newline);
    const std::size_t colon = std::min(text_.find(':', close), newline);
    const Span name = trimmed(text_, {begin + std::string_view("def").size(), open});
    if (colon == newline || !is_name(text(name))) {
      return unexpected("a function begins as 'def f(i, j):'", {begin, newline});
    }
    FunctionLiteral literal;
    for (std::size_t at = open + 1; at < close;) {
      const std::size_t comma = std::min(text_.find(',', at), close);
      const Span parameter = trimmed(text_, {at, comma});
      const bool is_new =
          std::ranges::find(literal.parameters, text(parameter)) == literal.parameters.end();
      if (!is_name(text(parameter)) || !is_new) {
        return unexpected("parameters are names, each once", parameter);
      }
      literal.parameters.push_back(text(parameter));
      at = comma + 1;
    }
    PythonFunction function;
    function.name = text(name);
    function.function.node = std::move(literal);
    function.end = colon + 1;
    return function;
  }

  /// The rest of the line of the header, or the lines below it that are indented further.
  Result<void> collect_lines(std::size_t begin, std::size_t after_header) {
    const std::size_t newline = text_.rfind('\n', begin);
    const std::size_t line = newline == std::string_view::npos ? 0 : newline + 1;
    const std::size_t indent = begin - line;
    const PythonLine rest = python_line_at(text_, after_header);
    if (rest.span.begin < rest.span.end) {
      lines_.push_back(rest);
      return {};
    }
    std::size_t at = std::min(text_.find('\n', after_header), text_.size());
    while (at < text_.size()) {
      const PythonLine next = python_line_at(text_, at + 1);
      const bool is_empty = next.span.begin == next.span.end;
      if (!is_empty && next.indent <= indent) break;
      if (!is_empty) lines_.push_back(next);
      if (lines_.size() > kMaxLines) {
        return refuse(Diagnostic("syntax.too_long",
                                 fmt::format("a function of more than {} lines", kMaxLines))
                          .with_span(next.span));
      }
      at = std::min(text_.find('\n', at + 1), text_.size());
    }
    return {};
  }

  Result<Expression> piece(Span span) {
    span = trimmed(text_, span);
    if (span.begin == span.end) return unexpected("an expression is missing", span);
    return parse_(span);
  }
  Result<Expression> number(Span span) {
    HEDDLE_TRY(Expression expression, piece(span));
    return as_number(std::move(expression));
  }

  /// The lines of one indentation.
  Result<std::vector<PythonStatement>> block(std::size_t indent) {
    std::vector<PythonStatement> statements;
    while (next_ < lines_.size() && lines_[next_].indent == indent) {
      HEDDLE_TRY(statements.emplace_back(), statement(lines_[next_++]));
    }
    return statements;
  }

  Result<PythonStatement> statement(const PythonLine& line) {
    const std::string_view word = first_word(text(line.span));
    const Span rest{line.span.begin + word.size(), line.span.end};
    if (word == "return") {
      PythonStatement statement{PythonStatementKind::kReturn, line.span};
      HEDDLE_TRY(statement.value, number(rest));
      return statement;
    }
    if (word == "if") return choice(line, rest);
    return binding(line, word, rest);
  }

  Result<PythonStatement> choice(const PythonLine& line, Span rest) {
    PythonStatement statement{PythonStatementKind::kChoose, line.span};
    if (text_[line.span.end - 1] != ':') {
      return unexpected("a condition ends with ':', and what depends on it is below", line.span);
    }
    HEDDLE_TRY(Expression condition, piece({rest.begin, rest.end - 1}));
    HEDDLE_TRY(statement.value, as_condition(std::move(condition)));
    HEDDLE_TRY(statement.then, inner_block(line));
    if (next_ == lines_.size() || lines_[next_].indent != line.indent) return statement;
    const PythonLine& other = lines_[next_];
    const std::string_view word = first_word(text(other.span));
    const Span behind = trimmed(text_, {other.span.begin + word.size(), other.span.end});
    if (word == "elif") {
      ++next_;
      HEDDLE_TRY(statement.otherwise.emplace_back(), choice(other, behind));
    } else if (word == "else") {
      ++next_;
      if (text(behind) != ":") return unexpected("the line ends after 'else:'", other.span);
      HEDDLE_TRY(statement.otherwise, inner_block(other));
    }
    return statement;
  }

  Result<std::vector<PythonStatement>> inner_block(const PythonLine& line) {
    if (next_ == lines_.size() || lines_[next_].indent <= line.indent) {
      return unexpected("no lines are indented below it", line.span);
    }
    return block(lines_[next_].indent);
  }

  /// `x = …`, `x += …`.
  Result<PythonStatement> binding(const PythonLine& line, std::string_view name, Span rest) {
    struct Update {
      std::string_view sign;
      TokenKind kind;
    };
    constexpr std::array kUpdates = {
        Update{"+=", TokenKind::kPlus}, Update{"-=", TokenKind::kMinus},
        Update{"*=", TokenKind::kStar}, Update{"//=", TokenKind::kFloorDivide},
        Update{"%=", TokenKind::kPercent}};
    PythonStatement statement{PythonStatementKind::kBind, line.span, name};
    rest = trimmed(text_, rest);
    const std::string_view behind = text(rest);
    const bool is_binding = is_name(name) && behind.starts_with('=') && !behind.starts_with("==");
    if (is_binding) {
      HEDDLE_TRY(statement.value, number({rest.begin + 1, rest.end}));
      return statement;
    }
    for (const Update& update : kUpdates) {
      if (!is_name(name) || !behind.starts_with(update.sign)) continue;
      HEDDLE_TRY(Expression value, number({rest.begin + update.sign.size(), rest.end}));
      statement.value =
          make_expression(Arithmetic{{update.kind}}, line.span,
                          {make_expression(Reference{name}, line.span), std::move(value)});
      return statement;
    }
    return refuse(Diagnostic("syntax.unexpected",
                             "a line of a function is a return, an if, elif or else, or x = …")
                      .with_span(line.span));
  }

  /// The statements as an expression.
  Result<Expression> lowered(const Following& following, Span span) {
    if (following.statements.empty()) {
      if (following.next != nullptr) return lowered(*following.next, span);
      return unexpected("a way through the function does not return", span);
    }
    const PythonStatement& statement = following.statements.front();
    if (++steps_ > kMaxSteps) {
      return refuse(
          Diagnostic("syntax.too_long",
                     fmt::format("more than {} steps lead through the function", kMaxSteps))
              .with_span(statement.span));
    }
    if (statement.kind == PythonStatementKind::kReturn) return statement.value;
    const Following rest{following.statements.subspan(1), following.next};
    if (statement.kind == PythonStatementKind::kBind) {
      HEDDLE_TRY(Expression body, lowered(rest, span));
      Expression function =
          make_expression(FunctionLiteral{{statement.name}}, statement.span, {std::move(body)});
      return make_expression(Application{{std::string_view()}}, statement.span,
                             {std::move(function), statement.value});
    }
    HEDDLE_TRY(Expression then, lowered({statement.then, &rest}, statement.span));
    HEDDLE_TRY(Expression otherwise, lowered({statement.otherwise, &rest}, statement.span));
    return make_expression(Choice{}, statement.span,
                           {statement.value, std::move(then), std::move(otherwise)});
  }

  std::string_view text_;
  const PieceParser& parse_;
  std::vector<PythonLine> lines_;
  std::size_t next_ = 0;
  std::size_t steps_ = 0;
};

}  // namespace

Result<PythonFunction> read_python_function(std::string_view text, std::size_t begin,
                                            const PieceParser& parse) {
  return PythonReader(text, parse).read(begin);
}

}  // namespace heddle::notation
