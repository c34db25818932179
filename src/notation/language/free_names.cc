#include "notation/language/free_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "core/text.h"

namespace heddle::notation {

bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }

namespace {

/// Whether the parts of the node are sizes: a tuple, layout or tiler literal.
bool holds_sizes(const Expression& expression) {
  return is_tuple(expression) || std::holds_alternative<LayoutLiteral>(expression.node) ||
         std::holds_alternative<OnTile>(expression.node) ||
         std::holds_alternative<TilerLiteral>(expression.node) ||
         std::holds_alternative<ListLiteral>(expression.node) ||
         std::holds_alternative<BasisLiteral>(expression.node) ||
         std::holds_alternative<ItersLiteral>(expression.node) ||
         std::holds_alternative<OnAxis>(expression.node);
}

/// The meaning of names by place: elsewhere no sizes; in a shape and anywhere in a function body,
/// names with a capital letter are sizes; in a tile of a LEGO layout, all names are.
enum class Place { kElsewhere, kShape, kBody, kTile };

/// Whether the parts of the node have the same place as the node: a size plus a size is a size.
bool passes_on(const Expression& expression) {
  return std::holds_alternative<Parentheses>(expression.node) ||
         std::holds_alternative<Arithmetic>(expression.node) ||
         std::holds_alternative<Negation>(expression.node);
}

void collect_sizes(const Expression& expression, Place place, std::set<std::string_view>& names);

/// In a tile the arguments of a function are sizes too: [max(M//GM,1)].
void collect_called(const Expression& application, Place place, std::set<std::string_view>& names) {
  const std::string_view name = called_name(application);
  const std::size_t tiles = tile_count(name);
  const bool is_function = place == Place::kTile && tiles == 0 && !name.ends_with("OrderBy");
  const bool makes_tuple = std::ranges::find(kTupleMakers, name) != kTupleMakers.end();
  const Place usual = makes_tuple ? Place::kShape : Place::kElsewhere;
  collect_sizes(application.parts.front(), Place::kElsewhere, names);
  for (std::size_t i = 1; i < application.parts.size(); ++i) {
    const bool is_tile = is_function || i - 1 < tiles;
    // grouped(GM) takes sizes, but names of functions are no sizes.
    const bool is_named =
        name == "GenP" && i > 1 && std::holds_alternative<Application>(application.parts[i].node);
    collect_sizes(application.parts[i], is_tile || is_named ? Place::kTile : usual, names);
  }
}

void collect_sizes(const Expression& expression, Place place, std::set<std::string_view>& names) {
  if (const auto* reference = std::get_if<Reference>(&expression.node)) {
    const bool is_size = place == Place::kTile ||
                         (place != Place::kElsewhere && is_capital(reference->name.front()));
    if (is_size) names.insert(reference->name);
    return;
  }
  const bool is_body =
      place == Place::kBody || std::holds_alternative<FunctionLiteral>(expression.node);
  if (!is_body && std::holds_alternative<Application>(expression.node)) {
    return collect_called(expression, place, names);
  }
  Place within = holds_sizes(expression) || (place == Place::kShape && passes_on(expression))
                     ? Place::kShape
                     : Place::kElsewhere;
  const bool is_in_tile =
      place == Place::kTile &&
      (passes_on(expression) || std::holds_alternative<ListLiteral>(expression.node));
  if (is_in_tile) within = Place::kTile;
  if (is_body) within = Place::kBody;
  for (const Expression& part : expression.parts) collect_sizes(part, within, names);
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

bool is_word_of_python(std::string_view word) {
  constexpr std::array<std::string_view, 32> kWords = {
      "and",    "as",   "assert", "async",  "await",  "break",   "class",    "continue",
      "def",    "del",  "elif",   "else",   "except", "finally", "for",      "from",
      "global", "if",   "import", "in",     "is",     "lambda",  "nonlocal", "not",
      "or",     "pass", "raise",  "return", "try",    "while",   "with",     "yield"};
  return std::ranges::find(kWords, word) != kWords.end();
}

std::size_t tile_count(std::string_view name) {
  constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
  if (name == "GroupBy" || name == "TileBy" || name == "Row" || name == "Col") return kAll;
  if (name == "ExpandBy") return 2;
  return name == "RegP" || name == "GenP" ? 1 : 0;
}

std::string_view called_name(const Expression& expression) {
  if (!std::holds_alternative<Application>(expression.node)) return {};
  const Expression& function = expression.parts.front();
  if (const auto* member = std::get_if<Member>(&function.node)) return member->name;
  const auto* reference = std::get_if<Reference>(&function.node);
  return reference == nullptr ? std::string_view() : reference->name;
}

bool has_subscript(const Expression& expression) {
  return std::holds_alternative<Subscript>(expression.node) ||
         std::ranges::any_of(expression.parts, has_subscript);
}

std::set<std::string_view> names_in(const Expression& expression) {
  std::set<std::string_view> names;
  collect_names(expression, names);
  return names;
}

std::set<std::string_view> sizes_in(const Expression& expression) {
  std::set<std::string_view> names;
  collect_sizes(expression, Place::kElsewhere, names);
  return names;
}

std::vector<const Expression*> unknowns_in(const Expression& expression) {
  std::vector<const Expression*> unknowns;
  collect_unknowns(expression, unknowns);
  return unknowns;
}

std::string name_of_unknown(std::size_t number) { return fmt::format("D{}", number); }

std::optional<std::size_t> unknown_called(std::string_view name) {
  if (!name.starts_with('D')) return std::nullopt;
  const auto number = static_cast<std::size_t>(integer_in(name.substr(1)).value_or(0));
  return name_of_unknown(number) == name ? std::optional(number) : std::nullopt;
}

}  // namespace heddle::notation
