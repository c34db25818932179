#pragma once

// Three views of a linear layout as pictures. The layout below has two registers in each of four
// lanes of each of two warps, and holds a tensor of 4 x 4:
//
//   tensor_picture      the owner of each element, as Triton's triton-tensor-layout writes it,
//                       `T<thread>:<register>`, threads counted through the warps:
//                            0     1     2     3
//                       0  T0:0  T0:1  T1:0  T1:1
//                       1  T2:0  T2:1  T3:0  T3:1
//                       2  T4:0  T4:1  T5:0  T5:1
//                       3  T6:0  T6:1  T7:0  T7:1
//   hardware_picture    the element in each place: warp 0, lanes down, registers along
//                              0      1
//                       0  (0,0)  (0,1)
//                       1  (0,2)  (0,3)
//                       2  (1,0)  (1,1)
//                       3  (1,2)  (1,3)
//   matrix_picture      the matrix over GF(2), its blocks named
//                                 register  lane  warp
//                                    1      1  2    1
//                       dim0  1      ·      ·  1    ·
//                             2      ·      ·  ·    1
//                       dim1  1      1      ·  ·    ·
//                             2      ·      1  ·    ·
//
// A layout from `offset` (shared memory) shows offsets in place of owners, with their banks; its
// hardware view has one line for each round of the banks, 128 bytes of 32. Any other layout shows
// coordinates. In the tensor view the last two dimensions are rows and columns, and each coordinate
// of the others has a panel.
//
// Layouts too large to be shown lose high bits. A note says exactly what is left out, because that
// is linear: `element + (16,0): owner xor (register=4)`.
//
// Sources: Triton's triton-tensor-layout; its unit tests of the two views.

#include "heddle/draw/picture.h"
#include "heddle/linear/linear_layout.h"

#pragma GCC visibility push(default)
namespace heddle::draw {

/// Each element of the tensor with all its owners; if they are many only the first are named.
/// Elements that no input is mapped to are empty. Refuses `draw.too_large` for more than kMaxCells
/// elements, or kMaxPanels panels, if max_cells asks for all; `draw.color` for a modulus, a run, a
/// width out of range and for banks of a layout that is not from `offset`; `draw.slice` for a slice
/// of a dimension that does not exist, or outside it, and for a thread or an element that does not
/// exist. Cost: linear in the owners shown.
[[nodiscard]] Result<Picture> tensor_picture(const linear::LinearLayout& layout,
                                             const PictureOptions& options = {});

/// Each place of the hardware with the element it holds: lanes down and registers along for each
/// warp and block; rows and columns of tensor memory; rounds of the banks. For other dimensions the
/// first goes down and the second along. Refuses as tensor_picture(), and `draw.color` for banks or
/// elements of shared memory whose widths are no powers of two.
[[nodiscard]] Result<Picture> hardware_picture(const linear::LinearLayout& layout,
                                               const PictureOptions& options = {});

/// The matrix, one column for each input bit and one row for each output bit. Columns have a colour
/// if they are pivots, another if they are XORs of columns before them, and a third if they are
/// zero, as for inputs that do not matter. Takes title and facts from the options.
[[nodiscard]] Result<Picture> matrix_picture(const linear::LinearLayout& layout,
                                             const PictureOptions& options = {});

}  // namespace heddle::draw
#pragma GCC visibility pop
