#pragma once

// The parts of a MapFunction as texts of one language, ready to be put together.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/emit/map_function.h"

namespace heddle::emit {

struct BranchText {
  /// Conditions that can stand between `and`s.
  std::vector<std::string> guards;
  std::vector<std::string> results;
};

struct FunctionBody {
  std::vector<std::string> definitions;
  std::vector<BranchText> branches;
  /// Parameters and sizes that it reads.
  std::vector<std::string> reads;
};

struct FunctionTexts {
  Dialect dialect = Dialect::kC;
  /// What the functions and types are called.
  std::string name;
  std::string inverse_name;
  std::string guard_name;
  std::string place_name;
  std::string point_name;
  std::string accessor_name;
  std::string size_name;
  std::string pack_name;
  std::string unpack_name;
  /// Identifiers.
  std::vector<std::string> coordinates;
  std::vector<std::string> places;
  std::vector<std::string> sizes;

  bool is_narrow = false;
  std::string type;
  std::string helpers;
  FunctionBody map;
  FunctionBody ends;
  std::vector<Interval<std::string>> box;
  FunctionBody inside;
  std::optional<FunctionBody> inverse;
  /// One place, and no point before the first element.
  bool has_memory = false;
  /// So many elements hold an array in this layout; nothing where that is no number.
  std::optional<std::int64_t> size;

  // For comments, one line each.
  std::string about_map;
  std::string about_inverse;
  std::string about_guard;
  std::vector<std::string> about_all;
};

[[nodiscard]] Result<FunctionTexts> texts_of(const MapFunction& function,
                                             const TextOptions& options);

[[nodiscard]] std::string c_text(const FunctionTexts& texts, bool openmp);
[[nodiscard]] std::string python_text(const FunctionTexts& texts);
[[nodiscard]] std::string latex_text(const FunctionTexts& texts);
/// From the kernels themselves: of the texts, MLIR has names and comments alone. Refuses
/// `emit.target` in a build without MLIR.
[[nodiscard]] Result<std::string> mlir_text(const MapFunction& function, const FunctionTexts& texts,
                                            const MlirOptions& options);

/// `i, j`.
[[nodiscard]] std::string listed(const std::vector<std::string>& names);
/// The two lists one after the other: the parameters of a function and the sizes.
[[nodiscard]] std::vector<std::string> with_sizes(std::vector<std::string> names,
                                                  const FunctionTexts& texts);
/// `0 <= i < 4`; the name alone where there are no ends.
[[nodiscard]] std::string interval_text(const Interval<std::string>& ends, const std::string& name,
                                        std::string_view at_most = " <= ");
/// All intervals of the box that have an end.
[[nodiscard]] std::vector<std::string> box_intervals(const FunctionTexts& texts,
                                                     const std::vector<std::string>& names,
                                                     std::string_view at_most = " <= ");
/// `0 <= i`, `i < 4`, …: all that the box asks.
[[nodiscard]] std::vector<std::string> box_conditions(const FunctionTexts& texts);

}  // namespace heddle::emit
