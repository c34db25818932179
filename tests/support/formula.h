#pragma once

// Random expressions over a few integer variables, as terms of the library and as plain numbers, so
// that what is said of terms can be judged at many values. Worlds and formulas are read off a list
// of drawn numbers, where smaller numbers stand for simpler things: a failing case shrinks.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heddle/expr/assumptions.h"
#include "support/random.h"

namespace heddle::test {

/// A number of which nothing is known.
inline const Int kX = Int::variable("x");

/// Reads choices off drawn numbers; the simplest choice past their end.
class Choices {
 public:
  explicit Choices(std::span<const std::int64_t> numbers) : numbers_(numbers) {}

  /// In [0, bound).
  [[nodiscard]] std::int64_t next(std::int64_t bound);
  [[nodiscard]] bool chance(int percent) { return next(100) >= 100 - percent; }

 private:
  std::span<const std::int64_t> numbers_;
};

/// `count` numbers for Choices.
[[nodiscard]] Operands drawn_numbers(Random& random, int count);

/// One value for each variable of a world.
using Point = std::vector<std::int64_t>;

/// What is undefined, or past all that 64-bit terms are asked about.
using PlainValue = std::optional<std::int64_t>;

/// A tree of operations on variables and small constants.
class Formula {
 public:
  enum class Kind : std::uint8_t {
    kConstant,
    kVariable,
    kAdd,
    kSubtract,
    kMultiply,
    kQuotient,
    kRemainder,
    kCeilDiv,
    kMin,
    kMax,
    kAbs,
    kSign,
    kGcd,
    kAnd,
    kOr,
    kXor,
    kShiftLeft,
    kShiftRight,
    kSquareRoot,
    // Of four operands: between the first two stands the condition.
    kSelectEqual,
    kSelectNotEqual,
    kSelectLess,
    kSelectAtMost,
    kSelectDivides,
  };

  [[nodiscard]] static Formula draw(Choices& choices, std::size_t variables, int depth = 4);
  /// c0 + c1*x + c2*y + …, each variable once.
  [[nodiscard]] static Formula draw_affine(Choices& choices, std::size_t variables);

  [[nodiscard]] Int term(std::span<const Int> variables) const;
  [[nodiscard]] PlainValue value(const Point& at) const;
  [[nodiscard]] std::string text() const;

 private:
  [[nodiscard]] Predicate predicate() const;

  Kind kind_ = Kind::kConstant;
  std::int64_t number_ = 0;
  std::vector<Formula> operands_;
};

/// Variables with what is known of them, and points at which all of that is so.
struct World {
  std::vector<Int> variables;
  std::vector<std::string> names;
  /// Where the variables are made by assumptions: which; over plain variables.
  std::vector<Condition> conditions;
  std::vector<Point> points;
  /// The points are all there are.
  bool is_complete = true;
  /// The assumptions were refused with this code; there are no variables then.
  std::string refused;

  /// Variables with ranges only.
  [[nodiscard]] static World draw_ranges(Choices& choices);
  /// Variables made by Assumptions.
  [[nodiscard]] static World draw_assumed(Choices& choices);
  [[nodiscard]] static World draw(Choices& choices);

  [[nodiscard]] Bindings bindings(const Point& at) const;
  [[nodiscard]] std::string text() const;
};

/// Whether the condition holds between numbers; 0 divides only 0.
[[nodiscard]] bool holds(std::int64_t left, Predicate predicate, std::int64_t right);

[[nodiscard]] std::string to_string(const Point& point);

}  // namespace heddle::test
