#include "heddle/notation/syntax.h"

#include <algorithm>
#include <utility>

namespace heddle::notation {

Expression make_expression(Expression::Node node, Span span, std::vector<Expression> parts) {
  std::size_t height = 0;
  for (const Expression& part : parts) height = std::max(height, part.height);
  return Expression{std::move(node), std::move(parts), span, height + 1};
}

bool is_tuple(const Expression& expression) {
  const auto* parentheses = std::get_if<Parentheses>(&expression.node);
  if (parentheses == nullptr) return false;
  return expression.parts.size() > 1 || parentheses->has_trailing_comma ||
         parentheses->is_literal || is_tuple(expression.parts.front());
}

bool is_group(const Expression& expression) {
  return std::holds_alternative<Parentheses>(expression.node) && expression.parts.size() == 1 &&
         !is_tuple(expression);
}

bool is_denial(const Expression& expression) {
  if (!std::holds_alternative<Choice>(expression.node)) return false;
  const auto is_added = [](const Expression& part, std::string_view name) {
    const auto* reference = std::get_if<Reference>(&part.node);
    return reference != nullptr && reference->name == name && part.span.begin == part.span.end;
  };
  return is_added(expression.parts[1], "false") && is_added(expression.parts[2], "true");
}

}  // namespace heddle::notation
