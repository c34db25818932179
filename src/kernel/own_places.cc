#include "kernel/own_places.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <utility>
#include <vector>

#include "heddle/map/decide.h"

namespace heddle::kernel {

namespace {

/// `8`, `(0,1)`
std::string point_text(const NamedNumbers& point) {
  const std::string text = fmt::format("{}", fmt::join(point.numbers, ","));
  return point.numbers.size() == 1 ? text : fmt::format("({})", text);
}

/// ` where N=2, LD=1`
std::string sizes_text(const WitnessNumbers& numbers) {
  std::vector<std::string> sizes;
  for (const auto& [name, value] : numbers.sizes)
    sizes.push_back(fmt::format("{}={}", name, value));
  return sizes.empty() ? std::string() : fmt::format(", where {}", fmt::join(sizes, ", "));
}

/// `the elements (0,1) and (1,0) of (8,8):(1,1) share place 1`
std::string shared_place(const map::AnyLayout& layout, const Verdict& verdict) {
  const auto& witness = verdict.counterexample();
  const bool has_numbers =
      witness && witness->numbers && witness->numbers->point && witness->numbers->other;
  if (!has_numbers)
    return fmt::format("several elements of {} share a place", map::to_string(layout));
  const WitnessNumbers& numbers = *witness->numbers;
  return fmt::format("the elements {} and {} of {} share place {}{}",
                     point_text(numbers.other->coordinate), point_text(numbers.point->coordinate),
                     map::to_string(layout), witness->found, sizes_text(numbers));
}

}  // namespace

Result<void> check_own_places(const map::AnyLayout& layout, std::string_view what) {
  const Verdict verdict = map::injective(layout);
  if (verdict.is_yes()) return {};
  const std::string reason =
      verdict.is_no() ? shared_place(layout, verdict)
                      : fmt::format("the elements of {} are not known to have places of their own",
                                    map::to_string(layout));
  return refuse(Diagnostic("kernel.layout", fmt::format("{}: {}", what, reason))
                    .with_hint("a tensor that is written needs a place for each element; only "
                               "parameters that are only read may share places"));
}

}  // namespace heddle::kernel
