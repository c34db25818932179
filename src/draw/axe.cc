#include "heddle/draw/axe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "axe/layout/iters.h"
#include "draw/axe_grid.h"
#include "draw/axe_places.h"
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
  [[nodiscard]] static Result<Tensor> make(const axe::Layout& layout, const AxeOptions& options) {
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

  /// `(1,5)`, or `21` of one dimension.
  [[nodiscard]] std::string text(std::int64_t index) const {
    if (rank() == 1) return std::to_string(index);
    Numbers point;
    for (std::size_t dim = 0; dim < rank(); ++dim) point.push_back(coordinate(dim, index));
    return fmt::format("({})", fmt::join(point, ","));
  }

  /// The index that the options pick. Refuses `draw.tv`.
  [[nodiscard]] Result<std::optional<std::int64_t>> picked(const AxeOptions& options) const {
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

Result<void> check_colors(const AxeOptions& options) {
  if (options.modulus < 0 || options.modulus > kMaxColors) {
    return refuse("draw.color",
                  fmt::format("colours go by the coordinate modulo 1 to {}, not modulo {}",
                              kMaxColors, options.modulus));
  }
  if (options.run >= 1) return {};
  return refuse("draw.color", fmt::format("runs of {} coordinates cannot share a colour; a run "
                                          "has at least 1",
                                          options.run));
}

/// A number below `size`, unless that is past 64 bits, and the colour it gives.
struct ColorRule {
  std::string name;
  Int size = 1;
  std::int64_t run = 1;
  std::int64_t modulus = 0;

  /// How many colours there are: no more than runs of the number.
  [[nodiscard]] std::size_t count() const {
    if (name.empty()) return 0;
    const Int runs = floor_div(size + run - 1, Int(run));
    return known_at_most(runs, modulus) ? to_count(runs) : static_cast<std::size_t>(modulus);
  }
  [[nodiscard]] std::size_t of(const Int& number) const {
    if (count() == 0 || !number.is_constant()) return kPlain;
    return static_cast<std::size_t>(number.value() / run) % count();
  }
  [[nodiscard]] std::string legend() const {
    if (count() == 0) return {};
    const std::string number = run == 1 ? name : fmt::format("floor({} / {})", name, run);
    const bool is_whole = known_at_most(size, Int(run) * static_cast<std::int64_t>(count()));
    return is_whole ? number : fmt::format("{} mod {}", number, count());
  }

 private:
  static std::size_t to_count(const Int& number) {
    return static_cast<std::size_t>(std::max<std::int64_t>(number.value(), 1));
  }
};

Refusal no_such_color(std::string_view name, const std::vector<std::string>& names) {
  return refuse("draw.color", fmt::format("no {} decides about the colours of this view: there "
                                          "are ({})",
                                          name, fmt::join(names, ", ")));
}

/// Colours by the place of an element.
class PlaceColors {
 public:
  [[nodiscard]] static Result<PlaceColors> make(const AxeParts& parts, const AxeOptions& options) {
    PlaceColors colors;
    if (options.color_by) {
      const AxisPart* part = parts.find(*options.color_by);
      if (part == nullptr) return no_such_color("axis " + *options.color_by, names_of(parts));
      colors.parts_ = {static_cast<std::size_t>(part - parts.axes.data())};
    } else {
      colors.choose(parts);
    }
    if (options.modulus > 0) colors.number(parts, options);
    return colors;
  }

  [[nodiscard]] const ColorRule& rule() const { return rule_; }

  /// The least of its places decides.
  [[nodiscard]] std::size_t of(const AxeParts& parts, const std::vector<Numbers>& places) const {
    Int number = 0;
    for (const std::size_t i : parts_) {
      const AxisPart& part = parts.axes[i];
      number = number * part.span() + (places[i].front() - origin_of(part));
    }
    return rule_.of(number);
  }

 private:
  /// One axis counts by its coordinates as they are, unless they are negative.
  [[nodiscard]] std::int64_t origin_of(const AxisPart& part) const {
    return parts_.size() == 1 ? std::min<std::int64_t>(part.low(), 0) : part.low();
  }

  void number(const AxeParts& parts, const AxeOptions& options) {
    std::vector<std::string> names;
    for (const std::size_t i : parts_) {
      const AxisPart& part = parts.axes[i];
      names.push_back(part.name());
      rule_.size *= part.high() - origin_of(part) + 1;
    }
    rule_.name = fmt::format("owner ({})", fmt::join(names, ", "));
    rule_.run = options.run;
    rule_.modulus = options.modulus;
    if (names.size() > 1) return;
    const std::int64_t origin = origin_of(parts.axes[parts_.front()]);
    rule_.name = origin == 0 ? names.front() : fmt::format("{} + {}", names.front(), -origin);
  }

  void choose(const AxeParts& parts) {
    for (const AxisKind kind : {AxisKind::kDevice, AxisKind::kThread, AxisKind::kMemory}) {
      for (std::size_t i = 0; i < parts.axes.size(); ++i) {
        if (parts.axes[i].kind() == kind && parts.axes[i].span() > 1) parts_.push_back(i);
      }
      if (!parts_.empty()) return;
    }
    parts_.push_back(0);
  }

  static std::vector<std::string> names_of(const AxeParts& parts) {
    std::vector<std::string> names;
    for (const AxisPart& part : parts.axes) names.push_back(part.name());
    return names;
  }

  std::vector<std::size_t> parts_;
  ColorRule rule_;
};

// Texts.

/// `w5,9 l6` of the axes for which `takes(kind)` holds.
template <class Takes>
std::string short_text(const AxeParts& parts, const std::vector<Numbers>& places, std::size_t most,
                       Takes takes) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < parts.axes.size(); ++i) {
    if (takes(parts.axes[i].kind()))
      texts.push_back(parts.axes[i].short_name() + list_text(places[i], most));
  }
  return fmt::format("{}", fmt::join(texts, " "));
}

