"""Relayouts of arrays, against NumPy's own indexing with the tables of the layouts."""

import array
import ctypes
import mmap
import os
import random
import signal
import threading
import time

import numpy as np
import pytest

import heddle

TYPES = ["u1", "<i2", ">f4", "f8", "c16", "M8[s]", "S3", "V10", [("a", "u1"), ("b", "<f4")], "?"]


def permuted_strides(rng, shape, pad=0):
    """Strides of a compact layout in a random order of modes, sometimes with gaps."""
    strides, step = [0] * len(shape), 1
    for mode in rng.sample(range(len(shape)), len(shape)):
        strides[mode] = step
        step *= shape[mode] + (pad if rng.random() < 0.3 else 0)
    return strides


def written(numbers):
    return "(" + ",".join(map(str, numbers)) + ")"


def of_cute(rng, shape):
    return f"{written(shape)}:{written(permuted_strides(rng, shape, 1))}"


def of_swizzles(rng, shape):
    bits = rng.randrange(1, 3)
    return f"Sw<{bits},{rng.randrange(3)},{bits + rng.randrange(2)}> o 0 o {of_cute(rng, shape)}"


def of_axe(rng, shape):
    steps = ",".join(f"{step}@m" for step in permuted_strides(rng, shape))
    return f"S[{written(shape)}:({steps})]"


def of_lego(rng, shape):
    order = list(range(1, len(shape) + 1))
    rng.shuffle(order)
    return f"GroupBy([{written(shape)[1:-1]}]).OrderBy(RegP([{written(shape)[1:-1]}],{order}))"


def of_tables(rng, shape):
    values = list(range(int(np.prod(shape))))
    rng.shuffle(values)
    return str(np.array(values).reshape(shape).tolist()).replace(" ", "")


def of_relations(rng, shape):
    names = [f"c{i}" for i in range(len(shape))]
    steps = permuted_strides(rng, shape)
    place = " + ".join(f"{step}{name}" for step, name in zip(steps, names, strict=True))
    box = " and ".join(f"0 <= {name} < {extent}" for name, extent in zip(names, shape, strict=True))
    return f"{{ [{','.join(names)}] -> [{place}] : {box} }}"


SYSTEMS = [of_cute, of_swizzles, of_axe, of_lego, of_tables, of_relations]


def random_array(rng, count, kind):
    kind = np.dtype(kind)
    raw = np.frombuffer(rng.randbytes(count * kind.itemsize), np.uint8)
    return (raw % 2 if kind.kind == "b" else raw).copy().view(kind)


def same_bytes(a, b):
    return a.tobytes() == b.tobytes()


def places(layout, shape):
    return heddle.layout(layout).table().reshape(shape).ravel()


@pytest.mark.parametrize("seed", range(300))
def test_any_system_to_any_other_as_indexing_does(seed):
    rng = random.Random(seed)
    shape = [rng.choice([2, 4, 8]) if rng.random() < 0.7 else rng.randrange(1, 7)
             for _ in range(rng.randrange(1, 4))]
    from_, to = (rng.choice(SYSTEMS)(rng, shape) for _ in range(2))
    reads, writes = places(from_, shape), places(to, shape)
    source = random_array(rng, reads.max() + 1 + rng.randrange(3), rng.choice(TYPES))
    wanted = np.zeros(writes.max() + 1, source.dtype)
    wanted[writes] = source[reads]
    got = heddle.relayout(source, from_, to, threads=rng.randrange(1, 4))
    assert got.dtype == source.dtype and same_bytes(got, wanted), (from_, to)
    # What no element is written to stays, and so does what lies behind.
    out = random_array(rng, writes.max() + 3, source.dtype)
    wanted = out.copy()
    wanted[writes] = source[reads]
    assert heddle.relayout(source, from_, to, out) is out and same_bytes(out, wanted), (from_, to)
    if sorted(reads) == sorted(writes) and len(source) >= len(writes):
        wanted = source.copy()
        wanted[writes] = source[reads]
        try:
            assert heddle.relayout(source, from_, to, in_place=True) is source
        except heddle.Refused as refused:  # longer pieces than elements, which lie between each other
            assert refused.code == "move.in_place"
        else:
            assert same_bytes(source, wanted), (from_, to)


@pytest.mark.parametrize("seed", range(100))
def test_strides_of_arrays_are_their_layouts(seed):
    rng = random.Random(seed)
    shape = [rng.randrange(1, 7) for _ in range(rng.randrange(1, 5))]

    def view(kind):
        """Some elements of an array, with its axes in any order."""
        steps = [rng.randrange(1, 3) for _ in shape]
        order = rng.sample(range(len(shape)), len(shape))
        whole = random_array(rng, int(np.prod([n * s for n, s in zip(shape, steps, strict=True)])), kind)
        whole = whole.reshape([shape[axis] * steps[axis] for axis in order]).transpose(np.argsort(order))
        return whole[tuple(slice(None, None, step) for step in steps)]

    kind = rng.choice(TYPES[:7])
    source, out = view(kind), view(kind)
    assert heddle.relayout(source, out=out) is out
    assert same_bytes(out, source)
    to = of_cute(rng, shape)
    wanted = np.zeros(places(to, shape).max() + 1, source.dtype)
    wanted[places(to, shape)] = source.ravel()
    assert same_bytes(heddle.relayout(source, to=to), wanted)


