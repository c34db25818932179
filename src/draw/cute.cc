#include "draw/cute.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <span>
#include <sstream>
#include <vector>

#include "cute/layout/format.h"
#include "draw/grid.h"
#include "expr/assume_needed.h"
#include "heddle/cute/int_tuple.h"
#include "heddle/cute/manipulation.h"
#include "heddle/cute/tensor.h"
#include "heddle/expr/proof.h"

namespace heddle::draw {
namespace {

/// The numbers of the layout that are not constant.
std::vector<Int> symbolic_numbers(const cute::AnyLayout& layout) {
  std::vector<Int> numbers;
  const auto add = [&](const Int& number) {
    if (!number.is_constant()) numbers.push_back(number);
  };
  for (const Int& number : cute::integers(layout)) add(number);
  return numbers;
}

Result<void> refuse_symbolic(std::span<const Int> numbers, std::string_view whole) {
  return refuse(
      Diagnostic("draw.symbolic", fmt::format("a picture shows numbers, and {} of {} has no value",
                                              numbers.front(), whole))
          .with_hint(value_hint(numbers)));
}

// Sizes.

Result<void> check_size(const cute::AnyLayout& layout, const PictureOptions& options) {
  const cute::Layout& strided = strided_part(layout);
  const std::size_t nodes = strided.profile().view().nodes().size();
  if (nodes > kMaxShapeNodes) {
    return refuse(
        Diagnostic(
            "draw.too_large",
            fmt::format(
                "a picture labels shapes of at most {} leaves and tuples, and this one has {}",
                kMaxShapeNodes, nodes))
            .with_hint("coalesce(L, (1,1)) drops extents of 1 within its modes"));
  }
  HEDDLE_CHECK(check_constant(layout));
  const Int size = strided.size();
  if (options.max_cells.value_or(kUsualCells) <= kMaxCells || known_at_most(size, kMaxCells))
    return {};
  return refuse(
      too_many_cells(layout_text(layout), to_string(size), "elements")
          .with_hint(
              "draw a part of it: a slice, as in slice((_,0), L), or one tile of a divide, as in "
              "slice(((_,_),(0,0)), tiled) after tiled = zipped_divide(L, (64,64))"));
}

// Coordinates.

/// The coordinate at `position` of a shape, `(1,0)`.
std::string coordinate_in(const IntTuple& shape, std::size_t position) {
  const Result<IntTuple> coordinate = cute::idx2crd(IntTuple(Int(position)), shape);
  if (!coordinate) return {};
  std::ostringstream stream;
  stream << *coordinate;
  return stream.str();
}

/// The digits of a position times their strides, `1·2 + 3·8`; `0` for a mode of extent 1.
std::string digits_text(const cute::Layout& mode, std::size_t position) {
  std::string text;
  for (std::size_t leaf = 0; leaf < mode.extents().size(); ++leaf) {
    const std::size_t extent = to_size(mode.extents()[leaf]);
    if (extent == 1) continue;
    text +=
        fmt::format("{}{}·{}", text.empty() ? "" : " + ", position % extent, mode.strides()[leaf]);
    position /= extent;
  }
  return text.empty() ? "0" : text;
}

/// `(a,b)` of a layout of rank 2, `(a)` of rank 1, `a` of a leaf.
std::string by_mode(const IntTuple& shape, std::span<const std::string> coordinates) {
  const std::string text = fmt::format("{}", fmt::join(coordinates, ","));
  return shape.is_leaf() ? text : fmt::format("({})", text);
}

Side mode_side(const cute::Layout& mode) {
  Side side;
  side.length = to_size(mode.size());
  std::size_t block = 1;
  for (std::size_t leaf = 0; leaf < mode.extents().size(); ++leaf) {
    const std::size_t extent = to_size(mode.extents()[leaf]);
    if (extent == 1) continue;
    side.digits.push_back({extent, block, fmt::format("{}:{}", extent, mode.strides()[leaf])});
    block *= extent;
  }
  if (!mode.shape().is_leaf()) {
    side.coordinate = [shape = mode.shape()](std::size_t position) {
      return coordinate_in(shape, position);
    };
  }
  return side;
}

/// Mode 0 runs down and mode 1 along, or the only mode along; further modes are panels.
class LayoutGrid {
 public:
  LayoutGrid(const cute::AnyLayout& layout, const PictureOptions& options, const Looks& looks)
      : layout_(layout),
        options_(options),
        looks_(looks),
        shape_(strided_part(layout).shape()),
        modes_(strided_part(layout).modes()) {}

