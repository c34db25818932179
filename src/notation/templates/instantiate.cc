#include "heddle/notation/instantiate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "core/printable.h"
#include "heddle/emit/inline_text.h"
#include "heddle/notation/lexer.h"
#include "heddle/notation/parser.h"

#include "notation/language/free_names.h"
#include "notation/templates/member_names.h"
#include "notation/templates/placeholder.h"

namespace heddle::notation {
namespace {

using emit::Dialect;

/// The diagnostic with its place in an expression moved to the file that contains it.
Diagnostic moved(Diagnostic diagnostic, std::size_t by, Span whole) {
  const Span span = diagnostic.span().value_or(Span{0, whole.end - whole.begin});
  return std::move(diagnostic).with_span({span.begin + by, std::min(span.end + by, whole.end)});
}

/// For an unknown name, a hint that suits a layouts file.
Diagnostic with_file_hint(Diagnostic diagnostic) {
  if (diagnostic.code() != "name.unknown") return diagnostic;
  if (diagnostic.hint().find("--assume") == std::string::npos) return diagnostic;
  return std::move(diagnostic)
      .with_hint("if it is a variable of the program, say what is known of it: assume 0 <= i < 32");
}

/// The headers that the helper functions of a language need.
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

/// A template and the definitions of the layouts files read so far.
class Instantiation {
 public:
  Instantiation(std::vector<emit::TemplatePiece> pieces, std::span<const LayoutsFile> files,
                InstantiateOptions options)
      : pieces_(std::move(pieces)),
        files_(files),
        options_(std::move(options)),
        environment_(options_.environment),
        placeholders_(options_.dialect) {}

  Result<void> read_layouts(const LayoutsFile& file);
  Result<Instantiated> finish();
  [[nodiscard]] Result<void> check_used(const LayoutsFile& file) const;

 private:
  /// A statement that binds names.
  struct NamedValue {
    std::vector<std::string> names;
    const LayoutsFile* file = nullptr;
    Span span;
    /// All names that it uses, directly or indirectly.
    std::set<std::string> uses;
    /// Variables in its value.
    std::set<std::string> variables;
  };

  // Layouts files.
  Result<void> read(const Statement& statement, const LayoutsFile& file);
  Result<void> define(const Statement& statement, const LayoutsFile& file);
  [[nodiscard]] Result<void> check_new(const Statement& statement) const;
  [[nodiscard]] Result<void> check_claim(const Statement& statement) const;
  [[nodiscard]] const NamedValue* definition_of(std::string_view name) const;
  [[nodiscard]] std::set<std::string> names_used_by(const Expression& expression) const;
  [[nodiscard]] bool is_used(const NamedValue& definition) const;
  [[nodiscard]] static std::string text_of(const NamedValue& definition) {
    return on_one_line(text_at(definition.file->text, definition.span));
  }

  // The template.
  Result<emit::InlineText> printed(std::string_view placeholder);
  Result<std::string> filled(std::size_t piece, bool has_place, Kernel& all);
  [[nodiscard]] std::string in_place(const emit::InlineText& made, std::size_t piece) const;
  [[nodiscard]] Result<std::string> helpers(const Kernel& kernel, bool has_place) const;
  [[nodiscard]] bool is_place_of_helpers(const emit::TemplatePiece& piece) const;
  [[nodiscard]] std::string header() const;
  [[nodiscard]] std::string with_front(std::string body, const std::string& functions) const;
  [[nodiscard]] bool has_integer_types() const;

