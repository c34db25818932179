// Loops by isl's generation of syntax trees.

#include "heddle/map/loop_nest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <isl/ast.h>
#include <isl/ast_build.h>
#include <isl/id.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/union_map.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <ranges>
#include <set>
#include <span>
#include <utility>

#include "core/overloaded.h"
#include "core/text.h"
#include "expr/numbers_text.h"
#include "heddle/core/exact.h"
#include "heddle/map/decide.h"
#include "heddle/map/relations.h"
#include "map/isl/door.h"
#include "map/isl/pieces.h"
#include "map/isl/swizzled_loops.h"
#include "map/isl/terms.h"
#include "map/isl/verdicts.h"
#include "map/view/shown_digits.h"

namespace heddle::map {
namespace {

constexpr std::size_t kMaxNodes = 4096;

using AstNode = IslOwned<isl_ast_node, isl_ast_node_free>;
using AstExpression = IslOwned<isl_ast_expr, isl_ast_expr_free>;

using IntList = std::vector<Int>;

// ---- What is scanned ----

/// Expressions over the dimensions x0, x1, … of points and their images, by which points are
/// ordered, and how the loops over them are called.
struct Ranks {
  std::vector<std::string> expressions;
  std::vector<std::string> names;

  void add(std::string expression, std::string name) {
    expressions.push_back(std::move(expression));
    names.push_back(std::move(name));
  }
};

/// The digits of a layout from the greatest stride to the least, if each step of one is longer than
/// all shorter ones together: then the images are in their lexicographic order. nullopt for other
/// layouts.
std::optional<Ranks> digits_by_stride(const View& view, std::span<const std::string> coordinates) {
  struct Step {
    std::int64_t size = 0;
    std::int64_t extent = 1;
    std::string rank;
    std::string name;
  };
  if (!view.strided || view.strided->swizzle || view.axes.size() != 1 ||
      !view.strided->copies.empty()) {
    return std::nullopt;
  }
  std::vector<Step> steps;
  for (std::size_t i = 0; i < view.strided->modes.size(); ++i) {
    std::int64_t below = 1;
    const auto& digits = view.strided->modes[i];
    for (std::size_t d = 0; d < digits.size(); ++d) {
      const Int& extent = digits[d].extent;
      const Int& stride = digits[d].stride.front();
      if (!extent.is_constant() || !stride.is_constant()) return std::nullopt;
      const std::string digit =
          digits.size() == 1 ? fmt::format("x{}", i)
                             : fmt::format("(floor(x{}/{}) mod {})", i, below, extent.value());
      const exact::Value next = exact::multiply(below, extent.value());
      const exact::Value size = exact::absolute(stride.value());
      if (!next || !size) return std::nullopt;
      below = *next;
      if (*size == 0 || extent.value() == 1) continue;
      steps.push_back(
          {*size, extent.value(), (stride.value() < 0 ? "-" : "") + digit,
           digits.size() == 1 ? coordinates[i] : fmt::format("{}_{}", coordinates[i], d)});
    }
  }
  std::ranges::sort(steps, {}, &Step::size);
  exact::Value reach = 0;
  for (const Step& step : steps) {
    if (!reach || step.size <= *reach) return std::nullopt;
    const exact::Value longest = exact::multiply(step.size, step.extent - 1);
    reach = longest ? exact::add(*reach, *longest) : std::nullopt;
  }
  Ranks ranks;
  for (const Step& step : std::views::reverse(steps)) ranks.add(step.rank, step.name);
  return ranks;
}

/// The points that isl scans: those of the set, or those of a relation, each with its image if that
/// is no function of the point in few pieces or if it decides on the order.
struct Scanned {
  isl::set points;
  std::size_t coordinates = 0;
  /// How many of the last dimensions of `points` are those of the image.
  std::size_t images = 0;
  /// From points to images, of a relation.
  std::optional<isl::map> places;
  /// The image where it is no part of the points.
  std::function<IntList(std::span<const Int>)> image;
  /// Known to be so.
  bool is_injective = false;
  /// Ranks in the order of the images, where the digits of the layout show them.
  std::optional<Ranks> by_image = std::nullopt;
};

/// A rank for every point: its images under `map`, and how they are called.
struct Schedule {
  isl::map map;
  std::vector<std::string> names;
};

Refusal wrong_order(std::string message) { return refuse("loops.order", std::move(message)); }

std::string dimension_names(std::string_view letter, std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(fmt::format("{}{}", letter, i));
  return fmt::format("{}", fmt::join(names, ", "));
}

Schedule schedule_of(IslSession& session, const Scanned& scanned, Ranks ranks) {
  const std::string text =
      fmt::format("{{ [{}] -> [{}] }}", dimension_names("x", scanned.coordinates + scanned.images),
                  fmt::join(ranks.expressions, ", "));
  return {adopt(session, isl_map_read_from_str(session.get(), text.c_str())),
          std::move(ranks.names)};
}

class Ordering {
 public:
  Ordering(IslSession& session, const LoopOptions& options, const Scanned& scanned,
           const LoopNest& nest)
      : session_(session), options_(options), scanned_(scanned), nest_(nest) {}

