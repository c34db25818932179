// What every instruction of every machine holds, in every system that can say it: each layout is
// the fragment's plain evaluation, point by point.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "heddle/axe/fragment.h"
#include "heddle/cute/fragment.h"
#include "heddle/form/instruction.h"
#include "heddle/linear/fragment.h"
#include "heddle/map/convert.h"
#include "heddle/map/fragment.h"
#include "support/random_axe.h"

namespace heddle::test {
namespace {

using form::Fragment;
using Point = std::vector<std::int64_t>;

/// The element at a place, by taking its digits off one after the other; nullopt if it holds
/// nothing.
std::optional<Point> held_at(const Fragment& fragment, Point place) {
  Point element(fragment.dims().size());
  for (std::size_t i = 0; i < place.size(); ++i) {
    for (const Fragment::Mode& mode : fragment.modes_of_place(i)) {
      const std::int64_t digit = place[i] % mode.extent;
      place[i] /= mode.extent;
      if (mode.unused && digit != mode.held) return std::nullopt;
      if (!mode.index) continue;
      element[*mode.index] += mode.stride * (mode.descending ? mode.extent - 1 - digit : digit);
    }
  }
  return element;
}

std::int64_t places_of(const Fragment& fragment) {
  std::int64_t count = 1;
  for (const auto& place : fragment.places()) count *= place.size;
  return count;
}

Point place_number(const Fragment& fragment, std::int64_t number) {
  Point place;
  for (const auto& extent : fragment.places()) {
    place.push_back(number % extent.size);
    number /= extent.size;
  }
  return place;
}

/// The number of an element, the first dimension fastest.
std::int64_t flat_of(const Fragment& fragment, const Point& element) {
  std::int64_t flat = 0;
  std::int64_t weight = 1;
  for (std::size_t i = 0; i < element.size(); ++i) {
    flat += weight * element[i];
    weight *= fragment.dims()[i].size;
  }
  return flat;
}

/// Calls `check(place, element)` for the places, or for some of very many that every digit of the
/// places meets.
void at_places(const Fragment& fragment, std::int64_t most, const auto& check) {
  const std::int64_t count = places_of(fragment);
  const std::int64_t step = count <= most ? 1 : count / most | 1;
  for (std::int64_t number = 0; number < count; number += step) {
    const Point place = place_number(fragment, number);
    if (!check(place, held_at(fragment, place))) return;
  }
}

/// The most places that are tried, and those of fragments that are converted.
constexpr std::int64_t kMostTried = std::int64_t{1} << 10;
constexpr std::int64_t kMostPlaces = std::int64_t{1} << 12;
constexpr std::int64_t kMostConverted = std::int64_t{1} << 8;
constexpr std::int64_t kMostOfRelations = std::int64_t{1} << 5;

/// Compares a function of places with the fragment: its value is the element, by dimension or as
/// one number.
void expect_held(const Fragment& fragment, const map::AnyLayout& layout, std::int64_t most) {
  const auto view = map::view(layout);
  ASSERT_TRUE(view) << view.error();
  at_places(fragment, most, [&](const Point& place, const std::optional<Point>& element) {
    const std::vector<Int> point(place.begin(), place.end());
    const std::vector<Int> value = view->evaluate(point, 0);
    Point wanted = *element;
    if (value.size() == 1 && wanted.size() > 1) wanted = {flat_of(fragment, *element)};
    const bool is_it = value == std::vector<Int>(wanted.begin(), wanted.end());
    EXPECT_TRUE(is_it) << map::to_string(layout) << "\n" << to_string(fragment);
    return is_it;
  });
}

/// A relation has no image where nothing is held.
void expect_related(const Fragment& fragment, const map::IntegerRelation& relation) {
  at_places(
      fragment, kMostOfRelations, [&](const Point& place, const std::optional<Point>& element) {
        const auto images = map::images(relation, std::vector<Int>(place.begin(), place.end()));
        std::vector<std::vector<Int>> wanted;
        if (element) wanted.emplace_back(element->begin(), element->end());
        const bool is_it = images && *images == wanted;
        EXPECT_TRUE(is_it) << relation << "\n" << to_string(fragment);
        return is_it;
      });
}

void expect_thread_values(const Fragment& fragment, const cute::Layout& layout) {
  at_places(fragment, kMostTried, [&](const Point& place, const std::optional<Point>& element) {
    // What is not a thread's own tells threads apart.
    std::array<std::int64_t, 2> numbers{0, 0};
    std::array<std::int64_t, 2> weights{1, 1};
    for (std::size_t i = 0; i < place.size(); ++i) {
      const std::string& name = fragment.places()[i].name;
      const bool is_value =
          name == "register" || name == "shared" || name == "dp" || name == "column";
      numbers[is_value ? 1 : 0] += weights[is_value ? 1 : 0] * place[i];
      weights[is_value ? 1 : 0] *= fragment.places()[i].size;
    }
    const auto [thread, value] = numbers;
    const bool is_it = layout(thread, value) == Int(flat_of(fragment, *element));
    EXPECT_TRUE(is_it) << layout << "\n" << to_string(fragment);
    return is_it;
  });
}

/// Axe goes from the element to all its places.
void expect_places(const Fragment& fragment, const axe::Layout& layout,
                   const std::map<std::string, std::string>& names = {}) {
  std::vector<std::string> axes;
  for (const auto& place : fragment.places()) {
    const auto named = names.find(place.name);
    axes.push_back(named == names.end() ? axe::axis_of(place.name).name() : named->second);
  }
  std::int64_t held = 0;
  // Each element has all its copies.
  const std::int64_t most = std::max<std::int64_t>(kMostTried / fragment.copies(), 64);
  at_places(fragment, most, [&](const Point& place, const std::optional<Point>& element) {
    if (!element) return true;
    ++held;
    PlainPlace wanted;
    for (std::size_t i = 0; i < place.size(); ++i) {
      if (place[i] != 0) wanted[axes[i]] = place[i];
    }
    std::int64_t index = 0;
    for (std::size_t i = 0; i < element->size(); ++i) {
      index = index * fragment.dims()[i].size + (*element)[i];
    }
    const bool is_it = plain_places(layout, index).contains(wanted);
    EXPECT_TRUE(is_it) << to_string(layout) << "\n" << to_string(fragment);
    return is_it;
  });
  EXPECT_GT(held, 0);
  EXPECT_EQ(axe::replication(layout), Int(fragment.copies())) << to_string(fragment);
}

struct Counts {
  int fragments = 0;
  int linear = 0;
  int thread_value = 0;
  int lego = 0;
  int table = 0;
  int owners = 0;
};

void expect_converted(const Fragment& fragment, const map::AnyLayout& layout, Counts& counts) {
  if (places_of(fragment) > kMostPlaces) return;
  const auto table = map::convert(layout, map::System::kTable);
  ASSERT_TRUE(table) << table.error();
  expect_held(fragment, table->layout, kMostTried);
  ++counts.table;
  const auto lego = map::convert(layout, map::System::kLego);
  if (lego) {
    expect_held(fragment, lego->layout, kMostTried);
    ++counts.lego;
  }
  // A bijection is a permutation of a box, which LEGO has, unless it is not said how far its
  // dimensions go.
  const bool is_bijection =
      fragment.copies() == 1 && !fragment.has_unused() && !fragment.has_descending();
  const bool is_linear = std::holds_alternative<linear::LinearLayout>(layout);
  EXPECT_TRUE(lego || !is_bijection || !is_linear) << to_string(fragment);
}

/// Read as who owns what, a linear layout of lanes is a thread-value and an Axe layout too.
void expect_same_owners(const Fragment& fragment, const linear::LinearLayout& layout,
                        Counts& counts) {
  const bool is_of_lanes = std::ranges::all_of(fragment.places(), [](const auto& place) {
    return place.name == "register" || place.name == "lane" || place.name == "warp";
  });
  if (!is_of_lanes || places_of(fragment) > kMostPlaces) return;
  const auto thread_value = map::convert_to<cute::TvLayout>(layout);
  ASSERT_TRUE(thread_value) << thread_value.error();
  expect_thread_values(fragment, thread_value->layout);
  const auto axe = map::convert_to<axe::Layout>(layout);
  ASSERT_TRUE(axe) << axe.error();
  expect_places(fragment, *axe, {{"register", "reg"}, {"warp", "warpid"}});
  ++counts.owners;
}

void expect_all_systems(const Fragment& fragment, Counts& counts) {
  ++counts.fragments;
  const bool is_whole = !fragment.has_unused() && !fragment.has_descending();
  const auto linear = linear::linear_layout(fragment);
  ASSERT_EQ(linear.has_value(), is_whole && fragment.is_binary()) << to_string(fragment);
  std::vector<std::string_view> dims;
  for (const auto& dim : fragment.dims()) dims.push_back(dim.name);
  const auto thread_value = cute::thread_value_layout(fragment, dims);
  ASSERT_EQ(thread_value.has_value(), is_whole) << to_string(fragment);
  const auto axe = axe::axe_layout(fragment);
  ASSERT_TRUE(axe) << axe.error();
  const auto relation = map::relation(fragment);
  ASSERT_TRUE(relation) << relation.error();
  expect_places(fragment, *axe);
  expect_related(fragment, *relation);
  if (thread_value) {
    expect_thread_values(fragment, *thread_value);
    ++counts.thread_value;
  }
  if (linear) {
    expect_held(fragment, *linear, kMostTried);
    ++counts.linear;
    expect_converted(fragment, *linear, counts);
    expect_same_owners(fragment, *linear, counts);
  } else if (!fragment.has_unused() && places_of(fragment) <= kMostConverted) {
    expect_converted(fragment, *relation, counts);
  }
}

TEST(InstructionLaw, EverySystemSaysWhatAPlaceHolds) {
  // Many instructions have the same fragments.
  std::map<std::string, bool> seen;
  Counts counts;
  for (const auto& listing : form::instruction_listings()) {
    const form::Instruction instruction = listing.make();
    for (const auto& operand : instruction.operands) {
      const Fragment& fragment = operand.fragment;
      std::string name = to_string(fragment);
      for (const auto& dim : fragment.dims()) name += " " + dim.name + std::to_string(dim.size);
      if (!seen.try_emplace(std::move(name), true).second) continue;
      expect_all_systems(fragment, counts);
      if (HasFailure()) return;
    }
  }
  EXPECT_GE(counts.fragments, 200);
  EXPECT_GE(counts.linear, 100);
  EXPECT_GE(counts.lego, 50);
  EXPECT_GE(counts.owners, 50);
  RecordProperty("fragments", counts.fragments);
}

}  // namespace
}  // namespace heddle::test
