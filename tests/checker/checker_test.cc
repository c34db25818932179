// Kernels of CUDA run without a GPU: what is right passes, and every kind of mistake is found.

#include "heddle/checker/checker.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "heddle/kernel/dtype.h"
#include "support/refusal.h"

namespace heddle::checker {
namespace {

using test::refusal;

template <class Element>
Argument memory(std::string name, const std::vector<Element>& elements) {
  Argument made{std::move(name), {}, true, sizeof(Element)};
  made.bytes.resize(elements.size() * sizeof(Element));
  std::memcpy(made.bytes.data(), elements.data(), made.bytes.size());
  return made;
}
template <class Element>
std::vector<Element> elements(const Argument& argument) {
  std::vector<Element> all(argument.bytes.size() / sizeof(Element));
  std::memcpy(all.data(), argument.bytes.data(), argument.bytes.size());
  return all;
}
Argument number(std::string name, int value) {
  Argument made = memory<int>(std::move(name), {value});
  made.is_memory = false;
  return made;
}

std::string text_of(const std::string& name) {
  std::ifstream file(std::string(HEDDLE_SOURCE_DIR) + "/tests/checker/" + name);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A product of small integers, which are exact in every order.
struct Product {
  int m = 0;
  int n = 0;
  int k = 0;

  [[nodiscard]] static int left(int i, int p) { return (3 * i + 5 * p) % 7 - 3; }
  [[nodiscard]] static int right(int j, int p) { return (2 * j + 3 * p) % 5 - 2; }

  [[nodiscard]] std::vector<Argument> arguments() const {
    const auto halves = [](int rows, int columns, auto value) {
      std::vector<std::uint16_t> all;
      for (int i = 0; i != rows; ++i) {
        for (int p = 0; p != columns; ++p) {
          all.push_back(static_cast<std::uint16_t>(
              kernel::encode(kernel::DType::kF16, kernel::Number(double(value(i, p))))));
        }
      }
      return all;
    };
    return {memory("A", halves(m, k, left)),
            memory("B", halves(n, k, right)),
            memory("C", std::vector<float>(static_cast<std::size_t>(m * n), -1)),
            number("M", m),
            number("N", n),
            number("K", k)};
  }
  [[nodiscard]] std::vector<float> wanted() const {
    std::vector<float> all;
    for (int i = 0; i != m; ++i) {
      for (int j = 0; j != n; ++j) {
        int sum = 0;
        for (int p = 0; p != k; ++p) sum += left(i, p) * right(j, p);
        all.push_back(static_cast<float>(sum));
      }
    }
    return all;
  }
  [[nodiscard]] Launch launch() const {
    return {{static_cast<unsigned>(m + 63) / 64, static_cast<unsigned>(n + 63) / 64, 1},
            {128, 1, 1}};
  }
};

constexpr Arrival kArrivals[] = {Arrival::kEarly, Arrival::kLate, Arrival::kRandom};

TEST(CheckedGemm, IsRightHoweverLateItsCopiesArrive) {
  const auto program = Program::compile(text_of("gemm.cu"), "gemm");
  ASSERT_TRUE(program) << refusal(program);
  const Product product{100, 72, 104};
  for (const Arrival arrival : kArrivals) {
    for (const bool is_backwards : {false, true}) {
      std::vector<Argument> arguments = product.arguments();
      const auto report = program->run(product.launch(), arguments,
                                       {.arrival = arrival, .is_backwards = is_backwards});
      ASSERT_TRUE(report) << refusal(report);
      EXPECT_EQ(to_string(report->findings), "");
      EXPECT_EQ(elements<float>(arguments[2]), product.wanted());
      EXPECT_EQ(report->traffic.wavefronts, report->traffic.ideal) << traffic_text(*report);
      // 4 blocks of 4 warps, 4 steps of 2 by 2 by 4 products.
      EXPECT_EQ(report->multiplications, 4 * 4 * 4 * 16);
    }
  }
}

}  // namespace
}  // namespace heddle::checker
