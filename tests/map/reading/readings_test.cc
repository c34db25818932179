// Equality of layouts that go different ways: what one system says of who owns which element, and
// of what lies where, against what the others say.

#include "heddle/map/reading.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "heddle/linear/encoding.h"
#include "heddle/map/convert.h"
#include "heddle/map/decide.h"
#include "map/round_trip.h"
#include "support/any_layout.h"

namespace heddle::map {
namespace {

using linear::Encoding;
using linear::LinearLayout;
using linear::NvidiaMmaEncoding;
using linear::NvmmaSharedEncoding;
using round_trip::text_of;
using test::Finding;
using test::for_all_seeds;
using test::found;
using test::kHolds;
using test::kSaysNothing;
using test::layout_of_text;
using test::mma_of;
using test::Random;
using test::Tally;
using test::triton;

const std::vector kAllReadings = {Reading::kLiteral, Reading::kMemory, Reading::kOwnership};

DecideOptions read_as(Reading reading) {
  DecideOptions options;
  options.reading = reading;
  return options;
}

Verdict equal_as(Reading reading, const AnyLayout& a, const AnyLayout& b) {
  return equal(a, b, read_as(reading));
}

/// The counterexample as it is printed: `coordinate: one and other`.
std::string difference(const Verdict& verdict) {
  if (!verdict.is_no() || !verdict.counterexample()) return verdict.to_string();
  const Witness& witness = *verdict.counterexample();
  return witness.coordinate + ": " + witness.found + " and " + witness.wanted;
}

Encoding mma16_of_triton() {
  return NvidiaMmaEncoding{.warps_per_cta = {1, 1}, .instr_shape = {16, 8}};
}

cute::TiledMma mma16_of_cute() { return mma_of("SM80_16x8x16_F32F16F16F32_TN"); }

/// All are the same, each beside each, on either side.
void expect_all_equal(Reading reading, const std::vector<AnyLayout>& layouts) {
  for (const AnyLayout& a : layouts) {
    for (const AnyLayout& b : layouts) {
      const Verdict verdict = equal_as(reading, a, b);
      EXPECT_TRUE(verdict.is_yes()) << text_of(a) << "\n" << text_of(b) << "\n" << verdict;
    }
  }
}

// ---- Fragments of matrix instructions ----

TEST(Readings, AccumulatorOfMma) {
  const AnyLayout cute = cute::layoutC_TV(mma16_of_cute()).value();
  const AnyLayout linear = triton(mma16_of_triton(), {16, 8});
  expect_all_equal(Reading::kOwnership,
                   {cute, linear, layout_of_text("S[(2,8,4,2):(2@reg,4@laneid,1@laneid,1@reg)]"),
                    layout_of_text("((4,8),(2,2)):((32,1),(16,8)) tile (16,8)"),
                    layout_of_text("S[(2,8,4,2):(2@m,4@tx,1@tx,1@m)]")});
  // The rows of the second half in the registers of the first.
  const AnyLayout swapped = layout_of_text("S[(2,8,4,2):(1@reg,4@laneid,1@laneid,2@reg)]");
  EXPECT_EQ(difference(equal_as(Reading::kOwnership, cute, swapped)),
            "32 = (thread=0, value=1): (0,1) and (8,0)");
  EXPECT_EQ(difference(equal_as(Reading::kOwnership, swapped, linear)),
            "1 = (register=1, lane=0, warp=0, block=0): (8,0) and (0,1)");
  const AnyLayout off = layout_of_text("((4,8),(2,2)):((32,1),(16,4)) tile (16,8)");
  EXPECT_EQ(difference(equal_as(Reading::kOwnership, linear, off)),
            "64 = (thread=0, value=2): (8,0) and (4,0)");
}

TEST(Readings, OperandAOfMma) {
  const AnyLayout cute = cute::layoutA_TV(mma16_of_cute()).value();
  const AnyLayout linear = triton(linear::dot_operand_of(mma16_of_triton(), 0, 2), {16, 16});
  const AnyLayout axe = layout_of_text("S[(2,8,2,4,2):(2@reg,4@laneid,4@reg,1@laneid,1@reg)]");
  expect_all_equal(Reading::kOwnership, {cute, linear, axe});
  const AnyLayout swapped = layout_of_text("S[(2,8,2,4,2):(4@reg,4@laneid,2@reg,1@laneid,1@reg)]");
  EXPECT_EQ(difference(equal_as(Reading::kOwnership, cute, swapped)),
            "64 = (thread=0, value=2): (8,0) and (0,8)");
}

/// CuTe's B is N x K, Triton's K x N.
TEST(Readings, OperandBOfMma) {
  const AnyLayout cute = cute::layoutB_TV(mma16_of_cute()).value();
  const AnyLayout linear =
      linear::transpose_outs(triton(linear::dot_operand_of(mma16_of_triton(), 1, 2), {16, 8}),
                             {"dim1", "dim0"})
          .value();
  const AnyLayout axe = layout_of_text("S[(8,2,4,2):(4@laneid,2@reg,1@laneid,1@reg)]");
  expect_all_equal(Reading::kOwnership, {cute, linear, axe});
  const AnyLayout untransposed = triton(linear::dot_operand_of(mma16_of_triton(), 1, 2), {16, 8});
  EXPECT_EQ(difference(equal_as(Reading::kOwnership, cute, untransposed)),
            "1 = (thread=1, value=0): (0,2) and (2,0)");
}

TEST(Readings, AccumulatorOfWgmma) {
  const AnyLayout cute = cute::layoutC_TV(mma_of("SM90_64x64x16_F32F16F16_SS")).value();
  const AnyLayout linear = triton(
      NvidiaMmaEncoding{.version_major = 3, .warps_per_cta = {4, 1}, .instr_shape = {16, 64, 16}},
      {64, 64});
  expect_all_equal(
      Reading::kOwnership,
      {cute, linear,
       layout_of_text("S[(4,2,8,8,4,2):(1@warpid,2@reg,4@laneid,4@reg,1@laneid,1@reg)]"),
       layout_of_text("S[(4,2,8,8,4,2):(1@wid_in_wg,2@reg,4@laneid,4@reg,1@laneid,1@reg)]")});
  const AnyLayout swapped =
      layout_of_text("S[(2,2,2,8,8,4,2):(1@warpid,2@warpid,2@reg,4@laneid,4@reg,1@laneid,1@reg)]");
  EXPECT_EQ(difference(equal_as(Reading::kOwnership, cute, swapped)),
            "32 = (thread=32, value=0): (16,0) and (32,0)");
}

// ---- Shared memory ----

TEST(Readings, SwizzledTilesInSharedMemory) {
  struct Case {
    std::int64_t bytes;
    linear::Sizes shape;
    std::string cute;
    std::string axe;
    std::string off;
    std::string difference;
  };
  for (const Case& one : {Case{128,
                               {8, 64},
                               "Sw<3,3,3> o 0 o (8,64):(64,1)",
                               "SW(3,3,3) o S[(8,64):(64@m,1@m)]",
                               "Sw<2,3,3> o 0 o (8,64):(64,1)",
                               "4 = (4,0): 288 and 256"},
                          Case{64,
                               {8, 32},
                               "Sw<2,3,3> o 0 o (8,32):(32,1)",
                               "SW(3,2,3) o S[(8,32):(32@m,1@m)]",
                               "Sw<2,3,2> o 0 o (8,32):(32,1)",
                               "1 = (1,0): 32 and 40"},
                          Case{32,
                               {8, 16},
                               "Sw<1,3,3> o 0 o (8,16):(16,1)",
                               "SW(3,1,3) o S[(8,16):(16@m,1@m)]",
                               "Sw<1,3,4> o 0 o (8,16):(16,1)",
                               "4 = (4,0): 72 and 64"}}) {
    const AnyLayout stored =
        triton(NvmmaSharedEncoding{.swizzling_byte_width = one.bytes}, one.shape);
    expect_all_equal(Reading::kMemory, {stored, layout_of_text(one.cute), layout_of_text(one.axe)});
    EXPECT_EQ(difference(equal_as(Reading::kMemory, stored, layout_of_text(one.off))),
              one.difference);
  }
}

// ---- What a verdict says ----

TEST(Readings, VerdictsSayWhichWayTheMapsGo) {
  const AnyLayout tv = layout_of_text("((4,8),(2,2)):((32,1),(16,8)) tile (16,8)");
  const AnyLayout axe = layout_of_text("S[(2,8,4,2):(2@reg,4@laneid,1@laneid,1@reg)]");
  EXPECT_EQ(equal_as(Reading::kOwnership, tv, axe).remark(), "(thread,value) -> (dim0,dim1)");
  const AnyLayout shared =
      layout_of_text(R"({"ins":[["offset",[[0,1],[1,0]]]],"outs":[["dim0",2],["dim1",2]]})");
  EXPECT_EQ(equal_as(Reading::kMemory, shared, layout_of_text("(2,2):(2,1)")).remark(),
            "(dim0,dim1) -> offset");
}

/// By default two layouts are compared as suits both, and the verdict names that reading.
TEST(Readings, ByDefaultWhatSuitsBoth) {
  const AnyLayout tv = layout_of_text("((4,8),(2,2)):((32,1),(16,8)) tile (16,8)");
  const AnyLayout linear = triton(mma16_of_triton(), {16, 8});
  const Verdict owned = equal(tv, linear);
  EXPECT_TRUE(owned.is_yes());
  EXPECT_NE(owned.remark().find("read as ownership"), std::string::npos) << owned;
  EXPECT_TRUE(equal_as(Reading::kLiteral, tv, linear).is_no());
  const Verdict other = equal(layout_of_text("((4,8),(2,2)):((32,1),(8,16)) tile (16,8)"), linear);
  EXPECT_TRUE(other.is_no());
  EXPECT_NE(other.remark().find("read as ownership; --as literal"), std::string::npos) << other;
  const AnyLayout shared = layout_of_text(
      "!ttg.memdesc<64x64xf16, #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, "
      "order = [1, 0]}>, #ttg.shared_memory>");
  const Verdict stored = equal(layout_of_text("Sw<3,3,3> o 0 o (64,64):(64,1)"), shared);
  EXPECT_TRUE(stored.is_yes());
  EXPECT_NE(stored.remark().find("read as memory"), std::string::npos) << stored;
}

/// What is one function is equal, whatever reading would suit it; tables and relations are compared
/// as they are.
TEST(Readings, TheSameFunctionIsEqualByDefault) {
  const AnyLayout axe = layout_of_text("S[(8,4):(4@laneid,1@laneid)]");
  EXPECT_TRUE(equal(axe, layout_of_text("(8,4):(4,1)")).is_yes());
  const AnyLayout linear = triton(mma16_of_triton(), {16, 8});
  EXPECT_TRUE(equal(linear, convert(linear, System::kTable).value().layout).is_yes());
  EXPECT_TRUE(equal(linear, convert(linear, System::kRelation).value().layout).is_yes());
}

/// Digits that leave a tile through an index of one value are compared, not cut for ever.
TEST(Readings, IndicesOfOneValueTakeNoDigits) {
  const AnyLayout layout = layout_of_text("(2,2):(1,4) tile (4,1)");
  EXPECT_TRUE(equal_as(Reading::kOwnership, layout, layout).is_yes());
}

/// The same numbers in another tile are other elements.
TEST(Readings, TilesMatter) {
  const AnyLayout linear = triton(mma16_of_triton(), {16, 8});
  const AnyLayout square = layout_of_text("((4,8),(2,2)):((32,1),(16,8)) tile (8,16)");
  EXPECT_EQ(difference(equal_as(Reading::kOwnership, square, linear)),
            "1 = (thread=1, value=0): (0,4) and (0,2)");
  // Without a tile elements are numbers, which Triton's dims make column by column.
  EXPECT_TRUE(equal_as(Reading::kOwnership, layout_of_text("((4,8),(2,2)):((32,1),(16,8))"), linear)
                  .is_yes());
}

TEST(Readings, PlacesThatOneSideHasNot) {
  const AnyLayout tv = layout_of_text("(4,2):(1,4) tile 8");
  EXPECT_EQ(difference(equal_as(Reading::kOwnership, tv, layout_of_text("(8,2):(1,4) tile 8"))),
            "(thread=4, value=0): nothing and 4");
  EXPECT_EQ(difference(equal_as(Reading::kOwnership, tv, layout_of_text("S[(2,4):(1@reg,2@tx)]"))),
            "(thread=1, value=0): 1 and nothing");
  EXPECT_EQ(difference(equal_as(Reading::kOwnership,
                                layout_of_text("S[(2,4):(1@reg,1@tx)] + R[2:4@tx]"), tv)),
            "(thread=4, value=0): 0 and nothing");
  // Two elements in one place.
  EXPECT_EQ(difference(equal_as(Reading::kOwnership, tv, layout_of_text("S[(2,4):(0@reg,1@tx)]"))),
            "(thread=0, value=0): 0 and {0, 4}");
}

TEST(Readings, OtherClaimsHaveThemToo) {
  const AnyLayout held_twice = layout_of_text("S[(2,4):(1@reg,1@laneid)] + R[2:4@laneid]");
  EXPECT_TRUE(injective(held_twice).is_yes());
  EXPECT_TRUE(injective(held_twice, read_as(Reading::kOwnership)).is_no());
  EXPECT_TRUE(covers(held_twice, layout_of_text("(4,2):(1,4) tile 8"), read_as(Reading::kOwnership))
                  .is_yes());
  EXPECT_TRUE(bijective(layout_of_text("S[(2,4):(1@reg,1@laneid)]"), read_as(Reading::kOwnership))
                  .is_yes());
}

TEST(Readings, SymbolicSizes) {
  EXPECT_TRUE(equal_as(Reading::kOwnership, layout_of_text("(M,N):(1,M) tile (M,N)"),
                       layout_of_text("S[(M,N):(1@tx,1@reg)]"))
                  .is_yes());
  const Verdict no = equal_as(Reading::kOwnership, layout_of_text("(M,N):(1,M) tile (M,N)"),
                              layout_of_text("S[(M,N):(N@tx,1@tx)]"));
  EXPECT_TRUE(no.is_no()) << no;
}

// ---- Laws ----

using Generate = AnyLayout (*)(Random&);
const std::vector<Generate> kGenerators = {
    round_trip::any_cute,        round_trip::any_tv,         round_trip::any_linear_layout,
    round_trip::any_lego_layout, round_trip::any_axe_layout, round_trip::any_table};
const std::vector kTargets = {System::kCute, System::kCuteTv, System::kLinear,
                              System::kAxe,  System::kLego,   System::kTable};

/// A layout is what it is converted to, by the reading of the conversion.
TEST(Readings, ConversionsAreEqual) {
  std::map<Reading, Tally> tallies;
  for_all_seeds([&](Random& random) -> Finding {
    const AnyLayout layout = random.one_of(kGenerators)(random);
    const Reading reading = random.one_of(kAllReadings);
    const System to = random.one_of(kTargets);
    const auto there = convert(layout, to, {reading, {}, {}});
    if (!there) return kSaysNothing;
    DecideOptions options = read_as(reading);
    if (to == System::kAxe) options.shape = there->shape;
    const Verdict verdict = equal(layout, there->layout, options);
    tallies[reading].count();
    if (verdict.is_yes()) return kHolds;
    return found(text_of(layout), " as ", name(reading), " is not ", text_of(there->layout), ": ",
                 verdict);
  });
  for (const Reading reading : kAllReadings) tallies[reading].expect_at_least(5);
}

// What is owned, and what lies where, read off the layouts point by point.

using Place = std::map<std::string, std::int64_t>;  // without zeros
using Owned = std::set<std::pair<Place, std::int64_t>>;

void add_to(Place& place, const std::string& name, std::int64_t number) {
  if ((place[name] += number) == 0) place.erase(name);
}

/// Threads by one number, 32 for each warp; registers are values.
Place place_of(std::span<const std::string> names, std::span<const Int> numbers,
               std::int64_t lanes) {
  Place place;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string& name = names[i];
    const std::int64_t number = numbers[i].value();
    const bool is_value = name == "value" || name == "register" || name == "reg" || name == "m";
    const bool is_warp = name == "warp" || name == "warpid";
    add_to(place, is_value ? "value" : "thread", is_warp ? number * lanes : number);
  }
  return place;
}

std::int64_t column_major(std::span<const Int> point, std::span<const Int> shape) {
  return flat_of(shape, form::FlatOrder::kFirstFastest, point).value();
}

/// Of a thread-value layout, a register layout of Triton, an Axe layout on threads and registers.
Owned owned_in(const AnyLayout& layout, std::span<const Int> shape) {
  View it = view(layout).value();
  const bool is_axe = it.system == System::kAxe;
  if (is_axe) it = reshaped(it, shape).value();
  std::vector<std::string> axes;
  for (const Axis& axis : it.axes) axes.push_back(axis.name());
  Owned owned;
  for (std::int64_t flat = 0; flat < it.size().value(); ++flat) {
    const std::vector<Int> point = point_of(it.extents, it.order, flat);
    const auto found = images(it, point).value();
    for (const std::vector<Int>& image : found) {
      const std::int64_t element =
          is_axe ? column_major(point, shape)
                 : (image.size() == 1 ? image.front().value() : column_major(image, shape));
      owned.emplace(is_axe ? place_of(axes, image, 32) : place_of(it.names, point, 32), element);
    }
  }
  return owned;
}

/// Threads and values that share out a tensor of 16 x 8, some of it held twice.
struct Owners {
  linear::NamedSizes places;
  std::vector<std::uint64_t> columns;

