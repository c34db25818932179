#include "heddle/notation/assume.h"

#include <fmt/format.h>

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
    if (find_operation(name) == nullptr) {
      environment.bind(std::string(name), Value(Int::variable(name)));
    }
  }
  HEDDLE_TRY(const Value value, Evaluator(environment, {}, {}).with_any_divisors().run(expression));
  HEDDLE_TRY(const std::optional<Value> number, convert<Int>(value));
  if (number) return number->get<IntTuple>().leaf();
  return refuse(Diagnostic("assume.syntax",
                           fmt::format("{} is no number", quote(text_at(text, expression.span))))
                    .with_hint("assumptions look like M%128==0, K<=M or lane in [0,32)"));
}

}  // namespace

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
