// The picture of an access to shared memory.

#include "heddle/draw/banks.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>

#include "heddle/draw/formats.h"
#include "support/refusal.h"

namespace heddle::draw {
namespace {

using test::refusal;

TEST(BankPicture, ShowsWhoMeetsInABank) {
  const BankAccess access{"four lanes", 4, {{"", {{0, 0}, {1, 4}, {2, 1}, {3, 4}}}}};
  const Picture p = bank_picture(access).value();
  EXPECT_EQ(to_terminal(p),
            "four lanes\n"
            "\n"
            "phase 0: 2 wavefronts\n"
            "          0  1  2  3\n"
            "        ┏━━━━━━━━━━━━┓\n"
            "lane  0 ┃ 0          ┃\n"
            "      1 ┃ 1          ┃\n"
            "      2 ┃    0       ┃\n"
            "      3 ┃ 1          ┃\n"
            "        ┠────────────┨\n"
            "words   ┃ 2  1  0  0 ┃\n"
            "        ┗━━━━━━━━━━━━┛\n"
            "a cell names the line: word = 4 * line + bank; the words of one bank are served in "
            "turn\n");
  EXPECT_EQ(p.colors, 2U);
  EXPECT_EQ(p.panels[0].cells[0].color, 0U);
  // Lanes 1 and 3 share the word that is served second.
  EXPECT_EQ(p.panels[0].cells[4].color, 1U);
  EXPECT_EQ(p.panels[0].cells[12].color, 1U);
  EXPECT_EQ(p.panels[0].cells[1].color, kPlain);
}

RC_GTEST_PROP(BankPicture, CountsTheWordsOfEachBank, ()) {
  const auto banks = *rc::gen::inRange<std::int64_t>(1, 9);
  const auto accesses = *rc::gen::nonEmpty(rc::gen::container<std::vector<WordAccess>>(rc::gen::map(
      rc::gen::pair(rc::gen::inRange<std::int64_t>(0, 6), rc::gen::inRange<std::int64_t>(0, 40)),
      [](const std::pair<std::int64_t, std::int64_t>& pair) {
        return WordAccess{pair.first, pair.second};
      })));
  const Picture p = bank_picture({"", banks, {{"", accesses}}}, {.facts = true}).value();
  std::map<std::int64_t, std::set<std::int64_t>> words;
  std::set<std::int64_t> lanes;
  for (const WordAccess& access : accesses) {
    words[access.word % banks].insert(access.word);
    lanes.insert(access.lane);
  }
  std::size_t most = 0;
  const Panel& panel = p.panels[0];
  const auto width = static_cast<std::size_t>(banks);
  RC_ASSERT(panel.cells.size() == (lanes.size() + 1) * width);
  for (std::size_t bank = 0; bank < width; ++bank) {
    const std::size_t count = words[static_cast<std::int64_t>(bank)].size();
    most = std::max(most, count);
    RC_ASSERT(panel.cells[lanes.size() * width + bank].text == std::to_string(count));
  }
  RC_ASSERT(panel.label ==
            "phase 0: " + std::to_string(most) + (most == 1 ? " wavefront" : " wavefronts"));
  // Each cell has the words of its lane in its bank.
  for (std::size_t row = 0; row < lanes.size(); ++row) {
    const std::int64_t lane = *std::next(lanes.begin(), static_cast<std::ptrdiff_t>(row));
    for (std::size_t bank = 0; bank < width; ++bank) {
      std::set<std::int64_t> touched;
      for (const WordAccess& access : accesses) {
        if (access.lane == lane && access.word % banks == static_cast<std::int64_t>(bank))
          touched.insert(access.word);
      }
      std::string wanted;
      for (const std::int64_t word : touched)
        wanted += (wanted.empty() ? "" : ", ") + std::to_string(word);
      RC_ASSERT(panel.cells[row * width + bank].facts[2] == (wanted.empty() ? "none" : wanted));
    }
  }
}

TEST(BankPicture, LeavesLaterPhasesOut) {
  BankAccess access{"", 32, {}};
  for (std::int64_t phase = 0; phase < 100; ++phase)
    access.phases.push_back({"lane " + std::to_string(phase), {{phase, phase}}});
  const Picture p = bank_picture(access, {.max_cells = 640}).value();
  EXPECT_EQ(p.panels.size(), 10U);
  EXPECT_EQ(p.panels[3].label, "phase 3, lane 3: 1 wavefront");
  EXPECT_EQ(p.notes[0], "left out: phases 10 to 99");
}

TEST(BankPicture, DrawsWhatTouchesNothing) {
  EXPECT_EQ(to_terminal(bank_picture({"nothing", 32, {}}).value()).substr(0, 8), "nothing\n");
  const Picture p = bank_picture({"", 4, {{"", {}}}}).value();
  ASSERT_EQ(p.panels.size(), 1U);
  EXPECT_EQ(p.panels[0].label, "phase 0: 0 wavefronts");
  EXPECT_EQ(p.panels[0].cells.size(), 4U);
}

TEST(BankPicture, RefusesWhatIsNotThere) {
  EXPECT_EQ(refusal(bank_picture({"", 0, {{"", {{0, 0}}}}})),
            "error draw.color: memory has 1 to 1024 banks, not 0");
  EXPECT_EQ(refusal(bank_picture({"", 32, {{"", {{0, -1}}}}})),
            "error draw.tv: lane 0 touches word -1: lanes and words count from 0");
}

}  // namespace
}  // namespace heddle::draw
