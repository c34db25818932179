#include "kernel/fold.h"

#include <limits>

namespace heddle::kernel {

Fold fold_named(std::string_view name) {
  if (name == "prod") return Fold::kProduct;
  if (name == "max" || name == "argmax") return Fold::kMaximum;
  if (name == "min" || name == "argmin") return Fold::kMinimum;
  if (name == "any") return Fold::kAny;
  return name == "all" ? Fold::kAll : Fold::kSum;
}

Number end_of(DType type, bool is_least) {
  if (is_float(type)) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    return Number(is_least ? -kInfinity : kInfinity);
  }
  const bool has_sign = is_signed(type);
  const std::uint64_t all = type == DType::kBool ? 1 : ~std::uint64_t{0} >> (64 - bits(type));
  const std::uint64_t greatest = has_sign ? all >> 1 : all;
  if (!is_least) return decode(type, greatest);
  return decode(type, has_sign ? greatest + 1 : 0);
}

Number first_of(Fold fold, DType computed, DType destination) {
  const bool are_integers = !is_float(destination) && !is_float(computed);
  const bool is_narrower = bits(destination) < bits(computed);
  switch (fold) {
    case Fold::kMaximum:
      // The least number of u64 is one of i64, too.
      if (are_integers && destination == DType::kU64) return Number(std::int64_t{0});
      return end_of(are_integers && is_narrower ? destination : computed, true);
    case Fold::kMinimum:
      return end_of(are_integers && is_narrower ? destination : computed, false);
    case Fold::kProduct:
    case Fold::kAll:
      return is_float(computed) ? Number(1.0) : Number(std::int64_t{1});
    case Fold::kSum:
    case Fold::kAny:
      break;
  }
  return is_float(computed) ? Number(0.0) : Number(std::int64_t{0});
}

}  // namespace heddle::kernel
