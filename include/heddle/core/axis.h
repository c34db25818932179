#pragma once

// Named directions of the space that a layout maps to.
//
//   (4,8):(8,1)              every stride is on `m`, memory
//   S[(4,8):(8@lane,1@reg)]  two axes, `lane` and `reg`

#include <compare>
#include <cstddef>
#include <functional>
#include <iosfwd>
#include <string>
#include <utility>

#pragma GCC visibility push(default)
namespace heddle {

/// The name of a direction in the space a layout maps to. `m`, memory, is the default; others are
/// `lane`, `warp`, `reg`, `gpu`. A coordinate-valued CuTe layout maps to axes `0`, `1`, `1.0`, …
/// named after the modes of the coordinate.
class Axis {
 public:
  explicit Axis(std::string name) : name_(std::move(name)) {}

  /// The axis of layouts that name no axis.
  [[nodiscard]] static Axis memory() { return Axis("m"); }

  [[nodiscard]] const std::string& name() const { return name_; }

  friend auto operator<=>(const Axis&, const Axis&) = default;

 private:
  std::string name_;
};

std::ostream& operator<<(std::ostream& stream, const Axis& axis);

}  // namespace heddle
#pragma GCC visibility pop

template <>
struct std::hash<heddle::Axis> {
  std::size_t operator()(const heddle::Axis& axis) const {
    return std::hash<std::string>()(axis.name());
  }
};
