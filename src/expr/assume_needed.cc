#include "expr/assume_needed.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/text.h"

namespace heddle {
namespace {

/// Texts in messages are cut off after this many characters.
constexpr std::size_t kMostOfText = 400;

/// Numbers at which the condition holds, as assumptions; empty if none are found.
std::string numbers_for(const Condition& condition) {
  constexpr std::size_t kTries = 128;
  const Int sides[] = {condition.left, condition.right};
  for (const Bindings& values : samples(sides, kTries)) {
    const Result<Condition> there = instantiate(condition, values);
    if (!there || !known(*there)) continue;
    std::string text;
    for (const auto& [name, value] : values) {
      text += fmt::format("{}{}=={}", text.empty() ? "" : ",", name, to_string(value));
    }
    return text;
  }
  return {};
}

Refusal refuse_with_hint(std::string message, const Condition& condition) {
  Diagnostic diagnostic("assume.needed", std::move(message));
  std::string assumption = assumption_for(condition);
  if (assumption.empty()) assumption = numbers_for(condition);
  // An assumption that is too long to type does not help.
  if (assumption.empty() || assumption.size() > kMostOfText) return refuse(std::move(diagnostic));
  return refuse(std::move(diagnostic).with_hint(fmt::format("try --assume '{}'", assumption)));
}

}  // namespace

Refusal needed(const std::string& call, const Condition& condition) {
  return refuse_with_hint(fmt::format("{}: needs {}", shortened(call, kMostOfText),
                                      shortened(to_string(condition), kMostOfText)),
                          condition);
}

Refusal needed_either_way(const std::string& call, const Condition& condition) {
  return refuse_with_hint(fmt::format("{}: needs to know whether {}", shortened(call, kMostOfText),
                                      shortened(to_string(condition), kMostOfText)),
                          condition);
}

std::string value_hint(const std::set<std::string>& sizes) {
  constexpr std::string_view kHint = "give every size a value";
  if (sizes.empty()) return std::string(kHint);
  return fmt::format("{}: --assume '{}==256'", kHint, fmt::join(sizes, "==256, "));
}

std::string value_hint(std::span<const Int> numbers) { return value_hint(variables(numbers)); }

}  // namespace heddle