/// `warpid 5,9, laneid 6, m 1`
std::string full_text(const AxeParts& parts, const std::vector<Numbers>& places) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < parts.axes.size(); ++i)
    texts.push_back(fmt::format("{} {}", parts.axes[i].name(), list_text(places[i], kMostInList)));
  return fmt::format("{}", fmt::join(texts, "; "));
}

std::vector<Numbers> places_of(const AxeParts& parts, std::int64_t index) {
  std::vector<Numbers> places;
  for (const AxisPart& part : parts.axes) places.push_back(part.coordinates(index));
  return places;
}

// Notes.

/// `w = warpid, l = laneid`, of names that are not written out.
void add_names_note(Picture& picture, const AxeParts& parts) {
  std::vector<std::string> names;
  for (const AxisPart& part : parts.axes) {
    if (!part.short_name().starts_with(part.name()))
      names.push_back(fmt::format("{} = {}", part.short_name(), part.name()));
  }
  if (!names.empty()) picture.notes.push_back(fmt::format("{}", fmt::join(names, ", ")));
}

void add_copies_note(Picture& picture, const AxeParts& parts) {
  const auto copies = parts.copies();
  if (copies == std::optional<std::int64_t>(1)) return;
  std::vector<std::string> texts;
  for (const AxisPart& part : parts.axes) {
    if (part.replicas().size() == 1) continue;
    texts.push_back(fmt::format("{} +{}", part.name(), list_text(part.replicas(), kMostInList)));
  }
  picture.notes.push_back(fmt::format("each element is held in {} places: {}",
                                      copies ? std::to_string(*copies) : "more than 2^63",
                                      fmt::join(texts, ", ")));
}

/// How many places there are, how many of them are held, and how many by one element alone.
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

/// What is common to the views of the tensor.
class TensorView {
 public:
  TensorView(const axe::Layout& layout, const AxeOptions& options, AxeParts parts, Tensor tensor,
             PlaceColors colors, std::optional<std::int64_t> picked)
      : layout_(layout),
        options_(options),
        parts_(std::move(parts)),
        tensor_(std::move(tensor)),
        colors_(std::move(colors)),
        picked_(picked) {}

  [[nodiscard]] static Result<TensorView> make(const axe::Layout& layout,
                                               const AxeOptions& options) {
    HEDDLE_CHECK(check_colors(options));
    HEDDLE_TRY(AxeParts parts, parts_of(layout, options.axes));
    HEDDLE_TRY(Tensor tensor, Tensor::make(layout, options));
    HEDDLE_TRY(const auto picked, tensor.picked(options));
    HEDDLE_TRY(PlaceColors colors, PlaceColors::make(parts, options));
    return TensorView(layout, options, std::move(parts), std::move(tensor), std::move(colors),
                      picked);
  }

