#pragma once

// Programs in C and its like that hold emitted functions against tables of what they must give.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "emit/drawn_functions.h"
#include "heddle/emit/print.h"

namespace heddle::emit {

/// What programs in C, C++ and CUDA begin with.
inline constexpr const char* kCHead =
    "#include <stdio.h>\n"
    "#define ROWS static const long long\n"
    "#define ROW const long long\n"
    "#define CHECK(n) static void check##n(void)\n"
    "static inline void fail(int f, const char* what, const long long* at, int count) {\n"
    "  printf(\"f%d: wrong %s at\", f, what);\n"
    "  for (int i = 0; i < count; ++i) printf(\" %lld\", at[i]);\n"
    "  printf(\"\\n\");\n"
    "}\n";
inline constexpr const char* kOpenClHead =
    "#define ROWS __constant long\n"
    "#define ROW __constant const long\n"
    "#define CHECK(n) static void check##n(__global long* wrong)\n"
    "#define fail(f, what, at, count) (*wrong = (f) + 1)\n";

/// `p[0], p[1]`
[[nodiscard]] inline std::string arguments(const std::string& array, std::size_t from,
                                           std::size_t count) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < count; ++i) parts.push_back(fmt::format("{}[{}]", array, from + i));
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// One call, its results compared with the numbers of `p` from `begin` on.
[[nodiscard]] inline std::string comparison(int number, const std::string& call,
                                            const std::string& type, std::size_t begin,
                                            std::size_t count, const std::string& what,
                                            std::size_t columns) {
  std::string text = fmt::format("    {{ const {} got = {};\n", type, call);
  text += "      const INDEX* v = (const INDEX*)&got;\n      (void)v;\n";
  for (std::size_t k = 0; k < count; ++k) {
    text += fmt::format("      if (v[{}] != p[{}]) fail({}, \"{}\", p, {});\n", k, begin + k,
                        number, what, columns);
  }
  return text + "    }\n";
}

/// The functions with a check() that tries them at every point; of a number for its name.
[[nodiscard]] inline std::string checked_text(const DrawnFunction& drawn, Dialect dialect,
                                              int number) {
  const MapFunction& function = drawn.function;
  const std::string name = "f" + std::to_string(number);
  std::string text = to_text(function, {dialect, name}).value();
  const std::size_t coordinates = function.coordinates.size();
  const std::size_t places = function.places.size();
  const std::string type(integer_type(dialect, fits_32_bits(function.on_the_way)));
  std::string rows;
  for (std::size_t i = 0; i < drawn.points.size(); ++i) {
    std::vector<std::int64_t> row = drawn.points[i];
    row.push_back(drawn.places[i] ? 1 : 0);
    const test::Point place = drawn.places[i].value_or(test::Point(places, 0));
    row.insert(row.end(), place.begin(), place.end());
    rows += fmt::format("  {{{}}},\n", fmt::join(row, ", "));
  }
  const std::size_t columns = coordinates + 1 + places;
  text += fmt::format("ROWS rows{}[][{}] = {{\n{}}};\n", number, columns, rows);
  text += fmt::format("#define INDEX {}\nCHECK({}) {{\n", type, number);
  text += fmt::format("  for (int r = 0; r < {}; ++r) {{\n    ROW* p = rows{}[r];\n",
                      drawn.points.size(), number);
  text += fmt::format("    if ({}_guard({}) != (p[{}] != 0)) fail({}, \"guard\", p, {});\n", name,
                      arguments("p", 0, coordinates), coordinates, number, columns);
  text += fmt::format("    if (!p[{}]) continue;\n", coordinates);
  text +=
      comparison(number, fmt::format("{}({})", name, arguments("p", 0, coordinates)),
                 places == 1 ? type : name + "_place", coordinates + 1, places, "place", columns);
  if (function.inverse) {
    text += comparison(
        number, fmt::format("{}_inverse({})", name, arguments("p", coordinates + 1, places)),
        coordinates == 1 ? type : name + "_point", 0, coordinates, "inverse", columns);
  }
  return text + "  }\n}\n#undef INDEX\n";
}

/// All of them, each with its check().
[[nodiscard]] inline std::string checked_texts(const std::vector<DrawnFunction>& functions,
                                               Dialect dialect) {
  std::string text;
  for (std::size_t i = 0; i < functions.size(); ++i) {
    text += "\n" + checked_text(functions[i], dialect, static_cast<int>(i));
  }
  return text;
}

/// A call of every check().
[[nodiscard]] inline std::string calls_of_checks(std::size_t count, const std::string& argument) {
  std::string calls;
  for (std::size_t i = 0; i < count; ++i) calls += fmt::format("  check{}({});\n", i, argument);
  return calls;
}

/// A program in C, C++ or CUDA that says what is wrong.
[[nodiscard]] inline std::string c_program(const std::vector<DrawnFunction>& functions,
                                           Dialect dialect) {
  return kCHead + checked_texts(functions, dialect) + "int main(void) {\n" +
         calls_of_checks(functions.size(), "") + "  return 0;\n}\n";
}

}  // namespace heddle::emit
