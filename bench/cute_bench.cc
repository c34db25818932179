// Time of what else programs do with layouts; bench/compare puts it under the table of the algebra.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include "heddle/cute/algebra.h"
#include "heddle/notation/cute.h"

namespace {

using namespace heddle;
using cute::Layout;

Layout layout(const char* text) { return notation::parse_cute(text).value(); }

constexpr const char* kTile = "((8,16),(64,2)):((64,512),(1,8192))";

/// Sets the time of one of `count` elements, in nanoseconds.
void per_element(benchmark::State& state, std::int64_t count) {
  state.SetItemsProcessed(state.iterations() * count);
}

// Whole layouts.

void evaluate_many(benchmark::State& state) {
  const Layout a = layout(kTile);
  std::vector<std::int64_t> coordinates(1 << 14);
  std::iota(coordinates.begin(), coordinates.end(), std::int64_t{0});
  std::vector<std::int64_t> indices(coordinates.size());
  for (auto _ : state) {
    benchmark::DoNotOptimize(cute::evaluate(a, coordinates, indices));
    benchmark::ClobberMemory();
  }
  per_element(state, 1 << 14);
}
BENCHMARK(evaluate_many)->Name("evaluate/flat_coordinates");

void tabulate(benchmark::State& state, const char* text) {
  const Layout a = layout(text);
  std::vector<std::int64_t> indices(1 << 24);
  for (auto _ : state) {
    benchmark::DoNotOptimize(cute::tabulate(a, indices));
    benchmark::ClobberMemory();
  }
  per_element(state, 1 << 24);
}
BENCHMARK_CAPTURE(tabulate, row_major, "(4096,4096):(4096,1)");
BENCHMARK_CAPTURE(tabulate, tiled, "((8,16,32),(64,64)):((64,512,524288),(1,8192))");
BENCHMARK_CAPTURE(tabulate, pairs, "(2,3,5,559241):(7,1,100,3)");

void store_numbers(benchmark::State& state) {
  std::vector<std::int64_t> numbers(1 << 24);
  for (auto _ : state) {
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::int64_t>(i);
    benchmark::ClobberMemory();
  }
  per_element(state, 1 << 24);
}
BENCHMARK(store_numbers)->Name("tabulate/plain_loop");

// Single elements and accessors.

void evaluate_one(benchmark::State& state) {
  const Layout a = layout(kTile);
  Int coordinate = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(a(coordinate));
    coordinate = mod(coordinate + 1, 16384);
  }
}
BENCHMARK(evaluate_one);

template <class Accessor>
void access(benchmark::State& state, Accessor accessor) {
  Layout a = layout(kTile);
  for (auto _ : state) {
    benchmark::DoNotOptimize(a);
    auto result = accessor(a);
    benchmark::DoNotOptimize(result);
  }
}
BENCHMARK_CAPTURE(access, rank, [](const Layout& a) { return a.rank(); });
BENCHMARK_CAPTURE(access, depth, [](const Layout& a) { return a.depth(); });
BENCHMARK_CAPTURE(access, size, [](const Layout& a) { return a.size(); });
BENCHMARK_CAPTURE(access, cosize, [](const Layout& a) { return cute::cosize(a); });
BENCHMARK_CAPTURE(access, shape, [](const Layout& a) { return a.shape(); });
BENCHMARK_CAPTURE(access, mode, [](const Layout& a) { return a.mode(1); });

void composition_by_recovery(benchmark::State& state) {
  const Layout a = layout("(8,8):(8,1)");
  const Layout b = layout("6:3");
  for (auto _ : state) benchmark::DoNotOptimize(cute::composition(a, b));
}
BENCHMARK(composition_by_recovery);

void parse(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(notation::parse_cute("((_8,_16),(_64,_2)):((_64,_512),(_1,_8192))"));
  }
}
BENCHMARK(parse);

}  // namespace

BENCHMARK_MAIN();
