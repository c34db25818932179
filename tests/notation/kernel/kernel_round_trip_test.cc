// A kernel that is printed and read again is the same kernel, on random ones.
//
// The random kernels are in the form that the parser gives: an integer within an expression is one
// node, and what is constant is a number.

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "heddle/expr/assumptions.h"
#include "heddle/expr/index_variable.h"
#include "heddle/kernel/check.h"
#include "heddle/notation/kernel.h"
#include "support/law.h"

namespace heddle::kernel {
namespace {

using test::Finding;
using test::found;
using test::Random;

Elementwise literal(std::int64_t number) { return {Elementwise::Literal{Number(number)}}; }

Elementwise apply(Function function, std::vector<Elementwise> operands) {
  return {Elementwise::Apply{function}, std::move(operands)};
}

/// Makes kernels over A: f32[M,N], I: i32[M], alpha: f32, and registers of eight elements. All
/// values are single elements or rows of eight, so that they broadcast.
class RandomKernel {
 public:
  explicit RandomKernel(Random& random) : random_(random) {}

  Kernel make() {
    Kernel kernel;
    kernel.name = "f";
    const Int divided = mod(Int::variable("M"), 24);
    if (chance(50)) kernel.assumed.push_back({divided, Predicate::kEqual, 0});
    if (chance(30)) {
      kernel.assumed.push_back({Int::variable("N"), Predicate::kAtMost, Int::variable("M")});
    }
    const Assumptions world = Assumptions::make(kernel.assumed).value();
    const Int m = world.variable("M");
    const Int n = world.variable("N");
    kernel.parameters = {{"A", DType::kF32, {m, n}, Space::kGlobal},
                         {"I", DType::kI32, {m}, Space::kGlobal},
                         {"alpha", DType::kF32, {}, Space::kValue}};
    kernel.launch = {{m, floor_div(n, 8) + 1}, 128};
    integers_ = block_variables(kernel.launch);
    integers_.push_back(m);
    integers_.push_back(n);
    kernel.body = block(3);
    for (std::int64_t count = random_.between(0, 2); count > 0; --count) {
      kernel.instructions.push_back(instruction());
    }
    if (chance(30)) kernel.schedules.push_back(schedule());
    return kernel;
  }

 private:
  Instruction instruction() {
    Instruction made{fresh("load"), "copy", {}, 1, std::int64_t{1} << random_.between(0, 4), {}};
    const bool has_texts = chance(50);
    const std::vector<std::int64_t> shape = chance(50) ? std::vector<std::int64_t>{1 + small()}
                                                       : std::vector<std::int64_t>{2, 1 + small()};
    const std::optional<DType> type = chance(50) ? std::optional(DType::kF16) : std::nullopt;
    for (const char* name : {"D", "S"}) {
      InstructionOperand& operand = made.operands.emplace_back();
      operand = {name, type, type ? 16 : std::int64_t{8} << random_.between(0, 3), shape, {}, {}};
      constexpr Space kSpaces[] = {Space::kRegister, Space::kShared, Space::kGlobal};
      if (has_texts || chance(50)) operand.space = kSpaces[random_.between(0, 2)];
    }
    made.operands[1].bits = made.operands[0].bits;
    if (!has_texts) return made;
    constexpr const char* kTexts[] = {"{D[0]} = *{S};", "asm(\"{{ }}\\n\" : \"=f\"({D[0]}));", ""};
    made.texts["cuda"] = kTexts[random_.between(0, 2)];
    if (chance(30)) made.texts["opencl"] = kTexts[random_.between(0, 2)];
    return made;
  }

  /// One whose operands have the names of the parameters that statements are made of.
  Schedule schedule() {
    const Int p = Assumptions().variable("P");
    const Int q = Assumptions().variable("Q");
    Schedule made{fresh("done"), "gather", {}, {{"axis", std::vector<std::int64_t>{0}}}, {}};
    made.parameters = {{"A", DType::kF32, {p, q}, Space::kGlobal},
                       {"alpha", DType::kF32, {}, Space::kGlobal},
                       {"I", DType::kI32, {p}, Space::kGlobal}};
    const std::vector<Int> integers = std::exchange(integers_, {p, q});
    threads_ = kMaxThreads;
    made.body = block(2);
    integers_ = integers;
    return made;
  }

