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

#include "expr/term.h"
#include "heddle/core/exact.h"

namespace heddle::expr {

class Program {
 public:
  /// Nothing where the values have variables that are no parameters, or parameters of which a
  /// divisor is known.
  [[nodiscard]] static std::optional<Program> compile(std::span<const Int> values,
                                                      std::span<const std::string> parameters);

  /// The values at these arguments, one for each parameter; nothing for one that is undefined
  /// there. `registers` is room to work in, kept between runs by whoever makes many.
  void run(std::span<const std::int64_t> arguments, std::vector<exact::Value>& registers) const;
  /// Where run() leaves the i-th value.
  [[nodiscard]] std::size_t result(std::size_t i) const { return results_[i]; }
  [[nodiscard]] std::size_t result_count() const { return results_.size(); }
  /// What a run costs.
  [[nodiscard]] std::size_t step_count() const { return steps_.size(); }

 private:
  enum class Code : std::uint8_t { kConstant, kParameter, kAdd, kMultiply, kOperation, kSelect };

  /// Registers are numbered by the step that writes them.
  struct Instruction {
    Code code = Code::kConstant;
    Operator operation = Operator::kVariable;
    Predicate predicate = Predicate::kEqual;
    std::uint32_t a = 0;
    std::uint32_t b = 0;
    /// The sides of a choice's condition.
    std::uint32_t left = 0;
    std::uint32_t right = 0;
    std::int64_t constant = 0;
  };
  class Compiler;

  [[nodiscard]] static exact::Value value_of(const Instruction& step,
                                             std::span<const exact::Value> registers);

  std::vector<Instruction> steps_;
  std::vector<std::size_t> results_;
};

}  // namespace heddle::expr
