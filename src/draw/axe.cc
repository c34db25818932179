#include "heddle/draw/axe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <span>
#include <utility>

#include "axe/layout/iters.h"
#include "core/text.h"
#include "draw/axe_places.h"
#include "draw/colors.h"
#include "draw/grid.h"
#include "heddle/axe/group.h"

namespace heddle::draw {
namespace {

using axe::AxisKind;
using Numbers = std::vector<std::int64_t>;

constexpr std::size_t kMostInList = 32;

// The tensor.

/// The shape of a tensor, row-major.
class Tensor {
 public:
  /// Refuses `axe.not_admitted`, `axe.extent`, `draw.symbolic`.
  [[nodiscard]] static Result<Tensor> make(const axe::Layout& layout,
                                           const PictureOptions& options) {
    std::vector<Int> shape(options.shape.begin(), options.shape.end());
    if (shape.empty()) shape = {axe::size(layout)};
    HEDDLE_CHECK(axe::check_admits(layout, shape, "draw"));
    Tensor tensor;
    std::int64_t weight = axe::size(layout).value();
    for (const Int& extent : shape) {
      weight /= extent.value();
      tensor.extents_.push_back(extent.value());
      tensor.weights_.push_back(weight);
    }
    tensor.shape_ = std::move(shape);
    return tensor;
  }

  [[nodiscard]] std::size_t rank() const { return extents_.size(); }
  [[nodiscard]] std::span<const Int> shape() const { return shape_; }
  [[nodiscard]] std::int64_t extent(std::size_t dim) const { return extents_[dim]; }
  [[nodiscard]] std::int64_t weight(std::size_t dim) const { return weights_[dim]; }
  [[nodiscard]] std::int64_t coordinate(std::size_t dim, std::int64_t index) const {
    return index / weights_[dim] % extents_[dim];
  }

  /// `(1,5)`, or `21` for one dimension.
  [[nodiscard]] std::string text(std::int64_t index) const {
    if (rank() == 1) return std::to_string(index);
    Numbers point;
    for (std::size_t dim = 0; dim < rank(); ++dim) point.push_back(coordinate(dim, index));
    return fmt::format("({})", fmt::join(point, ","));
  }

  /// The index that the options pick. Refuses `draw.tv`.
  [[nodiscard]] Result<std::optional<std::int64_t>> picked(const PictureOptions& options) const {
    if (!options.element) return std::nullopt;
    const Numbers& point = *options.element;
    bool is_inside = point.size() == rank();
    std::int64_t index = 0;
    for (std::size_t dim = 0; is_inside && dim < rank(); ++dim) {
      is_inside = point[dim] >= 0 && point[dim] < extents_[dim];
      if (is_inside) index += point[dim] * weights_[dim];
    }
    if (is_inside) return index;
    return refuse("draw.tv", fmt::format("there is no element ({}) in the tensor {}",
                                         fmt::join(point, ","), heddle::tuple_text(shape_)));
  }

 private:
  std::vector<Int> shape_;
  Numbers extents_;
  Numbers weights_;
};

// Colours.

/// Colours by the place of an element on some axes.
struct PlaceColors {
  std::vector<std::size_t> axes;
  ColorRule rule;

  /// The origin of colours: 0 on a single axis, unless its coordinates are negative.
  [[nodiscard]] std::int64_t origin_of(const AxisPart& part) const {
    return axes.size() == 1 ? std::min<std::int64_t>(part.low(), 0) : part.low();
  }

