"""The names of pycute.typing, and the others of heddle.pycute."""

from heddle.pycute import *  # noqa: F403
