#include "axe/layout/blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "axe/layout/iters.h"

namespace heddle::axe {
namespace {

/// Takes the shard list apart from its fastest end, at products of trailing extents.
class Cutter {
 public:
  Cutter(const Layout& canonical, const std::function<std::string()>& call)
      : layout_(canonical), rest_(canonical.shard().begin(), canonical.shard().end()), call_(call) {
    taken_.reserve(rest_.size() + 4);
  }

  /// Moves iters with this product of extents behind taken().
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

  /// What was taken, fastest first.
  [[nodiscard]] std::vector<Iter>& taken() { return taken_; }

 private:
  /// A cut `wanted` into the fastest iter, of which neither divides the other. With P = the cut and
  /// q = the level behind the iter, one step onto index q (or q mod P) and one onto the same place
  /// of the next stretch of P indices differ, though every block's step would be the same there.
  [[nodiscard]] Refusal no_grouping(const Int& wanted) const {
    const Iter& iter = rest_.back();
    Diagnostic diagnostic("axe.no_grouping",
                          fmt::format("{}: a boundary falls into an iter", call_()));
    diagnostic =
        std::move(diagnostic)
            .with_note(fmt::format(
                "the canonical shard list is {}",
                to_string(*Layout::make({layout_.shard().begin(), layout_.shard().end()}))))
            .with_note(fmt::format("a block needs {} of the iter {}, and of {} and {} "
                                   "neither divides the other",
                                   to_string(wanted), to_string(iter), to_string(wanted),
                                   to_string(iter.extent)));
    const Int cut = wanted * level_;
    const Int level = iter.extent * level_;
    if (cut.is_constant() && level.is_constant()) {
      const Int inside = level.value() < cut.value() ? level : mod(level, cut);
      const Int other = level.value() < cut.value() ? level + cut : level;
      if (known_less(other, size(layout_))) {
        diagnostic =
            std::move(diagnostic)
                .with_witness(
                    {.coordinate = fmt::format("{} to {}", to_string(other - 1), to_string(other)),
                     .found = step(other),
                     .wanted = fmt::format("{}, as from {} to {}", step(inside),
                                           to_string(inside - 1), to_string(inside)),
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
