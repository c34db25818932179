"""Objects of other libraries, taken and made; where a library is not installed, its tests are skipped."""

import subprocess
import sys

import numpy as np
import pytest

import heddle


def test_nothing_is_imported_to_read_an_object():
    code = ("import heddle, sys; heddle.layout('(4,8):(8,1)').size()\n"
            "try: heddle.layout(object())\n"
            "except heddle.Misused: pass\n"
            "print([m for m in ('numpy', 'pycute', 'torch', 'jax', 'triton', 'tvm') if m in sys.modules])")
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"


# ---- CUTLASS ----


def test_pycute():
    pycute = pytest.importorskip("pycute")
    for text in ("(4,8):(8,1)", "((2,2),4):((1,2),4)", "(4,(2,2)):(2,(1,8))", "8:3", "(3,5):(0,7)"):
        layout = heddle.layout(text)
        theirs = layout.to_pycute()
        assert isinstance(theirs, pycute.Layout)
        assert [theirs(i) for i in range(pycute.size(theirs))] == heddle.cute.table(layout)
        assert heddle.layout(theirs) == layout and heddle.cute.size(theirs) == layout.size()
    swizzled = heddle.layout("Sw<3,4,3> o 0 o (8,64):(64,1)")
    theirs = swizzled.to_pycute()
    assert [theirs(i) for i in range(512)] == heddle.cute.table(swizzled)
    assert heddle.layout(theirs) == swizzled and heddle.layout(pycute.Swizzle(3, 4, 3))(1 << 7) == 144
    a, b = pycute.Layout((6, 2), (8, 2)), pycute.Layout((4, 3), (3, 1))
    assert str(heddle.cute.composition(a, b)) == "((2,2),3):((24,2),8)"
    assert heddle.equal(a, pycute.composition(a, 12)).answer == "yes"


def test_symbolic_sizes_are_refused_to_other_libraries():
    pytest.importorskip("pycute")
    with pytest.raises(heddle.Refused) as raised:
        heddle.layout("(M,8):(8,1)").to_pycute()
    assert raised.value.code == "assume.needed"


def test_cute_dsl():
    pytest.importorskip("cutlass.cute")
    code = """
import cutlass, cutlass.cute as cute, heddle

@cute.jit
def kernel():
    theirs = cute.make_layout((4, (2, 2)), stride=(2, (1, 8)))
    ours = heddle.layout(theirs)
    assert str(ours) == "(4,(2,2)):(2,(1,8))", ours
    swizzled = cute.make_composed_layout(cute.make_swizzle(3, 4, 3), 0, theirs)
    assert str(heddle.layout(swizzled)) == "Sw<3,4,3> o 0 o (4,(2,2)):(2,(1,8))"
    assert str(ours.to_cute_dsl()) == str(theirs)
    assert str(heddle.layout(swizzled).to_cute_dsl()) == str(swizzled)
    print("the same")

kernel()
"""
    import tempfile

    with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
        file.write(code)
        file.flush()
        done = subprocess.run([sys.executable, file.name], capture_output=True, text=True)
    assert "the same" in done.stdout, done.stderr[-2000:]


# ---- Triton ----


def test_triton():
    tools = pytest.importorskip("triton.tools")
    theirs = tools.LinearLayout.from_bases(
        [("register", [[0, 1], [8, 0]]), ("lane", [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]])],
        ["dim0", "dim1"], [16, 8], True)
    ours = heddle.layout(theirs)
    assert isinstance(ours, heddle.linear.LinearLayout)
    again = ours.to_triton()
    assert again == theirs
    for register in range(4):
        for lane in (0, 5, 31):
            image = dict(theirs.apply({"register": register, "lane": lane}))
            assert heddle.apply(theirs, {"register": register, "lane": lane}) in (
                image, [list(pair) for pair in image.items()])
    assert heddle.linear.in_dim_names(theirs) == ["register", "lane"]
    assert heddle.layout("(4,8):(8,1)").to_triton().out_dims


