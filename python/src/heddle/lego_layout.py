"""LEGO's layouts under the names of LEGO's Python, computed by the library: exact, or refused.

>>> from heddle.lego_layout import (
...     GenP, OrderBy, RegP, Row, divisibility_constraint, reverse)
>>> layout = OrderBy(RegP([2, 2], [1, 0]), GenP([3, 2], reverse)).GroupBy([(6, 4)])
>>> layout.apply(4, 1)
6
>>> layout.inv(6)
[4, 1]
>>> OrderBy(Row("M", "K")).TileBy(["M/BM", "K/BK"], ["BM", "BK"],
...     user_constraints=[divisibility_constraint("M", "BM"), divisibility_constraint("K", "BK")]
... )["pid_m", "k", :, :]
K*(BM*pid_m+tl.arange(0, BM)[:, None])+BK*k+tl.arange(0, BK)[None, :]

Where the orders come first, as here, they are LEGO's Python: the last order acts first, and RegP counts
dimensions from 0. Where the view comes first, they are the paper's: GroupBy([6, 4]).OrderBy(…) acts from
left to right, and RegP counts from 1. differences() lists where the answers are not LEGO's, and why.
"""

import contextlib
import inspect

import heddle
from heddle import _errors, _heddle
from heddle._drop_in import Difference


class Refused(_errors.Refused, AssertionError):
    """As heddle.Refused. It is an AssertionError as well, because LEGO's Python asserts."""


@contextlib.contextmanager
def _refusing():
    """Refusals of the library are those of this module."""
    try:
        yield
    except Refused:
        raise
    except _errors.Refused as error:
        refused = Refused(*error.args)
        refused.__dict__.update(error.__dict__)
        raise refused from None


def _evaluated(text):
    with _refusing():
        return _heddle.evaluate(text)


# ---- Texts: what is written here is the notation that the library reads ----


def _size(size):
    if isinstance(size, bool) or not (
        isinstance(size, (int, str, _heddle.Int))
        or hasattr(size, "__index__")
        or hasattr(size, "free_symbols")
    ):
        raise TypeError(f"a size is an int or an expression, not {type(size).__name__}")
    return str(size)


def _list(sizes):
    return "[" + ",".join(map(_size, sizes)) + "]"


def _lists(tiles):
    return ",".join(_list(tile) for tile in tiles)


def _flat(sizes):
    return sizes[0] if len(sizes) == 1 and isinstance(sizes[0], (list, tuple)) else sizes


class _Written:
    """A piece of a layout, as text."""

    __slots__ = ("_text",)

    def __init__(self, text):
        self._text = text

    def __repr__(self):
        return self._text

    def __eq__(self, other):
        return type(other) is type(self) and other._text == self._text

    def __hash__(self):
        return hash(self._text)


class _Permutation(_Written):
    """A tile and the order of its elements."""

    __slots__ = ()


def RegP(tile, sigma):
    """A tile whose dimensions are laid down in this order."""
    return _Permutation(f"RegP({_list(tile)},{_list(sigma)})")


def Row(*sizes):
    """A tile in row-major order."""
    return _Permutation(f"Row({','.join(map(_size, _flat(sizes)))})")


def Col(*sizes):
    """A tile in column-major order."""
    return _Permutation(f"Col({','.join(map(_size, _flat(sizes)))})")


class Function(_Written):
    """A permutation that the library knows by name: reverse, antidiag, morton, xor."""

    __slots__ = ()


reverse, antidiag, morton, xor = map(Function, ("reverse", "antidiag", "morton", "xor"))


def swizzle(bits, base, shift):
    """The permutation that is CuTe's Swizzle."""
    return Function(f"swizzle({bits},{base},{shift})")


def GenP(tile, function, inverse=None):
    """A tile whose elements are numbered by a function: one of this module, one of Python, or a text.

    A function of Python takes an index for each dimension, before them the side of the tile if it has
    one parameter more. It is called once with symbols; if it has no formula (it compares), at each point.
    """
    texts = [_list(tile), _function(tile, function)]
    if inverse is not None:
        if _known(inverse):
            texts.append(str(inverse))
        else:
            _check_inverse(tile, function, inverse)
    return _Permutation(f"GenP({','.join(texts)})")


def _known(function):
    return isinstance(function, (str, Function, _heddle.Value))


def _called(tile, function, rank):
    """The function of an index for each dimension."""
    takes = len(inspect.signature(function).parameters)
    return (lambda *index: function(tile[0], *index)) if takes == rank + 1 else function


