#pragma once

// Which explanation belongs to which operation: functions of what the operation takes, by its name.

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

/// The steps of an operation, its arguments in the order of its parameters; nothing said where it
/// has none of its own for these.
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

/// An explanation without operands and result: explain() knows those of the call, and adds them.
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

/// Of operations on Axe layouts, and on LEGO layouts.
[[nodiscard]] const Explainers& axe_explainers();
[[nodiscard]] const Explainers& lego_explainers();

/// Asked of layouts of any system.
[[nodiscard]] bool takes_any_layout(const Operation& operation);
/// The steps of a call of such an operation that came to `result`: how a claim is decided, a layout
/// is converted, read as a relation, recovered; nothing said where it has none of its own. Cost: up
/// to the time limit of the context once more.
[[nodiscard]] Explanation any_layout_steps(const Operation& operation,
                                           std::span<const Argument> arguments,
                                           const Result<Value>& result, const CallContext& context);

/// What an Axe layout is, in words.
[[nodiscard]] std::string axe_formula(const axe::Layout& layout);

}  // namespace heddle::notation
