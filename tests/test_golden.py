"""Stored games, stored counts and the signature; ``python -m tests.make_golden`` writes them anew."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from benchmarks.signature import signature
from tests.games import name
from tests.golden import GOLDEN_RULES, PERFT_FILE, SIGNATURE_FILE, golden_file, golden_game, naive_perft, perft
from tests.oracle import Oracle
from tressette_env import Rules
from tressette_env.cards import card_ids

FEW = 3000  # lines of play that the naive count goes through again


def stored_lines(rules: Rules) -> list[str]:
    return golden_file(rules).read_text().splitlines()


@pytest.mark.parametrize("rules", GOLDEN_RULES, ids=name)
def test_golden_games_line_by_line(rules: Rules) -> None:
    lines = stored_lines(rules)
    assert lines
    for line in lines:
        game = json.loads(line)
        assert json.dumps(golden_game(rules, game["deck"], game["dealer"], game["plays"])) == line


@pytest.mark.parametrize("rules", GOLDEN_RULES, ids=name)
def test_golden_games_by_the_oracle(rules: Rules) -> None:
    for line in stored_lines(rules):
        game = json.loads(line)
        deal = Oracle(rules, card_ids(game["deck"]), game["dealer"])
        legal, seats = [], ""
        for card in card_ids(game["plays"]):
            legal.append(len(deal.legal()))
            seats += str(deal.player)
            deal.play(card)
        bonus = deal.bonus()
        assert [game["legal"], game["seats"], game["thirds"], game["points"], game["bonus"]] == [
            *(legal, seats, deal.thirds(), deal.points()),
            bonus[0] if bonus else None,
        ]
        told = sorted((seat, card) for _, seat, cards in game["announced"] for card in card_ids(cards))
        assert told == sorted((seat, card) for seat in range(deal.seats) for card in deal.declared[seat])


ENDINGS: list[dict[str, Any]] = [json.loads(line) for line in PERFT_FILE.read_text().splitlines()]


def start_of(ending: dict[str, Any]) -> tuple[Rules, str, int, str]:
    return Rules(**ending["rules"]), ending["deck"], ending["dealer"], ending["plays"]


@pytest.mark.parametrize("ending", ENDINGS, ids=range(len(ENDINGS)))
def test_perft_counts(ending: dict[str, Any]) -> None:
    assert perft(*start_of(ending)) == (ending["counts"], ending["ends"])
    assert ending["counts"][-1] == sum(ending["ends"].values())


def test_perft_counts_are_those_of_the_naive_count() -> None:
    few = sorted(ENDINGS, key=lambda ending: sum(ending["counts"]))
    total = np.cumsum([sum(ending["counts"]) for ending in few])
    again = [ending for ending, lines in zip(few, total, strict=True) if lines < FEW]
    assert len(again) > 3
    for ending in again:
        assert naive_perft(*start_of(ending)) == (ending["counts"], ending["ends"])


def test_the_signature_changes_only_on_purpose() -> None:
    assert signature() == SIGNATURE_FILE.read_text().strip()
