#include "draw/box.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "draw/layouts.h"
#include "draw/ruler.h"
#include "heddle/cute/layout.h"

namespace heddle::draw {
namespace {

using Dimensions = std::vector<std::size_t>;
using Sizes = std::vector<Int>;

/// The side as the mode of a layout, whose first digit runs fastest.
Result<cute::Layout> mode_of(const Sizes& sizes, const Dimensions& side) {
  if (side.size() == 1) return cute::make_layout(IntTuple(sizes[side.front()]));
  std::vector<IntTuple> extents;
  for (auto dimension = side.rbegin(); dimension != side.rend(); ++dimension) {
    extents.emplace_back(sizes[*dimension]);
  }
  return cute::make_layout(IntTuple::of(extents));
}

/// Digits that say how many there are; a box has no strides.
Result<Ruler> side_ruler(const Sizes& sizes, const Dimensions& side, bool is_elided) {
  HEDDLE_TRY(const cute::Layout mode, mode_of(sizes, side));
  Ruler ruler = make_ruler(mode, is_elided);
  for (Digit& digit : ruler.digits) digit.label = std::to_string(digit.extent);
  for (std::string& coordinate : ruler.coordinates) {  // outermost first, as the view has them
    std::vector<std::string> parts;
    std::string part;
    for (const char c : coordinate.substr(1, coordinate.size() - 2)) {
      if (c == ',') parts.push_back(std::exchange(part, {}));
      if (c != ',') part += c;
    }
    parts.push_back(part);
    std::ranges::reverse(parts);
    coordinate = fmt::format("({})", fmt::join(parts, ","));
  }
  return ruler;
}

/// Sets the indices of the dimensions of a side at one of its positions.
void place_at(std::size_t position, const Sizes& sizes, const Dimensions& side,
              std::vector<Int>& point) {
  for (auto dimension = side.rbegin(); dimension != side.rend(); ++dimension) {
    const std::size_t extent = to_size(sizes[*dimension]);
    point[*dimension] = position % extent;
    position /= extent;
  }
}

constexpr std::int64_t kBankBits = 32;

/// The bank that a bit of the element at a position lies in.
std::int64_t bank_at(std::int64_t position, std::int64_t bit, const PictureOptions& options) {
  const std::int64_t repeats = options.modulus * kBankBits;
  const auto first = static_cast<std::int64_t>(options.address.value_or(0) %
                                               static_cast<std::uint64_t>(repeats / 8));
  const std::int64_t bits = options.element_bits.value_or(kBankBits);
  return (position % repeats * bits + bit + first * 8) / kBankBits % options.modulus;
}

std::string colors_text(const PictureOptions& options) {
  if (options.color_by == ColorBy::kNone) return {};
  if (options.color_by == ColorBy::kBank) {
    return fmt::format("bank of {} (32 bits each; elements of {} bits)", options.modulus,
                       options.element_bits.value_or(kBankBits));
  }
  if (options.run == 1) return fmt::format("index mod {}", options.modulus);
  return fmt::format("floor(index / {}) mod {}", options.run, options.modulus);
}

Result<void> check_box(const BoxPicture& box, const PictureOptions& options) {
  Int size = 1;
  for (const Int& extent : box.sizes) {
    HEDDLE_CHECK(draw::check_constant(extent, box.title));
    size *= extent;
  }
  // What is left out of a side has no names, and a side that does not begin at 0 needs them.
  const bool is_shifted = std::ranges::any_of(box.begins, [](auto begin) { return begin != 0; });
  const auto most = static_cast<std::int64_t>(is_shifted ? options.max_cells : kMaxCells);
  const bool may_leave_out = !is_shifted && options.max_cells <= kMaxCells;
  if (may_leave_out || known_at_most(size, most)) return {};
  return refuse("draw.too_large", fmt::format("{} has {} points, and a picture at most {} cells",
                                              box.title, to_string(size), most));
}

/// Makes the panels of a box.
class BoxMaker {
 public:
  BoxMaker(const BoxPicture& box, const PictureOptions& options)
      : box_(box), options_(options), sizes_(box.sizes), sides_(box.sides) {}

  Result<Picture> make() {
    Int size = 1;
    for (const Int& extent : sizes_) size *= extent;
    const bool is_elided = !known_at_most(size, options_.max_cells);
    HEDDLE_TRY(columns_, ruler_of(sides_.columns, is_elided));
    rows_.is_mode = !sides_.rows.empty();
    if (rows_.is_mode) {
      HEDDLE_TRY(rows_, ruler_of(sides_.rows, is_elided));
    }
    std::size_t count = 1;
    for (const std::size_t dimension : sides_.panels) count *= to_size(sizes_[dimension]);
    constexpr std::size_t kFewPanels = 8;
    const std::size_t shown = is_elided || count > kMaxPanels ? std::min(count, kFewPanels) : count;
    Picture picture{
        options_.title.value_or(box_.title),
        colors_text(options_),
        options_.color_by == ColorBy::kNone ? 0 : static_cast<std::size_t>(options_.modulus),
        {},
        {}};
    for (std::size_t i = 0; i < shown; ++i) {
      HEDDLE_TRY(Panel panel, panel_at(i));
      picture.panels.push_back(std::move(panel));
    }
    if (const std::string gaps = gap_text(rows_, columns_); !gaps.empty()) {
      picture.notes.push_back("left out: " + gaps);
    }
    if (shown < count) {
      picture.notes.push_back(fmt::format("left out: {} of {} slices", count - shown, count));
    }
    return picture;
  }

