"""Kernels for CPUs beside NumPy, with OpenBLAS, PyTorch, oneDNN and plain loops: medians of paired runs.

    kernel_peer.py COMMAND [--threads N] [--only TEXT] [--dnnl LIBRARY] [-o PICTURE.svg]

COMMAND is heddle's own, which compiles bench/kernels.heddle for this machine. A number is the time of
the other library divided by that of the kernel; results are compared before they are timed. LIBRARY is
libkernel_dnnl.so, which is built with the benchmarks. The share of the roof is the time that the kernel's
operations and bytes take at least, at the speed of products and sums of f32 in registers and of a triad
in memory, both measured first, divided by its time: more than 1 where caches hold the data. PICTURE is
the roofline of the kernels.
"""

import argparse
import ctypes
import dataclasses
import json
import os
import pathlib
import platform
import re
import statistics
import subprocess
import tempfile
import time

BENCH = pathlib.Path(__file__).resolve().parents[1]
KERNELS = BENCH / "kernels.heddle"


@dataclasses.dataclass
class Case:
    """One kernel, what it finds, what the others do, and the operations and bytes that it needs."""

    title: str
    ours: object
    found: object
    wanted: object
    peers: dict
    operations: float = 0
    moved: float = 0
    # Operations in the time of one of f32; None if that is not measured.
    at_once: float | None = 1

    def share(self, spent, roof):
        if self.at_once is None:
            return ""
        least = max(self.operations / (roof.operations * self.at_once), self.moved / roof.moved)
        return f"{least / spent:.2f}"


@dataclasses.dataclass
class Roof:
    """What the machine does at most, in a second."""

    operations: float
    moved: float


def compiled(command, folder, name):
    path = folder / f"{name}.so"
    subprocess.run([command, "kernel", "compile", KERNELS, name, "--target", "cpu", "--emit", "binary",
                    "-o", path], check=True)
    return getattr(ctypes.CDLL(str(path)), f"heddle_run_{name}")


def called(run, threads, arrays, sizes, values=()):
    numbers = [ctypes.c_int(size) for size in sizes] + [ctypes.c_float(value) for value in values]
    addresses = [array.ctypes.data for array in arrays] + [ctypes.addressof(n) for n in numbers]
    arguments = (ctypes.c_void_p * len(addresses))(*addresses)

    def call(_alive=(arrays, numbers)):
        if run(arguments, threads, -1) != 0:
            raise MemoryError
    return call


def address(array):
    return ctypes.c_void_p(array.ctypes.data)


def loops(folder):
    """bench/peers/loops.c."""
    path = folder / "loops.so"
    subprocess.run(["cc", "-O3", "-march=native", "-fopenmp", "-fPIC", "-shared", "-o", path,
                    BENCH / "peers" / "loops.c"], check=True)
    return ctypes.CDLL(str(path))


def rows_of_dnnl(path):
    """The function that makes a call of oneDNN's; None without it."""
    if not path:
        return None
    library = ctypes.CDLL(path)

    def make(name, arrays, rows, columns, *values):
        function = getattr(library, name)
        function.restype = ctypes.c_void_p
        made = ctypes.c_void_p(function(*map(address, arrays), ctypes.c_int64(rows),
                                        ctypes.c_int64(columns), *map(ctypes.c_float, values)))
        return lambda: library.rows_run(made)
    return make


def seconds(work):
    """What one core spends is told apart from what other programs do on it. On several, threads of
    the library that ran before wait for work, busily, for some 20 ms: they are let go to sleep, and
    those of this one are woken by calls that are not measured."""
    clock = time.process_time
    if os.environ["OMP_NUM_THREADS"] != "1":
        clock = time.perf_counter
        time.sleep(0.05)
        awake = time.monotonic() + 0.05
        while time.monotonic() < awake:
            work()
    begin = clock()
    work()
    return clock() - begin


def ratio(ours, theirs, budget=1.0):
    """How often the kernel is done while the other library is done once, and its least seconds."""
    pairs, end = [], time.monotonic() + budget
    while len(pairs) < 9 or time.monotonic() < end:
        pairs.append((seconds(ours), seconds(theirs)))
    return statistics.median(b / a for a, b in pairs), min(a for a, _ in pairs)


