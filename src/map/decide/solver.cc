// Decisions at symbolic points: the maps are evaluated on variables; if ranges and normal forms do
// not settle the question, Z3 is asked.

#include <fmt/format.h>

#include <algorithm>

#include "heddle/expr/index_variable.h"
#include "heddle/expr/solver.h"
#include "map/decide/digits.h"
#include "map/view/shown_digits.h"

namespace heddle::map {
namespace {

/// A point whose coordinates are variables.
struct SymbolicPoint {
  std::vector<Int> coordinates;
  Int flat;
};

/// The map for these sizes, only for evaluation.
Result<FlatMap> map_for(const FlatMap& map, const Bindings& values) {
  FlatMap result;
  result.system = map.system;
  result.names = map.names;
  result.order = map.order;
  result.axes = map.axes;
  for (const Int& extent : map.extents) {
    HEDDLE_TRY(result.extents.emplace_back(), instantiate(extent, values));
  }
  HEDDLE_TRY(result.points, instantiate(map.points, values));
  HEDDLE_TRY(result.copies, instantiate(map.copies, values));
  result.evaluate = [evaluate = map.evaluate, values](std::span<const Int> point, const Int& copy) {
    std::vector<Int> image = evaluate(point, copy);
    for (Int& number : image) number = instantiate(number, values).value_or(Int::undefined());
    return image;
  };
  return result;
}

class SolverQuestion {
 public:
  SolverQuestion(const Claim& claim, const DecideOptions& options)
      : claim_(claim),
        solver_({.steps = options.limits.solver_steps(),
                 .stop = options.limits.stop,
                 .end = options.limits.end,
                 .remembered = 0}) {}

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
      case Question::kMeetAtZero:
        return meet_at_zero();
      case Question::kCovers:
        return Verdict::unknown("Z3 is not asked which images exist");
      case Question::kWithin:
        return within(claim_.low, claim_.high);
      case Question::kInvolution:
        return involution();
    }
    return Verdict::unknown("");
  }

 private:
  /// The prefix of the variables of a point, and of the second point of a pair; no size has such a
  /// name.
  static constexpr std::string_view kFirst = "x__";
  static constexpr std::string_view kSecond = "y__";

  [[nodiscard]] static std::string index_name(std::string_view point, std::size_t index) {
    return fmt::format("{}{}", point, index);
  }
  [[nodiscard]] static std::string flat_name(std::string_view point) {
    return fmt::format("{}flat", point);
  }
  [[nodiscard]] static std::string copy_name(std::string_view point) {
    return fmt::format("{}copy", point);
  }

  [[nodiscard]] static SymbolicPoint point_of(const FlatMap& map,
                                              std::string_view called = kFirst) {
    SymbolicPoint point;
    for (std::size_t i = 0; i < map.extents.size(); ++i) {
      point.coordinates.push_back(index_variable(index_name(called, i), map.extents[i]));
    }
    point.flat = flat_of(map.extents, map.order, point.coordinates);
    return point;
  }

  [[nodiscard]] static Int copy_of(const FlatMap& map, std::string_view called = kFirst) {
    return index_variable(copy_name(called), map.copies);
  }

  // ---- Points and sizes in the variables of a no ----

  /// Removes the coordinates of a point from the values, which leaves the sizes. Coordinates that
  /// do not occur in the conditions can have any value: 0.
  [[nodiscard]] static std::optional<std::int64_t> take_point(const FlatMap& map,
                                                              std::string_view called,
                                                              Bindings& values) {
    const auto taken = [&](const std::string& name) {
      const auto node = values.extract(name);
      return node ? node.mapped() : Int(0);
    };
    std::vector<Int> point;
    for (std::size_t i = 0; i < map.extents.size(); ++i) {
      point.push_back(taken(index_name(called, i)));
    }
    static_cast<void>(taken(copy_name(called)));
    // Only one of the two is not 0.
    const Int flat = flat_of(map.extents, map.order, point) + taken(flat_name(called));
    const Result<Int> number = instantiate(flat, values);
    if (!number || !number->is_constant()) return std::nullopt;
    return number->value();
  }

