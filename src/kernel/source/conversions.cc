#include "kernel/source/conversions.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

namespace heddle::kernel {

namespace {

/// A small float: bits of the exponent and of the fraction, and whether it has infinities.
struct SmallFloat {
  DType type;
  int exponent;
  int fraction;
  bool has_infinity;
};
constexpr SmallFloat kSmallFloats[] = {
    {DType::kF16, 5, 10, true},
    {DType::kE4m3, 4, 3, false},
    {DType::kE5m2, 5, 2, true},
};

bool is_small(DType type) {
  return type == DType::kF16 || type == DType::kBf16 || type == DType::kE4m3 ||
         type == DType::kE5m2 || type == DType::kE8m0;
}

constexpr std::string_view kBitsOfFloat = R"(
QUALIFIERS unsigned bits_of_f32(float x) {
  union { float f; unsigned u; } both;
  both.f = x;
  return both.u;
}
QUALIFIERS float f32_of_bits(unsigned x) {
  union { float f; unsigned u; } both;
  both.u = x;
  return both.f;
}
)";

constexpr std::string_view kBitsOfDouble = R"(
QUALIFIERS ULONG bits_of_f64(double x) {
  union { double f; ULONG u; } both;
  both.f = x;
  return both.u;
}
QUALIFIERS double f64_of_bits(ULONG x) {
  union { double f; ULONG u; } both;
  both.u = x;
  return both.f;
}
)";

constexpr std::string_view kBf16 = R"(
QUALIFIERS float f32_of_bf16(unsigned short x) { return f32_of_bits((unsigned)x << 16); }
QUALIFIERS unsigned short bf16_of_f32(float x) {
  const unsigned u = bits_of_f32(x);
  const unsigned rounded = (u + 0x7fffu + (u >> 16 & 1u)) >> 16;
  const unsigned quiet = 0x7fc0u | (u >> 16 & 0x8000u);
  return (unsigned short)((u & 0x7fffffffu) > 0x7f800000u ? quiet : rounded);
}
)";

constexpr std::string_view kE8m0 = R"(
QUALIFIERS float f32_of_e8m0(unsigned char x) {
  if (x == 255) return f32_of_bits(0x7fc00000u);
  return x == 0 ? f32_of_bits(0x400000u) : f32_of_bits((unsigned)x << 23);
}
QUALIFIERS unsigned char e8m0_of_f32(float x) {
  const unsigned u = bits_of_f32(x);
  if ((u & 0x7fffffffu) > 0x7f800000u) return 255;
  if (u >> 31 != 0) return 0;
  const unsigned exponent = (u >> 23) + (u >> 22 & 1u);
  return (unsigned char)(exponent > 254u ? 254u : exponent);
}
)";

constexpr std::string_view kTf32 = R"(
QUALIFIERS float tf32_of_f32(float x) {
  const unsigned u = bits_of_f32(x);
  if ((u & 0x7fffffffu) >= 0x7f800000u) return x;
  return f32_of_bits((u + 0xfffu + (u >> 13 & 1u)) & 0xffffe000u);
}
)";

/// Of a small float with E bits of exponent and F of fraction: subnormals by a product or a sum,
/// the others by shifting; rounding to nearest, ties to even. Without branches, so that compilers
/// make vectors of it.
constexpr std::string_view kSmallFloat = R"(
QUALIFIERS float f32_of_NAME(STORED x) {
  const unsigned sign = (unsigned)(x >> SIGN) << 31;
  const unsigned magnitude = (unsigned)x & MASK;
  unsigned u = (magnitude << SHIFT) + OFFSETu;
  u = magnitude < SMALLEST_NORMAL ? bits_of_f32((float)(int)magnitude * SMALLEST) : u;
  INFINITIES
  u = IS_NAN ? 0x7fc00000u : u;
  return f32_of_bits(sign | u);
}
QUALIFIERS STORED NAME_of_f32(float x) {
  const unsigned u = bits_of_f32(x);
  const unsigned sign = u >> 31 << SIGN;
  const unsigned magnitude = u & 0x7fffffffu;
  // The sum rounds at the place of the last bit.
  const unsigned tiny = bits_of_f32(f32_of_bits(magnitude) + MAGIC) - bits_of_f32(MAGIC);
  unsigned rounded = (magnitude - OFFSETu + HALFu + (magnitude >> SHIFT & 1u)) >> SHIFT;
  rounded = magnitude < LEAST_NORMAL_BITSu ? tiny : rounded;
  rounded = rounded > GREATEST ? OVERFLOW : rounded;
  rounded = magnitude > 0x7f800000u ? NAN_BITS : rounded;
  return (STORED)(sign | rounded);
}
)";

