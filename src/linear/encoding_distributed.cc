// Distributed encodings, which are in registers: blocked, slice, linear.

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "core/text.h"
#include "linear/bit_runs.h"
#include "linear/encoding_checks.h"
#include "linear/encoding_families.h"
#include "linear/tile.h"

namespace heddle::linear {
namespace {

/// Each basis must be one step along one dimension, or 0; those of `warp` may be others if that is
/// allowed.
Result<void> check_steps(std::string_view kind, const LinearLayout& layout, bool warp_may_combine) {
  const auto columns = layout.matrix().columns();
  const Run warp = *run_of(layout.in_dims(), "warp");
  for (std::size_t bit = 0; bit < columns.size(); ++bit) {
    if (std::popcount(columns[bit]) <= 1) continue;
    if (warp_may_combine && bit >= warp.begin && bit < warp.end()) continue;
    return refuse("encoding.linear", "{}: {} is more than one step along one dimension", kind,
                  image_text(layout, bit));
  }
  return {};
}

Result<void> check_linear(std::string_view kind, const LinearEncoding& encoding) {
  const LinearLayout& layout = encoding.layout;
  HEDDLE_CHECK(check_inputs(kind, layout, {"register", "lane", "warp", "block"}));
  HEDDLE_CHECK(check_standard_outs(kind, layout));
  HEDDLE_CHECK(check_steps(kind, layout, encoding.generic));
  if (!encoding.generic) return check_bijective(kind, layout);
  if (layout.is_surjective()) return {};
  return refuse("encoding.linear", "{}: the layout reaches {} of the {} bits of the tensor", kind,
                layout.matrix().rank(), layout.matrix().rows());
}

/// The image of a bit in a tensor of other sizes; steps past its end become 0.
std::uint64_t resized(std::uint64_t image, std::span<const Run> outs, const Frame& frame) {
  std::uint64_t result = 0;
  for (std::size_t dim = 0; dim < outs.size(); ++dim) {
    for (std::uint64_t rest = outs[dim].of(image); rest != 0; rest &= rest - 1) {
      result |= frame.step(dim, std::countr_zero(rest));
    }
  }
  return result;
}

/// A layout whose warps combine dimensions cannot be made smaller, because its bits cannot be left
/// out one by one.
Result<void> check_no_smaller(std::string_view kind, const LinearLayout& layout,
                              std::span<const int> bits) {
  for (std::size_t dim = 0; dim < bits.size(); ++dim) {
    if (layout.out_dims()[dim].bits <= bits[dim]) continue;
    return refuse(
        "encoding.shape",
        "{}: the layout has size {} along dim{}, the tensor {}; such a layout cannot be cut", kind,
        layout.out_dims()[dim].size(), dim, std::int64_t{1} << bits[dim]);
  }
  return {};
}

}  // namespace

Result<LinearLayout> layout_of(const BlockedEncoding& encoding, Shape shape) {
  constexpr std::string_view kKind = "blocked";
  const std::size_t rank = encoding.order.size();
  HEDDLE_CHECK(check_order(kKind, "order", encoding.order, rank));
  HEDDLE_TRY(const auto registers, log2_of(kKind, "sizePerThread", encoding.size_per_thread, rank));
  HEDDLE_TRY(const auto lanes, log2_of(kKind, "threadsPerWarp", encoding.threads_per_warp, rank));
  HEDDLE_TRY(const auto warps, log2_of(kKind, "warpsPerCTA", encoding.warps_per_cta, rank));
  HEDDLE_TRY(Frame frame, frame_of(kKind, shape, rank, encoding.ctas));
  Tile tile = register_tile(std::move(frame));
  tile.box(kRegister, registers, encoding.order);
  tile.box(kLane, lanes, encoding.order);
  tile.box(kWarp, warps, encoding.order);
  tile.fill(kRegister, encoding.order);
  HEDDLE_TRY(const LinearLayout layout, tile.layout());
  // A thread has no registers for the elements of its box that are past the end of the tensor.
  return remove_zero_bases_along_dim(layout, "register");
}

Result<LinearLayout> layout_of(const SliceEncoding& encoding, Shape shape) {
  HEDDLE_CHECK(check_parent("slice", encoding.parent));
  const std::size_t rank = encoding.parent->rank();
  if (encoding.dim < 0 || static_cast<std::size_t>(encoding.dim) >= rank) {
    return refuse("encoding.rank", "slice: dim = {} is not one of the {} dimensions of the parent",
                  encoding.dim, rank);
  }
  if (rank == 1) {
    return refuse("encoding.rank", "slice: the parent has one dimension; none would be left");
  }
  if (shape.size() + 1 != rank) {
    return refuse("encoding.rank",
                  "slice: the parent has {}, so the tensor must have {}; {} has {}",
                  counted(rank, "dimension"), rank - 1, list_text(shape), shape.size());
  }
  Sizes parent_shape(shape.begin(), shape.end());
  parent_shape.insert(parent_shape.begin() + encoding.dim, 1);
  HEDDLE_TRY(const LinearLayout parent, to_linear_layout(*encoding.parent, parent_shape));

  // The dimension has size 1 and so no bits. Registers with zero bases hold nothing new.
  HEDDLE_TRY(const LinearLayout kept, remove_zero_bases_along_dim(parent, "register"));
  HEDDLE_TRY(std::vector<Dimension> outs, dimensions(standard_out_dim_pairs(shape)));
  return assembled(copied(kept.in_dims()), std::move(outs), kept.matrix());
}

Result<LinearLayout> layout_of(const LinearEncoding& encoding, Shape shape) {
  const std::string_view kind = encoding.generic ? "generic_linear" : "linear";
  const LinearLayout& layout = encoding.layout;
  HEDDLE_CHECK(check_linear(kind, encoding));
  HEDDLE_TRY(Frame frame, frame_of(kind, shape, layout.out_dims().size(), {}));
  if (encoding.generic) HEDDLE_CHECK(check_no_smaller(kind, layout, frame.bits));

  const std::vector<Run> ins = runs_of(layout.in_dims());
  const std::vector<Run> outs = runs_of(layout.out_dims());
  const auto image = [&](std::size_t bit) {
    return resized(layout.matrix().columns()[bit], outs, frame);
  };
  // The CTAs are those of the layout itself and not distributed again.
  for (std::size_t bit = ins[3].begin; bit < ins[3].end(); ++bit) frame.block.push_back(image(bit));
  Tile tile = register_tile(frame);
  for (const std::size_t in : {kRegister, kLane, kWarp}) {
    for (std::size_t bit = ins[in].begin; bit < ins[in].end(); ++bit) {
      const bool is_cut = in == kRegister && layout.matrix().columns()[bit] != 0 && image(bit) == 0;
      if (!is_cut) tile.push(in, image(bit));
    }
  }
  for (std::size_t dim = 0; dim < outs.size(); ++dim) tile.reach(dim, outs[dim].bits);
  tile.fill(kRegister, order_of(layout, "register"));
  return tile.layout();
}

}  // namespace heddle::linear
