// Instructions as data: which are none, where one is taken, and why it is not.

#include "heddle/kernel/instruction.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "heddle/kernel/builder.h"
#include "heddle/kernel/lower.h"
#include "heddle/kernel/schedule.h"
#include "heddle/kernel/source.h"
#include "heddle/notation/kernel.h"
#include "lowered.h"
#include "support/refusal.h"

namespace heddle::kernel {
namespace {

using test::refusal;

constexpr std::string_view kStreaming =
    "instruction load_streaming(D: f32[4] reg, S: f32[4] global) for copy\n"
    "  aligned 16\n"
    "  cuda \"*(float4*){D} = __ldcs((const float4*){S});\"\n";

/// A copy of 512 floats to registers, with what stands in front of the kernel.
std::string text_of(std::string_view in_front, std::string_view copy,
                    std::string_view parameters = "X: f32[N], H: f16[512]") {
  return std::string(in_front) + "kernel f(" + std::string(parameters) +
         ") assume N % 4 == 0 launch cta 1, threads 128 {\n  reg x: f32[512]\n  reg h: f16[512]\n" +
         "  shared s: f32[512]\n  " + std::string(copy) + "\n}\n";
}

/// How the last statement is done, without the names of the others; the refusal if there is one.
std::string explained(std::string_view text, Target target = Target::kCuda) {
  const auto program = lowered(text, target);
  if (!program) return program.error().code() + ": " + program.error().message();
  std::string lines;
  for (const Candidate& each : program->choices.back().candidates) {
    lines += each.reason.empty() ? each.schedule + "\n"
                                 : "not " + each.schedule + ": " + each.reason + "\n";
  }
  return lines;
}

TEST(KernelInstruction, IsTakenBeforeTheVectorOfItsWidth) {
  EXPECT_EQ(explained(text_of(kStreaming, "copy(x, X[0 : +512])")), "load_streaming\n");
  EXPECT_EQ(explained(text_of(kStreaming, "copy(x, X[0 : +512]) using load_streaming")),
            "load_streaming\n");
  EXPECT_EQ(explained(text_of(kStreaming, "copy(x, X[0 : +512]) using vector")),
            "vector of 128 bits\n"
            "not load_streaming: `using vector` is forced\n");
}

TEST(KernelInstruction, IsDoneByWhatItMeansWhereATargetHasNoText) {
  EXPECT_EQ(explained(text_of(kStreaming, "copy(x, X[0 : +512])"), Target::kOpenCl),
            "vector of 128 bits\n"
            "not load_streaming: it has no text for the target\n");
  const std::string forced = text_of(kStreaming, "copy(x, X[0 : +512]) using load_streaming");
  EXPECT_EQ(explained(forced, Target::kOpenCl),
            "load_streaming, by its meaning: it has no text for the target\n");
  const std::string source = to_source(*lowered(forced, Target::kOpenCl), Target::kOpenCl).value();
  EXPECT_NE(source.find("*(float4*)&x["), std::string::npos) << source;
}

TEST(KernelInstruction, IsAFunctionOfItsText) {
  const std::string text = text_of(kStreaming, "copy(x, X[0 : +512])");
  const std::string source = to_source(*lowered(text), Target::kCuda).value();
  EXPECT_NE(
      source.find("static __device__ __forceinline__ void apply_load_streaming(float* D, const "
                  "float* S) {\n"
                  "#ifdef __CUDACC__\n"
                  "  *(float4*)D = __ldcs((const float4*)S);\n"
                  "#else\n"
                  "  D[0] = S[0];\n  D[1] = S[1];\n  D[2] = S[2];\n  D[3] = S[3];\n"
                  "#endif\n}\n"),
      std::string::npos)
      << source;
  EXPECT_NE(source.find("apply_load_streaming(&x[0], &X[tx << 2]);"), std::string::npos) << source;
}

TEST(KernelInstruction, IsRefusedWhereItDoesNotHold) {
  const auto forced = [](std::string_view copy, std::string_view instruction = kStreaming,
                         std::string_view parameters = "X: f32[N], H: f16[512]") {
    return explained(text_of(instruction, copy, parameters));
  };
  EXPECT_EQ(forced("copy(x, X[1 : +512]) using load_streaming"),
            "kernel.schedule: copy(x, X[1 : +512]) using load_streaming cannot be done by "
            "load_streaming: X[1 : +512]: the address 4*tx+1 is not known to be a multiple of 4");
  EXPECT_EQ(forced("copy(x, X[0 : +512]) using load_streaming", kStreaming,
                   "X: f32[N] = (N):(2), H: f16[512]"),
            "kernel.schedule: copy(x, X[0 : +512]) using load_streaming cannot be done by "
            "load_streaming: X[0 : +512]: 4 elements are not known to be contiguous");
  EXPECT_EQ(forced("copy(h, H) using load_streaming"),
            "kernel.schedule: copy(h, H) using load_streaming cannot be done by load_streaming: D: "
            "f32[4] reg does not take f16 in reg, which is what h is");
  EXPECT_EQ(forced("copy(s, X[0 : +512]) using load_streaming"),
            "kernel.schedule: copy(s, X[0 : +512]) using load_streaming cannot be done by "
            "load_streaming: D: f32[4] reg does not take f32 in shared, which is what s is");
  EXPECT_EQ(forced("fill(x, 0) using load_streaming"),
            "kernel.schedule: fill has no schedule 'load_streaming'; it has vector, element");
  EXPECT_EQ(forced("copy(x, X[0 : +512]) using load_streming"),
            "kernel.schedule: copy has no schedule 'load_streming'; it has vector, element, "
            "load_streaming");
}

TEST(KernelInstruction, OfAWrongLayoutIsRefused) {
  const auto with_layouts = [](std::string_view to, std::string_view from) {
    const std::string instruction = "instruction load(D: f32[4] reg" + std::string(to) +
                                    ", S: f32[4] global" + std::string(from) + ") for copy\n";
    return explained(text_of(instruction, "copy(x, X[0 : +512]) using load"));
  };
  EXPECT_EQ(with_layouts("", ""), "load, by its meaning: it has no text for the target\n");
  EXPECT_EQ(with_layouts(" = S[4:1@m]", " = S[4:1@m]"),
            "load, by its meaning: it has no text for the target\n");
  EXPECT_EQ(with_layouts("", " = S[4:2@m]"),
            "kernel.schedule: copy(x, X[0 : +512]) using load cannot be done by load: X[0 : +512]: "
            "4 elements are not known to be 2*j after the first");
  EXPECT_EQ(
      with_layouts(" = S[4:2@m]", ""),
      "kernel.schedule: copy(x, X[0 : +512]) using load cannot be done by load: a thread does "
      "not hold (4) elements as the instruction does");
}

TEST(KernelInstruction, OfAWarpLoadsWhatItsLanesHold) {
  constexpr std::string_view kLoad =
      "instruction load(D: b16[8,8] reg = S[(8,4,2):(4@laneid,1@laneid,1@m)],\n"
      "                 S: b16[8,8] shared = S[(8,8):(1@laneid,1@m)]) for copy by warp\n"
      "  aligned 16\n  cuda \"ldmatrix_x1({D}, {S});\"\n";
  const auto kernel = [](std::string_view held) {
    return "kernel f(X: f16[8,8]) launch cta 1, threads 32 {\n  reg x: f16[8,8] = " +
           std::string(held) + "\n  shared s: f16[8,8]\n  copy(s, X)\n  copy(x, s) using load\n}\n";
  };
  const std::string taken =
      explained(std::string(kLoad) + kernel("S[(8,4,2):(4@laneid,1@laneid,1@m)]"));
  EXPECT_EQ(taken.substr(0, 5), "load\n") << taken;
  // The other way round, a lane has a row.
  EXPECT_EQ(explained(std::string(kLoad) + kernel("S[(4,2,8):(1@laneid,1@m,4@laneid)]")),
            "kernel.schedule: copy(x, s) using load cannot be done by load: a thread does not hold "
            "(8,8) elements as the instruction does");
}

/// The refusal of an instruction, built in C++.
std::string refused(const Instruction& instruction) {
  const auto checked = check(instruction);
  return checked ? "" : checked.error().message();
}

TEST(KernelInstruction, ThatIsNoneIsRefused) {
  using namespace build;  // NOLINT: the words of kernels
  const auto with = [](auto change) {
    Instruction made = copy_instruction("move", operand("D", DType::kF32, {4}, Space::kRegister),
                                        operand("S", DType::kF32, {4}, Space::kGlobal), 16, {});
    change(made);
    return refused(made);
  };
  EXPECT_EQ(with([](Instruction&) {}), "");
  EXPECT_EQ(with([](Instruction& made) { made.name = "a b"; }),
            "instruction a b: 'a b' is not a name");
  EXPECT_EQ(with([](Instruction& made) { made.operation = "gemm"; }),
            "instruction move: no schedule applies instructions for gemm");
  EXPECT_EQ(with([](Instruction& made) { made.threads = 4; }),
            "instruction move: it is done by one thread or by a warp of 32, not by 4");
  EXPECT_EQ(with([](Instruction& made) { made.operands.pop_back(); }),
            "instruction move: copy has 2 operands, not 1");
  EXPECT_EQ(with([](Instruction& made) { made.operands[1].shape = {8}; }),
            "instruction move: a copy keeps shape and type, and its operands are D: f32[4] reg and "
            "S: f32[8] global");
  EXPECT_EQ(with([](Instruction& made) { made.operands[1].shape = {0}; }),
            "instruction move: S: f32[0] global has no shape of 1 to 4096 elements");
  EXPECT_EQ(with([](Instruction& made) { made.operands[1].shape = {1 << 20, 1 << 20}; }),
            "instruction move: S: f32[1048576,1048576] global has no shape of 1 to 4096 elements");
  EXPECT_EQ(
      with([](Instruction& made) { made.operands[1].bits = 4; }),
      "instruction move: S: f32[4] global has elements of 4 bits; 8, 16, 32 or 64 are needed");
  EXPECT_EQ(with([](Instruction& made) { made.operands[1].name = "D"; }),
            "instruction move: two operands have the name D");
  EXPECT_EQ(with([](Instruction& made) { made.alignment = 32; }),
            "instruction move: addresses are aligned to 1, 2, 4, 8 or 16 bytes, not to 32");
  EXPECT_EQ(with([](Instruction& made) { made.texts["metal"] = ""; }),
            "instruction move: unknown target 'metal'");
  EXPECT_EQ(with([](Instruction& made) { made.texts["cuda"] = "{E} = 1;"; }),
            "instruction move: its text has the place {E}, and there is no operand 'E'");
  EXPECT_EQ(with([](Instruction& made) { made.texts["cuda"] = "{D[4]} = 1;"; }),
            "instruction move: its text has the place {D[4]}, and a thread has 4 elements of D");
  EXPECT_EQ(with([](Instruction& made) { made.texts["cuda"] = "{D[} = 1;"; }),
            "instruction move: its text has the place {D[}, and a thread has 4 elements of D");
  EXPECT_EQ(with([](Instruction& made) { made.texts["cuda"] = "if (1) { }"; }),
            "instruction move: its text has the place { }, and there is no operand ' '");
  EXPECT_EQ(with([](Instruction& made) { made.texts["cuda"] = "}"; }),
            "instruction move: its text has the brace '}' on its own");
  EXPECT_EQ(with([](Instruction& made) { made.texts["cuda"] = "if (1) {{ {D[3]} = 1; }}"; }), "");
  EXPECT_EQ(
      with([](Instruction& made) {
        made.operands[0].space = {};
        made.texts["cuda"] = "";
      }),
      "instruction move: D: f32[4] has no memory, and the text of an instruction is for one kind");
}

TEST(Instructions, OfFunctionsAreTakenWhereTheyAreProved) {
  const auto why = [](const std::string& statement, const std::string& by = "") {
    const auto program =
        lowered("instruction two(D: f32[2] reg, A: f32[2] reg, B: f32[2] reg) for +" + by +
                "\n  aligned 8\n  cuda \"{D[0]} = {A[0]} + {B[0]};\"\n"
                "kernel k(X: f32[256], N: f32[M]) launch cta 1, threads 64 {\n  reg x: f32[256]\n"
                "  reg y: f32[256]\n  reg z: f32[256] = S[(4,64):(1@m,1@tx)]\n  copy(x, X)\n"
                "  copy(y, X)\n  copy(z, X)\n  " +
                statement + "\n}\n");
    if (!program) return program.error().to_string();
    const Candidate& taken = program->choices.back().candidates.front();
    if (taken.schedule == "two") return std::string("taken, cost ") + std::to_string(*taken.cost);
    for (const Candidate& each : program->choices.back().candidates) {
      if (each.schedule == "two") return each.reason;
    }
    return std::string("not considered");
  };
  EXPECT_EQ(why("x = x + y"), "taken, cost 2");
  EXPECT_EQ(why("x = x + y", " by warp"), "its result is not spread over all lanes of a warp");
  EXPECT_EQ(why("x = x * y"), "not considered");
  EXPECT_EQ(why("x = x + y + y"), "not all operands are views");
  EXPECT_EQ(why("x = x + 2"), "not all operands are views");
  EXPECT_EQ(why("x = x + X"), "B: f32[2] reg does not take f32 in global, which is what X is");
  EXPECT_EQ(why("x = y + z"), "the operands are spread differently over the threads");
  EXPECT_EQ(why("z = z + z"), "a thread does not hold 2 contiguous elements");
  EXPECT_EQ(why("x[0 : +128] = x[0 : +128] + y[0 : +128]"),
            "a part of a tensor in registers is written");
  EXPECT_EQ(why("thread { reg a: f32[8]\n fill(a, 1)\n a[2 : +4] = a[0 : +4] + a[4 : +4] }"),
            "the source is overwritten while it is read");
  EXPECT_EQ(why("thread { reg a: f32[8]\n fill(a, 1)\n reg b: f32[8]\n fill(b, 1)\n a[2 : +2] = "
                "b[0 : +2] + b[4 : +2] }"),
            "taken, cost 1");
  EXPECT_EQ(why("thread { reg a: f32[8]\n fill(a, 1)\n reg b: f32[8]\n fill(b, 1)\n a[1 : +2] = "
                "b[0 : +2] + b[4 : +2] }"),
            "a[1 : +2]: the address 1 is not known to be a multiple of 2");
}

// --- schedules -----------------------------------------------------------------------------------

constexpr std::string_view kInRows =
    "schedule in_rows for copy(D: f32[M,N], S: f32[M,N]) { for i in M { copy(D[i], S[i]) } }\n";

/// The statements that a call stands for.
std::string expansion(std::string_view in_front, std::string_view statements) {
  const std::string text = std::string(in_front) +
                           "kernel f(A: f32[K,64], B: f32[K,64], C: f16[K,64]) assume K % 4 == 0\n"
                           "launch cta 1, threads 32 {\n" +
                           std::string(statements) + "\n}\n";
  const auto program = lowered(text);
  if (!program) return program.error().to_string(text);
  std::string lines;
  for (const Choice& choice : program->choices) lines += choice.statement + "\n";
  return lines;
}

TEST(KernelSchedule, StandsInPlaceOfItsCall) {
  EXPECT_EQ(expansion(kInRows, "copy(B[0 : +4], A[4 : +4]) using in_rows"),
            "copy(B[0 : +4], A[4 : +4]) using in_rows\n"
            "copy(B[0 : +4][i], A[4 : +4][i])\n");
}

TEST(KernelSchedule, ChangesItsNamesWhereTheKernelHasThem) {
  EXPECT_EQ(expansion(kInRows, "for i in K { copy(B[i : +2], A[i : +2]) using in_rows }"),
            "copy(B[i : +2], A[i : +2]) using in_rows\n"
            "copy(B[i : +2][i_1], A[i : +2][i_1])\n");
  constexpr std::string_view kThroughX =
      "schedule through_x for copy(D: f32[N], S: f32[N]) { reg x: f32[N]; copy(x, S); copy(D, x) "
      "}\n";
  EXPECT_EQ(expansion(kThroughX, "reg x: f32[64]; copy(x, A[0]); copy(B[0], x) using through_x"),
            "copy(x, A[0])\n"
            "copy(B[0], x) using through_x\n"
            "copy(x_1, x)\n"
            "copy(B[0], x_1)\n");
}

TEST(KernelSchedule, IsRefusedWhereItDoesNotFit) {
  EXPECT_EQ(expansion(kInRows, "copy(C, C) using in_rows"),
            "error kernel.schedule: schedule in_rows: C and C are of one tensor, of which one is "
            "written\n"
            "  line 4, column 1\n"
            "    copy(C, C) using in_rows\n"
            "    ^^^^^^^^^^^^^^^^^^^^^^^^\n"
            "  hint: its statements may write what others of them read");
  EXPECT_EQ(expansion(kInRows, "copy(B[0], A[0]) using in_rows"),
            "error kernel.schedule: schedule in_rows: B[0] has the type f32 and the shape (64), "
            "and D: f32[M,N] is needed\n"
            "  line 4, column 1\n"
            "    copy(B[0], A[0]) using in_rows\n"
            "    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n"
            "  hint: a schedule is for operands of its types and shapes");
  EXPECT_EQ(
      expansion(kInRows, "copy(B, A, pad=3) using in_rows"),
      "error kernel.schedule: schedule in_rows: it is for copy(), and this is copy(pad=3)\n  line "
      "4, column 1\n    copy(B, A, pad=3) using in_rows\n    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n  "
      "hint: its options come after its parameters, and every call has them");
  EXPECT_EQ(expansion(kInRows, "fill(B, 0) using in_rows"),
            "error kernel.schedule: schedule in_rows: it is for copy, and this is fill\n"
            "  line 4, column 1\n"
            "    fill(B, 0) using in_rows\n"
            "    ^^^^^^^^^^^^^^^^^^^^^^^^");
}

TEST(KernelSchedule, OfABodyThatDoesNotFitIsRefusedInItsText) {
  constexpr std::string_view kTile =
      "schedule through_tile for copy(D: f32[M,N], S: f32[M,N]) {\n"
      "  shared tile: f32[M,N]\n"
      "  copy(tile, S)\n"
      "}\n";
  EXPECT_EQ(
      expansion(kTile, "copy(B, A) using through_tile"),
      "error kernel.dynamic: tile: f32[K,64] has the extent K, which is known at run time "
      "only\n"
      "  line 2, column 3\n"
      "      shared tile: f32[M,N]\n"
      "      ^^^^^^^^^^^^^^^^^^^^^\n"
      "  in copy(B, A) using through_tile\n"
      "  hint: shared tile: f32[128] holds a tile; for k in range(0, K, 128) { … } goes through "
      "them");
}

TEST(KernelSchedule, WithinAScheduleIsRefused) {
  constexpr std::string_view kAgain =
      "schedule again for copy(D: f32[N], S: f32[N]) {\n  copy(D, S) using again\n}\n";
  EXPECT_EQ(
      expansion(kAgain, "copy(B[0], A[0]) using again"),
      "error kernel.schedule: schedule again: copy(B[0], A[0]) using again is in the body of a "
      "schedule\n  line 2, column 3\n      copy(D, S) using again\n      ^^^^^^^^^^^^^^^^^^^^^^\n  "
      "hint: in a schedule, `using` names instructions and schedules of the library");
}

}  // namespace
}  // namespace heddle::kernel