/// The GPU's own conversions of f16, by which the portable ones are replaced there.
constexpr std::string_view kHalfOfCuda = R"(
#ifdef __CUDA_ARCH__
static __device__ __forceinline__ float f32_of_f16(unsigned short x) {
  float result;
  asm("cvt.f32.f16 %0, %1;" : "=f"(result) : "h"(x));
  return result;
}
static __device__ __forceinline__ unsigned short f16_of_f32(float x) {
  unsigned short result;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(result) : "f"(x));
  return result;
}
#else
PORTABLE
#endif
)";

std::string float_text(double value) { return fmt::format("{:a}f", value); }

std::string small_float_text(const SmallFloat& type) {
  const int bits = 1 + type.exponent + type.fraction;
  const int bias = (1 << (type.exponent - 1)) - 1;
  const unsigned mask = (1U << (bits - 1)) - 1;
  const unsigned infinity = ((1U << type.exponent) - 1) << type.fraction;
  const unsigned greatest = type.has_infinity ? infinity - 1 : mask - 1;
  const unsigned overflow = type.has_infinity ? infinity : mask;
  const int shift = 23 - type.fraction;
  const unsigned offset = static_cast<unsigned>(127 - bias) << 23;
  double smallest = 1;
  for (int i = 0; i < bias - 1 + type.fraction; ++i) smallest /= 2;
  double magic = smallest;
  for (int i = 0; i < 23; ++i) magic *= 2;
  const std::string is_nan = type.has_infinity ? fmt::format("magnitude > {:#x}u", infinity)
                                               : fmt::format("magnitude == {:#x}u", mask);
  const std::string infinities =
      type.has_infinity ? fmt::format("u = magnitude == {:#x}u ? 0x7f800000u : u;", infinity) : "";
  const std::string nan_bits =
      fmt::format("{:#x}u", type.has_infinity ? infinity | (1U << (type.fraction - 1)) : mask);
  return replaced(std::string(kSmallFloat),
                  {{"SMALLEST_NORMAL", fmt::format("{:#x}u", 1U << type.fraction)},
                   {"LEAST_NORMAL_BITS", fmt::format("{:#x}", offset + (1U << 23))},
                   {"SMALLEST", float_text(smallest)},
                   {"MAGIC", float_text(magic)},
                   {"IS_NAN", is_nan},
                   {"  INFINITIES\n", infinities.empty() ? "" : "  " + infinities + "\n"},
                   {"NAN_BITS", nan_bits},
                   {"GREATEST", fmt::format("{:#x}u", greatest)},
                   {"OVERFLOW", fmt::format("{:#x}u", overflow)},
                   {"OFFSET", fmt::format("{:#x}", offset)},
                   {"HALF", fmt::format("{:#x}", (1U << (shift - 1)) - 1)},
                   {"SHIFT", std::to_string(shift)},
                   {"SIGN", std::to_string(bits - 1)},
                   {"MASK", fmt::format("{:#x}u", mask)},
                   {"STORED", bits > 8 ? "unsigned short" : "unsigned char"},
                   {"NAME", std::string(name_of(type.type))}});
}

/// Euclidean division of integers.
std::string division_text(DType type, Target target) {
  return replaced(R"(
QUALIFIERS TYPE quotient_NAME(TYPE a, TYPE b) {
  if (b == 0) return 0;
  if (b == -1) return (TYPE)(0u - (UNSIGNED)a);
  const TYPE q = a / b;
  return a % b < 0 ? (b > 0 ? q - 1 : q + 1) : q;
}
QUALIFIERS TYPE remainder_NAME(TYPE a, TYPE b) {
  if (b == 0) return a;
  if (b == -1) return 0;
  const TYPE r = a % b;
  return r < 0 ? (b > 0 ? r + b : r - b) : r;
}
)",
                  {{"UNSIGNED", std::string(unsigned_for(bits(type), target))},
                   {"NAME", std::string(name_of(type))},
                   {"TYPE", std::string(computed_as(type, target))}});
}

