#include "heddle/form/recover_mixed.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <tuple>
#include <utility>

#include "form/recovery.h"

namespace heddle::form {
namespace {

/// The same limit as for CuTe's swizzles.
constexpr int kMaxSwizzledBits = 62;

/// The bits of the values on an axis.
struct Width {
  int bits = 0;
  bool is_signed = false;
};

class MixedSearch {
 public:
  MixedSearch(std::span<const std::int64_t> shape, std::size_t axes, const Sampler& f,
              const RecoverMixedOptions& options)
      : shape_(shape), axes_(axes), extent_(point_count(shape)), f_(f), options_(options) {}

  Result<MixedMap> run() {
    sample();
    HEDDLE_TRY(std::optional<MixedMap> plain, first_of(fits({MixedMap{}})));
    if (plain) return *std::move(plain);
    for (std::size_t axis = 0; axis < axes_; ++axis) {
      for (int bits = 1; bits <= kMaxSwizzledBits / 2; ++bits) {
        HEDDLE_TRY(std::optional<MixedMap> map, first_of(fits(swizzles(axis, bits))));
        if (map) return *std::move(map);
      }
    }
    if (unverified_) return too_many_points(extent_, options_.max_points);
    return no_mixed();
  }

 private:
  void sample() {
    origin_ = f_(0);
    std::int64_t step = 1;
    for (const std::int64_t extent : shape_) {
      modes_.push_back(samples_of(extent, step, f_));
      step *= extent;
    }
    for (const std::int64_t point : probes(extent_)) probes_.emplace_back(point, f_(point));
    widths_.assign(axes_, {kMaxSwizzledBits, false});
    if (extent_ > options_.max_points) return;
    std::vector<std::uint64_t> all(axes_, 0);
    for (std::int64_t point = 0; point < extent_; ++point) {
      const Vector value = f_(point);
      for (std::size_t axis = 0; axis < axes_; ++axis) {
        widths_[axis].is_signed |= value[axis] < 0;
        all[axis] |= static_cast<std::uint64_t>(value[axis] < 0 ? ~value[axis] : value[axis]);
      }
    }
    for (std::size_t axis = 0; axis < axes_; ++axis)
      widths_[axis].bits = static_cast<int>(std::bit_width(all[axis]));
  }

  /// All swizzles of `bits` bits that can matter. Bits above those that values have are all 0, or
  /// all the sign; reading 0 changes nothing. Bits written above all sums of the values stay
  /// separate from them: if the map is strided with such a swizzle, it also is without.
  [[nodiscard]] std::vector<MixedMap> swizzles(std::size_t axis, int bits) const {
    const auto [width, is_signed] = widths_[axis];
    const int carried = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(extent_)));
    const int end_written = std::min(kMaxSwizzledBits, width + carried + 3);
    const int end_read = is_signed ? end_written : std::min(kMaxSwizzledBits, width);
    std::vector<MixedMap> all;
    for (int base = 0; base + bits <= end_read; ++base) {
      for (int shift = bits; base + bits + shift <= kMaxSwizzledBits; ++shift) {
        if (base + bits + shift <= end_read) all.push_back({{}, {bits, base, shift}, axis});
        if (base + bits + shift <= end_written) all.push_back({{}, {bits, base, -shift}, axis});
      }
    }
    return all;
  }

  /// The swizzles for which the samples fit a strided map, the best first.
  [[nodiscard]] std::vector<MixedMap> fits(std::vector<MixedMap> swizzles) const {
    std::vector<MixedMap> found;
    for (MixedMap& map : swizzles) {
      if (complete(map) && agrees(map)) found.push_back(std::move(map));
    }
    std::ranges::stable_sort(found, {}, [](const MixedMap& map) {
      const bool has_offset = map.strided.offset[map.axis] != 0;
      return std::tuple(has_offset, map.swizzle.shift < 0, map.strided.digits().size(),
                        map.swizzle.base, std::abs(map.swizzle.shift));
    });
    return found;
  }

  [[nodiscard]] Vector unswizzled(const MixedMap& map, Vector value) const {
    value[map.axis] = map.swizzle(value[map.axis]);
    return value;
  }

  /// Finds the only possible strided part.
  [[nodiscard]] bool complete(MixedMap& map) const {
    map.strided.offset = axes_ == 0 ? Vector() : unswizzled(map, origin_);
    for (const Samples& mode : modes_) {
      auto digits = digits_of(mode, axes_, map.swizzle, map.axis);
      if (!digits) return false;
      map.strided.modes.push_back(*std::move(digits));
    }
    return true;
  }

  [[nodiscard]] bool agrees(const MixedMap& map) const {
    return std::ranges::all_of(
        probes_, [&](const auto& probe) { return value_at(map, probe.first) == probe.second; });
  }

  /// The first of the candidates that equals f.
  Result<std::optional<MixedMap>> first_of(std::vector<MixedMap> candidates) {
    for (MixedMap& map : candidates) {
      RecoverStridedOptions options{{}, options_.max_points, options_.keep_going};
      if (options_.verify) {
        options.verify = [&](const StridedMap&) { return options_.verify(map); };
      }
      const Sampler strided = [&](std::int64_t point) { return unswizzled(map, f_(point)); };
      const Result<CandidateCheck> comparison = compare(map.strided, strided, options);
      if (!comparison && comparison.error().code() != "recover.too_large") {
        return refuse(comparison.error());
      }
      if (!comparison) unverified_ = true;
      if (comparison && comparison->is_equal) return std::move(map);
    }
    return std::nullopt;
  }

  [[nodiscard]] Result<MixedMap> no_mixed() const {
    Diagnostic diagnostic(
        "recover.no_mixed",
        "no strided layout followed by a swizzle has this function: all swizzles were tried");
    const auto plain =
        recover_compatible(shape_, axes_, f_, {{}, options_.max_points, options_.keep_going});
    if (!plain && plain.error().witness()) {
      Witness witness = *plain.error().witness();
      witness.wanted_by = "a layout without a swizzle";
      diagnostic = std::move(diagnostic).with_witness(std::move(witness));
    }
    return refuse(std::move(diagnostic));
  }

  std::span<const std::int64_t> shape_;
  std::size_t axes_;
  std::int64_t extent_;
  const Sampler& f_;
  const RecoverMixedOptions& options_;

  Vector origin_;
  std::vector<Samples> modes_;
  std::vector<std::pair<std::int64_t, Vector>> probes_;
  std::vector<Width> widths_;
  bool unverified_ = false;
};

}  // namespace

std::int64_t SwizzleBits::operator()(std::int64_t address) const {
  const std::int64_t mask = ((std::int64_t{1} << bits) - 1) << base;
  return shift < 0 ? address ^ ((address & mask) << -shift) : address ^ ((address >> shift) & mask);
}

std::optional<std::vector<std::int64_t>> value_at(const MixedMap& map, std::int64_t flat) {
  std::optional<Vector> value = value_at(map.strided, flat);
  if (value && map.axis < value->size()) (*value)[map.axis] = map.swizzle((*value)[map.axis]);
  return value;
}

Result<MixedMap> recover_mixed(std::span<const std::int64_t> shape, std::size_t axes,
                               const Sampler& f, const RecoverMixedOptions& options) {
  if (axes == 0) return refuse("recover.no_mixed", "the images are on no axis");
  return MixedSearch(shape, axes, f, options).run();
}

}  // namespace heddle::form
