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

/// The layout in one system: there, and whether what is there is the layout.
struct Shown {
  System system = System::kCute;
  Result<Converted> converted;
  /// Read literally it is compared, else converted back by the same reading. Nothing for the system
  /// that the layout is of.
  std::optional<Verdict> same;
};

/// A table of more points is not shown: nobody reads it.
inline constexpr std::int64_t kMaxShownPoints = std::int64_t{1} << 16;

/// In the order of systems(). Refuses the table `table.too_large` beyond kMaxShownPoints. Cost:
/// that of convert() and equal() for each, within the limits.
[[nodiscard]] std::vector<Shown> show(const AnyLayout& layout, const ConvertOptions& options = {},
                                      const DecideOptions& decide = {});

}  // namespace heddle::map
#pragma GCC visibility pop
