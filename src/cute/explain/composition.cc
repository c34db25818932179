// composition(), step by step: every leaf of B through the modes of A, then all leaves together.

#include <algorithm>
#include <map>

#include "cute/explain/steps.h"
#include "cute/layout/extension.h"
#include "heddle/cute/explain.h"

namespace heddle::cute {
namespace {

/// A leaf N:r of B and the part of A that it steps through: all of A, or the mode its stride names.
struct Factor {
  Layout part;
  Int extent;
  Int stride;

  [[nodiscard]] std::string text() const { return fmt::format("{}:{}", extent, stride); }
  [[nodiscard]] Layout layout() const { return *derived_from(Modes(1, Mode{extent, stride})); }
  /// The value of the part at step `n`, as text.
  [[nodiscard]] std::string value_at(std::int64_t n) const {
    const Result<IntTuple> value = evaluate(part, Coordinate(Index(n * stride)));
    return value ? fmt::format("{}", *value) : "?";
  }
};

/// Takes one leaf through the modes of A: shows each division, and collects the leaf's modes and
/// the greatest digit it takes in each mode of A.
class Walk {
 public:
  Walk(const Factor& factor, const Modes& modes)
      : factor_(factor), modes_(modes), digits_(modes.size(), Int(0)) {}

  /// False if a division leaves a remainder.
  bool run() {
    Int extent = factor_.extent;
    Int stride = factor_.stride;
    for (std::size_t i = 0; i + 1 < modes_.size(); ++i) {
      const Int& size = modes_[i].extent;
      if (known_divides(size, stride)) {
        pass_over(i, stride);
        stride = floor_div(stride, size);
        continue;
      }
      if (!known_less(stride, size)) {
        return stop(i, fmt::format("a step of {} is not within the mode, and {}", stride,
                                   no_multiple(stride, size)));
      }
      const Int steps = ceil_div(size, stride);
      if (known_at_most(extent, steps)) {
        const Int last = (extent - 1) * stride;
        take(i, extent, stride,
             fmt::format("all {} steps of {} fit ({}*{} = {} < {})", extent, stride, extent - 1,
                         stride, last, size));
        return true;
      }
      if (!known_divides(stride, size)) {
        return stop(i, no_multiple(size, stride) + ": the mode ends between two steps");
      }
      if (!known_divides(steps, extent)) {
        return stop(i, fmt::format("{}/{} = {} steps fit, and {}", size, stride, steps,
                                   no_multiple(extent, steps)));
      }
      take(i, steps, stride,
           fmt::format("{}/{} = {} of the {} steps fit", size, stride, steps, extent));
      extent = go_on(extent, steps);
      stride = 1;
    }
    take(modes_.size() - 1, extent, stride,
         fmt::format("the last mode takes the {} steps of {}", extent, stride));
    return true;
  }

  /// Decides by the values if division does not. False if they are symbolic, or no layout has them.
  bool ask_the_values() {
    if (!is_constant(factor_.part) || !is_constant(factor_.layout())) return false;
    const Result<Layout> result = composition(factor_.part, factor_.layout());
    add_step(steps_, "by the values", "");
    Explanation& decided = steps_.back();
    if (!result) {
      decided.text = "no mode has them";
      decided.refusal = result.error();
      return false;
    }
    image_ = leaves(*result);
    std::vector<std::string> runs;
    for (const Mode& mode : image_) {
      runs.push_back(fmt::format("{} steps of {}", mode.extent, mode.stride));
    }
    decided.text = fmt::format("{}, right at all {}", fmt::join(runs, ", then "), factor_.extent);
    decided.result = to_string(*result);
    find_digits();
    return true;
  }

  [[nodiscard]] std::vector<Explanation>&& steps() && { return std::move(steps_); }
  [[nodiscard]] const Modes& image() const { return image_; }
  [[nodiscard]] const std::vector<Int>& digits() const { return digits_; }

 private:
  [[nodiscard]] std::string in(std::size_t i) const { return fmt::format("in {}", modes_[i]); }

  void pass_over(std::size_t i, const Int& stride) {
    const Int& size = modes_[i].extent;
    add_step(steps_, in(i),
             fmt::format("{}/{} = {}: every step goes so often round the mode", stride, size,
                         floor_div(stride, size)));
  }

  void take(std::size_t i, const Int& steps, const Int& stride, const std::string& why) {
    const Mode mode{steps, stride * modes_[i].stride};
    image_.push_back(mode);
    digits_[i] = (steps - 1) * stride;
    add_step(steps_, in(i), fmt::format("{}; stride {}", why, times(stride, modes_[i].stride)),
             mode);
  }

