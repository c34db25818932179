#pragma once

// Moving a tensor from one file to another in a new layout.
//
//   relayout("in.npy", "out.npy", {.to = …(64,64):(1,64)…})       a transpose, on the disk

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/move/relayout.h"

#pragma GCC visibility push(default)
namespace heddle::files {

struct RelayoutRequest {
  /// By default how the tensor lies in the file: row-major, or column-major if the file says so.
  std::optional<map::AnyLayout> from;
  map::AnyLayout to;
  /// Moved after them, by layouts of their own, such as partial blocks at the end of a tensor.
  struct Rest {
    map::AnyLayout from;
    map::AnyLayout to;
  };
  std::vector<Rest> rest;
  /// The tensor of a file with several.
  std::string tensor;
  /// The bits of an element, if they are not those of the tensor's type.
  std::optional<std::int64_t> element_bits;
  /// The shape that the new file states, at least as large as the layout reaches: the rest is zero.
  /// By default one extent.
  std::vector<std::int64_t> shape;
  /// Whether the new tensor has the type of the old one also where elements of another width are
  /// packed in it, and the shape counts elements of this type.
  bool keeps_type = false;
  move::PlanOptions plan;
  move::RunOptions run;
};

/// Reads a tensor, moves its elements and writes the new file; places that no element moves to are
/// zero. What a safetensors file says of itself is said of a new one too. Returns the plan of
/// `from` and `to`. Refuses what TensorFile::open(), make_plan(),
/// Plan::run() and write_tensor() refuse, and `tensor.shape` for a shape that takes fewer bytes
/// than the layout reaches.
[[nodiscard]] Result<move::Plan> relayout(const std::string& input, const std::string& output,
                                          const RelayoutRequest& request);

/// The same within a .npy file or raw bytes, without another file: the elements move along the
/// cycles of the permutation, in one thread. By default the shape is one extent of the whole
/// tensor. Refuses what TensorFile::open(), make_plan(), Plan::run_in_place() and change_tensor()
/// refuse, and `tensor.shape` for a shape of another number of bytes.
[[nodiscard]] Result<move::Plan> relayout_in_place(const std::string& path,
                                                   const RelayoutRequest& request);

}  // namespace heddle::files
#pragma GCC visibility pop
