// Quotients and remainders of symbolic terms: simplified where ranges and divisors allow it, kept
// as atoms otherwise. All rules are those of Euclidean division by something positive; a negative
// divisor is negated first, one of unknown sign is left alone.
//
//   (d*q + r)//d = q + r//d              (d*q + r)%d = r%d
//   (u*x + y)//(u*b) = x//b              (u*x + y)%(u*b) = u*(x%b) + y         for 0 <= y < u
//   (x%(a*b))//a = (x//a)%b              (x%(a*b))%a = x%a
//   (x//a + k)//b = (x + k*a)//(a*b)
//   x//a = q, x%a = x - a*q              where ranges leave one quotient q

#include <algorithm>
#include <vector>

#include "expr/term/bounds.h"
#include "expr/term/term.h"

namespace heddle::expr {
namespace {

bool is_surely_positive(const Int& value) { return is_at_least(value, 1); }
bool is_surely_negative(const Int& value) { return known_less(value, 0); }

/// 0 <= value < divisor, which has remainder `value` then.
bool is_below(const Int& value, const Int& divisor) {
  return is_at_least(value, 0) && known_less(value, divisor);
}

/// -divisor <= value < 0, which has quotient -1 then.
bool is_just_under(const Int& value, const Int& divisor) {
  return known_less(value, 0) && is_at_least(value + divisor, 0);
}

/// value = quotient * divisor + rest, with as much in the quotient as divides evenly, product by
/// product. For a constant divisor the coefficients of the rest keep their sign and stay below the
/// divisor, and its constant is a remainder.
Division split(const Int& value, const Int& divisor) {
  if (!divisor.is_constant()) {
    Division parts = divide(value, divisor);
    // The rest of a division by a sum is simpler only if that settles the result.
    const bool settles = Products(divisor).size() == 1 || is_below(parts.rest, divisor);
    return settles ? parts : Division{0, value};
  }
  const std::int64_t by = divisor.value();
  const Products products(value);
  const bool is_split = std::ranges::all_of(products, [by](const Product& product) {
    return product.coefficient < by && product.coefficient > (product.degree() > 0 ? -by : -1);
  });
  if (is_split) return {0, value};
  Polynomial quotient;
  Polynomial rest;
  for (const Product& product : products) {
    const auto& [coefficient, atoms] = product;
    const bool is_constant = product.degree() == 0;
    const std::int64_t steps =
        is_constant ? *exact::floor_divide(coefficient, by) : coefficient / by;
    const std::int64_t left =
        is_constant ? *exact::floor_modulo(coefficient, by) : coefficient % by;
    if (steps != 0) quotient.push_back({steps, atoms});
    if (left != 0) rest.push_back({left, atoms});
  }
  return {make_int(std::move(quotient)), make_int(std::move(rest))};
}

/// value = unit * high + low, where low stays in [0, unit), and divisor = unit * part.
struct Parts {
  Int unit;
  Int high;
  Int low;
  Int part;
};

/// The products of a sum that a unit divides, by the unit, and the others.
Division split_by_unit(const Int& rest, const Int& unit) {
  Int high = 0;
  Polynomial low;
  for (const Product& product : Products(rest)) {
    const Int part = make_int(Polynomial(1, product));
    const std::optional<Int> steps =
        product.degree() > 0 ? exact_quotient(part, unit) : std::nullopt;
    if (steps) {
      high += *steps;
    } else {
      low.push_back(product);
    }
  }
  return {high, make_int(std::move(low))};
}

/// The common factor of a product and the divisor: of coefficients and of atoms that are positive.
Int common_unit(const Product& product, const Product& divisor) {
  Int unit = common_divisor(product.coefficient, divisor.coefficient);
  auto next = divisor.atoms.begin();
  for (const AtomPointer& atom : product.atoms) {
    const auto found = std::find_if(next, divisor.atoms.end(), SameAs{*atom});
    if (found == divisor.atoms.end()) continue;
    next = found + 1;
    if (atom->range().low >= 1) unit *= make_int(atom);
  }
  return unit;
}

/// Units that may separate a sum from a part that does not carry into it; for a constant divisor
/// the greatest first.
std::vector<Int> units_of(const Int& rest, const Int& divisor) {
  const Products products(divisor);
  if (products.size() != 1) return {};
  constexpr std::size_t kMaxUnits = 8;
  std::vector<Int> units;
  const auto add = [&](const Int& unit) {
    if (unit != Int(1) && std::ranges::find(units, unit) == units.end()) units.push_back(unit);
  };
  for (const Product& product : Products(rest)) {
    if (product.degree() == 0 || (divisor.is_constant() && units.size() >= kMaxUnits)) continue;
    const Int unit = common_unit(product, products.front());
    const std::size_t count = units.size();
    add(unit);
    for (std::size_t i = 0; divisor.is_constant() && i < count; ++i) add(gcd(unit, units[i]));
  }
  if (divisor.is_constant()) std::ranges::sort(units, std::greater(), &Int::value);
  return units;
}

/// Splits a sum in two, if one part does not carry into the other.
std::optional<Parts> parts_of(const Int& rest, const Int& divisor) {
  for (const Int& unit : units_of(rest, divisor)) {
    const auto [high, low] = split_by_unit(rest, unit);
    const std::optional<Int> part = exact_quotient(divisor, unit);
    if (!part) continue;
    if (divisor.is_constant()) {
      const Range steps = operation_range(Operator::kQuotient, low, unit);
      if (steps.low == steps.high) {
        return Parts{unit, high + steps.low, low - unit * steps.low, *part};
      }
    }
    if (low == Int(0) || is_below(low, unit)) return Parts{unit, high, low, *part};
  }
  return std::nullopt;
}

/// (x//a + k)//b = (x + k*a)//(a*b) for positive a and b.
std::optional<Int> joined_quotient(const Int& rest, const Int& divisor) {
  const Products products(rest);
  const Int offset = constant_of(rest);
  const bool is_atom = products.front().degree() == 1 && products.front().coefficient == 1 &&
                       products.size() == (offset == Int(0) ? 1 : 2);
  if (!is_atom) return std::nullopt;
  const Atom& atom = *products.front().atoms.front();
  if (atom.operation() != Operator::kQuotient || !is_surely_positive(atom.right())) {
    return std::nullopt;
  }
  const Int joined = atom.right() * divisor;
  if (!joined.is_defined()) return std::nullopt;
  return floor_div(atom.left() + offset * atom.right(), joined);
}

/// (x%(a*b))//a = (x//a)%b for positive a and b.
std::optional<Int> quotient_of_remainder(const Int& rest, const Int& divisor) {
  const AtomPointer atom = as_atom(rest);
  if (!atom || atom->operation() != Operator::kRemainder) return std::nullopt;
  const std::optional<Int> part = exact_quotient(atom->right(), divisor);
  if (!part || !is_surely_positive(atom->right())) return std::nullopt;
  return mod(floor_div(atom->left(), divisor), *part);
}

std::uint32_t weight_in_all(const Int& a, const Int& b) {
  const auto weight = [](const Int& value) {
    return value.is_symbolic() ? value.term().weight() : 0;
  };
  return weight(a) + weight(b);
}

/// A minimum, maximum or choice divided branch by branch, where that makes it no larger. Quotients
/// by something positive keep the order; remainders do not.
std::optional<Int> by_branches(const Int& rest, const Int& divisor, Operator operation) {
  const AtomPointer atom = as_atom(rest);
  if (!atom) return std::nullopt;
  const bool keeps_order = operation == Operator::kQuotient;
  const bool is_choice = atom->operation() == Operator::kSelect;
  const bool is_ordered =
      atom->operation() == Operator::kMinimum || atom->operation() == Operator::kMaximum;
  if (!is_choice && !(is_ordered && keeps_order)) return std::nullopt;
  const Int left = apply(operation, atom->left(), divisor);
  const Int right = apply(operation, atom->right(), divisor);
  if (!left.is_defined() || !right.is_defined()) return std::nullopt;
  const bool has_grown = weight_in_all(left, right) > weight_in_all(atom->left(), atom->right());
  if (has_grown) return std::nullopt;
  return is_choice ? select(atom->condition(), left, right) : apply(atom->operation(), left, right);
}

/// The one quotient that ranges leave.
std::optional<std::int64_t> only_quotient(const Int& rest, const Int& divisor) {
  const Range quotients = operation_range(Operator::kQuotient, rest, divisor);
  if (quotients.low == quotients.high) return quotients.low;
  if (is_below(rest, divisor)) return 0;
  if (is_just_under(rest, divisor)) return -1;
  return std::nullopt;
}

/// (T*f)//d = f*(T//d), where d is assumed to divide the variable T.
std::optional<Int> quotient_by_assumption(const Int& rest, const Int& divisor) {
  const Products products(rest);
  if (products.size() != 1) return std::nullopt;
  for (const AtomPointer& atom : products.front().atoms) {
    if (atom->operation() != Operator::kVariable) continue;
    const Int whole = whole_variable(atom);
    if (whole == rest || !is_assumed_multiple(whole, divisor)) continue;
    if (const auto factor = exact_quotient(rest, whole)) return *factor * floor_div(whole, divisor);
  }
  return std::nullopt;
}

/// The quotient of a rest by something positive, if the divisor divides no product of the rest.
Int quotient_of_rest(const Int& rest, const Int& divisor) {
  if (const std::optional<Int> exact = quotient_by_assumption(rest, divisor)) return *exact;
  if (const auto only = only_quotient(rest, divisor)) return *only;
  if (const std::optional<Parts> parts = parts_of(rest, divisor)) {
    return floor_div(parts->high, parts->part);
  }
  if (std::optional<Int> found = quotient_of_remainder(rest, divisor)) return *found;
  if (std::optional<Int> joined = joined_quotient(rest, divisor)) return *joined;
  if (std::optional<Int> found = by_branches(rest, divisor, Operator::kQuotient)) return *found;
  return make_operation(Operator::kQuotient, rest, divisor);
}

/// x%(b*c) within a remainder by b is x.
Int without_inner_remainders(const Int& rest, const Int& divisor) {
  for (const Product& product : Products(rest)) {
    for (const AtomPointer& atom : product.atoms) {
      if (atom->operation() != Operator::kRemainder) continue;
      const Int whole = make_int(Polynomial(1, product));
      const Int factor = *exact_quotient(whole, make_int(atom));
      if (known_divides(divisor, factor * atom->right())) {
        return rest - whole + factor * atom->left();
      }
    }
  }
  return rest;
}

Int remainder_of_rest(const Int& rest, const Int& divisor) {
  if (const auto only = only_quotient(rest, divisor)) return rest - divisor * *only;
  const Int plain = without_inner_remainders(rest, divisor);
  if (plain != rest) return mod(plain, divisor);
  if (const std::optional<Parts> parts = parts_of(rest, divisor)) {
    return parts->unit * mod(parts->high, parts->part) + parts->low;
  }
  if (std::optional<Int> found = by_branches(rest, divisor, Operator::kRemainder)) return *found;
  return make_operation(Operator::kRemainder, rest, divisor);
}

}  // namespace

}  // namespace heddle::expr

