// The refusals of convert(): proofs, in the notation of coordinates and values.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "map/forms/conversion.h"
#include "map/view/shown_digits.h"

namespace heddle::map {

std::string sample_text(std::span<const std::int64_t> point, std::span<const std::int64_t> value) {
  return fmt::format("f({}) = {}", commas(point), point_text(value));
}

Diagnostic no_layout(const Task& task, std::string why) {
  return Diagnostic("convert.no_layout",
                    fmt::format("{} has the map of {}", nobody(task.to), task.source))
      .with_note(std::move(why));
}

Diagnostic no_layout(const Task& task, std::string why, std::span<const std::int64_t> point,
                     std::span<const std::int64_t> found, std::span<const std::int64_t> wanted) {
  return no_layout(task, std::move(why))
      .with_witness({point_text(point), point_text(found), point_text(wanted),
                     std::string(description(task.to))});
}

NoLayout refusal_of(const Task& task) {
  return [&task](std::string why) { return no_layout(task, std::move(why)); };
}

Diagnostic undecided(const Task& task) {
  return undecided(
             task,
             fmt::format(
                 "its notation does not show the digits, and {} points are too many to evaluate",
                 to_string(task.view.size())))
      .with_hint(fmt::format("up to {} points are evaluated", kMaxConverted));
}

Diagnostic undecided(const Task& task, std::string_view why) {
  return {"convert.undecided", fmt::format("whether {} has the map of {} is not decided: {}",
                                           description(task.to), task.source, why)};
}

Diagnostic needs_numbers(const Task& task, const std::string& what) {
  return {"convert.symbolic", fmt::format("{} needs numbers: {} of {} is symbolic",
                                          description(task.to), what, task.source)};
}

Result<void> check_function(const Task& task) {
  if (task.view.is_function()) return {};
  const std::vector<Int> origin(task.view.extents.size(), Int(0));
  std::string images;
  for (std::int64_t copy = 0; copy < 2; ++copy) {
    std::vector<std::string> coordinates;
    const std::vector<Int> image = task.view.evaluate(origin, copy);
    for (std::size_t axis = 0; axis < image.size(); ++axis) {
      coordinates.push_back(
          fmt::format("{}@{}", to_string(image[axis]), task.view.axes[axis].name()));
    }
    images += fmt::format("{}{}", copy == 0 ? "" : " and ", fmt::join(coordinates, " + "));
  }
  return refuse(
      Diagnostic("convert.copies",
                 fmt::format("{} takes a point to one place, {} to {} of them",
                             description(task.to), task.source, to_string(task.view.copies)))
          .with_note(fmt::format("point 0 is at {}", images))
          .with_hint("--to axe or --to relation: these say where copies are"));
}

std::string join_names(std::span<const std::string> names) {
  return names.size() == 1 ? names.front() : fmt::format("({})", fmt::join(names, ","));
}

std::string join_axes(std::span<const Axis> axes) { return join_names(names_of(axes)); }

std::string direction_text(const View& view) {
  return fmt::format("{} -> {}", join_names(view.names), join_axes(view.axes));
}

std::string source_text(const AnyLayout& layout) {
  constexpr std::size_t kMaxText = 64;
  const std::string text = to_string(layout);
  if (text.size() <= kMaxText && text.find('\n') == std::string::npos) return text;
  const std::string_view words = description(system_of(layout));
  return fmt::format("the {}", words.substr(words.find(' ') + 1));
}

std::string nobody(System system) {
  std::string text(description(system));
  for (const std::string_view article : {"an ", "a "}) {
    if (text.starts_with(article)) return "no " + text.substr(article.size());
  }
  return "no " + text;
}

}  // namespace heddle::map
