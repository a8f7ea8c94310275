"""The adapter of Stable-Baselines3: it hands on what the vector environment says, and refuses play without a mask."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import VectorWrapper
from gymnasium.wrappers.vector import RecordEpisodeStatistics

pytest.importorskip("sb3_contrib")

from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks
from stable_baselines3 import PPO

from examples import sb3_policy
from examples.sb3_maskable_ppo import ID, make_model, model_path
from examples.sb3_vec_env import TressetteVecEnv
from tests.commands import Capture, run, run_json
from tressette_env import make_player

pytestmark = pytest.mark.frameworks
POLICY = "examples.sb3_policy:Policy"


def make_vec(mode: str = "SameStep") -> Any:
    return gymnasium.make_vec(ID, num_envs=3, opponent="random", autoreset_mode=mode)


def test_the_adapter_hands_on_the_vector_environment() -> None:
    adapter, env = TressetteVecEnv(make_vec()), make_vec()
    adapter.seed(5)
    seen, (wanted, _) = adapter.reset(), env.reset(seed=5)
    length = np.zeros(3, int)
    for _ in range(25):
        assert (seen == wanted["observation"]).all()
        masks = get_action_masks(adapter)
        assert (masks == wanted["action_mask"]).all()
        cards = masks.argmax(axis=1)
        (seen, rewards, ended, infos), (wanted, paid, over, _, _) = adapter.step(cards), env.step(cards)
        assert (rewards == paid).all()
        assert (ended == over).all()
        length += 1
        for row in range(3):
            assert infos[row].get("episode") == ({"r": paid[row], "l": length[row]} if over[row] else None)
        length[over] = 0


class Bare(VectorWrapper):
    """Hands on the numbers alone."""

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self.single_observation_space = env.single_observation_space["observation"]


def test_evaluating_and_wrapping_work() -> None:
    model = make_model("partners", seed=1, opponent="rules", num_envs=2)
    mean, _ = evaluate_policy(
        model, TressetteVecEnv(RecordEpisodeStatistics(make_vec())), n_eval_episodes=4, warn=False
    )
    assert -11 <= mean <= 11


def test_a_missing_mask_is_told() -> None:
    with pytest.raises(
        ValueError, match="hold no 'action_mask': Tressette-v0 has it, a wrapper around it took it away"
    ):
        TressetteVecEnv(Bare(make_vec()))
    with pytest.raises(ValueError, match="must be made with autoreset_mode='SameStep'"):
        TressetteVecEnv(make_vec("NextStep"))


def test_an_algorithm_without_masks_is_told() -> None:
    env = TressetteVecEnv(make_vec())
    message = r"the algorithm played \w\w in game \d, which its mask forbids: use MaskablePPO, and hand action_masks="
    with pytest.raises(ValueError, match=message):
        PPO("MlpPolicy", env, n_steps=8, batch_size=8, seed=1, device="cpu").learn(24)


def saved_in(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    model_path("partners").parent.mkdir()
    make_model("partners", seed=1, opponent="rules", num_envs=2).save(model_path("partners"))


def test_a_saved_model_plays_in_evaluate(tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    saved_in(tmp_path, monkeypatch)
    arguments = ("--variant", "partners", "--pairs", "20")
    own = run_json("match", capsys, tmp_path / "a.json", POLICY, "rules", *arguments)
    assert own["complete"]
    version = make_player(POLICY).version
    make_model("partners", seed=2, opponent="rules", num_envs=2).save("runs/other.zip")
    assert make_player(f"{POLICY}:model=runs/other.zip").version != version  # so that `--store` tells them apart
    named = f"{POLICY}:model={model_path('partners')}"
    assert run_json("match", capsys, tmp_path / "b.json", named, "rules", *arguments)["mean"] == own["mean"]
    code, _, errors = run("match", capsys, POLICY, "rules", "--variant", "two_player", "--pairs", "2")
    assert code == 2
    assert "there is no model runs/sb3_two_player.zip: python -m examples.sb3_maskable_ppo saves one" in errors
    with pytest.raises(ValueError, match=r"the model runs/sb3_partners.zip does not read observations of two_player"):
        make_player(named, "two_player")


def test_a_policy_that_leaves_out_the_mask_is_named(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved_in(tmp_path, monkeypatch)

    def unmasked(model: MaskablePPO) -> Any:
        return lambda observation, legal: model.predict(observation, deterministic=True)[0]

    monkeypatch.setattr(sb3_policy, "chooser", unmasked)
    code, _, errors = run("match", capsys, POLICY, "rules", "--variant", "partners", "--pairs", "2")
    assert code == 1
    assert f"failed: A ({POLICY}) played " in errors
    assert "; legal cards: " in errors
