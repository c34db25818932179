#include "axe/layout/progressions.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

namespace heddle::axe {
namespace {

/// Elements of sets that one search may look at.
constexpr std::int64_t kBudget = std::int64_t{1} << 25;

/// For each point how many points p, p + stride, p + 2*stride, … there are in a row.
std::vector<std::int64_t> runs(const Points& set, std::int64_t stride) {
  std::vector<std::int64_t> result(set.size(), 1);
  std::size_t next = set.size();
  for (std::size_t i = set.size(); i-- > 0;) {
    while (next > 0 && set[next - 1] - set[i] >= stride) --next;
    if (next < set.size() && set[next] - set[i] == stride) result[i] += result[next];
  }
  return result;
}

/// Looks for progressions within `allowed` whose sum U has U + known = target.
class Search {
 public:
  Search(const Points& target, const Points& allowed, const Axis& axis)
      : target_(target), allowed_(allowed), axis_(axis) {}

  /// `sum` is what the progressions chosen so far make, `covered` that plus known.
  bool extend(const Points& sum, const Points& covered, std::int64_t last_stride) {
    if (covered.size() == target_.size()) return true;
    // A stride still to come leads to the first point missing, so it is no longer than that.
    const std::int64_t missing = *std::ranges::mismatch(target_, covered).in1;
    auto end = std::ranges::upper_bound(allowed_, missing);
    while (end != allowed_.begin()) {
      const std::int64_t stride = *--end;
      if (stride <= last_stride) break;
      if (try_stride(sum, covered, stride)) return true;
      if (is_out_of_steps()) return false;
    }
    return false;
  }

  [[nodiscard]] bool is_out_of_steps() const { return budget_ < 0; }
  [[nodiscard]] std::vector<Iter> found() && { return std::move(found_); }

 private:
  bool try_stride(const Points& sum, const Points& covered, std::int64_t stride) {
    budget_ -= static_cast<std::int64_t>(allowed_.size());
    for (std::int64_t extent = longest(sum, stride); extent >= 2; --extent) {
      budget_ -= static_cast<std::int64_t>(covered.size());
      if (is_out_of_steps()) return false;
      found_.push_back({extent, stride, axis_});
      if (extend(dilated(sum, extent, stride), dilated(covered, extent, stride), stride)) {
        return true;
      }
      found_.pop_back();
    }
    return false;
  }

  /// The most copies of `sum` that stay allowed.
  [[nodiscard]] std::int64_t longest(const Points& sum, std::int64_t stride) const {
    const std::vector<std::int64_t> lengths = runs(allowed_, stride);
    std::int64_t result = std::numeric_limits<std::int64_t>::max();
    auto at = allowed_.begin();
    for (const std::int64_t point : sum) {
      at = std::lower_bound(at, allowed_.end(), point);
      result = std::min(result, lengths[static_cast<std::size_t>(at - allowed_.begin())]);
    }
    return result;
  }

  const Points& target_;
  const Points& allowed_;
  const Axis& axis_;
  std::int64_t budget_ = kBudget;
  std::vector<Iter> found_;
};

}  // namespace

Points eroded(const Points& set, std::int64_t extent, std::int64_t stride) {
  const std::vector<std::int64_t> lengths = runs(set, stride);
  Points result;
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (lengths[i] >= extent) result.push_back(set[i]);
  }
  return result;
}

Points dilated(const Points& set, std::int64_t extent, std::int64_t stride) {
  Points result = set;
  for (std::int64_t copies = 1; copies < extent;) {
    const std::int64_t more = std::min(copies, extent - copies);
    Points moved = result;
    for (std::int64_t& point : moved) point += more * stride;
    Points both;
    both.reserve(result.size() + moved.size());
    std::ranges::set_union(result, moved, std::back_inserter(both));
    result = std::move(both);
    copies += more;
  }
  return result;
}

Progressions progressions(const Points& points, const Axis& axis) {
  return progressions(points, {0}, points, axis);
}

Progressions progressions(const Points& target, const Points& known, const Points& allowed,
                          const Axis& axis) {
  Search search(target, allowed, axis);
  if (search.extend({0}, known, 0))
    return {.is_complete = true, .iters = std::move(search).found()};
  return {.is_complete = !search.is_out_of_steps(), .iters = std::nullopt};
}

}  // namespace heddle::axe
