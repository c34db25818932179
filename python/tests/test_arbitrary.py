"""The bindings with arbitrary objects: an exception that says what to do, and nothing crashes or hangs.

HEDDLE_ARBITRARY_CALLS=100000 calls them more often; HEDDLE_ARBITRARY_SEED repeats a run.
"""

import faulthandler
import inspect
import os
import random
import sys
import time

import hostile
import pytest

import heddle
from heddle import lego_layout, linear_layout, pycute, tvm_layout

CALLS = int(os.environ.get("HEDDLE_ARBITRARY_CALLS", "2000"))
# No call takes longer, in seconds.
LONGEST = 300
NAMES = sorted({name for name, _ in heddle._heddle._rows})
# Operations whose answer takes seconds for many arguments.
SLOW = {
    "permutation_layouts",
    "ordered_factorizations",
    "show",
    "compare",
    "optimal_swizzle",
    "convert",
    "convert_report",
    "recover_report",
    "swizzle_search",
    "ttgir_layouts",
}
TEXTS = [
    "(4,8):(8,1)",
    "((2,2),4):((1,2),4)",
    "Sw<2,0,3> o 0 o (4,8):(8,1)",
    "S[(8,2):(4@laneid,1@m)]",
    "GroupBy([4,8])",
    "{ [c] -> [2c] : 0 <= c < 4 }",
    "[0,2,1,3]",
    "_",
    "(M,N):(N,1)",
    "",
    "(",
    "\x00",
    "é",
    " - lane=1 -> (1)\nwhere out dims are: [dim0 (size 2)]",
    "#ttg.blocked<{}>",
    "cute",
    "Row",
    "1" * 400,
    "(" * 300,
    "DeviceMesh([[0,1],[2,3]])",
    "P('x', None)",
    "4@laneid",
    "((4,4),4):((1,2),3) tile (16)",
    "\ud800",
    "svg",
    "m",
    "triton",
    "M % 8 == 0",
    "lane",
    "ownership",
]
SYSTEMS = [
    heddle,
    heddle,
    *(getattr(heddle, name) for name in ("cute", "linear", "axe", "lego", "relations")),
]
DROP_INS = [pycute, pycute, linear_layout, lego_layout, tvm_layout]


def values():
    made = [heddle.layout(text) for text in TEXTS[:7]]
    M = heddle.symbols("M")
    with heddle.assume("M % 8 == 0"):
        made.append(heddle.cute.make_layout((M, 8)))
    return [*made, M, heddle.equal("4:1", "4:1"), heddle.show("4:2"), heddle.evaluate("Sw<2,0,3>")]


def drop_in_values():
    return [
        pycute.Layout((4, 8), (8, 1)),
        pycute.Layout(8),
        pycute.Swizzle(2, 0, 3),
        linear_layout.LinearLayout.identity_1d(4, "lane", "dim0"),
        linear_layout.LinearLayout(),
        lego_layout.Row(4, 8),
        tvm_layout.S[(4, 8) : (8, 1)],
    ]


class World:
    """The objects that calls are made of."""

    def __init__(self, rng):
        self.rng = rng
        self.made, self.drop_ins = values(), drop_in_values()
        self.scalars, self.objects = hostile.things()
        self.arrays, self.containers = hostile.arrays(), hostile.containers()

    def thing(self, depth=0):
        rng = self.rng
        kind = rng.randrange(20 if depth < 3 else 14)
        if kind < 3:
            return rng.choice(self.scalars)
        if kind < 5:
            return rng.choice(TEXTS)
        if kind < 9:
            return rng.choice(self.made)
        if kind < 14:
            return rng.choice(
                rng.choice([self.drop_ins, self.objects, self.arrays, self.containers, hostile.changing()])
            )
        items = [self.thing(depth + 1) for _ in range(rng.randrange(4))]
        if kind < 19:
            return tuple(items) if kind < 17 else items
        return {rng.choice(["dim0", "kind", "ins", 1, "blocked"]): item for item in items}

    def things(self, most=4):
        return [self.thing() for _ in range(self.rng.randrange(most))]


def public(module):
    names = getattr(module, "__all__", None) or [name for name in dir(module) if not name.startswith("_")]
    return [
        thing
        for thing in (getattr(module, name) for name in names)
        if callable(thing) and not inspect.ismodule(thing)
    ]


CALLABLES = [one for module in DROP_INS for one in public(module)]
KINDS = [
    kind
    for module in (heddle._heddle, heddle.cute)
    for kind in vars(module).values()
    if isinstance(kind, type)
]
METHODS = {}


def methods_of(value):
    kind = type(value)
    if kind not in METHODS:
        METHODS[kind] = [
            name
            for name in dir(value)
            if name not in SLOW | {"show", "__init_subclass__", "__subclasshook__", "save"}
        ]
    return METHODS[kind]


def operate(rng, value, other):
    return rng.choice(
        [
            lambda: value @ other,
            lambda: value + other,
            lambda: value == other,
            lambda: other % value,
            lambda: value < other,
            lambda: hash(value),
            lambda: repr(value),
            lambda: bool(value),
            lambda: len(value),
            lambda: list(value)[:9],
            lambda: dir(value),
            lambda: value.draw(),
            lambda: value.table(),
            lambda: value[other],
            lambda: value.gather(other),
            lambda: value.scatter(other),
            lambda: setattr(value, "shape", other),
            lambda: value * other,
            lambda: value._repr_html_(),
        ]
    )()


