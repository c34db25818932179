// Instructions and schedules that stand in front of kernels.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/text.h"
#include "heddle/core/nearest_names.h"
#include "heddle/core/plain_text.h"
#include "heddle/expr/assumptions.h"
#include "heddle/kernel/schedule.h"
#include "heddle/notation/index_expression.h"
#include "notation/kernel/kernel_builder.h"

namespace heddle::notation {

namespace {

/// The refusal, at this place if it has none.
Refusal placed_at(Diagnostic refusal, Span span) {
  if (refusal.span()) return refuse(std::move(refusal));
  return refuse(std::move(refusal).with_span(span));
}

Result<kernel::Space> space_called(const NameSyntax& name) {
  const std::vector<std::string> names = {"reg", "shared", "global"};
  for (const kernel::Space space :
       {kernel::Space::kRegister, kernel::Space::kShared, kernel::Space::kGlobal}) {
    if (name_of(space) == name.text) return space;
  }
  const std::string meant = did_you_mean(name.text, names);
  return refuse_in_kernel("kernel.space", fmt::format("unknown memory {}", quote(name.text)),
                          name.span,
                          meant.empty() ? "an operand is in reg, shared or global" : meant);
}

/// `b16`: elements of 16 bits, of any type; 0 for other names.
std::int64_t bits_called(std::string_view name) {
  for (const std::int64_t bits : {8, 16, 32, 64}) {
    if (name == fmt::format("b{}", bits)) return bits;
  }
  return 0;
}

}  // namespace

// Instructions.

Result<kernel::InstructionOperand> KernelBuilder::operand(const InstructionOperandSyntax& syntax) {
  KernelNames names(&program_);
  const KernelValues read = values(names);
  kernel::InstructionOperand operand;
  operand.name = std::string(syntax.tensor.name.text);
  operand.bits = bits_called(syntax.tensor.type.text);
  if (operand.bits == 0) {
    HEDDLE_TRY(operand.type, dtype_called(syntax.tensor.type));
    operand.bits = kernel::bits(*operand.type);
  }
  for (const Expression& extent : *syntax.tensor.shape) {
    HEDDLE_TRY(operand.shape.emplace_back(), read.constant(extent));
  }
  if (syntax.space) {
    HEDDLE_TRY(operand.space, space_called(*syntax.space));
  }
  if (syntax.tensor.layout) {
    HEDDLE_TRY(operand.layout, read.layout(*syntax.tensor.layout));
  }
  return operand;
}

Result<kernel::Instruction> KernelBuilder::build(const InstructionSyntax& syntax) {
  HEDDLE_CHECK(check_name(syntax.name));
  kernel::Instruction instruction;
  instruction.name = std::string(syntax.name.text);
  instruction.operation = std::string(syntax.operation.text);
  for (const InstructionOperandSyntax& each : syntax.operands) {
    HEDDLE_TRY(instruction.operands.emplace_back(), operand(each));
  }
  if (syntax.is_of_warp) instruction.threads = kernel::kWarpThreads;
  if (syntax.alignment) {
    HEDDLE_TRY(instruction.alignment, values(program_).constant(*syntax.alignment));
  }
  auto checked = kernel::check(instruction);
  if (!checked) return placed_at(std::move(checked).error(), syntax.name.span);
  for (const TextSyntax& text : syntax.texts) {
    if (!instruction.texts.emplace(text.target.text, text.text).second) {
      return refuse_in_kernel("kernel.instruction",
                              fmt::format("instruction {}: it has two texts for {}",
                                          instruction.name, text.target.text),
                              text.span);
    }
    checked = kernel::check(instruction);
    if (!checked) return placed_at(std::move(checked).error(), text.span);
  }
  return instruction;
}

// Schedules.

/// The names without a meaning in the shapes of parameters are sizes, of which nothing is assumed.
Result<void> KernelBuilder::declare_sizes(const ScheduleSyntax& syntax, KernelNames& names) {
  for (const TensorSyntax& parameter : syntax.parameters) {
    for (const Expression& extent : parameter.shape.value_or(std::vector<Expression>())) {
      for (const std::string& size : free_names_in(extent, names.environment())) {
        HEDDLE_CHECK(check_integer_name({size, extent.span}));
        names.bind(size, Assumptions().variable(size));
      }
    }
  }
  // A variable of the program has no value where a kernel uses the schedule.
  for (const std::string& name : names_behind(syntax.span)) {
    if (!is_variable(name, program_)) continue;
    return refuse_in_kernel(
        "kernel.name",
        fmt::format("there is an assumption about {} before the schedule", quote(name)),
        syntax.name.span, "a schedule has the sizes in the shapes of its parameters");
  }
  return {};
}

Result<kernel::Schedule> KernelBuilder::build(const ScheduleSyntax& syntax) {
  HEDDLE_CHECK(check_name(syntax.name));
  KernelNames names(&program_);
  used_ = names_in(syntax.span);
  threads_ = kernel::kMaxThreads;
  kernel::Schedule schedule;
  schedule.name = std::string(syntax.name.text);
  schedule.operation = std::string(syntax.operation.text);
  HEDDLE_CHECK(declare_sizes(syntax, names));
  for (const TensorSyntax& parameter : syntax.parameters) {
    HEDDLE_TRY(schedule.parameters.emplace_back(),
               tensor(parameter, kernel::Space::kGlobal, names));
  }
  HEDDLE_TRY(schedule.options, options(schedule.operation, syntax.options, names));
  HEDDLE_TRY(schedule.body, block(syntax.body, names));
  HEDDLE_CHECK(check_nesting(to_string(schedule), syntax.name.span));
  auto checked = kernel::check(schedule);
  if (!checked) return placed_at(std::move(checked).error(), syntax.name.span);
  return schedule;
}

}  // namespace heddle::notation
