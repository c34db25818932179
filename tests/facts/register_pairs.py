#!/usr/bin/env python3
"""Writes register_pairs.jsonl: 200 pairs of register layouts of one tensor, as conversions have them.

The layouts are those of Triton's own encodings. Needs the package triton (3.9) and no GPU. The seed
is fixed, so the list is too:

  python3 tests/facts/register_pairs.py tests/facts
"""

import json
import random
import sys
from pathlib import Path

import triton.experimental.gluon.language as gl
from triton._C.libtriton import gluon_ir, ir

WIDTHS = [4, 8, 16, 16, 16, 32, 32, 64]
SHAPES = [[16, 64], [32, 32], [64, 16], [64, 64], [128, 32], [32, 128], [128, 64], [64, 128],
          [128, 128], [256, 32]]


def powers(product, rng, parts=2):
    """A random way to write a power of two as a product."""
    sizes = [1] * parts
    while product > 1:
        sizes[rng.randrange(parts)] *= 2
        product //= 2
    return sizes


def blocked(rng, warps):
    order = rng.choice([[1, 0], [0, 1]])
    per_thread = [1, 1]
    per_thread[order[0]] = rng.choice([1, 2, 4, 8, 16])
    if rng.random() < 0.2:
        per_thread[order[1]] = rng.choice([2, 4])
    return gl.BlockedLayout(per_thread, powers(32, rng), powers(warps, rng), order)


def mma(rng, warps, bits):
    if warps == 4 and bits in (8, 16, 32) and rng.random() < 0.4:
        return gl.NVMMADistributedLayout(version=[3, 0], warps_per_cta=[4, 1],
                                         instr_shape=[16, rng.choice([16, 32, 64]), 256 // bits])
    return gl.NVMMADistributedLayout(version=[2, 0], warps_per_cta=powers(warps, rng),
                                     instr_shape=[16, 8])


def dot_operand(rng, warps, bits):
    parent = gl.NVMMADistributedLayout(version=[2, 0], warps_per_cta=powers(warps, rng),
                                       instr_shape=[16, 8])
    return gl.DotOperandLayout(rng.choice([0, 1]), parent, max(1, 32 // bits))


def distributed(rng, warps, bits):
    kind = rng.choice(["blocked", "blocked", "blocked", "mma", "dot"])
    if kind == "mma":
        return mma(rng, warps, bits)
    if kind == "dot" and bits <= 32:
        return dot_operand(rng, warps, bits)
    return blocked(rng, warps)


def text(layout):
    """The names of the classes and what tells them apart."""
    if isinstance(layout, gl.SliceLayout):
        return f"slice {layout.dim} of {text(layout.parent)}"
    if isinstance(layout, gl.DotOperandLayout):
        return f"operand {'AB'[layout.operand_index]} of {text(layout.parent)}, k {layout.k_width}"
    if isinstance(layout, gl.NVMMADistributedLayout):
        return f"mma v{layout.version[0]} {layout.instr_shape} warps {layout.warps_per_cta}"
    return (f"blocked {layout.size_per_thread} {layout.threads_per_warp} "
            f"{layout.warps_per_cta} order {layout.order}")


def outs(shape):
    return [[f"dim{i}", size] for i, size in enumerate(shape)]


class Writer:
    def __init__(self):
        self.context = ir.context()
        ir.load_dialects(self.context)
        self.builder = gluon_ir.GluonOpBuilder(self.context)

    def registers(self, layout, shape):
        linear = self.builder.to_linear_layout(layout._to_ir(self.builder), shape)
        ins = [["register", linear.reg_bases], ["lane", linear.lane_bases],
               ["warp", linear.warp_bases], ["block", linear.block_bases]]
        return {"ins": ins, "outs": outs(shape)}

    def pair(self, rng):
        bits = rng.choice(WIDTHS)
        shape = rng.choice(SHAPES)
        warps = rng.choice([1, 2, 4, 4, 8])
        kind = rng.random()
        src = distributed(rng, warps, bits)
        dst = distributed(rng, warps, bits)
        if kind < 0.1:  # rows or columns of a larger tensor: lanes and warps repeat
            dim = rng.choice([0, 1])
            src, dst = gl.SliceLayout(dim, src), gl.SliceLayout(dim, dst)
            shape = [shape[1 - dim]]
        if kind > 0.9:  # a transpose: the same layout of the other tensor
            held = self.registers(src, shape)
            turned = self.registers(dst, [shape[1], shape[0]])
            for _, bases in turned["ins"]:
                for basis in bases:
                    basis.reverse()
            turned["outs"] = held["outs"]
            return {"src": held, "dst": turned, "bits": bits,
                    "note": f"{text(src)} -> transposed {text(dst)}"}
        return {"src": self.registers(src, shape), "dst": self.registers(dst, shape), "bits": bits,
                "note": f"{text(src)} -> {text(dst)}"}


def main():
    path = Path(sys.argv[1]) / "register_pairs.jsonl"
    writer = Writer()
    rng = random.Random(2505_23819)
    pairs = []
    while len(pairs) < 200:
        pair = writer.pair(rng)
        if pair["src"] != pair["dst"]:
            pairs.append({"id": f"pair.{len(pairs)}", **pair})
    with open(path, "w", encoding="utf-8") as file:
        for pair in pairs:
            file.write(json.dumps(pair, separators=(",", ":")) + "\n")


main()
