#pragma once

// Benchmarks whose label is the result, as JSON, so that one run can be held against another
// program's: `written(result)` says how a result is written.

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "heddle/core/result.h"

namespace heddle::bench {

using Json = nlohmann::json;

/// A refused operand or result ends the program: every case is known to work.
template <class T>
T value_of(Result<T> result) {
  if (result) return *std::move(result);
  std::cerr << result.error() << '\n';
  std::exit(1);
}

/// Registers one benchmark of `operation`, whose operands the optimiser must take for unknown;
/// `write` makes JSON of its result.
template <class Write, class Operation, class... Values>
void add_labelled(const std::string& name, Write write, Operation operation, Values... values) {
  const std::string label = " => " + write(operation(values...)).dump();
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) mutable {
    for (auto _ : state) {
      (benchmark::DoNotOptimize(values), ...);
      auto result = operation(values...);
      benchmark::DoNotOptimize(result);
    }
    state.SetLabel(label);
  });
}

}  // namespace heddle::bench
