"""How long a call takes through a drop-in and through the library that it stands in for.

    python bench/python/drop_ins.py [--check] [pycute] [linear_layout] [tvm_layout]

Both are measured in one run, case by case in turn, each time the best of several rounds, in time of the
processor, so that what else runs on the machine counts little. With --check
the exit code is 1 if a geometric mean is below its goal.
"""

import importlib
import math
import sys
import time
import timeit

GOALS = {"pycute": 20, "linear_layout": 5, "tvm_layout": 8}
ROUNDS, LONG_ENOUGH = 7, 0.01


def pycute_cases(module):
    layout = module.Layout
    shape, stride = (4, (2, 2)), (2, (1, 8))
    small, tile = layout(shape, stride), layout((4, 3), (3, 1))
    plane, rows = layout((6, 2), (8, 2)), layout((64, 32), (32, 1))
    nested = layout((9, (4, 8)), (59, (13, 1)))
    by_mode = (layout(3, 3), layout((2, 4), (1, 8)))
    swizzled = module.ComposedLayout(module.Swizzle(3, 4, 3), 0, layout((8, 64), (64, 1)))
    block = layout((2, 5), (5, 1))
    return {
        "is_int": lambda: module.is_int(4),
        "flatten": lambda: module.flatten(shape),
        "product": lambda: module.product(shape),
        "inner_product": lambda: module.inner_product(shape, stride),
        "elem_scale": lambda: module.elem_scale(shape, stride),
        "shape_div": lambda: module.shape_div((6, (3, 4)), 36),
        "prefix_product": lambda: module.prefix_product(shape),
        "idx2crd": lambda: module.idx2crd(13, shape),
        "crd2idx": lambda: module.crd2idx((1, (1, 1)), shape, stride),
        "crd2crd": lambda: module.crd2crd(13, shape),
        "slice_": lambda: module.slice_((1, (None, 1)), shape),
        "Layout": lambda: layout(shape, stride),
        "Layout, compact": lambda: layout(shape),
        "layout(i)": lambda: small(13),
        "layout(i, j)": lambda: rows(17, 5),
        "layout(i, (j, k))": lambda: small(1, (1, 1)),
        "layout(i, None)": lambda: rows(17, None),
        "layout[i]": lambda: nested[1],
        "layout == layout": lambda: nested == layout(nested.shape, nested.stride),
        "str": lambda: str(nested),
        "size": lambda: module.size(nested),
        "cosize": lambda: module.cosize(nested),
        "make_layout": lambda: module.make_layout(small, tile),
        "coalesce": lambda: module.coalesce(nested),
        "filter": lambda: module.filter(nested),
        "composition": lambda: module.composition(plane, tile),
        "composition by mode": lambda: module.composition(nested, by_mode),
        "complement": lambda: module.complement(rows, 4096),
        "right_inverse": lambda: module.right_inverse(rows),
        "left_inverse": lambda: module.left_inverse(rows),
        "logical_divide": lambda: module.logical_divide(nested, by_mode),
        "zipped_divide": lambda: module.zipped_divide(nested, by_mode),
        "tiled_divide": lambda: module.tiled_divide(nested, by_mode),
        "logical_product": lambda: module.logical_product(block, layout((3, 4), (1, 3))),
        "zipped_product": lambda: module.zipped_product(block, (layout(3, 5), layout(4, 6))),
        "tiled_product": lambda: module.tiled_product(block, (layout(3, 5), layout(4, 6))),
        "slice_and_offset": lambda: module.slice_and_offset((17, None), rows),
        "composed(i, j)": lambda: swizzled(5, 17),
        "swizzle(offset)": lambda: swizzled.layoutB(977),
    }


