#include "map/isl/terms.h"

#include <fmt/format.h>
#include <isl/aff.h>
#include <isl/local_space.h>
#include <isl/set.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "heddle/expr/proof.h"

namespace heddle::map {
namespace {

isl::val val_of(const isl::pw_aff& like, std::int64_t number) {
  return isl::manage(isl_val_int_from_si(isl_pw_aff_get_ctx(like.get()), number));
}

isl::pw_aff multiplied(const isl::pw_aff& value, std::int64_t factor) {
  if (factor == 1) return value;
  return isl::manage(isl_pw_aff_scale_val(value.copy(), val_of(value, factor).release()));
}

/// floor(value / divisor), for a positive divisor.
isl::pw_aff floor_divided(const isl::pw_aff& value, std::int64_t divisor) {
  if (divisor == 1) return value;
  return isl::manage(
      isl_pw_aff_floor(isl_pw_aff_scale_down_val(value.copy(), val_of(value, divisor).release())));
}

/// Bit `position` of a number in two's complement.
isl::pw_aff bit_of(const isl::pw_aff& value, int position) {
  const isl::pw_aff shifted = floor_divided(value, std::int64_t{1} << position);
  return shifted.sub(multiplied(floor_divided(value, std::int64_t{2} << position), 2));
}

/// The number of bits of nonnegative numbers up to this one.
int width_of(std::int64_t high) {
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(high)));
}

/// The lowest bit that may be set.
int lowest_bit(const Int& value) {
  const std::int64_t divisor = known_divisor(value);
  return divisor == 0 ? 0 : std::countr_zero(static_cast<std::uint64_t>(divisor));
}

}  // namespace

IslTerms::IslTerms(IslSession& session, std::vector<std::string> coordinates)
    : session_(session), coordinates_(std::move(coordinates)) {
  isl_space* space =
      isl_space_set_alloc(session.get(), 0, static_cast<unsigned>(coordinates_.size()));
  universe_ = isl::manage(isl_set_universe(space));
  known_ = universe_;
}

isl::pw_aff IslTerms::constant(std::int64_t number) const {
  isl_local_space* space = isl_local_space_from_space(isl_set_get_space(universe_.get()));
  isl_val* value = isl_val_int_from_si(session_.get(), number);
  return isl::pw_aff(isl::manage(isl_aff_val_on_domain(space, value)));
}

isl::pw_aff IslTerms::coordinate(std::size_t position) const {
  isl_local_space* space = isl_local_space_from_space(isl_set_get_space(universe_.get()));
  return isl::pw_aff(
      isl::manage(isl_aff_var_on_domain(space, isl_dim_set, static_cast<unsigned>(position))));
}

isl::pw_aff IslTerms::operator()(const Int& value) {
  session_.check();
  if (!value.is_defined()) throw NotAffine{"it has no value: an overflow or a division by zero"};
  isl::pw_aff sum = constant(0);
  for (const expr::Product& product : expr::Products(value)) {
    if (product.atoms.empty()) {
      sum = sum.add(constant(product.coefficient));
      continue;
    }
    if (product.atoms.size() > 1) {
      throw NotAffine{fmt::format("{} multiplies two things that vary", to_string(value))};
    }
    sum = sum.add(multiplied(atom(product.atoms[0]), product.coefficient));
  }
  return sum;
}

isl::set IslTerms::operator()(const Condition& condition) {
  const isl::pw_aff right = (*this)(condition.right);
  if (condition.predicate == Predicate::kDivides) {
    if (!condition.left.is_constant() || condition.left.value() == 0) {
      throw NotAffine{fmt::format("{} divides by something that varies", to_string(condition))};
    }
    const std::int64_t divisor = condition.left.value();
    const isl::pw_aff multiple = multiplied(floor_divided(right, divisor < 0 ? -divisor : divisor),
                                            divisor < 0 ? -divisor : divisor);
    return right.eq_set(multiple);
  }
  const isl::pw_aff left = (*this)(condition.left);
  switch (condition.predicate) {
    case Predicate::kEqual:
      return left.eq_set(right);
    case Predicate::kNotEqual:
      return left.ne_set(right);
    case Predicate::kLess:
      return left.lt_set(right);
    default:
      return left.le_set(right);
  }
}

isl::pw_aff IslTerms::atom(const expr::AtomPointer& atom) {
  const auto found = atoms_.find(atom.get());
  if (found != atoms_.end()) return found->second;
  isl::pw_aff result = translated(*atom);
  kept_.push_back(atom);
  atoms_.emplace(atom.get(), result);
  return result;
}

isl::pw_aff IslTerms::translated(const expr::Atom& atom) {
  const auto divisor = [&] {
    if (atom.right().is_constant() && atom.right().value() != 0 &&
        atom.right().value() != std::numeric_limits<std::int64_t>::min()) {
      return atom.right().value();
    }
    throw NotAffine{fmt::format("{} is divided by {}, which varies", to_string(atom.left()),
                                to_string(atom.right()))};
  };
  switch (atom.operation()) {
    case expr::Operator::kVariable:
      return variable(atom);
    case expr::Operator::kQuotient: {
      const std::int64_t by = divisor();
      const isl::pw_aff quotient = floor_divided((*this)(atom.left()), by < 0 ? -by : by);
      return by < 0 ? multiplied(quotient, -1) : quotient;
    }
    case expr::Operator::kRemainder: {
      const std::int64_t by = divisor() < 0 ? -divisor() : divisor();
      const isl::pw_aff value = (*this)(atom.left());
      return value.sub(multiplied(floor_divided(value, by), by));
    }
    case expr::Operator::kMinimum:
      return (*this)(atom.left()).min((*this)(atom.right()));
    case expr::Operator::kMaximum:
      return (*this)(atom.left()).max((*this)(atom.right()));
    case expr::Operator::kAnd:
    case expr::Operator::kOr:
    case expr::Operator::kXor:
      return bits(atom);
    case expr::Operator::kShiftLeft:
      return power_of_two(atom);
    case expr::Operator::kSelect: {
      isl_set* condition = (*this)(atom.condition()).release();
      const isl::pw_aff holds = isl::manage(isl_set_indicator_function(condition));
      return holds.cond((*this)(atom.left()), (*this)(atom.right()));
    }
    case expr::Operator::kGcd:
      throw NotAffine{fmt::format("gcd({},{}) is not a sum of quotients", to_string(atom.left()),
                                  to_string(atom.right()))};
    case expr::Operator::kSquareRoot:
      throw NotAffine{fmt::format("isqrt({}) is not a sum of quotients", to_string(atom.left()))};
    default:
      throw NotAffine{"it is not a quasi-affine operation"};
  }
}