def _function(tile, function):
    if _known(function):
        return str(function)
    call = _called(tile, function, len(tile))
    names = [f"i{dimension}" for dimension in range(len(tile))]
    try:
        formula = call(*(heddle.symbols(name) for name in names))
        return f"({','.join(names)}) -> {_size(formula)}"
    except (_errors.Refused, _errors.Undecided, TypeError, ValueError):
        return _nested(tile, call, ())


def _nested(tile, call, index):
    """The values at all points, as nested lists."""
    if any(not isinstance(extent, int) for extent in tile):
        raise Refused(
            "lego.genp",
            f"a function without a formula on the tile {_list(tile)} of symbolic sizes",
            hint="write the function as a text: '(i,j) -> if i < j then … else …'",
        )
    if len(index) == len(tile):
        return str(_whole(call(*index)))
    return "[" + ",".join(_nested(tile, call, (*index, one)) for one in range(tile[len(index)])) + "]"


def _whole(number):
    whole = int(number)
    if whole != number:
        raise Refused("lego.genp", f"the function leads to {number}, which is not a position")
    return whole


def _check_inverse(tile, function, inverse):
    """Refuses an inverse that is none; the library has its own for what is computed."""
    if any(not isinstance(extent, int) for extent in tile):
        return
    layout = _evaluated(f"GroupBy({_list(tile)}).OrderBy(GenP({_list(tile)},{_function(tile, function)}))")
    call = _called(tile, inverse, 1)
    for position in range(heddle.lego.size(layout)):
        given = call(position)
        given = [_whole(one) for one in (given if isinstance(given, (list, tuple)) else (given,))]
        expected = layout.inv(position)
        if given != expected:
            raise Refused(
                "lego.genp_inverse",
                f"the inverse leads {position} to {given}, but {expected} is what leads to {position}",
            )


# ---- Layouts ----


class Layout(_Written):
    """A view and how it is stored."""

    __slots__ = ("_value", "_assumptions")

    def __init__(self, text, assumptions=()):
        super().__init__(text)
        self._assumptions = tuple(map(str, assumptions))
        self._value = self._asked(lambda: _evaluated(text))

    def _asked(self, question):
        with (
            _refusing(),
            heddle.assume(*self._assumptions) if self._assumptions else contextlib.nullcontext(),
        ):
            return question()

    def OrderBy(self, *permutations):
        """The layout with another order after it, in the paper's notation."""
        return Layout(f"{self._text}.OrderBy({_texts(permutations)})", self._assumptions)

    def TileOrderBy(self, *permutations):
        """The layout with an order of a tiling after it, in the paper's notation."""
        return Layout(f"{self._text}.TileOrderBy({_texts(permutations)})", self._assumptions)

    def apply(self, *index):
        """The position of a point."""
        index = _flat(index)
        if all(type(one) is int for one in index):
            with _refusing():
                return self._value(*index)
        return self._asked(lambda: _evaluated(f"({self._value})({','.join(map(_size, index))})"))

    __call__ = apply

    def inv(self, position):
        """The point at a position."""
        if type(position) is int:
            with _refusing():
                return list(self._value.inv(position))
        return self._asked(lambda: _evaluated(f"({self._value}).inv({_size(position)})"))

    def __getitem__(self, index):
        index = index if isinstance(index, tuple) else (index,)
        if any(isinstance(one, slice) for one in index):
            return self._sliced(index)
        return self.apply(*index)

    def _sliced(self, index):
        if any(one != slice(None) for one in index if isinstance(one, slice)):
            raise Refused("lego.coordinate", "a slice of a layout is a whole dimension, ':'")
        texts = (":" if isinstance(one, slice) else _size(one) for one in index)
        return self._asked(lambda: Index(_evaluated(f"({self._value})[{','.join(texts)}]")))

    def dims(self):
        """The sizes of the view."""
        return heddle.lego.dims(self._value)

    def size(self):
        """The number of points."""
        return heddle.lego.size(self._value)

    def table(self):
        """The positions of all points, as an array."""
        return self._value.table()

    def __repr__(self):
        return str(self._value)

    def __eq__(self, other):
        return isinstance(other, Layout) and self._value == other._value

    def __hash__(self):
        return hash(self._value)

    def __reduce__(self):
        return Layout, (self._text, self._assumptions)


class Index(_Written):
    """The index expression of a slice; `data` has its ranges."""

    __slots__ = ("data",)

    def __init__(self, value):
        super().__init__(str(value))
        self.data = value.data if isinstance(value, _heddle.Value) else {"index": str(value), "ranges": []}


