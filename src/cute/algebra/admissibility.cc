#include "heddle/cute/admissibility.h"

#include "cute/algebra/gaps.h"
#include "cute/layout/format.h"
#include "cute/layout/modes.h"
#include "expr/assume_needed.h"
#include "heddle/cute/composition.h"
#include "heddle/cute/coordinate.h"
#include "heddle/cute/manipulation.h"

namespace heddle::cute {
namespace {

enum class Strength { kStrong, kWeak };

Result<void> check_factors(const IntTuple& shape) {
  for (const Int& factor : shape.leaves()) {
    const auto call = [&] { return fmt::format("the factor {} of {}", factor, shape); };
    HEDDLE_TRY(const bool positive, decide({1, Predicate::kAtMost, factor}, call));
    if (!positive) return refuse("layout.extent", call() + " is not positive");
  }
  return {};
}

/// Definition 2.11; the last factor counts as unbounded. Factors of 1 are skipped, because the
/// definition requires factors above 1.
Result<Divisibility> divide_left(const std::vector<Int>& all, const Int& divisor,
                                 Strength strength) {
  const auto call = [&] {
    return fmt::format("left divisibility of ({}) by {}", fmt::join(all, ","), divisor);
  };
  std::vector<Int> factors;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!known_equal(all[i], 1) || i + 1 == all.size()) factors.push_back(all[i]);
  }
  Divisibility result;
  Int product = 1;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    const bool unbounded = i + 1 == factors.size();
    HEDDLE_TRY(const bool reaches, decide({product, Predicate::kDivides, divisor}, call));
    if (!reaches) {
      result.explanation = fmt::format("the product {} of the first {} factors does not divide {}",
                                       product, i, divisor);
      return result;
    }
    const Int quotient = floor_div(divisor, product);
    if (!unbounded) {
      HEDDLE_TRY(const bool within, decide({quotient, Predicate::kLess, factors[i]}, call));
      if (!within) {
        product *= factors[i];
        continue;
      }
    }
    if (!unbounded && strength == Strength::kStrong) {
      HEDDLE_TRY(const bool divides, decide({quotient, Predicate::kDivides, factors[i]}, call));
      if (!divides) {
        result.explanation = fmt::format("{} = {} * {}, but {} does not divide factor {}, {}",
                                         divisor, product, quotient, quotient, i, factors[i]);
        return result;
      }
    }
    result.holds = true;
    result.index = i;
    result.quotient = quotient;
    if (strength == Strength::kStrong) {
      result.rest.assign(factors.begin() + static_cast<std::ptrdiff_t>(i), factors.end());
      if (!unbounded) result.rest.front() = floor_div(factors[i], quotient);
    }
    result.explanation =
        unbounded ? fmt::format("{} = {} * {}, division index {} (the last factor, without bound)",
                                divisor, product, quotient, i)
                  : fmt::format("{} = {} * {}, division index {}, within factor {}", divisor,
                                product, quotient, i, factors[i]);
    return result;
  }
  return result;
}

Result<Divisibility> divisible(const IntTuple& shape, const Int& divisor, Strength strength) {
  HEDDLE_CHECK(check_factors(shape));
  HEDDLE_TRY(const bool positive, decide({1, Predicate::kAtMost, divisor}, [&] {
               return fmt::format("left divisibility of {} by {}", shape, divisor);
             }));
  if (!positive) {
    return refuse("tuple.divisor",
                  "left divisibility of {} by {} is not defined: divisors are at least 1", shape,
                  divisor);
  }
  return divide_left({shape.leaves().begin(), shape.leaves().end()}, divisor, strength);
}

/// `4 = 1*4, division index 0, …`.
Explanation division_step(const Mode& mode, const char* by, const std::vector<Int>& factors,
                          const Int& divisor, const Divisibility& found) {
  std::string text = found.explanation;
  for (std::size_t at = 0; (at = text.find(" * ", at)) != std::string::npos;) {
    text.replace(at, 3, "*");
  }
  return step(
      fmt::format("mode {}, {}", mode, by),
      fmt::format("({}) by {}: {}", fmt::join(factors, ","), divisor, text),
      found.holds && !found.rest.empty() ? fmt::format("({})", fmt::join(found.rest, ",")) : "");
}

/// Why a mode N:r may not be composed by division alone; empty if it may.
Result<std::string> obstacle(const std::vector<Int>& factors, const Mode& mode, Strength second,
                             const Trace& trace) {
  if (!mode.stride.basis().empty() || !known_less(0, mode.stride.scale())) {
    trace([&] { return step(fmt::format("mode {}", mode), "its stride is not positive"); });
    return fmt::format("the stride of {} is not a positive number", mode);
  }
  HEDDLE_TRY(const Divisibility by_stride,
             divide_left(factors, mode.stride.scale(), Strength::kStrong));
  trace([&] { return division_step(mode, "stride", factors, mode.stride.scale(), by_stride); });
  if (!by_stride.holds) {
    return fmt::format("the mode {}: the size is not left divisible by {}: {}", mode, mode.stride,
                       by_stride.explanation);
  }
  HEDDLE_TRY(const Divisibility by_extent, divide_left(by_stride.rest, mode.extent, second));
  trace([&] { return division_step(mode, "extent", by_stride.rest, mode.extent, by_extent); });
  if (by_extent.holds) return std::string();
  return fmt::format("the mode {}: what remains is not {}left divisible by {}: {}", mode,
                     second == Strength::kWeak ? "weakly " : "", mode.extent,
                     by_extent.explanation);
}