 private:
  [[nodiscard]] std::int64_t begin(std::size_t dimension) const {
    return box_.begins.empty() ? 0 : box_.begins[dimension];
  }

  /// A side of one dimension that does not begin at 0 has names instead of numbers.
  Result<Ruler> ruler_of(const Dimensions& side, bool is_elided) const {
    HEDDLE_TRY(Ruler ruler, side_ruler(sizes_, side, is_elided));
    if (side.size() != 1 || begin(side.front()) == 0) return ruler;
    for (std::size_t i = 0; i < shown_count(ruler); ++i) {
      const auto position = static_cast<std::int64_t>(shown_position(ruler, i));
      ruler.names.push_back(std::to_string(begin(side.front()) + position));
    }
    return ruler;
  }

  [[nodiscard]] std::vector<Int> shifted(std::vector<Int> point) const {
    for (std::size_t i = 0; i < point.size(); ++i) point[i] += begin(i);
    return point;
  }

  Result<Panel> panel_at(std::size_t number) {
    std::vector<Int> point(sizes_.size());
    place_at(number, sizes_, sides_.panels, point);
    Panel panel;
    panel.pattern = pattern_at(point);
    if (!sides_.panels.empty()) panel.label = panel.pattern;
    panel.rows = rows_;
    panel.columns = columns_;
    if (options_.facts) panel.fact_names = box_.fact_names;
    for (std::size_t row = 0; row < shown_count(rows_); ++row) {
      if (rows_.is_mode) place_at(shown_position(rows_, row), sizes_, sides_.rows, point);
      for (std::size_t column = 0; column < shown_count(columns_); ++column) {
        place_at(shown_position(columns_, column), sizes_, sides_.columns, point);
        HEDDLE_TRY(Cell cell, box_.cell(shifted(point)));
        panel.cells.push_back(std::move(cell));
      }
    }
    return panel;
  }

  /// `(2,_,_)`
  [[nodiscard]] std::string pattern_at(const std::vector<Int>& point) const {
    std::vector<std::string> parts;
    for (const std::size_t dimension : sides_.panels) {
      parts.push_back(to_string(point[dimension] + begin(dimension)));
    }
    if (rows_.is_mode) parts.emplace_back("_");
    parts.emplace_back("_");
    return fmt::format("({})", fmt::join(parts, ","));
  }

  const BoxPicture& box_;
  const PictureOptions& options_;
  const Sizes& sizes_;
  const BoxSides& sides_;
  Ruler rows_;
  Ruler columns_;
};

}  // namespace

BoxSides plain_sides(std::size_t rank) {
  BoxSides sides;
  for (std::size_t i = 0; i < rank; ++i) {
    Dimensions& side = i + 1 == rank ? sides.columns : i + 2 == rank ? sides.rows : sides.panels;
    side.push_back(i);
  }
  return sides;
}

Result<void> check_position_colors(const PictureOptions& options) {
  if (options.color_by == ColorBy::kNone) return {};
  const bool are_colors = options.modulus >= 1 && options.modulus <= kMaxColors;
  if (!are_colors || options.run < 1) {
    return refuse("draw.color", fmt::format("colours go by {} indices modulo 1 to {}, not by {} "
                                            "modulo {}",
                                            "1 or more", kMaxColors, options.run, options.modulus));
  }
  const std::int64_t bits = options.element_bits.value_or(kBankBits);
  if (bits >= 1 && bits <= 1024) return {};
  return refuse("draw.color", fmt::format("elements are 1 to 1024 bits wide, not {}", bits));
}

Cell position_cell(std::int64_t position, const PictureOptions& options) {
  Cell cell{std::to_string(position), {}, kPlain, {}};
  if (position < 0) {
    cell.color = kHatched;
  } else if (options.color_by == ColorBy::kIndexModulo) {
    cell.color = static_cast<std::size_t>(position / options.run % options.modulus);
  } else if (options.color_by == ColorBy::kBank) {
    const std::int64_t bank = bank_at(position, 0, options);
    const std::int64_t last =
        bank_at(position, options.element_bits.value_or(kBankBits) - 1, options);
    cell.color = static_cast<std::size_t>(bank);
    cell.note = bank == last ? fmt::format("b{}", bank) : fmt::format("b{}-{}", bank, last);
  }
  return cell;
}

Result<Picture> make_picture(const BoxPicture& box, const PictureOptions& options) {
  HEDDLE_CHECK(check_box(box, options));
  return BoxMaker(box, options).make();
}

}  // namespace heddle::draw
