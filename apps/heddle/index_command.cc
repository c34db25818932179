// heddle index: a layout at symbolic coordinates, as the expression that computes its index.

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "heddle/commands.h"
#include "heddle/expr/index_variable.h"
#include "heddle/expr/print.h"
#include "heddle/expr/simplify.h"
#include "heddle/expr/solver.h"
#include "heddle/notation/index_map.h"
#include "heddle/notation/lexer.h"
#include "heddle/numbers_option.h"

namespace heddle::app {
namespace {

using notation::Environment;
using notation::Value;

/// One coordinate as the command line has it: a name, `:`, or an expression.
struct IndexCoordinate {
  std::string text;
  /// The variable's name, where it is one.
  std::string name;
};

/// What is asked: values to compute, over variables.
struct IndexQuestion {
  /// What each value is the coordinate on.
  std::vector<std::string> axes;
  std::vector<Int> values;
  /// The same over coordinates of which nothing is known, and what is assumed of these; empty where
  /// that has no value.
  std::vector<Int> raw_values;
  std::vector<Condition> given;
  /// What the coordinates are.
  Bindings known;
};

bool is_identifier(std::string_view text) {
  const auto is_letter = [](char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  return !text.empty() && is_letter(text[0]) && std::ranges::all_of(text, [&](char c) {
    return is_letter(c) || std::isdigit(static_cast<unsigned char>(c)) != 0;
  });
}

// Options.

Result<Language> language_of(const std::string& text) {
  for (const Language language :
       {Language::kHeddle, Language::kC, Language::kPython, Language::kLatex}) {
    if (text == name_of(language)) return language;
  }
  return refuse("usage.option", fmt::format("--target is {}; heddle, c, python or latex is needed",
                                            notation::quote(text)));
}

/// What is cheap: for reading fewest operations, for a program fewest cycles.
Result<Target> cost_model_of(const IndexOptions& options, Language language) {
  const bool is_code = language == Language::kC || language == Language::kPython;
  const std::string name = options.cost.empty() ? (is_code ? "gpu" : "operations") : options.cost;
  if (name == "operations") return Target::operations();
  if (name == "gpu") return Target::gpu();
  if (name == "cpu") return Target::cpu();
  return refuse("usage.option", fmt::format("--cost is {}; operations, gpu or cpu is needed",
                                            notation::quote(options.cost)));
}

// Coordinates.

/// The names that coordinates have where none are given: those of a linear layout's dimensions,
/// otherwise i, or i0, i1, ….
std::vector<std::string> usual_names(const Value& layout, std::size_t count) {
  std::vector<std::string> names;
  if (const auto* linear = layout.get_if<linear::LinearLayout>()) {
    for (const linear::Dimension& dimension : linear->in_dims()) names.push_back(dimension.name);
  } else {
    for (std::size_t i = 0; i < count; ++i) names.push_back("i" + std::to_string(i));
    if (count == 1) names.front() = "i";
  }
  return names;
}

std::vector<IndexCoordinate> coordinates_of(const std::vector<std::string>& texts) {
  std::vector<IndexCoordinate> coordinates;
  int ranges = 0;
  for (const std::string& text : texts) {
    const std::string name = text == ":" ? "r" + std::to_string(ranges++) : text;
    coordinates.push_back({text, is_identifier(name) ? name : ""});
  }
  return coordinates;
}

/// The value of a coordinate that is no name.
Result<Int> evaluated_coordinate(const std::string& text, const Environment& environment) {
  HEDDLE_TRY(const Value value, notation::evaluate(text, environment));
  if (value.is_integer()) return value.get<IntTuple>().leaf();
  return refuse(Diagnostic("call.type", fmt::format("the coordinate {} is {}; a number is needed",
                                                    notation::quote(text), kind_name(value))));
}

/// The coordinates as numbers: names stand for variables in [0, extent) unless something is bound
/// to them or assumed of them; with `bare`, for variables of which nothing is known.
class CoordinateReader {
 public:
  CoordinateReader(const Environment& environment, bool bare)
      : environment_(environment), bare_(bare) {}

  Result<std::vector<Int>> read(std::span<const IndexCoordinate> coordinates,
                                std::span<const Int> extents) {
    std::vector<Int> values;
    for (std::size_t i = 0; i < coordinates.size(); ++i) {
      if (!coordinates[i].name.empty()) define(coordinates[i].name, extents[i]);
    }
    for (const IndexCoordinate& coordinate : coordinates) {
      const std::string& text = coordinate.name.empty() ? coordinate.text : coordinate.name;
      HEDDLE_TRY(Int value, evaluated_coordinate(text, environment_));
      values.push_back(std::move(value));
    }
    return values;
  }

  /// What is known of the variables.
  [[nodiscard]] const std::vector<Condition>& given() const { return given_; }
  [[nodiscard]] const Bindings& variables() const { return variables_; }

 private:
  void define(const std::string& name, const Int& extent) {
    const bool is_known =
        environment_.find(name) != nullptr || environment_.assumptions().variables().contains(name);
    if (is_known) return;
    const Int bare = Int::variable(name);
    given_.push_back({0, Relation::kAtMost, bare});
    given_.push_back({bare, Relation::kLess, extent});
    variables_[name] = bare_ ? bare : index_variable(name, extent);
    environment_.bind(name, Value(variables_[name]));
  }

  Environment environment_;
  bool bare_;
  std::vector<Condition> given_;
  Bindings variables_;
};

// Layouts.

/// A function from coordinates to coordinates on named axes, as the command evaluates it.
struct Evaluated {
  std::vector<Int> extents;
  std::vector<std::string> axes;
  std::function<Result<std::vector<Int>>(std::span<const Int>)> at;
};

/// Of a layout, from its coordinates (or one flat coordinate, or a point of `shape`) to its
/// indices.
Result<Evaluated> forward(const Value& layout, std::size_t coordinates,
                          const std::vector<std::int64_t>& shape) {
  HEDDLE_TRY(form::IndexMap map, notation::index_map_of(layout));
  if (!shape.empty()) {
    const auto* axe = layout.get_if<axe::Layout>();
    if (axe == nullptr) return refuse("usage.option", "--shape goes with an Axe layout");
    HEDDLE_TRY(map, axe::index_map(*axe, std::vector<Int>(shape.begin(), shape.end())));
  }
  Evaluated made;
  made.extents.assign(map.extents().begin(), map.extents().end());
  for (const Axis& axis : map.axes()) made.axes.push_back(axis.name());
  const bool is_flat = coordinates == 1 && made.extents.size() != 1;
  if (is_flat) made.extents = {map.size()};
  made.at = [map, is_flat](std::span<const Int> indices) -> Result<std::vector<Int>> {
    return is_flat ? map.at(indices.front()) : map(indices);
  };
  return made;
}

/// Of a LEGO layout, from a position to the coordinates that lead to it.
Result<Evaluated> backward(const Value& layout) {
  const auto* lego = layout.get_if<lego::Layout>();
  if (lego == nullptr) {
    return refuse(Diagnostic("usage.option", "--inverse goes with a LEGO layout")
                      .with_hint("other layouts have the operations left_inverse, right_inverse "
                                 "and invert"));
  }
  Evaluated made;
  made.extents = {lego->physical_size()};
  made.axes = usual_names(layout, lego->dims().size());
  made.at = [lego = *lego](std::span<const Int> position) { return lego.inv(position.front()); };
  return made;
}

Result<void> check_count(const Evaluated& layout, std::size_t count) {
  if (layout.extents.size() == count) return {};
  return refuse(
      Diagnostic("usage.expression", fmt::format("the layout takes {} coordinates, not {}",
                                                 layout.extents.size(), count))
          .with_hint("or one flat coordinate, or none for names of their own"));
}

Result<void> check_values(const std::vector<Int>& values) {
  for (const Int& value : values) HEDDLE_CHECK(check_defined(value, "the index"));
  return {};
}

Result<IndexQuestion> question_of(const std::vector<std::string>& expressions,
                                  const IndexOptions& options, const Environment& environment) {
  HEDDLE_TRY(const Value layout, notation::evaluate(expressions.front(), environment));
  std::vector<std::int64_t> shape;
  if (!options.shape.empty()) {
    constexpr NumbersOption kShape = {"--shape", 1, 64, "a shape is needed, as 8,16"};
    HEDDLE_TRY(shape, numbers_of(kShape, options.shape));
  }
  std::vector<std::string> texts(expressions.begin() + 1, expressions.end());
  Evaluated function;
  if (options.inverse) {
    HEDDLE_TRY(function, backward(layout));
  } else {
    HEDDLE_TRY(function, forward(layout, texts.size(), shape));
  }
  if (texts.empty()) texts = usual_names(layout, function.extents.size());
  if (texts.size() == 1 && options.inverse && expressions.size() == 1) texts = {"p"};
  HEDDLE_CHECK(check_count(function, texts.size()));

  const std::vector<IndexCoordinate> coordinates = coordinates_of(texts);
  IndexQuestion question;
  question.axes = function.axes;
  CoordinateReader reader(environment, false);
  HEDDLE_TRY(const std::vector<Int> point, reader.read(coordinates, function.extents));
  question.known = reader.variables();
  HEDDLE_TRY(question.values, function.at(point));
  HEDDLE_CHECK(check_values(question.values));
  CoordinateReader bare(environment, true);
  HEDDLE_TRY(const std::vector<Int> bare_point, bare.read(coordinates, function.extents));
  if (const auto raw = function.at(bare_point); raw && check_values(*raw)) {
    question.raw_values = *raw;
    question.given = bare.given();
  }
  return question;
}

// Answers.

/// Whether Z3 confirms the kernel, and how long that took.
struct Confirmation {
  Verdict verdict = Verdict::unknown("");
  std::chrono::milliseconds time{0};
};

Confirmation confirm(const IndexQuestion& question, const Kernel& kernel) {
  constexpr std::chrono::milliseconds kTimeLimit(5000);
  const Solver solver({.time_limit = kTimeLimit});
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
  IndexQuestion question;
  Simplified simplified;
  PrintedKernel printed;
  Language language = Language::kHeddle;
  std::optional<Confirmation> confirmation;
};

/// `axis = expression` where there are several axes.
std::vector<std::string> result_lines(const IndexAnswer& answer) {
  const std::vector<std::string>& results = answer.printed.results;
  if (results.size() == 1) return results;
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < results.size(); ++i) {
    lines.push_back(answer.question.axes[i] + " = " + results[i]);
  }
  return lines;
}

/// First what ranges and divisors allow, then what makes the result cheaper.
std::vector<Step> steps_of(const IndexAnswer& answer) {
  std::vector<Step> steps;
  for (const Int& raw : answer.question.raw_values) {
    if (const auto explained = explain(raw, answer.question.known)) {
      steps.insert(steps.end(), explained->steps.begin(), explained->steps.end());
    }
  }
  const std::vector<Step>& cheaper = answer.simplified.steps;
  steps.insert(steps.end(), cheaper.begin(), cheaper.end());
  return steps;
}

void print_steps(const Console& console, const std::vector<Step>& steps) {
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
  const std::string target = options.target.empty() ? "heddle" : options.target;
  HEDDLE_TRY(answer.language, language_of(target));
  SimplifyOptions wanted;
  wanted.explain = options.explain;
  HEDDLE_TRY(wanted.target, cost_model_of(options, answer.language));
  HEDDLE_TRY(answer.question, question_of(expressions, options, environment));
  HEDDLE_TRY(answer.simplified, simplify(answer.question.values, {}, wanted));
  const PrintOptions print_options{.language = answer.language, .narrow = options.narrow};
  HEDDLE_TRY(answer.printed, print(answer.simplified.kernel, print_options));
  if (options.check) answer.confirmation = confirm(answer.question, answer.simplified.kernel);
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
