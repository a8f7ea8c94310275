"""Replay of records at every ply, as a batch and as the PettingZoo environment."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.games import ALL_RULES, FULL_RULES, name, random_cards
from tests.recorded_games import names_of, one, started
from tressette_env import DealBatch, MatchBatch, Rules, tressette_v0
from tressette_env.record import (
    Recorder,
    RecordError,
    deal_text,
    game_text,
    records_of,
    replay,
    replay_env,
    replay_plies,
)


def same(batch: DealBatch, row: int, other: DealBatch) -> None:
    """Row `row` of one batch is row 0 of the other."""
    assert other.player[0] == batch.player[row]
    assert other.legal[0] == batch.legal[row]
    assert np.array_equal(other.hands[0], batch.hands[row])
    assert np.array_equal(other.points[0], batch.points[row])
    assert np.array_equal(other.thirds[0], batch.thirds[row])
    if batch.active[row]:
        for seat in range(batch.rules.seats):
            assert np.array_equal(other.observe(seat)[0], batch.observe(seat)[row])


@pytest.mark.parametrize("rules", FULL_RULES + ALL_RULES[5:6] + ALL_RULES[9:10], ids=name)
def test_replay_at_every_ply_is_the_original_batch(rules: Rules) -> None:
    deals = started(rules, DealBatch, 2)
    states, rng = [deals.copy()], np.random.default_rng(1)
    while not deals.done:
        deals.step(random_cards(deals, rng))
        states.append(deals.copy())
    for row, record in enumerate(records_of(deals, [names_of(rules)] * 2)):
        plies = len(record["deals"][0]["plays"])
        for ply in range(plies + 1):
            same(states[ply], row, replay(record, ply))
        same(states[-1], row, replay(record))
        if plies:
            at_once = replay_plies(record)
            assert at_once.ply.tolist() == list(range(plies))
            for ply in (0, 1, plies // 2, plies - 1):
                assert np.array_equal(at_once.observe()[ply], states[ply].observe()[row])


@pytest.mark.parametrize("rules", [Rules("two_player", napoletana=True), Rules("historical"), ALL_RULES[5]], ids=name)
def test_replay_stands_where_the_environment_stood(rules: Rules) -> None:
    """A match is played in the PettingZoo environment, from another deck source; each replay sees the same."""
    env = tressette_v0.raw_env(rules, episode="match")
    batch = started(rules, MatchBatch, 1)
    recorder, rng = Recorder(batch, [names_of(rules)]), np.random.default_rng(4)
    seen: list[list[Any]] = []
    env.reset(seed=1, options={"deck": batch.decks[0], "dealer": int(batch.dealer[0])})
    while not batch.done:
        if batch.ply[0] == 0:
            seen.append([])
        seen[-1].append([env.observe(agent)["observation"].copy() for agent in env.possible_agents])
        card = random_cards(batch, rng)
        env.step(int(card[0]))
        recorder.step(card)
    record = recorder.records()[0]
    assert env.result() == record["result"]
    assert replay_env(record).unwrapped.result() == record["result"]
    for number, of_deal in enumerate(seen):
        for ply in range(0, len(of_deal), 7):
            again, deals = replay_env(record, ply, number), replay(record, ply, number)
            for seat, agent in enumerate(again.possible_agents):
                assert np.array_equal(again.observe(agent)["observation"], of_deal[ply][seat])
                assert np.array_equal(deals.observe(seat)[0], of_deal[ply][seat])
        if number < len(seen) - 1:
            at_end = replay_env(record, deal=number)
            for seat, agent in enumerate(at_end.possible_agents):
                assert np.array_equal(at_end.observe(agent)["observation"], seen[number + 1][0][seat])


def test_plies_and_deals_that_are_not_there() -> None:
    record = one(Rules("partners"))
    for ply in (-1, 41, True, "3"):
        with pytest.raises(ValueError, match=r"ply=.* deal 0 has 40 plays, so from 0 to 40"):
            replay(record, ply)  # type: ignore[arg-type]
    for deal in (1, -2, None):
        with pytest.raises(ValueError, match=r"deal=.* the game has 1"):
            replay_env(record, 0, deal)  # type: ignore[arg-type]
    record["deals"][0]["points"] = [0, 0]
    for call in (replay, replay_env, replay_plies, deal_text, game_text):
        with pytest.raises(RecordError, match="deal 0: the points"):
            call(record)
