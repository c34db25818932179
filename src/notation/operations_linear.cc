// Linear layouts: their making, their algebra, what is asked of them.

#include <fmt/format.h>

#include "heddle/linear/linear_layout.h"
#include "notation/binding.h"

namespace heddle::notation {
namespace {

using linear::Bases;
using linear::LinearLayout;
using linear::NamedSizes;
using linear::Names;
using linear::Sizes;

constexpr const char* kMaking = "linear layouts";
constexpr const char* kAlgebra = "linear algebra";
constexpr const char* kAsking = "linear questions";

Result<std::int64_t> constant(const Int& number, std::string_view what) {
  if (number.is_constant()) return number.value();
  return refuse("call.type", fmt::format("{} is {}; linear layouts have constant sizes", what,
                                         to_string(number)));
}

void add_making(std::vector<Operation>& table) {
  table.push_back(operation(
      "identity_1d", kMaking, {"size", "in_dim", "out_dim"}, "L(x) = x for x below the size.",
      R"(identity_1d(4, "lane", "dim0"))",
      " - lane=1 -> (1)\n   lane=2 -> (2)\nwhere out dims are: [dim0 (size 4)]",
      [](const Int& size, const std::string& in_dim,
         const std::string& out_dim) -> Result<LinearLayout> {
        HEDDLE_TRY(const std::int64_t number, constant(size, "the size"));
        return linear::identity_1d(number, in_dim, out_dim);
      }));
}

void add_algebra(std::vector<Operation>& table) {
  table.push_back(operation(
      "compose", kAlgebra, {"layout", "outer"},
      "outer after layout: Triton's compose(layout, outer) is outer o layout.",
      R"(compose(identity_1d(2, "lane", "x"), zeros_1d(2, "x", "dim0")))",
      " - lane=1 -> (0)\nwhere out dims are: [dim0 (size 1)]",
      [](const LinearLayout& layout, const LinearLayout& outer) {
        return linear::compose(layout, outer);
      }));
  table.push_back(operation("invert", kAlgebra, {"layout"}, "The inverse of a bijection.",
                            R"(invert(identity_1d(2, "lane", "dim0")))",
                            " - dim0=1 -> (1)\nwhere out dims are: [lane (size 2)]",
                            [](const LinearLayout& layout) { return linear::invert(layout); }));
}

void add_questions(std::vector<Operation>& table) {
  table.push_back(operation("in_dim_names", kAsking, {"layout"}, "The names of the inputs.",
                            R"(in_dim_names(identity_1d(2, "lane", "dim0")))", R"(["lane"])",
                            [](const LinearLayout& layout) { return layout.in_dim_names(); }));
  table.push_back(operation(
      "in_dim_sizes", kAsking, {"layout"}, "The inputs with their sizes.",
      R"(in_dim_sizes(identity_1d(2, "lane", "dim0")))", R"([["lane",2]])",
      [](const LinearLayout& layout) { return layout.in_dim_sizes(); }));
}

}  // namespace

void add_linear_operations(std::vector<Operation>& table) {
  add_making(table);
  add_algebra(table);
  add_questions(table);
}

}  // namespace heddle::notation
