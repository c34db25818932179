"""CuTe's layouts, swizzles, tilers, tensors, atoms: the operations that CuTe has, by its names."""

from heddle import _heddle
from heddle._functions import functions_of

__getattr__, __dir__, _names = functions_of(__name__, "cute")
_kinds = {
    name: kind for name, kind in vars(_heddle.cute).items() if isinstance(kind, type)
}
globals().update(_kinds)
__all__ = sorted({*_names, *_kinds})
