// Symbolic terms against plain evaluation at many values of their variables.
//
// A term agrees with a formula where the formula is defined and its numbers stay small: the term
// may have a value where the formula has none (0*(x//0) is 0), and may be undefined only where it
// has grown too large.

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "heddle/expr/int.h"
#include "heddle/expr/proof.h"
#include "support/formula.h"
#include "support/law.h"

namespace heddle::test {
namespace {

constexpr int kNumbers = 60;

Operands numbers(Random& random) { return drawn_numbers(random, kNumbers); }

/// The value of a term at a point.
Result<Int> at(const Int& term, const World& world, const Point& point) {
  return instantiate(term, world.bindings(point));
}

/// Tries `law(term value)` wherever the formula has a value.
template <class Law>
Finding everywhere(const World& world, const Formula& formula, Law law) {
  Unbroken outcome = kSaysNothing;
  for (const Point& point : world.points) {
    const PlainValue value = formula.value(point);
    if (!value) continue;
    outcome = kHolds;
    if (const Finding finding = law(*value)) {
      return found(*finding, " at ", to_string(point), " where ", world.text(), formula.text(),
                   " = ", formula.term(world.variables));
    }
  }
  return outcome;
}

TEST(Term, HasTheValueOfItsFormula) {
  Tally symbolic;
  for_all(numbers, [&](const Operands& o) -> Finding {
    Choices choices(o.numbers);
    const World world = World::draw(choices);
    if (world.variables.empty()) return kSaysNothing;
    const Formula formula = Formula::draw(choices, world.variables.size());
    const Int term = formula.term(world.variables);
    if (term.is_symbolic()) symbolic.count();
    Unbroken outcome = kSaysNothing;
    for (const Point& point : world.points) {
      const PlainValue value = formula.value(point);
      if (!value) continue;
      outcome = kHolds;
      const Result<Int> got = at(term, world, point);
      if (!got) {
        return found(got.error(), " at ", to_string(point), " where ", world.text(), formula.text(),
                     " = ", term);
      }
      if (*got != Int(*value)) {
        return found(*got, ", wanted ", *value, " at ", to_string(point), " where ", world.text(),
                     formula.text(), " = ", term);
      }
    }
    return outcome;
  });
  symbolic.expect_at_least(40);
}

TEST(Term, RangeHoldsEveryValue) {
  for_all(numbers, [](const Operands& o) -> Finding {
    Choices choices(o.numbers);
    const World world = World::draw(choices);
    if (world.variables.empty()) return kSaysNothing;
    const Formula formula = Formula::draw(choices, world.variables.size());
    const Range ends = range(formula.term(world.variables));
    return everywhere(world, formula, [&](std::int64_t value) -> Finding {
      if (ends.low <= value && value <= ends.high) return kHolds;
      return found(value, " is not in [", ends.low, ",", ends.high, "]");
    });
  });
}

TEST(Term, RangeOfAnAffineTermIsTight) {
  for_all(numbers, [](const Operands& o) -> Finding {
    Choices choices(o.numbers);
    const World world = World::draw_ranges(choices);
    const Formula formula = Formula::draw_affine(choices, world.variables.size());
    const Int term = formula.term(world.variables);
    const Range ends = range(term);
    if (!world.is_complete) return kSaysNothing;
    std::int64_t low = std::numeric_limits<std::int64_t>::max();
    std::int64_t high = std::numeric_limits<std::int64_t>::min();
    for (const Point& point : world.points) {
      low = std::min(low, *formula.value(point));
      high = std::max(high, *formula.value(point));
    }
    if (ends == Range{low, high}) return kHolds;
    return found("[", ends.low, ",", ends.high, "], wanted [", low, ",", high, "] for ", term);
  });
}

TEST(Term, DividesByItsKnownDivisor) {
  Tally divided;
  for_all(numbers, [&](const Operands& o) -> Finding {
    Choices choices(o.numbers);
    const World world = World::draw(choices);
    if (world.variables.empty()) return kSaysNothing;
    const Formula formula = Formula::draw(choices, world.variables.size());
    const Int term = formula.term(world.variables);
    const std::int64_t divisor = known_divisor(term);
    if (term.is_symbolic() && divisor > 1) divided.count();
    return everywhere(world, formula, [&](std::int64_t value) -> Finding {
      if (holds(divisor, Predicate::kDivides, value)) return kHolds;
      return found(divisor, " does not divide ", value);
    });
  });
  divided.expect_at_least(3);
}

/// Two formulas that are related more often than chance would have it.
struct Pair {
  Formula left;
  Formula right;
};

constexpr Predicate kRelations[] = {Predicate::kEqual, Predicate::kNotEqual, Predicate::kLess,
                                    Predicate::kAtMost, Predicate::kDivides};

TEST(Condition, KnownIsNeverContradictedByAValue) {
  Tally yes;
  Tally no;
  for_all(numbers, [&](const Operands& o) -> Finding {
    Choices choices(o.numbers);
    const World world = World::draw(choices);
    if (world.variables.empty()) return kSaysNothing;
    const int depth = static_cast<int>(1 + choices.next(3));
    const Formula left = Formula::draw(choices, world.variables.size(), depth);
    const Formula right = Formula::draw(choices, world.variables.size(), depth);
    for (const Predicate relation : kRelations) {
      const Condition condition{left.term(world.variables), relation, right.term(world.variables)};
      const bool holds_always = known(condition);
      const bool fails_always = known_false(condition);
      if (holds_always) yes.count();
      if (fails_always) no.count();
      for (const Point& point : world.points) {
        const PlainValue a = left.value(point);
        const PlainValue b = right.value(point);
        if (!a || !b) continue;
        const bool is_so = holds(*a, relation, *b);
        if ((holds_always && !is_so) || (fails_always && is_so)) {
          return found(condition.left, " and ", condition.right, " are ", *a, " and ", *b, " at ",
                       to_string(point), " where ", world.text(), left.text(), ", ", right.text());
        }
      }
    }
    return kHolds;
  });
  yes.expect_at_least(20);
  no.expect_at_least(20);
}

/// The value of a name in a witness such as `x=3, y=4`.
std::optional<std::int64_t> value_in(const Witness& witness, const std::string& name) {
  const std::size_t found = (", " + witness.coordinate).find(", " + name + "=");
  if (found == std::string::npos) return std::nullopt;
  return std::stoll(witness.coordinate.substr(found + name.size() + 1));
}

TEST(Condition, ProofsAreRightAndWitnessesBreakIt) {
  Tally yes;
  Tally no;
  Tally shown;
  for_all(numbers, [&](const Operands& o) -> Finding {
    Choices choices(o.numbers);
    const World world = World::draw(choices);
    if (world.variables.empty() || world.points.empty()) return kSaysNothing;
    const int depth = static_cast<int>(1 + choices.next(2));
    const Formula left = Formula::draw(choices, world.variables.size(), depth);
    const Formula right = Formula::draw(choices, world.variables.size(), depth);
    const Predicate relation = kRelations[choices.next(std::ssize(kRelations))];
    const Condition condition{left.term(world.variables), relation, right.term(world.variables)};
    const Verdict verdict = prove(condition);
    if (verdict.is_yes()) {
      yes.count();
      for (const Point& point : world.points) {
        const PlainValue a = left.value(point);
        const PlainValue b = right.value(point);
        if (a && b && !holds(*a, relation, *b)) return found(verdict, " at ", to_string(point));
      }
    }
    if (!verdict.is_no()) return verdict.is_yes() ? kHolds : kSaysNothing;
    no.count();
    const Witness& witness = *verdict.counterexample();
    Bindings bindings;
    for (const std::string& name : world.names) {
      if (const auto value = value_in(witness, name)) bindings[name] = *value;
    }
    for (const Point& point : world.points) {
      const Bindings all = world.bindings(point);
      const bool agrees = std::ranges::all_of(
          bindings, [&](const auto& binding) { return all.at(binding.first) == binding.second; });
      const PlainValue a = left.value(point);
      const PlainValue b = right.value(point);
      if (!agrees || !a || !b) continue;
      shown.count();
      if (!holds(*a, relation, *b)) break;
      return found(verdict, " but they are ", *a, " and ", *b, " for ", left.text(), ", ",
                   right.text(), " where ", world.text());
    }
    for (const Int& variable : world.variables) {
      if (const auto bound = instantiate(variable, bindings); !bound) {
        return found(verdict, ": ", bound.error(), " where ", world.text());
      }
    }
    return kHolds;
  });
  yes.expect_at_least(10);
  no.expect_at_least(20);
  shown.expect_at_least(10);
}

/// a*x + b*y + … in two orders, with parts multiplied out or not.
TEST(Term, SumsAndProductsBuiltInAnyOrderAreOneObject) {
  for_all(numbers, [](const Operands& o) -> Finding {
    Choices choices(o.numbers);
    const World world = World::draw(choices);
    if (world.variables.empty()) return kSaysNothing;
    const auto draw = [&] {
      return Formula::draw(choices, world.variables.size(), 2).term(world.variables);
    };
    const Int a = draw();
    const Int b = draw();
    const Int c = draw();
    const auto same = [&](const Int& left, const Int& right, const char* law) -> Finding {
      const bool agree = left == right && std::hash<Int>()(left) == std::hash<Int>()(right) &&
                         to_string(left) == to_string(right);
      if (agree || !left.is_defined() || !right.is_defined()) return kHolds;
      return found(law, ": ", left, " and ", right, " for ", a, ", ", b, ", ", c);
    };
    for (const Finding& finding :
         {same(a + b, b + a, "a+b = b+a"), same((a + b) + c, a + (b + c), "(a+b)+c = a+(b+c)"),
          same(a * b, b * a, "a*b = b*a"), same((a * b) * c, a * (b * c), "(a*b)*c = a*(b*c)"),
          same(a * (b + c), a * b + a * c, "a*(b+c) = a*b+a*c"), same(a - b + b, a, "a-b+b = a"),
          same(a - a, 0, "a-a = 0"), same(min(a, b), min(b, a), "min(a,b) = min(b,a)"),
          same(max(a, b), max(b, a), "max(a,b) = max(b,a)"),
          same(gcd(a, b), gcd(b, a), "gcd(a,b) = gcd(b,a)"),
          same(bit_xor(a, b), bit_xor(b, a), "a xor b = b xor a"),
          same(bit_and(a, b), bit_and(b, a), "a and b = b and a"),
          same(bit_or(a, b), bit_or(b, a), "a or b = b or a")}) {
      if (finding) return finding;
    }
    return kHolds;
  });
}

TEST(Assumptions, RefuseAsContradictoryOnlyWhatHasNoPoint) {
  for_all({.percent = 3}, numbers, [&](const Operands& o) -> Finding {
    Choices choices(o.numbers);
    const World world = World::draw_assumed(choices);
    if (world.refused != "assume.contradiction") return kSaysNothing;
    if (world.points.empty()) return kHolds;
    return found(world.text(), " holds at ", to_string(world.points[0]));
  });
}

TEST(Assumptions, EveryPointThatSatisfiesThemIsAdmissible) {
  for_all(numbers, [](const Operands& o) -> Finding {
    Choices choices(o.numbers);
    const World world = World::draw_assumed(choices);
    if (world.variables.empty()) return kSaysNothing;
    for (const Point& point : world.points) {
      for (std::size_t i = 0; i < point.size(); ++i) {
        const Result<Int> value = at(world.variables[i], world, point);
        if (!value) return found(value.error(), " where ", world.text());
        if (*value != Int(point[i]))
          return found(*value, " for ", to_string(point), " where ", world.text());
      }
    }
    return kHolds;
  });
}

}  // namespace
}  // namespace heddle::test
