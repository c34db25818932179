// Encodings against the formulas of the PTX ISA and of Triton's documents, written with division
// and remainder, at every hardware place; and as text.

#include "heddle/linear/encoding.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <set>

#include "heddle/linear/encoding_counts.h"
#include "support/law.h"

namespace heddle::linear {
namespace {

using test::Finding;
using test::for_all_seeds;
using test::found;
using test::kHolds;
using test::kSaysNothing;
using test::Random;

using Point = std::vector<std::int64_t>;

/// A layout as a table of its bases, evaluated bit by bit.
class Map {
 public:
  explicit Map(const LinearLayout& layout)
      : bases_(layout.bases()), rank_(layout.out_dims().size()) {}

  [[nodiscard]] std::int64_t size(std::size_t in) const {
    return std::int64_t{1} << bases_[in].vectors.size();
  }
  [[nodiscard]] Point operator()(const Point& place) const {
    Point point(rank_);
    for (std::size_t in = 0; in < bases_.size(); ++in) {
      for (std::size_t bit = 0; bit < bases_[in].vectors.size(); ++bit) {
        if ((place[in] >> bit & 1) == 0) continue;
        for (std::size_t dim = 0; dim < rank_; ++dim) point[dim] ^= bases_[in].vectors[bit][dim];
      }
    }
    return point;
  }

 private:
  Bases bases_;
  std::size_t rank_;
};

Map map_of(const Encoding& encoding, const Point& shape) {
  const auto layout = to_linear_layout(encoding, shape);
  if (!layout) throw std::runtime_error(layout.error().to_string());
  return Map(*layout);
}

std::string code_of(const Encoding& encoding, const Point& shape) {
  const auto layout = to_linear_layout(encoding, shape);
  return layout ? "none" : layout.error().code();
}

std::string text(const Point& point) {
  std::string result = "(";
  for (const std::int64_t x : point) result += std::to_string(x) + ",";
  return result + ")";
}

/// Compares the map with a formula at every register, lane, warp and block.
Finding differs_from(const Map& map,
                     const std::function<Point(std::int64_t register_, std::int64_t lane,
                                               std::int64_t warp, std::int64_t block)>& formula) {
  for (std::int64_t b = 0; b < map.size(3); ++b) {
    for (std::int64_t w = 0; w < map.size(2); ++w) {
      for (std::int64_t l = 0; l < map.size(1); ++l) {
        for (std::int64_t r = 0; r < map.size(0); ++r) {
          const Point got = map({r, l, w, b});
          const Point wanted = formula(r, l, w, b);
          if (got == wanted) continue;
          return found("register ", r, " lane ", l, " warp ", w, " block ", b, " holds ", text(got),
                       ", not ", text(wanted));
        }
      }
    }
  }
  return kHolds;
}

#define EXPECT_SAME(map, ...) EXPECT_EQ(differs_from(map, __VA_ARGS__), kHolds)

/// The digits of a number in these radices, the dimension order[0] fastest; what is left over.
Point digits(std::int64_t& number, const Point& radices, const Order& order) {
  Point result(radices.size());
  for (const int entry : order) {
    const auto dim = static_cast<std::size_t>(entry);
    result[dim] = number % radices[dim];
    number /= radices[dim];
  }
  return result;
}

Point powers(Random& random, std::size_t rank, std::int64_t most) {
  Point result;
  for (std::size_t dim = 0; dim < rank; ++dim) {
    result.push_back(std::int64_t{1} << random.between(0, most));
  }
  return result;
}

Order random_order(Random& random, std::size_t rank) {
  Order order;
  for (std::size_t dim = 0; dim < rank; ++dim) order.push_back(static_cast<int>(dim));
  random.shuffle(order);
  return order;
}

struct BlockedCase {
  BlockedEncoding encoding;
  Point shape;
  Point ctas;
  Point split;
  Order cta_order;
};

BlockedCase random_blocked(Random& random) {
  const auto rank = static_cast<std::size_t>(random.between(1, 4));
  const std::int64_t most = rank <= 2 ? 3 : 1;
  BlockedCase c;
  c.encoding = {.size_per_thread = powers(random, rank, most),
                .threads_per_warp = powers(random, rank, most),
                .warps_per_cta = powers(random, rank, rank <= 2 ? 2 : 1),
                .order = random_order(random, rank)};
  c.shape = powers(random, rank, rank <= 2 ? 7 : 4);
  c.ctas = powers(random, rank, random.chance(30) ? 1 : 0);
  c.cta_order = random_order(random, rank);
  for (const std::int64_t ctas : c.ctas) c.split.push_back(random.chance(70) ? ctas : 1);
  c.encoding.ctas = *CtaLayout::make(c.ctas, c.split, c.cta_order);
  return c;
}

/// Where a blocked encoding has an element: boxes of threads of warps of CTAs, wrapped into further
/// registers where the tensor is larger, and modulo its size where it is smaller.
Point blocked_element(const BlockedCase& c, std::int64_t reg, std::int64_t lane, std::int64_t warp,
                      std::int64_t block) {
  const std::size_t rank = c.shape.size();
  const Point part = digits(block, c.ctas, c.cta_order);
  // A thread has no registers for elements of its box that the tensor does not have.
  Point box = c.encoding.size_per_thread;
  for (std::size_t d = 0; d < rank; ++d) {
    box[d] = std::min(box[d], c.shape[d] / std::min(c.shape[d], c.split[d]));
  }
  const Point in_thread = digits(reg, box, c.encoding.order);
  const Point in_warp = digits(lane, c.encoding.threads_per_warp, c.encoding.order);
  const Point in_cta = digits(warp, c.encoding.warps_per_cta, c.encoding.order);
  Point size(rank);
  Point tile(rank);
  Point repeats(rank);
  for (std::size_t d = 0; d < rank; ++d) {
    size[d] = c.shape[d] / std::min(c.shape[d], c.split[d]);
    tile[d] = c.encoding.size_per_thread[d] * c.encoding.threads_per_warp[d] *
              c.encoding.warps_per_cta[d];
    repeats[d] = std::max<std::int64_t>(size[d] / tile[d], 1);
  }
  const Point repeat = digits(reg, repeats, c.encoding.order);
  Point element(rank);
  for (std::size_t d = 0; d < rank; ++d) {
    const std::int64_t within =
        in_thread[d] + c.encoding.size_per_thread[d] *
                           (in_warp[d] + c.encoding.threads_per_warp[d] *
                                             (in_cta[d] + c.encoding.warps_per_cta[d] * repeat[d]));
    element[d] = within % size[d] + part[d] % c.split[d] % (c.shape[d] / size[d]) * size[d];
  }
  return element;
}

TEST(Blocked, HoldsWhatItsGridsOfBoxesSay) {
  for_all_seeds([](Random& random) -> Finding {
    const BlockedCase c = random_blocked(random);
    const Map map = map_of(c.encoding, c.shape);
    // Some places of the larger cases are enough.
    for (int i = 0; i < 64; ++i) {
      const Point place{random.between(0, map.size(0) - 1), random.between(0, map.size(1) - 1),
                        random.between(0, map.size(2) - 1), random.between(0, map.size(3) - 1)};
      const Point wanted = blocked_element(c, place[0], place[1], place[2], place[3]);
      if (map(place) == wanted) continue;
      return found(to_string(Encoding(c.encoding)), " of ", text(c.shape), ": ", text(place),
                   " holds ", text(map(place)), ", not ", text(wanted));
    }
    return kHolds;
  });
}

TEST(Blocked, HoldsEveryElement) {
  for_all_seeds([](Random& random) -> Finding {
    const BlockedCase c = random_blocked(random);
    const auto layout = to_linear_layout(c.encoding, c.shape);
    if (!layout) return found(layout.error());
    return layout->is_surjective() ? kHolds : found(to_string(*layout), " misses elements");
  });
}

constexpr std::size_t kNone = 99;

/// The elements that each thread holds, as sets, without one coordinate or with all.
std::vector<std::set<Point>> holdings(const Map& map, std::size_t without) {
  std::vector<std::set<Point>> all;
  for (std::int64_t b = 0; b < map.size(3); ++b) {
    for (std::int64_t w = 0; w < map.size(2); ++w) {
      for (std::int64_t l = 0; l < map.size(1); ++l) {
        std::set<Point>& set = all.emplace_back();
        for (std::int64_t r = 0; r < map.size(0); ++r) {
          Point point = map({r, l, w, b});
          if (without < point.size()) {
            point.erase(point.begin() + static_cast<std::ptrdiff_t>(without));
          }
          set.insert(std::move(point));
        }
      }
    }
  }
  return all;
}

TEST(Slice, HoldsWhatTheParentHoldsWithoutTheDimension) {
  for_all_seeds({.percent = 30}, [&](Random& random) -> Finding {
    const BlockedCase c = random_blocked(random);
    const auto dim =
        static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(c.shape.size()) - 1));
    // Larger ones take too long.
    if (to_linear_layout(c.encoding, c.shape)->matrix().columns().size() > 12) return kSaysNothing;
    if (c.shape.size() == 1) return kSaysNothing;
    Point shape = c.shape;
    shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(dim));
    const Map parent = map_of(c.encoding, c.shape);
    const Map slice = map_of(slice_of(c.encoding, static_cast<int>(dim)), shape);
    if (holdings(slice, kNone) == holdings(parent, dim)) return kHolds;
    return found("slice ", dim, " of ", to_string(Encoding(c.encoding)), " of ", text(c.shape));
  });
}