  [[nodiscard]] Result<Picture> draw() const {
    HEDDLE_CHECK(check_lists());
    const auto grouping = axe::group(layout_, tensor_.shape());
    AxeGrid grid;
    for (std::size_t dim = 0; dim < tensor_.rank(); ++dim) {
      GridSide side;
      side.length = static_cast<std::size_t>(tensor_.extent(dim));
      if (grouping) side.digits = digits_of(grouping->block(dim));
      grid.sides.push_back(std::move(side));
    }
    grid.label = [](std::span<const std::size_t> further) {
      return fmt::format("({},_,_)", fmt::join(further, ","));
    };
    Picture picture = begun();
    HEDDLE_CHECK(grid.check_room(options_.max_cells, picture.title));
    HEDDLE_TRY(picture.panels,
               grid.panels(options_.max_cells, picture.notes,
                           [&](std::span<const std::size_t> positions) -> Result<Cell> {
                             std::int64_t index = 0;
                             for (std::size_t dim = 0; dim < positions.size(); ++dim) {
                               index +=
                                   static_cast<std::int64_t>(positions[dim]) * tensor_.weight(dim);
                             }
                             return cell_of(index);
                           }));
    if (options_.facts) {
      for (Panel& panel : picture.panels)
        panel.fact_names = {"element", "index", "held by", "digits"};
    }
    finish(picture);
    return picture;
  }

  [[nodiscard]] Result<Picture> draw_devices() const;

 private:
  [[nodiscard]] Picture begun() const {
    Picture picture;
    picture.title = options_.title.value_or(axe::to_string(layout_));
    picture.colors = colors_.rule().count();
    picture.legend = colors_.rule().legend();
    return picture;
  }

  void finish(Picture& picture) const {
    add_names_note(picture, parts_);
    add_copies_note(picture, parts_);
    add_census_notes(picture, parts_);
    if (!picked_) return;
    picture.notes.push_back(fmt::format("element {}, index {}, is held by {}",
                                        tensor_.text(*picked_), *picked_,
                                        full_text(parts_, places_of(parts_, *picked_))));
  }

  /// All elements and all their copies are too much together.
  [[nodiscard]] Result<void> check_lists() const {
    const Int most = std::int64_t{1} << 26;
    if (options_.max_cells <= kMaxCells) return {};
    for (const AxisPart& part : parts_.axes) {
      const Int all = Int(parts_.size) * static_cast<std::int64_t>(part.replicas().size());
      if (known_at_most(all, most)) continue;
      return refuse("draw.too_large",
                    fmt::format("{} elements with {} replicas each on axis {} are too many to list",
                                parts_.size, part.replicas().size(), part.name()));
    }
    return {};
  }

  [[nodiscard]] bool has_color(std::int64_t index) const { return !picked_ || *picked_ == index; }

  [[nodiscard]] Cell cell_of(std::int64_t index) const {
    const std::vector<Numbers> places = places_of(parts_, index);
    const auto is_memory = [](AxisKind kind) { return kind == AxisKind::kMemory; };
    const auto is_owner = [](AxisKind kind) { return kind != AxisKind::kMemory; };
    Cell cell;
    cell.note = short_text(parts_, places, options_.owners, is_memory);
    if (parts_.is_owned()) {
      cell.text = short_text(parts_, places, options_.owners, is_owner);
    } else {
      cell.text = std::exchange(cell.note, {});
      // Addresses alone need no name.
      if (parts_.axes.size() == 1) cell.text = list_text(places.front(), options_.owners);
    }
    if (has_color(index)) cell.color = colors_.of(parts_, places);
    if (!options_.facts) return cell;
    cell.facts = {tensor_.text(index), std::to_string(index), full_text(parts_, places),
                  sum_text(index)};
    return cell;
  }

  /// `1·4@laneid + 2·1@laneid + 1·1@m`
  [[nodiscard]] std::string sum_text(std::int64_t index) const {
    std::vector<std::string> terms;
    std::int64_t weight = parts_.size;
    for (const axe::Iter& iter : layout_.shard()) {
      weight /= iter.extent.value();
      if (iter.extent == Int(1)) continue;
      terms.push_back(fmt::format("{}·{}", index / weight % iter.extent.value(),
                                  axe::step_text(iter.stride, iter.axis)));
    }
    for (const auto& [axis, value] : layout_.offset()) terms.push_back(axe::step_text(value, axis));
    return terms.empty() ? "0" : fmt::format("{}", fmt::join(terms, " + "));
  }

