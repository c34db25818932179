#include "heddle/axe/fragment.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace heddle::axe {
Axis axis_of(std::string_view place) {
  using Name = std::pair<std::string_view, std::string_view>;
  constexpr std::array<Name, 7> kNames = {Name{"register", "m"},     Name{"lane", "laneid"},
                                          Name{"warp", "wid_in_wg"}, Name{"thread", "tx"},
                                          Name{"dp", "TLane"},       Name{"column", "TCol"},
                                          Name{"shared", "m"}};
  const auto found = std::ranges::find(kNames, place, &Name::first);
  return Axis(std::string(found == kNames.end() ? place : found->second));
}

Result<Layout> axe_layout(const form::Fragment& fragment) {
  std::vector<Iter> shard;
  std::vector<Iter> replica;
  Coordinate offset;
  for (std::size_t dim = 0; dim < fragment.dims().size(); ++dim) {
    const auto& modes = fragment.modes_of_dim(dim);
    // The digits of an index run last one fastest.
    for (auto mode = modes.rbegin(); mode != modes.rend(); ++mode) {
      const Axis axis = axis_of(fragment.places()[*mode->index].name);
      shard.push_back({mode->extent, mode->descending ? -mode->stride : mode->stride, axis});
      if (mode->descending) offset.add(axis, (mode->extent - 1) * mode->stride);
    }
  }
  for (std::size_t place = 0; place < fragment.places().size(); ++place) {
    const Axis axis = axis_of(fragment.places()[place].name);
    std::int64_t reached = 1;
    for (const form::Fragment::Mode& mode : fragment.modes_of_place(place)) {
      if (!mode.index && !mode.unused) replica.push_back({mode.extent, reached, axis});
      if (mode.held != 0) offset.add(axis, mode.held * reached);
      reached *= mode.extent;
    }
  }
  return Layout::make(std::move(shard), std::move(replica), std::move(offset));
}

}  // namespace heddle::axe
