#include "heddle/axe/iter_intersect.h"

#include <fmt/format.h>

#include "axe/layout/iters.h"
#include "expr/assume_needed.h"

namespace heddle::axe {
namespace {

class Intersection {
 public:
  Intersection(const Iter& a, const Iter& b) : a_(a), b_(b) {}

  Result<Iter> run() const {
    for (const Iter* iter : {&a_, &b_}) {
      const auto named = [&] { return "the iter " + to_string(*iter); };
      HEDDLE_CHECK(check_extent(iter->extent, named));
      HEDDLE_CHECK(check_defined((iter->extent - 1) * abs(iter->stride), named));
    }
    const Iter origin = {1, 1, a_.axis};
    if (a_.axis != b_.axis || a_.extent == Int(1) || b_.extent == Int(1)) return origin;
    HEDDLE_TRY(const int sign_a, sign_of(a_.stride));
    HEDDLE_TRY(const int sign_b, sign_of(b_.stride));
    if (sign_a * sign_b <= 0) return origin;
    HEDDLE_TRY(const Int common, common_multiple(abs(a_.stride), abs(b_.stride)));
    // A multiple that is no number any more is past both ends.
    if (!common.is_defined()) return origin;
    const Int last = min((a_.extent - 1) * abs(a_.stride), (b_.extent - 1) * abs(b_.stride));
    HEDDLE_TRY(const Int extent,
               check_defined(floor_div(last, common) + 1, [&] { return call(); }));
    return extent == Int(1) ? origin : Iter{extent, Int(sign_a) * common, a_.axis};
  }

 private:
  Result<int> sign_of(const Int& stride) const {
    const auto needs = [&] { return call(); };
    HEDDLE_TRY(const bool is_zero, decide({stride, Predicate::kEqual, 0}, needs));
    if (is_zero) return 0;
    HEDDLE_TRY(const bool is_positive, decide({0, Predicate::kLess, stride}, needs));
    return is_positive ? 1 : -1;
  }

  Result<Int> common_multiple(const Int& a, const Int& b) const {
    if (a.is_constant() && b.is_constant()) return floor_div(a, gcd(a, b)) * b;
    if (known_divides(a, b)) return b;
    if (known_divides(b, a)) return a;
    return needed_either_way(call(), {a, Predicate::kDivides, b});
  }

  [[nodiscard]] std::string call() const {
    return fmt::format("iter_intersect({}, {})", to_string(a_), to_string(b_));
  }

  const Iter& a_;
  const Iter& b_;
};

}  // namespace

Result<Iter> iter_intersect(const Iter& a, const Iter& b) { return Intersection(a, b).run(); }

}  // namespace heddle::axe
