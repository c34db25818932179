#include "expr/term.h"

#include <algorithm>
#include <array>
#include <functional>

#include "expr/bounds.h"
#include "heddle/core/tuple.h"

namespace heddle::expr {
namespace {

constexpr int kMaxDivisionSteps = 64;

int three_way(std::int64_t a, std::int64_t b) { return (a > b) - (a < b); }

template <class T>
int three_way(const std::vector<T>& a, const std::vector<T>& b) {
  if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (const int order = compare(a[i], b[i]); order != 0) return order;
  }
  return 0;
}

int first_difference(std::initializer_list<int> orders) {
  const auto found = std::ranges::find_if(orders, [](int order) { return order != 0; });
  return found == orders.end() ? 0 : *found;
}

int compare(const Variable& a, const Variable& b) {
  return first_difference(
      {a.name.compare(b.name), three_way(a.range.low, b.range.low),
       three_way(a.range.high, b.range.high), three_way(a.divisor, b.divisor),
       three_way(a.residue, b.residue), expr::compare(a.factors, b.factors),
       three_way(a.at_least, b.at_least), three_way(a.at_most, b.at_most)});
}

std::uint32_t weight_of(const Int& value) { return value.is_symbolic() ? value.term().weight() : 1; }
std::uint32_t depth_of(const Int& value) { return value.is_symbolic() ? value.term().depth() : 0; }

/// Sums of weights stop here, far above what is allowed and far below wrapping.
std::uint32_t add_weights(std::uint32_t a, std::uint32_t b) { return std::min(a + b, 1U << 30); }

/// Sorts products and gathers those with the same atoms; nothing where a coefficient goes past 64
/// bits.
std::optional<Polynomial> gathered(Polynomial products) {
  std::ranges::sort(products, [](const Product& a, const Product& b) {
    return compare(a.atoms, b.atoms) < 0;
  });
  Polynomial sum;
  for (Product& product : products) {
    if (sum.empty() || compare(sum.back().atoms, product.atoms) != 0) {
      if (!sum.empty() && sum.back().coefficient == 0) sum.pop_back();
      sum.push_back(std::move(product));
      continue;
    }
    const exact::Value coefficient = exact::add(sum.back().coefficient, product.coefficient);
    if (!coefficient) return std::nullopt;
    sum.back().coefficient = *coefficient;
  }
  if (!sum.empty() && sum.back().coefficient == 0) sum.pop_back();
  return sum;
}

Monomial merge(const Monomial& a, const Monomial& b) {
  Monomial both;
  both.reserve(a.size() + b.size());
  std::ranges::merge(a, b, std::back_inserter(both),
                     [](const AtomPointer& x, const AtomPointer& y) { return compare(*x, *y) < 0; });
  return both;
}

/// The atoms of `all` without those of `part`; nothing where one is missing.
std::optional<Monomial> without(const Monomial& all, const Monomial& part) {
  if (part.size() > all.size()) return std::nullopt;
  Monomial rest;
  auto next = part.begin();
  for (const AtomPointer& atom : all) {
    if (next != part.end() && compare(*atom, **next) == 0) {
      ++next;
    } else {
      rest.push_back(atom);
    }
  }
  if (next != part.end()) return std::nullopt;
  return rest;
}

/// x%d * f + d*f * (x//d) is x*f: puts remainders and quotients together where both are there.
std::optional<Int> reunited(const Polynomial& products) {
  for (const Product& product : products) {
    for (const AtomPointer& atom : product.atoms) {
      if (atom->operation() != Operator::kRemainder) continue;
      const Monomial others = *without(product.atoms, Monomial(1, atom));
      const Int quotient = make_operation(Operator::kQuotient, atom->left(), atom->right());
      const Int rest = make_int(Polynomial{{product.coefficient, others}});
      const Int partner = rest * atom->right() * quotient;
      if (!partner.is_symbolic()) continue;
      // Every product of the partner has to be there, with its very coefficient.
      const bool all_there = std::ranges::all_of(partner.term().products(), [&](const Product& p) {
        return std::ranges::any_of(products, [&](const Product& q) {
          return q.coefficient == p.coefficient && compare(q.atoms, p.atoms) == 0;
        });
      });
      if (!all_there) continue;
      Polynomial remaining = products;
      remaining.push_back({-product.coefficient, product.atoms});
      for (const Product& p : partner.term().products()) {
        remaining.push_back({-p.coefficient, p.atoms});
      }
      const std::optional<Polynomial> kept = gathered(std::move(remaining));
      if (!kept) return std::nullopt;
      return make_int(*kept) + rest * atom->left();
    }
  }
  return std::nullopt;
}

bool has_remainder_and_quotient(const Polynomial& products) {
  const auto has = [&](Operator operation) {
    return std::ranges::any_of(products, [&](const Product& product) {
      return std::ranges::any_of(product.atoms, [&](const AtomPointer& atom) {
        return atom->operation() == operation;
      });
    });
  };
  return has(Operator::kRemainder) && has(Operator::kQuotient);
}

Int normal(Polynomial products) {
  std::optional<Polynomial> sum = gathered(std::move(products));
  if (!sum) return Int::undefined();
  if (has_remainder_and_quotient(*sum)) {
    if (std::optional<Int> whole = reunited(*sum)) return *whole;
  }
  return make_int(*std::move(sum));
}

}  // namespace

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
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (const int order = compare(left[i].atoms, right[i].atoms); order != 0) return order;
    if (left[i].coefficient != right[i].coefficient) {
      return three_way(left[i].coefficient, right[i].coefficient);
    }
  }
  return 0;
}

