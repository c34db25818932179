#pragma once

// The best swizzle, or the best padding, for a given shared-memory layout and its accesses. Only
// layouts of CuTe can be padded, because they have strides.
//
//   layout    (64,64):(64,1) of 16-bit elements, row-major
//   accesses  (32,8):(1,64)      lane t reads 8 elements of row t
//   none      32 wavefronts, where 4 would suffice
//   best      Sw<3,3,3>: 4 wavefronts
//   padded    (64,64):(72,1): 4 wavefronts, and 1008 more bytes
//
// The search tries every swizzle that permutes the layout's memory, so its result is optimal; the
// same holds for paddings of up to 128 bytes. The result also has the best of all layouts that are
// linear over GF(2), swizzle or not.
//
// A swizzle of few low bits can save wavefronts and still be of no use, because it takes apart what
// one instruction moves: a lane's vector of 16 bytes, or a row of 16 bytes of ldmatrix. So the
// search keeps both, unless it is told that it may split them, and it says what that would gain.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heddle/analyze/banks.h"
#include "heddle/analyze/optimal_swizzle.h"
#include "heddle/core/result.h"
#include "heddle/cute/composed_layout.h"
#include "heddle/cute/layout.h"
#include "heddle/form/index_map.h"

#pragma GCC visibility push(default)
namespace heddle::analyze {

/// The sum of wavefronts over all accesses.
[[nodiscard]] std::int64_t wavefronts_of(std::span<const BankCounts> counts);
[[nodiscard]] std::int64_t requests_of(std::span<const BankCounts> counts);

/// A layout and the cost of each access to it.
template <class Layout>
struct Candidate {
  Layout layout;
  std::vector<BankCounts> counts;

  [[nodiscard]] std::int64_t wavefronts() const { return wavefronts_of(counts); }
  [[nodiscard]] std::int64_t requests() const { return requests_of(counts); }
};

/// Whether a swizzle or a padding may split the vectors of a lane and the rows of ldmatrix that the
/// accesses to the given layout have.
enum class Splitting : std::uint8_t { kKeeps, kMaySplit };

struct SwizzleSearch {
  /// The costs of the accesses to the given layout, and that layout if it has strides.
  std::vector<BankCounts> plain;
  std::optional<cute::Layout> layout;
  /// Whether each access is a load of ldmatrix, plain or transposed, whose rows are split by
  /// swizzles with a base of less than 16 bytes. Elements of at most 16 bits are asked about.
  std::vector<bool> has_matrix_rows;
  /// The best swizzle of the addresses: fewest wavefronts, then fewest instructions, then fewest
  /// bits, then the greatest base, then the least shift. The identity if no swizzle does better.
  Candidate<cute::Swizzle> swizzled;
  std::int64_t swizzles_tried = 0;
  /// With Splitting::kKeeps, the best swizzle of all, if it takes fewer wavefronts and splits
  /// something.
  std::optional<Candidate<cute::Swizzle>> splitting;
  /// The best padding, if the layout has a stride that can be padded: fewest wavefronts, then
  /// fewest instructions, then the least cosize.
  std::optional<Candidate<cute::Layout>> padded;
  std::int64_t paddings_tried = 0;
  /// The best linear layout, from coordinates counted in the layout's own order, for one access or
  /// two that are linear.
  std::optional<SwizzledBuffer> linear;

  /// The layout, which must have strides, with the swizzle.
  [[nodiscard]] cute::AnyLayout swizzled_layout() const;
};

/// Accesses map (thread, value) to coordinates of `layout`, flat or by mode, as for make_access().
/// The search tries the swizzles whose size, 2^(B+M+|S|), divides the cosize of the layout, and for
/// each stride that divides all greater ones, a padding of 1 element to 128 bytes after that many
/// elements. All accesses read, or all write, the shared memory of one machine. Refuses as
/// make_access(), widest_vectors() and Serving::rule() do for the layout as it is, and
/// `analyze.too_large` if all trials together would touch more than 2^24 addresses. Cost: a
/// simulation for each trial.
[[nodiscard]] Result<SwizzleSearch> find_swizzle(const cute::Layout& layout,
                                                 std::span<const form::IndexMap> accesses,
                                                 int element_bits,
                                                 Splitting split = Splitting::kKeeps,
                                                 const Served& served = {});
/// The search over swizzles for a layout of any system, on the addresses from 0 to its greatest
/// one.
[[nodiscard]] Result<SwizzleSearch> find_swizzle(const form::IndexMap& layout,
                                                 std::span<const form::IndexMap> accesses,
                                                 int element_bits,
                                                 Splitting split = Splitting::kKeeps,
                                                 const Served& served = {});

/// What the accesses lose under a swizzle: `access 1 has vectors of 64 bits instead of 128`; empty
/// if it is nothing.
[[nodiscard]] std::vector<std::string> given_up(const SwizzleSearch& search,
                                                const Candidate<cute::Swizzle>& candidate);

/// The verdict in one line, then a line for each candidate.
[[nodiscard]] std::string to_string(const SwizzleSearch& search);

}  // namespace heddle::analyze
#pragma GCC visibility pop
