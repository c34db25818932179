// Laws of tuples without modes: as a mode they have one element, so a layout means and does the
// same with them as without.

#include <gtest/gtest.h>

#include <vector>

#include "heddle/cute/algebra.h"
#include "support/contract.h"
#include "support/law.h"

namespace heddle::test {
namespace {

using cute::Layout;

Layout layout_without_modes() { return cute::make_layout(std::vector<Layout>()).value(); }

/// The layout with `():()` as further modes of the tuples in it.
Layout widened_by_empty_modes(Random& random, const Layout& layout) {
  if (layout.profile().is_leaf()) return layout;
  std::vector<Layout> modes;
  for (const Layout& mode : layout.modes()) {
    if (random.chance(30)) modes.push_back(layout_without_modes());
    modes.push_back(widened_by_empty_modes(random, mode));
  }
  if (random.chance(30)) modes.push_back(layout_without_modes());
  return cute::make_layout(modes).value();
}

/// A layout, and the same one with modes that have none.
struct LayoutTwice {
  Layout plain;
  Layout wide;
};

LayoutTwice layout_twice(Random& random) {
  if (random.chance(5)) return {Layout(), layout_without_modes()};
  Layout plain = to_layout(any_layout(random));
  if (plain.profile().is_leaf()) plain = cute::make_layout({plain}).value();
  Layout wide = widened_by_empty_modes(random, plain);
  return {std::move(plain), std::move(wide)};
}

/// Whether both are refused, or have one table.
Finding same_tables(const Result<Layout>& got, const Result<Layout>& wanted) {
  if (got.has_value() != wanted.has_value()) {
    return found(got ? to_string(*got) : got.error().message(), " and ",
                 wanted ? to_string(*wanted) : wanted.error().message());
  }
  return got ? differs(table_of(*got), table_of(*wanted)) : Finding(kSaysNothing);
}

TEST(EmptyTuple, ChangesNoValue) {
  for_all_seeds([](Random& random) {
    const auto [plain, wide] = layout_twice(random);
    return differs(table_of(wide), table_of(plain));
  });
}

TEST(EmptyTuple, IsGoneFromShortestForms) {
  for_all_seeds([](Random& random) -> Finding {
    const auto [plain, wide] = layout_twice(random);
    if (cute::coalesce(wide) != cute::coalesce(plain)) return found("coalesce(", wide, ")");
    if (cute::filter(wide) != cute::filter(plain)) return found("filter(", wide, ")");
    if (cute::right_inverse(wide) != cute::right_inverse(plain)) return found("inverse of ", wide);
    const auto left = cute::left_inverse(wide);
    const auto wanted = cute::left_inverse(plain);
    if (left.has_value() != wanted.has_value() || (left && *left != *wanted)) {
      return found("left inverse of ", wide);
    }
    return kHolds;
  });
}

TEST(EmptyTuple, DividesAndRepeatsAsWithoutIt) {
  for_all_seeds([](Random& random) -> Finding {
    const auto [plain, wide] = layout_twice(random);
    const auto [tile, wide_tile] = layout_twice(random);
    for (const auto operation :
         {+[](const Layout& a, const Layout& b) { return cute::composition(a, b); },
          +[](const Layout& a, const Layout& b) { return cute::logical_divide(a, b); },
          +[](const Layout& a, const Layout& b) { return cute::logical_product(a, b); }}) {
      const Result<Layout> wanted = operation(plain, tile);
      if (auto wrong = same_tables(operation(wide, tile), wanted)) return wrong;
      if (auto wrong = same_tables(operation(plain, wide_tile), wanted)) return wrong;
      if (auto wrong = same_tables(operation(wide, wide_tile), wanted)) return wrong;
    }
    return kHolds;
  });
}

TEST(EmptyTuple, LeavesTheSameComplement) {
  for_all_seeds([](Random& random) -> Finding {
    const auto [plain, wide] = layout_twice(random);
    const IntTuple target(Int(random.between(1, 200)));
    return same_tables(cute::complement(wide, target), cute::complement(plain, target));
  });
}

}  // namespace
}  // namespace heddle::test
