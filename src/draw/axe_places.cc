#include "draw/axe_places.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <tuple>
#include <utility>

#include "axe/layout/iters.h"
#include "axe/layout/reach.h"
#include "draw/cute.h"
#include "heddle/axe/canonical.h"
#include "heddle/draw/axe.h"

namespace heddle::draw {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kShortNames = {{
    {"gpuid", "g"},
    {"node", "n"},
    {"pid", "p"},
    {"wgid", "wg"},
    {"warpid", "w"},
    {"warp", "w"},
    {"laneid", "l"},
    {"lane", "l"},
    {"tx", "t"},
    {"tid_in_wg", "t"},
    {"wid_in_wg", "w"},
    {"reg", "r"},
}};

std::string usual_short_name(std::string_view name) {
  const auto* found =
      std::ranges::find(kShortNames, name, &decltype(kShortNames)::value_type::first);
  if (found != kShortNames.end()) return std::string(found->second);
  // The name is followed directly by a number.
  const bool ends_in_digit = !name.empty() && name.back() >= '0' && name.back() <= '9';
  return ends_in_digit ? std::string(name) + ":" : std::string(name);
}

/// The order of axes: devices, then threads, then memory; larger groups of threads first.
auto order_of(const axe::AxisTable& table, const Axis& axis) {
  const auto axes = table.axes();
  const auto found = std::ranges::find(axes, axis.name(), &axe::AxisInfo::name);
  if (found == axes.end()) {
    return std::tuple(2, 0, 0, static_cast<std::ptrdiff_t>(axes.size()), axis.name());
  }
  // Banks are the outermost of their memory.
  const std::ptrdiff_t place = found->name == "Bank" ? -1 : found - axes.begin();
  const int outer = -static_cast<int>(found->outer);
  const int inner = -static_cast<int>(found->inner);
  // The table lists the node after its devices.
  if (found->kind == axe::AxisKind::kDevice)
    return std::tuple(0, outer, inner, -place, axis.name());
  const int kind = found->kind == axe::AxisKind::kThread ? 1 : 2;
  return std::tuple(kind, outer, inner, place, axis.name());
}

Result<void> check_layout(const axe::Layout& layout) {
  const auto check = [&](const Int& number) {
    return check_constant(number, axe::to_string(layout));
  };
  for (const std::span<const axe::Iter> iters : {layout.shard(), layout.replica()}) {
    for (const axe::Iter& iter : iters) {
      HEDDLE_CHECK(check(iter.extent));
      HEDDLE_CHECK(check(iter.stride));
    }
  }
  for (const auto& [axis, value] : layout.offset()) HEDDLE_CHECK(check(value));
  return {};
}

/// The floor of a quotient by a positive number, and its ceiling.
std::int64_t floor_of(std::int64_t number, std::int64_t divisor) {
  return number / divisor - (number % divisor < 0 ? 1 : 0);
}
std::int64_t ceil_of(std::int64_t number, std::int64_t divisor) {
  return -floor_of(-number, divisor);
}

}  // namespace

AxisPart::AxisPart(const Axis& axis, axe::AxisKind kind)
    : axis_(axis), name_(axis.name()), short_name_(usual_short_name(name_)), kind_(kind) {}

void AxisPart::use_full_name() { short_name_ = name_ + ":"; }

Result<AxisPart> AxisPart::make(const axe::Layout& layout, const Axis& axis, axe::AxisKind kind) {
  AxisPart part(axis, kind);
  part.offset_ = layout.offset()[axis].value();
  if (layout.swizzle() && layout.swizzle()->axis == axis) part.swizzle_ = layout.swizzle();
  HEDDLE_CHECK(part.take_replicas(layout));
  part.take_shard(layout);
  part.order_terms();
  part.measure(layout);
  constexpr std::int64_t kFar = std::int64_t{1} << 60;
  if (part.low_ > -kFar && part.high_ < kFar) return part;
  return refuse("draw.too_large", fmt::format("{} reaches coordinates past 2^60 on axis {}",
                                              axe::to_string(layout), axis.name()));
}

Result<void> AxisPart::take_replicas(const axe::Layout& layout) {
  // In normal form fewer sums coincide; the set is the same.
  HEDDLE_TRY(const axe::Layout canonical, axe::canonicalize(layout));
  const std::vector<axe::Iter> copies = axe::on_axis(canonical.replica(), axis_);
  auto points = axe::points(copies);
  // Every cell lists its copies, and swizzled ones have to be sorted again.
  constexpr std::size_t kMaxSwizzled = std::size_t{1} << 8;
  const std::size_t most = swizzle_ ? kMaxSwizzled : kMaxReplicas;
  if (!points || points->size() > most) {
    return refuse("draw.too_large",
                  fmt::format("{} has more than {} replicas on axis {}, and a picture lists them",
                              axe::to_string(layout), most, name_));
  }
  replicas_ = *std::move(points);
  // Negative strides of the layout itself become positive ones and an offset.
  offset_ = canonical.offset()[axis_].value();
  iters_ = copies;
  return {};
}

