// Composed layouts with a layout on the left, A o offset o B, against A(offset + B(c)) by plain
// evaluation.

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "heddle/cute/composed_layout.h"
#include "heddle/cute/composition.h"
#include "heddle/cute/equality.h"
#include "heddle/cute/tabulate.h"
#include "support/law.h"
#include "support/plain.h"
#include "support/random.h"

namespace heddle::test {
namespace {

using cute::AnyLayout;
using cute::ComposedLayout;
using cute::Layout;

// Operands are A, B and the offset.

Operands outer_and_inner(Random& random) {
  return Operands{{positive_layout(random, 64), positive_layout(random, 64)},
                  {random.chance(30) ? 0 : random.between(1, 40)}};
}

ComposedLayout outer_after_inner(const Operands& o) {
  return ComposedLayout::make(AnyLayout(to_layout(o.layouts[0])), IntTuple(o.numbers[0]),
                              to_layout(o.layouts[1]))
      .value();
}

std::int64_t index_through(const Operands& o, std::int64_t c) {
  return evaluate(o.layouts[0], o.numbers[0] + evaluate(o.layouts[1], c));
}

std::int64_t index_of_any(const AnyLayout& layout, std::int64_t c) {
  return cute::evaluate(layout, cute::Coordinate(cute::Index(c))).value().leaf().value();
}

TEST(LayoutOffsetLayout, IsTheLeftLayoutAtTheOffsetPlusTheRightOne) {
  for_all(outer_and_inner, [](const Operands& o) -> Finding {
    const ComposedLayout layout = outer_after_inner(o);
    const form::IndexMap map = cute::index_map(layout);
    std::vector<std::int64_t> table(static_cast<std::size_t>(size(o.layouts[1])));
    const auto tabulated = cute::tabulate(layout, table);
    if (!tabulated) return found(tabulated.error());
    for (std::int64_t c = 0; c < size(o.layouts[1]); ++c) {
      const std::int64_t wanted = index_through(o, c);
      if (layout(c) != Int(wanted)) return found(layout, "(", c, ") should be ", wanted);
      if (map.at(c).front() != Int(wanted)) return found(layout, " as a map at ", c);
      if (table[static_cast<std::size_t>(c)] != wanted) return found(layout, " tabulated at ", c);
    }
    return kHolds;
  });
}

/// A = (A0,A1), the offset (a,b), and B = (m,n):(s@0,t@1).
TEST(LayoutOffsetLayout, AddsCoordinatesByMode) {
  for_all_seeds([](Random& random) -> Finding {
    const std::vector<Plain> a = {positive_layout(random, 24), positive_layout(random, 24)};
    const std::int64_t offset[] = {random.between(0, 9), random.between(0, 9)};
    const std::int64_t extent[] = {random.between(1, 5), random.between(1, 5)};
    const std::int64_t step[] = {random.between(0, 4), random.between(0, 4)};
    const auto along = [&](std::size_t mode) {
      const std::vector<std::size_t> path = {mode};
      return cute::StrideTuple(cute::Stride(step[mode], cute::Basis::make(path).value()));
    };
    const cute::StrideTuple strides = {along(0), along(1)};
    const Layout b = cute::make_layout(IntTuple{extent[0], extent[1]}, strides).value();
    const auto layout = ComposedLayout::make(AnyLayout(to_layout(plain_tuple(a))),
                                             IntTuple{offset[0], offset[1]}, b);
    if (!layout) return found(layout.error());
    for (std::int64_t i = 0; i < extent[0]; ++i) {
      for (std::int64_t j = 0; j < extent[1]; ++j) {
        const std::int64_t wanted =
            evaluate(a[0], offset[0] + step[0] * i) + evaluate(a[1], offset[1] + step[1] * j);
        if ((*layout)(i, j) != Int(wanted))
          return found(*layout, "(", i, ",", j, ") should be ", wanted);
      }
    }
    return kHolds;
  });
}

TEST(LayoutOffsetLayout, CompositionFromTheRightActsOnTheRightLayout) {
  const auto operands = [](Random& random) {
    Operands o = outer_and_inner(random);
    o.layouts.push_back(layout_within(random, o.layouts[1], 32));
    return o;
  };
  for_all({.percent = 40}, operands, [](const Operands& o) -> Finding {
    const auto r = cute::composition(outer_after_inner(o), to_layout(o.layouts[2]));
    if (!r) return kSaysNothing;
    for (std::int64_t c = 0; c < size(o.layouts[2]); ++c) {
      const std::int64_t wanted = index_through(o, evaluate(o.layouts[2], c));
      if ((*r)(c) != Int(wanted)) return found(*r, "(", c, ") should be ", wanted);
    }
    return kHolds;
  });
}

TEST(LayoutOffsetLayout, WithoutAnOffsetIsTheCompositionWhereThereIsOne) {
  for_all(outer_and_inner, [](const Operands& o) -> Finding {
    const Layout a = to_layout(o.layouts[0]);
    const Layout b = to_layout(o.layouts[1]);
    const auto r = cute::make_composed_layout(a, IntTuple(0), b);
    if (!r) return found(r.error());
    const auto plain = cute::composition(a, b);
    if (plain && *r != AnyLayout(*plain)) return found(to_string(*r), ", not ", *plain);
    for (std::int64_t c = 0; c < size(o.layouts[1]); ++c) {
      const std::int64_t wanted = evaluate(o.layouts[0], evaluate(o.layouts[1], c));
      if (index_of_any(*r, c) != wanted)
        return found(to_string(*r), " at ", c, ": wanted ", wanted);
    }
    return kHolds;
  });
}

/// Swizzle o (A o offset o B) and A0 o (A o offset o B) apply the outer function last.
TEST(LayoutOffsetLayout, AFunctionOnTheLeftIsAppliedLast) {
  const auto operands = [](Random& random) {
    Operands o = outer_and_inner(random);
    o.layouts.push_back(positive_layout(random, 64));
    return o;
  };
  for_all(operands, [](const Operands& o) -> Finding {
    const cute::Swizzle swizzle = cute::Swizzle::make(2, 1, 3).value();
    const ComposedLayout inner = outer_after_inner(o);
    const auto swizzled = cute::composition(swizzle, inner);
    const auto laid = cute::composition(to_layout(o.layouts[2]), inner);
    if (!swizzled) return found(swizzled.error());
    if (!laid) return found(laid.error());
    for (std::int64_t c = 0; c < size(o.layouts[1]); ++c) {
      if (index_of_any(*swizzled, c) != swizzle(index_through(o, c)))
        return found("swizzled at ", c);
      if (index_of_any(*laid, c) != evaluate(o.layouts[2], index_through(o, c)))
        return found(to_string(*laid), " at ", c);
    }
    return kHolds;
  });
}

/// A chain is read from the right; each layout asks the next one on its left, also past its end.
TEST(LayoutOffsetLayout, AChainAsksOneLayoutAfterTheOther) {
  const auto operands = [](Random& random) {
    Operands o;
    const std::int64_t length = random.between(3, 5);
    for (std::int64_t i = 0; i < length; ++i) {
      o.layouts.push_back(positive_layout(random, 16));
      o.numbers.push_back(random.between(1, 9));
    }
    return o;
  };
  for_all(operands, [](const Operands& o) -> Finding {
    AnyLayout chain = to_layout(o.layouts.back());
    for (std::size_t i = o.layouts.size() - 1; i-- > 0;) {
      const auto longer =
          cute::make_composed_layout(to_layout(o.layouts[i]), IntTuple(o.numbers[i]), chain);
      if (!longer) return found(longer.error());
      chain = *longer;
    }
    for (std::int64_t c = 0; c < size(o.layouts.back()); ++c) {
      std::int64_t wanted = evaluate(o.layouts.back(), c);
      for (std::size_t i = o.layouts.size() - 1; i-- > 0;)
        wanted = evaluate(o.layouts[i], o.numbers[i] + wanted);
      if (index_of_any(chain, c) != wanted) return found(to_string(chain), " at ", c);
    }
    return kHolds;
  });
}

TEST(LayoutOffsetLayout, DecaysToStridesOrIsRefused) {
  Tally strided;
  for_all(outer_and_inner, [&](const Operands& o) -> Finding {
    const ComposedLayout layout = outer_after_inner(o);
    const auto all =
        transform_leaves(layout.shape(), [](const Int&) { return cute::Index(cute::_); });
    const auto plain = cute::slice_and_offset(all, layout);
    if (!plain) return plain.error().code() == "slice.not_strided" ? kHolds : found(plain.error());
    strided.count();
    for (std::int64_t c = 0; c < size(o.layouts[1]); ++c) {
      const std::int64_t got = plain->offset.leaf().value() + evaluate(to_plain(plain->layout), c);
      if (got != index_through(o, c)) return found(plain->layout, " at ", c, ": ", got);
    }
    const auto same = ComposedLayout::make(cute::Swizzle(), plain->offset.leaf(), plain->layout);
    return equal(AnyLayout(layout), AnyLayout(*same)).is_yes() ? kHolds : found("not equal");
  });
  strided.expect_at_least(20);
}

/// Element i of the wide layout is elements n*i to n*i + n-1 of the narrow one, if all are next to
/// each other.
TEST(LayoutOffsetLayout, RecastsBothLayouts) {
  Tally recast;
  for_all({.percent = 1}, outer_and_inner, [&](const Operands& o) -> Finding {
    const ComposedLayout layout = outer_after_inner(o);
    const auto fine = cute::downcast(layout, 2);
    if (fine) {
      recast.count();
      const auto back = cute::upcast(*fine, 2);
      if (!back) return found(*fine, ": ", back.error());
      for (std::int64_t c = 0; c < size(o.layouts[1]); ++c) {
        if ((*back)(c) != Int(index_through(o, c))) return found(*back, " at ", c);
      }
    }
    return fine ? kHolds : Finding(kSaysNothing);
  });
  recast.expect_at_least(1);
}

/// Also past the end of the left layout: ((2,1):(1,1) o 2 o 2:1) has the elements 1 and 2, which
/// lie in two wide ones.
TEST(LayoutOffsetLayout, UpcastReachesTheWideElementsOfAllItsElements) {
  const auto operands = [](Random& random) {
    const auto side = [&] {
      return random.chance(70) ? compact_layout(random, 32) : positive_layout(random, 32);
    };
    Operands o{{side(), side()}, {2 * random.between(0, 20)}};
    if (random.chance(30))
      o.layouts[0] = plain_tuple({o.layouts[0], plain_leaf(1, random.between(0, 3))});
    return o;
  };
  Tally recast;
  for_all({.percent = 1}, operands, [&](const Operands& o) -> Finding {
    const auto wide = cute::upcast(outer_after_inner(o), 2);
    if (!wide) return kSaysNothing;
    recast.count();
    std::set<std::int64_t> wanted;
    std::set<std::int64_t> got;
    for (std::int64_t c = 0; c < size(o.layouts[1]); ++c) wanted.insert(index_through(o, c) / 2);
    for (std::int64_t c = 0; c < wide->size().value(); ++c) got.insert((*wide)(c).value());
    return got == wanted ? kHolds : found(*wide);
  });
  recast.expect_at_least(3);
}

}  // namespace
}  // namespace heddle::test
