// heddle eval, run, explain and batch, and the prompt: texts of the expression language.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <fstream>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "heddle/arguments.h"
#include "heddle/commands.h"
#include "heddle/drawing.h"
#include "heddle/notation/batch.h"
#include "heddle/search.h"
#include "heddle/session.h"

namespace heddle::app {
namespace {

constexpr std::string_view kPrompt = "heddle> ";

/// Reads a line from the terminal and its continuation lines; a blank line ends them. Ctrl-C
/// discards them and starts over. False at the end of input.
bool read_statements(std::string& text) {
  std::atomic<int> interrupts = 0;
  const Interrupts begin_anew([&] {
    ++interrupts;
    const std::string line = "\n" + std::string(kPrompt);
    // Nothing can be done if the terminal is gone.
    (void)!write(STDOUT_FILENO, line.data(), line.size());
  });
  std::cout << kPrompt << std::flush;
  if (!std::getline(std::cin, text)) return false;
  int before = interrupts;
  std::string more;
  while (is_unfinished(text)) {
    std::cout << "   ...> " << std::flush;
    if (!std::getline(std::cin, more)) return true;
    const bool is_dropped = interrupts != before;
    before = interrupts;
    if (more.empty() && !is_dropped) return true;
    if (is_dropped) text.clear();
    if (!text.empty()) text += '\n';
    text += more;
  }
  return true;
}

/// As wide as the terminal, up to a readable width.
notation::TextStyle text_style(ColorChoice color) {
  constexpr std::size_t kWidth = 100;
  const draw::TerminalStyle terminal = terminal_style(color);
  const std::size_t width = terminal.width == 0 ? kWidth : std::min(terminal.width, kWidth);
  return {terminal.color, width};
}

/// The coordinate of an explanation; nullopt if none is given. Refuses `usage.option`.
Result<std::optional<PointOption>> point_of(const Said& said) {
  constexpr NumbersOption kAt = {"--at", 1, 64, "a coordinate is needed, as 1,5 or 21"};
  PointOption point;
  HEDDLE_TRY(point.at, numbers_of(kAt, said));
  if (point.at.empty() && said.text("--shape").empty()) return std::nullopt;
  if (point.at.empty()) return refuse("usage.option", "--shape goes with --at");
  HEDDLE_TRY(point.shape, numbers_of(kShapeOption, said));
  return point;
}

/// What to type if the expressions are one that the shell has split, or the sides of a claim.
std::string as_one(const Call& call) {
  const std::vector<std::string>& said = call.expressions;
  const std::string& name = call.command.get_name();
  const bool is_quoted = std::ranges::any_of(
      said, [](const std::string& text) { return text.find('\'') != std::string::npos; });
  constexpr std::size_t kMostWords = 16;
  if (is_quoted || said.size() > kMostWords) return "put quotes around it";
  const bool are_sides = name == "prove" && said.size() == 2;
  return fmt::format("heddle {} '{}'", name, fmt::join(said, are_sides ? " == " : " "));
}

}  // namespace

Result<std::string> expression_of(const Call& call) {
  const std::vector<std::string>& expressions = call.expressions;
  if (expressions.size() == 1)
    return expressions.front() == "-" ? read_file("-") : Result<std::string>(expressions.front());
  if (expressions.size() > 1) {
    const std::string& last = expressions.back();
    const bool names_picture = last.find('.') != std::string::npos && format_of(last);
    return refuse(Diagnostic("usage.expression",
                             fmt::format("one expression is needed, not {}", expressions.size()))
                      .with_hint(names_picture ? "-o " + last : as_one(call)));
  }
  const std::string& name = call.command.get_name();
  return refuse(Diagnostic("usage.expression", name + " needs an expression")
                    .with_hint(fmt::format("heddle {} '(4,8):(8,1){}'; - is standard input", name,
                                           name == "prove" ? " == 32:1" : "")));
}

Outcome evaluate_all(const Console& console, const std::vector<std::string>& expressions,
                     const notation::Environment& environment) {
  Session session(console, Echo::kResults, environment);
  ExitCode code = ExitCode::kDone;
  const std::vector<std::string> from_input = {"-"};
  for (const std::string& expression : expressions.empty() ? from_input : expressions) {
    HEDDLE_TRY(const std::string text,
               expression == "-" ? read_file("-") : Result<std::string>(expression));
    const ExitCode outcome = session.run({text, ""});
    code = worse(code, outcome);
    if (is_failure(outcome)) break;
  }
  return code;
}

Outcome eval_command(const Call& call) {
  return evaluate_all(call.console, call.expressions, call.environment);
}

Outcome run_command(const Call& call) {
  const std::string& path = call.said.text("file");
  HEDDLE_TRY(const std::string text, read_file(path));
  const Source source{text, path};
  // The syntax of the whole file is checked before any statement runs.
  HEDDLE_CHECK(in(source, check_syntax(text)));
  const Echo echo = call.said.flag("--quiet") ? Echo::kFailures : Echo::kStatements;
  return Session(call.console, echo, call.environment).run(source);
}

Outcome explain_command(const Call& call) {
  HEDDLE_TRY(const ColorChoice color, color_of(call.said));
  HEDDLE_TRY(const std::string text, expression_of(call));
  HEDDLE_TRY(const std::optional<PointOption> point, point_of(call.said));
  return Session(call.console, Echo::kFailures, call.environment)
      .explain({text, ""}, text_style(color), point);
}

Outcome batch_command(const Call& call) {
  const std::string& path = call.said.text("file");
  std::ifstream file;
  if (path != "-") {
    HEDDLE_CHECK(check_readable(path));
    file.open(path, std::ios::binary);
  }
  std::istream& input = path == "-" ? std::cin : file;
  if (input) notation::run_batch(input, std::cout, call.environment);
  // Not fail(), which is also set after reading to the end.
  const bool is_opened = path == "-" || file.is_open();
  if (!is_opened || input.bad()) return refuse(unreadable(path));
  return ExitCode::kDone;
}

Outcome run_prompt(const Console& console, const notation::Environment& environment) {
  constexpr std::string_view kExplain = "explain ";
  Session session(console, Echo::kPrompt, environment);
  // Ctrl-C must not end the program between two statements either.
  const HeldInterrupts held;
  std::string line;
  while (read_statements(line)) {
    const StopOnInterrupt interrupt;
    session.set_stop(interrupt.token());
    if (line == "quit" || line == "exit") return ExitCode::kDone;
    if (line == "help" || line.starts_with("help ")) {
      (void)console.ended(print_help(console, line.size() > 5 ? line.substr(5) : ""));
    } else if (line.starts_with(kExplain) && !line.substr(kExplain.size()).starts_with('=')) {
      const std::string text = line.substr(kExplain.size());
      (void)session.explain({text, ""}, text_style(ColorChoice::kAuto));
    } else {
      (void)session.run({line, ""});
    }
  }
  std::cout << '\n';
  return ExitCode::kDone;
}

}  // namespace heddle::app
