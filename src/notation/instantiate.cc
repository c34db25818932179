#include "heddle/notation/instantiate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "heddle/emit/guard.h"
#include "heddle/emit/inline_text.h"
#include "heddle/emit/print.h"
#include "heddle/emit/slice.h"
#include "heddle/notation/hub.h"
#include "heddle/notation/index_question.h"
#include "heddle/notation/lexer.h"
#include "heddle/notation/parser.h"

#include "notation/comparison.h"
#include "notation/names.h"
#include "notation/program_words.h"

namespace heddle::notation {
namespace {

using emit::Dialect;

std::string_view text_at(std::string_view text, Span span) {
  return text.substr(span.begin, span.end - span.begin);
}

/// A place within an expression as one in the file that the expression is in.
Diagnostic moved(Diagnostic diagnostic, std::size_t by, Span whole) {
  const Span span = diagnostic.span().value_or(Span{0, whole.end - whole.begin});
  return std::move(diagnostic).with_span({span.begin + by, std::min(span.end + by, whole.end)});
}

std::string on_one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool is_blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!is_blank) line += c;
    if (is_blank && !line.empty() && line.back() != ' ') line += ' ';
  }
  return line;
}

// What is asked for.

/// `L[i, j]`, `L(i, j)`, `L.guard[i, j]`, `L[i, j].axis`, taken apart.
struct Access {
  std::string layout;
  std::vector<std::string> coordinates;
  std::string axis;
  bool is_guard = false;

  /// The layout and its coordinates, as index questions take them.
  [[nodiscard]] std::vector<std::string> parts() const {
    std::vector<std::string> all = {layout};
    all.insert(all.end(), coordinates.begin(), coordinates.end());
    return all;
  }
};

bool is_subscript(const Expression& expression) {
  return std::holds_alternative<Subscript>(expression.node) ||
         std::holds_alternative<Application>(expression.node);
}

/// Nothing where the expression is none, or what is indexed is no layout.
std::optional<Access> access_in(const Expression& expression, std::string_view text,
                                const Environment& environment) {
  Access access;
  const Expression* subscript = &expression;
  if (const auto* member = std::get_if<Member>(&expression.node)) {
    access.axis = member->name;
    subscript = &expression.parts.front();
  }
  if (!is_subscript(*subscript)) return std::nullopt;
  const Expression* layout = &subscript->parts.front();
  const auto* member = std::get_if<Member>(&layout->node);
  if (member != nullptr && member->name == "guard") {
    access.is_guard = true;
    layout = &layout->parts.front();
  }
  // The name of an operation is called, not indexed.
  const auto* reference = std::get_if<Reference>(&layout->node);
  const bool is_bound = reference != nullptr && environment.find(reference->name) != nullptr;
  if (std::holds_alternative<Application>(subscript->node) && !is_bound) return std::nullopt;
  const Result<Value> value = evaluate(*layout, environment);
  if (!value || !(value->has_map() || hub_layout(*value))) return std::nullopt;
  if (value->is_integer()) return std::nullopt;
  if (access.is_guard && !access.axis.empty()) return std::nullopt;
  access.layout = text_at(text, layout->span);
  for (std::size_t i = 1; i < subscript->parts.size(); ++i) {
    access.coordinates.emplace_back(text_at(text, subscript->parts[i].span));
    if (access.coordinates.back() == "_") access.coordinates.back() = ":";
  }
  return access;
}

IndexQuestionOptions access_options() {
  IndexQuestionOptions options;
  options.is_access = true;
  return options;
}

/// The value of one axis.
Result<Int> value_on_axis(const IndexQuestion& question, const std::string& axis) {
  if (axis.empty() && question.values.size() == 1) return question.values.front();
  const auto found = std::ranges::find(question.axes, axis);
  if (found != question.axes.end()) {
    return question.values[static_cast<std::size_t>(found - question.axes.begin())];
  }
  const std::string axes = fmt::format("{}", fmt::join(question.axes, ", "));
  if (!axis.empty()) {
    return refuse("template.several",
                  fmt::format("the layout has no axis {}; it has {}", quote(axis), axes));
  }
  return refuse(Diagnostic("template.several",
                           fmt::format("the index is one on each of several axes: {}", axes))
                    .with_hint(fmt::format("write L[…].{}", question.axes.front())));
}

