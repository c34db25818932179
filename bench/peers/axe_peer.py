#!/usr/bin/env python3
"""The cases of bench/axe_cases.json in TVM's TileLayout, through its Python package (C++ behind a
binding). Prints what Google Benchmark prints as JSON; the label of each entry tells the result. A
case that TVM refuses is left out."""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from python_peer import nanoseconds  # noqa: E402

from tvm.tirx.layout import Iter, TileLayout  # noqa: E402
from tvm_ffi import structural_equal  # noqa: E402


def read(layout):
    def iters(key):
        return [Iter(extent, stride, axis) for extent, stride, axis in layout.get(key, [])]

    return TileLayout.from_iters(iters("shard"), iters("replica"), layout.get("offset", {}))


def equal(a, b):
    return bool(structural_equal(a.canonicalize(), b.canonicalize()))


def canonicalize(a):
    return a.canonicalize()


def group(a, shape):
    return a.group(shape)[0]


def tile(a, b, a_shape, b_shape):
    return b.tile(a, a_shape, b_shape)


def tile_of(a, b, a_shape, b_shape):
    return b.is_tile_inner(a, a_shape, b_shape)


def direct_sum(a, b, a_shape, b_shape):
    return b.direct_sum(a, a_shape, b_shape)


def slice_(a, shape, region):
    return a.slice(shape, region)


OPERATIONS = {"canonicalize": canonicalize, "group": group, "tile": tile, "tile_of": tile_of,
              "direct_sum": direct_sum, "slice": slice_, "equal": equal}


def write(result):
    if isinstance(result, bool):
        return result

    def iters(list_):
        return [[int(iter_.extent), int(iter_.stride), str(iter_.axis.name)] for iter_ in list_]

    offset = {str(axis.name): int(value) for axis, value in result.offset.items()}
    return {"shard": iters(result.shard), "replica": iters(result.replica), "offset": offset}


def main():
    path = pathlib.Path(sys.argv[1])
    cases = json.loads(path.read_text())
    benchmarks = []
    for case in cases["cases"]:
        arguments = [read(cases["layouts"][name]) for name in case["operands"]]
        arguments += case.get("shapes", [])
        if "region" in case:
            arguments.append([tuple(interval) for interval in case["region"]])
        operation = OPERATIONS[case["operation"]]
        try:
            result = operation(*arguments)
            if result is None:
                raise ValueError("no layout")
        except Exception as error:  # any refusal of the other library
            print(f"TVM, {case['name']}: {str(error).splitlines()[-1]}", file=sys.stderr)
            continue
        benchmarks.append({
            "name": case["name"],
            "cpu_time": nanoseconds(operation, arguments),
            "label": " => " + json.dumps(write(result)),
        })
    print(json.dumps({"benchmarks": benchmarks}))


if __name__ == "__main__":
    main()
