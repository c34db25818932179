"""Kernels from Python: by their meaning, and on OpenCL where there is a device."""

import os
import subprocess
import sys

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
    with pytest.raises(heddle.Refused, match="other order"):
        softmax(x.astype(">f4"), x[0].copy(), x)
    with pytest.raises(heddle.Refused, match="strides"):
        softmax(np.zeros((8, 2), np.float32).T, x[0].copy(), x)
    with pytest.raises(heddle.Refused, match="kernel.argument"):
        softmax(x, np.zeros(9, np.float32), x)
    x.flags.writeable = False
    with pytest.raises(heddle.Refused, match="move.buffer"):
        softmax(x, np.zeros(8, np.float32), x)


@pytest.mark.parametrize("value", ["x", None, 1.5, np.float32(3), np.array([3, 4]), object()])
def test_what_is_no_number_is_refused(value):
    fill = heddle.kernel.loads("kernel f(X: f32[N], a: i32) launch cta 1, threads 32 { X[:] = a }")
    with pytest.raises(heddle.Misused, match="call.type"):
        fill(np.zeros(3, np.float32), value)


SCALE = """kernel scale(X: f32[N], a: f32, n: i32, m: u8, u: u64, b: bool) launch cta 1, threads 32 {
  X = a*f32(n) + f32(m) + f32(u) + (1000 if b else 0)
}"""


@pytest.mark.parametrize("which, value, range_", [
    (2, 2**40 + 5, "from -2147483648 to 2147483647"), (2, -2**31 - 1, "i32"), (2, 2**70, str(2**70)),
    (3, 300, "u8, from 0 to 255"), (3, -1, "-1 is not a number of type u8"), (4, -1, "u64"),
    (4, 2**64, "from 0 to 18446744073709551615"), (5, 2, "bool, from 0 to 1"), (1, 1e39, "f32"),
    (3, np.int64(256), "u8"), (2, np.uint32(2**31), "i32")])
def test_numbers_out_of_range_are_refused(which, value, range_):
    arguments = [np.zeros(3, np.float32), 1, 0, 0, 0, False]
    arguments[which] = value
    with pytest.raises(heddle.Refused, match="kernel.argument: .*is not a number of type") as refused:
        heddle.kernel.loads(SCALE)(*arguments)
    assert range_ in str(refused.value)


@pytest.mark.parametrize("digits", [400, 5000])
def test_long_integers_are_refused_in_a_line(digits):
    with pytest.raises(heddle.Refused, match="an integer past 64 bits is not a number of type i32"):
        heddle.kernel.loads(SCALE)(np.zeros(3, np.float32), 1, -10**digits, 0, 0, False)


def test_numbers_of_numpy_are_numbers():
    x = np.zeros(3, np.float32)
    scale = heddle.kernel.loads(SCALE)
    for a, n, m, u, b in ((2, 3, 4, 5, 1),
                          (np.float32(2), np.int32(3), np.uint8(4), np.int64(5), np.bool_(True)),
                          (np.float16(2), np.array(3), np.array(4, np.int8), np.uint64(5), np.int8(1)),
                          (np.array(2.0), np.int8(3), np.intp(4), np.array(5, np.uint64), True)):
        scale(x, a, n, m, u, b)
        assert x.tolist() == [2*3 + 4 + 5 + 1000] * 3
    scale(x, np.inf, -2**31, 255, 2**64 - 1, False)
    assert x.tolist() == [-np.inf] * 3
    scale(x, 0, 2**31 - 1, 0, 2**64 - 1, False)
    assert x.tolist() == [2.0**64] * 3


def test_the_hint_for_an_output_keeps_its_results():
    double = heddle.kernel.loads(
        "kernel double(X: f32[N], Y: f32[N]) launch cta 1, threads 32 { Y[:] = 2*X }")
    given, outputs = np.arange(5, dtype=np.float32), np.zeros(10, np.float32)
    for x in outputs[::2], np.zeros(5, ">f4"):
        with pytest.raises(heddle.Refused) as refused:
            double(given, x)
        makes, copies = refused.value.hint.split(" makes an array for the kernel to write, and ")
        names = {"numpy": np, "x": x}
        exec(makes, names)
        double(given, names["y"])
        exec(copies.removesuffix(" copies the results back"), names)
        assert x.tolist() == [0, 2, 4, 6, 8]
    with pytest.raises(heddle.Refused) as refused:
        double(outputs[::2], given)
    assert refused.value.hint == "numpy.ascontiguousarray makes an array without gaps, rows last"


