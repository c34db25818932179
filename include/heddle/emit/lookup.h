#pragma once

// A table of numbers as an array in a program, and a function that reads it.
//
//   [[3,1,4],[1,5,9]]
//
//   static inline int32_t place(int32_t i, int32_t j) {
//     static const int32_t numbers[6] = {3, 1, 4, 1, 5, 9};
//     return numbers[i * 3 + j];
//   }

#include <cstddef>
#include <string>

#include "heddle/core/result.h"
#include "heddle/emit/dialect.h"
#include "heddle/form/table.h"

#pragma GCC visibility push(default)
namespace heddle::emit {

/// No array in a program has more numbers than this.
inline constexpr std::size_t kMaxLookup = std::size_t{1} << 16;

/// The function of that name, from the coordinates of the table to its numbers on the one axis.
/// Refuses `emit.target` for a language without such arrays (Triton, LaTeX, MLIR), and
/// `table.too_large` past kMaxLookup numbers. Cost: linear in the numbers.
[[nodiscard]] Result<std::string> lookup_text(const form::Table& table, Dialect dialect,
                                              const std::string& name);

}  // namespace heddle::emit
#pragma GCC visibility pop
