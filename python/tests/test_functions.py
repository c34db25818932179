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


# The other names that notation::find_operation() knows, with calls that work.
ALIASES = {
    "make_composed_layout": ("Sw<2,0,3>", 0, "(4,8):(8,1)"), "get_swizzle_portion": ("Sw<2,0,3> o 0 o 32:1",),
    "get_nonswizzle_portion": ("Sw<2,0,3> o 0 o 32:1",), "make_shape": (4, 8), "make_stride": (8, 1),
    "make_coord": (1, 2), "make_tile": (2, 2), "make_step": (1, 2), "group_modes": ("(2,3,4):(12,4,1)", 0, 2),
    "make_swizzle": (3, 4, 3),
}


@pytest.mark.parametrize("name", ALIASES)
def test_every_other_name_of_an_operation_calls_it(name):
    arguments = ALIASES[name]
    told = ", ".join(argument if isinstance(argument, str) else repr(argument) for argument in arguments)
    for system in (heddle, heddle.cute):
        assert hasattr(system, name) and getattr(system, name).__name__ == name
        assert getattr(system, name)(*arguments) == heddle.evaluate(f"{name}({told})")
    assert not hasattr(heddle.lego, name)


def test_every_family_of_the_table_has_its_system():
    families = {heddle._heddle._described(row)["family"] for row in range(len(ROWS))}
    assert families == set(heddle._heddle._families)
    assert len(heddle._heddle._families) == len(families)


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
