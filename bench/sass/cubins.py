"""Makes the machine code of kernels for sm_80, all by the same ptxas.

    tools = Tools.found(folder)                       nvcc and its ptxas, nvdisasm, CUTLASS, Triton, heddle
    built = cutlass_gemm(tools, gemm)                 its listing, what it needs of a multiprocessor
    built.blocks                                      2: the blocks that one holds at a time

Whatever writes a kernel writes PTX: nvcc of CUTLASS's headers and of what `heddle kernel compile` prints,
and Triton. No GPU is needed. What cannot be made raises Unavailable, which says what is missing.
"""

import dataclasses
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys

ARCHITECTURE = "sm_80"
HERE = pathlib.Path(__file__).resolve().parent
# The first is what a compiler that knows the machine is asked for.
HEDDLE_TARGETS = ("cuda:sm_80", "cuda")


class Unavailable(Exception):
    """Why a kernel cannot be had here."""


@dataclasses.dataclass(frozen=True)
class Gemm:
    """C = A B: tiles of m x n x k, copied `stages` ahead and less one, by `warps` warps."""

    m: int
    n: int
    k: int
    stages: int
    warps: int

    def __str__(self):
        return f"{self.m}x{self.n}x{self.k}, {self.stages} stages"

    @property
    def matrix_instructions(self):
        """m16n8k16 of one tile, by one of `warps`."""
        return (self.m // 16) * (self.n // 8) * (self.k // 16)


@dataclasses.dataclass(frozen=True)
class Attention:
    """softmax(Q K') V: `queries` a block against `keys` at a time, heads of `head` numbers."""

    queries: int
    keys: int
    head: int
    stages: int
    warps: int

    def __str__(self):
        return f"attention {self.queries}x{self.keys}, head {self.head}"

    @property
    def matrix_instructions(self):
        return 2 * (self.queries // 16) * (self.keys // 8) * (self.head // 16)


@dataclasses.dataclass(frozen=True)
class Multiprocessor:
    """What one of sm_80 has: CUDA C++ Programming Guide, compute capability 8.0."""

    registers: int = 65536
    register_unit: int = 256       # a warp takes whole ones
    partitions: int = 4            # each has its share of registers and warps
    warps: int = 64
    blocks: int = 32
    shared_bytes: int = 164 * 1024
    shared_unit: int = 128
    reserved_bytes: int = 1024     # of shared memory, a block


def blocks_held(registers, threads, shared_bytes, has=Multiprocessor()):
    """How many blocks of so many registers a thread, threads and bytes of shared memory fit at a time."""
    def up(value, unit):
        return -(-value // unit) * unit

    warps = -(-threads // 32)
    of_a_warp = up(max(registers, 1) * 32, has.register_unit)
    by_registers = has.registers // has.partitions // of_a_warp * has.partitions // warps
    by_shared = has.shared_bytes // up(shared_bytes + has.reserved_bytes, has.shared_unit)
    return min(by_registers, by_shared, has.warps // warps, has.blocks)


@dataclasses.dataclass(frozen=True)
class Built:
    """A kernel in machine code, and how it is launched."""

    name: str
    listing: str
    registers: int
    spilled_bytes: int
    threads: int
    shared_bytes: int  # static and dynamic

    @property
    def warps(self):
        return -(-self.threads // 32)

    @property
    def blocks(self):
        return blocks_held(self.registers, self.threads, self.shared_bytes)


@dataclasses.dataclass(frozen=True)
class Tools:
    folder: pathlib.Path  # for what is made
    nvcc: str
    ptxas: str
    nvdisasm: str
    cutlass: pathlib.Path | None  # the folder that has include/ and examples/
    heddle: str | None

    @classmethod
    def found(cls, folder, ptxas=None, nvdisasm=None, cutlass=None, heddle=None):
        nvcc = os.environ.get("NVCC") or shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
        ptxas = ptxas or str(pathlib.Path(nvcc).resolve().parent / "ptxas")
        nvdisasm = nvdisasm or _nvdisasm(nvcc)
        for tool in (nvcc, ptxas):
            if not os.access(tool, os.X_OK):
                raise Unavailable(f"there is no {tool}: NVCC may say where CUDA's compiler is")
        cutlass = cutlass or _in_package("cutlass_library", "source")
        return cls(folder, nvcc, ptxas, nvdisasm, cutlass and pathlib.Path(cutlass), heddle)

    @property
    def release(self):
        found = re.search(r"release ([\d.]+), V([\d.]+)", run([self.ptxas, "--version"]))
        return found[2] if found else "of an unknown release"


def run(words):
    """What a program prints; Unavailable, with the beginning of what it says, where it fails."""
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode:
        said = (done.stderr or done.stdout).strip()
        raise Unavailable(f"{pathlib.Path(words[0]).name} fails: {said[:600]}")
    return done.stdout + done.stderr


def _in_package(package, *path):
    """A place in an installed package of Python, None where it is not there."""
    found = importlib.util.find_spec(package)
    for folder in (found.submodule_search_locations or []) if found else []:
        place = pathlib.Path(folder).joinpath(*path)
        if place.exists():
            return place
    return None


def _nvdisasm(nvcc):
    for place in (shutil.which("nvdisasm"), pathlib.Path(nvcc).resolve().parent / "nvdisasm",
                  _in_package("nvidia", "cu13", "bin", "nvdisasm"),
                  _in_package("triton", "backends", "nvidia", "bin", "nvdisasm")):
        if place and os.access(place, os.X_OK):
            return str(place)
    raise Unavailable("there is no nvdisasm: the Python packages nvidia-cuda-nvdisasm and triton have one")


def _number(pattern, text, default=0):
    found = re.search(pattern, text)
    return int(found[1]) if found else default


def assemble(tools, stem, ptx, threads=None, dynamic_bytes=None):
    """The PTX of one kernel as machine code.

    Threads and bytes of dynamic shared memory are by default those that the PTX gives: .maxntid, or the
    constants that the sources beside this file declare.
    """
    entries = re.findall(r"\.entry\s+([\w$]+)", ptx)
    if len(entries) != 1:
        raise Unavailable(f"{stem} has {len(entries)} kernels in PTX, not one")
    source, cubin = (tools.folder / f"{stem}{suffix}" for suffix in (".ptx", ".cubin"))
    source.write_text(ptx)
    said = run([tools.ptxas, "-v", f"-arch={ARCHITECTURE}", "-o", str(cubin), str(source)])
    listing = run([tools.nvdisasm, "-c", str(cubin)])
    (tools.folder / f"{stem}.sass").write_text(listing)
    if threads is None:
        threads = _number(r"launch_threads = (\d+)", ptx) or _number(r"\.(?:max|req)ntid (\d+)", ptx)
    if dynamic_bytes is None:
        dynamic_bytes = _number(r"launch_shared_bytes = (\d+)", ptx)
    if not threads:
        raise Unavailable(f"the PTX of {stem} does not say how many threads a block has")
    return Built(
        name=entries[0],
        listing=listing,
        registers=_number(r"Used (\d+) registers", said),
        spilled_bytes=_number(r"(\d+) bytes spill stores", said) + _number(r"(\d+) bytes spill loads", said),
        threads=threads,
        shared_bytes=_number(r"(\d+) bytes smem", said) + dynamic_bytes)


def _nvcc(tools, stem, source, *options):
    path = tools.folder / f"{stem}.ptx"
    run([tools.nvcc, "-ptx", "-w", f"-arch={ARCHITECTURE}", "-std=c++17", *options, "-o", str(path), str(source)])
    return path.read_text()


def _cutlass(tools, stem, source, folders, **sizes):
    if tools.cutlass is None:
        raise Unavailable("CUTLASS is not here: the Python package nvidia-cutlass has its headers")
    missing = [folder for folder in folders if not (tools.cutlass / folder).is_dir()]
    if missing:
        raise Unavailable(f"{tools.cutlass} has no {missing[0]}")
    options = [f"-I{tools.cutlass / folder}" for folder in folders]
    options += [f"-D{name.upper()}={size}" for name, size in sizes.items()]
    return assemble(tools, stem, _nvcc(tools, stem, HERE / source, *options))


def cutlass_gemm(tools, gemm):
    stem = f"cutlass_gemm_{gemm.m}_{gemm.n}_{gemm.k}_{gemm.stages}"
    return _cutlass(tools, stem, "cutlass_gemm.cu", ["include"],
                    tile_m=gemm.m, tile_n=gemm.n, tile_k=gemm.k, stages=gemm.stages)


def cutlass_attention(tools, attention):
    stem = f"cutlass_attention_{attention.queries}_{attention.keys}_{attention.head}"
    return _cutlass(tools, stem, "cutlass_attention.cu", ["include", "examples/41_fused_multi_head_attention"],
                    queries=attention.queries, keys=attention.keys, head=attention.head)


def _triton(tools, stem, name, of, constants):
    """A kernel of triton_kernels.py. Pointers are of f16, but c_ptr of f32; numbers are multiples of 16."""
    os.environ.setdefault("TRITON_CACHE_DIR", str(tools.folder / "triton"))
    os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")
    try:
        import triton
        from triton.backends.compiler import GPUTarget
        from triton.compiler import ASTSource
    except ImportError as missing:
        raise Unavailable(f"Triton is not here: {missing}") from None
    sys.path.insert(0, str(HERE))
    import triton_kernels

    kernel = getattr(triton_kernels, name)
    kinds = {"c_ptr": "*fp32", "scale": "fp32", **dict.fromkeys(constants, "constexpr")}

    def kind(argument):
        return kinds.get(argument, "*fp16" if argument.endswith("_ptr") else "i32")

    divisible = [["tt.divisibility", 16]]
    compiled = triton.compile(
        ASTSource(
            kernel,
            signature={argument: kind(argument) for argument in kernel.arg_names},
            constexprs={(kernel.arg_names.index(a),): value for a, value in constants.items()},
            attrs={(i,): divisible for i, a in enumerate(kernel.arg_names) if kind(a) not in ("constexpr", "fp32")}),
        target=GPUTarget("cuda", int(ARCHITECTURE[3:]), 32),
        options={"num_warps": of.warps, "num_stages": of.stages})
    return assemble(tools, stem, compiled.asm["ptx"], 32 * of.warps, compiled.metadata.shared)


def triton_gemm(tools, gemm):
    stem = f"triton_gemm_{gemm.m}_{gemm.n}_{gemm.k}_{gemm.stages}"
    return _triton(tools, stem, "gemm", gemm, {"TILE_M": gemm.m, "TILE_N": gemm.n, "TILE_K": gemm.k})


def triton_attention(tools, attention):
    stem = f"triton_attention_{attention.queries}_{attention.keys}_{attention.head}"
    return _triton(tools, stem, "attention", attention,
                   {"QUERIES": attention.queries, "KEYS": attention.keys, "HEAD": attention.head})


def heddle(tools, path, name):
    """A kernel of a .heddle file. Its shared memory is what `heddle kernel explain` says."""
    if tools.heddle is None:
        raise Unavailable("there is no heddle: --heddle may say where it is")
    stem = f"heddle_{pathlib.Path(path).stem}_{name}"
    source = tools.folder / f"{stem}.cu"
    for target in HEDDLE_TARGETS:
        try:
            run([tools.heddle, "kernel", "compile", str(path), name, "--target", target, "-o", str(source)])
            explained = run([tools.heddle, "kernel", "explain", str(path), name, "--target", target])
            break
        except Unavailable as failure:
            if target == HEDDLE_TARGETS[-1] or "emit.target" not in str(failure):
                raise
    ptx = _nvcc(tools, stem, source)
    built = assemble(tools, stem, ptx)
    shared = max(built.shared_bytes, _number(r", (\d+) bytes of shared memory", explained))
    return dataclasses.replace(built, shared_bytes=shared)
