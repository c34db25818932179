#include "expr/term/term.h"

#include <algorithm>
#include <array>
#include <compare>
#include <functional>
#include <tuple>

#include "expr/term/bounds.h"
#include "heddle/core/tuple.h"

namespace heddle::expr {
namespace {

constexpr int kMaxDivisionSteps = 64;

int three_way(std::int64_t a, std::int64_t b) { return (a > b) - (a < b); }

/// Compares lists of one length by the first two parts that differ.
template <class Parts, class Compare>
int first_difference(const Parts& a, const Parts& b, Compare compare) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (const int order = compare(a[i], b[i]); order != 0) return order;
  }
  return 0;
}

int three_way(const std::vector<Int>& a, const std::vector<Int>& b) {
  if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  return first_difference(a, b, [](const Int& x, const Int& y) { return compare(x, y); });
}

int compare(const Variable& a, const Variable& b) {
  if (&a == &b) return 0;
  const auto numbers = [](const Variable& variable) {
    return std::tie(variable.name, variable.range.low, variable.range.high, variable.divisor,
                    variable.residue);
  };
  if (const auto order = numbers(a) <=> numbers(b); order != 0) return order < 0 ? -1 : 1;
  // Variables in bounds have bounds in turn, but few comparisons get this far.
  if (const int order = expr::compare(a.factors, b.factors); order != 0) return order;
  if (const int order = three_way(a.multiple_of, b.multiple_of); order != 0) return order;
  if (const int order = three_way(a.at_least, b.at_least); order != 0) return order;
  return three_way(a.at_most, b.at_most);
}

int compare(const Condition& a, const Condition& b) {
  if (a.predicate != b.predicate) return a.predicate < b.predicate ? -1 : 1;
  const int order = expr::compare(a.left, b.left);
  return order != 0 ? order : expr::compare(a.right, b.right);
}

std::uint32_t weight_of(const Int& value) {
  return value.is_symbolic() ? value.term().weight() : 1;
}
std::uint32_t depth_of(const Int& value) { return value.is_symbolic() ? value.term().depth() : 0; }

/// Sums of weights saturate here, far above the limit and far below an overflow.
std::uint32_t add_weights(std::uint32_t a, std::uint32_t b) { return std::min(a + b, 1U << 30); }

Monomial merge(const Monomial& a, const Monomial& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  Monomial both;
  both.reserve(a.size() + b.size());
  std::ranges::merge(
      a, b, std::back_inserter(both),
      [](const AtomPointer& x, const AtomPointer& y) { return compare(*x, *y) < 0; });
  return both;
}

/// The atoms of `all` without those of `part`; nullopt if one is missing.
std::optional<Monomial> without(const Monomial& all, const Monomial& part) {
  if (part.size() > all.size()) return std::nullopt;
  Monomial rest;
  auto next = part.begin();
  for (const AtomPointer& atom : all) {
    if (next != part.end() && same(*atom, **next)) {
      ++next;
    } else {
      rest.push_back(atom);
    }
  }
  if (next != part.end()) return std::nullopt;
  return rest;
}

/// Each remainder is compared with each atom, for every sum that is made; longer sums skip this.
constexpr std::int64_t kMaxReunited = 1 << 14;

/// Whether there is a remainder and a possible partner of it.
bool has_remainder_and_partner(const Polynomial& products) {
  std::int64_t remainders = 0;
  std::int64_t quotients = 0;
  for (const Product& product : products) {
    for (const AtomPointer& atom : product.atoms) {
      if (atom->operation() == Operator::kRemainder) ++remainders;
      if (atom->operation() == Operator::kQuotient) ++quotients;
    }
  }
  if (remainders * (remainders + quotients) > kMaxReunited) return false;
  return remainders > 1 || (remainders == 1 && quotients > 0);
}

/// Whether `quotient` is x//d, for the remainder x%d. For x = y//a that is written y//(a*d).
bool is_partner(const Atom& quotient, const Atom& remainder) {
  if (quotient.operation() != Operator::kQuotient) return false;
  if (quotient.left() == remainder.left()) return quotient.right() == remainder.right();
  const AtomPointer inner = as_atom(remainder.left());
  return inner && inner->operation() == Operator::kQuotient && quotient.left() == inner->left() &&
         quotient.right() == inner->right() * remainder.right();
}

