"""Kernels of kernels/programs on a GPU beside PyTorch: medians of paired runs.

    gpu_peer.py COMMAND

COMMAND is heddle's own, which writes the kernels as CUDA C++; CuPy compiles and launches them. A ratio
is PyTorch's time divided by that of the kernel. Results are compared before they are timed.
"""

import argparse
import pathlib
import re
import statistics
import subprocess

PROGRAMS = pathlib.Path(__file__).resolve().parents[2] / "kernels" / "programs"
ROUNDS = 15


# What a kernel declares; for more, its launches ask.
MOST_DECLARED = 48 * 1024


def launcher(cupy, command, file, name, threads, target="cuda"):
    """A function that launches the kernel: its grid, tensors, sizes and values."""
    def said(action):
        words = [command, "kernel", action, PROGRAMS / f"{file}.heddle", name, "--target", target]
        return subprocess.run(words, check=True, capture_output=True, text=True).stdout
    kernel = cupy.RawModule(code=said("compile"), backend="nvcc",
                            options=("-std=c++17",)).get_function(name)
    shared = int(re.search(r"(\d+) bytes of shared memory", said("explain")).group(1))
    if shared <= MOST_DECLARED:
        shared = 0
    else:
        kernel.max_dynamic_shared_size_bytes = shared

    def launch(grid, tensors, sizes, values=()):
        arguments = ([cupy.uint64(tensor.data_ptr()) for tensor in tensors]
                     + [cupy.int32(size) for size in sizes] + [cupy.float32(value) for value in values])
        return lambda: kernel(tuple(grid), (threads,), tuple(arguments), shared_mem=shared)
    return launch


def timed(torch, work, repeats):
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    for _ in range(repeats):
        work()
    end.record()
    end.synchronize()
    return 1e-3 * begin.elapsed_time(end) / repeats


def ratio(torch, ours, theirs):
    """How often the kernel is done while PyTorch's is done once, and its seconds."""
    repeats = max(1, int(0.01 / max(timed(torch, ours, 3), 1e-6)))
    pairs = [(timed(torch, ours, repeats), timed(torch, theirs, repeats)) for _ in range(ROUNDS)]
    return statistics.median(b / a for a, b in pairs), statistics.median(a for a, _ in pairs)


