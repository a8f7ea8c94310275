"""Past selves: what is kept of them, and that it is exactly what plays."""

from __future__ import annotations

import numpy as np
import torch

from agents.initialization import initialize
from agents.network import NetworkConfig, PolicyNetwork
from agents.pool import SnapshotPool
from agents.selfplay import Guest, PlayerOpponent, PolicyOpponent, play_deals
from tests.toy_players import Highest
from tressette_env import DealBatch, Rules

SMALL = NetworkConfig(width=16, head=16)
CPU = torch.device("cpu")


def policy_of(seed: int) -> PolicyNetwork:
    return initialize(PolicyNetwork("partners", SMALL), seed)


def test_snapshots_stay_spread_over_the_run_and_the_newest_stays() -> None:
    pool = SnapshotPool("partners", SMALL, most=5)
    for update in range(10, 401, 10):
        pool.add(update, policy_of(update))
        assert pool.updates[0] == 10
        assert pool.updates[-1] == update
        assert len(pool) == min(update // 10, 5)
    gaps = np.diff(pool.updates)
    assert gaps.max() <= 3 * gaps.min() + 10


def test_a_restored_pool_plays_the_same_networks() -> None:
    pool = SnapshotPool("partners", SMALL, most=3)
    for update in (5, 10, 15):
        pool.add(update, policy_of(update))
    again = SnapshotPool("partners", SMALL, most=3)
    again.restore({name: tensor.clone() for name, tensor in pool.tensors().items()})
    assert again.updates == [5, 10, 15]
    drawn = set()
    for seed in range(20):
        one, other = (p.draw(np.random.default_rng(seed), CPU).state_dict() for p in (pool, again))
        assert all(torch.equal(one[name], other[name]) for name in one)
        drawn.add(float(one["body.tower.weight"][0, 0]))
    assert len(drawn) == 3  # each snapshot has its turn


def test_a_snapshot_does_not_change_with_the_policy() -> None:
    policy = policy_of(1)
    pool = SnapshotPool("partners", SMALL, most=3)
    pool.add(1, policy)
    before = pool.draw(np.random.default_rng(0), CPU).state_dict()
    with torch.no_grad():
        for parameter in policy.parameters():
            parameter.add_(1)
    after = pool.draw(np.random.default_rng(0), CPU).state_dict()
    assert all(torch.equal(before[name], after[name]) for name in before)


def test_a_guest_sits_on_one_side_and_is_not_learned_from() -> None:
    rules, ids = Rules("partners"), np.arange(12)
    guests = [Guest(PlayerOpponent(Highest("partners")), slice(0, 6))]
    kept = play_deals(policy_of(1), rules, 3, ids, CPU, guests=guests)
    for deal in range(12):
        sides = set((kept.seat[kept.deal == deal] & 1).tolist())
        assert sides == ({0} if deal < 3 else {1} if deal < 6 else {0, 1})
    # Replayed with the cards kept and the guest's own, the deals end with the same points.
    deals = DealBatch(12, rules)
    deals.reset(seed=3, deal_ids=ids)
    cards = {(d, p): c for d, p, c in zip(kept.deal, kept.ply, kept.card, strict=True)}
    plays = 0
    while not deals.done:
        highest = Highest("partners").act(deals.view())
        forced = deals.legal_mask().argmax(axis=1)
        theirs = np.where(deals.player & 1 == 1, ids < 3, (ids >= 3) & (ids < 6))
        chosen = [cards.get((row, int(deals.ply[row])), forced[row]) for row in ids]
        deals.step(np.where(theirs, highest, chosen))
        plays += 12
    assert np.array_equal(deals.points, kept.points)
    assert kept.plays == plays


def test_a_past_self_draws_its_cards_like_the_learner() -> None:
    """The same network on both sides, half of it as a guest, plays the deals that it plays alone."""
    rules, ids = Rules("partners"), np.arange(10)
    with torch.no_grad():
        policy = policy_of(1)
        policy.score.weight.zero_()  # equal logits: rounding differs between batch sizes, the choice must not
    alone = play_deals(policy, rules, 3, ids, CPU)
    shared = play_deals(policy, rules, 3, ids, CPU, guests=[Guest(PolicyOpponent(policy, CPU), slice(0, 10))])
    assert np.array_equal(alone.points, shared.points)
    assert len(shared) < len(alone)