TEST(Slice, KeepsNoRegisterThatLeadsNowhere) {
  const BlockedEncoding parent{.size_per_thread = {4, 2},
                               .threads_per_warp = {8, 4},
                               .warps_per_cta = {1, 1},
                               .order = {1, 0}};
  EXPECT_EQ(to_string(*to_linear_layout(slice_of(parent, 0), Point{16})),
            " - register=1 -> (1)\n"
            "   register=2 -> (8)\n"
            " - lane=1 -> (2)\n"
            "   lane=2 -> (4)\n"
            "   lane=4 -> (0)\n"
            "   lane=8 -> (0)\n"
            "   lane=16 -> (0)\n"
            " - warp is a size 1 dimension\n"
            " - block is a size 1 dimension\n"
            "where out dims are: [dim0 (size 16)]");
  const Encoding nested = slice_of(slice_of(BlockedEncoding{.size_per_thread = {1, 1, 2},
                                                            .threads_per_warp = {2, 4, 4},
                                                            .warps_per_cta = {1, 1, 1},
                                                            .order = {2, 1, 0}},
                                            0),
                                   0);
  EXPECT_EQ(text(map_of(nested, {8})({1, 3, 0, 0})), "(7,)");
}

// The PTX ISA, mma.sync: groupID = lane / 4, threadID_in_group = lane % 4.

NvidiaMmaEncoding mma(Sizes warps, Sizes instruction = {16, 8}) {
  return {
      .version_major = 2, .warps_per_cta = std::move(warps), .instr_shape = std::move(instruction)};
}

TEST(NvidiaMma, HoldsTheAccumulatorOfM16N8) {
  EXPECT_SAME(map_of(mma({1, 1}), {16, 8}), [](auto i, auto lane, auto, auto) {
    return Point{lane / 4 + (i < 2 ? 0 : 8), lane % 4 * 2 + i % 2};
  });
}

TEST(NvidiaMma, HoldsTheAccumulatorOfM8N8OfDoubles) {
  EXPECT_SAME(map_of(mma({1, 1}, {8, 8}), {8, 8}),
              [](auto i, auto lane, auto, auto) { return Point{lane / 4, lane % 4 * 2 + i % 2}; });
}

TEST(NvidiaMma, TilesWarpsRowByRowAndRepeatsAcrossThenDown) {
  EXPECT_SAME(map_of(mma({2, 4}), {64, 64}), [](auto i, auto lane, auto warp, auto) {
    return Point{lane / 4 + i / 2 % 2 * 8 + warp / 4 * 16 + i / 8 * 32,
                 lane % 4 * 2 + i % 2 + warp % 4 * 8 + i / 4 % 2 * 32};
  });
}

TEST(NvidiaMma, PutsABatchOutermost) {
  EXPECT_SAME(map_of(mma({2, 2, 1}, {1, 16, 8}), {4, 32, 8}),
              [](auto i, auto lane, auto warp, auto) {
                return Point{warp / 2 + i / 4 * 2, lane / 4 + i / 2 % 2 * 8 + warp % 2 * 16,
                             lane % 4 * 2 + i % 2};
              });
}

TEST(NvidiaMma, HoldsTheAccumulatorOfWgmma) {
  for (const std::int64_t n : {8, 16, 64, 256}) {
    const NvidiaMmaEncoding wgmma{
        .version_major = 3, .warps_per_cta = {4, 1}, .instr_shape = {16, n, 16}};
    EXPECT_SAME(map_of(wgmma, {64, n}), [](auto i, auto lane, auto warp, auto) {
      return Point{warp * 16 + lane / 4 + i / 2 % 2 * 8, i / 4 * 8 + lane % 4 * 2 + i % 2};
    });
  }
}

TEST(NvidiaMma, PutsWarpgroupsOfWgmmaColumnByColumn) {
  const NvidiaMmaEncoding wgmma{
      .version_major = 3, .warps_per_cta = {4, 2}, .instr_shape = {16, 32, 16}};
  EXPECT_SAME(map_of(wgmma, {128, 64}), [](auto i, auto lane, auto warp, auto) {
    return Point{warp % 4 * 16 + lane / 4 + i / 2 % 2 * 8 + i / 16 * 64,
                 warp / 4 * 32 + i / 4 % 4 * 8 + lane % 4 * 2 + i % 2};
  });
}

TEST(DotOperand, HoldsAOfM16N8K16) {
  EXPECT_SAME(map_of(dot_operand_of(mma({1, 1}), 0, 2), {16, 16}),
              [](auto i, auto lane, auto, auto) {
                const bool upper = i < 2 || (i >= 4 && i < 6);
                return Point{lane / 4 + (upper ? 0 : 8), lane % 4 * 2 + i % 2 + (i < 4 ? 0 : 8)};
              });
}

TEST(DotOperand, HoldsBOfM16N8K16) {
  EXPECT_SAME(map_of(dot_operand_of(mma({1, 1}), 1, 2), {16, 8}),
              [](auto i, auto lane, auto, auto) {
                return Point{lane % 4 * 2 + i % 2 + (i < 2 ? 0 : 8), lane / 4};
              });
}

TEST(DotOperand, HoldsAAndBOfM16N8K8OfTf32) {
  EXPECT_SAME(map_of(dot_operand_of(mma({1, 1}), 0, 1), {16, 8}),
              [](auto i, auto lane, auto, auto) {
                return Point{lane / 4 + (i % 2 == 0 ? 0 : 8), lane % 4 + (i < 2 ? 0 : 4)};
              });
  EXPECT_SAME(map_of(dot_operand_of(mma({1, 1}), 1, 1), {8, 8}),
              [](auto i, auto lane, auto, auto) { return Point{lane % 4 + i * 4, lane / 4}; });
}

TEST(DotOperand, HoldsAAndBOfM16N8K32OfBytes) {
  EXPECT_SAME(map_of(dot_operand_of(mma({1, 1}), 0, 4), {16, 32}),
              [](auto i, auto lane, auto, auto) {
                const bool upper = i < 4 || (i >= 8 && i < 12);
                return Point{lane / 4 + (upper ? 0 : 8), lane % 4 * 4 + i % 4 + (i < 8 ? 0 : 16)};
              });
  EXPECT_SAME(map_of(dot_operand_of(mma({1, 1}), 1, 4), {32, 8}),
              [](auto i, auto lane, auto, auto) {
                return Point{lane % 4 * 4 + i % 4 + (i < 4 ? 0 : 16), lane / 4};
              });
}

TEST(DotOperand, HoldsAAndBOfM8N8K4OfDoubles) {
  EXPECT_SAME(map_of(dot_operand_of(mma({1, 1}, {8, 8}), 0, 1), {8, 4}),
              [](auto, auto lane, auto, auto) { return Point{lane / 4, lane % 4}; });
  EXPECT_SAME(map_of(dot_operand_of(mma({1, 1}, {8, 8}), 1, 1), {4, 8}),
              [](auto, auto lane, auto, auto) { return Point{lane % 4, lane / 4}; });
}

