#pragma once

// Layouts once more, as plainly as possible: a tree of (extent, stride) leaves evaluated by
// recursion. It is the second opinion of the tests and shares no code with the library.
//
//   plain_layout("(4,(2,2)):(2,(1,8))")        evaluate(l, 13) = 11

#include <cstdint>
#include <string>
#include <vector>

#include "heddle/cute/layout.h"

namespace heddle::test {

struct Plain {
  std::int64_t extent = 1;
  std::int64_t stride = 0;
  std::vector<Plain> modes;  // a tuple where there are any; extent and stride then mean nothing

  [[nodiscard]] bool is_leaf() const { return modes.empty(); }
  friend bool operator==(const Plain&, const Plain&) = default;
};

/// A leaf, and the tuple of some modes.
[[nodiscard]] Plain plain_leaf(std::int64_t extent, std::int64_t stride);
[[nodiscard]] Plain plain_tuple(std::vector<Plain> modes);

[[nodiscard]] std::int64_t size(const Plain& layout);
/// The index of a flat coordinate; past the end the last leaf runs on.
[[nodiscard]] std::int64_t evaluate(const Plain& layout, std::int64_t coordinate);
/// The indices of all coordinates, in flat order.
[[nodiscard]] std::vector<std::int64_t> table(const Plain& layout);
[[nodiscard]] std::vector<Plain> leaves(const Plain& layout);
/// 1 + the greatest index, for strides that are not negative.
[[nodiscard]] std::int64_t cosize(const Plain& layout);
[[nodiscard]] bool has_negative_stride(const Plain& layout);
[[nodiscard]] bool is_injective(const Plain& layout);

[[nodiscard]] std::string to_string(const Plain& layout);

/// Between the two worlds.
[[nodiscard]] IntTuple to_shape(const Plain& layout);
[[nodiscard]] cute::StrideTuple to_stride(const Plain& layout);
[[nodiscard]] cute::Layout to_layout(const Plain& layout);
[[nodiscard]] Plain to_plain(const cute::Layout& layout);

/// The table of one of the library's layouts, by the plain evaluator.
[[nodiscard]] inline std::vector<std::int64_t> table_of(const cute::Layout& layout) {
  return table(to_plain(layout));
}

/// The flat layouts with this function on [0, values.size()): tries every ordered factorisation of
/// the size and returns all that work, each by its modes.
[[nodiscard]] std::vector<std::vector<Plain>> layouts_with(const std::vector<std::int64_t>& values);

/// All ways to write n as an ordered product of factors above 1; {{}} for 1.
[[nodiscard]] std::vector<std::vector<std::int64_t>> ordered_factorizations(std::int64_t n);

/// The modes of a zipped half, unpacked; a tuple of one stays whole, as in CuTe.
[[nodiscard]] inline std::vector<cute::Layout> unpacked(const std::vector<cute::Layout>& half) {
  return half.size() > 1 ? half : std::vector<cute::Layout>{cute::make_layout(half).value()};
}

}  // namespace heddle::test
