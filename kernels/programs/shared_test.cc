// Random kernels whose shared tensors are in use one after the other, so that they lie at one
// place: on every back end beside what they mean, and without the barriers between.

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "back_end.h"
#include "heddle/notation/kernel.h"
#include "programs.h"

namespace heddle::kernels {
namespace {

using kernel::Array;

// Tensors that are written and read by other threads one after the other, some in loops, some read
// again later. Barriers stand behind some, if they are wanted: nothing but places needs them.
std::string phases(Random& random, bool has_barriers) {
  const auto barrier = [&](const std::string& indent) {
    const bool is_here = random.from(0, 2) != 0;
    return is_here && has_barriers ? indent + "barrier()\n" : std::string();
  };
  std::string text =
      "kernel phases(A: i32[2,64], B: i32[2,64]) launch cta 2, threads 64 {\n"
      "  reg x: i32[64]\n  copy(x, A[bx])\n  reg s: i32[]\n";
  std::vector<std::string> names;
  const std::int64_t count = random.from(2, 6);
  for (std::int64_t i = 0; i != count; ++i) {
    const std::string number = std::to_string(i);
    const bool is_loop = random.from(0, 3) == 0;
    const std::string indent = is_loop ? "    " : "  ";
    std::string name = "S" + number;
    std::string body = indent + "shared " + name + ": " +
                       random.one_of(std::vector<std::string>{"i32", "i64", "f32"}) + "[64]\n" +
                       indent + name + " = (x + " + number + ") % 1000\n" + indent +
                       "x = x + i32(" + name + ".reshape(8,8).T.reshape(64))\n";
    if (random.from(0, 2) == 0) {
      body += indent + "reduce(s, x, op=\"max\", axis=0)\n" + indent + "x = x + s % 7\n";
    }
    body += barrier(indent);
    text += is_loop ? "  for k" + number + " in 2 {\n" + body + "  }\n" : body;
    if (!is_loop) names.push_back(std::move(name));
    if (!names.empty() && random.from(0, 3) == 0) {
      text += "  x = x + i32(" + random.one_of(names) + "[3])\n";
    }
    text += barrier("  ");
  }
  return text + "  copy(B[bx], x)\n}\n";
}

kernel::Kernel parsed(const std::string& text, std::size_t number) {
  kernel::Kernel kernel = notation::parse_kernels(text).value().front();
  kernel.name = "k" + std::to_string(number);
  return kernel;
}

// A folder for what this test compiles.
std::string folder() {
  const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
  std::string path = std::string(test.test_suite_name()) + "." + test.name();
  for (char& letter : path) letter = letter == '/' ? '.' : letter;
  path = std::string(HEDDLE_PROGRAMS_BINARY) + "/" + path;
  std::filesystem::create_directories(path);
  return path;
}

class SharedPlaces : public testing::TestWithParam<kernel::Target> {};

TEST_P(SharedPlaces, AreWhatTheirTensorsMean) {
  const int count = case_count() / (GetParam() == kernel::Target::kOpenCl ? 20 : 2);
  SCOPED_TRACE("HEDDLE_SEED=" + std::to_string(seed()));
  Random random(seed() + 6);
  BackEnd back_end(GetParam());
  std::vector<std::pair<kernel::Kernel, std::string>> kernels;
  int sharing = 0;
  for (int i = 0; i != count; ++i) {
    const std::string text = phases(random, true);
    const kernel::Kernel kernel = parsed(text, kernels.size());
    const auto added = back_end.add(kernel);
    ASSERT_TRUE(added.has_value()) << added.error() << text;
    sharing += has_shared_places(back_end.programs().back()) ? 1 : 0;
    kernels.emplace_back(kernel, text);
  }
  std::printf("%d of %d have tensors at one place\n", sharing, count);
  EXPECT_GT(sharing * 3, count);
  try {
    back_end.compile(folder());
  } catch (const DeviceMissing& missing) {
    GTEST_SKIP() << missing.what();
  }
  for (const auto& [kernel, text] : kernels) {
    const std::vector<Array> arguments = data_for(kernel, {}, random);
    const auto wanted = run(kernel, arguments, {});
    ASSERT_TRUE(wanted.has_value()) << wanted.error() << text;
    EXPECT_EQ(wrong_result(back_end, kernel, arguments, {}, *wanted, 0), "") << text;
  }
}

// The places that barriers allow, in the program that lacks these barriers and has all others: most
// results are wrong.
TEST(SharedPlacesWithoutBarriers, ShowInResults) {
  SCOPED_TRACE("HEDDLE_SEED=" + std::to_string(seed()));
  BackEnd back_end(kernel::Target::kCuda);
  std::vector<kernel::Kernel> kernels;
  for (std::uint64_t i = 0; kernels.size() != 20; ++i) {
    ASSERT_LT(i, 200U);
    Random with(seed() + i);
    Random without(seed() + i);
    const auto options = options_for(kernel::Target::kCuda);
    const auto planned = lower(parsed(phases(with, true), 0), options);
    const kernel::Kernel kernel = parsed(phases(without, false), kernels.size());
    auto mutant = lower(kernel, options);
    ASSERT_TRUE(planned.has_value() && mutant.has_value());
    // Only where the programs differ in nothing but these barriers.
    if (!has_shared_places(*planned) || planned->shared.size() != mutant->shared.size()) continue;
    if (has_shared_places(*mutant)) continue;
    mutant->shared = planned->shared;
    mutant->shared_bytes = planned->shared_bytes;
    ASSERT_TRUE(back_end.add(*std::move(mutant)).has_value());
    kernels.push_back(kernel);
  }
  back_end.compile(folder());
  Random random(seed() + 7);
  int wrong = 0;
  for (const kernel::Kernel& kernel : kernels) {
    const std::vector<Array> arguments = data_for(kernel, {}, random);
    const std::vector<Array> wanted = run(kernel, arguments, {}).value();
    wrong += wrong_result(back_end, kernel, arguments, {}, wanted, 0).empty() ? 0 : 1;
  }
  std::printf("%d of %zu are wrong\n", wrong, kernels.size());
  EXPECT_GT(wrong * 2, static_cast<int>(kernels.size()));
}

INSTANTIATE_TEST_SUITE_P(Targets, SharedPlaces,
                         testing::Values(kernel::Target::kCuda, kernel::Target::kOpenCl,
                                         kernel::Target::kCpu),
                         device_name);

}  // namespace
}  // namespace heddle::kernels