def test_what_is_no_text_is_refused():
    for text in None, 3, b"kernel":
        with pytest.raises(heddle.Misused, match="call.type"):
            heddle.kernel.loads(text)
    for given in {"name": 3}, {"target": None}, {"name": b"f"}:
        with pytest.raises(heddle.Misused, match="call.type"):
            heddle.kernel.loads("kernel f(X: f32[N]) launch cta N, threads 32 { X[bx] = 1 }", **given)


def test_sizes_are_integers():
    fill = heddle.kernel.loads("kernel f(X: f32[N*P]) launch cta N*P, threads 32 { X[bx] = P }")
    x = np.zeros(6, np.float32)
    fill(x, N=np.int32(2), P=3)
    assert x.tolist() == [3] * 6
    for size in None, "3", 1.5, 2**70, np.array([3]):
        with pytest.raises(heddle.Misused, match="call.type: the size P must be an integer of 64 bits"):
            fill(x, N=2, P=size)


def test_texts_are_refused_with_their_place():
    with pytest.raises(heddle.Refused) as refused:
        heddle.kernel.loads("kernel k(X: f32[N]) launch cta 1, threads 32 { X[:] = Z }")
    assert "Z" in str(refused.value)
    with pytest.raises(heddle.Refused, match="not written in 'rocm'"):
        heddle.kernel.loads(SOFTMAX, target="rocm")
    with pytest.raises(heddle.Refused, match="its only kernel is softmax"):
        heddle.kernel.loads(SOFTMAX, "other")


def every_statement():
    k = heddle.kernel.Builder("every")
    A, n, a = k.tensor("A", "f32", (64, 32)), k.tensor("n", "i32", 4), k.value("a", "f32")
    k.assume(k.size("M") % 2 == 0)
    B = k.tensor("B", "f32", (k.size("M"), 32), layout="S[(M,32):(32,1)]")
    k.launch(cta=(2, 3), threads=128, cluster=(2, 1))
    s = k.shared("s", "f32", (32, 32), layout="S[(32,32):(33,1)]")
    with k.for_("i", 4) as i:
        with k.if_((n[i] > 3) | ~(n[0] == 1)):
            k.break_()
        with k.else_():
            k.continue_()
    with k.for_("j", 0, 64, 16) as j:
        k.fill(s, 0.5 * heddle.kernel.call("f32", 2 - j))
    m = k.let("m", n[k.bx])
    with k.while_(n[0] < 5):
        k.fill(n, 5)
    with k.warp(0, 2):
        k.copy(s, A[0:32], using="element")
    with k.else_():
        k.barrier()
    with k.elect():
        A[k.tx % 64, 0] = heddle.kernel.select(k.tx < 5, a, -2.5) * heddle.kernel.call("f32", m)
    k.unchecked("cuda", '__nanosleep(20); // "x"\\')
    A.T.reshape(64, 32)[0] = abs(-s[0])
    B[...] = B[:, None].permute(1, 0, 2)[0]
    with k.cluster():
        with k.cta(0, 1):
            k.fill(n, 10*k.cby + k.cbx)
        with k.else_(), k.elect():
            n[0] = 5
        with k.cta():
            k.barrier()
    return k


EVERY = r'''
kernel every(A: f32[64,32], n: i32[4], a: f32, B: f32[M,32] = S[(M,32):(32,1)])
  assume M % 2 == 0
  launch cta (2, 3), cluster (2, 1), threads 128
{
  shared s: f32[32,32] = S[(32,32):(33,1)]
  for i in 4 { if n[i] > 3 or not n[0] == 1 { break } else { continue } }
  for j in range(0, 64, 16) { fill(s, 0.5*f32(2 - j)) }
  let m = n[bx]
  while n[0] < 5 { fill(n, 5) }
  warp[0:2] { copy(s, A[0:32]) using element } else { barrier() }
  elect { A[tx%64, 0] = (a if tx < 5 else -2.5)*f32(m) }
  unchecked cuda "__nanosleep(20); // \"x\"\\"
  A.T.reshape(64,32)[0] = abs(-s[0])
  B = B[:, None].permute(1, 0, 2)[0]
  cluster {
    cta[0] { fill(n, 10*cby + cbx) } else { elect { n[0] = 5 } }
    cta { barrier() }
  }
}
'''


