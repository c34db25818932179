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
#include "heddle/expr/index_variable.h"
#include "heddle/expr/proof.h"
#include "map/decide_digits.h"
#include "map/decide_methods.h"
#include "map/isl_door.h"
#include "map/isl_terms.h"
#include "map/view_parts.h"

namespace heddle::map {
namespace {

constexpr std::int64_t kMaxTabulatedPoints = 2048;

/// The numbers of a witness.
using WitnessPoint = std::vector<Int>;

/// A side of a claim as isl has it.
struct IslSide {
  isl::map map;
  std::function<std::string(const WitnessPoint&)> point_text;
};

std::string witness_tuple(std::span<const Int> numbers) {
  std::vector<std::string> texts;
  for (const Int& number : numbers) texts.push_back(to_string(number));
  return texts.size() == 1 ? texts.front() : fmt::format("({})", fmt::join(texts, ","));
}

// ---- Building ----

isl::set isl_box(IslSession& session, std::span<const Int> sizes, const isl::set& like) {
  isl_set* box = isl_set_universe(isl_set_get_space(like.get()));
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto position = static_cast<unsigned>(i);
    box = isl_set_lower_bound_si(box, isl_dim_set, position, 0);
    box = isl_set_upper_bound_val(box, isl_dim_set, position,
                                  value(session, sizes[i].value() - 1).release());
  }
  return isl::manage(box);
}

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
  const std::vector<Int> flat_extent = {map.size};
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
  if (!map.is_constant() || !known_at_most(map.size * map.copies, kMaxTabulatedPoints)) {
    throw NotAffine{"there are too many points to write each down"};
  }
  std::vector<std::string> rows;
  for (std::int64_t flat = 0; flat < map.size.value(); ++flat) {
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
                     point_variables(is_flat ? std::vector<Int>{map.size} : map.extents, map.order,
                                     map.copies),
                     is_flat),
      &Int::is_defined);
  return has_expression ? map_of_terms(session, map, is_flat) : map_of_table(session, map, is_flat);
}

IslSide isl_side(IslSession& session, const FlatMap& map, bool is_flat) {
  return {flat_relation(session, map, is_flat), [map, is_flat](const WitnessPoint& numbers) {
            std::vector<Int> point = numbers;
            if (is_flat) return map.point_text(point.front().value());
            if (map.order == form::FlatOrder::kFirstFastest) std::ranges::reverse(point);
            const Int flat = flat_of(map.extents, map.order, point);
            if (flat.is_constant()) return map.point_text(flat.value());
            return witness_tuple(point);
          }};
}

// ---- Witnesses ----

/// Values of the parameters, and a point.
struct Sample {
  WitnessPoint parameters;
  WitnessPoint point;
};

/// All its numbers fit into 64 bits; isl's own do not end there.
bool is_writable(const Sample& sample) {
  return std::ranges::all_of(sample.parameters, &Int::is_constant) &&
         std::ranges::all_of(sample.point, &Int::is_constant);
}

/// The least point, of the least parameters, where there is one.
std::optional<Sample> least_sample(const isl::set& set) {
  if (set.is_empty()) return std::nullopt;
  const auto parameters = static_cast<unsigned>(dimension(set, isl_dim_param));
  const isl::set all =
      isl::manage(isl_set_move_dims(set.copy(), isl_dim_set, 0, isl_dim_param, 0, parameters));
  const bool has_least = isl_set_is_bounded(all.get()) == isl_bool_true;
  const WitnessPoint numbers = coordinates((has_least ? all.lexmin() : all).sample_point());
  const auto split = numbers.begin() + static_cast<std::ptrdiff_t>(parameters);
  return Sample{{numbers.begin(), split}, {split, numbers.end()}};
}

isl::map at_parameters(const isl::map& map, const WitnessPoint& parameters) {
  isl_map* fixed = map.copy();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    fixed = isl_map_fix_val(fixed, isl_dim_param, static_cast<unsigned>(i),
                            isl_val_int_from_si(isl_map_get_ctx(fixed), parameters[i].value()));
  }
  return isl::manage(fixed);
}

isl::map at_point(const isl::map& map, const Sample& sample) {
  isl_map* fixed = at_parameters(map, sample.parameters).release();
  for (std::size_t i = 0; i < sample.point.size(); ++i) {
    fixed = isl_map_fix_val(fixed, isl_dim_in, static_cast<unsigned>(i),
                            isl_val_int_from_si(isl_map_get_ctx(fixed), sample.point[i].value()));
  }
  return isl::manage(fixed);
}

