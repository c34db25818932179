// inverse(), right_inverse() and left_inverse(), step by step: the modes sorted by stride, and the
// extents before each of them (seed 003).

#include <algorithm>

#include "core/text.h"
#include "cute/explain/steps.h"
#include "cute/layout/steps.h"
#include "expr/assume_needed.h"
#include "heddle/cute/explain.h"

namespace heddle::cute {
namespace {

/// A mode, its position, and the extents of the modes before it: their product is the flat
/// coordinate of one step along it.
struct Placed {
  Mode mode;
  std::size_t index = 0;
  std::vector<Int> before;

  [[nodiscard]] const Int& stride() const { return mode.stride.scale(); }
  [[nodiscard]] Int coordinate() const {
    Int product = 1;
    for (const Int& extent : before) product *= extent;
    return product;
  }
  /// `8*16 = 128`, or the number alone if there is only one.
  [[nodiscard]] std::string coordinate_text() const {
    if (before.size() < 2) return fmt::format("coordinate step {}", coordinate());
    return fmt::format("coordinate step {} = {}", product_of(before), coordinate());
  }
};

/// The modes of more than one element by ascending stride; empty if the order is not known.
std::vector<Placed> modes_in_order(const Layout& layout) {
  std::vector<Placed> placed;
  std::vector<Int> before;
  std::size_t index = 0;
  for (const Mode& mode : leaves(layout)) {
    const bool moves = !known_equal(mode.extent, 1);
    if (moves) placed.push_back({mode, index, before});
    if (moves) before.push_back(mode.extent);
    ++index;
  }
  const auto stride = [](const Placed& mode) -> const Int& { return mode.stride(); };
  if (!sort_by(placed, stride, [&] { return to_string(layout); })) return {};
  return placed;
}

Explanation sort_step(const std::vector<Placed>& sorted) {
  std::string modes;
  std::vector<std::string> indices;
  for (const Placed& placed : sorted) {
    modes += fmt::format("{}{}", modes.empty() ? "" : " ", placed.mode);
    indices.push_back(fmt::format("{}", placed.index));
  }
  return step("sort by stride",
              fmt::format("{}, modes {} of the layout", modes, fmt::join(indices, ", ")));
}

void add_coalesce_step(const Layout& from, const Layout& to, std::vector<Explanation>& steps) {
  if (text_of(leaves(from)) == text_of(leaves(to))) return;
  add_step(steps, "coalesce", text_of(leaves(from)), to);
}

/// Begins the three explanations; false if the layout is not decomposed.
bool begin(Explanation& explanation, const Layout& layout, const Result<Layout>& actual) {
  if (ends_too_large(explanation, actual, layout)) return false;
  if (!layout.is_integral()) conclude(explanation, actual);
  return layout.is_integral();
}

/// `; 4*16 = 64 covered`.
std::string covered_text(const Placed& placed) {
  return fmt::format("; {}*{} = {} covered", placed.mode.extent, placed.stride(),
                     placed.mode.extent * placed.stride());
}

/// The text that explains the coordinate step, which all rows mention.
constexpr const char* kCoordinateStep =
    " The coordinate step of a mode is the product of the extents before it.";

/// The digit from the stride of one mode to that of the next; nullopt if the quotient is no
/// integer.
std::optional<Mode> explain_digit(const Placed& placed, const Int& next,
                                  std::vector<Explanation>& steps) {
  const std::string title = fmt::format("mode {}", placed.mode);
  if (!known_divides(placed.stride(), next)) {
    add_step(steps, title, "the next stride " + no_multiple(next, placed.stride()));
    return std::nullopt;
  }
  const Mode digit{floor_div(next, placed.stride()), placed.coordinate()};
  std::string text =
      fmt::format("{}/{} = {} up to the next stride; {}", next, placed.stride(),
                  counted(to_string(digit.extent), "value"), placed.coordinate_text());
  if (known_less(digit.extent, placed.mode.extent)) {
    text += fmt::format("; its {} elements run into the next mode", placed.mode.extent);
    add_step(steps, title, std::move(text));
    return std::nullopt;
  }
  add_step(steps, title, std::move(text), digit);
  return digit;
}

/// All digits of an index, the one below the least stride first.
std::optional<Modes> explain_digits(const std::vector<Placed>& sorted,
                                    std::vector<Explanation>& steps) {
  const Int& least = sorted.front().stride();
  if (known_less(least, 0)) return std::nullopt;
  Modes digits(1, Mode{least, 0});
  if (!known_equal(least, 1)) {
    add_step(steps, fmt::format("below {}", sorted.front().mode),
             fmt::format("{} numbers are below the stride {}", least, least), digits.back());
  }
  for (std::size_t i = 0; i + 1 < sorted.size(); ++i) {
    const std::optional<Mode> digit = explain_digit(sorted[i], sorted[i + 1].stride(), steps);
    if (!digit) return std::nullopt;
    digits.push_back(*digit);
  }
  const Placed& last = sorted.back();
  digits.push_back({last.mode.extent, last.coordinate()});
  add_step(steps, fmt::format("mode {}", last.mode), "the last digit; " + last.coordinate_text(),
           digits.back());
  return digits;
}

/// The numbers of the modes by which right_inverse() reads back.
std::vector<std::size_t> counting_modes(const Layout& layout, const std::vector<Placed>& sorted) {
  std::vector<std::size_t> counting;
  if (is_constant(layout)) {
    const ModeNumbers chain = longest_chain(
        sorted.size(), [&](std::size_t i) { return sorted[i].stride().value(); },
        [&](std::size_t i) { return sorted[i].mode.extent.value(); });
    for (const std::size_t i : chain) counting.push_back(sorted[i].index);
    return counting;
  }
  Int covered = 1;
  for (const Placed& placed : sorted) {
    if (!known_equal(placed.stride(), covered)) continue;
    counting.push_back(placed.index);
    covered = placed.mode.extent * placed.stride();
  }
  return counting;
}

}  // namespace

Explanation explain_inverse(const Layout& layout) {
  Explanation explanation = explanation_of("inverse", marked(layout));
  const Result<Layout> actual = inverse(layout);
  if (!begin(explanation, layout, actual)) return explanation;
  explanation.text =
      std::string(
          "Sorted by stride, each stride of a bijection is what the modes before it cover. "
          "The inverse has the extents in that order, and their coordinate steps as "
          "strides.") +
      kCoordinateStep;
  const std::vector<Placed> sorted = modes_in_order(layout);
  if (!sorted.empty()) explanation.steps.push_back(sort_step(sorted));
  Modes modes;
  std::vector<std::size_t> parts;
  Int covered = 1;
  for (const Placed& placed : sorted) {
    const MarkedText title = MarkedText::whole(fmt::format("mode {}", placed.mode), placed.index);
    if (!known_equal(placed.stride(), covered)) {
      add_step(explanation.steps, title,
               fmt::format("stride {}; {} is needed, the next index", placed.stride(), covered));
      break;
    }
    modes.push_back({placed.mode.extent, placed.coordinate()});
    parts.push_back(placed.index);
    add_step(explanation.steps, title,
             fmt::format("stride {} as needed; {}", covered, placed.coordinate_text()) +
                 covered_text(placed),
             MarkedText::whole(fmt::format("{}", modes.back()), placed.index));
    covered *= placed.mode.extent;
  }
  if (actual && actual->extents().size() == parts.size()) {
    explanation.result = marked(*actual, parts);
  }
  return concluded(std::move(explanation), actual, derived_from(modes));
}

Explanation explain_right_inverse(const Layout& layout) {
  Explanation explanation = explanation_of("right_inverse", layout);
  const Result<Layout> actual = right_inverse(layout);
  if (!begin(explanation, layout, actual)) return explanation;
  explanation.text =
      std::string(
          "Reads the indices 0, 1, 2, … back as far as they go: along the mode of stride "
          "1, then the one whose stride is what is covered, and so on.") +
      kCoordinateStep;
  const Layout flat = coalesce(layout);
  add_coalesce_step(layout, flat, explanation.steps);
  const std::vector<Placed> sorted = modes_in_order(flat);
  if (sorted.size() > 1) explanation.steps.push_back(sort_step(sorted));
  const std::vector<std::size_t> counting = counting_modes(flat, sorted);
  Modes modes;
  Int covered = 1;
  for (const Placed& placed : sorted) {
    const std::string title = fmt::format("mode {}", placed.mode);
    if (std::ranges::find(counting, placed.index) == counting.end()) {
      const bool fits = known_equal(placed.stride(), covered);
      add_step(explanation.steps, title,
               fits ? "left out: the other mode of this stride leads further"
                    : fmt::format("left out: {} is the next index", covered));
      continue;
    }
    modes.push_back({placed.mode.extent, placed.coordinate()});
    covered = placed.mode.extent * placed.stride();
    add_step(explanation.steps, title,
             fmt::format("stride {} is next; {}", placed.stride(), placed.coordinate_text()) +
                 covered_text(placed),
             modes.back());
  }
  std::optional<Layout> derived = derived_from(modes);
  if (derived) {
    const Layout joined = coalesce(*derived);
    add_coalesce_step(*derived, joined, explanation.steps);
    derived = joined;
  }
  return concluded(std::move(explanation), actual, derived);
}

Explanation explain_left_inverse(const Layout& layout) {
  Explanation explanation = explanation_of("left_inverse", layout);
  const Result<Layout> actual = left_inverse(layout);
  if (!begin(explanation, layout, actual)) return explanation;
  explanation.text = std::string(
                         "Reads an index as a number whose digits are the coordinates: one digit "
                         "from each stride to the next. What is below the smallest stride carries "
                         "no information and gets stride 0.") +
                     kCoordinateStep;
  const Layout flat = coalesce(layout);
  add_coalesce_step(layout, flat, explanation.steps);
  std::vector<Placed> sorted = modes_in_order(flat);
  std::erase_if(sorted, [](const Placed& placed) { return placed.mode.stride.is_zero(); });
  if (sorted.empty()) {
    add_step(explanation.steps, "no digits", "every index is 0");
    return concluded(std::move(explanation), actual, flat);
  }
  if (sorted.size() > 1) explanation.steps.push_back(sort_step(sorted));
  const std::optional<Modes> digits = explain_digits(sorted, explanation.steps);
  const std::optional<Layout> by_digits = digits ? derived_from(*digits) : std::nullopt;
  const std::optional<Layout> derived =
      by_digits ? std::optional(coalesce(*by_digits)) : std::nullopt;
  if (derived) add_coalesce_step(*by_digits, *derived, explanation.steps);
  return concluded(std::move(explanation), actual, derived);
}

}  // namespace heddle::cute
