#include "form/recovery.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace heddle::form {
namespace {

/// The values of a map at 0, 1, 2, … in turn: each step changes one digit, and those that it
/// carries into.
class Walk {
 public:
  explicit Walk(const StridedMap& map)
      : digits_(map.digits()),
        indices_(digits_.size(), 0),
        value_(map.offset.begin(), map.offset.end()) {}

  [[nodiscard]] bool is_at(const Vector& value) const { return std::ranges::equal(value_, value); }

  void step() {
    for (std::size_t i = 0; i < digits_.size(); ++i) {
      const std::int64_t extent = digits_[i].extent.value();
      const bool carries = ++indices_[i] == extent;
      add(digits_[i], carries ? 1 - extent : 1);
      if (!carries) return;
      indices_[i] = 0;
    }
  }

 private:
  void add(const Digit& digit, Wide times) {
    for (std::size_t axis = 0; axis < value_.size(); ++axis)
      value_[axis] += times * digit.stride[axis].value();
  }

  std::vector<Digit> digits_;
  std::vector<std::int64_t> indices_;
  WideVector value_;
};

}  // namespace

std::optional<std::int64_t> narrow(Wide wide) {
  if (wide < std::numeric_limits<std::int64_t>::min() ||
      wide > std::numeric_limits<std::int64_t>::max()) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(wide);
}

std::optional<Vector> narrow(const WideVector& wide) {
  Vector result;
  result.reserve(wide.size());
  for (const Wide value : wide) {
    const std::optional<std::int64_t> fitting = narrow(value);
    if (!fitting) return std::nullopt;
    result.push_back(*fitting);
  }
  return result;
}

std::optional<Vector> value_of(std::span<const Digit> digits, const Vector& offset,
                               std::int64_t point) {
  WideVector value(offset.begin(), offset.end());
  for (const Digit& digit : digits) {
    const std::int64_t extent = digit.extent.value();
    const std::int64_t index = &digit == &digits.back() ? point : point % extent;
    for (std::size_t axis = 0; axis < value.size(); ++axis)
      value[axis] += Wide{index} * digit.stride[axis].value();
    point /= extent;
  }
  return narrow(value);
}

Samples samples_of(std::int64_t extent, std::int64_t step, const Sampler& f) {
  Samples samples{Divisors(extent), {}, {}};
  for (std::size_t i = 0; i + 1 < samples.divisors.size(); ++i) {
    samples.at.push_back(f(samples.divisors[i] * step));
    samples.before.push_back(f((samples.divisors[i] - 1) * step));
  }
  return samples;
}

std::optional<std::vector<Digit>> digits_of(const Samples& samples, std::size_t axes,
                                            const SwizzleBits& swizzle, std::size_t swizzled_axis) {
  // For each axis and each divisor m below the number, f(m) - f(m-1), and then the jumps there.
  const Divisors& divisors = samples.divisors;
  std::vector<WideVector> jumps(axes, WideVector(divisors.size(), 0));
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const SwizzleBits here = axis == swizzled_axis ? swizzle : SwizzleBits{};
    for (std::size_t i = 0; i < samples.at.size(); ++i) {
      jumps[axis][i] = Wide{here(samples.at[i][axis])} - here(samples.before[i][axis]);
    }
    divisors.moebius_transform(jumps[axis]);
  }
  // Divisors are not sorted by size, but levels must be.
  std::vector<std::pair<std::int64_t, std::size_t>> levels;
  for (std::size_t i = 0; i + 1 < divisors.size(); ++i) {
    const auto jumps_there = [&](const WideVector& jump) { return jump[i] != 0; };
    if (divisors[i] == 1 || std::ranges::any_of(jumps, jumps_there)) {
      levels.emplace_back(divisors[i], i);
    }
  }
  std::ranges::sort(levels);
  levels.emplace_back(divisors[divisors.size() - 1], divisors.size() - 1);

  std::vector<Digit> digits;
  for (std::size_t i = 0; i + 1 < levels.size(); ++i) {
    const auto [level, index] = levels[i];
    if (levels[i + 1].first % level != 0) return std::nullopt;
    std::vector<Int> stride;
    for (std::size_t axis = 0; axis < axes; ++axis) {
      Wide wide = jumps[axis][index];
      if (i > 0) wide += Wide{digits.back().extent.value()} * digits.back().stride[axis].value();
      const std::optional<std::int64_t> fitting = narrow(wide);
      if (!fitting) return std::nullopt;
      stride.emplace_back(*fitting);
    }
    digits.push_back({levels[i + 1].first / level, std::move(stride)});
  }
  return digits;
}

std::int64_t point_count(std::span<const std::int64_t> extents) {
  std::int64_t count = 1;
  for (const std::int64_t extent : extents) count *= extent;
  return count;
}

std::vector<std::int64_t> probes(std::int64_t extent) {
  constexpr int kCount = 32;
  std::vector<std::int64_t> points{extent - 1};
  std::uint64_t state = 1;
  for (int i = 0; i < kCount; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;  // Knuth's MMIX
    points.push_back(static_cast<std::int64_t>((state >> 1U) % static_cast<std::uint64_t>(extent)));
  }
  return points;
}

Result<void> Patience::count() {
  constexpr std::int64_t kInterval = 1 << 16;
  if (++evaluations_ < next_ || !keep_going_) return {};
  next_ = evaluations_ + kInterval;
  if (keep_going_(evaluations_)) return {};
  return refuse("recover.gave_up", fmt::format("gave up after {} evaluations", evaluations_));
}

Refusal too_many_points(std::int64_t extent, std::int64_t limit) {
  return refuse("recover.too_large",
                fmt::format("{} points are too many to verify a recovered layout at "
                            "each of them (at most {})",
                            extent, limit));
}

Result<CandidateCheck> compare(const StridedMap& candidate, const Sampler& f,
                               const RecoverStridedOptions& options) {
  std::int64_t extent = 1;
  for (const Digit& digit : candidate.digits()) extent *= digit.extent.value();
  return compare(candidate, extent, Walk(candidate), f, options);
}

Witness witness_at(std::string where, std::int64_t point, const Sampler& f,
                   const StridedMap& wanted) {
  const auto value = value_at(wanted, point);
  return {std::move(where), point_text(f(point)),
          value ? point_text(*value) : "a number past 64 bits"};
}

Refusal no_candidate(const StridedMap& candidate, const CandidateCheck& comparison,
                     const Sampler& f, std::string what, std::string wanted_by) {
  Diagnostic diagnostic("recover.no_layout", std::move(what));
  if (!comparison.difference) return refuse(std::move(diagnostic));
  const std::int64_t point = *comparison.difference;
  Witness witness = witness_at(std::to_string(point), point, f, candidate);
  if (!wanted_by.empty()) witness.wanted_by = std::move(wanted_by);
  return refuse(std::move(diagnostic).with_witness(std::move(witness)));
}

}  // namespace heddle::form
