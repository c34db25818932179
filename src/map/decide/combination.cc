#include "map/decide/combination.h"

#include <algorithm>
#include <numeric>

#include "heddle/core/exact.h"

namespace heddle::map {
namespace {

__extension__ using WideSum = __int128;

std::uint64_t magnitude(std::int64_t number) {
  return number < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(number)
                    : static_cast<std::uint64_t>(number);
}

/// The sums that the multiples from some position on can reach on one axis.
struct Rest {
  WideSum low = 0;
  WideSum high = 0;
  std::uint64_t divisor = 0;
};

WideSum floor_quotient(WideSum a, WideSum b) {
  const WideSum quotient = a / b;
  return a % b != 0 && (a % b < 0) != (b < 0) ? quotient - 1 : quotient;
}

class Search {
 public:
  Search(std::span<const Multiple> multiples, std::size_t axes, std::int64_t& attempts_left)
      : axes_(axes), attempts_left_(attempts_left), counts_(multiples.size(), 0) {
    order_.resize(multiples.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    const auto size_of = [&](std::size_t i) {
      std::uint64_t size = 0;
      for (const std::int64_t number : multiples[i].step) size = std::max(size, magnitude(number));
      return size;
    };
    std::ranges::stable_sort(order_, std::ranges::greater(), size_of);
    for (const std::size_t i : order_) multiples_.push_back(&multiples[i]);
    rests_.assign(multiples_.size() + 1, std::vector<Rest>(axes));
    for (std::size_t i = multiples_.size(); i-- > 0;) {
      for (std::size_t axis = 0; axis < axes; ++axis) rests_[i][axis] = extended(i, axis);
    }
  }

  [[nodiscard]] std::optional<std::vector<std::int64_t>> run(std::span<const std::int64_t> target) {
    std::vector<WideSum> rest(target.begin(), target.end());
    if (!is_open(0, rest) || !descend(0, rest)) return std::nullopt;
    return counts_;
  }

 private:
  [[nodiscard]] Rest extended(std::size_t i, std::size_t axis) const {
    Rest rest = rests_[i + 1][axis];
    const Multiple& here = *multiples_[i];
    const WideSum first = static_cast<WideSum>(here.step[axis]) * here.low;
    const WideSum last = static_cast<WideSum>(here.step[axis]) * here.high;
    rest.low += std::min(first, last);
    rest.high += std::max(first, last);
    rest.divisor = std::gcd(rest.divisor, magnitude(here.step[axis]));
    return rest;
  }

  /// Whether the multiples from `i` on may have this sum.
  [[nodiscard]] bool is_open(std::size_t i, std::span<const WideSum> rest) const {
    for (std::size_t axis = 0; axis < axes_; ++axis) {
      const Rest& reach = rests_[i][axis];
      if (rest[axis] < reach.low || rest[axis] > reach.high) return false;
      if (reach.divisor == 0 ? rest[axis] != 0
                             : rest[axis] % static_cast<WideSum>(reach.divisor) != 0) {
        return false;
      }
    }
    return true;
  }

  /// How often `i` may be taken so that the others can still reach the rest.
  [[nodiscard]] std::pair<WideSum, WideSum> window(std::size_t i,
                                                   std::span<const WideSum> rest) const {
    WideSum low = multiples_[i]->low;
    WideSum high = multiples_[i]->high;
    for (std::size_t axis = 0; axis < axes_; ++axis) {
      const WideSum step = multiples_[i]->step[axis];
      if (step == 0) continue;
      // rest - count * step is in [reach.low, reach.high].
      WideSum above = rest[axis] - rests_[i + 1][axis].low;
      WideSum below = rest[axis] - rests_[i + 1][axis].high;
      if (step < 0) std::swap(above, below);
      low = std::max(low, -floor_quotient(-below, step));
      high = std::min(high, floor_quotient(above, step));
    }
    return {low, high};
  }

  [[nodiscard]] bool descend(std::size_t i, const std::vector<WideSum>& rest) {
    if (i == multiples_.size()) return true;
    const auto [low, high] = window(i, rest);
    // Small counts first, because they make the simplest counterexamples.
    const WideSum middle = std::clamp<WideSum>(0, low, std::max(low, high));
    for (WideSum distance = 0; middle + distance <= high || middle - distance >= low; ++distance) {
      for (const WideSum count : {middle + distance, middle - distance}) {
        if (count < low || count > high || (distance == 0 && count != middle)) continue;
        if (--attempts_left_ <= 0) return false;
        std::vector<WideSum> left = rest;
        for (std::size_t axis = 0; axis < axes_; ++axis) {
          left[axis] -= count * multiples_[i]->step[axis];
        }
        if (is_open(i + 1, left) && descend(i + 1, left)) {
          counts_[order_[i]] = static_cast<std::int64_t>(count);
          return true;
        }
        if (distance == 0) break;
      }
    }
    return false;
  }

  std::size_t axes_;
  std::int64_t& attempts_left_;
  /// Largest steps first, with the original position of each.
  std::vector<const Multiple*> multiples_;
  std::vector<std::size_t> order_;
  /// For each position, the sums that the multiples from it on can reach.
  std::vector<std::vector<Rest>> rests_;
  std::vector<std::int64_t> counts_;
};

}  // namespace

std::optional<std::vector<std::int64_t>> Combinations::find(std::span<const Multiple> multiples,
                                                            std::span<const std::int64_t> target) {
  if (gave_up()) return std::nullopt;
  return Search(multiples, target.size(), attempts_left_).run(target);
}

}  // namespace heddle::map
