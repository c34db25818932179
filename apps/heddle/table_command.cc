// heddle table: the values of a layout as a plane, in columns, or as a list.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "heddle/arguments.h"
#include "heddle/commands.h"
#include "heddle/notation/lexer.h"
#include "heddle/notation/operations.h"
#include "heddle/search.h"

namespace heddle::app {
namespace {

using notation::TupleList;
using notation::Value;

using Shape = std::vector<Int>;

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

/// A hint to the parameter of the operation becomes one to the option of the command.
Result<Value> with_option(Result<Value> table) {
  constexpr std::string_view kParameter = "limit=16";
  if (table) return table;
  std::string hint = table.error().hint();
  const std::size_t at = hint.find(kParameter);
  if (at == std::string::npos) return table;
  return refuse(
      std::move(table).error().with_hint(hint.replace(at, kParameter.size(), "--limit 16")));
}

/// The shape of --shape, which Axe layouts do not have themselves. Refuses `usage.option` for other
/// values, and shapes of another size. That of an encoding is part of its layout.
Result<std::optional<Shape>> shape_of(const Value& given, const Said& said) {
  HEDDLE_TRY(auto shape, box_of(said));
  if (!shape || given.is<linear::Encoding>()) return std::nullopt;
  const auto* layout = given.get_if<axe::Layout>();
  if (layout == nullptr) {
    return refuse(Diagnostic("usage.option", "--shape is for Axe layouts and encodings")
                      .with_hint("other layouts have a shape of their own"));
  }
  HEDDLE_TRY(const map::View plain, map::view(*layout));
  HEDDLE_CHECK(map::reshaped(plain, *shape));
  return shape;
}

/// The values of an Axe layout on its shape, the last dimension along the lines.
std::string shaped_table(const Shape& shape, const TupleList& list) {
  return even_grid(texts_of(list), static_cast<std::size_t>(shape.back().value()));
}

}  // namespace

Outcome table_command(const Call& call) {
  HEDDLE_TRY(const auto limit, limit_of(call.said));
  HEDDLE_TRY(const std::string expression, expression_of(call));
  const Source source{expression, ""};
  HEDDLE_TRY(const Value given, in(source, value_in(expression, call.environment)));
  HEDDLE_TRY(const Value value, in(source, on_shape(given, call.said, call.environment)));
  HEDDLE_TRY(const auto shape, in(source, shape_of(given, call.said)));
  Arguments arguments;
  arguments.add(value).add_number("limit", limit);
  HEDDLE_TRY(const Value table,
             in(source, with_option(std::move(arguments).call("table", call.environment))));
  if (call.console.json()) {
    call.console.print(table);
  } else if (shape && !shape->empty() && !limit) {
    call.console.print_text(shaped_table(*shape, table.get<TupleList>()));
  } else {
    call.console.print_text(table_text(as_layout(value), table.get<TupleList>(), !limit));
  }
  return ExitCode::kDone;
}

}  // namespace heddle::app
