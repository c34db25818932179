// The functions that sources for CPUs have of their own, beside those of the C library in f64.

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <filesystem>
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

}  // namespace
}  // namespace heddle::kernels
