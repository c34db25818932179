// What CUDA, OpenCL, Triton, TileLang, C and Python write otherwise: the hint says what is typed
// here.

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "heddle/notation/kernel.h"

namespace heddle::notation {
namespace {

/// The refusal of a program: its code, message and hint.
std::string message_of(std::string_view text) {
  const auto kernels = parse_kernels(text);
  if (kernels) return "not refused";
  const Diagnostic& error = kernels.error();
  std::string shown = error.code() + ": " + error.message();
  if (!error.hint().empty()) shown += "\n  hint: " + error.hint();
  return shown;
}

/// The refusal of statements in a kernel.
std::string refused(std::string_view statements) {
  return message_of(
      "kernel f(A: f32[M,K], B: f32[K,N], C: f32[M,N], X: f32[N], Y: f32[N], I: i32[M], eps: f32)\n"
      "  launch cta M, threads 128 {\n" +
      std::string(statements) + "\n}");
}

struct Case {
  std::string_view typed;
  std::string_view answer;
};

constexpr Case kValues[] = {
    {"Y = X ** 2",
     "syntax.unexpected: there is '*' where an expression is expected\n"
     "  hint: x*x is the square of x; for any exponent exp2(y*log2(x))"},
    {"Y = X < 0 ? X : 0",
     "syntax.unexpected: there is '?' where an operator or the end of the statement is expected\n"
     "  hint: a if c else b"},
    {"Y = X if X < 0 ? 1 : 2",
     "syntax.unexpected: there is '?' where 'else' is expected\n"
     "  hint: a if c else b"},
    {"Y = silu(X)",
     "kernel.function: unknown function of elements 'silu'\n"
     "  hint: x / (1.0 + exp(-x)), or as a macro def silu(x) { x = x / (1.0 + exp(-x)) }"},
    {"Y = pow(X, 2)",
     "kernel.function: unknown function of elements 'pow'\n"
     "  hint: x*x; for any exponent exp2(y*log2(x))"},
    {"Y = X & Y",
     "kernel.function: unknown function of elements 'bit_and'\n"
     "  hint: a and b; bit_and(a, b) is a & b of integers; elements have no bits"},
    {"Y = X @ Y",
     "kernel.value: 'X @ Y' has no elements\n"
     "  hint: gemm(acc, A, B) adds A @ B to acc"},
    {"Y = X[0:1] @ Y[0:1]",
     "kernel.view: 'X[0:1] @ Y[0:1]' is not a tensor or a view of one\n"
     "  hint: gemm(acc, A, B) adds A @ B to acc"},
    {"Y = sin(X)",
     "kernel.function: unknown function of elements 'sin'\n"
     "  hint: pass a table of its values: C: f32[N], read as C[i]"},
    {"Y = max(X)",
     "kernel.function: max takes 2 operands, without names\n"
     "  hint: reduce(m, X, op=\"max\", axis=0)"},
    {"Y = (f32)X",
     "syntax.unexpected: there is 'X' where an operator or the end of the statement is expected\n"
     "  hint: the type is f32: reg x: f32[] declares one, X: f32[N] a parameter, f32(x) converts"},
    {"Y = X[0:N:2]",
     "syntax.unexpected: ':' and ':' cannot follow one another\n"
     "  hint: ranges have no step: X.reshape(N // 2, 2)[:, 0] is every second element of X"},
    {"Y = A[0, ...]",
     "syntax.unexpected: there is '.' where an expression is expected\n"
     "  hint: X[i] has all further dimensions; : is a whole one"},
    {"reg r: f32[] = 0",
     "layout.extent: the extent 0 in the shape 0 is not positive\n"
     "  hint: leave `= 0` out, then fill(r, 0)"},
    {"reg r: f32[] = 0.5",
     "syntax.number: a number here is an integer\n"
     "  hint: leave `= 0.5` out, then fill(r, 0.5)"},
    {"Y[] = X",
     "syntax.unexpected: there is ']' where an index is expected\n"
     "  hint: Y, without brackets"},
    {"var n = 0",
     "syntax.unexpected: 'var' is not a statement\n"
     "  hint: let n = 128*bx names an integer; reg x: f32[], then x = …, holds a value"},
    {"for i in 0..4 { Y[i] = X[i] }",
     "syntax.unexpected: there is '.' where the name of a method is expected\n"
     "  hint: for k in range(0, N, 32) { … }"},
    {"wait()",
     "kernel.option: wait needs option 'group', a name in quotes\n"
     "  hint: group=\"g\""},
    {"Y[-1] = X[0]",
     "kernel.index: Y[-1] has the index -1 along axis 0, outside of its N elements\n"
     "  hint: indices count from 0, and the last one is N-1"},
    {"shared s: f32[8]; s[8] = X[0]",
     "kernel.index: s[8] has the index 8 along axis 0, outside of its 8 elements\n"
     "  hint: indices count from 0, and the last one is 7"},
    {"Y[-4 : -1] = X[0 : +3]",
     "kernel.index: Y[-4 : +3] has the elements from -4 up to -1 along axis 0, outside of its N "
     "elements\n"
     "  hint: indices count from 0, and the last one is N-1"},
    {"Y = expf(X)",
     "kernel.function: unknown function of elements 'expf'\n"
     "  hint: exp(x)"},
    {"Y = fmaxf(X, Y)",
     "kernel.function: unknown function of elements 'fmaxf'\n"
     "  hint: max(x, y)"},
    {"Y = tl.exp(X)",
     "kernel.function: 'tl.exp' is not a function of elements\n"
     "  hint: exp(x)"},
    {"Y = 0.5f * X",
     "syntax.unexpected: there is 'f' where an operator or the end of the statement is expected\n"
     "  hint: numbers have no suffix: 0.5"},
    {"Y = 1. * X",
     "syntax.unexpected: there is '*' where the name of a method is expected\n"
     "  hint: a point has digits on both sides: 1.0, 0.5"},
    {"Y = .5 * X",
     "syntax.unexpected: there is '.' where an expression is expected\n"
     "  hint: a point has digits on both sides: 1.0, 0.5"},
    {"Y = float(X)",
     "kernel.function: unknown function of elements 'float'\n"
     "  hint: the type is f32: reg x: f32[] declares one, X: f32[N] a parameter, f32(x) converts"},
    {"Y = (float)X",
     "syntax.unexpected: there is 'X' where an operator or the end of the statement is expected\n"
     "  hint: the type is f32: reg x: f32[] declares one, X: f32[N] a parameter, f32(x) converts"},
    {"Y = X.to(tl.float16)",
     "kernel.view: a view has no method 'to' with 1 argument\n"
     "  hint: f16(x) converts x; cast(D, S) converts what it copies"},
    {"Y = INFINITY",
     "kernel.name: unknown name 'INFINITY' here\n"
     "  hint: inf"},
    {"Y = -float('inf')",
     "kernel.function: unknown function of elements 'float'\n"
     "  hint: inf"},
    {"Y = X ^ 2",
     "kernel.function: unknown function of elements 'bit_xor'\n"
     "  hint: bit_xor(a, b) is a ^ b of integers; elements have no bits"},
    {"Y = X << 2",
     "kernel.function: unknown function of elements 'shift_left'\n"
     "  hint: 4*x for x << 2"},
    {"Y = ~X",
     "syntax.unexpected: '~' begins nothing that is known here\n"
     "  hint: not a"},
    {"Y = X || Y",
     "syntax.unexpected: there is '|' where an operator or the end of the statement is expected\n"
     "  hint: a or b"},
    {"if (X[0] < 1 && X[1] < 2) { }",
     "syntax.unexpected: there is '&' where ',' or the end of '(' is expected\n"
     "  hint: a and b"},
    {"if (!X[0]) { }",
     "syntax.unexpected: '!' begins nothing that is known here\n"
     "  hint: not a"},
    {"Y = tl.where(X < 0, X, Y)",
     "kernel.function: 'tl.where' is not a function of elements\n"
     "  hint: a if c else b"},
};

TEST(KernelForeign, Values) {
  for (const auto& [typed, answer] : kValues) EXPECT_EQ(refused(typed), answer) << typed;
}

constexpr Case kIndices[] = {
    {"Y[threadIdx.x] = 0",
     "kernel.name: unknown name 'threadIdx' here\n"
     "  hint: bx, by and bz are the indices of blocks; tx, laneid and warpid those of threads, "
     "within thread { … }"},
    {"Y[blockIdx.x] = 0",
     "kernel.name: unknown name 'blockIdx' here\n"
     "  hint: bx, by and bz are the indices of blocks; tx, laneid and warpid those of threads, "
     "within thread { … }"},
    {"Y[tl.program_id(0)] = 0",
     "kernel.integer: 'tl.program_id(0)' is not an integer, and an integer is needed\n"
     "  hint: bx, by and bz are the indices of blocks; tx, laneid and warpid those of threads, "
     "within thread { … }"},
    {"Y[128*bx : 128] = 0",
     "kernel.shape: Y[128*bx : +-128*bx+128] has the shape (-128*bx+128), with an extent that is "
     "not known to be at least 1\n"
     "  hint: did you mean 128*bx : +128?"},
    {"reg y: f32[M / 2]",
     "kernel.integer: 'M / 2' is not an integer, and an integer is needed\n"
     "  hint: M // 2 is the quotient rounded down"},
    {"Y[8:] = 0",
     "syntax.unexpected: there is ']' where an expression is expected\n"
     "  hint: 0:8 is 0 up to 7, and so is 0 : +8"},
};

TEST(KernelForeign, Indices) {
  for (const auto& [typed, answer] : kIndices) EXPECT_EQ(refused(typed), answer) << typed;
}

constexpr Case kOperators[] = {
    {"__syncthreads()",
     "kernel.operator: there is no operator or macro '__syncthreads'\n"
     "  hint: leave it out: barriers are put in where threads need what others wrote"},
    {"Y = tl.load(X)",
     "kernel.function: 'tl.load' is not a function of elements\n"
     "  hint: X[128*bx : +128] is a view of 128 elements: copy(x, X[128*bx : +128]) reads it, and "
     "Y[128*bx : +128] = x writes one"},
    {"tl.store(Y, X)",
     "syntax.unexpected: 'tl.store(Y, X)' is not a statement\n"
     "  hint: X[128*bx : +128] is a view of 128 elements: copy(x, X[128*bx : +128]) reads it, and "
     "Y[128*bx : +128] = x writes one"},
    {"cute.copy(Y, X)",
     "syntax.unexpected: 'cute.copy(Y, X)' is not a statement\n"
     "  hint: copy is written without the module cute"},
    {"atomicAdd(&Y[0], eps)",
     "syntax.unexpected: there is '&' where an expression is expected\n"
     "  hint: views are passed as they are: X[0:1]"},
    {"Y = sum(X, axis=0)",
     "kernel.function: unknown function of elements 'sum'\n"
     "  hint: reg s: f32[], then reduce(s, x, op=\"sum\", axis=0)"},
    {"Y = X @ X",
     "kernel.value: 'X @ X' has no elements\n"
     "  hint: gemm(acc, A, B) adds A @ B to acc"},
    {"gemm(C, A, A)",
     "kernel.shape: gemm: C (M,N), A (M,K), A (M,K); C (M,N), A (M,K) and B (K,N) are needed"},
    {"gemm(C.T, B, A)",
     "kernel.shape: gemm: C.T (N,M), B (K,N), A (M,K); C (M,N), A (M,K) and B (K,N) are needed\n"
     "  hint: gemm(C.T, B.T, A.T)"},
    {"gemm(C, A, B.T)",
     "kernel.shape: gemm: C (M,N), A (M,K), B.T (N,K); C (M,N), A (M,K) and B (K,N) are needed\n"
     "  hint: gemm(C, A, B)"},
};

TEST(KernelForeign, Operators) {
  for (const auto& [typed, answer] : kOperators) EXPECT_EQ(refused(typed), answer) << typed;
}

constexpr Case kDeclarations[] = {
    {"let r = rsqrt(X[0:1] / 8.0)",
     "kernel.integer: let is for integers, and 'rsqrt(X[0:1] / 8.0)' is computed element by "
     "element\n"
     "  hint: reg r: f32[], then r = rsqrt(X[0:1] / 8.0)"},
    {"let n = I",
     "kernel.type: let reads one integer, and I has the type i32 and the shape (M)\n"
     "  hint: let n = I[0]"},
    {"let r = eps",
     "kernel.type: let reads one integer, and eps has the type f32 and the shape ()\n"
     "  hint: reg r: f32[], then r = eps"},
    {"float x = 0",
     "syntax.unexpected: 'float' is not a statement\n"
     "  hint: the type is f32: reg x: f32[] declares one, X: f32[N] a parameter, f32(x) converts"},
    {"int i = 3",
     "syntax.unexpected: 'int' is not a statement\n"
     "  hint: the type is i32: reg x: i32[] declares one, X: i32[N] a parameter, i32(x) converts"},
    {"const float a = 1",
     "syntax.unexpected: 'const' is not a statement\n"
     "  hint: let n = 128*bx names an integer; reg x: f32[], then x = …, holds a value"},
    {"shared float s[32]",
     "syntax.unexpected: there is 's' where ':' and the type of the elements is expected\n"
     "  hint: the type is f32: reg x: f32[] declares one, X: f32[N] a parameter, f32(x) converts"},
    {"__shared__ float s[32]",
     "syntax.unexpected: '__shared__' is not a statement\n"
     "  hint: shared s: f32[32,32]"},
    {"reg acc = X",
     "syntax.unexpected: there is '=' where ':' and the type of the elements is expected\n"
     "  hint: reg x: f32[64]"},
    {"s: f32[3]",
     "syntax.unexpected: 's: f32[3]' is not a statement\n"
     "  hint: reg s: f32[3], or shared s: f32[3]"},
};

TEST(KernelForeign, Declarations) {
  for (const auto& [typed, answer] : kDeclarations) EXPECT_EQ(refused(typed), answer) << typed;
}

constexpr Case kStatements[] = {
    {"for (int i = 0; i < 4; ++i) { }",
     "syntax.unexpected: there is '(' where the name of a counter is expected\n"
     "  hint: for k in range(0, N, 32) { … }"},
    {"for k 4 { }",
     "syntax.unexpected: there is '4' where 'in' is expected\n"
     "  hint: for k in range(0, N, 32) { … }"},
    {"if X[0] < 1 Y = X",
     "syntax.unexpected: there is 'Y' where '{' and statements is expected\n"
     "  hint: statements are in braces: { x = 1 }"},
    {"Y += X",
     "syntax.unexpected: there is '=' where an expression is expected\n"
     "  hint: x = x + y"},
    {"i++",
     "syntax.unexpected: the line ends where an expression is expected\n"
     "  hint: x = x + 1"},
    {"// comment",
     "syntax.unexpected: there is '//' where an expression is expected\n"
     "  hint: a comment begins with #"},
    {"return Y",
     "syntax.unexpected: 'return' is not a statement\n"
     "  hint: results are written to parameters, Y[bx] = x; `if` leaves statements out"},
    {"elif",
     "syntax.unexpected: 'elif' is not a statement\n"
     "  hint: else if c { … }"},
    {"pipeline k in 4 { }",
     "syntax.unexpected: there is '{' where ', stages' and their number is expected\n"
     "  hint: pipeline k in K // 32, stages 3 { load { … } compute { … } }"},
    {"def twice(x) { x = 2*x }\nY = twice(X)",
     "kernel.macro: 'twice' is a macro, and has no value\n"
     "  hint: call it as a statement: its operands are what it reads and writes"},
};

TEST(KernelForeign, Statements) {
  for (const auto& [typed, answer] : kStatements) EXPECT_EQ(refused(typed), answer) << typed;
}

constexpr Case kHeads[] = {
    {"kernel f(X: f32[N]) launch grid N, threads 32 { X[bx] = 0 }",
     "syntax.unexpected: there is 'grid' where 'cta' is expected\n"
     "  hint: launch cta (N + 127) // 128, threads 128"},
    {"kernel f(X: f32[N]) launch cta N / 128, threads 32 { X[bx] = 0 }",
     "kernel.integer: 'N / 128' is not an integer, and an integer is needed\n"
     "  hint: N // 128 is the quotient rounded down"},
    {"kernel f(X: f32[N]) launch cta N threads 32 { X[bx] = 0 }",
     "syntax.unexpected: there is 'threads' where ', threads COUNT' is expected\n"
     "  hint: launch cta (N + 127) // 128, threads 128"},
    {"kernel f(float* X, int N) launch cta 1, threads 32 { }",
     "syntax.unexpected: there is '*' where ':' and the type of the elements is expected\n"
     "  hint: the type is f32: reg x: f32[] declares one, X: f32[N] a parameter, f32(x) converts"},
    {"kernel f(X) launch cta 1, threads 32 { }",
     "syntax.unexpected: there is ')' where ':' and the type of the elements is expected\n"
     "  hint: X: f32[N]"},
    {"__global__ void f(float* X) { }",
     "syntax.unexpected: there is 'void' where an operator or the end of the statement is "
     "expected\n"
     "  hint: kernel NAME(X: f32[N], Y: f32[N]) launch cta (N + 127) // 128, threads 128 { … }"},
    {"@triton.jit\ndef f(X):\n  pass",
     "syntax.unexpected: there is '@' where an expression is expected\n"
     "  hint: kernel NAME(X: f32[N], Y: f32[N]) launch cta (N + 127) // 128, threads 128 { … }"},
    {"kernel f(X: f32[N]) -> f32 launch cta N, threads 32 { }",
     "syntax.unexpected: there is '->' where 'launch cta GRID, threads COUNT' is expected\n"
     "  hint: results are written to parameters: kernel NAME(X: f32[N], Y: f32[N])"},
};

TEST(KernelForeign, Heads) {
  for (const auto& [typed, answer] : kHeads) EXPECT_EQ(message_of(typed), answer) << typed;
}

// What is called as another language calls a function is the kernel's own where it has it.
TEST(KernelForeign, NamesOfItsOwnKeepTheirMeaning) {
  EXPECT_EQ(message_of("def silu(x) { x = x / (1.0 + exp(-x)) }\n"
                       "kernel f(sum: f32[N], half: f32[N]) launch cta N, threads 32 {\n"
                       "  silu(sum)\n  half = sum\n}"),
            "not refused");
  EXPECT_EQ(message_of("kernel f(sum: i32[N], Y: f32[N]) launch cta N, threads 32 {\n"
                       "  Y[sum[bx]] = 0\n}"),
            "kernel.integer: 'sum[bx]' is an element of a tensor, and an integer is needed\n"
            "  hint: let n = sum[bx] reads it before");
}

TEST(KernelForeign, ReductionsAreSumsAlongTheFirstAxisUnlessTheySayOtherwise) {
  const auto kernels = parse_kernels(
      "kernel f(X: f32[N], Y: f32[N], s: f32[1]) launch cta 1, threads 32 {\n"
      "  reg t: f32[]; reduce(t, X); s[0] = t; scan(Y, X) }\n"
      "kernel g(X: f32[N], Y: f32[N], s: f32[1]) launch cta 1, threads 32 {\n"
      "  reg t: f32[]; reduce(t, X, op=\"sum\", axis=0); s[0] = t; scan(Y, X, op=\"sum\", axis=0) "
      "}");
  ASSERT_TRUE(kernels) << kernels.error();
  EXPECT_EQ(kernels->at(0).body, kernels->at(1).body);
  EXPECT_EQ(refused("reg t: f32[]; reduce(t, A)").substr(0, 12), "kernel.shape");
}

TEST(KernelForeign, NamesAndLaunchesOfOthers) {
  EXPECT_EQ(
      message_of("kernel f(X: f32[N], Y: f32[N-3]) launch cta 1, threads 32 { Y = X[3 : N] }"),
      "kernel.shape: Y: f32[N-3] has the extent N-3, which is not known to be at least 1\n"
      "  hint: assume N>=4 before the launch");
  EXPECT_EQ(message_of("kernel gemm(X: f32[N]) launch cta 1, threads 32 { fill(X, 0) }"),
            "kernel.name_taken: 'gemm' has a meaning here already\n"
            "  hint: choose another name, such as my_gemm");
  EXPECT_EQ(message_of("kernel f(X: f32[N]) launch cta 1, threads (32, 4) { fill(X, 0) }"),
            "kernel.integer: '(32, 4)' is not an integer, and an integer is needed\n"
            "  hint: threads is their number, 128 for (32,4); tx counts from 0 to 127");
}

}  // namespace
}  // namespace heddle::notation
