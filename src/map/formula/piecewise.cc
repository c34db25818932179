#include "map/formula/piecewise.h"

#include <algorithm>
#include <utility>

#include "expr/term/term.h"
#include "heddle/core/exact.h"
#include "heddle/expr/proof.h"

namespace heddle::map {
namespace {

using Values = std::vector<std::int64_t>;

std::optional<std::int64_t> sum_at(const AffineSum& sum, std::span<const std::int64_t> values) {
  std::int64_t result = sum.constant;
  for (const auto& [index, coefficient] : sum.terms) {
    std::int64_t product = 0;
    if (__builtin_mul_overflow(coefficient, values[index], &product) ||
        __builtin_add_overflow(result, product, &result)) {
      return std::nullopt;
    }
  }
  return result;
}

std::optional<std::int64_t> quotient_at(const AffineQuotient& quotient,
                                        std::span<const std::int64_t> values) {
  const std::optional<std::int64_t> numerator = sum_at(quotient.numerator, values);
  if (!numerator || quotient.divisor == 1) return numerator;
  return exact::floor_divide(*numerator, quotient.divisor);
}

PointImage image_in(const AffinePiece& piece, Values values) {
  const PointImage overflow{PointImage::State::kOverflow, {}};
  for (const AffineQuotient& quotient : piece.quotients) {
    const std::optional<std::int64_t> value = quotient_at(quotient, values);
    if (!value) return overflow;
    values.push_back(*value);
  }
  for (const AffineConstraint& constraint : piece.constraints) {
    const std::optional<std::int64_t> value = sum_at(constraint.sum, values);
    if (!value) return overflow;
    if (constraint.is_equality ? *value != 0 : *value < 0) return {};
  }
  PointImage image{PointImage::State::kInside, {}};
  for (const AffineQuotient& output : piece.outputs) {
    const std::optional<std::int64_t> value = quotient_at(output, values);
    if (!value) return overflow;
    image.values.push_back(*value);
  }
  return image;
}

Int sum_of(const AffineSum& sum, std::span<const Int> values) {
  Int result = sum.constant;
  for (const auto& [index, coefficient] : sum.terms) result += coefficient * values[index];
  return result;
}

Int quotient_of(const AffineQuotient& quotient, std::span<const Int> values) {
  return floor_div(sum_of(quotient.numerator, values), quotient.divisor);
}

std::vector<Int> values_of(const AffinePiece& piece, std::span<const Int> point) {
  std::vector<Int> values(point.begin(), point.end());
  for (const AffineQuotient& quotient : piece.quotients) {
    values.push_back(quotient_of(quotient, values));
  }
  return values;
}

std::vector<Int> outputs_of(const AffinePiece& piece, std::span<const Int> values) {
  std::vector<Int> outputs;
  for (const AffineQuotient& output : piece.outputs) outputs.push_back(quotient_of(output, values));
  return outputs;
}

/// The negative terms of a sum on one side and the others on the other: `0 <= 7 - c` as `c <= 7`.
Condition condition_of(const AffineConstraint& constraint, std::span<const Int> values) {
  AffineSum left;
  AffineSum right;
  for (const auto& [index, coefficient] : constraint.sum.terms) {
    if (coefficient > 0) {
      right.terms.emplace_back(index, coefficient);
    } else {
      left.terms.emplace_back(index, -coefficient);
    }
  }
  (constraint.sum.constant < 0 ? left : right).constant =
      constraint.sum.constant < 0 ? -constraint.sum.constant : constraint.sum.constant;
  return {sum_of(left, values), constraint.is_equality ? Predicate::kEqual : Predicate::kAtMost,
          sum_of(right, values)};
}

/// A number that is one quotient floor(left / divisor), or one remainder, times a coefficient.
struct Division {
  Int left;
  std::int64_t divisor = 1;
  std::int64_t coefficient = 1;
};

std::optional<Division> division_in(const expr::Product& product, expr::Operator operation) {
  if (product.atoms.size() != 1 || product.atoms[0]->operation() != operation) return std::nullopt;
  const expr::Atom& atom = *product.atoms[0];
  if (!atom.right().is_constant() || atom.right().value() < 2) return std::nullopt;
  return Division{atom.left(), atom.right().value(), product.coefficient};
}

std::size_t count_terms(const Int& value) { return expr::Products(value).size(); }

/// The coefficient of `part`, a variable or a quotient, in the sum.
std::int64_t coefficient_of(const Int& part, const Int& sum) {
  const expr::AtomPointer atom = expr::as_atom(part);
  if (atom == nullptr) return 0;
  for (const expr::Product& product : expr::Products(sum)) {
    if (product.atoms.size() == 1 && expr::same(*product.atoms[0], *atom)) {
      return product.coefficient;
    }
  }
  return 0;
}

/// d if `part` is a single quotient n//d, else 1.
std::int64_t divisor_of(const Int& part) {
  const expr::AtomPointer atom = expr::as_atom(part);
  const bool is_quotient = atom != nullptr && atom->operation() == expr::Operator::kQuotient &&
                           atom->right().is_constant();
  return is_quotient ? atom->right().value() : 1;
}

/// The sum with j*n + k*(n//d) in it written as j*(n%d) + (k + j*d)*(n//d).
Int with_remainder(const Int& sum, const Int& n, const Division& quotient, std::int64_t j) {
  const Int atom = expr::make_operation(expr::Operator::kQuotient, quotient.left, quotient.divisor);
  const Int extent = floor_div(Int(quotient.divisor), divisor_of(n));
  return sum - Int(j) * n + Int(j) * extent * atom +
         Int(j) * expr::make_operation(expr::Operator::kRemainder, n, extent);
}

/// The candidates for n in a quotient floor(n / d): n//12 is a quotient of n, of n//3 and of n//4.
std::vector<Int> divided_parts(const Int& sum, const Division& quotient) {
  std::vector<Int> parts;
  for (const expr::Product& product : expr::Products(sum)) {
    const std::optional<Division> other = division_in(product, expr::Operator::kQuotient);
    if (!other || other->left != quotient.left || other->divisor >= quotient.divisor ||
        quotient.divisor % other->divisor != 0) {
      continue;
    }
    parts.push_back(expr::make_operation(expr::Operator::kQuotient, other->left, other->divisor));
  }
  return parts;
}

/// n - d * floor(n / d) is written as a remainder if that is shorter.
std::optional<Int> with_shorter_remainder(const Int& sum, const Division& quotient) {
  const auto& [n, d, k] = quotient;
  if (k % d == 0) {
    const Int result = with_remainder(sum, n, quotient, -(k / d));
    if (result.is_defined() && count_terms(result) < count_terms(sum)) return result;
  }
  std::vector<Int> parts = divided_parts(sum, quotient);
  parts.push_back(n);
  for (const Int& part : parts) {
    const std::int64_t j = coefficient_of(part, sum);
    const Int left = k + j * floor_div(Int(d), divisor_of(part));
    if (j == 0 || !left.is_defined() || exact::absolute(left.value()) >= exact::absolute(k)) {
      continue;
    }
    const Int result = with_remainder(sum, part, quotient, j);
    if (result.is_defined()) return result;
  }
  return std::nullopt;
}

/// floor((3 - c) / 4) = -floor(c / 4), so that no quotient begins with a negative number.
std::optional<Int> with_positive_quotient(const Int& sum, const Division& quotient) {
  const auto& [n, d, k] = quotient;
  if (expr::Products(n).front().coefficient > 0) return std::nullopt;
  const Int atom = expr::make_operation(expr::Operator::kQuotient, n, d);
  const Int result = sum - Int(k) * atom - Int(k) * floor_div(Int(d - 1) - n, d);
  return result.is_defined() ? std::optional(result) : std::nullopt;
}

template <class Rewrite>
Int rewritten(Int sum, Rewrite rewrite) {
  // Each rewriting shortens the sum or reduces a number in it.
  constexpr int kMaxSteps = 256;
  for (int step = 0; step < kMaxSteps; ++step) {
    std::optional<Int> next;
    for (const expr::Product& product : expr::Products(sum)) {
      const std::optional<Division> quotient = division_in(product, expr::Operator::kQuotient);
      if (quotient) next = rewrite(sum, *quotient);
      if (next) break;
    }
    if (!next) return sum;
    sum = *next;
  }
  return sum;
}

/// The sum in the form that is easiest to read.
Int tidy(const Int& sum) {
  if (!sum.is_symbolic()) return sum;
  return rewritten(rewritten(rewritten(sum, with_shorter_remainder), with_positive_quotient),
                   with_shorter_remainder);
}

/// `x - 2*(x//2) == 1` as `x%2 == 1`.
std::optional<Condition> as_remainder(const Int& difference) {
  const Int sum = tidy(difference);
  Int constant = 0;
  std::optional<Division> remainder;
  for (const expr::Product& product : expr::Products(sum)) {
    if (product.atoms.empty()) {
      constant = product.coefficient;
      continue;
    }
    if (remainder) return std::nullopt;
    remainder = division_in(product, expr::Operator::kRemainder);
    if (!remainder) return std::nullopt;
  }
  if (!remainder || !known_divides(remainder->coefficient, constant)) return std::nullopt;
  const Int wanted = -floor_div(constant, remainder->coefficient);
  if (!known_at_most(0, wanted) || !known_less(wanted, remainder->divisor)) return std::nullopt;
  // (x + 1) % 2 == 0 means x % 2 == 1.
  Int shift = 0;
  for (const expr::Product& product : expr::Products(remainder->left)) {
    if (product.atoms.empty()) shift = product.coefficient;
  }
  return Condition{mod(remainder->left - shift, remainder->divisor), Predicate::kEqual,
                   mod(wanted - shift, remainder->divisor)};
}

Condition tidy(const Condition& condition) {
  const Int difference = condition.right - condition.left;
  if (condition.predicate == Predicate::kEqual && difference.is_symbolic()) {
    if (auto remainder = as_remainder(difference)) return *remainder;
  }
  return {tidy(condition.left), condition.predicate, tidy(condition.right)};
}

std::vector<Condition> conditions_of(const AffinePiece& piece, std::span<const Int> values) {
  std::vector<Condition> conditions;
  for (const AffineConstraint& constraint : piece.constraints) {
    conditions.push_back(condition_of(constraint, values));
  }
  return conditions;
}

/// `inside` if all conditions hold, otherwise `outside`.
Int guarded(std::span<const Condition> conditions, const Int& inside, const Int& outside) {
  Int result = inside;
  for (std::size_t i = conditions.size(); i-- > 0;) {
    result = select(conditions[i], result, outside);
  }
  return result;
}

}  // namespace

PointImage Piecewise::operator()(std::span<const std::int64_t> point) const {
  PointImage image;
  for (const AffinePiece& piece : pieces) {
    image = image_in(piece, Values(point.begin(), point.end()));
    if (image.state != PointImage::State::kOutside) return image;
  }
  return image;
}

std::vector<Int> Piecewise::operator()(std::span<const Int> point) const {
  std::vector<Int> result(outputs, Int::undefined());
  for (std::size_t i = pieces.size(); i-- > 0;) {
    const std::vector<Int> values = values_of(pieces[i], point);
    std::vector<Int> inside = outputs_of(pieces[i], values);
    for (Int& output : inside) output = tidy(output);
    if (i + 1 == pieces.size()) {
      result = std::move(inside);
      continue;
    }
    const std::vector<Condition> conditions = conditions_of(pieces[i], values);
    for (std::size_t k = 0; k < outputs; ++k) {
      result[k] = guarded(conditions, inside[k], result[k]);
    }
  }
  return result;
}

std::optional<Piece> to_piece(const AffinePiece& piece, std::span<const Int> point) {
  const std::vector<Int> values = values_of(piece, point);
  Piece result;
  for (const Condition& condition : conditions_of(piece, values)) {
    if (known_false(condition)) return std::nullopt;
    if (known(condition)) continue;
    result.conditions.push_back(tidy(condition));
    Condition& last = result.conditions.back();
    if (last.predicate == Predicate::kEqual && last.left.is_constant())
      std::swap(last.left, last.right);
  }
  for (const Int& output : outputs_of(piece, values)) result.outputs.push_back(tidy(output));
  return result;
}

}  // namespace heddle::map
