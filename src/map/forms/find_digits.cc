// Finds the digits of a map: shown by its notation, read off its values, or read off its values
// under a swizzle.

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/bits.h"
#include "heddle/form/recover.h"
#include "heddle/form/recover_mixed.h"
#include "map/forms/conversion.h"
#include "map/view/shown_digits.h"

namespace heddle::map {
namespace {

using Numbers = std::vector<std::int64_t>;

// ---- Swizzles over bits ----

/// The bits of one axis within the word of all axes.
struct AxisBits {
  std::size_t axis = 0;
  int begin = 0;
  int width = 0;

  [[nodiscard]] std::uint64_t mask() const { return low_bits(width) << begin; }
  /// The word with the bits of the axis swizzled.
  [[nodiscard]] std::uint64_t after(const SwizzleStep& step, std::uint64_t word) const {
    const auto address = static_cast<std::int64_t>((word & mask()) >> begin);
    return (word & ~mask()) | static_cast<std::uint64_t>(swizzled(step, address)) << begin;
  }
};

template <class Change>
bool are_disjoint(const form::BitMatrix& matrix, Change change) {
  std::uint64_t taken = 0;
  for (const std::uint64_t column : matrix.columns()) {
    const std::uint64_t image = change(column);
    if ((taken & image) != 0) return false;
    taken |= image;
  }
  return true;
}

/// All swizzles on `width` bits of the first axis, those that read fewest bits first.
std::vector<SwizzleStep> swizzles_on(int width) {
  std::vector<SwizzleStep> steps;
  for (int bits = 1; 2 * bits <= width; ++bits) {
    for (int base = 0; base + 2 * bits <= width; ++base) {
      for (int shift = bits; base + bits + shift <= width; ++shift) {
        const auto source = static_cast<std::int64_t>(low_bits(bits) << (base + shift));
        steps.push_back({0, source, shift});
        steps.push_back({0, source >> shift, -shift});
      }
    }
  }
  return steps;
}

/// The digits of a function over bits if each image represents all of its XORs with the copies;
/// nullopt if a step of the copies would overlap another one.
std::optional<StridedView> digits_with_copies(BitView bits, std::span<const Int> extents,
                                              const form::Subspace& copies) {
  std::vector<std::uint64_t> columns;
  bits.offset = copies.reduce(bits.offset);
  std::uint64_t taken = bits.offset;
  for (const std::uint64_t column : bits.matrix.columns()) {
    columns.push_back(copies.reduce(column));
    taken |= columns.back();
  }
  bits.matrix = form::BitMatrix(bits.matrix.rows(), std::move(columns));
  std::vector<form::Digit> steps;
  for (const std::uint64_t copy : copies.basis()) {
    if ((taken & copy) != 0) return std::nullopt;
    taken |= copy;
    const Numbers step = unpacked(bits, copy);
    steps.push_back({2, std::vector<Int>(step.begin(), step.end())});
  }
  std::optional<StridedView> strided = digits_of(bits, extents);
  if (strided) strided->copies = std::move(steps);
  return strided;
}

// ---- Symbolic sizes ----

/// The digits of a view in which each index moves the image by a constant step, one for each index.
/// A step counts as constant if simplification proves it for every point of the box.
std::optional<StridedView> affine_digits(const View& view) {
  StridedView strided;
  std::vector<Int> point(view.extents.size(), Int(0));
  strided.offset = view.evaluate(point, 0);
  for (std::size_t i = 0; i < view.extents.size(); ++i) {
    form::Digit digit{view.extents[i], std::vector<Int>(view.axes.size(), Int(0))};
    if (!known_equal(view.extents[i], 1)) {
      point[i] = 1;
      const std::vector<Int> image = view.evaluate(point, 0);
      point[i] = 0;
      for (std::size_t axis = 0; axis < image.size(); ++axis) {
        digit.stride[axis] = image[axis] - strided.offset[axis];
        if (!digit.stride[axis].is_defined()) return std::nullopt;
      }
    }
    strided.modes.push_back({std::move(digit)});
  }
  const std::vector<Int> variables =
      variable_point(view.extents, numbered_names(view.extents.size(), "heddle_"));
  const std::vector<Int> found = view.evaluate(variables, 0);
  const std::vector<Int> wanted = image_of(strided, variables, 0);
  for (std::size_t axis = 0; axis < found.size(); ++axis) {
    if (!found[axis].is_defined() || !known_equal(found[axis], wanted[axis])) return std::nullopt;
  }
  return strided;
}

// ---- Values ----

Numbers difference(std::span<const std::int64_t> a, std::span<const std::int64_t> b) {
  Numbers result;
  for (std::size_t i = 0; i < a.size(); ++i) result.push_back(a[i] - b[i]);
  return result;
}

Numbers sum(std::span<const std::int64_t> a, std::span<const std::int64_t> b) {
  Numbers result;
  for (std::size_t i = 0; i < a.size(); ++i) result.push_back(a[i] + b[i]);
  return result;
}

/// Numbers so large that sums of two may exceed 64 bits are left to the exact digits.
bool are_small(const Samples& samples) {
  constexpr std::int64_t kLimit = std::int64_t{1} << 61;
  return std::ranges::all_of(samples.values,
                             [](std::int64_t value) { return -kLimit < value && value < kLimit; });
}

/// The distance between points that differ by one in each index.
std::vector<std::int64_t> weights_of(const Samples& samples) {
  std::vector<std::int64_t> weights;
  std::int64_t weight = 1;
  for (const std::int64_t extent : samples.extents) {
    weights.push_back(weight);
    weight *= extent;
  }
  return weights;
}

/// Two points of a mode whose sum should have the wanted value.
std::optional<std::int64_t> first_part(const form::Obstacle& obstacle, const form::Sampler& along) {
  for (std::int64_t part = 1; 2 * part <= obstacle.point; ++part) {
    if (sum(along(part), along(obstacle.point - part)) == obstacle.wanted) return part;
  }
  return std::nullopt;
}

Diagnostic broken_mode(const Task& task, const Samples& samples, std::size_t mode,
                       const form::Sampler& along) {
  const std::int64_t extent = samples.extents[mode];
  const auto obstacle = form::find_obstacle(extent, samples.axes, along);
  if (!obstacle) return no_layout(task, fmt::format("mode {} is not strided", mode));
  const auto point_at = [&](std::int64_t step) {
    Numbers point(samples.extents.size(), 0);
    point[mode] = step;
    return point;
  };
  const auto text_at = [&](std::int64_t step) {
    return sample_text(point_at(step), samples.at(samples.flat(point_at(step))));
  };
  const Numbers point = point_at(obstacle->point);
  const Numbers wanted = sum(samples.at(0), obstacle->wanted);
  Diagnostic proof = no_layout(
      task,
      fmt::format("mode {} breaks: the steps before {} do not give the value there, and {}", mode,
                  point_text(point), obstacle->why),
      point, samples.at(samples.flat(point)), wanted);
  const auto part = first_part(*obstacle, along);
  if (!part) return proof;
  return std::move(proof).with_note(fmt::format("{} and {} would make it {}, but {}",
                                                text_at(*part), text_at(obstacle->point - *part),
                                                point_text(wanted), text_at(obstacle->point)));
}

/// The proof that the images of two parts of a coordinate do not add up.
Diagnostic broken_sum(const Task& task, const Samples& samples, const Numbers& point,
                      std::size_t last) {
  Numbers first = point;
  first[last] = 0;
  Numbers second(point.size(), 0);
  second[last] = point[last];
  const auto value = [&](const Numbers& at) { return samples.at(samples.flat(at)); };
  const Numbers wanted = difference(sum(value(first), value(second)), samples.at(0));
  return no_layout(
      task,
      fmt::format("mode {} breaks: {}, {}, {}: digits and strides would add up to f{} = {}", last,
                  sample_text(first, value(first)), sample_text(second, value(second)),
                  sample_text(point, value(point)), tuple_text(point), point_text(wanted)),
      point, value(point), wanted);
}

/// The least point whose image is not the sum for its last index and the others; and that last
/// index.
std::optional<std::pair<Numbers, std::size_t>> first_broken_sum(const Samples& samples) {
  const std::vector<std::int64_t> weights = weights_of(samples);
  const std::int64_t size = samples.size();
  for (std::int64_t flat = 1; flat < size; ++flat) {
    std::size_t last = samples.extents.size() - 1;
    while (weights[last] > flat || samples.extents[last] == 1) --last;
    const std::int64_t rest = flat % weights[last];
    if (rest == 0) continue;
    const auto here = samples.at(flat);
    const auto below = samples.at(rest);
    const auto along = samples.at(flat - rest);
    const auto origin = samples.at(0);
    for (std::size_t axis = 0; axis < samples.axes; ++axis) {
      if (here[axis] - along[axis] == below[axis] - origin[axis]) continue;
      return std::pair(samples.point(flat), last);
    }
  }
  return std::nullopt;
}

form::Sampler sampler_of(const Samples& samples) {
  return [&samples](std::int64_t flat) {
    const auto image = samples.at(flat);
    return Numbers(image.begin(), image.end());
  };
}

/// Why the values are not strided: a mode that is not, or the least point whose image is not the
/// sum of its parts.
Diagnostic not_strided(const Task& task, const Samples& samples) {
  if (!are_small(samples)) return no_layout(task, "its values are not sums of digits by strides");
  const std::vector<std::int64_t> weights = weights_of(samples);
  for (std::size_t mode = 0; mode < samples.extents.size(); ++mode) {
    const form::Sampler along = [&, weight = weights[mode]](std::int64_t step) {
      return difference(samples.at(step * weight), samples.at(0));
    };
    const std::int64_t extent = samples.extents[mode];
    if (!form::recover(extent, samples.axes, along)) {
      return broken_mode(task, samples, mode, along);
    }
  }
  if (const auto broken = first_broken_sum(samples)) {
    return broken_sum(task, samples, broken->first, broken->second);
  }
  return no_layout(task, "its values are not sums of digits by strides");
}

Result<StridedView> digits_of_samples(const Task& task, const Samples& samples) {
  const auto map = form::recover_compatible(samples.extents, samples.axes, sampler_of(samples), {});
  if (map) return strided_view({*map, {}, 0});
  return refuse(not_strided(task, samples));
}

/// The digits of the values before a swizzle: the function is the swizzle after the digits.
std::optional<StridedView> swizzled_digits(const Samples& samples) {
  const auto map = form::recover_mixed(samples.extents, samples.axes, sampler_of(samples), {});
  if (!map) return std::nullopt;
  return strided_view(*map);
}

Diagnostic with_swizzle_note(Diagnostic proof) {
  return std::move(proof).with_note("no swizzle of its address bits makes it strided either");
}

/// The proof that a function over bits is not strided: two bits of the point that affect the same
/// bit of the image.
Diagnostic touching_bits(const Task& task) {
  const BitView& bits = *task.view.bits;
  std::vector<Numbers> points;
  for (std::size_t mode = 0; mode < task.view.extents.size(); ++mode) {
    for (std::int64_t step = 1; step < task.view.extents[mode].value(); step *= 2) {
      Numbers point(task.view.extents.size(), 0);
      point[mode] = step;
      points.push_back(std::move(point));
    }
  }
  const std::span<const std::uint64_t> columns = bits.matrix.columns();
  for (std::size_t b = 1; b < columns.size(); ++b) {
    for (std::size_t a = 0; a < b; ++a) {
      if ((columns[a] & columns[b]) == 0) continue;
      const Numbers origin = unpacked(bits, bits.offset);
      const Numbers at_a = unpacked(bits, columns[a] ^ bits.offset);
      const Numbers at_b = unpacked(bits, columns[b] ^ bits.offset);
      const Numbers found = unpacked(bits, columns[a] ^ columns[b] ^ bits.offset);
      const Numbers wanted = difference(sum(at_a, at_b), origin);
      const Numbers point = sum(points[a], points[b]);
      return no_layout(
          task,
          fmt::format("{} and {} touch one bit: {}, {}, and their sum would be {}",
                      point_text(points[a]), point_text(points[b]), sample_text(points[a], at_a),
                      sample_text(points[b], at_b), point_text(wanted)),
          point, found, wanted);
    }
  }
  return no_layout(task, "its bits touch one another");
}

Result<StridedView> sampled_digits(const Task& task, bool may_swizzle) {
  const auto samples = samples_of(task);
  if (!samples) {
    if (auto affine = affine_digits(task.view)) return *std::move(affine);
    return refuse(samples.error());
  }
  auto digits = digits_of_samples(task, *samples);
  if (digits || !may_swizzle) return digits;
  if (auto swizzled = swizzled_digits(*samples)) return *std::move(swizzled);
  return refuse(with_swizzle_note(digits.error()));
}

/// The digits as CuTe and Axe write them; for other systems as few as possible.
StridedView shown_digits(const View& view) {
  const bool is_written =
      view.system == System::kCute || view.system == System::kCuteTv || view.system == System::kAxe;
  return is_written ? *view.strided : coalesced(*view.strided);
}

}  // namespace

std::optional<StridedView> unswizzled(const BitView& bits, std::span<const Int> extents,
                                      const form::Subspace& copies) {
  if (copies.dimension() > 0) {
    auto plain = digits_with_copies(bits, extents, copies);
    if (plain) return plain;
  }
  AxisBits part;
  for (std::size_t axis = 0; axis < bits.widths.size(); ++axis) {
    part = {axis, part.begin + part.width, bits.widths[axis]};
    if (part.width < 2) continue;
    const std::uint64_t others = ~part.mask();
    const bool is_alone = copies.dimension() == 0;
    if (is_alone && !are_disjoint(bits.matrix, [&](std::uint64_t word) { return word & others; })) {
      continue;
    }
    for (SwizzleStep step : swizzles_on(part.width)) {
      const auto change = [&](std::uint64_t word) { return part.after(step, word); };
      if (is_alone && !are_disjoint(bits.matrix, change)) continue;
      std::vector<std::uint64_t> columns;
      std::ranges::transform(bits.matrix.columns(), std::back_inserter(columns), change);
      BitView plain = bits;
      plain.matrix = form::BitMatrix(bits.matrix.rows(), std::move(columns));
      plain.offset = change(bits.offset);
      std::vector<std::uint64_t> steps = copies.basis();
      std::ranges::transform(steps, steps.begin(), change);
      auto strided = digits_with_copies(std::move(plain), extents, form::Subspace(steps));
      if (!strided) continue;
      step.axis = axis;
      strided->swizzle = step;
      return strided;
    }
  }
  return std::nullopt;
}

Result<StridedView> plain_digit_form(const Task& task) {
  const View& view = task.view;
  if (view.strided && !view.strided->swizzle) return shown_digits(view);
  if (!view.bits) return sampled_digits(task, false);
  if (auto strided = digits_of(*view.bits, view.extents)) return coalesced(*std::move(strided));
  return refuse(touching_bits(task));
}

Result<StridedView> digit_form(const Task& task) {
  const View& view = task.view;
  if (view.strided) return shown_digits(view);
  if (!view.bits) return sampled_digits(task, true);
  if (auto swizzled = unswizzled(*view.bits, view.extents)) return coalesced(*std::move(swizzled));
  return refuse(with_swizzle_note(touching_bits(task)));
}

}  // namespace heddle::map
