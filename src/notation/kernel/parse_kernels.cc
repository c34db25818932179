#include "heddle/notation/kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <utility>

#include "core/text.h"
#include "heddle/core/nearest_names.h"
#include "heddle/kernel/operators.h"
#include "notation/kernel/kernel_builder.h"
#include "notation/kernel/kernel_hints.h"
#include "notation/kernel/kernel_parser.h"

namespace heddle::notation {

namespace {

/// Reads a program, statement by statement.
class KernelProgram {
 public:
  KernelProgram(std::string_view text, const Environment& environment)
      : text_(text), names_(environment) {}

  /// All kernels, or only the one that is named: others may be refused then for what they mean.
  Result<std::vector<kernel::Kernel>> read(std::string_view only = "") {
    only_ = only;
    HEDDLE_CHECK(check_encoding(text_));
    Lexer lexer(text_);
    for (bool goes_on = true; goes_on;) {
      KernelParser parser(lexer);
      Result<bool> read = read_statement(parser);
      if (!read) return refuse(with_foreign_hint(std::move(read).error(), text_));
      goes_on = *read;
      lexer = parser.rest();
    }
    return std::move(kernels_);
  }
  /// The same; what refuses a kernel does not end it.
  Result<ReadKernels> read_all() {
    std::vector<ReadKernels::Refused> refused;
    refused_ = &refused;
    auto kernels = read();
    if (!kernels) return refuse(std::move(kernels).error());
    return ReadKernels{*std::move(kernels), std::move(refused)};
  }
  /// The names of all kernels that were read.
  [[nodiscard]] const std::vector<std::string>& kernel_names() const { return kernel_names_; }

 private:
  /// Reads one statement; false at the end.
  Result<bool> read_statement(KernelParser& parser) {
    parser.skip_separators();
    if (parser.is_at_kernel()) {
      HEDDLE_TRY(const KernelSyntax syntax, parser.kernel());
      HEDDLE_CHECK(add(syntax));
      return true;
    }
    if (parser.is_at_instruction()) {
      HEDDLE_TRY(const InstructionSyntax syntax, parser.instruction());
      HEDDLE_CHECK(check_new(syntax.name));
      HEDDLE_TRY(additions_.instructions.emplace_back(),
                 KernelBuilder(text_, names_).build(syntax));
      return true;
    }
    if (parser.is_at_schedule()) {
      HEDDLE_TRY(const ScheduleSyntax syntax, parser.schedule());
      HEDDLE_CHECK(check_new(syntax.name));
      HEDDLE_TRY(additions_.schedules.emplace_back(), KernelBuilder(text_, names_).build(syntax));
      return true;
    }
    if (parser.is_at_macro()) {
      HEDDLE_TRY(MacroSyntax syntax, parser.outer_macro());
      HEDDLE_CHECK(define(std::move(syntax)));
      return true;
    }
    HEDDLE_TRY(const std::optional<Statement> statement, parser.statement());
    if (!statement) return false;
    HEDDLE_CHECK(execute(*statement));
    return true;
  }

  Result<void> add(const KernelSyntax& syntax) {
    HEDDLE_CHECK(check_new(syntax.name));
    kernel_names_.emplace_back(syntax.name.text);
    if (!only_.empty() && syntax.name.text != only_) return {};
    Result<kernel::Kernel> kernel = KernelBuilder(text_, names_).build(syntax, additions_);
    if (kernel) {
      kernels_.push_back(*std::move(kernel));
      return {};
    }
    if (refused_ == nullptr) return refuse(std::move(kernel).error());
    refused_->push_back(
        {std::string(syntax.name.text), with_foreign_hint(std::move(kernel).error(), text_)});
    return {};
  }

  /// Refuses the name of another kernel, instruction, schedule, macro or operator.
  [[nodiscard]] Result<void> check_new(const NameSyntax& name) const {
    const auto is_in = [&](const auto& list) {
      return std::ranges::any_of(list, [&](const auto& each) { return each.name == name.text; });
    };
    if (std::ranges::find(kernel_names_, name.text) != kernel_names_.end())
      return refuse_taken("another kernel is called {}", name);
    if (is_in(additions_.instructions) || is_in(additions_.schedules) ||
        names_.find(name.text) != nullptr || kernel::find_operator(name.text) != nullptr) {
      return refuse_taken("{} has a meaning here already", name);
    }
    return {};
  }

  static Refusal refuse_taken(fmt::format_string<std::string> message, const NameSyntax& name) {
    return refuse_in_kernel("kernel.name_taken", fmt::format(message, quote(name.text)), name.span,
                            fmt::format("choose another name, such as my_{}", name.text));
  }

  Result<void> define(MacroSyntax syntax) {
    HEDDLE_CHECK(KernelBuilder(text_, names_).check_macro(syntax, names_));
    const MacroSyntax& macro = macros_.emplace_back(std::move(syntax));
    names_.bind(macro.name.text, Macro{&macro, &names_});
    return {};
  }

  /// Claims and pictures are for the command; they bind nothing.
  Result<void> execute(const Statement& statement) {
    switch (statement.kind) {
      case StatementKind::kAssume:
      case StatementKind::kAxis:
        return names_.environment().assume(statement);
      case StatementKind::kBinding:
        return bind(statement);
      default:
        return {};
    }
  }

  Result<void> bind(const Statement& statement) {
    HEDDLE_TRY(const Value value, evaluate(statement.expression, names_.environment()));
    auto bound = names_.environment().bind(statement.names, value);
    if (!bound) return refuse(std::move(bound).error().with_span(statement.span));
    return {};
  }

  std::string_view text_;
  KernelNames names_;
  std::deque<MacroSyntax> macros_;
  KernelBuilder::Additions additions_;
  std::string_view only_;
  std::vector<std::string> kernel_names_;
  std::vector<kernel::Kernel> kernels_;
  /// Where refusals of kernels are kept.
  std::vector<ReadKernels::Refused>* refused_ = nullptr;
};

}  // namespace

Result<std::vector<kernel::Kernel>> parse_kernels(std::string_view text,
                                                  const Environment& environment) {
  return KernelProgram(text, environment).read();
}

Result<ReadKernels> parse_each_kernel(std::string_view text, const Environment& environment) {
  return KernelProgram(text, environment).read_all();
}

Result<kernel::Kernel> parse_kernel(std::string_view text, std::string_view name,
                                    const Environment& environment) {
  KernelProgram program(text, environment);
  HEDDLE_TRY(const std::vector<kernel::Kernel> kernels, program.read(name));
  if (kernels.size() == 1) return kernels.front();
  const std::vector<std::string>& names = program.kernel_names();
  const std::string what =
      names.empty()  ? "there are no kernels"
      : name.empty() ? fmt::format("there are {} kernels, and none is named", names.size())
                     : fmt::format("there is no kernel {}", quote(name));
  std::string hint = name.empty() ? std::string() : did_you_mean(name, names);
  if (names.empty()) hint = "a kernel begins as kernel NAME(X: f32[N]) launch cta 1, threads 128 {";
  if (hint.empty()) hint = its_names("kernel", names);
  return refuse(Diagnostic("kernel.unknown", what).with_hint(std::move(hint)));
}

}  // namespace heddle::notation
