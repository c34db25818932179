// Pictures of linear layouts against plain evaluation: each input is applied on its own, and what
// the picture says is read back from its terminal form.

#include "heddle/draw/linear.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <regex>
#include <sstream>

#include "heddle/draw/formats.h"
#include "heddle/linear/encoding.h"
#include "support/refusal.h"

namespace heddle::draw {
namespace {

using test::refusal;

using linear::Bases;
using linear::LinearLayout;
using linear::NamedSizes;

using Texts = std::vector<std::string>;
using Coordinates = std::vector<std::int64_t>;

LinearLayout made(const Bases& bases, const NamedSizes& outs) {
  return LinearLayout::make(bases, outs).value();
}

LinearLayout blocked(linear::BlockedEncoding encoding, const Coordinates& shape) {
  return linear::to_linear_layout(std::move(encoding), shape).value();
}

/// The accumulator of mma.m16n8k16, twice along the rows.
LinearLayout accumulator() {
  return made({{"register", {{0, 1}, {8, 0}}},
               {"lane", {{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}}},
               {"warp", {{16, 0}}},
               {"block", {}}},
              {{"dim0", 32}, {"dim1", 8}});
}

/// 8 x 64 elements in 8 lines, groups of 8 swizzled by the row.
LinearLayout swizzled() {
  Bases bases = {{"offset", {}}, {"block", {}}};
  for (int bit = 0; bit < 6; ++bit) bases[0].vectors.push_back({0, 1 << bit});
  for (int bit = 0; bit < 3; ++bit) bases[0].vectors.push_back({1 << bit, 8 << bit});
  return made(bases, {{"dim0", 8}, {"dim1", 64}});
}

// Plain evaluation.

/// The inputs of a layout, first dimension fastest.
std::vector<NamedSizes> inputs_of(const LinearLayout& layout) {
  std::vector<NamedSizes> inputs = {{}};
  for (std::size_t i = layout.in_dims().size(); i > 0; --i) {
    const linear::Dimension& dim = layout.in_dims()[i - 1];
    std::vector<NamedSizes> longer;
    for (const NamedSizes& input : inputs) {
      for (std::int64_t x = 0; x < dim.size(); ++x) {
        longer.push_back(input);
        longer.back().insert(longer.back().begin(), {dim.name, x});
      }
    }
    inputs = std::move(longer);
  }
  return inputs;
}

std::int64_t coordinate(const NamedSizes& point, const std::string& name) {
  for (const auto& [dim, at] : point) {
    if (dim == name) return at;
  }
  return 0;
}

Coordinates element_of(const LinearLayout& layout, const NamedSizes& input) {
  const NamedSizes output = layout.apply(input).value();
  Coordinates element;
  for (const auto& [name, at] : output) element.push_back(at);
  return element;
}

std::string text_of(const Coordinates& coordinates) {
  std::string text;
  for (const std::int64_t at : coordinates) text += (text.empty() ? "" : ",") + std::to_string(at);
  return coordinates.size() == 1 ? text : "(" + text + ")";
}

/// Triton's name of a place in registers.
std::string thread_text(const LinearLayout& layout, const NamedSizes& input) {
  const std::int64_t lanes = layout.has_in_dim("lane") ? layout.find_in("lane")->size() : 1;
  const bool has_blocks = layout.has_in_dim("block") && layout.find_in("block")->size() > 1;
  std::ostringstream text;
  if (has_blocks) text << "B" << coordinate(input, "block") << ":";
  text << "T" << coordinate(input, "lane") + lanes * coordinate(input, "warp") << ":"
       << coordinate(input, "register");
  return text.str();
}

/// Who holds each element, in the order of the inputs.
std::map<Coordinates, Texts> owners_of(const LinearLayout& layout) {
  std::map<Coordinates, Texts> owners;
  for (const NamedSizes& input : inputs_of(layout))
    owners[element_of(layout, input)].push_back(thread_text(layout, input));
  return owners;
}

// Reading back.

/// The words between the frames of a picture's terminal form, row after row of each panel.
std::vector<Texts> rows_in(const std::string& terminal) {
  std::vector<Texts> rows;
  std::istringstream lines(terminal);
  for (std::string line; std::getline(lines, line);) {
    line = std::regex_replace(line, std::regex("┃|┆"), "│");
    const std::size_t left = line.find("│");
    const std::size_t right = line.rfind("│");
    if (left == right) continue;
    const std::string bar = "│";
    const std::string inside = std::regex_replace(
        line.substr(left + bar.size(), right - left - bar.size()), std::regex(bar), " ");
    std::istringstream words(inside);
    rows.emplace_back(std::istream_iterator<std::string>(words),
                      std::istream_iterator<std::string>());
  }
  return rows;
}

Texts joined(const std::vector<Texts>& rows) {
  Texts words;
  for (const Texts& row : rows) words.insert(words.end(), row.begin(), row.end());
  return words;
}

/// All owners of each cell, by way of the facts.
std::vector<Texts> owners_in(const Picture& picture) {
  std::vector<Texts> owners;
  for (const Panel& panel : picture.panels) {
    for (const Cell& cell : panel.cells) {
      Texts names;
      std::istringstream words(cell.facts[1]);
      for (std::string word; words >> word;) {
        if (word.ends_with(',')) word.pop_back();
        names.push_back(word);
      }
      owners.push_back(names);
    }
  }
  return owners;
}

// Random layouts.

/// Registers, lanes, warps and blocks of up to 9 bits in all, onto up to three dimensions; any
/// bases, so that some elements are held several times and some by nobody.
LinearLayout random_threads() {
  const int rank = *rc::gen::inRange(1, 4);
  NamedSizes outs;
  for (int i = 0; i < rank; ++i)
    outs.emplace_back("dim" + std::to_string(i), std::int64_t{1} << *rc::gen::inRange(0, 4));
  Bases bases;
  for (const char* name : {"register", "lane", "warp", "block"}) {
    bases.push_back({name, {}});
    const int bits = *rc::gen::inRange(0, std::string(name) == "block" ? 2 : 4);
    for (int bit = 0; bit < bits; ++bit) {
      Coordinates vector;
      for (const auto& [dim, size] : outs)
        vector.push_back(*rc::gen::inRange<std::int64_t>(0, size));
      bases.back().vectors.push_back(vector);
    }
  }
  return made(bases, outs);
}

/// The elements in the order in which the tensor view shows them: slices, rows, columns.
std::vector<Coordinates> elements_of(const LinearLayout& layout) {
  std::vector<Coordinates> elements = {{}};
  for (const linear::Dimension& dim : layout.out_dims()) {
    std::vector<Coordinates> longer;
    for (const Coordinates& element : elements) {
      for (std::int64_t x = 0; x < dim.size(); ++x) {
        longer.push_back(element);
        longer.back().push_back(x);
      }
    }
    elements = std::move(longer);
  }
  return elements;
}

// The tensor view.

TEST(LinearPicture, WritesOwnersAsTriton) {
  const Picture p = tensor_picture(accumulator()).value();
  ASSERT_EQ(p.panels.size(), 1U);
  const std::vector<Texts> rows = rows_in(to_terminal(p));
  ASSERT_EQ(rows.size(), 32U);
  EXPECT_EQ(rows[0], (Texts{"T0:0", "T0:1", "T1:0", "T1:1", "T2:0", "T2:1", "T3:0", "T3:1"}));
  EXPECT_EQ(rows[27],
            (Texts{"T44:2", "T44:3", "T45:2", "T45:3", "T46:2", "T46:3", "T47:2", "T47:3"}));
  EXPECT_EQ(p.title, "register 4, lane 32, warp 2, block 1 -> dim0 32, dim1 8");
  EXPECT_EQ(p.legend, "lane mod 8");
  EXPECT_EQ(p.panels[0].cells[0].color, 0U);
  EXPECT_EQ(p.panels[0].cells[2].color, 1U);
  EXPECT_EQ(p.panels[0].cells[8].color, 4U);
}

RC_GTEST_PROP(LinearPicture, TensorViewHasAllOwnersOfEachElement, ()) {
  const LinearLayout layout = random_threads();
  const auto owners = owners_of(layout);
  const Picture p = tensor_picture(layout, {.owners = 1, .facts = true}).value();
  const std::vector<Texts> shown = owners_in(p);
  const std::vector<Coordinates> elements = elements_of(layout);
  RC_ASSERT(shown.size() == elements.size());
  Texts firsts;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const auto found = owners.find(elements[i]);
    if (found == owners.end()) {
      RC_ASSERT(shown[i] == Texts{"nobody"});
      continue;
    }
    Texts wanted = found->second;
    if (wanted.size() > 32) {
      const std::string more = "+" + std::to_string(wanted.size() - 32);
      wanted.resize(32);
      wanted.push_back(more);
    }
    RC_ASSERT(shown[i] == wanted);
    firsts.push_back(wanted.front());
    if (found->second.size() > 1) firsts.push_back("+" + std::to_string(found->second.size() - 1));
  }
  RC_ASSERT(joined(rows_in(to_terminal(p))) == firsts);
}

RC_GTEST_PROP(LinearPicture, TensorViewColoursByTheFirstOwner, ()) {
  const LinearLayout layout = random_threads();
  const std::string by = *rc::gen::element<std::string>("register", "lane", "warp", "block");
  const auto modulus = *rc::gen::inRange<std::int64_t>(1, 9);
  const Picture p = tensor_picture(layout, {.color_by = by, .modulus = modulus}).value();
  const std::vector<NamedSizes> inputs = inputs_of(layout);
  std::map<Coordinates, std::int64_t> first;
  for (const NamedSizes& input : inputs)
    first.try_emplace(element_of(layout, input), coordinate(input, by));
  std::vector<std::size_t> wanted;
  for (const Coordinates& element : elements_of(layout)) {
    const auto found = first.find(element);
    wanted.push_back(found == first.end() ? kPlain
                                          : static_cast<std::size_t>(found->second % modulus));
  }
  std::vector<std::size_t> colors;
  for (const Panel& panel : p.panels) {
    for (const Cell& cell : panel.cells) colors.push_back(cell.color);
  }
  RC_ASSERT(colors == wanted);
}

/// The note of a shortened tensor view says, bit by bit, what to XOR to the owner.
RC_GTEST_PROP(LinearPicture, WhatIsLeftOutIsSaidExactly, ()) {
  const LinearLayout layout = random_threads();
  const Picture whole = tensor_picture(layout, {.facts = true}).value();
  const Picture part = tensor_picture(layout, {.max_cells = 4, .facts = true}).value();
  std::size_t cells = 0;
  std::map<std::string, Coordinates> shown;
  for (const Panel& panel : part.panels) cells += panel.cells.size();
  RC_ASSERT(cells <= 4U);
  // Each cell of the part is the same cell of the whole.
  std::map<std::string, Cell> by_element;
  for (const Panel& panel : whole.panels) {
    for (const Cell& cell : panel.cells) by_element.insert({cell.facts[0], cell});
  }
  for (const Panel& panel : part.panels) {
    for (const Cell& cell : panel.cells) RC_ASSERT(by_element.at(cell.facts[0]) == cell);
  }
  if (cells == by_element.size()) return;
  // `+ (4,0): owner xor (register=2, lane=1)` says that this input leads to that element.
  const std::string note = part.notes.front();
  const std::regex step(R"(\+ (\S+): (owner xor \(([^)]*)\)|left out))");
  std::size_t bits = 0;
  for (std::sregex_iterator it(note.begin(), note.end(), step), end; it != end; ++it, ++bits) {
    const std::string element = (*it)[1];
    if ((*it)[2] == "left out") {
      RC_ASSERT(by_element.at(element).text.empty());
      continue;
    }
    NamedSizes input;
    for (const linear::Dimension& dim : layout.in_dims()) input.emplace_back(dim.name, 0);
    const std::string assignments = (*it)[3];
    const std::regex assignment(R"((\w+)=(\d+))");
    for (std::sregex_iterator at(assignments.begin(), assignments.end(), assignment), last;
         at != last; ++at) {
      for (auto& [name, value] : input) {
        if (name == (*at)[1]) value = std::stoll((*at)[2]);
      }
    }
    RC_ASSERT(text_of(element_of(layout, input)) == element);
  }
  RC_ASSERT((cells << bits) == by_element.size());
}

TEST(LinearPicture, ShowsWhatTheTensorsOfTritonsTestsShow) {
  // DumpLayoutTest.SimpleBlocked: eight threads hold each of four elements.
  const LinearLayout simple = blocked({{1}, {8}, {4}, {0}, {}}, {4});
  const Picture p = tensor_picture(simple, {.owners = 8, .facts = true}).value();
  for (std::size_t i = 0; i < 4; ++i) {
    Texts wanted;
    for (std::size_t k = 0; k < 8; ++k) wanted.push_back("T" + std::to_string(i + 4 * k) + ":0");
    EXPECT_EQ(owners_in(p)[i], wanted);
  }
  EXPECT_EQ(p.panels[0].cells[1].text, "T1:0");
  EXPECT_EQ(p.panels[0].cells[1].note, "T5:0|T9:0|T13:0|T17:0|T21:0|T25:0|T29:0");
  // DumpLayoutTest.NDTensor: 8 x 2 x 16 as eight slices.
  const LinearLayout deep = blocked({{2, 1, 4}, {2, 2, 2}, {1, 2, 1}, {2, 1, 0}, {}}, {8, 2, 16});
  const Picture q = tensor_picture(deep).value();
  ASSERT_EQ(q.panels.size(), 8U);
  EXPECT_EQ(q.panels[3].label, "dim0=3");
  EXPECT_EQ(q.panels[3].cells[16 + 5].text, "T7:5");
  EXPECT_EQ(q.panels[3].cells[16 + 5].note, "T15:5");
  EXPECT_EQ(q.panels[7].cells[31].text, "T7:31");
}

TEST(LinearPicture, ShowsTheBroadcastOfGluonsTutorial) {
  const LinearLayout layout = blocked({{2, 4}, {16, 2}, {2, 2}, {1, 0}, {}}, {32, 8});
  const std::vector<Texts> owners = owners_in(tensor_picture(layout, {.facts = true}).value());
  EXPECT_EQ(owners[0], (Texts{"T0:0", "T32:0", "T64:0", "T96:0"}));
  EXPECT_EQ(owners[7], (Texts{"T1:3", "T33:3", "T65:3", "T97:3"}));
  EXPECT_EQ(owners[8], (Texts{"T0:4", "T32:4", "T64:4", "T96:4"}));
  EXPECT_EQ(owners[15], (Texts{"T1:7", "T33:7", "T65:7", "T97:7"}));
  EXPECT_EQ(owners[30 * 8], (Texts{"T30:0", "T62:0", "T94:0", "T126:0"}));
  EXPECT_EQ(owners[30 * 8 + 7], (Texts{"T31:3", "T63:3", "T95:3", "T127:3"}));
  EXPECT_EQ(owners[31 * 8], (Texts{"T30:4", "T62:4", "T94:4", "T126:4"}));
  EXPECT_EQ(owners[31 * 8 + 7], (Texts{"T31:7", "T63:7", "T95:7", "T127:7"}));
  EXPECT_EQ(tensor_picture(layout)->notes,
            (Texts{"each element is held 4 times: by an owner, and by it xor (warp=1), "
                   "xor (warp=2)"}));
}

TEST(LinearPicture, NamesOwnersInSeveralBlocks) {
  const LinearLayout layout = made({{"lane", {{1}}}, {"block", {{2}}}}, NamedSizes{{"dim0", 4}});
  EXPECT_EQ(joined(rows_in(to_terminal(tensor_picture(layout).value()))),
            (Texts{"B0:T0:0", "B0:T1:0", "B1:T0:0", "B1:T1:0"}));
}

TEST(LinearPicture, KeepsTheOrderOfNumberedDimensions) {
  const LinearLayout layout =
      made({{"register", {{1, 0}, {2, 0}, {0, 1}}}}, NamedSizes{{"dim1", 4}, {"dim0", 2}});
  EXPECT_EQ(
      rows_in(to_terminal(tensor_picture(layout).value())),
      (std::vector<Texts>{{"T0:0", "T0:1", "T0:2", "T0:3"}, {"T0:4", "T0:5", "T0:6", "T0:7"}}));
}

TEST(LinearPicture, TellsAlongItsSidesWhichDimensionDecides) {
  const Panel panel = tensor_picture(accumulator())->panels[0];
  EXPECT_EQ(panel.columns.digits, (std::vector<Digit>{{2, 1, "register"}, {4, 2, "lane"}}));
  EXPECT_EQ(panel.rows.digits,
            (std::vector<Digit>{{8, 1, "lane"}, {2, 8, "register"}, {2, 16, "warp"}}));
  EXPECT_EQ(panel.rows.blocks, (std::vector<std::size_t>{8, 16}));
  EXPECT_EQ(tensor_picture(swizzled())->panels[0].columns.digits,
            (std::vector<Digit>{{8, 1, "offset"}, {8, 8, "xor"}}));
}

TEST(LinearPicture, ShowsOffsetsAndBanksOfSharedMemory) {
  const Picture p = tensor_picture(swizzled(), {.element_bits = 16}).value();
  EXPECT_EQ(p.colors, 32U);
  for (std::int64_t row = 0; row < 8; ++row) {
    for (std::int64_t column = 0; column < 64; ++column) {
      const std::int64_t offset = row * 64 + (column ^ row * 8);
      const Cell& cell = p.panels[0].cells[static_cast<std::size_t>(row * 64 + column)];
      EXPECT_EQ(cell.text, std::to_string(offset));
      EXPECT_EQ(cell.note, "b" + std::to_string(offset / 2 % 32));
      EXPECT_EQ(cell.color, static_cast<std::size_t>(offset / 2 % 32));
    }
  }
  EXPECT_EQ(tensor_picture(swizzled(), {.element_bits = 64})->panels[0].cells[1].note, "b2-3");
}

TEST(LinearPicture, SlicesHoldDimensions) {
  const LinearLayout deep = blocked({{2, 1, 4}, {2, 2, 2}, {1, 2, 1}, {2, 1, 0}, {}}, {8, 2, 16});
  const Picture whole = tensor_picture(deep).value();
  const Picture one = tensor_picture(deep, {.slice = {{"dim0", 5}}}).value();
  ASSERT_EQ(one.panels.size(), 1U);
  EXPECT_EQ(one.panels[0].cells, whole.panels[5].cells);
  const Picture line = tensor_picture(deep, {.slice = {{"dim2", 3}, {"dim1", 1}}}).value();
  ASSERT_EQ(line.panels[0].cells.size(), 8U);
  for (std::size_t i = 0; i < 8; ++i)
    EXPECT_EQ(line.panels[0].cells[i], whole.panels[i].cells[16 + 3]);
  const Picture warp = hardware_picture(accumulator(), {.slice = {{"warp", 1}}}).value();
  ASSERT_EQ(warp.panels.size(), 1U);
  EXPECT_EQ(warp.panels[0].cells, hardware_picture(accumulator())->panels[1].cells);
  const Picture lane =
      hardware_picture(accumulator(), {.slice = {{"warp", 1}, {"lane", 0}}}).value();
  EXPECT_EQ(to_terminal(lane),
            "register 4, lane 32, warp 2, block 1 -> dim0 32, dim1 8\n"
            "       0       1       2       3\n"
            "┌────────────────────────────────┐\n"
            "│ (16,0)  (16,1)  (24,0)  (24,1) │\n"
            "└────────────────────────────────┘\n");
}

TEST(LinearPicture, PicksThreadsAndElements) {
  const Picture thread = tensor_picture(accumulator(), {.thread = 37}).value();
  Texts colored;
  for (const Cell& cell : thread.panels[0].cells) {
    if (cell.color != kPlain) colored.push_back(cell.text);
  }
  EXPECT_EQ(colored, (Texts{"T37:0", "T37:1", "T37:2", "T37:3"}));
  EXPECT_EQ(thread.notes,
            (Texts{"T37:0 = (17,2), T37:1 = (17,3), T37:2 = (25,2), T37:3 = (25,3)"}));
  const Picture element = hardware_picture(accumulator(), {.element = Coordinates{17, 3}}).value();
  std::size_t count = 0;
  for (const Panel& panel : element.panels) {
    for (const Cell& cell : panel.cells) {
      if (cell.color == kPlain) continue;
      EXPECT_EQ(cell.text, "(17,3)");
      ++count;
    }
  }
  EXPECT_EQ(count, 1U);
  EXPECT_EQ(element.notes, (Texts{"element (17,3) is held by T37:1 (register=1, lane=5, warp=1)"}));
}

// The hardware view.

TEST(LinearPicture, PutsRegistersBesideLanes) {
  const Picture p = hardware_picture(accumulator()).value();
  ASSERT_EQ(p.panels.size(), 2U);
  EXPECT_EQ(p.panels[0].label, "warp=0: lane x register");
  const std::vector<Texts> rows = rows_in(to_terminal(p));
  EXPECT_EQ(rows[5], (Texts{"(1,2)", "(1,3)", "(9,2)", "(9,3)"}));
  EXPECT_EQ(rows[32 + 5], (Texts{"(17,2)", "(17,3)", "(25,2)", "(25,3)"}));
}

RC_GTEST_PROP(LinearPicture, HardwareViewHasTheElementOfEachPlace, ()) {
  const LinearLayout layout = random_threads();
  const Picture p = hardware_picture(layout, {.facts = true}).value();
  std::map<std::string, std::string> wanted;
  for (const NamedSizes& input : inputs_of(layout))
    wanted[thread_text(layout, input)] = text_of(element_of(layout, input));
  std::map<std::string, std::string> shown;
  Texts texts;
  for (const Panel& panel : p.panels) {
    for (const Cell& cell : panel.cells) {
      shown[cell.facts[0]] = cell.text;
      texts.push_back(cell.text);
    }
  }
  RC_ASSERT(shown == wanted);
  RC_ASSERT(texts.size() == wanted.size());
  RC_ASSERT(joined(rows_in(to_terminal(p))) == texts);
}

TEST(LinearPicture, ShowsMemoryInRoundsOfTheBanks) {
  const Picture p = hardware_picture(swizzled(), {.element_bits = 16}).value();
  ASSERT_EQ(p.panels.size(), 1U);
  const Panel& panel = p.panels[0];
  EXPECT_EQ(panel.rows.length, 8U);
  EXPECT_EQ(panel.columns.length, 64U);
  EXPECT_EQ(panel.columns.digits, (std::vector<Digit>{{2, 1, "element"}, {32, 2, "bank"}}));
  for (std::size_t line = 0; line < 8; ++line) {
    for (std::size_t place = 0; place < 64; ++place) {
      const std::size_t column = place ^ line * 8;
      const Cell& cell = panel.cells[line * 64 + place];
      EXPECT_EQ(cell.text, "(" + std::to_string(line) + "," + std::to_string(column) + ")");
      EXPECT_EQ(cell.color, column / 8);
    }
  }
}

TEST(LinearPicture, ShortensByWhatIsEasyToSay) {
  const LinearLayout layout = blocked({{1, 4}, {8, 4}, {4, 1}, {1, 0}, {}}, {1 << 20, 1 << 20});
  const Picture p = tensor_picture(layout, {.max_cells = 512}).value();
  // What is left is the tile of all threads.
  EXPECT_EQ(p.panels[0].cells.size(), 512U);
  EXPECT_EQ(p.panels[0].rows.length * p.panels[0].columns.length, 512U);
  EXPECT_TRUE(
      p.notes[0].starts_with("shown: dim0 0 to 31, dim1 0 to 15; element + (32,0): owner xor "
                             "(register="))
      << p.notes[0];
  const Picture q = hardware_picture(accumulator(), {.max_cells = 64}).value();
  EXPECT_EQ(q.notes, (Texts{"shown: register 0 to 1, warp 0; place + (register=2): element xor "
                            "(8,0), + (warp=1): element xor (16,0)"}));
}

// The matrix view.

TEST(LinearPicture, ShowsTheIdentityAsTritonsMatrixView) {
  const LinearLayout identity = linear::identity_1d(4, "idx", "idx").value();
  EXPECT_EQ(rows_in(to_terminal(matrix_picture(identity).value())),
            (std::vector<Texts>{{"1", "·"}, {"·", "1"}}));
}

RC_GTEST_PROP(LinearPicture, MatrixViewHasAOneForEachSetBit, ()) {
  const LinearLayout layout = random_threads();
  const Picture p = matrix_picture(layout).value();
  const auto columns = layout.matrix().columns();
  std::vector<Texts> wanted;
  for (std::size_t row = 0; row < layout.matrix().rows() && !columns.empty(); ++row) {
    wanted.emplace_back();
    for (const std::uint64_t column : columns)
      wanted.back().emplace_back((column >> row & 1) != 0 ? "1" : "·");
  }
  if (!wanted.empty()) RC_ASSERT(rows_in(to_terminal(p)) == wanted);
}

TEST(LinearPicture, TellsColumnsApart) {
  const LinearLayout layout =
      made({{"register", {{1, 0}, {0, 1}}}, {"lane", {{1, 1}, {0, 0}}}, {"warp", {}}},
           {{"dim0", 2}, {"dim1", 2}});
  const Picture p = matrix_picture(layout).value();
  const std::string wanted =
      "register 4, lane 4, warp 1 -> dim0 2, dim1 2\n"
      "         register\n"
      "                lane\n"
      "         1  2   1  2\n"
      "       ┏━━━━━━┯━━━━━━┓\n"
      "dim0 1 ┃ 1  · │ 1  · ┃\n"
      "       ┠──────┼──────┨\n"
      "dim1 1 ┃ ·  1 │ 1  · ┃\n"
      "       ┗━━━━━━┷━━━━━━┛\n"
      "rank 2 of 2 rows and 4 columns: surjective, not injective\n"
      "zero: lane=2\n"
      "lane=1 leads where (register=3) does\n"
      "inputs of size 1, without a column: warp\n";
  EXPECT_EQ(to_terminal(p), wanted);
  EXPECT_EQ(p.panels[0].cells[0].color, 0U);
  EXPECT_EQ(p.panels[0].cells[2].color, 1U);
  EXPECT_EQ(p.panels[0].cells[3].color, 2U);
  EXPECT_NE(to_latex(p).find("{$\\cdot$}"), std::string::npos);
}

TEST(LinearPicture, NamesTheBlocksOfTheMatrixInFiles) {
  const std::string svg = to_svg(matrix_picture(accumulator()).value());
  for (const char* name : {"register", "lane", "warp", "dim0", "dim1"})
    EXPECT_NE(svg.find(std::string(">") + name + "</text>"), std::string::npos) << name;
  const std::string tex = to_latex(matrix_picture(accumulator()).value());
  for (const char* name : {"register", "lane", "warp", "dim0", "dim1"})
    EXPECT_NE(tex.find(std::string("{") + name + "};"), std::string::npos) << name;
}

// Files.

RC_GTEST_PROP(LinearPicture, AllFormatsTakeAllViews, ()) {
  const LinearLayout layout = random_threads();
  const PictureOptions options{.facts = true};
  for (const auto& picture : {tensor_picture(layout, options), hardware_picture(layout, options),
                              matrix_picture(layout, options)}) {
    RC_ASSERT(picture.has_value());
    for (const Panel& panel : picture->panels) {
      RC_ASSERT(panel.cells.size() == shown_count(panel.rows) * shown_count(panel.columns));
      for (const Cell& cell : panel.cells) RC_ASSERT(cell.facts.size() == panel.fact_names.size());
    }
    RC_ASSERT(to_svg(*picture).ends_with("</svg>\n"));
    RC_ASSERT(to_svg(*picture).ends_with("</svg>\n"));
    RC_ASSERT(to_latex(*picture).ends_with("\\end{document}\n"));
  }
}

TEST(LinearPicture, DrawsLayoutsWithoutDimensions) {
  for (const auto& picture : {tensor_picture(linear::empty()), hardware_picture(linear::empty()),
                              matrix_picture(linear::empty())}) {
    ASSERT_TRUE(picture);
    EXPECT_EQ(picture->title, "() -> ()");
    EXPECT_EQ(picture->panels.size(), 1U);
    EXPECT_EQ(picture->panels[0].cells.size(), 1U);
  }
  EXPECT_EQ(tensor_picture(linear::empty())->panels[0].cells[0].text, "()");
}

TEST(LinearPicture, DrawsLayoutsOf64Bits) {
  Bases bases = {{"register", {}}, {"lane", {}}};
  for (int bit = 0; bit < 32; ++bit) {
    bases[0].vectors.push_back({std::int64_t{1} << bit, 0});
    bases[1].vectors.push_back({0, std::int64_t{1} << bit});
  }
  const LinearLayout layout =
      made(bases, {{"dim0", std::int64_t{1} << 32}, {"dim1", std::int64_t{1} << 32}});
  EXPECT_EQ(tensor_picture(layout)->panels[0].cells.size(), kUsualNamedCells);
  EXPECT_EQ(hardware_picture(layout)->panels[0].cells.size(), kUsualNamedCells);
  EXPECT_EQ(matrix_picture(layout)->panels[0].cells.size(), 64U * 64U);
}

// What cannot be.

TEST(LinearPicture, RefusesWhatIsNotThere) {
  const LinearLayout layout = accumulator();
  EXPECT_EQ(refusal(tensor_picture(layout, {.slice = {{"warp", 1}}})),
            "error draw.slice: this view has no dimension warp to slice: there are dim0 (size 32), "
            "dim1 (size 8)");
  EXPECT_EQ(refusal(tensor_picture(layout, {.slice = {{"dim0", 1}, {"dim0", 1}}})),
            "error draw.slice: the slice holds dim0 twice");
  EXPECT_EQ(refusal(hardware_picture(layout, {.slice = {{"warp", 2}}})),
            "error draw.slice: warp=2 is outside warp: coordinates are 0 to 1");
  EXPECT_EQ(refusal(hardware_picture(layout, {.slice = {{"warp", -1}}})),
            "error draw.slice: warp=-1 is outside warp: coordinates are 0 to 1");
  EXPECT_EQ(refusal(tensor_picture(layout, {.thread = 64})),
            "error draw.tv: there is no thread 64: threads are 0 to 63");
  EXPECT_EQ(refusal(tensor_picture(swizzled(), {.thread = 0})),
            "error draw.tv: there is no thread 0: offset 512, block 1 -> dim0 8, dim1 64 has no "
            "lanes and warps");
  EXPECT_EQ(refusal(tensor_picture(layout, {.element = Coordinates{32, 0}})),
            "error draw.tv: there is no element (32,0) in the tensor [dim0 (size 32), dim1 (size "
            "8)]");
  EXPECT_EQ(refusal(tensor_picture(layout, {.element = Coordinates{3}})),
            "error draw.tv: there is no element (3) in the tensor [dim0 (size 32), dim1 (size 8)]");
  EXPECT_EQ(refusal(tensor_picture(layout, {.color_by = "dim0"})),
            "error draw.color: no dimension dim0 determines the colours of this view: there are "
            "(register, lane, warp, block)");
  EXPECT_EQ(refusal(tensor_picture(layout, {.banks = 32})),
            "error draw.color: banks are those of shared memory, of a layout from offset, and "
            "this is register 4, lane 32, warp 2, block 1 -> dim0 32, dim1 8");
  EXPECT_EQ(refusal(hardware_picture(swizzled(), {.element_bits = 24})),
            "error draw.color: 32 banks of 32 bits hold elements of 24 bits in no rows of a power "
            "of two");
  EXPECT_EQ(refusal(tensor_picture(layout, {.modulus = 33})),
            "error draw.color: colours go by the coordinate modulo 1 to 32, not modulo 33");
  EXPECT_EQ(refusal(tensor_picture(layout, {.run = 0})),
            "error draw.color: runs of 0 coordinates cannot share a colour; a run has at least 1");
}

TEST(LinearPicture, RefusesAllOfWhatIsTooLarge) {
  const LinearLayout layout = blocked({{1, 4}, {8, 4}, {4, 1}, {1, 0}, {}}, {2048, 1024});
  const std::string title = "register 16384, lane 32, warp 4, block 1 -> dim0 2048, dim1 1024";
  EXPECT_EQ(refusal(tensor_picture(layout, {.max_cells = kMaxCells + 1})),
            "error draw.too_large: " + title +
                " has 2097152 elements, and a picture at most 1048576 cells\n"
                "  hint: leave --all out: a part is shown then, and how it goes on; --slice "
                "NAME=COORDINATE picks one");
}

}  // namespace
}  // namespace heddle::draw
