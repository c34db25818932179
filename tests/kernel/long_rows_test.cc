// Rows whose length is known at run time only: by vectors where it is a multiple, and what to
// assume where it is not known to be one.

#include <gtest/gtest.h>

#include <string>

#include "heddle/kernel/lower.h"
#include "kernel/lowered.h"

namespace heddle::kernel {
namespace {

std::string norm(const std::string& assumption) {
  return "kernel norm(X: f16[M,N], W: f16[N], Y: f16[M,N], T: i32[M])" + assumption +
         " launch cta M, threads 128 {\n"
         "  reg sum: f32[]\n"
         "  reduce(sum, X[bx]*X[bx], axis=0, op=\"sum\")\n"
         "  Y[bx] = X[bx]*sum*W\n"
         "  let row = T[bx]\n"
         "  copy(Y[bx], X[row])\n"
         "}\n";
}

std::size_t times(const std::string& text, std::string_view what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
    ++count;
  }
  return count;
}

TEST(LongRows, GoByVectorsOfSixteenBytes) {
  const auto program = lowered(norm(" assume N % 8 == 0"));
  const std::string source = to_source(*program, Target::kCuda).value();
  // A load of the sum, two loads and a store of the product, a load and a store of the copy.
  EXPECT_EQ(times(source, "copy_16_bytes(&"), 6U) << source;
  EXPECT_EQ(times(source, "= X[N"), 0U) << source;
  const std::string text = explanation(*program);
  EXPECT_EQ(
      times(text, "row        1024 elements of N at a time, 8 a thread, as N is a multiple of 8"),
      3U)
      << text;
}

TEST(LongRows, SayWhatToAssume) {
  const auto program = lowered(norm(""));
  EXPECT_EQ(times(explanation(*program),
                  "not taken  vector of 128 bits: N is not known to be a multiple of 8: assume "
                  "N%8==0 before the launch"),
            3U)
      << explanation(*program);
  EXPECT_EQ(times(to_source(*program, Target::kCuda).value(), "_bytes"), 0U);
}

}  // namespace
}  // namespace heddle::kernel
