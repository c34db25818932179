#pragma once

// A map given by its values alone, such as a program printed or an array file holds.
//
//   [0,2,1,3]             4 points, one axis m:   0 -> 0, 1 -> 2, 2 -> 1, 3 -> 3
//   [[0,1],[4,5]]         2 x 2 points:           (1,0) -> 4
//
// A table says nothing of how its points are numbered: rows and columns are its coordinates.

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "heddle/core/axis.h"
#include "heddle/core/hash.h"
#include "heddle/core/result.h"
#include "heddle/form/index_map.h"

#pragma GCC visibility push(default)
namespace heddle::form {

struct Table {
  std::vector<std::int64_t> extents;
  std::vector<Axis> axes{Axis::memory()};
  /// The values in row-major order of the points (as arrays are written), one for each axis of a
  /// point.
  std::vector<std::int64_t> values;

  friend bool operator==(const Table&, const Table&) = default;
};

/// Tables hold up to this many numbers.
inline constexpr std::int64_t kMaxTable = std::int64_t{1} << 24;

/// Refuses `table.shape` if the number of values does not match the extents and axes, an extent is
/// below 1, or there are no axes; `table.too_large` past kMaxTable numbers.
[[nodiscard]] Result<Table> make_table(std::vector<std::int64_t> extents, std::vector<Axis> axes,
                                       std::vector<std::int64_t> values);

/// All values of a map. Refuses `table.too_large`; `assume.needed` for symbolic sizes or values;
/// `overflow`.
[[nodiscard]] Result<Table> table_of(const IndexMap& map);

/// The table as a map, its flat index row-major.
[[nodiscard]] IndexMap index_map(const Table& table);

/// The table as nested lists: `[[0,1],[4,5]]`; a point of several axes is an innermost list.
[[nodiscard]] std::string to_string(const Table& table);
std::ostream& operator<<(std::ostream& stream, const Table& table);

}  // namespace heddle::form
#pragma GCC visibility pop

template <>
struct std::hash<heddle::form::Table> : heddle::HashOfText<heddle::form::Table> {};
