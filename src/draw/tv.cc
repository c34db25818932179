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

// Rows, columns and the elements in them.

/// Checks that a tile has at least one row and one column, and few enough elements to count.
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

// The options.

Result<void> check_thread(const PictureOptions& options, std::size_t threads) {
  if (!options.thread || (*options.thread >= 0 && std::cmp_less(*options.thread, threads)))
    return {};
  return refuse("draw.tv", fmt::format("there is no thread {}: threads are 0 to {}",
                                       *options.thread, threads - 1));
}

/// The orientation of a tile in its panel.
struct Orientation {
  /// The name of its elements, `A(m,k)`; may be empty.
  std::string name;
  /// The axes along its rows and its columns, `M` and `K`; may be empty.
  std::string rows;
  std::string columns;
  /// For B of an MMA: its rows, n, are along the columns.
  bool is_transposed = false;
  /// The number of its first element among those of all tiles of the picture.
  std::int64_t first_element = 0;

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

/// A tile, the owners of its elements, and the picked ones.
class Tile {
 public:
  /// From a layout of constants and a size that is checked.
  [[nodiscard]] static Result<Tile> make(const cute::AnyLayout& layout, const TileSize& size,
                                         const PictureOptions& options,
                                         const Orientation& orientation) {
    const cute::Layout& strided = strided_part(layout);
    if (strided.rank() != 2) {
      return refuse(
          Diagnostic("draw.tv", fmt::format("{} has rank {}; a thread-value layout has two modes, "
                                            "threads and values",
                                            layout_text(layout), strided.rank()))
              .with_hint("group its modes: group(L, BEGIN, END)"));
    }
    if (!known_at_most(strided.size(), kMaxCells)) {
      return refuse("draw.too_large",
                    fmt::format("{} has {} values of all threads, and a picture shows at most {}",
                                layout_text(layout), strided.size(), kMaxCells));
    }
    Tile tile(size, options, orientation);
    tile.threads_ = to_size(strided.mode(0).size());
    tile.values_ = to_size(strided.mode(1).size());
    HEDDLE_CHECK(tile.fill(layout));
    return tile;
  }

  /// Takes the thread and the element of the options. Refuses `draw.tv`.
  [[nodiscard]] Result<void> pick(bool takes_element) {
    HEDDLE_CHECK(check_thread(options_, threads_));
    if (options_.thread) thread_ = static_cast<std::size_t>(*options_.thread);
    if (!options_.element || !takes_element) return {};
    const std::vector<Int> numbers(options_.element->begin(), options_.element->end());
    const IntTuple element = numbers.size() == 1 ? IntTuple(numbers[0]) : IntTuple::flat(numbers);
    if (!numbers.empty()) element_ = element_of(element, size_);
    if (element_) return {};
    return refuse("draw.tv", fmt::format("there is no element {} in the tile of {} x {}",
                                         tuple_text(element), size_.rows, size_.columns));
  }

  [[nodiscard]] Grid grid() const {
    Grid grid;
    grid.rows = tile_side(size_.rows, orientation_.rows);
    grid.columns = tile_side(size_.columns, orientation_.columns);
    if (orientation_.is_transposed) std::swap(grid.rows, grid.columns);
    if (options_.facts) grid.fact_names = {"element", "index", "held by", "thread", "value"};
    grid.cell = [this](Positions at) {
      const auto [row, column] =
          orientation_.is_transposed ? std::pair(at[1], at[0]) : std::pair(at[0], at[1]);
      return make_cell(row + column * static_cast<std::size_t>(size_.rows));
    };
    return grid;
  }

