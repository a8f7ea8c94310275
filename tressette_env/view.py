"""`View`: what the seats to act may see, one row a deal; the only thing a player is given (CONTRACT §6).

It holds the public past and the observer's own hand, and nothing from which a hidden card could be
read; observation and keys are computed from it, so that a leak in the encoder is impossible.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from tressette_env import declarations
from tressette_env.cards import NUM_CARDS, IntArray, UInt64Array, membership, thirds_of
from tressette_env.observation import encode
from tressette_env.rules import Rules
from tressette_env.shuffling import mix64, mix64_in_place, stream_keys

_HASHED_ROWS = 256  # at once: what a core's cache holds
_SHARED = ("rules", "target")


@dataclass(frozen=True, eq=False)
class View:
    """A snapshot of n decisions.

    Seats and sides are absolute; bitboards are uint64, bit c for card c.  Rows not to act have ``seat`` -1,
    no hand and no legal card; an observer off turn has no legal card.

    ``seat`` (n,) int8 the observer; ``hand`` (n,) its cards; ``legal_cards`` (n,) those it may play now;
    by seat, (seats, n): ``played`` cards that fell, ``shown`` cards known to all and still in hand, ``drawn``
    and ``declared`` cards (fallen or not), ``silent`` suits not announced with the first card (their lowest
    bits), ``apart`` each 3, 2 or ace whose two companions the seat had, but one fell before the other was
    drawn, ``void`` suits not followed (whole suits; "holds no unseen card of it"); ``table`` (n,) cards of the
    trick being played, ``suit`` (n,) mask to follow or 0, ``led`` and ``won`` (n,) cards that led or took a
    trick, ``taken`` (2, n) cards by side; ``fell`` (n, 40) uint8 1 + ply, ``drew`` (n, 40) uint8 1 + trick,
    0 for not yet;
    ``ply``, ``leader`` (of the trick being played) and ``dealer`` (n,) int; ``scores`` and ``declared_points``
    (n, 2) points; ``target`` points that end the match, 0 in single deals.
    """

    rules: Rules
    seat: npt.NDArray[np.int8]
    hand: UInt64Array
    legal_cards: UInt64Array
    played: UInt64Array
    shown: UInt64Array
    drawn: UInt64Array
    declared: UInt64Array
    silent: UInt64Array
    apart: UInt64Array
    void: UInt64Array
    table: UInt64Array
    suit: UInt64Array
    led: UInt64Array
    won: UInt64Array
    taken: UInt64Array
    fell: npt.NDArray[np.uint8]
    drew: npt.NDArray[np.uint8]
    ply: IntArray
    leader: IntArray
    dealer: IntArray
    scores: IntArray
    declared_points: IntArray
    target: int

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.seat)

    @property
    def variant(self) -> str:
        """The name of the variant."""
        return self.rules.variant

    @cached_property
    def legal(self) -> npt.NDArray[np.bool_]:
        """(n, 40) bool: True = may be played now."""
        return membership(self.legal_cards)

    @cached_property
    def known(self) -> UInt64Array:
        """(n, seats) uint64: cards shown to all and still in each hand."""
        return np.ascontiguousarray(self.shown.T)

    @cached_property
    def plays(self) -> npt.NDArray[np.int8]:
        """(n, 40) int8: the cards in the order in which they fell, then -1."""
        plays = np.full((len(self), NUM_CARDS), -1, np.int8)
        row, card = np.nonzero(self.fell)
        plays[row, self.fell[row, card] - 1] = card
        return plays

    @cached_property
    def play_seats(self) -> npt.NDArray[np.int8]:
        """(n, 40) int8: the seat that played each card of `plays`, then -1."""
        seats = np.full((len(self), NUM_CARDS), -1, np.int8)
        row, card = np.nonzero(self.fell)
        bit = np.uint64(1) << card.astype(np.uint64)
        owner = sum(seat * ((cards[row] & bit) != 0) for seat, cards in enumerate(self.played))
        seats[row, self.fell[row, card] - 1] = owner
        return seats

    @cached_property
    def thirds(self) -> IntArray:
        """(n, 2) int: thirds of a point taken so far by each side."""
        return thirds_of(self.taken).T

    @cached_property
    def excluded(self) -> UInt64Array:
        """(seats, n) uint64: cards that silence shows each seat does not hold.

        The cards which, held with those it is known to have had, would have had to be declared (RULES §5, §7).
        """
        had = self.played | self.declared | self.drawn
        if self.rules.variant == "historical":
            return declarations.excluded_by_silence(had.reshape(-1), self.rules).reshape(had.shape)
        if self.rules.napoletana:
            return declarations.excluded_without_napoletana(had, self.apart, self.rules)
        return np.zeros_like(had)

    @cached_property
    def observation(self) -> npt.NDArray[np.uint8]:
        """(n, obs_size) uint8: the layout of `OBSERVATION_LAYOUT`; zeros where the seat is -1."""
        return encode(self)

    @cached_property
    def keys(self) -> UInt64Array:
        """(n,) uint64: a number that depends on what the seat knows alone, to draw randomness from."""
        rows, size = self.observation.shape
        words = -(-size // 8)
        salt = stream_keys(np.arange(words))
        keys = np.empty(rows, np.uint64)
        padded = np.zeros((min(rows, _HASHED_ROWS), 8 * words), np.uint8)
        mixed, scratch = np.empty((2, len(padded), words), np.uint64)
        for start in range(0, rows, _HASHED_ROWS):
            part = slice(start, start + _HASHED_ROWS)
            here = slice(0, len(keys[part]))
            padded[here, :size] = self.observation[part]
            np.bitwise_xor(padded.view("<u8")[here], salt, out=mixed[here])
            mix64_in_place(mixed[here], scratch[here])
            mixed[here] += np.uint64(1)
            mix64_in_place(mixed[here], scratch[here])
            keys[part] = np.bitwise_xor.reduce(mixed[here], axis=1)
        return mix64(keys)

    def take(self, rows: Any) -> View:
        """Return the view of some rows (a bool mask, indices or a slice): every decision stays the same."""
        parts = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name not in _SHARED:
                value = value[:, rows] if field.name in _BY_SEAT else value[rows]
            parts[field.name] = value
        return View(**parts)

    def copy(self) -> View:
        """Return a view that shares no array with anything."""
        parts = {field.name: getattr(self, field.name) for field in fields(self)}
        return View(**{name: value if name in _SHARED else value.copy() for name, value in parts.items()})


_BY_SEAT = frozenset(("played", "shown", "drawn", "declared", "silent", "apart", "void", "taken"))