def cases(kernel, torch):
    """Name, kernel, its result, PyTorch's function, bytes and operations."""
    def floats(*shape, dtype=torch.float32):
        return torch.randn(*shape, device="cuda", dtype=dtype)

    def up(size, tile):
        return -(-size // tile)

    n = 1 << 26
    a, b, c = floats(n), floats(n), floats(n)
    for name in ("vector_add", "vector_add_by_fours"):
        add = kernel("vector_add", name, 256)([up(n, 1024)], [a, b, c], [n])
        yield f"{name} {n}", add, c, lambda: torch.add(a, b), 12 * n, 0
    m = 8192
    a, b = floats(m, m), floats(m, m)
    for name in ("", "_tile", "_padded", "_swizzled", "_antidiagonal"):
        turn = kernel("transpose", f"transpose{name}", 256)([up(m, 32)] * 2, [a, b], [m, m])
        yield f"transpose{name} {m}x{m}", turn, b, lambda: a.T.contiguous(), 8 * m * m, 0
    functional = torch.nn.functional
    for m, n in ((4096, 4096), (4096, 1000), (256, 32768)):
        x, y, scale, bias = floats(m, n), floats(m, n), floats(n), floats(n)
        soft = kernel("softmax", "softmax", 128)([m], [x, bias, y], [m, n])
        yield f"softmax with bias {m}x{n}", soft, y, lambda: torch.softmax(x + bias, 1), 8 * m * n, 0
        norm = kernel("layernorm", "layernorm", 128)([m], [x, scale, bias, y], [m, n], [1e-5])
        yield (f"layernorm {m}x{n}", norm, y, lambda: functional.layer_norm(x, (n,), scale, bias, 1e-5),
               8 * m * n, 0)
        norm = kernel("learning", "rmsnorm", 128)([m], [x, scale, y], [m, n], [1e-5])
        yield f"rmsnorm {m}x{n}", norm, y, lambda: functional.rms_norm(x, (n,), scale, 1e-5), 8 * m * n, 0
        rows, columns = floats(m), floats(n)
        total = kernel("reductions", "sum_of_rows", 128)([m], [x, rows], [m, n])
        yield f"sum of rows {m}x{n}", total, rows, lambda: x.sum(1), 4 * m * n, 0
        total = kernel("reductions", "sum_of_columns", 128)([up(n, 32)], [x, columns], [m, n])
        yield f"sum of columns {m}x{n}", total, columns, lambda: x.sum(0), 4 * m * n, 0
    m = 4096
    a, b = floats(m, m, dtype=torch.float16), floats(m, m, dtype=torch.float16)
    bias, d, wide_a, wide_b = floats(m), floats(m, m), a.float(), b.float()

    def product():
        return functional.gelu(torch.addmm(bias, wide_a, wide_b))
    gemm = kernel("gemm", "gemm_ab", 128)([up(m, 64)] * 2, [a, b, bias, d], [m, m, m])
    yield f"gemm with bias and gelu, single precision {m}", gemm, d, product, 0, 2 * m**3
    heads, s = 16, 4096
    q, k, v, o = (floats(heads, s, 64) for _ in range(4))
    for name, is_causal in (("attention", False), ("causal_attention", True)):
        attend = kernel("attention", name, 128)([s // 32, heads], [q, k, v, o], [heads, s], [0.125])
        yield (f"{name}, single precision {heads}x{s}x64", attend, o,
               lambda is_causal=is_causal: functional.scaled_dot_product_attention(
                   q, k, v, is_causal=is_causal), 0, 4 * heads * s * s * 64 // (1 + is_causal))


    yield from tensor_cores(lambda name, threads: kernel("tensor_cores", name, threads, "cuda:sm_80"),
                            torch, floats)


def tensor_cores(kernel, torch, floats):
    """Products on tensor cores, beside cuBLAS and the attention of PyTorch."""
    half = torch.float16
    for m in (4096, 8192):
        a, b, c = floats(m, m, dtype=half), floats(m, m, dtype=half), floats(m, m)
        for name, n, threads in (("gemm_tn", 128, 128), ("gemm_tn_4", 128, 128), ("gemm_tn_wide", 256, 256),
                                 ("gemm_tn_wide_4", 256, 256)):
            gemm = kernel(name, threads)([m // 128, m // n], [a, b, c], [m, m, m])
            yield f"{name}, f16 {m}", gemm, c, lambda a=a, b=b: (a @ b.T).float(), 0, 2 * m**3
    heads, s = 16, 4096
    q, k, v, o = (floats(heads, s, 64, dtype=half) for _ in range(4))
    attend = kernel("attention_tc", 128)([s // 64, heads], [q, k, v, o], [heads, s, s], [0.125])
    yield (f"attention, f16 {heads}x{s}x64", attend, o,
           lambda: torch.nn.functional.scaled_dot_product_attention(q, k, v), 0,
           4 * heads * s * s * 64)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command")
    command = parser.parse_args().command
    import cupy
    import torch

    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}")
    print(f"{'':<46} {'PyTorch':>8} {'ms':>8} {'GB/s':>8} {'TFLOP/s':>8}")
    for name, ours, result, theirs, moved, operations in cases(
            lambda *names: launcher(cupy, command, *names), torch):
        ours()
        wanted = theirs()
        torch.testing.assert_close(result, wanted, rtol=2e-3, atol=2e-3 * float(wanted.abs().max()))
        times, seconds = ratio(torch, ours, theirs)
        print(f"{name:<46} {times:8.2f} {1e3 * seconds:8.3f} {1e-9 * moved / seconds:8.0f}"
              f" {1e-12 * operations / seconds:8.2f}", flush=True)


if __name__ == "__main__":
    main()
