"""One layout algebra for CuTe, Triton, LEGO, Axe and integer set relations.

>>> import heddle
>>> tile = heddle.layout("(4,8):(8,1)")
>>> tile(1, 5)
13
>>> print(heddle.cute.composition("(6,2):(8,2)", "(4,3):(3,1)"))
((2,2),3):((24,2),8)
>>> bool(heddle.equal(tile, "GroupBy([4,8])"))
True

Every operation of the library is a function: of its system's module (`heddle.cute`, `heddle.linear`,
`heddle.axe`, `heddle.lego`, `heddle.relations`), and of the package, where the arguments choose the
system. Wherever a layout is taken, its text may be given in any notation, or the object of another
library: CUTLASS, CuTe DSL, Triton, TVM, PyTorch, JAX, NumPy.
"""

from heddle import _heddle
from heddle._errors import Misused, Refused, Undecided
from heddle._functions import functions_of as _functions_of
from heddle._heddle import (  # noqa: F401
    Int,
    Plan,
    Relation,
    Report,
    Table,
    Value,
    Verdict,
    __version__,
    evaluate,
    layout,
    make_plan,
)

__getattr__, __dir__, _names = _functions_of(__name__, "")
_kinds = {name: kind for name, kind in vars(_heddle).items()
          if isinstance(kind, type) and issubclass(kind, Value)}
for _kind in (*_kinds.values(), Plan):
    _kind.__module__ = __name__
globals().update(_kinds)

from heddle import axe, cute, kernel, lego, linear, relations  # noqa: E402
from heddle._drawing import Picture, draw  # noqa: E402
from heddle._methods import gather, scatter  # noqa: E402
from heddle._relayout import Recipe, recipes, relayout  # noqa: E402
from heddle._reshard import Resharded, ReshardedTensor, reshard  # noqa: E402


def symbols(names):
    """The sizes of these names: an Int for one name, a tuple for several.

    >>> M, N = heddle.symbols("M N")
    >>> print(heddle.cute.make_layout((M, N)))
    (M,N):(1,M)
    """
    made = tuple(_heddle._size(name) for name in str(names).replace(",", " ").split())
    return made[0] if len(made) == 1 else made


class _Holding:
    """Settings that hold within a `with`."""

    def __init__(self, settings):
        self._settings, self._tokens = settings, []

    def __enter__(self):
        self._tokens.append(_heddle._current_settings.set(self._settings))
        return self._settings

    def __exit__(self, *error):
        _heddle._current_settings.reset(self._tokens.pop())


def assume(*conditions):
    """A context in which these conditions on symbolic sizes hold.

    >>> with heddle.assume("M % 128 == 0"):
    ...     print(heddle.cute.logical_divide("(M):(1)", 128))
    (128,M//128):(1,128)

    What is made there keeps its assumptions: it is refused (`assume.needed`) where they do not hold.
    """
    for condition in conditions:
        if not isinstance(condition, str):
            raise Misused("call.type", f"a condition is a text, as in 'M % 128 == 0', not {condition!r}")
    return _Holding(_heddle._assuming(list(conditions)))


def settings(*, steps=None, timeout=None, engine=None, axes=(), strict=False):
    """A context with other limits: `steps` of isl for each question (2000000 by default; the answer
    is the same on every machine), `timeout` in seconds on top (none by default), `engine`
    'algebra' or 'isl' for a second opinion, `axes` of Axe layouts to declare ("stage: memory"), and
    `strict` to refuse axes that nothing declares.

    >>> with heddle.settings(engine="isl"):
    ...     print(heddle.cute.composition("(6,2):(8,2)", "(4,3):(3,1)"))
    ((2,2),3):((24,2),8)
    """
    return _Holding(_heddle._with_settings(steps, timeout, engine, list(axes), strict))


__all__ = sorted({
    *_names, *_kinds, "Misused", "Picture", "Plan", "Recipe", "Refused", "Undecided", "assume", "axe", "cute",
    "draw", "evaluate", "gather", "kernel", "layout", "lego", "linear", "make_plan", "recipes", "relations",
    "relayout", "reshard", "Resharded", "ReshardedTensor", "scatter", "settings", "symbols",
})
