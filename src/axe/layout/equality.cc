#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "axe/layout/iters.h"
#include "axe/layout/reach.h"
#include "heddle/axe/canonical.h"
#include "heddle/axe/instantiate.h"

namespace heddle::axe {
namespace {

constexpr std::string_view kNormalForm = "normal form";
/// Sets of values of symbolic sizes at which equality is tried.
constexpr std::size_t kSamples = 8;

std::string set_text(const Result<std::vector<Coordinate>>& places) {
  constexpr std::size_t kShown = 4;
  if (!places) return places.error().message();
  std::vector<std::string> texts;
  for (const Coordinate& place : *places) {
    if (texts.size() == kShown) {
      texts.push_back(fmt::format("… ({} places)", places->size()));
      break;
    }
    texts.push_back(to_string(place));
  }
  return places->size() == 1 ? texts.front() : fmt::format("{{{}}}", fmt::join(texts, ", "));
}

/// The places of an index; of many replicas the first place and the list.
std::string places_text(const Layout& layout, const Int& index) {
  constexpr std::int64_t kListed = 4096;
  const Int count = replication(layout);
  if (count.is_constant() && count.value() <= kListed) return set_text(places(layout, index));
  const Coordinate first = shard_at(layout, index) + layout.offset();
  const Result<Layout> all =
      Layout::make({}, {layout.replica().begin(), layout.replica().end()}, first, layout.swizzle());
  return all ? to_string(*all) : all.error().message();
}

/// All of them in numbers, where there are few.
std::optional<WitnessNumbers::Images> place_numbers(const Layout& layout, const Int& index) {
  constexpr std::size_t kListed = 64;
  const Int count = replication(layout);
  if (!known_at_most(count, kListed)) return std::nullopt;
  const auto all = places(layout, index);
  if (!all) return std::nullopt;
  WitnessNumbers::Images images;
  for (const Coordinate& place : *all) {
    NamedNumbers& image = images.emplace_back();
    for (const auto& [axis, number] : place) {
      if (!number.is_constant()) return std::nullopt;
      image.numbers.push_back(number.value());
      image.names.push_back(axis.name());
    }
  }
  return images;
}

/// No, shown by the places of both at this index.
Verdict no_at(const Int& index, const Layout& a, const Layout& b, std::string_view method) {
  Witness witness{.coordinate = to_string(index),
                  .found = places_text(a, index),
                  .wanted = places_text(b, index)};
  if (index.is_constant()) {
    const NamedNumbers flat{{index.value()}, {}};
    witness.numbers = WitnessNumbers{WitnessNumbers::Point{flat, index.value()},
                                     place_numbers(a, index),
                                     place_numbers(b, index),
                                     {},
                                     {}};
  }
  return Verdict::no(std::string(method), std::move(witness));
}

/// Whether two replica lists in normal form are the same set of points.
std::optional<bool> same_replicas(const Layout& a, const Layout& b) {
  if (std::ranges::equal(a.replica(), b.replica())) return true;
  if (satisfies_gap_condition(a) && satisfies_gap_condition(b)) return false;
  std::set<Axis> axes;
  for (const Layout* layout : {&a, &b}) {
    for (const Iter& iter : layout->replica()) axes.insert(iter.axis);
  }
  bool all_known = true;
  for (const Axis& axis : axes) {
    const std::vector<Iter> left = on_axis(a.replica(), axis);
    const std::vector<Iter> right = on_axis(b.replica(), axis);
    if (left == right) continue;
    const auto left_points = points(left);
    const auto right_points = points(right);
    if (left_points && right_points) {
      if (*left_points != *right_points) return false;
    } else {
      all_known = false;
    }
  }
  if (!all_known) return std::nullopt;
  return true;
}

Verdict equal_by_evaluation(const Layout& a, const Layout& b) {
  const Int count = size(a) * max(replication(a), replication(b));
  if (!count.is_constant() || count.value() > kMaxPlaces) {
    return Verdict::unknown(fmt::format("different swizzles on {} places", to_string(count)));
  }
  for (std::int64_t index = 0; index < size(a).value(); ++index) {
    const Result<std::vector<Coordinate>> left = places(a, index);
    const Result<std::vector<Coordinate>> right = places(b, index);
    if (!left || !right) return Verdict::unknown((left ? right : left).error().message());
    if (*left != *right) return no_at(index, a, b, "evaluation");
  }
  return Verdict::yes(fmt::format("evaluated all {} indices", to_string(size(a))));
}

/// Of two layouts of constants, in normal form and of one size.
Verdict equal_constants(const Layout& a, const Layout& b) {
  if (a.swizzle() != b.swizzle()) return equal_by_evaluation(a, b);
  if (!std::ranges::equal(a.shard(), b.shard()) || a.offset() != b.offset()) {
    return no_at(differing_index(a, b).value_or(0), a, b, kNormalForm);
  }
  const std::optional<bool> same = same_replicas(a, b);
  if (!same) {
    return Verdict::unknown(
        fmt::format("replicas without the gap condition, more than {} points", kMaxPlaces));
  }
  if (!*same) return no_at(0, a, b, "replica points");
  return Verdict::yes(std::string(kNormalForm));
}

std::vector<Int> numbers(const Layout& layout) {
  std::vector<Int> result;
  for (const std::span<const Iter> iters : {layout.shard(), layout.replica()}) {
    for (const Iter& iter : iters) result.insert(result.end(), {iter.extent, iter.stride});
  }
  for (const auto& [axis, value] : layout.offset()) result.push_back(value);
  return result;
}

/// Looks for sizes at which the two differ.
Verdict equal_at_samples(const Layout& a, const Layout& b) {
  std::vector<Int> all = numbers(a);
  std::ranges::copy(numbers(b), std::back_inserter(all));
  for (const Bindings& bindings : samples(all, kSamples)) {
    const Result<Layout> left = instantiate(a, bindings);
    const Result<Layout> right = instantiate(b, bindings);
    if (!left || !right || !is_constant(*left) || !is_constant(*right)) continue;
    const Verdict verdict = equal(*left, *right);
    if (!verdict.is_no()) continue;
    return verdict.counterexample()
               ? Verdict::no(verdict.method(), where(*verdict.counterexample(), bindings))
               : Verdict::no(verdict.method()).with_remark("for " + bindings_text(bindings));
  }
  return Verdict::unknown("symbolic sizes, normal forms that differ");
}

}  // namespace

Verdict equal(const Layout& a, const Layout& b) {
  const std::optional<bool> same_size = answer_to({size(a), Predicate::kEqual, size(b)});
  if (same_size == false) {
    return Verdict::no(
        fmt::format("the sizes {} and {} differ", to_string(size(a)), to_string(size(b))));
  }
  const Result<Layout> left = canonicalize(a);
  const Result<Layout> right = canonicalize(b);
  if (!left || !right) return Verdict::unknown((left ? right : left).error().message());
  if (*left == *right) return Verdict::yes(std::string(kNormalForm));
  if (is_constant(*left) && is_constant(*right)) return equal_constants(*left, *right);
  return equal_at_samples(*left, *right);
}

}  // namespace heddle::axe
