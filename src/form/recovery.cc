#include "form/recovery.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace heddle::form {
namespace {

/// The values of a map at 0, 1, 2, … one after the other: a step of one digit each, and what it
/// carries.
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

void add_multiple(WideVector& target, Wide factor, const Vector& v) {
  for (std::size_t i = 0; i < target.size(); ++i) target[i] += factor * v[i];
}

bool is_level(std::int64_t divisor, std::size_t index, const Differences& jumps) {
  return divisor == 1 ||
         std::ranges::any_of(jumps, [&](const WideVector& jump) { return jump[index] != 0; });
}

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

std::vector<Digit> to_digits(const std::vector<Run>& runs) {
  std::vector<Digit> digits;
  digits.reserve(runs.size());
  for (const Run& run : runs)
    digits.push_back({run.extent, {run.stride.begin(), run.stride.end()}});
  return digits;
}

Differences differences_of(const Divisors& divisors, std::size_t axes, const Sampler& f) {
  Differences differences(axes, WideVector(divisors.size(), 0));
  for (std::size_t i = 0; i + 1 < divisors.size(); ++i) {
    const Vector at = f(divisors[i]);
    const Vector before = f(divisors[i] - 1);
    for (std::size_t axis = 0; axis < axes; ++axis)
      differences[axis][i] = Wide{at[axis]} - before[axis];
  }
  return differences;
}

std::optional<std::vector<Run>> runs_of(const Divisors& divisors, Differences differences) {
  for (WideVector& values : differences) divisors.moebius_transform(values);
  const Differences& jumps = differences;
  // Divisors are in no order of size, but the levels have one.
  std::vector<std::pair<std::int64_t, std::size_t>> levels;
  for (std::size_t i = 0; i + 1 < divisors.size(); ++i) {
    if (is_level(divisors[i], i, jumps)) levels.emplace_back(divisors[i], i);
  }
  std::ranges::sort(levels);
  levels.emplace_back(divisors[divisors.size() - 1], divisors.size() - 1);

  std::vector<Run> runs;
  for (std::size_t i = 0; i + 1 < levels.size(); ++i) {
    const auto [level, index] = levels[i];
    if (levels[i + 1].first % level != 0) return std::nullopt;
    WideVector stride;
    for (const WideVector& jump : jumps) stride.push_back(jump[index]);
    if (i > 0) add_multiple(stride, runs.back().extent, runs.back().stride);
    std::optional<Vector> fitting = narrow(stride);
    if (!fitting) return std::nullopt;
    runs.push_back({levels[i + 1].first / level, *std::move(fitting)});
  }
  return runs;
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

Result<void> Patience::count(std::int64_t evaluations) {
  constexpr std::int64_t kInterval = 1 << 16;
  evaluations_ += evaluations;
  if (evaluations_ < next_ || !keep_going_) return {};
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
  if (extent > options.max_points) {
    for (const std::int64_t point : probes(extent)) {
      if (value_at(candidate, point) != f(point)) return CandidateCheck{.difference = point};
    }
  }
  const std::optional<bool> known = options.verify ? options.verify(candidate) : std::nullopt;
  if (known == true) return CandidateCheck{.is_equal = true};
  if (extent > options.max_points) {
    if (known) return CandidateCheck{};
    return too_many_points(extent, options.max_points);
  }
  Walk walk(candidate);
  Patience patience(options.keep_going);
  for (std::int64_t point = 0; point < extent; ++point, walk.step()) {
    HEDDLE_CHECK(patience.count());
    if (!walk.is_at(f(point))) return CandidateCheck{.difference = point};
  }
  return CandidateCheck{.is_equal = true};
}

}  // namespace heddle::form
