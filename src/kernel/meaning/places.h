#pragma once

// The elements that a view names, as places in the memory of its tensor, computed with machine
// integers.
//
//   A: f16[M,K],  A[128*bx : +128, k]     at a block: a box of 128, from place 128*bx*K + k in
//   steps
//                                         of K, of which those below M are inside
//
// A view is a box over the tensor, or over another box that its elements are counted in: a reshape
// of what is not contiguous, a table of a relayout, parts or groups of the elements of a recast.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/kernel/program.h"
#include "kernel/meaning/formula.h"
#include "kernel/meaning/storage.h"

namespace heddle::kernel::meaning {

class Places {
 public:
  /// A view of a tensor. Refuses `kernel.recast` (a recast or a relayout that is not the first
  /// step), `kernel.layout` (a relayout that reaches places without elements).
  [[nodiscard]] static Result<Places> make(const View& view, Storage& storage,
                                           const Variables& variables);

  /// Takes the integers of the view from a row. `part` performs the statement. Refuses `overflow`,
  /// `kernel.reshape`, `kernel.index` for a subscript that what was read from memory takes outside,
  /// whatever blocks, threads and counters are.
  [[nodiscard]] Result<void> resolve(std::span<const std::int64_t> row, std::size_t part);

  [[nodiscard]] Storage& storage() const { return *storage_; }
  [[nodiscard]] DType type() const { return type_; }
  [[nodiscard]] const std::vector<std::int64_t>& extents() const { return extents_; }
  [[nodiscard]] std::int64_t size() const;

  /// From now on, points are those of a box that the view is broadcast to.
  void spread(std::span<const std::int64_t> box);
  /// The places of `count` points of the box from number `first` on, row-major. An element of a
  /// recast to a wider type has several parts().
  void locate(std::int64_t first, std::size_t count, Located& located, std::int64_t part = 0) const;
  [[nodiscard]] std::int64_t parts() const { return wide_; }
  /// The bits of a part.
  [[nodiscard]] std::int64_t part_bits() const { return part_bits_; }

 private:
  /// One dimension of a box: indices from `low` to `high`, which is not included, are inside.
  struct Dimension {
    std::int64_t extent = 1;
    std::int64_t stride = 0;
    std::int64_t low = 0;
    std::int64_t high = 1;
  };
  struct Box {
    std::vector<Dimension> dimensions;
    std::int64_t base = 0;
    /// Nothing is inside.
    bool is_outside = false;

    [[nodiscard]] static Box whole(std::span<const std::int64_t> extents);
    /// Whether its elements follow one another, all inside.
    [[nodiscard]] bool is_contiguous() const;
    [[nodiscard]] std::int64_t size() const;
    [[nodiscard]] std::int64_t place(std::int64_t flat) const;
  };
  /// A subscript that depends on what was read from memory, and the slots of that.
  struct LoadedIndex {
    Int value;
    std::map<std::string, std::size_t> slots;
  };
  struct Slice {
    struct Part {
      Subscript::Kind kind;
      Formula begin;
      Formula extent;
      std::shared_ptr<const LoadedIndex> loaded;
    };
    std::vector<Part> parts;
  };
  struct Permutation {
    std::vector<std::size_t> order;
  };
  struct Shape {
    std::vector<Formula> extents;
  };
  using Step = std::variant<Slice, Permutation, Shape>;
  struct Maker;

  [[nodiscard]] Result<void> follow(const Slice& step, std::span<const std::int64_t> row);
  [[nodiscard]] Result<void> follow(const Permutation& step, std::span<const std::int64_t> row);
  [[nodiscard]] Result<void> follow(const Shape& step, std::span<const std::int64_t> row);
  [[nodiscard]] Result<void> check_loaded(const Slice::Part& part, std::size_t dimension,
                                          std::int64_t begin, std::int64_t extent,
                                          std::span<const std::int64_t> row) const;
  void take_range(Dimension dimension, std::int64_t begin, std::int64_t extent);

  View view_;
  Storage* storage_ = nullptr;
  DType type_ = DType::kF32;
  /// What the first slice, permutation or reshape reads.
  std::vector<std::int64_t> base_extents_;
  Box base_;
  std::vector<Step> steps_;
  /// Of a relayout: the place of each point of its box.
  std::shared_ptr<const std::vector<std::int64_t>> table_;
  /// Of a recast: elements that make one of the view, or that one is divided into.
  std::int64_t wide_ = 1;
  std::int64_t narrow_ = 1;
  std::int64_t part_bits_ = 64;

  // At a row:
  Box box_;
  /// Boxes that box_ counts in, the innermost last.
  std::vector<Box> outer_;
  std::vector<Dimension> scratch_;
  std::vector<std::int64_t> extents_;
  Box spread_;
  std::int64_t instance_ = 0;
};

/// The extents as numbers. Refuses `overflow` for what is no number, or negative.
[[nodiscard]] Result<std::int64_t> extent_at(const Formula& formula,
                                             std::span<const std::int64_t> row);
/// The product; nullopt past 64 bits.
[[nodiscard]] exact::Value product_of(std::span<const std::int64_t> extents);

}  // namespace heddle::kernel::meaning