void AxisPart::take_shard(const axe::Layout& layout) {
  std::int64_t weight = 1;
  for (std::size_t i = layout.shard().size(); i-- > 0;) {
    const axe::Iter& iter = layout.shard()[i];
    if (iter.axis == axis_ && iter.stride != Int(0) && iter.extent != Int(1))
      digits_.push_back({iter.extent.value(), iter.stride.value(), weight});
    weight *= iter.extent.value();
  }
}

void AxisPart::order_terms() {
  for (const AxeDigit& digit : digits_)
    terms_.push_back({digit.extent, digit.stride, digit.weight, 0, 0});
  for (const axe::Iter& iter : iters_)
    terms_.push_back({iter.extent.value(), iter.stride.value(), 0, 0, 0});
  std::ranges::sort(
      terms_, [](const Term& a, const Term& b) { return std::abs(a.stride) > std::abs(b.stride); });
  std::int64_t low = 0;
  std::int64_t high = 0;
  for (std::size_t i = terms_.size(); i-- > 0;) {
    const std::int64_t last = (terms_[i].extent - 1) * terms_[i].stride;
    low += std::min<std::int64_t>(last, 0);
    high += std::max<std::int64_t>(last, 0);
    terms_[i].low = low;
    terms_[i].high = high;
  }
}

/// All iters of the axis, in the shard and in the replica, as a replica.
Result<axe::Layout> AxisPart::as_set() const {
  std::vector<axe::Iter> iters = iters_;
  for (const AxeDigit& digit : digits_) iters.push_back({digit.extent, digit.stride, axis_});
  return axe::Layout::make({}, std::move(iters));
}

/// The sums of all of them, ascending.
std::optional<std::vector<std::int64_t>> AxisPart::addresses() const {
  // Few of these coincide after the replica rules have removed the multiples.
  const auto set = as_set();
  const auto canonical = set ? axe::canonicalize(*set) : set;
  if (!canonical) return std::nullopt;
  auto sums = axe::points(canonical->replica());
  if (!sums) return std::nullopt;
  for (std::int64_t& sum : *sums) sum += canonical->offset()[axis_].value() + offset_;
  return sums;
}

void AxisPart::measure(const axe::Layout& layout) {
  const axe::Reach reach = axe::reach(layout, axis_);
  low_ = reach.low.value();
  high_ = reach.high.value();
  if (!swizzle_) return;
  if (const auto sums = addresses()) {
    low_ = high_ = swizzled(sums->front());
    for (const std::int64_t sum : *sums) {
      low_ = std::min(low_, swizzled(sum));
      high_ = std::max(high_, swizzled(sum));
    }
    return;
  }
  // Bits above the swizzle's do not change, so addresses stay within its periods.
  const std::int64_t period = swizzle_->period().value();
  low_ = floor_of(low_, period) * period;
  high_ = floor_of(high_, period) * period + period - 1;
}

std::int64_t AxisPart::swizzled(std::int64_t address) const {
  return swizzle_ ? (*swizzle_)(Int(address)).value() : address;
}

std::vector<std::int64_t> AxisPart::coordinates(std::int64_t index) const {
  std::int64_t base = offset_;
  for (const AxeDigit& digit : digits_) base += digit.of(index) * digit.stride;
  std::vector<std::int64_t> all(replicas_.begin(), replicas_.end());
  for (std::int64_t& coordinate : all) coordinate = swizzled(base + coordinate);
  if (swizzle_) std::ranges::sort(all);
  return all;
}

bool AxisPart::search(std::size_t term, std::int64_t rest, std::int64_t index,
                      std::vector<std::int64_t>& found, std::size_t& lookups) const {
  if (lookups == 0) return false;
  --lookups;
  if (term == terms_.size()) {
    if (rest == 0) found.push_back(index);
    return true;
  }
  const Term& now = terms_[term];
  const bool is_last = term + 1 == terms_.size();
  const std::int64_t low = is_last ? 0 : terms_[term + 1].low;
  const std::int64_t high = is_last ? 0 : terms_[term + 1].high;
  // low <= rest - digit * stride <= high
  const std::int64_t stride = std::abs(now.stride);
  const std::int64_t sign = now.stride < 0 ? -1 : 1;
  const std::int64_t first = ceil_of(sign > 0 ? rest - high : low - rest, stride);
  const std::int64_t last = floor_of(sign > 0 ? rest - low : high - rest, stride);
  for (std::int64_t digit = std::max<std::int64_t>(first, 0);
       digit <= std::min(last, now.extent - 1); ++digit) {
    const bool goes_on =
        search(term + 1, rest - digit * now.stride, index + digit * now.weight, found, lookups);
    if (!goes_on) return false;
  }
  return true;
}

