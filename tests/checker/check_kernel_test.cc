// Described kernels under the checker: what is emitted for them, and what is written for them by
// hand.

#include "heddle/checker/check_kernel.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checker/traffic.h"
#include "heddle/kernel/lower.h"
#include "heddle/kernel/made_arguments.h"
#include "heddle/notation/kernel.h"
#include "support/law.h"
#include "support/random.h"
#include "support/refusal.h"
#include "support/shell.h"

namespace heddle::checker {
namespace {

constexpr std::string_view kTranspose =
    "kernel transpose(A: f32[M,N], B: f32[N,M])\n"
    "  assume M >= 32, N >= 32\n"
    "  launch cta (M // 32, N // 32), threads 256\n"
    "{\n"
    "  shared tile: f32[32,32]\n"
    "  copy(tile, A[32*bx : +32, 32*by : +32])\n"
    "  copy(B[32*by : +32, 32*bx : +32], tile.T)\n"
    "}\n";

kernel::Kernel parsed(std::string_view text) {
  return notation::parse_kernels(text).value().front();
}

TEST(CheckedKernels, TakeTheWavefrontsThatExplainSays) {
  const kernel::Kernel kernel = parsed(kTranspose);
  const auto lowered = lower(kernel, kernel::options_for(kernel::Target::kCuda)).value();
  EXPECT_NE(explanation(lowered).find(": 64 wavefronts, no bank conflicts"), std::string::npos);
  const kernel::Sizes sizes = {{"M", 64}, {"N", 96}};
  const auto arguments = kernel::made_arguments(kernel, sizes).value();
  const auto runs = CheckedKernel::compile(kernel).value().check(arguments, sizes).value();
  EXPECT_TRUE(is_right(kernel, runs));
  ASSERT_EQ(runs.size(), 2U);
  for (const KernelRun& run : runs) EXPECT_EQ(run.report.traffic, (Traffic{384, 384, 384}));
}

/// What explain says of a tile that is copied in and out, and what the checker counts.
std::pair<std::string, std::string> wavefronts(std::string_view type, int rows, int columns,
                                               int threads) {
  const kernel::Kernel kernel =
      parsed(fmt::format("kernel t(A: {0}[{1},{2}], B: {0}[{2},{1}]) launch cta 1, threads {3} {{\n"
                         "  shared tile: {0}[{1},{2}]\n  copy(tile, A)\n  copy(B, tile.T)\n}}\n",
                         type, rows, columns, threads));
  const auto lowered = lower(kernel, kernel::options_for(kernel::Target::kCuda)).value();
  const std::string text = explanation(lowered);
  const std::size_t end = text.find(" wavefronts", text.find("  taken "));
  const std::size_t first = text.rfind(' ', end - 1) + 1;
  const auto arguments = kernel::made_arguments(kernel, {}).value();
  const auto runs = CheckedKernel::compile(kernel).value().check(arguments).value();
  EXPECT_TRUE(is_right(kernel, runs));
  return {text.substr(first, end - first),
          fmt::format("{}", runs.front().report.traffic.wavefronts)};
}

// Vectors for which only some lanes are there, and guards in loops.
TEST(CheckedKernels, TakeTheWavefrontsOfRandomTilesThatExplainSays) {
  EXPECT_EQ(wavefronts("f32", 8, 8, 64), std::pair(std::string("4"), std::string("4")));
  EXPECT_EQ(wavefronts("i8", 48, 4, 32), std::pair(std::string("10"), std::string("10")));
  test::Random random(test::property_seed());
  const std::vector<std::string_view> types = {"f32", "f64", "f16", "i8"};
  const std::vector<int> extents = {4, 8, 12, 20, 24, 32, 40, 48, 64};
  for (int i = 0; i != 6; ++i) {
    const std::string_view type = random.one_of(types);
    const int rows = random.one_of(extents);
    const int columns = random.one_of(extents);
    const int threads = random.one_of(std::vector<int>{32, 64, 96, 128});
    const auto [said, counted] = wavefronts(type, rows, columns, threads);
    EXPECT_EQ(said, counted) << type << '[' << rows << ',' << columns << "], " << threads;
  }
}

/// Wavefronts counted plainly: as many lanes are served together as have 128 bytes, at most all 32,
/// and each bank gives one of its words at a time.
std::int64_t plain_wavefronts(const std::vector<std::int64_t>& lanes, std::int64_t bytes) {
  const std::size_t together = bytes <= 4 ? 32 : static_cast<std::size_t>(128 / bytes);
  std::int64_t sum = 0;
  for (std::size_t first = 0; first != lanes.size(); first += together) {
    std::vector<std::set<std::int64_t>> words(32);
    for (std::size_t lane = first; lane != first + together; ++lane) {
      for (std::int64_t i = 0; lanes[lane] >= 0 && i != bytes; ++i) {
        const std::int64_t word = (lanes[lane] + i) / 4;
        words[static_cast<std::size_t>(word % 32)].insert(word);
      }
    }
    const auto most = std::ranges::max_element(words, {}, &std::set<std::int64_t>::size);
    sum += std::ssize(*most);
  }
  return sum;
}

TEST(CountedWavefronts, AreThoseThatAreCountedPlainly) {
  test::Random random(test::property_seed());
  const std::string buffer = "tile";
  for (int i = 0; i != 500; ++i) {
    const std::int64_t bytes = random.one_of(std::vector<std::int64_t>{1, 2, 4, 8, 16});
    const std::int64_t stride = random.between(0, 40);
    const bool is_strided = random.chance(50);
    TrafficCounter counter;
    std::vector<std::int64_t> lanes(32, -1);
    for (unsigned lane = 0; lane != 32; ++lane) {
      if (random.chance(i % 2 == 0 ? 0 : 40)) continue;
      lanes[lane] = bytes * (is_strided ? stride * lane : random.between(0, 255));
      counter.touch(lane, 0, 0, buffer, lanes[lane], bytes, false);
    }
    counter.end_block();
    EXPECT_EQ(counter.total().wavefronts, plain_wavefronts(lanes, bytes))
        << bytes << " bytes at " << fmt::format("{}", fmt::join(lanes, ", "));
  }
}

// Rows of lengths that are known at run time only, by vectors in a loop: shorter than a step, as
// long, and longer, where the last step is done by some of the threads.
TEST(CheckedKernels, GoThroughLongRowsByVectors) {
  const kernel::Kernel kernel = parsed(
      "kernel norm(X: f16[M,N], W: f32[N], Y: f16[M,N], Z: f16[M,N], T: i32[M])\n"
      "  assume N % 8 == 0\n"
      "  launch cta M, threads 64\n"
      "{\n"
      "  reg most: f32[]\n"
      "  reduce(most, X[bx] + W, op=\"max\", axis=0)\n"
      "  Y[bx] = X[bx]*most + W\n"
      "  copy(Z[bx], Y[bx])\n"
      "}\n");
  const CheckedKernel checked = CheckedKernel::compile(kernel).value();
  for (const std::int64_t length : {8, 504, 512, 520, 1544}) {
    const kernel::Sizes sizes = {{"M", 2}, {"N", length}};
    const auto arguments = kernel::made_arguments(kernel, sizes).value();
    EXPECT_TRUE(is_right(kernel, checked.check(arguments, sizes).value())) << length;
  }
}

constexpr std::string_view kTwice =
    "kernel twice(X: f32[N], Y: f32[N])\n"
    "  assume N >= 128\n"
    "  launch cta N // 128, threads 128\n"
    "{\n"
    "  Y[128*bx : +128] = 2*X[128*bx : +128]\n"
    "}\n";

std::string twice_by_hand(std::string_view factor) {
  return "extern \"C\" __global__ void twice(const float* X, float* Y, int N) {\n"
         "  __shared__ float tile[128];\n"
         "  const int t = threadIdx.x;\n"
         "  cp_async_4(&tile[127 - t], &X[128 * blockIdx.x + t], 4);\n"
         "  cp_async_commit();\n"
         "  cp_async_wait<0>();\n"
         "  __syncthreads();\n"
         "  Y[128 * blockIdx.x + t] = " +
         std::string(factor) + " * tile[127 - t];\n}\n";
}

TEST(CheckedKernels, WrittenByHandAreHeldAgainstTheMeaning) {
  const kernel::Kernel kernel = parsed(kTwice);
  const kernel::Sizes sizes = {{"N", 256}};
  const auto arguments = kernel::made_arguments(kernel, sizes).value();
  const auto right = CheckedKernel::of_source(kernel, twice_by_hand("2")).value();
  EXPECT_TRUE(is_right(kernel, right.check(arguments, sizes).value()));
  const auto wrong = CheckedKernel::of_source(kernel, twice_by_hand("3")).value();
  const auto runs = wrong.check(arguments, sizes).value();
  ASSERT_EQ(runs.size(), 3U);
  EXPECT_EQ(to_string(runs.front().report.findings), "");
  EXPECT_FALSE(is_right(kernel, runs));
}

// Right where the numbers happen to be sorted.
TEST(CheckedKernels, AreCheckedOnSeveralDraws) {
  const kernel::Kernel kernel = parsed(kTwice);
  const kernel::Sizes sizes = {{"N", 128}};
  auto arguments = kernel::made_arguments(kernel, sizes).value();
  std::ranges::fill(arguments[0].elements, 0);
  arguments[0].elements.front() = kernel::encode(kernel::DType::kF32, kernel::Number(1.0));
  const auto only_first =
      CheckedKernel::of_source(kernel,
                               "__global__ void twice(const float* X, float* Y, int N) {\n"
                               "  Y[threadIdx.x] = threadIdx.x == 0 ? 2 * X[0] : 0;\n}\n")
          .value();
  EXPECT_TRUE(is_right(kernel, only_first.check(arguments, sizes).value()));
  const auto runs = only_first.check(arguments, sizes, 3).value();
  EXPECT_FALSE(is_right(kernel, runs));
  EXPECT_EQ(name_of(runs.back()), "the same numbers in another order, by seed 3");
}

// A similarity that is read one place too far, or too near.
TEST(CheckedKernels, OfNeedlemanAndWunschMayNotReadANeighbour) {
  const kernel::Kernel kernel =
      parsed(test::contents(HEDDLE_SOURCE_DIR "/kernels/programs/needleman_wunsch.heddle"));
  const auto lowered = lower(kernel, kernel::options_for(kernel::Target::kCuda)).value();
  const std::string source = to_source(lowered, kernel::Target::kCuda).value();
  const kernel::Sizes sizes = {{"L", 1}, {"M", 33}, {"N", 33}};
  const auto arguments = kernel::made_arguments(kernel, sizes).value();
  const std::string_view similar = "near[d + 31 * tx";
  const std::size_t end = source.find(similar) + similar.size();
  ASSERT_GT(end, similar.size());
  for (const std::string_view step : {" + 0", " + 1", " - 1"}) {
    std::string changed = source;
    changed.insert(end, step);
    const auto checked = CheckedKernel::of_source(kernel, changed).value();
    const auto runs = checked.check(arguments, sizes, 3).value();
    EXPECT_EQ(is_right(kernel, runs), step == " + 0") << step;
  }
}

// Each thread reads what it has copied itself, so nothing needs the barrier.
TEST(CheckedKernels, SayWhatIsNeededForNothing) {
  const kernel::Kernel kernel = parsed(kTwice);
  const kernel::Sizes sizes = {{"N", 256}};
  const auto arguments = kernel::made_arguments(kernel, sizes).value();
  const auto mutants = CheckedKernel::of_source(kernel, twice_by_hand("2"))
                           .value()
                           .mutants(arguments, sizes)
                           .value();
  std::string text;
  for (const Mutant& each : mutants) {
    text += std::string(name_of(each.site.kind)) + " " + each.site.line + " " +
            std::string(name_of(each.change)) + ": " + each.noticed + "\n";
  }
  EXPECT_EQ(text,
            "copy kernel.cu:4 dropped: uninitialised\n"
            "commit kernel.cu:5 dropped: on its way\n"
            "wait kernel.cu:6 dropped: on its way\n"
            "wait kernel.cu:6 one group more pending: on its way\n"
            "barrier kernel.cu:7 dropped: \n");
}

// Read one by one, from memory where two lie in a byte.
TEST(CheckedKernels, OfElementsOfFourBitsAreRight) {
  const kernel::Kernel kernel = parsed(
      "kernel f(A: u4[M,K], B: i4[K,N], C: i32[M,N])\n"
      "  assume M % 16 == 0, N % 16 == 0, K % 32 == 0\n"
      "  launch cta (M // 16, N // 16), threads 64\n{\n"
      "  reg acc: i32[16,16]\n  fill(acc, 0)\n"
      "  for k in K // 32 {\n"
      "    gemm(acc, A[16*bx : +16, 32*k : +32], B[32*k : +32, 16*by : +16])\n  }\n"
      "  copy(C[16*bx : +16, 16*by : +16], acc)\n}\n");
  const kernel::Sizes sizes = {{"M", 32}, {"N", 16}, {"K", 96}};
  const auto arguments = kernel::made_arguments(kernel, sizes).value();
  const auto target = kernel::parse_target("cuda:sm_80").value();
  const auto lowered = lower(kernel, kernel::options_for(target)).value();
  EXPECT_NE(explanation(lowered).find("SM80_16x8x32_S32U4S4S32_TN"), std::string::npos);
  const auto runs = CheckedKernel::compile(kernel, target).value().check(arguments, sizes);
  EXPECT_TRUE(is_right(kernel, runs.value()));
}

// By an instruction, and by multiply-adds.
TEST(CheckedKernels, OfSparseProductsAreRightWithAndWithoutInstructions) {
  for (const std::string_view type : {"f16", "tf32", "i8"}) {
    const std::string text = fmt::format(
        "kernel f(A: {0}[M,16], E: u4[M,{1}], B: {0}[32,N], C: {2}[M,N])\n"
        "  assume M >= 16, N >= 16\n  launch cta ((M + 15) // 16, (N + 15) // 16), threads 32\n{{\n"
        "  reg acc: {2}[16,16]\n  fill(acc, 0)\n"
        "  gemm_sparse(acc, A[16*bx : +16], B[:, 16*by : +16], E[16*bx : +16])\n"
        "  copy(C[16*bx : +16, 16*by : +16], acc)\n}}\n",
        type, type == "tf32" ? 16 : 8, type == "i8" ? "i32" : "f32");
    const kernel::Kernel kernel = parsed(text);
    const kernel::Sizes sizes = {{"M", 32}, {"N", 24}};
    const auto arguments = kernel::made_arguments(kernel, sizes).value();
    for (const std::string_view target : {"cuda", "cuda:sm_80"}) {
      const auto checked = CheckedKernel::compile(kernel, kernel::parse_target(target).value());
      ASSERT_TRUE(checked) << checked.error();
      EXPECT_TRUE(is_right(kernel, checked->check(arguments, sizes).value())) << type << target;
    }
  }
}

TEST(CheckedKernels, RefuseOtherTargetsAndOtherParameters) {
  const kernel::Kernel kernel = parsed(kTwice);
  EXPECT_EQ(test::code(CheckedKernel::compile(kernel, kernel::Target::kOpenCl)), "emit.target");
  EXPECT_EQ(test::code(CheckedKernel::of_source(kernel, "void once() {}")), "kernel.unknown");
  const auto other =
      CheckedKernel::of_source(kernel, "__global__ void twice(const float* X, int N) {}").value();
  const kernel::Sizes sizes = {{"N", 256}};
  const auto arguments = kernel::made_arguments(kernel, sizes).value();
  EXPECT_EQ(test::code(other.check(arguments, sizes)), "kernel.arguments");
}

}  // namespace
}  // namespace heddle::checker
