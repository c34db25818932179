#pragma once

// Fragments of machines (form/fragment.h) as thread-value layouts, which CuTe's atoms are made of:
//
//   A of v_mfma_f32_32x32x8f16      ((32,2),4):((1,128),32)     (lane, register) -> row + 32*col

#include <string_view>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/cute/composed_layout.h"
#include "heddle/cute/layout.h"
#include "heddle/form/fragment.h"

#pragma GCC visibility push(default)
namespace heddle::cute {

/// (thread, value) -> the element of the matrix whose dimensions run in the order `dims`, fastest
/// first; registers and places in shared and tensor memory are the value, all other places are the
/// thread, first one fastest.
/// Refuses `fragment.unused` if some places hold nothing, and `fragment.descending` if places hold
/// the elements from the last one on, which needs an offset.
[[nodiscard]] Result<Layout> thread_value_layout(const form::Fragment& fragment,
                                                 const std::vector<std::string_view>& dims);

/// The same with an offset where places hold the elements from the last one on, and with the place
/// `values` as the value if that is not `register`. Refuses `fragment.unused`.
[[nodiscard]] Result<AnyLayout> thread_value_map(const form::Fragment& fragment,
                                                 const std::vector<std::string_view>& dims,
                                                 std::string_view values);

}  // namespace heddle::cute
#pragma GCC visibility pop
