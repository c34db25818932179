#include "heddle/draw/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "cute/layout/format.h"
#include "cute/tiled/address.h"
#include "draw/layouts.h"
#include "draw/panels.h"
#include "draw/ruler.h"
#include "heddle/cute/int_tuple.h"
#include "heddle/cute/manipulation.h"

namespace heddle::draw {
namespace {

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
            .with_hint("coalesce the layout by mode, which drops extents of 1"));
  }
  HEDDLE_CHECK(check_constant(layout));
  const Int size = strided.size();
  if (options.max_cells <= kMaxCells || known_at_most(size, kMaxCells)) return {};
  return refuse(
      Diagnostic("draw.too_large", fmt::format("{} has {} elements, and a picture at most {} cells",
                                               layout_text(layout), size, kMaxCells))
          .with_hint(
              "draw a part of it: a slice, as in slice((_,0), L), or one tile of a divide, as in "
              "slice(((_,_),(0,0)), tiled) after tiled = zipped_divide(L, (64,64))"));
}

/// How many panels there are, and how many of them are shown.
struct PanelCount {
  std::size_t all = 1;
  std::size_t shown = 1;
};

PanelCount count_panels(const cute::Layout& layout, bool is_elided) {
  PanelCount count;
  for (std::size_t mode = 2; mode < layout.rank(); ++mode)
    count.all *= to_size(layout.mode(mode).size());
  constexpr std::size_t kFewPanels = 8;
  const std::size_t most = is_elided ? kFewPanels : kMaxPanels;
  count.shown = count.all <= most ? count.all : kFewPanels;
  return count;
}

/// The coordinates of the modes after the second, in panel `index`.
std::vector<std::size_t> panel_coordinates(const cute::Layout& layout, std::size_t index) {
  std::vector<std::size_t> positions;
  for (std::size_t mode = 2; mode < layout.rank(); ++mode) {
    const std::size_t extent = to_size(layout.mode(mode).size());
    positions.push_back(index % extent);
    index /= extent;
  }
  return positions;
}

/// `(_,_,1)`
std::string panel_pattern(const cute::Layout& layout, std::span<const std::size_t> further) {
  const IntTuple shape = layout.shape();
  if (shape.is_leaf()) return "_";
  if (shape.rank() == 1) return "(_)";
  std::string pattern = "(_,_";
  for (std::size_t i = 0; i < further.size(); ++i) {
    pattern += ',' + coordinate_in(shape.mode(i + 2), further[i]);
  }
  return pattern + ')';
}

// Colours.

std::int64_t element_bits(const PictureOptions& options) {
  return options.element_bits.value_or(32);
}

