#pragma once

// The parser of kernels. Expressions are those of the language, with real numbers, `/` and ranges
// in subscripts; statements are words in front of them and braces.
//
//   kernel NAME(A: f16[M,K], alpha: f32)
//     assume M % 128 == 0
//     launch cta M // 128, threads 128
//   { STATEMENTS }

#include <optional>
#include <string_view>
#include <vector>

#include "notation/kernel/kernel_syntax.h"
#include "notation/language/parser.h"

namespace heddle::notation {

class KernelParser : public Parser {
 public:
  explicit KernelParser(Lexer lexer) : Parser(lexer) {}

  /// Skips ends of lines and semicolons in front of a statement.
  void skip_separators();
  /// Whether `kernel NAME` comes next.
  [[nodiscard]] bool is_at_kernel() const;
  /// Whether `instruction NAME`, `schedule NAME` comes next.
  [[nodiscard]] bool is_at_instruction() const;
  [[nodiscard]] bool is_at_schedule() const;
  /// Whether `def NAME(…) {` comes next, not a function of Python.
  [[nodiscard]] bool is_at_macro() const;

  /// The kernel, or the macro, that comes next. Refuses what StatementReader refuses.
  Result<KernelSyntax> kernel();
  Result<MacroSyntax> outer_macro();
  /// The instruction, or the schedule, that comes next.
  Result<InstructionSyntax> instruction();
  Result<ScheduleSyntax> schedule();

 private:
  Result<NameSyntax> name(std::string_view what);
  Result<TensorSyntax> tensor();
  Result<NameSyntax> operation();
  Result<OptionSyntax> option();
  Result<InstructionOperandSyntax> instruction_operand();
  Result<void> instruction_clauses(InstructionSyntax& instruction);
  [[nodiscard]] bool is_at_clause() const;
  Result<std::vector<Expression>> extents();
  Result<Expression> layout();
  Result<std::vector<TensorSyntax>> parameters();
  Result<std::vector<Span>> stated_assumptions();
  Result<void> launch(KernelSyntax& kernel);
  Result<bool> launch_devices(KernelSyntax& kernel);
  Result<BlockSyntax> block();
  Result<StatementSyntax> kernel_statement();
  Result<StatementSyntax::Node> kernel_statement_node();
  Result<StatementSyntax::Node> declaration(kernel::Space space);
  Result<LetSyntax> binding();
  Result<StatementSyntax::Node> let();
  Result<StatementSyntax::Node> counted_loop();
  Result<PipelineSyntax> pipeline_parts();
  Result<StatementSyntax::Node> pipeline();
  Result<StatementSyntax::Node> while_loop();
  Result<StatementSyntax::Node> branch();
  Result<StatementSyntax::Node> scope(kernel::Scope::Kind kind);
  Result<StatementSyntax::Node> unchecked();
  Result<StatementSyntax::Node> call_or_assignment();
  Result<void> forced_schedule(CallSyntax& call);
  Result<BlockSyntax> otherwise();
  Result<MacroSyntax> macro();
  [[nodiscard]] bool takes_else();
};

/// Whether the word begins a statement or has another meaning of its own in kernels, so that
/// nothing can be called by it.
[[nodiscard]] bool is_kernel_word(std::string_view word);

}  // namespace heddle::notation
