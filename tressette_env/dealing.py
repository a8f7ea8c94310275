"""The arguments of a reset, checked: seeds, decks, dealers and scores become one `Deal` (CONTRACT §2)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tressette_env.cards import IntArray
from tressette_env.checking import count_array, integer_array
from tressette_env.rules import Rules
from tressette_env.shuffling import check_seed, draw_deals


class Deal(NamedTuple):
    """What starts N deals: ``decks`` (N, cards) ids, ``dealers`` (N,) seats, ``scores`` (N, 2) points."""

    decks: IntArray
    dealers: IntArray
    scores: IntArray


def checked_ids(deal_ids: Any, rows: int) -> IntArray:
    """Return what names the deals (matches) of a seed, (rows,): 0 to rows - 1 unless given."""
    return np.arange(rows) if deal_ids is None else count_array("deal_ids", deal_ids, (rows,))


def checked_deal(rules: Rules, rows: int, seed: Any, decks: Any, dealers: Any, scores: Any, *ids: Any) -> Deal:
    """Return the deals that these arguments of `DealBatch.reset` describe; ``ValueError`` if they are wrong.

    `ids`: what names a deal beside the seed, each an int or (rows,), checked already.
    """
    given_dealers = None if dealers is None else _seats(dealers, rows, rules.seats)
    given_decks = None if decks is None else _decks(decks, rows, rules)
    given_scores = np.zeros((rows, 2), np.int64) if scores is None else count_array("scores", scores, (rows, 2))
    seeds = None if seed is None else check_seed(seed, rows)
    if given_decks is not None and given_dealers is not None:
        return Deal(given_decks, given_dealers, given_scores)
    if seeds is None:
        raise ValueError("give a seed, or both decks and dealers")
    drawn_decks, drawn_dealers = draw_deals(seeds, *ids, rules=rules)
    return Deal(
        drawn_decks if given_decks is None else given_decks,
        drawn_dealers if given_dealers is None else given_dealers,
        given_scores,
    )


def _decks(values: Any, rows: int, rules: Rules) -> IntArray:
    decks = integer_array("decks", values, (rows, rules.num_cards))
    wrong = np.flatnonzero((np.sort(decks, axis=1) != np.array(rules.pack)).any(axis=1))
    if len(wrong):
        raise ValueError(f"deck {wrong[0]} is no permutation of the {rules.num_cards} cards of the pack")
    return decks.astype(np.int64)


def _seats(values: Any, rows: int, seats: int) -> IntArray:
    dealers = integer_array("dealers", values, (rows,))
    wrong = np.flatnonzero((dealers < 0) | (dealers >= seats))
    if len(wrong):
        raise ValueError(f"dealer {dealers[wrong[0]]} of deal {wrong[0]} is no seat: it must be from 0 to {seats - 1}")
    return dealers.astype(np.int64)
