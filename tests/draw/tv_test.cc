// Thread-value layouts as tables of their tiles.

#include "heddle/draw/tv.h"

#include <gtest/gtest.h>

#include <set>

#include "support/law.h"
#include "support/refusal.h"
#include "support/text.h"

namespace heddle::draw {
namespace {

using test::layout;
using test::refusal;
using test::tuple;

using Numbers = std::vector<std::int64_t>;
using Texts = std::vector<std::string>;

Texts owners(const Panel& panel) {
  Texts texts;
  for (const Cell& cell : panel.cells) texts.push_back(cell.text + " " + cell.note);
  return texts;
}

// The accumulator of mma.m16n8: thread t holds (t/4, 2(t%4)) and three more.
constexpr std::string_view kAccumulator = "((4,8),(2,2)):((32,1),(16,8))";

TEST(TvPicture, IsTheTableOfTheTile) {
  const Picture p = tv_picture(layout("(4,2):(1,4)"), {4, 2}).value();
  ASSERT_EQ(p.panels.size(), 1U);
  EXPECT_EQ(owners(p.panels[0]),
            (Texts{"T0 V0", "T0 V1", "T1 V0", "T1 V1", "T2 V0", "T2 V1", "T3 V0", "T3 V1"}));
  EXPECT_EQ(p.title, "(4,2):(1,4): 4 threads x 2 values in 4 x 2");
  EXPECT_EQ(p.legend, "thread mod 8");
}

TEST(TvPicture, TakesLayoutsAlongModes) {
  const cute::Layout along = layout("(4,2):(1@1,1@0)");
  EXPECT_EQ(inferred_tile(along)->rows, 2);
  EXPECT_EQ(inferred_tile(along)->columns, 4);
  const Picture p = tv_picture(along, {2, 4}).value();
  EXPECT_EQ(owners(p.panels[0]),
            (Texts{"T0 V0", "T1 V0", "T2 V0", "T3 V0", "T0 V1", "T1 V1", "T2 V1", "T3 V1"}));
}

TEST(TvPicture, InfersTheMostSquareTile) {
  const auto tile = [](std::string_view text) {
    const TileSize found = inferred_tile(layout(text)).value();
    return std::to_string(found.rows) + "x" + std::to_string(found.columns);
  };
  EXPECT_EQ(tile(kAccumulator), "16x8");
  EXPECT_EQ(tile("(32,2):(2,1)"), "8x8");
  EXPECT_EQ(tile("(7,1):(1,0)"), "7x1");
  EXPECT_EQ(tile("(4,2):(1@1,1@0)"), "2x4");
}

TEST(TvPicture, CountsReplicas) {
  const Picture p = tv_picture(layout("((2,2),2):((1,0),2)"), {2, 2}, {.facts = true}).value();
  EXPECT_EQ(owners(p.panels[0]), (Texts{"T0 V0 x2", "T0 V1 x2", "T1 V0 x2", "T1 V1 x2"}));
  EXPECT_EQ(p.panels[0].cells[1].facts, (Texts{"(0,1)", "2", "T0 V1, T2 V1", "0,2", "1,1"}));
}

TEST(TvPicture, LeavesElementsWithoutThreadsEmpty) {
  const Picture p = tv_picture(layout("(2,1):(2,0)"), {2, 2}, {.facts = true}).value();
  EXPECT_EQ(owners(p.panels[0]), (Texts{"T0 V0", "T1 V0", " ", " "}));
  EXPECT_EQ(p.panels[0].cells[2].color, kPlain);
  EXPECT_EQ(p.panels[0].cells[2].facts, (Texts{"(1,0)", "1", "no thread", "", ""}));
}

TEST(TvPicture, PicksAThread) {
  const Picture p = tv_picture(layout(kAccumulator), {16, 8}, {.thread = 5}).value();
  std::size_t colored = 0;
  for (const Cell& cell : p.panels[0].cells) {
    if (cell.color == kPlain) continue;
    ++colored;
    EXPECT_EQ(cell.text, "T5");
    EXPECT_EQ(cell.color, 5U);
  }
  EXPECT_EQ(colored, 4U);
  EXPECT_EQ(p.notes, (Texts{"thread 5 holds V0 = (1,2), V1 = (1,3), V2 = (9,2), V3 = (9,3)"}));
}

TEST(TvPicture, PicksAThreadAmongReplicas) {
  const Picture p = tv_picture(layout("((2,2),2):((1,0),2)"), {2, 2}, {.thread = 3}).value();
  EXPECT_EQ(owners(p.panels[0]), (Texts{"T0 V0 x2", "T0 V1 x2", "T3 V0 x2", "T3 V1 x2"}));
  EXPECT_EQ(p.panels[0].cells[2].color, 3U);
}

TEST(TvPicture, PicksAnElement) {
  const auto notes = [](const Numbers& element) {
    return tv_picture(layout("((2,2),2):((1,0),2)"), {2, 2}, {.element = element})->notes;
  };
  const Texts wanted = {"element (1,0), index 1, is held by T1 V0, T3 V0",
                        "V0 x2: the element is held twice, and one of its holders is named"};
  EXPECT_EQ(notes({1, 0}), wanted);
  EXPECT_EQ(notes({1}), wanted);
}

TEST(TvPicture, ListsManyOwnersInPart) {
  const Picture p = tv_picture(layout("(128,1):(0,0)"), {1, 1}, {.element = Numbers{0}}).value();
  EXPECT_EQ(p.panels[0].cells[0].note, "V0 x128");
  EXPECT_TRUE(p.notes[0].ends_with("T30 V0, T31 V0 and 96 more")) << p.notes[0];
}

TEST(TvPicture, ShowsTheCornersOfLargeTiles) {
  const Picture p = tv_picture(layout("(256,512):(1,256)"), {512, 256}).value();
  EXPECT_EQ(p.panels[0].cells.size(), 40U * 40U);
  EXPECT_EQ(p.notes, (Texts{"left out: rows 32 to 503 and columns 32 to 247"}));
}

TEST(TvPicture, RefusesWhatIsNoThreadValueLayoutOfTheTile) {
  EXPECT_EQ(refusal(tv_picture(layout("32:1"), {8, 4})),
            "error draw.tv: 32:1 has rank 1; a thread-value layout has two modes, threads and "
            "values\n  hint: group its modes: group(L, BEGIN, END)");
  EXPECT_EQ(refusal(tv_picture(layout(kAccumulator), {8, 8})),
            "error draw.tv: ((4,8),(2,2)):((32,1),(16,8)) leads out of the tile of 8 x 8 = 64 "
            "elements\n"
            "  witness: coordinate (2,0) maps to 64; the tile would need 0 to 63\n"
            "  hint: give the sizes of the tile: --tile MxN");
  EXPECT_EQ(refusal(tv_picture(layout("(2,2):(1@0,1@1)"), {2, 1})),
            "error draw.tv: (2,2):(1@0,1@1) leads out of the tile of 2 x 1 = 2 elements\n"
            "  witness: coordinate (0,1) maps to (0,1); the tile would need below (2,1)\n"
            "  hint: give the sizes of the tile: --tile MxN");
  EXPECT_EQ(refusal(tv_picture(layout("(4,1):(-1,0)"), {2, 2})).substr(0, 46),
            "error draw.tv: (4,1):(-1,0) leads out of the t");
  EXPECT_EQ(refusal(tv_picture(layout("(4,1):(1,0)"), {0, 2})),
            "error draw.tv: a tile of 0 x 2 has no elements");
  EXPECT_EQ(refusal(tv_picture(layout("(4,1):(1,0)"), {2, 2}, {.thread = 4})),
            "error draw.tv: there is no thread 4: threads are 0 to 3");
  EXPECT_EQ(refusal(tv_picture(layout("(4,1):(1,0)"), {2, 2}, {.element = Numbers{0, 2}})),
            "error draw.tv: there is no element (0,2) in the tile of 2 x 2");
  EXPECT_EQ(refusal(tv_picture(layout("(4,1):(1,0)"), {2, 2}, {.modulus = 33})),
            "error draw.color: colours go by the thread modulo 1 to 32, not modulo 33");
}

TEST(TvPicture, RefusesWhatIsTooLarge) {
  EXPECT_EQ(refusal(tv_picture(layout("(2048,1024):(1,2048)"), {2048, 1024})),
            "error draw.too_large: (2048,1024):(1,2048) has 2097152 values of all threads, and a "
            "picture shows at most 1048576");
  EXPECT_EQ(refusal(tv_picture(layout("(4,1):(1,0)"), {std::int64_t{1} << 40, 1})),
            "error draw.too_large: a tile of 1099511627776 x 1 has sides of more than 2^31");
  EXPECT_TRUE(tv_picture(layout("(4,1):(1,0)"), {1 << 30, 1 << 30}));
  EXPECT_FALSE(tv_picture(layout("(4,1):(1,0)"), {1024, 2048}, {.max_cells = kMaxCells + 1}));
}

TEST(MmaPicture, PutsALeftOfCAndBAboveIt) {
  const MmaLayouts m16n8k8 = {layout("((4,8),(2,2)):((16,1),(8,64))"),
                              layout("((4,8),2):((8,1),32)"),
                              layout(kAccumulator),
                              16,
                              8,
                              8};
  const Picture p = mma_picture(m16n8k8, {.element = Numbers{9, 3}}).value();
  ASSERT_EQ(p.panels.size(), 3U);
  EXPECT_EQ(p.panels[0].place, (Place{0, 1}));
  EXPECT_EQ(p.panels[1].place, (Place{1, 0}));
  EXPECT_EQ(p.panels[2].place, (Place{1, 1}));
  EXPECT_EQ(p.panels[0].rows.length, 8U) << "k runs down the rows of B";
  // B(n,k) = (1,2) is held by thread 6: column 1 of row 2.
  EXPECT_EQ(p.panels[0].cells[8 * 2 + 1].text, "T6");
  EXPECT_EQ(p.notes, (Texts{"element C(9,3), index 57, is held by T5 V3"}));
}

TEST(MmaPicture, NamesItsAxes) {
  const MmaLayouts small = {
      layout("(2,1):(1,0)"), layout("(2,1):(1,0)"), layout("(2,2):(1,2)"), 2, 2, 1};
  const Picture p = mma_picture(small).value();
  EXPECT_EQ(p.panels[0].label, "B, drawn K x N: (2,1):(1,0)");
  EXPECT_EQ(p.panels[0].rows.digits.front().label, "K");
  EXPECT_EQ(p.panels[0].columns.digits.front().label, "N");
  EXPECT_EQ(p.panels[1].label, "A (M x K): (2,1):(1,0)");
  EXPECT_EQ(p.panels[2].label, "C (M x N): (2,2):(1,2)");
}

TEST(MmaPicture, DrawsAnOperandInSharedMemoryAsOneBox) {
  const MmaLayouts shared = {layout("(128,(64,16)):(0,(1,64))"),
                             layout("(128,(128,16)):(0,(1,128))"),
                             layout("(128,64):(1,128)"),
                             64,
                             128,
                             16};
  const Picture p = mma_picture(shared, {.thread = 5}).value();
  EXPECT_EQ(p.panels[1].label, "A (M x K): all 128 threads hold every element (shared memory)");
  EXPECT_EQ(owners(p.panels[1]), (Texts{"all "}));
  EXPECT_EQ(owners(p.panels[0]), (Texts{"all "}));
  EXPECT_EQ(p.notes[1], "thread 5 holds every element of B");
  EXPECT_EQ(p.panels[2].cells.size(), 64U * 128U);
}

TEST(MmaPicture, DrawsEveryCellOfAnOperandThatIsHeldInPart) {
  // Half of A; as many values as A has elements, two of them the same element.
  for (const char* a : {"(4,2):(0,1)", "(4,(2,2)):(0,(1,1))"}) {
    const Picture p =
        mma_picture({layout(a), layout("(4,1):(0,0)"), layout("(4,1):(1,0)"), 4, 1, 1}).value();
    EXPECT_EQ(p.panels[1].cells.size(), 4U) << a;
    EXPECT_EQ(p.panels[1].cells[1].note.substr(0, 2), "V1") << a;
  }
}

// Laws.

/// Each element is shown with an owner exactly when the layout maps one to it.
TEST(TvPicture, NamesAnOwnerOfEveryElementThatHasOne) {
  test::for_all(
      [](test::Random& random) {
        return test::Operands{{},
                              {random.between(1, 6), random.between(1, 6), random.between(0, 5),
                               random.between(0, 5)}};
      },
      [](const test::Operands& o) -> test::Finding {
        const std::int64_t threads = std::max<std::int64_t>(1, o.numbers[0]);
        const std::int64_t values = std::max<std::int64_t>(1, o.numbers[1]);
        const cute::Layout l =
            cute::Layout::make({threads, values}, {std::max<std::int64_t>(0, o.numbers[2]),
                                                   std::max<std::int64_t>(0, o.numbers[3])})
                .value();
        const TileSize tile = {8, 8};
        const Panel panel = tv_picture(l, tile)->panels[0];
        std::vector<std::size_t> counts(64);
        for (std::int64_t flat = 0; flat < threads * values; ++flat)
          ++counts[static_cast<std::size_t>(l(Int(flat)).value())];
        for (std::size_t element = 0; element < 64; ++element) {
          const Cell& cell = panel.cells[element % 8 * 8 + element / 8];
          if (cell.text.empty() != (counts[element] == 0)) return test::found(element, " of ", l);
          if (counts[element] == 0) continue;
          const std::int64_t thread = std::stoll(cell.text.substr(1));
          const std::int64_t value = std::stoll(cell.note.substr(1));
          if (!known_equal(l(Int(thread), Int(value)), element))
            return test::found(cell.text, " ", cell.note, " of ", l);
          const std::size_t times = cell.note.find('x');
          const std::size_t holders =
              times == std::string::npos ? 1 : std::stoull(cell.note.substr(times + 1));
          if (holders != counts[element]) return test::found("owners of ", element, " of ", l);
        }
        return test::kHolds;
      });
}

}  // namespace
}  // namespace heddle::draw
