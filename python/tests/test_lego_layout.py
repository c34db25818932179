"""The drop-in for LEGO's Python, against what LEGO's own artifact computes."""

import itertools
import json
import pickle
import random
import re

import pytest
from conftest import ROOT

import heddle
from heddle import lego_layout
from heddle.lego_layout import (
    Col,
    ExpandBy,
    GenP,
    GroupBy,
    OrderBy,
    Refused,
    RegP,
    Row,
    TileBy,
    antidiag,
    differences,
    reverse,
)

NAMES = {name: getattr(lego_layout, name) for name in lego_layout.__all__}
ROWS = [json.loads(line) for line in (ROOT / "tests/facts/lego_vectors.jsonl").open()]


def made(text):
    return eval(text, dict(NAMES))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_every_row_of_the_artifact(row):
    texts = [] if row["group"] == "expandby" else [row["artifact"]]
    for text in texts:
        layout = made(text)
        assert all(layout.apply(*index) == place for *index, place in row["apply"])
        assert all(layout.inv(place) == index for place, *index in row["inv"])
    assert heddle.layout(row["layout"]) is not None


def test_expand_by():
    row = next(row for row in ROWS if row["group"] == "expandby")
    layout = ExpandBy([3, 7], [4, 9], OrderBy(Row(4, 9)).GroupBy([(4, 9)]))
    assert all(layout.apply(*index) == place for *index, place in row["apply"])


def test_the_papers_notation_acts_from_left_to_right():
    layout = (
        GroupBy([6, 6])
        .OrderBy(RegP([2, 3, 2, 3], [1, 3, 2, 4]))
        .OrderBy(RegP([2, 2], [2, 1]), GenP([3, 3], antidiag))
    )
    assert layout.apply(4, 2) == layout(4, 2) == layout[4, 2] == layout.apply([4, 2]) == 15
    assert layout.inv(15) == [4, 2]
    assert TileBy([2, 2], [2, 2]).OrderBy(Row(4, 4)).apply(1, 0, 1, 1) == 13


def random_permutation(rng, size):
    """A RegP of that many points, counted from 0, and its function by plain evaluation."""
    tile = []
    while size > 1:
        factor = rng.choice([one for one in range(2, size + 1) if size % one == 0])
        tile.append(factor)
        size //= factor
    tile = tile or [1]
    sigma = list(range(len(tile)))
    rng.shuffle(sigma)
    return tile, sigma


def plain(tile, sigma, flat):
    index = []
    for extent in reversed(tile):
        flat, one = divmod(flat, extent)
        index.insert(0, one)
    place = 0
    for dimension in sigma:
        place = place * tile[dimension] + index[dimension]
    return place


def test_random_orders_are_their_plain_evaluation_and_have_inverses():
    seed = random.randrange(1 << 32)
    print("seed", seed)
    rng = random.Random(seed)
    for _ in range(300):
        view = [rng.randint(1, 4) for _ in range(rng.randint(1, 3))]
        size = 1
        for extent in view:
            size *= extent
        orders = [random_permutation(rng, size) for _ in range(rng.randint(1, 3))]
        written = OrderBy(RegP(*orders[0]))
        for order in orders[1:]:
            written = written.OrderBy(RegP(*order))
        if all(sigma == sorted(sigma) and len(sigma) == 1 for _, sigma in orders):
            continue
        layout = written.GroupBy([tuple(view)])
        for flat, index in enumerate(itertools.product(*map(range, view))):
            place = flat
            for order in reversed(orders):  # the last one acts first
                place = plain(*order, place)
            assert layout.apply(*index) == place, (written, view, index)
            assert layout.inv(place) == list(index)


def test_functions_of_python():
    formula = OrderBy(GenP([3, 2], lambda i, j: 5 - 2 * i - j)).GroupBy([(3, 2)])
    assert formula == OrderBy(
        GenP([3, 2], lambda i, j: 5 - 2 * i - j, lambda x: (2 - x // 2, 1 - x % 2))
    ).GroupBy([(3, 2)])
    assert [formula(i, j) for i in range(3) for j in range(2)] == [5, 4, 3, 2, 1, 0]

    def diagonals(n, i, j):
        order = sorted(itertools.product(range(n), repeat=2), key=lambda at: (sum(at), at[0]))
        return order.index((i, j))

    table = OrderBy(GenP([4, 4], diagonals)).GroupBy([(4, 4)])
    named = OrderBy(GenP([4, 4], antidiag)).GroupBy([(4, 4)])
    assert [table(i, j) for i in range(4) for j in range(4)] == [
        named(i, j) for i in range(4) for j in range(4)
    ]


def test_slices_and_names():
    layout = OrderBy(Row("M", "K")).TileBy(
        ["M/BM", "K/BK"], ["BM", "BK"], user_constraints=["M%BM==0", "K%BK==0"]
    )
    assert str(layout["i", "k", :, :]) == (
        "K*(BM*i+tl.arange(0, BM)[:, None])+BK*k+tl.arange(0, BK)[None, :]"
    )
    assert str(layout["i", "k", "a", "b"]) == "BM*K*i+K*a+BK*k+b"
    assert layout["i", "k", :, :].data["ranges"][0]["extent"] == "BM"
    assert str(OrderBy(Col(4, 4)).GroupBy([(4, 4)]).apply("i", 1)) == "i+4"


def test_layouts_are_values():
    layout = OrderBy(Col(4, 4)).GroupBy([(4, 4)])
    assert (
        pickle.loads(pickle.dumps(layout)) == layout
        and len({layout, OrderBy(Col(4, 4)).GroupBy([(4, 4)])}) == 1
    )
    assert heddle.layout(str(layout)) == layout._value
    assert layout.table().tolist() == [[0, 4, 8, 12], [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15]]


def test_what_is_wrong_is_refused():
    for wrong in (
        lambda: OrderBy(Row(5, 5)).GroupBy([(4, 4)]),
        lambda: OrderBy(Row(4)).GroupBy([(4,)])(4),
        lambda: OrderBy(Row(4)).GroupBy([(4,)]).inv(-1),
        lambda: OrderBy(Row(4, 4)).GroupBy([(4, 4)])[0:2, :],
    ):
        with pytest.raises(heddle.Refused) as raised:
            wrong()
        assert isinstance(raised.value, AssertionError)
    with pytest.raises(TypeError):
        OrderBy(3)
    with pytest.raises(TypeError):
        Row(1.5)


@pytest.mark.parametrize("difference", differences(), ids=lambda one: one.arguments[:40])
def test_differences_are_what_is_answered(difference):
    text = f"{difference.name}({difference.arguments})"
    if not re.fullmatch(r"\w+\.\w+", difference.ours):
        layout = made(difference.arguments)[0]
        row = next(row for row in ROWS if row["id"] == "fig6")
        assert all(layout.apply(*index) == place for *index, place in row["apply"])
        assert difference.ours == "right at all points"
        return
    with pytest.raises(Refused) as raised:
        made(text)
    assert raised.value.code == difference.ours


def test_the_example(run_doctest):
    count, said = run_doctest(lego_layout.__doc__, "lego_layout")
    assert count > 3 and said == ""
    assert str(reverse) == "reverse"
