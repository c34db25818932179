#pragma once

// The explanation of each operation, by its name: a function of the operation's arguments.

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "heddle/core/explanation.h"
#include "notation/operations/binding.h"

namespace heddle::notation {

/// Explains the steps of an operation, given its arguments in the order of its parameters; the
/// explanation is empty if there are no steps for these.
using Explainer = std::function<Explanation(CallValues)>;
using Explainers = std::unordered_map<std::string_view, Explainer>;

template <class... Types, class Body, std::size_t... Indices>
Explainer bind_explainer(Body body, std::index_sequence<Indices...>) {
  return [body](CallValues arguments) -> Explanation {
    return body(SlotOf<Types>::read(arguments.subspan(Indices))...);
  };
}
template <class Body>
Explainer explainer(Body body) {
  return [&]<class Return, class... Types>(const std::function<Return(Types...)>&) {
    return bind_explainer<Types...>(body, std::index_sequence_for<Types...>());
  }(std::function(body));
}

/// An explanation without operands and result, which explain() adds from the call.
inline Explanation step(std::string title, std::string text, std::vector<Explanation> steps = {}) {
  Explanation explanation;
  explanation.title = std::move(title);
  explanation.text = std::move(text);
  explanation.steps = std::move(steps);
  return explanation;
}
inline Explanation step(std::string title, std::string text, std::string result) {
  Explanation explanation = step(std::move(title), std::move(text));
  explanation.result = std::move(result);
  return explanation;
}

/// The explainers of operations on Axe layouts, and on LEGO layouts.
[[nodiscard]] const Explainers& axe_explainers();
[[nodiscard]] const Explainers& lego_explainers();

/// Whether the operation takes layouts of any system.
[[nodiscard]] bool takes_any_layout(const Operation& operation);
/// The steps of a call of such an operation with this result: how a claim is decided, a layout is
/// converted, read as a relation, recovered; empty if it has no steps. Cost: up to the time limit
/// of the context once more.
[[nodiscard]] Explanation any_layout_steps(const Operation& operation,
                                           std::span<const Argument> arguments,
                                           const Result<Value>& result, const CallContext& context);

/// What an Axe layout is, in words.
[[nodiscard]] std::string axe_formula(const axe::Layout& layout);

}  // namespace heddle::notation
