"""What must hold where the package alone is installed; arguments: the weights that it ships, as paths inside it."""

import sys
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

import gymnasium

import tressette_env
from tressette_env import make_player, tressette_v0
from tressette_env.network import shipped_variants

assert Path(tressette_env.__file__).is_relative_to(sys.prefix), f"imported from {tressette_env.__file__}"
for module in ("torch", "numba", "pygame", "agents"):
    assert find_spec(module) is None, f"{module} is installed, though it is no declared dependency"
for name in ("py.typed", *sys.argv[1:]):
    assert files(tressette_env).joinpath(name).is_file(), f"{name} is not installed"
for variant in shipped_variants():
    make_player("network", variant)

opponent = "network" if "partners" in shipped_variants() else "rules"
env = gymnasium.make("tressette_env:Tressette-v0", opponent=opponent)
observation, _ = env.reset(seed=1)
ended = False
while not ended:
    observation, margin, ended, _, _ = env.step(observation["action_mask"].argmax())
assert margin == int(margin)

table = tressette_v0.env("two_player")
table.reset(seed=1)
for _agent in table.agent_iter():
    observation, _, terminated, _, _ = table.last()
    table.step(None if terminated else observation["action_mask"].argmax())
assert table.unwrapped.result() is not None
