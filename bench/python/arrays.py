"""How long ten million coordinates take through a layout, and through NumPy's own // and %.

    python bench/python/arrays.py

NumPy evaluates the digits of the same layout one after the other, the plain way. Both are measured in turn, each
time the median of several rounds, by the clock, because large arrays are evaluated on several threads.
"""

import math
import statistics
import time

import numpy as np

import heddle

COUNT, ROUNDS = 10**7, 7
LAYOUTS = (
    "(4096,4096):(4096,1)",
    "((8,512),(8,512)):((8,32768),(1,64))",
    "((16,256),(16,256)):((1,4096),(16,1048576))",
    "((3,5,7),(100,2000)):((200000,600000,3000000),(1,100))",
    "(((2,4),(8,16)),((4,8),(16,64))):(((1,512),(2,4096)),((16,64),(65536,1048576)))",
)


def leaves(tuple_):
    return [leaf for part in tuple_ for leaf in leaves(part)] if isinstance(tuple_, tuple) else [tuple_]


def by_numpy(layout):
    extents, strides = leaves(layout.shape), leaves(layout.stride)

    def evaluate(rest):
        total = 0
        for extent, stride in zip(extents[:-1], strides[:-1], strict=True):
            total = total + rest % extent * stride
            rest = rest // extent
        return total + rest * strides[-1]

    return evaluate


def seconds(call):
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def main():
    factors = []
    random = np.random.default_rng(0)
    print(f"{'layout and coordinates':100}{'heddle, ms':>12}{'NumPy, ms':>12}{'factor':>10}")
    for text in LAYOUTS:
        layout = heddle.layout(text)
        plain = by_numpy(layout)
        size = heddle.size(layout)
        for kind, points in (("a run", np.arange(COUNT) % size), ("scattered", random.integers(0, size, COUNT))):
            assert np.array_equal(layout(points), plain(points))
            times = [[seconds(lambda: call(points)) for call in (layout, plain)] for _ in range(ROUNDS)]  # noqa: B023
            own, other = (statistics.median(column) for column in zip(*times, strict=True))
            factors.append(other / own)
            print(f"{text + ', ' + kind:100}{own * 1e3:12.1f}{other * 1e3:12.1f}{other / own:10.1f}")
    mean = math.exp(sum(map(math.log, factors)) / len(factors))
    print(f"geometric mean of {len(factors)} cases {mean:.1f}, goal 20")


if __name__ == "__main__":
    main()
