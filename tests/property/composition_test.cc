// Laws of composition, of the conditions under which seed 004 promises it, and of domain_overflow.

#include "heddle/cute/composition.h"

#include <gtest/gtest.h>

#include "heddle/cute/admissibility.h"
#include "heddle/cute/manipulation.h"
#include "support/contract.h"
#include "support/law.h"

namespace heddle::test {
namespace {

using cute::composition;
using cute::Layout;

Operands pair_to_compose(Random& random) {
  const Plain a = any_layout(random, 128);
  return {{a, layout_within(random, a, 64)}, {}};
}

bool leaves_the_line(const Plain& b) {
  for (const std::int64_t index : table(b)) {
    if (index < 0) return true;
  }
  return false;
}

TEST(Composition, ResultAtEveryCoordinateIsAOfB) {
  for_all({.percent = 50}, pair_to_compose, [&](const Operands& o) -> Finding {
    const Result<Layout> r = composition(to_layout(o.layouts[0]), to_layout(o.layouts[1]));
    if (!r) return kSaysNothing;
    const Plain result = to_plain(*r);
    for (std::int64_t c = 0; c < size(o.layouts[1]); ++c) {
      const std::int64_t wanted = evaluate(o.layouts[0], evaluate(o.layouts[1], c));
      if (evaluate(result, c) != wanted) return found(*r, "(", c, ") should be ", wanted);
    }
    return kHolds;
  });
}

TEST(Composition, ResultKeepsTheModesOfB) {
  for_all(pair_to_compose, [](const Operands& o) -> Finding {
    const Result<Layout> r = composition(to_layout(o.layouts[0]), to_layout(o.layouts[1]));
    if (!r) return kSaysNothing;
    return compatible(o.layouts[1], to_plain(*r)) ? kHolds
                                                  : found(*r, " does not keep the modes of B");
  });
}

TEST(Composition, RefusalMeansThatNoLayoutExists) {
  Tally refused;
  for_all({.percent = 5}, pair_to_compose, [&](const Operands& o) -> Finding {
    const Result<Layout> r = composition(to_layout(o.layouts[0]), to_layout(o.layouts[1]));
    if (r) return kSaysNothing;
    if (r.error().code() == "composition.negative_coordinate") {
      return leaves_the_line(o.layouts[1]) ? kHolds
                                           : found("B is nowhere negative, yet ", r.error());
    }
    refused.count();
    if (r.error().code() != "composition.no_layout") return found("unexpected ", r.error());
    if (composition_exists(o.layouts[0], o.layouts[1]))
      return found("a layout exists, yet ", r.error());
    return kHolds;
  });
  refused.expect_at_least(2);
}

TEST(Composition, NegativeCoordinatesAreRefused) {
  const auto operands = [](Random& random) {
    return Operands{{any_layout(random, 64), any_layout(random, 64)}, {}};
  };
  for_all({.percent = 5}, operands, [&](const Operands& o) -> Finding {
    if (!leaves_the_line(o.layouts[1])) return kSaysNothing;
    const Result<Layout> r = composition(to_layout(o.layouts[0]), to_layout(o.layouts[1]));
    if (r) return found("gave ", *r);
    const bool either =
        r.error().code() == "composition.negative_coordinate" ||
        r.error().code() == "composition.no_layout";  // already the part above 0 fails
    return either ? kHolds : found(r.error());
  });
}

TEST(Composition, WitnessOfARefusalShowsWhatAOfBIsThere) {
  for_all({.percent = 5}, pair_to_compose, [&](const Operands& o) -> Finding {
    const Result<Layout> r = composition(to_layout(o.layouts[0]), to_layout(o.layouts[1]));
    if (r || r.error().code() != "composition.no_layout") return kSaysNothing;
    const std::optional<Witness>& witness = r.error().witness();
    if (!witness) return found("no witness: ", r.error());
    const std::int64_t c = flat_coordinate(tuple(witness->coordinate), o.layouts[1]);
    if (c < 0 || c >= size(o.layouts[1])) return found("no coordinate of B: ", witness->coordinate);
    const std::int64_t value = evaluate(o.layouts[0], evaluate(o.layouts[1], c));
    if (witness->found != std::to_string(value))
      return found("A(B(", c, ")) = ", value, ", ", r.error());
    if (witness->wanted == witness->found) return found("found = wanted: ", r.error());
    return kHolds;
  });
}

TEST(Composition, ByModeTakesEachModeApart) {
  const auto operands = [](Random& random) {
    const Plain a = any_layout(random, 128);
    Operands o{{a}, {}};
    for (const Plain& mode : a.modes) {
      if (random.chance(80)) o.layouts.push_back(layout_within(random, mode, 32));
    }
    return o;
  };
  for_all(operands, [](const Operands& o) -> Finding {
    const Plain& a = o.layouts[0];
    const std::size_t tiles = o.layouts.size() - 1;
    if (a.is_leaf() || tiles == 0 || tiles > a.modes.size()) return kSaysNothing;
    std::vector<cute::Tiler> tiler;
    std::vector<Layout> wanted;
    std::optional<Diagnostic> refusal;
    for (std::size_t i = 0; i < tiles; ++i) {
      tiler.push_back(cute::Tiler(cute::Tile(to_layout(o.layouts[i + 1]))));
      Result<Layout> mode = composition(to_layout(a.modes[i]), to_layout(o.layouts[i + 1]));
      if (mode) wanted.push_back(*mode);
      if (!mode && !refusal) refusal = mode.error();
    }
    const Result<Layout> r = composition(to_layout(a), cute::Tiler::of(tiler));
    if (refusal) return r ? found("gave ", *r, " though a mode is refused") : kHolds;
    if (!r) return found("every mode composes, yet ", r.error());
    const Layout expected = cute::make_layout(wanted).value();
    return *r == expected ? kHolds : found(*r, ", wanted ", expected);
  });
}

TEST(Composition, IsAssociativeWhereAllOfItExists) {
  const auto operands = [](Random& random) {
    const Plain a = positive_layout(random, 128);
    const Plain b = layout_within(random, a, 64);
    return Operands{{a, b, layout_within(random, b, 32)}, {}};
  };
  for_all({.percent = 10}, operands, [&](const Operands& o) -> Finding {
    const Layout a = to_layout(o.layouts[0]);
    const Layout b = to_layout(o.layouts[1]);
    const Layout c = to_layout(o.layouts[2]);
    const Result<Layout> ab = composition(a, b);
    const Result<Layout> bc = composition(b, c);
    if (!ab || !bc) return kSaysNothing;
    // (A o B) extends its last mode past the end and A o (B o C) that of B: compare inside
    // B only.
    for (const std::int64_t index : table(o.layouts[2])) {
      if (index < 0 || index >= size(o.layouts[1])) return kSaysNothing;
    }
    const Result<Layout> left = composition(*ab, c);
    const Result<Layout> right = composition(a, *bc);
    if (!left || !right) return kSaysNothing;
    return differs(table_of(*left), table_of(*right));
  });
}

TEST(Composition, WithItsOwnShapeIsTheLayoutItself) {
  for_all([](Random& random) { return Operands{{any_layout(random)}, {}}; },
          [](const Operands& o) -> Finding {
            const Layout a = to_layout(o.layouts[0]);
            const Result<Layout> r = composition(a, cute::make_layout_left(a.shape()).value());
            if (!r) return found(r.error());
            return check_composition(
                o.layouts[0], to_plain(cute::make_layout_left(a.shape()).value()), to_plain(*r));
          });
}

/// Extents far beyond what can be tried one by one; B takes pieces of A's modes.
Operands large_pair(Random& random) {
  static const std::vector<std::int64_t> kExtents = {2,  3,   4,    8,    12,   64,
                                                     96, 128, 1024, 4096, 65536};
  std::vector<Plain> a;
  std::vector<Plain> b;
  std::int64_t stride = 1;
  std::int64_t level = 1;
  for (std::int64_t n = random.between(1, 4); n > 0; --n) {
    const std::int64_t extent = random.one_of(kExtents);
    if (level > (std::int64_t{1} << 40) / extent) break;
    a.push_back(plain_leaf(extent, random.chance(10) ? 0 : stride));
    stride *= extent * (random.chance(30) ? 2 : 1);
    for (const std::int64_t factor : random_factors(random, extent)) {
      if (random.chance(70)) b.push_back(plain_leaf(factor, level));
      level *= factor;
    }
  }
  random.shuffle(a);
  if (random.chance(60)) random.shuffle(b);
  if (random.chance(20)) b.push_back(plain_leaf(random.between(2, 100), random.between(1, 100)));
  return {{plain_tuple(a), b.empty() ? plain_leaf(1, 0) : plain_tuple(b)},
          {random.between(1, 1 << 30)}};
}

TEST(Composition, OfLargeLayoutsIsAOfBAtSampledCoordinates) {
  Tally composed;
  for_all(large_pair, [&](const Operands& o) -> Finding {
    const Result<Layout> r = composition(to_layout(o.layouts[0]), to_layout(o.layouts[1]));
    if (!r) {
      const std::string& code = r.error().code();
      const bool undecided = code == "composition.undecided" && size(o.layouts[1]) > (1 << 20);
      return undecided || code == "composition.no_layout" ? kHolds : found(r.error());
    }
    composed.count();
    const Plain result = to_plain(*r);
    if (!compatible(o.layouts[1], result)) return found(*r, " does not keep the modes of B");
    Random random(static_cast<std::uint64_t>(o.numbers[0]));
    const std::int64_t last = size(o.layouts[1]) - 1;
    for (int sample = 0; sample < 50; ++sample) {
      const std::int64_t c = sample == 0 ? last : random.between(0, last);
      const std::int64_t wanted = evaluate(o.layouts[0], evaluate(o.layouts[1], c));
      if (evaluate(result, c) != wanted) return found(*r, "(", c, ") should be ", wanted);
    }
    return kHolds;
  });
  composed.expect_at_least(40);
}

/// Numbers near 2^63: never a wrong answer, whatever is refused.
TEST(Composition, OfHugeStridesIsExactOrRefused) {
  const auto operands = [](Random& random) {
    Operands o{{any_layout(random, 64), positive_layout(random, 32)}, {}};
    for (Plain& layout : o.layouts) {
      const std::int64_t factor = std::int64_t{1} << random.between(0, 60);
      layout = plain_tuple(leaves(layout));
      for (Plain& mode : layout.modes) {
        if (random.chance(50) && mode.extent * 64 < (std::int64_t{1} << 62) / factor)
          mode.stride *= factor;
      }
    }
    return o;
  };
  for_all(operands, [](const Operands& o) -> Finding {
    for (const Plain& layout : o.layouts) {
      if (!cute::Layout::make(to_shape(layout), to_stride(layout))) return kSaysNothing;
    }
    const Result<Layout> r = composition(to_layout(o.layouts[0]), to_layout(o.layouts[1]));
    if (!r) return kSaysNothing;
    const Layout a = to_layout(o.layouts[0]);
    const Layout b = to_layout(o.layouts[1]);
    for (std::int64_t c = 0; c < size(o.layouts[1]); ++c) {
      const Int wanted = a(b(c));
      if (!wanted.is_defined()) return found(*r, " at ", c, " where A(B(c)) has no 64-bit value");
      if ((*r)(c) != wanted) return found(*r, "(", c, ") should be ", wanted);
    }
    return kHolds;
  });
}

// Seed 004, theorem 2.18.
TEST(Composition, AdmissiblePairsCompose) {
  const auto operands = [](Random& random) {
    const Plain a = positive_layout(random, 128);
    return Operands{{a, layout_within(random, a, 64)}, {}};
  };
  for_all({.percent = 20}, operands, [&](const Operands& o) -> Finding {
    const Plain a = plain_layout(coalesced_modes(o.layouts[0]));
    for (const Plain& leaf : leaves(o.layouts[1])) {
      if (leaf.stride <= 0) return kSaysNothing;
    }
    const Layout layout_a = to_layout(a);
    const Layout layout_b = to_layout(o.layouts[1]);
    const Result<Verdict> verdict = cute::admissible_for_composition(layout_a.shape(), layout_b);
    if (!verdict) return found("refused: ", verdict.error());
    if (!verdict->is_yes()) return kSaysNothing;
    const Result<Layout> r = composition(layout_a, layout_b);
    if (!r) return found("admissible, yet ", r.error());
    return check_composition(a, o.layouts[1], to_plain(*r));
  });
}

// Seed 004, definition 2.11 by trying every division index.
struct Division {
  std::size_t index;
  std::int64_t quotient;
};

std::optional<Division> division(const std::vector<Plain>& factors, std::int64_t divisor,
                                 bool weak) {
  std::int64_t product = 1;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    const bool last = i + 1 == factors.size();
    if (divisor % product == 0) {
      const std::int64_t c = divisor / product;
      const bool bounded = c >= 1 && c < factors[i].extent;
      if (last || (bounded && (weak || factors[i].extent % c == 0))) return Division{i, c};
    }
    product *= factors[i].extent;
  }
  return std::nullopt;
}

Operands shape_and_divisor(Random& random) {
  const Plain shape = positive_layout(random, 512);
  std::int64_t divisor = random.between(1, 64);
  if (random.chance(70)) divisor = tile_of(random, size(shape)).stride;
  return {{shape}, {divisor}};
}

std::vector<Plain> factors_above_one(const Plain& shape) {
  std::vector<Plain> factors;
  for (const Plain& leaf : leaves(shape)) {
    if (leaf.extent > 1) factors.push_back(plain_leaf(leaf.extent, 0));
  }
  return factors;
}

Finding check_division(const Operands& o, bool weak) {
  const std::vector<Plain> factors = factors_above_one(o.layouts[0]);
  if (factors.empty()) return kSaysNothing;
  const IntTuple shape = to_layout(plain_tuple(factors)).shape();
  const auto got = weak ? cute::weakly_left_divisible(shape, o.numbers[0])
                        : cute::left_divisible(shape, o.numbers[0]);
  if (!got) return found(got.error());
  const std::optional<Division> wanted = division(factors, o.numbers[0], weak);
  if (got->explanation.empty()) return found("no explanation");
  if (got->holds != wanted.has_value())
    return found("holds = ", got->holds, ": ", got->explanation);
  if (!wanted) return kHolds;
  if (got->index != wanted->index)
    return found("index ", got->index.value_or(99), ": ", got->explanation);
  if (got->quotient != Int(wanted->quotient)) return found("wrong quotient: ", got->explanation);
  return kHolds;
}

TEST(LeftDivisibility, AgreesWithTheDefinition) {
  for_all(shape_and_divisor, [](const Operands& o) { return check_division(o, false); });
}

TEST(LeftDivisibility, WeakAgreesWithTheDefinition) {
  for_all(shape_and_divisor, [](const Operands& o) { return check_division(o, true); });
}

// M = d * M': the induced factorisation of definition 2.11.
TEST(LeftDivisibility, RestTimesDivisorIsTheShape) {
  for_all(shape_and_divisor, [](const Operands& o) -> Finding {
    const std::vector<Plain> factors = factors_above_one(o.layouts[0]);
    if (factors.empty()) return kSaysNothing;
    const IntTuple shape = to_layout(plain_tuple(factors)).shape();
    const auto got = cute::left_divisible(shape, o.numbers[0]);
    const std::optional<Division> wanted = division(factors, o.numbers[0], false);
    if (!got || !wanted || wanted->index + 1 == factors.size()) return kSaysNothing;
    std::vector<Int> rest = {factors[wanted->index].extent / wanted->quotient};
    for (std::size_t i = wanted->index + 1; i < factors.size(); ++i)
      rest.push_back(factors[i].extent);
    return got->rest == rest ? kHolds : found("rest is wrong: ", got->explanation);
  });
}

// Seed 004, definition 2.16.
TEST(IntervalOfDefinition, IsWhereTheModeActsInsideTheBoundedFactors) {
  const auto operands = [](Random& random) {
    const Plain shape = positive_layout(random, 512);
    return Operands{{shape, plain_leaf(random.between(1, 12), random.between(1, 32))}, {}};
  };
  for_all(operands, [](const Operands& o) -> Finding {
    const std::vector<Plain> factors = factors_above_one(o.layouts[0]);
    if (factors.empty() || !o.layouts[1].is_leaf() || o.layouts[1].stride < 1) return kSaysNothing;
    const IntTuple shape = to_layout(plain_tuple(factors)).shape();
    const auto got = cute::interval_of_definition(shape, to_layout(o.layouts[1]));
    if (!got) return found(got.error());
    const std::int64_t bound = size(plain_tuple(factors)) / factors.back().extent;
    const std::int64_t first = o.layouts[1].stride;
    const std::int64_t last = std::min(first * (o.layouts[1].extent - 1), bound - 1);
    const bool empty = first > last;
    if (got->has_value() == empty) return found("empty = ", empty, ", but has a value = ", !empty);
    if (empty || ((*got)->first == Int(first) && (*got)->last == Int(last))) return kHolds;
    return found("[", (*got)->first, ",", (*got)->last, "], wanted [", first, ",", last, "]");
  });
}

// Definition 2.21 asks for more than 2.12.
TEST(Admissibility, CutlassConditionImpliesTheGeneralOne) {
  for_all(pair_to_compose, [](const Operands& o) -> Finding {
    const IntTuple shape = to_layout(plain_layout(coalesced_modes(o.layouts[0]))).shape();
    const Layout b = to_layout(o.layouts[1]);
    const auto strict = cute::admissible_for_cutlass_composition(shape, b);
    const auto general = cute::admissible_for_composition(shape, b);
    if (!strict || !general) return kSaysNothing;
    if (strict->is_yes() && !general->is_yes())
      return found(strict->method(), " but ", general->method());
    return kHolds;
  });
}

TEST(DomainOverflow, ListsTheCoordinatesOfBThatLeaveA) {
  const auto operands = [](Random& random) {
    return Operands{{positive_layout(random, 48), positive_layout(random, 64)},
                    {random.between(1, 80)}};
  };
  Tally some;
  for_all(operands, [&](const Operands& o) -> Finding {
    const auto limit = static_cast<std::size_t>(o.numbers[0]);
    const auto got = cute::domain_overflow(to_layout(o.layouts[0]), to_layout(o.layouts[1]), limit);
    if (!got) return found(got.error());
    std::vector<std::int64_t> flat;
    for (const IntTuple& c : *got) flat.push_back(flat_coordinate(c, o.layouts[1]));
    std::vector<std::int64_t> wanted;
    for (std::int64_t c = 0; c < size(o.layouts[1]); ++c) {
      const bool leaves = evaluate(o.layouts[1], c) >= size(o.layouts[0]);
      if (leaves && wanted.size() < limit) wanted.push_back(c);
    }
    if (!wanted.empty()) some.count();
    return differs(flat, wanted);
  });
  some.expect_at_least(20);
}

// Strides along the modes of A are the same as the flat strides of a column-major walk through it.
TEST(Composition, BasisStridesStepAlongTheModesOfA) {
  const auto operands = [](Random& random) {
    const Plain a = any_layout(random, 128);
    Operands o{{a}, {}};
    const std::vector<Plain> modes = a.is_leaf() ? std::vector<Plain>{a} : a.modes;
    for (int k = 0; k < 2; ++k) {
      const auto mode = random.between(0, static_cast<std::int64_t>(modes.size()) - 1);
      const Plain tile = tile_of(random, size(modes[static_cast<std::size_t>(mode)]));
      o.numbers.insert(o.numbers.end(), {tile.extent, tile.stride, mode + 1});
    }
    return o;
  };
  for_all(operands, [](const Operands& o) -> Finding {
    const Plain& a = o.layouts[0];
    if (a.is_leaf() || o.numbers[2] == o.numbers[5])
      return kSaysNothing;  // one tile along each of two modes
    std::vector<Plain> wanted;
    std::string shape;
    std::string stride;
    for (std::size_t k = 0; k < 6; k += 3) {
      const auto mode = static_cast<std::size_t>(o.numbers[k + 2] - 1);
      if (mode >= a.modes.size()) return kSaysNothing;
      const std::string comma = k == 0 ? "" : ",";
      shape += comma + std::to_string(o.numbers[k]);
      stride += comma + std::to_string(o.numbers[k + 1]) + "@" + std::to_string(mode);
      wanted.push_back(plain_leaf(o.numbers[k], o.numbers[k + 1]));
    }
    const std::string text = "(" + shape + "):(" + stride + ")";
    const Layout b = layout(text);
    const Result<Layout> r = composition(to_layout(a), b);
    for (std::size_t k = 0; k < 2; ++k) {
      const auto mode = static_cast<std::size_t>(o.numbers[3 * k + 2] - 1);
      const Result<Layout> alone = composition(to_layout(a.modes[mode]), to_layout(wanted[k]));
      if (!r) {
        if (!alone) return kHolds;
        continue;
      }
      if (!alone) return found("B = ", text, ": gave ", *r, " though mode ", mode, " is refused");
      const Finding wrong = differs(table_of(r->mode(k)), table_of(*alone));
      if (wrong) return found("B = ", text, ": ", *r, ", mode ", k, ": ", *wrong);
    }
    return r ? kHolds : found("B = ", text, ": ", r.error());
  });
}

}  // namespace
}  // namespace heddle::test
