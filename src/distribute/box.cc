#include "heddle/distribute/box.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace heddle::distribute {
namespace {

/// Joins the boxes that touch along a dimension and are equal in all others.
std::vector<Box> merged_along(std::size_t dim, std::vector<Box> boxes) {
  const auto without = [&](Box box) {
    box[dim] = {};
    return box;
  };
  std::ranges::sort(boxes, [&](const Box& a, const Box& b) {
    return std::pair(without(a), a[dim]) < std::pair(without(b), b[dim]);
  });
  std::vector<Box> joined;
  for (Box& box : boxes) {
    const bool touches = !joined.empty() && joined.back()[dim].end == box[dim].begin &&
                         without(joined.back()) == without(box);
    if (touches) {
      joined.back()[dim].end = box[dim].end;
    } else {
      joined.push_back(std::move(box));
    }
  }
  return joined;
}

}  // namespace

std::int64_t volume(const Box& box) {
  std::int64_t elements = 1;
  for (const Extent& extent : box) elements *= std::max<std::int64_t>(extent.end - extent.begin, 0);
  return elements;
}

std::vector<std::int64_t> extents_of(const Box& box) {
  std::vector<std::int64_t> extents;
  for (const Extent& extent : box) extents.push_back(extent.end - extent.begin);
  return extents;
}

std::optional<Box> intersection(const Box& a, const Box& b) {
  Box common;
  common.reserve(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Extent extent{std::max(a[i].begin, b[i].begin), std::min(a[i].end, b[i].end)};
    if (extent.begin >= extent.end) return std::nullopt;
    common.push_back(extent);
  }
  return common;
}

bool meet(const Box& a, const Box& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::max(a[i].begin, b[i].begin) >= std::min(a[i].end, b[i].end)) return false;
  }
  return true;
}

bool contains(const Box& outer, const Box& inner) {
  for (std::size_t i = 0; i < outer.size(); ++i) {
    if (inner[i].begin < outer[i].begin || inner[i].end > outer[i].end) return false;
  }
  return true;
}

std::vector<Box> difference(const Box& a, const Box& b) {
  const std::optional<Box> common = intersection(a, b);
  if (!common) return {a};
  std::vector<Box> rest;
  Box left = a;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (const Extent side :
         {Extent{left[i].begin, (*common)[i].begin}, Extent{(*common)[i].end, left[i].end}}) {
      if (side.begin >= side.end) continue;
      rest.push_back(left);
      rest.back()[i] = side;
    }
    left[i] = (*common)[i];
  }
  return rest;
}

std::vector<Box> difference(std::vector<Box> boxes, std::span<const Box> others) {
  for (const Box& other : others) {
    std::vector<Box> rest;
    for (const Box& box : boxes)
      std::ranges::move(difference(box, other), std::back_inserter(rest));
    boxes = std::move(rest);
  }
  return boxes;
}

std::vector<Box> merged(std::vector<Box> boxes) {
  for (bool merges = true; merges;) {
    merges = false;
    const std::size_t rank = boxes.empty() ? 0 : boxes.front().size();
    for (std::size_t dim = rank; dim-- > 0;) {
      const std::size_t before = boxes.size();
      boxes = merged_along(dim, std::move(boxes));
      merges = merges || boxes.size() < before;
    }
  }
  std::ranges::sort(boxes);
  return boxes;
}

std::vector<axe::Interval> region(const Box& box) {
  std::vector<axe::Interval> intervals;
  for (const Extent& extent : box) intervals.push_back({extent.begin, extent.end});
  return intervals;
}

std::string to_string(const Box& box) {
  if (box.empty()) return "the element";
  std::vector<std::string> texts;
  for (const Extent& extent : box)
    texts.push_back(fmt::format("[{},{})", extent.begin, extent.end));
  return fmt::format("{}", fmt::join(texts, " x "));
}

}  // namespace heddle::distribute
