# idx: the map of Sw<1,1,1> o 4 o (3,(2,2)):(-2,(1,6)), a CuTe layout.
# 32 bits: every number on the way is proved to be from -5 to 15.

import triton
import triton.language as tl


@triton.jit
def idx(i, j):
    """The place m in [0, 11] of a point (i, j): 0 <= i < 3, 0 <= j < 4."""
    t0 = j >> 1
    t1 = t0 + 1
    return (((((t0 - i) >> 1) + t1) & 1) << 1) ^ (j + (t1 << 2) - (i << 1))


@triton.jit
def idx_inverse(m):
    """The point (i, j) at a place m that idx gives."""
    t0 = m ^ (((m >> 2) & 1) << 1)
    t1 = t0 // 6
    return 3 * t1 + 2 - (t0 >> 1), (t1 << 1) + (t0 & 1)


@triton.jit
def idx_guard(i, j):
    """Whether (i, j) is a point of the layout."""
    return (0 <= i) & (i < 3) & (0 <= j) & (j < 4)


# An array of so many elements has a place for every point.
idx_size = tl.constexpr(12)
