#pragma once

// There and back again, for the tests of conversions: random layouts of every system, and maps
// compared by their values alone.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/cute/manipulation.h"
#include "heddle/map/convert.h"
#include "map/view/box_function.h"
#include "map/view/shown_digits.h"
#include "support/law.h"
#include "support/random_axe.h"
#include "support/random_lego.h"
#include "support/random_linear.h"

namespace heddle::map::round_trip {

using test::Finding;
using test::for_all_seeds;
using test::found;
using test::kHolds;
using test::kSaysNothing;
using test::Random;
using test::Tally;

// ---- Maps by their values ----

using Place = std::map<std::string, std::int64_t>;  // without zeros

/// dim0 and 0 are one name, and so are m and offset.
inline std::string plain_name(const std::string& name) {
  if (name.starts_with("dim")) return name.substr(3);
  return name == "offset" ? "m" : name;
}

/// How the axes of two sides are matched.
enum class Match : std::uint8_t { kByName, kByPosition, kFlattened };

/// The images of a point: axis by axis, or as one number by the bounds of all axes.
inline std::set<Place> places(const View& view, std::span<const Int> point, Match match) {
  std::set<Place> result;
  for (std::int64_t copy = 0; copy < view.copies.value(); ++copy) {
    const std::vector<Int> image = view.evaluate(point, copy);
    Place place;
    std::int64_t weight = 1;
    for (std::size_t axis = 0; axis < image.size(); ++axis) {
      if (!image[axis].is_constant()) return {};
      const std::string name = plain_name(view.axes[axis].name());
      const std::int64_t there = image[axis].value();
      if (match == Match::kFlattened) {
        place["m"] += there * weight;
        if (view.bounds[axis]) weight *= view.bounds[axis]->value();
      } else if (there != 0) {
        place[match == Match::kByName ? name : std::to_string(axis)] = there;
      }
    }
    result.insert(std::move(place));
  }
  return result;
}

/// The view without axes that are 0 everywhere.
inline View on_used_axes(View view) {
  std::vector<std::size_t> used;
  for (std::size_t axis = 0; axis < view.axes.size(); ++axis) {
    bool is_used = false;
    for (std::int64_t flat = 0; flat < view.size().value(); ++flat) {
      for (std::int64_t copy = 0; copy < view.copies.value(); ++copy) {
        const auto point = point_of(view.extents, view.order, flat);
        is_used = is_used || view.evaluate(point, copy)[axis] != 0;
      }
    }
    if (is_used) used.push_back(axis);
  }
  View result = view;
  result.axes.clear();
  result.bounds.clear();
  for (const std::size_t axis : used) {
    result.axes.push_back(view.axes[axis]);
    result.bounds.push_back(view.bounds[axis]);
  }
  result.evaluate = [used, evaluate = view.evaluate](std::span<const Int> point, const Int& copy) {
    const std::vector<Int> all = evaluate(point, copy);
    std::vector<Int> image;
    for (const std::size_t axis : used) image.push_back(all[axis]);
    return image;
  };
  return result;
}

/// By flat index, each in its own order.
inline Finding differs_by(const View& a, const View& b, Match match) {
  if (a.size() != b.size()) return found("sizes ", a.size(), " and ", b.size());
  for (std::int64_t flat = 0; flat < a.size().value(); ++flat) {
    const auto here = places(a, point_of(a.extents, a.order, flat), match);
    const auto there = places(b, point_of(b.extents, b.order, flat), match);
    if (here.empty() || here != there) return found("at ", flat);
  }
  return kHolds;
}

inline Finding differs(const View& a, const View& b) {
  const Finding by_name = differs_by(a, b, Match::kByName);
  if (!by_name || !differs_by(on_used_axes(a), on_used_axes(b), Match::kByPosition)) return kHolds;
  if (!differs_by(a, b, Match::kFlattened)) return kHolds;
  return by_name;
}

inline View viewed(const AnyLayout& layout) { return view(layout).value(); }

/// The view of a result on its box.
inline View boxed(const Converted& converted) {
  const View whole = viewed(converted.layout);
  return whole.takes_any_shape ? reshaped(whole, converted.shape).value() : whole;
}

inline std::string text_of(const AnyLayout& layout) {
  return std::string(name(system_of(layout))) + " " + to_string(layout);
}

// ---- Random layouts ----

inline cute::Swizzle any_swizzle(Random& random) {
  const int bits = static_cast<int>(random.between(0, 2));
  const int base = static_cast<int>(random.between(0, 2));
  const int shift = static_cast<int>(random.between(bits, 3));
  return cute::Swizzle::make(bits, base, random.chance(20) ? -shift : shift).value();
}

inline AnyLayout any_cute(Random& random) {
  const cute::Layout layout = test::to_layout(random.chance(50) ? test::any_layout(random, 48)
                                                                : test::compact_layout(random, 64));
  if (!layout.is_integral() || random.chance(50)) return layout;
  const Int offset = random.chance(50) ? Int(0) : Int(random.between(0, 9));
  return cute::ComposedLayout::make(any_swizzle(random), offset, layout).value();
}

/// Threads and values that share out a tile, compact or with broadcasts.
inline AnyLayout any_tv(Random& random) {
  const test::Plain whole = test::compact_layout(random, 128);
  std::vector<test::Plain> parts = test::leaves(whole);
  if (parts.size() < 2) parts.push_back(test::plain_leaf(2, 0));
  const auto cut =
      static_cast<std::ptrdiff_t>(random.between(1, static_cast<std::int64_t>(parts.size()) - 1));
  std::vector<test::Plain> threads(parts.begin(), parts.begin() + cut);
  std::vector<test::Plain> values(parts.begin() + cut, parts.end());
  if (random.chance(20)) threads.push_back(test::plain_leaf(2, 0));
  const cute::Layout layout = test::to_layout(test::plain_tuple(
      {test::plain_tuple(std::move(threads)), test::plain_tuple(std::move(values))}));
  const std::int64_t size = cute::cosize(layout).value().value();
  for (const std::int64_t rows : {8, 4, 2, 3}) {
    if (size % rows != 0 || random.chance(30)) continue;
    return cute::TvLayout{layout, cute::to_tiler(IntTuple{rows, size / rows})};
  }
  return cute::TvLayout{layout, cute::to_tiler(size)};
}

inline AnyLayout any_linear_layout(Random& random) {
  if (random.chance(40)) return test::any_linear(random, 6);
  if (random.chance(50)) {
    return test::distributed_linear(random,
                                    test::random_dims(random, {"register", "lane", "warp"}, 6),
                                    test::random_dims(random, {"dim0", "dim1"}, 5));
  }
  return test::invertible_linear(random, test::random_dims(random, {"offset"}, 5),
                                 test::random_dims(random, {"dim0", "dim1"}, 5));
}

inline AnyLayout any_lego_layout(Random& random) {
  return test::to_layout(test::any_lego(random, {.max_size = 24}));
}

inline AnyLayout any_axe_layout(Random& random) {
  return test::any_axe(random, {.max_size = 48, .swizzles = random.chance(30)});
}

inline AnyLayout any_table(Random& random) {
  const std::vector<AnyLayout> sources = {any_cute(random), any_linear_layout(random),
                                          any_lego_layout(random)};
  const auto table = convert(random.one_of(sources), System::kTable);
  if (table && random.chance(90)) return table->layout;
  std::vector<std::int64_t> values;
  for (int i = 0; i < 6; ++i) values.push_back(random.between(0, 9));
  return form::make_table({2, 3}, {Axis::memory()}, values).value();
}

// ---- The law ----

/// What is known of a result without going back: read literally, the values are the same.
inline Finding differs_there(const AnyLayout& layout, const Converted& converted) {
  if (converted.reading != Reading::kLiteral) return kHolds;
  // A relation with several images of a point has no view.
  if (!view(converted.layout)) return kHolds;
  const View there = boxed(converted);
  View here = viewed(layout);
  if (here.takes_any_shape) {
    here = reshaped(here, there.extents).value();
    here.order = there.order;
  }
  if (here.axes.size() != 1 || there.axes.size() != 1) return kHolds;
  const bool is_tv = here.system == System::kCuteTv || there.system == System::kCuteTv;
  if (is_tv && here.system != there.system && here.names != there.names) return kHolds;
  if (here.extents != there.extents) return kHolds;
  here.order = there.order;
  return differs_by(here, there, Match::kByPosition);
}

/// isl may take any number of steps; what it does not answer says nothing, and is counted.
inline constexpr std::string_view kGaveUp = "relation.gave_up";

/// A relation that lists its points, part by part.
inline bool is_table(const AnyLayout& layout) {
  return system_of(layout) == System::kRelation && to_string(layout).find(';') != std::string::npos;
}

/// Conversions that were tried, and how isl's share in them ended.
struct RoundTrips {
  Tally exist;
  int gave_up = 0;
};

/// What is read of the text of a relation, as a user pastes it; everything else as it is, and so
/// what isl found for expressions of a LEGO layout, which isl itself may take minutes to read.
inline AnyLayout read_again(const AnyLayout& layout) {
  if (system_of(layout) != System::kRelation) return layout;
  const std::string text = to_string(layout);
  if (!read_formula(text)) return layout;
  return IntegerRelation::parse(text).value();
}

inline Finding breaks_on_the_way(const AnyLayout& layout, System to, RoundTrips& trips) {
  ConvertOptions options;
  options.limits.steps = 200'000;
  const auto there = convert(layout, to, options);
  if (!there) {
    const std::string& code = there.error().code();
    trips.gave_up += code == kGaveUp ? 1 : 0;
    const bool is_refused = code.starts_with("convert.") || code == "relation.not_affine";
    if (is_refused || code == kGaveUp) return kSaysNothing;
    return found(text_of(layout), " to ", name(to), ": ", there.error());
  }
  trips.exist.count();
  if (const Finding finding = differs_there(layout, *there)) {
    return found(text_of(layout), " is not ", text_of(there->layout), ", ", *finding);
  }
  options.reading = there->reading;
  if (to == System::kAxe) options.shape = there->shape;
  const auto back = convert(read_again(there->layout), system_of(layout), options);
  if (!back) {
    if (back.error().code() == kGaveUp) {
      ++trips.gave_up;
      return kSaysNothing;
    }
    // A table shows no formula: what is no permutation that LEGO knows by name has no way back.
    const bool is_refused = back.error().code().starts_with("convert.");
    if (is_refused && (to == System::kTable || is_table(there->layout))) return kSaysNothing;
    return found(text_of(layout), " to ", text_of(there->layout), ", not back: ", back.error());
  }
  if (const Finding finding = differs(viewed(layout), viewed(back->layout))) {
    return found(text_of(layout), " to ", text_of(there->layout), " and back to ",
                 text_of(back->layout), ", ", *finding);
  }
  return kHolds;
}

/// At least so many percent of the conversions from the system to each other exist. One case of
/// `every` is tried.
inline void expect_round_trips(const std::function<AnyLayout(Random&)>& generate,
                               const std::map<System, double>& percents, int every = 1) {
  // One in a hundred of them may be too much for isl.
  constexpr int kPatience = 100;
  std::map<System, RoundTrips> all;
  for_all_seeds({.one_in = every}, [&](Random& random) -> Finding {
    const AnyLayout layout = generate(random);
    for (const auto& [to, percent] : percents) {
      if (const Finding finding = breaks_on_the_way(layout, to, all[to])) return finding;
    }
    return kHolds;
  });
  for (const auto& [to, percent] : percents) {
    SCOPED_TRACE(name(to));
    all[to].exist.expect_at_least(percent / every);
    EXPECT_LE(all[to].gave_up, test::property_count() / every / kPatience);
  }
}

}  // namespace heddle::map::round_trip
