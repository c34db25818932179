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

/// The text of a false claim, with the values of both sides if it is a comparison.
std::string false_claim(const notation::Expression& claim, std::string_view text,
                        const notation::Environment& environment) {
  const auto* comparison = std::get_if<notation::ComparisonNode>(&claim.node);
  if (comparison == nullptr) return fmt::format("{} is false", text);
  const auto left = notation::evaluate(claim.parts[0], environment);
  const auto right = notation::evaluate(claim.parts[1], environment);
  if (!left || !right) return fmt::format("{} is false", text);
  return fmt::format("{} {} {} is false", to_string(*left),
                     notation::sign_of(comparison->comparator), to_string(*right));
}

/// Adds the evidence of a verdict as separate fields, for programs.
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

/// The numbers as a coordinate: a single number is an integer, not a tuple.
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

/// Explains the application of an expression's value to a coordinate.
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
  // A Python function continues up to an empty line, which ends every statement.
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

ExitCode Session::each(const Source& source, bool asserts_stop,
                       const std::function<Result<ExitCode>(const Statement&)>& act) const {
  notation::StatementReader reader(source.text);
  ExitCode code = ExitCode::kDone;
  while (true) {
    const auto statement = reader.next();
    if (!statement) return console_.fail(statement.error(), source);
    if (!*statement) return code;
    const Result<ExitCode> outcome = act(**statement);
    if (!outcome) {
      const Diagnostic& why = outcome.error();
      return worse(
          code,
          console_.fail(why.span() ? why : Diagnostic(why).with_span((*statement)->span), source));
    }
    code = worse(code, *outcome);
    const bool is_refuted =
        asserts_stop && *outcome != ExitCode::kDone && (*statement)->kind == StatementKind::kAssert;
    if (is_failure(*outcome) || is_refuted) return code;
  }
}

ExitCode Session::run(const Source& source) {
  return each(source, /*asserts_stop=*/true, [&](const Statement& statement) {
    Result<ExitCode> outcome = run(statement, source);
    has_begun_ = true;
    return outcome;
  });
}

ExitCode Session::explain(const Source& source, const notation::TextStyle& style,
                          const std::optional<PointOption>& point) {
  return each(source, /*asserts_stop=*/false,
              [&](const Statement& statement) { return explain(statement, source, style, point); });
}

Result<ExitCode> Session::explain(const Statement& statement, const Source& source,
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
  HEDDLE_TRY(const Value value, explained.value);
  return exit_code(value);
}

Result<ExitCode> Session::run(const Statement& statement, const Source& source) {
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
  console_.print(text_at(source.text, statement.span), value);
}

void Session::show_heading(const Value& value) const {
  if (has_begun_ && !console_.json()) console_.print_line("");
  console_.print(value);
}

Result<ExitCode> Session::run_expression(const Statement& statement, const Source& source) {
  HEDDLE_TRY(const Value value, notation::evaluate(statement.expression, environment_));
  const bool is_text = std::holds_alternative<notation::StringLiteral>(statement.expression.node);
  if (echo_ == Echo::kResults || echo_ == Echo::kPrompt) console_.print(value);
  if (echo_ == Echo::kStatements && is_text) show_heading(value);
  if (echo_ == Echo::kStatements && !is_text) show(statement, source, value);
  return exit_code(value);
}

Result<ExitCode> Session::run_binding(const Statement& statement, const Source& source) {
  HEDDLE_TRY(const Value value, notation::evaluate(statement.expression, environment_));
  HEDDLE_CHECK(environment_.bind(statement.names, value));
  show(statement, source, value);
  return ExitCode::kDone;
}

Result<ExitCode> Session::run_assert(const Statement& statement, const Source& source) {
  const notation::Expression& claim = statement.expression;
  HEDDLE_TRY(const Value value, notation::evaluate(claim, environment_));
  HEDDLE_TRY(const Verdict verdict, asserted(value, claim.span));
  if (verdict.is_yes()) {
    show(statement, source, value);
    return ExitCode::kDone;
  }
  const std::string message =
      value.is<bool>() ? false_claim(claim, text_at(source.text, claim.span), environment_)
                       : verdict.to_string();
  Diagnostic failure(verdict.is_no() ? "assert.refuted" : "assert.unknown", message);
  if (console_.json() && value.is<Verdict>()) failure = with_evidence(std::move(failure), verdict);
  (void)console_.fail(std::move(failure).with_span(statement.span), source);
  return exit_code(verdict);
}

Result<ExitCode> Session::run_refuse(const Statement& statement, const Source& source) {
  const auto value = notation::evaluate(statement.expression, environment_);
  if (value) {
    Diagnostic failure("assert.not_refused",
                       fmt::format("this is not refused: it is {}", to_string(*value)));
    (void)console_.fail(std::move(failure).with_span(statement.span), source);
    return ExitCode::kRefuted;
  }
  // A usage error, such as a mistyped name, is not the expected refusal.
  if (exit_code(value.error()) == ExitCode::kUsage) return refuse(value.error());
  if (echo_ == Echo::kStatements) {
    console_.print(text_at(source.text, statement.span), value.error());
  }
  if (echo_ == Echo::kResults || echo_ == Echo::kPrompt)
    console_.print_text(value.error().to_string() + "\n");
  return ExitCode::kDone;
}

Result<ExitCode> Session::run_draw(const Statement& statement, const Source& source) {
  HEDDLE_TRY(const notation::PictureFormat format, format_of(statement.path.value_or("")));
  HEDDLE_TRY(const draw::Picture picture,
             notation::picture_of(statement.expression, {.format = format}, environment_));
  if (!statement.path) {
    const ColorChoice color = console_.json() ? ColorChoice::kNever : ColorChoice::kAuto;
    console_.print_text(to_terminal(picture, terminal_style(color)));
    return ExitCode::kDone;
  }
  HEDDLE_CHECK(write_picture(*statement.path, picture));
  show(statement, source, Value("wrote " + *statement.path));
  return ExitCode::kDone;
}

Result<ExitCode> Session::run_assume(const Statement& statement, const Source& source) {
  HEDDLE_CHECK(environment_.assume(statement));
  if (echo_ == Echo::kStatements) {
    console_.print_line(std::string(text_at(source.text, statement.span)));
  }
  return ExitCode::kDone;
}

}  // namespace heddle::app
