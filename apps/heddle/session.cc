#include "heddle/session.h"

#include <fmt/format.h>

#include <utility>

#include "heddle/draw/svg.h"
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

/// What a result says about the claim that it decides; expressions that decide nothing say kDone.
ExitCode decision(const Value& value, const notation::Expression& expression) {
  if (const auto* verdict = value.get_if<Verdict>()) return exit_code(*verdict);
  const bool is_claim = std::holds_alternative<notation::Comparison>(expression.node);
  const bool* truth = value.get_if<bool>();
  return is_claim && truth != nullptr && !*truth ? ExitCode::kRefuted : ExitCode::kDone;
}

/// The verdict of a claim, which must be a truth value or a verdict.
Result<Verdict> verdict_of(const Value& value, Span span) {
  if (const auto* verdict = value.get_if<Verdict>()) return *verdict;
  if (const bool* truth = value.get_if<bool>()) {
    return *truth ? Verdict::yes("evaluated") : Verdict::no("evaluated");
  }
  return refuse(
      Diagnostic("call.type", fmt::format("assert is given {}; a comparison or a truth value is "
                                          "needed",
                                          kind_name(value)))
          .with_span(span));
}

/// Without a picture file: the name with this ending.
constexpr std::string_view kSvg = ".svg";

}  // namespace

Result<draw::Picture> picture_of(const Value& value, const draw::PictureOptions& options) {
  HEDDLE_TRY(const auto layout, notation::convert(value, notation::Kind::kAnyLayout));
  if (!layout) {
    return refuse("call.type",
                  fmt::format("draw is given {}; a layout is needed", kind_name(value)));
  }
  if (const auto* plain = layout->get_if<cute::Layout>()) return draw::picture(*plain, options);
  return draw::picture(layout->get<cute::ComposedLayout>(), options);
}

Result<void> check_syntax(std::string_view text) {
  notation::StatementReader reader(text);
  while (true) {
    HEDDLE_TRY(const auto statement, reader.next());
    if (!statement) return {};
  }
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
    const bool is_failure = outcome == ExitCode::kUsage || outcome == ExitCode::kRefused;
    const bool is_refuted =
        outcome != ExitCode::kDone && (*statement)->kind == StatementKind::kAssert;
    if (is_failure || is_refuted) return code;
  }
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
  }
  return ExitCode::kDone;
}

void Session::show(const Statement& statement, const Source& source, const Value& value) const {
  if (echo_ == Echo::kStatements) console_.print(text_of(source, statement.span), value);
}

void Session::show_heading(const Value& value) const {
  if (has_begun_ && !console_.json()) console_.print_line("");
  console_.print(value);
}

ExitCode Session::run_expression(const Statement& statement, const Source& source) {
  const auto value = notation::evaluate(statement.expression, environment_);
  if (!value) return console_.fail(value.error(), source);
  const bool is_text = std::holds_alternative<notation::StringLiteral>(statement.expression.node);
  if (echo_ == Echo::kResults) console_.print(*value);
  if (echo_ == Echo::kStatements && is_text) show_heading(*value);
  if (!is_text) show(statement, source, *value);
  return decision(*value, statement.expression);
}

ExitCode Session::run_binding(const Statement& statement, const Source& source) {
  auto value = notation::evaluate(statement.expression, environment_);
  if (!value) return console_.fail(value.error(), source);
  show(statement, source, *value);
  environment_.bind(statement.name, *std::move(value));
  return ExitCode::kDone;
}

ExitCode Session::run_assert(const Statement& statement, const Source& source) {
  const auto value = notation::evaluate(statement.expression, environment_);
  if (!value) return console_.fail(value.error(), source);
  const auto verdict = verdict_of(*value, statement.expression.span);
  if (!verdict) return console_.fail(verdict.error(), source);
  if (verdict->is_yes()) {
    show(statement, source, *value);
    return ExitCode::kDone;
  }
  Diagnostic failure(verdict->is_no() ? "assert.refuted" : "assert.unknown", verdict->to_string());
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
  if (echo_ == Echo::kResults) console_.print_text(value.error().to_string() + "\n");
  return ExitCode::kDone;
}

ExitCode Session::run_draw(const Statement& statement, const Source& source) {
  const auto value = notation::evaluate(statement.expression, environment_);
  if (!value) return console_.fail(value.error(), source);
  const auto picture = picture_of(*value, {});
  const auto in_place = [&](Diagnostic diagnostic) {
    return console_.fail(std::move(diagnostic).with_span(statement.span), source);
  };
  if (!picture) return in_place(picture.error());
  const auto style =
      terminal_style(statement.path || console_.json() ? ColorChoice::kNever : ColorChoice::kAuto);
  if (!statement.path) {
    console_.print_text(to_terminal(*picture, style));
    return ExitCode::kDone;
  }
  const bool is_svg = statement.path->ends_with(kSvg);
  const auto written =
      write_file(*statement.path, is_svg ? to_svg(*picture) : to_terminal(*picture, {}));
  if (!written) return in_place(written.error());
  show(statement, source, Value("wrote " + *statement.path));
  return ExitCode::kDone;
}

}  // namespace heddle::app
