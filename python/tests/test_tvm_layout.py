"""The drop-in for tvm.tirx.layout: recorded answers always; beside TVM, where it is installed, calls of
random arguments through both."""

import json
import os
import pickle
import random
import re

import pytest
from conftest import ROOT

import heddle
from heddle import tvm_layout as ours
from heddle.tvm_layout import Axis, ComposeLayout, R, S, TileLayout, differences, laneid

CALLS = int(os.environ.get("HEDDLE_DROP_IN_CALLS", "4000"))
FACTS = [json.loads(line) for line in (ROOT / "tests/facts/axe.jsonl").open()]


def places(layout):
    """All places, by plain evaluation of the iters: without axes where nothing is."""
    tile = getattr(layout, "tile_layout", layout)
    found = []
    for flat in range(int(tile.size())):
        at = {getattr(axis, "name", axis): int(value) for axis, value in tile.offset.items()}
        for one in reversed(tile.shard):
            flat, step = divmod(flat, int(one.extent))
            at[one.axis.name] = at.get(one.axis.name, 0) + step * int(one.stride)
        found.append({axis: place for axis, place in at.items() if place})
    return found


def replicas(layout):
    at = [{}]
    for one in getattr(layout, "tile_layout", layout).replica:
        at = [
            {**old, one.axis.name: old.get(one.axis.name, 0) + step * int(one.stride)}
            for old in at
            for step in range(int(one.extent))
        ]
    return sorted(tuple(sorted((a, p) for a, p in one.items() if p)) for one in at)


def read(text):
    return ours._read(heddle.layout(text))


# ---- Recorded answers ----

UNARY = {"canonicalize": lambda layout: layout.canonicalize()}
WITH_SHAPES = {
    "tile": lambda a, b, shape: b.tile(a, *shape),
    "direct_sum": lambda a, b, shape: b.direct_sum(a, *shape),
    "tile_of": lambda a, b, shape: b.is_tile_inner(a, *shape),
    "tile_inner_of": lambda a, b, shape: b.is_tile_outer(a, *shape),
}
USED = [row for row in FACTS if row["op"] in UNARY or row["op"] in WITH_SHAPES and len(row["args"]) == 2]


@pytest.mark.parametrize("row", USED, ids=lambda row: row["id"])
def test_recorded_answers(row):
    layouts = [read(text) for text in row["args"]]
    if row["op"] in UNARY:
        answer = UNARY[row["op"]](*layouts)
    else:
        answer = WITH_SHAPES[row["op"]](*layouts, row["shape"])
    if row["expect"] is None:
        assert answer is None
    elif row.get("compare") == "exact":
        assert str(answer) == str(read(row["expect"]).canonicalize())
    else:
        assert heddle.equal(answer._value, row["expect"])


# ---- What needs no TVM ----


def test_layouts_are_written_and_printed_as_in_tvm():
    layout = TileLayout(
        S[(8, 4, 2) : (4 @ laneid, 1 @ laneid, 1)] + R[2 : 64 @ Axis.warpid] + 3 @ Axis.bx + 5
    )
    assert repr(layout) == (
        "T.TileLayout(T.S[(8, 4, 2):(4 @ Axis.laneid, 1 @ Axis.laneid, 1)] + "
        "T.R[2:64 @ Axis.warpid] + (3 @ Axis.bx + 5))"
    )
    assert layout.apply(1, 2, 1) == {"laneid": 6, "m": 6, "bx": 3}
    assert repr(layout.shard) == '(T.Iter(8, 4, "laneid"), T.Iter(4, 1, "laneid"), T.Iter(2, 1, "m"))'
    assert repr(laneid) == 'tirx.Axis(name="laneid")' and laneid is Axis.get("laneid") is Axis.laneid
    assert repr(laneid.get_scope()) == 'T.ExecScope("warp")' and laneid.is_thread() and Axis.m.is_memory()
    assert repr(ComposeLayout(3, 3, 3, TileLayout(S[512]), False)) == (
        "T.ComposeLayout(3, 3, 3, T.TileLayout(T.S[512:1]), swizzle_inner=False)"
    )
    assert layout.shard[0].extent.value == 8 and str(pickle.loads(pickle.dumps(layout))) == str(layout)


def test_symbolic_sizes_of_the_library():
    n = heddle.symbols("N")
    layout = TileLayout(S[(n, 4)])
    assert str(layout.size()) == "4*N" and str(layout.canonicalize()) == "T.TileLayout(T.S[4*N:1])"


