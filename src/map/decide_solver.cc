// Decisions at symbolic points: the maps are evaluated on variables, and what ranges and normal
// forms leave open is asked of Z3.

#include <fmt/format.h>

#include <algorithm>

#include "heddle/expr/index_variable.h"
#include "heddle/expr/solver.h"
#include "map/decide_digits.h"
#include "map/view_parts.h"

namespace heddle::map {
namespace {

/// A point whose coordinates are variables.
struct SymbolicPoint {
  std::vector<Int> coordinates;
  Int flat;
};

class SolverQuestion {
 public:
  SolverQuestion(const Claim& claim, const DecideOptions& options)
      : claim_(claim),
        solver_({.time_limit = options.limits.time, .stop = options.limits.stop, .remembered = 0}) {
  }

  [[nodiscard]] Verdict decide() {
    switch (claim_.question) {
      case Question::kEqual:
        return equal();
      case Question::kInjective:
        return injective();
      case Question::kOnto:
        return onto();
      case Question::kContiguous:
        return contiguous();
      case Question::kDisjoint:
        return disjoint();
      case Question::kCovers:
        return Verdict::unknown("Z3 is not asked which images there are");
      case Question::kWithin:
        return within(claim_.low, claim_.high);
      case Question::kInvolution:
        return involution();
    }
    return Verdict::unknown("");
  }

 private:
  /// The mark keeps two points apart.
  [[nodiscard]] static SymbolicPoint point_of(const FlatMap& map, std::string_view mark) {
    SymbolicPoint point;
    for (std::size_t i = 0; i < map.extents.size(); ++i) {
      point.coordinates.push_back(
          index_variable(fmt::format("{}{}", map.names[i], mark), map.extents[i]));
    }
    point.flat = flat_of(map.extents, map.order, point.coordinates);
    return point;
  }

  /// All hold, or one fails.
  [[nodiscard]] Verdict all_hold(std::span<const Condition> conditions) const {
    Verdict all = Verdict::yes("normal forms");
    std::optional<Verdict> open;
    for (const Condition& condition : conditions) {
      if (known(condition)) continue;
      Verdict one = prove(condition);
      if (one.is_unknown()) one = solver_.prove(condition);
      if (one.is_no()) return one;
      if (one.is_unknown()) open = one;
      if (one.is_yes() && one.method() == Solver::name()) all = one;
    }
    return open.value_or(all);
  }

  /// Nowhere do all hold: yes; a no names the variables.
  [[nodiscard]] Verdict never(std::span<const Condition> conditions, std::string what) const {
    if (std::ranges::any_of(conditions, known_false)) return Verdict::yes("normal forms");
    const Verdict some = solver_.satisfiable(conditions);
    if (some.is_no()) return Verdict::yes(some.method());
    if (some.is_unknown()) return some;
    return Verdict::no(some.method(), Witness{some.remark(), std::move(what), ""});
  }

  [[nodiscard]] Verdict equal() const {
    const FlatMap& a = claim_.a;
    const FlatMap& b = *claim_.b;
    if (!claim_.is_function()) {
      const bool same_copies = a.digits && b.digits && a.digits->swizzle == b.digits->swizzle &&
                               are_alike(a.digits->copies, b.digits->copies);
      if (!same_copies) return Verdict::unknown("Z3 does not compare sets of copies");
    }
    std::vector<Int> left;
    std::vector<Int> right;
    if (claim_.same_points) {
      const SymbolicPoint point = point_of(a, "");
      left = a.evaluate(point.coordinates, 0);
      right = b.evaluate(point.coordinates, 0);
    } else {
      const Int flat = index_variable("c", a.size);
      left = a.at(flat, 0);
      right = b.at(flat, 0);
    }
    std::vector<Condition> conditions;
    for (std::size_t axis = 0; axis < left.size(); ++axis) {
      conditions.push_back({left[axis], Relation::kEqual, right[axis]});
    }
    return all_hold(conditions);
  }

