// Time of the CuTe operations on layouts as kernels use them; scripts/bench prints the table.

#include <benchmark/benchmark.h>

#include "heddle/cute/algebra.h"
#include "heddle/notation/cute.h"

namespace {

using namespace heddle;
using cute::Layout;

Layout layout(const char* text) { return notation::parse_cute(text).value(); }

void composition(benchmark::State& state) {
  const Layout a = layout("((8,16),(64,1)):((64,512),(1,0))");
  const Layout b = layout("((4,8,4),(2,2,2)):((64,1,1024),(32,8,512))");
  for (auto _ : state) benchmark::DoNotOptimize(cute::composition(a, b));
}
BENCHMARK(composition);

void composition_by_recovery(benchmark::State& state) {
  const Layout a = layout("(8,8):(8,1)");
  const Layout b = layout("6:3");
  for (auto _ : state) benchmark::DoNotOptimize(cute::composition(a, b));
}
BENCHMARK(composition_by_recovery);

void coalesce(benchmark::State& state) {
  const Layout a = layout("((2,4),(2,(2,4))):((1,2),(8,(16,64)))");
  for (auto _ : state) benchmark::DoNotOptimize(cute::coalesce(a));
}
BENCHMARK(coalesce);

void complement(benchmark::State& state) {
  const Layout a = layout("(2,4,8):(1,64,4)");
  for (auto _ : state) benchmark::DoNotOptimize(cute::complement(a, IntTuple(Int(4096))));
}
BENCHMARK(complement);

void right_inverse(benchmark::State& state) {
  const Layout a = layout("(8,16,4):(64,1,16)");
  for (auto _ : state) benchmark::DoNotOptimize(cute::right_inverse(a));
}
BENCHMARK(right_inverse);

void left_inverse(benchmark::State& state) {
  const Layout a = layout("(8,16,4):(64,1,16)");
  for (auto _ : state) benchmark::DoNotOptimize(cute::left_inverse(a));
}
BENCHMARK(left_inverse);

void zipped_divide(benchmark::State& state) {
  const Layout a = layout("(4096,4096):(4096,1)");
  const cute::Tiler tiler = notation::parse_tiler("<128,64>").value();
  for (auto _ : state) benchmark::DoNotOptimize(cute::zipped_divide(a, tiler));
}
BENCHMARK(zipped_divide);

void blocked_product(benchmark::State& state) {
  const Layout a = layout("(8,64):(64,1)");
  const Layout b = layout("(16,2):(1,16)");
  for (auto _ : state) benchmark::DoNotOptimize(cute::blocked_product(a, b));
}
BENCHMARK(blocked_product);

void evaluate_flat(benchmark::State& state) {
  const Layout a = layout("((8,16),(64,2)):((64,512),(1,8192))");
  Int coordinate = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(a(coordinate));
    coordinate = mod(coordinate + 1, 16384);
  }
}
BENCHMARK(evaluate_flat);

void parse(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(notation::parse_cute("((_8,_16),(_64,_2)):((_64,_512),(_1,_8192))"));
  }
}
BENCHMARK(parse);

}  // namespace
