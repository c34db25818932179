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

TEST(ErrorText, axe_extent_of_a_shape_in_a_question) {
  EXPECT_EQ(refusal("equal(S[4:1@m],S[4:2@m],shape=(0))"),
            "error axe.extent: the shape (0) has the extent 0\n"
            "  hint: extents are at least 1");
}

}  // namespace
}  // namespace heddle::notation