TEST(DotOperand, GivesWarpsAlongKTheSame) {
  EXPECT_SAME(map_of(dot_operand_of(mma({2, 2}), 0, 2), {64, 32}),
              [](auto i, auto lane, auto warp, auto) {
                return Point{lane / 4 + i / 2 % 2 * 8 + warp / 2 * 16 + i / 16 * 32,
                             lane % 4 * 2 + i % 2 + i / 4 % 2 * 8 + i / 8 % 2 * 16};
              });
  EXPECT_SAME(map_of(dot_operand_of(mma({2, 2}), 1, 2), {32, 32}),
              [](auto i, auto lane, auto warp, auto) {
                return Point{lane % 4 * 2 + i % 2 + i / 2 % 2 * 8 + i / 4 % 2 * 16,
                             lane / 4 + warp % 2 * 8 + i / 8 * 16};
              });
}

TEST(DotOperand, HoldsAOfWgmma) {
  const NvidiaMmaEncoding wgmma{
      .version_major = 3, .warps_per_cta = {4, 1}, .instr_shape = {16, 64, 16}};
  EXPECT_SAME(
      map_of(dot_operand_of(wgmma, 0, 2), {64, 16}), [](auto i, auto lane, auto warp, auto) {
        return Point{warp * 16 + lane / 4 + i / 2 % 2 * 8, lane % 4 * 2 + i % 2 + i / 4 * 8};
      });
}

/// ldmatrix: of each matrix of 8 rows of 16 bytes, lane T receives the T%4-th 4 bytes of row T/4.
TEST(DotOperand, IsWhatLdmatrixLoads) {
  for (const std::int64_t bits : {8, 16, 32}) {
    const std::int64_t in_word = 32 / bits;
    for (const int op_idx : {0, 1}) {
      const Point shape = op_idx == 0 ? Point{32, 16 * in_word} : Point{16 * in_word, 32};
      const auto k_dim = static_cast<std::size_t>(1 - op_idx);
      const Map map = map_of(dot_operand_of(mma({1, 1}), op_idx, in_word), shape);
      for (std::int64_t r = 0; r < map.size(0); ++r) {
        const Point corner = map({r / in_word * in_word, 0, 0, 0});
        for (std::int64_t lane = 0; lane < 32; ++lane) {
          Point wanted = corner;
          wanted[k_dim] += lane % 4 * in_word + r % in_word;
          wanted[1 - k_dim] += lane / 4;
          EXPECT_EQ(map({r, lane, 0, 0}), wanted);
        }
      }
    }
  }
}

TEST(DotOperand, OfScalarUnitsHasAllOfK) {
  const BlockedEncoding result{.size_per_thread = {2, 4},
                               .threads_per_warp = {8, 4},
                               .warps_per_cta = {2, 1},
                               .order = {1, 0}};
  EXPECT_SAME(map_of(dot_operand_of(result, 0), {32, 8}), [](auto i, auto lane, auto warp, auto) {
    return Point{i / 8 + lane / 4 * 2 + warp * 16, i % 8};
  });
  EXPECT_SAME(map_of(dot_operand_of(result, 1), {8, 32}), [](auto i, auto lane, auto, auto) {
    return Point{i / 4 % 8, i % 4 + lane % 4 * 4 + i / 32 * 16};
  });
}

TEST(DotOperand, RepeatsTheCtasAlongK) {
  NvidiaMmaEncoding result = mma({1, 1});
  result.ctas = *CtaLayout::make({2, 2}, {2, 2}, {1, 0});
  const Map a = map_of(dot_operand_of(result, 0, 2), {32, 16});
  EXPECT_EQ(a({0, 0, 0, 1}), (Point{0, 0}));
  EXPECT_EQ(a({0, 0, 0, 2}), (Point{16, 0}));
  const Map b = map_of(dot_operand_of(result, 1, 2), {16, 16});
  EXPECT_EQ(b({0, 0, 0, 1}), (Point{0, 8}));
  EXPECT_EQ(b({0, 0, 0, 2}), (Point{0, 0}));
}

TEST(Linear, IsItselfAndGrowsByRegisters) {
  for_all_seeds([](Random& random) -> Finding {
    const BlockedCase c = random_blocked(random);
    const LinearEncoding linear{*to_linear_layout(c.encoding, c.shape)};
    if (const auto same = to_linear_layout(linear, c.shape); !same || *same != linear.layout) {
      return found("not itself: ", to_string(linear.layout));
    }
    Point larger = c.shape;
    larger[0] *= 4;
    larger.back() *= 2;
    const Map map = map_of(linear, larger);
    if (map.size(0) != Map(linear.layout).size(0) * 8) return found("grown by other registers");
    if (!to_linear_layout(linear, larger)->is_surjective()) return found("elements are missing");
    const Point place{Map(linear.layout).size(0) - 1, map.size(1) - 1, map.size(2) - 1,
                      map.size(3) - 1};
    return map(place) == Map(linear.layout)(place) ? kHolds : found("the old registers moved");
  });
}

TEST(Linear, LosesRegistersAndRepeatsLanesInASmallerTensor) {
  const BlockedEncoding blocked{.size_per_thread = {1, 4},
                                .threads_per_warp = {8, 4},
                                .warps_per_cta = {2, 1},
                                .order = {1, 0}};
  const LinearEncoding linear{*to_linear_layout(blocked, Point{16, 32})};
  const Map map = map_of(linear, {8, 8});
  EXPECT_EQ(map.size(0), 4);
  EXPECT_EQ(map({3, 3, 1, 0}), (Point{0, 7}));
}

TEST(Linear, AddsRegistersInTheOrderOfItsOwn) {
  const BlockedEncoding columns{.size_per_thread = {2, 1},
                                .threads_per_warp = {4, 8},
                                .warps_per_cta = {1, 1},
                                .order = {0, 1}};
  const LinearEncoding linear{*to_linear_layout(columns, Point{8, 8})};
  const Map map = map_of(linear, {16, 16});
  EXPECT_EQ(map({2, 0, 0, 0}), (Point{8, 0}));
  EXPECT_EQ(map({4, 0, 0, 0}), (Point{0, 8}));
}

TEST(Linear, OfWarpsThatCombineDimensionsIsGeneric) {
  const auto layout = LinearLayout::make(
      {{"register", {{0, 1}}}, {"lane", {{1, 0}}}, {"warp", {{2, 2}, {0, 2}}}, {"block", {}}},
      Names{"dim0", "dim1"});
  ASSERT_TRUE(layout) << layout.error();
  EXPECT_EQ(code_of(LinearEncoding{*layout}, {4, 4}), "encoding.linear");
  EXPECT_EQ(*to_linear_layout(LinearEncoding{*layout, true}, Point{4, 4}), *layout);
  EXPECT_EQ(map_of(LinearEncoding{*layout, true}, {4, 8})({2, 0, 1, 0}), (Point{2, 6}));
  EXPECT_EQ(code_of(LinearEncoding{*layout, true}, {2, 4}), "encoding.shape");
  EXPECT_EQ(to_string(LinearEncoding{*layout, true}),
            "#ttg.generic_linear<{register = [[0, 1]], lane = [[1, 0]], warp = [[2, 2], [0, 2]], "
            "block = []}>");
}

// Shared memory.

struct SwizzledCase {
  SwizzledSharedEncoding encoding;
  Point shape;
};

SwizzledCase random_swizzled(Random& random) {
  const auto rank = static_cast<std::size_t>(random.between(2, 3));
  return {{.vec = std::int64_t{1} << random.between(0, 3),
           .per_phase = std::int64_t{1} << random.between(0, 2),
           .max_phase = std::int64_t{1} << random.between(0, 3),
           .order = random_order(random, rank)},
          powers(random, rank, rank == 2 ? 6 : 4)};
}

