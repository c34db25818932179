#include "heddle/cute/tiler.h"

#include <ostream>
#include <sstream>

namespace heddle::cute {
namespace {

void write(std::ostream& stream, TilerView tiler) {
  if (tiler.is_leaf()) {
    stream << tiler.leaf();
    return;
  }
  stream << '<';
  bool first = true;
  for (const TilerView mode : tiler.modes()) {
    if (!first) stream << ',';
    first = false;
    write(stream, mode);
  }
  stream << '>';
}

}  // namespace

Tiler to_tiler(const IntTuple& sizes) {
  return transform_leaves(sizes, [](const Int& size) { return Tile(size); });
}

std::string to_string(const Tiler& tiler) {
  std::ostringstream stream;
  stream << tiler;
  return stream.str();
}

std::ostream& operator<<(std::ostream& stream, const Tiler& tiler) {
  write(stream, tiler);
  return stream;
}

std::ostream& operator<<(std::ostream& stream, const Tile& tile) {
  if (const Int* size = tile.size()) return stream << *size;
  if (const Layout* layout = tile.layout()) return stream << *layout;
  return stream << '_';
}

}  // namespace heddle::cute
