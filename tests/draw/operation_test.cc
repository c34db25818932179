// Pictures of operations: colours and numbers lead from the result to the operands.

#include "heddle/draw/operation.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "heddle/cute/composition.h"
#include "heddle/cute/divide.h"
#include "heddle/cute/product.h"
#include "support/law.h"
#include "support/text.h"

namespace heddle::draw {
namespace {

using cute::Layout;
using cute::Tiler;
using test::layout;
using test::tiler;

using Texts = std::vector<std::string>;

/// `8/2 2#1`: text, colour and note of each cell; `-` for no colour.
Texts cells(const Panel& panel) {
  Texts texts;
  for (const Cell& cell : panel.cells) {
    const std::string color = cell.color == kPlain ? "-" : std::to_string(cell.color);
    texts.push_back(cell.text + "/" + color + (cell.note.empty() ? "" : " " + cell.note));
  }
  return texts;
}

Picture draw(const std::string& operation, const cute::AnyLayout& left, const Tiler& right,
             const cute::AnyLayout& result) {
  return picture(AppliedOperation{operation, left, right, result}).value();
}

Tiler whole(const Layout& layout) { return Tiler(cute::Tile(layout)); }

TEST(OperationNames, AreThoseOfTheFunctions) {
  EXPECT_TRUE(is_drawn_operation("zipped_divide"));
  EXPECT_FALSE(is_drawn_operation("coalesce"));
}

TEST(CompositionPicture, LeadsThroughB) {
  const Layout a = layout("(6,2):(8,2)");
  const Layout b = layout("(4,3):(3,1)");
  const Picture p = draw("composition", a, whole(b), cute::composition(a, b).value());
  EXPECT_EQ(p.title, "composition(A, B) = ((2,2),3):((24,2),8)");
  ASSERT_EQ(p.panels.size(), 3U);
  EXPECT_EQ(p.panels[0].label, "A = (6,2):(8,2)");
  EXPECT_EQ(p.panels[1].label, "B = (4,3):(3,1)");
  EXPECT_EQ(p.panels[2].label, "result = ((2,2),3):((24,2),8)");
  // B(4) = 1 and A(1) = 8, the element 4 of the result.
  EXPECT_EQ(cells(p.panels[0])[2], "8/4 #4");
  EXPECT_EQ(cells(p.panels[1])[1], "1/4 #4");
  EXPECT_EQ(cells(p.panels[2])[1], "8/4 #4");
  EXPECT_EQ(p.colors, 12U);
}

TEST(CompositionPicture, CountsElementsThatAreTakenTwice) {
  const Layout a = layout("4:10");
  const Layout b = layout("(2,3):(1,0)");
  const Picture p = draw("composition", a, whole(b), cute::composition(a, b).value());
  EXPECT_EQ(cells(p.panels[0]), (Texts{"0/0 #0+2", "10/1 #1+2", "20/-", "30/-"}));
}

TEST(CompositionPicture, ColorsColumnsOfLargeResults) {
  const Layout a = layout("256:1");
  const Layout b = layout("(16,8):(8,1)");
  const Picture p = draw("composition", a, whole(b), cute::composition(a, b).value());
  EXPECT_EQ(p.legend, "column of B");
  EXPECT_EQ(p.colors, 8U);
  EXPECT_EQ(p.panels[2].cells[8 * 5 + 3].color, 3U);
}

TEST(CompositionPicture, TakesTilersByMode) {
  const Layout a = layout("(8,8):(8,1)");
  const Tiler t = tiler("<2:4,_>");
  const Picture p = draw("composition", a, t, cute::composition(a, t).value());
  EXPECT_EQ(p.title, "composition(A, <2:4,_>) = (2,8):(32,1)");
  ASSERT_EQ(p.panels.size(), 2U) << "a tiler by mode has no panel";
  EXPECT_EQ(cells(p.panels[0])[8 * 4 + 3], "35/7 #7");
  EXPECT_EQ(cells(p.panels[0])[8 * 3 + 3], "27/-");
}

TEST(DividePicture, ColorsTiles) {
  const Layout a = layout("(4,4):(4,1)");
  const Tiler t = tiler("<2,2>");
  const Picture p = draw("zipped_divide", a, t, cute::zipped_divide(a, t).value());
  EXPECT_EQ(p.legend, "tile");
  EXPECT_EQ(p.colors, 4U);
  EXPECT_EQ(cells(p.panels[0]), (Texts{"0/0 0#0", "1/0 0#2", "2/2 2#0", "3/2 2#2", "4/0 0#1",
                                       "5/0 0#3", "6/2 2#1", "7/2 2#3",  //
                                       "8/1 1#0", "9/1 1#2", "10/3 3#0", "11/3 3#2", "12/1 1#1",
                                       "13/1 1#3", "14/3 3#1", "15/3 3#3"}));
  EXPECT_EQ(cells(p.panels[1])[4], "4/0 0#1");
}

TEST(DividePicture, ShowsTheTile) {
  const Layout a = layout("24:1");
  const Layout b = layout("4:2");
  const Picture p = draw("logical_divide", a, whole(b), cute::logical_divide(a, b).value());
  EXPECT_EQ(cells(p.panels[1]), (Texts{"0/- #0", "2/- #1", "4/- #2", "6/- #3"}));
  EXPECT_EQ(cells(p.panels[0])[8], "8/2 2#0");
}

TEST(DividePicture, LeavesWhatIsPastTheEndPlain) {
  const Layout a = layout("(3,4):(100,1)");
  const Tiler t = tiler("<2:1,4:1>");
  const Picture p = draw("logical_divide", a, t, cute::logical_divide(a, t).value());
  const Texts texts = cells(p.panels[1]);
  EXPECT_EQ(std::set<std::string>(texts.end() - 4, texts.end()),
            (std::set<std::string>{"300/-", "301/-", "302/-", "303/-"}));
}

TEST(ProductPicture, ColorsCopies) {
  const Layout a = layout("(2,2):(1,2)");
  const Layout b = layout("2:1");
  const Picture p = draw("blocked_product", a, whole(b), cute::blocked_product(a, b).value());
  EXPECT_EQ(cells(p.panels[0]), (Texts{"0/- #0", "2/- #2", "1/- #1", "3/- #3"}));
  EXPECT_EQ(cells(p.panels[1]), (Texts{"0/0 0", "1/1 1"}));
  EXPECT_EQ(cells(p.panels[2]), (Texts{"0/0 0#0", "2/0 0#2", "1/0 0#1", "3/0 0#3",  //
                                       "4/1 1#0", "6/1 1#2", "5/1 1#1", "7/1 1#3"}));
}

TEST(ProductPicture, CountsCopiesThatMeet) {
  const Layout a = layout("2:1");
  const Layout b = layout("2:0");
  const Picture p = draw("logical_product", a, whole(b), cute::logical_product(a, b).value());
  EXPECT_EQ(cells(p.panels[2]), (Texts{"0/0 0#0+1", "0/0 0#0+1", "1/0 0#1+1", "1/0 0#1+1"}));
}

TEST(OperationPicture, OfAHugeResultIsTheResultAlone) {
  const Layout a = layout("(4096,4096):(4096,1)");
  const Tiler t = tiler("<64,64>");
  const Picture p = draw("zipped_divide", a, t, cute::zipped_divide(a, t).value());
  EXPECT_EQ(p.panels.size(), 1U);
  EXPECT_EQ(p.notes.back(),
            "the operands are not shown: the result has more than 1048576 elements");
}

TEST(OperationPicture, OfAHugeOperandShowsItsCorners) {
  const Layout a = layout("(4096,4096):(4096,1)");
  const Layout b = layout("(4,4):(1,4096)");
  const Picture p = draw("composition", a, whole(b), cute::composition(a, b).value());
  EXPECT_EQ(p.panels[0].cells.size(), 40U * 40U);
  EXPECT_EQ(p.panels[0].cells[40 * 3 + 2].note, "#11");
  EXPECT_EQ(p.notes.front(), "A: left out: rows 32 to 4087 and columns 32 to 4087");
}

TEST(OperationPicture, TakesSwizzledOperands) {
  const cute::ComposedLayout a = test::composed("Sw<1,0,2> o 0 o (4,4):(4,1)");
  const Tiler t = tiler("<2,2>");
  const auto result = cute::map_layout(a, [&](const Layout& l) { return cute::flat_divide(l, t); });
  const Picture p = draw("flat_divide", a, t, result.value());
  ASSERT_EQ(p.panels.size(), 5U) << "A, and a slice for each tile";
  EXPECT_EQ(p.panels[2].label, "result(_,_,1,0)");
  EXPECT_EQ(p.panels[2].cells[0].color, 1U);
}

// Laws.

using Keys = std::map<std::string, std::pair<std::size_t, std::string>>;

/// The keys of the cells by their texts, where no text comes twice.
Keys keys_by_text(const Picture& p, std::size_t first, std::size_t last) {
  Keys keys;
  for (std::size_t i = first; i < last; ++i) {
    for (const Cell& cell : p.panels[i].cells) keys[cell.text] = {cell.color, cell.note};
  }
  return keys;
}

struct Divided {
  Layout layout;
  Tiler tiler;
};

/// A permuted compact layout and a tiler that divides it.
Divided divided(const test::Operands& o) {
  const auto number = [&](std::size_t i) { return std::max<std::int64_t>(1, o.numbers[i]); };
  const std::int64_t rows = number(0) * number(2);
  const std::int64_t columns = number(1) * number(3);
  const bool is_row_major = o.numbers[4] % 2 == 0;
  const cute::StrideTuple strides =
      is_row_major ? cute::StrideTuple{columns, 1} : cute::StrideTuple{1, rows};
  return {Layout::make({rows, columns}, strides).value(),
          cute::to_tiler(IntTuple{number(2), number(3)})};
}

test::Operands divided_operands(test::Random& random) {
  return {{},
          {random.between(1, 4), random.between(1, 4), random.between(1, 4), random.between(1, 4),
           random.between(0, 1)}};
}

TEST(DividePicture, GivesAnElementOneKeyInEveryForm) {
  test::for_all(divided_operands, [](const test::Operands& o) -> test::Finding {
    const auto [a, t] = divided(o);
    const std::pair<const char*, Layout> forms[] = {
        {"logical_divide", cute::logical_divide(a, t).value()},
        {"zipped_divide", cute::zipped_divide(a, t).value()},
        {"tiled_divide", cute::tiled_divide(a, t).value()},
        {"flat_divide", cute::flat_divide(a, t).value()}};
    for (const auto& [operation, result] : forms) {
      const Picture p = draw(operation, a, t, result);
      if (p.panels.size() > 8) continue;  // some slices are left out
      const Keys operand = keys_by_text(p, 0, 1);
      const Keys outcome = keys_by_text(p, 1, p.panels.size());
      if (operand != outcome) return test::found(operation, " of ", a);
    }
    return test::kHolds;
  });
}

TEST(DividePicture, ColorsAsManyElementsAsATileHas) {
  test::for_all(divided_operands, [](const test::Operands& o) -> test::Finding {
    const auto [a, t] = divided(o);
    const Picture p = draw("zipped_divide", a, t, cute::zipped_divide(a, t).value());
    std::map<std::size_t, std::set<std::string>> tiles;
    for (const Cell& cell : p.panels[0].cells) tiles[cell.color].insert(cell.note);
    const Int tile = Int(o.numbers[2]) * Int(o.numbers[3]);
    for (const auto& [color, notes] : tiles) {
      if (!known_equal(tile, notes.size())) return test::found("tile ", color, " of ", a);
    }
    return test::kHolds;
  });
}

TEST(ProductPicture, GivesEveryCopyTheNumbersOfTheBlock) {
  test::for_all(divided_operands, [](const test::Operands& o) -> test::Finding {
    const auto [a, t] = divided(o);
    const Layout b = cute::make_layout({o.numbers[2], o.numbers[3]}).value();
    const std::pair<const char*, Layout> forms[] = {
        {"logical_product", cute::logical_product(a, b).value()},
        {"blocked_product", cute::blocked_product(a, b).value()},
        {"raked_product", cute::raked_product(a, b).value()}};
    if (b.size() == Int(1)) return test::kSaysNothing;
    for (const auto& [operation, result] : forms) {
      const Picture p = draw(operation, a, whole(b), result);
      const auto copies = static_cast<std::size_t>(b.size().value());
      std::map<std::string, std::set<std::size_t>> colors;
      for (const Cell& cell : p.panels[2].cells)
        colors[cell.note.substr(cell.note.find('#'))].insert(cell.color);
      if (!known_equal(a.size(), colors.size())) return test::found(operation, " of ", a);
      for (const auto& [note, seen] : colors) {
        if (seen.size() != std::min<std::size_t>(copies, p.colors))
          return test::found(note, " in ", operation, " of ", a);
      }
    }
    return test::kHolds;
  });
}

TEST(CompositionPicture, ShowsInAWhatTheResultShows) {
  test::for_all(
      [](test::Random& random) {
        const test::Plain a = test::any_layout(random, 64);
        return test::Operands{{a, test::layout_within(random, a, 32)}, {}};
      },
      [](const test::Operands& o) -> test::Finding {
        const Layout a = to_layout(o.layouts[0]);
        const Layout b = to_layout(o.layouts[1]);
        const auto result = cute::composition(a, b);
        if (!result) return test::kSaysNothing;
        const auto p = picture(AppliedOperation{"composition", a, whole(b), *result});
        if (!p) return test::found(p.error());
        if (p->panels.size() < 3) return test::found("no operands: ", p->notes.back());
        std::map<std::string, std::string> by_note;
        for (const Panel& panel : p->panels) {
          if (!panel.label.starts_with("result")) continue;
          for (const Cell& cell : panel.cells) by_note[cell.note] = cell.text;
        }
        for (const Panel& panel : p->panels) {
          if (!panel.label.starts_with("A")) continue;
          for (const Cell& cell : panel.cells) {
            if (cell.note.empty()) continue;
            const std::string number = cell.note.substr(0, cell.note.find('+'));
            if (by_note.contains(number) && by_note[number] != cell.text)
              return test::found(number, " is ", cell.text, " in A of ", a, " o ", b);
          }
        }
        return test::kHolds;
      });
}

/// The text of the cell of A for each number of an element, from the picture's own elements.
std::map<std::int64_t, std::string> texts_by_element(const Picture& p, std::string_view operand) {
  std::map<std::int64_t, std::string> texts;
  for (const Panel& panel : p.panels) {
    if (!panel.label.starts_with(operand)) continue;
    for (const Cell& cell : panel.cells) {
      for (const std::int64_t element : cell.elements) texts[element] = cell.text;
    }
  }
  return texts;
}

/// What breaks the law that every element of the result is drawn where it comes from.
test::Finding traced_wrongly(const std::string& operation, const Layout& a, const Tiler& t,
                             const Layout& result) {
  PictureOptions options;
  options.elements = true;
  const auto p = picture(AppliedOperation{operation, a, t, result}, options);
  if (!p) return test::kSaysNothing;
  if (!p->panels.front().label.starts_with("A")) return test::found(p->notes.back());
  const auto texts = texts_by_element(*p, "A");
  std::size_t numbered = 0;
  for (const Panel& panel : p->panels) {
    if (!panel.label.starts_with("result")) continue;
    for (const Cell& cell : panel.cells) {
      if (cell.elements.empty()) continue;
      ++numbered;
      const auto origin = texts.find(cell.elements.front());
      if (origin == texts.end() || origin->second != cell.text)
        return test::found(cell.text, " is ", cell.note, " in ", operation, "(", a, ", ",
                           cute::to_string(t), ")");
    }
  }
  return numbered > 0 ? test::Finding(test::kHolds) : test::found("no element is numbered");
}

TEST(DividePicture, NumbersTheResultAsItsValuesSay) {
  const auto refused = [](const Layout& a, const Layout& b) {
    return traced_wrongly("logical_divide", a, whole(b), cute::logical_divide(a, b).value());
  };
  EXPECT_FALSE(refused(layout("(8,8):(8,1)"), layout("3:1")));
  EXPECT_FALSE(refused(layout("(8,8):(1,8)"), layout("3:1")));
  EXPECT_FALSE(refused(layout("(4,1,4):(4,7,1)"), layout("2:2")));
}

TEST(DividePicture, NumbersTheResultOfEveryTilerAsItsValuesSay) {
  test::for_all(
      {.one_in = 4},
      [](test::Random& random) {
        return test::Operands{{test::any_layout(random, 64), test::any_layout(random, 12)},
                              {random.between(0, 3), random.between(1, 6), random.between(1, 6)}};
      },
      [](const test::Operands& o) -> test::Finding {
        const Layout a = to_layout(o.layouts[0]);
        const bool is_by_mode = o.numbers[0] == 0 && a.rank() >= 2;
        const Tiler t = is_by_mode
                            ? cute::to_tiler(IntTuple{std::max<std::int64_t>(1, o.numbers[1]),
                                                      std::max<std::int64_t>(1, o.numbers[2])})
                            : whole(to_layout(o.layouts[1]));
        const std::string operation = o.numbers[0] % 2 == 0 ? "logical_divide" : "zipped_divide";
        const auto result =
            o.numbers[0] % 2 == 0 ? cute::logical_divide(a, t) : cute::zipped_divide(a, t);
        if (!result) return test::kSaysNothing;
        return traced_wrongly(operation, a, t, *result);
      });
}

}  // namespace
}  // namespace heddle::draw
