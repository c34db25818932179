// + - * // % between values, with divisors proved not to be 0.

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

#include "expr/assume_needed.h"
#include "expr/term/conditions.h"
#include "heddle/expr/condition.h"
#include "notation/evaluate/evaluation.h"
#include "notation/operations/axe_arithmetic.h"

namespace heddle::notation {

Result<Value> Evaluator::visit(const Negation&, const Expression& expression, Grouping) const {
  HEDDLE_TRY(const Value operand, run(expression.parts.front()));
  return combine(TokenKind::kStar, Value(Int(-1)), operand, expression.span);
}

Result<Value> Evaluator::visit(const Arithmetic& node, const Expression& expression,
                               Grouping) const {
  HEDDLE_TRY(Value left, run(expression.parts.front()));
  for (std::size_t i = 0; i < node.operators.size(); ++i) {
    HEDDLE_TRY(const Value right, run(expression.parts[i + 1]));
    const Span span{expression.span.begin, expression.parts[i + 1].span.end};
    HEDDLE_TRY(left, combine(node.operators[i], left, right, span));
  }
  return left;
}

/// Refuses unless the divisor is proved not to be 0 for all values that its variables may have
/// there.
Result<void> Evaluator::check_not_zero(const Int& divisor, const std::string& call) const {
  if (!checks_divisors_ || known_different(divisor, 0)) return {};
  if (divisor == Int(0)) return refuse("arithmetic.zero_divisor", call + " divides by zero");
  ++path_questions_;
  const Int here = expr::divisor_under(path_, divisor);
  if (here.is_defined() && known_different(here, 0)) return {};
  // Assumptions are ranges: 1 <= divisor can be assumed, divisor != 0 cannot.
  const std::string hint =
      Diagnostic(needed(call, {1, Predicate::kAtMost, divisor}).value()).hint();
  Diagnostic diagnostic = needed(call, {divisor, Predicate::kNotEqual, 0}).value();
  return refuse(hint.empty() ? std::move(diagnostic) : std::move(diagnostic).with_hint(hint));
}

Result<void> Evaluator::check_divisor(TokenKind sign, const Int& a, const Int& b) const {
  const bool divides =
      sign == TokenKind::kFloorDivide || sign == TokenKind::kPercent || sign == TokenKind::kSlash;
  if (!checks_divisors_ || !divides || !b.is_symbolic() || known_different(b, 0)) return {};
  const std::string_view text = sign == TokenKind::kFloorDivide ? "//"
                                : sign == TokenKind::kSlash     ? "/"
                                                                : "%";
  return check_not_zero(b, fmt::format("{} {} {}", to_string(a), text, to_string(b)));
}

Result<Value> Evaluator::combine(TokenKind sign, const Value& left, const Value& right,
                                 Span span) const {
  const bool is_linear = left.is<linear::LinearLayout>() || right.is<linear::LinearLayout>();
  if (is_linear && sign == TokenKind::kStar) {
    return calls_.call("multiply", {left, right}, span);
  }
  HEDDLE_TRY(const std::optional<Value> of_axe, at(combine_axe(sign, left, right), span));
  if (of_axe) return *of_axe;
  HEDDLE_TRY(const std::optional<Value> a, convert<Int>(left));
  HEDDLE_TRY(const std::optional<Value> b, convert<Int>(right));
  if (a && b) {
    const Int& x = a->get<IntTuple>().leaf();
    const Int& y = b->get<IntTuple>().leaf();
    HEDDLE_CHECK(at(check_divisor(sign, x, y), span));
    return value_at(calculate(sign, x, y), span);
  }
  // A multiple of a basis stride: 8*E<0,1>.
  const Value& factor = a ? left : right;
  const Value& other = a ? right : left;
  const auto* stride = other.get_if<cute::StrideTuple>();
  if ((a || b) && sign == TokenKind::kStar && stride != nullptr && stride->is_leaf()) {
    const cute::Stride product = factor.get<IntTuple>().leaf() * stride->leaf();
    HEDDLE_CHECK(at(check_defined(product.scale(), "a stride"), span));
    return Value(cute::StrideTuple(product));
  }
  return wrong_kind("an operand of arithmetic", a ? right : left, "an integer", span);
}

}  // namespace heddle::notation
