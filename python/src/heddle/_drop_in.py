"""What the modules that stand in for other libraries have in common."""

from typing import NamedTuple


class Difference(NamedTuple):
    """A call that another library answers differently.

    `arguments` are an expression of Python in the names of the module; `theirs` and `ours` the answers as
    texts, or the names of exceptions; `reason` says what differs and who is right.
    """

    name: str
    arguments: str
    theirs: str
    ours: str
    reason: str
