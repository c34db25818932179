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

#pragma GCC visibility push(default)
namespace heddle::map {

/// The layout in one system's notation, and whether the result is the same map.
struct Shown {
  System system = System::kCute;
  Result<Converted> converted;
  /// A layout read literally is compared, otherwise it is converted back by the same reading.
  /// nullopt for the layout's own system.
  std::optional<Verdict> same;
};

/// Tables of more points are not shown, because nobody would read them.
inline constexpr std::int64_t kMaxShownPoints = std::int64_t{1} << 16;

/// The layout in every system, in the order of systems(). Refuses the table `table.too_large`
/// beyond kMaxShownPoints. Cost: that of convert() and equal() for each, within the limits.
[[nodiscard]] std::vector<Shown> show(const AnyLayout& layout, const ConvertOptions& options = {},
                                      const DecideOptions& decide = {});

}  // namespace heddle::map
#pragma GCC visibility pop
