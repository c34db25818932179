#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "draw/colors.h"
#include "draw/grid.h"
#include "expr/numbers_text.h"
#include "heddle/draw/view.h"

namespace heddle::draw {
namespace {

using Coordinates = std::vector<std::int64_t>;

/// A set-valued function on a box of constants, of which the picture shows the image.
struct MemoryMap {
  std::string title;
  Coordinates extents;
  /// The first index along each dimension.
  Coordinates begins;
  std::vector<std::string> names;
  form::FlatOrder order = form::FlatOrder::kFirstFastest;
  std::function<Result<std::vector<std::vector<Int>>>(std::span<const Int> point)> images;

  [[nodiscard]] Int size() const {
    Int size = 1;
    for (const std::int64_t extent : extents) size *= extent;
    return size;
  }

  /// The point with the number `flat`.
  [[nodiscard]] Coordinates point(std::int64_t flat) const {
    Coordinates point(extents.size());
    for (std::size_t i = 0; i < extents.size(); ++i) {
      const bool is_first_fastest = order == form::FlatOrder::kFirstFastest;
      const std::size_t dimension = is_first_fastest ? i : extents.size() - 1 - i;
      point[dimension] = begins[dimension] + flat % extents[dimension];
      flat /= extents[dimension];
    }
    return point;
  }

  [[nodiscard]] std::string text(std::int64_t flat) const {
    const Coordinates at = point(flat);
    return at.size() == 1 ? std::to_string(at[0]) : fmt::format("({})", fmt::join(at, ","));
  }
};

/// One element in one place, which is a number within the box of all places.
struct HeldElement {
  std::int64_t place = 0;
  std::int64_t element = 0;

  friend auto operator<=>(const HeldElement&, const HeldElement&) = default;
};

/// The places from the least to the greatest coordinate on an axis.
struct PlaceAxis {
  std::int64_t low = 0;
  std::int64_t high = 0;

  [[nodiscard]] std::int64_t span() const { return high - low + 1; }
};

/// The elements of each place.
class Memory {
 public:
  /// Refuses `draw.too_large`, `draw.symbolic`, and what evaluating the map refuses.
  [[nodiscard]] static Result<Memory> make(const MemoryMap& map, const map::Limits& limits) {
    if (!known_at_most(map.size(), kMaxCells))
      return refuse(too_many_cells(map.title, to_string(map.size()), "elements"));
    Memory memory;
    std::vector<Coordinates> places;
    std::vector<std::int64_t> elements;
    for (std::int64_t flat = 0; flat < map.size().value(); ++flat) {
      HEDDLE_CHECK(check_time(limits));
      const Coordinates at = map.point(flat);
      HEDDLE_TRY(const auto images, map.images(std::vector<Int>(at.begin(), at.end())));
      memory.most_copies_ = std::max(memory.most_copies_, images.size());
      for (const std::vector<Int>& image : images) {
        HEDDLE_TRY(places.emplace_back(), constants(image, map.title));
        // A space without axes is one place.
        if (places.back().empty()) places.back().push_back(0);
        elements.push_back(flat);
        // Places are few: no element may have many.
        if (places.size() > kMaxLookupsOfMemory)
          return refuse(too_many_cells(map.title, "more than 2^22", "places of elements"));
      }
    }
    HEDDLE_CHECK(memory.measure(places, map.title));
    for (std::size_t i = 0; i < places.size(); ++i)
      memory.held_.push_back({memory.number_of(places[i]), elements[i]});
    std::ranges::sort(memory.held_);
    return memory;
  }

  [[nodiscard]] const std::vector<PlaceAxis>& axes() const { return axes_; }
  [[nodiscard]] std::size_t most_copies() const { return most_copies_; }

  [[nodiscard]] std::int64_t number_of(const Coordinates& place) const {
    std::int64_t number = 0;
    for (std::size_t i = 0; i < axes_.size(); ++i)
      number = number * axes_[i].span() + (place[i] - axes_[i].low);
    return number;
  }

  /// The elements of a place, ascending.
  [[nodiscard]] std::vector<std::int64_t> elements_of(const Coordinates& place) const {
    const auto range = std::ranges::equal_range(held_, number_of(place), {}, &HeldElement::place);
    std::vector<std::int64_t> elements;
    for (const HeldElement& held : range) elements.push_back(held.element);
    return elements;
  }

