// Layouts recovered from layouts of other systems and from tables.

#include "heddle/map/recover.h"

#include <gtest/gtest.h>

#include "heddle/notation/axe.h"
#include "heddle/notation/lego.h"
#include "map/forms/layouts_of_forms.h"
#include "support/any_layout.h"
#include "support/law.h"
#include "support/random_axe.h"
#include "support/random_lego.h"
#include "support/random_linear.h"
#include "support/text.h"

namespace heddle::map {
namespace {

using test::composed;
using test::Finding;
using test::for_all_seeds;
using test::found;
using test::kHolds;
using test::kSaysNothing;
using test::layout;
using test::Random;
using test::table;

using Values = std::vector<std::int64_t>;

template <class Layout>
std::string text(const Result<Layout>& layout) {
  if (!layout) return layout.error().code();
  std::ostringstream stream;
  stream << *layout;
  return stream.str();
}
std::string text(const Result<cute::AnyLayout>& layout) {
  return layout ? cute::to_string(*layout) : layout.error().code();
}
std::string text(const Result<RecoveredAxe>& axe) {
  return axe ? axe::to_string(axe->layout) : axe.error().code();
}

TEST(RecoverStrided, FromATable) {
  EXPECT_EQ(text(recover_strided(table({4}, {0, 2, 1, 3}))), "(2,2):(2,1)");
  EXPECT_EQ(text(recover_strided(table({2, 4}, {0, 1, 2, 3, 4, 5, 6, 7}))), "(2,4):(4,1)");
  EXPECT_EQ(text(recover_strided(table({2, 4}, {0, 1, 8, 9, 4, 5, 12, 13}))),
            "(2,(2,2)):(4,(1,8))");
  EXPECT_EQ(text(recover_strided(table({1, 4}, {0, 2, 1, 3}))), "(1,(2,2)):(0,(2,1))");
  EXPECT_EQ(text(recover_strided(table({}, {0}))), "1:0");
  EXPECT_EQ(text(recover_strided(table({4}, {0, 1, 3, 2}))), "recover.no_layout");
}

TEST(RecoverStrided, WithAnOffset) {
  EXPECT_EQ(text(recover_strided(table({4}, {7, 5, 3, 1}))), "Sw<0,4,3> o 7 o 4:-2");
}

TEST(RecoverStrided, SeveralAxes) {
  const std::vector<Axis> axes{Axis("laneid"), Axis("reg")};
  EXPECT_EQ(text(recover_strided(table({4}, {0, 0, 0, 1, 1, 0, 1, 1}, axes))), "(2,2):(1@1,1@0)");
  EXPECT_EQ(text(recover_strided(table({2}, {0, 0, 1, 1}, axes))), "recover.no_layout");
  EXPECT_EQ(text(recover_strided(table({2}, {0, 1, 1, 1}, axes))), "recover.no_layout");
}

TEST(RecoverStrided, WithShapes) {
  const AnyLayout line = table({8}, {0, 1, 2, 3, 4, 5, 6, 7});
  RecoverOptions options;
  options.shape = test::tuple("(2,(2,2))");
  EXPECT_EQ(text(recover_strided(line, options)), "(2,(2,2)):(1,(2,4))");
  options.shape = test::tuple("(4,4)");
  EXPECT_EQ(text(recover_strided(line, options)), "view.shape");
  options.shape = {};
  options.compatible_with = test::tuple("(2,4)");
  EXPECT_EQ(text(recover_strided(line, options)), "(2,4):(1,2)");
  EXPECT_EQ(text(recover_strided(table({8}, {0, 1, 2, 3, 8, 9, 10, 11}), options)),
            "(2,(2,2)):(1,(2,8))");
}

TEST(RecoverStrided, WithStrides) {
  const AnyLayout line = table({8}, {0, 1, 2, 3, 8, 9, 10, 11});
  RecoverOptions options;
  options.strides = test::strides("(1,(2,8))");
  EXPECT_EQ(text(recover_strided(line, options)), "(2,(2,2)):(1,(2,8))");
  options.strides = test::strides("(1,8)");
  EXPECT_EQ(text(recover_strided(line, options)), "(4,2):(1,8)");
  options.strides = test::strides("(1,7)");
  EXPECT_EQ(text(recover_strided(line, options)), "recover.strides");
  options.strides = test::strides("(1,1@0)");
  EXPECT_EQ(text(recover_strided(line, options)), "recover.strides");
  options.strides = test::strides("(4,1)");
  EXPECT_EQ(text(recover_strided(table({2, 4}, {0, 1, 2, 3, 4, 5, 6, 7}), options)), "(2,4):(4,1)");
  options.strides = test::strides("1");
  EXPECT_EQ(text(recover_strided(table({2, 4}, {0, 1, 2, 3, 4, 5, 6, 7}), options)), "8:1");
}

TEST(RecoverMixed, FindsTheSwizzle) {
  EXPECT_EQ(text(recover_mixed(composed("Sw<3,3,3> o 0 o (8,64):(64,1)"))),
            "Sw<3,3,3> o 0 o (8,64):(64,1)");
  EXPECT_EQ(text(recover_mixed(composed("Sw<2,0,3> o 5 o (6,12):(1,8)"))),
            "Sw<2,0,3> o 5 o (6,12):(1,8)");
  EXPECT_EQ(text(recover_mixed(composed("Sw<3,4,3> o 0 o 16:1"))), "16:1");
  EXPECT_EQ(text(recover_mixed(table({4}, {0, 1, 4, 9}))), "recover.no_mixed");
}

TEST(RecoverBits, FromTables) {
  EXPECT_EQ(text(recover_bit_linear(table({4}, {0, 1, 3, 2}))),
            " - c0=1 -> (1)\n   c0=2 -> (3)\nwhere out dims are: [m (size 4)]");
  EXPECT_EQ(text(recover_bit_linear(table({3}, {0, 1, 3}))), "recover.no_bits");
  EXPECT_EQ(text(recover_bit_linear(table({2}, {1, 0}))), "recover.no_bits");
}

TEST(RecoverAxe, FromTables) {
  const std::vector<Axis> axes{Axis("laneid"), Axis("m")};
  EXPECT_EQ(text(recover_axe(table({2, 2}, {3, 0, 3, 1, 7, 0, 7, 1}, axes))),
            "S[(2,2):(4@laneid,1@m)] + 3@laneid");
  EXPECT_EQ(text(recover_axe(table({4}, {0, 1, 3, 2}))), "SW(0,1,1) o S[(4):(1@m)]");
  EXPECT_EQ(text(recover_axe(table({4}, {0, 1, 4, 9}))), "recover.no_axe");
  EXPECT_EQ(text(recover_axe(table({2}, {0, 0, 1, 1}, axes))), "recover.no_axe");
}

TEST(RecoverAxe, CopiesStay) {
  const axe::Layout layout =
      notation::parse_axe("S[(2,2,2):(4@m,2@m,1@m)] + R[(2,2):(1@warpid,2@warpid)]").value();
  EXPECT_EQ(text(recover_axe(layout)), "S[(8):(1@m)] + R[(4):(1@warpid)]");
  EXPECT_EQ(text(recover_strided(layout)), "recover.copies");
}

TEST(RecoverStrided, SizesUpTo2To62) {
  const cute::Layout huge = layout(
      "(32,(16,32),(32,32,4),1024,32,64,(4,4)):"
      "(1,(32,512),(16384,524288,16777216),67108864,68719476736,"
      "2199023255552,(140737488355328,562949953421312))");
  EXPECT_EQ(text(recover_strided(huge)),
            "(32,512,4096,1024,32,64,16):(1,32,16384,67108864,68719476736,2199023255552,"
            "140737488355328)");
  const cute::Layout odd = layout("(1000003,1000033,3):(1000033,1,0)");
  EXPECT_EQ(text(recover_strided(odd)), "(1000003,1000033,3):(1000033,1,0)");
}

TEST(RecoverStrided, OfARank8LayoutOf2To40ElementsLooksAtFewOfThem) {
  const AnyLayout any = layout(
      "(32,32,32,32,32,32,32,32):(33554432,1,32,1024,32768,1048576,"
      "1073741824,34359738368)");
  // 2^40 of them would take hours.
  EXPECT_TRUE(recover_strided(any).has_value());
}

TEST(RecoverStrided, HugeLegoLayoutsByTheirDigitsOrAtVariables) {
  const lego::Layout rows =
      notation::parse_lego("GroupBy([1048576,1048576]).OrderBy(Row(1048576,1048576))").value();
  EXPECT_EQ(text(recover_strided(rows)), "(1048576,1048576):(1048576,1)");
  const lego::Layout odd =
      notation::parse_lego("GroupBy([1000003,3000]).OrderBy(Col(1000003,3000))").value();
  EXPECT_EQ(text(recover_strided(odd)), "(1000003,3000):(1,1000003)");
}

TEST(Recover, SymbolicSizesAreRefused) {
  const Int n = Int::variable("n", 1, 100);
  const cute::Layout symbolic = cute::make_layout(IntTuple{n, 4}).value();
  EXPECT_EQ(text(recover_strided(symbolic)), "assume.needed");
}

TEST(Recover, GivesUpAfterItsSteps) {
  RecoverOptions options;
  options.limits.steps = 1000;
  Values values(1 << 18);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int64_t>(i);
  EXPECT_EQ(text(recover_strided(table({1 << 18}, values), options)), "recover.gave_up");
  options.limits.steps = 10'000;
  EXPECT_EQ(text(recover_strided(table({1 << 18}, values), options)), "262144:1");
}

// Laws.

/// The layouts are the same function on the box of the first one, coordinate by coordinate.
template <class ValueAt>
Finding differs_on_box(const View& view, ValueAt value_at) {
  for (std::int64_t flat = 0; flat < view.size().value(); ++flat) {
    std::vector<Int> point(view.extents.size());
    std::int64_t rest = flat;
    for (std::size_t i = 0; i < point.size(); ++i) {
      point[i] = rest % view.extents[i].value();
      rest /= view.extents[i].value();
    }
    if (view.evaluate(point, 0) != value_at(point)) return found("differs at ", flat);
  }
  return kHolds;
}

/// The recovered layout, evaluated by its own view on the box of the original.
Finding differs_as_view(const AnyLayout& original, const AnyLayout& recovered) {
  const View wanted = view(original).value();
  const View got = reshaped(view(recovered).value(), wanted.extents).value();
  return differs_on_box(wanted,
                        [&](const std::vector<Int>& point) { return got.evaluate(point, 0); });
}

TEST(RecoverLaw, ATableOfAnyCuteLayoutIsThatLayout) {
  for_all_seeds([](Random& random) -> Finding {
    const cute::Layout original = to_layout(test::any_layout(random, 64));
    const form::Table values = form::table_of(cute::index_map(original)).value();
    const auto recovered = recover_strided(values);
    if (!recovered) return found(original, ": ", recovered.error());
    return differs_as_view(values, any_layout(*recovered));
  });
}

TEST(RecoverLaw, AnyAxeLayoutOfOneImageEach) {
  for_all_seeds([](Random& random) -> Finding {
    const axe::Layout original = test::any_axe(
        random,
        {.max_size = 64, .replicas = false, .offsets = true, .swizzles = random.chance(50)});
    const View viewed = view(original).value();
    const form::Table values = form::table_of(viewed.index_map()).value();
    const auto recovered = recover_axe(values);
    if (!recovered) return found(original, ": ", recovered.error());
    return test::differs_as_axe(recovered->layout, original);
  });
}

TEST(RecoverLaw, AnyLinearLayout) {
  for_all_seeds([](Random& random) -> Finding {
    const linear::LinearLayout original = test::any_linear(random, 7);
    const View viewed = view(original).value();
    const form::Table values = form::table_of(viewed.index_map()).value();
    const auto direct = recover_bit_linear(original);
    if (!direct) return found(direct.error());
    if (*direct != original) return found(original, " became ", *direct);
    const auto recovered = recover_bit_linear(values);
    if (!recovered) return found(recovered.error());
    return recovered->matrix().columns().size() == original.matrix().columns().size()
               ? kHolds
               : found(*recovered);
  });
}

TEST(RecoverLaw, StridedAndSwizzledLegoLayouts) {
  test::Tally strided;
  for_all_seeds({.one_in = 5}, [&](Random& random) -> Finding {
    const lego::Layout original = test::to_layout(test::any_lego(random));
    const auto viewed = view(original);
    if (!viewed || viewed->size().value() > 4096) return kSaysNothing;
    const auto recovered = recover_mixed(original);
    if (!recovered) return kSaysNothing;
    strided.count();
    return differs_as_view(original, any_layout(*recovered));
  });
  strided.expect_at_least(1);
}

}  // namespace
}  // namespace heddle::map
