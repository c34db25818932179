// Matrix descriptors and swizzles of shared memory against what CuTe and the PTX manual state.

#include "heddle/machine/matrix_descriptor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "heddle/map/convert.h"
#include "heddle/notation/any_layout.h"
#include "machine/tma/emulator.h"
#include "support/facts.h"
#include "support/refusal.h"

namespace heddle::machine {
namespace {

std::vector<nlohmann::json> descriptor_facts() {
  return test::fact_rows("hardware/matrix_descriptors.jsonl");
}

Result<MatrixDescriptor> descriptor_of(const nlohmann::json& row) {
  const auto layout = notation::parse_any_layout(row["layout"].get<std::string>());
  if (!layout) return refuse(layout.error());
  const Major major = *major_named(row["major"].get<std::string>());
  const int bits = row["element_bits"].get<int>();
  return row["kind"] == "wgmma" ? wgmma_descriptor(*layout, bits, major)
                                : umma_descriptor(*layout, bits, major);
}

TEST(MatrixDescriptorFacts, BitsAreThoseOfCute) {
  int rows = 0;
  for (const nlohmann::json& row : descriptor_facts()) {
    const auto descriptor = descriptor_of(row);
    ASSERT_TRUE(descriptor) << row << descriptor.error();
    const std::uint64_t value = std::strtoull(row["value"].get<std::string>().c_str(), nullptr, 16);
    EXPECT_EQ(*descriptor->bits(0), value) << row << to_string(*descriptor);
    EXPECT_EQ(*descriptor->bits(0x12400), value + 0x1240) << row;
    ++rows;
  }
  EXPECT_EQ(rows, 203);
}

/// Where the manual's canonical layout with these offsets has the element, in bytes.
std::int64_t canonical_address(const MatrixDescriptor& descriptor, std::int64_t bits,
                               std::int64_t mn, std::int64_t k) {
  const std::int64_t unit = 128 / bits;
  const std::int64_t span = descriptor.swizzle.span;
  const std::int64_t row = span == 0 ? unit : span * 8 / bits;
  const std::int64_t rows = descriptor.swizzle.name == "128B_ATOM_32B" ? 4 : 8;
  std::int64_t address = descriptor.offset;
  if (descriptor.major == Major::kK) {
    address += mn / 8 * descriptor.stride + mn % 8 * row * bits / 8;
    address += span == 0 ? k / unit * descriptor.leading + k % unit * bits / 8 : k * bits / 8;
  } else {
    address += mn % row * bits / 8 + k % rows * row * bits / 8;
    address += mn / row * (span == 0 ? descriptor.stride : descriptor.leading);
    address += k / rows * (span == 0 ? descriptor.leading : descriptor.stride);
  }
  return test::swizzled_address(std::string(descriptor.swizzle.name), address);
}

TEST(MatrixDescriptorLaw, ADescriptorDescribesItsLayout) {
  for (const nlohmann::json& row : descriptor_facts()) {
    const auto layout = *notation::parse_any_layout(row["layout"].get<std::string>());
    const auto descriptor = descriptor_of(row);
    const auto map = map::index_map(layout);
    ASSERT_TRUE(descriptor && map) << row;
    const std::int64_t mn = map::convert(layout, map::System::kAxe)->shape.front().value();
    const std::int64_t bits = row["element_bits"].get<std::int64_t>();
    for (std::int64_t flat = 0; flat < map->size().value(); ++flat) {
      // CuTe's flat coordinates run along MN first.
      ASSERT_EQ(canonical_address(*descriptor, bits, flat % mn, flat / mn),
                map->at(flat).front().value() * bits / 8)
          << row << " at " << flat;
    }
  }
}

TEST(SharedSwizzleFacts, PiecesLieWhereTheManualPutsThem) {
  int modes = 0;
  for (const nlohmann::json& row : test::fact_rows("hardware/shared_swizzles.jsonl")) {
    const auto mode = std::ranges::find(shared_swizzles(), row["mode"].get<std::string>(),
                                        [](const SharedSwizzle& known) { return known.name; });
    ASSERT_NE(mode, shared_swizzles().end()) << row;
    const auto& table = row["table"];
    for (std::uint64_t line = 0; line < 16; ++line) {
      for (std::uint64_t place = 0; place < 8; ++place) {
        const auto piece = table[line % table.size()][place].get<std::uint64_t>();
        EXPECT_EQ((*mode)(line * 128 + piece * 16), line * 128 + place * 16) << row;
      }
    }
    ++modes;
  }
  EXPECT_EQ(modes, 5);
}

TEST(SharedSwizzle, IsThatOfElementsOfEveryWidth) {
  for (const SharedSwizzle& mode : shared_swizzles()) {
    for (int bits = 8, low = mode.low; bits <= 64; bits *= 2, --low) {
      const auto swizzle = *axe::Swizzle::make(low, mode.bits, mode.shift);
      EXPECT_EQ(shared_swizzle(swizzle, bits), mode) << axe::to_string(swizzle);
    }
  }
  EXPECT_FALSE(shared_swizzle(*axe::Swizzle::make(3, 3, 3), 8));
  EXPECT_FALSE(shared_swizzle(*axe::Swizzle::make(3, 3, 3, false), 16));
}

}  // namespace
}  // namespace heddle::machine
