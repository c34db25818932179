"""Triton's linear layouts and encodings, and Gluon's layouts."""

from heddle import _heddle
from heddle._functions import functions_of

__getattr__, __dir__, _names = functions_of(__name__, "linear")
_kinds = {
    name: kind for name, kind in vars(_heddle.linear).items() if isinstance(kind, type)
}
globals().update(_kinds)
__all__ = sorted({*_names, *_kinds})
