#include "heddle/cute/product.h"

#include <algorithm>

#include "core/text.h"
#include "cute/algebra/tiling.h"
#include "cute/layout/fast_paths.h"
#include "cute/layout/format.h"
#include "expr/assume_needed.h"
#include "heddle/cute/composition.h"
#include "heddle/cute/manipulation.h"

namespace heddle::cute {
namespace {

/// The modes of (block, copies), extended to the same rank: mode i of the block belongs to mode i
/// of the copies.
struct Pairs {
  std::vector<Layout> blocks;
  std::vector<Layout> copies;
};

Result<Pairs> paired_product(const Layout& block, const Layout& tiler) {
  const std::size_t rank = std::max(block.rank(), tiler.rank());
  HEDDLE_TRY(const Layout padded_block, append(block, rank));
  HEDDLE_TRY(const Layout padded_tiler, append(tiler, rank));
  HEDDLE_TRY(const Layout result, logical_product(padded_block, padded_tiler));
  // A leaf has one mode, and so does the layout that is paired with it.
  const Layout copies = result.mode(1);
  const bool single = padded_block.profile().is_leaf() || padded_tiler.profile().is_leaf();
  return Pairs{padded_block.modes(), single ? std::vector<Layout>{copies} : copies.modes()};
}

Result<Layout> zip_modes(const std::vector<Layout>& firsts, const std::vector<Layout>& seconds) {
  std::vector<Layout> modes;
  for (std::size_t i = 0; i < firsts.size(); ++i) {
    HEDDLE_TRY(Layout mode, make_layout({firsts[i], seconds[i]}));
    modes.push_back(std::move(mode));
  }
  return make_layout(modes);
}

}  // namespace

Result<Layout> logical_product(const Layout& block, const Layout& tiler) {
  if (const auto result = constant::logical_product(block, tiler)) {
    return layout_of(*result);
  }
  // A tiler that only repeats position 0 needs no other position.
  if (std::ranges::all_of(tiler.strides(), &Stride::is_zero)) return make_layout({block, tiler});
  HEDDLE_TRY(const Int reach, cosize(tiler));
  HEDDLE_TRY(const Int target, check_defined(block.size() * reach, [&] {
               return fmt::format("the size of {} times the cosize of {}", block, to_string(tiler));
             }));
  const auto call = [&] {
    return fmt::format("in logical_product({},{})", block, to_string(tiler));
  };
  HEDDLE_TRY(const Layout positions, with_note(block.is_integral() || reach.is_symbolic()
                                                   ? free_positions(block, IntTuple(target))
                                                   : free_positions_by_axis(block, reach),
                                               call));
  // Within the complement its shortest form is enough, as in CuTe; past it the copies must not
  // meet.
  const Layout short_form = coalesce(positions);
  const bool within = known_at_most(reach, short_form.size());
  HEDDLE_TRY(const Layout copies,
             with_note(composition(within ? short_form : positions, tiler), [&] {
               return fmt::format("{}: copies of the block may begin at {}", call(), positions);
             }));
  return make_layout({block, copies});
}

Result<Layout> logical_product(const Layout& block, const Tiler& tiler) {
  if (const auto result = constant::logical_product(block, tiler)) return layout_of(*result);
  return by_mode("logical_product", block, tiler, [](const Layout& mode, const Layout& tile) {
    return logical_product(mode, tile);
  });
}

Result<Layout> zipped_product(const Layout& block, const Tiler& tiler) {
  if (const auto result = constant::zipped_product(block, tiler)) return layout_of(*result);
  HEDDLE_TRY(const Layout product, logical_product(block, tiler));
  return tile_unzip(product, tiler);
}

Result<Layout> tiled_product(const Layout& block, const Tiler& tiler) {
  if (const auto result = constant::tiled_product(block, tiler)) return layout_of(*result);
  return zipped_product(block, tiler).and_then(unpack_rest);
}

Result<Layout> flat_product(const Layout& block, const Tiler& tiler) {
  return zipped_product(block, tiler).and_then(unpack_both);
}

Result<Layout> blocked_product(const Layout& block, const Layout& tiler) {
  if (const auto result = constant::blocked_product(block, tiler)) {
    return layout_of(*result);
  }
  HEDDLE_TRY(const Pairs pairs, paired_product(block, tiler));
  return zip_modes(pairs.blocks, pairs.copies);
}

Result<Layout> raked_product(const Layout& block, const Layout& tiler) {
  HEDDLE_TRY(const Pairs pairs, paired_product(block, tiler));
  return zip_modes(pairs.copies, pairs.blocks);
}

Result<Layout> tile_to_shape(const Layout& block, const IntTuple& shape) {
  IntTuple::Leaves order;
  for (std::size_t i = 0; i < shape.rank(); ++i) order.push_back(i);
  return tile_to_shape(block, shape, IntTuple::flat(order));
}

Result<Layout> tile_to_shape(const Layout& block, const IntTuple& shape, const IntTuple& order) {
  if (block.rank() > shape.rank() || order.rank() != shape.rank()) {
    return refuse("tuple.incongruent",
                  "tile_to_shape: a block of rank {} and an order of rank {} for the shape {}",
                  block.rank(), order.rank(), shape);
  }
  HEDDLE_TRY(const Layout padded, append(block, shape.rank()));
  IntTuple::Leaves sorted(order.leaves().begin(), order.leaves().end());
  std::ranges::sort(sorted, [](const Int& a, const Int& b) { return known_less(a, b); });
  if (std::ranges::adjacent_find(sorted) != sorted.end()) {
    return refuse("tile_to_shape.order",
                  "tile_to_shape({},{}): two modes have the same place in the order {}, so that "
                  "their copies would meet",
                  block, shape, order);
  }
  const IntTuple sizes = product_each(padded.shape());
  const IntTuple target = product_each(shape);
  IntTuple::Leaves copies;
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    const Int& block_size = sizes.leaves()[i];
    const Int& target_size = target.leaves()[i];
    HEDDLE_TRY(const bool divides, decide({block_size, Predicate::kDivides, target_size},
                                          calling("tile_to_shape", block, shape)));
    if (!divides) {
      return refuse(diagnose("tile_to_shape.divisibility",
                             "tile_to_shape({},{}): the block's {} in mode {} do not divide {}",
                             block, shape, counted(block_size, "element"), i, target_size)
                        .with_hint(fmt::format("the next multiple is {}",
                                               block_size * ceil_div(target_size, block_size))));
    }
    copies.push_back(floor_div(target_size, block_size));
  }
  HEDDLE_TRY(const Layout pattern, make_ordered_layout(IntTuple::flat(copies), order));
  return blocked_product(padded, pattern);
}

}  // namespace heddle::cute
