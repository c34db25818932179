#pragma once

// The term of a symbolic Int: a polynomial over atoms in normal form.
//
//   3*M*N + 2*(M//8) - 1     products of degree 2, 1 and 0, each a coefficient and sorted atoms
//
// An atom is a variable or an operation that does not simplify (a quotient, a remainder, a minimum,
// …) on terms of its own. A variable M known to be a multiple of 128 has the atom M//128, and M is
// 128 times that: division by any part of 128 is then division of a coefficient.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "heddle/core/inline_vector.h"
#include "heddle/expr/code_operation.h"
#include "heddle/expr/condition.h"
#include "heddle/expr/int.h"
#include "heddle/expr/variables.h"

namespace heddle::expr {

/// The kind of an atom: a variable, or an operation that does not become a sum of products. A power
/// of two is 1 shifted to the left.
using Operator = CodeOperation;

class Atom;
using AtomPointer = std::shared_ptr<const Atom>;
using Monomial = InlineVector<AtomPointer, 2>;

/// coefficient * atoms; the atoms are in order, each repeated as often as it occurs.
struct Product {
  std::int64_t coefficient = 0;
  Monomial atoms;

  [[nodiscard]] std::size_t degree() const { return atoms.size(); }
};

/// Products in order: greater degree first, none twice, no coefficient 0. Most terms have one or
/// two.
using Polynomial = InlineVector<Product, 2>;

/// Terms larger than this (in atoms, written out as a tree) or deeper are undefined, which bounds
/// the size of all terms.
inline constexpr std::uint32_t kMaxWeight = 1U << 14;
inline constexpr std::uint32_t kMaxDepth = 256;
inline constexpr std::size_t kMaxProducts = 1U << 10;
inline constexpr std::size_t kMaxDegree = 32;

/// All assumptions about variables that conditions connect, directly or through others.
struct JointAssumptions {
  std::vector<Condition> conditions;
  /// The least value of a variable without other facts.
  std::int64_t default_low = 1;
};

/// The facts known of a variable beside its name. The variable is divisor * (product of factors) *
/// quotient + residue; its atom is the quotient.
struct Variable {
  std::string name;
  /// The range of the variable itself.
  Range range;
  std::int64_t divisor = 1;
  std::int64_t residue = 0;
  /// Variables that divide it.
  Monomial factors;
  /// Products that divide it too, though their product with divisor and factors need not: for
  /// T%X==0, T%Y==0 the variable is X*quotient, and Y divides it. Each is a lower bound as well.
  std::vector<Int> multiple_of;
  /// Terms that are lower bounds (at_least) and upper bounds (at_most) of it.
  std::vector<Int> at_least;
  std::vector<Int> at_most;
  /// Null if no assumption connects it with another variable. It follows from the name and is not
  /// compared.
  std::shared_ptr<const JointAssumptions> joint;

  /// Whether only a range and divisors are known.
  [[nodiscard]] bool is_unrelated() const { return at_least.empty() && at_most.empty(); }
  /// Whether the quotient is the variable itself.
  [[nodiscard]] bool is_whole() const { return divisor == 1 && residue == 0 && factors.empty(); }
};

class Atom {
 public:
  explicit Atom(Variable variable);
  Atom(Operator operation, Int left, Int right);
  /// A select, in normal form; the range holds the values of each branch on its side of the
  /// condition.
  Atom(Condition condition, Int then, Int otherwise, const Range& range);

  [[nodiscard]] Operator operation() const { return operation_; }
  /// Only for kVariable.
  [[nodiscard]] const Variable& variable() const { return *variable_; }
  /// Only for kSelect, whose branches are left and right.
  [[nodiscard]] const Condition& condition() const { return *condition_; }
  [[nodiscard]] const Int& left() const { return left_; }
  [[nodiscard]] const Int& right() const { return right_; }
  /// Holds every value of the atom.
  [[nodiscard]] const Range& range() const { return range_; }
  /// Divides every value of the atom.
  [[nodiscard]] std::int64_t divisor() const { return divisor_; }
  [[nodiscard]] std::size_t hash() const { return hash_; }
  [[nodiscard]] std::uint32_t weight() const { return weight_; }
  [[nodiscard]] std::uint32_t depth() const { return depth_; }

