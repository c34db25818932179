// One test an error code of copies: the whole text that the terminal shows.

#include <gtest/gtest.h>

#include "heddle/machine/copy_plan.h"
#include "heddle/machine/copy_width.h"
#include "support/refusal.h"
#include "support/text.h"

namespace heddle::machine {
namespace {

using test::layout;
using test::refusal;

TEST(ErrorText, copy_sizes) {
  EXPECT_EQ(refusal(copy_width(layout("16:1"), layout("32:1"), 16)),
            "error copy.sizes: 16:1 has 16 elements and 32:1 has 32; a copy moves each to one");
}

TEST(ErrorText, copy_bits) {
  EXPECT_EQ(refusal(copy_width(layout("16:1"), layout("16:1"), 0)),
            "error copy.bits: elements of 0 bits; they have 1 to 1048576");
  EXPECT_EQ(refusal(copy_width(layout("16:1"), layout("16:1"), 16, 48)),
            "error copy.bits: at most 48 bits at a time; that is a power of two from 8 on");
}

TEST(ErrorText, copy_symbolic) {
  const Int k = Int::variable("K", 1, 64);
  const cute::Layout symbolic = cute::make_layout({4, k}, {1, 4}).value();
  EXPECT_EQ(refusal(copy_width(symbolic, symbolic, 16)),
            "error copy.symbolic: (4,K):(1,4) has sizes that are not known\n"
            "  hint: put numbers in for the names: the width depends on them");
}

TEST(ErrorText, copy_machine) {
  EXPECT_EQ(refusal(copy_plan(layout("16:1"), layout("16:1"), "power10", 16)),
            "error copy.machine: no document states the loads of power10\n"
            "  hint: copy_plan knows the accesses of NVIDIA's and AMD's machines");
}

}  // namespace
}  // namespace heddle::machine
