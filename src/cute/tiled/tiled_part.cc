#include "cute/tiled/tiled_part.h"

#include <vector>

#include "cute/layout/format.h"

namespace heddle::cute {

Coordinate underscores(std::size_t count) {
  return Coordinate::of(std::vector<Coordinate>(count, Coordinate(Index(Underscore()))));
}

Coordinate everything_of(const Layout& mode) {
  return mode.rank() == 1 ? Coordinate(Index(Underscore())) : underscores(mode.rank());
}

IntTuple tile_modes(TilerView tiler) {
  if (!tiler.is_leaf()) {
    std::vector<IntTuple> modes;
    for (const TilerView mode : tiler.modes()) modes.push_back(tile_modes(mode));
    return IntTuple::of(modes);
  }
  const Tile& tile = tiler.leaf();
  if (const Layout* layout = tile.layout()) return layout->shape();
  return tile.size() != nullptr ? IntTuple(*tile.size()) : IntTuple(Int::undefined());
}

Result<void> check_thread(const Int& index, const Int& threads, std::string_view whose) {
  HEDDLE_TRY(const bool exists, lies_within(index, threads, [&] {
               return fmt::format("thread {} of {}", index, whose);
             }));
  if (exists) return {};
  return refuse("partition.thread", "{} is not one of the thread indices 0 to {} of {}", index,
                threads - 1, whose);
}

Diagnostic with_counterexample(Diagnostic diagnostic, const Verdict& verdict) {
  if (!verdict.counterexample()) return diagnostic;
  return std::move(diagnostic).with_witness(*verdict.counterexample());
}

}  // namespace heddle::cute
