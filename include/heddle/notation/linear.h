#pragma once

// Linear layouts and encodings in every spelling that is written for them.
//
//   parse_linear_layout(" - register=1 -> (0, 1)\n"
//                       "where out dims are: [dim0 (size 1), dim1 (size 2)]")
//   parse_linear_layout(R"({"ins":[["register",[[0,1]]]],"outs":[["dim0",1],["dim1",2]]})")
//   parse_linear_layout("LinearLayout(crd=(4,4), idx=(4,4), vals=[(1,1),(2,2),(0,1),(0,2)])")
//
// All of them are expressions of the language (evaluator.h) too. They are printed as Triton prints
// them, to_string(), or as data, to_datum().

#include <optional>
#include <string_view>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/linear/encoding.h"
#include "heddle/linear/linear_layout.h"
#include "heddle/notation/datum.h"

#pragma GCC visibility push(default)
namespace heddle::notation {

/// `{"ins":[["register",[[0,1],[0,2]]],["lane",[]]],"outs":[["dim0",1],["dim1",4]]}`
[[nodiscard]] Datum to_datum(const linear::LinearLayout& layout);
/// The inverse of to_datum(); `ins` and `outs` may be objects as well, and the sizes of the outputs
/// may be missing if they can be inferred, `"outs":["dim0"]`. Refuses `syntax.linear_layout` and
/// what LinearLayout::make() refuses.
[[nodiscard]] Result<linear::LinearLayout> linear_layout_of(const Datum& datum);

/// Names, names with sizes (or coordinates), bases, sizes and lists of sizes; nullopt if the datum
/// is something else. A single text is a list of one name, a single number a list of one size;
/// `{"dim0":16}` is `[["dim0",16]]`.
[[nodiscard]] std::optional<linear::Names> names_of(const Datum& datum);
[[nodiscard]] std::optional<linear::NamedSizes> named_sizes_of(const Datum& datum);
[[nodiscard]] std::optional<linear::Bases> bases_of(const Datum& datum);
[[nodiscard]] std::optional<linear::Sizes> sizes_of(const Datum& datum);
[[nodiscard]] std::optional<std::vector<linear::Sizes>> vectors_of(const Datum& datum);
[[nodiscard]] Datum to_datum(const linear::Names& names);
[[nodiscard]] Datum to_datum(const linear::NamedSizes& sizes);

/// Parses what Triton prints for a layout: ` - lane=1 -> (1, 0)` … `where out dims are: […]`.
/// Refuses `syntax.linear_layout` with the place, and what LinearLayout::make() refuses.
[[nodiscard]] Result<linear::LinearLayout> parse_printed_layout(std::string_view text);

/// A linear layout in any of its spellings: an expression of the language. Refuses `call.type` if
/// it is something else, and what evaluate() refuses.
[[nodiscard]] Result<linear::LinearLayout> parse_linear_layout(std::string_view text);

}  // namespace heddle::notation
#pragma GCC visibility pop
