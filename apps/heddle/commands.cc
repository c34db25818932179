#include "heddle/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <memory>

#include "heddle/hub_text.h"
#include "heddle/notation/batch.h"
#include "heddle/notation/diagnose.h"
#include "heddle/notation/hub.h"
#include "heddle/notation/operations.h"
#include "heddle/numbers_option.h"
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

/// A line from the terminal and those it goes on in; a blank line ends them. False at the end.
bool read_statements(std::string& text) {
  std::cout << "heddle> " << std::flush;
  if (!std::getline(std::cin, text)) return false;
  std::string more;
  while (is_unfinished(text)) {
    std::cout << "   ...> " << std::flush;
    if (!std::getline(std::cin, more) || more.empty()) return true;
    text += '\n' + more;
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

/// A layout of any system, as the operation `table` takes it.
Result<Value> evaluate_layout(const std::string& expression,
                              const notation::Environment& environment) {
  HEDDLE_TRY(const Value value, value_in(expression, environment));
  if (value.is<lego::Layout>()) return value;
  HEDDLE_TRY(const auto listed, notation::convert(value, notation::Kind::kListed));
  if (listed) return *listed;
  HEDDLE_TRY(const map::AnyLayout layout, notation::hub_layout(value, environment.context()));
  return notation::to_value(layout);
}

// The coordinate of an explanation.

/// Refuses `usage.option`.
Result<PointOption> point_of(const ExplainOptions& options) {
  constexpr NumbersOption kAt = {"--at", 1, 64, "a coordinate is needed, as 1,5 or 21"};
  constexpr NumbersOption kShape = {"--shape", 1, 64, "a shape is needed, as 8,16"};
  if (options.at.empty()) return refuse("usage.option", "--shape goes with --at");
  PointOption point;
  HEDDLE_TRY(point.at, numbers_of(kAt, options.at));
  if (!options.shape.empty()) {
    HEDDLE_TRY(point.shape, numbers_of(kShape, options.shape));
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
    if (outcome == ExitCode::kUsage || outcome == ExitCode::kRefused) break;
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
  const auto value = evaluate_layout(expression, environment);
  if (!value) return console.fail(value.error(), source);
  std::vector<notation::Argument> arguments = {{*value, {}, {}}};
  if (limit) arguments.push_back({Value(Int(*limit)), "limit", {}});
  const auto table = call(*notation::find_operation("table", arguments), arguments);
  if (!table) return console.fail(table.error(), source);
  const auto& list = table->get<TupleList>();
  const auto rows = limit ? std::nullopt : row_count(*value);
  const auto* linear = value->get_if<linear::LinearLayout>();
  if (console.json()) {
    console.print(*table);
  } else if (linear != nullptr) {
    console.print_text(linear_table(*linear, list));
  } else if (const auto columns = limit ? std::nullopt : column_count(*value)) {
    console.print_text(grid(texts_of(list), *columns, {}));
  } else {
    console.print_text(rows ? plane_table(list, *rows) : flat_table(list));
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
  if (path != "-") file.open(path, std::ios::binary);
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
    console.print_text(to_string(*diagnosis));
  }
  const bool is_whole = std::ranges::all_of(
      diagnosis->findings,
      [](const notation::Finding& finding) { return finding.answer.has_value(); });
  return is_whole && diagnosis->more == 0 ? ExitCode::kDone : ExitCode::kUnknown;
}

ExitCode run_prompt(const Console& console, const notation::Environment& environment) {
  constexpr std::string_view kExplain = "explain ";
  Session session(console, Echo::kPrompt, environment);
  std::string line;
  while (read_statements(line)) {
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
