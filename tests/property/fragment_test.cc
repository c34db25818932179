// Fragments of machines: CuTe, Triton and Axe read in them what they deal out.

#include "heddle/form/fragment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "heddle/axe/fragment.h"
#include "heddle/cute/fragment.h"
#include "heddle/linear/fragment.h"
#include "support/law.h"
#include "support/random.h"

namespace heddle::test {
namespace {

using form::Deal;
using form::Fragment;

using Point = std::vector<std::int64_t>;

constexpr std::array<std::string_view, 3> kPlaces = {"register", "lane", "warp"};
constexpr std::array<std::string_view, 3> kDims = {"block", "row", "col"};

// Operands are deals, as numbers: place, dimension (3 stands for copies), extent and turn, in turn.
// Deals take elements of a dimension in the order of their turns: a later one may come first.
constexpr std::size_t kNumbersOfDeal = 4;

Operands deals_of(Random& random, std::int64_t most_copied, const auto& extent) {
  Operands operands;
  const std::int64_t count = random.between(1, 6);
  for (std::int64_t i = 0; i < count; ++i) {
    operands.numbers.push_back(random.between(0, 2));
    operands.numbers.push_back(random.between(0, most_copied));
    operands.numbers.push_back(extent());
    operands.numbers.push_back(random.between(0, 3) == 0 ? 0 : 1);
  }
  return operands;
}
Operands any_deals(Random& random) {
  return deals_of(random, 3, [&] { return random.between(1, 4); });
}
Operands binary_deals(Random& random) {
  return deals_of(random, 3, [&] { return std::int64_t{1} << random.between(0, 2); });
}

/// How far apart the elements of the deal are: the elements of all that have their turn before it.
std::int64_t step_of(const Operands& o, std::size_t deal) {
  std::int64_t step = 1;
  for (std::size_t i = 0; i < o.numbers.size(); i += kNumbersOfDeal) {
    if (o.numbers[i + 1] != o.numbers[deal + 1]) continue;
    const std::int64_t turn = o.numbers[i + 3] - o.numbers[deal + 3];
    if (turn < 0 || (turn == 0 && i < deal)) step *= o.numbers[i + 2];
  }
  return step;
}

Fragment fragment_of(const Operands& o) {
  std::vector<Deal> deals;
  std::vector<std::int64_t> next(kDims.size() + 1, 1);
  for (std::size_t i = 0; i < o.numbers.size(); i += kNumbersOfDeal) {
    const auto dim = static_cast<std::size_t>(o.numbers[i + 1]);
    const std::int64_t step = step_of(o, i);
    deals.push_back({.place = kPlaces[static_cast<std::size_t>(o.numbers[i])],
                     .dim = dim < kDims.size() ? kDims[dim] : form::kCopies,
                     .extent = o.numbers[i + 2],
                     .step = step == next[dim] ? 0 : step});
    next[dim] *= o.numbers[i + 2];
  }
  return {{kPlaces.begin(), kPlaces.end()}, {kDims.begin(), kDims.end()}, deals};
}

/// By dealing element after element, as the words say it: the places in the order of the deals.
Point dealt(const Operands& o, Point place) {
  Point element(kDims.size());
  for (std::size_t i = 0; i < o.numbers.size(); i += kNumbersOfDeal) {
    std::int64_t& rest = place[static_cast<std::size_t>(o.numbers[i])];
    const std::int64_t digit = rest % o.numbers[i + 2];
    rest /= o.numbers[i + 2];
    const auto dim = static_cast<std::size_t>(o.numbers[i + 1]);
    if (dim == kDims.size()) continue;
    element[dim] += digit * step_of(o, i);
  }
  return element;
}

Point sizes_of(const std::vector<Fragment::Extent>& extents) {
  Point sizes;
  for (const Fragment::Extent& extent : extents) sizes.push_back(extent.size);
  return sizes;
}

std::vector<Int> integers(const Point& point) { return {point.begin(), point.end()}; }

/// Calls `check(place)` for all places until it finds something.
Finding at_all_places(const Fragment& fragment, const auto& check) {
  const Point sizes = sizes_of(fragment.places());
  for (std::int64_t w = 0; w < sizes[2]; ++w) {
    for (std::int64_t l = 0; l < sizes[1]; ++l) {
      for (std::int64_t r = 0; r < sizes[0]; ++r) {
        if (Finding finding = check(Point{r, l, w})) return finding;
      }
    }
  }
  return kHolds;
}

TEST(Fragment, HoldsWhatIsDealtToEachPlace) {
  for_all(any_deals, [](const Operands& o) -> Finding {
    const Fragment fragment = fragment_of(o);
    const form::IndexMap map = form::index_map(fragment);
    return at_all_places(fragment, [&](const Point& place) -> Finding {
      const std::vector<Int> wanted = integers(dealt(o, place));
      if (map(integers(place)) != wanted) return found(to_string(fragment), " at ", place[0]);
      return kHolds;
    });
  });
}

TEST(Fragment, IsTheSameAsALinearLayout) {
  for_all(binary_deals, [](const Operands& o) -> Finding {
    const Fragment fragment = fragment_of(o);
    const auto layout = linear::linear_layout(fragment);
    if (!layout) return found(layout.error());
    return at_all_places(fragment, [&](const Point& place) -> Finding {
      const Point wanted = dealt(o, place);
      const auto images =
          layout->apply({{"register", place[0]}, {"lane", place[1]}, {"warp", place[2]}}).value();
      for (std::size_t dim = 0; dim < kDims.size(); ++dim) {
        if (images[dim].second != wanted[dim]) return found(to_string(fragment), " is not linear");
      }
      return kHolds;
    });
  });
}

TEST(Fragment, IsTheSameAsAThreadValueLayout) {
  for_all(any_deals, [](const Operands& o) -> Finding {
    const Fragment fragment = fragment_of(o);
    const auto layout = cute::thread_value_layout(fragment, {"col", "row", "block"});
    if (!layout) return found(layout.error());
    const Point places = sizes_of(fragment.places());
    const Point dims = sizes_of(fragment.dims());
    return at_all_places(fragment, [&](const Point& place) -> Finding {
      const Point element = dealt(o, place);
      const std::int64_t wanted = element[2] + dims[2] * (element[1] + dims[1] * element[0]);
      const std::int64_t thread = place[1] + places[1] * place[2];
      if ((*layout)(thread, place[0]) != Int(wanted)) return found(*layout, " is not it");
      return kHolds;
    });
  });
}

TEST(Fragment, PutsEachElementWhereAxeFindsIt) {
  for_all(any_deals, [](const Operands& o) -> Finding {
    const Fragment fragment = fragment_of(o);
    const auto layout = axe::axe_layout(fragment);
    if (!layout) return found(layout.error());
    const std::vector<Int> shape = integers(sizes_of(fragment.dims()));
    return at_all_places(fragment, [&](const Point& place) -> Finding {
      const std::vector<Int> element = integers(dealt(o, place));
      const auto places = axe::places(*layout, shape, element);
      if (!places) return found(places.error());
      if (static_cast<std::int64_t>(places->size()) != fragment.copies()) {
        return found(to_string(*layout), " has ", places->size(), " copies");
      }
      const axe::Coordinate wanted = {
          {Axis("m"), place[0]}, {Axis("laneid"), place[1]}, {Axis("wid_in_wg"), place[2]}};
      if (std::ranges::find(*places, wanted) == places->end()) {
        return found(to_string(*layout), " is not at ", to_string(wanted));
      }
      return kHolds;
    });
  });
}

TEST(Fragment, RefusesWhatASystemCannotSay) {
  const Fragment triple({"register"}, {"row"}, {{"register", "row", 3}});
  EXPECT_EQ(linear::linear_layout(triple).error().code(), "fragment.sizes");
  const Fragment half({"lane"}, {"row"}, {{"lane", "row", 2}, {"lane", form::kUnused, 2}});
  EXPECT_EQ(linear::linear_layout(half).error().code(), "fragment.unused");
  EXPECT_EQ(cute::thread_value_layout(half, {"row"}).error().code(), "fragment.unused");
  const Fragment down({"lane"}, {"row"}, {{"lane", "row", 4, true}});
  EXPECT_EQ(linear::linear_layout(down).error().code(), "fragment.descending");
  EXPECT_EQ(cute::thread_value_layout(down, {"row"}).error().code(), "fragment.descending");
  EXPECT_EQ(to_string(axe::axe_layout(down).value()), "S[(4):(-1@laneid)] + 3@laneid");
}

}  // namespace
}  // namespace heddle::test