  Int go_on(const Int& extent, const Int& steps) {
    const Int left = floor_div(extent, steps);
    add_step(steps_, "left over",
             fmt::format("{}/{} = {} rounds, each one step in the next mode", extent, steps, left));
    return left;
  }

  bool stop(std::size_t i, std::string why) {
    image_.clear();
    std::ranges::fill(digits_, Int(0));
    add_step(steps_, in(i), std::move(why));
    return false;
  }

  /// The greatest digit in each mode of A, by trying every step.
  void find_digits() {
    for (std::int64_t n = 0; known_less(n, factor_.extent); ++n) {
      Int rest = n * factor_.stride;
      for (std::size_t i = 0; i < modes_.size(); ++i) {
        const bool last = i + 1 == modes_.size();
        digits_[i] = max(digits_[i], last ? rest : mod(rest, modes_[i].extent));
        rest = floor_div(rest, modes_[i].extent);
      }
    }
  }

  const Factor& factor_;
  const Modes& modes_;
  std::vector<Explanation> steps_;
  Modes image_;
  std::vector<Int> digits_;
};

/// The leaves of B that go through one part of A, and the digits they take there.
struct Group {
  Layout part;
  Modes modes;
  std::vector<std::size_t> leaves;
  std::vector<std::vector<Int>> digits;
};

class Composing {
 public:
  Composing(const Layout& a, const Layout& b) : a_(a), b_(b), images_(b.extents().size()) {}

  Explanation run() {
    Explanation explanation = explanation_of("composition", a_, marked(b_));
    const Result<Layout> actual = composition(a_, b_);
    if (ends_too_large(explanation, actual, a_, b_)) return explanation;
    explanation.text = introduction();
    const bool composed = explain_leaves();
    if (composed) explain_carries(actual);
    explanation.steps = std::move(steps_);
    if (composed && actual) explanation.result = marked_result(*actual);
    return concluded(std::move(explanation), actual, composed ? derived() : std::nullopt);
  }

 private:
  [[nodiscard]] std::optional<Layout> derived() const {
    const Result<Layout> layout = replace_leaves(b_.profile(), images_);
    return layout ? std::optional(*layout) : std::nullopt;
  }

  [[nodiscard]] std::string introduction() const {
    const Modes modes = Extension(a_).modes();
    const std::string text = "Each leaf N:r of B reads A at 0, r, 2r and so on.";
    if (!a_.is_integral() || leaves(a_).size() == 1) return text;
    if (modes.size() == 1) return text + fmt::format(" A is {}, without end.", text_of(modes));
    return text + fmt::format(" A's modes: {}, the last without end.", text_of(modes));
  }

  Group* group_of(const Basis& basis) {
    const auto known = groups_.find(basis);
    if (known != groups_.end()) return &known->second;
    std::vector<std::size_t> path;
    for (std::size_t level = 0; level < basis.length(); ++level) path.push_back(basis[level]);
    const Result<Layout> part = get(a_, path);
    if (!part) return nullptr;
    return &groups_.emplace(basis, Group{*part, Extension(*part).modes(), {}, {}}).first->second;
  }

  /// False if a leaf has no image.
  bool explain_leaves() {
    for (std::size_t leaf = 0; leaf < images_.size(); ++leaf) {
      if (!explain_leaf(leaf)) return false;
    }
    return true;
  }

  bool explain_leaf(std::size_t leaf) {
    const Int& extent = b_.extents()[leaf];
    const Stride& stride = b_.strides()[leaf];
    const std::string text = fmt::format("{}:{}", extent, stride);
    Explanation leaf_step = step(MarkedText::whole("leaf " + text, leaf), "");
    leaf_step.operands = {text};
    const bool done = fill(leaf_step, leaf);
    if (done) {
      const Layout image = *derived_from(images_[leaf]);
      leaf_step.result = MarkedText::whole(to_string(image), leaf);
    }
    steps_.push_back(std::move(leaf_step));
    return done;
  }

  bool fill(Explanation& leaf_step, std::size_t leaf) {
    const Int& extent = b_.extents()[leaf];
    const Stride& stride = b_.strides()[leaf];
    if (known_equal(extent, 1)) return fill_single(leaf_step, leaf);
    if (stride.is_zero()) {
      leaf_step.text = fmt::format("stays at coordinate 0, {} times", extent);
      images_[leaf] = Modes(1, Mode{extent, Stride(0)});
      return true;
    }
    Group* group = group_of(stride.basis());
    if (group == nullptr) {
      leaf_step.text = fmt::format("steps along axis {}, a mode that the left side does not have",
                                   stride.basis().axis().name());
      return false;
    }
    const Factor factor{group->part, extent, stride.scale()};
    if (known_less(stride.scale(), 0)) {
      leaf_step.text = fmt::format("its second element is at {}, where A has none", stride.scale());
      return false;
    }
    leaf_step.text = reading(factor, stride.basis());
    Walk walk(factor, group->modes);
    const bool settled = walk.run() || walk.ask_the_values();
    images_[leaf] = walk.image();
    if (settled) {
      group->leaves.push_back(leaf);
      group->digits.push_back(walk.digits());
    }
    leaf_step.steps = std::move(walk).steps();
    return settled && derived_from(images_[leaf]);
  }

