#pragma once

// Slices of LEGO layouts as Triton kernels write them.
//
//   DL_a[pid_m, k, :, :]
//
//   K*(BM*pid_m+tl.arange(0, BM)[:, None])+BK*k+tl.arange(0, BK)[None, :]
//
// (Seed 001, section IV-A and figure 10.)

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "heddle/core/result.h"
#include "heddle/emit/dialect.h"
#include "heddle/emit/inline_text.h"
#include "heddle/lego/slice.h"

#pragma GCC visibility push(default)
namespace heddle::emit {

/// `[:, None]`, `[None, :]`, empty for the only range: how a one-dimensional range of that position
/// spreads over `count` dimensions.
[[nodiscard]] std::string broadcast_text(std::size_t position, std::size_t count);
/// `tl.arange(0, BM)[:, None]`.
[[nodiscard]] std::string range_text(std::string_view extent, std::size_t position,
                                     std::size_t count);

/// The texts of the variables of ranges in Triton and in the expression language. Refuses
/// `template.range` for ranges in another language, and as inline_text() does for their extents.
[[nodiscard]] Result<Spelling> spelling_of(std::span<const lego::SliceRange> ranges,
                                           Dialect dialect);

/// `K*(BM*pid_m+tl.arange(0, BM)[:, None])+…`, in the notation of the expression language: the
/// shorter of the normal form and one of few operations.
[[nodiscard]] std::string to_string(const lego::Slice& slice);

}  // namespace heddle::emit
#pragma GCC visibility pop
