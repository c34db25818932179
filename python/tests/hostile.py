"""Objects that answer wrongly, raise, or change under the eyes of who reads them."""

import numpy as np

import heddle


class Hostile(Exception):
    """What the objects raise."""


def _raises(*_, **__):
    raise Hostile


class Odd:
    """An object that answers wrongly or raises."""

    shape = (4, "x")
    strides = (1,)
    itemsize = 0
    dtype = None
    __array__ = None

    def __getattr__(self, name):
        raise RuntimeError(name)


NAMES = (
    "__repr__ __str__ __hash__ __eq__ __lt__ __len__ __iter__ __getitem__ __bool__ __int__ __float__"
    " __index__ __array__ __dlpack__ __add__ __radd__ __mul__ __rmul__ __mod__ __rmod__ __matmul__"
    " __rmatmul__ __call__ __contains__ __format__ __reduce__ __dir__"
).split()
Raises = type(
    "Raises", (), {**dict.fromkeys(NAMES, _raises), "shape": property(_raises), "__getattr__": _raises}
)


class Index:
    """A number, or what is none."""

    def __init__(self, number):
        self.number = number

    def __index__(self):
        if self.number is None:
            raise Hostile
        return self.number


class Changes:
    """A number that changes what it is in, or a layout that is read."""

    def __init__(self, change):
        self.change = change

    def __index__(self):
        self.change()
        return 2


class Strings(str):
    def __str__(self):
        raise Hostile

    __repr__ = __hash__ = __eq__ = _raises


class Lists(list):
    __iter__ = __len__ = __getitem__ = _raises


class Tuples(tuple):
    __iter__ = __len__ = __getitem__ = _raises


class Dicts(dict):
    __iter__ = __len__ = __getitem__ = items = keys = _raises


class Long:
    """A sequence that says that it is longer than it is."""

    def __getitem__(self, index):
        if index > 9:
            raise IndexError
        return 1

    def __len__(self):
        return 12


class Circular:
    """A layout that is its own shape."""

    shape = property(lambda self: self)
    stride = strides = shape
    itemsize = 1


class Arrays:
    """What says that it is an array."""

    def __init__(self, array, shape=(2, 2), strides=(8, 4), itemsize=4):
        self.array, self.shape, self.strides, self.itemsize = array, shape, strides, itemsize

    def __array__(self, *_, **__):
        return self.array

    def __dlpack__(self, *_, **__):
        return self.array

    def __dlpack_device__(self):
        return self.array


def foreign(module, name, printed):
    """An object that passes for one of another library."""

    def prints(self):
        return printed

    return type(
        name,
        (),
        {
            "__module__": module,
            "__str__": prints,
            "__repr__": prints,
            "shape": printed,
            "stride": printed,
            "placements": printed,
            "device_mesh": printed,
        },
    )()


PRINTED = (
    "(4,8):(8,1)",
    "",
    "\ud800",
    None,
    4,
    "Layout((4, 8),(8, 1))",
    "ComposedLayout(Swizzle(3,4,3),0,Layout(4,1))",
    'TileLayout([Iter(4, 1, "m")])',
    "LinearLayout(",
    "PartitionSpec('x',)",
    "P('x')",
    "Shard(0)",
    "(" * 999,
)
MODULES = (
    ("pycute.layout", "Layout"),
    ("pycute", "Swizzle"),
    ("pycute", "ComposedLayout"),
    ("cutlass.cute", "_Layout"),
    ("triton._C.libtriton.linear_layout", "LinearLayout"),
    ("triton.experimental.gluon.language", "Any"),
    ("tvm.tirx.layout", "TileLayout"),
    ("tvm", "Iter"),
    ("torch.distributed.tensor", "DTensor"),
    ("torch.distributed", "Shard"),
    ("jax.sharding", "NamedSharding"),
    ("jax", "Mesh"),
    ("heddle.pycute", "Layout"),
    ("heddle.linear_layout", "LinearLayout"),
    (None, "Layout"),
    (4, "Layout"),
)