def _texts(permutations):
    wrong = next((one for one in permutations if not isinstance(one, (_Permutation, _heddle.Value))), None)
    if wrong is not None:
        raise TypeError(f"an order is made of RegP, GenP, Row and Col, not of {type(wrong).__name__}")
    return ",".join(map(str, permutations))


class OrderBy(_Written):
    """An order; one of LEGO's Python acts on the view that follows it."""

    __slots__ = ()

    def __init__(self, *permutations):
        super().__init__(f"OrderBy({_texts(permutations)})")

    def OrderBy(self, *permutations):
        """Another order that acts before this one."""
        chained = OrderBy(*permutations)
        chained._text = f"{self._text}.{chained._text}"
        return chained

    def GroupBy(self, tiles, constraints=()):
        """The layout of a view, of tiles within tiles."""
        return Layout(f"{self._text}.GroupBy({_lists(_nested_tiles(tiles))})", constraints)

    def TileBy(self, *tiles, user_constraints=()):
        """The layout of a tiling, outermost level first."""
        return Layout(f"{self._text}.TileBy({_lists(tiles)})", user_constraints)


def _nested_tiles(tiles):
    return tiles if tiles and isinstance(tiles[0], (list, tuple)) else [tiles]


def GroupBy(*tiles, constraints=()):
    """A view, in the paper's notation."""
    return Layout(f"GroupBy({_lists(tiles)})", constraints)


def TileBy(*tiles, user_constraints=()):
    """The view of a tiling, in the paper's notation."""
    return Layout(f"TileBy({_lists(tiles)})", user_constraints)


def ExpandBy(original, extended, layout):
    """Partial tiles: the positions outside of `original` are -1, the others are numbered anew."""
    return Layout(f"ExpandBy({_list(original)},{_list(extended)},{layout._value})", layout._assumptions)


def divisibility_constraint(size, divisor):
    """The assumption that one size is a multiple of another."""
    return f"({_size(size)})%({_size(divisor)})==0"


_DIFFERENCES = [
    Difference(
        "Layout.apply",
        "OrderBy(RegP([2, 2], [1, 0]), GenP([3, 3], antidiag))"
        ".OrderBy(RegP([2, 3, 2, 3], [0, 2, 1, 3])).GroupBy([(6, 6)]), 'i', 'j'",
        "wrong at 12 of 36 points",
        "right at all points",
        "The printers of LEGO's artifact drop the parentheses of -9*(j%3). The library's expressions are "
        "checked at every point.",
    ),
    Difference(
        "OrderBy.GroupBy",
        "OrderBy(Row(2, 2)).OrderBy(GenP([2, 2], lambda i, j: i + j)), [(2, 2)]",
        "a layout",
        "lego.genp_repeated",
        "The paper leaves it to the user that a function is a permutation. Here it is proved, or refused "
        "with two points that lead to one place.",
    ),
    Difference(
        "GenP",
        "[2, 2], reverse, lambda x: (x // 2, x % 2)",
        "a layout",
        "lego.genp_inverse",
        "The inverse of figure 7, n*n - x0, is none for any n of 2 or more: n*n - 1 - x0 is. Here an inverse "
        "is checked.",
    ),
    Difference(
        "OrderBy.TileBy",
        "OrderBy(Row('K')), ['K/BK'], ['BK']",
        "a layout",
        "assume.needed",
        "It is a layout only where BK divides K, which user_constraints must say.",
    ),
    Difference(
        "OrderBy.TileBy",
        "OrderBy(Row(8)), [2], [4], user_constraints=['K%2==0', 'K%2==1']",
        "a layout",
        "assume.contradiction",
        "Contradictory assumptions make everything provable, and are refused.",
    ),
    Difference(
        "Layout.apply",
        "OrderBy(Row(2, 2)).GroupBy([(2, 2)]), 2, 0",
        "4",
        "lego.coordinate",
        "The point is outside of the view.",
    ),
]


def differences():
    """Where the answers are not those of the paper, or of the Python that comes with it."""
    return list(_DIFFERENCES)


__all__ = [
    "Col",
    "ExpandBy",
    "Function",
    "GenP",
    "GroupBy",
    "Layout",
    "OrderBy",
    "Refused",
    "RegP",
    "Row",
    "TileBy",
    "antidiag",
    "differences",
    "divisibility_constraint",
    "morton",
    "reverse",
    "swizzle",
    "xor",
]
