// Values in kernels, computed element by element: exp(x - m[:, None]) * 0.5.

#include "notation/kernel/kernel_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "core/text.h"
#include "heddle/core/nearest_names.h"

namespace heddle::notation {

namespace {

using kernel::Elementwise;
using kernel::Function;
using kernel::Number;

std::optional<Function> function_of(TokenKind sign) {
  switch (sign) {
    case TokenKind::kPlus:
      return Function::kAdd;
    case TokenKind::kMinus:
      return Function::kSubtract;
    case TokenKind::kStar:
      return Function::kMultiply;
    case TokenKind::kSlash:
      return Function::kDivide;
    case TokenKind::kFloorDivide:
      return Function::kQuotient;
    case TokenKind::kPercent:
      return Function::kRemainder;
    case TokenKind::kEqual:
      return Function::kEqual;
    case TokenKind::kNotEqual:
      return Function::kNotEqual;
    case TokenKind::kLess:
    case TokenKind::kGreater:
      return Function::kLess;
    case TokenKind::kLessEqual:
    case TokenKind::kGreaterEqual:
      return Function::kAtMost;
    default:
      return std::nullopt;
  }
}

KernelValue literal_of(Number number) { return {Elementwise{Elementwise::Literal{number}}}; }

std::vector<KernelValue> pair_of(KernelValue a, KernelValue b) {
  std::vector<KernelValue> pair;
  pair.push_back(std::move(a));
  pair.push_back(std::move(b));
  return pair;
}

}  // namespace

/// A node over these parts, whose size and height are counted.
Result<KernelValue> KernelValues::made(Node node, std::vector<KernelValue> parts, Span span) const {
  KernelValue whole{Elementwise{std::move(node)}};
  for (KernelValue& part : parts) {
    whole.height = std::max(whole.height, part.height + 1);
    whole.nodes += part.nodes;
    whole.value.operands.push_back(std::move(part.value));
  }
  HEDDLE_CHECK(count(1, span));
  if (whole.height <= kMaxValueHeight) return whole;
  return refuse_in_kernel("syntax.too_deep",
                          fmt::format("a value nests more than {} deep", kMaxValueHeight), span,
                          "registers can hold a part of it: reg x: f32; x = …");
}

Result<KernelValue> KernelValues::applied(Function function, std::vector<KernelValue> parts,
                                          Span span) const {
  return made(Elementwise::Apply{function}, std::move(parts), span);
}

/// A constant is a number as it is written: `2*3` is 6, which takes the type of what it meets.
Result<KernelValue> KernelValues::integer_value(const Expression& expression) const {
  HEDDLE_TRY(Int integer, integer(expression));
  if (integer.is_constant()) return literal_of(Number(integer.value()));
  return made(Elementwise::Index{std::move(integer)}, {}, expression.span);
}

Result<KernelValue> KernelValues::named_value(std::string_view name, Span span) const {
  if (const auto* known = names_.find_as<KernelValue>(name)) {
    HEDDLE_CHECK(count(known->nodes, span));
    return *known;
  }
  if (name == "inf") return literal_of(Number(std::numeric_limits<double>::infinity()));
  if (name == "true" || name == "false") {
    const std::int64_t truth = name == "true" ? 1 : 0;
    return made(Elementwise::Convert{kernel::DType::kBool}, {literal_of(Number(truth))}, span);
  }
  const bool is_known = names_.find(name) != nullptr || names_.environment().find(name) != nullptr;
  if (!is_known) return fail_name(name, span);
  return refuse_in_kernel("kernel.value", fmt::format("{} has no elements", quote(name)), span);
}

/// `a + 1 - b`, from left to right; integers at its beginning are one integer.
Result<KernelValue> KernelValues::arithmetic(const Arithmetic& node,
                                             const Expression& expression) const {
  const std::vector<Expression>& parts = expression.parts;
  std::size_t integers = 0;
  while (integers < parts.size() && is_integer(parts[integers]) &&
         (integers == 0 || node.operators[integers - 1] != TokenKind::kSlash)) {
    ++integers;
  }
  const auto first = [&]() -> Result<KernelValue> {
    if (integers < 2) return value(parts.front());
    Arithmetic beginning;
    beginning.operators.assign(
        node.operators.begin(),
        std::next(node.operators.begin(), static_cast<std::ptrdiff_t>(integers) - 1));
    return integer_value(make_expression(
        std::move(beginning), {expression.span.begin, parts[integers - 1].span.end},
        {parts.begin(), std::next(parts.begin(), static_cast<std::ptrdiff_t>(integers))}));
  };
  HEDDLE_TRY(KernelValue left, first());
  for (std::size_t i = std::max<std::size_t>(integers, 1); i != parts.size(); ++i) {
    HEDDLE_TRY(KernelValue right, value(parts[i]));
    HEDDLE_TRY(left, applied(*function_of(node.operators[i - 1]),
                             pair_of(std::move(left), std::move(right)), expression.span));
  }
  return left;
}

/// `a > b` is b < a.
Result<KernelValue> KernelValues::comparison(const ComparisonNode& node,
                                             const Expression& expression) const {
  const bool is_turned =
      node.comparator == TokenKind::kGreater || node.comparator == TokenKind::kGreaterEqual;
  HEDDLE_TRY(KernelValue left, value(expression.parts[is_turned ? 1 : 0]));
  HEDDLE_TRY(KernelValue right, value(expression.parts[is_turned ? 0 : 1]));
  return applied(*function_of(node.comparator), pair_of(std::move(left), std::move(right)),
                 expression.span);
}

Result<KernelValue> KernelValues::connected(const Connective& node,
                                            const Expression& expression) const {
  HEDDLE_TRY(KernelValue left, value(expression.parts.front()));
  for (const Expression& part : std::span(expression.parts).subspan(1)) {
    HEDDLE_TRY(KernelValue right, value(part));
    HEDDLE_TRY(left, applied(node.is_and ? Function::kAnd : Function::kOr,
                             pair_of(std::move(left), std::move(right)), expression.span));
  }
  return left;
}

Result<KernelValue> KernelValues::chosen(const Expression& expression) const {
  std::vector<KernelValue> parts;
  HEDDLE_TRY(parts.emplace_back(), value(expression.parts[0]));
  if (is_denial(expression)) return applied(Function::kNot, std::move(parts), expression.span);
  HEDDLE_TRY(parts.emplace_back(), value(expression.parts[1]));
  HEDDLE_TRY(parts.emplace_back(), value(expression.parts[2]));
  return applied(Function::kSelect, std::move(parts), expression.span);
}

/// `-x`; of a number it is a number.
Result<KernelValue> KernelValues::negated(const Expression& expression) const {
  HEDDLE_TRY(KernelValue operand, value(expression.parts.front()));
  const auto* literal = std::get_if<Elementwise::Literal>(&operand.value.node);
  if (literal != nullptr && literal->value.is_real) return literal_of(Number(-literal->value.real));
  std::vector<KernelValue> parts;
  parts.push_back(std::move(operand));
  return applied(Function::kNegate, std::move(parts), expression.span);
}

/// `exp(x)`, `f16(x)`
Result<KernelValue> KernelValues::called(const Expression& expression) const {
  const auto* name = std::get_if<Reference>(&expression.parts.front().node);
  if (name == nullptr) {
    return refuse_in_kernel(
        "kernel.function",
        fmt::format("{} is not a function of elements", shown(expression.parts.front())),
        expression.span);
  }
  const auto function = kernel::find_function(name->name);
  const auto type = kernel::find_dtype(name->name);
  if (names_.find_as<Macro>(name->name) != nullptr) {
    return refuse_in_kernel(
        "kernel.macro", fmt::format("{} is a macro, and has no value", quote(name->name)),
        expression.span, "call it as a statement: its operands are what it reads and writes");
  }
  if (!function && !type) {
    std::vector<std::string> names;
    for (int i = 0; i <= static_cast<int>(Function::kFloor); ++i) {
      const std::string_view known = kernel::name_of(static_cast<Function>(i));
      if (kernel::find_function(known)) names.emplace_back(known);
    }
    for (const kernel::DType known : kernel::dtypes()) names.emplace_back(kernel::name_of(known));
    return refuse_in_kernel("kernel.function",
                            fmt::format("unknown function of elements {}", quote(name->name)),
                            expression.parts.front().span, did_you_mean(name->name, names));
  }
  const std::size_t wanted = function ? kernel::operand_count(*function) : 1;
  const auto& keywords = std::get<Application>(expression.node).names;
  const bool has_keyword =
      std::ranges::any_of(keywords, [](std::string_view keyword) { return !keyword.empty(); });
  if (expression.parts.size() != wanted + 1 || has_keyword) {
    // Elsewhere max of one operand is a reduction.
    const bool is_extremum = name->name == "max" || name->name == "min";
    const std::string reduced =
        is_extremum && expression.parts.size() == 2
            ? fmt::format("reduce(m, {}, op=\"{}\", axis=0)",
                          text_at(text_, expression.parts[1].span), name->name)
            : std::string();
    return refuse_in_kernel("kernel.function",
                            fmt::format("{} takes {}, without names", name->name,
                                        counted(static_cast<std::int64_t>(wanted), "operand")),
                            expression.span, reduced);
  }
  std::vector<KernelValue> parts;
  for (const Expression& part : std::span(expression.parts).subspan(1)) {
    HEDDLE_TRY(parts.emplace_back(), value(part));
  }
  if (function) return applied(*function, std::move(parts), expression.span);
  return made(Elementwise::Convert{*type}, std::move(parts), expression.span);
}

Result<KernelValue> KernelValues::value(const Expression& expression) const {
  if (is_integer(expression)) return integer_value(expression);
  if (is_view(expression)) {
    HEDDLE_TRY(TypedView read, view(expression));
    return made(std::move(read.view), {}, expression.span);
  }
  if (only_groups(expression)) return value(expression.parts.front());
  if (const auto* real = std::get_if<RealLiteral>(&expression.node)) {
    return literal_of(Number(real->value));
  }
  if (const auto* name = std::get_if<Reference>(&expression.node)) {
    return named_value(name->name, expression.span);
  }
  if (std::holds_alternative<Negation>(expression.node)) return negated(expression);
  if (const auto* node = std::get_if<Arithmetic>(&expression.node)) {
    return arithmetic(*node, expression);
  }
  if (const auto* node = std::get_if<ComparisonNode>(&expression.node)) {
    return comparison(*node, expression);
  }
  if (const auto* node = std::get_if<Connective>(&expression.node)) {
    return connected(*node, expression);
  }
  if (std::holds_alternative<Choice>(expression.node)) return chosen(expression);
  if (std::holds_alternative<Subscript>(expression.node) ||
      std::holds_alternative<Member>(expression.node)) {
    HEDDLE_CHECK(view(expression));
  }
  if (std::holds_alternative<Application>(expression.node)) return called(expression);
  return refuse_in_kernel("kernel.value", fmt::format("{} has no elements", shown(expression)),
                          expression.span,
                          "values are tensors, numbers and functions of these: exp(x - m)*0.5");
}

}  // namespace heddle::notation
