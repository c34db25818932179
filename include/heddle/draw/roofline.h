#pragma once

// Programs below the roof of their machine: how many operations each does in a second, beside what
// it does for each byte that it moves.
//
//   operations a second
//     120 G ┤          ┌──────────     the most that the machine computes
//           │        /    1
//           │  2   /
//           │    /                     the most that its memory moves
//           └────────────────────────
//             1/4   1   4   16   64    operations a byte
//
// A program is bound by memory to the left of the ridge, where the two lines meet, and by its
// operations to the right of it. One whose data stay in caches may stand above the slope.
//
// Source: Williams, Waterman and Patterson, "Roofline"; seed 001, figure 13.

#include <string>
#include <vector>

#include "heddle/core/result.h"

#pragma GCC visibility push(default)
namespace heddle::draw {

/// The most that a machine does in a second.
struct Roof {
  double operations = 0;
  double bytes = 0;

  friend bool operator==(const Roof&, const Roof&) = default;
};

/// One run of a program: what it does, and how long it took.
struct MeasuredProgram {
  std::string name;
  double operations = 0;
  double bytes = 0;
  double seconds = 0;

  friend bool operator==(const MeasuredProgram&, const MeasuredProgram&) = default;
};

struct Roofline {
  std::string title;
  Roof roof;
  std::vector<MeasuredProgram> programs;
};

/// The operations that the machine does at most in a second if each byte is used for so many.
[[nodiscard]] double attainable(const Roof& roof, double operations_per_byte);
/// The least time that the machine takes for it, divided by the time that it took.
[[nodiscard]] double share_of_roof(const Roof& roof, const MeasuredProgram& program);

/// The picture as one SVG document: programs as numbered dots, with a list that says what they are,
/// how fast, and which share of the roof that is. Refuses `draw.roofline` unless all numbers are
/// greater than zero, there are 1 to 100 programs, and numbers are no further apart than 10^12.
[[nodiscard]] Result<std::string> to_svg(const Roofline& roofline);
/// The same list as text, with the shares as bars. Refuses as to_svg().
[[nodiscard]] Result<std::string> to_terminal(const Roofline& roofline);

}  // namespace heddle::draw
#pragma GCC visibility pop