/// From a float to an integer: towards zero, past the ends the end, NaN is 0.
std::string saturation_text(DType to, DType from, Target target) {
  const std::int64_t width = bits(to);
  const bool has_sign = is_signed(to);
  const auto limit = [&](bool is_low) {
    double value = 1;
    for (std::int64_t i = has_sign ? 1 : 0; i < width; ++i) value *= 2;
    if (is_low) return has_sign ? fmt::format("{:.1f}", -value) : std::string("0.0");
    return fmt::format("{:.1f}", value);
  };
  std::string low = has_sign
                        ? fmt::format("-(LONG)({}) - 1",
                                      fmt::format("{:#x}", (std::uint64_t{1} << (width - 1)) - 1))
                        : "0";
  const std::uint64_t all = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  const std::string high = fmt::format("({}){:#x}", "LONG", has_sign ? all >> 1 : all);
  return replaced(
      R"(
QUALIFIERS TO NAME_of_FROMNAME(FROM x) {
  if (x != x) return 0;
  if (x <= (FROM)LOWLIMIT) return (TO)(LOW);
  if (x >= (FROM)HIGHLIMIT) return (TO)(HIGH);
  return (TO)VIA x;
}
)",
      // A signed number of four bits is held in an unsigned one of eight, and what becomes of
      // negative floats there is for each machine to say.
      {{"VIA ", to == DType::kI4 ? "(int)" : ""},
       {"LOWLIMIT", limit(true)},
       {"HIGHLIMIT", limit(false)},
       {"LOW", low},
       {"HIGH", high},
       {"FROMNAME", std::string(name_of(from))},
       {"NAME", std::string(name_of(to))},
       {"FROM", std::string(computed_as(from, target))},
       {"TO", std::string(stored_as(to, target))},
       {"LONG", std::string(stored_as(to == DType::kU64 ? to : DType::kI64, target))}});
}

}  // namespace

std::string replaced(std::string text, const std::vector<std::pair<std::string, std::string>>& by) {
  for (const auto& [from, to] : by) {
    for (std::size_t at = text.find(from); at != std::string::npos;
         at = text.find(from, at + to.size())) {
      text.replace(at, from.size(), to);
    }
  }
  return text;
}

std::string_view stored_as(DType type, Target target) {
  const std::int64_t width = bits(type);
  if (type == DType::kF64) return "double";
  if (is_float(type) && width == 32) return "float";
  if (width <= 8) return type == DType::kI8 ? "signed char" : "unsigned char";
  if (!is_signed(type)) return width == 16 ? "unsigned short" : unsigned_for(width, target);
  if (width <= 32) return width == 16 ? "short" : "int";
  return target == Target::kOpenCl ? "long" : "long long";
}

std::string_view unsigned_for(std::int64_t bits, Target target) {
  if (bits <= 32) return "unsigned";
  return target == Target::kOpenCl ? "ulong" : "unsigned long long";
}

std::string_view space_of_opencl(Space space) {
  if (space == Space::kGlobal) return "__global ";
  return space == Space::kShared ? "__local " : "";
}

std::string_view function_qualifiers(Target target) {
  if (target == Target::kCpu) return "static inline";
  return target == Target::kOpenCl ? "inline static" : "static __device__ __forceinline__";
}

std::string_view computed_as(DType type, Target target) {
  return type == DType::kBool ? "int" : stored_as(computed_in(type), target);
}

std::string Conversions::call(const std::string& name, const std::string& value) {
  used_.insert(name);
  return fmt::format("{}({})", name, value);
}

std::string Conversions::load(DType type, const std::string& element) {
  if (is_small(type)) return call(fmt::format("f32_of_{}", name_of(type)), element);
  const DType computed = computed_in(type);
  if (type == DType::kBool) return fmt::format("({} != 0)", element);
  if (type == DType::kU4) return fmt::format("((int)({}) & 15)", element);
  if (type == DType::kI4) return fmt::format("((((int)({}) & 15) ^ 8) - 8)", element);
  if (computed == type || type == DType::kTf32) return element;
  return fmt::format("({}){}", computed_as(type, target_), element);
}

std::string Conversions::saturated(DType to, DType from, const std::string& value) {
  used_.insert(fmt::format("saturate {} {}", name_of(to), name_of(from)));
  return fmt::format("{}_of_{}({})", name_of(to), name_of(from), value);
}

