// Decisions by evaluating every point, as each system evaluates it.
//
// For maps with more points than allowed, only some points are tried: both ends, points near powers
// of two, and random ones. This can show a no, but never a yes.

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "axe/layout/iters.h"
#include "map/decide/methods.h"

namespace heddle::map {
namespace {

using Image = std::vector<std::int64_t>;

constexpr const char* kEvaluation = "evaluation";

/// Stops evaluations past the limits.
class Clock {
 public:
  explicit Clock(const Limits& limits) : limits_(limits.begun()) {}

  /// Checks the time only every few calls.
  [[nodiscard]] bool is_over() {
    constexpr int kEvery = 1024;
    if (++calls_ % kEvery != 0) return over_;
    over_ = limits_.are_over();
    return over_;
  }
  [[nodiscard]] Verdict verdict() const { return given_up(limits_); }

 private:
  Limits limits_;
  int calls_ = 0;
  bool over_ = false;
};

Verdict done(std::int64_t points) {
  return Verdict::yes(fmt::format("evaluated all {} coordinates", points));
}

/// The images of one point, sorted and without repetition.
std::optional<std::vector<Image>> images_at(const FlatMap& map, std::int64_t flat) {
  std::vector<Image> images;
  for (std::int64_t copy = 0; copy < map.copies.value(); ++copy) {
    auto image = map.numbers_at(flat, copy);
    if (!image) return std::nullopt;
    images.push_back(*std::move(image));
  }
  if (images.size() > 1) axe::sort_once(images);
  return images;
}

/// All images of a map: one row for each point and copy.
struct Images {
  std::size_t axes = 0;
  std::int64_t copies = 1;
  std::size_t rows = 0;
  std::vector<std::int64_t> numbers;

  [[nodiscard]] std::span<const std::int64_t> operator[](std::size_t row) const {
    return std::span(numbers).subspan(row * axes, axes);
  }
  [[nodiscard]] std::int64_t point_of(std::size_t row) const {
    return static_cast<std::int64_t>(row) / copies;
  }
  [[nodiscard]] bool same(std::size_t a, std::size_t b) const {
    return std::ranges::equal((*this)[a], (*this)[b]);
  }
  /// The rows in the order of their images; rows with equal images in the order of their points.
  [[nodiscard]] std::vector<std::size_t> sorted() const {
    std::vector<std::size_t> order(rows);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
      const auto compared = std::lexicographical_compare_three_way(
          (*this)[a].begin(), (*this)[a].end(), (*this)[b].begin(), (*this)[b].end());
      return compared < 0 || (compared == 0 && a < b);
    });
    return order;
  }
};

class Points {
 public:
  Points(const Claim& claim, const DecideOptions& options)
      : claim_(claim), options_(options), clock_(options.limits) {}

  [[nodiscard]] Verdict decide() {
    const std::int64_t count = size();
    if (count > options_.max_points) return try_some(count);
    switch (claim_.question) {
      case Question::kEqual:
        return for_all_points([&](std::int64_t flat) { return differs_at(flat); });
      case Question::kWithin:
        return for_all_points([&](std::int64_t flat) { return leaves_at(flat); });
      case Question::kInvolution:
        return for_all_points([&](std::int64_t flat) { return is_lost_at(flat); });
      case Question::kInjective:
        return injective(all_images(claim_.a));
      case Question::kOnto:
        return onto();
      case Question::kContiguous:
        return contiguous();
      case Question::kDisjoint:
        return disjoint([](std::span<const std::int64_t>) { return true; });
      case Question::kMeetAtZero:
        return disjoint([](std::span<const std::int64_t> image) {
          return std::ranges::any_of(image, [](std::int64_t number) { return number != 0; });
        });
      case Question::kCovers:
        return covers();
    }
    return Verdict::unknown("");
  }

 private:
  /// The number of evaluations; past 64 bits the greatest number.
  [[nodiscard]] std::int64_t size() const {
    Int all = claim_.a.points * claim_.a.copies;
    if (claim_.b) all = max(all, claim_.b->points * claim_.b->copies);
    return all.is_constant() ? all.value() : Range::kNoHigh;
  }

  // ---- Point by point ----

  /// The failure found at a point.
  using Finding = std::optional<Witness>;

  template <class Find>
  [[nodiscard]] Verdict for_all_points(Find find) {
    const std::int64_t points = claim_.a.points.value();
    for (std::int64_t flat = 0; flat < points; ++flat) {
      if (clock_.is_over()) return clock_.verdict();
      if (Finding wrong = find(flat)) return Verdict::no(kEvaluation, std::move(wrong));
      if (undefined_at_) return undefined();
    }
    return done(points);
  }

  [[nodiscard]] Verdict undefined() const {
    return Verdict::unknown(
        fmt::format("no value at coordinate {}", claim_.a.point_text(*undefined_at_)));
  }

  [[nodiscard]] Finding differs_at(std::int64_t flat) {
    const auto left = images_at(claim_.a, flat);
    const auto right = images_at(*claim_.b, flat);
    if (!left || !right) {
      undefined_at_ = flat;
      return std::nullopt;
    }
    return *left == *right ? Finding() : difference_at(claim_, flat);
  }

