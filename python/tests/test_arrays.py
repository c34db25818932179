"""Arrays of coordinates, against one call for each."""

import random

import numpy as np
import pytest

import heddle

LAYOUTS = [
    "(4,8):(8,1)", "((4,8),(2,4)):((2,64),(1,16))", "(3,5,7):(1,100,-3)", "((3,4),6):((7,0),5)", "1:0",
    "(4096,4096):(1,4096)", "(1000,999):(999,1)", "Sw<3,4,3> o 0 o (8,64):(64,1)",
    "Sw<2,0,-3> o 5 o (16,8):(8,1)", "(4,2):(1@0,1@1)", "(4,2):(2,1) tile (8)",
    "S[(8,2,4):(4@laneid,1@m,1@laneid)] + 5@m", "S[(6,5):(5@m,1@m)]", "SW(3,3,3) o S[(8,64):(64,1)]",
    "GroupBy([6,4]).OrderBy(RegP([2,2],[2,1]),GenP([3,2],reverse))",
    "GroupBy([4,8]).OrderBy(Col(4,8))", "GroupBy([4,4]).OrderBy(GenP([4,4],antidiag))",
    "{ [c] -> [(-3c) mod 16] : 0 <= c < 16 }", "[[3,1,2],[7,7,0]]",
    "Sw<3,4,3> o 0 o (128,128):(128,1)",
]


def one_by_one(layout, flat):
    """What a single coordinate gives, as a number or a tuple of numbers."""
    value = heddle.map_value(layout, flat) if hasattr(heddle, "map_value") else layout(int(flat))
    return value


# Sixteen million objects of Python take half a minute; a million tell the same.
@pytest.mark.parametrize("text", [text for text in LAYOUTS if "4096" not in text])
def test_an_array_gives_what_the_table_lists(text):
    layout = heddle.layout(text)
    table = heddle.convert(layout, "table")
    values = np.array(table.data["table"] if isinstance(table.data, dict) else table.data)
    assert np.array_equal(layout.table(), values.reshape(layout.table().shape))