isl::pw_aff IslTerms::variable(const expr::Atom& atom) {
  const expr::Variable& variable = atom.variable();
  const auto found = std::ranges::find(coordinates_, variable.name);
  if (!variable.factors.empty() || !variable.multiple_of.empty()) {
    throw NotAffine{fmt::format("{} is a multiple of something that varies", variable.name)};
  }
  const isl::pw_aff whole = found != coordinates_.end()
                                ? coordinate(static_cast<std::size_t>(found - coordinates_.begin()))
                                : parameter(variable);
  // The atom represents the quotient.
  return floor_divided(whole.sub(constant(variable.residue)), variable.divisor);
}

isl::pw_aff IslTerms::parameter(const expr::Variable& variable) {
  if (!is_isl_name(variable.name)) {
    throw NotAffine{fmt::format("isl has no parameter of the name {}", variable.name)};
  }
  const isl::id id = isl::manage(isl_id_alloc(session_.get(), variable.name.c_str(), nullptr));
  const isl::pw_aff value = isl::pw_aff::param_on_domain(universe_, id);
  if (std::ranges::find(parameters_, variable.name) != parameters_.end()) return value;
  parameters_.push_back(variable.name);
  const auto require = [&](const isl::set& condition) { known_ = known_.intersect(condition); };
  if (variable.range.low != Range::kNoLow) require(value.ge_set(constant(variable.range.low)));
  if (variable.range.high != Range::kNoHigh) require(value.le_set(constant(variable.range.high)));
  if (variable.divisor != 1) {
    const isl::pw_aff rest = value.sub(constant(variable.residue));
    require(rest.eq_set(multiplied(floor_divided(rest, variable.divisor), variable.divisor)));
  }
  for (const Int& bound : variable.at_least) require(value.ge_set((*this)(bound)));
  for (const Int& bound : variable.at_most) require(value.le_set((*this)(bound)));
  return value;
}

isl::pw_aff IslTerms::bits(const expr::Atom& atom) {
  // x and y, bit by bit; x or y = x + y - (x and y); x xor y = x + y - 2*(x and y).
  const Range left = range(atom.left());
  const Range right = range(atom.right());
  const bool left_ends = left.low >= 0 && left.high != Range::kNoHigh;
  const bool right_ends = right.low >= 0 && right.high != Range::kNoHigh;
  if (!left_ends && !right_ends) {
    throw NotAffine{fmt::format("neither {} nor {} has a known number of bits",
                                to_string(atom.left()), to_string(atom.right()))};
  }
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  const int end =
      width_of(std::min(left_ends ? left.high : kMost, right_ends ? right.high : kMost));
  const isl::pw_aff x = (*this)(atom.left());
  const isl::pw_aff y = (*this)(atom.right());
  const auto is_zero = [](const Int& value, int position) {
    return value.is_constant() && ((value.value() >> position) & 1) == 0;
  };
  const auto is_one = [](const Int& value, int position) {
    return value.is_constant() && ((value.value() >> position) & 1) != 0;
  };
  isl::pw_aff both = constant(0);
  for (int i = std::max(lowest_bit(atom.left()), lowest_bit(atom.right())); i < std::min(end, 62);
       ++i) {
    session_.check();
    if (is_zero(atom.left(), i) || is_zero(atom.right(), i)) continue;
    isl::pw_aff bit = is_one(atom.left(), i)    ? bit_of(y, i)
                      : is_one(atom.right(), i) ? bit_of(x, i)
                                                : floor_divided(bit_of(x, i).add(bit_of(y, i)), 2);
    both = both.add(multiplied(bit, std::int64_t{1} << i));
  }
  if (end > 62) throw NotAffine{"bit operations on numbers of more than 62 bits"};
  if (atom.operation() == expr::Operator::kAnd) return both;
  return x.add(y).sub(multiplied(both, atom.operation() == expr::Operator::kOr ? 1 : 2));
}

isl::pw_aff IslTerms::power_of_two(const expr::Atom& atom) {
  const Range exponent = range(atom.left());
  if (exponent.low < 0 || exponent.high > 62) {
    throw NotAffine{
        fmt::format("2 to the power of {}, which has no small range", to_string(atom.left()))};
  }
  const isl::pw_aff value = (*this)(atom.left());
  isl::pw_aff result = constant(std::int64_t{1} << exponent.high);
  for (std::int64_t i = exponent.high; i-- > exponent.low;) {
    isl_set* is_here = value.eq_set(constant(i)).release();
    result = isl::manage(isl_set_indicator_function(is_here))
                 .cond(constant(std::int64_t{1} << i), result);
  }
  return result;
}

}  // namespace heddle::map