def act(world):
    rng = world.rng
    what = rng.randrange(12)
    if what < 4:
        name = rng.choice(NAMES)
        if name in SLOW:
            return None
        function = getattr(rng.choice(SYSTEMS), name, getattr(heddle, name))
        named = {"limit": 4} if rng.random() < 0.05 else {}
        return function(*world.things(), **named)
    if what < 6:
        return rng.choice(CALLABLES)(*world.things())
    if what == 6:
        return rng.choice(KINDS)(*world.things(3))
    if what == 7:
        kind = rng.randrange(4)
        if kind == 0:
            return str(
                heddle.draw(
                    *world.things(2), **{rng.choice(["banks", "bits", "limit", "view"]): world.thing()}
                )
            )
        if kind == 1:
            with heddle.assume(*world.things(3)):
                return heddle.cute.make_layout(world.thing())
        if kind == 2:
            with heddle.settings(axes=world.things(2), engine=world.thing(), timeout=0.1):
                return heddle.layout(world.thing())
        return heddle.symbols(world.thing())
    value = rng.choice(rng.choice([world.made, world.drop_ins]))
    if what == 8:
        return value(*world.things(3))
    if what == 9:
        return operate(rng, value, world.thing())
    method = getattr(value, rng.choice(methods_of(value)))
    return method(*world.things(3)) if callable(method) else method


def check(error):
    """Whether an exception is one to be expected: what an object's own methods raise is passed on."""
    assert not isinstance(error, (SystemError, MemoryError)), error
    if type(error) is RuntimeError:
        assert "std::" not in str(error), error
    if isinstance(error, heddle.Refused):
        assert str(error)


def test_arbitrary_objects():
    seed = int(os.environ.get("HEDDLE_ARBITRARY_SEED", random.randrange(1 << 30)))
    print("HEDDLE_ARBITRARY_SEED =", seed, file=sys.stderr)
    world = World(random.Random(seed))
    refused = answered = 0
    with heddle.settings(timeout=0.2):
        for _ in range(CALLS):
            faulthandler.dump_traceback_later(4 * LONGEST, exit=True)
            begin = time.perf_counter()
            try:
                result = act(world)
            except Exception as error:
                check(error)
                refused += isinstance(error, heddle.Refused)
            else:
                answered += result is not None
                if isinstance(result, heddle.Value) and len(str(result)) < 200:
                    world.made[world.rng.randrange(len(world.made))] = result
            finally:
                faulthandler.cancel_dump_traceback_later()
            assert time.perf_counter() - begin < LONGEST
    assert refused > CALLS // 10 and answered > CALLS // 20, (refused, answered)


@pytest.mark.parametrize("value", values(), ids=lambda value: type(value).__name__)
def test_none_of_the_classes_is_made_of_nothing(value):
    with pytest.raises((heddle.Refused, TypeError)):
        type(value)()


def test_tuples_of_few_objects_and_very_many_leaves_are_refused():
    for inner in (2, ()):
        many = hostile.doubled(40, inner)
        for call in (
            heddle.layout,
            heddle.cute.size,
            pycute.product,
            pycute.flatten,
            pycute.has_none,
            pycute.Layout(8, 1),
            lambda data: heddle.Verdict({"verdict": data}),
        ):
            with pytest.raises(heddle.Refused):
                call(many)


def test_deep_tuples_are_refused():
    deep = hostile.nested(100_000)
    for divide in (
        pycute.logical_divide,
        lambda *operands: pycute.hier_unzip(pycute.logical_divide, *operands),
    ):
        with pytest.raises(heddle.Refused, match="tuple.too_deep"):
            divide(pycute.Layout(8, 1), deep)
    with pytest.raises(heddle.Refused, match="syntax.too_deep"):
        heddle.layout(deep)


def test_layouts_within_layouts_are_freed():
    layout = 1
    for _ in range(200_000):
        layout = pycute.Layout(layout)
    del layout


def test_none_is_no_value():
    with pytest.raises(TypeError):
        pycute.product(None)
    with pytest.raises(TypeError):
        linear_layout.LinearLayout().compose(None)


def test_a_layout_does_not_change_while_it_is_read():
    layout = pycute.Layout((4, 8), (8, 1))
    change = hostile.Changes(lambda: setattr(layout, "shape", (1, 1)))
    with pytest.raises(RuntimeError, match="while it is read"):
        layout((change, 1))
    assert layout.shape == (4, 8)
    layout.shape = (change, 8)
    with pytest.raises(RuntimeError, match="while it is read"):
        layout.size()
    layout.shape = (2, 8)
    assert layout.size() == 16


def test_lists_and_dicts_that_change_while_they_are_read():
    LinearLayout = linear_layout.LinearLayout
    items = [1, 2, 4]
    items[1] = hostile.Changes(items.clear)
    assert LinearLayout.from_bases([("lane", [items])], ["x", "y", "z"], [2, 4, 8], False).bases == [
        ("lane", [[1, 2, 4]])
    ]
    point = {}
    point["lane"] = hostile.Changes(lambda: point.update({str(len(point)): 1}))
    assert LinearLayout.identity_1d(4, "lane", "x").apply(point) == {"x": 2}


def test_texts_that_are_no_unicode():
    for text in ("\ud800", {"\ud800": 1}):
        with pytest.raises(UnicodeEncodeError):
            heddle.layout(text)
