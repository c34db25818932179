// The command line: which subcommand, with which options.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <functional>
#include <iostream>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "heddle/commands.h"
#include "heddle/notation/evaluator.h"
#include "heddle/notation/lexer.h"
#include "heddle/notation/operations.h"
#include "heddle/search.h"

namespace heddle::app {
namespace {

/// What the command line asks for.
struct Request {
  bool json = false;
  bool quiet = false;
  bool draws = false;
  std::string path = "-";
  std::string topic;
  std::optional<std::string> limit;
  std::string color = "auto";
  DrawOptions draw;
  ExplainOptions explain;
  AnalyzeOptions analyze;
  IndexOptions index;
  ProveOptions prove;
  RecoverCommandOptions recover;
  ConvertCommandOptions convert;
  std::vector<std::string> behind_dashes;
  std::vector<std::string> assumptions;
  std::vector<std::string> axes;
  bool strict = false;
  bool mappings = false;
  double timeout_s = 10;
  std::string engine = "algebra";
};

/// Expressions are what no option claims, so that they may begin with a sign or a bracket, and
/// whatever stands behind `--`.
std::vector<std::string> expressions_of(const CLI::App& command, const Request& request) {
  std::vector<std::string> expressions = command.remaining();
  expressions.insert(expressions.end(), request.behind_dashes.begin(), request.behind_dashes.end());
  return expressions;
}

/// A word like an option that no option claims: it is an expression only behind `--`.
std::optional<Diagnostic> unknown_option(const CLI::App& command) {
  const std::vector<std::string> words = command.remaining();
  const auto found = std::ranges::find_if(words, [](const std::string& word) {
    return word.starts_with("--") && word.size() > 2 && word[2] >= 'a' && word[2] <= 'z';
  });
  if (found == words.end()) return std::nullopt;
  const std::string& name = command.get_name();
  return Diagnostic("usage.option", fmt::format("{} has no option {}", name, *found))
      .with_hint(fmt::format("heddle {} --help lists the options", name));
}

CLI::App* add_command(CLI::App& app, const std::string& name, const std::string& summary,
                      Request& request) {
  CLI::App* command = app.add_subcommand(name, summary);
  command->add_flag("--json", request.json, "Print JSON");
  return command;
}

void add_assume_option(CLI::App& command, Request& request) {
  command
      .add_option("--assume", request.assumptions,
                  "What is known of symbolic sizes: M%128==0, lane in [0,32)")
      ->type_name("CONDITION")
      ->allow_extra_args(false);
  command.add_option("--axis", request.axes, "Declare an axis of Axe layouts: stage: memory")
      ->type_name("AXIS")
      ->allow_extra_args(false);
  command.add_flag("--strict", request.strict, "Refuse axes that nothing declares");
  command.add_option("--timeout", request.timeout_s, "Seconds for a search; 10 by default")
      ->check(CLI::Range(0.001, 1e6));
  command
      .add_option("--engine", request.engine,
                  "Who composes, complements and inverts: algebra, or isl for a second opinion")
      ->check(CLI::IsMember({"algebra", "isl"}));
}

/// What searches may spend, and who computes.
notation::CallContext context_of(const Request& request) {
  notation::CallContext context;
  context.decide.limits.time =
      std::chrono::milliseconds(static_cast<std::int64_t>(request.timeout_s * 1000));
  if (request.engine == "isl") context.engine = notation::AlgebraEngine::kIsl;
  return context;
}

CLI::App* add_expression_command(CLI::App& app, const std::string& name, const std::string& summary,
                                 const std::string& usage, Request& request) {
  CLI::App* command = add_command(app, name, summary, request);
  command->allow_extras();
  add_assume_option(*command, request);
  command->footer("heddle " + name + " " + usage);
  return command;
}

void add_draw_options(CLI::App& command, Request& request) {
  command.add_option("-o,--output", request.draw.output,
                     "Write a file: .svg, .html, .tex, or .txt for text");
  command.add_option("--color", request.color, "When to use colours: auto, always, never");
  command.add_option("--colors", request.draw.colors,
                     "Indices equal modulo this share a colour; 0: none");
  command.add_option("--run", request.draw.run, "So many consecutive indices share a colour");
  command.add_option("--banks", request.draw.banks, "Colours are memory banks, so many of 32 bits");
  command.add_option("--element-bits", request.draw.element_bits,
                     "The width of an element, for banks; 32 by default");
  command.add_flag("--all", request.draw.all, "Leave out nothing of a large layout");
  command.add_flag("--result-only", request.draw.result_only,
                   "Of an operation only the result, without its operands");
  command.add_flag("--tv", request.draw.tv, "A thread-value layout, as a table of its tile");
  command.add_option("--tile", request.draw.tile, "The tile of --tv, as 16x8");
  command.add_option("--mma", request.draw.mma,
                     "Thread-value layouts of A, B and C, of the shape M,N,K");
  command.add_option("--thread", request.draw.thread,
                     "Pick one thread of --tv, of --mma or of a linear layout");
  command.add_option("--element", request.draw.element,
                     "Pick one element, as 3,4 or by its number: who holds it?");
  command.add_option("--view", request.draw.view,
                     "tensor or hardware; of a linear layout matrix, of an Axe layout devices");
  command.add_option("--slice", request.draw.slice,
                     "Hold dimensions of a linear layout, as warp=1,block=0");
  command.add_option("--by", request.draw.by,
                     "The dimension of a linear layout, or the axis of an Axe layout, that decides "
                     "about colours");
  command.add_option("--shape", request.draw.shape,
                     "The shape of the tensor of an Axe layout, as 8,16");
}

/// Options of what analyses accesses to memory.
void add_analyze_options(CLI::App& command, Request& request) {
  command.add_option("--bits", request.analyze.bits, "The width of an element");
  command.add_option("--shape", request.analyze.shape,
                     "The shape of the tensor that encodings are of, as 128,64");
}

void add_access_options(CLI::App& command, Request& request) {
  add_analyze_options(command, request);
  command.add_option("--max-bits", request.analyze.max_bits,
                     "The widest access of a lane; 128 by default");
}

void add_bank_options(CLI::App& command, Request& request) {
  add_access_options(command, request);
  command.add_option("-o,--output", request.analyze.output,
                     "Write a picture: .svg, .html, .tex, or .txt for text");
  command.add_option("--color", request.color, "When to use colours: auto, always, never");
  command.add_flag("--all", request.analyze.all, "Draw all phases of the worst instruction");
  command.add_flag("--no-picture", request.analyze.no_picture, "Only the numbers");
}

void add_index_options(CLI::App& command, Request& request) {
  command.add_option("--target", request.index.target,
                     "The language: heddle (by default), c, cuda, python, triton, latex");
  command.add_option("--cost", request.index.cost,
                     "What is to be small: operations, gpu or cpu; gpu by default for programs");
  command.add_flag("--inverse", request.index.inverse,
                   "From a position of a LEGO layout to its coordinates");
  command.add_flag("--count", request.index.count, "Count the operations");
  command.add_flag("--explain", request.index.explain,
                   "Which rules were applied, and why they may");
  command.add_flag("--check", request.index.check, "Have Z3 confirm the whole simplification");
  command.add_flag("--narrow", request.index.narrow,
                   "C: 32 bits where every value is proved to fit");
  command.add_option("--shape", request.index.shape,
                     "The shape of the tensor of an Axe layout, as 8,16");
}

void add_recover_options(CLI::App& command, Request& request) {
  command.add_option("--shape", request.recover.shape,
                     "Only the layout of exactly this shape, as (2,(2,2))");
  command.add_option("--compatible", request.recover.compatible,
                     "Only the layout whose shape refines this one");
  command.add_option("--strides", request.recover.strides,
                     "Only the layout of exactly these strides, as (1,(2,8))");
  command.add_option("--axes", request.recover.axes,
                     "The innermost numbers of a table are coordinates on these axes: lane,reg");
}

void add_reading_options(CLI::App& command, std::string& as, std::string& shape,
                         const std::string& usual) {
  command.add_option("--as", as,
                     "How layouts are read: literal, memory (coordinates to addresses) or "
                     "ownership (places to elements); by default " +
                         usual);
  command.add_option("--shape", shape,
                     "The shape of an Axe layout, which has none of its own, as 8,16");
}

void add_convert_options(CLI::App& command, Request& request) {
  add_reading_options(command, request.convert.as, request.convert.shape, "what suits both sides");
}

/// The one expression of a command.
ExitCode with_expression(const Console& console, const CLI::App& command, const Request& request,
                         const std::function<ExitCode(const std::string&)>& action) {
  const std::vector<std::string> expressions = expressions_of(command, request);
  if (expressions.size() == 1 && expressions.front() != "-") return action(expressions.front());
  if (expressions.size() > 1) {
    return console.fail(Diagnostic("usage.expression", "one expression is needed, not " +
                                                           std::to_string(expressions.size()))
                            .with_hint("put quotes around it"));
  }
  if (expressions.empty()) {
    return console.fail(
        Diagnostic("usage.expression", command.get_name() + " needs an expression")
            .with_hint("heddle " + command.get_name() + " '(4,8):(8,1)'; - is standard input"));
  }
  const auto text = read_file("-");
  if (!text) return console.fail(text.error());
  return action(*text);
}

/// The number given with --limit, if any.
Result<std::optional<std::int64_t>> limit_of(const Request& request) {
  if (!request.limit) return std::nullopt;
  const std::string& text = *request.limit;
  const char* end = text.data() + text.size();
  std::int64_t limit = 0;
  const auto read = std::from_chars(text.data(), end, limit);
  if (read.ec == std::errc::invalid_argument || read.ptr != end) {
    return refuse("usage.option",
                  fmt::format("--limit is {}; an integer is needed", notation::quote(text)));
  }
  if (read.ec == std::errc()) return limit;
  return refuse("table.limit",
                fmt::format("a table of {} values: the limit does not fit into 64 bits", text));
}

Result<ColorChoice> color_of(const Request& request) {
  if (request.color == "auto") return ColorChoice::kAuto;
  if (request.color == "always") return ColorChoice::kAlways;
  if (request.color == "never") return ColorChoice::kNever;
  return refuse("usage.option", fmt::format("--color is {}; auto, always or never is needed",
                                            notation::quote(request.color)));
}

/// What --help of a command says; empty where no command is called so.
std::string options_of_command(const CLI::App& app, const std::string& name) {
  const auto found =
      app.get_subcommands([&](const CLI::App* command) { return command->get_name() == name; });
  return found.empty() ? "" : found.front()->help(app.get_name());
}

ExitCode dispatch(const CLI::App& app, const Request& request) {
  const Console console(request.json);
  const auto parsed = app.get_subcommands();
  notation::Environment environment;
  for (const std::string& assumption : request.assumptions) {
    const auto assumed = environment.assume(assumption);
    if (!assumed) return console.fail(assumed.error(), {assumption, ""});
  }
  for (const std::string& axis : request.axes) {
    const auto declared = environment.declare_axis(axis);
    if (!declared) return console.fail(declared.error());
  }
  if (request.strict) environment.be_strict();
  environment.set_context(context_of(request));
  if (parsed.empty()) {
    return input_is_terminal() && !request.json ? run_prompt(console, environment)
                                                : evaluate_all(console, {}, environment);
  }
  const CLI::App& command = *parsed.front();
  const std::string name = command.get_name();
  if (const auto unknown = unknown_option(command)) return console.fail(*unknown);
  if (name == "eval") return evaluate_all(console, expressions_of(command, request), environment);
  if (name == "run") return run_file(console, request.path, request.quiet, environment);
  if (name == "batch") return run_batch_file(console, request.path, environment);
  if (name == "diagnose") return diagnose_log(console, request.path);
  if (name == "layouts") return list_layouts(console, request.path, request.draws);
  if (name == "help") {
    return print_help(console, request.topic, options_of_command(app, request.topic));
  }
  if (name == "table") {
    const auto limit = limit_of(request);
    if (!limit) return console.fail(limit.error());
    return with_expression(console, command, request, [&](const std::string& expression) {
      return print_table(console, expression, *limit, environment);
    });
  }
  if (name == "relation") {
    return with_expression(console, command, request, [&](const std::string& expression) {
      return print_relation(console, expression, request.mappings, environment);
    });
  }
  if (name == "index") {
    return print_index(console, expressions_of(command, request), request.index, environment);
  }
  if (name == "prove") {
    return with_expression(console, command, request, [&](const std::string& claim) {
      return prove_claim(console, claim, request.prove, environment);
    });
  }
  if (name == "recover") {
    const std::vector<std::string> arguments = expressions_of(command, request);
    if (arguments.size() == 1) {
      return recover_layout(console, arguments.front(), request.recover, environment);
    }
    return console.fail(
        Diagnostic("usage.expression",
                   fmt::format("recover needs one table or layout, not {}", arguments.size()))
            .with_hint("heddle recover table.npy, or '[[0,1],[2,3]]'; - is standard input"));
  }
  if (name == "convert") {
    return with_expression(console, command, request, [&](const std::string& expression) {
      const Search search(console, "converting");
      return print_converted(console, expression, request.convert, search.within(environment));
    });
  }
  if (name == "show") {
    return with_expression(console, command, request, [&](const std::string& expression) {
      const Search search(console, "converting");
      return show_everywhere(console, expression, request.convert, search.within(environment));
    });
  }
  const auto color = color_of(request);
  if (!color) return console.fail(color.error());
  if (name == "explain") {
    return with_expression(console, command, request, [&](const std::string& expression) {
      ExplainOptions explain = request.explain;
      explain.color = *color;
      return explain_expression(console, expression, explain, environment);
    });
  }
  AnalyzeOptions analyze = request.analyze;
  analyze.color = *color;
  if (name == "banks") {
    return print_banks(console, expressions_of(command, request), analyze, environment);
  }
  if (name == "coalescing") {
    return print_coalescing(console, expressions_of(command, request), analyze, environment);
  }
  if (name == "swizzle") {
    return print_swizzle(console, expressions_of(command, request), analyze, environment);
  }
  DrawOptions options = request.draw;
  options.color = *color;
  const auto expressions = expressions_of(command, request);
  if (name == "compare") return compare_layouts(console, expressions, options, environment);
  if (expression_count(options) > 1 && expressions.size() == expression_count(options))
    return draw_expressions(console, expressions, options, environment);
  if (expression_count(options) > 1) {
    return console.fail(
        Diagnostic("usage.expression", fmt::format("--mma needs {} expressions, not {}",
                                                   expression_count(options), expressions.size()))
            .with_hint("the thread-value layouts of A, B and C, each in quotes"));
  }
  return with_expression(console, command, request, [&](const std::string& expression) {
    return draw_expressions(console, {expression}, options, environment);
  });
}

using Words = std::vector<std::string>;

/// The word that should name a command.
Words::const_iterator command_word(const Words& words) {
  return std::ranges::find_if(words, [](const std::string& word) { return word[0] != '-'; });
}

/// How many words there are in front of the `--` of a command that takes expressions.
std::size_t words_before_dashes(const CLI::App& app, const Words& words) {
  const auto command = command_word(words);
  if (command == words.end() || !app.get_subcommand(*command)->get_allow_extras())
    return words.size();
  return static_cast<std::size_t>(std::find(command, words.end(), "--") - words.begin());
}

/// The refusal where the first word is no command.
std::optional<Diagnostic> unknown_command(const CLI::App& app, const Words& words) {
  const auto first = command_word(words);
  if (first == words.end()) return std::nullopt;
  Words names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  if (std::ranges::find(names, *first) != names.end()) return std::nullopt;
  const auto nearest = notation::nearest_names(*first, names);
  const std::string hint = nearest.empty() ? "heddle help lists the commands; an expression is "
                                             "evaluated by heddle eval EXPR"
                                           : "did you mean heddle " + nearest.front() + "?";
  return Diagnostic("name.unknown",
                    fmt::format("heddle has no command {}", notation::quote(*first)))
      .with_hint(hint);
}

/// What CLI11 could not make sense of.
ExitCode misused(const CLI::App& app, const CLI::ParseError& error, const Words& words) {
  const bool json = std::ranges::find(words, "--json") != words.end();
  const auto command = command_word(words);
  const std::string name = command == words.end() ? "" : " " + *command;
  return Console(json).fail(Diagnostic("usage.option", error.what())
                                .with_hint(app.get_name() + name + " --help lists the options"));
}

ExitCode run(int argc, char** argv) {
  Request request;
  CLI::App app("One layout algebra. Version " HEDDLE_VERSION
               " reads CuTe's, Triton's, Axe and LEGO layouts.",
               "heddle");
  app.set_version_flag("--version", "heddle " HEDDLE_VERSION);
  app.add_flag("--json", request.json, "Print JSON");
  app.require_subcommand(0, 1);

  add_expression_command(app, "eval", "Evaluate expressions", "EXPR…", request);
  CLI::App* run_command = add_command(app, "run", "Run the statements of a file", request);
  run_command->add_option("file", request.path, "The file; - is standard input")->required();
  add_assume_option(*run_command, request);
  run_command->add_flag("--quiet", request.quiet, "Print only failures");
  CLI::App* table =
      add_expression_command(app, "table", "Print the indices of a layout", "EXPR", request);
  table->add_option("--limit", request.limit, "Only so many values, in flat order")
      ->type_name("INT");
  CLI::App* draw = add_expression_command(app, "draw", "Draw a layout", "EXPR", request);
  add_draw_options(*draw, request);
  CLI::App* explain =
      add_expression_command(app, "explain", "Explain a result step by step", "EXPR", request);
  explain->add_option("--color", request.color, "When to use colours: auto, always, never");
  explain->add_option("--at", request.explain.at, "Where the layout takes this coordinate, as 1,5");
  explain->add_option("--shape", request.explain.shape,
                      "The shape of the tensor of an Axe layout, as 8,16");
  CLI::App* index = add_expression_command(app, "index", "The index expression of a layout",
                                           "LAYOUT [COORDINATE…]", request);
  add_index_options(*index, request);
  CLI::App* relation = add_expression_command(
      app, "relation", "A layout as an integer set relation", "LAYOUT", request);
  relation->add_flag("--mappings", request.mappings,
                     "Also the mappings it is made of: coordinates, bits, index");
  CLI::App* prove = add_expression_command(
      app, "prove", "Whether a claim about layouts holds, and what shows it", "CLAIM", request);
  prove->add_option("--method", request.prove.method,
                    "The only method to use: digits, bits, exhaustive, isl, z3");
  add_reading_options(*prove, request.prove.as, request.prove.shape, "literal");
  CLI::App* recover =
      add_expression_command(app, "recover", "What layout is this, in every system's notation?",
                             "TABLE.npy | FILE | - | '[[0,1],[2,3]]' | LAYOUT", request);
  add_recover_options(*recover, request);
  CLI::App* banks = add_expression_command(app, "banks", "Bank conflicts of an access",
                                           "ACCESS [SHARED] --bits N", request);
  add_bank_options(*banks, request);
  CLI::App* swizzle = add_expression_command(app, "swizzle", "The best swizzle for accesses",
                                             "LAYOUT ACCESS… | SRC DST --bits N", request);
  add_analyze_options(*swizzle, request);
  CLI::App* coalescing =
      add_expression_command(app, "coalescing", "Traffic of an access to global memory",
                             "ACCESS [MEMORY] --bits N", request);
  add_access_options(*coalescing, request);
  coalescing->add_option("--alignment", request.analyze.alignment,
                         "Address 0 is a multiple of so many bytes; 128 by default");
  CLI::App* convert = add_expression_command(
      app, "convert", "A layout in another system's notation", "--to SYSTEM LAYOUT", request);
  convert->add_option("--to", request.convert.to,
                      "cute, cute_tv, linear, axe, lego, relation or table");
  add_convert_options(*convert, request);
  CLI::App* show =
      add_expression_command(app, "show", "A layout in every notation", "LAYOUT", request);
  add_convert_options(*show, request);
  CLI::App* compare = add_expression_command(
      app, "compare", "Where two layouts of any systems differ", "A B", request);
  compare->add_option("-o,--output", request.draw.output,
                      "Write a picture: .svg, .html, .tex, or .txt for text");
  compare->add_option("--color", request.color, "When to use colours: auto, always, never");
  CLI::App* batch = add_command(app, "batch", "Answer JSON Lines", request);
  batch->add_option("file", request.path, "The file; standard input by default");
  add_assume_option(*batch, request);
  CLI::App* diagnose = add_command(
      app, "diagnose", "Explain CuTe's static assertions in a compiler's output", request);
  diagnose->add_option("file", request.path, "The output; standard input by default");
  CLI::App* layouts =
      add_command(app, "layouts", "List the layouts of a dump of Triton's TTGIR", request);
  layouts->add_option("file", request.path, "The dump; standard input by default");
  layouts->add_flag("--draw", request.draws, "Draw each layout: who holds which element");
  CLI::App* help = add_command(app, "help", "Explain an operation or a topic", request);
  help->add_option("topic", request.topic, "An operation, or language, run, explain, batch, codes");

  const std::vector<std::string> words(argv + 1, argv + argc);
  if (const auto unknown = unknown_command(app, words)) {
    const bool json = std::ranges::find(words, "--json") != words.end();
    return Console(json).fail(*unknown);
  }
  const std::size_t read = words_before_dashes(app, words);
  if (read < words.size()) {
    const auto behind = words.begin() + static_cast<std::ptrdiff_t>(read) + 1;
    request.behind_dashes.assign(behind, words.end());
  }
  try {
    app.parse(static_cast<int>(read) + 1, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) return misused(app, error, words);
    app.exit(error);  // prints the help or the version
    return ExitCode::kDone;
  }
  return dispatch(app, request);
}

}  // namespace
}  // namespace heddle::app

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  return static_cast<int>(heddle::app::flushed(heddle::app::run(argc, argv)));
}
