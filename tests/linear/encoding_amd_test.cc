// Encodings of AMD machines against formulas written with division and remainder, and laws that
// bind the operands of a product to its result.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

#include "heddle/linear/encoding.h"
#include "heddle/linear/encoding_choice.h"
#include "support/law.h"

namespace heddle::linear {
namespace {

using test::Finding;
using test::for_all_seeds;
using test::found;
using test::kHolds;
using test::kSaysNothing;
using test::Random;

using Places = std::vector<std::pair<std::string, std::int64_t>>;

LinearLayout amd_layout(const Encoding& encoding, const Sizes& shape) {
  const auto layout = to_linear_layout(encoding, shape);
  if (!layout) throw std::runtime_error(layout.error().to_string());
  return *layout;
}

/// The element at these places; the others are 0.
Sizes element_at(const LinearLayout& layout, const Places& places) {
  NamedSizes point;
  for (const Dimension& in : layout.in_dims()) {
    const auto given = std::ranges::find(places, in.name, &Places::value_type::first);
    point.emplace_back(in.name, given == places.end() ? 0 : given->second);
  }
  const NamedSizes coordinates = *layout.apply(point);
  Sizes element;
  for (const auto& [name, coordinate] : coordinates) element.push_back(coordinate);
  return element;
}

std::int64_t size_of_input(const LinearLayout& layout, const char* name) {
  return *layout.in_dim_size(name);
}

std::string code_of_amd(const Encoding& encoding, const Sizes& shape) {
  const auto layout = to_linear_layout(encoding, shape);
  return layout ? "none" : layout.error().code();
}

AmdMfmaEncoding one_mfma(std::int64_t size, bool is_transposed, std::int64_t element_bits = 32) {
  return {.version = 3,
          .warps_per_cta = {1, 1},
          .instr_shape = {size, size, 8},
          .is_transposed = is_transposed,
          .element_bit_width = element_bits};
}

AmdWmmaEncoding one_wmma(int version, bool is_transposed, Sizes shape = {16, 16, 16}) {
  return {.version = version,
          .is_transposed = is_transposed,
          .cta_layout = *AmdWmmaEncoding::make_cta_layout({1, 1}, {}),
          .instr_shape = std::move(shape)};
}

TEST(AmdMfma, HoldsGroupsOfRowsBelowOneAnother) {
  for (const std::int64_t size : {16, 32}) {
    for (const std::int64_t bits : {32, 64}) {
      const std::int64_t group = bits == 64 ? 1 : 4;
      const LinearLayout layout = amd_layout(one_mfma(size, false, bits), {size, size});
      const LinearLayout transposed = amd_layout(one_mfma(size, true, bits), {size, size});
      const std::int64_t below = 64 / size;
      for (std::int64_t lane = 0; lane < 64; ++lane) {
        for (std::int64_t r = 0; r < size * size / 64; ++r) {
          const std::int64_t row = r % group + group * (lane / size) + group * below * (r / group);
          const Places place{{"register", r}, {"lane", lane}};
          EXPECT_EQ(element_at(layout, place), (Sizes{row, lane % size}));
          EXPECT_EQ(element_at(transposed, place), (Sizes{lane % size, row}));
        }
      }
    }
  }
}

TEST(AmdWmma, HoldsEvenAndOddRowsOrHalves) {
  for (const int version : {1, 2, 3}) {
    const Sizes shape = version == 3 ? Sizes{16, 16, 32} : Sizes{16, 16, 16};
    const LinearLayout layout = amd_layout(one_wmma(version, false, shape), {16, 16});
    const LinearLayout transposed = amd_layout(one_wmma(version, true, shape), {16, 16});
    for (std::int64_t lane = 0; lane < 32; ++lane) {
      for (std::int64_t r = 0; r < 8; ++r) {
        const std::int64_t row = version == 1 ? 2 * r + lane / 16 : 8 * (lane / 16) + r;
        const Places place{{"register", r}, {"lane", lane}};
        EXPECT_EQ(element_at(layout, place), (Sizes{row, lane % 16}));
        EXPECT_EQ(element_at(transposed, place), (Sizes{lane % 16, row}));
      }
    }
  }
}

TEST(AmdWmma, HasTheOlderFormOfItsTiles) {
  const LinearLayout tiles = *AmdWmmaEncoding::make_cta_layout({2, 4}, {2, 1});
  EXPECT_EQ(tiles, *LinearLayout::make({{"register", {{1, 0}}}, {"warp", {{0, 1}, {0, 2}, {2, 0}}}},
                                       standard_out_dim_names(2)));
  EXPECT_EQ(AmdWmmaEncoding::make_cta_layout({2}, {}).error().code(), "encoding.rank");
  EXPECT_EQ(AmdWmmaEncoding::make_cta_layout({2, 3}, {}).error().code(), "encoding.sizes");
  EXPECT_EQ(AmdWmmaEncoding::make_cta_layout({2, 2}, {1}).error().code(), "encoding.rank");
}

// The operands of a product.

struct Product {
  Encoding result;
  std::int64_t k_width = 1;
  Sizes shape;
  std::int64_t depth = 16;
};

std::int64_t power(Random& random, std::int64_t least, std::int64_t most) {
  return std::int64_t{1} << random.between(least, most);
}

Product random_product(Random& random) {
  Product product{.result = one_mfma(16, false),
                  .k_width = power(random, 2, 4),
                  .shape = {power(random, 4, 8), power(random, 4, 8)},
                  .depth = power(random, 6, 8)};
  const Sizes warps{power(random, 0, 2), power(random, 0, 2)};
  const Sizes tiles{power(random, 0, 1), power(random, 0, 1)};
  if (random.chance(50)) {
    const auto [m, n] = random.one_of<std::pair<std::int64_t, std::int64_t>>(
        {{16, 16}, {32, 32}, {64, 4}, {4, 64}});
    product.result = AmdMfmaEncoding{.version = static_cast<int>(random.between(1, 4)),
                                     .warps_per_cta = warps,
                                     .instr_shape = {m, n, 16},
                                     .is_transposed = m == 64 || random.chance(50),
                                     .tiles_per_warp = random.chance(50) ? tiles : Sizes{}};
    return product;
  }
  const int version = static_cast<int>(random.between(1, 3));
  product.result = AmdWmmaEncoding{
      .version = version,
      .is_transposed = random.chance(50),
      .cta_layout = *AmdWmmaEncoding::make_cta_layout(warps, tiles),
      .instr_shape = version < 3
                         ? Sizes{16, 16, 16}
                         : random.one_of<Sizes>({{16, 16, 32}, {16, 16, 64}, {32, 16, 128}})};
  return product;
}

/// What a warp holds along each of two dimensions.
std::array<std::set<std::int64_t>, 2> held_by(const LinearLayout& layout, std::int64_t warp) {
  std::array<std::set<std::int64_t>, 2> held;
  for (std::int64_t lane = 0; lane < size_of_input(layout, "lane"); ++lane) {
    for (std::int64_t r = 0; r < size_of_input(layout, "register"); ++r) {
      const Sizes element = element_at(layout, {{"register", r}, {"lane", lane}, {"warp", warp}});
      for (std::size_t dim = 0; dim != 2; ++dim) held[dim].insert(element[dim]);
    }
  }
  return held;
}

TEST(AmdDotOperand, GivesEachWarpTheRowsAndColumnsOfItsResult) {
  for_all_seeds({.one_in = 20}, [](Random& random) -> Finding {
    const Product product = random_product(random);
    const auto result = to_linear_layout(product.result, product.shape);
    const auto a = to_linear_layout(dot_operand_of(product.result, 0, product.k_width),
                                    Sizes{product.shape[0], product.depth});
    const auto b = to_linear_layout(dot_operand_of(product.result, 1, product.k_width),
                                    Sizes{product.depth, product.shape[1]});
    if (!result || !a || !b) return found("refused: ", to_string(product.result));
    if (!result->is_surjective() || !a->is_surjective() || !b->is_surjective()) {
      return found(to_string(product.result), " misses elements");
    }
    const std::int64_t warp = random.between(0, size_of_input(*result, "warp") - 1);
    const auto of_result = held_by(*result, warp);
    const auto of_a = held_by(*a, warp);
    const auto of_b = held_by(*b, warp);
    const auto depth = static_cast<std::size_t>(product.depth);
    const bool all = of_a[1].size() == depth && of_b[0].size() == depth;
    if (of_result[0] == of_a[0] && of_result[1] == of_b[1] && all) return kHolds;
    return found(to_string(product.result), " warp ", warp);
  });
}

TEST(AmdScales, ReachTheLanesThatHoldTheirElements) {
  // A lane of v_mfma_scale with 32 neighbours along k has the factor of these.
  for (const std::int64_t size : {16, 32}) {
    const AmdMfmaEncoding mfma{.version = 4,
                               .warps_per_cta = {2, 2},
                               .instr_shape = {size, size, 2048 / size},
                               .is_transposed = true};
    for (const int operand : {0, 1}) {
      const DotOperandEncoding held = dot_operand_of(mfma, operand, 32);
      const auto factors = mfma_scale_layout(held, Sizes{4 * size, 8});
      ASSERT_TRUE(factors) << factors.error();
      const LinearLayout elements =
          amd_layout(held, operand == 0 ? Sizes{4 * size, 256} : Sizes{256, 4 * size});
      for (std::int64_t warp = 0; warp < 4; ++warp) {
        for (std::int64_t lane = 0; lane < 64; ++lane) {
          for (std::int64_t r = 0; r < size_of_input(*factors, "register"); ++r) {
            const Sizes factor =
                element_at(*factors, {{"register", r}, {"lane", lane}, {"warp", warp}});
            Sizes element =
                element_at(elements, {{"register", 32 * r}, {"lane", lane}, {"warp", warp}});
            if (operand == 1) std::swap(element[0], element[1]);
            EXPECT_EQ(factor, (Sizes{element[0], element[1] / 32}));
          }
        }
      }
    }
  }
}

TEST(AmdScales, RefuseOtherOperands) {
  const Sizes shape{32, 4};
  EXPECT_EQ(mfma_scale_layout(dot_operand_of(one_wmma(1, false), 0), shape).error().code(),
            "encoding.parent");
  EXPECT_EQ(wmma_scale_layout(dot_operand_of(one_mfma(16, false), 0), shape).error().code(),
            "encoding.parent");
  EXPECT_EQ(mfma_scale_layout(DotOperandEncoding{}, shape).error().code(), "encoding.parent");
  EXPECT_EQ(mfma_scale_layout(dot_operand_of(one_mfma(16, false), 2), shape).error().code(),
            "encoding.parameter");
  EXPECT_EQ(
      mfma_scale_layout(dot_operand_of(one_mfma(16, false), 0), Sizes{2, 32, 4}).error().code(),
      "encoding.rank");
  EXPECT_EQ(wmma_scale_layout(dot_operand_of(one_wmma(1, false), 0), shape, 64).error().code(),
            "encoding.parameter");
  AmdMfmaEncoding narrow = one_mfma(16, true);
  narrow.instr_shape = {64, 4, 4};
  EXPECT_EQ(mfma_scale_layout(dot_operand_of(narrow, 0), shape).error().code(),
            "encoding.parameter");
}

// Shared memory.

TEST(AmdRotatingShared, RotatesEachBlockOfRowsFurther) {
  for_all_seeds([](Random& random) -> Finding {
    const std::int64_t vec = power(random, 0, 2);
    const std::int64_t per_phase = power(random, 0, 2);
    const std::int64_t max_phase = power(random, 0, 3);
    const Sizes shape{power(random, 0, 7), vec * max_phase * power(random, 0, 2)};
    const LinearLayout layout = amd_layout(SwizzledSharedEncoding{.vec = vec,
                                                                  .per_phase = per_phase,
                                                                  .max_phase = max_phase,
                                                                  .order = {1, 0},
                                                                  .rotating = true},
                                           shape);
    for (std::int64_t offset = 0; offset < shape[0] * shape[1]; ++offset) {
      const std::int64_t row = offset / shape[1];
      const std::int64_t phase = row / per_phase % max_phase;
      const std::int64_t block = row / per_phase / max_phase % max_phase;
      const Sizes wanted{row, offset % shape[1] ^ vec * (phase ^ block)};
      if (element_at(layout, {{"offset", offset}}) != wanted) return found("offset ", offset);
    }
    return kHolds;
  });
}

TEST(AmdRotatingShared, HasNoLayoutForRowsThatCtasDivide) {
  EXPECT_EQ(
      code_of_amd(
          SwizzledSharedEncoding{
              .vec = 1, .max_phase = 4, .order = {1, 0}, .ctas = {{{1, 0}}}, .rotating = true},
          {16, 16}),
      "encoding.unsupported");
}

PartitionedSharedEncoding partitioned(std::int64_t partitions, std::int64_t groups, int dim,
                                      Encoding piece) {
  return {partitions, groups, dim, std::make_shared<const Encoding>(std::move(piece))};
}

TEST(PartitionedShared, DealsPiecesOutInTurn) {
  for_all_seeds([](Random& random) -> Finding {
    const std::int64_t partitions = power(random, 0, 2);
    const std::int64_t groups = power(random, 0, 2);
    const auto dim = static_cast<std::size_t>(random.between(0, 1));
    Sizes piece{power(random, 0, 4), power(random, 0, 4)};
    const SwizzledSharedEncoding inner{.vec = power(random, 0, 1),
                                       .per_phase = 1,
                                       .max_phase = power(random, 0, 2),
                                       .order = {1, 0}};
    const LinearLayout in_piece = amd_layout(inner, piece);
    Sizes shape = piece;
    shape[dim] *= partitions * groups;
    const LinearLayout layout =
        amd_layout(partitioned(partitions, groups, static_cast<int>(dim), inner), shape);
    const std::int64_t elements = piece[0] * piece[1];
    for (std::int64_t partition = 0; partition < partitions; ++partition) {
      for (std::int64_t offset = 0; offset < elements * groups; ++offset) {
        Sizes wanted = element_at(in_piece, {{"offset", offset % elements}});
        wanted[dim] += piece[dim] * (partition + partitions * (offset / elements));
        const Sizes got = element_at(layout, {{"offset", offset}, {"partition", partition}});
        if (got != wanted) return found("offset ", offset, " of partition ", partition);
      }
    }
    return kHolds;
  });
}

TEST(PartitionedShared, HasALayoutBeforeThePadding) {
  const auto padded = PaddedSharedEncoding::make({{16, 4}}, {1, 0}, {4, 16});
  const Encoding encoding = partitioned(2, 2, 0, *padded);
  EXPECT_EQ(padding_of(encoding)->paddings, padded->paddings);
  const Encoding plain = without_padding(encoding);
  EXPECT_EQ(padding_of(plain), nullptr);
  EXPECT_EQ(amd_layout(encoding, {16, 16}), amd_layout(plain, {16, 16}));
}

TEST(PartitionedShared, RefusesWhatCannotBeCut) {
  const SwizzledSharedEncoding rows{.order = {1, 0}};
  EXPECT_EQ(code_of_amd(PartitionedSharedEncoding{}, {16, 16}), "encoding.parent");
  EXPECT_EQ(code_of_amd(partitioned(2, 2, 0, one_mfma(16, true)), {16, 16}), "encoding.parent");
  EXPECT_EQ(code_of_amd(partitioned(2, 2, 0, partitioned(2, 2, 0, rows)), {16, 16}),
            "encoding.parent");
  EXPECT_EQ(code_of_amd(partitioned(3, 2, 0, rows), {16, 16}), "encoding.sizes");
  EXPECT_EQ(code_of_amd(partitioned(2, 2, 2, rows), {16, 16}), "encoding.parameter");
  EXPECT_EQ(code_of_amd(partitioned(2, 2, -1, rows), {16, 16}), "encoding.parameter");
  EXPECT_EQ(code_of_amd(partitioned(8, 4, 0, rows), {16, 16}), "encoding.shape");
  EXPECT_EQ(code_of_amd(partitioned(2, 2, 0, rows), {16, 16, 16}), "encoding.rank");
  SwizzledSharedEncoding divided = rows;
  divided.ctas.block_bases = {{1, 0}};
  EXPECT_EQ(code_of_amd(partitioned(2, 2, 0, divided), {16, 16}), "encoding.unsupported");
  EXPECT_EQ(code_of_amd(partitioned(2, 2, 1, divided), {16, 16}), "none");
}

// Refusals of the matrix instructions.

TEST(AmdMfma, RefusesWhatIsNoInstruction) {
  const auto refused = [](auto change) {
    AmdMfmaEncoding mfma = one_mfma(32, false);
    change(mfma);
    return code_of_amd(mfma, {64, 64});
  };
  EXPECT_EQ(refused([](auto& mfma) { mfma.version = 5; }), "encoding.parameter");
  EXPECT_EQ(refused([](auto& mfma) { mfma.instr_shape = {32, 16, 8}; }), "encoding.parameter");
  EXPECT_EQ(refused([](auto& mfma) { mfma.instr_shape = {32}; }), "encoding.rank");
  EXPECT_EQ(refused([](auto& mfma) { mfma.instr_shape = {64, 4, 4}; }), "encoding.parameter");
  EXPECT_EQ(refused([](auto& mfma) { mfma.element_bit_width = 16; }), "encoding.parameter");
  EXPECT_EQ(refused([](auto& mfma) { mfma.warps_per_cta = {4}; }), "encoding.rank");
  EXPECT_EQ(refused([](auto& mfma) { mfma.warps_per_cta = {3, 1}; }), "encoding.sizes");
  EXPECT_EQ(refused([](auto& mfma) { mfma.tiles_per_warp = {2}; }), "encoding.rank");
  EXPECT_EQ(code_of_amd(dot_operand_of(one_mfma(32, false), 0), {32, 8}), "encoding.parameter");
  EXPECT_EQ(code_of_amd(dot_operand_of(one_mfma(32, false), 2, 4), {32, 8}), "encoding.parameter");
}

TEST(AmdWmma, RefusesWhatIsNoInstruction) {
  EXPECT_EQ(code_of_amd(one_wmma(4, false), {16, 16}), "encoding.parameter");
  EXPECT_EQ(code_of_amd(one_wmma(1, false, {16, 16, 32}), {16, 16}), "encoding.parameter");
  EXPECT_EQ(code_of_amd(one_wmma(3, false, {16, 16}), {16, 16}), "encoding.parameter");
  EXPECT_EQ(code_of_amd(AmdWmmaEncoding{}, {16, 16}), "encoding.linear");
  EXPECT_EQ(code_of_amd(dot_operand_of(one_wmma(1, false), 0), {16, 16}), "encoding.parameter");
}

TEST(AmdWmma, RefusesATensorThatEndsWithinTilesThatOverlap) {
  // Warps 0 and 1 differ in a column, and in whose row of tiles is first.
  const auto tiles = LinearLayout::make({{"register", {{2, 0}}}, {"warp", {{2, 1}, {1, 0}}}},
                                        standard_out_dim_names(2));
  AmdWmmaEncoding wmma = one_wmma(3, true, {16, 16, 32});
  wmma.cta_layout = *tiles;
  const LinearLayout whole = amd_layout(wmma, {64, 32});
  EXPECT_EQ(element_at(whole, {{"warp", 1}}), (Sizes{32, 16}));
  EXPECT_TRUE(whole.is_invertible());
  EXPECT_EQ(code_of_amd(wmma, {32, 32}), "encoding.shape");
  EXPECT_EQ(code_of_amd(wmma, {64, 16}), "none");
}

}  // namespace
}  // namespace heddle::linear
