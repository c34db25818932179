#!/usr/bin/env python3
"""Redistributions by torch.distributed.tensor itself, with gloo in processes of this host: the bytes that
each rank gets, beside those of Heddle's plan and the least that any plan moves.

    distribute_peer.py HEDDLE     the command `heddle`; prints a table in Markdown

DTensor calls functional collectives of c10d. They are counted where they are dispatched, each by what
its definition says that a rank gets from others, whatever ring or tree the library makes of it:

    all_gather_into_tensor    n - 1 parts
    reduce_scatter_tensor     n - 1 terms of its part
    all_reduce                a reduce-scatter and an all-gather: 2 (n - 1) / n of the tensor
    all_to_all                (n - 1) / n of what it has
"""

import json
import math
import os
import re
import socket
import subprocess
import sys
import tempfile

# The extents of the mesh, the shape, the placements of both sides.
CASES = [
    ([4], (64, 48), "S0", "R"),
    ([4], (64, 48), "R", "S0"),
    ([4], (64, 48), "S0", "S1"),
    ([4], (64, 48), "P", "S0"),
    ([4], (64, 48), "P", "R"),
    ([4], (63, 45), "S0", "R"),
    ([4], (63, 45), "S0", "S1"),
    ([4], (63, 45), "P", "S0"),
    ([4], (63, 45), "P", "R"),
    ([8], (65, 40), "S0", "S1"),
    ([8], (5, 40), "S0", "S1"),
    ([2, 2], (64, 48), "S0 S1", "S1 S0"),
    ([2, 2], (64, 48), "S0 S0", "S1 S1"),
    ([2, 2], (64, 48), "S0 R", "R S0"),
    ([2, 2], (64, 48), "S0 R", "S0 S0"),
    ([2, 2], (64, 48), "R S0", "S0 S0"),
    ([2, 2], (64, 48), "S0 S0", "R S0"),
    ([2, 2], (64, 48), "S0 S0", "S0 R"),
    ([2, 2], (64, 48), "S0 S0", "S0 S1"),
    ([2, 2], (64, 48), "S0 S0", "S1 S0"),
    ([2, 2], (64, 48), "S0 S1", "R R"),
    ([2, 2], (64, 48), "S0 S1", "S0 R"),
    ([2, 2], (64, 48), "P S0", "R S0"),
    ([2, 2], (64, 48), "P S0", "S0 R"),
    ([2, 2], (64, 48), "P S0", "S1 R"),
    ([2, 2], (64, 48), "P P", "R R"),
    ([2, 2], (64, 48), "P P", "S0 S1"),
    ([2, 2], (64, 48), "P P", "S0 S0"),
    ([2, 2], (64, 48), "P R", "S0 S1"),
    ([2, 4], (64, 48), "S0 S1", "S1 S0"),
    ([2, 4], (64, 48), "S0 S0", "S1 S1"),
    ([2, 4], (64, 48), "S0 R", "R S0"),
    ([2, 4], (64, 48), "R S0", "S0 R"),
    ([2, 4], (64, 48), "R S0", "S0 S0"),
    ([2, 4], (64, 48), "S0 S0", "S1 R"),
    ([2, 4], (64, 48), "P P", "R R"),
    ([2, 4], (64, 48), "P S1", "S0 R"),
    ([2, 4], (63, 45), "S0 S1", "S1 S0"),
    ([2, 4], (63, 45), "S0 S0", "S1 S1"),
    ([2, 4], (63, 45), "P P", "R R"),
    ([2, 4], (64, 48), "T0:4 S0", "S0 S0"),
    ([2, 4], (64, 48), "S0 S0", "T0:4 S0"),
    ([2, 4], (64, 48), "T0:4 S0", "S1 S1"),
    ([2, 4], (64, 48), "T0:4 S0", "R R"),
]
ELEMENT_BYTES = 4


# ---- in the processes of PyTorch ----

def placements_of(text):
    from torch.distributed.tensor import Partial, Replicate, Shard
    from torch.distributed.tensor.placement_types import _StridedShard

    def placement(word):
        if word[0] == "T":
            dim, factor = map(int, word[1:].split(":"))
            return _StridedShard(dim, split_factor=factor)
        return {"S": lambda: Shard(int(word[1:])), "R": Replicate, "P": Partial}[word[0]]()

    return [placement(word) for word in text.split()]


