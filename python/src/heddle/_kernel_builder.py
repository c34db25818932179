"""Kernels that Python writes: each call adds a statement to the text, which is read when it is built.

>>> import numpy as np
>>> from heddle import kernel
>>> k = kernel.Builder("add")
>>> A, B, C = (k.tensor(name, "f32", ("N",)) for name in "ABC")
>>> k.launch(cta=(k.size("N") + 1023) // 1024, threads=128)
>>> part = kernel.span(1024 * k.bx, 1024)
>>> C[part] = A[part] + B[part]
>>> print(k)
kernel add(A: f32[N], B: f32[N], C: f32[N])
  launch cta ((N + 1023) // 1024), threads 128
{
  C[1024 * bx : +1024] = A[1024 * bx : +1024] + B[1024 * bx : +1024]
}
>>> add = k.build()
>>> a, c = np.arange(5, dtype=np.float32), np.empty(5, np.float32)
>>> add(a, a, c)
>>> c
array([0., 2., 4., 6., 8.], dtype=float32)
"""

from heddle._errors import Misused


def _text(value):
    """What stands for a Python object in the text of a kernel."""
    if isinstance(value, bool) or type(value).__name__ in ("bool", "bool_"):
        return "true" if value else "false"
    if value is Ellipsis:
        raise Misused("call.type", "a view has no ... with other subscripts",
                      hint="write : for each dimension")
    if isinstance(value, (tuple, list)):
        return f"({','.join(map(_text, value))})"
    if getattr(value, "shape", ()) and not isinstance(value, Value):
        raise Misused("call.type", "an array is not an operand of a kernel that is built",
                      hint="k.tensor('X', 'f32', (M, N)) is a tensor that calls are given")
    is_of_numpy = hasattr(value, "dtype") and not isinstance(value, Value)
    if is_of_numpy and value.dtype.kind not in "iu":
        value = float(value)  # the digits of NumPy are those of the narrow type
    if isinstance(value, float):
        return "(inf - inf)" if value != value else float.__repr__(value)
    return str(value)


def _operand(value):
    """The same within an expression."""
    is_whole = value._is_whole if isinstance(value, Value) else _text(value).replace(".", "").isalnum()
    return _text(value) if is_whole else f"({_text(value)})"


def _option(value):
    return f'"{value}"' if isinstance(value, str) else _text(value)


def _extents(shape):
    return ",".join(map(_text, shape if isinstance(shape, (tuple, list)) else (shape,)))


class Value:
    """A value of a kernel, as text: `32*bx + 1`, `exp(x - m)`."""

    __slots__ = ("_is_whole", "_written")
    __hash__ = None
    __iter__ = None
    __array_ufunc__ = None  # an operation of an array and a value is this class's

    def __init__(self, written, is_whole=True):
        self._written = written
        self._is_whole = is_whole

    def __str__(self):
        return self._written

    def __repr__(self):
        return f"Value({self._written!r})"

    def __bool__(self):
        raise Misused("call.type", f"the kernel decides whether {self} is true when it runs",
                      hint="write k.if_(…), select(c, a, b), or & | ~ for and, or, not")

    def __neg__(self):
        return Value(f"-{_operand(self)}", False)

    def __invert__(self):
        return Value(f"not {_operand(self)}", False)

    def __abs__(self):
        return call("abs", self)


def _binary(sign):
    def forwards(self, other):
        return Value(f"{_operand(self)} {sign} {_operand(other)}", False)

    def backwards(self, other):
        return Value(f"{_operand(other)} {sign} {_operand(self)}", False)

    return forwards, backwards


def _in_place(self, other):
    raise Misused("call.type", f"{self} is not assigned to in place",
                  hint="write x[...] = x + … for all of a tensor, and C[i] = C[i] + … for a part")


