// Coalescing, conversions and matrix instructions.

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "analyze/random_layouts.h"
#include "heddle/analyze/coalescing.h"
#include "heddle/analyze/conversion.h"
#include "heddle/analyze/matrix_access.h"
#include "support/law.h"
#include "support/text.h"

namespace heddle::analyze {
namespace {

using linear::LinearLayout;
using test::Finding;
using test::kHolds;
using test::Operands;
using test::Random;

// ---- Coalescing ----

CoalescingReport traffic(std::string_view addresses, int bits, std::int64_t alignment = 128) {
  const Access access = make_access(cute::index_map(test::layout(addresses)), bits).value();
  return coalescing(access, kMaxAccessBits, alignment).value();
}

TEST(Coalescing, CountsSectorsAndLines) {
  EXPECT_EQ(traffic("(32,1):(1,0)", 32).total, (RequestTraffic{128, 4, 4, 1}));
  EXPECT_EQ(traffic("(32,1):(8,0)", 32).total, (RequestTraffic{128, 32, 4, 8}));
  EXPECT_EQ(traffic("(32,1):(0,0)", 32).total, (RequestTraffic{4, 1, 1, 1}));
  EXPECT_EQ(traffic("(32,4):(4,1)", 32).total, (RequestTraffic{512, 16, 16, 4}));
  EXPECT_EQ(traffic("(32,4):(4,1)", 32).vector_bits, 128);
}

TEST(Coalescing, VectorsAreNoWiderThanTheAlignment) {
  EXPECT_EQ(traffic("(32,4):(4,1)", 32, 8).vector_bits, 64);
  EXPECT_EQ(traffic("(32,4):(4,1)", 32, 4).vector_bits, 32);
  const Access access = make_access(cute::index_map(test::layout("(32,4):(4,1)")), 32).value();
  EXPECT_EQ(coalescing(access, 128, 12).error().code(), "analyze.alignment");
  EXPECT_EQ(coalescing(access, 128, 0).error().code(), "analyze.alignment");
}

TEST(Coalescing, CountsTheSetsOfBytesSectorsAndLines) {
  test::for_all_seeds([](Random& random) -> Finding {
    Access access{random.between(1, 64), random.between(1, 8), 8 << random.between(0, 4), {}};
    const std::int64_t step = random.between(0, 9);
    for (std::int64_t v = 0; v < access.values; ++v) {
      for (std::int64_t t = 0; t < access.threads; ++t)
        access.addresses.push_back(random.chance(90) ? t * step + v : random.between(0, 500));
    }
    const CoalescingReport report = coalescing(access).value();
    RequestTraffic wanted;
    for (const Request& request : report.requests) {
      std::set<std::int64_t> bytes;
      std::set<std::int64_t> sectors;
      std::set<std::int64_t> lines;
      for (const std::int64_t begin : request.bytes) {
        for (std::int64_t byte = begin; byte < begin + report.vector_bits / 8; ++byte) {
          bytes.insert(byte);
          sectors.insert(byte / 32);
          lines.insert(byte / 128);
        }
      }
      wanted.bytes += static_cast<std::int64_t>(bytes.size());
      wanted.sectors += static_cast<std::int64_t>(sectors.size());
      wanted.ideal += (static_cast<std::int64_t>(bytes.size()) + 31) / 32;
      wanted.lines += static_cast<std::int64_t>(lines.size());
    }
    if (report.total == wanted) return kHolds;
    return test::found(report.total.sectors, " sectors; counted ", wanted.sectors);
  });
}

// ---- Conversions ----

LinearLayout layout_of(const linear::Bases& bases, const linear::NamedSizes& outs) {
  return LinearLayout::make(bases, outs).value();
}

Conversion converted(const linear::Bases& src, const linear::Bases& dst, std::int64_t size,
                     int bits = 32) {
  const linear::NamedSizes outs = {{"dim0", size}};
  return conversion_class(layout_of(src, outs), layout_of(dst, outs), bits).value();
}

TEST(Conversion, IsNoneBetweenEqualLayouts) {
  const linear::Bases same = {{"register", {{1}}}, {"lane", {{2}, {4}}}, {"warp", {}}};
  const Conversion conversion = converted(same, same, 8);
  EXPECT_EQ(conversion.kind, ConversionClass::kNone);
  EXPECT_EQ(conversion.remaining, linear::empty());
  EXPECT_EQ(conversion.log2_leaving, 0);
}

TEST(Conversion, BroadcastsServeTheNearestCopy) {
  // Every lane of src holds both elements.
  const linear::Bases all = {{"register", {{1}}}, {"lane", {{0}}}};
  const linear::Bases split = {{"register", {}}, {"lane", {{1}}}};
  EXPECT_EQ(converted(all, split, 2).kind, ConversionClass::kRegisters);
  EXPECT_EQ(converted(split, all, 2).kind, ConversionClass::kWarp);
}

TEST(Conversion, WithinAWarpCountsShuffles) {
  const linear::Bases rows = {{"register", {{1}, {2}}}, {"lane", {{4}, {8}, {16}, {32}, {64}}}};
  const linear::Bases columns = {{"register", {{4}, {2}}}, {"lane", {{1}, {8}, {16}, {32}, {64}}}};
  const Conversion conversion = converted(rows, columns, 128);
  EXPECT_EQ(conversion.kind, ConversionClass::kWarp);
  EXPECT_EQ(conversion.log2_leaving, 1);
  EXPECT_EQ(conversion.remaining.in_dim_names(), (linear::Names{"register", "lane"}));
  // Lane 1 wants element 1 first: of 4 words each lane keeps 2, but not the same ones.
  EXPECT_EQ(conversion.shuffles, 2);
  EXPECT_EQ(converted(rows, columns, 128, 16).shuffles, 1);
  ASSERT_TRUE(conversion.buffer);
}

TEST(Conversion, BetweenWarpsGoesThroughSharedMemory) {
  const linear::Bases src = {
      {"register", {{1}}}, {"lane", {{2}, {4}, {8}, {16}, {32}}}, {"warp", {{64}}}};
  const linear::Bases dst = {
      {"register", {{64}}}, {"lane", {{2}, {4}, {8}, {16}, {32}}}, {"warp", {{1}}}};
  const Conversion conversion = converted(src, dst, 128);
  EXPECT_EQ(conversion.kind, ConversionClass::kSharedMemory);
  EXPECT_EQ(conversion.remaining.in_dim_names(), (linear::Names{"register", "warp"}));
  ASSERT_TRUE(conversion.buffer);
  EXPECT_EQ(conversion.buffer->bytes, 512);
}

TEST(Conversion, BetweenCtasIsSaidSo) {
  const linear::Bases src = {{"register", {{1}}}, {"lane", {{2}}}, {"warp", {}}, {"block", {{4}}}};
  const linear::Bases dst = {{"register", {{4}}}, {"lane", {{2}}}, {"warp", {}}, {"block", {{1}}}};
  EXPECT_EQ(converted(src, dst, 8).kind, ConversionClass::kAcrossCtas);
  EXPECT_FALSE(converted(src, dst, 8).buffer);
}

/// By trying every place of src for every place of dst.
ConversionClass nearest_by_hand(const LinearLayout& src, const LinearLayout& dst) {
  const int registers = src.find_in("register")->bits;
  const int lanes = src.find_in("lane")->bits;
  const int dst_registers = dst.find_in("register")->bits;
  // The element that src holds, and the least common levels at which it does.
  std::map<std::uint64_t, std::vector<std::uint64_t>> holders;
  for (std::uint64_t place = 0; place < std::uint64_t{1} << src.total_in_dim_size_log2(); ++place)
    holders[src.matrix()(place)].push_back(place);
  ConversionClass farthest = ConversionClass::kNone;
  for (std::uint64_t place = 0; place < std::uint64_t{1} << dst.total_in_dim_size_log2(); ++place) {
    const std::uint64_t thread = place >> dst_registers;
    const std::uint64_t reg = place & ((std::uint64_t{1} << dst_registers) - 1);
    ConversionClass nearest = ConversionClass::kAcrossCtas;
    for (const std::uint64_t holder : holders[dst.matrix()(place)]) {
      const std::uint64_t other = holder >> registers;
      ConversionClass here = ConversionClass::kSharedMemory;
      if (other >> lanes == thread >> lanes) here = ConversionClass::kWarp;
      if (other == thread) here = ConversionClass::kRegisters;
      if (other == thread && (holder & ((std::uint64_t{1} << registers) - 1)) == reg)
        here = ConversionClass::kNone;
      nearest = std::min(nearest, here);
    }
    farthest = std::max(farthest, nearest);
  }
  return farthest;
}

TEST(Conversion, IsTheNearestPlaceOfTheFarthestElement) {
  std::map<ConversionClass, int> met;
  test::for_all_seeds([&](Random& random) -> Finding {
    const int size = static_cast<int>(random.between(2, 7));
    const int lane_bits = static_cast<int>(random.between(1, 3));
    const auto src = test::random_registers(random, size, random.chance(30), lane_bits);
    auto dst = test::random_registers(random, size, random.chance(30), lane_bits);
    if (random.chance(40)) {
      // Near to src: some bases exchanged.
      linear::Bases bases = src.bases();
      random.shuffle(bases[0].vectors);
      if (random.chance(50) && !bases[0].vectors.empty())
        std::swap(bases[0].vectors[0], bases[1].vectors[0]);
      dst = LinearLayout::make(bases, src.out_dim_sizes()).value();
    }
    const Conversion conversion = conversion_class(src, dst, 32).value();
    ++met[conversion.kind];
    // The places hold what dst wants.
    for (std::uint64_t place = 0; place < std::uint64_t{1} << dst.total_in_dim_size_log2();
         ++place) {
      const std::uint64_t from_place = conversion.places.matrix()(place);
      if (src.matrix()(from_place) != dst.matrix()(place))
        return test::found("place ", place, " of dst is not at ", from_place, " of src");
    }
    const ConversionClass wanted = nearest_by_hand(src, dst);
    if (conversion.kind == wanted) return kHolds;
    return test::found(name_of(conversion.kind), ", by hand ", name_of(wanted), "\nsrc\n", src,
                       "\ndst\n", dst);
  });
  EXPECT_GT(met[ConversionClass::kRegisters], 20);
  EXPECT_GT(met[ConversionClass::kWarp], 20);
}

// ---- ldmatrix, stmatrix ----

/// The accumulator of an m16n8 MMA, and 16-bit elements in rows of 64.
LinearLayout fragment() {
  return layout_of({{"register", {{0, 1}, {8, 0}, {0, 8}, {0, 16}}},
                    {"lane", {{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}}},
                    {"warp", {}}},
                   {{"dim0", 16}, {"dim1", 32}});
}
LinearLayout rows(bool swizzled) {
  const std::int64_t x = swizzled ? 1 : 0;
  return layout_of(
      {{"offset",
        {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {0, 16}, {1, 0}, {2, 8 * x}, {4, 16 * x}, {8, 0}}}},
      {{"dim0", 16}, {"dim1", 32}});
}
LinearLayout columns() {
  return layout_of(
      {{"offset", {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {0, 1}, {0, 2}, {0, 4}, {0, 8}, {0, 16}}}},
      {{"dim0", 16}, {"dim1", 32}});
}

TEST(MatrixAccess, OfAFragmentInRowsIsPlain) {
  const auto offsets = register_offsets(fragment(), rows(false)).value();
  const MatrixAccess access = matrix_access(offsets, 16, MatrixOrder::kPlain).value();
  // 8 words a thread: two x4. Rows of 64 bytes: of 8 rows 4 meet in the same banks.
  EXPECT_EQ(access, (MatrixAccess{MatrixOrder::kPlain, 4, 2, 32, 8}));
  const auto swizzled = register_offsets(fragment(), rows(true)).value();
  EXPECT_EQ(matrix_access(swizzled, 16, MatrixOrder::kPlain).value().wavefronts, 8);
  const auto refused = matrix_access(offsets, 16, MatrixOrder::kTransposed);
  EXPECT_EQ(refused.error().code(), "analyze.no_matrix");
}

TEST(MatrixAccess, OfAFragmentInColumnsIsTransposed) {
  const auto offsets = register_offsets(fragment(), columns()).value();
  EXPECT_EQ(matrix_access(offsets, 16, MatrixOrder::kTransposed).value(),
            (MatrixAccess{MatrixOrder::kTransposed, 4, 2, 16, 8}));
  EXPECT_EQ(matrix_access(offsets, 16, MatrixOrder::kPlain).error().code(), "analyze.no_matrix");
  EXPECT_EQ(matrix_access(offsets, 32, MatrixOrder::kTransposed).error().code(),
            "analyze.no_matrix");
}

}  // namespace
}  // namespace heddle::analyze