/// `5`, `{5, 9}`, `nothing`.
std::string witness_images(const isl::map& map, const Sample& sample) {
  constexpr std::size_t kShown = 4;
  struct Enough {};
  std::vector<std::string> texts;
  isl::set range = at_point(map, sample).range();
  if (isl_set_is_bounded(range.get()) != isl_bool_true) return "infinitely many images";
  try {
    range.foreach_point([&](const isl::point& image) {
      if (texts.size() == kShown) throw Enough();
      texts.push_back(witness_tuple(coordinates(image)));
    });
  } catch (const Enough&) {
    texts.emplace_back("…");
  }
  if (texts.empty()) return "nothing";
  return texts.size() == 1 ? texts.front() : fmt::format("{{{}}}", fmt::join(texts, ", "));
}

std::string parameters_text(const isl::set& set, const Sample& sample) {
  std::string text;
  for (std::size_t i = 0; i < sample.parameters.size(); ++i) {
    const char* name = isl_set_get_dim_name(set.get(), isl_dim_param, static_cast<unsigned>(i));
    text += fmt::format("{}{}={}", text.empty() ? " where " : ", ", name,
                        to_string(sample.parameters[i]));
  }
  return text;
}

// ---- Deciding ----

class IslDecision {
 public:
  IslDecision(IslSide a, std::optional<IslSide> b) : a_(std::move(a)), b_(std::move(b)) {
    if (!b_) return;
    // The same parameters in the same order.
    a_.map = aligned(a_.map, b_->map);
    b_->map = aligned(b_->map, a_.map);
  }

  [[nodiscard]] Verdict equal() const {
    const isl::set points =
        a_.map.subtract(b_->map).unite(b_->map.subtract(a_.map)).domain().coalesce();
    return empty_or(points, [&](const Sample& at) -> std::optional<Witness> {
      return Witness{text_at(a_, points, at), witness_images(a_.map, at),
                     witness_images(b_->map, at)};
    });
  }

  [[nodiscard]] Verdict injective() const { return no_earlier(a_, a_, true); }
  [[nodiscard]] Verdict disjoint() const { return no_earlier(a_, *b_, false); }

  [[nodiscard]] Verdict covers() const {
    const isl::set missing = b_->map.range().subtract(a_.map.range());
    const isl::set points = b_->map.intersect_range(missing).domain();
    return empty_or(points, [&](const Sample& at) -> std::optional<Witness> {
      return Witness{text_at(*b_, points, at), witness_images(b_->map, at), "no image of the first",
                     "the claim"};
    });
  }

  /// All images are in the set; `wanted` says what else was wanted.
  [[nodiscard]] Verdict inside(const isl::set& allowed, const std::string& wanted) const {
    const isl::set points = a_.map.intersect_range(a_.map.range().subtract(allowed)).domain();
    return empty_or(points, [&](const Sample& at) -> std::optional<Witness> {
      return Witness{text_at(a_, points, at), witness_images(a_.map, at), wanted, "the claim"};
    });
  }

  /// All of the set are images.
  [[nodiscard]] Verdict all_met(const isl::set& wanted) const {
    const isl::set missing = wanted.subtract(a_.map.range());
    return empty_or(missing, [&](const Sample& at) -> std::optional<Witness> {
      return Witness{parameters_text(missing, at),
                     "no coordinate maps to " + witness_tuple(at.point), "", "the claim"};
    });
  }

  /// No number between two images is left out.
  [[nodiscard]] Verdict without_gaps() const {
    const isl::set range = a_.map.range();
    const isl::set missing = hull_of(range).subtract(range);
    return empty_or(missing, [&](const Sample& at) -> std::optional<Witness> {
      return Witness{parameters_text(missing, at),
                     "no coordinate maps to " + witness_tuple(at.point), "", "the claim"};
    });
  }

  /// f(f(x)) = x, by the numbers of the points.
  [[nodiscard]] Verdict restores() const {
    const isl::map twice = a_.map.apply_range(a_.map);
    const isl::map identity = isl::manage(isl_map_identity(isl_map_get_space(a_.map.get())))
                                  .intersect_domain(a_.map.domain());
    const isl::set points = identity.subtract(twice).unite(twice.subtract(identity)).domain();
    return empty_or(points, [&](const Sample& at) -> std::optional<Witness> {
      return Witness{text_at(a_, points, at), witness_images(twice, at),
                     witness_tuple(at.point) + " itself", "the claim"};
    });
  }

  [[nodiscard]] const IslSide& a() const { return a_; }

 private:
  static isl::map aligned(const isl::map& map, const isl::map& model) {
    return isl::manage(isl_map_align_params(map.copy(), isl_map_get_space(model.get())));
  }

