// Views against what each system says of itself.

#include <gtest/gtest.h>

#include <algorithm>

#include "heddle/cute/swizzle.h"
#include "heddle/map/any_layout.h"
#include "map/view/shown_digits.h"
#include "support/law.h"
#include "support/random_axe.h"
#include "support/random_lego.h"
#include "support/random_linear.h"

namespace heddle::map {
namespace {

using test::Finding;
using test::for_all_seeds;
using test::found;
using test::kHolds;
using test::kSaysNothing;
using test::Random;

View viewed(const AnyLayout& layout) { return view(layout).value(); }

/// Calls `visit` with the number and the point of every point of the box.
template <class Visit>
Finding for_all_points(const View& view, Visit visit) {
  for (std::int64_t flat = 0; flat < view.size().value(); ++flat) {
    if (const Finding finding = visit(flat, point_of(view.extents, view.order, flat))) {
      return finding;
    }
  }
  return kHolds;
}

/// The digits and the bits that the view shows, evaluated, are what it says.
Finding shows_another_map(const View& view) {
  return for_all_points(view, [&](std::int64_t flat, const std::vector<Int>& point) -> Finding {
    const std::vector<Int> wanted = view.evaluate(point, 0);
    if (view.strided && image_of(*view.strided, point, 0) != wanted) {
      return found("digits at ", flat);
    }
    if (!view.bits) return kHolds;
    std::uint64_t word = 0;
    int begin = 0;
    for (std::size_t i = 0; i < point.size(); ++i) {
      word |= static_cast<std::uint64_t>(point[i].value()) << begin;
      for (std::int64_t size = view.extents[i].value(); size > 1; size /= 2) ++begin;
    }
    const auto image = unpacked(*view.bits, view.bits->matrix(word) ^ view.bits->offset);
    const bool same = std::ranges::equal(image, wanted, [](std::int64_t a, const Int& b) {
      return b.is_constant() && a == b.value();
    });
    return same ? kHolds : found("bits at ", flat);
  });
}

/// At every point the view has the value that `value_at` gives for its number.
template <class ValueAt>
Finding differs_from(const AnyLayout& layout, ValueAt value_at) {
  const View it = viewed(layout);
  if (const Finding finding = shows_another_map(it)) return finding;
  return for_all_points(it, [&](std::int64_t flat, const std::vector<Int>& point) -> Finding {
    const Int wanted = value_at(flat);
    if (it.evaluate(point, 0) == std::vector<Int>{wanted}) return kHolds;
    return found(to_string(layout), " at ", flat, ": ", to_string(it.evaluate(point, 0).front()),
                 " and ", to_string(wanted));
  });
}

/// The same map on another shape.
Finding changes_when_reshaped(const AnyLayout& layout, Random& random) {
  const View it = viewed(layout);
  const std::vector<Int> shape = test::random_shape(random, it.size().value());
  const Result<View> other = reshaped(it, shape);
  if (!other) return found(other.error().message());
  if (const Finding finding = shows_another_map(*other)) return found("reshaped: ", *finding);
  return for_all_points(*other, [&](std::int64_t flat, const std::vector<Int>& point) -> Finding {
    if (other->evaluate(point, 0) == it.evaluate(point_of(it.extents, it.order, flat), 0)) {
      return kHolds;
    }
    return found("reshaped, at ", flat);
  });
}

cute::Swizzle any_swizzle(Random& random) {
  const int bits = static_cast<int>(random.between(0, 2));
  const int base = static_cast<int>(random.between(0, 3));
  const int shift = static_cast<int>(random.between(bits, 3));
  return cute::Swizzle::make(bits, base, random.chance(20) ? -shift : shift).value();
}

// ---- Each system ----

TEST(View, SaysWhatCuteSays) {
  for_all_seeds([](Random& random) -> Finding {
    const cute::Layout layout = test::to_layout(test::any_layout(random, 64));
    if (!layout.is_integral()) return kSaysNothing;
    const Finding finding =
        differs_from(layout, [&](std::int64_t flat) { return layout(Int(flat)); });
    return finding ? finding : changes_when_reshaped(layout, random);
  });
}

TEST(View, SaysWhatComposedLayoutsSay) {
  for_all_seeds([](Random& random) -> Finding {
    const cute::Layout plain = test::to_layout(test::positive_layout(random, 64));
    if (!plain.is_integral()) return kSaysNothing;
    const auto layout =
        cute::ComposedLayout::make(any_swizzle(random), random.between(0, 9), plain).value();
    return differs_from(layout, [&](std::int64_t flat) { return layout(Int(flat)); });
  });
}

TEST(View, SaysWhatLayoutsAfterAnOffsetSay) {
  for_all_seeds([](Random& random) -> Finding {
    const cute::Layout outer = test::to_layout(test::positive_layout(random, 48));
    const cute::Layout plain = test::to_layout(test::positive_layout(random, 48));
    const auto layout =
        cute::ComposedLayout::make(outer, IntTuple(random.between(0, 9)), plain).value();
    return differs_from(layout, [&](std::int64_t flat) { return layout(Int(flat)); });
  });
}

TEST(View, SaysWhatLegoSays) {
  for_all_seeds([](Random& random) -> Finding {
    const test::PlainLego plain =
        test::any_lego(random, {.max_size = 24, .expanded = random.chance(10)});
    const lego::Layout layout = test::to_layout(plain);
    const test::Numbers dims = test::plain_dims(plain);
    const Finding finding = differs_from(layout, [&](std::int64_t flat) {
      return Int(test::plain_apply(plain, test::plain_point(dims, flat)));
    });
    return finding ? finding : changes_when_reshaped(layout, random);
  });
}

TEST(View, SaysWhatAxeSays) {
  for_all_seeds([](Random& random) -> Finding {
    const axe::Layout layout = test::any_axe(random, {.max_size = 64, .swizzles = true});
    const std::vector<test::PlainPlaces> wanted = test::plain_map(layout);
    const View it = viewed(layout);
    if (const Finding finding = shows_another_map(it)) return finding;
    return for_all_points(it, [&](std::int64_t flat, const std::vector<Int>& point) -> Finding {
      test::PlainPlaces got;
      const auto all = images(it, point).value();
      for (const std::vector<Int>& image : all) {
        test::PlainPlace place;
        for (std::size_t axis = 0; axis < image.size(); ++axis) {
          if (image[axis] != 0) place[it.axes[axis].name()] = image[axis].value();
        }
        got.insert(place);
      }
      if (got == wanted[static_cast<std::size_t>(flat)]) return kHolds;
      return found(to_string(layout), " at ", flat);
    });
  });
}

TEST(View, SaysWhatLinearLayoutsSay) {
  for_all_seeds([](Random& random) -> Finding {
    const linear::LinearLayout layout = test::any_linear(random, 6);
    const View it = viewed(layout);
    if (const Finding finding = shows_another_map(it)) return finding;
    return for_all_points(it, [&](std::int64_t flat, const std::vector<Int>& point) -> Finding {
      linear::NamedSizes named;
      for (std::size_t i = 0; i < point.size(); ++i) {
        named.emplace_back(it.names[i], point[i].value());
      }
      const linear::NamedSizes wanted = test::plain_apply(layout, named);
      const std::vector<Int> got = it.evaluate(point, 0);
      for (std::size_t axis = 0; axis < got.size(); ++axis) {
        const std::int64_t there = test::coordinate_of(wanted, it.axes[axis].name());
        if (got[axis] != Int(there)) return found(to_string(layout), " at ", flat);
      }
      return kHolds;
    });
  });
}

TEST(View, SaysWhatTablesSay) {
  const form::Table table = form::make_table({2, 3}, {Axis::memory()}, {5, 1, 4, 2, 0, 9}).value();
  EXPECT_EQ(viewed(table).evaluate(std::vector<Int>{1, 2}, 0), std::vector<Int>{9});
  EXPECT_EQ(viewed(table).order, form::FlatOrder::kLastFastest);
}

// ---- Parts ----

TEST(View, ThreadValueLayoutsEndWithTheirTile) {
  const cute::Layout layout = cute::make_layout({{4, 8}, 2}, {{2, 8}, 1}).value();
  const View it = viewed(cute::TvLayout{layout, cute::to_tiler(IntTuple{8, 8})});
  EXPECT_EQ(it.names, (std::vector<std::string>{"thread", "value"}));
  EXPECT_EQ(it.bounds, std::vector<std::optional<Int>>{Int(64)});
}

TEST(View, BitsOfDigitsThatCarryDoNotExist) {
  EXPECT_FALSE(viewed(cute::make_layout({2, 2}, {3, 1}).value()).bits);
  EXPECT_FALSE(viewed(cute::make_layout({3, 2}, {1, 4}).value()).bits);
  EXPECT_TRUE(viewed(cute::make_layout({2, 2}, {3, 4}).value()).bits);
}

/// 7 - x is 7 xor x: steps down from an offset are bits too.
TEST(View, BitsMayRunBackwards) {
  const axe::Layout layout =
      axe::Layout::make({{8, -1, Axis::memory()}}, {}, {{Axis::memory(), 7}}).value();
  const View it = viewed(layout);
  ASSERT_TRUE(it.bits);
  EXPECT_EQ(it.bits->offset, 7U);
  EXPECT_FALSE(shows_another_map(it));
}

TEST(View, LegoChainsShowTheirDigitsForAllSizes) {
  const Int m = 8 * Int::variable("m", 1, 1 << 20);
  const lego::Layout layout = lego::Layout::tile_by({{floor_div(m, 8), 2}, {8, 4}})
                                  .value()
                                  .order_by({lego::RegP::row({m, 8}).value()})
                                  .value();
  const View it = viewed(layout);
  ASSERT_TRUE(it.strided);
  EXPECT_EQ(it.strided->modes[0].front().stride.front(), Int(64));
  EXPECT_EQ(it.strided->modes[2].front().stride.front(), Int(8));
}

TEST(View, LegoPermutationsOfPowersOfTwoAreBitsAtAnySize) {
  const lego::Layout layout =
      lego::Layout::group_by({{1 << 20, 1 << 20}})
          .value()
          .order_by({lego::GenP::make({1 << 20, 1 << 20}, lego::BuiltIn{"morton", {}}).value()})
          .value();
  ASSERT_TRUE(viewed(layout).bits);
  EXPECT_EQ(viewed(layout).bits->matrix.columns().size(), 40U);
}

TEST(View, RefusesPointsAndShapesThatAreNone) {
  const View it = viewed(cute::make_layout({4, 8}).value());
  EXPECT_EQ(images(it, std::vector<Int>{4, 0}).error().code(), "view.coordinate");
  EXPECT_EQ(images(it, std::vector<Int>{3}).error().code(), "view.coordinate");
  EXPECT_EQ(reshaped(it, std::vector<Int>{4, 7}).error().code(), "view.shape");
  EXPECT_EQ(reshaped(it, std::vector<Int>{Int::variable("n"), 8}).error().code(), "assume.needed");
}

TEST(View, NamesSystems) {
  for (const System system : systems()) EXPECT_EQ(find_system(name(system)), system);
  EXPECT_FALSE(find_system("graphene"));
  EXPECT_EQ(description(System::kCute), "a CuTe layout");
}

}  // namespace
}  // namespace heddle::map
