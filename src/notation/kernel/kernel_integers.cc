// Integers in kernels: which expressions are integers, and why others are none.

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "core/text.h"
#include "heddle/core/nearest_names.h"
#include "notation/kernel/kernel_values.h"
#include "notation/language/free_names.h"

namespace heddle::notation {

namespace {

using kernel::Function;

bool is_truth(const Expression& expression) {
  const auto* name = std::get_if<Reference>(&expression.node);
  return name != nullptr && (name->name == "true" || name->name == "false");
}

/// Whether integers have this function too, as an operation of the language.
bool is_of_integers(Function function) {
  return function == Function::kMin || function == Function::kMax;
}

/// The expression without the parentheses that only group; the language takes (8) for a tuple.
Expression ungrouped(const Expression& expression) {
  if (only_groups(expression)) return ungrouped(expression.parts.front());
  Expression same = expression;
  const bool may_group = std::holds_alternative<Negation>(expression.node) ||
                         std::holds_alternative<Arithmetic>(expression.node) ||
                         std::holds_alternative<Choice>(expression.node) ||
                         std::holds_alternative<ComparisonNode>(expression.node) ||
                         std::holds_alternative<Connective>(expression.node) ||
                         std::holds_alternative<Application>(expression.node);
  if (!may_group) return same;
  for (Expression& part : same.parts) part = ungrouped(part);
  return same;
}

bool is_of_threads(std::string_view name) {
  return name == "tx" || name == "laneid" || name == "warpid";
}

}  // namespace

bool only_groups(const Expression& expression) {
  const auto* parentheses = std::get_if<Parentheses>(&expression.node);
  return parentheses != nullptr && expression.parts.size() == 1 && !parentheses->has_trailing_comma;
}

Refusal refuse_in_kernel(std::string_view code, std::string_view message, Span span,
                         std::string hint) {
  return refuse(Diagnostic(code, message).with_span(span).with_hint(std::move(hint)));
}

std::string KernelValues::shown(const Expression& expression) const {
  return quote(text_at(text_, expression.span));
}

Result<void> KernelValues::count(std::size_t nodes, Span span) const {
  nodes_ += nodes;
  if (nodes_ <= kMaxKernelNodes) return {};
  return refuse_in_kernel(
      "syntax.too_long",
      fmt::format("the kernel has more than {} parts, its macros expanded", kMaxKernelNodes), span,
      "a macro copies whatever it is called with wherever its parameter occurs");
}

// What is an integer.

bool KernelValues::is_integer_name(std::string_view name) const {
  if (const Meaning* meaning = names_.find(name)) return std::holds_alternative<Int>(*meaning);
  const Environment& program = names_.environment();
  if (const Value* value = program.find(name)) return value->is_integer();
  return program.assumptions().variables().contains(name);
}

/// Whether the language can evaluate it: it holds no tensors and no real numbers.
bool KernelValues::is_plain(const Expression& expression) const {
  if (std::holds_alternative<RealLiteral>(expression.node)) return false;
  if (const auto* name = std::get_if<Reference>(&expression.node)) {
    const Meaning* meaning = names_.find(name->name);
    return meaning == nullptr || std::holds_alternative<Int>(*meaning);
  }
  return std::ranges::all_of(expression.parts,
                             [&](const Expression& part) { return is_plain(part); });
}

bool KernelValues::is_plain_condition(const Expression& expression) const {
  const auto all = [&](auto is_one) { return std::ranges::all_of(expression.parts, is_one); };
  if (is_truth(expression)) return true;
  if (std::holds_alternative<ComparisonNode>(expression.node)) {
    return all([&](const Expression& part) { return is_integer(part); });
  }
  const bool has_conditions = std::holds_alternative<Connective>(expression.node) ||
                              std::holds_alternative<Choice>(expression.node) ||
                              only_groups(expression);
  return has_conditions && all([&](const Expression& part) { return is_plain_condition(part); });
}

/// `min(k, 3)`; an operation of the language, `size(L)`; a layout of the program at a coordinate,
/// `L(k)`.
bool KernelValues::is_integer_call(const Expression& expression) const {
  const Expression* called = &expression.parts.front();
  if (const auto* name = std::get_if<Reference>(&called->node)) {
    if (const auto function = kernel::find_function(name->name)) {
      const auto arguments = std::span(expression.parts).subspan(1);
      return is_of_integers(*function) &&
             std::ranges::all_of(arguments,
                                 [&](const Expression& part) { return is_integer(part); });
    }
    if (kernel::find_dtype(name->name) || names_.find(name->name) != nullptr) return false;
    const bool is_known = find_operation(name->name) != nullptr || name->name == "select" ||
                          names_.environment().find(name->name) != nullptr;
    return is_known && is_plain(expression);
  }
  while (std::holds_alternative<Member>(called->node)) called = &called->parts.front();
  const auto* root = std::get_if<Reference>(&called->node);
  return root != nullptr && names_.environment().find(root->name) != nullptr &&
         is_plain(expression);
}

bool KernelValues::is_integer(const Expression& expression) const {
  const auto all_parts = [&] {
    return std::ranges::all_of(expression.parts,
                               [&](const Expression& part) { return is_integer(part); });
  };
  if (std::holds_alternative<IntegerLiteral>(expression.node)) return true;
  if (const auto* name = std::get_if<Reference>(&expression.node)) {
    return is_integer_name(name->name);
  }
  if (only_groups(expression) || std::holds_alternative<Negation>(expression.node)) {
    return all_parts();
  }
  if (const auto* sum = std::get_if<Arithmetic>(&expression.node)) {
    return std::ranges::find(sum->operators, TokenKind::kSlash) == sum->operators.end() &&
           all_parts();
  }
  if (std::holds_alternative<Choice>(expression.node)) {
    return is_plain_condition(expression.parts[0]) && is_integer(expression.parts[1]) &&
           is_integer(expression.parts[2]);
  }
  if (std::holds_alternative<Subscript>(expression.node)) {
    const auto* root = std::get_if<Reference>(&expression.parts.front().node);
    return root != nullptr && names_.find(root->name) == nullptr &&
           names_.environment().find(root->name) != nullptr && is_plain(expression);
  }
  return std::holds_alternative<Application>(expression.node) && is_integer_call(expression);
}

// Their values.

Result<Int> KernelValues::integer(const Expression& expression) const {
  if (const auto* literal = std::get_if<IntegerLiteral>(&expression.node)) return literal->value;
  if (!is_integer(expression)) return fail_integer(expression);
  if (const auto* name = std::get_if<Reference>(&expression.node)) {
    if (const auto* known = names_.find_as<Int>(name->name)) return *known;
  }
  HEDDLE_TRY(const Value value, evaluate(ungrouped(expression), names_.environment()));
  for (const std::string& variable : variables(value)) {
    HEDDLE_CHECK(check_named(variable, expression.span));
    // The language has variables for the indices of a LEGO layout, L(i,j).
    if (!is_variable(variable)) return fail_name(variable, expression.span);
  }
  if (value.is_integer()) return value.get<IntTuple>().leaf();
  return refuse_in_kernel(
      "kernel.integer",
      fmt::format("{} is {}, and an integer is needed", shown(expression), kind_name(value)),
      expression.span);
}

/// Whether something in the kernel or in front of it has the variable.
bool KernelValues::is_variable(std::string_view name) const {
  const Environment& known = names_.environment();
  return names_.find(name) != nullptr || known.assumptions().variables().contains(name) ||
         known.is_taken(name);
}

/// Refuses the variable of a `?`, of which less is known than of a size with its name, D0.
Result<void> KernelValues::check_named(std::string_view variable, Span span) const {
  const bool is_known = names_.find(variable) != nullptr ||
                        names_.environment().assumptions().variables().contains(variable);
  if (is_known || !unknown_called(variable)) return {};
  return refuse_in_kernel("kernel.integer", "in a kernel every size has a name, and '?' has none",
                          span, "(M,8):(8,1) has the size M");
}

Result<std::vector<Int>> KernelValues::integers(std::span<const Expression> expressions) const {
  std::vector<Int> values;
  for (const Expression& expression : expressions) {
    HEDDLE_TRY(values.emplace_back(), integer(expression));
  }
  return values;
}

Result<std::int64_t> KernelValues::constant(const Expression& expression) const {
  HEDDLE_TRY(const Int value, integer(expression));
  if (value.is_constant()) return value.value();
  return refuse_in_kernel(
      "kernel.integer",
      fmt::format("{} is known only when the kernel runs, and a number is needed",
                  shown(expression)),
      expression.span);
}

// Why there is none.

Refusal KernelValues::fail_name(std::string_view name, Span span) const {
  if (is_of_threads(name)) {
    return refuse_in_kernel(
        "kernel.scope",
        fmt::format("{} differs between the threads that do this together", quote(name)), span,
        "within thread { … } each thread does it on its own");
  }
  return refuse_in_kernel("kernel.name", fmt::format("unknown name {} here", quote(name)), span,
                          did_you_mean(name, names_.all()));
}

/// The first part that makes it no integer: a name without a meaning, a tensor, a real number.
const Expression* KernelValues::culprit_in(const Expression& expression) const {
  if (std::holds_alternative<RealLiteral>(expression.node) || is_view(expression)) {
    return &expression;
  }
  if (const auto* name = std::get_if<Reference>(&expression.node)) {
    return is_integer_name(name->name) ? nullptr : &expression;
  }
  const bool is_call = std::holds_alternative<Application>(expression.node);
  for (const Expression& part : std::span(expression.parts).subspan(is_call ? 1 : 0)) {
    if (const Expression* culprit = culprit_in(part)) return culprit;
  }
  return nullptr;
}

/// The first part that divides integers as numbers are divided, `N / 128`; nullptr if none does.
const Expression* KernelValues::division_in(const Expression& expression) const {
  const auto* node = std::get_if<Arithmetic>(&expression.node);
  const bool divides = node != nullptr && std::ranges::find(node->operators, TokenKind::kSlash) !=
                                              node->operators.end();
  if (divides && std::ranges::all_of(expression.parts,
                                     [&](const Expression& part) { return is_integer(part); })) {
    return &expression;
  }
  for (const Expression& part : expression.parts) {
    if (const Expression* found = division_in(part)) return found;
  }
  return nullptr;
}

Refusal KernelValues::fail_integer(const Expression& expression) const {
  const Expression* found = culprit_in(expression);
  if (found == nullptr) found = division_in(expression);
  const Expression& culprit = found == nullptr ? expression : *found;
  if (const auto* name = std::get_if<Reference>(&culprit.node)) {
    const bool is_known = names_.find(name->name) != nullptr || is_truth(culprit) ||
                          names_.environment().find(name->name) != nullptr;
    if (!is_known) return fail_name(name->name, culprit.span);
  }
  const bool is_read = is_view(culprit);
  return refuse_in_kernel("kernel.integer",
                          fmt::format("{} is {}, and an integer is needed", shown(culprit),
                                      is_read ? "an element of a tensor" : "not an integer"),
                          culprit.span, is_read ? reading_hint(culprit) : quotient_hint(culprit));
}

/// How an element of integers is read; only they can be indices.
std::string KernelValues::reading_hint(const Expression& element) const {
  const auto read = view(element);
  if (!read || is_float(read->type)) return {};
  return fmt::format("let n = {} reads it before", text_at(text_, element.span));
}

/// What is meant by `N / 128`.
std::string KernelValues::quotient_hint(const Expression& expression) const {
  if (division_in(expression) != &expression) return {};
  std::string meant(text_at(text_, expression.span));
  for (std::size_t at = meant.find('/'); at != std::string::npos; at = meant.find('/', at + 2)) {
    if (meant[at + 1] != '/') meant.insert(at, 1, '/');
  }
  return meant + " is the quotient rounded down";
}

}  // namespace heddle::notation
