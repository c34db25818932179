"""heddle.linear_layout beside triton.tools, and what it refuses where Triton aborts."""

import copy
import inspect
import json
import pathlib
import pickle
import random
import subprocess
import sys

import pytest

import heddle
from heddle.linear_layout import LinearLayout, differences

FACTS = pathlib.Path(__file__).resolve().parents[2] / "tests" / "facts" / "linear_algebra.jsonl"


def triton_class():
    return pytest.importorskip("triton.tools").LinearLayout


def tile():
    return LinearLayout.from_bases(
        [("lane", [[1, 0], [2, 0]]), ("warp", [[1, 1]])], ["dim0", "dim1"], [4, 2])


# ---- Recorded answers ----


def read(data, kind=LinearLayout):
    names = [name for name, _ in data["outs"]]
    sizes = [size for _, size in data["outs"]]
    bases = [(name, vectors) for name, vectors in data["ins"]]
    return kind.from_bases(bases, names, sizes, False)


def written(layout):
    return {"ins": [[name, vectors] for name, vectors in layout.bases],
            "outs": [list(out) for out in layout.out_dims]}


RECORDED = {
    "getInDimNames": lambda a: a.get_in_dim_names(),
    "getOutDimNames": lambda a: a.get_out_dim_names(),
    "isSurjective": lambda a: a.is_surjective(),
    "isInjective": lambda a: a.is_injective(),
    "isInvertible": lambda a: a.is_invertible(),
    "matrixView": lambda a: a.get_matrix_view(),
    "multiply": lambda a, b: written(a * b),
    "compose": lambda a, b: written(a.compose(b)),
    "invertAndCompose": lambda a, b: written(a.invert_and_compose(b)),
    "invert": lambda a: written(a.invert()),
    "pseudoinvert": lambda a: written(a.pseudoinvert()),
}


def test_recorded_answers_of_triton():
    seen = 0
    for line in FACTS.read_text().splitlines():
        fact = json.loads(line)
        if fact["op"] not in RECORDED:
            continue
        operands = [read(fact["in"][name]) for name in ("a", "b") if name in fact["in"]]
        if fact["expect"].get("error"):
            with pytest.raises(heddle.Refused):
                RECORDED[fact["op"]](*operands)
        else:
            answer = RECORDED[fact["op"]](*operands)
            assert answer == fact["expect"].get("layout", fact["expect"].get("value")), fact["id"]
        seen += 1
    assert seen > 60


# ---- Beside Triton ----


def random_bases(random_, ins, outs, is_permutation):
    """Bases of a layout, and the sizes of its outputs."""
    bits = [random_.randint(0, 3) for _ in outs]
    units = [[1 << bit if out == which else 0 for out in range(len(outs))]
             for which in range(len(outs)) for bit in range(bits[which])]
    random_.shuffle(units)
    if not is_permutation:
        mixed = []
        for index, unit in enumerate(units):
            chosen = [other for other in units[:index] if random_.random() < 0.3]
            for other in chosen:
                unit = [a ^ b for a, b in zip(unit, other, strict=True)]
            mixed.append(unit)
        units = mixed + [random_.choice([[0] * len(outs), *units]) for _ in range(random_.randint(0, 2))]
        random_.shuffle(units)
    vectors = {name: [] for name in ins}
    for unit in units:
        vectors[random_.choice(ins)].append(unit)
    return list(vectors.items()), [1 << bit for bit in bits]


def made(kind, description):
    bases, names, sizes = description
    return kind.from_bases(bases, names, sizes, False)


def described(random_, ins, outs, is_permutation=False):
    bases, sizes = random_bases(random_, ins, outs, is_permutation)
    return bases, outs, sizes


