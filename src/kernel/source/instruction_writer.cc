#include "kernel/source/instruction_writer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kernel/source/conversions.h"
#include "kernel/source/usage.h"

namespace heddle::kernel {

InstructionWriter::InstructionWriter(const Instruction& instruction, Target target,
                                     std::string_view kernel)
    : instruction_(instruction), target_(target), name_("apply_" + instruction.name) {
  // Another source in the same file may have an instruction of the same name.
  if (target == Target::kCpu) name_ += fmt::format("_in_{}", kernel);
}

void InstructionWriter::add_operand(DType type) {
  const InstructionOperand& operand = instruction_.operands[parameters_.size()];
  const bool is_read = !is_written(instruction_, parameters_.size());
  const bool is_cl = target_ == Target::kOpenCl;
  parameters_.push_back(fmt::format("{}{}{}* {}", is_cl ? space_of_opencl(*operand.space) : "",
                                    is_read ? "const " : "", stored_as(type, target_),
                                    operand.name));
  // OpenCL C has one function of a name.
  if (is_cl && !operand.type) name_ += fmt::format("_{}", name_of(type));
}

std::string InstructionWriter::head() const {
  return fmt::format("{} void {}({})", function_qualifiers(target_), name_,
                     fmt::join(parameters_, ", "));
}

Result<std::string> InstructionWriter::body(std::string_view text) const {
  const auto place = [](std::string_view operand, std::int64_t element) {
    return element < 0 ? std::string(operand) : fmt::format("{}[{}]", operand, element);
  };
  HEDDLE_TRY(const std::string statements, filled(instruction_, text, place));
  if (target_ != Target::kCuda) return fmt::format("{{\n  {}\n}}\n", statements);
  const std::string meant = meaning();
  return fmt::format("{{\n#ifdef __CUDACC__\n  {}\n{}{}#endif\n}}\n", statements,
                     meant.empty() ? "" : "#else\n", meant);
}

/// Of a copy; a function is done where it is called.
std::string InstructionWriter::meaning() const {
  if (instruction_.operation != "copy") return {};
  const auto to = places_of(instruction_.operands[0]);
  const auto from = places_of(instruction_.operands[1]);
  std::string text;
  for (std::size_t i = 0; i != to.size(); ++i) {
    text += fmt::format("  {}[{}] = {}[{}];\n", instruction_.operands[0].name, to[i],
                        instruction_.operands[1].name, from[i]);
  }
  return text;
}

}  // namespace heddle::kernel