def test_gluon():
    gl = pytest.importorskip("triton.experimental.gluon.language")
    blocked = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
    for theirs in (blocked, gl.SliceLayout(1, blocked), gl.SwizzledSharedLayout(8, 1, 8, [1, 0]),
                   gl.NVMMASharedLayout(128, 16, 2), gl.NVMMADistributedLayout([2, 0], [4, 1], [16, 8]),
                   gl.DotOperandLayout(0, gl.NVMMADistributedLayout([2, 0], [4, 1], [16, 8]), 2)):
        encoding = heddle.layout(theirs)
        assert isinstance(encoding, heddle.linear.Encoding), theirs
        assert encoding.to_gluon() == theirs
    linear = heddle.linear.to_linear(blocked, [16, 32])
    assert isinstance(linear, heddle.linear.LinearLayout)
    assert isinstance(linear.to_gluon(), gl.DistributedLinearLayout)
    assert heddle.linear.to_linear(linear.to_gluon(), [16, 32]) == linear


# ---- TVM ----


def test_tvm():
    tirx = pytest.importorskip("tvm.tirx.layout")
    laneid, warpid = tirx.Axis.get("laneid"), tirx.Axis.get("warpid")
    theirs = tirx.TileLayout(tirx.S[(8, 2, 4, 2):(4 @ laneid, 1 @ warpid, 1 @ laneid, 1)]
                             + tirx.R[2:4 @ warpid] + 5 @ warpid)
    ours = heddle.layout(theirs)
    assert str(ours) == "S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1@m)] + R[(2):(4@warpid)] + 5@warpid"
    assert str(ours.to_tvm()) == str(theirs)
    composed = tirx.ComposeLayout(3, 3, 3, tirx.TileLayout(tirx.S[(8, 64):(64, 1)]))
    assert str(heddle.layout(composed)) == "SW(3,3,3) o S[(8,64):(64@m,1@m)]"
    assert str(heddle.layout(composed).to_tvm()) == str(composed)
    assert str(heddle.layout("(4,8):(8,1)").to_tvm()) == str(tirx.TileLayout(tirx.S[(4, 8):(8, 1)]))


# ---- JAX ----

JAX = """
import os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"
os.environ["JAX_PLATFORMS"] = "cpu"
import heddle, jax, numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(2, 2), ("x", "y"))
sharding = NamedSharding(mesh, P("x", None))
ours = heddle.axe.named_sharding(sharding, (8, 4))
assert heddle.equal(ours, heddle.axe.partition_spec(mesh, P("x", None), (8, 4)), shape=(8, 4)), ours
assert ours.to_jax(mesh).is_equivalent_to(sharding, 2), ours.to_jax(mesh)
assert tuple(ours.to_jax()) in (("x",), ("x", None))
for row, column in ((0, 0), (3, 3), (4, 0), (7, 2)):
    holders = {device.id for device, (rows, columns) in sharding.devices_indices_map((8, 4)).items()
               if row in range(8)[rows] and column in range(4)[columns]}
    assert set(heddle.axe.devices_of(ours, (row, column))) == holders
print("the same")
"""


def test_jax(tmp_path):
    pytest.importorskip("jax")
    (tmp_path / "meshes.py").write_text(JAX)
    done = subprocess.run([sys.executable, str(tmp_path / "meshes.py")], capture_output=True, text=True)
    assert "the same" in done.stdout, done.stderr[-3000:]


JAX_DEVICES = """
import os, sys
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
os.environ["JAX_PLATFORMS"] = "cpu"
import heddle, jax, numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


def parts(sharding):
    return {device.id: part for device, (part,) in sharding.devices_indices_map((12,)).items()}


def check(layout, theirs):
    for device, part in theirs.items():
        assert str(heddle.shard_of(layout, device)) == f"[{part.start},{part.stop})", (device, part)


for ids in ((0, 1, 2, 3), (2, 3, 0, 1), (4, 5, 6, 7), (7, 5, 3, 1), (0, 2, 1, 3)):
    mesh = Mesh(np.array([jax.devices()[i] for i in ids]), ("x",))
    sharding = NamedSharding(mesh, P("x"))
    assert heddle.mesh(mesh).data["devices"] == list(ids)
    layout = heddle.named_sharding(sharding, (12,))
    check(layout, parts(sharding))
    check(heddle.partition_spec(mesh, P("x"), (12,)), parts(sharding))
    check(heddle.sharding(sharding, shape=(12,)), parts(sharding))
    check(layout, parts(layout.to_jax(mesh, (12,))))
    first = NamedSharding(Mesh(np.array(jax.devices()[:4]), ("x",)), P("x"))
    moved = sum(parts(first).get(device) != part for device, part in parts(sharding).items())
    plan = str(heddle.redistribute(sharding, first, "float32", shape=(12,)))
    assert f"moves     {12 * moved} bytes" in plan, plan

os.chdir(sys.argv[1])
mesh = Mesh(np.array([jax.devices()[i] for i in (2, 3, 0, 1)]), ("x",))
sharding = NamedSharding(mesh, P("x"))
header = b'{"w":{"dtype":"F32","shape":[12],"data_offsets":[0,48]}}'
with open("whole.safetensors", "wb") as file:
    file.write(len(header).to_bytes(8, "little") + header + np.arange(12, dtype=np.float32).tobytes())
heddle.reshard("whole.safetensors", to=sharding, output="of_sharding")
heddle.reshard("whole.safetensors", to=P("x"), to_mesh=mesh, output="of_mesh")
for device, part in parts(sharding).items():
    for folder in ("of_sharding", "of_mesh"):
        with open(f"{folder}/device-{device}.safetensors", "rb") as file:
            assert np.array_equal(np.frombuffer(file.read()[-12:], np.float32), np.arange(12)[part])
other = heddle.layout("S[(4,3):(1@gpuid,1@m)]")
try:
    other.to_jax(mesh, (12,))
except heddle.Refused as refused:
    assert refused.code == "axe.no_spec"
else:
    raise AssertionError("the shards of another mesh")
print("the same")
"""


