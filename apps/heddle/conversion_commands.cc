// heddle index, emit, loops, relation, convert, show and recover: other representations of a
// layout.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/arguments.h"
#include "heddle/commands.h"
#include "heddle/search.h"

namespace heddle::app {
namespace {

using notation::Environment;
using notation::Value;

/// The arguments after the layout.
std::vector<std::string> names_in(const Call& call) {
  return {call.expressions.begin() + 1, call.expressions.end()};
}

Refusal refuse_without_layout(const Call& call, std::string_view hint) {
  return refuse(Diagnostic("usage.expression", call.command.get_name() + " needs a layout")
                    .with_hint(std::string(hint)));
}

Result<Value> indexed(const Call& call) {
  Arguments arguments;
  arguments.add(call.expressions.front())
      .add_names("coordinates", names_in(call))
      .add_options(call.said, "index");
  HEDDLE_CHECK(arguments.add_shape(call.said));
  return std::move(arguments).call("index", call.environment);
}

/// The operation on a layout, with further arguments and with the options of the command.
Result<Value> called(const Call& call, std::string_view operation, const std::string& expression,
                     const Environment& environment, Arguments further = {}) {
  HEDDLE_TRY(const Value given, value_in(expression, environment));
  HEDDLE_TRY(Value layout, on_shape(given, call.said, environment));
  Arguments arguments;
  arguments.add(std::move(layout)).add(std::move(further)).add_options(call.said, operation);
  if (!given.is<linear::Encoding>()) HEDDLE_CHECK(arguments.add_shape(call.said));
  return std::move(arguments).call(operation, environment);
}

constexpr NumbersOption kTileOption = {"--tile", 1, 128, "the sizes of tiles are needed, as 8,8"};

/// `domain` and `image` are names; other orders are expressions.
Result<Arguments> loop_arguments(const Call& call, const Environment& environment) {
  Arguments arguments;
  const std::string& order = call.said.text("--order");
  if (order == "domain" || order == "image") {
    arguments.add_text("order", order);
  } else {
    HEDDLE_TRY(Value ranks, notation::evaluate(order, environment));
    arguments.add("order", std::move(ranks));
  }
  HEDDLE_TRY(const std::vector<std::int64_t> tile, numbers_of(kTileOption, call.said));
  if (!tile.empty()) {
    arguments.add("tile", Value(IntTuple::flat(std::vector<Int>(tile.begin(), tile.end()))));
  }
  return arguments;
}

/// `4,4` as `(4,4)`; a text without a comma outside of its parentheses as it is.
std::string in_parentheses(const std::string& text) {
  int depth = 0;
  for (const char letter : text) {
    if (letter == '(') ++depth;
    if (letter == ')') --depth;
    if (letter == ',' && depth == 0) return fmt::format("({})", text);
  }
  return text;
}

/// If options give more than the function, calls `recover`, which gives a single layout.
Result<Value> recovered(const Value& subject, const Said& said, const Environment& environment) {
  Arguments arguments;
  arguments.add(subject).add_names("on", said.text("--axes"));
  bool asks_more = false;
  for (const char* name : {"shape", "compatible", "strides"}) {
    const std::string& text = said.text(std::string("--") + name);
    if (text.empty()) continue;
    HEDDLE_TRY(Value tuple, notation::evaluate(in_parentheses(text), environment));
    arguments.add(name, std::move(tuple));
    asks_more = true;
  }
  return std::move(arguments).call(asks_more ? "recover" : "recover_report", environment);
}

}  // namespace

Outcome index_command(const Call& call) {
  if (call.expressions.empty())
    return refuse_without_layout(call, "heddle index '(4,8):(8,1)' i j");
  // A place refers to an expression; with several expressions it is not known to which.
  return answer(call.console, indexed(call),
                {call.expressions.size() == 1 ? call.expressions.front() : "", ""});
}

Outcome emit_command(const Call& call) {
  const Search search(call.console, "turning the layout round");
  if (call.expressions.empty())
    return refuse_without_layout(call, "heddle emit '(4,8):(8,1)' --target cuda");
  const std::string& expression = call.expressions.front();
  Arguments names;
  names.add_names("coordinates", names_in(call));
  return answer(
      call.console,
      called(call, "emit_report", expression, search.within(call.environment), std::move(names)),
      {expression, ""});
}

Outcome loops_command(const Call& call) {
  HEDDLE_TRY(const std::string expression, expression_of(call));
  const Search search(call.console, "asking isl");
  const Environment environment = search.within(call.environment);
  const Source order{call.said.text("--order"), "--order"};
  HEDDLE_TRY(Arguments arguments, in(order, loop_arguments(call, environment)));
  return answer(call.console, called(call, "loops", expression, environment, std::move(arguments)),
                {expression, ""});
}

Outcome relation_command(const Call& call) {
  HEDDLE_TRY(const std::string expression, expression_of(call));
  const Search search(call.console, "asking isl");
  return answer(call.console,
                called(call, "relation_report", expression, search.within(call.environment)),
                {expression, ""});
}

Outcome convert_command(const Call& call) {
  HEDDLE_TRY(const std::string expression, expression_of(call));
  if (call.said.text("--to").empty()) {
    return refuse(Diagnostic("usage.option", "convert needs the system to write: --to")
                      .with_hint("cute, cute_tv, linear, axe, lego, relation or table; heddle show "
                                 "writes a layout in all of them"));
  }
  const Search search(call.console, "converting");
  return answer(call.console,
                called(call, "convert_report", expression, search.within(call.environment)),
                {expression, ""});
}

Outcome show_command(const Call& call) {
  HEDDLE_TRY(const std::string expression, expression_of(call));
  const Search search(call.console, "converting");
  return answer(call.console, called(call, "show", expression, search.within(call.environment)),
                {expression, ""});
}

/// `[[0,1,2],[3,4,5]]` of what CuTe's print_layout writes, ` 0  |  0 |  1 |  2 |` between lines of
/// `+----+`; empty for other texts. What is in front, the layout itself, is left out.
std::string printed_table(std::string_view text) {
  if (text.find("+--") == std::string_view::npos) return {};
  std::string table;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string row(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t begin = row.find('|');
    if (begin == std::string::npos) continue;
    row.erase(0, begin + 1);
    if (const std::size_t last = row.rfind('|'); last != std::string::npos) row.erase(last);
    std::ranges::replace(row, '|', ',');
    table += fmt::format("{}[{}]", table.empty() ? "" : ",", row);
  }
  return fmt::format("[{}]", table);
}

/// A refusal of numbers that have no brackets, `0 1 2 3`, says to write them; one of an empty text
/// gives an example.
Result<Value> table_or_layout(const std::string& text, const Environment& environment) {
  if (const std::string table = printed_table(text); !table.empty()) {
    return value_of(table, environment);
  }
  Result<Value> value = value_of(text, environment);
  const bool has_numbers = text.find_first_of("0123456789") != std::string::npos &&
                           text.find_first_not_of("0123456789-, \n") == std::string::npos;
  if (!value && text.find_first_not_of(" \t\r\n") == std::string::npos) {
    return refuse(std::move(value).error().with_hint("heddle recover '[[0,1],[2,3]]'"));
  }
  if (value || !has_numbers) return value;
  std::string numbers;
  for (const char c : text) {
    const bool is_separator = c == ',' || c == ' ' || c == '\n';
    if (!is_separator) numbers += c;
    if (is_separator && !numbers.empty() && numbers.back() != ',') numbers += ',';
  }
  return refuse(std::move(value).error().with_hint(fmt::format("heddle recover '[{}]'", numbers)));
}

/// The argument may be a file or standard input, so expression_of() is not used.
Outcome recover_command(const Call& call) {
  if (call.expressions.size() != 1) {
    return refuse(Diagnostic("usage.expression", "recover needs one table or layout, not " +
                                                     std::to_string(call.expressions.size()))
                      .with_hint("heddle recover table.npy, or '[[0,1],[2,3]]'; - is standard "
                                 "input"));
  }
  const std::string& argument = call.expressions.front();
  HEDDLE_TRY(const std::string text, argument_text(argument));
  const Source source{text, argument == text ? "" : argument};
  HEDDLE_TRY(const Value subject, in(source, table_or_layout(text, call.environment)));
  const Search search(call.console, "looking at points");
  return answer(call.console, recovered(subject, call.said, search.within(call.environment)));
}

}  // namespace heddle::app
