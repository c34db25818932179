#pragma once

// Builds the layouts of encodings: hardware bits are assigned one after another, and each takes the
// next step along a tensor dimension, or has the image 0.
//
//   Tile tile({"register", "lane", …}, frame of a 16x8 tensor);
//   tile.along(register, 1, 1);      register=1 -> (0, 1)
//   tile.along(lane, 1, 2);          lane=1 -> (0, 2), lane=2 -> (0, 4)
//   tile.along(lane, 0, 3);          lane=4 -> (1, 0), …
//   tile.fill(register, {1, 0});     register=2 -> (8, 0): the rest of the tensor
//
// A step past the end of the tensor becomes 0, so the place repeats an element inside. So a tile is
// never larger than the tensor, and fill() makes it no smaller.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "heddle/form/fragment.h"
#include "heddle/linear/encoding.h"

namespace heddle::linear {

/// A tensor of powers of two and its division among CTAs, checked.
struct Frame {
  /// log2 of the sizes, and of those of the part of one CTA.
  std::vector<int> bits;
  std::vector<int> cta_bits;
  /// The images of the bits of `block`, as bits of the output.
  std::vector<std::uint64_t> block;

  [[nodiscard]] std::size_t rank() const { return bits.size(); }
  /// The bit of the output that is 2^position along `dim`; 0 past the part of one CTA.
  [[nodiscard]] std::uint64_t step(std::size_t dim, int position) const;
};

/// Refuses `encoding.shape`, `encoding.rank`, `encoding.cta_layout`, `linear.too_many_bits`. `kind`
/// names the encoding in messages; its tensors have rank `rank`.
[[nodiscard]] Result<Frame> frame_of(std::string_view kind, std::span<const std::int64_t> shape,
                                     std::size_t rank, const CtaLayout& ctas);

class Tile {
 public:
  /// `ins` are the inputs without `block`, which comes last.
  Tile(std::initializer_list<std::string_view> ins, Frame frame);

  /// Makes the next `bits` bits of an input steps along a dimension: a direct sum with identity_1d.
  void along(std::size_t in, std::size_t dim, int bits);
  /// Gives the next `bits` bits the image 0: a direct sum with zeros_1d.
  void nowhere(std::size_t in, int bits);
  /// Steps through a box: the bits of each dimension, in `order`.
  void box(std::size_t in, std::span<const int> bits, const Order& order);
  /// As box(), but the places that differ along the dimension `repeated` have the same image.
  void box_without(std::size_t in, std::span<const int> bits, const Order& order,
                   std::size_t repeated);
  /// Steps as a fragment of an instruction is dealt out: its places are the inputs of that name,
  /// its dimensions, of powers of two, those of the tensor in `dims`.
  void deal(const form::Fragment& fragment, std::span<const std::size_t> dims);
  /// Steps through the rest of the tensor beyond the tile, dimensions in `order`.
  void fill(std::size_t in, const Order& order);

  /// For other patterns: push() gives the image of the next bit, reach() the steps taken in a
  /// dimension.
  void push(std::size_t in, std::uint64_t image) { columns_[in].push_back(image); }
  void reach(std::size_t dim, int bits) { reached_[dim] = bits; }

  [[nodiscard]] const Frame& frame() const { return frame_; }
  [[nodiscard]] int reached(std::size_t dim) const { return reached_[dim]; }
  /// Refuses `linear.too_many_bits`.
  [[nodiscard]] Result<LinearLayout> layout() const;

 private:
  std::vector<std::string_view> ins_;
  Frame frame_;
  std::vector<std::vector<std::uint64_t>> columns_;
  /// How many steps were taken along each dimension.
  std::vector<int> reached_;
};

/// The numbers of the inputs in tiles of registers, of shared memory and of tensor memory.
inline constexpr std::size_t kRegister = 0;
inline constexpr std::size_t kLane = 1;
inline constexpr std::size_t kWarp = 2;
[[nodiscard]] inline Tile register_tile(Frame frame) {
  return {{"register", "lane", "warp"}, std::move(frame)};
}
inline constexpr std::size_t kOffset = 0;
[[nodiscard]] inline Tile shared_tile(Frame frame) { return {{"offset"}, std::move(frame)}; }
inline constexpr std::size_t kRow = 0;
inline constexpr std::size_t kCol = 1;
[[nodiscard]] inline Tile tensor_memory_tile(Frame frame) {
  return {{"row", "col"}, std::move(frame)};
}

}  // namespace heddle::linear
