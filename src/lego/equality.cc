#include "heddle/lego/equality.h"

#include <fmt/format.h>

#include <optional>

#include "expr/decide.h"
#include "heddle/expr/index_variable.h"

namespace heddle::lego {
namespace {

/// Layouts of up to this many points are compared point by point.
constexpr std::int64_t kMaxPoints = std::int64_t{1} << 20;

Result<Int> position_at(const Layout& layout, const Int& flat) {
  return layout.apply(unflatten(layout.dims(), flat));
}

/// Nothing where a position cannot be computed or is symbolic.
std::optional<Verdict> compared_at_every_point(const Layout& a, const Layout& b,
                                               std::int64_t size) {
  for (std::int64_t flat = 0; flat < size; ++flat) {
    const Result<Int> left = position_at(a, flat);
    const Result<Int> right = position_at(b, flat);
    if (!left || !right || !left->is_constant() || !right->is_constant()) return std::nullopt;
    if (*left == *right) continue;
    return Verdict::no("evaluation", Witness{std::to_string(flat), to_string(*left),
                                             to_string(*right), to_string(b)});
  }
  return Verdict::yes(fmt::format("evaluated all {} coordinates", size));
}

}  // namespace

Verdict equal(const Layout& a, const Layout& b) {
  if (a == b) return Verdict::yes("same text");
  const Int size = a.size();
  const std::optional<bool> same_size = answer_to({size, Relation::kEqual, b.size()});
  if (same_size == false) {
    return Verdict::no("size", Witness{"size", to_string(size), to_string(b.size()), to_string(b)});
  }
  if (!same_size) return Verdict::unknown("sizes that are not known to be equal");
  if (size.is_constant() && size.value() <= kMaxPoints) {
    if (const auto verdict = compared_at_every_point(a, b, size.value())) return *verdict;
  }
  const Int flat = index_variable("flat", size);
  const Result<Int> left = position_at(a, flat);
  const Result<Int> right = position_at(b, flat);
  if (left && right && known_equal(*left, *right)) return Verdict::yes("normal forms");
  return Verdict::unknown("normal forms");
}

}  // namespace heddle::lego
