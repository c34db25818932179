#pragma once

// Loop nests as functions of a program.
//
//   loops({ [i, j] : 0 <= j <= i < 4 })        in C:
//
//   static inline void scan(void (*visit)(int32_t i, int32_t j, void* data), void* data) {
//     for (int32_t i = 0; i < 4; ++i) {
//       for (int32_t j = 0; j <= i; ++j) {
//         visit(i, j, data);
//       }
//     }
//   }
//
// What is done at a point is the caller's: a function pointer in C, which is inlined where the
// compiler sees it, anything that can be called in C++, CUDA and HIP, the body of a `for` in
// Python, and the function @scan_body in MLIR.

#include <string>

#include "heddle/core/result.h"
#include "heddle/emit/dialect.h"
#include "heddle/map/loop_nest.h"

#pragma GCC visibility push(default)
namespace heddle::emit {

struct LoopTextOptions {
  Dialect dialect = Dialect::kC;
  std::string name = "scan";
  /// For C and C++: the outermost loops whose iterations have no image in common run in parallel.
  /// Then the order holds within an iteration only.
  bool openmp = false;
};

/// The loops as a function, in C, C++, CUDA, HIP, Python or MLIR. Refuses `emit.target` for other
/// languages, for OpenMP in other languages than C and C++ and for MLIR in a build without it,
/// `loops.not_parallel` for OpenMP if there are loops, none of which is known to be parallel,
/// `print.name`. Cost: that of simplifying each bound and index.
[[nodiscard]] Result<std::string> to_text(const map::LoopNest& nest,
                                          const LoopTextOptions& options);

}  // namespace heddle::emit
#pragma GCC visibility pop
