#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "heddle/map/mlir_text.h"
#include "map/forms/conversion.h"

namespace heddle::map {
namespace {

std::string multiple(const std::string& text, std::int64_t factor) {
  if (factor == 1) return text;
  const bool is_name = text.find(' ') == std::string::npos;
  return fmt::format("{} * {}", is_name ? text : "(" + text + ")", factor);
}

/// floor(index / below) mod extent, where extent 0 is for the last digit.
std::string digit_text(std::size_t index, std::int64_t below, std::int64_t extent) {
  std::string text = fmt::format("d{}", index);
  if (below > 1) text = fmt::format("{} floordiv {}", text, below);
  if (extent == 0) return text;
  return fmt::format("{} mod {}", below > 1 ? "(" + text + ")" : text, extent);
}

std::string sum_of(const std::vector<std::string>& terms) {
  return terms.empty() ? "0" : fmt::format("{}", fmt::join(terms, " + "));
}

std::string affine_map(std::size_t indices, const std::vector<std::string>& results) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < indices; ++i) names.push_back(fmt::format("d{}", i));
  return fmt::format("affine_map<({}) -> ({})>", fmt::join(names, ", "), fmt::join(results, ", "));
}

bool are_constant(const StridedView& strided) {
  const auto is_constant = [](const Int& number) { return number.is_constant(); };
  for (const std::vector<form::Digit>& mode : strided.modes) {
    for (const form::Digit& digit : mode) {
      if (!is_constant(digit.extent) || !std::ranges::all_of(digit.stride, is_constant)) {
        return false;
      }
    }
  }
  return std::ranges::all_of(strided.offset, is_constant);
}

/// `memref<4x8xf32, strided<[1, 4], offset: 3>>`, if every coordinate is one digit on one axis.
std::optional<std::string> memref(const View& view, const StridedView& strided) {
  if (view.axes.size() != 1 || view.extents.empty()) return std::nullopt;
  std::string shape;
  std::vector<std::int64_t> strides;
  for (std::size_t i = 0; i < strided.modes.size(); ++i) {
    const std::vector<form::Digit>& mode = strided.modes[i];
    if (mode.size() > 1) return std::nullopt;
    shape += fmt::format("{}x", view.extents[i].value());
    strides.push_back(mode.empty() ? 0 : mode.front().stride.front().value());
  }
  // The stride of a coordinate that is always 0 may be any.
  std::int64_t compact = 1;
  bool is_compact = true;
  for (std::size_t i = strides.size(); i-- > 0;) {
    const bool is_idle = view.extents[i] == Int(1);
    is_compact = is_compact && (is_idle || strides[i] == compact);
    compact *= view.extents[i].value();
  }
  const std::int64_t offset = strided.offset.front().value();
  if (is_compact && offset == 0) return fmt::format("memref<{}f32>", shape);
  return fmt::format("memref<{}f32, strided<[{}]{}>>", shape, fmt::join(strides, ", "),
                     offset == 0 ? "" : fmt::format(", offset: {}", offset));
}

std::string map_of(const View& view, const StridedView& strided) {
  std::vector<std::string> results;
  for (std::size_t axis = 0; axis < view.axes.size(); ++axis) {
    std::vector<std::string> terms;
    for (std::size_t i = 0; i < strided.modes.size(); ++i) {
      std::int64_t below = 1;
      for (std::size_t k = 0; k < strided.modes[i].size(); ++k) {
        const form::Digit& digit = strided.modes[i][k];
        const bool is_last = k + 1 == strided.modes[i].size();
        const std::int64_t extent = digit.extent.value();
        const std::int64_t stride = digit.stride[axis].value();
        if (stride != 0) {
          terms.push_back(multiple(digit_text(i, below, is_last ? 0 : extent), stride));
        }
        below *= extent;
      }
    }
    const std::int64_t offset = strided.offset[axis].value();
    if (offset != 0) terms.push_back(std::to_string(offset));
    results.push_back(sum_of(terms));
  }
  return affine_map(view.extents.size(), results);
}

/// Each bit of a result is the sum mod 2 of the bits of the coordinates in its row.
std::string map_of(const View& view, const BitView& bits) {
  std::vector<std::string> columns;
  for (std::size_t i = 0; i < view.extents.size(); ++i) {
    for (std::int64_t bit = 1; bit < view.extents[i].value(); bit *= 2) {
      columns.push_back(digit_text(i, bit, bit * 2 == view.extents[i].value() ? 0 : 2));
    }
  }
  std::vector<std::string> results;
  std::size_t row = 0;
  for (const int width : bits.widths) {
    std::vector<std::string> terms;
    for (int bit = 0; bit < width; ++bit, ++row) {
      std::vector<std::string> flips;
      for (std::size_t column = 0; column < columns.size(); ++column) {
        if ((bits.matrix.columns()[column] >> row & 1U) != 0) flips.push_back(columns[column]);
      }
      if ((bits.offset >> row & 1U) != 0) flips.emplace_back("1");
      if (flips.empty()) continue;
      const std::string flip =
          flips.size() == 1 ? flips.front() : fmt::format("({}) mod 2", fmt::join(flips, " + "));
      terms.push_back(multiple(flip, std::int64_t{1} << bit));
    }
    results.push_back(sum_of(terms));
  }
  return affine_map(view.extents.size(), results);
}

}  // namespace

Result<MlirText> mlir_text(const AnyLayout& layout, const ConvertOptions& options) {
  HEDDLE_TRY(const View source, view(layout, options.limits));
  HEDDLE_TRY(View box, boxed(layout, source, options.shape));
  const Task task{std::move(box), System::kRelation, source_text(layout), options.limits,
                  Reading::kLiteral};
  if (!task.view.is_function()) {
    return refuse(
        "convert.copies",
        fmt::format("{} has several images of a point; an affine_map has one", task.source));
  }
  MlirText result{{}, task.view.extents, {}};
  if (task.view.axes.size() > 1) result.remark = "results " + join_axes(task.view.axes);
  const Result<StridedView> strided = digit_form(task);
  if (strided && !strided->swizzle && !task.view.leaves_out) {
    if (!are_constant(*strided) || !std::ranges::all_of(task.view.extents, &Int::is_constant)) {
      return refuse("convert.symbolic",
                    fmt::format("an affine_map needs numbers, and {} is symbolic", task.source));
    }
    const std::optional<std::string> type = memref(task.view, *strided);
    result.text = type ? *type : map_of(task.view, *strided);
    return result;
  }
  const Result<BitView> bits = bit_form(task);
  if (!bits || task.view.leaves_out) {
    return refuse(
        "convert.undecided",
        fmt::format("{} shows neither digits nor bits; no affine_map is looked for", task.source));
  }
  result.text = map_of(task.view, *bits);
  return result;
}

}  // namespace heddle::map
