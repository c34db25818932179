#pragma once

// Walks over terms: their variables, and their values after these are replaced.

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "expr/term/term.h"
#include "heddle/expr/condition.h"
#include "heddle/expr/variables.h"

namespace heddle::expr {

/// The variable atoms in some values, also within operations, in their order, each once; with
/// `assumed`, also those in the assumptions about variables, each after those it depends on.
[[nodiscard]] std::vector<AtomPointer> variable_atoms(std::span<const Int> values,
                                                      bool assumed = false);
[[nodiscard]] inline std::vector<AtomPointer> variable_atoms(const Int& value,
                                                             bool assumed = false) {
  return variable_atoms({&value, 1}, assumed);
}

/// The name, if the value is a variable.
[[nodiscard]] std::optional<std::string> name_of(const Int& value);
/// A constant or a variable, which need no parentheses.
[[nodiscard]] inline bool is_plain(const Int& value) {
  return value.is_constant() || name_of(value);
}

/// The names that assumptions connect with the variables of the values, without the variables' own
/// bounds and divisors.
[[nodiscard]] std::set<std::string> names_assumed_beside(std::span<const Int> values);

/// An operation with `image(operand)` for each operand. If the condition of a select becomes known,
/// only the branch taken is examined: the other may have no value.
template <class Image>
[[nodiscard]] Int with_operands(const Atom& atom, Image image) {
  if (atom.operation() != Operator::kSelect) {
    return apply(atom.operation(), image(atom.left()), image(atom.right()));
  }
  const auto& [left, predicate, right] = atom.condition();
  const Condition condition{image(left), predicate, image(right)};
  if (known(condition)) return image(atom.left());
  if (known_false(condition)) return image(atom.right());
  return select(condition, image(atom.left()), image(atom.right()));
}

/// Whether the value is certainly within all bounds of the variable, and a multiple of what divides
/// it; `at(bound)` gives their
/// values.
template <class At>
[[nodiscard]] bool is_within_bounds(const Variable& variable, const Int& whole, At at) {
  const auto is_above = [&](const Int& bound) { return known_at_most(at(bound), whole); };
  const auto is_below = [&](const Int& bound) { return known_at_most(whole, at(bound)); };
  const auto divides = [&](const Int& part) { return known_divides(at(part), whole); };
  return std::ranges::all_of(variable.multiple_of, divides) && is_above(variable.range.low) &&
         is_below(variable.range.high) && std::ranges::all_of(variable.at_least, is_above) &&
         std::ranges::all_of(variable.at_most, is_below);
}

/// The value with `image(atom)` for each variable atom.
[[nodiscard]] Int substitute(const Int& value, const std::function<Int(const AtomPointer&)>& image);

}  // namespace heddle::expr
