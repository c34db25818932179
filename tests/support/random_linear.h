#pragma once

// Random linear layouts for the property tests. As for other layouts they come in kinds, because
// what operations depend on (invertible, surjective with replicas, swizzled, single bits) is rare
// among arbitrary bases.
//
//   TEST(Compose, IsOneAfterTheOther) {
//     for_all_seeds([](Random& random) { … operands …; return finding; });
//   }

#include <functional>
#include <string>
#include <vector>

#include "heddle/linear/linear_layout.h"
#include "support/law.h"
#include "support/random.h"

namespace heddle::test {

/// The dimensions of a distributed layout: of the hardware, and of the tensor.
inline const linear::Names kHardware = {"register", "lane", "warp"};
inline const linear::Names kTensor = {"dim0", "dim1"};

[[nodiscard]] inline linear::LinearLayout layout_of(const linear::Bases& bases,
                                                    const linear::NamedSizes& outs) {
  return linear::LinearLayout::make(bases, outs).value();
}

/// Dimensions of these names with `bits` bits together, some of them perhaps of size 1.
[[nodiscard]] linear::NamedSizes random_dims(Random& random, const linear::Names& names, int bits);

/// The bases, by columns over the outputs in flat order, low bit first.
[[nodiscard]] linear::LinearLayout linear_from_columns(const linear::NamedSizes& ins,
                                                       const linear::NamedSizes& outs,
                                                       const std::vector<std::uint64_t>& columns);

/// A layout between these dimensions, of any kind: arbitrary bases, single bits, permutations,
/// swizzles, with zero and repeated bases.
[[nodiscard]] linear::LinearLayout any_linear(Random& random, const linear::NamedSizes& ins,
                                              const linear::NamedSizes& outs);
/// Between (register, lane, warp) and (dim0, dim1) of random sizes, at most `max_bits` a side.
[[nodiscard]] linear::LinearLayout any_linear(Random& random, int max_bits = 8);
/// A bijection; both sides have equally many bits.
[[nodiscard]] linear::LinearLayout invertible_linear(Random& random, const linear::NamedSizes& ins,
                                                     const linear::NamedSizes& outs);
/// Every output is reached; the inputs have at least as many bits.
[[nodiscard]] linear::LinearLayout surjective_linear(Random& random, const linear::NamedSizes& ins,
                                                     const linear::NamedSizes& outs);
/// As Triton's register layouts are: every basis is one bit of one output, or zero, every output is
/// reached, no bit twice.
[[nodiscard]] linear::LinearLayout distributed_linear(Random& random, const linear::NamedSizes& ins,
                                                      const linear::NamedSizes& outs);

/// All points of the inputs, first dimension fastest: plain counting, no bit tricks. The inputs
/// have at most 2^20 points.
[[nodiscard]] std::vector<linear::NamedSizes> points(const linear::NamedSizes& dims);
/// L at a point, computed from the printed bases alone: the second opinion of the tests.
[[nodiscard]] linear::NamedSizes plain_apply(const linear::LinearLayout& layout,
                                             const linear::NamedSizes& point);
/// The coordinate of that name; fails the test where there is none.
[[nodiscard]] std::int64_t coordinate_of(const linear::NamedSizes& point, std::string_view name);

/// Where two layouts over the same names differ as maps, evaluated point by point; nothing where
/// they do not.
[[nodiscard]] Finding differs_as_map(const linear::LinearLayout& got,
                                     const linear::LinearLayout& wanted);

}  // namespace heddle::test
