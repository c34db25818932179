// There and back again: to(from(x)) is x as a map, for every pair of systems, and what is taken
// literally has the same values there too.

#include "map/round_trip.h"

namespace heddle::map::round_trip {
namespace {

TEST(ConvertRoundTrip, OfCute) {
  expect_round_trips(any_cute, {{System::kLinear, 5},
                                {System::kAxe, 90},
                                {System::kLego, 50},
                                {System::kCuteTv, 5},
                                {System::kTable, 90}});
}

TEST(ConvertRoundTrip, OfThreadValues) {
  expect_round_trips(any_tv, {{System::kCute, 90},
                              {System::kLinear, 5},
                              {System::kAxe, 30},
                              {System::kLego, 90},
                              {System::kTable, 90}});
}

TEST(ConvertRoundTrip, OfLinear) {
  expect_round_trips(any_linear_layout, {{System::kCute, 20},
                                         {System::kCuteTv, 10},
                                         {System::kAxe, 20},
                                         {System::kLego, 90},
                                         {System::kTable, 90}});
}

TEST(ConvertRoundTrip, OfLego) {
  expect_round_trips(any_lego_layout, {{System::kCute, 20},
                                       {System::kLinear, 2},
                                       {System::kAxe, 20},
                                       {System::kCuteTv, 2},
                                       {System::kTable, 90}});
}

TEST(ConvertRoundTrip, OfAxe) {
  expect_round_trips(any_axe_layout, {{System::kCute, 20},
                                      {System::kLinear, 1},
                                      {System::kLego, 10},
                                      {System::kCuteTv, 1},
                                      {System::kTable, 20}});
}

TEST(ConvertRoundTrip, OfTables) {
  expect_round_trips(any_table, {{System::kCute, 20},
                                 {System::kLinear, 5},
                                 {System::kAxe, 20},
                                 {System::kCuteTv, 2},
                                 {System::kLego, 20}});
}

}  // namespace
}  // namespace heddle::map::round_trip
