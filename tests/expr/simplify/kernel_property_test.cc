// Kernels against plain evaluation: whatever forms are chosen, the values are those of the
// formulas.

#include <gtest/gtest.h>

#include "heddle/expr/simplify.h"
#include "support/formula.h"
#include "support/law.h"

namespace heddle::test {
namespace {

constexpr int kNumbers = 150;

Operands numbers(Random& random) { return drawn_numbers(random, kNumbers); }

Target target_of(Choices& choices) {
  switch (choices.next(3)) {
    case 0:
      return Target::operations();
    case 1:
      return Target::gpu();
    default:
      return Target::cpu();
  }
}

/// What the kernel gives at a point, beside what it should.
Finding compare(const Kernel& kernel, const World& world, const Point& point,
                const std::vector<PlainValue>& wanted) {
  const std::vector<Int> got = evaluate(kernel, world.bindings(point));
  Unbroken outcome = kSaysNothing;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    // A sum may pass through large numbers where its value is small; 64 bits hold them here.
    if (!wanted[i]) continue;
    outcome = kHolds;
    if (got[i] == Int(*wanted[i])) continue;
    return found("value ", i, " is ", got[i], ", wanted ", *wanted[i], " at ", to_string(point),
                 " where ", world.text(), "\n", kernel);
  }
  return outcome;
}

TEST(Kernel, HasTheValuesOfItsFormulas) {
  Tally named;
  for_all(numbers, [&](const Operands& o) -> Finding {
    Choices choices(o.numbers);
    const World world = World::draw(choices);
    if (world.variables.empty()) return kSaysNothing;
    const Target target = target_of(choices);
    std::vector<Formula> formulas;
    std::vector<Int> values;
    for (std::int64_t count = 1 + choices.next(3); count > 0; --count) {
      Formula formula = Formula::draw(choices, world.variables.size());
      Int value = formula.term(world.variables);
      if (!value.is_defined()) continue;
      formulas.push_back(std::move(formula));
      values.push_back(std::move(value));
    }
    const Result<Simplified> simplified = simplify(values, {}, {.target = target});
    if (!simplified) return found(simplified.error());
    if (!simplified->kernel.definitions.empty()) named.count();
    if (simplified->cost != cost(simplified->kernel, target)) return found("the cost");
    for (const Point& point : world.points) {
      std::vector<PlainValue> wanted;
      for (const Formula& formula : formulas) wanted.push_back(formula.value(point));
      if (Finding finding = compare(simplified->kernel, world, point, wanted)) return finding;
    }
    return kHolds;
  });
  named.expect_at_least(8);
}

/// The digits of a flat index, last fastest.
std::vector<Int> digits(const std::vector<std::int64_t>& extents, Int flat) {
  std::vector<Int> found(extents.size());
  for (std::size_t i = extents.size(); i-- > 0;) {
    found[i] = mod(flat, extents[i]);
    flat = floor_div(flat, extents[i]);
  }
  return found;
}

/// Strip-mines, permutes and flattens anew, a few times: what layouts are made of.
std::vector<Int> reordered(Random& random, std::int64_t size, Int flat) {
  std::vector<Int> found;
  for (std::int64_t round = random.between(1, 3); round > 0; --round) {
    const std::vector<std::int64_t> extents = random_factors(random, size);
    found = digits(extents, flat);
    std::vector<std::size_t> order(extents.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    random.shuffle(order);
    flat = 0;
    for (const std::size_t digit : order) flat = flat * extents[digit] + found[digit];
  }
  if (random.chance(50)) return {flat};
  found.push_back(flat);
  return found;
}

TEST(Kernel, HasTheValuesOfChainsOfPermutations) {
  Tally cheaper;
  for_all_seeds([&](Random& random) -> Finding {
    static const std::vector<std::int64_t> kSizes{16, 24, 36, 48, 64, 72, 96, 144};
    const std::int64_t rows = random.one_of(kSizes);
    const std::int64_t columns = random.one_of(kSizes);
    const Int i = Int::variable("i", 0, rows - 1);
    const Int j = random.chance(50) ? Int::variable("j", 0, columns - 1) : Int::variable("j");
    const std::vector<Int> values = reordered(random, rows * columns, columns * i + j);
    const Target target = random.chance(50) ? Target::operations() : Target::gpu();
    const Simplified simplified = simplify(values, {}, {.target = target, .budget = 2'000}).value();
    const Simplified plain = simplify(values, {}, {.target = target, .budget = 0}).value();
    if (simplified.cost < plain.cost) cheaper.count();
    for (int turn = 0; turn < 5; ++turn) {
      const Bindings at{{"i", random.between(0, rows - 1)}, {"j", random.between(0, columns - 1)}};
      const std::vector<Int> got = evaluate(simplified.kernel, at);
      for (std::size_t k = 0; k < values.size(); ++k) {
        const Int wanted = instantiate(values[k], at).value();
        if (got[k] == wanted) continue;
        return found(values[k], " is ", got[k], ", wanted ", wanted, " at i=", at.at("i"),
                     " j=", at.at("j"), "\n", simplified.kernel);
      }
    }
    return kHolds;
  });
  cheaper.expect_at_least(20);
}

/// Factors of a product just within 63 bits.
std::vector<std::int64_t> huge_factors(Random& random) {
  std::vector<std::int64_t> factors;
  std::int64_t left = Range::kNoHigh;
  while (left > 4) {
    const std::int64_t most =
        std::min<std::int64_t>(left / 2, std::int64_t{1} << random.between(6, 40));
    factors.push_back(random.between(2, std::max<std::int64_t>(most, 2)));
    left /= factors.back();
  }
  return factors;
}

TEST(Kernel, IsDefinedWhereverThePlainFormIs) {
  Tally other;
  for_all_seeds([&](Random& random) -> Finding {
    std::vector<std::int64_t> extents = huge_factors(random);
    std::int64_t size = 1;
    for (const std::int64_t extent : extents) size *= extent;
    const Int i = Int::variable("i", 0, size - 1);
    const std::vector<Int> found_digits = digits(extents, i);
    Int value = 0;
    std::vector<std::size_t> order(extents.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
    random.shuffle(order);
    for (const std::size_t digit : order) value = value * extents[digit] + found_digits[digit];
    if (!value.is_defined()) return kSaysNothing;
    const Target target = random.chance(50) ? Target::cpu() : Target::gpu();
    const Simplified simplified =
        simplify(std::vector{value}, {}, {.target = target, .budget = 2'000}).value();
    const Simplified plain =
        simplify(std::vector{value}, {}, {.target = target, .budget = 0}).value();
    if (simplified.cost < plain.cost) other.count();
    for (const std::int64_t at : {size - 1, size / 2, random.between(0, size - 1)}) {
      const Bindings point{{"i", at}};
      const Int wanted = evaluate(plain.kernel, point)[0];
      if (!wanted.is_defined() || evaluate(simplified.kernel, point)[0] == wanted) continue;
      return found(value, " should be ", wanted, " at i=", at, "\n", simplified.kernel);
    }
    return kHolds;
  });
  other.expect_at_least(5);
}

TEST(Kernel, GuardsHaveTheTruthOfTheirConditions) {
  constexpr Predicate kRelations[] = {Predicate::kEqual, Predicate::kNotEqual, Predicate::kLess,
                                      Predicate::kAtMost, Predicate::kDivides};
  for_all(numbers, [&](const Operands& o) -> Finding {
    Choices choices(o.numbers);
    const World world = World::draw(choices);
    if (world.variables.empty()) return kSaysNothing;
    const Target target = target_of(choices);
    const Formula left = Formula::draw(choices, world.variables.size(), 2);
    const Formula right = Formula::draw(choices, world.variables.size(), 2);
    const Predicate relation = kRelations[choices.next(std::ssize(kRelations))];
    const Condition guard{left.term(world.variables), relation, right.term(world.variables)};
    if (!guard.left.is_defined() || !guard.right.is_defined()) return kSaysNothing;
    const Result<Simplified> simplified =
        simplify(std::vector{guard.left}, std::vector{guard}, {.target = target});
    if (!simplified) return found(simplified.error());
    for (const Point& point : world.points) {
      const PlainValue a = left.value(point);
      const PlainValue b = right.value(point);
      if (!a || !b) continue;
      const std::vector<PlainValue> wanted{a, holds(*a, relation, *b) ? 1 : 0};
      if (Finding finding = compare(simplified->kernel, world, point, wanted)) return finding;
    }
    return kHolds;
  });
}

TEST(Kernel, NeverCostsMoreThanThePlainForm) {
  for_all(numbers, [&](const Operands& o) -> Finding {
    Choices choices(o.numbers);
    const World world = World::draw(choices);
    if (world.variables.empty()) return kSaysNothing;
    const Target target = target_of(choices);
    const Int value = Formula::draw(choices, world.variables.size()).term(world.variables);
    if (!value.is_defined()) return kSaysNothing;
    const auto with_budget = [&](std::int64_t budget) {
      return simplify(std::vector{value}, {}, {.target = target, .budget = budget}).value().cost;
    };
    const std::int64_t plain = with_budget(0);
    const std::int64_t found_cost = with_budget(100'000);
    if (found_cost <= plain) return kHolds;
    return found(found_cost, " is more than ", plain, " for ", value);
  });
}

TEST(Kernel, IsTheSameInEveryRun) {
  for_all(numbers, [&](const Operands& o) -> Finding {
    const auto text = [&] {
      Choices choices(o.numbers);
      const World world = World::draw(choices);
      if (world.variables.empty()) return std::string();
      const Int value = Formula::draw(choices, world.variables.size()).term(world.variables);
      if (!value.is_defined()) return std::string();
      return to_string(simplify(std::vector{value}).value().kernel);
    };
    const std::string first = text();
    const std::string second = text();
    return first == second ? kHolds : found(first, " and ", second);
  });
}

}  // namespace
}  // namespace heddle::test
