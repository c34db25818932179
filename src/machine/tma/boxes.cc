#include "machine/tma/boxes.h"

#include <algorithm>
#include <utility>

namespace heddle::machine {
namespace {

using Extents = std::vector<std::int64_t>;

/// The fewest factors of `size`, each at most 256, the first a multiple of `unit`; nullopt if more
/// than `most` are needed.
std::optional<Extents> factors(std::int64_t size, std::int64_t unit, std::size_t most) {
  if (most == 0) return std::nullopt;
  if (size <= kMostBoxExtent) {
    return size % unit == 0 ? std::optional(Extents{size}) : std::nullopt;
  }
  std::optional<Extents> best;
  for (std::int64_t first = kMostBoxExtent - kMostBoxExtent % unit; first >= 2; --first) {
    if (size % first != 0 || first % unit != 0) continue;
    const std::size_t allowed = best ? best->size() - 2 : most - 1;
    const auto rest = factors(size / first, 1, allowed);
    if (!rest) continue;
    best = Extents{first};
    best->insert(best->end(), rest->begin(), rest->end());
    if (best->size() == 2) break;
  }
  return best;
}

/// The sizes of the fast part of a digit that a box can have, ascending.
Extents divisors(const Int& extent) {
  Extents sizes;
  if (extent.is_constant()) {
    const std::int64_t most = std::min(extent.value(), kMostBoxElements);
    for (std::int64_t size = 1; size <= most; ++size) {
      if (extent.value() % size == 0) sizes.push_back(size);
    }
    return sizes;
  }
  for (std::int64_t size = 1; size <= kMostBoxExtent; ++size) {
    if (known_divides(size, extent)) sizes.push_back(size);
  }
  return sizes;
}

class BoxSearch {
 public:
  BoxSearch(const Pairing& pairing, int element_bits)
      : digits_(pairing.digits),
        unit_(std::max<std::int64_t>(1, kPieceBytes * 8 / element_bits)),
        row_(pairing.swizzle.span * 8 / element_bits) {
    if (row_ > 0) split_at_the_span();
  }

  std::vector<Box> run() {
    Box whole;
    for (std::size_t i = 0; i < digits_.size(); ++i) {
      const PairedDigit& digit = digits_[i];
      if (!known_equal(digit.shared, whole.size)) break;
      if (i == 0 && !known_equal(digit.global, 1)) break;
      for (const std::int64_t size : divisors(digit.extent)) add_partial(whole, i, size);
      if (!digit.extent.is_constant() || !append(whole, i, digit.extent.value())) break;
    }
    std::ranges::stable_sort(found_, [](const Box& a, const Box& b) {
      if (a.size != b.size) return a.size > b.size;
      return a.dims.size() < b.dims.size();
    });
    return std::move(found_);
  }

 private:
  /// Cuts the first digit into rows of the swizzle's span.
  void split_at_the_span() {
    if (digits_.empty() || !known_divides(row_, digits_[0].extent)) return;
    PairedDigit& first = digits_[0];
    if (known_equal(first.extent, row_)) return;
    PairedDigit rows = first;
    rows.extent = floor_div(first.extent, row_);
    rows.global *= row_;
    rows.shared *= row_;
    first.extent = row_;
    digits_.insert(digits_.begin() + 1, std::move(rows));
  }

  /// Appends the fast part of digit i to the box.
  [[nodiscard]] bool append(Box& box, std::size_t i, std::int64_t size) const {
    const std::size_t left = kMostDimensions - box.dims.size();
    if (size > kMostBoxElements / box.size) return false;
    const auto extents = factors(size, i == 0 ? unit_ : 1, left);
    if (!extents) return false;
    const PairedDigit& digit = digits_[i];
    std::int64_t step = 1;
    for (const std::int64_t extent : *extents) {
      box.dims.push_back({extent, digit.global * step, digit.whole});
      step *= extent;
    }
    box.size *= size;
    return true;
  }

  /// Whether swizzled rows lie where the hardware puts them: they fill the span, or there is one.
  [[nodiscard]] bool has_rows(const Box& box) const {
    if (row_ == 0 || box.dims.front().extent == row_) return true;
    return box.dims.front().extent < row_ && box.size == box.dims.front().extent;
  }

  void add_partial(const Box& whole, std::size_t i, std::int64_t size) {
    Box box = whole;
    if (size == 1 && i > 0) return;  // the box of the digits before
    if (!append(box, i, size) || !has_rows(box)) return;
    const PairedDigit& digit = digits_[i];
    const Int count = floor_div(digit.extent, size);
    if (!known_equal(count, 1)) {
      box.loops.push_back(
          {count, digit.global * size, digit.shared * size, digit.whole, whole.dims.size()});
    }
    for (std::size_t rest = i + 1; rest < digits_.size(); ++rest) {
      const PairedDigit& outer = digits_[rest];
      box.loops.push_back({outer.extent, outer.global, outer.shared, outer.whole, {}});
    }
    found_.push_back(std::move(box));
  }

  std::vector<PairedDigit> digits_;
  std::int64_t unit_;
  std::int64_t row_;
  std::vector<Box> found_;
};

}  // namespace

std::vector<Box> boxes(const Pairing& pairing, int element_bits) {
  return BoxSearch(pairing, element_bits).run();
}

}  // namespace heddle::machine
