#include "cute/explain/steps.h"

#include <algorithm>
#include <sstream>

#include "core/text.h"
#include "heddle/cute/explain.h"

namespace heddle::cute {
namespace {

constexpr std::int64_t kMaxListed = 8;

/// Writes one half of a layout, its shape or its strides, with a mark on each leaf.
template <class Leaf>
class Writer {
 public:
  Writer(std::span<const Leaf> leaves, const std::vector<std::size_t>& parts)
      : leaves_(leaves), parts_(parts) {}

  MarkedText write(ProfileView profile) {
    visit(profile);
    return std::move(text_);
  }

 private:
  void visit(ProfileView profile) {
    if (profile.is_leaf()) return add_leaf();
    text_ += "(";
    bool first = true;
    for (const ProfileView mode : profile.modes()) {
      if (!first) text_ += ",";
      first = false;
      visit(mode);
    }
    text_ += ")";
  }

  void add_leaf() {
    text_ += MarkedText::whole(fmt::format("{}", leaves_[next_]), parts_[next_]);
    ++next_;
  }

  std::span<const Leaf> leaves_;
  const std::vector<std::size_t>& parts_;
  std::size_t next_ = 0;
  MarkedText text_;
};

}  // namespace

Explanation in_mode(std::size_t mode, Explanation explanation) {
  MarkedText title = fmt::format("mode {}: ", mode);
  title += explanation.title;
  explanation.title = std::move(title);
  return explanation;
}

MarkedText marked(const Layout& layout, const std::vector<std::size_t>& part_of_leaf) {
  MarkedText text = Writer(layout.extents(), part_of_leaf).write(layout.profile());
  text += ":";
  text += Writer(layout.strides(), part_of_leaf).write(layout.profile());
  return text;
}

MarkedText marked(const Layout& layout) {
  std::vector<std::size_t> parts(layout.extents().size());
  for (std::size_t i = 0; i < parts.size(); ++i) parts[i] = i;
  return marked(layout, parts);
}

std::string sum_of(const std::vector<Int>& terms) {
  return terms.empty() ? "0" : fmt::format("{}", fmt::join(terms, " + "));
}

std::string product_of(const std::vector<Int>& factors) {
  return factors.empty() ? "1" : fmt::format("{}", fmt::join(factors, "*"));
}

std::string times(const Int& factor, const Stride& stride) {
  const bool on_the_line = stride.basis().empty();
  return fmt::format("{}*{} = {}", factor,
                     on_the_line ? fmt::format("{}", stride) : fmt::format("({})", stride),
                     factor * stride);
}

std::string no_multiple(const Int& number, const Int& divisor) {
  const bool is_certain = number.is_constant() && divisor.is_constant();
  return fmt::format("{} is {} multiple of {}", number, is_certain ? "not a" : "not known to be a",
                     divisor);
}

std::string sequence(const Int& count, const std::function<std::string(std::int64_t)>& text) {
  const bool all = known_at_most(count, kMaxListed);
  const std::int64_t shown = all ? count.value() : kMaxListed;
  std::string list;
  for (std::int64_t n = 0; n < shown; ++n) list += (n > 0 ? " " : "") + text(n);
  return all ? list : list + " …";
}

bool is_explainable(const Layout& layout) { return layout.extents().size() <= kMaxExplainedLeaves; }

std::string too_many_leaves() {
  return fmt::format("Operands of more than {} leaves are not taken apart here.",
                     kMaxExplainedLeaves);
}

std::optional<Layout> derived_from(const Modes& modes) {
  const Result<Layout> layout = from_modes(modes);
  return layout ? std::optional(*layout) : std::nullopt;
}

void conclude(Explanation& explanation, const Result<Layout>& actual,
              const std::optional<Layout>& derived) {
  if (explanation.result.text.empty()) conclude(explanation, actual);
  if (!actual) explanation.result = {};
  if (!actual || derived == *actual) return;
  explanation.steps.clear();
  explanation.text = "The steps of this one are not shown.";
  explanation.result = to_string(*actual);
}

Explanation explain_by_mode(const ByMode& how, const Layout& layout, const Tiler& tiler) {
  if (tiler.is_leaf() && !tiler.leaf().is_underscore()) {
    const Tile& tile = tiler.leaf();
    if (tile.layout() != nullptr) return how.explain(layout, *tile.layout());
    const Result<Layout> first = how.drops_rest
                                     ? make_layout(IntTuple(*tile.size()), StrideTuple(1))
                                     : make_layout(IntTuple(*tile.size()));
    if (first) return how.explain(layout, *first);
    Explanation refused = step(to_string(tiler), "");
    refused.refusal = first.error();
    return refused;
  }
  Explanation explanation = explanation_of(how.name, layout, to_string(tiler));
  const Result<Layout> actual = how.operation(layout, tiler);
  if (!tiler.is_leaf() && tiler.rank() <= layout.rank() && is_explainable(layout)) {
    explanation.text =
        how.drops_rest ? "Mode by mode." : "Mode by mode; a mode without a tile is kept.";
    if (how.drops_rest && tiler.rank() < layout.rank()) {
      explanation.text +=
          fmt::format(" The tiler has {} for {}; the others are dropped.",
                      counted(tiler.rank(), "tile"), counted(layout.rank(), "mode"));
    }
    std::size_t mode = 0;
    for (const TilerView tile : tiler.modes()) {
      explanation.steps.push_back(
          in_mode(mode, explain_by_mode(how, layout.mode(mode), Tiler(tile))));
      ++mode;
      if (explanation.steps.back().refusal) break;
    }
    for (; mode < layout.rank() && actual && !how.drops_rest; ++mode) {
      const std::string kept = to_string(layout.mode(mode));
      add_step(explanation.steps, fmt::format("mode {}: {}", mode, kept), "kept", kept);
    }
  }
  if (tiler.is_leaf()) explanation.text = "_ keeps the layout as it is.";
  return concluded(std::move(explanation), actual);
}

}  // namespace heddle::cute
