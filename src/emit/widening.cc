#include "emit/widening.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "emit/writer.h"
#include "heddle/expr/variables.h"

namespace heddle::emit {

Result<Kernel> Widening::of(const Kernel& kernel) {
  printed_ = {};
  Kernel made = transformed(kernel, [this](const CodeExpression& node) { return widened(node); });
  HEDDLE_CHECK(printed_);
  return made;
}

/// The node, noted as wide if it is, with an operand cast that makes it so.
CodeExpression Widening::widened(const CodeExpression& node) {
  const CodeOperation operation = node.operation();
  if (is_condition(operation)) return node;
  const bool fits = fits_32_bits(range(node.value()));
  if (node.operands().empty()) {
    if (!fits && operation == CodeOperation::kConstant) wide_nodes_.insert(node.identity());
    return node;
  }
  std::vector<CodeExpression> operands(node.operands().begin(), node.operands().end());
  const std::span<CodeExpression> numbers =
      std::span(operands).subspan(operation == CodeOperation::kSelect ? 1 : 0);
  const bool is_shift =
      operation == CodeOperation::kShiftLeft || operation == CodeOperation::kShiftRight;
  const auto deciding = is_shift ? numbers.first(1) : numbers;
  bool has_wide =
      std::ranges::any_of(deciding, [this](const CodeExpression& each) { return is_wide(each); });
  const bool is_of_one_type =
      operation == CodeOperation::kMinimum || operation == CodeOperation::kMaximum;
  for (CodeExpression& each : deciding) {
    if (is_wide(each) || (has_wide ? !is_of_one_type : fits)) continue;
    const bool is_number = each.operation() == CodeOperation::kConstant;
    if (is_number && !is_of_one_type) continue;
    each = cast(each);
    has_wide = true;
  }
  CodeExpression made = CodeExpression::make(operation, std::move(operands), node.value());
  if (has_wide) wide_nodes_.insert(made.identity());
  return made;
}

CodeExpression Widening::cast(const CodeExpression& operand) {
  Kernel kernel;
  kernel.results.push_back(operand);
  auto printed = print(kernel, options_);
  if (!printed) {
    printed_ = tl::unexpected(std::move(printed).error());
    return operand;
  }
  const std::string& text = printed->results.front();
  const std::string name = fmt::format("heddle wide {}", options_.spelling.size());
  options_.spelling[name] =
      fmt::format(fmt::runtime(is_atom(text) ? "({}){}" : "({})({})"), wide_, text);
  CodeExpression made = CodeExpression::variable(name, operand.value());
  wide_nodes_.insert(made.identity());
  return made;
}

}  // namespace heddle::emit
