// coalesce(), filter() and complement(), step by step.

#include <algorithm>

#include "cute/algebra/gaps.h"
#include "cute/algebra/tiling.h"
#include "cute/explain/steps.h"
#include "expr/assume_needed.h"
#include "heddle/cute/explain.h"

template <>
struct fmt::formatter<heddle::Verdict> : fmt::ostream_formatter {};

namespace heddle::cute {
namespace {

/// One row per leaf: what the coalescence rules do with it. Returns the modes that remain.
Modes explain_joining(const Modes& modes, std::vector<Explanation>& steps) {
  Modes joined;
  for (const Mode& mode : modes) {
    if (known_equal(mode.extent, 1)) {
      add_step(steps, mode, "dropped: extent 1");
      continue;
    }
    if (joined.empty()) {
      joined.push_back(mode);
      add_step(steps, mode, "begins", mode);
      continue;
    }
    const Mode last = joined.back();
    const std::string reach = times(last.extent, last.stride);
    if (!known_equal(last.extent * last.stride, mode.stride)) {
      joined.push_back(mode);
      add_step(steps, mode, fmt::format("kept: {} goes on at {}, not {}", last, reach, mode.stride),
               mode);
      continue;
    }
    joined.back().extent *= mode.extent;
    add_step(steps, mode,
             fmt::format("joined to {}: {}, which is its stride; {}*{} = {} elements", last, reach,
                         last.extent, mode.extent, joined.back().extent),
             joined.back());
  }
  return joined;
}

constexpr const char* kRules =
    "A mode of extent 1 is dropped; neighbours s0:d0 and s1:d1 are joined where d1 = s0*d0.";

Explanation explain_at_leaves(const Layout& layout, ProfileView profile,
                              const std::function<Explanation(const Layout&)>& explain_mode) {
  if (profile.is_leaf()) return explain_mode(layout);
  Explanation explanation = step(layout, "Mode by mode.");
  std::vector<Layout> results;
  std::size_t mode = 0;
  for (const ProfileView part : profile.modes()) {
    if (mode >= layout.rank()) break;
    Explanation in_mode = explain_at_leaves(layout.mode(mode), part, explain_mode);
    in_mode.title = fmt::format("mode {}: {}", mode, in_mode.title.text);
    explanation.steps.push_back(std::move(in_mode));
    ++mode;
  }
  return explanation;
}

/// Explains complement() and free_positions(): the modes sorted by stride, and the gap before each.
class Complementing {
 public:
  Complementing(const Layout& layout, const IntTuple& cotarget)
      : layout_(layout), cotarget_(cotarget) {}

  /// The steps of `operation`, which is complement() or free_positions().
  Explanation run(const char* name, Result<Layout> (*operation)(const Layout&, const IntTuple&),
                  bool coalesces) {
    coalesces_ = coalesces;
    Explanation explanation = explanation_of(name, layout_, cotarget_);
    const Result<Layout> actual = operation(layout_, cotarget_);
    const Result<Layout> filtered = filter(layout_);
    const bool is_positive =
        filtered && std::ranges::all_of(filtered->strides(), [](const Stride& s) {
          return known_at_most(0, s.scale());
        });
    if (!is_explainable(layout_) || cotarget_.leaves().size() > kMaxExplainedLeaves) {
      explanation.text = too_many_leaves();
    }
    if (!explanation.text.empty() || !layout_.is_integral() || !is_positive) {
      return concluded(std::move(explanation), actual);
    }
    explanation.text =
        "Copies can begin in the gaps between the modes, in the order of their strides.";
    const std::optional<Layout> derived = derive();
    if (derived && !actual) add_count(*derived);
    explanation.steps = std::move(steps_);
    return concluded(std::move(explanation), actual, derived);
  }

 private:
  std::optional<Layout> derive() {
    const Result<Gaps> gaps = gaps_of(layout_, cotarget_, Trace(steps_));
    const std::optional<Layout> positions = gaps ? derived_from(gaps->modes) : std::nullopt;
    if (!positions || !coalesces_) return positions;
    const Layout result = coalesce(*positions);
    if (result != *positions) add_step(steps_, "coalesce", text_of(gaps->modes), result);
    return result;
  }

  /// Why CuTe's answer is no complement: it has too few elements.
  void add_count(const Layout& candidate) {
    const Int target = product(cotarget_);
    const Int own = filter(layout_)->size();
    add_step(steps_, "count",
             fmt::format("floor({}/{}) = {} copies would fill the target; {} has {}", target, own,
                         floor_div(target, own), candidate, candidate.size()));
  }

