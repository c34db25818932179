#pragma once

// The algebra on layouts whose sizes and strides are all plain constants: the usual case, in
// machine integers, on the stack, without a word of explanation.
//
// Each function is the one of the same name in heddle::cute, and has its answer or none. It has one
// where everything divides and fits into 64 bits: then the general function would come to the same
// layout. Where there is none, for whatever reason, the general function decides, tries, refuses
// and explains:
//
//   if (const auto result = constant::composition(a, b)) return layout_of(*result);

#include <cstdint>
#include <optional>
#include <span>

#include "heddle/core/exact.h"
#include "heddle/core/inline_vector.h"
#include "heddle/core/profile.h"
#include "heddle/cute/layout.h"
#include "heddle/cute/tiler.h"

namespace heddle::cute::constant {

/// One mode of numbers, extent:stride.
struct Leaf {
  std::int64_t extent;
  std::int64_t stride;
};

/// Twice the leaves of usual layouts, since divides and products put two side by side.
using Leaves = InlineVector<Leaf, 2 * kInlineLeaves>;

/// A layout to be, nested as `profile`. Its size and its indices fit into 64 bits.
struct Draft {
  Profile profile = Profile::incomplete();
  Leaves leaves;
};

/// The index of a flat coordinate.
[[nodiscard]] exact::Value evaluate(const Layout& layout, const Int& coordinate);

/// The layout of a draft, built in the place where the caller wants it.
[[nodiscard]] inline Result<Layout> layout_of(const Draft& draft) {
  return Result<Layout>(tl::in_place, draft);
}

[[nodiscard]] std::optional<Draft> coalesce(const Layout& layout);
[[nodiscard]] std::optional<Draft> composition(const Layout& a, const Layout& b);
[[nodiscard]] std::optional<Draft> complement(const Layout& layout, const IntTuple& cotarget);
[[nodiscard]] std::optional<Draft> right_inverse(const Layout& layout);
[[nodiscard]] std::optional<Draft> left_inverse(const Layout& layout);
[[nodiscard]] std::optional<Draft> logical_divide(const Layout& layout, const Layout& tile);
[[nodiscard]] std::optional<Draft> logical_divide(const Layout& layout, const Tiler& tiler);
[[nodiscard]] std::optional<Draft> zipped_divide(const Layout& layout, const Tiler& tiler);
[[nodiscard]] std::optional<Draft> logical_product(const Layout& block, const Layout& tiler);
[[nodiscard]] std::optional<Draft> blocked_product(const Layout& block, const Layout& tiler);

}  // namespace heddle::cute::constant
