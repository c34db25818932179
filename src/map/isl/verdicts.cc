// isl's answers about relations, and the points that show them.

#include "map/isl/verdicts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <isl/map.h>
#include <isl/set.h>

#include <algorithm>
#include <utility>

#include "expr/numbers_text.h"
#include "heddle/expr/proof.h"

#include "map/isl/pieces.h"
#include "map/view/shown_digits.h"

namespace heddle::map {

std::optional<NamedNumbers> named_numbers(std::span<const Int> numbers,
                                          std::vector<std::string> names) {
  auto values = constants(numbers);
  if (!values) return std::nullopt;
  return NamedNumbers{*std::move(values), std::move(names)};
}

bool is_writable(const Sample& sample) {
  return constants(sample.parameters) && constants(sample.point);
}

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

Witness for_parameters(Witness witness, const isl::set& set, const Sample& at) {
  Bindings values;
  for (std::size_t i = 0; i < at.parameters.size(); ++i) {
    values[isl_set_get_dim_name(set.get(), isl_dim_param, static_cast<unsigned>(i))] =
        at.parameters[i];
  }
  return values.empty() ? witness : where(std::move(witness), values);
}

namespace {

// ---- Witnesses ----

isl::map at_point(const isl::map& map, const Sample& sample) {
  return fixed(fixed(map, isl_dim_param, sample.parameters), isl_dim_in, sample.point);
}

/// The text for the images of a point: `5`, `{5, 9}`, `nothing`.
struct ShownImages {
  std::string text;
  /// nullopt if there are more than a few.
  std::optional<WitnessNumbers::Images> numbers;
};

ShownImages witness_images(const isl::map& map, const Sample& sample,
                           const std::vector<std::string>& axes) {
  constexpr std::size_t kShown = 4;
  struct Enough {};
  std::vector<std::string> texts;
  std::optional<WitnessNumbers::Images> numbers(std::in_place);
  isl::set range = at_point(map, sample).range();
  if (isl_set_is_bounded(range.get()) != isl_bool_true) return {"infinitely many images", {}};
  try {
    range.foreach_point([&](const isl::point& image) {
      if (texts.size() == kShown) throw Enough();
      const WitnessPoint here = coordinates(image);
      texts.push_back(point_text(here));
      auto named = named_numbers(here, axes);
      if (!named) numbers.reset();
      if (numbers) numbers->push_back(*std::move(named));
    });
  } catch (const Enough&) {
    texts.emplace_back("…");
    numbers.reset();
  }
  if (numbers) {
    std::ranges::sort(*numbers, {}, &NamedNumbers::numbers);
    std::ranges::transform(*numbers, texts.begin(),
                           [](const NamedNumbers& image) { return point_text(image.numbers); });
  }
  if (texts.empty()) return {"nothing", std::move(numbers)};
  if (texts.size() == 1) return {texts.front(), std::move(numbers)};
  return {fmt::format("{{{}}}", fmt::join(texts, ", ")), std::move(numbers)};
}

// ---- Deciding ----

class IslDecision {
 public:
  IslDecision(IslSide a, std::optional<IslSide> b) : a_(std::move(a)), b_(std::move(b)) {
    if (!b_) return;
    // Gives both sides the same parameters in the same order.
    a_.map = aligned(a_.map, b_->map);
    b_->map = aligned(b_->map, a_.map);
  }

  [[nodiscard]] Verdict equal() const {
    const isl::set points =
        coalesced(a_.map.subtract(b_->map).unite(b_->map.subtract(a_.map)).domain());
    return empty_or(points, [&](const Sample& at) -> std::optional<Witness> {
      const ShownImages wanted = witness_images(b_->map, at, a_.axes);
      return found_at(a_, points, at, wanted.text, "a layout", wanted.numbers);
    });
  }

  [[nodiscard]] Verdict injective() const { return no_earlier(a_, a_, true); }
  [[nodiscard]] Verdict disjoint() const { return no_earlier(a_, *b_, false); }
  [[nodiscard]] Verdict meet_at_zero() const {
    const isl::set range = a_.map.range();
    const std::vector<std::int64_t> ones(dimension(range, isl_dim_set), 1);
    const isl::set moved = range.subtract(box_of(range, ones));
    return no_earlier({a_.map.intersect_range(moved), a_.shown, a_.axes}, *b_, false);
  }

  [[nodiscard]] Verdict covers() const {
    const isl::set missing = b_->map.range().subtract(a_.map.range());
    const isl::set points = b_->map.intersect_range(missing).domain();
    return empty_or(points, [&](const Sample& at) -> std::optional<Witness> {
      return found_at(*b_, points, at, "no image of the first");
    });
  }

