#pragma once

// Slices of LEGO layouts as kernels in Triton write them.
//
//   DL_a[pid_m, k, :, :]   ->   K*(BM*pid_m+tl.arange(0, BM)[:, None])+BK*k+tl.arange(0, BK)[None,
//   :]
//
// (Seed 001, section IV-A and figure 10.)

#include <cstddef>
#include <string>

#include "heddle/lego/slice.h"

namespace heddle::emit {

/// `[:, None]`, `[None, :]`, and nothing for the only range: how a one-dimensional range of that
/// position spreads over `count` dimensions.
[[nodiscard]] std::string broadcast_text(std::size_t position, std::size_t count);

/// `K*(BM*pid_m+tl.arange(0, BM)[:, None])+…` with each range spelled out.
[[nodiscard]] std::string to_string(const lego::Slice& slice);

}  // namespace heddle::emit
