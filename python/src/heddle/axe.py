"""Axe layouts, as TVM writes them: shards, replicas, offsets, meshes of devices."""

from heddle import _heddle
from heddle._functions import functions_of

__getattr__, __dir__, _names = functions_of(__name__, "axe")
_kinds = {
    name: kind for name, kind in vars(_heddle.axe).items() if isinstance(kind, type)
}
globals().update(_kinds)
__all__ = sorted({*_names, *_kinds})
