#pragma once

// From isl's relations to numbers: pieces, points, bounds. All is called within IslSession::ask().

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "map/isl_door.h"
#include "map/piecewise.h"

namespace heddle::map {

/// The relation as a function, where it is one.
[[nodiscard]] std::optional<isl::pw_multi_aff> function_of(IslSession& session,
                                                           const IntegerRelation& relation);
/// Its pieces; nothing where a number of them does not fit 64 bits.
[[nodiscard]] std::optional<Piecewise> piecewise(const isl::pw_multi_aff& function);

/// A point with two of its images, for a relation that has one; undefined numbers where they do not
/// fit 64 bits.
struct TwoImages {
  std::vector<Int> point;
  std::vector<Int> first;
  std::vector<Int> second;
};
[[nodiscard]] std::optional<TwoImages> two_images(const isl::map& map);

/// The numbers that a dimension is between; nothing where there is no end, or none that is the same
/// for all parameters.
struct Bounds {
  std::optional<std::int64_t> low;
  std::optional<std::int64_t> high;
};
[[nodiscard]] Bounds bounds(const isl::set& set, std::size_t position);

/// The box [0, e0) x … that the set is, if it is one. Without parameters.
[[nodiscard]] std::optional<std::vector<std::int64_t>> box(const isl::set& set);
/// The box with these extents.
[[nodiscard]] isl::set box_of(const isl::set& like, std::span<const std::int64_t> extents);

/// What is known of one relation: its pieces, from when the first image is asked for, and the
/// extents of its domain, where it was made as a function on a box.
class PiecesCache {
 public:
  using Pieces = std::shared_ptr<const Piecewise>;

  /// No pieces in it where the relation is no function of numbers; no value before it was tried.
  [[nodiscard]] std::optional<Pieces> pieces() const {
    const std::scoped_lock lock(mutex_);
    return pieces_;
  }
  void set(Pieces pieces) {
    const std::scoped_lock lock(mutex_);
    pieces_ = std::move(pieces);
  }
  /// The pieces and the extents of a function on a box; nothing where it was not made as one.
  [[nodiscard]] std::optional<std::pair<Pieces, std::vector<Int>>> on_box() const {
    const std::scoped_lock lock(mutex_);
    if (!extents_ || !pieces_ || *pieces_ == nullptr) return std::nullopt;
    return std::pair(*pieces_, *extents_);
  }
  void set_on_box(Pieces pieces, std::vector<Int> extents) {
    const std::scoped_lock lock(mutex_);
    pieces_ = std::move(pieces);
    extents_ = std::move(extents);
  }

 private:
  mutable std::mutex mutex_;
  std::optional<Pieces> pieces_;
  std::optional<std::vector<Int>> extents_;
};

}  // namespace heddle::map
