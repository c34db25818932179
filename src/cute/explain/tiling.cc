// Divides and products, step by step: the operations they are defined by, and which mode of the
// result is which part.

#include <algorithm>

#include "cute/explain/steps.h"
#include "cute/layout/padding.h"
#include "cute/layout/positions.h"
#include "heddle/cute/explain.h"

namespace heddle::cute {
namespace {

using ExplainPair = Explanation (*)(const Layout&, const Layout&);
using Tiled = Result<Layout> (*)(const Layout&, const Tiler&);

Explanation in_mode(std::size_t mode, Explanation explanation) {
  MarkedText title = fmt::format("mode {}: ", mode);
  title += explanation.title;
  explanation.title = std::move(title);
  return explanation;
}

Explanation refused(MarkedText title, const Diagnostic& why) {
  Explanation explanation = step(std::move(title), "");
  explanation.refusal = why;
  return explanation;
}

/// An operation that goes through a tiler mode by mode, by its explanation for one mode.
Explanation explain_by_mode(const char* name, Tiled operation, ExplainPair explain_pair,
                            const Layout& layout, const Tiler& tiler) {
  if (tiler.is_leaf() && !tiler.leaf().is_underscore()) {
    const Tile& tile = tiler.leaf();
    if (tile.layout() != nullptr) return explain_pair(layout, *tile.layout());
    const Result<Layout> first = make_layout(IntTuple(*tile.size()));
    return first ? explain_pair(layout, *first) : refused(to_string(tiler), first.error());
  }
  Explanation explanation = explanation_of(name, {to_string(layout), to_string(tiler)});
  const Result<Layout> actual = operation(layout, tiler);
  if (!tiler.is_leaf() && tiler.rank() <= layout.rank() && is_explainable(layout)) {
    explanation.text = "Mode by mode; a mode without a tile is kept.";
    std::size_t mode = 0;
    for (const TilerView tile : tiler.modes()) {
      explanation.steps.push_back(in_mode(
          mode, explain_by_mode(name, operation, explain_pair, layout.mode(mode), Tiler(tile))));
      ++mode;
      if (explanation.steps.back().refusal) break;
    }
    for (; mode < layout.rank() && actual; ++mode) {
      const std::string kept = to_string(layout.mode(mode));
      explanation.steps.push_back(step(fmt::format("mode {}: {}", mode, kept), "kept", kept));
    }
  }
  if (tiler.is_leaf()) explanation.text = "_ keeps the layout as it is.";
  conclude(explanation, actual);
  return explanation;
}

/// The two modes of a divide or product: what they are, each with the colour of its part.
void add_parts(Explanation& explanation, const Layout& result, const std::string& first,
               const std::string& second) {
  std::vector<std::size_t> parts;
  std::size_t number = 0;
  for (const std::string& what : {first, second}) {
    const Layout mode = result.mode(number);
    const bool is_one = known_equal(mode.size(), 1);
    explanation.steps.push_back(
        step(MarkedText::whole(fmt::format("mode {}", number), number),
             fmt::format("{}, {} {}", what, mode.size(), is_one ? "element" : "elements"),
             MarkedText::whole(to_string(mode), number)));
    parts.insert(parts.end(), mode.extents().size(), number++);
  }
  explanation.result = marked(result, parts);
}

/// (tile, complement) and what it is composed into.
std::optional<Layout> explain_split(Explanation& explanation, const Layout& layout,
                                    const Layout& tile) {
  const Layout flat = coalesce(layout);
  explanation.steps.push_back(explain_complement(tile, flat.shape()));
  const Result<Layout> rest = complement(tile, flat.shape());
  const Result<Padded> padded = round_up_to_tiles(layout, flat, tile);
  if (!rest || !padded) return std::nullopt;
  const Result<Layout> split = make_layout({tile, *rest});
  if (!split) return std::nullopt;
  explanation.steps.push_back(
      step("side by side", "the tile, then where its copies begin", to_string(*split)));
  if (padded->layout != layout || !known_equal(padded->size, flat.size())) {
    explanation.steps.push_back(
        step("round up",
             fmt::format("{} elements are no whole number of tiles; {} are covered, for "
                         "predication",
                         flat.size(), padded->size),
             to_string(padded->layout)));
  }
  explanation.steps.push_back(explain_composition(padded->layout, *split));
  const Result<Layout> divided = composition(padded->layout, *split);
  return divided ? std::optional(*divided) : std::nullopt;
}

/// How the pairs of a divide or product are gathered. `first` and `second` name the two parts.
Explanation explain_gathered(const char* name, Tiled operation, Explanation by_pairs,
                             const Layout& layout, const Tiler& tiler, const char* gathered,
                             const std::vector<std::string>& parts, Tiled zipped) {
  Explanation explanation = explanation_of(name, {to_string(layout), to_string(tiler)});
  const Result<Layout> actual = operation(layout, tiler);
  explanation.text = gathered;
  explanation.steps.push_back(std::move(by_pairs));
  if (const Result<Layout> zip = zipped(layout, tiler); zip && actual) {
    for (std::size_t i = 0; i < 2; ++i) {
      explanation.steps.push_back(step("gather", parts[i], to_string(zip->mode(i))));
    }
  }
  conclude(explanation, actual);
  return explanation;
}

constexpr const char* kZippedDivide =
    "logical_divide, then the tiles of all modes in mode 0 and the rests in mode 1.";
constexpr const char* kTiledDivide =
    "logical_divide, then the tiles of all modes in mode 0 and each rest as a mode of its own.";
constexpr const char* kFlatDivide =
    "logical_divide, then each tile and each rest as a mode of its own, the tiles first.";
constexpr const char* kZippedProduct =
    "logical_product, then the blocks of all modes in mode 0 and the copies in mode 1.";
constexpr const char* kTiledProduct =
    "logical_product, then the blocks of all modes in mode 0 and each mode of copies by itself.";
constexpr const char* kFlatProduct =
    "logical_product, then each block and each mode of copies by itself, the blocks first.";

const std::vector<std::string>& divide_parts() {
  static const std::vector<std::string> parts = {"the tiles", "the rests"};
  return parts;
}

const std::vector<std::string>& product_parts() {
  static const std::vector<std::string> parts = {"the blocks", "the copies"};
  return parts;
}

/// Where the copies of a block begin: the free positions composed with the tiler.
std::optional<Layout> explain_copies(Explanation& explanation, const Layout& block,
                                     const Layout& tiler) {
  if (std::ranges::all_of(tiler.strides(), &Stride::is_zero)) {
    explanation.steps.push_back(
        step("copies", "the tiler only repeats position 0", to_string(tiler)));
    return tiler;
  }
  const Result<Int> reach = cosize(tiler);
  if (!reach) return std::nullopt;
  const Int target = block.size() * *reach;
  explanation.steps.push_back(
      step("target", fmt::format("{}*{} = {}, the size of the block times the cosize of the tiler",
                                 block.size(), *reach, target)));
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
  Explanation explanation = explanation_of(name, {to_string(block), to_string(tiler)});
  const Result<Layout> actual = operation(block, tiler);
  if (!is_explainable(block) || !is_explainable(tiler)) {
    explanation.text = too_many_leaves();
    conclude(explanation, actual);
    return explanation;
  }
  explanation.text = order == Order::kBlockFirst
                         ? "logical_product, then mode by mode (block, copies): blocks stay whole."
                         : "logical_product, then mode by mode (copies, block): blocks are "
                           "interleaved.";
  const std::size_t rank = std::max(block.rank(), tiler.rank());
  const Result<Layout> padded_block = append(block, rank);
  const Result<Layout> padded_tiler = append(tiler, rank);
  if (padded_block && padded_tiler) {
    if (block.rank() != tiler.rank()) {
      explanation.steps.push_back(
          step("same rank", fmt::format("modes 1:0 are appended up to rank {}", rank),
               to_string(block.rank() < rank ? *padded_block : *padded_tiler)));
    }
    explanation.steps.push_back(explain_logical_product(*padded_block, *padded_tiler));
  }
  for (std::size_t mode = 0; actual && mode < actual->rank(); ++mode) {
    explanation.steps.push_back(
        step(fmt::format("mode {}", mode),
             order == Order::kBlockFirst ? "(block, copies)" : "(copies, block)",
             to_string(actual->mode(mode))));
  }
  conclude(explanation, actual);
  return explanation;
}

/// The copies that each mode takes; nothing where the block does not divide the shape.
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
      explanation.steps.push_back(step(title, no_multiple(wanted, size)));
      return std::nullopt;
    }
    copies.push_back(floor_div(wanted, size));
    explanation.steps.push_back(step(
        title, fmt::format("{}/{} = {}", wanted, size, copies.back()),
        fmt::format("{} {}", copies.back(), known_equal(copies.back(), 1) ? "copy" : "copies")));
  }
  return IntTuple::flat({copies.data(), copies.size()});
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
      explanation.steps.push_back(
          step("pattern", fmt::format("the copies compact, modes in the order {}", order),
               to_string(*pattern)));
      explanation.steps.push_back(explain_blocked_product(*padded, *pattern));
    }
  }
  conclude(explanation, actual);
  return explanation;
}

}  // namespace

