// map::composition, and the other words that layouts of every system share, against each layout's
// own evaluation.

#include "heddle/map/composition.h"

#include <unordered_set>

#include "heddle/lego/chain.h"
#include "map/round_trip.h"
#include "support/any_layout.h"

namespace heddle::map::round_trip {
namespace {

using test::layout_of_text;
using test::Trials;

AnyLayout any_layout_of_one_axis(Random& random) {
  switch (random.between(0, 3)) {
    case 0:
      return any_cute(random);
    case 1:
      return any_lego_layout(random);
    case 2:
      return any_table(random);
    default:
      return any_tv(random);
  }
}

/// The image of the flat index on the one axis of a function.
Int image_at(const View& box, std::int64_t flat) {
  return box.evaluate(point_of(box.extents, box.order, flat), 0).front();
}

TEST(Composition, IsTheOuterLayoutAtTheImagesOfTheInnerOne) {
  for_all_seeds(Trials{.one_in = 10, .percent = 20}, [](Random& random) -> Finding {
    const AnyLayout outer = any_layout_of_one_axis(random);
    const AnyLayout inner = any_layout_of_one_axis(random);
    const auto composed = composition(outer, inner);
    if (!composed) return kSaysNothing;
    const View first = view(inner).value();
    const View second = view(outer).value();
    if (first.axes.size() != 1 || second.axes.size() != 1) return kSaysNothing;
    bool says_something = false;
    for (std::int64_t flat = 0; flat < first.size().value(); ++flat) {
      const std::int64_t middle = image_at(first, flat).value();
      if (middle < 0 || middle >= second.size().value()) continue;
      const bool is_relation = system_of(*composed) == System::kRelation;
      const Int got =
          is_relation
              ? evaluate(*composed, point_of(first.extents, first.order, flat)).value()[0][0]
              : image_at(view(*composed).value(), flat);
      const Int wanted = image_at(second, middle);
      if (got != wanted) {
        return found(outer, " o ", inner, " at ", flat, ": ", got, ", not ", wanted);
      }
      says_something = true;
    }
    return says_something ? Finding(kHolds) : kSaysNothing;
  });
}

/// Points are not lost in silence.
TEST(Composition, HasAllPointsOfTheInnerLayout) {
  for_all_seeds(Trials{.one_in = 10, .percent = 40}, [](Random& random) -> Finding {
    const AnyLayout outer = any_layout_of_one_axis(random);
    const AnyLayout inner = any_layout_of_one_axis(random);
    const View first = view(inner).value();
    if (first.axes.size() != 1) return kSaysNothing;
    const auto composed = composition(outer, inner);
    if (composed) {
      const View all = view(*composed).value();
      if (all.size() == first.size()) return kHolds;
      return found(outer, " o ", inner, ": ", all.size(), " of ", first.size(), " points");
    }
    if (composed.error().code() != "lego.composition" || !composed.error().witness()) {
      return kSaysNothing;
    }
    const Int size = view(outer).value().size();
    for (std::int64_t flat = 0; flat < first.size().value(); ++flat) {
      const Int middle = image_at(first, flat);
      if (known_less(middle, 0) || known_at_most(size, middle)) return kHolds;
    }
    return found(outer, " o ", inner, ": refused, and no image leaves the outer layout");
  });
}

TEST(Composition, OfTwoSystemsNamesAPointThatLeavesTheOuterLayout) {
  const auto refused = [](const char* outer, const char* inner) {
    const auto composed = composition(layout_of_text(outer), layout_of_text(inner));
    return composed ? to_string(*composed) : composed.error().to_string();
  };
  EXPECT_EQ(refused("8:1", "GroupBy([16])"),
            "error lego.composition: composition(8:1,GroupBy([16])): 8:1 has 8 indices, and not "
            "every image of GroupBy([16]) is one\n"
            "  witness: coordinate 8 maps to 8; the outer layout would need a number from 0 to 7\n"
            "  hint: compose(relation(B), relation(A)) has the points that stay within A");
  EXPECT_EQ(refused("GroupBy([2,2])", "(2,4):(1@0,1@1)"),
            "error lego.composition: composition(GroupBy([2,2]),(2,4):(1@0,1@1)): GroupBy([2,2]) "
            "has 4 indices, and not every image of (2,4):(1@0,1@1) is one\n"
            "  witness: coordinate (0,2) maps to (0,2); the outer layout would need a point of its "
            "box (2,2)\n"
            "  hint: compose(relation(B), relation(A)) has the points that stay within A");
  EXPECT_EQ(refused("GroupBy([M])", "(N):(1)"),
            "error composition.undecided: composition(GroupBy([M]),(N):(1)): it is not known "
            "whether each image of (N):(1) is an index of GroupBy([M])");
  EXPECT_EQ(refused("GroupBy([N])", "(N):(1)"), "[N] -> { [c0] -> [c0] : 0 <= c0 < N }");
  // As relations, other points have no image.
  EXPECT_EQ(refused("GroupBy([8])", "{ [i] -> [i] : 0 <= i < 16 }"),
            "{ [i] -> [i] : 0 <= i <= 7 }");
}

TEST(Composition, OfOneSystemIsOfThatSystem) {
  const AnyLayout a = layout_of_text("(6,2):(8,2)");
  const AnyLayout b = layout_of_text("(4,3):(3,1)");
  EXPECT_EQ(to_string(composition(a, b).value()), "((2,2),3):((24,2),8)");
  const AnyLayout c = layout_of_text("GroupBy([6,8])");
  EXPECT_EQ(system_of(composition(c, a).value()), System::kRelation);
  const AnyLayout two_axes = layout_of_text("(2,2):(1@0,1@1)");
  EXPECT_EQ(composition(layout_of_text("GroupBy([2,2,2])"), two_axes).error().code(),
            "relation.dims_differ");
}

TEST(AnyLayout, IsEvaluatedAsItsOwnSystemDoes) {
  EXPECT_EQ(evaluate(layout_of_text("(4,8):(8,1)"), {2, 3}).value(),
            (std::vector<std::vector<Int>>{{19}}));
  EXPECT_EQ(evaluate(layout_of_text("S[(8,2):(4@laneid,1@m)] + R[2:4@warpid]"), {2, 1})->size(), 2);
  EXPECT_EQ(evaluate(layout_of_text("(4,8):(8,1)"), {4, 0}).error().code(), "view.coordinate");
  EXPECT_EQ(size(layout_of_text("GroupBy([6,4])")).value(), 24);
  EXPECT_EQ(index_map(layout_of_text("[[0,2],[1,3]]")).value().at(1).front(), 2);
}

TEST(AnyLayout, HashesEqualLayoutsAlike) {
  std::unordered_set<AnyLayout> layouts;
  for (const char* text : {"(4,8):(8,1)", "Sw<2,0,3> o 0 o (4,8):(8,1)", "S[(4,8):(8@m,1@m)]",
                           "GroupBy([4,8])", "[[0,1],[2,3]]", "{ [i] -> [2i] : 0 <= i < 4 }"}) {
    EXPECT_TRUE(layouts.insert(layout_of_text(text)).second) << text;
    EXPECT_FALSE(layouts.insert(layout_of_text(text)).second) << text;
  }
}

TEST(ConvertTo, GivesTheTypeThatIsAskedFor) {
  const AnyLayout swizzled = layout_of_text("Sw<2,0,3> o 0 o (4,8):(8,1)");
  const auto bits = convert_to<linear::LinearLayout>(swizzled).value();
  EXPECT_EQ(convert_to<cute::ComposedLayout>(bits).value(),
            std::get<cute::ComposedLayout>(swizzled));
  EXPECT_EQ(convert_to<cute::Layout>(swizzled).error().code(), "convert.no_layout");
  EXPECT_EQ(to_string(convert_to<cute::ComposedLayout>(layout_of_text("4:1")).value().layout()),
            "4:1");
  EXPECT_EQ(to_string(convert_to<lego::Layout>(layout_of_text("(4,8):(1,4)")).value()),
            "GroupBy([4,8]).OrderBy(Col(4,8))");
  EXPECT_EQ(convert_to<form::Table>(layout_of_text("4:2")).value().values,
            (std::vector<std::int64_t>{0, 2, 4, 6}));
}

TEST(LegoChain, GivesTheFirstRefusal) {
  const auto chain = lego::group_by({{6, 4}})
                         .order_by({lego::reg_p({2, 2}, {2, 2})})
                         .order_by({lego::row({1, 1})});
  EXPECT_EQ(chain.layout().error().code(), "lego.permutation");
}

}  // namespace
}  // namespace heddle::map::round_trip
