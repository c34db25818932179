// heddle compare: where two layouts of any systems differ, as a verdict, a table and a picture.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "heddle/commands.h"
#include "heddle/draw/hub.h"
#include "heddle/draw/text.h"
#include "heddle/drawing.h"
#include "heddle/hub_text.h"
#include "heddle/map/decide.h"

namespace heddle::app {
namespace {

using map::AnyLayout;
using map::View;
using notation::Environment;

constexpr std::int64_t kMaxCompared = std::int64_t{1} << 20;

/// Two views on one box.
struct Pair {
  View a;
  View b;
};

/// A point at which they differ, with what each has there.
struct Difference {
  std::string point;
  std::string a;
  std::string b;
};

struct Comparison {
  Verdict verdict = Verdict::unknown("");
  /// Nothing where the two have no box in common, or a larger one than is looked at.
  std::optional<Pair> pair;
  std::vector<Difference> differences;
  std::int64_t points = 0;
};

bool same_box(const View& a, const View& b) {
  return std::ranges::equal(a.extents, b.extents,
                            [](const Int& x, const Int& y) { return known_equal(x, y); });
}

/// On the box of the one that has a shape of its own; else by flat index, each in its own order.
/// Nothing where they have different numbers of points.
std::optional<Pair> on_one_box(View a, View b) {
  const auto onto = [](View& view, std::vector<Int> shape) {
    auto other = map::reshaped(view, shape);
    if (other) view = *std::move(other);
  };
  if (!same_box(a, b)) {
    if (b.takes_any_shape) onto(b, a.extents);
    if (a.takes_any_shape) onto(a, b.extents);
  }
  if (!same_box(a, b)) {
    onto(a, {a.size()});
    onto(b, {b.size()});
  }
  if (!same_box(a, b)) return std::nullopt;
  // Indices with one value say nothing.
  std::vector<Int> shape;
  std::ranges::copy_if(a.extents, std::back_inserter(shape),
                       [](const Int& extent) { return !known_equal(extent, 1); });
  if (shape.empty()) shape.emplace_back(1);
  if (shape.size() < a.extents.size()) {
    onto(a, shape);
    onto(b, shape);
  }
  return Pair{std::move(a), std::move(b)};
}

/// Axes of the same names in the order of the first.
void match_axes(const View& a, View& b) {
  if (a.axes == b.axes || !std::ranges::is_permutation(a.axes, b.axes)) return;
  std::vector<std::size_t> picks;
  for (const Axis& axis : a.axes) {
    const auto found = std::ranges::find(b.axes, axis);
    picks.push_back(static_cast<std::size_t>(found - b.axes.begin()));
  }
  View matched;
  matched.system = b.system;
  matched.extents = b.extents;
  matched.names = b.names;
  matched.order = b.order;
  matched.axes = a.axes;
  matched.bounds.resize(a.axes.size());
  matched.copies = b.copies;
  matched.evaluate = [evaluate = b.evaluate, picks](std::span<const Int> point, const Int& copy) {
    const std::vector<Int> image = evaluate(point, copy);
    std::vector<Int> picked;
    for (const std::size_t pick : picks) picked.push_back(image[pick]);
    return picked;
  };
  b = std::move(matched);
}

std::string point_text(std::span<const Int> point) {
  std::vector<std::string> indices;
  for (const Int& index : point) indices.push_back(to_string(index));
  return indices.size() == 1 ? indices.front() : fmt::format("({})", fmt::join(indices, ","));
}

/// `5`, `(0,3)`, `{0,4}` of a point with copies.
std::string images_text(const std::vector<std::vector<Int>>& images) {
  std::vector<std::string> texts;
  for (const std::vector<Int>& image : images) texts.push_back(point_text(image));
  return texts.size() == 1 ? texts.front() : fmt::format("{{{}}}", fmt::join(texts, ","));
}

std::vector<Int> point_at(const View& view, std::int64_t flat) {
  std::vector<Int> point;
  for (const Int& extent : view.extents) {
    point.emplace_back(flat % extent.value());
    flat /= extent.value();
  }
  return point;
}

Result<std::vector<Difference>> differences_of(const Pair& pair, std::int64_t points) {
  std::vector<Difference> differences;
  for (std::int64_t flat = 0; flat < points; ++flat) {
    const std::vector<Int> point = point_at(pair.a, flat);
    HEDDLE_TRY(const auto here, map::images(pair.a, point));
    HEDDLE_TRY(const auto there, map::images(pair.b, point));
    if (here == there) continue;
    differences.push_back({point_text(point), images_text(here), images_text(there)});
  }
  return differences;
}

Result<Comparison> compared(const AnyLayout& a, const AnyLayout& b,
                            const Environment& environment) {
  Comparison comparison;
  comparison.verdict = map::equal(a, b, environment.context().decide);
  HEDDLE_TRY(View here, map::view(a, environment.context().decide.limits));
  HEDDLE_TRY(View there, map::view(b, environment.context().decide.limits));
  auto pair = on_one_box(std::move(here), std::move(there));
  if (!pair) return comparison;
  const Int size = pair->a.size();
  if (!size.is_constant() || size.value() > kMaxCompared) return comparison;
  comparison.points = size.value();
  if (comparison.verdict.is_yes()) return comparison;
  match_axes(pair->a, pair->b);
  HEDDLE_TRY(comparison.differences, differences_of(*pair, size.value()));
  comparison.pair = *std::move(pair);
  return comparison;
}

void print_table(const Console& console, const Comparison& comparison) {
  constexpr std::size_t kShown = 16;
  const std::vector<Difference>& all = comparison.differences;
  if (all.empty()) return;
  console.print_text(fmt::format("{} of {} points differ\n", all.size(), comparison.points));
  for (std::size_t i = 0; i < std::min(all.size(), kShown); ++i) {
    console.print_text(fmt::format("  {:<12} {:>8}  {:>8}\n", all[i].point, all[i].a, all[i].b));
  }
  if (all.size() > kShown) console.print_text(fmt::format("  … {} more\n", all.size() - kShown));
}

nlohmann::ordered_json json_of(const Comparison& comparison) {
  nlohmann::ordered_json json;
  json["verdict"] =
      nlohmann::ordered_json::parse(notation::to_json(notation::Value(comparison.verdict)));
  json["points"] = comparison.points;
  json["differences"] = nlohmann::ordered_json::array();
  for (const auto& [point, a, b] : comparison.differences) {
    json["differences"].push_back({{"coordinate", point}, {"a", a}, {"b", b}});
  }
  return json;
}

/// On a terminal what is small and differs in some places only: the table says the rest.
bool is_worth_drawing(const Comparison& comparison) {
  constexpr std::int64_t kMaxColumns = 16;
  constexpr std::int64_t kMaxPoints = 512;
  const std::vector<Int>& extents = comparison.pair->a.extents;
  const auto count = static_cast<std::int64_t>(comparison.differences.size());
  if (count == 0 || count == comparison.points || comparison.points > kMaxPoints) return false;
  return extents.size() <= 2 && extents.back().value() <= kMaxColumns;
}

/// The picture of both, on the terminal or as a file.
Result<void> draw(const Console& console, const Comparison& comparison,
                  const DrawOptions& options) {
  HEDDLE_TRY(const PictureFormat format, format_of(options.output));
  if (!comparison.pair) return {};
  const bool on_terminal = format == PictureFormat::kTerminal;
  if (on_terminal && (console.json() || !is_worth_drawing(comparison))) return {};
  HEDDLE_TRY(const draw::Picture picture,
             draw::difference_picture(comparison.pair->a, comparison.pair->b,
                                      options_for(format, draw::PictureOptions())));
  if (on_terminal) {
    console.print_text("\n" + draw::to_terminal(picture, terminal_style(options.color)));
    return {};
  }
  return write_picture(options.output, picture);
}

}  // namespace

ExitCode compare_layouts(const Console& console, const std::vector<std::string>& expressions,
                         const DrawOptions& options, const Environment& environment) {
  if (expressions.size() != 2) {
    return console.fail(
        Diagnostic("usage.expression",
                   fmt::format("compare needs two layouts, not {}", expressions.size()))
            .with_hint("heddle compare '(4,8):(8,1)' '(4,8):(1,4)'"));
  }
  std::vector<AnyLayout> layouts;
  for (const std::string& expression : expressions) {
    auto layout = any_layout_of(expression, environment);
    if (!layout) return console.fail(layout.error(), {expression, ""});
    layouts.push_back(*std::move(layout));
  }
  const auto comparison = compared(layouts[0], layouts[1], environment);
  if (!comparison) return console.fail(comparison.error());
  if (console.json()) {
    console.print_line(
        nlohmann::ordered_json{{"ok", true}, {"result", json_of(*comparison)}}.dump());
  } else {
    console.print_text(comparison->verdict.to_string() + "\n");
    print_table(console, *comparison);
  }
  const auto drawn = draw(console, *comparison, options);
  if (!drawn) return console.fail(drawn.error());
  return exit_code(comparison->verdict);
}

}  // namespace heddle::app