  /// A leaf of one element does not move; CuTe writes the stride it would have.
  bool fill_single(Explanation& leaf_step, std::size_t leaf) {
    leaf_step.text = "is one element at coordinate 0; its stride is never taken";
    images_[leaf] = Modes(1, Mode{1, 0});
    const Layout alone = *derived_from(Modes(1, Mode{1, b_.strides()[leaf]}));
    if (const Result<Layout> image = composition(a_, alone)) images_[leaf] = leaves(*image);
    return true;
  }

  static std::string reading(const Factor& factor, const Basis& basis) {
    const auto coordinate = [&](std::int64_t n) { return fmt::format("{}", n * factor.stride); };
    const auto value = [&](std::int64_t n) { return factor.value_at(n); };
    const std::string place =
        basis.empty() ? "A" : fmt::format("mode {} of A, {},", basis.axis().name(), factor.part);
    return fmt::format("reads {} at {}: {}", place, sequence(factor.extent, coordinate),
                       sequence(factor.extent, value));
  }

  /// Explains whether A is additive on the steps.
  void explain_carries(const Result<Layout>& actual) {
    for (const auto& [basis, group] : groups_) {
      if (group.leaves.size() < 2 || group.modes.size() < 2) continue;
      Explanation together = step("together", "sums of steps must not carry out of a mode of A");
      bool carries = false;
      for (std::size_t i = 0; i + 1 < group.modes.size(); ++i) {
        together.steps.push_back(carry_step(group, i, carries));
      }
      if (carries) together.steps.push_back(trial_step(group, actual));
      steps_.push_back(std::move(together));
    }
  }

  /// Sets `carries` if a sum may leave mode i.
  static Explanation carry_step(const Group& group, std::size_t i, bool& carries) {
    std::vector<Int> digits;
    Int sum = 0;
    for (const std::vector<Int>& of_leaf : group.digits) {
      digits.push_back(of_leaf[i]);
      sum += of_leaf[i];
    }
    const Mode& mode = group.modes[i];
    const bool stays = known_less(sum, mode.extent);
    carries = carries || !stays;
    const std::string_view relation = stays ? "less than"
                                      : known_at_most(mode.extent, sum)
                                          ? "not less than"
                                          : "not known to be less than";
    return step(fmt::format("in {}", mode),
                fmt::format("at most {} = {}, {} {}", sum_of(digits), sum, relation, mode.extent));
  }

  [[nodiscard]] Explanation trial_step(const Group& group, const Result<Layout>& actual) const {
    Int elements = 1;
    for (const std::size_t leaf : group.leaves) elements *= b_.extents()[leaf];
    if (actual) {
      return step(
          "tried",
          fmt::format("at all {} coordinates A of the sum is the sum of A after all", elements));
    }
    const bool differs = actual.error().witness().has_value();
    Explanation trial = step(
        "tried",
        differs ? fmt::format("A of the sum is not always the sum of A; {} coordinates", elements)
                : fmt::format("{} coordinates are too many to try", elements));
    trial.refusal = actual.error();
    return trial;
  }

  [[nodiscard]] MarkedText marked_result(const Layout& result) const {
    std::vector<std::size_t> parts;
    for (std::size_t leaf = 0; leaf < images_.size(); ++leaf) {
      parts.insert(parts.end(), images_[leaf].size(), leaf);
    }
    return parts.size() == result.extents().size() ? marked(result, parts)
                                                   : MarkedText(to_string(result));
  }

  const Layout& a_;
  const Layout& b_;
  std::vector<Modes> images_;
  std::map<Basis, Group> groups_;
  std::vector<Explanation> steps_;
};

}  // namespace

Explanation explain_composition(const Layout& a, const Layout& b) { return Composing(a, b).run(); }

Explanation explain_composition(const Layout& a, const Tiler& tiler) {
  return explain_by_mode({"composition", composition, explain_composition, /*drops_rest=*/true}, a,
                         tiler);
}

}  // namespace heddle::cute
