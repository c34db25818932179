#include "heddle/axis_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <variant>

#include "heddle/notation/parser.h"
#include "heddle/notation/syntax.h"

namespace heddle::app {
namespace {

/// Shorter names are near many others.
constexpr std::size_t kLeastLength = 3;

void collect_axes(const notation::Expression& expression, std::set<std::string>& axes) {
  if (const auto* on = std::get_if<notation::OnAxis>(&expression.node)) axes.insert(on->axis);
  for (const notation::Expression& part : expression.parts) collect_axes(part, axes);
}

/// Whether one character is changed, inserted or left out.
bool is_one_edit(std::string_view a, std::string_view b) {
  const auto [left, right] = std::ranges::mismatch(a, b);
  a.remove_prefix(static_cast<std::size_t>(left - a.begin()));
  b.remove_prefix(static_cast<std::size_t>(right - b.begin()));
  while (!a.empty() && !b.empty() && a.back() == b.back()) {
    a.remove_suffix(1);
    b.remove_suffix(1);
  }
  return a.size() <= 1 && b.size() <= 1;
}

bool is_near(std::string_view name, std::string_view known) {
  if (name.size() < kLeastLength || known.size() < kLeastLength) return false;
  return is_one_edit(name, known) || known.starts_with(name);
}

/// The other name of a known axis that the table has under two; empty if there is none.
std::string other_name(std::string_view name) {
  if (name == "lane" || name == "warp") return std::string(name) + "id";
  if (name == "Lane" || name == "Col") return "T" + std::string(name);
  return {};
}

}  // namespace

std::vector<std::string> notes_on_axes(std::span<const std::string> expressions,
                                       const axe::AxisTable& known) {
  std::set<std::string> axes;
  for (const std::string& text : expressions) {
    if (const auto expression = notation::parse_expression(text)) collect_axes(*expression, axes);
  }
  std::vector<std::string> notes;
  for (const std::string& axis : axes) {
    if (known.find(Axis(axis))) {
      const std::string other = other_name(axis);
      if (!axes.contains(other)) continue;
      notes.push_back(
          fmt::format("@{} and @{} are two axes, though they count the same", axis, other));
      continue;
    }
    const auto near = std::ranges::find_if(
        known.axes(), [&](const axe::AxisInfo& info) { return is_near(axis, info.name); });
    if (near == known.axes().end()) continue;
    notes.push_back(fmt::format("@{} is a new axis; did you mean @{}?", axis, near->name));
  }
  return notes;
}

}  // namespace heddle::app
