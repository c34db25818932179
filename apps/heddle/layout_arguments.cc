#include "heddle/layout_arguments.h"

#include <filesystem>
#include <system_error>

#include "heddle/console.h"
#include "heddle/notation/any_layout.h"
#include "heddle/notation/npy.h"
#include "heddle/numbers_option.h"

namespace heddle::app {
namespace {

/// What begins with a brace or a bracket: a relation has an arrow, `{ [i] -> … }`, `[N] -> { … }`;
/// a table has lists, `[[0,1],[2,3]]`, `{"table": …}`.
bool begins_with_bracket(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  return begin != std::string_view::npos && (text[begin] == '[' || text[begin] == '{');
}

bool looks_like_relation(std::string_view text) {
  return begins_with_bracket(text) && text.find("->") != std::string_view::npos &&
         text.find('"') == std::string_view::npos;
}

bool looks_like_table(std::string_view text) {
  constexpr std::string_view kNumbers = "[]0123456789-, \t\r\n";
  if (!begins_with_bracket(text)) return false;
  return text.find("\"table\"") != std::string_view::npos ||
         text.find_first_not_of(kNumbers) == std::string_view::npos;
}

/// The table that a NumPy array or nested lists are; nothing for what is an expression.
Result<std::optional<form::Table>> table_in(std::string_view text) {
  if (notation::looks_like_npy(text)) return notation::read_npy(text);
  if (looks_like_table(text)) return notation::parse_table(text);
  return std::nullopt;
}

}  // namespace

Result<std::string> argument_text(const std::string& argument) {
  std::error_code ignored;
  if (argument == "-" || std::filesystem::is_regular_file(argument, ignored)) {
    return read_file(argument);
  }
  const bool is_path = argument.ends_with(".npy") || argument.ends_with(".json");
  if (is_path) return read_file(argument);
  return argument;
}

Result<notation::Value> value_of(const std::string& text,
                                 const notation::Environment& environment) {
  HEDDLE_TRY(std::optional<form::Table> table, table_in(text));
  if (table) return notation::Value(*std::move(table));
  if (looks_like_relation(text)) return notation::Value(text);
  return notation::evaluate(text, environment);
}

Result<notation::Value> value_in(const std::string& argument,
                                 const notation::Environment& environment) {
  HEDDLE_TRY(const std::string text, argument_text(argument));
  return value_of(text, environment);
}

Result<std::optional<map::Reading>> reading_of(const std::string& text) {
  if (text.empty()) return std::nullopt;
  return notation::reading_named(text);
}

Result<std::optional<std::vector<Int>>> box_of(const std::string& text) {
  if (text.empty()) return std::nullopt;
  HEDDLE_TRY(const std::vector<std::int64_t> sizes, numbers_of(kShapeOption, text));
  return std::vector<Int>(sizes.begin(), sizes.end());
}

}  // namespace heddle::app
