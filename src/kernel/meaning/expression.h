#pragma once

// Elementwise expressions, compiled to a few instructions on many values at a time.
//
//   alpha*x + 1        load alpha; load x; multiply; 1; convert to f32; add
//
// Each instruction works on a stack of lanes; every view of the expression is read at the points of
// the box that all of them broadcast to.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/kernel/program.h"
#include "kernel/meaning/formula.h"
#include "kernel/meaning/lanes.h"
#include "kernel/meaning/places.h"
#include "kernel/meaning/storage.h"

namespace heddle::kernel::meaning {

/// What names mean at a place in a kernel.
struct Surroundings {
  Variables variables;
  /// The innermost last.
  std::vector<Storage*> storages;

  /// Refuses `kernel.name`.
  [[nodiscard]] Result<Storage*> find(std::string_view name) const;
};

/// Where a row of integers and the right to use memory come from, while a statement is performed.
struct Performance {
  const Memory& memory;
  Actor actor;
  std::span<const std::int64_t> row;
};

/// Some elements of a resolved view.
struct Elements {
  Located located;
  std::array<std::uint64_t, kChunk> bits;
};

/// Reads `count` elements of the view's box. Refuses what Memory refuses.
[[nodiscard]] Result<void> read_elements(const Places& places, std::int64_t first,
                                         std::size_t count, const Performance& performance,
                                         Elements& elements);
[[nodiscard]] Result<void> write_elements(const Places& places, std::int64_t first,
                                          std::size_t count, const Performance& performance,
                                          std::span<const std::uint64_t> bits);

class Expression {
 public:
  /// Refuses what Places::make() refuses, and `kernel.name`.
  [[nodiscard]] static Result<Expression> make(const Elementwise& value,
                                               const Surroundings& surroundings);

  /// What elements outside of views are read as; 0 without it.
  void set_padding(const Number& padding) { padding_ = padding; }

  /// Takes the integers of its views from the row; the shape of the value is then extents().
  /// Refuses what Places::resolve() refuses, `kernel.broadcast`.
  [[nodiscard]] Result<void> resolve(const Performance& performance);
  [[nodiscard]] const std::vector<std::int64_t>& extents() const { return extents_; }
  /// From now on, points are those of a box that the value is broadcast to.
  void spread(std::span<const std::int64_t> box);

  /// The values of `count` points of the box; `are_inside` says which are inside of all views.
  [[nodiscard]] Result<void> evaluate(std::int64_t first, std::size_t count,
                                      const Performance& performance);
  [[nodiscard]] Lanes& values() { return stack_.front(); }
  [[nodiscard]] const std::array<bool, kChunk>& are_inside() const { return are_inside_; }

  /// The computed type of the values.
  [[nodiscard]] DType type() const { return type_; }
  /// The view, if the value is nothing but its elements.
  [[nodiscard]] Places* single_view();
  [[nodiscard]] bool reads(const Storage& storage) const;
  /// How much work one value is: the elements that are read.
  [[nodiscard]] std::int64_t cost() const { return static_cast<std::int64_t>(code_.size()); }

 private:
  struct Constant {
    Number value;
  };
  struct Index {
    Formula formula;
  };
  struct Load {
    std::size_t view;
  };
  /// Converts the operand so many below the top.
  struct Convert {
    DType type;
    std::size_t below;
  };
  struct Round {
    DType type;
  };
  struct Apply {
    Function function;
    std::size_t operands;
  };
  using Instruction = std::variant<Constant, Index, Load, Convert, Round, Apply>;
  struct Compiler;

  [[nodiscard]] Result<void> load(const Load& instruction, std::int64_t first, std::size_t count,
                                  const Performance& performance, Lanes& lanes);

  std::vector<Instruction> code_;
  std::vector<Places> views_;
  DType type_ = DType::kF32;
  std::optional<Number> padding_;
  std::vector<std::int64_t> extents_;
  std::vector<Lanes> stack_;
  Elements elements_;
  std::array<bool, kChunk> are_inside_;
};

/// The shape that two shapes broadcast to; nullopt if they do not.
[[nodiscard]] bool broadcast_to(std::vector<std::int64_t>& shape,
                                std::span<const std::int64_t> other);

}  // namespace heddle::kernel::meaning
