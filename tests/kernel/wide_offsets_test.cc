// Offsets in tensors of more than 2^31 elements have 64 bits, and only those.

#include "kernel/wide_offsets.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/kernel/device.h"
#include "heddle/kernel/launcher.h"
#include "heddle/kernel/source.h"
#include "lowered.h"
#include "support/refusal.h"

namespace heddle::kernel {
namespace {

/// A cache of pages, with what is assumed of their number.
std::string paged(std::string_view assumed) {
  return "kernel f(Pool: f16[P,16,1024], T: i32[S], Out: f16[S,16,1024])\n  " +
         std::string(assumed) +
         " launch cta S, threads 128\n"
         "{ let p = T[bx]\n copy(Out[bx], Pool[p]) }";
}

std::string source_for(std::string_view text, Target target) {
  const auto program = lowered(text, target);
  if (!program) return program.error().to_string();
  const auto source = to_source(*program, target);
  return source ? *source : source.error().to_string();
}

TEST(WideOffsets, AreThoseOfTensorsWithLargeBounds) {
  const std::string large = paged("assume P <= 1000000");
  EXPECT_NE(source_for(large, Target::kCuda).find("&Pool[(i0 << 10) + (long long)p * 16384 + "),
            std::string::npos);
  EXPECT_NE(source_for(large, Target::kOpenCl).find("&Pool[(i0 << 10) + (long)p * 16384 + "),
            std::string::npos);
  EXPECT_NE(source_for(large, Target::kCuda).find("&Out[(bx << 14) + (i0 << 10) + (tx << 3)]"),
            std::string::npos);
  // 2^31 - 2^14 elements, and sizes without a bound, which launches check.
  for (const std::string_view assumed : {"assume P <= 131071", ""}) {
    for (const Target target : {Target::kCuda, Target::kOpenCl}) {
      EXPECT_EQ(source_for(paged(assumed), target).find("(long"), std::string::npos) << assumed;
    }
  }
}

TEST(WideOffsets, AreInLoopsConditionsAndNames) {
  const std::string text = source_for(
      "kernel f(X: u8[5000000000], I: i64[4], Y: u8[3]) launch cta 19600000, threads 256 {\n"
      "  thread { if 256*bx + tx < 5000000000 { X[256*bx + tx] = 1 } }\n"
      "  let j = I[0]\n"
      "  elect { for i in 5000000000 { Y[i % 3] = X[j] } } }",
      Target::kCuda);
  for (const std::string_view wide :
       {"if (((long long)bx << 8) + tx < 5000000000",
        "X[((long long)bx << 8) + tx] = (unsigned char)(1);", "const long long j = I[0];",
        "for (long long i = 0; i < 5000000000; ++i)"}) {
    EXPECT_NE(text.find(wide), std::string::npos) << wide << "\n" << text;
  }
}

TEST(WideOffsets, AreHeldAcrossTheLoopOfAPipeline) {
  const auto kernels = notation::parse_kernels(
      "kernel f(A: f16[M,K], B: f16[K,128], C: f32[M,128]) assume M % 128 == 0, K % 32 == 0,\n"
      "  M <= 1048576, K <= 1048576 launch cta M // 128, threads 256\n"
      "{ shared As: f16[3,128,32]\n shared Bs: f16[3,32,128]\n reg sum: f32[128,128]\n"
      "  fill(sum, 0)\n"
      "  pipeline k in K // 32, stages 3 {\n"
      "    load { copy(As[stage], A[128*bx : +128, 32*k : +32])\n"
      "           copy(Bs[stage], B[32*k : +32]) }\n"
      "    compute { gemm(sum, As[stage], Bs[stage]) } }\n"
      "  C[128*bx : +128] = sum }");
  ASSERT_TRUE(kernels.has_value()) << kernels.error().to_string();
  const auto program = lower(kernels->front(), options_for(parse_target("cuda:sm_80").value()));
  ASSERT_TRUE(program.has_value()) << program.error().to_string();
  const std::string text = to_source(*program, Target::kCuda).value();
  EXPECT_NE(text.find("  const long long at_1 = (long long)K * "), std::string::npos) << text;
  EXPECT_NE(text.find("  const int at = held("), std::string::npos) << text;
}

TEST(WideOffsets, AreCountedByLaunchers) {
  const auto header = [](std::string_view assumed) {
    return to_header(lowered(paged(assumed)).value(), Target::kCuda).value();
  };
  const std::string wide = header("assume P <= 1000000");
  EXPECT_NE(wide.find("heddle_check_shape(\"Pool\", &Pool, heddle_shape, NULL, INT64_MAX"),
            std::string::npos);
  EXPECT_NE(wide.find("heddle_check_shape(\"Out\", &Out, heddle_shape, NULL, INT32_MAX"),
            std::string::npos);
  EXPECT_NE(header("").find("heddle_check_shape(\"Pool\", &Pool, heddle_shape, NULL, INT32_MAX"),
            std::string::npos);
}

/// Three gigabytes of addresses, of which only what is touched is memory.
class SparseMemory {
 public:
  SparseMemory() {
    memory_ = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  }
  SparseMemory(const SparseMemory&) = delete;
  SparseMemory& operator=(const SparseMemory&) = delete;
  ~SparseMemory() {
    if (is_there()) munmap(memory_, kBytes);
  }
  [[nodiscard]] bool is_there() const { return memory_ != MAP_FAILED; }
  [[nodiscard]] unsigned char* bytes() const { return static_cast<unsigned char*>(memory_); }

