#include "heddle/draw/tv.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "core/text.h"
#include "cute/layout/format.h"
#include "draw/colors.h"
#include "draw/cute.h"
#include "draw/grid.h"
#include "heddle/cute/manipulation.h"

namespace heddle::draw {
namespace {

/// One value of one thread.
struct Owner {
  std::size_t thread = 0;
  std::size_t value = 0;
};

std::string owner_text(const Owner& owner) {
  return fmt::format("T{} V{}", owner.thread, owner.value);
}

std::string list_text(const std::vector<std::string>& items, std::size_t most) {
  const std::size_t shown = items.size() <= most ? items.size() : most - 1;
  std::string text = fmt::format(
      "{}", fmt::join(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  return shown == items.size() ? text : fmt::format("{} and {} more", text, items.size() - shown);
}

// Rows, columns and the elements between them.

/// A tile that is known to have at least one row and one column, and few enough elements to count.
Result<void> check_tile(const TileSize& tile) {
  if (tile.rows < 1 || tile.columns < 1) {
    return refuse("draw.tv",
                  fmt::format("a tile of {} x {} has no elements", tile.rows, tile.columns));
  }
  if (tile.rows <= (std::int64_t{1} << 31) && tile.columns <= (std::int64_t{1} << 31)) return {};
  return refuse("draw.too_large", fmt::format("a tile of {} x {} has sides of more than 2^31",
                                              tile.rows, tile.columns));
}

std::size_t element_count(const TileSize& tile) {
  return static_cast<std::size_t>(tile.rows) * static_cast<std::size_t>(tile.columns);
}

/// A coordinate of two numbers, or an index.
std::optional<std::size_t> element_of(const IntTuple& image, const TileSize& tile) {
  const auto below = [](const Int& position, const Int& size) {
    return known_at_most(0, position) && known_less(position, size);
  };
  if (image.is_leaf()) {
    if (!below(image.leaf(), Int(tile.rows) * Int(tile.columns))) return std::nullopt;
    return to_size(image.leaf());
  }
  if (image.rank() > 2 || image.leaves().size() != image.rank()) return std::nullopt;
  const Int row = image.leaves()[0];
  const Int column = image.rank() == 2 ? image.leaves()[1] : Int(0);
  if (!below(row, tile.rows) || !below(column, tile.columns)) return std::nullopt;
  return to_size(row) + to_size(column) * static_cast<std::size_t>(tile.rows);
}

/// Who holds which element.
class Holding {
 public:
  /// Of a layout of constants and a tile that is checked.
  [[nodiscard]] static Result<Holding> make(const cute::AnyLayout& layout, const TileSize& tile) {
    const cute::Layout& strided = strided_part(layout);
    if (strided.rank() != 2) {
      return refuse(
          Diagnostic("draw.tv", fmt::format("{} has rank {}; a thread-value layout has two modes, "
                                            "threads and values",
                                            layout_text(layout), strided.rank()))
              .with_hint("group its modes: group(L, BEGIN, END)"));
    }
    const Int size = strided.size();
    if (!known_at_most(size, kMaxCells)) {
      return refuse("draw.too_large",
                    fmt::format("{} has {} values of all threads, and a picture shows at most {}",
                                layout_text(layout), size, kMaxCells));
    }
    Holding holding(tile, to_size(strided.mode(0).size()), to_size(strided.mode(1).size()));
    HEDDLE_CHECK(holding.fill(layout));
    return holding;
  }

  [[nodiscard]] const TileSize& tile() const { return tile_; }
  [[nodiscard]] std::size_t threads() const { return threads_; }
  [[nodiscard]] std::size_t values() const { return values_; }
  /// The element of a value of a thread.
  [[nodiscard]] std::size_t element(const Owner& owner) const {
    return elements_[owner.thread + owner.value * threads_];
  }
  /// Who holds an element, thread by thread.
  [[nodiscard]] std::span<const Owner> owners(std::size_t element) const {
    const auto range = std::ranges::equal_range(
        owners_, element, {}, [this](const Owner& owner) { return this->element(owner); });
    return {range.begin(), range.end()};
  }

 private:
  Holding(const TileSize& tile, std::size_t threads, std::size_t values)
      : tile_(tile), threads_(threads), values_(values) {}

  [[nodiscard]] Result<void> fill(const cute::AnyLayout& layout) {
    for (std::size_t flat = 0; flat < threads_ * values_; ++flat) {
      HEDDLE_TRY(const IntTuple image, image_of(layout, flat));
      const Owner owner{flat % threads_, flat / threads_};
      const auto element = element_of(image, tile_);
      if (!element) return refuse(outside(layout, owner, image));
      elements_.push_back(*element);
      owners_.push_back(owner);
    }
    std::ranges::sort(owners_, {}, [this](const Owner& owner) {
      return std::tuple(this->element(owner), owner.thread, owner.value);
    });
    return {};
  }

  [[nodiscard]] Diagnostic outside(const cute::AnyLayout& layout, const Owner& owner,
                                   const IntTuple& image) const {
    return Diagnostic("draw.tv", fmt::format("{} leads out of the tile of {} x {} = {} elements",
                                             layout_text(layout), tile_.rows, tile_.columns,
                                             element_count(tile_)))
        .with_witness({fmt::format("({},{})", owner.thread, owner.value), tuple_text(image),
                       image.is_leaf() ? fmt::format("0 to {}", element_count(tile_) - 1)
                                       : fmt::format("below ({},{})", tile_.rows, tile_.columns),
                       "the tile"})
        .with_hint("give the sizes of the tile: --tile MxN");
  }

  TileSize tile_;
  std::size_t threads_;
  std::size_t values_;
  std::vector<std::size_t> elements_;
  /// By element.
  std::vector<Owner> owners_;
};

// What is picked.

/// The picked thread and element, as far as there are any.
struct PickPlace {
  std::optional<std::size_t> thread;
  std::optional<std::size_t> element;

  [[nodiscard]] bool has(std::size_t at, std::span<const Owner> owners) const {
    if (element && *element != at) return false;
    return !thread || std::ranges::find(owners, *thread, &Owner::thread) != owners.end();
  }
};

Result<void> check_thread(const PictureOptions& options, std::size_t threads) {
  if (!options.thread || (*options.thread >= 0 && std::cmp_less(*options.thread, threads)))
    return {};
  return refuse("draw.tv", fmt::format("there is no thread {}: threads are 0 to {}",
                                       *options.thread, threads - 1));
}

Result<PickPlace> pick_of(const Holding& holding, const PictureOptions& options,
                          bool takes_element) {
  PickPlace pick;
  HEDDLE_CHECK(check_thread(options, holding.threads()));
  if (options.thread) pick.thread = static_cast<std::size_t>(*options.thread);
  if (!options.element || !takes_element) return pick;
  const std::vector<Int> numbers(options.element->begin(), options.element->end());
  const IntTuple element = numbers.size() == 1 ? IntTuple(numbers[0]) : IntTuple::flat(numbers);
  if (!numbers.empty()) pick.element = element_of(element, holding.tile());
  if (pick.element) return pick;
  return refuse("draw.tv",
                fmt::format("there is no element {} in the tile of {} x {}", tuple_text(element),
                            holding.tile().rows, holding.tile().columns));
}

// Panels.

ColorRule colors_of(const PictureOptions& options) {
  return {options.modulus == 0 ? "" : "thread", options.run, options.modulus};
}

/// How a tile lies in its panel.
struct Orientation {
  /// What elements are called, `A(m,k)`; may be empty.
  std::string name;
  /// The axes along its rows and its columns, `M` and `K`; may be empty.
  std::string rows;
  std::string columns;
  /// B of an MMA has its rows, n, along the columns.
  bool is_transposed = false;

  [[nodiscard]] std::string heading() const {
    return is_transposed ? fmt::format("{}, drawn {} x {}", name, columns, rows)
                         : fmt::format("{} ({} x {})", name, rows, columns);
  }
};

/// A side of a tile whose positions count along an axis.
Side tile_side(std::int64_t length, const std::string& axis) {
  const auto count = static_cast<std::size_t>(length);
  return {count, axis.empty() ? std::vector<Digit>() : whole_side(count, axis)};
}

class TilePanel {
 public:
  TilePanel(const Holding& holding, const PickPlace& pick, const PictureOptions& options,
            Orientation orientation)
      : holding_(holding), pick_(pick), options_(options), orientation_(std::move(orientation)) {}

  [[nodiscard]] Grid make() const {
    Grid grid;
    grid.rows = tile_side(holding_.tile().rows, orientation_.rows);
    grid.columns = tile_side(holding_.tile().columns, orientation_.columns);
    if (orientation_.is_transposed) std::swap(grid.rows, grid.columns);
    if (options_.facts) grid.fact_names = {"element", "index", "held by"};
    grid.cell = [this](Positions at) { return make_cell(at[0], at[1]); };
    return grid;
  }

  /// `(3,4)`
  [[nodiscard]] std::string element_text(std::size_t element) const {
    const auto rows = static_cast<std::size_t>(holding_.tile().rows);
    return fmt::format("{}({},{})", orientation_.name, element % rows, element / rows);
  }

  /// What was asked.
  [[nodiscard]] std::vector<std::string> notes() const {
    std::vector<std::string> notes;
    if (pick_.element) notes.push_back(element_note(*pick_.element));
    if (pick_.thread) notes.push_back(thread_note(*pick_.thread));
    return notes;
  }

 private:
  static constexpr std::size_t kMostInList = 32;

  [[nodiscard]] Cell make_cell(std::size_t row, std::size_t column) const {
    if (orientation_.is_transposed) std::swap(row, column);
    const std::size_t element = row + column * static_cast<std::size_t>(holding_.tile().rows);
    const std::span<const Owner> owners = holding_.owners(element);
    Cell cell;
    if (!owners.empty()) {
      const Owner& owner = first_owner(owners);
      const bool is_picked = pick_.has(element, owners);
      cell.text = fmt::format("T{}", owner.thread);
      cell.note = fmt::format("V{}", owner.value);
      if (owners.size() > 1) cell.note += fmt::format(" x{}", owners.size());
      if (is_picked) cell.color = colors_of(options_).of(static_cast<std::int64_t>(owner.thread));
    }
    if (options_.facts)
      cell.facts = {element_text(element), std::to_string(element), owners_text(owners)};
    return cell;
  }

  /// The picked thread where it holds the element.
  [[nodiscard]] const Owner& first_owner(std::span<const Owner> owners) const {
    if (!pick_.thread) return owners.front();
    const auto found = std::ranges::find(owners, *pick_.thread, &Owner::thread);
    return found == owners.end() ? owners.front() : *found;
  }

  static std::string owners_text(std::span<const Owner> owners) {
    if (owners.empty()) return "no thread";
    std::vector<std::string> texts;
    for (const Owner& owner : owners) texts.push_back(owner_text(owner));
    return list_text(texts, kMostInList);
  }

  [[nodiscard]] std::string element_note(std::size_t element) const {
    const std::span<const Owner> owners = holding_.owners(element);
    return fmt::format("element {}, index {}, is held by {}", element_text(element), element,
                       owners_text(owners));
  }

  [[nodiscard]] std::string thread_note(std::size_t thread) const {
    std::vector<std::string> values;
    for (std::size_t value = 0; value < holding_.values(); ++value) {
      const std::size_t element = holding_.element({thread, value});
      values.push_back(fmt::format("V{} = {}", value, element_text(element)));
    }
    return fmt::format("thread {} holds {}", thread, list_text(values, kMostInList));
  }

  const Holding& holding_;
  const PickPlace& pick_;
  const PictureOptions& options_;
  Orientation orientation_;
};

// Operands in shared memory.

/// All threads hold all elements under the same values, as they do where an MMA reads an operand
/// from shared memory. Cost: linear in the elements.
bool is_shared(const cute::AnyLayout& layout, const TileSize& tile) {
  const auto* strided = std::get_if<cute::Layout>(&layout);
  if (strided == nullptr || strided->rank() != 2 || element_count(tile) > kMaxCells) return false;
  const cute::Layout threads = strided->mode(0);
  const bool is_same_for_all = std::ranges::all_of(
      threads.strides(), [](const cute::Stride& stride) { return known_equal(stride.scale(), 0); });
  const cute::AnyLayout values = strided->mode(1);
  const bool has_as_many = known_equal(strided->mode(1).size(), element_count(tile));
  if (!is_same_for_all || !has_as_many || !known_less(1, threads.size())) return false;
  std::vector<bool> is_held(element_count(tile));
  for (std::size_t value = 0; value < is_held.size(); ++value) {
    const auto image = image_of(values, value);
    const auto element = image ? element_of(*image, tile) : std::nullopt;
    if (!element || is_held[*element]) return false;
    is_held[*element] = true;
  }
  return true;
}

/// One box for all elements of an operand in shared memory.
Panel shared_panel(const Orientation& orientation, std::size_t threads,
                   const PictureOptions& options) {
  Panel panel;
  panel.label = fmt::format("{}: all {} threads hold every element (shared memory)",
                            orientation.heading(), threads);
  panel.pattern = orientation.name;
  panel.rows.is_mode = false;
  panel.columns.is_mode = false;
  panel.cells = {{"all", "", kPlain, {}}};
  if (!options.facts) return panel;
  panel.fact_names = {"element", "held by"};
  panel.cells.front().facts = {"every one", fmt::format("all {} threads", threads)};
  return panel;
}

/// Adds an operand in shared memory to a picture.
Result<void> add_shared(Picture& picture, const cute::AnyLayout& layout,
                        const PictureOptions& options, const Orientation& orientation,
                        std::optional<Place> place) {
  const std::size_t threads = to_size(strided_part(layout).mode(0).size());
  HEDDLE_CHECK(check_thread(options, threads));
  Panel panel = shared_panel(orientation, threads, options);
  panel.place = place;
  picture.panels.push_back(std::move(panel));
  picture.notes.push_back(fmt::format("{}: {}", orientation.name, layout_text(layout)));
  if (options.thread) {
    picture.notes.push_back(
        fmt::format("thread {} holds every element of {}", *options.thread, orientation.name));
  }
  return {};
}

/// Adds one tile to a picture: its panel, what it leaves out and what was asked of it.
Result<void> add_tile(Picture& picture, const cute::AnyLayout& layout, const TileSize& tile,
                      const PictureOptions& options, const Orientation& orientation,
                      std::optional<Place> place) {
  HEDDLE_CHECK(check_tile(tile));
  HEDDLE_CHECK(check_constant(layout));
  const bool takes_element = orientation.name.empty() || orientation.name == "C";
  if (!takes_element && is_shared(layout, tile))
    return add_shared(picture, layout, options, orientation, place);
  HEDDLE_TRY(const Holding holding, Holding::make(layout, tile));
  HEDDLE_TRY(const PickPlace pick, pick_of(holding, options, takes_element));
  const TilePanel tiles(holding, pick, options, orientation);
  const std::size_t max_cells = options.max_cells.value_or(kUsualCells);
  const std::string whole = fmt::format("a tile of {} x {}", tile.rows, tile.columns);
  HEDDLE_CHECK(check_room(tiles.make(), max_cells, whole, "elements"));
  const std::size_t before = picture.notes.size();
  HEDDLE_CHECK(add_panels(picture, tiles.make(), max_cells));
  if (!orientation.name.empty()) {
    picture.panels.back().label = fmt::format("{}: {}", orientation.heading(), layout_text(layout));
    for (std::size_t i = before; i < picture.notes.size(); ++i)
      picture.notes[i].insert(0, orientation.name + ": ");
  }
  picture.panels.back().place = place;
  for (std::string& note : tiles.notes()) picture.notes.push_back(std::move(note));
  return {};
}

/// A picture of threads without panels. Refuses `draw.color`.
Result<Picture> empty_picture(const PictureOptions& options) {
  HEDDLE_CHECK(check_colors(options, "thread", "threads"));
  Picture picture;
  picture.colors = colors_of(options).count();
  picture.legend = colors_of(options).legend();
  return picture;
}

/// What `x2` in a cell means, where there is one.
void add_explanation(Picture& picture) {
  const auto is_shared = [](const Cell& cell) { return cell.note.find('x') != std::string::npos; };
  const auto has_shared = [&](const Panel& panel) {
    return std::ranges::any_of(panel.cells, is_shared);
  };
  if (std::ranges::any_of(picture.panels, has_shared))
    picture.notes.emplace_back("V0 x2: the element is held twice, and one of its holders is named");
}

}  // namespace

Result<TileSize> inferred_tile(const cute::AnyLayout& layout) {
  HEDDLE_CHECK(check_constant(layout));
  const cute::Layout& strided = strided_part(layout);
  if (!strided.is_integral()) {
    HEDDLE_TRY(const IntTuple box, cute::coshape(strided));
    const std::span<const Int> sides = box.leaves();
    return TileSize{sides[0].value(), sides.size() > 1 ? sides[1].value() : 1};
  }
  HEDDLE_TRY(const Int size, std::visit([](const auto& any) { return cute::cosize(any); }, layout));
  if (!known_at_most(1, size) || !known_at_most(size, Int(std::int64_t{1} << 31)))
    return TileSize{};
  std::int64_t columns = 1;
  for (std::int64_t width = 1; width * width <= size.value(); ++width) {
    if (size.value() % width == 0) columns = width;
  }
  return TileSize{size.value() / columns, columns};
}

Result<Picture> tv_picture(const cute::AnyLayout& layout, const TileSize& tile,
                           const PictureOptions& options) {
  HEDDLE_TRY(Picture picture, empty_picture(options));
  HEDDLE_CHECK(add_tile(picture, layout, tile, options, {}, std::nullopt));
  const cute::Layout& strided = strided_part(layout);
  picture.title = options.title.value_or(
      fmt::format("{}: {} x {} in {} x {}", layout_text(layout),
                  counted(strided.mode(0).size().value(), "thread"),
                  counted(strided.mode(1).size().value(), "value"), tile.rows, tile.columns));
  add_explanation(picture);
  return picture;
}

Result<Picture> mma_picture(const MmaLayouts& layouts, const PictureOptions& options) {
  HEDDLE_TRY(Picture picture, empty_picture(options));
  picture.title =
      options.title.value_or(fmt::format("MMA of {} x {} x {}", layouts.m, layouts.n, layouts.k));
  HEDDLE_CHECK(add_tile(picture, layouts.b, {layouts.n, layouts.k}, options, {"B", "N", "K", true},
                        Place{0, 1}));
  HEDDLE_CHECK(
      add_tile(picture, layouts.a, {layouts.m, layouts.k}, options, {"A", "M", "K"}, Place{1, 0}));
  HEDDLE_CHECK(
      add_tile(picture, layouts.c, {layouts.m, layouts.n}, options, {"C", "M", "N"}, Place{1, 1}));
  add_explanation(picture);
  return picture;
}

}  // namespace heddle::draw
