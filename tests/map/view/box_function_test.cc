// Formulas on boxes: written, read, and taken apart into digits and bits, at any size.

#include <gtest/gtest.h>

#include "heddle/map/decide.h"
#include "heddle/map/relations.h"
#include "map/round_trip.h"
#include "map/view/box_function.h"
#include "support/any_layout.h"
#include "support/law.h"
#include "support/random_linear.h"

namespace heddle::map {
namespace {

using test::Finding;
using test::for_all_seeds;
using test::found;
using test::kHolds;
using test::kSaysNothing;
using test::Random;

std::vector<std::string> named(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back("c" + std::to_string(i));
  return names;
}

/// A formula with everything that formulas have.
QuasiSum any_sum(Random& random, std::size_t coordinates, int depth) {
  QuasiSum sum{random.between(-9, 9), {}};
  const std::int64_t terms = random.between(0, 3);
  for (std::int64_t i = 0; i < terms; ++i) {
    QuasiSum part = coordinate(
        static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(coordinates) - 1)));
    if (depth > 0 && random.chance(60)) part = any_sum(random, coordinates, depth - 1);
    const std::int64_t divisor = random.between(1, 9);
    if (random.chance(40)) part = quotient(std::move(part), divisor);
    if (random.chance(40)) part = remainder(std::move(part), divisor);
    sum = plus(std::move(sum), times(random.between(-4, 4), std::move(part)));
  }
  return sum;
}

BoxFormula any_formula(Random& random) {
  std::vector<std::int64_t> extents;
  const std::int64_t rank = random.between(1, 3);
  for (std::int64_t i = 0; i < rank; ++i) extents.push_back(random.between(1, 5));
  const std::size_t copies = random.chance(30) ? 1 : 0;
  if (copies > 0) extents.push_back(random.between(2, 3));
  std::vector<QuasiSum> sums;
  const std::int64_t outputs = random.between(1, 2);
  for (std::int64_t i = 0; i < outputs; ++i) {
    sums.push_back(any_sum(random, extents.size(), 2));
  }
  return on_box(std::move(sums), extents, copies);
}

std::size_t rank_of(const BoxFormula& formula) {
  return formula.parts.front().lows.size() - formula.copies;
}

std::vector<std::string> unnamed(const BoxFormula& formula) {
  return std::vector<std::string>(formula.parts.front().outputs.size());
}

TEST(BoxFormula, IsReadAsItIsWritten) {
  for_all_seeds([](Random& random) -> Finding {
    const BoxFormula formula = any_formula(random);
    const std::string text = to_string(formula, named(rank_of(formula)), unnamed(formula));
    const auto read = read_formula(text);
    if (!read) return found(text, " is not read");
    if (read->formula != formula) {
      return found(text, " is read as ",
                   to_string(read->formula, read->inputs, unnamed(read->formula)));
    }
    return kHolds;
  });
}

/// isl reads the same from the text: what it lists of a part of the box is what the formula has.
TEST(BoxFormula, IsWhatIslReads) {
  for_all_seeds({.one_in = 25}, [&](Random& random) -> Finding {
    const BoxFormula formula = any_formula(random);
    const std::string text = to_string(formula, named(rank_of(formula)), unnamed(formula));
    const auto ours = box_function(formula);
    // A second part, which meets nothing, leaves the text to isl.
    std::vector<std::string> far(rank_of(formula), "-1");
    std::string nothing = text.substr(0, text.size() - 2);
    nothing += "; [";
    for (std::size_t i = 0; i < far.size(); ++i) nothing += (i == 0 ? "" : ", ") + far[i];
    nothing += "] -> [";
    for (std::size_t i = 0; i < formula.parts.front().outputs.size(); ++i)
      nothing += i == 0 ? "0" : ", 0";
    const auto isls = IntegerRelation::parse(nothing + "] }");
    if (!isls) return found(nothing, ": ", isls.error());
    const std::vector<Int>& box = ours->extents;
    const std::int64_t size = product_of(box).value();
    for (std::int64_t flat = 0; flat < size; ++flat) {
      const std::vector<Int> point = point_of(box, form::FlatOrder::kFirstFastest, flat);
      std::vector<std::int64_t> numbers;
      for (const Int& index : point) numbers.push_back(index.value());
      std::vector<std::vector<Int>> wanted;
      const auto listed = ours->images(numbers).value();
      for (const auto& image : listed) {
        wanted.emplace_back(image.begin(), image.end());
      }
      const auto got = images(*isls, point);
      if (!got || *got != wanted) return found(text, " at ", flat);
    }
    return kHolds;
  });
}

