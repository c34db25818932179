#include "axe/layout/progressions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

#include "axe/layout/iters.h"
#include "core/text.h"

namespace heddle::axe {
namespace {

/// How many elements of sets one search may examine.
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

/// The points p with p, p + stride, …, extent of them, all in the set.
Points eroded(const Points& set, std::int64_t extent, std::int64_t stride) {
  const std::vector<std::int64_t> lengths = runs(set, stride);
  Points result;
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (lengths[i] >= extent) result.push_back(set[i]);
  }
  return result;
}

/// The set + {0, stride, …}, extent of them, by repeated doubling.
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

/// Looks for progressions within `allowed` whose sum U satisfies U + known = target.
class Search {
 public:
  Search(const Points& target, const Points& allowed, const Axis& axis)
      : target_(target), allowed_(allowed), axis_(axis) {}

  /// `sum` is the sum of the progressions chosen so far, `covered` is sum + known.
  bool extend(const Points& sum, const Points& covered, std::int64_t last_stride) {
    if (covered.size() == target_.size()) return true;
    // A later stride must reach the first missing point, so it is no longer than that.
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

// ---- Replica lists as sums of sets ----

namespace {

std::string points_text(const Points& set) {
  constexpr std::size_t kShown = 8;
  if (set.size() <= kShown) return fmt::format("{{{}}}", fmt::join(set, ","));
  return fmt::format("{{{},… ({})}}",
                     fmt::join(set.begin(), set.begin() + static_cast<std::ptrdiff_t>(kShown), ","),
                     counted(set.size(), "point"));
}

Remainder no_iters(const Points& allowed, std::string_view at, const Axis& axis) {
  return {.outcome = Outcome::kNone,
          .why = fmt::format("on axis {} the replicas would be {}{}, which no iters make",
                             axis.name(), at, points_text(allowed))};
}

Remainder too_many_steps(const Points& allowed, const Axis& axis) {
  return {.why = fmt::format(
              "on axis {} the search for replica iters within the {} shifts {} took too many steps",
              axis.name(), allowed.size(), points_text(allowed))};
}

/// Takes one known iter out of the target list: the iter itself, or the part of one that starts or
/// ends with it.
bool take(std::vector<Iter>& rest, const Iter& known) {
  const auto same = std::ranges::find_if(rest, [&](const Iter& iter) {
    return known_equal(iter.stride, known.stride) && known_equal(iter.extent, known.extent);
  });
  if (same != rest.end()) {
    rest.erase(same);
    return true;
  }
  for (Iter& iter : rest) {
    if (!known_divides(known.extent, iter.extent)) continue;
    const Int parts = floor_div(iter.extent, known.extent);
    if (known_equal(iter.stride, known.stride)) {
      iter = {parts, known.extent * iter.stride, iter.axis};
      return true;
    }
    if (known_equal(parts * iter.stride, known.stride)) {
      iter.extent = parts;
      return true;
    }
  }
  return false;
}

/// U by the lists alone; nullopt if they do not decide.
std::optional<std::vector<Iter>> by_lists(const RemainderQuestion& question) {
  std::vector<Iter> rest = question.target;
  for (const Iter& iter : question.known) {
    if (!take(rest, iter)) return std::nullopt;
  }
  for (const Iter& iter : rest) {
    if (!known_divides(question.unit, iter.stride)) return std::nullopt;
  }
  return rest;
}

}  // namespace

Remainder remainder(const RemainderQuestion& question) {
  if (auto iters = by_lists(question)) {
    return {.outcome = Outcome::kFound, .iters = *std::move(iters)};
  }
  const std::optional<Points> target = points(question.target);
  const std::optional<Points> known = points(question.known);
  if (!target || !known || !question.unit.is_constant()) {
    return {.why = fmt::format("the replicas on axis {} are more than {} points, or symbolic",
                               question.axis.name(), kMaxPlaces)};
  }
  Points allowed = *target;
  for (const Iter& iter : question.known) {
    allowed = eroded(allowed, iter.extent.value(), iter.stride.value());
  }
  std::erase_if(allowed, [&](std::int64_t u) { return u % question.unit.value() != 0; });
  Points reached = allowed;
  for (const Iter& iter : question.known) {
    reached = dilated(reached, iter.extent.value(), iter.stride.value());
  }
  if (reached != *target) {
    const std::string multiples =
        question.unit == Int(1) ? ""
                                : fmt::format(" that begins at a multiple of {}", question.unit);
    return {
        .outcome = Outcome::kNone,
        .why = fmt::format("on axis {} the replica at {} is in no copy of {}{} within the replicas",
                           question.axis.name(), *std::ranges::mismatch(*target, reached).in1,
                           points_text(*known), multiples),
        .is_for_any_set = true};
  }
  Progressions search = question.is_unique ? progressions(allowed, question.axis)
                                           : progressions(*target, *known, allowed, question.axis);
  if (search.iters) return {.outcome = Outcome::kFound, .iters = *std::move(search.iters)};
  if (!search.is_complete) return too_many_steps(allowed, question.axis);
  return no_iters(allowed, question.is_unique ? "at " : "some of ", question.axis);
}

}  // namespace heddle::axe