  [[nodiscard]] Grid make() const {
    Grid grid;
    // The last side of a grid is the fastest one.
    for (std::size_t mode = modes_.size(); mode > 2; --mode)
      grid.further.push_back(mode_side(modes_[mode - 1]));
    if (modes_.size() > 1) grid.rows = mode_side(modes_[0]);
    // A layout of rank 0 has one element.
    grid.columns = Side{1, {}};
    if (!modes_.empty()) grid.columns = mode_side(modes_[modes_.size() > 1 ? 1 : 0]);
    grid.pattern = [this](Positions further) { return pattern(further); };
    // A mode of extent 1 makes one panel, which needs no label.
    const bool has_panels = !known_at_most(grid.panel_count(), 1);
    grid.label = [this, has_panels](Positions at) { return has_panels ? pattern(at) : ""; };
    if (options_.facts)
      grid.fact_names = {"coordinate", "by mode", "flat", "index", "digits", looks_.fact_name};
    grid.cell = [this](Positions at) { return make_cell(at); };
    return grid;
  }

 private:
  /// `(_,_,1)`
  [[nodiscard]] std::string pattern(Positions further) const {
    std::vector<std::string> parts(std::min<std::size_t>(modes_.size(), 2), "_");
    for (std::size_t i = further.size(); i-- > 0;)
      parts.push_back(coordinate_in(shape_.mode(parts.size()), further[i]));
    return by_mode(shape_, parts);
  }

  /// The positions in each mode, from those in each side of the grid.
  [[nodiscard]] std::vector<std::size_t> place_at(Positions at) const {
    if (modes_.empty()) return {};
    const std::size_t shown = std::min<std::size_t>(at.size(), 2);
    std::vector<std::size_t> place(at.end() - static_cast<std::ptrdiff_t>(shown), at.end());
    place.insert(place.end(), at.rbegin() + static_cast<std::ptrdiff_t>(shown), at.rend());
    return place;
  }

  [[nodiscard]] Result<Cell> make_cell(Positions at) const {
    const std::vector<std::size_t> place = place_at(at);
    std::size_t flat = 0;
    for (std::size_t mode = place.size(); mode > 0; --mode)
      flat = flat * to_size(modes_[mode - 1].size()) + place[mode - 1];
    HEDDLE_TRY(const IntTuple image, image_of(layout_, flat));
    Look look = looks_.of(flat, image);
    Cell cell{tuple_text(image), std::move(look.note), look.color, {}};
    if (options_.elements) cell.elements = looks_.elements_of(flat);
    if (!options_.facts) return cell;
    std::vector<std::string> coordinates;
    for (std::size_t mode = 0; mode < place.size(); ++mode)
      coordinates.push_back(coordinate_in(modes_[mode].shape(), place[mode]));
    const std::string modes = fmt::format("{}", fmt::join(place, ","));
    cell.facts = {by_mode(shape_, coordinates), place.size() == 1 ? modes : '(' + modes + ')',
                  std::to_string(flat),         cell.text,
                  sum_of_digits(place),         std::move(look.fact)};
    return cell;
  }

