#include "heddle/kernel/builder.h"

#include <iterator>
#include <utility>

#include "heddle/expr/assumptions.h"
#include "heddle/expr/index_variable.h"

namespace heddle::kernel::build {

namespace {

View longer(View of, View::Step step) {
  of.steps.push_back(std::move(step));
  return of;
}

Elementwise applied(Function function, Elementwise a, Elementwise b) {
  std::vector<Elementwise> operands;
  operands.push_back(std::move(a));
  operands.push_back(std::move(b));
  return call(function, std::move(operands));
}

}  // namespace

Int size(std::string_view name) { return Assumptions().variable(name); }
Int thread_index(std::int64_t threads) { return index_variable("tx", threads); }
Int warp_index(std::int64_t threads) {
  return index_variable("warpid", ceil_div(threads, kWarpThreads));
}
Int lane_index() { return index_variable("laneid", kWarpThreads); }

Tensor parameter(std::string name, DType type, std::vector<Int> shape,
                 std::optional<map::AnyLayout> layout) {
  return {std::move(name), type, std::move(shape), Space::kGlobal, std::move(layout)};
}
Tensor value_parameter(std::string name, DType type) {
  return {std::move(name), type, {}, Space::kValue, {}};
}
Statement declare(Tensor tensor) { return statement(Declaration{std::move(tensor)}); }
Statement shared(std::string name, DType type, std::vector<Int> shape,
                 std::optional<map::AnyLayout> layout) {
  return declare({std::move(name), type, std::move(shape), Space::kShared, std::move(layout)});
}
Statement registers(std::string name, DType type, std::vector<Int> shape,
                    std::optional<map::AnyLayout> layout) {
  return declare({std::move(name), type, std::move(shape), Space::kRegister, std::move(layout)});
}

Subscript at(Int index) { return {Subscript::Kind::kIndex, std::move(index), 1}; }
Subscript range_of(Int begin, Int extent) {
  return {Subscript::Kind::kRange, std::move(begin), std::move(extent)};
}
Subscript whole() { return {}; }
Subscript new_dimension() { return {Subscript::Kind::kNew, 0, 1}; }

View view(std::string tensor) { return {std::move(tensor), {}}; }
View slice(std::string tensor, std::vector<Subscript> subscripts) {
  return slice(view(std::move(tensor)), std::move(subscripts));
}
View slice(View of, std::vector<Subscript> subscripts) {
  return longer(std::move(of), Sliced{std::move(subscripts)});
}
View transposed(View of) { return permuted(std::move(of), {1, 0}); }
View permuted(View of, std::vector<std::size_t> order) {
  return longer(std::move(of), Permuted{std::move(order)});
}
View reshaped(View of, std::vector<Int> shape) {
  return longer(std::move(of), Reshaped{std::move(shape)});
}

Elementwise value(View of) { return {std::move(of), {}}; }
Elementwise value(std::string tensor) { return value(view(std::move(tensor))); }
Elementwise literal(double number) { return {Elementwise::Literal{Number(number)}, {}}; }
Elementwise literal(std::int64_t number) { return {Elementwise::Literal{Number(number)}, {}}; }
Elementwise literal(int number) { return literal(std::int64_t{number}); }
Elementwise index_value(Int value) { return {Elementwise::Index{std::move(value)}, {}}; }
Elementwise call(Function function, std::vector<Elementwise> operands) {
  return {Elementwise::Apply{function}, std::move(operands)};
}
Elementwise converted_to(DType type, Elementwise operand) {
  return {Elementwise::Convert{type}, {std::move(operand)}};
}
Elementwise operator+(Elementwise a, Elementwise b) {
  return applied(Function::kAdd, std::move(a), std::move(b));
}
Elementwise operator-(Elementwise a, Elementwise b) {
  return applied(Function::kSubtract, std::move(a), std::move(b));
}
Elementwise operator*(Elementwise a, Elementwise b) {
  return applied(Function::kMultiply, std::move(a), std::move(b));
}
Elementwise operator/(Elementwise a, Elementwise b) {
  return applied(Function::kDivide, std::move(a), std::move(b));
}

Statement assign(View to, Elementwise value) {
  return statement(Assign{std::move(to), std::move(value)});
}
Statement let(std::string name, View of) { return statement(Let{std::move(name), std::move(of)}); }
Statement operation(std::string name, std::vector<Elementwise> operands, Options options,
                    std::optional<std::string> schedule) {
  return statement(
      Call{std::move(name), std::move(operands), std::move(options), std::move(schedule)});
}
Statement copy(View to, View from, std::optional<std::string> schedule) {
  return operation("copy", {value(std::move(to)), value(std::move(from))}, {}, std::move(schedule));
}
Statement fill(View to, Elementwise number) {
  return operation("fill", {value(std::move(to)), std::move(number)});
}
Statement reduce(View to, Elementwise from, std::string op, std::vector<std::int64_t> axes) {
  return operation("reduce", {value(std::move(to)), std::move(from)},
                   {{"op", std::move(op)}, {"axis", std::move(axes)}});
}
Statement gemm(View c, View a, View b) {
  return operation("gemm", {value(std::move(c)), value(std::move(a)), value(std::move(b))});
}
Statement gemm_sparse(View c, View a, View b, View index) {
  return operation("gemm_sparse", {value(std::move(c)), value(std::move(a)), value(std::move(b)),
                                   value(std::move(index))});
}
Statement barrier() { return operation("barrier", {}); }
Statement loop(std::string counter, Int extent, Block body) {
  return statement(For{std::move(counter), std::move(extent), std::move(body)});
}
Statement branch(Elementwise condition, Block then, Block otherwise) {
  return statement(If{std::move(condition), std::move(then), std::move(otherwise)});
}
Statement each(Scope::Kind kind, Block body) {
  return statement(Scope{kind, {}, std::move(body), {}});
}
Statement each_thread(Block body) { return each(Scope::Kind::kThread, std::move(body)); }
Statement each_warp(Block body) { return each(Scope::Kind::kWarp, std::move(body)); }
Statement elect(Block body) { return each(Scope::Kind::kElect, std::move(body)); }
void append(Block& block, Block more) {
  block.insert(block.end(), std::make_move_iterator(more.begin()),
               std::make_move_iterator(more.end()));
}

InstructionOperand operand(std::string name, DType type, std::vector<std::int64_t> shape,
                           Space space, std::optional<map::AnyLayout> layout) {
  return {std::move(name), type, bits(type), std::move(shape), space, std::move(layout)};
}
Instruction copy_instruction(std::string name, InstructionOperand to, InstructionOperand from,
                             std::int64_t alignment,
                             std::map<std::string, std::string, std::less<>> texts) {
  Instruction instruction{std::move(name), "copy", {}, 1, alignment, std::move(texts)};
  instruction.operands.push_back(std::move(to));
  instruction.operands.push_back(std::move(from));
  return instruction;
}

}  // namespace heddle::kernel::build
