#pragma once

// The picture of a plan: for each step how many bytes go from which device to which.
//
//   all-gather, 192 bytes          0   1   2   3  to
//                          from 0     16  16  16
//                               1 16      16  16
//                               2 16  16      16
//                               3 16  16  16
//
// On the diagonal are the bytes that a device keeps; `+16` are terms that are combined with what is
// there. Devices of one group have one colour.

#include "heddle/core/result.h"
#include "heddle/distribute/plan.h"
#include "heddle/draw/picture.h"

#pragma GCC visibility push(default)
namespace heddle::distribute {

/// One panel for each step. Many devices are shown in part, as options.max_cells says. Refuses
/// `draw.too_large` for more steps than a picture has panels, and `draw.gave_up`. Cost: linear in
/// the transfers.
[[nodiscard]] Result<draw::Picture> picture(const Plan& plan,
                                            const draw::PictureOptions& options = {});

}  // namespace heddle::distribute
#pragma GCC visibility pop
