// Calls: an operator with its operands and options, or a macro, whose statements stand in its
// place.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/text.h"
#include "heddle/core/nearest_names.h"
#include "heddle/core/plain_text.h"
#include "heddle/kernel/operators.h"
#include "notation/kernel/kernel_builder.h"

namespace heddle::notation {

namespace {

using OptionKind = kernel::OptionRule::Kind;

/// Whether the operator has an option of this name and kind.
bool takes(std::string_view operation, std::string_view name, OptionKind kind) {
  const kernel::OperatorRule* rule = kernel::find_operator(operation);
  if (rule == nullptr) return false;
  const auto found = std::ranges::find(rule->options, name, &kernel::OptionRule::name);
  return found != rule->options.end() && found->kind == kind;
}

std::string_view called_word(const Expression& call) {
  return std::get<Reference>(call.parts.front().node).name;
}

}  // namespace

Result<void> KernelBuilder::call(const CallSyntax& syntax, KernelNames& names, kernel::Block& block,
                                 Span span) {
  const std::string_view name = called_word(syntax.call);
  if (const auto* macro = names.find_as<Macro>(name)) {
    if (syntax.schedule) {
      return refuse_in_kernel("kernel.macro",
                              fmt::format("{} is a macro, and only operators have schedules", name),
                              syntax.schedule->span, "write 'using' at the operators in the macro");
    }
    auto expanded = expand(*macro, syntax.call, names, block);
    if (expanded) return {};
    return refuse(std::move(expanded).error().with_note(
        fmt::format("in {}", quote(text_at(text_, syntax.call.span)))));
  }
  HEDDLE_TRY(kernel::Call made, operation(syntax, names));
  block.push_back({std::move(made), span});
  return {};
}

// Operators.

Result<kernel::Call> KernelBuilder::operation(const CallSyntax& syntax, const KernelNames& names) {
  const Expression& expression = syntax.call;
  const std::vector<std::string_view>& keywords = std::get<Application>(expression.node).names;
  kernel::Call call;
  call.operation = std::string(called_word(expression));
  const kernel::OperatorRule* rule = kernel::find_operator(call.operation);
  if (rule == nullptr) return fail_operator(expression, names);
  for (std::size_t i = 0; i != keywords.size(); ++i) {
    const Expression& argument = expression.parts[i + 1];
    if (!keywords[i].empty()) {
      HEDDLE_TRY(kernel::OptionValue set, option(call.operation, keywords[i], argument, names));
      if (call.options.emplace(keywords[i], std::move(set)).second) continue;
      return refuse_in_kernel("kernel.option", fmt::format("{} is set twice", keywords[i]),
                              argument.span);
    }
    if (!call.options.empty()) {
      return refuse_in_kernel("kernel.operands", "an operand comes after an option", argument.span,
                              "operands come first: copy(D, S, pad=0)");
    }
    HEDDLE_TRY(KernelValue operand, values(names).value(argument));
    call.operands.push_back(std::move(operand.value));
  }
  for (const kernel::OptionRule& each : rule->options) {
    if (each.usual) call.options.emplace(each.name, *each.usual);
  }
  if (syntax.schedule) call.schedule = std::string(syntax.schedule->text);
  HEDDLE_TRY(call.schedule_options, options(call.operation, syntax.schedule_options, names));
  return call;
}

Refusal KernelBuilder::fail_operator(const Expression& call, const KernelNames& names) const {
  const std::string_view name = called_word(call);
  std::vector<std::string> known;
  for (const kernel::OperatorRule& rule : kernel::operators()) known.emplace_back(rule.name);
  for (std::string& other : names.all()) {
    if (names.find_as<Macro>(other) != nullptr) known.push_back(std::move(other));
  }
  return refuse_in_kernel("kernel.operator",
                          fmt::format("there is no operator or macro {}", quote(name)),
                          call.parts.front().span, did_you_mean(name, known));
}

/// `true`, `"sum"`, `2.5`, `1`, `(0,1)`, `[0,1]`
Result<kernel::OptionValue> KernelBuilder::option(std::string_view operation, std::string_view name,
                                                  const Expression& value,
                                                  const KernelNames& names) {
  const KernelValues read = values(names);
  if (const auto* text = std::get_if<StringLiteral>(&value.node)) return text->value;
  if (const auto* word = std::get_if<Reference>(&value.node)) {
    const bool is_truth = word->name == "true" || word->name == "false";
    const bool truth = word->name == "true";
    if (is_truth && takes(operation, name, OptionKind::kNumber)) return truth ? 1.0 : 0.0;
    if (is_truth) return truth;
  }
  const bool is_tuple = std::holds_alternative<Parentheses>(value.node) && !only_groups(value);
  if (is_tuple || std::holds_alternative<ListLiteral>(value.node)) {
    std::vector<std::int64_t> axes;
    for (const Expression& part : value.parts) {
      HEDDLE_TRY(axes.emplace_back(), read.constant(part));
    }
    return axes;
  }
  if (read.is_integer(value)) {
    HEDDLE_TRY(const std::int64_t number, read.constant(value));
    if (takes(operation, name, OptionKind::kAxes)) return std::vector<std::int64_t>{number};
    if (std::abs(number) <= std::int64_t{1} << 53) return static_cast<double>(number);
    return refuse_in_kernel(
        "kernel.option",
        fmt::format("{} is set to {}, and options are exact up to 2^53", name, number), value.span);
  }
  HEDDLE_TRY(const KernelValue number, read.value(value));
  const auto* literal = std::get_if<kernel::Elementwise::Literal>(&number.value.node);
  if (literal != nullptr && literal->value.is_real) return literal->value.real;
  return refuse_in_kernel(
      "kernel.option",
      fmt::format("{} is set to {}, which is computed", name, quote(text_at(text_, value.span))),
      value.span, "options are numbers, true and false, texts in quotes and axes, (0,1)");
}

/// The options of a schedule, each set once.
Result<kernel::Options> KernelBuilder::options(std::string_view operation,
                                               const std::vector<OptionSyntax>& syntax,
                                               const KernelNames& names) {
  kernel::Options options;
  for (const OptionSyntax& each : syntax) {
    HEDDLE_TRY(kernel::OptionValue set, option(operation, each.name.text, each.value, names));
    if (options.emplace(each.name.text, std::move(set)).second) continue;
    return refuse_in_kernel("kernel.option", fmt::format("{} is set twice", each.name.text),
                            each.name.span);
  }
  return options;
}

// Macros.

Result<void> KernelBuilder::check_macro(const MacroSyntax& syntax, const KernelNames& names) const {
  HEDDLE_CHECK(check_name(syntax.name));
  if (names.find(syntax.name.text) != nullptr ||
      kernel::find_operator(syntax.name.text) != nullptr) {
    return refuse_in_kernel(
        "kernel.name_taken", fmt::format("{} has a meaning here already", quote(syntax.name.text)),
        syntax.name.span, fmt::format("choose another name, such as my_{}", syntax.name.text));
  }
  for (auto name = syntax.parameters.begin(); name != syntax.parameters.end(); ++name) {
    HEDDLE_CHECK(check_name(*name));
    const auto before = std::find_if(syntax.parameters.begin(), name, [&](const NameSyntax& other) {
      return other.text == name->text;
    });
    if (before == name) continue;
    return refuse_in_kernel("kernel.name_taken",
                            fmt::format("the macro has the parameter {} twice", quote(name->text)),
                            name->span);
  }
  return {};
}

Result<Meaning> KernelBuilder::argument(const Expression& expression, const KernelNames& names) {
  const KernelValues read = values(names);
  if (read.is_integer(expression)) {
    HEDDLE_TRY(Int integer, read.integer(expression));
    return integer;
  }
  if (read.is_view(expression)) {
    HEDDLE_TRY(TypedView view, read.view(expression));
    return view;
  }
  HEDDLE_TRY(KernelValue value, read.value(expression));
  return value;
}

Result<void> KernelBuilder::expand(const Macro& macro, const Expression& call,
                                   const KernelNames& names, kernel::Block& block) {
  const MacroSyntax& syntax = *macro.syntax;
  if (std::ranges::find(expanded_, &syntax) != expanded_.end()) {
    return refuse_in_kernel(
        "kernel.macro",
        fmt::format("the macro {} is expanded within itself", quote(syntax.name.text)), call.span,
        "a macro is not a function: what it repeats is a loop");
  }
  if (expanded_.size() == kMaxKernelNesting) {
    return refuse_in_kernel("syntax.too_deep",
                            fmt::format("macros nest more than {} deep", kMaxKernelNesting),
                            call.span);
  }
  // An expansion costs more than a statement, even of nothing.
  constexpr std::size_t kWork = 16;
  HEDDLE_CHECK(values(names).count(kWork, call.span));
  const auto& keywords = std::get<Application>(call.node).names;
  const bool has_keyword =
      std::ranges::any_of(keywords, [](std::string_view keyword) { return !keyword.empty(); });
  if (keywords.size() != syntax.parameters.size() || has_keyword) {
    const auto wanted = static_cast<std::int64_t>(syntax.parameters.size());
    return refuse_in_kernel("kernel.macro",
                            fmt::format("the macro {} takes {}, without names, and {} {} given",
                                        quote(syntax.name.text), heddle::counted(wanted, "operand"),
                                        keywords.size(), keywords.size() == 1 ? "is" : "are"),
                            call.span);
  }
  KernelNames inner(macro.home);
  for (const auto& [name, index] : indices_) inner.bind(name, index);
  for (std::size_t i = 0; i != syntax.parameters.size(); ++i) {
    HEDDLE_TRY(Meaning meaning, argument(call.parts[i + 1], names));
    inner.bind(syntax.parameters[i].text, std::move(meaning));
  }
  expanded_.push_back(&syntax);
  for (const StatementSyntax& statement : syntax.body) {
    HEDDLE_CHECK(add(statement, inner, block));
  }
  expanded_.pop_back();
  return {};
}

}  // namespace heddle::notation