TEST(SwizzledShared, XorsTheGroupsOfARowByItsPhase) {
  for_all_seeds([](Random& random) -> Finding {
    const auto [encoding, shape] = random_swizzled(random);
    const Map map = map_of(encoding, shape);
    const auto col = static_cast<std::size_t>(encoding.order[0]);
    const auto row = static_cast<std::size_t>(encoding.order[1]);
    const std::int64_t groups = std::max<std::int64_t>(shape[col] / encoding.vec, 1);
    for (std::int64_t offset = 0; offset < map.size(0); ++offset) {
      std::int64_t rest = offset;
      Point wanted = digits(rest, shape, encoding.order);
      const std::int64_t phase = wanted[row] / encoding.per_phase % encoding.max_phase;
      wanted[col] =
          (wanted[col] / encoding.vec ^ phase % groups) * encoding.vec + wanted[col] % encoding.vec;
      if (shape[col] < encoding.vec) wanted[col] = offset % shape[col];
      if (map({offset, 0}) == wanted) continue;
      return found(to_string(Encoding(encoding)), " of ", text(shape), " at ", offset, ": ",
                   text(map({offset, 0})), ", not ", text(wanted));
    }
    return kHolds;
  });
}

/// The swizzle of bytes that the hardware knows: bits 4 and up flipped by bits 7 and up, as many as
/// the width has.
std::int64_t swizzled_byte(std::int64_t address, std::int64_t width) {
  return address ^ ((address >> 7) % (width / 16) << 4);
}

struct NvmmaCase {
  NvmmaSharedEncoding encoding;
  Point shape;
};

NvmmaCase random_nvmma(Random& random) {
  const std::int64_t width = std::int64_t{32} << random.between(0, 2);
  const bool padded = random.chance(25);
  const std::int64_t bits = padded ? 8 : std::int64_t{8} << random.between(0, 2);
  const std::int64_t in_row = width * 8 / bits / (padded ? 2 : 1);
  NvmmaCase c{{.swizzling_byte_width = width,
               .transposed = random.chance(50),
               .element_bit_width = bits,
               .fp4_padded = padded},
              {std::int64_t{8} << random.between(0, 6), in_row << random.between(0, 2)}};
  if (c.encoding.transposed) std::swap(c.shape[0], c.shape[1]);
  return c;
}

TEST(NvmmaShared, SwizzlesTheBytesOfItsBoxes) {
  for_all_seeds([](Random& random) -> Finding {
    const auto [encoding, shape] = random_nvmma(random);
    const Map map = map_of(encoding, shape);
    const std::int64_t rows = encoding.transposed ? shape[1] : shape[0];
    const std::int64_t width = encoding.swizzling_byte_width;
    const std::int64_t bytes = encoding.element_bit_width / 8;
    const std::int64_t padding = encoding.fp4_padded ? 2 : 1;
    const std::int64_t in_row = width / bytes / padding;
    const std::int64_t box_rows = std::min<std::int64_t>(rows, 256);
    for (int i = 0; i < 64; ++i) {
      const std::int64_t row = random.between(0, rows - 1);
      const std::int64_t column =
          random.between(0, (encoding.transposed ? shape[0] : shape[1]) - 1);
      // Boxes follow each other along dim0 first.
      const std::int64_t row_boxes = rows / box_rows;
      const std::int64_t column_boxes = (encoding.transposed ? shape[0] : shape[1]) / in_row;
      const std::int64_t box = encoding.transposed ? column / in_row + row / box_rows * column_boxes
                                                   : row / box_rows + column / in_row * row_boxes;
      const std::int64_t place = column % in_row;
      const std::int64_t byte = encoding.fp4_padded ? place / 8 * 16 + place % 8 : place * bytes;
      const std::int64_t address = swizzled_byte(row % box_rows * width + byte, width);
      const Point got = map({(box * box_rows * width + address) / bytes, 0});
      const Point wanted = encoding.transposed ? Point{column, row} : Point{row, column};
      if (got == wanted) continue;
      return found(to_string(Encoding(encoding)), " of ", text(shape), ": ", text(wanted),
                   " is not at ", address, " of box ", box, ", there is ", text(got));
    }
    return kHolds;
  });
}

TEST(NvmmaShared, WithoutASwizzleRunsThroughItsBoxes) {
  const NvmmaSharedEncoding rows{.element_bit_width = 8};
  EXPECT_EQ(map_of(rows, {16, 512})({256 * 5 + 7, 0}), (Point{5, 7}));
  EXPECT_EQ(map_of(rows, {16, 512})({256 * 16 + 7, 0}), (Point{0, 256 + 7}));
  const NvmmaSharedEncoding columns{.transposed = true, .element_bit_width = 8};
  EXPECT_EQ(map_of(columns, {16, 32})({16 * 5 + 7, 0}), (Point{7, 5}));
  const NvmmaSharedEncoding line{.element_bit_width = 32, .rank = 1};
  EXPECT_EQ(map_of(line, {512})({300, 0}), (Point{300}));
}

TEST(NvmmaShared, RunsThroughAllDimensionsButTheLastAsRows) {
  const NvmmaSharedEncoding encoding{
      .swizzling_byte_width = 64, .element_bit_width = 16, .rank = 3};
  const Map map = map_of(encoding, {4, 8, 32});
  for (std::int64_t i = 0; i < 4 * 8 * 32; ++i) {
    const std::int64_t address = swizzled_byte(i * 2, 64) / 2;
    EXPECT_EQ(map({address, 0}), (Point{i / 32 / 8, i / 32 % 8, i % 32}));
  }
}

/// The box is taken as a matrix of its last dimension by all others, and what follows each other
/// along its rows runs through the first dimension, then the last, then the middle one.
TEST(NvmmaShared, TransposedInThreeDimensionsKeepsTheFirstContiguous) {
  const NvmmaSharedEncoding encoding{
      .swizzling_byte_width = 128, .transposed = true, .element_bit_width = 16, .rank = 3};
  const Map map = map_of(encoding, {64, 2, 16});
  for (std::int64_t offset = 0; offset < 64 * 2 * 16; ++offset) {
    const std::int64_t matrix = swizzled_byte(offset * 2, 128) / 2;
    const std::int64_t row = matrix / 64 % 16;
    const std::int64_t column = matrix % 64 + matrix / 1024 * 64;
    const std::int64_t place = row * 128 + column;
    EXPECT_EQ(map({offset, 0}), (Point{place % 64, place / 64 / 16, place / 64 % 16}));
  }
}

TEST(PaddedShared, SpreadsOffsetsAsTheDocumentShows) {
  const PaddedSharedEncoding single{.paddings = {{2, 2}}};
  const PaddedSharedEncoding twice{.paddings = {{2, 1}, {4, 2}}};
  std::vector<std::int64_t> places;
  for (const std::int64_t offset : {0, 1, 2, 3, 4})
    places.push_back(*padded_offset(single, offset));
  EXPECT_EQ(places, (Point{0, 1, 4, 5, 8}));
  places.clear();
  for (const std::int64_t offset : {0, 1, 2, 3, 4, 5, 6, 7, 8}) {
    places.push_back(*padded_offset(twice, offset));
  }
  EXPECT_EQ(places, (Point{0, 1, 3, 4, 8, 9, 11, 12, 16}));
  EXPECT_EQ(*padded_size(single, 8), 14);
  EXPECT_EQ(*padded_size(twice, 8), 13);
  EXPECT_EQ(*padded_size(twice, 0), 0);
}

TEST(PaddedShared, WritesOffsetsThatRunThroughTheTensorByOrderAndShape) {
  const auto encoding = PaddedSharedEncoding::make({{32, 8}}, {1, 0}, {16, 32});
  ASSERT_TRUE(encoding);
  EXPECT_EQ(to_string(*encoding), "#ttg.padded_shared<[32:+8] {order = [1, 0], shape = [16, 32]}>");
  const auto rows = LinearLayout::make(
      {{"offset", {{0, 1}, {0, 2}, {2, 0}, {4, 0}, {1, 0}}}, {"block", {}}}, Names{"dim0", "dim1"});
  ASSERT_TRUE(rows);
  const PaddedSharedEncoding exchanged{.paddings = {{16, 1}}, .layout = *rows};
  EXPECT_EQ(to_string(exchanged),
            "#ttg.padded_shared<[16:+1] {offset = [[0, 1], [0, 2], [2, 0], [4, 0], [1, 0]], "
            "block = []}>");
  EXPECT_EQ(*to_linear_layout(exchanged, Point{8, 4}), *rows);
}

