// The worked examples of the algebra's headers, and cases that CuTe or pycute get wrong.

#include "heddle/cute/algebra.h"

#include <gtest/gtest.h>

#include <limits>

#include "support/refusal.h"
#include "support/text.h"

namespace heddle::cute {
namespace {

using test::code;
using test::composed;
using test::coordinate;
using test::layout;
using test::swizzle;
using test::tiler;
using test::tuple;

std::string text(const Result<Layout>& result) {
  return result ? to_string(*result) : "error " + result.error().code();
}

std::string text(const Result<AnyLayout>& result) {
  if (!result) return "error " + result.error().code();
  return std::visit([](const auto& l) { return to_string(l); }, *result);
}

TEST(Composition, ExamplesOfTheHeader) {
  EXPECT_EQ(text(composition(layout("(6,2):(8,2)"), layout("(4,3):(3,1)"))),
            "((2,2),3):((24,2),8)");
  EXPECT_EQ(text(composition(layout("(8,8):(8,1)"), layout("6:3"))), "(3,2):(24,9)");
  EXPECT_EQ(text(composition(layout("(4,6):(1,5)"), layout("6:1"))), "error composition.no_layout");
}

// ERRATA: what the peers get wrong or refuse.
TEST(Composition, AnswersThatThePeersDoNotGive) {
  EXPECT_EQ(text(composition(layout("(8,8):(8,1)"), layout("1:12"))), "1:2");
  EXPECT_EQ(text(composition(layout("(2,2,2):(1,3,5)"), layout("(2,2):(3,1)"))), "(2,2):(4,1)");
  EXPECT_EQ(text(composition(layout("(4,3,1):(3,1,0)"), layout("(24):(1)"))),
            "((4,3,2)):((3,1,0))");
}

TEST(Composition, WitnessOfTheHeader) {
  const auto refused = composition(layout("(4,6):(1,5)"), layout("6:1"));
  ASSERT_TRUE(refused.error().witness().has_value());
  EXPECT_EQ(refused.error().witness()->coordinate, "4");
  EXPECT_EQ(refused.error().witness()->found, "5");
  EXPECT_EQ(refused.error().witness()->wanted, "4");
}

TEST(Composition, ByMode) {
  const Layout a = layout("(12,(4,8)):(59,(13,1))");
  EXPECT_EQ(text(composition(a, tiler("<3,8>"))), "(3,(4,2)):(59,(13,1))");
  EXPECT_EQ(text(composition(a, tiler("<_,8:2>"))), "(12,(2,4)):(59,(26,1))");
  EXPECT_EQ(text(composition(a, tiler("<3>"))), "(3):(59)");
  EXPECT_EQ(text(composition(a, tiler("<3,8,2>"))), "error tiler.rank");
}

TEST(Composition, WithCoordinates) {
  const Layout a = layout("(4,8):(8,1)");
  EXPECT_EQ(text(composition(a, layout("(8,4):(1@1,1@0)"))), "(8,4):(1,8)");
  EXPECT_EQ(text(composition(a, layout("4:1@2"))), "error composition.basis");
  EXPECT_EQ(text(composition(layout("(4,8):(1@0,1@1)"), layout("(8,4):(4,1)"))), "(8,4):(1@1,1@0)");
  EXPECT_EQ(text(composition(layout("(4,8):(1@0,1@1)"), layout("3:5"))),
            "error composition.two_axes");
}

TEST(Composition, LargeOperandsAreDecidedByDivision) {
  const Layout a = layout("(1048576,1048576):(1048576,1)");
  EXPECT_EQ(text(composition(a, layout("(1024,1048576):(1048576,1)"))),
            "(1024,1048576):(1,1048576)");
}

TEST(Composition, UndecidedBeyondTheLimit) {
  // Carries may cancel, and there are more elements than can be tried.
  const Layout a = layout("(3,4194304):(1,5)");
  const auto r = composition(a, layout("(2,2097152):(1,2)"));
  EXPECT_TRUE(text(r) == "error composition.undecided" || text(r) == "error composition.no_layout")
      << text(r);
}

TEST(Complement, ExamplesOfTheHeader) {
  EXPECT_EQ(text(complement(layout("(4,2):(1,16)"), tuple("32"))), "4:4");
  EXPECT_EQ(text(complement(layout("(2,2):(1,5)"), tuple("20"))), "error complement.holes");
  EXPECT_EQ(text(complement_fill(layout("(2,2):(1,5)"), 20)), "(2,3):(2,9)");
}

TEST(Complement, HintOfHolesNamesBothAnswers) {
  const Diagnostic error = complement(layout("(2,2):(1,5)"), tuple("20")).error();
  const std::string whole = error.to_string();
  EXPECT_NE(whole.find("(2,2):(2,10)"), std::string::npos) << whole;
  EXPECT_NE(whole.find("complement_fill"), std::string::npos) << whole;
  EXPECT_NE(whole.find("(2,3):(2,9)"), std::string::npos) << whole;
}

TEST(Complement, InAShape) {
  EXPECT_EQ(text(complement(layout("2:1"), tuple("(3,4)"))), "8:2");
  EXPECT_EQ(text(complement(layout("4:1"), tuple("0"))), "error complement.target");
}

TEST(Complement, OfItself) { EXPECT_EQ(text(complement(layout("4:3"))), "3:1"); }

TEST(Inverse, ExamplesOfTheHeader) {
  EXPECT_EQ(text(inverse(layout("(8,16,4):(64,1,16)"))), "(16,4,8):(8,128,1)");
  EXPECT_EQ(text(right_inverse(layout("(8,16,4):(64,1,16)"))), "(64,8):(8,1)");
  EXPECT_EQ(text(right_inverse(layout("(6,4):(1,0)"))), "6:1");
  EXPECT_EQ(text(left_inverse(layout("4:2"))), "(2,4):(0,1)");
}

TEST(Divide, ExamplesOfTheHeader) {
  const Layout l = layout("(9,(4,8)):(59,(13,1))");
  const Tiler t = tiler("<3:3,(2,4):(1,8)>");
  EXPECT_EQ(text(logical_divide(l, t)), "((3,3),((2,4),(2,2))):((177,59),((13,2),(26,1)))");
  EXPECT_EQ(text(zipped_divide(l, t)), "((3,(2,4)),(3,(2,2))):((177,(13,2)),(59,(26,1)))");
  EXPECT_EQ(text(tiled_divide(l, t)), "((3,(2,4)),3,(2,2)):((177,(13,2)),59,(26,1))");
  EXPECT_EQ(text(flat_divide(l, t)), "(3,(2,4),3,(2,2)):(177,(13,2),59,(26,1))");
  EXPECT_EQ(text(logical_divide(layout("(3,4):(100,1)"), layout("2:1"))),
            "(2,(2,4)):(100,(200,1))");
}

TEST(Divide, Distribute) {
  EXPECT_EQ(text(domain_distribute(tuple("(15,14)"), 6)), "(3,2):(1,15)");
}

TEST(Product, ExamplesOfTheHeader) {
  const Layout block = layout("(2,5):(5,1)");
  EXPECT_EQ(text(blocked_product(block, layout("(3,4):(1,3)"))), "((2,3),(5,4)):((5,10),(1,30))");
  EXPECT_EQ(text(raked_product(block, layout("(3,4):(1,3)"))), "((3,2),(4,5)):((10,5),(30,1))");
  EXPECT_EQ(text(tile_to_shape(layout("(8,64):(64,1)"), tuple("(128,64)"))),
            "((8,16),(64,1)):((64,512),(1,0))");
  EXPECT_EQ(text(zipped_product(block, tiler("<3:5,4:6>"))), "((2,5),(3,4)):((5,1),(10,30))");
}

TEST(Product, TileToShapeInAnOrder) {
  EXPECT_EQ(text(tile_to_shape(layout("(2,3,8):(1,2,6)"), tuple("(8,12,24)"), tuple("(2,1,0)"))),
            "((2,4),(3,4),(8,3)):((1,576),(2,144),(6,48))");
  EXPECT_EQ(text(tile_to_shape(layout("(8,64):(64,1)"), tuple("(100,64)"))),
            "error tile_to_shape.divisibility");
}

TEST(Recast, ExamplesOfTheHeader) {
  EXPECT_EQ(text(upcast(layout("(8,4):(1,8)"), 4)), "(2,4):(1,2)");
  EXPECT_EQ(text(downcast(layout("(2,4):(1,2)"), 4)), "(8,4):(1,8)");
  EXPECT_EQ(text(recast(layout("16:1"), 8, 32)), "4:1");
}

TEST(Recast, OnlyOneLineGrows) {
  EXPECT_EQ(text(downcast(layout("(2,1):(1,1)"), 2)), "(4,1):(1,2)");
  EXPECT_EQ(text(downcast(layout("(1,2):(1,1)"), 2)), "(1,4):(2,1)");
}

TEST(Admissibility, ExamplesOfTheHeader) {
  const Divisibility strong = left_divisible(tuple("(8,6,8)"), 4).value();
  EXPECT_TRUE(strong.holds);
  EXPECT_EQ(strong.index, 0U);
  const Divisibility weak = weakly_left_divisible(tuple("(2,6,8)"), 8).value();
  EXPECT_TRUE(weak.holds);
  EXPECT_EQ(weak.index, 1U);
  EXPECT_FALSE(left_divisible(tuple("(2,6,8)"), 8).value().holds);
}

TEST(Swizzle, ExamplesOfTheHeader) {
  EXPECT_EQ(swizzle("Sw<1,2,1>")(std::int64_t{8}), 12);
  EXPECT_EQ(swizzle("Sw<2,0,3>")(std::int64_t{9}), 8);
  EXPECT_EQ(to_string(swizzle("Sw<3,4,3>")), "Sw<3,4,3>");
  EXPECT_EQ(to_string(Swizzle()), "Sw<0,4,3>");
  EXPECT_TRUE(Swizzle().is_identity());
}

TEST(Swizzle, NegativeAddressesInTwosComplement) {
  EXPECT_EQ(swizzle("Sw<1,0,1>")(std::int64_t{-1}), -2);
  EXPECT_EQ(swizzle("Sw<1,0,1>")(swizzle("Sw<1,0,1>")(std::int64_t{-7})), -7);
}

TEST(Swizzle, Parameters) {
  EXPECT_EQ(code(Swizzle::make(-1, 0, 3)), "swizzle.parameters");
  EXPECT_EQ(code(Swizzle::make(3, -1, 3)), "swizzle.parameters");
  EXPECT_EQ(code(Swizzle::make(3, 0, 2)), "swizzle.parameters");
  EXPECT_EQ(code(Swizzle::make(10, 40, 20)), "swizzle.parameters");
  EXPECT_EQ(code(Swizzle::make(2147483647, 2147483647, -2147483647)), "swizzle.parameters");
  EXPECT_EQ(code(Swizzle::make(0, 0, 0)), "");
}

TEST(Swizzle, Masks) {
  EXPECT_EQ(make_swizzle(0b111000, 0b111).value(), swizzle("Sw<3,0,3>"));
  EXPECT_EQ(code(make_swizzle(0b101000, 0b111)), "swizzle.masks");
  EXPECT_EQ(code(make_swizzle(0b11000, 0b111)), "swizzle.masks");
  EXPECT_EQ(code(make_swizzle(0b110, 0b011)), "swizzle.parameters");  // they overlap
}

TEST(Swizzle, CompositionJoinsAndCancels) {
  EXPECT_EQ(composition(swizzle("Sw<2,0,3>"), swizzle("Sw<1,2,3>")).value(), swizzle("Sw<3,0,3>"));
  EXPECT_TRUE(composition(swizzle("Sw<3,4,3>"), swizzle("Sw<3,4,3>")).value().is_identity());
  EXPECT_EQ(code(composition(swizzle("Sw<1,0,1>"), swizzle("Sw<1,0,-1>"))), "swizzle.no_swizzle");
}

TEST(ComposedLayout, TextAndParts) {
  const ComposedLayout l = composed("Sw<3,4,3> o 0 o (8,64):(64,1)");
  EXPECT_EQ(to_string(l), "Sw<3,4,3> o 0 o (8,64):(64,1)");
  EXPECT_EQ(l.shape(), tuple("(8,64)"));
  EXPECT_EQ(get_swizzle_portion(l), swizzle("Sw<3,4,3>"));
  EXPECT_EQ(get_nonswizzle_portion(l), AnyLayout(layout("(8,64):(64,1)")));
  EXPECT_EQ(l(1, 0), 64);
  EXPECT_EQ(l(2, 0), 128 ^ 16);
}

TEST(ComposedLayout, IndicesPast64BitsAreRefusedWhereTheyAreMade) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  const auto after = [](std::string_view outer, std::int64_t offset) {
    return code(
        ComposedLayout::make(AnyLayout(layout(outer)), IntTuple(Int(offset)), layout("4:1")));
  };
  EXPECT_EQ(after("8:1", kMost), "overflow");
  EXPECT_EQ(after("8:2", kMost - 3), "overflow");
  EXPECT_EQ(after("8:1", kMost - 3), "");
  EXPECT_EQ(after("8:0", kMost - 3), "");
  EXPECT_EQ(after("8:2", -kMost), "overflow");
}

TEST(ComposedLayout, IdentitySwizzleLeavesAPlainLayout) {
  EXPECT_EQ(text(composition(Swizzle(), layout("(8,8):(8,1)"))), "(8,8):(8,1)");
}

TEST(ComposedLayout, LayoutAfterSwizzle) {
  EXPECT_EQ(text(composition(layout("(8,8):(8,1)"), swizzle("Sw<2,0,-3>"))),
            "Sw<2,0,3> o 0 o (8,8):(8,1)");
}

TEST(ComposedLayout, NeedsAnIntegralLayout) {
  EXPECT_EQ(code(ComposedLayout::make(swizzle("Sw<3,4,3>"), 0, layout("(4,8):(1@0,1@1)"))),
            "composed.not_integral");
}

TEST(ComposedLayout, SliceThatIsNotStrided) {
  const ComposedLayout l = composed("Sw<3,0,3> o 0 o (8,8):(8,1)");
  EXPECT_EQ(slice(coordinate("(2,_)"), l).value(), composed("Sw<3,0,3> o 16 o (8):(1)"));
  const auto decayed = slice_and_offset(coordinate("(2,_)"), l).value();
  EXPECT_EQ(decayed.offset, tuple("18"));
  const ComposedLayout whole = composed("Sw<3,0,3> o 0 o (64,2):(1,64)");
  EXPECT_EQ(code(slice_and_offset(coordinate("(_,1)"), whole)), "slice.not_strided");
}

TEST(ComposedLayout, MapLayoutActsOnTheInnerLayout) {
  const ComposedLayout atom = composed("Sw<3,4,3> o 0 o (8,64):(64,1)");
  const auto tiled =
      map_layout(atom, [](const Layout& l) { return tile_to_shape(l, tuple("(128,64)")); }).value();
  EXPECT_EQ(to_string(tiled), "Sw<3,4,3> o 0 o ((8,16),(64,1)):((64,512),(1,0))");
}

TEST(Equal, SaysHowTheSidesWereMatched) {
  EXPECT_TRUE(equal(layout("(4,2):(1,4)"), layout("8:1")).is_yes());
  EXPECT_TRUE(equal(layout("(4,2):(2,1)"), layout("8:1")).is_no());
  EXPECT_TRUE(equal(layout("4:1"), layout("8:1")).is_no());
}

TEST(Equal, LargeLayoutsAreDecidedByTheirForm) {
  EXPECT_TRUE(equal(layout("(1048576,1048576):(1,1048576)"), layout("1099511627776:1")).is_yes());
  const AnyLayout swizzled = composed("Sw<3,4,3> o 0 o (1048576,1048576):(1,1048576)");
  EXPECT_TRUE(equal(swizzled, layout("(1048576,1048576):(1,1048576)")).is_no());
  EXPECT_TRUE(equal(swizzled, swizzled).is_yes());
}

TEST(DomainOverflow, CoordinatesOfTheHeader) {
  const auto outside = domain_overflow(layout("(2,1):(1,80)"), layout("(2,2):(2,1)")).value();
  EXPECT_EQ(outside, (std::vector<IntTuple>{tuple("(1,0)"), tuple("(1,1)")}));
}

}  // namespace
}  // namespace heddle::cute
