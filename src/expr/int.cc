#include "heddle/expr/int.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "core/text.h"
#include "core/words.h"
#include "expr/bounds.h"
#include "expr/code_writer.h"
#include "expr/operation.h"
#include "expr/term.h"
#include "heddle/expr/index_variable.h"

namespace heddle {

Int Int::variable(std::string_view name, std::int64_t low, std::int64_t high) {
  if (low > high) return undefined();
  expr::Variable variable;
  variable.name = name;
  variable.range = {low, high};
  return expr::make_variable(std::move(variable));
}

Int Int::variable(std::string_view name) { return variable(name, Range::kNoLow, Range::kNoHigh); }

Int index_variable(std::string_view name, const Int& extent) {
  if (!extent.is_defined() || known_less(extent, 1)) return Int::undefined();
  if (extent.is_constant()) return Int::variable(name, 0, extent.value() - 1);
  expr::Variable variable;
  variable.name = name;
  const std::int64_t most = range(extent).high;
  variable.range = {0, most == Range::kNoHigh ? most : most - 1};
  variable.at_most.push_back(extent - 1);
  return expr::make_variable(std::move(variable));
}

namespace expr {

bool proves_equal(const Int& a, const Int& b) {
  if (!a.is_defined() || !b.is_defined()) return false;
  if (a == b) return true;
  const Range left = interval_of(a);
  const Range right = interval_of(b);
  if (left.high < right.low || right.high < left.low) return false;
  const Int difference = a - b;
  if (!difference.is_symbolic()) return difference == Int(0);
  // A sum of products of free variables is always 0 only where it is written so.
  if (is_polynomial_in_free_variables(difference)) return false;
  return is_at_least(difference, 0) && is_at_least(-difference, 0);
}

bool proves_at_most(const Int& a, const Int& b) { return is_never_above(a, b, 0); }

bool proves_less(const Int& a, const Int& b) { return is_never_above(a, b, 1); }

bool proves_divides(const Int& divisor, const Int& number) {
  if (!divisor.is_defined() || !number.is_defined()) return false;
  if (number == Int(0) || divisor == Int(1)) return true;
  if (divisor == Int(0)) return known_equal(number, 0);
  if (divisor.is_constant()) {
    const std::int64_t known = divisor_of(number);
    return exact::floor_modulo(known, divisor.value()) == 0 || mod(number, divisor) == Int(0);
  }
  return exact_quotient(number, divisor).has_value() || mod(number, divisor) == Int(0);
}

}  // namespace expr

Result<Int> check_defined(const Int& value, std::string_view what) {
  if (value.is_defined()) return value;
  constexpr std::size_t kMost = 200;
  return refuse("overflow", shortened(what, kMost) +
                                " has no 64-bit value: it overflows, divides by zero or has grown "
                                "past the limit of terms");
}

namespace {

using expr::Atom;
using expr::AtomPointer;
using expr::Operator;
using expr::Product;

std::string in_parentheses(const std::string& text) { return "(" + text + ")"; }

/// An operand of `//` or `%`: names and numbers stand alone.
std::string operand(const Int& value) {
  std::string text = to_string(value);
  return std::ranges::all_of(text, is_word_character) ? text : in_parentheses(text);
}

/// One factor of a product, and whether it needs parentheses beside others.
struct Factor {
  std::string text;
  bool is_quotient = false;
};

/// `(M//128)//2`, which is what a multiple of 128 halved past 128 comes to, reads better as
/// `M//256`.
std::string quotient_text(const Int& left, const Int& right) {
  const AtomPointer atom = expr::as_atom(left);
  const bool is_whole = atom && atom->operation() == Operator::kVariable &&
                        atom->variable().factors.empty() && right.is_constant();
  const Int below = is_whole ? Int(atom->variable().divisor) * right : Int::undefined();
  if (below.is_defined()) return atom->variable().name + "//" + to_string(below);
  return operand(left) + "//" + operand(right);
}

std::string condition_text(const Condition& condition) {
  const auto& [left, predicate, right] = condition;
  if (predicate == Predicate::kDivides) return operand(right) + "%" + operand(left) + "==0";
  return fmt::format("{}{}{}", to_string(left), expr::heddle_sign(expr::operation_of(predicate)),
                     to_string(right));
}

Factor operation_text(const Atom& atom) {
  const std::string_view name = expr::heddle_sign(atom.operation());
  switch (atom.operation()) {
    case Operator::kQuotient:
      return {quotient_text(atom.left(), atom.right()), true};
    case Operator::kRemainder:
      return {operand(atom.left()) + "%" + operand(atom.right()), true};
    case Operator::kSelect:
      return {fmt::format("{}({},{},{})", name, condition_text(atom.condition()),
                          to_string(atom.left()), to_string(atom.right()))};
    case Operator::kSquareRoot:
      return {fmt::format("{}({})", name, to_string(atom.left()))};
    default:
      return {fmt::format("{}({},{})", name, to_string(atom.left()), to_string(atom.right()))};
  }
}

/// Variables take back what divides them, so that 128*(M//128) is M.
std::string product_text(Product product) {
  std::vector<Factor> factors;
  expr::take_apart(product, [&](const AtomPointer& atom) {
    if (atom->operation() != Operator::kVariable) return factors.push_back(operation_text(*atom));
    const std::string& name = atom->variable().name;
    const Int below = expr::taken_back(atom->variable(), product);
    factors.push_back(below == Int(1) ? Factor{name} : Factor{name + "//" + operand(below), true});
  });
  if (factors.empty()) return std::to_string(product.coefficient);
  std::ranges::sort(
      factors, {}, [](const Factor& factor) { return std::pair(factor.is_quotient, factor.text); });
  const bool is_alone = factors.size() == 1 && product.coefficient == 1;
  std::string text = product.coefficient == 1    ? ""
                     : product.coefficient == -1 ? "-"
                                                 : std::to_string(product.coefficient) + "*";
  for (std::size_t i = 0; i < factors.size(); ++i) {
    if (i > 0) text += '*';
    text += factors[i].is_quotient && !is_alone ? in_parentheses(factors[i].text) : factors[i].text;
  }
  return text;
}

}  // namespace

std::string to_string(const Int& value) {
  if (value.is_constant()) return std::to_string(value.value());
  if (!value.is_symbolic()) return "undefined";
  std::string text;
  for (const Product& product : value.term().products()) {
    const std::string next = product_text(product);
    if (!text.empty() && next.front() != '-') text += '+';
    text += next;
  }
  return text;
}

std::ostream& operator<<(std::ostream& stream, const Int& value) {
  return stream << to_string(value);
}

}  // namespace heddle
