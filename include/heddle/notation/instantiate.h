#pragma once

// Templates filled with the index expressions of layouts: kernels without index arithmetic.
//
//   tiles.heddle    A = TileBy([M//BM, K//BK], [BM, BK]).OrderBy(Row(M, K))
//                   a_tile = A[pid_m, k, :, :]
//   kernel.py.in    a_ptrs = a_ptr + {{ a_tile }}
//   kernel.py       a_ptrs = a_ptr + K * (BM * pid_m + tl.arange(0, BM)[:, None]) + …
//
// A layouts file has statements as `heddle run` takes them: names and what they stand for, `assume`
// and `assert`. A placeholder holds an expression over these names:
//
//   {{ name }}             an integer expression, a slice, a text
//   {{ A[i, j + 1] }}      the index of a layout of any system, at coordinates of the program
//   {{ A[blockIdx.x, j] }} members are names too
//   {{ A[i, j].laneid }}   the same on one of several axes
//   {{ A.guard[i, j] }}    whether these coordinates are a point
//   {{ cosize(A) }}        any expression whose value is an integer, a truth value or a text
//   {{ helpers }}          the functions that the expressions call; without it they stand in front
//
// An access is one of a point of the layout, that is what simplifying it may use; a guard uses only
// what is assumed.
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
  /// What the template is called, for the comment at the top; without a name there is no comment.
  std::string name;
  /// What is bound and assumed before the first layouts file.
  Environment environment;
};

/// One placeholder and what stands for it.
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
  /// Whether the template, or another name, has to use each of its names.
  bool must_be_used = true;
};

/// The template filled from layouts files, each of which knows the names of those before it. The
/// places of refusals count on from the template through the files, with a line end between them.
///
/// Refuses what parse_template() and reading and evaluating the files refuse, `template.statement`
/// for a statement that only `heddle run` has a use for, `template.redefined` for a name that has a
/// meaning already, `template.claim` for an assertion that does not hold, `template.unused` for a
/// name that nothing uses; what evaluating and printing the placeholders refuses, `template.value`
/// for a value that no program has, `template.several` for an index on several axes,
/// `template.range` for `:` outside of Triton, `template.long_expression` for an expression that
/// should be a function, `template.helpers` where a Python file does not say where they go.
[[nodiscard]] Result<Instantiated> instantiate(std::string_view text,
                                               std::span<const LayoutsFile> files,
                                               InstantiateOptions options);

}  // namespace heddle::notation
#pragma GCC visibility pop
