#include "heddle/axe/iter_intersect.h"

#include <fmt/format.h>

#include "axe/layout/iter_intersect.h"
#include "axe/layout/iters.h"
#include "expr/assume_needed.h"

namespace heddle::axe {
namespace {

/// -1, 0 or 1.
template <class Call>
Result<int> sign_of(const Int& stride, Call call) {
  HEDDLE_TRY(const bool is_zero, decide({stride, Predicate::kEqual, 0}, call));
  if (is_zero) return 0;
  HEDDLE_TRY(const bool is_positive, decide({0, Predicate::kLess, stride}, call));
  return is_positive ? 1 : -1;
}

template <class Call>
Result<Int> common_multiple(const Int& a, const Int& b, Call call) {
  if (a.is_constant() && b.is_constant()) return floor_div(a, gcd(a, b)) * b;
  if (known_divides(a, b)) return b;
  if (known_divides(b, a)) return a;
  return needed_either_way(call(), {a, Predicate::kDivides, b});
}

}  // namespace

Result<Iter> iter_intersect(const Iter& a, const Iter& b) { return iter_intersect(a, b, Trace()); }

Result<Iter> iter_intersect(const Iter& a, const Iter& b, const Trace& trace) {
  const auto call = [&] { return fmt::format("iter_intersect({}, {})", a, b); };
  for (const Iter* iter : {&a, &b}) {
    const auto named = [&] { return "the iter " + to_string(*iter); };
    HEDDLE_CHECK(check_extent(iter->extent, named));
    HEDDLE_CHECK(check_defined((iter->extent - 1) * abs(iter->stride), named));
  }
  const Iter origin = {1, 1, a.axis};
  const auto only_zero = [&](std::string_view why) {
    trace([&] { return step("only 0", std::string(why), to_string(origin)); });
    return origin;
  };
  if (a.axis != b.axis) return only_zero("they are on different axes");
  if (a.extent == Int(1) || b.extent == Int(1)) return only_zero("one of them has no other value");
  HEDDLE_TRY(const int sign_a, sign_of(a.stride, call));
  HEDDLE_TRY(const int sign_b, sign_of(b.stride, call));
  if (sign_a * sign_b < 0) return only_zero("they run to opposite sides");
  if (sign_a * sign_b == 0) return only_zero("one of them stays at 0");
  HEDDLE_TRY(const Int common, common_multiple(abs(a.stride), abs(b.stride), call));
  // A multiple that exceeds 64 bits is past both ends.
  if (!common.is_defined())
    return only_zero("the common multiple of the strides is past both ends");
  trace([&] {
    return step("stride",
                fmt::format("the least common multiple of {} and {}", abs(a.stride), abs(b.stride)),
                to_string(common));
  });
  const Int last = min((a.extent - 1) * abs(a.stride), (b.extent - 1) * abs(b.stride));
  HEDDLE_TRY(const Int extent, check_defined(floor_div(last, common) + 1, call));
  trace([&] {
    return step("ends", fmt::format("{}*{} = {} and {}*{} = {}; the nearer is {}", a.extent - 1,
                                    abs(a.stride), (a.extent - 1) * abs(a.stride), b.extent - 1,
                                    abs(b.stride), (b.extent - 1) * abs(b.stride), last));
  });
  trace([&] {
    return step("extent", fmt::format("floor({}/{}) + 1 = {} values, with 0", last, common, extent),
                to_string(extent));
  });
  return extent == Int(1) ? origin : Iter{extent, Int(sign_a) * common, a.axis};
}

}  // namespace heddle::axe
