#include "axe/layout/iters.h"

#include <fmt/ranges.h>

#include <iterator>

#include "core/words.h"
#include "heddle/core/exact.h"

namespace heddle::axe {

std::string step_text(const Int& stride, const Axis& axis) {
  const std::string number = to_string(stride);
  const bool is_sum = stride.is_symbolic() && number.find_first_of("+-", 1) != std::string::npos;
  const std::string name = written_name(axis.name());
  return is_sum ? fmt::format("({})@{}", number, name) : fmt::format("{}@{}", number, name);
}

std::vector<Int> compact_strides(std::span<const Int> shape) {
  std::vector<Int> strides(shape.size());
  Int step = 1;
  for (std::size_t i = shape.size(); i-- > 0; step *= shape[i]) strides[i] = step;
  return strides;
}

bool is_constant(const Layout& layout) {
  const auto constant = [](const Iter& iter) { return is_constant(iter); };
  return std::ranges::all_of(layout.shard(), constant) &&
         std::ranges::all_of(layout.replica(), constant) &&
         std::ranges::all_of(layout.offset(),
                             [](const auto& entry) { return entry.second.is_constant(); });
}

std::vector<Iter> on_axis(std::span<const Iter> iters, const Axis& axis) {
  std::vector<Iter> result;
  std::ranges::copy_if(iters, std::back_inserter(result),
                       [&](const Iter& iter) { return iter.axis == axis; });
  return result;
}

std::optional<std::vector<std::int64_t>> points(std::span<const Iter> iters) {
  std::vector<std::int64_t> all = {0};
  for (const Iter& iter : iters) {
    if (!is_constant(iter)) return std::nullopt;
    const auto copies = static_cast<std::size_t>(iter.extent.value());
    if (copies > static_cast<std::size_t>(kMaxPlaces) / all.size()) return std::nullopt;
    const std::size_t before = all.size();
    all.reserve(before * copies);
    for (std::size_t step = 1; step < copies; ++step) {
      const Int shift = Int(step) * iter.stride;
      if (!shift.is_constant()) return std::nullopt;
      for (std::size_t i = 0; i < before; ++i) {
        const auto sum = exact::add(all[i], shift.value());
        if (!sum) return std::nullopt;
        all.push_back(*sum);
      }
    }
    sort_once(all);
  }
  return all;
}

Coordinate swizzled(const Layout& layout, Coordinate place) {
  if (const std::optional<Swizzle>& swizzle = layout.swizzle()) {
    place.set(swizzle->axis, (*swizzle)(place[swizzle->axis]));
  }
  return place;
}

void add_steps(std::span<const Iter> iters, const Int& index, Coordinate& sum) {
  Int rest = index;
  for (std::size_t i = iters.size(); i-- > 0 && rest != Int(0);) {
    const Iter& iter = iters[i];
    // The slowest digit needs no remainder, which keeps symbolic indices simple.
    const Int digit = i == 0 ? rest : mod(rest, iter.extent);
    sum.add(iter.axis, digit * iter.stride);
    rest = floor_div(rest, iter.extent);
  }
}

std::optional<Int> differing_index(const Layout& a, const Layout& b) {
  std::vector<Int> candidates;
  for (const Layout* layout : {&a, &b}) {
    Int level = 1;
    for (std::size_t i = layout->shard().size(); i-- > 0;) {
      candidates.insert(candidates.end(), {level - 1, level});
      level *= layout->shard()[i].extent;
    }
  }
  if (!std::ranges::all_of(candidates, &Int::is_constant)) return std::nullopt;
  std::ranges::sort(candidates, {}, &Int::value);
  for (const Int& index : candidates) {
    if (!known_less(index, size(a))) continue;
    if (shard_at(a, index) + a.offset() != shard_at(b, index) + b.offset()) return index;
  }
  return std::nullopt;
}

std::optional<Iter> iter_of(const form::Digit& digit, std::span<const Axis> axes) {
  Iter iter{digit.extent, 0, Axis::memory()};
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (digit.stride[i] == Int(0)) continue;
    if (iter.stride != Int(0)) return std::nullopt;
    iter = {digit.extent, digit.stride[i], axes[i]};
  }
  return iter;
}

Result<Layout> with_shard(const Layout& layout, std::vector<Iter> shard) {
  return Layout::make(std::move(shard), {layout.replica().begin(), layout.replica().end()},
                      layout.offset(), layout.swizzle());
}

Result<Layout> with_swizzle(const Layout& layout, const std::optional<Swizzle>& swizzle) {
  return Layout::make({layout.shard().begin(), layout.shard().end()},
                      {layout.replica().begin(), layout.replica().end()}, layout.offset(), swizzle);
}

Result<void> check_extents(std::span<const Int> shape) {
  for (const Int& extent : shape) {
    HEDDLE_CHECK(check_extent(extent, [&] { return "the shape " + tuple_text(shape); }));
  }
  return {};
}

std::string iter_text(const Iter& iter) {
  return fmt::format("{}:{}", iter.extent, step_text(iter.stride, iter.axis));
}

std::string iters_text(std::span<const Iter> iters) {
  std::vector<std::string> texts;
  for (const Iter& iter : iters) texts.push_back(iter_text(iter));
  return fmt::format("{}", fmt::join(texts, " "));
}

std::string factor_text(const Int& number) {
  return known_less(number, 0) ? fmt::format("({})", number) : to_string(number);
}

}  // namespace heddle::axe
