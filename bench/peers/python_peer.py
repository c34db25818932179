#!/usr/bin/env python3
"""The cases of bench/cases.json in a Python library: pycute (of the package nvidia-cutlass) or
tensor_layouts. Prints what Google Benchmark prints as JSON; the label of each entry tells the
operands and the result. A case whose operation the library does not have is left out."""

import argparse
import importlib
import json
import time

REPETITIONS = 7
SECONDS_EACH = 0.02


def read(text):
    """A tuple of integers from CuTe's notation: (4) is a tuple of one."""
    position = 0

    def value():
        nonlocal position
        if text[position] != "(":
            begin = position
            while position < len(text) and text[position] in "-0123456789":
                position += 1
            return int(text[begin:position])
        modes = []
        while text[position] in "(,":
            position += 1
            modes.append(value())
        position += 1
        return tuple(modes)

    return value()


def split_modes(text):
    """The parts of `a,(b,c)`: commas within parentheses do not count."""
    parts, depth = [""], 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return parts


def operand(library, text):
    if text.startswith("<"):
        tile = getattr(library, "Tile", lambda *tiles: tuple(tiles))
        return tile(*(operand(library, part) for part in split_modes(text[1:-1])))
    if ":" not in text:
        return read(text)
    shape, stride = text.split(":")
    return library.Layout(read(shape), read(stride))


def write(value):
    if isinstance(value, tuple):
        return "(" + ",".join(write(mode) for mode in value) + ")"
    return str(value)


def nanoseconds(operation, operands):
    """The least time of a call over several repetitions, in a loop long enough to be timed."""
    count, best = 1, None
    for _ in range(REPETITIONS):
        while True:
            begin = time.process_time_ns()
            for _ in range(count):
                operation(*operands)
            elapsed = time.process_time_ns() - begin
            if elapsed >= SECONDS_EACH * 1e9:
                break
            count *= 2
        each = elapsed / count
        best = each if best is None else min(best, each)
    return best


def evaluate_all(layout, coordinates):
    return [layout(coordinate) for coordinate in coordinates]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library", choices=["pycute", "tensor_layouts"])
    parser.add_argument("cases")
    arguments = parser.parse_args()
    library = importlib.import_module(arguments.library)
    names = {"composition": "compose"} if arguments.library == "tensor_layouts" else {}

    entries = []
    for case in json.load(open(arguments.cases, encoding="utf-8")):
        operation = getattr(library, names.get(case["operation"], case["operation"]), None)
        if operation is None:
            continue
        operands = [operand(library, text) for text in case["operands"]]
        try:
            result = operation(*operands)
        except Exception:  # the library cannot do this case
            continue
        text = f"{write(result.shape)}:{write(result.stride)}"
        entries.append({
            "name": case["name"],
            "cpu_time": nanoseconds(operation, operands),
            "label": " ; ".join(case["operands"]) + " => " + text,
        })
    layout = operand(library, "((8,16),(64,2)):((64,512),(1,8192))")
    coordinates = list(range(0, 16384, 16))
    entries.append({
        "name": "evaluate/flat_coordinates",
        "cpu_time": nanoseconds(evaluate_all, (layout, coordinates)) / len(coordinates),
        "label": "",
    })
    print(json.dumps({"benchmarks": entries}))


if __name__ == "__main__":
    main()