TEST(SharedLinear, IsItselfForItsOwnShapeAlone) {
  const auto layout = to_linear_layout(
      SwizzledSharedEncoding{.vec = 2, .max_phase = 4, .order = {1, 0}}, Point{8, 16});
  const SharedLinearEncoding shared{.layout = *layout, .alignment = 128};
  EXPECT_EQ(*to_linear_layout(shared, Point{8, 16}), *layout);
  EXPECT_EQ(code_of(shared, {8, 32}), "encoding.shape");
}

// Tensor memory: the picture in Triton's document, and the table of the scale factors.

TEST(TensorMemory, PutsBlocksOf64IntoHalvesOfTheRows) {
  const Map map = map_of(TensorMemoryEncoding{.block_m = 64, .block_n = 32}, {128, 128});
  EXPECT_EQ(map({15, 31, 0}), (Point{15, 31}));
  EXPECT_EQ(map({16, 0, 0}), (Point{64, 0}));
  EXPECT_EQ(map({31, 1, 0}), (Point{79, 1}));
  EXPECT_EQ(map({32, 0, 0}), (Point{16, 0}));
  EXPECT_EQ(map({127, 127, 0}), (Point{127, 127}));
}

TEST(TensorMemory, PutsBlocksDownFirstThenAcross) {
  const Map map = map_of(TensorMemoryEncoding{.block_m = 128, .block_n = 64}, {256, 128});
  for (std::int64_t col = 0; col < 256; ++col) {
    EXPECT_EQ(map({77, col, 0}), (Point{77 + col / 64 % 2 * 128, col % 64 + col / 128 * 64}));
  }
}

TEST(TensorMemory, SplitsThePairOfCtasAlongTheColumns) {
  const TensorMemoryEncoding pair{
      .block_m = 64, .block_n = 32, .two_ctas = true, .ctas = {.block_bases = {{1, 0}}}};
  const Map map = map_of(pair, {128, 32});
  EXPECT_EQ(map.size(0), 128);
  EXPECT_EQ(map.size(1), 16);
  EXPECT_EQ(map({63, 15, 0}), (Point{63, 15}));
  EXPECT_EQ(map({64, 3, 0}), (Point{0, 19}));
  EXPECT_EQ(map({5, 3, 1}), (Point{69, 3}));
}

TEST(TensorMemory, LeavesColumnsBetweenElements) {
  const Map map = map_of(TensorMemoryEncoding{.col_stride = 2, .fp4_padded = true}, {128, 128});
  EXPECT_EQ(map.size(1), 512);
  EXPECT_EQ(map({3, 4 * 9 + 3, 0}), (Point{3, 9}));
}

TEST(TensorMemory, RepeatsScaleFactorsForEachWarp) {
  const Map map = map_of(TensorMemoryScalesEncoding{}, {128, 8});
  for (std::int64_t row = 0; row < 128; ++row) {
    for (std::int64_t col = 0; col < 32; ++col) {
      EXPECT_EQ(map({row, col, 0}),
                (Point{row % 32 + col / 4 % 2 * 32 + col / 8 % 2 * 64, col % 4 + col / 16 * 4}));
    }
  }
}

/// The scale factor at a place, in blocks of 32 rows of a warp by 4 columns. Two blocks of 32 rows
/// are adjacent; those then follow each other along m, but in pieces of 128 rows if k comes first.
Point scale_factor(const Point& shape, bool k_then_mn, std::int64_t row, std::int64_t col) {
  const std::int64_t rows = std::min<std::int64_t>(shape[0], k_then_mn ? 128 : shape[0]);
  Point radices = {4, 2, std::max<std::int64_t>(rows / 64, 1)};
  const std::int64_t pieces = std::max<std::int64_t>(shape[0] / 64 / radices[2], 1);
  const std::int64_t deep = std::max<std::int64_t>(shape[1] / 4, 1);
  radices.insert(radices.end(), {k_then_mn ? deep : pieces, k_then_mn ? pieces : deep});
  const Point digit = digits(col, radices, {0, 1, 2, 3, 4});
  const std::int64_t piece = k_then_mn ? digit[4] : digit[3];
  const std::int64_t k = digit[0] + 4 * (k_then_mn ? digit[3] : digit[4]);
  const std::int64_t m = row % 32 + 32 * (digit[1] + 2 * (digit[2] + radices[2] * piece));
  return {m % shape[0], k % shape[1]};
}

TEST(TensorMemory, OrdersPiecesOfScaleFactorsByTheirOrder) {
  for_all_seeds({.percent = 20}, [](Random& random) -> Finding {
    const Point shape{std::int64_t{1} << random.between(0, 9),
                      std::int64_t{1} << random.between(0, 5)};
    const bool k_then_mn = random.chance(50);
    const Map map = map_of(TensorMemoryScalesEncoding{.k_then_mn = k_then_mn}, shape);
    for (int i = 0; i < 64; ++i) {
      const std::int64_t row = random.between(0, 127);
      const std::int64_t col = random.between(0, map.size(1) - 1);
      const Point wanted = scale_factor(shape, k_then_mn, row, col);
      if (map({row, col, 0}) == wanted) continue;
      return found(text(shape), k_then_mn ? " kThenMn" : "", ": row ", row, " col ", col, " holds ",
                   text(map({row, col, 0})), ", not ", text(wanted));
    }
    return kHolds;
  });
}

TEST(TensorMemory, OfOneCtaOfAPairNeedsNoDivision) {
  const TensorMemoryEncoding plain{.block_m = 128, .block_n = 64};
  TensorMemoryEncoding pair = plain;
  pair.two_ctas = true;
  EXPECT_EQ(to_linear_layout(pair, Point{128, 64}), to_linear_layout(plain, Point{128, 64}));
}

TEST(TensorMemory, OfAPairWith64RowsUsesAllRows) {
  TensorMemoryEncoding accumulator{.block_m = 64, .block_n = 128};
  accumulator.cta_mode = TensorMemoryCtaMode::kAccumulator;
  const Map right = map_of(accumulator, {64, 128});
  EXPECT_EQ(right({63, 63, 0}), (Point{63, 63}));
  EXPECT_EQ(right({64 + 5, 3, 0}), (Point{5, 64 + 3}));
  TensorMemoryEncoding operand = accumulator;
  operand.cta_mode = TensorMemoryCtaMode::kLeftOperand;
  const Map left = map_of(operand, {64, 128});
  EXPECT_EQ(left({63, 127, 0}), (Point{63, 127}));
  EXPECT_EQ(left({64 + 5, 3, 0}), (Point{5, 3}));
  operand.block_m = 128;
  EXPECT_EQ(code_of(operand, {128, 128}), "encoding.parameter");
}

// Intel: the instruction's matrices row by row, with the numbers of its reference.

struct DpasCase {
  DpasEncoding encoding;
  Point shape;
};

DpasCase random_dpas(Random& random) {
  DpasCase c;
  c.encoding.ops_per_channel = std::int64_t{1} << random.between(0, 2);
  c.encoding.threads_per_warp = random.one_of<std::int64_t>({16, 32});
  const std::size_t rank = random.chance(30) ? 3 : 2;
  c.encoding.warps_per_cta = powers(random, rank, 2);
  c.encoding.rep_cluster = powers(random, rank, 2);
  c.shape = powers(random, rank, 7);
  if (rank == 3) c.encoding.rep_cluster[0] = 1;
  if (rank == 3) c.shape = {std::int64_t{1} << random.between(0, 2), c.shape[1] % 64 + 1, 16};
  if (rank == 3) c.shape[1] = std::int64_t{1} << random.between(0, 5);
  return c;
}

/// Where an element of an instruction's matrix is: a matrix of `columns` units row by row, each
/// unit `packed` neighbours along the dimension `packed_dim`.
struct Fragment {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t packed = 1;
  std::size_t packed_dim = 1;
};

Fragment fragment_of(const DpasEncoding& dpas, int op_idx) {
  const std::int64_t k = dpas.systolic_depth * dpas.ops_per_channel;
  if (op_idx == 2) return {dpas.repeat_count, dpas.execution_size, 1, 1};
  if (op_idx == 1) return {dpas.systolic_depth, dpas.execution_size, dpas.ops_per_channel, 0};
  const std::int64_t packed = dpas.ops_per_channel == 4 ? 2 : 1;
  return {dpas.repeat_count, k / packed, packed, 1};
}

