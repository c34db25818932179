#include "heddle/cute/fragment.h"

#include <utility>

#include "core/format.h"

namespace heddle::cute {
namespace {

using form::Fragment;

constexpr std::string_view kRegister = "register";

/// Places of a thread; the others tell threads and CTAs apart.
bool is_value(std::string_view place) {
  return place == kRegister || place == "shared" || place == "dp" || place == "column";
}

Result<void> check_used(const Fragment::Mode& mode, const Fragment::Extent& place) {
  if (!mode.unused) return {};
  return refuse("fragment.unused",
                "some of the {} {} places hold nothing; a layout maps every thread and value",
                place.size, place.name);
}

Result<void> check_ascending(const Fragment& fragment) {
  for (std::size_t index = 0; index < fragment.places().size(); ++index) {
    for (const Fragment::Mode& mode : fragment.modes_of_place(index)) {
      if (!mode.descending) continue;
      return refuse("fragment.descending", "{} 0 holds element {} of its run; a layout maps 0 to 0",
                    fragment.places()[index].name, mode.extent - 1);
    }
  }
  return {};
}

/// What one step along each dimension of the matrix adds to the element's number.
std::vector<std::int64_t> steps_of(const Fragment& fragment,
                                   const std::vector<std::string_view>& dims) {
  std::vector<std::int64_t> steps(fragment.dims().size());
  std::int64_t step = 1;
  for (const std::string_view name : dims) {
    const std::optional<std::size_t> dim = fragment.dim(name);
    if (!dim) continue;
    steps[*dim] = step;
    step *= fragment.dims()[*dim].size;
  }
  return steps;
}

/// `(32,2):(1,128)`, or one leaf for a single mode.
Result<Layout> layout_of(const std::vector<std::pair<std::int64_t, std::int64_t>>& modes) {
  if (modes.empty()) return make_layout(1, 0);
  if (modes.size() == 1) return make_layout(modes[0].first, modes[0].second);
  std::vector<Layout> layouts;
  for (const auto& [extent, stride] : modes) {
    HEDDLE_TRY(layouts.emplace_back(), make_layout(extent, stride));
  }
  return make_layout(layouts);
}

/// (thread, value) -> element, and the element at (0,0).
struct ThreadValues {
  Layout layout;
  std::int64_t offset = 0;
};

Result<ThreadValues> thread_values(const Fragment& fragment,
                                   const std::vector<std::string_view>& dims,
                                   std::string_view value_place) {
  const std::vector<std::int64_t> steps = steps_of(fragment, dims);
  std::vector<std::pair<std::int64_t, std::int64_t>> threads;
  std::vector<std::pair<std::int64_t, std::int64_t>> values;
  std::int64_t offset = 0;
  for (std::size_t index = 0; index < fragment.places().size(); ++index) {
    const Fragment::Extent& place = fragment.places()[index];
    const bool is_of_thread =
        place.name == value_place || (value_place == kRegister && is_value(place.name));
    auto& modes = is_of_thread ? values : threads;
    for (const Fragment::Mode& mode : fragment.modes_of_place(index)) {
      HEDDLE_CHECK(check_used(mode, place));
      if (!mode.index && !modes.empty() && modes.back().second == 0) {
        modes.back().first *= mode.extent;  // 4 warps of 32 lanes with the same are 128:0
        continue;
      }
      const std::int64_t stride = mode.index ? mode.stride * steps[*mode.index] : 0;
      modes.emplace_back(mode.extent, mode.descending ? -stride : stride);
      if (mode.descending) offset += (mode.extent - 1) * stride;
    }
  }
  HEDDLE_TRY(const Layout thread, layout_of(threads));
  HEDDLE_TRY(const Layout value, layout_of(values));
  HEDDLE_TRY(Layout layout, make_layout({thread, value}));
  return ThreadValues{std::move(layout), offset};
}

}  // namespace

Result<Layout> thread_value_layout(const Fragment& fragment,
                                   const std::vector<std::string_view>& dims) {
  HEDDLE_CHECK(check_ascending(fragment));
  HEDDLE_TRY(ThreadValues found, thread_values(fragment, dims, kRegister));
  return std::move(found.layout);
}

Result<AnyLayout> thread_value_map(const Fragment& fragment,
                                   const std::vector<std::string_view>& dims,
                                   std::string_view values) {
  HEDDLE_TRY(ThreadValues found, thread_values(fragment, dims, values));
  if (found.offset == 0) return AnyLayout(std::move(found.layout));
  HEDDLE_TRY(ComposedLayout map, ComposedLayout::make(Swizzle(), found.offset, found.layout));
  return AnyLayout(std::move(map));
}

}  // namespace heddle::cute
