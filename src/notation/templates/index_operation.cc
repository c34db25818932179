// The operation `index`: a layout at symbolic coordinates, as the expressions of a program.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "heddle/emit/print.h"
#include "heddle/emit/slice.h"
#include "heddle/expr/simplify.h"
#include "heddle/expr/solver.h"
#include "heddle/notation/evaluator.h"
#include "heddle/notation/index_expression.h"
#include "heddle/notation/layout_report.h"
#include "heddle/notation/lexer.h"
#include "notation/operations/binding.h"
#include "notation/value/data.h"

namespace heddle::notation {
namespace {

using emit::Dialect;
using emit::PrintedKernel;

/// The arguments of a call besides the layout and its coordinates.
struct IndexOptions {
  std::optional<std::string> target;
  /// The cost to minimize; by default the one that suits the target.
  std::optional<std::string> cost;
  std::optional<linear::Sizes> shape;
  bool inverse = false;
  bool explain = false;
  bool count = false;
  bool check = false;
  bool narrow = false;
};

Result<Dialect> dialect_of(const std::string& text) {
  if (const auto dialect = emit::find_dialect(text)) return *dialect;
  return refuse("usage.option", fmt::format("target is {}; one of {} is needed", quote(text),
                                            emit::names_of(emit::dialects())));
}

Result<Target> cost_model_of(const IndexOptions& options, Dialect dialect) {
  if (!options.cost) return emit::usual_target(dialect);
  if (const auto target = Target::named(*options.cost)) return *target;
  return refuse("usage.option",
                fmt::format("cost is {}; operations, gpu or cpu is needed", quote(*options.cost)));
}

// Answers.

/// Whether Z3 confirms the kernel.
Verdict confirm(const IndexExpression& question, const Kernel& kernel, const map::Limits& limits) {
  const Solver solver(
      {.steps = limits.solver_steps(), .stop = limits.stop, .end = limits.begun().end});
  const bool has_raw = !question.raw_values.empty();
  return solver.prove_computes(kernel, has_raw ? question.raw_values : question.values, {},
                               question.given);
}

struct IndexAnswer {
  IndexExpression question;
  Simplified simplified;
  PrintedKernel printed;
  /// The variable that each result is assigned to; empty if the only result is a plain expression.
  std::vector<std::string> names;
  Dialect dialect = Dialect::kHeddle;
  /// How names of the layout itself are written that mean something else in the language.
  emit::Spelling spelling;
  std::optional<Verdict> confirmation;
};

// Names of results.

/// Whether a name is a valid name in the language.
bool is_name_in(const std::string& name, Dialect dialect) {
  return emit::is_identifier(name) && !emit::is_reserved(name, dialect);
}

/// Each name that means something else in the language, `register` in C, with underscores added.
emit::Spelling without_reserved(const std::set<std::string>& names, Dialect dialect) {
  emit::Spelling spelling;
  for (const std::string& name : names) {
    if (!emit::is_reserved(name, dialect)) continue;
    std::string text = name;
    while (emit::is_reserved(text, dialect) || names.contains(text)) text += '_';
    spelling.emplace(name, std::move(text));
  }
  return spelling;
}

/// The names of the axes, or others if the results are computed from those names: assigning a
/// result must not change what the next one reads.
std::vector<std::string> result_names(const IndexAnswer& answer, std::vector<std::string> names) {
  const auto are_free = [&] {
    std::set<std::string> taken = answer.question.names;
    for (const Definition& definition : answer.simplified.kernel.definitions) {
      taken.insert(definition.name);
    }
    for (const auto& [name, text] : answer.spelling) taken.insert(text);
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

/// A single result has no name, so that its expression can be pasted into another; in a program
/// only if no statements have to precede it.
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

Result<IndexAnswer> answer_of(const Value& layout, const std::vector<std::string>& coordinates,
                              const IndexOptions& options, const Environment& environment) {
  IndexAnswer answer;
  HEDDLE_TRY(answer.dialect, dialect_of(options.target.value_or("heddle")));
  SimplifyOptions wanted;
  wanted.explain = options.explain;
  HEDDLE_TRY(wanted.target, cost_model_of(options, answer.dialect));
  const IndexExpressionOptions asked = {.inverse = options.inverse,
                                        .shape = options.shape.value_or(linear::Sizes())};
  HEDDLE_TRY(answer.question, index_expression(layout, coordinates, asked, environment));
  HEDDLE_TRY(answer.simplified, simplify(answer.question.values, {}, wanted));
  // Names that the caller chose are kept or refused.
  if (coordinates.empty()) {
    answer.spelling = without_reserved(answer.question.names, answer.dialect);
  }
  HEDDLE_TRY(answer.printed, emit::print(answer.simplified.kernel, {.dialect = answer.dialect,
                                                                    .narrow = options.narrow,
                                                                    .spelling = answer.spelling}));
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

// Steps.

void append(std::vector<SimplificationStep>& steps, const std::vector<SimplificationStep>& more) {
  for (const SimplificationStep& step : more) {
    const bool is_known = std::ranges::any_of(steps, [&](const SimplificationStep& other) {
      return other.before == step.before && other.after == step.after;
    });
    if (!is_known) steps.push_back(step);
  }
}

/// The simplification of the definition by ranges and divisors, link by link; nullopt if that does
/// not give the value.
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

/// The simplification of the values over free coordinates.
std::vector<SimplificationStep> steps_of_values(const IndexExpression& question) {
  std::vector<SimplificationStep> steps;
  for (const Int& raw : question.raw_values) {
    if (const auto explained = explain(raw, question.known)) append(steps, explained->steps);
  }
  return steps;
}

/// First the steps by ranges and divisors, then those that make the result cheaper.
std::vector<SimplificationStep> steps_of(const IndexAnswer& answer) {
  std::optional<std::vector<SimplificationStep>> steps = steps_of_definition(answer.question);
  if (!steps) steps = steps_of_values(answer.question);
  append(*steps, answer.simplified.steps);
  return *steps;
}

// Reports.

std::string count_text(const OperationCount& count) {
  std::string text =
      fmt::format("{} operation{}", count.operations, count.operations == 1 ? "" : "s");
  if (count.min_max > 0) text += fmt::format(", {} min/max", count.min_max);
  if (count.other > 0) text += fmt::format(", {} other", count.other);
  return text;
}

/// `// numbers go from 0 to 4294967295: variables of 64 bits are needed`, where the sizes are known
/// and 32 bits are too few for them.
std::optional<std::string> width_text(const IndexAnswer& answer) {
  const bool has_widths = emit::is_c_like(answer.dialect) || answer.dialect == Dialect::kTriton;
  const Range numbers = emit::range_on_the_way(answer.simplified.kernel);
  if (!has_widths || !numbers.is_bounded() || emit::fits_32_bits(numbers)) return std::nullopt;
  return fmt::format("{} numbers go from {} to {}: variables of 64 bits are needed",
                     emit::comment_sign(answer.dialect), numbers.low, numbers.high);
}

std::string text_of(const IndexAnswer& answer, const IndexOptions& options) {
  std::vector<std::string> lines;
  if (options.explain) {
    for (const auto& [rule, before, after, proof] : steps_of(answer)) {
      lines.push_back(fmt::format("  {}\n    {}  ->  {}\n    {}", rule, before, after, proof));
    }
  }
  const std::string_view comment = emit::is_c_like(answer.dialect) ? "//" : "#";
  for (const auto& [name, text] : answer.spelling) {
    lines.push_back(fmt::format("{} {} is the layout's {}", comment, text, name));
  }
  if (auto width = width_text(answer)) lines.push_back(*std::move(width));
  if (!answer.printed.helpers.empty()) lines.push_back(answer.printed.helpers);
  std::ranges::copy(answer.printed.definitions, std::back_inserter(lines));
  std::ranges::copy(result_lines(answer), std::back_inserter(lines));
  if (options.count) lines.push_back(count_text(answer.simplified.count));
  if (answer.confirmation) {
    lines.push_back(fmt::format("check: {}", answer.confirmation->to_string()));
  }
  return fmt::format("{}", fmt::join(lines, "\n"));
}

Datum datum_of(const std::vector<SimplificationStep>& steps) {
  Datum::List list;
  for (const auto& [rule, before, after, proof] : steps) {
    list.emplace_back(
        Datum::Fields{{"rule", rule}, {"before", before}, {"after", after}, {"proof", proof}});
  }
  return list;
}

Datum datum_of(const IndexAnswer& answer, const IndexOptions& options) {
  Datum::List results;
  for (std::size_t i = 0; i < answer.printed.results.size(); ++i) {
    Datum::Fields result = {{"axis", answer.question.axes[i]},
                            {"expression", answer.printed.results[i]}};
    if (!answer.names.empty()) result.emplace_back("name", answer.names[i]);
    results.emplace_back(std::move(result));
  }
  const OperationCount& count = answer.simplified.count;
  Datum::Fields data = {
      {"helpers", answer.printed.helpers}, {"definitions", list_of(answer.printed.definitions)},
      {"results", std::move(results)},     {"operations", count.operations},
      {"min_max", count.min_max},          {"other", count.other}};
  if (!answer.spelling.empty()) {
    Datum::Fields written;
    for (const auto& [name, text] : answer.spelling) written.emplace_back(name, text);
    data.emplace_back("written", std::move(written));
  }
  if (options.explain) data.emplace_back("steps", datum_of(steps_of(answer)));
  if (answer.confirmation) {
    data.emplace_back("check", to_datum(*answer.confirmation));
  }
  return data;
}

Result<Report> index_report(const CallContext& context, const Value& layout,
                            const std::vector<std::string>& coordinates,
                            const IndexOptions& options) {
  HEDDLE_TRY(const Environment environment, environment_of(context));
  HEDDLE_TRY(const IndexAnswer answer, answer_of(layout, coordinates, options, environment));
  Report report{text_of(answer, options), datum_of(answer, options)};
  if (answer.confirmation) report.outcome = outcome_of(*answer.confirmation);
  return report;
}

}  // namespace

void add_index_operations(std::vector<Operation>& table) {
  const Rows add = {table, "index expressions"};
  add({.call = "index(layout, coordinates, target=heddle, cost, shape, inverse=false, "
               "explain=false, count=false, check=false, narrow=false)",
       .summary = "The cheapest expression that is found for the index of a layout at coordinates, "
                  "which are texts: names, expressions, ':'; without them a text may be a slice, "
                  "'L[i,:]'. In 'heddle', 'c', 'cpp', 'cuda', 'hip', 'opencl', 'triton', 'python' "
                  "or 'latex'; `cost` is what is to be small: 'operations', 'gpu' or 'cpu'. "
                  "`inverse` leads from a position of a LEGO layout to its coordinates; `shape` is "
                  "of an Axe layout; `explain` and `count` say why and how many operations, and by "
                  "`check` Z3 confirms it; `narrow` gives C 32 bits where that is enough.",
       .example = {"index((4,8):(8,1), ['i', 'j'])", "8*i+j"}},
      [](const CallContext& context, const QuotedOrValue& layout,
         const std::optional<linear::Names>& coordinates, const std::optional<std::string>& target,
         const std::optional<std::string>& cost, const std::optional<linear::Sizes>& shape,
         const std::optional<bool>& inverse, const std::optional<bool>& explain,
         const std::optional<bool>& count, const std::optional<bool>& check,
         const std::optional<bool>& narrow) {
        return index_report(context, layout.value, coordinates.value_or(linear::Names()),
                            {target, cost, shape, inverse.value_or(false), explain.value_or(false),
                             count.value_or(false), check.value_or(false), narrow.value_or(false)});
      });
}

}  // namespace heddle::notation
