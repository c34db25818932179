// Tuning: what wins is what was the fastest by the stopwatch, gives the results of the kernel as it
// was, and is written down in the kernel that comes out.

#include "heddle/kernel/tune.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "heddle/kernel/lower.h"
#include "heddle/kernel/made_arguments.h"
#include "heddle/notation/kernel.h"
#include "support/random.h"

namespace heddle::kernel {
namespace {

Kernel kernel_of(std::string_view text) { return notation::parse_kernel(text, "").value(); }

/// Runs once; kernels whose text has a word take one second, others two.
auto stopwatch_for(std::string word) {
  return [word = std::move(word)](const Kernel& kernel,
                                  const std::function<Result<void>()>& run) -> Result<double> {
    HEDDLE_CHECK(run());
    return to_string(kernel).find(word) == std::string::npos ? 2.0 : 1.0;
  };
}

Result<Tuning> tuned(const Kernel& kernel, TuneOptions options, const Sizes& sizes = {},
                     TargetMachine target = Target::kCpu) {
  options.seconds = 100;
  options.turn_seconds = 0;
  return tune(kernel, target, made_arguments(kernel, sizes).value(), sizes, options);
}

constexpr std::string_view kProduct =
    "kernel product(A: f32[24,40], B: f32[40,48], C: f32[24,48]) launch cta 1, threads 32 {\n"
    "  gemm(C, A, B, accum=false)\n}\n";

// What wins is read again as it is printed, is lowered to the same tiles for every machine, and
// computes what the kernel means.
TEST(Tuning, WritesDownTheTilesThatWereFastestForEveryMachine) {
  TuneOptions options;
  options.stopwatch = stopwatch_for("columns=32");
  const auto tuning = tuned(kernel_of(kProduct), options, {}, parse_target("cpu:zen4").value());
  ASSERT_TRUE(tuning.has_value()) << tuning.error();
  const std::string text = to_string(tuning->kernel);
  EXPECT_NE(text.find("using tiles(columns=32, kc="), std::string::npos) << text;
  EXPECT_EQ(tuning->after, 1.0);
  EXPECT_EQ(tuning->before, 2.0);
  EXPECT_EQ(tuning->operations, 2.0 * 24 * 40 * 48);
  EXPECT_EQ(tuning->bytes, 4.0 * (24 * 40 + 40 * 48 + 24 * 48));
  const Kernel again = kernel_of(to_string(tuning->kernel));
  EXPECT_EQ(again, tuning->kernel);
  const auto options_on = [&](const char* target) {
    return lower(again, options_for(parse_target(target).value())).value().choices.front().options;
  };
  EXPECT_EQ(options_on("cpu"), options_on("cpu:zen4"));
  EXPECT_EQ(options_on("cpu"), options_on("cpu:haswell"));
  EXPECT_EQ(options_on("cpu").size(), 5U);
  const DeviceKernel device = DeviceKernel::compile(again, Target::kCpu).value();
  const auto arguments = made_arguments(again, {}).value();
  EXPECT_TRUE(are_close(again, compare(again, device, arguments).value()));
}

TEST(Tuning, NeverTakesWhatGivesOtherResults) {
  const Kernel kernel = kernel_of(
      "schedule forgets for copy(D: f32[M,N], S: f32[M,N]) {\n"
      "  for i in range(1, M) { copy(D[i], S[i]) }\n}\n"
      "schedule by_rows for copy(D: f32[M,N], S: f32[M,N]) {\n"
      "  for i in M { copy(D[i], S[i]) }\n}\n"
      "kernel rows(A: f32[16,64], B: f32[16,64]) launch cta 1, threads 64 { copy(B, A) }\n");
  TuneOptions options;
  options.stopwatch = stopwatch_for("using forgets");
  const auto tuning = tuned(kernel, options);
  ASSERT_TRUE(tuning.has_value()) << tuning.error();
  EXPECT_EQ(tuning->kernel, kernel);
  EXPECT_EQ(tuning->after, 2.0);
  const auto wrong = std::ranges::find(tuning->trials, "using forgets", &Trial::change);
  ASSERT_NE(wrong, tuning->trials.end());
  EXPECT_FALSE(wrong->seconds.has_value());
  EXPECT_NE(wrong->reason.find("of 1024 elements of B differ from those of the original kernel"),
            std::string::npos)
      << wrong->reason;
}

TEST(Tuning, LeavesAloneWhatItsAuthorWroteDown) {
  const Kernel kernel = kernel_of(
      "kernel f(A: f32[24,40], B: f32[40,48], C: f32[24,48]) launch cta 1, threads 32 {\n"
      "  gemm(C, A, B, accum=false) using tiles(rows=6)\n}\n");
  TuneOptions options;
  options.stopwatch = stopwatch_for("never");
  const auto tuning = tuned(kernel, options);
  ASSERT_TRUE(tuning.has_value()) << tuning.error();
  EXPECT_EQ(tuning->trials.size(), 1U);
  EXPECT_EQ(tuning->kernel, kernel);
}

TEST(Tuning, TriesLayoutsOfSharedTensorsThatHaveNone) {
  const Kernel kernel = kernel_of(
      "kernel turn(A: f32[32,64], B: f32[64,32]) launch cta 1, threads 32 {\n"
      "  shared tile: f32[32,64]\n  copy(tile, A)\n  copy(B, tile.T)\n}\n");
  TuneOptions options;
  options.stopwatch = stopwatch_for("S[(32,64):(1@m,32@m)]");
  const auto tuning = tuned(kernel, options);
  ASSERT_TRUE(tuning.has_value()) << tuning.error();
  EXPECT_NE(to_string(tuning->kernel).find("shared tile: f32[32,64] = S[(32,64):(1@m,32@m)]"),
            std::string::npos)
      << to_string(tuning->kernel);
}

TEST(Tuning, EndsWithTheKernelAsItWasIfItIsStoppedAtOnce) {
  std::stop_source stop;
  stop.request_stop();
  TuneProgress progress;
  TuneOptions options;
  options.stop = stop.get_token();
  options.progress = &progress;
  const auto tuning = tuned(kernel_of(kProduct), options);
  ASSERT_TRUE(tuning.has_value()) << tuning.error();
  EXPECT_TRUE(tuning->is_stopped);
  EXPECT_EQ(tuning->trials.size(), 1U);
  EXPECT_EQ(progress.tried, 1);
  EXPECT_GT(progress.best, 0.0);
  EXPECT_NE(to_string(tuning->kernel).find("using tiles(columns="), std::string::npos);
}

TEST(Tuning, IsRefusedForTargetsThatAreNotMeasuredHere) {
  const Kernel kernel = kernel_of(kProduct);
  const auto arguments = made_arguments(kernel, {}).value();
  for (const Target target : {Target::kCuda, Target::kOpenCl}) {
    const auto tuning = tune(kernel, target, arguments);
    ASSERT_FALSE(tuning.has_value());
    EXPECT_EQ(tuning.error().message(),
              "kernels for " + std::string(name_of(target)) + " cannot be measured");
  }
  EXPECT_EQ(made_arguments(kernel_of("kernel f(X: f32[N]) launch cta 1, threads 1 { X = 0 }"), {})
                .error()
                .code(),
            "kernel.arguments");
}

// Whatever tiles and blocks are said, the product is the product.
TEST(TilesForCpus, GiveTheProductInAnySizes) {
  for (std::uint64_t seed = 1; seed != 7; ++seed) {
    test::Random random(seed);
    const auto rows = random.between(1, 30);
    const bool is_double = random.chance(50);
    const auto columns = random.between(1, 4) * (is_double ? 8 : 16);
    const std::string type = is_double ? "f64" : "f32";
    const std::string said = "tiles(rows=" + std::to_string(rows) +
                             ", columns=" + std::to_string(columns) +
                             ", kc=" + std::to_string(random.between(1, 40)) +
                             ", mc=" + std::to_string(rows * random.between(1, 3)) +
                             ", nc=" + std::to_string(columns * random.between(1, 3)) + ")";
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + type + " " + said);
    const Kernel kernel =
        kernel_of("kernel f(A: " + type + "[M,K], B: " + type + "[K,N], C: " + type +
                  "[M,N]) launch cta (M + 36) // 37, threads 32 {\n"
                  "  gemm(C[37*bx : +37], A[37*bx : +37], B) using " +
                  said + "\n}\n");
    const Sizes sizes = {
        {"M", random.between(1, 80)}, {"N", random.between(1, 150)}, {"K", random.between(1, 90)}};
    const auto device = DeviceKernel::compile(kernel, Target::kCpu);
    ASSERT_TRUE(device.has_value()) << device.error();
    const auto deviations = compare(kernel, *device, made_arguments(kernel, sizes).value(), sizes);
    ASSERT_TRUE(deviations.has_value()) << deviations.error();
    EXPECT_TRUE(are_close(kernel, *deviations)) << deviations->front().relative;
  }
}

}  // namespace
}  // namespace heddle::kernel
