// heddle index: a layout at symbolic coordinates, as the expression that computes its index.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "heddle/commands.h"
#include "heddle/emit/print.h"
#include "heddle/emit/slice.h"
#include "heddle/expr/simplify.h"
#include "heddle/expr/solver.h"
#include "heddle/notation/index_expression.h"
#include "heddle/notation/lexer.h"
#include "heddle/numbers_option.h"

namespace heddle::app {
namespace {

using emit::Dialect;
using emit::PrintedKernel;
using notation::Environment;
using notation::IndexExpression;
using notation::Value;

// Options.

Result<Dialect> dialect_of(const std::string& text) {
  if (const auto dialect = emit::find_dialect(text)) return *dialect;
  return refuse("usage.option",
                fmt::format("--target is {}; one of {} is needed", notation::quote(text),
                            emit::names_of(emit::dialects())));
}

/// What is cheap, as was asked for or as is usual for the language.
Result<Target> cost_model_of(const IndexOptions& options, Dialect dialect) {
  if (options.cost.empty()) return emit::usual_target(dialect);
  if (const auto target = Target::named(options.cost)) return *target;
  return refuse("usage.option", fmt::format("--cost is {}; operations, gpu or cpu is needed",
                                            notation::quote(options.cost)));
}

Result<std::vector<std::int64_t>> shape_of(const IndexOptions& options) {
  if (options.shape.empty()) return std::vector<std::int64_t>();
  constexpr NumbersOption kTensorShape = {"--shape", 1, 64, "a shape is needed, as 8,16"};
  return numbers_of(kTensorShape, options.shape);
}

// Answers.

/// Whether Z3 confirms the kernel, and how long that took.
struct Confirmation {
  Verdict verdict = Verdict::unknown("");
  std::chrono::milliseconds time{0};
};

Confirmation confirm(const IndexExpression& question, const Kernel& kernel,
                     const map::Limits& limits) {
  constexpr std::chrono::milliseconds kTimeLimit(5000);
  const Solver solver(
      {.time_limit = std::min(kTimeLimit, limits.time_left()), .end = limits.begun().end});
  const auto start = std::chrono::steady_clock::now();
  const bool has_raw = !question.raw_values.empty();
  Confirmation made;
  made.verdict = solver.prove_computes(kernel, has_raw ? question.raw_values : question.values, {},
                                       question.given);
  made.time = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - start);
  return made;
}

std::string count_text(const OperationCount& count) {
  std::string text =
      fmt::format("{} operation{}", count.operations, count.operations == 1 ? "" : "s");
  if (count.min_max > 0) text += fmt::format(", {} min/max", count.min_max);
  if (count.other > 0) text += fmt::format(", {} other", count.other);
  return text;
}

struct IndexAnswer {
  IndexExpression question;
  Simplified simplified;
  PrintedKernel printed;
  /// What each result is assigned to; empty where the only result stands as an expression.
  std::vector<std::string> names;
  Dialect dialect = Dialect::kHeddle;
  std::optional<Confirmation> confirmation;
};

// Names of results.

/// Whether a name is one in the language.
bool is_name_in(const std::string& name, Dialect dialect) {
  return emit::is_identifier(name) && !emit::is_reserved(name, dialect);
}

/// The names of the axes, or others where those are names of what the results are computed from: a
/// result that is assigned must not change what the next one reads.
std::vector<std::string> result_names(const IndexAnswer& answer, std::vector<std::string> names) {
  const auto are_free = [&] {
    std::set<std::string> taken = answer.question.names;
    for (const Definition& definition : answer.simplified.kernel.definitions) {
      taken.insert(definition.name);
    }
    return std::ranges::all_of(names, [&](const std::string& name) {
      return is_name_in(name, answer.dialect) && taken.insert(name).second;
    });
  };
  const std::vector<std::string> axes = names;
  for (std::string prefix = "out_"; !are_free(); prefix += "_") {
    for (std::size_t i = 0; i < axes.size(); ++i) {
      names[i] = prefix + (emit::is_identifier(axes[i]) ? axes[i] : std::to_string(i));
    }
  }
  return names;
}

/// A single result stands as an expression, so that it can be pasted into one; in a program only
/// where nothing has to be computed before it.
std::vector<std::string> names_of_results(const IndexAnswer& answer) {
  if (answer.printed.results.size() > 1) return result_names(answer, answer.question.axes);
  const bool has_ranges = answer.dialect == Dialect::kTriton && !answer.question.ranges.empty();
  const bool has_statements = has_ranges || !answer.printed.definitions.empty();
  if (!emit::is_program(answer.dialect) || !has_statements) return {};
  return result_names(answer, {"index"});
}

std::vector<std::string> result_lines(const IndexAnswer& answer) {
  if (answer.names.empty()) return answer.printed.results;
  const bool is_c = emit::is_c_like(answer.dialect);
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < answer.names.size(); ++i) {
    const std::string assignment =
        fmt::format("{} = {}", answer.names[i], answer.printed.results[i]);
    lines.push_back(is_c ? fmt::format("const {} {};", answer.printed.type, assignment)
                         : assignment);
  }
  return lines;
}