  /// The witness as the other methods would show it. nullopt if a value is no number.
  [[nodiscard]] std::optional<Witness> shown(const Witness& variables) const {
    if (!variables.numbers) return std::nullopt;
    Bindings values;
    for (const auto& [name, number] : variables.numbers->sizes) values[name] = number;
    const FlatMap& other = claim_.b ? *claim_.b : claim_.a;
    const auto second = take_point(other, kSecond, values);
    const auto first = take_point(claim_.a, kFirst, values);
    if (!first || !second) return std::nullopt;
    auto a = map_for(claim_.a, values);
    auto b = map_for(other, values);
    const auto low = instantiate(claim_.low, values);
    const auto high = instantiate(claim_.high, values);
    if (!a || !b || !low || !high || !low->is_constant() || !high->is_constant() ||
        !a->points.is_constant() || !a->copies.is_constant()) {
      return std::nullopt;
    }
    Claim here{claim_.question, *a, {}, {}, *low, *high, claim_.same_points};
    if (claim_.b) here.b = *b;
    const Witness witness = witness_at(here, *first, *second, *b);
    return values.empty() ? witness : where(witness, values);
  }

  [[nodiscard]] static std::string missed_limit(const Claim& here, std::int64_t point) {
    const auto images = here.a.image_numbers(point).value_or(WitnessNumbers::Images());
    const bool is_below = std::ranges::any_of(images, [&](const NamedNumbers& image) {
      return std::ranges::any_of(image.numbers,
                                 [&](std::int64_t number) { return number < here.low.value(); });
    });
    return is_below ? fmt::format("at least {}", here.low.value()) : below_text(here.high);
  }

  [[nodiscard]] static Witness witness_at(const Claim& here, std::int64_t first,
                                          std::int64_t second, const FlatMap& other) {
    switch (here.question) {
      case Question::kEqual:
        return difference_at(here, first);
      case Question::kWithin:
        return outside_at(here.a, first, missed_limit(here, first));
      case Question::kOnto:
        return outside_at(here.a, first, "the box");
      case Question::kInvolution:
        return not_restored_at(here.a, first);
      default:
        return collision_at(here.a, first, other, second);
    }
  }

  [[nodiscard]] Verdict refuted(const Verdict& verdict) const {
    if (!verdict.counterexample()) return verdict;
    const std::optional<Witness> witness = shown(*verdict.counterexample());
    return witness ? Verdict::no(verdict.method(), witness) : verdict;
  }

  // ---- Conditions ----

  /// Decides whether all conditions hold; one that fails makes a no.
  [[nodiscard]] Verdict all_hold(std::span<const Condition> conditions) const {
    Verdict all = Verdict::yes("normal forms");
    std::optional<Verdict> open;
    for (const Condition& condition : conditions) {
      if (known(condition)) continue;
      Verdict one = prove(condition);
      if (one.is_unknown()) one = solver_.prove(condition);
      if (one.is_no()) return refuted(one);
      if (one.is_unknown()) open = one;
      if (one.is_yes() && one.method() == Solver::name()) all = one;
    }
    return open.value_or(all);
  }

  /// Decides yes if the condition holds nowhere where the others hold.
  [[nodiscard]] Verdict never(const Condition& condition, std::span<const Condition> given) const {
    const auto is_false = [](const Condition& one) { return known_false(one); };
    if (is_false(condition) || std::ranges::any_of(given, is_false)) {
      return Verdict::yes("normal forms");
    }
    const Verdict verdict =
        solver_.prove({condition.left, Predicate::kNotEqual, condition.right}, given);
    return verdict.is_no() ? refuted(verdict) : verdict;
  }

  [[nodiscard]] Verdict equal() const {
    const FlatMap& a = claim_.a;
    const FlatMap& b = *claim_.b;
    if (!claim_.is_function()) {
      const bool same_copies = a.strided && b.strided && a.strided->swizzle == b.strided->swizzle &&
                               are_alike(a.strided->copies, b.strided->copies);
      if (!same_copies) return Verdict::unknown("Z3 does not compare sets of copies");
    }
    std::vector<Int> left;
    std::vector<Int> right;
    if (claim_.same_points) {
      const SymbolicPoint point = point_of(a);
      left = a.evaluate(point.coordinates, 0);
      right = b.evaluate(point.coordinates, 0);
    } else {
      const Int flat = index_variable(flat_name(kFirst), a.points);
      left = a.at(flat, 0);
      right = b.at(flat, 0);
    }
    std::vector<Condition> conditions;
    for (std::size_t axis = 0; axis < left.size(); ++axis) {
      conditions.push_back({left[axis], Predicate::kEqual, right[axis]});
    }
    return all_hold(conditions);
  }