  static isl::set hull_of(const isl::set& range) {
    // { x : some image is below x, and one above }
    isl_space* space = isl_set_get_space(range.get());
    const isl::map greater = isl::manage(isl_map_lex_gt(isl_space_copy(space)));
    const isl::map less = isl::manage(isl_map_lex_lt(space));
    return range.apply(less).intersect(range.apply(greater));
  }

  template <class Show>
  [[nodiscard]] Verdict empty_or(const isl::set& points, Show show) const {
    const auto at = least_sample(points);
    if (!at) return Verdict::yes("isl");
    const std::optional<Witness> witness = is_writable(*at) ? show(*at) : std::nullopt;
    if (witness) return Verdict::no("isl", witness);
    return Verdict::no("isl").with_remark("what shows it lies past 64 bits");
  }

  [[nodiscard]] static std::string text_at(const IslSide& side, const isl::set& points,
                                           const Sample& at) {
    return side.point_text(at.point) + parameters_text(points, at);
  }

  /// No point of y has an image in common with one of x; where `before`, none before it.
  [[nodiscard]] Verdict no_earlier(const IslSide& x, const IslSide& y, bool before) const {
    isl::map meets = x.map.apply_range(y.map.reverse());
    if (before) {
      isl_space* space = isl_set_get_space(x.map.domain().get());
      const isl::map later = isl::manage(isl_map_lex_gt(space));
      meets = meets.intersect(aligned(later, meets));
    }
    const isl::set points = meets.domain();
    return empty_or(points, [&](const Sample& at) -> std::optional<Witness> {
      const auto least = least_sample(at_point(meets, at).range());
      if (!least || !is_writable(*least)) return std::nullopt;
      const Sample other{at.parameters, least->point};
      return Witness{
          text_at(x, points, at), witness_images(x.map, at),
          fmt::format("{} at {}", witness_images(y.map, other), y.point_text(other.point)),
          "the claim"};
    });
  }

  IslSide a_;
  std::optional<IslSide> b_;
};

Verdict answered(const Claim& claim, IslSession& session, const IslDecision& decision) {
  const auto are_numbers = [](std::span<const Int> numbers) {
    return std::ranges::all_of(numbers, &Int::is_constant);
  };
  switch (claim.question) {
    case Question::kEqual:
      return decision.equal();
    case Question::kInjective:
      return decision.injective();
    case Question::kDisjoint:
      return decision.disjoint();
    case Question::kCovers:
      return decision.covers();
    case Question::kInvolution:
      return decision.restores();
    case Question::kContiguous: {
      Verdict once = decision.injective();
      return once.is_yes() ? decision.without_gaps() : once;
    }
    case Question::kOnto: {
      if (!are_numbers(claim.sizes)) return Verdict::unknown("the box is symbolic");
      const isl::set box = isl_box(session, claim.sizes, decision.a().map.range());
      Verdict inside = decision.inside(box, "the box");
      return inside.is_yes() ? decision.all_met(box) : inside;
    }
    case Question::kWithin: {
      if (!are_numbers(std::vector<Int>{claim.low, claim.high})) {
        return Verdict::unknown("the limits are symbolic");
      }
      isl::set box = decision.a().map.range();
      isl_set* limits = isl_set_universe(isl_set_get_space(box.get()));
      for (unsigned i = 0; i < static_cast<unsigned>(dimension(box, isl_dim_set)); ++i) {
        limits = isl_set_lower_bound_val(limits, isl_dim_set, i,
                                         value(session, claim.low.value()).release());
        limits = isl_set_upper_bound_val(limits, isl_dim_set, i,
                                         value(session, claim.high.value() - 1).release());
      }
      return decision.inside(isl::manage(limits), fmt::format("{} to {}", to_string(claim.low),
                                                              to_string(claim.high - 1)));
    }
  }
  return Verdict::unknown("");
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
      return answered(claim, session, IslDecision(std::move(a), std::move(b)));
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
    const auto text = [](const WitnessPoint& point) { return witness_tuple(point); };
    IslSide left{without_names(read(session, a)), text};
    if (!b) return answered(claim, session, IslDecision(std::move(left), std::nullopt));
    IslSide right{without_names(read(session, *b)), text};
    if (const auto axes = common_axes(a.axes(), b->axes()); !axes.empty()) {
      left.map = on_axes(session, left.map, a.axes(), axes);
      right.map = on_axes(session, right.map, b->axes(), axes);
    }
    return answered(claim, session, IslDecision(std::move(left), std::move(right)));
  });
  return verdict ? *verdict : Verdict::unknown(verdict.error().message());
}

}  // namespace heddle::map
