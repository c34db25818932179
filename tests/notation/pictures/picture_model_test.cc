// A picture as data holds what the picture holds.

#include <gtest/gtest.h>

#include "heddle/notation/evaluator.h"
#include "heddle/notation/picture.h"
#include "support/law.h"
#include "support/plain.h"

namespace heddle::notation {
namespace {

using test::Finding;
using test::found;
using test::kHolds;

Result<draw::Picture> pictured(const std::string& text, std::optional<bool> facts = {}) {
  PictureRequest request;
  request.format = PictureFormat::kJson;
  request.facts = facts;
  return picture_of({Value(text)}, request, {});
}

std::string text_of(const Datum& datum) {
  const std::string* text = datum.text();
  return text != nullptr ? *text : to_string(datum);
}

const Datum& at(const Datum& datum, std::string_view name) {
  const Datum* field = datum.field(name);
  if (field == nullptr) throw std::out_of_range(std::string(name));
  return *field;
}

std::vector<std::int64_t> elements_at(const Datum& elements, std::size_t cell) {
  if (elements.is_null()) return {};
  const Datum& entry = elements.list()->at(cell);
  if (const auto* number = entry.number()) return {*number};
  std::vector<std::int64_t> numbers;
  for (const Datum& item : *entry.list()) numbers.push_back(*item.number());
  return numbers;
}

Finding differs_as_cell(const draw::Cell& cell, const Datum& cells, std::size_t i) {
  const auto column = [&](std::string_view name) -> const Datum& {
    return at(cells, name).list()->at(i);
  };
  if (text_of(column("text")) != cell.text) return found("text ", i);
  const Datum& notes = at(cells, "note");
  if ((notes.is_null() ? "" : text_of(column("note"))) != cell.note) return found("note ", i);
  const std::int64_t color = *column("color").number();
  const bool is_same = cell.color == draw::kPlain     ? color == -1
                       : cell.color == draw::kHatched ? color == -2
                                                      : std::cmp_equal(color, cell.color);
  if (!is_same) return found("colour ", i);
  if (elements_at(at(cells, "elements"), i) != cell.elements) return found("elements ", i);
  for (std::size_t fact = 0; fact < cell.facts.size(); ++fact) {
    const Datum& facts = at(cells, "facts").list()->at(fact);
    if (text_of(facts.list()->at(i)) != cell.facts[fact]) return found("fact ", i);
  }
  return kHolds;
}

Finding differs_as_picture(const draw::Picture& picture) {
  const Datum model = to_datum(picture);
  for (std::size_t i = 0; i < picture.panels.size(); ++i) {
    const draw::Panel& panel = picture.panels[i];
    const Datum& data = at(model, "panels").list()->at(i);
    const Datum& cells = at(data, "cells");
    if (at(cells, "text").list()->size() != panel.cells.size()) return found("cells of ", i);
    const auto length = *at(at(data, "rows"), "length").number();
    if (!std::cmp_equal(length, panel.rows.length)) return found("rows of ", i);
    for (std::size_t cell = 0; cell < panel.cells.size(); ++cell) {
      if (Finding finding = differs_as_cell(panel.cells[cell], cells, cell)) return finding;
    }
  }
  return kHolds;
}

TEST(PictureModelLaw, HoldsWhatThePictureHolds) {
  test::for_all(
      {.one_in = 10},
      [](test::Random& random) { return test::Operands{{test::any_layout(random, 64)}, {}}; },
      [](const test::Operands& o) -> Finding {
        return differs_as_picture(pictured(to_string(o.layouts[0])).value());
      });
}

TEST(PictureModel, HoldsThePicturesOfEverySystem) {
  for (const char* text :
       {"composition((6,2):(8,2), (4,3):(3,1))", "zipped_divide((8,8):(8,1), <4,2>)",
        "S[(2,2,2,2):(4@laneid,1@laneid,1@warpid,1@m)] + R[(2):(2@warpid)]",
        "TileBy([2,2],[2,2]).OrderBy(Col(4,4))", "{ [i,j] -> [2i+j] : 0 <= j <= i < 4 }",
        "instruction('v_mfma_f32_32x32x8f16', arch='cdna2')",
        "tensor<4x4xf16, #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [2, 2], "
        "warpsPerCTA = [2, 1], order = [1, 0]}>>"}) {
    const auto picture = pictured(text);
    ASSERT_TRUE(picture) << text << ": " << picture.error();
    EXPECT_EQ(differs_as_picture(*picture), kHolds) << text;
  }
}

TEST(PictureModel, WritesNumbersAsNumbersAndOtherTextsAsTexts) {
  draw::Picture picture;
  draw::Panel& panel = picture.panels.emplace_back();
  panel.columns.length = 4;
  panel.cells = {{"12", "", 0, {}},
                 {"012", "", draw::kPlain, {}},
                 {"-3", "", draw::kHatched, {}},
                 {"9007199254740993", "", 0, {}}};
  const Datum model = to_datum(picture);
  const Datum& cells = at(at(model, "panels").list()->front(), "cells");
  EXPECT_EQ(to_string(at(cells, "text")), R"([12,"012",-3,"9007199254740993"])");
  EXPECT_EQ(to_string(at(cells, "color")), "[0,-1,-2,0]");
  EXPECT_TRUE(at(cells, "note").is_null());
  EXPECT_TRUE(at(cells, "elements").is_null());
}

TEST(PictureModel, LeavesFactsOutOfLargePictures) {
  PictureRequest request;
  request.format = PictureFormat::kJson;
  request.all = true;
  const auto large = picture_of({Value(std::string("(256,512):(512,1)"))}, request, {});
  ASSERT_TRUE(large) << large.error();
  EXPECT_TRUE(large->panels[0].cells[0].facts.empty());
  EXPECT_EQ(large->panels[0].cells[1].elements, std::vector<std::int64_t>{256});
  const auto small = picture_of({Value(std::string("(256,256):(256,1)"))}, request, {});
  EXPECT_FALSE(small->panels[0].cells[0].facts.empty());
  EXPECT_TRUE(pictured("4:1", false)->panels[0].cells[0].facts.empty());
}

}  // namespace
}  // namespace heddle::notation
