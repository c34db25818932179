#pragma once

// Random Axe layouts for the property tests, and their plain evaluation: digits counted one by one,
// replicas enumerated, swizzles bit by bit. As for other layouts they come in kinds, because what
// operations depend on (chains, gaps, several axes, tight replicas) is rare among arbitrary
// numbers.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "heddle/axe/layout.h"
#include "support/law.h"
#include "support/random.h"

namespace heddle::test {

/// The axes of memory, of lanes and of warps, as S[(4,8):(1@m,1@laneid)] writes them.
inline const Axis kM = Axis::memory();
inline const Axis kLane = Axis("laneid");
inline const Axis kWarp = Axis("warpid");

/// A place: axis name to coordinate, without zeros.
using PlainPlace = std::map<std::string, std::int64_t>;
using PlainPlaces = std::set<PlainPlace>;

/// f_L(index), from the numbers alone.
[[nodiscard]] PlainPlaces plain_places(const axe::Layout& layout, std::int64_t index);
/// f_L at every index.
[[nodiscard]] std::vector<PlainPlaces> plain_map(const axe::Layout& layout);

struct AxeKind {
  std::int64_t max_size = 128;
  bool replicas = true;
  bool offsets = true;
  bool swizzles = false;
};

/// A layout of any kind: contiguous and permuted, gappy, padded, on several axes, with broadcasts
/// and negative strides, with unit iters.
[[nodiscard]] axe::Layout any_axe(Random& random, const AxeKind& kind = {});
/// A shape of that size with one to `max_rank` extents, some of them perhaps 1.
[[nodiscard]] std::vector<Int> random_shape(Random& random, std::int64_t size, int max_rank = 3);
/// A shape that cuts the shard list at boundaries of its iters, or within them, so that most often
/// it groups.
[[nodiscard]] std::vector<Int> grouping_shape(Random& random, const axe::Layout& layout);

/// Where two layouts differ as maps; nothing where they do not.
[[nodiscard]] Finding differs_as_axe(const axe::Layout& got, const axe::Layout& wanted);

}  // namespace heddle::test
