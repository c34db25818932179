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
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "expr/term/term.h"
#include "heddle/expr/code_expression.h"

namespace heddle::expr {

class Z3Encoding {
 public:
  /// `likely` are variables within ranges that others leave open: where operands of bit operations
  /// probably lie. Whether they do is for Z3 to see.
  explicit Z3Encoding(z3::context& context, Bindings likely = {});

  /// The condition itself. Where it has a value is for defined() to say.
  [[nodiscard]] z3::expr holds(const Condition& condition);
  /// No division by zero nor the like in a condition.
  [[nodiscard]] z3::expr defined(const Condition& condition);
  /// What the kernel computes for `result`, one of its results or guards (1 or 0), by its
  /// definitions. Its variables are known by their names alone.
  struct Computed {
    z3::expr value;
    z3::expr is_defined;
  };
  [[nodiscard]] Computed compute(const Kernel& kernel, const CodeExpression& result);
  /// The value, and where it has one.
  [[nodiscard]] Computed value_of(const Int& value);

  /// Takes in what is known of the variables of a value.
  void note_variables(const Int& value);

  /// What is known of all the variables and helpers that the encoded terms brought in.
  [[nodiscard]] const z3::expr_vector& facts() const { return facts_; }

  /// The variables, each with the constant that stands for it.
  [[nodiscard]] const std::map<std::string, z3::expr, std::less<>>& variables() const {
    return variables_;
  }

 private:
  using Encoded = Computed;
  struct Quotient {
    z3::expr quotient;
    z3::expr remainder;
    z3::expr is_defined;
  };
  /// A division that was encoded, without where it is defined.
  struct Division {
    z3::expr left;
    z3::expr right;
    z3::expr quotient;
    z3::expr remainder;
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
  Encoded encode_choice(const Atom& atom);
  Encoded chosen(const Encoded& condition, const Encoded& then, const Encoded& otherwise);
  Encoded encode(const CodeExpression& expression);
  Encoded encode_new(const CodeExpression& expression);
  z3::expr compared(CodeOperation operation, const Encoded& left, const Encoded& right);
  Quotient divide(const Encoded& left, const Encoded& right);
  void define(const Division& division);
  void add_nested(const Division& division);
  /// A range that is likely to hold the left, or the right, operand.
  using KnownRange = std::function<Range(bool is_left)>;
  /// An operation by what defines it.
  Encoded operate(CodeOperation operation, const Encoded& left, const Encoded& right,
                  const KnownRange& known);
  Encoded greatest_common_divisor(const Encoded& left, const Encoded& right);
  Encoded square_root(const Encoded& square);
  Encoded power_of_two(const Encoded& places, const Range& known);
  Encoded bit_operation(CodeOperation operation, const Encoded& left, const Encoded& right,
                        const Range& known_left, const Range& known_right);
  std::optional<Bits> bits_of(const z3::expr& value, const Range& known);

  z3::expr number(std::int64_t value) { return context_->int_val(value); }
  z3::expr truth(bool value) { return context_->bool_val(value); }
  z3::expr variable(const std::string& name);
  z3::expr fresh(const char* name);
  z3::expr fresh_truth(const char* name);
  z3::expr both(const z3::expr& a, const z3::expr& b);
  [[nodiscard]] Range likely_range(const Int& value) const;
  /// An integer within the range.
  void bound(const z3::expr& value, const Range& range);
  /// A value of which nothing is known but that equal operands make it equal.
  z3::expr opaque(const char* name, const z3::expr& left, const z3::expr& right);

  z3::context* context_;
  Bindings likely_;
  z3::expr_vector facts_;
  std::map<std::string, z3::expr, std::less<>> variables_;
  std::map<std::string, Encoded, std::less<>> definitions_;
  std::unordered_map<const void*, Encoded> nodes_;
  std::unordered_map<Int, Encoded> atoms_;
  std::vector<Division> divisions_;
  std::vector<std::pair<z3::expr, Bits>> bits_;
};

}  // namespace heddle::expr