// Triton.

/// `r0 = tl.arange(0, BM)[:, None]` for every `:`.
Result<std::vector<std::string>> range_lines(const IndexExpression& question) {
  HEDDLE_TRY(const emit::Spelling spelling, emit::spelling_of(question.ranges, Dialect::kTriton));
  std::vector<std::string> lines;
  for (const auto& [name, text] : spelling) lines.push_back(fmt::format("{} = {}", name, text));
  return lines;
}

// Texts.

void append(std::vector<SimplificationStep>& steps, const std::vector<SimplificationStep>& more) {
  for (const SimplificationStep& step : more) {
    const bool is_known = std::ranges::any_of(steps, [&](const SimplificationStep& other) {
      return other.before == step.before && other.after == step.after;
    });
    if (!is_known) steps.push_back(step);
  }
}

/// What ranges and divisors make of the definition, link by link; nothing where that is not the
/// value.
std::optional<std::vector<SimplificationStep>> steps_of_definition(
    const IndexExpression& question) {
  if (!question.definition) return std::nullopt;
  std::vector<SimplificationStep> steps;
  Int index = question.definition->start;
  for (const Int& link : question.definition->links) {
    const auto explained = explain(link, {{question.definition->variable, index}});
    if (!explained) return std::nullopt;
    append(steps, explained->steps);
    index = explained->value;
  }
  if (index != question.values.front()) return std::nullopt;
  return steps;
}

/// What they make of the values over free coordinates.
std::vector<SimplificationStep> steps_of_values(const IndexExpression& question) {
  std::vector<SimplificationStep> steps;
  for (const Int& raw : question.raw_values) {
    if (const auto explained = explain(raw, question.known)) append(steps, explained->steps);
  }
  return steps;
}

/// First what ranges and divisors allow, then what makes the result cheaper.
std::vector<SimplificationStep> steps_of(const IndexAnswer& answer) {
  std::optional<std::vector<SimplificationStep>> steps = steps_of_definition(answer.question);
  if (!steps) steps = steps_of_values(answer.question);
  append(*steps, answer.simplified.steps);
  return *steps;
}

void print_steps(const Console& console, const std::vector<SimplificationStep>& steps) {
  for (const auto& [rule, before, after, proof] : steps) {
    console.print_text(fmt::format("  {}\n    {}  ->  {}\n    {}\n", rule, before, after, proof));
  }
}