def test_what_is_built_is_what_is_read():
    assert str(every_statement().build()) == str(heddle.kernel.loads(EVERY))


def test_builders_refuse_what_python_would_hide():
    k = heddle.kernel.Builder("k")
    x = k.tensor("x", "f32", 8)
    for wrong in (lambda: bool(x < 1), lambda: 0 < x < 1, lambda: x[::2], lambda: x[1:], k.else_,
                  lambda: str(k), lambda: list(x), lambda: {x}):
        with pytest.raises((heddle.Misused, TypeError)):
            wrong()
    with pytest.raises(heddle.Misused, match=r"x\[\.\.\.\] = "):
        x += 1
    with pytest.raises(heddle.Misused, match="each dimension"):
        x[..., 0]
    assert str(x * np.float64(0.5) + np.float32(2)) == "(x * 0.5) + 2.0"
    assert str(heddle.kernel.select(np.bool_(True), 1e-30, "a + b")) == "(1e-30) if true else (a + b)"
    k.launch(cta=1, threads=32)
    k.copi(x, x)
    with pytest.raises(heddle.Refused, match="copi"):
        k.build()


COUNTS = """
kernel twice(X: i32[N]) launch cta N, threads 1 { X[bx] = 2*X[bx] }
kernel total(X: i32[N], S: i32[], a: i32) launch cta N, threads 1 { atomic_add(S, a*X[bx]) }
"""


@pytest.fixture
def library(tmp_path):
    (tmp_path / "counts.heddle").write_text(COUNTS)
    path = tmp_path / "libcounts.so"
    command = ["kernel", "compile", str(tmp_path / "counts.heddle"), "--target", "cpu", "-o", str(path)]
    subprocess.run([sys.executable, "-m", "heddle", *command], check=True)
    return path


def test_kernels_of_a_shared_object(library):
    x, total = np.arange(1, 6, dtype=np.int32), np.zeros((), np.int32)
    heddle.kernel.load(library, "twice")(x)
    heddle.kernel.load(library, "total", "cpu", threads=1)(x, total, 3)
    assert x.tolist() == [2, 4, 6, 8, 10] and total == 90
    with pytest.raises(heddle.Refused, match=r"S is i32 \(\), not i32 \(2\)"):
        heddle.kernel.load(library, "total")(x, np.zeros(2, np.int32), 3)


def test_names_in_a_shared_object(library):
    for name in (None, "thrice"):
        with pytest.raises(heddle.Refused, match="its kernels are twice, total") as refused:
            heddle.kernel.load(library, name)
        assert refused.value.code == "kernel.unknown"


@pytest.mark.skipif(sys.platform != "linux", reason="threads are kept on cores on Linux")
def test_threads_and_cores():
    cores = sorted(os.sched_getaffinity(0))
    x = np.ones(3, np.int32)
    heddle.kernel.loads(COUNTS, "twice", "cpu", threads=1, first_core=cores[-1])(x)
    assert x.tolist() == [2, 2, 2]
    # The thread that calls is where it was.
    assert sorted(os.sched_getaffinity(0)) == cores
    beyond = heddle.kernel.loads(COUNTS, "twice", "cpu", threads=1, first_core=100000)
    with pytest.raises(heddle.Refused, match="from 100000 on"):
        beyond(x)
    assert x.tolist() == [2, 2, 2]
    with pytest.raises(heddle.Refused, match="for the target 'cpu'"):
        heddle.kernel.loads(COUNTS, "twice", threads=2)
    for workers in ({"threads": -3}, {"first_core": -2}):
        with pytest.raises(heddle.Misused, match=f"{next(iter(workers))} is -"):
            heddle.kernel.loads(COUNTS, "twice", "cpu", **workers)


@pytest.mark.parametrize(("value", "text"), [("gcc '-O2'", "it is split into plain words"),
                                             ("no-such-gcc -O2", "which is not a program")])
def test_compilers_that_are_not_understood(value, text, monkeypatch):
    monkeypatch.setenv("CC", value)
    with pytest.raises(heddle.Refused, match=text) as refused:
        heddle.kernel.loads(COUNTS, "twice", "cpu")
    assert refused.value.code == "kernel.no_compiler"


