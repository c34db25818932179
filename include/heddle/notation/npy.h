#pragma once

// Tables of numbers as programs print and save them.
//
//   [[0,1],[4,5]]                                    JSON: 2 x 2 points
//   {"table": [[0,0],[0,1]], "axes": ["lane","reg"]} two points on two axes each
//   numpy.save("table.npy", array)                   integers and truths of any width and order
//
// Headers are not trusted: a header is checked against the data that follow it before anything is
// allocated.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/core/axis.h"
#include "heddle/core/result.h"
#include "heddle/form/table.h"

#pragma GCC visibility push(default)
namespace heddle::notation {

/// Nested lists of integers, all of one length on each level; true is 1 and false 0. In an object,
/// `axes` names the axes of the innermost lists' coordinates. Refuses `table.syntax` and
/// `table.shape` with the place, `table.too_large`.
[[nodiscard]] Result<form::Table> parse_table(std::string_view text);

/// An array of NumPy's format, version 1, 2 or 3, in C or Fortran order: (u)int8 to (u)int64 and
/// bool, in any byte order. Refuses `npy.header`, `npy.version`, `npy.dtype` (floats, structures,
/// objects, text), `npy.size` if the data are not as long as the header says, `npy.range` for
/// numbers past 2^63 - 1, `table.shape` for an extent of 0, `table.too_large`. Cost: linear.
[[nodiscard]] Result<form::Table> read_npy(std::string_view bytes);

/// What the header of an array says of its elements, which may be of any type.
struct NpyHeader {
  /// As NumPy writes it: `<f4`; the list of a structure's fields, `[('a', '|u1'), ('b', '<f4')]`.
  std::string type;
  bool first_fastest = false;
  std::vector<std::int64_t> shape;
  /// Where the elements begin.
  std::size_t begin = 0;
};

/// The header alone; the bytes need not hold all elements. Refuses `npy.header`, `npy.version`,
/// `npy.dtype` for fields that take very long or have names that are not in ASCII.
[[nodiscard]] Result<NpyHeader> read_npy_header(std::string_view bytes);
/// The bytes before the elements of such an array, in version 1 of the format; `begin` is not used.
[[nodiscard]] std::string npy_header_text(const NpyHeader& header);

/// Whether the bytes begin like a NumPy array.
[[nodiscard]] bool looks_like_npy(std::string_view bytes);

/// The table whose last extent counts the axes: of 8 x 2 numbers, 8 points on two axes. Refuses
/// `table.shape` if the extent differs, or a name is repeated.
[[nodiscard]] Result<form::Table> on_axes(form::Table table, const std::vector<std::string>& names);

}  // namespace heddle::notation
#pragma GCC visibility pop
