// A kernel that is built in C++, with an operator, an instruction and a schedule of one's own.

#include <heddle/expr/index_variable.h>
#include <heddle/kernel/builder.h>
#include <heddle/kernel/lower.h>
#include <heddle/kernel/source.h>

#include <iostream>

using namespace heddle::kernel::build;
using heddle::Int;
using heddle::kernel::Block;
using heddle::kernel::DType;
using heddle::kernel::Kernel;
using heddle::kernel::Schedule;
using heddle::kernel::Space;
using heddle::kernel::View;

namespace {

/// An operator: y = a*x + y.
Block axpy(const View& y, double a, const View& x) {
  return {assign(y, literal(a) * value(x) + value(y))};
}

/// A schedule: a copy, row by row.
Schedule in_rows() {
  const Int m = size("M");
  const Int n = size("N");
  Schedule rows{"in_rows", "copy", {}, {}, {}};
  rows.parameters = {parameter("D", DType::kF32, {m, n}), parameter("S", DType::kF32, {m, n})};
  const Int i = heddle::index_variable("i", m);
  rows.body = {loop("i", m, {copy(slice("D", {at(i)}), slice("S", {at(i)}))})};
  return rows;
}

}  // namespace

int main() {
  const Int n = size("N");
  Kernel kernel{"rows",
                {parameter("X", DType::kF32, {n, 512}), parameter("Y", DType::kF32, {n, 512})}};
  kernel.launch = {{n}, 128};
  const Int bx = heddle::kernel::block_variables(kernel.launch).front();
  kernel.instructions = {
      copy_instruction("load_streaming", operand("D", DType::kF32, {4}, Space::kRegister),
                       operand("S", DType::kF32, {4}, Space::kGlobal), 16,
                       {{"cuda", "*(float4*){D} = __ldcs((const float4*){S});"}})};
  kernel.schedules = {in_rows()};
  kernel.body = {
      registers("x", DType::kF32, {1, 512}),
      copy(view("x"), slice("X", {range_of(bx, 1)}), "load_streaming"),
  };
  append(kernel.body, axpy(view("x"), 2.0, slice("X", {range_of(bx, 1)})));
  append(kernel.body, {copy(slice("Y", {range_of(bx, 1)}), view("x"), "in_rows")});
  std::cout << to_string(kernel) << "\n";

  const auto options = options_for(heddle::kernel::Target::kCuda);
  const auto program = lower(kernel, options);
  if (!program) return std::cerr << program.error() << "\n", 1;
  std::cout << explanation(*program);
}