int compare(const Atom& a, const Atom& b) {
  if (&a == &b) return 0;
  if (a.operation() != b.operation()) return a.operation() < b.operation() ? -1 : 1;
  if (a.operation() == Operator::kVariable) return compare(a.variable(), b.variable());
  if (const int order = compare(a.left(), b.left()); order != 0) return order;
  return compare(a.right(), b.right());
}

int compare(const Monomial& a, const Monomial& b) {
  if (a.size() != b.size()) return a.size() > b.size() ? -1 : 1;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (const int order = compare(*a[i], *b[i]); order != 0) return order;
  }
  return 0;
}

Atom::Atom(Variable variable) : operation_(Operator::kVariable), range_(quotient_range(variable)) {
  hash_ = std::hash<std::string>()(variable.name);
  for (const auto* bounds : {&variable.at_least, &variable.at_most}) {
    for (const Int& bound : *bounds) depth_ = std::max(depth_, depth_of(bound) + 1);
  }
  variable_ = std::make_shared<const Variable>(std::move(variable));
}

Atom::Atom(Operator operation, Int left, Int right)
    : operation_(operation),
      left_(std::move(left)),
      right_(std::move(right)),
      range_(operation_range(operation, left_, right_)),
      divisor_(operation_divisor(operation, left_, right_)),
      hash_(combine_hashes(combine_hashes(static_cast<std::size_t>(operation) + 1,
                                          std::hash<Int>()(left_)),
                           std::hash<Int>()(right_))),
      weight_(add_weights(1, add_weights(weight_of(left_), weight_of(right_)))),
      depth_(1 + std::max(depth_of(left_), depth_of(right_))) {}

