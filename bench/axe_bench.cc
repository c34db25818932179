// The cases of bench/axe_cases.json in Heddle. The label of each benchmark tells its result as
// JSON, so that bench/compare can hold it against TVM's.

#include <benchmark/benchmark.h>

#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "heddle/axe/canonical.h"
#include "heddle/axe/group.h"
#include "heddle/axe/slice.h"
#include "heddle/axe/tile.h"
#include "labelled.h"

namespace {

using namespace heddle;
using axe::Layout;
using bench::Json;
using bench::value_of;
using Shape = std::vector<Int>;

// Reading and writing.

std::vector<axe::Iter> read_iters(const Json& json) {
  std::vector<axe::Iter> iters;
  for (const Json& iter : json) {
    iters.push_back({iter.at(0).get<std::int64_t>(), iter.at(1).get<std::int64_t>(),
                     Axis(iter.at(2).get<std::string>())});
  }
  return iters;
}

Layout read_layout(const Json& json) {
  axe::Coordinate offset;
  const Json offsets = json.value("offset", Json::object());
  for (const auto& [axis, value] : offsets.items()) {
    offset.add(Axis(axis), value.get<std::int64_t>());
  }
  return value_of(Layout::make(read_iters(json.at("shard")),
                               read_iters(json.value("replica", Json::array())), offset));
}

Shape read_shape(const Json& json) {
  Shape shape;
  for (const Json& extent : json) shape.emplace_back(extent.get<std::int64_t>());
  return shape;
}

std::vector<axe::Interval> read_region(const Json& json) {
  std::vector<axe::Interval> region;
  for (const Json& interval : json) {
    region.push_back({interval.at(0).get<std::int64_t>(), interval.at(1).get<std::int64_t>()});
  }
  return region;
}

Json written(std::span<const axe::Iter> iters) {
  Json json = Json::array();
  for (const axe::Iter& iter : iters) {
    json.push_back({iter.extent.value(), iter.stride.value(), iter.axis.name()});
  }
  return json;
}

Json written(const Layout& layout) {
  Json offset = Json::object();
  for (const auto& [axis, value] : layout.offset()) offset[axis.name()] = value.value();
  return {{"shard", written(layout.shard())},
          {"replica", written(layout.replica())},
          {"offset", offset}};
}

Json written(const axe::Grouping& grouping) { return written(grouping.layout); }
Json written(const Verdict& verdict) { return verdict.is_yes(); }

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

struct Case {
  std::string name;
  std::vector<Layout> operands;
  std::vector<Shape> shapes;
  std::vector<axe::Interval> region;
};

using Binary = Result<Layout> (*)(const Layout&, std::span<const Int>, const Layout&,
                                  std::span<const Int>);

std::function<void(const Case&)> on_two(Binary operation) {
  return [=](const Case& entry) {
    add(
        entry.name,
        [=](const Layout& a, const Shape& a_shape, const Layout& b, const Shape& b_shape) {
          return operation(a, a_shape, b, b_shape);
        },
        entry.operands.at(0), entry.shapes.at(0), entry.operands.at(1), entry.shapes.at(1));
  };
}

const std::map<std::string, std::function<void(const Case&)>, std::less<>>& operations() {
  static const std::map<std::string, std::function<void(const Case&)>, std::less<>> kOperations{
      {"canonicalize",
       [](const Case& entry) {
         add(
             entry.name, [](const Layout& a) { return axe::canonicalize(a); },
             entry.operands.at(0));
       }},
      {"group",
       [](const Case& entry) {
         add(
             entry.name, [](const Layout& a, const Shape& shape) { return axe::group(a, shape); },
             entry.operands.at(0), entry.shapes.at(0));
       }},
      {"tile", on_two(axe::tile)},
      {"tile_of", on_two(axe::tile_of)},
      {"direct_sum", on_two(axe::direct_sum)},
      {"slice",
       [](const Case& entry) {
         add(
             entry.name,
             [](const Layout& a, const Shape& shape, const std::vector<axe::Interval>& region) {
               return axe::slice(a, shape, region);
             },
             entry.operands.at(0), entry.shapes.at(0), entry.region);
       }},
      {"equal",
       [](const Case& entry) {
         add(
             entry.name, [](const Layout& a, const Layout& b) { return axe::equal(a, b); },
             entry.operands.at(0), entry.operands.at(1));
       }},
  };
  return kOperations;
}

}  // namespace

int main(int argc, char** argv) {
  const Json cases = Json::parse(std::ifstream(HEDDLE_BENCH "/axe_cases.json"));
  for (const Json& json : cases.at("cases")) {
    Case entry{.name = json.at("name"), .operands = {}, .shapes = {}, .region = {}};
    for (const auto& operand : json.at("operands")) {
      entry.operands.push_back(read_layout(cases.at("layouts").at(operand.get<std::string>())));
    }
    const Json shapes = json.value("shapes", Json::array());
    for (const Json& shape : shapes) entry.shapes.push_back(read_shape(shape));
    entry.region = read_region(json.value("region", Json::array()));
    operations().at(json.at("operation"))(entry);
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}
