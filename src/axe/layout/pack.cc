#include "heddle/axe/pack.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "axe/layout/iters.h"
#include "core/bits.h"
#include "core/text.h"
#include "expr/assume_needed.h"
#include "heddle/axe/canonical.h"
#include "heddle/axe/group.h"

namespace heddle::axe {
namespace {

/// A witness is searched among this many indices.
constexpr std::int64_t kMaxSearched = std::int64_t{1} << 14;

bool is_on_memory(const Iter& iter) { return iter.axis == Axis::memory(); }

/// Log2 of n, the shift of a swizzle's bits when elements become n times as wide.
Result<int> swizzle_bits(const Int& n, const std::string& call, const Swizzle& swizzle) {
  if (n.is_constant() && is_power_of_two(n.value())) return log2_exact(n.value());
  return refuse("axe.pack", "{}: with the swizzle {}, n is a power of two and not {}", call,
                swizzle, n);
}

bool swizzles_memory(const Layout& layout) {
  return layout.swizzle() && layout.swizzle()->axis == Axis::memory();
}

/// Divides everything on axis m.
class Packer {
 public:
  Packer(const Layout& layout, Int n, std::string call)
      : layout_(layout), n_(std::move(n)), call_(std::move(call)) {}

  Result<Layout> run() const {
    HEDDLE_TRY(const std::optional<Swizzle> swizzle, packed_swizzle());
    HEDDLE_TRY(const std::vector<Iter> outer, outer_iters());
    HEDDLE_TRY(std::vector<Iter> shard, divided(outer, "the iter"));
    HEDDLE_TRY(std::vector<Iter> replica, divided(layout_.replica(), "the replica"));
    Coordinate offset = layout_.offset();
    const Int shift = offset[Axis::memory()];
    HEDDLE_TRY(const bool is_aligned, divides(shift));
    if (!is_aligned) {
      return refuse(refusal(fmt::format("the offset {} is not a multiple of {}",
                                        step_text(shift, Axis::memory()), n_)));
    }
    offset.set(Axis::memory(), floor_div(shift, n_));
    return Layout::make(std::move(shard), std::move(replica), std::move(offset), swizzle);
  }

 private:
  /// The shard's iters except for the innermost n indices.
  Result<std::vector<Iter>> outer_iters() const {
    const Iter& last = layout_.shard().back();
    if (is_on_memory(last) && last.stride == Int(1) && known_divides(n_, last.extent)) {
      std::vector<Iter> result(layout_.shard().begin(), layout_.shard().end());
      result.back() = {floor_div(last.extent, n_), n_, last.axis};
      return result;
    }
    if (n_ == Int(1)) return std::vector<Iter>(layout_.shard().begin(), layout_.shard().end());
    HEDDLE_TRY(const bool fits, divides(size(layout_)));
    if (!fits) {
      return refuse(refusal(fmt::format("{} does not divide the {} indices", n_, size(layout_))));
    }
    const std::vector<Int> shape = {floor_div(size(layout_), n_), n_};
    const Result<Grouping> grouping = group(layout_, shape);
    if (!grouping && grouping.error().code() != "axe.no_grouping") return refuse(grouping.error());
    if (!grouping || grouping->block(1).size() != 1 || !is_contiguous(grouping->block(1)[0])) {
      return refuse(not_contiguous());
    }
    const std::span<const Iter> outer = grouping->block(0);
    return std::vector<Iter>(outer.begin(), outer.end());
  }

  static bool is_contiguous(const Iter& iter) {
    return is_on_memory(iter) && known_equal(iter.stride, 1);
  }

  /// Refuses with the first of the n indices that is not at the address after the one before.
  [[nodiscard]] Diagnostic not_contiguous() const {
    Diagnostic diagnostic =
        refusal(fmt::format("{} consecutive indices do not have consecutive addresses", n_));
    if (!n_.is_constant() || !size(layout_).is_constant()) return diagnostic;
    for (Int index = 0; known_less(index, min(size(layout_), kMaxSearched)); index += 1) {
      const Coordinate start = shard_at(layout_, index - mod(index, n_));
      const Coordinate found = shard_at(layout_, index);
      Coordinate wanted = start;
      wanted.add(Axis::memory(), mod(index, n_));
      if (found == wanted) continue;
      return std::move(diagnostic)
          .with_witness({.coordinate = to_string(index),
                         .found = to_string(found),
                         .wanted = to_string(wanted)});
    }
    return diagnostic;
  }

