#pragma once

// A stride leaf says where one step along a mode leads: `12` is twelve elements further, `1@0` is
// one step along mode 0 of a coordinate, `8@1@0` eight steps along mode 1 of mode 0 (CuTe's
// ScaledBasis E<0,1>).
//
//   (4,8):(1,4)          an element offset
//   (4,8):(1@0,1@1)      the identity on coordinates of the shape (4,8)

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <span>

#include "heddle/core/axis.h"
#include "heddle/core/result.h"
#include "heddle/core/tuple.h"
#include "heddle/expr/int.h"

#pragma GCC visibility push(default)
namespace heddle::cute {

/// A path into a nested coordinate: the mode, then the mode within it, and so on. The empty path is
/// the plain integer line. A path has at most 4 steps, with indices up to 255.
class Basis {
 public:
  static constexpr std::size_t kMaxSteps = 4;
  static constexpr std::size_t kMaxMode = 255;

  Basis() = default;
  /// E<path…>; refuses (`stride.basis`) paths that are too long or name too high a mode.
  [[nodiscard]] static Result<Basis> make(std::span<const std::size_t> path);

  [[nodiscard]] bool empty() const { return steps_[0] == 0; }
  [[nodiscard]] std::size_t length() const;
  /// Step `level` of the path; `level` must be below length().
  [[nodiscard]] std::size_t operator[](std::size_t level) const { return steps_[level] - 1U; }
  /// The path without its first step.
  [[nodiscard]] Basis tail() const;
  /// Whether this path is `other` or leads to a coordinate that contains it.
  [[nodiscard]] bool is_prefix_of(const Basis& other) const;
  /// The output axis that this path names: `m` for the empty path, else `0`, `1.0`, ….
  [[nodiscard]] Axis axis() const;

  friend auto operator<=>(const Basis&, const Basis&) = default;

 private:
  std::array<std::uint16_t, kMaxSteps> steps_{};  // one more than the mode; 0 ends the path
};

/// One leaf of a stride tuple.
class Stride {
 public:
  Stride() = default;
  template <std::convertible_to<Int> T>
  Stride(T scale) : scale_(scale) {}  // NOLINT: an integer is a stride
  Stride(Int scale, Basis basis) : scale_(scale), basis_(basis) {}

  [[nodiscard]] const Int& scale() const { return scale_; }
  [[nodiscard]] const Basis& basis() const { return basis_; }
  [[nodiscard]] bool is_zero() const { return known_equal(scale_, 0); }

  friend Stride operator*(const Int& factor, const Stride& stride) {
    return {factor * stride.scale_, stride.basis_};
  }
  friend bool operator==(const Stride&, const Stride&) = default;

 private:
  Int scale_;
  Basis basis_;
};

}  // namespace heddle::cute

template <>
inline constexpr bool heddle::kTriviallyRelocatable<heddle::cute::Stride> = true;

namespace heddle::cute {

/// Whether the two are certainly the same step: both 0, or the same multiple of the same basis.
[[nodiscard]] bool known_equal(const Stride& a, const Stride& b);

/// A tuple of stride leaves, congruent to the shape it belongs to.
using StrideTuple = Tuple<Stride>;

/// Prints `12`, `1@0`, `8@1@0` (the path from its last step to its first, as CuTe does).
std::ostream& operator<<(std::ostream& stream, const Stride& stride);

}  // namespace heddle::cute
#pragma GCC visibility pop

template <>
struct std::hash<heddle::cute::Stride> {
  std::size_t operator()(const heddle::cute::Stride& stride) const;
};