/// The element that a register of a lane holds in a matrix of DPAS, with warps and clusters.
Point dpas_element(const DpasCase& c, int op_idx, std::int64_t reg, std::int64_t lane,
                   std::int64_t warp) {
  const std::size_t rank = c.shape.size();
  const Fragment part = fragment_of(c.encoding, op_idx);
  const Point in_unit = digits(reg, {part.packed}, {0});
  const std::int64_t lanes = c.encoding.threads_per_warp;
  const Point step = digits(reg, {part.rows * part.columns / lanes}, {0});
  const std::int64_t unit = step[0] * lanes + lane;
  Point element(rank);
  Point size(rank, 1);
  element[rank - 2] = unit / part.columns;
  element[rank - 1] = unit % part.columns;
  size[rank - 2] = part.rows;
  size[rank - 1] = part.columns;
  const std::size_t packed_dim = rank - 2 + part.packed_dim;
  element[packed_dim] = element[packed_dim] * part.packed + in_unit[0];
  size[packed_dim] *= part.packed;

  Point clusters = c.encoding.rep_cluster;
  if (op_idx == 0) clusters[rank - 1] = 1;
  if (op_idx == 1) clusters[rank - 2] = 1;
  Order order;
  for (std::size_t d = rank; d-- > 0;) order.push_back(static_cast<int>(d));
  const Point cluster = digits(reg, clusters, order);
  Point warps = digits(warp, c.encoding.warps_per_cta, order);
  Point count = c.encoding.warps_per_cta;
  const std::size_t k = op_idx == 0 ? rank - 1 : rank - 2;
  if (op_idx < 2) warps[k] = 0;
  if (op_idx < 2) count[k] = 1;
  Point repeats(rank);
  for (std::size_t d = 0; d < rank; ++d) {
    element[d] += size[d] * (cluster[d] + clusters[d] * warps[d]);
    size[d] *= clusters[d] * count[d];
    repeats[d] = std::max<std::int64_t>(c.shape[d] / size[d], 1);
  }
  if (op_idx == 1) std::swap(order[0], order[1]);
  const Point repeat = digits(reg, repeats, order);
  for (std::size_t d = 0; d < rank; ++d) {
    element[d] = (element[d] + size[d] * repeat[d]) % c.shape[d];
  }
  return element;
}

TEST(Dpas, HoldsMatricesRowByRow) {
  for_all_seeds([](Random& random) -> Finding {
    const DpasCase c = random_dpas(random);
    const int op_idx = static_cast<int>(random.between(0, 2));
    const std::int64_t ops = c.encoding.ops_per_channel;
    const std::int64_t k_width = op_idx == 1 ? ops : std::max<std::int64_t>(1, ops / 2);
    const Encoding encoding =
        op_idx == 2 ? Encoding(c.encoding) : Encoding(dot_operand_of(c.encoding, op_idx, k_width));
    const Map map = map_of(encoding, c.shape);
    for (int i = 0; i < 64; ++i) {
      const Point place{random.between(0, map.size(0) - 1), random.between(0, map.size(1) - 1),
                        random.between(0, map.size(2) - 1), 0};
      const Point wanted = dpas_element(c, op_idx, place[0], place[1], place[2]);
      if (map(place) == wanted) continue;
      return found(to_string(encoding), " of ", text(c.shape), ": ", text(place), " holds ",
                   text(map(place)), ", not ", text(wanted));
    }
    return kHolds;
  });
}

TEST(Dpas, RefusesSubgroupsThatDoNotFit) {
  DpasEncoding dpas{
      .repeat_count = 1, .threads_per_warp = 32, .warps_per_cta = {1, 1}, .rep_cluster = {1, 1}};
  EXPECT_EQ(code_of(dpas, {8, 16}), "encoding.parameter");
  dpas.ops_per_channel = 3;
  EXPECT_EQ(code_of(dpas, {8, 16}), "encoding.parameter");
  EXPECT_EQ(code_of(DpasEncoding{.warps_per_cta = {1}, .rep_cluster = {1}}, {8}), "encoding.rank");
  const DpasEncoding bytes{.ops_per_channel = 4, .warps_per_cta = {1, 1}, .rep_cluster = {1, 1}};
  EXPECT_EQ(code_of(dot_operand_of(bytes, 0, 2), {8, 32}), "none");
  EXPECT_EQ(code_of(dot_operand_of(bytes, 0, 4), {8, 32}), "encoding.parameter");
  EXPECT_EQ(code_of(dot_operand_of(bytes, 1, 4), {32, 16}), "none");
}

TEST(Subgroup2dBlock, HasItsMessagesSideBySide) {
  // Two messages of 32 x 8 elements: 16 lanes have two rows of 8 columns.
  const Map map = map_of(
      Subgroup2dBlockEncoding{
          .warps_per_cta = {8, 4}, .instr_shape = {32, 8}, .num_blocks = 2, .order = {1, 0}},
      {256, 32});
  EXPECT_EQ(map({0, 9, 0, 0}), (Point{1, 1}));
  EXPECT_EQ(map({1, 9, 0, 0}), (Point{3, 1}));
  EXPECT_EQ(map({16, 0, 0, 0}), (Point{0, 8}));
  EXPECT_EQ(map({32, 0, 0, 0}), (Point{0, 16}));
  EXPECT_EQ(map({0, 0, 3, 0}), (Point{0, 0}));
  EXPECT_EQ(map({0, 0, 4, 0}), (Point{32, 0}));
}

// Parts of buffers: the offsets of the whole, the coordinates of the part.

Encoding random_buffer(Random& random) {
  if (random.chance(30)) {
    return TensorMemoryEncoding{.block_m = random.chance(50) ? 64 : 128,
                                .block_n = std::int64_t{1} << random.between(3, 6)};
  }
  SwizzledSharedEncoding shared{.vec = std::int64_t{1} << random.between(0, 3),
                                .per_phase = std::int64_t{1} << random.between(0, 2),
                                .max_phase = std::int64_t{1} << random.between(0, 3),
                                .order = random_order(random, 2)};
  if (random.chance(30)) {
    const int dim = static_cast<int>(random.between(0, 1));
    shared.ctas.block_bases = {dim == 0 ? Sizes{1, 0} : Sizes{0, 1}};
  }
  return shared;
}

TEST(View, HasTheOffsetsOfTheWholeBuffer) {
  test::Tally proper;
  for_all_seeds({.percent = 20}, [&](Random& random) -> Finding {
    const Encoding encoding = random_buffer(random);
    const Point whole{128 << random.between(0, 1), 16 << random.between(0, 3)};
    const Point part{whole[0] >> random.between(0, 3), whole[1] >> random.between(0, 3)};
    const auto layout = view_layout(encoding, whole, part);
    if (!layout) return found(layout.error());
    const Map of_part(*layout);
    const Map of_whole = map_of(encoding, whole);
    const std::size_t inputs = layout->in_dims().size();
    Point cta(2, 1);
    if (const auto* shared = encoding.get_if<SwizzledSharedEncoding>();
        shared != nullptr && !shared->ctas.block_bases.empty()) {
      cta[shared->ctas.block_bases[0][0] == 1 ? 0 : 1] = 2;
    }
    if (whole != part) proper.count();
    for (int i = 0; i < 64; ++i) {
      Point place(inputs);
      for (std::size_t in = 0; in < inputs; ++in)
        place[in] = random.between(0, of_part.size(in) - 1);
      const Point element = of_whole(place);
      Point wanted(2);
      for (std::size_t d = 0; d < 2; ++d) {
        const std::int64_t own = whole[d] / cta[d];
        const std::int64_t kept = part[d] / cta[d];
        wanted[d] = element[d] % own % kept + element[d] / own * kept;
      }
      if (of_part(place) == wanted) continue;
      return found(to_string(encoding), " ", text(part), " of ", text(whole), ": ", text(place),
                   " holds ", text(of_part(place)), ", not ", text(wanted));
    }
    return layout->is_surjective() ? kHolds : found("misses elements");
  });
  proper.expect_at_least(50);
}

