"""Checkpoints of torch.distributed.checkpoint as safetensors, from them, and for other devices.

    read("saved", "whole.safetensors")                                  each tensor whole, in one file
    read("saved", "cut", to="[Shard(0)]", to_mesh="[0,1]")              a file of safetensors a device
    write("cut", "made", from_="[Shard(0)]", from_mesh="[0,1]")         a folder of PyTorch
    reshard("saved", "made", to="[Shard(1)]", to_mesh="[0,1,2,3]")      from one such folder to another

PyTorch reads and writes its folders, here in one process and without a process group, chunk after chunk.
Between them stands a file of whole tensors on the disk, so that a checkpoint may be larger than memory.
"""

import dataclasses
import io
import json
import math
import os
import tempfile

import heddle
from heddle import _heddle
from heddle._errors import Refused
from heddle._reshard import side_of

try:
    import numpy as np
    import torch
    from torch.distributed import checkpoint as dcp
    from torch.distributed.checkpoint import default_planner, planner
    from torch.distributed.checkpoint import metadata as of_torch
except ImportError as error:
    raise ImportError("heddle.torch_checkpoint needs PyTorch and NumPy: pip install torch numpy",
                      name=error.name) from error

# The names of PyTorch's types in safetensors.
_TYPES = {
    getattr(torch, kind): name
    for kind, name in (
        ("float64", "F64"), ("float32", "F32"), ("float16", "F16"), ("bfloat16", "BF16"),
        ("float8_e4m3fn", "F8_E4M3"), ("float8_e5m2", "F8_E5M2"), ("float8_e8m0fnu", "F8_E8M0"),
        ("complex64", "C64"), ("int64", "I64"), ("int32", "I32"), ("int16", "I16"), ("int8", "I8"),
        ("uint64", "U64"), ("uint32", "U32"), ("uint16", "U16"), ("uint8", "U8"), ("bool", "BOOL"),
    )
    if hasattr(torch, kind)
}
_WHOLE = ("[Replicate()]", "[0]")


def read(folder, output, to=None, to_mesh=None, *, tensors_only=False, verify=False):
    """Writes the tensors of a checkpoint of PyTorch as safetensors, whole or cut for devices.

    What is no tensor has no place there: it is refused, or left out with `tensors_only`. Returns what
    heddle.reshard() returns.
    """
    with _beside(output) as place:
        whole = os.path.join(place, "whole.safetensors")
        _read_whole(folder, whole, tensors_only)
        if to is None:
            to, to_mesh = _WHOLE
        return heddle.reshard(whole, to=to, to_mesh=to_mesh, output=output, verify=verify)


def write(checkpoint, folder, from_=None, from_mesh=None):
    """Writes a checkpoint of safetensors as one of PyTorch. The chunks are the parts of the devices; a part
    that several devices have is written once. Partial values are reduced before.
    """
    _check_new(folder)
    if from_ is None:
        from_, from_mesh = _WHOLE
    with _beside(folder) as place:
        whole = os.path.join(place, "whole.safetensors")
        heddle.reshard(checkpoint, from_, output=whole, from_mesh=from_mesh)
        _write_chunks(whole, folder, place, side_of(from_, from_mesh), {}, None)


def reshard(folder, output, to, to_mesh=None):
    """Writes a checkpoint of PyTorch as another one, whose chunks are the parts of the devices of `to`.
    What is no tensor is there as it was.
    """
    _check_new(output)
    with _beside(output) as place:
        whole = os.path.join(place, "whole.safetensors")
        others, names = _read_whole(folder, whole, True)
        _write_chunks(whole, output, place, side_of(to, to_mesh), others, names)


def _beside(path):
    """A folder on the disk of what is written, which is removed in the end."""
    parent, name = os.path.split(os.path.abspath(path))
    return tempfile.TemporaryDirectory(dir=parent, prefix=name + ".")


def _check_new(folder):
    if os.path.lexists(folder) and not (os.path.isdir(folder) and not os.listdir(folder)):
        raise Refused("reshard.output", f"{folder} exists, and a checkpoint is written as a new folder",
                      hint="name another folder, or remove it")


def _read_whole(folder, path, tensors_only):
    """Writes a file of safetensors with each tensor whole. Returns the bytes of all other entries, and what
    PyTorch keeps of the names."""
    reader = dcp.FileSystemReader(folder)
    metadata = reader.read_metadata()
    entries = metadata.state_dict_metadata
    tensors = {name: entry for name, entry in entries.items()
               if isinstance(entry, of_torch.TensorStorageMetadata)}
    others = sorted(entries.keys() - tensors.keys())
    if others and not tensors_only:
        raise Refused("reshard.type",
                      f"{others[0]} is not a tensor, and safetensors files contain nothing else",
                      hint="tensors_only=True leaves out what is not a tensor")
    with _WholeFile(path, tensors) as whole:
        state = {name: whole.tensor(name) for name in tensors} | dict.fromkeys(others, 0)
        dcp.load(state, storage_reader=reader, planner=_RawLoadPlanner(), no_dist=True)
    return {name: state[name] for name in others}, metadata.planner_data