  /// `1·2 + 3·8`, for a composed layout `Sw<2,0,3>(0 + 1·2 + 3·8)`.
  [[nodiscard]] std::string sum_of_digits(std::span<const std::size_t> place) const {
    std::string sum;
    for (std::size_t mode = 0; mode < place.size(); ++mode)
      sum += (mode > 0 ? " + " : "") + digits_text(modes_[mode], place[mode]);
    const auto* composed = std::get_if<cute::ComposedLayout>(&layout_);
    if (composed == nullptr) return sum;
    const std::string last = composed->outer() == nullptr ? cute::to_string(composed->swizzle())
                                                          : cute::to_string(*composed->outer());
    return fmt::format("{}({} + {})", last, composed->offset(), sum);
  }

  const cute::AnyLayout& layout_;
  const PictureOptions& options_;
  const Looks& looks_;
  IntTuple shape_;
  std::vector<cute::Layout> modes_;
};

// Colours.

/// The number of a coordinate within the box of all coordinates, first mode fastest; the number of
/// an index is the index.
class CoordinateNumber {
 public:
  explicit CoordinateNumber(const cute::Layout& layout) {
    if (layout.is_integral()) return;
    const Result<IntTuple> box = cute::coshape(layout);
    if (!box) return;
    Int weight = 1;
    for (const Int& extent : box->leaves()) {
      weights_.push_back(weight);
      weight *= extent;
    }
    // Colours would not distinguish numbers past 64 bits.
    if (!weight.is_defined()) weights_.clear();
  }

  /// Whether coordinates have numbers.
  [[nodiscard]] bool is_known() const { return !weights_.empty(); }
  [[nodiscard]] Int of(const IntTuple& image) const {
    if (weights_.empty()) return image.leaves().front();
    Int number = 0;
    for (std::size_t i = 0; i < image.leaves().size(); ++i)
      number += image.leaves()[i] * weights_[i];
    return number;
  }

