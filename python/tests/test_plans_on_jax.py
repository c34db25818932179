"""Plans of redistribution as programs for JAX, run where JAX is there."""

import importlib.util
import os
import pathlib
import subprocess
import sys

import pytest

import heddle

PLANS = pathlib.Path(__file__).with_name("plans_on_jax.py")
COUNT = int(os.environ.get("HEDDLE_JAX_PLANS", "30"))


def test_programs_for_jax_give_every_device_what_numpy_cuts():
    if importlib.util.find_spec("jax") is None:
        pytest.skip("JAX is not there: its programs are not run")
    done = subprocess.run([sys.executable, str(PLANS), str(COUNT)], capture_output=True, text=True)
    assert f"{COUNT} programs" in done.stdout, done.stderr[-4000:]


@pytest.mark.parametrize("source, destination, calls", [
    ("[Shard(0)]", "[Replicate()]", ["all_gather(shard, 'x', axis=0, tiled=True)"]),
    ("[Shard(0)]", "[Shard(1)]", ["all_to_all(shard, 'x', split_axis=1, concat_axis=0, tiled=True)"]),
    ("[Replicate()]", "[Shard(1)]", ["dynamic_slice_in_dim(shard, lax.axis_index('x') * size, size, 1)"]),
    ("[Partial()]", "[Shard(1)]", ["psum_scatter(shard, 'x', scatter_dimension=1, tiled=True)"]),
    ("[Partial()]", "[Replicate()]", ["psum(shard, 'x')"]),
    ('[Partial("max")]', "[Replicate()]", ["pmax(shard, 'x')"]),
    ('[Partial("max")]', "[Shard(0)]", []),
])
def test_a_step_is_the_function_of_jax_that_it_is(source, destination, calls):
    text = heddle.redistribute_source(source, destination, 32, "jax", mesh='mesh([0,1,2,3], ["x"])',
                                      shape=(8, 4))
    body = text.split(":\n", 1)[1] if calls else text
    for call in calls:
        assert f"lax.{call}" in body
    assert ("lax.ppermute" in text) == (not calls)


@pytest.mark.parametrize("source, shape, why", [
    ("[Shard(0)]", (10, 4), "device 3 holds [9,10) x [0,4), which is not of the size (3,4) of another"),
    ("S[(2,2,2,4):(8@m,1@gpuid,4@m,1@m)]", (8, 4), "device 0 of the mesh holds 2 boxes, and in JAX one"),
    ("S[(8,4):(4@m,1@m)]", (8, 4), "device 1 of the mesh holds 0 boxes, and in JAX one"),
])
def test_what_jax_cannot_shard_is_refused_with_the_reason(source, shape, why):
    with pytest.raises(heddle.Refused) as refused:
        heddle.redistribute_source(source, "[Replicate()]", 32, "jax", mesh=[0, 1, 2, 3], shape=shape)
    assert refused.value.code == "distribute.shards"
    assert why in str(refused.value)
