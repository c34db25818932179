#include "heddle/kernel/dtype.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "kernel/sticky.h"

namespace heddle::kernel {
namespace {

/// The binary formats: a sign, an exponent, a mantissa with a leading 1 that is not stored.
struct FloatFormat {
  int exponent_bits = 0;
  int mantissa_bits = 0;
  /// The bits of infinity, without the sign; those of e4m3, which has none, are its NaN's.
  std::uint64_t infinity = 0;
  std::uint64_t nan = 0;
  /// Bits below the mantissa that are stored as 0: tf32's.
  int padding = 0;

  [[nodiscard]] int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  [[nodiscard]] std::uint64_t sign() const {
    return std::uint64_t{1} << (exponent_bits + mantissa_bits);
  }
};

struct TypeRow {
  DType type;
  std::string_view name;
  std::int64_t bits;
  DType computed_in;
  bool is_signed = false;
};

constexpr TypeRow kTypes[] = {
    {DType::kF64, "f64", 64, DType::kF64},       {DType::kF32, "f32", 32, DType::kF32},
    {DType::kTf32, "tf32", 32, DType::kF32},     {DType::kF16, "f16", 16, DType::kF32},
    {DType::kBf16, "bf16", 16, DType::kF32},     {DType::kE4m3, "e4m3", 8, DType::kF32},
    {DType::kE5m2, "e5m2", 8, DType::kF32},      {DType::kE8m0, "e8m0", 8, DType::kF32},
    {DType::kI64, "i64", 64, DType::kI64, true}, {DType::kI32, "i32", 32, DType::kI32, true},
    {DType::kI16, "i16", 16, DType::kI32, true}, {DType::kI8, "i8", 8, DType::kI32, true},
    {DType::kI4, "i4", 4, DType::kI32, true},    {DType::kU64, "u64", 64, DType::kU64},
    {DType::kU32, "u32", 32, DType::kI64},       {DType::kU16, "u16", 16, DType::kI32},
    {DType::kU8, "u8", 8, DType::kI32},          {DType::kU4, "u4", 4, DType::kI32},
    {DType::kBool, "bool", 8, DType::kI32},
};

constexpr const TypeRow& type_row(DType type) { return kTypes[static_cast<std::size_t>(type)]; }

constexpr auto kAllTypes = [] {
  std::array<DType, std::size(kTypes)> types{};
  for (std::size_t i = 0; i != types.size(); ++i) types[i] = kTypes[i].type;
  return types;
}();

constexpr int kDoubleMantissa = 52;
constexpr int kDoubleBias = 1023;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr std::uint64_t kE8m0Nan = 0xff;
constexpr int kE8m0Bias = 127;

/// The formats that the machine has no arithmetic for.
constexpr FloatFormat small_format(DType type) {
  switch (type) {
    case DType::kTf32:
      return {8, 10, 0x3fc00, 0x3fe00, 13};
    case DType::kF16:
      return {5, 10, 0x7c00, 0x7e00};
    case DType::kBf16:
      return {8, 7, 0x7f80, 0x7fc0};
    case DType::kE4m3:
      return {4, 3, 0x7f, 0x7f};
    default:
      return {5, 2, 0x7c, 0x7e};
  }
}

/// The exponent and the mantissa, moved to where those of a double stand, are the number but for
/// the bias, which one exact product puts right, also below the least normal number.
double decode_small(const FloatFormat& format, std::uint64_t bits) {
  bits >>= format.padding;
  const std::uint64_t magnitude = bits & (format.sign() - 1);
  if (magnitude > format.infinity || magnitude == format.nan) return kNan;
  const double scale = std::bit_cast<double>(
      static_cast<std::uint64_t>(2 * kDoubleBias - format.bias()) << kDoubleMantissa);
  const double number =
      magnitude == format.infinity
          ? std::numeric_limits<double>::infinity()
          : std::bit_cast<double>(magnitude << (kDoubleMantissa - format.mantissa_bits)) * scale;
  return (bits & format.sign()) != 0 ? -number : number;
}

/// `bits` without its last `places` bits, rounded to nearest, ties to even.
std::uint64_t rounded_off(std::uint64_t bits, int places) {
  const std::uint64_t is_odd = (bits >> places) & 1;
  return (bits + (std::uint64_t{1} << (places - 1)) - 1 + is_odd) >> places;
}

std::uint64_t encode_small(const FloatFormat& format, double value) {
  const std::uint64_t sign = std::signbit(value) ? format.sign() : 0;
  if (std::isnan(value)) return format.nan << format.padding;
  const double magnitude = std::fabs(value);
  const int least_exponent = 1 - format.bias();
  std::uint64_t bits = 0;
  if (magnitude < std::ldexp(1.0, least_exponent)) {
    // A whole number of the least subnormal ones; one too many is the least normal number.
    const double count = std::ldexp(magnitude, format.mantissa_bits - least_exponent);
    const double whole = std::floor(count);
    const double rest = count - whole;
    bits = static_cast<std::uint64_t>(whole);
    if (rest > 0.5 || (rest == 0.5 && bits % 2 == 1)) ++bits;
  } else {
    const std::uint64_t rounded = rounded_off(std::bit_cast<std::uint64_t>(magnitude),
                                              kDoubleMantissa - format.mantissa_bits);
    bits =
        rounded - (static_cast<std::uint64_t>(kDoubleBias - format.bias()) << format.mantissa_bits);
    bits = std::min(bits, format.infinity);
  }
  return (sign | bits) << format.padding;
}

/// The nearest power of two, of which the least one is also nearest to what is not positive.
std::uint64_t encode_e8m0(double value) {
  if (std::isnan(value)) return kE8m0Nan;
  if (value <= std::ldexp(1.0, -kE8m0Bias)) return 0;
  if (value >= std::ldexp(1.0, kE8m0Bias)) return kE8m0Nan - 1;
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);  // in [0.5, 1)
  const std::int64_t nearest = fraction >= 0.75 ? exponent : exponent - 1;
  return static_cast<std::uint64_t>(nearest + kE8m0Bias);
}

std::uint64_t encode_real(DType type, double value) {
  if (type == DType::kF64) {
    return std::isnan(value) ? std::bit_cast<std::uint64_t>(kNan)
                             : std::bit_cast<std::uint64_t>(value);
  }
  if (type == DType::kF32) {
    return std::bit_cast<std::uint32_t>(std::isnan(value) ? static_cast<float>(kNan)
                                                          : static_cast<float>(value));
  }
  return type == DType::kE8m0 ? encode_e8m0(value) : encode_small(small_format(type), value);
}

double decode_real(DType type, std::uint64_t bits) {
  if (type == DType::kE8m0) {
    return bits == kE8m0Nan ? kNan : std::ldexp(1.0, static_cast<int>(bits) - kE8m0Bias);
  }
  if (type != DType::kF64 && type != DType::kF32) return decode_small(small_format(type), bits);
  const double value = type == DType::kF64 ? std::bit_cast<double>(bits)
                                           : std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  return std::isnan(value) ? kNan : value;
}

double with_sign_and_sticky_bit(std::int64_t value) {
  const auto magnitude = static_cast<std::uint64_t>(value);
  return value < 0 ? -with_sticky_bit(0 - magnitude) : with_sticky_bit(magnitude);
}

std::uint64_t encode_integer_as_real(DType type, std::int64_t value) {
  if (type == DType::kF64) return encode_real(type, static_cast<double>(value));
  return encode_real(type, with_sign_and_sticky_bit(value));
}

std::uint64_t low_bits(DType type, std::uint64_t value) {
  const std::int64_t width = bits(type);
  return width == 64 ? value : value & ((std::uint64_t{1} << width) - 1);
}

/// Towards zero, to the nearest end outside of the type's range; NaN is 0.
std::uint64_t encode_real_as_integer(DType type, double value) {
  if (std::isnan(value)) return 0;
  const int digits = static_cast<int>(bits(type)) - (is_signed(type) ? 1 : 0);
  const std::uint64_t greatest = ~std::uint64_t{0} >> (64 - digits);
  const double whole = std::trunc(value);
  if (whole >= std::ldexp(1.0, digits)) return greatest;
  if (whole >= 0) return static_cast<std::uint64_t>(whole);
  if (!is_signed(type)) return 0;
  if (whole < -std::ldexp(1.0, digits)) return low_bits(type, ~greatest);
  return low_bits(type, static_cast<std::uint64_t>(static_cast<std::int64_t>(whole)));
}

}  // namespace

