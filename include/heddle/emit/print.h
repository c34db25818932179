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
// The meaning is kept: quotients and remainders are Euclidean, and an operator of the language
// stands for one only where the signs of its operands are proved to make the two agree (C and
// Triton cut off towards zero, Python rounds down by negative divisors). Elsewhere a helper
// function is called, whose text comes with the kernel. Parentheses follow the precedence of the
// language.
//
// What C computes has to fit its type on the way, as it has in any C.

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

/// What is written for variables instead of their names: texts that nothing beside them takes
/// apart.
using Spelling = std::map<std::string, std::string>;

struct PrintOptions {
  Dialect dialect = Dialect::kHeddle;
  /// C and its like: 32 bits where every value on the way is proved to fit, 64 otherwise; without
  /// it always 64.
  bool narrow = false;
  /// The text stands in somebody's program, whose variables have types that are not known here:
  /// functions that it calls take any.
  bool in_program = false;
  /// What the names of helper functions begin with.
  std::string helper_prefix = "heddle_";
  Spelling spelling = {};
};

struct PrintedKernel {
  /// The helper functions that the text calls, or what it imports; empty where it needs none.
  std::string helpers;
  /// A statement each: `const int64_t t0 = pid / 8;`, `t0 = pid // 8`.
  std::vector<std::string> definitions;
  std::vector<std::string> results;
  std::vector<std::string> guards;
  /// C and its like: `int64_t`, `int32_t`; OpenCL C: `long`, `int`.
  std::string type;
};

/// The kernel as text. Refuses `print.name` for a variable whose name is written and means
/// something else in the language (`int`, `lambda`), `print.operation` for what Triton has no word
/// for (a greatest common divisor, a square root) and for any operation in MLIR, whose lines have
/// none. Cost: linear in the text.
[[nodiscard]] Result<PrintedKernel> print(const Kernel& kernel, const PrintOptions& options);

/// A text in the expression language, with those of its words that have a spelling spelled so.
[[nodiscard]] std::string spelled_words(std::string_view text, const Spelling& spelling);

/// Statements and results, one a line.
[[nodiscard]] std::string to_string(const PrintedKernel& kernel);

/// A range that holds every number that the kernel computes with: variables, all that comes up on
/// the way, results. Cost: linear in the nodes.
[[nodiscard]] Range range_on_the_way(const Kernel& kernel);
/// All of them are numbers of 32 bits with a sign.
[[nodiscard]] bool fits_32_bits(const Range& values);

/// What is cheap where the language is run or read: the target to simplify() for.
[[nodiscard]] Target usual_target(Dialect dialect);

/// `static inline`, `__host__ __device__ constexpr`: what stands before a function.
[[nodiscard]] std::string_view function_qualifiers(Dialect dialect);
/// `int32_t`, `std::int64_t`, `long`: C and its like.
[[nodiscard]] std::string_view integer_type(Dialect dialect, bool is_narrow);

}  // namespace heddle::emit
#pragma GCC visibility pop
