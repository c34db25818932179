#include "heddle/map/xla_layout.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "axe/layout/iters.h"
#include "core/text.h"
#include "heddle/core/exact.h"

namespace heddle::map {
namespace {

Refusal no_order(const XlaLayout& layout, std::string reason) {
  return refuse(Diagnostic("xla.layout", fmt::format("{} {}", to_string(layout), reason)));
}

/// A digit of an index of the array.
struct PhysicalDigit {
  std::size_t dim = 0;
  /// As an expression: `floor((c0)/8)`, `(c0) mod 8`.
  std::string text = {};
  /// One step of it in the index.
  std::int64_t step = 1;
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
      digits_.push_back({dim, fmt::format("c{}", dim), 1, shape[dim], shape[dim], 1});
    }
  }

  /// Cuts each of the last digits in two, the tiles and the elements of a tile, and leaves the
  /// latter last.
  Result<void> tile(std::span<const std::int64_t> extents) {
    const std::size_t first = digits_.size() - extents.size();
    std::vector<PhysicalDigit> inner;
    for (std::size_t i = 0; i < extents.size(); ++i) {
      PhysicalDigit& digit = digits_[first + i];
      const Int extent = extents[i];
      const bool is_one_tile = known_at_most(digit.values, extent);
      if (!is_one_tile && !known_divides(extent, digit.values)) are_digits_ = false;
      inner.push_back({digit.dim, fmt::format("(({}) mod {})", digit.text, extents[i]), digit.step,
                       is_one_tile ? digit.values : extent, extent, 1});
      digit.text = fmt::format("floor(({})/{})", digit.text, extents[i]);
      digit.values = is_one_tile ? Int(1) : ceil_div(digit.values, extent);
      digit.extent = ceil_div(digit.extent, extent);
      const auto step = exact::multiply(digit.step, extents[i]);
      if (!step) return refuse(Diagnostic("overflow", "the tiles are larger than 64 bits count"));
      digit.step = *step;
    }
    digits_.insert(digits_.end(), inner.begin(), inner.end());
    return {};
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

  /// Whether all values of the digits of a dimension together are its indices.
  [[nodiscard]] bool are_digits() const { return are_digits_; }

 private:
  std::vector<PhysicalDigit> digits_;
  bool are_digits_ = true;
};

Result<void> check_rank(const XlaLayout& layout, std::size_t rank) {
  std::vector<std::int64_t> order = layout.minor_to_major;
  std::ranges::sort(order);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (!std::cmp_equal(order[i], i)) return no_order(layout, "is no order of dimensions");
  }
  if (order.size() != rank) {
    return no_order(layout, fmt::format("is for {}, and the array has {}",
                                        counted(std::ssize(order), "dimension"), rank));
  }
  for (const std::vector<std::int64_t>& tile : layout.tiles) {
    if (tile.size() > rank)
      return no_order(layout, "has a tile of more extents than the array has");
    if (std::ranges::any_of(tile, [](std::int64_t extent) { return extent < 1; })) {
      return no_order(layout, "has a tile whose extents are not all positive");
    }
  }
  return {};
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

/// The digits of one dimension as a mode, the fastest first; those of one value are left out.
Result<cute::Layout> mode_of(std::span<const PhysicalDigit> all, std::size_t dim) {
  std::vector<PhysicalDigit> digits;
  std::ranges::copy_if(all, std::back_inserter(digits),
                       [&](const PhysicalDigit& digit) { return digit.dim == dim; });
  std::ranges::stable_sort(digits, {}, [](const PhysicalDigit& digit) { return digit.step; });
  const std::int64_t idle = std::ranges::count(digits, Int(1), &PhysicalDigit::values);
  if (std::cmp_equal(idle, digits.size())) {
    return cute::make_layout(IntTuple(Int(1)), cute::to_strides(IntTuple(digits.front().stride)));
  }
  std::vector<Int> extents;
  std::vector<Int> strides;
  for (const PhysicalDigit& digit : digits) {
    if (digit.values == Int(1)) continue;
    extents.push_back(digit.values);
    strides.push_back(digit.stride);
  }
  const bool is_leaf = extents.size() == 1;
  const IntTuple shape = is_leaf ? IntTuple(extents[0]) : IntTuple::flat(extents);
  const IntTuple stride = is_leaf ? IntTuple(strides[0]) : IntTuple::flat(strides);
  return cute::make_layout(shape, cute::to_strides(stride));
}

Result<AnyLayout> as_layout(std::span<const PhysicalDigit> digits, std::size_t rank) {
  std::vector<cute::Layout> modes;
  for (std::size_t dim = 0; dim < rank; ++dim) {
    HEDDLE_TRY(modes.emplace_back(), mode_of(digits, dim));
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
    tiles += fmt::format("({})", fmt::join(tile, ","));
  }
  if (!tiles.empty()) tiles = "T" + tiles;
  if (tiles.empty() && layout.notes.empty()) return fmt::format("{{{}}}", text);
  return fmt::format("{{{}:{}{}}}", text, tiles, layout.notes);
}

std::ostream& operator<<(std::ostream& stream, const XlaLayout& layout) {
  return stream << to_string(layout);
}

Result<AnyLayout> offsets(const XlaLayout& layout, std::span<const Int> shape,
                          const Limits& limits) {
  HEDDLE_CHECK(check_rank(layout, shape.size()));
  HEDDLE_CHECK(axe::check_extents(shape));
  Physical physical(layout, shape);
  for (const std::vector<std::int64_t>& tile : layout.tiles) HEDDLE_CHECK(physical.tile(tile));
  HEDDLE_TRY(const std::vector<PhysicalDigit> digits, physical.finish());
  if (!physical.are_digits()) return as_relation(digits, shape, limits);
  return as_layout(digits, shape.size());
}

}  // namespace heddle::map
