"""Some rows of a batch dealt anew, shown or taken out of play; the others stay as they are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.games import FULL_RULES, name, random_cards, random_decks
from tressette_env import DealBatch, MatchBatch, Rules

MAKERS = [DealBatch, MatchBatch]


def facts(batch: DealBatch, row: int) -> list[Any]:
    parts = [
        batch.player[row],
        batch.legal[row],
        batch.ply[row],
        batch.points[row].tolist(),
        batch.scores[row].tolist(),
    ]
    if isinstance(batch, MatchBatch):
        parts += [batch.winner[row], batch.last_points[row].tolist(), batch.deal_number[row]]
    return [*parts, batch.decks[row].tolist(), batch.hands[row].tolist(), batch.observe()[row].tolist()]


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("rules", FULL_RULES, ids=name)
def test_rows_begin_anew_and_play_on_like_games_of_their_own(rules: Rules, maker: type[DealBatch]) -> None:
    rng = np.random.default_rng(3)
    batch = maker(6, rules)
    batch.reset(seed=1)
    singles = []
    for row in range(6):
        singles.append(maker(1, rules))
        singles[-1].reset(seed=1, deal_ids=[row])
    for step in range(90):
        if step % 13 == 5:
            rows = rng.permutation(6)[:2]
            seeds = rng.integers(1000, size=2)
            batch.reset_rows(rows, seed=seeds, deal_ids=[step, 7])
            for row, seed, number in zip(rows, seeds, [step, 7], strict=True):
                singles[row].reset(seed=seed, deal_ids=[number])
        if batch.done:
            continue
        cards = random_cards(batch, rng)
        batch.step(cards)
        for row, single in enumerate(singles):
            if not single.done:
                single.step(cards[row : row + 1])
            assert facts(batch, row) == facts(single, 0)


@pytest.mark.parametrize("maker", MAKERS)
def test_given_deals_and_the_default_names(maker: type[DealBatch]) -> None:
    batch, other = maker(3, "partners"), maker(3, "partners")
    batch.reset(seed=1)
    other.reset(seed=2)
    kept = facts(batch, 1)
    batch.reset_rows([2, 0], seed=2)
    assert facts(batch, 2) == facts(other, 2)
    assert facts(batch, 0) == facts(other, 0)
    assert facts(batch, 1) == kept
    deck = random_decks(Rules("partners"), 1, 0)
    batch.reset_rows([1], decks=deck, dealers=[2], scores=[[3, 4]])
    assert batch.decks[1].tolist() == deck[0].tolist()
    assert (batch.dealer[1], batch.player[1], batch.scores[1].tolist()) == (2, 3, [3, 4])
    batch.reset_rows(np.flatnonzero(batch.done), seed=3)
    assert facts(batch, 0) == facts(other, 0)


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([0, 0], "rows must be different indices from 0 to 2"),
        ([3], "rows must be different indices from 0 to 2"),
        ([-1], "rows must be different indices from 0 to 2"),
        ([True, False, True], "rows must be indices of shape"),
        (1, "rows must be indices of shape"),
        ([0.5], "rows must be indices of shape"),
    ],
)
def test_wrong_rows_change_nothing(maker: type[DealBatch], rows: Any, message: str) -> None:
    batch = maker(3, "partners")
    batch.reset(seed=1)
    before = [facts(batch, row) for row in range(3)]
    with pytest.raises(ValueError, match=message):
        batch.reset_rows(rows, seed=5)
    with pytest.raises(ValueError, match=r"seed must be"):
        batch.reset_rows([0, 1], seed=[1, 2, 3])
    assert [facts(batch, row) for row in range(3)] == before


@pytest.mark.parametrize("maker", MAKERS)
def test_a_view_of_some_rows(maker: type[DealBatch]) -> None:
    batch = maker(5, "two_player")
    batch.reset(seed=1)
    batch.step(random_cards(batch, np.random.default_rng(0)))
    rows = np.array([4, 1])
    some, whole = batch.view(rows=rows), batch.view()
    assert (some.observation == whole.observation[rows]).all()
    assert (some.legal == whole.legal[rows]).all()
    batch.step(random_cards(batch, np.random.default_rng(0)))
    assert (some.ply == 1).all()
    every = batch.view(rows=np.arange(5)[::-1])
    assert (every.observation == batch.observe()[::-1]).all()


@pytest.mark.parametrize("maker", MAKERS)
def test_abandoned_games_are_over(maker: type[DealBatch]) -> None:
    batch = maker(3, "partners")
    batch.reset(seed=1)
    batch.step(random_cards(batch, np.random.default_rng(0)))
    batch.abandon(np.array([0, 2]))
    assert batch.active.tolist() == [False, True, False]
    assert batch.player.tolist()[::2] == [-1, -1]
    assert not batch.legal[::2].any()
    assert batch.points.tolist() == [[0, 0]] * 3
    batch.step(random_cards(batch, np.random.default_rng(0)))
    assert batch.ply.tolist() == [1, 2, 1]
    batch.reset_rows([0], seed=2)
    batch.step(random_cards(batch, np.random.default_rng(0)))
    assert batch.ply.tolist() == [1, 3, 1]
