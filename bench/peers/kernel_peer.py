"""Kernels for CPUs beside NumPy, with OpenBLAS, and PyTorch: medians of paired runs.

    kernel_peer.py COMMAND [--threads N]

COMMAND is heddle's own, which compiles bench/kernels.heddle for this machine. A number is the time of
the other library divided by that of the kernel; results are compared before they are timed.
"""

import argparse
import ctypes
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

KERNELS = pathlib.Path(__file__).resolve().parents[1] / "kernels.heddle"


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


def seconds(work):
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def ratio(ours, theirs, budget=2.0):
    """How often the kernel is done while the other library is done once, and its seconds."""
    pairs, end = [], time.monotonic() + budget
    while len(pairs) < 9 or time.monotonic() < end:
        pairs.append((seconds(ours), seconds(theirs)))
    return statistics.median(b / a for a, b in pairs), statistics.median(a for a, _ in pairs)


def cases(run, threads, numpy, torch):
    random = numpy.random.default_rng(1)

    def floats(*shape, dtype="f"):
        return random.normal(size=shape).astype(dtype)

    def tensor(array):
        return torch.from_numpy(array)

    for name, dtype in (("sgemm", "f"), ("dgemm", "d")):
        for m, n, k in ((1024, 1024, 1024), (2048, 2048, 2048), (1000, 777, 513)):
            a, b = floats(m, k, dtype=dtype), floats(k, n, dtype=dtype)
            c, d = numpy.empty((m, n), dtype), numpy.empty((m, n), dtype)
            yield (f"{name} {m}x{n}x{k}", called(run(name), threads, [a, b, c], [m, k, n]), c, d,
                   {"OpenBLAS": lambda a=a, b=b, d=d: numpy.matmul(a, b, out=d)}, 2e9 * m * n * k / 1e18)
    a, b = floats(1024, 32, 32), floats(1024, 32, 32)
    c, d = numpy.empty_like(a), numpy.empty_like(a)
    yield ("1024 products 32x32x32", called(run("batched"), threads, [a, b, c], [1024]), c, d,
           {"OpenBLAS": lambda: numpy.matmul(a, b, out=d),
            "PyTorch": lambda: torch.bmm(tensor(a), tensor(b), out=tensor(d))}, 2 * 1024 * 32**3 / 1e9)
    for m, n in ((1024, 1024), (256, 8192)):
        x, scale, bias, y, z = floats(m, n), floats(n), floats(n), floats(m, n), floats(m, n)

        def softmax(x=x, z=z):
            numpy.subtract(x, x.max(axis=1, keepdims=True), out=z)
            numpy.exp(z, out=z)
            z /= z.sum(axis=1, keepdims=True)

        def layernorm(x=x, z=z, scale=scale, bias=bias):
            z[:] = (x - x.mean(1, keepdims=True)) / numpy.sqrt(x.var(1, keepdims=True) + 1e-5) * scale + bias

        def rmsnorm(x=x, z=z, scale=scale):
            z[:] = x / numpy.sqrt((x * x).mean(axis=1, keepdims=True) + 1e-5) * scale

        yield (f"softmax {m}x{n}", called(run("softmax"), threads, [x, y], [m, n]), y, z,
               {"NumPy": softmax, "PyTorch": lambda x=x, z=z: torch.softmax(tensor(x), 1, out=tensor(z))}, 0)
        yield (f"layernorm {m}x{n}", called(run("layernorm"), threads, [x, scale, bias, y], [m, n], [1e-5]),
               y, z, {"NumPy": layernorm, "PyTorch": lambda x=x, z=z, n=n, scale=scale, bias=bias:
                      tensor(z).copy_(torch.nn.functional.layer_norm(tensor(x), (n,), tensor(scale),
                                                                     tensor(bias), 1e-5))}, 0)
        yield (f"rmsnorm {m}x{n}", called(run("rmsnorm"), threads, [x, scale, y], [m, n], [1e-5]), y, z,
               {"NumPy": rmsnorm}, 0)
    for heads, rows in ((8, 2048), (8, 512)):
        q, k, v, o, p = (floats(heads, rows, 64) for _ in range(5))

        def attention(q=q, k=k, v=v, p=p):
            tensor(p).copy_(torch.nn.functional.scaled_dot_product_attention(
                tensor(q)[None], tensor(k)[None], tensor(v)[None])[0])
        yield (f"attention {heads} heads {rows}x64",
               called(run("attention"), threads, [q, k, v, o], [heads, rows], [0.125]), o, p,
               {"PyTorch": attention}, 4 * heads * rows**2 * 64 / 1e9)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command")
    parser.add_argument("--threads", type=int, default=1)
    said = parser.parse_args()
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ[name] = str(said.threads)
    import numpy
    import torch
    torch.set_num_threads(said.threads)
    known = {}
    with tempfile.TemporaryDirectory() as folder:
        def run(name):
            if name not in known:
                known[name] = compiled(said.command, pathlib.Path(folder), name)
            return known[name]
        print(f"Kernels on {said.threads} core(s): the other library's time divided by the kernel's")
        for title, ours, found, wanted, peers, gigaflops in cases(run, said.threads, numpy, torch):
            texts = []
            for peer, theirs in peers.items():
                ours()
                theirs()
                numpy.testing.assert_allclose(found, wanted, rtol=2e-4, atol=1e-3)
                times, spent = ratio(ours, theirs)
                texts.append(f"{peer} {times:.2f}")
            speed = f"{gigaflops / spent:7.1f} GFLOP/s" if gigaflops else f"{spent * 1e6:7.0f} us"
            print(f"{title:28}{speed:>18}   {', '.join(texts)}", flush=True)


if __name__ == "__main__":
    main()
