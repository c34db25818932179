"""CUTLASS's pycute under its own names, computed by the library: exact, or refused.

>>> from heddle.pycute import Layout, composition
>>> composition(Layout((6, 2), (8, 2)), Layout((4, 3), (3, 1)))
Layout(((2, 2), 3),((24, 2), 8))

differences() lists where the answers are not pycute's, and why.
"""

from abc import ABC
from functools import reduce
from itertools import chain
from typing import Union

from heddle import _errors
from heddle._drop_in import Difference
from heddle._heddle import pycute as _pycute

globals().update({name: value for name, value in vars(_pycute).items() if not name.startswith("_")})


class Refused(_errors.Refused, AssertionError):
    """As heddle.Refused. It is an AssertionError as well, because pycute asserts."""


class Integer(ABC):
    """The integers among the leaves of tuples: int and its subclasses, without bool."""

    @classmethod
    def __subclasshook__(cls, kind):
        return kind is not bool and issubclass(kind, int)


class ComposedLayout(_pycute.LayoutBase):
    """A function after an offset after a layout: c -> layoutB(offset + layoutA(c))."""

    def __init__(self, layoutB, offset, layoutA):
        self.layoutB, self.offset, self.layoutA = layoutB, offset, layoutA

    def __eq__(self, other):
        return (self.layoutB, self.offset, self.layoutA) == (other.layoutB, other.offset, other.layoutA)

    def __len__(self):
        return len(self.layoutA)

    def __call__(self, *coordinate):
        return self.layoutB(self.offset + self.layoutA(*coordinate))

    def __getitem__(self, mode):
        return ComposedLayout(self.layoutB, self.offset, self.layoutA[mode])

    def size(self):
        return _pycute.size(self.layoutA)

    def cosize(self):
        from heddle import cute

        return cute.cosize(self)

    def __str__(self):
        return f"{self.layoutB} o {self.offset} o {self.layoutA}"

    def __repr__(self):
        return f"ComposedLayout({self.layoutB!r},{self.offset!r},{self.layoutA!r})"


def differences():
    """Where the answers are not those of pycute 4.2, or where CuTe 4.7 writes others."""
    return list(_DIFFERENCES)


from heddle.pycute import int_tuple, layout, swizzle, typing  # noqa: E402

__all__ = [
    "ABC", "ComposedLayout", "Integer", "Union", "chain", "differences", "int_tuple", "layout", "reduce",
    "swizzle", "typing", *(name for name in vars(_pycute) if not name.startswith("_")),
]