  /// What is unowned, and what is shared.
  [[nodiscard]] std::vector<std::string> notes() const {
    std::int64_t owned = 0;
    std::int64_t shared = 0;
    for (auto at = held_.begin(); at != held_.end();) {
      const auto next =
          std::find_if(at, held_.end(), [&](const HeldElement& h) { return h.place != at->place; });
      ++owned;
      if (next - at > 1) ++shared;
      at = next;
    }
    Int all = 1;
    for (const PlaceAxis& axis : axes_) all *= axis.span();
    std::vector<std::string> notes;
    if (all != Int(owned))
      notes.push_back(
          fmt::format("{} of {} places unowned", to_string(all - owned), to_string(all)));
    if (shared > 0)
      notes.push_back(fmt::format("{} of {} places hold several elements", shared, to_string(all)));
    if (most_copies_ > 1)
      notes.push_back(fmt::format("elements are held in up to {} places", most_copies_));
    return notes;
  }

 private:
  static constexpr std::size_t kMaxLookupsOfMemory = std::size_t{1} << 22;

  static Result<Coordinates> constants(const std::vector<Int>& image, std::string_view title) {
    Coordinates place;
    for (const Int& coordinate : image) {
      if (!coordinate.is_constant()) {
        return refuse("draw.symbolic", fmt::format("a picture shows numbers, and the place {} of "
                                                   "{} has no value",
                                                   coordinate, title));
      }
      place.push_back(coordinate.value());
    }
    return place;
  }

  [[nodiscard]] Result<void> measure(const std::vector<Coordinates>& places,
                                     std::string_view title) {
    if (places.empty()) {
      axes_.emplace_back();
      return {};
    }
    for (const std::int64_t coordinate : places.front()) axes_.push_back({coordinate, coordinate});
    for (const Coordinates& place : places) {
      for (std::size_t i = 0; i < axes_.size(); ++i) {
        axes_[i].low = std::min(axes_[i].low, place[i]);
        axes_[i].high = std::max(axes_[i].high, place[i]);
      }
    }
    Int all = 1;
    for (const PlaceAxis& axis : axes_) all *= Int(axis.high) - axis.low + 1;
    if (known_at_most(all, std::int64_t{1} << 60)) return {};
    return refuse("draw.too_large", fmt::format("the places of {} span more than 2^60", title));
  }

  std::vector<PlaceAxis> axes_;
  std::vector<HeldElement> held_;
  std::size_t most_copies_ = 0;
};

/// Draws the places: a memory of one axis in lines, coordinates on the last two axes.
class MemoryDrawing {
 public:
  [[nodiscard]] static Result<MemoryDrawing> make(const MemoryMap& map,
                                                  const PictureOptions& options) {
    HEDDLE_CHECK(check_colors(options, "coordinate", "coordinates"));
    HEDDLE_TRY(const Banks banks, Banks::make(options));
    HEDDLE_TRY(Memory memory, Memory::make(map, options.limits));
    MemoryDrawing drawing(map, options, banks, std::move(memory));
    HEDDLE_CHECK(drawing.choose_memory_colors());
    return drawing;
  }

  [[nodiscard]] Result<Picture> draw() const {
    Picture picture;
    picture.title = options_.title.value_or(map_.title);
    picture.colors = rule_.count();
    picture.legend = rule_.legend();
    Grid grid = make_grid();
    const std::size_t most = options_.max_cells.value_or(kUsualNamedCells);
    HEDDLE_CHECK(check_room(grid, most, picture.title, "places"));
    HEDDLE_CHECK(add_panels(picture, grid, most, options_.limits));
    for (std::string& note : memory_.notes()) picture.notes.push_back(std::move(note));
    return picture;
  }

 private:
  MemoryDrawing(const MemoryMap& map, const PictureOptions& options, const Banks& banks,
                Memory memory)
      : map_(map), options_(options), banks_(banks), memory_(std::move(memory)) {}