for _name, _sign in (("add", "+"), ("sub", "-"), ("mul", "*"), ("truediv", "/"), ("floordiv", "//"),
                     ("mod", "%"), ("and", "and"), ("or", "or")):
    _forwards, _backwards = _binary(_sign)
    setattr(Value, f"__{_name}__", _forwards)
    setattr(Value, f"__r{_name}__", _backwards)
    setattr(Value, f"__i{_name}__", _in_place)
for _name, _sign in (("eq", "=="), ("ne", "!="), ("lt", "<"), ("le", "<="), ("gt", ">"), ("ge", ">=")):
    setattr(Value, f"__{_name}__", _binary(_sign)[0])


def call(name, *operands):
    """A function of the kernel's language, or a type that converts: call("exp", x), call("f16", x)."""
    return Value(f"{name}({', '.join(map(_text, operands))})")


def select(condition, value, otherwise):
    """`value if condition else otherwise`."""
    return Value(f"{_operand(value)} if {_operand(condition)} else {_operand(otherwise)}", False)


def span(begin, extent):
    """`begin : +extent`, so many indices from one on, some of which may be outside."""
    return Value(f"{_text(begin)} : +{_operand(extent)}", False)


def _subscript(key):
    if not isinstance(key, slice):
        return _text(key)
    if key.step is not None:
        raise Misused("call.type", "a view has no steps", hint="relayout takes every other element")
    if key.start is None and key.stop is None:
        return ":"
    if key.stop is None:
        raise Misused("call.type", "a slice has no end", hint="write [a:b], or span(begin, extent)")
    return f"{_text(0 if key.start is None else key.start)} : {_text(key.stop)}"


class View(Value):
    """A tensor or a part of it. `D[…] = value` adds an assignment to the kernel."""

    __slots__ = ("_builder",)

    def __init__(self, builder, written):
        super().__init__(written)
        self._builder = builder

    def _of(self, step):
        return View(self._builder, f"{self}{step}")

    def __getitem__(self, key):
        keys = key if isinstance(key, tuple) else (key,)
        if all(each is Ellipsis for each in keys):
            return self
        return self._of(f"[{', '.join(map(_subscript, keys))}]")

    def __setitem__(self, key, value):
        self._builder.add(f"{self[key]} = {_text(value)}")

    @property
    def T(self):
        return self._of(".T")

    def permute(self, *order):
        return self._of(f".permute({_extents(order)})")

    def reshape(self, *shape):
        return self._of(f".reshape({_extents(shape)})")

    def relayout(self, layout):
        return self._of(f".relayout({layout})")

    def bits(self, dtype):
        return self._of(f".bits({dtype})")


class _Block:
    """Statements in braces."""

    def __init__(self, builder, head, names):
        self._builder, self._head, self._names = builder, head, names

    def __enter__(self):
        self._builder.add(f"{self._head} {{")
        self._builder._depth += 1
        return self._names

    def __exit__(self, *error):
        self._builder._depth -= 1
        self._builder.add("}")


