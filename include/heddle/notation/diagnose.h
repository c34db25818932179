#pragma once

// Explains CuTe's static assertions in a compiler's output, with Heddle's own answer.
//
//   Diagnosis diagnosis = diagnose(log);          the output of nvcc, clang or g++
//   std::cout << diagnosis;
//
//   tile.cu:8: composition: "Shape Divisibility Condition"
//       auto view = composition(matrix, columns);
//     CuTe asks: …
//     heddle eval 'composition((8,8):(8,1), 12:1)'
//     error composition.no_layout: …
//
// An assertion is traced through the templates that led to it to the call in the user's source; its
// operands are read from the template arguments (g++, clang and nvcc each write them differently),
// and Heddle repeats the call. Nothing is guessed: if an operand cannot be read, the finding says
// what was looked for.

#include <cstddef>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/notation/value.h"

#pragma GCC visibility push(default)
namespace heddle::notation {

/// A failed assertion with its explanation.
struct Finding {
  /// The message of the assertion, or its condition if it has none.
  std::string assertion;
  /// Where the user's source called CuTe: `tile.cu:8`, and the text of that line if the log shows
  /// it. If that is within CUTLASS, `reached_from` is the place outside it.
  std::string place;
  std::string source_line;
  std::string reached_from;
  /// The function of CuTe that was called there, or the outermost whose operands can be read; empty
  /// if there is none.
  std::string function;
  /// The function of CuTe that contains the assertion.
  std::string asserted_in;
  /// The caller of a shape_div that the log does not show and that the folds around it give away:
  /// `composition(A, B): a mode of B with the extent 96 runs through …`; empty otherwise.
  std::string inferred_caller;
  /// The same call in Heddle, `composition((8,8):(8,1), 12:1)`; a `?` is a number known only at run
  /// time.
  std::string expression;
  /// What CuTe requires, in a sentence; empty for assertions that Heddle does not know.
  std::string meaning;
  /// How to fix it; may be empty.
  std::string advice;
  /// The result of the call in Heddle; nullopt if it cannot be made.
  std::optional<Result<Value>> answer;
  /// The answer is not the function's result but a number that the assertion is about.
  bool is_measure = false;
  /// What was looked for and not found; if the call has a `?`, what that is.
  std::string missing;
  /// More assertions that failed at the same place.
  std::size_t consequences = 0;
};

struct Diagnosis {
  std::vector<Finding> findings;
  /// Assertions beyond the first kMaxFindings places.
  std::size_t more = 0;
};

/// The largest number of places that are explained.
inline constexpr std::size_t kMaxFindings = 64;

/// Refuses `diagnose.no_assertion` if the log has no failed assertion of CuTe. Accepts any text.
/// Cost: linear in the log, plus one call of an operation per place.
[[nodiscard]] Result<Diagnosis> diagnose(std::string_view log);

[[nodiscard]] std::string to_string(const Diagnosis& diagnosis);
/// {"findings":[{"assertion":…,"place":…,…,"answer":{"ok":true,"result":…}}],"more":0}
[[nodiscard]] Datum to_datum(const Diagnosis& diagnosis);
std::ostream& operator<<(std::ostream& stream, const Diagnosis& diagnosis);

}  // namespace heddle::notation
#pragma GCC visibility pop
