"""The signature: one number from a fixed set of random games, which changes only on purpose.

It covers dealing, legal cards, announcements, observations, keys and points of every variant and of smaller
packs, so a change that means to leave behaviour alone can show that it did.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import numpy.typing as npt

from tressette_env import DealBatch, Rules
from tressette_env.cards import IntArray, UInt64Array, membership
from tressette_env.shuffling import random_bits, stream_keys

_DEALS = 64
_SEED = 2
_RULES = (
    Rules("two_player"),
    Rules("two_player", napoletana=True),
    Rules("partners"),
    Rules("partners", napoletana=True),
    Rules("historical"),
    Rules("two_player", napoletana=True, ranks="FRA23", hand=4),
    Rules("partners", napoletana=True, ranks="A23", hand=3),
    Rules("historical", ranks="6CRA23", hand=6),
)


def _random_cards(deals: DealBatch, keys: UInt64Array, ply: int) -> IntArray:
    """Return a legal card a deal, drawn from `keys` (N,) and the ply; 0 where the deal is over."""
    legal = deals.legal
    choice = random_bits(keys, 1, first=ply)[:, 0] % np.maximum(np.bitwise_count(legal), 1)
    cards: IntArray = (membership(legal).cumsum(axis=1) > choice[:, None].astype(np.int64)).argmax(axis=1)
    return cards


def _add(digest: hashlib._Hash, values: npt.NDArray[Any]) -> None:
    """Hash an array, the same on any platform."""
    digest.update(repr(values.shape).encode())
    digest.update(np.ascontiguousarray(values).astype("<i8").tobytes())


def signature() -> str:
    """Return the signature, 16 hexadecimal digits."""
    digest = hashlib.sha256()
    for number, rules in enumerate(_RULES):
        deals = DealBatch(_DEALS, rules)
        deals.reset(seed=_SEED)
        keys = stream_keys(_SEED, number, np.arange(_DEALS))
        for ply in range(rules.num_cards):
            cards = _random_cards(deals, keys, ply)
            view = deals.view()
            for values in (deals.legal, view.excluded, view.known, view.keys, cards):
                _add(digest, values)
            for seat in range(rules.seats):
                digest.update(deals.observe(seat).tobytes())
            if not deals.done:
                deals.step(cards)
        for values in (deals.thirds, deals.points, deals.decks, deals.dealer):
            _add(digest, values)
        digest.update(repr(deals.bonus).encode())
    return digest.hexdigest()[:16]


if __name__ == "__main__":
    print(signature())