CALLS = {
    "str": lambda a, b: str(a), "repr": lambda a, b: repr(a), "bases": lambda a, b: a.bases,
    "out_dims": lambda a, b: a.out_dims, "num_in_dims": lambda a, b: a.num_in_dims,
    "num_out_dims": lambda a, b: a.num_out_dims, "ins": lambda a, b: a.get_in_dim_names(),
    "outs": lambda a, b: a.get_out_dim_names(), "surjective": lambda a, b: a.is_surjective(),
    "injective": lambda a, b: a.is_injective(), "invertible": lambda a, b: a.is_invertible(),
    "matrix": lambda a, b: a.get_matrix_view(), "==": lambda a, b: (a == b, a != b, a == a),
    "*": lambda a, b: str(a * b), "compose": lambda a, b: str(a.compose(b)),
    "invert_and_compose": lambda a, b: str(a.invert_and_compose(b)),
    "invert": lambda a, b: str(a.invert()), "pseudoinvert": lambda a, b: str(a.pseudoinvert()),
    "shared": lambda a, b: (a.get_shared_view(False), a.get_shared_view(True)),
    "distributed": lambda a, b: (a.get_distributed_view(False), a.get_distributed_view(True)),
}
INS = {"shared": ["offset", "block"], "distributed": ["register", "lane", "warp", "block"]}


def pair(random_, name):
    """Two layouts for which the call is likely to have an answer."""
    outs = ["dim0", "dim1", "dim2"][:random_.randint(1, 3)]
    ins = INS.get(name, ["register", "lane", "warp"][:random_.randint(1, 3)])
    is_permutation = name == "shared" or (name == "invert" and random_.random() < 0.8)
    a = described(random_, ins, outs, is_permutation)
    if name == "compose":
        sizes = dict(zip(outs, a[2], strict=True))
        units = [(out, [random_.choice([[1 << bit, 0], [1 << bit, 1], [0, 1]])
                        for bit in range(sizes[out].bit_length() - 1)]) for out in outs]
        return a, (units, ["x", "y"], [8, 2])
    if name == "invert_and_compose":
        bases, _, _ = a
        units = [list(vector) for _, vectors in bases for vector in vectors]
        return a, ([("offset", units)], outs, a[2])
    return a, described(random_, ["lane", "warp"], outs)


def answer(call, a, b):
    try:
        return call(a, b)
    except heddle.Refused as refused:
        return refused


@pytest.mark.parametrize("name", CALLS)
def test_calls_answer_as_triton_does(name):
    triton = triton_class()
    random_ = random.Random(name)
    answered = 0
    for _ in range(400):
        a, b = pair(random_, name)
        own = answer(CALLS[name], made(LinearLayout, a), made(LinearLayout, b))
        if isinstance(own, heddle.Refused):  # Triton would abort the process
            continue
        answered += 1
        assert own == CALLS[name](made(triton, a), made(triton, b)), (name, a, b)
    assert answered > 100


def test_apply_answers_as_triton_does():
    triton = triton_class()
    random_ = random.Random(20)
    for _ in range(2000):
        description = described(random_, ["register", "lane", "warp"], ["dim0", "dim1"])
        point = {name: random_.randrange(1 << len(vectors)) for name, vectors in description[0]}
        own = made(LinearLayout, description).apply(point)
        other = made(triton, description).apply(point)
        assert list(own.items()) == list(other.items())


def test_makers_answer_as_triton_does():
    triton = triton_class()
    for size in (0, 1, 2, 8, 1024):
        for kind in ("identity_1d", "zeros_1d"):
            own, other = (getattr(one, kind)(size, "a", "b") for one in (LinearLayout, triton))
            assert str(own) == str(other)
        for stride in (1, 4):
            assert str(LinearLayout.strided_1d(size, stride, "a", "b")) == str(
                triton.strided_1d(size, stride, "a", "b"))
    own, other = (one.zeros_1d(8, "a", "b", outDimSize=4) for one in (LinearLayout, triton))
    assert str(own) == str(other)
    assert str(LinearLayout()) == str(triton())


def test_the_names_are_those_of_triton():
    triton = triton_class()
    assert {name for name in dir(triton) if not name.startswith("__")} <= set(dir(LinearLayout))


def test_a_refusal_is_an_abort_of_triton():
    triton_class()
    calls = ["l.apply({'lane': 1})", "l.compose(l)", "L.identity_1d(3, 'a', 'b')",
             "L.from_bases([('a', [[1], [1]])], ['b'], [4], True)", "L.zeros_1d(4, 'a', 'b', 4).invert()"]
    made_ = "l = L.from_bases([('lane', [[1, 0], [2, 0]]), ('warp', [[1, 1]])], ['dim0', 'dim1'], [4, 2])\n"
    for call in calls:
        with pytest.raises(heddle.Refused):
            eval(call, {"L": LinearLayout, "l": tile()})  # noqa: S307
        script = f"from triton.tools import LinearLayout as L\n{made_}{call}"
        assert subprocess.run([sys.executable, "-c", script], capture_output=True).returncode != 0, call


