#include "map/isl/swizzled_loops.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <ranges>
#include <span>
#include <string>
#include <utility>

#include "heddle/core/exact.h"
#include "map/view/shown_digits.h"

namespace heddle::map {
namespace {

/// The loops visit at most so many places of a block for each that belongs to a point.
constexpr std::int64_t kMostVisited = 16;

/// A digit of a coordinate whose steps lead forward through memory.
struct ForwardDigit {
  std::size_t coordinate = 0;
  /// The weight of one step in the coordinate.
  std::int64_t weight = 1;
  std::int64_t extent = 1;
  std::int64_t stride = 1;
  std::string name;
};

/// The digits that move from block to block, and those within a block; each by falling stride.
struct BlockDigits {
  std::int64_t block = 1;
  std::vector<ForwardDigit> between;
  std::vector<ForwardDigit> within;
};

/// Cuts a digit that reaches from within a block past its end; false if that is not possible.
bool add_digit(BlockDigits& digits, ForwardDigit digit) {
  if (digit.stride >= digits.block) {
    if (digit.stride % digits.block != 0) return false;
    digits.between.push_back(std::move(digit));
    return true;
  }
  const std::int64_t steps = digits.block / digit.stride;
  if (digit.extent > steps) {
    if (digits.block % digit.stride != 0 || digit.extent % steps != 0) return false;
    ForwardDigit upper = digit;
    upper.weight *= steps;
    upper.extent /= steps;
    upper.stride = digits.block;
    upper.name += "_high";
    digits.between.push_back(std::move(upper));
    digit.extent = steps;
  }
  digits.within.push_back(std::move(digit));
  return true;
}

/// Sorts by falling stride; the sum of the steps if each is longer than all shorter ones together.
exact::Value sorted_reach(std::vector<ForwardDigit>& digits) {
  std::ranges::sort(digits, std::ranges::greater(), &ForwardDigit::stride);
  exact::Value reach = 0;
  for (const ForwardDigit& digit : std::views::reverse(digits)) {
    if (!reach || digit.stride <= *reach) return std::nullopt;
    const exact::Value longest = exact::multiply(digit.stride, digit.extent - 1);
    reach = longest ? exact::add(*reach, *longest) : std::nullopt;
  }
  return reach;
}

std::int64_t count_of(std::span<const ForwardDigit> digits) {
  std::int64_t count = 1;
  for (const ForwardDigit& digit : digits) count *= digit.extent;
  return count;
}

/// Whether the digits are forward, and the offset is at the beginning of a block.
std::optional<BlockDigits> block_digits(const View& view, std::int64_t block) {
  BlockDigits digits{block, {}, {}};
  for (std::size_t i = 0; i < view.strided->modes.size(); ++i) {
    const auto& mode = view.strided->modes[i];
    std::int64_t below = 1;
    for (std::size_t d = 0; d < mode.size(); ++d) {
      const Int& extent = mode[d].extent;
      const Int& stride = mode[d].stride.front();
      if (!extent.is_constant() || !stride.is_constant() || extent.value() < 1) return std::nullopt;
      const std::int64_t weight = below;
      const exact::Value next = exact::multiply(below, extent.value());
      if (!next) return std::nullopt;
      below = *next;
      if (extent.value() == 1) continue;
      if (stride.value() < 1) return std::nullopt;
      const std::string name =
          mode.size() == 1 ? view.names[i] : fmt::format("{}_{}", view.names[i], d);
      if (!add_digit(digits, {i, weight, extent.value(), stride.value(), name}))
        return std::nullopt;
    }
  }
  const exact::Value within = sorted_reach(digits.within);
  if (!within || *within >= block || !sorted_reach(digits.between)) return std::nullopt;
  if (block / count_of(digits.within) > kMostVisited) return std::nullopt;
  return digits;
}

LoopNode loop_of(const Int& variable, std::string name, std::int64_t extent, bool is_outermost,
                 std::vector<LoopNode> body) {
  return {Loop{.name = std::move(name),
               .variable = variable,
               .firsts = {0},
               .ends = {extent},
               .step = 1,
               .is_parallel = is_outermost,
               .body = std::move(body)}};
}

/// Adds the digits of a place within its block to the coordinates; the conditions under which it is
/// the place of a point.
std::vector<Condition> add_within(const BlockDigits& digits, Int rest, std::vector<Int>& point) {
  std::vector<Condition> conditions;
  const auto require = [&](const Condition& condition) {
    if (!known(condition)) conditions.push_back(condition);
  };
  for (const ForwardDigit& digit : digits.within) {
    const Int value = floor_div(rest, digit.stride);
    rest = mod(rest, digit.stride);
    require({value, Predicate::kLess, digit.extent});
    point[digit.coordinate] += digit.weight * value;
  }
  require({rest, Predicate::kEqual, 0});
  return conditions;
}

}  // namespace

std::optional<std::vector<LoopNode>> loops_over_swizzled_places(const View& view) {
  constexpr int kMostBits = 30;
  if (!view.strided || !view.strided->swizzle || view.axes.size() != 1 || !view.is_function() ||
      view.leaves_out) {
    return std::nullopt;
  }
  const SwizzleStep& step = *view.strided->swizzle;
  const Int& offset = view.strided->offset.front();
  const std::int64_t written = swizzled(step, step.source) ^ step.source;
  const auto bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(written)));
  const std::int64_t block = std::int64_t{1} << std::min(bits, kMostBits);
  const bool is_at_block =
      offset.is_constant() && offset.value() >= 0 && offset.value() % block == 0;
  if (!is_involution(step) || bits > kMostBits || !is_at_block) return std::nullopt;
  const std::optional<BlockDigits> digits = block_digits(view, block);
  if (!digits) return std::nullopt;

  std::vector<Int> point(view.extents.size(), Int(0));
  std::vector<Int> between;
  Int place = offset;
  for (const ForwardDigit& digit : digits->between) {
    between.push_back(Int::variable(digit.name, 0, digit.extent - 1));
    place += digit.stride * between.back();
    point[digit.coordinate] += digit.weight * between.back();
  }
  const std::string place_name = view.axes.front().name();
  const std::string low_name = between.empty() ? place_name : place_name + "_low";
  const Int low = Int::variable(low_name, 0, block - 1);
  place += low;
  std::vector<Condition> conditions =
      add_within(*digits, bit_xor(low, flipped_bits(step, place)), point);
  std::vector<LoopNode> nodes = {{Visit{point, {place}}}};
  if (!conditions.empty()) {
    nodes = {{LoopGuard{
        .alternatives = {std::move(conditions)}, .then = std::move(nodes), .otherwise = {}}}};
  }
  nodes = {loop_of(low, low_name, block, between.empty(), std::move(nodes))};
  for (std::size_t i = between.size(); i > 0; --i) {
    const ForwardDigit& digit = digits->between[i - 1];
    nodes = {loop_of(between[i - 1], digit.name, digit.extent, i == 1, std::move(nodes))};
  }
  const bool has_numbers = std::ranges::all_of(point, &Int::is_defined) && place.is_defined();
  return has_numbers ? std::optional(std::move(nodes)) : std::nullopt;
}

}  // namespace heddle::map
