#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "axe/layout/iters.h"
#include "heddle/axe/group.h"

namespace heddle::axe {
namespace {

using Shape = std::vector<Int>;

/// The next extent of a shape, of which the fast end is used up, is a unit.
bool at_unit(const Shape& rest) { return !rest.empty() && rest.back() == Int(1); }

/// The units at this boundary go into `common`, as many as either shape has.
void take_units(Shape& a, Shape& b, Shape& common) {
  while (at_unit(a) || at_unit(b)) {
    common.emplace_back(1);
    if (at_unit(a)) a.pop_back();
    if (at_unit(b)) b.pop_back();
  }
}

/// The coarsest shape of which both are products of neighbours, for shapes of one size.
Result<Shape> common_shape(const Shape& a, const Shape& b, const std::string& call) {
  Shape left = a;
  Shape right = b;
  Shape common;  // fastest first
  take_units(left, right, common);
  while (!left.empty() && !right.empty()) {
    HEDDLE_TRY(const bool aligned, either_divides(left.back(), right.back(), [&] { return call; }));
    if (!aligned) {
      return refuse(Diagnostic("axe.no_grouping",
                               fmt::format("{}: the shapes {} and {} cut across each other", call,
                                           tuple_text(a), tuple_text(b)))
                        .with_note(fmt::format("of {} and {} neither divides the other",
                                               to_string(left.back()), to_string(right.back()))));
    }
    const Int part = known_divides(left.back(), right.back()) ? left.back() : right.back();
    common.push_back(part);
    for (Shape* side : {&left, &right}) {
      if (known_equal(side->back(), part)) {
        side->pop_back();
      } else {
        side->back() = floor_div(side->back(), part);
      }
    }
    // What is left of a split extent is no unit of the shape.
    take_units(left, right, common);
  }
  std::ranges::reverse(common);
  return common;
}

/// For each extent of `shape` the number of the common shape's extents that make it up, fastest
/// first.
std::vector<std::size_t> parts(const Shape& shape, const Shape& common) {
  std::vector<std::size_t> counts;
  std::size_t next = common.size();
  for (std::size_t i = shape.size(); i-- > 0;) {
    const std::size_t before = next;
    Int product = 1;
    while (next > 0 && (next == before || !known_equal(product, shape[i]))) {
      product *= common[--next];
    }
    counts.push_back(before - next);
  }
  if (!counts.empty()) counts.back() += next;
  return counts;
}

std::vector<std::size_t> separators(const Shape& shape, const Shape& common,
                                    const Grouping& grouping) {
  std::vector<std::size_t> result = {grouping.seps.back()};
  std::size_t block = common.size();
  for (const std::size_t count : parts(shape, common)) {
    block -= count;
    result.push_back(grouping.seps[block]);
  }
  std::ranges::reverse(result);
  return result;
}

}  // namespace

Result<CommonGrouping> group_many(const Layout& layout, std::span<const Shape> shapes) {
  std::vector<std::string> texts;
  for (const Shape& shape : shapes) {
    HEDDLE_CHECK(check_admits(layout, shape, "group_many"));
    texts.push_back(tuple_text(shape));
  }
  const std::string call = fmt::format("group_many({}, {})", to_string(layout),
                                       fmt::format("{}", fmt::join(texts, ", ")));
  Shape common = {size(layout)};
  if (!shapes.empty()) common = shapes.front();
  for (const Shape& shape : shapes) {
    HEDDLE_TRY(common, common_shape(common, shape, call));
  }
  HEDDLE_TRY(Grouping grouping, group(layout, common));
  CommonGrouping result;
  for (const Shape& shape : shapes) {
    result.seps.push_back(separators(shape, common, grouping));
  }
  result.layout = std::move(grouping.layout);
  return result;
}

}  // namespace heddle::axe