  /// Decides whether all images are in the set; `wanted` describes the allowed ones.
  [[nodiscard]] Verdict inside(const isl::set& allowed, const std::string& wanted) const {
    const isl::set points = a_.map.intersect_range(a_.map.range().subtract(allowed)).domain();
    return empty_or(points, [&](const Sample& at) -> std::optional<Witness> {
      return found_at(a_, points, at, wanted);
    });
  }

  /// Decides whether every element of the set is an image.
  [[nodiscard]] Verdict all_met(const isl::set& wanted) const {
    const isl::set missing = wanted.subtract(a_.map.range());
    return empty_or(missing, [&](const Sample& at) -> std::optional<Witness> {
      return not_met_at(missing, at);
    });
  }

  /// Decides whether no number between two images is missing.
  [[nodiscard]] Verdict without_gaps() const {
    const isl::set range = a_.map.range();
    const isl::set missing = hull_of(range).subtract(range);
    return empty_or(missing, [&](const Sample& at) -> std::optional<Witness> {
      return not_met_at(missing, at);
    });
  }

  /// Decides whether f(f(x)) = x, by the numbers of the points.
  [[nodiscard]] Verdict restores() const {
    const isl::map twice = a_.map.apply_range(a_.map);
    const isl::map identity = isl::manage(isl_map_identity(isl_map_get_space(a_.map.get())))
                                  .intersect_domain(a_.map.domain());
    const isl::set points = identity.subtract(twice).unite(twice.subtract(identity)).domain();
    return empty_or(points, [&](const Sample& at) -> std::optional<Witness> {
      const IslSide side{twice, a_.shown, a_.axes};
      return found_at(side, points, at, point_text(at.point) + " itself", "the claim",
                      one_number(at.point.front().value()));
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
    return Verdict::no("isl").with_remark("the witness does not fit into 64 bits");
  }

  /// The image that the side has at this point, and the image that was wanted.
  [[nodiscard]] static Witness found_at(const IslSide& side, const isl::set& points,
                                        const Sample& at, std::string wanted,
                                        std::string wanted_by = "the claim",
                                        std::optional<WitnessNumbers::Images> images = {}) {
    const ShownPoint point = side.shown(at.point);
    const ShownImages found = witness_images(side.map, at, side.axes);
    Witness witness{point.text, found.text, std::move(wanted), std::move(wanted_by)};
    witness.numbers = WitnessNumbers{point.numbers, found.numbers, std::move(images), {}, {}};
    return for_parameters(std::move(witness), points, at);
  }

  [[nodiscard]] static Witness not_met_at(const isl::set& missing, const Sample& at) {
    return for_parameters(not_met(*constants(at.point)), missing, at);
  }

  /// Decides whether no point of y has an image in common with a point of x; with `before`, with an
  /// earlier one.
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
      const ShownPoint second = y.shown(other.point);
      const ShownImages images = witness_images(y.map, other, x.axes);
      Witness witness = found_at(x, points, at, fmt::format("{} at {}", images.text, second.text),
                                 "the claim", images.numbers);
      witness.numbers->other = second.numbers;
      return witness;
    });
  }

  IslSide a_;
  std::optional<IslSide> b_;
};

}  // namespace

Verdict answered(const Claim& claim, IslSide a, std::optional<IslSide> b) {
  const IslDecision decision(std::move(a), std::move(b));
  switch (claim.question) {
    case Question::kEqual:
      return decision.equal();
    case Question::kInjective:
      return decision.injective();
    case Question::kDisjoint:
      return decision.disjoint();
    case Question::kMeetAtZero:
      return decision.meet_at_zero();
    case Question::kCovers:
      return decision.covers();
    case Question::kInvolution:
      return decision.restores();
    case Question::kContiguous: {
      Verdict once = decision.injective();
      return once.is_yes() ? decision.without_gaps() : once;
    }
    case Question::kOnto: {
      const auto ends = constants(claim.sizes);
      if (!ends) return Verdict::unknown("the box is symbolic");
      const isl::set box = box_of(decision.a().map.range(), *ends);
      Verdict inside = decision.inside(box, "the box");
      return inside.is_yes() ? decision.all_met(box) : inside;
    }
    case Question::kWithin: {
      if (!claim.low.is_constant() || !claim.high.is_constant()) {
        return Verdict::unknown("the limits are symbolic");
      }
      const isl::set range = decision.a().map.range();
      const std::vector<std::int64_t> ends(dimension(range, isl_dim_set), claim.high.value());
      return decision.inside(
          box_of(range, ends, claim.low.value()),
          fmt::format("{} to {}", to_string(claim.low), to_string(claim.high - 1)));
    }
  }
  return Verdict::unknown("");
}

}  // namespace heddle::map