  /// Notes on the picked thread or element.
  [[nodiscard]] std::vector<std::string> notes() const {
    std::vector<std::string> notes;
    if (element_) {
      notes.push_back(fmt::format("element {}, index {}, is held by {}", element_text(*element_),
                                  *element_, owners_text(owners_of(*element_))));
    }
    if (!thread_) return notes;
    std::vector<std::string> values;
    for (std::size_t value = 0; value < values_; ++value)
      values.push_back(fmt::format("V{} = {}", value, element_text(held({*thread_, value}))));
    notes.push_back(
        fmt::format("thread {} holds {}", *thread_, first_few(values, kMostInList, ", ")));
    return notes;
  }

 private:
  static constexpr std::size_t kMostInList = 32;

  Tile(const TileSize& size, const PictureOptions& options, const Orientation& orientation)
      : size_(size), options_(options), orientation_(orientation) {}

  [[nodiscard]] Result<void> fill(const cute::AnyLayout& layout) {
    for (std::size_t flat = 0; flat < threads_ * values_; ++flat) {
      HEDDLE_CHECK(check_time(options_.limits));
      HEDDLE_TRY(const IntTuple image, image_of(layout, flat));
      const Owner owner{flat % threads_, flat / threads_};
      const auto element = element_of(image, size_);
      if (!element) return refuse(outside(layout, owner, image));
      elements_.push_back(*element);
      owners_.push_back(owner);
    }
    std::ranges::sort(owners_, {}, [this](const Owner& owner) {
      return std::tuple(held(owner), owner.thread, owner.value);
    });
    return {};
  }

  [[nodiscard]] Diagnostic outside(const cute::AnyLayout& layout, const Owner& owner,
                                   const IntTuple& image) const {
    return Diagnostic("draw.tv", fmt::format("{} leads out of the tile of {} x {} = {}",
                                             layout_text(layout), size_.rows, size_.columns,
                                             counted(element_count(size_), "element")))
        .with_witness({fmt::format("({},{})", owner.thread, owner.value), tuple_text(image),
                       image.is_leaf() ? fmt::format("0 to {}", element_count(size_) - 1)
                                       : fmt::format("below ({},{})", size_.rows, size_.columns),
                       "the tile"})
        .with_hint("give the sizes of the tile: --tile MxN");
  }

  /// The element that a value of a thread holds.
  [[nodiscard]] std::size_t held(const Owner& owner) const {
    return elements_[owner.thread + owner.value * threads_];
  }
  /// The owners of an element, thread by thread.
  [[nodiscard]] std::span<const Owner> owners_of(std::size_t element) const {
    const auto range = std::ranges::equal_range(owners_, element, {},
                                                [this](const Owner& owner) { return held(owner); });
    return {range.begin(), range.end()};
  }

  [[nodiscard]] Cell make_cell(std::size_t element) const {
    const std::span<const Owner> owners = owners_of(element);
    Cell cell;
    if (options_.elements)
      cell.elements = {orientation_.first_element + static_cast<std::int64_t>(element)};
    if (!owners.empty()) {
      // The picked thread, if it holds the element.
      const auto picked = std::ranges::find_if(
          owners, [this](const Owner& owner) { return owner.thread == thread_; });
      const Owner& owner = picked == owners.end() ? owners.front() : *picked;
      cell.text = fmt::format("T{}", owner.thread);
      cell.note = fmt::format("V{}", owner.value);
      if (owners.size() > 1) cell.note += fmt::format(" x{}", owners.size());
      const bool has_color =
          (!element_ || *element_ == element) && (!thread_ || picked != owners.end());
      if (has_color)
        cell.color = color_rule(options_, "thread").of(static_cast<std::int64_t>(owner.thread));
    }
    if (options_.facts) {
      cell.facts = {element_text(element), std::to_string(element), owners_text(owners),
                    joined(owners, &Owner::thread), joined(owners, &Owner::value)};
    }
    return cell;
  }

  /// The threads of all owners, or their values: `1,3`.
  static std::string joined(std::span<const Owner> owners, std::size_t Owner::* part) {
    std::vector<std::size_t> numbers;
    for (const Owner& owner : owners) numbers.push_back(owner.*part);
    return fmt::format("{}", fmt::join(numbers, ","));
  }

