#include "heddle/arguments.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>

#include "heddle/notation/any_layout.h"
#include "heddle/notation/npy.h"

namespace heddle::app {

using notation::Environment;
using notation::Value;

namespace {

/// Whether the text is nested lists of numbers, `[[0,1],[2,3]]`, or an object, `{"table": …}`.
bool looks_like_table(std::string_view text) {
  constexpr std::string_view kNumbers = "[]0123456789-, \t\r\n";
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos || (text[begin] != '[' && text[begin] != '{')) return false;
  return text.find("\"table\"") != std::string_view::npos ||
         text.find_first_not_of(kNumbers) == std::string_view::npos;
}

/// The table in a NumPy array or nested lists; nullopt for an expression.
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
  constexpr std::string_view kFolders[] = {"./", "../", "/"};
  constexpr std::string_view kEndings[] = {".npy", ".json", ".csv", ".txt"};
  const bool is_path =
      std::ranges::any_of(kFolders, [&](auto folder) { return argument.starts_with(folder); }) ||
      std::ranges::any_of(kEndings, [&](auto ending) { return argument.ends_with(ending); });
  if (is_path) return read_file(argument);
  return argument;
}

Result<Value> value_of(const std::string& text, const Environment& environment) {
  HEDDLE_TRY(std::optional<form::Table> table, table_in(text));
  if (table) return Value(*std::move(table));
  return notation::evaluate(text, environment);
}

Result<Value> value_in(const std::string& argument, const Environment& environment) {
  HEDDLE_TRY(const std::string text, argument_text(argument));
  return value_of(text, environment);
}

Result<std::optional<map::Reading>> reading_of(const Said& said) {
  const std::string& text = said.text("--as");
  if (text.empty()) return std::nullopt;
  return notation::reading_named(text);
}

Result<std::optional<std::vector<Int>>> box_of(const Said& said) {
  if (!said.texts.contains(kShapeOption.name)) return std::nullopt;
  HEDDLE_TRY(const std::vector<std::int64_t> sizes, numbers_of(kShapeOption, said));
  if (sizes.empty()) return std::nullopt;
  return std::vector<Int>(sizes.begin(), sizes.end());
}

Result<Value> on_shape(Value value, const Said& said, const Environment& environment) {
  HEDDLE_TRY(const auto shape, box_of(said));
  if (!shape || !value.is<linear::Encoding>()) return value;
  Arguments arguments;
  arguments.add(std::move(value)).add("shape", Value(IntTuple::flat(*shape)));
  return std::move(arguments).call("encoding_to_linear_layout", environment);
}

Arguments& Arguments::add(Value value) { return add({}, std::move(value)); }

Arguments& Arguments::add(std::string name, Value value) {
  arguments_.push_back({std::move(value), std::move(name), {}});
  return *this;
}

Arguments& Arguments::add(Arguments more) {
  std::ranges::move(more.arguments_, std::back_inserter(arguments_));
  return *this;
}

Arguments& Arguments::add_options(const Said& said, std::string_view operation) {
  for (const notation::Parameter& parameter : notation::find_operation(operation)->parameters) {
    const std::string& name = parameter.name;
    if (std::ranges::count(arguments_, name, &notation::Argument::name) != 0) continue;
    std::string option = "--" + name;
    std::ranges::replace(option, '_', '-');
    add_flag(name, said.flag(option)).add_number(name, said.number(option));
    const auto text = said.texts.find(option);
    const bool is_name = parameter.type->text == notation::TextIs::kName;
    if (is_name && text != said.texts.end()) add_text(name, text->second);
  }
  return *this;
}

Arguments& Arguments::add_text(std::string name, const std::string& text) {
  return text.empty() ? *this : add(std::move(name), Value(text));
}

Arguments& Arguments::add_flag(std::string name, bool is_given) {
  return is_given ? add(std::move(name), Value(true)) : *this;
}

Arguments& Arguments::add_number(std::string name, std::optional<std::int64_t> number) {
  return number ? add(std::move(name), Value(Int(*number))) : *this;
}

Result<void> Arguments::add_shape(const Said& said) {
  HEDDLE_TRY(const auto shape, box_of(said));
  if (shape) add("shape", Value(IntTuple::flat(*shape)));
  return {};
}

Arguments& Arguments::add_names(std::string name, const std::string& text) {
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    names.push_back(text.substr(begin, comma - begin));
    begin = comma + 1;
  }
  return add_names(std::move(name), names);
}

Arguments& Arguments::add_names(std::string name, const std::vector<std::string>& names) {
  return names.empty() ? *this : add(std::move(name), Value(notation::list_of(names)));
}

Arguments& Arguments::add_terminal(const draw::TerminalStyle& style) {
  if (style.color) add("color", std::string(style.true_color ? "true" : "256"));
  return add("width", Value(Int(static_cast<std::int64_t>(style.width))));
}

Result<Value> Arguments::call(std::string_view operation, const Environment& environment) && {
  return notation::call_in(environment, operation, std::move(*this).list());
}

Outcome answer(const Console& console, Result<Value> result, const Source& source) {
  HEDDLE_TRY(const Value value, in(source, std::move(result)));
  console.print(value);
  return exit_code(value);
}

}  // namespace heddle::app
