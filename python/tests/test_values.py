"""Values: immutable, equal as in C++, hashed, printed so that they evaluate back, pickled."""

import copy
import pickle

import pytest
from conftest import every_example

import heddle


# Kinds that only operations make.
MADE = (heddle.cute.Divisibility, heddle.axe.Sharded, heddle.lego.Slice)


def values():
    for name, example in every_example():
        try:
            value = heddle.evaluate(example)
        except heddle.Refused:
            continue
        items = value if isinstance(value, list) else [value]
        for item in items[:2]:
            if isinstance(item, heddle.Value) and not isinstance(item, MADE):
                yield pytest.param(item, id=f"{type(item).__name__}-{name}")


@pytest.mark.parametrize("value", list(values()))
def test_repr_evaluates_back_and_pickling_keeps_the_value(value):
    back = eval(repr(value), {"heddle": heddle})
    assert back == value and hash(back) == hash(value) and type(back) is type(value)
    assert str(back) == str(value) and repr(back) == repr(value)
    assert pickle.loads(pickle.dumps(value)) == value
    assert copy.deepcopy(value) == value


def test_equality_is_structural_and_equal_compares_maps():
    a, b = heddle.layout("(4,8):(8,1)"), heddle.layout("((2,2),8):((8,16),1)")
    assert a != b and heddle.equal(a, b)
    assert a == heddle.cute.Layout("(4, 8):(8, 1)") and len({a, heddle.layout("(4,8):(8,1)")}) == 1
    assert a != "(4,8):(8,1)" and a != 3 and not a == None  # noqa: E711


def test_values_cannot_be_changed():
    layout = heddle.layout("(4,8):(8,1)")
    for name in ("shape", "anything"):
        with pytest.raises(AttributeError):
            setattr(layout, name, 3)
    layout.__init__("(2,2):(1,2)")
    assert str(layout) == "(4,8):(8,1)"


def test_classes():
    assert isinstance(heddle.layout("(4,8):(8,1)"), heddle.cute.Layout)
    assert isinstance(heddle.layout("Sw<3,4,3> o 0 o (8,64):(64,1)"), heddle.cute.ComposedLayout)
    assert isinstance(heddle.layout("S[(8,2):(4@laneid,1@m)]"), heddle.axe.Layout)
    assert isinstance(heddle.layout("GroupBy([4,8])"), heddle.lego.Layout)
    assert isinstance(heddle.layout("{ [c] -> [2c] : 0 <= c < 4 }"), heddle.Relation)
    assert isinstance(heddle.layout("[0,4,1,5]"), heddle.Table)
    assert isinstance(heddle.layout(" - lane=1 -> (1)\nwhere out dims are: [dim0 (size 2)]"),
                      heddle.linear.LinearLayout)
    assert heddle.cute.Layout((4, 8), (8, 1)) == heddle.layout("(4,8):(8,1)")
    with pytest.raises(heddle.Misused):
        heddle.cute.Layout("S[8:1]")


def test_applying_slicing_and_modes():
    layout = heddle.layout("(4,(2,2)):(2,(1,8))")
    assert layout(1, 3) == 11 and layout(1, (1, 1)) == 11 and layout(13) == 11
    assert [str(mode) for mode in layout] == ["4:2", "(2,2):(1,8)"]
    assert len(layout) == 2 and str(layout[1]) == "(2,2):(1,8)" == str(layout[-1])
    assert str(layout[1, 0]) == "2:1" and str(layout[0:1]) == "(4):(2)"
    whole = heddle.evaluate("((4,(2,2)):(2,(1,8)))(1,_)")
    assert str(layout[1, :]) == str(layout(1, None)) == str(whole)
    with pytest.raises(IndexError):
        layout[2]
    assert layout.shape == (4, (2, 2)) and layout.stride == (2, (1, 8))
    linear = heddle.layout(" - lane=1 -> (1)\nwhere out dims are: [dim0 (size 2)]")
    assert linear(lane=1) == {"dim0": 1} or linear(lane=1) == [["dim0", 1]]


def test_composition_is_an_operator():
    a, b = heddle.layout("(6,2):(8,2)"), heddle.layout("(4,3):(3,1)")
    assert str(a @ b) == "((2,2),3):((24,2),8)" == str(a @ "(4,3):(3,1)")


def test_numbers_and_lists_are_pythons_own():
    assert heddle.cute.shape("(4,(2,2)):(2,(1,8))") == (4, (2, 2))
    assert heddle.evaluate("table((4,2):(2,1))") == [0, 2, 4, 6, 1, 3, 5, 7]
    assert heddle.evaluate("1 + 1") == 2
    assert heddle.cute.is_permutation([0, 2, 1, 3]) is True or heddle.cute.is_permutation([0, 2, 1, 3])


def test_verdicts_have_a_truth_value_unless_unknown():
    yes = heddle.equal("(4,8):(8,1)", "GroupBy([4,8])")
    no = heddle.equal("(2,2):(1,2)", "GroupBy([2,2])")
    assert yes and yes.answer == "yes" and not no and no.answer == "no"
    assert no.data["counterexample"]
    unknown = heddle.Verdict({"verdict": "unknown", "method": "gave up"})
    with pytest.raises(heddle.Undecided) as raised:
        bool(unknown)
    assert raised.value.verdict is unknown


def test_what_is_not_a_layout_is_refused_alike():
    for given in None, 0.5, object():
        with pytest.raises(heddle.Misused) as refused:
            heddle.layout(given)
        assert refused.value.code == "call.type" and "heddle.layout(" in refused.value.hint


def test_what_is_not_a_text_is_refused():
    for given in None, 3, b"4:1", heddle.layout("4:1"):
        with pytest.raises(heddle.Misused) as refused:
            heddle.evaluate(given)
        assert refused.value.code == "call.type" and "a text is needed" in str(refused.value)
        with pytest.raises(heddle.Misused, match="call.type: a condition is a text"):
            heddle.assume(given)


def test_reports_are_text_and_data():
    report = heddle.compare("(2,2):(1,2)", "GroupBy([2,2])")
    assert report.text.startswith("no  (digit form)") and isinstance(report.data, dict)
    assert str(report) == report.text and report.outcome == "refuted"


def test_what_only_operations_make_is_not_pickled():
    answer = heddle.evaluate(dict(every_example())["left_divisible"])
    assert repr(answer).startswith("<heddle.cute.Divisibility ")
    with pytest.raises(TypeError):
        pickle.dumps(answer)
