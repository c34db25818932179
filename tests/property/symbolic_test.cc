// The law of symbolic layouts: what an operation gives for sizes known by name is, at every value
// of the names that the assumptions admit, what it gives for those numbers. A refusal says nothing.

#include <gtest/gtest.h>

#include <functional>

#include "heddle/cute/algebra.h"
#include "support/contract.h"
#include "support/law.h"
#include "support/symbolic.h"

namespace heddle::test {
namespace {

using cute::Layout;

constexpr std::int64_t kMaxElements = 1 << 13;

/// Two symbolic layouts and a size, made from one seed.
struct Case {
  explicit Case(std::uint64_t seed)
      : random(seed),
        world(random),
        a(world.layout(random)),
        b(random.chance(50) ? world.layout_within(random, a) : world.layout(random)),
        number(world.size(random)) {}

  Random random;
  SymbolicWorld world;
  Layout a;
  Layout b;
  Int number;
};

/// One of its instances.
struct Instance {
  Layout a;
  Layout b;
  Int number;
};

using Operation = std::function<Result<Layout>(const Layout& a, const Layout& b, const Int& n)>;
/// What is wrong with the instantiated result.
using Judge = std::function<Finding(const Instance& operands, const Layout& result)>;

bool is_small(const Layout& layout) { return known_at_most(layout.size(), kMaxElements); }

Judge same_map(const Operation& operation) {
  return [operation](const Instance& operands, const Layout& result) -> Finding {
    const Result<Layout> wanted = operation(operands.a, operands.b, operands.number);
    if (!wanted) return found("the numbers are refused: ", wanted.error());
    if (!is_small(result)) return kSaysNothing;
    if (!known_equal(result.size(), wanted->size())) return found("the size of ", *wanted);
    if (table_of(result) == table_of(*wanted)) return kHolds;
    return found("the numbers give ", *wanted);
  };
}

/// Instances per case; every variable takes small values, so corners are met.
constexpr int kInstances = 6;

void holds_at_all_values(const Operation& operation, const Judge& judge, double at_least) {
  Tally answered;
  const auto seed = [](Random& random) {
    return Operands{{}, {random.between(0, std::int64_t{1} << 62)}};
  };
  for_all(seed, [&](const Operands& operands) -> Finding {
    if (operands.numbers.empty()) return kSaysNothing;
    Case one(static_cast<std::uint64_t>(operands.numbers.front()));
    const Result<Layout> symbolic = operation(one.a, one.b, one.number);
    if (!symbolic) return kSaysNothing;
    answered.count();
    Unbroken outcome = kSaysNothing;
    for (int i = 0; i < kInstances; ++i) {
      const Bindings values = one.world.values(one.random);
      const Result<Layout> a = instantiate(one.a, values);
      const Result<Layout> b = instantiate(one.b, values);
      const Result<Int> number = instantiate(one.number, values);
      const Result<Layout> result = instantiate(*symbolic, values);
      std::string where = one.world.text() + "; A = " + to_string(one.a) +
                          ", B = " + to_string(one.b) + ", n = " + to_string(one.number) +
                          " gives " + to_string(*symbolic) + "; at";
      for (const auto& [name, value] : values) where += " " + name + "=" + to_string(value);
      if (!a || !b || !number) return found("operands cannot be instantiated: ", where);
      if (!result) return found(result.error(), " for ", where);
      if (!is_small(*a) || !is_small(*b)) continue;
      const Finding finding = judge({*a, *b, *number}, *result);
      if (finding) {
        return found(where, " that is ", to_string(*a), ", ", to_string(*b), ", ", *number, " and ",
                     to_string(*result), ": ", *finding);
      }
      if (!finding.says_nothing()) outcome = kHolds;
    }
    return outcome;
  });
  answered.expect_at_least(at_least);
}

void is_the_operation_at_all_values(const Operation& operation, double at_least) {
  holds_at_all_values(operation, same_map(operation), at_least);
}

TEST(Symbolic, Coalesce) {
  is_the_operation_at_all_values(
      [](const Layout& a, const Layout&, const Int&) { return cute::coalesce(a); }, 90);
}

TEST(Symbolic, Composition) {
  is_the_operation_at_all_values(
      [](const Layout& a, const Layout& b, const Int&) { return cute::composition(a, b); }, 20);
}

TEST(Symbolic, CompositionWithASize) {
  is_the_operation_at_all_values(
      [](const Layout& a, const Layout&, const Int& n) {
        return cute::composition(a, cute::Tiler(cute::Tile(n)));
      },
      20);
}

TEST(Symbolic, Complement) {
  const Operation complement = [](const Layout& a, const Layout&, const Int& n) {
    return cute::complement(a, IntTuple(n * a.size()));
  };
  const Judge judge = [](const Instance& operands, const Layout& result) {
    const Int target = operands.number * operands.a.size();
    return check_complement(to_plain(operands.a), target.value(), to_plain(result));
  };
  holds_at_all_values(complement, judge, 15);
}

TEST(Symbolic, RightInverse) {
  is_the_operation_at_all_values(
      [](const Layout& a, const Layout&, const Int&) { return cute::right_inverse(a); }, 15);
}

TEST(Symbolic, LeftInverse) {
  is_the_operation_at_all_values(
      [](const Layout& a, const Layout&, const Int&) { return cute::left_inverse(a); }, 10);
}

TEST(Symbolic, ComplementFill) {
  is_the_operation_at_all_values(
      [](const Layout& a, const Layout&, const Int& n) {
        return cute::complement_fill(a, n * a.size());
      },
      5);
}

/// Where the numbers are refused, because A runs on past its end in a mode of one element, a name
/// may still have an answer; it has to be a divide.
Judge is_divide(const Operation& divide, const std::function<Plain(const Instance&)>& tile_of) {
  return [=](const Instance& operands, const Layout& result) -> Finding {
    if (divide(operands.a, operands.b, operands.number)) return same_map(divide)(operands, result);
    const Layout by_mode = *cute::coalesce(result, Profile::flat(2).view());
    return check_divide(to_plain(operands.a), tile_of(operands), to_plain(by_mode));
  };
}

TEST(Symbolic, LogicalDivide) {
  const Operation divide = [](const Layout& a, const Layout&, const Int& n) {
    return cute::logical_divide(a, *cute::make_layout(IntTuple(n)));
  };
  const auto tile = [](const Instance& o) { return plain_leaf(o.number.value(), 1); };
  holds_at_all_values(divide, is_divide(divide, tile), 15);
}

TEST(Symbolic, LogicalDivideByALayout) {
  const Operation divide = [](const Layout& a, const Layout& b, const Int&) {
    return cute::logical_divide(a, b);
  };
  const auto tile = [](const Instance& o) { return to_plain(cute::coalesce(o.b)); };
  holds_at_all_values(divide, is_divide(divide, tile), 5);
}

TEST(Symbolic, ZippedDivideByMode) {
  is_the_operation_at_all_values(
      [](const Layout& a, const Layout&, const Int& n) {
        return cute::zipped_divide(
            a, cute::Tiler::of(std::vector<cute::Tiler>{cute::Tiler(cute::Tile(n))}));
      },
      15);
}

TEST(Symbolic, LogicalProduct) {
  is_the_operation_at_all_values(
      [](const Layout& a, const Layout& b, const Int&) { return cute::logical_product(a, b); }, 10);
}

/// The operation's number as the size of a layout.
Result<Layout> as_layout(const Result<Int>& number) {
  if (!number) return refuse(number.error());
  return cute::make_layout(IntTuple(*number));
}

TEST(Symbolic, MaxAlignment) {
  is_the_operation_at_all_values(
      [](const Layout& a, const Layout&, const Int&) { return as_layout(cute::max_alignment(a)); },
      15);
}

TEST(Symbolic, MaxCommonVector) {
  is_the_operation_at_all_values(
      [](const Layout& a, const Layout& b, const Int&) {
        return as_layout(cute::max_common_vector(a, b));
      },
      5);
}

/// Neither an answer nor the claim that there is none.
bool is_open(const Diagnostic& refusal) {
  return refusal.code() == "assume.needed" || refusal.code() == "composition.undecided";
}

/// What is refused for good for sizes known by name is refused at all values.
void refusals_hold_at_all_values(const Operation& operation, double at_least) {
  Tally refused;
  for_all_seeds([&](Random& random) -> Finding {
    Case one(static_cast<std::uint64_t>(random.between(0, std::int64_t{1} << 62)));
    const Result<Layout> symbolic = operation(one.a, one.b, one.number);
    if (symbolic || is_open(symbolic.error())) return kHolds;
    refused.count();
    for (int i = 0; i < kInstances; ++i) {
      const Bindings values = one.world.values(one.random);
      const Layout a = *instantiate(one.a, values);
      const Layout b = *instantiate(one.b, values);
      const Result<Layout> answer = operation(a, b, *instantiate(one.number, values));
      if (answer) {
        return found(symbolic.error(), "\nwhere ", one.world.text(), "; yet for ", a, " and ", b,
                     ": ", *answer);
      }
    }
    return kHolds;
  });
  refused.expect_at_least(at_least);
}

TEST(SymbolicRefusals, OfInverse) {
  refusals_hold_at_all_values(
      [](const Layout& a, const Layout&, const Int&) { return cute::inverse(a); }, 1);
}

TEST(SymbolicRefusals, OfLeftInverse) {
  refusals_hold_at_all_values(
      [](const Layout& a, const Layout&, const Int&) { return cute::left_inverse(a); }, 0.5);
}

TEST(SymbolicRefusals, OfComplement) {
  refusals_hold_at_all_values(
      [](const Layout& a, const Layout&, const Int& n) {
        return cute::complement(a, IntTuple(n * a.size()));
      },
      0.1);
}

// Steps of 3 over a mode of 4 elements meet for no size but 1.
TEST(SymbolicRefusals, OfComposition) {
  refusals_hold_at_all_values(
      [](const Layout& a, const Layout& b, const Int& n) -> Result<Layout> {
        const Result<Layout> four = cute::make_layout({cute::make_layout(4).value(), a});
        const Result<Layout> steps = cute::make_layout(IntTuple(n + 1), cute::StrideTuple(3));
        const Result<Layout> tile = cute::make_layout({steps.value(), b});
        return cute::composition(four.value(), tile.value());
      },
      1);
}

TEST(SymbolicRefusals, OfLogicalProduct) {
  refusals_hold_at_all_values(
      [](const Layout& a, const Layout& b, const Int&) { return cute::logical_product(a, b); },
      0.5);
}

TEST(Symbolic, WithShape) {
  is_the_operation_at_all_values(
      [](const Layout& a, const Layout& b, const Int&) { return cute::with_shape(a, b.shape()); },
      5);
}

TEST(Symbolic, Upcast) {
  is_the_operation_at_all_values(
      [](const Layout& a, const Layout&, const Int& n) { return cute::upcast(a, n); }, 5);
}

TEST(Symbolic, Downcast) {
  is_the_operation_at_all_values(
      [](const Layout& a, const Layout&, const Int& n) { return cute::downcast(a, n); }, 5);
}

TEST(Symbolic, MaxCommonLayout) {
  is_the_operation_at_all_values(
      [](const Layout& a, const Layout& b, const Int&) { return cute::max_common_layout(a, b); },
      5);
}

TEST(Symbolic, IndexExpressionIsTheIndexAtAllCoordinates) {
  const auto seed = [](Random& random) {
    return Operands{{}, {random.between(0, std::int64_t{1} << 62)}};
  };
  for_all(seed, [&](const Operands& operands) -> Finding {
    if (operands.numbers.empty()) return kSaysNothing;
    Case one(static_cast<std::uint64_t>(operands.numbers.front()));
    const Int expression = one.a(Int::variable("t", 0, 1000));
    if (!expression.is_defined()) return found("no index expression of ", one.a);
    Bindings values = one.world.values(one.random);
    const Layout concrete = *instantiate(one.a, values);
    for (int i = 0; i < kInstances; ++i) {
      const std::int64_t t = one.random.between(0, 1000);
      values["t"] = t;
      const Result<Int> index = instantiate(expression, values);
      if (!index || *index != concrete(t)) {
        return found(expression, " of ", one.a, " at ", t, " is not that of ", concrete);
      }
    }
    return kHolds;
  });
}

TEST(Symbolic, EqualIsNeverContradictedByValues) {
  Tally yes;
  Tally no;
  const auto seed = [](Random& random) {
    return Operands{{}, {random.between(0, std::int64_t{1} << 62)}};
  };
  for_all(seed, [&](const Operands& operands) -> Finding {
    if (operands.numbers.empty()) return kSaysNothing;
    Case one(static_cast<std::uint64_t>(operands.numbers.front()));
    const Layout other = one.random.chance(50) ? cute::coalesce(one.a) : one.b;
    const Verdict verdict = cute::equal(one.a, other);
    if (verdict.is_yes()) yes.count();
    if (verdict.is_no()) no.count();
    Unbroken outcome = kSaysNothing;
    for (int i = 0; i < kInstances && verdict.is_yes(); ++i) {
      const Bindings values = one.world.values(one.random);
      const Layout a = *instantiate(one.a, values);
      const Layout b = *instantiate(other, values);
      if (!is_small(a)) continue;
      outcome = kHolds;
      if (table_of(a) != table_of(b)) return found(one.a, " and ", other, " differ at values");
    }
    return outcome;
  });
  yes.expect_at_least(30);
  no.expect_at_least(5);
}

}  // namespace
}  // namespace heddle::test
