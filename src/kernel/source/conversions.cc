#include "kernel/source/conversions.h"

#include <fmt/format.h>

#include <algorithm>
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
constexpr SmallFloat kF16 = {DType::kF16, 5, 10, true};
constexpr SmallFloat kE4m3 = {DType::kE4m3, 4, 3, false};
constexpr SmallFloat kE5m2 = {DType::kE5m2, 5, 2, true};

bool is_small(DType type) {
  return type == DType::kF16 || type == DType::kBf16 || type == DType::kE4m3 ||
         type == DType::kE5m2 || type == DType::kE8m0;
}

Support of_conversions(std::string_view name) {
  return Support::of("common/conversions.h").group(name);
}

std::string float_text(double value) { return fmt::format("{:a}f", value); }

Support small_float(const SmallFloat& type) {
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
  const std::string nan_bits =
      fmt::format("{:#x}u", type.has_infinity ? infinity | (1U << (type.fraction - 1)) : mask);
  return of_conversions("f32_of_NAME")
      .with({{"SMALL_NORMAL", fmt::format("{:#x}u", 1U << type.fraction)},
             {"LEAST_BITS", fmt::format("{:#x}u", offset + (1U << 23))},
             {"SMALLEST", float_text(smallest)},
             {"MAGIC", float_text(magic)},
             {"IS_NAN", is_nan},
             {"INFINITE_BITS", type.has_infinity ? fmt::format("{:#x}u", infinity) : ""},
             {"NAN_BITS", nan_bits},
             {"GREATEST", fmt::format("{:#x}u", greatest)},
             {"OVERFLOW", fmt::format("{:#x}u", overflow)},
             {"OFFSET", fmt::format("{:#x}u", offset)},
             {"HALF", fmt::format("{:#x}u", (1U << (shift - 1)) - 1)},
             {"SHIFT", std::to_string(shift)},
             {"SIGN", std::to_string(bits - 1)},
             {"MASK", fmt::format("{:#x}u", mask)},
             {"STORED", bits > 8 ? "unsigned short" : "unsigned char"},
             {"NAME", std::string(name_of(type.type))}});
}

Support division(DType type, Target target) {
  return of_conversions("quotient_NAME")
      .with({{"UNSIGNED", std::string(unsigned_for(bits(type), target))},
             {"NAME", std::string(name_of(type))},
             {"TYPE", std::string(computed_as(type, target))}});
}

Support saturation(DType to, DType from, Target target) {
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
  return of_conversions("NAME_of_FROMNAME")
      .with(
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
  return call(fmt::format("{}_of_{}", name_of(to), name_of(from)), value);
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
  return fmt::format("{}_{}({}, {})", name, kernel::name_of(type), a, b);
}

Support Conversions::support() const {
  const auto uses = [&](std::string_view name) {
    return used_.contains(fmt::format("f32_of_{}", name)) ||
           used_.contains(fmt::format("{}_of_f32", name));
  };
  // The device's own conversions of f16 call nothing.
  const bool has_own = target_ == Target::kCuda;
  constexpr std::array kWithBits = {"bits", "bf16", "e4m3", "e5m2", "e8m0", "tf32"};
  const bool needs_bits = !has_own || std::ranges::any_of(kWithBits, uses);
  const Support bits = of_conversions("bits_of_f32");
  Support all = needs_bits ? bits : Support();
  if (has_own) all += Support::of("cuda/support.cuh").group("f32_of_f16");
  if (!needs_bits) all += bits;
  all += small_float(kF16);
  if (has_own) all += Support::of("cuda/support.cuh").group("heddle_end_of_own_f16");
  all += small_float(kE4m3);
  all += small_float(kE5m2);
  for (const std::string_view name : {"f32_of_bf16", "f32_of_e8m0", "tf32_of_f32"}) {
    all += of_conversions(name);
  }
  all += of_conversions("bits_of_f64").with({{"ULONG", std::string(unsigned_for(64, target_))}});
  for (const DType type : {DType::kI32, DType::kI64}) all += division(type, target_);
  for (const DType to : dtypes()) {
    for (const DType from : {DType::kF32, DType::kF64}) {
      const bool is_used = used_.contains(fmt::format("{}_of_{}", name_of(to), name_of(from)));
      if (is_used && !is_float(to)) all += saturation(to, from, target_);
    }
  }
  return all.with({{"QUALIFIERS", std::string(function_qualifiers(target_))}});
}

}  // namespace heddle::kernel
