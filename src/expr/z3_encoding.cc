#ifdef HEDDLE_HAS_Z3

#include "expr/z3_encoding.h"

#include <algorithm>

namespace heddle::expr {
namespace {

/// Operands of bit operations are taken apart up to so many bits; few layouts have more.
constexpr int kMaxBits = 48;

/// The bits that numbers in the range need, besides the one that goes on for ever.
std::optional<int> bit_count(const Range& range) {
  for (int count = 0; count <= kMaxBits; ++count) {
    const std::int64_t power = std::int64_t{1} << count;
    if (-power <= range.low && range.high < power) return count;
  }
  return std::nullopt;
}

}  // namespace

Z3Encoding::Z3Encoding(z3::context& context) : context_(&context), facts_(context) {}

z3::expr Z3Encoding::fresh(const char* name) {
  return z3::to_expr(*context_, Z3_mk_fresh_const(*context_, name, context_->int_sort()));
}

z3::expr Z3Encoding::fresh_truth(const char* name) {
  return z3::to_expr(*context_, Z3_mk_fresh_const(*context_, name, context_->bool_sort()));
}

z3::expr Z3Encoding::both(const z3::expr& a, const z3::expr& b) {
  if (a.is_true()) return b;
  if (b.is_true()) return a;
  return a && b;
}

void Z3Encoding::bound(const z3::expr& value, const Range& range) {
  if (range.low != Range::kNoLow) facts_.push_back(value >= number(range.low));
  if (range.high != Range::kNoHigh) facts_.push_back(value <= number(range.high));
}

z3::expr Z3Encoding::opaque(const char* name, const z3::expr& left, const z3::expr& right) {
  const z3::sort integers = context_->int_sort();
  return z3::function(name, integers, integers, integers)(left, right);
}

z3::expr Z3Encoding::holds(const Condition& condition) {
  const z3::expr left = encode(condition.left).value;
  const z3::expr right = encode(condition.right).value;
  switch (condition.relation) {
    case Relation::kEqual:
      return left == right;
    case Relation::kNotEqual:
      return left != right;
    case Relation::kLess:
      return left < right;
    case Relation::kAtMost:
      return left <= right;
    case Relation::kDivides:
      break;
  }
  // 0 divides only 0.
  const Quotient parts = divide(condition.right, condition.left);
  return z3::ite(left == 0, right == 0, parts.remainder == 0);
}

z3::expr Z3Encoding::defined(const Condition& condition) {
  return both(encode(condition.left).is_defined, encode(condition.right).is_defined);
}

Z3Encoding::Encoded Z3Encoding::encode(const Int& value) {
  if (!value.is_symbolic()) return {number(value.value()), truth(true)};
  Encoded sum{number(0), truth(true)};
  z3::expr_vector products(*context_);
  for (const Product& product : value.term().products()) {
    z3::expr factors = number(product.coefficient);
    for (const AtomPointer& atom : product.atoms) {
      const Encoded factor = encode(atom);
      factors = factors.is_numeral() && product.coefficient == 1 && factors.to_string() == "1"
                    ? factor.value
                    : factors * factor.value;
      sum.is_defined = both(sum.is_defined, factor.is_defined);
    }
    products.push_back(factors);
  }
  sum.value = products.size() == 1 ? products[0] : z3::sum(products);
  return sum;
}

Z3Encoding::Encoded Z3Encoding::encode(const AtomPointer& atom) {
  const Int key = make_int(atom);
  const auto found = atoms_.find(key);
  if (found != atoms_.end()) return found->second;
  const Encoded made = encode_new(atom);
  return atoms_.emplace(key, made).first->second;
}

Z3Encoding::Encoded Z3Encoding::encode_new(const AtomPointer& atom) {
  return atom->operation() == Operator::kVariable ? encode_variable(atom) : encode_operation(*atom);
}

Z3Encoding::Encoded Z3Encoding::encode_variable(const AtomPointer& atom) {
  const Variable& variable = atom->variable();
  const z3::expr quotient = fresh(variable.name.c_str());
  // Known before its bounds are encoded: these may mention it.
  atoms_.emplace(make_int(atom), Encoded{quotient, truth(true)});
  variables_.emplace_back(atom, quotient);
  bound(quotient, atom->range());
  const z3::expr whole = encode(whole_variable(atom)).value;
  bound(whole, variable.range);
  for (const Int& low : variable.at_least) facts_.push_back(encode(low).value <= whole);
  for (const Int& high : variable.at_most) facts_.push_back(whole <= encode(high).value);
  return {quotient, truth(true)};
}

Z3Encoding::Encoded Z3Encoding::encode_operation(const Atom& atom) {
  switch (atom.operation()) {
    case Operator::kQuotient: {
      const Quotient parts = divide(atom.left(), atom.right());
      return {parts.quotient, parts.is_defined};
    }
    case Operator::kRemainder: {
      const Quotient parts = divide(atom.left(), atom.right());
      return {parts.remainder, parts.is_defined};
    }
    case Operator::kMinimum:
    case Operator::kMaximum: {
      const Encoded left = encode(atom.left());
      const Encoded right = encode(atom.right());
      const bool is_minimum = atom.operation() == Operator::kMinimum;
      return {z3::ite(is_minimum ? left.value <= right.value : left.value >= right.value,
                      left.value, right.value),
              both(left.is_defined, right.is_defined)};
    }
    case Operator::kGcd:
      return greatest_common_divisor(atom);
    case Operator::kPowerOfTwo:
      return power_of_two(atom);
    case Operator::kAnd:
    case Operator::kOr:
    case Operator::kXor:
      return bit_operation(atom);
    case Operator::kVariable:
      break;
  }
  return {fresh("unknown"), truth(true)};
}

Z3Encoding::Quotient Z3Encoding::divide(const Int& left, const Int& right) {
  const std::pair<Int, Int> key(left, right);
  const auto find = [&] {
    return std::ranges::find(quotients_, key, &std::pair<std::pair<Int, Int>, Quotient>::first);
  };
  if (const auto found = find(); found != quotients_.end()) return found->second;
  const Quotient made = divide_new(left, right);
  quotients_.emplace_back(key, made);
  add_nested(left, right, made);
  return made;
}

Z3Encoding::Quotient Z3Encoding::divide_new(const Int& left, const Int& right) {
  const Encoded number_of = encode(left);
  const Encoded divisor = encode(right);
  const z3::expr operands = both(number_of.is_defined, divisor.is_defined);
  if (right.is_constant() && right.value() != 0) {
    // SMT-LIB divides as Int does, by negative numbers too.
    return {number_of.value / divisor.value, z3::mod(number_of.value, divisor.value), operands};
  }
  const z3::expr quotient = fresh("quotient");
  const z3::expr remainder = fresh("remainder");
  const z3::expr is_sum = number_of.value == quotient * divisor.value + remainder;
  const z3::expr is_natural = is_sum && remainder >= 0;
  facts_.push_back(z3::implies(divisor.value > 0, is_natural && remainder < divisor.value));
  facts_.push_back(z3::implies(divisor.value < 0, is_natural && remainder < -divisor.value));
  return {quotient, remainder, both(operands, divisor.value != 0)};
}

/// Laws of nested division that take Z3 long to find where the divisors are no constants:
/// (x//a)//b = x//(a*b), and with n = a*b: (x%n)%a = x%a, (x%n)//a = (x//a)%b.
void Z3Encoding::add_nested(const Int& left, const Int& right, const Quotient& parts) {
  const AtomPointer inner = as_atom(left);
  if (!inner || (right.is_constant() && inner->right().is_constant())) return;
  if (inner->operation() == Operator::kQuotient) {
    const Int joined = inner->right() * right;
    if (!joined.is_defined()) return;
    const Quotient whole = divide(inner->left(), joined);
    const z3::expr positive = encode(inner->right()).value > 0 && encode(right).value > 0;
    facts_.push_back(z3::implies(positive, parts.quotient == whole.quotient));
  }
  if (inner->operation() == Operator::kRemainder) {
    const std::optional<Int> steps = exact_quotient(inner->right(), right);
    if (!steps) return;
    const Quotient plain = divide(inner->left(), right);
    const Quotient digit = divide(floor_div(inner->left(), right), *steps);
    const z3::expr positive = encode(*steps).value > 0 && encode(right).value > 0;
    facts_.push_back(z3::implies(positive, parts.remainder == plain.remainder &&
                                               parts.quotient == digit.remainder));
  }
}

Z3Encoding::Encoded Z3Encoding::greatest_common_divisor(const Atom& atom) {
  const Encoded left = encode(atom.left());
  const Encoded right = encode(atom.right());
  const z3::expr divisor = opaque("gcd", left.value, right.value);
  facts_.push_back(divisor >= 0);
  facts_.push_back(left.value == divisor * fresh("part"));
  facts_.push_back(right.value == divisor * fresh("part"));
  return {divisor, both(left.is_defined, right.is_defined)};
}

Z3Encoding::Encoded Z3Encoding::power_of_two(const Atom& atom) {
  constexpr std::int64_t kMaxPlaces = 62;
  const Encoded places = encode(atom.left());
  const Range known = range(atom.left());
  const std::int64_t low = std::max<std::int64_t>(known.low, 0);
  const std::int64_t high = std::min(known.high, kMaxPlaces);
  z3::expr power = opaque("power", places.value, places.value);
  for (std::int64_t count = high; count >= low; --count) {
    power = z3::ite(places.value == number(count), number(std::int64_t{1} << count), power);
  }
  const z3::expr fits = places.value >= 0 && places.value <= number(kMaxPlaces);
  return {power, both(places.is_defined, fits)};
}

std::optional<Z3Encoding::Bits> Z3Encoding::bits_of(const Int& value) {
  const Range known = range(value);
  const std::optional<int> count = bit_count(known);
  if (!count) return std::nullopt;
  if (const auto found = bits_.find(value); found != bits_.end()) return found->second;
  const auto places = static_cast<std::size_t>(*count);
  Bits bits{{}, truth(false), truth(true)};
  if (value.is_constant()) {
    for (std::size_t i = 0; i < places; ++i) {
      bits.low.push_back(truth((value.value() >> i & 1) != 0));
    }
    bits.sign = truth(value.value() < 0);
  } else {
    z3::expr sum = number(0);
    for (std::size_t i = 0; i < places; ++i) {
      bits.low.push_back(fresh_truth("bit"));
      sum = sum + z3::ite(bits.low.back(), number(std::int64_t{1} << i), number(0));
    }
    const std::int64_t end = std::int64_t{1} << places;
    if (known.low < 0) bits.sign = fresh_truth("sign");
    sum = sum - z3::ite(bits.sign, number(end), number(0));
    // That it fits is for Z3 to see, whatever the range says.
    const z3::expr whole = encode(value).value;
    bits.fits = whole >= number(known.low < 0 ? -end : 0) && whole < number(end);
    facts_.push_back(z3::implies(bits.fits, whole == sum));
  }
  return bits_.emplace(value, std::move(bits)).first->second;
}

Z3Encoding::Encoded Z3Encoding::bit_operation(const Atom& atom) {
  static constexpr const char* kNames[] = {"and", "or", "xor"};
  const Encoded left = encode(atom.left());
  const Encoded right = encode(atom.right());
  const z3::expr is_defined = both(left.is_defined, right.is_defined);
  const auto name =
      static_cast<std::size_t>(atom.operation()) - static_cast<std::size_t>(Operator::kAnd);
  const z3::expr unknown = opaque(kNames[name], left.value, right.value);
  const std::optional<Bits> a = bits_of(atom.left());
  const std::optional<Bits> b = bits_of(atom.right());
  if (!a || !b) return {unknown, is_defined};

  const auto combine = [&](const z3::expr& x, const z3::expr& y) {
    if (atom.operation() == Operator::kAnd) return (x && y).simplify();
    if (atom.operation() == Operator::kOr) return (x || y).simplify();
    return (x != y).simplify();
  };
  const std::size_t count = std::max(a->low.size(), b->low.size());
  z3::expr sum = z3::ite(combine(a->sign, b->sign), number(-(std::int64_t{1} << count)), number(0));
  for (std::size_t i = 0; i < count; ++i) {
    sum = sum + z3::ite(combine(a->at(i), b->at(i)), number(std::int64_t{1} << i), number(0));
  }
  return {z3::ite(both(a->fits, b->fits), sum.simplify(), unknown), is_defined};
}

}  // namespace heddle::expr

#endif  // HEDDLE_HAS_Z3