TEST(BoxFormula, LeavesTheRestToIsl) {
  for (const std::string_view text :
       {"{ [c] -> [2c mod 4] : 0 <= c < 8 }", "{ [c] -> [-(2c) mod 4 * 2] : 0 <= c < 8 }",
        "{ [c] -> [c/2] : 0 <= c < 8 }", "{ [c] -> [c] : 1 <= c < 8 }", "{ [c] -> [c] : c < 8 }",
        "{ [c] -> [c] : 0 <= c < 8 and c mod 2 = 0 }", "{ [c] -> [c] : 0 <= c < 8 or c = 9 }",
        "{ [c] -> [d] : 0 <= c < 8 and 0 <= d < 2 }", "{ [c] -> [c] : 0 <= c < 0 }",
        "{ [i, j] -> [i] : 0 <= j <= i < 8 }", "[N] -> { [c] -> [c] : 0 <= c < N }",
        "{ [c] -> [c] : 0 <= c < 4; [d] -> [d] : 4 <= d < 8 }", "{ [c, c] -> [c] : 0 <= c < 8 }",
        "{ [c] -> [99999999999999999999c] : 0 <= c < 8 }", "{ [c] -> [c = 3] : 0 <= c < 8 }",
        "{ [c] -> [floor(c + 1 / 2)] : 0 <= c < 8 }", "{ [c] -> [2^3] : 0 <= c < 8 }",
        "{ S[c] -> A[c] : 0 <= c < 8 }", "{ [c] -> [c] : 0 <= c <= 9223372036854775807 }"}) {
    EXPECT_FALSE(read_formula(text)) << text;
  }
}

// ---- Digits and bits ----

/// The form that the formula shows has the formula's values.
Finding differs_as_formula(const AnyLayout& layout) {
  const auto whole = relation(layout);
  if (!whole) return found(round_trip::text_of(layout), ": ", whole.error());
  const auto read = IntegerRelation::parse(whole->text());
  if (!read) return found(whole->text(), ": ", read.error());
  if (read->text() != whole->text()) return found(whole->text(), " again: ", read->text());
  const auto here = view(layout);
  const auto there = view(*read);
  if (!there) return found(whole->text(), ": ", there.error());
  if (here->strided && !here->strided->swizzle && !there->strided) {
    return found(whole->text(), " shows no digits");
  }
  if (here->bits && !there->bits) return found(whole->text(), " shows no bits");
  for (std::int64_t flat = 0; flat < here->size().value(); ++flat) {
    const std::vector<Int> point = point_of(here->extents, here->order, flat);
    const auto images_of = [&](const View& view) { return images(view, point).value(); };
    if (images_of(*here) != images_of(*there)) return found(whole->text(), " at ", flat);
    if (there->strided && there->is_function() &&
        image_of(*there->strided, point, 0) != here->evaluate(point, 0)) {
      return found(whole->text(), " has other digits at ", flat);
    }
  }
  return kHolds;
}

TEST(BoxFormula, ShowsTheDigitsOfCute) {
  for_all_seeds([](Random& random) { return differs_as_formula(round_trip::any_cute(random)); });
}

TEST(BoxFormula, ShowsTheBitsOfLinearLayouts) {
  for_all_seeds(
      [](Random& random) { return differs_as_formula(round_trip::any_linear_layout(random)); });
}

/// isl answers questions about matrices that it could not read as formulas.
TEST(BoxFormula, IslReadsBitsAsConstraints) {
  for_all_seeds({.one_in = 2500}, [&](Random& random) -> Finding {
    const linear::LinearLayout layout =
        test::invertible_linear(random, test::random_dims(random, {"register", "lane"}, 14),
                                test::random_dims(random, {"dim0", "dim1"}, 14));
    const View there = view(layout).value();
    const auto reversed = reverse(relation(there).value());
    if (!reversed) return found(layout, ": ", reversed.error());
    for (int i = 0; i < 3; ++i) {
      std::vector<Int> point;
      for (const Int& extent : there.extents) {
        point.emplace_back(random.between(0, extent.value() - 1));
      }
      const auto back = images(*reversed, there.evaluate(point, 0));
      if (!back) return found(layout, ": ", back.error());
      if (*back != std::vector<std::vector<Int>>{point}) return found(layout);
    }
    return kHolds;
  });
}