  Result<Schedule> schedule() const {
    return std::visit(
        Overloaded{[&](LoopOrder order) { return named(order); },
                   [&](const DimensionOrder& order) { return permuted(order); },
                   [&](const IntegerRelation& relation) { return scheduled(relation); }},
        options_.order);
  }

 private:
  Result<void> check_no_tile(std::string_view order) const {
    if (options_.tile.empty()) return {};
    return wrong_order(fmt::format("tiles are of the dimensions of points, not of {}", order));
  }

  Result<Schedule> named(LoopOrder order) const {
    const DimensionOrder all = all_dimensions();
    if (order == LoopOrder::kDomain) return permuted(all);
    HEDDLE_CHECK(check_no_tile("images"));
    if (!scanned_.places) return wrong_order("a set has no images that could give an order");
    if (scanned_.by_image) {
      Ranks ranks = *scanned_.by_image;
      add_points(ranks, all);
      return schedule_of(session_, scanned_, std::move(ranks));
    }
    Ranks ranks;
    add_images(ranks);
    add_points(ranks, all);
    return schedule_of(session_, scanned_, std::move(ranks));
  }

  Result<Schedule> permuted(const DimensionOrder& order) const {
    DimensionOrder sorted = order;
    std::ranges::sort(sorted);
    bool is_permutation = sorted.size() == scanned_.coordinates;
    for (std::size_t i = 0; i < sorted.size(); ++i) is_permutation &= sorted[i] == i;
    if (!is_permutation) {
      return wrong_order(fmt::format("({}) is not a permutation of the {} of a point",
                                     fmt::join(order, ","),
                                     counted(std::ssize(nest_.coordinates), "dimension")));
    }
    HEDDLE_CHECK(check_tile());
    Ranks ranks;
    for (const std::size_t i : order) {
      if (options_.tile.empty() || options_.tile[i] == 1) continue;
      ranks.add(fmt::format("floor(x{}/{})", i, options_.tile[i]), nest_.coordinates[i] + "_tile");
    }
    add_points(ranks, order);
    add_images(ranks);
    return schedule_of(session_, scanned_, std::move(ranks));
  }

  Result<void> check_tile() const {
    if (options_.tile.empty()) return {};
    if (options_.tile.size() != scanned_.coordinates) {
      return wrong_order(fmt::format("a tile of {} for points of {}",
                                     counted(std::ssize(options_.tile), "size"),
                                     counted(std::ssize(nest_.coordinates), "dimension")));
    }
    for (const std::int64_t size : options_.tile) {
      if (size < 1) return wrong_order(fmt::format("a tile has no size {}", size));
    }
    return {};
  }

  Result<Schedule> scheduled(const IntegerRelation& relation) const {
    HEDDLE_CHECK(check_no_tile("ranks"));
    if (relation.inputs().size() != scanned_.coordinates) {
      return wrong_order(fmt::format("the schedule ranks points of {}, and these have {}",
                                     counted(std::ssize(relation.inputs()), "dimension"),
                                     scanned_.coordinates));
    }
    isl::map map = read(session_, relation);
    const isl::set ranked = only_points(scanned_.points);
    if (const auto missed = least_sample(ranked.subtract(map.domain()))) {
      return wrong_order(
          fmt::format("the schedule gives the point {} no rank", point_text(missed->point)));
    }
    map = map.intersect_domain(ranked);
    if (const auto twice = two_images(map)) {
      return wrong_order(fmt::format("the schedule gives the point {} two ranks, {} and {}",
                                     point_text(twice->point), point_text(twice->first),
                                     point_text(twice->second)));
    }
    Ranks points;
    add_points(points, all_dimensions());
    Ranks rest = points;
    add_images(rest);
    const Schedule by_point = schedule_of(session_, scanned_, std::move(points));
    const Schedule last = schedule_of(session_, scanned_, std::move(rest));
    isl_map* whole =
        isl_map_flat_range_product(by_point.map.apply_range(map).release(), last.map.copy());
    std::vector<std::string> names;
    for (std::size_t i = 0; i < relation.axes().size(); ++i)
      names.push_back(fmt::format("rank{}", i));
    names.insert(names.end(), last.names.begin(), last.names.end());
    return Schedule{isl::manage(whole), std::move(names)};
  }

  DimensionOrder all_dimensions() const {
    DimensionOrder all(scanned_.coordinates);
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
  }

