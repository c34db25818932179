"""Kernels as programs: written in Python or read from text, explained, compiled, and called with arrays."""

import os

from heddle import _heddle
from heddle._errors import Misused
from heddle._kernel_builder import Builder, Value, View, call, select, span

Kernel = _heddle.Kernel
Kernel.__module__ = __name__
Tuning = _heddle.Tuning
Tuning.__module__ = __name__

__all__ = ["Builder", "Kernel", "Tuning", "Value", "View", "call", "load", "loads", "select", "span", "tune"]


def _check_texts(text, name, target):
    if not isinstance(text, str):
        raise Misused("call.type",
                      f"kernels are read from a text, not from Python's type {type(text).__name__}",
                      hint="heddle.kernel.load(path) reads a file")
    for given in name or "", target:
        if not isinstance(given, str):
            raise Misused("call.type", f"names of kernels and targets are texts, not {given!r}")


def loads(text, name=None, target="meaning", *, threads=0, first_core=-1):
    """The kernel of that name in a text; the only one if no name is given.

    A call runs it by its meaning, with the target "opencl" on the first OpenCL device, with "cuda" on the
    first of NVIDIA's GPUs by nvcc, or with "cpu" on this CPU by the C compiler that is installed. Arrays of
    this process are copied to devices and back; tensors on the GPU, as PyTorch's and CuPy's, are taken as
    they lie. On this CPU at most so many threads work (0: as OpenMP is set), the first one on
    that core, the others on those behind it (-1: on any).

    >>> import numpy as np
    >>> double = heddle.kernel.loads("kernel double(X: i32[N]) launch cta 1, threads 32 { X[:] = 2*X }")
    >>> x = np.arange(5, dtype=np.int32)
    >>> double(x)
    >>> x
    array([0, 2, 4, 6, 8], dtype=int32)
    """
    _check_texts(text, name, target)
    if target.split(":")[0] != "cpu" and (threads, first_core) != (0, -1):
        raise Misused("call.type", f"threads and cores are chosen for the target 'cpu', not for {target!r}")
    return _heddle._kernel(text, name or "", target, threads, first_core)


def load(path, name=None, target=None, *, threads=0, first_core=-1):
    """loads() of a file; or a kernel of a shared object, which the command made of kernels:

        heddle kernel compile FILE --target cpu --emit binary -o libkernels.so

    It has the target "cpu". Its code is run, so it must be one that is trusted.
    """
    with open(path, "rb") as file:
        content = file.read(4)
        if content == b"\x7fELF":
            if target not in (None, "cpu"):
                raise Misused("call.type", f"a shared object has the target 'cpu', not {target!r}")
            return _heddle._kernel_of_object(os.fspath(path), name or "", threads, first_core)
        content += file.read()
    return loads(content.decode(), name, target or "meaning", threads=threads, first_core=first_core)


def tune(text, name=None, target="cpu", seconds=30, **sizes):
    """Tries what a kernel of a text leaves open on this CPU, on small numbers in arrays of the sizes.

    The result has the kernel with what was the fastest written down as `text`, and what was tried as
    `trials`; printed, it is a table of them. Ctrl-C ends it with KeyboardInterrupt.

    >>> copy = "kernel copy_rows(X: f32[N,64], Y: f32[N,64]) launch cta N, threads 32 { copy(Y[bx], X[bx]) }"
    >>> tuning = heddle.kernel.tune(copy, seconds=2, N=100)
    >>> heddle.kernel.loads(tuning.text, target="cpu").name
    'copy_rows'
    """
    _check_texts(text, name, target)
    return _heddle._tune(text, name or "", target, float(seconds), sizes)
