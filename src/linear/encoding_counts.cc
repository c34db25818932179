#include "heddle/linear/encoding_counts.h"

#include <fmt/format.h>

#include <algorithm>

#include "heddle/core/exact.h"
#include "linear/bit_runs.h"
#include "linear/encoding_checks.h"

namespace heddle::linear {
namespace {

Result<LinearLayout> registers_of(const Encoding& encoding, std::span<const std::int64_t> shape) {
  if (encoding.is_distributed()) return to_linear_layout(encoding, shape);
  return refuse("encoding.parameter", "{} is not held in registers: no thread owns its elements",
                encoding.kind());
}

int bits_of(const LinearLayout& layout, std::string_view in) {
  return run_of(layout.in_dims(), in).value_or(Run{}).bits;
}

/// The bits of the row-major number of an element, for each bit of the output.
std::vector<std::size_t> row_major_places(std::span<const Dimension> outs) {
  std::vector<std::size_t> places(outs.size());
  std::size_t place = 0;
  for (std::size_t dim = outs.size(); dim-- > 0;) {
    places[dim] = place;
    place += static_cast<std::size_t>(outs[dim].bits);
  }
  return places;
}

Refusal too_far(std::string_view what, std::int64_t value) {
  return refuse("overflow", "padded_shared: the {} {} with its padding does not fit into 64 bits",
                what, value);
}

}  // namespace

Result<std::int64_t> total_elems_per_thread(const Encoding& encoding,
                                            std::span<const std::int64_t> shape) {
  HEDDLE_TRY(const LinearLayout layout, registers_of(encoding, shape));
  return std::int64_t{1} << bits_of(layout, "register");
}

Result<std::int64_t> unique_elems_per_thread(const Encoding& encoding,
                                             std::span<const std::int64_t> shape) {
  HEDDLE_TRY(const LinearLayout layout, registers_of(encoding, shape));
  const auto registers =
      layout.matrix().columns().first(static_cast<std::size_t>(bits_of(layout, "register")));
  return std::int64_t{1} << (registers.size() -
                             static_cast<std::size_t>(std::ranges::count(registers, 0)));
}

Result<std::int64_t> total_threads(const Encoding& encoding, std::span<const std::int64_t> shape) {
  HEDDLE_TRY(const LinearLayout layout, registers_of(encoding, shape));
  const int bits = bits_of(layout, "lane") + bits_of(layout, "warp") + bits_of(layout, "block");
  if (bits <= kMaxDimBits) return std::int64_t{1} << bits;
  return refuse("linear.too_many_bits", "2^{} threads, at most 2^{}", bits, kMaxDimBits);
}

Result<std::int64_t> padded_offset(const PaddedSharedEncoding& encoding, std::int64_t offset) {
  HEDDLE_CHECK(check_paddings(encoding));
  if (offset < 0) {
    return refuse("encoding.parameter", "padded_shared: the offset {} is negative", offset);
  }
  std::int64_t place = offset;
  for (const auto& [interval, padding] : encoding.paddings) {
    const auto before = exact::multiply(offset / interval, padding);
    const auto sum = before ? exact::add(place, *before) : std::nullopt;
    if (!sum) return too_far("offset", offset);
    place = *sum;
  }
  return place;
}

Result<std::int64_t> padded_size(const PaddedSharedEncoding& encoding, std::int64_t elements) {
  if (elements == 0) return 0;
  HEDDLE_TRY(const std::int64_t last, padded_offset(encoding, elements - 1));
  const auto size = exact::add(last, 1);
  if (!size) return too_far("size", elements);
  return *size;
}

Result<std::vector<std::int64_t>> shared_memory_image(const LinearLayout& layout) {
  constexpr int kMostOffsetBits = 24;
  HEDDLE_CHECK(check_inputs("shared_memory_image", layout, {"offset", "block"}));
  const Run offsets = *run_of(layout.in_dims(), "offset");
  if (offsets.bits > kMostOffsetBits) {
    return refuse("linear.too_many_bits", "shared_memory_image: 2^{} offsets, at most 2^{}",
                  offsets.bits, kMostOffsetBits);
  }
  const std::vector<Run> outs = runs_of(layout.out_dims());
  const auto places = row_major_places(layout.out_dims());
  std::vector<Move> moves;
  for (std::size_t dim = 0; dim < outs.size(); ++dim) moves.push_back({outs[dim], places[dim]});
  const form::BitMatrix numbers = moved_rows(layout.matrix(), moves, layout.matrix().rows());
  std::vector<std::int64_t> image(std::size_t{1} << static_cast<unsigned>(offsets.bits));
  for (std::size_t offset = 0; offset < image.size(); ++offset) {
    image[offset] = static_cast<std::int64_t>(numbers(offset));
  }
  return image;
}

}  // namespace heddle::linear
