#pragma once

// Makes a kernel of its syntax tree: names get their meaning, macros are expanded.
//
//   for k in range(16, N, 8) { let i = 2*k;  x = A[i] }
//
//   For k, extent N//8 - 2          counts from 0
//     Assign x = A[2*(16 + 8*k)]    integers stand where their names stood
//
// A name that a macro declares is changed where the kernel has it already: t, t_1, t_2.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/kernel/program.h"
#include "notation/kernel/kernel_names.h"
#include "notation/kernel/kernel_syntax.h"
#include "notation/kernel/kernel_values.h"

namespace heddle::notation {

/// How deep blocks, parentheses and brackets of a kernel may nest (`syntax.too_deep`), its macros
/// expanded: less than the parser allows, so that what is printed can be read.
inline constexpr std::size_t kMaxKernelNesting = 48;

class KernelBuilder {
 public:
  /// The text is the one that the syntax trees point into; `program` has the names around the
  /// kernel.
  KernelBuilder(std::string_view text, const KernelNames& program)
      : text_(text), program_(program) {}

  /// The instructions and schedules that stand in front of a kernel.
  struct Additions {
    std::vector<kernel::Instruction> instructions;
    std::vector<kernel::Schedule> schedules;
  };
  /// Refuse what parse_kernels() refuses.
  Result<kernel::Kernel> build(const KernelSyntax& syntax, const Additions& additions);
  Result<kernel::Instruction> build(const InstructionSyntax& syntax);
  Result<kernel::Schedule> build(const ScheduleSyntax& syntax);
  /// Refuses a macro that has the name of something else, or a parameter twice.
  [[nodiscard]] Result<void> check_macro(const MacroSyntax& syntax, const KernelNames& names) const;

 private:
  using Made = Result<kernel::Statement::Node>;

  // The head and its names: kernel_head.cc.
  [[nodiscard]] std::set<std::string> names_in(Span span) const;
  [[nodiscard]] std::set<std::string> names_behind(Span span) const;
  Result<void> assume(const KernelSyntax& syntax, KernelNames& names);
  Result<void> declare_sizes(const KernelSyntax& syntax, KernelNames& names);
  Result<kernel::InstructionOperand> operand(const InstructionOperandSyntax& syntax);
  Result<void> declare_sizes(const ScheduleSyntax& syntax, KernelNames& names);
  [[nodiscard]] Result<void> check_nesting(const std::string& printed, Span span) const;
  Result<kernel::Launch> launch(const KernelSyntax& syntax, const KernelNames& names);
  Result<void> bind_indices(const kernel::Launch& launch, const KernelSyntax& syntax,
                            KernelNames& names);
  /// Declares a tensor.
  Result<kernel::Tensor> tensor(const TensorSyntax& syntax, kernel::Space space,
                                KernelNames& names);
  /// The name that something declared gets in the kernel. Refuses `syntax.reserved` and
  /// `kernel.name_taken`.
  Result<std::string> declared(const NameSyntax& name, const KernelNames& names);
  [[nodiscard]] std::string fresh(std::string_view name, const KernelNames& names);
  [[nodiscard]] static bool is_variable(std::string_view name, const KernelNames& names);
  [[nodiscard]] Result<void> check_name(const NameSyntax& name) const;
  [[nodiscard]] Result<void> check_integer_name(const NameSyntax& name) const;

  // Statements: kernel_statements.cc.
  Result<kernel::Block> block(const BlockSyntax& syntax, const KernelNames& outer);
  Result<kernel::Block> block_with(const BlockSyntax& syntax, KernelNames& names);
  Result<void> add(const StatementSyntax& syntax, KernelNames& names, kernel::Block& block);
  Result<void> add_let(const LetSyntax& syntax, KernelNames& names, kernel::Block& block,
                       Span span);
  Result<void> define(const MacroSyntax& syntax, KernelNames& names);
  Made made(const DeclarationSyntax& syntax, KernelNames& names);
  Made made(const AssignSyntax& syntax, KernelNames& names);
  Made made(const ForSyntax& syntax, KernelNames& names);
  Made made(const PipelineSyntax& syntax, KernelNames& names);
  Made made(const WhileSyntax& syntax, KernelNames& names);
  Made made(const BreakSyntax&, KernelNames&) { return kernel::Break{}; }
  Made made(const ContinueSyntax&, KernelNames&) { return kernel::Continue{}; }
  Made made(const IfSyntax& syntax, KernelNames& names);
  Made made(const ScopeSyntax& syntax, KernelNames& names);
  Made made(const UncheckedSyntax& syntax, KernelNames&) {
    return kernel::Unchecked{std::string(syntax.target), syntax.text};
  }

  /// The values of a counter: begin, begin + step, …, `extent` of them.
  struct Counted {
    Int begin = 0;
    Int step = 1;
    Int extent;
  };
  Result<Counted> counted(const Expression& extent, const KernelNames& names);
  Result<kernel::Scope::Part> part(const Expression& range, const KernelNames& names);

  // Calls of operators and of macros: kernel_calls.cc.
  Result<void> call(const CallSyntax& syntax, KernelNames& names, kernel::Block& block, Span span);
  Result<kernel::Call> operation(const CallSyntax& syntax, const KernelNames& names);
  Result<kernel::Options> options(std::string_view operation,
                                  const std::vector<OptionSyntax>& syntax,
                                  const KernelNames& names);
  Result<kernel::OptionValue> option(std::string_view operation, std::string_view name,
                                     const Expression& value, const KernelNames& names);
  Refusal fail_operator(const Expression& call, const KernelNames& names) const;
  Result<void> expand(const Macro& macro, const Expression& call, const KernelNames& names,
                      kernel::Block& block);
  Result<Meaning> argument(const Expression& expression, const KernelNames& names);

  [[nodiscard]] KernelValues values(const KernelNames& names) { return {text_, names, nodes_}; }
  [[nodiscard]] Result<void> check_depth(Span span) const;

  std::string_view text_;
  const KernelNames& program_;
  std::size_t nodes_ = 0;
  std::size_t depth_ = 0;
  std::int64_t threads_ = 1;
  std::int64_t devices_ = 0;
  /// bx, …, and within a scope of threads tx, laneid, warpid, of devices gpuid: the same in every
  /// macro.
  std::vector<std::pair<std::string, Int>> indices_;
  /// The macros that are being expanded, the innermost last.
  std::vector<const MacroSyntax*> expanded_;
  /// Every name in the text of the kernel, and every one that a macro declared.
  std::set<std::string> used_;
  /// The last number that was added to a name.
  std::map<std::string, std::size_t, std::less<>> last_;
};

}  // namespace heddle::notation
