// Each named repacking against loops that follow its source's definition, element by element.

#include "heddle/notation/repackings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "heddle/move/relayout.h"
#include "support/refusal.h"

namespace heddle::test {
namespace {

using Place = std::int64_t;
using Index = std::vector<std::int64_t>;

/// The place of an element of the row-major tensor of these extents, in elements.
struct Definition {
  Bindings sizes;
  Index extents;
  std::function<Place(const Index&)> place;
};

std::map<std::string, Definition> definitions() {
  std::map<std::string, Definition> all;
  const Bindings image = {{"N", 2}, {"C", 32}, {"H", 3}, {"W", 5}};
  const auto [n, c, h, w] = std::tuple(2, 32, 3, 5);
  (void)n;
  // oneDNN: the letters are the order of the dimensions, the number the innermost block.
  all["nchw_to_nhwc"] = {image, {2, 32, 3, 5}, [=](const Index& i) {
                           return ((i[0] * h + i[2]) * w + i[3]) * c + i[1];
                         }};
  all["nhwc_to_nchw"] = {image, {2, 3, 5, 32}, [=](const Index& i) {
                           return ((i[0] * c + i[3]) * h + i[1]) * w + i[2];
                         }};
  for (const std::int64_t block : {8, 16}) {
    all["nchw_to_nChw" + std::to_string(block) + "c"] = {
        image, {2, 32, 3, 5}, [=](const Index& i) {
          return (((i[0] * (c / block) + i[1] / block) * h + i[2]) * w + i[3]) * block +
                 i[1] % block;
        }};
  }
  // Intel: the words of a row of B hold so many elements of consecutive rows.
  for (const auto& [name, group] : {std::pair("vnni2", 2), std::pair("vnni4", 4)}) {
    all[name] = {{{"K", 8}, {"N", 6}}, {8, 6}, [size = group](const Index& i) {
                   return (i[0] / size * 6 + i[1]) * size + i[0] % size;
                 }};
  }
  // A tile register has 16 rows of 64 bytes: row k/pair, column n, element k%pair of the pair.
  for (const auto& [name, pair] : {std::pair("amx_b_bf16", 2), std::pair("amx_b_int8", 4)}) {
    const std::int64_t rows = 16 * pair;
    const std::int64_t k = 2 * rows;
    all[name] = {{{"K", k}, {"N", 32}}, {k, 32}, [size = pair, rows, k](const Index& i) {
                   const std::int64_t tile = i[1] / 16 * (k / rows) + i[0] / rows;
                   const std::int64_t row = i[0] % rows / size;
                   return tile * 16 * 16 * size + (row * 16 + i[1] % 16) * size + i[0] % size;
                 }};
  }
  // cuBLASLt: element (row, column) is at column % 32 + 32 * row + (column / 32) * 32 * rows.
  all["column32"] = {{{"M", 6}, {"N", 64}}, {6, 64}, [](const Index& i) {
                       return i[1] % 32 + 32 * i[0] + i[1] / 32 * 32 * 6;
                     }};
  // AutoAWQ: order_map = [0, 2, 4, 6, 1, 3, 5, 7]; nibble i of a word holds column order_map[i].
  all["awq_int4"] = {{{"K", 3}, {"N", 16}}, {3, 16}, [](const Index& i) {
                       const Index order = {0, 2, 4, 6, 1, 3, 5, 7};
                       Place nibble = 0;
                       while (order[static_cast<std::size_t>(nibble)] != i[1] % 8) ++nibble;
                       return i[0] * 16 + i[1] / 8 * 8 + nibble;
                     }};
  // Marlin: a thread loads 16 bytes, a word for each of four blocks of 16 x 16. Of a word, the
  // halves of nibbles 0 and 4, then 1 and 5, are the fragment of the first 8 columns, 2 and 6, 3
  // and 7 that of the others. PTX: thread t of m16n8k16 has rows 2 * (t % 4) + {0, 1, 8, 9} of
  // column t / 4 of B.
  all["marlin_int4"] = {{{"K", 32}, {"N", 128}}, {32, 128}, [](const Index& i) {
                          constexpr Place kNibbles[2][4] = {{0, 4, 1, 5}, {2, 6, 3, 7}};
                          constexpr Place kRows[4] = {0, 1, 8, 9};
                          for (Place lane = 0; lane < 32; ++lane) {
                            for (Place word = 0; word < 4; ++word) {
                              for (Place half = 0; half < 2; ++half) {
                                for (Place b = 0; b < 4; ++b) {
                                  const Place row = 2 * (lane % 4) + kRows[b];
                                  const Place column = 16 * word + 8 * half + lane / 4;
                                  if (row != i[0] % 16 || column != i[1] % 64) continue;
                                  const Place tile = i[0] / 16 * (128 / 64) + i[1] / 64;
                                  return 1024 * tile + 32 * lane + 8 * word + kNibbles[half][b];
                                }
                              }
                            }
                          }
                          return Place{-1};
                        }};
  // ggml: y[j] = qs[j] * d, where d takes two bytes before 32 of qs.
  all["gguf_q8_0"] = {{{"R", 3}, {"K", 64}}, {3, 64}, [](const Index& i) {
                        return (i[0] * 2 + i[1] / 32) * 34 + 2 + i[1] % 32;
                      }};
  // vLLM: value_cache[block][head][d][token].
  all["kv_value_pages16"] = {{{"T", 32}, {"H", 3}, {"D", 16}}, {32, 3, 16}, [](const Index& i) {
                               return ((i[0] / 16 * 3 + i[1]) * 16 + i[2]) * 16 + i[0] % 16;
                             }};
  // ggml: y[j] is the low half of qs[j], y[j + 16] the high half; d takes the two bytes before qs.
  all["gguf_q4_0"] = {{{"R", 2}, {"K", 64}}, {2, 64}, [](const Index& i) {
                        const std::int64_t block = i[0] * 2 + i[1] / 32;
                        const std::int64_t j = i[1] % 32;
                        const std::int64_t byte = block * 18 + 2 + j % 16;
                        return 2 * byte + (j < 16 ? 0 : 1);
                      }};
  all["bricks4"] = {{{"X", 8}, {"Y", 4}, {"Z", 8}}, {8, 4, 8}, [](const Index& i) {
                      const std::int64_t brick = (i[0] / 4 * 1 + i[1] / 4) * 2 + i[2] / 4;
                      return brick * 64 + (i[0] % 4 * 4 + i[1] % 4) * 4 + i[2] % 4;
                    }};
  // cuBLAS: offset = (outer % 32) * 16 + (outer / 32) * 4 + inner in a block of 128 x 4.
  all["mx_scales"] = {{{"M", 256}, {"K", 8}}, {256, 8}, [](const Index& i) {
                        const std::int64_t block = i[0] / 128 * 2 + i[1] / 4;
                        const std::int64_t outer = i[0] % 128;
                        return block * 512 + outer % 32 * 16 + outer / 32 * 4 + i[1] % 4;
                      }};
  // vLLM: key_cache[block][head][d / 8][token][d % 8].
  all["kv_pages16"] = {{{"T", 32}, {"H", 3}, {"D", 16}}, {32, 3, 16}, [](const Index& i) {
                         return ((((i[0] / 16 * 3 + i[1]) * 2 + i[2] / 8) * 16) + i[0] % 16) * 8 +
                                i[2] % 8;
                       }};
  return all;
}

/// Moves numbered bytes (numbered halves of bytes where elements have 4 bits) and looks for each.
void check(const notation::Repacking& repacking, const Definition& definition) {
  SCOPED_TRACE(std::string(repacking.name));
  const auto layouts = notation::layouts_of(repacking, definition.sizes);
  ASSERT_TRUE(layouts) << layouts.error();
  const std::int64_t bits = repacking.element_bits == 0 ? 32 : repacking.element_bits;
  const auto plan = move::make_plan(layouts->from, layouts->to, bits);
  ASSERT_TRUE(plan) << plan.error();
  std::int64_t count = 1;
  for (const std::int64_t extent : definition.extents) count *= extent;
  ASSERT_EQ(plan->elements(), count);
  const std::int64_t values = bits == 4 ? 16 : 251;
  const auto set = [&](std::vector<std::byte>& bytes, Place place, std::int64_t value) {
    for (std::int64_t bit = 0; bit < bits; ++bit) {
      const std::int64_t at = place * bits + bit;
      if ((value >> (bit % 8) & 1) != 0) {
        bytes[static_cast<std::size_t>(at / 8)] |= std::byte{1} << (at % 8);
      }
    }
  };
  std::vector<std::byte> source(static_cast<std::size_t>((count * bits + 7) / 8));
  std::vector<std::byte> wanted(static_cast<std::size_t>(plan->destination_bytes()));
  std::vector<std::byte> got = wanted;
  Index index(definition.extents.size(), 0);
  for (std::int64_t flat = 0; flat < count; ++flat) {
    std::int64_t rest = flat;
    for (std::size_t i = index.size(); i-- > 0;) {
      index[i] = rest % definition.extents[i];
      rest /= definition.extents[i];
    }
    const std::int64_t value = flat * 7 % values;
    set(source, flat, value);
    set(wanted, definition.place(index), value);
  }
  ASSERT_TRUE(plan->run(source, got));
  EXPECT_EQ(got, wanted);
}

TEST(Repackings, AreWhatTheirSourcesDefine) {
  const auto all = definitions();
  std::set<std::string> checked;
  for (const notation::Repacking& repacking : notation::repackings()) {
    const auto found = all.find(std::string(repacking.name));
    if (found == all.end()) continue;
    check(repacking, found->second);
    checked.emplace(repacking.name);
  }
  EXPECT_EQ(checked.size(), notation::repackings().size());
}

std::vector<std::byte> numbered(std::int64_t bytes) {
  std::vector<std::byte> data(static_cast<std::size_t>(bytes));
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::byte>(i * 7 % 251 + 1);
  return data;
}

/// Row-major elements of these extents in a larger array of zeros.
std::vector<std::byte> widened(const std::vector<std::byte>& data, const Index& extents,
                               const Index& whole, std::size_t bytes) {
  std::int64_t count = 1;
  for (const std::int64_t extent : whole) count *= extent;
  std::vector<std::byte> wide(static_cast<std::size_t>(count) * bytes);
  for (std::size_t flat = 0; flat * bytes < data.size(); ++flat) {
    std::size_t rest = flat;
    std::size_t at = 0;
    std::size_t step = 1;
    for (std::size_t i = extents.size(); i-- > 0;) {
      at += rest % static_cast<std::size_t>(extents[i]) * step;
      rest /= static_cast<std::size_t>(extents[i]);
      step *= static_cast<std::size_t>(whole[i]);
    }
    std::copy_n(&data[flat * bytes], bytes, &wide[at * bytes]);
  }
  return wide;
}

/// That a tensor of these extents is repacked as one of whole blocks that has zeros after them.
void check_filled_up(const std::string& name, const Index& extents, const Index& whole) {
  SCOPED_TRACE(name);
  const auto repacking = notation::find_repacking(name).value();
  const std::int64_t bits = repacking.element_bits == 0 ? 32 : repacking.element_bits;
  Bindings sizes;
  std::int64_t count = 1;
  const std::vector<std::string> names = notation::size_names(repacking);
  for (std::size_t i = 0; i < names.size(); ++i) {
    sizes.emplace(names[i], whole[i]);
    count *= extents[i];
  }
  const auto layouts = notation::layouts_of(repacking, sizes).value();
  const move::Plan of_whole = move::make_plan(layouts.from, layouts.to, bits).value();
  const std::vector<std::byte> source = numbered(count * bits / 8);
  std::vector<std::byte> wanted(static_cast<std::size_t>(of_whole.destination_bytes()));
  const auto wide = widened(source, extents, whole, static_cast<std::size_t>(bits / 8));
  ASSERT_TRUE(of_whole.run(wide, wanted));
  const auto moved = notation::repacked(
      repacking, {.shape = extents, .element_bits = bits, .bytes = count * bits / 8}, {});
  ASSERT_TRUE(moved) << moved.error();
  std::vector<std::byte> got(wanted.size());
  for (const auto& part : moved->parts) {
    ASSERT_TRUE(move::make_plan(part.from, part.to, bits).value().run(source, got));
  }
  EXPECT_EQ(got, wanted);
  std::int64_t elements = 1;
  for (const std::int64_t extent : moved->shape) elements *= extent;
  EXPECT_EQ(elements * bits / 8, std::ssize(wanted));
}

TEST(Repackings, FillPartialBlocksUpWithZeros) {
  check_filled_up("nchw_to_nChw16c", {2, 20, 3, 5}, {2, 32, 3, 5});
  check_filled_up("nchw_to_nChw8c", {2, 5, 3, 5}, {2, 8, 3, 5});
  check_filled_up("mx_scales", {100, 6}, {128, 8});
  check_filled_up("mx_scales", {228, 3}, {256, 4});
  check_filled_up("vnni2", {7, 6}, {8, 6});
  check_filled_up("vnni4", {6, 6}, {8, 6});
  check_filled_up("amx_b_bf16", {37, 20}, {64, 32});
  check_filled_up("amx_b_int8", {70, 5}, {128, 16});
  check_filled_up("column32", {6, 40}, {6, 64});
  check_filled_up("bricks4", {5, 6, 7}, {8, 8, 8});
  check_filled_up("kv_pages16", {20, 3, 12}, {32, 3, 16});
  check_filled_up("kv_value_pages16", {5, 3, 12}, {16, 3, 12});
}

TEST(Repackings, KnowTheShapeOfTheirResult) {
  const auto shape = [](const char* name, Index extents, std::int64_t bits, bool are_integers) {
    std::int64_t bytes = bits / 8;
    for (const std::int64_t extent : extents) bytes *= extent;
    const notation::Packed packed{.shape = std::move(extents),
                                  .element_bits = bits,
                                  .bytes = bytes,
                                  .are_integers = are_integers};
    return notation::repacked(notation::find_repacking(name).value(), packed, {}).value().shape;
  };
  EXPECT_EQ(shape("nchw_to_nhwc", {2, 5, 7, 9}, 32, false), (Index{2, 7, 9, 5}));
  EXPECT_EQ(shape("nhwc_to_nchw", {2, 7, 9, 5}, 32, false), (Index{2, 5, 7, 9}));
  // Marlin's words: of 32 x 128 weights, 2 rows of 16 * 128 / 8.
  EXPECT_EQ(shape("marlin_int4", {32, 16}, 32, true), (Index{2, 256}));
  EXPECT_EQ(shape("awq_int4", {32, 16}, 32, true), (Index{32, 16}));
  EXPECT_EQ(shape("nchw_to_nChw16c", {2, 20, 7, 9}, 16, false), (Index{2, 2, 7, 9, 16}));
}

TEST(Repackings, AreRefusedForOneElementInEachInteger) {
  const auto repacking = notation::find_repacking("awq_int4").value();
  std::vector<std::byte> data(32, std::byte{7});
  notation::Packed packed{
      .shape = Index{2, 16}, .element_bits = 8, .bytes = 32, .are_integers = true, .data = data};
  EXPECT_EQ(refusal(notation::repacked(repacking, packed, {})),
            "error repacking.unpacked: awq_int4 moves elements of 4 bits, and each of the tensor's "
            "32 integers of 8 bits is as small as one of them\n"
            "  2 in each of them would be moved\n"
            "  hint: one in each integer is packed by --bits 4 --from '32:2' --to '32:1'; "
            "--size N=32 says that 2 are");
  EXPECT_TRUE(notation::repacked(repacking, packed, {{"N", 32}}));
  EXPECT_TRUE(notation::repacked(repacking, packed, {}, 4));
  // -8 to 7 as signed bytes.
  data.assign(32, std::byte{0xF8});
  EXPECT_TRUE(notation::repacked(repacking, packed, {}));
  packed.are_signed = true;
  EXPECT_EQ(code(notation::repacked(repacking, packed, {})), "repacking.unpacked");
  data[31] = std::byte{0x8F};
  EXPECT_TRUE(notation::repacked(repacking, packed, {}));
}

TEST(Repackings, AreRefusedForOtherSizes) {
  const auto repacking = notation::find_repacking("vnni2").value();
  EXPECT_EQ(
      refusal(notation::find_repacking("vnni3")),
      "error repacking.unknown: unknown repacking vnni3\n  hint: heddle help recipes lists them");
  EXPECT_EQ(refusal(notation::layouts_of(repacking, {{"K", 8}})),
            "error repacking.sizes: vnni2: the size N is missing\n"
            "  hint: its sizes: K, N");
  EXPECT_EQ(code(notation::layouts_of(repacking, {{"K", 8}, {"N", 4}, {"M", 4}})),
            "repacking.sizes");
  EXPECT_EQ(refusal(notation::layouts_of(repacking, {{"K", 7}, {"N", 4}})),
            "error repacking.sizes: vnni2: K is 7, which 2 does not divide\n"
            "  hint: its sizes: K, N");
}

TEST(Repackings, TakeWhatTheShapeTellsAndRefuseWhatDoesNotFit) {
  const notation::Repacking pairs = notation::find_repacking("vnni2").value();
  const notation::Packed matrix{
      .shape = std::vector<std::int64_t>{4, 3}, .element_bits = 16, .bytes = 24};
  EXPECT_EQ(map::to_string(notation::repacked(pairs, matrix, {}).value().parts.front().to),
            "((2,2),3):((1,6),2)");
  const auto refused = [&](notation::Packed packed, const Bindings& given,
                           std::optional<std::int64_t> bits = {}) {
    return refusal(notation::repacked(pairs, packed, given, bits));
  };
  notation::Packed other = matrix;
  other.in_rows = false;
  EXPECT_EQ(
      refused(other, {}),
      "error repacking.sizes: vnni2 reads row after row, and the elements are in another order");
  other = matrix;
  other.element_bits = 32;
  EXPECT_TRUE(refused(other, {}).starts_with(
      "error repacking.sizes: vnni2 moves elements of 16 bits, and those of the tensor have 32"));
  other.shape.reset();
  other.element_bits = 16;
  EXPECT_EQ(
      refused(other, {{"K", 2}, {"N", 3}}),
      "error repacking.sizes: vnni2: the sizes are of 6 elements of 16 bits, and there are 12");
  EXPECT_EQ(refused(other, {}, 0), "error move.bits: elements of 0 bits; they have at least 1");
}

}  // namespace
}  // namespace heddle::test
