"""Training on solved ends of two_player: which decisions are solved, what of, and what is learned from them."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import agents  # noqa: F401  registers +solver
from agents.config import GameConfig
from agents.initialization import initialize
from agents.network import PolicyNetwork
from agents.ppo import PPOConfig, generalized_advantages, make_shards
from agents.selfplay import Decisions, Guest, PolicyOpponent, play_deals
from agents.trainer import Trainer
from tests.test_training import CPU, TINY, decisions, run, same
from tressette_env import DealBatch, Rules
from tressette_env.players import make_player

RULES = Rules("two_player")
DEALS = np.arange(40)
TWO_PLAYER = replace(TINY, game=GameConfig("two_player"))


def played(solved: float, rules: Rules = RULES) -> Decisions:
    return play_deals(initialize(PolicyNetwork("two_player", TINY.network), 0), rules, 3, DEALS, CPU, solved=solved)


def test_solving_changes_no_card_and_solves_a_share_of_the_deals() -> None:
    none, some, every = played(0), played(0.5), played(1)
    for kept in (some, every):
        assert np.array_equal(kept.card, none.card)
        assert np.array_equal(kept.points, none.points)
    end = none.ply >= RULES.stock
    assert none.taught.all()
    assert not none.best.any()
    assert np.isnan(none.value).all()
    assert np.array_equal(every.best.any(axis=1), end)
    assert every.taught.all()
    solved = some.best.any(axis=1)
    assert np.array_equal(solved, ~np.isnan(some.value))
    assert np.array_equal(some.taught, ~end | solved)
    # By whole deals, and the same ones whatever other deals are played beside them.
    of_deals = {deal: set(solved[end & (some.deal == deal)].tolist()) for deal in DEALS}
    assert all(len(kinds) == 1 for kinds in of_deals.values())
    assert 8 <= sum(kinds == {True} for kinds in of_deals.values()) <= 32
    policy = initialize(PolicyNetwork("two_player", TINY.network), 0)
    alone = play_deals(policy, RULES, 3, DEALS[7:8], CPU, solved=0.5)
    assert alone.best.any() == (of_deals[7] == {True})


@pytest.mark.parametrize("napoletana", [False, True])
def test_values_and_best_cards_are_those_of_exact_play(napoletana: bool) -> None:
    rules = Rules("two_player", napoletana=napoletana)
    kept = played(1, rules)
    solved = kept.best.any(axis=1)
    assert not (kept.best & ~kept.legal).any()
    # From each deal's k-th solved decision on both sides play exactly: the points must be the value; after a card
    # that is not best they must be fewer, after one that is the same.
    exact = make_player("rules+solver", rules)
    for which in (0, 5):
        deals = DealBatch(len(DEALS), rules)
        deals.reset(seed=3, deal_ids=DEALS)
        rows = [np.flatnonzero(solved & (kept.deal == deal))[which] for deal in DEALS]
        known = {(d, p): c for d, p, c in zip(kept.deal, kept.ply, kept.card, strict=True)}
        own = np.random.default_rng(which).random((len(DEALS), 40)) * kept.legal[rows]
        tried = own.argmax(axis=1)
        while not deals.done:
            view = deals.view()
            best = np.asarray(exact.act(view))
            forced = view.legal.argmax(axis=1)
            before = np.array([known.get((d, int(view.ply[d])), forced[d]) for d in DEALS])
            cards = np.where(view.ply < kept.ply[rows], before, np.where(view.ply == kept.ply[rows], tried, best))
            deals.step(cards)
        sign = np.where(kept.seat[rows] & 1, -1, 1)
        reached = sign * (deals.points[:, 0] - deals.points[:, 1])
        was_best = kept.best[rows, tried]
        assert deals.view().declared_points.any() == napoletana
        assert 5 < was_best.sum() < 35
        assert np.array_equal(reached[was_best], kept.value[rows][was_best])
        assert (reached[~was_best] < kept.value[rows][~was_best]).all()


def test_only_the_learner_s_decisions_are_solved_where_a_past_self_sits() -> None:
    policy = initialize(PolicyNetwork("two_player", TINY.network), 0)
    past = PolicyOpponent(initialize(PolicyNetwork("two_player", TINY.network), 1), CPU)
    kept = play_deals(policy, RULES, 3, DEALS, CPU, guests=[Guest(past, slice(0, 20))], solved=1)
    assert set(kept.seat[kept.deal < 10]) == {0}
    assert set(kept.seat[(kept.deal >= 10) & (kept.deal < 20)]) == {1}
    assert np.array_equal(kept.solved, kept.ply >= RULES.stock)
    assert kept.best[kept.solved].any(axis=1).all()
    same_deals = played(1)
    assert np.array_equal(kept.value[kept.deal >= 20], same_deals.value[same_deals.deal >= 20], equal_nan=True)
    values = np.zeros(len(kept), np.float32)
    assert np.isfinite(generalized_advantages(values, kept, 0.8)).all()


def test_advantages_end_at_the_exact_value() -> None:
    # Side 0 expects 1 and 2, then best play is worth 4 to it; what follows is left out.
    kept = decisions([0, 0, 0, 0], [0, 1, 0, 1], [0, 1, 20, 21], [[7, 4]])
    kept.value[2:] = 4, -4
    advantages = generalized_advantages(np.array([1, -2, 9, 9], np.float32), kept, 0.5)
    assert advantages.tolist() == pytest.approx([(2 - 1) + 0.5 * (4 - 2), -(4 - 2), 0, 0])


def test_solved_decisions_are_all_kept_and_ends_that_are_not_solved_teach_the_policy_nothing() -> None:
    kept = played(0.5)
    values = np.random.default_rng(0).normal(size=len(kept)).astype(np.float32)
    shard = make_shards([kept], [values], PPOConfig(keep=0.3), CPU)[0]
    solved, early = kept.best.any(axis=1), kept.ply < RULES.stock
    assert int(shard.best[shard.kept].any(dim=1).sum()) == solved.sum()
    assert len(shard.kept) == pytest.approx(solved.sum() + 0.3 * early.sum(), abs=2)


def test_what_is_learned_from_solved_ends(tmp_path: Path) -> None:
    config = replace(
        TWO_PLAYER,
        selfplay=replace(TINY.selfplay, plays=12 * 100 * 40, deals=100, solved=1.0),
        ppo=replace(TINY.ppo, minibatches=8, learning_rate=5e-3),
    )
    (tmp_path / "checkpoints").mkdir()
    losses = [metrics["train/solved_loss"] for metrics in Trainer(config, tmp_path).run()]
    assert np.mean(losses[-3:]) < 0.9 * losses[0]


def test_without_solved_ends_nothing_is_added(tmp_path: Path) -> None:
    (tmp_path / "checkpoints").mkdir()
    assert all(metrics["train/solved_loss"] == 0 for metrics in Trainer(TINY, tmp_path).run())


def test_a_resumed_run_goes_on_exactly(tmp_path: Path) -> None:
    config = replace(TWO_PLAYER, selfplay=replace(TINY.selfplay, solved=0.5))
    whole = run(config, tmp_path / "whole")
    run(config, tmp_path / "parts", updates=2)
    assert same(whole, run(config, tmp_path / "parts", resume=True))


def test_solved_ends_need_a_stock() -> None:
    with pytest.raises(ValueError, match=r"selfplay\.solved is for two_player"):
        replace(TINY, selfplay=replace(TINY.selfplay, solved=0.5))
