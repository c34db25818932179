"""Writes the stubs of the package: nanobind's of the extension, and those of the table's functions.

    python stubs.py FOLDER        FOLDER is the package, heddle/, with its extension
"""

import inspect
import pathlib
import re
import sys

HEAD = '''"""{doc}"""

# Made from the table of operations by python/stubs.py.

from typing import Any

'''


def parameter(one):
    text = ("*" if one.kind == one.VAR_POSITIONAL else "") + one.name + ": Any"
    return text if one.default is one.empty else f"{text} = ..."


def declaration(name, function):
    signature = getattr(function, "__signature__", None)
    if signature is None:  # several systems have one of the name
        return f"def {name}(*args: Any, **kwargs: Any) -> Any: ..."
    parameters, is_keyword = [], False
    for one in signature.parameters.values():
        if one.kind == one.KEYWORD_ONLY and not is_keyword:
            is_keyword = True
            if not any(text.startswith("*") for text in parameters):
                parameters.append("*")
        parameters.append(parameter(one))
    return f"def {name}({', '.join(parameters)}) -> Any: ..."


def members(kind):
    lines = ["    def __init__(self, *args: Any, **kwargs: Any) -> None: ...",
             "    def __getattr__(self, name: str) -> Any: ..."]
    for name in sorted(vars(kind)):
        if name.startswith("__") and name not in ("__call__", "__len__", "__getitem__"):
            continue
        value = inspect.getattr_static(kind, name)
        if isinstance(value, property):
            lines.append(f"    @property\n    def {name}(self) -> Any: ...")
        elif name == "__len__":
            lines.append("    def __len__(self) -> int: ...")
        elif name == "__getitem__":
            lines.append("    def __getitem__(self, index: Any) -> Any: ...")
        elif callable(value):
            lines.append(f"    def {name}(self, *args: Any, **kwargs: Any) -> Any: ...")
    return lines


def stub_of(module, kinds):
    """The stub of a module; `kinds` is the module that has the class Value, if it is another one."""
    lines = [HEAD.format(doc=module.__doc__.strip().split("\n")[0])]
    if kinds:
        lines.append(f"from {kinds} import Value as Value")
    functions = []
    for name in module.__all__:
        value = getattr(module, name)
        if inspect.ismodule(value):
            lines.append(f"from {module.__name__} import {name} as {name}")
        elif value.__module__ != module.__name__:
            lines.append(f"from {value.__module__} import {name} as {name}")
        elif isinstance(value, type):
            parent = value.__mro__[1].__name__
            head = f"class {name}:" if parent == "object" else f"class {name}({parent}):"
            functions += ["", head, *members(value), ""]
        elif callable(value):
            functions.append(declaration(name, value))
    return "\n".join([*lines, "", *functions]) + "\n"


def main(folder):
    folder = pathlib.Path(folder)
    sys.path.insert(0, str(folder.parent))
    import heddle
    from nanobind.stubgen import StubGen

    kinds = [kind for kind in vars(heddle._heddle).values() if isinstance(kind, type)]
    for kind in kinds:
        kind.__module__ = "heddle._heddle"
        for name, value in list(vars(kind).items()):  # what heddle._methods adds
            if inspect.isfunction(value):
                delattr(kind, name)
    generator = StubGen(heddle._heddle)
    generator.put(heddle._heddle)
    text = generator.get().replace("-> object: ...", "-> Any: ...")
    text = re.sub(r"(def __eq__\(.*\)) -> Any", r"\1 -> bool", text)
    (folder / "_heddle.pyi").write_text(
        "from typing import Any\n\n" + text + "\n\ndef __getattr__(name: str) -> Any: ...\n")
    for kind in kinds:
        if kind.__name__ in heddle.__all__:
            kind.__module__ = "heddle"
    for name in ("cute", "linear", "axe", "lego", "relations"):
        (folder / f"{name}.pyi").write_text(stub_of(getattr(heddle, name), "heddle._heddle"))
    (folder / "__init__.pyi").write_text(stub_of(heddle, None))


if __name__ == "__main__":
    main(sys.argv[1])
