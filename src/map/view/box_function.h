#pragma once

// A relation that is a formula on a box, known without isl:
//
//   { [c0, c1] -> [8c0 + (c1) mod 4] : 0 <= c0 <= 3 and 0 <= c1 <= 7 }
//   { [c0] -> [laneid, warpid] : exists (r0: laneid = c0 and warpid = 4r0 and 0 <= c0 <= 7 and
//                                        0 <= r0 <= 1) }
//
// The second has copies: each point has an image for every r0. Layouts of digits and of bits are
// written so, and what is written so is read back as digits and bits: exactly, at any size.

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
  /// The box, and that of the copies.
  std::vector<Int> extents;
  std::vector<Int> copies;
  /// One piece or more, over the coordinates and the copies.
  Piecewise function;
  /// What it is made of, where that is known.
  std::optional<StridedView> strided;
  std::optional<BitView> bits;

  [[nodiscard]] Int copy_count() const;
  /// The image of a point for one of its copies; undefined outside of the box.
  [[nodiscard]] std::vector<Int> operator()(std::span<const Int> point, const Int& copy) const;
  /// The images of a point inside the box, sorted, each once; nothing past 64 bits or 2^20 copies.
  [[nodiscard]] std::optional<std::vector<std::vector<std::int64_t>>> images(
      std::span<const std::int64_t> point) const;
};

/// A formula on a box, or another one on each of the boxes that it is cut into.
///
///   { [c0] -> [2c0] : 0 <= c0 <= 1; [c0] -> [2c0 - 3] : 2 <= c0 <= 3 }
struct BoxFormula {
  struct Part {
    /// Over the coordinates and then the copies.
    std::vector<QuasiSum> outputs;
    /// Of each coordinate and copy, both within.
    std::vector<std::int64_t> lows;
    std::vector<std::int64_t> highs;
    friend bool operator==(const Part&, const Part&) = default;
  };
  std::vector<Part> parts;
  /// How many of the bounds are those of copies, which a cut box has none of.
  std::size_t copies = 0;
  friend bool operator==(const BoxFormula&, const BoxFormula&) = default;
};

/// The formula with these outputs on the box of these extents, of which the last are copies.
[[nodiscard]] BoxFormula on_box(std::vector<QuasiSum> outputs,
                                std::span<const std::int64_t> extents, std::size_t copies = 0);

/// The formula of a layout of digits or bits; nothing where its numbers are symbolic or do not fit
/// 64 bits.
[[nodiscard]] std::optional<BoxFormula> box_formula(const View& view);

/// The function, with the digits and bits that are found in it; nothing past 64 bits, or where the
/// parts meet or leave holes.
[[nodiscard]] std::optional<BoxFunction> box_function(const BoxFormula& formula);
/// The same of pieces without copies.
[[nodiscard]] BoxFunction box_function(Piecewise function, std::vector<Int> extents);

/// In isl's syntax. Outputs without a name are those of isl, o0, o1, …, where they need one.
[[nodiscard]] std::string to_string(const BoxFormula& formula, std::span<const std::string> inputs,
                                    std::span<const std::string> outputs);

/// The word of isl's own that isl reads this one as, in whatever case its letters are; empty for
/// none.
[[nodiscard]] std::string_view isl_word(std::string_view word);

/// What the text says, where it is a formula on a box, of up to 2^12 parts; nothing where isl has
/// to read it, as it has to where a single part does not begin at 0.
struct ReadFormula {
  BoxFormula formula;
  std::vector<std::string> inputs;
  /// Empty where there is none.
  std::vector<std::string> outputs;
};
[[nodiscard]] std::optional<ReadFormula> read_formula(std::string_view text);

/// The digits that a function on a box is made of: sums of floors of coordinates whose divisors
/// divide one another. The coordinates after those of the box are the copies. Nothing where it is
/// not written as such.
[[nodiscard]] std::optional<StridedView> digits_in(const AffinePiece& piece,
                                                   std::span<const Int> extents,
                                                   std::span<const Int> copies);
/// The matrix over GF(2), where all extents are powers of two and the formula is one of sums and
/// parities of bits that never carry. Nothing where it is not written as such.
[[nodiscard]] std::optional<BitView> bits_in(const AffinePiece& piece,
                                             std::span<const Int> extents);

/// The function on a box that the relation is written as, or was found to be; null where none is
/// known (isl/questions.cc).
[[nodiscard]] std::shared_ptr<const BoxFunction> box_function_of(const IntegerRelation& relation);

}  // namespace heddle::map
