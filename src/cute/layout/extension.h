#pragma once

// A layout as a function on all coordinates from 0 on: past its end it continues in its last leaf
// as written, even if that has extent 1 (seed 004, extension of the layout function). This is how
// composition reads its left side.

#include <optional>
#include <string>
#include <vector>

#include "cute/layout/modes.h"

namespace heddle::cute {

/// One number for each axis.
using Vector = std::vector<std::int64_t>;

class Extension {
 public:
  explicit Extension(const Layout& layout);

  /// The modes, coalesced as far as the extension stays the same; the last one has no end.
  [[nodiscard]] const Modes& modes() const { return modes_; }
  /// The number of axes of its values; 1 for a layout that is 0 everywhere.
  [[nodiscard]] std::size_t axes() const { return bases_.size(); }

  /// The values at a coordinate, one per axis; nullopt past 64 bits.
  [[nodiscard]] std::optional<Vector> evaluate(Int coordinate) const;
  /// The stride with these values on the axes; nullopt if two of them are not 0.
  [[nodiscard]] std::optional<Stride> stride(const Vector& values) const;
  /// Values as text: a number, or a coordinate if there are several axes.
  [[nodiscard]] std::string text(const Vector& values) const;

 private:
  [[nodiscard]] std::size_t axis_of(const Stride& stride) const;

  Modes modes_;
  InlineVector<Basis, 2> bases_;
};

}  // namespace heddle::cute
