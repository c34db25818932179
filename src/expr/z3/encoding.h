#pragma once

// Encodes terms and conditions for Z3. Each operation is encoded by its definition:
//
//   x//d, x%d     q and r with x = q*d + r and 0 <= r < |d|, the same for both
//   min, max      the lesser, the greater
//   and, or, xor  the bits of operands that ranges bound
//   gcd, 2^n, …   functions of which only a few facts are known
//
// Proofs from an encoding are right; a model of it is only a candidate.

#include <z3++.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "expr/term/operation.h"
#include "expr/term/substitute.h"
#include "expr/term/term.h"
#include "heddle/expr/code_expression.h"
#include "heddle/expr/proof.h"

namespace heddle::expr {

/// Operands of bit operations are split into at most this many bits; few layouts have more.
inline constexpr int kMaxEncodedBits = 48;

/// The bits that numbers in the range need, besides the sign bit.
inline std::optional<std::size_t> bit_count(const Range& range) {
  for (int count = 0; count <= kMaxEncodedBits; ++count) {
    const std::int64_t power = std::int64_t{1} << count;
    if (-power <= range.low && range.high < power) return static_cast<std::size_t>(count);
  }
  return std::nullopt;
}

inline bool is_same(const z3::expr& a, const z3::expr& b) { return z3::eq(a, b); }

/// The factors a, b and c of a*b*c.
inline std::vector<z3::expr> factors_of(const z3::expr& value) {
  if (!value.is_app() || value.decl().decl_kind() != Z3_OP_MUL) return {value};
  std::vector<z3::expr> factors;
  for (unsigned i = 0; i < value.num_args(); ++i) factors.push_back(value.arg(i));
  return factors;
}

/// The product of factors, the same whatever their order.
inline z3::expr product_of(std::vector<z3::expr> factors) {
  std::ranges::sort(factors, {}, [](const z3::expr& factor) { return factor.id(); });
  if (factors.size() == 1) return factors.front();
  std::vector<Z3_ast> asts(factors.begin(), factors.end());
  z3::context& context = factors.front().ctx();
  return z3::to_expr(context, Z3_mk_mul(context, static_cast<unsigned>(asts.size()), asts.data()));
}

inline z3::expr product_of(const z3::expr& a, const z3::expr& b) {
  std::vector<z3::expr> factors = factors_of(a);
  for (const z3::expr& factor : factors_of(b)) factors.push_back(factor);
  return product_of(std::move(factors));
}

/// `whole` without the factors of `part`; nullopt if it lacks one, or has no others.
inline std::optional<z3::expr> cofactor(const z3::expr& whole, const z3::expr& part) {
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

class Z3Encoding {
 public:
  /// A value or a truth value, and the condition under which it is defined.
  struct Encoded {
    z3::expr value;
    z3::expr is_defined;
  };

  /// `likely` are variables with ranges for those that have none: operands of bit operations are
  /// probably within them. Z3 has to check that they are.
  explicit Z3Encoding(z3::context& context, Bindings likely = {})
      : context_(&context), likely_(std::move(likely)), facts_(context) {}

  /// The condition itself. defined() says where it has a value.
  [[nodiscard]] z3::expr holds(const Condition& condition) {
    const z3::expr left = encode(condition.left).value;
    return compared(operation_of(condition.predicate), left, encode(condition.right).value);
  }
  /// Whether the condition has a value: no division by zero or similar.
  [[nodiscard]] z3::expr defined(const Condition& condition) {
    return both(encode(condition.left).is_defined, encode(condition.right).is_defined);
  }

  [[nodiscard]] Encoded encode(const Int& value) {
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

  /// The value that the kernel computes for `result`, one of its results or guards (1 or 0), by its
  /// definitions. Its variables are known by their names alone.
  [[nodiscard]] Encoded compute(const Kernel& kernel, const CodeExpression& result) {
    z3::expr are_defined = truth(true);
    for (const auto& [name, value] : kernel.definitions) {
      const Encoded defined = encode(value);
      definitions_.insert_or_assign(name, defined);
      are_defined = both(are_defined, defined.is_defined);
    }
    const Encoded value = encode(result);
    return {value.value, both(are_defined, value.is_defined)};
  }

  /// Notes the facts known of the variables of a value.
  void note_variables(const Int& value) {
    for (const AtomPointer& atom : variable_atoms(value)) encode(atom);
  }

  /// The facts about all variables and helpers that the encoded terms introduced.
  [[nodiscard]] const z3::expr_vector& facts() const { return facts_; }

  /// The variables, each with its constant in Z3.
  [[nodiscard]] const std::map<std::string, z3::expr, std::less<>>& variables() const {
    return variables_;
  }

 private:
  /// A division that was encoded, without the condition under which it is defined.
  struct EncodedDivision {
    z3::expr left;
    z3::expr right;
    z3::expr quotient;
    z3::expr remainder;
  };
  /// Two's complement: the low bits, and the sign bit.
  struct Bits {
    std::vector<z3::expr> low;
    z3::expr sign;
    /// Whether the low bits suffice.
    z3::expr fits;

    [[nodiscard]] z3::expr at(std::size_t place) const {
      return place < low.size() ? low[place] : sign;
    }
  };
  /// A likely range of the left, or the right, operand.
  using KnownRange = std::function<Range(bool is_left)>;
  static constexpr std::int64_t kMaxPlaces = 62;

  [[nodiscard]] Range likely_range(const Int& value) const {
    if (likely_.empty()) return range(value);
    const Result<Int> bounded = instantiate(value, likely_);
    return range(bounded ? *bounded : value);
  }

  z3::expr number(std::int64_t value) { return context_->int_val(value); }
  z3::expr truth(bool value) { return context_->bool_val(value); }

  z3::expr variable(const std::string& name) {
    const auto found = variables_.find(name);
    if (found != variables_.end()) return found->second;
    return variables_.emplace(name, context_->int_const(name.c_str())).first->second;
  }

  z3::expr fresh(const char* name) { return fresh(name, context_->int_sort()); }
  z3::expr fresh(const char* name, const z3::sort& sort) {
    return z3::to_expr(*context_, Z3_mk_fresh_const(*context_, name, sort));
  }

  z3::expr both(const z3::expr& a, const z3::expr& b) {
    if (a.is_true()) return b;
    if (b.is_true()) return a;
    return a && b;
  }

  void bound(const z3::expr& value, const Range& range) {
    if (range.low != Range::kNoLow) facts_.push_back(value >= number(range.low));
    if (range.high != Range::kNoHigh) facts_.push_back(value <= number(range.high));
  }

  z3::expr opaque(const char* name, const z3::expr& left, const z3::expr& right) {
    const z3::sort integers = context_->int_sort();
    return z3::function(name, integers, integers, integers)(left, right);
  }

  // Conditions and terms.

  z3::expr compared(CodeOperation operation, const z3::expr& left, const z3::expr& right) {
    switch (operation) {
      case CodeOperation::kEqual:
        return left == right;
      case CodeOperation::kNotEqual:
        return left != right;
      case CodeOperation::kLess:
        return left < right;
      case CodeOperation::kAtMost:
        return left <= right;
      default:
        break;
    }
    // 0 divides only 0.
    return z3::ite(left == 0, right == 0, divide(right, left).remainder == 0);
  }

  Encoded encode(const AtomPointer& atom) {
    if (const auto found = atoms_.find(atom); found != atoms_.end()) return found->second;
    const Encoded made = encode_new(atom);
    return atoms_.emplace(atom, made).first->second;
  }

  Encoded encode_new(const AtomPointer& atom) {
    if (atom->operation() == Operator::kVariable) return encode_variable(atom);
    if (atom->operation() == Operator::kSelect) return encode_choice(*atom);
    const Encoded left = encode(atom->left());
    return operate(atom->operation(), left, encode(atom->right()), [&](bool is_left) {
      return likely_range(is_left ? atom->left() : atom->right());
    });
  }

  Encoded encode_variable(const AtomPointer& atom) {
    const Variable& known = atom->variable();
    const z3::expr whole = variable(known.name);
    const z3::expr quotient = known.is_whole() ? whole : fresh("quotient");
    // The atom is added before its bounds are encoded: these may mention it.
    atoms_.emplace(atom, Encoded{quotient, truth(true)});
    if (!known.is_whole()) facts_.push_back(whole == encode(whole_variable(atom)).value);
    bound(whole, known.range);
    for (const Int& part : known.multiple_of) {
      facts_.push_back(divide(whole, encode(part).value).remainder == 0);
    }
    for (const Int& low : known.at_least) facts_.push_back(encode(low).value <= whole);
    for (const Int& high : known.at_most) facts_.push_back(whole <= encode(high).value);
    return {quotient, truth(true)};
  }

  Encoded encode_choice(const Atom& atom) {
    const z3::expr condition = holds(atom.condition());
    const Encoded then = encode(atom.left());
    const Encoded otherwise = encode(atom.right());
    return chosen({condition, defined(atom.condition())}, then, otherwise);
  }

  /// A select; the value of the first operand is a truth value.
  Encoded chosen(const Encoded& condition, const Encoded& then, const Encoded& otherwise) {
    const z3::expr is_defined =
        is_same(then.is_defined, otherwise.is_defined)
            ? then.is_defined
            : z3::ite(condition.value, then.is_defined, otherwise.is_defined);
    return {z3::ite(condition.value, then.value, otherwise.value),
            both(condition.is_defined, is_defined)};
  }

  // Kernels, node by node.

  Encoded encode(const CodeExpression& expression) {
    const auto found = nodes_.find(expression.identity());
    if (found != nodes_.end()) return found->second;
    const Encoded made = encode_new(expression);
    return nodes_.emplace(expression.identity(), made).first->second;
  }

  Encoded encode_new(const CodeExpression& expression) {
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
      return {z3::ite(compared(operation, left.value, right.value), number(1), number(0)),
              both(left.is_defined, right.is_defined)};
    }
    if (operation == CodeOperation::kSelect) {
      return chosen({left.value == 1, left.is_defined}, right, encode(expression.operand(2)));
    }
    return operate(operation, left, right, [&](bool is_left) {
      return range(expression.operand(is_left ? 0 : 1).value());
    });
  }

  // Operations.

  Encoded operate(CodeOperation operation, const Encoded& left, const Encoded& right,
                  const KnownRange& known) {
    const z3::expr operands = both(left.is_defined, right.is_defined);
    return {operated(operation, left.value, right.value, known),
            both(operands, has_value(operation, left.value, right.value))};
  }

  /// The operation has a value for these operands.
  z3::expr has_value(CodeOperation operation, const z3::expr& left, const z3::expr& right) {
    std::int64_t constant = 0;
    const bool is_constant = right.is_numeral_i64(constant);
    switch (operation) {
      case CodeOperation::kQuotient:
      case CodeOperation::kRemainder:
        return is_constant ? truth(constant != 0) : right != 0;
      case CodeOperation::kSquareRoot:
        return left >= 0;
      case CodeOperation::kShiftLeft:
      case CodeOperation::kShiftRight:
        return is_constant ? truth(0 <= constant && constant <= kMaxPlaces)
                           : right >= 0 && right <= number(kMaxPlaces);
      default:
        return truth(true);
    }
  }

  z3::expr operated(CodeOperation operation, const z3::expr& left, const z3::expr& right,
                    const KnownRange& known) {
    switch (operation) {
      case CodeOperation::kNegate:
        return -left;
      case CodeOperation::kAdd:
        return left + right;
      case CodeOperation::kSubtract:
        return left - right;
      case CodeOperation::kMultiply:
        return product_of(left, right);
      case CodeOperation::kQuotient:
        return divide(left, right).quotient;
      case CodeOperation::kRemainder:
        return divide(left, right).remainder;
      case CodeOperation::kMinimum:
        return z3::min(left, right);
      case CodeOperation::kMaximum:
        return z3::max(left, right);
      case CodeOperation::kGcd:
        return greatest_common_divisor(left, right);
      case CodeOperation::kSquareRoot:
        return square_root(left);
      case CodeOperation::kShiftLeft: {
        const z3::expr power = power_of_two(right, known(false));
        return is_same(left, number(1)) ? power : product_of(left, power);
      }
      case CodeOperation::kShiftRight:
        return divide(left, power_of_two(right, known(false))).quotient;
      case CodeOperation::kAnd:
      case CodeOperation::kOr:
      case CodeOperation::kXor:
        return bit_operation(operation, left, right, known);
      default:
        return fresh("unknown");
    }
  }

  EncodedDivision divide(const z3::expr& left, const z3::expr& right) {
    for (const EncodedDivision& known : divisions_) {
      if (is_same(known.left, left) && is_same(known.right, right)) return known;
    }
    std::int64_t divisor = 0;
    const bool is_constant = right.is_numeral_i64(divisor) && divisor != 0;
    // SMT-LIB divides as Int does, by negative numbers too.
    const EncodedDivision made{left, right, is_constant ? left / right : fresh("quotient"),
                               is_constant ? z3::mod(left, right) : fresh("remainder")};
    divisions_.push_back(made);
    if (!is_constant) define(made);
    add_nested(made);
    return made;
  }

  void define(const EncodedDivision& division) {
    const auto& [left, right, quotient, remainder] = division;
    const z3::expr is_natural = left == product_of(quotient, right) + remainder && remainder >= 0;
    facts_.push_back(z3::implies(right > 0, is_natural && remainder < right));
    facts_.push_back(z3::implies(right < 0, is_natural && remainder < -right));
  }

  /// Laws of nested division that take Z3 long to find where the divisors are no constants:
  /// (x//a)//b = x//(a*b), and with n = a*b: (x%n)%a = x%a, (x%n)//a = (x//a)%b.
  void add_nested(const EncodedDivision& division) {
    const std::vector<EncodedDivision> before(divisions_.begin(), divisions_.end() - 1);
    for (const EncodedDivision& inner : before) {
      if (inner.right.is_numeral() && division.right.is_numeral()) continue;
      if (is_same(division.left, inner.quotient)) {
        const EncodedDivision whole = divide(inner.left, product_of(inner.right, division.right));
        facts_.push_back(z3::implies(inner.right > 0 && division.right > 0,
                                     division.quotient == whole.quotient));
      }
      if (!is_same(division.left, inner.remainder)) continue;
      const std::optional<z3::expr> steps = cofactor(inner.right, division.right);
      if (!steps) continue;
      const EncodedDivision plain = divide(inner.left, division.right);
      const EncodedDivision digit = divide(plain.quotient, *steps);
      facts_.push_back(z3::implies(
          *steps > 0 && division.right > 0,
          division.remainder == plain.remainder && division.quotient == digit.remainder));
    }
  }

  z3::expr greatest_common_divisor(const z3::expr& left, const z3::expr& right) {
    const z3::expr divisor = opaque("gcd", left, right);
    facts_.push_back(divisor >= 0);
    facts_.push_back(left == divisor * fresh("part"));
    facts_.push_back(right == divisor * fresh("part"));
    return divisor;
  }

  z3::expr square_root(const z3::expr& square) {
    const z3::expr root = opaque("isqrt", square, square);
    const z3::expr is_root = root >= 0 && root * root <= square && square < (root + 1) * (root + 1);
    facts_.push_back(z3::implies(square >= 0, is_root));
    return root;
  }

  z3::expr power_of_two(const z3::expr& places, const Range& known) {
    std::int64_t constant = 0;
    if (places.is_numeral_i64(constant)) {
      const bool is_power = 0 <= constant && constant <= kMaxPlaces;
      return number(is_power ? std::int64_t{1} << constant : 0);
    }
    z3::expr power = opaque("power", places, places);
    const std::int64_t low = std::max<std::int64_t>(known.low, 0);
    for (std::int64_t count = std::min(known.high, kMaxPlaces); count >= low; --count) {
      power = z3::ite(places == number(count), number(std::int64_t{1} << count), power);
    }
    return power;
  }

  std::optional<Bits> bits_of(const z3::expr& value, const Range& known) {
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
      bits.low.push_back(fresh("bit", context_->bool_sort()));
      sum = sum + z3::ite(bits.low.back(), number(std::int64_t{1} << i), number(0));
    }
    const std::int64_t end = std::int64_t{1} << *places;
    if (known.low < 0) bits.sign = fresh("sign", context_->bool_sort());
    sum = sum - z3::ite(bits.sign, number(end), number(0));
    // Z3 has to show that it fits, whatever the range says.
    bits.fits = value >= number(known.low < 0 ? -end : 0) && value < number(end);
    facts_.push_back(z3::implies(bits.fits, value == sum));
    bits_.emplace_back(value, bits);
    return bits;
  }

  /// x & (2^n - 1) = x mod 2^n, and x & -2^n = x - x mod 2^n, whatever the sign of x; nullopt for
  /// any other mask.
  std::optional<z3::expr> masked(const z3::expr& value, const z3::expr& mask) {
    std::int64_t bits = 0;
    if (!mask.is_numeral_i64(bits) || bits == INT64_MAX || bits == INT64_MIN) return std::nullopt;
    const std::int64_t power = bits < 0 ? -bits : bits + 1;
    if ((power & (power - 1)) != 0) return std::nullopt;
    const z3::expr low = divide(value, number(power)).remainder;
    return bits < 0 ? value - low : low;
  }

  z3::expr bit_operation(CodeOperation operation, const z3::expr& left, const z3::expr& right,
                         const KnownRange& known) {
    static constexpr const char* kNames[] = {"and", "or", "xor"};
    const auto name =
        static_cast<std::size_t>(operation) - static_cast<std::size_t>(CodeOperation::kAnd);
    // The two orders of the operands are encoded alike.
    const bool in_order = left.id() <= right.id();
    z3::expr unknown = opaque(kNames[name], in_order ? left : right, in_order ? right : left);
    if (operation == CodeOperation::kAnd) {
      unknown = masked(left, right).value_or(masked(right, left).value_or(unknown));
    }
    const std::optional<Bits> a = bits_of(left, known(true));
    const std::optional<Bits> b = bits_of(right, known(false));
    if (!a || !b) return unknown;

    const auto combine = [&](const z3::expr& x, const z3::expr& y) {
      if (operation == CodeOperation::kAnd) return (x && y).simplify();
      if (operation == CodeOperation::kOr) return (x || y).simplify();
      return (x != y).simplify();
    };
    const std::size_t count = std::max(a->low.size(), b->low.size());
    z3::expr sum =
        z3::ite(combine(a->sign, b->sign), number(-(std::int64_t{1} << count)), number(0));
    for (std::size_t i = 0; i < count; ++i) {
      sum = sum + z3::ite(combine(a->at(i), b->at(i)), number(std::int64_t{1} << i), number(0));
    }
    return z3::ite(both(a->fits, b->fits), sum.simplify(), unknown);
  }

  z3::context* context_;
  Bindings likely_;
  z3::expr_vector facts_;
  std::map<std::string, z3::expr, std::less<>> variables_;
  std::map<std::string, Encoded, std::less<>> definitions_;
  std::unordered_map<const void*, Encoded> nodes_;
  AtomMap<Encoded> atoms_;
  std::vector<EncodedDivision> divisions_;
  std::vector<std::pair<z3::expr, Bits>> bits_;
};

}  // namespace heddle::expr
