"""Objects of other libraries, by the names of their types: nothing is imported to read them."""

import re

from heddle import _heddle
from heddle._errors import Misused, Refused


def _mesh(mesh):
    """A mesh of torch.distributed with its devices, which its own text may leave out."""
    devices = getattr(mesh, "mesh", None)
    if type(mesh).__name__ != "DeviceMesh" or not hasattr(devices, "tolist"):
        return repr(mesh)
    names = getattr(mesh, "mesh_dim_names", None)
    return f"DeviceMesh({devices.tolist()}" + (f", mesh_dim_names={tuple(names)})" if names else ")")


def _torch(thing):
    """What PyTorch prints; of a DTensorSpec that says its mesh, the mesh has its devices."""
    text, mesh = repr(thing), getattr(thing, "mesh", None)
    is_spec = type(thing).__name__ == "DTensorSpec" and mesh is not None
    return text.replace(repr(mesh), _mesh(mesh), 1) if is_spec else _mesh(thing)


def _jax_mesh(mesh):
    """A mesh of JAX with its devices, which its own text leaves out; an AbstractMesh has none."""
    names = tuple(getattr(mesh, "axis_names", ()))
    if type(mesh).__name__ == "AbstractMesh" and hasattr(mesh, "axis_sizes"):
        return f"AbstractMesh({tuple(mesh.axis_sizes)}, {names})"
    if not hasattr(mesh, "device_ids"):
        return repr(mesh)
    return f"Mesh(device_ids={mesh.device_ids.tolist()}, axis_names={names})"


def _jax_sharding(sharding):
    if getattr(sharding, "_logical_device_ids", None) is not None:
        raise Refused("axe.sharding_spec", f"{sharding} orders the devices of its mesh anew",
                      hint="give a Mesh its devices in that order")
    mesh = getattr(sharding, "mesh", None)
    if mesh is None:
        return repr(sharding)
    return f"NamedSharding(mesh={_jax_mesh(mesh)}, spec={sharding.spec!r})"


# What these libraries print for an object is one of the notations that are read.
_PRINTED = (
    ("pycute", ("Layout",), str),
    ("pycute", ("Swizzle", "ComposedLayout"), repr),
    ("heddle.pycute", ("Layout",), str),
    ("heddle.pycute", ("Swizzle", "ComposedLayout"), repr),
    ("heddle.linear_layout", ("LinearLayout",), str),
    ("cutlass.cute", ("_Layout", "_ComposedLayout", "Layout", "ComposedLayout", "Swizzle"), str),
    ("triton._C.libtriton", ("LinearLayout",), str),
    ("triton.experimental.gluon", None, repr),
    ("tvm", ("TileLayout", "ComposeLayout", "SwizzleLayout", "Iter"), str),
    ("torch.distributed", None, _torch),
    ("jax", ("Mesh", "AbstractMesh"), _jax_mesh),
    ("jax", ("NamedSharding",), _jax_sharding),
    ("jax", ("PartitionSpec", "P", "Layout"), repr),
)


def _types(thing):
    for kind in type(thing).__mro__:
        yield kind.__module__ or "", kind.__qualname__.rsplit(".", 1)[-1]


def _is_in(module, package):
    return module == package or module.startswith(package + ".")


def _printed(thing):
    for module, name in _types(thing):
        for package, names, prints in _PRINTED:
            if _is_in(module, package) and (names is None or name in names):
                return prints(thing)
    return None


