// Integers and conditions as text, in the notation of the expression language.

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "core/words.h"
#include "expr/code/code_writer.h"
#include "expr/term/operation.h"
#include "expr/term/substitute.h"
#include "expr/term/term.h"

namespace heddle {
namespace {

using expr::Atom;
using expr::AtomPointer;
using expr::Operator;
using expr::Product;

std::string in_parentheses(const std::string& text) { return "(" + text + ")"; }

/// An operand of `//` or `%`: only names and numbers need no parentheses.
std::string operand(const Int& value) {
  std::string text = to_string(value);
  return std::ranges::all_of(text, is_word_character) ? text : in_parentheses(text);
}

/// One factor of a product, and whether it needs parentheses beside others.
struct Factor {
  std::string text;
  bool is_quotient = false;
};

/// A multiple of 128, halved past 128, is `(M//128)//2`; `M//256` reads better.
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

/// Multiplies variables by the divisors that were split off, so that 128*(M//128) is M.
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

std::string to_string(const Condition& condition) {
  static constexpr const char* kSigns[] = {" == ", " != ", " < ", " <= ", " | "};
  const auto side = [&](const Int& value) {
    const bool loose = condition.predicate == Predicate::kDivides && !expr::is_plain(value);
    return loose ? "(" + to_string(value) + ")" : to_string(value);
  };
  return side(condition.left) + kSigns[static_cast<std::size_t>(condition.predicate)] +
         side(condition.right);
}

std::string bindings_text(const Bindings& values) {
  std::string text;
  for (const auto& [name, value] : values) {
    if (!text.empty()) text += ", ";
    text += name + "=" + to_string(value);
  }
  return text;
}

}  // namespace heddle