 private:
  static constexpr std::size_t kBytes = (std::size_t{3} << 30) + 4096;
  void* memory_ = nullptr;
};

TEST(WideOffsets, ReachFarElementsOnThisCpu) {
  const SparseMemory memory;
  if (!memory.is_there()) GTEST_SKIP() << "there are no addresses for 3 GiB";
  const Kernel kernel = notation::parse_kernels(
                            "kernel f(X: u8[4,4] = (4,4):(1073741824,1), Y: u8[4,4])\n"
                            "  launch cta 1, threads 16 { Y = X }")
                            .value()
                            .front();
  const auto program = DeviceKernel::compile(kernel, {Target::kCpu});
  if (!program && program.error().code() == "kernel.no_compiler") {
    GTEST_SKIP() << program.error().to_string();
  }
  ASSERT_TRUE(program.has_value()) << program.error().to_string();
  for (std::size_t i = 0; i != 16; ++i) {
    memory.bytes()[(i / 4 << 30) + i % 4] = static_cast<unsigned char>(100 + i);
  }
  std::array<unsigned char, 16> copied{};
  const std::vector<Array> arguments(2, Array{DType::kU8, {4, 4}, {}});
  const std::array<void*, 2> pointers = {memory.bytes(), copied.data()};
  const auto ran = program->run_in(arguments, pointers, {});
  ASSERT_TRUE(ran.has_value()) << ran.error().to_string();
  for (std::size_t i = 0; i != 16; ++i) EXPECT_EQ(copied.at(i), 100 + i);
}

TEST(WideOffsets, HaveAHintWhereABoundIsMissing) {
  const Kernel kernel = notation::parse_kernels(
                            "kernel f(X: u8[N,4096], Y: u8[4096]) launch cta 1, threads 32\n"
                            "{ Y = X[N - 1] }")
                            .value()
                            .front();
  const auto program = DeviceKernel::compile(kernel, {Target::kCpu});
  if (!program) GTEST_SKIP() << program.error().to_string();
  const std::vector<Array> arguments = {{DType::kU8, {600000, 4096}, {}}, {DType::kU8, {4096}, {}}};
  const std::array<void*, 2> pointers = {};
  EXPECT_EQ(test::refusal(program->run_in(arguments, pointers, {})),
            "error kernel.launch: the number of elements of X is 2457600000, and integers of a "
            "kernel go up to 2147483647\n  hint: assume N <= 1048576 before the launch, and "
            "offsets in X have 64 bits");
}

}  // namespace
}  // namespace heddle::kernel
