#pragma once

// Recovering a function that is linear over GF(2), up to an offset, from its values:
//
//   f(x) = f(0) xor (the columns of the bits of x)
//
//   f = 0 1 3 2      columns 1, 3: the swizzle Sw<1,0,1> on 4 points; no strided layout is it
//
// The columns are the values at the powers of two, f(2^i) xor f(0), so one evaluation for each bit
// finds the only candidate. If it is not f, four values show why: f(0) xor f(a) xor f(b) xor f(a
// xor b) is 0 for every such function.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/form/bit_matrix.h"
#include "heddle/form/recover.h"

#pragma GCC visibility push(default)
namespace heddle::form {

/// On [0, 2^bits): f(x) is the offset, XORed with the columns of the bits of x; each has one number
/// for each axis, none is negative.
struct BitMap {
  std::vector<std::vector<std::int64_t>> columns;
  std::vector<std::int64_t> offset;

  friend bool operator==(const BitMap&, const BitMap&) = default;
};

[[nodiscard]] std::vector<std::int64_t> value_at(const BitMap& map, std::int64_t point);

/// The bit width of each axis: the bits that the columns and the offset need there.
[[nodiscard]] std::vector<int> widths_of(const BitMap& map);

/// The columns as a matrix whose rows are the bits of the axes one after the other, `widths` each.
/// Refuses `bit_matrix.too_wide` past 64 rows.
[[nodiscard]] Result<BitMatrix> bit_matrix(const BitMap& map, const std::vector<int>& widths);

/// The digits as a bit map, without evaluating each point; nullopt if an extent is no power of two,
/// a value is negative, or two digits change one bit (then there is no bit map, unless no sum
/// reaches that bit).
[[nodiscard]] std::optional<BitMap> bits_of(const StridedMap& map);

using RecoverBitsOptions = RecoverOptions<BitMap>;

/// Refuses `recover.no_bits` for an extent that is no power of two, a negative value, or with a
/// point a xor b that shows that f is not linear; `recover.too_large` and `recover.gave_up` as
/// recover_strided. Cost: one evaluation for each bit, and the verification.
[[nodiscard]] Result<BitMap> recover_bit_linear(std::int64_t extent, std::size_t axes,
                                                const Sampler& f,
                                                const RecoverBitsOptions& options = {});

}  // namespace heddle::form
#pragma GCC visibility pop
