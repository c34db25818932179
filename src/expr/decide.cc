#include "expr/decide.h"

#include <fmt/format.h>

namespace heddle {
namespace {

Refusal refuse_with_hint(std::string message, const Condition& condition) {
  Diagnostic diagnostic("assume.needed", std::move(message));
  const std::string assumption = assumption_for(condition);
  if (assumption.empty()) return refuse(std::move(diagnostic));
  return refuse(std::move(diagnostic).with_hint(fmt::format("try --assume '{}'", assumption)));
}

}  // namespace

Refusal needed(const std::string& call, const Condition& condition) {
  return refuse_with_hint(fmt::format("{}: needs {}", call, to_string(condition)), condition);
}

Refusal needed_either_way(const std::string& call, const Condition& condition) {
  return refuse_with_hint(fmt::format("{}: needs to know whether {}", call, to_string(condition)),
                          condition);
}

}  // namespace heddle