std::string Conversions::store(DType type, DType computed, const std::string& value) {
  if (type == DType::kBool) return fmt::format("({}) != 0", value);
  if (is_float(type)) {
    if (type == DType::kF64) return as(DType::kF64, computed, value);
    const std::string number = as(DType::kF32, computed, value);
    if (type == DType::kF32) return number;
    return call(fmt::format("{}_of_f32", name_of(type)), number);
  }
  if (bits(type) < 8) {
    const std::string whole = is_float(computed) ? saturated(type, computed, value) : value;
    return fmt::format("(unsigned char)(({}) & 15)", whole);
  }
  if (is_float(computed)) return saturated(type, computed, value);
  if (type == computed) return value;
  return fmt::format("({})({})", stored_as(type, target_), value);
}

std::string Conversions::bits_of(DType type, const std::string& element) {
  if (type == DType::kF64) return call("bits_of_f64", element);
  if (type == DType::kF32 || type == DType::kTf32) return call("bits_of_f32", element);
  if (bits(type) < 8) return fmt::format("(({}) & 15)", element);
  if (!is_signed(type)) return element;
  const DType plain =
      std::array{DType::kU8, DType::kU16, DType::kU32,
                 DType::kU64}[std::bit_width(static_cast<std::uint64_t>(bits(type))) - 4];
  return fmt::format("({})({})", stored_as(plain, target_), element);
}

std::string Conversions::of_bits(DType type, const std::string& bits) {
  if (type == DType::kF64) return call("f64_of_bits", bits);
  if (type == DType::kF32 || type == DType::kTf32) {
    return call("f32_of_bits", fmt::format("(unsigned)({})", bits));
  }
  if (kernel::bits(type) < 8) return fmt::format("(unsigned char)(({}) & 15)", bits);
  return fmt::format("({})({})", stored_as(type, target_), bits);
}

std::string Conversions::as(DType to, DType from, const std::string& value) {
  if (to == from || (to == DType::kI32 && from == DType::kBool)) return value;
  if (!is_float(to) && is_float(from)) return saturated(to, from, value);
  return fmt::format("({})({})", computed_as(to, target_), value);
}

std::string Conversions::divided(std::string_view name, DType type, const std::string& a,
                                 const std::string& b) {
  if (type == DType::kU64) {
    const bool is_quotient = name == "quotient";
    return fmt::format("({0} == 0 ? {1} : {2} {3} {0})", b, is_quotient ? "0" : a, a,
                       is_quotient ? "/" : "%");
  }
  used_.insert(fmt::format("divide {}", kernel::name_of(type)));
  return fmt::format("{}_{}({}, {})", name, kernel::name_of(type), a, b);
}

std::string Conversions::text() const {
  std::string text;
  const auto uses = [&](std::string_view name) {
    return used_.contains(fmt::format("f32_of_{}", name)) ||
           used_.contains(fmt::format("{}_of_f32", name));
  };
  bool needs_bits = used_.contains("bits_of_f32") || used_.contains("f32_of_bits");
  const auto has_own = [&](const SmallFloat& type) {
    return type.type == DType::kF16 && target_ == Target::kCuda;
  };
  for (const SmallFloat& type : kSmallFloats) {
    needs_bits = needs_bits || (uses(name_of(type.type)) && !has_own(type));
  }
  for (const std::string_view name : {"bf16", "e8m0", "tf32"}) needs_bits |= uses(name);
  for (const SmallFloat& type : kSmallFloats) {
    if (!uses(name_of(type.type))) continue;
    std::string portable = small_float_text(type);
    // The device's own conversions call nothing.
    if (has_own(type) && !needs_bits) portable.insert(0, kBitsOfFloat);
    text += has_own(type) ? replaced(std::string(kHalfOfCuda), {{"PORTABLE", portable}}) : portable;
  }
  if (uses("bf16")) text += kBf16;
  if (uses("e8m0")) text += kE8m0;
  if (uses("tf32")) text += kTf32;
  if (needs_bits) text.insert(0, kBitsOfFloat);
  if (used_.contains("bits_of_f64") || used_.contains("f64_of_bits")) {
    text +=
        replaced(std::string(kBitsOfDouble), {{"ULONG", std::string(unsigned_for(64, target_))}});
  }
  for (const DType type : {DType::kI32, DType::kI64}) {
    if (used_.contains(fmt::format("divide {}", name_of(type)))) {
      text += division_text(type, target_);
    }
  }
  for (const DType to : dtypes()) {
    for (const DType from : {DType::kF32, DType::kF64}) {
      if (used_.contains(fmt::format("saturate {} {}", name_of(to), name_of(from)))) {
        text += saturation_text(to, from, target_);
      }
    }
  }
  return replaced(std::move(text), {{"QUALIFIERS", std::string(function_qualifiers(target_))}});
}

}  // namespace heddle::kernel
