"""The kernels of kernels/programs beside NumPy: by their meaning, on this CPU, and on OpenCL devices."""

import pathlib

import heddle
import numpy as np
import pytest

PROGRAMS = pathlib.Path(__file__).resolve().parents[2] / "kernels" / "programs"
SIZES = [(1, 1, 1), (37, 70, 16), (64, 130, 33)]


def gelu(x):
    # math.erf on arrays: NumPy has none of its own.
    from math import erf
    return 0.5 * x * (1 + np.vectorize(erf)(0.7071067811865476 * x))


def floats(random, *shape):
    return random.normal(size=shape).astype(np.float32)


def gemm(transposed_a, transposed_b):
    def arguments(random, m, n, k):
        a, b = floats(random, m, k).astype(np.float16), floats(random, k, n).astype(np.float16)
        bias = floats(random, n)
        wanted = gelu(a.astype(float) @ b.astype(float) + bias)
        return [a.T.copy() if transposed_a else a, b.T.copy() if transposed_b else b, bias], wanted
    return arguments


def transpose(random, m, n, k):
    a = floats(random, m, n)
    return [a], a.T


def softmax(random, m, n, k):
    x, bias = floats(random, m, 20 * n), floats(random, 20 * n)
    e = np.exp((x + bias).astype(float))
    return [x, bias], e / e.sum(axis=1, keepdims=True)


def add(multiple):
    def arguments(random, m, n, k):
        a, b = floats(random, multiple * m * n), floats(random, multiple * m * n)
        return [a, b], a + b
    return arguments


def reduced(function, **axis):
    def arguments(random, m, n, k):
        a = floats(random, m, n)
        return [a], function(a.astype(float), **axis)
    return arguments


def count(random, m, n, k):
    a = random.integers(-9, 9, (m, n)).astype(np.int32)
    return [a], np.sum(a % 3 == 0)


def stencil(a):
    padded = np.pad(a, 1)
    near = sum(np.roll(padded, step, axis) for axis in range(3) for step in (-1, 1))
    return [a], 0.5 * a + 0.0625 * near[1:-1, 1:-1, 1:-1]


def points(random, m, n, k):
    return stencil(floats(random, m, 9, k))