@pytest.mark.parametrize("text", LAYOUTS[:9])
def test_every_flat_coordinate_of_a_layout_of_cute(text):
    layout = heddle.layout(text)
    size = layout.size()
    flat = np.array([random.Random(7).randrange(size) for _ in range(500)] + [0, size - 1])
    assert layout(flat).tolist() == [layout(int(one)) for one in flat]
    assert layout(flat.astype(np.int32)).dtype == np.int64
    assert layout(flat.reshape(2, -1)).shape == (2, flat.size // 2)


def test_coordinates_of_the_box_are_broadcast():
    layout = heddle.layout("(4,(2,4)):(2,(1,8))")
    rows, columns = np.arange(4)[:, None], np.arange(8)
    assert np.array_equal(layout(rows, columns), layout.table())
    assert np.array_equal(layout(2, columns), layout.table()[2])


def test_named_coordinates_and_axes():
    linear = heddle.layout(" - register=1 -> (0, 1)\n - lane=1 -> (1, 0)\n"
                           "where out dims are: [dim0 (size 2), dim1 (size 2)]")
    images = linear(lane=np.arange(2), register=1)
    assert images["dim0"].tolist() == [0, 1] and images["dim1"].tolist() == [1, 1]
    axe = heddle.layout("S[(8,2):(4@laneid,1@m)]")(np.arange(16))
    assert axe["laneid"].tolist() == [4 * (i // 2) for i in range(16)]
    assert axe["m"].tolist() == [i % 2 for i in range(16)]


def test_past_the_end_as_the_algebra_says():
    layout = heddle.layout("(4,3):(3,1)")
    flat = np.arange(40)
    assert layout(flat).tolist() == [layout(int(one)) for one in flat]
    with pytest.raises(heddle.Refused) as raised:
        heddle.layout("GroupBy([4,8])")(np.array([0, 32]))
    assert raised.value.code == "view.coordinate" and "element 1" in raised.value.notes[0]
    with pytest.raises(heddle.Refused):
        layout(np.array([-1]))


def test_past_the_box_as_the_algebra_says():
    rows, columns = np.arange(9)[:, None], np.arange(7)
    for text in ("(4,3):(3,1)", "(4,(2,3)):(2,(1,8))", "Sw<2,0,3> o 0 o (8,4):(8,1)"):
        layout = heddle.layout(text)
        images = layout(rows, columns)
        assert all(images[i, j] == layout(i, j) for i in range(9) for j in range(7))
    layout = heddle.layout("(4,3):(3,1)")
    assert layout(np.array([-1]), np.array([9])) == [layout(-1, 9)]
    for at in (9, -1), (np.array([9]), np.array([-1])):
        with pytest.raises(heddle.Refused):
            heddle.layout("(4,(2,3)):(2,(1,8))")(*at)
    for text in ("GroupBy([4,8])", "[[0,1],[2,3]]"):
        for at in (4, 9), (np.array([4]), np.array([9])):
            with pytest.raises(heddle.Refused):
                heddle.layout(text)(*at)


def test_linear_layouts_take_numbers_as_arrays_by_position():
    layout = heddle.evaluate('identity_1d(4, "register", "dim0") * identity_1d(8, "lane", "dim1")')
    for at in (1, 3), (13,), (3, 7):
        images = layout(*map(np.array, at))
        assert layout(*at) == [[name, int(image)] for name, image in images.items()]
    for at in (9, 3), (32,):
        with pytest.raises(heddle.Refused):
            layout(*at)
        with pytest.raises(heddle.Refused):
            layout(*map(np.array, at))
    for one in 1, np.array([1]):
        with pytest.raises(heddle.Refused):
            layout(register=one)
    with pytest.raises(heddle.Misused) as refused:
        layout(1, 2, 3)
    assert refused.value.hint == "L(register=3, lane=7)"


def test_what_is_refused():
    layout = heddle.layout("(4,8):(8,1)")
    with pytest.raises(heddle.Misused):
        layout(np.array([0.5]))
    with pytest.raises(heddle.Misused):
        layout(np.array([2**64 - 1], dtype=np.uint64))
    with pytest.raises(heddle.Refused):
        heddle.layout("(M,8):(8,1)")(np.arange(4))
    with pytest.raises(heddle.Refused) as raised:
        heddle.layout("S[8:1@m] + R[2:4@warpid]")(np.arange(8))
    assert raised.value.code == "recover.copies"


def test_the_table_is_an_array_of_its_own():
    table = heddle.layout("(2,4):(4,1)").table()
    assert table.tolist() == [[0, 1, 2, 3], [4, 5, 6, 7]] and not table.flags.owndata
    table[0, 0] = 9
    assert heddle.layout("(2,4):(4,1)").table()[0, 0] == 0


def test_recover_reads_an_array():
    for text in ("(4,8):(8,1)", "(2,3):(1,2)", "((2,2),4):((1,8),2)"):
        table = heddle.layout(text).table()
        assert heddle.equal(heddle.recover(table), text)
    assert str(heddle.recover(np.array([0, 1, 3, 2]))) == "Sw<1,0,1> o 0 o 4:1"
    assert heddle.Table(np.arange(4)) == heddle.layout("[0,1,2,3]")


def test_gather_and_scatter_are_inverse():
    layout = heddle.layout("((2,2),3):((1,6),2)")
    array = np.arange(100, 112)
    gathered = layout.gather(array)
    table = layout.table()
    assert gathered.shape == (4, 3)
    assert all(gathered[c] == array[table[c]] for c in np.ndindex(4, 3))
    scattered = layout.scatter(gathered, fill=-1)
    assert all(scattered[table[c]] == gathered[c] for c in np.ndindex(4, 3))
    with pytest.raises(heddle.Refused) as raised:
        heddle.layout("(4,2):(1,3)").scatter(np.zeros((4, 2)))
    assert raised.value.code == "scatter.overlap" and raised.value.witness["found"] == 3
    with pytest.raises(heddle.Refused) as raised:
        layout.gather(np.arange(5))
    assert raised.value.code == "gather.outside"


def test_arrays_as_layouts_are_their_shape_and_strides():
    array = np.zeros((4, 8), dtype=np.float32)
    assert str(heddle.layout(array)) == "(4,8):(8,1)"
    assert str(heddle.layout(array.T)) == "(8,4):(1,8)"
    assert heddle.equal(array[::2], "(2,8):(16,1)")


def test_random_layouts_against_one_call_for_each():
    seed = random.randrange(1 << 30)
    print("seed", seed)
    rng = random.Random(seed)
    checked = 0
    for _ in range(300):
        rank = rng.randint(1, 4)
        shape = tuple(rng.choice([1, 2, 3, 4, 5, 8, 16, 31]) for _ in range(rank))
        stride = tuple(rng.randint(-40, 200) for _ in range(rank))
        layout = heddle.cute.Layout(f"{_text(shape)}:{_text(stride)}")
        if rng.random() < 0.3 and min(stride) >= 0:
            layout = heddle.layout(f"Sw<2,{rng.randint(0, 3)},2> o {rng.randint(0, 9)} o {layout}")
        flat = np.array([rng.randrange(int(np.prod(shape))) for _ in range(50)])
        assert layout(flat).tolist() == [layout(int(one)) for one in flat], layout
        checked += 1
    assert checked == 300


def _text(numbers):
    return "(" + ",".join(map(str, numbers)) + ")"


def test_large_results_share_no_memory():
    layout = heddle.layout("(1024,1024):(1024,1)")
    points = np.arange(2**20)
    wanted = points % 1024 * 1024 + points // 1024
    kept = [layout(points)]
    for _ in range(3):
        freed = layout(points[::-1])
        del freed  # its memory is used for the next result
        kept.append(layout(points))
    kept[1][:] = -1
    assert all(np.array_equal(kept[i], wanted) for i in (0, 2, 3))


def test_arrays_without_dimensions_stay_so():
    assert heddle.layout("(2,3):(3,1)")(np.array(4)).shape == ()


@pytest.mark.parametrize("integer", [np.int64, np.int32, np.uint8])
def test_scalars_of_numpy_are_the_numbers_that_they_hold(integer):
    layout = heddle.layout("(4,8):(8,1)")
    for call in [
        lambda n: heddle.cute.logical_divide(layout, n(2)),
        lambda n: heddle.cute.zipped_divide(layout, (n(2), 4)),
        lambda n: heddle.cute.complement(layout, n(64)),
        lambda n: heddle.cute.make_layout(n(4), n(2)),
        lambda n: heddle.cute.Layout((n(4), 8), (8, 1)),
        lambda n: heddle.bank_conflicts("32:1", "32:1", n(32)),
        lambda n: heddle.layout(n(5)),
        lambda n: heddle.size(n(4)),
        lambda n: layout @ n(4),
        lambda n: layout[n(1)],
        lambda n: layout[n(1), :],
        lambda n: layout(n(3)),
        lambda n: layout(n(3), n(1)),
    ]:
        given, expected = call(integer), call(int)
        assert type(given) is type(expected) and str(given) == str(expected)
    with pytest.raises(heddle.Misused, match="float"):
        heddle.size(np.float64(4))


def test_none_leaves_a_dimension_free():
    layout = heddle.layout("(4,8):(8,1)")
    assert heddle.cute.slice((1, None), layout) == layout(1, None)


def test_hints_are_in_python():
    with pytest.raises(heddle.Misused) as raised:
        heddle.layout("nonsense")
    assert raised.value.hint.endswith(": heddle.assume('nonsense>=0')")
    assert raised.value.hint in str(raised.value)


def test_arrays_of_integers_are_tuples_where_tuples_are_taken():
    cute, array = heddle.cute, np.array
    for kind in np.int64, np.int32, np.uint8:
        assert str(cute.Layout(array([4, 8], kind), array([8, 1], kind))) == "(4,8):(8,1)"
    assert str(cute.Layout(array([4, 8]))) == "(4,8):(1,4)"
    assert str(cute.make_layout(array([4, 8]), stride=array([8, 1]))) == "(4,8):(8,1)"
    assert str(cute.Layout((array([4, 8]), array(2)), (array([8, 1]), 64))) == "((4,8),2):((8,1),64)"
    layout = heddle.layout("(4,8):(8,1)")
    for name in ("logical_divide", "zipped_divide", "flat_divide", "composition", "tiled_product"):
        divide = getattr(cute, name)
        assert divide(layout, array([2, 4])) == divide(layout, [2, 4])
    assert layout.logical_divide(array([2, 4])) == layout.logical_divide([2, 4])
    assert cute.size(array([4, 8])) == 32 and cute.isqrt(array(16)) == 4
    assert cute.slice(array([0, 1]), layout) == cute.slice((0, 1), layout)
    assert str(heddle.lego.GroupBy(array([2, 3]))) == "GroupBy([2,3])"


def test_other_arrays_are_no_tuples():
    array = np.array
    for shape, stride in ((array([[4, 8]]), array([[8, 1]])), (array([4.0, 8.0]), array([8.0, 1.0])),
                          (array([True, True]), array([True, True])),
                          (np.arange(1 << 20), np.arange(1 << 20))):
        with pytest.raises(heddle.Misused) as refused:
            heddle.cute.Layout(shape, stride)
        assert refused.value.code == "call.type" and "heddle.layout(" in refused.value.hint
    with pytest.raises(heddle.Misused, match="call.type"):
        heddle.cute.logical_divide("(4,8):(8,1)", array([[2, 4]]))
    for values in array([3, 1, 0, 2]), array([[3, 1], [0, 2]]):  # not the layout (4):(1)
        with pytest.raises(heddle.Misused, match="call.type"):
            heddle.lego.GenP([4], values)


def test_arrays_are_layouts_where_layouts_are_taken():
    assert str(heddle.layout(np.array([4, 8]))) == "(2):(1)"
    assert str(heddle.cute.Layout(np.zeros((4, 8)))) == "(4,8):(8,1)"
    assert str(heddle.cute.composition(np.zeros((4, 8)), np.array([2, 4]))) == "(2,4):(8,1)"
    assert heddle.cute.size(np.zeros((4, 8))) == 32
    assert str(heddle.convert(np.array([1, 2, 3]), "axe")) == "S[(3):(1@m)]"


def test_truth_values_are_a_table_and_no_coordinates():
    assert str(heddle.recover(np.array([False, True]))) == str(heddle.recover(np.array([0, 1])))
    with pytest.raises(heddle.Misused, match="an array of bool is given; an array of integers is needed"):
        heddle.layout("(4,8):(8,1)")(np.array([True, False]))
