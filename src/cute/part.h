#pragma once

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
