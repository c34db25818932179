#pragma once

// An Explanation shows how a result is computed: a tree of steps, each with a sentence that
// contains the numbers, its operands and its result.
//
//   composition((6,2):(8,2), (4,3):(3,1)) = ((2,2),3):((24,2),8)
//     leaf 4:3      reads A at 0 3 6 9: 0 24 2 26                     -> (2,2):(24,2)
//       in 6:8      6/3 = 2 of the 4 steps fit; stride 3*8 = 24         -> 2:24
//       left over   4/2 = 2 rounds, each one step in the next mode
//       in 2:2      …                                                   -> 2:2
//     …
//
// Texts are in the notation of the operands. Equations in a text, such as `6/3 = 2`, are exact as
// written; `ceil(7/2) = 4` and `floor(7/2) = 3` mark divisions that are rounded.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/core/diagnostic.h"

#pragma GCC visibility push(default)
namespace heddle {

/// A piece [begin, end) of a text that belongs to one part of an operand: pieces with the same
/// number say where a number came from and where it went.
struct Mark {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t part = 0;

  friend bool operator==(const Mark&, const Mark&) = default;
};

/// A text with marks, which are in order and do not overlap.
struct MarkedText {
  MarkedText() = default;
  MarkedText(std::string plain) : text(std::move(plain)) {}  // NOLINT: a text without marks
  MarkedText(const char* plain) : text(plain) {}             // NOLINT
  MarkedText(std::string marked, std::vector<Mark> its_marks)
      : text(std::move(marked)), marks(std::move(its_marks)) {}

  /// The whole text belongs to `part`.
  [[nodiscard]] static MarkedText whole(std::string text, std::size_t part);
  /// Appends `more` with its marks.
  MarkedText& operator+=(const MarkedText& more);

  std::string text;
  std::vector<Mark> marks;

  friend bool operator==(const MarkedText&, const MarkedText&) = default;
};

struct Explanation {
  /// The name of the operation that is explained; empty for a step within one.
  std::string operation;
  /// The title of the step: a call, a mode, a digit.
  MarkedText title;
  /// The operands of the step, as texts.
  std::vector<std::string> operands;
  /// How the step works, in one or a few sentences with the numbers; may be empty.
  std::string text;
  std::vector<Explanation> steps;
  /// The result; empty for an intermediate step that has none.
  MarkedText result;
  /// Why there is no result.
  std::optional<Diagnostic> refusal;

  friend bool operator==(const Explanation&, const Explanation&) = default;
};

/// A step within an explanation.
[[nodiscard]] Explanation step(MarkedText title, std::string text, MarkedText result = {});
/// An explanation of the call `name(operand, operand)` that has no steps yet.
[[nodiscard]] Explanation explained_call(std::string_view name,
                                         const std::vector<MarkedText>& operands);

}  // namespace heddle
#pragma GCC visibility pop
