#pragma once

// From isl's relations to numbers: pieces, points, bounds. All are called within IslSession::ask().

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "map/formula/piecewise.h"
#include "map/isl/door.h"
#include "map/view/box_function.h"

namespace heddle::map {

/// The relation as a function, if it is one; otherwise nullopt.
[[nodiscard]] std::optional<isl::pw_multi_aff> function_of(IslSession& session,
                                                           const IntegerRelation& relation);
/// Whether it is a function over bits that is no sum of few digits.
[[nodiscard]] bool is_read_as_bits(const BoxFunction& box);
/// Such a function in the form that isl reads fastest, with these names of its dimensions
/// (bits.cc).
[[nodiscard]] isl::map read_bits(IslSession& session, const BoxFunction& box,
                                 std::span<const std::string> inputs,
                                 std::span<const std::string> outputs);
/// The pieces of the function; nullopt if one of their numbers does not fit 64 bits.
[[nodiscard]] std::optional<Piecewise> piecewise(const isl::pw_multi_aff& function);

/// The parts of the set as pieces without outputs; nullopt if one of their numbers does not fit 64
/// bits.
[[nodiscard]] std::optional<Piecewise> parts_of(const isl::set& set);

/// A point with two of its images, for a relation that has one; numbers that do not fit 64 bits are
/// undefined.
struct TwoImages {
  std::vector<Int> point;
  std::vector<Int> first;
  std::vector<Int> second;
};
[[nodiscard]] std::optional<TwoImages> two_images(const isl::map& map);

/// The values of these parameters that meet the assumptions on the variables of their names. Throws
/// NotAffine (relation.cc).
[[nodiscard]] isl::set agreeing_parameters(IslSession& session,
                                           std::span<const std::string> parameters,
                                           const Bindings& known);

/// The least and the greatest number of a dimension; nullopt if there is no bound, or none that is
/// the same for all parameters.
struct Bounds {
  std::optional<std::int64_t> low;
  std::optional<std::int64_t> high;
};
[[nodiscard]] Bounds bounds(const isl::set& set, std::size_t position);

/// The set as a box [0, e0) x …; nullopt if it is none. The set must have no parameters.
[[nodiscard]] std::optional<std::vector<std::int64_t>> box(const isl::set& set);
/// The least box that holds the points; nullopt if there is none of numbers.
[[nodiscard]] std::optional<isl::set> box_around(const isl::set& points);
/// The points of a bounded set in lexicographic order; nullopt if there are more than `most`.
/// Numbers past 64 bits are undefined.
[[nodiscard]] std::optional<std::vector<std::vector<Int>>> listed_points(const isl::set& set,
                                                                         std::size_t most);
/// The points from `low` on, below these ends, in each dimension.
[[nodiscard]] isl::set box_of(const isl::set& like, std::span<const std::int64_t> ends,
                              std::int64_t low = 0);
/// The map with these values for the first dimensions of the type.
[[nodiscard]] isl::map fixed(const isl::map& map, isl_dim_type type, std::span<const Int> values);

/// Facts that are known about a relation: its pieces, computed when the first image is requested,
/// and the formula that it is on a box, set when its text is searched for one.
class PiecesCache {
 public:
  using Pieces = std::shared_ptr<const Piecewise>;
  using Box = std::shared_ptr<const BoxFunction>;

  /// Holds null if this many steps do not show a function of numbers; nullopt before the pieces are
  /// computed.
  [[nodiscard]] std::optional<Pieces> pieces(std::uint32_t steps) const {
    const std::scoped_lock lock(mutex_);
    return pieces_ && (*pieces_ != nullptr || steps == steps_) ? pieces_ : std::nullopt;
  }
  void set(Pieces pieces, std::uint32_t steps) {
    const std::scoped_lock lock(mutex_);
    pieces_ = std::move(pieces);
    steps_ = steps;
  }
  /// Holds null if there is none; nullopt before it is searched for.
  [[nodiscard]] std::optional<Box> box() const {
    const std::scoped_lock lock(mutex_);
    return box_;
  }
  void set(Box box) {
    const std::scoped_lock lock(mutex_);
    box_ = std::move(box);
  }

 private:
  mutable std::mutex mutex_;
  std::optional<Pieces> pieces_;
  std::uint32_t steps_ = 0;
  std::optional<Box> box_;
};

}  // namespace heddle::map
