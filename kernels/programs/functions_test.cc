// The functions that sources for CPUs have of their own, beside those of the C library in f64.

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <string>
#include <vector>

#include "back_end.h"
#include "heddle/notation/kernel.h"
#include "programs.h"

namespace heddle::kernels {
namespace {

struct KnownFunction {
  std::string name;
  double (*exact)(double);
  double most_ulps = 1;
};

// Numbers of all exponents, and those where functions change.
std::vector<float> arguments_for_functions() {
  Random random(seed());
  std::vector<float> values = {0.0F,    -0.0F,  1.0F,   -1.0F,   INFINITY, -INFINITY,
                               NAN,     89.0F,  88.73F, -103.9F, 129.0F,   -149.0F,
                               -151.0F, 1e-45F, 1e-40F, 3e38F,   0.625F,   3.95F};
  for (int i = 0; i != 50000; ++i) {
    values.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(random.from(0, 0xffffffff))));
    values.push_back(static_cast<float>(random.from(-1000000, 1000000)) / 10000.0F);
    values.push_back(static_cast<float>(random.from(-1000000, 1000000)) / 500000.0F);
  }
  return values;
}

// How many units in the last place of the exact value it is away.
double ulps(float found, double exact) {
  const auto rounded = static_cast<float>(exact);
  if (found == rounded || (std::isnan(found) && std::isnan(exact))) return 0;
  if (!std::isfinite(rounded) || !std::isfinite(found)) return std::isfinite(exact) ? 1 : INFINITY;
  const double unit =
      std::nextafter(std::abs(rounded), INFINITY) - static_cast<double>(std::abs(rounded));
  return std::abs(found - exact) / unit;
}

TEST(FunctionsOfCpus, AreWithinTheStatedUnitsInTheLastPlace) {
  const std::array<KnownFunction, 6> functions = {{{"exp", std::exp, 1},
                                                   {"exp2", std::exp2, 1},
                                                   {"log", std::log, 2},
                                                   {"log2", std::log2, 2},
                                                   {"tanh", std::tanh, 2},
                                                   {"erf", std::erf, 3}}};
  const std::vector<float> values = arguments_for_functions();
  BackEnd back_end(kernel::Target::kCpu);
  std::vector<kernel::Kernel> kernels;
  for (const KnownFunction& function : functions) {
    const std::string text = "kernel f_" + function.name +
                             "(X: f32[N], Y: f32[N]) launch cta (N + 1023) // 1024, threads 32 {\n"
                             "  Y[1024*bx : +1024] = " +
                             function.name + "(X[1024*bx : +1024])\n}\n";
    kernels.push_back(notation::parse_kernel(text, "").value());
    ASSERT_TRUE(back_end.add(kernels.back()).has_value());
  }
  const std::string folder = std::string(HEDDLE_PROGRAMS_BINARY) + "/functions";
  std::filesystem::create_directories(folder);
  back_end.compile(folder);
  kernel::Array x{kernel::DType::kF32, {std::ssize(values)}, {}};
  for (const float value : values) x.elements.push_back(std::bit_cast<std::uint32_t>(value));
  for (std::size_t f = 0; f != functions.size(); ++f) {
    const auto found = back_end.run(kernels[f], {x, x}, {{"N", std::ssize(values)}}).back();
    double most = 0;
    for (std::size_t i = 0; i != values.size(); ++i) {
      const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(found.elements[i]));
      const double away = ulps(value, functions[f].exact(values[i]));
      most = std::max(most, away);
      EXPECT_LE(away, functions[f].most_ulps) << functions[f].name << " of " << values[i];
      if (away > functions[f].most_ulps) break;
    }
    std::printf("%-5s at most %.2f ulp\n", functions[f].name.c_str(), most);
  }
}

// Numbers of all exponents, and those halfway between two numbers of a small type, with what is
// next to them.
std::vector<float> arguments_for_roundings(kernel::DType type) {
  std::vector<float> values = arguments_for_functions();
  for (std::uint64_t bits = 0; bits + 1 < std::uint64_t{1} << kernel::bits(type); ++bits) {
    const double halfway =
        (kernel::decode(type, bits).real + kernel::decode(type, bits + 1).real) / 2;
    const auto value = static_cast<float>(halfway);
    values.insert(values.end(),
                  {value, std::nextafter(value, INFINITY), std::nextafter(value, -INFINITY)});
  }
  return values;
}

// Y = X, elements of one type as another.
kernel::Kernel conversion(kernel::DType from, kernel::DType to) {
  return notation::parse_kernel(
             "kernel " + std::string(name_of(to)) + "_from_" + std::string(name_of(from)) +
                 "(X: " + std::string(name_of(from)) + "[N], Y: " + std::string(name_of(to)) +
                 "[N]) launch cta (N + 1023) // 1024, threads 32 {\n"
                 "  Y[1024*bx : +1024] = X[1024*bx : +1024]\n}\n",
             "")
      .value();
}

