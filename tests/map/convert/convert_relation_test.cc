// To relations and back by their text; a tenth of the usual number of cases, as isl takes its time.

#include "map/round_trip.h"

#include "support/any_layout.h"

namespace heddle::map::round_trip {
namespace {

constexpr int kTenth = 10;

TEST(ConvertRelation, OfCute) { expect_round_trips(any_cute, {{System::kRelation, 80}}, kTenth); }

TEST(ConvertRelation, OfThreadValues) {
  expect_round_trips(any_tv, {{System::kRelation, 80}}, kTenth);
}

TEST(ConvertRelation, OfLinear) {
  expect_round_trips(any_linear_layout, {{System::kRelation, 80}}, kTenth);
}

TEST(ConvertRelation, OfLego) {
  expect_round_trips(any_lego_layout, {{System::kRelation, 50}}, kTenth);
}

TEST(ConvertRelation, OfAxe) {
  expect_round_trips(any_axe_layout, {{System::kRelation, 50}}, kTenth);
}

TEST(ConvertRelation, OfTables) {
  expect_round_trips(any_table, {{System::kRelation, 50}}, kTenth);
}

AnyLayout relation_of(Random& random) {
  const std::vector<AnyLayout> sources = {any_cute(random), any_linear_layout(random),
                                          any_lego_layout(random)};
  const AnyLayout& source = random.one_of(sources);
  const auto relation = convert(source, System::kRelation);
  return relation ? relation->layout : source;
}

TEST(ConvertRelation, ToAll) {
  expect_round_trips(
      relation_of,
      {{System::kCute, 20}, {System::kAxe, 20}, {System::kLego, 20}, {System::kTable, 80}}, kTenth);
}

/// A tensor over a mesh, some of it on several devices: the relation has several images.
TEST(ConvertRelation, ShardingsOverMeshes) {
  const AnyLayout sharded =
      test::layout_of_text("S[(2,4,2,8):(1@gpuid,8@m,2@gpuid,1@m)] + R[(2):(4@gpuid)]");
  const auto relation = convert(sharded, System::kRelation);
  ASSERT_TRUE(relation) << relation.error();
  const auto back = convert(relation->layout, System::kAxe);
  ASSERT_TRUE(back) << back.error();
  EXPECT_EQ(differs(viewed(sharded), boxed(*back)), kHolds);
}

}  // namespace
}  // namespace heddle::map::round_trip