class Builder:
    """A kernel that is written statement by statement; docs/kernels/README.md says what each means.

    Names that are no methods are operators: k.copy(D, S, pad=0), k.reduce(D, S, op="max", axis=0).
    `using` forces a schedule.
    """

    bx, by, bz = Value("bx"), Value("by"), Value("bz")
    cbx, cby, cbz = Value("cbx"), Value("cby"), Value("cbz")
    tx, laneid, warpid = Value("tx"), Value("laneid"), Value("warpid")

    def __init__(self, name):
        self.name = name
        self._parameters = []
        self._assumed = []
        self._launch = None
        self._lines = []
        self._depth = 1

    def __str__(self):
        if self._launch is None:
            raise Misused("call.type", f"{self.name} is launched nowhere",
                          hint="say k.launch(cta=…, threads=…)")
        assumed = [f"  assume {', '.join(self._assumed)}"] if self._assumed else []
        return "\n".join([f"kernel {self.name}({', '.join(self._parameters)})", *assumed,
                          self._launch, "{", *self._lines, "}"])

    def build(self, target="meaning"):
        """The kernel, as heddle.kernel.loads() reads it: refuses what that refuses."""
        from heddle.kernel import loads
        return loads(str(self), self.name, target)

    def add(self, statement):
        """Adds a statement as it is written."""
        self._lines.append("  " * self._depth + statement)

    # What stands before the body.

    def size(self, name):
        """A size that shapes name."""
        return Value(name)

    def tensor(self, name, dtype, shape, layout=None):
        """A parameter in global memory."""
        return self._declared(self._parameters.append, "", name, dtype, shape, layout)

    def value(self, name, dtype):
        """A parameter without a shape."""
        self._parameters.append(f"{name}: {dtype}")
        return Value(name)

    def assume(self, *conditions):
        """What sizes are known to be; arguments that break it are refused."""
        self._assumed.extend(map(_text, conditions))

    def launch(self, cta, threads, cluster=None):
        """The grid, one to three extents, the threads of a block, and the blocks of a cluster."""
        grid = _text(cta) if isinstance(cta, (tuple, list)) else f"({_text(cta)})"
        clusters = "" if cluster is None else f", cluster {_text(cluster)}"
        self._launch = f"  launch cta {grid}{clusters}, threads {threads}"

    # Statements.

    def _declared(self, put, space, name, dtype, shape, layout):
        suffix = "" if layout is None else f" = {layout}"
        element = getattr(dtype, "__name__", dtype)  # numpy.float32 is a class
        put(f"{space}{name}: {element}[{_extents(shape)}]{suffix}")
        return View(self, name)

    def shared(self, name, dtype, shape, layout=None):
        """A tensor in the memory of the block."""
        return self._declared(self.add, "shared ", name, dtype, shape, layout)

    def reg(self, name, dtype, shape, layout=None):
        """A tensor in registers, spread over the threads."""
        return self._declared(self.add, "reg ", name, dtype, shape, layout)

    def let(self, name, value):
        """An integer, computed or read from memory."""
        self.add(f"let {name} = {_text(value)}")
        return Value(name)

    def break_(self):
        self.add("break")

    def continue_(self):
        self.add("continue")

    def unchecked(self, target, text):
        """The target's own text, of which nothing is known."""
        quoted = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        self.add(f'unchecked {target} "{quoted}"')

    def _block(self, head, names=None):
        return _Block(self, head, names)

    def for_(self, name, *bounds):
        """`for name in extent`, or in range(begin, end, step): `with k.for_("i", N // 16) as i:`"""
        counted = _text(bounds[0]) if len(bounds) == 1 else f"range{_text(bounds)}"
        return self._block(f"for {name} in {counted}", Value(name))

    def while_(self, condition):
        return self._block(f"while {_text(condition)}")

    def if_(self, condition):
        return self._block(f"if {_text(condition)}")

    def else_(self):
        """What is done otherwise, right behind `if_` or a part of the threads."""
        if not self._lines or self._lines[-1].strip() != "}":
            raise Misused("call.type", "else_ does not follow an if_", hint="open it right after the with")
        self._lines.pop()
        return self._block("} else")

    def elect(self):
        return self._block("elect")

    def _scope(self, kind, part):
        return self._block(f"{kind}[{_text(part[0])} : {_text(part[1])}]" if part else kind)

    def cluster(self):
        """What the blocks of a cluster do: `cta` scopes."""
        return self._block("cluster")

    def cta(self, *part):
        """Each block, or in a cluster the blocks from the first number up to the second."""
        return self._scope("cta", part)

    def warp(self, *part):
        """Each warp on its own, or the warps from the first number up to the second together."""
        return self._scope("warp", part)

    def warpgroup(self, *part):
        return self._scope("warpgroup", part)

    def thread(self, *part):
        return self._scope("thread", part)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)

        def operator(*operands, using=None, **options):
            named = [f"{key}={_option(value)}" for key, value in options.items()]
            forced = "" if using is None else f" using {using}"
            self.add(f"{name}({', '.join([*map(_text, operands), *named])}){forced}")

        return operator
