#pragma once

// The parts of a MapFunction as texts of one language, ready to be combined.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/emit/map_function.h"

namespace heddle::emit {

using Names = std::vector<std::string>;

struct BranchText {
  /// Conditions that can be joined by `and`.
  std::vector<std::string> guards;
  std::vector<std::string> results;
};

struct FunctionBody {
  std::vector<std::string> definitions;
  std::vector<BranchText> branches;
  /// The parameters and sizes that it reads.
  std::vector<std::string> reads;
};

/// A function from points to places, or back.
struct FunctionText {
  std::string name;
  /// The type that has several results as fields.
  std::string type_name;
  std::vector<std::string> parameters;
  std::vector<std::string> results;
  FunctionBody body = {};
  std::string comment = {};
};

struct FunctionTexts {
  Dialect dialect = Dialect::kC;
  /// The name of the map.
  std::string name;
  /// `idx_guard`: all other functions are named in this way.
  [[nodiscard]] std::string named(std::string_view part) const {
    return std::string(name).append("_").append(part);
  }
  /// The identifiers of the coordinates.
  std::vector<std::string> coordinates;
  std::vector<std::string> sizes;

  bool is_narrow = false;
  std::string type;
  std::string helpers;
  FunctionText map;
  std::optional<FunctionText> inverse;
  FunctionBody ends;
  std::vector<Interval<std::string>> box;
  FunctionBody inside;
  /// Whether there is one place, and no point is before the first element.
  bool has_memory = false;
  /// The number of elements of an array in this layout; nullopt if that is not constant.
  std::optional<std::int64_t> size;

  // Comments, one line each.
  std::string about_guard;
  std::vector<std::string> about_all;
};

[[nodiscard]] Result<FunctionTexts> texts_of(const MapFunction& function,
                                             const TextOptions& options);

[[nodiscard]] std::string c_text(const FunctionTexts& texts, bool openmp);
[[nodiscard]] std::string python_text(const FunctionTexts& texts);
[[nodiscard]] std::string latex_text(const FunctionTexts& texts);
/// Built from the kernels themselves: of the texts, MLIR uses only names and comments. Refuses
/// `emit.target` in a build without MLIR.
[[nodiscard]] Result<std::string> mlir_text(const MapFunction& function, const FunctionTexts& texts,
                                            const MlirOptions& options);

/// Identifiers of the language, each different from those before it and from `taken`, to which they
/// are added.
[[nodiscard]] std::vector<std::string> identifiers(const std::vector<std::string>& names,
                                                   Dialect dialect,
                                                   std::vector<std::string>& taken);
/// The text on one line, shortened; a line of C must not end with a backslash.
[[nodiscard]] std::string in_a_comment(std::string text);

/// The parts with a sign between them; `none` if there are no parts.
[[nodiscard]] std::string joined(const Names& parts, std::string_view sign,
                                 std::string_view none = "");
/// `i, j`.
[[nodiscard]] inline std::string listed(const Names& names) { return joined(names, ", "); }
/// The two lists one after the other: the parameters of a function and the sizes.
[[nodiscard]] std::vector<std::string> with_sizes(std::vector<std::string> names,
                                                  const FunctionTexts& texts);
/// `(i * 3 + j) * 4 + k`: the index in a row-major array of these extents.
[[nodiscard]] std::string row_major(std::span<const std::string> coordinates,
                                    std::span<const std::string> extents);
/// `0 <= i < 4`; the name alone if there are no ends.
[[nodiscard]] std::string interval_text(const Interval<std::string>& ends, const std::string& name,
                                        std::string_view at_most = " <= ");
/// All intervals of the box that have an end.
[[nodiscard]] std::vector<std::string> box_intervals(const FunctionTexts& texts,
                                                     const std::vector<std::string>& names,
                                                     std::string_view at_most = " <= ");
/// `0 <= i`, `i < 4`, …: all conditions of the box.
[[nodiscard]] std::vector<std::string> box_conditions(const FunctionTexts& texts);

}  // namespace heddle::emit
