#include "axe/quotient/replica_remainder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "axe/layout/iters.h"
#include "axe/layout/progressions.h"

namespace heddle::axe {
namespace {

std::string points_text(const Points& set) {
  constexpr std::size_t kShown = 8;
  if (set.size() <= kShown) return fmt::format("{{{}}}", fmt::join(set, ","));
  return fmt::format("{{{},… ({} points)}}",
                     fmt::join(set.begin(), set.begin() + static_cast<std::ptrdiff_t>(kShown), ","),
                     set.size());
}

Remainder no_iters(const Points& allowed, std::string_view at, const Axis& axis) {
  return {.outcome = Outcome::kNone,
          .why = fmt::format("on axis {} the replicas would be {}{}, which no iters make",
                             axis.name(), at, points_text(allowed))};
}

Remainder too_many_steps(const Points& allowed, const Axis& axis) {
  return {.why = fmt::format("on axis {} the search for replica iters within the {} shifts {} took "
                             "too many steps",
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

/// U by the lists alone; nothing where they do not tell.
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
        question.unit == Int(1)
            ? ""
            : fmt::format(" that begins at a multiple of {}", to_string(question.unit));
    return {.outcome = Outcome::kNone,
            .why = fmt::format("on axis {} the replica at {} is in no copy of {}{} within the "
                               "replicas",
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