  [[nodiscard]] Verdict injective() const { return no_common_image(claim_.a, true); }
  [[nodiscard]] Verdict disjoint() const { return no_common_image(*claim_.b, false); }

  /// Decides axis by axis that no common image has another number than 0 there.
  [[nodiscard]] Verdict meet_at_zero() const {
    Verdict all = Verdict::yes("normal forms");
    for (std::size_t axis = 0; axis < claim_.a.axes.size(); ++axis) {
      Verdict one = no_common_image(*claim_.b, false, axis);
      if (!one.is_yes()) return one;
      if (one.method() == Solver::name()) all = std::move(one);
    }
    return all;
  }

  /// Decides that no point has an image in common with the other map; with `before`, with a point
  /// before it; with `moved`, one that is not 0 on that axis.
  [[nodiscard]] Verdict no_common_image(const FlatMap& other, bool before,
                                        std::optional<std::size_t> moved = {}) const {
    const SymbolicPoint x = point_of(claim_.a);
    const SymbolicPoint y = point_of(other, kSecond);
    const std::vector<Int> there = claim_.a.evaluate(x.coordinates, copy_of(claim_.a));
    const std::vector<Int> here = other.evaluate(y.coordinates, copy_of(other, kSecond));
    if (there.size() != here.size()) return Verdict::unknown("the images are on other axes");
    std::vector<Condition> given;
    if (before) given.push_back({y.flat, Predicate::kLess, x.flat});
    if (moved) given.push_back({there[*moved], Predicate::kNotEqual, 0});
    // Without axes there is one place, which is the image of every point.
    if (there.empty()) return never({0, Predicate::kEqual, 0}, given);
    for (std::size_t axis = 1; axis < there.size(); ++axis) {
      given.push_back({there[axis], Predicate::kEqual, here[axis]});
    }
    return never({there[0], Predicate::kEqual, here[0]}, given);
  }

  [[nodiscard]] Verdict within(const Int& low, const Int& high) const {
    const SymbolicPoint point = point_of(claim_.a);
    std::vector<Condition> conditions;
    for (const Int& number : claim_.a.evaluate(point.coordinates, copy_of(claim_.a))) {
      conditions.push_back({low, Predicate::kAtMost, number});
      conditions.push_back({number, Predicate::kLess, high});
    }
    return all_hold(conditions);
  }

  /// If there are as many points as the box has, all in it and no two the same, they are all of it.
  [[nodiscard]] Verdict onto() const {
    if (!claim_.is_function()) return Verdict::unknown("Z3 does not count copies");
    const SymbolicPoint point = point_of(claim_.a);
    const std::vector<Int> image = claim_.a.evaluate(point.coordinates, 0);
    std::vector<Condition> conditions;
    for (std::size_t axis = 0; axis < image.size(); ++axis) {
      conditions.push_back({0, Predicate::kAtMost, image[axis]});
      conditions.push_back({image[axis], Predicate::kLess, claim_.sizes[axis]});
    }
    Verdict inside = all_hold(conditions);
    if (!inside.is_yes()) return inside;
    const Condition as_many{claim_.a.points, Predicate::kEqual, product_of(claim_.sizes)};
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
    if (claim_.a.strided && !claim_.a.strided->swizzle) low = ends_of(*claim_.a.strided, 0).low;
    if (!within(low, low + claim_.a.points).is_yes()) {
      return Verdict::unknown("the images are not known to be an interval");
    }
    return injective();
  }

  [[nodiscard]] Verdict involution() const {
    const FlatMap& map = claim_.a;
    if (map.axes.size() != 1 || !claim_.is_function()) {
      return Verdict::unknown("the images are not coordinates");
    }
    Verdict inside = within(0, map.points);
    if (!inside.is_yes()) return inside;
    const SymbolicPoint point = point_of(map);
    const std::vector<Int> there = map.evaluate(point.coordinates, 0);
    const std::vector<Int> back = map.at(there.front(), 0);
    const Condition is_back{back.front(), Predicate::kEqual, point.flat};
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
