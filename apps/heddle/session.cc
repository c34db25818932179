#include "heddle/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "heddle/draw/formats.h"
#include "heddle/drawing.h"
#include "heddle/notation/operations.h"
#include "heddle/notation/parser.h"

namespace heddle::app {
namespace {

using notation::Statement;
using notation::StatementKind;
using notation::Value;

std::string_view text_of(const Source& source, Span span) {
  return source.text.substr(span.begin, span.end - span.begin);
}

std::string_view sign_of(notation::TokenKind comparator) {
  switch (comparator) {
    case notation::TokenKind::kEqual:
      return "==";
    case notation::TokenKind::kNotEqual:
      return "!=";
    case notation::TokenKind::kLess:
      return "<";
    case notation::TokenKind::kLessEqual:
      return "<=";
    case notation::TokenKind::kGreater:
      return ">";
    default:
      return ">=";
  }
}

/// A claim that is false, with the values of both its sides where it compares two.
std::string false_claim(const notation::Expression& claim, std::string_view text,
                        const notation::Environment& environment) {
  const auto* comparison = std::get_if<notation::ComparisonNode>(&claim.node);
  if (comparison == nullptr) return fmt::format("{} is false", text);
  const auto left = notation::evaluate(claim.parts[0], environment);
  const auto right = notation::evaluate(claim.parts[1], environment);
  if (!left || !right) return fmt::format("{} is false", text);
  return fmt::format("{} {} {} is false", to_string(*left), sign_of(comparison->comparator),
                     to_string(*right));
}

/// The evidence of a verdict in parts, for programs.
Diagnostic with_evidence(Diagnostic failure, const Verdict& verdict) {
  failure = std::move(failure).with_note(verdict.method());
  if (!verdict.remark().empty()) failure = std::move(failure).with_note(verdict.remark());
  if (!verdict.counterexample()) return failure;
  return std::move(failure).with_witness(*verdict.counterexample());
}

bool asks_for_more(notation::TokenKind last) {
  using enum notation::TokenKind;
  // `>` may close a tiler.
  constexpr notation::TokenKind kOpen[] = {
      kCompose, kComma,  kColon, kAt,    kPlus,     kMinus, kStar,      kFloorDivide,
      kPercent, kAssign, kArrow, kEqual, kNotEqual, kLess,  kLessEqual, kGreaterEqual};
  return std::ranges::find(kOpen, last) != std::end(kOpen);
}

/// The verdict of a claim, which must be a truth value or a verdict.
Result<Verdict> asserted(const Value& value, Span span) {
  if (auto verdict = verdict_of(value)) return *std::move(verdict);
  return refuse(
      Diagnostic("call.type", fmt::format("assert is given {}; a comparison or a truth value is "
                                          "needed",
                                          kind_name(value)))
          .with_span(span));
}

/// The numbers as a coordinate: one of them alone is no tuple.
Value tuple_value(std::span<const std::int64_t> numbers) {
  if (numbers.size() == 1) return Value(IntTuple(Int(numbers.front())));
  std::vector<IntTuple> modes;
  for (const std::int64_t number : numbers) modes.emplace_back(Int(number));
  return Value(IntTuple::of(modes));
}

/// One number is the flat coordinate of any layout; apply() of a LEGO layout takes the point.
Value coordinate_of(const Value& value, std::span<const std::int64_t> numbers) {
  const auto* layout = value.get_if<lego::Layout>();
  if (layout == nullptr || numbers.size() != 1) return tuple_value(numbers);
  return Value(IntTuple::flat(lego::unflatten(layout->dims(), Int(numbers.front()))));
}

/// What an expression is applied to a coordinate.
notation::Explained explained_at(const notation::Expression& expression, const PointOption& point,
                                 const notation::Environment& environment) {
  auto value = notation::evaluate(expression, environment);
  if (!value) return {{}, 0, std::move(value)};
  const Value coordinate = coordinate_of(*value, point.at);
  std::vector<notation::Argument> arguments = {{*std::move(value), {}, {}}, {coordinate, {}, {}}};
  if (!point.shape.empty()) arguments.push_back({tuple_value(point.shape), {}, {}});
  const notation::Operation& apply = *notation::find_operation("apply", arguments);
  return {
      {notation::explain(apply, arguments)}, 0, notation::call_in(environment, apply, arguments)};
}

}  // namespace

bool is_unfinished(std::string_view text) {
  using enum notation::TokenKind;
  // A function of Python goes on up to an empty line, which ends every statement.
  const std::size_t first = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  if (text.substr(first).starts_with("def ")) return true;
  notation::Lexer lexer(text);
  notation::TokenKind last = kEnd;
  int open = 0;
  while (true) {
    const auto token = lexer.next();
    if (!token) return false;
    if (token->kind == kEnd) return open > 0 || asks_for_more(last);
    if (token->kind == kLeftParenthesis || token->kind == kLeftBracket || token->kind == kLeftBrace)
      ++open;
    if (token->kind == kRightParenthesis || token->kind == kRightBracket ||
        token->kind == kRightBrace)
      --open;
    if (token->kind != kNewline) last = token->kind;
  }
}

Result<void> check_syntax(std::string_view text) {
  notation::StatementReader reader(text);
  while (true) {
    HEDDLE_TRY(const auto statement, reader.next());
    if (!statement) return {};
  }
}

void Session::set_stop(std::stop_token stop) {
  notation::CallContext context = environment_.context();
  context.decide.limits.stop = std::move(stop);
  environment_.set_context(std::move(context));
}

ExitCode Session::run(const Source& source) {
  notation::StatementReader reader(source.text);
  ExitCode code = ExitCode::kDone;
  while (true) {
    const auto statement = reader.next();
    if (!statement) return console_.fail(statement.error(), source);
    if (!*statement) return code;
    const ExitCode outcome = run(**statement, source);
    has_begun_ = true;
    code = worse(code, outcome);
    const bool is_refuted =
        outcome != ExitCode::kDone && (*statement)->kind == StatementKind::kAssert;
    if (is_failure(outcome) || is_refuted) return code;
  }
}

ExitCode Session::explain(const Source& source, const notation::TextStyle& style,
                          const std::optional<PointOption>& point) {
  notation::StatementReader reader(source.text);
  ExitCode code = ExitCode::kDone;
  while (true) {
    const auto statement = reader.next();
    if (!statement) return console_.fail(statement.error(), source);
    if (!*statement) return code;
    const ExitCode outcome = explain(**statement, source, style, point);
    code = worse(code, outcome);
    if (is_failure(outcome)) return code;
  }
}

ExitCode Session::explain(const Statement& statement, const Source& source,
                          const notation::TextStyle& style,
                          const std::optional<PointOption>& point) {
  const bool is_setting = statement.kind == StatementKind::kBinding ||
                          statement.kind == StatementKind::kAssume ||
                          statement.kind == StatementKind::kAxis;
  if (is_setting) return run(statement, source);
  const notation::Explained explained =
      point ? explained_at(statement.expression, *point, environment_)
            : notation::explain(statement.expression, environment_);
  if (console_.json()) {
    console_.print_line(to_json(explained));
    return explained.value ? exit_code(*explained.value) : exit_code(explained.value.error());
  }
  if (has_begun_) console_.print_line("");
  has_begun_ = true;
  console_.print_text(to_text(explained, style));
  if (!explained.value) return console_.fail(explained.value.error(), source);
  return exit_code(*explained.value);
}

ExitCode Session::run(const Statement& statement, const Source& source) {
  switch (statement.kind) {
    case StatementKind::kExpression:
      return run_expression(statement, source);
    case StatementKind::kBinding:
      return run_binding(statement, source);
    case StatementKind::kAssert:
      return run_assert(statement, source);
    case StatementKind::kRefuse:
      return run_refuse(statement, source);
    case StatementKind::kDraw:
      return run_draw(statement, source);
    case StatementKind::kAssume:
    case StatementKind::kAxis:
      return run_assume(statement, source);
  }
  return ExitCode::kDone;
}

void Session::show(const Statement& statement, const Source& source, const Value& value) const {
  if (echo_ != Echo::kStatements && echo_ != Echo::kPrompt) return;
  console_.print(text_of(source, statement.span), value);
}

void Session::show_heading(const Value& value) const {
  if (has_begun_ && !console_.json()) console_.print_line("");
  console_.print(value);
}

ExitCode Session::run_expression(const Statement& statement, const Source& source) {
  const auto value = notation::evaluate(statement.expression, environment_);
  if (!value) return console_.fail(value.error(), source);
  const bool is_text = std::holds_alternative<notation::StringLiteral>(statement.expression.node);
  if (echo_ == Echo::kResults || echo_ == Echo::kPrompt) console_.print(*value);
  if (echo_ == Echo::kStatements && is_text) show_heading(*value);
  if (echo_ == Echo::kStatements && !is_text) show(statement, source, *value);
  return exit_code(*value);
}

ExitCode Session::run_binding(const Statement& statement, const Source& source) {
  auto value = notation::evaluate(statement.expression, environment_);
  if (!value) return console_.fail(value.error(), source);
  const auto bound = environment_.bind(statement.names, *value);
  if (!bound) return console_.fail(Diagnostic(bound.error()).with_span(statement.span), source);
  show(statement, source, *value);
  return ExitCode::kDone;
}

ExitCode Session::run_assert(const Statement& statement, const Source& source) {
  const auto value = notation::evaluate(statement.expression, environment_);
  if (!value) return console_.fail(value.error(), source);
  const auto verdict = asserted(*value, statement.expression.span);
  if (!verdict) return console_.fail(verdict.error(), source);
  if (verdict->is_yes()) {
    show(statement, source, *value);
    return ExitCode::kDone;
  }
  const notation::Expression& claim = statement.expression;
  const std::string message = value->is<bool>()
                                  ? false_claim(claim, text_of(source, claim.span), environment_)
                                  : verdict->to_string();
  Diagnostic failure(verdict->is_no() ? "assert.refuted" : "assert.unknown", message);
  if (console_.json() && value->is<Verdict>()) {
    failure = with_evidence(std::move(failure), *verdict);
  }
  (void)console_.fail(std::move(failure).with_span(statement.span), source);
  return exit_code(*verdict);
}

ExitCode Session::run_refuse(const Statement& statement, const Source& source) {
  const auto value = notation::evaluate(statement.expression, environment_);
  if (value) {
    Diagnostic failure("assert.not_refused",
                       fmt::format("this is not refused: it is {}", to_string(*value)));
    (void)console_.fail(std::move(failure).with_span(statement.span), source);
    return ExitCode::kRefuted;
  }
  // A mistyped name is refused too, but not what is meant.
  if (exit_code(value.error()) == ExitCode::kUsage) return console_.fail(value.error(), source);
  if (echo_ == Echo::kStatements) console_.print(text_of(source, statement.span), value.error());
  if (echo_ == Echo::kResults || echo_ == Echo::kPrompt)
    console_.print_text(value.error().to_string() + "\n");
  return ExitCode::kDone;
}

ExitCode Session::run_draw(const Statement& statement, const Source& source) {
  const auto in_place = [&](Diagnostic diagnostic) {
    if (diagnostic.span()) return console_.fail(diagnostic, source);
    return console_.fail(std::move(diagnostic).with_span(statement.span), source);
  };
  const auto format = format_of(statement.path.value_or(""));
  if (!format) return in_place(format.error());
  const auto picture =
      notation::picture_of(statement.expression, {.format = *format}, environment_);
  if (!picture) return in_place(picture.error());
  const auto style =
      terminal_style(statement.path || console_.json() ? ColorChoice::kNever : ColorChoice::kAuto);
  if (!statement.path) {
    console_.print_text(to_terminal(*picture, style));
    return ExitCode::kDone;
  }
  const auto written = write_picture(*statement.path, *picture);
  if (!written) return in_place(written.error());
  show(statement, source, Value("wrote " + *statement.path));
  return ExitCode::kDone;
}

ExitCode Session::run_assume(const Statement& statement, const Source& source) {
  const auto assumed = statement.kind == StatementKind::kAxis
                           ? environment_.declare_axis(statement.assumption)
                           : environment_.assume(statement.assumption);
  if (!assumed) {
    // What a side of a condition has as its place is not where that stands here.
    return console_.fail(Diagnostic(assumed.error()).with_span(statement.span), source);
  }
  if (echo_ == Echo::kStatements) {
    console_.print_line(std::string(text_of(source, statement.span)));
  }
  return ExitCode::kDone;
}

}  // namespace heddle::app
