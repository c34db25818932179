#pragma once

// The building blocks of explanations.

#include <fmt/format.h>

#include <concepts>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cute/layout/format.h"
#include "cute/layout/modes.h"
#include "heddle/core/explanation.h"
#include "heddle/cute/layout.h"
#include "heddle/cute/tiler.h"

namespace heddle::cute {

/// A text unchanged; any other value as fmt formats it.
template <class Value>
[[nodiscard]] MarkedText as_text(const Value& value) {
  if constexpr (std::convertible_to<const Value&, MarkedText>) {
    return value;
  } else {
    return fmt::format("{}", value);
  }
}

template <class Title, class Outcome = MarkedText>
[[nodiscard]] Explanation step(const Title& title, std::string text, const Outcome& result = {}) {
  return heddle::step(as_text(title), std::move(text), as_text(result));
}

template <class Title, class Outcome = MarkedText>
void add_step(std::vector<Explanation>& steps, const Title& title, std::string text,
              const Outcome& result = {}) {
  steps.push_back(step(title, std::move(text), result));
}

/// An explanation of the call `name(operand, operand)` that has no steps yet.
template <class... Operands>
[[nodiscard]] Explanation explanation_of(std::string_view name, const Operands&... operands) {
  return explained_call(name, {as_text(operands)...});
}

/// The explanation as a step for one mode, `mode 0: …`.
[[nodiscard]] Explanation in_mode(std::size_t mode, Explanation explanation);

/// The layout, each leaf marked with its part.
[[nodiscard]] MarkedText marked(const Layout& layout, const std::vector<std::size_t>& part_of_leaf);
/// Each leaf is a part of its own.
[[nodiscard]] MarkedText marked(const Layout& layout);

/// `3 + 2 + 0`.
[[nodiscard]] std::string sum_of(const std::vector<Int>& terms);
/// `3*(8*2)`: the product of the factors, 1 if there are none.
[[nodiscard]] std::string product_of(const std::vector<Int>& factors);
/// `3*8 = 24`; along an axis `3*(1@0) = 3@0`.
[[nodiscard]] std::string times(const Int& factor, const Stride& stride);

/// `8 is not a multiple of 3`; for symbolic numbers, that it is not known to be one.
[[nodiscard]] std::string no_multiple(const Int& number, const Int& divisor);

/// The first few of `count` texts: `0 3 6 9`, `0 3 6 9 12 15 18 21 …`.
[[nodiscard]] std::string sequence(const Int& count,
                                   const std::function<std::string(std::int64_t)>& text);

[[nodiscard]] bool is_explainable(const Layout& layout);
/// The text for operands that are too large to explain.
[[nodiscard]] std::string too_many_leaves();

/// The layout of these modes, if they form one.
[[nodiscard]] std::optional<Layout> derived_from(const Modes& modes);

/// Where copies of a layout can begin, also past the end of the target (cute/algebra/tiling.h).
[[nodiscard]] Explanation explain_free_positions(const Layout& layout, const IntTuple& cotarget);

/// Ends an explanation with the operation's result. The steps are kept only if they derive the same
/// layout, or lead to its refusal.
void conclude(Explanation& explanation, const Result<Layout>& actual,
              const std::optional<Layout>& derived);
/// As above, if the operation itself is the last step.
template <class T>
void conclude(Explanation& explanation, const Result<T>& actual) {
  if (actual) {
    explanation.result = fmt::format("{}", *actual);
  } else {
    explanation.refusal = actual.error();
  }
}

/// The explanation after conclude().
template <class... Ends>
[[nodiscard]] Explanation concluded(Explanation explanation, const Ends&... ends) {
  conclude(explanation, ends...);
  return explanation;
}

/// An operation that goes through a tiler mode by mode, and its explanation for one mode.
struct ByMode {
  const char* name;
  Result<Layout> (*operation)(const Layout&, const Tiler&);
  Explanation (*explain)(const Layout&, const Layout&);
  /// Modes without a tile are dropped, not kept.
  bool drops_rest = false;
};
[[nodiscard]] Explanation explain_by_mode(const ByMode& how, const Layout& layout,
                                          const Tiler& tiler);

/// Whether one of the layouts is too large; then the explanation says so and is complete.
template <class T, class... Layouts>
[[nodiscard]] bool ends_too_large(Explanation& explanation, const Result<T>& actual,
                                  const Layouts&... layouts) {
  if ((is_explainable(layouts) && ...)) return false;
  explanation.text = too_many_leaves();
  conclude(explanation, actual);
  return true;
}

}  // namespace heddle::cute
