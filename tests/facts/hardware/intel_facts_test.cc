// Intel's matrix instructions: every row of intel_dpas.jsonl, intel_dpas_scales.jsonl and
// intel_amx.jsonl.

#include <fmt/format.h>

#include "facts/hardware/machine_facts.h"
#include "heddle/linear/encoding.h"

namespace heddle {
namespace {

using Json = nlohmann::json;

linear::DpasEncoding dpas_of(const Json& json) {
  return {.repeat_count = json.at("repeatCount"),
          .systolic_depth = json.at("systolicDepth"),
          .execution_size = json.at("executionSize"),
          .ops_per_channel = json.at("opsPerChan"),
          .fp4_k_pack = json.contains("fp4KPack") ? std::optional<std::int64_t>(json.at("fp4KPack"))
                                                  : std::nullopt,
          .threads_per_warp = json.at("threadsPerWarp"),
          .warps_per_cta = json.value("warpsPerCTA", linear::Sizes{1, 1}),
          .rep_cluster = json.value("repCluster", linear::Sizes{1, 1})};
}

/// The operand as an encoding: 'A' and 'B' of a dot, 'C' its result.
linear::Encoding encoding_of(const linear::DpasEncoding& dpas, char operand) {
  if (operand == 'C') return dpas;
  return linear::dot_operand_of(dpas, operand - 'A');
}

/// (register, lane) -> (row, col), without the warps and blocks of which there is one.
linear::LinearLayout of_one_warp(const linear::LinearLayout& layout) {
  linear::Bases bases = layout.bases();
  std::erase_if(
      bases, [](const linear::InBases& in) { return in.name != "register" && in.name != "lane"; });
  linear::NamedSizes sizes = layout.out_dim_sizes();
  sizes[0].first = "row";
  sizes[1].first = "col";
  return linear::LinearLayout::make(bases, sizes, linear::Surjectivity::kNotRequired).value();
}

class DpasFacts : public testing::TestWithParam<Json> {};

std::string dpas_name(const testing::TestParamInfo<Json>& info) {
  const Json& row = info.param;
  return fmt::format("{}_exec{}_lanes{}_ops{}_repeat{}", row.at("operand").get<std::string>(),
                     row.at("executionSize").get<int>(), row.at("threadsPerWarp").get<int>(),
                     row.at("opsPerChan").get<int>(), row.at("repeatCount").get<int>());
}

TEST_P(DpasFacts, TheEncodingIsWhatTritonsBackEndComputes) {
  const Json& row = GetParam();
  const char operand = row.at("operand").get<std::string>().front();
  const std::vector<std::int64_t> mnk = row.at("mnk");
  const std::map<char, linear::Sizes> shapes = {
      {'A', {mnk[0], mnk[2]}}, {'B', {mnk[2], mnk[1]}}, {'C', {mnk[0], mnk[1]}}};
  const auto layout =
      linear::to_linear_layout(encoding_of(dpas_of(row), operand), shapes.at(operand));
  // The back end gives a row of A 16 lanes also where the subgroup has 8, which is refused.
  const auto has_other_lanes = [&] {
    const std::int64_t lanes = test::fact_layout(row.at("layout")).in_dim_size("lane").value();
    return lanes != row.at("threadsPerWarp").get<std::int64_t>();
  };
  if (!row.at("valid") || has_other_lanes()) {
    ASSERT_FALSE(layout);
    EXPECT_EQ(layout.error().code(), "encoding.parameter");
    return;
  }
  ASSERT_TRUE(layout) << layout.error();
  EXPECT_EQ(of_one_warp(*layout), test::fact_layout(row.at("layout")));
}

TEST_P(DpasFacts, TheInstructionIsTheSame) {
  const Json& row = GetParam();
  const std::int64_t lanes = row.at("threadsPerWarp");
  const std::int64_t ops = row.at("opsPerChan");
  const bool is_wide = row.at("executionSize") == 16;
  if (is_wide && lanes == 8) GTEST_SKIP() << "no machine has it";
  const std::string name = fmt::format("dpas.8x{}", row.at("repeatCount").get<int>());
  const form::InstructionQuery query{.machine = is_wide ? "PVC" : "DG2",
                                     .lanes = lanes,
                                     .type = ops == 1 ? "tf32" : (ops == 2 ? "bf16" : "s8")};
  if (!row.at("valid")) {
    const auto layout =
        machine::instruction_layout(name, row.at("operand").get<std::string>(), query);
    ASSERT_FALSE(layout);
    EXPECT_EQ(layout.error().code(), "instruction.operand");
    return;
  }
  // The back end of Triton gives a row of A 16 lanes, of which this subgroup has 8.
  if (lanes == 8 && ops > 1 && row.at("operand") == "A") GTEST_SKIP() << "disputed";
  test::expect_operand(row, name, query);
}

INSTANTIATE_TEST_SUITE_P(Intel, DpasFacts,
                         testing::ValuesIn(test::fact_rows("hardware/intel_dpas.jsonl")),
                         dpas_name);

/// The back end's own tests of scale factors; encodings.jsonl has its other tests.
TEST(DpasScaleFacts, EveryRow) {
  for (const Json& row : test::fact_rows("hardware/intel_dpas_scales.jsonl")) {
    const Json& args = row.at("args");
    const int op_idx = args.at("opIdx").get<int>() - 3;
    const linear::Sizes shape = args.at("shape");
    EXPECT_EQ(linear::dpas_scale_layout(dpas_of(args.at("encoding")), op_idx, shape),
              test::fact_layout(row.at("expect").at("layout")))
        << row;
  }
}

// ---- x86 ----

/// The facts give a row-major index of the tile for each element.
TEST(AmxFacts, EveryRow) {
  for (const Json& row : test::fact_rows("hardware/intel_amx.jsonl")) {
    const std::string name = row.at("instruction");
    const std::string operand = row.at("operand");
    test::expect_operand(row, name);
    const auto instruction = machine::instruction(name).value();
    const form::Fragment& fragment = instruction.operand(operand)->fragment;
    EXPECT_EQ(Json(instruction.shape), row.at("mnk"));
    std::vector<Int> sizes;
    std::int64_t count = 1;
    for (const auto& dim : fragment.dims()) {
      sizes.emplace_back(dim.size);
      count *= dim.size;
    }
    const test::Places places(name, operand, sizes);
    const std::int64_t of_row = fragment.places()[0].size;
    const test::OffsetLayout cute(row.at("cute"));
    for (std::int64_t flat = 0; flat < count; ++flat) {
      std::vector<Int> element;
      std::int64_t rest = flat;
      for (const Int& size : sizes) {
        element.emplace_back(rest % size.value());
        rest /= size.value();
      }
      const std::int64_t index =
          fragment.place("tile_row")
              ? places("byte_element", element) + of_row * places("tile_row", element)
              : places("element", element);
      ASSERT_EQ(index, cute(flat)) << row;
    }
  }
}

}  // namespace
}  // namespace heddle
