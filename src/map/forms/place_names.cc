// Renames axes when a layout goes from one system to another: laneid and warpid, tx, dim0.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/words.h"
#include "map/forms/conversion.h"
#include "map/view/shown_digits.h"

namespace heddle::map {
namespace {

struct PlaceName {
  std::string_view triton;
  std::string_view axe;
};

constexpr std::array kPlaces = {
    PlaceName{"register", "reg"}, PlaceName{"lane", "laneid"}, PlaceName{"warp", "warpid"},
    PlaceName{"thread", "tx"},    PlaceName{"block", "cta"},   PlaceName{"offset", "m"},
};

/// The number of threads in one step of a thread axis.
struct ThreadAxis {
  std::string_view name;
  std::int64_t threads;
};

constexpr std::array kThreadAxes = {
    ThreadAxis{"tx", 1},      ThreadAxis{"laneid", 1},     ThreadAxis{"tid_in_wg", 1},
    ThreadAxis{"warpid", 32}, ThreadAxis{"wid_in_wg", 32}, ThreadAxis{"wgid", 128},
    ThreadAxis{"lane", 1},    ThreadAxis{"warp", 32},
};

const ThreadAxis* thread_axis(const Axis& axis) {
  const auto found = std::ranges::find(kThreadAxes, axis.name(), &ThreadAxis::name);
  return found == kThreadAxes.end() ? nullptr : &*found;
}

/// Whether the axis counts threads as Triton does: laneid or warpid.
bool is_triton_axis(const Axis& axis) {
  return axis.name() == "laneid" || axis.name() == "warpid" || axis.name() == "lane" ||
         axis.name() == "warp";
}

/// The thread axes of the view as a single axis, tx.
View on_threads(View view) {
  std::vector<Axis> axes;
  std::vector<std::optional<Int>> bounds;
  std::vector<AxisPart> parts;
  std::optional<std::size_t> threads;
  for (std::size_t axis = 0; axis < view.axes.size(); ++axis) {
    const ThreadAxis* known = thread_axis(view.axes[axis]);
    const Int weight = known != nullptr ? known->threads : 1;
    if (known != nullptr && threads) {
      parts.push_back({threads, weight});
      continue;
    }
    parts.push_back({axes.size(), weight});
    if (known != nullptr) threads = axes.size();
    axes.push_back(known != nullptr ? Axis("tx") : view.axes[axis]);
    bounds.push_back(known != nullptr ? std::nullopt : view.bounds[axis]);
  }
  sum_axes(view, parts, std::move(axes), std::move(bounds));
  complete(view);
  return view;
}

bool has_axis(const View& view, std::string_view name) {
  return std::ranges::find(view.axes, name, &Axis::name) != view.axes.end();
}

std::string triton_name(const View& view, const Axis& axis) {
  // Registers are the memory of a single thread.
  if (axis.name() == "m" && !has_axis(view, "reg")) return "register";
  const auto found = std::ranges::find(kPlaces, axis.name(), &PlaceName::axe);
  return std::string(found == kPlaces.end() ? axis.name() : found->triton);
}

std::string axe_name(const std::string& name) {
  const auto found = std::ranges::find(kPlaces, name, &PlaceName::triton);
  return std::string(found == kPlaces.end() ? name : found->axe);
}

bool is_number(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) { return is_digit(c) || c == '.'; });
}

/// `0` is no valid name in other systems, so it becomes `dim0`, and `1.0` becomes `dim1_0`.
std::string dimension_name(std::string name) {
  std::ranges::replace(name, '.', '_');
  return "dim" + name;
}

/// The position of the name in Triton's order; unknown names come last.
std::size_t rank_of(std::string_view name) {
  constexpr std::array<std::string_view, 5> kOrder = {"register", "thread", "lane", "warp",
                                                      "block"};
  return static_cast<std::size_t>(std::ranges::find(kOrder, name) - kOrder.begin());
}

}  // namespace

View with_place_names(View view, System to) {
  const bool has_lanes = std::ranges::all_of(view.axes, [](const Axis& axis) {
    return thread_axis(axis) == nullptr || is_triton_axis(axis);
  });
  // Threads of a thread-value layout have one number, 32 for each warp.
  if (!has_lanes || to != System::kLinear) view = on_threads(std::move(view));
  std::vector<Axis> axes;
  for (const Axis& axis : view.axes) axes.emplace_back(triton_name(view, axis));
  view.axes = std::move(axes);
  for (std::string& name : view.names) {
    if (name.starts_with('c')) name = "dim" + name.substr(1);
  }
  return view;
}

View in_order_of_places(View view) {
  std::vector<std::size_t> order(view.names.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return rank_of(view.names[i]); });
  view = reordered(view, order);
  const auto thread = std::ranges::find(view.names, "thread");
  if (thread == view.names.end()) return view;
  const auto mode = static_cast<std::size_t>(thread - view.names.begin());
  return with_lanes(std::move(view), mode);
}

View with_names_of(System to, View view, bool turned) {
  if (to == System::kLinear) {
    for (std::string& name : view.names) {
      if (name == "m") name = "offset";
      const bool is_numbered = name.size() > 1 && name[0] == 'c' && is_number(name.substr(1));
      if (is_numbered) name = "dim" + name.substr(1);
    }
    for (std::size_t axis = 0; axis < view.axes.size(); ++axis) {
      const std::string& name = view.axes[axis].name();
      if (turned && name.size() > 1 && name[0] == 'c' && is_number(name.substr(1))) {
        view.axes[axis] = Axis("dim" + name.substr(1));
      } else if (name == "m") {
        view.axes[axis] = Axis("offset");
      } else if (is_number(name)) {
        view.axes[axis] = Axis(dimension_name(name));
      }
    }
  }
  if (to == System::kAxe) {
    for (Axis& axis : view.axes) {
      const std::string name = is_number(axis.name()) ? dimension_name(axis.name()) : axis.name();
      axis = Axis(turned ? axe_name(name) : name == "offset" ? "m" : name);
    }
  }
  return view;
}

}  // namespace heddle::map