  /// `(3,4)`
  [[nodiscard]] std::string element_text(std::size_t element) const {
    const auto rows = static_cast<std::size_t>(size_.rows);
    return fmt::format("{}({},{})", orientation_.name, element % rows, element / rows);
  }

  static std::string owners_text(std::span<const Owner> owners) {
    if (owners.empty()) return "no thread";
    std::vector<std::string> texts;
    for (const auto& [thread, value] : owners)
      texts.push_back(fmt::format("T{} V{}", thread, value));
    return first_few(texts, kMostInList, ", ");
  }

  TileSize size_;
  const PictureOptions& options_;
  const Orientation& orientation_;
  std::size_t threads_ = 0;
  std::size_t values_ = 0;
  std::vector<std::size_t> elements_;
  /// Owners, grouped by element.
  std::vector<Owner> owners_;
  std::optional<std::size_t> thread_;
  std::optional<std::size_t> element_;
};

// Operands in shared memory.

/// Whether all threads hold all elements under the same values, as they do if an MMA reads an
/// operand from shared memory. Cost: linear in the elements.
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

/// Adds one tile to a picture: its panel, and notes on what it leaves out and on the picked
/// elements.
Result<void> add_tile(Picture& picture, const cute::AnyLayout& layout, const TileSize& tile,
                      const PictureOptions& options, const Orientation& orientation,
                      std::optional<Place> place) {
  HEDDLE_CHECK(check_tile(tile));
  HEDDLE_CHECK(check_constant(layout));
  const bool takes_element = orientation.name.empty() || orientation.name == "C";
  if (!takes_element && is_shared(layout, tile))
    return add_shared(picture, layout, options, orientation, place);
  HEDDLE_TRY(Tile drawn, Tile::make(layout, tile, options, orientation));
  HEDDLE_CHECK(drawn.pick(takes_element));
  const std::size_t max_cells = options.max_cells.value_or(kUsualCells);
  const std::string whole = fmt::format("a tile of {} x {}", tile.rows, tile.columns);
  HEDDLE_CHECK(check_room(drawn.grid(), max_cells, whole, "elements"));
  const std::size_t before = picture.notes.size();
  HEDDLE_CHECK(add_panels(picture, drawn.grid(), max_cells, options.limits));
  if (!orientation.name.empty()) {
    picture.panels.back().label = fmt::format("{}: {}", orientation.heading(), layout_text(layout));
    for (std::size_t i = before; i < picture.notes.size(); ++i)
      picture.notes[i].insert(0, orientation.name + ": ");
  }
  picture.panels.back().place = place;
  for (std::string& note : drawn.notes()) picture.notes.push_back(std::move(note));
  return {};
}

/// A picture of threads without panels. Refuses `draw.color`.
Result<Picture> empty_picture(const PictureOptions& options) {
  HEDDLE_CHECK(check_colors(options, "thread", "threads"));
  Picture picture;
  const ColorRule rule = color_rule(options, "thread");
  picture.colors = rule.count();
  picture.legend = rule.legend();
  return picture;
}

/// Explains `x2` in a cell, if there is one.
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
  // The elements of C are counted first, those of A and of B after them.
  const auto [m, n, k] = std::tuple(layouts.m, layouts.n, layouts.k);
  const Orientation a{"A", "M", "K", false, m * n};
  const Orientation b{"B", "N", "K", true, m * n + m * k};
  HEDDLE_CHECK(add_tile(picture, layouts.b, {n, k}, options, b, Place{0, 1}));
  HEDDLE_CHECK(add_tile(picture, layouts.a, {m, k}, options, a, Place{1, 0}));
  HEDDLE_CHECK(add_tile(picture, layouts.c, {m, n}, options, {"C", "M", "N"}, Place{1, 1}));
  add_explanation(picture);
  return picture;
}

}  // namespace heddle::draw