Term::Term(Polynomial products) : products_(std::move(products)) {
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

Int make_int(Polynomial products) {
  if (products.empty()) return 0;
  if (products.size() == 1 && products.front().degree() == 0) return products.front().coefficient;
  if (products.size() > kMaxProducts) return Int::undefined();
  Int made = Int::adopt(new Term(std::move(products)));
  const bool too_large = made.term().weight() > kMaxWeight || made.term().depth() > kMaxDepth;
  return too_large ? Int::undefined() : made;
}

Polynomial polynomial(const Int& value) {
  if (value.is_symbolic()) return value.term().products();
  if (value.value() == 0) return {};
  return {{value.value(), {}}};
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
  const exact::Value scale =
      atom ? variable.divisor : exact::multiply(variable.divisor, range.low);
  if (!scale) return Int::undefined();
  return make_int(*gathered({{*scale, std::move(factors)}, {variable.residue, {}}}));
}

Int whole_variable(const AtomPointer& atom) {
  const Variable& variable = atom->variable();
  return make_int(
      *gathered({{variable.divisor, merge(variable.factors, Monomial(1, atom))},
                 {variable.residue, {}}}));
}

AtomPointer as_atom(const Int& value) {
  if (!value.is_symbolic()) return nullptr;
  const Polynomial& products = value.term().products();
  const bool is_atom = products.size() == 1 && products.front().degree() == 1 &&
                       products.front().coefficient == 1;
  return is_atom ? products.front().atoms.front() : nullptr;
}

std::optional<Int> exact_quotient(const Int& value, const Int& divisor) {
  if (divisor == Int(0)) return std::nullopt;
  const Polynomial by = polynomial(divisor);
  const Product& leading = by.front();
  Int rest = value;
  Int quotient = 0;
  // Each step takes away the leading product of the rest; few are needed where it comes out even.
  for (int steps = 0; rest != Int(0); ++steps) {
    if (!rest.is_defined() || steps == kMaxDivisionSteps) return std::nullopt;
    const Polynomial products = polynomial(rest);
    const Product& first = products.front();
    std::optional<Monomial> atoms = without(first.atoms, leading.atoms);
    if (!atoms || exact::floor_modulo(first.coefficient, leading.coefficient) != 0) {
      return std::nullopt;
    }
    const exact::Value coefficient =
        exact::floor_divide(first.coefficient, leading.coefficient);
    if (!coefficient) return std::nullopt;
    const Int step = make_int(Polynomial{{*coefficient, *std::move(atoms)}});
    const Int next = rest - step * divisor;
    quotient += step;
    rest = next;
  }
  return quotient;
}

Int replace_factor(const Int& value, const Atom& atom, const Int& by) {
  if (!value.is_symbolic()) return value;
  Int replaced = 0;
  for (const Product& product : value.term().products()) {
    Int image = product.coefficient;
    Monomial kept;
    std::size_t times = 0;
    for (const AtomPointer& factor : product.atoms) {
      if (compare(*factor, atom) == 0) {
        ++times;
      } else {
        kept.push_back(factor);
      }
    }
    image = make_int(Polynomial{{product.coefficient, std::move(kept)}});
    for (; times > 0; --times) image *= by;
    replaced += image;
  }
  return replaced;
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
    case Operator::kPowerOfTwo:
      return shift_left(1, left);
    case Operator::kVariable:
      break;
  }
  return Int::undefined();
}

}  // namespace heddle::expr

namespace heddle {

using expr::polynomial;
using expr::Polynomial;
using expr::Product;

Int Int::symbolic_sum(const Int& a, const Int& b) {
  Polynomial products = polynomial(a);
  const Polynomial more = polynomial(b);
  products.insert(products.end(), more.begin(), more.end());
  return expr::normal(std::move(products));
}

Int Int::symbolic_difference(const Int& a, const Int& b) { return a + Int(-1) * b; }

Int Int::symbolic_product(const Int& a, const Int& b) {
  const Polynomial left = polynomial(a);
  const Polynomial right = polynomial(b);
  if (left.size() * right.size() > expr::kMaxProducts) return undefined();
  Polynomial products;
  products.reserve(left.size() * right.size());
  for (const Product& x : left) {
    for (const Product& y : right) {
      const exact::Value coefficient = exact::multiply(x.coefficient, y.coefficient);
      if (!coefficient || x.degree() + y.degree() > expr::kMaxDegree) return undefined();
      products.push_back({*coefficient, expr::merge(x.atoms, y.atoms)});
    }
  }
  return expr::normal(std::move(products));
}

bool Int::same_term(const Int& a, const Int& b) { return expr::compare(a, b) == 0; }

}  // namespace heddle
