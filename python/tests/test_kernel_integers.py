"""Integers of kernels are exact on every target: what memory holds, sizes and their products, pads, the
ends that reductions begin at, and indices that are not there."""

import numpy as np
import pytest

import heddle

TARGETS = pytest.mark.parametrize("target", ["meaning", "cpu", "opencl"])
COMPILED = pytest.mark.parametrize("target", ["cpu", "opencl"])


def run(target, text, *arrays):
    try:
        heddle.kernel.loads(f"kernel f{text}", target=target)(*arrays)
    except heddle.Refused as refused:
        if refused.code == "kernel.no_device":
            pytest.skip(str(refused))
        raise
    return arrays[-1].tolist()


@TARGETS
def test_products_of_sizes_pass_32_bits(target):
    body = """(X: f32[M,N], Y: f32[4]) launch cta 1, threads 4 {
      Y[0] = f32(M*N*N)
      if M*M*N*N > 5 { Y[1] = 1 } else { Y[1] = 2 }
      for k in M*N*N // 1000000000 { Y[2] = k }
      Y[3] = M*N*N // 1000000
    }"""
    y = run(target, body, np.zeros((2000, 3000), np.float32), np.zeros(4, np.float32))
    assert y == [float(np.float32(18e9)), 1, 17, 18000]


@TARGETS
@pytest.mark.parametrize("type_, number", [
    ("i64", 2**33), ("i64", -2**40), ("u32", 2**32 - 1), ("u64", 2**40 + 3), ("i32", 2**31 - 1),
    ("i32", 100000), ("u8", 255)])
def test_numbers_in_memory_are_integers_of_64_bits(target, type_, number):
    body = f"""(X: {type_}[2], Y: i64[4]) launch cta 1, threads 4 {{
      let n = X[1]
      Y[0] = n
      Y[1] = n + 1
      Y[2] = n * 50000
      if n * 65536 > 5 {{ Y[3] = 1 }} else {{ Y[3] = 2 }}
    }}"""
    x = np.array([0, number], type_.replace("i", "int").replace("u", "uint").replace("uuint", "uint"))
    wanted = [number, number + 1, number * 50000, 1 if number > 0 else 2]
    assert run(target, body, x, np.zeros(4, np.int64)) == wanted


@COMPILED
@pytest.mark.parametrize("type_", [np.uint32, np.uint64, np.int64])
@pytest.mark.parametrize("index", [2**32 - 1, 2**31 + 1, 2**32 + 1])
def test_indices_of_64_bits_are_not_cut(target, type_, index):
    if type_ == np.uint32 and index > 2**32 - 1:
        pytest.skip("past the type")
    name = np.dtype(type_).name.replace("uint", "u").replace("int", "i")
    indices = np.array([index, 2], type_)
    x = np.array([10, 11, 12, 13], np.float32)
    head = f"(X: f32[V], I: {name}[N], Y: f32[N]) launch cta "
    assert run(target, head + "1, threads 4 { gather(Y, X, I, axis=0) }", x, indices,
               np.zeros(2, np.float32)) == [0, 12]
    assert run(target, head + "N, threads 4 { let i = I[bx]\n Y[bx] = X[i] }", x, indices,
               np.zeros(2, np.float32)) == [0, 12]
    around = np.arange(12, dtype=np.float32)
    body = f"(X: f32[N], I: {name}[N], Y: f32[V]) launch cta N, threads 4 {{ let i = I[bx]\n" \
           " Y[i] = X[bx] }"
    run(target, body, x[:2], indices, around[4:8])
    assert around.tolist() == [0, 1, 2, 3, 4, 5, 11, 7, 8, 9, 10, 11]


@COMPILED
def test_guards_of_computed_indices_do_not_wrap(target):
    around = np.arange(12, dtype=np.float32)
    body = "(I: i32[N], Y: f32[V]) launch cta N, threads 4 { let i = I[bx]\n Y[i*1000000000] = 7 }"
    run(target, body, np.array([2**30, 0], np.int32), around[4:8])
    assert around.tolist() == [0, 1, 2, 3, 7, 5, 6, 7, 8, 9, 10, 11]
    body = "(X: f32[V], I: i32[N], Y: f32[N]) launch cta N, threads 4 { let i = I[bx]\n" \
           " Y[bx] = X[(i*i) % 7] }"
    assert run(target, body, np.arange(7, dtype=np.float32), np.array([100003, -5], np.int32),
               np.zeros(2, np.float32)) == [100003**2 % 7, 25 % 7]


@TARGETS
@pytest.mark.parametrize("rows", [1, 5, 7])
def test_a_scatter_leaves_out_what_has_no_index(target, rows):
    body = """(X: f32[N,D], I: i32[N], Y: f32[V,D]) launch cta (N+3)//4, threads 32 {
      scatter(Y, X[4*bx : +4], I[4*bx : +4], axis=0) }"""
    x = np.arange(3 * rows, dtype=np.float32).reshape(rows, 3) + 1
    index = np.random.default_rng(rows).permutation(9)[:rows].astype(np.int32)
    wanted = -np.ones((9, 3), np.float32)
    wanted[index] = x
    assert run(target, body, x, index, -np.ones((9, 3), np.float32)) == wanted.tolist()