namespace heddle {

Int Int::symbolic_quotient(const Int& a, const Int& b) {
  if (b == Int(0)) return undefined();
  if (b == Int(1)) return a;
  if (expr::is_surely_negative(b)) return -floor_div(a, -b);
  if (b.is_symbolic() && !expr::is_surely_positive(b)) {
    return expr::make_operation(CodeOperation::kQuotient, a, b);
  }
  const expr::Division parts = expr::split(a, b);
  if (parts.rest == Int(0)) return parts.quotient;
  return parts.quotient + expr::quotient_of_rest(parts.rest, b);
}

Int Int::symbolic_remainder(const Int& a, const Int& b) {
  if (b == Int(0)) return undefined();
  if (b == Int(1)) return 0;
  if (expr::is_surely_negative(b)) return mod(a, -b);
  if (b.is_symbolic() && !expr::is_surely_positive(b)) {
    return expr::make_operation(CodeOperation::kRemainder, a, b);
  }
  const Int rest = expr::split(a, b).rest;
  if (rest == Int(0) || expr::is_assumed_multiple(rest, b)) return 0;
  return expr::remainder_of_rest(rest, b);
}

Int ceil_div(const Int& a, const Int& b) {
  if (!a.is_constant() || !b.is_constant()) return floor_div(a + (b - 1), b);
  const Int quotient = floor_div(a, b);
  return mod(a, b) == Int(0) ? quotient : quotient + 1;
}

}  // namespace heddle