std::string_view name_of(DType type) { return type_row(type).name; }

std::optional<DType> find_dtype(std::string_view name) {
  const auto* row = std::ranges::find(kTypes, name, &TypeRow::name);
  return row == std::end(kTypes) ? std::nullopt : std::optional(row->type);
}

std::span<const DType> dtypes() { return kAllTypes; }

std::int64_t bits(DType type) { return type_row(type).bits; }

bool is_float(DType type) { return type <= DType::kE8m0; }

bool is_signed(DType type) { return type_row(type).is_signed; }

DType computed_in(DType type) { return type_row(type).computed_in; }

DType common_type(DType a, DType b) {
  if (is_float(a) || is_float(b)) {
    return a == DType::kF64 || b == DType::kF64 ? DType::kF64 : DType::kF32;
  }
  return a == b ? a : DType::kI64;
}

Number decode(DType type, std::uint64_t bits) {
  bits = low_bits(type, bits);
  if (is_float(type)) return Number(decode_real(type, bits));
  if (type == DType::kBool) return Number(std::int64_t{bits != 0});
  if (!is_signed(type)) return Number(static_cast<std::int64_t>(bits));
  const auto unused = 64 - kernel::bits(type);
  return Number(static_cast<std::int64_t>(bits << unused) >> unused);
}

std::uint64_t encode(DType type, const Number& value) {
  if (type == DType::kBool) return value.is_real ? value.real != 0 : value.integer != 0;
  if (is_float(type)) {
    return value.is_real ? encode_real(type, value.real)
                         : encode_integer_as_real(type, value.integer);
  }
  return value.is_real ? encode_real_as_integer(type, value.real)
                       : low_bits(type, static_cast<std::uint64_t>(value.integer));
}

Number converted(DType type, const Number& value) { return decode(type, encode(type, value)); }

}  // namespace heddle::kernel