void print_plainly(const Console& console, const IndexAnswer& answer, const IndexOptions& options) {
  if (options.explain) print_steps(console, steps_of(answer));
  if (!answer.printed.helpers.empty()) console.print_text(answer.printed.helpers + "\n");
  for (const std::string& line : answer.printed.definitions) console.print_text(line + "\n");
  for (const std::string& line : result_lines(answer)) console.print_text(line + "\n");
  if (options.count) console.print_text(count_text(answer.simplified.count) + "\n");
  if (answer.confirmation) {
    const auto& [verdict, time] = *answer.confirmation;
    console.print_text(fmt::format("check: {}, {} ms\n", verdict.to_string(), time.count()));
  }
}

void print_as_json(const Console& console, const IndexAnswer& answer, const IndexOptions& options) {
  nlohmann::ordered_json json;
  json["helpers"] = answer.printed.helpers;
  json["definitions"] = answer.printed.definitions;
  for (std::size_t i = 0; i < answer.printed.results.size(); ++i) {
    json["results"].push_back(
        {{"axis", answer.question.axes[i]}, {"expression", answer.printed.results[i]}});
    if (!answer.names.empty()) json["results"].back()["name"] = answer.names[i];
  }
  const OperationCount& count = answer.simplified.count;
  json["operations"] = count.operations;
  json["min_max"] = count.min_max;
  json["other"] = count.other;
  if (options.explain) {
    json["steps"] = nlohmann::ordered_json::array();
    for (const auto& [rule, before, after, proof] : steps_of(answer)) {
      json["steps"].push_back(
          {{"rule", rule}, {"before", before}, {"after", after}, {"proof", proof}});
    }
  }
  if (answer.confirmation) {
    json["check"] = nlohmann::ordered_json::parse(to_json(Value(answer.confirmation->verdict)));
    json["check"]["milliseconds"] = answer.confirmation->time.count();
  }
  console.print_line(nlohmann::ordered_json{{"ok", true}, {"result", json}}.dump());
}

Result<IndexAnswer> answer_of(const std::vector<std::string>& expressions,
                              const IndexOptions& options, const Environment& environment) {
  IndexAnswer answer;
  HEDDLE_TRY(answer.dialect, dialect_of(options.target.empty() ? "heddle" : options.target));
  SimplifyOptions wanted;
  wanted.explain = options.explain;
  HEDDLE_TRY(wanted.target, cost_model_of(options, answer.dialect));
  HEDDLE_TRY(const std::vector<std::int64_t> shape, shape_of(options));
  HEDDLE_TRY(answer.question,
             notation::index_expression(expressions, {.inverse = options.inverse, .shape = shape},
                                        environment));
  HEDDLE_TRY(answer.simplified, simplify(answer.question.values, {}, wanted));
  HEDDLE_TRY(answer.printed, emit::print(answer.simplified.kernel,
                                         {.dialect = answer.dialect, .narrow = options.narrow}));
  answer.names = names_of_results(answer);
  if (answer.dialect == Dialect::kTriton) {
    HEDDLE_TRY(std::vector<std::string> lines, range_lines(answer.question));
    std::vector<std::string>& definitions = answer.printed.definitions;
    definitions.insert(definitions.begin(), lines.begin(), lines.end());
  }
  if (options.check) {
    answer.confirmation =
        confirm(answer.question, answer.simplified.kernel, environment.context().decide.limits);
  }
  return answer;
}

}  // namespace

ExitCode print_index(const Console& console, const std::vector<std::string>& expressions,
                     const IndexOptions& options, const Environment& environment) {
  if (expressions.empty()) {
    return console.fail(Diagnostic("usage.expression", "index needs a layout")
                            .with_hint("heddle index '(4,8):(8,1)' i j"));
  }
  const auto answer = answer_of(expressions, options, environment);
  // A place is one in an expression; of several nobody knows in which.
  if (!answer) {
    return console.fail(answer.error(), {expressions.size() == 1 ? expressions.front() : "", ""});
  }
  if (console.json()) {
    print_as_json(console, *answer, options);
  } else {
    print_plainly(console, *answer, options);
  }
  return answer->confirmation ? exit_code(answer->confirmation->verdict) : ExitCode::kDone;
}

}  // namespace heddle::app