Result<Value> accessed(const Access& access, const Environment& environment) {
  HEDDLE_TRY(const IndexQuestion question,
             question_of(access.parts(), access_options(), environment));
  HEDDLE_TRY(const Int value, value_on_axis(question, access.axis));
  if (question.ranges.empty()) return Value(value);
  return Value(lego::Slice{value, question.ranges});
}

/// A truth that holds for all values of the variables, or for none: that a comparison fails for
/// some is no truth value of a program.
bool has_variables_in(const Expression& expression, const Environment& environment) {
  const auto value = evaluate(expression, environment);
  if (value && value->is_integer() && !variables(*value).empty()) return true;
  return std::ranges::any_of(expression.parts, [&](const Expression& part) {
    return has_variables_in(part, environment);
  });
}

bool is_open_comparison(const Expression& expression, const Value& value,
                        const Environment& environment) {
  const bool compares = std::holds_alternative<Comparison>(expression.node) ||
                        std::holds_alternative<Connective>(expression.node);
  const auto* verdict = value.get_if<Verdict>();
  const bool* truth = value.get_if<bool>();
  const bool holds = (verdict != nullptr && verdict->is_yes()) || (truth != nullptr && *truth);
  return compares && !holds && has_variables_in(expression, environment);
}

Result<emit::InlineText> value_text(const Value& value, Dialect dialect,
                                    const emit::Spelling& held) {
  if (value.is_integer()) return emit::inline_text(value.get<IntTuple>().leaf(), dialect, held);
  if (const bool* truth = value.get_if<bool>()) {
    return emit::InlineText{emit::truth_text(*truth, dialect), {}};
  }
  const auto* verdict = value.get_if<Verdict>();
  if (verdict != nullptr && !verdict->is_unknown()) {
    return emit::InlineText{emit::truth_text(verdict->is_yes(), dialect), {}};
  }
  if (const auto* text = value.get_if<std::string>()) return emit::InlineText{*text, {}};
  if (const auto* slice = value.get_if<lego::Slice>()) {
    HEDDLE_TRY(emit::Spelling spelling, emit::spelling_of(slice->ranges, dialect));
    spelling.insert(held.begin(), held.end());
    return emit::inline_text(slice->index, dialect, spelling);
  }
  Diagnostic diagnostic("template.value",
                        fmt::format("{} is {}, which no program has", on_one_line(to_string(value)),
                                    kind_name(value)));
  return refuse(
      value.has_map()
          ? std::move(diagnostic).with_hint("its index at coordinates of the program is L[i, j]")
          : std::move(diagnostic));
}

/// Whether the coordinates are a point.
Result<emit::InlineText> guard_text(const Access& access, const Environment& environment,
                                    Dialect dialect, const emit::Spelling& words) {
  HEDDLE_TRY(const Value value, evaluate(access.layout, environment));
  HEDDLE_TRY(const map::AnyLayout layout, hub_layout(value, environment.context()));
  HEDDLE_TRY(const IndexQuestion question,
             question_of(access.parts(), access_options(), environment));
  HEDDLE_TRY(const emit::Guard guard, emit::guard_of(layout, question.guarded_point, question.point,
                                                     environment.context().decide.limits));
  HEDDLE_TRY(emit::Spelling spelling, emit::spelling_of(question.ranges, dialect));
  spelling.insert(words.begin(), words.end());
  return emit::inline_text(guard, dialect, spelling);
}

/// A name that nothing is known of, in a layouts file.
Diagnostic with_file_hint(Diagnostic diagnostic) {
  if (diagnostic.code() != "name.unknown") return diagnostic;
  if (diagnostic.hint().find("--assume") == std::string::npos) return diagnostic;
  return std::move(diagnostic)
      .with_hint("if it is a variable of the program, say what is known of it: assume 0 <= i < 32");
}