  void add_points(Ranks& ranks, const DimensionOrder& order) const {
    for (const std::size_t i : order) ranks.add(fmt::format("x{}", i), nest_.coordinates[i]);
  }

  /// The points without their images.
  isl::set only_points(const isl::set& points) const {
    return isl::manage(isl_set_project_out(points.copy(), isl_dim_set,
                                           static_cast<unsigned>(scanned_.coordinates),
                                           static_cast<unsigned>(scanned_.images)));
  }

  void add_images(Ranks& ranks) const {
    for (std::size_t i = 0; i < scanned_.images; ++i) {
      ranks.add(fmt::format("x{}", scanned_.coordinates + i), nest_.places[i]);
    }
  }

  IslSession& session_;
  const LoopOptions& options_;
  const Scanned& scanned_;
  const LoopNest& nest_;
};

// ---- isl's trees ----

/// Thrown, within this file, for a tree that cannot be read.
struct NotReadable {
  Diagnostic why;
};

[[noreturn]] void give_up(std::string_view code, std::string message) {
  throw NotReadable{Diagnostic(code, std::move(message))};
}

class TreeReader {
 public:
  /// `is_parallel` tells it of the loop at a depth.
  TreeReader(IslSession& session, const Scanned& scanned, std::map<std::string, Int> variables,
             std::map<std::string, std::size_t> depths, std::vector<std::string> names,
             std::function<bool(std::size_t)> is_parallel)
      : session_(session),
        scanned_(scanned),
        variables_(std::move(variables)),
        depths_(std::move(depths)),
        names_(std::move(names)),
        is_parallel_(std::move(is_parallel)) {}

  std::vector<LoopNode> nodes(const AstNode& node, bool is_outermost) {
    std::vector<LoopNode> all;
    add(all, node, is_outermost);
    return all;
  }

 private:
  void count() {
    session_.check();
    if (++count_ > kMaxNodes) {
      give_up("relation.gave_up",
              fmt::format("loops: more than {} loops, conditions and visits", kMaxNodes));
    }
  }

  void add(std::vector<LoopNode>& to, const AstNode& node, bool is_outermost) {
    switch (isl_ast_node_get_type(node.get())) {
      case isl_ast_node_block: {
        const IslOwned<isl_ast_node_list, isl_ast_node_list_free> list(
            isl_ast_node_block_get_children(node.get()));
        const isl_size size = isl_ast_node_list_n_ast_node(list.get());
        for (int i = 0; i < size; ++i) {
          add(to, AstNode(isl_ast_node_list_get_ast_node(list.get(), i)), is_outermost);
        }
        return;
      }
      case isl_ast_node_for:
        return add_loop(to, node, is_outermost);
      case isl_ast_node_if:
        return add_guard(to, node, is_outermost);
      case isl_ast_node_user:
        return add_visit(to, node);
      default:
        give_up("relation.gave_up", "isl made a syntax tree of another kind");
    }
  }

  void add_loop(std::vector<LoopNode>& to, const AstNode& node, bool is_outermost) {
    count();
    const std::string name = name_of(AstExpression(isl_ast_node_for_get_iterator(node.get())));
    const AstExpression first(isl_ast_node_for_get_init(node.get()));
    const AstNode body(isl_ast_node_for_get_body(node.get()));
    if (isl_ast_node_for_is_degenerate(node.get()) == isl_bool_true) {
      const Int kept = std::exchange(variables_.at(name), number(first));
      add(to, body, is_outermost);
      variables_.at(name) = kept;
      return;
    }
    Loop loop;
    const std::size_t depth = depths_.at(name);
    loop.name = names_[depth];
    loop.variable = variables_.at(name);
    loop.firsts = parts_of(first, isl_ast_expr_op_max);
    const AstExpression last(isl_ast_node_for_get_cond(node.get()));
    const bool is_before = is_operation(last, isl_ast_expr_op_lt);
    if (!is_before && !is_operation(last, isl_ast_expr_op_le)) {
      give_up("relation.gave_up", "isl ended a loop by another condition than < or <=");
    }
    loop.ends = parts_of(argument(last, 1), isl_ast_expr_op_min);
    if (!is_before) {
      for (Int& end : loop.ends) end += 1;
    }
    const Int step = number(AstExpression(isl_ast_node_for_get_inc(node.get())));
    if (!step.is_constant() || step.value() < 1) {
      give_up("relation.gave_up", "isl made a loop whose step is not a positive number");
    }
    loop.step = step.value();
    stay_in_range(loop);
    loop.is_parallel = is_outermost && is_parallel_(depth);
    const Int kept = std::exchange(variables_.at(name), loop.variable);
    add(loop.body, body, is_outermost && !loop.is_parallel);
    variables_.at(name) = kept;
    to.push_back({std::move(loop)});
  }

