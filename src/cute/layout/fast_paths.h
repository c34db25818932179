#pragma once

// The algebra on layouts whose sizes and strides are all constants, the usual case: in machine
// integers, on the stack, without explanations.
//
// Each function does the same as the one of the same name in heddle::cute, or gives nullopt. It
// gives a result if everything divides and fits into 64 bits; the general function would then give
// the same layout. If there is no result, for whatever reason, the general function decides, tries,
// refuses and explains:
//
//   if (const auto result = constant::composition(a, b)) return layout_of(*result);

#include <cstdint>
#include <optional>
#include <span>

#include "heddle/core/exact.h"
#include "heddle/core/inline_vector.h"
#include "heddle/core/profile.h"
#include "heddle/cute/coordinate.h"
#include "heddle/cute/layout.h"
#include "heddle/cute/tiler.h"

namespace heddle::cute::constant {

/// One mode of numbers, extent:stride.
struct Leaf {
  std::int64_t extent;
  std::int64_t stride;
};

/// Twice the usual number of leaves, because divides and products join two layouts.
using Leaves = InlineVector<Leaf, 2 * kInlineLeaves>;

/// The parts of a layout to be made, nested as `profile`. Its size and its indices fit into 64
/// bits.
struct Draft {
  Profile profile = Profile::incomplete();
  Leaves leaves;
};

/// The index of a flat coordinate.
[[nodiscard]] exact::Value evaluate(const Layout& layout, const Int& coordinate);
/// The index of a coordinate that nests as the layout or less.
[[nodiscard]] exact::Value evaluate(const Layout& layout, CoordinateView coordinate);

/// The layout of a draft, constructed directly as the return value.
[[nodiscard]] inline Result<Layout> layout_of(const Draft& draft) {
  return Result<Layout>(tl::in_place, draft);
}

/// Whether these are the parts of a layout, all of them numbers.
[[nodiscard]] bool are_parts(const Profile& profile, const Layout::Extents& extents,
                             const Layout::Strides& strides);

[[nodiscard]] std::optional<Draft> coalesce(const Layout& layout);
[[nodiscard]] std::optional<Draft> filter(const Layout& layout);
[[nodiscard]] std::optional<Draft> composition(const Layout& a, const Layout& b);
[[nodiscard]] std::optional<Draft> composition(const Layout& a, const Tiler& tiler);
[[nodiscard]] std::optional<Draft> complement(const Layout& layout, const IntTuple& cotarget);
[[nodiscard]] std::optional<Draft> right_inverse(const Layout& layout);
[[nodiscard]] std::optional<Draft> left_inverse(const Layout& layout);
[[nodiscard]] std::optional<Draft> logical_divide(const Layout& layout, const Layout& tile);
[[nodiscard]] std::optional<Draft> logical_divide(const Layout& layout, const Tiler& tiler);
[[nodiscard]] std::optional<Draft> zipped_divide(const Layout& layout, const Tiler& tiler);
[[nodiscard]] std::optional<Draft> tiled_divide(const Layout& layout, const Tiler& tiler);
[[nodiscard]] std::optional<Draft> logical_product(const Layout& block, const Layout& tiler);
[[nodiscard]] std::optional<Draft> logical_product(const Layout& block, const Tiler& tiler);
[[nodiscard]] std::optional<Draft> zipped_product(const Layout& block, const Tiler& tiler);
[[nodiscard]] std::optional<Draft> tiled_product(const Layout& block, const Tiler& tiler);
[[nodiscard]] std::optional<Draft> blocked_product(const Layout& block, const Layout& tiler);

}  // namespace heddle::cute::constant