  [[nodiscard]] Finding leaves_at(std::int64_t flat) {
    const auto images = images_at(claim_.a, flat);
    if (!images) undefined_at_ = flat;
    if (!images) return std::nullopt;
    for (const Image& image : *images) {
      for (const std::int64_t number : image) {
        if (number < claim_.low.value()) {
          return outside_at(claim_.a, flat, fmt::format("at least {}", claim_.low.value()));
        }
        if (number >= claim_.high.value()) {
          return outside_at(claim_.a, flat, below_text(claim_.high));
        }
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] Finding is_lost_at(std::int64_t flat) {
    const auto there = claim_.a.numbers_at(flat, 0);
    if (!there) undefined_at_ = flat;
    if (!there) return std::nullopt;
    const std::int64_t next = there->empty() ? 0 : there->front();
    if (next < 0 || next >= claim_.a.points.value()) return not_restored_at(claim_.a, flat);
    const auto back = claim_.a.numbers_at(next, 0);
    if (!back) undefined_at_ = next;
    if (!back) return std::nullopt;
    const bool is_back = (back->empty() ? 0 : back->front()) == flat;
    return is_back ? Finding() : not_restored_at(claim_.a, flat);
  }

  // ---- All images ----

  [[nodiscard]] std::optional<Images> all_images(const FlatMap& map) {
    Images all;
    all.axes = map.axes.size();
    all.copies = map.copies.value();
    all.numbers.reserve(static_cast<std::size_t>(map.points.value() * all.copies) * all.axes);
    for (std::int64_t flat = 0; flat < map.points.value(); ++flat) {
      for (std::int64_t copy = 0; copy < all.copies; ++copy) {
        if (clock_.is_over()) return std::nullopt;
        const auto image = map.numbers_at(flat, copy);
        if (!image) undefined_at_ = flat;
        if (!image) return std::nullopt;
        all.numbers.insert(all.numbers.end(), image->begin(), image->end());
        ++all.rows;
      }
    }
    return all;
  }

  [[nodiscard]] Verdict no_images() const { return undefined_at_ ? undefined() : clock_.verdict(); }

  [[nodiscard]] Verdict injective(const std::optional<Images>& all) const {
    if (!all) return no_images();
    std::optional<std::pair<std::int64_t, std::int64_t>> first;
    const std::vector<std::size_t> order = all->sorted();
    for (std::size_t begin = 0; begin < order.size();) {
      const std::int64_t y = all->point_of(order[begin]);
      std::size_t end = begin + 1;
      std::optional<std::int64_t> x;
      for (; end < order.size() && all->same(order[begin], order[end]); ++end) {
        const std::int64_t other = all->point_of(order[end]);
        if (other != y && !x) x = other;
      }
      if (x && (!first || *x < first->first)) first = {*x, y};
      begin = end;
    }
    if (!first) return done(claim_.a.points.value());
    return Verdict::no(kEvaluation, collision_at(claim_.a, first->first, claim_.a, first->second));
  }

  [[nodiscard]] Verdict onto() {
    const auto all = all_images(claim_.a);
    if (!all) return no_images();
    for (std::size_t row = 0; row < all->rows; ++row) {
      for (std::size_t axis = 0; axis < all->axes; ++axis) {
        const std::int64_t number = (*all)[row][axis];
        const std::int64_t size = claim_.sizes[axis].value();
        if (number >= 0 && number < size) continue;
        const std::string wanted = number < 0 ? "at least 0" : fmt::format("at most {}", size - 1);
        return Verdict::no(kEvaluation, outside_at(claim_.a, all->point_of(row), wanted));
      }
    }
    // In order, last axis fastest, the images must count through the box.
    Image next(all->axes, 0);
    bool is_over = false;
    const auto advance = [&] {
      for (std::size_t axis = all->axes; axis-- > 0;) {
        if (++next[axis] < claim_.sizes[axis].value()) return;
        next[axis] = 0;
      }
      is_over = true;
    };
    const std::vector<std::size_t> order = all->sorted();
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (i > 0 && all->same(order[i - 1], order[i])) continue;
      if (!std::ranges::equal((*all)[order[i]], next)) break;
      advance();
      if (is_over) return done(claim_.a.points.value());
    }
    return Verdict::no(kEvaluation, not_met(next));
  }

  [[nodiscard]] Verdict contiguous() {
    if (claim_.a.axes.size() != 1) return Verdict::unknown("the images are on several axes");
    const auto all = all_images(claim_.a);
    Verdict injective_too = injective(all);
    if (!injective_too.is_yes()) return injective_too;
    const std::vector<std::size_t> order = all->sorted();
    for (std::size_t i = 1; i < order.size(); ++i) {
      const std::int64_t wanted = (*all)[order[i - 1]][0] + 1;
      if ((*all)[order[i]][0] > wanted) return Verdict::no(kEvaluation, not_met(Image{wanted}));
    }
    return done(claim_.a.points.value());
  }

  /// Calls `visit` with the row of `a` that has the image of each row of `b`, or with null.
  template <class Visit>
  void join(const Images& a, const Images& b, Visit visit) const {
    const std::vector<std::size_t> order = a.sorted();
    for (std::size_t row = 0; row < b.rows; ++row) {
      const auto found = std::ranges::lower_bound(
          order, b[row],
          [](std::span<const std::int64_t> x, std::span<const std::int64_t> y) {
            return std::ranges::lexicographical_compare(x, y);
          },
          [&](std::size_t i) { return a[i]; });
      const bool is_there = found != order.end() && std::ranges::equal(a[*found], b[row]);
      if (!visit(row, is_there ? std::optional(*found) : std::nullopt)) return;
    }
  }

  /// Decides whether no image for which `counts` holds is one of both.
  template <class Counts>
  [[nodiscard]] Verdict disjoint(Counts counts) {
    const auto a = all_images(claim_.a);
    const auto b = a ? all_images(*claim_.b) : std::nullopt;
    if (!b) return no_images();
    std::optional<Witness> common;
    join(*b, *a, [&](std::size_t row, std::optional<std::size_t> other) {
      if (!other || !counts((*a)[row])) return true;
      common = collision_at(claim_.a, a->point_of(row), *claim_.b, b->point_of(*other));
      return false;
    });
    if (common) return Verdict::no(kEvaluation, std::move(common));
    return done(claim_.a.points.value() + claim_.b->points.value());
  }

  [[nodiscard]] Verdict covers() {
    const auto a = all_images(claim_.a);
    const auto b = a ? all_images(*claim_.b) : std::nullopt;
    if (!b) return no_images();
    std::optional<Witness> missing;
    join(*a, *b, [&](std::size_t row, std::optional<std::size_t> other) {
      if (other) return true;
      missing = outside_at(*claim_.b, b->point_of(row), "no image of the first");
      return false;
    });
    if (missing) return Verdict::no(kEvaluation, std::move(missing));
    return done(claim_.a.points.value() + claim_.b->points.value());
  }

  // ---- Some points ----

  [[nodiscard]] Verdict try_some(std::int64_t count) {
    constexpr std::int64_t kMaxCopies = 4096;
    const bool is_listed =
        claim_.a.points.is_constant() && claim_.a.copies.is_constant() &&
        claim_.a.copies.value() <= kMaxCopies &&
        (!claim_.b || (claim_.b->copies.is_constant() && claim_.b->copies.value() <= kMaxCopies));
    const auto wrong_at = [&](std::int64_t flat) -> Finding {
      if (claim_.question == Question::kEqual) return differs_at(flat);
      if (claim_.question == Question::kWithin) return leaves_at(flat);
      if (claim_.question == Question::kInvolution) return is_lost_at(flat);
      return std::nullopt;
    };
    if (is_listed) {
      for (const std::int64_t flat : sampled_points(claim_.a.points.value())) {
        if (clock_.is_over()) break;
        if (Finding wrong = wrong_at(flat)) return Verdict::no(kEvaluation, std::move(wrong));
      }
    }
    return Verdict::unknown(fmt::format("{} coordinates are too many to try each", count));
  }

  /// In ascending order, so that the first failure found is small.
  [[nodiscard]] static std::vector<std::int64_t> sampled_points(std::int64_t size) {
    constexpr std::int64_t kEnds = 64;
    constexpr int kAnywhere = 512;
    std::vector<std::int64_t> points;
    for (std::int64_t i = 0; i < std::min(kEnds, size); ++i) {
      points.insert(points.end(), {i, size - 1 - i});
    }
    for (std::int64_t power = kEnds; power < size - 1; power *= 2) {
      points.insert(points.end(), {power - 1, power, power + 1});
      if (power > size / 2) break;
    }
    std::mt19937_64 random(0);  // the same on every run
    for (int i = 0; i < kAnywhere; ++i) {
      const std::uint64_t number = random();
      points.push_back(static_cast<std::int64_t>(number % static_cast<std::uint64_t>(size)));
    }
    std::ranges::sort(points);
    return points;
  }

  const Claim& claim_;
  const DecideOptions& options_;
  Clock clock_;
  /// A point of `a` at which some side has no value.
  std::optional<std::int64_t> undefined_at_;
};

bool are_numbers(const Claim& claim) {
  return claim.is_constant() && std::ranges::all_of(claim.sizes, &Int::is_constant) &&
         claim.low.is_constant() && claim.high.is_constant();
}

}  // namespace

Verdict given_up(const Limits& limits) { return Verdict::unknown(limits.over_text()); }

Verdict by_points(const Claim& claim, const DecideOptions& options) {
  if (!are_numbers(claim)) return Verdict::unknown("sizes or values are not numbers");
  if (claim.question == Question::kInvolution && !claim.is_function()) {
    return Verdict::unknown("points have several images");
  }
  return Points(claim, options).decide();
}

}  // namespace heddle::map
