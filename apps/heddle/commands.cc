#include "heddle/commands.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <charconv>
#include <fstream>
#include <iostream>
#include <system_error>
#include <utility>

#include "heddle/arguments.h"
#include "heddle/core/plain_text.h"
#include "heddle/notation/batch.h"
#include "heddle/notation/lexer.h"
#include "heddle/notation/operations.h"
#include "heddle/search.h"
#include "heddle/session.h"

namespace heddle::app {
namespace {

using notation::TupleList;
using notation::Value;

std::size_t longest(const std::vector<std::string>& texts) {
  std::size_t longest = 0;
  for (const std::string& text : texts) longest = std::max(longest, text.size());
  return longest;
}

/// Cells in lines, right-aligned in columns of these widths, each line after its label.
std::string grid(const std::vector<std::string>& cells, std::vector<std::size_t> widths,
                 const std::vector<std::string>& labels = {}) {
  const std::size_t columns = widths.size();
  std::string text;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const bool is_first = i % columns == 0;
    if (is_first && !labels.empty())
      text += fmt::format("{:>{}}:", labels[i / columns], longest(labels));
    text += fmt::format("{}{:>{}}", is_first && labels.empty() ? "" : " ", cells[i],
                        widths[i % columns]);
    if ((i + 1) % columns == 0 || i + 1 == cells.size()) text += '\n';
  }
  return text;
}

std::vector<std::string> texts_of(const TupleList& list) {
  std::vector<std::string> texts;
  texts.reserve(list.size());
  for (const IntTuple& value : list) texts.push_back(to_string(Value(value)));
  return texts;
}

/// The cells in columns that are all as wide as the longest one.
std::string even_grid(const std::vector<std::string>& cells, std::size_t columns,
                      const std::vector<std::string>& labels = {}) {
  return grid(cells, std::vector(columns, longest(cells)), labels);
}

/// Sixteen values per line, labelled with the flat coordinate of the first.
std::string flat_table(const TupleList& list) {
  constexpr std::size_t kColumns = 16;
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < list.size(); i += kColumns) labels.push_back(std::to_string(i));
  return even_grid(texts_of(list), kColumns,
                   list.size() > kColumns ? labels : std::vector<std::string>());
}

/// Mode 0 runs down the rows, mode 1 along the columns.
std::string plane_table(const TupleList& list, std::size_t rows) {
  const std::vector<std::string> texts = texts_of(list);
  const std::size_t columns = texts.size() / rows;
  std::vector<std::string> cells;
  cells.reserve(texts.size());
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) cells.push_back(texts[i + rows * j]);
  }
  return even_grid(cells, columns);
}

/// Inputs and outputs of a linear layout, one line for each input in flat order, under their names.
std::string linear_table(const linear::LinearLayout& layout, const TupleList& outputs) {
  std::vector<std::string> cells;
  const auto add_names = [&](std::span<const linear::Dimension> dims) {
    for (const linear::Dimension& dim : dims) cells.push_back(dim.name);
  };
  add_names(layout.in_dims());
  cells.emplace_back("->");
  add_names(layout.out_dims());
  const std::size_t columns = cells.size();
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    std::size_t rest = i;
    for (const linear::Dimension& dim : layout.in_dims()) {
      cells.push_back(std::to_string(rest & ((std::size_t{1} << dim.bits) - 1)));
      rest = dim.bits == 0 ? rest : rest >> dim.bits;
    }
    cells.emplace_back("->");
    for (const Int& coordinate : outputs[i].leaves()) cells.push_back(to_string(coordinate));
  }
  std::vector<std::size_t> widths(columns);
  for (std::size_t i = 0; i < cells.size(); ++i)
    widths[i % columns] = std::max(widths[i % columns], cells[i].size());
  return grid(cells, std::move(widths));
}

/// The sizes of the two modes of a layout of rank 2: how many rows its table has.
std::optional<std::size_t> row_count(const Value& value) {
  const auto* layout = value.get_if<cute::Layout>();
  const auto* composed = value.get_if<cute::ComposedLayout>();
  if (composed != nullptr) layout = &composed->layout();
  if (layout == nullptr || layout->rank() != 2) return std::nullopt;
  const Int rows = layout->mode(0).size();
  return rows.is_constant() ? std::optional(static_cast<std::size_t>(rows.value())) : std::nullopt;
}

/// The columns of the table of a LEGO layout, whose last dimension runs fastest; nullopt for other
/// values.
std::optional<std::size_t> column_count(const Value& value) {
  const auto* layout = value.get_if<lego::Layout>();
  if (layout == nullptr || layout->dims().size() < 2) return std::nullopt;
  const Int columns = layout->dims().back();
  return columns.is_constant() ? std::optional(static_cast<std::size_t>(columns.value()))
                               : std::nullopt;
}

