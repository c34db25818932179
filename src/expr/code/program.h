#pragma once

// Symbolic integers compiled for evaluation at many points: a list of steps on 64-bit numbers, in
// which shared parts are computed once.
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
  /// nullopt if the values have variables that are not parameters, or parameters with a known
  /// divisor.
  [[nodiscard]] static std::optional<Program> compile(std::span<const Int> values,
                                                      std::span<const std::string> parameters);
  /// The results of the kernel, then its guards. A value that needs a variable that is not a
  /// parameter is undefined.
  [[nodiscard]] static Program compile(const Kernel& kernel,
                                       std::span<const std::string> parameters);

  /// The values at these arguments, one for each parameter; nullopt for a value that is undefined
  /// there. `registers` is work space, which a caller of many runs keeps between them.
  void run(std::span<const std::int64_t> arguments, std::vector<exact::Value>& registers) const;
  /// The register in which run() puts the i-th value.
  [[nodiscard]] std::size_t result(std::size_t i) const { return results_[i]; }
  [[nodiscard]] std::size_t result_count() const { return results_.size(); }
  /// Returns the values only.
  [[nodiscard]] std::vector<exact::Value> run(std::span<const std::int64_t> arguments) const;
  /// The cost of a run.
  [[nodiscard]] std::size_t step_count() const { return steps_.size(); }

 private:
  /// A constant, the parameter with that number (kVariable), no value (kDefinition), or an
  /// operation on registers, which are numbered by the step that writes them.
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
