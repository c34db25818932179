#pragma once

// Kernels in C++: the words of .heddle files as functions that make the values of program.h.
//
//   using namespace heddle::kernel::build;
//   const Int n = size("N");
//   Kernel scale{"scale", {parameter("X", DType::kF32, {n}), parameter("Y", DType::kF32, {n})}};
//   scale.launch = {{ceil_div(n, 1024)}, 128};
//   const Int bx = block_variables(scale.launch)[0];
//   scale.body = {registers("x", DType::kF32, {1024}),
//                 copy(view("x"), slice("X", {range_of(1024 * bx, 1024)})),
//                 assign(slice("Y", {range_of(1024 * bx, 1024)}), literal(2.0) * value("x"))};
//
// check(scale) says whether it means something, to_string(scale) is its text. An operator of one's
// own is a function that returns statements (a Block); append() puts one Block behind another.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/expr/int.h"
#include "heddle/kernel/dtype.h"
#include "heddle/kernel/instruction.h"
#include "heddle/kernel/program.h"
#include "heddle/map/any_layout.h"

#pragma GCC visibility push(default)
namespace heddle::kernel::build {

// Integers: sizes, and the indices of threads inside of their scopes.

/// A size that the arguments tell, at least 1: `N`.
[[nodiscard]] Int size(std::string_view name);
/// `tx`, `warpid`, in a block of this many threads; `laneid`.
[[nodiscard]] Int thread_index(std::int64_t threads);
[[nodiscard]] Int warp_index(std::int64_t threads);
[[nodiscard]] Int lane_index();

// Parameters and declarations.

/// `X: f32[M,N] = LAYOUT`
[[nodiscard]] Tensor parameter(std::string name, DType type, std::vector<Int> shape,
                               std::optional<map::AnyLayout> layout = {});
/// `alpha: f32`, a value that the kernel is given.
[[nodiscard]] Tensor value_parameter(std::string name, DType type);
[[nodiscard]] Statement declare(Tensor tensor);
/// `shared X: f32[64,16] = LAYOUT`
[[nodiscard]] Statement shared(std::string name, DType type, std::vector<Int> shape,
                               std::optional<map::AnyLayout> layout = {});
/// `reg X: f32[64,16] = LAYOUT`
[[nodiscard]] Statement registers(std::string name, DType type, std::vector<Int> shape,
                                  std::optional<map::AnyLayout> layout = {});

// Views.

/// `A[i]`, `A[begin : +extent]`, `A[:]`, `A[None]`
[[nodiscard]] Subscript at(Int index);
[[nodiscard]] Subscript range_of(Int begin, Int extent);
[[nodiscard]] Subscript whole();
[[nodiscard]] Subscript new_dimension();
/// All of a tensor.
[[nodiscard]] View view(std::string tensor);
[[nodiscard]] View slice(std::string tensor, std::vector<Subscript> subscripts);
[[nodiscard]] View slice(View of, std::vector<Subscript> subscripts);
/// `A.T`, `A.permute(1,0)`, `A.reshape(8,16)`
[[nodiscard]] View transposed(View of);
[[nodiscard]] View permuted(View of, std::vector<std::size_t> order);
[[nodiscard]] View reshaped(View of, std::vector<Int> shape);

// Values, element by element.

[[nodiscard]] Elementwise value(View of);
[[nodiscard]] Elementwise value(std::string tensor);
[[nodiscard]] Elementwise literal(double number);
[[nodiscard]] Elementwise literal(std::int64_t number);
[[nodiscard]] Elementwise literal(int number);
/// An integer of the kernel: `32*k + 1`.
[[nodiscard]] Elementwise index_value(Int value);
/// `exp(x)`, `min(a, b)`
[[nodiscard]] Elementwise call(Function function, std::vector<Elementwise> operands);
/// `f16(x)`
[[nodiscard]] Elementwise converted_to(DType type, Elementwise operand);
[[nodiscard]] Elementwise operator+(Elementwise a, Elementwise b);
[[nodiscard]] Elementwise operator-(Elementwise a, Elementwise b);
[[nodiscard]] Elementwise operator*(Elementwise a, Elementwise b);
[[nodiscard]] Elementwise operator/(Elementwise a, Elementwise b);

// Statements.

template <class Node>
[[nodiscard]] Statement statement(Node node) {
  return {std::move(node), {}};
}
/// `D = VALUE`
[[nodiscard]] Statement assign(View to, Elementwise value);
/// `let n = lengths[bx]`; let_variable() is the integer.
[[nodiscard]] Statement let(std::string name, View of);
/// Any operator of operators.h, `using` a schedule.
[[nodiscard]] Statement operation(std::string name, std::vector<Elementwise> operands,
                                  Options options = {}, std::optional<std::string> schedule = {});
[[nodiscard]] Statement copy(View to, View from, std::optional<std::string> schedule = {});
[[nodiscard]] Statement fill(View to, Elementwise number);
/// `reduce(D, S, op="sum", axis=0)`
[[nodiscard]] Statement reduce(View to, Elementwise from, std::string op,
                               std::vector<std::int64_t> axes);
/// C += A @ B
[[nodiscard]] Statement gemm(View c, View a, View b);
[[nodiscard]] Statement gemm_sparse(View c, View a, View b, View index);
[[nodiscard]] Statement barrier();
/// `for k in EXTENT { … }`; the counter is index_variable(counter, extent).
[[nodiscard]] Statement loop(std::string counter, Int extent, Block body);
[[nodiscard]] Statement branch(Elementwise condition, Block then, Block otherwise = {});
/// `warp { … }`: each part of the kind does it on its own.
[[nodiscard]] Statement each(Scope::Kind kind, Block body);
[[nodiscard]] Statement each_thread(Block body);
[[nodiscard]] Statement each_warp(Block body);
/// `elect { … }`: by one thread.
[[nodiscard]] Statement elect(Block body);
void append(Block& block, Block more);

// Instructions.

/// `D: f32[4] reg = LAYOUT`
[[nodiscard]] InstructionOperand operand(std::string name, DType type,
                                         std::vector<std::int64_t> shape, Space space,
                                         std::optional<map::AnyLayout> layout = {});
/// An instruction of one thread that copies `from` to `to`, with its text for each target.
[[nodiscard]] Instruction copy_instruction(std::string name, InstructionOperand to,
                                           InstructionOperand from, std::int64_t alignment,
                                           std::map<std::string, std::string, std::less<>> texts);

}  // namespace heddle::kernel::build
#pragma GCC visibility pop
