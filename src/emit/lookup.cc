#include "heddle/emit/lookup.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "core/free_names.h"
#include "emit/function_texts.h"
#include "heddle/emit/print.h"

namespace heddle::emit {
namespace {

/// All the numbers, some on each line.
std::string numbers_text(const std::vector<std::int64_t>& values, const char* wide) {
  constexpr std::size_t kPerLine = 16;
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) text += i % kPerLine == 0 ? ",\n      " : ", ";
    // C has no literal for the least 64-bit number.
    const bool is_least = values[i] == INT64_MIN && *wide != '\0';
    const bool is_wide = values[i] < -INT32_MAX || values[i] > INT32_MAX;
    text += is_least ? fmt::format("-{}{} - 1", INT64_MAX, wide)
                     : fmt::format("{}{}", values[i], is_wide ? wide : "");
  }
  return text;
}

std::string in_c(const form::Table& table, Dialect dialect, const std::string& name,
                 const std::vector<std::string>& names, const std::string& index) {
  const auto [least, most] = std::ranges::minmax(table.values);
  const std::string_view type = integer_type(dialect, least >= INT32_MIN && most <= INT32_MAX);
  const bool is_opencl = dialect == Dialect::kOpenCl;
  const std::string numbers = numbers_text(table.values, is_opencl ? "L" : "LL");
  std::vector<std::string> parameters;
  for (const std::string& parameter : names) {
    parameters.push_back(fmt::format("{} {}", type, parameter));
  }
  const std::string array =
      fmt::format("{}[{}] = {{\n      {}}};\n", name + "_numbers", table.values.size(), numbers);
  // OpenCL C declares arrays outside of functions; a constexpr function must not have static ones.
  const std::string before = is_opencl ? fmt::format("__constant {} {}", type, array) : "";
  const std::string within =
      is_opencl
          ? ""
          : fmt::format("  {}const {} {}", dialect == Dialect::kC ? "static " : "", type, array);
  return fmt::format("{}{} {} {}({}) {{\n{}  return {}_numbers[{}];\n}}\n", before,
                     function_qualifiers(dialect), type, name, fmt::join(parameters, ", "), within,
                     name, index);
}

}  // namespace

Result<std::string> lookup_text(const form::Table& table, Dialect dialect,
                                const std::string& name) {
  if (table.values.size() > kMaxLookup) {
    return refuse("table.too_large",
                  fmt::format("an array in a program has up to {} numbers, not {}", kMaxLookup,
                              table.values.size()));
  }
  const std::vector<std::string> names = coordinate_names(table.extents.size());
  std::vector<std::string> extents;
  for (const std::int64_t extent : table.extents) extents.push_back(std::to_string(extent));
  const std::string index = names.empty() ? "0" : row_major(names, extents);
  if (is_c_like(dialect)) return in_c(table, dialect, name, names, index);
  if (dialect == Dialect::kPython) {
    return fmt::format(
        "{0}_numbers = (\n      {1},)\n\n\ndef {0}({2}):\n    return {0}_numbers[{3}]\n", name,
        numbers_text(table.values, ""), fmt::join(names, ", "), index);
  }
  return refuse("emit.target", fmt::format("{} has no arrays of numbers", title_of(dialect)));
}

}  // namespace heddle::emit
