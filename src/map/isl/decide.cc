// Decisions by isl: each side as an integer set relation, each question as a question about sets.
//
//   injective     pairs of points with a common image, the second before the first: none
//   onto          the box without the images, and the images without the box: both empty
//   …
//
// Points are written slowest index first, so that isl's least point is the smallest. Symbols are
// parameters if the map is affine in the points for each of their values.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <isl/map.h>
#include <isl/set.h>

#include <algorithm>
#include <numeric>

#include "core/text.h"
#include "expr/numbers_text.h"
#include "heddle/expr/proof.h"
#include "map/decide/digits.h"
#include "map/decide/methods.h"
#include "map/isl/door.h"
#include "map/isl/terms.h"
#include "map/isl/verdicts.h"
#include "map/view/shown_digits.h"

namespace heddle::map {
namespace {

constexpr std::int64_t kMaxTabulatedPoints = 2048;

// ---- Building ----

/// The map in the form that isl is asked about: from the number of its points if `is_flat`, else
/// from their coordinates, slowest index first. Its dimensions have no names.
View asked_view(const FlatMap& map, bool is_flat) {
  View view = static_cast<const View&>(map);
  view.strided.reset();
  view.bits.reset();
  if (is_flat) {
    view.extents = {map.points};
    view.evaluate = [map](std::span<const Int> point, const Int& copy) {
      return map.at(point.front(), copy);
    };
  } else if (map.order == form::FlatOrder::kFirstFastest) {
    std::vector<std::size_t> order(map.extents.size());
    std::iota(order.rbegin(), order.rend(), std::size_t{0});
    view = reordered(view, order);
  }
  view.names.assign(view.extents.size(), "");
  return view;
}

/// The relation point by point, for maps that have no index expression.
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
  const View view = asked_view(map, is_flat);
  const bool has_expression = std::ranges::all_of(symbolic_image(view), &Int::is_defined);
  return has_expression ? map_of_expressions(session, view) : map_of_table(session, map, is_flat);
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

/// The axes on which both are compared: all if the names of one side are among those of the other;
/// none if axes are matched by position.
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
      return answered(claim, std::move(a), std::move(b));
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
    return Verdict::unknown("the images are on several axes");
  if (claim.question == Question::kInvolution && a.inputs().size() != 1) {
    return Verdict::unknown("points have several coordinates");
  }
  IslSession session(options.limits);
  const auto verdict = session.ask("isl", [&] {
    IslSide left = relation_side(session, a);
    if (!b) return answered(claim, std::move(left), std::nullopt);
    IslSide right = relation_side(session, *b);
    if (const auto axes = common_axes(a.axes(), b->axes()); !axes.empty()) {
      left.map = on_axes(session, left.map, a.axes(), axes);
      right.map = on_axes(session, right.map, b->axes(), axes);
      left.axes = right.axes = given_names(axes);
    }
    return answered(claim, std::move(left), std::move(right));
  });
  return verdict ? *verdict : Verdict::unknown(verdict.error().message());
}

}  // namespace heddle::map
