#include "linear/bit_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "core/bits.h"
#include "core/printable.h"
#include "core/words.h"

namespace heddle::linear {

LinearLayout assembled(std::vector<Dimension> ins, std::vector<Dimension> outs,
                       form::BitMatrix matrix) {
  LinearLayout layout;
  layout.ins_ = std::move(ins);
  layout.outs_ = std::move(outs);
  layout.matrix_ = std::move(matrix);
  return layout;
}

std::uint64_t Run::of(std::uint64_t word) const {
  // A run of no bits may begin past the last bit of the word.
  return bits == 0 ? 0 : word >> begin & low_bits(bits);
}

std::optional<Run> run_of(std::span<const Dimension> dims, std::string_view name) {
  std::size_t begin = 0;
  for (const Dimension& dim : dims) {
    if (dim.name == name) return Run{begin, dim.bits};
    begin += static_cast<std::size_t>(dim.bits);
  }
  return std::nullopt;
}

std::vector<Run> runs_of(std::span<const Dimension> dims) {
  std::vector<Run> runs;
  runs.reserve(dims.size());
  std::size_t begin = 0;
  for (const Dimension& dim : dims) {
    runs.push_back({begin, dim.bits});
    begin = runs.back().end();
  }
  return runs;
}

int total_bits(std::span<const Dimension> dims) {
  int bits = 0;
  for (const Dimension& dim : dims) bits += dim.bits;
  return bits;
}

std::uint64_t moved(std::uint64_t word, std::span<const Move> moves) {
  std::uint64_t result = 0;
  for (const Move& move : moves) {
    if (move.from.bits != 0) result |= move.from.of(word) << move.to;
  }
  return result;
}

std::vector<Move> moves_between(std::span<const Dimension> from, std::span<const Dimension> to) {
  std::vector<Move> moves;
  moves.reserve(from.size());
  std::size_t begin = 0;
  for (const Dimension& dim : from) {
    if (const auto place = run_of(to, dim.name)) {
      moves.push_back({{begin, std::min(dim.bits, place->bits)}, place->begin});
    }
    begin += static_cast<std::size_t>(dim.bits);
  }
  return moves;
}

form::BitMatrix moved_rows(const form::BitMatrix& matrix, std::span<const Move> moves,
                           std::size_t rows) {
  std::vector<std::uint64_t> columns;
  columns.reserve(matrix.columns().size());
  for (const std::uint64_t column : matrix.columns()) columns.push_back(moved(column, moves));
  return {rows, std::move(columns)};
}

form::BitMatrix picked_columns(const form::BitMatrix& matrix, std::span<const Run> runs) {
  std::vector<std::uint64_t> columns;
  for (const Run& run : runs) {
    const auto picked = matrix.columns().subspan(run.begin, static_cast<std::size_t>(run.bits));
    columns.insert(columns.end(), picked.begin(), picked.end());
  }
  return {matrix.rows(), std::move(columns)};
}

form::BitMatrix rearranged_columns(const form::BitMatrix& matrix, std::span<const Dimension> from,
                                   std::span<const Dimension> to) {
  std::vector<std::uint64_t> columns(static_cast<std::size_t>(total_bits(to)));
  for (const Move& move : moves_between(from, to)) {
    const auto source =
        matrix.columns().subspan(move.from.begin, static_cast<std::size_t>(move.from.bits));
    std::ranges::copy(source, columns.begin() + static_cast<std::ptrdiff_t>(move.to));
  }
  return {matrix.rows(), std::move(columns)};
}

std::vector<std::uint64_t> columns_of(const LinearLayout& layout, std::string_view dim) {
  const auto run = run_of(layout.in_dims(), dim);
  if (!run) return {};
  const auto columns =
      layout.matrix().columns().subspan(run->begin, static_cast<std::size_t>(run->bits));
  return {columns.begin(), columns.end()};
}

std::vector<Dimension> copied(std::span<const Dimension> dims) {
  return {dims.begin(), dims.end()};
}

Names names_of(std::span<const Dimension> dims) {
  Names names;
  names.reserve(dims.size());
  for (const Dimension& dim : dims) names.push_back(dim.name);
  return names;
}

bool contains(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Result<int> log2_size(std::string_view dim, std::int64_t size) {
  if (is_power_of_two(size)) return log2_exact(size);
  Diagnostic diagnostic =
      diagnose("linear.size", "dimension {} has size {}, which is not a power of two", dim, size);
  if (size <= 0) return refuse(std::move(diagnostic));
  const auto above = size > (std::int64_t{1} << kMaxDimBits)
                         ? std::string("no larger size fits 64 bits")
                         : fmt::format("the next power of two is {}; mask what is beyond {}",
                                       std::bit_ceil(static_cast<std::uint64_t>(size)), size);
  return refuse(std::move(diagnostic).with_hint(above));
}

Result<std::vector<Dimension>> dimensions(const NamedSizes& sizes) {
  std::vector<Dimension> dims;
  dims.reserve(sizes.size());
  for (const auto& [name, size] : sizes) {
    HEDDLE_TRY(const int bits, log2_size(name, size));
    dims.push_back({name, bits});
  }
  return dims;
}

Result<void> check_dims(std::span<const Dimension> dims, std::string_view side) {
  for (std::size_t i = 0; i < dims.size(); ++i) {
    HEDDLE_CHECK(check_name(dims[i].name));
    for (std::size_t j = 0; j < i; ++j) {
      if (dims[i].name != dims[j].name) continue;
      return refuse("linear.duplicate_dim", "two {} dimensions are called {}: {}", side,
                    dims[i].name, dims_text(dims));
    }
  }
  if (const int bits = total_bits(dims); bits > kMaxBits) {
    return refuse("linear.too_many_bits", "the {} dimensions have {} bits together, at most {}: {}",
                  side, bits, kMaxBits, dims_text(dims));
  }
  return {};
}

Refusal unknown_dim(std::string_view name, std::span<const Dimension> dims, std::string_view side) {
  return refuse("linear.unknown_dim", "unknown {} dimension {}: there are {}", side, name,
                dims_text(dims));
}

Result<Run> find_run(std::string_view name, std::span<const Dimension> dims,
                     std::string_view side) {
  if (const auto run = run_of(dims, name)) return *run;
  return unknown_dim(name, dims, side);
}

Result<void> check_known(const Names& names, std::span<const Dimension> dims,
                         std::string_view side) {
  for (const std::string& name : names) {
    if (!run_of(dims, name)) return unknown_dim(name, dims, side);
  }
  return {};
}

Result<void> check_same_names(const Names& a, const Names& b, std::string_view question) {
  Names left = a;
  Names right = b;
  std::sort(left.begin(), left.end());
  std::sort(right.begin(), right.end());
  if (left == right) return {};
  return refuse("linear.dims_differ", "{}: {} and {}", question, names_text(a), names_text(b));
}

Result<void> check_same_names(std::span<const Dimension> a, std::span<const Dimension> b,
                              std::string_view question) {
  // Names are unique on each side, so equal counts and inclusion make the names the same.
  const auto is_in_b = [&](const Dimension& dim) { return run_of(b, dim.name).has_value(); };
  if (a.size() == b.size() && std::ranges::all_of(a, is_in_b)) return {};
  return check_same_names(names_of(a), names_of(b), question);
}

std::string dims_text(std::span<const Dimension> dims) {
  std::vector<std::string> texts;
  for (const Dimension& dim : dims) {
    texts.push_back(fmt::format("{} (size {})", written_name(dim.name), dim.size()));
  }
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

std::string names_text(const Names& names) { return fmt::format("({})", fmt::join(names, ", ")); }

std::string vector_text(std::span<const std::int64_t> coordinates) {
  return fmt::format("({})", fmt::join(coordinates, ", "));
}

std::vector<std::int64_t> coordinates(std::span<const Dimension> dims, std::uint64_t word) {
  std::vector<std::int64_t> result;
  result.reserve(dims.size());
  for (const Run& run : runs_of(dims)) result.push_back(static_cast<std::int64_t>(run.of(word)));
  return result;
}

std::string bit_name(std::span<const Dimension> dims, std::size_t bit) {
  for (const Dimension& dim : dims) {
    if (bit < static_cast<std::size_t>(dim.bits)) {
      return fmt::format("{}={}", dim.name, std::int64_t{1} << bit);
    }
    bit -= static_cast<std::size_t>(dim.bits);
  }
  return {};
}

}  // namespace heddle::linear
