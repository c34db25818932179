// Instructions and schedules in front of kernels: what is read, printed and refused.

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "heddle/notation/kernel.h"

namespace heddle::notation {
namespace {

constexpr std::string_view kIdle = "kernel f(X: f32[N])\n  launch cta N, threads 32\n{\n}\n";

/// The kernel behind these as it is printed, without itself; it must read as itself.
std::string added(std::string_view text) {
  const std::string whole = std::string(text) + std::string(kIdle);
  const auto read = parse_kernels(whole);
  if (!read) return read.error().to_string(whole);
  const std::string printed = to_string(read->front());
  const auto again = parse_kernels(printed);
  if (!again) return again.error().to_string(printed);
  if (again->front() != read->front()) return "reads as\n" + to_string(again->front());
  return printed.substr(0, printed.find("kernel f("));
}

/// The refusal of what stands in front of a kernel, without the lines that show its place.
std::string why_added(std::string_view text) {
  const std::string whole = std::string(text) + "\n" + std::string(kIdle);
  const auto kernels = parse_kernels(whole);
  if (kernels) return "not refused";
  const Diagnostic& error = kernels.error();
  std::string shown = error.code() + ": " + error.message();
  if (error.span()) {
    shown += " @ " + whole.substr(error.span()->begin, error.span()->end - error.span()->begin);
  }
  if (!error.hint().empty()) shown += "\n  hint: " + error.hint();
  return shown;
}

TEST(KernelAdditions, InstructionsAreReadAsTheyArePrinted) {
  constexpr std::string_view kText =
      "instruction load(D: f32[4] reg, S: f32[4] global) for copy\n"
      "  aligned 16\n"
      "  cuda \"asm(\\\"{{ld}}\\\" : \\\"=f\\\"({D[0]}) : \\\"l\\\"({S}));\"\n"
      "  opencl \"*{D} = *{S};\"\n"
      "instruction load_rows(D: b16[8,8] reg = S[(8,4,2):(4@laneid,1@laneid,1@m)], S: b16[8,8] "
      "shared "
      "= S[(8,8):(1@laneid,1@m)]) for copy by warp\n"
      "  aligned 16\n"
      "instruction anywhere(D: b8[2,2], S: b8[2,2]) for copy\n"
      "  aligned 1\n";
  EXPECT_EQ(added(kText), kText);
  EXPECT_EQ(
      added("four = 4\ninstruction load(\n  D: f32[four] reg,\n  S: f32[2*2] global)\n"
            "for copy aligned 4*four cuda \"\"\n"),
      "instruction load(D: f32[4] reg, S: f32[4] global) for copy\n  aligned 16\n  cuda \"\"\n");
}

TEST(KernelAdditions, SchedulesAreReadAsTheyArePrinted) {
  constexpr std::string_view kText =
      "schedule in_rows for copy(D: f32[M,N], S: f32[M,N]) {\n"
      "  for i in M {\n"
      "    copy(D[i], S[i]) using vector\n"
      "  }\n"
      "}\n"
      "schedule by_warps for reduce(D: f32[M], S: f32[M,64], axis=1, op=\"sum\") {\n"
      "  shared part: f32[64]\n"
      "  warp {\n"
      "    for i in M {\n"
      "      reduce(D[i], S[i], axis=0, op=\"sum\")\n"
      "    }\n"
      "  }\n"
      "  thread {\n"
      "    part[tx%64] = 0\n"
      "  }\n"
      "}\n";
  EXPECT_EQ(added(kText), kText);
}

TEST(KernelAdditions, InstructionsThatAreNoneAreRefused) {
  const auto instruction = [](std::string_view operands, std::string_view clauses = "") {
    return why_added("instruction load(" + std::string(operands) + ") for copy " +
                     std::string(clauses));
  };
  EXPECT_EQ(instruction("D: f32[4] register, S: f32[4] global"),
            "kernel.space: unknown memory 'register' @ register\n  hint: an operand is in reg, "
            "shared or global");
  EXPECT_EQ(instruction("D: f31[4] reg, S: f32[4] global"),
            "kernel.dtype: unknown type 'f31' @ f31\n  hint: did you mean f32?");
  EXPECT_EQ(
      instruction("D: f32[4] reg, S: f16[8] global"),
      "kernel.instruction: instruction load: a copy keeps shape and type, and its operands are "
      "D: f32[4] reg and S: f16[8] global @ load");
  EXPECT_EQ(
      instruction("D: f32[4] reg, S: f32[4] global", "aligned 3"),
      "kernel.instruction: instruction load: addresses are aligned to 1, 2, 4, 8 or 16 bytes, "
      "not to 3 @ load");
  EXPECT_EQ(instruction("D: f32[4] reg, S: f32[4] global", "cuda \"{d}\""),
            "kernel.instruction: instruction load: its text has the place {d}, and there is "
            "no operand 'd' @ cuda \"{d}\"\n"
            "  hint: its operands are D, S; a brace of the text itself is written twice, {{");
  EXPECT_EQ(instruction("D: f32[4] reg, S: f32[4] global", "cuda \"\" cuda \"\""),
            "kernel.instruction: instruction load: it has two texts for cuda @ cuda \"\"");
  EXPECT_EQ(instruction("D: f32[4] reg, S: f32[4] global", "opncl \"\""),
            "kernel.instruction: instruction load: unknown target 'opncl' @ opncl \"\"\n  hint: "
            "did you mean opencl?");
  EXPECT_EQ(instruction("D: f32[4] reg = S[4:1@laneid], S: f32[4] global"),
            "kernel.instruction: instruction load: D: f32[4] reg = S[(4):(1@laneid)]: its layout "
            "does not give each element a lane and m @ load\n  hint: one row of 8 in each of 8 "
            "lanes is S[(8,8):(1@laneid,1@m)]");
  EXPECT_EQ(instruction("D: f32[2,2] reg = S[(2,2):(1@m,1@m)], S: f32[2,2] global"),
            "kernel.instruction: instruction load: two elements of D: f32[2,2] reg = "
            "S[(2,2):(1@m,1@m)] may share a place @ load\n  hint: each digit of a layout steps "
            "over all that the smaller ones count");
  EXPECT_EQ(why_added("instruction copy(D: f32[4], S: f32[4]) for copy"),
            "kernel.name_taken: 'copy' has a meaning here already @ copy\n  hint: choose another "
            "name, such as my_copy");
  EXPECT_EQ(why_added("instruction f(D: f32[4], S: f32[4]) for copy"),
            "kernel.name_taken: 'f' has a meaning here already @ f\n  hint: choose another name, "
            "such as my_f");
  EXPECT_EQ(
      why_added("instruction load(D: f32[4], S: f32[4]) for gemm"),
      "kernel.instruction: instruction load: no schedule applies instructions for gemm @ load\n"
      "  hint: instructions are for copy, or for a function such as + or fma");
  EXPECT_EQ(why_added("instruction load(D: f32[4], A: f32[4]) for fma"),
            "kernel.instruction: instruction load: fma has 3 operands besides its result, and "
            "there are 2 operands @ load");
  EXPECT_EQ(
      why_added("instruction load(D: f32[4], A: f32[4], B: f32[2]) for +"),
      "kernel.instruction: instruction load: the operands of + have one shape, and types: its "
      "result is D: f32[4], and an operand B: f32[2] @ load");
  EXPECT_EQ(why_added("instruction load(D: f32[4], A: b32[4], B: f32[4]) for max"),
            "kernel.instruction: instruction load: the operands of max have one shape, and types: "
            "its result is D: f32[4], and an operand A: b32[4] @ load");
  EXPECT_EQ(why_added("instruction load(D: f32[4], A: f32[4]) for ="),
            "syntax.unexpected: there is '=' where the operator or the function that it computes "
            "is expected @ =");
}

TEST(KernelAdditions, SchedulesThatAreNoneAreRefused) {
  EXPECT_EQ(why_added("schedule vector for copy(D: f32[N], S: f32[N]) { copy(D, S) }"),
            "kernel.name_taken: the library has a schedule 'vector' @ vector\n"
            "  hint: choose another name");
  EXPECT_EQ(why_added("schedule by_rows for copi(D: f32[N], S: f32[N]) { copy(D, S) }"),
            "kernel.schedule: schedule by_rows: unknown operator 'copi' on tensors @ by_rows");
  EXPECT_EQ(why_added("schedule by_rows for copy(D: f32[N]) { fill(D, 0) }"),
            "kernel.schedule: schedule by_rows: copy has 2 operands, not 1 @ by_rows");
  EXPECT_EQ(why_added("schedule by_rows for copy(D: f32[N], S: f32[N]) { copy(S, D) }"),
            "kernel.schedule: schedule by_rows: its body writes S, which copy reads @ by_rows");
  EXPECT_EQ(why_added("schedule by_rows for copy(D: f32[N], S: f32[N]) { copy(D, T) }"),
            "kernel.name: unknown name 'T' here @ T\n  hint: did you mean D or N or S?");
  EXPECT_EQ(why_added("schedule by_rows for copy(D: f32[N], S: f32[N]) { copy(D[bx : +1], S) }"),
            "kernel.name: unknown name 'bx' here @ bx");
  EXPECT_EQ(
      why_added("assume K % 8 == 0\n"
                "schedule by_rows for copy(D: f32[N], S: f32[N]) { copy(D[0 : K], S[0 : K]) }"),
      "kernel.name: there is an assumption about 'K' before the schedule @ by_rows\n"
      "  hint: a schedule has the sizes in the shapes of its parameters");
  EXPECT_EQ(
      why_added("schedule by_rows for copy(D: f32[2*N], S: f32[2*N]) { copy(D, S) }"),
      "kernel.schedule: schedule by_rows: a size in the extent 2*N of D is not known @ by_rows\n"
      "  hint: each size must be the whole extent of some dimension");
}

}  // namespace
}  // namespace heddle::notation
