#pragma once

// Expressions in the languages that kernels and papers are written in.
//
//   9*(i//3) - 2*(j%3)   with i, j >= 0        and where i may be negative
//
//   C         9 * (i / 3) - 2 * (j % 3)        9 * heddle_quotient(i, 3) - 2 * (j % 3)
//   Python    9 * (i // 3) - 2 * (j % 3)       the same
//   Triton    the same                         9 * heddle_quotient(i, 3) - 2 * (j % 3)
//   LaTeX     9 \left\lfloor \frac{i}{3} \right\rfloor - 2 (j \bmod 3)
//
// The meaning is kept: quotients and remainders are Euclidean, and an operator of the language is
// used for one only if the signs of its operands are proved to make the two agree (C and Triton
// truncate towards zero, Python rounds down by negative divisors). Otherwise a helper function is
// called, whose text comes with the kernel. Parentheses follow the precedence of the language.
//
// Intermediate values in C must fit their type, as in any C code.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/emit/dialect.h"
#include "heddle/expr/code_expression.h"
#include "heddle/expr/proof.h"
#include "heddle/expr/simplify.h"

#pragma GCC visibility push(default)
namespace heddle::emit {

/// The texts written for variables instead of their names; each must be a single operand.
using Spelling = std::map<std::string, std::string>;

struct PrintOptions {
  Dialect dialect = Dialect::kHeddle;
  /// For C-like languages: 32 bits if every intermediate value is proved to fit, 64 otherwise; if
  /// not set, always 64.
  bool narrow = false;
  /// The text is part of a user's program, whose variables have unknown types: functions that it
  /// calls take any type.
  bool in_program = false;
  /// The prefix of the names of helper functions.
  std::string helper_prefix = "heddle_";
  Spelling spelling = {};
  /// For C: several texts may be in one file, of which only the first has a helper function.
  bool may_repeat = false;
};

struct PrintedKernel {
  /// The helper functions that the text calls, or its imports; empty if it needs none.
  std::string helpers;
  /// One statement for each definition: `const int64_t t0 = pid / 8;`, `t0 = pid // 8`.
  std::vector<std::string> definitions;
  std::vector<std::string> results;
  std::vector<std::string> guards;
  /// For C-like languages: `int64_t`, `int32_t`; OpenCL C: `long`, `int`.
  std::string type;
};

/// The kernel as text. Refuses `print.name` for a variable whose name is written and means
/// something else in the language (`int`, `lambda`), `print.operation` for operations that Triton
/// lacks (a greatest common divisor, a square root) and for any operation in MLIR, whose lines have
/// none. Cost: linear in the text.
[[nodiscard]] Result<PrintedKernel> print(const Kernel& kernel, const PrintOptions& options);

/// A text in the expression language, with each word that has a spelling replaced by it.
[[nodiscard]] std::string spelled_words(std::string_view text, const Spelling& spelling);

/// Statements and results, one on each line.
[[nodiscard]] std::string to_string(const PrintedKernel& kernel);

/// A range that holds every number that the kernel computes with: variables, intermediate values,
/// results. Cost: linear in the nodes.
[[nodiscard]] Range range_on_the_way(const Kernel& kernel);
/// Whether all values fit into signed 32-bit numbers.
[[nodiscard]] bool fits_32_bits(const Range& values);

/// The target to simplify() for: the costs of operations where the language is run or read.
[[nodiscard]] Target usual_target(Dialect dialect);

/// `static inline`, `__host__ __device__ constexpr`: the qualifiers before a function.
[[nodiscard]] std::string_view function_qualifiers(Dialect dialect);
/// `int32_t`, `std::int64_t`, `long`: for C-like languages.
[[nodiscard]] std::string_view integer_type(Dialect dialect, bool is_narrow);

}  // namespace heddle::emit
#pragma GCC visibility pop
