#pragma once

// Views made ready for a decision: maps of one flat coordinate, two of them brought onto common
// coordinates and common axes.
//
//   (4,8):(8,1) and S[(4,8):(8@m,1@m)]     the second takes the shape (4,8) of the first; flat
//                                          coordinates are row-major, as Axe's are
//   a linear layout onto dim0, dim1        and one of CuTe onto m: dim0 and dim1 are flattened by
//                                          their sizes

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heddle/core/diagnostic.h"
#include "heddle/core/result.h"
#include "heddle/map/any_layout.h"

namespace heddle::map {

/// A view as a function of one flat coordinate: its digits are a single mode, and its bits are
/// those of the coordinate, lowest first. The box says how the coordinate is numbered and shown in
/// witnesses.
struct FlatMap : View {
  /// The number of points.
  Int points;

  [[nodiscard]] std::vector<Int> at(const Int& flat, const Int& copy) const;
  /// The image as numbers; nullopt if there is none, or one that is no number.
  [[nodiscard]] std::optional<std::vector<std::int64_t>> numbers_at(std::int64_t flat,
                                                                    std::int64_t copy) const;
  [[nodiscard]] bool is_constant() const;

  /// `13 = (1,3)`, `4 = (register=0, lane=2)`, `13` on one axis.
  [[nodiscard]] std::string point_text(std::int64_t flat) const;
  /// `9`, `(0,3)`; `{1, 5}` for several copies.
  [[nodiscard]] std::string image_text(std::int64_t flat) const;

  /// The point as numbers, with names if the system has some. nullopt if they are symbolic, or for
  /// more than 64 images.
  [[nodiscard]] std::optional<WitnessNumbers::Point> point_numbers(std::int64_t flat) const;
  [[nodiscard]] std::optional<WitnessNumbers::Images> image_numbers(std::int64_t flat) const;

 private:
  /// The images, sorted and without repetition, of at most 4096 copies.
  [[nodiscard]] std::vector<std::vector<std::int64_t>> images_at(std::int64_t flat) const;
};

/// The view by flat coordinate, in this order; a view that takes any shape keeps its own numbering.
[[nodiscard]] FlatMap flat_map(const View& view, form::FlatOrder order);
[[nodiscard]] inline FlatMap flat_map(const View& view) { return flat_map(view, view.order); }

/// The digits of the flat coordinate, fastest first.
[[nodiscard]] inline const std::vector<form::Digit>& one_mode(const StridedView& strided) {
  return strided.modes.front();
}

/// Whether every axis has a bound.
[[nodiscard]] bool has_bounds(const View& view);
/// The map without the axes on which every coordinate is 0.
[[nodiscard]] FlatMap without_zero_axes(const FlatMap& map);

/// Both sides on common axes: by name, else by position, else flattened by their bounds.
struct Pair {
  FlatMap left;
  FlatMap right;
  /// Whether equal numbers mean equal points on both sides.
  bool same_points = true;
  /// How coordinates and axes were matched, if that is not obvious.
  std::string remark;
  /// The axes of one side cannot be matched with those of the other.
  bool axes_differ = false;
};

/// Both sides on common points, each on its own axes.
[[nodiscard]] Pair matched_points(const View& left, const View& right);
/// For a comparison point by point.
[[nodiscard]] Pair matched(const View& left, const View& right);
/// For a comparison of images: each side by its own coordinates.
[[nodiscard]] Pair matched_images(const View& left, const View& right);

}  // namespace heddle::map
