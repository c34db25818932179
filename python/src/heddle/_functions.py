"""The functions of the package, made from the table of operations.

A module of a system says `__getattr__, __dir__, __all__ = functions_of(__name__)`. A function is made
when it is first asked for, so that importing takes no time for the hundreds that are not used.
"""

import sys

from heddle import _heddle

# {3@m + 1@lane, 19@m}
_PLACES = r"\{\d+@\w+(( \+ |, )\d+@\w+)*\}"


def _rows_of(system):
    rows = {}
    for row, (name, of_system) in enumerate(_heddle._rows):
        if system == "" or of_system == system:
            rows.setdefault(name, []).append(row)
    return rows


def _default(text):
    if text in ("true", "false"):
        return text == "true"
    try:
        return int(text)
    except ValueError:
        return text.strip('"') if text else None


def _signature(described):
    import inspect  # which takes longer than everything else that importing heddle takes in Python

    kind = inspect.Parameter
    parameters = []
    for name, need, default, _ in described["parameters"]:
        if need == "repeated":
            parameters.append(kind(name, kind.VAR_POSITIONAL))
            continue
        usual = kind.empty if need == "required" and not default else _default(default)
        place = kind.POSITIONAL_OR_KEYWORD
        if parameters and parameters[-1].kind == kind.VAR_POSITIONAL:
            place = kind.KEYWORD_ONLY
        parameters.append(kind(name, place, default=usual))
    try:
        return inspect.Signature(parameters)
    except ValueError:  # an optional parameter before a required one
        return inspect.Signature([parameter.replace(default=kind.empty) for parameter in parameters])


def _example(described, path):
    import re

    call = f"{path}{described['call']}"
    if not described["call"]:
        call = f"heddle.evaluate({described['example']!r})"
    result = described["result"]
    if result[:1] + result[-1:] == "[]" and ":" in result:  # a list of layouts
        call = f"*{call}, sep=','"
        result = result[1:-1]
    if re.fullmatch(_PLACES, result):  # a set of places is a list of dicts
        places = [[step.split("@") for step in place.split(" + ")]
                  for place in result[1:-1].split(", ")]
        result = str([{axis: int(at) for at, axis in place} for place in places])
    shown = "\n".join(line if line else "<BLANKLINE>" for line in result.split("\n"))
    return f">>> print({call})\n{shown}"


def _documentation(described, path):
    lines = [described["summary"], ""]
    if described["parameters"]:
        lines.append("Parameters:")
        for name, need, default, takes in described["parameters"]:
            note = {"required": "", "optional": ", optional", "repeated": ", any number"}[need]
            usual = f", by default {default}" if default else ""
            lines.append(f"    {name}: {takes}{note}{usual}")
        lines.append("")
    lines.append("Example:")
    lines += ["    " + line for line in _example(described, path).split("\n")]
    return "\n".join(lines) + "\n"


def make_function(name, rows, module):
    """The function of that name: of one row, or of several of which the arguments choose one."""
    systems = _heddle._systems_of(name)
    count = len(systems) if module == "heddle" else systems.count(module.removeprefix("heddle."))
    caller = _heddle._operation(rows[0]) if count == 1 else _heddle._operation_named(name)

    def function(*args, **kwargs):
        return caller(*args, **kwargs)

    scope = sys.modules[module].__dict__
    function = type(function)(function.__code__, scope, name, None, function.__closure__)
    described = [_heddle._described(row) for row in rows]
    path = f"{module}.{name}"
    function.__module__ = module
    function.__qualname__ = name
    function.__doc__ = "\n".join(_documentation(one, path) for one in described)
    if len(described) == 1:
        function.__signature__ = _signature(described[0])
    return function


def functions_of(module, system):
    """`__getattr__`, `__dir__` and the names of a module with the functions of that system."""
    rows = _rows_of(system)

    def __getattr__(name):
        found = rows.get(name) or rows.get(_heddle._name_in_table(name))
        if found is None:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        function = make_function(name, found, module)
        setattr(sys.modules[module], name, function)
        return function

    def __dir__():
        return sorted({*sys.modules[module].__dict__, *rows})

    return __getattr__, __dir__, sorted(rows)
