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
#include <memory>
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

/// A template, the layouts files that it is filled from, and what comes of it.
class Instantiation {
 public:
  /// Refuses what parse_template() refuses, with places in the template.
  [[nodiscard]] static Result<Instantiation> of(std::string_view text, InstantiateOptions options);

  /// Takes the names of a layouts file, in the order of its statements; those of files before it
  /// are known. Refuses, with places in this file, what reading and evaluating it refuses,
  /// `template.statement` for a statement that only `heddle run` has a use for,
  /// `template.redefined` for a name that has a meaning already, `template.claim` for an assertion
  /// that does not hold.
  [[nodiscard]] Result<void> read_layouts(std::string name, std::string_view text);

  /// Refuses, with places in the template, what evaluating and printing its placeholders refuses,
  /// `template.value` for a value that no program has, `template.several` for an index on several
  /// axes, `template.range` for `:` outside of Triton, `template.long_expression` for an expression
  /// that should be a function, `template.helpers` where a Python file does not say where they go.
  [[nodiscard]] Result<Instantiated> finish();

  /// Refuses `template.unused` for a name that neither the template nor another name uses, with
  /// its place in the layouts file of that number. After finish().
  [[nodiscard]] Result<void> check_used(std::size_t file) const;

  Instantiation(Instantiation&&) noexcept;
  Instantiation& operator=(Instantiation&&) noexcept;
  ~Instantiation();

 private:
  class State;
  explicit Instantiation(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace heddle::notation
#pragma GCC visibility pop
