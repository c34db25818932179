#include "map/formula/count_points.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "heddle/core/exact.h"

namespace heddle::map {
namespace {

using State = PointCount::State;

/// Thrown, within this file, to end a count that has no result.
struct NoCount {
  State state;
};

std::int64_t checked(const exact::Value& value) {
  if (!value) throw NoCount{State::kOverflow};
  return *value;
}
std::int64_t product(std::int64_t a, std::int64_t b) { return checked(exact::multiply(a, b)); }
std::int64_t sum(std::int64_t a, std::int64_t b) { return checked(exact::add(a, b)); }
std::int64_t difference(std::int64_t a, std::int64_t b) { return checked(exact::subtract(a, b)); }
/// The greatest integer that is at most a / b, and the least that is at least a / b, for b > 0.
std::int64_t below(std::int64_t a, std::int64_t b) { return checked(exact::floor_divide(a, b)); }
std::int64_t above(std::int64_t a, std::int64_t b) {
  return checked(exact::subtract(0, below(checked(exact::subtract(0, a)), b)));
}

std::int64_t value_of(const AffineSum& affine, std::span<const std::int64_t> values) {
  std::int64_t result = affine.constant;
  for (const auto& [index, coefficient] : affine.terms) {
    result = sum(result, product(coefficient, values[index]));
  }
  return result;
}

/// Narrows the ends to those x at which constant + slope * x meets a constraint.
void narrow(InputEnds& ends, std::int64_t constant, std::int64_t slope, bool is_equality) {
  const bool holds = is_equality ? constant == 0 : constant >= 0;
  if (slope == 0) {
    if (!holds) ends.high = difference(ends.low, 1);
    return;
  }
  const std::int64_t opposite = difference(0, constant);
  const std::int64_t size = slope > 0 ? slope : difference(0, slope);
  const std::int64_t bound = slope > 0 ? opposite : constant;
  if (slope > 0 || is_equality) ends.low = std::max(ends.low, above(bound, size));
  if (slope < 0 || is_equality) ends.high = std::min(ends.high, below(bound, size));
}

std::int64_t size_of(const InputEnds& ends) {
  return ends.high < ends.low ? 0 : sum(difference(ends.high, ends.low), 1);
}

/// Inputs that share constraints, the one that is not enumerated last, with what depends on them.
class Component {
 public:
  /// `depends[v]` are the inputs on which the value v depends.
  Component(const AffinePiece& piece, std::vector<std::size_t> inputs,
            std::span<const InputEnds> ends, const std::vector<std::vector<bool>>& depends,
            std::int64_t& steps)
      : piece_(piece), inputs_(std::move(inputs)), ends_(ends), steps_(steps) {
    const auto longest = std::ranges::max_element(
        inputs_, {}, [&](std::size_t input) { return size_of(ends_[input]); });
    std::rotate(longest, longest + 1, inputs_.end());
    quotients_.resize(inputs_.size());
    constraints_.resize(inputs_.size());
    const std::size_t first = ends.size();
    for (std::size_t q = 0; q < piece.quotients.size(); ++q) {
      if (const auto at = depth(depends[first + q])) quotients_[*at].push_back(q);
    }
    for (const AffineConstraint& constraint : piece.constraints) {
      std::vector<bool> all(ends.size());
      for (const auto& [index, coefficient] : constraint.sum.terms) {
        for (std::size_t i = 0; i < ends.size(); ++i) all[i] = all[i] || depends[index][i];
      }
      if (const auto at = depth(all)) constraints_[*at].push_back(&constraint);
    }
  }

  /// `values` are those of all inputs and quotients; constant quotients are set.
  std::int64_t count(std::vector<std::int64_t>& values) { return count_from(0, values); }

 private:
  /// The last input, by its position here, on which something depends; nullopt for other inputs.
  std::optional<std::size_t> depth(const std::vector<bool>& depends) const {
    for (std::size_t at = inputs_.size(); at-- > 0;) {
      if (depends[inputs_[at]]) return at;
    }
    return std::nullopt;
  }

  void step() {
    if (--steps_ < 0) throw NoCount{State::kTooManySteps};
  }

  std::int64_t count_from(std::size_t at, std::vector<std::int64_t>& values) {
    if (at + 1 == inputs_.size()) return count_last(at, values);
    const InputEnds ends = narrowed(at, values);
    std::int64_t count = 0;
    for (std::int64_t x = ends.low; x <= ends.high; ++x) {
      step();
      values[inputs_[at]] = x;
      set_quotients(at, values);
      if (meets(at, values)) count = sum(count, count_from(at + 1, values));
    }
    return count;
  }

  /// The ends of an input, narrowed by the constraints in which it is not divided.
  InputEnds narrowed(std::size_t at, std::span<const std::int64_t> values) const {
    InputEnds ends = ends_[inputs_[at]];
    for (const AffineConstraint* constraint : constraints_[at]) {
      std::int64_t constant = constraint->sum.constant;
      std::int64_t slope = 0;
      bool is_divided = false;
      for (const auto& [index, coefficient] : constraint->sum.terms) {
        if (index == inputs_[at]) {
          slope = coefficient;
        } else {
          constant = sum(constant, product(coefficient, values[index]));
        }
        is_divided = is_divided || is_quotient_at(at, index);
      }
      if (!is_divided) narrow(ends, constant, slope, constraint->is_equality);
    }
    return ends;
  }

  bool is_quotient_at(std::size_t at, std::size_t value) const {
    return value >= ends_.size() &&
           std::ranges::find(quotients_[at], value - ends_.size()) != quotients_[at].end();
  }

