"""The modules that stand in for other libraries, in a program with types."""

from heddle import lego_layout, pycute, tvm_layout
from heddle.linear_layout import LinearLayout
from heddle.tvm_layout import S, TileLayout


def tile_of(tensor: pycute.Layout, rows: int, columns: int) -> pycute.Layout:
    return pycute.zipped_divide(tensor, (rows, columns))[0]


def offset_of(tensor: pycute.Layout, row: int) -> int:
    return pycute.slice_and_offset((row, None), tensor)[1]


def lane_layout(lanes: int, warps: int) -> LinearLayout:
    return LinearLayout.identity_1d(lanes, "lane", "dim0") * LinearLayout.identity_1d(warps, "warp", "dim0")


matrix = pycute.Layout((128, 64), (64, 1))
print(tile_of(matrix, 8, 8), offset_of(matrix, 3), pycute.size(matrix), matrix(1, 2), len(matrix))
point: dict[str, int] = lane_layout(32, 4).apply({"lane": 3, "warp": 1})
names: list[str] = lane_layout(32, 4).get_in_dim_names()
print(point, names, [difference.reason for difference in pycute.differences()][:1])
fragment = TileLayout(S[(8, 4, 2) : (4 @ tvm_layout.laneid, 1 @ tvm_layout.laneid, 1)])
print(fragment.size(), fragment.canonicalize())
order = lego_layout.OrderBy(lego_layout.Row(4, 4)).TileBy([2, 2], [2, 2])
print(order)