def bytes_of(tensor):
    return tensor.numel() * tensor.element_size()


def received(name, output, size):
    """The bytes that each of `size` ranks gets by one collective."""
    if name.startswith("all_gather_into_tensor"):
        return bytes_of(output) // size * (size - 1)
    if name.startswith("reduce_scatter_tensor"):
        return bytes_of(output) * (size - 1)
    if name.startswith("all_reduce"):
        return 2 * bytes_of(output) * (size - 1) // size
    raise ValueError(f"{name} is not counted")


class Counts:
    """What collectives brought to this rank, and which they were."""

    def __init__(self):
        self.bytes, self.calls, self.is_muted = 0, [], False

    def add(self, call, brought):
        if not self.is_muted:
            self.bytes += brought
            self.calls.append(call)


def counting(counts):
    """A dispatch mode that counts functional collectives."""
    import torch.distributed as dist
    from torch.distributed.distributed_c10d import _resolve_process_group
    from torch.distributed.tensor import DTensor
    from torch.utils._python_dispatch import TorchDispatchMode

    class Counting(TorchDispatchMode):
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            if any(issubclass(kind, DTensor) for kind in types):
                return NotImplemented
            output = function(*args, **(kwargs or {}))
            name = function._schema.name.split("::")[1]
            if function.namespace == "c10d":
                raise ValueError(f"{name} is not counted")
            if function.namespace == "_c10d_functional" and "wrap" not in name and "wait" not in name:
                group = args[-1]
                group = _resolve_process_group(group) if isinstance(group, str) else group
                counts.add(name, received(name, output, dist.get_world_size(group)))
            return output

    return Counting()


def counting_all_to_all(counts):
    """Makes DTensor's change of the sharded dimension count as the all-to-all that it is with NCCL:
    gloo has none, so that here it gathers, and cuts."""
    from torch.distributed.tensor import placement_types
    plain = placement_types.shard_dim_alltoall

    def counted(input, gather_dim, shard_dim, mesh, mesh_dim):
        size = mesh.size(mesh_dim)
        counts.add("all_to_all", bytes_of(input) // size * (size - 1))
        counts.is_muted = True
        output = plain(input, gather_dim, shard_dim, mesh, mesh_dim)
        counts.is_muted = False
        return output

    placement_types.shard_dim_alltoall = counted
    return plain


def rank_main(rank, world, port, path):
    import torch
    import torch.distributed as dist
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor import DTensor

    dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=world)
    meshes, results = {}, []
    for extents, shape, source, destination in CASES:
        if not is_of(extents, world):
            continue
        key = tuple(extents)
        if key not in meshes:
            meshes[key] = init_device_mesh("cpu", key)
        results.append(measured(DTensor, torch, meshes[key], shape, source, destination))
    gathered = [None] * world
    dist.all_gather_object(gathered, results)
    if rank == 0:
        with open(path, "w") as file:
            json.dump(gathered, file)
    dist.destroy_process_group()


def is_of(extents, world):
    return math.prod(extents) == world


def local_of(torch, mesh, whole, placements):
    """This rank's part of a tensor: cut axis by axis, and a term of it where it is partial."""
    from torch.distributed.tensor import DTensor, Partial, Replicate
    shown = [Replicate() if isinstance(one, Partial) else one for one in placements]
    local = DTensor.from_local(whole, mesh, [Replicate()] * mesh.ndim, run_check=False)
    return local.redistribute(mesh, shown).to_local()