  std::int64_t small() { return random_.between(0, 9); }
  bool chance(int percent) { return random_.chance(percent); }
  std::string fresh(const char* stem) { return stem + std::to_string(++names_); }

  Int integer(int depth = 2) {
    if (depth == 0 || chance(30)) return chance(30) ? Int(small()) : random_.one_of(integers_);
    const Int a = integer(depth - 1);
    const Int b = integer(depth - 1);
    switch (random_.between(0, 6)) {
      case 0:
        return a + b;
      case 1:
        return a - b;
      case 2:
        return small() * a;
      case 3:
        return floor_div(a, 1 + small());
      case 4:
        return mod(a, 1 + small());
      case 5:
        return min(a, b);
      default:
        return max(a, b);
    }
  }

  Subscript index() { return {Subscript::Kind::kIndex, integer()}; }
  Subscript eight() { return {Subscript::Kind::kRange, integer(), 8}; }

  /// A row of eight, or one element.
  View view(bool is_row) {
    if (is_row && !rows_.empty() && chance(50)) return {random_.one_of(rows_), {}};
    if (!is_row) return chance(20) ? View{"alpha", {}} : View{"A", {Sliced{{index(), index()}}}};
    switch (random_.between(0, 3)) {
      case 0:
        return {"A", {Sliced{{index(), eight()}}}};
      case 1:
        return {"A", {Permuted{{1, 0}}, Sliced{{index(), eight()}}}};
      case 2:
        return {"A", {Sliced{{eight(), index()}}, Sliced{{{Subscript::Kind::kWhole}}}}};
      default:
        return {"A",
                {Sliced{{{Subscript::Kind::kNew}, eight(), index()}}, Reshaped{{Int(2), Int(4)}},
                 Permuted{{0, 1}}, Reshaped{{Int(8)}}}};
    }
  }

  Elementwise number() {
    if (chance(30)) return literal(random_.between(-9, 9));
    constexpr double kNumbers[] = {0.5, -2.0, 1e-5, 1e300, -0.1, 3.0};
    return {Elementwise::Literal{Number(kNumbers[random_.between(0, 5)])}};
  }

  Elementwise index_value() {
    const Int value = integer();
    if (value.is_constant()) return literal(value.value());
    return {Elementwise::Index{value}};
  }

  /// A value with a view in it, so that it is no integer.
  Elementwise value(bool is_row, int depth = 3) {
    if (depth == 0 || chance(25)) return {view(is_row)};
    const auto part = [&] { return value(is_row && chance(60), depth - 1); };
    const auto any = [&] { return chance(60) ? part() : chance(50) ? number() : index_value(); };
    constexpr Function kSigns[] = {Function::kAdd, Function::kSubtract, Function::kMultiply,
                                   Function::kDivide};
    constexpr Function kOfTwo[] = {Function::kMin, Function::kMax};
    constexpr Function kOfOne[] = {Function::kNegate, Function::kExp,  Function::kTanh,
                                   Function::kSqrt,   Function::kErf,  Function::kFloor,
                                   Function::kAbs,    Function::kLog2, Function::kRsqrt};
    switch (random_.between(0, 5)) {
      case 0:
        return apply(kSigns[random_.between(0, 3)], {part(), any()});
      case 1:
        return apply(kSigns[random_.between(0, 3)], {any(), part()});
      case 2:
        return apply(kOfTwo[random_.between(0, 1)], {any(), part()});
      case 3:
        return apply(kOfOne[random_.between(0, 8)], {part()});
      case 4:
        return apply(Function::kSelect, {condition(depth - 1), part(), any()});
      default:
        return {Elementwise::Convert{chance(50) ? DType::kF16 : DType::kF32}, {part()}};
    }
  }

