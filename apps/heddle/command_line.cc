#include "heddle/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heddle/axis_notes.h"
#include "heddle/commands.h"
#include "heddle/core/nearest_names.h"
#include "heddle/notation/evaluator.h"
#include "heddle/notation/lexer.h"
#include "heddle/notation/operations.h"

namespace heddle::app {
namespace {

using Words = std::vector<std::string>;

void add_command(CLI::App& app, const Command& command, Request& request) {
  CLI::App& parsed = *app.add_subcommand(command.name, command.summary);
  parsed.add_flag("--json", request.json, "Print JSON");
  if (command.takes != Takes::kOther) add_evaluation_options(parsed, request);
  if (command.takes == Takes::kExpressions) {
    parsed.allow_extras();
    parsed.footer(fmt::format("heddle {} {}", command.name, command.usage));
  }
  add_options(parsed, command.options, request.said[command.name]);
}

// ---- Words that CLI11 does not judge ----

/// The word that should name a command.
Words::const_iterator command_word(const Words& words) {
  return std::ranges::find_if(words, [](const std::string& word) { return word[0] != '-'; });
}

/// The number of words before the `--` of a command that takes expressions.
std::size_t words_before_dashes(const CLI::App& app, const Words& words) {
  const auto command = command_word(words);
  if (command == words.end() || !app.get_subcommand(*command)->get_allow_extras())
    return words.size();
  return static_cast<std::size_t>(std::find(command, words.end(), "--") - words.begin());
}

/// The refusal if the first word is no command.
std::optional<Diagnostic> unknown_command(const Words& words) {
  const auto first = command_word(words);
  if (first == words.end()) return std::nullopt;
  Words names;
  for (const Command& command : commands()) names.emplace_back(command.name);
  if (std::ranges::find(names, *first) != names.end()) return std::nullopt;
  const auto nearest = nearest_names(*first, names);
  // A layout is not a word.
  const bool is_expression = first->find_first_of("(:<[{") != std::string::npos;
  std::string hint = "heddle help lists the commands";
  if (is_expression) hint = "heddle eval '" + *first + "'";
  if (!nearest.empty()) hint = "did you mean heddle " + nearest.front() + "?";
  return Diagnostic("name.unknown",
                    fmt::format("heddle has no command {}", notation::quote(*first)))
      .with_hint(hint);
}

/// The refusal of a word that looks like an option but is none: only after `--` is it an
/// expression.
std::optional<Diagnostic> unknown_option(const CLI::App& command) {
  const Words words = command.remaining();
  const auto found = std::ranges::find_if(words, [](const std::string& word) {
    return word.starts_with("--") && word.size() > 2 && word[2] >= 'a' && word[2] <= 'z';
  });
  if (found == words.end()) return std::nullopt;
  const std::string& name = command.get_name();
  return Diagnostic("usage.option", fmt::format("{} has no option {}", name, *found))
      .with_hint(fmt::format("heddle {} --help lists the options", name));
}

/// The diagnostic for a parse error of CLI11.
Diagnostic misuse(const CLI::App& app, const CLI::ParseError& error, const Words& words) {
  const auto command = command_word(words);
  const std::string name = command == words.end() ? "" : " " + *command;
  return Diagnostic("usage.option", error.what())
      .with_hint(app.get_name() + name + " --help lists the options");
}

// ---- From words to a command ----

/// Without a command: runs statements, typed at a prompt or from standard input.
Outcome run_without_command(const Console& console, const notation::Environment& environment) {
  return input_is_terminal() && !console.json() ? run_prompt(console, environment)
                                                : evaluate_all(console, {}, environment);
}

/// Runs the parsed command, in an environment with the assumptions and declarations of its options.
Outcome dispatch(const Console& console, const CLI::App& app, const Request& request,
                 files::Transport& transport) {
  notation::Environment environment;
  for (const std::string& assumption : request.assumptions) {
    HEDDLE_CHECK(in({assumption, ""}, environment.assume(assumption)));
  }
  for (const std::string& axis : request.axes) {
    HEDDLE_CHECK(environment.declare_axis(axis));
  }
  if (request.strict) environment.be_strict();
  environment.set_context(context_of(request));
  const auto parsed = app.get_subcommands();
  if (parsed.empty()) return run_without_command(console, environment);
  const CLI::App& named = *parsed.front();
  if (auto unknown = unknown_option(named)) return refuse(*std::move(unknown));
  const auto command = std::ranges::find(commands(), named.get_name(), &Command::name);
  // Expressions are the words that no option claims, so that they may begin with a sign or a
  // bracket, and everything after `--`.
  Words expressions = named.remaining();
  expressions.insert(expressions.end(), request.behind_dashes.begin(), request.behind_dashes.end());
  if (command->takes == Takes::kExpressions && !environment.is_strict()) {
    for (const std::string& note : notes_on_axes(expressions, environment.axes())) {
      console.note(note);
    }
  }
  const Said& said = request.said.at(named.get_name());
  return command->run({app, named, said, std::move(expressions), console, environment, transport});
}

}  // namespace

ExitCode run_command_line(int argc, char** argv) {
  files::Transport alone;
  return run_command_line(argc, argv, alone);
}

ExitCode run_command_line(int argc, char** argv, files::Transport& transport) {
  Request request;
  CLI::App app("One layout algebra. Version " HEDDLE_VERSION
               " reads CuTe's, Triton's, Axe and LEGO layouts.",
               "heddle");
  app.set_version_flag("--version", "heddle " HEDDLE_VERSION);
  app.add_flag("--json", request.json, "Print JSON");
  app.require_subcommand(0, 1);
  for (const Command& command : commands()) add_command(app, command, request);

  const Words words(argv + 1, argv + argc);
  // Failures before the options are parsed are reported in JSON too.
  const Console console(std::ranges::find(words, "--json") != words.end());
  if (const auto unknown = unknown_command(words)) return console.fail(*unknown);
  const std::size_t read = words_before_dashes(app, words);
  if (read < words.size()) {
    const auto behind = words.begin() + static_cast<std::ptrdiff_t>(read) + 1;
    request.behind_dashes.assign(behind, words.end());
  }
  try {
    app.parse(static_cast<int>(read) + 1, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) return console.fail(misuse(app, error, words));
    app.exit(error);  // prints the help or the version
    return ExitCode::kDone;
  }
  const Console told(request.json);
  return told.ended(dispatch(told, app, request, transport));
}

}  // namespace heddle::app