// Bit by bit, but for NaNs.
bool is_same(kernel::DType type, std::uint64_t a, std::uint64_t b) {
  return a == b ||
         (std::isnan(kernel::decode(type, a).real) && std::isnan(kernel::decode(type, b).real));
}

TEST(ConversionsOfCpus, OfSmallFloatsAreExactForAllBitsAndRoundAsEncode) {
  using kernel::DType;
  const std::array<DType, 4> types = {DType::kF16, DType::kBf16, DType::kE4m3, DType::kE5m2};
  BackEnd back_end(kernel::Target::kCpu);
  std::vector<kernel::Kernel> kernels;
  for (const DType type : types) {
    for (const auto& each : {conversion(type, DType::kF32), conversion(DType::kF32, type)}) {
      kernels.push_back(each);
      ASSERT_TRUE(back_end.add(each).has_value());
    }
  }
  const std::string folder = std::string(HEDDLE_PROGRAMS_BINARY) + "/conversions";
  std::filesystem::create_directories(folder);
  back_end.compile(folder);
  const auto converted = [&](std::size_t k, DType from, DType to,
                             const std::vector<std::uint64_t>& bits) {
    const kernel::Array x{from, {std::ssize(bits)}, bits};
    const kernel::Array y{to, {std::ssize(bits)}, std::vector<std::uint64_t>(bits.size())};
    return back_end.run(kernels[k], {x, y}, {{"N", std::ssize(bits)}}).back().elements;
  };
  for (std::size_t t = 0; t != types.size(); ++t) {
    const DType type = types[t];
    std::vector<std::uint64_t> all(std::size_t{1} << kernel::bits(type));
    std::iota(all.begin(), all.end(), std::uint64_t{0});
    const auto widened = converted(2 * t, type, DType::kF32, all);
    for (const std::uint64_t bits : all) {
      EXPECT_TRUE(is_same(DType::kF32, widened[bits],
                          kernel::encode(DType::kF32, kernel::decode(type, bits))))
          << name_of(type) << " with the bits " << bits;
    }
    std::vector<std::uint64_t> values;
    for (const float value : arguments_for_roundings(type)) {
      values.push_back(std::bit_cast<std::uint32_t>(value));
    }
    const auto rounded = converted(2 * t + 1, DType::kF32, type, values);
    for (std::size_t i = 0; i != values.size(); ++i) {
      EXPECT_TRUE(
          is_same(type, rounded[i], kernel::encode(type, kernel::decode(DType::kF32, values[i]))))
          << name_of(type) << " of " << std::bit_cast<float>(static_cast<std::uint32_t>(values[i]));
    }
  }
}

// Of any length, as they are found by vectors.
TEST(SumsOfCpus, OfRowsOfAllLengthsAreWhatTheyMean) {
  BackEnd back_end(kernel::Target::kCpu);
  std::vector<kernel::Kernel> kernels;
  for (const std::string type : {"f32", "f16", "i32", "i64", "u8"}) {
    const std::string sum = type == "f16" ? "f32" : type == "u8" ? "i32" : type;
    for (const std::string op : {"sum", "max", "min", "prod"}) {
      // Products of floats leave their range, in which order matters.
      if (op == "prod" && type[0] == 'f') continue;
      const std::string name = op + "_" + type;
      const std::string text = "kernel " + name + "(X: " + type + "[M,N], Y: " + sum +
                               "[M]) launch cta M, threads 32 {\n  reduce(Y[bx], X[bx], op=\"" +
                               op + "\", axis=0)\n}\n";
      kernels.push_back(notation::parse_kernel(text, "").value());
      ASSERT_TRUE(back_end.add(kernels.back()).has_value()) << text;
    }
  }
  const std::string folder = std::string(HEDDLE_PROGRAMS_BINARY) + "/sums";
  std::filesystem::create_directories(folder);
  back_end.compile(folder);
  Random random(seed() + 21);
  for (const kernel::Kernel& kernel : kernels) {
    for (const std::int64_t length : {1, 2, 3, 4, 5, 7, 8, 31, 64, 127, 1000, 2051}) {
      const kernel::Sizes sizes = {{"M", 2}, {"N", length}};
      const std::vector<kernel::Array> arguments = data_for(kernel, sizes, random);
      const auto wanted = run(kernel, arguments, {.sizes = sizes});
      ASSERT_TRUE(wanted.has_value()) << wanted.error();
      const double tolerance = kernel::is_float(arguments.front().type) ? 1e-4 : 0;
      EXPECT_EQ(wrong_result(back_end, kernel, arguments, sizes, *wanted, tolerance), "")
          << kernel.name << " of " << length << ", seed " << seed();
    }
  }
}

}  // namespace
}  // namespace heddle::kernels
