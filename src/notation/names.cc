#include "notation/names.h"

#include <utility>
#include <vector>

namespace heddle::notation {

bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }

namespace {

/// A node whose parts are sizes: a tuple, a layout or a tiler written out.
bool holds_sizes(const Expression& expression) {
  if (const auto* parentheses = std::get_if<Parentheses>(&expression.node)) {
    return expression.parts.size() > 1 || parentheses->has_trailing_comma;
  }
  return std::holds_alternative<LayoutLiteral>(expression.node) ||
         std::holds_alternative<TilerLiteral>(expression.node) ||
         std::holds_alternative<ListLiteral>(expression.node) ||
         std::holds_alternative<BasisLiteral>(expression.node) ||
         std::holds_alternative<ItersLiteral>(expression.node) ||
         std::holds_alternative<OnAxis>(expression.node);
}

/// A node that passes on what its parts are: a size plus a size is a size.
bool passes_on(const Expression& expression) {
  return std::holds_alternative<Parentheses>(expression.node) ||
         std::holds_alternative<Arithmetic>(expression.node) ||
         std::holds_alternative<Negation>(expression.node);
}

void collect_sizes(const Expression& expression, bool among_sizes,
                   std::set<std::string_view>& names) {
  if (const auto* reference = std::get_if<Reference>(&expression.node)) {
    if (among_sizes && is_capital(reference->name.front())) names.insert(reference->name);
    return;
  }
  const bool sizes = holds_sizes(expression) || (among_sizes && passes_on(expression));
  for (const Expression& part : expression.parts) collect_sizes(part, sizes, names);
}

void collect_unknowns(const Expression& expression, std::vector<const Expression*>& unknowns) {
  if (std::holds_alternative<DynamicLiteral>(expression.node)) unknowns.push_back(&expression);
  for (const Expression& part : expression.parts) collect_unknowns(part, unknowns);
}

void collect_names(const Expression& expression, std::set<std::string_view>& names) {
  if (const auto* reference = std::get_if<Reference>(&expression.node)) {
    names.insert(reference->name);
  }
  for (const Expression& part : expression.parts) collect_names(part, names);
}

}  // namespace

std::set<std::string_view> names_in(const Expression& expression) {
  std::set<std::string_view> names;
  collect_names(expression, names);
  return names;
}

std::set<std::string_view> sizes_in(const Expression& expression) {
  std::set<std::string_view> names;
  collect_sizes(expression, /*among_sizes=*/false, names);
  return names;
}

std::map<const Expression*, std::string> names_of_unknowns(const Expression& expression,
                                                           const std::set<std::string>& taken) {
  std::vector<const Expression*> unknowns;
  collect_unknowns(expression, unknowns);
  std::map<const Expression*, std::string> names;
  std::size_t number = 0;
  for (const Expression* unknown : unknowns) {
    std::string name = "D" + std::to_string(number++);
    while (taken.contains(name)) name = "D" + std::to_string(number++);
    names.emplace(unknown, std::move(name));
  }
  return names;
}

}  // namespace heddle::notation