  /// isl's loops may be longer than the range of their variable, with conditions within that hold
  /// for the right points only inside of it.
  static void stay_in_range(Loop& loop) {
    const Range known = range(loop.variable);
    const auto is_inside = [&](const Int& first) { return known_at_most(known.low, first); };
    const auto ends_inside = [&](const Int& end) { return known_at_most(end, known.high + 1); };
    if (known.high != Range::kNoHigh && std::ranges::none_of(loop.ends, ends_inside)) {
      loop.ends.emplace_back(known.high + 1);
    }
    if (known.low == Range::kNoLow || std::ranges::any_of(loop.firsts, is_inside)) return;
    if (loop.step == 1) {
      loop.firsts.emplace_back(known.low);
    } else {  // which starts at another number of its class
      loop.variable = Int::variable(loop.name, Range::kNoLow, known.high);
    }
  }

  void add_guard(std::vector<LoopNode>& to, const AstNode& node, bool is_outermost) {
    count();
    LoopGuard guard;
    guard.alternatives = alternatives(AstExpression(isl_ast_node_if_get_cond(node.get())));
    const auto always = [](const std::vector<Condition>& all) { return all.empty(); };
    if (std::ranges::any_of(guard.alternatives, always)) {
      return add(to, AstNode(isl_ast_node_if_get_then_node(node.get())), is_outermost);
    }
    add(guard.then, AstNode(isl_ast_node_if_get_then_node(node.get())), is_outermost);
    if (isl_ast_node_if_has_else_node(node.get()) == isl_bool_true) {
      add(guard.otherwise, AstNode(isl_ast_node_if_get_else_node(node.get())), is_outermost);
    }
    to.push_back({std::move(guard)});
  }

  void add_visit(std::vector<LoopNode>& to, const AstNode& node) {
    count();
    const AstExpression call(isl_ast_node_user_get_expr(node.get()));
    IntList all;
    for (std::size_t i = 0; i < scanned_.coordinates + scanned_.images; ++i) {
      all.push_back(number(argument(call, i + 1)));
    }
    Visit visit;
    const auto split = all.begin() + static_cast<std::ptrdiff_t>(scanned_.coordinates);
    visit.point.assign(all.begin(), split);
    visit.image.assign(split, all.end());
    if (scanned_.image) visit.image = scanned_.image(visit.point);
    to.push_back({std::move(visit)});
  }

  // Expressions.

  static bool is_operation(const AstExpression& expression, isl_ast_expr_op_type type) {
    return isl_ast_expr_get_type(expression.get()) == isl_ast_expr_op &&
           isl_ast_expr_op_get_type(expression.get()) == type;
  }
  static AstExpression argument(const AstExpression& expression, std::size_t i) {
    return AstExpression(isl_ast_expr_op_get_arg(expression.get(), static_cast<int>(i)));
  }
  static std::size_t size_of(const AstExpression& expression) {
    return static_cast<std::size_t>(isl_ast_expr_op_get_n_arg(expression.get()));
  }
  static std::string name_of(const AstExpression& expression) {
    const IslOwned<isl_id, isl_id_free> id(isl_ast_expr_id_get_id(expression.get()));
    return isl_id_get_name(id.get());
  }