Explanation explain_logical_divide(const Layout& layout, const Layout& tile) {
  Explanation explanation =
      explanation_of("logical_divide", {to_string(layout), MarkedText::whole(to_string(tile), 0)});
  const Result<Layout> actual = logical_divide(layout, tile);
  if (!is_explainable(layout) || !is_explainable(tile)) {
    explanation.text = too_many_leaves();
    conclude(explanation, actual);
    return explanation;
  }
  explanation.text =
      "A o (B, complement(B, shape of A)): the tile B and, beside it, where its copies begin.";
  const std::optional<Layout> derived = explain_split(explanation, layout, tile);
  conclude(explanation, actual, derived);
  if (actual && derived == *actual) {
    add_parts(explanation, *actual, "one tile", "where the tiles begin");
  }
  return explanation;
}

Explanation explain_logical_divide(const Layout& layout, const Tiler& tiler) {
  return explain_by_mode("logical_divide", logical_divide, explain_logical_divide, layout, tiler);
}

Explanation explain_zipped_divide(const Layout& layout, const Tiler& tiler) {
  return explain_gathered("zipped_divide", zipped_divide, explain_logical_divide(layout, tiler),
                          layout, tiler, kZippedDivide, divide_parts(), zipped_divide);
}

Explanation explain_tiled_divide(const Layout& layout, const Tiler& tiler) {
  return explain_gathered("tiled_divide", tiled_divide, explain_logical_divide(layout, tiler),
                          layout, tiler, kTiledDivide, divide_parts(), zipped_divide);
}