def test_the_devices_of_a_jax_mesh_are_those_that_it_has(tmp_path):
    pytest.importorskip("jax")
    (tmp_path / "devices.py").write_text(JAX_DEVICES)
    done = subprocess.run([sys.executable, str(tmp_path / "devices.py"), str(tmp_path)],
                          capture_output=True, text=True)
    assert "the same" in done.stdout, done.stderr[-3000:]


def stand_in_for_jax(devices, **attributes):
    mesh = stand_in("jax.sharding", "Mesh", "Mesh('x': 4)", axis_names=("x",), device_ids=np.array(devices))
    spec = stand_in("jax.sharding", "PartitionSpec", "PartitionSpec('x',)")
    return stand_in("jax.sharding", "NamedSharding",
                    "NamedSharding(mesh=Mesh('x': 4), spec=PartitionSpec('x',))", mesh=mesh, spec=spec,
                    **attributes)


def test_a_jax_mesh_is_read_with_its_devices():
    sharding = stand_in_for_jax([2, 3, 0, 1])
    assert heddle.mesh(sharding.mesh).data["devices"] == [2, 3, 0, 1]
    assert str(heddle.shard_of(heddle.named_sharding(sharding, (12,)), 2)) == "[0,3)"
    with pytest.raises(heddle.Refused) as refused:
        heddle.named_sharding(stand_in_for_jax([3, 1, 0, 7]), (12,))
    assert refused.value.code == "axe.mesh_layout"
    anew = stand_in_for_jax([0, 1, 2, 3], _logical_device_ids=(2, 3, 0, 1))
    for text in (anew, "NamedSharding(mesh=Mesh('x': 4), spec=P('x'), logical_device_ids=(2, 3, 0, 1))"):
        with pytest.raises(heddle.Refused, match="order"):
            heddle.named_sharding(text, (12,))


def test_an_abstract_mesh_of_jax_has_sizes():
    mesh = stand_in("jax.sharding", "AbstractMesh", "AbstractMesh('x': 4, num_cores=None, platform=cpu)",
                    axis_names=("x",), axis_sizes=(4,))
    assert heddle.mesh(mesh).data["names"] == ["x"]


def test_a_dtensor_spec_is_read_with_the_devices_of_its_mesh():
    text = "DeviceMesh((x=2, y=2), 'cpu', stride=(2, 1))"
    mesh = stand_in("torch.distributed.device_mesh", "DeviceMesh", text,
                    mesh=np.array([[4, 6], [5, 7]]), mesh_dim_names=("x", "y"))
    spec = stand_in("torch.distributed.tensor._dtensor_spec", "DTensorSpec",
                    f"DTensorSpec(mesh={text}, placements=(Shard(dim=0), Shard(dim=1)), tensor_meta=None)",
                    mesh=mesh)
    assert str(heddle.shard_of(heddle.sharding(spec, shape=(4, 4)), 5)) == "[2,4) x [0,2)"


# ---- PyTorch: objects that print as its own do, where it is not installed ----


def stand_in(module, name, text, **attributes):
    kind = type(name, (), {"__module__": module, "__repr__": lambda self: text, **attributes})
    return kind()