def test_tvm_is_not_imported_to_import_the_names():
    import subprocess
    import sys

    code = (
        "import heddle.tvm_layout, sys; print([m for m in ('tvm', 'tvm_ffi', 'numpy') if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"


def test_the_example(run_doctest):
    count, said = run_doctest(ours.__doc__, "tvm_layout")
    assert count == 4 and said == ""


def answer_of(module, text):
    """What a text evaluates to in the names of a module: what is printed, or the exception."""
    scope = {
        name: getattr(module, name)
        for name in (
            *ours._AXIS_NAMES,
            "Axis",
            "ComposeLayout",
            "Iter",
            "R",
            "S",
            "TileLayout",
            "tcgen05_atom_layout",
            "tmem_datapath_layout",
            "tmem_mma_operand_layout",
            "wg_local_layout",
        )
    }
    try:
        return str(eval(text, scope))
    except heddle.Refused as error:
        return error.code
    except Exception as error:
        return type(error).__name__


@pytest.mark.parametrize("difference", differences(), ids=lambda one: one.arguments[:50])
def test_differences_are_what_is_answered(difference):
    assert answer_of(ours, f"{difference.name}({difference.arguments})") == difference.ours


# ---- Beside TVM ----


@pytest.fixture(scope="module")
def theirs():
    return pytest.importorskip("tvm.tirx.layout")


@pytest.mark.parametrize("difference", differences(), ids=lambda one: one.arguments[:50])
def test_differences_are_what_tvm_answers(theirs, difference):
    assert answer_of(theirs, f"{difference.name}({difference.arguments})") == difference.theirs


def test_the_names_are_there(theirs):
    assert set(theirs.__all__) <= set(ours.__all__)
    for kind in ("Layout", "TileLayout", "ComposeLayout", "Iter", "Axis"):
        own = {name for name in vars(getattr(theirs, kind)) if not name.startswith("_")}
        assert own <= set(dir(getattr(ours, kind))) | {"replicate", "exclude"}, kind


def test_tvms_functions_take_the_objects(theirs):
    import tvm

    n = tvm.tirx.Var("N", "int64")
    for text in (
        "TileLayout(S[(8,4,2):(4@laneid,1@laneid,1)] + R[2:64@warpid] + 3@bx)",
        "TileLayout(S[(n,4)])",
        "ComposeLayout(3,3,3,TileLayout(S[512:1]))",
        "TileLayout(S[(n // 2,4):(4,n)])",
        "Iter(4, n, 'm')",
        "laneid",
        "laneid.get_scope()",
    ):
        one, other = (
            eval(
                text,
                {**{name: getattr(module, name) for name in ours.__all__ if hasattr(module, name)}, "n": n},
            )
            for module in (ours, theirs)
        )
        tvm.ir.assert_structural_equal(one, other)
        tvm.ir.assert_structural_equal(other, one)
    with pytest.raises(ValueError):
        tvm.ir.assert_structural_equal(TileLayout(S[4:2]), theirs.TileLayout(theirs.S[4:1]))


def test_symbolic_sizes_of_tvm(theirs):
    import tvm

    n = tvm.tirx.Var("N", "int32")
    layout = TileLayout(S[(n, 4)])
    tvm.ir.assert_structural_equal(layout.size(), 4 * n)
    assert str(TileLayout(S[(8, 2)]).apply(n)) == str(theirs.TileLayout(theirs.S[(8, 2)]).apply(n))
    assert str(TileLayout(S[(8, 2) : (1 @ laneid, 1)]).apply(n)["m"]) == "N % 2"
    other = tvm.tirx.Var("N", "int32")  # of the same name, and another variable
    assert str(TileLayout(S[(n, other)])._value) == "S[(N,N_1):(N_1@m,1@m)]"


def test_refusals_are_of_tvms_class(theirs):
    import tvm

    for wrong in (
        lambda: TileLayout(S[(8, 8)]).group([5, 16]),
        lambda: ComposeLayout(3, 3, 2, TileLayout(S[512])),
    ):
        with pytest.raises(tvm.error.InternalError):
            wrong()
        with pytest.raises(heddle.Refused):
            wrong()


class Arguments:
    """Texts of random calls."""

    def __init__(self, rng):
        self.rng = rng

    def shape(self, most=3):
        return [self.rng.choice((1, 2, 2, 3, 4, 4, 6, 8)) for _ in range(self.rng.randint(1, most))]

    def tile(self, axes=("m", "m", "m", "laneid", "warpid")):
        shape = self.shape()
        text = "TileLayout(S[{}]".format(",".join(map(str, shape))) if self.rng.random() < 0.3 else None
        if text is None:
            strides = [
                f"{self.rng.choice((1, 1, 2, 3, 4, 8, 16, 24))} @ {self.rng.choice(axes)}" for _ in shape
            ]
            extents, steps = ("".join(f"{one}," for one in part) for part in (shape, strides))
            text = f"TileLayout(S[({extents}):({steps})]"
        else:
            text = f"TileLayout(S[({''.join(f'{one},' for one in shape)})]"
        if self.rng.random() < 0.2:
            text += f" + R[{self.rng.choice((2, 3))}:{self.rng.choice((16, 32))} @ {self.rng.choice(axes)}]"
        if self.rng.random() < 0.2:
            text += f" + {self.rng.randint(1, 9)} @ {self.rng.choice(axes)}"
        return text + ")", shape

    def layout(self):
        if self.rng.random() < 0.15:
            text, shape = self.tile(("m",))
            swizzle = self.rng.choice(("0, 1, 1", "1, 2, 2", "3, 3, 3", "0, 2, 3"))
            return f"ComposeLayout({swizzle}, {text})", shape
        return self.tile()

    def factored(self, shape):
        """Another shape of as many points."""
        size = 1
        for extent in shape:
            size *= extent
        factors = []
        while size > 1 and len(factors) < 3:
            factor = self.rng.choice([one for one in range(1, size + 1) if size % one == 0])
            factors.append(factor)
            size //= factor
        return [*factors, size]

    def call(self):
        rng = self.rng
        text, shape = self.layout()
        size = 1
        for extent in shape:
            size *= extent
        kind = rng.choice(
            (
                "apply",
                "apply",
                "point",
                "shaped",
                "size",
                "span",
                "span_on",
                "canonicalize",
                "tile",
                "direct_sum",
                "inner",
                "outer",
                "left",
                "right",
                "group",
                "group_many",
                "slice",
                "storage",
                "pack",
                "unpack",
                "broadcast",
                "trivial",
                "scope",
                "to_shape",
                "permute",
                "tile_to",
            )
        )
        other, other_shape = self.tile(("m",))
        if len(other_shape) != len(shape):
            other_shape = [*other_shape, 1, 1, 1][: len(shape)]
            other = f"TileLayout(S[({''.join(f'{one},' for one in other_shape)})])"
        both = [a * b for a, b in zip(other_shape, shape, strict=True)]
        mixed = [one for pair in zip(other_shape, shape, strict=True) for one in pair]
        tiled = f"{text}.tile({other}, {other_shape}, {shape})"
        summed = f"{text}.direct_sum({other}, {other_shape}, {shape})"
        factored, region = self.factored(shape), []
        for extent in shape:
            begin = rng.randrange(extent)
            region.append((begin, rng.randint(begin + 1, extent)))
        return {
            "apply": lambda: f"{text}.apply({rng.randrange(size)})",
            "point": lambda: f"{text}.apply({', '.join(str(rng.randrange(one)) for one in shape)})",
            "shaped": lambda: "{}.apply({}, shape={})".format(
                text, ", ".join(str(rng.randrange(one)) for one in factored), factored
            ),
            "size": lambda: f"{text}.size({rng.choice(('', repr('m'), repr('laneid')))})",
            "span": lambda: f"{text}.span()",
            "span_on": lambda: f"{text}.span({rng.choice(('m', 'laneid', 'warpid'))!r})",
            "canonicalize": lambda: f"{text}.canonicalize()",
            "tile": lambda: tiled,
            "direct_sum": lambda: summed,
            "inner": lambda: f"{text}.is_tile_inner({tiled}, {both}, {shape})",
            "outer": lambda: f"{other}.is_tile_outer({tiled}, {both}, {other_shape})",
            "right": lambda: f"{text}.is_direct_sum_right({summed}, {mixed}, {shape})",
            "left": lambda: f"{other}.is_direct_sum_left({summed}, {mixed}, {other_shape})",
            "group": lambda: f"{text}.group({self.factored(shape)})",
            "group_many": lambda: f"{text}.group_many([{self.factored(shape)}, {self.factored(shape)}])",
            "slice": lambda: f"{text}.slice({shape}, {region})",
            "storage": lambda: f"{text}.storage()",
            "pack": lambda: f"{text}.pack(2)",
            "unpack": lambda: f"{text}.unpack({rng.choice((2, 4))})",
            "broadcast": lambda: f"{text}.broadcast(2, {rng.choice((-1, 0))})",
            "trivial": lambda: f"{text}.is_trivial()",
            "scope": lambda: f"{text}.get_scope()",
            "to_shape": lambda: (
                f"{text}.apply_to_shape({[rng.randrange(one) for one in factored]}, {factored})"
            ),
            "permute": lambda: f"{text}.permute_dims({rng.sample(range(len(shape)), len(shape))})",
            "tile_to": lambda: f"{text}.tile_to({[2 * one for one in shape]}, {shape})",
        }[kind]()


def called(text):
    return re.search(r"is_\w+", text)[0] if "is_" in text else re.findall(r"\)\.(\w+)\(", text)[-1]


def evaluated(module, text):
    scope = {
        name: getattr(module, name) for name in (*ours._AXIS_NAMES, "S", "R", "TileLayout", "ComposeLayout")
    }
    try:
        return eval(text, scope), None
    except Exception as error:
        return None, error


OPERATORS = {
    "Add": "__add__",
    "Sub": "__sub__",
    "Mul": "__mul__",
    "FloorDiv": "__floordiv__",
    "FloorMod": "__mod__",
    "LShift": "__lshift__",
    "RShift": "__rshift__",
    "BitwiseXor": "__xor__",
    "BitwiseAnd": "__and__",
    "BitwiseOr": "__or__",
}


def number(expression, bound=()):
    """The value of an expression of TVM that has no free variables."""
    kind = type(expression).__name__
    if kind == "Let":
        return number(expression.body, (*bound, (expression.var, number(expression.value, bound))))
    if kind == "Var":
        return next(value for variable, value in reversed(bound) if variable.same_as(expression))
    if kind == "Call":
        name = {
            "shift_left": "__lshift__",
            "shift_right": "__rshift__",
            "bitwise_xor": "__xor__",
            "bitwise_and": "__and__",
            "bitwise_or": "__or__",
        }[expression.op.name.split(".")[-1]]
        return getattr(number(expression.args[0], bound), name)(number(expression.args[1], bound))
    if kind in OPERATORS:
        return getattr(number(expression.a, bound), OPERATORS[kind])(number(expression.b, bound))
    return int(expression)


def comparison(name, mine, tvms):
    """`same`, or what differs: of two layouts whether they are the same map."""
    (value, error), (their_value, their_error) = mine, tvms
    if error or their_error:
        return (
            "same"
            if error and their_error
            else f"refused {getattr(error, 'code', error)}"
            if error
            else "answered where TVM raises"
        )
    if hasattr(value, "items"):
        expected = {axis: number(place) for axis, place in their_value.items()}
        known = {axis: place for axis, place in value.items() if place}
        return (
            "same" if known == {axis: place for axis, place in expected.items() if place} else "other places"
        )
    if str(value) == str(their_value):
        return "same"
    if name in ("group", "group_many"):
        if str(value[1]) != str(tuple(their_value[1])):
            return "other blocks"
        value, their_value = value[0], their_value[0]
    if not hasattr(value, "apply") or not hasattr(their_value, "apply"):
        return "other answer"
    swizzled = [re.match(r"T\.ComposeLayout\(\d+, \d+, \d+", str(one)) for one in (value, their_value)]
    if (swizzled[0] and swizzled[0][0]) != (swizzled[1] and swizzled[1][0]):
        return "other swizzle"
    same = places(value) == places(their_value) and replicas(value) == replicas(their_value)
    return "other form" if same else "other map"


# What may differ, by call; differences() has an example of each kind, and who is right. A form is the same
# map, written otherwise: which is tested. Everything else is a failure.
FORMS = {
    "canonicalize",
    "direct_sum",
    "group",
    "group_many",
    "is_direct_sum_left",
    "is_direct_sum_right",
    "is_tile_inner",
    "is_tile_outer",
    "pack",
    "slice",
    "storage",
    "tile",
    "tile_to",
    "unpack",
}
MAPS = {
    "direct_sum",
    "is_direct_sum_left",
    "is_direct_sum_right",
    "is_tile_inner",
    "is_tile_outer",
    "pack",
    "tile",
    "tile_to",
    "unpack",
}
EXPECTED = {
    *((name, "other form") for name in FORMS),
    *((name, "other map") for name in MAPS),
    *((name, "other swizzle") for name in ("canonicalize", "direct_sum", "is_tile_outer", "tile", "tile_to")),
    *(
        (name, said)
        for name in (
            "direct_sum",
            "is_direct_sum_left",
            "is_direct_sum_right",
            "is_tile_inner",
            "is_tile_outer",
            "tile",
            "tile_to",
        )
        for said in ("refused axe.swizzle_mixed", "refused axe.undecided", "refused axe.sum")
    ),
    *((name, "answered where TVM raises") for name in ("pack", "size", "span")),
    ("pack", "refused axe.pack"),
    ("get_scope", "other answer"),
    ("is_trivial", "other answer"),
    ("span", "other answer"),
    ("group_many", "other blocks"),
    *(
        (name, "other answer")
        for name in ("is_direct_sum_left", "is_direct_sum_right", "is_tile_inner", "is_tile_outer")
    ),
}
# A map may differ only where TVM forgets replicas or offsets, or swizzles too much, or scales threads.
REASONS = re.compile(r"R\[|\+ \d|ComposeLayout|laneid|warpid")


def test_random_calls_beside_tvm(theirs):
    seed = int(os.environ.get("HEDDLE_SEED", random.randrange(1 << 32)))
    print("seed", seed)
    arguments = Arguments(random.Random(seed))
    found = {}
    for _ in range(CALLS):
        text = arguments.call()
        name = called(text)
        said = comparison(name, evaluated(ours, text), evaluated(theirs, text))
        found.setdefault((name, said), []).append(text)
    for (name, said), texts in sorted(found.items()):
        print(f"{len(texts):5d} {name:22s} {said:40s} {'' if said == 'same' else min(texts, key=len)}")
    wrong = [
        (key, min(texts, key=len)) for key, texts in found.items() if key[1] != "same" and key not in EXPECTED
    ]
    wrong += [
        (key, text)
        for key, texts in found.items()
        for text in texts
        if key[1] in ("other map", "other answer", "other swizzle") and not REASONS.search(text)
    ]
    assert not wrong, wrong
    assert sum(len(texts) for key, texts in found.items() if key[1] == "same") > CALLS * 0.6


def hardware_calls():
    for instruction in ("32x32b", "16x64b", "16x128b", "16x256b", "8x8b"):
        for rows in (32, 64, 128):
            for cols in (1, 2, 4, 6, 8, 16, 32, 64, 128, 256, 512):
                for dtype in ("float32", "float16", "bfloat16", "int8"):
                    yield f"tcgen05_atom_layout({instruction!r}, ({rows}, {cols}), {dtype!r})"
    for letter in "ABCDEFGH":
        for rows in (32, 64, 128):
            for cols in (2, 3, 4, 6, 64, 128):
                for slab in (0, 1, 2):
                    yield f"tmem_datapath_layout({letter!r}, {rows}, {cols}, {slab})"
    shapes = [
        (64, 32),
        (128, 32),
        (2, 64, 16),
        (64, 2, 16),
        (64, 4, 2, 8),
        (128, 2, 16),
        (2, 128, 16),
        (32, 32),
    ]
    for operand in ("A", "D", "B"):
        for shape in shapes:
            for m in (32, 64, 128, 256):
                for ctas in (1, 2):
                    for more in ("", ", ws=True", ", sparse=True", ", group=(4, 2, 4)", ", group=(4, 3, 4)"):
                        yield (
                            f"tmem_mma_operand_layout({operand!r}, {shape}, 'float32', M={m}, "
                            f"cta_group={ctas}{more})"
                        )
    yield from (f"wg_local_layout({cols}, {rows})" for cols in (1, 4, 8) for rows in (64, 128))


def test_layouts_of_hardware_beside_tvm(theirs):
    names = ("tcgen05_atom_layout", "tmem_datapath_layout", "tmem_mma_operand_layout", "wg_local_layout")
    wrong, answered = [], 0
    for text in hardware_calls():
        answers = []
        for module in (ours, theirs):
            try:
                answers.append(eval(text, {name: getattr(module, name) for name in names}))
            except ValueError:
                answers.append(None)
        one, other = answers
        answered += one is not None
        if (
            (one is None) != (other is None)
            or one is not None
            and (str(one) != str(other) and not heddle.equal(one._value, ours._own(other)._value))
        ):
            wrong.append((text, *map(str, answers)))
    assert not wrong, (len(wrong), wrong[:4])
    assert answered > 150