std::optional<std::vector<std::int64_t>> AxisPart::sources(std::int64_t coordinate,
                                                           std::size_t& lookups) const {
  std::vector<std::int64_t> found;
  // A swizzle is its own inverse.
  if (!search(0, swizzled(coordinate) - offset_, 0, found, lookups)) return std::nullopt;
  axe::sort_once(found);
  return found;
}

std::optional<AxisCounts> AxisPart::counts() const {
  const auto apart = as_set();
  if (!apart) return std::nullopt;
  const auto canonical = axe::canonicalize(*apart);
  if (!canonical) return std::nullopt;
  // Strides that satisfy the gap condition give different sums, unless some iters were absorbed.
  if (axe::satisfies_gap_condition(*canonical) &&
      known_equal(axe::replication(*canonical), axe::replication(*apart))) {
    const Int all = axe::replication(*canonical);
    return AxisCounts{all.value(), all.value()};
  }
  // One pair for each coordinate and element of it.
  Int pairs = static_cast<std::int64_t>(replicas_.size());
  for (const AxeDigit& digit : digits_) pairs *= digit.extent;
  if (!known_at_most(pairs, axe::kMaxPlaces)) return std::nullopt;
  std::vector<std::int64_t> sums(replicas_.begin(), replicas_.end());
  for (const AxeDigit& digit : digits_) {
    const std::size_t before = sums.size();
    for (std::int64_t i = 1; i < digit.extent; ++i) {
      for (std::size_t j = 0; j < before; ++j) sums.push_back(sums[j] + i * digit.stride);
    }
  }
  std::ranges::sort(sums);
  AxisCounts counts;
  for (std::size_t i = 0; i < sums.size();) {
    std::size_t end = i;
    while (end < sums.size() && sums[end] == sums[i]) ++end;
    ++counts.reached;
    if (end - i == 1) ++counts.by_one;
    i = end;
  }
  return counts;
}

bool AxeParts::is_owned() const {
  return std::ranges::any_of(
      axes, [](const AxisPart& part) { return part.kind() != axe::AxisKind::kMemory; });
}

std::optional<std::int64_t> AxeParts::copies() const {
  Int copies = 1;
  for (const AxisPart& part : axes) copies *= static_cast<std::int64_t>(part.replicas().size());
  if (!copies.is_constant()) return std::nullopt;
  return copies.value();
}

Result<AxeParts> parts_of(const axe::Layout& layout, const axe::AxisTable& table) {
  HEDDLE_CHECK(check_layout(layout));
  AxeParts parts;
  parts.size = axe::size(layout).value();
  std::int64_t weight = parts.size;
  for (const axe::Iter& iter : layout.shard()) {
    weight /= iter.extent.value();
    if (iter.stride == Int(0) && iter.extent != Int(1))
      parts.still.push_back({iter.extent.value(), 0, weight});
  }
  std::vector<Axis> axes = axe::axes(layout);
  std::ranges::sort(axes, {}, [&](const Axis& axis) { return order_of(table, axis); });
  for (const Axis& axis : axes) {
    HEDDLE_TRY(AxisPart part, AxisPart::make(layout, axis, table.kind(axis)));
    parts.axes.push_back(std::move(part));
  }
  std::map<std::string, std::size_t> uses;
  for (const AxisPart& part : parts.axes) ++uses[part.short_name()];
  for (AxisPart& part : parts.axes) {
    if (uses[part.short_name()] > 1) part.use_full_name();
  }
  return parts;
}

std::string numbers_text(std::span<const std::int64_t> numbers, std::size_t most) {
  const std::size_t count = numbers.size();
  const std::size_t shown = std::max<std::size_t>(most, 1);
  const std::int64_t step = count > 1 ? numbers[1] - numbers[0] : 0;
  bool is_even = count > 2;
  for (std::size_t i = 2; is_even && i < count; ++i) is_even = numbers[i] - numbers[i - 1] == step;
  if (is_even && step == 1) return fmt::format("{}..{}", numbers.front(), numbers.back());
  if (is_even && count > std::max<std::size_t>(shown, 3))
    return fmt::format("{},{}..{}", numbers[0], numbers[1], numbers.back());
  if (count <= shown) return fmt::format("{}", fmt::join(numbers, ","));
  return fmt::format("{}+{}", fmt::join(numbers.first(shown), ","), count - shown);
}

}  // namespace heddle::draw
