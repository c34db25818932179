#include "heddle/map/xla_layout.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "axe/layout/iters.h"
#include "core/text.h"
#include "heddle/core/exact.h"
#include "heddle/map/xla_size.h"

namespace heddle::map {
namespace {

Refusal no_order(const XlaLayout& layout, std::string reason) {
  return refuse(Diagnostic("xla.layout", fmt::format("{} {}", to_string(layout), reason)));
}

/// A part of the index along one dimension: `values` of them, `step` apart.
struct IndexPiece {
  std::size_t dim = 0;
  std::int64_t step = 1;
  Int values = 1;
};
using IndexPieces = std::vector<IndexPiece>;

/// The pieces of an index below a size and from it on, the fastest first; nullopt if the size cuts
/// a piece where it does not come apart.
std::optional<std::pair<IndexPieces, IndexPieces>> cut_at(const IndexPieces& pieces,
                                                          std::int64_t size) {
  IndexPieces below;
  IndexPieces above;
  Int rest = size;
  for (const IndexPiece& piece : pieces) {
    if (rest == Int(1)) {
      above.push_back(piece);
    } else if (known_divides(piece.values, rest)) {
      below.push_back(piece);
      rest = floor_div(rest, piece.values);
    } else if (known_divides(rest, piece.values) && rest.is_constant()) {
      const auto step = exact::multiply(piece.step, rest.value());
      if (!step) return std::nullopt;
      below.push_back({piece.dim, piece.step, rest});
      above.push_back({piece.dim, *step, floor_div(piece.values, rest)});
      rest = 1;
    } else {
      return std::nullopt;
    }
  }
  return std::pair(std::move(below), std::move(above));
}

/// A digit of the place of an element.
struct PhysicalDigit {
  /// What it is of the indices, the fastest first.
  IndexPieces pieces;
  /// As an expression: `floor((c0)/8)`, `(c0) mod 8`.
  std::string text = {};
  /// The values that it takes, and those for which there is memory.
  Int values = 1;
  Int extent = 1;
  /// One step of it in memory.
  Int stride = 1;
};

/// The digits of the indices in the order of the memory, the slowest first.
class Physical {
 public:
  Physical(const XlaLayout& layout, std::span<const Int> shape) {
    for (std::size_t i = layout.minor_to_major.size(); i-- > 0;) {
      const auto dim = static_cast<std::size_t>(layout.minor_to_major[i]);
      digits_.push_back(
          {{{dim, 1, shape[dim]}}, fmt::format("c{}", dim), shape[dim], shape[dim], 1});
    }
  }

  /// Cuts each of the last digits in two, the tiles and the elements of a tile, and leaves the
  /// latter last. Digits that the tile combines become one first.
  void tile(std::span<const std::int64_t> extents) {
    std::size_t at = digits_.size() - extents.size();
    std::vector<PhysicalDigit> inner;
    for (const std::int64_t extent : extents) {
      if (extent == XlaLayout::kCombined) {
        combine(at);
      } else {
        inner.push_back(cut(digits_[at++], extent));
      }
    }
    digits_.insert(digits_.end(), inner.begin(), inner.end());
  }

  /// Sets the strides.
  Result<std::vector<PhysicalDigit>> finish() {
    Int stride = 1;
    for (std::size_t i = digits_.size(); i-- > 0;) {
      digits_[i].stride = stride;
      stride = stride * digits_[i].extent;
      HEDDLE_CHECK(check_defined(stride, [] { return "the size of the array"; }));
    }
    return digits_;
  }

  [[nodiscard]] std::size_t size() const { return digits_.size(); }
  /// Those for which there is memory.
  [[nodiscard]] Int elements() const {
    Int elements = 1;
    for (const PhysicalDigit& digit : digits_) elements *= digit.extent;
    return elements;
  }
  /// Whether all values of the pieces of a dimension together are its indices.
  [[nodiscard]] bool are_digits() const { return are_digits_; }

