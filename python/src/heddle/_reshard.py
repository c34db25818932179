"""Checkpoints for other devices."""

import os
from collections import namedtuple

from heddle import _heddle
from heddle._errors import Misused
from heddle._foreign import _printed


ReshardedTensor = namedtuple("ReshardedTensor", "name type shape steps bytes at_least")
ReshardedTensor.__doc__ = """What became of a tensor: the collectives of its plan, the bytes that go from one
device to another, and the least that any plan needs."""


class Resharded(namedtuple("Resharded", "tensors files resumed text")):
    """What reshard() has done: the tensors, the files that were written, and how many of the tensors an
    earlier run had finished. As text it is what the command prints."""

    __slots__ = ()

    def __str__(self):
        return self.text


def reshard(checkpoint, from_=None, to=None, output=None, *, from_mesh=None, to_mesh=None, dry_run=False,
            resume=False, verify=False, trust_replicas=False):
    """Writes a checkpoint, one file of safetensors a device, anew for other devices.

    `checkpoint` is a file, a pattern as "model-*.safetensors", a folder, or a list of these, in the order of
    the devices. `from_` and `to` are shardings: a text in any notation, an object of JAX or PyTorch, or a
    dict from patterns of names to shardings, of which the first that has the name of a tensor holds for it.
    The meshes are those that they say, else `from_mesh` and `to_mesh`. Without `from_` or `to` each tensor
    is whole there. `output` is a folder, which gets a file for each device, or for one device a file; with
    `dry_run` nothing is written. `resume` goes on with what an earlier run has left in OUTPUT.partial, and
    `verify` reads what was written back from the disk. Devices that have the same part of a tensor must have
    the same elements; with `trust_replicas` they are not compared, and any one of them is taken.

    heddle.reshard("whole.safetensors", to="[Shard(0)]", to_mesh="[0,1]", output="cut") writes
    cut/device-0.safetensors and cut/device-1.safetensors.
    """
    if from_ is to is None:
        raise Misused("call.arity", "reshard needs from_, the sharding of the checkpoint, or to, the new one")
    if dry_run and output is not None:
        raise Misused("call.keyword", "reshard takes output or dry_run, not both")
    if not dry_run and output is None:
        raise Misused("call.keyword", "reshard needs output, a folder or a file, or dry_run")
    if isinstance(checkpoint, (str, os.PathLike)):
        checkpoint = [checkpoint]
    tensors, files, resumed, text = _heddle._reshard(
        [os.fspath(path) for path in checkpoint], side_of(from_, from_mesh), side_of(to, to_mesh),
        "" if output is None else os.fspath(output), dry_run, resume, verify,
        trust_replicas)
    return Resharded([ReshardedTensor(**tensor) for tensor in tensors], files, resumed, text)


def side_of(spec, mesh):
    """The specs of one side as the extension takes them: a text, whether it is lines, and a mesh."""
    mesh = "" if mesh is None else _text(mesh)
    if spec is None:
        return None, False, mesh
    if not isinstance(spec, dict):
        return _text(spec), False, mesh
    for pattern in spec:
        if not isinstance(pattern, str) or ": " in pattern or "\n" in pattern:
            raise Misused("call.type", f"{pattern!r} is not a pattern of names")
    return "\n".join(f"{pattern}: {_text(one)}" for pattern, one in spec.items()), True, mesh


def _text(thing):
    if isinstance(thing, str):
        return thing.replace("\n", " ")
    return (_printed(thing) or str(thing)).replace("\n", " ")
