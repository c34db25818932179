// Time of symbolic arithmetic on terms as layouts have them, beside that of constants.

#include <benchmark/benchmark.h>

#include <vector>

#include "heddle/expr/assumptions.h"

namespace {

using namespace heddle;

const Assumptions& world() {
  static const Assumptions made = [] {
    const Int m = Int::variable("M");
    const Int k = Int::variable("K");
    const std::vector<Condition> conditions{{mod(m, 128), Predicate::kEqual, 0},
                                            {k, Predicate::kAtMost, m}};
    return Assumptions::make(conditions).value();
  }();
  return made;
}

const Int& m() {
  static const Int variable = world().variable("M");
  return variable;
}
const Int& n() {
  static const Int variable = Int::variable("N", 1, Range::kNoHigh);
  return variable;
}
const Int& t() {
  static const Int variable = Int::variable("t", 0, 127);
  return variable;
}

template <class Operation>
void run(benchmark::State& state, Operation operation) {
  for (auto _ : state) benchmark::DoNotOptimize(operation());
}

void constant_product(benchmark::State& state) {
  Int a = 128;
  Int b = 64;
  benchmark::DoNotOptimize(a);
  benchmark::DoNotOptimize(b);
  run(state, [&] { return a * b; });
}
BENCHMARK(constant_product);

void constant_quotient(benchmark::State& state) {
  Int a = 4096;
  Int b = 64;
  benchmark::DoNotOptimize(a);
  benchmark::DoNotOptimize(b);
  run(state, [&] { return floor_div(a, b); });
}
BENCHMARK(constant_quotient);

#define HEDDLE_MEASURE(name, expression)   \
  void name(benchmark::State& state) {     \
    run(state, [] { return expression; }); \
  }                                        \
  BENCHMARK(name)

HEDDLE_MEASURE(sum_with_constant, n() + 1);
HEDDLE_MEASURE(sum_of_variables, m() + n());
HEDDLE_MEASURE(product_with_constant, n() * 128);
HEDDLE_MEASURE(product_of_variables, m() * n());
HEDDLE_MEASURE(exact_quotient, floor_div(m(), 64));
HEDDLE_MEASURE(kept_quotient, floor_div(n(), 128));
HEDDLE_MEASURE(quotient_by_variable, floor_div(m() * n(), m()));
HEDDLE_MEASURE(remainder_of_thread, mod(t(), 8));
HEDDLE_MEASURE(remainder_that_is_zero, mod(m(), 64));
HEDDLE_MEASURE(tiles_over, ceil_div(n(), 128));
HEDDLE_MEASURE(known_less_by_range, known_less(t(), 128));
HEDDLE_MEASURE(known_divides_by_divisor, known_divides(64, m()));
HEDDLE_MEASURE(known_equal_terms, known_equal(m() * 2, m() + m()));
HEDDLE_MEASURE(known_at_most_by_rewriting, known_at_most(128 * floor_div(n(), 128), n()));
HEDDLE_MEASURE(not_known_at_most, known_at_most(n(), m()));

}  // namespace
