#include "notation/evaluate/declared_axes.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace heddle::notation {

void add_declared_axes(const Operation& operation, const Environment& environment,
                       std::vector<Argument>& arguments) {
  constexpr std::string_view kAxes = "axes";
  const std::size_t by_position = operation.parameters.size();
  const bool is_given = arguments.size() >= by_position ||
                        std::ranges::find(arguments, kAxes, &Argument::name) != arguments.end();
  if (!has_parameter(operation, kAxes) || is_given || environment.declared_axes().empty()) return;
  arguments.push_back({Value(environment.declared_axes()), std::string(kAxes), {}});
}

}  // namespace heddle::notation
