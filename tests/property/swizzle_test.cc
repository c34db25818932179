// Laws of swizzles and composed layouts, judged by the formula of seed 000, section 2.2.

#include "heddle/cute/swizzle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "heddle/cute/composed_layout.h"
#include "heddle/cute/manipulation.h"
#include "support/contract.h"
#include "support/law.h"

namespace heddle::test {
namespace {

using cute::AnyLayout;
using cute::ComposedLayout;
using cute::Layout;
using cute::Swizzle;

/// c xor ((c & y) >> s), with the mask y = (2^b - 1) << (m + max(s, 0)).
std::int64_t swizzled(std::int64_t b, std::int64_t m, std::int64_t s, std::int64_t c) {
  const std::int64_t y = ((std::int64_t{1} << b) - 1) << (m + std::max<std::int64_t>(s, 0));
  return c ^ (s >= 0 ? (c & y) >> s : (c & y) << -s);
}

std::int64_t swizzled(const Swizzle& w, std::int64_t c) {
  return swizzled(w.bits(), w.base(), w.shift(), c);
}

/// Numbers b, m, |s| and 1 or 2 for the sign of s.
std::vector<std::int64_t> swizzle_numbers(Random& random) {
  const std::int64_t b = random.between(1, 3);
  return {b, random.between(1, 5) - 1, random.between(b, 4), random.between(1, 2)};
}

std::optional<Swizzle> swizzle_from(const std::vector<std::int64_t>& n, std::size_t at = 0) {
  const auto sign = n[at + 3] == 1 ? 1 : -1;
  const Result<Swizzle> w = Swizzle::make(static_cast<int>(n[at]), static_cast<int>(n[at + 1]),
                                          sign * static_cast<int>(n[at + 2]));
  if (!w) return std::nullopt;
  return *w;
}

Operands one_swizzle(Random& random) { return {{}, swizzle_numbers(random)}; }

Operands two_swizzles(Random& random) {
  Operands o{{}, swizzle_numbers(random)};
  std::vector<std::int64_t> second = swizzle_numbers(random);
  if (random.chance(60)) {  // related ones, which may join or cancel
    second = o.numbers;
    if (random.chance(60)) second[1] += second[0];
  }
  o.numbers.insert(o.numbers.end(), second.begin(), second.end());
  return o;
}

TEST(MaxCommonLayout, OfASwizzleThatMovesNothingIsThatOfTheLayout) {
  Tally idle;
  const auto operands = [](Random& random) {
    return Operands{{compact_layout(random, 64), any_layout(random, 64)}, swizzle_numbers(random)};
  };
  for_all(operands, [&](const Operands& o) -> Finding {
    const std::optional<Swizzle> w = swizzle_from(o.numbers);
    if (!w || has_negative_stride(o.layouts[0])) return kSaysNothing;
    for (const std::int64_t index : table(o.layouts[0])) {
      if (swizzled(*w, index) != index) return kHolds;
    }
    idle.count();
    const Layout a = to_layout(o.layouts[0]);
    const Layout b = to_layout(o.layouts[1]);
    const AnyLayout swizzled_a = *ComposedLayout::make(*w, 0, a);
    if (cute::max_common_vector(swizzled_a, b) != cute::max_common_vector(a, b)) return found(b);
    return cute::max_common_layout(swizzled_a, b) == cute::max_common_layout(a, b) ? kHolds
                                                                                   : found(a);
  });
  idle.expect_at_least(10);
}

TEST(Swizzle, IsTheFormulaOfTheSeed) {
  for_all(one_swizzle, [](const Operands& o) -> Finding {
    const std::optional<Swizzle> w = swizzle_from(o.numbers);
    if (!w) return kSaysNothing;
    for (std::int64_t c = 0; c < 300; ++c) {
      if ((*w)(c) != swizzled(*w, c)) return found(*w, " at ", c, ": ", (*w)(c));
    }
    return kHolds;
  });
}

TEST(Swizzle, IsItsOwnInverse) {
  for_all(one_swizzle, [](const Operands& o) -> Finding {
    const std::optional<Swizzle> w = swizzle_from(o.numbers);
    if (!w) return kSaysNothing;
    for (std::int64_t c = 0; c < 300; ++c) {
      if ((*w)((*w)(c)) != c) return found(*w, " at ", c);
    }
    return kHolds;
  });
}

TEST(Swizzle, PermutesItsSize) {
  for_all(one_swizzle, [](const Operands& o) -> Finding {
    const std::optional<Swizzle> w = swizzle_from(o.numbers);
    if (!w) return kSaysNothing;
    std::vector<bool> met(static_cast<std::size_t>(w->size()));
    for (std::int64_t c = 0; c < w->size(); ++c) {
      const std::int64_t image = (*w)(c);
      if (image < 0 || image >= w->size()) return found(*w, " leaves its size at ", c);
      if (met[static_cast<std::size_t>(image)]) return found(*w, " meets ", image, " twice");
      met[static_cast<std::size_t>(image)] = true;
    }
    return kHolds;
  });
}

TEST(Swizzle, BitMatrixIsTheSameFunction) {
  for_all(one_swizzle, [](const Operands& o) -> Finding {
    const std::optional<Swizzle> w = swizzle_from(o.numbers);
    if (!w) return kSaysNothing;
    const form::BitMatrix matrix = cute::bit_matrix(*w);
    for (std::int64_t c = 0; c < w->size(); ++c) {
      if (static_cast<std::int64_t>(matrix(static_cast<std::uint64_t>(c))) != (*w)(c))
        return found(*w, c);
    }
    return kHolds;
  });
}

TEST(Swizzle, MasksMakeTheSwizzleAgain) {
  for_all(one_swizzle, [](const Operands& o) -> Finding {
    const std::optional<Swizzle> w = swizzle_from(o.numbers);
    if (!w) return kSaysNothing;
    const Result<Swizzle> r = cute::make_swizzle(w->source_mask(), w->target_mask());
    if (!r) return found(r.error());
    return *r == *w ? kHolds : found(*r, ", wanted ", *w);
  });
}

TEST(Swizzle, CompositionIsOneAfterTheOtherOrRefused) {
  Tally given;
  Tally refused;
  for_all(two_swizzles, [&](const Operands& o) -> Finding {
    const std::optional<Swizzle> a = swizzle_from(o.numbers);
    const std::optional<Swizzle> b = swizzle_from(o.numbers, 4);
    if (!a || !b) return kSaysNothing;
    const Result<Swizzle> r = cute::composition(*a, *b);
    const std::int64_t all = std::max(a->size(), b->size());
    if (r) {
      given.count();
      for (std::int64_t c = 0; c < all; ++c) {
        if ((*r)(c) != (*a)((*b)(c))) return found(*r, " at ", c, ": wanted ", (*a)((*b)(c)));
      }
      return kHolds;
    }
    refused.count();
    // No swizzle of any parameters does it.
    for (int bits = 0; bits <= 6; ++bits) {
      for (int base = 0; base <= 10; ++base) {
        for (int shift = -10; shift <= 10; ++shift) {
          const Result<Swizzle> candidate = Swizzle::make(bits, base, shift);
          if (!candidate) continue;
          bool same = true;
          for (std::int64_t bit = 1; bit < 4 * all && same; bit *= 2) {
            same = (*candidate)(bit) == (*a)((*b)(bit));  // both are linear over bits
          }
          if (same) return found(*candidate, " does it, yet ", r.error());
        }
      }
    }
    return kHolds;
  });
  given.expect_at_least(10);
  refused.expect_at_least(10);
}

TEST(Swizzle, RecastSwizzlesWholeElements) {
  const auto operands = [](Random& random) {
    Operands o = one_swizzle(random);
    o.numbers.push_back(std::int64_t{1} << random.between(0, 3));
    return o;
  };
  for_all(operands, [](const Operands& o) -> Finding {
    const std::optional<Swizzle> w = swizzle_from(o.numbers);
    const std::int64_t n = o.numbers[4];
    if (!w || (n & (n - 1)) != 0) return kSaysNothing;
    const Result<Swizzle> down = cute::downcast(*w, n);
    if (!down) return found(down.error());
    for (std::int64_t c = 0; c < w->size(); ++c) {
      for (std::int64_t part = 0; part < n; ++part) {
        if ((*down)(n * c + part) != n * (*w)(c) + part) return found(*down, " at ", n * c + part);
      }
    }
    const Result<Swizzle> up = cute::upcast(*down, n);
    if (!up) return found(*down, ": ", up.error());
    for (std::int64_t c = 0; c < w->size(); ++c) {
      if ((*up)(c) != (*w)(c)) return found(*up, " is not ", *w);
    }
    return kHolds;
  });
}

// Composed layouts: operands are a layout, the numbers of a swizzle, and one more than an offset.

Operands composed_layout(Random& random) {
  Operands o = one_swizzle(random);
  o.layouts.push_back(random.chance(50) ? compact_layout(random, 128)
                                        : positive_layout(random, 128));
  o.numbers.push_back(random.chance(60) ? 1 : random.between(1, 64));
  return o;
}

std::optional<ComposedLayout> composed_from(const Operands& o) {
  const std::optional<Swizzle> w = swizzle_from(o.numbers);
  if (!w) return std::nullopt;
  return ComposedLayout::make(*w, o.numbers[4] - 1, to_layout(o.layouts[0])).value();
}

std::int64_t index_of(const ComposedLayout& layout, std::int64_t c) {
  return swizzled(layout.swizzle(),
                  layout.offset().leaf().value() + evaluate(to_plain(layout.layout()), c));
}

std::int64_t index_of(const AnyLayout& layout, std::int64_t c) {
  if (const auto* plain = std::get_if<Layout>(&layout)) return evaluate(to_plain(*plain), c);
  return index_of(std::get<ComposedLayout>(layout), c);
}

TEST(ComposedLayout, IsTheSwizzleAfterTheOffsetAfterTheLayout) {
  for_all(composed_layout, [](const Operands& o) -> Finding {
    const std::optional<ComposedLayout> layout = composed_from(o);
    if (!layout) return kSaysNothing;
    const std::int64_t n = size(o.layouts[0]);
    std::int64_t greatest = 0;
    for (std::int64_t c = 0; c < n; ++c) {
      const std::int64_t wanted =
          swizzled(*swizzle_from(o.numbers), o.numbers[4] - 1 + evaluate(o.layouts[0], c));
      if ((*layout)(c) != Int(wanted)) return found(*layout, "(", c, ") should be ", wanted);
      greatest = std::max(greatest, wanted);
    }
    const Result<Int> end = cute::cosize(*layout);
    if (!end) return found(end.error());
    return end->value() == greatest + 1 ? kHolds
                                        : found("cosize ", *end, ", wanted ", greatest + 1);
  });
}

TEST(ComposedLayout, CompositionFromTheRightActsOnTheLayout) {
  const auto operands = [](Random& random) {
    Operands o = composed_layout(random);
    o.layouts.push_back(layout_within(random, o.layouts[0], 64));
    return o;
  };
  for_all({.percent = 50}, operands, [&](const Operands& o) -> Finding {
    const std::optional<ComposedLayout> layout = composed_from(o);
    if (!layout) return kSaysNothing;
    const Result<ComposedLayout> r = cute::composition(*layout, to_layout(o.layouts[1]));
    if (!r) return kSaysNothing;
    if (!compatible(o.layouts[1], to_plain(r->layout()))) return found(*r);
    for (std::int64_t c = 0; c < size(o.layouts[1]); ++c) {
      const std::int64_t wanted = index_of(*layout, evaluate(o.layouts[1], c));
      if (index_of(*r, c) != wanted) return found(*r, "(", c, ") should be ", wanted);
    }
    return kHolds;
  });
}

TEST(ComposedLayout, CompositionFromTheLeftIsTheSwizzleAfterIt) {
  const auto operands = [](Random& random) {
    Operands o = composed_layout(random);
    const std::vector<std::int64_t> second =
        random.chance(50) ? swizzle_numbers(random) : o.numbers;
    o.numbers.insert(o.numbers.end(), second.begin(), second.begin() + 4);
    return o;
  };
  for_all({.percent = 20}, operands, [&](const Operands& o) -> Finding {
    const std::optional<ComposedLayout> layout = composed_from(o);
    const std::optional<Swizzle> left = swizzle_from(o.numbers, 5);
    if (!layout || !left) return kSaysNothing;
    const Result<AnyLayout> r = cute::composition(*left, *layout);
    if (!r) return kSaysNothing;
    for (std::int64_t c = 0; c < size(o.layouts[0]); ++c) {
      const std::int64_t wanted = swizzled(*left, index_of(*layout, c));
      if (index_of(*r, c) != wanted) return found("coordinate ", c, " should be ", wanted);
    }
    return kHolds;
  });
}

TEST(LayoutAfterSwizzle, IsTheLayoutAtTheSwizzledCoordinate) {
  for_all({.percent = 5}, composed_layout, [&](const Operands& o) -> Finding {
    const std::optional<Swizzle> w = swizzle_from(o.numbers);
    if (!w) return kSaysNothing;
    const Result<AnyLayout> r = cute::composition(to_layout(o.layouts[0]), *w);
    if (!r) return kSaysNothing;
    for (std::int64_t c = 0; c < size(o.layouts[0]); ++c) {
      const std::int64_t wanted = evaluate(o.layouts[0], swizzled(*w, c));
      if (index_of(*r, c) != wanted)
        return found("coordinate ", c, " gave ", index_of(*r, c), ", wanted ", wanted);
    }
    return kHolds;
  });
}

TEST(LayoutAfterComposedLayout, IsTheLayoutAtItsIndices) {
  const auto operands = [](Random& random) {
    Operands o = composed_layout(random);
    o.layouts.push_back(compact_layout(random, 256));
    return o;
  };
  for_all({.percent = 5}, operands, [&](const Operands& o) -> Finding {
    const std::optional<ComposedLayout> inner = composed_from(o);
    if (!inner) return kSaysNothing;
    const Result<AnyLayout> r = cute::composition(to_layout(o.layouts[1]), *inner);
    if (!r) return kSaysNothing;
    for (std::int64_t c = 0; c < size(o.layouts[0]); ++c) {
      const std::int64_t wanted = evaluate(o.layouts[1], index_of(*inner, c));
      if (index_of(*r, c) != wanted)
        return found("coordinate ", c, " gave ", index_of(*r, c), ", wanted ", wanted);
    }
    return kHolds;
  });
}

/// A coordinate of the top-level modes; mode i is `_` where bit i of `free` is set.
struct Choice {
  cute::Coordinate coordinate;
  std::vector<std::size_t> free;
  std::int64_t fixed = 0;  // the flat coordinate with 0 for each `_`
};

std::optional<Choice> choice(const Plain& layout, std::int64_t free, std::int64_t flat) {
  if (layout.is_leaf()) return std::nullopt;
  Choice chosen{cute::Coordinate(0), {}, 0};
  std::vector<cute::Coordinate> modes;
  std::int64_t scale = 1;
  for (std::size_t i = 0; i < layout.modes.size(); ++i) {
    const std::int64_t extent = size(layout.modes[i]);
    if ((free >> i & 1) != 0) {
      modes.emplace_back(cute::Index(cute::_));
      chosen.free.push_back(i);
    } else {
      modes.emplace_back(cute::Index(flat / scale % extent));
      chosen.fixed += flat / scale % extent * scale;
    }
    scale *= extent;
  }
  chosen.coordinate = cute::Coordinate::of(modes);
  return chosen;
}

/// The flat coordinate in `layout` of the flat coordinate `c` of the free modes.
std::int64_t place(const Plain& layout, const Choice& chosen, std::int64_t c) {
  std::int64_t flat = chosen.fixed;
  std::int64_t scale = 1;
  for (std::size_t i = 0; i < layout.modes.size(); ++i) {
    const std::int64_t extent = size(layout.modes[i]);
    if (std::find(chosen.free.begin(), chosen.free.end(), i) != chosen.free.end()) {
      flat += c % extent * scale;
      c /= extent;
    }
    scale *= extent;
  }
  return flat;
}

Operands layout_to_slice(Random& random) {
  Operands o = composed_layout(random);
  o.numbers.push_back(random.between(1, 15));
  o.numbers.push_back(random.between(1, 200));
  return o;
}

TEST(Slice, OfALayoutIsTheLayoutOnTheFreeModes) {
  for_all({.percent = 40}, layout_to_slice, [&](const Operands& o) -> Finding {
    const Plain& a = o.layouts[0];
    const std::optional<Choice> chosen = choice(a, o.numbers[5], o.numbers[6]);
    if (!chosen || chosen->free.empty()) return kSaysNothing;
    const Layout layout = to_layout(a);
    const Result<cute::OffsetLayout> r = cute::slice_and_offset(chosen->coordinate, layout);
    const Result<Layout> alone = cute::slice(chosen->coordinate, layout);
    if (!r || !alone) return found("refused");
    if (r->layout != *alone) return found(r->layout, " and ", *alone);
    const Result<IntTuple> offset = cute::slice_offset(chosen->coordinate, layout);
    if (!offset || *offset != r->offset) return found("slice_offset differs");
    const Plain sliced = to_plain(r->layout);
    for (std::int64_t c = 0; c < size(sliced); ++c) {
      const std::int64_t wanted = evaluate(a, place(a, *chosen, c));
      const std::int64_t got = r->offset.leaf().value() + evaluate(sliced, c);
      if (got != wanted) return found(r->layout, " at ", c, ": ", got, ", wanted ", wanted);
    }
    return kHolds;
  });
}

TEST(Slice, OfAComposedLayoutIsTheComposedLayoutOnTheFreeModes) {
  for_all({.percent = 40}, layout_to_slice, [&](const Operands& o) -> Finding {
    const Plain& a = o.layouts[0];
    const std::optional<ComposedLayout> layout = composed_from(o);
    const std::optional<Choice> chosen = choice(a, o.numbers[5], o.numbers[6]);
    if (!layout || !chosen || chosen->free.empty()) return kSaysNothing;
    const Result<ComposedLayout> r = cute::slice(chosen->coordinate, *layout);
    if (!r) return found(r.error());
    const std::int64_t n = size(to_plain(r->layout()));
    for (std::int64_t c = 0; c < n; ++c) {
      const std::int64_t wanted = index_of(*layout, place(a, *chosen, c));
      if (index_of(*r, c) != wanted) return found(*r, " at ", c, ": wanted ", wanted);
    }
    return kHolds;
  });
}

TEST(SliceAndOffset, OfAComposedLayoutIsStridedOrRefused) {
  Tally given;
  for_all(layout_to_slice, [&](const Operands& o) -> Finding {
    const Plain& a = o.layouts[0];
    const std::optional<ComposedLayout> layout = composed_from(o);
    const std::optional<Choice> chosen = choice(a, o.numbers[5], o.numbers[6]);
    if (!layout || !chosen || chosen->free.empty()) return kSaysNothing;
    const Result<cute::OffsetLayout> r = cute::slice_and_offset(chosen->coordinate, *layout);
    if (!r) return r.error().code() == "slice.not_strided" ? kHolds : found(r.error());
    given.count();
    const Plain sliced = to_plain(r->layout);
    for (std::int64_t c = 0; c < size(sliced); ++c) {
      const std::int64_t wanted = index_of(*layout, place(a, *chosen, c));
      const std::int64_t got = r->offset.leaf().value() + evaluate(sliced, c);
      if (got != wanted) return found(r->layout, " at ", c, ": ", got, ", wanted ", wanted);
    }
    return kHolds;
  });
  given.expect_at_least(10);
}

TEST(DomainOffset, IsTheLayoutAsSeenFromThere) {
  for_all(layout_to_slice, [](const Operands& o) -> Finding {
    const Plain& a = o.layouts[0];
    const std::optional<ComposedLayout> layout = composed_from(o);
    const std::int64_t origin = o.numbers[6] % size(a);
    if (!layout) return kSaysNothing;
    const Result<ComposedLayout> r =
        cute::domain_offset(cute::Coordinate(cute::Index(origin)), *layout);
    if (!r) return found(r.error());
    for (std::int64_t c = 0; c < size(a); ++c) {
      const std::int64_t inner = o.numbers[4] - 1 + evaluate(a, origin) + evaluate(a, c);
      if (index_of(*r, c) != swizzled(layout->swizzle(), inner)) return found(*r, " at ", c);
    }
    return kHolds;
  });
}

TEST(RightInverse, OfAComposedLayoutReadsIndicesBack) {
  for_all({.percent = 5}, composed_layout, [&](const Operands& o) -> Finding {
    const std::optional<ComposedLayout> layout = composed_from(o);
    if (!layout) return kSaysNothing;
    const Result<AnyLayout> r = cute::right_inverse(*layout);
    if (!r) return kSaysNothing;
    const std::int64_t n = std::visit([](const auto& l) { return l.size().value(); }, *r);
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t got = index_of(*layout, index_of(*r, i));
      if (got != i) return found("index ", i, " comes back as ", got);
    }
    return kHolds;
  });
}

TEST(LeftInverse, OfAComposedLayoutReadsCoordinatesBack) {
  for_all({.percent = 5}, composed_layout, [&](const Operands& o) -> Finding {
    const std::optional<ComposedLayout> layout = composed_from(o);
    if (!layout || !is_injective(o.layouts[0])) return kSaysNothing;
    const Result<AnyLayout> r = cute::left_inverse(*layout);
    if (!r) return kSaysNothing;
    for (std::int64_t c = 0; c < size(o.layouts[0]); ++c) {
      const std::int64_t got = index_of(*r, index_of(*layout, c));
      if (got != c) return found("coordinate ", c, " comes back as ", got);
    }
    return kHolds;
  });
}

TEST(SwizzlePortion, WithTheRestMakesTheLayoutAgain) {
  for_all(composed_layout, [](const Operands& o) -> Finding {
    const std::optional<ComposedLayout> layout = composed_from(o);
    if (!layout) return kSaysNothing;
    if (cute::get_swizzle_portion(*layout) != layout->swizzle()) return found("swizzle");
    if (cute::get_nonswizzle_portion(*layout) != AnyLayout(layout->layout()))
      return found("layout");
    const AnyLayout plain = layout->layout();
    if (!cute::get_swizzle_portion(plain).is_identity())
      return found("a plain layout has no swizzle");
    return cute::get_nonswizzle_portion(plain) == AnyLayout(layout->layout()) ? kHolds
                                                                              : found("plain");
  });
}

TEST(Downcast, OfAComposedLayoutReachesEveryPartOfEveryElement) {
  for_all({.percent = 20}, composed_layout, [&](const Operands& o) -> Finding {
    const std::optional<ComposedLayout> layout = composed_from(o);
    if (!layout || !is_injective(o.layouts[0])) return kSaysNothing;
    const Result<ComposedLayout> down = cute::downcast(*layout, 4);
    if (!down) return kSaysNothing;
    std::set<std::int64_t> wanted;
    std::set<std::int64_t> got;
    for (std::int64_t c = 0; c < size(o.layouts[0]); ++c) {
      for (std::int64_t k = 0; k < 4; ++k) wanted.insert(4 * index_of(*layout, c) + k);
    }
    const std::int64_t n = size(to_plain(down->layout()));
    for (std::int64_t c = 0; c < n; ++c) got.insert(index_of(*down, c));
    return got == wanted ? kHolds : found(*down);
  });
}

TEST(AnyLayout, AnswersAsTheLayoutItHolds) {
  Tally composed;
  for_all(
      [](Random& random) {
        Operands o{{any_layout(random, 64)}, swizzle_numbers(random)};
        o.numbers.push_back(random.between(1, size(o.layouts[0])));
        return o;
      },
      [&](const Operands& o) -> Finding {
        const Layout plain = to_layout(o.layouts[0]);
        const std::optional<Swizzle> w = swizzle_from(o.numbers);
        if (!w) return kSaysNothing;
        const Result<AnyLayout> swizzled = cute::composition(*w, plain);
        if (!swizzled) return kSaysNothing;
        if (std::holds_alternative<ComposedLayout>(*swizzled)) composed.count();
        const cute::Coordinate coordinate(cute::Index(Int(o.numbers.back() - 1)));
        const Result<IntTuple> index = evaluate(AnyLayout(plain), coordinate);
        if (index != evaluate(plain, coordinate)) return found(plain);
        const IntTuple wanted((*w)(index->leaf()));
        if (evaluate(*swizzled, coordinate) != wanted) return found(to_string(*swizzled));
        if (index_map(*swizzled).at(o.numbers.back() - 1).front() != wanted.leaf()) {
          return found("index_map of ", to_string(*swizzled));
        }
        if (cute::shape(*swizzled) != plain.shape()) return found(to_string(*swizzled));
        if (cute::size(*swizzled) != plain.size()) return found(to_string(*swizzled));
        return cosize(AnyLayout(plain)) == cosize(plain) ? kHolds : found(plain);
      });
  composed.expect_at_least(50);
}

}  // namespace
}  // namespace heddle::test
