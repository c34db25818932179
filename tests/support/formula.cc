#include "support/formula.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace heddle::test {
namespace {

/// Values past this are left out: terms may not hold them on the way.
constexpr std::int64_t kMaxMagnitude = std::int64_t{1} << 40;
constexpr std::size_t kMaxPoints = 40;

PlainValue within(std::int64_t value) {
  if (value > kMaxMagnitude || value < -kMaxMagnitude) return std::nullopt;
  return value;
}

std::int64_t euclidean_remainder(std::int64_t a, std::int64_t b) {
  const std::int64_t magnitude = b < 0 ? -b : b;
  return ((a % magnitude) + magnitude) % magnitude;
}

std::int64_t euclidean_quotient(std::int64_t a, std::int64_t b) {
  return (a - euclidean_remainder(a, b)) / b;
}

PlainValue apply(Formula::Kind kind, std::int64_t a, std::int64_t b) {
  using Kind = Formula::Kind;
  switch (kind) {
    case Kind::kAdd:
      return within(a + b);
    case Kind::kSubtract:
      return within(a - b);
    case Kind::kMultiply: {
      std::int64_t product = 0;
      if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
      return within(product);
    }
    case Kind::kQuotient:
      return b == 0 ? PlainValue() : euclidean_quotient(a, b);
    case Kind::kRemainder:
      return b == 0 ? PlainValue() : euclidean_remainder(a, b);
    case Kind::kCeilDiv:
      // Said for positive divisors.
      return b <= 0 ? PlainValue() : -euclidean_quotient(-a, b);
    case Kind::kMin:
      return std::min(a, b);
    case Kind::kMax:
      return std::max(a, b);
    case Kind::kAbs:
      return a < 0 ? -a : a;
    case Kind::kSign:
      return (a > 0) - (a < 0);
    case Kind::kGcd:
      return std::gcd(a, b);
    case Kind::kAnd:
      return a & b;
    case Kind::kOr:
      return a | b;
    case Kind::kXor:
      return a ^ b;
    case Kind::kShiftLeft:
      if (b < 0 || b > 20) return std::nullopt;
      return within(a * (std::int64_t{1} << b));
    case Kind::kShiftRight:
      // Two shifts in a row become one.
      if (b < 0 || b > 12) return std::nullopt;
      return a >> std::min<std::int64_t>(b, 63);
    case Kind::kSquareRoot: {
      if (a < 0) return std::nullopt;
      std::int64_t root = 0;
      while ((root + 1) * (root + 1) <= a && root < 1 << 10) ++root;
      return root < 1 << 10 ? PlainValue(root) : std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

Int apply(Formula::Kind kind, const Int& a, const Int& b) {
  using Kind = Formula::Kind;
  switch (kind) {
    case Kind::kAdd:
      return a + b;
    case Kind::kSubtract:
      return a - b;
    case Kind::kMultiply:
      return a * b;
    case Kind::kQuotient:
      return floor_div(a, b);
    case Kind::kRemainder:
      return mod(a, b);
    case Kind::kCeilDiv:
      return ceil_div(a, b);
    case Kind::kMin:
      return min(a, b);
    case Kind::kMax:
      return max(a, b);
    case Kind::kAbs:
      return abs(a);
    case Kind::kSign:
      return sign(a);
    case Kind::kGcd:
      return gcd(a, b);
    case Kind::kAnd:
      return bit_and(a, b);
    case Kind::kOr:
      return bit_or(a, b);
    case Kind::kXor:
      return bit_xor(a, b);
    case Kind::kShiftLeft:
      return shift_left(a, b);
    case Kind::kShiftRight:
      return shift_right(a, b);
    case Kind::kSquareRoot:
      return isqrt(a);
    default:
      return Int::undefined();
  }
}

constexpr const char* kNames[] = {"x", "y", "z", "w"};

std::int64_t small_constant(Choices& choices) {
  static constexpr std::int64_t kValues[] = {1, 0, 2, -1, 3, 4, 8, 5, 6, 7, 16, 12, 64, -2, -4, -7};
  return kValues[choices.next(std::ssize(kValues))];
}

/// The values tried for a variable between two ends.
std::vector<std::int64_t> values_between(std::int64_t low, std::int64_t high) {
  std::vector<std::int64_t> values;
  for (std::int64_t value = low; value <= high; ++value) values.push_back(value);
  return values;
}

/// All points, or some of them spread evenly where there are many.
std::vector<Point> points_of(const std::vector<std::vector<std::int64_t>>& values) {
  std::vector<Point> points{{}};
  for (const auto& next : values) {
    std::vector<Point> longer;
    for (const Point& point : points) {
      for (const std::int64_t value : next) {
        longer.push_back(point);
        longer.back().push_back(value);
      }
    }
    points = std::move(longer);
  }
  return points;
}

void keep_some(World& world) {
  if (world.points.size() <= kMaxPoints) return;
  world.is_complete = false;
  std::vector<Point> kept;
  for (std::size_t i = 0; i < kMaxPoints; ++i) {
    kept.push_back(world.points[i * (world.points.size() - 1) / (kMaxPoints - 1)]);
  }
  world.points = std::move(kept);
}

/// A condition together with what it says of numbers.
struct Assumption {
  Condition condition;
  Formula left;
  Formula right;
};

}  // namespace

std::int64_t Choices::next(std::int64_t bound) {
  if (numbers_.empty()) return 0;
  const std::int64_t value = (numbers_.front() - 1) % bound;
  numbers_ = numbers_.subspan(1);
  return value;
}

Operands drawn_numbers(Random& random, int count) {
  Operands operands;
  for (int i = 0; i < count; ++i) operands.numbers.push_back(random.between(1, 1000));
  return operands;
}

Formula Formula::draw(Choices& choices, std::size_t variables, int depth) {
  Formula formula;
  if (depth == 0 || !choices.chance(80)) {
    formula.kind_ = choices.chance(70) ? Kind::kVariable : Kind::kConstant;
    formula.number_ = formula.kind_ == Kind::kVariable
                          ? choices.next(static_cast<std::int64_t>(variables))
                          : small_constant(choices);
    return formula;
  }
  static constexpr Kind kKinds[] = {Kind::kAdd,          Kind::kMultiply,
                                    Kind::kSubtract,     Kind::kQuotient,
                                    Kind::kRemainder,    Kind::kAdd,
                                    Kind::kMultiply,     Kind::kQuotient,
                                    Kind::kRemainder,    Kind::kMin,
                                    Kind::kMax,          Kind::kCeilDiv,
                                    Kind::kAbs,          Kind::kSign,
                                    Kind::kGcd,          Kind::kAnd,
                                    Kind::kOr,           Kind::kXor,
                                    Kind::kShiftLeft,    Kind::kShiftRight,
                                    Kind::kQuotient,     Kind::kRemainder,
                                    Kind::kSelectLess,   Kind::kSelectEqual,
                                    Kind::kSelectAtMost, Kind::kSelectNotEqual,
                                    Kind::kSquareRoot,   Kind::kSelectDivides};
  formula.kind_ = kKinds[choices.next(std::ssize(kKinds))];
  if (formula.kind_ >= Kind::kSelectEqual) {
    for (int i = 0; i < 4; ++i) {
      formula.operands_.push_back(draw(choices, variables, i < 2 ? 1 : depth - 1));
    }
    return formula;
  }
  formula.operands_.push_back(draw(choices, variables, depth - 1));
  // Divisors are mostly simple: then there is something to simplify.
  const bool divides = formula.kind_ == Kind::kQuotient || formula.kind_ == Kind::kRemainder ||
                       formula.kind_ == Kind::kCeilDiv;
  formula.operands_.push_back(
      draw(choices, variables, divides && choices.chance(70) ? 0 : depth - 1));
  return formula;
}

Formula Formula::draw_affine(Choices& choices, std::size_t variables) {
  Formula sum;
  sum.number_ = small_constant(choices);
  for (std::size_t i = 0; i < variables; ++i) {
    Formula variable;
    variable.kind_ = Kind::kVariable;
    variable.number_ = static_cast<std::int64_t>(i);
    Formula coefficient;
    coefficient.number_ = small_constant(choices);
    Formula product;
    product.kind_ = Kind::kMultiply;
    product.operands_ = {coefficient, variable};
    Formula longer;
    longer.kind_ = Kind::kAdd;
    longer.operands_ = {sum, product};
    sum = longer;
  }
  return sum;
}

Int Formula::term(std::span<const Int> variables) const {
  if (kind_ == Kind::kConstant) return number_;
  if (kind_ == Kind::kVariable) return variables[static_cast<std::size_t>(number_)];
  const Int left = operands_[0].term(variables);
  const Int right = operands_[1].term(variables);
  if (kind_ < Kind::kSelectEqual) return apply(kind_, left, right);
  // A branch without a value anywhere is as good as any other.
  const auto branch = [&](std::size_t index) {
    Int value = operands_[index].term(variables);
    return value.is_defined() ? value : Int(0);
  };
  return select({left, predicate(), right}, branch(2), branch(3));
}

Predicate Formula::predicate() const {
  return static_cast<Predicate>(static_cast<int>(kind_) - static_cast<int>(Kind::kSelectEqual));
}

PlainValue Formula::value(const Point& at) const {
  if (kind_ == Kind::kConstant) return number_;
  if (kind_ == Kind::kVariable) return at[static_cast<std::size_t>(number_)];
  const PlainValue left = operands_[0].value(at);
  const PlainValue right = operands_[1].value(at);
  if (!left || !right) return std::nullopt;
  if (kind_ < Kind::kSelectEqual) return apply(kind_, *left, *right);
  return operands_[holds(*left, predicate(), *right) ? 2 : 3].value(at);
}

std::string Formula::text() const {
  static constexpr const char* kOperations[] = {
      "",    "",    "add",   "sub",       "mul",       "div",       "mod",       "ceil_div",
      "min", "max", "abs",   "sign",      "gcd",       "and",       "or",        "xor",
      "shl", "shr", "isqrt", "select_eq", "select_ne", "select_lt", "select_le", "select_divides"};
  if (kind_ == Kind::kConstant) return std::to_string(number_);
  if (kind_ == Kind::kVariable) return kNames[number_];
  std::string text = kOperations[static_cast<std::size_t>(kind_)];
  for (std::size_t i = 0; i < operands_.size(); ++i) {
    text += (i == 0 ? "(" : ",") + operands_[i].text();
  }
  return text + ")";
}

World World::draw_ranges(Choices& choices) {
  World world;
  const std::int64_t count = 1 + choices.next(3);
  std::vector<std::vector<std::int64_t>> values;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t low = choices.next(14) - 5;
    const std::int64_t high = low + choices.next(9);
    const bool has_low = !choices.chance(15);
    const bool has_high = !choices.chance(30);
    world.names.emplace_back(kNames[i]);
    world.variables.push_back(
        Int::variable(kNames[i], has_low ? low : Range::kNoLow, has_high ? high : Range::kNoHigh));
    values.push_back(values_between(low, high));
    if (!has_low) values.back().insert(values.back().end(), {low - 9, low - 100});
    if (!has_high) values.back().insert(values.back().end(), {high + 7, high + 100});
    world.is_complete = world.is_complete && has_low && has_high;
  }
  world.points = points_of(values);
  keep_some(world);
  return world;
}

World World::draw_assumed(Choices& choices) {
  World world;
  const std::int64_t count = 1 + choices.next(3);
  std::vector<Int> plain;
  for (std::int64_t i = 0; i < count; ++i) {
    world.names.emplace_back(kNames[i]);
    plain.push_back(Int::variable(kNames[i]));
  }
  std::vector<std::function<bool(const Point&)>> checks;
  const auto assume = [&](const Condition& condition, std::function<bool(const Point&)> check) {
    world.conditions.push_back(condition);
    checks.push_back(std::move(check));
  };
  std::vector<std::vector<std::int64_t>> values;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const std::int64_t low = choices.next(10) - 2;
    const std::int64_t high = low + choices.next(13);
    assume({low, Predicate::kAtMost, plain[i]}, [=](const Point& at) { return low <= at[i]; });
    const bool has_high = !choices.chance(20);
    if (has_high) {
      assume({plain[i], Predicate::kLess, high + 1},
             [=](const Point& at) { return at[i] <= high; });
    }
    values.push_back(values_between(low, has_high ? high : low + 16));
    world.is_complete = world.is_complete && has_high;
    if (choices.chance(40)) {
      const std::int64_t divisor = 2 + choices.next(5);
      const std::int64_t residue = choices.chance(40) ? choices.next(divisor) : 0;
      assume({mod(plain[i], divisor), Predicate::kEqual, residue},
             [=](const Point& at) { return euclidean_remainder(at[i], divisor) == residue; });
    }
    if (choices.chance(10)) {
      const std::int64_t excluded = low + choices.next(2);
      assume({plain[i], Predicate::kNotEqual, excluded},
             [=](const Point& at) { return at[i] != excluded; });
    }
    if (choices.chance(10)) {
      const std::int64_t scale = 2 + choices.next(3);
      const std::int64_t most = low * scale + choices.next(20);
      assume({scale * plain[i], Predicate::kAtMost, most},
             [=](const Point& at) { return scale * at[i] <= most; });
    }
    if (i == 0 || choices.chance(40)) continue;
    const auto j = static_cast<std::size_t>(choices.next(static_cast<std::int64_t>(i)));
    const std::int64_t offset = choices.next(3) - 1;
    switch (choices.next(6)) {
      case 0:
        assume({plain[j], Predicate::kAtMost, plain[i] + offset},
               [=](const Point& at) { return at[j] <= at[i] + offset; });
        break;
      case 1:
        assume({plain[i], Predicate::kLess, plain[j]},
               [=](const Point& at) { return at[i] < at[j]; });
        break;
      case 2:
        assume({plain[i], Predicate::kAtMost, 2 * plain[j] + offset},
               [=](const Point& at) { return at[i] <= 2 * at[j] + offset; });
        break;
      case 3:
        assume({plain[j], Predicate::kDivides, plain[i]},
               [=](const Point& at) { return holds(at[j], Predicate::kDivides, at[i]); });
        break;
      case 4:
        assume({mod(plain[i], 2 * plain[j]), Predicate::kEqual, 0}, [=](const Point& at) {
          return at[j] != 0 && holds(2 * at[j], Predicate::kDivides, at[i]);
        });
        break;
      default:
        assume({plain[i], Predicate::kEqual, 2 * plain[j] + offset},
               [=](const Point& at) { return at[i] == 2 * at[j] + offset; });
        break;
    }
  }
  const Result<Assumptions> assumptions = Assumptions::make(world.conditions, Range::kNoLow);
  world.points = points_of(values);
  std::erase_if(world.points, [&](const Point& at) {
    return std::ranges::any_of(checks, [&](const auto& check) { return !check(at); });
  });
  if (!assumptions) {
    world.refused = assumptions.error().code();
    return world;
  }
  for (const std::string& name : world.names) {
    world.variables.push_back(assumptions->variable(name));
  }
  keep_some(world);
  return world;
}

World World::draw(Choices& choices) {
  return choices.chance(50) ? draw_assumed(choices) : draw_ranges(choices);
}

Bindings World::bindings(const Point& at) const {
  Bindings bindings;
  for (std::size_t i = 0; i < names.size(); ++i) bindings[names[i]] = at[i];
  return bindings;
}

std::string World::text() const {
  std::string text;
  for (const Condition& condition : conditions) text += heddle::to_string(condition) + "; ";
  for (std::size_t i = 0; i < variables.size() && conditions.empty(); ++i) {
    const Range ends = range(variables[i]);
    text += names[i] + " in [" + std::to_string(ends.low) + "," + std::to_string(ends.high) + "]; ";
  }
  return text;
}

bool holds(std::int64_t left, Predicate predicate, std::int64_t right) {
  switch (predicate) {
    case Predicate::kEqual:
      return left == right;
    case Predicate::kNotEqual:
      return left != right;
    case Predicate::kLess:
      return left < right;
    case Predicate::kAtMost:
      return left <= right;
    case Predicate::kDivides:
      return left == 0 ? right == 0 : right % left == 0;
  }
  return false;
}

std::string to_string(const Point& point) {
  std::string text;
  for (const std::int64_t value : point) {
    text += (text.empty() ? "" : ",") + std::to_string(value);
  }
  return "(" + text + ")";
}

}  // namespace heddle::test
