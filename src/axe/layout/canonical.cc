#include "heddle/axe/canonical.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "axe/layout/iters.h"
#include "axe/layout/reach.h"
#include "expr/assume_needed.h"
#include "heddle/axe/instantiate.h"

namespace heddle::axe {
namespace {

/// The parts of a layout on their way to the normal form, and the recorded steps if the caller
/// wants them.
class Canonicalizer {
 public:
  Canonicalizer(const Layout& layout, std::vector<CanonicalizationStep>* steps)
      : shard_(layout.shard().begin(), layout.shard().end()),
        replica_(layout.replica().begin(), layout.replica().end()),
        offset_(layout.offset()),
        swizzle_(layout.swizzle()),
        steps_(steps) {}

  Result<Layout> run() {
    remove_axes_of_zeros();
    remove_units();
    merge_chains();
    remove_single_replicas();
    turn_negative_replicas();
    absorb_multiples();
    drop_idle_swizzle();
    for (const auto& [axis, value] : offset_) {
      HEDDLE_CHECK(check_defined(value, "the offset of a normal form"));
    }
    for (const Iter& iter : replica_) {
      HEDDLE_CHECK(check_defined(iter.stride, "the stride of a replica that is turned around"));
    }
    return Unchecked::make(std::move(shard_), std::move(replica_), std::move(offset_),
                           std::move(swizzle_));
  }

 private:
  [[nodiscard]] Layout layout() const {
    return Unchecked::make(shard_, replica_, offset_, swizzle_);
  }

  /// Records a step with the text of `describe()` and the present layout.
  template <class Describe>
  void note(std::string_view rule, Describe describe) {
    if (steps_ != nullptr) steps_->push_back({std::string(rule), describe(), layout()});
  }

  void remove_axes_of_zeros() {
    for (Iter& iter : shard_) {
      if (iter.stride != Int(0) || iter.axis == Axis::memory()) continue;
      const Iter before = iter;
      iter.axis = Axis::memory();
      note("zero", [&] { return fmt::format("{} does not move: its axis says nothing", before); });
    }
  }

  /// Removes the iters for which `goes` holds, and records the text of `describe` for each.
  template <class Goes, class Describe>
  void take_out(std::vector<Iter>& iters, std::string_view rule, Goes goes, Describe describe) {
    for (std::size_t i = 0; i < iters.size();) {
      if (!goes(iters[i])) {
        ++i;
        continue;
      }
      const Iter taken = iters[i];
      iters.erase(iters.begin() + static_cast<std::ptrdiff_t>(i));
      // The unit iter of a layout of one point stays: it is the normal form.
      if (&iters == &shard_ && shard_.empty() && taken == Iter{}) continue;
      note(rule, [&] { return describe(to_string(taken)); });
    }
  }

  void remove_units() {
    take_out(
        shard_, "D0", [](const Iter& iter) { return iter.extent == Int(1); },
        [](const std::string& iter) { return fmt::format("the unit iter {} goes", iter); });
  }

  /// One pass is enough: a merged iter reaches as far as its first part did.
  void merge_chains() {
    std::size_t kept = 0;
    for (std::size_t i = 1; i < shard_.size();) {
      Iter& outer = shard_[kept];
      const Iter inner = shard_[i];
      if (!chains(outer, inner)) {
        kept = i++;
        continue;
      }
      const Iter before = outer;
      outer = {outer.extent * inner.extent, inner.stride, inner.axis};
      const Iter after = outer;
      shard_.erase(shard_.begin() + static_cast<std::ptrdiff_t>(i));
      note("D1", [&] {
        return fmt::format("{} and {} chain, {} = {}*{}: {}", before, to_string(inner),
                           before.stride, to_string(inner.extent), to_string(inner.stride), after);
      });
    }
  }

  void remove_single_replicas() {
    take_out(
        replica_, "C0",
        [](const Iter& iter) { return iter.extent == Int(1) || iter.stride == Int(0); },
        [](const std::string& iter) { return fmt::format("the replica {} is one place", iter); });
  }

  void turn_negative_replicas() {
    for (Iter& iter : replica_) {
      if (!known_less(iter.stride, 0)) continue;
      const Iter before = iter;
      offset_.add(iter.axis, (iter.extent - 1) * iter.stride);
      iter.stride = -iter.stride;
      note("C1", [&] {
        return fmt::format("the replica {} runs backwards: the offset moves by {}", before,
                           step_text((before.extent - 1) * before.stride, before.axis));
      });
    }
  }

  void absorb_multiples() {
    while (absorb_one()) {
    }
    std::ranges::stable_sort(replica_, [](const Iter& a, const Iter& b) {
      if (a.axis != b.axis) return a.axis < b.axis;
      return known_less(b.stride, a.stride);
    });
  }

