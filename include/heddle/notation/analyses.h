#pragma once

// Analyses of values of the language: what is an access to a memory, and what was found as text and
// as data.
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

/// The access to a memory that two values describe: a map (thread, value) -> elements, and one from
/// elements to addresses, numbers of elements in the order of the memory's system or coordinates.
/// Each is a layout of any system, relations and tables too, or an encoding of a tensor of that
/// shape; layouts of Triton say their own way which is which, Axe layouts of threads are turned
/// round. Without a memory the first one maps to addresses. Refuses `call.type` for other values,
/// `analyze.shape` for an encoding without a shape, `analyze.encoding` for encodings of another
/// kind of memory, and what make_access() refuses.
[[nodiscard]] Result<analyze::Access> access_of(const Value& access,
                                                const std::optional<Value>& memory,
                                                int element_bits, const linear::Sizes& shape = {});
/// The (thread, value) -> element map of a value; refuses as access_of().
[[nodiscard]] Result<form::IndexMap> thread_value_map_of(const Value& access,
                                                         const linear::Sizes& shape = {});
/// The element -> address map of a value; refuses as access_of().
[[nodiscard]] Result<form::IndexMap> memory_map_of(const Value& memory,
                                                   const linear::Sizes& shape = {});
/// A linear layout or an encoding of registers, however it is written; an Axe layout of threads.
[[nodiscard]] bool is_register_layout(const Value& value, const linear::Sizes& shape = {});

/// The best swizzle of a memory for these accesses. Refuses what memory_map_of() and
/// analyze::find_swizzle() refuse.
[[nodiscard]] Result<analyze::SwizzleSearch> find_swizzle(const Value& memory,
                                                          std::span<const form::IndexMap> accesses,
                                                          int element_bits);
/// The memory with the swizzle that was found, in its own system if that can write it, else as a
/// table.
[[nodiscard]] Result<Value> swizzled_layout(const Value& memory,
                                            const analyze::SwizzleSearch& search);

/// A register layout; refuses `call.type`, `analyze.shape`.
[[nodiscard]] Result<linear::LinearLayout> register_layout_of(const Value& registers,
                                                              const linear::Sizes& shape = {});

/// What types state of the elements of a tensor: `tensor<128x64xf16, #…>`.
struct StatedElements {
  /// How wide they are; those of less than a byte take one. Nothing where no type says it.
  std::optional<int> bits;
  /// Of the first tensor; empty where there is none.
  linear::Sizes shape;
};
/// What those of the texts state that are types of Triton. Refuses `analyze.element_bits` where two
/// disagree.
[[nodiscard]] Result<StatedElements> stated_elements(std::span<const std::string> texts);
/// Adds `element_bits` and `shape` to the arguments of an analysis, as the texts of its arguments
/// state them, where they are not given. Refuses `analyze.element_bits` and `analyze.shape` where
/// others are given.
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
