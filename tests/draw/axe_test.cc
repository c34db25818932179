// Pictures of Axe layouts: small ones whole, and what pictures of random ones say against plain
// evaluation.

#include "heddle/draw/axe.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "heddle/draw/formats.h"
#include "support/random_axe.h"

namespace heddle::draw {
namespace {

using axe::Iter;
using test::Finding;
using test::for_all_seeds;
using test::found;
using test::kHolds;
using test::PlainPlace;
using test::PlainPlaces;
using test::Random;
using Numbers = std::vector<std::int64_t>;
using Texts = std::vector<std::string>;

Iter iter(std::int64_t extent, std::int64_t stride, const char* axis = "m") {
  return {extent, stride, Axis(axis)};
}

axe::Layout made(std::vector<Iter> shard, std::vector<Iter> replica = {},
                 axe::Coordinate offset = {}) {
  return axe::Layout::make(std::move(shard), std::move(replica), std::move(offset)).value();
}

/// Seed 002, section 2.2, A, with the warps of its replicas.
axe::Layout tensor_core() {
  return made({iter(8, 4, "laneid"), iter(2, 1, "warpid"), iter(4, 1, "laneid"), iter(2, 1)},
              {iter(2, 4, "warpid")}, {{Axis("warpid"), Int(5)}});
}

/// 4 x 4 elements, lanes 2 and 3 without any.
axe::Layout gappy() {
  return made({iter(2, 4, "laneid"), iter(2, 1, "laneid"), iter(2, 1, "warpid"), iter(2, 1)},
              {iter(2, 2, "warpid")});
}

/// 512 x 1024 elements over a mesh of 2 x 2 devices, twice.
axe::Layout sharded() {
  return made({iter(2, 2, "gpuid"), iter(256, 512), iter(2, 1, "gpuid"), iter(512, 1)},
              {iter(2, 4, "gpuid")});
}

PictureOptions of_shape(Numbers shape) {
  PictureOptions options;
  options.shape = std::move(shape);
  return options;
}

std::string code(const Result<Picture>& result) {
  return result ? "not refused" : std::string(result.error().code());
}

std::string shown(const Result<Picture>& picture) {
  return picture ? to_terminal(*picture, {}) : picture.error().to_string();
}

// Small pictures.

TEST(AxeTensorPicture, ShowsOwnersReplicasAndMemory) {
  EXPECT_EQ(shown(tensor_picture(gappy(), of_shape({4, 4}))),
            R"(S[(2,2,2,2):(4@laneid,1@laneid,1@warpid,1@m)] + R[(2):(2@warpid)]
             0           1            2           3
  ┏━━━━━━━━━━━━━━━━━━━━━━━━┯━━━━━━━━━━━━━━━━━━━━━━━━┓
0 ┃ w0,2 l0 m0  w0,2 l0 m1 │ w1,3 l0 m0  w1,3 l0 m1 ┃
1 ┃ w0,2 l1 m0  w0,2 l1 m1 │ w1,3 l1 m0  w1,3 l1 m1 ┃
  ┠────────────────────────┼────────────────────────┨
2 ┃ w0,2 l4 m0  w0,2 l4 m1 │ w1,3 l4 m0  w1,3 l4 m1 ┃
3 ┃ w0,2 l5 m0  w0,2 l5 m1 │ w1,3 l5 m0  w1,3 l5 m1 ┃
  ┗━━━━━━━━━━━━━━━━━━━━━━━━┷━━━━━━━━━━━━━━━━━━━━━━━━┛
w = warpid, l = laneid
each element is held in 2 places: warpid +0,2
16 of 48 places unowned: of warpid 0 to 3, laneid 0 to 5, m 0 to 1
)");
}

TEST(AxeTensorPicture, FindsTheOwnersOfAnElement) {
  PictureOptions options = of_shape({8, 16});
  options.element = Numbers{1, 5};
  const Picture picture = tensor_picture(tensor_core(), options).value();
  EXPECT_EQ(picture.panels[0].cells[21].text, "w5,9 l6");
  EXPECT_EQ(picture.panels[0].cells[21].note, "m1");
  EXPECT_EQ(picture.notes.back(), "element (1,5), index 21, is held by warpid 5,9; laneid 6; m 1");
  const auto colored = std::ranges::count_if(
      picture.panels[0].cells, [](const Cell& cell) { return is_a_color(cell.color); });
  EXPECT_EQ(colored, 1);
}

TEST(AxeTensorPicture, NamesTheItersAlongItsSides) {
  const Picture picture = tensor_picture(tensor_core(), of_shape({8, 16})).value();
  EXPECT_EQ(picture.panels[0].rows.digits, (std::vector<Digit>{{8, 1, "8:4@laneid"}}));
  EXPECT_EQ(picture.panels[0].columns.digits,
            (std::vector<Digit>{{2, 1, "2:1@m"}, {4, 2, "4:1@laneid"}, {2, 8, "2:1@warpid"}}));
  EXPECT_EQ(picture.panels[0].columns.blocks, (std::vector<std::size_t>{2, 8}));
  EXPECT_EQ(picture.legend, "owner (warpid, laneid) mod 8");
}

TEST(AxeTensorPicture, AddressesAloneNeedNoName) {
  EXPECT_EQ(shown(tensor_picture(made({iter(2, 1), iter(3, 2)}), of_shape({2, 3}))),
            "S[(2,3):(1@m,2@m)]\n"
            "    0  1  2\n"
            "  ┌─────────┐\n"
            "0 │ 0  2  4 │\n"
            "1 │ 1  3  5 │\n"
            "  └─────────┘\n");
}

TEST(AxeTensorPicture, SaysWhatIsLeftOut) {
  const Picture picture = tensor_picture(sharded(), of_shape({512, 1024})).value();
  EXPECT_EQ(picture.notes.front(), "left out: rows 32 to 503 and columns 32 to 1015");
  EXPECT_EQ(picture.panels[0].cells.size(), std::size_t{40 * 40});
  EXPECT_EQ(picture.panels[0].cells.back().text, "g3,7");
}

TEST(AxeTensorPicture, FurtherDimensionsMakePanels) {
  const Picture picture =
      tensor_picture(made({iter(2, 1, "warpid"), iter(3, 1, "laneid"), iter(4, 1, "reg")}),
                     of_shape({2, 3, 4}))
          .value();
  ASSERT_EQ(picture.panels.size(), 2U);
  EXPECT_EQ(picture.panels[1].label, "(1,_,_)");
  EXPECT_EQ(picture.panels[1].cells[7].text, "w1 l1");
  EXPECT_EQ(picture.panels[1].cells[7].note, "r3");
}

TEST(AxeHardwarePicture, HatchesPlacesThatNobodyOwns) {
  EXPECT_EQ(shown(hardware_picture(made({iter(2, 2, "laneid"), iter(2, 1)}), of_shape({2, 2}))),
            "S[(2,2):(2@laneid,1@m)]\n"
            "        0      1\n"
            "  ┌──────────────┐\n"
            "0 │ (0,0)  (0,1) │\n"
            "1 │     ·      · │\n"
            "2 │ (1,0)  (1,1) │\n"
            "  └──────────────┘\n"
            "2 of 6 places unowned: of laneid 0 to 2, m 0 to 1\n");
}

TEST(AxeHardwarePicture, MarksPlacesHeldTwice) {
  EXPECT_EQ(shown(hardware_picture(made({iter(2, 0), iter(3, 2)}), of_shape({2, 3}))),
            "S[(2,3):(0@m,2@m)]\n"
            "            0            1            2            3            4\n"
            "┌─────────────────────────────────────────────────────────────────┐\n"
            "│ (0,0) (1,0)      ·        (0,1) (1,1)      ·        (0,2) (1,2) │\n"
            "└─────────────────────────────────────────────────────────────────┘\n"
            "2 of 5 places unowned: of m 0 to 4\n"
            "3 of 5 places hold several elements\n");
}

TEST(AxeHardwarePicture, LeavesOutPanelsOfNothing) {
  const Picture picture = hardware_picture(tensor_core(), of_shape({8, 16})).value();
  ASSERT_EQ(picture.panels.size(), 4U);
  EXPECT_EQ(picture.panels[2].label, "warpid 9");
  EXPECT_EQ(picture.notes[0], "nothing at warpid 7; warpid 8");
  EXPECT_EQ(picture.notes[2],
            "128 of 384 places unowned: of warpid 5 to 10, laneid 0 to 31, m 0 to 1");
}

TEST(AxeHardwarePicture, FoldsMemoryIntoLines) {
  const Picture picture = hardware_picture(made({iter(80, 1)})).value();
  EXPECT_EQ(picture.panels[0].rows.names, (Texts{"0", "32", "64"}));
  EXPECT_EQ(picture.panels[0].cells[32].text, "32");
  EXPECT_EQ(picture.panels[0].cells[79].text, "79");
  EXPECT_EQ(picture.panels[0].cells[80].text, "");
}

TEST(AxeHardwarePicture, FindsElementsOfHugeLayouts) {
  const axe::Layout huge = made({iter(1 << 20, 1 << 12), iter(1 << 12, 1)});
  const Picture picture = hardware_picture(huge, of_shape({1 << 20, 1 << 12})).value();
  EXPECT_EQ(picture.panels[0].cells.back().text, "(1048575,4095)");
  EXPECT_EQ(tensor_picture(huge, of_shape({1 << 20, 1 << 12}))->panels[0].cells.back().text,
            "4294967295");
}

TEST(AxeDevicePicture, ShowsTheRegionOfEachDevice) {
  EXPECT_EQ(shown(device_picture(sharded(), of_shape({512, 1024}))),
            R"(S[(2,256,2,512):(2@gpuid,512@m,1@gpuid,1@m)] + R[(2):(4@gpuid)]
                 0:512      512:1024
        ┌────────────────────────────┐
  0:256 │ g0,4 256x512  g1,5 256x512 │
256:512 │ g2,6 256x512  g3,7 256x512 │
        └────────────────────────────┘
g = gpuid
each element is held in 2 places: gpuid +0,4
)");
}

TEST(AxeDevicePicture, WritesSteppedRegionsAsSlices) {
  const axe::Layout cyclic = made({iter(4, 1), iter(2, 1, "gpuid")});
  const Picture picture = device_picture(cyclic).value();
  EXPECT_EQ(picture.panels[0].columns.names, (Texts{"0:7:2", "1:8:2"}));
  const axe::Layout mixed = made({iter(2, 2), iter(2, 1, "gpuid"), iter(2, 1)});
  EXPECT_EQ(device_picture(mixed)->panels[0].columns.names, (Texts{"0: 4 of 8", "2: 4 of 8"}));
}

TEST(AxePicture, Refuses) {
  EXPECT_EQ(code(tensor_picture(gappy(), of_shape({4, 5}))), "axe.not_admitted");
  PictureOptions options;
  options.modulus = 33;
  EXPECT_EQ(code(tensor_picture(gappy(), options)), "draw.color");
  options.modulus = 8;
  options.run = 0;
  EXPECT_EQ(code(hardware_picture(gappy(), options)), "draw.color");
  PictureOptions element;
  element.element = Numbers{16};
  EXPECT_EQ(code(tensor_picture(gappy(), element)), "draw.tv");
  PictureOptions all = of_shape({2048, 1024});
  all.max_cells = kMaxCells + 1;
  EXPECT_EQ(code(tensor_picture(made({iter(2048, 1024), iter(1024, 1)}), all)), "draw.too_large");
  const axe::Layout copies = made({iter(2, 1)}, {iter((1 << 20) + 1, 2)});
  EXPECT_EQ(code(tensor_picture(copies)), "draw.too_large");
  const axe::Layout symbolic =
      axe::Layout::make({{Int::variable("M", 1, 8), Int(1), Axis("m")}}).value();
  EXPECT_EQ(code(tensor_picture(symbolic)), "draw.symbolic");
  EXPECT_EQ(code(device_picture(gappy())), "draw.devices");
}

// Files.

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

TEST(AxePicture, FilesHatchWhatTheTerminalDots) {
  const Picture picture = hardware_picture(gappy(), of_shape({4, 4})).value();
  EXPECT_EQ(count_of(to_svg(picture), "class=\"hatched\""), 16U);
  EXPECT_EQ(count_of(to_svg(picture), "<pattern id=\"hatch\""), 1U);
  EXPECT_EQ(count_of(to_latex(picture), "\\path[hatched]"), 16U);
  const Picture full = tensor_picture(gappy(), of_shape({4, 4})).value();
  EXPECT_EQ(count_of(to_svg(full), "hatch"), 0U);
  EXPECT_EQ(count_of(to_latex(full), "hatched"), 0U);
}

// Laws.

/// `5,9` and `0..7` and `0,4..28` as numbers; nothing where not all are written.
std::optional<Numbers> numbers_in(const std::string& list) {
  if (list.find('+') != std::string::npos) return std::nullopt;
  if (const std::size_t dots = list.find(".."); dots != std::string::npos) {
    const std::size_t comma = list.find(',');
    const std::int64_t first = std::stoll(list);
    const std::int64_t step =
        comma == std::string::npos ? 1 : std::stoll(list.substr(comma + 1)) - first;
    Numbers numbers;
    for (std::int64_t i = first; i <= std::stoll(list.substr(dots + 2)); i += step)
      numbers.push_back(i);
    return numbers;
  }
  Numbers numbers;
  std::istringstream parts(list);
  for (std::string part; std::getline(parts, part, ',');) numbers.push_back(std::stoll(part));
  return numbers;
}

/// `warpid 5,9; laneid 6; m 1` as a set of places.
std::optional<PlainPlaces> places_in(const std::string& text) {
  PlainPlaces places = {{}};
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ';');) {
    std::istringstream words(part);
    std::string axis;
    std::string list;
    words >> axis >> list;
    const auto numbers = numbers_in(list);
    if (!numbers) return std::nullopt;
    PlainPlaces more;
    for (const PlainPlace& place : places) {
      for (const std::int64_t number : *numbers) {
        PlainPlace longer = place;
        if (number != 0) longer[axis] = number;
        more.insert(longer);
      }
    }
    places = more;
  }
  return places;
}

