// Every row of linear_algebra.jsonl: what Triton's own tests and documents say of the operations of
// its LinearLayout class. A row names an operation, its operands and what it gives.

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "heddle/linear/column_action.h"
#include "heddle/linear/linear_layout.h"
#include "support/facts.h"

namespace heddle::linear {
namespace {

using Json = nlohmann::json;

// Reading and writing.

Bases read_bases(const Json& json) {
  Bases bases;
  for (const Json& in : json) {
    bases.push_back({in.at(0), in.at(1).get<std::vector<std::vector<std::int64_t>>>()});
  }
  return bases;
}

NamedSizes read_sizes(const Json& json) {
  NamedSizes sizes;
  for (const Json& dim : json) sizes.emplace_back(dim.at(0), dim.at(1));
  return sizes;
}

LinearLayout read_layout(const Json& json) {
  return LinearLayout::make(read_bases(json.at("ins")), read_sizes(json.at("outs"))).value();
}

/// The names in a list; one name stands for the list of it.
Names read_names(const Json& json) {
  return json.is_string() ? Names{json.get<std::string>()} : json.get<Names>();
}

Json written(const NamedSizes& sizes) {
  Json json = Json::array();
  for (const auto& [name, size] : sizes) json.push_back({name, size});
  return json;
}

Json written(const LinearLayout& layout) {
  Json ins = Json::array();
  for (const InBases& in : layout.bases()) ins.push_back({in.name, in.vectors});
  return {{"ins", ins}, {"outs", written(layout.out_dim_sizes())}};
}

Json value(const Json& json) { return {{"value", json}}; }

Json layout(const Result<LinearLayout>& result) {
  return {{"layout", result ? written(*result) : Json(result.error().code())}};
}

template <class T>
Json fact_of(const Result<T>& result) {
  return value(result ? Json(*result) : Json(result.error().code()));
}

// One function for each operation: from a row to what we say in the form of its `expect`.

LinearLayout a(const Json& row) { return read_layout(row.at("in").at("a")); }
LinearLayout b(const Json& row) { return read_layout(row.at("in").at("b")); }
const Json& argument(const Json& row, const char* name) { return row.at("args").at(name); }

Json table(const LinearLayout& map) {
  Json points = Json::array();
  const NamedSizes ins = map.in_dim_sizes();
  NamedSizes point = ins;
  for (auto& [name, coordinate] : point) coordinate = 0;
  for (std::size_t i = 0; i != ins.size();) {
    points.push_back({written(point), written(map.apply(point).value())});
    for (i = 0; i < ins.size() && ++point[i].second == ins[i].second; ++i) point[i].second = 0;
  }
  return points;
}

Json bits(const LinearLayout& map) {
  Json lines = Json::array();
  for (std::size_t row = 0; row < map.matrix().rows(); ++row) {
    Json line = Json::array();
    for (const std::uint64_t column : map.matrix().columns()) line.push_back(column >> row & 1U);
    lines.push_back(line);
  }
  return lines;
}

/// The rows expect an error text of Triton's; ours is the code that means it.
Json construction(const Json& row) {
  static const std::map<std::string, std::string> kTexts = {
      {"linear.not_surjective", "not surjective"},
      {"linear.size", "out-dim sizes must be powers of 2"},
      {"linear.basis", "basis values must be non-negative"}};
  const Bases bases = read_bases(argument(row, "bases"));
  if (!row.at("args").contains("outDimNames")) {
    const auto made = LinearLayout::make(bases, read_sizes(argument(row, "outDims")));
    return {{"error", made ? "" : kTexts.at(made.error().code())}};
  }
  const Names names = read_names(argument(row, "outDimNames"));
  const auto made = LinearLayout::make(bases, names);
  // What the refusal says of the sizes that it found: the last numbers of its message.
  Json sizes = Json::array();
  const std::string message = made ? "" : made.error().message();
  for (std::size_t at = message.find("(size "); at != std::string::npos;
       at = message.find("(size ", at + 1)) {
    sizes.push_back(std::stoi(message.substr(at + 6)));
  }
  return {{"error", made ? "" : kTexts.at(made.error().code())}, {"inferred_out_sizes", sizes}};
}

using Operation = std::function<Json(const Json&)>;

const std::map<std::string, Operation>& linear_operations() {
  static const std::map<std::string, Operation> kOperations = {
      {"construct", construction},
      {"zeros1D",
       [](const Json& row) {
         return layout(zeros_1d(argument(row, "size"), argument(row, "inDim").get<std::string>(),
                                argument(row, "outDim").get<std::string>(),
                                argument(row, "outDimSize")));
       }},
      {"getInDimNames", [](const Json& row) { return value(a(row).in_dim_names()); }},
      {"getOutDimNames", [](const Json& row) { return value(a(row).out_dim_names()); }},
      {"getOutDimSizeLog2",
       [](const Json& row) {
         return fact_of(a(row).out_dim_size_log2(argument(row, "dim").get<std::string>()));
       }},
      {"isSurjective", [](const Json& row) { return value(a(row).is_surjective()); }},
      {"isInjective", [](const Json& row) { return value(a(row).is_injective()); }},
      {"isInvertible", [](const Json& row) { return value(a(row).is_invertible()); }},
      {"apply",
       [](const Json& row) {
         return value(written(a(row).apply(read_sizes(argument(row, "point"))).value()));
       }},
      {"apply_all", [](const Json& row) { return Json{{"table", table(a(row))}}; }},
      {"matrixView", [](const Json& row) { return value(bits(a(row))); }},
      {"multiply", [](const Json& row) { return layout(multiply(a(row), b(row))); }},
      {"compose", [](const Json& row) { return layout(compose(a(row), b(row))); }},
      {"invertAndCompose",
       [](const Json& row) { return layout(invert_and_compose(a(row), b(row))); }},
      {"invert", [](const Json& row) { return layout(invert(a(row))); }},
      {"pseudoinvert", [](const Json& row) { return layout(pseudoinvert(a(row))); }},
      {"divideLeft", [](const Json& row) { return layout(divide_left(a(row), b(row))); }},
      {"quotient",
       [](const Json& row) {
         const bool exists = quotient(a(row), read_names(argument(row, "dims"))).has_value();
         return Json{{"exists", exists}};
       }},
      {"isTrivialOver",
       [](const Json& row) {
         return value(is_trivial_over(a(row), read_names(argument(row, "dims"))));
       }},
      {"squareSublayoutIsIdentity",
       [](const Json& row) {
         return fact_of(square_sublayout_is_identity(a(row), read_names(argument(row, "dims"))));
       }},
      {"sublayout",
       [](const Json& row) {
         return layout(sublayout(a(row), read_names(argument(row, "ins")),
                                 read_names(argument(row, "outs"))));
       }},
      {"sublayoutIsZero",
       [](const Json& row) {
         return fact_of(sublayout_is_zero(a(row), read_names(argument(row, "ins")),
                                          read_names(argument(row, "outs"))));
       }},
      {"transposeIns",
       [](const Json& row) {
         return layout(transpose_ins(a(row), read_names(argument(row, "order"))));
       }},
      {"transposeOuts",
       [](const Json& row) {
         return layout(transpose_outs(a(row), read_names(argument(row, "order"))));
       }},
      {"reshapeIns",
       [](const Json& row) {
         return layout(reshape_ins(a(row), read_sizes(argument(row, "dims"))));
       }},
      {"reshapeOuts",
       [](const Json& row) {
         return layout(reshape_outs(a(row), read_sizes(argument(row, "dims"))));
       }},
      {"flattenOuts", [](const Json& row) { return layout(flatten_outs(a(row))); }},
      {"ensureLayoutNotLargerThan",
       [](const Json& row) {
         return layout(ensure_layout_not_larger_than(a(row), read_sizes(argument(row, "shape"))));
       }},
      {"columnAction",
       [](const Json& row) {
         const auto action = ColumnAction::make(argument(row, "action"), argument(row, "inDim"),
                                                argument(row, "inSizeLog2"));
         return layout(action->apply(a(row)));
       }},
      {"supremum",
       [](const Json& row) {
         return fact_of(supremum(read_names(argument(row, "x")), read_names(argument(row, "y"))));
       }},
      {"getFreeVariableMasks",
       [](const Json& row) { return value(written(free_variable_masks(a(row)))); }},
      {"getNumConsecutiveInOut",
       [](const Json& row) { return value(num_consecutive_in_out(a(row))); }},
      {"equals", [](const Json& row) { return value(a(row) == b(row)); }},
      {"equalIgnoringOutDimSizes",
       [](const Json& row) { return value(equal_ignoring_out_dim_sizes(a(row), b(row))); }},
  };
  return kOperations;
}

TEST(LinearFacts, EveryRowHolds) {
  int count = 0;
  for (const Json& row : test::fact_rows("linear_algebra.jsonl")) {
    const auto operation = linear_operations().find(row.at("op"));
    ASSERT_NE(operation, linear_operations().end()) << row.at("op");
    EXPECT_EQ(operation->second(row), row.at("expect")) << row.at("id");
    ++count;
  }
  EXPECT_EQ(count, 145);
}

// No operation stands above without a row that tries it.
TEST(LinearFacts, EveryOperationHasARow) {
  std::set<std::string> tried;
  for (const Json& row : test::fact_rows("linear_algebra.jsonl"))
    tried.insert(row.at("op").get<std::string>());
  for (const auto& [name, operation] : linear_operations())
    EXPECT_TRUE(tried.contains(name)) << name;
}

}  // namespace
}  // namespace heddle::linear
