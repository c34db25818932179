"""Transposes in NumPy, beside copies of the same bytes: as JSON, for each the median of the ratios.

The cases are those of move_bench, by its names; 1.0 is the speed of a copy.
"""

import json
import os
import statistics
import time

import numpy

MEGABYTES = int(os.environ.get("HEDDLE_MOVE_MB", "16"))
TYPES = {1: "u1", 2: "u2", 4: "u4", 8: "u8", 16: "c16"}


def seconds(work):
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def of_copy(size, rows):
    columns = MEGABYTES * 1024 * 1024 // size // rows
    source = numpy.ones((rows, columns), TYPES[size])
    same, turned = numpy.empty_like(source), numpy.empty((columns, rows), TYPES[size])
    return statistics.median(
        seconds(lambda: numpy.copyto(same, source)) / seconds(lambda: numpy.copyto(turned, source.T))
        for _ in range(9))


print(json.dumps({f"Transpose/bytes:{size}/rows:{rows}/threads:1": of_copy(size, rows)
                  for size in TYPES for rows in (3000, 4096)}))