 private:
  /// Makes one digit of this one and the next faster one.
  void combine(std::size_t at) {
    const PhysicalDigit slow = std::move(digits_[at]);
    digits_.erase(digits_.begin() + static_cast<std::ptrdiff_t>(at));
    PhysicalDigit& fast = digits_[at];
    if (!known_equal(fast.values, fast.extent)) are_digits_ = false;
    fast.text = fmt::format("({}*({}) + {})", fast.extent, slow.text, fast.text);
    fast.pieces.insert(fast.pieces.end(), slow.pieces.begin(), slow.pieces.end());
    fast.values = slow.values * fast.extent;
    fast.extent = slow.extent * fast.extent;
  }

  /// Leaves the tiles, and returns the elements of a tile.
  PhysicalDigit cut(PhysicalDigit& digit, std::int64_t size) {
    const Int extent = size;
    const bool is_one_tile = known_at_most(digit.values, extent);
    PhysicalDigit inner{digit.pieces, fmt::format("(({}) mod {})", digit.text, size),
                        is_one_tile ? digit.values : extent, extent, 1};
    auto parts = is_one_tile ? std::optional(std::pair(digit.pieces, IndexPieces()))
                             : cut_at(digit.pieces, size);
    if (parts) {
      inner.pieces = std::move(parts->first);
      digit.pieces = std::move(parts->second);
    } else {
      are_digits_ = false;
    }
    digit.text = fmt::format("floor(({})/{})", digit.text, size);
    digit.values = is_one_tile ? Int(1) : ceil_div(digit.values, extent);
    digit.extent = ceil_div(digit.extent, extent);
    return inner;
  }

  std::vector<PhysicalDigit> digits_;
  bool are_digits_ = true;
};

Result<void> check_rank(const XlaLayout& layout, std::size_t rank) {
  std::vector<std::int64_t> order = layout.minor_to_major;
  std::ranges::sort(order);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (!std::cmp_equal(order[i], i)) return no_order(layout, "is not an order of dimensions");
  }
  if (order.size() != rank) {
    return no_order(layout, fmt::format("is for {}, and the array has {}",
                                        counted(std::ssize(order), "dimension"), rank));
  }
  for (const std::vector<std::int64_t>& tile : layout.tiles) {
    if (tile.size() > rank)
      return no_order(layout, "has a tile of more extents than the array has");
    const auto is_size = [](std::int64_t extent) {
      return extent >= 1 || extent == XlaLayout::kCombined;
    };
    if (!std::ranges::all_of(tile, is_size)) {
      return no_order(layout, "has a tile whose extents are not all positive");
    }
    if (!tile.empty() && tile.back() == XlaLayout::kCombined) {
      return no_order(layout, "has a tile that combines its last extent with none");
    }
  }
  return {};
}

/// The digits of an array of this shape after all tiles.
Result<Physical> tiled(const XlaLayout& layout, std::span<const Int> shape) {
  HEDDLE_CHECK(check_rank(layout, shape.size()));
  HEDDLE_CHECK(axe::check_extents(shape));
  Physical physical(layout, shape);
  for (const std::vector<std::int64_t>& tile : layout.tiles) {
    if (tile.size() > physical.size()) {
      return no_order(layout, "has a tile of more extents than the tiles before it leave");
    }
    physical.tile(tile);
  }
  return physical;
}

Result<AnyLayout> as_relation(std::span<const PhysicalDigit> digits, std::span<const Int> shape,
                              const Limits& limits) {
  std::vector<std::string> names;
  std::vector<std::string> bounds;
  for (std::size_t dim = 0; dim < shape.size(); ++dim) {
    if (!shape[dim].is_constant()) {
      return refuse("assume.needed", "whether the tiles divide {} is not known", tuple_text(shape));
    }
    names.push_back(fmt::format("c{}", dim));
    bounds.push_back(fmt::format("0 <= c{} < {}", dim, shape[dim]));
  }
  std::vector<std::string> terms;
  for (const PhysicalDigit& digit : digits) {
    terms.push_back(fmt::format("{}*{}", digit.stride, digit.text));
  }
  HEDDLE_TRY(
      IntegerRelation relation,
      IntegerRelation::parse(fmt::format("{{ [{}] -> [m = {}] : {} }}", fmt::join(names, ", "),
                                         fmt::join(terms, " + "), fmt::join(bounds, " and ")),
                             limits));
  return AnyLayout(std::move(relation));
}

/// A piece with its stride in memory.
struct PlacedPiece {
  IndexPiece piece;
  Int stride;
};

/// The pieces of one dimension as a mode, the fastest first; those of one value are left out.
Result<cute::Layout> mode_of(std::vector<PlacedPiece> pieces) {
  std::ranges::stable_sort(pieces, {}, [](const PlacedPiece& placed) { return placed.piece.step; });
  std::vector<Int> extents;
  std::vector<Int> strides;
  for (const PlacedPiece& placed : pieces) {
    if (placed.piece.values == Int(1)) continue;
    extents.push_back(placed.piece.values);
    strides.push_back(placed.stride);
  }
  if (extents.empty()) {
    const Int stride = pieces.empty() ? Int(1) : pieces.front().stride;
    return cute::make_layout(IntTuple(Int(1)), cute::to_strides(IntTuple(stride)));
  }
  const bool is_leaf = extents.size() == 1;
  const IntTuple shape = is_leaf ? IntTuple(extents[0]) : IntTuple::flat(extents);
  const IntTuple stride = is_leaf ? IntTuple(strides[0]) : IntTuple::flat(strides);
  return cute::make_layout(shape, cute::to_strides(stride));
}

Result<AnyLayout> as_layout(std::span<const PhysicalDigit> digits, std::size_t rank) {
  std::vector<std::vector<PlacedPiece>> pieces(rank);
  for (const PhysicalDigit& digit : digits) {
    Int stride = digit.stride;
    for (const IndexPiece& piece : digit.pieces) {
      pieces[piece.dim].push_back({piece, stride});
      stride *= piece.values;
    }
  }
  std::vector<cute::Layout> modes;
  for (std::vector<PlacedPiece>& of_dim : pieces) {
    HEDDLE_TRY(modes.emplace_back(), mode_of(std::move(of_dim)));
  }
  if (modes.empty()) {
    HEDDLE_TRY(cute::Layout scalar, cute::make_layout(IntTuple(Int(1))));
    return AnyLayout(std::move(scalar));
  }
  if (rank == 1 && modes.front().shape().is_leaf()) return AnyLayout(std::move(modes.front()));
  HEDDLE_TRY(cute::Layout layout, cute::make_layout(std::span<const cute::Layout>(modes)));
  return AnyLayout(std::move(layout));
}

}  // namespace

