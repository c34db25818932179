// One test an error code of the isl engine: the whole text that the terminal shows. A test has the
// name of its code with `_` for `.`.

#include <gtest/gtest.h>

#include <string>

#include "heddle/map/isl_engine.h"

namespace heddle::map::isl_engine {
namespace {

std::string refusal(const Result<cute::Layout>& result) {
  return result ? "not refused" : result.error().to_string();
}

IntegerRelation relation(const char* text) { return IntegerRelation::parse(text).value(); }

TEST(ErrorText, isl_engine_operand) {
  const cute::Layout named = cute::make_layout(Int::variable("N", 1, 64), 1).value();
  EXPECT_EQ(refusal(isl_engine::inverse(named)),
            "error isl_engine.operand: the isl engine takes layouts of numbers on one axis; N:1 is "
            "none");
}

TEST(ErrorText, isl_engine_operation) {
  EXPECT_EQ(refusal(call("coalesce", {})),
            "error isl_engine.operation: the isl engine has no operation coalesce; it has "
            "complement, complement_fill, composition, inverse, left_inverse, right_inverse");
  EXPECT_EQ(refusal(call("composition", {})),
            "error isl_engine.operation: composition by the isl engine takes two layouts");
}

TEST(ErrorText, isl_engine_domain) {
  EXPECT_EQ(refusal(layout_from_shape(relation("{ [c] -> [c] : 0 < c < 8 }"), Int(7))),
            "error isl_engine.domain: the relation is no layout mapping: its domain is no interval "
            "from 0\n"
            "  { [c] -> [c] : 0 < c <= 7 }");
}

TEST(ErrorText, isl_engine_not_affine) {
  EXPECT_EQ(refusal(layout_from_shape(relation("{ [c] -> [floor(c/2)] : 0 <= c < 4 }"), Int(4))),
            "error isl_engine.not_affine: the relation is no layout of the shape 4: its index "
            "mapping in that shape is not strictly affine\n"
            "  { [c] -> [floor((c)/2)] : 0 <= c <= 3 }\n"
            "  hint: another shape of the same size may do");
}

TEST(ErrorText, isl_engine_no_shape) {
  EXPECT_EQ(refusal(layout_from_strides(relation("{ [c] -> [2c] : 0 <= c < 8 }"), {1, 8})),
            "error isl_engine.no_shape: the relation is no layout with the strides (1,8): no "
            "extents have that mapping\n"
            "  { [c] -> [2c] : 0 <= c <= 7 }");
}

}  // namespace
}  // namespace heddle::map::isl_engine