/// The number that decides the colour of what a cell maps to, and what the cell says about it.
class Colors {
 public:
  Colors(const cute::Layout& layout, const PictureOptions& options) : options_(options) {
    if (options.color_by == ColorBy::kNone) return;
    if (!layout.is_integral() && !place_coordinates(layout)) return;
    count_ = static_cast<std::size_t>(options.modulus);
  }

  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] bool are_banks() const { return options_.color_by == ColorBy::kBank; }

  [[nodiscard]] std::string legend() const {
    if (count_ == 0) return {};
    if (are_banks()) {
      return fmt::format(
          "bank of {} (32 bits each; elements of {} bits{})", options_.modulus,
          element_bits(options_),
          options_.address ? fmt::format(", index 0 at {:#x}", *options_.address) : "");
    }
    const std::string place = weights_.empty() ? "index" : "place of the coordinate";
    if (options_.run == 1) return fmt::format("{} mod {}", place, options_.modulus);
    return fmt::format("floor({} / {}) mod {}", place, options_.run, options_.modulus);
  }

  [[nodiscard]] std::size_t of(const IntTuple& image) const {
    if (count_ == 0) return kPlain;
    const Int number = are_banks() ? bank_of_bit(image, 0) : floor_div(place(image), options_.run);
    const Int color = mod(number, options_.modulus);
    return color.is_constant() ? to_size(color) : kPlain;
  }

  /// `b5`, or `b4-7` where an element lies in several banks; `#5` among many colours.
  [[nodiscard]] std::string note(const IntTuple& image) const {
    const std::size_t color = of(image);
    if (color == kPlain) return {};
    if (!are_banks()) return count_ > kColorsWithoutNumbers ? fmt::format("#{}", color) : "";
    const Int last = mod(bank_of_bit(image, element_bits(options_) - 1), options_.modulus);
    if (known_equal(last, color)) return fmt::format("b{}", color);
    return fmt::format("b{}-{}", color, last);
  }

  /// The number of the colour or of the bank.
  [[nodiscard]] std::string fact(const IntTuple& image) const {
    const std::size_t color = of(image);
    if (color == kPlain) return {};
    return are_banks() ? note(image).substr(1) : std::to_string(color);
  }

 private:
  static constexpr std::size_t kColorsWithoutNumbers = 8;
  static constexpr std::int64_t kBankBits = 32;

  /// Coordinates count within the box of all of them; false where their number leaves 64 bits.
  bool place_coordinates(const cute::Layout& layout) {
    const Result<IntTuple> box = cute::coshape(layout);
    if (!box) return false;
    Int weight = 1;
    for (const Int& extent : box->leaves()) {
      weights_.push_back(weight);
      weight *= extent;
    }
    return weight.is_defined();
  }

  [[nodiscard]] Int place(const IntTuple& image) const {
    if (weights_.empty()) return image.leaves().front();
    Int place = 0;
    for (std::size_t i = 0; i < image.leaves().size(); ++i)
      place += image.leaves()[i] * weights_[i];
    return place;
  }

  /// Banks repeat after modulus * kBankBits elements, so that nothing leaves 64 bits.
  [[nodiscard]] Int bank_of_bit(const IntTuple& image, std::int64_t bit) const {
    const Int element = mod(image.leaves().front(), options_.modulus * kBankBits);
    return floor_div(element * element_bits(options_) + bit + first_bit(), kBankBits);
  }

  /// The bit among those of all banks with which index 0 begins.
  [[nodiscard]] std::int64_t first_bit() const {
    constexpr std::int64_t kByteBits = 8;
    const std::int64_t bytes = options_.modulus * kBankBits / kByteBits;
    const std::uint64_t place = options_.address.value_or(0) % static_cast<std::uint64_t>(bytes);
    return static_cast<std::int64_t>(place) * kByteBits;
  }

  PictureOptions options_;
  std::vector<Int> weights_;
  std::size_t count_ = 0;
};

Result<void> check_banks(const cute::Layout& layout, const PictureOptions& options) {
  if (options.modulus < 1 || options.modulus > kMaxColors) {
    return refuse("draw.color",
                  fmt::format("memory has 1 to {} banks, not {}", kMaxColors, options.modulus));
  }
  if (element_bits(options) < 1 || element_bits(options) > 1024) {
    return refuse("draw.color",
                  fmt::format("elements are 1 to 1024 bits wide, not {}", element_bits(options)));
  }
  if (layout.is_integral()) return {};
  return refuse(
      Diagnostic("draw.color", fmt::format("{} maps to coordinates, which lie in no bank", layout))
          .with_hint("compose a layout of the memory with it"));
}

Result<void> check_colors(const cute::Layout& layout, const PictureOptions& options) {
  if (options.color_by == ColorBy::kNone) return {};
  if (options.color_by == ColorBy::kBank) return check_banks(layout, options);
  if (options.modulus < 1 || options.modulus > kMaxColors) {
    return refuse("draw.color", fmt::format("colours go by the index modulo 1 to {}, not modulo {}",
                                            kMaxColors, options.modulus));
  }
  if (options.run < 1) {
    return refuse(
        "draw.color",
        fmt::format("runs of {} indices cannot share a colour; a run has at least 1", options.run));
  }
  return {};
}

// Cells.