def test_a_compiler_with_options(monkeypatch):
    monkeypatch.setenv("CC", "cc  -O1 -DHEDDLE_TEST ")
    x = np.arange(3, dtype=np.int32)
    heddle.kernel.loads(COUNTS, "twice", "cpu")(x)
    assert x.tolist() == [0, 2, 4]


def test_tuning_writes_down_a_kernel_that_computes_the_same():
    text = "kernel f(A: f32[M,32], B: f32[32,N], C: f32[M,N]) launch cta 1, threads 32 { gemm(C, A, B) }"
    tuning = heddle.kernel.tune(text, seconds=0.5, M=24, N=48)
    assert "using tiles(" in tuning.text
    first = {"statement": "", "change": "original", "seconds": tuning.before, "reason": ""}
    assert tuning.trials[0] == first
    assert tuning.after <= tuning.before
    assert "GFLOP/s" in str(tuning)
    a, b = np.ones((24, 32), np.float32), np.ones((32, 48), np.float32)
    c = np.zeros((24, 48), np.float32)
    heddle.kernel.loads(tuning.text, target="cpu")(a, b, c)
    assert (c == 32).all()


def test_tuning_is_refused_for_targets_that_are_not_measured_here():
    text = "kernel f(X: f32[N]) launch cta N, threads 1 { X[bx] = 2 }"
    with pytest.raises(heddle.Refused, match="kernels for cuda cannot be measured"):
        heddle.kernel.tune(text, target="cuda", N=4)
    with pytest.raises(heddle.Refused, match="unknown machine 'z80'"):
        heddle.kernel.tune(text, target="cpu:z80", N=4)


def test_a_compiler_without_openmp(tmp_path, monkeypatch):
    compiler = tmp_path / "plain-cc"
    compiler.write_text('#!/bin/sh\nfor word; do [ "$word" = -fopenmp ] && exit 1; done\nexec cc "$@"\n')
    compiler.chmod(0o755)
    monkeypatch.setenv("CC", str(compiler))
    x = np.arange(3, dtype=np.int32)
    heddle.kernel.loads(COUNTS, "twice", "cpu", threads=1)(x)
    with pytest.raises(heddle.Refused, match="without OpenMP"):
        heddle.kernel.loads(COUNTS, "twice", "cpu", threads=2)(x)
    assert x.tolist() == [0, 2, 4]
    source, binary = tmp_path / "counts.heddle", tmp_path / "libcounts.so"
    source.write_text(COUNTS)
    command = ["kernel", "compile", str(source), "--target", "cpu", "-o", str(binary)]
    made = subprocess.run([sys.executable, "-m", "heddle", *command], capture_output=True, text=True)
    assert made.returncode == 0 and "has no OpenMP here: the kernels use one thread" in made.stderr


def test_grids_whose_sums_pass_32_bits_on_a_cpu():
    text = """
    kernel doubled(X: i32[N]) launch cta (N + 2147483646) // 2147483647, threads 32 { X = 2*X }
    """
    x = np.arange(5, dtype=np.int32)
    heddle.kernel.loads(text, target="cpu")(x)
    assert x.tolist() == [0, 2, 4, 6, 8]


@pytest.mark.parametrize("dtype, name", [("u8", "u1"), ("f16", "f2"), ("f32", "f4"), ("f64", "f8")])
def test_copies_that_transpose_move_every_element_to_its_place(dtype, name):
    turn = load(f"""
kernel turn(A: {dtype}[M,N], B: {dtype}[N,M])
  launch cta ((M + 95) // 96, (N + 79) // 80), threads 128
{{
  copy(B[80*by : +80, 96*bx : +96], A.permute(1,0)[80*by : +80, 96*bx : +96])
}}
""", "cpu")
    random = np.random.default_rng(3)
    for m, n in ((1, 1), (16, 16), (64, 64), (97, 81), (33, 250), *random.integers(1, 300, (6, 2))):
        a = random.integers(0, 200, (m, n)).astype(name)
        b = np.full((n + 1, m), 201, name)
        turn(a, b[:n])
        assert (b[:n] == a.T).all(), (m, n)
        assert (b[n:] == 201).all(), (m, n)