@TARGETS
def test_a_gather_reads_an_index_that_is_not_there_as_0(target):
    body = "(X: f32[V], I: i32[N], Y: f32[M]) launch cta 1, threads 32 {" \
           " gather(Y, X, I[0 : +M], axis=0) }"
    y = run(target, body, np.array([9, 8, 7], np.float32), np.array([2, 1], np.int32),
            np.zeros(4, np.float32))
    assert y == [7, 8, 9, 9]


@TARGETS
def test_pads_of_integers_keep_their_low_bits(target):
    for type_, name, pad, wanted in [(np.uint8, "u8", -1, 255), (np.uint8, "u8", 300, 44),
                                     (np.int8, "i8", 200, -56), (np.int64, "i64", -2**53, -2**53),
                                     (np.uint64, "u64", -1, 2**64 - 1), (bool, "bool", "true", True)]:
        body = f"(X: {name}[2], Y: {name}[3]) launch cta 1, threads 4 {{ copy(Y, X[0 : +3], pad={pad}) }}"
        assert run(target, body, np.zeros(2, type_), np.zeros(3, type_))[2] == wanted
    with pytest.raises(heddle.Refused, match="options are exact up to 2\\^53"):
        run(target, "(X: i64[2], Y: i64[3]) launch cta 1, threads 4 {"
                    " copy(Y, X[0:+3], pad=9007199254740993) }",
            np.zeros(2, np.int64), np.zeros(3, np.int64))


@TARGETS
def test_factors_of_integers_keep_their_low_bits(target):
    body = "(A: i32[2,2], C: i32[2,2]) launch cta 1, threads 4 { gemm(C, A, A, alpha=3000000000, beta=0) }"
    c = run(target, body, np.eye(2, dtype=np.int32), np.zeros((2, 2), np.int32))
    assert c[0][0] == 3000000000 - 2**32


@TARGETS
def test_a_truth_value_takes_the_type_of_what_it_meets(target):
    x, f = np.array([2**64 - 16, 5], np.uint64), np.zeros(2)
    assert run(target, "(X: u64[2], F: f64[2]) launch cta 1, threads 2 { F = X * (X > 5) }", x, f) == [
        float(2**64 - 16), 0]
    both = "(X: bool[2], Y: bool[2]) launch cta 1, threads 2 { Y = not (X if X else Y) }"
    assert run(target, both, np.array([True, False]), np.array([False, False])) == [False, True]


@TARGETS
def test_maxima_in_u64_begin_at_0(target):
    body = """(X: i32[4], Y: u64[1]) launch cta 1, threads 32 {
      reg r: u64[]
      reduce(r, X, op="max", axis=0)
      Y[0] = r
    }"""
    assert run(target, body, np.array([-3, -1, -2, -7], np.int32), np.zeros(1, np.uint64)) == [0]


@TARGETS
def test_floats_past_f32_are_infinities(target):
    body = "(Y: f32[2]) launch cta 1, threads 4 { Y = Y - 1e39 }"
    assert run(target, body, np.zeros(2, np.float32)) == [-np.inf, -np.inf]


@TARGETS
def test_sizes_follow_from_what_is_assumed(target):
    body = """(A: f32[M], P: f32[GM]) assume GM == (M+31)//32 launch cta GM, threads 32 {
      reduce(P[bx], A[32*bx : +32], op="sum", axis=0) }"""
    assert run(target, body, np.ones(40, np.float32), np.zeros(2, np.float32)) == [32, 8]


def test_arguments_may_be_given_by_name():
    copied = heddle.kernel.loads("kernel f(X: f32[N], a: f32, Y: f32[N]) launch cta 1, threads 4 { Y = a*X }")
    y = np.zeros(2, np.float32)
    copied(np.ones(2, np.float32), Y=y, a=3)
    assert y.tolist() == [3, 3]
    with pytest.raises(heddle.Refused, match="f is given X twice"):
        copied(y, 1, y, X=y)
    with pytest.raises(heddle.Refused, match="takes the arguments X, a, Y; 2 are given"):
        copied(a=1, X=y)


def test_numbers_of_numpy_are_built_with_all_their_digits():
    k = heddle.kernel.Builder("k")
    x, y = k.tensor("X", np.float64, (2,)), k.tensor("Y", "f64", (2,))
    k.launch(cta=1, threads=4)
    y[:] = x * np.float32(0.1) + np.float16(0.1)
    out = np.zeros(2)
    k.build()(np.array([1.0, 2.0]), out)
    assert out.tolist() == [float(np.float32(0.1)) + float(np.float16(0.1)),
                            2 * float(np.float32(0.1)) + float(np.float16(0.1))]
    for wrong in lambda: np.arange(2.0) * x, lambda: x + np.arange(2):
        with pytest.raises(heddle.Misused, match="an array is not an operand"):
            wrong()
