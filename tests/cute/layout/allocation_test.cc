// Layouts of up to 8 leaves live in place: the algebra on them allocates nothing.

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "heddle/cute/algebra.h"

namespace {

std::atomic<std::size_t> allocations{0};

}  // namespace

// A sanitizer has operators of its own, which these must not meet.
#if defined(__SANITIZE_ADDRESS__)
#define HEDDLE_COUNTS_ALLOCATIONS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HEDDLE_COUNTS_ALLOCATIONS 0
#endif
#endif
#ifndef HEDDLE_COUNTS_ALLOCATIONS
#define HEDDLE_COUNTS_ALLOCATIONS 1
#endif

#if HEDDLE_COUNTS_ALLOCATIONS
// g++ looks into them where they are inlined, and takes malloc and free for another pair.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
#endif
// The operators of the whole test program; they count and do what the usual ones do.
void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*size*/) noexcept { std::free(memory); }
#endif

namespace heddle::cute {
namespace {

/// How often `operation` allocates; it must succeed.
template <class Operation>
std::size_t allocations_of(Operation operation) {
  const std::size_t before = allocations;
  const auto result = operation();
  const std::size_t count = allocations - before;
  EXPECT_TRUE(result);
  return count;
}

TEST(Allocation, IsCounted) {
  if (HEDDLE_COUNTS_ALLOCATIONS == 0) GTEST_SKIP() << "a sanitizer allocates here";
  EXPECT_GT(allocations_of([] { return Result<std::vector<int>>(std::vector<int>(3)); }), 0U);
}

TEST(Allocation, NoneForLayoutsOfUpToEightLeaves) {
  if (HEDDLE_COUNTS_ALLOCATIONS == 0) GTEST_SKIP() << "a sanitizer allocates here";
  const Layout tile = *make_layout({{8, 16}, {64, 2}}, {{64, 512}, {1, 8192}});
  const Layout threads = *make_layout({{4, 8, 4}, {2, 2, 2}}, {{64, 1, 1024}, {32, 8, 512}});
  const Layout eight =
      *make_layout({{2, 2, 2, 2}, {2, 2, 2, 2}}, {{1, 16, 4, 64}, {2, 32, 8, 128}});
  const Layout matrix = *make_layout({4096, 4096}, {4096, 1});
  const Layout permuted = *make_layout({8, 16, 4}, {64, 1, 16});
  const Layout block = *make_layout({2, 5}, {5, 1});
  const Layout pattern = *make_layout({3, 4}, {1, 3});
  const Layout four(*make_layout({4}, {2}));
  const Tiler tiler = to_tiler({128, 64});
  const IntTuple target(4096);

  EXPECT_EQ(allocations_of([&] { return composition(tile, threads); }), 0U);
  EXPECT_EQ(allocations_of([&] { return composition(eight, eight); }), 0U);
  EXPECT_EQ(allocations_of([&] { return Result<Layout>(coalesce(eight)); }), 0U);
  EXPECT_EQ(allocations_of([&] { return complement(permuted, target); }), 0U);
  EXPECT_EQ(allocations_of([&] { return right_inverse(permuted); }), 0U);
  EXPECT_EQ(allocations_of([&] { return left_inverse(permuted); }), 0U);
  EXPECT_EQ(allocations_of([&] { return right_inverse(eight); }), 0U);
  EXPECT_EQ(allocations_of([&] { return left_inverse(eight); }), 0U);
  EXPECT_EQ(allocations_of([&] { return logical_divide(tile, four); }), 0U);
  EXPECT_EQ(allocations_of([&] { return logical_divide(matrix, tiler); }), 0U);
  EXPECT_EQ(allocations_of([&] { return zipped_divide(matrix, tiler); }), 0U);
  EXPECT_EQ(allocations_of([&] { return logical_product(block, pattern); }), 0U);
  EXPECT_EQ(allocations_of([&] { return blocked_product(block, pattern); }), 0U);
}

}  // namespace
}  // namespace heddle::cute