  const Layout& layout_;
  const IntTuple& cotarget_;
  bool coalesces_ = true;
  std::vector<Explanation> steps_;
};

}  // namespace

Explanation explain_coalesce(const Layout& layout) {
  Explanation explanation = explanation_of("coalesce", layout);
  const Result<Layout> actual = coalesce(layout);
  if (ends_too_large(explanation, actual, layout)) return explanation;
  explanation.text = kRules;
  const Modes joined = explain_joining(leaves(layout), explanation.steps);
  return concluded(std::move(explanation), actual, derived_from(joined));
}

Explanation explain_coalesce(const Layout& layout, ProfileView profile) {
  const Result<Layout> actual = coalesce(layout, profile);
  Explanation explanation;
  if (actual) {
    explanation = explain_at_leaves(layout, profile,
                                    [](const Layout& mode) { return explain_coalesce(mode); });
    explanation.text = "At each leaf of the profile; modes it does not name are kept.";
  }
  const Explanation call = explanation_of("coalesce", layout, repeat_like(profile, 1));
  explanation.title = call.title;
  explanation.operands = call.operands;
  explanation.result = {};
  return concluded(std::move(explanation), actual);
}

Explanation explain_filter(const Layout& layout) {
  Explanation explanation = explanation_of("filter", layout);
  const Result<Layout> actual = filter(layout);
  if (ends_too_large(explanation, actual, layout)) return explanation;
  explanation.text = "Modes of stride 0 repeat what is there: extent 1. The rest is coalesced.";
  const Result<Layout> without_zeros = filter_zeros(layout);
  if (!without_zeros) return concluded(std::move(explanation), actual);
  add_step(explanation.steps, "stride 0", "extent 1", *without_zeros);
  const Modes joined = explain_joining(leaves(*without_zeros), explanation.steps);
  return concluded(std::move(explanation), actual, derived_from(joined));
}

Explanation explain_complement(const Layout& layout, const IntTuple& cotarget) {
  return Complementing(layout, cotarget).run("complement", complement, true);
}

Explanation explain_complement_fill(const Layout& layout, const Int& target) {
  Explanation explanation = explanation_of("complement_fill", layout, target);
  if (ends_too_large(explanation, complement_fill(layout, target), layout)) return explanation;
  explanation.text =
      "The first gap first, each is filled with copies of all that is placed so far.";
  const auto actual = complement_fill(layout, target, Trace(explanation.steps));
  return concluded(std::move(explanation), actual);
}

Explanation explain_admissible_for_complementation(const Layout& layout, const Int& target) {
  Explanation explanation = explanation_of("admissible_for_complementation", layout, target);
  if (ends_too_large(explanation, admissible_for_complementation(layout, target), layout)) {
    return explanation;
  }
  explanation.text =
      "In the order of their strides, each stride is to be a multiple of extent times stride of "
      "the "
      "mode before it, and the target one of that of the last.";
  const auto actual = admissible_for_complementation(layout, target, Trace(explanation.steps));
  return concluded(std::move(explanation), actual);
}

namespace {

Explanation explain_composable(const char* name,
                               Result<Verdict> (*operation)(const IntTuple&, const Layout&,
                                                            const Trace&),
                               const IntTuple& shape, const Layout& b) {
  Explanation explanation = explanation_of(name, shape, b);
  if (ends_too_large(explanation, operation(shape, b, Trace()), b)) return explanation;
  explanation.text =
      "Each mode is to divide the shape, twice: by its stride, then what remains by its extent. No "
      "two modes are to act in one place, and no sum of steps is to carry.";
  const auto actual = operation(shape, b, Trace(explanation.steps));
  return concluded(std::move(explanation), actual);
}

}  // namespace

Explanation explain_admissible_for_composition(const IntTuple& shape, const Layout& b) {
  return explain_composable("admissible_for_composition", admissible_for_composition, shape, b);
}

Explanation explain_admissible_for_cutlass_composition(const IntTuple& shape, const Layout& b) {
  return explain_composable("admissible_for_cutlass_composition",
                            admissible_for_cutlass_composition, shape, b);
}

Explanation explain_free_positions(const Layout& layout, const IntTuple& cotarget) {
  return Complementing(layout, cotarget).run("free positions", free_positions, false);
}

}  // namespace heddle::cute
