// The cases of bench/cases.json in Heddle. The label of each benchmark tells the operands and the
// result, so that bench/compare can hold them against the other libraries'.

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/cute/algebra.h"
#include "heddle/notation/cute.h"

namespace {

using namespace heddle;
using cute::Layout;
using cute::Tiler;

using Operands = std::vector<std::string>;

/// A refused operand or result ends the program: every case is known to work.
template <class T>
T value_of(Result<T> result) {
  if (result) return *std::move(result);
  std::cerr << result.error() << '\n';
  std::exit(1);
}

Layout layout(const std::string& text) { return value_of(notation::parse_cute(text)); }
bool is_tiler(const std::string& text) { return text.starts_with('<'); }

/// Registers one benchmark of `operation`, whose operands the optimiser must take for unknown.
template <class Operation, class... Values>
void add(const std::string& name, const Operands& texts, Operation operation, Values... values) {
  std::string label;
  for (const std::string& text : texts) label += (label.empty() ? "" : " ; ") + text;
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
void add_tiled(const std::string& name, const Operands& texts, OnLayout on_layout,
               OnTiler on_tiler) {
  const Layout first = layout(texts.at(0));
  if (is_tiler(texts.at(1))) {
    return add(name, texts, on_tiler, first, value_of(notation::parse_tiler(texts.at(1))));
  }
  add(name, texts, on_layout, first, layout(texts.at(1)));
}

using Register = std::function<void(const std::string&, const Operands&)>;

const std::map<std::string, Register, std::less<>>& operations() {
  static const std::map<std::string, Register, std::less<>> kOperations{
      {"composition",
       [](const std::string& name, const Operands& texts) {
         add(
             name, texts, [](const Layout& a, const Layout& b) { return cute::composition(a, b); },
             layout(texts.at(0)), layout(texts.at(1)));
       }},
      {"coalesce",
       [](const std::string& name, const Operands& texts) {
         add(name, texts, [](const Layout& a) { return cute::coalesce(a); }, layout(texts.at(0)));
       }},
      {"complement",
       [](const std::string& name, const Operands& texts) {
         add(
             name, texts,
             [](const Layout& a, const IntTuple& target) { return cute::complement(a, target); },
             layout(texts.at(0)), IntTuple(Int(std::stoll(texts.at(1)))));
       }},
      {"right_inverse",
       [](const std::string& name, const Operands& texts) {
         add(
             name, texts, [](const Layout& a) { return cute::right_inverse(a); },
             layout(texts.at(0)));
       }},
      {"left_inverse",
       [](const std::string& name, const Operands& texts) {
         add(
             name, texts, [](const Layout& a) { return cute::left_inverse(a); },
             layout(texts.at(0)));
       }},
      {"logical_divide",
       [](const std::string& name, const Operands& texts) {
         add_tiled(
             name, texts,
             [](const Layout& a, const Layout& b) { return cute::logical_divide(a, b); },
             [](const Layout& a, const Tiler& b) { return cute::logical_divide(a, b); });
       }},
      {"zipped_divide",
       [](const std::string& name, const Operands& texts) {
         add_tiled(
             name, texts,
             [](const Layout& a, const Layout& b) { return cute::zipped_divide(a, Tiler(b)); },
             [](const Layout& a, const Tiler& b) { return cute::zipped_divide(a, b); });
       }},
      {"logical_product",
       [](const std::string& name, const Operands& texts) {
         add(
             name, texts,
             [](const Layout& a, const Layout& b) { return cute::logical_product(a, b); },
             layout(texts.at(0)), layout(texts.at(1)));
       }},
      {"blocked_product",
       [](const std::string& name, const Operands& texts) {
         add(
             name, texts,
             [](const Layout& a, const Layout& b) { return cute::blocked_product(a, b); },
             layout(texts.at(0)), layout(texts.at(1)));
       }},
  };
  return kOperations;
}

}  // namespace

int main(int argc, char** argv) {
  const nlohmann::json cases = nlohmann::json::parse(std::ifstream(HEDDLE_BENCH_CASES));
  for (const auto& entry : cases) {
    operations().at(entry["operation"])(entry["name"], entry["operands"].get<Operands>());
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}
