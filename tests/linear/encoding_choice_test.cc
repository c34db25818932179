// The encodings that Triton chooses, as its dumps show them; what they take of the hardware; and
// nvmma_shared found again in a layout.

#include "heddle/linear/encoding_choice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

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

template <class T>
std::string text(const Result<T>& encoding) {
  return encoding ? to_string(Encoding(*encoding)) : encoding.error().to_string();
}

NvidiaMmaEncoding mma() { return {.warps_per_cta = {2, 2}, .instr_shape = {16, 8}}; }

TEST(DefaultBlockedEncoding, FillsRowsWithThreadsFirst) {
  EXPECT_EQ(text(default_blocked_encoding(Sizes{1024})),
            "#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = "
            "[0]}>");
  EXPECT_EQ(text(default_blocked_encoding(Sizes{128, 64})),
            "#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [2, 2], "
            "order = [1, 0]}>");
  EXPECT_EQ(text(default_blocked_encoding(Sizes{16, 4}, {.warps = 8})),
            "#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [8, 1], "
            "order = [1, 0]}>");
}

TEST(DefaultBlockedEncoding, SplitsTheSlowestDimensionsAmongCtas) {
  EXPECT_EQ(text(default_blocked_encoding(Sizes{128, 64}, {.ctas = 2})),
            "#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [2, 2], "
            "order = [1, 0], CGALayout = [[1, 0]]}>");
  EXPECT_EQ(
      text(default_blocked_encoding(Sizes{2}, {.warps = 1, .threads_per_warp = 1, .ctas = 8})),
      "#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [1], warpsPerCTA = [1], order = "
      "[0], CGALayout = [[1], [0], [0]]}>");
}

TEST(BlockedEncoding, GivesNothingTwiceWhereThereIsEnough) {
  for_all_seeds([](Random& random) -> Finding {
    const auto rank = random.between(1, 3);
    Sizes shape;
    Sizes box;
    Order order;
    for (int dim = 0; dim < rank; ++dim) {
      const std::int64_t bits = random.between(0, 5);
      shape.push_back(std::int64_t{1} << bits);
      box.push_back(std::int64_t{1} << random.between(0, std::min<std::int64_t>(bits, 2)));
      order.push_back(dim);
    }
    random.shuffle(order);
    const Threads threads{.warps = std::int64_t{1} << random.between(0, 3),
                          .threads_per_warp = std::int64_t{1} << random.between(0, 5)};
    const auto encoding = blocked_encoding(shape, box, order, threads);
    if (!encoding) return found(encoding.error());
    if (*total_threads(*encoding, shape) != threads.warps * threads.threads_per_warp) {
      return found(to_string(Encoding(*encoding)), " has other threads");
    }
    const auto product = [](const Sizes& sizes) {
      return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
    };
    const std::int64_t per_thread = product(shape) / (threads.warps * threads.threads_per_warp);
    if (per_thread < product(box)) return kSaysNothing;
    return *total_elems_per_thread(*encoding, shape) == per_thread
               ? kHolds
               : found(to_string(Encoding(*encoding)), " holds elements twice");
  });
}

TEST(CoalescedEncoding, TakesAccessesOf128BitsWhereThreadsAllowIt) {
  EXPECT_EQ(text(coalesced_encoding(Sizes{128, 64}, {1, 0}, 16)),
            "#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], "
            "order = [1, 0]}>");
  EXPECT_EQ(text(coalesced_encoding(Sizes{256}, {0}, 32)),
            "#ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = "
            "[0]}>");
  EXPECT_EQ(text(coalesced_encoding(Sizes{64, 32}, {0, 1}, 64)),
            "#ttg.blocked<{sizePerThread = [2, 1], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], "
            "order = [0, 1]}>");
}

TEST(SwizzledSharedEncoding, IsThatOfLdmatrix) {
  const auto chosen = [](int op_idx, const Sizes& shape, const Order& order) {
    return text(swizzled_shared_encoding(dot_operand_of(mma(), op_idx, 2), shape, order, 16));
  };
  const std::string rows =
      "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>";
  EXPECT_EQ(chosen(0, {128, 64}, {1, 0}), rows);
  EXPECT_EQ(chosen(1, {64, 128}, {1, 0}), rows);
  EXPECT_EQ(chosen(0, {128, 32}, {1, 0}),
            "#ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>");
  EXPECT_EQ(chosen(1, {16, 128}, {0, 1}),
            "#ttg.swizzled_shared<{vec = 8, perPhase = 4, maxPhase = 2, order = [0, 1]}>");
  const BlockedEncoding scalar{.size_per_thread = {1, 4},
                               .threads_per_warp = {8, 4},
                               .warps_per_cta = {4, 1},
                               .order = {1, 0}};
  EXPECT_EQ(text(swizzled_shared_encoding(dot_operand_of(scalar, 0), Sizes{64, 32}, {1, 0}, 32)),
            "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>");
}