# ---- What a class of Python promises ----


def test_signatures_are_named():
    assert list(inspect.signature(LinearLayout.from_bases).parameters) == [
        "bases", "out_dim_names", "out_dim_sizes", "require_surjective"]
    assert list(inspect.signature(LinearLayout.identity_1d).parameters) == ["size", "inDim", "outDim"]
    by_name = LinearLayout.from_bases(bases=[("a", [[1]])], out_dim_names=["b"], require_surjective=True)
    assert by_name == LinearLayout.identity_1d(size=2, inDim="a", outDim="b")


def test_equal_layouts_have_one_hash_and_survive_pickling():
    assert hash(tile()) == hash(tile())
    assert pickle.loads(pickle.dumps(tile())) == tile() == copy.deepcopy(tile())
    assert tile() != 3


def test_layouts_do_not_change():
    layout = kept = LinearLayout.identity_1d(4, "a", "b")
    layout *= LinearLayout.identity_1d(2, "a", "b")
    assert kept == LinearLayout.identity_1d(4, "a", "b")
    assert layout == LinearLayout.identity_1d(8, "a", "b")


def test_subclasses_are_layouts():
    class Mine(LinearLayout):
        def __init__(self, tag=None):
            self.tag = tag

    assert isinstance(Mine(), LinearLayout) and Mine(tag=3).tag == 3
    assert Mine() == LinearLayout()


def test_other_functions_take_the_layouts():
    assert heddle.linear.is_surjective(tile()) is True
    assert tile().compose(heddle.linear.LinearLayout(str(LinearLayout.identity_1d(4, "dim0", "x")
                                                         * LinearLayout.identity_1d(2, "dim1", "y"))))


@pytest.mark.parametrize("call, kind", [
    (lambda: LinearLayout(3), TypeError),
    (lambda: LinearLayout.from_bases({"a": [[1]]}, ["b"]), TypeError),
    (lambda: LinearLayout.from_bases([("a", [[1]])], ["b"], [2, 2]), ValueError),
    (lambda: LinearLayout.from_bases([("a", [[1]])], ["b"], None, False), ValueError),
    (lambda: LinearLayout.from_bases([("a", [["1"]])], ["b"]), TypeError),
    (lambda: LinearLayout.identity_1d("a", 2, "b"), TypeError),
    (lambda: LinearLayout.identity_1d(2, "a"), TypeError),
    (lambda: tile().compose(3), TypeError),
    (lambda: tile() * 3, TypeError),
    (lambda: tile().apply([("lane", 1)]), TypeError),
    (lambda: tile().apply({"lane": 1.5, "warp": 0}), TypeError),
    (lambda: tile().apply({"lane": 1, "warp": 0, "more": 0}), heddle.Refused),
    (lambda: tile().apply({"lane": 100, "warp": 0}), heddle.Refused),
    (lambda: tile().apply({"lane": -1, "warp": 0}), heddle.Refused),
    (lambda: tile().apply({"lane": 1 << 70, "warp": 0}), heddle.Refused),
    (lambda: tile().get_shared_view(True), heddle.Refused),
    (lambda: LinearLayout.identity_1d(1 << 40, "offset", "x").get_shared_view(True), heddle.Refused),
])
def test_wrong_calls_raise(call, kind):
    with pytest.raises(kind):
        call()


def outcome(module_class, difference):
    scope = {"LinearLayout": module_class}
    try:
        return str(eval(f"{difference.name}({difference.arguments})", scope))  # noqa: S307
    except Exception as error:
        return getattr(error, "code", type(error).__name__)


@pytest.mark.parametrize("difference", differences(), ids=lambda one: f"{one.name}({one.arguments})")
def test_listed_differences_are_there(difference):
    assert outcome(LinearLayout, difference) == difference.ours


@pytest.mark.parametrize("difference", differences(), ids=lambda one: f"{one.name}({one.arguments})")
def test_triton_answers_as_listed(difference):
    triton = triton_class()
    if difference.theirs == "abort":
        script = f"from triton.tools import LinearLayout\n{difference.name}({difference.arguments})"
        assert subprocess.run([sys.executable, "-c", script], capture_output=True).returncode != 0
    else:
        assert outcome(triton, difference) == difference.theirs