  Elementwise condition(int depth = 2) {
    constexpr Function kComparisons[] = {Function::kEqual, Function::kNotEqual, Function::kLess,
                                         Function::kAtMost};
    if (depth <= 0 || chance(40)) {
      const Function comparison = kComparisons[random_.between(0, 3)];
      if (chance(50)) return apply(comparison, {index_value(), index_value()});
      return apply(comparison, {value(false, 1), number()});
    }
    if (chance(30)) return apply(Function::kNot, {condition(depth - 1)});
    const Function joined = chance(50) ? Function::kAnd : Function::kOr;
    return apply(joined, {condition(depth - 1), condition(depth - 1)});
  }

  Block block(int depth, bool is_loop = false) {
    const std::size_t rows = rows_.size();
    const std::size_t integers = integers_.size();
    Block block;
    const std::string row = fresh("r");
    block.push_back({Declaration{{row, DType::kF32, {Int(8)}, Space::kRegister}}});
    rows_.push_back(row);
    for (std::int64_t count = random_.between(1, 3); count > 0; --count) {
      block.push_back(statement(depth));
    }
    if (is_loop && chance(30)) {
      block.push_back(chance(50) ? Statement{Break{}} : Statement{Continue{}});
    }
    rows_.resize(rows);
    integers_.resize(integers);
    return block;
  }

  Statement statement(int depth) {
    switch (random_.between(0, depth > 0 ? 9 : 4)) {
      case 0:
        return {let()};
      case 1:
        return {Assign{{rows_.back(), {}}, value(true)}};
      case 2:
        return {Assign{view(true), value(true)}};
      case 3:
        return {Call{"copy", {{View{rows_.back(), {}}}, {view(true)}}, {{"pad", 0.5}}}};
      case 4:
        return {Call{"fill", {{View{rows_.back(), {}}}, literal(0)}, {}, "vector"}};
      case 5:
      case 6:
        return {loop(depth - 1)};
      case 7:
        return {While{condition(), block(depth - 1, true)}};
      case 8:
        return {If{condition(), block(depth - 1), chance(50) ? block(depth - 1) : Block()}};
      default:
        if (has_threads_) return {loop(depth - 1)};
        return {scope(depth - 1)};
    }
  }

  Let let() {
    const std::string name = fresh("n");
    Let let{name, {"I", {Sliced{{index()}}}}};
    integers_.push_back(Int::variable(name, INT32_MIN, INT32_MAX));
    return let;
  }

  For loop(int depth) {
    const std::string counter = fresh("k");
    const Int extent = chance(50) ? Int(1 + small()) : random_.one_of(integers_);
    const Int index = index_variable(counter, extent);
    const std::size_t before = integers_.size();
    integers_.push_back(index.is_defined() ? index : Int(0));
    For loop{counter, extent, block(depth, true)};
    integers_.resize(before);
    return loop;
  }

  /// Registers belong to the scope that declares them.
  Scope scope(int depth) {
    const std::size_t before = integers_.size();
    const std::vector<std::string> rows = std::exchange(rows_, {});
    integers_.push_back(index_variable("tx", threads_));
    has_threads_ = true;
    Scope scope{Scope::Kind::kThread, {}, block(depth), {}};
    has_threads_ = false;
    rows_ = rows;
    integers_.resize(before);
    return scope;
  }

  Random& random_;
  std::vector<Int> integers_;
  std::vector<std::string> rows_;
  int names_ = 0;
  std::int64_t threads_ = 128;
  bool has_threads_ = false;
};

TEST(KernelRoundTrip, OfRandomKernels) {
  test::for_all_seeds({.one_in = 10, .percent = 60}, [](Random& random) -> Finding {
    const Kernel made = RandomKernel(random).make();
    const std::string text = to_string(made);
    const auto read = notation::parse_kernels(text);
    if (const auto checked = check(made); !checked) {
      // What the text says is refused as the kernel is.
      const bool is_alike = !read && read.error().code() == checked.error().code();
      return is_alike ? Finding(test::kSaysNothing)
                      : found(text, "is not refused as ", checked.error().code());
    }
    if (!read) return found(text, read.error().to_string(text));
    if (read->size() == 1 && read->front() == made) return test::kHolds;
    return found(text, "reads as\n", read->empty() ? "nothing" : to_string(read->front()));
  });
}

}  // namespace
}  // namespace heddle::kernel
