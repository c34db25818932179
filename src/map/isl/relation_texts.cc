#include "map/isl/relation_texts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "map/view/shown_digits.h"

namespace heddle::map {

std::string names_text(char letter, std::size_t count) {
  return fmt::format("{}", fmt::join(numbered_names(count, {&letter, 1}), ", "));
}

std::string box_conditions(char letter, std::span<const std::int64_t> extents) {
  std::vector<std::string> bounds{"true"};
  for (std::size_t i = 0; i < extents.size(); ++i) {
    bounds.push_back(fmt::format("0 <= {}{} < {}", letter, i, extents[i]));
  }
  return fmt::format("{}", fmt::join(bounds, " and "));
}

std::string weighted_sum(std::span<const std::int64_t> weights, char letter) {
  std::vector<std::string> terms{"0"};
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] != 0) terms.push_back(fmt::format("{}*{}{}", weights[i], letter, i));
  }
  return fmt::format("{}", fmt::join(terms, " + "));
}

std::vector<std::int64_t> colexicographic_strides(std::span<const std::int64_t> extents) {
  std::vector<std::int64_t> strides;
  std::int64_t stride = 1;
  for (const std::int64_t extent : extents) {
    strides.push_back(stride);
    stride *= extent;
  }
  return strides;
}

std::string flattening(char letter, std::span<const std::int64_t> extents) {
  return fmt::format("{{ [{}] -> [{}] : {} }}", names_text(letter, extents.size()),
                     weighted_sum(colexicographic_strides(extents), letter),
                     box_conditions(letter, extents));
}

std::string binary_vector_space(const linear::LinearLayout& layout) {
  const auto columns = layout.matrix().columns();
  std::vector<std::string> sums;
  for (std::size_t row = 0; row < layout.matrix().rows(); ++row) {
    std::vector<std::string> bits;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (((columns[i] >> row) & 1) != 0) bits.push_back(fmt::format("c{}", i));
    }
    if (bits.size() < 2) {
      sums.push_back(bits.empty() ? "0" : bits.front());
    } else {
      sums.push_back(fmt::format("({}) mod 2", fmt::join(bits, " + ")));
    }
  }
  return fmt::format("{{ [{}] -> [{}] : {} }}", names_text('c', columns.size()),
                     fmt::join(sums, ", "), box_conditions('c', twos(columns.size())));
}

std::vector<std::int64_t> sizes_of(std::span<const linear::Dimension> dimensions) {
  std::vector<std::int64_t> sizes;
  for (const linear::Dimension& dimension : dimensions) sizes.push_back(dimension.size());
  return sizes;
}

std::vector<std::int64_t> twos(std::size_t count) { return std::vector<std::int64_t>(count, 2); }

}  // namespace heddle::map