/// Makes the cells of a panel.
class PanelMaker {
 public:
  PanelMaker(const cute::AnyLayout& layout, const PictureOptions& options, const Looks& looks)
      : layout_(layout), strided_(strided_part(layout)), options_(options), looks_(looks) {
    const bool is_elided = !known_at_most(strided_.size(), options.max_cells);
    columns_ = make_ruler(strided_.mode(strided_.rank() == 1 ? 0 : 1), is_elided);
    rows_.is_mode = strided_.rank() > 1;
    if (rows_.is_mode) rows_ = make_ruler(strided_.mode(0), is_elided);
    count_ = count_panels(strided_, is_elided);
    for (const cute::Layout& mode : strided_.modes())
      modes_.push_back({mode, to_size(mode.size())});
  }

  [[nodiscard]] PanelCount count() const { return count_; }
  [[nodiscard]] std::string gaps() const { return gap_text(rows_, columns_); }

  [[nodiscard]] Result<Panel> make(std::size_t index) const {
    const std::vector<std::size_t> further = panel_coordinates(strided_, index);
    Panel panel;
    panel.pattern = panel_pattern(strided_, further);
    if (count_.all > 1) panel.label = panel.pattern;
    panel.rows = rows_;
    panel.columns = columns_;
    if (options_.facts) panel.fact_names = fact_names();
    panel.cells.reserve(shown_count(rows_) * shown_count(columns_));
    for (std::size_t row = 0; row < shown_count(rows_); ++row) {
      for (std::size_t column = 0; column < shown_count(columns_); ++column) {
        std::vector<std::size_t> place = {shown_position(columns_, column)};
        if (rows_.is_mode) place.insert(place.begin(), shown_position(rows_, row));
        place.insert(place.end(), further.begin(), further.end());
        HEDDLE_TRY(Cell cell, make_cell(place));
        if (options_.facts) {
          // The last fact is there already.
          const auto more = facts_of(cell, place, coordinate_text(panel, row, column));
          cell.facts.insert(cell.facts.begin(), more.begin(), more.end());
        }
        panel.cells.push_back(std::move(cell));
      }
    }
    return panel;
  }

 private:
  struct Mode {
    cute::Layout layout;
    std::size_t size = 1;
  };

  /// The flat coordinate of one position in each mode.
  [[nodiscard]] std::size_t flat(std::span<const std::size_t> place) const {
    std::size_t flat = 0;
    for (std::size_t mode = place.size(); mode > 0; --mode)
      flat = flat * modes_[mode - 1].size + place[mode - 1];
    return flat;
  }

  [[nodiscard]] Result<Cell> make_cell(std::span<const std::size_t> place) const {
    const std::size_t number = flat(place);
    HEDDLE_TRY(const IntTuple image, image_of(layout_, number));
    Look look = looks_.of(number, image);
    Cell cell{tuple_text(image), std::move(look.note), look.color, {}};
    if (options_.facts) cell.facts.push_back(std::move(look.fact));
    return cell;
  }

  [[nodiscard]] std::vector<std::string> fact_names() const {
    return {"coordinate", "by mode", "flat", "index", "digits", looks_.fact_name};
  }

  [[nodiscard]] std::vector<std::string> facts_of(const Cell& cell,
                                                  std::span<const std::size_t> place,
                                                  std::string coordinate) const {
    const std::string modes = fmt::format("{}", fmt::join(place, ","));
    return {std::move(coordinate), place.size() == 1 ? modes : '(' + modes + ')',
            std::to_string(flat(place)), cell.text, sum_of_digits(place)};
  }

  /// `1·2 + 3·8`, for a composed layout `Sw<2,0,3>(0 + 1·2 + 3·8)`.
  [[nodiscard]] std::string sum_of_digits(std::span<const std::size_t> place) const {
    std::string sum;
    for (std::size_t mode = 0; mode < place.size(); ++mode) {
      sum += (mode > 0 ? " + " : "") + digits_text(modes_[mode].layout, place[mode]);
    }
    const auto* composed = std::get_if<cute::ComposedLayout>(&layout_);
    if (composed == nullptr) return sum;
    return fmt::format("{}({} + {})", composed->swizzle(), composed->offset(), sum);
  }

  const cute::AnyLayout& layout_;
  const cute::Layout& strided_;
  const PictureOptions& options_;
  const Looks& looks_;
  std::vector<Mode> modes_;
  Ruler rows_;
  Ruler columns_;
  PanelCount count_;
};

// Tensors.