Explanation explain_flat_divide(const Layout& layout, const Tiler& tiler) {
  return explain_gathered("flat_divide", flat_divide, explain_logical_divide(layout, tiler), layout,
                          tiler, kFlatDivide, divide_parts(), zipped_divide);
}

Explanation explain_logical_product(const Layout& block, const Layout& tiler) {
  Explanation explanation = explanation_of(
      "logical_product",
      {MarkedText::whole(to_string(block), 0), MarkedText::whole(to_string(tiler), 1)});
  const Result<Layout> actual = logical_product(block, tiler);
  if (!is_explainable(block) || !is_explainable(tiler)) {
    explanation.text = too_many_leaves();
    conclude(explanation, actual);
    return explanation;
  }
  explanation.text =
      "(A, C o B): beside the block A where its copies begin; C is where there is room for them.";
  std::optional<Layout> derived;
  if (const std::optional<Layout> copies = explain_copies(explanation, block, tiler)) {
    if (const Result<Layout> both = make_layout({block, *copies})) derived = *both;
  }
  conclude(explanation, actual, derived);
  if (actual && derived == *actual) {
    add_parts(explanation, *actual, "the block", "where its copies begin");
  }
  return explanation;
}

Explanation explain_logical_product(const Layout& block, const Tiler& tiler) {
  return explain_by_mode("logical_product", logical_product, explain_logical_product, block, tiler);
}

Explanation explain_zipped_product(const Layout& block, const Tiler& tiler) {
  return explain_gathered("zipped_product", zipped_product, explain_logical_product(block, tiler),
                          block, tiler, kZippedProduct, product_parts(), zipped_product);
}

Explanation explain_tiled_product(const Layout& block, const Tiler& tiler) {
  return explain_gathered("tiled_product", tiled_product, explain_logical_product(block, tiler),
                          block, tiler, kTiledProduct, product_parts(), zipped_product);
}

Explanation explain_flat_product(const Layout& block, const Tiler& tiler) {
  return explain_gathered("flat_product", flat_product, explain_logical_product(block, tiler),
                          block, tiler, kFlatProduct, product_parts(), zipped_product);
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
  Explanation call = explanation_of("tile_to_shape", {to_string(block), fmt::format("{}", shape)});
  return explain_tiles_to_shape(std::move(call), tile_to_shape(block, shape), block, shape,
                                IntTuple::flat({order.data(), order.size()}));
}

Explanation explain_tile_to_shape(const Layout& block, const IntTuple& shape,
                                  const IntTuple& order) {
  Explanation call = explanation_of(
      "tile_to_shape", {to_string(block), fmt::format("{}", shape), fmt::format("{}", order)});
  return explain_tiles_to_shape(std::move(call), tile_to_shape(block, shape, order), block, shape,
                                order);
}

}  // namespace heddle::cute
