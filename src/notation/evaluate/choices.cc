// Evaluates functions and choices: `(i,j) -> 3*i+j`, `if c then a else b`.

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "core/text.h"
#include "expr/term/conditions.h"
#include "expr/term/term.h"
#include "heddle/expr/condition.h"
#include "heddle/lego/genp.h"
#include "notation/evaluate/evaluation.h"
#include "notation/language/comparators.h"
#include "notation/language/free_names.h"
#include "notation/operations/tuples.h"

namespace heddle::notation {

namespace {

/// The maximum number of cases of all choices in one expression: nested choices multiply them.
constexpr std::size_t kMaxCases = std::size_t{1} << 12;

/// Whether the expression is a condition, not a value to select from.
bool is_condition(const Expression& expression) {
  if (is_group(expression)) return is_condition(expression.parts.front());
  return std::holds_alternative<ComparisonNode>(expression.node) ||
         std::holds_alternative<Connective>(expression.node) ||
         std::holds_alternative<Choice>(expression.node);
}

}  // namespace

bool is_choice(const Reference& function, const Expression& application) {
  return function.name == "select" && application.parts.size() == 4 &&
         is_condition(application.parts[1]);
}

Result<Value> Evaluator::visit(const FunctionLiteral& node, const Expression& expression,
                               Grouping) const {
  const Expression& body = expression.parts.front();
  Evaluator inner(environment_, sizes_, unknowns_);
  inner.parameters_ = parameters_;
  lego::Formula formula;
  // A parameter must not have the name of a variable in the values that names in the body are bound
  // to.
  std::set<std::string> taken;
  for (const std::string_view name : names_in(body)) {
    const Value* value = find(name);
    if (value == nullptr) continue;
    for (std::string& variable : variables(*value)) taken.insert(std::move(variable));
  }
  for (const std::string_view parameter : node.parameters) {
    std::string name(parameter);
    while (!taken.insert(name).second) name += '_';
    inner.parameters_.insert_or_assign(std::string(parameter), Value(Int::variable(name)));
    formula.parameters.push_back(std::move(name));
  }
  inner.checks_divisors_ = false;
  inner.cases_ = cases_;
  const Result<Value> made = inner.run(body);
  cases_ = inner.cases_;
  HEDDLE_TRY(const Value value, made);
  const auto* results = value.get_if<IntTuple>();
  if (results == nullptr || results->depth() > 1) {
    return wrong_kind("what a function gives", value, "an integer or a tuple of integers",
                      body.span);
  }
  formula.results.assign(results->leaves().begin(), results->leaves().end());
  return Value(LegoFunction{std::move(formula)});
}

Result<Value> Evaluator::apply_function(const lego::Formula& formula,
                                        const Expression& expression) const {
  std::vector<Int> arguments;
  for (const Expression& part : std::span(expression.parts).subspan(1)) {
    HEDDLE_TRY(Int argument, as<Int>(part, "an argument of a function"));
    arguments.push_back(std::move(argument));
  }
  if (arguments.size() != formula.parameters.size()) {
    return refuse_at(
        Diagnostic("call.arity",
                   fmt::format("{} takes {}, not {}", to_string(formula),
                               counted(formula.parameters.size(), "argument"), arguments.size())),
        expression.span);
  }
  HEDDLE_TRY(const std::vector<Int> results,
             at(lego::evaluate(formula, arguments), expression.span));
  for (const Int& result : results) {
    HEDDLE_CHECK(at(check_defined(result, "the value of a function"), expression.span));
    if (!checks_divisors_) continue;
    for (const Int& divisor : expr::open_divisors(result)) {
      HEDDLE_CHECK(at(check_not_zero(divisor, to_string(formula)), expression.span));
    }
  }
  return results.size() == 1 ? Value(results.front()) : Value(IntTuple::flat(results));
}

namespace {

std::uint32_t weight_of(const Int& value) {
  return value.is_symbolic() ? value.term().weight() : 1;
}

/// Refuses a choice that would have more than expr::kMaxWeight terms.
Result<void> check_size(const Condition& condition, const Int& then, const Int& otherwise) {
  const std::uint64_t terms = std::uint64_t{weight_of(condition.left)} +
                              weight_of(condition.right) + weight_of(then) + weight_of(otherwise);
  if (terms <= expr::kMaxWeight) return {};
  return refuse(
      Diagnostic("call.too_large", fmt::format("a choice has {} terms, and values hold at most {}",
                                               terms, expr::kMaxWeight))
          .with_hint("conditions joined by 'and' or 'or' repeat a branch; nest fewer of them"));
}

/// Selects between two integers, or two tuples of one profile, leaf by leaf by the condition.
Result<Value> selected(const Condition& condition, const Value& then, const Value& otherwise,
                       Span span) {
  const auto* a = then.get_if<IntTuple>();
  const auto* b = otherwise.get_if<IntTuple>();
  if (a == nullptr || b == nullptr || a->profile() != b->profile()) {
    return refuse_at(
        Diagnostic("call.type",
                   fmt::format("whether {} is open, and the branches are {} and {}; "
                               "integers or tuples alike are needed",
                               to_string(condition), kind_name(then), kind_name(otherwise))),
        span);
  }
  std::vector<Int> leaves;
  for (std::size_t i = 0; i < a->leaves().size(); ++i) {
    leaves.push_back(heddle::select(condition, a->leaves()[i], b->leaves()[i]));
    if (!leaves.back().is_defined()) {
      HEDDLE_CHECK(at(check_size(condition, a->leaves()[i], b->leaves()[i]), span));
    }
    HEDDLE_CHECK(at(check_defined(leaves.back(), "a choice"), span));
  }
  std::size_t next = 0;
  return Value(transform_leaves(*a, [&](const Int&) { return leaves[next++]; }));
}

}  // namespace

/// The branch, evaluated only once unless its value depends on the path to it.
Evaluator::Branch Evaluator::once(Branch branch) const {
  const auto known = std::make_shared<std::optional<Result<Value>>>();
  return [this, known, branch = std::move(branch)] {
    if (*known) return **known;
    const std::size_t before = path_questions_;
    Result<Value> value = branch();
    if (path_questions_ == before) *known = value;
    return value;
  };
}

/// Evaluates only branches that may be taken.
Result<Value> Evaluator::choose_by_comparison(const ComparisonNode& node,
                                              const Expression& condition, const Branch& then,
                                              const Branch& otherwise) const {
  HEDDLE_TRY(const Value left, run(condition.parts[0]));
  HEDDLE_TRY(const Value right, run(condition.parts[1]));
  const bool is_equality =
      node.comparator == TokenKind::kEqual || node.comparator == TokenKind::kNotEqual;
  if (is_equality && !(left.is_integer() && right.is_integer())) {
    return choose_by_truth(condition, then, otherwise);
  }
  HEDDLE_TRY(const Int a, converted<Int>(left, kLeftSide, condition.parts[0].span));
  HEDDLE_TRY(const Int b, converted<Int>(right, kRightSide, condition.parts[1].span));
  const Condition compared = condition_of(node.comparator, a, b);
  if (known(compared)) return then();
  if (known_false(compared)) return otherwise();
  if (++cases_ > kMaxCases) {
    return refuse_at(
        Diagnostic("call.too_large", fmt::format("choices have more than {} cases", kMaxCases))
            .with_hint("a table or several functions say the same in fewer cases"),
        condition.span);
  }
  const auto under = [this](const Condition& known_there, const Branch& branch) {
    path_.push_back(known_there);
    Result<Value> value = branch();
    path_.pop_back();
    return value;
  };
  HEDDLE_TRY(const Value if_so, under(compared, then));
  HEDDLE_TRY(const Value if_not, under(*expr::opposite_of(compared), otherwise));
  return selected(compared, if_so, if_not, condition.span);
}

Result<Value> Evaluator::choose(const Expression& condition, const Branch& then,
                                const Branch& otherwise) const {
  if (const auto* comparison = std::get_if<ComparisonNode>(&condition.node)) {
    return choose_by_comparison(*comparison, condition, then, otherwise);
  }
  if (is_group(condition)) return choose(condition.parts.front(), then, otherwise);
  if (const auto* connective = std::get_if<Connective>(&condition.node)) {
    Branch rest = connective->is_and ? then : otherwise;
    for (std::size_t i = condition.parts.size(); i-- > 1;) {
      rest = once([&, i, next = rest] {
        return connective->is_and ? choose(condition.parts[i], next, otherwise)
                                  : choose(condition.parts[i], then, next);
      });
    }
    return connective->is_and ? choose(condition.parts.front(), rest, otherwise)
                              : choose(condition.parts.front(), then, rest);
  }
  if (std::holds_alternative<Choice>(condition.node)) {
    const auto side = [&](std::size_t i) {
      return once([&, i] { return choose(condition.parts[i], then, otherwise); });
    };
    return choose(condition.parts[0], side(1), side(2));
  }
  return choose_by_truth(condition, then, otherwise);
}

/// A verdict about symbolic sizes decides only if it is a yes for all of them.
Result<Value> Evaluator::choose_by_truth(const Expression& condition, const Branch& then,
                                         const Branch& otherwise) const {
  HEDDLE_TRY(const Value value, truth(condition));
  if (const bool* known = value.get_if<bool>()) return *known ? then() : otherwise();
  const Verdict verdict = *verdict_of(value);
  if (verdict.is_yes()) return then();
  if (denial(verdict, condition).is_yes()) return otherwise();
  return refuse_at(
      Diagnostic("call.type", fmt::format("the choice depends on a condition that is open: {}",
                                          verdict.to_string()))
          .with_hint("bind its sizes to numbers first, as in N = 4"),
      condition.span);
}

Result<Value> Evaluator::visit(const Choice&, const Expression& expression, Grouping) const {
  if (is_denial(expression)) return truth(expression);
  const auto branch = [&](std::size_t i) {
    return once([&, i] { return run(expression.parts[i]); });
  };
  return choose(expression.parts[0], branch(1), branch(2));
}

Result<Value> Evaluator::visit(const Connective&, const Expression& expression, Grouping) const {
  return truth(expression);
}

}  // namespace heddle::notation
