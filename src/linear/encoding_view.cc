// Parts of buffers: the layout of the whole with the coordinates of the part.

#include <algorithm>
#include <bit>
#include <utility>

#include "core/text.h"
#include "linear/bit_runs.h"
#include "linear/encoding_checks.h"
#include "linear/encoding_families.h"

namespace heddle::linear {
namespace {

/// The number of CTAs that divide a dimension, log2. Refuses CTAs that are not its highest bits.
Result<int> ctas_along(const LinearLayout& layout, std::size_t dim, const Run& bits) {
  std::uint64_t reached = 0;
  for (const std::uint64_t image : columns_of(layout, "block")) reached |= bits.of(image);
  const int ctas = std::popcount(reached);
  if (reached >> (bits.bits - ctas) == low_bits(ctas)) return ctas;
  return refuse("encoding.unsupported",
                "the CTAs interleave their elements along dim{}, so a part of the buffer has no "
                "layout of its own",
                dim);
}

Result<void> check_size(std::size_t dim, int part, int ctas, int whole) {
  if (part > whole) {
    return refuse("encoding.shape", "a part with {} along dim{} of a buffer with {}",
                  counted(std::int64_t{1} << part, "element"), dim, std::int64_t{1} << whole);
  }
  if (part < ctas) {
    return refuse("encoding.shape", "{} CTAs divide the {} elements of the part along dim{}",
                  std::int64_t{1} << ctas, std::int64_t{1} << part, dim);
  }
  return {};
}

/// What is kept of the coordinates in a buffer: of each dimension the low bits, and those above
/// them that are the number of the CTA.
struct Kept {
  std::vector<Dimension> outs;
  std::vector<Move> moves;
  std::size_t rows = 0;
  /// The bits of the buffer's coordinates that are kept.
  std::uint64_t mask = 0;

  void keep(const Run& whole, int part, int ctas) {
    const int own = part - ctas;
    add({whole.begin, own});
    add({whole.end() - static_cast<std::size_t>(ctas), ctas});
  }

 private:
  void add(const Run& bits) {
    moves.push_back({bits, rows});
    rows += static_cast<std::size_t>(bits.bits);
    if (bits.bits > 0) mask |= low_bits(bits.bits) << bits.begin;
  }
};

Result<Kept> kept_of(const LinearLayout& layout, std::span<const int> part) {
  Kept kept;
  const std::vector<Run> runs = runs_of(layout.out_dims());
  for (std::size_t dim = 0; dim < runs.size(); ++dim) {
    HEDDLE_TRY(const int ctas, ctas_along(layout, dim, runs[dim]));
    HEDDLE_CHECK(check_size(dim, part[dim], ctas, runs[dim].bits));
    kept.keep(runs[dim], part[dim], ctas);
    kept.outs.push_back({layout.out_dims()[dim].name, part[dim]});
  }
  return kept;
}

/// Whether no element of the first part has the bit set, so that places with it are past the end of
/// the part: the bit leads out of the part, and no other bits lead back.
bool is_past_the_end(std::span<const std::uint64_t> outside, std::size_t bit) {
  std::vector<std::uint64_t> others(outside.begin(), outside.end());
  others.erase(others.begin() + static_cast<std::ptrdiff_t>(bit));
  return !form::Subspace(others).contains(outside[bit]);
}

/// The layout with the outputs `kept`, without the highest bits of the memory, the last input
/// before `block`, that are past the end of the first part.
LinearLayout cut_to(const LinearLayout& layout, Kept kept) {
  const form::BitMatrix cut = moved_rows(layout.matrix(), kept.moves, kept.rows);
  std::vector<std::uint64_t> columns(cut.columns().begin(), cut.columns().end());
  std::vector<std::uint64_t> outside;
  for (const std::uint64_t image : layout.matrix().columns()) {
    outside.push_back(image & ~kept.mask);
  }
  std::vector<Dimension> ins = copied(layout.in_dims());
  const auto block = std::ranges::find(ins, "block", &Dimension::name);
  const auto memory = static_cast<std::size_t>(block - ins.begin()) - 1;
  std::size_t end = runs_of(layout.in_dims())[memory].end();
  while (ins[memory].bits > 0 && is_past_the_end(outside, end - 1)) {
    --end;
    columns.erase(columns.begin() + static_cast<std::ptrdiff_t>(end));
    outside.erase(outside.begin() + static_cast<std::ptrdiff_t>(end));
    --ins[memory].bits;
  }
  return assembled(std::move(ins), std::move(kept.outs), {kept.rows, std::move(columns)});
}

}  // namespace

Result<LinearLayout> view_layout(const Encoding& encoding, Shape buffer, Shape part) {
  if (encoding.is_distributed()) {
    return refuse("encoding.parameter", "{} is not an encoding of a buffer", encoding.kind());
  }
  HEDDLE_TRY(const LinearLayout whole, to_linear_layout(encoding, buffer));
  if (std::ranges::equal(buffer, part)) return whole;
  HEDDLE_TRY(const auto bits, shape_bits(encoding.kind(), part, whole.out_dims().size()));
  HEDDLE_TRY(Kept kept, kept_of(whole, bits));
  return cut_to(whole, std::move(kept));
}

}  // namespace heddle::linear
