#pragma once

// Values of one computed type, many at a time, and the functions of elementwise expressions on
// them.
//
// Floats of both types are held as doubles, those of type f32 rounded after each function.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "heddle/kernel/program.h"
#include "kernel/fold.h"
#include "kernel/meaning/storage.h"

namespace heddle::kernel::meaning {

/// Up to kChunk values of a computed type: floats in `real`, integers in `integer`, u64 modulo
/// 2^64.
struct Lanes {
  DType type = DType::kF32;
  std::array<double, kChunk> real;
  std::array<std::int64_t, kChunk> integer;

  [[nodiscard]] bool is_real() const { return is_float(type); }
};

/// Elements of a type, as values of its computed type.
void decode_lanes(DType type, std::span<const std::uint64_t> bits, Lanes& lanes);
/// The values rounded to elements of a type.
void encode_lanes(DType type, const Lanes& lanes, std::span<std::uint64_t> bits);
/// The values as those of another computed type.
void convert_lanes(Lanes& lanes, DType type, std::size_t count);
/// The same number in all lanes, of type f64 or i64.
void fill_lanes(Lanes& lanes, const Number& value, std::size_t count);

/// operands[0] = function(operands…), `count` values of each. Operands have one type, but for the
/// truth values of select; of logical functions and comparisons the result is i32. Integers divided
/// by 0 are 0, with the dividend as the remainder.
void apply_lanes(Function function, std::span<Lanes> operands, std::size_t count);

/// Both are values of the computed type. A NaN loses against every other number.
[[nodiscard]] Number folded(Fold fold, DType type, const Number& a, const Number& b);

}  // namespace heddle::kernel::meaning