  bool absorb_one() {
    for (std::size_t i = 0; i < replica_.size(); ++i) {
      for (std::size_t j = 0; j < replica_.size(); ++j) {
        const std::optional<Int> times = i == j ? std::nullopt : multiple(replica_[i], replica_[j]);
        if (!times) continue;
        const Iter fine = replica_[i];
        const Iter coarse = replica_[j];
        replica_[i].extent = fine.extent + *times * (coarse.extent - 1);
        const Iter after = replica_[i];
        replica_.erase(replica_.begin() + static_cast<std::ptrdiff_t>(j));
        note("C2", [&] {
          return fmt::format("the replica {} steps within the reach of {}: {}", coarse, fine,
                             after);
        });
        return true;
      }
    }
    return false;
  }

  /// The q <= extent(fine) with stride(coarse) = q * stride(fine).
  static std::optional<Int> multiple(const Iter& fine, const Iter& coarse) {
    if (fine.axis != coarse.axis || !known_less(0, fine.stride)) return std::nullopt;
    if (!known_divides(fine.stride, coarse.stride)) return std::nullopt;
    const Int times = floor_div(coarse.stride, fine.stride);
    if (!known_less(0, times) || !known_at_most(times, fine.extent)) return std::nullopt;
    return times;
  }

  void drop_idle_swizzle() {
    if (!swizzle_ || !is_idle(*swizzle_, layout())) return;
    const Swizzle before = *swizzle_;
    swizzle_.reset();
    note("swizzle", [&] { return fmt::format("{} changes no address here", before); });
  }

  std::vector<Iter> shard_;
  std::vector<Iter> replica_;
  Coordinate offset_;
  std::optional<Swizzle> swizzle_;
  std::vector<CanonicalizationStep>* steps_;
};

}  // namespace

Result<Layout> canonicalize(const Layout& layout) { return Canonicalizer(layout, nullptr).run(); }

Result<std::vector<CanonicalizationStep>> canonicalization_steps(const Layout& layout) {
  std::vector<CanonicalizationStep> steps;
  HEDDLE_CHECK(Canonicalizer(layout, &steps).run());
  return steps;
}

bool satisfies_gap_condition(const Layout& canonical) {
  const std::span<const Iter> iters = canonical.replica();
  for (std::size_t i = 1; i < iters.size(); ++i) {
    const Iter& coarse = iters[i - 1];
    const Iter& fine = iters[i];
    if (coarse.axis == fine.axis && !known_less(fine.extent * fine.stride, coarse.stride)) {
      return false;
    }
  }
  return true;
}

Result<Verdict> gap_condition(const Layout& layout) {
  HEDDLE_TRY(const Layout canonical, canonicalize(layout));
  const std::span<const Iter> iters = canonical.replica();
  for (std::size_t i = 1; i < iters.size(); ++i) {
    const Iter& coarse = iters[i - 1];
    const Iter& fine = iters[i];
    if (coarse.axis != fine.axis) continue;
    const Int reach = fine.extent * fine.stride;
    HEDDLE_TRY(const bool has_gap, decide({reach, Predicate::kLess, coarse.stride}, [&] {
                 return fmt::format("gap_condition({})", layout);
               }));
    if (has_gap) continue;
    return Verdict::no(fmt::format("the replicas {} and {}: the stride {} is not above {}*{} = {}",
                                   coarse, fine, coarse.stride, fine.extent, fine.stride, reach));
  }
  return Verdict::yes(iters.empty()
                          ? "the normal form has no replicas"
                          : "each stride is above extent times stride of the one below it");
}

// ---- Equality ----

namespace {

constexpr std::string_view kNormalForm = "normal form";
/// How many sets of values of symbolic sizes are tried for equality.
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

/// The places of an index; if there are many replicas, the first place and the list.
std::string places_text(const Layout& layout, const Int& index) {
  constexpr std::int64_t kListed = 4096;
  const Int count = replication(layout);
  if (count.is_constant() && count.value() <= kListed) return set_text(places(layout, index));
  const Coordinate first = shard_at(layout, index) + layout.offset();
  const Result<Layout> all =
      Layout::make({}, {layout.replica().begin(), layout.replica().end()}, first, layout.swizzle());
  return all ? to_string(*all) : all.error().message();
}

/// All the places as numbers, if there are few.
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
    return Verdict::unknown(fmt::format("different swizzles on {} places", count));
  }
  for (std::int64_t index = 0; index < size(a).value(); ++index) {
    const Result<std::vector<Coordinate>> left = places(a, index);
    const Result<std::vector<Coordinate>> right = places(b, index);
    if (!left || !right) return Verdict::unknown((left ? right : left).error().message());
    if (*left != *right) return no_at(index, a, b, "evaluation");
  }
  return Verdict::yes(fmt::format("evaluated all {} indices", size(a)));
}

/// The verdict on two layouts of constants, in normal form and of one size.
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
    return Verdict::no(fmt::format("the sizes {} and {} differ", size(a), size(b)));
  }
  const Result<Layout> left = canonicalize(a);
  const Result<Layout> right = canonicalize(b);
  if (!left || !right) return Verdict::unknown((left ? right : left).error().message());
  if (*left == *right) return Verdict::yes(std::string(kNormalForm));
  if (is_constant(*left) && is_constant(*right)) return equal_constants(*left, *right);
  return equal_at_samples(*left, *right);
}

}  // namespace heddle::axe
