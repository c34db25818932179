#pragma once

// One layout in every notation that can write it, each proved to be the same map.
//
//   show((4,8):(8,1))     axe       S[(4,8):(8@m,1@m)]    proved equal (digit form)
//                         lego      GroupBy([4,8])        proved equal (digit form)
//                         …

#include <cstdint>
#include <optional>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/core/verdict.h"
#include "heddle/map/convert.h"
#include "heddle/map/decide.h"
#include "heddle/map/recover.h"

#pragma GCC visibility push(default)
namespace heddle::map {

/// A layout in one system's notation, or why it has none there.
struct Notation {
  System system = System::kCute;
  Result<Converted> converted;
  /// Whether it is the same map, where show() had to convert: a layout read literally is compared,
  /// otherwise it is converted back by the same reading.
  std::optional<Verdict> same = {};
};

/// Tables of more points are not shown, because nobody would read them.
inline constexpr std::int64_t kMaxShownPoints = std::int64_t{1} << 16;

/// The layout in every system, in the order of systems(). Refuses the table `table.too_large`
/// beyond kMaxShownPoints. Cost: that of convert() and equal() for each, within the limits.
[[nodiscard]] std::vector<Notation> show(const AnyLayout& layout,
                                         const ConvertOptions& options = {},
                                         const DecideOptions& decide = {});

/// The layout as its values alone determine it (recover.h), in the notation of every system that
/// can write it, with the reason for the others: CuTe, a thread-value layout if the box has two
/// indices, linear, Axe, LEGO, relation.
[[nodiscard]] std::vector<Notation> notations(const AnyLayout& layout,
                                              const RecoverOptions& options = {});

}  // namespace heddle::map
#pragma GCC visibility pop
