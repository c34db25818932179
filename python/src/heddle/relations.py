"""Integer set relations."""

from heddle._functions import functions_of
from heddle._heddle import Relation

__getattr__, __dir__, _names = functions_of(__name__, "relations")
__all__ = ["Relation", *_names]