/// The width of what a pointer points to, which the options may say too.
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

std::vector<std::string> elision_notes(const PanelMaker& maker) {
  std::vector<std::string> notes;
  if (const std::string gaps = maker.gaps(); !gaps.empty()) notes.push_back("left out: " + gaps);
  const PanelCount count = maker.count();
  if (count.shown < count.all)
    notes.push_back(fmt::format("left out: {} of {} slices", count.all - count.shown, count.all));
  return notes;
}

}  // namespace

std::size_t shown_count(const Ruler& ruler) {
  return ruler.gap ? ruler.length - (ruler.gap->end - ruler.gap->begin) : ruler.length;
}

std::size_t shown_position(const Ruler& ruler, std::size_t shown) {
  if (!ruler.gap || shown < ruler.gap->begin) return shown;
  return shown + (ruler.gap->end - ruler.gap->begin);
}

bool follows_gap(const Ruler& ruler, std::size_t shown) {
  return ruler.gap && shown == ruler.gap->begin;
}

std::string position_text(const Ruler& ruler, std::size_t shown) {
  return ruler.names.empty() ? std::to_string(shown_position(ruler, shown)) : ruler.names[shown];
}

std::size_t level_count(const Ruler& ruler) {
  return ruler.groups.empty() ? ruler.blocks.size() : 1;
}

std::size_t boundary_level(const Ruler& ruler, std::size_t position) {
  if (!ruler.groups.empty())
    return std::ranges::find(ruler.groups, position, &Group::begin) != ruler.groups.end() ? 1 : 0;
  const auto crosses = [&](std::size_t block) { return position % block == 0; };
  return static_cast<std::size_t>(std::ranges::find_if_not(ruler.blocks, crosses) -
                                  ruler.blocks.begin());
}

bool has_hatched(const Picture& picture) {
  return std::ranges::any_of(picture.panels, [](const Panel& panel) {
    return std::ranges::find(panel.cells, kHatched, &Cell::color) != panel.cells.end();
  });
}

std::string coordinate_text(const Panel& panel, std::size_t row, std::size_t column) {
  const auto text_at = [](const Ruler& ruler, std::size_t shown) {
    return ruler.coordinates.empty() ? position_text(ruler, shown) : ruler.coordinates[shown];
  };
  std::string text;
  bool is_row = panel.rows.is_mode;
  for (const char c : panel.pattern) {
    if (c != '_') {
      text += c;
      continue;
    }
    text += is_row ? text_at(panel.rows, row) : text_at(panel.columns, column);
    is_row = false;
  }
  return text;
}

Result<Panels> make_panels(const cute::AnyLayout& layout, const PictureOptions& options,
                           const Looks& looks) {
  HEDDLE_CHECK(check_size(layout, options));
  const PanelMaker maker(layout, options, looks);
  Panels made;
  for (std::size_t index = 0; index < maker.count().shown; ++index) {
    HEDDLE_TRY(Panel panel, maker.make(index));
    made.panels.push_back(std::move(panel));
  }
  made.notes = elision_notes(maker);
  return made;
}

Result<Picture> picture(const cute::AnyLayout& layout, const PictureOptions& options) {
  HEDDLE_CHECK(check_colors(strided_part(layout), options));
  HEDDLE_CHECK(check_constant(layout));
  const Colors colors(strided_part(layout), options);
  const auto look = [&](std::size_t, const IntTuple& image) {
    return Look{colors.of(image), colors.note(image), colors.fact(image)};
  };
  HEDDLE_TRY(Panels made,
             make_panels(layout, options, {look, colors.are_banks() ? "bank" : "colour"}));
  return Picture{options.title.value_or(layout_text(layout)), colors.legend(), colors.count(),
                 std::move(made.panels), std::move(made.notes)};
}

Result<Picture> picture(const cute::Tensor& tensor, const PictureOptions& options) {
  HEDDLE_TRY(const cute::AnyLayout layout, cute::as_position_independent_swizzle_layout(tensor));
  const auto* pointer = std::get_if<cute::Pointer>(&tensor.engine);
  if (pointer == nullptr || options.color_by != ColorBy::kBank) return picture(layout, options);
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
