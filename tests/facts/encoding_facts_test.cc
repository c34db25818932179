// Every row of encodings.jsonl: what Triton's own tests and documents say that its encodings mean,
// which swizzles it chooses for the operands of a dot, and which layouts it takes for nvmma_shared.

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "heddle/linear/encoding_choice.h"
#include "heddle/linear/encoding_counts.h"
#include "support/facts.h"

namespace heddle::linear {
namespace {

using Json = nlohmann::json;

template <class T>
T value_of(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().to_string());
  return *std::move(result);
}

// Reading.

CtaLayout read_ctas(const Json& encoding) {
  if (!encoding.contains("cga")) return {};
  const Json& cga = encoding.at("cga");
  return value_of(CtaLayout::make(cga.at("ctasPerCGA"), cga.at("ctaSplitNum"), cga.at("ctaOrder")));
}

Encoding read_encoding(const Json& json) {
  const std::string kind = json.at("kind");
  const CtaLayout ctas = read_ctas(json);
  if (kind == "blocked") {
    return BlockedEncoding{json.at("sizePerThread"), json.at("threadsPerWarp"),
                           json.at("warpsPerCTA"), json.at("order"), ctas};
  }
  if (kind == "slice") return slice_of(read_encoding(json.at("parent")), json.at("dim"));
  if (kind == "nvidia_mma") {
    return NvidiaMmaEncoding{json.at("versionMajor"), json.at("versionMinor"),
                             json.at("warpsPerCTA"), json.at("instrShape"), ctas};
  }
  if (kind == "dot_op") {
    return dot_operand_of(read_encoding(json.at("parent")), json.at("opIdx"), json.at("kWidth"));
  }
  if (kind == "swizzled_shared") {
    return SwizzledSharedEncoding{json.at("vec"), json.at("perPhase"), json.at("maxPhase"),
                                  json.at("order"), ctas};
  }
  if (kind == "nvmma_shared") {
    return NvmmaSharedEncoding{.swizzling_byte_width = json.at("swizzlingByteWidth"),
                               .transposed = json.at("transposed"),
                               .element_bit_width = json.at("elementBitWidth"),
                               .fp4_padded = json.at("fp4Padded"),
                               .rank = static_cast<int>(json.at("cga").at("ctaOrder").size()),
                               .ctas = ctas};
  }
  if (kind == "tensor_memory") {
    return TensorMemoryEncoding{.block_m = json.at("blockM"),
                                .block_n = json.at("blockN"),
                                .col_stride = json.at("colStride"),
                                .fp4_padded = json.at("fp4Padded"),
                                .ctas = ctas};
  }
  if (kind == "tensor_memory_scales") {
    return TensorMemoryScalesEncoding{.ctas = ctas,
                                      .k_then_mn = json.at("blockRepOrder") == "kThenMn"};
  }
  if (kind == "dpas") {
    return DpasEncoding{.repeat_count = json.at("repeatCount"),
                        .systolic_depth = json.at("systolicDepth"),
                        .execution_size = json.at("executionSize"),
                        .ops_per_channel = json.at("opsPerChan"),
                        .threads_per_warp = json.at("threadsPerWarp"),
                        .warps_per_cta = json.at("warpsPerCTA"),
                        .rep_cluster = json.at("repCluster")};
  }
  if (kind == "subgroup_2d_block") {
    return Subgroup2dBlockEncoding{.warps_per_cta = json.at("warpsPerCTA"),
                                   .instr_shape = json.at("instrShape"),
                                   .num_blocks = json.at("numBlocks"),
                                   .order = json.at("order"),
                                   .k_width = json.at("kWidth"),
                                   .threads_per_warp = json.at("threadsPerWarp")};
  }
  throw std::runtime_error("unknown encoding " + kind);
}

// Checking, one function an operation.

void encoding_to_linear_layout(const Json& row) {
  const Json& args = row.at("args");
  const auto layout = to_linear_layout(read_encoding(args.at("encoding")),
                                       args.at("shape").get<std::vector<std::int64_t>>());
  ASSERT_TRUE(layout) << layout.error();
  EXPECT_EQ(*layout, test::fact_layout(row.at("expect").at("layout"))) << to_string(*layout);
}

void registers_per_thread(const Json& row) {
  const Json& args = row.at("args");
  EXPECT_EQ(value_of(total_elems_per_thread(read_encoding(args.at("encoding")),
                                            args.at("shape").get<std::vector<std::int64_t>>())),
            row.at("expect").at("value").get<std::int64_t>());
}

void memory_image(const Json& row) {
  const Json& args = row.at("args");
  const auto layout = value_of(to_linear_layout(read_encoding(args.at("encoding")),
                                                args.at("shape").get<std::vector<std::int64_t>>()));
  std::vector<std::int64_t> expected;
  for (const Json& line : row.at("expect").at("rows")) {
    for (const Json& element : line) expected.push_back(element);
  }
  EXPECT_EQ(value_of(shared_memory_image(layout)), expected);
}

void swizzle_params(const Json& row) {
  const Json& args = row.at("args");
  Json operand = args.at("dotOperand");
  operand["kind"] = "dot_op";
  const Encoding encoding = read_encoding(operand);
  const auto chosen = value_of(swizzled_shared_encoding(
      *encoding.get_if<DotOperandEncoding>(), args.at("shape").get<std::vector<std::int64_t>>(),
      args.at("order"), args.at("bitwidth")));
  const Json& expect = row.at("expect");
  EXPECT_EQ(chosen.vec, expect.at("vec").get<std::int64_t>());
  EXPECT_EQ(chosen.per_phase, expect.at("perPhase").get<std::int64_t>());
  EXPECT_EQ(chosen.max_phase, expect.at("maxPhase").get<std::int64_t>());
}

void nvmma(const Json& row) {
  const auto found = recognize_nvmma_shared(test::fact_layout(row.at("in").at("a")),
                                            row.at("args").at("elementBitWidth"));
  const Json& expect = row.at("expect");
  if (!expect.value("recognized", true)) {
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code(), "encoding.not_nvmma");
    return;
  }
  ASSERT_TRUE(found) << found.error();
  EXPECT_EQ(found->swizzling_byte_width, expect.at("swizzlingByteWidth").get<std::int64_t>());
  EXPECT_EQ(found->transposed, expect.at("transposed").get<bool>());
  EXPECT_EQ(found->fp4_padded, expect.at("fp4Padded").get<bool>());
}

