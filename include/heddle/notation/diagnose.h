#pragma once

// What CuTe's static assertions in a compiler's output mean, with Heddle's own answer.
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
// operands are read off the template arguments (g++, clang and nvcc write them each in its own
// way), and the call is made again here. Nothing is guessed: where an operand cannot be read, the
// finding says what was looked for.

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

/// A failed assertion and what Heddle has to say.
struct Finding {
  /// The message of the assertion, or its condition where it has none.
  std::string assertion;
  /// Where the user's source called CuTe: `tile.cu:8`, and the text of that line where the log
  /// shows it. Where that is within CUTLASS, `reached_from` is the place outside it.
  std::string place;
  std::string source_line;
  std::string reached_from;
  /// The function of CuTe that was called there, or the outermost whose operands can be read;
  /// empty where there is none.
  std::string function;
  /// The function of CuTe in which the assertion stands.
  std::string asserted_in;
  /// The same call here, `composition((8,8):(8,1), 12:1)`; a `?` is a number that only the running
  /// program knows.
  std::string expression;
  /// What CuTe asks for, in a sentence; empty for assertions that are not known here.
  std::string meaning;
  /// What helps; may be empty.
  std::string advice;
  /// What the call gives here; nothing where it cannot be made.
  std::optional<Result<Value>> answer;
  /// The answer is no result of the function but a number that the assertion is about.
  bool is_measure = false;
  /// What was looked for and not found; where the call has a `?`, what that is.
  std::string missing;
  /// More assertions that failed at the same place.
  std::size_t consequences = 0;
};

struct Diagnosis {
  std::vector<Finding> findings;
  /// Assertions beyond the first kMaxFindings places.
  std::size_t more = 0;
};

/// So many places are explained.
inline constexpr std::size_t kMaxFindings = 64;

/// Refuses `diagnose.no_assertion` where the log has no failed assertion of CuTe. Any text will do;
/// cost: linear in the log, and one call here a place.
[[nodiscard]] Result<Diagnosis> diagnose(std::string_view log);

[[nodiscard]] std::string to_string(const Diagnosis& diagnosis);
/// {"findings":[{"assertion":…,"place":…,…,"answer":{"ok":true,"result":…}}],"more":0}
[[nodiscard]] Datum to_datum(const Diagnosis& diagnosis);
std::ostream& operator<<(std::ostream& stream, const Diagnosis& diagnosis);

}  // namespace heddle::notation
#pragma GCC visibility pop