constexpr std::string_view kPrompt = "heddle> ";

/// Reads a line from the terminal and its continuation lines; a blank line ends them. Ctrl-C
/// discards them and starts over. False at the end of input.
bool read_statements(std::string& text) {
  std::atomic<int> interrupts = 0;
  const Interrupts begin_anew([&] {
    ++interrupts;
    const std::string line = "\n" + std::string(kPrompt);
    // Nothing can be done if the terminal is gone.
    (void)!write(STDOUT_FILENO, line.data(), line.size());
  });
  std::cout << kPrompt << std::flush;
  if (!std::getline(std::cin, text)) return false;
  int before = interrupts;
  std::string more;
  while (is_unfinished(text)) {
    std::cout << "   ...> " << std::flush;
    if (!std::getline(std::cin, more)) return true;
    const bool is_dropped = interrupts != before;
    before = interrupts;
    if (more.empty() && !is_dropped) return true;
    if (is_dropped) text.clear();
    if (!text.empty()) text += '\n';
    text += more;
  }
  return true;
}

/// As wide as the terminal, up to a readable width.
notation::TextStyle text_style(ColorChoice color) {
  constexpr std::size_t kWidth = 100;
  const draw::TerminalStyle terminal = terminal_style(color);
  const std::size_t width = terminal.width == 0 ? kWidth : std::min(terminal.width, kWidth);
  return {terminal.color, width};
}

/// A table in its most readable form: a plane, columns, or a list.
std::string table_text(const Value& value, const TupleList& list, bool is_whole) {
  const auto* linear = value.get_if<linear::LinearLayout>();
  if (linear != nullptr) return linear_table(*linear, list);
  if (const auto columns = is_whole ? column_count(value) : std::nullopt) {
    return even_grid(texts_of(list), *columns);
  }
  const auto rows = is_whole ? row_count(value) : std::nullopt;
  return rows ? plane_table(list, *rows) : flat_table(list);
}

/// The value as table() reads it: `(4,8)` is a column-major layout.
Value as_layout(const Value& value) {
  const notation::Operation& table = *notation::find_operation("table");
  const auto listed = table.parameters.front().type->convert(value, {});
  return listed && *listed ? **listed : value;
}

/// The number of --limit. Refuses `usage.option`, `table.limit`.
Result<std::optional<std::int64_t>> limit_of(const Said& said) {
  const std::string& text = said.text("--limit");
  if (text.empty()) return std::nullopt;
  const char* end = text.data() + text.size();
  std::int64_t limit = 0;
  const auto read = std::from_chars(text.data(), end, limit);
  if (read.ec == std::errc::invalid_argument || read.ptr != end) {
    return refuse("usage.option",
                  fmt::format("--limit is {}; an integer is needed", notation::quote(text)));
  }
  if (read.ec == std::errc()) return limit;
  return refuse("table.limit",
                fmt::format("a table of {} values: the limit does not fit into 64 bits", text));
}

/// The coordinate of an explanation; nullopt if none is given. Refuses `usage.option`.
Result<std::optional<PointOption>> point_of(const Said& said) {
  constexpr NumbersOption kAt = {"--at", 1, 64, "a coordinate is needed, as 1,5 or 21"};
  PointOption point;
  HEDDLE_TRY(point.at, numbers_of(kAt, said));
  if (point.at.empty() && said.text("--shape").empty()) return std::nullopt;
  if (point.at.empty()) return refuse("usage.option", "--shape goes with --at");
  HEDDLE_TRY(point.shape, numbers_of(kShapeOption, said));
  return point;
}

}  // namespace

Result<std::string> expression_of(const Call& call) {
  const std::vector<std::string>& expressions = call.expressions;
  if (expressions.size() == 1)
    return expressions.front() == "-" ? read_file("-") : Result<std::string>(expressions.front());
  if (expressions.size() > 1) {
    return refuse(Diagnostic("usage.expression",
                             fmt::format("one expression is needed, not {}", expressions.size()))
                      .with_hint("put quotes around it"));
  }
  const std::string& name = call.command.get_name();
  return refuse(Diagnostic("usage.expression", name + " needs an expression")
                    .with_hint("heddle " + name + " '(4,8):(8,1)'; - is standard input"));
}

