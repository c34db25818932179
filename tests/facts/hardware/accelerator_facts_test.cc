// POWER10, Apple, Trainium, Ascend and TPU: every row of power10_mma.jsonl, apple.jsonl,
// trainium.jsonl and accelerators.jsonl.

#include <fmt/format.h>

#include "facts/hardware/machine_facts.h"
#include "heddle/notation/evaluator.h"
#include "support/refusal.h"

namespace heddle {
namespace {

using Json = nlohmann::json;

/// The facts give (row, k), (column, k) -> element of the vector, (row, column) -> element of the
/// accumulator, register by register.
TEST(Power10Facts, EveryRow) {
  for (const Json& row : test::fact_rows("hardware/power10_mma.jsonl")) {
    const std::string name = row.at("instruction");
    const std::vector<std::int64_t> mnk = row.at("mnk");
    EXPECT_EQ(Json(machine::instruction(name).value().shape), row.at("mnk"));
    const test::Places a(name, "A", {mnk[0], mnk[2]});
    const test::Places b(name, "B", {mnk[2], mnk[1]});
    const test::Places c(name, "C", {mnk[0], mnk[1]});
    const test::OffsetLayout a_wanted(row.at("A"));
    const test::OffsetLayout b_wanted(row.at("B_nk"));
    const test::OffsetLayout c_wanted(row.at("C_cute"));
    for (std::int64_t i = 0; i < mnk[0]; ++i) {
      for (std::int64_t k = 0; k < mnk[2]; ++k) EXPECT_EQ(a("element", {i, k}), a_wanted(i, k));
      for (std::int64_t j = 0; j < mnk[1]; ++j) {
        EXPECT_EQ(c("element", {i, j}) + mnk[1] * c("vsr", {i, j}), c_wanted(i, j)) << name;
      }
    }
    for (std::int64_t j = 0; j < mnk[1]; ++j) {
      for (std::int64_t k = 0; k < mnk[2]; ++k) EXPECT_EQ(b("element", {k, j}), b_wanted(j, k));
    }
  }
}

TEST(Power10Facts, TheAccumulatorIsARelation) {
  EXPECT_EQ(map::to_string(test::catalogued("XVF32GERPP", "C")),
            "{ [element, vsr] -> [row = 3 - vsr, col = element] : 0 <= element <= 3 and 0 <= vsr "
            "<= 3 }");
  EXPECT_EQ(test::refused("instruction_layout(\"xvf32ger\", \"C\", to=\"linear\")").code(),
            "fragment.descending");
}

TEST(AppleFacts, SimdgroupMatrices) {
  for (const Json& row : test::fact_rows("hardware/apple.jsonl")) {
    if (!row.contains("layout")) continue;
    test::expect_operand(row, row.at("instruction"));
  }
}

/// The facts give a row-major index of Z, of rows of 64 bytes, with a symbol for the choice of
/// rows.
TEST(AppleFacts, TheCoprocessor) {
  const auto expect_z = [](const std::string& name, const std::string& operand, std::int64_t size,
                           std::int64_t of_row, const std::string& cute) {
    const test::Places places(name, operand, {size, size});
    const test::OffsetLayout wanted(cute);
    for (std::int64_t j = 0; j < size; ++j) {
      for (std::int64_t i = 0; i < size; ++i) {
        ASSERT_EQ(places("z_row", {j, i}) * of_row + places("element", {j, i}), wanted(j, i))
            << name << " " << operand;
      }
    }
  };
  int rows = 0;
  for (const Json& row : test::fact_rows("hardware/apple.jsonl")) {
    const std::string name = row.at("instruction");
    if (row.contains("layout") || name == "all") continue;
    ++rows;
    const std::int64_t size = row.at("mnk").at(0);
    const std::string cute = row.at("cute");
    const auto symbol = cute.find("*zrow");
    if (symbol == std::string::npos) {
      for (const char* widening : {"fma16 (f16 to f32)", "mac16 (i16 to i32)"}) {
        expect_z(widening, "Z", size, 16, cute);
      }
      continue;
    }
    const auto plus = cute.find(" + ");
    const std::int64_t step = std::stoll(cute.substr(plus + 3));
    for (std::int64_t choice = 0; choice < 64 / size; ++choice) {
      expect_z(name, fmt::format("Z[{}]", choice), size, size,
               fmt::format("{} + {}", cute.substr(0, plus), step * choice));
    }
  }
  EXPECT_EQ(rows, 4);
}

TEST(TrainiumFacts, EveryRow) {
  for (const Json& row : test::fact_rows("hardware/trainium.jsonl")) {
    if (!row.contains("axe")) continue;
    const std::string shape =
        fmt::format("({})", fmt::join(row.at("shape").get<std::vector<int>>(), ","));
    std::string made =
        fmt::format("trainium(\"{}\", {})", row.at("annotation").get<std::string>(), shape);
    if (row.at("psum").get<bool>()) made = fmt::format("to_psum({})", made);
    EXPECT_EQ(test::value(fmt::format("equal({}, {})", made, row.at("axe").get<std::string>()))
                  .substr(0, 3),
              "yes")
        << made;
  }
}

TEST(TrainiumFacts, OperandsOfMatmul) {
  std::map<std::string, std::string> operands;
  for (const Json& row : test::fact_rows("hardware/trainium.jsonl")) {
    const std::string what = row.at("what");
    if (!what.starts_with("nc_matmul")) continue;
    const std::string operand = row.at("operand");
    operands[operand.starts_with("stationary") ? "A"
                                               : (operand.starts_with("moving") ? "B" : "D")] =
        row.at("axe");
  }
  ASSERT_EQ(operands.size(), 3U);
  const auto name = [](const std::string& operand) {
    return test::catalogued("nc_matmul", operand, {.machine = "trn2"}, map::System::kAxe);
  };
  for (const auto& [operand, axe] : operands) EXPECT_TRUE(test::is_axe(name(operand), axe));
}

// ---- Symbolic layouts ----

/// `M1` and `R/8` with these numbers.
std::string with_numbers(std::string text, const std::map<std::string, std::int64_t>& numbers) {
  for (const auto& [name, number] : numbers) {
    for (auto at = text.find(name); at != std::string::npos; at = text.find(name, at)) {
      text.replace(at, name.size(), std::to_string(number));
    }
  }
  return text;
}

/// A layout of TPU is XLA's, with tiles, for all sizes that are tried.
TEST(AcceleratorFacts, TilesOfTpu) {
  int rows = 0;
  for (const Json& row : test::fact_rows("hardware/accelerators.jsonl")) {
    if (!row.at("device").get<std::string>().starts_with("Google")) continue;
    ++rows;
    for (const std::int64_t size : {1, 2, 5}) {
      const std::map<std::string, std::int64_t> numbers = {{"R", 8 * size}, {"C", 256}};
      std::string cute = with_numbers(row.at("cute_symbolic"), {{"R/8", size}, {"C/128", 2}});
      cute = with_numbers(cute, numbers);
      const std::string xla = with_numbers(row.at("operand"), numbers);
      EXPECT_EQ(test::value("equal(" + cute + ", " + xla + ")").substr(0, 3), "yes") << cute;
    }
  }
  EXPECT_EQ(rows, 3);
}

/// The fractals of Ascend for sizes that are names: read as written, and one-to-one for numbers;
/// one fractal is the operand of mmad.
TEST(AcceleratorFacts, FractalsOfAscend) {
  int rows = 0;
  for (const Json& row : test::fact_rows("hardware/accelerators.jsonl")) {
    if (!row.at("device").get<std::string>().starts_with("Huawei")) continue;
    if (!row.contains("cute_symbolic")) continue;
    ++rows;
    const std::string cute = row.at("cute_symbolic");
    notation::Environment symbols;
    for (const char* name : {"M1", "N1", "K0", "K1"}) {
      ASSERT_TRUE(symbols.assume(std::string(name) + ">=1"));
    }
    EXPECT_EQ(test::value(cute, symbols), cute);
    const auto with = [&](std::int64_t m, std::int64_t n, std::int64_t k) {
      return with_numbers(cute, {{"M1", m}, {"N1", n}, {"K1", k}, {"K0", 16}});
    };
    EXPECT_EQ(test::value("bijective(" + with(3, 5, 2) + ")").substr(0, 3), "yes") << cute;
    // L0A, L0B or L0C of one fractal, from (row, column) to the element.
    const std::string operand(1, row.at("operand").get<std::string>()[2]);
    const test::Places places("mmad", operand, {16, 16}, {.type = "half"});
    const test::OffsetLayout wanted(with(1, 1, 1));
    for (std::int64_t i = 0; i < 16; ++i) {
      for (std::int64_t j = 0; j < 16; ++j) {
        EXPECT_EQ(places("element", {i, j}), wanted(i + 16 * j)) << cute;
      }
    }
  }
  EXPECT_EQ(rows, 3);
}

}  // namespace
}  // namespace heddle
