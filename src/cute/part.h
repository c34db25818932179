#pragma once

// What partitions are picked by: coordinates that take whole modes, the modes of a tile, and
// indices that must lie within an extent.
//
//   everything_of(((4,2),8) mode 0)   (_,_)         tile_modes(<8,(4,2):(2,1)>)   (8,(4,2))

#include "heddle/cute/coordinate.h"
#include "heddle/cute/layout.h"
#include "heddle/cute/tiler.h"

namespace heddle::cute {

/// `(_,_,…)`
[[nodiscard]] Coordinate underscores(std::size_t count);

/// All of a mode, its own modes side by side in the slice; a single one stays as it is, as in CuTe.
[[nodiscard]] Coordinate everything_of(const Layout& mode);

/// The shape of the tile that a tiler cuts out, the modes of its layouts kept. Undefined where a
/// `_` does not say.
[[nodiscard]] IntTuple tile_modes(TilerView tiler);

}  // namespace heddle::cute
