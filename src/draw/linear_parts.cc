#include "draw/linear_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "linear/bit_runs.h"

namespace heddle::draw {
namespace {

using linear::Dimension;
using linear::LinearLayout;

bool are_among(std::span<const Dimension> dims, std::span<const std::string_view> names) {
  return std::ranges::all_of(dims, [&](const Dimension& dim) {
    return std::ranges::find(names, dim.name) != names.end();
  });
}

/// The coordinate of an input dimension, 0 if the layout does not have it.
std::uint64_t input_coordinate(const LinearLayout& layout, std::string_view name,
                               std::uint64_t input) {
  const auto run = linear::run_of(layout.in_dims(), name);
  return run ? run->of(input) : 0;
}

std::string thread_text(const LinearLayout& layout, std::uint64_t input) {
  const Dimension* lanes = layout.find_in("lane");
  const int lane_bits = lanes == nullptr ? 0 : lanes->bits;
  const std::uint64_t thread = input_coordinate(layout, "lane", input) |
                               input_coordinate(layout, "warp", input) << lane_bits;
  return fmt::format("T{}:{}", thread, input_coordinate(layout, "register", input));
}

std::string coordinates_text(const LinearLayout& layout, std::uint64_t input) {
  std::vector<std::int64_t> coordinates;
  for (const Dimension& dim : layout.in_dims()) {
    if (dim.name == "block" && dim.bits == 0) continue;
    coordinates.push_back(static_cast<std::int64_t>(input_coordinate(layout, dim.name, input)));
  }
  return coordinates.size() == 1 ? std::to_string(coordinates.front())
                                 : fmt::format("({})", fmt::join(coordinates, ","));
}

/// The number of a dimension `dim<number>`.
std::optional<std::size_t> dim_number(std::string_view name) {
  if (!name.starts_with("dim") || name.size() != 4 || name[3] < '0' || name[3] > '9')
    return std::nullopt;
  return static_cast<std::size_t>(name[3] - '0');
}

std::uint64_t coordinate_of(const BitAxis& axis, std::uint64_t word) {
  return linear::Run{axis.begin, axis.bits}.of(word);
}

}  // namespace

Preimages::Preimages(const form::BitMatrix& matrix)
    : pivots_(form::pivots(matrix)),
      image_(matrix.columns()),
      // Layouts have at most 64 input bits, the limit of form::kernel().
      kernel_space_(form::kernel(matrix).value()),
      kernel_(kernel_space_.basis()) {}

std::optional<std::uint64_t> Preimages::least(std::uint64_t output) const {
  const auto combination = image_.express(output);
  if (!combination) return std::nullopt;
  std::uint64_t input = 0;
  for (std::size_t i = 0; i < pivots_.size(); ++i) {
    if ((*combination >> i & 1) != 0) input |= std::uint64_t{1} << pivots_[i];
  }
  return kernel_space_.reduce(input);
}

std::uint64_t Preimages::count() const {
  return kernel_.size() >= 64 ? std::numeric_limits<std::uint64_t>::max()
                              : std::uint64_t{1} << kernel_.size();
}

std::vector<std::uint64_t> Preimages::inputs(std::uint64_t least, std::size_t most) const {
  std::vector<std::uint64_t> inputs;
  const std::uint64_t listed = std::min<std::uint64_t>(most, count());
  for (std::uint64_t number = 0; number < listed; ++number) {
    std::uint64_t input = least;
    // The basis is ascending and reduced, so the inputs ascend with their numbers.
    for (std::size_t i = 0; i < kernel_.size(); ++i) {
      if ((number >> i & 1) != 0) input ^= kernel_[i];
    }
    inputs.push_back(input);
  }
  return inputs;
}

Hardware hardware_of(const LinearLayout& layout) {
  constexpr std::string_view kThreadDims[] = {"register", "lane", "warp", "block"};
  constexpr std::string_view kMemoryDims[] = {"offset", "block", "partition"};
  if (layout.has_in_dim("offset") && are_among(layout.in_dims(), kMemoryDims))
    return Hardware::kSharedMemory;
  const bool has_threads =
      layout.has_in_dim("register") || layout.has_in_dim("lane") || layout.has_in_dim("warp");
  return has_threads && are_among(layout.in_dims(), kThreadDims) ? Hardware::kThreads
                                                                 : Hardware::kOther;
}

std::string place_text(const LinearLayout& layout, std::uint64_t input) {
  const Hardware hardware = hardware_of(layout);
  if (hardware == Hardware::kOther) return coordinates_text(layout, input);
  std::string place = hardware == Hardware::kThreads
                          ? thread_text(layout, input)
                          : std::to_string(input_coordinate(layout, "offset", input));
  if (layout.has_in_dim("partition")) {
    place = fmt::format("P{}:{}", input_coordinate(layout, "partition", input), place);
  }
  const Dimension* blocks = layout.find_in("block");
  if (blocks == nullptr || blocks->bits == 0) return place;
  return fmt::format("B{}:{}", input_coordinate(layout, "block", input), place);
}

std::string named_text(std::span<const Dimension> dims, std::uint64_t word) {
  std::vector<std::string> parts;
  const std::vector<std::int64_t> coordinates = linear::coordinates(dims, word);
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (coordinates[i] != 0) parts.push_back(fmt::format("{}={}", dims[i].name, coordinates[i]));
  }
  return parts.empty() ? "0" : fmt::format("{}", fmt::join(parts, ", "));
}

std::string title_of(const LinearLayout& layout, const PictureOptions& options) {
  if (options.title) return *options.title;
  const auto sizes = [](std::span<const Dimension> dims) {
    std::vector<std::string> texts;
    for (const Dimension& dim : dims) texts.push_back(fmt::format("{} {}", dim.name, dim.size()));
    return texts.empty() ? "()" : fmt::format("{}", fmt::join(texts, ", "));
  };
  return fmt::format("{} -> {}", sizes(layout.in_dims()), sizes(layout.out_dims()));
}

std::vector<BitAxis> tensor_axes(const LinearLayout& layout) {
  std::vector<BitAxis> axes = axes_of(layout.out_dims());
  const bool are_numbered = std::ranges::all_of(axes, [&](const BitAxis& axis) {
    const auto number = dim_number(axis.name);
    return number && *number < axes.size();
  });
  if (are_numbered) std::ranges::sort(axes, {}, &BitAxis::name);
  return axes;
}

std::string element_text(std::span<const BitAxis> axes, std::uint64_t word) {
  std::vector<std::uint64_t> coordinates;
  for (const BitAxis& axis : axes) coordinates.push_back(coordinate_of(axis, word));
  return coordinates.size() == 1 ? std::to_string(coordinates.front())
                                 : fmt::format("({})", fmt::join(coordinates, ","));
}

std::size_t AxisColors::of(std::uint64_t word) const {
  return rule.of(static_cast<std::int64_t>(coordinate_of(axis, word)));
}

Result<AxisColors> axis_colors(std::span<const BitAxis> axes, std::string_view usual,
                               const PictureOptions& options) {
  HEDDLE_CHECK(check_colors(options, "coordinate", "coordinates"));
  const std::string name = options.color_by.value_or(std::string(usual));
  const auto axis = std::ranges::find(axes, name, &BitAxis::name);
  if (axis == axes.end() && options.color_by) {
    std::vector<std::string> names;
    for (const BitAxis& other : axes) names.push_back(other.name);
    return no_such_color("dimension " + name, names);
  }
  if (axis == axes.end()) return AxisColors{};
  return AxisColors{*axis, color_rule(options, axis->name, Int(std::int64_t{1} << axis->bits))};
}

}  // namespace heddle::draw
