// The cases of bench/cases.json in Heddle, and those of bench/symbolic_cases.json twice: with sizes
// that are only names, and with numbers for them. The label of each benchmark tells the operands
// and the result, so that bench/compare can hold them against the other libraries'.

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "heddle/cute/algebra.h"
#include "heddle/notation/evaluator.h"

namespace {

using namespace heddle;
using cute::Layout;
using cute::Tiler;

/// A refused operand or result ends the program: every case is known to work.
template <class T>
T value_of(Result<T> result) {
  if (result) return *std::move(result);
  std::cerr << result.error() << '\n';
  std::exit(1);
}

/// The operands of one case as texts, and what is assumed of the sizes that are names in them.
struct Operands {
  std::vector<std::string> texts;
  notation::Environment environment = {};

  [[nodiscard]] notation::Value value(std::size_t i) const {
    return value_of(notation::evaluate(texts.at(i), environment));
  }
  [[nodiscard]] Layout layout(std::size_t i) const { return value(i).get<Layout>(); }
  [[nodiscard]] IntTuple tuple(std::size_t i) const { return value(i).get<IntTuple>(); }
};

/// Registers one benchmark of `operation`, whose operands the optimiser must take for unknown.
template <class Operation, class... Values>
void add(const std::string& name, const Operands& operands, Operation operation, Values... values) {
  std::string label;
  for (const std::string& text : operands.texts) label += (label.empty() ? "" : " ; ") + text;
  label += " => " + cute::to_string(value_of(Result<Layout>(operation(values...))));
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) mutable {
    for (auto _ : state) {
      (benchmark::DoNotOptimize(values), ...);
      auto result = operation(values...);
      benchmark::DoNotOptimize(result);
    }
    state.SetLabel(label);
  });
}

/// An operation on a layout and a tile, which may be a layout or a tiler of several.
template <class OnLayout, class OnTiler>
void add_tiled(const std::string& name, const Operands& operands, OnLayout on_layout,
               OnTiler on_tiler) {
  const notation::Value tile = operands.value(1);
  if (const auto* tiler = tile.get_if<Tiler>()) {
    return add(name, operands, on_tiler, operands.layout(0), *tiler);
  }
  add(name, operands, on_layout, operands.layout(0), tile.get<Layout>());
}

using Register = std::function<void(const std::string&, const Operands&)>;

const std::map<std::string, Register, std::less<>>& operations() {
  static const std::map<std::string, Register, std::less<>> kOperations{
      {"composition",
       [](const std::string& name, const Operands& operands) {
         add(
             name, operands,
             [](const Layout& a, const Layout& b) { return cute::composition(a, b); },
             operands.layout(0), operands.layout(1));
       }},
      {"coalesce",
       [](const std::string& name, const Operands& operands) {
         add(name, operands, [](const Layout& a) { return cute::coalesce(a); }, operands.layout(0));
       }},
      {"complement",
       [](const std::string& name, const Operands& operands) {
         add(
             name, operands,
             [](const Layout& a, const IntTuple& target) { return cute::complement(a, target); },
             operands.layout(0), operands.tuple(1));
       }},
      {"right_inverse",
       [](const std::string& name, const Operands& operands) {
         add(
             name, operands, [](const Layout& a) { return cute::right_inverse(a); },
             operands.layout(0));
       }},
      {"left_inverse",
       [](const std::string& name, const Operands& operands) {
         add(
             name, operands, [](const Layout& a) { return cute::left_inverse(a); },
             operands.layout(0));
       }},
      {"logical_divide",
       [](const std::string& name, const Operands& operands) {
         add_tiled(
             name, operands,
             [](const Layout& a, const Layout& b) { return cute::logical_divide(a, b); },
             [](const Layout& a, const Tiler& b) { return cute::logical_divide(a, b); });
       }},
      {"zipped_divide",
       [](const std::string& name, const Operands& operands) {
         add_tiled(
             name, operands,
             [](const Layout& a, const Layout& b) { return cute::zipped_divide(a, Tiler(b)); },
             [](const Layout& a, const Tiler& b) { return cute::zipped_divide(a, b); });
       }},
      {"logical_product",
       [](const std::string& name, const Operands& operands) {
         add(
             name, operands,
             [](const Layout& a, const Layout& b) { return cute::logical_product(a, b); },
             operands.layout(0), operands.layout(1));
       }},
      {"blocked_product",
       [](const std::string& name, const Operands& operands) {
         add(
             name, operands,
             [](const Layout& a, const Layout& b) { return cute::blocked_product(a, b); },
             operands.layout(0), operands.layout(1));
       }},
  };
  return kOperations;
}

notation::Environment assuming(const std::string& text) {
  notation::Environment environment;
  if (const Result<void> done = environment.assume(text); !done) {
    std::cerr << done.error() << '\n';
    std::exit(1);
  }
  return environment;
}

nlohmann::json read(const char* path) { return nlohmann::json::parse(std::ifstream(path)); }

}  // namespace

int main(int argc, char** argv) {
  for (const auto& entry : read(HEDDLE_BENCH "/cases.json")) {
    operations().at(entry["operation"])(entry["name"], {entry["operands"]});
  }
  for (const auto& entry : read(HEDDLE_BENCH "/symbolic_cases.json")) {
    const Register& add_case = operations().at(entry["operation"]);
    const std::string name = entry["name"];
    add_case(name + "/symbolic", {entry["operands"], assuming(entry["assume"])});
    add_case(name + "/constant", {entry["operands"], assuming(entry["values"])});
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}
