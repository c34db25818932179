"""The bindings with arbitrary objects: an exception that says what to do, and nothing crashes.

HEDDLE_ARBITRARY_CALLS=100000 calls them more often; HEDDLE_ARBITRARY_SEED repeats a run.
"""

import os
import random
import sys

import numpy as np
import pytest

import heddle

CALLS = int(os.environ.get("HEDDLE_ARBITRARY_CALLS", "3000"))
NAMES = sorted({name for name, _ in heddle._heddle._rows})
# Operations whose answer takes seconds for many arguments.
SLOW = {"permutation_layouts", "ordered_factorizations", "show", "compare", "optimal_swizzle", "convert",
        "convert_report", "recover_report", "swizzle_search", "ttgir_layouts"}
TEXTS = [
    "(4,8):(8,1)", "((2,2),4):((1,2),4)", "Sw<2,0,3> o 0 o (4,8):(8,1)", "S[(8,2):(4@laneid,1@m)]",
    "GroupBy([4,8])", "{ [c] -> [2c] : 0 <= c < 4 }", "[0,2,1,3]", "_", "(M,N):(N,1)", "", "(", "\x00", "é",
    " - lane=1 -> (1)\nwhere out dims are: [dim0 (size 2)]", "#ttg.blocked<{}>", "cute", "Row", "1" * 400,
    "(" * 300, "DeviceMesh([[0,1],[2,3]])", "P('x', None)", "4@laneid", "((4,4),4):((1,2),3) tile (16)",
]


class Odd:
    """An object that answers wrongly or raises."""

    shape = (4, "x")
    strides = (1,)
    itemsize = 0
    dtype = None
    __array__ = None

    def __getattr__(self, name):
        raise RuntimeError(name)


class Index:
    def __index__(self):
        raise ZeroDivisionError


def values():
    made = [heddle.layout(text) for text in TEXTS[:7]]
    M = heddle.symbols("M")
    with heddle.assume("M % 8 == 0"):
        made.append(heddle.cute.make_layout((M, 8)))
    return [*made, M, heddle.equal("4:1", "4:1"), heddle.show("4:2"), heddle.evaluate("Sw<2,0,3>")]


def arbitrary(rng, made, depth=0):
    kind = rng.randrange(14 if depth < 3 else 9)
    if kind == 0:
        return rng.choice([0, 1, -1, 2, 3, 4, 8, 31, 32, 1 << 40, 1 << 62, -(1 << 63), 1 << 64])
    if kind == 1:
        return rng.choice([None, True, False, 0.5, float("nan"), 1j, b"4:1", ..., slice(None), slice(1, 3)])
    if kind in (2, 3):
        return rng.choice(TEXTS)
    if kind in (4, 5, 6):
        return rng.choice(made)
    if kind == 7:
        return rng.choice([Odd(), Index(), object(), type, heddle, print, NotImplemented, {1, 2}, range(3)])
    if kind == 8:
        return rng.choice([np.arange(4), np.zeros((2, 2)), np.int64(3), np.array([], dtype=int),
                           np.arange(6, dtype=np.uint8).reshape(2, 3)[:, ::2], np.array(["a"])])
    items = [arbitrary(rng, made, depth + 1) for _ in range(rng.randrange(4))]
    if kind < 12:
        return tuple(items) if kind < 11 else items
    return {rng.choice(["dim0", "kind", "ins", 1, "blocked"]): item for item in items}


# What an object's own methods raise is passed on.
EXPECTED = (heddle.Refused, heddle.Undecided, TypeError, AttributeError, IndexError, ZeroDivisionError,
            RuntimeError, OverflowError, ValueError)


def act(rng, made):
    what = rng.randrange(8)
    if what < 4:
        name = rng.choice(NAMES)
        if name in SLOW:
            return None
        system = rng.choice([heddle, heddle, *(getattr(heddle, one) for one in (
            "cute", "linear", "axe", "lego", "relations"))])
        function = getattr(system, name, getattr(heddle, name))
        named = {"limit": 4} if rng.random() < 0.05 else {}
        return function(*(arbitrary(rng, made) for _ in range(rng.randrange(4))), **named)
    value = rng.choice(made)
    other = arbitrary(rng, made)
    if what == 4:
        return value(*(arbitrary(rng, made) for _ in range(rng.randrange(3))))
    if what == 5:
        return value[other]
    if what == 6:
        return rng.choice([lambda: value @ other, lambda: value + other, lambda: value == other,
                           lambda: other % value, lambda: value < other, lambda: hash(value),
                           lambda: repr(value), lambda: bool(value), lambda: len(value),
                           lambda: list(value), lambda: dir(value), lambda: value.draw(),
                           lambda: value.table(), lambda: value.gather(other),
                           lambda: value.scatter(other)])()
    kinds = [kind for kind in vars(heddle._heddle).values() if isinstance(kind, type)]
    kinds += [kind for kind in vars(heddle.cute).values() if isinstance(kind, type)]
    return rng.choice(kinds)(*(arbitrary(rng, made) for _ in range(rng.randrange(3))))


def test_arbitrary_objects():
    seed = int(os.environ.get("HEDDLE_ARBITRARY_SEED", random.randrange(1 << 30)))
    print("HEDDLE_ARBITRARY_SEED =", seed, file=sys.stderr)
    rng, made = random.Random(seed), values()
    refused = answered = 0
    with heddle.settings(timeout=0.2):
        for _ in range(CALLS):
            try:
                result = act(rng, made)
            except EXPECTED as error:
                assert str(error) or not isinstance(error, heddle.Refused)
                refused += isinstance(error, heddle.Refused)
            else:
                answered += result is not None
                if isinstance(result, heddle.Value) and len(str(result)) < 200:
                    made[rng.randrange(len(made))] = result
    assert refused > CALLS // 10 and answered > CALLS // 20, (refused, answered)


@pytest.mark.parametrize("value", values(), ids=lambda value: type(value).__name__)
def test_none_of_the_classes_is_made_of_nothing(value):
    with pytest.raises((heddle.Refused, TypeError)):
        type(value)()
