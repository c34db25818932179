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


class Integer(ABC):  # noqa: B024
    """The integers among the leaves of tuples: int and its subclasses, without bool."""

    @classmethod
    def __subclasshook__(cls, kind):
        return kind is not bool and issubclass(kind, int)


_DIFFERENCES = [
    Difference(
        "composition", "Layout((4, 6), (1, 5)), Layout(6, 1)", "4:1", "composition.no_layout",
        "Two of the six elements vanish in pycute. No layout of one mode of 6 has these indices, so it is "
        "refused."),
    Difference(
        "composition", "Layout((8, 8), (8, 1)), Layout(6, 3)", "AssertionError", "(3, 2):(24, 9)",
        "A layout with these indices exists; pycute asserts a divisibility that it does not need. CuTe 4.7 "
        "answers (3,2):(24,1), which is wrong."),
    Difference(
        "complement", "Layout((2, 2), (1, 1))", "0:2", "complement.not_injective",
        "pycute answers a shape with an extent of 0."),
    Difference(
        "right_inverse", "Layout((6, 4), (1, 0))", "1:0", "6:1",
        "pycute stops at a stride of 0. The right inverse is the longest run that can be read back; "
        "CuTe 4.7 answers as here."),
    Difference(
        "logical_product", "Layout((2, 5), (5, 1)), 4", "((2, 2), 3):((5, 1), 2)",
        "((2, 5), 4):((5, 1), 10)",
        "pycute 4.2 divides where it should multiply, if the tiler is a number; CuTe 4.7 multiplies."),
    Difference(
        "cosize", "Layout(4, -1)", "-2", "4",
        "pycute takes the last index for the greatest. As in CuTe 4.7, strides count by absolute value."),
    Difference(
        "cosize", "ComposedLayout(Swizzle(2, 0, 3), 0, Layout(64))", "32", "64",
        "pycute answers the size of the swizzle, beyond which the layout goes on; here it is one more "
        "than the greatest index."),
    Difference(
        "crd2idx", "-1, (4, 8), (8, 1)", "23", "coordinate.negative",
        "pycute lets a negative coordinate run backwards; CuTe C++ answers another number."),
    Difference(
        "idx2crd", "3, (4, 1), (1, 0)", "ZeroDivisionError", "(3, 0)",
        "A mode of extent 1 has the coordinate 0, whatever its stride."),
    Difference(
        "shiftr", "5, 0", "RecursionError", "5", "pycute calls shiftl and shiftr in turn without end."),
    Difference(
        "Swizzle.__eq__", "Swizzle(3, 4, 3), Swizzle(3, 4, 3)", "NotImplemented", "True",
        "Swizzles with the same parameters are the same swizzle; composed layouts are compared by them."),
    Difference(
        "size", "Layout((2, 2), 1)", "4", "layout.incongruent",
        "pycute takes a shape and a stride of different nesting, and answers or fails by chance."),
    Difference(
        "composition", "Layout(1, 1), Layout(4, 1)", "4:0", "4:1",
        "Past its end a layout goes on in its last mode, also in one of extent 1. pycute drops that mode, "
        "and so its composition is not A(B(c)) by its own evaluation."),
    Difference(
        "left_inverse", "Layout((16, 8), (1, 24))", "16:1", "(24, 8):(1, 16)",
        "24 is not a multiple of 16: pycute's answer reads back the first mode only."),
    Difference(
        "left_inverse", "Layout(4, 0)", "1:0", "4:0",
        "Repeated elements have no left inverse; the answer is one of the coordinates, as in CuTe 4.7."),
    Difference(
        "left_inverse", "Layout((6, 6, 8), (2, 6, 24))", "(2, 6):(288, 1)", "left_inverse.divisibility",
        "The modes run into one another, and pycute's answer is not an inverse. Some layouts that repeat "
        "elements are refused though pycute's answer happens to be one of the coordinates."),
    *(Difference(
        name, "Layout((8,), (8,)), 1", "(1, 8):(8, 8)", "(1, 8):(0, 8)",
        "Modes of extent 1 that the division makes have stride 0, as CuTe 4.7 writes them; the map is the "
        "same. pycute asserts divisibility where CuTe 4.7 and this module round up to whole tiles, and "
        "answers extents of 0 where this module refuses.")
      for name in ("logical_divide", "zipped_divide", "tiled_divide")),
    *(Difference(
        name, "Layout((2, 5), (5, 1)), 4", "((2, 2), 3):((5, 1), 2)", "((2, 5), 4):((5, 1), 10)",
        "As logical_product: a number is multiplied by, and copies that would meet are refused.")
      for name in ("zipped_product", "tiled_product")),
    Difference(
        "tiled_product", "Layout((3, 5), (64, 24)), Layout(1, 3)", "((3, 5), 1):((64, 24), 120)",
        "complement.not_injective",
        "The modes of the block interleave, so that no complement is known; pycute is right here, because "
        "there is one copy."),
]


def differences():
    """Where the answers are not those of pycute 4.2, or where CuTe 4.7 writes others."""
    return list(_DIFFERENCES)


from heddle.pycute import int_tuple, layout, swizzle, typing  # noqa: E402

__all__ = [
    "ABC", "Integer", "Union", "chain", "differences", "int_tuple", "layout", "reduce",
    "swizzle", "typing", *(name for name in vars(_pycute) if not name.startswith("_")),
]
