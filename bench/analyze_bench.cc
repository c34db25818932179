// Time of analyses: bank conflicts counted and by rank, and the choice of a shared layout between
// two register layouts of 128 x 128 elements of 16 bits.

#include <benchmark/benchmark.h>

#include "heddle/analyze/conversion.h"
#include "heddle/analyze/find_swizzle.h"
#include "heddle/analyze/optimal_swizzle.h"
#include "heddle/linear/encoding.h"
#include "heddle/notation/cute.h"

namespace {

using namespace heddle;

linear::LinearLayout layout_of(const linear::Encoding& encoding) {
  return linear::to_linear_layout(encoding, linear::Sizes{128, 128}).value();
}

linear::LinearLayout rows() {
  return layout_of(linear::BlockedEncoding{{1, 8}, {2, 16}, {4, 1}, {1, 0}, {}});
}

linear::LinearLayout accumulator() {
  return layout_of(linear::NvidiaMmaEncoding{2, 0, {2, 2}, {16, 8}, {}});
}

void optimal_swizzle(benchmark::State& state) {
  const linear::LinearLayout src = rows();
  const linear::LinearLayout dst = accumulator();
  for (auto _ : state) benchmark::DoNotOptimize(analyze::optimal_swizzle(src, dst, 16));
}
BENCHMARK(optimal_swizzle)->Name("analyze/optimal_swizzle")->Unit(benchmark::kMicrosecond);

void conversion_class(benchmark::State& state) {
  const linear::LinearLayout src = rows();
  const linear::LinearLayout dst = accumulator();
  for (auto _ : state) benchmark::DoNotOptimize(analyze::conversion_class(src, dst, 16));
}
BENCHMARK(conversion_class)->Name("analyze/conversion_class")->Unit(benchmark::kMicrosecond);

void bank_counts(benchmark::State& state) {
  const linear::LinearLayout src = rows();
  const linear::LinearLayout shared = analyze::optimal_swizzle(src, accumulator(), 16)->layout;
  const linear::LinearLayout offsets = analyze::register_offsets(src, shared).value();
  for (auto _ : state) benchmark::DoNotOptimize(analyze::bank_counts(offsets, 16));
}
BENCHMARK(bank_counts)->Name("analyze/bank_counts")->Unit(benchmark::kMicrosecond);

void bank_conflicts(benchmark::State& state) {
  const linear::LinearLayout src = rows();
  const linear::LinearLayout shared = analyze::optimal_swizzle(src, accumulator(), 16)->layout;
  for (auto _ : state) benchmark::DoNotOptimize(analyze::bank_conflicts(src, shared, 16));
}
BENCHMARK(bank_conflicts)->Name("analyze/bank_conflicts")->Unit(benchmark::kMicrosecond);

void find_swizzle(benchmark::State& state) {
  const cute::Layout tile = notation::parse_cute("(64,64):(64,1)").value();
  const cute::Layout access = notation::parse_cute("(32,8):(1,64)").value();
  const std::vector<form::IndexMap> accesses = {index_map(access)};
  for (auto _ : state) benchmark::DoNotOptimize(analyze::find_swizzle(tile, accesses, 16));
}
BENCHMARK(find_swizzle)->Name("analyze/find_swizzle")->Unit(benchmark::kMillisecond);

}  // namespace
