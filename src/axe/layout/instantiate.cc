#include "heddle/axe/instantiate.h"

#include <utility>

namespace heddle::axe {
namespace {

Result<std::vector<Iter>> instantiate(std::span<const Iter> iters, const Bindings& bindings) {
  std::vector<Iter> result;
  for (const Iter& iter : iters) {
    HEDDLE_TRY(Int extent, heddle::instantiate(iter.extent, bindings));
    HEDDLE_TRY(Int stride, heddle::instantiate(iter.stride, bindings));
    result.push_back({std::move(extent), std::move(stride), iter.axis});
  }
  return result;
}

}  // namespace

Result<Layout> instantiate(const Layout& layout, const Bindings& bindings) {
  HEDDLE_TRY(std::vector<Iter> shard, instantiate(layout.shard(), bindings));
  HEDDLE_TRY(std::vector<Iter> replica, instantiate(layout.replica(), bindings));
  Coordinate offset;
  for (const auto& [axis, value] : layout.offset()) {
    HEDDLE_TRY(const Int number, heddle::instantiate(value, bindings));
    offset.add(axis, number);
  }
  return Layout::make(std::move(shard), std::move(replica), std::move(offset), layout.swizzle());
}

}  // namespace heddle::axe