  /// The colour of the least of its places.
  [[nodiscard]] std::size_t of(const AxeParts& parts, const std::vector<Numbers>& places) const {
    Int number = 0;
    for (const std::size_t i : axes) {
      const AxisPart& part = parts.axes[i];
      number = number * part.span() + (places[i].front() - origin_of(part));
    }
    return rule.of(number);
  }
};

/// The axis that the options name; otherwise the axes of devices, of threads or of memory,
/// whichever of these kinds first has several coordinates. Refuses `draw.color`.
Result<std::vector<std::size_t>> colored_axes(const AxeParts& parts,
                                              const PictureOptions& options) {
  std::vector<std::string> names;
  for (const AxisPart& part : parts.axes) names.push_back(part.name());
  if (options.color_by) {
    const auto found = std::ranges::find(names, *options.color_by);
    if (found == names.end()) return no_such_color("axis " + *options.color_by, names);
    return std::vector{static_cast<std::size_t>(found - names.begin())};
  }
  std::vector<std::size_t> chosen;
  for (const AxisKind kind : {AxisKind::kDevice, AxisKind::kThread, AxisKind::kMemory}) {
    for (std::size_t i = 0; i < parts.axes.size(); ++i) {
      if (parts.axes[i].kind() == kind && parts.axes[i].span() > 1) chosen.push_back(i);
    }
    if (!chosen.empty()) return chosen;
  }
  return std::vector<std::size_t>{0};
}

Result<PlaceColors> place_colors(const AxeParts& parts, const PictureOptions& options) {
  PlaceColors colors;
  HEDDLE_TRY(colors.axes, colored_axes(parts, options));
  std::vector<std::string> names;
  Int size = 1;
  for (const std::size_t i : colors.axes) {
    const AxisPart& part = parts.axes[i];
    names.push_back(part.name());
    size *= part.high() - colors.origin_of(part) + 1;
  }
  std::string name = fmt::format("owner ({})", fmt::join(names, ", "));
  if (names.size() == 1) {
    const std::int64_t origin = colors.origin_of(parts.axes[colors.axes.front()]);
    name = origin == 0 ? names.front() : fmt::format("{} + {}", names.front(), -origin);
  }
  colors.rule = color_rule(options, std::move(name), size);
  return colors;
}

// Texts.

/// `w5,9 l6`, from the axes for which `takes(kind)` holds.
template <class Takes>
std::string short_text(const AxeParts& parts, const std::vector<Numbers>& places, std::size_t most,
                       Takes takes) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < parts.axes.size(); ++i) {
    if (takes(parts.axes[i].kind()))
      texts.push_back(parts.axes[i].short_name() + numbers_text(places[i], most));
  }
  return fmt::format("{}", fmt::join(texts, " "));
}

/// `warpid 5,9, laneid 6, m 1`
std::string full_text(const AxeParts& parts, const std::vector<Numbers>& places) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < parts.axes.size(); ++i)
    texts.push_back(
        fmt::format("{} {}", parts.axes[i].name(), numbers_text(places[i], kMostInList)));
  return fmt::format("{}", fmt::join(texts, "; "));
}

/// A fact for each axis: its coordinates.
void add_axis_facts(Cell& cell, const std::vector<Numbers>& places) {
  for (const Numbers& coordinates : places)
    cell.facts.push_back(numbers_text(coordinates, kMostInList));
}
void add_axis_names(std::vector<std::string>& fact_names, const AxeParts& parts) {
  for (const AxisPart& part : parts.axes) fact_names.push_back(part.name());
}

std::vector<Numbers> places_of(const AxeParts& parts, std::int64_t index) {
  std::vector<Numbers> places;
  for (const AxisPart& part : parts.axes) places.push_back(part.coordinates(index));
  return places;
}

// Notes.