std::string to_string(const XlaLayout& layout) {
  std::string text = fmt::format("{}", fmt::join(layout.minor_to_major, ","));
  std::string tiles;
  for (const std::vector<std::int64_t>& tile : layout.tiles) {
    std::vector<std::string> extents;
    for (const std::int64_t extent : tile) {
      extents.push_back(extent == XlaLayout::kCombined ? "*" : std::to_string(extent));
    }
    tiles += fmt::format("({})", fmt::join(extents, ","));
  }
  if (!tiles.empty()) tiles = "T" + tiles;
  if (tiles.empty() && layout.notes.empty()) return fmt::format("{{{}}}", text);
  return fmt::format("{{{}:{}{}}}", text, tiles, layout.notes);
}

std::ostream& operator<<(std::ostream& stream, const XlaLayout& layout) {
  return stream << to_string(layout);
}

Result<Int> allocated_elements(const XlaLayout& layout, std::span<const Int> shape) {
  HEDDLE_TRY(const Physical physical, tiled(layout, shape));
  return check_defined(physical.elements(), "the size of the array");
}

Result<AnyLayout> offsets(const XlaLayout& layout, std::span<const Int> shape,
                          const Limits& limits) {
  HEDDLE_TRY(Physical physical, tiled(layout, shape));
  HEDDLE_TRY(const std::vector<PhysicalDigit> digits, physical.finish());
  if (!physical.are_digits()) return as_relation(digits, shape, limits);
  return as_layout(digits, shape.size());
}

}  // namespace heddle::map
