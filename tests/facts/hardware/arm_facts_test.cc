// Arm's matrix instructions: every row of arm_sme.jsonl and arm_mmla.jsonl.

#include <fmt/format.h>

#include "facts/hardware/machine_facts.h"

namespace heddle {
namespace {

using Json = nlohmann::json;

form::InstructionQuery query_of(const Json& row) {
  return {.machine = "sme", .vector_bits = row.at("svl_bits")};
}

/// Element (row, col) of a tile is this number in ZA, read vector by vector.
void expect_tile(const Json& row, const std::string& name, const std::string& operand,
                 const form::InstructionQuery& query, std::int64_t size, std::int64_t unit,
                 const std::string& cute) {
  const test::Places places(name, operand, {size, size}, query);
  const test::OffsetLayout wanted(cute);
  const std::int64_t units_of_vector = size * unit;
  for (std::int64_t r = 0; r < size; ++r) {
    for (std::int64_t c = 0; c < size; ++c) {
      const std::int64_t vector = places("za_vector", {r, c});
      const std::int64_t element = places("element", {r, c});
      ASSERT_EQ(vector * units_of_vector + element * unit, wanted(r, c)) << row;
    }
  }
}

TEST(SmeFacts, OperandsOfOuterProducts) {
  for (const Json& row : test::fact_rows("hardware/arm_sme.jsonl")) {
    const std::string name = row.at("instruction");
    if (name.starts_with("MOVA")) continue;
    const form::InstructionQuery query = query_of(row);
    EXPECT_EQ(Json(machine::instruction(name, query).value().shape), row.at("mnk"));
    if (row.at("operand") != "C") {
      test::expect_operand(row, name, query);
      continue;
    }
    const std::int64_t size = row.at("mnk").at(0);
    expect_tile(row, name, row.at("register"), query, size, 1, row.at("cute"));
  }
}

TEST(SmeFacts, TilesAsALinearLayoutOfAllOfThem) {
  for (const Json& row : test::fact_rows("hardware/arm_sme.jsonl")) {
    const std::string name = row.at("instruction");
    if (name.starts_with("MOVA") || row.at("operand") != "C") continue;
    const auto all = std::get<linear::LinearLayout>(test::catalogued(name, "C", query_of(row)));
    const linear::LinearLayout one = test::fact_layout(row.at("layout"));
    const std::vector<std::int64_t> offset = row.at("offset");
    const std::int64_t size = row.at("mnk").at(0);
    for (std::int64_t r = 0; r < size; ++r) {
      const auto place = one.apply({{"row", r}, {"col", size - 1}}).value();
      const auto element = all.apply({{"element", place[1].second + offset[1]},
                                      {"za_vector", place[0].second + offset[0]}})
                               .value();
      const linear::NamedSizes wanted = {{"tile", row.at("tile")}, {"row", r}, {"col", size - 1}};
      ASSERT_EQ(element, wanted) << row;
    }
  }
}

TEST(SmeFacts, SlicesOfTiles) {
  for (const Json& row : test::fact_rows("hardware/arm_sme.jsonl")) {
    const std::string name = row.at("instruction");
    if (!name.starts_with("MOVA")) continue;
    const std::string letter = row.at("element");
    form::InstructionQuery query = query_of(row);
    query.type = letter;
    const std::int64_t size = row.at("tile_shape").at(0);
    const std::string operand = fmt::format("ZA{}.{}", row.at("tile").get<int>(), letter);
    expect_tile(row, name, operand, query, size, row.at("element_bytes"), row.at("cute_bytes"));
    const bool is_horizontal = row.at("slice") == "horizontal";
    const test::Places slice(name, row.at("slice"), {size, size}, query);
    EXPECT_EQ(slice("element", {0, size - 1}), is_horizontal ? size - 1 : 0);
    EXPECT_EQ(slice("slice", {0, size - 1}), is_horizontal ? 0 : size - 1);
  }
}

/// The facts give (row, k), (column, k) and (row, column) -> element of the segment.
TEST(MmlaFacts, EveryRow) {
  for (const Json& row : test::fact_rows("hardware/arm_mmla.jsonl")) {
    const std::string name = row.at("instruction");
    const std::int64_t k = row.at("mnk").at(2);
    EXPECT_EQ(Json(machine::instruction(name).value().shape), row.at("mnk"));
    const test::Places a(name, "A", {2, k});
    const test::Places b(name, "B", {k, 2});
    const test::Places c(name, "C", {2, 2});
    const test::OffsetLayout a_wanted(row.at("A"));
    const test::OffsetLayout b_wanted(row.at("B_nk"));
    const test::OffsetLayout c_wanted(row.at("C"));
    for (std::int64_t i = 0; i < 2; ++i) {
      for (std::int64_t j = 0; j < k; ++j) {
        EXPECT_EQ(a("element", {i, j}), a_wanted(i, j)) << name;
        EXPECT_EQ(b("element", {j, i}), b_wanted(i, j)) << name;
      }
      for (std::int64_t j = 0; j < 2; ++j) EXPECT_EQ(c("element", {i, j}), c_wanted(i, j)) << name;
    }
  }
}

TEST(SmeNames, AreFoundWithoutTheWordsInBrackets) {
  const auto single = test::catalogued("fmopa", "A", {.vector_bits = 256, .type = "f32"});
  EXPECT_EQ(map::to_string(single),
            map::to_string(test::catalogued("FMOPA (single)", "A", {.vector_bits = 256})));
  EXPECT_EQ(machine::instruction("fmopa").error().code(), "instruction.ambiguous");
  EXPECT_EQ(machine::instruction("bfmopa", {.vector_bits = 128}).value().name, "BFMOPA");
  EXPECT_EQ(machine::instruction("FMOPA (single)", {.vector_bits = 384}).error().code(),
            "instruction.unknown");
}

}  // namespace
}  // namespace heddle
