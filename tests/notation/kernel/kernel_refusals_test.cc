// What texts of kernels are refused for, with their places and what helps.

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "heddle/notation/kernel.h"

namespace heddle::notation {
namespace {

/// The refusal of a program, without the lines that show its place.
std::string why(std::string_view text) {
  const auto kernels = parse_kernels(text);
  if (kernels) return "not refused";
  const Diagnostic& error = kernels.error();
  std::string shown = error.code() + ": " + error.message();
  if (error.span()) {
    const Span span = *error.span();
    shown += " @ " + std::string(text.substr(span.begin, span.end - span.begin));
  }
  for (const std::string& note : error.notes()) shown += "\n  " + note;
  if (!error.hint().empty()) shown += "\n  hint: " + error.hint();
  return shown;
}

/// The refusal of statements in a kernel.
std::string in_body(std::string_view statements) {
  return why("kernel f(A: f32[M,N], x: f32[N], I: i32[M]) launch cta M, threads 128 {\n" +
             std::string(statements) + "\n}");
}

TEST(KernelRefusal, ShowsThePlace) {
  constexpr std::string_view kText =
      "kernel f(A: f32[M]) launch cta M, threads 1 {\n  A[kk] = 0\n}";
  EXPECT_EQ(
      parse_kernels(kText).error().to_string(kText),
      "error kernel.name: unknown name 'kk' here\n  line 2, column 5\n      A[kk] = 0\n        ^^");
}

TEST(KernelRefusal, OfNames) {
  EXPECT_EQ(in_body("xx[0] = 1"),
            "kernel.name: unknown name 'xx' here @ xx\n  hint: did you mean bx or x?");
  EXPECT_EQ(in_body("x[0] = alpho"), "kernel.name: unknown name 'alpho' here @ alpho");
  EXPECT_EQ(in_body("x[tx] = 0"),
            "kernel.scope: 'tx' differs between the threads that do this together @ tx\n"
            "  hint: within thread { … } each thread does it on its own");
  EXPECT_EQ(in_body("reg x: f32"),
            "kernel.name_taken: 'x' has a meaning here already @ x\n  hint: choose another name, "
            "such as my_x");
  EXPECT_EQ(in_body("for M in 4 {}"),
            "kernel.name_taken: 'M' has a meaning here already @ M\n  hint: choose another name, "
            "such as my_M");
  EXPECT_EQ(in_body("reg warp: f32"),
            "syntax.reserved: 'warp' is not a possible name in a kernel @ warp\n  hint: choose "
            "another name");
  EXPECT_EQ(in_body("let o = 3"),
            "syntax.reserved: no integer can be called 'o', which joins layouts @ o\n"
            "  hint: choose another name");
  EXPECT_EQ(why("kernel f() launch cta 1, threads 1 {}\nkernel f() launch cta 1, threads 1 {}"),
            "kernel.name_taken: another kernel is called 'f' @ f\n  hint: choose another name, "
            "such as my_f");
}

TEST(KernelRefusal, OfTypes) {
  EXPECT_EQ(in_body("reg s: f31"),
            "kernel.dtype: unknown type 'f31' @ f31\n  hint: did you mean f32?");
  EXPECT_EQ(in_body("reg s: f32[4] = true"),
            "call.type: a layout is needed, not a truth value @ true");
}

TEST(KernelRefusal, OfIntegers) {
  EXPECT_EQ(in_body("x[I[bx]] = 0"),
            "kernel.integer: 'I[bx]' is an element of a tensor, and an integer is needed @ I[bx]\n"
            "  hint: let n = I[bx] reads it before");
  EXPECT_EQ(in_body("x[0.5] = 0"),
            "kernel.integer: '0.5' is not an integer, and an integer is needed @ 0.5");
  EXPECT_EQ(in_body("reg y: f32[bx / 2]"),
            "kernel.integer: 'bx / 2' is not an integer, and an integer is needed @ bx / 2\n"
            "  hint: bx // 2 is the quotient rounded down");
  EXPECT_EQ(in_body("x[bx // 0] = 0"),
            "arithmetic.zero_divisor: bx // 0 divides by zero @ bx // 0");
  EXPECT_EQ(in_body("shared y: f32[8] = 8:?"),
            "kernel.integer: in a kernel every size has a name, and '?' has none @ 8:?\n"
            "  hint: (M,8):(8,1) has the size M");
  EXPECT_EQ(
      why("L = GroupBy([4,8])\nkernel f(x: f32[M]) launch cta M, threads 1 { x[L(i,bx)] = 0 }"),
      "kernel.name: unknown name 'i' here @ L(i,bx)\n  hint: did you mean L or M or x?");
  EXPECT_EQ(in_body("x = 1e999 * x"),
            "syntax.number: '1e999' is outside of the numbers of f64 @ 1e999\n"
            "  hint: inf is written inf");
  EXPECT_EQ(why("kernel f(A: f32[M]) launch cta 1, threads M {}"),
            "kernel.integer: 'M' is known only when the kernel runs, and a number is needed @ M");
}

TEST(KernelRefusal, OfViews) {
  EXPECT_EQ(in_body("x[8:] = 0"),
            "syntax.unexpected: there is ']' where an expression is expected @ ]\n"
            "  hint: 0:8 is 0 up to 7, and so is 0 : +8");
  EXPECT_EQ(in_body("x[:8] = 0"),
            "syntax.unexpected: a range has a beginning and an end @ :\n"
            "  hint: 0:8 is 0 up to 7, and so is 0 : +8");
  EXPECT_EQ(
      in_body("copy(x, A.transposed())"),
      "kernel.view: a view has no method 'transposed' with 0 arguments @ A.transposed()\n"
      "  hint: views have .T, .permute(1,0), .reshape(8,16), .relayout(LAYOUT) and .bits(u8)");
  EXPECT_EQ(in_body("2*x = 3"), "kernel.view: '2*x' is not a tensor or a view of one @ 2*x");
}

TEST(KernelRefusal, OfValues) {
  EXPECT_EQ(in_body("x = expp(x)"),
            "kernel.function: unknown function of elements 'expp' @ expp\n  hint: did you mean exp "
            "or exp2?");
  EXPECT_EQ(in_body("x = exp(x, 2)"),
            "kernel.function: exp takes 1 operand, without names @ exp(x, 2)");
  EXPECT_EQ(in_body("x = (x, 1)"),
            "kernel.value: '(x, 1)' has no elements @ (x, 1)\n"
            "  hint: values are tensors, numbers and functions of these: exp(x - m)*0.5");
  EXPECT_EQ(in_body("x = x ^ 2"),
            "kernel.function: unknown function of elements 'bit_xor' @ ^\n"
            "  hint: bit_xor(a, b) is a ^ b of integers; elements have no bits");
}

TEST(KernelRefusal, OfStatements) {
  EXPECT_EQ(in_body("x + 1"),
            "syntax.unexpected: 'x + 1' is not a statement @ x + 1\n  hint: statements are calls, "
            "copy(x, A), assignments, x = A, and the like");
  EXPECT_EQ(in_body("for k in 4 x[0] = 1"),
            "syntax.unexpected: there is 'x' where '{' and statements is expected @ x\n"
            "  hint: statements are in braces: { x = 1 }");
  EXPECT_EQ(in_body("for k in range(0, 4, 0) {}"),
            "kernel.loop: the step 0 is not known to be 1 or more @ 0\n"
            "  hint: count up, and subtract in the body: let i = N - 1 - k");
  EXPECT_EQ(in_body("warp[0:4, 1] {}"),
            "kernel.scope: a scope has one range, from its first part to its end @ warp[0:4, 1]\n"
            "  hint: warp[0:4] is the warps 0, 1, 2 and 3");
  EXPECT_EQ(why("kernel f() launch cta 1, threads 1 { if 1 < 2 {"),
            "syntax.unbalanced: '{' is not closed @ {\n  hint: write '}' where it ends");
  EXPECT_EQ(why("kernel f() { }"),
            "syntax.unexpected: there is '{' where 'launch cta GRID, threads COUNT' is expected "
            "@ {\n  hint: launch cta (N + 127) // 128, threads 128");
}

TEST(KernelRefusal, OfCalls) {
  EXPECT_EQ(
      in_body("copi(x, x)"),
      "kernel.operator: there is no operator or macro 'copi' @ copi\n  hint: did you mean copy?");
  EXPECT_EQ(in_body("copy(x, pad=0, x)"),
            "kernel.operands: an operand comes after an option @ x\n  hint: operands come first: "
            "copy(D, S, pad=0)");
  EXPECT_EQ(in_body("copy(x, x, pad=x[0])"),
            "kernel.option: pad is set to 'x[0]', which is computed @ x[0]\n"
            "  hint: options are numbers, true and false, texts in quotes and axes, (0,1)");
  EXPECT_EQ(in_body("copy(x, x, pad=0, pad=1)"), "kernel.option: pad is set twice @ 1");
}

TEST(KernelRefusal, OfMacros) {
  EXPECT_EQ(in_body("def m(a) { m(a) }\nm(x)"),
            "kernel.macro: the macro 'm' is expanded within itself @ m(a)\n  in 'm(a)'\n  in "
            "'m(x)'\n  hint: a macro is not a function: what it repeats is a loop");
  EXPECT_EQ(in_body("def m(a, b) { a = b }\nm(x)"),
            "kernel.macro: the macro 'm' takes 2 operands, without names, and 1 is given @ m(x)\n"
            "  in 'm(x)'");
  EXPECT_EQ(in_body("def m(a) { a[yyy] = 0 }\nm(x)"),
            "kernel.name: unknown name 'yyy' here @ yyy\n  in 'm(x)'");
  EXPECT_EQ(in_body("def copy(a) { }"),
            "kernel.name_taken: 'copy' has a meaning here already @ copy\n"
            "  hint: choose another name, such as my_copy");
  EXPECT_EQ(in_body("def m(a) { fill(a, 0) }\nm(x) using vector"),
            "kernel.macro: m is a macro, and only operators have schedules @ vector\n"
            "  hint: write 'using' at the operators in the macro");
}

/// A macro that calls the one before twice, and so on: 2^levels expansions.
std::string doubling(int levels) {
  std::string text = "def m0(a) { fill(a, 0) }\n";
  for (int level = 1; level <= levels; ++level) {
    const std::string before = "m" + std::to_string(level - 1);
    text += "def m" + std::to_string(level) + "(a) { " + before + "(a); " + before + "(a) }\n";
  }
  return text + "m" + std::to_string(levels) + "(x)";
}

TEST(KernelRefusal, OfWhatGrowsWithoutBound) {
  const std::string grown = in_body(doubling(40));
  EXPECT_EQ(grown.substr(0, grown.find(" @ ")),
            "syntax.too_long: the kernel has more than 262144 parts, its macros expanded");
  EXPECT_EQ(in_body(doubling(3)), "not refused");
  std::string sum = "x = x";
  for (int i = 0; i < 400; ++i) sum += " + x";
  EXPECT_EQ(in_body(sum).substr(0, 61),
            "syntax.too_deep: a value nests more than 256 deep @ x + x + x");
  const auto nested = [](std::string_view open, std::string_view close, std::size_t depth) {
    std::string text;
    for (std::size_t i = 0; i < depth; ++i) text += open;
    text += "x[0] = 1";
    for (std::size_t i = 0; i < depth; ++i) text += close;
    return text;
  };
  EXPECT_EQ(in_body(nested("cta { ", " }", 60)).substr(0, 53),
            "syntax.too_deep: blocks nest more than 48 deep @ cta");
  EXPECT_EQ(in_body(nested("cta { ", " }", 5000)).substr(0, 15), "syntax.too_deep");
  EXPECT_EQ(in_body(nested("if 1 < 2 {} else ", "", 5000)).substr(0, 15), "syntax.too_deep");
}

TEST(KernelRefusal, OfHeads) {
  EXPECT_EQ(why("kernel f() launch cta (1,2,3,4), threads 1 {}"),
            "kernel.launch: the grid has 4 extents; it has one to three @ (1,2,3,4)\n"
            "  hint: launch cta (M // 128, N // 128), threads 128");
  EXPECT_EQ(why("kernel f() launch cta 1, threads 2000 {}"),
            "kernel.launch: a block has 1 to 1024 threads, not 2000 @ 2000");
  EXPECT_EQ(why("kernel f() launch cta 0, threads 1 {}"),
            "kernel.launch: there are no blocks: the grid is (0) @ 0");
  EXPECT_EQ(why("kernel f(A: f32[8] = 4:1) launch cta 1, threads 1 {}"),
            "view.shape: a box (4) of 4 points has no shape (8) of 8 points @ A: f32[8] = 4:1");
  EXPECT_EQ(why("kernel f(A: f32[2,8] = S[(2,4):(1@gpuid,1@m)]) launch cta 1, threads 1 {}"),
            "view.shape: a box (8) of 8 points has no shape (2,8) of 16 points @ "
            "A: f32[2,8] = S[(2,4):(1@gpuid,1@m)]");
  EXPECT_EQ(
      why("kernel f(A: f32[2,8] = S[(2,8):(1@gpuid,1@laneid)]) launch cta 1, threads 1 {}"),
      "kernel.layout: A: f32[2,8] = S[(2,8):(1@gpuid,1@laneid)] is in memory, whose layout has one "
      "axis, of memory, not (gpuid,laneid) @ A: f32[2,8] = S[(2,8):(1@gpuid,1@laneid)]");
  EXPECT_EQ(
      why("kernel f() launch cta 3, cluster 2, threads 1 {}"),
      "kernel.launch: cluster (2): the grid's extent 3 is not known to be a multiple of 2 @ f");
  EXPECT_EQ(why("kernel f() launch cta 2, cluster 2 threads 1 {}").substr(0, 18),
            "syntax.unexpected:");
  EXPECT_EQ(why("kernel f(A: f32[M]) assume M % 8 launch cta 1, threads 1 {}"),
            "assume.syntax: 'M % 8 launch cta 1' assumes nothing: a comparison is needed\n"
            "  hint: assumptions look like M%128==0, K<=M or lane in [0,32)");
}

}  // namespace
}  // namespace heddle::notation
