// The elements of cells, which connect the views of a layout: in the view of a tensor each cell has
// its own, in the view of a memory each place has all that are mapped to it.

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "heddle/cute/composition.h"
#include "heddle/draw/axe.h"
#include "heddle/draw/linear.h"
#include "heddle/draw/operation.h"
#include "heddle/draw/picture.h"
#include "heddle/draw/tv.h"
#include "heddle/draw/view.h"
#include "heddle/map/any_layout.h"
#include "heddle/notation/evaluator.h"
#include "support/law.h"
#include "support/plain.h"
#include "support/random_axe.h"
#include "support/random_lego.h"
#include "support/random_linear.h"
#include "support/text.h"

namespace heddle::draw {
namespace {

using test::Finding;
using test::found;
using test::kHolds;
using test::Operands;
using test::Random;
using Elements = std::vector<std::int64_t>;

const PictureOptions kLinked{.owners = 64, .max_cells = 4096, .facts = true, .elements = true};

/// Calls `check` for each cell; the first finding, if any.
template <class Check>
Finding for_each_cell(const Picture& picture, Check check) {
  for (const Panel& panel : picture.panels) {
    for (const Cell& cell : panel.cells) {
      if (Finding finding = check(cell)) return finding;
    }
  }
  return kHolds;
}

/// The elements of each place, by the text of the place.
using ByPlace = std::map<std::string, Elements>;

/// Every cell has the elements of its place, each place of the map is drawn, and hatched cells are
/// those without any.
Finding shows(const Picture& picture, const ByPlace& wanted) {
  std::set<std::string> drawn;
  Finding finding = for_each_cell(picture, [&](const Cell& cell) -> Finding {
    const std::string& place = cell.facts[0];
    const auto at = wanted.find(place);
    const Elements elements = at == wanted.end() ? Elements() : at->second;
    drawn.insert(place);
    if (cell.elements != elements) return found("the elements of ", place);
    if (cell.color == kHatched && !elements.empty()) return found(place, " is hatched");
    return kHolds;
  });
  if (finding) return finding;
  for (const auto& [place, elements] : wanted) {
    if (!drawn.contains(place)) return found(place, " is not drawn");
  }
  return kHolds;
}

TEST(ElementsLaw, ACellOfACuteTensorHasItsFlatCoordinate) {
  test::for_all([](Random& random) { return Operands{{test::any_layout(random, 64)}, {}}; },
                [](const Operands& o) -> Finding {
                  const Picture drawn = picture(to_layout(o.layouts[0]), kLinked).value();
                  const std::vector<std::int64_t> indices = table(o.layouts[0]);
                  std::set<std::int64_t> seen;
                  Finding finding = for_each_cell(drawn, [&](const Cell& cell) -> Finding {
                    if (cell.elements.size() != 1) return found("not one element");
                    const std::int64_t flat = cell.elements.front();
                    seen.insert(flat);
                    if (std::to_string(indices.at(static_cast<std::size_t>(flat))) == cell.text)
                      return kHolds;
                    return found("element ", flat, " shows ", cell.text);
                  });
                  if (finding) return finding;
                  return seen.size() == indices.size() ? kHolds : found("elements are missing");
                });
}

TEST(ElementsLaw, APlaceOfACuteMemoryHasAllThatAreMappedToIt) {
  test::for_all(
      [](Random& random) { return Operands{{test::any_layout(random, 64)}, {}}; },
      [](const Operands& o) -> Finding {
        const std::vector<std::int64_t> indices = table(o.layouts[0]);
        const auto [low, high] = std::ranges::minmax(indices);
        if (high - low > 2048) return test::kSaysNothing;
        ByPlace wanted;
        for (std::size_t flat = 0; flat < indices.size(); ++flat)
          wanted[std::to_string(indices[flat])].push_back(static_cast<std::int64_t>(flat));
        const map::View view = map::view(map::AnyLayout(to_layout(o.layouts[0]))).value();
        return shows(memory_picture(view, kLinked).value(), wanted);
      });
}

TEST(ElementsLaw, APlaceOfALegoMemoryHasThePointInIt) {
  test::for_all_seeds([](Random& random) -> Finding {
    const test::PlainLego plain = test::any_lego(random, {.max_size = 64});
    const lego::Layout layout = to_layout(plain);
    const map::View view = map::view(map::AnyLayout(layout)).value();
    const auto drawn = memory_picture(view, kLinked);
    if (!drawn) return found(layout, ": ", drawn.error());
    const Picture tensor = picture(layout, kLinked).value();
    ByPlace wanted;
    (void)for_each_cell(tensor, [&](const Cell& cell) -> Finding {
      if (cell.color != kHatched) wanted[cell.text].push_back(cell.elements.front());
      return kHolds;
    });
    for (auto& [place, elements] : wanted) std::ranges::sort(elements);
    return shows(*drawn, wanted);
  });
}

/// `laneid 3; m 1` as the hardware view writes a place, from a place without its zeros.
std::string place_text(const Picture& picture, const test::PlainPlace& place) {
  std::string text;
  const std::vector<std::string>& names = picture.panels.front().fact_names;
  for (std::size_t i = 2; i < names.size(); ++i) {
    const auto at = place.find(names[i]);
    text +=
        (i == 2 ? "" : "; ") + names[i] + ' ' + std::to_string(at == place.end() ? 0 : at->second);
  }
  return text;
}

TEST(ElementsLaw, APlaceOfAxeHardwareHasAllThatItHolds) {
  test::for_all_seeds([](Random& random) -> Finding {
    const axe::Layout layout = test::any_axe(random, {.max_size = 64, .swizzles = true});
    const Picture drawn = hardware_picture(layout, kLinked).value();
    std::size_t cells = 0;
    for (const Panel& panel : drawn.panels) cells += panel.cells.size();
    const bool is_whole = std::ranges::none_of(
        drawn.notes, [](const std::string& note) { return note.starts_with("left out"); });
    if (cells == 0 || !is_whole) return test::kSaysNothing;
    ByPlace wanted;
    const std::vector<test::PlainPlaces> map = test::plain_map(layout);
    for (std::size_t index = 0; index < map.size(); ++index) {
      for (const test::PlainPlace& place : map[index])
        wanted[place_text(drawn, place)].push_back(static_cast<std::int64_t>(index));
    }
    const Finding finding = shows(drawn, wanted);
    return finding ? found(layout, ": ", *finding) : finding;
  });
}

TEST(ElementsLaw, AnElementOfAnAxeTensorIsItsIndex) {
  test::for_all_seeds([](Random& random) -> Finding {
    const axe::Layout layout = test::any_axe(random, {.max_size = 64, .swizzles = true});
    return for_each_cell(tensor_picture(layout, kLinked).value(), [&](const Cell& cell) -> Finding {
      if (cell.elements.size() == 1 && std::to_string(cell.elements[0]) == cell.facts[1])
        return kHolds;
      return found(layout, " at ", cell.facts[1]);
    });
  });
}

TEST(ElementsLaw, BothViewsOfALinearLayoutShareTheElementsThatAreHeld) {
  test::for_all_seeds([](Random& random) -> Finding {
    const linear::LinearLayout layout = test::any_linear(random, 6);
    std::map<std::int64_t, std::string> texts;
    (void)for_each_cell(tensor_picture(layout, kLinked).value(), [&](const Cell& cell) -> Finding {
      texts[cell.elements.at(0)] = cell.facts[0];
      return kHolds;
    });
    std::size_t places = 0;
    Finding finding =
        for_each_cell(hardware_picture(layout, kLinked).value(), [&](const Cell& cell) -> Finding {
          ++places;
          if (texts.at(cell.elements.at(0)) == cell.text) return kHolds;
          return found(layout, " at ", cell.facts[0]);
        });
    if (finding) return finding;
    return places == std::size_t{1} << layout.matrix().columns().size()
               ? kHolds
               : found("places are missing");
  });
}

TEST(Elements, OfThreadsAreThoseOfTheTile) {
  const Picture drawn = tv_picture(test::layout("((2,2),2):((1,4),2)"), {4, 2}, kLinked).value();
  for (const Cell& cell : drawn.panels[0].cells)
    EXPECT_EQ(std::to_string(cell.elements.at(0)), cell.facts[1]);
}

TEST(Elements, OfAnMmaDifferFromOperandToOperand) {
  const auto operand = test::layout("(4,2):(1,4)");
  const Picture drawn = mma_picture({operand, operand, operand, 4, 4, 2}, kLinked).value();
  std::set<std::int64_t> all;
  std::size_t count = 0;
  for (const Panel& panel : drawn.panels) {
    for (const Cell& cell : panel.cells) {
      all.insert(cell.elements.at(0));
      ++count;
    }
  }
  EXPECT_EQ(all.size(), count);
  EXPECT_EQ(count, 16U + 8U + 8U);
}

TEST(Elements, OfACompositionLeadFromTheResultToItsOperands) {
  const auto a = test::layout("4:10");
  const auto b = test::layout("(2,3):(1,0)");
  const Picture drawn = picture(AppliedOperation{"composition", a, cute::Tiler(cute::Tile(b)),
                                                 cute::composition(a, b).value()},
                                kLinked)
                            .value();
  const auto elements = [&](std::size_t panel, std::size_t cell) {
    return drawn.panels.at(panel).cells.at(cell).elements;
  };
  EXPECT_EQ(elements(0, 0), (Elements{0, 2, 4}));
  EXPECT_EQ(elements(0, 1), (Elements{1, 3, 5}));
  EXPECT_EQ(elements(0, 2), Elements());
  EXPECT_EQ(elements(1, 1), (Elements{2}));
  EXPECT_EQ(elements(2, 1), (Elements{2}));
}

TEST(Elements, AreLeftOutUnlessAskedFor) {
  EXPECT_TRUE(picture(test::layout("4:1"))->panels[0].cells[0].elements.empty());
}

TEST(MemoryPicture, CountsUnownedAndSharedPlaces) {
  const auto view = [](std::string_view text) {
    return map::view(map::AnyLayout(test::layout(std::string(text)))).value();
  };
  const auto gaps = memory_picture(view("(2,3):(4,1)"));
  ASSERT_TRUE(gaps) << gaps.error();
  EXPECT_EQ(gaps->notes, std::vector<std::string>{"1 of 7 places unowned"});
  EXPECT_EQ(gaps->panels[0].cells[3].color, kHatched);
  EXPECT_EQ(gaps->panels[0].cells[4].text, "(1,0)");
  const auto shared = memory_picture(view("(4,8):(0,1)"));
  EXPECT_EQ(shared->notes, std::vector<std::string>{"8 of 8 places hold several elements"});
  EXPECT_EQ(shared->panels[0].cells[1].note, "(1,1)|(2,1)|(3,1)");
  const auto negative = memory_picture(view("(2,2):(-1,3)"));
  EXPECT_EQ(negative->panels[0].columns.names.front(), "-1");
}

TEST(MemoryPicture, DrawsLinesOfARoundOfTheBanks) {
  const map::View view = map::view(map::AnyLayout(test::layout("(8,64):(64,1)"))).value();
  const Picture drawn = memory_picture(view, {.banks = 32, .element_bits = 16}).value();
  EXPECT_EQ(drawn.panels[0].rows.length, 8U);
  EXPECT_EQ(drawn.panels[0].columns.length, 64U);
  EXPECT_EQ(drawn.panels[0].columns.digits.back().label, "bank");
  EXPECT_EQ(memory_picture(view)->panels[0].columns.length, 32U);
}

TEST(MemoryPicture, RefusesADimensionThatDoesNotExist) {
  const map::View view = map::view(map::AnyLayout(test::layout("(2,2):(1,2)"))).value();
  EXPECT_EQ(memory_picture(view, {.color_by = "c7"}).error().code(), "draw.color");
}

TEST(MemoryPicture, ASpaceWithoutAxesIsOnePlaceThatHoldsEveryElement) {
  const auto drawn =
      notation::evaluate("picture('{ [i] -> [] : 0 <= i < 4 }', view='memory', format='json')");
  EXPECT_TRUE(drawn) << drawn.error();
}

TEST(MemoryPicture, ColoursBeginWhereTheDomainDoes) {
  const auto drawn = notation::evaluate(
      "picture('{ [i,j] -> [i+2*j] : -4 <= i < 0 and 1 <= j < 3 }', view='memory', format='json')");
  ASSERT_TRUE(drawn) << drawn.error();
  EXPECT_NE(to_string(*drawn).find("\"colors\":4"), std::string::npos) << to_string(*drawn);
}

}  // namespace
}  // namespace heddle::draw
