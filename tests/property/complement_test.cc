// Laws of complement, complement_fill and admissibility for complementation.

#include "heddle/cute/complement.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "support/contract.h"
#include "support/law.h"

namespace heddle::test {
namespace {

using cute::complement;
using cute::Layout;

Operands layout_and_target(Random& random) {
  const Plain a = positive_layout(random, 64);
  const std::int64_t end = cosize(a);
  std::int64_t target = random.between(1, 2 * end + 8);
  if (random.chance(50)) target = end * random.between(1, 4);
  return {{a}, {target}};
}

TEST(Complement, KeepsItsContract) {
  for_all({.percent = 40}, layout_and_target, [&](const Operands& o) -> Finding {
    const Result<Layout> r = complement(to_layout(o.layouts[0]), IntTuple(Int(o.numbers[0])));
    if (!r) return kSaysNothing;
    const Finding broken = check_complement(o.layouts[0], o.numbers[0], to_plain(*r));
    return broken ? found(*r, ": ", *broken) : kHolds;
  });
}

TEST(Complement, IsCuTesAnswerWhereThatKeepsTheContract) {
  for_all(layout_and_target, [](const Operands& o) -> Finding {
    const Result<Layout> r = complement(to_layout(o.layouts[0]), IntTuple(Int(o.numbers[0])));
    const std::optional<Plain> candidate = cute_complement(o.layouts[0], o.numbers[0]);
    if (!candidate) return r ? found("gave ", *r) : kHolds;
    if (const Finding broken = check_complement(o.layouts[0], o.numbers[0], *candidate)) {
      return r ? found("gave ", *r, ", CuTe ", to_string(*candidate), ": ", *broken) : kHolds;
    }
    if (!r) return found(to_string(*candidate), " keeps the contract, yet ", r.error());
    return differs(table_of(*r), table(*candidate));
  });
}

TEST(Complement, RefusesLayoutsThatAreNotInjective) {
  for_all({.percent = 5}, layout_and_target, [&](const Operands& o) -> Finding {
    const Result<Layout> r = complement(to_layout(o.layouts[0]), IntTuple(Int(o.numbers[0])));
    if (r) return kSaysNothing;
    for (const char* code : {"complement.not_injective", "complement.holes"}) {
      if (r.error().code() == code) return kHolds;
    }
    return found("unexpected ", r.error());
  });
}

TEST(Complement, OfNegativeStridesIsRefused) {
  for_all(
      {.percent = 5},
      [](Random& random) { return Operands{{any_layout(random)}, {random.between(1, 300)}}; },
      [](const Operands& o) -> Finding {
        bool moves_down = false;
        for (const Plain& leaf : leaves(o.layouts[0]))
          moves_down |= leaf.stride < 0 && leaf.extent > 1;
        if (!moves_down) return kSaysNothing;
        const Result<Layout> r = complement(to_layout(o.layouts[0]), IntTuple(Int(o.numbers[0])));
        if (r) return found("gave ", *r);
        return r.error().code() == "complement.negative_stride" ? kHolds : found(r.error());
      });
}

// A shape as the target is covered mode by mode, rounding up: whatever the shape, the contract for
// its size holds, and a compact block leaves exactly the quotient.
TEST(Complement, InAShapeCoversItsSize) {
  const auto operands = [](Random& random) {
    return Operands{{injective_layout(random, 32), compact_layout(random, 256)}, {}};
  };
  for_all({.percent = 30}, operands, [&](const Operands& o) -> Finding {
    const IntTuple target = to_layout(o.layouts[1]).shape();
    const Result<Layout> r = complement(to_layout(o.layouts[0]), target);
    if (!r) return kSaysNothing;
    const Finding broken = check_complement(o.layouts[0], size(o.layouts[1]), to_plain(*r));
    return broken ? found(*r, ": ", *broken) : kHolds;
  });
}

TEST(AdmissibleForComplementation, IsDefinition2_5) {
  Tally yes;
  for_all(layout_and_target, [&](const Operands& o) -> Finding {
    const auto verdict =
        cute::admissible_for_complementation(to_layout(o.layouts[0]), o.numbers[0]);
    if (!verdict) return found(verdict.error());
    const bool wanted = admissible_2_5(o.layouts[0], o.numbers[0]);
    if (wanted) yes.count();
    return verdict->is_yes() == wanted ? kHolds : found(*verdict);
  });
  yes.expect_at_least(10);
}

// Seed 004, proposition 2.7, both ways.
TEST(AdmissibleForComplementation, MeansABijectionOntoTheTarget) {
  for_all(layout_and_target, [](const Operands& o) -> Finding {
    const auto verdict =
        cute::admissible_for_complementation(to_layout(o.layouts[0]), o.numbers[0]);
    if (!verdict) return found(verdict.error());
    const Result<Layout> r = complement(to_layout(o.layouts[0]), IntTuple(Int(o.numbers[0])));
    if (!r) return verdict->is_yes() ? found("admissible, yet ", r.error()) : kHolds;
    std::vector<std::int64_t> values = table(plain_tuple({o.layouts[0], to_plain(*r)}));
    std::sort(values.begin(), values.end());
    bool bijection = static_cast<std::int64_t>(values.size()) == o.numbers[0];
    for (std::size_t i = 0; i < values.size(); ++i)
      bijection &= values[i] == static_cast<std::int64_t>(i);
    return verdict->is_yes() == bijection ? kHolds
                                          : found(*r, " bijection = ", bijection, ": ", *verdict);
  });
}

/// Seed 000, algorithm 4, with its third branch and its last test put right.
std::vector<Plain> isl_complement(const Plain& a, std::int64_t target) {
  const std::int64_t end_of_a = cosize(a);
  const std::int64_t top = std::max(target, end_of_a);
  std::vector<std::int64_t> image = table(a);
  std::sort(image.begin(), image.end());
  std::set<std::int64_t> reached(image.begin(), image.end());
  std::vector<Plain> result;
  std::int64_t filled = 1;
  while (filled < top) {
    std::int64_t begin = filled;
    while (begin < top && reached.count(begin) > 0) ++begin;
    if (begin >= top) break;
    std::int64_t end = top;
    std::int64_t copies = 0;
    if (begin < end_of_a) {
      end = *std::lower_bound(image.begin(), image.end(), begin);
      copies = end / begin;
    } else {
      begin = *reached.rbegin() + 1;
      copies = (end + begin - 1) / begin;
    }
    if (copies > 1) {
      result.push_back(plain_leaf(copies, begin));
      const std::set<std::int64_t> before = reached;
      for (std::int64_t k = 1; k < copies; ++k) {
        for (const std::int64_t index : before) reached.insert(index + k * begin);
      }
    }
    filled = end;
  }
  return result;
}

TEST(ComplementFill, IsTheCorrectedAlgorithmOfTheSeed) {
  const auto operands = [](Random& random) {
    const Plain a = injective_layout(random, 24);
    return Operands{{a}, {random.between(1, 2 * cosize(a) + 8)}};
  };
  for_all({.percent = 40}, operands, [&](const Operands& o) -> Finding {
    if (has_negative_stride(o.layouts[0]) || !is_injective(o.layouts[0])) return kSaysNothing;
    const Plain wanted = plain_layout(isl_complement(o.layouts[0], o.numbers[0]));
    const bool fits = is_injective(plain_tuple({o.layouts[0], wanted}));
    const Result<Layout> r = cute::complement_fill(to_layout(o.layouts[0]), o.numbers[0]);
    if (!fits) return r ? found("copies overlap, yet gave ", *r) : kHolds;
    if (!r) return found(to_string(wanted), " fits, yet ", r.error());
    return differs(table_of(*r), table(wanted));
  });
}

TEST(ComplementFill, CopiesNeverMeet) {
  for_all(layout_and_target, [](const Operands& o) -> Finding {
    const Result<Layout> r = cute::complement_fill(to_layout(o.layouts[0]), o.numbers[0]);
    if (!r) return kSaysNothing;
    const std::vector<std::int64_t> block = table(o.layouts[0]);
    const std::set<std::int64_t> distinct(block.begin(), block.end());
    std::set<std::int64_t> taken;
    for (const std::int64_t copy : table_of(*r)) {
      for (const std::int64_t index : distinct) {
        if (!taken.insert(index + copy).second) return found(*r, ": copies meet at ", index + copy);
      }
    }
    return kHolds;
  });
}

}  // namespace
}  // namespace heddle::test
