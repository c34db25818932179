// One test an error code of conversions: the whole text that the terminal shows. A test has the
// name of its code with `_` for `.`.

#include <gtest/gtest.h>

#include <string>

#include "heddle/map/convert.h"
#include "support/any_layout.h"

namespace heddle::map {
namespace {

std::string conversion_refusal(std::string_view text, System to,
                               const ConvertOptions& options = {}) {
  const auto converted = convert(test::layout_of_text(text), to, options);
  return converted ? "not refused" : converted.error().to_string();
}

TEST(ErrorText, convert_no_layout) {
  EXPECT_EQ(conversion_refusal("GroupBy([4,4]).OrderBy(GenP([4,4],antidiag))", System::kCute),
            "error convert.no_layout: no CuTe layout has the map of "
            "GroupBy([4,4]).OrderBy(GenP([4,4],antidiag))\n"
            "  mode 0 breaks: its step changes at (3,0), and 3 does not divide 4\n"
            "  f(1,0) = 2 and f(2,0) = 5 would make it 7, but f(3,0) = 9\n"
            "  no swizzle of its address bits makes it strided either\n"
            "  witness: coordinate (3,0) maps to 9; a CuTe layout would need 7");
  EXPECT_EQ(conversion_refusal("(4,2):(1,2)", System::kLinear),
            "error convert.no_layout: no linear layout has the map of (4,2):(1,2)\n"
            "  f(2,0) = 2 and f(0,1) = 2, whose XOR is 0, but f(2,1) = 4\n"
            "  witness: coordinate (2,1) maps to 4; a linear layout would need 0");
  EXPECT_EQ(conversion_refusal("(3,2):(1,3)", System::kLinear),
            "error convert.no_layout: no linear layout has the map of (3,2):(1,3)\n"
            "  mode 0 has 3 points, no power of two");
}

TEST(ErrorText, convert_copies) {
  EXPECT_EQ(conversion_refusal("S[(4):(1@m)] + R[(2):(4@m)]", System::kCute),
            "error convert.copies: a CuTe layout takes a point to one place, S[(4):(1@m)] + "
            "R[(2):(4@m)] to 2 of them\n"
            "  point 0 is at 0@m and 4@m\n"
            "  hint: Axe layouts and relations say where copies are");
}

TEST(ErrorText, convert_holes) {
  EXPECT_EQ(conversion_refusal("S[(4,2):(1@laneid,8@laneid)]", System::kLinear),
            "error convert.holes: S[(4,2):(1@laneid,8@laneid)] cannot be turned round: nothing is "
            "at lane 4\n"
            "  smaller digits reach up to 4, the next one has steps of 8 on lane");
}

TEST(ErrorText, convert_shape) {
  EXPECT_EQ(conversion_refusal("(4,2,2):(1,4,8)", System::kCuteTv),
            "error convert.shape: a thread-value layout has two modes, (4,2,2):(1,4,8) has 3\n"
            "  hint: give the shape (threads,values)");
}

TEST(ErrorText, convert_undecided) {
  EXPECT_EQ(conversion_refusal("GroupBy([2048,1024]).OrderBy(GenP([2048,1024],cyclic(3)))",
                               System::kCute),
            "error convert.undecided: whether a CuTe layout has the map of "
            "GroupBy([2048,1024]).OrderBy(GenP([2048,1024],cyclic(3))) is not decided: its "
            "notation does not show the digits, and 2097152 points are too many to look at\n"
            "  hint: up to 1048576 points are evaluated");
}

TEST(ErrorText, convert_symbolic) {
  EXPECT_EQ(conversion_refusal("(M,N):(N,1)", System::kLinear),
            "error convert.symbolic: a linear layout needs numbers: the size M of (M,N):(N,1) is "
            "symbolic");
}

}  // namespace
}  // namespace heddle::map
