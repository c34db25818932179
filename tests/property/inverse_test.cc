// Laws of the inverses, the nullspace and what two layouts have in common.

#include "heddle/cute/inverse.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "heddle/cute/recast.h"
#include "support/contract.h"
#include "support/law.h"

namespace heddle::test {
namespace {

using test::one_layout;

using cute::Layout;

Operands compact_or_not(Random& random) {
  return {{random.chance(70) ? compact_layout(random) : any_layout(random)}, {}};
}

bool is_bijection(const Plain& a) {
  std::vector<std::int64_t> values = table(a);
  std::sort(values.begin(), values.end());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] != static_cast<std::int64_t>(i)) return false;
  }
  return true;
}

TEST(Inverse, UndoesABijectionFromBothSides) {
  for_all({.percent = 50}, compact_or_not, [&](const Operands& o) -> Finding {
    const Result<Layout> r = cute::inverse(to_layout(o.layouts[0]));
    if (!r) return kSaysNothing;
    const Plain inverse = to_plain(*r);
    if (size(inverse) != size(o.layouts[0])) return found(*r, " has another size");
    if (const Finding wrong = check_right_inverse(inverse, o.layouts[0])) return wrong;
    return check_right_inverse(o.layouts[0], inverse);
  });
}

TEST(Inverse, RefusesExactlyWhatIsNoBijection) {
  for_all(compact_or_not, [&](const Operands& o) -> Finding {
    const Result<Layout> r = cute::inverse(to_layout(o.layouts[0]));
    if (r.has_value() == is_bijection(o.layouts[0])) return kHolds;
    return r ? found("no bijection, yet ", *r) : found("a bijection, yet ", r.error());
  });
}

TEST(Inverse, RefusalNamesTheFirstIndexMissedOrMetTwice) {
  for_all({.percent = 20}, one_layout, [&](const Operands& o) -> Finding {
    const Result<Layout> r = cute::inverse(to_layout(o.layouts[0]));
    if (r || has_negative_stride(o.layouts[0])) return kSaysNothing;
    if (r.error().code() != "inverse.not_bijective") return found(r.error());
    const std::vector<std::int64_t> values = table(o.layouts[0]);
    std::int64_t first = 0;
    while (std::count(values.begin(), values.end(), first) == 1) ++first;
    const bool named = r.error().to_string().find(std::to_string(first)) != std::string::npos;
    return named ? kHolds : found("index ", first, " is not named: ", r.error());
  });
}

TEST(RightInverse, LayoutOfItIsTheIdentity) {
  for_all(one_layout, [](const Operands& o) -> Finding {
    const Result<Layout> r = cute::right_inverse(to_layout(o.layouts[0]));
    if (!r) return found(r.error());
    return check_right_inverse(o.layouts[0], to_plain(*r));
  });
}

TEST(RightInverse, IsAsLongAsCuTesRuleMakesIt) {
  Tally longer_than_one;
  for_all(one_layout, [&](const Operands& o) -> Finding {
    const Result<Layout> r = cute::right_inverse(to_layout(o.layouts[0]));
    if (!r) return found(r.error());
    const Plain wanted = cute_right_inverse(o.layouts[0]);
    if (size(wanted) > 1) longer_than_one.count();
    return size(to_plain(*r)) >= size(wanted) ? kHolds : found(*r, ", CuTe ", to_string(wanted));
  });
  longer_than_one.expect_at_least(40);
}

/// How far the modes from `covered` on go, each beginning where the one before it ends.
std::int64_t furthest(const std::vector<Plain>& modes, std::int64_t covered) {
  std::int64_t end = covered;
  for (const Plain& mode : modes) {
    if (mode.stride == covered) end = std::max(end, furthest(modes, covered * mode.extent));
  }
  return end;
}

Operands sharing_strides(Random& random) {
  std::vector<Plain> modes;
  for (std::int64_t k = random.between(2, 6); k > 0; --k) {
    modes.push_back(plain_leaf(random.between(1, 4), std::int64_t{1} << random.between(0, 5)));
  }
  return {{plain_tuple(modes)}, {}};
}

