"""Training on a smaller pack (CONTRACT §1): games that can be solved exactly."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from agents.config import GameConfig, TrainConfig, read_config, write_config
from agents.ppo import PPOConfig
from agents.trainer import Trainer
from tressette_env import Rules

GAMES = [
    GameConfig(variant="two_player", suits="DC", ranks="A23", hand=2),
    GameConfig(variant="two_player", suits="DC", ranks="A23", hand=3),  # no stock
    GameConfig(variant="partners", ranks="A23", hand=3),
    GameConfig(variant="partners", napoletana=True, suits="SB", ranks="RA23", hand=2),
    GameConfig(variant="historical", suits="DCS", ranks="47FCRA23", hand=6),
]


def tiny(game: GameConfig) -> TrainConfig:
    config = TrainConfig(game=game)
    return replace(
        config,
        network=replace(config.network, width=8, head=8),
        critic=replace(config.critic, width=8, head=8),
        selfplay=replace(config.selfplay, deals=32, past=0.25, snapshot_every=1, opponents={"rules": 0.25}),
        ppo=PPOConfig(minibatches=2, owner=0.1),
    )


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_a_mini_game_is_trained_with_everything(game: GameConfig, tmp_path: Path) -> None:
    trainer = Trainer(tiny(game), tmp_path)
    (tmp_path / "checkpoints").mkdir()
    before = [parameter.clone() for parameter in trainer.policy.parameters()]
    for metrics in trainer.run():
        if metrics["update"] == 3:
            break
    assert metrics["plays"] == 3 * 32 * game.rules.num_cards
    after = list(trainer.policy.parameters())
    assert any(not torch.equal(a, b) for a, b in zip(before, after, strict=True))
    assert all(torch.isfinite(parameter).all() for parameter in after)


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_a_pack_is_kept_in_the_configuration(game: GameConfig, tmp_path: Path) -> None:
    write_config(tiny(game), tmp_path / "config.yaml")
    assert read_config(tmp_path / "config.yaml") == tiny(game)
    assert game.rules == Rules(game.variant, game.napoletana, suits=game.suits, ranks=game.ranks, hand=game.hand)


def test_the_full_pack_is_the_default() -> None:
    assert GameConfig().rules == Rules("partners")


@pytest.mark.parametrize(
    ("pack", "message"),
    [
        ({"suits": "DX"}, "suits='DX'"),
        ({"ranks": "AA"}, "ranks='AA'"),
        ({"hand": 9}, "hand=9"),
        ({"suits": "D", "ranks": "RA23", "hand": 1}, "game.hand must be at least 2"),
    ],
)
def test_what_is_no_game_to_learn_is_refused(pack: dict[str, str | int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        GameConfig(variant="partners", **pack)  # type: ignore[arg-type]