/// The lists in `w5,9 l6 m1`, or of an address alone, without the names.
Texts lists_in(const Cell& cell) {
  Texts lists;
  std::istringstream words(cell.text + " " + cell.note);
  for (std::string word; words >> word;) lists.push_back(word);
  return lists;
}

PictureOptions with_facts() {
  PictureOptions options;
  options.facts = true;
  options.owners = 32;
  options.max_cells = 1024;
  return options;
}

TEST(AxePictureLaw, EveryElementIsLabelledWithItsPlaces) {
  test::Tally replicated;
  for_all_seeds([&](Random& random) -> Finding {
    const axe::Layout layout = test::any_axe(random, {.max_size = 64, .swizzles = true});
    const std::vector<PlainPlaces> wanted = test::plain_map(layout);
    const Result<Picture> picture = tensor_picture(layout, with_facts());
    if (!picture) return found(layout, ": ", picture.error());
    if (wanted.front().size() > 1) replicated.count();
    for (const Cell& cell : picture->panels[0].cells) {
      const auto index = static_cast<std::size_t>(std::stoll(cell.facts[1]));
      const auto places = places_in(cell.facts[2]);
      if (places && *places != wanted[index])
        return found(layout, " at ", index, ": ", cell.facts[2]);
      // The label has the same lists, behind short names.
      Texts lists;
      std::istringstream parts(cell.facts[2]);
      for (std::string part; std::getline(parts, part, ';');)
        lists.push_back(part.substr(part.rfind(' ') + 1));
      const Texts labels = lists_in(cell);
      if (labels.size() != lists.size()) return found(layout, ": ", cell.text, " ", cell.note);
      for (std::size_t i = 0; i < lists.size(); ++i) {
        if (!labels[i].ends_with(lists[i])) return found(layout, ": ", cell.text, " ", cell.note);
      }
    }
    return kHolds;
  });
  replicated.expect_at_least(10);
}

