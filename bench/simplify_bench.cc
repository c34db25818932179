// Time to find the index expressions of LEGO's own kernels, from the layouts on, and how many
// operations these take, beside what LEGO's Python takes.
//
//   simplify_bench                 the usual benchmark
//   simplify_bench --table         the table of docs/speed.md: medians, checked and confirmed
//
// Either way it fails where an expression has more operations than LEGO's.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "heddle/expr/simplify.h"
#include "heddle/expr/solver.h"
#include "lego_kernels.h"

namespace {

using namespace heddle;
using heddle::bench::LegoKernel;
using Clock = std::chrono::steady_clock;

SimplifyOptions options() {
  SimplifyOptions options;
  options.target = Target::operations();
  return options;
}

Simplified simplified(std::span<const Int> values) {
  return simplify(values, {}, options()).value();
}

/// Each placeholder by itself, as LEGO computes them.
OperationCount apart(std::span<const Int> values) {
  OperationCount sum;
  for (const Int& value : values) {
    const OperationCount count = simplified(std::vector<Int>{value}).count;
    sum.operations += count.operations;
    sum.min_max += count.min_max;
    sum.other += count.other;
  }
  return sum;
}

bool is_worse(const LegoKernel& kernel, const OperationCount& count) {
  return kernel.mark.operations > 0 &&
         (count.operations > kernel.mark.operations || count.min_max > kernel.mark.min_max);
}

/// The kernel computes its values at sampled points.
bool is_right(const Kernel& kernel, std::span<const Int> values) {
  for (const Bindings& point : samples(values, 200)) {
    const std::vector<Int> computed = evaluate(kernel, point);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const Result<Int> wanted = instantiate(values[i], point);
      if (wanted && wanted->is_constant() && computed[i] != *wanted) return false;
    }
  }
  return true;
}

void measure(benchmark::State& state, const LegoKernel& kernel) {
  OperationCount shared;
  for (auto _ : state) {
    const std::vector<Int> values = kernel.placeholders();
    shared = simplified(values).count;
    benchmark::DoNotOptimize(shared);
  }
  state.counters["operations"] = shared.operations;
  state.counters["min_max"] = shared.min_max;
}

std::vector<LegoKernel> all_kernels() {
  std::vector<LegoKernel> kernels = bench::lego_kernels();
  for (LegoKernel& kernel : bench::other_kernels()) kernels.push_back(std::move(kernel));
  return kernels;
}

/// Milliseconds of the middle one of several runs, from the layouts to the expressions.
double median_time(const LegoKernel& kernel) {
  constexpr std::size_t kRuns = 31;
  std::vector<double> times;
  for (std::size_t i = 0; i < kRuns; ++i) {
    const Clock::time_point start = Clock::now();
    const Simplified found = simplified(kernel.placeholders());
    benchmark::DoNotOptimize(found.cost);
    times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
  }
  std::ranges::nth_element(times, times.begin() + kRuns / 2);
  return times[kRuns / 2];
}

std::string count_text(const OperationCount& count) {
  std::string text = std::to_string(count.operations);
  if (count.min_max > 0) text += " + " + std::to_string(count.min_max);
  return text;
}

void print_row(const LegoKernel& kernel) {
  const std::vector<Int> values = kernel.placeholders();
  const Simplified found = simplified(values);
  const double time = median_time(kernel);
  const Solver solver;
  const Clock::time_point start = Clock::now();
  const Verdict verdict = solver.prove_computes(found.kernel, values);
  const double proof = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  const bool has_mark = kernel.mark.operations > 0;
  const OperationCount mark{kernel.mark.operations, kernel.mark.min_max, 0};
  std::printf(
      "| %s | %s | %s | %s | %s | %.2f ms | %s | %s, %.0f ms |\n", kernel.name.c_str(),
      has_mark ? (std::to_string(kernel.mark.seconds).substr(0, 5) + " s").c_str() : "",
      has_mark ? count_text(mark).c_str() : "", count_text(apart(values)).c_str(),
      count_text(found.count).c_str(), time,
      has_mark ? (std::to_string(static_cast<int>(kernel.mark.seconds * 1000 / time)) + "x").c_str()
               : "",
      verdict.is_yes()  ? "yes"
      : verdict.is_no() ? "NO"
                        : "unknown",
      proof);
  std::fflush(stdout);
}

void print_table() {
  std::puts(
      "| kernel | LEGO | its operations | ours, each alone | ours, shared | our time | faster | "
      "Z3 confirms |");
  std::puts("|---|---|---|---|---|---|---|---|");
  for (const LegoKernel& kernel : all_kernels()) print_row(kernel);
}

/// What went wrong, one line each.
int complain() {
  int complaints = 0;
  for (const LegoKernel& kernel : all_kernels()) {
    const std::vector<Int> values = kernel.placeholders();
    const Simplified found = simplified(values);
    const OperationCount alone = apart(values);
    for (const OperationCount& count : {alone, found.count}) {
      if (!is_worse(kernel, count)) continue;
      std::fprintf(stderr, "%s: %s operations, more than LEGO's\n", kernel.name.c_str(),
                   count_text(count).c_str());
      ++complaints;
    }
    if (is_right(found.kernel, values)) continue;
    std::fprintf(stderr, "%s: computes something else\n", kernel.name.c_str());
    ++complaints;
  }
  return complaints;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "--table") == 0) {
    print_table();
    return complain() == 0 ? 0 : 1;
  }
  if (argc > 1 && std::strcmp(argv[1], "--expressions") == 0) {
    for (const LegoKernel& kernel : all_kernels()) {
      std::printf("%s\n%s\n", kernel.name.c_str(),
                  to_string(simplified(kernel.placeholders()).kernel).c_str());
    }
    return 0;
  }
  for (const LegoKernel& kernel : all_kernels()) {
    benchmark::RegisterBenchmark(kernel.name.c_str(), measure, kernel);
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return complain() == 0 ? 0 : 1;
}
