#pragma once

// A tiler says, mode by mode, which part of a layout to take: a layout, a size (the first so many
// elements), or `_` (the whole mode). It is written <8:4,(2,4):(1,8),16,_> or, as in CuTe DSL,
// [8:4;(2,4):(1,8);16;_].
//
//   Tiler::of({Tile(4), Tile(_)})     <4,_>: the first 4 of mode 0, all of mode 1

#include <iosfwd>
#include <string>
#include <variant>

#include "heddle/core/tuple.h"
#include "heddle/cute/coordinate.h"
#include "heddle/cute/layout.h"

#pragma GCC visibility push(default)
namespace heddle::cute {

/// One leaf of a tiler.
class Tile {
 public:
  Tile(Underscore) : tile_(Underscore{}) {}          // NOLINT: `_` is a tile
  Tile(Layout layout) : tile_(std::move(layout)) {}  // NOLINT: a layout is a tile
  template <std::convertible_to<Int> T>
  Tile(T size) : tile_(Int(size)) {}  // NOLINT: a size is a tile

  [[nodiscard]] bool is_underscore() const { return std::holds_alternative<Underscore>(tile_); }
  [[nodiscard]] const Int* size() const { return std::get_if<Int>(&tile_); }
  [[nodiscard]] const Layout* layout() const { return std::get_if<Layout>(&tile_); }

  friend bool operator==(const Tile&, const Tile&) = default;

 private:
  std::variant<Underscore, Int, Layout> tile_;
};

/// A tuple of tiles, possibly nested; a single leaf is a tiler of the whole layout.
using Tiler = Tuple<Tile>;
using TilerView = TupleView<Tile>;

/// The by-mode tiler of these sizes.
[[nodiscard]] Tiler to_tiler(const IntTuple& sizes);

/// `<8:4,(2,4):(1,8),16,_>`. Unlike this, `<<` prints a tiler as a tuple, in parentheses.
[[nodiscard]] std::string to_string(const Tiler& tiler);
/// One leaf: `8:4`, `16`, `_`.
std::ostream& operator<<(std::ostream& stream, const Tile& tile);
std::ostream& operator<<(std::ostream& stream, const Tiler& tiler);

}  // namespace heddle::cute
#pragma GCC visibility pop
