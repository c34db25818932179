#include "heddle/commands.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <iostream>
#include <memory>

#include "heddle/core/plain_text.h"
#include "heddle/layout_arguments.h"
#include "heddle/notation/batch.h"
#include "heddle/notation/diagnose.h"
#include "heddle/notation/operations.h"
#include "heddle/numbers_option.h"
#include "heddle/operation_call.h"
#include "heddle/search.h"
#include "heddle/session.h"

namespace heddle::app {
namespace {

using notation::TupleList;
using notation::Value;

/// The values right-aligned, as many in a line as `columns`, each line after its label.
std::string grid(const std::vector<std::string>& cells, std::size_t columns,
                 const std::vector<std::string>& labels) {
  const auto length = [](const std::vector<std::string>& texts) {
    std::size_t longest = 0;
    for (const std::string& text : texts) longest = std::max(longest, text.size());
    return longest;
  };
  const std::size_t width = length(cells);
  const std::size_t label_width = length(labels);
  std::string text;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i % columns == 0 && !labels.empty()) {
      text += fmt::format("{:>{}}:", labels[i / columns], label_width);
    }
    const bool is_first = i % columns == 0 && labels.empty();
    text += fmt::format("{}{:>{}}", is_first ? "" : " ", cells[i], width);
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

/// Each column as wide as its longest cell, right-aligned.
std::string aligned(const std::vector<std::string>& cells, std::size_t columns) {
  std::vector<std::size_t> widths(columns);
  for (std::size_t i = 0; i < cells.size(); ++i)
    widths[i % columns] = std::max(widths[i % columns], cells[i].size());
  std::string text;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    text += fmt::format("{}{:>{}}", i % columns == 0 ? "" : " ", cells[i], widths[i % columns]);
    if ((i + 1) % columns == 0) text += '\n';
  }
  return text;
}

/// Sixteen values a line, after the flat coordinate of the first.
std::string flat_table(const TupleList& list) {
  constexpr std::size_t kColumns = 16;
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < list.size(); i += kColumns) labels.push_back(std::to_string(i));
  return grid(texts_of(list), kColumns,
              list.size() > kColumns ? labels : std::vector<std::string>());
}

/// Mode 0 down, mode 1 along.
std::string plane_table(const TupleList& list, std::size_t rows) {
  const std::vector<std::string> texts = texts_of(list);
  const std::size_t columns = texts.size() / rows;
  std::vector<std::string> cells;
  cells.reserve(texts.size());
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) cells.push_back(texts[i + rows * j]);
  }
  return grid(cells, columns, {});
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
  return aligned(cells, columns);
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

/// The columns of the table of a LEGO layout, whose last dimension runs fastest; nothing for other
/// values.
std::optional<std::size_t> column_count(const Value& value) {
  const auto* layout = value.get_if<lego::Layout>();
  if (layout == nullptr || layout->dims().size() < 2) return std::nullopt;
  const Int columns = layout->dims().back();
  return columns.is_constant() ? std::optional(static_cast<std::size_t>(columns.value()))
                               : std::nullopt;
}

constexpr std::string_view kPrompt = "heddle> ";

