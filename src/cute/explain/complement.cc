// coalesce(), filter() and complement(), step by step.

#include <algorithm>

#include "cute/algebra/tiling.h"
#include "cute/explain/steps.h"
#include "expr/assume_needed.h"
#include "heddle/cute/explain.h"

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

/// The steps of complement(): its modes sorted by stride, and the gap before each.
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
  /// nullopt if the order of the strides, or whether one is 0, is not known.
  std::optional<Modes> sorted_modes() {
    const Result<Layout> without_zeros = filter(layout_);
    if (!without_zeros) return std::nullopt;
    const Layout& filtered = *without_zeros;
    if (text_of(leaves(filtered)) != text_of(leaves(layout_))) {
      add_step(steps_, "filter", "without modes of stride 0 or extent 1, coalesced", filtered);
    }
    Modes modes;
    for (const Mode& mode : leaves(filtered)) {
      if (!mode.stride.is_zero()) modes.push_back(mode);
    }
    const std::string before = text_of(modes);
    const auto stride = [](const Mode& mode) -> const Int& { return mode.stride.scale(); };
    const bool is_sorted = sort_by(modes, stride, [] { return std::string(); }).has_value();
    if (!is_sorted) return std::nullopt;
    if (text_of(modes) != before) add_step(steps_, "sort by stride", text_of(modes));
    return modes;
  }

  std::optional<Layout> derive() {
    const std::optional<Modes> sorted = sorted_modes();
    if (!sorted) return std::nullopt;
    Modes gaps;
    Int covered = 1;
    for (const Mode& mode : *sorted) {
      const Int& stride = mode.stride.scale();
      const Int count = floor_div(stride, covered);
      if (known_equal(count, 0)) {
        add_step(steps_, fmt::format("gap before {}", mode),
                 fmt::format("none: {} begins at {}, within the first {} that are covered", mode,
                             stride, covered));
        return std::nullopt;
      }
      gaps.push_back({count, covered});
      steps_.push_back(gap_step(mode, covered, gaps.back()));
      covered = mode.extent * stride;
    }
    const std::optional<Mode> rest = rest_of_target(covered);
    if (!rest) return std::nullopt;
    gaps.push_back(*rest);
    const std::optional<Layout> positions = derived_from(gaps);
    if (!positions || !coalesces_) return positions;
    const Layout result = coalesce(*positions);
    if (result != *positions) {
      add_step(steps_, "coalesce", text_of(gaps), result);
    }
    return result;
  }

  static Explanation gap_step(const Mode& mode, const Int& covered, const Mode& gap) {
    const Int& stride = mode.stride.scale();
    const bool even = known_divides(covered, stride);
    std::string text = even ? fmt::format("{}/{} = {}", stride, covered, gap.extent)
                            : fmt::format("floor({}/{}) = {}", stride, covered, gap.extent);
    text += known_equal(gap.extent, 1) ? ": no gap" : fmt::format(" copies, {} apart", covered);
    if (!even) {
      text += fmt::format("; {} - {}*{} = {} left open", stride, gap.extent, covered,
                          stride - gap.extent * covered);
    }
    text += fmt::format("; {}*{} = {} covered", mode.extent, stride, mode.extent * stride);
    return step(fmt::format("gap before {}", mode), std::move(text), gap);
  }

  std::optional<Mode> rest_of_target(const Int& covered) {
    const Result<IntTuple> rest = ceil_div(cotarget_, IntTuple(covered));
    if (!rest) return std::nullopt;
    const Mode mode{product(*rest), covered};
    const std::string text =
        cotarget_.is_leaf()
            ? fmt::format("ceil({}/{}) = {}", cotarget_.leaf(), covered, mode.extent)
            : fmt::format("{} covered in {}, rounded up mode by mode: {}", covered, cotarget_,
                          *rest);
    add_step(steps_, fmt::format("rest of {}", cotarget_), text, mode);
    return mode;
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

Explanation explain_free_positions(const Layout& layout, const IntTuple& cotarget) {
  return Complementing(layout, cotarget).run("free positions", free_positions, false);
}

}  // namespace heddle::cute