  const axe::Layout& layout_;
  const AxeOptions& options_;
  AxeParts parts_;
  Tensor tensor_;
  PlaceColors colors_;
  std::optional<std::int64_t> picked_;
};

// The device view.

/// One dimension in the pieces between which devices change.
class Regions {
 public:
  Regions(std::span<const axe::Iter> block, std::int64_t weight, std::int64_t extent,
          const axe::AxisTable& axes)
      : weight_(weight), extent_(extent) {
    std::int64_t rest = extent;
    for (const axe::Iter& iter : block) {
      rest /= iter.extent.value();
      if (iter.extent == Int(1)) continue;
      const bool is_device = axes.kind(iter.axis) == AxisKind::kDevice && iter.stride != Int(0);
      digits_.push_back({{iter.extent.value(), 0, rest}, is_device});
      if (!is_device) continue;
      count_ *= iter.extent.value();
      label_ += (label_.empty() ? "" : " ") + digit_label(iter);
    }
  }

  [[nodiscard]] std::int64_t count() const { return count_; }
  [[nodiscard]] const std::string& label() const { return label_; }
  /// How many coordinates are in a piece.
  [[nodiscard]] std::int64_t length() const { return extent_ / count_; }
  /// The flat index of the first.
  [[nodiscard]] std::int64_t index(std::size_t piece) const { return begin(piece) * weight_; }

  /// `4:8`, `1:8:2`, or `2: 4 of 16` where no slice says it.
  [[nodiscard]] std::string text(std::size_t piece) const {
    const std::int64_t first = begin(piece);
    const auto step = stride();
    if (!step) return fmt::format("{}: {} of {}", first, length(), extent_);
    if (*step == 1) return fmt::format("{}:{}", first, first + length());
    return fmt::format("{}:{}:{}", first, first + (length() - 1) * *step + 1, *step);
  }

 private:
  struct RegionDigit {
    AxeDigit digit;
    bool is_device = false;
  };

  [[nodiscard]] std::int64_t begin(std::size_t piece) const {
    auto rest = static_cast<std::int64_t>(piece);
    std::int64_t first = 0;
    for (std::size_t i = digits_.size(); i-- > 0;) {
      const AxeDigit& digit = digits_[i].digit;
      if (!digits_[i].is_device) continue;
      first += rest % digit.extent * digit.weight;
      rest /= digit.extent;
    }
    return first;
  }

  /// The step between the coordinates of a piece, where it is the same throughout.
  [[nodiscard]] std::optional<std::int64_t> stride() const {
    std::optional<std::int64_t> step;
    std::int64_t next = 0;
    for (std::size_t i = digits_.size(); i-- > 0;) {
      const AxeDigit& digit = digits_[i].digit;
      if (digits_[i].is_device) continue;
      if (!step) step = digit.weight;
      if (next != 0 && digit.weight != next) return std::nullopt;
      next = digit.weight * digit.extent;
    }
    return step.value_or(1);
  }

  std::vector<RegionDigit> digits_;
  std::int64_t weight_;
  std::int64_t extent_;
  std::int64_t count_ = 1;
  std::string label_;
};

