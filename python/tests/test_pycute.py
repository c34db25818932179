"""heddle.pycute beside pycute, and against plain evaluation where the two differ."""

import collections
import copy
import importlib
import inspect
import json
import pathlib
import pickle
import random
import re

import pytest

import heddle
import heddle.pycute as own
from heddle.pycute import ComposedLayout, Layout, LayoutBase, Swizzle, differences

FACTS = pathlib.Path(__file__).resolve().parents[2] / "tests" / "facts" / "cute_pycute.jsonl"
EXTENTS = (1, 2, 2, 3, 4, 4, 5, 6, 8, 8, 16)


def peer():
    return pytest.importorskip("pycute")


def outcome(call):
    """The answer as a text, or the exception."""
    try:
        return repr(call())
    except Exception as error:  # noqa: BLE001
        return error


# ---- Random arguments: descriptions, of which each module makes its own objects ----


class Made(collections.namedtuple("Made", "shape stride")):
    """A layout that is still to be made."""


def objects(module, thing):
    if isinstance(thing, Made):
        return module.Layout(*thing)
    return tuple(objects(module, part) for part in thing) if isinstance(thing, tuple) else thing


def profile(random_, depth=2):
    if depth == 0 or random_.random() < 0.5:
        return None
    return tuple(profile(random_, depth - 1) for _ in range(random_.randint(1, 3)))


def filled(form, leaves):
    return next(leaves) if form is None else tuple(filled(part, leaves) for part in form)


def count(form):
    return 1 if form is None else sum(map(count, form))


def random_tuple(random_):
    return filled(profile(random_), iter(lambda: random_.choice(EXTENTS), None))


def congruent(random_, form):
    if isinstance(form, tuple):
        return tuple(congruent(random_, part) for part in form)
    return random_.choice((*EXTENTS, 0, 7))


def random_layout(random_):
    form = profile(random_)
    size = count(form)
    extents = [random_.choice(EXTENTS) for _ in range(size)]
    strides = [random_.choice((0, 1, 1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 64)) for _ in range(size)]
    if random_.random() < 0.6:  # nearly compact, in any order
        current = 1
        for place in random_.sample(range(size), size):
            current *= random_.choice((1, 1, 1, 1, 1, 2, 3))
            strides[place] = current if random_.random() < 0.9 else 0
            current *= extents[place]
    return Made(filled(form, iter(extents)), filled(form, iter(strides)))


def random_tiler(random_, layout):
    kind = random_.random()
    if kind < 0.15:
        return random_.choice(EXTENTS)
    if kind < 0.2:
        return None
    if kind < 0.6 or not isinstance(layout.shape, tuple):
        return random_layout(random_)
    return tuple(random_.choice((random_layout(random_), random_.choice(EXTENTS), None))
                 for _ in range(random_.randint(1, len(layout.shape))))


def product(shape):
    result = 1
    for leaf in own.flatten(shape):
        result *= leaf
    return result


def coordinate(random_, shape, none=0.0):
    if random_.random() < none:
        return None
    if isinstance(shape, tuple) and random_.random() < 0.7:
        return tuple(coordinate(random_, part, none) for part in shape)
    return random_.randrange(product(shape))


def layout_and_tiler(random_):
    layout = random_layout(random_)
    return layout, random_tiler(random_, layout)


def tuple_and(random_, *others):
    shape = random_tuple(random_)
    return (shape, *(other(random_, shape) for other in others))


def reordered(arguments, *order):
    return tuple(arguments[place] for place in order)


ARGUMENTS = {
    "is_int": lambda r: (r.choice((3, True, 1.5, (1, 2), "a")),),
    "is_tuple": lambda r: (r.choice((3, (1, 2), [1], None)),),
    "flatten": lambda r: (random_tuple(r),),
    "signum": lambda r: (r.randint(-2, 2),),
    "product": lambda r: (random_tuple(r),),
    "inner_product": lambda r: tuple_and(r, congruent),
    "tuple_max": lambda r: (random_tuple(r),),
    "elem_scale": lambda r: tuple_and(r, congruent),
    "shape_div": lambda r: (random_tuple(r), r.choice((random_tuple(r), r.choice((*EXTENTS, 12, 24, 36))))),
    "prefix_product": lambda r: (random_tuple(r), *r.choice(((), (3,)))),
    "idx2crd": lambda r: (r.randrange(200), random_tuple(r)),
    "crd2idx": lambda r: (lambda made: (coordinate(r, made.shape, 0.05), *made))(random_layout(r)),
    "crd2crd": lambda r: (lambda shape: (coordinate(r, shape), r.choice((shape, random_tuple(r))), shape))(
        random_tuple(r)),
    "slice_": lambda r: (lambda shape: (coordinate(r, shape, 0.4), shape))(random_tuple(r)),
    "has_none": lambda r: (coordinate(r, random_tuple(r), 0.1),),
    "shiftr": lambda r: (r.randrange(1000), r.choice((-3, -1, 1, 2, 5))),
    "shiftl": lambda r: (r.randrange(1000), r.choice((-3, -1, 1, 2, 5))),
    "Layout": lambda r: r.choice((tuple(random_layout(r)), (random_tuple(r),))),
    "make_layout": lambda r: tuple(random_layout(r) for _ in range(r.randint(1, 3))),
    "size": lambda r: (random_layout(r),),
    "cosize": lambda r: (random_layout(r),),
    "coalesce": lambda r: (random_layout(r),),
    "filter": lambda r: (random_layout(r),),
    "composition": layout_and_tiler,
    "complement": lambda r: (random_layout(r), *r.choice(((), (r.choice((*EXTENTS, 24, 64, 100)),)))),
    "right_inverse": lambda r: (random_layout(r),),
    "left_inverse": lambda r: (random_layout(r),),
    "logical_divide": layout_and_tiler,
    "zipped_divide": layout_and_tiler,
    "tiled_divide": layout_and_tiler,
    "logical_product": layout_and_tiler,
    "zipped_product": layout_and_tiler,
    "tiled_product": layout_and_tiler,
    "slice_and_offset": lambda r: (lambda made: (coordinate(r, made.shape, 0.4), made))(random_layout(r)),
}
