// Seed 000, tables 1 and 2 and the relations of its text: what is printed there, read and compared
// with the relations of the layouts; and our own text for each, in relation_tables.txt.
//
// HEDDLE_UPDATE_GOLDEN=1 writes that file anew.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "heddle/cute/algebra.h"
#include "heddle/cute/swizzle.h"
#include "heddle/linear/linear_layout.h"
#include "heddle/map/relations.h"
#include "support/shell.h"
#include "support/text.h"

namespace heddle::map {
namespace {

using test::layout;

struct Row {
  std::string name;
  IntegerRelation ours;
  /// As the seed prints it.
  std::string printed;
};

struct LinearRow {
  std::string name;
  linear::Bases bases;
  linear::NamedSizes outs;
  std::string binary;
  std::string layout;
};

using linear::NamedSizes;

/// Table 1. The layout mapping of 2d_transpose is printed there as the identity; it is [c1, c0].
std::vector<LinearRow> table_1() {
  const NamedSizes square{{"x", 4}, {"y", 4}};
  const std::string box = " : 0 <= c0, c1 <= 3 }";
  const std::string bits3 = " : 0 <= c0, c1, c2 <= 1 }";
  const std::string bits4 = " : 0 <= c0, c1, c2, c3 <= 1 }";
  return {
      {"swizzled",
       {{"i", {{1, 1}, {2, 2}}}, {"j", {{0, 1}, {0, 2}}}},
       square,
       "{ [c0, c1, c2, c3] -> [c0, c1, (c0 + c2) mod 2, (c1 + c3) mod 2]" + bits4,
       "{ [c0, c1] -> [c0, 1 - c0 mod 2 - (1 + c0 + c1) mod 2 + (1 + c0 + 3c1 - (1 + c1) mod 2) "
       "mod "
       "4]" +
           box},
      {"1d_identity",
       {{"i", {{1}, {2}, {4}}}},
       {{"x", 8}},
       "{ [c0, c1, c2] -> [c0, c1, c2]" + bits3,
       "{ [c0] -> [c0] : 0 <= c0 <= 7 }"},
      {"zeros",
       {{"i", {{0}, {0}, {0}}}},
       {{"x", 8}},
       "{ [c0, c1, c2] -> [0, 0, 0]" + bits3,
       "{ [c0] -> [0] : 0 <= c0 <= 7 }"},
      {"2d_identity",
       {{"i", {{1, 0}, {2, 0}}}, {"j", {{0, 1}, {0, 2}}}},
       square,
       "{ [c0, c1, c2, c3] -> [c0, c1, c2, c3]" + bits4,
       "{ [c0, c1] -> [c0, c1]" + box},
      {"2d_transpose",
       {{"i", {{0, 1}, {0, 2}}}, {"j", {{1, 0}, {2, 0}}}},
       square,
       "{ [c0, c1, c2, c3] -> [c2, c3, c0, c1]" + bits4,
       "{ [c0, c1] -> [c1, c0]" + box},
      {"1d_transpose",
       {{"i", {{4}, {8}, {1}, {2}}}},
       {{"x", 16}},
       "{ [c0, c1, c2, c3] -> [c2, c3, c0, c1]" + bits4,
       "{ [c0] -> [15 + 4c0 + 15*floor((-1 - c0)/4)] : 0 <= c0 <= 15 }"},
      {"2d_broadcast",
       {{"i", {{1}, {2}}}, {"j", {{0}, {0}}}},
       {{"x", 4}},
       "{ [c0, c1, c2, c3] -> [c0, c1]" + bits4,
       "{ [c0, c1] -> [c0]" + box},
  };
}

template <class T>
T made(const Result<T>& result) {
  if (!result) throw std::invalid_argument(result.error().to_string());
  return *result;
}

IntegerRelation mapping(const cute::Layout& of) { return made(layout_mapping(of)); }

IntegerRelation swizzle(int bits, int base, int shift) {
  return made(swizzle_mappings(made(cute::Swizzle::make(bits, base, shift)))).layout;
}

/// Table 2, and equations 12, 15, 24 and 25.
std::vector<Row> table_2() {
  using cute::composition;
  const auto l = [](const char* text) { return layout(text); };
  const std::string sixteen =
      "{ [c] -> [7 + 2c + 6*floor(c/8) + 7*floor((-1 - c)/4)] : 0 <= c <= 15 }";
  return {
      {"(4,2,2):(2,1,8)", mapping(l("(4,2,2):(2,1,8)")), sixteen},
      {"inverse((4,2,2):(2,1,8))", mapping(made(right_inverse(l("(4,2,2):(2,1,8)")))),
       "{ [c] -> [-3c + 4*floor(c/8) + 7*floor((1 + c)/2)] : 0 <= c <= 15 }"},
      {"left_inverse((4,2,2):(4,2,32))", mapping(l("(2,2,4,2,2):(16,4,1,32,8)")),
       "{ [c] -> [2c - 7*floor(c/4) + 28*floor(c/16) - 56*floor(c/32) + 14*(c mod 2)] : 0 <= c <= "
       "63 "
       "}"},
      {"right_inverse((4,8,2):(8,1,33))", mapping(made(right_inverse(l("(4,8,2):(8,1,33)")))),
       "{ [c] -> [31 + 4c + 31*floor((-1 - c)/8)] : 0 <= c <= 31 }"},
      {"complement((2,2):(1,5),20)", mapping(l("(2,3):(2,9)")),
       "{ [c] -> [2c + 5*floor(c/2)] : 0 <= c <= 5 }"},
      {"complement((4,2):(1,16),32)", mapping(made(complement(l("(4,2):(1,16)"), 32))),
       "{ [c] -> [4c] : 0 <= c <= 3 }"},
      {"complement((2,2):(2,10),20)", mapping(l("((2,2),2):((1,4),18)")),
       "{ [c] -> [-1 + 2c + 10*floor(c/4) + (1 + c) mod 2] : 0 <= c <= 7 }"},
      {"complement((2,2):(1,4),20)", mapping(l("(2,3):(2,8)")),
       "{ [c] -> [-2 + 4c + 2*((1 + c) mod 2)] : 0 <= c <= 5 }"},
      {"(2,2):(1,80) o (2,2):(2,1)",
       mapping(made(composition(l("(2,2):(1,80)"), l("(2,2):(2,1)")))),
       "{ [c] -> [-79c + 159*floor((1 + c)/2)] : 0 <= c <= 3 }"},
      {"(4,6,8,10):(2,3,5,7) o 6:12",
       mapping(made(composition(l("(4,6,8,10):(2,3,5,7)"), l("6:12")))),
       "{ [c] -> [-4c + 13*floor((1 + c)/2)] : 0 <= c <= 5 }"},
      {"(4,2,8):(3,12,97) o 3:3", mapping(made(composition(l("(4,2,8):(3,12,97)"), l("3:3")))),
       "{ [c] -> [9c] : 0 <= c <= 2 }"},
      {"((4,2),(2,4)):((2,16),(1,8)) o ((4,8),2):((16,1),8)",
       mapping(made(composition(l("((4,2),(2,4)):((2,16),(1,8))"), l("((4,8),2):((16,1),8)")))),
       "{ [c] -> [30 + 8c + 8*floor(c/16) - 31*floor(c/32) + 30*floor((-1 - c)/4)] : 0 <= c <= 63 "
       "}"},
      {"(4,2,2):(2,1,8) o 16:1", mapping(made(composition(l("(4,2,2):(2,1,8)"), l("16:1")))),
       sixteen},
      {"swizzle(1,2,1)", swizzle(1, 2, 1),
       "{ [c] -> [c - c mod 8 + (c + 4*floor(c/8)) mod 8] : 0 <= c <= 15 }"},
      {"swizzle(1,2,-1)", swizzle(1, 2, -1),
       "{ [c] -> [-7 + 2*(c mod 8) + (7 + c - 2*(c mod 4)) mod 16] : 0 <= c <= 15 }"},
      {"equation 12", made(swizzle_mappings(made(cute::Swizzle::make(1, 2, 1)))).binary,
       "{ [c0, c1, c2, c3] -> [c0, (c0 + c1) mod 2, c2, c3] : 0 <= c0, c1, c2, c3 <= 1 }"},
      {"equation 25",
       made(relation(made(linear::LinearLayout::make(
           {{"c0", {{1, 1}, {2, 2}}}, {"c1", {{0, 1}, {0, 2}}}}, NamedSizes{{"x", 4}, {"y", 4}})))),
       "{ [c0, c1] -> [c0, 3 + c0 mod 2 - (1 + c0 + c1) mod 2 - (3 + c0 + 3c1 - (1 + c1) mod 2) "
       "mod 4] "
       ": 0 <= c0 <= 3 and 0 <= c1 <= 3 }"},
  };
}

std::vector<Row> rows() {
  std::vector<Row> all;
  for (const LinearRow& row : table_1()) {
    const linear::LinearLayout of = made(linear::LinearLayout::make(row.bases, row.outs));
    const LinearMappings mappings = made(linear_mappings(of));
    all.push_back({row.name + ", bits", mappings.binary_vector_space, row.binary});
    all.push_back({row.name + ", layout", made(relation(of)), row.layout});
    all.push_back({row.name + ", equation 23", made(layout_mapping(mappings)), row.layout});
  }
  for (Row& row : table_2()) all.push_back(std::move(row));
  return all;
}

/// The point where the printed relation is another one; nothing where it is the same.
std::string difference(const Row& row) {
  const Result<IntegerRelation> printed = IntegerRelation::parse(row.printed);
  if (!printed) return printed.error().to_string(row.printed);
  const Verdict verdict = equal(row.ours, *printed);
  return verdict.is_yes() ? "" : verdict.to_string();
}

TEST(Seed000, Tables1And2AreOurRelations) {
  for (const Row& row : rows()) {
    EXPECT_EQ(difference(row), "") << row.name << "\n" << row.ours << "\n" << row.printed;
  }
}

TEST(Seed000, OurTextOfTables1And2) {
  std::ostringstream text;
  for (const Row& row : rows()) {
    text << row.name << "\n  " << row.ours << "\n  " << to_string(made(pieces(row.ours))) << "\n";
  }
  const std::string path = HEDDLE_SOURCE_DIR "/tests/seeds/relation_tables.txt";
  if (std::getenv("HEDDLE_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << text.str();
  EXPECT_EQ(text.str(), test::contents(path));
}

}  // namespace
}  // namespace heddle::map
