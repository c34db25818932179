#pragma once

// Parts of pictures of linear layouts: the inputs that are mapped to an output, the texts of places
// of the hardware, and the colours of cells.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "draw/bit_grid.h"
#include "draw/colors.h"
#include "heddle/draw/linear.h"
#include "heddle/form/subspace.h"

namespace heddle::draw {

/// All inputs of an output: the least one XOR the kernel, ascending.
class Preimages {
 public:
  explicit Preimages(const form::BitMatrix& matrix);

  /// The least input that is mapped to the output; nullopt if there is none.
  [[nodiscard]] std::optional<std::uint64_t> least(std::uint64_t output) const;
  /// The vectors whose XOR with an input gives the other inputs with the same output.
  [[nodiscard]] std::span<const std::uint64_t> kernel() const { return kernel_; }
  /// The first inputs of an output whose least one is given, at most `most`.
  [[nodiscard]] std::vector<std::uint64_t> inputs(std::uint64_t least, std::size_t most) const;
  /// The number of inputs of an output in the image; 2^64 - 1 stands in for 2^64.
  [[nodiscard]] std::uint64_t count() const;

 private:
  std::vector<std::size_t> pivots_;
  form::Subspace image_;
  form::Subspace kernel_space_;
  std::vector<std::uint64_t> kernel_;
};

/// The hardware that the inputs of a layout name.
enum class Hardware { kThreads, kSharedMemory, kOther };
[[nodiscard]] Hardware hardware_of(const linear::LinearLayout& layout);

/// Triton's `B1:T37:2` (thread 37 = lane + lanes * warp, register 2; blocks if there are several),
/// the offset in shared memory, or the coordinates `(3,0)`.
[[nodiscard]] std::string place_text(const linear::LinearLayout& layout, std::uint64_t input);

/// `register=2, warp=1`: the coordinates that are not 0, or `0`.
[[nodiscard]] std::string named_text(std::span<const linear::Dimension> dims, std::uint64_t word);

/// `register 4, lane 32 -> dim0 16, dim1 8`
[[nodiscard]] std::string title_of(const linear::LinearLayout& layout,
                                   const PictureOptions& options);

/// The axes dim0, dim1, … in the order of their numbers; other names in their own order. The bits
/// of words do not move.
[[nodiscard]] std::vector<BitAxis> tensor_axes(const linear::LinearLayout& layout);

/// `(3,5)`, or `3` for one dimension.
[[nodiscard]] std::string element_text(std::span<const BitAxis> axes, std::uint64_t word);

/// Colours of words by one of their axes.
struct AxisColors {
  BitAxis axis;
  ColorRule rule;

  [[nodiscard]] std::size_t of(std::uint64_t word) const;
};
/// Colours by the axis that the options name, or by `usual`. Refuses `draw.color`.
[[nodiscard]] Result<AxisColors> axis_colors(std::span<const BitAxis> axes, std::string_view usual,
                                             const PictureOptions& options);

}  // namespace heddle::draw
