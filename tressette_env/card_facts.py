"""How the cards of an observation stand to the trick and to the unseen cards, as further inputs of a network.

All of it follows from the observation.  But it takes products of its columns, which a small network is slow to find:
who played which card of the trick, which card takes it so far and whose it is, which of the observer's cards would take
it, and which cards no unseen card of their suit can beat.
"""

from __future__ import annotations

import numpy as np

from tressette_env.cards import NUM_RANKS, NUM_SUITS, SUITS
from tressette_env.observation import OBSERVATION_LAYOUT, UInt8Array
from tressette_env.rules import SEATS

_SETS = np.arange(1 << NUM_RANKS, dtype="<u2")[:, None] >> np.arange(NUM_RANKS, dtype="<u2")
_BELOW: UInt8Array = (_SETS > 1).astype(np.uint8)
"""[cards, rank] is 1 where one of the cards, a bit each, is stronger than the rank."""


def facts_size(variant: str) -> int:
    """Return how many facts, numbers 0 or 1, there are for each suit."""
    return SEATS[variant] * (NUM_RANKS + 1) + 4 * NUM_RANKS + 1


def with_facts(variant: str, observation: UInt8Array) -> UInt8Array:
    """Return observations (n, obs) with `facts_size` facts at the end of each suit block, (n, obs + 4 · facts)."""
    rows, suit_size = len(observation), OBSERVATION_LAYOUT[variant][SUITS[0]].shape[0]
    cut = NUM_SUITS * suit_size
    suits = observation[:, :cut].reshape(rows, NUM_SUITS, suit_size)
    blocks = np.concatenate([suits, *card_facts(variant, suits)], axis=2).reshape(
        rows, cut + NUM_SUITS * facts_size(variant)
    )
    return np.concatenate([blocks, observation[:, cut:]], axis=1)


def card_facts(variant: str, suits: UInt8Array) -> list[UInt8Array]:
    """Return the facts of suit blocks (n, 4, block), arrays (n, 4, …) that make `facts_size` numbers together.

    In order: the cards of the trick by the seat that played them; the card that takes it so far; whose it is (told
    to all suits); the observer's cards that would take it; his cards that no unseen card can beat, and the unseen
    ones; whether none can beat the card that takes the trick so far.  In a mini game the cards that are not in its
    pack count as unseen.
    """
    fields = {name: block.slice for name, block in OBSERVATION_LAYOUT[variant][SUITS[0]].fields.items()}
    hand, table, follow = (suits[:, :, fields[name]] for name in ("hand", "table", "follow"))
    rows = len(suits)
    played = suits[:, :, fields["played"]].reshape(rows, NUM_SUITS, SEATS[variant], NUM_RANKS)
    in_trick = played & table[:, :, None]
    above_table = follow & ~_below_any(table)
    takes = table & above_table
    taker = np.bitwise_or.reduce(in_trick & takes[:, :, None], axis=3)
    taker = np.bitwise_or.reduce(taker, axis=1, keepdims=True)
    unseen = 1 - hand - np.bitwise_or.reduce(played, axis=2)
    unbeaten = 1 - _below_any(unseen)
    return [
        in_trick.reshape(rows, NUM_SUITS, SEATS[variant] * NUM_RANKS),
        takes,
        np.broadcast_to(taker, (rows, NUM_SUITS, SEATS[variant])),
        hand & above_table,
        hand & unbeaten,
        unseen & unbeaten,
        np.bitwise_or.reduce(takes & unbeaten, axis=2, keepdims=True),
    ]


def _below_any(cards: UInt8Array) -> UInt8Array:
    """Return 1 for each rank that is weaker than one of the cards, both (n, 4, 10)."""
    below: UInt8Array = _BELOW[np.packbits(np.ascontiguousarray(cards), axis=2, bitorder="little").view("<u2")[:, :, 0]]
    return below
