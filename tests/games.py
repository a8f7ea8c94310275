"""Rule sets, decks and random plays shared by the tests."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tests.oracle import KEY_RANKS, Oracle, rank_of, suit_of
from tressette_env import DealBatch, Rules

FULL_RULES = [
    Rules("two_player"),
    Rules("two_player", napoletana=True),
    Rules("partners"),
    Rules("partners", napoletana=True),
    Rules("historical"),
]
SMALL_RULES = [
    Rules("two_player", napoletana=True, suits="DC", ranks="RA23", hand=2),
    Rules("two_player", napoletana=True, ranks="FRA23", hand=4),
    Rules("two_player", napoletana=True, suits="CSB", ranks="RA23", hand=2, target=31),
    Rules("two_player", suits="DS", ranks="7A23", hand=4),
    Rules("partners", napoletana=True, ranks="A23", hand=3),
    Rules("partners", napoletana=True, suits="DCB", ranks="4RA2", hand=3),
    Rules("partners", napoletana=True, suits="SB", ranks="7FRA23", hand=3, target=41),
    Rules("historical", ranks="6CRA23", hand=6),
    Rules("historical", suits="DCS", ranks="47FCRA23", hand=6),
    Rules("historical", ranks="3", hand=1),
    Rules("historical", suits="D", ranks="67FCRA23", hand=2),
]
ALL_RULES = FULL_RULES + SMALL_RULES


def name(rules: Rules) -> str:
    """A short test id."""
    small = "" if rules.num_cards == 40 else f"-{rules.suits}x{rules.ranks}"
    return f"{rules.variant}{'-napoletana' if rules.napoletana else ''}{small}"


def random_decks(rules: Rules, rows: int, seed: int) -> npt.NDArray[np.int64]:
    """Decks shuffled by numpy, not by the package."""
    return np.random.default_rng(seed).permuted(np.tile(rules.pack, (rows, 1)), axis=1)


def rich_decks(rules: Rules, rows: int, seed: int) -> npt.NDArray[np.int64]:
    """Decks in which the 3, 2 and ace of a suit, and some cards of one rank, stand near each other."""
    rng = np.random.default_rng(seed)
    pack = rules.pack
    decks = []
    for _ in range(rows):
        of_suit = dict(zip("DCSB", rng.random(4), strict=True))
        of_rank = dict(zip("4567FCRA23", rng.random(10), strict=True))
        by_rank = rules.variant == "historical" and rng.random() < 0.5
        keys = []
        for card in pack:
            near = of_rank[rank_of(card)] if by_rank else of_suit[suit_of(card)]
            clustered = by_rank or rank_of(card) in KEY_RANKS | ({"R", "C"} if rules.variant == "historical" else set())
            keys.append(near + 0.2 * rng.random() if clustered else 1.2 * rng.random())
        decks.append([pack[i] for i in np.argsort(keys)])
    return np.array(decks)


def mixed_decks(rules: Rules, rows: int, seed: int) -> npt.NDArray[np.int64]:
    """Half of the decks random, half rich."""
    return np.concatenate([random_decks(rules, rows // 2, seed), rich_decks(rules, rows - rows // 2, seed)])


def random_dealers(rules: Rules, rows: int, seed: int) -> npt.NDArray[np.int64]:
    return np.random.default_rng(seed + 1).integers(rules.seats, size=rows)


def random_cards(deals: DealBatch, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """One legal card a deal, each as likely; 0 where the deal is over."""
    keys = rng.random((deals.num_deals, 40), np.float32)
    keys[~deals.legal_mask()] = -1
    return keys.argmax(axis=1)


def dealt(rules: Rules, decks: npt.ArrayLike, dealers: npt.ArrayLike, **arguments: object) -> DealBatch:
    """A batch with these decks."""
    deals = DealBatch(len(np.asarray(decks)), rules)
    deals.reset(decks=decks, dealers=dealers, **arguments)
    return deals


def oracles(rules: Rules, deals: DealBatch) -> list[Oracle]:
    """The same deals, naively."""
    return [
        Oracle(rules, deck, dealer, (scores[0], scores[1]))
        for deck, dealer, scores in zip(deals.decks, deals.dealer, deals.scores, strict=True)
    ]


def play_oracles(deals: list[Oracle], cards: npt.ArrayLike) -> None:
    """Play one card in each deal that is not over."""
    for deal, card in zip(deals, np.asarray(cards), strict=True):
        if not deal.over:
            deal.play(int(card))
