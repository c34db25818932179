// The cases of bench/linear_cases.json in Heddle. The label of each benchmark tells its result
// as JSON, so that bench/compare can hold it against the other libraries'.

#include <benchmark/benchmark.h>

#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "heddle/linear/linear_layout.h"
#include "labelled.h"

namespace {

using namespace heddle;
using bench::Json;
using bench::value_of;
using linear::LinearLayout;
using Operands = std::vector<LinearLayout>;

// Reading and writing.

linear::Bases read_bases(const Json& json) {
  linear::Bases bases;
  for (const Json& in : json) {
    bases.push_back({in.at(0), in.at(1).get<std::vector<std::vector<std::int64_t>>>()});
  }
  return bases;
}

LinearLayout read_layout(const Json& json) {
  linear::NamedSizes outs;
  for (const Json& out : json.at("outs")) outs.emplace_back(out.at(0), out.at(1));
  return value_of(LinearLayout::make(read_bases(json.at("ins")), outs));
}

Json written(const linear::NamedSizes& sizes) {
  Json json = Json::array();
  for (const auto& [name, size] : sizes) json.push_back({name, size});
  return json;
}

Json written(const LinearLayout& layout) {
  Json ins = Json::array();
  for (const linear::InBases& in : layout.bases()) ins.push_back({in.name, in.vectors});
  return {{"ins", ins}, {"outs", written(layout.out_dim_sizes())}};
}

Json written(bool value) { return value; }

template <class T>
Json written(const Result<T>& result) {
  return written(value_of(result));
}

/// Registers one benchmark of `operation`.
template <class Operation, class... Values>
void add(const std::string& name, Operation operation, Values... values) {
  bench::add_labelled(
      name, [](const auto& result) { return written(result); }, operation, std::move(values)...);
}

/// The point with every coordinate 1, in its dimension's range.
linear::NamedSizes ones(const LinearLayout& layout) {
  linear::NamedSizes point;
  for (const linear::Dimension& in : layout.in_dims()) {
    point.emplace_back(in.name, std::min<std::int64_t>(1, in.size() - 1));
  }
  return point;
}

using Register = std::function<void(const std::string&, const Operands&)>;

template <class Operation>
Register on_one(Operation operation) {
  return [=](const std::string& name, const Operands& operands) {
    add(name, operation, operands.at(0));
  };
}

template <class Operation>
Register on_two(Operation operation) {
  return [=](const std::string& name, const Operands& operands) {
    add(name, operation, operands.at(0), operands.at(1));
  };
}

const std::map<std::string, Register, std::less<>>& operations() {
  static const std::map<std::string, Register, std::less<>> kOperations{
      {"compose",
       on_two([](const LinearLayout& a, const LinearLayout& b) { return compose(a, b); })},
      {"invert", on_one([](const LinearLayout& a) { return invert(a); })},
      {"pseudoinvert", on_one([](const LinearLayout& a) { return pseudoinvert(a); })},
      {"invert_and_compose", on_two([](const LinearLayout& a, const LinearLayout& b) {
         return invert_and_compose(a, b);
       })},
      {"multiply",
       on_two([](const LinearLayout& a, const LinearLayout& b) { return multiply(a, b); })},
      {"equals", on_two([](const LinearLayout& a, const LinearLayout& b) { return a == b; })},
      {"apply",
       [](const std::string& name, const Operands& operands) {
         add(
             name,
             [](const LinearLayout& a, const linear::NamedSizes& point) { return a.apply(point); },
             operands.at(0), ones(operands.at(0)));
       }},
      {"from_bases",
       [](const std::string& name, const Operands& operands) {
         add(
             name,
             [](const linear::Bases& bases, const linear::NamedSizes& outs) {
               return LinearLayout::make(bases, outs);
             },
             operands.at(0).bases(), operands.at(0).out_dim_sizes());
       }},
  };
  return kOperations;
}

}  // namespace

int main(int argc, char** argv) {
  const Json cases = Json::parse(std::ifstream(HEDDLE_BENCH "/linear_cases.json"));
  for (const Json& entry : cases.at("cases")) {
    Operands operands;
    for (const auto& operand : entry.at("operands")) {
      operands.push_back(read_layout(cases.at("layouts").at(operand.get<std::string>())));
    }
    operations().at(entry.at("operation"))(entry.at("name"), operands);
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}
