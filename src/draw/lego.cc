#include "heddle/draw/lego.h"

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

/// Which dimensions of the view run along which side, outermost first, and which make panels.
struct ViewSides {
  Dimensions rows;
  Dimensions columns;
  Dimensions panels;
};

ViewSides sides_of(const lego::Layout& layout) {
  const std::size_t rank = layout.dims().size();
  const bool nests =
      std::ranges::all_of(layout.tiles(), [](const lego::Sizes& tile) { return tile.size() == 2; });
  ViewSides sides;
  for (std::size_t i = 0; i < rank; ++i) {
    const bool is_column = nests ? i % 2 == 1 : i + 1 == rank;
    const bool is_row = nests ? i % 2 == 0 : i + 2 == rank;
    Dimensions& side = is_column ? sides.columns : is_row ? sides.rows : sides.panels;
    side.push_back(i);
  }
  return sides;
}

/// The side as the mode of a layout, whose first digit runs fastest.
Result<cute::Layout> mode_of(const lego::Sizes& sizes, const Dimensions& side) {
  if (side.size() == 1) return cute::make_layout(IntTuple(sizes[side.front()]));
  std::vector<IntTuple> extents;
  for (auto dimension = side.rbegin(); dimension != side.rend(); ++dimension) {
    extents.emplace_back(sizes[*dimension]);
  }
  return cute::make_layout(IntTuple::of(extents));
}

/// Digits that say how many there are; strides are not what a LEGO layout is about.
Result<Ruler> side_ruler(const lego::Sizes& sizes, const Dimensions& side, bool is_elided) {
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
void place_at(std::size_t position, const lego::Sizes& sizes, const Dimensions& side,
              std::vector<Int>& point) {
  for (auto dimension = side.rbegin(); dimension != side.rend(); ++dimension) {
    const std::size_t extent = to_size(sizes[*dimension]);
    point[*dimension] = position % extent;
    position /= extent;
  }
}

constexpr std::int64_t kBankBits = 32;

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

/// The bank that a bit of the element at a position lies in.
std::int64_t bank_at(std::int64_t position, std::int64_t bit, const PictureOptions& options) {
  const std::int64_t repeats = options.modulus * kBankBits;
  const auto first = static_cast<std::int64_t>(options.address.value_or(0) %
                                               static_cast<std::uint64_t>(repeats / 8));
  const std::int64_t bits = options.element_bits.value_or(kBankBits);
  return (position % repeats * bits + bit + first * 8) / kBankBits % options.modulus;
}

Cell cell_at(std::int64_t position, const PictureOptions& options) {
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

std::string colors_text(const PictureOptions& options) {
  if (options.color_by == ColorBy::kNone) return {};
  if (options.color_by == ColorBy::kBank) {
    return fmt::format("bank of {} (32 bits each; elements of {} bits)", options.modulus,
                       options.element_bits.value_or(kBankBits));
  }
  if (options.run == 1) return fmt::format("index mod {}", options.modulus);
  return fmt::format("floor(index / {}) mod {}", options.run, options.modulus);
}

Result<void> check_view(const lego::Layout& layout, const PictureOptions& options) {
  for (const Int& size : layout.dims())
    HEDDLE_CHECK(draw::check_constant(size, lego::to_string(layout)));
  const Int size = layout.size();
  if (options.max_cells <= kMaxCells || known_at_most(size, kMaxCells)) return {};
  return refuse("draw.too_large", fmt::format("{} has {} points, and a picture at most {} cells",
                                              to_string(layout), to_string(size), kMaxCells));
}

/// Makes the panels of a layout.
class ViewMaker {
 public:
  ViewMaker(const lego::Layout& layout, const PictureOptions& options)
      : layout_(layout), options_(options), sizes_(layout.dims()), sides_(sides_of(layout)) {}

  Result<Picture> make() {
    const bool is_elided = !known_at_most(layout_.size(), options_.max_cells);
    HEDDLE_TRY(columns_, side_ruler(sizes_, sides_.columns, is_elided));
    rows_.is_mode = !sides_.rows.empty();
    if (rows_.is_mode) {
      HEDDLE_TRY(rows_, side_ruler(sizes_, sides_.rows, is_elided));
    }
    std::size_t count = 1;
    for (const std::size_t dimension : sides_.panels) count *= to_size(sizes_[dimension]);
    constexpr std::size_t kFewPanels = 8;
    const std::size_t shown = is_elided || count > kMaxPanels ? std::min(count, kFewPanels) : count;
    Picture picture{
        options_.title.value_or(to_string(layout_)),
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
  Result<Panel> panel_at(std::size_t number) {
    std::vector<Int> point(sizes_.size());
    place_at(number, sizes_, sides_.panels, point);
    Panel panel;
    panel.pattern = pattern_at(point);
    if (!sides_.panels.empty()) panel.label = panel.pattern;
    panel.rows = rows_;
    panel.columns = columns_;
    if (options_.facts) panel.fact_names = {"coordinate", "position"};
    for (std::size_t row = 0; row < shown_count(rows_); ++row) {
      if (rows_.is_mode) place_at(shown_position(rows_, row), sizes_, sides_.rows, point);
      for (std::size_t column = 0; column < shown_count(columns_); ++column) {
        place_at(shown_position(columns_, column), sizes_, sides_.columns, point);
        HEDDLE_TRY(const Int position, layout_.apply(point));
        Cell cell = cell_at(position.value(), options_);
        if (options_.facts) cell.facts = {lego::to_string(point), cell.text};
        panel.cells.push_back(std::move(cell));
      }
    }
    return panel;
  }

  /// `(2,_,_)`
  [[nodiscard]] std::string pattern_at(const std::vector<Int>& point) const {
    std::vector<std::string> parts;
    for (const std::size_t dimension : sides_.panels) parts.push_back(to_string(point[dimension]));
    if (rows_.is_mode) parts.emplace_back("_");
    parts.emplace_back("_");
    return fmt::format("({})", fmt::join(parts, ","));
  }

  const lego::Layout& layout_;
  const PictureOptions& options_;
  lego::Sizes sizes_;
  ViewSides sides_;
  Ruler rows_;
  Ruler columns_;
};

}  // namespace

Result<Picture> picture(const lego::Layout& layout, const PictureOptions& options) {
  HEDDLE_CHECK(check_position_colors(options));
  HEDDLE_CHECK(check_view(layout, options));
  return ViewMaker(layout, options).make();
}

}  // namespace heddle::draw
