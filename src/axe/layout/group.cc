#include "heddle/axe/group.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "axe/layout/blocks.h"
#include "axe/layout/iters.h"
#include "core/text.h"
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
  return refuse("axe.permutation", "({}) does not name each of the {} {} once",
                fmt::join(perm, ","), rank, what);
}

}  // namespace

Result<Grouping> group(const Layout& layout, std::span<const Int> shape) {
  HEDDLE_CHECK(check_admits(layout, shape, "group"));
  HEDDLE_TRY(Layout canonical, canonicalize(layout));
  const auto call = [&] { return fmt::format("group({}, {})", layout, tuple_text(shape)); };
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
    return refuse("axe.position", "{} has {}; there is no place {} among them", layout,
                  counted(rank, "iter"), position);
  }
  std::vector<Iter> shard(layout.shard().begin(), layout.shard().end());
  shard.insert(shard.begin() + place, {extent, 0, Axis::memory()});
  return with_shard(layout, std::move(shard));
}

// ---- Grouping by several shapes ----

namespace {

using Shape = std::vector<Int>;

/// Whether the next extent of a shape, from the fast end, is 1.
bool at_unit(const Shape& rest) { return !rest.empty() && rest.back() == Int(1); }

/// Moves the units at this boundary into `common`, as many as either shape has.
void take_units(Shape& a, Shape& b, Shape& common) {
  while (at_unit(a) || at_unit(b)) {
    common.emplace_back(1);
    if (at_unit(a)) a.pop_back();
    if (at_unit(b)) b.pop_back();
  }
}

/// The coarsest shape of which both are products of neighbours, for shapes of one size.
Result<Shape> common_shape(const Shape& a, const Shape& b,
                           const std::function<std::string()>& call) {
  Shape left = a;
  Shape right = b;
  Shape common;  // fastest first
  take_units(left, right, common);
  while (!left.empty() && !right.empty()) {
    HEDDLE_TRY(const bool aligned, either_divides(left.back(), right.back(), call));
    if (!aligned) {
      return refuse(diagnose("axe.no_grouping", "{}: the shapes {} and {} cut across each other",
                             call(), tuple_text(a), tuple_text(b))
                        .with_note(fmt::format("of {} and {} neither divides the other",
                                               left.back(), right.back())));
    }
    const Int part = known_divides(left.back(), right.back()) ? left.back() : right.back();
    common.push_back(part);
    for (Shape* side : {&left, &right}) {
      if (known_equal(side->back(), part)) {
        side->pop_back();
      } else {
        side->back() = floor_div(side->back(), part);
      }
    }
    // The rest of a split extent is not a unit of the shape.
    take_units(left, right, common);
  }
  std::ranges::reverse(common);
  return common;
}

/// For each extent of `shape` the number of the common shape's extents whose product it is, fastest
/// first.
std::vector<std::size_t> parts(const Shape& shape, const Shape& common) {
  std::vector<std::size_t> counts;
  std::size_t next = common.size();
  for (std::size_t i = shape.size(); i-- > 0;) {
    const std::size_t before = next;
    Int product = 1;
    while (next > 0 && (next == before || !known_equal(product, shape[i]))) {
      product *= common[--next];
    }
    counts.push_back(before - next);
  }
  if (!counts.empty()) counts.back() += next;
  return counts;
}

std::vector<std::size_t> separators(const Shape& shape, const Shape& common,
                                    const Grouping& grouping) {
  std::vector<std::size_t> result = {grouping.seps.back()};
  std::size_t block = common.size();
  for (const std::size_t count : parts(shape, common)) {
    block -= count;
    result.push_back(grouping.seps[block]);
  }
  std::ranges::reverse(result);
  return result;
}

}  // namespace

Result<CommonGrouping> group_many(const Layout& layout, std::span<const Shape> shapes) {
  for (const Shape& shape : shapes) HEDDLE_CHECK(check_admits(layout, shape, "group_many"));
  const auto call = [&] {
    std::vector<std::string> texts;
    for (const Shape& shape : shapes) texts.push_back(tuple_text(shape));
    return fmt::format("group_many({}, {})", layout, fmt::join(texts, ", "));
  };
  Shape common = {size(layout)};
  if (!shapes.empty()) common = shapes.front();
  for (const Shape& shape : shapes) {
    HEDDLE_TRY(common, common_shape(common, shape, call));
  }
  HEDDLE_TRY(Grouping grouping, group(layout, common));
  CommonGrouping result;
  for (const Shape& shape : shapes) {
    result.seps.push_back(separators(shape, common, grouping));
  }
  result.layout = std::move(grouping.layout);
  return result;
}

