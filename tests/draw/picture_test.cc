// Pictures: which cell holds what, which lines go where, what the colours mean, and what is
// refused.

#include "heddle/draw/picture.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>

#include "heddle/cute/int_tuple.h"
#include "heddle/cute/manipulation.h"
#include "support/law.h"
#include "support/panels.h"
#include "support/text.h"

namespace heddle::draw {
namespace {

using test::composed;
using test::layout;
using test::texts;
using test::tuple;

TEST(PictureOfRankZero, HasOneCell) {
  const Picture drawn = picture(layout("():()"), {.facts = true}).value();
  ASSERT_EQ(drawn.panels.size(), 1U);
  ASSERT_EQ(drawn.panels[0].cells.size(), 1U);
  EXPECT_EQ(drawn.panels[0].cells[0].text, "0");
}

std::vector<std::size_t> colors(const Panel& panel) {
  std::vector<std::size_t> colors;
  for (const Cell& cell : panel.cells) colors.push_back(cell.color);
  return colors;
}

using Texts = std::vector<std::string>;
using Sizes = std::vector<std::size_t>;

TEST(Picture, HasModeZeroAlongTheRows) {
  const Picture p = picture(layout("(2,3):(3,1)")).value();
  EXPECT_EQ(p.title, "(2,3):(3,1)");
  EXPECT_EQ(p.panels[0].rows.length, 2U);
  EXPECT_EQ(p.panels[0].columns.length, 3U);
  ASSERT_EQ(p.panels.size(), 1U);
  EXPECT_EQ(texts(p.panels[0]), (Texts{"0", "1", "2", "3", "4", "5"}));
  EXPECT_EQ(coordinate_text(p.panels[0], 1, 2), "(1,2)");
}

TEST(Picture, OfRankOneIsOneRow) {
  const Picture leaf = picture(layout("4:2")).value();
  EXPECT_FALSE(leaf.panels[0].rows.is_mode);
  EXPECT_EQ(texts(leaf.panels[0]), (Texts{"0", "2", "4", "6"}));
  EXPECT_EQ(coordinate_text(leaf.panels[0], 0, 3), "3");

  const Picture nested = picture(layout("((2,2)):((4,1))")).value();
  EXPECT_EQ(texts(nested.panels[0]), (Texts{"0", "4", "1", "5"}));
  EXPECT_EQ(nested.panels[0].columns.blocks, (Sizes{2}));
  EXPECT_EQ(coordinate_text(nested.panels[0], 0, 3), "((1,1))");
}

TEST(Picture, HasASliceForEachFurtherCoordinate) {
  const Picture p = picture(layout("(2,1,(2,2),3):(1,0,(2,4),8)")).value();
  ASSERT_EQ(p.panels.size(), 12U);
  EXPECT_EQ(p.panels[0].label, "(_,_,(0,0),0)");
  EXPECT_EQ(p.panels[1].label, "(_,_,(1,0),0)");
  EXPECT_EQ(p.panels[11].label, "(_,_,(1,1),2)");
  EXPECT_EQ(texts(p.panels[11]), (Texts{"22", "23"}));
  EXPECT_EQ(coordinate_text(p.panels[11], 1, 0), "(1,0,(1,1),2)");
}

TEST(Picture, ShowsCoordinatesOfCoordinateValuedLayouts) {
  const Picture p = picture(cute::make_identity_layout(tuple("(2,(2,2))")).value()).value();
  EXPECT_EQ(texts(p.panels[0]), (Texts{"(0,(0,0))", "(0,(1,0))", "(0,(0,1))", "(0,(1,1))",  //
                                       "(1,(0,0))", "(1,(1,0))", "(1,(0,1))", "(1,(1,1))"}));
}

TEST(Picture, ShowsSwizzledIndices) {
  const Picture p = picture(composed("Sw<1,0,1> o 0 o (2,2):(2,1)")).value();
  EXPECT_EQ(p.title, "Sw<1,0,1> o 0 o (2,2):(2,1)");
  EXPECT_EQ(texts(p.panels[0]), (Texts{"0", "1", "3", "2"}));
}

TEST(Picture, OutlinesWhereOuterDigitsChange) {
  const Picture p = picture(layout("((2,3,2),(1,4,1))")).value();
  EXPECT_EQ(p.panels[0].rows.blocks, (Sizes{2, 6}));
  EXPECT_EQ(boundary_level(p.panels[0].rows, 1), 0U);
  EXPECT_EQ(boundary_level(p.panels[0].rows, 2), 1U);
  EXPECT_EQ(boundary_level(p.panels[0].rows, 6), 2U);
  EXPECT_EQ(boundary_level(p.panels[0].rows, 8), 1U);
  EXPECT_EQ(p.panels[0].columns.blocks, Sizes{}) << "extents of 1 make no blocks";
  EXPECT_EQ(p.panels[0].columns.coordinates, (Texts{"(0,0,0)", "(0,1,0)", "(0,2,0)", "(0,3,0)"}));
}

TEST(Colors, AreIndicesModuloEight) {
  const Picture p = picture(layout("(2,3):(7,4)")).value();
  EXPECT_EQ(p.legend, "index mod 8");
  EXPECT_EQ(p.colors, 8U);
  EXPECT_EQ(colors(p.panels[0]), (Sizes{0, 4, 0, 7, 3, 7}));
}

TEST(Colors, OfASwizzleAreTheChunksThatItPermutes) {
  const Picture drawn = picture(composed("Sw<3,3,3> o 0 o (8,64):(64,1)")).value();
  EXPECT_EQ(drawn.legend, "floor(index / 8) mod 8");
  EXPECT_EQ(drawn.scale, Scale::kOrdered);
  for (std::size_t row = 0; row < 8; ++row) {
    for (std::size_t column = 0; column < 64; ++column) {
      EXPECT_EQ(drawn.panels[0].cells[row * 64 + column].color, row ^ (column / 8));
    }
  }
  const auto legend = [](std::string_view layout, const PictureOptions& options) {
    return picture(composed(layout), options).value().legend;
  };
  EXPECT_EQ(legend("Sw<3,3,3> o 0 o (8,64):(64,1)", {.modulus = 8}), "index mod 8");
  EXPECT_EQ(legend("Sw<3,3,3> o 0 o (8,64):(64,1)", {.run = 4}), "floor(index / 4) mod 8");
  EXPECT_EQ(legend("Sw<0,4,3> o 0 o (8,64):(64,1)", {}), "index mod 8");
}

TEST(Colors, TakeRunsAndNegativeIndices) {
  const Picture p = picture(layout("(2,3):(-3,1)"), {.modulus = 4, .run = 2, .title = "t"}).value();
  EXPECT_EQ(p.title, "t");
  EXPECT_EQ(p.legend, "floor(index / 2) mod 4");
  EXPECT_EQ(colors(p.panels[0]), (Sizes{0, 0, 1, 2, 3, 3}));
}

TEST(Colors, OfCoordinatesGoByTheirPlace) {
  const Picture p = picture(layout("(2,3):(1@0,1@1)"), {.modulus = 5}).value();
  EXPECT_EQ(p.legend, "place of the coordinate mod 5");
  EXPECT_EQ(colors(p.panels[0]), (Sizes{0, 2, 4, 1, 3, 0}));
}

TEST(Colors, MayBeBanks) {
  const Picture p = picture(layout("(2,3):(1,64)"), {.banks = 32, .element_bits = 16}).value();
  EXPECT_EQ(p.legend, "bank of 32 (32 bits each; elements of 16 bits)");
  EXPECT_EQ(colors(p.panels[0]), (Sizes{0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(p.panels[0].cells[0].note, "b0");
  const auto note = [](const char* text, std::int64_t bits) {
    return picture(layout(text), {.banks = 32, .element_bits = bits})->panels[0].cells[1].note;
  };
  EXPECT_EQ(note("2:3", 8), "b0");
  EXPECT_EQ(note("2:4", 8), "b1");
  EXPECT_EQ(note("2:33", 32), "b1");
  EXPECT_EQ(note("2:1", 64), "b2-3");
  EXPECT_EQ(note("2:8", 128), "b0-3");
  EXPECT_EQ(note("2:1", 24), "b0-1");
  EXPECT_EQ(note("2:-1", 32), "b31");
  EXPECT_EQ(note("2:4611686018427387903", 1024), "b0-31");
}

TEST(Colors, RefuseBanksThatThereAreNot) {
  const auto refusal = [](const char* text, std::int64_t banks, std::int64_t bits) {
    const auto p = picture(layout(text), {.banks = banks, .element_bits = bits});
    return p ? "" : p.error().to_string();
  };
  EXPECT_EQ(refusal("4:1", 33, 32), "error draw.color: memory has 1 to 32 banks, not 33");
  EXPECT_EQ(refusal("4:1", 32, 0), "error draw.color: elements are 1 to 1024 bits wide, not 0");
  EXPECT_EQ(refusal("(4,2):(1@0,1@1)", 32, 16),
            "error draw.color: (4,2):(1@0,1@1) maps to coordinates, which are in no bank\n  hint: "
            "compose a layout of the memory with it");
}

TEST(Picture, TellsFactsWhereAsked) {
  const Picture p =
      picture(layout("(4,(2,2)):(2,(1,8))"), {.banks = 32, .element_bits = 16, .facts = true})
          .value();
  EXPECT_EQ(p.panels[0].fact_names,
            (Texts{"coordinate", "by mode", "flat", "index", "digits", "bank"}));
  EXPECT_EQ(p.panels[0].cells[7].facts,
            (Texts{"(1,(1,1))", "(1,3)", "13", "11", "1·2 + 1·1 + 1·8", "5"}));
  const Picture swizzled =
      picture(composed("Sw<1,0,1> o 4 o (2,2):(2,1)"), {.facts = true}).value();
  EXPECT_EQ(swizzled.panels[0].cells[3].facts[4], "Sw<1,0,1>(4 + 1·2 + 1·1)");
  EXPECT_TRUE(picture(layout("4:1"))->panels[0].cells[0].facts.empty());
}

TEST(Picture, HasRulersOfDigits) {
  const Ruler rows = picture(layout("((2,3,1),4):((1,4,0),24)"))->panels[0].rows;
  EXPECT_EQ(rows.digits, (std::vector<Digit>{{2, 1, "2:1"}, {3, 2, "3:4"}}));
}

TEST(Colors, MayBeNone) {
  const Picture p = picture(layout("(2,3):(7,4)"), {.modulus = 0}).value();
  EXPECT_EQ(p.colors, 0U);
  EXPECT_EQ(p.legend, "");
}

TEST(Colors, AreNoneWherePlacesLeaveSixtyFourBits) {
  const Picture p =
      picture(layout("(2,2,2):(4611686018427387904@0,4611686018427387904@1,1@2)")).value();
  EXPECT_EQ(p.colors, 0U);
}

constexpr std::size_t kAll = kMaxCells + 1;

TEST(Picture, RefusesTooManyCells) {
  const auto p = picture(layout("(2048,1024):(1024,1)"), {.max_cells = kAll});
  ASSERT_FALSE(p);
  EXPECT_EQ(
      p.error().to_string(),
      "error draw.too_large: (2048,1024):(1024,1) has 2097152 elements, and a picture at most "
      "1048576 cells\n"
      "  hint: draw a part of it: a slice, as in slice((_,0), L), or one tile of a divide, "
      "as in slice(((_,_),(0,0)), tiled) after tiled = zipped_divide(L, (64,64))");
  EXPECT_TRUE(picture(layout("(512,512)"), {.max_cells = kAll}));
}

TEST(Picture, LeavesOutTheMiddleOfLargeLayouts) {
  const Picture p = picture(layout("((8,512),(64,8)):((64,4096),(1,512))")).value();
  ASSERT_EQ(p.panels.size(), 1U);
  const Panel& panel = p.panels[0];
  EXPECT_EQ(panel.rows.gap, (Span{32, 4088}));
  EXPECT_EQ(panel.columns.gap, (Span{32, 504}));
  EXPECT_EQ(panel.cells.size(), 40U * 40U);
  EXPECT_EQ(panel.cells.back().text, "2097151");
  EXPECT_EQ(coordinate_text(panel, 39, 39), "((7,511),(63,7))");
  EXPECT_TRUE(follows_gap(panel.rows, 32));
  EXPECT_EQ(p.notes, (Texts{"left out: rows 32 to 4087 and columns 32 to 503"}));
}

TEST(Picture, LeavesOutWholeBlocks) {
  const Picture p = picture(layout("((12,1000),2):((1,12),12000)")).value();
  EXPECT_EQ(p.panels[0].rows.gap, (Span{24, 11988}));
}

TEST(Picture, ShowsSomeOfVeryManySlices) {
  const Picture p = picture(layout("(1,1,8192):(1,1,1)")).value();
  EXPECT_EQ(p.panels.size(), 8U);
  EXPECT_EQ(p.notes, (Texts{"left out: 8184 of 8192 slices"}));
}

TEST(Picture, OfTheLargestLayoutsIsSmall) {
  for (const char* text : {"(2147483648,2147483648):(1,2147483648)", "4611686018427387904:1",
                           "(2,(3,4),288230376151711744):(1,(0,0),2)"}) {
    const auto p = picture(layout(text));
    ASSERT_TRUE(p) << text;
    std::size_t cells = 0;
    for (const Panel& panel : p->panels) cells += panel.cells.size();
    EXPECT_LE(cells, 48U * 48U * 8U) << text;
    EXPECT_FALSE(p->notes.empty()) << text;
  }
}

TEST(Picture, RefusesShapesTooLongToLabel) {
  std::string ones = "1";
  for (int i = 0; i < 200; ++i) ones += ",1";
  const auto p = picture(layout("(" + ones + ")"));
  ASSERT_FALSE(p);
  EXPECT_EQ(p.error().code(), "draw.too_large");
  EXPECT_EQ(p.error().message(),
            "a picture labels shapes of at most 128 leaves and tuples, and this one has 202");
}

TEST(Picture, RefusesColorsItDoesNotHave) {
  const auto many = picture(layout("4:1"), {.modulus = 33});
  ASSERT_FALSE(many);
  EXPECT_EQ(many.error().to_string(),
            "error draw.color: colours go by the index modulo 1 to 32, not modulo 33");
  EXPECT_FALSE(picture(layout("4:1"), {.modulus = -1}));
  const auto run = picture(layout("4:1"), {.run = 0});
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().to_string(),
            "error draw.color: runs of 0 indices cannot share a colour; a run has at least 1");
}

// Laws.

/// The place of a cell, from a coordinate of the shape alone.
struct Spot {
  std::size_t slice = 0;
  std::size_t row = 0;
  std::size_t column = 0;
};

Spot place_of(const IntTuple& coordinate, const IntTuple& shape) {
  const auto flat = [&](std::size_t mode) {
    return static_cast<std::size_t>(
        cute::crd2idx(coordinate.mode(mode), shape.mode(mode)).value().value());
  };
  if (shape.rank() == 1) return {0, 0, flat(0)};
  Spot place{0, flat(0), flat(1)};
  std::size_t weight = 1;
  for (std::size_t mode = 2; mode < shape.rank(); ++mode) {
    place.slice += flat(mode) * weight;
    weight *= static_cast<std::size_t>(cute::size(shape.mode(mode)).value());
  }
  return place;
}

template <class T>
std::string text_of(const T& value) {
  std::ostringstream stream;
  stream << value;
  return stream.str();
}

test::Finding check_cells(const cute::Layout& l) {
  const Picture p = picture(l).value();
  test::Finding finding;
  cute::for_each_coordinate(l.shape(), [&](const IntTuple& coordinate) {
    const Spot at = place_of(coordinate, l.shape());
    const Panel& slice = p.panels[at.slice];
    const Cell& cell = slice.cells[at.row * slice.columns.length + at.column];
    const std::string wanted = text_of(cute::evaluate(l, cute::to_coordinate(coordinate)).value());
    const std::string where = coordinate_text(slice, at.row, at.column);
    if (cell.text != wanted) finding = test::found(coordinate, " shows ", cell.text);
    if (where != text_of(coordinate)) finding = test::found(coordinate, " is called ", where);
    return !finding;
  });
  return finding;
}

TEST(Picture, ShowsEveryElementAtItsCoordinate) {
  test::for_all(
      [](test::Random& random) { return test::Operands{{test::any_layout(random, 64)}, {}}; },
      [](const test::Operands& o) { return check_cells(to_layout(o.layouts[0])); });
}

/// A line stands before a position exactly when a digit other than the first changes there.
test::Finding check_lines(const Ruler& ruler, const IntTuple& mode) {
  for (std::size_t i = 1; i < ruler.length; ++i) {
    std::size_t level = 0;
    bool first = true;
    std::size_t block = 1;
    for (const Int& extent : mode.leaves()) {
      if (known_equal(extent, 1)) continue;
      if (!first && i / block != (i - 1) / block) ++level;
      first = false;
      block *= static_cast<std::size_t>(extent.value());
    }
    if (boundary_level(ruler, i) != level) {
      return test::found("line ", i, " of ", mode, " has level ", boundary_level(ruler, i));
    }
  }
  return test::kHolds;
}

TEST(Picture, OutlinesExactlyTheBlocks) {
  test::for_all(
      [](test::Random& random) { return test::Operands{{test::any_layout(random, 64)}, {}}; },
      [](const test::Operands& o) {
        const cute::Layout l = to_layout(o.layouts[0]);
        const Picture p = picture(l).value();
        const std::size_t last = l.rank() == 1 ? 0 : 1;
        test::Finding finding = check_lines(p.panels[0].columns, l.shape().mode(last));
        if (!finding && last == 1) finding = check_lines(p.panels[0].rows, l.shape().mode(0));
        return finding;
      });
}

// Tensors.

std::vector<std::string> banks_of(const cute::Tensor& tensor) {
  const Picture p = picture(tensor, {.banks = 32}).value();
  std::vector<std::string> notes;
  for (const Cell& cell : p.panels.front().cells) notes.push_back(cell.note);
  return notes;
}

cute::Tensor halves(std::string address, cute::Swizzle swizzle, const char* text) {
  return {cute::Pointer{cute::MemorySpace::kShared, 16, std::move(address), false, swizzle},
          layout(text)};
}

TEST(TensorPicture, HasTheBanksOfThePointer) {
  EXPECT_EQ(banks_of(halves("0x400", {}, "4:1")), (Texts{"b0", "b0", "b1", "b1"}));
  EXPECT_EQ(banks_of(halves("0x402", {}, "4:1")), (Texts{"b0", "b1", "b1", "b2"}));
  EXPECT_EQ(banks_of(halves("0x47e", {}, "4:1")), (Texts{"b31", "b0", "b0", "b1"}));
}

TEST(TensorPicture, SaysWhereTheBanksBegin) {
  const PictureOptions options = {.banks = 32};
  const Picture known = picture(halves("0x404", {}, "4:1"), options).value();
  EXPECT_EQ(known.legend, "bank of 32 (32 bits each; elements of 16 bits, index 0 at 0x404)");
  EXPECT_EQ(known.title, "smem_ptr[16b](0x404) o 4:1");
  const Picture unset = picture(halves("", {}, "4:1"), options).value();
  EXPECT_EQ(unset.notes,
            (std::vector<std::string>{
                "the pointer's address is not set: index 0 is taken to begin bank 0"}));
}

TEST(TensorPicture, RefusesAnotherWidthThanThePointers) {
  const auto drawn = [](std::int64_t bits) {
    return picture(halves("0x400", {}, "4:1"), {.banks = 32, .element_bits = bits});
  };
  EXPECT_TRUE(drawn(16));
  ASSERT_FALSE(drawn(32));
  EXPECT_EQ(drawn(32).error().to_string(),
            "error draw.color: smem_ptr[16b](0x400) o 4:1 has elements of 16 bits, not of 32\n"
            "  hint: leave the width out, or recast the tensor's layout");
}

/// The swizzle of a pointer acts on addresses: the bank of an element is that of its swizzled
/// address, wherever the tensor begins.
TEST(TensorPicture, HasTheBanksOfSwizzledAddresses) {
  const cute::Swizzle swizzle = cute::Swizzle::make(3, 4, 3).value();
  for (const std::int64_t address : {0x400, 0x410, 0x480, 0x7e0}) {
    const std::vector<std::string> banks =
        banks_of(halves(fmt::format("{:#x}", address), swizzle, "256:1"));
    for (std::int64_t index = 0; index < 256; ++index) {
      const std::int64_t byte = swizzle(Int(address + 2 * index)).value();
      EXPECT_EQ(banks[static_cast<std::size_t>(index)], fmt::format("b{}", byte / 4 % 32));
    }
  }
}

}  // namespace
}  // namespace heddle::draw
