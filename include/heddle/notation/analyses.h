#pragma once

// Analyses of values of the language: what is an access to a memory, and what was found as text and
// as data.
//
//   access_of(evaluate("((4,8),(2,2)):((32,1),(16,8))"), evaluate("(16,16):(16,1)"), 16)
//   report_of(*bank_conflicts(access)).text     "2-way bank conflicts: …"

#include <optional>
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
#include "heddle/notation/report.h"
#include "heddle/notation/value.h"

namespace heddle::notation {

/// The access to a memory that two values describe. Of CuTe: a layout (thread, value) -> elements,
/// a thread-value layout, or a tensor's layout, and a layout of elements; of Triton: a register
/// layout and a shared layout, or encodings of a tensor of that shape. The two may be of different
/// systems. Without a memory the first one maps to addresses. Refuses `call.type` for other values,
/// `analyze.shape` for an encoding without a shape, `analyze.encoding` for encodings of another
/// kind of memory, and what make_access() refuses.
[[nodiscard]] Result<analyze::Access> access_of(const Value& access,
                                                const std::optional<Value>& memory,
                                                int element_bits, const linear::Sizes& shape = {});
/// The (thread, value) -> element map of a value; refuses as access_of().
[[nodiscard]] Result<form::IndexMap> thread_value_map_of(const Value& access,
                                                         const linear::Sizes& shape = {});
/// A linear layout or an encoding, however it is written.
[[nodiscard]] bool is_register_layout(const Value& value);
/// A register layout; refuses `call.type`, `analyze.shape`.
[[nodiscard]] Result<linear::LinearLayout> register_layout_of(const Value& registers,
                                                              const linear::Sizes& shape = {});

[[nodiscard]] Report report_of(const analyze::BankReport& report);
[[nodiscard]] Report report_of(const std::vector<analyze::Phase>& phases);
[[nodiscard]] Report report_of(const analyze::CoalescingReport& report);
[[nodiscard]] Report report_of(const analyze::SwizzledBuffer& buffer);
[[nodiscard]] Report report_of(const analyze::SwizzleSearch& search);
[[nodiscard]] Report report_of(const analyze::Conversion& conversion);
[[nodiscard]] Report report_of(const analyze::MatrixAccess& access);

}  // namespace heddle::notation
