// Fragments that linear layouts cannot say, with runs of any length, runs from the last element on
// and places that hold nothing: as relations and as Axe layouts.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "heddle/axe/fragment.h"
#include "heddle/map/any_layout.h"
#include "heddle/map/fragment.h"
#include "support/law.h"
#include "support/random.h"

namespace heddle::test {
namespace {

/// Operands are deals: place, dimension (2 stands for unused places), extent, and whether it
/// descends or which place is held.
Operands deals_of_any_kind(Random& random) {
  Operands operands;
  const std::int64_t count = random.between(1, 4);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t extent = random.between(1, 4);
    const std::int64_t dim = random.between(0, 2);
    const std::int64_t choice = random.between(0, dim == 2 ? extent - 1 : 1);
    for (const std::int64_t number : {random.between(0, 1), dim, extent, choice}) {
      operands.numbers.push_back(number);
    }
  }
  return operands;
}

form::Fragment fragment_of_any_kind(const Operands& o) {
  std::vector<form::Deal> deals;
  for (std::size_t i = 0; i < o.numbers.size(); i += 4) {
    const std::string_view place = o.numbers[i] == 0 ? "element" : "vector";
    const std::int64_t extent = o.numbers[i + 2];
    const std::int64_t choice = o.numbers[i + 3];
    if (o.numbers[i + 1] == 2) {
      deals.push_back({place, form::kUnused, extent, false, choice});
    } else {
      deals.push_back({place, o.numbers[i + 1] == 0 ? "row" : "col", extent, choice == 1});
    }
  }
  return {{"element", "vector"}, {"row", "col"}, deals};
}

/// What a place holds, by dealing as the words say it; none if it holds nothing.
std::optional<std::vector<std::int64_t>> held_at(const Operands& o,
                                                 std::vector<std::int64_t> place) {
  std::vector<std::int64_t> element = {0, 0};
  std::vector<std::int64_t> weight = {1, 1};
  for (std::size_t i = 0; i < o.numbers.size(); i += 4) {
    const std::int64_t extent = o.numbers[i + 2];
    std::int64_t& rest = place[static_cast<std::size_t>(o.numbers[i])];
    const std::int64_t digit = rest % extent;
    rest /= extent;
    const auto dim = static_cast<std::size_t>(o.numbers[i + 1]);
    if (dim == 2) {
      if (digit != o.numbers[i + 3]) return std::nullopt;
      continue;
    }
    element[dim] += weight[dim] * (o.numbers[i + 3] == 1 ? extent - 1 - digit : digit);
    weight[dim] *= extent;
  }
  return element;
}

TEST(FragmentAsRelation, MapsEachPlaceToWhatItHolds) {
  for_all(deals_of_any_kind, [](const Operands& o) -> Finding {
    const form::Fragment fragment = fragment_of_any_kind(o);
    const auto relation = map::relation(fragment);
    if (!relation) return found(to_string(fragment), " is refused: ", relation.error().to_string());
    for (std::int64_t v = 0; v < fragment.places()[1].size; ++v) {
      for (std::int64_t e = 0; e < fragment.places()[0].size; ++e) {
        const auto images = map::images(*relation, std::vector<Int>{e, v}).value();
        const auto wanted = held_at(o, {e, v});
        if (images.empty() != !wanted) return found(to_string(fragment), " holds at ", e, v);
        if (!wanted) continue;
        if (images.front() != std::vector<Int>(wanted->begin(), wanted->end())) {
          return found(to_string(fragment), " at ", e, v);
        }
      }
    }
    return kHolds;
  });
}

TEST(FragmentAsAxeLayout, PlacesEachElementWhereItIsHeld) {
  for_all(deals_of_any_kind, [](const Operands& o) -> Finding {
    const form::Fragment fragment = fragment_of_any_kind(o);
    const map::View view = map::view(axe::axe_layout(fragment).value()).value();
    const std::int64_t columns = fragment.dims()[1].size;
    const map::View matrix =
        map::reshaped(view, std::vector<Int>{fragment.dims()[0].size, columns}).value();
    for (std::int64_t v = 0; v < fragment.places()[1].size; ++v) {
      for (std::int64_t e = 0; e < fragment.places()[0].size; ++e) {
        const auto element = held_at(o, {e, v});
        if (!element) continue;
        const auto places =
            map::images(matrix, std::vector<Int>(element->begin(), element->end())).value();
        for (std::size_t axis = 0; axis < matrix.axes.size(); ++axis) {
          // A layout without iters has one of extent 1, in memory.
          const std::string& name = matrix.axes[axis].name();
          const Int wanted = name == "vector" ? v : name == "element" ? e : 0;
          if (places.front()[axis] != wanted) return found(to_string(fragment), " at ", e, v);
        }
      }
    }
    return kHolds;
  });
}

}  // namespace
}  // namespace heddle::test
