"""The names of pycute.swizzle, and the others of heddle.pycute."""

from heddle.pycute import *  # noqa: F403