def linear_layout_cases(module):
    layout = module.LinearLayout
    registers = (layout.identity_1d(8, "register", "dim1") * layout.identity_1d(32, "lane", "dim1")
                 * layout.identity_1d(4, "warp", "dim0"))
    shared = layout.from_bases(
        [("offset", [[1 << bit, 0] for bit in range(8)] + [[1, 1], [2, 2]])], ["dim1", "dim0"])
    bases, outs = registers.bases, registers.get_out_dim_names()
    sizes = [size for _, size in registers.out_dims]
    other = layout.from_bases(bases, outs)
    warps = layout.identity_1d(4, "warp", "dim0")
    to_shared = shared.invert()
    return {
        "LinearLayout": lambda: layout(),
        "identity_1d": lambda: layout.identity_1d(32, "lane", "dim0"),
        "strided_1d": lambda: layout.strided_1d(32, 4, "lane", "dim0"),
        "zeros_1d": lambda: layout.zeros_1d(32, "lane", "dim0"),
        "from_bases": lambda: layout.from_bases(bases, outs),
        "from_bases, sizes": lambda: layout.from_bases(bases, outs, sizes, False),
        "*": lambda: registers * warps,
        "compose": lambda: registers.compose(to_shared),
        "invert_and_compose": lambda: registers.invert_and_compose(shared),
        "invert": lambda: registers.invert(),
        "pseudoinvert": lambda: registers.pseudoinvert(),
        "is_surjective": lambda: registers.is_surjective(),
        "is_injective": lambda: registers.is_injective(),
        "is_invertible": lambda: registers.is_invertible(),
        "apply": lambda: registers.apply({"register": 3, "lane": 21, "warp": 1}),
        "bases": lambda: registers.bases,
        "out_dims": lambda: registers.out_dims,
        "get_in_dim_names": lambda: registers.get_in_dim_names(),
        "get_out_dim_names": lambda: registers.get_out_dim_names(),
        "num_in_dims": lambda: registers.num_in_dims,
        "get_matrix_view": lambda: registers.get_matrix_view(),
        "==": lambda: registers == other,
        "str": lambda: str(registers),
    }


def tvm_layout_cases(module):
    shard, layout, lane = module.S, module.TileLayout, module.laneid
    fragment = layout(shard[(8, 4, 2) : (4 @ lane, 1 @ lane, 1)])
    square = layout(shard[(8, 8) : (8, 1)])
    tiled = square.tile(square, [8, 8], [8, 8])
    return {
        "TileLayout": lambda: layout(shard[(8, 4, 2) : (4 @ lane, 1 @ lane, 1)]),
        "apply(i)": lambda: fragment.apply(21),
        "apply(i, j, k)": lambda: fragment.apply(1, 2, 1),
        "apply, shape": lambda: fragment.apply(1, 2, shape=[8, 8]),
        "size": lambda: fragment.size(),
        "span": lambda: fragment.span("laneid"),
        "canonicalize": lambda: fragment.canonicalize(),
        "tile": lambda: square.tile(square, [8, 8], [8, 8]),
        "direct_sum": lambda: square.direct_sum(square, [8, 8], [8, 8]),
        "is_tile_inner": lambda: square.is_tile_inner(tiled, [64, 64], [8, 8]),
        "group": lambda: square.group([4, 16]),
        "slice": lambda: square.slice([8, 8], [(0, 4), (2, 6)]),
        "pack": lambda: square.pack(2),
        "is_trivial": lambda: square.is_trivial(),
        "get_scope": lambda: fragment.get_scope(),
        "tcgen05_atom_layout": lambda: module.tcgen05_atom_layout("16x64b", (64, 64), "float32"),
        "str": lambda: str(fragment),
        "extent": lambda: fragment.shard[0].extent,
    }


PEERS = {
    "pycute": ("heddle.pycute", "pycute", pycute_cases),
    "tvm_layout": ("heddle.tvm_layout", "tvm.tirx.layout", tvm_layout_cases),
    "linear_layout": ("heddle.linear_layout", "triton.tools", linear_layout_cases),
}


def seconds(call, count):
    return timeit.timeit(call, timer=time.process_time, number=count)


def rounds_of(call):
    """How often the call fits into a round."""
    count = 1
    while seconds(call, count) < LONG_ENOUGH:
        count *= 2
    return count


def measured(ours, theirs):
    """The seconds that each call takes."""
    counts = [rounds_of(call) for call in (ours, theirs)]
    best = [math.inf, math.inf]
    for _ in range(ROUNDS):
        for which, call in enumerate((ours, theirs)):
            best[which] = min(best[which], seconds(call, counts[which]) / counts[which])
    return best


def main(arguments):
    names = [name for name in arguments if name in PEERS] or list(PEERS)
    are_reached = True
    for name in names:
        module, peer, cases = PEERS[name]
        theirs = cases(importlib.import_module(peer))
        factors = []
        print(f"{name:24}{'heddle, ns':>12}{peer + ', ns':>20}{'factor':>10}")
        for case, call in cases(importlib.import_module(module)).items():
            own, other = measured(call, theirs[case])
            factors.append(other / own)
            print(f"{case:24}{own * 1e9:12.0f}{other * 1e9:20.0f}{other / own:10.1f}")
        mean = math.exp(sum(map(math.log, factors)) / len(factors))
        are_reached = are_reached and mean >= GOALS[name]
        print(f"{name}: geometric mean of {len(factors)} cases {mean:.1f}, goal {GOALS[name]}\n")
    return 0 if are_reached or "--check" not in arguments else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
