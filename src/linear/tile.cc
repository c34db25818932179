#include "linear/tile.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/bits.h"
#include "linear/bit_runs.h"
#include "linear/encoding_checks.h"

namespace heddle::linear {
namespace {

/// The first output bit of a dimension.
std::size_t begin_of(const std::vector<int>& bits, std::size_t dim) {
  std::size_t begin = 0;
  for (std::size_t i = 0; i < dim; ++i) begin += static_cast<std::size_t>(bits[i]);
  return begin;
}

Result<void> check_bits(std::string_view in, std::size_t bits, std::size_t total) {
  if (bits <= kMaxDimBits && total <= kMaxBits) return {};
  return refuse(
      "linear.too_many_bits",
      "the layout needs {} bits of {}, {} bits in all: at most {} of one dimension and {} in all",
      bits, in, total, kMaxDimBits, kMaxBits);
}

}  // namespace

std::uint64_t Frame::step(std::size_t dim, int position) const {
  if (position >= cta_bits[dim]) return 0;
  return std::uint64_t{1} << (begin_of(bits, dim) + static_cast<std::size_t>(position));
}

Result<Frame> frame_of(std::string_view kind, std::span<const std::int64_t> shape, std::size_t rank,
                       const CtaLayout& ctas) {
  HEDDLE_TRY(std::vector<int> bits, shape_bits(kind, shape, rank));
  HEDDLE_TRY(const auto steps, cta_steps(ctas, rank));
  std::vector<int> cta_bits = bits;
  for (const CtaStep& step : steps) {
    if (step.dim && cta_bits[*step.dim] > 0) --cta_bits[*step.dim];
  }
  std::vector<std::uint64_t> block;
  for (const CtaStep& step : steps) {
    const bool inside = step.dim && cta_bits[*step.dim] + step.position < bits[*step.dim];
    block.push_back(!inside
                        ? 0
                        : std::uint64_t{1}
                              << (begin_of(bits, *step.dim) +
                                  static_cast<std::size_t>(cta_bits[*step.dim] + step.position)));
  }
  return Frame{std::move(bits), std::move(cta_bits), std::move(block)};
}

Tile::Tile(std::initializer_list<std::string_view> ins, Frame frame)
    : ins_(ins), frame_(std::move(frame)), columns_(ins_.size()), reached_(frame_.rank()) {}

void Tile::along(std::size_t in, std::size_t dim, int bits) {
  for (int i = 0; i < bits; ++i) push(in, frame_.step(dim, reached_[dim]++));
}

void Tile::nowhere(std::size_t in, int bits) {
  columns_[in].insert(columns_[in].end(), static_cast<std::size_t>(bits), 0);
}

void Tile::box(std::size_t in, std::span<const int> bits, const Order& order) {
  for (const int dim : order) {
    along(in, static_cast<std::size_t>(dim), bits[static_cast<std::size_t>(dim)]);
  }
}

void Tile::box_without(std::size_t in, std::span<const int> bits, const Order& order,
                       std::size_t repeated) {
  for (const int entry : order) {
    const auto dim = static_cast<std::size_t>(entry);
    if (dim == repeated) {
      nowhere(in, bits[dim]);
    } else {
      along(in, dim, bits[dim]);
    }
  }
}

void Tile::deal(const form::Fragment& fragment, std::span<const std::size_t> dims) {
  const auto log2_size = [](std::int64_t size) { return log2_exact(size); };
  for (std::size_t place = 0; place < fragment.places().size(); ++place) {
    const auto found = std::ranges::find(ins_, fragment.places()[place].name);
    const auto in = static_cast<std::size_t>(found - ins_.begin());
    for (const form::Fragment::Mode& mode : fragment.modes_of_place(place)) {
      for (int bit = 0; bit < log2_size(mode.extent); ++bit) {
        push(in, !mode.index ? 0
                             : frame_.step(dims[*mode.index], reached_[dims[*mode.index]] +
                                                                  log2_size(mode.stride) + bit));
      }
    }
  }
  for (std::size_t dim = 0; dim < dims.size(); ++dim) {
    reached_[dims[dim]] += log2_size(fragment.dims()[dim].size);
  }
}

void Tile::fill(std::size_t in, const Order& order) {
  for (const int dim : order) {
    const auto index = static_cast<std::size_t>(dim);
    along(in, index, frame_.cta_bits[index] - reached_[index]);
  }
}

Result<LinearLayout> Tile::layout() const {
  std::vector<Dimension> ins;
  std::vector<std::uint64_t> columns;
  const auto append = [&](std::string_view name,
                          std::span<const std::uint64_t> images) -> Result<void> {
    columns.insert(columns.end(), images.begin(), images.end());
    HEDDLE_CHECK(check_bits(name, images.size(), columns.size()));
    ins.push_back({std::string(name), static_cast<int>(images.size())});
    return {};
  };
  for (std::size_t in = 0; in < ins_.size(); ++in) HEDDLE_CHECK(append(ins_[in], columns_[in]));
  HEDDLE_CHECK(append("block", frame_.block));

  std::vector<Dimension> outs;
  for (std::size_t dim = 0; dim < frame_.rank(); ++dim) {
    outs.push_back({fmt::format("dim{}", dim), frame_.bits[dim]});
  }
  const auto rows = static_cast<std::size_t>(total_bits(outs));
  return assembled(std::move(ins), std::move(outs), {rows, std::move(columns)});
}

}  // namespace heddle::linear