  [[nodiscard]] Verdict injective() const {
    const FlatMap& map = claim_.a;
    const SymbolicPoint x = point_of(map, "");
    const SymbolicPoint y = point_of(map, "_2");
    const std::vector<Int> there = map.evaluate(x.coordinates, index_variable("copy", map.copies));
    const std::vector<Int> here = map.evaluate(y.coordinates, index_variable("copy_2", map.copies));
    std::vector<Condition> conditions = {{y.flat, Relation::kLess, x.flat}};
    for (std::size_t axis = 0; axis < there.size(); ++axis) {
      conditions.push_back({there[axis], Relation::kEqual, here[axis]});
    }
    return never(conditions, "the same image");
  }

  [[nodiscard]] Verdict disjoint() const {
    const SymbolicPoint x = point_of(claim_.a, "");
    const SymbolicPoint y = point_of(*claim_.b, "_2");
    const auto left = claim_.a.evaluate(x.coordinates, index_variable("copy", claim_.a.copies));
    const auto right =
        claim_.b->evaluate(y.coordinates, index_variable("copy_2", claim_.b->copies));
    std::vector<Condition> conditions;
    for (std::size_t axis = 0; axis < left.size(); ++axis) {
      conditions.push_back({left[axis], Relation::kEqual, right[axis]});
    }
    return never(conditions, "a common image");
  }

  [[nodiscard]] Verdict within(const Int& low, const Int& high) const {
    const SymbolicPoint point = point_of(claim_.a, "");
    std::vector<Condition> conditions;
    for (const Int& number :
         claim_.a.evaluate(point.coordinates, index_variable("copy", claim_.a.copies))) {
      conditions.push_back({low, Relation::kAtMost, number});
      conditions.push_back({number, Relation::kLess, high});
    }
    return all_hold(conditions);
  }

  /// As many points as the box has, all in it, no two on one: all of it.
  [[nodiscard]] Verdict onto() const {
    if (!claim_.is_function()) return Verdict::unknown("Z3 does not count copies");
    const SymbolicPoint point = point_of(claim_.a, "");
    const std::vector<Int> image = claim_.a.evaluate(point.coordinates, 0);
    std::vector<Condition> conditions;
    for (std::size_t axis = 0; axis < image.size(); ++axis) {
      conditions.push_back({0, Relation::kAtMost, image[axis]});
      conditions.push_back({image[axis], Relation::kLess, claim_.sizes[axis]});
    }
    Verdict inside = all_hold(conditions);
    if (!inside.is_yes()) return inside;
    const Condition as_many{claim_.a.size, Relation::kEqual, product_of(claim_.sizes)};
    if (!all_hold(std::span(&as_many, 1)).is_yes()) {
      return Verdict::unknown("the points are not known to be as many as the box has");
    }
    const Verdict once = injective();
    return once.is_no() ? Verdict::unknown("some image is met twice") : once;
  }

  [[nodiscard]] Verdict contiguous() const {
    if (claim_.a.axes.size() != 1 || !claim_.is_function()) {
      return Verdict::unknown("Z3 does not look for gaps");
    }
    Int low = 0;
    if (claim_.a.digits && !claim_.a.digits->swizzle) low = ends_of(*claim_.a.digits, 0).low;
    if (!within(low, low + claim_.a.size).is_yes()) {
      return Verdict::unknown("the images are not known to be an interval");
    }
    return injective();
  }

  [[nodiscard]] Verdict involution() const {
    const FlatMap& map = claim_.a;
    if (map.axes.size() != 1 || !claim_.is_function()) {
      return Verdict::unknown("the images are no coordinates");
    }
    Verdict inside = within(0, map.size);
    if (!inside.is_yes()) return inside;
    const SymbolicPoint point = point_of(map, "");
    const std::vector<Int> there = map.evaluate(point.coordinates, 0);
    const std::vector<Int> back = map.at(there.front(), 0);
    const Condition is_back{back.front(), Relation::kEqual, point.flat};
    return all_hold(std::span(&is_back, 1));
  }

  const Claim& claim_;
  Solver solver_;
};

}  // namespace

Verdict by_solver(const Claim& claim, const DecideOptions& options) {
  return SolverQuestion(claim, options).decide();
}

}  // namespace heddle::map