TEST(View, RefusesPartsThatAreNone) {
  const Encoding shared = SwizzledSharedEncoding{.order = {1, 0}};
  const auto refused = [](const Encoding& encoding, const Point& whole, const Point& part) {
    const auto layout = view_layout(encoding, whole, part);
    return layout ? std::string("none") : layout.error().code();
  };
  EXPECT_EQ(refused(shared, {32, 32}, {32, 64}), "encoding.shape");
  EXPECT_EQ(refused(shared, {32, 32}, {24, 32}), "encoding.shape");
  EXPECT_EQ(refused(shared, {32, 32}, {32}), "encoding.rank");
  EXPECT_EQ(refused(mma({1, 1}), {32, 32}, {16, 32}), "encoding.parameter");
  const Encoding two = SwizzledSharedEncoding{.order = {1, 0}, .ctas = {.block_bases = {{1, 0}}}};
  EXPECT_EQ(refused(two, {32, 32}, {1, 32}), "encoding.shape");
}

TEST(Placeholder, HasNoLayoutYet) {
  EXPECT_EQ(code_of(PlaceholderEncoding{}, {16}), "encoding.not_inferred");
  EXPECT_EQ(code_of(slice_of(PlaceholderEncoding{}, 0), {16}), "encoding.not_inferred");
  EXPECT_EQ(code_of(WarpEncoding{.order = {1, 0}}, {16, 16}), "encoding.unsupported");
}

// CTA layouts.

TEST(CtaLayout, HasTwoForms) {
  for_all_seeds([](Random& random) -> Finding {
    const auto rank = static_cast<std::size_t>(random.between(1, 4));
    CtaSplit split{powers(random, rank, 2), {}, random_order(random, rank)};
    for (const std::int64_t ctas : split.ctas_per_cga) {
      split.split_num.push_back(random.chance(70) ? ctas : std::min<std::int64_t>(ctas, 2));
    }
    const auto ctas = CtaLayout::make(split.ctas_per_cga, split.split_num, split.order);
    const auto back = cta_split(*ctas, rank);
    if (back->ctas_per_cga != split.ctas_per_cga) return found("other CTAs");
    if (back->split_num != split.split_num) return found("other parts");
    const auto again = CtaLayout::make(back->ctas_per_cga, back->split_num, back->order);
    return *again == *ctas ? kHolds : found("another layout");
  });
}

// Text.

TEST(EncodingText, IsTritons) {
  const BlockedEncoding blocked{.size_per_thread = {1, 4},
                                .threads_per_warp = {4, 8},
                                .warps_per_cta = {4, 1},
                                .order = {1, 0}};
  const std::string blocked_text =
      "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order "
      "= [1, 0]}>";
  EXPECT_EQ(to_string(blocked), blocked_text);
  BlockedEncoding clustered = blocked;
  clustered.ctas = {{{0, 1}, {0, 0}}};
  EXPECT_EQ(to_string(clustered),
            "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], "
            "order = [1, 0], CGALayout = [[0, 1], [0, 0]]}>");
  EXPECT_EQ(to_string(slice_of(blocked, 1)),
            "#ttg.slice<{dim = 1, parent = " + blocked_text + "}>");
  EXPECT_EQ(to_string(dot_operand_of(blocked, 1)),
            "#ttg.dot_op<{opIdx = 1, parent = " + blocked_text + "}>");
  EXPECT_EQ(to_string(dot_operand_of(mma({2, 2}), 0, 2)),
            "#ttg.dot_op<{opIdx = 0, parent = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, "
            "warpsPerCTA = [2, 2], instrShape = [16, 8]}>, kWidth = 2}>");
  EXPECT_EQ(to_string(LinearEncoding{*to_linear_layout(mma({1, 1}), Point{16, 8})}),
            "#ttg.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, "
            "0]], warp = [], block = []}>");
}

TEST(EncodingText, OfMemoryIsTritons) {
  EXPECT_EQ(
      to_string(SwizzledSharedEncoding{.vec = 8, .per_phase = 1, .max_phase = 4, .order = {1, 0}}),
      "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 4, order = [1, 0]}>");
  EXPECT_EQ(to_string(NvmmaSharedEncoding{.swizzling_byte_width = 128}),
            "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = "
            "16}>");
  EXPECT_EQ(to_string(NvmmaSharedEncoding{.swizzling_byte_width = 64,
                                          .transposed = true,
                                          .element_bit_width = 8,
                                          .fp4_padded = true,
                                          .rank = 3}),
            "#ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8, "
            "fp4Padded = true, rank = 3}>");
  const auto line = LinearLayout::make({{"offset", {{1}, {2}}}, {"block", {}}}, Names{"dim0"});
  EXPECT_EQ(to_string(SharedLinearEncoding{*line, 16}),
            "#ttg.shared_linear<{offset = [[1], [2]]}, alignment = 16>");
  EXPECT_EQ(to_string(TensorMemoryEncoding{.two_ctas = true, .ctas = {{{1, 0}}}}),
            "#ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1, CGALayout = "
            "[[1, 0]], twoCTAs = true>");
  EXPECT_EQ(to_string(TensorMemoryScalesEncoding{}), "#ttng.tensor_memory_scales_encoding<>");
  EXPECT_EQ(to_string(TensorMemoryScalesEncoding{.ctas = {{{0, 0}}}, .k_then_mn = true}),
            "#ttng.tensor_memory_scales_encoding<CGALayout = [[0, 0]], blockRepOrder = kThenMn>");
}

TEST(Encoding, KnowsWhatHoldsIt) {
  const Encoding sliced = slice_of(mma({1, 1}), 0);
  EXPECT_TRUE(sliced.is_distributed());
  EXPECT_EQ(sliced.kind(), "slice");
  EXPECT_EQ(sliced.rank(), 1U);
  EXPECT_EQ(sliced, Encoding(slice_of(mma({1, 1}), 0)));
  EXPECT_NE(sliced, Encoding(slice_of(mma({2, 1}), 0)));
  EXPECT_TRUE(Encoding(NvmmaSharedEncoding{}).is_shared());
  EXPECT_TRUE(Encoding(TensorMemoryEncoding{}).is_tensor_memory());
  EXPECT_FALSE(Encoding(TensorMemoryEncoding{}).is_distributed());
}

// Parameters of every kind and size: a layout of the tensor, or a refusal.

std::int64_t any_size(Random& random) {
  if (random.chance(85)) return std::int64_t{1} << random.between(0, 8);
  return random.one_of<std::int64_t>({0, -1, 3, 7, std::int64_t{1} << 40, std::int64_t{1} << 62});
}

Sizes any_sizes(Random& random) {
  Sizes sizes;
  const auto rank = random.chance(80) ? 2 : random.between(0, 4);
  for (std::int64_t i = 0; i < rank; ++i) sizes.push_back(any_size(random));
  return sizes;
}

Order any_order(Random& random) {
  return random.chance(85) ? random_order(random, 2)
                           : random.one_of<Order>({{}, {0}, {0, 0}, {-1, 0}, {2, 1}, {2, 1, 0}});
}

CtaLayout any_ctas(Random& random) {
  CtaLayout ctas;
  if (random.chance(70)) return ctas;
  for (std::int64_t i = random.between(0, 3); i > 0; --i) {
    ctas.block_bases.push_back(random.chance(80) ? Sizes{random.between(0, 2), 0}
                                                 : any_sizes(random));
  }
  return ctas;
}

Encoding any_intel_encoding(Random& random) {
  if (random.chance(50)) {
    return Subgroup2dBlockEncoding{.warps_per_cta = any_sizes(random),
                                   .instr_shape = any_sizes(random),
                                   .num_blocks = any_size(random),
                                   .order = any_order(random),
                                   .threads_per_warp = any_size(random),
                                   .ctas = any_ctas(random)};
  }
  return DpasEncoding{.repeat_count = any_size(random),
                      .systolic_depth = any_size(random),
                      .execution_size = any_size(random),
                      .ops_per_channel = random.between(0, 4),
                      .threads_per_warp = any_size(random),
                      .warps_per_cta = any_sizes(random),
                      .rep_cluster = any_sizes(random)};
}

LinearLayout any_tiles(Random& random) {
  Bases bases{{"register", {}}, {"warp", {}}};
  for (std::int64_t i = random.between(0, 4); i > 0; --i) {
    bases[random.chance(50) ? 1 : 0].vectors.push_back(
        {random.between(0, 4), random.between(0, 4)});
  }
  if (random.chance(5)) bases.pop_back();
  const auto tiles = LinearLayout::make(bases, standard_out_dim_names(2));
  return tiles ? *tiles : *AmdWmmaEncoding::make_cta_layout({2, 2}, {});
}

