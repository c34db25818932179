"""Kernels of Triton whose machine code is compared. Sizes are multiples of the tiles, so nothing is masked."""

import triton
import triton.language as tl


@triton.jit
def gemm(a_ptr, b_ptr, c_ptr, k, a_stride, b_stride, c_stride,
         TILE_M: tl.constexpr, TILE_N: tl.constexpr, TILE_K: tl.constexpr):
    """C = A B in f32, for A in rows and B in columns of f16."""
    rows = tl.program_id(0) * TILE_M + tl.arange(0, TILE_M)
    columns = tl.program_id(1) * TILE_N + tl.arange(0, TILE_N)
    steps = tl.arange(0, TILE_K)
    a_ptrs = a_ptr + rows[:, None] * a_stride + steps[None, :]
    b_ptrs = b_ptr + steps[:, None] + columns[None, :] * b_stride
    acc = tl.zeros((TILE_M, TILE_N), dtype=tl.float32)
    for _ in range(0, k, TILE_K):
        acc = tl.dot(tl.load(a_ptrs), tl.load(b_ptrs), acc)
        a_ptrs += TILE_K
        b_ptrs += TILE_K
    tl.store(c_ptr + rows[:, None] * c_stride + columns[None, :], acc)


@triton.jit
def attention(q_ptr, k_ptr, v_ptr, o_ptr, scale, keys, head_stride, row_stride,
              QUERIES: tl.constexpr, KEYS: tl.constexpr, HEAD: tl.constexpr):
    """O = softmax(scale Q K') V, f16 with sums in f32, by the online softmax; scale is in units of log2 e."""
    head = tl.program_id(1) * head_stride
    rows = tl.program_id(0) * QUERIES + tl.arange(0, QUERIES)
    block = tl.arange(0, KEYS)
    inner = tl.arange(0, HEAD)
    q = tl.load(q_ptr + head + rows[:, None] * row_stride + inner[None, :])
    k_ptrs = k_ptr + head + inner[:, None] + block[None, :] * row_stride
    v_ptrs = v_ptr + head + block[:, None] * row_stride + inner[None, :]
    largest = tl.full((QUERIES,), float("-inf"), dtype=tl.float32)
    total = tl.zeros((QUERIES,), dtype=tl.float32)
    acc = tl.zeros((QUERIES, HEAD), dtype=tl.float32)
    for _ in range(0, keys, KEYS):
        scores = tl.dot(q, tl.load(k_ptrs))
        new_largest = tl.maximum(largest, tl.max(scores, 1) * scale)
        p = tl.exp2(scores * scale - new_largest[:, None])
        less = tl.exp2(largest - new_largest)
        total = total * less + tl.sum(p, 1)
        acc = tl.dot(p.to(tl.float16), tl.load(v_ptrs), acc * less[:, None])
        largest = new_largest
        k_ptrs += KEYS * row_stride
        v_ptrs += KEYS * row_stride
    acc = acc / total[:, None]
    tl.store(o_ptr + head + rows[:, None] * row_stride + inner[None, :], acc.to(tl.float16))
