#include "kernel/meaning/solutions.h"

#include <algorithm>

#include "expr/term/term.h"
#include "heddle/core/exact.h"

namespace heddle::kernel::meaning {
namespace {

/// factor*n + rest at both ends; nullopt past 64 bits.
std::optional<Solutions> scaled(const Solutions& ends, std::int64_t factor, std::int64_t low_rest,
                                std::int64_t high_rest) {
  const auto at = [&](std::int64_t end, std::int64_t rest) -> exact::Value {
    const exact::Value product = exact::multiply(end, factor);
    return product ? exact::add(*product, rest) : std::nullopt;
  };
  const exact::Value low = at(ends.low, low_rest);
  const exact::Value high = at(ends.high, high_rest);
  if (!low || !high) return std::nullopt;
  return Solutions{*low, *high};
}

/// The n for which factor*n + rest is between the ends, for a positive factor.
std::optional<Solutions> divided(const Solutions& ends, std::int64_t factor, std::int64_t rest) {
  const exact::Value low = exact::subtract(ends.low, rest);
  const exact::Value high = exact::subtract(ends.high, rest);
  const exact::Value above = low ? exact::add(*low, factor - 1) : std::nullopt;
  if (!above || !high) return std::nullopt;
  return Solutions{*exact::floor_divide(*above, factor), *exact::floor_divide(*high, factor)};
}

/// The values of a variable whose quotients are between the ends, of those that it may have.
std::optional<Solutions> of_variable(const expr::Variable& variable, const Solutions& ends) {
  if (!variable.factors.empty()) return std::nullopt;
  const auto allowed =
      divided({variable.range.low, variable.range.high}, variable.divisor, variable.residue);
  const Solutions quotients =
      allowed ? Solutions{std::max(ends.low, allowed->low), std::min(ends.high, allowed->high)}
              : ends;
  return scaled(quotients, variable.divisor, variable.residue, variable.residue);
}

}  // namespace

std::optional<Solutions> solutions(const Int& extent, std::int64_t low, std::int64_t high) {
  if (!extent.is_symbolic()) return std::nullopt;
  std::int64_t constant = 0;
  const expr::Product* part = nullptr;
  for (const expr::Product& product : extent.term().products()) {
    if (product.degree() == 0) {
      constant = product.coefficient;
    } else if (product.degree() == 1 && part == nullptr) {
      part = &product;
    } else {
      return std::nullopt;
    }
  }
  // The negative of an extent that falls is between the negatives of the ends.
  const bool is_falling = part->coefficient < 0;
  const exact::Value factor =
      is_falling ? exact::subtract(0, part->coefficient) : part->coefficient;
  const exact::Value rest = is_falling ? exact::subtract(0, constant) : constant;
  const auto between =
      is_falling ? scaled({high, low}, -1, 0, 0) : std::optional(Solutions{low, high});
  if (!factor || !rest || !between) return std::nullopt;
  const auto ends = divided(*between, *factor, *rest);
  if (!ends) return std::nullopt;
  const expr::Atom& atom = *part->atoms[0];
  if (atom.operation() == expr::Operator::kVariable) return of_variable(atom.variable(), *ends);
  const bool is_quotient = atom.operation() == expr::Operator::kQuotient;
  if (!is_quotient || !atom.right().is_constant() || atom.right().value() < 1) return std::nullopt;
  const std::int64_t divisor = atom.right().value();
  const auto inside = scaled(*ends, divisor, 0, divisor - 1);
  return inside ? solutions(atom.left(), inside->low, inside->high) : std::nullopt;
}

}  // namespace heddle::kernel::meaning
