// The rules of quotients and remainders, each tried on random operands under the name of its law:
// the term has the value that plain division gives, and it is simplified as the law says.

#include <gtest/gtest.h>

#include "heddle/expr/index_variable.h"
#include "heddle/expr/proof.h"
#include "support/law.h"

namespace heddle::test {
namespace {

std::int64_t quotient(std::int64_t a, std::int64_t b) { return exact::floor_divide(a, b).value(); }
std::int64_t remainder(std::int64_t a, std::int64_t b) { return exact::floor_modulo(a, b).value(); }

/// Random numbers, each as a variable in a range around it (negative ones too) or as a constant.
class Numbers {
 public:
  explicit Numbers(Random& random) : random_(random) {}

  struct Number {
    Int term;
    std::int64_t value;
  };

  /// Anything, mostly in a range.
  Number any() {
    const std::int64_t value = random_.between(-200, 200);
    const std::int64_t low = random_.chance(20) ? Range::kNoLow : value - random_.between(0, 50);
    const std::int64_t high = random_.chance(20) ? Range::kNoHigh : value + random_.between(0, 50);
    return named(value, low, high);
  }
  /// At least 1; a variable or a constant.
  Number positive() {
    const std::int64_t value = random_.between(1, 20);
    if (random_.chance(50)) return {value, value};
    return named(value, 1, random_.chance(50) ? Range::kNoHigh : value + random_.between(0, 9));
  }
  /// In [0, bound), known to be so.
  Number below(const Number& bound) {
    const std::int64_t value = random_.between(0, bound.value - 1);
    const std::string name = next_name();
    values_[name] = value;
    return {index_variable(name, bound.term), value};
  }

  [[nodiscard]] Finding expect(const Int& term, std::int64_t wanted, const char* law) const {
    const Result<Int> got = instantiate(term, values_);
    if (got && *got == Int(wanted)) return kHolds;
    std::string at;
    for (const auto& [name, value] : values_) at += " " + name + "=" + to_string(value);
    return found(law, ": ", term, " is ", got ? to_string(*got) : "refused", ", wanted ", wanted,
                 " at", at);
  }

 private:
  std::string next_name() { return "v" + std::to_string(values_.size()); }

  Number named(std::int64_t value, std::int64_t low, std::int64_t high) {
    const std::string name = next_name();
    values_[name] = value;
    return {Int::variable(name, low, high), value};
  }