/// What the helper functions of a language need in front.
std::string_view helper_headers(Dialect dialect) {
  switch (dialect) {
    case Dialect::kC:
      return "#include <stdbool.h>\n#include <stdint.h>\n\n";
    case Dialect::kCpp:
    case Dialect::kCuda:
    case Dialect::kHip:
      return "#include <cstdint>\n\n";
    default:
      return "";
  }
}

}  // namespace

// Layouts files.

Instantiation::Instantiation(std::vector<emit::TemplatePiece> pieces, InstantiateOptions options)
    : pieces_(std::move(pieces)),
      options_(std::move(options)),
      environment_(options_.environment) {}

Result<Instantiation> Instantiation::of(std::string_view text, InstantiateOptions options) {
  HEDDLE_TRY(std::vector<emit::TemplatePiece> pieces,
             emit::parse_template(text, options.delimiters));
  Instantiation made(std::move(pieces), std::move(options));
  return made;
}

Result<void> Instantiation::read_layouts(std::string name, std::string_view text) {
  files_.push_back({std::move(name), std::string(text)});
  return read_statements(files_.back().text);
}

Result<void> Instantiation::read_statements(std::string_view text) {
  StatementReader reader(text);
  while (true) {
    HEDDLE_TRY(const std::optional<Statement> statement, reader.next());
    if (!statement) return {};
    if (auto done = read(*statement, text); !done) {
      Diagnostic diagnostic = with_file_hint(std::move(done).error());
      if (diagnostic.span()) return refuse(std::move(diagnostic));
      return refuse(std::move(diagnostic).with_span(statement->span));
    }
  }
}

Result<void> Instantiation::read(const Statement& statement, std::string_view text) {
  switch (statement.kind) {
    case StatementKind::kBinding:
      return define(statement, text);
    case StatementKind::kAssume:
    case StatementKind::kAxis: {
      auto done = statement.kind == StatementKind::kAxis
                      ? environment_.declare_axis(statement.assumption)
                      : environment_.assume(statement.assumption);
      // What a side of a condition has as its place is not where that stands here.
      if (!done) return refuse(std::move(done).error().with_span(statement.span));
      return {};
    }
    case StatementKind::kAssert:
      return check_claim(statement);
    default:
      return refuse(
          Diagnostic("template.statement", "a layouts file gives names to layouts and expressions")
              .with_span(statement.span)
              .with_hint("name = …, assume …, assert … or axis …"));
  }
}

Result<void> Instantiation::check_claim(const Statement& statement) const {
  HEDDLE_TRY(const Value value, evaluate(statement.expression, environment_));
  const auto* verdict = value.get_if<Verdict>();
  const bool* truth = value.get_if<bool>();
  if ((verdict != nullptr && verdict->is_yes()) || (truth != nullptr && *truth)) return {};
  Diagnostic diagnostic("template.claim",
                        fmt::format("the assertion does not hold: {}", to_string(value)));
  return refuse(std::move(diagnostic).with_span(statement.expression.span));
}

/// An access to a layout is one at coordinates of the program; all else is what it is.
Result<Value> Instantiation::evaluated(const Expression& expression, std::string_view text) const {
  const std::optional<Access> access = access_in(expression, text, environment_);
  if (!access || access->is_guard) {
    HEDDLE_TRY(Value value, evaluate(expression, environment_));
    if (!is_open_comparison(expression, value, environment_)) return value;
    return refuse(
        Diagnostic("template.value", fmt::format("whether {} depends on the program",
                                                 on_one_line(text_at(text, expression.span))))
            .with_span(expression.span)
            .with_hint("a comparison of integers stands in a placeholder of its own"));
  }
  Result<Value> value = accessed(*access, environment_);
  if (!value) return refuse(Diagnostic(value.error()).with_span(expression.span));
  return value;
}

Result<void> Instantiation::define(const Statement& statement, std::string_view text) {
  for (const std::string& name : statement.names) {
    const Definition* same = definition_of(name);
    if (same == nullptr) continue;
    return refuse(
        Diagnostic("template.redefined", fmt::format("{} has a meaning already", quote(name)))
            .with_span(statement.span)
            .with_note(fmt::format("in {}: {}", files_[same->file].name, on_one_line(same->text))));
  }
  HEDDLE_CHECK(check_not_late(statement));
  Definition definition{statement.names,
                        files_.size() - 1,
                        statement.span,
                        std::string(text_at(text, statement.span)),
                        names_used_by(statement.expression),
                        {}};
  HEDDLE_TRY(const Value value, evaluated(statement.expression, text));
  for (std::string& name : variables(value)) definition.variables.insert(std::move(name));
  HEDDLE_CHECK(environment_.bind(statement.names, value));
  definitions_.push_back(std::move(definition));
  return {};
}

