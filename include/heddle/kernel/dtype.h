#pragma once

// The types of a kernel's elements, and what their bits mean.
//
//   find_dtype("f16")                      DType::kF16
//   bits(DType::kF16)                      16
//   decode(DType::kF16, 0x3c00)            1.0
//   encode(DType::kE4m3, Number(0.3))      0x2a: 0.3125, the nearest number of the type

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#pragma GCC visibility push(default)
namespace heddle::kernel {

enum class DType : std::uint8_t {
  kF64,
  kF32,
  kTf32,  // 32 bits in memory, of which the last 13 are 0
  kF16,
  kBf16,
  kE4m3,  // OCP's: no infinities, greatest number 448
  kE5m2,
  kE8m0,  // powers of two, for scale factors
  kI64,
  kI32,
  kI16,
  kI8,
  kI4,  // two in a byte, the first in the low bits
  kU64,
  kU32,
  kU16,
  kU8,
  kU4,
  kBool,  // a byte, 0 or 1
};

/// `f32`, `e4m3`, `i8`, `bool`.
[[nodiscard]] std::string_view name_of(DType type);
/// The type of this name; nullopt if there is none.
[[nodiscard]] std::optional<DType> find_dtype(std::string_view name);
/// All types, in the order of the enumeration.
[[nodiscard]] std::span<const DType> dtypes();

/// The bits of an element in memory.
[[nodiscard]] std::int64_t bits(DType type);
[[nodiscard]] bool is_float(DType type);
/// Whether it is an integer type with a sign.
[[nodiscard]] bool is_signed(DType type);
/// The type that arithmetic on elements is done in: f64 for f64, f32 for every other float, i64 and
/// u64 for themselves, i32 for integers that fit into it, i64 for u32. Results are converted to the
/// type of the destination once, when they are stored.
[[nodiscard]] DType computed_in(DType type);
/// The type in which an operation on values of two computed types is done: the float of more bits
/// if one is a float, else the integer type that holds both; u64 with a signed type gives i64.
[[nodiscard]] DType common_type(DType a, DType b);

/// A value of a computed type: a float, or an integer modulo 2^64.
struct Number {
  Number() = default;
  explicit Number(double value) : real(value), is_real(true) {}
  explicit Number(std::int64_t value) : integer(value) {}

  double real = 0;
  std::int64_t integer = 0;
  bool is_real = false;

  friend bool operator==(const Number&, const Number&) = default;
};

/// The value of an element with these bits. NaNs of all types are quiet NaNs.
[[nodiscard]] Number decode(DType type, std::uint64_t bits);
/// The bits of the nearest element: floats by rounding to nearest, ties to even, with overflow to
/// infinity (e4m3: NaN; e8m0: the nearest power of two, ties up); integers modulo 2^bits. A float
/// becomes an integer by rounding towards zero, past its ends the end, NaN 0, as on GPUs; bool is
/// whether a value differs from 0.
[[nodiscard]] std::uint64_t encode(DType type, const Number& value);
/// The value as one of a computed type: integers wrap, floats are rounded, as encode() does it.
[[nodiscard]] Number converted(DType type, const Number& value);

}  // namespace heddle::kernel
#pragma GCC visibility pop