/// The first point at which two matrices differ, first coordinate fastest.
TEST(BoxFormula, MatricesAreComparedWithoutIsl) {
  for_all_seeds([](Random& random) -> Finding {
    const auto ins = test::random_dims(random, {"register", "lane"}, 5);
    const auto outs = test::random_dims(random, {"dim0", "dim1"}, 5);
    const View a = view(test::any_linear(random, ins, outs)).value();
    const View b = random.chance(20) ? a : view(test::any_linear(random, ins, outs)).value();
    const Verdict verdict = equal(relation(a).value(), relation(b).value());
    for (std::int64_t flat = 0; flat < a.size().value(); ++flat) {
      const std::vector<Int> point = point_of(a.extents, form::FlatOrder::kFirstFastest, flat);
      if (a.evaluate(point, 0) == b.evaluate(point, 0)) continue;
      std::string text = std::to_string(flat);
      if (point.size() > 1) text += " = (" + to_string(point[0]) + "," + to_string(point[1]) + ")";
      if (verdict.is_no() && verdict.counterexample()->coordinate == text) return kHolds;
      return found(verdict.to_string(), ", not ", text);
    }
    return verdict.is_yes() ? kHolds : found(verdict.to_string());
  });
}

/// isl calls outputs without names o0, o1, …: an input of that name is another thing.
TEST(BoxFormula, InputsAreNotCalledAsOutputsAre) {
  const IntegerRelation swapped = test::relation_of(
      "{ [o0] -> [(o0 + floor((o0)/2)) mod 2 + 2*floor((o0)/2)] : 0 <= o0 <= 3 }");
  const IntegerRelation back = reverse(swapped).value();
  const std::vector<Int> two = {2};
  EXPECT_EQ(images(back, two).value(), (std::vector<std::vector<Int>>{{3}})) << back.text();
}

/// isl knows its words in any case: they name neither what a relation reads nor what it prints.
TEST(BoxFormula, WordsOfIslAreNoNames) {
  for (const std::string word : {"floor", "Floor", "Mod", "MOD", "Exists", "rat", "Rat"}) {
    const auto read =
        IntegerRelation::parse("{ [" + word + "] -> [2" + word + "] : 0 <= " + word + " <= 3 }");
    ASSERT_FALSE(read) << read->text();
    EXPECT_EQ(read.error().code(), "relation.syntax") << word;
    const axe::Layout layout = axe::Layout::make({axe::Iter{4, 2, Axis(word)}}).value();
    const IntegerRelation printed = relation(layout).value();
    const auto reversed = reverse(printed);
    ASSERT_TRUE(reversed) << printed.text() << ": " << reversed.error();
    const std::vector<Int> six = {6};
    EXPECT_EQ(images(*reversed, six).value(), (std::vector<std::vector<Int>>{{3}}))
        << printed.text();
  }
}

/// Copies that lead to one place are one.
TEST(BoxFormula, CopiesThatNothingMentionsAreOne) {
  const AnyLayout copied =
      test::relation_of("{ [c0] -> [m] : exists (r0: m = c0 and 0 <= c0 <= 3 and 0 <= r0 <= 1) }");
  EXPECT_TRUE(view(copied).value().is_function());
  EXPECT_TRUE(equal(copied, AnyLayout(test::strided(4, 1))).is_yes());
}

/// However many floors it has, a text takes no more time than it is given.
TEST(BoxFormula, LongTextsAreLeftToIsl) {
  std::string sum = "c0";
  for (int i = 0; i < 20'000; ++i) sum += " + floor((c0 + " + std::to_string(i) + ")/3)";
  EXPECT_FALSE(read_formula("{ [c0] -> [" + sum + "] : 0 <= c0 <= 3 }"));
}

/// Of 40 bits: no isl could read it back as what it is, and no one can look at every point.
TEST(BoxFormula, ShowsFortyBits) {
  for_all_seeds({.one_in = 100}, [&](Random& random) -> Finding {
    const linear::LinearLayout layout =
        test::invertible_linear(random, test::random_dims(random, {"register", "lane", "warp"}, 40),
                                test::random_dims(random, {"dim0", "dim1"}, 40));
    const auto whole = relation(layout);
    if (!whole) return found(whole.error());
    const auto read = IntegerRelation::parse(whole->text());
    if (!read) return found(read.error());
    const View here = view(layout).value();
    const View there = view(*read).value();
    if (!there.bits) return found("no bits in ", whole->text());
    for (int i = 0; i < 20; ++i) {
      std::vector<Int> point;
      for (const Int& extent : here.extents) {
        point.emplace_back(random.between(0, extent.value() - 1));
      }
      if (here.evaluate(point, 0) != there.evaluate(point, 0)) return found(whole->text());
    }
    if (!equal(AnyLayout(layout), AnyLayout(*read)).is_yes()) return found("not equal");
    return kHolds;
  });
}

}  // namespace
}  // namespace heddle::map