 private:
  std::vector<Int> weights_;
};

/// The options, by default with the colours of the chunks that the layout's swizzle permutes.
PictureOptions with_usual_colors(const cute::AnyLayout& layout, PictureOptions options) {
  const auto* composed = std::get_if<cute::ComposedLayout>(&layout);
  if (composed == nullptr || options.modulus || options.run || has_banks(options)) return options;
  const cute::Swizzle& swizzle = composed->swizzle();
  if (composed->outer() != nullptr || swizzle.is_identity()) return options;
  options.modulus = std::min(std::int64_t{1} << swizzle.bits(), std::int64_t{kMaxColors});
  options.run = std::int64_t{1} << swizzle.base();
  return options;
}

/// Refuses `draw.color`.
Result<IndexColors> layout_colors(const cute::Layout& layout, const CoordinateNumber& number,
                                  const PictureOptions& options) {
  if (layout.is_integral()) return IndexColors::make(options);
  HEDDLE_TRY(IndexColors colors, IndexColors::make(options, "place of the coordinate"));
  if (!colors.are_banks()) return number.is_known() ? colors : IndexColors();
  return refuse(
      Diagnostic("draw.color", fmt::format("{} maps to coordinates, which are in no bank", layout))
          .with_hint("compose a layout of the memory with it"));
}

// Tensors.

/// The element width of a pointer, which must agree with the options.
Result<std::int64_t> pointed_bits(const cute::Tensor& tensor, const cute::Pointer& pointer,
                                  const PictureOptions& options) {
  HEDDLE_CHECK(check_constant(pointer.bits, cute::to_string(tensor)));
  const std::int64_t bits = pointer.bits.value();
  if (options.element_bits.value_or(bits) == bits) return bits;
  return refuse(
      Diagnostic("draw.color", fmt::format("{} has elements of {} bits, not of {}",
                                           cute::to_string(tensor), bits, *options.element_bits))
          .with_hint("leave the width out, or recast the tensor's layout"));
}

/// The address of index 0: a swizzled pointer counts from a multiple of its swizzle's size.
std::optional<std::uint64_t> first_address(const cute::Pointer& pointer) {
  const auto address = cute::address_of(pointer);
  if (!address || pointer.swizzle.is_identity()) return address;
  return *address - *address % static_cast<std::uint64_t>(pointer.swizzle.size());
}

}  // namespace

std::string layout_text(const cute::AnyLayout& layout) {
  return std::visit([](const auto& any) { return cute::to_string(any); }, layout);
}

std::string tuple_text(const IntTuple& tuple) {
  if (tuple.is_leaf()) return to_string(tuple.leaf());
  std::ostringstream stream;
  stream << tuple;
  return stream.str();
}

const cute::Layout& strided_part(const cute::AnyLayout& layout) {
  const auto* composed = std::get_if<cute::ComposedLayout>(&layout);
  return composed != nullptr ? composed->layout() : std::get<cute::Layout>(layout);
}

Result<IntTuple> image_of(const cute::AnyLayout& layout, std::size_t flat) {
  if (const auto* composed = std::get_if<cute::ComposedLayout>(&layout))
    return IntTuple((*composed)(Int(flat)));
  const auto& plain = std::get<cute::Layout>(layout);
  if (plain.is_integral()) return IntTuple(plain(Int(flat)));
  return cute::evaluate(plain, cute::Coordinate(cute::Index(Int(flat))));
}

Result<void> check_constant(const cute::AnyLayout& layout) {
  const std::vector<Int> symbolic = symbolic_numbers(layout);
  return symbolic.empty() ? Result<void>() : refuse_symbolic(symbolic, layout_text(layout));
}

Result<void> check_constant(const Int& number, std::string_view whole) {
  if (number.is_constant()) return {};
  return refuse_symbolic({&number, 1}, whole);
}

Result<void> add_panels(Picture& picture, const cute::AnyLayout& layout,
                        const PictureOptions& options, const Looks& looks) {
  HEDDLE_CHECK(check_size(layout, options));
  const LayoutGrid grid(layout, options, looks);
  return add_panels(picture, grid.make(), options.max_cells.value_or(kUsualCells), options.limits);
}

Result<Picture> picture(const cute::AnyLayout& layout, const PictureOptions& options) {
  const CoordinateNumber number(strided_part(layout));
  const PictureOptions colored = with_usual_colors(layout, options);
  HEDDLE_TRY(const IndexColors colors, layout_colors(strided_part(layout), number, colored));
  HEDDLE_CHECK(check_constant(layout));
  const auto look = [&](std::size_t, const IntTuple& image) {
    return colors.look(number.of(image));
  };
  Picture picture;
  picture.title = options.title.value_or(layout_text(layout));
  colors.describe(picture);
  const bool are_chunks = !options.modulus && colored.modulus;
  if (are_chunks) picture.scale = Scale::kOrdered;
  HEDDLE_CHECK(
      add_panels(picture, layout, options, {look, colors.are_banks() ? "bank" : "colour"}));
  return picture;
}

Result<Picture> picture(const cute::Tensor& tensor, const PictureOptions& options) {
  HEDDLE_TRY(const cute::AnyLayout layout, cute::as_position_independent_swizzle_layout(tensor));
  const auto* pointer = std::get_if<cute::Pointer>(&tensor.engine);
  if (pointer == nullptr || !has_banks(options)) return picture(layout, options);
  PictureOptions pointed = options;
  HEDDLE_TRY(pointed.element_bits, pointed_bits(tensor, *pointer, options));
  pointed.address = first_address(*pointer);
  pointed.title = options.title.value_or(cute::to_string(tensor));
  HEDDLE_TRY(Picture made, picture(layout, pointed));
  if (!pointed.address) {
    made.notes.push_back(fmt::format(
        "the pointer's address is {}: index 0 is taken to begin bank 0",
        pointer->address.empty() ? "not set" : pointer->address + ", which names no byte"));
  }
  return made;
}

}  // namespace heddle::draw
