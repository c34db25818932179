#pragma once

// What the views of the systems are put together from.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/form/recover_bits.h"
#include "heddle/map/any_layout.h"

namespace heddle::map {

/// Number by number, as far as is known.
[[nodiscard]] bool are_equal(std::span<const Int> a, std::span<const Int> b);
[[nodiscard]] Int product_of(std::span<const Int> numbers);
/// All of them in 64 bits; nothing where one is symbolic or undefined.
[[nodiscard]] std::optional<std::vector<std::int64_t>> constants(std::span<const Int> numbers);
/// c0, c1, …; with another beginning in its place.
[[nodiscard]] std::vector<std::string> numbered_names(std::size_t count,
                                                      std::string_view begin = "c");
[[nodiscard]] std::vector<std::string> names_of(std::span<const Axis> axes);
/// The point whose indices are variables of these names, each within its extent.
[[nodiscard]] std::vector<Int> variable_point(std::span<const Int> extents,
                                              std::span<const std::string> names);

/// The number of a point in its box, and back.
[[nodiscard]] Int flat_of(std::span<const Int> extents, form::FlatOrder order,
                          std::span<const Int> point);
[[nodiscard]] std::vector<Int> point_of(std::span<const Int> extents, form::FlatOrder order,
                                        const Int& flat);

[[nodiscard]] std::int64_t swizzled(const SwizzleStep& step, std::int64_t address);
[[nodiscard]] Int swizzled(const SwizzleStep& step, const Int& address);

/// The image of the digits' view at a point: what its layout has there.
[[nodiscard]] std::vector<Int> image_of(const StridedView& strided, std::span<const Int> point,
                                        const Int& copy);

/// All digits of the box in flat order, fastest first.
[[nodiscard]] std::vector<form::Digit> flat_digits(const StridedView& strided,
                                                   form::FlatOrder order);

/// Digits of the same flat index cut at the boundaries of these extents, fastest first; nothing
/// where a boundary is not known to cut a digit evenly.
[[nodiscard]] std::optional<std::vector<std::vector<form::Digit>>> cut_digits(
    std::span<const form::Digit> digits, std::span<const Int> extents);

/// The bounds say how many bits an axis has where they are powers of two; else those in use.
/// Refuses `bit_matrix.too_wide` past 64 bits.
[[nodiscard]] Result<BitView> bit_view(const form::BitMap& map,
                                       std::span<const std::optional<Int>> bounds);
/// The same function over bits, where it is affine over GF(2): all extents are powers of two, no
/// address is negative, and no two digits' bits touch one another. That is exact: where two touch,
/// their sum is not their XOR. At most 64 bits in, and 64 out.
[[nodiscard]] std::optional<BitView> bits_of(const StridedView& strided,
                                             std::span<const std::optional<Int>> bounds);

/// Columns that stand first extent first, last extent first, or the other way round; the extents
/// are those of the columns given.
[[nodiscard]] std::vector<std::uint64_t> mirrored(std::span<const std::uint64_t> columns,
                                                  std::span<const Int> extents);

/// The coordinates that a word of a view over bits holds, one an axis.
[[nodiscard]] std::vector<std::int64_t> unpacked(const BitView& bits, std::uint64_t word);
/// The word of these coordinates, none negative, in so many bits each; of 64 bits at most.
[[nodiscard]] std::uint64_t packed(std::span<const int> widths,
                                   std::span<const std::int64_t> coordinates);
/// The bits of an axis on which coordinates need so many: those of its bound, where that is a power
/// of two.
[[nodiscard]] int bounded_width(int needed, const std::optional<Int>& bound);

/// The digits of a function over bits, where XOR is addition: no two bits of the point touch one
/// another.
[[nodiscard]] std::optional<StridedView> digits_of(const BitView& bits,
                                                   std::span<const Int> extents);

/// Fills what follows from the rest: bits from digits, or digits from bits.
void complete(View& view);

/// The names, where they are more than c0, c1, …; those of axes where they are more than m, or 0,
/// 1, ….
[[nodiscard]] std::vector<std::string> given_names(std::span<const std::string> names);
[[nodiscard]] std::vector<std::string> given_names(std::span<const Axis> axes);

/// What LEGO's notation shows without evaluating (lego.cc).
[[nodiscard]] std::optional<StridedView> strided_view(const lego::Layout& layout);
[[nodiscard]] std::optional<BitView> bit_view(const lego::Layout& layout);

/// All of its numbers are known.
[[nodiscard]] bool is_number(const StridedView& strided);

/// The view with its extents in another order.
[[nodiscard]] View reordered(const View& view, std::span<const std::size_t> order);

/// Where coordinates on an axis go: `weight` times to one of the new axes, or nowhere.
struct AxisPart {
  std::optional<std::size_t> target;
  Int weight = 1;
};

/// The view on sums of its axes, one part for each of them. Digits go with it, and bits that stay
/// apart; a swizzle only where its axis stays as it is or goes nowhere, else the digits are lost.
void sum_axes(View& view, std::span<const AxisPart> parts, std::vector<Axis> axes,
              std::vector<std::optional<Int>> bounds);
/// The view on other axes: for each of them which of its own, or none, which is 0.
void pick_axes(View& view, std::span<const std::optional<std::size_t>> picks,
               std::vector<Axis> axes);
/// The same by their names.
void pick_axes(View& view, const std::vector<Axis>& axes);
/// On one axis: the coordinates as digits of one number, first fastest. Every axis has a bound.
void flatten_axes(View& view, const Axis& axis);

/// Each mode and the copies in the fewest digits.
[[nodiscard]] StridedView coalesced(StridedView strided);

}  // namespace heddle::map
