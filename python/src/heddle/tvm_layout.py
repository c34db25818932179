"""TVM's layouts under the names of tvm.tirx.layout, computed by the library: exact, or refused.

>>> from heddle.tvm_layout import S, TileLayout, laneid
>>> tile = TileLayout(S[(8, 4, 2) : (4 @ laneid, 1 @ laneid, 1)])
>>> tile
T.TileLayout(T.S[(8, 4, 2):(4 @ Axis.laneid, 1 @ Axis.laneid, 1)])
>>> tile.apply(21)
{"laneid": 10, "m": 1}

TVM is imported only where one of its own functions is given such an object. differences() lists where
the answers are not TVM's, and why.
"""

import functools
import sys
from math import prod

from heddle import _errors, _heddle, axe
from heddle._tvm_differences import DIFFERENCES
from heddle._heddle import tvm_layout as _base
from heddle._heddle.tvm_layout import R, S, _read, tcgen05_atom_layout
from heddle._tvm_expressions import Constant, Map, expression, is_expression, size_of


class _Refused(_errors.Refused, RuntimeError):
    pass


class _Asserted(_errors.Refused, AssertionError):
    pass


class _OutOfRange(_errors.Refused, ValueError):
    pass


_internal = {}


def _refused_class():
    """The class of refusals where TVM checks: of its own class as well, once TVM is there."""
    tvm = sys.modules.get("tvm")
    theirs = getattr(getattr(tvm, "error", None), "InternalError", None)
    if theirs is None:
        return _Refused
    if theirs not in _internal:
        _internal[theirs] = type("_Refused", (_Refused, theirs), {})
    return _internal[theirs]


def _again(error, kind):
    """The same refusal, of another class."""
    again = kind(*error.args)
    again.__dict__.update(error.__dict__)
    return again


def _refuse(code, message, kind=None):
    raise (kind or _refused_class())(code, message)


def _ask(operation, *arguments, kind=None):
    try:
        return operation(*arguments)
    except (_errors.Refused, _errors.Misused) as error:
        raise _again(error, kind or _refused_class()) from None


# ---- Axes ----

_AXIS_NAMES = (
    "bx",
    "by",
    "bz",
    "cbx",
    "cby",
    "cbz",
    "tx",
    "warpid",
    "laneid",
    "wgid",
    "tid_in_wg",
    "wid_in_wg",
    "m",
    "P",
    "F",
    "Bank",
    "TCol",
    "TLane",
)


class ExecScope:
    """A scope of execution: thread, warp, …"""

    __slots__ = ("name",)

    def __init__(self, name):
        self.name = name

    def __eq__(self, other):
        return getattr(other, "name", None) == self.name

    def __hash__(self):
        return hash(self.name)

    def __repr__(self):
        return f'T.ExecScope("{self.name}")'

    def __tvm_ffi_object__(self):
        from tvm.tirx.exec_scope import ExecScope as theirs

        return theirs(self.name)


class _AxisMeta(type):
    def __getattr__(cls, name):
        if name in _AXIS_NAMES:
            return cls.get(name)
        raise AttributeError(f"type object 'Axis' has no attribute {name!r}")


class Axis(_base.AxisBase, metaclass=_AxisMeta):
    """An axis of hardware: laneid, warpid, m, …; Axis.get makes others. `4 @ laneid` is a step on it."""

    __slots__ = ()
    reg_dict = {}

    def __new__(cls, *args, **kwargs):
        raise RuntimeError("an Axis is made by Axis.get(name)")

    @staticmethod
    def get(name):
        """The axis of this name; a new one if there is none."""
        axis = Axis.reg_dict.get(name)
        if axis is None:
            if not isinstance(name, str):
                raise TypeError(f"the name of an axis is a str, not {type(name).__name__}")
            axis = Axis.reg_dict[name] = _base.AxisBase.__new__(Axis, name)
        return axis

    def _scopes(self):
        return _heddle.evaluate(f"scope(S[2:1@{self.name}])") or (None, None)

    def is_thread(self):
        """Whether it counts threads, or what is made of threads."""
        self._declared()
        return self._scopes() != (None, None)

    def is_memory(self):
        """Whether it counts places of a memory."""
        self._declared()
        return self._scopes() == (None, None)

    def _declared(self):
        if self.name not in _AXIS_NAMES:
            _refuse(
                "axe.unknown_axis", f"nothing says whether {self.name} is an axis of threads or of memory"
            )

    def get_scope(self):
        """The scope that the axis divides, or None."""
        return self._scope(1)

    def get_subscope(self):
        """The scope of what it counts, or None."""
        return self._scope(0)

    def _scope(self, which):
        name = self._scopes()[which] if self.name in _AXIS_NAMES else None
        return None if name is None else ExecScope(name)

    def same_as(self, other):
        return self is other

    def __reduce__(self):
        return Axis.get, (self.name,)

    def __repr__(self):
        return f'tirx.Axis(name="{self.name}")'

    def __tvm_ffi_object__(self):
        from tvm.tirx.layout import Axis as theirs

        return theirs.get(self.name)