/// Whether `other` is (x//d)%b, for the remainder x%d by something positive.
bool is_next_digit(const Atom& other, const Atom& remainder) {
  if (other.operation() != Operator::kRemainder) return false;
  if (interval_of(remainder.right()).low < 1) return false;
  const AtomPointer quotient = as_atom(other.left());
  return quotient && is_partner(*quotient, remainder);
}

/// The atoms of a sum that may be partners of a remainder.
std::vector<AtomPointer> partners_of(const Atom& remainder, const Polynomial& products) {
  std::vector<AtomPointer> partners;
  for (const Product& product : products) {
    for (const AtomPointer& atom : product.atoms) {
      if (is_partner(*atom, remainder) || is_next_digit(*atom, remainder)) partners.push_back(atom);
    }
  }
  return partners;
}

/// The products less those of `part`, if all of those are there with the same coefficients.
std::optional<Polynomial> taken_out(const Polynomial& products, const Int& part) {
  Polynomial kept = products;
  for (const Product& product : Products(part)) {
    const auto found = std::ranges::find_if(kept, [&](const Product& other) {
      return other.coefficient == product.coefficient && compare(other.atoms, product.atoms) == 0;
    });
    if (found == kept.end()) return std::nullopt;
    kept.erase(found);
  }
  return kept;
}

/// x where the partner of x%d is x//d, x%(d*b) where it is (x//d)%b.
Int whole_of(const Atom& remainder, const Atom& partner) {
  if (partner.operation() == Operator::kQuotient) return remainder.left();
  return mod(remainder.left(), remainder.right() * partner.right());
}

/// f*(x%d) + f*d*(x//d) is f*x, and f*(x%d) + f*d*((x//d)%b) is f*(x%(d*b)): joins a remainder and
/// its partner if both are there.
std::optional<Int> reunited(const Polynomial& products) {
  for (const Product& product : products) {
    for (const AtomPointer& atom : product.atoms) {
      if (atom->operation() != Operator::kRemainder) continue;
      for (const AtomPointer& partner : partners_of(*atom, products)) {
        const Int factor =
            make_int(Polynomial{{product.coefficient, *without(product.atoms, Monomial(1, atom))}});
        const Int parts = factor * atom->right() * make_int(partner);
        if (!parts.is_defined()) continue;
        std::optional<Polynomial> kept = taken_out(products, parts);
        if (kept) kept = taken_out(*kept, factor * make_int(atom));
        if (kept) return make_int(*std::move(kept)) + factor * whole_of(*atom, *partner);
      }
    }
  }
  return std::nullopt;
}

/// The product divided by another; nullopt if that leaves a remainder.
std::optional<Product> divided(const Product& product, const Product& divisor) {
  if (exact::floor_modulo(product.coefficient, divisor.coefficient) != 0) return std::nullopt;
  const exact::Value coefficient = exact::floor_divide(product.coefficient, divisor.coefficient);
  if (!coefficient) return std::nullopt;
  std::optional<Monomial> atoms = without(product.atoms, divisor.atoms);
  if (!atoms) return std::nullopt;
  return Product{*coefficient, *std::move(atoms)};
}

/// f*d*(x//d) is f*x where d is assumed to divide x.
std::optional<Int> multiplied_back(const Polynomial& products) {
  for (const Product& product : products) {
    for (const AtomPointer& atom : product.atoms) {
      if (atom->operation() != Operator::kQuotient) continue;
      if (!is_assumed_multiple(atom->left(), atom->right())) continue;
      const Products by(atom->right());
      const Product others{product.coefficient, *without(product.atoms, Monomial(1, atom))};
      const std::optional<Product> factor =
          by.size() == 1 ? divided(others, by.front()) : std::nullopt;
      if (!factor) continue;
      std::optional<Polynomial> kept = taken_out(products, make_int(Polynomial(1, product)));
      return make_int(*std::move(kept)) + make_int(Polynomial(1, *factor)) * atom->left();
    }
  }
  return std::nullopt;
}

/// The Int of a sum with sorted products.
Int normal(std::optional<Polynomial>&& sum) {
  if (!sum) return Int::undefined();
  if (std::optional<Int> whole = multiplied_back(*sum)) return *whole;
  if (has_remainder_and_partner(*sum)) {
    if (std::optional<Int> whole = reunited(*sum)) return *whole;
  }
  return make_int(*std::move(sum));
}

