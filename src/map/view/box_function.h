#pragma once

// A relation that is a formula on a box, known without isl:
//
//   { [c0, c1] -> [8c0 + (c1) mod 4] : 0 <= c0 <= 3 and 0 <= c1 <= 7 }
//   { [c0] -> [laneid, warpid] : exists (r0: laneid = c0 and warpid = 4r0 and 0 <= c0 <= 7 and
//                                        0 <= r0 <= 1) }
//
// The second has copies: each point has an image for every r0. Layouts of digits and of bits are
// written in this form, and relations in this form are read back as digits and bits: exactly, at
// any size.

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/map/any_layout.h"
#include "map/formula/piecewise.h"
#include "map/formula/quasi_affine.h"

namespace heddle::map {

struct BoxFunction {
  /// The box of the points, and that of the copies.
  std::vector<Int> extents;
  std::vector<Int> copies;
  /// One or more pieces, over the coordinates and the copies.
  Piecewise function;
  /// The digits or bits of the function, if they are known.
  std::optional<StridedView> strided;
  std::optional<BitView> bits;

  [[nodiscard]] Int copy_count() const;
  /// The image of a point for one of its copies; undefined outside of the box.
  [[nodiscard]] std::vector<Int> operator()(std::span<const Int> point, const Int& copy) const;
  /// The images of a point inside the box, sorted and without repetition; nullopt past 64 bits or
  /// 2^20 copies.
  [[nodiscard]] std::optional<std::vector<std::vector<std::int64_t>>> images(
      std::span<const std::int64_t> point) const;
};

/// A formula on a box, or one formula on each of the boxes into which it is divided.
///
///   { [c0] -> [2c0] : 0 <= c0 <= 1; [c0] -> [2c0 - 3] : 2 <= c0 <= 3 }
struct BoxFormula {
  struct Part {
    /// Over the coordinates and then the copies.
    std::vector<QuasiSum> outputs;
    /// The bounds of each coordinate and copy, both included.
    std::vector<std::int64_t> lows;
    std::vector<std::int64_t> highs;
    friend bool operator==(const Part&, const Part&) = default;
  };
  std::vector<Part> parts;
  /// The number of bounds that belong to copies; a divided box has no copies.
  std::size_t copies = 0;
  friend bool operator==(const BoxFormula&, const BoxFormula&) = default;
};

/// The formula with these outputs on the box of these extents, the last of which are copies.
[[nodiscard]] BoxFormula on_box(std::vector<QuasiSum> outputs,
                                std::span<const std::int64_t> extents, std::size_t copies = 0);

/// The formula of a layout of digits or bits; nullopt if its numbers are symbolic or do not fit 64
/// bits.
[[nodiscard]] std::optional<BoxFormula> box_formula(const View& view);

/// The function, with the digits and bits that are found in it; nullopt past 64 bits, or if the
/// parts overlap or leave holes.
[[nodiscard]] std::optional<BoxFunction> box_function(const BoxFormula& formula);
/// As above, from pieces without copies.
[[nodiscard]] BoxFunction box_function(Piecewise function, std::vector<Int> extents);

/// In isl's syntax. Outputs without a name get isl's names o0, o1, …, if they need one.
[[nodiscard]] std::string to_string(const BoxFormula& formula, std::span<const std::string> inputs,
                                    std::span<const std::string> outputs);

/// The keyword of isl that isl takes the word for, whatever its case; empty if there is none.
[[nodiscard]] std::string_view isl_word(std::string_view word);

/// The content of a text that is a formula on a box, of up to 2^12 parts; nullopt if isl has to
/// read it, as for a single part that does not begin at 0.
struct ReadFormula {
  BoxFormula formula;
  std::vector<std::string> inputs;
  /// The names of the outputs; empty for those without a name.
  std::vector<std::string> outputs;
};
[[nodiscard]] std::optional<ReadFormula> read_formula(std::string_view text);

/// The digits of a function on a box: sums of floors of coordinates whose divisors divide one
/// another. The coordinates after those of the box are the copies. nullopt if the function is not
/// written in this form.
[[nodiscard]] std::optional<StridedView> digits_in(const AffinePiece& piece,
                                                   std::span<const Int> extents,
                                                   std::span<const Int> copies);
/// The matrix over GF(2), if all extents are powers of two and the formula consists of sums and
/// parities of bits that never carry. nullopt if it is not written in this form.
[[nodiscard]] std::optional<BitView> bits_in(const AffinePiece& piece,
                                             std::span<const Int> extents);

/// The function on a box that the relation is written as, or was found to be; null if none is known
/// (isl/questions.cc).
[[nodiscard]] std::shared_ptr<const BoxFunction> box_function_of(const IntegerRelation& relation);

}  // namespace heddle::map
