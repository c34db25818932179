#pragma once

// A layout as a function on all coordinates from 0 on: it runs on past its end in its last leaf as
// that is written, also one of extent 1 (seed 004, extension of the layout function). Composition
// reads its left side so.

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

  /// The modes, coalesced as far as that keeps the extension; the last one has no end.
  [[nodiscard]] const Modes& modes() const { return modes_; }
  /// On how many axes its values lie; 1 for a layout that is 0 everywhere.
  [[nodiscard]] std::size_t axes() const { return bases_.size(); }

  /// The values at a coordinate, one an axis; nothing past 64 bits.
  [[nodiscard]] std::optional<Vector> evaluate(Int coordinate) const;
  /// The stride with these values on the axes; nothing where they lie on two of them.
  [[nodiscard]] std::optional<Stride> stride(const Vector& values) const;
  /// Values as text: a number, or a coordinate where there are several axes.
  [[nodiscard]] std::string text(const Vector& values) const;

 private:
  [[nodiscard]] std::size_t axis_of(const Stride& stride) const;

  Modes modes_;
  InlineVector<Basis, 2> bases_;
};

}  // namespace heddle::cute
