#include "heddle/axe/hardware.h"

#include <gtest/gtest.h>

#include <map>

#include "heddle/axe/threads.h"
#include "heddle/linear/encoding.h"
#include "support/random_axe.h"
#include "support/refusal.h"

// Layouts that hardware prescribes, against the numbers of its manuals, written out, and against
// the encodings of linear layouts for the same hardware.

namespace heddle::axe {
namespace {

using test::Finding;
using test::for_all_seeds;
using test::found;
using test::kHolds;
using test::Random;
using test::text_or_code;

using Shape = std::vector<Int>;

TEST(AxeTrainium, PartitionsAndFreeDimensions) {
  EXPECT_EQ(text_or_code(trainium("PF", Shape{128, 128})), "S[(128,128):(1@P,1@F)]");
  EXPECT_EQ(text_or_code(trainium("FPF", Shape{32, 512, 512})),
            "S[(32,4,128,512):(512@F,16384@F,1@P,1@F)]");
  EXPECT_EQ(text_or_code(trainium("PFP", Shape{4, 10, 32})), "S[(4,10,32):(32@P,1@F,1@P)]");
  EXPECT_EQ(text_or_code(trainium("PP", Shape{4, 64})), "axe.trainium");
  EXPECT_EQ(text_or_code(trainium("P", Shape{192})), "axe.trainium");
  const Int n = Int::variable("N", 2, 64);
  EXPECT_EQ(text_or_code(trainium("FP", Shape{n, n * 128})), "S[(N,N,128):(1@F,N@F,1@P)]");
}

TEST(AxeLaw, TrainiumIsRowMajorOnEachAxis) {
  for_all_seeds([](Random& random) -> Finding {
    std::string annotation;
    Shape shape;
    std::int64_t size = 1;
    for (std::int64_t n = random.between(0, 4); n > 0; --n) {
      annotation += random.chance(35) ? "P" : "F";
      shape.emplace_back(annotation.back() == 'P' && random.chance(30)
                             ? random.one_of<std::int64_t>({64, 128, 192, 256, 384})
                             : random.between(1, 6));
      size *= shape.back().value();
    }
    std::int64_t partitions = 1;
    std::int64_t free = 1;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      (annotation[i] == 'P' ? partitions : free) *= shape[i].value();
    }
    const bool is_single = std::ranges::count(annotation, 'P') == 1;
    const bool fits = partitions <= 128 || (is_single && partitions % 128 == 0);
    const Result<Layout> got = trainium(annotation, shape);
    if (got.has_value() != fits) return found(annotation, " ", text_or_code(got));
    if (!got) return kHolds;
    for (std::int64_t index = 0; index < size; index += random.between(1, 1 + size / 20)) {
      std::int64_t partition = 0;
      std::int64_t place = 0;
      std::int64_t rest = index;
      std::int64_t partition_step = 1;
      std::int64_t free_step = 1;
      for (std::size_t i = shape.size(); i-- > 0;) {
        const std::int64_t extent = shape[i].value();
        std::int64_t& step = annotation[i] == 'P' ? partition_step : free_step;
        (annotation[i] == 'P' ? partition : place) += rest % extent * step;
        step *= extent;
        rest /= extent;
      }
      const Coordinate at = places(*got, index)->front();
      const Int high = partition / 128;
      if (at[Axis("P")] != Int(partition % 128) || at[Axis("F")] != high * free + place) {
        return found(annotation, ": ", *got, " at ", index, " is ", at);
      }
    }
    return kHolds;
  });
}

TEST(AxePsum, BanksOf512Columns) {
  const auto of = [](std::vector<Iter> shard, std::int64_t offset = 0) {
    return text_or_code(to_psum(*Layout::make(std::move(shard), {}, {{Axis("F"), offset}})));
  };
  const Axis f("F");
  const Axis p("P");
  EXPECT_EQ(of({{1024, 1, f}, {8, 1, p}}), "S[(2,512,8):(1@Bank,1@F,1@P)]");
  EXPECT_EQ(of({{768, 1, f}}), "axe.psum");
  EXPECT_EQ(of({{4, 128, f}, {8, 1, p}, {128, 1, f}}), "S[(4,8,128):(128@F,1@P,1@F)]");
  EXPECT_EQ(of({{256, 1, f}}, 1280), "S[(256):(1@F)] + 2@Bank + 256@F");
  EXPECT_EQ(of({{256, 1, f}}, 1281), "axe.psum");
}

TEST(AxeMmaShared, AtomsOfEightSwizzledRows) {
  EXPECT_EQ(text_or_code(mma_shared_layout(16, 128, Shape{64, 128})),
            "SW(3,3,3) o S[(64,2,64):(64@m,4096@m,1@m)]");
  EXPECT_EQ(text_or_code(mma_shared_layout(8, 64, Shape{3, 16, 64})),
            "SW(4,2,3) o S[(3,16,64):(1024@m,64@m,1@m)]");
  EXPECT_EQ(text_or_code(mma_shared_layout(16, 0, Shape{64, 32})), "S[(64,4,8):(8@m,512@m,1@m)]");
  EXPECT_EQ(text_or_code(mma_shared_layout(16, 0, Shape{64, 12})), "S[(64,12):(12@m,1@m)]");
  EXPECT_EQ(text_or_code(mma_shared_layout(16, 128, Shape{64, 96})), "axe.mma_shared");
  EXPECT_EQ(text_or_code(mma_shared_layout(16, 128, Shape{12, 64})), "axe.mma_shared");
  EXPECT_EQ(text_or_code(mma_shared_layout(6, 128, Shape{64, 64})), "axe.mma_shared");
}

std::map<std::string, std::int64_t> applied(const linear::LinearLayout& layout,
                                            const linear::NamedSizes& point) {
  std::map<std::string, std::int64_t> result;
  const linear::NamedSizes image = *layout.apply(point);
  for (const auto& [name, value] : image) result[name] = value;
  return result;
}

TEST(AxeMmaShared, TheAddressesAreThoseOfNvmmaShared) {
  int compared = 0;
  for (const std::int64_t bits : {8, 16, 32}) {
    for (const std::int64_t bytes : {32, 64, 128}) {
      for (const std::int64_t rows : {8, 64, 256}) {
        for (const std::int64_t units : {1, 2, 4}) {
          const std::int64_t columns = units * 8 * bytes / bits;
          const Layout layout = *mma_shared_layout(bits, bytes, Shape{rows, columns});
          const linear::NvmmaSharedEncoding encoding{.swizzling_byte_width = bytes,
                                                     .element_bit_width = bits};
          const std::vector<std::int64_t> shape = {rows, columns};
          const linear::LinearLayout linear = *linear::to_linear_layout(encoding, shape);
          for (std::int64_t index = 0; index < rows * columns; index += 7) {
            const Int address = places(layout, index)->front()[Axis::memory()];
            const auto at = applied(linear, {{"offset", address.value()}, {"block", 0}});
            ASSERT_EQ(at.at("dim0"), index / columns) << layout << " at " << index;
            ASSERT_EQ(at.at("dim1"), index % columns) << layout << " at " << index;
            ++compared;
          }
        }
      }
    }
  }
  EXPECT_GT(compared, 10000);
}

/// Row and column of a register of a thread, written out from the manual's pictures of tcgen05.ld.
std::pair<std::int64_t, std::int64_t> loaded(const std::string& name, std::int64_t warp,
                                             std::int64_t lane, std::int64_t reg) {
  const std::int64_t row = 16 * warp + lane / 4;
  if (name == "32x32b") return {32 * warp + lane, reg};
  if (name == "16x64b") return {16 * warp + 8 * (lane % 2) + lane / 4, 2 * reg + lane / 2 % 2};
  if (name == "16x128b") return {row + 8 * (reg % 2), 4 * (reg / 2) + lane % 4};
  return {row + 8 * (reg / 2 % 2), 8 * (reg / 4) + 2 * (lane % 4) + reg % 2};
}

// Every register of every thread holds the elements that the manual shows, and no others.
TEST(AxeTcgen05, RegistersAsTheManualShowsThem) {
  for (const std::string name : {"32x32b", "16x64b", "16x128b", "16x256b"}) {
    for (const std::int64_t bits : {16, 32}) {
      const std::int64_t rows = name == "32x32b" ? 128 : 64;
      const std::int64_t packed = 32 / bits;
      const std::vector<std::int64_t> shape = {rows, 32 * packed};
      const Layout layout = *tcgen05_atom_layout(name, shape, bits);
      std::map<std::pair<std::int64_t, std::int64_t>, Coordinate> wanted;
      const std::int64_t registers = rows * 32 / 128;
      for (std::int64_t thread = 0; thread < 128; ++thread) {
        for (std::int64_t reg = 0; reg < registers; ++reg) {
          const auto [row, column] = loaded(name, thread / 32, thread % 32, reg);
          for (std::int64_t half = 0; half < packed; ++half) {
            Coordinate& at = wanted[{row, packed * column + half}];
            at.add(Axis::memory(), packed * reg + half);
            at.add(Axis("tx"), thread);
          }
        }
      }
      ASSERT_EQ(std::ssize(wanted), rows * shape[1]) << name;
      const Layout by_thread = *unify_threads(layout);
      for (std::int64_t index = 0; index < rows * shape[1]; ++index) {
        const Coordinate at = places(by_thread, index)->front();
        ASSERT_EQ(at, (wanted[{index / shape[1], index % shape[1]}])) << layout << " at " << index;
      }
    }
  }
}

TEST(AxeTcgen05, TilesOfOtherShapes) {
  const auto of = [](std::string_view name, std::vector<std::int64_t> shape, std::int64_t bits) {
    return text_or_code(tcgen05_atom_layout(name, shape, bits));
  };
  EXPECT_EQ(of("32x32b", {64, 32}, 32), "S[(64,2,16):(1@tid_in_wg,64@tid_in_wg,1@m)]");
  EXPECT_EQ(of("16x256b", {128, 16}, 32),
            "S[(4,2,2,8,2,4,2):(1@wid_in_wg,8@m,2@m,4@laneid,4@m,1@laneid,1@m)]");
  EXPECT_EQ(of("16x64b", {64, 12}, 32), "axe.tcgen05");
  EXPECT_EQ(of("16x256b", {64, 512}, 32), "axe.tcgen05");
  EXPECT_EQ(of("16x64b", {96, 8}, 32), "axe.tcgen05");
  EXPECT_EQ(of("16x64b", {64, 8}, 8), "axe.tcgen05");
  EXPECT_EQ(of("16x32b", {64, 8}, 32), "axe.tcgen05");
  EXPECT_EQ(of("32x32b", {64, 32}, 16), "axe.tcgen05");
  EXPECT_EQ(of("32x32b", {64}, 32), "axe.tcgen05");
}

/// The lane and the column of an element, written out from the manual's pictures.
std::pair<std::int64_t, std::int64_t> data_path(char letter, std::int64_t row, std::int64_t col,
                                                std::int64_t cols) {
  switch (letter) {
    case 'A':
    case 'D':
      return {row, col};
    case 'B':
    case 'E':
      return {col < cols / 2 ? row : row + 64, col % (cols / 2)};
    case 'C':
    case 'F':
      return {row % 16 + row / 16 * 32, col};
    default:
      return {row + col / (cols / 4) * 32, col % (cols / 4)};
  }
}

TEST(AxeDataPath, RowsAndColumnsAsTheManualShowsThem) {
  const std::map<char, std::int64_t> heights = {{'A', 128}, {'B', 64}, {'C', 64}, {'D', 128},
                                                {'E', 64},  {'F', 64}, {'G', 32}};
  for (const auto& [letter, rows] : heights) {
    for (const std::int64_t cols : {4, 24, 256}) {
      const Layout layout = *tmem_datapath_layout(letter, rows, cols);
      for (std::int64_t index = 0; index < rows * cols; ++index) {
        const Coordinate at = places(layout, index)->front();
        const auto [lane, column] = data_path(letter, index / cols, index % cols, cols);
        ASSERT_EQ(at[Axis("TLane")], Int(lane)) << layout;
        ASSERT_EQ(at[Axis("TCol")], Int(column)) << layout;
      }
    }
  }
  EXPECT_EQ(text_or_code(tmem_datapath_layout('F', 64, 32, 1)),
            "S[(4,16,32):(32@TLane,1@TLane,1@TCol)] + 16@TLane");
  EXPECT_EQ(text_or_code(tmem_datapath_layout('D', 128, 32, 1)), "axe.datapath");
  EXPECT_EQ(text_or_code(tmem_datapath_layout('D', 64, 32)), "axe.datapath");
  EXPECT_EQ(text_or_code(tmem_datapath_layout('G', 32, 6)), "axe.datapath");
  EXPECT_EQ(text_or_code(tmem_datapath_layout('H', 32, 8)), "axe.datapath");
}

TEST(AxeDataPath, TheLanesAreThoseOfTensorMemoryEncodings) {
  struct Case {
    char letter;
    std::int64_t rows;
  };
  for (const auto& [letter, rows] : {Case{'D', 128}, Case{'F', 64}}) {
    const std::int64_t cols = 64;
    const linear::TensorMemoryEncoding encoding{.block_m = rows, .block_n = cols};
    const std::vector<std::int64_t> shape = {rows, cols};
    const linear::LinearLayout linear = *linear::to_linear_layout(encoding, shape);
    const Layout layout = *tmem_datapath_layout(letter, rows, cols);
    for (std::int64_t index = 0; index < rows * cols; ++index) {
      const Coordinate at = places(layout, index)->front();
      const auto element = applied(
          linear,
          {{"row", at[Axis("TLane")].value()}, {"col", at[Axis("TCol")].value()}, {"block", 0}});
      ASSERT_EQ(element.at("dim0"), index / cols) << layout;
      ASSERT_EQ(element.at("dim1"), index % cols) << layout;
    }
  }
}

TEST(AxeWarpgroupLocal, ARowForEachThread) {
  EXPECT_EQ(text_or_code(wg_local_layout(32)), "S[(128,32):(1@tid_in_wg,1@m)]");
  EXPECT_EQ(text_or_code(wg_local_layout(8, 64)), "S[(64,8):(1@tid_in_wg,1@m)]");
  EXPECT_EQ(text_or_code(wg_local_layout(8, 129)), "axe.thread_range");
}

}  // namespace
}  // namespace heddle::axe
