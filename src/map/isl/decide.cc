// Decisions by isl: each side as an integer set relation, each question as one about sets.
//
//   injective     pairs of points with a common image, the second before the first: none
//   onto          the box without the images, and the images without the box: both empty
//   …
//
// Points are written slowest index first, so that isl's least one is the smallest. Symbols are
// parameters where the map is affine in the points for them.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <isl/aff.h>
#include <isl/map.h>
#include <isl/set.h>

#include <algorithm>

#include "core/text.h"
#include "expr/numbers_text.h"
#include "heddle/expr/index_variable.h"
#include "heddle/expr/proof.h"
#include "map/decide/digits.h"
#include "map/decide/methods.h"
#include "map/isl/decision.h"
#include "map/isl/door.h"
#include "map/isl/terms.h"
#include "map/view/digits.h"

namespace heddle::map {
namespace {

constexpr std::int64_t kMaxTabulatedPoints = 2048;

// ---- Building ----

/// What is asked of a map by isl: its points slowest index first, then the copy.
struct PointVariables {
  std::vector<std::string> names;
  std::vector<Int> extents;
  std::vector<Int> variables;
};

PointVariables point_variables(std::span<const Int> extents, form::FlatOrder order,
                               const Int& copies) {
  PointVariables all;
  const auto add = [&](std::string name, const Int& extent) {
    all.variables.push_back(index_variable(name, extent));
    all.extents.push_back(extent);
    all.names.push_back(std::move(name));
  };
  for (std::size_t step = 0; step < extents.size(); ++step) {
    const std::size_t i = order == form::FlatOrder::kLastFastest ? step : extents.size() - 1 - step;
    add(fmt::format("x__{}", i), extents[i]);
  }
  add("copy__", copies);
  return all;
}

/// The image at symbolic coordinates; `is_flat` where they are one number of the point.
std::vector<Int> symbolic_image(const FlatMap& map, const PointVariables& coordinates,
                                bool is_flat) {
  if (is_flat) return map.at(coordinates.variables[0], coordinates.variables[1]);
  std::vector<Int> point(coordinates.variables.begin(), coordinates.variables.end() - 1);
  if (map.order == form::FlatOrder::kFirstFastest) std::ranges::reverse(point);
  return map.evaluate(point, coordinates.variables.back());
}

/// By index expressions. Throws NotAffine.
isl::map map_of_terms(IslSession& session, const FlatMap& map, bool is_flat) {
  const std::vector<Int> flat_extent = {map.points};
  const PointVariables coordinates = point_variables(
      is_flat ? std::span<const Int>(flat_extent) : map.extents, map.order, map.copies);
  IslTerms terms(session, coordinates.names);
  isl::set domain = terms.universe();
  for (std::size_t i = 0; i < coordinates.names.size(); ++i) {
    const isl::pw_aff here = terms.coordinate(i);
    domain = domain.intersect(terms.constant(0).le_set(here));
    domain = domain.intersect(here.lt_set(terms(coordinates.extents[i])));
  }
  isl_map* result = isl_map_from_domain(domain.copy());
  bool is_first = true;
  for (const Int& number : symbolic_image(map, coordinates, is_flat)) {
    isl_map* one = isl_map_from_pw_aff(terms(number).release());
    result = is_first ? isl_map_intersect_domain(one, isl_map_domain(result))
                      : isl_map_flat_range_product(result, one);
    is_first = false;
  }
  result = isl_map_intersect_domain(result, domain.copy());
  const auto copy = static_cast<unsigned>(coordinates.names.size() - 1);
  result = isl_map_project_out(result, isl_dim_in, copy, 1);
  const auto inputs = static_cast<unsigned>(isl_map_dim(result, isl_dim_in));
  for (unsigned i = 0; i < inputs; ++i) {
    result = isl_map_set_dim_name(result, isl_dim_in, i, nullptr);
  }
  isl::map built = isl::manage(isl_map_reset_tuple_id(result, isl_dim_in));
  return built.intersect_params(terms.known().params());
}

/// WitnessPoint by point, for maps that have no index expression.
isl::map map_of_table(IslSession& session, const FlatMap& map, bool is_flat) {
  if (!map.is_constant() || !known_at_most(map.points * map.copies, kMaxTabulatedPoints)) {
    throw NotAffine{"there are too many points to write each down"};
  }
  std::vector<std::string> rows;
  for (std::int64_t flat = 0; flat < map.points.value(); ++flat) {
    std::vector<Int> point = {Int(flat)};
    if (!is_flat) point = point_of(map.extents, map.order, flat);
    if (!is_flat && map.order == form::FlatOrder::kFirstFastest) std::ranges::reverse(point);
    std::vector<std::string> at;
    for (const Int& index : point) at.push_back(to_string(index));
    for (std::int64_t copy = 0; copy < map.copies.value(); ++copy) {
      const auto image = map.numbers_at(flat, copy);
      if (!image) throw NotAffine{fmt::format("there is no value at {}", map.point_text(flat))};
      rows.push_back(fmt::format("[{}] -> [{}]", fmt::join(at, ","), fmt::join(*image, ",")));
    }
  }
  const std::string text = fmt::format("{{ {} }}", fmt::join(rows, "; "));
  return adopt(session, isl_map_read_from_str(session.get(), text.c_str()));
}

isl::map flat_relation(IslSession& session, const FlatMap& map, bool is_flat) {
  const bool has_expression = std::ranges::all_of(
      symbolic_image(map,
                     point_variables(is_flat ? std::vector<Int>{map.points} : map.extents,
                                     map.order, map.copies),
                     is_flat),
      &Int::is_defined);
  return has_expression ? map_of_terms(session, map, is_flat) : map_of_table(session, map, is_flat);
}

IslSide isl_side(IslSession& session, const FlatMap& map, bool is_flat) {
  const auto at_flat = [map](std::int64_t flat) {
    return ShownPoint{map.point_text(flat), map.point_numbers(flat)};
  };
  const auto shown = [map, is_flat, at_flat](const WitnessPoint& numbers) {
    std::vector<Int> point = numbers;
    if (is_flat) return at_flat(point.front().value());
    if (map.order == form::FlatOrder::kFirstFastest) std::ranges::reverse(point);
    const Int flat = flat_of(map.extents, map.order, point);
    const bool has_number = flat.is_constant();
    if (has_number && map.points.is_constant()) return at_flat(flat.value());
    ShownPoint result{point_text(point), {}};
    if (has_number) result.text = fmt::format("{} = {}", flat.value(), result.text);
    if (auto coordinate = named_numbers(point, given_names(map.names))) {
      result.numbers = WitnessNumbers::Point{*std::move(coordinate), {}};
      if (has_number) result.numbers->flat = flat.value();
    }
    return result;
  };
  return {flat_relation(session, map, is_flat), shown, given_names(map.axes)};
}

// ---- Relations ----

/// The images on these axes, 0 on one that the relation does not have.
isl::map on_axes(IslSession& session, const isl::map& map, std::span<const Axis> has,
                 std::span<const Axis> wants) {
  std::vector<std::string> from;
  std::vector<std::string> to;
  for (std::size_t i = 0; i < has.size(); ++i) from.push_back(fmt::format("m{}", i));
  for (const Axis& axis : wants) {
    const auto found = std::ranges::find(has, axis);
    to.push_back(found == has.end() ? "0" : from[static_cast<std::size_t>(found - has.begin())]);
  }
  const std::string text =
      fmt::format("{{ [{}] -> [{}] }}", fmt::join(from, ","), fmt::join(to, ","));
  return map.apply_range(adopt(session, isl_map_read_from_str(session.get(), text.c_str())));
}

/// The axes on which both are compared: all where the names of one side are among those of the
/// other; none where axes are matched by position.
std::vector<Axis> common_axes(std::span<const Axis> a, std::span<const Axis> b) {
  const auto is_among = [](std::span<const Axis> few, std::span<const Axis> many) {
    return std::ranges::all_of(
        few, [&](const Axis& axis) { return std::ranges::find(many, axis) != many.end(); });
  };
  if (is_among(b, a)) return {a.begin(), a.end()};
  return is_among(a, b) ? std::vector<Axis>(b.begin(), b.end()) : std::vector<Axis>();
}

isl::map without_names(isl::map map) {
  isl_map* raw = map.release();
  for (const isl_dim_type type : {isl_dim_in, isl_dim_out}) {
    const auto count = static_cast<unsigned>(isl_map_dim(raw, type));
    for (unsigned i = 0; i < count; ++i) raw = isl_map_set_dim_name(raw, type, i, nullptr);
  }
  return isl::manage(raw);
}

IslSide relation_side(IslSession& session, const IntegerRelation& relation) {
  const std::vector<std::string> names = given_names(relation.inputs());
  const auto shown = [names](const WitnessPoint& point) {
    ShownPoint result{point_text(point), {}};
    if (auto coordinate = named_numbers(point, names)) {
      result.numbers = WitnessNumbers::Point{*std::move(coordinate), {}};
    }
    return result;
  };
  return {without_names(read(session, relation)), shown, given_names(relation.axes())};
}

std::string axis_count(const IntegerRelation& relation) {
  const std::size_t count = relation.axes().size();
  return fmt::format("{} {}", count, count == 1 ? "axis" : "axes");
}

/// Why the two cannot be compared.
std::optional<std::string> misfit(const Claim& claim, const IntegerRelation& a,
                                  const IntegerRelation& b) {
  if (claim.question == Question::kEqual && a.inputs().size() != b.inputs().size()) {
    return fmt::format("points of {} and of {}", counted(std::ssize(a.inputs()), "coordinate"),
                       counted(std::ssize(b.inputs()), "coordinate"));
  }
  if (common_axes(a.axes(), b.axes()).empty() && a.axes().size() != b.axes().size()) {
    return fmt::format("images on {} and on {}", axis_count(a), axis_count(b));
  }
  return std::nullopt;
}

}  // namespace

Verdict by_isl(const Claim& claim, const DecideOptions& options) {
  IslSession session(options.limits);
  const bool is_flat = claim.question == Question::kInvolution ||
                       (claim.question == Question::kEqual && !claim.same_points);
  const auto verdict = session.ask("isl", [&]() -> Result<Verdict> {
    try {
      IslSide a = isl_side(session, claim.a, is_flat);
      std::optional<IslSide> b;
      if (claim.b) b = isl_side(session, *claim.b, is_flat);
      return answered(claim, session, std::move(a), std::move(b));
    } catch (const NotAffine& why) {
      return Verdict::unknown(why.reason);
    }
  });
  return verdict ? *verdict : Verdict::unknown(verdict.error().message());
}

Verdict by_relations(const Claim& claim, const IntegerRelation& a,
                     const std::optional<IntegerRelation>& b, const DecideOptions& options) {
  if (b) {
    if (const auto why = misfit(claim, a, *b)) return Verdict::unknown(*why);
  }
  if (claim.question == Question::kOnto && claim.sizes.size() != a.axes().size()) {
    return Verdict::unknown("give the sizes of the box");
  }
  const bool is_one_axis =
      claim.question == Question::kContiguous || claim.question == Question::kInvolution;
  if (is_one_axis && a.axes().size() != 1)
    return Verdict::unknown("the images lie on several axes");
  if (claim.question == Question::kInvolution && a.inputs().size() != 1) {
    return Verdict::unknown("points have several coordinates");
  }
  IslSession session(options.limits);
  const auto verdict = session.ask("isl", [&] {
    IslSide left = relation_side(session, a);
    if (!b) return answered(claim, session, std::move(left), std::nullopt);
    IslSide right = relation_side(session, *b);
    if (const auto axes = common_axes(a.axes(), b->axes()); !axes.empty()) {
      left.map = on_axes(session, left.map, a.axes(), axes);
      right.map = on_axes(session, right.map, b->axes(), axes);
      left.axes = right.axes = given_names(axes);
    }
    return answered(claim, session, std::move(left), std::move(right));
  });
  return verdict ? *verdict : Verdict::unknown(verdict.error().message());
}

}  // namespace heddle::map
