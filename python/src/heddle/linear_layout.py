"""The class LinearLayout of triton.tools, computed by the library: exact, or refused.

>>> from heddle.linear_layout import LinearLayout
>>> layout = LinearLayout.identity_1d(4, "lane", "dim0") * LinearLayout.identity_1d(2, "warp", "dim0")
>>> layout.apply({"lane": 3, "warp": 1})
{'dim0': 7}

differences() lists where the answers are not Triton's, and why.
"""

from heddle._drop_in import Difference
from heddle._heddle.linear_layout import LinearLayout

_ABORT = "Triton checks this by an assertion, which ends the process; here it is an exception."
_DIFFERENCES = [
    Difference(
        "LinearLayout.apply", "LinearLayout.identity_1d(4, 'a', 'b'), {'a': 5}", "{'b': 1}",
        "linear.coordinate",
        "Triton drops the bits above the dimension, and answers for another point."),
    Difference(
        "LinearLayout.apply", "LinearLayout.identity_1d(4, 'a', 'b'), {'a': -1}", "{'b': 3}",
        "linear.coordinate",
        "Triton drops the sign, and answers for another point."),
    Difference(
        "LinearLayout.apply", "LinearLayout.identity_1d(4, 'a', 'b'), {}", "abort",
        "linear.missing_dim", _ABORT),
    Difference(
        "LinearLayout.from_bases", "[('a', [[1]]), ('a', [[2]])], ['b'], [4], False",
        "\n - a=1 -> (2)\nwhere out dims are: [b (size 4)]", "linear.duplicate_dim",
        "Of two inputs of one name Triton forgets the first."),
    Difference(
        "LinearLayout.from_bases", "[('a', [[1], [1]])], ['b'], [4], True", "abort",
        "linear.not_surjective", _ABORT),
    Difference("LinearLayout.identity_1d", "3, 'a', 'b'", "abort", "linear.size", _ABORT),
    Difference(
        "LinearLayout.compose",
        "LinearLayout.identity_1d(4, 'a', 'b'), LinearLayout.identity_1d(2, 'b', 'c')",
        "abort", "linear.dim_too_large", _ABORT),
    Difference(
        "LinearLayout.invert", "LinearLayout.zeros_1d(4, 'a', 'b', 4)", "abort",
        "linear.not_invertible", _ABORT),
    Difference(
        "LinearLayout.pseudoinvert", "LinearLayout.zeros_1d(4, 'a', 'b', 4)", "abort", "linear.no_solution",
        _ABORT),
    Difference(
        "LinearLayout.get_shared_view",
        "LinearLayout.from_bases([('offset', [[2], [1]]), ('block', [])], ['x'], [8], False), False",
        "[(0),(2),(1),(3),(0),(2),(1),(3)]\n", "linear.total_size",
        "Triton writes as many offsets as the tensor has elements, though the layout has four; here both "
        "must be equally many."),
    Difference(
        "LinearLayout.__eq__", "LinearLayout(), 3", "TypeError", "NotImplemented",
        "In Python == has an answer for all objects; `in` and `index` of lists need one."),
    Difference(
        "len", "{LinearLayout(), LinearLayout()}", "2", "1",
        "Equal objects must have equal hashes, so that sets and dicts find them; therefore layouts do not "
        "change, and `a *= b` gives `a` another layout instead of changing one that other names have too."),
]


def differences():
    """Where the answers are not those of Triton 3.9."""
    return list(_DIFFERENCES)


__all__ = ["LinearLayout", "differences"]
