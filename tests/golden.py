"""Golden games and perft: what the core says of stored games and of all ways to end one."""

from __future__ import annotations

import hashlib
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from tests.games import FULL_RULES, SMALL_RULES, dealt, name
from tests.oracle import Oracle
from tressette_env import Rules
from tressette_env.cards import card_ids, cards_of, cards_text

DATA = Path(__file__).parent / "data"
GOLDEN_RULES = [*FULL_RULES, SMALL_RULES[1], SMALL_RULES[4], SMALL_RULES[8]]
SIGNATURE_FILE = DATA / "signature.txt"
PERFT_FILE = DATA / "perft.jsonl"
RECORDS_FILE = DATA / "records.jsonl"


def golden_file(rules: Rules) -> Path:
    return DATA / f"golden_{name(rules)}.jsonl"


def golden_game(rules: Rules, deck: str, dealer: int, plays: str) -> dict[str, Any]:
    """What the core says of one game, as it is stored."""
    deals = dealt(rules, [card_ids(deck)], [dealer])
    digest = hashlib.sha256()
    legal: list[int] = []
    seats: list[int] = []
    spoken: list[list[Any]] = []  # ply, seat, cards declared or announced
    told = [0] * rules.seats
    for card in [*card_ids(plays), None]:
        view = deals.view()
        for seat in range(rules.seats):
            digest.update(deals.observe(seat).tobytes())
            declared = int(view.declared[seat, 0])
            if declared != told[seat]:
                spoken.append([int(deals.ply[0]), seat, cards_text(cards_of(declared ^ told[seat]))])
                told[seat] = declared
        if card is not None:
            legal.append(int(deals.legal_mask().sum()))
            seats.append(int(deals.player[0]))
            deals.step(np.array([card]))
    assert deals.done
    return {
        "deck": deck,
        "dealer": dealer,
        "plays": plays,
        "seats": "".join(map(str, seats)),
        "legal": legal,
        "announced": spoken,
        "thirds": deals.thirds[0].tolist(),
        "points": deals.points[0].tolist(),
        "bonus": deals.bonus[0],
        "observations": digest.hexdigest()[:16],
    }


Tally = tuple[list[int], dict[str, int]]
"""Sequences of each length, and how many whole ones end in which points."""


def perft(rules: Rules, deck: str, dealer: int, plays: str) -> Tally:
    """Count, with the core, all ways to play on after `plays`: each length is one batch."""
    lines = np.array([card_ids(plays)], np.int64).reshape(1, -1)
    counts = []
    while True:
        deals = dealt(rules, [card_ids(deck)] * len(lines), [dealer] * len(lines))
        for cards in lines.T:
            deals.step(cards)
        if deals.done:
            return counts, dict(sorted(Counter(f"{own}:{other}" for own, other in deals.points).items()))
        row, card = np.nonzero(deals.legal_mask())
        lines = np.column_stack([lines[row], card])
        counts.append(len(lines))


def naive_perft(rules: Rules, deck: str, dealer: int, plays: str) -> Tally:
    """The same by the oracle, one card at a time."""
    start = Oracle(rules, card_ids(deck), dealer)
    for card in card_ids(plays):
        start.play(card)
    counts = [0] * (rules.num_cards - len(start.plays))
    ends: Counter[str] = Counter()

    def play_on(deal: Oracle, depth: int) -> None:
        if deal.over:
            own, other = deal.points()
            ends[f"{own}:{other}"] += 1
            return
        for card in sorted(deal.legal()):
            counts[depth] += 1
            after = deal.copy()
            after.play(card)
            play_on(after, depth + 1)

    play_on(start, 0)
    return counts, dict(sorted(ends.items()))