  /// By the coordinate of an element along one dimension, the first by default.
  [[nodiscard]] Result<void> choose_memory_colors() {
    const std::string name = options_.color_by.value_or(map_.names.front());
    const auto found = std::ranges::find(map_.names, name);
    if (found == map_.names.end()) return no_such_color("dimension " + name, map_.names);
    color_dimension_ = static_cast<std::size_t>(found - map_.names.begin());
    const bool is_index = map_.names.size() == 1;
    rule_ = color_rule(options_, is_index ? "index" : "coordinate " + name,
                       map_.extents[color_dimension_]);
    return {};
  }

  [[nodiscard]] bool is_line() const { return memory_.axes().size() == 1; }
  /// Elements in a line: a round of the banks, 32 words unless the options say otherwise.
  [[nodiscard]] std::int64_t line() const { return banks_.elements_in_round().value_or(32); }
  [[nodiscard]] std::int64_t first_line() const {
    const std::int64_t low = memory_.axes()[0].low;
    return low / line() - (low % line() < 0 ? 1 : 0);
  }
  [[nodiscard]] bool is_in_lines() const { return is_line() && memory_.axes()[0].span() > line(); }

  [[nodiscard]] Grid make_grid() const {
    Grid grid;
    if (is_in_lines()) {
      add_lines(grid);
    } else {
      for (const PlaceAxis& axis : memory_.axes()) grid.further.push_back(side_of(axis));
      grid.columns = take_last(grid);
      if (!grid.further.empty()) grid.rows = take_last(grid);
    }
    grid.pattern = [this](Positions further) { return pattern(further); };
    if (options_.facts) grid.fact_names = {"place", "holds", "bank"};
    grid.cell = [this](Positions at) { return make_cell(at); };
    return grid;
  }

  [[nodiscard]] static std::optional<Side> take_last(Grid& grid) {
    Side side = std::move(grid.further.back());
    grid.further.pop_back();
    return side;
  }

  [[nodiscard]] std::string pattern(Positions further) const {
    if (is_line()) return is_in_lines() ? "(_,_)" : "_";
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < further.size(); ++i)
      parts.push_back(
          std::to_string(memory_.axes()[i].low + static_cast<std::int64_t>(further[i])));
    parts.insert(parts.end(), 2, "_");
    return fmt::format("({})", fmt::join(parts, ","));
  }

  [[nodiscard]] static Side side_of(const PlaceAxis& axis) {
    Side side{static_cast<std::size_t>(axis.span()), {}};
    if (axis.low == 0) return side;
    side.text = [low = axis.low](std::size_t position) {
      return std::to_string(low + static_cast<std::int64_t>(position));
    };
    return side;
  }

  /// Lines, each with the place at which it begins.
  void add_lines(Grid& grid) const {
    const std::int64_t high = memory_.axes()[0].high;
    const std::int64_t last = high / line() - (high % line() < 0 ? 1 : 0);
    Side lines{static_cast<std::size_t>(last - first_line() + 1), {}};
    lines.text = [first = first_line(), length = line()](std::size_t at) {
      return std::to_string((first + static_cast<std::int64_t>(at)) * length);
    };
    grid.rows = std::move(lines);
    grid.columns = Side{static_cast<std::size_t>(line()), line_digits()};
  }

  /// The banks above a line, if the options ask for them.
  [[nodiscard]] std::vector<Digit> line_digits() const {
    if (!draw::has_banks(options_)) return {};
    const auto banks = static_cast<std::size_t>(banks_.count);
    const auto length = static_cast<std::size_t>(line());
    if (length <= banks) return whole_side(length, "element");
    return {{length / banks, 1, "element"}, {banks, length / banks, "bank"}};
  }

  [[nodiscard]] Coordinates place_at(Positions at) const {
    Coordinates place;
    if (is_in_lines()) {
      place.push_back((first_line() + static_cast<std::int64_t>(at[0])) * line() +
                      static_cast<std::int64_t>(at[1]));
      return place;
    }
    for (std::size_t i = 0; i < memory_.axes().size(); ++i)
      place.push_back(memory_.axes()[i].low + static_cast<std::int64_t>(at[i]));
    return place;
  }

