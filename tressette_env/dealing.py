"""The arguments of a reset, checked: seeds, decks, dealers and scores become one `Deal` (CONTRACT §2)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tressette_env.cards import IntArray
from tressette_env.rules import Rules
from tressette_env.shuffling import check_seed, draw_deals


class Deal(NamedTuple):
    """What starts N deals: ``decks`` (N, cards) ids, ``dealers`` (N,) seats, ``scores`` (N, 2) points."""

    decks: IntArray
    dealers: IntArray
    scores: IntArray


def checked_deal(rules: Rules, rows: int, seed: Any, decks: Any, dealers: Any, scores: Any, *ids: Any) -> Deal:
    """Return the deals that these arguments of `DealBatch.reset` describe; ``ValueError`` if they are wrong.

    `ids`: what names a deal beside the seed, each an int or (rows,).
    """
    if seed is None and (decks is None or dealers is None):
        raise ValueError("give a seed, or both decks and dealers")
    drawn_decks = drawn_dealers = None
    given_dealers = None if dealers is None else _seats(dealers, rows, rules.seats)
    given_decks = None if decks is None else _decks(decks, rows, rules)
    given_scores = np.zeros((rows, 2), np.int64) if scores is None else _scores(scores, rows)
    if seed is not None:
        names = [_ids(values, rows) for values in ids]
        drawn_decks, drawn_dealers = draw_deals(check_seed(seed, rows), *names, rules=rules)
    return Deal(
        drawn_decks if given_decks is None else given_decks,  # type: ignore[arg-type]
        drawn_dealers if given_dealers is None else given_dealers,  # type: ignore[arg-type]
        given_scores,
    )


def _integer_array(name: str, values: Any, shape: tuple[int, ...]) -> IntArray:
    array = np.asarray(values)
    if array.dtype.kind not in "iu" or array.shape != shape:
        raise ValueError(f"{name} must be integers of shape {shape}, not {array.dtype} of shape {array.shape}")
    return array.astype(np.int64)


def _ids(values: Any, rows: int) -> IntArray:
    ids = np.broadcast_to(values, (rows,)) if np.ndim(values) == 0 else values
    ids = _integer_array("deal_ids", ids, (rows,))
    if ids.size and ids.min() < 0:
        raise ValueError(f"deal_ids must not be negative, not {ids.min()}")
    return ids


def _decks(values: Any, rows: int, rules: Rules) -> IntArray:
    decks = _integer_array("decks", values, (rows, rules.num_cards))
    wrong = np.flatnonzero((np.sort(decks, axis=1) != np.array(rules.pack)).any(axis=1))
    if len(wrong):
        raise ValueError(f"deck {wrong[0]} is no permutation of the {rules.num_cards} cards of the pack")
    return decks


def _seats(values: Any, rows: int, seats: int) -> IntArray:
    dealers = _integer_array("dealers", values, (rows,))
    wrong = np.flatnonzero((dealers < 0) | (dealers >= seats))
    if len(wrong):
        raise ValueError(f"dealer {dealers[wrong[0]]} of deal {wrong[0]} is no seat: it must be from 0 to {seats - 1}")
    return dealers


def _scores(values: Any, rows: int) -> IntArray:
    scores = _integer_array("scores", values, (rows, 2))
    if scores.size and scores.min() < 0:
        raise ValueError(f"scores must not be negative, not {scores.min()}")
    return scores
