"""The names of pycute.int_tuple, and the others of heddle.pycute."""

from heddle.pycute import *  # noqa: F403
