#pragma once

// Decisions about layouts of any systems, with evidence.
//
//   equal(S<2,0,3> o 0 o (4,8):(8,1), (4,8):(8,1))      no (GF(2) form): (1,0): 9 and 8
//   injective((4,8):(8,2))                              no (digit form): (0,4) and (1,0) have 8
//   within((M,N):(N,1), 0, M*N)                         yes (digit form), for all M and N
//   equal(CuTe's thread-value layout of an accumulator, Triton's encoding of it)
//                                                       yes, read as ownership; literally not
//
// The cheapest sound method answers: normal forms over digits, then over bits, then evaluation of
// every point of small boxes, then isl, then Z3 for symbolic sizes. A method may be asked for by
// name; a verdict says which one answered. A no names the smallest coordinate that shows it, with
// both values. What none of them settles within its limits, and a layout that view() refuses, is
// unknown, with the reasons.
//
// Cost: by digits and by bits polynomial in their number, whatever the size of the layout, but for
// the search for sums of digits that meet, which takes at most 2^20 steps; one evaluation for each
// of up to `max_points` points; isl and Z3 take up to `limits`.
//
// Layouts are read literally, or by the reading that is asked for (reading.h): both sides are then
// brought to one way, with what convert() turns and how it names coordinates, and a no names a
// place with what each side has there.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/core/verdict.h"
#include "heddle/expr/proof.h"
#include "heddle/map/any_layout.h"
#include "heddle/map/decide_options.h"
#include "heddle/map/limits.h"
#include "heddle/map/reading.h"

#pragma GCC visibility push(default)
namespace heddle::map {

/// The same map (set-valued where there are copies). Where the shapes agree (or one side takes any
/// shape) on coordinates, else by flat index, each in its own order; axes by name, else by
/// position, else both sides flattened by their bounds: the verdict's remark says how. A layout and
/// what it is converted to under a reading are equal under that reading.
[[nodiscard]] Verdict equal(const AnyLayout& a, const AnyLayout& b,
                            const DecideOptions& options = {});

/// No two points have an image in common.
[[nodiscard]] Verdict injective(const AnyLayout& layout, const DecideOptions& options = {});
/// The images are all of [0, n), on one axis; of the box of these sizes, on several.
[[nodiscard]] Verdict surjective_onto(const AnyLayout& layout, std::span<const Int> sizes,
                                      const DecideOptions& options = {});
/// Injective, and onto the box of outputs of declared sizes, else [0, size) or up to the greatest.
[[nodiscard]] Verdict bijective(const AnyLayout& layout, const DecideOptions& asked = {});
/// The image is an interval of the integers, and no two points have one of them in common.
[[nodiscard]] Verdict contiguous(const AnyLayout& layout, const DecideOptions& options = {});
/// No image of a is one of b.
[[nodiscard]] Verdict disjoint_images(const AnyLayout& a, const AnyLayout& b,
                                      const DecideOptions& options = {});
/// Every image of b is one of a.
[[nodiscard]] Verdict covers(const AnyLayout& a, const AnyLayout& b,
                             const DecideOptions& options = {});
/// low <= every coordinate < high.
[[nodiscard]] Verdict within(const AnyLayout& layout, const Int& low, const Int& high,
                             const DecideOptions& options = {});
/// f(f(x)) = x, by flat index.
[[nodiscard]] Verdict is_involution(const AnyLayout& layout, const DecideOptions& options = {});

}  // namespace heddle::map
#pragma GCC visibility pop
