// What every instruction of every machine holds, in every system that can say it: each layout is
// the fragment's plain evaluation, point by point.

#include <gtest/gtest.h>

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

constexpr std::int64_t kMostPlaces = std::int64_t{1} << 16;
constexpr std::int64_t kMostOfRelations = std::int64_t{1} << 9;

/// Compares a function of places with the fragment: its value is the element, by dimension or as
/// one number.
void expect_held(const Fragment& fragment, const map::AnyLayout& layout, std::int64_t most) {
  const auto view = map::view(layout);
  ASSERT_TRUE(view) << view.error();
  at_places(fragment, most, [&](const Point& place, const std::optional<Point>& element) {
    const std::vector<Int> point(place.begin(), place.end());
    const std::vector<Int> value = view->evaluate(point, 0);
    const bool is_held = !value.empty() && value.front().is_defined();
    EXPECT_EQ(is_held, element.has_value()) << to_string(fragment);
    if (!element || !is_held) return is_held == element.has_value();
    Point wanted = *element;
    if (value.size() == 1 && wanted.size() > 1) wanted = {flat_of(fragment, *element)};
    const bool is_it = value == std::vector<Int>(wanted.begin(), wanted.end());
    EXPECT_TRUE(is_it) << map::to_string(layout) << "\n" << to_string(fragment);
    return is_it;
  });
}

void expect_thread_values(const Fragment& fragment, const cute::Layout& layout) {
  at_places(fragment, kMostPlaces, [&](const Point& place, const std::optional<Point>& element) {
    std::int64_t thread = 0;
    std::int64_t weight = 1;
    std::int64_t value = 0;
    for (std::size_t i = 0; i < place.size(); ++i) {
      if (fragment.places()[i].name == "register") {
        value = place[i];
      } else {
        thread += weight * place[i];
        weight *= fragment.places()[i].size;
      }
    }
    const bool is_it = layout(thread, value) == Int(flat_of(fragment, *element));
    EXPECT_TRUE(is_it) << layout << "\n" << to_string(fragment);
    return is_it;
  });
}

/// Axe goes from the element to all its places.
void expect_places(const Fragment& fragment, const axe::Layout& layout) {
  std::vector<std::string> axes;
  for (const auto& place : fragment.places()) axes.push_back(axe::axis_of(place.name).name());
  std::int64_t held = 0;
  at_places(fragment, kMostPlaces, [&](const Point& place, const std::optional<Point>& element) {
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
};

void expect_converted(const Fragment& fragment, const map::AnyLayout& layout, Counts& counts) {
  constexpr std::int64_t kMostInTables = std::int64_t{1} << 13;
  if (places_of(fragment) <= kMostInTables) {
    const auto table = map::convert(layout, map::System::kTable);
    ASSERT_TRUE(table) << table.error();
    expect_held(fragment, table->layout, kMostInTables);
    ++counts.table;
  }
  const auto lego = map::convert(layout, map::System::kLego);
  if (lego) {
    expect_held(fragment, lego->layout, kMostPlaces);
    ++counts.lego;
  }
  // LEGO's layouts are the bijections, which say how far their dimensions go.
  const bool is_bijection =
      fragment.copies() == 1 && !fragment.has_unused() && !fragment.has_descending();
  const bool is_linear = std::holds_alternative<linear::LinearLayout>(layout);
  if (is_linear) {
    EXPECT_EQ(lego.has_value(), is_bijection) << to_string(fragment);
  }
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
  expect_held(fragment, *relation, kMostOfRelations);
  if (thread_value) {
    expect_thread_values(fragment, *thread_value);
    ++counts.thread_value;
  }
  if (linear) {
    expect_held(fragment, *linear, kMostPlaces);
    ++counts.linear;
    expect_converted(fragment, *linear, counts);
  } else {
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
  RecordProperty("fragments", counts.fragments);
}

}  // namespace
}  // namespace heddle::test