// ---- Blocks ----

namespace {

/// Splits the shard list from its fastest end, at products of trailing extents.
class Cutter {
 public:
  Cutter(const Layout& canonical, const std::function<std::string()>& call)
      : layout_(canonical), rest_(canonical.shard().begin(), canonical.shard().end()), call_(call) {
    taken_.reserve(rest_.size() + 4);
  }

  /// Moves iters with this product of extents to the end of taken().
  Result<void> take(const Int& extent) {
    Int wanted = extent;
    while (wanted != Int(1) && !rest_.empty()) {
      Iter& fastest = rest_.back();
      if (fastest.extent == Int(1)) {
        rest_.pop_back();
        continue;
      }
      HEDDLE_TRY(const bool aligned, either_divides(fastest.extent, wanted, call_));
      if (!aligned) return no_grouping(wanted);
      if (known_divides(fastest.extent, wanted)) {
        wanted = floor_div(wanted, fastest.extent);
        taken_.push_back(fastest);
        level_ *= fastest.extent;
        rest_.pop_back();
        continue;
      }
      taken_.push_back({wanted, fastest.stride, fastest.axis});
      fastest = {floor_div(fastest.extent, wanted), fastest.stride * wanted, fastest.axis};
      level_ *= wanted;
      wanted = 1;
    }
    return {};
  }

  void take_unit() { taken_.emplace_back(); }

  /// The iters taken so far, fastest first.
  [[nodiscard]] std::vector<Iter>& taken() { return taken_; }

 private:
  /// Refuses a cut `wanted` into the fastest iter if neither divides the other. With P = the cut
  /// and q = the level after the iter, the step onto index q (or q mod P) and the step onto the
  /// same place of the next stretch of P indices differ, though every block's step would be the
  /// same there.
  [[nodiscard]] Refusal no_grouping(const Int& wanted) const {
    const Iter& iter = rest_.back();
    Diagnostic diagnostic =
        diagnose("axe.no_grouping", "{}: a boundary falls into an iter", call_());
    diagnostic =
        std::move(diagnostic)
            .with_note(fmt::format("the canonical shard list is {}",
                                   *Layout::make({layout_.shard().begin(), layout_.shard().end()})))
            .with_note(fmt::format(
                "a block needs {} of the iter {}, and of {} and {} neither divides the other",
                wanted, iter, wanted, iter.extent));
    const Int cut = wanted * level_;
    const Int level = iter.extent * level_;
    if (cut.is_constant() && level.is_constant()) {
      const Int inside = level.value() < cut.value() ? level : mod(level, cut);
      const Int other = level.value() < cut.value() ? level + cut : level;
      if (known_less(other, size(layout_))) {
        diagnostic = std::move(diagnostic)
                         .with_witness({.coordinate = fmt::format("{} to {}", other - 1, other),
                                        .found = step(other),
                                        .wanted = fmt::format("{}, as from {} to {}", step(inside),
                                                              inside - 1, inside),
                                        .wanted_by = "a block"});
      }
    }
    return refuse(std::move(diagnostic));
  }

  [[nodiscard]] std::string step(const Int& index) const {
    return "a step of " + to_string(shard_at(layout_, index) - shard_at(layout_, index - 1));
  }

  const Layout& layout_;
  std::vector<Iter> rest_;
  std::vector<Iter> taken_;
  Int level_ = 1;
  const std::function<std::string()>& call_;
};

}  // namespace

Result<Blocks> cut_into_blocks(const Layout& canonical, std::span<const Int> shape,
                               const std::function<std::string()>& call) {
  Cutter cutter(canonical, call);
  Blocks result;
  result.seps.reserve(shape.size() + 1);
  result.seps.push_back(0);  // iters from the fast end
  for (std::size_t i = shape.size(); i-- > 0;) {
    if (shape[i] == Int(1)) {
      cutter.take_unit();
    } else {
      HEDDLE_CHECK(cutter.take(shape[i]));
    }
    result.seps.push_back(cutter.taken().size());
  }
  result.iters = std::move(cutter.taken());
  std::ranges::reverse(result.iters);
  std::ranges::reverse(result.seps);
  for (std::size_t& end : result.seps) end = result.iters.size() - end;
  return result;
}

}  // namespace heddle::axe
