"""Write every file of tests/data anew: ``python -m tests.make_golden``.  Only for a change made on purpose.

Golden games keep the decks and plays they have; without a file new ones are drawn.
"""

from __future__ import annotations

import dataclasses
import json

import numpy as np

from benchmarks.signature import signature
from tests.games import FULL_RULES, SMALL_RULES, dealt, mixed_decks, random_cards, random_dealers
from tests.golden import (
    DATA,
    GOLDEN_RULES,
    PERFT_FILE,
    RECORDS_FILE,
    SIGNATURE_FILE,
    golden_file,
    golden_game,
    naive_perft,
)
from tressette_env import DealBatch, MatchBatch, Rules
from tressette_env.cards import cards_text
from tressette_env.record import Recorder, write

GAMES = 12
ENDINGS = [  # rules, cards left to play, endings
    *((rules, 12, 3) for rules in FULL_RULES[2:]),
    *((rules, 10, 3) for rules in FULL_RULES[:2]),
    (SMALL_RULES[0], 8, 4),
    (SMALL_RULES[2], 12, 2),
    (SMALL_RULES[4], 12, 2),
    (SMALL_RULES[8], 12, 2),
]


def played(rules: Rules, count: int, seed: int) -> DealBatch:
    """Random games, played to the end."""
    deals = dealt(rules, mixed_decks(rules, count, seed), random_dealers(rules, count, seed))
    rng = np.random.default_rng(seed)
    while not deals.done:
        deals.step(random_cards(deals, rng))
    return deals


def as_text(deals: DealBatch, row: int) -> tuple[str, int, str]:
    """Deck, dealer and plays of one game."""
    plays = [card for card in deals.view().plays[row] if card >= 0]
    return cards_text(deals.decks[row]), int(deals.dealer[row]), cards_text(plays)


def new_games(rules: Rules) -> list[tuple[str, int, str]]:
    """Some games, half of them with rich hands, and one for every bonus that was seen."""
    deals = played(rules, 2000, seed=40)
    with_bonus = {bonus: row for row, bonus in enumerate(deals.bonus) if bonus}
    rows = [*range(GAMES // 2), *range(1000, 1000 + GAMES // 2), *sorted(with_bonus.values())]
    return [as_text(deals, row) for row in rows]


def stored_games(rules: Rules) -> list[tuple[str, int, str]]:
    path = golden_file(rules)
    if not path.exists():
        return new_games(rules)
    games = [json.loads(line) for line in path.read_text().splitlines()]
    return [(game["deck"], game["dealer"], game["plays"]) for game in games]


def endings() -> list[dict[str, object]]:
    """The stored endings with their naive counts."""
    lines = []
    for number, (rules, left, count) in enumerate(ENDINGS):
        deals = played(rules, count, seed=50 + number)
        for row in range(count):
            deck, dealer, plays = as_text(deals, row)
            start = " ".join(plays.split()[: rules.num_cards - left])
            if plays:  # not won by declarations alone
                counts, ends = naive_perft(rules, deck, dealer, start)
                fields = {field.name: getattr(rules, field.name) for field in dataclasses.fields(rules)}
                lines.append(
                    {"rules": fields, "deck": deck, "dealer": dealer, "plays": start, "counts": counts, "ends": ends}
                )
    return lines


def records() -> list[dict[str, object]]:
    """A deal and a match of each rule set, written down while random cards are played."""
    lines = []
    for rules in FULL_RULES:
        for kind in (DealBatch, MatchBatch):
            games = kind(1, rules)
            games.reset(seed=60)
            recorder, rng = (
                Recorder(games, [[f"seat {seat}" for seat in range(rules.seats)]]),
                np.random.default_rng(60),
            )
            while not games.done:
                recorder.step(random_cards(games, rng))
            lines += recorder.records()
    return lines


def main() -> None:
    DATA.mkdir(exist_ok=True)
    write(RECORDS_FILE, records())
    for rules in GOLDEN_RULES:
        lines = [json.dumps(golden_game(rules, *game)) for game in stored_games(rules)]
        golden_file(rules).write_text("".join(f"{line}\n" for line in lines))
    PERFT_FILE.write_text("".join(f"{json.dumps(line)}\n" for line in endings()))
    SIGNATURE_FILE.write_text(f"{signature()}\n")


if __name__ == "__main__":
    main()