/// A name that stood for a variable before would not be the same there.
Result<void> Instantiation::check_not_late(const Statement& statement) const {
  for (const std::string& name : statement.names) {
    for (const Definition& earlier : definitions_) {
      if (!earlier.variables.contains(name)) continue;
      return refuse(Diagnostic("template.redefined",
                               fmt::format("{} has been a variable so far", quote(name)))
                        .with_span(statement.span)
                        .with_note(fmt::format("in {}: {}", files_[earlier.file].name,
                                               on_one_line(earlier.text)))
                        .with_hint("give it its meaning before it is used"));
    }
  }
  return {};
}

const Instantiation::Definition* Instantiation::definition_of(std::string_view name) const {
  const auto found = std::ranges::find_if(definitions_, [&](const Definition& definition) {
    return std::ranges::find(definition.names, name) != definition.names.end();
  });
  return found == definitions_.end() ? nullptr : &*found;
}

/// The names of layouts files in an expression, and those that these need.
std::set<std::string> Instantiation::names_used_by(const Expression& expression) const {
  std::set<std::string> used;
  for (const std::string_view name : names_in(expression)) {
    const Definition* definition = definition_of(name);
    if (definition == nullptr) continue;
    used.emplace(name);
    used.insert(definition->uses.begin(), definition->uses.end());
  }
  return used;
}

// Placeholders.

/// A comparison of integers, which is asked of the program.
Result<std::optional<Condition>> Instantiation::condition_in(const Expression& expression,
                                                             std::string_view text) const {
  const auto* comparison = std::get_if<Comparison>(&expression.node);
  if (comparison == nullptr) return std::nullopt;
  HEDDLE_TRY(const Value left, evaluated(expression.parts[0], text));
  HEDDLE_TRY(const Value right, evaluated(expression.parts[1], text));
  if (!left.is_integer() || !right.is_integer()) return std::nullopt;
  return condition_of(comparison->comparator, left.get<IntTuple>().leaf(),
                      right.get<IntTuple>().leaf());
}

Result<emit::InlineText> Instantiation::printed(std::string_view given) {
  std::string text(given);
  emit::Spelling spelling = take_members(
      text, [&](const std::string& name) { return environment_.find(name) != nullptr; });
  HEDDLE_TRY(const Expression expression, parse_expression(text));
  const std::set<std::string> used = names_used_by(expression);
  used_.insert(used.begin(), used.end());
  HEDDLE_TRY(const std::optional<Condition> condition, condition_in(expression, text));
  if (condition) return emit::inline_text({{*condition}, {}}, options_.dialect, spelling);
  const std::optional<Access> access = access_in(expression, text, environment_);
  if (access && access->is_guard)
    return guard_text(*access, environment_, options_.dialect, spelling);
  HEDDLE_TRY(const Value value, evaluated(expression, text));
  return value_text(value, options_.dialect, spelling);
}

// The file.

std::string Instantiation::header() const {
  if (options_.name.empty()) return {};
  std::vector<std::string> names;
  for (const File& file : files_) names.push_back(file.name);
  std::vector<std::string> lines = {
      fmt::format("Made by heddle instantiate from {} and {}: edit these, not this file.",
                  options_.name, fmt::join(names, ", "))};
  for (const Instance& instance : instances_) {
    lines.push_back(fmt::format("  line {}: {}", instance.line, on_one_line(instance.expression)));
  }
  for (const Definition& definition : definitions_) {
    if (is_used(definition)) lines.push_back("  " + on_one_line(definition.text));
  }
  std::string text;
  for (std::string& line : lines) {
    // A backslash at its end would go on with the comment.
    while (line.ends_with('\\')) line.pop_back();
    text += fmt::format("{} {}\n", emit::comment_sign(options_.dialect), line);
  }
  return text + "\n";
}