 private:
  Operator operation_;
  std::shared_ptr<const Variable> variable_;
  std::shared_ptr<const Condition> condition_;
  Int left_;
  Int right_;
  Range range_;
  std::int64_t divisor_ = 1;
  std::size_t hash_ = 0;
  std::uint32_t weight_ = 1;
  std::uint32_t depth_ = 1;
};

/// A total order by structure: below, at or above 0.
[[nodiscard]] int compare(const Atom& a, const Atom& b);
[[nodiscard]] inline bool same(const Atom& a, const Atom& b) {
  return &a == &b || (a.hash() == b.hash() && compare(a, b) == 0);
}
/// A predicate: whether another atom is the same as this one.
struct SameAs {
  const Atom& atom;
  bool operator()(const AtomPointer& other) const { return same(*other, atom); }
};
struct AtomHash {
  std::size_t operator()(const AtomPointer& atom) const { return atom->hash(); }
};
struct AtomEqual {
  bool operator()(const AtomPointer& a, const AtomPointer& b) const { return same(*a, *b); }
};
template <class T>
using AtomMap = std::unordered_map<AtomPointer, T, AtomHash, AtomEqual>;

[[nodiscard]] int compare(const Int& a, const Int& b);
/// Compares by degree, the greater one first, then atom by atom.
[[nodiscard]] int compare(const Monomial& a, const Monomial& b);

/// A polynomial that is not a constant; counts the Ints that hold it.
class Term {
 public:
  explicit Term(Polynomial&& products);

  [[nodiscard]] const Polynomial& products() const { return products_; }
  [[nodiscard]] std::size_t hash() const { return hash_; }
  [[nodiscard]] std::uint32_t weight() const { return weight_; }
  [[nodiscard]] std::uint32_t depth() const { return depth_; }

 private:
  friend void retain(const Term* term) noexcept;
  friend void release(const Term* term) noexcept;

  Polynomial products_;
  std::size_t hash_ = 0;
  std::uint32_t weight_ = 0;
  std::uint32_t depth_ = 0;
  mutable std::atomic<std::uint32_t> references_{1};
};

/// The Int with these products, which are in normal form: a constant if no atom is left.
[[nodiscard]] Int make_int(Polynomial&& products);
/// A view of the products of any defined Int; none for 0. The Int outlives it.
class Products {
 public:
  explicit Products(const Int& value) {
    if (value.is_symbolic()) {
      const Polynomial& products = value.term().products();
      products_ = {products.data(), products.size()};
    } else if (value.value() != 0) {
      constant_.coefficient = value.value();
      products_ = {&constant_, 1};
    }
  }
  Products(const Products&) = delete;
  Products& operator=(const Products&) = delete;

  [[nodiscard]] auto begin() const { return products_.begin(); }
  [[nodiscard]] auto end() const { return products_.end(); }
  [[nodiscard]] std::size_t size() const { return products_.size(); }
  [[nodiscard]] bool empty() const { return products_.empty(); }
  [[nodiscard]] const Product& front() const { return products_.front(); }
  [[nodiscard]] const Product& back() const { return products_.back(); }

