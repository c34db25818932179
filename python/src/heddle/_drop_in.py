"""What the modules that stand in for other libraries have in common."""

from typing import NamedTuple


class Difference(NamedTuple):
    """A call that another library answers differently.

    `name(arguments)` is the call, in the names of the module; `theirs` and `ours` are the answers as texts,
    the code of a refusal, the name of another exception, or `abort`, where the process ends; `reason` says
    what differs and who is right.
    """

    name: str
    arguments: str
    theirs: str
    ours: str
    reason: str