Encoding any_amd_encoding(Random& random) {
  if (random.chance(50)) {
    const auto size = random.one_of<std::int64_t>({16, 32});
    return AmdMfmaEncoding{.version = static_cast<int>(random.between(-1, 5)),
                           .warps_per_cta = any_sizes(random),
                           .instr_shape = random.chance(80) ? Sizes{size, size} : any_sizes(random),
                           .is_transposed = random.chance(50),
                           .tiles_per_warp = random.chance(50) ? Sizes{} : any_sizes(random),
                           .element_bit_width = random.one_of<std::int64_t>({32, 64, 16}),
                           .ctas = any_ctas(random)};
  }
  return AmdWmmaEncoding{
      .version = static_cast<int>(random.between(0, 4)),
      .is_transposed = random.chance(50),
      .cta_layout = any_tiles(random),
      .instr_shape = random.one_of<Sizes>({{16, 16, 16}, {16, 16, 32}, {32, 16, 128}, {16}}),
      .ctas = any_ctas(random)};
}

Encoding any_encoding(Random& random, int depth = 0) {
  if (random.chance(10)) return any_intel_encoding(random);
  if (random.chance(15)) return any_amd_encoding(random);
  switch (random.between(0, depth < 3 ? 9 : 5)) {
    case 0:
      return BlockedEncoding{any_sizes(random), any_sizes(random), any_sizes(random),
                             any_order(random), any_ctas(random)};
    case 1:
      return NvidiaMmaEncoding{static_cast<int>(random.between(1, 5)), 0, any_sizes(random),
                               random.chance(70) ? Sizes{16, 8} : any_sizes(random),
                               any_ctas(random)};
    case 2:
      return SwizzledSharedEncoding{any_size(random),  any_size(random), any_size(random),
                                    any_order(random), any_ctas(random), random.chance(30)};
    case 3:
      return NvmmaSharedEncoding{random.one_of<std::int64_t>({0, 32, 64, 128, 16}),
                                 random.chance(50),
                                 any_size(random),
                                 random.chance(20),
                                 static_cast<int>(random.between(-1, 4)),
                                 any_ctas(random)};
    case 4:
      return TensorMemoryEncoding{random.one_of<std::int64_t>({64, 128, 32}),
                                  any_size(random),
                                  random.between(0, 4),
                                  random.chance(30),
                                  random.chance(30),
                                  any_ctas(random)};
    case 5:
      return TensorMemoryScalesEncoding{any_ctas(random), random.chance(50)};
    case 6:
    case 7:
      return slice_of(any_encoding(random, depth + 1), static_cast<int>(random.between(-1, 3)));
    case 8:
      if (random.chance(70)) break;
      return PartitionedSharedEncoding{
          any_size(random), any_size(random), static_cast<int>(random.between(-1, 2)),
          std::make_shared<const Encoding>(any_encoding(random, depth + 1))};
    default:
      break;
  }
  return dot_operand_of(any_encoding(random, depth + 1), static_cast<int>(random.between(-1, 2)),
                        any_size(random));
}

TEST(Encoding, HasALayoutOfTheWholeTensorOrIsRefused) {
  test::Tally layouts;
  for_all_seeds([&](Random& random) -> Finding {
    const Encoding encoding = any_encoding(random);
    const Sizes shape = any_sizes(random);
    const auto layout = to_linear_layout(encoding, shape);
    if (!layout) {
      const bool named = layout.error().code().starts_with("encoding.") ||
                         layout.error().code() == "linear.too_many_bits";
      return named ? kHolds : found(layout.error());
    }
    layouts.count();
    if (layout->out_dim_sizes() != standard_out_dim_pairs(shape)) return found("another tensor");
    return layout->is_surjective() ? kHolds : found(to_string(encoding), " misses elements");
  });
  layouts.expect_at_least(5);
}

// The smallest tensor that an encoding covers.

TEST(SmallestShape, IsTheTileOfEachKind) {
  const BlockedEncoding blocked{{1, 4}, {4, 8}, {4, 1}, {1, 0}};
  const NvidiaMmaEncoding mma{2, 0, {2, 2}, {16, 8}};
  const NvidiaMmaEncoding wgmma{3, 0, {4, 1}, {16, 64, 16}};
  const SwizzledSharedEncoding shared{8, 1, 8, {1, 0}};
  const std::pair<Encoding, Sizes> wanted[] = {
      {blocked, {16, 32}},
      {slice_of(blocked, 1), {16}},
      {BlockedEncoding{{4, 1}, {1, 32}, {1, 4}, {0, 1}}, {4, 128}},
      {BlockedEncoding{{1, 4}, {4, 8}, {4, 1}, {1, 0}, {{{0, 1}}}}, {16, 64}},
      {mma, {32, 16}},
      {wgmma, {64, 64}},
      {dot_operand_of(mma, 0, 2), {32, 16}},
      {dot_operand_of(mma, 1, 2), {16, 16}},
      {dot_operand_of(wgmma, 0, 2), {64, 16}},
      {AmdMfmaEncoding{.warps_per_cta = {2, 2}, .instr_shape = {32, 32, 8}}, {64, 64}},
      {dot_operand_of(AmdMfmaEncoding{.warps_per_cta = {1, 1}, .instr_shape = {32, 32, 8}}, 0, 4),
       {32, 8}},
      {shared, {8, 64}},
      {SwizzledSharedEncoding{4, 2, 4, {0, 1}}, {16, 8}},
      {NvmmaSharedEncoding{128, false, 16}, {8, 64}},
      {NvmmaSharedEncoding{64, true, 16}, {32, 8}},
      {NvmmaSharedEncoding{0, false, 32}, {8, 4}},
      {TensorMemoryEncoding{.block_m = 128, .block_n = 64}, {128, 64}},
      {DpasEncoding{.warps_per_cta = {1, 4}, .rep_cluster = {2, 1}}, {16, 64}}};
  for (const auto& [encoding, shape] : wanted) {
    const auto smallest = smallest_shape(encoding);
    ASSERT_TRUE(smallest) << to_string(encoding) << smallest.error();
    EXPECT_EQ(*smallest, shape) << to_string(encoding);
  }
  EXPECT_EQ(smallest_shape(PlaceholderEncoding{}).error().code(), "encoding.not_inferred");
  const std::int64_t huge = std::int64_t{1} << 40;
  EXPECT_EQ(smallest_shape(BlockedEncoding{{huge}, {huge}, {1}, {0}}).error().code(), "overflow");
}

/// The bits of an input that lead nowhere.
std::size_t idle_bits(const LinearLayout& layout, std::string_view in) {
  std::size_t begin = 0;
  for (const Dimension& dim : layout.in_dims()) {
    const auto bits = static_cast<std::size_t>(dim.bits);
    if (dim.name == in) {
      const auto columns = layout.matrix().columns().subspan(begin, bits);
      return static_cast<std::size_t>(std::ranges::count(columns, std::uint64_t{0}));
    }
    begin += bits;
  }
  return 0;
}

TEST(SmallestShape, KeepsEveryLaneAndWarpAsBusyAsALargerTensor) {
  test::Tally registers;
  for_all_seeds([&](Random& random) -> Finding {
    const Encoding encoding = any_encoding(random);
    const auto smallest = smallest_shape(encoding);
    if (!smallest) {
      const std::string& code = smallest.error().code();
      const bool is_named =
          code.starts_with("encoding.") || code == "linear.too_many_bits" || code == "overflow";
      return is_named ? kHolds : found(smallest.error());
    }
    Sizes larger = *smallest;
    for (std::int64_t& size : larger) size *= 2;
    const auto layout = to_linear_layout(encoding, *smallest);
    const auto beyond = to_linear_layout(encoding, larger);
    if (!layout) return found(layout.error());
    if (!beyond || !encoding.is_distributed()) return kHolds;
    registers.count();
    for (const std::string_view in : {"lane", "warp"}) {
      if (idle_bits(*layout, in) != idle_bits(*beyond, in))
        return found(to_string(encoding), " has idle bits of ", in, " on ", text(*smallest));
    }
    return kHolds;
  });
  registers.expect_at_least(3);
}

}  // namespace
}  // namespace heddle::linear
