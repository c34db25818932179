#include "kernel/passes/bounds.h"

#include <algorithm>

#include "heddle/expr/proof.h"
#include "heddle/expr/variables.h"

namespace heddle::kernel {

bool depends_on(const Int& value, const std::string& counter) {
  const std::vector<std::string> names = variables(value);
  return std::ranges::find(names, counter) != names.end();
}

bool depends_on(const Condition& condition, const std::string& counter) {
  return depends_on(condition.left, counter) || depends_on(condition.right, counter);
}

std::optional<Int> stride_along(const Int& value, const std::string& counter) {
  // Of any range: that of the loop may have changed.
  const Int any = Int::variable(counter);
  const auto at = [&](const Int& number) { return instantiate(value, {{counter, number}}); };
  const auto first = at(0);
  const auto second = at(1);
  const auto plain = at(any);
  if (!first || !second || !plain) return std::nullopt;
  const Int stride = *second - *first;
  if (!stride.is_defined() || !known_equal(*first + stride * any, *plain)) return std::nullopt;
  return stride;
}

bool Bounds::add(const Condition& condition, const std::string& counter) {
  const bool is_less = condition.predicate == Predicate::kLess;
  if (!is_less && condition.predicate != Predicate::kAtMost) return false;
  // first + step*counter > 0, or >= 0.
  const Int distance = condition.right - condition.left;
  const std::optional<Int> stride = stride_along(distance, counter);
  if (!stride || !stride->is_constant() || stride->value() == 0) return false;
  const Int first = *instantiate(distance, {{counter, 0}});
  const std::int64_t step = stride->value();
  if (step < 0) {
    ends.push_back(is_less ? ceil_div(first, -step) : floor_div(first, -step) + 1);
  } else {
    begins.push_back(is_less ? floor_div(-first, step) + 1 : ceil_div(-first, step));
  }
  return true;
}

Int Bounds::begin_from(Int begin) const {
  for (const Int& each : begins) begin = max(begin, each);
  return begin;
}

Int Bounds::end_up_to(Int end) const {
  for (const Int& each : ends) end = min(end, each);
  return end;
}

}  // namespace heddle::kernel
