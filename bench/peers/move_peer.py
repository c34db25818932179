"""Moves of NumPy or PyTorch beside copies of the same bytes, in turns: as JSON, medians of the ratios.

    move_peer.py numpy|torch

The names are those of move_bench and move_dnnl; 1.0 is the speed of a copy. OMP_NUM_THREADS tells
PyTorch how many threads to use.
"""

import json
import os
import statistics
import sys
import time

MEGABYTES = int(os.environ.get("HEDDLE_MOVE_MB", "16"))
THREADS = int(os.environ.get("OMP_NUM_THREADS", "1"))


def seconds(work):
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def of_copy(copy, move):
    return statistics.median(seconds(copy) / seconds(move) for _ in range(9))


def columns(size, rows):
    return MEGABYTES * 1024 * 1024 // size // rows


def numpy_moves():
    import numpy

    def measured(source, same, turned):
        return of_copy(lambda: numpy.copyto(same, source), lambda: numpy.copyto(turned, source.T))

    types = {1: "u1", 2: "u2", 4: "u4", 8: "u8", 16: "c16"}
    for size in types:
        for rows in (3000, 4096):
            source = numpy.ones((rows, columns(size, rows)), types[size])
            same, turned = numpy.empty_like(source), numpy.empty(source.T.shape, source.dtype)
            yield f"Transpose/bytes:{size}/rows:{rows}", measured(source, same, turned)


def torch_moves():
    import torch

    torch.set_num_threads(THREADS)
    types = {1: torch.uint8, 2: torch.bfloat16, 4: torch.float32, 8: torch.float64, 16: torch.complex128}

    def measured(source, view):
        """A view that is made contiguous in memory that was written before."""
        same, turned = source.clone(), view.clone(memory_format=torch.contiguous_format)
        return of_copy(lambda: same.copy_(source), lambda: turned.copy_(view))

    for size in types:
        for rows in (3000, 4096):
            source = torch.ones((rows, columns(size, rows)), dtype=types[size])
            yield f"Transpose/bytes:{size}/rows:{rows}", measured(source, source.T)
    for size in (2, 4):
        images = torch.ones((columns(size, 64 * 56 * 56), 64, 56, 56), dtype=types[size])
        yield f"nchw_to_nhwc/bytes:{size}", measured(images, images.permute(0, 2, 3, 1))
        images = images.reshape(-1, 56, 56, 64)
        yield f"nhwc_to_nchw/bytes:{size}", measured(images, images.permute(0, 3, 1, 2))


moves = {"numpy": numpy_moves, "torch": torch_moves}[sys.argv[1]]()
print(json.dumps({f"{name}/threads:{THREADS}": ratio for name, ratio in moves}))
