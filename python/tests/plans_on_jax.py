"""Runs programs for JAX on eight devices of this CPU, beside NumPy's cutting; says how many it ran.

    python plans_on_jax.py COUNT
"""

import math
import os
import random
import sys

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax  # noqa: E402
import numpy as np  # noqa: E402
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P  # noqa: E402

import heddle  # noqa: E402

REDUCED = {"sum": np.sum, "max": np.max, "min": np.min, "product": np.prod, "avg": np.mean}
MESHES = [[2], [4], [8], [3], [2, 2], [2, 4], [4, 2], [2, 3], [2, 2, 2]]


def random_placements(draw, names, rank, partial, operation):
    placements = []
    for _ in names:
        kind = draw.random()
        if kind < partial:
            placements.append(f'Partial("{operation}")')
        elif kind < partial + 0.25:
            placements.append("Replicate()")
        else:
            placements.append(f"Shard({draw.randrange(rank)})")
    return placements


class Case:
    """A tensor on a mesh in two ways, both of them even."""

    def __init__(self, seed):
        draw = random.Random(seed)
        self.seed = seed
        self.extents = draw.choice(MESHES)
        self.names = ["x", "y", "z"][:len(self.extents)]
        self.operation = draw.choice(["sum", "sum", "sum", "max", "min", "avg", "product"])
        rank = draw.randrange(1, 4)
        devices = math.prod(self.extents)
        self.shape = tuple(devices * draw.randrange(1, 3) for _ in range(rank))
        self.source = random_placements(draw, self.names, rank, 0.25, self.operation)
        self.destination = random_placements(draw, self.names, rank, 0, self.operation)
        self.numbers = list(range(devices))
        if draw.random() < 0.3:
            draw.shuffle(self.numbers)

    def program(self):
        numbers = np.array(self.numbers).reshape(self.extents).tolist()
        mesh = f"mesh({numbers}, {self.names})".replace("'", '"')
        sides = (f"[{', '.join(side)}]" for side in (self.source, self.destination))
        # Links of two speeds make the plan reduce in two steps.
        bandwidth = {"x": 1, "y": 9} if len(self.names) > 1 and self.seed % 3 == 0 else None
        given = {} if bandwidth is None else {"bandwidth": bandwidth}
        return heddle.redistribute_source(*sides, 32, "jax", mesh=mesh, shape=self.shape, **given)

    def check(self):
        module = {}
        exec(compile(self.program(), f"plan{self.seed}.py", "exec"), module)
        partial = [name for name, placement in zip(self.names, self.source) if "Partial" in placement]
        extents = dict(zip(module["AXES"], module["MESH"]))
        terms = np.random.default_rng(self.seed).integers(
            1, 9, tuple(extents[axis] for axis in partial) + self.shape).astype(np.float32)
        wanted = terms
        for _ in partial:
            wanted = REDUCED[self.operation](wanted, axis=0)
        mesh, result = run(module, terms, partial)
        assert result.shape == self.shape
        cut = NamedSharding(mesh, module["OUT_SPECS"]).devices_indices_map(self.shape)
        for shard in result.addressable_shards:
            np.testing.assert_allclose(np.asarray(shard.data), wanted[cut[shard.device]], rtol=1e-6)


def run(module, terms, partial):
    """What the program makes of a tensor whose first dimensions are the terms over some axes."""
    mesh = Mesh(np.array(jax.devices())[list(module["DEVICES"])].reshape(module["MESH"]), module["AXES"])
    if not partial:
        return mesh, jax.jit(module["redistribute_on"]())(terms)
    specs = P(*partial, *module["IN_SPECS"])

    def of_one_term(shard):
        return module["redistribute"](shard.reshape(shard.shape[len(partial):]))

    mapped = jax.shard_map(of_one_term, mesh=mesh, in_specs=specs, out_specs=module["OUT_SPECS"],
                           check_vma=False)
    return mesh, jax.jit(mapped)(terms)


def main():
    count = int(sys.argv[1])
    for seed in range(count):
        case = Case(seed)
        try:
            case.check()
        except Exception:
            print(f"case {seed}: {case.extents} {case.shape} {case.source} to {case.destination}\n"
                  f"{case.program()}", file=sys.stderr)
            raise
    print(f"{count} programs gave every device its part")


if __name__ == "__main__":
    main()