/// The elements of each place.
std::map<PlainPlace, std::set<std::int64_t>> elements_by_place(const axe::Layout& layout) {
  std::map<PlainPlace, std::set<std::int64_t>> elements;
  const std::vector<PlainPlaces> map = test::plain_map(layout);
  for (std::size_t index = 0; index < map.size(); ++index) {
    for (const PlainPlace& place : map[index])
      elements[place].insert(static_cast<std::int64_t>(index));
  }
  return elements;
}

/// `3 4|5 +1`: what is written, and how many there are.
struct WrittenElements {
  std::set<std::int64_t> written;
  std::size_t count = 0;
};

WrittenElements elements_in(const std::string& text) {
  WrittenElements elements;
  if (text == "nothing" || text.empty()) return elements;
  std::string words = text;
  std::ranges::replace(words, '|', ' ');
  std::istringstream stream(words);
  for (std::string word; stream >> word;) {
    if (word[0] == '+') {
      elements.count += std::stoul(word.substr(1));
      continue;
    }
    elements.written.insert(std::stoll(word));
    ++elements.count;
  }
  return elements;
}

TEST(AxePictureLaw, EveryPlaceShowsItsElements) {
  for_all_seeds([](Random& random) -> Finding {
    const axe::Layout layout = test::any_axe(random, {.max_size = 64, .swizzles = true});
    const auto wanted = elements_by_place(layout);
    const Result<Picture> picture = hardware_picture(layout, with_facts());
    if (!picture) return found(layout, ": ", picture.error());
    for (const Panel& panel : picture->panels) {
      for (const Cell& cell : panel.cells) {
        if (cell.facts[0].empty()) continue;
        const PlainPlace place = *places_in(cell.facts[0])->begin();
        const WrittenElements got = elements_in(cell.facts[1]);
        const auto at = wanted.find(place);
        const std::set<std::int64_t> all =
            at == wanted.end() ? std::set<std::int64_t>() : at->second;
        const bool has_all = std::ranges::includes(all, got.written);
        if (!has_all || got.count != all.size())
          return found(layout, " at ", cell.facts[0], ": ", cell.facts[1]);
        if ((cell.color == kHatched) != all.empty())
          return found(layout, " at ", cell.facts[0], " hatched");
      }
    }
    return kHolds;
  });
}

