"""Sizes as TVM writes them: numbers, expressions of TVM, and symbolic sizes of the library."""

import re

from heddle import _heddle
from heddle._errors import Refused


class Constant(int):
    """A number that has what TVM's IntImm has."""

    __slots__ = ()
    dtype = "int32"

    @property
    def value(self):
        return int(self)


class Map(dict):
    """A dict that is printed as TVM's Map."""

    def __repr__(self):
        return (
            "{"
            + ", ".join(
                f'"{key}": {value}' if isinstance(key, str) else f"{key!r}: {value}"
                for key, value in self.items()
            )
            + "}"
        )


_NUMBER = re.compile(r"-?\d+")
_NAME = re.compile(r"[A-Za-z_]\w*")
_OPERATORS = {"Add": "+", "Sub": "-", "Mul": "*", "FloorDiv": "//", "FloorMod": "%"}
_FUNCTIONS = {"Min": "min", "Max": "max"}

# The variables of TVM by the names that the library knows them by.
_variables = {}


def _of_tvm(thing):
    return type(thing).__module__.startswith("tvm") and hasattr(thing, "__tvm_ffi_type_info__")


def is_expression(thing):
    return isinstance(thing, (int, _heddle.Int)) or _of_tvm(thing) or hasattr(thing, "__index__")


def _name_of(variable):
    """A name of its own for each variable; TVM may have several of one name."""
    name = base = str(variable.name)
    count = 0
    while name in _variables and not _variables[name].same_as(variable):
        count += 1
        name = f"{base}_{count}"
    _variables[name] = variable
    return name


def text_of(size):
    """The text of a size, as the library reads it."""
    if isinstance(size, int):
        return str(int(size))
    if not _of_tvm(size):
        return str(size if isinstance(size, _heddle.Int) else size.__index__())
    kind = type(size).__name__
    if kind == "IntImm":
        return str(size.value)
    if kind in ("Var", "SizeVar"):
        return _name_of(size)
    if kind in _OPERATORS:
        return f"({text_of(size.a)}{_OPERATORS[kind]}{text_of(size.b)})"
    if kind in _FUNCTIONS:
        return f"{_FUNCTIONS[kind]}({text_of(size.a)},{text_of(size.b)})"
    raise Refused("syntax.expression", f"{size} is no size: TVM's {kind} is none of + - * // % min max")


def size_of(size):
    """The size as the library has it."""
    if isinstance(size, int):
        return int(size)
    return _of_names(text_of(size))


def _of_names(text):
    names = set(_NAME.findall(text)) - {"min", "max"}
    scope = {name: _heddle._size(name) for name in names}
    from heddle import max as greatest, min as least

    return eval(text, {**scope, "min": least, "max": greatest, "__builtins__": {}})  # noqa: S307


def expression(answer):
    """What is given back for a size: a number, or an expression of what its names stand for."""
    if isinstance(answer, int):
        return Constant(answer)
    if _of_tvm(answer):
        return answer
    text = str(answer)
    if _NUMBER.fullmatch(text):
        return Constant(text)
    names = set(_NAME.findall(text)) - {"min", "max"}
    if not names <= set(_variables):
        return answer if isinstance(answer, _heddle.Int) else _of_names(text)
    import tvm

    scope = {name: _variables[name] for name in names}
    return eval(text, {**scope, "min": tvm.tirx.min, "max": tvm.tirx.max, "__builtins__": {}})  # noqa: S307