/// The expression as its piece of the line.
std::string Instantiation::in_place(const emit::InlineText& made, std::size_t piece) const {
  if (made.kernel.results.empty() && made.kernel.guards.empty()) return made.text;  // no operand
  const std::string_view before =
      piece == 0 ? std::string_view() : std::string_view(pieces_[piece - 1].text);
  const bool is_last = piece + 1 == pieces_.size();
  const std::string_view behind =
      is_last ? std::string_view() : std::string_view(pieces_[piece + 1].text);
  return emit::as_operand(made.text, before, behind, options_.dialect);
}

/// In front of all else, but for the line that says which program reads the file.
std::string Instantiation::with_front(std::string body, const std::string& helpers) const {
  std::string front = header();
  if (!helpers.empty()) {
    front += std::string(helper_headers(options_.dialect)) + helpers + "\n";
  }
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (body.starts_with(kByteOrderMark)) return body.insert(kByteOrderMark.size(), front);
  const std::size_t line = body.starts_with("#!") ? body.find('\n') : std::string::npos;
  return body.insert(line == std::string::npos ? 0 : line + 1, front);
}

/// The functions that expressions call, for the place that the template has for them.
Result<std::string> Instantiation::helpers_of(const Kernel& kernel, bool has_place) const {
  emit::PrintOptions options;
  options.dialect = options_.dialect;
  options.in_program = true;
  HEDDLE_TRY(const emit::PrintedKernel printed, emit::print(kernel, options));
  if (printed.helpers.empty() || has_place || !emit::is_python_like(options_.dialect)) {
    return printed.helpers;
  }
  return refuse(
      Diagnostic("template.helpers", "the expressions call functions, which follow some import")
          .with_note(on_one_line(printed.helpers))
          .with_hint("write {{ helpers }} on a line behind the imports"));
}

bool Instantiation::is_place_of_helpers(const emit::TemplatePiece& piece) const {
  return piece.is_placeholder && piece.text == "helpers" && environment_.find("helpers") == nullptr;
}

Result<Instantiated> Instantiation::finish() {
  const auto place = std::ranges::find_if(
      pieces_, [&](const emit::TemplatePiece& piece) { return is_place_of_helpers(piece); });
  const bool has_place = place != pieces_.end();
  Kernel kernel;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const emit::TemplatePiece& piece = pieces_[i];
    texts.push_back(piece.text);
    if (!piece.is_placeholder || is_place_of_helpers(piece)) continue;
    Result<emit::InlineText> made = printed(piece.text);
    if (!made) return refuse(moved(std::move(made).error(), piece.span.begin, piece.span));
    if (auto done = helpers_of(made->kernel, has_place); !done) {
      return refuse(std::move(done).error().with_span(piece.span));
    }
    texts.back() = in_place(*made, i);
    std::ranges::move(made->kernel.results, std::back_inserter(kernel.results));
    std::ranges::move(made->kernel.guards, std::back_inserter(kernel.guards));
    instances_.push_back({piece.text, texts.back(), piece.line});
  }
  HEDDLE_TRY(const std::string helpers, helpers_of(kernel, has_place));
  if (has_place) texts[static_cast<std::size_t>(place - pieces_.begin())] = helpers;
  std::string body = fmt::format("{}", fmt::join(texts, ""));
  body = with_front(std::move(body), has_place ? "" : helpers);
  return Instantiated{std::move(body), instances_};
}

bool Instantiation::is_used(const Definition& definition) const {
  return std::ranges::any_of(definition.names,
                             [&](const std::string& name) { return used_.contains(name); });
}

Result<void> Instantiation::check_used(std::size_t file) const {
  for (const Definition& definition : definitions_) {
    if (definition.file != file || is_used(definition)) continue;
    return refuse(Diagnostic("template.unused",
                             fmt::format("{} is used nowhere", fmt::join(definition.names, ", ")))
                      .with_span(definition.span)
                      .with_hint("the template, or another name, has to use it"));
  }
  return {};
}

}  // namespace heddle::notation
