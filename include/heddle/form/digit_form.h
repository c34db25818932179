#pragma once

// The digit form of a strided map: its flat coordinate, first digit fastest, is split into digits,
// and each digit adds a multiple of its stride. A stride is one number for each axis.
//
//   (4,(2,2)):(2,(1,8))     axes m;     digits 4:2  2:1  2:8
//   (4,8):(1@0,1@1)         axes 0, 1;  digits 4:(1,0)  8:(0,1)
//   (2,2,8):(1,2,4)         axes m;     digits 32:1
//
// The form is normal: no digit of extent 1, no two neighbours that one digit could replace, axes in
// the order of their names and only those that some stride uses. Two strided maps of one size are
// equal exactly if their forms are, because the function decides the form (form/recover.h recovers
// it from the function).

#include <cstddef>
#include <iosfwd>
#include <span>
#include <vector>

#include "heddle/core/axis.h"
#include "heddle/core/result.h"
#include "heddle/expr/int.h"

#pragma GCC visibility push(default)
namespace heddle::form {

/// `extent` steps of `stride` (one number for each axis).
struct Digit {
  Int extent = 1;
  std::vector<Int> stride;

  friend bool operator==(const Digit&, const Digit&) = default;
};

/// The same function in the fewest digits, fastest first as given: none of extent 1, no two
/// neighbours that one digit could replace, as far as that is known. Cost: linear in digits times
/// axes.
///
///   1:7 4:1 2:4 2:16      8:1 2:16
[[nodiscard]] std::vector<Digit> coalesced(std::span<const Digit> digits);

class DigitForm {
 public:
  /// The normal form of these digits, fastest first; each stride has one number for each axis. An
  /// axis may be named once only. Cost: linear in digits times axes, after sorting the axes.
  DigitForm(std::vector<Axis> axes, std::span<const Digit> digits);

  [[nodiscard]] std::span<const Axis> axes() const { return axes_; }
  [[nodiscard]] std::span<const Digit> digits() const { return digits_; }
  /// The number of points.
  [[nodiscard]] Int size() const;
  /// The coordinate on each axis; past the end the last digit continues.
  [[nodiscard]] std::vector<Int> operator()(const Int& flat) const;

  friend bool operator==(const DigitForm&, const DigitForm&) = default;

 private:
  std::vector<Axis> axes_;
  std::vector<Digit> digits_;
};

/// `m: 4:2 2:1 2:8`, `0 1: 4:(1,0) 8:(0,1)`.
std::ostream& operator<<(std::ostream& stream, const DigitForm& form);

}  // namespace heddle::form
#pragma GCC visibility pop
