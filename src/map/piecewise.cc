#include "map/piecewise.h"

#include <algorithm>

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
  return {sum_of(left, values), constraint.is_equality ? Relation::kEqual : Relation::kAtMost,
          sum_of(right, values)};
}

std::vector<Condition> conditions_of(const AffinePiece& piece, std::span<const Int> values) {
  std::vector<Condition> conditions;
  for (const AffineConstraint& constraint : piece.constraints) {
    conditions.push_back(condition_of(constraint, values));
  }
  return conditions;
}

/// `inside` where all conditions hold.
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
  for (Condition& condition : conditions_of(piece, values)) {
    if (known_false(condition)) return std::nullopt;
    if (!known(condition)) result.conditions.push_back(std::move(condition));
  }
  result.outputs = outputs_of(piece, values);
  return result;
}

}  // namespace heddle::map