Result<Picture> TensorView::draw_devices() const {
  const auto is_device = [](AxisKind kind) { return kind == AxisKind::kDevice; };
  if (std::ranges::none_of(parts_.axes,
                           [&](const AxisPart& part) { return is_device(part.kind()); })) {
    return refuse(Diagnostic("draw.devices",
                             fmt::format("{} uses no axis of devices", axe::to_string(layout_)))
                      .with_hint("devices are on gpuid, pid and node; the tensor view shows "
                                 "threads"));
  }
  HEDDLE_TRY(const axe::Grouping grouping, axe::group(layout_, tensor_.shape()));
  std::vector<Regions> regions;
  AxeGrid grid;
  for (std::size_t dim = 0; dim < tensor_.rank(); ++dim) {
    regions.emplace_back(grouping.block(dim), tensor_.weight(dim), tensor_.extent(dim),
                         options_.axes);
  }
  for (const Regions& dim : regions) {
    GridSide side;
    side.length = static_cast<std::size_t>(dim.count());
    side.name = dim.label();
    side.text = [&dim](std::size_t piece) { return dim.text(piece); };
    grid.sides.push_back(std::move(side));
  }
  grid.label = [&](std::span<const std::size_t> further) {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < further.size(); ++i) texts.push_back(regions[i].text(further[i]));
    return fmt::format("[{}, _, _]", fmt::join(texts, ", "));
  };
  Numbers lengths;
  for (const Regions& dim : regions) lengths.push_back(dim.length());
  Picture picture = begun();
  HEDDLE_CHECK(grid.check_room(options_.max_cells, picture.title));
  const auto make_cell = [&](std::span<const std::size_t> positions) -> Result<Cell> {
    std::int64_t index = 0;
    std::vector<std::string> slices;
    for (std::size_t dim = 0; dim < positions.size(); ++dim) {
      index += regions[dim].index(positions[dim]);
      slices.push_back(regions[dim].text(positions[dim]));
    }
    const std::vector<Numbers> places = places_of(parts_, index);
    Cell cell;
    cell.text = short_text(parts_, places, options_.owners, is_device);
    cell.note = fmt::format("{}", fmt::join(lengths, "x"));
    cell.color = colors_.of(parts_, places);
    if (options_.facts) {
      cell.facts = {fmt::format("[{}]", fmt::join(slices, ", ")),
                    short_text(parts_, places, kMostInList, is_device)};
    }
    return cell;
  };
  HEDDLE_TRY(picture.panels, grid.panels(options_.max_cells, picture.notes, make_cell));
  if (options_.facts) {
    for (Panel& panel : picture.panels) panel.fact_names = {"region", "devices"};
  }
  finish(picture);
  return picture;
}

// The hardware view.

class HardwareView {
 public:
  [[nodiscard]] static Result<HardwareView> make(const axe::Layout& layout,
                                                 const AxeOptions& options) {
    HEDDLE_CHECK(check_colors(options));
    HEDDLE_TRY(AxeParts parts, parts_of(layout, options.axes));
    HEDDLE_TRY(Tensor tensor, Tensor::make(layout, options));
    HEDDLE_TRY(const auto picked, tensor.picked(options));
    HardwareView view(layout, options, std::move(parts), std::move(tensor));
    if (picked) view.picked_ = places_of(view.parts_, *picked);
    view.picked_index_ = picked;
    HEDDLE_CHECK(view.choose_colors());
    view.choose_sides();
    return view;
  }

  [[nodiscard]] Result<Picture> draw() {
    AxeGrid grid;
    for (const std::size_t i : sides_) grid.sides.push_back(side_of(parts_.axes[i]));
    if (is_folded_) fold(grid);
    grid.label = [&](std::span<const std::size_t> further) {
      std::vector<std::string> texts;
      for (std::size_t i = 0; i < further.size(); ++i) {
        texts.push_back(fmt::format("{} {}", parts_.axes[sides_[i]].name(),
                                    grid.sides[i].position_text(further[i])));
      }
      return fmt::format("{}", fmt::join(texts, ", "));
    };
    grid.is_empty = [&](std::span<const std::size_t> further) -> Result<bool> {
      for (std::size_t i = 0; i < further.size(); ++i) {
        const AxisPart& part = parts_.axes[sides_[i]];
        const std::int64_t coordinate = part.low() + static_cast<std::int64_t>(further[i]);
        HEDDLE_TRY(const Numbers* numbers, sources_on(sides_[i], coordinate));
        if (numbers->empty()) return true;
      }
      return false;
    };
    Picture picture;
    picture.title = options_.title.value_or(axe::to_string(layout_));
    picture.colors = rule_.count();
    picture.legend = rule_.legend();
    HEDDLE_CHECK(grid.check_room(options_.max_cells, picture.title));
    HEDDLE_TRY(picture.panels,
               grid.panels(options_.max_cells, picture.notes,
                           [&](std::span<const std::size_t> at) { return make_cell(at); }));
    if (options_.facts) {
      for (Panel& panel : picture.panels) panel.fact_names = {"place", "holds"};
    }
    add_fixed_note(picture);
    add_copies_note(picture, parts_);
    add_census_notes(picture, parts_);
    if (picked_index_) {
      picture.notes.push_back(fmt::format("element {}, index {}, is held by {}",
                                          tensor_.text(*picked_index_), *picked_index_,
                                          full_text(parts_, picked_)));
    }
    return picture;
  }

