// A picture as data, for pages and programs: columns of texts, colours and numbers instead of
// cells, so that a million cells are a few arrays.
//
//   2:5     {"title":"2:5","legend":"index mod 8","colors":8,"swatches":[{"background":"#bce1f7",…
//            "panels":[{…,"cells":{"text":[0,5],"note":null,"color":[0,5],"elements":[0,1],…}}]}

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "heddle/draw/palette.h"
#include "heddle/notation/picture.h"

namespace heddle::notation {
namespace {

using draw::Cell;
using draw::Panel;
using draw::Picture;
using draw::Ruler;

std::string hex_of(draw::Rgb color) {
  return fmt::format("#{:02x}{:02x}{:02x}", color.red, color.green, color.blue);
}

Datum swatches_of(const Picture& picture) {
  Datum::List swatches;
  for (std::size_t color = 0; color < picture.colors; ++color) {
    const draw::Swatch look = draw::swatch(color, picture.colors, picture.scale);
    swatches.emplace_back(Datum::Fields{
        {"background", hex_of(look.background)},
        {"ink", hex_of(look.ink)},
    });
  }
  return swatches;
}

/// The text as a number if it is one as Heddle writes it: `12`, and not `012`.
Datum number_or_text(const std::string& text) {
  constexpr std::size_t kExactDigits = 15;
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  const bool is_number = error == std::errc() && stopped == end && text.size() <= kExactDigits &&
                         std::to_string(number) == text;
  return is_number ? Datum(number) : Datum(text);
}

Datum ruler_datum(const Ruler& ruler) {
  Datum::List digits;
  for (const draw::Digit& digit : ruler.digits)
    digits.emplace_back(
        Datum::Fields{{"extent", digit.extent}, {"block", digit.block}, {"label", digit.label}});
  Datum::List groups;
  for (const draw::Group& group : ruler.groups)
    groups.emplace_back(
        Datum::Fields{{"begin", group.begin}, {"end", group.end}, {"name", group.name}});
  Datum gap = nullptr;
  if (ruler.gap) gap = Datum::List{ruler.gap->begin, ruler.gap->end};
  return Datum::Fields{
      {"length", ruler.length},
      {"gap", std::move(gap)},
      {"blocks", list_of(ruler.blocks)},
      {"digits", std::move(digits)},
      {"coordinates", list_of(ruler.coordinates)},
      {"names", list_of(ruler.names)},
      {"groups", std::move(groups)},
      {"is_mode", ruler.is_mode},
  };
}

/// The colour of a cell: a number, -1 for none, -2 for a hatched place.
std::int64_t color_of(const Cell& cell) {
  if (cell.color == draw::kPlain) return -1;
  return cell.color == draw::kHatched ? -2 : static_cast<std::int64_t>(cell.color);
}

/// One value for each cell.
template <class Value>
Datum column(const Panel& panel, Value value) {
  Datum::List list;
  list.reserve(panel.cells.size());
  for (const Cell& cell : panel.cells) list.emplace_back(value(cell));
  return list;
}

/// Numbers if each cell has one element, lists otherwise, null if no cell has any.
Datum elements_of(const Panel& panel) {
  const auto count = [](const Cell& cell) { return cell.elements.size(); };
  const auto is_empty = [](std::size_t size) { return size == 0; };
  const auto is_one = [](std::size_t size) { return size == 1; };
  if (std::ranges::all_of(panel.cells, is_empty, count)) return nullptr;
  if (std::ranges::all_of(panel.cells, is_one, count))
    return column(panel, [](const Cell& cell) { return cell.elements.front(); });
  return column(panel, [](const Cell& cell) { return list_of(cell.elements); });
}

/// One column for each fact; null if cells have none.
Datum facts_of(const Panel& panel) {
  const auto has_facts = [&](const Cell& cell) {
    return cell.facts.size() == panel.fact_names.size();
  };
  if (panel.fact_names.empty() || !std::ranges::all_of(panel.cells, has_facts)) return nullptr;
  Datum::List columns;
  for (std::size_t fact = 0; fact < panel.fact_names.size(); ++fact)
    columns.push_back(
        column(panel, [fact](const Cell& cell) { return number_or_text(cell.facts[fact]); }));
  return columns;
}

/// Adds a field by moving its value: an initializer list would copy a column of a million cells.
void add(Datum::Fields& fields, const char* name, Datum value) {
  fields.emplace_back(name, std::move(value));
}

Datum cells_datum(const Panel& panel) {
  const bool has_notes =
      !std::ranges::all_of(panel.cells, [](const Cell& cell) { return cell.note.empty(); });
  const auto note_of = [](const Cell& cell) { return cell.note; };
  Datum::Fields cells;
  add(cells, "text", column(panel, [](const Cell& cell) { return number_or_text(cell.text); }));
  add(cells, "note", has_notes ? column(panel, note_of) : Datum(nullptr));
  add(cells, "color", column(panel, color_of));
  add(cells, "elements", elements_of(panel));
  add(cells, "facts", facts_of(panel));
  return cells;
}

Datum panel_datum(const Panel& panel) {
  Datum place = nullptr;
  if (panel.place) place = Datum::List{panel.place->row, panel.place->column};
  Datum::Fields fields;
  add(fields, "label", panel.label);
  add(fields, "pattern", panel.pattern);
  add(fields, "rows", ruler_datum(panel.rows));
  add(fields, "columns", ruler_datum(panel.columns));
  add(fields, "cells", cells_datum(panel));
  add(fields, "fact_names", list_of(panel.fact_names));
  add(fields, "place", std::move(place));
  return fields;
}

}  // namespace

Datum to_datum(const draw::Picture& picture) {
  Datum::List panels;
  for (const Panel& panel : picture.panels) panels.push_back(panel_datum(panel));
  Datum::Fields fields;
  add(fields, "title", picture.title);
  add(fields, "legend", picture.legend);
  add(fields, "colors", picture.colors);
  add(fields, "swatches", swatches_of(picture));
  add(fields, "panels", std::move(panels));
  add(fields, "notes", list_of(picture.notes));
  return fields;
}

}  // namespace heddle::notation