 private:
  Product constant_;
  std::span<const Product> products_;
};

/// Visits the factors of all products of a value.
template <class Visit>
void for_each_factor(const Int& value, Visit visit) {
  if (!value.is_symbolic()) return;
  for (const Product& product : value.term().products()) {
    for (const AtomPointer& atom : product.atoms) visit(atom);
  }
}

/// Visits the operands of an operation, those of a choice's condition first.
template <class Visit>
void for_each_operand(const Atom& atom, Visit visit) {
  if (atom.operation() == Operator::kVariable) return;
  if (atom.operation() == Operator::kSelect) {
    visit(atom.condition().left);
    visit(atom.condition().right);
  }
  visit(atom.left());
  visit(atom.right());
}

/// The value with `image(atom)` for each factor of a product.
template <class Image>
[[nodiscard]] Int with_factors(const Int& value, Image image) {
  if (!value.is_symbolic()) return value;
  Int sum = 0;
  for (const Product& product : value.term().products()) {
    Int part = product.coefficient;
    for (const AtomPointer& atom : product.atoms) part *= image(atom);
    sum += part;
  }
  return sum;
}

/// Sorts the parts of a sum by the three-way `compare`, and gathers like ones; nullopt if a
/// coefficient exceeds 64 bits.
template <class Parts, class Compare>
[[nodiscard]] std::optional<Parts> gathered_by(Parts parts, Compare compare) {
  std::ranges::sort(parts, [&](const auto& a, const auto& b) { return compare(a, b) < 0; });
  Parts sum;
  for (auto& part : parts) {
    if (!sum.empty() && compare(sum.back(), part) == 0) {
      const exact::Value coefficient = exact::add(sum.back().coefficient, part.coefficient);
      if (!coefficient) return std::nullopt;
      sum.back().coefficient = *coefficient;
      continue;
    }
    if (!sum.empty() && sum.back().coefficient == 0) sum.pop_back();
    sum.push_back(std::move(part));
  }
  if (!sum.empty() && sum.back().coefficient == 0) sum.pop_back();
  return sum;
}

/// Sorts products and gathers those with the same atoms; nullopt if a coefficient exceeds 64 bits.
[[nodiscard]] std::optional<Polynomial> gathered(Polynomial products);
/// The Int that is this one atom.
[[nodiscard]] Int make_int(AtomPointer atom);
/// An operation that does not simplify.
[[nodiscard]] Int make_operation(Operator operation, const Int& left, const Int& right);
/// A variable with all facts known of it; a constant if only one value is left. The range must not
/// be empty.
[[nodiscard]] Int make_variable(Variable variable);
/// divisor * factors, the unit of the quotient; `image(factor)` gives the value of a factor.
template <class Image>
[[nodiscard]] Int unit_of(const Variable& variable, Image image) {
  Int unit = variable.divisor;
  for (const AtomPointer& factor : variable.factors) unit *= image(factor);
  return unit;
}
[[nodiscard]] inline Int unit_of(const Variable& variable) {
  return unit_of(variable, [](const AtomPointer& factor) { return make_int(factor); });
}
/// The variable at a value of its quotient atom.
template <class Image>
[[nodiscard]] Int whole_value(const Variable& variable, const Int& quotient, Image image) {
  return unit_of(variable, image) * quotient + variable.residue;
}
/// The value of its quotient atom if the variable has the value `whole`.
template <class Image>
[[nodiscard]] Int quotient_at(const Variable& variable, const Int& whole, Image image) {
  return floor_div(whole - variable.residue, unit_of(variable, image));
}
/// The variable that a quotient atom belongs to.
[[nodiscard]] inline Int whole_variable(const AtomPointer& atom) {
  return unit_of(atom->variable()) * make_int(atom) + atom->variable().residue;
}

/// Whether Variable::multiple_of shows that the divisor divides each summand that it does not
/// divide visibly: Y | T*k + Y*r.
[[nodiscard]] bool is_assumed_multiple(const Int& value, const Int& divisor);

/// The variable divided by those of its divisors that a product lacks; the product loses the
/// others: beside 64*K, the missing divisor of M = 128*K*quotient is 2.
[[nodiscard]] Int taken_back(const Variable& variable, Product& rest);

/// Takes the atoms out of a product and visits them, first those that depend on others: `visit` may
/// take out those others itself.
template <class Visit>
void take_apart(Product& rest, Visit visit) {
  for (const bool depends : {true, false}) {
    for (std::size_t i = 0; i < rest.atoms.size();) {
      const AtomPointer atom = rest.atoms[i];
      const bool has_factors =
          atom->operation() == Operator::kVariable && !atom->variable().factors.empty();
      if (depends && !has_factors) {
        ++i;
        continue;
      }
      rest.atoms.erase(rest.atoms.begin() + static_cast<std::ptrdiff_t>(i));
      visit(atom);
      i = 0;
    }
  }
}

/// The factors of all products of a value, each once.
[[nodiscard]] std::vector<AtomPointer> factors_of(const Int& value);

/// The greatest common divisor of the coefficients; 0 for 0.
[[nodiscard]] std::int64_t content_of(const Int& value);
/// The constant in the sum.
[[nodiscard]] std::int64_t constant_of(const Int& value);

/// The one atom that the value is, if it is one.
[[nodiscard]] AtomPointer as_atom(const Int& value);

/// value = quotient * divisor + rest.
struct Division {
  Int quotient;
  Int rest;
};

/// Division of polynomials: product by product for a divisor of one product, otherwise as long as
/// the leading product of the divisor divides that of the rest.
[[nodiscard]] Division divide(const Int& value, const Int& divisor);

/// value / divisor if that leaves no remainder as a polynomial; nullopt otherwise.
[[nodiscard]] std::optional<Int> exact_quotient(const Int& value, const Int& divisor);

/// The value with an atom replaced wherever it is a factor of a product (not within other atoms).
[[nodiscard]] Int replace_factor(const Int& value, const Atom& atom, const Int& by);

/// An operation (no choice, no variable) on other operands.
[[nodiscard]] Int apply(Operator operation, const Int& left, const Int& right);

}  // namespace heddle::expr