  [[nodiscard]] Cell make_cell(Positions at) const {
    const Coordinates place = place_at(at);
    const PlaceAxis& first = memory_.axes().front();
    const bool is_outside = place[0] < first.low || place[0] > first.high;
    const std::vector<std::int64_t> elements =
        is_outside ? std::vector<std::int64_t>() : memory_.elements_of(place);
    Cell cell = is_outside ? Cell{} : cell_of(elements);
    if (options_.elements) cell.elements = elements;
    if (!options_.facts) return cell;
    const std::string bank = draw::has_banks(options_) && is_line() && place[0] >= 0
                                 ? banks_.text(place[0]).substr(1)
                                 : "";
    cell.facts = {
        place.size() == 1 ? std::to_string(place[0]) : fmt::format("({})", fmt::join(place, ",")),
        elements.empty() ? "nothing" : texts_of(elements, 0, kMostInFact), bank};
    return cell;
  }

  static constexpr std::size_t kMostInFact = 32;

  [[nodiscard]] Cell cell_of(const std::vector<std::int64_t>& elements) const {
    if (elements.empty()) return {"·", "", kHatched, {}};
    Cell cell;
    cell.text = map_.text(elements.front());
    cell.note = texts_of(elements, 1, std::max<std::size_t>(options_.owners, 1));
    const std::int64_t coordinate = map_.point(elements.front())[color_dimension_];
    cell.color = rule_.of(coordinate - map_.begins[color_dimension_]);
    return cell;
  }

  /// The elements from the one with the number `first` on: `(0,1)|(0,2) +5`.
  [[nodiscard]] std::string texts_of(const std::vector<std::int64_t>& elements, std::size_t first,
                                     std::size_t most) const {
    std::vector<std::string> texts;
    for (std::size_t i = first; i < std::min(elements.size(), most); ++i)
      texts.push_back(map_.text(elements[i]));
    const std::string text = fmt::format("{}", fmt::join(texts, "|"));
    if (elements.size() <= std::max(most, first)) return text;
    return fmt::format("{}{}+{}", text, text.empty() ? "" : " ",
                       elements.size() - std::max(most, first));
  }

  const MemoryMap& map_;
  const PictureOptions& options_;
  Banks banks_;
  Memory memory_;
  std::size_t color_dimension_ = 0;
  ColorRule rule_;
};

/// Refuses `draw.symbolic` for a size that is not a constant.
Result<Coordinates> constant_extents(std::span<const Int> extents, std::string_view title) {
  Coordinates sizes;
  for (const Int& extent : extents) {
    if (!extent.is_constant()) {
      return refuse("draw.symbolic", fmt::format("a picture shows numbers, and {} of {} has no "
                                                 "value",
                                                 extent, title));
    }
    sizes.push_back(extent.value());
  }
  return sizes;
}

Result<Picture> draw_memory(MemoryMap map, const PictureOptions& options) {
  if (map.extents.empty()) {
    map.extents = {1};
    map.begins = {0};
    map.names = {"c0"};
    map.images = [images = map.images](std::span<const Int>) { return images({}); };
  }
  HEDDLE_TRY(const MemoryDrawing drawing, MemoryDrawing::make(map, options));
  return drawing.draw();
}

}  // namespace

Result<Picture> memory_picture(const map::View& view, const PictureOptions& options) {
  MemoryMap map;
  map.title = options.title.value_or(std::string(map::description(view.system)));
  HEDDLE_TRY(map.extents, constant_extents(view.extents, map.title));
  map.begins.assign(map.extents.size(), 0);
  map.names = view.names;
  map.order = view.order;
  // A point that a LEGO layout leaves out is nowhere.
  map.images = [&](std::span<const Int> point) -> Result<std::vector<std::vector<Int>>> {
    HEDDLE_TRY(auto images, map::images(view, point));
    if (view.leaves_out)
      std::erase_if(images, [](const auto& image) { return known_less(image.front(), 0); });
    return images;
  };
  return draw_memory(std::move(map), options);
}

Result<Picture> memory_picture(const map::IntegerRelation& relation,
                               const PictureOptions& options) {
  MemoryMap map;
  map.title = relation.text();
  HEDDLE_TRY(const auto bounds, map::domain_bounds(relation));
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    map.begins.push_back(bounds[i].first.value());
    map.extents.push_back((bounds[i].second - bounds[i].first + 1).value());
    map.names.push_back(fmt::format("c{}", i));
  }
  map.order = form::FlatOrder::kLastFastest;
  map.images = [&](std::span<const Int> point) { return map::images(relation, point); };
  return draw_memory(std::move(map), options);
}

}  // namespace heddle::draw
