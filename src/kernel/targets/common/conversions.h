/// Conversions between the types of elements and those that are computed in; a target says QUALIFIERS.
#define QUALIFIERS static inline
#define ULONG unsigned long long
#define LONG long long
/// A float of 16 bits.
#define STORED unsigned short
#define SIGN 15
#define MASK 0x7fffu
#define SHIFT 13
#define OFFSET 0x38000000u
#define HALF 0xfffu
#define SMALLEST 0x1p-24f
#define SMALL_NORMAL 0x400u
#define LEAST_BITS 0x38800000u
#define INFINITE_BITS 0x7c00u
#define IS_NAN magnitude > 0x7c00u
#define NAN_BITS 0x7e00u
#define MAGIC 0x1p-1f
#define GREATEST 0x7bffu
#define OVERFLOW 0x7c00u
/// Integers, and the ends of one of 4 bits.
#define TYPE int
#define UNSIGNED unsigned
#define TO unsigned char
#define FROM float
#define VIA (int)
#define LOWLIMIT -8.0
#define HIGHLIMIT 8.0
#define LOW -(LONG)(0x7) - 1
#define HIGH (LONG)0x7

//@ bits_of_f32()
QUALIFIERS unsigned bits_of_f32(float x) {
  union { float f; unsigned u; } both;
  both.f = x;
  return both.u;
}
//@ f32_of_bits()
QUALIFIERS float f32_of_bits(unsigned x) {
  union { float f; unsigned u; } both;
  both.u = x;
  return both.f;
}

//@ bits_of_f64()
QUALIFIERS ULONG bits_of_f64(double x) {
  union { double f; ULONG u; } both;
  both.f = x;
  return both.u;
}
//@ f64_of_bits()
QUALIFIERS double f64_of_bits(ULONG x) {
  union { double f; ULONG u; } both;
  both.u = x;
  return both.f;
}

//@ f32_of_bf16(): f32_of_bits
QUALIFIERS float f32_of_bf16(unsigned short x) { return f32_of_bits((unsigned)x << 16); }
//@ bf16_of_f32(): bits_of_f32
QUALIFIERS unsigned short bf16_of_f32(float x) {
  const unsigned u = bits_of_f32(x);
  const unsigned rounded = (u + 0x7fffu + (u >> 16 & 1u)) >> 16;
  const unsigned quiet = 0x7fc0u | (u >> 16 & 0x8000u);
  return (unsigned short)((u & 0x7fffffffu) > 0x7f800000u ? quiet : rounded);
}

//@ f32_of_e8m0(): f32_of_bits
QUALIFIERS float f32_of_e8m0(unsigned char x) {
  if (x == 255) return f32_of_bits(0x7fc00000u);
  return x == 0 ? f32_of_bits(0x400000u) : f32_of_bits((unsigned)x << 23);
}
//@ e8m0_of_f32(): bits_of_f32
QUALIFIERS unsigned char e8m0_of_f32(float x) {
  const unsigned u = bits_of_f32(x);
  if ((u & 0x7fffffffu) > 0x7f800000u) return 255;
  if (u >> 31 != 0) return 0;
  const unsigned exponent = (u >> 23) + (u >> 22 & 1u);
  return (unsigned char)(exponent > 254u ? 254u : exponent);
}

//@ tf32_of_f32(): bits_of_f32 f32_of_bits
QUALIFIERS float tf32_of_f32(float x) {
  const unsigned u = bits_of_f32(x);
  if ((u & 0x7fffffffu) >= 0x7f800000u) return x;
  return f32_of_bits((u + 0xfffu + (u >> 13 & 1u)) & 0xffffe000u);
}

/// Conversions of a small float: subnormals by a product or a sum, the others by shifting; rounding to nearest, ties to even. Without branches, so that compilers make vectors of it.
//@ f32_of_NAME(): bits_of_f32 f32_of_bits
QUALIFIERS float f32_of_NAME(STORED x) {
  const unsigned sign = (unsigned)(x >> SIGN) << 31;
  const unsigned magnitude = (unsigned)x & MASK;
  unsigned u = (magnitude << SHIFT) + OFFSET;
  u = magnitude < SMALL_NORMAL ? bits_of_f32((float)(int)magnitude * SMALLEST) : u;
//? INFINITE_BITS
  u = magnitude == INFINITE_BITS ? 0x7f800000u : u;
//?
  u = IS_NAN ? 0x7fc00000u : u;
  return f32_of_bits(sign | u);
}
//@ NAME_of_f32(): bits_of_f32 f32_of_bits
QUALIFIERS STORED NAME_of_f32(float x) {
  const unsigned u = bits_of_f32(x);
  const unsigned sign = u >> 31 << SIGN;
  const unsigned magnitude = u & 0x7fffffffu;
  // The sum rounds at the place of the last bit.
  const unsigned tiny = bits_of_f32(f32_of_bits(magnitude) + MAGIC) - bits_of_f32(MAGIC);
  unsigned rounded = (magnitude - OFFSET + HALF + (magnitude >> SHIFT & 1u)) >> SHIFT;
  rounded = magnitude < LEAST_BITS ? tiny : rounded;
  rounded = rounded > GREATEST ? OVERFLOW : rounded;
  rounded = magnitude > 0x7f800000u ? NAN_BITS : rounded;
  return (STORED)(sign | rounded);
}

/// Euclidean division of integers.
//@ quotient_NAME()
QUALIFIERS TYPE quotient_NAME(TYPE a, TYPE b) {
  if (b == 0) return 0;
  if (b == -1) return (TYPE)(0u - (UNSIGNED)a);
  const TYPE q = a / b;
  return a % b < 0 ? (b > 0 ? q - 1 : q + 1) : q;
}
//@ remainder_NAME()
QUALIFIERS TYPE remainder_NAME(TYPE a, TYPE b) {
  if (b == 0) return a;
  if (b == -1) return 0;
  const TYPE r = a % b;
  return r < 0 ? (b > 0 ? r + b : r - b) : r;
}

/// From a float to an integer: towards zero, past the ends the end, NaN is 0.
//@ NAME_of_FROMNAME()
QUALIFIERS TO NAME_of_FROMNAME(FROM x) {
  if (x != x) return 0;
  if (x <= (FROM)LOWLIMIT) return (TO)(LOW);
  if (x >= (FROM)HIGHLIMIT) return (TO)(HIGH);
  return (TO)VIA x;
}
