// Sources of kernels: what a target cannot hold, count or name is refused.

#include "heddle/kernel/source.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/kernel/launcher.h"
#include "heddle/notation/kernel.h"
#include "lowered.h"
#include "support/refusal.h"

namespace heddle::kernel {
namespace {

using test::refusal;

Result<std::string> source_of(std::string_view text, Target target = Target::kCuda) {
  HEDDLE_TRY(const ThreadProgram program, lowered(text, target));
  return to_source(program, target);
}

/// The code of the refusal of a kernel with this body.
std::string refused(std::string_view body, std::string_view parameters = "X: f32[4]") {
  const std::string text = "kernel f(" + std::string(parameters) + ") launch cta 1, threads 32 { " +
                           std::string(body) + " }";
  const auto source = source_of(text);
  return source ? *source : source.error().code();
}

/// The refusal of a kernel with this body, without its place.
std::string refusal_of(std::string_view body, std::string_view parameters) {
  return refusal(source_of("kernel f(" + std::string(parameters) + ") launch cta 1, threads 32 { " +
                           std::string(body) + " }"));
}

constexpr std::string_view kHintOfHalves =
    "\n  hint: let a thread write both at once, from registers that hold them side by side, at "
    "even places; or write elements of 8 bits";

TEST(KernelSource, RefusesToWriteHalfOfAByte) {
  const auto halves = [](std::string_view view, std::string_view reason) {
    return "error kernel.not_lowered: " + std::string(view) +
           " has two elements of 4 bits in a byte, which one thread must write together: " +
           std::string(reason) + std::string(kHintOfHalves);
  };
  EXPECT_EQ(refusal_of("X[0] = 1", "X: i4[32]"), halves("X[0]", "no thread has both of them"));
  EXPECT_EQ(refusal_of("X[1 : +8] = 1", "X: i4[32]"),
            halves("X[1 : +8]",
                   "the elements at (2*(tx%4)+1) and after it are not known to be one "
                   "byte"));
  EXPECT_EQ(refusal_of("X.bits(u4)[:, 0 : +3] = 1", "X: u8[4,32]"),
            halves("X.bits(u4)[:, 0 : +3]", "one of them may be inside, and the other not"));
  EXPECT_EQ(refusal_of("X = 1", "X: i4[M,N]"),
            halves("X", "one of them may be inside, and the other not"));
  EXPECT_EQ(refusal_of("X.T[:, :] = 1", "X: i4[32,32]"),
            halves("X.T[:, :]",
                   "the elements at (2*(tx%16),2*i0+tx//16) and after it are not known to be one "
                   "byte"));
  EXPECT_EQ(refusal_of("scatter(X, S, I, axis=0)", "X: i4[32], S: i4[8], I: i32[8]"),
            halves("X", "it is written element by element"));
  EXPECT_EQ(refusal_of("X = 1", "X: i4[4,32] = (4,32):(1,4)"),
            halves("X",
                   "the places 2*i0+tx//16+8*(tx%16) and 2*i0+tx//16+8*(tx%16)+4 are not known to "
                   "be one byte"));
}

TEST(KernelSource, RefusesRegistersAsWiderElementsAndAtomicsOnBits) {
  EXPECT_EQ(refusal_of("reg r: u8[32]; r.bits(u32)[:] = 1; X = r", "X: u8[32]"),
            "error kernel.not_lowered: r.bits(u32)[:]: no schedule writes registers of u8 as wider "
            "elements\n  hint: write registers of u32, and read their bits as u8");
  EXPECT_EQ(refusal_of("atomic_add(X.bits(i32), 1)", "X: f32[32]"),
            "error kernel.not_lowered: atomic_add(X.bits(i32), 1): no instruction adds to the bits "
            "of f32 atomically\n  hint: declare the tensor with the type that is added");
}

TEST(KernelSource, ElementsOfFourBitsTakeABytePairwiseInGlobalMemoryAndEachElsewhere) {
  const auto source = source_of(
      "kernel f(X: i4[64], Y: i4[64]) launch cta 1, threads 32 { shared s: i4[64]; copy(s, X); "
      "copy(Y, s) }");
  ASSERT_TRUE(source.has_value()) << source.error();
  EXPECT_NE(source->find("unsigned char s[64];"), std::string::npos) << *source;
  EXPECT_NE(source->find("  Y[tx] = "), std::string::npos) << *source;
}

TEST(KernelSource, RefusesWhatNothingHolds) {
  EXPECT_EQ(refused("reg s: f32[100000000]; fill(s, 0)"), "kernel.not_lowered");
  EXPECT_EQ(refused("shared s: f32[9223372036854775807,8]; fill(s, 0)"), "kernel.shared");
  // The layout of a tensor that is too large is not read, which would take long.
  EXPECT_EQ(refused("shared s: f32[65536,65536] = Sw<3,3,3> o 0 o (65536,65536):(65536,1); "
                    "fill(s, 0)"),
            "kernel.shared");
}

TEST(KernelSource, RefusesNumbersPast32Bits) {
  EXPECT_EQ(refused("X[0,0] = 1", "X: f32[9223372036854775807,4]"), "kernel.launch");
  EXPECT_EQ(refused("for k in 3000000000 { X[0] = k }"), "kernel.launch");
}

/// The lines of a kernel's body that have this in them.
std::string lines_with(const std::string& source, std::string_view part) {
  std::istringstream stream(source);
  std::string found;
  for (std::string line; std::getline(stream, line);) {
    const bool is_comment = line.find("//") != std::string::npos;
    if (!is_comment && line.find(part) != std::string::npos) found += line + "\n";
  }
  return found;
}

TEST(KernelSource, LeavesOutGuardsThatFollowFromThoseAroundThem) {
  const std::string source = source_of(
                                 "kernel f(X: f32[N], Y: f32[N]) launch cta 1, threads 32 {\n"
                                 "  Y[0 : +32] = X[0 : +32] + X[2 : +32] + X[-1 : +32]\n}")
                                 .value();
  EXPECT_EQ(lines_with(source, "tx < N"), "  if (tx < N) {\n");
  EXPECT_EQ(lines_with(source, "Y[tx]"),
            "    Y[tx] = ((X[tx] + (tx + 3 <= N ? X[tx + 2] : 0.0f)) + "
            "(1 <= tx ? X[tx - 1] : 0.0f));\n");
}

TEST(KernelSource, RefusesAtThePlaceOfTheStatement) {
  const auto place = [](const std::string& text) -> std::string {
    const auto program = lowered(text);
    if (!program) return text.substr(program.error().span()->begin, 9);
    const auto source = to_source(*program, Target::kCuda);
    if (source) return "none";
    const auto span = source.error().span();
    return span ? text.substr(span->begin, 9) : "no place";
  };
  EXPECT_EQ(place("kernel k(A: i32[8]) launch cta 1, threads 32 {\n  A[0] = 1\n"
                  "  unchecked opencl \"x\"\n}\n"),
            "unchecked");
  EXPECT_EQ(place("kernel k(A: f32[8000]) launch cta 1, threads 32 {\n  shared S: f32[8]\n"
                  "  shared T: f32[8000]\n  shared U: f32[7000]\n  copy(T, A)\n"
                  "  U = T[0 : +7000]\n  S = U[0 : +8]\n  A = T\n  A[0 : +8] = S\n"
                  "  A[0 : +7000] = U\n}\n"),
            "shared T:");
}

TEST(KernelSource, RefusesWordsOfTheTargetAsNames) {
  EXPECT_EQ(refusal(source_of("kernel int(X: f32[4]) launch cta 1, threads 32 { X = 1 }")),
            "error print.name: 'int' means something else in CUDA\n  hint: choose another name");
  EXPECT_NE(refused("for int in 4 { X[int] = 1 }").find("X[heddle_own_int] = "), std::string::npos);
  // Functions that sources call, that precede them, and that targets have.
  for (const std::string name : {"sqrtf", "f32_of_f16", "copy_16_bytes", "dot", "INFINITY", "held",
                                 "cp_async_wait", "ldmatrix_x4"}) {
    EXPECT_EQ(refusal(source_of("kernel " + name + "() launch cta 1, threads 32 {}")),
              "error print.name: '" + name +
                  "' means something else in CUDA\n  hint: choose another name");
  }
  // What no caller knows is renamed.
  EXPECT_NE(refused("reg float: f32[4]; fill(float, 0)").find("float_1"), std::string::npos);
  for (const std::string name :
       {"heddle_memory", "quotient_a", "bits_of_x", "f32_of_f16", "copy_16_bytes", "x_of_bits"}) {
    const std::string text = refused("reg " + name + ": f32[4]; fill(" + name + ", 0)");
    EXPECT_NE(text.find("float " + name + "_1") != std::string::npos,
              text.find("float own_" + name) != std::string::npos)
        << text;
  }
}

// Each line of a statement says where the statement is, whatever the file is called.
TEST(KernelSource, TellsTheLinesOfItsFile) {
  const std::string text =
      "kernel f(X: f32[64])\n  launch cta 1, threads 32\n{\n  X = 1\n\n  X = X + X\n}\n";
  const ThreadProgram program = lower(notation::parse_kernels(text)->front()).value();
  for (const Target target : {Target::kCuda, Target::kOpenCl}) {
    const std::string plain = to_source(program, target).value();
    const std::string lined =
        to_source(program, target, {.file = "a \"b\\.heddle", .text = text}).value();
    std::string without;
    std::map<std::string, int> lines;
    std::istringstream stream(lined);
    for (std::string line; std::getline(stream, line);) {
      line.starts_with("#line") ? void(++lines[line]) : void(without += line + "\n");
    }
    EXPECT_EQ(without, plain);
    const auto count_lines = [&](std::size_t begin, std::size_t end) {
      return static_cast<int>(std::count(plain.begin() + static_cast<std::ptrdiff_t>(begin),
                                         plain.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
    };
    const std::size_t first = plain.find("// X = 1");
    const std::size_t second = plain.find("// X = X + X");
    const std::map<std::string, int> wanted = {
        {R"(#line 4 "a \"b\\.heddle")", count_lines(first, second)},
        {R"(#line 6 "a \"b\\.heddle")", count_lines(second, plain.rfind('}'))}};
    EXPECT_EQ(lines, wanted) << lined;
  }
}

TEST(KernelSource, ReducesThroughOneElementOfSharedMemoryForEachWarp) {
  const std::string row = source_of(
                              "kernel f(X: f32[M,4096], Y: f32[M]) launch cta M, threads 256 {\n"
                              "  reduce(Y[bx], X[bx], op=\"sum\", axis=0)\n}")
                              .value();
  EXPECT_EQ(lines_with(row, "exchange_f32"),
            "  __shared__ __align__(16) float exchange_f32[8];\n"
            "    exchange_f32[tx >> 5] = sum;\n"
            "      sum = (sum + exchange_f32[i0]);\n");
  EXPECT_EQ(lines_with(row, "(tx & 31) == 0"), "  if ((tx & 31) == 0) {\n");
  // Two warps have each of eight rows at a time.
  const std::string rows =
      source_of(
          "kernel f(X: f32[M,64,64], Y: f32[M,64]) launch cta M, threads 512 {\n"
          "  reduce(Y[bx], X[bx], op=\"max\", axis=1)\n}")
          .value();
  EXPECT_EQ(lines_with(rows, "exchange_f32"),
            "  __shared__ __align__(16) float exchange_f32[128];\n"
            "      exchange_f32[(i0 << 4) + (tx >> 5)] = max_1[i0];\n"
            "        max_1[i0] = fmaxf(max_1[i0], exchange_f32[(i0 << 4) + i1 + ((tx >> 6) << "
            "1)]);\n");
}

/// The part of the text that a refusal is about.
std::string refused_part(const std::string& text, Target target) {
  const auto source = source_of(text, target);
  if (source) return "not refused";
  const auto span = source.error().span();
  return span ? text.substr(span->begin, span->end - span->begin) : "no place";
}

TEST(KernelSource, NamesOfOtherThingsAreRefusedWhereTheyStand) {
  for (const Target target : {Target::kCuda, Target::kOpenCl, Target::kCpu}) {
    const auto part = [&](const std::string& text) { return refused_part(text, target); };
    EXPECT_EQ(part("kernel float(X: f32[4]) launch cta 1, threads 1 { X[0] = 1 }"), "float");
    EXPECT_EQ(part("kernel f(X: f32[9999999999,9999999999]) launch cta 1, threads 1 { X[0,0] = 1 "
                   "}"),
              "X: f32[9999999999,9999999999]");
    EXPECT_EQ(part("kernel f(X: f32[4]) launch cta 1, threads 1 { let int = 1; X[0] = 1 }"),
              "not refused");
  }
  EXPECT_EQ(
      refused_part("kernel f(X: f32[N-1]) launch cta N, threads 1 { X[0] = 1 }", Target::kCuda),
      "X: f32[N-1]");
}

std::size_t times_of(std::string_view what, const std::string& text) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
    ++count;
  }
  return count;
}

TEST(KernelSource, ComputesUnderAConditionWhatIsStoredUnderIt) {
  const auto source = [](std::string_view body) {
    return source_of(
               "kernel f(X: f32[N], Y: f32[N]) assume N % 4 == 0 launch cta N, threads 32 {\n" +
               std::string(body) + "\n}")
        .value();
  };
  const std::string stored =
      source("reg a: f32[128]; copy(a, X[128*bx : +128]); a = 2*a; copy(Y[128*bx : +128], a)");
  EXPECT_EQ(times_of("if (", stored), 1U) << stored;
  EXPECT_EQ(times_of("} else {", stored), 0U) << stored;
  // What is read after the guard, and what other threads take part in, is computed by all.
  const std::string twice = source(
      "reg a: f32[128]; copy(a, X[128*bx : +128]); copy(Y[128*bx : +128], a)\n"
      "reg s: f32[]; reduce(s, a, op=\"sum\", axis=0); Y[bx] = s");
  EXPECT_EQ(times_of("} else {", twice), 1U) << twice;
  EXPECT_LT(twice.find("__shfl_xor_sync"), twice.find("if (tx")) << twice;
}

// In `a && shuffle`, lanes that have decided would leave out the shuffle.
TEST(KernelSource, LanesReachEveryShuffle) {
  for (const std::string op : {"any", "all"}) {
    for (const std::string type : {"f32", "i32", "bool"}) {
      const std::string text = "kernel f(X: " + type + "[128], Y: " + type +
                               "[1]) launch cta 1, threads 128 {\n  reduce(Y[0], X, op=\"" + op +
                               "\", axis=0)\n}";
      const std::string source = source_of(text).value();
      EXPECT_EQ(times_of("__shfl_xor_sync", source), 5U) << source;
      EXPECT_EQ(times_of("&& __shfl", source) + times_of("|| __shfl", source), 0U) << source;
      EXPECT_EQ(times_of(op == "any" ? "| (__shfl" : "& (__shfl", source), 5U) << source;
    }
  }
}

/// Each tensor as what the kernel does with it, also within a product of tiles and a sum of
/// threads.
TEST(KernelSource, SaysWhatAFunctionOfCpusDoesWithItsTensors) {
  struct Case {
    std::string_view parameters;
    std::string_view body;
    std::vector<std::string_view> lines;
  };
  for (const Case& one :
       {Case{"X: f32[4], Y: f32[4]", "Y[:] = X[:]", {"X: f32[4]: read\n", "Y: f32[4]: written\n"}},
        Case{"X: f32[4], Y: f32[4]",
             "X[:] = X[:] + Y[:]",
             {"X: f32[4]: read and written\n", "Y: f32[4]: read\n"}},
        Case{"X: f32[4], Y: f32[1]",
             "atomic_add(Y[0 : +1], X[0 : +1])",
             {"X: f32[4]: read\n", "Y: f32[1]: read and written\n"}},
        Case{"C: f32[64,64], A: f32[64,64], B: f32[64,64]",
             "gemm(C, A, B)",
             {"A: f32[64,64]: read\n", "B: f32[64,64]: read\n",
              "C: f32[64,64]: read and written\n"}},
        Case{"C: f32[64,64], A: f32[64,64], B: f32[64,64]",
             "gemm(C, A, B, accum=false)",
             {"C: f32[64,64]: written\n"}}}) {
    const auto program = lowered("kernel f(" + std::string(one.parameters) +
                                     ") launch cta 1, threads 32 { " + std::string(one.body) + " }",
                                 Target::kCpu);
    ASSERT_TRUE(program) << program.error();
    const auto header = to_header(*program, Target::kCpu);
    ASSERT_TRUE(header) << header.error();
    for (const std::string_view line : one.lines)
      EXPECT_NE(header->find(line), std::string::npos) << line << *header;
  }
}

TEST(KernelTexts, NameAKernelBesideOneThatIsRefused) {
  const std::string text =
      "kernel wrong(X: f32[N]) launch cta 1, threads 32 { copy(X, Missing) }\n"
      "kernel right(X: f32[N]) launch cta 1, threads 32 { fill(X, 0) }\n";
  EXPECT_EQ(notation::parse_kernel(text, "right").value().name, "right");
  EXPECT_EQ(notation::parse_kernel(text, "wrong").error().code(), "kernel.name");
  EXPECT_EQ(refusal(notation::parse_kernel(text, "other")),
            "error kernel.unknown: there is no kernel 'other'\n"
            "  hint: its kernels are wrong, right");
  EXPECT_EQ(refusal(notation::parse_kernel(text.substr(text.find("kernel right")), "other")),
            "error kernel.unknown: there is no kernel 'other'\n"
            "  hint: its only kernel is right");
}

}  // namespace
}  // namespace heddle::kernel