def bricks(random, m, n, k):
    return stencil(floats(random, m // 32 * 8 + 8, 16, 8))


EPSILON = 1e-3


def layernorm(random, m, n, k):
    x, scale, bias = floats(random, m, n + 4), floats(random, n + 4), floats(random, n + 4)
    deviation = np.sqrt(x.var(axis=1, keepdims=True) + EPSILON)
    return [x, scale, bias], (x - x.mean(axis=1, keepdims=True)) / deviation * scale + bias


def weights(random, m, n):
    q = random.integers(-8, 8, (m, 32 * n))
    packed = ((q[:, ::2] & 15) | ((q[:, 1::2] & 15) << 4)).astype(np.uint8)
    scale = random.uniform(0.5, 2, (m, n)).astype(np.float16)
    return [packed, scale], (q.reshape(m, n, 32) * scale.astype(float)[:, :, None]).reshape(m, 32 * n)


def dequantise(random, m, n, k):
    return weights(random, m, n)


def gemv(random, m, n, k):
    arguments, w = weights(random, m, n)
    x = floats(random, 32 * n)
    return [*arguments, x], w @ x.astype(float)


def attention(is_causal):
    def arguments(random, m, n, k):
        heads, rows = m % 3 + 1, 32 * (m % 4 + 1)
        q, keys, v = (floats(random, heads, rows, 64) for _ in range(3))
        scores = EPSILON * np.einsum("hid,hjd->hij", q.astype(float), keys)
        if is_causal:
            scores += np.triu(np.full((rows, rows), -np.inf), 1)
        e = np.exp(scores - scores.max(axis=2, keepdims=True))
        return [q, keys, v], (e / e.sum(axis=2, keepdims=True)) @ v
    return arguments


def rmsnorm(random, m, n, k):
    x, scale = floats(random, m, n), floats(random, n)
    return [x, scale], x / np.sqrt((x.astype(float)**2).mean(axis=1, keepdims=True) + EPSILON) * scale


def layernorm_backward(random, m, n, k):
    x, scale, g = floats(random, m, n + 4), floats(random, n + 4), floats(random, m, n + 4)
    deviation = np.sqrt(x.astype(float).var(axis=1, keepdims=True) + EPSILON)
    z, dz = (x - x.mean(axis=1, keepdims=True)) / deviation, g * scale.astype(float)

    def mean(y):
        return y.mean(axis=1, keepdims=True)

    return [x, scale, g], (dz - mean(dz) - z * mean(dz * z)) / deviation


def batched_gemm(random, m, n, k):
    a, b = floats(random, m, 32, 32), floats(random, m, 32, 32)
    return [a, b], a.astype(float) @ b


def convolution(random, m, n, k):
    x, f = floats(random, k % 5 + 1, 4 + m % 9, n % 11 + 3), floats(random, m, 9 * (k % 5 + 1))
    windows = np.lib.stride_tricks.sliding_window_view(x, (3, 3), axis=(1, 2))
    columns = windows.transpose(0, 3, 4, 1, 2).reshape(f.shape[1], -1)
    return [x, f], f.astype(float) @ columns


def grouped_gemm(random, m, n, k):
    groups = k % 4 + 1
    first = np.sort(np.concatenate([[0, m], random.integers(0, m + 1, groups - 1)])).astype(np.int32)
    a, b = floats(random, m, k), floats(random, groups, k, n)
    products = [a[i:j].astype(float) @ b[g] for g, (i, j) in enumerate(zip(first, first[1:], strict=False))]
    return [a, b, first], np.concatenate(products)


PENALTY = 3


def needleman_wunsch(random, m, n, k):
    similarity = random.integers(-5, 6, (k % 3 + 1, m, n)).astype(np.int32)
    score = np.zeros((len(similarity), m + 1, n + 1), np.int32)
    score[:, 0, :], score[:, :, 0] = -PENALTY * np.arange(n + 1), -PENALTY * np.arange(m + 1)
    for i, j in np.ndindex(m, n):
        one = np.maximum(score[:, i, j + 1], score[:, i + 1, j]) - PENALTY
        score[:, i + 1, j + 1] = np.maximum(score[:, i, j] + similarity[:, i, j], one)
    return [similarity], score


def histogram(random, m, n, k):
    x = random.integers(0, 1000, m * n).astype(np.int32)
    return [x], np.bincount(x % 64, minlength=64)


def greatest(random, m, n, k):
    x = floats(random, m, n)
    return [x], x.argmax(axis=1)


KERNELS = {
    "attention": attention(False), "causal_attention": attention(True), "rmsnorm": rmsnorm,
    "layernorm_backward": layernorm_backward, "batched_gemm": batched_gemm, "convolution": convolution,
    "histogram": histogram, "greatest": greatest, "grouped_gemm": grouped_gemm,
    "needleman_wunsch": needleman_wunsch,
    "dequantise": dequantise, "gemv": gemv,
    "gemm_ab": gemm(False, False), "gemm_abt": gemm(False, True), "gemm_atb": gemm(True, False),
    "gemm_atbt": gemm(True, True), "softmax": softmax, "vector_add": add(1), "vector_add_by_fours": add(4),
    **{name: transpose for name in ("transpose", "transpose_tile", "transpose_padded",
                                    "transpose_swizzled", "transpose_antidiagonal")},
    "sum_of_rows": reduced(np.sum, axis=1), "sum_of_columns": reduced(np.sum, axis=0),
    "greatest_of_columns": reduced(np.max, axis=0), "sum_of_all": reduced(np.sum),
    "count_of_all": count, "stencil_array": points, "stencil_bricks": bricks, "layernorm": layernorm,
}


def kernels_of(path):
    return [line.split("(")[0].removeprefix("kernel ") for line in path.read_text().splitlines()
            if line.startswith("kernel ")]


# NumPy has no elements of 4 bits; the others have two results, and what they mean is tested in C++.
WITHOUT = {"from_i4", "quantise", "route"}
# Sizes of these files are multiples of their tiles, or of their devices.
IN_TILES = {"distributed", "repack", "tensor_cores", "tile_order"}
NAMES = [(path, name) for path in sorted(PROGRAMS.glob("*.heddle")) if path.stem not in IN_TILES
         for name in kernels_of(path) if name not in WITHOUT]
RESULTS = {"count_of_all": np.int32, "dequantise": np.float16, "histogram": np.int32,
           "greatest": np.int32, "needleman_wunsch": np.int32}
VALUES = {"needleman_wunsch": [PENALTY],
          **{name: [EPSILON] for name in ("layernorm", "layernorm_backward", "rmsnorm", "attention",
                                          "causal_attention")}}


@pytest.mark.parametrize("target", ["meaning", "opencl", "cpu"])
@pytest.mark.parametrize(("path", "name"), NAMES, ids=[name for _, name in NAMES])
def test_equals_numpy(path, name, target):
    try:
        kernel = heddle.kernel.load(path, name, target)
    except heddle.Refused as refused:
        if refused.code == "kernel.no_device":
            pytest.skip(str(refused))
        raise
    random = np.random.default_rng(20261126)
    for m, n, k in SIZES:
        arguments, wanted = KERNELS[name](random, m, n, k)
        found = np.zeros(wanted.shape, RESULTS.get(name, np.float32))
        kernel(*arguments, found, *VALUES.get(name, []))
        scale = max(1, np.abs(wanted).max())
        has_long_sums = "gem" in name or "backward" in name
        tolerance = 1e-3 if found.dtype == np.float16 else 2e-5 if has_long_sums else 3e-6
        np.testing.assert_allclose(found / scale, wanted / scale, rtol=0, atol=tolerance)


OVER_DEVICES = {
    "reduce_scatter": lambda x: x.sum(axis=0),
    "all_gather": lambda a: a,
    "transpose": lambda a: a.T,
    "gemm_reduce_scatter": lambda a, b: a @ b,
}


@pytest.mark.parametrize(("name", "shapes"), [
    ("reduce_scatter", [(4, 64, 64)]), ("all_gather", [(8, 12)]), ("transpose", [(8, 12)]),
    ("gemm_reduce_scatter", [(256, 8), (8, 64)]),
])
def test_what_devices_do_together_equals_numpy(name, shapes):
    kernel = heddle.kernel.load(PROGRAMS / "distributed.heddle", name, "meaning")
    random = np.random.default_rng(20261127)
    arguments = [random.integers(-9, 9, shape).astype(np.float32) for shape in shapes]
    wanted = OVER_DEVICES[name](*arguments)
    found = np.zeros(wanted.shape, np.float32)
    kernel(*arguments, found)
    np.testing.assert_array_equal(found, wanted)


def on_tensor_cores(name, target):
    return heddle.kernel.load(PROGRAMS / "tensor_cores.heddle", name, target)


@pytest.mark.parametrize("target", ["meaning", "cpu"])
def test_a_product_of_tiles_equals_numpy(target):
    random = np.random.default_rng(20261127)
    a, b = (floats(random, 128, 64).astype(np.float16) for _ in range(2))
    found = np.zeros((128, 128), np.float32)
    on_tensor_cores("gemm_tn", target)(a, b, found)
    np.testing.assert_allclose(found, a.astype(float) @ b.astype(float).T, rtol=0, atol=1e-3)


def packed(numbers):
    return ((numbers[:, ::2] & 15) | ((numbers[:, 1::2] & 15) << 4)).astype(np.uint8)


@pytest.mark.parametrize("target", ["meaning", "cpu"])
def test_a_product_of_4_bits_equals_numpy(target):
    random = np.random.default_rng(20261127)
    a, b = (random.integers(-8, 8, (64, 256)) for _ in range(2))
    found = np.zeros((64, 64), np.int32)
    on_tensor_cores("gemm_i4", target)(packed(a), packed(b), found)
    np.testing.assert_array_equal(found, a @ b.T)


# The two places of four that a code keeps, and the code.
KEPT = [((i, j), i | j << 2) for i in range(4) for j in range(i + 1, 4)]


@pytest.mark.parametrize("target", ["meaning", "cpu"])
def test_a_sparse_product_equals_numpy(target):
    random = np.random.default_rng(20261127)
    b = floats(random, 64, 128).astype(np.float16)
    chosen = random.integers(0, len(KEPT), (64, 32))
    codes = np.array([code for _, code in KEPT])[chosen]
    places = np.array([places for places, _ in KEPT])[chosen]
    kept = floats(random, 64, 32, 2).astype(np.float16)
    dense = np.zeros((64, 32, 4))
    np.put_along_axis(dense, places, kept.astype(float), axis=2)
    found = np.zeros((64, 64), np.float32)
    on_tensor_cores("sparse_gemm", target)(kept.reshape(64, 64), packed(codes), b, found)
    np.testing.assert_allclose(found, dense.reshape(64, 128) @ b.astype(float).T, rtol=0, atol=1e-3)


@pytest.mark.parametrize("target", ["meaning", "cpu"])
@pytest.mark.parametrize("name", ["attention_tc", "causal_attention_tc"])
def test_attention_in_tiles_equals_numpy(name, target):
    random = np.random.default_rng(20261127)
    q, k, v = (floats(random, 2, 128, 64).astype(np.float16) for _ in range(3))
    found = np.zeros_like(q)
    on_tensor_cores(name, target)(q, k, v, found, 0.125)
    scores = 0.125 * q.astype(float) @ k.astype(float).transpose(0, 2, 1)
    if name.startswith("causal"):
        scores[:, np.triu(np.ones((128, 128), bool), 1)] = -np.inf
    weights = np.exp(scores - scores.max(axis=2, keepdims=True))
    wanted = weights / weights.sum(axis=2, keepdims=True) @ v.astype(float)
    np.testing.assert_allclose(found, wanted, rtol=0, atol=4e-3)
