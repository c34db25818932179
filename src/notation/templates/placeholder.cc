#include "notation/placeholder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "heddle/emit/guard.h"
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

using emit::Dialect;

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

namespace {

/// In the text of a program, of a coordinate that stands wherever the index has it.
constexpr std::size_t kLongestCoordinate = 4096;

/// A coordinate may be negative, for all that is known, where several modes share it.
bool lacks_a_sign(const Diagnostic& why) { return why.code() == "overflow"; }

/// A range, or a name of the program, of which is known that it lies in its dimension.
bool is_plain(const std::string& coordinate, const Environment& environment) {
  if (coordinate == ":") return true;
  return emit::is_identifier(coordinate) && environment.find(coordinate) == nullptr;
}

bool is_a_relation(const Access& access, const Environment& environment) {
  const Result<Value> layout = evaluate(access.layout, environment);
  return layout && layout->is<map::IntegerRelation>();
}

bool is_subscript(const Expression& expression) {
  return std::holds_alternative<Subscript>(expression.node) ||
         std::holds_alternative<Application>(expression.node);
}

/// `L[i, j]` or `L[i, j].axis`, which only an access can be.
bool is_index(const Expression& expression) {
  if (std::holds_alternative<Subscript>(expression.node)) return true;
  return std::holds_alternative<Member>(expression.node) && is_index(expression.parts.front());
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
  // Lists have elements: xs[0] is one of them.
  if (value->is_integer() || value->is<cute::Tiler>()) return std::nullopt;
  if (access.is_guard && !access.axis.empty()) return std::nullopt;
  access.layout = text_at(text, layout->span);
  for (std::size_t i = 1; i < subscript->parts.size(); ++i) {
    access.coordinates.emplace_back(text_at(text, subscript->parts[i].span));
    if (access.coordinates.back() == "_") access.coordinates.back() = ":";
  }
  return access;
}

bool has_ranges(const Access& access) {
  return std::ranges::find(access.coordinates, ":") != access.coordinates.end();
}

IndexQuestionOptions access_options(const Access& access) {
  IndexQuestionOptions options;
  options.is_access = true;
  options.is_guard = access.is_guard;
  return options;
}

/// The value of one axis.
Result<Int> value_on_axis(const IndexQuestion& question, const std::string& axis) {
  if (question.axes.empty()) return refuse("template.value", "the layout leads to no place");
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

/// The value of an access, a slice where it has ranges.
Result<Value> value_at(const Access& access, const Environment& environment) {
  HEDDLE_TRY(const IndexQuestion question,
             question_of(access.parts(), access_options(access), environment));
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

/// The value, unless it is a truth that depends on the program.
Result<Value> closed(const Expression& expression, std::string_view text,
                     const Environment& environment) {
  HEDDLE_TRY(Value value, evaluate(expression, environment));
  if (!is_open_comparison(expression, value, environment)) return value;
  return refuse(
      Diagnostic("template.value", fmt::format("whether {} depends on the program",
                                               on_one_line(text_at(text, expression.span))))
          .with_span(expression.span)
          .with_hint("a comparison of integers stands in a placeholder of its own"));
}

}  // namespace

Result<std::string> Placeholders::helpers_of(const Kernel& kernel) const {
  emit::PrintOptions options;
  options.dialect = dialect_;
  options.in_program = true;
  options.spelling = with_stand_ins({});
  HEDDLE_TRY(emit::PrintedKernel printed, emit::print(kernel, options));
  return std::move(printed.helpers);
}

Result<Value> Placeholders::evaluated(const Expression& expression, std::string_view text,
                                      const Environment& environment) {
  return evaluated(expression, text, environment, {});
}

Result<Value> Placeholders::evaluated(const Expression& expression, std::string_view text,
                                      const Environment& environment,
                                      const emit::Spelling& spelling) {
  const std::optional<Access> access = access_in(expression, text, environment);
  if (!access || access->is_guard) {
    if (!has_subscript(expression)) return closed(expression, text, environment);
    Environment with_indices = environment;
    HEDDLE_TRY(const Expression plain, without_accesses(expression, text, with_indices, spelling));
    return closed(plain, text, with_indices);
  }
  Result<Value> value = accessed(*access, environment, spelling);
  if (!value) return refuse(Diagnostic(value.error()).with_span(expression.span));
  return value;
}

Result<emit::InlineText> Placeholders::printed(const Expression& expression, std::string_view text,
                                               const Environment& environment,
                                               const emit::Spelling& spelling) {
  HEDDLE_TRY(const std::optional<Condition> condition,
             condition_in(expression, text, environment, spelling));
  const std::optional<Access> access = access_in(expression, text, environment);
  if (!condition && access && access->is_guard) return guard_text(*access, environment, spelling);
  HEDDLE_TRY(const Value value,
             condition ? Value(true) : evaluated(expression, text, environment, spelling));
  const emit::Spelling words = with_stand_ins(spelling);
  HEDDLE_TRY(emit::InlineText made,
             condition ? emit::inline_text(emit::Guard{{*condition}, {}}, dialect_, words)
                       : value_text(value, dialect_, words));
  return with_their_kernels(std::move(made));
}

/// `2 * L[i, j]`: indices within an expression become names, which are bound to their values.
Result<Expression> Placeholders::without_accesses(const Expression& expression,
                                                  std::string_view text, Environment& environment,
                                                  const emit::Spelling& spelling) {
  // Of a function, the coordinates may be what it is called with.
  if (std::holds_alternative<FunctionLiteral>(expression.node)) return expression;
  Expression plain = expression;
  plain.parts.clear();
  for (const Expression& part : expression.parts) {
    const auto access =
        is_index(part) ? access_in(part, text, environment) : std::optional<Access>();
    if (!access || access->is_guard || has_ranges(*access)) {
      HEDDLE_TRY(plain.parts.emplace_back(), without_accesses(part, text, environment, spelling));
      continue;
    }
    Result<Value> value = accessed(*access, environment, spelling);
    if (!value) return refuse(std::move(value).error().with_span(part.span));
    // No name that anybody can give: its place in the text.
    const std::string name = fmt::format("?{}", part.span.begin);
    environment.bind(name, *std::move(value));
    plain.parts.push_back({Reference{environment.values().find(name)->first}, {}, part.span});
  }
  return plain;
}

/// A comparison of integers, which is asked of the program.
Result<std::optional<Condition>> Placeholders::condition_in(const Expression& expression,
                                                            std::string_view text,
                                                            const Environment& environment,
                                                            const emit::Spelling& spelling) {
  const auto* comparison = std::get_if<Comparison>(&expression.node);
  if (comparison == nullptr) return std::nullopt;
  HEDDLE_TRY(const Value left, evaluated(expression.parts[0], text, environment, spelling));
  HEDDLE_TRY(const Value right, evaluated(expression.parts[1], text, environment, spelling));
  if (!left.is_integer() || !right.is_integer()) return std::nullopt;
  return condition_of(comparison->comparator, left.get<IntTuple>().leaf(),
                      right.get<IntTuple>().leaf());
}

/// Whether the coordinates are a point.
Result<emit::InlineText> Placeholders::guard_text(const Access& written, const Environment& around,
                                                  const emit::Spelling& spelling) {
  Environment environment = around;
  HEDDLE_TRY(const Access access, without_inner(written, environment, spelling));
  HEDDLE_TRY(const Value value, evaluate(access.layout, environment));
  HEDDLE_TRY(const map::AnyLayout layout, hub_layout(value, environment.context()));
  Result<IndexQuestion> question = question_of(access.parts(), access_options(access), environment);
  if (!question && lacks_a_sign(question.error())) {
    HEDDLE_TRY(const Access named, with_stand_ins(access, environment, spelling));
    question = question_of(named.parts(), access_options(named), environment);
  }
  if (!question) return refuse(std::move(question).error());
  HEDDLE_TRY(const emit::Guard guard,
             emit::guard_of(layout, question->guarded_point, question->point,
                            environment.context().decide.limits));
  HEDDLE_TRY(emit::Spelling words, emit::spelling_of(question->ranges, dialect_));
  words.merge(with_stand_ins(spelling));
  HEDDLE_TRY(emit::InlineText made, emit::inline_text(guard, dialect_, words));
  return with_their_kernels(std::move(made));
}

/// `L[M[i], j]`: indices within coordinates become names, which are bound to their values.
Result<Access> Placeholders::without_inner(const Access& access, Environment& environment,
                                           const emit::Spelling& spelling) {
  Access plain = access;
  for (std::string& coordinate : plain.coordinates) {
    if (coordinate.find('[') == std::string::npos) continue;
    HEDDLE_TRY(const Expression expression, parse_expression(coordinate));
    HEDDLE_TRY(coordinate, without_inner(expression, coordinate, environment, spelling));
  }
  return plain;
}

Result<std::string> Placeholders::without_inner(const Expression& expression, std::string_view text,
                                                Environment& environment,
                                                const emit::Spelling& spelling) {
  const auto access =
      is_index(expression) ? access_in(expression, text, environment) : std::optional<Access>();
  if (access && !access->is_guard) {
    HEDDLE_TRY(Value value, accessed(*access, environment, spelling));
    // Names of programs do not begin so.
    std::string name = fmt::format("heddle_i{}", environment.values().size());
    environment.bind(name, std::move(value));
    return name;
  }
  std::string plain;
  std::size_t end = expression.span.begin;
  for (const Expression& part : expression.parts) {
    HEDDLE_TRY(const std::string inner, without_inner(part, text, environment, spelling));
    plain += std::string(text.substr(end, part.span.begin - end)) + inner;
    end = part.span.end;
  }
  return plain + std::string(text.substr(end, expression.span.end - end));
}

// Coordinates under names of their own: the access says that they lie in their dimension, which
// nothing else may say of `i - m`.

Result<Value> Placeholders::accessed(const Access& written, const Environment& around,
                                     const emit::Spelling& spelling) {
  Environment environment = around;
  HEDDLE_TRY(const Access access, without_inner(written, environment, spelling));
  const auto is_given = [&](const std::string& coordinate) {
    return is_plain(coordinate, environment);
  };
  if (std::ranges::all_of(access.coordinates, is_given)) return value_at(access, environment);
  // What a relation chooses by would be asked of the whole coordinate, again and again.
  if (is_a_relation(access, environment)) {
    HEDDLE_TRY(const Access named, with_stand_ins(access, environment, spelling));
    return value_at(named, environment);
  }
  Result<Value> value = value_at(access, environment);
  const bool is_wanting = value ? calls_functions(*value) : lacks_a_sign(value.error());
  if (!is_wanting) return value;
  HEDDLE_TRY(const Access named, with_stand_ins(access, environment, spelling));
  Result<Value> better = value_at(named, environment);
  const bool is_better = better && !(value && calls_functions(*better));
  return is_better ? better : value;
}

/// Quotients of what may be negative are functions in languages that cut off towards zero.
bool Placeholders::calls_functions(const Value& value) const {
  if (!value.is_integer()) return false;
  const auto made = emit::inline_text(value.get<IntTuple>().leaf(), dialect_, with_stand_ins({}));
  if (!made) return false;
  const auto helpers = helpers_of(made->kernel);
  return helpers && !helpers->empty();
}

Result<Access> Placeholders::with_stand_ins(const Access& access, const Environment& environment,
                                            const emit::Spelling& spelling) {
  Access named = access;
  for (std::string& coordinate : named.coordinates) {
    if (is_plain(coordinate, environment)) continue;
    HEDDLE_TRY(coordinate, stand_in(coordinate, environment, spelling));
  }
  return named;
}

/// The name that the coordinate has; a number stays one.
Result<std::string> Placeholders::stand_in(const std::string& coordinate,
                                           const Environment& environment,
                                           const emit::Spelling& spelling) {
  HEDDLE_TRY(const Int value, coordinate_value(coordinate, environment));
  if (value.is_constant()) return coordinate;
  HEDDLE_TRY(emit::InlineText made, emit::inline_text(value, dialect_, with_stand_ins(spelling)));
  if (made.text.size() > kLongestCoordinate) {
    return refuse(Diagnostic("template.long_expression",
                             fmt::format("the coordinate has more than {} characters in {}",
                                         kLongestCoordinate, emit::title_of(dialect_)))
                      .with_hint("give it a name in the program first"));
  }
  made.text = fmt::format("({})", made.text);
  for (const auto& [name, known] : stand_ins_) {
    if (known.text == made.text) return name;
  }
  std::string name = fmt::format("heddle_c{}", stand_ins_.size());
  while (environment.find(name) != nullptr) name += '_';
  stand_ins_.push_back({name, std::move(made)});
  return name;
}

emit::Spelling Placeholders::with_stand_ins(emit::Spelling spelling) const {
  for (const auto& [name, coordinate] : stand_ins_) spelling.emplace(name, coordinate.text);
  return spelling;
}

/// The text has the coordinates spelled out: it calls what they call.
emit::InlineText Placeholders::with_their_kernels(emit::InlineText made) const {
  for (const auto& [name, coordinate] : stand_ins_) {
    if (made.text.find(coordinate.text) == std::string::npos) continue;
    made.kernel.results.insert(made.kernel.results.end(), coordinate.kernel.results.begin(),
                               coordinate.kernel.results.end());
  }
  return made;
}

}  // namespace heddle::notation