/// `w = warpid, l = laneid`, for names that are abbreviated.
std::string names_note(const AxeParts& parts) {
  std::vector<std::string> names;
  for (const AxisPart& part : parts.axes) {
    if (!part.short_name().starts_with(part.name()))
      names.push_back(fmt::format("{} = {}", part.short_name(), part.name()));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

void add_copies_note(Picture& picture, const AxeParts& parts) {
  const auto copies = parts.copies();
  if (copies == std::optional<std::int64_t>(1)) return;
  std::vector<std::string> texts;
  for (const AxisPart& part : parts.axes) {
    if (part.replicas().size() == 1) continue;
    texts.push_back(fmt::format("{} +{}", part.name(), numbers_text(part.replicas(), kMostInList)));
  }
  picture.notes.push_back(fmt::format("each element is held in {} places: {}",
                                      copies ? std::to_string(*copies) : "more than 2^63",
                                      fmt::join(texts, ", ")));
}

/// The number of places, of those that are held, and of those held by one element alone.
struct Census {
  Int all = 1;
  Int held = 1;
  Int by_one = 1;
};

std::optional<Census> census_of(const AxeParts& parts) {
  Census census;
  for (const AxisPart& part : parts.axes) {
    const auto counts = part.counts();
    if (!counts) return std::nullopt;
    census.all *= part.span();
    census.held *= counts->reached;
    census.by_one *= counts->by_one;
  }
  if (!parts.still.empty()) census.by_one = 0;
  return census;
}

/// `warpid 5 to 10, laneid 0 to 31`
std::string box_text(const AxeParts& parts) {
  std::vector<std::string> texts;
  for (const AxisPart& part : parts.axes) {
    if (part.span() > 1)
      texts.push_back(fmt::format("{} {} to {}", part.name(), part.low(), part.high()));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

void add_census_notes(Picture& picture, const AxeParts& parts) {
  const auto census = census_of(parts);
  if (!census || !census->all.is_constant()) {
    picture.notes.push_back(
        fmt::format("the places held are too many to count: {}", box_text(parts)));
    return;
  }
  if (census->held != census->all) {
    picture.notes.push_back(fmt::format("{} of {} places unowned: of {}",
                                        to_string(census->all - census->held),
                                        to_string(census->all), box_text(parts)));
  }
  if (census->by_one == census->held) return;
  picture.notes.push_back(fmt::format("{} of {} places hold several elements",
                                      to_string(census->held - census->by_one),
                                      to_string(census->all)));
}

// The tensor view.

std::string digit_label(const axe::Iter& iter) {
  return fmt::format("{}:{}", to_string(iter.extent), axe::step_text(iter.stride, iter.axis));
}

/// The iters along a dimension, innermost first; those of extent 1 are left out.
std::vector<Digit> digits_of(std::span<const axe::Iter> block) {
  std::vector<Digit> digits;
  std::size_t length = 1;
  for (std::size_t i = block.size(); i-- > 0;) {
    if (block[i].extent == Int(1)) continue;
    const auto extent = static_cast<std::size_t>(block[i].extent.value());
    digits.push_back({extent, length, digit_label(block[i])});
    length *= extent;
  }
  return digits;
}

/// A layout, its tensor, its axes, and the picked element.
struct AxeDrawing {
  const axe::Layout& layout;
  const PictureOptions& options;
  const axe::AxisTable& table;
  AxeParts parts;
  Tensor tensor;
  std::optional<std::int64_t> picked;

  [[nodiscard]] static Result<AxeDrawing> make(const axe::Layout& layout,
                                               const PictureOptions& options,
                                               const axe::AxisTable& table) {
    HEDDLE_CHECK(check_colors(options, "coordinate", "coordinates"));
    HEDDLE_TRY(AxeParts parts, parts_of(layout, table));
    HEDDLE_TRY(Tensor tensor, Tensor::make(layout, options));
    HEDDLE_TRY(const auto picked, tensor.picked(options));
    return AxeDrawing{layout, options, table, std::move(parts), std::move(tensor), picked};
  }

  /// The picture of a grid, whose cells are called `noun`, with a note of its own.
  [[nodiscard]] Result<Picture> draw(Grid grid, const ColorRule& colors, std::string_view noun,
                                     const std::string& note) const {
    Picture picture;
    picture.title = options.title.value_or(axe::to_string(layout));
    picture.colors = colors.count();
    picture.legend = colors.legend();
    // The last two sides are those of a panel.
    for (std::optional<Side>* side : {&grid.columns, &grid.rows}) {
      if (grid.further.empty()) break;
      *side = std::move(grid.further.back());
      grid.further.pop_back();
    }
    grid.pattern = [&grid](Positions further) {
      if (!grid.rows) return std::string("_");
      std::string pattern = "(";
      for (std::size_t i = 0; i < further.size(); ++i)
        pattern += grid.further[i].position_text(further[i]) + ',';
      return pattern + "_,_)";
    };
    if (!options.facts) grid.fact_names.clear();
    const std::size_t max_cells = options.max_cells.value_or(kUsualNamedCells);
    HEDDLE_CHECK(check_room(grid, max_cells, picture.title, noun));
    HEDDLE_CHECK(add_panels(picture, grid, max_cells, options.limits));
    if (!note.empty()) picture.notes.push_back(note);
    add_copies_note(picture, parts);
    add_census_notes(picture, parts);
    if (picked) {
      picture.notes.push_back(fmt::format("element {}, index {}, is held by {}",
                                          tensor.text(*picked), *picked,
                                          full_text(parts, places_of(parts, *picked))));
    }
    return picture;
  }
};

/// Refuses if all elements with all their copies are too many.
Result<void> check_lists(const AxeDrawing& drawing) {
  const Int most = std::int64_t{1} << 26;
  if (drawing.options.max_cells.value_or(0) <= kMaxCells) return {};
  for (const AxisPart& part : drawing.parts.axes) {
    const Int all = Int(drawing.parts.size) * static_cast<std::int64_t>(part.replicas().size());
    if (known_at_most(all, most)) continue;
    return refuse("draw.too_large",
                  fmt::format("{} with {} each on axis {} are too many to list",
                              counted(drawing.parts.size, "element"),
                              counted(part.replicas().size(), "replica"), part.name()));
  }
  return {};
}

/// `1·4@laneid + 2·1@laneid + 1·1@m`
std::string sum_text(const axe::Layout& layout, std::int64_t index) {
  std::vector<std::string> terms;
  std::int64_t weight = axe::size(layout).value();
  for (const axe::Iter& iter : layout.shard()) {
    weight /= iter.extent.value();
    if (iter.extent == Int(1)) continue;
    terms.push_back(fmt::format("{}·{}", index / weight % iter.extent.value(),
                                axe::step_text(iter.stride, iter.axis)));
  }
  for (const auto& [axis, value] : layout.offset()) terms.push_back(axe::step_text(value, axis));
  return terms.empty() ? "0" : fmt::format("{}", fmt::join(terms, " + "));
}

Cell element_cell(const AxeDrawing& drawing, const PlaceColors& colors, std::int64_t index) {
  const auto& [layout, options, table, parts, tensor, picked] = drawing;
  const std::vector<Numbers> places = places_of(parts, index);
  const auto is_memory = [](AxisKind kind) { return kind == AxisKind::kMemory; };
  Cell cell;
  cell.text = short_text(parts, places, options.owners, std::not_fn(is_memory));
  cell.note = short_text(parts, places, options.owners, is_memory);
  if (!parts.is_owned()) cell.text = std::exchange(cell.note, {});
  // A single axis of addresses needs no name.
  if (!parts.is_owned() && parts.axes.size() == 1)
    cell.text = numbers_text(places.front(), options.owners);
  if (!picked || *picked == index) cell.color = colors.of(parts, places);
  if (options.elements) cell.elements = {index};
  if (options.facts) {
    cell.facts = {tensor.text(index), std::to_string(index), full_text(parts, places),
                  sum_text(layout, index)};
    add_axis_facts(cell, places);
  }
  return cell;
}

// The device view.

/// One dimension split where devices change.
struct Pieces {
  /// The digits on axes of devices, innermost first.
  std::vector<AxeDigit> devices;
  std::int64_t extent = 1;
  std::int64_t count = 1;
  /// The step between the coordinates of a piece, if it is the same throughout.
  std::optional<std::int64_t> step = 1;
  std::vector<Digit> digits;

  /// The number of coordinates in a piece.
  [[nodiscard]] std::int64_t length() const { return extent / count; }
  [[nodiscard]] std::int64_t begin(std::size_t piece) const {
    auto rest = static_cast<std::int64_t>(piece);
    std::int64_t first = 0;
    for (const AxeDigit& digit : devices) {
      first += rest % digit.extent * digit.weight;
      rest /= digit.extent;
    }
    return first;
  }

  /// `4:8`, `1:8:2`, or `2: 4 of 16` if it is no slice.
  [[nodiscard]] std::string text(std::size_t piece) const {
    const std::int64_t first = begin(piece);
    if (!step) return fmt::format("{}: {} of {}", first, length(), extent);
    if (*step == 1) return fmt::format("{}:{}", first, first + length());
    return fmt::format("{}:{}:{}", first, first + (length() - 1) * *step + 1, *step);
  }
};

Pieces pieces_of(std::span<const axe::Iter> block, std::int64_t extent,
                 const axe::AxisTable& axes) {
  Pieces pieces;
  pieces.extent = extent;
  std::string label;
  std::int64_t weight = 1;
  std::int64_t next = 0;
  for (std::size_t i = block.size(); i-- > 0;) {
    const axe::Iter& iter = block[i];
    const std::int64_t size = iter.extent.value();
    if (size == 1) continue;
    if (axes.kind(iter.axis) == AxisKind::kDevice && iter.stride != Int(0)) {
      pieces.devices.push_back({size, 0, weight});
      pieces.count *= size;
      label.insert(0, digit_label(iter) + (label.empty() ? "" : " "));
    } else {
      if (next == 0) pieces.step = weight;
      if (next != 0 && next != weight) pieces.step = std::nullopt;
      next = weight * size;
    }
    weight *= size;
  }
  if (!label.empty())
    pieces.digits = whole_side(static_cast<std::size_t>(pieces.count), std::move(label));
  return pieces;
}

// The hardware view.

class AxeHardwareDrawing {
 public:
  [[nodiscard]] static Result<AxeHardwareDrawing> make(AxeDrawing axe) {
    AxeHardwareDrawing drawing(std::move(axe));
    if (drawing.axe_.picked) drawing.picked_ = places_of(drawing.axe_.parts, *drawing.axe_.picked);
    HEDDLE_CHECK(drawing.choose_colors());
    drawing.choose_sides();
    return drawing;
  }

  [[nodiscard]] Result<Picture> draw() {
    Grid grid;
    if (is_folded_) {
      fold(grid);
    } else {
      for (const std::size_t i : sides_) grid.further.push_back(axis_side(axe_.parts.axes[i]));
    }
    grid.label = [&](Positions further) {
      std::vector<std::string> texts;
      for (std::size_t i = 0; i < further.size(); ++i) {
        const AxisPart& part = axe_.parts.axes[sides_[i]];
        texts.push_back(
            fmt::format("{} {}", part.name(), part.low() + static_cast<std::int64_t>(further[i])));
      }
      return fmt::format("{}", fmt::join(texts, ", "));
    };
    grid.is_empty = [&](Positions further) -> Result<bool> {
      for (std::size_t i = 0; i < further.size(); ++i) {
        const AxisPart& part = axe_.parts.axes[sides_[i]];
        const std::int64_t coordinate = part.low() + static_cast<std::int64_t>(further[i]);
        HEDDLE_TRY(const Numbers* numbers, sources_on(sides_[i], coordinate));
        if (numbers->empty()) return true;
      }
      return false;
    };
    grid.fact_names = {"place", "holds"};
    add_axis_names(grid.fact_names, axe_.parts);
    grid.cell = [&](Positions at) { return make_cell(at); };
    return axe_.draw(std::move(grid), rule_, "places", fixed_note());
  }

 private:
  static constexpr std::int64_t kLine = 32;

  explicit AxeHardwareDrawing(AxeDrawing drawing)
      : axe_(std::move(drawing)), sources_(axe_.parts.axes.size()) {}

  [[nodiscard]] Result<void> choose_colors() {
    std::vector<std::string> names;
    for (std::size_t dim = 0; dim < axe_.tensor.rank(); ++dim)
      names.push_back(fmt::format("dim{}", dim));
    const std::string name = axe_.options.color_by.value_or("dim0");
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) return no_such_color("dimension " + name, names);
    color_dim_ = static_cast<std::size_t>(found - names.begin());
    rule_ = color_rule(axe_.options, axe_.tensor.rank() == 1 ? "index" : name,
                       axe_.tensor.extent(color_dim_));
    return {};
  }

  /// A note lists the axes of one coordinate. Lanes go down, memory along.
  void choose_sides() {
    for (std::size_t i = 0; i < axe_.parts.axes.size(); ++i) {
      if (axe_.parts.axes[i].span() > 1) sides_.push_back(i);
    }
    if (sides_.empty()) sides_.push_back(0);
    is_folded_ = sides_.size() == 1 && axe_.parts.axes[sides_[0]].kind() == AxisKind::kMemory &&
                 axe_.parts.axes[sides_[0]].span() > kLine;
    // The rows are the last owners; axes of memory before the columns' become panels.
    const auto is_owner = [&](std::size_t i) {
      return axe_.parts.axes[i].kind() != AxisKind::kMemory;
    };
    const auto owners = static_cast<std::size_t>(std::ranges::count_if(sides_, is_owner));
    if (owners == 0 || owners + 2 > sides_.size()) return;
    const auto row = sides_.begin() + static_cast<std::ptrdiff_t>(owners) - 1;
    std::rotate(row, row + 1, sides_.end() - 1);
  }

  [[nodiscard]] static Side axis_side(const AxisPart& part) {
    const auto span = static_cast<std::size_t>(part.span());
    Side side{span, whole_side(span, part.name())};
    if (part.low() != 0) {
      side.text = [low = part.low()](std::size_t position) {
        return std::to_string(low + static_cast<std::int64_t>(position));
      };
    }
    return side;
  }

  [[nodiscard]] std::int64_t first_line() const {
    const std::int64_t low = axe_.parts.axes[sides_[0]].low();
    return low / kLine - (low % kLine < 0 ? 1 : 0);
  }

  /// Splits memory into lines, each with the address it begins at.
  void fold(Grid& grid) const {
    const std::int64_t first = first_line();
    const std::int64_t high = axe_.parts.axes[sides_[0]].high();
    const std::int64_t last = high / kLine - (high % kLine < 0 ? 1 : 0);
    const auto lines = static_cast<std::size_t>(last - first + 1);
    grid.further.push_back(
        {lines, whole_side(lines, axe_.parts.axes[sides_[0]].name()), [first](std::size_t line) {
           return std::to_string((first + static_cast<std::int64_t>(line)) * kLine);
         }});
    grid.further.push_back({static_cast<std::size_t>(kLine), {}});
  }

  [[nodiscard]] Result<Cell> make_cell(std::span<const std::size_t> at) {
    Numbers place;
    for (const AxisPart& part : axe_.parts.axes) place.push_back(part.low());
    if (is_folded_) {
      const AxisPart& part = axe_.parts.axes[sides_[0]];
      place[sides_[0]] = (first_line() + static_cast<std::int64_t>(at[0])) * kLine +
                         static_cast<std::int64_t>(at[1]);
      if (place[sides_[0]] < part.low() || place[sides_[0]] > part.high()) {
        const std::size_t facts = axe_.options.facts ? 2 + axe_.parts.axes.size() : 0;
        return Cell{"", "", kPlain, std::vector<std::string>(facts)};
      }
    } else {
      for (std::size_t i = 0; i < at.size(); ++i)
        place[sides_[i]] += static_cast<std::int64_t>(at[i]);
    }
    HEDDLE_TRY(const Held held, elements_of(place));
    return cell_of(place, held);
  }

  /// The least elements of a place, and the number of its elements.
  struct Held {
    Numbers first;
    Int count = 1;
  };

  [[nodiscard]] Cell cell_of(const Numbers& place, const Held& held) const {
    Cell cell;
    if (held.first.empty()) {
      cell.text = "·";
      cell.color = kHatched;
    } else {
      cell.text = axe_.tensor.text(held.first.front());
      cell.note = others_text(held, std::max<std::size_t>(axe_.options.owners, 1));
      if (is_picked(place))
        cell.color = rule_.of(axe_.tensor.coordinate(color_dim_, held.first.front()));
      const bool are_all = known_at_most(held.count, static_cast<std::int64_t>(held.first.size()));
      if (axe_.options.elements && are_all) cell.elements = held.first;
    }
    if (!axe_.options.facts) return cell;
    std::vector<Numbers> places;
    for (const std::int64_t coordinate : place) places.push_back({coordinate});
    std::string all = held.first.empty() ? "nothing" : axe_.tensor.text(held.first.front());
    if (known_less(1, held.count)) all += ' ' + others_text(held, kMostInList);
    cell.facts = {full_text(axe_.parts, places), all};
    add_axis_facts(cell, places);
    return cell;
  }

  /// The elements after the first: `(0,1)|(0,2) +5`.
  [[nodiscard]] std::string others_text(const Held& held, std::size_t most) const {
    if (known_at_most(held.count, 1)) return {};
    std::vector<std::string> texts;
    for (std::size_t i = 1; i < std::min(held.first.size(), most); ++i)
      texts.push_back(axe_.tensor.text(held.first[i]));
    const Int rest = held.count - static_cast<std::int64_t>(texts.size() + 1);
    const std::string text = fmt::format("{}", fmt::join(texts, "|"));
    if (rest == Int(0)) return text;
    return fmt::format("{}{}+{}", text, text.empty() ? "" : " ", to_string(rest));
  }

  [[nodiscard]] bool is_picked(const Numbers& place) const {
    for (std::size_t i = 0; i < picked_.size(); ++i) {
      if (!std::ranges::binary_search(picked_[i], place[i])) return false;
    }
    return true;
  }

  /// The elements of a place are sums of one number for each axis, and of those of digits that move
  /// nothing.
  [[nodiscard]] Result<Held> elements_of(const Numbers& place) {
    Held held{{0}, 1};
    for (std::size_t i = 0; i < axe_.parts.axes.size(); ++i) {
      HEDDLE_TRY(const Numbers* numbers, sources_on(i, place[i]));
      held.count *= static_cast<std::int64_t>(numbers->size());
    }
    for (const AxeDigit& digit : axe_.parts.still) held.count *= digit.extent;
    const std::size_t most = listed_of(held.count);
    for (std::size_t i = 0; i < axe_.parts.axes.size(); ++i) {
      HEDDLE_TRY(const Numbers* numbers, sources_on(i, place[i]));
      held.first = least_sums(held.first, *numbers, most);
    }
    for (const AxeDigit& digit : axe_.parts.still) {
      Numbers numbers;
      for (std::int64_t i = 0; i < std::min(digit.extent, static_cast<std::int64_t>(most)); ++i)
        numbers.push_back(i * digit.weight);
      held.first = least_sums(held.first, numbers, most);
    }
    return held;
  }

  /// How many of the elements of a place are listed: all if they are asked for and the whole
  /// picture lists few enough.
  [[nodiscard]] std::size_t listed_of(const Int& count) {
    const std::size_t most = std::max(axe_.options.owners, axe_.options.facts ? kMostInList : 1);
    if (!axe_.options.elements || !known_at_most(count, listed_)) return most;
    listed_ -= count.value();
    return std::max(most, static_cast<std::size_t>(count.value()));
  }

  static Numbers least_sums(const Numbers& a, const Numbers& b, std::size_t most) {
    Numbers sums;
    for (const std::int64_t x : a) {
      for (std::size_t i = 0; i < std::min(b.size(), most); ++i) sums.push_back(x + b[i]);
    }
    std::ranges::sort(sums);
    if (sums.size() > most) sums.resize(most);
    return sums;
  }

  [[nodiscard]] Result<const Numbers*> sources_on(std::size_t axis, std::int64_t coordinate) {
    const auto known = sources_[axis].find(coordinate);
    if (known != sources_[axis].end()) return &known->second;
    auto found = axe_.parts.axes[axis].sources(coordinate, lookups_);
    if (!found) {
      return refuse(
          Diagnostic(
              "draw.too_large",
              fmt::format(
                  "the places of {} on axis {} are reached in too many ways to list in {} steps",
                  axe::to_string(axe_.layout), axe_.parts.axes[axis].name(), kMaxLookups))
              .with_hint("--view tensor lists none"));
    }
    return &sources_[axis].emplace(coordinate, *std::move(found)).first->second;
  }

  /// `all places are at warpid 5`
  [[nodiscard]] std::string fixed_note() const {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < axe_.parts.axes.size(); ++i) {
      if (std::ranges::find(sides_, i) == sides_.end()) {
        texts.push_back(fmt::format("{} {}", axe_.parts.axes[i].name(), axe_.parts.axes[i].low()));
      }
    }
    return texts.empty() ? "" : fmt::format("all places are at {}", fmt::join(texts, ", "));
  }

  AxeDrawing axe_;
  std::vector<std::map<std::int64_t, Numbers>> sources_;
  std::size_t lookups_ = kMaxLookups;
  /// How many elements the cells may still list.
  std::int64_t listed_ = static_cast<std::int64_t>(kMaxLookups);
  std::vector<Numbers> picked_;
  std::size_t color_dim_ = 0;
  ColorRule rule_;
  std::vector<std::size_t> sides_;
  bool is_folded_ = false;
};

}  // namespace

Result<Picture> tensor_picture(const axe::Layout& layout, const PictureOptions& options,
                               const axe::AxisTable& axes) {
  HEDDLE_TRY(const AxeDrawing drawing, AxeDrawing::make(layout, options, axes));
  HEDDLE_TRY(const PlaceColors colors, place_colors(drawing.parts, options));
  HEDDLE_CHECK(check_lists(drawing));
  const auto grouping = axe::group(layout, drawing.tensor.shape());
  Grid grid;
  for (std::size_t dim = 0; dim < drawing.tensor.rank(); ++dim) {
    Side side{static_cast<std::size_t>(drawing.tensor.extent(dim)), {}};
    if (grouping) side.digits = digits_of(grouping->block(dim));
    grid.further.push_back(std::move(side));
  }
  grid.label = [](Positions further) { return fmt::format("({},_,_)", fmt::join(further, ",")); };
  grid.fact_names = {"element", "index", "held by", "digits"};
  add_axis_names(grid.fact_names, drawing.parts);
  grid.cell = [&](Positions at) {
    std::int64_t index = 0;
    for (std::size_t dim = 0; dim < at.size(); ++dim)
      index += static_cast<std::int64_t>(at[dim]) * drawing.tensor.weight(dim);
    return element_cell(drawing, colors, index);
  };
  return drawing.draw(std::move(grid), colors.rule, "elements", names_note(drawing.parts));
}

Result<Picture> hardware_picture(const axe::Layout& layout, const PictureOptions& options,
                                 const axe::AxisTable& axes) {
  HEDDLE_TRY(AxeDrawing drawing, AxeDrawing::make(layout, options, axes));
  HEDDLE_TRY(AxeHardwareDrawing hardware, AxeHardwareDrawing::make(std::move(drawing)));
  return hardware.draw();
}

Result<Picture> device_picture(const axe::Layout& layout, const PictureOptions& options,
                               const axe::AxisTable& axes) {
  HEDDLE_TRY(const AxeDrawing drawing, AxeDrawing::make(layout, options, axes));
  HEDDLE_TRY(const PlaceColors colors, place_colors(drawing.parts, options));
  const auto is_device = [](AxisKind kind) { return kind == AxisKind::kDevice; };
  if (std::ranges::none_of(drawing.parts.axes, is_device, &AxisPart::kind)) {
    return refuse(
        Diagnostic("draw.devices",
                   fmt::format("{} uses no axis of devices", axe::to_string(layout)))
            .with_hint("devices are on gpuid, pid and node; the tensor view shows threads"));
  }
  HEDDLE_TRY(const axe::Grouping grouping, axe::group(layout, drawing.tensor.shape()));
  std::vector<Pieces> dims;
  Numbers lengths;
  for (std::size_t dim = 0; dim < drawing.tensor.rank(); ++dim) {
    dims.push_back(pieces_of(grouping.block(dim), drawing.tensor.extent(dim), axes));
    lengths.push_back(dims.back().length());
  }
  Grid grid;
  for (const Pieces& dim : dims) {
    grid.further.push_back({static_cast<std::size_t>(dim.count), dim.digits,
                            [&dim](std::size_t piece) { return dim.text(piece); }});
  }
  const auto slices = [&](Positions at) {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < at.size(); ++i) texts.push_back(dims[i].text(at[i]));
    return fmt::format("{}", fmt::join(texts, ", "));
  };
  grid.label = [&](Positions further) { return fmt::format("[{}, _, _]", slices(further)); };
  grid.fact_names = {"region", "devices"};
  grid.cell = [&](Positions at) {
    std::int64_t index = 0;
    for (std::size_t i = 0; i < at.size(); ++i)
      index += dims[i].begin(at[i]) * drawing.tensor.weight(i);
    const std::vector<Numbers> places = places_of(drawing.parts, index);
    Cell cell{short_text(drawing.parts, places, options.owners, is_device),
              fmt::format("{}", fmt::join(lengths, "x")),
              colors.of(drawing.parts, places),
              {}};
    if (options.facts) {
      cell.facts = {fmt::format("[{}]", slices(at)),
                    short_text(drawing.parts, places, kMostInList, is_device)};
    }
    return cell;
  };
  return drawing.draw(std::move(grid), colors.rule, "regions", names_note(drawing.parts));
}

}  // namespace heddle::draw
