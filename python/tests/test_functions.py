"""The functions are those of the table of operations."""

import inspect

import pytest
from conftest import Lenient

import heddle
from heddle._functions import make_function

ROWS = heddle._heddle._rows
SYSTEMS = {"cute": heddle.cute, "linear": heddle.linear, "axe": heddle.axe, "lego": heddle.lego,
           "relations": heddle.relations, "": heddle}


@pytest.mark.parametrize("row", range(len(ROWS)), ids=lambda row: f"{ROWS[row][0]}-{row}")
def test_example_of_the_documentation(row, run_doctest):
    name, system = ROWS[row]
    function = make_function(name, [row], SYSTEMS[system].__name__)
    if isinstance(getattr(SYSTEMS[system], name), type):  # the class calls the operation
        pytest.skip("the name is that of a class")
    several = sum(other == (name, system) for other in ROWS) > 1
    text = function.__doc__
    if several:  # the row itself, and not the one that the arguments choose
        text = text.replace(f"{SYSTEMS[system].__name__}.{name}(", f"heddle._heddle._operation({row})(")
    count, failed = run_doctest(text, name, Lenient())
    assert count == 1 and not failed, failed


def test_every_operation_is_a_function_of_its_system_and_of_the_package():
    for name, system in ROWS:
        assert callable(getattr(SYSTEMS[system], name)), (system, name)
        assert callable(getattr(heddle, name)), name
        assert name in dir(heddle) and name in SYSTEMS[system].__all__


def test_a_function_has_its_signature_and_is_documented():
    convert = heddle.convert
    assert str(inspect.signature(convert)) == "(layout, to, as_=None, shape=None)"
    assert convert.__module__ == "heddle" and convert.__name__ == "convert"
    assert convert.__doc__.startswith("The layout with the same map")
    assert heddle.cute.composition is heddle.cute.composition


def test_the_arguments_choose_the_system():
    assert heddle.size("(4,8):(8,1)") == 32
    assert heddle.size("S[(8,2):(4@laneid,1@m)]") == heddle.axe.size("S[(8,2):(4@laneid,1@m)]")
    assert heddle.cute.size("(4,8):(8,1)") == heddle.size((4, 8)) == 32


def test_arguments_by_name_and_none():
    layout = heddle.convert("(4,8):(8,1)", to="axe", as_=None, shape=None)
    assert str(layout) == "S[(4,8):(8@m,1@m)]"
    assert str(heddle.convert("(4,8):(8,1)", "axe", as_="literal")) == str(layout)


def test_an_unknown_name_is_no_attribute():
    for thing, name in ((heddle, "compositoin"), (heddle.cute, "bank_conflicts"),
                        (heddle.layout("4:1"), "compositoin"), (heddle.layout("4:1"), "no_such")):
        assert not hasattr(thing, name)
        with pytest.raises(AttributeError, match=name):
            getattr(thing, name)


def test_operations_are_methods():
    layout = heddle.layout("(4,8):(8,1)")
    assert layout.size() == 32 and layout.cosize() == 32
    assert str(layout.coalesce()) == "(4,8):(8,1)"
    assert "logical_divide" in dir(layout)
    assert str(layout.logical_divide((2, 4))) == str(heddle.cute.logical_divide(layout, (2, 4)))