def measured(DTensor, torch, mesh, shape, source, destination):
    from torch.distributed.tensor import Partial, placement_types
    whole = torch.arange(shape[0] * shape[1], dtype=torch.float32).reshape(shape)
    counts = Counts()
    plain = counting_all_to_all(counts)
    try:
        before, after = placements_of(source), placements_of(destination)
        counts.is_muted = True
        local = local_of(torch, mesh, whole, before)
        counts.is_muted = False
        tensor = DTensor.from_local(local, mesh, before, run_check=False, shape=torch.Size(shape),
                                    stride=(shape[1], 1))
        with counting(counts):
            moved = tensor.redistribute(mesh, after).to_local()
        terms = 1
        for axis, (one, other) in enumerate(zip(before, after, strict=True)):
            if isinstance(one, Partial) and not isinstance(other, Partial):
                terms *= mesh.size(axis)
        counts.is_muted = True
        if not torch.equal(moved, local_of(torch, mesh, whole, after) * terms):
            return {"error": "another answer"}
    except Exception as error:  # any refusal of the other library
        return {"error": (str(error).splitlines() or [type(error).__name__])[0]}
    finally:
        placement_types.shard_dim_alltoall = plain
    return {"bytes": counts.bytes, "calls": counts.calls}


# ---- beside Heddle ----

def in_heddle(text):
    """`S0 T0:4` as DTensor prints it."""
    def placement(word):
        if word[0] == "T":
            dim, factor = word[1:].split(":")
            return f"_StridedShard(dim={dim}, sf={factor})"
        return {"S": f"Shard({word[1:]})", "R": "Replicate()", "P": "Partial()"}[word[0]]
    return "[" + ", ".join(map(placement, text.split())) + "]"


def nested(first, extents):
    if len(extents) == 1:
        return list(range(first, first + extents[0]))
    step = math.prod(extents[1:])
    return [nested(first + i * step, extents[1:]) for i in range(extents[0])]


def plans(heddle, chosen):
    """Heddle's plans as data."""
    texts = [f"redistribute({in_heddle(source)}, {in_heddle(destination)}, {8 * ELEMENT_BYTES}, "
             f"mesh={nested(0, extents)}, shape={shape})".replace(" ", "")
             for extents, shape, source, destination in chosen]
    found = []
    for text in texts:
        done = subprocess.run([heddle, "eval", "--json", text], capture_output=True, text=True)
        found.append(json.loads(done.stdout)["result"])
    return found


def measured_by_torch(world):
    """What every rank gets, by case."""
    import torch.multiprocessing as multiprocessing
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "results.json")
        multiprocessing.spawn(rank_main, args=(world, free_port(), path), nprocs=world)
        with open(path) as file:
            return json.load(file)


def free_port():
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        return server.getsockname()[1]


def rows_of(heddle):
    """The cells of each case."""
    for world in (4, 8):
        chosen = [case for case in CASES if is_of(case[0], world)]
        by_rank = measured_by_torch(world)
        for i, (case, plan) in enumerate(zip(chosen, plans(heddle, chosen), strict=True)):
            extents, shape, source, destination = case
            ranks = [result[i] for result in by_rank]
            error = next((result["error"] for result in ranks if "error" in result), None)
            if error:
                print(f"PyTorch, {source} to {destination}: {error}", file=sys.stderr)
            brought = [] if error else [result["bytes"] for result in ranks]
            moves, least = plan["moves"], plan["at_least"]
            yield [" x ".join(map(str, extents)), " x ".join(map(str, shape)), in_short(source),
                   in_short(destination), "cannot" if error else calls_text(ranks[0]["calls"]),
                   "" if error else f"{sum(brought)} ({max(brought)})",
                   f"{moves['total_bytes']} ({moves['most_in']})",
                   f"{least['total_bytes']} ({least['most_in']})",
                   ratio_text(sum(brought), moves["total_bytes"])]


def in_short(text):
    """`S0 T0:4` for a reader."""
    return ", ".join(re.sub(r"T(\d+):(\d+)", r"S\1/\2", word) for word in text.split())


def calls_text(calls):
    names = [call.replace("_into_tensor", "").replace("_tensor", "").replace("_", "-") for call in calls]
    return ", ".join(names) or "local"


def ratio_text(theirs, ours):
    return f"{theirs / ours:.2f}" if ours else ""


def main():
    head = ["mesh", "tensor", "from", "to", "DTensor's collectives", "PyTorch", "Heddle", "least",
            "ratio"]
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * 5 + "---:|" * 4)
    for row in rows_of(sys.argv[1]):
        print("| " + " | ".join(row) + " |")


if __name__ == "__main__":
    main()
