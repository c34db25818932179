#include "axe/layout/extents.h"

#include <fmt/format.h>

#include "core/words.h"

namespace heddle::axe {

std::string step_text(const Int& stride, const Axis& axis) {
  const std::string number = to_string(stride);
  const bool is_sum = stride.is_symbolic() && number.find_first_of("+-", 1) != std::string::npos;
  const std::string name = written_name(axis.name());
  return is_sum ? fmt::format("({})@{}", number, name) : fmt::format("{}@{}", number, name);
}

Int product(std::span<const Int> numbers) {
  Int result = 1;
  for (const Int& number : numbers) result *= number;
  return result;
}

Refusal bad_extent(const Int& extent, const std::string& what) {
  return refuse(
      Diagnostic("axe.extent", fmt::format("{} has the extent {}", what, to_string(extent)))
          .with_hint("extents are at least 1"));
}

}  // namespace heddle::axe
