#pragma once

// Terms and conditions in the words of Z3. Each operation becomes what defines it:
//
//   x//d, x%d     q and r with x = q*d + r and 0 <= r < |d|, the same for both
//   min, max      the lesser, the greater
//   and, or, xor  the bits of operands that ranges bound
//   gcd, 2^n, …   functions of which only a few facts are known
//
// What an encoding proves is so; a model of it is only a candidate.

#include <z3++.h>

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "expr/term.h"

namespace heddle::expr {

class Z3Encoding {
 public:
  explicit Z3Encoding(z3::context& context);

  /// The condition itself. Where it has a value is for defined() to say.
  [[nodiscard]] z3::expr holds(const Condition& condition);
  /// No division by zero nor the like in a condition.
  [[nodiscard]] z3::expr defined(const Condition& condition);
  /// What is known of all the variables and helpers that the encoded terms brought in.
  [[nodiscard]] const z3::expr_vector& facts() const { return facts_; }

  /// The variables, each with the constant that stands for it (for its quotient: see Variable).
  [[nodiscard]] const std::vector<std::pair<AtomPointer, z3::expr>>& variables() const {
    return variables_;
  }

 private:
  struct Encoded {
    z3::expr value;
    z3::expr is_defined;
  };
  struct Quotient {
    z3::expr quotient;
    z3::expr remainder;
    z3::expr is_defined;
  };
  /// Two's complement: the low bits, and the bit that goes on for ever.
  struct Bits {
    std::vector<z3::expr> low;
    z3::expr sign;
    /// There are no more bits than these.
    z3::expr fits;

    [[nodiscard]] z3::expr at(std::size_t place) const {
      return place < low.size() ? low[place] : sign;
    }
  };

  Encoded encode(const Int& value);
  Encoded encode(const AtomPointer& atom);
  Encoded encode_new(const AtomPointer& atom);
  Encoded encode_variable(const AtomPointer& atom);
  Encoded encode_operation(const Atom& atom);
  Quotient divide(const Int& left, const Int& right);
  Quotient divide_new(const Int& left, const Int& right);
  void add_nested(const Int& left, const Int& right, const Quotient& parts);
  Encoded greatest_common_divisor(const Atom& atom);
  Encoded power_of_two(const Atom& atom);
  Encoded bit_operation(const Atom& atom);
  std::optional<Bits> bits_of(const Int& value);

  z3::expr number(std::int64_t value) { return context_->int_val(value); }
  z3::expr truth(bool value) { return context_->bool_val(value); }
  z3::expr fresh(const char* name);
  z3::expr fresh_truth(const char* name);
  z3::expr both(const z3::expr& a, const z3::expr& b);
  /// An integer within the range.
  void bound(const z3::expr& value, const Range& range);
  /// A value of which nothing is known but that equal operands make it equal.
  z3::expr opaque(const char* name, const z3::expr& left, const z3::expr& right);

  z3::context* context_;
  z3::expr_vector facts_;
  std::vector<std::pair<AtomPointer, z3::expr>> variables_;
  std::unordered_map<Int, Encoded> atoms_;
  std::vector<std::pair<std::pair<Int, Int>, Quotient>> quotients_;
  std::unordered_map<Int, Bits> bits_;
};

}  // namespace heddle::expr