/// A line from the terminal and those it goes on in; a blank line ends them. Ctrl-C drops them and
/// begins anew. False at the end.
bool read_statements(std::string& text) {
  std::atomic<int> interrupts = 0;
  const Interrupts begin_anew([&] {
    ++interrupts;
    const std::string line = "\n" + std::string(kPrompt);
    // Nothing can be done where the terminal is gone.
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

/// As wide as the terminal, but no wider than is easily read.
notation::TextStyle text_style(ColorChoice color) {
  constexpr std::size_t kWidth = 100;
  const draw::TerminalStyle terminal = terminal_style(color);
  const std::size_t width = terminal.width == 0 ? kWidth : std::min(terminal.width, kWidth);
  return {terminal.color, width};
}

/// A table as it is read best: on a plane, in columns, or as a list.
std::string table_text(const Value& value, const TupleList& list, bool is_whole) {
  const auto* linear = value.get_if<linear::LinearLayout>();
  if (linear != nullptr) return linear_table(*linear, list);
  if (const auto columns = is_whole ? column_count(value) : std::nullopt) {
    return grid(texts_of(list), *columns, {});
  }
  const auto rows = is_whole ? row_count(value) : std::nullopt;
  return rows ? plane_table(list, *rows) : flat_table(list);
}

/// The layout that a value stands for as such: `(4,8)` is column-major.
Value as_layout(const Value& value) {
  const auto listed = notation::convert(value, notation::Kind::kListed);
  return listed && *listed ? **listed : value;
}

// The coordinate of an explanation.

/// Refuses `usage.option`.
Result<PointOption> point_of(const ExplainOptions& options) {
  constexpr NumbersOption kAt = {"--at", 1, 64, "a coordinate is needed, as 1,5 or 21"};
  if (options.at.empty()) return refuse("usage.option", "--shape goes with --at");
  PointOption point;
  HEDDLE_TRY(point.at, numbers_of(kAt, options.at));
  if (!options.shape.empty()) {
    HEDDLE_TRY(point.shape, numbers_of(kShapeOption, options.shape));
  }
  return point;
}

}  // namespace

ExitCode evaluate_all(const Console& console, const std::vector<std::string>& expressions,
                      const notation::Environment& environment) {
  Session session(console, Echo::kResults, environment);
  ExitCode code = ExitCode::kDone;
  const std::vector<std::string> from_input = {"-"};
  for (const std::string& expression : expressions.empty() ? from_input : expressions) {
    const auto text = expression == "-" ? read_file("-") : Result<std::string>(expression);
    if (!text) return console.fail(text.error());
    const ExitCode outcome = session.run({*text, ""});
    code = worse(code, outcome);
    if (is_failure(outcome)) break;
  }
  return code;
}

ExitCode run_file(const Console& console, const std::string& path, bool quiet,
                  const notation::Environment& environment) {
  const auto text = read_file(path);
  if (!text) return console.fail(text.error());
  const Source source{*text, path};
  // The whole file is read before any of it acts.
  const auto syntax = check_syntax(*text);
  if (!syntax) return console.fail(syntax.error(), source);
  return Session(console, quiet ? Echo::kFailures : Echo::kStatements, environment).run(source);
}

ExitCode print_table(const Console& console, const std::string& expression,
                     std::optional<std::int64_t> limit, const notation::Environment& environment) {
  const Source source{expression, ""};
  const auto value = value_in(expression, environment);
  if (!value) return console.fail(value.error(), source);
  Arguments arguments;
  arguments.add(*value);
  if (limit) arguments.add("limit", Value(Int(*limit)));
  const auto table = notation::call_in(environment, "table", std::move(arguments).list());
  if (!table) return console.fail(table.error(), source);
  if (console.json()) {
    console.print(*table);
  } else {
    console.print_text(table_text(as_layout(*value), table->get<TupleList>(), !limit));
  }
  return ExitCode::kDone;
}

ExitCode explain_expression(const Console& console, const std::string& text,
                            const ExplainOptions& options,
                            const notation::Environment& environment) {
  Session session(console, Echo::kFailures, environment);
  if (options.at.empty() && options.shape.empty())
    return session.explain({text, ""}, text_style(options.color));
  const auto at = point_of(options);
  if (!at) return console.fail(at.error());
  return session.explain({text, ""}, text_style(options.color), *at);
}

ExitCode run_batch_file(const Console& console, const std::string& path,
                        const notation::Environment& environment) {
  std::ifstream file;
  if (path != "-") {
    if (const auto readable = check_readable(path); !readable)
      return console.fail(readable.error());
    file.open(path, std::ios::binary);
  }
  std::istream& input = path == "-" ? std::cin : file;
  if (input) notation::run_batch(input, std::cout, environment);
  // Not fail(), which every stream that was read to its end says.
  const bool is_opened = path == "-" || file.is_open();
  return is_opened && !input.bad() ? ExitCode::kDone : console.fail(unreadable(path));
}

ExitCode diagnose_log(const Console& console, const std::string& path) {
  const auto log = read_file(path);
  if (!log) return console.fail(log.error());
  const auto diagnosis = notation::diagnose(*log);
  if (!diagnosis) return console.fail(diagnosis.error());
  if (console.json()) {
    console.print_line(fmt::format(R"({{"ok":true,"result":{}}})", to_json(*diagnosis)));
  } else {
    console.print_text(printable_lines(to_string(*diagnosis)));
  }
  const bool is_whole = std::ranges::all_of(
      diagnosis->findings,
      [](const notation::Finding& finding) { return finding.answer.has_value(); });
  return is_whole && diagnosis->more == 0 ? ExitCode::kDone : ExitCode::kUnknown;
}

ExitCode run_prompt(const Console& console, const notation::Environment& environment) {
  constexpr std::string_view kExplain = "explain ";
  Session session(console, Echo::kPrompt, environment);
  // Between two statements it must not end the program either.
  const HeldInterrupts held;
  std::string line;
  while (read_statements(line)) {
    const StopOnInterrupt interrupt;
    session.set_stop(interrupt.token());
    if (line == "quit" || line == "exit") return ExitCode::kDone;
    if (line == "help" || line.starts_with("help ")) {
      (void)print_help(console, line.size() > 5 ? line.substr(5) : "");
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