def test_torch_meshes_and_placements():
    mesh = stand_in("torch.distributed.device_mesh", "DeviceMesh",
                    "DeviceMesh('cuda', [[0, 1], [2, 3]], mesh_dim_names=('dp', 'tp'))")
    placements = [stand_in("torch.distributed.tensor.placement_types", "Shard", "Shard(dim=0)"),
                  stand_in("torch.distributed.tensor.placement_types", "Replicate", "Replicate()")]
    ours = heddle.axe.dtensor(mesh, placements, (64, 128))
    assert str(ours) == str(heddle.axe.dtensor("DeviceMesh([[0,1],[2,3]])", "[Shard(0), Replicate()]",
                                               (64, 128)))
    tensor = stand_in("torch.distributed.tensor", "DTensor", "DTensor", device_mesh=mesh,
                      placements=tuple(placements), shape=(64, 128))
    assert heddle.layout(tensor) == ours


def test_the_devices_of_a_torch_mesh_are_read_where_its_text_leaves_them_out():
    text = "DeviceMesh((x=2, y=2), 'cpu', stride=(2, 1))"
    mesh = stand_in("torch.distributed.device_mesh", "DeviceMesh", text,
                    mesh=np.array([[0, 2], [1, 3]]), mesh_dim_names=("x", "y"))
    assert heddle.axe.mesh(mesh).data["devices"] == [0, 2, 1, 3]


# Names that end a text early, where they are not quoted, and call something.
ODD = ["it's", '"', """a'b"c""", "\\", "two\nlines", "'), __import__('os').abort(), ('", "é", "a, b", ""]


@pytest.mark.parametrize("name", ODD)
def test_names_are_printed_as_python_does(name):
    for text in (f"PartitionSpec({name!r},)", f"PartitionSpec(('x', {name!r}), None)",
                 f"PartitionSpec(None, unreduced={{{name!r}}})",
                 f"NamedSharding(mesh=Mesh({name!r}: 2), spec=PartitionSpec({name!r},))",
                 f"DeviceMesh([0, 1], mesh_dim_names=({name!r},))"):
        if name == "" and "Mesh" in text:  # a mesh refuses it
            continue
        value = heddle.evaluate(text)
        assert str(value) == text and heddle.evaluate(str(value)) == value


class Recorded(tuple):
    """What was called with what."""


def recorder(name):
    return lambda *args, **kwargs: Recorded((name, args, kwargs))


@pytest.fixture
def modules(monkeypatch):
    """Makes modules of other libraries whose members only record their calls."""
    import types

    def make(name, **members):
        for end in [i for i, letter in enumerate(name) if letter == "."]:
            monkeypatch.setitem(sys.modules, name[:end], types.ModuleType(name[:end]))
        module = types.ModuleType(name)
        vars(module).update(members)
        monkeypatch.setitem(sys.modules, name, module)

    return make


@pytest.mark.parametrize("name", [name for name in ODD if name])
def test_to_jax_makes_its_spec_of_names_and_runs_none(name, modules):
    modules("jax.sharding", PartitionSpec=recorder("P"), NamedSharding=None, Mesh=int)
    mesh = f"Mesh({name!r}: 2, 'y': 2)"
    ours = heddle.axe.partition_spec(mesh, f"P(None, {name!r})", (8, 4))
    assert ours.to_jax() == ("P", (None, name), {})


def test_to_torch_makes_its_placements(modules):
    kinds = ("Shard", "Replicate", "Partial", "_StridedShard")
    modules("torch.distributed.tensor.placement_types", **{kind: recorder(kind) for kind in kinds})
    mesh = stand_in("torch.distributed.device_mesh", "DeviceMesh",
                    "DeviceMesh('cuda', [[0, 1], [2, 3]], mesh_dim_names=('dp', 'tp'))")
    ours = heddle.axe.dtensor(mesh, "[Shard(1), Partial(max)]", (8, 4))
    assert ours.to_torch(mesh, (8, 4)) == (
        mesh, (("Shard", (), {"dim": 1}), ("Partial", ("max",), {})))


class Term:
    """Records the operators of TVM's notation."""

    def __init__(self, text):
        self.text = text

    def __getitem__(self, index):
        return Term(f"{self.text}[{index.start}:{index.stop}]")

    def __rmatmul__(self, number):
        return Term(f"{number}@{self.text}")

    def __add__(self, other):
        return Term(f"{self.text} + {other.text}")

    def __repr__(self):
        return self.text