class _RawLoadPlanner(default_planner.DefaultLoadPlanner):
    """Loads tensors in place, and everything else as the bytes that are there: nothing is unpickled."""

    def load_bytes(self, read_item, value):
        self.original_state_dict[read_item.dest_index.fqn] = value.getvalue()


class _WholeFile:
    """A new file of safetensors, mapped into memory, for tensors of these shapes and types."""

    def __init__(self, path, tensors):
        self._places, header, begin = {}, {}, 0
        # The widest first, so that each is aligned.
        for name in sorted(tensors, key=lambda name: (-tensors[name].properties.dtype.itemsize, name)):
            kind, shape = tensors[name].properties.dtype, tuple(tensors[name].size)
            if kind not in _TYPES:
                raise Refused("reshard.type", f"{name} is of the type {kind}, which safetensors do not have")
            end = begin + kind.itemsize * math.prod(shape)
            header[name] = {"dtype": _TYPES[kind], "shape": shape, "data_offsets": [begin, end]}
            self._places[name] = begin, end, kind, shape
            begin = end
        text = json.dumps(header).encode()
        text += b" " * (-(8 + len(text)) % 64)
        with open(path, "xb") as file:
            file.write(len(text).to_bytes(8, "little") + text)
            file.flush()
            # A full disk is found here: writing to the mapping would end the process.
            os.posix_fallocate(file.fileno(), 0, 8 + len(text) + begin)
        self._begin = 8 + len(text)
        self._bytes = np.memmap(path, np.uint8, "r+")

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self._bytes.flush()

    def tensor(self, name):
        begin, end, kind, shape = self._places[name]
        part = self._bytes[self._begin + begin:self._begin + end]
        return torch.from_numpy(part).view(kind).reshape(shape)


def _tensors_in(path):
    """The tensors of a file of safetensors, mapped into memory."""
    all_bytes = np.memmap(path, np.uint8, "c")
    begin = 8 + int.from_bytes(all_bytes[:8].tobytes(), "little")
    header = json.loads(all_bytes[8:begin].tobytes())
    kinds = {name: kind for kind, name in _TYPES.items()}
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        if entry["dtype"] not in kinds:
            raise Refused("reshard.type",
                          f"{name} is of the type {entry['dtype']}, which PyTorch does not have")
        first, last = entry["data_offsets"]
        part = torch.from_numpy(all_bytes[begin + first:begin + last])
        tensors[name] = part.view(kinds[entry["dtype"]]).reshape(entry["shape"])
    return tensors


class _Chunks:
    """What is written: resolve_data() is all that a writer asks of a planner."""

    def __init__(self, tensors, others):
        self._tensors, self._others = tensors, others
        self._lengths = {}

    def chunk(self, name, offsets, lengths):
        tensor = self._tensors[name]
        index = of_torch.MetadataIndex(name, torch.Size(offsets))
        self._lengths[index] = lengths
        return planner.WriteItem(index, planner.WriteItemType.SHARD, tensor_data=planner.TensorWriteData(
            chunk=of_torch.ChunkStorageMetadata(torch.Size(offsets), torch.Size(lengths)),
            properties=of_torch.TensorProperties.create_from_tensor(tensor), size=tensor.size()))

    def resolve_data(self, item):
        name = item.index.fqn
        if item.type == planner.WriteItemType.BYTE_IO:
            return io.BytesIO(self._others[name])
        part = self._tensors[name]
        for dim, (begin, length) in enumerate(zip(item.index.offset, self._lengths[item.index], strict=True)):
            part = part.narrow(dim, begin, length)
        # A part of its own: else the whole tensor would be written.
        return part.clone()


def _write_chunks(whole, folder, place, side, others, names):
    """Writes a folder of PyTorch with the parts of each device, from a file of whole tensors."""
    tensors = _tensors_in(whole)
    chunks = _Chunks(tensors, others)
    by_device, seen = {}, set()
    for name, tensor in tensors.items():
        for device, offsets, lengths in _heddle._boxes(side, name, list(tensor.shape)):
            if (name, offsets) not in seen:
                seen.add((name, offsets))
                by_device.setdefault(device, []).append(chunks.chunk(name, offsets, lengths))
    first = by_device.setdefault(min(by_device), [])
    for name in others:
        first.append(planner.WriteItem(of_torch.MetadataIndex(name), planner.WriteItemType.BYTE_IO))
    made = os.path.join(place, "made")
    writer = dcp.FileSystemWriter(made)
    writer.set_up_storage_writer(True)
    plans = [planner.SavePlan(by_device[device]) for device in sorted(by_device)]
    plans, metadata = default_planner.create_default_global_save_plan(
        [writer.prepare_local_plan(plan) for plan in plans])
    plans = writer.prepare_global_plan(plans)
    results = [writer.write_data(plan, chunks).wait() for plan in plans]
    writer.finish(dataclasses.replace(metadata, planner_data=names), results)
    os.replace(made, folder)
