#pragma once

// A column action chooses and reorders bases of one input dimension of a layout. It describes how
// registers are renamed so that the data of one instruction become adjacent.
//
//   ColumnAction([2, 0, 1], register, 3)     bases [1, 2, 4] become [4, 1, 2]
//                                            values [x0 … x7] become [x0 x4 x1 x5 x2 x6 x3 x7]
//
// An action that leaves bases out drops the values that differ only there. The names are those of
// Triton's ColumnAction and LayoutUtils.h.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/linear/linear_layout.h"

#pragma GCC visibility push(default)
namespace heddle::linear {

class ColumnAction {
 public:
  /// Basis i of the result is basis action[i] of the 2^in_size_log2 inputs of `in_dim`. Refuses
  /// `linear.column_action` for a basis that does not exist, or one taken twice.
  [[nodiscard]] static Result<ColumnAction> make(std::vector<int> action, std::string in_dim,
                                                 int in_size_log2);
  /// The action that keeps every basis in its place.
  [[nodiscard]] static Result<ColumnAction> identity(std::string in_dim, int in_size_log2);

  [[nodiscard]] std::span<const int> action() const { return action_; }
  [[nodiscard]] const std::string& in_dim() const { return in_dim_; }
  [[nodiscard]] int in_size_log2() const { return in_size_log2_; }
  /// Whether nothing moves and nothing is dropped.
  [[nodiscard]] bool is_identity() const;
  /// Whether nothing is dropped.
  [[nodiscard]] bool is_permutation() const {
    return action_.size() == static_cast<std::size_t>(in_size_log2_);
  }

  /// The layout with its bases chosen and reordered. Refuses `linear.unknown_dim`, and
  /// `linear.column_action` if the dimension has another size.
  [[nodiscard]] Result<LinearLayout> apply(const LinearLayout& layout) const;
  /// The values of the registers after the action. Refuses `linear.column_action` if there are not
  /// 2^in_size_log2 of them.
  template <class T>
  [[nodiscard]] Result<std::vector<T>> apply(const std::vector<T>& values) const;

  friend bool operator==(const ColumnAction&, const ColumnAction&) = default;

 private:
  ColumnAction(std::vector<int> action, std::string in_dim, int in_size_log2)
      : action_(std::move(action)), in_dim_(std::move(in_dim)), in_size_log2_(in_size_log2) {}
  [[nodiscard]] Result<void> check_values(std::size_t count) const;
  /// The index, before the action, of the value at `index` of the result.
  [[nodiscard]] std::size_t source(std::size_t index) const;

  std::vector<int> action_;
  std::string in_dim_;
  int in_size_log2_ = 0;
};

/// The inverse of a permutation. Refuses `linear.column_action` for any other action.
[[nodiscard]] Result<ColumnAction> inverse(const ColumnAction& action);
/// First `action`, then `next`. Refuses `linear.column_action` unless `next` acts on the same
/// dimension and on as many bases as `action` leaves.
[[nodiscard]] Result<ColumnAction> left_compose(const ColumnAction& action,
                                                const ColumnAction& next);

/// `ColumnAction([2, 0, 1], register, 3)`, as Triton prints it.
[[nodiscard]] std::string to_string(const ColumnAction& action);

// ---- Registers ----

/// Drops the bases of `register` that are 0. Refuses `linear.unknown_dim`.
[[nodiscard]] Result<ColumnAction> action_remove_broadcasted_regs(const LinearLayout& layout);

/// The action on `register` after which divide_left(a, b), or divide_right(a, b), may succeed: if
/// any action makes it succeed, this one does. Refuses `linear.unknown_dim`, and
/// `linear.not_divisible` if a basis of b is not among those of a.
[[nodiscard]] Result<ColumnAction> reg_perm_for_divide(const LinearLayout& a, const LinearLayout& b,
                                                       bool left);

/// How many elements one access can move, and the order of registers in which it moves them.
struct Vectorisation {
  std::int64_t elements = 1;
  ColumnAction permutation;

  friend bool operator==(const Vectorisation&, const Vectorisation&) = default;
};

/// For a conversion (register, …) -> (offset, …): the widest access of at most 128 bits for which
/// consecutive registers, in some order, are consecutive aligned offsets. With `max_vec_elems`, at
/// most that many elements, and the registers keep their order. Refuses `linear.unknown_dim`,
/// `linear.element_bits` unless `bitwidth` is a power of two up to 128, and `linear.size`.
[[nodiscard]] Result<Vectorisation> largest_vectorisation(
    const LinearLayout& cvt, int bitwidth, std::optional<std::int64_t> max_vec_elems = {});

/// Spreads the values of the registers that differ over all registers of the layout: registers that
/// hold the same element get equal values. Refuses `linear.unknown_dim`, `linear.values` if there
/// are not 2^(rank of the bases of register) values, and `linear.too_large` above 2^20 registers.
/// (Triton repeats the first value for every basis that is no pivot, which is the same for zero
/// bases.)
template <class T>
[[nodiscard]] Result<std::vector<T>> broadcast_as(const std::vector<T>& values,
                                                  const LinearLayout& layout);

// ---- Implementation ----

namespace detail {
/// For each register the number of the value that it gets.
[[nodiscard]] Result<std::vector<std::size_t>> broadcast_sources(const LinearLayout& layout,
                                                                 std::size_t count);
}  // namespace detail

template <class T>
Result<std::vector<T>> ColumnAction::apply(const std::vector<T>& values) const {
  HEDDLE_CHECK(check_values(values.size()));
  std::vector<T> result;
  const std::size_t count = std::size_t{1} << action_.size();
  result.reserve(count);
  for (std::size_t i = 0; i < count; ++i) result.push_back(values[source(i)]);
  return result;
}

template <class T>
Result<std::vector<T>> broadcast_as(const std::vector<T>& values, const LinearLayout& layout) {
  HEDDLE_TRY(const std::vector<std::size_t> sources,
             detail::broadcast_sources(layout, values.size()));
  std::vector<T> result;
  result.reserve(sources.size());
  for (const std::size_t source : sources) result.push_back(values[source]);
  return result;
}

}  // namespace heddle::linear
#pragma GCC visibility pop