  std::vector<emit::TemplatePiece> pieces_;
  std::span<const LayoutsFile> files_;
  InstantiateOptions options_;
  Environment environment_;
  Placeholders placeholders_;
  std::vector<NamedValue> definitions_;
  /// All names that placeholders use.
  std::set<std::string> used_;
  std::vector<Instance> instances_;
};

// Layouts files.

Result<void> Instantiation::read_layouts(const LayoutsFile& file) {
  StatementReader reader(file.text);
  while (true) {
    HEDDLE_TRY(const std::optional<Statement> statement, reader.next());
    if (!statement) return {};
    if (auto done = read(*statement, file); !done) {
      Diagnostic diagnostic = with_file_hint(std::move(done).error());
      if (diagnostic.span()) return refuse(std::move(diagnostic));
      return refuse(std::move(diagnostic).with_span(statement->span));
    }
  }
}

Result<void> Instantiation::read(const Statement& statement, const LayoutsFile& file) {
  switch (statement.kind) {
    case StatementKind::kBinding:
      return define(statement, file);
    case StatementKind::kAssume:
    case StatementKind::kAxis:
      return environment_.assume(statement);
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
  const std::optional<Verdict> verdict = verdict_of(value);
  if (verdict && verdict->is_yes()) return {};
  return refuse(
      Diagnostic("template.claim", fmt::format("the assertion does not hold: {}", to_string(value)))
          .with_span(statement.expression.span));
}

Result<void> Instantiation::define(const Statement& statement, const LayoutsFile& file) {
  HEDDLE_CHECK(check_new(statement));
  NamedValue definition{
      statement.names, &file, statement.span, names_used_by(statement.expression), {}};
  HEDDLE_TRY(const Value value,
             placeholders_.evaluated(statement.expression, file.text, environment_));
  for (std::string& name : variables(value)) definition.variables.insert(std::move(name));
  HEDDLE_CHECK(environment_.bind(statement.names, value));
  definitions_.push_back(std::move(definition));
  return {};
}

/// A name is defined only once, and not after it was a variable in an earlier value.
Result<void> Instantiation::check_new(const Statement& statement) const {
  for (const std::string& name : statement.names) {
    const auto place = [](const NamedValue& earlier) {
      return fmt::format("in {}: {}", earlier.file->name, text_of(earlier));
    };
    if (const NamedValue* same = definition_of(name)) {
      return refuse(
          Diagnostic("template.redefined", fmt::format("{} is already defined", quote(name)))
              .with_span(statement.span)
              .with_note(place(*same)));
    }
    for (const NamedValue& earlier : definitions_) {
      if (!earlier.variables.contains(name)) continue;
      return refuse(Diagnostic("template.redefined",
                               fmt::format("{} has been used as a variable", quote(name)))
                        .with_span(statement.span)
                        .with_note(place(earlier))
                        .with_hint("give it its meaning before it is used"));
    }
  }
  return {};
}

const Instantiation::NamedValue* Instantiation::definition_of(std::string_view name) const {
  const auto found = std::ranges::find_if(definitions_, [&](const NamedValue& definition) {
    return std::ranges::find(definition.names, name) != definition.names.end();
  });
  return found == definitions_.end() ? nullptr : &*found;
}

/// The names from layouts files in an expression, and all names that these use.
std::set<std::string> Instantiation::names_used_by(const Expression& expression) const {
  std::set<std::string> used;
  for (const std::string_view name : names_in(expression)) {
    const NamedValue* definition = definition_of(name);
    if (definition == nullptr) continue;
    used.emplace(name);
    used.insert(definition->uses.begin(), definition->uses.end());
  }
  return used;
}

// Placeholders.

Result<emit::InlineText> Instantiation::printed(std::string_view placeholder) {
  HEDDLE_TRY(Expression expression, parse_expression(placeholder));
  emit::Spelling spelling = take_members(
      expression, [&](const std::string& name) { return environment_.find(name) != nullptr; });
  for (const std::string& condition : take_indices_of_threads(spelling, options_.dialect)) {
    HEDDLE_CHECK(environment_.assume(condition));
  }
  const std::set<std::string> used = names_used_by(expression);
  used_.insert(used.begin(), used.end());
  return placeholders_.printed(expression, placeholder, environment_, spelling);
}

// The file.

std::string Instantiation::header() const {
  if (options_.name.empty()) return {};
  std::vector<std::string> names;
  for (const LayoutsFile& file : files_) {
    // Each definition is a file called --define.
    if (std::ranges::find(names, file.name) == names.end()) names.push_back(file.name);
  }
  std::vector<std::string> lines = {
      fmt::format("Made by heddle instantiate from {} and {}: edit these, not this file.",
                  options_.name, fmt::join(names, ", "))};
  for (const Instance& instance : instances_) {
    lines.push_back(fmt::format("  line {}: {}", instance.line, on_one_line(instance.expression)));
  }
  for (const NamedValue& definition : definitions_) {
    if (is_used(definition)) lines.push_back("  " + text_of(definition));
  }
  std::string text;
  for (std::string& line : lines) {
    line = printable(line);
    // A backslash at the end of the line would continue the comment.
    while (line.ends_with('\\')) line.pop_back();
    text += fmt::format("{} {}\n", emit::comment_sign(options_.dialect), line);
  }
  return text + "\n";
}

/// The expression, in parentheses if its place in the line needs them.
std::string Instantiation::in_place(const emit::InlineText& made, std::size_t piece) const {
  if (made.kernel.results.empty() && made.kernel.guards.empty()) return made.text;  // no operand
  const std::string_view before =
      piece == 0 ? std::string_view() : std::string_view(pieces_[piece - 1].text);
  const bool is_last = piece + 1 == pieces_.size();
  const std::string_view behind =
      is_last ? std::string_view() : std::string_view(pieces_[piece + 1].text);
  return emit::as_operand(made.text, before, behind, options_.dialect);
}

/// Puts the header and the functions first, but after a byte order mark or a `#!` line.
std::string Instantiation::with_front(std::string body, const std::string& functions) const {
  const std::string front = header() + functions;
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (body.starts_with(kByteOrderMark)) return body.insert(kByteOrderMark.size(), front);
  const std::size_t line = body.starts_with("#!") ? body.find('\n') : std::string::npos;
  return body.insert(line == std::string::npos ? 0 : line + 1, front);
}

/// The functions that expressions call, for the `{{ helpers }}` of the template.
Result<std::string> Instantiation::helpers(const Kernel& kernel, bool has_place) const {
  HEDDLE_TRY(std::string functions, placeholders_.helpers_of(kernel));
  if (functions.empty() || has_place || !emit::is_python_like(options_.dialect)) return functions;
  return refuse(
      Diagnostic("template.helpers", "the expressions call functions, which follow some import")
          .with_note(on_one_line(functions))
          .with_hint("write {{ helpers }} on a line after the imports"));
}

/// Whether the template includes a header that declares int64_t.
bool Instantiation::has_integer_types() const {
  return std::ranges::any_of(pieces_, [](const emit::TemplatePiece& piece) {
    return !piece.is_placeholder && piece.text.find("stdint") != std::string::npos;
  });
}

bool Instantiation::is_place_of_helpers(const emit::TemplatePiece& piece) const {
  return piece.is_placeholder && piece.text == "helpers" && environment_.find("helpers") == nullptr;
}

/// The replacement of a placeholder; its kernel is added to `all`.
Result<std::string> Instantiation::filled(std::size_t piece, bool has_place, Kernel& all) {
  const auto& [is_placeholder, text, span, line] = pieces_[piece];
  Result<emit::InlineText> made = printed(text);
  if (!made) return refuse(moved(std::move(made).error(), span.begin, span));
  if (auto done = helpers(made->kernel, has_place); !done) {
    return refuse(std::move(done).error().with_span(span));
  }
  instances_.push_back({text, in_place(*made, piece), line});
  std::ranges::move(made->kernel.results, std::back_inserter(all.results));
  std::ranges::move(made->kernel.guards, std::back_inserter(all.guards));
  return instances_.back().text;
}

Result<Instantiated> Instantiation::finish() {
  instances_.clear();
  const auto place = std::ranges::find_if(
      pieces_, [&](const emit::TemplatePiece& piece) { return is_place_of_helpers(piece); });
  const bool has_place = place != pieces_.end();
  Kernel kernel;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    texts.push_back(pieces_[i].text);
    if (!pieces_[i].is_placeholder || is_place_of_helpers(pieces_[i])) continue;
    HEDDLE_TRY(texts.back(), filled(i, has_place, kernel));
  }
  HEDDLE_TRY(const std::string functions, helpers(kernel, has_place));
  if (has_place) texts[static_cast<std::size_t>(place - pieces_.begin())] = functions;
  const std::string body = fmt::format("{}", fmt::join(texts, ""));
  std::string front;
  if (!functions.empty() && !(has_place && has_integer_types())) {
    front += helper_headers(options_.dialect);
  }
  if (!functions.empty() && !has_place) front += functions + "\n";
  return Instantiated{with_front(body, front), instances_};
}

bool Instantiation::is_used(const NamedValue& definition) const {
  return std::ranges::any_of(definition.names,
                             [&](const std::string& name) { return used_.contains(name); });
}

Result<void> Instantiation::check_used(const LayoutsFile& file) const {
  for (const NamedValue& definition : definitions_) {
    if (definition.file != &file || is_used(definition)) continue;
    return refuse(Diagnostic("template.unused",
                             fmt::format("{} is not used", fmt::join(definition.names, ", ")))
                      .with_span(definition.span)
                      .with_hint("the template, or another name, has to use it"));
  }
  return {};
}

}  // namespace

Result<Instantiated> instantiate(std::string_view text, std::span<const LayoutsFile> files,
                                 InstantiateOptions options) {
  HEDDLE_TRY(std::vector<emit::TemplatePiece> pieces,
             emit::parse_template(text, options.delimiters));
  Instantiation made(std::move(pieces), files, std::move(options));
  // Applies `check` to each file; places of refusals count on after the preceding texts.
  const auto check_files = [&](const auto& check) -> Result<void> {
    std::size_t begin = text.size() + 1;
    for (const LayoutsFile& file : files) {
      Result<void> done = check(file);
      if (!done) {
        const Span whole{begin, begin + file.text.size()};
        return refuse(done.error().span() ? moved(done.error(), begin, whole) : done.error());
      }
      begin += file.text.size() + 1;
    }
    return {};
  };
  HEDDLE_CHECK(check_files([&](const LayoutsFile& file) { return made.read_layouts(file); }));
  HEDDLE_TRY(Instantiated filled, made.finish());
  HEDDLE_CHECK(check_files([&](const LayoutsFile& file) -> Result<void> {
    return file.must_be_used ? made.check_used(file) : Result<void>();
  }));
  return filled;
}

}  // namespace heddle::notation
