"""What a side is certain to take, without search, at the start of a trick (compiled); and points from thirds."""

from __future__ import annotations

import numpy as np

from agents.search.compiled import compiled
from agents.search.moves import SUIT
from agents.search.suit_tables import CASH, NO_RANK, TOP, Int64Array, count, strongest, weakest
from tressette_env.cards import NUM_RANKS, NUM_SUITS, SUIT_BITS

_FIELD = 255
_BITS_OF_SEAT = 16  # in CASH: tricks, and 8 bits further thirds
_MANY = np.int64(99)


@compiled(inline=True)
def cash_in(tables: Int64Array, cards: np.int64) -> np.int64:
    """Return what each seat can cash in all suits where it has the strongest card, as ``CASH`` has it."""
    return (
        tables[0, cards & SUIT_BITS, CASH]
        + tables[1, (cards >> NUM_RANKS) & SUIT_BITS, CASH]
        + tables[2, (cards >> (2 * NUM_RANKS)) & SUIT_BITS, CASH]
        + tables[3, (cards >> (3 * NUM_RANKS)) & SUIT_BITS, CASH]
    )


@compiled()
def leader_takes(
    tables: Int64Array, cash: np.int64, cards: np.int64, hand: np.int64, seat: np.int64, everything: np.int64
) -> tuple[np.int64, np.int64]:
    """Return thirds that the side of the leader `seat` takes for certain, and a bit for each seat that cashes.

    The leader leads its winners, then crosses to its partner's winners in a suit whose strongest card the partner
    has; the partner must have other cards to play meanwhile.  `cash`: see `cash_in`; `everything`: the thirds to
    take in all.
    """
    own = cash >> (_BITS_OF_SEAT * seat)
    tricks, thirds = own & _FIELD, (own >> 8) & _FIELD
    partner = seat ^ 2
    theirs = cash >> (_BITS_OF_SEAT * partner)
    users = np.int64(1) << seat
    size = count(hand)
    if theirs & _FIELD and tricks < size and _crosses(tables, cards, hand, partner):
        if tricks + (theirs & _FIELD) <= size:
            tricks += theirs & _FIELD
            thirds += (theirs >> 8) & _FIELD
            users |= np.int64(1) << partner
        elif (theirs >> 8) & _FIELD > thirds:
            tricks, thirds = theirs & _FIELD, (theirs >> 8) & _FIELD
            users = np.int64(1) << partner
    return everything if tricks == size else thirds, users


@compiled(inline=True)
def _crosses(tables: Int64Array, cards: np.int64, hand: np.int64, partner: np.int64) -> bool:
    """Return whether the leader can lead a suit whose strongest card its partner has."""
    for suit in range(NUM_SUITS):
        part = (cards >> (NUM_RANKS * suit)) & SUIT_BITS
        if (hand >> (NUM_RANKS * suit)) & SUIT_BITS and tables[suit, part, TOP] & 3 == partner:
            return True
    return False


@compiled()
def others_take(
    tables: Int64Array, cash: np.int64, cards: np.int64, hand: np.int64, seat: np.int64, everything: np.int64
) -> tuple[np.int64, np.int64]:
    """Return thirds that the side which does not lead takes for certain, and a bit for each seat that cashes.

    Where it has the strongest card of every suit that the leader can lead, it takes this trick and then cashes.
    """
    least, users = _MANY, np.int64(0)
    size = count(hand)
    for suit in range(NUM_SUITS):
        if (hand >> (NUM_RANKS * suit)) & SUIT_BITS == 0:
            continue
        owner = tables[suit, (cards >> (NUM_RANKS * suit)) & SUIT_BITS, TOP] & 3
        if (owner ^ seat) & 1 == 0:
            return np.int64(0), np.int64(0)
        theirs = cash >> (_BITS_OF_SEAT * owner)
        least = min(least, everything if theirs & _FIELD == size else (theirs >> 8) & _FIELD)
        users |= np.int64(1) << owner
    return least, users


@compiled()
def strongest_led(cards: np.int64, hand: np.int64) -> np.int64:
    """Return the strongest card in hands of each suit that the leader's `hand` has."""
    tops = np.int64(0)
    for suit in range(NUM_SUITS):
        if (hand >> (NUM_RANKS * suit)) & SUIT_BITS:
            tops |= np.int64(1) << (NUM_RANKS * suit + strongest((cards >> (NUM_RANKS * suit)) & SUIT_BITS))
    return tops


@compiled()
def needed(tables: Int64Array, cards: np.int64, users: np.int64) -> np.int64:
    """Return the weakest winner that each suit's owner among the seats `users` needs for what it cashes."""
    winners = np.int64(0)
    for suit in range(NUM_SUITS):
        part = (cards >> (NUM_RANKS * suit)) & SUIT_BITS
        top = tables[suit, part, TOP]
        if part and (users >> (top & 3)) & 1 and top >> 2 != NO_RANK:
            winners |= np.int64(1) << (NUM_RANKS * suit + (top >> 2))
    return winners


@compiled()
def last_trick(owned: Int64Array, cards: np.int64, leader: np.int64, seats: np.int64) -> tuple[np.int64, np.int64]:
    """Return who takes the last trick, and the card that decides it (none if nobody can follow)."""
    best = weakest(owned[leader] & cards)
    winner, contested, suit = leader, False, SUIT[best]
    for later in range(1, seats):
        seat = (leader + later) & (seats - 1)
        card = weakest(owned[seat] & cards)
        if SUIT[card] == suit:
            contested = True
            if card > best:
                best, winner = card, seat
    return winner, np.int64(1) << best if contested else np.int64(0)


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
