#include "heddle/notation/assume.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "heddle/notation/evaluator.h"
#include "notation/evaluate/evaluation.h"
#include "notation/language/comparators.h"
#include "notation/language/free_names.h"
#include "notation/language/parser.h"

namespace heddle::notation {
namespace {

/// The value of a side, with its names as plain variables.
Result<Int> side(const Expression& expression, std::string_view text) {
  Environment environment;
  for (const std::string_view name : names_in(expression)) {
    const bool is_truth = name == "True" || name == "False";
    if (!is_truth && find_operation(name) == nullptr) {
      environment.bind(std::string(name), Value(Int::variable(name)));
    }
  }
  HEDDLE_TRY(const Value value, Evaluator(environment, {}, {}).with_any_divisors().run(expression));
  HEDDLE_TRY(const std::optional<Value> number, convert<Int>(value));
  if (number) return number->get<IntTuple>().leaf();
  const std::string shown =
      text.empty() ? "a side of a constraint" : quote(text_at(text, expression.span));
  return refuse(Diagnostic("assume.syntax", fmt::format("{} is not a number", shown))
                    .with_span(expression.span)
                    .with_hint("assumptions look like M%128==0, K<=M or lane in [0,32)"));
}

/// LEGO's constraints and the relations of SymPy.
struct Relation {
  std::string_view name;
  Predicate predicate;
  bool is_turned = false;
};

constexpr std::array kRelations = {
    Relation{"divisibility_constraint", Predicate::kDivides, true},
    Relation{"le_constraint", Predicate::kLess},
    Relation{"equal_constraint", Predicate::kEqual},
    Relation{"Eq", Predicate::kEqual},
    Relation{"Ne", Predicate::kNotEqual},
    Relation{"Le", Predicate::kAtMost},
    Relation{"Lt", Predicate::kLess},
    Relation{"Ge", Predicate::kAtMost, true},
    Relation{"Gt", Predicate::kLess, true},
};

bool is_relation(const Expression& expression) {
  return std::holds_alternative<ComparisonNode>(expression.node) ||
         std::ranges::find(kRelations, called_name(expression), &Relation::name) !=
             kRelations.end();
}

Result<Condition> constraint(const Expression& expression) {
  if (const auto* comparison = std::get_if<ComparisonNode>(&expression.node)) {
    HEDDLE_TRY(const Int a, side(expression.parts[0], {}));
    HEDDLE_TRY(const Int b, side(expression.parts[1], {}));
    return condition_of(comparison->comparator, a, b);
  }
  const auto* relation = std::ranges::find(kRelations, called_name(expression), &Relation::name);
  if (relation == kRelations.end() || expression.parts.size() < 3) {
    return refuse(Diagnostic("assume.syntax",
                             "a constraint is a comparison, or LEGO's "
                             "divisibility_constraint(M, BM) and the like")
                      .with_span(expression.span));
  }
  HEDDLE_TRY(const Int a, side(expression.parts[1], {}));
  HEDDLE_TRY(const Int b, side(expression.parts[2], {}));
  if (relation->is_turned) return Condition{b, relation->predicate, a};
  return Condition{a, relation->predicate, b};
}

}  // namespace

bool may_be_constraints(const Expression& expression) {
  if (const auto* name = std::get_if<Reference>(&expression.node)) {
    return name->name.ends_with("constraints");
  }
  return std::holds_alternative<ListLiteral>(expression.node) &&
         std::ranges::any_of(expression.parts, is_relation);
}

/// `[divisibility_constraint(M, BM), le_constraint(i, n), M >= 1]`, where le_constraint is LEGO's
/// name of i < n.
Result<std::vector<Condition>> constraints_in(const Expression& list) {
  // What the program says elsewhere only adds to what is known: no answer depends on it.
  if (std::holds_alternative<Reference>(list.node) && may_be_constraints(list)) {
    return std::vector<Condition>();
  }
  if (!std::holds_alternative<ListLiteral>(list.node)) {
    return refuse(
        Diagnostic("assume.syntax", "the constraints of a layout are a list").with_span(list.span));
  }
  std::vector<Condition> conditions;
  for (const Expression& item : list.parts) {
    HEDDLE_TRY(conditions.emplace_back(), constraint(item));
  }
  return conditions;
}

Result<std::vector<Condition>> parse_assumptions(std::string_view text) {
  HEDDLE_CHECK(check_encoding(text));
  HEDDLE_TRY(const std::vector<StatedCondition> stated, Parser(Lexer(text)).assumptions());
  std::vector<Condition> conditions;
  for (const auto& [left, comparator, right] : stated) {
    HEDDLE_TRY(const Int a, side(left, text));
    HEDDLE_TRY(const Int b, side(right, text));
    conditions.push_back(condition_of(comparator, a, b));
  }
  return conditions;
}

}  // namespace heddle::notation
