#pragma once

// The building blocks of the systems' views.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/form/recover_bits.h"
#include "heddle/map/any_layout.h"

namespace heddle::map {

/// Whether the numbers are equal one by one, as far as is known.
[[nodiscard]] bool are_equal(std::span<const Int> a, std::span<const Int> b);
[[nodiscard]] Int product_of(std::span<const Int> numbers);
/// The numbers in 64 bits; nullopt if one is symbolic or undefined.
[[nodiscard]] std::optional<std::vector<std::int64_t>> constants(std::span<const Int> numbers);
/// c0, c1, …, or with another prefix.
[[nodiscard]] std::vector<std::string> numbered_names(std::size_t count,
                                                      std::string_view begin = "c");
[[nodiscard]] std::vector<std::string> names_of(std::span<const Axis> axes);
/// The point whose indices are variables of these names, each within its extent.
[[nodiscard]] std::vector<Int> variable_point(std::span<const Int> extents,
                                              std::span<const std::string> names);

/// The number of a point in its box, and the point with a number.
[[nodiscard]] Int flat_of(std::span<const Int> extents, form::FlatOrder order,
                          std::span<const Int> point);
[[nodiscard]] std::vector<Int> point_of(std::span<const Int> extents, form::FlatOrder order,
                                        const Int& flat);

[[nodiscard]] std::int64_t swizzled(const SwizzleStep& step, std::int64_t address);
[[nodiscard]] Int swizzled(const SwizzleStep& step, const Int& address);
/// What is XORed to the address.
[[nodiscard]] Int flipped_bits(const SwizzleStep& step, const Int& address);
/// Whether the step is its own inverse, because the bits that it reads are not written.
[[nodiscard]] bool is_involution(const SwizzleStep& step);

/// The image of a point under the digits of the view.
[[nodiscard]] std::vector<Int> image_of(const StridedView& strided, std::span<const Int> point,
                                        const Int& copy);

/// All digits of the box in flat order, fastest first.
[[nodiscard]] std::vector<form::Digit> flat_digits(const StridedView& strided,
                                                   form::FlatOrder order);

/// Digits of the same flat index split at the boundaries of these extents, fastest first; nullopt
/// if a boundary is not known to split a digit evenly.
[[nodiscard]] std::optional<std::vector<std::vector<form::Digit>>> cut_digits(
    std::span<const form::Digit> digits, std::span<const Int> extents);

/// The number of bits of an axis is that of its bound if this is a power of two; else the number of
/// bits in use. Refuses `bit_matrix.too_wide` past 64 bits.
[[nodiscard]] Result<BitView> bit_view(const form::BitMap& map,
                                       std::span<const std::optional<Int>> bounds);
/// The function over bits if it is affine over GF(2): all extents are powers of two, no address is
/// negative, and no two digits' bits overlap. The test is exact: if two overlap, their sum is not
/// their XOR. At most 64 bits in, and 64 out.
[[nodiscard]] std::optional<BitView> bits_of(const StridedView& strided,
                                             std::span<const std::optional<Int>> bounds);

/// Changes the order of columns from first extent first to last extent first, or back; the extents
/// are those of the given columns.
[[nodiscard]] std::vector<std::uint64_t> mirrored(std::span<const std::uint64_t> columns,
                                                  std::span<const Int> extents);

/// The coordinates that a word of a view over bits holds, one per axis.
[[nodiscard]] std::vector<std::int64_t> unpacked(const BitView& bits, std::uint64_t word);
/// The word of these nonnegative coordinates with this many bits each; 64 bits at most.
[[nodiscard]] std::uint64_t packed(std::span<const int> widths,
                                   std::span<const std::int64_t> coordinates);
/// The number of bits of an axis whose coordinates need `needed`: that of its bound if this is a
/// power of two.
[[nodiscard]] int bounded_width(int needed, const std::optional<Int>& bound);

/// The digits of a function over bits if XOR is addition: no two bits of the point overlap in the
/// image.
[[nodiscard]] std::optional<StridedView> digits_of(const BitView& bits,
                                                   std::span<const Int> extents);

/// Derives missing parts of the view from the others: bits from digits, or digits from bits.
void complete(View& view);

/// The names, unless they are the default ones c0, c1, …; the names of axes, unless they are m, or
/// 0, 1, ….
[[nodiscard]] std::vector<std::string> given_names(std::span<const std::string> names);
[[nodiscard]] std::vector<std::string> given_names(std::span<const Axis> axes);

/// The structure that LEGO's notation shows without evaluation (lego.cc).
[[nodiscard]] std::optional<StridedView> strided_view(const lego::Layout& layout);
[[nodiscard]] std::optional<BitView> bit_view(const lego::Layout& layout);

/// Whether all numbers are constant.
[[nodiscard]] bool is_number(const StridedView& strided);

/// The view with its extents in another order.
[[nodiscard]] View reordered(const View& view, std::span<const std::size_t> order);

/// The target of the coordinates on an axis: `weight` times to one of the new axes, or dropped.
struct AxisPart {
  std::optional<std::size_t> target;
  Int weight = 1;
};

/// Replaces the axes by sums of them, with one part for each old axis. Digits are converted, and
/// bits that do not overlap; a swizzle only if its axis is unchanged or dropped, otherwise the
/// digits are lost.
void sum_axes(View& view, std::span<const AxisPart> parts, std::vector<Axis> axes,
              std::vector<std::optional<Int>> bounds);
/// Replaces the axes: each new axis is one of the old ones, or none, which is 0.
void pick_axes(View& view, std::span<const std::optional<std::size_t>> picks,
               std::vector<Axis> axes);
/// As above, by the names of the axes.
void pick_axes(View& view, const std::vector<Axis>& axes);
/// Combines all axes into one: the coordinates become digits of one number, first fastest. Every
/// axis must have a bound.
void flatten_axes(View& view, const Axis& axis);

/// Each mode, and the copies, written with the fewest digits.
[[nodiscard]] StridedView coalesced(StridedView strided);

}  // namespace heddle::map
