#ifdef HEDDLE_HAS_Z3

#include "expr/z3/encoding.h"

#include <algorithm>

#include "expr/term/operation.h"
#include "expr/term/substitute.h"
#include "heddle/expr/proof.h"

namespace heddle::expr {
namespace {

/// Operands of bit operations are taken apart up to so many bits; few layouts have more.
constexpr int kMaxBits = 48;

/// The bits that numbers in the range need, besides the one that goes on for ever.
std::optional<std::size_t> bit_count(const Range& range) {
  for (int count = 0; count <= kMaxBits; ++count) {
    const std::int64_t power = std::int64_t{1} << count;
    if (-power <= range.low && range.high < power) return static_cast<std::size_t>(count);
  }
  return std::nullopt;
}

bool is_same(const z3::expr& a, const z3::expr& b) { return z3::eq(a, b); }

/// a*b*c as its factors.
std::vector<z3::expr> factors_of(const z3::expr& value) {
  if (!value.is_app() || value.decl().decl_kind() != Z3_OP_MUL) return {value};
  std::vector<z3::expr> factors;
  for (unsigned i = 0; i < value.num_args(); ++i) factors.push_back(value.arg(i));
  return factors;
}

/// The product of factors, the same whatever their order.
z3::expr product_of(std::vector<z3::expr> factors) {
  std::ranges::sort(factors, {}, [](const z3::expr& factor) { return factor.id(); });
  if (factors.size() == 1) return factors.front();
  std::vector<Z3_ast> asts(factors.begin(), factors.end());
  z3::context& context = factors.front().ctx();
  return z3::to_expr(context, Z3_mk_mul(context, static_cast<unsigned>(asts.size()), asts.data()));
}

z3::expr product_of(const z3::expr& a, const z3::expr& b) {
  std::vector<z3::expr> factors = factors_of(a);
  for (const z3::expr& factor : factors_of(b)) factors.push_back(factor);
  return product_of(std::move(factors));
}

/// `whole` without the factors of `part`; nothing where it lacks one, or has no others.
std::optional<z3::expr> cofactor(const z3::expr& whole, const z3::expr& part) {
  std::vector<z3::expr> rest = factors_of(whole);
  for (const z3::expr& factor : factors_of(part)) {
    const auto found =
        std::ranges::find_if(rest, [&](const z3::expr& other) { return is_same(factor, other); });
    if (found == rest.end()) return std::nullopt;
    rest.erase(found);
  }
  if (rest.empty()) return std::nullopt;
  return product_of(std::move(rest));
}

}  // namespace

Z3Encoding::Z3Encoding(z3::context& context, Bindings likely)
    : context_(&context), likely_(std::move(likely)), facts_(context) {}

Range Z3Encoding::likely_range(const Int& value) const {
  if (likely_.empty()) return range(value);
  const Result<Int> bounded = instantiate(value, likely_);
  return range(bounded ? *bounded : value);
}

z3::expr Z3Encoding::variable(const std::string& name) {
  const auto found = variables_.find(name);
  if (found != variables_.end()) return found->second;
  return variables_.emplace(name, context_->int_const(name.c_str())).first->second;
}

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

// Conditions and terms.

z3::expr Z3Encoding::holds(const Condition& condition) {
  const Encoded left = encode(condition.left);
  return compared(operation_of(condition.predicate), left, encode(condition.right));
}

z3::expr Z3Encoding::compared(CodeOperation operation, const Encoded& left, const Encoded& right) {
  switch (operation) {
    case CodeOperation::kEqual:
      return left.value == right.value;
    case CodeOperation::kNotEqual:
      return left.value != right.value;
    case CodeOperation::kLess:
      return left.value < right.value;
    case CodeOperation::kAtMost:
      return left.value <= right.value;
    default:
      break;
  }
  // 0 divides only 0.
  return z3::ite(left.value == 0, right.value == 0, divide(right, left).remainder == 0);
}

z3::expr Z3Encoding::defined(const Condition& condition) {
  return both(encode(condition.left).is_defined, encode(condition.right).is_defined);
}

Z3Encoding::Computed Z3Encoding::value_of(const Int& value) { return encode(value); }

void Z3Encoding::note_variables(const Int& value) {
  for (const AtomPointer& atom : variable_atoms(value)) encode(atom);
}

Z3Encoding::Encoded Z3Encoding::encode(const Int& value) {
  if (!value.is_symbolic()) return {number(value.value()), truth(true)};
  Encoded sum{number(0), truth(true)};
  z3::expr_vector products(*context_);
  for (const Product& product : value.term().products()) {
    std::vector<z3::expr> factors;
    if (product.coefficient != 1 || product.atoms.empty()) {
      factors.push_back(number(product.coefficient));
    }
    for (const AtomPointer& atom : product.atoms) {
      const Encoded factor = encode(atom);
      factors.push_back(factor.value);
      sum.is_defined = both(sum.is_defined, factor.is_defined);
    }
    products.push_back(product_of(std::move(factors)));
  }
  sum.value = products.size() == 1 ? products[0] : z3::sum(products);
  return sum;
}

Z3Encoding::Encoded Z3Encoding::encode(const AtomPointer& atom) {
  const Int key = make_int(atom);
  if (const auto found = atoms_.find(key); found != atoms_.end()) return found->second;
  const Encoded made = encode_new(atom);
  return atoms_.emplace(key, made).first->second;
}

Z3Encoding::Encoded Z3Encoding::encode_new(const AtomPointer& atom) {
  if (atom->operation() == Operator::kVariable) return encode_variable(atom);
  if (atom->operation() == Operator::kSelect) return encode_choice(*atom);
  const Encoded left = encode(atom->left());
  return operate(atom->operation(), left, encode(atom->right()), [&](bool is_left) {
    return likely_range(is_left ? atom->left() : atom->right());
  });
}

Z3Encoding::Encoded Z3Encoding::encode_variable(const AtomPointer& atom) {
  const Variable& known = atom->variable();
  const z3::expr whole = variable(known.name);
  const z3::expr quotient = known.is_whole() ? whole : fresh("quotient");
  // Before its bounds are encoded: these may mention it.
  atoms_.emplace(make_int(atom), Encoded{quotient, truth(true)});
  if (!known.is_whole()) facts_.push_back(whole == encode(whole_variable(atom)).value);
  bound(whole, known.range);
  for (const Int& low : known.at_least) facts_.push_back(encode(low).value <= whole);
  for (const Int& high : known.at_most) facts_.push_back(whole <= encode(high).value);
  return {quotient, truth(true)};
}

Z3Encoding::Encoded Z3Encoding::encode_choice(const Atom& atom) {
  const z3::expr condition = holds(atom.condition());
  const Encoded then = encode(atom.left());
  const Encoded otherwise = encode(atom.right());
  return chosen({condition, defined(atom.condition())}, then, otherwise);
}

/// The value of the first is a truth.
Z3Encoding::Encoded Z3Encoding::chosen(const Encoded& condition, const Encoded& then,
                                       const Encoded& otherwise) {
  const z3::expr is_defined = is_same(then.is_defined, otherwise.is_defined)
                                  ? then.is_defined
                                  : z3::ite(condition.value, then.is_defined, otherwise.is_defined);
  return {z3::ite(condition.value, then.value, otherwise.value),
          both(condition.is_defined, is_defined)};
}

// Kernels, node by node.

Z3Encoding::Computed Z3Encoding::compute(const Kernel& kernel, const CodeExpression& result) {
  Encoded all{number(0), truth(true)};
  for (const auto& [name, value] : kernel.definitions) {
    const Encoded defined = encode(value);
    definitions_.insert_or_assign(name, defined);
    all.is_defined = both(all.is_defined, defined.is_defined);
  }
  const Encoded value = encode(result);
  return {value.value, both(all.is_defined, value.is_defined)};
}

Z3Encoding::Encoded Z3Encoding::encode(const CodeExpression& expression) {
  const auto found = nodes_.find(expression.identity());
  if (found != nodes_.end()) return found->second;
  const Encoded made = encode_new(expression);
  return nodes_.emplace(expression.identity(), made).first->second;
}

Z3Encoding::Encoded Z3Encoding::encode_new(const CodeExpression& expression) {
  const CodeOperation operation = expression.operation();
  switch (operation) {
    case CodeOperation::kConstant:
      return {number(expression.constant()), truth(true)};
    case CodeOperation::kVariable:
      return {variable(expression.name()), truth(true)};
    case CodeOperation::kDefinition:
      return definitions_.at(expression.name());
    default:
      break;
  }
  const Encoded left = encode(expression.operand(0));
  const bool is_unary = expression.operands().size() == 1;
  const Encoded right = is_unary ? left : encode(expression.operand(1));
  if (is_condition(operation)) {
    return {z3::ite(compared(operation, left, right), number(1), number(0)),
            both(left.is_defined, right.is_defined)};
  }
  if (operation == CodeOperation::kSelect) {
    return chosen({left.value == 1, left.is_defined}, right, encode(expression.operand(2)));
  }
  return operate(operation, left, right,
                 [&](bool is_left) { return range(expression.operand(is_left ? 0 : 1).value()); });
}

// Operations.

Z3Encoding::Encoded Z3Encoding::operate(CodeOperation operation, const Encoded& left,
                                        const Encoded& right, const KnownRange& known) {
  const z3::expr is_defined = both(left.is_defined, right.is_defined);
  switch (operation) {
    case CodeOperation::kNegate:
      return {-left.value, is_defined};
    case CodeOperation::kAdd:
      return {left.value + right.value, is_defined};
    case CodeOperation::kSubtract:
      return {left.value - right.value, is_defined};
    case CodeOperation::kMultiply:
      return {product_of(left.value, right.value), is_defined};
    case CodeOperation::kQuotient: {
      const Quotient parts = divide(left, right);
      return {parts.quotient, parts.is_defined};
    }
    case CodeOperation::kRemainder: {
      const Quotient parts = divide(left, right);
      return {parts.remainder, parts.is_defined};
    }
    case CodeOperation::kMinimum:
      return {z3::min(left.value, right.value), is_defined};
    case CodeOperation::kMaximum:
      return {z3::max(left.value, right.value), is_defined};
    case CodeOperation::kGcd:
      return greatest_common_divisor(left, right);
    case CodeOperation::kSquareRoot:
      return square_root(left);
    case CodeOperation::kShiftLeft: {
      const Encoded power = power_of_two(right, known(false));
      const bool is_one = is_same(left.value, number(1));
      return {is_one ? power.value : product_of(left.value, power.value),
              both(left.is_defined, power.is_defined)};
    }
    case CodeOperation::kShiftRight: {
      const Quotient parts = divide(left, power_of_two(right, known(false)));
      return {parts.quotient, parts.is_defined};
    }
    case CodeOperation::kAnd:
    case CodeOperation::kOr:
    case CodeOperation::kXor:
      return bit_operation(operation, left, right, known(true), known(false));
    default:
      return {fresh("unknown"), is_defined};
  }
}

Z3Encoding::Quotient Z3Encoding::divide(const Encoded& left, const Encoded& right) {
  std::int64_t divisor = 0;
  const bool is_constant = right.value.is_numeral_i64(divisor) && divisor != 0;
  const z3::expr operands = both(left.is_defined, right.is_defined);
  const z3::expr is_defined = is_constant ? operands : both(operands, right.value != 0);
  for (const Division& known : divisions_) {
    if (is_same(known.left, left.value) && is_same(known.right, right.value)) {
      return {known.quotient, known.remainder, is_defined};
    }
  }
  // SMT-LIB divides as Int does, by negative numbers too.
  const Division made{left.value, right.value,
                      is_constant ? left.value / right.value : fresh("quotient"),
                      is_constant ? z3::mod(left.value, right.value) : fresh("remainder")};
  divisions_.push_back(made);
  if (!is_constant) define(made);
  add_nested(made);
  return {made.quotient, made.remainder, is_defined};
}

void Z3Encoding::define(const Division& division) {
  const auto& [left, right, quotient, remainder] = division;
  const z3::expr is_natural = left == product_of(quotient, right) + remainder && remainder >= 0;
  facts_.push_back(z3::implies(right > 0, is_natural && remainder < right));
  facts_.push_back(z3::implies(right < 0, is_natural && remainder < -right));
}

/// Laws of nested division that take Z3 long to find where the divisors are no constants:
/// (x//a)//b = x//(a*b), and with n = a*b: (x%n)%a = x%a, (x%n)//a = (x//a)%b.
void Z3Encoding::add_nested(const Division& division) {
  const auto divided = [&](const z3::expr& left, const z3::expr& right) {
    return divide(Encoded{left, truth(true)}, Encoded{right, truth(true)});
  };
  const std::vector<Division> before(divisions_.begin(), divisions_.end() - 1);
  for (const Division& inner : before) {
    if (inner.right.is_numeral() && division.right.is_numeral()) continue;
    if (is_same(division.left, inner.quotient)) {
      const Quotient whole = divided(inner.left, product_of(inner.right, division.right));
      facts_.push_back(
          z3::implies(inner.right > 0 && division.right > 0, division.quotient == whole.quotient));
    }
    if (!is_same(division.left, inner.remainder)) continue;
    const std::optional<z3::expr> steps = cofactor(inner.right, division.right);
    if (!steps) continue;
    const Quotient plain = divided(inner.left, division.right);
    const Quotient digit = divided(plain.quotient, *steps);
    facts_.push_back(
        z3::implies(*steps > 0 && division.right > 0,
                    division.remainder == plain.remainder && division.quotient == digit.remainder));
  }
}

Z3Encoding::Encoded Z3Encoding::greatest_common_divisor(const Encoded& left, const Encoded& right) {
  const z3::expr divisor = opaque("gcd", left.value, right.value);
  facts_.push_back(divisor >= 0);
  facts_.push_back(left.value == divisor * fresh("part"));
  facts_.push_back(right.value == divisor * fresh("part"));
  return {divisor, both(left.is_defined, right.is_defined)};
}

Z3Encoding::Encoded Z3Encoding::square_root(const Encoded& square) {
  const z3::expr root = opaque("isqrt", square.value, square.value);
  facts_.push_back(z3::implies(square.value >= 0, root >= 0 && root * root <= square.value &&
                                                      square.value < (root + 1) * (root + 1)));
  return {root, both(square.is_defined, square.value >= 0)};
}

Z3Encoding::Encoded Z3Encoding::power_of_two(const Encoded& places, const Range& known) {
  constexpr std::int64_t kMaxPlaces = 62;
  const std::int64_t low = std::max<std::int64_t>(known.low, 0);
  const std::int64_t high = std::min(known.high, kMaxPlaces);
  std::int64_t constant = 0;
  const z3::expr fits = places.value >= 0 && places.value <= number(kMaxPlaces);
  if (places.value.is_numeral_i64(constant)) {
    const bool is_power = 0 <= constant && constant <= kMaxPlaces;
    return {number(is_power ? std::int64_t{1} << constant : 0), truth(is_power)};
  }
  z3::expr power = opaque("power", places.value, places.value);
  for (std::int64_t count = high; count >= low; --count) {
    power = z3::ite(places.value == number(count), number(std::int64_t{1} << count), power);
  }
  return {power, both(places.is_defined, fits)};
}

std::optional<Z3Encoding::Bits> Z3Encoding::bits_of(const z3::expr& value, const Range& known) {
  const std::optional<std::size_t> places = bit_count(known);
  if (!places) return std::nullopt;
  for (const auto& [key, bits] : bits_) {
    if (is_same(key, value) && bits.low.size() == *places) return bits;
  }
  Bits bits{{}, truth(false), truth(true)};
  std::int64_t constant = 0;
  if (value.is_numeral_i64(constant)) {
    for (std::size_t i = 0; i < *places; ++i) {
      bits.low.push_back(truth((constant >> i & 1) != 0));
    }
    bits.sign = truth(constant < 0);
    return bits;
  }
  z3::expr sum = number(0);
  for (std::size_t i = 0; i < *places; ++i) {
    bits.low.push_back(fresh_truth("bit"));
    sum = sum + z3::ite(bits.low.back(), number(std::int64_t{1} << i), number(0));
  }
  const std::int64_t end = std::int64_t{1} << *places;
  if (known.low < 0) bits.sign = fresh_truth("sign");
  sum = sum - z3::ite(bits.sign, number(end), number(0));
  // That it fits is for Z3 to see, whatever the range says.
  bits.fits = value >= number(known.low < 0 ? -end : 0) && value < number(end);
  facts_.push_back(z3::implies(bits.fits, value == sum));
  bits_.emplace_back(value, bits);
  return bits;
}

Z3Encoding::Encoded Z3Encoding::bit_operation(CodeOperation operation, const Encoded& left,
                                              const Encoded& right, const Range& known_left,
                                              const Range& known_right) {
  static constexpr const char* kNames[] = {"and", "or", "xor"};
  const z3::expr is_defined = both(left.is_defined, right.is_defined);
  const auto name =
      static_cast<std::size_t>(operation) - static_cast<std::size_t>(CodeOperation::kAnd);
  // Equal whichever operand comes first.
  const bool in_order = left.value.id() <= right.value.id();
  const z3::expr unknown = opaque(kNames[name], in_order ? left.value : right.value,
                                  in_order ? right.value : left.value);
  const std::optional<Bits> a = bits_of(left.value, known_left);
  const std::optional<Bits> b = bits_of(right.value, known_right);
  if (!a || !b) return {unknown, is_defined};

  const auto combine = [&](const z3::expr& x, const z3::expr& y) {
    if (operation == CodeOperation::kAnd) return (x && y).simplify();
    if (operation == CodeOperation::kOr) return (x || y).simplify();
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
