"""Plans of redistributions against NumPy, which cuts a tensor up and puts it together again."""

import os
import random

import heddle
import numpy as np
import pytest


def chunk(part, pieces, piece):
    """The interval that torch.chunk gives the piece of an interval."""
    begin, end = part
    size = -(-(end - begin) // pieces)
    first = min(begin + size * piece, end)
    return first, min(first + size, end)


def box_of(mesh, placements, shape, device):
    """The box that a device holds, as slices: cut axis by axis."""
    at = [int(index[0]) for index in np.nonzero(mesh == device)]
    parts = [(0, extent) for extent in shape]
    for axis, placement in enumerate(placements):
        if placement[0] == "Shard":
            dim = placement[1]
            parts[dim] = chunk(parts[dim], mesh.shape[axis], at[axis])
    return tuple(slice(begin, end) for begin, end in parts)


def text_of(placements):
    texts = [f"Shard({p[1]})" if p[0] == "Shard" else f"{p[0]}()" for p in placements]
    return f"[{', '.join(texts)}]"


def coordinate(mesh, placements, device):
    """Which term a device has: where it is on the axes over which values are partial."""
    at = np.argwhere(mesh == device)[0]
    return tuple(int(at[axis]) for axis, p in enumerate(placements) if p[0] == "Partial")


def term_of(tensor, at):
    """All of the tensor, or one of its terms."""
    return np.random.default_rng(at).integers(0, 99, tensor.shape) if at else tensor


class Device:
    """A device's memories, as tensors of the whole shape of which only a part is there."""

    def __init__(self, shape):
        self.values = {name: np.full(shape, -1) for name in ("source", "destination", "scratch")}
        self.known = {name: np.zeros(shape, bool) for name in self.values}


def follow(plan, devices):
    """Does what the plan says; every transfer of a step reads what was there before it."""
    for step in plan.data["steps"]:
        assert len(step["transfers"]) == step["transfer_count"]
        messages = []
        for transfer in step["transfers"]:
            box = tuple(slice(begin, end) for begin, end in transfer["box"])
            sender = devices[transfer["from"]]
            assert sender.known[transfer["read"]][box].all()
            messages.append((transfer, box, sender.values[transfer["read"]][box].copy()))
        for transfer, box, message in messages:
            receiver = devices[transfer["to"]]
            values, known = receiver.values[transfer["written"]], receiver.known[transfer["written"]]
            assert known[box].all() == transfer["reduces"] and known[box].any() == transfer["reduces"]
            values[box] = values[box] + message if transfer["reduces"] else message
            known[box] = True


def random_case(choose):
    extents = [choose.choice([1, 2, 3, 4]) for _ in range(choose.randint(1, 3))]
    mesh = np.arange(int(np.prod(extents))).reshape(extents)
    shape = tuple(choose.randint(1, 9) for _ in range(choose.randint(1, 3)))

    def placements(partial):
        kinds = ["Shard", "Shard", "Replicate"] + partial
        return [(choose.choice(kinds), choose.randrange(len(shape))) for _ in extents]

    return mesh, shape, placements(["Partial"]), placements([])


@pytest.mark.parametrize("case", range(20))
def test_every_device_has_what_numpy_cuts_out(case):
    seed = int(os.environ.get("HEDDLE_SEED", "1")) * 1000 + case
    choose = random.Random(seed)
    for _ in range(10):
        mesh, shape, source, destination = random_case(choose)
        plan = heddle.redistribute(
            text_of(source), text_of(destination), 32, mesh=mesh.tolist(), shape=shape
        )
        tensor = np.arange(int(np.prod(shape))).reshape(shape)
        devices = {int(device): Device(shape) for device in mesh.flat}
        for number, device in devices.items():
            box = box_of(mesh, source, shape, number)
            device.values["source"][box] = term_of(tensor, coordinate(mesh, source, number))[box]
            device.known["source"][box] = True
        follow(plan, devices)
        coordinates = {coordinate(mesh, source, number) for number in devices}
        wanted = sum(term_of(tensor, at) for at in coordinates)
        for number, device in devices.items():
            box = box_of(mesh, destination, shape, number)
            assert device.known["destination"].sum() == wanted[box].size, seed
            assert (device.values["destination"][box] == wanted[box]).all(), seed


def test_a_plan_has_its_bytes_and_its_bound_as_data():
    plan = heddle.redistribute("[Shard(0)]", "[Replicate()]", 16, mesh=[0, 1, 2, 3], shape=(8, 4))
    assert plan.data["moves"]["total_bytes"] == plan.data["at_least"]["total_bytes"] == 192
    assert [step["collective"] for step in plan.data["steps"]] == ["local", "all-gather"]
    assert plan.data["complete"].startswith("yes")
