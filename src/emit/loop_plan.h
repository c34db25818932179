#pragma once

// Loop nests with what each node computes as a kernel, ready to be written in a language.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "heddle/emit/loops.h"
#include "heddle/emit/print.h"
#include "heddle/expr/code_expression.h"

namespace heddle::emit {

struct LoopPlan {
  const map::LoopNode* node = nullptr;
  /// Its results: of a loop the first number and the end (for LoopBounds::kEach all bounds, firsts
  /// before ends); of a visit its coordinates, then its places. Its guards: of a guard the
  /// conditions of all alternatives, in order.
  Kernel kernel;
  /// The end of a loop is its last number, because that is shorter.
  bool ends_with_last = false;
  std::vector<LoopPlan> body;
  std::vector<LoopPlan> otherwise;
};

/// Whether the bounds of a loop are written each, or as one maximum and minimum.
enum class LoopBounds : std::uint8_t { kOne, kEach };

/// The names of everything in the language.
struct LoopNames {
  Spelling variables;
  std::vector<std::string> coordinates;
  std::vector<std::string> places;
  std::vector<std::string> sizes;
};
[[nodiscard]] LoopNames loop_names(const map::LoopNest& nest, const LoopTextOptions& options);

/// The nodes in order, for the costs of the target.
[[nodiscard]] Result<std::vector<LoopPlan>> plan_of(const map::LoopNest& nest,
                                                    const LoopNames& names, const Target& target,
                                                    LoopBounds bounds);

/// What is visited, in which order, and what is promised: one line each.
[[nodiscard]] std::vector<std::string> comments_of(const map::LoopNest& nest,
                                                   const LoopNames& names,
                                                   const LoopTextOptions& options);

/// Built from the kernels themselves. Refuses `emit.target` in a build without MLIR.
[[nodiscard]] Result<std::string> mlir_loops(const map::LoopNest& nest,
                                             const LoopTextOptions& options);

}  // namespace heddle::emit
