// Every row of hardware/triton_amd.jsonl: what Triton makes of the encodings of AMD's matrix
// instructions, for each instruction and for tensors with warps and tiles, the layouts of scale
// factors, and the encodings that its tests write.
//
// A row has an expression `e`, an encoding or a layout, and for a tensor of shape `s` one of: `l`,
// its bases; `same`, another encoding with the same layout; `injective`; `registers`, of a thread.
// Rows without a shape are only read. For partitioned_shared Triton states the bases of `offset`
// and of `block`, and leaves out those of `partition`.

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "heddle/linear/encoding.h"
#include "heddle/linear/encoding_counts.h"
#include "heddle/notation/evaluator.h"
#include "heddle/notation/triton.h"
#include "support/facts.h"

namespace heddle {
namespace {

using Json = nlohmann::json;
using linear::Encoding;
using linear::LinearLayout;
using linear::Sizes;
using AmdBases = std::map<std::string, std::vector<std::vector<std::int64_t>>>;

constexpr const char* kTritonAmdRows = "hardware/triton_amd.jsonl";

/// The layout of the expression, which may be an encoding of a tensor of this shape.
Result<LinearLayout> layout_of_amd(const std::string& expression, const Sizes& shape) {
  HEDDLE_TRY(const notation::Value value, notation::evaluate(expression));
  if (const auto* layout = value.get_if<LinearLayout>()) return *layout;
  return linear::to_linear_layout(*value.get_if<Encoding>(), shape);
}

/// The bases without those of dimensions of size 1, and without `partition`.
AmdBases bases_of_amd(const LinearLayout& layout) {
  AmdBases bases;
  for (const linear::InBases& in : layout.bases()) {
    if (!in.vectors.empty() && in.name != "partition") bases[in.name] = in.vectors;
  }
  return bases;
}

std::vector<Json> triton_amd_rows(const char* field) {
  std::vector<Json> rows = test::fact_rows(kTritonAmdRows);
  std::erase_if(rows, [&](const Json& row) { return !row.contains(field); });
  return rows;
}

TEST(TritonAmdFacts, LayoutsAreThoseOfTriton) {
  const std::vector<Json> rows = triton_amd_rows("l");
  EXPECT_GT(rows.size(), 1200U);
  for (const Json& row : rows) {
    const Sizes shape = row.at("s");
    const auto layout = layout_of_amd(row.at("e"), shape);
    ASSERT_TRUE(layout) << row << layout.error();
    EXPECT_EQ(bases_of_amd(*layout), row.at("l").get<AmdBases>()) << row.at("e");
    for (std::size_t dim = 0; dim < shape.size(); ++dim) {
      EXPECT_EQ(layout->out_dims()[dim].size(), shape[dim]) << row.at("e");
    }
  }
}

TEST(TritonAmdFacts, EncodingsWithTheSameLayout) {
  for (const Json& row : triton_amd_rows("same")) {
    EXPECT_EQ(layout_of_amd(row.at("e"), row.at("s")), layout_of_amd(row.at("same"), row.at("s")))
        << row;
  }
}

TEST(TritonAmdFacts, PlacesThatRepeatElements) {
  for (const Json& row : triton_amd_rows("injective")) {
    const auto layout = layout_of_amd(row.at("e"), row.at("s"));
    ASSERT_TRUE(layout) << layout.error();
    EXPECT_EQ(layout->is_injective(), row.at("injective").get<bool>()) << row;
  }
  for (const Json& row : triton_amd_rows("registers")) {
    const auto encoding = notation::evaluate(row.at("e").get<std::string>());
    const auto registers =
        linear::total_elems_per_thread(*encoding->get_if<Encoding>(), row.at("s").get<Sizes>());
    EXPECT_EQ(*registers, row.at("registers").get<std::int64_t>()) << row;
  }
}

TEST(TritonAmdFacts, EncodingsAreReadBackAsTheyArePrinted) {
  for (const Json& row : test::fact_rows(kTritonAmdRows)) {
    const auto value = notation::evaluate(row.at("e").get<std::string>());
    ASSERT_TRUE(value) << row << value.error();
    const auto* encoding = value->get_if<Encoding>();
    if (encoding == nullptr) continue;
    const auto again = notation::evaluate(linear::to_string(*encoding));
    ASSERT_TRUE(again) << linear::to_string(*encoding) << again.error();
    EXPECT_EQ(*again->get_if<Encoding>(), *encoding) << linear::to_string(*encoding);
    const auto from_data = notation::encoding_of(notation::to_datum(*encoding));
    ASSERT_TRUE(from_data) << linear::to_string(*encoding) << from_data.error();
    EXPECT_EQ(*from_data, *encoding) << linear::to_string(*encoding);
  }
}

}  // namespace
}  // namespace heddle
