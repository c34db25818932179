#pragma once

// Conditions on sizes that may be symbolic: they hold, they fail, or an assumption is needed to
// tell. An algorithm that needs the answer calls decide(), which refuses if there is none:
//
//   error assume.needed: right_inverse((M,4):(1,K)): needs to know whether M == K
//     hint: try --assume 'M==K'

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "heddle/expr/proof.h"

namespace heddle {

/// The refusal `assume.needed` of `call` (an operation with its operands) that cannot go on unless
/// the condition holds.
[[nodiscard]] Refusal needed(const std::string& call, const Condition& condition);
/// Like needed(), for a call that can go on with either answer once it is known.
[[nodiscard]] Refusal needed_either_way(const std::string& call, const Condition& condition);

/// `give every size a value: --assume 'M==256, N==256'`, of the sizes that the numbers depend on; a
/// hint for what takes numbers only.
[[nodiscard]] std::string value_hint(const std::set<std::string>& sizes);
[[nodiscard]] std::string value_hint(std::span<const Int> numbers);

/// Whether the condition holds; nullopt if that is not known.
[[nodiscard]] inline std::optional<bool> answer_to(const Condition& condition) {
  if (known(condition)) return true;
  if (condition.left.is_constant() && condition.right.is_constant()) return false;
  if (known_false(condition)) return false;
  return std::nullopt;
}

/// Whether the condition holds; refuses (`assume.needed`) if that is not known.
template <std::invocable Call>
[[nodiscard]] Result<bool> decide(const Condition& condition, Call call) {
  if (const std::optional<bool> answer = answer_to(condition)) return *answer;
  return needed_either_way(call(), condition);
}

/// Like decide(), for a caller that goes on if the condition holds and refuses otherwise in words
/// of its own: the hint of `assume.needed` asks for the condition itself.
template <std::invocable Call>
[[nodiscard]] Result<bool> decide_needed(const Condition& condition, Call call) {
  if (const std::optional<bool> answer = answer_to(condition)) return *answer;
  return needed(call(), condition);
}

/// Whether one of the two numbers divides the other; refuses (`assume.needed`) if that is not
/// known.
template <std::invocable Call>
[[nodiscard]] Result<bool> either_divides(const Int& a, const Int& b, Call call) {
  if (known_divides(a, b) || known_divides(b, a)) return true;
  if (known_false({a, Predicate::kDivides, b})) return decide({b, Predicate::kDivides, a}, call);
  return decide({a, Predicate::kDivides, b}, call);
}

/// How a sort treats symbolic keys that may be equal.
enum class Ties : std::uint8_t {
  kAnyOrder,  // the caller accepts either order
  kStable,    // refused: the order of equal ones is part of the answer
};

/// Sorts by `key(item)`, ascending and stable; refuses (`assume.needed`) if the order of two
/// symbolic keys is not known.
template <class Items, class Key, std::invocable Call>
[[nodiscard]] Result<void> sort_by(Items& items, Key key, Call call, Ties ties = Ties::kAnyOrder) {
  const auto is_constant = [&](const auto& item) { return key(item).is_constant(); };
  if (std::ranges::all_of(items, is_constant)) {
    std::ranges::stable_sort(
        items, [&](const auto& a, const auto& b) { return key(a).value() < key(b).value(); });
    return {};
  }
  for (std::size_t i = 1; i < items.size(); ++i) {
    for (std::size_t j = i; j > 0; --j) {
      const Int& before = key(items[j - 1]);
      const Int& after = key(items[j]);
      if (known_at_most(before, after)) break;
      const bool turned =
          ties == Ties::kAnyOrder ? known_at_most(after, before) : known_less(after, before);
      if (!turned) return needed_either_way(call(), {before, Predicate::kAtMost, after});
      std::swap(items[j - 1], items[j]);
    }
  }
  return {};
}

}  // namespace heddle