def test_a_plan_runs_often_and_says_what_it_does():
    plan = heddle.make_plan("(64,96):(96,1)", "(64,96):(1,64)", 32)
    assert (plan.elements, plan.element_bits, plan.source_bytes, plan.destination_bytes) == \
        (6144, 32, 24576, 24576)
    assert str(plan) == str(heddle.relayout_plan("(64,96):(96,1)", "(64,96):(1,64)", 32))
    for seed in range(3):
        source = np.random.default_rng(seed).random((64, 96), dtype=np.float32)
        out = np.zeros((96, 64), np.float32)
        plan.run(source, out, threads=2)
        assert np.array_equal(out, source.T)
    plan.run_in_place(source)
    assert np.array_equal(source.reshape(96, 64), out)
    assert heddle.make_plan("(2,3):(3,1)", "6:1", 8).matched.startswith("by flat index")


def test_threads_run_one_plan_at_once():
    plan = heddle.make_plan("(1024,1024):(1024,1)", "(1024,1024):(1,1024)", 16)
    sources = [np.random.default_rng(i).integers(0, 2**16, (1024, 1024), np.uint16) for i in range(4)]
    outs = [np.zeros_like(source) for source in sources]
    threads = [threading.Thread(target=plan.run, args=pair) for pair in zip(sources, outs, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(out, source.T) for out, source in zip(outs, sources, strict=True))


class Tensor:
    """What has __dlpack__ and nothing else."""

    def __init__(self, held):
        self.held = held

    def __dlpack__(self, **options):
        return self.held.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.held.__dlpack_device__()


def test_buffers_and_tensors_are_moved_where_they_are(tmp_path):
    swap = heddle.make_plan("(2,3):(3,1)", "(2,3):(1,2)", 8)
    text = bytearray(b"......")
    swap.run(b"abcdef", text)
    assert text == b"adbecf"
    numbers = array.array("B", b"abcdef")
    swap.run_in_place(numbers)
    assert numbers.tobytes() == b"adbecf"
    words = (ctypes.c_uint8 * 6)()
    swap.run(memoryview(b"abcdef"), words)
    assert bytes(words) == b"adbecf"
    path = tmp_path / "a.bin"
    path.write_bytes(b"abcdef")
    with path.open("r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
        swap.run_in_place(mapped)
    assert path.read_bytes() == b"adbecf"
    held = np.arange(6, dtype=np.uint8)
    swap.run(Tensor(np.arange(6, dtype=np.uint8)), Tensor(held))
    assert held.tolist() == [0, 3, 1, 4, 2, 5]
    assert heddle.relayout(Tensor(held.reshape(3, 2).T), to="(2,3):(3,1)").tolist() == list(range(6))
    assert heddle.relayout(array.array("h", range(6)), "(2,3):(3,1)", "(2,3):(1,2)").dtype == np.int16
    # Other widths than the type's: nibbles, and pairs.
    assert heddle.relayout(b"\x10\x32", "4:1", "(2,2):(2,1)", bits=4).tolist() == [0x20, 0x31]
    assert heddle.relayout(b"abcdef", "3:1", "3:2", bits=16).tobytes() == b"ab\0\0cd\0\0ef"


def test_recipes_repack_as_numpy_does():
    images = np.random.default_rng(1).random((2, 32, 3, 5), dtype=np.float32)
    moved = heddle.relayout(images, recipe="nchw_to_nhwc")
    assert moved.dtype == np.float32 and np.array_equal(moved, images.transpose(0, 2, 3, 1))
    few = np.ascontiguousarray(images[:, :20])
    filled = heddle.relayout(few, recipe="nchw_to_nChw16c")
    assert filled.shape == (2, 2, 3, 5, 16)
    assert np.array_equal(filled.transpose(0, 1, 4, 2, 3).reshape(2, 32, 3, 5)[:, :20], few)
    assert not filled[:, 1, :, :, 4:].any()
    blocks = images.reshape(2, 2, 16, 3, 5).transpose(0, 1, 3, 4, 2)
    assert same_bytes(heddle.relayout(images, recipe="nchw_to_nChw16c", threads=2), blocks)
    assert same_bytes(heddle.relayout(Tensor(images), recipe="nchw_to_nChw16c"), blocks)
    # What is flat has its sizes said, and out may be of any shape.
    out = np.zeros((2, 3, 5, 32), np.float32)
    sizes = {"N": 2, "C": 32, "H": 3, "W": 5}
    assert heddle.relayout(images.ravel(), out=out, recipe="nchw_to_nhwc", sizes=sizes) is out
    assert np.array_equal(out, images.transpose(0, 2, 3, 1))
    assert heddle.relayout(images, recipe="nchw_to_nhwc", in_place=True) is images
    assert same_bytes(images, out)
    # Nibbles in bytes, and other elements than the recipe's.
    packed = np.random.default_rng(2).integers(0, 256, (3, 4), np.uint8)
    nibbles = np.stack([packed & 15, packed >> 4], -1).reshape(3, 8)[:, [0, 2, 4, 6, 1, 3, 5, 7]]
    wanted = nibbles[:, ::2] | nibbles[:, 1::2] << 4
    assert same_bytes(heddle.relayout(packed, recipe="awq_int4"), wanted)
    pairs = np.arange(12, dtype=np.float32).reshape(4, 3)
    assert same_bytes(heddle.relayout(pairs, recipe="vnni2", bits=32), pairs.reshape(2, 2, 3).swapaxes(1, 2))


def test_recipes_are_listed():
    recipes = {recipe.name: recipe for recipe in heddle.recipes()}
    assert recipes["nchw_to_nhwc"].sizes == ("N", "C", "H", "W")
    assert recipes["vnni2"] == ("vnni2", ("K", "N"), recipes["vnni2"].summary, "(K,N):(N,1)",
                                "((2,K//2),N):((1,2*N),2)", 16, recipes["vnni2"].source, "(K//2,N,2)")
    for recipe in recipes.values():  # every size that the layouts have is listed
        elements = 128 ** len(recipe.sizes)
        if elements <= 2**21:
            given = bytes(elements * (recipe.element_bits or 8) // 8)
            heddle.relayout(given, recipe=recipe.name, sizes=dict.fromkeys(recipe.sizes, 128))


@pytest.mark.parametrize("code, call", [
    ("call.keyword", lambda a: heddle.relayout(a, to="24:1", recipe="vnni2")),
    ("call.keyword", lambda a: heddle.relayout(a, to="24:1", sizes={"K": 4})),
    ("repacking.unknown", lambda a: heddle.relayout(a, recipe="vnni3")),
    ("repacking.sizes", lambda a: heddle.relayout(a, recipe="vnni2", sizes={"K": 2})),
    ("repacking.sizes", lambda a: heddle.relayout(a.ravel(), recipe="vnni2", sizes={"K": 2, "N": 6})),
    ("repacking.sizes", lambda a: heddle.relayout(a.ravel(), recipe="vnni2")),
    ("repacking.sizes", lambda a: heddle.relayout(a, recipe="marlin_int4")),
    ("move.in_place", lambda a: heddle.relayout(a[:3], recipe="vnni2", in_place=True)),
    ("repacking.sizes", lambda a: heddle.relayout(a.T, recipe="vnni2")),
    ("repacking.sizes", lambda a: heddle.relayout(a.view(np.float16), recipe="vnni4")),
    ("move.bits", lambda a: heddle.relayout(a, recipe="vnni2", bits=0)),
    ("call.arity", lambda a: heddle.relayout(a)),
    ("call.keyword", lambda a: heddle.relayout(a, to="24:1", bits=4)),
    ("call.keyword", lambda a: heddle.relayout(a, to="24:1", out=a.copy(), in_place=True)),
    ("call.type", lambda a: heddle.relayout(a, to="24:1", out=np.zeros(24, np.int8))),
    ("call.type", lambda a: heddle.relayout(np.array([None]), "1:1", "1:1")),
    ("call.type", lambda a: heddle.relayout(np.zeros(1, [("a", "i4"), ("b", "O")]), "1:1", "1:1")),
    ("call.type", lambda a: heddle.relayout(7, "1:1", "1:1")),
    ("move.buffer", lambda a: heddle.relayout(a, to="24:1", out=bytes(48))),
    ("move.buffer", lambda a: heddle.relayout(a[:, ::2], "12:1", "12:1")),
    ("move.buffer", lambda a: heddle.relayout(a, "25:1", "25:1")),
    ("move.buffer", lambda a: heddle.relayout(a, "24:1", "24:1", out=a)),
    ("move.buffer", lambda a: heddle.relayout(a, "24:1", "24:1", out=np.zeros(23, np.int16))),
    ("move.buffer", lambda a: heddle.relayout(np.broadcast_to(a[0, 0], 24), "24:1", "24:1")),
    ("move.in_place", lambda a: heddle.relayout(a, "8:2", "8:3", in_place=True)),
    ("call.type", lambda a: heddle.relayout(a, "24:1", "24:1", out=np.zeros(24, f"f{a.itemsize}"))),
    ("call.type", lambda a: heddle.relayout(a, "24:1", "24:1", out=a.astype(a.dtype.newbyteorder()))),
    ("move.negative", lambda a: heddle.relayout(a, "24:-1", to="24:1")),
    ("move.overlap", lambda a: heddle.relayout(a, to="(4,6):(1,2)")),
    ("move.sizes", lambda a: heddle.relayout(a, to="23:1")),
    ("convert.reading", lambda a: heddle.relayout(a, to="24:1", as_="x")),
    ("tensor.shape", lambda a: heddle.relayout(a[:0], to="24:1")),
])
def test_what_is_refused(code, call):
    given = np.arange(24, dtype=np.int16).reshape(4, 6)
    with pytest.raises(heddle.Refused) as raised:
        call(given)
    assert raised.value.code == code
    assert np.array_equal(given.ravel(), np.arange(24))


def test_what_may_only_be_read_is_read():
    given = np.arange(6, dtype=np.int16)
    given.flags.writeable = False
    assert heddle.relayout(given, "(2,3):(3,1)", "(2,3):(1,2)").tolist() == [0, 3, 1, 4, 2, 5]
    for array_ in (given, Tensor(given)):
        with pytest.raises(heddle.Refused) as raised:
            heddle.relayout(array_, "(2,3):(3,1)", "(2,3):(1,2)", in_place=True)
        assert raised.value.code == "move.buffer"


def test_ctrl_c_ends_a_move_soon():
    # Elements of 3 bits are moved one at a time, which takes seconds.
    plan = heddle.make_plan("(16384,16384):(16384,1)", "(16384,16384):(1,16384)", 3)
    source, out = np.zeros(1 << 27, np.uint8), np.zeros(1 << 27, np.uint8)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    begin = time.monotonic()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        plan.run(source, out)
    assert time.monotonic() - begin < 300


def test_views_that_run_back_are_moved():
    for view in (np.arange(5)[::-1], np.arange(12).reshape(3, 4)[::-1, ::2].T,
                 np.arange(24).reshape(2, 3, 4)[:, ::-1, ::-1], np.arange(6)[::-3], np.arange(1)[::-1]):
        box = ",".join(map(str, view.shape))
        moved = heddle.relayout(view, to=f"({box}):{heddle.cute.compact_row_major(view.shape)}")
        assert np.array_equal(moved, view.reshape(-1))
        out = np.zeros(2 * view.size, view.dtype)
        back = out[::-2].reshape(view.shape)
        heddle.relayout(view, out=back)
        assert np.array_equal(back, view) and not out[::2].any()
    with pytest.raises(heddle.Refused, match="the source has negative strides"):
        heddle.relayout(np.arange(5)[::-1], "5:1", "5:1")
    with pytest.raises(heddle.Refused, match="the destination has negative strides"):
        heddle.relayout(np.arange(5), to="5:1", out=np.arange(5)[::-1])


@pytest.mark.parametrize("bits", [0, -1, np.int64(0)])
def test_elements_have_bits(bits):
    array = np.arange(8, dtype=np.uint8)
    for given in {"from_": "8:1", "to": "8:1"}, {"recipe": "vnni4", "sizes": {"K": 4, "N": 2}}:
        with pytest.raises(heddle.Refused) as refused:
            heddle.relayout(array, bits=bits, **given)
        assert refused.value.code == "move.bits"


def test_what_is_no_layout_or_number_is_refused():
    array = np.arange(8, dtype=np.uint8)
    for call in (lambda: heddle.make_plan(None, "8:1", 8), lambda: heddle.make_plan("8:1", None, 8),
                 lambda: heddle.make_plan("8:1", "8:1", None), lambda: heddle.make_plan("8:1", "8:1", 8.5),
                 lambda: heddle.make_plan("8:1", "8:1", 8, as_=3),
                 lambda: heddle.relayout(None, "8:1", "8:1"),
                 lambda: heddle.relayout(array, "8:1", "8:1", bits="x"),
                 lambda: heddle.make_plan("8:1", "8:1", 8).run(None, array),
                 lambda: heddle.make_plan("8:1", "8:1", 8).run_in_place(None),
                 lambda: heddle.relayout(array, 0.5, "8:1"), lambda: heddle.relayout(array, to=object()),
                 lambda: heddle.relayout(array, "8:1", "8:1", threads="x"),
                 lambda: heddle.relayout(array, recipe=3),
                 lambda: heddle.relayout(array, recipe="vnni2", sizes=3),
                 lambda: heddle.relayout(array, recipe="vnni2", sizes={"K": None}),
                 lambda: heddle.relayout(array, recipe="vnni2", bits="x")):
        with pytest.raises(heddle.Misused) as refused:
            call()
        assert refused.value.code == "call.type"
