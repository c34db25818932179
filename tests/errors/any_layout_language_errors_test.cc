// One test an error code of the words for layouts of any system: the whole text that the
// terminal shows. A test has the name of its code with `_` for `.`.

#include <gtest/gtest.h>

#include <string>

#include "heddle/notation/any_layout.h"
#include "support/refusal.h"

namespace heddle::notation {
namespace {

using test::refusal;

TEST(ErrorText, convert_system) {
  EXPECT_EQ(refusal(system_named("fortran")),
            "error convert.system: no system is called 'fortran'\n"
            "  hint: the systems are cute, cute_tv, linear, axe, lego, relation, table");
}

TEST(ErrorText, convert_reading) {
  EXPECT_EQ(refusal(reading_named("rent")),
            "error convert.reading: a layout is not read as 'rent'\n"
            "  hint: it is read as literal, memory or ownership");
}

TEST(ErrorText, stride_fraction) {
  EXPECT_EQ(
      refusal("24:_1/_16"),
      "error stride.fraction: no layout has the values i*1/16, rounded towards 0, for i below "
      "24\n"
      "  note: 16 does not divide the extent");
  EXPECT_EQ(refusal("8:_2/_3"),
            "error stride.fraction: no layout has the values i*2/3, rounded towards 0, for i below "
            "8\n"
            "  note: 2 leaves the remainder 2 by 3, not 1");
  EXPECT_EQ(refusal("cute::R<1,16>"),
            "error stride.fraction: 1/16 is no integer; a fraction is a stride only\n"
            "  hint: beside its shape it is one: 32:R<1,16>");
}

TEST(ErrorText, axe_extent_of_a_shape_in_a_question) {
  EXPECT_EQ(refusal("equal(S[4:1@m],S[4:2@m],shape=(0))"),
            "error axe.extent: the shape (0) has the extent 0\n"
            "  hint: extents are at least 1");
}

}  // namespace
}  // namespace heddle::notation