TEST(RightInverse, IsTheLongestRunAlongWholeModes) {
  Tally longer;
  for_all(sharing_strides, [&](const Operands& o) -> Finding {
    const Result<Layout> r = cute::right_inverse(to_layout(o.layouts[0]));
    if (!r) return found(r.error());
    if (size(cute_right_inverse(o.layouts[0])) < size(to_plain(*r))) longer.count();
    if (size(to_plain(*r)) != furthest(coalesced_modes(o.layouts[0]), 1)) return found(*r);
    return check_right_inverse(o.layouts[0], to_plain(*r));
  });
  longer.expect_at_least(1);
}

TEST(RightInverse, IsCoalesced) {
  for_all(one_layout, [](const Operands& o) -> Finding {
    const Result<Layout> r = cute::right_inverse(to_layout(o.layouts[0]));
    if (!r) return found(r.error());
    return to_plain(*r) == plain_layout(coalesced_modes(to_plain(*r))) ? kHolds : found(*r);
  });
}

Operands moving_up(Random& random) {
  return {{random.chance(70) ? injective_layout(random) : positive_layout(random)}, {}};
}

TEST(LeftInverse, UndoesAnInjectiveLayout) {
  for_all({.percent = 40}, moving_up, [&](const Operands& o) -> Finding {
    const Result<Layout> r = cute::left_inverse(to_layout(o.layouts[0]));
    if (!r || !is_injective(o.layouts[0])) return kSaysNothing;
    return check_left_inverse(o.layouts[0], to_plain(*r));
  });
}

TEST(LeftInverse, LeadsBackToTheSameIndexAlways) {
  Tally not_injective;
  for_all(moving_up, [&](const Operands& o) -> Finding {
    const Result<Layout> r = cute::left_inverse(to_layout(o.layouts[0]));
    if (!r) return kSaysNothing;
    if (!is_injective(o.layouts[0])) not_injective.count();
    return check_left_inverse(o.layouts[0], to_plain(*r));
  });
  not_injective.expect_at_least(3);
}

// Where every stride divides the next and leaves room for the mode before it, the digits of the
// index are those of the coordinate.
TEST(LeftInverse, ExistsWhereTheStridesDivideOneAnother) {
  for_all({.percent = 30}, moving_up, [&](const Operands& o) -> Finding {
    std::vector<Plain> modes;
    for (const Plain& leaf : leaves(o.layouts[0])) {
      if (leaf.extent > 1) modes.push_back(leaf);
    }
    std::sort(modes.begin(), modes.end(),
              [](const Plain& x, const Plain& y) { return x.stride < y.stride; });
    std::int64_t end = 1;
    for (const Plain& mode : modes) {
      if (mode.stride <= 0 || mode.stride % end != 0) return kSaysNothing;
      end = mode.stride * mode.extent;
    }
    const Result<Layout> r = cute::left_inverse(to_layout(o.layouts[0]));
    return r ? kHolds : found(r.error());
  });
}

TEST(LeftInverse, RefusesOnlyWithItsOwnCodes) {
  for_all(one_layout, [](const Operands& o) -> Finding {
    const Result<Layout> r = cute::left_inverse(to_layout(o.layouts[0]));
    if (r) return kSaysNothing;
    if (r.error().code() == "left_inverse.divisibility") return kHolds;
    const bool negative = has_negative_stride(o.layouts[0]);
    return negative && r.error().code() == "inverse.negative_stride" ? kHolds : found(r.error());
  });
}

TEST(Nullspace, IsWhereTheLayoutRepeatsItsFirstElement) {
  Tally repeats;
  for_all(one_layout, [&](const Operands& o) -> Finding {
    const Result<Layout> r = cute::nullspace(to_layout(o.layouts[0]));
    if (!r) return found(r.error());
    std::int64_t wanted = 1;
    for (const Plain& leaf : leaves(o.layouts[0])) wanted *= leaf.stride == 0 ? leaf.extent : 1;
    if (wanted > 1) repeats.count();
    const Plain kernel = to_plain(*r);
    if (size(kernel) != wanted) return found(*r, " should have ", wanted, " elements");
    if (!is_injective(kernel)) return found(*r, " is not injective");
    for (const std::int64_t c : table(kernel)) {
      if (c < 0 || c >= size(o.layouts[0])) return found(*r, " leaves the layout at ", c);
      if (evaluate(o.layouts[0], c) != 0) return found(*r, ": coordinate ", c, " is no zero");
    }
    return kHolds;
  });
  repeats.expect_at_least(15);
}

