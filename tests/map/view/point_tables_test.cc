// Points evaluated by tables, against the view's own evaluation of each.

#include "heddle/map/point_tables.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "heddle/cute/swizzle.h"
#include "support/any_layout.h"
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

/// The tables evaluate these flat coordinates, and the points that they are, as the view does.
Finding differs_at(const AnyLayout& layout, const std::vector<std::int64_t>& flat) {
  const Result<View> it = view(layout);
  if (!it) return kSaysNothing;
  const Result<PointTables> by_number = PointTables::make(layout, Coordinates::kFlat);
  if (!it->is_function()) {
    const bool is_refused = !by_number && by_number.error().code() == "recover.copies";
    return is_refused ? kHolds : found(to_string(layout), " has copies");
  }
  const Result<PointTables> by_point = PointTables::make(layout, Coordinates::kBox);
  if (!by_number || !by_point) return found(by_number ? by_point.error() : by_number.error());
  std::vector<std::vector<std::int64_t>> coordinates(it->extents.size());
  std::vector<std::vector<std::int64_t>> wanted(it->axes.size());
  for (const std::int64_t number : flat) {
    const std::vector<Int> point = it->index_map().indices(number);
    for (std::size_t i = 0; i < point.size(); ++i) coordinates[i].push_back(point[i].value());
    const std::vector<Int> image = it->evaluate(point, 0);
    for (std::size_t i = 0; i < image.size(); ++i) {
      if (!image[i].is_constant()) return kSaysNothing;
      wanted[i].push_back(image[i].value());
    }
  }
  for (const bool is_flat : {true, false}) {
    auto got = wanted;
    PointTables::Outputs outputs;
    for (auto& axis : got) {
      std::ranges::fill(axis, -99);
      outputs.emplace_back(axis);
    }
    PointTables::Inputs inputs;
    if (is_flat) inputs.emplace_back(flat);
    for (const auto& index : coordinates) {
      if (!is_flat) inputs.emplace_back(index);
    }
    const auto outside = (is_flat ? *by_number : *by_point).evaluate(inputs, outputs);
    if (outside) return found(to_string(layout), ": outside at ", *outside);
    if (got != wanted) return found(to_string(layout), is_flat ? ", flat" : ", by point");
  }
  return kHolds;
}

Finding differs(const AnyLayout& layout) {
  const Result<Int> size = map::size(layout);
  if (!size || !size->is_constant() || size->value() > 1 << 16) return kSaysNothing;
  std::vector<std::int64_t> flat;
  for (std::int64_t i = 0; i < size->value(); ++i) flat.push_back(i);
  return differs_at(layout, flat);
}

TEST(PointTables, EvaluateCuteLayouts) {
  for_all_seeds([](Random& random) -> Finding {
    return differs(test::to_layout(test::any_layout(random, 64)));
  });
}

TEST(PointTables, EvaluateComposedLayouts) {
  for_all_seeds([](Random& random) -> Finding {
    const cute::Layout plain = test::to_layout(test::positive_layout(random, 64));
    if (!plain.is_integral()) return kSaysNothing;
    const int bits = static_cast<int>(random.between(0, 2));
    const int shift = static_cast<int>(random.between(bits, 3));
    const auto swizzle = cute::Swizzle::make(bits, static_cast<int>(random.between(0, 3)),
                                             random.chance(20) ? -shift : shift)
                             .value();
    return differs(cute::ComposedLayout::make(swizzle, random.between(0, 9), plain).value());
  });
}

TEST(PointTables, EvaluateLegoLayouts) {
  for_all_seeds([](Random& random) -> Finding {
    return differs(
        test::to_layout(test::any_lego(random, {.max_size = 24, .expanded = random.chance(10)})));
  });
}

TEST(PointTables, EvaluateAxeLayouts) {
  for_all_seeds([](Random& random) -> Finding {
    return differs(test::any_axe(random, {.max_size = 64, .swizzles = true}));
  });
}

TEST(PointTables, EvaluateLinearLayouts) {
  for_all_seeds([](Random& random) -> Finding { return differs(test::any_linear(random, 6)); });
}