def test_to_tvm_makes_its_layout_of_iters(modules):
    class Axis:
        get = staticmethod(Term)

    modules("tvm.tirx.layout", S=Term("S"), R=Term("R"), Axis=Axis, TileLayout=lambda layout: str(layout),
            ComposeLayout=lambda *parts: parts)
    assert heddle.layout("S[(8,2):(4@laneid,1@m)] + R[2:4@warpid] + 5@warpid").to_tvm() == (
        "S[(8, 2):(4@laneid, 1@m)] + R[(2,):(4@warpid,)] + 5@warpid")
    assert heddle.layout("SW(3,2,4) o S[(8,64):(64,1)]").to_tvm() == (
        3, 2, 4, "S[(8, 64):(64@m, 1@m)]", True)
    with pytest.raises(heddle.Refused):
        heddle.layout("SW(3,3,3)@F o S[(8,64):(64@F,1@F)]").to_tvm()


def test_torch_tensors_are_their_shape_and_stride():
    tensor = stand_in("torch", "Tensor", "tensor", shape=(4, 8), stride=lambda self: (1, 4),
                      __array__=None)
    assert str(heddle.layout(tensor)) == "(4,8):(1,4)"


def test_torch_itself():
    torch = pytest.importorskip("torch")
    tensor = torch.zeros(4, 8).t()
    assert str(heddle.layout(tensor)) == "(8,4):(1,8)"
    layout = heddle.layout("(4,8):(8,1)")
    assert layout(torch.arange(32)).tolist() == layout.table().T.reshape(-1).tolist()


def test_tensors_of_torch_that_are_not_plain_memory():
    torch = pytest.importorskip("torch")
    for tensor in (torch.eye(3).to_sparse(), torch.eye(3).to_sparse_csr()):
        with pytest.raises(heddle.Misused):
            heddle.layout(tensor)
    numbers = torch.ones(6, dtype=torch.complex64).conj()
    with torch._subclasses.fake_tensor.FakeTensorMode():
        without_memory = torch.zeros(6, dtype=torch.complex64)
    for tensor in (numbers, numbers.imag, without_memory, torch.zeros(6, device="meta")):
        with pytest.raises(heddle.Misused):
            heddle.relayout(tensor, "(2,3):(3,1)", "(2,3):(1,2)")


def test_tensors_of_torch_are_moved():
    torch = pytest.importorskip("torch")
    for kind in (torch.float32, torch.bfloat16, torch.int64, torch.bool):
        moved = heddle.relayout(torch.arange(6).to(kind), "(2,3):(3,1)", "(2,3):(1,2)")
        assert moved.dtype == kind and torch.equal(moved, torch.tensor([0, 3, 1, 4, 2, 5]).to(kind))


def test_meshes_of_torch_itself():
    torch = pytest.importorskip("torch")
    from torch.distributed import tensor as sharding
    from torch.distributed.device_mesh import DeviceMesh
    from torch.testing._internal.distributed.fake_pg import FakeStore

    torch.distributed.init_process_group("fake", store=FakeStore(), rank=0, world_size=8)
    try:
        for devices in ([[0, 1, 2, 3], [4, 5, 6, 7]], [[0, 2, 4, 6], [1, 3, 5, 7]]):
            mesh = DeviceMesh("cpu", torch.tensor(devices))
            assert list(heddle.axe.mesh(mesh).data["devices"]) == sum(devices, [])
            for placements in ([sharding.Shard(0), sharding.Shard(1)],
                               [sharding.Replicate(), sharding.Shard(0)],
                               [sharding.Partial(), sharding.Shard(1)]):
                tensor = sharding.DTensor.from_local(torch.zeros(4, 8), mesh, placements)
                same_mesh, same = heddle.layout(tensor).to_torch(mesh)
                assert same_mesh is mesh and same == tuple(placements)
    finally:
        torch.distributed.destroy_process_group()


def test_what_is_missing_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "pycute", None)
    with pytest.raises(heddle.Misused) as raised:
        heddle.layout("4:1").to_pycute()
    assert raised.value.code == "usage.package" and "pip install nvidia-cutlass" in raised.value.hint


def test_arrays_without_whole_strides_are_refused():
    pairs = np.zeros(4, dtype=[("a", "i4"), ("b", "i2")])
    with pytest.raises(heddle.Refused):
        heddle.layout(pairs["a"])
    with pytest.raises(heddle.Refused):
        heddle.layout(np.zeros((0, 4)))
