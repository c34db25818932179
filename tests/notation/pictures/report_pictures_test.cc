// What operations find is what the pictures of it show.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

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

TEST(PictureOfAnEncoding, IsOnTheSmallestTensorThatItCoversOrTheOneThatIsAskedFor) {
  const std::string encoding =
      "#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [2, 2], warpsPerCTA = [1, 1], order "
      "= [1, 0]}>";
  const auto drawn = [](const std::string& arguments) {
    return data_of(fmt::format("picture({}, format='json')", arguments));
  };
  for (const char* view : {"tensor", "hardware", "matrix"}) {
    const Datum assumed = drawn(fmt::format("{}, view='{}'", encoding, view));
    const Datum stated = drawn(fmt::format("{}, shape=(2,4), view='{}'", encoding, view));
    EXPECT_EQ(list_at(assumed, "panels"), list_at(stated, "panels")) << view;
    EXPECT_NE(to_string(assumed).find("the shape 2 x 4 is assumed"), std::string::npos);
    EXPECT_EQ(to_string(stated).find("assumed"), std::string::npos);
  }
  const Datum larger = drawn(encoding + ", shape=(4,8)");
  const Datum typed = drawn("tensor<4x8xf16, " + encoding + ">");
  EXPECT_EQ(list_at(larger, "panels"), list_at(typed, "panels"));
  const auto refused = evaluate("picture(" + encoding + ", shape=(3,8))", Environment());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), "encoding.shape");
}

/// The code that evaluating a text refuses with when its question has so much time.
std::string code_in(std::optional<std::chrono::milliseconds> time, const std::string& text) {
  Environment environment;
  CallContext context = environment.context();
  context.decide.limits.time = time;
  environment.set_context(std::move(context));
  const auto value = evaluate(text, environment);
  return value ? "" : value.error().code();
}

TEST(PictureOfAnything, IsGivenUpWhenItsTimeIsOver) {
  for (const char* arguments :
       {"(4,8):(8,1)", "(4,8):(8,1), view='memory'", "((2,2),2):((1,4),2), tv=true",
        "S[(4,8):(4@laneid,1@m)]", "S[(4,8):(4@laneid,1@m)], view='hardware'", "GroupBy([4,8])",
        "GroupBy([4,8]), view='memory'", "[[0,1],[2,3]]", "'composition((6,2):(8,2), (4,3):(3,1))'",
        "tensor<4x4xf32, #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 4], "
        "warpsPerCTA = [1, 1], order = [1, 0]}>>"}) {
    const std::string text = fmt::format("picture({})", arguments);
    EXPECT_EQ(code_in(std::chrono::milliseconds(0), text), "draw.gave_up") << text;
    EXPECT_EQ(code_in({}, text), "") << text;
  }
}

TEST(PictureOfAnything, OfALayoutThatIsSlowToEvaluateEndsInTime) {
  for (const char* view : {"tensor", "memory"}) {
    const std::string text = fmt::format(
        "picture('{{ [i] -> [7*floor(i/3) + floor(i/5)] : 0 <= i < 1000000 }}', view='{}', "
        "all=true, format='json')",
        view);
    EXPECT_EQ(code_in(std::chrono::milliseconds(20), text), "draw.gave_up") << text;
  }
}

}  // namespace
}  // namespace heddle::notation
