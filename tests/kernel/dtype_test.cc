// Element types: every bit pattern of the small ones, and roundings against tables of all numbers
// that a type has, where the nearest one is found by trying them.

#include "heddle/kernel/dtype.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace heddle::test {
namespace {

using kernel::decode;
using kernel::DType;
using kernel::encode;
using kernel::Number;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A number as the definition of a binary format has it: (-1)^s * 2^(e - bias) * (1 + m / 2^bits),
/// without the 1 and with the least exponent for e = 0.
double by_definition(int exponent_bits, int mantissa_bits, std::uint64_t bits) {
  const std::uint64_t mantissa = bits & ((1U << mantissa_bits) - 1);
  const auto exponent = static_cast<int>((bits >> mantissa_bits) & ((1U << exponent_bits) - 1));
  const bool is_negative = ((bits >> (mantissa_bits + exponent_bits)) & 1) != 0;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const double fraction = static_cast<double>(mantissa) / std::pow(2.0, mantissa_bits);
  const double magnitude = exponent == 0 ? std::pow(2.0, 1 - bias) * fraction
                                         : std::pow(2.0, exponent - bias) * (1 + fraction);
  return is_negative ? -magnitude : magnitude;
}

struct Small {
  DType type;
  int exponent_bits;
  int mantissa_bits;
};
const std::vector<Small> kSmall = {
    {DType::kF16, 5, 10}, {DType::kBf16, 8, 7}, {DType::kE4m3, 4, 3}, {DType::kE5m2, 5, 2}};

/// All numbers from 0 to the greatest one, with their bits, which grow with them.
std::vector<std::pair<double, std::uint64_t>> magnitudes(const Small& small) {
  std::vector<std::pair<double, std::uint64_t>> table;
  const std::uint64_t exponents = std::uint64_t{1} << small.exponent_bits;
  const bool has_infinity = small.type != DType::kE4m3;
  const std::uint64_t end = has_infinity ? (exponents - 1) << small.mantissa_bits
                                         : (exponents << small.mantissa_bits) - 1;
  for (std::uint64_t bits = 0; bits != end; ++bits) {
    table.emplace_back(by_definition(small.exponent_bits, small.mantissa_bits, bits), bits);
  }
  return table;
}

TEST(DType, HasEveryTypeByItsName) {
  for (const DType type : kernel::dtypes()) EXPECT_EQ(kernel::find_dtype(name_of(type)), type);
  EXPECT_EQ(kernel::dtypes().size(), 19U);
  EXPECT_EQ(kernel::find_dtype("f17"), std::nullopt);
  EXPECT_EQ(bits(DType::kTf32), 32);
  EXPECT_EQ(bits(DType::kU4), 4);
  EXPECT_EQ(bits(DType::kBool), 8);
  EXPECT_TRUE(is_float(DType::kE8m0));
  EXPECT_FALSE(is_float(DType::kI64));
  EXPECT_TRUE(is_signed(DType::kI4));
  EXPECT_FALSE(is_signed(DType::kBool));
}

TEST(DType, ComputesInTheTypesOfTheMachine) {
  EXPECT_EQ(computed_in(DType::kE4m3), DType::kF32);
  EXPECT_EQ(computed_in(DType::kF64), DType::kF64);
  EXPECT_EQ(computed_in(DType::kU16), DType::kI32);
  EXPECT_EQ(computed_in(DType::kU32), DType::kI64);
  EXPECT_EQ(computed_in(DType::kBool), DType::kI32);
  EXPECT_EQ(common_type(DType::kF32, DType::kI64), DType::kF32);
  EXPECT_EQ(common_type(DType::kF32, DType::kF64), DType::kF64);
  EXPECT_EQ(common_type(DType::kI32, DType::kI32), DType::kI32);
  EXPECT_EQ(common_type(DType::kI32, DType::kU64), DType::kI64);
  EXPECT_EQ(common_type(DType::kU64, DType::kU64), DType::kU64);
}

TEST(DType, DecodesEveryPatternAsTheFormatIsDefined) {
  for (const Small& small : kSmall) {
    const int width = 1 + small.exponent_bits + small.mantissa_bits;
    const std::uint64_t infinity = ((std::uint64_t{1} << small.exponent_bits) - 1)
                                   << small.mantissa_bits;
    for (std::uint64_t bits = 0; bits != std::uint64_t{1} << width; ++bits) {
      const std::uint64_t magnitude = bits & ((std::uint64_t{1} << (width - 1)) - 1);
      const double value = decode(small.type, bits).real;
      if (small.type == DType::kE4m3 ? magnitude == 0x7f : magnitude > infinity) {
        ASSERT_TRUE(std::isnan(value)) << name_of(small.type) << " " << bits;
      } else if (small.type != DType::kE4m3 && magnitude == infinity) {
        ASSERT_EQ(value, magnitude == bits ? kInfinity : -kInfinity);
      } else {
        const double wanted = by_definition(small.exponent_bits, small.mantissa_bits, bits);
        ASSERT_EQ(value, wanted) << name_of(small.type) << " " << bits;
        ASSERT_EQ(std::signbit(value), std::signbit(wanted));
      }
    }
  }
}

TEST(DType, EncodesWhatItDecodes) {
  for (const DType type : kernel::dtypes()) {
    const int width = static_cast<int>(bits(type));
    const std::uint64_t step = width <= 16 ? 1 : (std::uint64_t{1} << (width - 16)) + 1;
    std::uint64_t pattern = 0;
    for (int i = 0; i != 1 << std::min(width, 16); ++i, pattern += step) {
      const std::uint64_t held = type == DType::kTf32 ? pattern & ~std::uint64_t{0x1fff} : pattern;
      if (type == DType::kBool && held > 1) break;
      const Number value = decode(type, held);
      const std::uint64_t again = encode(type, value);
      if (value.is_real && std::isnan(value.real)) {
        ASSERT_TRUE(std::isnan(decode(type, again).real));
      } else {
        ASSERT_EQ(again, width == 64 ? held : held & ((std::uint64_t{1} << width) - 1))
            << name_of(type);
      }
    }
  }
}

/// The bits of the nearest number of a table, of two as near the even ones.
std::uint64_t nearest(const std::vector<std::pair<double, std::uint64_t>>& table, double value) {
  const auto above =
      std::ranges::lower_bound(table, value, {}, &std::pair<double, std::uint64_t>::first);
  if (above == table.begin()) return 0;
  const auto below = above - 1;
  const auto lower = static_cast<long double>(value) - below->first;
  const auto upper = above->first - static_cast<long double>(value);
  if (lower != upper) return lower < upper ? below->second : above->second;
  return below->second % 2 == 0 ? below->second : above->second;
}

TEST(DType, RoundsToTheNearestNumberOfTheTable) {
  std::mt19937_64 random(7);
  for (const Small& small : kSmall) {
    auto table = magnitudes(small);
    // What would follow the greatest number, if there were room: to it values overflow.
    const double last = table.back().first;
    const double step = last - table[table.size() - 2].first;
    const std::uint64_t overflow = table.back().second + 1;
    table.emplace_back(last + step, overflow);
    for (int i = 0; i != 200000; ++i) {
      const std::size_t at = random() % (table.size() - 1);
      const double low = table[at].first;
      const double high = table[at + 1].first;
      const double fraction = i % 4 == 0   ? 0.5
                              : i % 4 == 1 ? 0.5 + std::ldexp(1.0, -40)
                              : i % 4 == 2 ? 0.5 - std::ldexp(1.0, -40)
                                           : std::ldexp(static_cast<double>(random() >> 11), -53);
      const double value = low + (high - low) * fraction;
      const std::uint64_t sign = std::uint64_t{1} << (small.exponent_bits + small.mantissa_bits);
      ASSERT_EQ(encode(small.type, Number(value)), nearest(table, value))
          << name_of(small.type) << " " << value;
      ASSERT_EQ(encode(small.type, Number(-value)), sign | nearest(table, value));
    }
    EXPECT_EQ(encode(small.type, Number(1e300)), overflow);
    EXPECT_EQ(encode(small.type, Number(kInfinity)), overflow);
    EXPECT_EQ(encode(small.type, Number(1e-300)), 0U);
    EXPECT_EQ(encode(small.type, Number(std::numeric_limits<double>::denorm_min())), 0U);
  }
}

TEST(DType, KnowsTheEndsOfEightBitFloats) {
  EXPECT_EQ(encode(DType::kE4m3, Number(0.3)), 0x2aU);
  EXPECT_EQ(decode(DType::kE4m3, 0x2a).real, 0.3125);
  EXPECT_EQ(encode(DType::kE4m3, Number(448.0)), 0x7eU);
  EXPECT_EQ(encode(DType::kE4m3, Number(464.0)), 0x7eU);
  EXPECT_EQ(encode(DType::kE4m3, Number(464.1)), 0x7fU);
  EXPECT_EQ(encode(DType::kE4m3, Number(-kInfinity)), 0xffU);
  EXPECT_EQ(encode(DType::kE5m2, Number(57344.0)), 0x7bU);
  EXPECT_EQ(encode(DType::kE5m2, Number(61440.0)), 0x7cU);
}

TEST(DType, AgreesWithTheCompilersHalf) {
#ifdef __FLT16_MANT_DIG__
  std::mt19937_64 random(11);
  for (int i = 0; i != 200000; ++i) {
    // From below the least subnormal number to above the greatest one.
    const double value = std::ldexp(static_cast<double>(static_cast<std::int64_t>(random())),
                                    static_cast<int>(random() % 45) - 90);
    const auto half = static_cast<_Float16>(value);
    ASSERT_EQ(encode(DType::kF16, Number(value)), std::bit_cast<std::uint16_t>(half)) << value;
    ASSERT_EQ(decode(DType::kF16, std::bit_cast<std::uint16_t>(half)).real,
              static_cast<double>(half));
  }
#else
  GTEST_SKIP() << "the compiler has no _Float16";
#endif
}

TEST(DType, RoundsBf16AndTf32AsTheBitsOfAFloatSay) {
  std::mt19937_64 random(13);
  const auto rounded = [](std::uint32_t bits, int places) {
    const std::uint32_t half = std::uint32_t{1} << (places - 1);
    const std::uint32_t rest = bits & ((std::uint32_t{1} << places) - 1);
    const std::uint32_t kept = bits >> places;
    return kept + (rest > half || (rest == half && kept % 2 == 1) ? 1 : 0);
  };
  for (int i = 0; i != 200000; ++i) {
    const auto bits = static_cast<std::uint32_t>(random());
    const auto value = std::bit_cast<float>(bits);
    if (std::isnan(value)) continue;
    ASSERT_EQ(encode(DType::kBf16, Number(static_cast<double>(value))), rounded(bits, 16));
    ASSERT_EQ(encode(DType::kTf32, Number(static_cast<double>(value))),
              static_cast<std::uint64_t>(rounded(bits, 13)) << 13);
  }
}

TEST(DType, RoundsDoublesToFloatsOnce) {
  // Just above the middle of two bf16 numbers; as an f32 it would be the middle.
  const double value = 1 + std::ldexp(1.0, -8) + std::ldexp(1.0, -40);
  EXPECT_EQ(encode(DType::kBf16, Number(value)), 0x3f81U);
  EXPECT_EQ(encode(DType::kF32, Number(1 + std::ldexp(1.0, -24))), 0x3f800000U);
  EXPECT_EQ(encode(DType::kF64, Number(-0.0)), std::uint64_t{1} << 63);
}

TEST(DType, HasPowersOfTwoForScales) {
  for (std::uint64_t bits = 0; bits != 255; ++bits) {
    EXPECT_EQ(decode(DType::kE8m0, bits).real, std::pow(2.0, static_cast<double>(bits) - 127));
  }
  EXPECT_TRUE(std::isnan(decode(DType::kE8m0, 255).real));
  EXPECT_EQ(encode(DType::kE8m0, Number(std::nan(""))), 255U);
  EXPECT_EQ(encode(DType::kE8m0, Number(1.0)), 127U);
  EXPECT_EQ(encode(DType::kE8m0, Number(1.4999)), 127U);
  EXPECT_EQ(encode(DType::kE8m0, Number(1.5)), 128U);
  EXPECT_EQ(encode(DType::kE8m0, Number(0.0)), 0U);
  EXPECT_EQ(encode(DType::kE8m0, Number(-3.0)), 0U);
  EXPECT_EQ(encode(DType::kE8m0, Number(1e300)), 254U);
}

TEST(DType, WrapsIntegersAndExtendsTheirSigns) {
  std::mt19937_64 random(17);
  for (int i = 0; i != 100000; ++i) {
    const auto value = static_cast<std::int64_t>(random());
    ASSERT_EQ(converted(DType::kI32, Number(value)).integer, static_cast<std::int32_t>(value));
    ASSERT_EQ(converted(DType::kI16, Number(value)).integer, static_cast<std::int16_t>(value));
    ASSERT_EQ(converted(DType::kI8, Number(value)).integer, static_cast<std::int8_t>(value));
    ASSERT_EQ(converted(DType::kU8, Number(value)).integer, static_cast<std::uint8_t>(value));
    ASSERT_EQ(converted(DType::kU32, Number(value)).integer, static_cast<std::uint32_t>(value));
    ASSERT_EQ(converted(DType::kI64, Number(value)).integer, value);
    ASSERT_EQ(converted(DType::kU4, Number(value)).integer, value & 15);
    ASSERT_EQ(converted(DType::kI4, Number(value)).integer, ((value & 15) ^ 8) - 8);
  }
}

TEST(DType, TurnsFloatsIntoIntegersTowardsZeroUpToTheEnds) {
  const auto turned = [](DType type, double value) {
    return converted(type, Number(value)).integer;
  };
  EXPECT_EQ(turned(DType::kI32, -2.9), -2);
  EXPECT_EQ(turned(DType::kI32, 3e9), 2147483647);
  EXPECT_EQ(turned(DType::kI32, -3e9), -2147483648LL);
  EXPECT_EQ(turned(DType::kI8, 127.9), 127);
  EXPECT_EQ(turned(DType::kI8, 128), 127);
  EXPECT_EQ(turned(DType::kI8, -128.9), -128);
  EXPECT_EQ(turned(DType::kI8, -kInfinity), -128);
  EXPECT_EQ(turned(DType::kI4, 9), 7);
  EXPECT_EQ(turned(DType::kI4, -9), -8);
  EXPECT_EQ(turned(DType::kU4, 16), 15);
  EXPECT_EQ(turned(DType::kU8, -1), 0);
  EXPECT_EQ(turned(DType::kU8, 300), 255);
  EXPECT_EQ(turned(DType::kI64, 1e30), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(turned(DType::kI64, -1e30), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(static_cast<std::uint64_t>(turned(DType::kU64, 1e30)), ~std::uint64_t{0});
  EXPECT_EQ(static_cast<std::uint64_t>(turned(DType::kU64, std::ldexp(1.0, 63))),
            std::uint64_t{1} << 63);
  EXPECT_EQ(turned(DType::kI32, std::nan("")), 0);
  EXPECT_EQ(turned(DType::kBool, 0.5), 1);
  EXPECT_EQ(turned(DType::kBool, 0.0), 0);
}

TEST(DType, RoundsIntegersToFloatsOnce) {
  // 2^60 + 2^52 + 1 is just above the middle of two bf16 numbers; as a double it would be the
  // middle.
  const std::int64_t value = (std::int64_t{1} << 60) + (std::int64_t{1} << 52) + 1;
  EXPECT_EQ(converted(DType::kBf16, Number(value)).real, std::ldexp(1.0, 60) + std::ldexp(1.0, 53));
  EXPECT_EQ(converted(DType::kBf16, Number(value - 1)).real, std::ldexp(1.0, 60));
  EXPECT_EQ(converted(DType::kBf16, Number(-value)).real,
            -std::ldexp(1.0, 60) - std::ldexp(1.0, 53));
  std::mt19937_64 random(19);
  for (int i = 0; i != 100000; ++i) {
    const auto number = static_cast<std::int64_t>(random()) >> (random() % 60);
    ASSERT_EQ(converted(DType::kF32, Number(number)).real, static_cast<float>(number));
    ASSERT_EQ(converted(DType::kF64, Number(number)).real, static_cast<double>(number));
  }
}

}  // namespace
}  // namespace heddle::test
