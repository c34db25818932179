// Tensors: an engine and a layout. The law of the swizzled pointer: the index of a coordinate is
// what the swizzle, acting on the address in bytes, makes of it.

#include "heddle/cute/tensor.h"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>
#include <cstdint>

#include "heddle/cute/algebra.h"
#include "support/text.h"

namespace heddle::cute {
namespace {

using test::layout;

Pointer shared(std::int64_t bits, std::string address, const Swizzle& swizzle) {
  return {MemorySpace::kShared, bits, std::move(address), false, swizzle};
}

RC_GTEST_PROP(Tensor, SwizzlesAddressesInBytes, ()) {
  const int bits = *rc::gen::inRange(0, 4);
  const int base = *rc::gen::inRange(4, 6);
  const int shift = *rc::gen::inRange(bits, bits + 3);
  const Swizzle swizzle = Swizzle::make(bits, base, shift).value();
  const std::int64_t bytes = std::int64_t{1} << *rc::gen::inRange(0, 4);
  const std::int64_t address = bytes * *rc::gen::inRange(0, 4096);
  const Layout inner = layout("(8,(4,2)):(64,(1,7))");
  const Tensor tensor{shared(
                          8 * bytes,
                          "0x" +
                              [&] {
                                char text[32];
                                std::snprintf(text, sizeof text, "%llx",
                                              static_cast<unsigned long long>(address));
                                return std::string(text);
                              }(),
                          swizzle),
                      inner};
  const auto result = as_position_independent_swizzle_layout(tensor);
  RC_ASSERT(result.has_value());
  const std::int64_t origin = swizzle.is_identity() ? address : address - address % swizzle.size();
  for (std::int64_t c = 0; c < inner.size().value(); ++c) {
    const std::int64_t place = swizzle(address + bytes * inner(c).value());
    const Int index = std::visit([&](const auto& any) { return any(Int(c)); }, *result);
    RC_ASSERT(origin + bytes * index.value() == place);
  }
}

TEST(Tensor, RefusesAddressesWithinAnElement) {
  const Tensor tensor{shared(32, "0x402", Swizzle::make(3, 4, 3).value()), layout("8:1")};
  const auto result = as_position_independent_swizzle_layout(tensor);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), "tensor.address");
}

TEST(Tensor, LeavesPlainPointersAlone) {
  const Tensor tensor{shared(32, "0x402", Swizzle()), layout("8:1")};
  EXPECT_EQ(std::get<Layout>(as_position_independent_swizzle_layout(tensor).value()),
            layout("8:1"));
  EXPECT_EQ(to_string(tensor), "smem_ptr[32b](0x402) o 8:1");
}

TEST(Tensor, CountsFromItsOrigin) {
  const Tensor tensor{Counter{IntTuple{3, 5}}, layout("(4,8):(1@0,1@1)")};
  EXPECT_EQ(evaluate(tensor, to_coordinate(IntTuple{1, 2})).value(), (IntTuple{4, 7}));
  const Tensor other{Counter{IntTuple{3, 5, 7}}, layout("(4,8):(1@0,1@1)")};
  EXPECT_EQ(evaluate(other, to_coordinate(IntTuple{1, 2})).error().code(), "tuple.incongruent");
}

}  // namespace
}  // namespace heddle::cute