Result<std::optional<DefinitionInterval>> interval_of(const std::vector<Int>& factors,
                                                      const Mode& mode) {
  Int bounded = 1;
  for (std::size_t i = 0; i + 1 < factors.size(); ++i) bounded *= factors[i];
  const Int& stride = mode.stride.scale();
  const Int first = max(stride, 1);
  const Int last = min(stride * (mode.extent - 1), bounded - 1);
  HEDDLE_TRY(const bool is_empty, decide({last, Predicate::kLess, first}, [&] {
               return fmt::format("the interval of definition of {}", mode);
             }));
  if (is_empty) return std::nullopt;
  return DefinitionInterval{first, last};
}

Result<bool> are_disjoint(const DefinitionInterval& a, const DefinitionInterval& b) {
  const auto call = [&] {
    return fmt::format("the intervals [{},{}] and [{},{}]", a.first, a.last, b.first, b.last);
  };
  if (known_less(a.last, b.first) || known_less(b.last, a.first)) return true;
  const Condition before{a.last, Predicate::kLess, b.first};
  if (known_false(before)) return decide({b.last, Predicate::kLess, a.first}, call);
  return decide(before, call);
}

/// Why the digits of the modes carry into one another within the shape, whatever the strides of A;
/// empty if they do not. With one axis for each factor, a sum that carries is not the sum of its
/// parts.
Result<std::string> carry_of(const IntTuple& shape, const Layout& b) {
  const Result<Layout> digits = make_identity_layout(flatten(shape.view()));
  if (!digits) return digits.error().message();
  const Result<Layout> composed = composition(*digits, b);
  if (composed) return std::string();
  const Diagnostic& error = composed.error();
  const bool is_answer =
      error.code() == "composition.no_layout" || error.code() == "composition.two_axes";
  if (!is_answer) return refuse(error);
  return error.notes().empty() ? error.message() : error.notes().front();
}

Explanation interval_step(const Mode& mode, const std::optional<DefinitionInterval>& interval) {
  const std::string title = fmt::format("mode {}, acts", mode);
  if (!interval) return step(title, "beyond the bounded factors: nowhere within them");
  return step(title, "from its stride to its last step, within the bounded factors",
              fmt::format("[{},{}]", interval->first, interval->last));
}

Result<Verdict> admissible(const IntTuple& shape, const Layout& b, Strength second,
                           const Trace& trace) {
  HEDDLE_CHECK(check_factors(shape));
  const std::vector<Int> factors(shape.leaves().begin(), shape.leaves().end());
  Modes modes;
  std::vector<std::optional<DefinitionInterval>> intervals;
  for (const Mode& mode : leaves(b)) {
    if (known_equal(mode.extent, 1) || mode.stride.is_zero()) continue;
    HEDDLE_CHECK(check_moves(mode, [&] { return fmt::format("the admissibility of {}", b); }));
    HEDDLE_TRY(std::string why, obstacle(factors, mode, second, trace));
    if (!why.empty()) return Verdict::no(std::move(why));
    modes.push_back(mode);
    HEDDLE_TRY(std::optional<DefinitionInterval> interval, interval_of(factors, mode));
    trace([&] { return interval_step(mode, interval); });
    intervals.push_back(std::move(interval));
  }
  for (std::size_t i = 0; i < modes.size(); ++i) {
    for (std::size_t j = i + 1; j < modes.size(); ++j) {
      const auto& x = intervals[i];
      const auto& y = intervals[j];
      if (!x || !y) continue;
      HEDDLE_TRY(const bool disjoint, are_disjoint(*x, *y));
      if (disjoint) continue;
      return Verdict::no(
          fmt::format("the intervals of definition of {} and {} meet: [{},{}] and [{},{}]",
                      modes[i], modes[j], x->first, x->last, y->first, y->last));
    }
  }
  HEDDLE_TRY(const std::string carry, carry_of(shape, b));
  trace([&] {
    return step("together", carry.empty()
                                ? "no intervals meet, and no sum of steps carries out of a factor"
                                : "no intervals meet, but " + carry);
  });
  if (!carry.empty()) {
    return Verdict::no("every mode divides and no two intervals of definition meet, but " + carry);
  }
  return Verdict::yes("every mode divides and no two intervals of definition meet");
}