/// Merges two sums; `combine` is given both coefficients of each product, 0 if a sum lacks it.
template <class Combine>
std::optional<Polynomial> joined(const Products& a, const Products& b, Combine combine) {
  std::optional<Polynomial> sum(std::in_place);
  sum->reserve(a.size() + b.size());
  auto left = a.begin();
  auto right = b.begin();
  while (left != a.end() || right != b.end()) {
    const int order = left == a.end()    ? 1
                      : right == b.end() ? -1
                                         : compare(left->atoms, right->atoms);
    const exact::Value coefficient =
        combine(order <= 0 ? left->coefficient : 0, order >= 0 ? right->coefficient : 0);
    if (!coefficient) return std::nullopt;
    if (*coefficient != 0) sum->push_back({*coefficient, order <= 0 ? left->atoms : right->atoms});
    if (order <= 0) ++left;
    if (order >= 0) ++right;
  }
  return sum;
}

/// Multiplies all products by all products. If one factor has a single product, the result is in
/// order already: multiplication keeps the order of products.
std::optional<Polynomial> multiplied(const Products& a, const Products& b) {
  if (a.size() * b.size() > kMaxProducts) return std::nullopt;
  std::optional<Polynomial> products(std::in_place);
  products->reserve(a.size() * b.size());
  for (const Product& x : a) {
    for (const Product& y : b) {
      const exact::Value coefficient = exact::multiply(x.coefficient, y.coefficient);
      if (!coefficient || x.degree() + y.degree() > kMaxDegree) return std::nullopt;
      products->push_back({*coefficient, merge(x.atoms, y.atoms)});
    }
  }
  if (a.size() == 1 || b.size() == 1) return products;
  return gathered(*std::move(products));
}

/// Divides product by product.
Division divide_by_product(const Int& value, const Product& divisor) {
  Polynomial quotient;
  Polynomial rest;
  for (const Product& product : Products(value)) {
    if (std::optional<Product> part = divided(product, divisor)) {
      quotient.push_back(*std::move(part));
    } else {
      rest.push_back(product);
    }
  }
  return {make_int(std::move(quotient)), make_int(std::move(rest))};
}

}  // namespace

std::optional<Polynomial> gathered(Polynomial products) {
  return gathered_by(std::move(products),
                     [](const Product& a, const Product& b) { return compare(a.atoms, b.atoms); });
}

void retain(const Term* term) noexcept {
  term->references_.fetch_add(1, std::memory_order_relaxed);
}