  void set_quotients(std::size_t at, std::vector<std::int64_t>& values) const {
    for (const std::size_t q : quotients_[at]) {
      const AffineQuotient& quotient = piece_.quotients[q];
      values[ends_.size() + q] = below(value_of(quotient.numerator, values), quotient.divisor);
    }
  }

  bool meets(std::size_t at, std::span<const std::int64_t> values) const {
    return std::ranges::all_of(constraints_[at], [&](const AffineConstraint* constraint) {
      const std::int64_t value = value_of(constraint->sum, values);
      return constraint->is_equality ? value == 0 : value >= 0;
    });
  }

  /// Every so many numbers of the last input each quotient has grown by a whole number: then the
  /// numbers at this distance are counted as an interval.
  std::int64_t count_last(std::size_t at, std::vector<std::int64_t>& values) {
    const InputEnds ends = narrowed(at, values);
    const std::int64_t size = size_of(ends);
    if (size == 0) return 0;
    if (period_ == 0) find_period(at);
    std::int64_t count = 0;
    for (std::int64_t r = 0; r < std::min(period_, size); ++r) {
      step();
      values[inputs_[at]] = ends.low + r;
      set_quotients(at, values);
      InputEnds run{0, (size - 1 - r) / period_};
      for (const AffineConstraint* constraint : constraints_[at]) {
        std::int64_t slope = 0;
        for (const auto& [index, coefficient] : constraint->sum.terms) {
          slope = sum(slope, product(coefficient, growth_[index]));
        }
        narrow(run, value_of(constraint->sum, values), slope, constraint->is_equality);
      }
      count = sum(count, size_of(run));
    }
    return count;
  }

  /// The period, and by how much each value grows over it.
  void find_period(std::size_t at) {
    period_ = 1;
    growth_.assign(ends_.size() + piece_.quotients.size(), 0);
    growth_[inputs_[at]] = 1;
    for (const std::size_t q : quotients_[at]) {
      const AffineQuotient& quotient = piece_.quotients[q];
      std::int64_t growth = 0;
      for (const auto& [index, coefficient] : quotient.numerator.terms) {
        growth = sum(growth, product(coefficient, growth_[index]));
      }
      const std::int64_t factor = quotient.divisor / std::gcd(quotient.divisor, growth);
      period_ = product(period_, factor);
      for (std::int64_t& each : growth_) each = product(each, factor);
      growth_[ends_.size() + q] = product(growth, factor) / quotient.divisor;
    }
  }

  const AffinePiece& piece_;
  std::vector<std::size_t> inputs_;
  std::span<const InputEnds> ends_;
  /// By the position of the last input on which they depend.
  std::vector<std::vector<std::size_t>> quotients_;
  std::vector<std::vector<const AffineConstraint*>> constraints_;
  std::vector<std::int64_t> growth_;
  std::int64_t period_ = 0;
  std::int64_t& steps_;
};

/// The inputs that share constraints or quotients, as lists.
std::vector<std::vector<std::size_t>> components(const AffinePiece& piece, std::size_t inputs,
                                                 const std::vector<std::vector<bool>>& depends) {
  std::vector<std::size_t> group(inputs);
  std::iota(group.begin(), group.end(), std::size_t{0});
  for (const AffineConstraint& constraint : piece.constraints) {
    std::optional<std::size_t> first;
    for (const auto& [index, coefficient] : constraint.sum.terms) {
      for (std::size_t i = 0; i < inputs; ++i) {
        if (!depends[index][i]) continue;
        if (!first) first = group[i];
        std::ranges::replace(group, std::size_t{group[i]}, *first);
      }
    }
  }
  std::vector<std::vector<std::size_t>> result(inputs);
  for (std::size_t i = 0; i < inputs; ++i) result[group[i]].push_back(i);
  std::erase_if(result, [](const auto& list) { return list.empty(); });
  return result;
}

std::int64_t points_in(const AffinePiece& piece, std::span<const InputEnds> ends,
                       std::int64_t& steps) {
  std::vector<std::vector<bool>> depends;
  std::vector<std::int64_t> values(ends.size() + piece.quotients.size());
  for (std::size_t i = 0; i < ends.size(); ++i) {
    depends.emplace_back(ends.size())[i] = true;
  }
  for (std::size_t q = 0; q < piece.quotients.size(); ++q) {
    std::vector<bool> on(ends.size());
    for (const auto& [index, coefficient] : piece.quotients[q].numerator.terms) {
      for (std::size_t i = 0; i < ends.size(); ++i) on[i] = on[i] || depends[index][i];
    }
    const bool is_constant = std::ranges::find(on, true) == on.end();
    depends.push_back(std::move(on));
    if (!is_constant) continue;
    values[ends.size() + q] =
        below(value_of(piece.quotients[q].numerator, values), piece.quotients[q].divisor);
  }
  for (const AffineConstraint& constraint : piece.constraints) {
    const bool is_constant = std::ranges::all_of(constraint.sum.terms, [&](const auto& term) {
      return std::ranges::find(depends[term.first], true) == depends[term.first].end();
    });
    if (!is_constant) continue;
    const std::int64_t value = value_of(constraint.sum, values);
    if (constraint.is_equality ? value != 0 : value < 0) return 0;
  }
  std::int64_t count = 1;
  for (std::vector<std::size_t>& inputs : components(piece, ends.size(), depends)) {
    const std::int64_t here =
        Component(piece, std::move(inputs), ends, depends, steps).count(values);
    if (here == 0) return 0;
    count = product(count, here);
  }
  return count;
}

}  // namespace

PointCount count_points(const AffinePiece& piece, std::span<const InputEnds> ends,
                        std::int64_t& steps) {
  try {
    return {State::kDone, points_in(piece, ends, steps)};
  } catch (const NoCount& failure) {
    return {failure.state, 0};
  }
}

}  // namespace heddle::map
