// Repackings against oneDNN's reorder, which knows the formats by their tags.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <oneapi/dnnl/dnnl.hpp>
#include <string_view>
#include <vector>

#include "heddle/move/relayout.h"
#include "heddle/notation/repackings.h"

namespace heddle::test {
namespace {

using Tag = dnnl::memory::format_tag;
using Type = dnnl::memory::data_type;

/// Numbers of the type, all of which are kept by a copy.
template <class Number>
std::vector<std::byte> numbered(std::int64_t count, Number first, std::int64_t period) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(count) * sizeof(Number));
  for (std::int64_t i = 0; i < count; ++i) {
    const auto number = static_cast<Number>(first + static_cast<Number>(i * 7 % period));
    std::memcpy(&bytes[static_cast<std::size_t>(i) * sizeof(Number)], &number, sizeof(Number));
  }
  return bytes;
}

std::vector<std::byte> numbers_of(Type type, std::int64_t count) {
  if (type == Type::s8) return numbered<std::int8_t>(count, 0, 121);
  // From 1 on: bfloat16 as it is stored.
  if (type == Type::bf16) return numbered<std::uint16_t>(count, 0x3F80, 509);
  return numbered<float>(count, 0, 1 << 20);
}

struct Reorder {
  std::string_view repacking;
  Bindings sizes;
  dnnl::memory::dims dims;
  Type type;
  Tag from;
  Tag to;
};

TEST(OneDnn, ReordersAsRepackingsDo) {
  const Bindings image = {{"N", 2}, {"C", 32}, {"H", 3}, {"W", 5}};
  const dnnl::memory::dims image_dims = {2, 32, 3, 5};
  const std::vector<Reorder> reorders = {
      {"nchw_to_nhwc", image, image_dims, Type::f32, Tag::nchw, Tag::nhwc},
      {"nhwc_to_nchw", image, image_dims, Type::bf16, Tag::nhwc, Tag::nchw},
      {"nchw_to_nChw8c", image, image_dims, Type::f32, Tag::nchw, Tag::nChw8c},
      {"nchw_to_nChw16c", image, image_dims, Type::s8, Tag::nchw, Tag::nChw16c},
      {"amx_b_bf16", {{"K", 96}, {"N", 64}}, {96, 64}, Type::bf16, Tag::ab, Tag::BA16a16b2a},
      {"amx_b_int8", {{"K", 128}, {"N", 48}}, {128, 48}, Type::s8, Tag::ab, Tag::BA16a16b4a},
      // One block of oneDNN's is all of the matrix.
      {"vnni2", {{"K", 32}, {"N", 16}}, {32, 16}, Type::bf16, Tag::ab, Tag::BA16a16b2a},
      {"vnni4", {{"K", 64}, {"N", 64}}, {64, 64}, Type::s8, Tag::ab, Tag::BA16a64b4a},
  };
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  for (const Reorder& reorder : reorders) {
    std::int64_t count = 1;
    for (const std::int64_t extent : reorder.dims) count *= extent;
    std::vector<std::byte> source = numbers_of(reorder.type, count);
    std::vector<std::byte> wanted(source.size());
    dnnl::memory from({reorder.dims, reorder.type, reorder.from}, engine, source.data());
    dnnl::memory to({reorder.dims, reorder.type, reorder.to}, engine, wanted.data());
    dnnl::reorder(from, to).execute(stream, from, to);
    stream.wait();
    const auto repacking = notation::find_repacking(reorder.repacking).value();
    const auto layouts = notation::layouts_of(repacking, reorder.sizes).value();
    const auto bits = static_cast<std::int64_t>(8 * source.size()) / count;
    std::vector<std::byte> got(source.size());
    const auto plan = move::make_plan(layouts.from, layouts.to, bits).value();
    ASSERT_TRUE(plan.run(source, got)) << reorder.repacking;
    EXPECT_EQ(got, wanted) << reorder.repacking;
  }
}

}  // namespace
}  // namespace heddle::test
