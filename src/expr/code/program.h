#pragma once

// Symbolic integers made ready to be evaluated at many points: a list of steps on 64-bit numbers,
// with what several places share computed once.
//
//   Program::compile({floor_div(i, 4) + 8*mod(i, 4)}, {"i"})      t0 = i // 4; t1 = i % 4; …
//   program->run({6})                                             { 17 }

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "expr/term/term.h"
#include "heddle/core/exact.h"
#include "heddle/expr/code_expression.h"

namespace heddle::expr {

class Program {
 public:
  /// Nothing where the values have variables that are no parameters, or parameters of which a
  /// divisor is known.
  [[nodiscard]] static std::optional<Program> compile(std::span<const Int> values,
                                                      std::span<const std::string> parameters);
  /// The results of the kernel, then its guards. What needs a variable that is no parameter is
  /// undefined.
  [[nodiscard]] static Program compile(const Kernel& kernel,
                                       std::span<const std::string> parameters);

  /// The values at these arguments, one for each parameter; nothing for one that is undefined
  /// there. `registers` is room to work in, kept between runs by whoever makes many.
  void run(std::span<const std::int64_t> arguments, std::vector<exact::Value>& registers) const;
  /// Where run() leaves the i-th value.
  [[nodiscard]] std::size_t result(std::size_t i) const { return results_[i]; }
  [[nodiscard]] std::size_t result_count() const { return results_.size(); }
  /// The values alone.
  [[nodiscard]] std::vector<exact::Value> run(std::span<const std::int64_t> arguments) const;
  /// What a run costs.
  [[nodiscard]] std::size_t step_count() const { return steps_.size(); }

 private:
  /// A constant, the parameter with that number (kVariable), nothing (kDefinition), or an operation
  /// on registers, which are numbered by the step that writes them.
  struct Instruction {
    CodeOperation operation = CodeOperation::kConstant;
    std::uint32_t a = 0;
    std::uint32_t b = 0;
    std::uint32_t c = 0;
    std::int64_t constant = 0;
  };
  class Compiler;

  std::vector<Instruction> steps_;
  std::vector<std::size_t> results_;
};

}  // namespace heddle::expr