/// Several groups of digits: sizes that no single table holds.
TEST(PointTables, EvaluateLargeLayouts) {
  for_all_seeds([](Random& random) -> Finding {
    std::vector<IntTuple> shape;
    std::vector<cute::StrideTuple> stride;
    const std::int64_t rank = random.between(1, 6);
    for (std::int64_t i = 0; i < rank; ++i) {
      const std::int64_t extents[] = {2, 3, 5, 16, 100, 1 << 13, 99'991};
      shape.emplace_back(extents[random.between(0, 6)]);
      stride.emplace_back(cute::Stride(random.between(-1'000'000, 1'000'000)));
    }
    const auto layout = cute::make_layout(IntTuple::of(shape), cute::StrideTuple::of(stride));
    if (!layout) return kSaysNothing;
    const Int size = layout->size();
    if (!size.is_constant()) return kSaysNothing;
    std::vector<std::int64_t> flat = {0, size.value() - 1};
    for (int i = 0; i < 30; ++i) flat.push_back(random.between(0, size.value() - 1));
    return differs_at(*layout, flat);
  });
}

/// Numbers below 2^31, up to the greatest, at the places where digits end; with and without
/// swizzle.
TEST(PointTables, EvaluateNarrowLayouts) {
  for_all_seeds([](Random& random) -> Finding {
    std::vector<IntTuple> shape;
    std::vector<cute::StrideTuple> stride;
    std::vector<std::int64_t> flat = {0};
    std::int64_t size = 1;
    const std::int64_t most = (std::int64_t{1} << 31) - 1;
    for (int i = 0; i < 5 && size <= most / 2; ++i) {
      const std::int64_t greatest = most / size >> random.between(0, 25);
      const std::int64_t extent = greatest < 2 ? 1 : random.between(2, greatest);
      if (extent < 2) continue;
      shape.emplace_back(extent);
      stride.emplace_back(cute::Stride(size));
      size *= extent;
      for (const std::int64_t near : {size - 2, size - 1, size / 2}) flat.push_back(near);
    }
    flat.push_back(random.between(0, size - 1));
    const auto plain = cute::make_layout(IntTuple::of(shape), cute::StrideTuple::of(stride));
    if (!plain) return kSaysNothing;
    if (const Finding finding = differs_at(*plain, flat)) return finding;
    const auto swizzle =
        cute::Swizzle::make(3, static_cast<int>(random.between(0, 4)), random.chance(50) ? -3 : 4);
    return differs_at(cute::ComposedLayout::make(*swizzle, 0, *plain).value(), flat);
  });
}

TEST(PointTables, EvaluateRelationsAndTables) {
  EXPECT_FALSE(differs(test::layout_of_text("{ [c] -> [(-3c) mod 16] : 0 <= c < 16 }")));
  EXPECT_FALSE(differs(test::layout_of_text("[[3,1,2],[7,7,0]]")));
}

TEST(PointTables, FindTheFirstPointThatIsOutside) {
  const auto tables =
      PointTables::make(test::layout_of_text("GroupBy([4,8])"), Coordinates::kFlat).value();
  std::vector<std::int64_t> flat(3000, 31);
  std::vector<std::int64_t> images(flat.size());
  EXPECT_EQ(tables.evaluate({flat}, {images}), std::nullopt);
  flat[2500] = 32;
  flat[2600] = -1;
  EXPECT_EQ(tables.evaluate({flat}, {images}), 2500);
  flat[2500] = -1;
  EXPECT_EQ(tables.evaluate({flat}, {images}), 2500);
}

TEST(PointTables, KeepThePointsWhereOneIsOutside) {
  const auto tables =
      PointTables::make(test::layout_of_text("(100,30):(30,1)"), Coordinates::kFlat).value();
  std::vector<std::int64_t> flat(3000, 2999);
  for (const std::int64_t beyond : {std::int64_t{3000}, std::int64_t{-1}, std::int64_t{1} << 32}) {
    flat[2500] = beyond;
    EXPECT_EQ(tables.evaluate({flat}, {flat}), 2500);
    EXPECT_EQ(flat[2500], beyond);
    std::ranges::fill(flat, 2999);
  }
  EXPECT_EQ(tables.evaluate({flat}, {flat}), std::nullopt);
  EXPECT_EQ(flat, std::vector<std::int64_t>(3000, 2999));
}

TEST(PointTables, RefuseWhatHasNoNumbers) {
  const auto code = [](std::string_view text) {
    const auto tables = PointTables::make(test::layout_of_text(text), Coordinates::kFlat);
    return tables ? std::string() : tables.error().code();
  };
  EXPECT_EQ(code("(M,8):(8,1)"), "table.symbolic");
  EXPECT_EQ(code("S[8:1@m] + R[2:4@warpid]"), "recover.copies");
}

}  // namespace
}  // namespace heddle::map
