#pragma once

// Checks of the parameters that encodings have in common. A refusal names the encoding, the
// parameter as Triton writes it, and the number.

#include <fmt/ranges.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/bits.h"
#include "core/format.h"
#include "heddle/linear/encoding.h"

namespace heddle::linear {

/// log2 of a parameter. Refuses `encoding.sizes` unless it is a power of two.
[[nodiscard]] Result<int> log2_of(std::string_view kind, std::string_view parameter,
                                  std::int64_t value);
/// log2 of a list with one entry for each dimension. Refuses also `encoding.rank`.
[[nodiscard]] Result<std::vector<int>> log2_of(std::string_view kind, std::string_view parameter,
                                               const Sizes& values, std::size_t rank);
/// A permutation of 0 … rank-1. Refuses `encoding.rank`, `encoding.order`.
[[nodiscard]] Result<void> check_order(std::string_view kind, std::string_view parameter,
                                       const Order& order, std::size_t rank);
/// log2 of the sizes of a tensor. Refuses `encoding.rank`, `encoding.shape` and
/// `linear.too_many_bits`.
[[nodiscard]] Result<std::vector<int>> shape_bits(std::string_view kind,
                                                  std::span<const std::int64_t> shape,
                                                  std::size_t rank);

/// The basis of a bit of `block`: one step along a dimension at that position, or 0.
struct CtaStep {
  std::optional<std::size_t> dim;
  int position = 0;
};
/// Refuses `encoding.rank`, and `encoding.cta_layout` unless the nonzero bases reach all positions
/// below some bound, each once.
[[nodiscard]] Result<std::vector<CtaStep>> cta_steps(const CtaLayout& ctas, std::size_t rank);

/// CTAs distributed dimension by dimension: 2^ctas of them along each, of which 2^split hold
/// different parts and the others repeat them.
[[nodiscard]] CtaLayout dealt_ctas(const Order& order, std::span<const int> split,
                                   std::span<const int> ctas);

/// Checks that the inputs have these names, in this order. Refuses `encoding.linear`.
[[nodiscard]] Result<void> check_inputs(std::string_view kind, const LinearLayout& layout,
                                        const Names& wanted);

/// Checks that a slice or an operand has a parent, in registers. Refuses `encoding.parent`.
[[nodiscard]] Result<void> check_parent(std::string_view kind,
                                        const std::shared_ptr<const Encoding>& parent);
/// Checks that the outputs are dim0, dim1, …. Refuses `encoding.linear`.
[[nodiscard]] Result<void> check_standard_outs(std::string_view kind, const LinearLayout& layout);
/// Checks that the layout is a bijection apart from zero bases. Refuses `encoding.linear`.
[[nodiscard]] Result<void> check_bijective(std::string_view kind, const LinearLayout& layout);
/// Checks that the inputs are offset and block and the outputs dim0, …, with the sizes of the
/// tensor. Refuses `encoding.linear`, `encoding.rank`, `encoding.shape`.
[[nodiscard]] Result<void> check_shared_layout(std::string_view kind, const LinearLayout& layout,
                                               std::span<const std::int64_t> shape);

/// Checks that there is a padding, that all numbers are powers of two, and that no interval occurs
/// twice. Refuses `encoding.sizes`, `encoding.parameter`.
[[nodiscard]] Result<void> check_paddings(const PaddedSharedEncoding& encoding);

/// [rank-1, …, 0], with contiguous rows; column_major exchanges the last two.
[[nodiscard]] Order row_major(std::size_t rank);
[[nodiscard]] Order column_major(std::size_t rank);

/// The dimensions in the order in which the bits of an input step through them, then the others,
/// last first. Triton's getOrder().
[[nodiscard]] Order order_of(const LinearLayout& layout, std::string_view in);

/// `lane=4 -> [1, 2]`: an input bit and its image.
[[nodiscard]] std::string image_text(const LinearLayout& layout, std::size_t bit);

/// `[1, 0]`.
template <class Numbers>
[[nodiscard]] std::string list_text(const Numbers& values) {
  return fmt::format("[{}]", fmt::join(values, ", "));
}

}  // namespace heddle::linear