TEST(NvmmaSharedEncoding, TakesTheWidestSwizzleThatRowsFill) {
  const auto width = [](const Sizes& shape, const Order& order, std::int64_t bits) {
    return nvmma_shared_encoding(shape, order, bits)->swizzling_byte_width;
  };
  EXPECT_EQ(width({128, 64}, {1, 0}, 16), 128);
  EXPECT_EQ(width({128, 32}, {1, 0}, 16), 64);
  EXPECT_EQ(width({128, 32}, {1, 0}, 8), 32);
  EXPECT_EQ(width({128, 8}, {1, 0}, 16), 0);
  EXPECT_EQ(width({4, 64}, {1, 0}, 16), 0);
  EXPECT_EQ(width({1024}, {0}, 16), 0);
  const auto columns = nvmma_shared_encoding(Sizes{64, 32}, {0, 1}, 16);
  EXPECT_EQ(columns->swizzling_byte_width, 128);
  EXPECT_TRUE(columns->transposed);
}

TEST(RecognizeNvmmaShared, FindsEachAgain) {
  for_all_seeds([](Random& random) -> Finding {
    const bool padded = random.chance(25);
    const std::int64_t width = std::int64_t{32} << random.between(0, 2);
    const std::int64_t bits = padded ? 8 : std::int64_t{8} << random.between(0, 2);
    const NvmmaSharedEncoding encoding{.swizzling_byte_width = width,
                                       .transposed = random.chance(50),
                                       .element_bit_width = bits,
                                       .fp4_padded = padded};
    Sizes shape{std::int64_t{8} << random.between(0, 5), width * 8 / bits << random.between(0, 2)};
    if (encoding.transposed) std::swap(shape[0], shape[1]);
    const auto again = recognize_nvmma_shared(*to_linear_layout(encoding, shape), bits);
    if (!again) return found(again.error());
    return *again == encoding ? kHolds : found(to_string(*again), " for ", to_string(encoding));
  });
}

/// The unswizzled matrices of 8 rows of 16 bytes; packed 4-bit elements, two in a byte.
TEST(RecognizeNvmmaShared, FindsMatricesWithoutASwizzle) {
  const auto layout = [](const std::vector<std::vector<std::int64_t>>& offsets) {
    return *LinearLayout::make({{"offset", offsets}, {"block", {}}}, Names{"dim0", "dim1"});
  };
  const auto halves = recognize_nvmma_shared(
      layout({{0, 1}, {0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}, {8, 0}, {0, 8}}), 16);
  ASSERT_TRUE(halves) << halves.error();
  EXPECT_EQ(halves->swizzling_byte_width, 0);
  EXPECT_FALSE(halves->transposed);
  const auto columns = recognize_nvmma_shared(
      layout({{1, 0}, {2, 0}, {4, 0}, {0, 1}, {0, 2}, {0, 4}, {0, 8}, {8, 0}}), 16);
  ASSERT_TRUE(columns) << columns.error();
  EXPECT_TRUE(columns->transposed);
  const auto pairs = recognize_nvmma_shared(
      layout({{0, 1}, {0, 2}, {0, 4}, {0, 8}, {0, 16}, {1, 0}, {2, 0}, {4, 0}}), 4);
  ASSERT_TRUE(pairs) << pairs.error();
  EXPECT_EQ(pairs->swizzling_byte_width, 0);
}

TEST(Counts, TellRepeatedRegistersFromOthers) {
  const NvidiaMmaEncoding mma{.warps_per_cta = {4, 1}, .instr_shape = {16, 8}};
  EXPECT_EQ(*total_elems_per_thread(mma, Sizes{128, 1}), 8);
  EXPECT_EQ(*unique_elems_per_thread(mma, Sizes{128, 1}), 4);
  EXPECT_EQ(*total_threads(mma, Sizes{128, 1}), 128);
  const BlockedEncoding blocked{.size_per_thread = {1, 8},
                                .threads_per_warp = {8, 4},
                                .warps_per_cta = {4, 1},
                                .order = {1, 0}};
  EXPECT_EQ(*total_elems_per_thread(blocked, Sizes{64, 4}), 8);
}

TEST(SharedMemoryImage, NumbersElementsAlongRows) {
  const SwizzledSharedEncoding xors{.vec = 2, .max_phase = 4, .order = {1, 0}};
  EXPECT_EQ(*shared_memory_image(*to_linear_layout(xors, Sizes{4, 8})),
            (Sizes{0,  1,  2,  3,  4,  5,  6,  7,  10, 11, 8,  9,  14, 15, 12, 13,
                   20, 21, 22, 23, 16, 17, 18, 19, 30, 31, 28, 29, 26, 27, 24, 25}));
  const SwizzledSharedEncoding columns{.order = {0, 1}};
  EXPECT_EQ(*shared_memory_image(*to_linear_layout(columns, Sizes{2, 2})), (Sizes{0, 2, 1, 3}));
}

}  // namespace
}  // namespace heddle::linear