Result<void> check_integral(std::string_view operation, const Layout& layout) {
  if (layout.is_integral()) return {};
  return refuse("complement.two_axes", "{}: {} has strides in several axes", operation, layout);
}

/// The flat coordinate with 1 in the leaf and 0 in the others, and its index beside that of the
/// coordinate before it.
Witness step_into(const Layout& layout, const Int& flat) {
  const auto index = [&](const Int& at) {
    const Result<IntTuple> value = evaluate(layout, Coordinate(Index(at)));
    return value ? value->leaf() : Int::undefined();
  };
  const Int here = index(flat);
  const Int before = index(flat - 1);
  Witness witness{.coordinate = heddle::to_string(flat),
                  .found = heddle::to_string(here),
                  .wanted = fmt::format("more than {}", before),
                  .wanted_by = "an increasing layout"};
  if (flat.is_constant() && here.is_constant()) {
    witness.numbers = WitnessNumbers{WitnessNumbers::Point{{{flat.value()}, {}}, flat.value()},
                                     one_number(here.value()),
                                     {},
                                     {},
                                     {}};
  }
  return witness;
}

}  // namespace

Result<Divisibility> left_divisible(const IntTuple& shape, const Int& divisor) {
  return divisible(shape, divisor, Strength::kStrong);
}

Result<Divisibility> weakly_left_divisible(const IntTuple& shape, const Int& divisor) {
  return divisible(shape, divisor, Strength::kWeak);
}

Result<std::optional<DefinitionInterval>> interval_of_definition(const IntTuple& shape,
                                                                 const Layout& mode) {
  HEDDLE_CHECK(check_factors(shape));
  const Layout flat = coalesce(mode);
  if (flat.rank() != 1 || !flat.is_integral()) {
    return refuse("tuple.incongruent", "interval_of_definition: {} is not a single mode N:r", mode);
  }
  return interval_of({shape.leaves().begin(), shape.leaves().end()}, leaves(flat).front());
}

Result<Verdict> admissible_for_composition(const IntTuple& shape, const Layout& b) {
  return admissible_for_composition(shape, b, Trace());
}
Result<Verdict> admissible_for_composition(const IntTuple& shape, const Layout& b,
                                           const Trace& trace) {
  return admissible(shape, b, Strength::kWeak, trace);
}

Result<Verdict> admissible_for_cutlass_composition(const IntTuple& shape, const Layout& b) {
  return admissible_for_cutlass_composition(shape, b, Trace());
}
Result<Verdict> admissible_for_cutlass_composition(const IntTuple& shape, const Layout& b,
                                                   const Trace& trace) {
  return admissible(shape, b, Strength::kStrong, trace);
}

Result<Verdict> is_sorted(const Layout& layout) {
  HEDDLE_CHECK(check_integral("is_sorted", layout));
  const auto call = [&] { return fmt::format("is_sorted({})", layout); };
  const Modes modes = leaves(layout);
  for (std::size_t i = 1; i < modes.size(); ++i) {
    const Int& before = modes[i - 1].stride.scale();
    const Int& after = modes[i].stride.scale();
    HEDDLE_TRY(const bool rises, decide({before, Predicate::kAtMost, after}, call));
    if (!rises) {
      return Verdict::no(
          fmt::format("the stride {} of leaf {} is above {} of leaf {}", before, i - 1, after, i));
    }
    HEDDLE_TRY(const bool are_equal, decide({before, Predicate::kEqual, after}, call));
    if (!are_equal) continue;
    HEDDLE_TRY(const bool widens,
               decide({modes[i - 1].extent, Predicate::kAtMost, modes[i].extent}, call));
    if (widens) continue;
    return Verdict::no(
        fmt::format("leaves {} and {} have the stride {}, and the extent {} is above {}", i - 1, i,
                    before, modes[i - 1].extent, modes[i].extent));
  }
  return Verdict::yes("strides, and among equal ones extents, never fall");
}

Result<Verdict> is_increasing(const Layout& layout) {
  HEDDLE_CHECK(check_integral("is_increasing", layout));
  const auto call = [&] { return fmt::format("is_increasing({})", layout); };
  Int reach = 0;
  Int size = 1;
  for (const Mode& mode : leaves(layout)) {
    const Int& stride = mode.stride.scale();
    if (known_equal(mode.extent, 1)) continue;
    HEDDLE_TRY(const bool rises, decide({reach, Predicate::kLess, stride}, call));
    if (!rises) {
      HEDDLE_TRY(const bool stays, decide({mode.extent, Predicate::kEqual, 1}, call));
      if (stays) continue;
      return Verdict::no(
          fmt::format("the stride {} is not above {}, which the modes before it reach", stride,
                      reach),
          step_into(layout, size));
    }
    reach += (mode.extent - 1) * stride;
    size *= mode.extent;
  }
  return Verdict::yes("each stride is above what the modes before it reach");
}

}  // namespace heddle::cute
