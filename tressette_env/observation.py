"""The observation: its layout as data, and the encoder (CONTRACT §4).

One block a suit, all with the same inner order, then one block for what concerns no suit.  Seats are
relative to the observer: 0 itself, 1 the next to play, and so on; sides: 0 its own, 1 the other.
The columns of 0 and 1 are made of bits: words that hold one bit a column, and one ``unpackbits``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from tressette_env.cards import (
    ACE,
    ACES,
    FIGURES,
    NUM_RANKS,
    NUM_SUITS,
    SUITS,
    UInt64Array,
)
from tressette_env.packing import WORD, RowPacker
from tressette_env.rules import SEATS, VARIANTS, Rules, variant_name

if TYPE_CHECKING:
    from tressette_env.view import View

UInt8Array = npt.NDArray[np.uint8]
LARGEST_ENTRY = int(np.iinfo(np.uint8).max)
"""The largest number an observation holds; a larger score is shown as this."""
_ENCODE_ROWS = 16384  # packed at once: more would leave the cache, fewer cost more calls


@dataclass(frozen=True)
class Block:
    """A part of the observation: where it is, its shape once cut out, and what it means."""

    slice: slice
    shape: tuple[int, ...]
    meaning: str
    fields: dict[str, Block] = field(default_factory=dict)
    """The inner parts of a suit block; their slices count from the start of the block."""


_PER_CARD = "by strength, 4 first and 3 last"


_Field = tuple[str, tuple[int, ...], str]


def _suit_bit_fields(variant: str) -> list[_Field]:
    seats = SEATS[variant]
    fields: list[_Field] = [
        ("hand", (NUM_RANKS,), f"1 = in the observer's hand, {_PER_CARD}"),
        ("played", (seats, NUM_RANKS), f"1 = fell from this seat's hand, {_PER_CARD}"),
        ("table", (NUM_RANKS,), f"1 = in the trick being played, {_PER_CARD}"),
        ("led", (NUM_RANKS,), f"1 = led a trick, {_PER_CARD}"),
        ("won", (NUM_RANKS,), f"1 = took a trick, {_PER_CARD}"),
        ("known", (seats, NUM_RANKS), f"1 = shown to all and still in this seat's hand, {_PER_CARD}"),
        ("void", (seats,), "1 = failed to follow this suit: holds no unseen card of it"),
        ("follow", (1,), "1 = this suit was led to the trick being played"),
    ]
    if variant == "historical":
        fields += [
            ("declared", (seats, NUM_RANKS), f"1 = declared by this seat, fallen or not, {_PER_CARD}"),
            ("excluded", (seats, NUM_RANKS), f"1 = silence shows that this seat does not hold it, {_PER_CARD}"),
        ]
    else:
        fields += [
            ("announced", (seats,), "1 = this seat announced the napoletana of this suit"),
            ("silent", (seats,), "1 = its first card fell without this suit's napoletana: not dealt complete"),
            ("excluded", (seats, 3), "1 = silence shows that this seat does not hold it: ace, two, three"),
        ]
    return fields


def _suit_byte_fields(variant: str) -> list[_Field]:
    fields: list[_Field] = [("fell", (NUM_RANKS,), f"1 + the ply (from 0) at which it fell, 0 = not yet, {_PER_CARD}")]
    if variant == "two_player":
        fields.append(("drew", (NUM_RANKS,), f"1 + the trick (from 0) after which it was drawn, 0 = not, {_PER_CARD}"))
    return fields


def _global_fields(variant: str) -> list[_Field]:
    seats = SEATS[variant]
    return [
        ("thirds", (2,), "thirds of a point taken by each side"),
        ("declared_points", (2,), "points of each side for declarations in this deal"),
        ("scores", (2,), f"points (historical: marks) of each side before this deal, at most {LARGEST_ENTRY}"),
        ("target", (1,), "points that end the match, 0 in a single deal"),
        ("napoletana", (1,), "1 = napoletana counts"),
        ("tricks", (seats,), "tricks taken by each seat"),
        ("cards_left", (seats,), "cards in each hand"),
        ("stock", (1,), "cards left in the stock"),
        ("trick", (1,), "tricks finished"),
        ("place", (1,), "cards on the table"),
        ("leader", (seats,), "1 = leads the trick being played"),
        ("dealer", (seats,), "1 = dealt"),
        ("turn", (seats,), "1 = is to act"),
    ]


def _blocks(fields: list[_Field], start: int) -> dict[str, Block]:
    blocks = {}
    for name, shape, meaning in fields:
        size = int(np.prod(shape))
        blocks[name] = Block(slice(start, start + size), shape, meaning)
        start += size
    return blocks


def _layout(variant: str) -> dict[str, Block]:
    inner = _blocks(_suit_bit_fields(variant) + _suit_byte_fields(variant), 0)
    size = max(block.slice.stop for block in inner.values())
    suits = {
        suit: Block(slice(index * size, (index + 1) * size), (size,), f"suit {suit}, see its fields", inner)
        for index, suit in enumerate(SUITS)
    }
    return suits | _blocks(_global_fields(variant), NUM_SUITS * size)


OBSERVATION_LAYOUT: dict[str, dict[str, Block]] = {variant: _layout(variant) for variant in VARIANTS}
"""``OBSERVATION_LAYOUT[variant][block]``: the suit blocks ``D C S B`` (with ``.fields``), then the rest."""

OBSERVATION_SIZES: dict[str, int] = {
    variant: max(block.slice.stop for block in layout.values()) for variant, layout in OBSERVATION_LAYOUT.items()
}


def suit_order(variant: str | Rules, order: str) -> npt.NDArray[np.int64]:
    """Return the columns that put the suits of a row in `order` (such as ``"CDSB"``): ``row[suit_order(…)]``.

    The suit that stands in ``order[k]`` of the old row becomes suit k of the new one.
    """
    if sorted(order) != sorted(SUITS):
        raise ValueError(f"order={order!r} is not allowed: an arrangement of {SUITS!r}")
    columns = np.arange(obs_size(variant))
    layout = OBSERVATION_LAYOUT[variant_name(variant)]
    for new, old in zip(SUITS, order, strict=True):
        columns[layout[new].slice] = np.arange(layout[old].slice.start, layout[old].slice.stop)
    return columns


def encode(view: View) -> UInt8Array:
    """Return the observations of a view, (n, obs_size) uint8; zeros where the seat is -1."""
    layout = OBSERVATION_LAYOUT[view.variant]
    rows, size = len(view), OBSERVATION_SIZES[view.variant]
    suit_size = layout[SUITS[0]].shape[0]
    suit_columns = NUM_SUITS * suit_size
    if not rows:
        return np.empty((0, size), np.uint8)
    words = np.empty((rows, -(-size // WORD)), "<u8")
    values = np.empty((size - suit_columns, rows), np.uint8)
    for start in range(0, rows, _ENCODE_ROWS):
        part = slice(start, start + _ENCODE_ROWS)
        facts = _Relative(view.take(part) if rows > _ENCODE_ROWS else view)
        facts.write_globals(values[:, part])
        words[part] = facts.packed(size, suit_size).T
    observation = np.unpackbits(words.view(np.uint8), axis=1, count=size, bitorder="little")
    inner = layout[SUITS[0]].fields
    for name in ("fell", "drew"):
        if name in inner:
            _copy_ranks(getattr(view, name), observation, inner[name].slice.start, suit_size)
    observation[:, suit_columns:] = values.T
    observation[view.seat < 0] = 0
    return observation


def _copy_ranks(by_card: UInt8Array, observation: UInt8Array, offset: int, suit_size: int) -> None:
    """Copy (n, 40) bytes to `offset` of the suit blocks, the ten of a suit as one item, which is quicker."""
    rows, size = observation.shape
    item = np.dtype((np.void, NUM_RANKS))
    blocks = np.ndarray((rows, NUM_SUITS), item, observation.data, offset, (size, suit_size))
    blocks[...] = np.ascontiguousarray(by_card).view(item)


class _Relative:
    """A view's facts in the observer's order of seats and sides."""

    def __init__(self, view: View) -> None:
        self._view, self._rules = view, view.rules
        self._seats = (view.seat + np.arange(self._rules.seats, dtype=np.int8)[:, None]) & np.int8(
            self._rules.seats - 1
        )
        self._index = self._seats * np.int64(len(view)) + np.arange(len(view))
        self._played = self._by_seat(view.played)

    def _by_seat(self, bitboards: UInt64Array, out: UInt64Array | None = None) -> UInt64Array:
        """Reorder (seats, n) bitboards from absolute to relative seats."""
        relative: UInt64Array = bitboards.reshape(-1).take(self._index, out=out, mode="clip")  # no copy of `out`
        return relative

    def packed(self, columns: int, suit_size: int) -> UInt64Array:
        """Return the bits of the rows, (words, n)."""
        view, rules = self._view, self._rules
        historical = rules.variant == "historical"
        speaks = historical or rules.napoletana
        packer = RowPacker(len(view), columns, suit_size)
        shows = speaks or rules.seats == 2  # nothing is ever shown to four seats that do not speak
        boards = np.empty((rules.seats * (1 + shows) + 4, len(view)), np.uint64)
        boards[0], boards[1 : rules.seats + 1] = view.hand, self._played
        boards[rules.seats + 1 : rules.seats + 4] = view.table, view.led, view.won
        if shows:
            self._by_seat(view.shown, out=boards[rules.seats + 4 :])
        packer.cards(boards)
        packer.skip(0 if shows else rules.seats * NUM_RANKS)
        packer.flags(self._by_seat(view.void))
        packer.flags(view.suit[None])
        if historical:
            packer.cards(self._by_seat(view.declared))
            packer.cards(self._by_seat(view.excluded))
        elif speaks:
            packer.flags(self._by_seat(view.declared) >> np.uint64(ACE))
            packer.flags(self._by_seat(view.silent))
            packer.flags(self._by_seat(view.excluded) >> np.uint64(ACE), 3)
        return packer.finish()

    def write_globals(self, values: UInt8Array) -> None:
        """Write what concerns no suit into (columns, n)."""
        layout = OBSERVATION_LAYOUT[self._rules.variant]
        first = NUM_SUITS * layout[SUITS[0]].shape[0]
        for name, entries in self._globals().items():
            columns = layout[name].slice
            values[columns.start - first : columns.stop - first] = entries

    def _globals(self) -> dict[str, npt.NDArray[np.generic] | int]:
        """Return the values that concern no suit, each (n,) or (entries, n)."""
        view, rules, seats = self._view, self._rules, self._seats
        last_seat = np.int8(rules.seats - 1)
        ply, leader, dealer = (values.astype(np.int8) for values in (view.ply, view.leader, view.dealer))
        place = ply & last_seat
        cards_left = np.int8(rules.hand) - np.bitwise_count(self._played).view(np.int8)
        drawn = np.zeros_like(place)
        if rules.stock:
            drawn_by_seat = np.bitwise_count(self._by_seat(view.drawn)).view(np.int8)
            cards_left += drawn_by_seat
            drawn = drawn_by_seat.sum(axis=0, dtype=np.int8)
        thirds, declared_points, scores = self._by_side()
        return {
            "thirds": thirds,
            "declared_points": declared_points,
            "scores": scores,
            "target": view.target,
            "napoletana": int(rules.napoletana),
            "tricks": np.bitwise_count(self._played & view.won),
            "cards_left": cards_left,
            "stock": np.int8(rules.stock) - drawn,
            "trick": ply // np.int8(rules.seats),
            "place": place,
            "leader": seats == leader,
            "dealer": seats == dealer,
            "turn": seats == ((leader + place) & last_seat),
        }

    def _by_side(self) -> UInt8Array:
        """Return thirds, points declared and scores, own side first: (3, 2, n)."""
        view = self._view
        values = np.empty((3, 2, len(view)), np.uint8)
        values[0] = np.bitwise_count(view.taken & FIGURES)
        values[0] += np.uint8(3) * np.bitwise_count(view.taken & ACES)
        values[1] = view.declared_points.T
        values[2] = np.minimum(view.scores, LARGEST_ENTRY).T
        side_1 = np.uint8(0) - (view.seat.view(np.uint8) & np.uint8(1))  # all bits set for its seats, else none
        different = (values[:, 0] ^ values[:, 1]) & side_1
        values ^= different[:, None]
        return values


def obs_size(variant: str | Rules) -> int:
    """Return the number of columns of an observation of this variant."""
    return OBSERVATION_SIZES[variant_name(variant)]
