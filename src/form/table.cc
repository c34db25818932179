#include "heddle/form/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <ostream>
#include <span>
#include <string_view>
#include <utility>

#include "core/text.h"
#include "expr/assume_needed.h"
#include "heddle/core/exact.h"

namespace heddle::form {
namespace {

/// `4 x 4 points with 2 numbers each`.
std::string describe(std::span<const std::int64_t> extents, std::size_t axes) {
  return fmt::format(
      "{} with {} each",
      counted(extents.empty() ? "1" : fmt::format("{}", fmt::join(extents, " x ")), "point"),
      counted(axes, "number"));
}

/// How many numbers a table of this box holds.
Result<std::int64_t> count_numbers(std::span<const std::int64_t> extents, std::size_t axes) {
  exact::Value count = static_cast<std::int64_t>(axes);
  for (const std::int64_t extent : extents) {
    if (count) count = exact::multiply(*count, extent);
  }
  if (count && *count <= kMaxTable) return *count;
  return refuse("table.too_large",
                fmt::format("{} are too many for a table, which holds at most {}",
                            describe(extents, axes), kMaxTable));
}

Result<std::int64_t> constant(const Int& value, std::string_view what) {
  if (value.is_constant()) return value.value();
  HEDDLE_TRY(const Int defined, check_defined(value, what));
  return refuse(Diagnostic("assume.needed", fmt::format("a table holds numbers, and {} is {}", what,
                                                        to_string(defined)))
                    .with_hint(value_hint({&defined, 1})));
}

/// Moves to the next point in row-major order.
void advance_point(std::vector<Int>& point, std::span<const std::int64_t> extents) {
  for (std::size_t i = extents.size(); i-- > 0;) {
    if (point[i].value() + 1 < extents[i]) {
      point[i] += 1;
      return;
    }
    point[i] = 0;
  }
}

/// Appends the lists of the points below one dimension; `next` is the first value not yet written.
void append_lists(const Table& table, std::size_t dimension, std::size_t& next, std::string& text) {
  if (dimension == table.extents.size()) {
    const std::span<const std::int64_t> values(table.values);
    const auto image = values.subspan(next, table.axes.size());
    next += image.size();
    text += image.size() == 1 ? std::to_string(image.front())
                              : fmt::format("[{}]", fmt::join(image, ","));
    return;
  }
  text += '[';
  for (std::int64_t i = 0; i < table.extents[dimension]; ++i) {
    if (i > 0) text += ',';
    append_lists(table, dimension + 1, next, text);
  }
  text += ']';
}

}  // namespace

Result<Table> make_table(std::vector<std::int64_t> extents, std::vector<Axis> axes,
                         std::vector<std::int64_t> values) {
  if (axes.empty()) return refuse("table.shape", "a table needs at least one axis to map to");
  for (const std::int64_t extent : extents) {
    if (extent < 1) {
      return refuse(
          "table.shape",
          fmt::format("a table of {} has an extent of {}",
                      counted(fmt::format("{}", fmt::join(extents, " x ")), "point"), extent));
    }
  }
  HEDDLE_TRY(const std::int64_t wanted, count_numbers(extents, axes.size()));
  if (std::cmp_not_equal(values.size(), wanted)) {
    return refuse("table.shape", fmt::format("{} need {}, not {}", describe(extents, axes.size()),
                                             counted(wanted, "value"), values.size()));
  }
  return Table{std::move(extents), std::move(axes), std::move(values)};
}

Result<Table> table_of(const IndexMap& map) {
  std::vector<std::int64_t> extents;
  for (const Int& extent : map.extents()) {
    HEDDLE_TRY(extents.emplace_back(), constant(extent, "an extent"));
  }
  const std::size_t axes = map.axes().size();
  HEDDLE_TRY(const std::int64_t count, count_numbers(extents, axes));
  const std::int64_t points = count / static_cast<std::int64_t>(std::max<std::size_t>(axes, 1));
  std::vector<std::int64_t> values;
  values.reserve(static_cast<std::size_t>(count));
  std::vector<Int> point(extents.size(), Int(0));
  for (std::int64_t flat = 0; flat < points; ++flat, advance_point(point, extents)) {
    for (const Int& coordinate : map(point)) {
      HEDDLE_TRY(values.emplace_back(), constant(coordinate, "a value"));
    }
  }
  return make_table(std::move(extents), {map.axes().begin(), map.axes().end()}, std::move(values));
}

IndexMap index_map(const Table& table) {
  const auto held = std::make_shared<const Table>(table);
  const auto evaluate = [held](std::span<const Int> point) {
    const std::size_t axes = held->axes.size();
    if (point.size() != held->extents.size()) return std::vector<Int>(axes, Int::undefined());
    std::int64_t flat = 0;
    for (std::size_t i = 0; i < point.size(); ++i) {
      const Int& index = point[i];
      if (!index.is_constant() || index.value() < 0 || index.value() >= held->extents[i])
        return std::vector<Int>(axes, Int::undefined());
      flat = flat * held->extents[i] + index.value();
    }
    const auto first = held->values.begin() + flat * static_cast<std::int64_t>(axes);
    return std::vector<Int>(first, first + static_cast<std::int64_t>(axes));
  };
  return {
      {table.extents.begin(), table.extents.end()}, FlatOrder::kLastFastest, table.axes, evaluate};
}

std::string to_string(const Table& table) {
  std::string text;
  std::size_t next = 0;
  append_lists(table, 0, next, text);
  return text;
}

std::ostream& operator<<(std::ostream& stream, const Table& table) {
  return stream << to_string(table);
}

}  // namespace heddle::form
