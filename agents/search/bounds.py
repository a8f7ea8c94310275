"""What a side is certain to take, without search, at the start of a trick (compiled); and points from thirds."""

from __future__ import annotations

import numpy as np

from agents.search.compiled import compiled
from agents.search.suit_tables import CASH, NO_RANK, TOP, Int64Array, count, strongest
from tressette_env.cards import NUM_RANKS, NUM_SUITS, SUIT_BITS

_FIELD = 255
_BITS_OF_SEAT = 16  # in CASH: tricks, and 8 bits further thirds
_MANY = np.int64(99)


@compiled()
def leader_takes(
    tables: Int64Array, cards: np.int64, hand: np.int64, seat: np.int64, everything: np.int64
) -> tuple[np.int64, np.int64]:
    """Return thirds that the side of the leader `seat` takes for certain, and the cards that decide it.

    The leader leads its winners, then crosses to its partner's winners in a suit whose strongest card the partner
    has; the partner must have other cards to play meanwhile.  `everything`: the thirds to take in all.
    """
    cash, crosses = np.int64(0), False
    partner = seat ^ 2
    for suit in range(NUM_SUITS):
        part = (cards >> (NUM_RANKS * suit)) & SUIT_BITS
        cash += tables[CASH, suit, part]
        if (hand >> (NUM_RANKS * suit)) & SUIT_BITS and tables[TOP, suit, part] & 3 == partner:
            crosses = True
    own = cash >> (_BITS_OF_SEAT * seat)
    tricks, thirds = own & _FIELD, (own >> 8) & _FIELD
    users = np.int64(1) << seat
    size = count(hand)
    if crosses and tricks < size:
        theirs = cash >> (_BITS_OF_SEAT * partner)
        if tricks + (theirs & _FIELD) <= size:
            tricks += theirs & _FIELD
            thirds += (theirs >> 8) & _FIELD
            users |= np.int64(1) << partner
        elif (theirs >> 8) & _FIELD > thirds:
            tricks, thirds = theirs & _FIELD, (theirs >> 8) & _FIELD
            users = np.int64(1) << partner
    return everything if tricks == size else thirds, _needed(tables, cards, users)


@compiled()
def others_take(
    tables: Int64Array, cards: np.int64, hand: np.int64, seat: np.int64, everything: np.int64
) -> tuple[np.int64, np.int64]:
    """Return thirds that the side which does not lead takes for certain, and the cards that decide it.

    Where it has the strongest card of every suit that the leader can lead, it takes this trick and then cashes.
    """
    cash = np.int64(0)
    for suit in range(NUM_SUITS):
        cash += tables[CASH, suit, (cards >> (NUM_RANKS * suit)) & SUIT_BITS]
    least, users, tops = _MANY, np.int64(0), np.int64(0)
    size = count(hand)
    for suit in range(NUM_SUITS):
        if (hand >> (NUM_RANKS * suit)) & SUIT_BITS == 0:
            continue
        part = (cards >> (NUM_RANKS * suit)) & SUIT_BITS
        owner = tables[TOP, suit, part] & 3
        if (owner ^ seat) & 1 == 0:
            return np.int64(0), np.int64(0)
        theirs = cash >> (_BITS_OF_SEAT * owner)
        thirds = everything if theirs & _FIELD == size else (theirs >> 8) & _FIELD
        least = min(least, thirds)
        users |= np.int64(1) << owner
        tops |= np.int64(1) << (NUM_RANKS * suit + strongest(part))
    return least, tops | _needed(tables, cards, users)


@compiled()
def _needed(tables: Int64Array, cards: np.int64, users: np.int64) -> np.int64:
    """Return the weakest winner that each suit's owner among the seats `users` needs for what it cashes."""
    needed = np.int64(0)
    for suit in range(NUM_SUITS):
        part = (cards >> (NUM_RANKS * suit)) & SUIT_BITS
        top = tables[TOP, suit, part]
        if part and (users >> (top & 3)) & 1 and top >> 2 != NO_RANK:
            needed |= np.int64(1) << (NUM_RANKS * suit + (top >> 2))
    return needed


@compiled(inline=True)
def points(thirds: np.int64, total: np.int64) -> np.int64:
    """Return side 0's final points minus side 1's, when side 0 has `thirds` of `total`, the last trick as three."""
    return thirds // 3 - (total - thirds) // 3


@compiled()
def thirds_for(goal: np.int64, base: np.int64, total: np.int64) -> np.int64:
    """Return the least thirds that, added to `base`, give side 0 a difference of at least `goal` points.

    More than all there are when nothing does.
    """
    need = np.int64(0)
    while base + need <= total and points(base + need, total) < goal:
        need += 1
    return need
