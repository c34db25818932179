#pragma once

// Memory access analyses on values of the language, with their results as text and as data.
//
//   access_of(evaluate("((4,8),(2,2)):((32,1),(16,8))"), evaluate("(16,16):(16,1)"), 16)
//   report_of(*bank_conflicts(access)).text     "2-way bank conflicts: …"

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heddle/analyze/access.h"
#include "heddle/analyze/banks.h"
#include "heddle/analyze/coalescing.h"
#include "heddle/analyze/conversion.h"
#include "heddle/analyze/find_swizzle.h"
#include "heddle/analyze/matrix_access.h"
#include "heddle/analyze/optimal_swizzle.h"
#include "heddle/core/result.h"
#include "heddle/linear/linear_layout.h"
#include "heddle/notation/datum.h"
#include "heddle/notation/operations.h"
#include "heddle/notation/report.h"
#include "heddle/notation/value.h"

#pragma GCC visibility push(default)
namespace heddle::notation {

/// The memory access that two values describe: a map from (thread, value) to elements, and one from
/// elements to addresses. Elements are numbered in the order of the memory's system, or given by
/// coordinates. Each value is a layout of any system (relations and tables too) or an encoding of a
/// tensor of that shape; a Triton layout itself says which of the two it is, and an Axe layout of
/// threads is inverted. The tile of a thread-value layout lies at the beginning of the memory,
/// coordinate by coordinate. Without a memory the first map goes to addresses, unless it is a
/// memory alone, which has its assumed_access(). Refuses `call.type`
/// for other values, `analyze.shape` for an encoding without a shape, `analyze.encoding` for
/// encodings of another kind of memory, and what make_access() refuses.
[[nodiscard]] Result<analyze::Access> access_of(const Value& access,
                                                const std::optional<Value>& memory,
                                                int element_bits, const linear::Sizes& shape = {},
                                                std::int64_t warp_lanes = analyze::kWarpLanes);
/// What of a tiled copy accesses a memory: its source where the memory is read, its destination
/// where it is written, each a thread-value layout; other values as they are. Refuses `call.type`
/// for a tiled MMA, which has three operands, and as layoutS_TV().
[[nodiscard]] Result<Value> accessing_side(const Value& access, analyze::Direction direction);
/// The access of a memory that is given alone, (thread, value) -> element: 32 lanes down its first
/// dimension, 16 bytes each along the last one, as ldmatrix reads. A buffer of shared memory, a
/// swizzle and a layout with one are memories; nullopt for all others, which are accesses
/// themselves. Refuses `analyze.symbolic`, and what memory_map_of() refuses.
[[nodiscard]] Result<std::optional<cute::Layout>> assumed_access(
    const Value& given, const std::optional<Value>& memory, int element_bits,
    const linear::Sizes& shape = {}, std::int64_t warp_lanes = analyze::kWarpLanes);
/// The (thread, value) -> element map of a value; refuses as access_of(). That of a tile leads to
/// coordinates of the memory, if one is given.
[[nodiscard]] Result<form::IndexMap> thread_value_map_of(
    const Value& access, const form::IndexMap* memory = nullptr, const linear::Sizes& shape = {},
    std::int64_t warp_lanes = analyze::kWarpLanes);
/// The element -> address map of a value; refuses as access_of().
[[nodiscard]] Result<form::IndexMap> memory_map_of(const Value& memory,
                                                   const linear::Sizes& shape = {});
/// Whether the value is a linear layout or encoding of registers, in any notation, or an Axe layout
/// of threads.
[[nodiscard]] bool is_register_layout(const Value& value, const linear::Sizes& shape = {});

/// The best swizzle of a memory for these accesses. Refuses what memory_map_of() and
/// analyze::find_swizzle() refuse.
[[nodiscard]] Result<analyze::SwizzleSearch> find_swizzle(const Value& memory,
                                                          std::span<const form::IndexMap> accesses,
                                                          int element_bits,
                                                          analyze::Splitting split,
                                                          const analyze::Served& served = {});
/// The memory layout with the swizzle that was found, in its own system if that can express it,
/// otherwise as a table.
[[nodiscard]] Result<Value> swizzled_layout(const Value& memory,
                                            const analyze::SwizzleSearch& search);

/// The register layout that a value is; refuses `call.type`, `analyze.shape`.
[[nodiscard]] Result<linear::LinearLayout> register_layout_of(const Value& registers,
                                                              const linear::Sizes& shape = {});

/// The offsets in the memory, in elements, that the access leads to, as a linear layout (register,
/// lane, warp) -> offset for matrix_access(): of two linear layouts their register_offsets(), of
/// all others the access_of() them, if it is linear. Refuses what these refuse, and
/// `analyze.no_matrix` for an access that is not linear, with the place.
[[nodiscard]] Result<linear::LinearLayout> matrix_offsets(const Value& access, const Value& memory,
                                                          int element_bits,
                                                          const linear::Sizes& shape = {});

/// The element width and the shape that tensor types state: `tensor<128x64xf16, #…>`.
struct StatedElements {
  /// Bits per element; elements smaller than a byte take a byte. nullopt if no type states it.
  std::optional<int> bits;
  /// The shape of the first tensor; empty if there is none.
  linear::Sizes shape;
};
/// What the Triton types among the texts state. Refuses `analyze.element_bits` if two disagree.
[[nodiscard]] Result<StatedElements> stated_elements(std::span<const std::string> texts);
/// Adds `element_bits` and `shape` to the arguments of an analysis, as the texts of its arguments
/// state them, unless they are given. Refuses `analyze.element_bits` and `analyze.shape` if the
/// given ones differ.
[[nodiscard]] Result<void> add_stated_elements(const Operation& operation,
                                               std::span<const std::string> texts,
                                               std::vector<Argument>& arguments);

[[nodiscard]] Report report_of(const analyze::BankReport& report);
[[nodiscard]] Report report_of(const std::vector<analyze::Phase>& phases);
[[nodiscard]] Report report_of(const analyze::CoalescingReport& report);
[[nodiscard]] Report report_of(const analyze::SwizzledBuffer& buffer);
[[nodiscard]] Report report_of(const analyze::SwizzleSearch& search);
[[nodiscard]] Report report_of(const analyze::Conversion& conversion);
[[nodiscard]] Report report_of(const analyze::MatrixAccess& access);

}  // namespace heddle::notation
#pragma GCC visibility pop