def _strides(array):
    """The strides of an array in elements; None for what has no strides."""
    if callable(getattr(array, "stride", None)):  # a tensor of PyTorch
        layout = str(getattr(array, "layout", "torch.strided"))
        if layout != "torch.strided":
            raise Misused("call.type", f"a tensor of {layout} has no strides",
                          hint="to_dense() gives a tensor that has")
        return tuple(array.stride())
    strides, size = getattr(array, "strides", None), getattr(array, "itemsize", None)
    if strides is None or size is None:
        return None
    if any(stride % size for stride in strides):
        raise Refused("tensor.bytes", f"the strides {tuple(strides)} are in bytes, and elements take {size}")
    return tuple(stride // size for stride in strides)


def _nested(numbers):
    return "(" + "".join(f"{number}," for number in numbers) + ")"


def _distributed(tensor):
    """A DTensor as a tensor over a mesh."""
    import heddle

    return heddle.axe.dtensor(
        _mesh(tensor.device_mesh), repr(tuple(tensor.placements)), tuple(tensor.shape))


# The most numbers that an argument may have.
_LONGEST = 1 << 17


def _is_of_integers(array):
    kind = getattr(array, "dtype", None)
    return getattr(kind, "kind", "") in ("i", "u") or re.fullmatch(r"torch\.u?int\d+", str(kind)) is not None


def _numbers(array):
    """An array where a tuple may be: its numbers; None for an array that can only be a layout there."""
    shape = tuple(array.shape)
    if _is_of_integers(array) and shape == ():
        return array.tolist()
    if _is_of_integers(array) and len(shape) == 1 and shape[0] <= _LONGEST:
        return tuple(array.tolist())
    if not _is_of_integers(array) and len(shape) > 1:
        return None
    raise Misused("call.type",
                  f"an array of {array.dtype} of the shape {shape} is not taken as a tuple of integers",
                  hint="heddle.layout(array) is its layout, array.tolist() has its numbers")


def read(thing, as_table, as_tuple):
    """What is read for an object: a text, a value or a list; None for what is not known."""
    if isinstance(thing, (list, tuple)):  # placements of torch.distributed
        return "[" + ", ".join(map(repr, thing)) + "]"
    if any(_is_in(module, "torch.distributed") and name == "DTensor" for module, name in _types(thing)):
        return _distributed(thing)
    text = _printed(thing)
    if text is not None:
        return _READABLE.get(type(thing).__name__, lambda text: text)(text)
    shape = getattr(thing, "shape", None)
    if shape is None or not (hasattr(thing, "__array__") or hasattr(thing, "__dlpack__")):
        return None
    if len(shape) == 0 and not hasattr(thing, "__dlpack__"):  # a scalar of NumPy's
        return thing.item()
    if as_table:
        return _heddle._table_of_array(thing)
    numbers = _numbers(thing) if as_tuple and hasattr(thing, "tolist") else None
    if numbers is not None:
        return numbers
    strides = _strides(thing)
    if strides is None:
        return None
    return f"{_nested(shape)}:{_nested(strides)}" if len(shape) else "1:0"


def _composed(text):
    """CuTe's notation for pycute's ComposedLayout(Swizzle(3,4,3),0,Layout((8, 64),(64, 1)))."""
    found = re.fullmatch(r"ComposedLayout\(Swizzle\((.*?)\),(-?\d+),Layout\((.*)\)\)", text)
    if found is None:
        return text
    layout = _heddle.evaluate(f"Layout({found[3]})")
    return f"Sw<{found[1]}> o {found[2]} o {layout}"


_READABLE = {"ComposedLayout": lambda text: _composed(text) if text.startswith("Composed") else text}


# ---- And back ----


def _import(name, package):
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise Misused("usage.package", f"{name} cannot be imported: {error}",
                      hint=f"pip install {package}") from error


def _converted(value, system):
    import heddle

    return heddle.convert(value, system)


_COMPOSED = re.compile(r"Sw<(\d+),(\d+),(-?\d+)> o (-?\d+) o (.*)")


def _constant(value):
    if value.variables:
        raise Refused("assume.needed", f"{value} has symbolic sizes, which the other library has not")
    return value


def _cute_parts(value):
    """The swizzle (or None), the offset, the shape and the stride of a layout in CuTe's notation."""
    import heddle

    layout = value
    if not isinstance(value, (_heddle.cute.Layout, _heddle.cute.ComposedLayout)):
        layout = _converted(value, "cute")
    _constant(layout)
    swizzle, offset = None, 0
    if isinstance(layout, _heddle.cute.ComposedLayout):
        parts = _COMPOSED.fullmatch(str(layout))
        if parts is None:
            raise Refused("convert.system", f"{layout} is not a layout with a swizzle")
        swizzle, offset = tuple(map(int, parts.group(1, 2, 3))), int(parts[4])
        layout = heddle.cute.Layout(parts[5])
    stride = heddle.cute.stride(layout)
    if isinstance(stride, _heddle.Value):
        raise Refused("composed.not_integral", f"{layout} leads to coordinates, not to offsets")
    return swizzle, offset, heddle.cute.shape(layout), stride


def to_pycute(value):
    """The layout as an object of CUTLASS's pycute."""
    pycute = _import("pycute", "nvidia-cutlass")
    swizzle, offset, shape, stride = _cute_parts(value)
    layout = pycute.Layout(shape, stride)
    if swizzle is None:
        return layout
    return pycute.ComposedLayout(pycute.Swizzle(*swizzle), offset, layout)


def to_cute_dsl(value):
    """The layout as an object of CuTe DSL, which can be made only where a kernel is compiled."""
    cute = _import("cutlass.cute", "nvidia-cutlass-dsl")
    swizzle, offset, shape, stride = _cute_parts(value)
    layout = cute.make_layout(shape, stride=stride)
    if swizzle is None:
        return layout
    return cute.make_composed_layout(cute.make_swizzle(*swizzle), offset, layout)


def _linear(value):
    import heddle

    if isinstance(value, _heddle.linear.LinearLayout):
        return value
    return _constant(heddle.convert(value, "linear"))


def to_triton(value):
    """The layout as triton.tools.LinearLayout."""
    tools = _import("triton.tools", "triton")
    data = _linear(value).data
    bases = [(name, [list(basis) for basis in columns]) for name, columns in data["ins"]]
    names = [name for name, _ in data["outs"]]
    sizes = [size for _, size in data["outs"]]
    return tools.LinearLayout.from_bases(bases, names, sizes, False)


def to_gluon(value):
    """The layout, or the encoding, as a layout of Gluon."""
    gluon = _import("triton.experimental.gluon.language", "triton")
    if isinstance(value, _heddle.linear.Encoding):
        return _gluon_encoding(value.data, gluon)
    data = _linear(value).data
    bases = {name: [list(basis) for basis in columns] for name, columns in data["ins"]}
    shape = [size for _, size in data["outs"]]
    if set(bases) <= {"register", "lane", "warp", "block"}:
        return gluon.DistributedLinearLayout(
            *(bases.get(name, []) for name in ("register", "lane", "warp", "block")), shape)
    if set(bases) <= {"offset", "block"}:
        return gluon.SharedLinearLayout(bases.get("offset", []), bases.get("block", []))
    raise Refused("convert.system",
                  f"Gluon has layouts of registers and of shared memory, not of {', '.join(bases)}")


def _gluon_encoding(data, gluon):
    kind = data["kind"]
    make = _GLUON.get(kind)
    if make is None:
        raise Refused("convert.system", f"Gluon has no class for the encoding {kind}")
    return make(data, gluon)


def _cga(data):
    return data.get("CGALayout") or data.get("cga_layout") or []


_GLUON = {
    "blocked": lambda data, gluon: gluon.BlockedLayout(
        data["sizePerThread"], data["threadsPerWarp"], data["warpsPerCTA"], data["order"], _cga(data)),
    "slice": lambda data, gluon: gluon.SliceLayout(data["dim"], _gluon_encoding(data["parent"], gluon)),
    "dot_op": lambda data, gluon: gluon.DotOperandLayout(
        data["opIdx"], _gluon_encoding(data["parent"], gluon), data["kWidth"]),
    "nvidia_mma": lambda data, gluon: gluon.NVMMADistributedLayout(
        [data["versionMajor"], data["versionMinor"]], data["warpsPerCTA"], data["instrShape"],
        _cga(data)),
    "swizzled_shared": lambda data, gluon: gluon.SwizzledSharedLayout(
        data["vec"], data["perPhase"], data["maxPhase"], data["order"], _cga(data)),
    "nvmma_shared": lambda data, gluon: gluon.NVMMASharedLayout(
        data["swizzlingByteWidth"], data["elementBitWidth"], data.get("rank", 2),
        data.get("transposed", False), data.get("fp4Padded", False), _cga(data)),
}


def _joined(make, iters, axis):
    """S[extents:strides] or R[extents:strides] of TVM, of iters (extent, stride, axis)."""
    extents = tuple(extent for extent, _, _ in iters)
    return make[extents:tuple(stride @ axis(name) for _, stride, name in iters)]


def to_tvm(value):
    """The layout as TVM's TileLayout, or its ComposeLayout if there is a swizzle."""
    layouts = _import("tvm.tirx.layout", "apache-tvm")
    value = value if isinstance(value, _heddle.axe.Layout) else _converted(value, "axe")
    shard, replica, offset, swizzle = _heddle._axe_parts(_constant(value))
    layout = _joined(layouts.S, shard, layouts.Axis.get)
    if replica:
        layout = layout + _joined(layouts.R, replica, layouts.Axis.get)
    for name, step in offset.items():
        layout = layout + step @ layouts.Axis.get(name)
    layout = layouts.TileLayout(layout)
    if swizzle is None:
        return layout
    *bits, is_inner, axis = swizzle
    if axis != "m":
        raise Refused("convert.system", f"TVM swizzles addresses, and {value} swizzles axis {axis}")
    return layouts.ComposeLayout(*bits, layout, is_inner)


def _spec(operation, value, mesh, shape):
    """The call, or the list of calls, that the operation prints, as Python's tree; nothing in it is run."""
    import ast

    import heddle

    arguments = (value,) if mesh is None else (value, mesh)
    made = getattr(heddle.axe, operation)(*arguments, shape=shape)
    return ast.parse(str(made), mode="eval").body


def _plain(node):
    """What a literal says; a name is its text."""
    import ast

    return node.id if isinstance(node, ast.Name) else ast.literal_eval(node)


def to_torch(value, mesh=None, shape=None, device_type="cuda"):
    """A tensor over a mesh as (DeviceMesh, placements) of torch.distributed. `mesh` is a DeviceMesh, or
    a mesh in any notation; a layout alone takes a mesh and the shape of the tensor."""
    import heddle

    kinds = _import("torch.distributed.tensor.placement_types", "torch")
    placements = []
    for call in _spec("to_dtensor", value, mesh, shape).elts:
        name = getattr(getattr(call, "func", None), "id", "")
        if name not in ("Shard", "Replicate", "Partial", "_StridedShard"):
            raise Refused("convert.system", "PyTorch has a partial value of its own for this placement")
        named = {"split_factor" if one.arg == "sf" else one.arg: _plain(one.value)
                 for one in call.keywords}
        placements.append(getattr(kinds, name)(*map(_plain, call.args), **named))
    if mesh is not None and any(name == "DeviceMesh" for _, name in _types(mesh)):
        return mesh, tuple(placements)
    device_mesh = _import("torch.distributed.device_mesh", "torch")
    import torch

    data = heddle.axe.mesh(mesh if mesh is not None else value).data
    devices = torch.tensor(data["devices"]).reshape(data["shape"])
    names = tuple(data["names"]) if data.get("names") else None
    return device_mesh.DeviceMesh(device_type, devices, mesh_dim_names=names), tuple(placements)


def to_jax(value, mesh=None, shape=None):
    """A tensor over a mesh as JAX's PartitionSpec, or as a NamedSharding if `mesh` is a mesh of JAX."""
    import ast

    sharding = _import("jax.sharding", "jax")
    call = _spec("to_partition_spec", value, mesh, shape)
    dims = map(ast.literal_eval, call.args)
    named = {one.arg: ast.literal_eval(one.value) for one in call.keywords}
    spec = sharding.PartitionSpec(*dims, **named)
    return sharding.NamedSharding(mesh, spec) if isinstance(mesh, sharding.Mesh) else spec
