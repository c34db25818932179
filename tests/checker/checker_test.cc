// Kernels of CUDA run without a GPU: what is right passes, and every kind of mistake is found.

#include "heddle/checker/checker.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "checker/arguments.h"
#include "heddle/kernel/dtype.h"
#include "support/refusal.h"

namespace heddle::checker {
namespace {

using test::refusal;

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

/// Whether a mutant is noticed: something is found, or a result is another one.
bool is_noticed(const Program& program, const Product& product, const Mutation& mutation) {
  for (const Arrival arrival : kArrivals) {
    std::vector<Argument> arguments = product.arguments();
    const Report report =
        program.run(product.launch(), arguments, {.arrival = arrival, .mutation = mutation})
            .value();
    if (!report.findings.empty()) return true;
    if (elements<float>(arguments[2]) != product.wanted()) return true;
  }
  return false;
}

TEST(CheckedGemm, HasNoMutantThatIsNotNoticed) {
  const Program program = Program::compile(text_of("gemm.cu"), "gemm").value();
  const Product product{72, 64, 104};
  std::vector<Argument> arguments = product.arguments();
  const Report report = program.run(product.launch(), arguments).value();
  const std::vector<Mutation> all = mutations(report);
  for (const Mutation& each : all) {
    // What one copy reads past the end is multiplied by the zeros of the other.
    if (each.change == Change::kWhole) continue;
    const auto site = std::ranges::find(report.sites, each.offset, &Site::offset);
    EXPECT_TRUE(is_noticed(program, product, each)) << site->line << ": " << name_of(each.change);
  }
  // Two barriers, a wait (two changes), two commits, a copy (three), two matrix loads.
  EXPECT_EQ(all.size(), 11U);
}

/// What is found in a case of mistakes.cu, run by blocks of 64 threads.
class Mistakes : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    program_ = new Program(Program::compile(text_of("mistakes.cu"), "mistakes").value());
  }
  static void TearDownTestSuite() { delete program_; }

  /// All of it.
  static std::string found(int which, unsigned blocks = 1, bool is_backwards = false) {
    std::vector<Argument> arguments = {number("which", which),
                                       memory("X", std::vector<float>(64, 0)), number("n", 60)};
    const auto report = program_->run({{blocks, 1, 1}, {64, 1, 1}}, arguments,
                                      {.is_backwards = is_backwards, .steps = 1000000});
    return report ? to_string(report->findings) : refusal(report);
  }
  static std::string first_found(int which, unsigned blocks = 1, bool is_backwards = false) {
    const std::string text = found(which, blocks, is_backwards);
    return text.substr(0, text.find('\n'));
  }

 private:
  static inline Program* program_ = nullptr;
};

TEST_F(Mistakes, AreFoundAndNamed) {
  const std::vector<std::pair<int, std::string>> wanted = {
      {0, "outside: thread 4 writes X[64], outside of the 256 bytes of X at kernel.cu:10"},
      {1, "outside: thread 63 writes byte 256 of S, outside of the 256 bytes of S at kernel.cu:13"},
      {2,
       "uninitialised: thread 0 reads byte 0 of S at kernel.cu:16, which no thread of the block "
       "has "
       "written"},
      {6,
       "on its way: thread 0 reads byte 0 of T at kernel.cu:35, which an asynchronous copy of "
       "thread "
       "0 at kernel.cu:33 still writes: that thread has not waited for it"},
      {8,
       "not awaited: thread 0 does not wait for its copy to byte 0 of T at kernel.cu:45 before it "
       "ends"},
      {9,
       "on its way: thread 0 writes X[0] at kernel.cu:52, which an asynchronous copy still reads"},
      {11,
       "stuck: no thread can go on: threads 0 to 15 wait at kernel.cu:60 (__syncwarp); threads 16 "
       "to "
       "63 wait at kernel.cu:62 (__syncthreads)"},
      {13,
       "divergent: the lanes of a warp do different things: threads 0 to 15 wait at kernel.cu:72 "
       "(ldmatrix_x1); threads 16 to 31 wait at kernel.cu:74 (ldmatrix_x1)"},
      {14,
       "divergent: thread 8 calls __shfl_xor_sync at kernel.cu:79 with the mask 0xff, in which its "
       "lane, 8, is not"},
      {15,
       "race: thread 1 writes X[0] at kernel.cu:82, which thread 0 writes at kernel.cu:82: there "
       "is no barrier between them"},
      {17,
       "unaligned: thread 1 reads 16 bytes from byte 4 of T on at kernel.cu:90, which is not a "
       "multiple of 16"},
      {18,
       "divergent: the threads of a block are at several barriers: threads 0 to 31 wait at "
       "kernel.cu:94 (__syncthreads); threads 32 to 63 wait at kernel.cu:95 (__syncthreads)"}};
  EXPECT_EQ(first_found(19),
            "too long: thread 0 still runs at kernel.cu:98, and is stopped: the threads have run "
            "1000000 pieces of code");
  EXPECT_EQ(first_found(20), "fault: thread 0 divides an integer by zero at kernel.cu:102");
  for (const auto& [which, text] : wanted) EXPECT_EQ(first_found(which), text) << which;
  EXPECT_EQ(first_found(10, 1, true),
            "unaligned: thread 3 copies 16 bytes from byte 12 of T on at kernel.cu:56, which is "
            "not a multiple of 16");
}