/// The layout leads to coordinates of `whole` only.
Finding leaves_it(const Plain& whole, const Plain& layout) {
  for (const std::int64_t c : table(layout)) {
    if (c < 0 || c >= size(whole)) return found(to_string(layout), " leaves ", to_string(whole));
  }
  return kHolds;
}

Operands two_alike(Random& random) {
  const Plain a = any_layout(random, 128);
  const Plain b = random.chance(60) ? renested(random, a) : any_layout(random, 128);
  return {{a, b}, {}};
}

TEST(MaxCommonLayout, RunsThroughTheSameIndicesInBoth) {
  Tally common;
  for_all(two_alike, [&](const Operands& o) -> Finding {
    const Result<Layout> r =
        cute::max_common_layout(to_layout(o.layouts[0]), to_layout(o.layouts[1]));
    if (!r) return found(r.error());
    if (r->size() != 1) common.count();
    for (const Plain& layout : o.layouts) {
      if (Finding wrong = leaves_it(layout, to_plain(*r))) return wrong;
      if (Finding wrong = check_right_inverse(layout, to_plain(*r))) return wrong;
    }
    return kHolds;
  });
  common.expect_at_least(20);
}

TEST(MaxCommonVector, IsTheSizeOfTheCommonLayout) {
  for_all(two_alike, [](const Operands& o) -> Finding {
    const Layout a = to_layout(o.layouts[0]);
    const Layout b = to_layout(o.layouts[1]);
    const Result<Layout> layout = cute::max_common_layout(a, b);
    const Result<Int> vector = cute::max_common_vector(a, b);
    if (!layout || !vector) return found("refused");
    return *vector == layout->size() ? kHolds : found(*vector, " but ", *layout);
  });
}

// A run of one layout that another one, of less elements, has too is the shorter of the two.
TEST(MaxCommonVector, EndsWithTheSmallerLayout) {
  for_all_seeds([](Random& random) -> Finding {
    const Int m = random.between(1, 50);
    const Int n = random.between(1, 50);
    const Layout a = *cute::make_layout(IntTuple(m));
    const Layout b = *cute::make_layout(IntTuple(n));
    const Result<Int> r = cute::max_common_vector(a, b);
    return r && *r == min(m, n) ? kHolds : found(a, " and ", b);
  });
}

// The image is made of whole vectors of that many elements.
TEST(MaxAlignment, EveryVectorBeginsAtAMultiple) {
  Tally aligned;
  for_all(moving_up, [&](const Operands& o) -> Finding {
    const Result<Int> n = cute::max_alignment(to_layout(o.layouts[0]));
    if (!n) return found(n.error());
    if (n->value() > 1) aligned.count();
    const std::vector<std::int64_t> values = table(o.layouts[0]);
    const std::set<std::int64_t> image(values.begin(), values.end());
    for (const std::int64_t index : image) {
      const std::int64_t begin = index - index % n->value();
      for (std::int64_t k = begin; k < begin + n->value(); ++k) {
        if (image.count(k) == 0) return found(*n, ": ", index, " is there, but not ", k);
      }
    }
    return kHolds;
  });
  aligned.expect_at_least(20);
}

TEST(MaxAlignment, OfACompactLayoutIsItsSize) {
  for_all([](Random& random) { return Operands{{compact_layout(random)}, {}}; },
          [](const Operands& o) -> Finding {
            if (!is_bijection(o.layouts[0])) return kSaysNothing;
            const Result<Int> n = cute::max_alignment(to_layout(o.layouts[0]));
            if (!n) return found(n.error());
            return n->value() == size(o.layouts[0]) ? kHolds : found(*n);
          });
}

}  // namespace
}  // namespace heddle::test