class Cases:
    def __init__(self, run, threads, dnnl, plain):
        import numpy
        import torch
        self.numpy, self.torch = numpy, torch
        self.run, self.threads, self.dnnl, self.plain = run, threads, dnnl, plain
        self.random = numpy.random.default_rng(1)

    def floats(self, *shape, dtype="f"):
        return self.random.normal(size=shape).astype(dtype)

    def call(self, name, arrays, sizes, values=()):
        return called(self.run(name), self.threads, arrays, sizes, values)

    def products(self):
        numpy, torch = self.numpy, self.torch
        for name, dtype in (("sgemm", "f"), ("dgemm", "d")):
            for m, n, k in ((1024, 1024, 1024), (2048, 2048, 2048), (1000, 777, 513)):
                a, b = self.floats(m, k, dtype=dtype), self.floats(k, n, dtype=dtype)
                c, d = numpy.empty((m, n), dtype), numpy.empty((m, n), dtype)
                yield Case(f"{name} {m}x{n}x{k}", self.call(name, [a, b, c], [m, k, n]), c, d,
                           {"OpenBLAS": lambda a=a, b=b, d=d: numpy.matmul(a, b, out=d)},
                           2 * m * n * k, a.nbytes + b.nbytes + c.nbytes, 4 / a.itemsize)
        n = 1024
        a, b = self.floats(n, n, dtype="e"), self.floats(n, n, dtype="e")
        c, d, a32, b32 = numpy.empty((n, n), "f"), numpy.empty((n, n), "f"), a.astype("f"), b.astype("f")
        yield Case(f"f16 {n}x{n}x{n}, in f32", self.call("hgemm", [a, b, c], [n, n, n]), c, d,
                   {"OpenBLAS, f32": lambda: numpy.matmul(a32, b32, out=d)},
                   2 * n**3, a.nbytes + b.nbytes + c.nbytes)
        x, y = (self.random.integers(-128, 128, (n, n), dtype="b") for _ in range(2))
        e, f = numpy.empty((n, n), "i"), numpy.empty((n, n), "i")
        yield Case(f"i8 {n}x{n}x{n}, in i32", self.call("bgemm", [x, y, e], [n, n, n]), e, f,
                   {"PyTorch": lambda: torch._int_mm(torch.from_numpy(x), torch.from_numpy(y),
                                                     out=torch.from_numpy(f))},
                   2 * n**3, x.nbytes + y.nbytes + e.nbytes, None)
        g, h = self.floats(1024, 32, 32), self.floats(1024, 32, 32)
        p, q = numpy.empty_like(g), numpy.empty_like(g)
        yield Case("1024 products 32x32x32", self.call("batched", [g, h, p], [1024]), p, q,
                   {"OpenBLAS": lambda: numpy.matmul(g, h, out=q),
                    "PyTorch": lambda: torch.bmm(*map(torch.from_numpy, (g, h)), out=torch.from_numpy(q))},
                   2 * 1024 * 32**3, 3 * g.nbytes)

    def rows(self):
        for m, n in ((1024, 1024), (256, 8192)):
            yield self.softmax(m, n)
            yield self.layernorm(m, n)
            yield self.rmsnorm(m, n)

    def softmax(self, m, n):
        numpy, torch = self.numpy, self.torch
        x, y, z = (self.floats(m, n) for _ in range(3))

        def plain():
            numpy.subtract(x, x.max(axis=1, keepdims=True), out=z)
            numpy.exp(z, out=z)
            numpy.divide(z, z.sum(axis=1, keepdims=True), out=z)
        peers = {"NumPy": plain,
                 "PyTorch": lambda: torch.softmax(torch.from_numpy(x), 1, out=torch.from_numpy(z))}
        if self.dnnl:
            peers["oneDNN"] = self.dnnl("rows_softmax", [x, z], m, n)
        return Case(f"softmax {m}x{n}", self.call("softmax", [x, y], [m, n]), y, z, peers,
                    5 * m * n, 2 * x.nbytes)

    def layernorm(self, m, n):
        torch = self.torch
        x, scale, bias, y, z = *(self.floats(*s) for s in ((m, n), (n,), (n,))), *(
            self.floats(m, n) for _ in range(2))

        def plain():
            z[:] = (x - x.mean(1, keepdims=True)) / self.numpy.sqrt(
                x.var(1, keepdims=True) + 1e-5) * scale + bias

        def torchs():
            torch.from_numpy(z).copy_(torch.nn.functional.layer_norm(
                *map(torch.from_numpy, (x,)), (n,), *map(torch.from_numpy, (scale, bias)), 1e-5))
        peers = {"NumPy": plain, "PyTorch": torchs}
        if self.dnnl:
            peers["oneDNN"] = self.dnnl("rows_layernorm", [x, scale, bias, z], m, n, 1e-5)
        return Case(f"layernorm {m}x{n}", self.call("layernorm", [x, scale, bias, y], [m, n], [1e-5]),
                    y, z, peers, 8 * m * n, 2 * x.nbytes)

    def rmsnorm(self, m, n):
        x, scale, y, z = self.floats(m, n), self.floats(n), self.floats(m, n), self.floats(m, n)

        def plain():
            z[:] = x / self.numpy.sqrt((x * x).mean(axis=1, keepdims=True) + 1e-5) * scale
        return Case(f"rmsnorm {m}x{n}", self.call("rmsnorm", [x, scale, y], [m, n], [1e-5]), y, z,
                    {"NumPy": plain}, 4 * m * n, 2 * x.nbytes)

    def attention(self):
        torch = self.torch
        for heads, rows in ((8, 2048), (8, 512)):
            q, k, v, o, p = (self.floats(heads, rows, 64) for _ in range(5))

            def theirs(q=q, k=k, v=v, p=p):
                torch.from_numpy(p).copy_(torch.nn.functional.scaled_dot_product_attention(
                    *(torch.from_numpy(each)[None] for each in (q, k, v)))[0])
            yield Case(f"attention {heads} heads {rows}x64",
                       self.call("attention", [q, k, v, o], [heads, rows], [0.125]), o, p,
                       {"PyTorch": theirs}, 4 * heads * rows**2 * 64, 4 * q.nbytes)

    def stencils(self):
        for n in (64, 256):
            a = self.floats(n, n, n)
            c, d, zeros = self.numpy.empty_like(a), self.numpy.empty_like(a), self.numpy.zeros(n, "f")
            in_bricks = (n // 8, 8) * 3
            bricks = a.reshape(in_bricks).transpose(0, 2, 4, 1, 3, 5).copy()
            e = self.numpy.empty_like(bricks)
            size = ctypes.c_ssize_t(n)

            def theirs(arrays=(a, d, zeros), size=size):
                self.plain.stencil(*map(address, arrays), size, size, size)
            numbers = 8 * n**3, 2 * a.nbytes
            yield Case(f"stencil {n}x{n}x{n}, array", self.call("stencil_array", [a, c], [n] * 3), c, d,
                       {"plain loops": theirs}, *numbers)
            yield Case(f"stencil {n}x{n}x{n}, bricks", self.call("stencil_bricks", [bricks, e], [n // 8] * 3),
                       e.transpose(0, 3, 1, 4, 2, 5), d.reshape(in_bricks),
                       {"plain loops": theirs}, *numbers)

    def all(self):
        for part in (self.products, self.rows, self.attention, self.stencils):
            yield from part()


def measured_roof(plain, threads, numpy):
    rounds, count = 200000, 1 << 24
    data, arrays = numpy.full(32, 1e-3, "f"), [numpy.ones(count, "f") for _ in range(3)]
    products = min(seconds(lambda: plain.multiply_and_add(address(data), ctypes.c_ssize_t(rounds)))
                   for _ in range(20))
    moves = min(seconds(lambda: plain.triad(*map(address, arrays), ctypes.c_ssize_t(count)))
                for _ in range(20))
    operations = plain.multiply_and_add(address(data), ctypes.c_ssize_t(1))
    return Roof(float(operations) * rounds * threads / products, 12.0 * count / moves)


def draw(command, path, roof, measured, threads):
    request = {"op": "roofline", "args": [measured, round(roof.operations), round(roof.moved)],
               "kwargs": {"format": "svg", "title": f"Kernels on {threads} core(s) of {processor()}"}}
    answer = json.loads(subprocess.run([command, "batch"], input=json.dumps(request), text=True,
                                       check=True, stdout=subprocess.PIPE).stdout)
    pathlib.Path(path).write_text(answer["result"])


def processor():
    cpuinfo = pathlib.Path("/proc/cpuinfo")
    found = re.search(r"model name\s*: (.*)", cpuinfo.read_text()) if cpuinfo.exists() else None
    return found.group(1) if found else platform.processor()


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--only", default="", help="the cases whose titles have this text")
    parser.add_argument("--dnnl", help="libkernel_dnnl.so")
    parser.add_argument("-o", "--output", help="the picture of the roofline, an SVG file")
    said = parser.parse_args()
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ[name] = str(said.threads)
    import numpy
    import torch
    torch.set_num_threads(said.threads)
    known, measured = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        def run(name):
            if name not in known:
                known[name] = compiled(said.command, pathlib.Path(folder), name)
            return known[name]
        plain = loops(pathlib.Path(folder))
        roof = measured_roof(plain, said.threads, numpy)
        print(f"On {said.threads} core(s): {roof.operations / 1e9:.0f} GFLOP/s of f32 in registers, "
              f"{roof.moved / 1e9:.1f} GB/s of memory.\n")
        print("| kernel | Heddle | of the roof | the other's time divided by Heddle's |")
        print("|---|---:|---:|---|")
        for case in Cases(run, said.threads, rows_of_dnnl(said.dnnl), plain).all():
            if said.only not in case.title:
                continue
            texts, least = [], float("inf")
            for peer, theirs in case.peers.items():
                case.ours()
                theirs()
                numpy.testing.assert_allclose(case.found, case.wanted, rtol=2e-4, atol=1e-3)
                times, spent = ratio(case.ours, theirs)
                least = min(least, spent)
                texts.append(f"{peer} {times:.2f}")
            if case.at_once == 1:
                measured[case.title] = [round(case.operations), round(case.moved), round(least * 1e9)]
            speed = (f"{case.operations / least / 1e9:.1f} GFLOP/s" if case.operations > 4 * case.moved
                     else f"{case.moved / least / 1e9:.1f} GB/s")
            print(f"| {case.title} | {speed} | {case.share(least, roof)} | {', '.join(texts)} |", flush=True)
        if said.output:
            draw(said.command, said.output, roof, measured, said.threads)


if __name__ == "__main__":
    main()
