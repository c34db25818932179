"""A swizzled tile of shared memory: its layout, its conversions, its index code."""

import heddle
from heddle import cute

tile = cute.Layout("(8,64):(64,1)")
swizzled = heddle.layout("Sw<3,3,3> o 0 o (8,64):(64,1)")
print(heddle.equal(tile, swizzled).answer)
print(heddle.convert(tile, "axe"), tile.size(), len(tile))
with heddle.assume("M % 128 == 0"):
    print(cute.logical_divide("(M):(1)", 128))
try:
    cute.composition("(4,6):(1,5)", "6:1")
except heddle.Refused as refused:
    print(refused.code, refused.hint)
picture: heddle.Picture = heddle.draw(tile)
print(picture.svg[:4])
