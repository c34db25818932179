// Divides and products, step by step: the operations that define them, and which mode of the result
// is which part.

#include <algorithm>

#include "cute/algebra/tiling.h"
#include "cute/explain/steps.h"
#include "heddle/cute/explain.h"

namespace heddle::cute {
namespace {

using Tiled = Result<Layout> (*)(const Layout&, const Tiler&);

/// Adds the two modes of a divide or product, each marked in the colour of its part, unless the
/// steps do not derive the result.
void conclude_with_parts(Explanation& explanation, const Result<Layout>& actual,
                         const std::optional<Layout>& derived, const std::string& first,
                         const std::string& second) {
  conclude(explanation, actual, derived);
  if (!actual || derived != *actual) return;
  const Layout& result = *actual;
  std::vector<std::size_t> parts;
  std::size_t number = 0;
  for (const std::string& what : {first, second}) {
    const Layout mode = result.mode(number);
    const bool is_one = known_equal(mode.size(), 1);
    add_step(explanation.steps, MarkedText::whole(fmt::format("mode {}", number), number),
             fmt::format("{}, {} {}", what, mode.size(), is_one ? "element" : "elements"),
             MarkedText::whole(to_string(mode), number));
    parts.insert(parts.end(), mode.extents().size(), number++);
  }
  explanation.result = marked(result, parts);
}

/// Explains (tile, complement) and the layout that it is composed into.
std::optional<Layout> explain_split(Explanation& explanation, const Layout& layout,
                                    const Layout& tile) {
  const Layout flat = coalesce(layout);
  explanation.steps.push_back(explain_complement(tile, flat.shape()));
  const Result<Layout> rest = complement(tile, flat.shape());
  const Result<Padded> padded = round_up_to_tiles(layout, flat, tile);
  if (!rest || !padded) return std::nullopt;
  const Result<Layout> split = make_layout({tile, *rest});
  if (!split) return std::nullopt;
  add_step(explanation.steps, "side by side", "the tile, then where its copies begin", *split);
  if (padded->layout != layout || !known_equal(padded->size, flat.size())) {
    add_step(
        explanation.steps, "round up",
        fmt::format("{} elements are not a whole number of tiles; {} are covered, for predication",
                    flat.size(), padded->size),
        padded->layout);
  }
  explanation.steps.push_back(explain_composition(padded->layout, *split));
  const Result<Layout> divided = composition(padded->layout, *split);
  return divided ? std::optional(*divided) : std::nullopt;
}

/// An operation whose pairs of modes other operations gather.
struct Pairing {
  Explanation (*explain)(const Layout&, const Tiler&);
  Tiled zipped;
  /// The names of the two modes of the zipped result.
  const char* first;
  const char* second;
};

constexpr Pairing kDivide{explain_logical_divide, zipped_divide, "the tiles", "the rests"};
constexpr Pairing kProduct{explain_logical_product, zipped_product, "the blocks", "the copies"};

Explanation explain_gathered(const Pairing& pairing, const char* name, Tiled operation,
                             const Layout& layout, const Tiler& tiler, const char* how) {
  Explanation explanation = explanation_of(name, layout, to_string(tiler));
  const Result<Layout> actual = operation(layout, tiler);
  explanation.text = how;
  explanation.steps.push_back(pairing.explain(layout, tiler));
  if (const Result<Layout> zip = pairing.zipped(layout, tiler); zip && actual) {
    add_step(explanation.steps, "gather", pairing.first, zip->mode(0));
    add_step(explanation.steps, "gather", pairing.second, zip->mode(1));
  }
  return concluded(std::move(explanation), actual);
}

/// Where the copies of a block begin: the free positions composed with the tiler.
std::optional<Layout> explain_copies(Explanation& explanation, const Layout& block,
                                     const Layout& tiler) {
  if (std::ranges::all_of(tiler.strides(), &Stride::is_zero)) {
    add_step(explanation.steps, "copies", "the tiler only repeats position 0", to_string(tiler));
    return tiler;
  }
  const Result<Int> reach = cosize(tiler);
  if (!reach) return std::nullopt;
  const Int target = block.size() * *reach;
  add_step(explanation.steps, "target",
           fmt::format("{}*{} = {}, the size of the block times the cosize of the tiler",
                       block.size(), *reach, target));
  if (!target.is_defined()) return std::nullopt;
  explanation.steps.push_back(explain_free_positions(block, IntTuple(target)));
  const Result<Layout> positions = free_positions(block, IntTuple(target));
  if (!positions) return std::nullopt;
  const Layout short_form = coalesce(*positions);
  const Layout& left = known_at_most(*reach, short_form.size()) ? short_form : *positions;
  explanation.steps.push_back(explain_composition(left, tiler));
  const Result<Layout> copies = composition(left, tiler);
  return copies ? std::optional(*copies) : std::nullopt;
}

enum class Order { kBlockFirst, kCopiesFirst };

/// blocked_product and raked_product: the modes of block and copies in pairs.
Explanation explain_paired(const char* name,
                           Result<Layout> (*operation)(const Layout&, const Layout&),
                           const Layout& block, const Layout& tiler, Order order) {
  Explanation explanation = explanation_of(name, block, to_string(tiler));
  const Result<Layout> actual = operation(block, tiler);
  if (ends_too_large(explanation, actual, block, tiler)) return explanation;
  explanation.text = order == Order::kBlockFirst
                         ? "logical_product, then mode by mode (block, copies): blocks stay whole."
                         : "logical_product, then mode by mode (copies, block): blocks are "
                           "interleaved.";
  const std::size_t rank = std::max(block.rank(), tiler.rank());
  const Result<Layout> padded_block = append(block, rank);
  const Result<Layout> padded_tiler = append(tiler, rank);
  if (padded_block && padded_tiler) {
    if (block.rank() != tiler.rank()) {
      add_step(explanation.steps, "same rank",
               fmt::format("modes 1:0 are appended up to rank {}", rank),
               to_string(block.rank() < rank ? *padded_block : *padded_tiler));
    }
    explanation.steps.push_back(explain_logical_product(*padded_block, *padded_tiler));
  }
  for (std::size_t mode = 0; actual && mode < actual->rank(); ++mode) {
    add_step(explanation.steps, fmt::format("mode {}", mode),
             order == Order::kBlockFirst ? "(block, copies)" : "(copies, block)",
             actual->mode(mode));
  }
  return concluded(std::move(explanation), actual);
}

/// The number of copies that each mode takes; nullopt if the block does not divide the shape.
std::optional<IntTuple> explain_counts(Explanation& explanation, const Layout& padded,
                                       const IntTuple& shape) {
  const IntTuple sizes = product_each(padded.shape());
  const IntTuple target = product_each(shape);
  IntTuple::Leaves copies;
  for (std::size_t i = 0; i < sizes.leaves().size(); ++i) {
    const Int& size = sizes.leaves()[i];
    const Int& wanted = target.leaves()[i];
    const std::string title = fmt::format("mode {}", i);
    if (!known_divides(size, wanted)) {
      add_step(explanation.steps, title, no_multiple(wanted, size));
      return std::nullopt;
    }
    copies.push_back(floor_div(wanted, size));
    add_step(
        explanation.steps, title, fmt::format("{}/{} = {}", wanted, size, copies.back()),
        fmt::format("{} {}", copies.back(), known_equal(copies.back(), 1) ? "copy" : "copies"));
  }
  return IntTuple::flat(copies);
}

Explanation explain_tiles_to_shape(Explanation explanation, const Result<Layout>& actual,
                                   const Layout& block, const IntTuple& shape,
                                   const IntTuple& order) {
  const bool fits = block.rank() <= shape.rank() && order.rank() == shape.rank();
  const Result<Layout> padded = fits ? append(block, shape.rank()) : block;
  if (fits && padded && is_explainable(*padded)) {
    explanation.text =
        "As many copies of the block as the shape has room for, put side by side by a blocked "
        "product.";
    const std::optional<IntTuple> copies = explain_counts(explanation, *padded, shape);
    const Result<Layout> pattern =
        copies ? make_ordered_layout(*copies, order) : Result<Layout>(Layout());
    if (copies && pattern) {
      add_step(explanation.steps, "pattern",
               fmt::format("the copies compact, modes in the order {}", order), *pattern);
      explanation.steps.push_back(explain_blocked_product(*padded, *pattern));
    }
  }
  return concluded(std::move(explanation), actual);
}

}  // namespace

Explanation explain_logical_divide(const Layout& layout, const Layout& tile) {
  Explanation explanation =
      explanation_of("logical_divide", layout, MarkedText::whole(to_string(tile), 0));
  const Result<Layout> actual = logical_divide(layout, tile);
  if (ends_too_large(explanation, actual, layout, tile)) return explanation;
  explanation.text = "A o (B, complement(B, shape of A)): the tile B, then where its copies begin.";
  conclude_with_parts(explanation, actual, explain_split(explanation, layout, tile), "one tile",
                      "where the tiles begin");
  return explanation;
}

Explanation explain_logical_divide(const Layout& layout, const Tiler& tiler) {
  return explain_by_mode({"logical_divide", logical_divide, explain_logical_divide}, layout, tiler);
}

Explanation explain_zipped_divide(const Layout& layout, const Tiler& tiler) {
  return explain_gathered(
      kDivide, "zipped_divide", zipped_divide, layout, tiler,
      "logical_divide, then the tiles of all modes in mode 0 and the rests in mode 1.");
}

Explanation explain_tiled_divide(const Layout& layout, const Tiler& tiler) {
  return explain_gathered(
      kDivide, "tiled_divide", tiled_divide, layout, tiler,
      "logical_divide, then the tiles of all modes in mode 0 and each rest as a mode of its own.");
}

Explanation explain_flat_divide(const Layout& layout, const Tiler& tiler) {
  return explain_gathered(
      kDivide, "flat_divide", flat_divide, layout, tiler,
      "logical_divide, then each tile and each rest as a mode of its own, the tiles first.");
}

Explanation explain_logical_product(const Layout& block, const Layout& tiler) {
  Explanation explanation =
      explanation_of("logical_product", MarkedText::whole(to_string(block), 0),
                     MarkedText::whole(to_string(tiler), 1));
  const Result<Layout> actual = logical_product(block, tiler);
  if (ends_too_large(explanation, actual, block, tiler)) return explanation;
  explanation.text =
      "(A, C o B): the block A, then where its copies begin; C is where there is room for them.";
  std::optional<Layout> derived;
  if (const std::optional<Layout> copies = explain_copies(explanation, block, tiler)) {
    if (const Result<Layout> both = make_layout({block, *copies})) derived = *both;
  }
  conclude_with_parts(explanation, actual, derived, "the block", "where its copies begin");
  return explanation;
}

Explanation explain_logical_product(const Layout& block, const Tiler& tiler) {
  return explain_by_mode({"logical_product", logical_product, explain_logical_product}, block,
                         tiler);
}

Explanation explain_zipped_product(const Layout& block, const Tiler& tiler) {
  return explain_gathered(
      kProduct, "zipped_product", zipped_product, block, tiler,
      "logical_product, then the blocks of all modes in mode 0 and the copies in mode 1.");
}

Explanation explain_tiled_product(const Layout& block, const Tiler& tiler) {
  return explain_gathered(
      kProduct, "tiled_product", tiled_product, block, tiler,
      "logical_product, then the blocks of all modes in mode 0 and each mode of copies by itself.");
}

Explanation explain_flat_product(const Layout& block, const Tiler& tiler) {
  return explain_gathered(
      kProduct, "flat_product", flat_product, block, tiler,
      "logical_product, then each block and each mode of copies by itself, the blocks first.");
}

Explanation explain_blocked_product(const Layout& block, const Layout& tiler) {
  return explain_paired("blocked_product", blocked_product, block, tiler, Order::kBlockFirst);
}

Explanation explain_raked_product(const Layout& block, const Layout& tiler) {
  return explain_paired("raked_product", raked_product, block, tiler, Order::kCopiesFirst);
}

Explanation explain_tile_to_shape(const Layout& block, const IntTuple& shape) {
  IntTuple::Leaves order;
  for (std::size_t i = 0; i < shape.rank(); ++i) order.push_back(i);
  Explanation call = explanation_of("tile_to_shape", block, shape);
  return explain_tiles_to_shape(std::move(call), tile_to_shape(block, shape), block, shape,
                                IntTuple::flat(order));
}

Explanation explain_tile_to_shape(const Layout& block, const IntTuple& shape,
                                  const IntTuple& order) {
  Explanation call = explanation_of("tile_to_shape", block, shape, order);
  return explain_tiles_to_shape(std::move(call), tile_to_shape(block, shape, order), block, shape,
                                order);
}

}  // namespace heddle::cute
