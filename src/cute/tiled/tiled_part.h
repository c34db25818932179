#pragma once

// Helpers that pick partitions: coordinates that take whole modes, the modes of a tile, and
// indices that must be within an extent.
//
//   everything_of(((4,2),8) mode 0)   (_,_)         tile_modes(<8,(4,2):(2,1)>)   (8,(4,2))

#include <string_view>

#include "expr/assume_needed.h"
#include "heddle/core/verdict.h"
#include "heddle/cute/coordinate.h"
#include "heddle/cute/layout.h"
#include "heddle/cute/tiler.h"

namespace heddle::cute {

/// `(_,_,…)`
[[nodiscard]] Coordinate underscores(std::size_t count);

/// The coordinate that takes all of a mode, with `_` for each of its modes; `_` for a single one,
/// as in CuTe.
[[nodiscard]] Coordinate everything_of(const Layout& mode);

/// The shape of the tile that a tiler cuts out, the modes of its layouts kept. Undefined where a
/// `_` does not say.
[[nodiscard]] IntTuple tile_modes(TilerView tiler);

/// Is 0 <= index < extent? Refuses `assume.needed` for `call` where that is not known.
template <std::invocable Call>
[[nodiscard]] Result<bool> lies_within(const Int& index, const Int& extent, Call call) {
  HEDDLE_TRY(const bool is_natural, decide_needed({0, Predicate::kAtMost, index}, call));
  if (!is_natural) return false;
  return decide_needed({index, Predicate::kLess, extent}, call);
}

/// Refuses `partition.thread` for an index that is not below the number of threads of `whose`, and
/// `assume.needed` where that is not known.
[[nodiscard]] Result<void> check_thread(const Int& index, const Int& threads,
                                        std::string_view whose);

/// The diagnostic with the counterexample of a verdict that has one.
[[nodiscard]] Diagnostic with_counterexample(Diagnostic diagnostic, const Verdict& verdict);

}  // namespace heddle::cute
