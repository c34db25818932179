#include "heddle/draw/operation.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <unordered_map>
#include <utility>

#include "cute/layout/format.h"
#include "draw/cute.h"
#include "heddle/cute/composition.h"
#include "heddle/cute/divide.h"
#include "heddle/cute/int_tuple.h"
#include "heddle/cute/product.h"

namespace heddle::draw {
namespace {

using cute::Layout;
using cute::Tiler;

constexpr std::string_view kDrawn[] = {"composition",     "logical_divide", "zipped_divide",
                                       "tiled_divide",    "flat_divide",    "logical_product",
                                       "zipped_product",  "tiled_product",  "flat_product",
                                       "blocked_product", "raked_product"};

bool is_composition(const AppliedOperation& application) {
  return application.operation == "composition";
}

bool is_divide(const AppliedOperation& application) {
  return application.operation.ends_with("_divide");
}

/// B, if it is one layout.
const Layout* whole_layout(const Tiler& tiler) {
  return tiler.is_leaf() ? tiler.leaf().layout() : nullptr;
}

// The origin of the elements of the result.

/// The pair of numbers that all panels share.
struct Key {
  std::size_t color = 0;
  std::size_t number = 0;
};

/// The keys of a cell of one panel, of which it shows the first one and their number.
struct Entry {
  std::vector<Key> keys;
};

/// Entries by flat coordinate.
using Keys = std::unordered_map<std::size_t, Entry>;

void add_key(Keys& keys, std::size_t flat, Key key) { keys[flat].keys.push_back(key); }

/// The keys of the elements of each layout, by flat coordinate.
struct Trace {
  Keys left;
  Keys right;
  Keys result;
  /// The number of colours that would be needed, and of numbers.
  std::size_t colors = 1;
  std::size_t numbers = 1;
  /// Whether a number alone tells the element, whatever its colour.
  bool has_unique_numbers = false;
  std::string legend;
};

/// The elements of a layout as places on axes. Leaves that join when the layout is coalesced share
/// an axis, all others have one of their own: an operation takes this layout apart as it does the
/// layout itself, and coordinates past the end of an axis stay distinct from all others.
///
///   (8,8):(8,1)     layout (8,8):(1@0,1@1), extents 8 8, weights 1 8
///   (8,8):(1,8)     layout (8,8):(1@0,8@0), extents 64, weights 1
struct Traced {
  Layout layout;
  std::vector<std::size_t> extents = {};
  /// The flat coordinates from one place of an axis to the next.
  std::vector<std::size_t> weights = {};
};

/// Refuses `stride.basis` for more axes than a basis names.
Result<Traced> traced_layout(const Layout& layout) {
  Traced traced;
  std::vector<cute::Stride> strides;
  std::optional<std::size_t> last;  // the last leaf whose extent is more than 1
  std::size_t axis = 0;             // the axis of that leaf
  std::size_t size = 1;
  for (std::size_t leaf = 0; leaf < layout.extents().size(); ++leaf) {
    const Int extent = layout.extents()[leaf];
    const bool goes_on = last && known_equal(layout.extents()[*last] * layout.strides()[*last],
                                             layout.strides()[leaf]);
    const std::size_t own = goes_on ? axis : traced.extents.size();
    if (!goes_on) traced.extents.push_back(1);
    if (!goes_on) traced.weights.push_back(size);
    const std::size_t path[] = {own};
    HEDDLE_TRY(const cute::Basis basis, cute::Basis::make(path));
    strides.emplace_back(Int(traced.extents[own]), basis);
    traced.extents[own] *= to_size(extent);
    size *= to_size(extent);
    if (known_equal(extent, 1)) continue;
    last = leaf;
    axis = own;
  }
  std::size_t next = 0;
  HEDDLE_TRY(traced.layout, Layout::make(layout.shape(), transform_leaves(layout.stride(),
                                                                          [&](const cute::Stride&) {
                                                                            return strides[next++];
                                                                          })));
  return traced;
}

/// The flat coordinate of the element at a place of each axis, unless it is past the end.
std::optional<std::size_t> traced_element(const Traced& traced, const Layout& picked,
                                          std::size_t flat) {
  const auto image = image_of(picked, flat);
  if (!image) return std::nullopt;
  std::size_t element = 0;
  for (std::size_t axis = 0; axis < traced.extents.size(); ++axis) {
    // The image may lack trailing axes along which nothing moves.
    const bool is_there = !image->is_leaf() && axis < image->rank();
    const Int place = is_there ? image->mode(axis).leaves().front() : Int(0);
    if (!known_less(place, Int(traced.extents[axis]))) return std::nullopt;
    element += to_size(place) * traced.weights[axis];
  }
  return element;
}

Result<Layout> divide(std::string_view form, const Layout& layout, const Tiler& tiler) {
  if (form == "zipped_divide") return cute::zipped_divide(layout, tiler);
  if (form == "tiled_divide") return cute::tiled_divide(layout, tiler);
  if (form == "flat_divide") return cute::flat_divide(layout, tiler);
  return cute::logical_divide(layout, tiler);
}

/// The key of an element of A is (its tile, its place in the tile), by zipped_divide.
Result<Trace> trace_divide(const AppliedOperation& application) {
  HEDDLE_TRY(const Traced traced, traced_layout(strided_part(application.left)));
  HEDDLE_TRY(const Layout tiles, cute::zipped_divide(traced.layout, application.right));
  Trace trace;
  const std::size_t places = to_size(tiles.mode(0).size());
  for (std::size_t flat = 0; flat < to_size(tiles.size()); ++flat) {
    const Key key{flat / places, flat % places};
    if (const auto element = traced_element(traced, tiles, flat))
      add_key(trace.left, *element, key);
  }
  for (std::size_t place = 0; place < places; ++place) add_key(trace.right, place, {kPlain, place});
  HEDDLE_TRY(const Layout result, divide(application.operation, traced.layout, application.right));
  for (std::size_t flat = 0; flat < to_size(result.size()); ++flat) {
    const auto element = traced_element(traced, result, flat);
    if (!element) continue;
    const auto found = trace.left.find(*element);
    if (found != trace.left.end()) add_key(trace.result, flat, found->second.keys.front());
  }
  trace.numbers = places;
  trace.colors = to_size(tiles.mode(1).size());
  trace.legend = "tile";
  return trace;
}

/// The key of a copy of an element of A is (the element of B, the element of A), which follows from
/// its index.
Result<Trace> trace_product(const AppliedOperation& application) {
  const Layout& block = strided_part(application.left);
  HEDDLE_TRY(const Layout copies, cute::zipped_product(block, application.right));
  Trace trace;
  Keys by_index;
  const std::size_t elements = to_size(copies.mode(0).size());
  for (std::size_t flat = 0; flat < to_size(copies.size()); ++flat) {
    const Int index = copies(Int(flat));
    if (index.is_constant())
      add_key(by_index, static_cast<std::size_t>(index.value()),
              {flat / elements, flat % elements});
  }
  const Layout& result = strided_part(application.result);
  for (std::size_t flat = 0; flat < to_size(result.size()); ++flat) {
    const Int index = result(Int(flat));
    if (!index.is_constant()) continue;
    const auto found = by_index.find(static_cast<std::size_t>(index.value()));
    if (found != by_index.end()) trace.result[flat] = found->second;
  }
  for (std::size_t i = 0; i < elements; ++i) add_key(trace.left, i, {kPlain, i});
  trace.numbers = elements;
  trace.colors = to_size(copies.mode(1).size());
  for (std::size_t copy = 0; copy < trace.colors; ++copy)
    add_key(trace.right, copy, {copy, kPlain});
  trace.legend = "element of B";
  return trace;
}

/// The flat coordinate in A of an element of a composition, unless it is past the end: B says it
/// itself, a tiler by mode by what it takes of the traced layout.
Result<std::function<std::optional<std::size_t>(std::size_t flat)>> picked_elements(
    const Layout& left, const Tiler& right) {
  if (const Layout* whole = whole_layout(right)) {
    return [whole, size = left.size()](std::size_t flat) -> std::optional<std::size_t> {
      const auto image = image_of(*whole, flat);
      const bool is_inside = image && image->is_leaf() && known_less(image->leaf(), size);
      return is_inside ? std::optional(to_size(image->leaf())) : std::nullopt;
    };
  }
  HEDDLE_TRY(Traced traced, traced_layout(left));
  HEDDLE_TRY(Layout picked, cute::composition(traced.layout, right));
  return [traced = std::move(traced), picked = std::move(picked)](std::size_t flat) {
    return traced_element(traced, picked, flat);
  };
}

/// The key of an element of the result is that of its origin in B. If there are few elements, each
/// has a colour; if many, those of a column share one.
Result<Trace> trace_composition(const AppliedOperation& application) {
  const Layout& left = strided_part(application.left);
  const Layout& result = strided_part(application.result);
  HEDDLE_TRY(const auto picked, picked_elements(left, application.right));
  Trace trace;
  const std::size_t size = to_size(result.size());
  const bool is_small = size <= static_cast<std::size_t>(kMaxColors);
  const std::size_t rows = result.rank() > 1 && !is_small ? to_size(result.mode(0).size()) : 1;
  for (std::size_t flat = 0; flat < size; ++flat) {
    const Key key{flat / rows, flat};
    add_key(trace.result, flat, key);
    add_key(trace.right, flat, key);
    if (const auto element = picked(flat)) add_key(trace.left, *element, key);
  }
  trace.numbers = size;
  trace.has_unique_numbers = true;
  trace.colors = size / rows;
  const bool has_operand = whole_layout(application.right) != nullptr;
  trace.legend = rows == 1 ? fmt::format("element of {}", has_operand ? "B" : "the result")
                           : fmt::format("column of {}", has_operand ? "B" : "the result");
  return trace;
}

Result<Trace> trace_elements(const AppliedOperation& application) {
  if (is_composition(application)) return trace_composition(application);
  return is_divide(application) ? trace_divide(application) : trace_product(application);
}

Result<void> check_tiler(const Tiler& tiler) {
  for (const cute::Tile& tile : tiler.leaves()) {
    if (const Layout* layout = tile.layout()) HEDDLE_CHECK(check_constant(*layout));
    if (const Int* size = tile.size()) HEDDLE_CHECK(check_constant(*size, cute::to_string(tiler)));
  }
  return {};
}

// The picture.

/// The number of colours to use, 8 or 32.
std::size_t color_count(const Trace& trace) {
  constexpr std::size_t kFew = 8;
  return std::min(trace.colors, trace.colors <= kFew ? kFew : std::size_t{kMaxColors});
}

/// `3#5` for number 5 with the colour 3, without either if it tells nothing, and `#5+2` if two more
/// elements come from this one.
std::string note_of(const Entry& entry, bool has_colors) {
  const Key& key = entry.keys.front();
  std::string note;
  if (has_colors && key.color != kPlain) note += std::to_string(key.color);
  if (key.number != kPlain) note += fmt::format("#{}", key.number);
  if (entry.keys.size() > 1) note += fmt::format("+{}", entry.keys.size() - 1);
  return note;
}

/// The numbers of the keys of a cell (Cell::elements), which cells of all panels share. A key
/// without a colour or a number stands for those with any.
std::vector<std::int64_t> elements_of(const Entry& entry, const Trace& trace) {
  std::vector<std::int64_t> elements;
  const auto range = [](std::size_t given, std::size_t count) {
    return given == kPlain ? Span{0, count} : Span{given, given + 1};
  };
  for (const Key& key : entry.keys) {
    const Span colors = range(key.color, trace.colors);
    const Span numbers = range(key.number, trace.numbers);
    // In a composition the number tells all.
    const std::size_t first = trace.has_unique_numbers ? 0 : colors.begin;
    const std::size_t last = trace.has_unique_numbers ? 1 : colors.end;
    for (std::size_t color = first; color < last; ++color) {
      for (std::size_t number = numbers.begin; number < numbers.end; ++number)
        elements.push_back(static_cast<std::int64_t>(color * trace.numbers + number));
    }
  }
  std::ranges::sort(elements);
  return elements;
}

Looks looks_of(const Keys& keys, const Trace& trace, std::size_t colors, bool has_colors) {
  const auto look = [&keys, colors, has_colors](std::size_t flat, const IntTuple&) {
    const auto found = keys.find(flat);
    if (found == keys.end()) return Look{};
    const Entry& entry = found->second;
    const std::size_t own = entry.keys.front().color;
    const std::size_t color = own == kPlain ? kPlain : own % colors;
    const std::string note = note_of(entry, has_colors);
    return Look{color, note, note};
  };
  const auto elements = [&keys, &trace](std::size_t flat) {
    const auto found = keys.find(flat);
    return found == keys.end() ? std::vector<std::int64_t>() : elements_of(found->second, trace);
  };
  return {look, "key", elements};
}

/// Adds the layout called `name`: its panels, and notes on what they leave out.
Result<void> add_named(Picture& picture, const std::string& name, const cute::AnyLayout& layout,
                       const PictureOptions& options, const Looks& looks) {
  Picture made;
  HEDDLE_CHECK(add_panels(made, layout, options, looks));
  for (Panel& panel : made.panels) {
    panel.label = panel.label.empty() ? fmt::format("{} = {}", name, layout_text(layout))
                                      : fmt::format("{}{}", name, panel.label);
    picture.panels.push_back(std::move(panel));
  }
  for (const std::string& note : made.notes)
    picture.notes.push_back(fmt::format("{}: {}", name, note));
  return {};
}

std::string title_of(const AppliedOperation& application) {
  const std::string right =
      whole_layout(application.right) != nullptr ? "B" : cute::to_string(application.right);
  return fmt::format("{}(A, {}) = {}", application.operation, right,
                     layout_text(application.result));
}

Result<Picture> result_alone(const AppliedOperation& application, const PictureOptions& options,
                             std::string reason) {
  HEDDLE_TRY(Picture alone, picture(application.result, options));
  alone.notes.push_back("the operands are not shown: " + std::move(reason));
  return alone;
}

std::string legend_of(const Trace& trace, std::size_t colors) {
  return trace.colors <= colors ? trace.legend : fmt::format("{} mod {}", trace.legend, colors);
}

std::string explanation(const AppliedOperation& application) {
  if (is_composition(application)) return "#n: element n of the result";
  if (is_divide(application)) return "m#n: element n of tile m";
  return "m#n: element n of A, in the copy for element m of B";
}

}  // namespace

bool is_drawn_operation(std::string_view name) {
  return std::ranges::find(kDrawn, name) != std::end(kDrawn);
}

Result<Picture> picture(const AppliedOperation& application, const PictureOptions& options) {
  HEDDLE_CHECK(check_constant(application.left));
  HEDDLE_CHECK(check_tiler(application.right));
  HEDDLE_CHECK(check_constant(application.result));
  if (!known_at_most(strided_part(application.result).size(), kMaxCells)) {
    return result_alone(application, options,
                        fmt::format("the result has more than {} elements", kMaxCells));
  }
  const auto trace = trace_elements(application);
  if (!trace) return result_alone(application, options, trace.error().message());
  Picture picture;
  picture.title = options.title.value_or(title_of(application));
  picture.colors = color_count(*trace);
  picture.legend = legend_of(*trace, picture.colors);
  // The numbers of a composition suffice without colours.
  const bool has_colors = !is_composition(application);
  const auto looks = [&](const Keys& keys) {
    return looks_of(keys, *trace, picture.colors, has_colors);
  };
  HEDDLE_CHECK(add_named(picture, "A", application.left, options, looks(trace->left)));
  if (const Layout* right = whole_layout(application.right))
    HEDDLE_CHECK(add_named(picture, "B", *right, options, looks(trace->right)));
  HEDDLE_CHECK(add_named(picture, "result", application.result, options, looks(trace->result)));
  picture.notes.push_back(explanation(application));
  return picture;
}

}  // namespace heddle::draw
