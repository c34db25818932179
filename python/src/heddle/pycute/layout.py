"""The names of pycute.layout, and the others of heddle.pycute."""

from heddle.pycute import *  # noqa: F403
