"""Checkpoints for other devices, against NumPy's cutting and PyTorch's own checkpoints."""

import json
import random
import sys

import numpy as np
import pytest

import heddle

KINDS = {"F32": np.float32, "F16": np.float16, "I64": np.int64, "U8": np.uint8}


def write(path, tensors):
    header, data = {}, b""
    for name, array in tensors.items():
        kind = next(kind for kind, type_ in KINDS.items() if array.dtype == type_)
        end = len(data) + array.nbytes
        header[name] = {"dtype": kind, "shape": array.shape, "data_offsets": [len(data), end]}
        data += array.tobytes()
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)


def read(path):
    data = path.read_bytes()
    begin = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:begin])
    return {
        name: np.frombuffer(data[begin + entry["data_offsets"][0]:begin + entry["data_offsets"][1]],
                            KINDS[entry["dtype"]]).reshape(entry["shape"])
        for name, entry in header.items() if name != "__metadata__"
    }


def same(a, b):
    return a.keys() == b.keys() and all(np.array_equal(a[name], b[name]) for name in a)


@pytest.fixture
def whole(tmp_path):
    rng = np.random.default_rng(1)
    tensors = {
        "layers.0.w": rng.integers(-9, 9, (10, 6)).astype(np.float32),
        "layers.1.w": rng.integers(-9, 9, (4, 8)).astype(np.float16),
        "norm": rng.integers(0, 255, 7).astype(np.uint8),
    }
    write(tmp_path / "whole.safetensors", tensors)
    return tensors


def test_replicas_that_differ_are_refused(tmp_path, whole):
    write(tmp_path / "same-0.safetensors", whole)
    write(tmp_path / "same-1.safetensors", whole | {"norm": whole["norm"] + np.uint8(1)})
    sides = {"from_": {"*": "P()"}, "from_mesh": "Mesh('x': 2)"}
    with pytest.raises(heddle.Refused, match="first element that differs is \\(0\\)") as refused:
        heddle.reshard(tmp_path / "same-*.safetensors", output=tmp_path / "lost", **sides)
    assert refused.value.code == "reshard.replica"
    heddle.reshard(tmp_path / "same-*.safetensors", output=tmp_path / "kept", trust_replicas=True, **sides)
    assert same(read(tmp_path / "kept" / "device-0.safetensors"), whole)


def test_a_cut_is_what_numpy_cuts(tmp_path, whole):
    specs = {"*.w": "sharding([Shard(1)], [0,1])", "*": "sharding([Shard(0)], [1,0])"}
    done = heddle.reshard(tmp_path / "whole.safetensors", to=specs, output=tmp_path / "cut", verify=True)
    assert [file.rsplit("/", 1)[1] for file in done.files] == ["device-0.safetensors", "device-1.safetensors"]
    for device in 0, 1:
        wanted = {name: np.array_split(array, 2, axis=1)[device] for name, array in whole.items()
                  if array.ndim == 2}
        wanted["norm"] = [whole["norm"][4:], whole["norm"][:4]][device]
        assert same(read(tmp_path / "cut" / f"device-{device}.safetensors"), wanted)
    heddle.reshard(tmp_path / "cut", specs, output=tmp_path / "again.safetensors")
    assert same(read(tmp_path / "again.safetensors"), whole)


def test_a_dry_run_tells_what_is_moved(tmp_path, whole):
    plans = heddle.reshard(tmp_path / "whole.safetensors", to="[Replicate()]", to_mesh="[0,1,2]",
                           dry_run=True)
    first = plans.tensors[0]
    assert (first.name, first.type, first.shape) == ("layers.0.w", "F32", (10, 6))
    assert first.bytes == first.at_least == 2 * 240
    assert first.steps == ("local", "broadcast")
    assert plans.files == [] and "layers.0.w" in str(plans)
    assert [path.name for path in tmp_path.iterdir()] == ["whole.safetensors"]


@pytest.mark.parametrize("code, call", [
    ("call.arity", lambda path: heddle.reshard(path, output="x")),
    ("call.keyword", lambda path: heddle.reshard(path, to="[Shard(0)]")),
    ("call.keyword", lambda path: heddle.reshard(path, to="[Shard(0)]", output="x", dry_run=True)),
    ("call.type", lambda path: heddle.reshard(path, to={"a: b": "[Shard(0)]"}, dry_run=True)),
    ("reshard.spec", lambda path: heddle.reshard(path, to="P('x')", dry_run=True)),
    ("file.unreadable", lambda path: heddle.reshard("no.safetensors", to="[R]", to_mesh="[0]", dry_run=True)),
])
def test_refusals(tmp_path, whole, code, call):
    with pytest.raises(heddle.Refused) as refused:
        call(tmp_path / "whole.safetensors")
    assert refused.value.code == code