void scales(const Json& row) {
  const Json& args = row.at("args");
  const auto layout = value_of(
      sm120_dot_scaled_scale_layout(args.at("shape").get<std::vector<std::int64_t>>(),
                                    args.at("opIdx"), args.at("warpsPerCTA"), read_ctas(args)));
  EXPECT_EQ(layout, test::fact_layout(row.at("expect").at("layout"))) << to_string(layout);
}

/// Swizzle<B,M,S> on the offsets of a compact layout is the same map as the encoding: it is its own
/// inverse, so that the direction does not matter.
void cute_swizzle(const Json& row) {
  const Json& args = row.at("args");
  const auto shape = args.at("shape").get<std::vector<std::int64_t>>();
  const auto layout = value_of(to_linear_layout(read_encoding(args.at("encoding")), shape));
  EXPECT_EQ(layout, test::fact_layout(row.at("in").at("a")));
  const Json& expect = row.at("expect");
  const int bits = expect.at("B");
  const int base = expect.at("M");
  const int shift = expect.at("S");
  const auto image = value_of(shared_memory_image(layout));
  for (std::int64_t offset = 0; offset < shape[0] * shape[1]; ++offset) {
    const std::int64_t source = offset >> (base + shift) & ((1 << bits) - 1);
    EXPECT_EQ(image[static_cast<std::size_t>(offset)], offset ^ source << base);
  }
}

TEST(EncodingFacts, EveryRowHolds) {
  const std::map<std::string, void (*)(const Json&)> checks{
      {"encodingToLinearLayout", encoding_to_linear_layout},
      {"registersPerThread", registers_per_thread},
      {"sharedMemoryImage", memory_image},
      {"swizzleParamsForDotOperand", swizzle_params},
      {"recognizeNvmmaShared", nvmma},
      {"sm120DotScaledScaleLayout", scales},
      {"toCuteSwizzle", cute_swizzle},
  };
  const std::vector<Json> all = test::fact_rows("encodings.jsonl");
  EXPECT_EQ(all.size(), 81U);
  for (const Json& row : all) {
    SCOPED_TRACE(row.at("id").get<std::string>());
    checks.at(row.at("op"))(row);
  }
}

}  // namespace
}  // namespace heddle::linear
