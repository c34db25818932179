// Relayouts beside memcpy of the same bytes, in turns: the counters are medians of ratios of paired
// runs, `of_memcpy` 1.0 for the speed of memcpy.
//
//   move_bench --benchmark_filter=Transpose
//
// HEDDLE_MOVE_MB sets the size of the arrays (16; the goals of the library are of 128).

#include <benchmark/benchmark.h>
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "heddle/kernel/cpu_compiler.h"
#include "heddle/move/relayout.h"
#include "heddle/notation/any_layout.h"
#include "heddle/notation/kernel.h"
#include "heddle/notation/repackings.h"

namespace {

using namespace heddle;
using move::Plan;

std::int64_t array_bytes() {
  const char* megabytes = std::getenv("HEDDLE_MOVE_MB");
  return std::int64_t{1024 * 1024} * (megabytes == nullptr ? 16 : std::atoi(megabytes));
}

/// Two buffers, touched once.
struct Buffers {
  std::vector<std::byte> source;
  std::vector<std::byte> destination;

  void reach(const Plan& plan) {
    source.resize(std::max(source.size(), static_cast<std::size_t>(plan.source_bytes())),
                  std::byte{1});
    destination.resize(
        std::max(destination.size(), static_cast<std::size_t>(plan.destination_bytes())));
  }
};

double seconds(const auto& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double median(std::vector<double> numbers) {
  std::ranges::nth_element(numbers, numbers.begin() + std::ssize(numbers) / 2);
  return numbers[numbers.size() / 2];
}

/// How fast the plan is beside memcpy: the median of some paired runs.
double of_memcpy(const Plan& plan, Buffers& buffers, int threads, int pairs) {
  buffers.reach(plan);
  std::vector<double> ratios;
  for (int i = 0; i < pairs; ++i) {
    const double copy = seconds([&] {
      std::memcpy(buffers.destination.data(), buffers.source.data(),
                  static_cast<std::size_t>(plan.source_bytes()));
      benchmark::ClobberMemory();
    });
    const double moved = seconds([&] {
      if (!plan.run(buffers.source, buffers.destination, {.threads = threads})) std::abort();
      benchmark::ClobberMemory();
    });
    ratios.push_back(copy / moved);
  }
  return median(std::move(ratios));
}

Plan plan_of(const std::vector<std::int64_t>& extents, const std::vector<std::size_t>& order,
             std::int64_t bytes) {
  std::string shape;
  std::string from;
  std::vector<std::int64_t> to(extents.size());
  std::int64_t step = 1;
  for (const std::size_t i : order) {
    to[i] = step;
    step *= extents[i];
  }
  std::string places;
  step = 1;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const std::string comma = i > 0 ? "," : "";
    shape += comma + std::to_string(extents[i]);
    from += comma + std::to_string(step);
    places += comma + std::to_string(to[i]);
    step *= extents[i];
  }
  const auto layout = [&](const std::string& strides) {
    return notation::parse_any_layout("(" + shape + "):(" + strides + ")").value();
  };
  return move::make_plan(layout(from), layout(places), 8 * bytes).value();
}

void measure(benchmark::State& state, const Plan& plan, std::int64_t threads) {
  Buffers buffers;
  std::vector<double> ratios;
  for (auto _ : state) ratios.push_back(of_memcpy(plan, buffers, static_cast<int>(threads), 3));
  state.counters["of_memcpy"] = median(ratios);
}

void Transpose(benchmark::State& state) {
  const std::int64_t bytes = state.range(0);
  const std::int64_t rows = state.range(1);
  const Plan plan = plan_of({array_bytes() / bytes / rows, rows}, {1, 0}, bytes);
  measure(state, plan, state.range(2));
}
BENCHMARK(Transpose)
    ->ArgNames({"bytes", "rows", "threads"})
    ->ArgsProduct({{1, 2, 4, 8, 16}, {3000, 4096}, {1, 2}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

/// 3 to 6 modes, at least 32 elements in the fastest one of both sides.
void Permutations(benchmark::State& state) {
  Buffers buffers;
  std::vector<double> ratios;
  for (auto _ : state) {
    std::mt19937_64 random(20260721);
    for (int i = 0; i < state.range(0); ++i) {
      const auto rank = 3 + random() % 4;
      const std::int64_t bytes = std::int64_t{1} << (1 + random() % 3);
      std::vector<std::size_t> order(rank);
      std::iota(order.begin(), order.end(), std::size_t{0});
      // The identity is no permutation.
      while (std::ranges::is_sorted(order)) std::shuffle(order.begin(), order.end(), random);
      std::vector<double> weights(rank);
      for (double& weight : weights) weight = 0.05 + static_cast<double>(random() % 1000) / 1000;
      const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
      std::vector<double> bits(rank, 1);
      bits[0] = bits[order[0]] = 5;
      const double rest = std::log2(static_cast<double>(array_bytes() / bytes)) -
                          std::accumulate(bits.begin(), bits.end(), 0.0);
      std::vector<std::int64_t> extents;
      for (std::size_t k = 0; k < rank; ++k) {
        extents.push_back(static_cast<std::int64_t>(std::exp2(bits[k] + rest * weights[k] / all)));
      }
      ratios.push_back(
          of_memcpy(plan_of(extents, order, bytes), buffers, static_cast<int>(state.range(1)), 3));
    }
  }
  state.counters["median_of_memcpy"] = median(ratios);
  state.counters["worst_of_memcpy"] = *std::ranges::min_element(ratios);
}
BENCHMARK(Permutations)
    ->ArgNames({"count", "threads"})
    ->Args({100, 1})
    ->Args({100, 2})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

/// A function of a kernel of copies.heddle, compiled for this CPU.
using KernelFunction = int (*)(void* const* arguments, int threads, int core);
KernelFunction compiled(const std::string& name) {
  std::ifstream file(HEDDLE_BENCH "/copies.heddle");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const std::vector<kernel::Kernel> kernels = {notation::parse_kernel(text, name).value()};
  const std::string path = std::filesystem::temp_directory_path() / ("heddle_copy_" + name + ".so");
  std::ofstream(path, std::ios::binary) << kernel::compile_for_cpu(kernels).value().bytes;
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  std::filesystem::remove(path);
  if (library == nullptr) std::abort();
  return reinterpret_cast<KernelFunction>(dlsym(library, ("heddle_run_" + name).c_str()));
}

/// A matrix of 4096 rows by a kernel, in one thread.
void RepackByKernel(benchmark::State& state, const std::string& name, std::int64_t bits) {
  const KernelFunction function = compiled(name);
  const auto bytes = static_cast<std::size_t>(array_bytes());
  std::vector<std::byte> source(bytes, std::byte{1});
  std::vector<std::byte> destination(bytes);
  int rows = 4096;
  int columns = static_cast<int>(array_bytes() * 8 / bits / rows);
  // The kernel with a constant number of rows has one size.
  const bool has_rows = name != "swizzle";
  const std::array<void*, 4> arguments = {source.data(), destination.data(),
                                          has_rows ? &rows : &columns, &columns};
  std::vector<double> ratios;
  for (auto _ : state) {
    const double copy = seconds([&] {
      std::memcpy(destination.data(), source.data(), bytes);
      benchmark::ClobberMemory();
    });
    ratios.push_back(copy / seconds([&] {
                       if (function(arguments.data(), 1, -1) != 0) std::abort();
                       benchmark::ClobberMemory();
                     }));
  }
  state.counters["of_memcpy"] = median(ratios);
}

/// A matrix of 4096 rows in the layouts that instructions and kernels take.
void Repack(benchmark::State& state, const std::string& name, std::int64_t bits) {
  const notation::Repacking repacking = notation::find_repacking(name).value();
  const std::vector<std::string> names = notation::size_names(repacking);
  const std::int64_t columns = array_bytes() * 8 / bits / 4096;
  const auto layouts =
      notation::layouts_of(repacking, {{names[0], 4096}, {names[1], columns}}).value();
  measure(state, move::make_plan(layouts.from, layouts.to, bits).value(), state.range(0));
}

/// A matrix of 4096 rows to swizzled tiles, each 128 bytes wide.
void Swizzle(benchmark::State& state, const std::string& swizzle, std::int64_t bits) {
  const std::int64_t columns = array_bytes() * 8 / bits / 4096;
  const std::int64_t width = 1024 / bits;
  const auto layout = [&](const std::string& before, std::int64_t row, std::int64_t tile) {
    return notation::parse_any_layout(before + "(4096,(" + std::to_string(width) + "," +
                                      std::to_string(columns / width) + ")):(" +
                                      std::to_string(row) + ",(1," + std::to_string(tile) + "))")
        .value();
  };
  measure(state,
          move::make_plan(layout("", columns, width),
                          layout(swizzle + " o 0 o ", width, 4096 * width), bits)
              .value(),
          state.range(0));
}

void in_threads(benchmark::internal::Benchmark* bench) {
  bench->ArgName("threads")->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();
}
void once(benchmark::internal::Benchmark* bench) {
  bench->Unit(benchmark::kMillisecond)->UseRealTime();
}
BENCHMARK_CAPTURE(RepackByKernel, vnni2, "vnni2", 16)->Apply(once);
BENCHMARK_CAPTURE(RepackByKernel, vnni4, "vnni4", 8)->Apply(once);
BENCHMARK_CAPTURE(RepackByKernel, amx_b_bf16, "amx_b_bf16", 16)->Apply(once);
BENCHMARK_CAPTURE(RepackByKernel, column32, "column32", 8)->Apply(once);
BENCHMARK_CAPTURE(RepackByKernel, awq_int4, "awq_int4", 4)->Apply(once);
BENCHMARK_CAPTURE(RepackByKernel, marlin_int4, "marlin_int4", 4)->Apply(once);
BENCHMARK_CAPTURE(RepackByKernel, swizzle, "swizzle", 16)->Apply(once);
BENCHMARK_CAPTURE(Repack, vnni2, "vnni2", 16)->Apply(in_threads);
BENCHMARK_CAPTURE(Repack, vnni4, "vnni4", 8)->Apply(in_threads);
BENCHMARK_CAPTURE(Repack, column32, "column32", 8)->Apply(in_threads);
BENCHMARK_CAPTURE(Repack, awq_int4, "awq_int4", 4)->Apply(in_threads);
BENCHMARK_CAPTURE(Repack, marlin_int4, "marlin_int4", 4)->Apply(in_threads);
BENCHMARK_CAPTURE(Repack, gguf_q4_0, "gguf_q4_0", 4)->Apply(in_threads);
BENCHMARK_CAPTURE(Repack, mx_scales, "mx_scales", 8)->Apply(in_threads);
BENCHMARK_CAPTURE(Swizzle, 16_bytes, "Sw<3,3,3>", 16)->Apply(in_threads);
BENCHMARK_CAPTURE(Swizzle, 4_bytes, "Sw<3,2,3>", 8)->Apply(in_threads);

}  // namespace