  [[nodiscard]] AnyLayout layout() const {
    return test::linear_from_columns(places, {{"dim0", 16}, {"dim1", 8}}, columns);
  }
};

Owners any_owners(Random& random) {
  Owners owners{{{"register", 4}, {"lane", 32}}, {}};
  for (int bit = 0; bit < 7; ++bit) owners.columns.push_back(std::uint64_t{1} << bit);
  if (random.chance(50)) {
    owners.places.emplace_back("warp", 2);
    owners.columns.push_back(0);
  }
  random.shuffle(owners.columns);
  return owners;
}

/// Two bits of the places exchanged, or one changed.
Owners mutant_of(Owners owners, Random& random) {
  const auto any = [&] {
    return static_cast<std::size_t>(random.between(0, std::ssize(owners.columns) - 1));
  };
  if (random.chance(70)) {
    std::swap(owners.columns[any()], owners.columns[any()]);
  } else {
    owners.columns[any()] ^= std::uint64_t{1} << random.between(0, 6);
  }
  return owners;
}

/// In one of the three systems that say who owns what.
AnyLayout anywhere(const AnyLayout& layout, Random& random) {
  const std::vector places = {System::kCuteTv, System::kLinear, System::kAxe};
  const auto there = convert(layout, random.one_of(places), {Reading::kOwnership, {}, {}});
  return there ? there->layout : layout;
}

TEST(Readings, OwnershipIsWhatPointsSay) {
  Tally equals;
  Tally differences;
  for_all_seeds([&](Random& random) -> Finding {
    const Owners owners = any_owners(random);
    const AnyLayout a = anywhere(owners.layout(), random);
    const AnyLayout b = anywhere(mutant_of(owners, random).layout(), random);
    const std::vector<Int> shape = {16, 8};
    DecideOptions options = read_as(Reading::kOwnership);
    options.shape = shape;
    const Verdict verdict = equal(a, b, options);
    const bool truth = owned_in(a, shape) == owned_in(b, shape);
    (truth ? equals : differences).count();
    if (truth ? verdict.is_yes() : verdict.is_no()) return kHolds;
    return found(text_of(a), " and ", text_of(b), ": ", verdict, "; truth: ", truth);
  });
  equals.expect_at_least(5);
  differences.expect_at_least(50);
}

}  // namespace
}  // namespace heddle::map
