#pragma once

// to_linear_layout() of each kind of encoding; one source file a family.

#include <cstdint>
#include <span>

#include "heddle/linear/encoding.h"

namespace heddle::linear {

using Shape = std::span<const std::int64_t>;

// encoding_distributed.cc
[[nodiscard]] Result<LinearLayout> layout_of(const BlockedEncoding& encoding, Shape shape);
[[nodiscard]] Result<LinearLayout> layout_of(const SliceEncoding& encoding, Shape shape);
[[nodiscard]] Result<LinearLayout> layout_of(const LinearEncoding& encoding, Shape shape);
// encoding_mma.cc
[[nodiscard]] Result<LinearLayout> layout_of(const NvidiaMmaEncoding& encoding, Shape shape);
[[nodiscard]] Result<LinearLayout> layout_of(const DotOperandEncoding& encoding, Shape shape);
// encoding_shared.cc
[[nodiscard]] Result<LinearLayout> layout_of(const SwizzledSharedEncoding& encoding, Shape shape);
[[nodiscard]] Result<LinearLayout> layout_of(const SharedLinearEncoding& encoding, Shape shape);
[[nodiscard]] Result<LinearLayout> layout_of(const PaddedSharedEncoding& encoding, Shape shape);
// encoding_nvmma_shared.cc
[[nodiscard]] Result<LinearLayout> layout_of(const NvmmaSharedEncoding& encoding, Shape shape);
// encoding_tensor_memory.cc
[[nodiscard]] Result<LinearLayout> layout_of(const TensorMemoryEncoding& encoding, Shape shape);
[[nodiscard]] Result<LinearLayout> layout_of(const TensorMemoryScalesEncoding& encoding,
                                             Shape shape);

}  // namespace heddle::linear
