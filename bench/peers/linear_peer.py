#!/usr/bin/env python3
"""The cases of bench/linear_cases.json in Triton's own LinearLayout class, through its Python
package, or with matrices over GF(2) in NumPy. Prints what Google Benchmark prints as JSON; the
label of each entry tells the result. A case whose operation a library does not have is left out."""

import argparse
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from python_peer import nanoseconds  # noqa: E402


class Triton:
    """triton.tools.LinearLayout: C++ behind a thin binding."""

    def __init__(self):
        from triton.tools import LinearLayout

        self.layout = LinearLayout
        self.operations = {
            "compose": lambda a, b: a.compose(b),
            "invert": lambda a: a.invert(),
            "pseudoinvert": lambda a: a.pseudoinvert(),
            "invert_and_compose": lambda a, b: a.invert_and_compose(b),
            "multiply": lambda a, b: a * b,
            "equals": lambda a, b: a == b,
            "apply": lambda a, point: a.apply(point),
            "from_bases": self.layout.from_bases,
        }

    def operands(self, operation, layouts):
        if operation == "from_bases":
            return self.parts(layouts[0])
        if operation == "apply":
            return [self.read(layouts[0]), dict(ones(layouts[0]))]
        return [self.read(layout) for layout in layouts]

    @staticmethod
    def parts(layout):
        names, sizes = zip(*layout["outs"])
        return [[tuple(in_) for in_ in layout["ins"]], list(names), list(sizes), False]

    def read(self, layout):
        return self.layout.from_bases(*self.parts(layout))

    def write(self, result, _):
        if isinstance(result, dict):
            return list(result.items())
        if not isinstance(result, self.layout):
            return result
        return {"ins": result.bases, "outs": result.out_dims}


class Numpy:
    """Matrices of 0 and 1, one column for each input bit, as one would write it without names."""

    def __init__(self):
        import numpy

        self.np = numpy
        self.operations = {
            "compose": lambda a, b: b @ a & 1,
            "invert": lambda a: self.solve(a, numpy.eye(len(a), dtype=numpy.uint8)),
            "pseudoinvert": lambda a: self.solve(a, numpy.eye(len(a), dtype=numpy.uint8)),
            "invert_and_compose": lambda a, b: self.solve(b, a),
            "equals": lambda a, b: bool(numpy.array_equal(a, b)),
        }

    def operands(self, _, layouts):
        return [self.read(layout) for layout in layouts]

    def read(self, layout):
        columns = []
        for _, vectors in layout["ins"]:
            for vector in vectors:
                bits = []
                for coordinate, (_, size) in zip(vector, layout["outs"]):
                    bits += [coordinate >> bit & 1 for bit in range(size.bit_length() - 1)]
                columns.append(bits)
        return self.np.array(columns, dtype=self.np.uint8).T.copy()

    def solve(self, a, b):
        """X with a X = b by Gauss and Jordan; free variables are 0."""
        rows, columns = a.shape
        both = self.np.hstack([a, b])
        pivots = []
        for column in range(columns):
            row = len(pivots)
            found = self.np.flatnonzero(both[row:, column])
            if not found.size:
                continue
            both[[row, row + found[0]]] = both[[row + found[0], row]]
            others = both[:, column].astype(bool)
            others[row] = False
            both[others] ^= both[row]
            pivots.append(column)
            if len(pivots) == rows:
                break
        solution = self.np.zeros((columns, b.shape[1]), dtype=self.np.uint8)
        solution[pivots] = both[: len(pivots), columns:]
        return solution

    def write(self, result, expected):
        """The dimensions are those of the answer that it is compared with."""
        if isinstance(result, bool):
            return result
        columns = result.T.tolist()
        ins = []
        for name, vectors in expected["ins"]:
            mine = []
            for _ in vectors:
                bits, vector = columns.pop(0), []
                for _, size in expected["outs"]:
                    width = size.bit_length() - 1
                    vector.append(sum(bits.pop(0) << bit for bit in range(width)))
                mine.append(vector)
            ins.append([name, mine])
        return {"ins": ins, "outs": expected["outs"]}


def ones(layout):
    return [(name, min(1, len(vectors))) for name, vectors in layout["ins"]]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library", choices=["triton", "numpy"])
    parser.add_argument("cases")
    parser.add_argument("answers", help="Heddle's results by name, as JSON")
    arguments = parser.parse_args()
    library = Triton() if arguments.library == "triton" else Numpy()
    with open(arguments.cases, encoding="utf-8") as file:
        content = json.load(file)
    with open(arguments.answers, encoding="utf-8") as file:
        answers = json.load(file)
    runs = []
    for case in content["cases"]:
        operation = library.operations.get(case["operation"])
        if operation is None:
            continue
        operands = library.operands(case["operation"],
                                    [content["layouts"][name] for name in case["operands"]])
        result = library.write(operation(*operands), answers[case["name"]])
        runs.append({"name": case["name"], "cpu_time": nanoseconds(operation, operands),
                     "label": " => " + json.dumps(result)})
    print(json.dumps({"benchmarks": runs}))


if __name__ == "__main__":
    main()
