#pragma once

// Expressions in the languages that kernels and papers are written in.
//
//   9*(i//3) - 2*(j%3)   with i, j >= 0        and where i may be negative
//
//   C         9 * (i / 3) - 2 * (j % 3)        9 * heddle_quotient(i, 3) - 2 * (j % 3)
//   Python    9 * (i // 3) - 2 * (j % 3)       the same
//   LaTeX     9 \left\lfloor \frac{i}{3} \right\rfloor - 2 (j \bmod 3)
//
// The meaning is kept: quotients and remainders are Euclidean, and an operator of the language
// stands for one only where the signs of its operands are proved to make the two agree (C cuts off
// towards zero, Python rounds down by negative divisors). Elsewhere a helper function is called,
// whose text comes with the kernel. Parentheses follow the precedence of the language.
//
// What C computes has to fit its type on the way, as it has in any C.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/expr/expression.h"

namespace heddle {

enum class Language : std::uint8_t { kHeddle, kC, kPython, kLatex };

/// `heddle`, `c`, `python`, `latex`.
[[nodiscard]] std::string_view name_of(Language language);

struct PrintOptions {
  Language language = Language::kHeddle;
  /// C: int32_t where every value on the way is proved to fit, int64_t otherwise; without it always
  /// int64_t.
  bool narrow = false;
  /// C: what stands before the type of a helper function; `__device__ inline` in CUDA.
  std::string qualifiers = "static inline";
};

struct PrintedKernel {
  /// The helper functions that the text calls, or what it imports; empty where it needs none.
  std::string helpers;
  /// A statement each: `const int64_t t0 = pid / 8;`, `t0 = pid // 8`.
  std::vector<std::string> definitions;
  std::vector<std::string> results;
  std::vector<std::string> guards;
  /// C: `int64_t` or `int32_t`.
  std::string type;
};

/// The kernel as text. Refuses `print.name` for a variable whose name means something else in the
/// language (`int`, `lambda`).
[[nodiscard]] Result<PrintedKernel> print(const Kernel& kernel, const PrintOptions& options);

/// Statements and results, one a line.
[[nodiscard]] std::string to_string(const PrintedKernel& kernel);

}  // namespace heddle
