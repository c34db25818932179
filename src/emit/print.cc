// Shared by all languages: checks of a kernel, and its expressions in order.

#include "heddle/emit/print.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>

#include "core/words.h"
#include "emit/writer.h"

namespace heddle::emit {
namespace {

bool has_name(const CodeExpression& expression) {
  return expression.operation() == CodeOperation::kVariable ||
         expression.operation() == CodeOperation::kDefinition;
}

Result<void> check_names(const SpelledKernel& kernel, Dialect dialect) {
  std::string taken;
  for_each_node(*kernel.kernel, [&](const CodeExpression& node) {
    if (!taken.empty() || !has_name(node) || kernel.spelling.contains(node.name())) return;
    if (is_reserved(node.name(), dialect)) taken = node.name();
  });
  if (taken.empty()) return {};
  return refuse(Diagnostic("print.name",
                           fmt::format("'{}' means something else in {}", taken, title_of(dialect)))
                    .with_hint("give the variable another name"));
}

/// Refuses operations: a line of MLIR is one operation on values that have names.
Result<void> check_is_number(const Kernel& kernel) {
  std::vector<CodeExpression> all = kernel.results;
  all.insert(all.end(), kernel.guards.begin(), kernel.guards.end());
  for (const CodeExpression& expression : all) {
    if (expression.operation() == CodeOperation::kConstant) continue;
    return refuse(Diagnostic("print.operation",
                             fmt::format("MLIR has no expressions within a line, such as {}",
                                         heddle::to_string(expression)))
                      .with_hint("call a function: emit(LAYOUT, 'mlir', 'idx') writes it"));
  }
  return {};
}

/// Triton's blocks have no loops, and no operations that need them.
Result<void> check_operations(const Kernel& kernel, Dialect dialect) {
  if (dialect == Dialect::kMlir) return check_is_number(kernel);
  if (dialect != Dialect::kTriton) return {};
  const CodeExpression* loop = nullptr;
  for_each_node(kernel, [&](const CodeExpression& node) {
    const CodeOperation operation = node.operation();
    if (operation == CodeOperation::kGcd || operation == CodeOperation::kSquareRoot) loop = &node;
  });
  if (loop == nullptr) return {};
  return refuse(Diagnostic("print.operation", fmt::format("Triton has no {}, which {} needs",
                                                          loop->operation() == CodeOperation::kGcd
                                                              ? "greatest common divisor"
                                                              : "square root of integers",
                                                          heddle::to_string(*loop)))
                    .with_hint("--target python, in a function that is called per element"));
}

/// The expression language prints itself, except spellings; for MLIR only numbers get here.
std::unique_ptr<Writer> make_writer(const PrintOptions& options, bool is_narrow) {
  if (is_c_like(options.dialect)) return make_c_writer(options, is_narrow);
  if (is_python_like(options.dialect)) return make_python_writer(options, is_narrow);
  if (options.dialect == Dialect::kLatex) return make_latex_writer(options);
  return std::make_unique<Writer>(expr::expression_language(), options);
}

}  // namespace

Range range_on_the_way(const Kernel& kernel) {
  // Definitions that are truth values have no number.
  std::set<std::string> truths;
  for (const auto& [name, value] : kernel.definitions) {
    const bool is_named_truth =
        value.operation() == CodeOperation::kDefinition && truths.contains(value.name());
    if (is_condition(value.operation()) || is_named_truth) truths.insert(name);
  }
  Range all{0, 0};
  for_each_node(kernel, [&](const CodeExpression& node) {
    const bool is_truth =
        node.operation() == CodeOperation::kDefinition && truths.contains(node.name());
    if (is_truth || is_condition(node.operation())) return;
    all = joined(all, range(node.value()));
  });
  return all;
}

bool fits_32_bits(const Range& values) {
  return values.low >= INT32_MIN && values.high <= INT32_MAX;
}

Target usual_target(Dialect dialect) {
  switch (dialect) {
    case Dialect::kC:
    case Dialect::kCpp:
    case Dialect::kPython:
      return Target::cpu();
    case Dialect::kHeddle:
    case Dialect::kLatex:
      return Target::operations();
    default:
      return Target::gpu();
  }
}

Result<std::vector<PrintedKernel>> print_together(std::span<const SpelledKernel> kernels,
                                                  const PrintOptions& options) {
  bool is_narrow = options.narrow;
  for (const SpelledKernel& spelled : kernels) {
    HEDDLE_CHECK(check_names(spelled, options.dialect));
    HEDDLE_CHECK(check_operations(*spelled.kernel, options.dialect));
    is_narrow = is_narrow && fits_32_bits(range_on_the_way(*spelled.kernel));
  }
  const std::unique_ptr<Writer> writer = make_writer(options, is_narrow);
  const auto text = [&](const CodeExpression& expression) { return writer->text(expression); };
  std::vector<PrintedKernel> all;
  for (const auto& [kernel, spelling] : kernels) {
    PrintedKernel& printed = all.emplace_back();
    writer->spell(spelling);
    for (const auto& [name, value] : kernel->definitions) {
      printed.definitions.push_back(writer->statement(name, value));
    }
    std::ranges::transform(kernel->results, std::back_inserter(printed.results), text);
    std::ranges::transform(kernel->guards, std::back_inserter(printed.guards), text);
  }
  for (PrintedKernel& printed : all) {
    printed.helpers = writer->helpers();
    if (is_c_like(options.dialect)) printed.type = integer_type(options.dialect, is_narrow);
  }
  return all;
}

Result<PrintedKernel> print(const Kernel& kernel, const PrintOptions& options) {
  const SpelledKernel spelled{&kernel, options.spelling};
  HEDDLE_TRY(std::vector<PrintedKernel> printed, print_together({&spelled, 1}, options));
  return std::move(printed.front());
}

std::string spelled_words(std::string_view text, const Spelling& spelling) {
  std::string made;
  while (!text.empty()) {
    const std::string piece(text.substr(0, std::max<std::size_t>(first_word(text).size(), 1)));
    const auto found = spelling.find(piece);
    made += found == spelling.end() ? piece : found->second;
    text.remove_prefix(piece.size());
  }
  return made;
}

std::string to_string(const PrintedKernel& kernel) {
  std::string text;
  for (const auto* lines : {&kernel.definitions, &kernel.results, &kernel.guards}) {
    for (const std::string& line : *lines) text += line + '\n';
  }
  return text;
}

}  // namespace heddle::emit
