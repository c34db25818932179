"""Kernels from Python: by their meaning, and on OpenCL where there is a device."""

import heddle
import numpy as np
import pytest

SOFTMAX = """
kernel softmax(X: f32[M,N], bias: f32[N], Y: f32[M,N])
  launch cta M, threads 128
{
  reg m: f32[]
  reg s: f32[]
  fill(m, -inf)
  fill(s, 0)
  for k in range(0, N, 512) {
    reduce(m, X[bx, k : +512] + bias[k : +512], op="max", axis=0, accum=true)
  }
  for k in range(0, N, 512) {
    reduce(s, exp(X[bx, k : +512] + bias[k : +512] - m), op="sum", axis=0, accum=true)
  }
  for k in range(0, N, 512) {
    Y[bx, k : +512] = exp(X[bx, k : +512] + bias[k : +512] - m) / s
  }
}
"""


def load(text, target, name=None):
    try:
        return heddle.kernel.loads(text, name, target)
    except heddle.Refused as refused:
        if refused.code == "kernel.no_device":
            pytest.skip(str(refused))
        raise


@pytest.mark.parametrize("target", ["meaning", "opencl"])
def test_softmax_of_rows_with_a_remainder(target):
    random = np.random.default_rng(5)
    x = random.normal(size=(3, 700)).astype(np.float32)
    bias = random.normal(size=700).astype(np.float32)
    y = np.zeros_like(x)
    load(SOFTMAX, target)(x, bias, y)
    wanted = np.exp(x + bias - (x + bias).max(axis=1, keepdims=True))
    np.testing.assert_allclose(y, wanted / wanted.sum(axis=1, keepdims=True), rtol=2e-5)


def test_sources_and_explanations():
    softmax = heddle.kernel.loads(SOFTMAX)
    assert softmax.name == "softmax" and softmax.device is None
    assert "__global__" in softmax.source("cuda")
    assert "__kernel" in softmax.source("opencl")
    assert "heddle_launch_softmax(" in softmax.header("cuda")
    assert "heddle_build_softmax(" in softmax.header("opencl")
    assert "taken" in softmax.explain()
    assert str(heddle.kernel.loads(str(softmax))) == str(softmax)


def test_other_arrays_are_refused():
    softmax = heddle.kernel.loads(SOFTMAX)
    x = np.zeros((2, 8), np.float32)
    with pytest.raises(heddle.Refused, match="kernel.arguments"):
        softmax(x)
    with pytest.raises(heddle.Refused, match="kernel.argument"):
        softmax(x.astype(np.int32), x[0].copy(), x)
    with pytest.raises(heddle.Refused, match="strides"):
        softmax(np.zeros((8, 2), np.float32).T, x[0].copy(), x)
    with pytest.raises(heddle.Refused, match="kernel.argument"):
        softmax(x, np.zeros(9, np.float32), x)
    x.flags.writeable = False
    with pytest.raises(heddle.Refused, match="move.buffer"):
        softmax(x, np.zeros(8, np.float32), x)


@pytest.mark.parametrize("value", ["x", None, 1.5, 2**70, object()])
def test_what_is_no_number_is_refused(value):
    fill = heddle.kernel.loads("kernel f(X: f32[N], a: i32) launch cta 1, threads 32 { X[:] = a }")
    with pytest.raises(heddle.Misused, match="call.type"):
        fill(np.zeros(3, np.float32), value)


def test_texts_are_refused_with_their_place():
    with pytest.raises(heddle.Refused) as refused:
        heddle.kernel.loads("kernel k(X: f32[N]) launch cta 1, threads 32 { X[:] = Z }")
    assert "Z" in str(refused.value)
    with pytest.raises(heddle.Misused):
        heddle.kernel.loads(SOFTMAX, target="cuda")
    with pytest.raises(heddle.Misused):
        heddle.kernel.loads(SOFTMAX, "other")
