#include "heddle/command_table.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "heddle/layout_arguments.h"
#include "heddle/search.h"

namespace heddle::app {
namespace {

/// Expressions are what no option claims, so that they may begin with a sign or a bracket, and
/// whatever stands behind `--`.
std::vector<std::string> expressions_of(const Call& call) {
  std::vector<std::string> expressions = call.command.remaining();
  const std::vector<std::string>& behind = call.request.behind_dashes;
  expressions.insert(expressions.end(), behind.begin(), behind.end());
  return expressions;
}

/// What `action` makes of the one expression of a command.
template <class Action>
ExitCode with_expression(const Call& call, Action action) {
  const std::vector<std::string> expressions = expressions_of(call);
  if (expressions.size() == 1 && expressions.front() != "-") return action(expressions.front());
  if (expressions.size() > 1) {
    return call.console.fail(
        Diagnostic("usage.expression",
                   fmt::format("one expression is needed, not {}", expressions.size()))
            .with_hint("put quotes around it"));
  }
  if (expressions.empty()) {
    const std::string& name = call.command.get_name();
    return call.console.fail(
        Diagnostic("usage.expression", name + " needs an expression")
            .with_hint("heddle " + name + " '(4,8):(8,1)'; - is standard input"));
  }
  const auto text = read_file("-");
  if (!text) return call.console.fail(text.error());
  return action(*text);
}

/// What `action` makes of the options with the colours that were asked for.
template <class Options, class Action>
ExitCode with_color(const Call& call, Options options, Action action) {
  const auto color = color_of(call.request);
  if (!color) return call.console.fail(color.error());
  options.color = *color;
  return action(options);
}

/// What `action` makes of the environment in which claims are read as --as says.
template <class Action>
ExitCode with_reading(const Call& call, Action action) {
  notation::CallContext context = call.environment.context();
  const auto reading = reading_of(call.request.convert.as);
  if (!reading) return call.console.fail(reading.error());
  const auto shape = box_of(call.request.convert.shape);
  if (!shape) return call.console.fail(shape.error());
  context.decide.reading = *reading;
  context.decide.shape = *shape;
  notation::Environment environment = call.environment;
  environment.set_context(std::move(context));
  return action(environment);
}

ExitCode eval_command(const Call& call) {
  return evaluate_all(call.console, expressions_of(call), call.environment);
}

ExitCode run_command(const Call& call) {
  return run_file(call.console, call.request.path, call.request.quiet, call.environment);
}

ExitCode table_command(const Call& call) {
  const auto limit = limit_of(call.request);
  if (!limit) return call.console.fail(limit.error());
  return with_expression(call, [&](const std::string& expression) {
    return print_table(call.console, expression, *limit, call.environment);
  });
}

/// One picture: of one expression, or of the three of --mma.
ExitCode draw_command(const Call& call) {
  return with_color(call, call.request.draw, [&](const DrawOptions& options) {
    const std::size_t needed = expression_count(options);
    if (needed == 1) {
      return with_expression(call, [&](const std::string& expression) {
        return draw_expressions(call.console, {expression}, options, call.environment);
      });
    }
    const std::vector<std::string> expressions = expressions_of(call);
    if (expressions.size() == needed) {
      return draw_expressions(call.console, expressions, options, call.environment);
    }
    return call.console.fail(
        Diagnostic("usage.expression",
                   fmt::format("--mma needs {} expressions, not {}", needed, expressions.size()))
            .with_hint("the thread-value layouts of A, B and C, each in quotes"));
  });
}

ExitCode explain_command(const Call& call) {
  return with_color(call, call.request.explain, [&](const ExplainOptions& options) {
    return with_expression(call, [&](const std::string& expression) {
      return explain_expression(call.console, expression, options, call.environment);
    });
  });
}

ExitCode index_command(const Call& call) {
  return print_index(call.console, expressions_of(call), call.request.index, call.environment);
}

ExitCode instantiate_command(const Call& call) {
  return instantiate_template(call.console, call.request.instantiate, call.environment);
}

ExitCode emit_command(const Call& call) {
  const Search search(call.console, "turning the layout round");
  return print_functions(call.console, expressions_of(call), call.request.emit,
                         search.within(call.environment));
}

ExitCode relation_command(const Call& call) {
  return with_expression(call, [&](const std::string& expression) {
    return print_relation(call.console, expression, call.request.mappings, call.environment);
  });
}

ExitCode prove_command(const Call& call) {
  return with_expression(call, [&](const std::string& claim) {
    return with_reading(call, [&](const notation::Environment& environment) {
      return prove_claim(call.console, claim, call.request.prove, environment);
    });
  });
}

/// Its argument may be a file or standard input, which with_expression() would read.
ExitCode recover_command(const Call& call) {
  const std::vector<std::string> arguments = expressions_of(call);
  if (arguments.size() == 1) {
    return recover_layout(call.console, arguments.front(), call.request.recover, call.environment);
  }
  return call.console.fail(
      Diagnostic("usage.expression",
                 fmt::format("recover needs one table or layout, not {}", arguments.size()))
          .with_hint("heddle recover table.npy, or '[[0,1],[2,3]]'; - is standard input"));
}

ExitCode banks_command(const Call& call) {
  return with_color(call, call.request.analyze, [&](const AnalyzeOptions& options) {
    return print_banks(call.console, expressions_of(call), options, call.environment);
  });
}

ExitCode swizzle_command(const Call& call) {
  return with_color(call, call.request.analyze, [&](const AnalyzeOptions& options) {
    return print_swizzle(call.console, expressions_of(call), options, call.environment);
  });
}

ExitCode coalescing_command(const Call& call) {
  return with_color(call, call.request.analyze, [&](const AnalyzeOptions& options) {
    return print_coalescing(call.console, expressions_of(call), options, call.environment);
  });
}

ExitCode convert_command(const Call& call) {
  return with_expression(call, [&](const std::string& expression) {
    const Search search(call.console, "converting");
    return print_converted(call.console, expression, call.request.convert,
                           search.within(call.environment));
  });
}

ExitCode show_command(const Call& call) {
  return with_expression(call, [&](const std::string& expression) {
    const Search search(call.console, "converting");
    return show_everywhere(call.console, expression, call.request.convert,
                           search.within(call.environment));
  });
}

ExitCode compare_command(const Call& call) {
  return with_color(call, call.request.draw, [&](const DrawOptions& options) {
    return compare_layouts(call.console, expressions_of(call), call.request.convert, options,
                           call.environment);
  });
}

ExitCode batch_command(const Call& call) {
  return run_batch_file(call.console, call.request.path, call.environment);
}

ExitCode diagnose_command(const Call& call) {
  return diagnose_log(call.console, call.request.path);
}

ExitCode layouts_command(const Call& call) {
  return list_layouts(call.console, call.request.path, call.request.draws);
}

/// The topic may be a command: what --help says of it is then the answer.
ExitCode help_command(const Call& call) {
  const std::string& topic = call.request.topic;
  const auto commands = call.program.get_subcommands(
      [&](const CLI::App* command) { return command->get_name() == topic; });
  const std::string options =
      commands.empty() ? "" : commands.front()->help(call.program.get_name());
  return print_help(call.console, topic, options);
}

constexpr std::array kCommands = {
    Command{"eval", "Evaluate expressions", "EXPR…", Takes::kExpressions, add_no_options,
            eval_command},
    Command{"run", "Run the statements of a file", "FILE", Takes::kOther, add_run_options,
            run_command},
    Command{"table", "Print the indices of a layout", "EXPR", Takes::kExpressions,
            add_table_options, table_command},
    Command{"draw", "Draw a layout", "EXPR", Takes::kExpressions, add_draw_options, draw_command},
    Command{"explain", "Explain a result step by step", "EXPR", Takes::kExpressions,
            add_explain_options, explain_command},
    Command{"index", "The index expression of a layout", "LAYOUT [COORDINATE…]",
            Takes::kExpressions, add_index_options, index_command},
    Command{"instantiate", "A template filled with index expressions", "TEMPLATE [LAYOUTS…]",
            Takes::kOther, add_instantiate_options, instantiate_command},
    Command{"emit", "A layout as functions of a program", "LAYOUT [NAME…]", Takes::kExpressions,
            add_emit_options, emit_command},
    Command{"relation", "A layout as an integer set relation", "LAYOUT", Takes::kExpressions,
            add_relation_options, relation_command},
    Command{"prove", "Whether a claim about layouts holds, and what shows it", "CLAIM",
            Takes::kExpressions, add_prove_options, prove_command},
    Command{"recover", "What layout is this, in every system's notation?",
            "TABLE.npy | FILE | - | '[[0,1],[2,3]]' | LAYOUT", Takes::kExpressions,
            add_recover_options, recover_command},
    Command{"banks", "Bank conflicts of an access", "ACCESS [SHARED] --bits N", Takes::kExpressions,
            add_banks_options, banks_command},
    Command{"swizzle", "The best swizzle for accesses", "LAYOUT ACCESS… | SRC DST --bits N",
            Takes::kExpressions, add_swizzle_options, swizzle_command},
    Command{"coalescing", "Traffic of an access to global memory", "ACCESS [MEMORY] --bits N",
            Takes::kExpressions, add_coalescing_options, coalescing_command},
    Command{"convert", "A layout in another system's notation", "--to SYSTEM LAYOUT",
            Takes::kExpressions, add_convert_options, convert_command},
    Command{"show", "A layout in every notation", "LAYOUT", Takes::kExpressions, add_show_options,
            show_command},
    Command{"compare", "Where two layouts of any systems differ", "A B", Takes::kExpressions,
            add_compare_options, compare_command},
    Command{"batch", "Answer JSON Lines", "[FILE]", Takes::kOther, add_batch_options,
            batch_command},
    Command{"diagnose", "Explain CuTe's static assertions in a compiler's output", "[FILE]",
            Takes::kOther, add_diagnose_options, diagnose_command},
    Command{"layouts", "List the layouts of a dump of Triton's TTGIR", "[FILE]", Takes::kOther,
            add_layouts_options, layouts_command},
    Command{"help", "Explain an operation or a topic", "[TOPIC]", Takes::kOther, add_help_options,
            help_command},
};

}  // namespace

std::span<const Command> commands() { return kCommands; }

}  // namespace heddle::app