  /// The operands of a maximum or minimum; the expression itself if it is none.
  IntList parts_of(const AstExpression& expression, isl_ast_expr_op_type type) {
    if (!is_operation(expression, type)) return {number(expression)};
    IntList all;
    for (std::size_t i = 0; i < size_of(expression); ++i) {
      const IntList part = parts_of(argument(expression, i), type);
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }

  Int number(const AstExpression& expression) {
    Int value = unchecked(expression);
    if (!value.is_defined()) {
      give_up(
          "overflow",
          "the loops: one of their expressions overflows 64 bits or exceeds the limit on terms");
    }
    return value;
  }

  Int unchecked(const AstExpression& expression) {
    if (expression == nullptr) isl::exception::throw_last_error(session_.context());
    switch (isl_ast_expr_get_type(expression.get())) {
      case isl_ast_expr_int: {
        const auto value = map::number(isl::manage(isl_ast_expr_int_get_val(expression.get())));
        return value ? Int(*value) : Int::undefined();
      }
      case isl_ast_expr_id:
        return variables_.at(name_of(expression));
      default:
        return operation(expression);
    }
  }

  Int operation(const AstExpression& expression) {
    const isl_ast_expr_op_type type = isl_ast_expr_op_get_type(expression.get());
    if (type == isl_ast_expr_op_cond || type == isl_ast_expr_op_select) {
      const auto when = alternatives(argument(expression, 0));
      const Int then = number(argument(expression, 1));
      return chosen(when, then, number(argument(expression, 2)));
    }
    Int value = number(argument(expression, 0));
    if (type == isl_ast_expr_op_minus) return -value;
    for (std::size_t i = 1; i < size_of(expression); ++i) {
      const Int next = number(argument(expression, i));
      switch (type) {
        case isl_ast_expr_op_add:
          value += next;
          break;
        case isl_ast_expr_op_sub:
          value -= next;
          break;
        case isl_ast_expr_op_mul:
          value *= next;
          break;
        case isl_ast_expr_op_max:
          value = max(value, next);
          break;
        case isl_ast_expr_op_min:
          value = min(value, next);
          break;
        case isl_ast_expr_op_div:  // without remainder
        case isl_ast_expr_op_fdiv_q:
        case isl_ast_expr_op_pdiv_q:
          value = floor_div(value, next);
          break;
        case isl_ast_expr_op_pdiv_r:
        case isl_ast_expr_op_zdiv_r:  // only compared with 0
          value = mod(value, next);
          break;
        default:
          give_up("relation.gave_up", "isl made an expression of another kind");
      }
    }
    return value;
  }

  static Int chosen(const std::vector<std::vector<Condition>>& when, const Int& then, Int value) {
    for (const std::vector<Condition>& all : when) {
      Int here = then;
      for (const Condition& condition : all) here = select(condition, here, value);
      value = here;
    }
    return value;
  }

  // Conditions, as alternatives of which one holds; one without conditions always does.

  std::vector<std::vector<Condition>> alternatives(const AstExpression& expression) {
    constexpr std::size_t kMost = 64;
    if (isl_ast_expr_get_type(expression.get()) == isl_ast_expr_int) {
      const bool is_true = number(expression) != Int(0);
      return std::vector<std::vector<Condition>>(is_true ? 1 : 0);
    }
    const isl_ast_expr_op_type type = isl_ast_expr_op_get_type(expression.get());
    const bool is_or = type == isl_ast_expr_op_or || type == isl_ast_expr_op_or_else;
    const bool is_and = type == isl_ast_expr_op_and || type == isl_ast_expr_op_and_then;
    if (!is_or && !is_and) return {{condition(expression)}};
    std::vector<std::vector<Condition>> all = alternatives(argument(expression, 0));
    for (std::size_t i = 1; i < size_of(expression); ++i) {
      const auto next = alternatives(argument(expression, i));
      all = is_or ? either(std::move(all), next) : both(all, next);
      if (all.size() > kMost)
        give_up("relation.gave_up", "loops: a condition of more than 64 alternatives");
    }
    return all;
  }

  static std::vector<std::vector<Condition>> either(std::vector<std::vector<Condition>> a,
                                                    const std::vector<std::vector<Condition>>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  }
  static std::vector<std::vector<Condition>> both(const std::vector<std::vector<Condition>>& a,
                                                  const std::vector<std::vector<Condition>>& b) {
    std::vector<std::vector<Condition>> all;
    for (const auto& first : a) {
      for (const auto& second : b) {
        all.push_back(first);
        all.back().insert(all.back().end(), second.begin(), second.end());
      }
    }
    return all;
  }

  Condition condition(const AstExpression& expression) {
    const isl_ast_expr_op_type type = isl_ast_expr_op_get_type(expression.get());
    const Int left = number(argument(expression, 0));
    const Int right = number(argument(expression, 1));
    switch (type) {
      case isl_ast_expr_op_eq:
        return {left, Predicate::kEqual, right};
      case isl_ast_expr_op_le:
        return {left, Predicate::kAtMost, right};
      case isl_ast_expr_op_lt:
        return {left, Predicate::kLess, right};
      case isl_ast_expr_op_ge:
        return {right, Predicate::kAtMost, left};
      case isl_ast_expr_op_gt:
        return {right, Predicate::kLess, left};
      default:
        give_up("relation.gave_up", "isl made a condition of another kind");
    }
  }

  IslSession& session_;
  const Scanned& scanned_;
  std::map<std::string, Int> variables_;
  /// By the names that isl has for the loops.
  std::map<std::string, std::size_t> depths_;
  std::vector<std::string> names_;
  std::function<bool(std::size_t)> is_parallel_;
  std::size_t count_ = 0;
};

// ---- Building ----

Int variable_within(const std::string& name, const Bounds& range) {
  return Int::variable(name, range.low.value_or(Range::kNoLow),
                       range.high.value_or(Range::kNoHigh));
}

/// A size as a variable, or what is known that it is.
Int size_of(const std::string& name, const Bindings& known) {
  const auto found = known.find(name);
  return found != known.end() ? found->second : Int::variable(name);
}

/// Names that differ from each other and from the sizes.
std::vector<std::string> distinct(std::vector<std::string> names, std::vector<std::string> taken) {
  for (std::string& name : names) {
    while (std::ranges::find(taken, name) != taken.end()) name += '_';
    taken.push_back(name);
  }
  return names;
}

/// The names of ranks, and then those of the dimensions that isl scans.
std::vector<std::string> with_points(std::vector<std::string> names, const Scanned& scanned,
                                     const LoopNest& nest) {
  names.insert(names.end(), nest.coordinates.begin(), nest.coordinates.end());
  if (scanned.images > 0) names.insert(names.end(), nest.places.begin(), nest.places.end());
  return names;
}

/// Whether no two numbers of the dimension `depth` of ranks, the ones before it being the same,
/// lead to a common image.
bool has_apart_images(const isl::map& images, std::size_t depth) {
  const auto at = static_cast<unsigned>(depth);
  const auto ranks = static_cast<unsigned>(dimension(images, isl_dim_in));
  const auto places = static_cast<unsigned>(dimension(images, isl_dim_out));
  isl_map* map = isl_map_project_out(images.copy(), isl_dim_in, at + 1, ranks - at - 1);
  map = isl_map_move_dims(map, isl_dim_in, at + 1, isl_dim_out, 0, places);
  map = isl_map_move_dims(map, isl_dim_out, 0, isl_dim_in, at, 1);
  return isl::manage(map).is_single_valued();
}

isl::map under_name(isl_map* map) {
  return isl::manage(isl_map_set_tuple_name(map, isl_dim_in, "visit"));
}

Result<std::vector<LoopNode>> nodes_of(IslSession& session, const Scanned& scanned,
                                       const Schedule& schedule, const isl::set& context,
                                       const LoopNest& nest, const Bindings& known) {
  const isl::map ranks = schedule.map.intersect_domain(scanned.points);
  const isl::set times = ranks.range();
  std::map<std::string, Int> variables;
  for (const std::string& name : nest.sizes) variables[name] = size_of(name, known);
  // If isl does not see that a rank has one point, it adds loops over the points of the rank.
  const std::size_t scheduled = schedule.names.size();
  const std::vector<std::string> names =
      distinct(with_points(schedule.names, scanned, nest), nest.sizes);
  std::map<std::string, std::size_t> depths;
  const auto id_of = [](std::size_t loop) { return fmt::format("heddle loop {}", loop); };
  for (std::size_t i = 0; i < names.size(); ++i) {
    depths[id_of(i)] = i;
    variables[id_of(i)] = variable_within(
        names[i], i < scheduled ? bounds(times, i) : bounds(scanned.points, i - scheduled));
  }
  // Nothing between here and the tree throws, so that the list does not outlive the session.
  isl_id_list* iterators = isl_id_list_alloc(session.get(), static_cast<int>(names.size()));
  for (std::size_t i = 0; i < names.size(); ++i) {
    iterators = isl_id_list_add(iterators, isl_id_alloc(session.get(), id_of(i).c_str(), nullptr));
  }
  // isl joins parts as coalesced() says, but not parts that have no point in common.
  // The variables of loops are ranks themselves, whose bounds are known, also where there are gaps.
  isl_options_set_ast_build_scale_strides(session.get(), 0);
  isl_ast_build* build = isl_ast_build_from_context(context.copy());
  build = isl_ast_build_set_iterators(build, iterators);
  AstNode tree(isl_ast_build_node_from_schedule_map(
      build, isl_union_map_from_map(under_name(isl_map_make_disjoint(ranks.copy())).release())));
  isl_ast_build_free(build);
  if (tree == nullptr) isl::exception::throw_last_error(session.context());
  std::optional<isl::map> images;
  if (scanned.places && !scanned.is_injective)
    images = ranks.reverse().apply_range(*scanned.places);
  const auto is_parallel = [&](std::size_t depth) {
    return scanned.is_injective ||
           (images && depth < scheduled && has_apart_images(*images, depth));
  };
  try {
    return TreeReader(session, scanned, std::move(variables), std::move(depths), names, is_parallel)
        .nodes(tree, true);
  } catch (const NotReadable& reason) {
    return refuse(reason.why);
  }
}

Result<LoopNest> nest_of(IslSession& session, const Scanned& scanned, LoopNest nest,
                         const isl::set& context, const LoopOptions& options) {
  if (isl_set_is_bounded(scanned.points.get()) != isl_bool_true) {
    return refuse(Diagnostic("relation.unbounded", "loops cannot visit infinitely many points")
                      .with_note(nest.visited));
  }
  HEDDLE_TRY(const Schedule schedule, Ordering(session, options, scanned, nest).schedule());
  HEDDLE_TRY(nest.nodes, nodes_of(session, scanned, schedule, context, nest, options.known));
  // A size may be known as a number, or as an expression of others.
  IntList sizes;
  for (const std::string& name : nest.sizes) sizes.push_back(size_of(name, options.known));
  const std::set<std::string> names = variables(sizes);
  nest.sizes.assign(names.begin(), names.end());
  return nest;
}

std::string order_text(const LoopOptions& options, std::span<const std::string> coordinates) {
  const std::string tiles =
      options.tile.empty() ? "" : fmt::format("tiles of ({}) in ", fmt::join(options.tile, ","));
  return std::visit(
      Overloaded{[&](LoopOrder order) {
                   return order == LoopOrder::kImage ? std::string("the order of the images")
                                                     : tiles + "lexicographic order";
                 },
                 [&](const DimensionOrder& order) {
                   std::vector<std::string> names;
                   for (const std::size_t i : order) {
                     names.push_back(i < coordinates.size() ? coordinates[i] : "?");
                   }
                   return fmt::format("{}the order of {}", tiles, fmt::join(names, ", "));
                 },
                 [&](const IntegerRelation& relation) {
                   return fmt::format("the order of {}", relation.text());
                 }},
      options.order);
}

/// The function that a relation is, if it is one in a single piece.
std::function<IntList(std::span<const Int>)> function_in(IslSession& session,
                                                         const IntegerRelation& relation,
                                                         const Bindings& known) {
  if (const auto box = box_function_of(relation); box != nullptr) {
    if (!box->copies.empty() || box->function.pieces.size() > 1) return nullptr;
    return [box](std::span<const Int> point) { return box->function(point); };
  }
  const auto function = function_of(session, relation);
  auto pieces = function ? piecewise(*function) : std::nullopt;
  if (!pieces || pieces->pieces.size() != 1) return nullptr;
  std::vector<Int> sizes;
  for (const std::string& name : relation.parameters()) sizes.push_back(size_of(name, known));
  return [pieces = *std::move(pieces), sizes](std::span<const Int> point) {
    IntList all(point.begin(), point.end());
    all.insert(all.end(), sizes.begin(), sizes.end());
    return pieces(all);
  };
}

/// The function that a layout is; nullptr if it has copies or no expression.
std::function<IntList(std::span<const Int>)> function_in(const View& view) {
  const bool has_expression = std::ranges::all_of(symbolic_image(view), &Int::is_defined);
  if (!view.is_function() || !has_expression) return nullptr;
  return [evaluate = view.evaluate](std::span<const Int> point) { return evaluate(point, 0); };
}

/// The pairs of a relation as points.
isl::set pairs_of(const isl::map& map) {
  return isl::manage(isl_set_flatten(isl_map_wrap(map.copy())));
}

/// From pairs to their images.
isl::map images_of_pairs(IslSession& session, std::size_t coordinates, std::size_t images) {
  std::vector<std::string> last;
  for (std::size_t i = 0; i < images; ++i) last.push_back(fmt::format("x{}", coordinates + i));
  const std::string text = fmt::format(
      "{{ [{}] -> [{}] }}", dimension_names("x", coordinates + images), fmt::join(last, ", "));
  return adopt(session, isl_map_read_from_str(session.get(), text.c_str()));
}

Result<LoopNest> nest_of_layout(IslSession& session, const AnyLayout& layout,
                                const IntegerRelation& relation, const IntegerSet& domain,
                                LoopNest nest, const LoopOptions& asked) {
  LoopOptions options = asked;
  Scanned scanned{read(session, domain), relation.inputs().size(), 0, {}, {}, false};
  const auto* order = std::get_if<LoopOrder>(&options.order);
  const bool is_by_image = order != nullptr && *order == LoopOrder::kImage;
  const bool is_relation = std::holds_alternative<IntegerRelation>(layout);
  const Result<View> seen = view(layout, options.limits);
  if (!seen && !is_relation) return refuse(seen.error());
  if (is_by_image && seen) scanned.by_image = digits_by_stride(*seen, nest.coordinates);
  if (!is_by_image || scanned.by_image) {
    scanned.image =
        is_relation ? function_in(session, relation, options.known) : function_in(*seen);
  }
  if (!scanned.image) scanned.by_image.reset();
  const isl::map map = read(session, relation);
  scanned.places = map;
  DecideOptions decide;
  decide.limits = options.limits;
  scanned.is_injective = injective(layout, decide).is_yes();
  if (!scanned.image) {
    scanned.images = relation.axes().size();
    scanned.points = pairs_of(map);
    scanned.places = images_of_pairs(session, scanned.coordinates, scanned.images);
  }
  isl::set context = agreeing_parameters(session, nest.sizes, options.known);
  if (!is_relation) {
    // The sizes of a layout are those of which it is one.
    const isl::set sizes = isl::manage(isl_set_params(map.domain().release()));
    context = context.intersect(sizes);
    for (std::size_t i = 0; i < nest.sizes.size(); ++i) {
      isl_set* values = isl_set_from_params(sizes.copy());
      values = isl_set_move_dims(values, isl_dim_set, 0, isl_dim_param, 0,
                                 static_cast<unsigned>(nest.sizes.size()));
      options.known.try_emplace(nest.sizes[i],
                                variable_within(nest.sizes[i], bounds(isl::manage(values), i)));
    }
  }
  return nest_of(session, scanned, std::move(nest), context, options);
}

/// Asks isl for loops. What is known of sizes may be no affine condition.
template <class Work>
Result<LoopNest> asked_for(const LoopNest& nest, const Limits& limits, Work work) {
  IslSession session(limits);
  return session.ask("loops", [&]() -> Result<LoopNest> {
    try {
      return work(session);
    } catch (const NotAffine& reason) {
      return refuse("relation.not_affine",
                    fmt::format("what is assumed of the sizes of {} is not affine: {}",
                                nest.visited, reason.reason));
    }
  });
}

/// Loops in the order of the places of a swizzled layout whose digits show them; otherwise nullopt.
std::optional<LoopNest> loops_of_swizzled(const AnyLayout& layout, const LoopOptions& options) {
  const auto* order = std::get_if<LoopOrder>(&options.order);
  if (order == nullptr || *order != LoopOrder::kImage || !options.tile.empty()) return std::nullopt;
  const Result<View> seen = view(layout, options.limits);
  if (!seen) return std::nullopt;
  auto nodes = loops_over_swizzled_places(*seen);
  if (!nodes) return std::nullopt;
  return LoopNest{
      to_string(layout), order_text(options, seen->names), seen->names, names_of(seen->axes), {},
      *std::move(nodes)};
}

/// Loops over the box of a layout that is no relation of isl's, because its strides are names:
/// isl orders the points, and the place is an expression. Otherwise refuses `why`.
Result<LoopNest> loops_of_box(const AnyLayout& layout, const LoopOptions& options,
                              const Diagnostic& why) {
  if (why.code() != "relation.not_affine") return refuse(why);
  const auto* order = std::get_if<LoopOrder>(&options.order);
  if (order != nullptr && *order == LoopOrder::kImage) {
    return refuse(Diagnostic(why).with_hint(
        "the order of images needs strides that are numbers; the other orders do not"));
  }
  HEDDLE_TRY(const View seen, view(layout, options.limits));
  const auto image = function_in(seen);
  if (image == nullptr || seen.leaves_out) return refuse(why);
  LoopNest nest{
      to_string(layout), order_text(options, seen.names), seen.names, names_of(seen.axes), {}, {}};
  return asked_for(nest, options.limits, [&](IslSession& session) -> Result<LoopNest> {
    const std::optional<SymbolicBox> box = symbolic_box(session, seen);
    if (!box) return refuse(why);
    nest.sizes = box->sizes;
    const Scanned scanned{box->points, seen.extents.size(), 0, {}, image, false};
    const isl::set context = agreeing_parameters(session, box->parameters, options.known);
    return nest_of(session, scanned, nest,
                   context.intersect(isl::manage(isl_set_params(box->points.copy()))), options);
  });
}

}  // namespace

Result<LoopNest> loops(const IntegerSet& set, const LoopOptions& options) {
  LoopNest nest{set.text(),
                order_text(options, set.names()),
                {set.names().begin(), set.names().end()},
                {},
                {set.parameters().begin(), set.parameters().end()},
                {}};
  return asked_for(nest, options.limits, [&](IslSession& session) {
    const Scanned scanned{read(session, set), set.names().size(), 0, {}, {}, true};
    const isl::set context = agreeing_parameters(session, set.parameters(), options.known);
    return nest_of(session, scanned, nest, context, options);
  });
}

Result<LoopNest> loops(const AnyLayout& layout, const LoopOptions& options) {
  if (auto nest = loops_of_swizzled(layout, options)) return *std::move(nest);
  const Result<IntegerRelation> related = map::relation(layout, options.limits);
  if (!related) return loops_of_box(layout, options, related.error());
  const IntegerRelation& relation = *related;
  HEDDLE_TRY(const IntegerSet domain, map::domain(relation, options.limits));
  LoopNest nest{to_string(layout),
                order_text(options, relation.inputs()),
                {relation.inputs().begin(), relation.inputs().end()},
                names_of(relation.axes()),
                {relation.parameters().begin(), relation.parameters().end()},
                {}};
  return asked_for(nest, options.limits, [&](IslSession& session) {
    return nest_of_layout(session, layout, relation, domain, nest, options);
  });
}

}  // namespace heddle::map
