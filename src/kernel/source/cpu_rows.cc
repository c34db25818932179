#include "kernel/source/cpu_rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstdint>

namespace heddle::kernel {

namespace {

/// `p + (8 * N)`.
std::string behind(std::string_view pointer, const std::string& distance) {
  if (distance == "0") return std::string(pointer);
  const bool is_word = std::ranges::all_of(distance, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  });
  return fmt::format("{} + {}", pointer, is_word ? distance : fmt::format("({})", distance));
}

/// The steps of the tiles, each of which has `count` rows.
std::string steps_text(const RowsText& rows, std::size_t count, const std::string& indent) {
  std::string text;
  for (std::size_t tile = 0; tile != rows.rows.size(); tile += count) {
    for (const move::ShuffleStep& step : rows.steps) {
      for (const auto& [row, other] : step.pairs) {
        text += fmt::format("{}heddle_exchange_{}(&row[{}], &row[{}]);\n", indent, step.bits,
                            tile + static_cast<std::size_t>(row),
                            tile + static_cast<std::size_t>(other));
      }
      for (std::size_t row = 0; row != step.masks.size(); ++row) {
        text += fmt::format("{0}row[{1}] = heddle_shuffled(row[{1}], {2});\n", indent, tile + row,
                            fmt::join(step.masks[row], ", "));
      }
    }
  }
  return text;
}

/// The rows that the steps of a tile speak of: all of them without steps.
std::size_t rows_of_tile(const RowsText& rows) {
  std::size_t count = 0;
  for (const move::ShuffleStep& step : rows.steps) {
    count = std::max({count, 2 * step.pairs.size(), step.masks.size()});
  }
  return count == 0 ? rows.rows.size() : count;
}

std::string writes_text(const RowsText& rows, std::string_view function,
                        const std::string& indent) {
  std::string text;
  for (const std::size_t row : rows.order) {
    text +=
        fmt::format("{}{}({}, row[{}]);\n", indent, function, behind("to", rows.rows[row].to), row);
  }
  return text;
}

/// What is done for a tile, or for several of them.
std::string tile_text(const RowsText& rows, const std::string& indent) {
  std::string from = "heddle_from";
  std::string to = "heddle_to";
  for (std::size_t i = 0; i != rows.loops.size(); ++i) {
    const auto& loop = rows.loops[i];
    if (loop.from != "0") from += fmt::format(" + heddle_{} * ({})", i, loop.from);
    if (loop.to != "0") to += fmt::format(" + heddle_{} * ({})", i, loop.to);
  }
  std::string text = fmt::format(
      "{0}const {1}* const from = {2};\n{0}{1}* const to = {3};\n{0}heddle_row row[{4}];\n", indent,
      rows.type, from, to, rows.rows.size());
  for (std::size_t i = 0; i != rows.rows.size(); ++i) {
    text += fmt::format("{}row[{}] = heddle_row_at({});\n", indent, i,
                        behind("from", rows.rows[i].from));
  }
  text += steps_text(rows, rows_of_tile(rows), indent);
  if (!rows.streams) return text + writes_text(rows, "heddle_put_row", indent);
  std::string fetched;
  for (const std::string& place : rows.fetches) {
    fetched += fmt::format("{}  __builtin_prefetch({});\n", indent, behind("from", place));
  }
  return fmt::format("{0}{1}if (heddle_streams) {{\n{2}{3}{1}}} else {{\n{4}{1}}}\n", text, indent,
                     fetched, writes_text(rows, "heddle_stream_row", indent + "  "),
                     writes_text(rows, "heddle_put_row", indent + "  "));
}

}  // namespace

void CpuRows::add(const RowsText& rows) {
  std::string needs = "heddle_row_at heddle_put_row";
  for (const move::ShuffleStep& step : rows.steps) {
    if (step.pairs.empty()) continue;
    exchanges_.insert(step.bits);
    needs += fmt::format(" heddle_exchange_{}", step.bits);
  }
  std::string text =
      fmt::format("static void {0}({1}* heddle_to, const {1}* heddle_from", rows.name, rows.type);
  for (const std::string& size : rows.sizes) text += fmt::format(", int {}", size);
  text += rows.streams ? ", int heddle_streams) {\n" : ") {\n";
  std::string indent = "  ";
  for (std::size_t i = 0; i != rows.loops.size(); ++i) {
    text += fmt::format("{0}for (long heddle_{1} = 0; heddle_{1} < {2}; ++heddle_{1}) {{\n", indent,
                        i, rows.loops[i].extent);
    indent += "  ";
  }
  text += tile_text(rows, indent);
  for (std::size_t i = rows.loops.size(); i-- != 0;) {
    indent.resize(indent.size() - 2);
    text += indent + "}\n";
  }
  if (rows.streams) text += "  if (heddle_streams) heddle_finish_rows();\n";
  functions_ += SupportPiece{rows.name, std::move(needs), text + "}\n", true};
}

Support CpuRows::support() const {
  Support all = Support::of("cpu/rows.h");
  for (const int bits : exchanges_) {
    const bool is_half = bits == 64;
    const std::uint64_t lower = is_half ? 0 : ~std::uint64_t{0} / ((std::uint64_t{1} << bits) + 1);
    all += Support::of("cpu/exchange.h")
               .with({{"JOINED", is_half ? "JOINED" : ""},
                      {"SHIFTED", is_half ? "" : "SHIFTED"},
                      {"BITS", std::to_string(bits)},
                      {"LOWER", fmt::format("{:#x}ull", lower)}});
  }
  all += functions_;
  return all;
}

}  // namespace heddle::kernel
