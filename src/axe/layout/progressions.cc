#include "axe/layout/progressions.h"

#include <algorithm>

namespace heddle::axe {
namespace {

constexpr std::int64_t kMaxWork = std::int64_t{1} << 22;

using Points = std::vector<std::int64_t>;

/// Adds one progression after another, strides ascending, as long as no sum leaves the set. The
/// least number that is not reached yet needs a stride that is no greater.
class Search {
 public:
  Search(std::span<const std::int64_t> points, const Axis& axis) : points_(points), axis_(axis) {}

  [[nodiscard]] bool extend(const Points& reached, std::int64_t last_stride) {
    if (reached.size() == points_.size()) return true;
    const auto missing = std::ranges::mismatch(points_, reached).in1;
    const auto first = std::ranges::lower_bound(points_, std::max<std::int64_t>(last_stride, 1));
    for (auto stride = first; stride <= missing; ++stride) {
      if (continue_with(reached, *stride)) return true;
      if (!within_bounds()) return false;
    }
    return false;
  }

  [[nodiscard]] bool within_bounds() const { return work_ < kMaxWork; }
  [[nodiscard]] const std::vector<Iter>& iters() const { return iters_; }

 private:
  /// The longest progression first: most often it is the one.
  [[nodiscard]] bool continue_with(const Points& reached, std::int64_t stride) {
    for (std::int64_t extent = longest(reached, stride); extent > 1; --extent) {
      const Points sum = with_progression(reached, stride, extent);
      if (!within_bounds()) return false;
      if (sum.size() == reached.size()) continue;
      iters_.push_back({extent, stride, axis_});
      if (extend(sum, stride)) return true;
      iters_.pop_back();
    }
    return false;
  }

  /// The greatest extent whose sums are all in the set.
  [[nodiscard]] std::int64_t longest(const Points& reached, std::int64_t stride) {
    for (std::int64_t extent = 1;; ++extent) {
      const std::int64_t step = stride * extent;
      if (step > points_.back() - reached.back()) return extent;
      work_ += static_cast<std::int64_t>(reached.size());
      const auto is_point = [&](std::int64_t point) {
        return std::ranges::binary_search(points_, point + step);
      };
      if (!std::ranges::all_of(reached, is_point)) return extent;
    }
  }

  [[nodiscard]] Points with_progression(const Points& reached, std::int64_t stride,
                                        std::int64_t extent) {
    Points sum;
    for (std::int64_t digit = 0; digit < extent && within_bounds(); ++digit) {
      for (const std::int64_t point : reached) sum.push_back(point + digit * stride);
      work_ += static_cast<std::int64_t>(reached.size());
    }
    std::ranges::sort(sum);
    const auto repeated = std::ranges::unique(sum);
    sum.erase(repeated.begin(), repeated.end());
    return sum;
  }

  std::span<const std::int64_t> points_;
  const Axis& axis_;
  std::vector<Iter> iters_;
  std::int64_t work_ = 0;
};

}  // namespace

Progressions progressions(std::span<const std::int64_t> points, const Axis& axis) {
  Search search(points, axis);
  if (search.extend({0}, 0)) return {.is_complete = true, .iters = search.iters()};
  return {.is_complete = search.within_bounds(), .iters = std::nullopt};
}

}  // namespace heddle::axe