 private:
  static constexpr std::int64_t kLine = 32;

  HardwareView(const axe::Layout& layout, const AxeOptions& options, AxeParts parts, Tensor tensor)
      : layout_(layout),
        options_(options),
        parts_(std::move(parts)),
        tensor_(std::move(tensor)),
        sources_(parts_.axes.size()) {}

  [[nodiscard]] Result<void> choose_colors() {
    const std::string name = options_.color_by.value_or("dim0");
    for (std::size_t dim = 0; dim < tensor_.rank(); ++dim) {
      if (name == fmt::format("dim{}", dim)) color_dim_ = dim;
    }
    if (name != fmt::format("dim{}", color_dim_)) {
      std::vector<std::string> names;
      for (std::size_t dim = 0; dim < tensor_.rank(); ++dim)
        names.push_back(fmt::format("dim{}", dim));
      return no_such_color("dimension " + name, names);
    }
    if (options_.modulus == 0) return {};
    rule_ = {tensor_.rank() == 1 ? "index" : name, tensor_.extent(color_dim_), options_.run,
             options_.modulus};
    return {};
  }

  /// Axes of one coordinate are told in a note. Lanes go down, memory along.
  void choose_sides() {
    for (std::size_t i = 0; i < parts_.axes.size(); ++i) {
      if (parts_.axes[i].span() > 1) sides_.push_back(i);
    }
    if (sides_.empty()) sides_.push_back(0);
    is_folded_ = sides_.size() == 1 && parts_.axes[sides_[0]].kind() == AxisKind::kMemory &&
                 parts_.axes[sides_[0]].span() > kLine;
    // The rows are the last owners; axes of memory before the columns' go with the panels.
    const auto is_owner = [&](std::size_t i) { return parts_.axes[i].kind() != AxisKind::kMemory; };
    const auto owners = static_cast<std::size_t>(std::ranges::count_if(sides_, is_owner));
    if (owners == 0 || owners + 2 > sides_.size()) return;
    const auto row = sides_.begin() + static_cast<std::ptrdiff_t>(owners) - 1;
    std::rotate(row, row + 1, sides_.end() - 1);
  }

  [[nodiscard]] GridSide side_of(const AxisPart& part) const {
    GridSide side;
    side.name = part.name();
    side.length = static_cast<std::size_t>(part.span());
    side.first = part.low();
    return side;
  }

  [[nodiscard]] std::int64_t first_line() const {
    const std::int64_t low = parts_.axes[sides_[0]].low();
    return low / kLine - (low % kLine < 0 ? 1 : 0);
  }

  /// Lines of memory, each with the address it begins at.
  void fold(AxeGrid& grid) const {
    const std::int64_t first = first_line();
    const std::int64_t high = parts_.axes[sides_[0]].high();
    const std::int64_t last = high / kLine - (high % kLine < 0 ? 1 : 0);
    GridSide lines;
    lines.name = parts_.axes[sides_[0]].name();
    lines.length = static_cast<std::size_t>(last - first + 1);
    lines.text = [first](std::size_t line) {
      return std::to_string((first + static_cast<std::int64_t>(line)) * kLine);
    };
    GridSide places;
    places.length = static_cast<std::size_t>(kLine);
    grid.sides = {std::move(lines), std::move(places)};
  }

  [[nodiscard]] Result<Cell> make_cell(std::span<const std::size_t> at) {
    Numbers place;
    for (const AxisPart& part : parts_.axes) place.push_back(part.low());
    if (is_folded_) {
      const AxisPart& part = parts_.axes[sides_[0]];
      place[sides_[0]] = (first_line() + static_cast<std::int64_t>(at[0])) * kLine +
                         static_cast<std::int64_t>(at[1]);
      if (place[sides_[0]] < part.low() || place[sides_[0]] > part.high()) {
        return Cell{"", "", kPlain, options_.facts ? std::vector<std::string>(2) : Facts()};
      }
    } else {
      for (std::size_t i = 0; i < at.size(); ++i)
        place[sides_[i]] += static_cast<std::int64_t>(at[i]);
    }
    HEDDLE_TRY(const Held held, elements_of(place));
    return cell_of(place, held);
  }