void release(const Term* term) noexcept {
  if (term->references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete term;
}

std::size_t hash_of(const Int& symbolic) { return symbolic.term().hash(); }

int compare(const Int& a, const Int& b) {
  if (a.is_symbolic() != b.is_symbolic()) return a.is_symbolic() ? 1 : -1;
  if (!a.is_symbolic()) return three_way(a.value(), b.value());
  if (&a.term() == &b.term()) return 0;
  const Polynomial& left = a.term().products();
  const Polynomial& right = b.term().products();
  if (left.size() != right.size()) return left.size() < right.size() ? -1 : 1;
  return first_difference(left, right, [](const Product& x, const Product& y) {
    const int order = compare(x.atoms, y.atoms);
    return order != 0 ? order : three_way(x.coefficient, y.coefficient);
  });
}

int compare(const Atom& a, const Atom& b) {
  if (&a == &b) return 0;
  if (a.operation() != b.operation()) return a.operation() < b.operation() ? -1 : 1;
  if (a.operation() == Operator::kVariable) return compare(a.variable(), b.variable());
  if (a.operation() == Operator::kSelect) {
    if (const int order = compare(a.condition(), b.condition()); order != 0) return order;
  }
  if (const int order = compare(a.left(), b.left()); order != 0) return order;
  return compare(a.right(), b.right());
}

int compare(const Monomial& a, const Monomial& b) {
  if (a.size() != b.size()) return a.size() > b.size() ? -1 : 1;
  return first_difference(
      a, b, [](const AtomPointer& x, const AtomPointer& y) { return compare(*x, *y); });
}

Atom::Atom(Variable variable) : operation_(Operator::kVariable), range_(quotient_range(variable)) {
  hash_ = std::hash<std::string>()(variable.name);
  for (const AtomPointer& factor : variable.factors) {
    depth_ = std::max(depth_, factor->depth() + 1);
    weight_ = add_weights(weight_, factor->weight());
  }
  for (const auto* bounds : {&variable.multiple_of, &variable.at_least, &variable.at_most}) {
    for (const Int& bound : *bounds) {
      depth_ = std::max(depth_, depth_of(bound) + 1);
      weight_ = add_weights(weight_, weight_of(bound));
    }
  }
  variable_ = std::make_shared<const Variable>(std::move(variable));
}

Atom::Atom(Operator operation, Int left, Int right)
    : operation_(operation),
      left_(std::move(left)),
      right_(std::move(right)),
      range_(operation_range(operation, left_, right_)),
      divisor_(operation_divisor(operation, left_, right_)),
      hash_(combine_hashes(
          combine_hashes(static_cast<std::size_t>(operation) + 1, std::hash<Int>()(left_)),
          std::hash<Int>()(right_))),
      weight_(add_weights(1, add_weights(weight_of(left_), weight_of(right_)))),
      depth_(1 + std::max(depth_of(left_), depth_of(right_))) {}

Atom::Atom(Condition condition, Int then, Int otherwise, const Range& range)
    : Atom(Operator::kSelect, std::move(then), std::move(otherwise)) {
  range_ = {std::max(range_.low, range.low), std::min(range_.high, range.high)};
  hash_ = combine_hashes(hash_, static_cast<std::size_t>(condition.predicate));
  for (const Int* side : {&condition.left, &condition.right}) {
    hash_ = combine_hashes(hash_, std::hash<Int>()(*side));
    weight_ = add_weights(weight_, weight_of(*side));
    depth_ = std::max(depth_, 1 + depth_of(*side));
  }
  condition_ = std::make_shared<const Condition>(std::move(condition));
}

Term::Term(Polynomial&& products) : products_(std::move(products)) {
  for (const Product& product : products_) {
    hash_ = combine_hashes(hash_, std::hash<std::int64_t>()(product.coefficient));
    weight_ = add_weights(weight_, 1);
    for (const AtomPointer& atom : product.atoms) {
      hash_ = combine_hashes(hash_, atom->hash());
      weight_ = add_weights(weight_, atom->weight());
      depth_ = std::max(depth_, atom->depth());
    }
  }
}

Int make_int(Polynomial&& products) {
  if (products.empty()) return 0;
  if (products.size() == 1 && products.front().degree() == 0) return products.front().coefficient;
  if (products.size() > kMaxProducts) return Int::undefined();
  Int made = Int::adopt(new Term(std::move(products)));
  const bool too_large = made.term().weight() > kMaxWeight || made.term().depth() > kMaxDepth;
  return too_large ? Int::undefined() : made;
}

Int make_int(AtomPointer atom) {
  Polynomial products(1);
  products.front().coefficient = 1;
  products.front().atoms.push_back(std::move(atom));
  return make_int(std::move(products));
}

Int make_operation(Operator operation, const Int& left, const Int& right) {
  return make_int(std::make_shared<const Atom>(operation, left, right));
}

Int make_variable(Variable variable) {
  const Range range = quotient_range(variable);
  AtomPointer atom;
  if (range.low != range.high) atom = std::make_shared<const Atom>(variable);
  Monomial factors = variable.factors;
  if (atom) factors = merge(factors, Monomial(1, atom));
  const exact::Value scale = atom ? variable.divisor : exact::multiply(variable.divisor, range.low);
  if (!scale) return Int::undefined();
  Polynomial products{{*scale, std::move(factors)}};
  if (variable.residue != 0) products.push_back({variable.residue, {}});
  return normal(gathered(std::move(products)));
}

bool is_assumed_multiple(const Int& value, const Int& divisor) {
  const auto shows = [&](const Product& product, const AtomPointer& atom) {
    if (atom->operation() != Operator::kVariable || atom->variable().multiple_of.empty()) {
      return false;
    }
    const Int whole = whole_variable(atom);
    const auto rest = exact_quotient(make_int(Polynomial(1, product)), whole);
    return rest && std::ranges::any_of(atom->variable().multiple_of, [&](const Int& part) {
             return exact_quotient(part * *rest, divisor).has_value();
           });
  };
  bool is_assumed = false;
  for (const Product& product : Products(value)) {
    if (exact_quotient(make_int(Polynomial(1, product)), divisor)) continue;
    is_assumed = std::ranges::any_of(product.atoms,
                                     [&](const AtomPointer& atom) { return shows(product, atom); });
    if (!is_assumed) return false;
  }
  return is_assumed;
}

Int taken_back(const Variable& variable, Product& rest) {
  Int missing = variable.divisor;
  if (variable.residue == 0) {
    const std::int64_t common = common_divisor(rest.coefficient, variable.divisor);
    rest.coefficient /= common;
    missing = variable.divisor / common;
  }
  for (const AtomPointer& factor : variable.factors) {
    const auto found = std::ranges::find_if(rest.atoms, SameAs{*factor});
    if (found != rest.atoms.end()) {
      rest.atoms.erase(found);
    } else {
      missing *= make_int(factor);
    }
  }
  return missing;
}

std::vector<AtomPointer> factors_of(const Int& value) {
  std::vector<AtomPointer> atoms;
  for_each_factor(value, [&](const AtomPointer& atom) {
    if (std::ranges::none_of(atoms, SameAs{*atom})) atoms.push_back(atom);
  });
  return atoms;
}

std::int64_t content_of(const Int& value) {
  std::int64_t content = 0;
  for (const Product& product : Products(value)) {
    content = common_divisor(content, product.coefficient);
  }
  return content;
}

std::int64_t constant_of(const Int& value) {
  const Products products(value);
  return products.empty() || products.back().degree() > 0 ? 0 : products.back().coefficient;
}

AtomPointer as_atom(const Int& value) {
  if (!value.is_symbolic()) return nullptr;
  const Polynomial& products = value.term().products();
  const bool is_atom =
      products.size() == 1 && products.front().degree() == 1 && products.front().coefficient == 1;
  return is_atom ? products.front().atoms.front() : nullptr;
}

std::optional<Int> exact_quotient(const Int& value, const Int& divisor) {
  if (!value.is_defined() || !divisor.is_defined()) return std::nullopt;
  const Division parts = divide(value, divisor);
  if (parts.rest != Int(0)) return std::nullopt;
  return parts.quotient;
}

Division divide(const Int& value, const Int& divisor) {
  const Products by(divisor);
  if (by.empty()) return {0, value};
  if (by.size() == 1) return divide_by_product(value, by.front());
  // Each step subtracts the leading product of the rest; an even division needs few steps.
  Division parts{0, value};
  for (int steps = 0; steps < kMaxDivisionSteps && parts.rest != Int(0); ++steps) {
    const std::optional<Product> step = divided(Products(parts.rest).front(), by.front());
    if (!step) break;
    const Int quotient = make_int(Polynomial(1, *step));
    const Int rest = parts.rest - quotient * divisor;
    if (!rest.is_defined()) break;
    parts = {parts.quotient + quotient, rest};
  }
  return parts;
}

Int replace_factor(const Int& value, const Atom& atom, const Int& by) {
  Int replaced = 0;
  Polynomial untouched;
  for (const Product& product : Products(value)) {
    auto times = std::ranges::count_if(product.atoms, SameAs{atom});
    if (times == 0) {
      untouched.push_back(product);
      continue;
    }
    Polynomial kept(1, Product{product.coefficient, {}});
    std::ranges::remove_copy_if(product.atoms, std::back_inserter(kept.front().atoms),
                                SameAs{atom});
    Int image = make_int(std::move(kept));
    for (; times > 0; --times) image *= by;
    replaced += image;
  }
  return replaced + make_int(std::move(untouched));
}

Int apply(Operator operation, const Int& left, const Int& right) {
  switch (operation) {
    case Operator::kQuotient:
      return floor_div(left, right);
    case Operator::kRemainder:
      return mod(left, right);
    case Operator::kMinimum:
      return min(left, right);
    case Operator::kMaximum:
      return max(left, right);
    case Operator::kGcd:
      return gcd(left, right);
    case Operator::kAnd:
      return bit_and(left, right);
    case Operator::kOr:
      return bit_or(left, right);
    case Operator::kXor:
      return bit_xor(left, right);
    case Operator::kShiftLeft:
      return shift_left(left, right);
    case Operator::kSquareRoot:
      return isqrt(left);
    default:
      return Int::undefined();
  }
}

}  // namespace heddle::expr

namespace heddle {

using expr::Products;

Int Int::symbolic_sum(const Int& a, const Int& b) {
  if (a == Int(0)) return b;
  if (b == Int(0)) return a;
  return expr::normal(expr::joined(Products(a), Products(b), exact::add));
}

Int Int::symbolic_difference(const Int& a, const Int& b) {
  if (b == Int(0)) return a;
  return expr::normal(expr::joined(Products(a), Products(b), exact::subtract));
}

Int Int::symbolic_product(const Int& a, const Int& b) {
  if (a == Int(1)) return b;
  if (b == Int(1)) return a;
  return expr::normal(expr::multiplied(Products(a), Products(b)));
}

bool Int::same_term(const Int& a, const Int& b) {
  return a.term().hash() == b.term().hash() && expr::compare(a, b) == 0;
}

}  // namespace heddle
