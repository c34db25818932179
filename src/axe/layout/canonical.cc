#include "heddle/axe/canonical.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "axe/layout/iters.h"
#include "axe/layout/reach.h"

namespace heddle::axe {
namespace {

/// The parts of a layout on their way to the normal form, and the steps taken where someone asked.
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

  /// Remembers what `describe()` says, with the layout as it is now.
  template <class Describe>
  void note(std::string_view rule, Describe describe) {
    if (steps_ != nullptr) steps_->push_back({std::string(rule), describe(), layout()});
  }

  void remove_axes_of_zeros() {
    for (Iter& iter : shard_) {
      if (iter.stride != Int(0) || iter.axis == Axis::memory()) continue;
      const Iter before = iter;
      iter.axis = Axis::memory();
      note("zero", [&] {
        return fmt::format("{} does not move: its axis says nothing", to_string(before));
      });
    }
  }

  /// Takes the iters out for which `goes` holds, and notes what `describe` says of each.
  template <class Goes, class Describe>
  void take_out(std::vector<Iter>& iters, std::string_view rule, Goes goes, Describe describe) {
    for (std::size_t i = 0; i < iters.size();) {
      if (!goes(iters[i])) {
        ++i;
        continue;
      }
      const Iter taken = iters[i];
      iters.erase(iters.begin() + static_cast<std::ptrdiff_t>(i));
      // The unit iter of a layout of one point is how that is written.
      if (&iters == &shard_ && shard_.empty() && taken == Iter{}) continue;
      note(rule, [&] { return describe(to_string(taken)); });
    }
  }

  void remove_units() {
    take_out(
        shard_, "D0", [](const Iter& iter) { return iter.extent == Int(1); },
        [](const std::string& iter) { return fmt::format("the unit iter {} goes", iter); });
  }

  /// One pass is enough: a merged iter reaches just as far as its first part did.
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
        return fmt::format("{} and {} chain, {} = {}*{}: {}", to_string(before), to_string(inner),
                           to_string(before.stride), to_string(inner.extent),
                           to_string(inner.stride), to_string(after));
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
        return fmt::format("the replica {} runs backwards: the offset moves by {}",
                           to_string(before),
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
          return fmt::format("the replica {} steps within the reach of {}: {}", to_string(coarse),
                             to_string(fine), to_string(after));
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
    note("swizzle", [&] { return fmt::format("{} changes no address here", to_string(before)); });
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

}  // namespace heddle::axe