TEST(AxePictureLaw, UnownedAndSharedPlacesAreCounted) {
  test::Tally unowned;
  for_all_seeds([&](Random& random) -> Finding {
    const axe::Layout layout = test::any_axe(random, {.max_size = 64, .swizzles = true});
    const auto elements = elements_by_place(layout);
    std::map<std::string, std::pair<std::int64_t, std::int64_t>> box;
    for (const Axis& axis : axe::axes(layout)) {
      std::int64_t low = INT64_MAX;
      std::int64_t high = INT64_MIN;
      for (const auto& [place, held] : elements) {
        const auto found_at = place.find(axis.name());
        const std::int64_t value = found_at == place.end() ? 0 : found_at->second;
        low = std::min(low, value);
        high = std::max(high, value);
      }
      box[axis.name()] = {low, high};
    }
    Int all = 1;
    for (const auto& [name, ends] : box) all *= ends.second - ends.first + 1;
    std::int64_t shared = 0;
    for (const auto& [place, held] : elements) shared += held.size() > 1 ? 1 : 0;
    const auto count = static_cast<std::int64_t>(elements.size());
    Texts wanted;
    if (Int(count) != all) {
      unowned.count();
      wanted.push_back(to_string(all - count) + " of " + to_string(all) + " places unowned");
    }
    if (shared > 0) {
      wanted.push_back(std::to_string(shared) + " of " + to_string(all) +
                       " places hold several elements");
    }
    const Result<Picture> picture = tensor_picture(layout);
    if (!picture) return found(layout, ": ", picture.error());
    Texts got;
    for (const std::string& note : picture->notes) {
      if (note.find(" places unowned") != std::string::npos ||
          note.find("hold several") != std::string::npos)
        got.push_back(note.substr(0, note.find(':')));
    }
    if (got != wanted) return found(layout, ": ", got.empty() ? "no note" : got.front());
    return kHolds;
  });
  unowned.expect_at_least(20);
}

}  // namespace
}  // namespace heddle::draw