  Random& random_;
  Bindings values_;
};

/// The first law that does not hold.
Finding first(std::initializer_list<Finding> findings) {
  for (const Finding& finding : findings) {
    if (finding) return finding;
  }
  return kHolds;
}

TEST(Division, MultiplesOfTheDivisorComeOut) {
  for_all_seeds([](Random& random) -> Finding {
    Numbers numbers(random);
    const auto d = numbers.positive();
    const auto q = numbers.any();
    const auto r = numbers.any();
    const std::int64_t value = d.value * q.value + r.value;
    return first({numbers.expect(floor_div(d.term * q.term + r.term, d.term),
                                 quotient(value, d.value), "(d*q+r)//d = q+r//d"),
                  numbers.expect(mod(d.term * q.term + r.term, d.term), remainder(value, d.value),
                                 "(d*q+r)%d = r%d")});
  });
}

TEST(Division, WhatStaysBelowTheUnitDoesNotCarry) {
  for_all_seeds([](Random& random) -> Finding {
    Numbers numbers(random);
    const auto u = numbers.positive();
    const auto b = numbers.positive();
    const auto x = numbers.any();
    const auto y = numbers.below(u);
    const Int sum = u.term * x.term + y.term;
    const Int divisor = u.term * b.term;
    const std::int64_t value = u.value * x.value + y.value;
    const std::int64_t by = u.value * b.value;
    return first(
        {numbers.expect(floor_div(sum, divisor), quotient(value, by), "(u*x+y)//(u*b) = x//b"),
         numbers.expect(mod(sum, divisor), remainder(value, by), "(u*x+y)%(u*b) = u*(x%b)+y")});
  });
}

TEST(Division, WhatStaysBetweenMultiplesOfTheUnitCarriesThem) {
  for_all_seeds([](Random& random) -> Finding {
    Numbers numbers(random);
    const std::int64_t u = random.between(1, 16);
    const std::int64_t b = random.between(1, 16);
    const std::int64_t k = random.between(-5, 5);
    const auto x = numbers.any();
    const auto z = numbers.any();
    const auto y = numbers.below({u, u});
    const Int sum = u * x.term + 2 * u * z.term + y.term + u * k;
    const std::int64_t value = u * x.value + 2 * u * z.value + y.value + u * k;
    return first({numbers.expect(floor_div(sum, u * b), quotient(value, u * b), "quotient"),
                  numbers.expect(mod(sum, u * b), remainder(value, u * b), "remainder")});
  });
}

TEST(Division, QuotientsOfRemaindersAreRemaindersOfQuotients) {
  for_all_seeds([](Random& random) -> Finding {
    Numbers numbers(random);
    const auto a = numbers.positive();
    const auto b = numbers.positive();
    const auto x = numbers.any();
    const Int inner = mod(x.term, a.term * b.term);
    const std::int64_t value = remainder(x.value, a.value * b.value);
    return first(
        {numbers.expect(floor_div(inner, a.term), quotient(value, a.value),
                        "(x%(a*b))//a = (x//a)%b"),
         numbers.expect(mod(inner, a.term), remainder(value, a.value), "(x%(a*b))%a = x%a"),
         numbers.expect(floor_div(mod(x.term, a.term), a.term), 0, "(x%a)//a = 0")});
  });
}

TEST(Division, QuotientsOfQuotientsJoin) {
  for_all_seeds([](Random& random) -> Finding {
    Numbers numbers(random);
    const auto a = numbers.positive();
    const auto b = numbers.positive();
    const auto x = numbers.any();
    const std::int64_t k = random.between(-20, 20);
    const Int inner = floor_div(x.term, a.term) + k;
    const std::int64_t value = quotient(x.value, a.value) + k;
    return numbers.expect(floor_div(inner, b.term), quotient(value, b.value),
                          "(x//a+k)//b = (x+k*a)//(a*b)");
  });
}

TEST(Division, DigitsReunite) {
  for_all_seeds([](Random& random) -> Finding {
    Numbers numbers(random);
    const auto a = numbers.positive();
    const auto b = numbers.positive();
    const auto x = numbers.any();
    const auto f = numbers.any();
    const Int low = mod(x.term, a.term);
    const Int digit = mod(floor_div(x.term, a.term), b.term);
    const Int high = floor_div(x.term, a.term * b.term);
    const std::int64_t both = remainder(x.value, a.value * b.value);
    return first({numbers.expect(f.term * (low + a.term * floor_div(x.term, a.term)),
                                 f.value * x.value, "x%a + a*(x//a) = x"),
                  numbers.expect(f.term * low + f.term * a.term * digit, f.value * both,
                                 "x%a + a*((x//a)%b) = x%(a*b)"),
                  numbers.expect(low + a.term * (digit + b.term * high), x.value,
                                 "x%a + a*((x//a)%b) + a*b*(x//(a*b)) = x")});
  });
}

TEST(Division, OfMinimaMaximaAndChoicesGoesByBranches) {
  for_all_seeds([](Random& random) -> Finding {
    Numbers numbers(random);
    const auto d = numbers.positive();
    const auto x = numbers.any();
    const auto y = numbers.any();
    const std::int64_t dx = d.value * x.value;
    const std::int64_t dy = d.value * y.value + 1;
    const Int a = d.term * x.term;
    const Int b = d.term * y.term + 1;
    const Int choice = select({x.term, Predicate::kLess, y.term}, a, b);
    const std::int64_t chosen = x.value < y.value ? dx : dy;
    return first(
        {numbers.expect(floor_div(min(a, b), d.term), quotient(std::min(dx, dy), d.value), "min"),
         numbers.expect(floor_div(max(a, b), d.term), quotient(std::max(dx, dy), d.value), "max"),
         numbers.expect(mod(min(a, b), d.term), remainder(std::min(dx, dy), d.value), "min%"),
         numbers.expect(floor_div(choice, d.term), quotient(chosen, d.value), "select"),
         numbers.expect(mod(choice, d.term), remainder(chosen, d.value), "select%")});
  });
}

TEST(Division, ByANegativeNumberIsEuclidean) {
  for_all_seeds([](Random& random) -> Finding {
    Numbers numbers(random);
    const auto x = numbers.any();
    const auto d = numbers.positive();
    return first({numbers.expect(floor_div(x.term, -d.term), quotient(x.value, -d.value), "x//-d"),
                  numbers.expect(mod(x.term, -d.term), remainder(x.value, -d.value), "x%-d")});
  });
}

// What the laws come to, in normal form.
TEST(Division, NormalForms) {
  const auto natural = [](const char* name, std::int64_t low) {
    return Int::variable(name, low, Range::kNoHigh);
  };
  const Int x = Int::variable("x");
  const Int m = natural("M", 1);
  const Int n = natural("N", 1);
  const Int p = natural("p", 0);
  const Int j = Int::variable("j", 0, 7);
  EXPECT_EQ(floor_div(mod(x, m * n), m), mod(floor_div(x, m), n));
  EXPECT_EQ(floor_div(mod(x, 24), 4), mod(floor_div(x, 4), 6));
  EXPECT_EQ(floor_div(8 * x + j, 24), floor_div(x, 3));
  EXPECT_EQ(mod(8 * x + j, 24), 8 * mod(x, 3) + j);
  EXPECT_EQ(floor_div(8 * x + 16 * p + j, 32), floor_div(x + 2 * p, 4));
  EXPECT_EQ(floor_div(8 * x + j - 8, 16), floor_div(x - 1, 2));
  EXPECT_EQ(floor_div(12 * x + 8 * p + mod(p, 4), 24), floor_div(3 * x + 2 * p, 6));
  EXPECT_EQ(floor_div(2 * m * x, 4 * m * n), floor_div(x, 2 * n));
  EXPECT_EQ(floor_div(m * x + mod(p, m), m * n), floor_div(x, n));
  EXPECT_EQ(mod(m * x + mod(p, m), m * n), m * mod(x, n) + mod(p, m));
  EXPECT_EQ(mod(x, m) + m * mod(floor_div(x, m), n), mod(x, m * n));
  EXPECT_EQ(mod(x, 4) + 4 * mod(floor_div(x, 4), 8), mod(x, 32));
  EXPECT_EQ(floor_div(min(8 * x, 16), 4), min(2 * x, 4));
  EXPECT_EQ(mod(j + 8, 16), j + 8);
  EXPECT_EQ(mod(j + 16, 16), j);
}

}  // namespace
}  // namespace heddle::test