  Result<std::vector<Iter>> divided(std::span<const Iter> iters, std::string_view what) const {
    std::vector<Iter> result(iters.begin(), iters.end());
    for (Iter& iter : result) {
      if (!is_on_memory(iter)) continue;
      if (iter.extent == Int(1)) {
        iter.stride = 1;
        continue;
      }
      HEDDLE_TRY(const bool is_aligned, divides(iter.stride));
      if (!is_aligned) {
        return refuse(
            refusal(fmt::format("{} {} does not step by a multiple of {}", what, iter, n_)));
      }
      iter.stride = floor_div(iter.stride, n_);
    }
    return result;
  }

  Result<std::optional<Swizzle>> packed_swizzle() const {
    std::optional<Swizzle> swizzle = layout_.swizzle();
    if (!swizzles_memory(layout_)) return swizzle;
    HEDDLE_TRY(const int bits, swizzle_bits(n_, call_, *swizzle));
    if (bits > swizzle->per_element) {
      return refuse(
          refusal(fmt::format("{} permutes addresses within {}: it keeps the lowest {} of {} bits",
                              *swizzle, counted(n_, "element"), swizzle->per_element, bits)));
    }
    swizzle->per_element -= bits;
    return swizzle;
  }

  Result<bool> divides(const Int& number) const {
    return decide_needed({n_, Predicate::kDivides, number}, [&] { return call_; });
  }

  [[nodiscard]] Diagnostic refusal(std::string why) const {
    return diagnose("axe.pack", "{}: no layout of {} each has this map", call_,
                    counted(n_, "element"))
        .with_note(std::move(why));
  }

  const Layout& layout_;
  Int n_;
  std::string call_;
};

Result<void> check_count(const Int& n, const std::string& call) {
  return check_extent(n, [&] { return "the n of " + call; });
}

/// Drops a swizzle that changes no address: it must not prevent packing.
Result<Layout> without_idle_swizzle(const Layout& layout) {
  if (!swizzles_memory(layout)) return layout;
  HEDDLE_TRY(const Layout canonical, canonicalize(layout));
  return swizzles_memory(canonical) ? layout : canonical;
}

}  // namespace

Result<Layout> unpack(const Layout& layout, const Int& n) {
  const std::string call = fmt::format("unpack({}, {})", layout, n);
  HEDDLE_CHECK(check_count(n, call));
  HEDDLE_TRY(const Layout plain, without_idle_swizzle(layout));
  std::optional<Swizzle> swizzle = plain.swizzle();
  if (swizzles_memory(plain)) {
    HEDDLE_TRY(const int bits, swizzle_bits(n, call, *swizzle));
    HEDDLE_TRY(swizzle, Swizzle::make(swizzle->per_element + bits, swizzle->swizzle_len,
                                      swizzle->atom_len, swizzle->inner, swizzle->axis));
  }
  const auto scaled = [&](std::span<const Iter> iters) {
    std::vector<Iter> result(iters.begin(), iters.end());
    for (Iter& iter : result) {
      if (is_on_memory(iter)) iter.stride *= n;
    }
    return result;
  };
  std::vector<Iter> shard = scaled(plain.shard());
  shard.push_back({n, 1, Axis::memory()});
  Coordinate offset = plain.offset();
  offset.set(Axis::memory(), offset[Axis::memory()] * n);
  return Layout::make(std::move(shard), scaled(plain.replica()), std::move(offset), swizzle);
}

Result<Layout> pack(const Layout& layout, const Int& n) {
  const std::string call = fmt::format("pack({}, {})", layout, n);
  HEDDLE_CHECK(check_count(n, call));
  HEDDLE_TRY(const Layout plain, without_idle_swizzle(layout));
  return Packer(plain, n, call).run();
}

}  // namespace heddle::axe