Outcome evaluate_all(const Console& console, const std::vector<std::string>& expressions,
                     const notation::Environment& environment) {
  Session session(console, Echo::kResults, environment);
  ExitCode code = ExitCode::kDone;
  const std::vector<std::string> from_input = {"-"};
  for (const std::string& expression : expressions.empty() ? from_input : expressions) {
    HEDDLE_TRY(const std::string text,
               expression == "-" ? read_file("-") : Result<std::string>(expression));
    const ExitCode outcome = session.run({text, ""});
    code = worse(code, outcome);
    if (is_failure(outcome)) break;
  }
  return code;
}

Outcome eval_command(const Call& call) {
  return evaluate_all(call.console, call.expressions, call.environment);
}

Outcome run_command(const Call& call) {
  const std::string& path = call.said.text("file");
  HEDDLE_TRY(const std::string text, read_file(path));
  const Source source{text, path};
  // The syntax of the whole file is checked before any statement runs.
  HEDDLE_CHECK(in(source, check_syntax(text)));
  const Echo echo = call.said.flag("--quiet") ? Echo::kFailures : Echo::kStatements;
  return Session(call.console, echo, call.environment).run(source);
}

Outcome table_command(const Call& call) {
  HEDDLE_TRY(const auto limit, limit_of(call.said));
  HEDDLE_TRY(const std::string expression, expression_of(call));
  const Source source{expression, ""};
  HEDDLE_TRY(const Value value, in(source, value_in(expression, call.environment)));
  Arguments arguments;
  arguments.add(value).add_number("limit", limit);
  HEDDLE_TRY(const Value table, in(source, std::move(arguments).call("table", call.environment)));
  if (call.console.json()) {
    call.console.print(table);
  } else {
    call.console.print_text(table_text(as_layout(value), table.get<TupleList>(), !limit));
  }
  return ExitCode::kDone;
}

Outcome explain_command(const Call& call) {
  HEDDLE_TRY(const ColorChoice color, color_of(call.said));
  HEDDLE_TRY(const std::string text, expression_of(call));
  HEDDLE_TRY(const std::optional<PointOption> point, point_of(call.said));
  return Session(call.console, Echo::kFailures, call.environment)
      .explain({text, ""}, text_style(color), point);
}

Outcome batch_command(const Call& call) {
  const std::string& path = call.said.text("file");
  std::ifstream file;
  if (path != "-") {
    HEDDLE_CHECK(check_readable(path));
    file.open(path, std::ios::binary);
  }
  std::istream& input = path == "-" ? std::cin : file;
  if (input) notation::run_batch(input, std::cout, call.environment);
  // Not fail(), which is also set after reading to the end.
  const bool is_opened = path == "-" || file.is_open();
  if (!is_opened || input.bad()) return refuse(unreadable(path));
  return ExitCode::kDone;
}

Outcome diagnose_command(const Call& call) {
  HEDDLE_TRY(std::string log, read_file(call.said.text("file")));
  Arguments arguments;
  arguments.add(Value(std::move(log)));
  return answer(call.console, std::move(arguments).call("diagnose", call.environment));
}

Outcome layouts_command(const Call& call) {
  const Console& console = call.console;
  const std::string& path = call.said.text("file");
  HEDDLE_TRY(const std::string text, read_file(path));
  Arguments arguments;
  arguments.add(Value(text))
      .add_flag("draw", call.said.flag("--draw"))
      .add_terminal(terminal_style(ColorChoice::kAuto));
  HEDDLE_TRY(const Value listed,
             in({text, path}, std::move(arguments).call("ttgir_layouts", call.environment)));
  if (console.json()) {
    console.print(listed);
  } else {
    // Printed unchanged: the colours of its pictures are terminal escapes.
    console.print_text(listed.get<notation::Report>().text + "\n");
  }
  return exit_code(listed);
}

Outcome run_prompt(const Console& console, const notation::Environment& environment) {
  constexpr std::string_view kExplain = "explain ";
  Session session(console, Echo::kPrompt, environment);
  // Ctrl-C must not end the program between two statements either.
  const HeldInterrupts held;
  std::string line;
  while (read_statements(line)) {
    const StopOnInterrupt interrupt;
    session.set_stop(interrupt.token());
    if (line == "quit" || line == "exit") return ExitCode::kDone;
    if (line == "help" || line.starts_with("help ")) {
      (void)console.ended(print_help(console, line.size() > 5 ? line.substr(5) : ""));
    } else if (line.starts_with(kExplain) && !line.substr(kExplain.size()).starts_with('=')) {
      const std::string text = line.substr(kExplain.size());
      (void)session.explain({text, ""}, text_style(ColorChoice::kAuto));
    } else {
      (void)session.run({line, ""});
    }
  }
  std::cout << '\n';
  return ExitCode::kDone;
}

}  // namespace heddle::app
