// x ^ y with fewer bits: the same value, at every point.

#include "expr/term/short_xors.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "heddle/expr/proof.h"
#include "support/law.h"

namespace heddle {
namespace {

TEST(ShortXors, AddWhatTheOtherSideHasNoBitsOf) {
  const Int s = Int::variable("s", 0, 7);
  const Int i = Int::variable("i", 0, 100);
  const Int c = Int::variable("c", 0, 7);
  const Int j = Int::variable("j", 0, 7);
  const Int value = bit_xor(8 * s, 64 * i + 8 * c + j);
  EXPECT_EQ(expr::with_short_xors(value), 64 * i + 8 * bit_xor(s, c) + j);
}

TEST(ShortXors, HaveTheSameValueAtEveryPoint) {
  const Int t = Int::variable("t", 0, 127);
  const Int k = Int::variable("k", 0, 3);
  for (std::int64_t mask : {1, 3, 7, 12, 24, 56}) {
    for (std::int64_t step : {1, 2, 5, 8, 64}) {
      const Int value =
          bit_xor(bit_and(t, mask), step * floor_div(t, 4) + 16 * k + mod(t, 4)) * 2 + t;
      const Int same = expr::with_short_xors(value);
      for (std::int64_t at = 0; at != 128; ++at) {
        for (std::int64_t of_k = 0; of_k != 4; ++of_k) {
          const Bindings point = {{"t", at}, {"k", of_k}};
          ASSERT_EQ(*instantiate(same, point), *instantiate(value, point))
              << mask << " " << step << " " << at << " " << of_k;
        }
      }
    }
  }
}

}  // namespace
}  // namespace heddle
