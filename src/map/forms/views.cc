// Views made from other views: with other digits, on one axis, by threads and values.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/bits.h"
#include "core/text.h"
#include "map/forms/conversion.h"
#include "map/view/shown_digits.h"

namespace heddle::map {
namespace {

constexpr std::int64_t kLanes = 32;

View named(View view, std::vector<std::string> names) {
  view.names = std::move(names);
  return view;
}

}  // namespace

std::vector<Int> tile_of(const AnyLayout& layout) {
  const auto* tv = std::get_if<cute::TvLayout>(&layout);
  if (tv == nullptr) return {};
  const IntTuple shape = cute::tile_shape(*tv);
  return {shape.leaves().begin(), shape.leaves().end()};
}

Result<View> boxed(const AnyLayout& layout, const View& view,
                   const std::optional<std::vector<Int>>& shape) {
  if (shape) {
    HEDDLE_TRY(View other, reshaped(view, *shape));
    if (other.strided) other.strided = coalesced(*std::move(other.strided));
    return other;
  }
  const auto* axe_layout = std::get_if<axe::Layout>(&layout);
  if (axe_layout == nullptr) return view;
  return reshaped(view, axe::extents_of(axe_layout->shard()));
}

bool is_thread_name(std::string_view name) {
  return name == "lane" || name == "warp" || name == "block" || name == "thread";
}

View with_digits(View view, StridedView strided) {
  view.copies = 1;
  for (const form::Digit& digit : strided.copies) view.copies *= digit.extent;
  view.evaluate = [strided](std::span<const Int> point, const Int& copy) {
    return image_of(strided, point, copy);
  };
  view.strided = std::move(strided);
  view.bits.reset();
  view.relation.reset();
  complete(view);
  return view;
}

View with_bits(View view, BitView bits) {
  view.copies = 1;
  view.strided.reset();
  view.relation.reset();
  view.evaluate = [bits, extents = view.extents](std::span<const Int> point, const Int&) {
    std::uint64_t word = 0;
    int begin = 0;
    for (std::size_t i = 0; i < extents.size(); ++i) {
      if (!point[i].is_constant()) {
        return std::vector<Int>(bits.widths.size(), Int::undefined());
      }
      if (extents[i].value() > 1) word |= static_cast<std::uint64_t>(point[i].value()) << begin;
      begin += log2_exact(extents[i].value());
    }
    const std::vector<std::int64_t> image = unpacked(bits, bits.matrix(word) ^ bits.offset);
    return std::vector<Int>(image.begin(), image.end());
  };
  view.bits = std::move(bits);
  complete(view);
  return view;
}

Result<View> on_one_axis(const Task& task, const std::string& name) {
  View view = task.view;
  if (view.axes.size() == 1) {
    view.axes = {Axis(name)};
    return view;
  }
  for (std::size_t axis = 0; axis < view.axes.size(); ++axis) {
    if (view.bounds[axis]) continue;
    return refuse(
        no_layout(task, fmt::format("it leads to {}, and how far {} goes is not said",
                                    counted(view.axes.size(), "axis"), view.axes[axis].name())));
  }
  flatten_axes(view, Axis(name));
  HEDDLE_CHECK(check_defined(*view.bounds.front(), "the size of all axes"));
  complete(view);
  return view;
}

View with_lanes(View view, std::size_t thread) {
  const Int threads = view.extents[thread];
  if (!known_less(kLanes, threads)) {
    view.names[thread] = "lane";
    return view;
  }
  if (!known_divides(kLanes, threads)) return view;
  std::vector<Int> shape = view.extents;
  std::vector<std::string> names = view.names;
  const auto at = static_cast<std::ptrdiff_t>(thread);
  shape[thread] = kLanes;
  shape.insert(shape.begin() + at + 1, floor_div(threads, kLanes));
  names[thread] = "lane";
  names.insert(names.begin() + at + 1, "warp");
  View flat = view;
  flat.order = form::FlatOrder::kFirstFastest;
  const Result<View> split = reshaped(flat, shape);
  // Digits that do not end at a warp boundary stay whole.
  if (!split || (view.strided && !split->strided)) return view;
  return named(*split, std::move(names));
}

View places_of_thread_values(View view) {
  if (view.extents.size() != 2) return view;
  return with_lanes(named(reordered(view, std::vector<std::size_t>{1, 0}), {"register", "thread"}),
                    1);
}

Result<void> check_two_modes(const Task& task) {
  if (task.view.extents.size() == 2) return {};
  return refuse(
      Diagnostic("convert.shape", fmt::format("a thread-value layout has two modes, {} has {}",
                                              task.source, task.view.extents.size()))
          .with_hint("give the shape (threads,values)"));
}

Result<View> thread_values_of_places(const Task& task) {
  const View& view = task.view;
  std::vector<std::size_t> order;
  Int threads = 1;
  for (std::size_t i = 0; i < view.names.size(); ++i) {
    if (!is_thread_name(view.names[i])) continue;
    order.push_back(i);
    threads *= view.extents[i];
  }
  const bool has_register = std::ranges::find(view.names, "register") != view.names.end();
  if (order.empty() && !has_register) {
    HEDDLE_CHECK(check_two_modes(task));
    return view;
  }
  Int values = 1;
  for (std::size_t i = 0; i < view.names.size(); ++i) {
    if (is_thread_name(view.names[i])) continue;
    order.push_back(i);
    values *= view.extents[i];
  }
  View places = reordered(view, order);
  places.order = form::FlatOrder::kFirstFastest;
  HEDDLE_TRY(View result, reshaped(places, std::vector<Int>{threads, values}));
  result.names = {"thread", "value"};
  return result;
}

}  // namespace heddle::map