def _axis(given):
    if isinstance(given, Axis):
        return given
    if isinstance(given, str):
        return Axis.get(given)
    name = getattr(given, "name", None)
    if isinstance(name, str) and type(given).__name__ == "Axis":
        return Axis.get(name)
    raise TypeError(f"an axis is expected, not {type(given).__name__}")


def __getattr__(name):
    if name in _AXIS_NAMES:
        return Axis.get(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


# ---- What is written: S[shape:stride] + R[shape:stride] + offset ----


class _OnAxis(_base.OnAxisBase):
    """A value on an axis: 4 @ laneid."""

    __slots__ = ()

    def __add__(self, other):
        return _OffsetExpr({self.axis: self.value}) + other

    __radd__ = __add__


class _OffsetExpr:
    """A sum of values on axes; a value alone is on the axis m."""

    def __init__(self, terms=None):
        self.terms = dict(terms or {})

    def __add__(self, other):
        terms = dict(self.terms)
        for axis, value in _terms(other).items():
            terms[axis] = terms[axis] + value if axis in terms else value
        return _OffsetExpr(terms)

    __radd__ = __add__


def _terms(offset):
    if isinstance(offset, _OffsetExpr):
        return offset.terms
    if isinstance(offset, _OnAxis):
        return {offset.axis: offset.value}
    return {Axis.get("m"): offset}


def _offset(given):
    """The offset of a layout; None is none."""
    terms = {} if given is None else _terms(given)
    return Map({axis: Constant(one) if type(one) is int else one for axis, one in terms.items()})


class _LayoutSpec(_base.SpecBase):
    """What S[…] and R[…] make and + joins; TileLayout takes it."""

    __slots__ = ()

    def _plus(self, offset):
        if self.offset is not None:
            offset = _OffsetExpr(_terms(self.offset)) + offset
        return _LayoutSpec(self.shard, self.replica, offset)

    def __add__(self, other):
        if isinstance(other, _LayoutSpec):
            if self.shard and other.shard or self.replica and other.replica:
                _refuse("axe.layout", "a layout has one S and one R; write their iters in one")
            joined = _LayoutSpec(self.shard or other.shard, self.replica or other.replica, self.offset)
            return joined if other.offset is None else joined._plus(other.offset)
        if isinstance(other, (_OnAxis, _OffsetExpr)) or is_expression(other):
            return self._plus(other)
        return NotImplemented

    __radd__ = __add__


class Iter:
    """`extent` steps of `stride` along an axis."""

    __slots__ = ("extent", "stride", "axis")

    def __init__(self, extent, stride, axis):
        for given in (extent, stride):
            if not is_expression(given):
                raise TypeError(f"a size is an int or an expression, not {type(given).__name__}")
        self.extent = Constant(extent) if type(extent) is int else extent
        self.stride = Constant(stride) if type(stride) is int else stride
        self.axis = axis if type(axis) is Axis else _axis(axis)

    def same_as(self, other):
        return self is other

    def __reduce__(self):
        return Iter, (self.extent, self.stride, self.axis)

    def __repr__(self):
        return f'T.Iter({self.extent}, {self.stride}, "{self.axis.name}")'

    def __tvm_ffi_object__(self):
        from tvm.tirx.layout import Iter as theirs

        return theirs(expression(self.extent), expression(self.stride), self.axis.name)


def _iters(pair):
    if pair is None:
        return ()
    shape, strides = pair
    if strides is None:
        strides = Layout._get_default_strides(shape, 1)
    if len(shape) != len(strides):
        _refuse("axe.layout", f"{len(shape)} extents and {len(strides)} strides")
    return tuple(map(_iter, shape, strides))


def _iter(extent, stride):
    if isinstance(stride, _OnAxis):
        return Iter(extent, stride.value, stride.axis)
    if isinstance(stride, str):
        return Iter(extent, 1, stride)
    if isinstance(stride, tuple):
        return Iter(extent, *stride)
    return Iter(extent, stride, "m")


def _given(iters):
    return tuple(one if isinstance(one, Iter) else Iter(one.extent, one.stride, one.axis) for one in iters)


# ---- Layouts ----


def _once(method):
    """A method without arguments, whose answer a layout keeps: layouts do not change."""
    name = method.__name__

    @functools.wraps(method)
    def kept(self):
        answers = self._answers
        if name not in answers:
            answers[name] = method(self)
        return answers[name]

    return kept


class Layout(_base.LayoutBase):
    """What TileLayout and ComposeLayout have in common."""

    __slots__ = ()
    canonicalize = _once(_base.LayoutBase.canonicalize)

    def verify_well_formed(self):
        """True; what is ill-formed is refused."""
        return self._value is not None

    def apply_to_shape(self, coord, input_shape):
        """The index of each iter at a coordinate of this shape."""
        if len(coord) != len(input_shape):
            _refuse("axe.position", f"{len(coord)} indices for {len(input_shape)} extents")
        try:
            grouped, seps = self.group(list(input_shape))
        except _errors.Refused:
            flat = TileLayout(S[tuple(input_shape)]).apply(*coord)["m"]
            return _digits(flat, [one.extent for one in self.shard])
        digits = []
        for place, begin, end in zip(coord, seps, seps[1:], strict=False):
            digits += _digits(place, [one.extent for one in grouped.shard[begin:end]])
        return digits

    def is_tile_outer(self, tile_layout, tiled_shape, outer_shape):
        """The tile that makes `tile_layout` on this grid, or None."""
        whole = _own(tile_layout)
        found = super().is_tile_outer(whole, tiled_shape, outer_shape)
        return None if found is None else whole._kept(found)

    def _kept(self, answer, wider=0):
        """The answer; with this layout's swizzle where the library left it out because it changes nothing."""
        return answer

    def tile_to(self, to_shape, current_shape):
        """As many tiles of this layout, row by row, as make the shape."""
        grid = []
        for whole, part in zip(to_shape, current_shape, strict=True):
            if isinstance(whole, int) and isinstance(part, int) and (part < 1 or whole % part):
                _refuse("tile_to_shape.divisibility", f"{whole} is not a multiple of {part}")
            grid.append(whole // part)
        return self.tile(TileLayout(S[tuple(grid)]), grid, current_shape)

    @staticmethod
    def _get_default_strides(data, stride=1):
        if not isinstance(data, (list, tuple)):
            raise AssertionError("a shape is a tuple or a list")
        strides, stride = [], _of_type(stride, data)
        for extent in reversed(data):
            if not is_expression(extent):
                raise AssertionError(f"a size is an int or an expression, not {extent}")
            strides.append(stride)
            stride = stride * extent
        return strides[::-1]

    def is_swizzle(self):
        """Whether it is a swizzle and nothing else."""
        return isinstance(self, ComposeLayout) and self.tile_layout.is_trivial()

    def is_trivial(self):
        """Whether it leads each index to itself, in memory."""
        return False

    def is_trainium(self):
        """Whether it is a layout of Trainium's memories: on P, F and Bank."""
        return False

    def broadcast(self, num, position=-1, axis="m"):
        """An iter of stride 0 inserted at a position."""
        iters = list(self.shard)
        iters.insert(position if position >= 0 else len(iters) + 1 + position, Iter(num, 0, axis))
        return TileLayout.from_iters(iters, self.replica, self.offset)

    @_once
    def storage(self):
        """What remains without the axes of threads."""
        return _read(_ask(axe.storage, self._value))

    def same_as(self, other):
        return self is other


def _of_type(stride, extents):
    """The stride as wide as the extents: TVM tells integers of 32 and of 64 bits apart."""
    kinds = (getattr(extent, "ty", None) for extent in extents)
    wide = next((kind for kind in kinds if kind is not None and kind.dtype != "int32"), None)
    if wide is None:
        return stride
    from tvm.tirx import IntImm

    return IntImm(wide, stride)


def _given_size(size):
    if not is_expression(size):
        raise TypeError(f"an index is an int or an expression, not {type(size).__name__}")
    return size if type(size) is int else size_of(size)


def _sizes(shape):
    return [_given_size(size) for size in shape]


def _digits(place, extents):
    """The indices of iters, the last one fastest."""
    if not extents:
        return []
    layout = TileLayout.from_iters([Iter(one, 1, f"d{i}") for i, one in enumerate(extents)])
    places = layout.apply(place)
    return [places[f"d{i}"] for i in range(len(extents))]


class TileLayout(Layout):
    """Iters of the shard, iters of the replicas, and an offset."""

    __slots__ = ()
    kPSUMMaxElemPerBank = 512
    kPSUMBankNum = 8
    shard, replica, offset = _base.LayoutBase._shard, _base.LayoutBase._replica, _base.LayoutBase._offset
    group, group_many = _base.LayoutBase._group, _base.LayoutBase._group_many

    @staticmethod
    def from_iters(shard=(), replica=(), offset=None):
        """The layout of these iters."""
        terms = {_axis(axis): value for axis, value in (offset or {}).items()}
        made = _base.LayoutBase.__new__(TileLayout)
        return made._fill(_given(shard), _given(replica), _offset(_OffsetExpr(terms)))

    def _printed(self):
        parts = [_shown("S", self.shard)] if self.shard else []
        parts += [_shown("R", self.replica)] if self.replica else []
        if not parts:
            return "T.TileLayout.from_iters()"
        terms = [
            _on_axis(value, axis)
            for axis, value in sorted(self.offset.items(), key=lambda term: term[0].name == "m")
        ]
        if terms:
            parts.append(f"({' + '.join(terms)})" if len(terms) > 1 else terms[0])
        return f"T.TileLayout({' + '.join(parts)})"

    def verify_well_formed(self):
        """True; what is ill-formed is refused."""
        self.get_scope()
        return True

    @_once
    def is_trivial(self):
        if self.replica or any(value != 0 for value in self.offset.values()):
            return False
        return str(_ask(axe.canonicalize, self._value)) in (f"S[({self.size()}):(1@m)]", "S[(1):(1@m)]")

    def is_trainium(self):
        return bool(self.shard) and {one.axis.name for one in self.shard} <= {"P", "F", "Bank"}

    @_once
    def get_scope(self):
        """The scopes that its thread axes lead from and to, or None."""
        found = _ask(axe.scope, self._value)
        return None if found is None else tuple(map(ExecScope, found))

    @classmethod
    def trainium(cls, annotation, shape, is_psum=False):
        """The layout in Trainium's memory of a tensor whose dimensions are partitions (P) or free (F)."""
        made = _read(_ask(axe.trainium, annotation, _sizes(shape), kind=_Asserted))
        return made.to_psum() if is_psum else made

    def to_psum(self):
        """The layout in the banks of Trainium's PSUM."""
        return _read(_ask(axe.to_psum, self._value, kind=_Asserted))

    def permute_dims(self, perm):
        """The iters in another order."""
        if len(perm) != len(self.shard) or sorted(perm) != list(range(len(perm))):
            _refuse("axe.position", f"{list(perm)} is not a permutation of {len(self.shard)} iters",
                    _Asserted)
        return TileLayout.from_iters([self.shard[one] for one in perm], self.replica, self.offset)

    def permute_by_groups(self, seps, perm):
        """The blocks of iters between `seps` in another order."""
        if sorted(perm) != list(range(len(seps) - 1)):
            _refuse("axe.position", f"{list(perm)} is not a permutation of {len(seps) - 1} groups", _Asserted)
        return self.permute_dims([one for block in perm for one in range(seps[block], seps[block + 1])])

    def __reduce__(self):
        return TileLayout.from_iters, (self.shard, self.replica, dict(self.offset))

    def __tvm_ffi_object__(self):
        from tvm.tirx.layout import TileLayout as theirs

        return theirs.from_iters(
            [one.__tvm_ffi_object__() for one in self.shard],
            [one.__tvm_ffi_object__() for one in self.replica],
            {axis.name: expression(value) for axis, value in self.offset.items()},
        )


def _on_axis(value, axis):
    return str(value) if axis.name == "m" else f"{value} @ Axis.{axis.name}"


def _shown(name, iters):
    extents = [str(one.extent) for one in iters]
    strides = [_on_axis(one.stride, one.axis) for one in iters]
    if len(iters) == 1:
        return f"T.{name}[{extents[0]}:{strides[0]}]"
    return f"T.{name}[({', '.join(extents)}):({', '.join(strides)})]"


class ComposeLayout(Layout):
    """A swizzle after a TileLayout: of blocks of 2^atom_len rows, on elements of 2^per_element."""

    __slots__ = ("per_element", "swizzle_len", "atom_len", "swizzle_inner")
    tile_layout = _base.LayoutBase._tile

    def __init__(self, per_element, swizzle_len, atom_len, tile_layout, swizzle_inner=True):
        self.per_element, self.swizzle_len, self.atom_len = per_element, swizzle_len, atom_len
        self.swizzle_inner = bool(swizzle_inner)
        self._compose(_own(tile_layout), (per_element, swizzle_len, atom_len, self.swizzle_inner))

    def _printed(self):
        outer = "" if self.swizzle_inner else ", swizzle_inner=False"
        return (
            f"T.ComposeLayout({self.per_element}, {self.swizzle_len}, {self.atom_len}, "
            f"{self.tile_layout}{outer})"
        )

    @property
    def inner_mask(self):
        return (1 << self.swizzle_len) - 1

    @property
    def outer_mask(self):
        return self.inner_mask << self.atom_len

    @_once
    def canonicalize(self):
        """The normal form: no unit iters, neighbours fused."""
        return self._kept(_base.LayoutBase.canonicalize(self))

    def tile(self, outer, outer_shape, inner_shape):
        """A grid `outer` of tiles of this layout."""
        return self._kept(super().tile(outer, outer_shape, inner_shape))

    def direct_sum(self, left, left_shape, right_shape):
        """Both placements added, without a span between them."""
        return self._kept(super().direct_sum(left, left_shape, right_shape))

    def is_tile_outer(self, tile_layout, tiled_shape, outer_shape):
        """None: no grid has a swizzle."""
        return None

    def slice(self, shape, region):
        """The layout of a part of a tensor of this shape, or None."""
        part = self.tile_layout.slice(shape, region)
        return None if part is None else self._with(part)

    def unpack(self, num):
        """The layout of elements of which `num` make one of this."""
        if num < 1 or num & (num - 1):
            _refuse("axe.pack", f"{num} is not a power of two", _Asserted)
        return self._kept(super().unpack(num), num.bit_length() - 1)

    def pack(self, num):
        """The layout of elements that are made of `num` of this."""
        return self._kept(super().pack(num), 1 - num.bit_length())

    def _kept(self, answer, wider=0):
        if isinstance(answer, ComposeLayout) or self.per_element + wider < 0:
            return answer
        kept = ComposeLayout(
            self.per_element + wider, self.swizzle_len, self.atom_len, answer, self.swizzle_inner
        )
        return kept if axe.equal(kept._value, answer._value).answer == "yes" else answer

    def _with(self, tile):
        return ComposeLayout(self.per_element, self.swizzle_len, self.atom_len, tile, self.swizzle_inner)

    @_once
    def storage(self):
        """What remains without the axes of threads."""
        return self._with(self.tile_layout.storage())

    def broadcast(self, num, position=-1, axis="m"):
        return self._with(self.tile_layout.broadcast(num, position, axis))

    def __reduce__(self):
        return ComposeLayout, (
            self.per_element,
            self.swizzle_len,
            self.atom_len,
            self.tile_layout,
            self.swizzle_inner,
        )

    def __tvm_ffi_object__(self):
        from tvm.tirx.layout import ComposeLayout as theirs

        return theirs(
            self.per_element,
            self.swizzle_len,
            self.atom_len,
            self.tile_layout.__tvm_ffi_object__(),
            self.swizzle_inner,
        )


def _own(layout):
    """A layout of this module: one of TVM's is read."""
    if isinstance(layout, Layout):
        return layout
    kind = type(layout).__name__
    if kind == "TileLayout":
        return TileLayout.from_iters(layout.shard, layout.replica, dict(layout.offset.items()))
    if kind == "ComposeLayout":
        return ComposeLayout(
            layout.per_element,
            layout.swizzle_len,
            layout.atom_len,
            _own(layout.tile_layout),
            layout.swizzle_inner,
        )
    raise TypeError(f"a layout is expected, not {kind}")


# ---- Layouts of hardware ----


def tmem_datapath_layout(datapath, rows, cols, sub_slab=0):
    """Where tcgen05.mma leaves the element (row, column) of its result in tensor memory."""
    return _read(_ask(axe.tmem_datapath_layout, datapath, rows, cols, sub_slab, kind=_OutOfRange))


def wg_local_layout(cols, rows=128):
    """One row for each thread of a warpgroup, its columns in registers."""
    return _read(_ask(axe.wg_local_layout, _given_size(cols), _given_size(rows)))


def _datapath(M, cta_group, ws, sparse):
    """The letter of PTX for how an instruction uses the lanes of tensor memory."""
    families = {
        (1, 128, False): "D",
        (1, 64, False): "F",
        (1, 64, True): "E",
        (2, 256, False): "A",
        (2, 128, False): "B",
    }
    letter = None if sparse else families.get((cta_group, M, bool(ws)))
    if letter is None:
        _refuse(
            "axe.tcgen05",
            f"no datapath of tcgen05.mma has M={M}, cta_group={cta_group}, ws={ws}, sparse={sparse}",
            _OutOfRange,
        )
    return letter


def tmem_mma_operand_layout(operand, shape, dtype, *, M, cta_group, ws=False, sparse=False, group=None):
    """The layout in tensor memory of an operand of tcgen05.mma: "A", or the accumulator "D"."""
    letter = _datapath(M, cta_group, ws, sparse)
    extents = tuple(int(one) for one in shape)
    rows, folds = M // cta_group, letter in "BE"
    made = _operand_spec(operand, letter, extents, rows, folds, group)
    if made is None:
        _refuse(
            "axe.tcgen05",
            f"an operand {operand!r} of the datapath {letter} with {rows} rows has no "
            f"layout of shape {extents}",
            _OutOfRange,
        )
    return made.canonicalize()


def _operand_spec(operand, letter, extents, rows, folds, group):
    lane, column = Axis.get("TLane"), Axis.get("TCol")
    rank = len(extents)
    banked = rank == 3 and extents[0] == 2 and extents[1] == rows and folds
    if operand == "D" and group is not None:
        group = tuple(int(one) for one in group)
        if not (
            rank == 2
            and extents[0] == rows
            and folds
            and len(group) == 3
            and group[1] == 2
            and prod(group) == extents[1]
        ):
            return None
        extents, rank = (rows, *group), 4
    if banked and (operand == "A" or operand == "D"):
        return TileLayout(S[extents : (64 @ lane, 1 @ lane, 1 @ column)])
    if rank == 0 or extents[0] != rows:
        return None
    if operand == "D":
        if rank == 2:
            return tmem_datapath_layout(letter, *extents)
        if rank == 3 and extents[1] == 2 and folds:
            return TileLayout(S[extents : (1 @ lane, 64 @ lane, 1 @ column)])
        if rank == 4 and extents[2] == 2 and folds:
            return TileLayout(S[extents : (1 @ lane, extents[3] @ column, 64 @ lane, 1 @ column)])
        return None
    if operand != "A" or rank != 2 or letter == "E":
        return None
    plain = S[extents : (1 @ lane, 1 @ column)]
    return TileLayout(plain + R[2 : 64 @ lane] if letter == "B" else plain)


_base._register(globals())


def differences():
    """Where the answers are not those of TVM 0.27."""
    return list(DIFFERENCES)


__all__ = [
    *_AXIS_NAMES,
    "Axis",
    "ComposeLayout",
    "ExecScope",
    "Iter",
    "Layout",
    "R",
    "S",
    "TileLayout",
    "differences",
    "tcgen05_atom_layout",
    "tmem_datapath_layout",
    "tmem_mma_operand_layout",
    "wg_local_layout",
]
