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
// every point of small boxes, then isl, then Z3 for symbolic sizes. A method can be requested by
// name; a verdict says which one answered. A no names the smallest coordinate that shows it, with
// both values. If no method settles the question within its limits, or view() refuses a layout, the
// answer is unknown, with the reasons.
//
// Cost: by digits and by bits polynomial in their number, whatever the size of the layout, except
// the search for sums of digits that meet, which takes at most 2^20 steps; one evaluation for each
// of up to `max_points` points; isl and Z3 take up to `limits`.
//
// Layouts are read literally, or by the reading in the options (reading.h): then both sides are
// inverted as needed and their coordinates named as convert() does, and a no names a place with the
// element that each side has there.

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

/// Whether the two are the same map (set-valued if there are copies). They are compared on
/// coordinates if the shapes agree (or one side takes any shape), else by flat index, each in its
/// own order; axes are matched by name, else by position, else both sides are flattened by their
/// bounds: the verdict's remark says how. A layout and the result of converting it under a reading
/// are equal under that reading.
[[nodiscard]] Verdict equal(const AnyLayout& a, const AnyLayout& b,
                            const DecideOptions& options = {});

/// Whether no two points have an image in common.
[[nodiscard]] Verdict injective(const AnyLayout& layout, const DecideOptions& options = {});
/// Whether the images are all of [0, n) on one axis; on several axes, all of the box of these
/// sizes.
[[nodiscard]] Verdict surjective_onto(const AnyLayout& layout, std::span<const Int> sizes,
                                      const DecideOptions& options = {});
/// Injective, and onto the box of the outputs' declared sizes, else onto [0, size) or up to the
/// greatest image.
[[nodiscard]] Verdict bijective(const AnyLayout& layout, const DecideOptions& asked = {});
/// Whether the images form an interval of the integers and no two points have an image in common.
[[nodiscard]] Verdict contiguous(const AnyLayout& layout, const DecideOptions& options = {});
/// Whether no image of a is an image of b.
[[nodiscard]] Verdict disjoint_images(const AnyLayout& a, const AnyLayout& b,
                                      const DecideOptions& options = {});
/// Whether no image of a but 0 (on every axis) is an image of b, as of a layout and its complement.
[[nodiscard]] Verdict disjoint_apart_from_zero(const AnyLayout& a, const AnyLayout& b,
                                               const DecideOptions& options = {});
/// Whether every image of b is an image of a.
[[nodiscard]] Verdict covers(const AnyLayout& a, const AnyLayout& b,
                             const DecideOptions& options = {});
/// low <= every coordinate < high.
[[nodiscard]] Verdict within(const AnyLayout& layout, const Int& low, const Int& high,
                             const DecideOptions& options = {});
/// f(f(x)) = x, by flat index.
[[nodiscard]] Verdict is_involution(const AnyLayout& layout, const DecideOptions& options = {});

}  // namespace heddle::map
#pragma GCC visibility pop
