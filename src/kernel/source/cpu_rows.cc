#include "kernel/source/cpu_rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>

namespace heddle::kernel {

namespace {

constexpr std::string_view kRows = R"(
typedef unsigned char heddle_row __attribute__((vector_size(16)));
typedef unsigned long long heddle_halves __attribute__((vector_size(16)));
#if defined(__clang__)
#define heddle_shuffled(row, ...) __builtin_shufflevector(row, row, __VA_ARGS__)
#define heddle_joined(a, b, i, j) __builtin_shufflevector(a, b, i, j)
#else
#define heddle_shuffled(row, ...) __builtin_shuffle(row, (heddle_row){__VA_ARGS__})
#define heddle_joined(a, b, i, j) __builtin_shuffle(a, b, (heddle_halves){i, j})
#endif
#if defined(__x86_64__)
#define heddle_stream_row(to, row) _mm_stream_si128((__m128i*)(to), (__m128i)(row))
#define heddle_finish_rows() _mm_sfence()
#else
#define heddle_stream_row(to, row) heddle_put_row(to, row)
#define heddle_finish_rows() (void)0
#endif
static inline __attribute__((always_inline)) heddle_row heddle_row_at(const void* from) {
  heddle_row row;
  memcpy(&row, from, sizeof row);
  return row;
}
static inline __attribute__((always_inline)) void heddle_put_row(void* to, heddle_row row) {
  memcpy(to, &row, sizeof row);
}
static inline int heddle_takes_streams(const void* to) { return (size_t)to % 16 == 0; }
)";

/// The upper halves of pieces of the first row change places with the lower halves of the other's.
std::string exchange_text(int bits) {
  const std::string head = fmt::format(
      "static inline __attribute__((always_inline)) void heddle_exchange_{}(heddle_row* a, "
      "heddle_row* b) {{\n"
      "  const heddle_halves x = (heddle_halves)*a;\n"
      "  const heddle_halves y = (heddle_halves)*b;\n",
      bits);
  if (bits == 64) {
    return head +
           "  *a = (heddle_row)heddle_joined(x, y, 0, 2);\n"
           "  *b = (heddle_row)heddle_joined(x, y, 1, 3);\n}\n";
  }
  const std::uint64_t lower = ~std::uint64_t{0} / ((std::uint64_t{1} << bits) + 1);
  return head + fmt::format(
                    "  const heddle_halves differ = ((x >> {0}) ^ y) & {1:#x}ull;\n"
                    "  *a = (heddle_row)(x ^ differ << {0});\n"
                    "  *b = (heddle_row)(y ^ differ);\n}}\n",
                    bits, lower);
}

/// `p + (8 * N)`.
std::string behind(std::string_view pointer, const std::string& distance) {
  if (distance == "0") return std::string(pointer);
  const bool is_number = distance.find_first_not_of("0123456789") == std::string::npos;
  return fmt::format("{} + {}", pointer, is_number ? distance : fmt::format("({})", distance));
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
  for (const move::ShuffleStep& step : rows.steps) {
    if (!step.pairs.empty()) exchanges_.insert(step.bits);
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
  functions_ += text + "}\n";
}

std::string CpuRows::text() const {
  if (functions_.empty()) return {};
  std::string text(kRows);
  for (const int bits : exchanges_) text += exchange_text(bits);
  return text + functions_;
}

}  // namespace heddle::kernel
