#include "heddle/axe/group.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "axe/layout/blocks.h"
#include "axe/layout/iters.h"
#include "heddle/axe/canonical.h"

namespace heddle::axe {
namespace {

Result<void> check_permutation(std::span<const std::int64_t> perm, std::size_t rank,
                               std::string_view what) {
  std::vector<std::int64_t> sorted(perm.begin(), perm.end());
  std::ranges::sort(sorted);
  bool is_one = sorted.size() == rank;
  for (std::size_t i = 0; is_one && i < rank; ++i) {
    is_one = sorted[i] == static_cast<std::int64_t>(i);
  }
  if (is_one) return {};
  return refuse("axe.permutation", fmt::format("({}) does not name each of the {} {} once",
                                               fmt::join(perm, ","), rank, what));
}

}  // namespace

Result<Grouping> group(const Layout& layout, std::span<const Int> shape) {
  HEDDLE_CHECK(check_admits(layout, shape, "group"));
  HEDDLE_TRY(Layout canonical, canonicalize(layout));
  const auto call = [&] {
    return fmt::format("group({}, {})", to_string(layout), tuple_text(shape));
  };
  HEDDLE_TRY(Blocks blocks, cut_into_blocks(canonical, shape, call));
  return Grouping{.layout = Unchecked::with_shard(std::move(canonical), std::move(blocks.iters)),
                  .seps = std::move(blocks.seps)};
}

Result<Layout> permute_dims(const Layout& layout, std::span<const std::int64_t> perm) {
  HEDDLE_CHECK(check_permutation(perm, layout.shard().size(), "iters"));
  std::vector<Iter> shard;
  for (const std::int64_t i : perm) shard.push_back(layout.shard()[static_cast<std::size_t>(i)]);
  return with_shard(layout, std::move(shard));
}

Result<Grouping> permute_groups(const Layout& layout, std::span<const Int> shape,
                                std::span<const std::int64_t> perm) {
  HEDDLE_CHECK(check_permutation(perm, shape.size(), "dimensions"));
  HEDDLE_TRY(const Grouping grouping, group(layout, shape));
  std::vector<Iter> shard;
  Grouping result{.layout = {}, .seps = {0}};
  for (const std::int64_t i : perm) {
    const std::span<const Iter> block = grouping.block(static_cast<std::size_t>(i));
    shard.insert(shard.end(), block.begin(), block.end());
    result.seps.push_back(shard.size());
  }
  HEDDLE_TRY(result.layout, with_shard(grouping.layout, std::move(shard)));
  return result;
}

Result<Grouping> reshape(const Layout& layout, std::span<const Int> shape) {
  return group(layout, shape);
}

Result<Layout> broadcast(const Layout& layout, const Int& extent, std::int64_t position) {
  const auto rank = static_cast<std::int64_t>(layout.shard().size());
  const std::int64_t place = position < 0 ? rank + 1 + position : position;
  if (place < 0 || place > rank) {
    return refuse("axe.position", fmt::format("{} has {} iters; there is no place {} among them",
                                              to_string(layout), rank, position));
  }
  std::vector<Iter> shard(layout.shard().begin(), layout.shard().end());
  shard.insert(shard.begin() + place, {extent, 0, Axis::memory()});
  return with_shard(layout, std::move(shard));
}

}  // namespace heddle::axe
