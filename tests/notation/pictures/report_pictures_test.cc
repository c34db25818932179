// What operations find is what the pictures of it show.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "heddle/notation/evaluator.h"
#include "heddle/notation/report.h"

namespace heddle::notation {
namespace {

Datum data_of(const std::string& expression) {
  const Result<Value> value = evaluate(expression, Environment());
  if (!value) throw std::invalid_argument(expression + ": " + value.error().message());
  return value->get<Report>().data;
}

const Datum::List& list_at(const Datum& datum, std::string_view name) {
  return *datum.field(name)->list();
}

std::int64_t number_at(const Datum& datum, std::string_view name) {
  return *datum.field(name)->number();
}

/// The greatest number in the last row of a panel.
std::int64_t most_words(const Datum& panel) {
  const Datum::List& texts = list_at(*panel.field("cells"), "text");
  const auto banks = static_cast<std::ptrdiff_t>(number_at(*panel.field("columns"), "length"));
  std::int64_t most = 0;
  for (auto text = texts.end() - banks; text != texts.end(); ++text)
    most = std::max(most, *text->number());
  return most;
}

TEST(BankPictureLaw, APhaseTakesAsManyWavefrontsAsItsFullestBankHasWords) {
  for (int stride = 0; stride < 34; ++stride) {
    for (const int bits : {8, 32, 64, 128}) {
      const std::string access = fmt::format("(32,1):({},0), element_bits={}", stride, bits);
      const Datum report = data_of(fmt::format("bank_conflicts({})", access));
      const Datum::List& phases = list_at(*report.field("worst"), "phases");
      const Datum picture = data_of(fmt::format("bank_picture({}, format=\"json\")", access));
      const Datum::List& panels = list_at(picture, "panels");
      ASSERT_EQ(panels.size(), phases.size()) << access;
      for (std::size_t i = 0; i < panels.size(); ++i)
        EXPECT_EQ(most_words(panels[i]), number_at(phases[i], "wavefronts")) << access;
    }
  }
}

TEST(ComparePictureLaw, HatchesAsManyPointsAsDiffer) {
  for (const char* layouts :
       {"(4,8):(8,1), (4,8):(1,4)", "(4,8):(8,1), Sw<2,0,3> o 0 o (4,8):(8,1)",
        "(2,2):(1,2), GroupBy([2,2])", "(4,8):(8,1), (4,8):(8,1)"}) {
    const Datum picture = data_of(fmt::format("compare_picture({}, format=\"json\")", layouts));
    const Datum::List& colors =
        list_at(*list_at(picture, "panels").front().field("cells"), "color");
    const auto hatched =
        std::ranges::count_if(colors, [](const Datum& color) { return *color.number() == -2; });
    EXPECT_EQ(hatched, number_at(data_of(fmt::format("compare({})", layouts)), "different"))
        << layouts;
  }
}

TEST(ReportPictures, RefuseAFormatThatThereIsNot) {
  const Result<Value> drawn = evaluate("compare_picture(4:1, 4:2, format=\"gif\")", Environment());
  ASSERT_FALSE(drawn);
  EXPECT_EQ(drawn.error().code(), "call.type");
}

TEST(KernelExplain, NamesEveryTensorAndTheLayoutsThatAreWritten) {
  const Datum report = data_of(
      "kernel_explain('kernel f(X: f32[N]) launch cta 1, threads 32 { "
      "shared T: f32[4,8] = S[(4,8):(9,1)]; T[0, 0] = 1; X[0] = T[0, 0] }')");
  const Datum::List& tensors = list_at(report, "tensors");
  ASSERT_EQ(tensors.size(), 2U);
  EXPECT_EQ(*tensors[0].field("name")->text(), "X");
  EXPECT_EQ(*tensors[0].field("space")->text(), "global");
  EXPECT_EQ(tensors[0].field("layout"), nullptr);
  EXPECT_EQ(*tensors[1].field("name")->text(), "T");
  EXPECT_EQ(*tensors[1].field("layout")->text(), "S[(4,8):(9@m,1@m)]");
}

}  // namespace
}  // namespace heddle::notation