// What is read too early is found missing where the reader runs first, and a race in each order.
TEST_F(Mistakes, MissingBarriersAreRacesInEveryOrder) {
  for (const bool is_backwards : {false, true}) {
    EXPECT_NE(found(3, 1, is_backwards).find("race: thread "), std::string::npos);
    EXPECT_EQ(found(4, 1, is_backwards), "");
    EXPECT_EQ(found(5, 1, is_backwards), "");
  }
}

TEST_F(Mistakes, AreNotWhatIsRight) {
  EXPECT_EQ(found(7), "");
  // Threads that have ended are not waited for.
  EXPECT_EQ(found(12), "");
  EXPECT_EQ(found(16, 2), "");
}

TEST_F(Mistakes, OfSeveralBlocksAreRacesOfThese) {
  EXPECT_EQ(first_found(4, 2),
            "race: thread 0 of block (1,0,0) writes X[0] at kernel.cu:25, which thread 0 of block "
            "(0,0,0) writes at kernel.cu:25: blocks have no order");
}

TEST(CheckedPrograms, RefuseWhatIsNoKernelAndOtherArguments) {
  EXPECT_EQ(test::code(Program::compile("int x;", "gemm")), "kernel.unknown");
  EXPECT_EQ(test::code(Program::compile("__global__ void f() { gone(); }", "f")), "kernel.compile");
  const Program program = Program::compile("__global__ void f(float* X, int n) {}", "f").value();
  std::vector<Argument> arguments = {memory("X", std::vector<float>(4))};
  EXPECT_EQ(test::code(program.run({}, arguments)), "kernel.arguments");
  arguments.push_back(memory("n", std::vector<double>(1)));
  arguments.back().is_memory = false;
  EXPECT_EQ(refusal(program.run({}, arguments)),
            "error kernel.arguments: argument 2 of f, n, has 4 bytes, and 8 are given");
  arguments.back() = number("n", 1);
  EXPECT_EQ(test::code(program.run({.threads = {2048, 1, 1}}, arguments)), "kernel.launch");
}

TEST(CheckedPrograms, FillWithZerosWhatCopiesDoNotRead) {
  const Program program = Program::compile(
                              "__global__ void f(float* X, int bytes) {\n"
                              "  __shared__ __align__(16) float S[4];\n"
                              "  cp_async_16(S, X, bytes);\n"
                              "  cp_async_commit();\n"
                              "  cp_async_wait<0>();\n"
                              "  X[4] = S[0] + S[1] + S[2] + S[3];\n"
                              "}\n",
                              "f")
                              .value();
  const auto sum = [&](std::optional<Mutation> mutation) {
    std::vector<Argument> arguments = {memory("X", std::vector<float>{1, 2, 3, 4, 5}),
                                       number("bytes", 8)};
    const Report report =
        program.run({.threads = {1, 1, 1}}, arguments, {.mutation = mutation}).value();
    EXPECT_EQ(to_string(report.findings), "");
    const std::vector<Mutation> all = mutations(report);
    const auto whole = std::ranges::find(all, Change::kWhole, &Mutation::change);
    return std::pair(elements<float>(arguments[0])[4], whole->offset);
  };
  const auto [right, offset] = sum({});
  EXPECT_EQ(right, 3);
  EXPECT_EQ(sum(Mutation{offset, Change::kWhole}).first, 10);
}

TEST(CheckedPrograms, HaveDynamicSharedMemory) {
  const Program program = Program::compile(
                              "extern __shared__ float memory[];\n"
                              "__global__ void f(float* X) {\n"
                              "  memory[threadIdx.x] = 2;\n"
                              "  X[threadIdx.x] = memory[threadIdx.x];\n"
                              "}\n",
                              "f", 128)
                              .value();
  std::vector<Argument> arguments = {memory("X", std::vector<float>(64))};
  EXPECT_EQ(to_string(program.run({.threads = {32, 1, 1}}, arguments)->findings), "");
  EXPECT_EQ(to_string(program.run({.threads = {64, 1, 1}}, arguments)->findings),
            "outside: thread 32 writes byte 128 of memory, outside of the 128 bytes of memory at "
            "kernel.cu:3\n");
}

// Every lane of a warp reads a row of a matrix: 32 words of one bank.
TEST(CheckedPrograms, CountBankConflictsAsTheAnalysisDoes) {
  const Program program = Program::compile(
                              "__global__ void f(float* X, int row) {\n"
                              "  __shared__ float S[33 * 32];\n"
                              "  S[row * threadIdx.x] = 1;\n"
                              "  X[threadIdx.x] = S[row * threadIdx.x];\n"
                              "}\n",
                              "f")
                              .value();
  for (const auto& [row, wavefronts] : {std::pair{32, 64}, std::pair{33, 2}, std::pair{2, 4}}) {
    std::vector<Argument> arguments = {memory("X", std::vector<float>(32)), number("row", row)};
    const Report report = program.run({.threads = {32, 1, 1}}, arguments).value();
    EXPECT_EQ(report.traffic, (Traffic{2, wavefronts, 2}));
  }
}

}  // namespace
}  // namespace heddle::checker
