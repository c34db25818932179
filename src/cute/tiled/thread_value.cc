#include "heddle/cute/thread_value.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "core/text.h"
#include "cute/layout/format.h"
#include "cute/layout/modes.h"
#include "cute/tiled/tiled_part.h"
#include "expr/assume_needed.h"
#include "heddle/cute/composition.h"
#include "heddle/cute/int_tuple.h"
#include "heddle/cute/inverse.h"
#include "heddle/cute/manipulation.h"
#include "heddle/cute/product.h"

namespace heddle::cute {
namespace {

constexpr std::int64_t kMaxCoordinates = std::int64_t{1} << 20;

/// The tiler as a shape if it has only sizes.
std::optional<IntTuple> sizes_of(const Tiler& tiler) {
  const bool all_sizes =
      std::ranges::all_of(tiler.leaves(), [](const Tile& tile) { return tile.size() != nullptr; });
  if (!all_sizes) return std::nullopt;
  return transform_leaves(tiler, [](const Tile& tile) { return *tile.size(); });
}

/// Threads and values as numbers; the size has been checked.
struct Counts {
  std::int64_t threads;
  std::int64_t values;
};

Refusal refuse_symbolic(std::string message, std::span<const Int> numbers) {
  return refuse(Diagnostic("table.symbolic", std::move(message)).with_hint(value_hint(numbers)));
}

Result<void> check_rank(const Layout& tv) {
  if (tv.rank() == 2) return {};
  return refuse(
      diagnose("tv.rank", "{} is not a thread-value layout: it has {} mode{}, not two",
               to_string(tv), tv.rank(), tv.rank() == 1 ? "" : "s")
          .with_hint("its modes are the threads and the values: ((4,8),(2,2)):((32,1),(16,8))"));
}

Result<Counts> counts_of(const Layout& tv) {
  HEDDLE_CHECK(check_rank(tv));
  if (!tv.is_integral()) {
    return refuse("layout.not_integral",
                  "the thread-value layout {} has strides in several axes; elements are numbered "
                  "along the tile",
                  to_string(tv));
  }
  if (!is_constant(tv)) {
    return refuse_symbolic(
        fmt::format("the threads and values of {} cannot be listed: its sizes are not numbers",
                    to_string(tv)),
        integers(tv));
  }
  if (!known_at_most(tv.size(), kMaxCoordinates)) {
    return refuse("tv.too_large", "{} has {} threads times values; at most {} are listed",
                  to_string(tv), tv.size(), kMaxCoordinates);
  }
  return Counts{tv.mode(0).size().value(), tv.mode(1).size().value()};
}

/// Calls `visit(thread, value, element)`, values slowest, until it returns false.
template <class Visit>
void for_each_value(const Layout& tv, const Counts& counts, Visit visit) {
  const Layout threads = coalesce(tv.mode(0));
  const Layout values = coalesce(tv.mode(1));
  for (std::int64_t value = 0; value < counts.values; ++value) {
    const Int first = values(value);
    for (std::int64_t thread = 0; thread < counts.threads; ++thread) {
      if (!visit(thread, value, first + threads(thread))) return;
    }
  }
}

IntTuple place(std::int64_t thread, std::int64_t value) { return IntTuple{thread, value}; }

/// How often each element of the tile is held, or the first coordinate that maps outside the tile.
struct Census {
  std::vector<std::int64_t> holders;
  std::optional<Witness> outside;
};

Result<Census> census(const Layout& tv, const Int& tile_size) {
  HEDDLE_TRY(const Counts counts, counts_of(tv));
  if (!tile_size.is_constant()) {
    return refuse_symbolic(
        fmt::format("the elements of a tile of {} cannot be listed: that is not a number",
                    tile_size),
        {&tile_size, 1});
  }
  if (!known_less(0, tile_size) || !known_at_most(tile_size, kMaxCoordinates)) {
    return refuse("tv.too_large", "a tile of {}; 1 to {} are listed", counted(tile_size, "element"),
                  kMaxCoordinates);
  }
  Census result;
  result.holders.assign(static_cast<std::size_t>(tile_size.value()), 0);
  for_each_value(tv, counts, [&](std::int64_t thread, std::int64_t value, const Int& element) {
    if (known_less(element, 0) || known_at_most(tile_size, element)) {
      result.outside = Witness{fmt::format("{}", place(thread, value)), to_string(element),
                               fmt::format("below {}", tile_size), "the tile"};
      return false;
    }
    ++result.holders[static_cast<std::size_t>(element.value())];
    return true;
  });
  return result;
}

/// Checks that the layout numbers its coordinates 0, 1, 2, … without gaps.
Result<void> check_numbering(std::string_view what, const Layout& layout) {
  HEDDLE_TRY(const Layout inverse, right_inverse(layout));
  if (known_equal(inverse.size(), layout.size())) return {};
  return refuse(
      diagnose("tv.not_bijective",
               "make_layout_tv: the {} {} are not numbered from 0 on without gaps", what, layout)
          .with_note(fmt::format("of {} numbers only those below {} are reached in order",
                                 layout.size(), inverse.size()))
          .with_hint("the layout gives each coordinate its number, by strides that leave out none, "
                     "such as (4,8):(8,1)"));
}

std::string times(std::int64_t count) {
  return count == 1 ? "once" : fmt::format("{} times", count);
}

}  // namespace

IntTuple tile_shape(const TvLayout& tv) { return product_each(tile_modes(tv.tiler.view())); }

std::string to_string(const TvLayout& tv) {
  const auto sizes = sizes_of(tv.tiler);
  return fmt::format("{} tile {}", tv.layout,
                     sizes ? fmt::format("{}", *sizes) : to_string(tv.tiler));
}

Result<TvLayout> on_tile(const Layout& layout, const Tiler& tiler) {
  HEDDLE_CHECK(check_rank(layout));
  TvLayout tv{layout, tiler};
  const IntTuple shape = tile_shape(tv);
  for (const Int& size : shape.leaves()) {
    if (!size.is_constant() || size.value() > 0) continue;
    return refuse(diagnose("layout.extent", "the size {} of a tile is not positive", size)
                      .with_hint("a tile has at least one element"));
  }
  return tv;
}

Result<TvLayout> make_layout_tv(const Layout& threads, const Layout& values) {
  HEDDLE_CHECK(check_numbering("threads", threads));
  HEDDLE_TRY(const Layout elements, raked_product(threads, values));
  HEDDLE_TRY(const Layout inverse, right_inverse(elements));
  if (!known_equal(inverse.size(), elements.size()))
    HEDDLE_CHECK(check_numbering("values", values));
  HEDDLE_TRY(Layout layout, with_shape(inverse, IntTuple{threads.size(), values.size()}));
  return TvLayout{std::move(layout), to_tiler(product_each(elements.shape()))};
}

Result<std::vector<IntTuple>> owners(const Layout& tv, const Int& element) {
  HEDDLE_TRY(const Counts counts, counts_of(tv));
  if (!element.is_constant()) {
    return refuse_symbolic(
        fmt::format("who holds element {} cannot be listed: it is not a number", element),
        {&element, 1});
  }
  std::vector<IntTuple> found;
  for_each_value(tv, counts, [&](std::int64_t thread, std::int64_t value, const Int& held) {
    if (known_equal(held, element)) found.push_back(place(thread, value));
    return true;
  });
  return found;
}

Result<std::vector<IntTuple>> owners(const Layout& tv, const IntTuple& coordinate,
                                     const IntTuple& tile) {
  const auto is_constant = [](const Int& index) { return index.is_constant(); };
  if (!std::ranges::all_of(coordinate.leaves(), is_constant)) {
    return refuse_symbolic(
        fmt::format("who holds element {} cannot be listed: it has no place", coordinate),
        coordinate.leaves());
  }
  HEDDLE_TRY(const IntTuple extents, product_like(tile, coordinate.profile()));
  for (std::size_t i = 0; i < extents.leaves().size(); ++i) {
    HEDDLE_TRY(const bool is_within, lies_within(coordinate.leaves()[i], extents.leaves()[i], [&] {
                 return fmt::format("the coordinate {} in a tile of {}", coordinate, tile);
               }));
    if (is_within) continue;
    return refuse("partition.coordinate", "the coordinate {} is not in a tile of {}", coordinate,
                  tile);
  }
  HEDDLE_TRY(const Int element, crd2idx(coordinate, tile));
  return owners(tv, element);
}

Result<Verdict> covers(const Layout& tv, const Int& tile_size) {
  HEDDLE_TRY(const Census counted, census(tv, tile_size));
  if (counted.outside) {
    return Verdict::no(fmt::format("it leaves the {} elements of the tile", tile_size),
                       counted.outside);
  }
  const std::int64_t first = counted.holders.front();
  const auto other = std::ranges::find_if(
      counted.holders, [&](std::int64_t count) { return count == 0 || count != first; });
  if (other == counted.holders.end()) {
    return Verdict::yes(fmt::format("each of the {} elements is held {}", tile_size, times(first)));
  }
  const auto element = other - counted.holders.begin();
  return Verdict::no(element == 0 || *other == 0
                         ? fmt::format("element {} is not held by any thread", element)
                         : fmt::format("element 0 is held {}, element {} {}", times(first), element,
                                       times(*other)));
}

}  // namespace heddle::cute