  using Facts = std::vector<std::string>;

  /// The least elements of a place, and how many it holds.
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
      cell.text = tensor_.text(held.first.front());
      cell.note = others_text(held, std::max<std::size_t>(options_.owners, 1));
      if (is_picked(place))
        cell.color = rule_.of(tensor_.coordinate(color_dim_, held.first.front()));
    }
    if (!options_.facts) return cell;
    std::vector<Numbers> places;
    for (const std::int64_t coordinate : place) places.push_back({coordinate});
    std::string all = held.first.empty() ? "nothing" : tensor_.text(held.first.front());
    if (known_less(1, held.count)) all += ' ' + others_text(held, kMostInList);
    cell.facts = {full_text(parts_, places), all};
    return cell;
  }

  /// The elements after the first: `(0,1)|(0,2) +5`.
  [[nodiscard]] std::string others_text(const Held& held, std::size_t most) const {
    if (known_at_most(held.count, 1)) return {};
    std::vector<std::string> texts;
    for (std::size_t i = 1; i < std::min(held.first.size(), most); ++i)
      texts.push_back(tensor_.text(held.first[i]));
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

  /// The elements of a place are sums of one number for each axis, and for what moves nothing.
  [[nodiscard]] Result<Held> elements_of(const Numbers& place) {
    const std::size_t most = std::max(options_.owners, options_.facts ? kMostInList : 1);
    Held held{{0}, 1};
    for (std::size_t i = 0; i < parts_.axes.size(); ++i) {
      HEDDLE_TRY(const Numbers* numbers, sources_on(i, place[i]));
      held.count *= static_cast<std::int64_t>(numbers->size());
      held.first = least_sums(held.first, *numbers, most);
    }
    for (const AxeDigit& digit : parts_.still) {
      Numbers numbers;
      for (std::int64_t i = 0; i < std::min(digit.extent, static_cast<std::int64_t>(most)); ++i)
        numbers.push_back(i * digit.weight);
      held.count *= digit.extent;
      held.first = least_sums(held.first, numbers, most);
    }
    return held;
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
    auto found = parts_.axes[axis].sources(coordinate, lookups_);
    if (!found) {
      return refuse(
          Diagnostic("draw.too_large",
                     fmt::format("the places of {} on axis {} are reached in so many ways that "
                                 "{} steps do not list them",
                                 axe::to_string(layout_), parts_.axes[axis].name(), kMaxLookups))
              .with_hint("the tensor view does without"));
    }
    return &sources_[axis].emplace(coordinate, *std::move(found)).first->second;
  }

  /// `all at warpid 5`
  void add_fixed_note(Picture& picture) const {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < parts_.axes.size(); ++i) {
      if (std::ranges::find(sides_, i) == sides_.end())
        texts.push_back(fmt::format("{} {}", parts_.axes[i].name(), parts_.axes[i].low()));
    }
    if (!texts.empty())
      picture.notes.push_back(fmt::format("all places are at {}", fmt::join(texts, ", ")));
  }

  const axe::Layout& layout_;
  const AxeOptions& options_;
  AxeParts parts_;
  Tensor tensor_;
  std::vector<std::map<std::int64_t, Numbers>> sources_;
  std::size_t lookups_ = kMaxLookups;
  std::vector<Numbers> picked_;
  std::optional<std::int64_t> picked_index_;
  std::size_t color_dim_ = 0;
  ColorRule rule_;
  std::vector<std::size_t> sides_;
  bool is_folded_ = false;
};

}  // namespace

Result<Picture> tensor_picture(const axe::Layout& layout, const AxeOptions& options) {
  HEDDLE_TRY(const TensorView view, TensorView::make(layout, options));
  return view.draw();
}

Result<Picture> hardware_picture(const axe::Layout& layout, const AxeOptions& options) {
  HEDDLE_TRY(HardwareView view, HardwareView::make(layout, options));
  return view.draw();
}

Result<Picture> device_picture(const axe::Layout& layout, const AxeOptions& options) {
  HEDDLE_TRY(const TensorView view, TensorView::make(layout, options));
  return view.draw_devices();
}

}  // namespace heddle::draw