def arrays():
    return [
        np.arange(4),
        np.zeros((2, 2)),
        np.int64(3),
        np.array([], dtype=int),
        np.array(["a"]),
        np.array(None),
        np.zeros(()),
        np.zeros((), int),
        np.zeros((2, 0, 3), int),
        np.arange(6)[::-1],
        np.arange(12).reshape(3, 4).T,
        np.arange(6, dtype=np.uint8).reshape(2, 3)[:, ::2],
        np.arange(12).reshape(3, 4)[::-2, ::-1],
        np.broadcast_to(np.int64(7), (3, 1 << 10)),
        np.lib.stride_tricks.as_strided(np.arange(9), (2, 2), (3, 5)),
        np.array([1, "a", None], dtype=object),
        np.array([Index(None)], dtype=object),
        np.zeros(3, "i4,f8"),
        np.array([1 << 63], np.uint64),
        np.array([True, False]),
        np.array([1, 2], ">i4"),
        np.float32("nan"),
        np.array(["2020"], "M8[D]"),
        np.ma.masked_array([1, 2], [0, 1]),
        np.ones((1,) * 32, int),
        np.zeros((4, 8), np.float16),
        np.array([-1, 1 << 62]),
        memoryview(b"abc"),
        bytearray(b"4:1"),
    ]


def nested(depth, inner=4, kind=tuple):
    for _ in range(depth):
        inner = kind((inner,))
    return inner


def doubled(times, inner=2):
    """A tuple of few objects and very many leaves."""
    for _ in range(times):
        inner = (inner, inner)
    return inner


def containers():
    circle, ring = [], {}
    circle.append(circle)
    ring["kind"] = ring
    pair = ([], circle)
    pair[0].append(pair)
    return [
        circle,
        ring,
        pair,
        nested(300),
        nested(300, kind=list),
        nested(100_000),
        doubled(12),
        doubled(12, ()),
        tuple(range(1, 2000)),
        Lists([1, 2]),
        Tuples((1, 2)),
        Dicts(a=1),
        {1: 2},
        {"a\ud800": 1},
        frozenset([1]),
        range(5),
        iter([1]),
        Long(),
        Circular(),
        {"layout": "4:1", "offset": 1},
    ]


def changing():
    """Objects that change while they are read: made anew for each call."""
    items = [2, 3, 4]
    items[1:1] = [Changes(items.clear)]
    more = [2]
    more.append(Changes(lambda: more.extend([1] * 9)))
    names = {"lane": 1}
    names["dim0"] = Changes(names.clear)
    grows = {}
    grows["lane"] = Changes(lambda: grows.update({str(len(grows)): 1}))
    from heddle import pycute

    layout = pycute.Layout((4, 8, 2), (8, 1, 32))
    change = Changes(lambda: setattr(layout, "shape", 1))
    layout.shape = (change, 8, 2)
    return [items, more, names, grows, layout, (change, layout), [("lane", [items])], change]


def things():
    """Whatever may be given where a layout, a number or a text is asked for."""
    scalars = [
        0,
        1,
        -1,
        2,
        3,
        4,
        8,
        31,
        32,
        1 << 40,
        1 << 62,
        (1 << 63) - 1,
        -(1 << 63),
        1 << 64,
        -(1 << 70),
        10**5000,
        None,
        True,
        False,
        0.5,
        1e300,
        float("nan"),
        float("inf"),
        1j,
        b"4:1",
        ...,
        NotImplemented,
        slice(None),
        slice(1, 3),
        slice("a", Raises(), -1),
        slice(None, None, 0),
    ]
    objects = [
        Odd(),
        Raises(),
        Index(None),
        Index(1 << 70),
        Index("a"),
        Index(3),
        object(),
        object,
        type,
        heddle,
        print,
        Raises,
        Strings("4:1"),
        Arrays(None),
        Arrays(np.zeros(2, int)),
        Arrays(Raises()),
        Arrays([1], "ab", None),
        Arrays(None, (2,), (3,), 0),
        Arrays(None, (1 << 70,), (8,)),
        Arrays(None, (Raises(),), (Index(None),)),
        lambda *_: 1,
        _raises,
        Hostile("a"),
        Hostile,
    ]
    objects += [foreign(*place, printed) for place in MODULES for printed in PRINTED[:4]]
    objects += [foreign(*place, printed) for place in MODULES[::3] for printed in PRINTED]
    return scalars, objects