def test_without_torch_the_module_says_what_it_needs(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.delitem(sys.modules, "heddle.torch_checkpoint", raising=False)
    with pytest.raises(ImportError, match="needs PyTorch"):
        import heddle.torch_checkpoint  # noqa: F401


# Checkpoints of PyTorch, where it is there.


@pytest.fixture
def torch():
    return pytest.importorskip("torch", exc_type=ImportError)


def saved(torch, folder, seed=1):
    """A checkpoint of PyTorch, and what is in it."""
    from torch.distributed import checkpoint as dcp

    rng = random.Random(seed)
    state = {
        "model": {
            "a": torch.arange(60, dtype=torch.float32).reshape(10, 6),
            "b": torch.arange(33, dtype=torch.bfloat16).reshape(3, 11) * rng.randrange(1, 9),
            "c": torch.tensor(rng.randrange(99)),
        },
        "step": rng.randrange(1000),
        "notes": ["what", "is", "no", "tensor"],
    }
    dcp.save(state, checkpoint_id=folder, no_dist=True)
    return state


def loaded(torch, folder, state):
    """The same entries, as PyTorch loads them."""
    from torch.distributed import checkpoint as dcp

    empty = {
        "model": {name: torch.zeros_like(tensor) for name, tensor in state["model"].items()},
        "step": -1,
        "notes": None,
    }
    if "step" not in state:
        empty = {"model": empty["model"]}
    dcp.load(empty, checkpoint_id=folder, no_dist=True)
    return empty


def equal(torch, a, b):
    return all(torch.equal(a["model"][name], b["model"][name]) for name in a["model"]) and (
        {key: a[key] for key in a if key != "model"} == {key: b[key] for key in b if key != "model"})


def test_a_checkpoint_of_torch_is_the_same_for_other_devices(torch, tmp_path):
    from torch.distributed.checkpoint import FileSystemReader

    from heddle import torch_checkpoint

    state = saved(torch, tmp_path / "saved")
    to = {"model.a": "sharding([_StridedShard(0, sf=2), Shard(0)], [[0,1],[2,3]])",
          "model.b": "sharding([Shard(1)], [1,0])", "*": "sharding([Replicate()], [0,2])"}
    torch_checkpoint.reshard(tmp_path / "saved", tmp_path / "made", to)
    assert equal(torch, loaded(torch, tmp_path / "made", state), state)
    chunks = FileSystemReader(tmp_path / "made").read_metadata().state_dict_metadata["model.b"].chunks
    assert sorted((tuple(chunk.offsets), tuple(chunk.sizes)) for chunk in chunks) == [
        ((0, 0), (3, 6)), ((0, 6), (3, 5))]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["made", "saved"]
    with pytest.raises(heddle.Refused, match="reshard.output"):
        torch_checkpoint.reshard(tmp_path / "saved", tmp_path / "made", to)


def test_safetensors_of_a_checkpoint_of_torch_and_back(torch, tmp_path):
    from heddle import torch_checkpoint

    state = saved(torch, tmp_path / "saved", 2)
    with pytest.raises(heddle.Refused, match="reshard.type"):
        torch_checkpoint.read(tmp_path / "saved", tmp_path / "whole.safetensors")
    torch_checkpoint.read(tmp_path / "saved", tmp_path / "whole.safetensors", tensors_only=True)
    specs = {"model.c": "sharding([Replicate()], [0,1])", "*": "sharding([Shard(0)], [0,1])"}
    done = torch_checkpoint.read(tmp_path / "saved", tmp_path / "cut", specs, tensors_only=True)
    assert len(done.files) == 2
    torch_checkpoint.write(tmp_path / "cut", tmp_path / "made", specs)
    torch_checkpoint.write(tmp_path / "whole.safetensors", tmp_path / "one")
    tensors = {"model": state["model"]}
    # A folder made of files has no nested names.
    from torch.distributed import checkpoint as dcp
    for folder in "made", "one":
        flat = {f"model.{name}": torch.zeros_like(tensor) for name, tensor in tensors["model"].items()}
        dcp.load(flat, checkpoint_id=tmp_path / folder, no_dist=True)
        assert all(torch.equal(flat[f"model.{name}"], tensor) for name, tensor in tensors["model"].items())
    with pytest.raises(heddle.Refused, match="reshard.spec"):
        torch_checkpoint.reshard(tmp_path / "saved", tmp_path / "terms", "[Partial()]", "[0,1]")
