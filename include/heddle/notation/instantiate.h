#pragma once

// Templates filled with the index expressions of layouts: kernels without index arithmetic.
//
//   tiles.heddle    A = TileBy([M//BM, K//BK], [BM, BK]).OrderBy(Row(M, K))
//                   a_tile = A[pid_m, k, :, :]
//   kernel.py.in    a_ptrs = a_ptr + {{ a_tile }}
//   kernel.py       a_ptrs = a_ptr + K * (BM * pid_m + tl.arange(0, BM)[:, None]) + …
//
// A layouts file has statements as `heddle run` takes them: bindings of names, `assume` and
// `assert`. A placeholder holds an expression over these names:
//
//   {{ name }}             an integer expression, a slice, a text
//   {{ A[i, j + 1] }}      the index of a layout of any system, at coordinates of the program
//   {{ A[blockIdx.x, j] }} members are names too
//   {{ A[i, j].laneid }}   the same on one of several axes
//   {{ A.guard[i, j] }}    whether these coordinates are a point
//   {{ cosize(A) }}        any expression whose value is an integer, a truth value or a text
//   {{ helpers }}          the functions that the expressions call; without it they come first
//
// An access promises that its coordinates are a point of the layout, which its simplification may
// use; a guard uses only what is assumed.
//
// (Seed 001, section IV-A and figures 1 and 10.)

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/emit/dialect.h"
#include "heddle/emit/template.h"
#include "heddle/notation/evaluator.h"

#pragma GCC visibility push(default)
namespace heddle::notation {

struct InstantiateOptions {
  emit::Dialect dialect = emit::Dialect::kC;
  emit::Delimiters delimiters;
  /// The template's name for the comment at the top; without a name there is no comment.
  std::string name;
  /// The bindings and assumptions before the first layouts file.
  Environment environment;
};

/// One placeholder and its replacement.
struct Instance {
  std::string expression;
  std::string text;
  /// The line of the template, counted from 1.
  std::size_t line = 0;
};

struct Instantiated {
  std::string text;
  std::vector<Instance> instances;
};

/// Statements that give names to layouts, with the name of the file they are from.
struct LayoutsFile {
  std::string name;
  std::string_view text;
  /// Whether each of its names must be used by the template or another name.
  bool must_be_used = true;
};

/// Fills the template from layouts files, each of which sees the names of earlier ones. The places
/// of refusals count through the template and then the files, with a line end between them.
///
/// Refuses what parse_template() and reading and evaluating the files refuse, `template.statement`
/// for a statement that only `heddle run` can use, `template.redefined` for a name that is already
/// defined, `template.claim` for an assertion that does not hold, `template.unused` for an unused
/// name; what evaluating and printing the placeholders refuses, `template.value` for a value that
/// no program can hold, `template.several` for an index on several axes, `template.range` for `:`
/// outside of Triton, `template.long_expression` for an expression that should be a function,
/// `template.helpers` if a Python file has no `{{ helpers }}` for the functions it needs.
[[nodiscard]] Result<Instantiated> instantiate(std::string_view text,
                                               std::span<const LayoutsFile> files,
                                               InstantiateOptions options);

}  // namespace heddle::notation
#pragma GCC visibility pop
